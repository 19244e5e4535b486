//! Functions and globals that nothing outside can name and nothing inside does go.
//!
//! A function that stays is visible outside, or called by one that stays; a global that stays is visible or
//! named by such a function. The bodies of the others are dropped, and their rows stay behind as declarations
//! that nothing asks for; globals are renumbered, which is a walk over all operands and done only if one
//! goes. O(operands).

use crate::analysis::names::{Names, reached};
use crate::base::{BitSet, Column, Handle, Opt};
use crate::ir::{Body, Env, FuncId, Global, GlobalId, Linkage};
use crate::opt::calls::candidates::Candidates;
use crate::opt::run::facts::{Look, Sight};
use crate::opt::run::pass::{ModuleCx, ModulePass};
use crate::opt::run::renumber::Renumbering;

/// The pass.
pub static DROP_UNUSED: ModulePass = ModulePass {
    name: "drop_unused",
    description: "remove functions that are never called and globals that are never named",
    looks: &[Look::at::<Names>()],
    run,
    apply: None,
    renumbers: true,
};

impl Sight for Names {
    fn of(_: &Env, f: &Body) -> Names {
        Names::of(f)
    }
}

/// The same for functions only: globals keep their numbers, so that no body has to change.
pub static DROP_UNCALLED: ModulePass = ModulePass {
    name: "drop_uncalled",
    description: "remove functions that are never called",
    looks: &[Look::at::<Names>()],
    run: |cx| drop_functions(cx).0,
    apply: None,
    renumbers: false,
};

fn run(cx: &mut ModuleCx) -> bool {
    let (changed, globals) = drop_functions(cx);
    if globals.count() != cx.env.globals.len() {
        cx.globals = Some(drop_globals(cx.env, &globals));
    }
    changed || cx.globals.is_some()
}

/// Drops functions that are not needed. Returns whether there was one, and the globals that are.
#[inline(never)]
fn drop_functions(cx: &mut ModuleCx) -> (bool, BitSet<GlobalId>) {
    let (funcs, globals) = reached(cx.env, &cx.names());
    for (func, row) in cx.env.funcs.as_mut_slice().iter_mut().enumerate() {
        if !funcs.contains(FuncId::new(func)) {
            row.linkage = Linkage::Declared;
        }
    }
    // They stand where they were called.
    cx.facts.take::<Candidates>();
    (cx.functions.iter().any(|f| !funcs.contains(f.func)), globals)
}

/// Takes out the globals that nothing names.
fn drop_globals(env: &mut Env, used: &BitSet<GlobalId>) -> Renumbering {
    let mut kept: Column<GlobalId, Global> = Column::new();
    let mut new: Renumbering = Column::filled(env.globals.len(), Opt::NONE);
    for (k, row) in std::mem::take(&mut env.globals).into_vec().into_iter().enumerate() {
        if used.contains(GlobalId::new(k)) {
            new[GlobalId::new(k)] = Opt::some(kept.push(row));
        }
    }
    env.globals = kept;
    for alias in &mut env.aliases {
        alias.of = new[alias.of].get().unwrap_or(alias.of);
    }
    for row in env.globals.as_mut_slice() {
        row.image
            .addresses
            .iter_mut()
            .for_each(|address| address.to = new[address.to].get().unwrap_or(address.to));
    }
    for row in env.funcs.as_mut_slice() {
        row.address = row.address.get().map_or(Opt::NONE, |global| new[global]);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::{Module, print};
    use crate::opt::run::manager::{Options, Stage, Step, run_on_module};

    #[test]
    fn what_only_unused_functions_name_goes_with_them() {
        let mut module = parse(
            "@a = internal global i32 1
             @b = internal global i32 2
             @c = global i32 3
             define internal i32 @unused(i32 %x) {
               %v = load i32, ptr @a
               %w = call i32 @unused(i32 %v)
               ret i32 %w
             }
             define internal i32 @used() {
               %v = load i32, ptr @b
               ret i32 %v
             }
             define i32 @main() {
               %v = call i32 @used()
               ret i32 %v
             }",
        )
        .unwrap();
        let plan = [Step::Each(&[Stage::Make]), Step::All(&DROP_UNUSED)];
        let run = |module: &mut Module| {
            let options = Options { verify: true, ..Options::default() };
            let report = run_on_module(module, &plan, &options, &Workers::new(1)).unwrap();
            report.rows.iter().any(|row| row.changed != 0)
        };
        assert!(run(&mut module));
        let text = print::module(&module);
        assert!(!text.contains("@a") && text.contains("load i32, ptr @b") && text.contains("@c"), "{text}");
        assert_eq!(module.defined().count(), 2);
        assert!(!run(&mut module));
        assert_eq!(print::module(&module), text);
    }
}
