//! What a module is linked into, and what other programs and libraries may do with its names.
//!
//! ```
//! use sysyc::backend::{Data, Linkage, Module, Options, RelocationModel, Signature, Target, Type, Visibility};
//!
//! // extern int level; __attribute__((visibility("hidden"))) int twice(void) { return 2 * level; }
//! let mut module = Module::new(Target::new("riscv64")?.with_relocation_model(RelocationModel::Pic));
//! let level = module.data("level", Data::zeros(4).align(4), Linkage::Import)?;
//! let twice = module.function("twice", Signature::new().result(Type::I32), Linkage::Export)?;
//! module.set_visibility(twice, Visibility::Hidden)?;
//! let mut f = module.build(twice)?;
//! let at = f.address(level);
//! let (x, two) = (f.load(Type::I32, at), f.int(Type::I32, 2));
//! let product = f.mul(x, two);
//! f.ret(Some(product));
//! let body = f.finish()?;
//! module.define(body)?;
//! let assembly = module.assembly(&Options::default())?;
//! assert!(assembly.contains("%got_pcrel_hi(level)") && assembly.contains(".hidden twice"));
//! # Ok::<(), sysyc::backend::Error>(())
//! ```

use super::error::Error;
use super::module::{Func, Global, Module};
use crate::ir::position::Asked;
use crate::ir::{self, Position, RelocationModel, ThreadModel, Visibility};

impl Module {
    /// Sets the relocation model of the module's code, in place of the target's or, of a module from text, of what the text says.
    /// By default it is static.
    pub fn set_relocation_model(&mut self, model: RelocationModel) {
        let position = Some(Position { model, small: false });
        self.ir.env.place(&Asked { position, ..Asked::default() });
    }

    /// Says what other programs and libraries may do with a function. `Misuse` if only this module sees it.
    pub fn set_visibility(&mut self, func: Func, visibility: Visibility) -> Result<(), Error> {
        let row = self.func(func)?;
        let (is_shared, name) = (row.is_shared(), row.name);
        self.check_shown(is_shared, visibility).map_err(|error| error.of(self.ir.env.names.text(name)))?;
        self.ir.env.funcs[func.id].scope.visibility = visibility;
        Ok(())
    }

    /// The same of a datum.
    pub fn set_data_visibility(&mut self, global: Global, visibility: Visibility) -> Result<(), Error> {
        let row = self.datum(global)?;
        let (is_shared, name) = (row.is_shared(), row.name);
        self.check_shown(is_shared, visibility).map_err(|error| error.of(self.ir.env.names.text(name)))?;
        self.ir.env.globals[global.id].scope.visibility = visibility;
        Ok(())
    }

    /// Says that the address of a thread-local datum may be found so, or in a quicker way, as where a library is loaded with the
    /// program. `Misuse` if it is not thread-local.
    pub fn set_thread_model(&mut self, global: Global, model: ThreadModel) -> Result<(), Error> {
        let row = self.datum(global)?;
        if !row.thread {
            let error = Error::misuse("a model of thread-local data is for such data");
            return Err(error.of(self.ir.env.names.text(row.name)));
        }
        self.ir.env.globals[global.id].model = model;
        Ok(())
    }

    fn check_shown(&self, is_shared: bool, visibility: Visibility) -> Result<(), Error> {
        match !is_shared && visibility != Visibility::Default {
            true => Err(Error::misuse("only this module sees it, whatever its visibility is")),
            false => Ok(()),
        }
    }

    fn datum(&self, global: Global) -> Result<&ir::Global, Error> {
        let row = self.ir.env.globals.get(global.id).filter(|_| global.of == self.number);
        row.ok_or_else(|| Error::misuse("the datum is of another module"))
    }
}
