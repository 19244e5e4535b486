//! Every option, as a row: how it is spelled, what it takes, what the help says, and what it does. Parsing, the
//! help, the manual's page, completion and suggestions read the same rows.

use super::foreign::{FOREIGN, group};
use super::read::unknown;
use super::values::{
    abi_names, check_names, codes, core_names, machine_names, passes_and_all, switch_names, target_names,
    teller_names, warning_words,
};
use super::{
    Colour, Dependencies, Emit, Fix, Goal, Language, Options, Rule, Show, Temporaries, TimeReport, help,
};
use crate::driver::inform;
use crate::driver::profile::{self, Wanted};
use crate::ir::Flags;
use crate::isa::{self, TARGETS, Target};
use crate::lower::Checks;
use crate::opt::{self, Level};
use crate::source::Form;
use crate::syntax::Standard;
use std::ffi::OsStr;
use std::path::PathBuf;

/// The level of optimisation if neither `-O` nor `-g` says otherwise.
pub const DEFAULT_LEVEL: u8 = 1;

/// What has been read so far, and what is decided only when everything is.
pub(super) struct Draft {
    pub(super) options: Options,
    pub(super) level: Option<u8>,
    /// What is to be made, and the words that said so.
    pub(super) goals: Vec<(Goal, String)>,
    pub(super) abi: Option<(String, String)>,
    /// `-mtune=` and `-mcpu=`: a core, and the word that names it.
    pub(super) tune: Option<(String, String)>,
    /// See `tune`.
    pub(super) cpu: Option<(String, String)>,
    /// Switches that were turned on, and the words that did.
    pub(super) switched_on: Vec<(&'static opt::Switch, String)>,
    /// IR in text is wanted of what -S and -c make.
    pub(super) emit_llvm: bool,
    /// The program loads no library.
    pub(super) is_static: bool,
    /// Objects of -flto have code.
    pub(super) fat: bool,
    /// What the inputs that follow are (`-x`); none: their names say so.
    pub(super) language: Option<Language>,
}

/// An option as it was given.
pub(super) struct Given<'a> {
    pub(super) row: &'a Row,
    /// All of its word, or of both.
    pub(super) word: &'a str,
    /// What it takes; what cannot be read as text is shown with replacement characters.
    pub(super) text: &'a str,
    pub(super) raw: &'a OsStr,
}

/// How an option and its value stand together.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// `-O2`, and `-O`.
    Behind,
    /// `-ofile`, `-o file`.
    BehindOrNext,
    /// `-fname=value`.
    Equals,
    /// `--name=value`, `--name value`.
    EqualsOrNext,
    /// `-MF file`.
    Next,
}

/// What a value can be, for completion.
#[derive(Copy, Clone)]
pub(super) enum Values {
    Any,
    File,
    Folder,
    /// One of these.
    Names(fn() -> Vec<&'static str>),
}

/// Where the help shows a row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Output,
    Optimisation,
    Machine,
    Linking,
    Messages,
    Make,
    Passes,
    Other,
    /// Accepted, and shown in the manual's page only: what other compilers' users and build systems say.
    Foreign,
    /// Another name, or the opposite of what is the default.
    Hidden,
}

/// One option.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    /// What the help calls the value.
    pub(super) value: &'static str,
    pub(super) values: Values,
    pub(super) section: Section,
    pub(super) help: &'static str,
    pub(super) apply: fn(&mut Draft, &Given) -> Result<(), String>,
}

type Apply = fn(&mut Draft, &Given) -> Result<(), String>;

pub(super) const fn set(name: &'static str, section: Section, help: &'static str, apply: Apply) -> Row {
    Row { name, takes: Takes::Nothing, value: "", values: Values::Any, section, help, apply }
}

