//! What comes out: objects, as the bytes of ELF files or parts of programs that are linked in memory.

use super::compile::Options;
use super::error::{Error, ErrorKind};
use super::module::Module;
use super::pool::Pool;
use super::target::Target;
use crate::base::parallel::Workers;
use crate::base::parts::concat;
use crate::ir::RelocationModel;
use crate::object::assemble::{Assembled, flat};
use crate::object::elf;
use crate::object::link::{self, Content, Input};
use crate::object::module::{Binding, Place};

/// A relocatable object.
#[derive(Debug)]
pub struct Object {
    assembled: Assembled,
    workers: Workers,
}

/// A symbol of an object.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol<'a> {
    /// Its name.
    pub name: &'a str,
    /// It is defined here; others want it from elsewhere.
    pub is_defined: bool,
    /// Other objects see it.
    pub is_global: bool,
}

impl Module {
    /// Compiles the module to an object. What is local and not used is left out. `Misuse` if a function has no
    /// body, `Unsupported` if the machine cannot do what a function asks for.
    pub fn compile(self, options: &Options) -> Result<Object, Error> {
        let workers = options.workers();
        let program = self.program(options, &workers, false)?;
        let none = || Error::new(ErrorKind::Internal, "there is no object");
        Ok(Object { assembled: program.object.ok_or_else(none)?, workers })
    }
}

impl Object {
    /// The symbols, in their order in the object.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol<'_>> {
        let object = &self.assembled.object;
        object.symbols.iter().map(|(symbol, row)| Symbol {
            name: object.name(symbol),
            is_defined: row.place != Place::Undefined,
            is_global: row.binding != Binding::Local,
        })
    }

    /// The bytes of an ELF file. `Unsupported` if there is more of something than one can hold.
    pub fn to_elf(self) -> Result<Vec<u8>, Error> {
        let file = elf::number(self.assembled, &self.workers);
        let parts = elf::parts(&file);
        parts.map(|parts| concat(&parts)).map_err(|message| Error::new(ErrorKind::Unsupported, message))
    }
}

/// Links programs in memory.
#[derive(Debug)]
pub struct Linker<'a> {
    target: Target,
    inputs: Vec<Input<'a>>,
    entry: &'a str,
    strip: bool,
    workers: Option<Workers>,
}

impl<'a> Linker<'a> {
    /// A program of nothing so far, which starts at `_start`.
    pub fn new(target: Target) -> Linker<'a> {
        Linker { target, inputs: Vec::new(), entry: "_start", strip: false, workers: None }
    }

    /// Adds an object that was just made; `name` is for messages.
    #[must_use]
    pub fn object(mut self, name: &str, object: Object) -> Linker<'a> {
        let content = Content::Object(Box::new(flat(object.assembled, &object.workers)));
        self.inputs.push(Input { name: name.to_string(), content });
        self
    }

    /// Adds the bytes of an object file, or of an archive, of which what is needed is taken.
    #[must_use]
    pub fn file(mut self, name: &str, bytes: &'a [u8]) -> Linker<'a> {
        self.inputs.push(Input { name: name.to_string(), content: Content::Bytes(bytes) });
        self
    }

    /// Starts the program at another symbol.
    #[must_use]
    pub fn entry(mut self, symbol: &'a str) -> Linker<'a> {
        self.entry = symbol;
        self
    }

    /// Leaves out symbols and whatever is not loaded.
    #[must_use]
    pub fn strip(mut self) -> Linker<'a> {
        self.strip = true;
        self
    }

    /// Applies relocations on the threads of a pool. The program is the same.
    #[must_use]
    pub fn pool(mut self, pool: &Pool) -> Linker<'a> {
        self.workers = Some(pool.workers.clone());
        self
    }

    /// The bytes of a static program. `Link` with all that is missing or there twice, a line each.
    pub fn link(self) -> Result<Vec<u8>, Error> {
        let (machine, entry, strip) = (self.target.row.elf, self.entry, self.strip);
        let workers = self.workers.as_ref();
        let pie = self.target.position.model != RelocationModel::Static;
        let options = link::Options { entry, strip, pie, workers, ..link::Options::new(machine) };
        link::link(self.inputs, &options).map_err(|errors| {
            let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
            Error::new(ErrorKind::Link, lines.join("\n"))
        })
    }
}
