//! Modules from LLVM text.

use super::error::{Error, ErrorKind};
use super::module::{Known, Module};
use super::target::Target;
use crate::base::Column;
use crate::ir::parse::{Platform, parse_for};

impl Module {
    /// Reads LLVM text (opaque pointers) for a machine. `Parse` with line and column where it is not understood;
    /// what is read is verified.
    pub fn parse(text: &str, target: Target) -> Result<Module, Error> {
        let row = target.row;
        let platform = Platform { pointer_bytes: target.pointer_bytes(), name: row.name, names: row.triples };
        let ir = parse_for(text, &platform).map_err(|error| Error {
            position: Some((error.line, error.column)),
            ..Error::new(ErrorKind::Parse, error.message)
        })?;
        let mut known = Column::filled(ir.env.names.len(), Known::Nothing);
        ir.env.globals.iter().for_each(|(id, row)| known[row.name] = Known::Global(id));
        let named = ir.env.funcs.iter().filter(|(_, row)| !row.indirect);
        named.for_each(|(id, row)| known[row.name] = Known::Func(id));
        Ok(Module::of(ir, target, known))
    }
}
