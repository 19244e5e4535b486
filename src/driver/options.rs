//! The command line: what it asks for. The spelling is that of gcc and clang: `-O2`, `-ofile`, `-Wno-x`,
//! `-fname=value`, in any order.
//!
//! | file | holds |
//! | --- | --- |
//! | `table` | every option as a row: names, value, help, and what it does |
//! | `foreign` | what other compilers' users say, likewise |
//! | `values` | the names that values can have |
//! | `inputs` | words that are no options |
//! | `read` | words to rows |
//! | `settle` | what they mean together |
//! | `help` | the rows as help, and as a page of the manual |
//! | `complete` | the rows as scripts that complete words in three shells |
//!
//! A word that nothing knows is named whole and is an error, with the nearest that there is.

pub mod complete;
mod foreign;
pub mod help;
mod inputs;
mod read;
mod settle;
mod table;
#[cfg(test)]
mod tests;
mod values;

use super::profile::Wanted;
use crate::ir::Flags;
use crate::ir::position;
use crate::isa::{Target, features};
use crate::lower::Checks;
use crate::mir::Features;
use crate::mir::model::Model;
use crate::opt;
use crate::sema::warning::WarningSet;
use crate::source::Form;
use crate::syntax::Standard;
use crate::sysy::through::PACKS_FROM;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub use table::DEFAULT_LEVEL;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A program.
    Link,
    /// The source itself.
    Source,
    /// Assembly text.
    Assembly,
    /// An object file.
    Object,
    /// Executing the program.
    Run,
    /// Diagnostics only.
    Check,
    /// Sources well formatted.
    Format,
    /// Dumps of stages, in the order in which they are made.
    Emit(Vec<Emit>),
}

/// A stage that can be dumped.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Emit {
    Tokens,
    Tree,
    Ir,
    Cfg,
    Domtree,
    Callgraph,
    Mir,
    Asm,
}

impl Emit {
    /// How many there are.
    pub const COUNT: usize = Emit::Asm as usize + 1;
}

/// Which edits of diagnostics are made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// Those that are certain.
    Certain,
    /// Also what was probably meant.
    All,
}

/// When messages have colours.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Colour {
    /// As the environment says (`NO_COLOR`, `CLICOLOR_FORCE`), or on a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its file; `-` is the standard input.
    pub path: PathBuf,
    /// What is in it.
    pub language: Language,
}

/// What an input is, as `-x` or the end of its name says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Language {
    /// A source.
    Sysy,
    /// LLVM text (`.ll`).
    Ir,
    /// Machine IR in text (`.mir`).
    Mir,
}

/// The rule of `make` for an output: `-MD` and its kin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// The rule is all that is made (`-M`), or is made beside the output (`-MD`); or neither.
    pub wanted: Option<Rule>,
    /// Where it goes (`-MF`), if not where it goes by itself.
    pub file: Option<PathBuf>,
    /// What is made (`-MT`, `-MQ`), as it stands in the rule.
    pub targets: Vec<String>,
}

impl Dependencies {
    /// A name as make reads it.
    pub fn quoted(name: &str) -> String {
        let mut text = String::new();
        for c in name.chars() {
            match c {
                ' ' | '\t' | '#' => text.extend(['\\', c]),
                '$' => text.push_str("$$"),
                _ => text.push(c),
            }
        }
        text
    }
}

/// See `Dependencies`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Nothing else is made.
    Alone,
    /// Beside the output.
    Beside,
}

/// The form of a report of times (`-ftime-report`).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TimeReport {
    /// For people.
    Table,
    /// For programs.
    Json,
    /// For a browser (`Options::time_page`).
    Page,
}

/// Where the results of stages stay (`-save-temps`).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Temporaries {
    /// In the current folder.
    Here,
    /// Beside the output.
    BesideOutput,
}

/// Who is listened to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listening {
    /// What was done,
    pub done: Patterns,
    /// what was not, and why,
    pub missed: Patterns,
    /// and what was found out.
    pub analysis: Patterns,
}

/// Parts of names of passes, one of which has to fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns(Vec<String>);

impl Patterns {
    /// True if one of them is in the name of a pass, or in what clang calls it.
    pub fn fits(&self, pass: &str) -> bool {
        let teller = opt::TELLERS.iter().find(|teller| teller.pass == pass);
        self.0.iter().any(|part| teller.is_some_and(|teller| teller.has(part)))
    }

    /// Adds those of a text: `unroll|licm`, `inline,unroll`, or `.*` for all; as in a regular expression, a
    /// part of a name is enough. False if one of them fits none of the passes that say something.
    fn add(&mut self, text: &str) -> bool {
        let parts = text.split(['|', ',']).map(|part| part.trim_matches(['^', '$']).replace(".*", ""));
        let first = self.0.len();
        self.0.extend(parts);
        self.0[first..].iter().all(|part| opt::TELLERS.iter().any(|teller| teller.has(part)))
    }
}

