//! From a command line to an exit code.
//!
//! | file | holds |
//! | --- | --- |
//! | `options` | the command line |
//! | `session` | one run: workers, times, diagnostics, the boundary where a bug becomes a report |
//! | `pipeline` | all stages of one input, on one screen |
//! | `front` | from SysY to IR, function by function |
//! | `backend` | from a function's IR to its assembly |
//! | `sweep` | whole programs, function by function |
//! | `runtime` | the runtime library, from the names that a program needs to machine code |
//! | `debug` | what debuggers are told |
//! | `toolchain` | assembling and linking with the cross tools |
//! | `libraries` | where the C library of a target is |
//! | `memory` | small pages; the peak |
//! | `report` | times, as a table and as a trace |
//! | `link` | programs by the built-in linker |
//! | `output` | files that appear complete or not at all |
//!
//! Exit codes: 1 for errors in the program (or files that cannot be read or written), 2 for wrong use of the command line,
//! 70 for a bug of ours; `--run` gives the program's own.

pub mod backend;
pub mod debug;
pub mod front;
pub mod libraries;
pub mod link;
pub mod memory;
pub mod options;
pub mod output;
pub mod pipeline;
pub mod report;
pub mod runtime;
pub mod session;
pub mod sweep;
pub mod toolchain;

use crate::base::parts::Part;
use crate::base::trace;
use crate::object::assemble::flat;
use crate::object::elf;
use options::{Goal, Options};
use pipeline::Product;
use session::{Failure, Session};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The exit code of wrong use.
const USAGE: u8 = 2;

/// Does what the command line (program name included) says and returns the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    memory::use_small_pages();
    let options = match options::parse(args) {
        Ok(options) => options,
        Err(error) if error.use_stderr() => {
            output::to_stderr(&error.to_string());
            return USAGE;
        }
        Err(help) => {
            let written = output::to_stdout(help.to_string().as_bytes());
            return u8::from(written.is_err());
        }
    };
    let session = Session::new(options);
    let mut exit = 0;
    if session.options.inputs.is_empty() {
        exit = finish(&session, session.guard(&session.options.link_inputs[0], || link_only(&session)));
    }
    for input in &session.options.inputs {
        let done = session.guard(input, || {
            let product = pipeline::compile(&session, input)?;
            deliver(&session, input, product)
        });
        exit = exit.max(finish(&session, done));
    }
    let reported = session.report_times().map(|()| 0);
    exit.max(finish(&session, reported))
}

fn finish(session: &Session, done: Result<u8, Failure>) -> u8 {
    done.unwrap_or_else(|failure| session.fail(failure))
}

/// Links objects and archives, without anything of ours but the runtime.
fn link_only(session: &Session) -> Result<u8, Failure> {
    let path = session.options.output.clone().unwrap_or_else(|| PathBuf::from("a.out"));
    let bytes = if session.options.use_ld.is_some() {
        toolchain::link(session, None)
    } else {
        link::program(session, None)
    };
    put(session, &path, &bytes?, true)
}

/// Puts what was made where it belongs; returns the exit code.
fn deliver(session: &Session, input: &Path, product: Product) -> Result<u8, Failure> {
    let options = &session.options;
    let stdout = PathBuf::from("-");
    let flat = |object| session.phase("join", || flat(object, &session.workers));
    let (path, bytes, executable) = match product {
        Product::Nothing => return Ok(0),
        Product::Exit(code) => return Ok(code),
        Product::Dump(text) => (options.output.clone().unwrap_or(stdout), text.into_bytes(), false),
        Product::Assembly(text) => (default_output(options, input, "s"), text.into_bytes(), false),
        Product::Object(object) if options.goal == Goal::Link => {
            let bytes = if options.use_ld.is_some() {
                toolchain::link(session, Some(&elf::write(flat(object)).map_err(Failure::System)?))?
            } else {
                link::program(session, Some((input.display().to_string(), flat(object))))?
            };
            (default_output(options, input, ""), bytes, true)
        }
        Product::Object(object) => {
            let file = session.phase("write", || elf::number(object, &session.workers));
            let parts = session.phase("write", || elf::parts(&file)).map_err(Failure::System)?;
            trace::table("output file", || parts.iter().map(Part::size).sum());
            return put_parts(session, &default_output(options, input, "o"), &parts, false);
        }
    };
    put(session, &path, &bytes, executable)
}

/// Writes a file; returns the exit code.
fn put(session: &Session, path: &Path, bytes: &[u8], executable: bool) -> Result<u8, Failure> {
    put_parts(session, path, &[Part::Bytes(bytes)], executable)
}

/// Writes a file that comes in parts.
fn put_parts(session: &Session, path: &Path, parts: &[Part], executable: bool) -> Result<u8, Failure> {
    let inputs = session.options.inputs.iter().chain(&session.options.link_inputs);
    let write = || output::write_parts(path, parts, executable, &session.workers);
    output::check_apart(path, inputs)
        .and_then(|()| session.phase("output", write))
        .map_err(|error| Failure::System(format!("cannot write '{}': {error}", path.display())))?;
    Ok(0)
}

/// Where output goes: as `-o` says, or like gcc into the current folder.
fn default_output(options: &Options, input: &Path, extension: &str) -> PathBuf {
    if let Some(path) = &options.output {
        return path.clone();
    }
    match input.file_stem() {
        Some(_) if extension.is_empty() => PathBuf::from("a.out"),
        Some(stem) => PathBuf::from(stem).with_extension(extension),
        None => PathBuf::from("a.out"),
    }
}
