//! Machines as clients name them.

use super::error::{Error, ErrorKind};
use crate::ir::{Position, RelocationModel};
use crate::isa::{self, features};
use crate::mir::Features;

/// A machine: `riscv64`, `aarch64` or `armv7` with Linux's calling conventions, and what it has beyond the least.
#[derive(Copy, Clone, Debug)]
pub struct Target {
    pub(crate) row: &'static isa::Target,
    pub(crate) features: Features,
    pub(crate) position: Position,
}

impl Target {
    /// The target of a name or triple (`riscv64`, `aarch64-unknown-linux-gnu`, ...).
    pub fn new(name: &str) -> Result<Target, Error> {
        let row = isa::find(name).ok_or_else(|| {
            let names: Vec<&str> = isa::TARGETS.iter().map(|row| row.name).collect();
            Error::new(
                ErrorKind::Unsupported,
                format!("there is no target '{name}', but {}", names.join(", ")),
            )
        })?;
        Ok(Target { row, features: features::default_of(row), position: Position::default() })
    }

    /// The machine that this program runs on, if it is one of them.
    pub fn host() -> Option<Target> {
        Target::new(std::env::consts::ARCH).ok()
    }

    /// All names that `new` is sure to know, one a target.
    pub fn names() -> impl Iterator<Item = &'static str> {
        isa::TARGETS.iter().map(|row| row.name)
    }

    /// The same machine with what `-march=` would say: `rv64gc_zba_zbb`, `armv8.2-a+lse`.
    pub fn with_machine(self, machine: &str) -> Result<Target, Error> {
        let features = features::parse(self.row, machine);
        let features = features.map_err(|message| Error::new(ErrorKind::Unsupported, message))?;
        Ok(Target { features, ..self })
    }

    /// The same machine, for code that is linked into something else than a program at a fixed address. (Text says it itself, in
    /// the flags of its module, and this counts in place of that if it is not the default.)
    ///
    /// ```
    /// # use sysyc::backend::{RelocationModel, Target};
    /// # fn main() -> Result<(), sysyc::backend::Error> {
    /// let target = Target::new("aarch64")?.with_relocation_model(RelocationModel::Pic);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_relocation_model(self, model: RelocationModel) -> Target {
        Target { position: Position { model, small: false }, ..self }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.row.name
    }

    /// Bytes of a pointer.
    pub fn pointer_bytes(&self) -> u32 {
        self.row.rules.machine.pointer_bytes
    }
}
