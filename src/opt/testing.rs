//! What the tests of passes share.

use super::manager::{self, Options, Stage};
use super::pass::FuncPass;
use crate::base::parallel::Workers;
use crate::ir::{Body, Func, Linkage, Module, Type, print};

/// A module of one function `i32 f(i32, i1)` without blocks.
pub(super) fn module() -> Module {
    let mut module = Module::default();
    let name = module.env.names.intern("f");
    let params = vec![Type::I32, Type::I1];
    let func = Func { name, result: Type::I32, params, variadic: false, linkage: Linkage::External };
    let id = module.env.funcs.push(func);
    module.bodies.push(Body::new(id, &module.env.funcs[id]));
    module
}

/// Runs a pass under verification; true if it changed something.
pub(super) fn apply(pass: &'static FuncPass, module: &mut Module) -> bool {
    let stage = [Stage::Functions(Box::leak(Box::new([pass])))];
    let options = Options { verify: true, ..Options::default() };
    let report = manager::run(module, &stage, &options, &Workers::new(1)).unwrap();
    report.rows[0].changed != 0
}

/// True if a pass says that it changes nothing, and changes nothing.
pub(super) fn changes_nothing(pass: &'static FuncPass, module: &mut Module) -> bool {
    let before = print::module(module);
    !apply(pass, module) && print::module(module) == before
}
