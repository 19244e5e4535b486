//! Programs by the built-in linker: our object, the objects and archives of the command line, and what these
//! need of the runtime library, or of the C library of the system.
//!
//! Names that nothing on the command line defines are looked for in the runtime library first. If some are
//! not there either, the objects or archives want a C library (the contest's `libsysy.a` does), and then the
//! program starts where C programs do and its SysY library has to be one over C's: ours does its own input
//! and output, and two sets of buffers would not do.

use super::libraries;
use super::options::{self, Goal, Language, Linked};
use super::session::{Failure, Session};
use crate::lower::USER;
use crate::object::archive::IR_BEGINS;
use crate::object::link::{Content, Input, Options, Undefined, undefined};
use crate::object::module::{Binding, Object, Place, SymbolRow};
use crate::source::file::why;
use crate::sysy::link::{self, ENTRY, Linking, failure, tables};
use crate::sysy::runtime;
use std::io::Read;
use std::path::{Path, PathBuf};

/// True if a program is made of what is compiled and of the runtime library, and of nothing else.
pub fn is_alone(options: &options::Options) -> bool {
    let linked = options.goal == Goal::Link && options.use_ld.is_none();
    linked && options.inputs.len() == 1 && options.link_inputs.is_empty() && options.libraries.is_empty()
}

/// Makes sources of what is to be linked and is IR in text (`-flto`), whatever it is called.
pub fn with_ir(mut options: options::Options) -> options::Options {
    let is_ir = |path: &mut PathBuf| {
        let mut bytes = [0; IR_BEGINS.len()];
        let begins = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
        begins.is_ok() && bytes == *IR_BEGINS.as_bytes()
    };
    let texts = options.link_inputs.extract_if(.., is_ir);
    options.inputs.extend(texts.map(|path| options::Input { path, language: Language::Ir }));
    options
}

