//! Which passes run at which level, in which order, and why in this order.

use super::manager::{self, Options, Report, Stage};
use super::mem2reg::MEM2REG;
use super::pass::{FuncPass, ModulePass, PassError};
use crate::base::parallel::Workers;
use crate::ir::Module;

/// How much to optimise.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing: the code that was written, for debuggers.
    #[default]
    O0,
    /// What pays for itself.
    O1,
    /// The default of releases.
    O2,
    /// Everything.
    O3,
}

/// All function passes, in alphabetic order.
pub const FUNC_PASSES: &[&FuncPass] = &[&MEM2REG];

/// All module passes, in alphabetic order.
pub const MODULE_PASSES: &[&ModulePass] = &[];

/// Name and description of every pass, for `--help`.
pub fn passes() -> impl Iterator<Item = (&'static str, &'static str)> {
    let functions = FUNC_PASSES.iter().map(|pass| (pass.name, pass.description));
    functions.chain(MODULE_PASSES.iter().map(|pass| (pass.name, pass.description)))
}

const O0: &[Stage] = &[];
const O1: &[Stage] = &[Stage::Functions(&[&MEM2REG])];

/// The stages of a level.
pub fn stages(level: Level) -> &'static [Stage] {
    match level {
        Level::O0 => O0,
        Level::O1 | Level::O2 | Level::O3 => O1,
    }
}

/// Runs the passes of a level.
pub fn run(
    module: &mut Module,
    level: Level,
    options: &Options,
    workers: &Workers,
) -> Result<Report, PassError> {
    manager::run(module, stages(level), options, workers)
}