/// What is to be shown, and nothing else done.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// The options.
    Help,
    /// The version; with `-v` what the compiler is made of, too.
    Version,
    /// The name of the machine (`-dumpmachine`).
    Machine,
    /// The version's number (`-dumpversion`).
    Number,
    /// One of `--print=`.
    List(usize),
    /// What a diagnostic means (`--explain CODE`).
    Explanation,
    /// Whether everything that `sysyc` can make use of is here (`sysyc doctor`).
    Health,
    /// What a compiled program executes (`sysyc profile`).
    Profile,
    /// Nothing: a language server answers on the standard streams (`sysyc lsp`).
    Server,
}

/// What is linked.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Linked {
    /// A program at a fixed address.
    #[default]
    Fixed,
    /// A program that is loaded anywhere: by the built-in linker, and with `-static-pie` by any, one without libraries that are
    /// loaded with it.
    Anywhere {
        /// `-static-pie`.
        alone: bool,
    },
    /// A shared library.
    Library,
}

/// Everything that the command line says.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sources.
    pub inputs: Vec<Input>,
    /// What stands behind `--` for the program that is executed.
    pub program_words: Vec<OsString>,
    /// Objects and archives (`.o`, `.a`) to link with the program, in order; none unless the goal is a
    /// program.
    pub link_inputs: Vec<PathBuf>,
    /// Folders in which libraries are looked for, in order.
    pub library_paths: Vec<PathBuf>,
    /// Libraries to link: `x` is `libx.a` of the first folder that has one.
    pub libraries: Vec<String>,
    /// The linker instead of the default: `gcc`, a linker that gcc knows, or another compiler's name.
    pub use_ld: Option<String>,
    /// What is linked.
    pub linked: Linked,
    /// The program shows its names to libraries that it loads (`-rdynamic`).
    pub dynamic: bool,
    /// What code is compiled for, and who sees its names.
    pub place: position::Asked,
    /// What that linker is told besides.
    pub linker_words: Vec<String>,
    /// Where the output goes; `-` is the standard output.
    pub output: Option<PathBuf>,
    /// What is asked for.
    pub goal: Goal,
    /// Files for stages (`--emit=ir=FILE`).
    pub emit_files: Vec<(Emit, PathBuf)>,
    /// IR in text is made as a file, whose name ends so.
    pub ir_file: Option<&'static str>,
    /// Sources are optimised as one program; objects are IR in text.
    pub lto: bool,
    /// A section for each function.
    pub function_sections: bool,
    /// A section for each datum that is not zero.
    pub data_sections: bool,
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Number of workers; none: as many as the machine has, for inputs that are worth it.
    pub jobs: Option<usize>,
    /// The machine.
    pub target: &'static Target,
    /// What it has beyond the least of its target.
    pub features: Features,
    /// The core that code is scheduled for.
    pub model: &'static Model,
    /// The machine's name, if one was given.
    pub machine: Option<String>,
    /// Link without symbols and debug information.
    pub strip: bool,
    /// The language of sources.
    pub standard: Standard,
    /// Which warnings are on.
    pub warnings: WarningSet,
    /// No warnings at all, those without a group included.
    pub quiet: bool,
    /// Colours.
    pub colour: Colour,
    /// For whom diagnostics are shown.
    pub form: Form,
    /// Where a document of SARIF of all that is said goes, if not to the standard error.
    pub sarif: Option<PathBuf>,
    /// Write what diagnostics say into the sources.
    pub fix: Option<Fix>,
    /// ... or show what would be changed, by that or by the formatter.
    pub diff: bool,
    /// Most errors shown; 0 for all.
    pub error_limit: usize,
    /// Show the commands that are run.
    pub verbose: bool,
    /// Show the commands, and run none.
    pub dry: bool,
    /// With `--run`: execute the program as written, and stop at the first undefined operation. With `--format`:
    /// change nothing.
    pub checked: bool,
    /// With `--run`: where what the program has executed is to be told.
    pub profiles: Vec<Wanted>,
    /// Where programs write what they have counted (`-fprofile-generate`), if they count.
    pub profile_generate: Option<String>,
    /// Files of counts (`-fprofile-use`).
    pub profile_use: Vec<PathBuf>,
    /// What programs check as they run (`-fsanitize`).
    pub checks: Checks,
    /// What may be done to floats (`-ffast-math` and its parts).
    pub math: Flags,
    /// Tell debuggers of lines, variables and frames.
    pub debug: bool,
    /// ... but not of variables.
    pub only_lines: bool,
    /// Say in assembly from which lines of the source it is.
    pub verbose_assembly: bool,
    /// Which passes may say what (`-Rpass` and its kin).
    pub listening: Listening,
    /// Print what passes change.
    pub print_changed: bool,
    /// Where a page of what passes change goes, if one is wanted.
    pub page: Option<PathBuf>,
    /// What paths begin with, and what debuggers are told in its place; the last that fits counts.
    pub prefix_map: Vec<(String, String)>,
    /// The folder that debuggers are told of in place of the one where we run.
    pub debug_folder: Option<String>,
    /// The form of the report of times, if one is wanted.
    pub time_report: Option<TimeReport>,
    /// Where a page of it goes.
    pub time_page: Option<PathBuf>,
    /// Where a trace of all threads goes, if one is wanted.
    pub time_trace: Option<PathBuf>,
    /// How long an event of the trace has to be, in ns; none: the longest are shown.
    pub trace_from: Option<u64>,
    /// What `make` is told.
    pub dependencies: Dependencies,
    /// Where IR, assembly and object stay, if they do.
    pub temporaries: Option<Temporaries>,
    /// For testing: bytes of source in a window, a worker; none for what serves best. The output does not
    /// depend on it.
    pub window: Option<usize>,
    /// See `PACKS_FROM`.
    pub packs_from: usize,
    /// About passes.
    pub passes: opt::Options,
    /// What is to be shown instead of compiling.
    pub show: Option<Show>,
    /// The word that goes with `show`.
    pub about: String,
    /// What was understood in another way than it was said, one line each.
    pub remarks: Vec<String>,
}