/// The bytes of a program, from our objects (names and tables) and the files of the command line.
pub fn program(session: &Session, mut objects: Vec<(String, Object<'static>)>) -> Result<Vec<u8>, Failure> {
    let options = &session.options;
    if is_alone(options)
        && let Some((name, object)) = objects.pop()
    {
        return link::program(how(session), name, object);
    }
    let folders = libraries::folders(options.target, &options.library_paths);
    let mut files = read(&options.link_inputs)?;
    files.extend(read(&named_libraries(session, &folders)?)?);
    let by_itself = options.link_inputs.is_empty() && options.libraries.is_empty();
    if by_itself && options.inputs.len() > 1 {
        missing(session, &objects)?;
    }
    let own = objects.into_iter().map(|(name, object)| tables(name, object));
    let mut inputs: Vec<Input> = own.chain(files.iter().map(bytes)).collect();
    let pie = options.linked != Linked::Fixed;
    let linker = Options { pie, ..Options::new(options.target.elf) };
    let mut wanted = undefined(&inputs, &linker).map_err(failure)?;
    let is_ours = |row: &Undefined| row.name == ENTRY || runtime::defines(options.target, &row.name);
    let (first, last);
    if !wanted.iter().all(is_ours) {
        let foreign: Vec<Undefined> = wanted.iter().filter(|row| !is_ours(row)).cloned().collect();
        let c = libraries::c_library(options.target, &folders, pie)
            .map_err(|error| Failure::System(format!("{}\nif that is C's: {error}", told(&foreign))))?;
        (first, last) = (read(&c.first)?, read(&c.last)?);
        inputs.splice(0..0, first.iter().map(bytes));
        inputs.extend(last.iter().map(bytes));
        wanted = undefined(&inputs, &linker).map_err(failure)?;
        let nowhere: Vec<Undefined> = wanted.iter().filter(|row| !is_ours(row)).cloned().collect();
        if !nowhere.is_empty() {
            let guess = "is an object, an archive (.a) or a library (-l) missing?";
            return Err(Failure::System(format!("{}\n  {guess}", told(&nowhere))));
        }
        if let Some(row) = wanted.first() {
            let of_c = foreign.first().map(|row| format!(" for '{}'{}", row.name, used(row)));
            return Err(Failure::System(format!(
                "'{}' has to come from a SysY library over the C library that this program needs{}\n  \
                 name one (-lsysy), or link with -fuse-ld=gcc, which compiles one",
                row.name,
                of_c.unwrap_or_default()
            )));
        }
    } else if !wanted.is_empty() {
        let names: Vec<String> = wanted.into_iter().map(|row| row.name).collect();
        inputs.push(link::library(how(session), &names)?);
    }
    link::run(how(session), inputs)
}

/// Says of names that nothing defines them, and where they are used, a line each.
fn told(rows: &[Undefined]) -> String {
    let line = |row: &Undefined| format!("nothing defines '{}'{}", plain(&row.name), used(row));
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Where a name is used.
fn used(row: &Undefined) -> String {
    if row.name == "main" {
        return ", where the program starts".to_string();
    }
    let Some((file, function)) = row.users.first() else { return String::new() };
    let more = match row.users.len() - 1 {
        0 => String::new(),
        1 => " and another object".to_string(),
        more => format!(" and {more} other objects"),
    };
    match function {
        Some(function) => format!(", which '{}' uses, in {file}{more}", plain(function)),
        None => format!(", which {file}{more} uses"),
    }
}

/// A name as the source has it.
fn plain(name: &str) -> &str {
    name.strip_suffix(USER).unwrap_or(name)
}

/// Reports what several sources want and none of them defines, by source.
fn missing(session: &Session, objects: &[(String, Object<'static>)]) -> Result<(), Failure> {
    let mut defined: Vec<&str> = Vec::new();
    for (_, object) in objects {
        let rows = object.symbols.iter().filter(|(_, row)| row.place != Place::Undefined);
        let global = rows.filter(|(_, row)| row.binding != Binding::Local);
        defined.extend(global.map(|(symbol, _)| object.name(symbol)));
    }
    defined.sort_unstable();
    let mut lines = Vec::new();
    if defined.binary_search(&"main").is_err() {
        let names: Vec<&str> = objects.iter().map(|(name, _)| name.as_str()).collect();
        lines.push(format!("no function 'main' in {}", names.join(", ")));
    }
    for (name, object) in objects {
        // What is weak need not be anywhere: its address is 0 then.
        let wanted = |row: &SymbolRow| row.place == Place::Undefined && row.binding != Binding::Weak;
        for (symbol, _) in object.symbols.iter().filter(|(_, row)| wanted(row)) {
            let text = object.name(symbol);
            // The linker knows where sections are.
            if text.starts_with("__start_") || text.starts_with("__stop_") {
                continue;
            }
            if defined.binary_search(&text).is_err() && !runtime::defines(session.options.target, text) {
                let text = plain(text);
                lines.push(format!("{name}: '{text}' is declared and used, and no source defines it"));
            }
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(Failure::System(lines.join("\n"))) }
}

/// How our linker is to link.
fn how(session: &Session) -> Linking<'_> {
    let options::Options { target, features, strip, .. } = session.options;
    let pie = session.options.linked != Linked::Fixed;
    Linking { target, features, pie, strip, verify: session.options.passes.verify, workers: &session.workers }
}

/// A file and what is in it.
type File = (PathBuf, Vec<u8>);

fn bytes((path, bytes): &File) -> Input<'_> {
    Input { name: path.display().to_string(), content: Content::Bytes(bytes) }
}

fn read(paths: &[PathBuf]) -> Result<Vec<File>, Failure> {
    let read = |path: &PathBuf| match std::fs::read(path) {
        Ok(bytes) => Ok((path.clone(), bytes)),
        Err(error) => Err(Failure::System(format!("cannot read '{}': {}", path.display(), why(&error)))),
    };
    paths.iter().map(read).collect()
}

/// The archives that `-l` names.
fn named_libraries(session: &Session, folders: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let find = |name: &String| {
        libraries::library(name, folders).ok_or_else(|| {
            let looked: Vec<String> = folders.iter().map(|folder: &PathBuf| shown(folder)).collect();
            Failure::System(format!("there is no lib{name}.a in\n{}", looked.join("\n")))
        })
    };
    session.options.libraries.iter().map(find).collect()
}

fn shown(folder: &Path) -> String {
    format!("  {}", folder.display())
}
