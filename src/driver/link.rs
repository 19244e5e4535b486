//! Programs by the built-in linker: our object, the objects and archives of the command line, and what these
//! need of the runtime library, or of the C library of the system.
//!
//! Names that nothing on the command line defines are looked for in the runtime library first. If some are
//! not there either, the objects or archives want a C library (the contest's `libsysy.a` does), and then the
//! program starts where C programs do and its SysY library has to be one over C's: ours does its own input
//! and output, and two sets of buffers would not do.

use super::options::{self, Goal};
use super::session::{Failure, Session};
use super::{libraries, runtime};
use crate::lower::USER;
use crate::object::link::{Content, Input, LinkError, Options, link, undefined};
use crate::object::module::{Binding, Object, Place};
use std::path::{Path, PathBuf};

/// Where programs without a C library start.
const ENTRY: &str = "_start";

/// True if a program is made of what is compiled and of the runtime library, and of nothing else.
pub fn is_alone(options: &options::Options) -> bool {
    let linked = options.goal == Goal::Link && options.use_ld.is_none();
    linked && options.inputs.len() == 1 && options.link_inputs.is_empty() && options.libraries.is_empty()
}

/// The bytes of a program, from our objects (names and tables) and the files of the command line.
pub fn program(session: &Session, mut objects: Vec<(String, Object<'static>)>) -> Result<Vec<u8>, Failure> {
    let options = &session.options;
    if is_alone(options)
        && let Some((name, object)) = objects.pop()
    {
        let names = object.symbols.iter().filter(|(_, row)| row.place == Place::Undefined);
        let names = names.map(|(symbol, _)| object.name(symbol).to_string()).chain([ENTRY.to_string()]);
        let library = library(session, &names.collect::<Vec<_>>())?;
        return run(session, vec![tables(name, object), library]);
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
    let linker = Options::new(options.target.elf);
    let mut wanted = undefined(&inputs, &linker).map_err(failure)?;
    let is_ours = |name: &String| name == ENTRY || runtime::defines(options.target, name);
    let (first, last);
    if !wanted.iter().all(is_ours) {
        let c = libraries::c_library(options.target, &folders).map_err(|error| {
            let names: Vec<&str> = wanted.iter().filter(|name| !is_ours(name)).map(String::as_str).collect();
            Failure::System(format!("nothing defines {}\n{error}", names.join(", ")))
        })?;
        (first, last) = (read(&c.first)?, read(&c.last)?);
        inputs.splice(0..0, first.iter().map(bytes));
        inputs.extend(last.iter().map(bytes));
        wanted = undefined(&inputs, &linker).map_err(failure)?;
        if let Some(name) = wanted.iter().find(|name| is_ours(name)) {
            return Err(Failure::System(format!(
                "'{name}' has to come from a SysY library over the C library that this program needs\n  \
                 name one (-lsysy), or link with -fuse-ld=gcc, which compiles one"
            )));
        }
    } else if !wanted.is_empty() {
        inputs.push(library(session, &wanted)?);
    }
    run(session, inputs)
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
        for (symbol, _) in object.symbols.iter().filter(|(_, row)| row.place == Place::Undefined) {
            let text = object.name(symbol);
            if defined.binary_search(&text).is_err() && !runtime::defines(session.options.target, text) {
                let text = text.strip_suffix(USER).unwrap_or(text);
                lines.push(format!("{name}: '{text}' is declared and used, and no source defines it"));
            }
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(Failure::System(lines.join("\n"))) }
}

/// What of the runtime library these names need.
fn library(session: &Session, names: &[String]) -> Result<Input<'static>, Failure> {
    let target = session.options.target;
    session.phase("runtime", || {
        let names = names.iter().map(String::as_str);
        let object = runtime::object(target, session.options.features, names)?;
        Ok(tables("the runtime library".to_string(), object))
    })
}

fn run(session: &Session, inputs: Vec<Input>) -> Result<Vec<u8>, Failure> {
    let (workers, strip) = (Some(&session.workers), session.options.strip);
    let options = Options { workers, strip, ..Options::new(session.options.target.elf) };
    session.phase("link", || link(inputs, &options)).map_err(failure)
}

fn tables(name: String, object: Object<'static>) -> Input<'static> {
    Input { name, content: Content::Object(Box::new(object)) }
}

/// A file and what is in it.
type File = (PathBuf, Vec<u8>);

fn bytes((path, bytes): &File) -> Input<'_> {
    Input { name: path.display().to_string(), content: Content::Bytes(bytes) }
}

fn read(paths: &[PathBuf]) -> Result<Vec<File>, Failure> {
    let read = |path: &PathBuf| match std::fs::read(path) {
        Ok(bytes) => Ok((path.clone(), bytes)),
        Err(error) => Err(Failure::System(format!("cannot read '{}': {error}", path.display()))),
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

/// All that is wrong, a line each.
fn failure(errors: Vec<LinkError>) -> Failure {
    let lines: Vec<String> = errors.iter().map(LinkError::to_string).collect();
    Failure::System(lines.join("\n"))
}
