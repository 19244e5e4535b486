//! SysY as a library: a source to bytes and diagnostics as data, in memory.
//!
//! The road is the command's (`compile`, `road`); nothing is read, written or printed, and no option of the environment
//! counts. A bug of ours is an error of kind `Internal`.

use super::artefacts::{self, Artefacts, Compiled};
use super::debug::Told;
use super::failure::Failure;
use super::link::{self, Linking};
use super::start::{self, Begun, Texts};
use super::through::{self, Asked, PACKS_FROM};
use crate::backend::code::{self, Options};
use crate::backend::{CancelToken, Error, ErrorKind, Level, Pool, Target};
use crate::base::parallel::Workers;
use crate::base::parts::concat;
use crate::ir::{Flags, RelocationModel, position};
use crate::lower::Checks;
use crate::object::assemble::flat;
use crate::object::elf;
use crate::opt;
use crate::opt::run::manager::Unit;
use crate::sema::WarningSet;
use crate::sema::runtime::SYSY;
use crate::source::file::ColumnCursor;
use crate::source::{Diagnostic, Diagnostics, Severity, SourceFile, Span};
use crate::syntax::Standard;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is wanted of a source.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// Only what there is to say.
    Check,
    /// Text for an assembler.
    Assembly,
    /// An ELF object, to be linked with `libsysy.a`, other objects or by `backend::Linker`.
    Object,
    /// A static program with our runtime library.
    Program,
}

/// How to compile a source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// What is wanted.
    pub wanted: Wanted,
    /// The machine.
    pub target: Target,
    /// How much to optimise.
    pub level: Level,
    /// Threads, if there is no pool; 1 starts none. The bytes are the same.
    pub threads: usize,
    /// The threads to do it on.
    pub pool: Option<Pool>,
    /// What may cancel it.
    pub cancel: Option<CancelToken>,
    /// What messages call the source.
    pub name: String,
    /// Only what the language definition has (`-std=sysy2022`).
    pub strict: bool,
    /// Describe lines and variables for debuggers.
    pub debug: bool,
}

impl Settings {
    /// A program for a machine, not optimised.
    pub fn new(wanted: Wanted, target: Target) -> Settings {
        let name = "<source>".to_string();
        let (level, threads, pool, cancel) = (Level::O0, 1, None, None);
        Settings { wanted, target, level, threads, pool, cancel, name, strict: false, debug: false }
    }
}

/// A place in the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    /// The line of the first, from 1.
    pub line: u32,
    /// The column of the first in characters, from 1.
    pub column: u32,
}

/// Something that there is to say of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// Its short name, which `sysyc explain` knows.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub text: String,
    /// Where, unless it is about the source as a whole.
    pub place: Option<Place>,
    /// What stands under the place; may be empty.
    pub label: String,
    /// Other places that belong to it, with what stands under them.
    pub others: Vec<(Place, String)>,
    /// Further sentences.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Vec<String>,
    /// The same as changes of the text: what is replaced, and by what.
    pub edits: Vec<(Place, String)>,
}

/// What came of a source.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Compilation {
    /// What was wanted; none if there are errors among the messages, or nothing but these was wanted.
    pub output: Option<Vec<u8>>,
    /// What there is to say, in the order of the text.
    pub messages: Vec<Message>,
}

/// Compiles a source. Errors in it are messages; an `Error` is what is no fault of the source's: a machine that cannot
/// do something, names that are missing in a program, a bug.
///
/// ```
/// use sysyc::backend::Target;
/// use sysyc::{Settings, Wanted, compile};
///
/// let settings = Settings::new(Wanted::Program, Target::new("riscv64")?);
/// let done = compile("int main() { putint(6 * 7); return 0; }", &settings)?;
/// assert_eq!(&done.output.unwrap()[..4], b"\x7fELF");
///
/// let done = compile("int main() {\n  return x;\n}", &settings)?;
/// assert!(done.output.is_none());
/// assert_eq!((done.messages[0].code, done.messages[0].place.unwrap().line), ("undeclared", 2));
/// # Ok::<(), sysyc::backend::Error>(())
/// ```
pub fn compile(source: &str, settings: &Settings) -> Result<Compilation, Error> {
    let done = catch_unwind(AssertUnwindSafe(|| run(source, settings)));
    done.unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, PANICKED)))
}

const PANICKED: &str = "the compiler has panicked";

/// What is asked of the front end.
fn wanted<'a>(settings: &Settings, passes: &opt::Options, warnings: &'a WarningSet) -> start::Wanted<'a> {
    let Settings { wanted, debug, strict, level, .. } = *settings;
    start::Wanted {
        library: &SYSY,
        alone: matches!(wanted, Wanted::Program | Wanted::Check),
        several: false,
        standard: if strict { Standard::Strict } else { Standard::default() },
        warnings,
        ir: wanted != Wanted::Check,
        tokens: false,
        only_tokens: false,
        tree: false,
        debug,
        variables: debug,
        in_memory: debug || level == Level::O0,
        places: debug,
        names: false,
        verify: passes.verify,
        checks: Checks::NONE,
        math: Flags::NONE,
        profiling: start::Profiling::None,
    }
}

