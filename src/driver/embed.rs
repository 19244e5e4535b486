//! SysY as a library: a source to bytes and diagnostics as data, in memory.
//!
//! The road is the command's (`compile`, `road`); nothing is read, written or printed, and no option of the environment
//! counts. A bug of ours is an error of kind `Internal`.

use super::compile::{code, through};
use super::dumps::Dumps;
use super::link;
use super::made::{self, Compiled, Made};
use super::options::{Goal, Input, Options};
use super::session::{Failure, Session};
use super::start::Begun;
use crate::backend::{Error, ErrorKind, Level, Target};
use crate::base::parts::concat;
use crate::object::assemble::flat;
use crate::object::elf;
use crate::opt::manager::Unit;
use crate::source::file::ColumnCursor;
use crate::source::{Diagnostic, Diagnostics, Severity, SourceFile, Span};
use crate::syntax::Standard;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

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
    /// Threads; 1 starts none. The bytes are the same.
    pub threads: usize,
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
        Settings { wanted, target, level: Level::O0, threads: 1, name, strict: false, debug: false }
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
    let session = Session::new(options(settings));
    let run = AssertUnwindSafe(|| run(&session, source, settings));
    let done = catch_unwind(run);
    done.unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "the compiler has panicked")))
}

fn options(settings: &Settings) -> Options {
    let Settings { wanted, target, level, threads, ref name, strict, debug } = *settings;
    let mut options = Options::new(target.row);
    options.inputs.push(Input { path: PathBuf::from(name), is_ir: false });
    options.goal = match wanted {
        Wanted::Check => Goal::Check,
        Wanted::Assembly => Goal::Assembly,
        Wanted::Object => Goal::Object,
        Wanted::Program => Goal::Link,
    };
    (options.features, options.level, options.jobs) = (target.features, level as u8, Some(threads));
    // Where this program runs is nothing that debuggers are told of.
    (options.debug, options.debug_folder) = (debug, Some(".".to_string()));
    options.standard = if strict { Standard::Strict } else { Standard::default() };
    options.passes.target = (target.row.facts)(target.features);
    options
}

fn run(s: &Session, source: &str, settings: &Settings) -> Result<Compilation, Error> {
    let mut diags = Diagnostics::default();
    let file = SourceFile::from_bytes(&settings.name, source.as_bytes().to_vec(), &mut diags);
    let mut dumps = Dumps::default();
    let (begun, done) = through(s, &file, false, &mut dumps);
    let Begun { start, env, mut units, diags: told } = begun;
    diags.append(told);
    let more = |unit: &mut Unit<Made>| unit.code.more.take();
    let mut kept: Vec<_> = units.iter_mut().map(more).collect();
    kept.iter_mut().flatten().for_each(|more| diags.append(std::mem::take(&mut more.diags)));
    if let Some(start) = &start {
        start.finish(&mut diags);
    }
    diags.choose_warnings(|code| s.options.warnings.severity(code));
    let messages = diags.sorted().into_iter().map(|diagnostic| message(diagnostic, &file)).collect();
    if diags.has_errors() {
        return Ok(Compilation { output: None, messages });
    }
    let (_, symbols) = done.map_err(error)?;
    if let Some(failure) = kept.iter_mut().flatten().find_map(|more| more.failure.take()) {
        return Err(error(failure));
    }
    if settings.wanted == Wanted::Check {
        return Ok(Compilation { output: None, messages });
    }
    units.iter_mut().zip(kept).for_each(|(unit, more)| unit.code.more = more);
    let facts = made::facts(s, start.as_ref(), &mut units, &file);
    let compiled = Compiled { env, symbols, options: code(s), units };
    let told = facts.as_ref().map(|facts| (&file, facts));
    let (program, _) = made::join(compiled, told, &s.workers).map_err(error)?;
    let bytes = match (settings.wanted, program.object) {
        (Wanted::Object, Some(object)) => {
            let file = elf::number(object, &s.workers);
            let parts = elf::parts(&file).map_err(|message| Error::new(ErrorKind::Unsupported, message))?;
            concat(&parts)
        }
        (Wanted::Program, Some(object)) => {
            let object = flat(object, &s.workers);
            link::program(s, vec![(settings.name.clone(), object)]).map_err(error)?
        }
        _ => program.text.into_bytes(),
    };
    Ok(Compilation { output: Some(bytes), messages })
}

fn error(failure: Failure) -> Error {
    match failure {
        Failure::System(message) => Error::new(ErrorKind::Unsupported, message),
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
