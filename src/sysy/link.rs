//! Programs of an object and what it needs of the runtime library, by the built-in linker.

use super::failure::Failure;
use super::runtime;
use crate::base::crash::phase;
use crate::base::parallel::Workers;
use crate::isa::Target;
use crate::mir::Features;
use crate::object::link::{Content, Input, LinkError, Options, link};
use crate::object::module::{Object, Place};

/// Where programs without a C library start.
pub const ENTRY: &str = "_start";

/// How to link.
#[derive(Copy, Clone, Debug)]
pub struct Linking<'a> {
    /// The machine.
    pub target: &'static Target,
    /// What it has.
    pub features: Features,
    /// It is loaded anywhere.
    pub pie: bool,
    /// Leave out symbols and whatever is not loaded.
    pub strip: bool,
    /// Prove the passes and allocations of the runtime library.
    pub verify: bool,
    /// Who does it.
    pub workers: &'a Workers,
}

/// The bytes of a program that is made of one object and the runtime library.
pub fn program(how: Linking, name: String, object: Object<'static>) -> Result<Vec<u8>, Failure> {
    let names = object.symbols.iter().filter(|(_, row)| row.place == Place::Undefined);
    let names = names.map(|(symbol, _)| object.name(symbol).to_string()).chain([ENTRY.to_string()]);
    let library = library(how, &names.collect::<Vec<_>>())?;
    run(how, vec![tables(name, object), library])
}

/// What of the runtime library these names need.
pub fn library(how: Linking, names: &[String]) -> Result<Input<'static>, Failure> {
    phase("runtime", || {
        let object = runtime::object(
            how.target,
            how.features,
            names.iter().map(String::as_str),
            (how.verify, how.pie),
        )?;
        Ok(tables("the runtime library".to_string(), object))
    })
}

/// Links all there is.
pub fn run(how: Linking, inputs: Vec<Input>) -> Result<Vec<u8>, Failure> {
    let (workers, strip, pie) = (Some(how.workers), how.strip, how.pie);
    let options = Options { workers, strip, pie, ..Options::new(how.target.elf) };
    phase("link", || link(inputs, &options)).map_err(failure)
}

/// An object that was just made.
pub fn tables(name: String, object: Object<'static>) -> Input<'static> {
    Input { name, content: Content::Object(Box::new(object)) }
}

/// All that is wrong, a line each.
pub fn failure(errors: Vec<LinkError>) -> Failure {
    let lines: Vec<String> = errors.iter().map(LinkError::to_string).collect();
    Failure::System(lines.join("\n"))
}