pub(super) const fn with(
    name: &'static str,
    (takes, value, values): (Takes, &'static str, Values),
    section: Section,
    help: &'static str,
    apply: Apply,
) -> Row {
    Row { name, takes, value, values, section, help, apply }
}

const FILE: (Takes, &str, Values) = (Takes::BehindOrNext, "FILE", Values::File);
/// What stands in front of the name of a switch (`opt::SWITCHES`).
pub(super) const SWITCHED_ON: &str = "-f";
pub(super) const SWITCHED_OFF: &str = "-fno-";
const PASS: (Takes, &str, Values) = (Takes::Equals, "PASS", Values::Names(passes_and_all));
const REMARKS: (Takes, &str, Values) = (Takes::Equals, "PASS,...", Values::Names(teller_names));
const COUNT: (Takes, &str, Values) = (Takes::Equals, "N", Values::Any);
const WHEN: (Takes, &str, Values) =
    (Takes::EqualsOrNext, "WHEN", Values::Names(|| COLOURS.map(|row| row.0).to_vec()));

const FIXES: [(&str, Fix); 2] = [("all", Fix::All), ("certain", Fix::Certain)];

const EMITS: [(&str, Emit); Emit::COUNT] = [
    ("tokens", Emit::Tokens),
    ("tree", Emit::Tree),
    ("ir", Emit::Ir),
    ("cfg", Emit::Cfg),
    ("domtree", Emit::Domtree),
    ("callgraph", Emit::Callgraph),
    ("mir", Emit::Mir),
    ("asm", Emit::Asm),
];
const COLOURS: [(&str, Colour); 3] =
    [("auto", Colour::Auto), ("always", Colour::Always), ("never", Colour::Never)];
const FORMS: [(&str, Form); 4] =
    [("human", Form::Human), ("short", Form::Short), ("json", Form::Json), ("sarif", Form::Sarif)];
/// gcc's and clang's names of forms; with a file, whose name the source has, or none.
const FORMATS: [(&str, (Form, Option<&str>)); 8] = [
    ("text", (Form::Human, None)),
    ("clang", (Form::Human, None)),
    ("json", (Form::Json, None)),
    ("json-stderr", (Form::Json, None)),
    ("sarif", (Form::Sarif, None)),
    ("SARIF", (Form::Sarif, None)),
    ("sarif-stderr", (Form::Sarif, None)),
    ("sarif-file", (Form::Sarif, Some(""))),
];
const LANGUAGES: [(&str, Option<Language>); 6] = [
    ("sysy", Some(Language::Sysy)),
    ("c", Some(Language::Sysy)),
    ("cpp-output", Some(Language::Sysy)),
    ("ir", Some(Language::Ir)),
    ("mir", Some(Language::Mir)),
    ("none", None),
];
const STANDARDS: [(&str, Standard); 3] =
    [("sysy", Standard::Dialect), ("sysy2022", Standard::Strict), ("sysy2026", Standard::Tensors)];
/// What `-fsanitize` and `-fno-sanitize` name. The last one only the latter.
pub(super) const CHECKS: [(&str, Checks); 10] = [
    ("bounds", Checks::BOUNDS),
    ("array-bounds", Checks::BOUNDS),
    ("integer", INTEGER),
    ("signed-integer-overflow", Checks::OVERFLOW),
    ("integer-divide-by-zero", Checks::DIVISION),
    ("float-cast-overflow", Checks::CONVERSION),
    ("stack", Checks::STACK),
    ("memory", Checks::MEMORY),
    ("undefined", UNDEFINED),
    ("all", UNDEFINED.with(Checks::MEMORY)),
];
const INTEGER: Checks = Checks::OVERFLOW.with(Checks::DIVISION);
const UNDEFINED: Checks = INTEGER.with(Checks::BOUNDS).with(Checks::CONVERSION).with(Checks::STACK);
/// Where counts are written to and read from if no file is named.
const COUNTS: &str = "default.sysyprof";
/// The permissions of `-funsafe-math-optimizations`; what NEON does to denormals needs them.
pub(super) const UNSAFE: Flags = Flags::REASSOC.with(Flags::ARCP).with(Flags::NSZ).with(Flags::CONTRACT);
const CONTRACTS: [(&str, bool); 3] = [("fast", true), ("on", false), ("off", false)];
/// What stands behind `-O`, the level, and what to remark.
const LEVELS: [(&str, u8, &str); 9] = [
    ("0", 0, ""),
    ("1", 1, ""),
    ("2", 2, ""),
    ("3", 3, ""),
    ("", 1, ""),
    ("g", 0, "-O0, which debuggers see all of"),
    ("s", Level::Os as u8, ""),
    ("z", Level::Oz as u8, ""),
    ("fast", 3, ""),
];

/// The options of our own; those of `foreign` follow.
#[rustfmt::skip]
static ROWS: &[Row] = &[
    set("-E", Section::Output, "print the source: SysY has no preprocessor", |d, g| d.goal(Goal::Source, g)),
    set("-S", Section::Output, "make assembly", |d, g| d.goal(Goal::Assembly, g)),
    set("-c", Section::Output, "make an object file", |d, g| d.goal(Goal::Object, g)),
    set("--run", Section::Output, "execute the program, here and now", |d, g| d.goal(Goal::Run, g)),
    set("--check", Section::Output, "check the program and stop; with --run: stop at the first undefined operation", |d, g| d.goal(Goal::Check, g)),
    set("--format", Section::Output, "format the sources in place; with --check: name those that would change, and fail", |d, g| d.goal(Goal::Format, g)),
    set("-fsyntax-only", Section::Output, "check the program and stop", |d, g| d.goal(Goal::Check, g)),
    set("--profile", Section::Output, "with --run: tell by line, function and loop what was executed; without -O, at -O0", |d, _| { d.options.profiles.push(Wanted::Shown); Ok(()) }),
    with("--profile", (Takes::Equals, "FILE", Values::File), Section::Output, "... there: .txt, .json, .html (with a flame graph), .info (lcov), .folded, .sysyprof", profiled),
    set("--coverage", Section::Output, "with --run: which lines and branches were executed, for lcov, in x.info of x.sy", |d, _| { d.options.profiles.push(Wanted::Coverage(None)); Ok(()) }),
    with("--coverage", (Takes::Equals, "FILE", Values::File), Section::Output, "... there", |d, g| { d.options.profiles.push(Wanted::Coverage(Some(g.named()?.into()))); Ok(()) }),
    with("--emit", (Takes::EqualsOrNext, "STAGE,...", Values::Names(|| EMITS.map(|row| row.0).to_vec())), Section::Output,
        "print stages: tokens, tree, ir, mir, asm; as graphs: cfg, domtree, callgraph; STAGE=FILE: there", emit),
    with("-o", FILE, Section::Output, "where the output goes; - is the standard output", |d, g| { d.options.output = Some(g.path()); Ok(()) }),
    set("-fverbose-asm", Section::Output, "say in assembly from which lines of the source it is", |d, _| { d.options.verbose_assembly = true; Ok(()) }),
    set("-fno-verbose-asm", Section::Hidden, "", |d, _| { d.options.verbose_assembly = false; Ok(()) }),
    with("-x", (Takes::BehindOrNext, "LANGUAGE", Values::Names(|| LANGUAGES.map(|row| row.0).to_vec())), Section::Output,
        "what the inputs that follow are: sysy, ir, mir, or none, as their names say", language),
    with("-std", (Takes::Equals, "LANGUAGE", Values::Names(|| STANDARDS.map(|row| row.0).to_vec())), Section::Output, "sysy (without it): SysY and for, do, +=, ++, prototypes, extern; sysy2022 and sysy2026: nothing else", standard),
    set("-save-temps", Section::Output, "keep IR, assembly and object of each source in the current folder", |d, _| { d.options.temporaries = Some(Temporaries::Here); Ok(()) }),
    with("-save-temps", (Takes::Equals, "PLACE", Values::Names(|| vec!["cwd", "obj"])), Section::Output, "... there (cwd), or beside the output (obj)", |d, g| {
        d.options.temporaries = Some(choose(g, g.text, &[("cwd", Temporaries::Here), ("obj", Temporaries::BesideOutput)])?);
        Ok(())
    }),

    with("-O", (Takes::Behind, "LEVEL", Values::Names(|| LEVELS.map(|row| row.0).to_vec())), Section::Optimisation, "optimise: 0 to 3, or s and z, for small code; without -O, 1, or with -g, 0", level),
    with("-g", (Takes::Behind, "LEVEL", Values::Names(|| vec!["", "0", "1", "2", "3"])), Section::Optimisation, "tell debuggers of lines, variables and frames; -g0: do not; -g1: of no variables", |d, g| {
        d.options.debug = choose(g, g.text, &[("", true), ("0", false), ("1", true), ("2", true), ("3", true)])?;
        d.options.only_lines = g.text == "1";
        Ok(())
    }),
    set("-gline-tables-only", Section::Optimisation, "-g1: lines, functions and inlined calls, for profiles and traces; without -O, 1", |d, _| {
        (d.options.debug, d.options.only_lines) = (true, true);
        Ok(())
    }),
    with("-fsanitize", (Takes::Equals, "CHECK,...", Values::Names(check_names)), Section::Optimisation,
        "stop at what is wrong: bounds, integer, float-cast-overflow, stack (undefined: all of these), memory", sanitize),
    with("-fno-sanitize", (Takes::Equals, "CHECK,...", Values::Names(|| CHECKS.map(|row| row.0).to_vec())), Section::Optimisation, "... not these; all: none", sanitize),
    set("-fprofile-generate", Section::Optimisation, "count how often what is executed, and write that to default.sysyprof at the end", |d, _| { d.options.profile_generate = Some(COUNTS.to_string()); Ok(()) }),
    with("-fprofile-generate", (Takes::Equals, "FILE", Values::File), Section::Optimisation, "... there", |d, g| { d.options.profile_generate = Some(g.named()?); Ok(()) }),
    set("-fprofile-use", Section::Optimisation, "optimise for what default.sysyprof says is executed", |d, _| { d.options.profile_use.push(COUNTS.into()); Ok(()) }),
    with("-fprofile-use", (Takes::Equals, "FILE", Values::File), Section::Optimisation, "... this file; several add up", |d, g| { d.options.profile_use.push(g.named()?.into()); Ok(()) }),
    set("-fno-profile-generate", Section::Hidden, "", |d, _| { d.options.profile_generate = None; Ok(()) }),
    set("-fno-profile-use", Section::Hidden, "", |d, _| { d.options.profile_use.clear(); Ok(()) }),
    set("-ffast-math", Section::Optimisation, "compute floats as if they were numbers of mathematics: all of the below; -fno-...: not", |d, g| math(d, g, Flags::FAST)),
    set("-fno-fast-math", Section::Hidden, "", |d, g| math(d, g, Flags::FAST)),
    set("-funsafe-math-optimizations", Section::Foreign, "-fassociative-math -freciprocal-math -fno-signed-zeros -ffp-contract=fast", |d, g| math(d, g, UNSAFE)),
    set("-fno-unsafe-math-optimizations", Section::Hidden, "", |d, g| math(d, g, UNSAFE)),
    set("-fassociative-math", Section::Optimisation, "... sums and products in any order", |d, g| math(d, g, Flags::REASSOC)),
    set("-fno-associative-math", Section::Hidden, "", |d, g| math(d, g, Flags::REASSOC)),
    set("-freciprocal-math", Section::Optimisation, "... quotients as products with reciprocals", |d, g| math(d, g, Flags::ARCP)),
    set("-fno-reciprocal-math", Section::Hidden, "", |d, g| math(d, g, Flags::ARCP)),
    set("-ffinite-math-only", Section::Optimisation, "... nothing is a NaN or an infinity", |d, g| math(d, g, Flags::NNAN)),
    set("-fno-finite-math-only", Section::Hidden, "", |d, g| math(d, g, Flags::NNAN)),
    set("-fno-signed-zeros", Section::Optimisation, "... the sign of a zero does not matter", |d, _| { d.options.math = d.options.math.with(Flags::NSZ); Ok(()) }),
    set("-fsigned-zeros", Section::Hidden, "", |d, _| { d.options.math = d.options.math.without(Flags::NSZ); Ok(()) }),
    with("-ffp-contract", (Takes::Equals, "HOW", Values::Names(|| CONTRACTS.map(|row| row.0).to_vec())), Section::Optimisation, "... fast: a product and a sum are rounded once; off (without it) and on: each", |d, g| {
        let known = d.options.math.without(Flags::CONTRACT);
        d.options.math = if choose(g, g.text, &CONTRACTS)? { known.with(Flags::CONTRACT) } else { known };
        Ok(())
    }),
    with("-fdebug-prefix-map", (Takes::Equals, "OLD=NEW", Values::Any), Section::Optimisation, "tell debuggers of paths that begin with OLD as if they began with NEW; the last that fits counts", prefix_map),
    with("-ffile-prefix-map", (Takes::Equals, "OLD=NEW", Values::Any), Section::Hidden, "", prefix_map),
    with("-fdebug-compilation-dir", (Takes::Equals, "DIR", Values::Folder), Section::Foreign, "the folder that debuggers are told of in place of the current one", |d, g| { d.options.debug_folder = Some(g.named()?); Ok(()) }),
    with("-j", (Takes::BehindOrNext, "N", Values::Any), Section::Optimisation, "number of workers; the output does not depend on it", jobs),
    with("--jobs", (Takes::EqualsOrNext, "N", Values::Any), Section::Hidden, "", jobs),

    with("--target", (Takes::EqualsOrNext, "NAME", Values::Names(target_names)), Section::Machine, "riscv64 (without it), aarch64 or armv7, or a triple", |d, g| { d.options.target = target(g)?; Ok(()) }),
    with("-march", (Takes::Equals, "NAME", Values::Names(machine_names)), Section::Machine, "what the machine has, as in rv64gc_zba_zbb, rv64gcv, rv64g, armv8-a, armv7-a, armv7-a+neon", |d, g| { d.options.machine = Some(g.text.to_string()); Ok(()) }),
    with("-mtune", (Takes::Equals, "CORE", Values::Names(core_names)), Section::Machine, "the core that code is scheduled for, as in sifive-u74, cortex-a53, cortex-a7; generic: a usual one", |d, g| { d.tune = Some((g.text.to_string(), g.word.to_string())); Ok(()) }),
    with("-mcpu", (Takes::Equals, "CORE", Values::Names(core_names)), Section::Machine, "the same, and what that core has, unless -march says it", |d, g| { d.cpu = Some((g.text.to_string(), g.word.to_string())); Ok(()) }),
    with("-mabi", (Takes::Equals, "NAME", Values::Names(abi_names)), Section::Machine, "the calling convention: each target has one", |d, g| { d.abi = Some((g.text.to_string(), g.word.to_string())); Ok(()) }),

    with("-l", (Takes::BehindOrNext, "NAME", Values::Any), Section::Linking, "link the library libNAME.a", |d, g| { d.options.libraries.push(g.text.to_string()); Ok(()) }),
    with("-L", (Takes::BehindOrNext, "FOLDER", Values::Folder), Section::Linking, "where libraries are looked for", |d, g| { d.options.library_paths.push(g.path()); Ok(()) }),
    set("-s", Section::Linking, "leave symbols and debug information out of the program", |d, _| { d.options.strip = true; Ok(()) }),
    with("-fuse-ld", (Takes::Equals, "NAME", Values::Names(|| vec!["gcc", "bfd", "gold", "lld", "mold"])), Section::Linking, "the linker: gcc; bfd, gold, lld, mold (through gcc); or another compiler", |d, g| { d.options.use_ld = Some(g.named()?); Ok(()) }),
    with("-Wl,", (Takes::Behind, "WORD,...", Values::Any), Section::Linking, "for the linker of -fuse-ld", |d, g| { d.options.linker_words.push(g.word.to_string()); Ok(()) }),
    with("-Xlinker", (Takes::Next, "WORD", Values::Any), Section::Linking, "for the linker of -fuse-ld", |d, g| { d.options.linker_words.extend(["-Xlinker".to_string(), g.text.to_string()]); Ok(()) }),

    with("-W", (Takes::Behind, "GROUP", Values::Names(warning_words)), Section::Messages, "warnings: all, extra, pedantic, everything, error, error=GROUP, GROUP, no-GROUP (see below)", warning),
    set("-pedantic", Section::Hidden, "", |d, _| { d.options.warnings.apply("pedantic"); Ok(()) }),
    set("-pedantic-errors", Section::Foreign, "-Werror=pedantic", |d, _| { d.options.warnings.apply("error=pedantic"); Ok(()) }),
    set("-w", Section::Messages, "no warnings", |d, _| { d.options.quiet = true; Ok(()) }),
    with("-ferror-limit", COUNT, Section::Messages, "show at most N errors; 0 shows all", |d, g| { d.options.error_limit = g.number()?; Ok(()) }),
    with("-fmax-errors", COUNT, Section::Hidden, "", |d, g| { d.options.error_limit = g.number()?; Ok(()) }),
    with("--error-format", (Takes::EqualsOrNext, "FORM", Values::Names(|| FORMS.map(|row| row.0).to_vec())), Section::Messages, "how diagnostics are shown: human, short (a line each, as gcc's), json or sarif", |d, g| { d.options.form = choose(g, g.text, &FORMS)?; Ok(()) }),
    with("-fdiagnostics-add-output", (Takes::Equals, "sarif:file=FILE", Values::Any), Section::Messages, "besides, all that is said as a document of SARIF there; without :file=FILE, in SOURCE.sarif", sarif_output),
    with("-fdiagnostics-set-output", (Takes::Equals, "sarif:file=FILE", Values::Any), Section::Messages, "... and nothing on the standard error", sarif_output),
    with("-fdiagnostics-format", (Takes::Equals, "FORM", Values::Names(|| FORMATS.map(|row| row.0).to_vec())), Section::Foreign, "--error-format=human, short, json or sarif; sarif-file: -fdiagnostics-set-output=sarif", |d, g| {
        let (form, sarif) = choose(g, g.text, &FORMATS)?;
        (d.options.form, d.options.sarif) = (form, sarif.map(PathBuf::from));
        Ok(())
    }),
    set("--fix", Section::Messages, "write into the source what diagnostics say that it should be, where that is certain", |d, _| { d.options.fix = Some(Fix::Certain); Ok(()) }),
    with("--fix", (Takes::Equals, "WHICH", Values::Names(|| FIXES.map(|row| row.0).to_vec())), Section::Messages, "all: also what was probably meant; certain: as without it", |d, g| { d.options.fix = Some(choose(g, g.text, &FIXES)?); Ok(()) }),
    set("--diff", Section::Messages, "with --fix or fmt: print the changes and write nothing; the exit code is 1 if there are any", |d, _| { d.options.diff = true; Ok(()) }),
    with("--color", WHEN, Section::Messages, "colours in diagnostics: auto, always or never", colour),
    with("--colour", WHEN, Section::Hidden, "", colour),
    with("-fdiagnostics-color", (Takes::Equals, "WHEN", WHEN.2), Section::Hidden, "", colour),
    set("-fdiagnostics-color", Section::Foreign, "--color=always", |d, _| { d.options.colour = Colour::Always; Ok(()) }),
    set("-fcolor-diagnostics", Section::Foreign, "--color=always", |d, _| { d.options.colour = Colour::Always; Ok(()) }),
    set("-fno-diagnostics-color", Section::Foreign, "--color=never", |d, _| { d.options.colour = Colour::Never; Ok(()) }),
    set("-fno-color-diagnostics", Section::Foreign, "--color=never", |d, _| { d.options.colour = Colour::Never; Ok(()) }),
    set("-v", Section::Messages, "show the commands that are run", |d, _| { d.options.verbose = true; Ok(()) }),
    set("--verbose", Section::Hidden, "", |d, _| { d.options.verbose = true; Ok(()) }),
    set("-###", Section::Messages, "show the commands, and run none", |d, _| { d.options.dry = true; Ok(()) }),

    set("-M", Section::Make, "print the rule of the output, and make nothing else", |d, _| d.rule(Rule::Alone)),
    set("-MM", Section::Foreign, "-M", |d, _| d.rule(Rule::Alone)),
    set("-MD", Section::Make, "write it beside the output, as .d", |d, _| d.rule(Rule::Beside)),
    set("-MMD", Section::Foreign, "-MD", |d, _| d.rule(Rule::Beside)),
    with("-MF", (Takes::Next, "FILE", Values::File), Section::Make, "... there", |d, g| { d.options.dependencies.file = Some(g.path()); Ok(()) }),
    with("-MT", (Takes::Next, "TARGET", Values::Any), Section::Make, "what the rule is for", |d, g| { d.options.dependencies.targets.push(g.text.to_string()); Ok(()) }),
    with("-MQ", (Takes::Next, "TARGET", Values::Any), Section::Make, "... with what make would read otherwise quoted", |d, g| { d.options.dependencies.targets.push(Dependencies::quoted(g.text)); Ok(()) }),
    set("-MP", Section::Foreign, "as it is", |_, _| Ok(())),

    set("-fverify", Section::Passes, "verify the program's representation after each pass", |d, _| { d.options.passes.verify = true; Ok(()) }),
    set("-fno-verify", Section::Hidden, "", |d, _| { d.options.passes.verify = false; Ok(()) }),
    with("-fprint-before", PASS, Section::Passes, "print the IR before a pass (all: before each)", |d, g| { d.options.passes.print_before.push(g.text.to_string()); Ok(()) }),
    with("-fprint-after", PASS, Section::Passes, "print the IR after a pass (all: after each)", |d, g| { d.options.passes.print_after.push(g.text.to_string()); Ok(()) }),
    set("-fprint-changed", Section::Passes, "print what each pass changes", |d, _| { (d.options.print_changed, d.options.passes.changes) = (true, true); Ok(()) }),
    with("-fprint-changed", (Takes::Equals, "FILE.html", Values::File), Section::Passes, "... as a page: source with remarks, IR before and after, machine code, pictures", |d, g| {
        d.options.page = Some(g.named()?.into());
        (d.options.passes.changes, d.options.passes.remarks) = (true, true);
        Ok(())
    }),
    with("-fprint-only", (Takes::Equals, "FUNCTION,...", Values::Any), Section::Passes, "print only these functions", only),
    with("-ffilter-print-funcs", (Takes::Equals, "FUNCTION,...", Values::Any), Section::Hidden, "", only),
    set("-Rpass", Section::Passes, "say what passes have done, and where", listen),
    with("-Rpass", REMARKS, Section::Passes, "... of these", listen),
    set("-Rpass-missed", Section::Passes, "... what they have not done, and why", listen),
    with("-Rpass-missed", REMARKS, Section::Passes, "... of these", listen),
    set("-Rpass-analysis", Section::Passes, "... what they have found out", listen),
    with("-Rpass-analysis", REMARKS, Section::Passes, "... of these", listen),
    with("-fdisable-pass", PASS, Section::Passes, "do not run a pass", |d, g| { d.options.passes.disable.push(g.text.to_string()); Ok(()) }),
    with(SWITCHED_OFF, (Takes::Behind, "NAME", Values::Names(switch_names)), Section::Passes, "do not run the passes that gcc or clang call so (see below)", switch),
    with(SWITCHED_ON, (Takes::Behind, "NAME", Values::Names(switch_names)), Section::Hidden, "", switch),
    with("-fstop-after", PASS, Section::Passes, "end optimisation after a pass", |d, g| { d.options.passes.stop_after = Some(g.text.to_string()); Ok(()) }),
    with("-fbisect", COUNT, Section::Passes, "stop after N changes by passes in each function", |d, g| { d.options.passes.bisect = Some(g.number()?); Ok(()) }),
    set("-ftime-report", Section::Passes, "show time and work of each phase and pass, the slowest functions, and memory", |d, _| report(d, Some(TimeReport::Table))),
    set("-ftime-report=json", Section::Passes, "the same as a JSON document, in nanoseconds and bytes", |d, _| report(d, Some(TimeReport::Json))),
    with("-ftime-report", (Takes::Equals, "FILE.html", Values::File), Section::Passes, "... as a page", |d, g| {
        if !g.text.ends_with(".html") {
            return Err(format!("'{}': there are -ftime-report, -ftime-report=json and -ftime-report=FILE.html", g.word));
        }
        d.options.time_page = Some(g.text.into());
        report(d, Some(TimeReport::Page))
    }),
    set("-fno-time-report", Section::Hidden, "", |d, _| report(d, None)),
    with("-ftime-trace", (Takes::Equals, "FILE", Values::File), Section::Passes, "write what each thread did when, for Perfetto or chrome://tracing", |d, g| { d.options.time_trace = Some(g.named()?.into()); Ok(()) }),
    with("-ftime-trace-granularity", (Takes::Equals, "US", Values::Any), Section::Passes, "show what took at least so many microseconds; without it the longest, in less than 10 MB", granularity),
    with("-fwindow", (Takes::Equals, "BYTES", Values::Any), Section::Passes, "keep about as much source in memory as IR, a worker; it may change the order of data at -O2", |d, g| { d.options.window = Some(g.number()?); Ok(()) }),
    with("-fpack", (Takes::Equals, "BYTES", Values::Any), Section::Passes, "pack IR that waits for the rest of the program, from so much source on", |d, g| { d.options.packs_from = g.number()?; Ok(()) }),

    set("--help", Section::Other, "this", |d, _| d.show(Show::Help)),
    set("-h", Section::Hidden, "", |d, _| d.show(Show::Help)),
    set("-help", Section::Hidden, "", |d, _| d.show(Show::Help)),
    set("--version", Section::Other, "the version; with -v what the compiler is made of, too", |d, _| d.show(Show::Version)),
    set("-V", Section::Hidden, "", |d, _| d.show(Show::Version)),
    with("--explain", (Takes::EqualsOrNext, "CODE", Values::Names(codes)), Section::Other, "what a diagnostic means, with an example", |d, g| { d.options.about = g.text.to_string(); d.show(Show::Explanation) }),
    with("--print", (Takes::EqualsOrNext, "LIST", Values::Names(|| inform::LISTS.iter().map(|row| row.name).collect())), Section::Other, "targets, passes, pipeline, warnings, config, man, or completion for a shell", |d, g| {
        let names: Vec<(&str, usize)> = inform::LISTS.iter().enumerate().map(|(k, row)| (row.name, k)).collect();
        d.show(Show::List(choose(g, g.text, &names)?))
    }),
    set("-dumpmachine", Section::Foreign, "the name of the target", |d, _| d.show(Show::Machine)),
    set("-dumpversion", Section::Foreign, "the number of the version", |d, _| d.show(Show::Number)),
    set("-print-targets", Section::Hidden, "", |d, _| d.show(Show::List(0))),
];

/// All options. A word belongs to the row with the longest name that fits.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> + Clone {
    ROWS.iter().chain(FOREIGN)
}

