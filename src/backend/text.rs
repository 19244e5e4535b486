//! Modules from LLVM text.

use super::error::{Error, ErrorKind};
use super::module::{Known, Module};
use super::pool::Pool;
use super::target::Target;
use crate::base::Column;
use crate::base::parallel::Workers;
use crate::ir::parse::{ParseError, parse_with};

impl Module {
    /// Reads LLVM text (opaque pointers) for a machine. `Parse` with line and column where it is not understood, the first
    /// of all errors; what is read is verified.
    pub fn parse(text: &str, target: Target) -> Result<Module, Error> {
        let module = Module::read(text, target, &Workers::new(1));
        module.map_err(|errors| {
            let first = errors.into_iter().next();
            first.unwrap_or_else(|| Error::new(ErrorKind::Parse, "this is no module"))
        })
    }

    /// The same on the threads of a pool, with all errors: what is wrong outside of bodies, or the first error of each
    /// body, in the order of the text.
    pub fn parse_on(text: &str, target: Target, pool: &Pool) -> Result<Module, Vec<Error>> {
        Module::read(text, target, &pool.workers)
    }

    fn read(text: &str, target: Target, workers: &Workers) -> Result<Module, Vec<Error>> {
        let platform = target.row.platform();
        let error = |ParseError { line, column, message, .. }| Error {
            position: Some((line, column)),
            ..Error::new(ErrorKind::Parse, message)
        };
        let errors = |errors: Vec<ParseError>| errors.into_iter().map(error).collect::<Vec<Error>>();
        let ir = parse_with(text, &platform, false, workers).map_err(errors)?;
        let mut known = Column::filled(ir.env.names.len(), Known::Nothing);
        ir.env.globals.iter().for_each(|(id, row)| known[row.name] = Known::Global(id));
        let named = ir.env.funcs.iter().filter(|(_, row)| !row.indirect);
        named.for_each(|(id, row)| {
            known[row.name] = if row.builtin.is_some() { Known::Builtin(id) } else { Known::Func(id) };
        });
        Ok(Module::of(ir, target, known))
    }
}