impl Options {
    /// A path as debuggers are to be told of it.
    pub fn told_path(&self, path: &str) -> String {
        let mapped = |(old, new): &(String, String)| Some(format!("{new}{}", path.strip_prefix(old)?));
        self.prefix_map.iter().rev().find_map(mapped).unwrap_or_else(|| path.to_string())
    }

    /// What is done for a target if nothing is said.
    pub(super) fn new(target: &'static Target) -> Options {
        Options {
            inputs: Vec::new(),
            program_words: Vec::new(),
            link_inputs: Vec::new(),
            library_paths: Vec::new(),
            libraries: Vec::new(),
            use_ld: None,
            linked: Linked::default(),
            dynamic: false,
            place: position::Asked::default(),
            linker_words: Vec::new(),
            output: None,
            goal: Goal::Link,
            emit_files: Vec::new(),
            ir_file: None,
            lto: false,
            function_sections: false,
            data_sections: false,
            level: DEFAULT_LEVEL,
            jobs: None,
            target,
            features: features::default_of(target),
            model: target.models[0],
            machine: None,
            strip: false,
            standard: Standard::default(),
            warnings: WarningSet::default(),
            quiet: false,
            colour: Colour::Auto,
            form: Form::Human,
            fix: None,
            sarif: None,
            error_limit: 20,
            verbose: false,
            dry: false,
            checked: false,
            diff: false,
            profiles: Vec::new(),
            profile_generate: None,
            profile_use: Vec::new(),
            checks: Checks::NONE,
            math: Flags::NONE,
            debug: false,
            only_lines: false,
            verbose_assembly: false,
            listening: Listening::default(),
            print_changed: false,
            page: None,
            prefix_map: Vec::new(),
            debug_folder: None,
            time_report: None,
            time_page: None,
            time_trace: None,
            trace_from: None,
            dependencies: Dependencies::default(),
            temporaries: None,
            window: None,
            packs_from: PACKS_FROM,
            passes: opt::Options::default(),
            show: None,
            about: String::new(),
            remarks: Vec::new(),
        }
    }
}

/// Reads the command line, the program's name included. The error says what is wrong, in a line or two.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Options, String> {
    let mut draft = read::read(args)?;
    settle::settle(&mut draft)?;
    let options = draft.options;
    if options.show.is_none() {
        settle::check(&options)?;
    }
    Ok(options)
}

/// The words that ask again for what changes code and what is linked, besides the level and the machine.
pub fn code_words(options: &Options) -> Vec<String> {
    let mut words = foreign::words(options);
    words.extend(sanitize_words(options.checks));
    let flags = [
        (options.lto, "-flto"),
        (options.function_sections, "-ffunction-sections"),
        (options.data_sections, "-fdata-sections"),
        (options.strip, "-s"),
    ];
    words.extend(flags.iter().filter(|flag| flag.0).map(|flag| flag.1.to_string()));
    words.extend(options.profile_generate.as_ref().map(|path| format!("-fprofile-generate={path}")));
    words.extend(options.profile_use.iter().map(|path| format!("-fprofile-use={}", path.display())));
    words
}

/// The option that asks for these checks, if there are some.
pub fn sanitize_words(checks: Checks) -> Option<String> {
    let (mut left, mut rows, mut names) = (checks, table::CHECKS, Vec::new());
    // Names of several come first.
    rows.sort_by_key(|row| std::cmp::Reverse(row.1.bits().count_ones()));
    for (name, of) in rows {
        if of.without(checks) == Checks::NONE && left.has(of) {
            left = left.without(of);
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| format!("-fsanitize={}", names.join(",")))
}

/// True of what the linker reads and the compiler does not.
fn is_linked(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "o" || extension == "a")
}