/// What to make of IR.
fn code(settings: &Settings, passes: &opt::Options) -> Options {
    let Settings { wanted, target, level, debug, .. } = *settings;
    let text = wanted == Wanted::Assembly;
    Options {
        watch: code::watch(passes, false),
        text,
        // What debuggers are told names bytes.
        code: matches!(wanted, Wanted::Object | Wanted::Program) || text && debug,
        debug,
        ..Options::of(target.row, target.features, level)
    }
}

fn run(source: &str, settings: &Settings) -> Result<Compilation, Error> {
    let Settings { wanted: goal, target, level, ref name, debug, .. } = *settings;
    let own = || Workers::new(settings.threads);
    let (workers, warnings) = (settings.pool.as_ref().map_or_else(own, Pool::workers), WarningSet::default());
    let stop = settings.cancel.as_ref().map(CancelToken::stop).unwrap_or_default();
    let facts = (target.row.facts)(target.features);
    let passes = opt::Options { target: facts, size: level.size(), stop, ..opt::Options::default() };
    let code = code(settings, &passes);
    let asked = Asked {
        wanted: wanted(settings, &passes, &warnings),
        code,
        place: position::Asked {
            position: Some(target.position).filter(|asked| asked.model != RelocationModel::Static),
            ..position::Asked::default()
        },
        passes: &passes,
        plan: through::plan(level as u8, false),
        window: None,
        packs_from: PACKS_FROM,
        keeps_bodies: false,
        linked_alone: goal == Wanted::Program,
        workers: &workers,
    };
    let mut diags = Diagnostics::default();
    let file = SourceFile::from_bytes(name, source.as_bytes().to_vec(), &mut diags);
    let (begun, done) = through::source(&file, &asked, &mut Texts::default());
    if passes.stop.is_set() {
        return Err(Error::cancelled());
    }
    let Begun { start, env, mut units, diags: told, .. } = begun;
    diags.append(told);
    let more = |unit: &mut Unit<Artefacts>| unit.code.more.take();
    let mut kept: Vec<_> = units.iter_mut().map(more).collect();
    kept.iter_mut().flatten().for_each(|more| diags.append(std::mem::take(&mut more.diags)));
    if let Some(start) = &start {
        start.finish(&mut diags);
    }
    diags.choose_warnings(|code| warnings.severity(code));
    let messages = diags.sorted().into_iter().map(|diagnostic| message(diagnostic, &file)).collect();
    if diags.has_errors() {
        return Ok(Compilation { output: None, messages });
    }
    let (_, symbols) = done.map_err(error)?;
    if let Some(failure) = kept.iter_mut().flatten().find_map(|more| more.failure.take()) {
        return Err(error(failure));
    }
    if goal == Wanted::Check {
        return Ok(Compilation { output: None, messages });
    }
    units.iter_mut().zip(kept).for_each(|(unit, more)| unit.code.more = more);
    // Where this program runs is nothing that debuggers are told of.
    let source = || Told { file: name.clone(), folder: ".".to_string(), only_lines: false };
    let facts = debug.then(|| artefacts::facts(start.as_ref(), &mut units, source()));
    let compiled = Compiled { env, symbols, options: code, units };
    let told = facts.as_ref().map(|facts| (&file, facts));
    let (program, _) = artefacts::join(compiled, told, &workers).map_err(error)?;
    let bytes = match (goal, program.object) {
        (Wanted::Object, Some(object)) => {
            let file = elf::number(object, &workers);
            let parts = elf::parts(&file).map_err(|message| Error::new(ErrorKind::Unsupported, message))?;
            concat(&parts)
        }
        (Wanted::Program, Some(object)) => {
            let (row, features) = (target.row, target.features);
            let how = Linking {
                target: row,
                features,
                pie: target.position.model != RelocationModel::Static,
                strip: false,
                verify: false,
                workers: &workers,
            };
            link::program(how, name.clone(), flat(object, &workers)).map_err(error)?
        }
        _ => program.text.into_bytes(),
    };
    Ok(Compilation { output: Some(bytes), messages })
}

fn error(failure: Failure) -> Error {
    match failure {
        Failure::System(message) => Error::new(ErrorKind::Unsupported, message),
        // Without a hook, a panic has not told what it says.
        Failure::Internal(bug) if bug.message.is_empty() => Error::new(ErrorKind::Internal, PANICKED),
        Failure::Internal(bug) => Error::new(ErrorKind::Internal, bug.message),
        Failure::Program | Failure::Trap => Error::new(ErrorKind::Internal, "the program has failed"),
    }
}

fn message(diagnostic: &Diagnostic, file: &SourceFile) -> Message {
    let place = |span: Span| {
        let (line, column) = ColumnCursor::default().line_column(file, span.start);
        Place { start: span.start, end: span.end, line, column }
    };
    let Diagnostic { severity, code, message, span, label, secondary, notes, help, edits } =
        diagnostic.clone();
    Message {
        severity,
        code,
        text: message,
        place: span.map(place),
        label,
        others: secondary.into_iter().map(|(span, text)| (place(span), text)).collect(),
        notes,
        help,
        edits: edits.into_iter().map(|edit| (place(edit.span), edit.text)).collect(),
    }
}