impl Given<'_> {
    pub(super) fn path(&self) -> PathBuf {
        self.raw.into()
    }

    fn number<T: std::str::FromStr>(&self) -> Result<T, String> {
        self.text.parse().map_err(|_| format!("'{}': a number is wanted", self.word))
    }

    /// A value that is not empty.
    pub(super) fn named(&self) -> Result<String, String> {
        match self.text {
            "" => Err(format!("'{}': a name is wanted", self.word)),
            text => Ok(text.to_string()),
        }
    }
}

impl Draft {
    pub(super) fn goal(&mut self, goal: Goal, given: &Given) -> Result<(), String> {
        self.goals.push((goal, given.word.to_string()));
        Ok(())
    }

    /// True if there is an input so far, which is to be executed.
    pub(super) fn runs(&self) -> bool {
        !self.options.inputs.is_empty() && self.goals.iter().any(|row| row.0 == Goal::Run)
    }

    fn rule(&mut self, rule: Rule) -> Result<(), String> {
        self.options.dependencies.wanted = Some(rule);
        Ok(())
    }

    /// The first that asks to be shown something is heard.
    fn show(&mut self, show: Show) -> Result<(), String> {
        self.options.show.get_or_insert(show);
        Ok(())
    }

    pub(super) fn remark(&mut self, text: String) {
        self.options.remarks.push(text);
    }
}

