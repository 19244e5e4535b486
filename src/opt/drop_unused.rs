//! Functions and globals that nothing outside can name and nothing inside does go.
//!
//! A function that stays is visible outside, or called by one that stays; a global that stays is visible or named by
//! such a function. The bodies of the others are dropped, and their rows stay behind as declarations that nobody
//! asks for; globals are renumbered, which is a walk over all operands and done only if one goes. O(operands).

use super::pass::ModulePass;
use crate::base::{BitSet, Column, Handle, Opt};
use crate::ir::{Body, Env, FuncId, Global, GlobalId, Inst, Linkage, Module, Op, Type, Value, ValueKind};

/// The pass.
pub static DROP_UNUSED: ModulePass = ModulePass {
    name: "drop_unused",
    description: "remove functions that are never called and globals that are never named",
    run,
};

/// What a body names, in the order in which it does, once each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The functions that it calls.
    pub funcs: Vec<FuncId>,
    /// The globals.
    pub globals: Vec<GlobalId>,
}

impl Names {
    /// Collects them. O(operands).
    pub fn of(f: &Body) -> Names {
        let mut names = Names::default();
        for i in f.blocks().flat_map(|b| f.insts(b)) {
            if f.op(i) == Op::Call {
                names.funcs.push(f.callee(i));
            }
            for v in f.args(i) {
                if let Some(global) = v.as_global() {
                    names.globals.push(global);
                }
            }
        }
        names.funcs.sort_unstable();
        names.funcs.dedup();
        names.globals.sort_unstable();
        names.globals.dedup();
        names
    }
}

/// What stays of a program, by what its bodies name. O(names).
pub fn kept(env: &Env, names: &Column<FuncId, Names>) -> (BitSet<FuncId>, BitSet<GlobalId>) {
    let (mut funcs, mut globals) = (BitSet::new(env.funcs.len()), BitSet::new(env.globals.len()));
    let mut stack: Vec<FuncId> = Vec::new();
    for (func, row) in env.funcs.iter() {
        if row.linkage != Linkage::Internal {
            funcs.insert(func);
            stack.push(func);
        }
    }
    for (global, row) in env.globals.iter() {
        if row.linkage != Linkage::Internal {
            globals.insert(global);
        }
    }
    while let Some(func) = stack.pop() {
        let Names { funcs: called, globals: named } = &names[func];
        for &callee in called {
            if funcs.insert(callee) {
                stack.push(callee);
            }
        }
        for &global in named {
            globals.insert(global);
        }
    }
    (funcs, globals)
}

fn run(module: &mut Module) -> bool {
    let mut names: Column<FuncId, Names> = Column::filled(module.env.funcs.len(), Names::default());
    for f in &module.bodies {
        names[f.func] = Names::of(f);
    }
    let (funcs, globals) = kept(&module.env, &names);
    let before = module.bodies.len();
    module.bodies.retain(|f| funcs.contains(f.func));
    for (func, row) in module.env.funcs.as_mut_slice().iter_mut().enumerate() {
        if !funcs.contains(FuncId::new(func)) {
            row.linkage = Linkage::Declared;
        }
    }
    drop_globals(module, &globals) | (module.bodies.len() != before)
}

fn drop_globals(module: &mut Module, used: &BitSet<GlobalId>) -> bool {
    let globals = &mut module.env.globals;
    if used.count() == globals.len() {
        return false;
    }
    let mut kept: Column<GlobalId, Global> = Column::new();
    let mut new: Column<GlobalId, Opt<GlobalId>> = Column::filled(globals.len(), Opt::NONE);
    for (k, row) in std::mem::take(globals).into_vec().into_iter().enumerate() {
        if used.contains(GlobalId::new(k)) {
            new[GlobalId::new(k)] = Opt::some(kept.push(row));
        }
    }
    *globals = kept;
    let mut operands: Vec<(Inst, usize, GlobalId)> = Vec::new();
    for f in &mut module.bodies {
        for (value, _) in &mut f.variables {
            if let ValueKind::Global(global) = value.kind() {
                *value = new[global].get().map_or(Value::undef(Type::Ptr), Value::global);
            }
        }
        operands.clear();
        for_each_global(f, |i, k, global| operands.push((i, k, global)));
        for &(i, k, global) in &operands {
            if let Some(global) = new[global].get() {
                f.set_arg(i, k, Value::global(global));
            }
        }
    }
    true
}

fn for_each_global(f: &Body, mut visit: impl FnMut(Inst, usize, GlobalId)) {
    for b in f.blocks() {
        for i in f.insts(b) {
            for (k, v) in f.args(i).iter().enumerate() {
                if let ValueKind::Global(global) = v.kind() {
                    visit(i, k, global);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::{print, verify};

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
        assert!(run(&mut module));
        verify::verify_module(&module).unwrap();
        let text = print::module(&module);
        assert!(!text.contains("@a") && text.contains("load i32, ptr @b") && text.contains("@c"), "{text}");
        assert_eq!(module.bodies.len(), 2);
        assert!(!run(&mut module));
        assert_eq!(print::module(&module), text);
    }
}
