//! Where results go: objects written or linked, programs, text.

use super::options::{Goal, Options};
use super::session::{Failure, Session};
use super::{inform, link, output, toolchain};
use crate::base::parts::Part;
use crate::base::trace;
use crate::object::assemble::{Assembled, flat};
use crate::object::elf;
use crate::source::Severity;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Writes an object, or links it.
pub fn put_object(s: &Session, input: &Path, object: Assembled) -> Result<u8, Failure> {
    let options = &s.options;
    if options.goal == Goal::Link {
        keep_object(s, input.display().to_string(), object);
        // Of several sources, the program is linked behind the last.
        return if options.inputs.len() > 1 { Ok(0) } else { link(s, &default_output(options, input, "")) };
    }
    let file = s.phase("write", || elf::number(object, &s.workers));
    let parts = s.phase("write", || elf::parts(&file)).map_err(Failure::System)?;
    trace::table("output file", || parts.iter().map(Part::size).sum());
    put(s, &default_output(options, input, "o"), &parts, false)
}

/// Keeps an object of this name to be linked.
pub fn keep_object(s: &Session, name: String, object: Assembled) {
    let object = s.phase("join", || flat(object, &s.workers));
    s.objects.borrow_mut().push((name, object));
}

/// Links a program, from our objects and the files of the command line.
pub fn link(s: &Session, path: &Path) -> Result<u8, Failure> {
    let objects = s.objects.take();
    let bytes = if s.options.use_ld.is_some() {
        let files: Result<Vec<_>, _> = objects.into_iter().map(|(_, object)| elf::write(object)).collect();
        toolchain::link(s, &files.map_err(Failure::System)?)?
    } else {
        link::program(s, objects)?
    };
    let code = put(s, path, &[Part::Own(bytes)], true)?;
    // To people, not to build systems, whose logs this would fill.
    if (s.options.verbose || std::io::stderr().is_terminal())
        && let target = s.options.target
        && let Some(Some(_)) = inform::emulator(target)
    {
        let path = path.display();
        s.tell(Severity::Note, &format!("'{path}' is for {}; here: {} {path}", target.name, target.qemu));
    }
    Ok(code)
}

/// Writes a file that comes in parts.
pub fn put(s: &Session, path: &Path, parts: &[Part], executable: bool) -> Result<u8, Failure> {
    let inputs = s.options.inputs.iter().map(|input| &input.path).chain(&s.options.link_inputs);
    let write = || output::write_parts(path, parts, executable, &s.workers);
    output::check_apart(path, inputs)
        .and_then(|()| s.phase("output", write))
        .map_err(|error| Failure::System(format!("cannot write '{}': {error}", path.display())))?;
    Ok(0)
}

/// What a program is called that has no other name.
pub const PROGRAM: &str = "a.out";

/// Where output goes: as `-o` says, or like gcc into the current folder.
pub fn default_output(options: &Options, input: &Path, extension: &str) -> PathBuf {
    if let Some(path) = &options.output {
        return path.clone();
    }
    match input.file_stem() {
        Some(_) if !extension.is_empty() => beside(Path::new(""), input, extension),
        _ => PathBuf::from(PROGRAM),
    }
}

/// Where a program goes.
pub fn program(options: &Options) -> PathBuf {
    options.output.clone().unwrap_or_else(|| PathBuf::from(PROGRAM))
}

/// A file in a folder that is named like a source: `x.y.o` for `x.y.sy`.
pub fn beside(folder: &Path, source: &Path, extension: &str) -> PathBuf {
    let mut name = source.file_stem().unwrap_or("a".as_ref()).to_os_string();
    name.push(".");
    name.push(extension);
    folder.join(name)
}