/// The value that one of these names stands for.
pub(super) fn choose<T: Clone>(given: &Given, name: &str, rows: &[(&'static str, T)]) -> Result<T, String> {
    if let Some((_, value)) = rows.iter().find(|row| row.0 == name) {
        return Ok(value.clone());
    }
    let names = rows.iter().map(|row| row.0);
    let near = help::near(name, names.clone());
    let all: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    Err(format!("'{}': no '{name}'{near}; there are {}", given.word, all.join(", ")))
}

fn level(d: &mut Draft, given: &Given) -> Result<(), String> {
    let Some((_, level, taken_as)) = LEVELS.iter().find(|row| row.0 == given.text) else {
        return Err(format!("'{}': there are -O0, -O1, -O2, -O3, -Os and -Oz", given.word));
    };
    d.level = Some(*level);
    if given.text == "fast" {
        d.options.math = Flags::FAST;
    }
    if !taken_as.is_empty() {
        d.remark(format!("'{}' is taken as {taken_as}", given.word));
    }
    Ok(())
}

/// `-f...`, or `-fno-...`.
fn math(d: &mut Draft, given: &Given, flags: Flags) -> Result<(), String> {
    let known = d.options.math;
    d.options.math =
        if given.row.name.starts_with(SWITCHED_OFF) { known.without(flags) } else { known.with(flags) };
    Ok(())
}

fn profiled(d: &mut Draft, given: &Given) -> Result<(), String> {
    let path = PathBuf::from(given.named()?);
    if path.extension().is_some_and(|ending| ending == profile::COUNTS) {
        d.options.profiles.push(Wanted::Counts(path));
        return Ok(());
    }
    if !profile::has_form(&path) {
        let known: Vec<&str> = profile::endings().chain([profile::COUNTS]).collect();
        return Err(format!("'{}': the name has to end in one of {}", given.word, known.join(", ")));
    }
    d.options.profiles.push(Wanted::File(path));
    Ok(())
}

fn jobs(d: &mut Draft, given: &Given) -> Result<(), String> {
    match given.text.parse::<u16>() {
        Ok(1..) => d.options.jobs = given.text.parse().ok(),
        _ => return Err(format!("'{}': a number from 1 on is wanted", given.word)),
    }
    Ok(())
}

fn prefix_map(d: &mut Draft, given: &Given) -> Result<(), String> {
    let Some((old, new)) = given.text.split_once('=') else {
        return Err(format!(
            "'{}': two prefixes are wanted, as in {}=/home/me/x=.",
            given.word, given.row.name
        ));
    };
    d.options.prefix_map.push((old.to_string(), new.to_string()));
    Ok(())
}

/// `sarif`, and where it goes, as gcc 15 says it.
fn sarif_output(d: &mut Draft, given: &Given) -> Result<(), String> {
    let file = match given.text.split_once(':') {
        None if given.text == "sarif" => Some(""),
        Some(("sarif", what)) => what.strip_prefix("file=").filter(|file| !file.is_empty()),
        _ => None,
    };
    let Some(file) = file else {
        return Err(format!("'{}': sarif or sarif:file=FILE is wanted", given.word));
    };
    d.options.sarif = Some(file.into());
    if given.row.name == "-fdiagnostics-set-output" {
        d.options.form = Form::Sarif;
    }
    Ok(())
}

fn report(d: &mut Draft, form: Option<TimeReport>) -> Result<(), String> {
    (d.options.time_report, d.options.passes.time_report) = (form, form.is_some());
    Ok(())
}

fn granularity(d: &mut Draft, given: &Given) -> Result<(), String> {
    let us: u32 =
        given.text.parse().map_err(|_| format!("'{}': a number of microseconds is wanted", given.word))?;
    d.options.trace_from = Some(u64::from(us) * 1000);
    Ok(())
}

pub(super) fn target(given: &Given) -> Result<&'static Target, String> {
    let cpu = given.text.split('-').next().unwrap_or(given.text);
    isa::find(given.text).or_else(|| isa::find(cpu)).ok_or_else(|| {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        let near =
            help::near(given.text, TARGETS.iter().flat_map(|t| t.triples.iter().copied().chain([t.name])));
        format!("no target '{}'{near}; there are {}", given.text, names.join(", "))
    })
}

fn warning(d: &mut Draft, given: &Given) -> Result<(), String> {
    let name = if given.text.is_empty() { "extra" } else { given.text };
    if d.options.warnings.apply(name) || group(d, given) {
        return Ok(());
    }
    let near = help::near(name, warning_words());
    Err(format!("no group of warnings '{}'{near}; 'sysyc --print=warnings' lists them", given.word))
}

fn language(d: &mut Draft, given: &Given) -> Result<(), String> {
    d.language = choose(given, given.text, &LANGUAGES)?;
    if matches!(given.text, "c" | "cpp-output") {
        d.remark(format!("'{}' is taken as '-x sysy': the language is SysY, not C", given.word));
    }
    Ok(())
}

fn standard(d: &mut Draft, given: &Given) -> Result<(), String> {
    let of_c = ["c", "gnu", "iso9899:"].iter().any(|c| given.text.starts_with(c));
    if of_c && !STANDARDS.iter().any(|row| row.0 == given.text) {
        d.remark(format!("'{}' is taken as '-std=sysy': the language is SysY, not C", given.word));
        return Ok(());
    }
    d.options.standard = choose(given, given.text, &STANDARDS)?;
    Ok(())
}

fn colour(d: &mut Draft, given: &Given) -> Result<(), String> {
    d.options.colour = choose(given, given.text, &COLOURS)?;
    Ok(())
}

pub(super) fn debug(d: &mut Draft, _: &Given) -> Result<(), String> {
    (d.options.debug, d.options.only_lines) = (true, false);
    Ok(())
}

fn emit(d: &mut Draft, given: &Given) -> Result<(), String> {
    let mut stages = Vec::new();
    for word in given.text.split(',') {
        let (name, file) = word.split_once('=').map_or((word, None), |(name, file)| (name, Some(file)));
        let stage = choose(given, name, &EMITS)?;
        if let Some(file) = file {
            if file.is_empty() {
                return Err(format!("'{}': the name of a file is wanted behind '{name}='", given.word));
            }
            d.options.emit_files.push((stage, file.into()));
        }
        stages.push(stage);
    }
    d.goal(Goal::Emit(stages), given)
}

fn sanitize(d: &mut Draft, given: &Given) -> Result<(), String> {
    let adds = given.row.name == "-fsanitize";
    for name in given.text.split(',') {
        if adds && matches!(name, "address" | "thread" | "leak" | "hwaddress") {
            return Err(format!(
                "'{}': '{name}' needs a library that programs have not got; 'sysyc run --check' finds uses of memory that it would",
                given.word
            ));
        }
        let rows = if adds { &CHECKS[..CHECKS.len() - 1] } else { &CHECKS[..] };
        let checks = choose(given, name, rows)?;
        let known = d.options.checks;
        d.options.checks = if adds { known.with(checks) } else { known.without(checks) };
    }
    Ok(())
}

fn listen(d: &mut Draft, given: &Given) -> Result<(), String> {
    d.options.passes.remarks = true;
    let listening = &mut d.options.listening;
    let patterns = match given.row.name {
        "-Rpass" => &mut listening.done,
        "-Rpass-missed" => &mut listening.missed,
        _ => &mut listening.analysis,
    };
    if patterns.add(given.text) {
        return Ok(());
    }
    let near = help::near(given.text, teller_names());
    let passes: Vec<&str> = opt::TELLERS.iter().map(|teller| teller.pass).collect();
    Err(format!("'{}': no such pass says anything{near}; there are {}", given.word, passes.join(", ")))
}

fn only(d: &mut Draft, given: &Given) -> Result<(), String> {
    d.options.passes.only.extend(given.named()?.split(',').map(str::to_string));
    Ok(())
}

/// A switch of passes (`-fNAME`, `-fno-NAME`). The last word counts.
fn switch(d: &mut Draft, given: &Given) -> Result<(), String> {
    let Some(switch) = opt::SWITCHES.iter().find(|switch| switch.name == given.text) else {
        return Err(unknown(given.word));
    };
    let disabled = &mut d.options.passes.disable;
    disabled.retain(|pass| !switch.passes.contains(&pass.as_str()));
    if given.row.name == SWITCHED_ON {
        d.switched_on.push((switch, given.word.to_string()));
    } else {
        disabled.extend(switch.passes.iter().map(|pass| pass.to_string()));
    }
    Ok(())
}
