//! Functions and globals that nothing outside can name and nothing inside does go.
//!
//! A function that stays is visible outside, or called by one that stays; a global that stays is visible or
//! named by such a function. The bodies of the others are dropped, and their rows stay behind as declarations
//! that nothing asks for; globals are renumbered, which is a walk over all operands and done only if one
//! goes. O(operands).

use super::candidates::Candidates;
use super::manager::Renumbering;
use super::pass::{ModuleCx, ModulePass};
use crate::base::{BitSet, Column, Handle, Opt};
use crate::ir::opcode::NUMBERS;
use crate::ir::{Body, Env, FuncId, Global, GlobalId, Inst, Linkage, Op, Type, Value, ValueKind};

/// The pass.
pub static DROP_UNUSED: ModulePass = ModulePass {
    name: "drop_unused",
    description: "remove functions that are never called and globals that are never named",
    local: |_, f, local| local.names = Names::of(f),
    run,
    apply: None,
    renumbers: true,
};

/// The same for functions only: globals keep their numbers, so that no body has to change.
pub static DROP_UNCALLED: ModulePass = ModulePass {
    name: "drop_uncalled",
    description: "remove functions that are never called",
    local: |_, f, local| local.names = Names::of(f),
    run: |cx| drop_functions(cx).0,
    apply: None,
    renumbers: false,
};

/// What a body names, once each.
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
        let mut names = Names { funcs: Vec::with_capacity(64), globals: Vec::with_capacity(64) };
        for (i, op) in f.ops().filter(|&(_, op)| may_name(op)) {
            if op == Op::Call {
                add(&mut names.funcs, f.callee(i));
            }
            // What is loaded from, and where steps begin; the rest are numbers.
            let most = if matches!(op, Op::Load | Op::ElemAddr) { 1 } else { usize::MAX };
            for global in f.args(i).iter().take(most).filter_map(|v| v.as_global()) {
                add(&mut names.globals, global);
            }
        }
        names.settle();
        names
    }

    /// Puts lists into order.
    pub fn settle(&mut self) {
        self.funcs.sort_unstable();
        self.funcs.dedup();
        self.globals.sort_unstable();
        self.globals.dedup();
        // They are kept until the end of the program.
        self.funcs.shrink_to_fit();
        self.globals.shrink_to_fit();
    }
}

/// True for what may have the address of a global among its operands.
fn may_name(op: Op) -> bool {
    !op.has(NUMBERS) && !matches!(op, Op::Unreachable | Op::Br | Op::CondBr)
}

/// Adds an item to a list. Mostly it is there already: what is looked through is short.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    const FEW: usize = 8;
    if !list[list.len().saturating_sub(FEW)..].contains(&item) {
        list.push(item);
    }
}

/// What stays of a program, by what its bodies name. O(names).
pub fn kept(env: &Env, named: &Column<FuncId, Option<&Names>>) -> (BitSet<FuncId>, BitSet<GlobalId>) {
    let (mut funcs, mut globals) = (BitSet::new(env.funcs.len()), BitSet::new(env.globals.len()));
    let mut stack: Vec<FuncId> = Vec::new();
    // Globals that lead to others: to what their contents have the addresses of, or to their function.
    let mut leading: Vec<GlobalId> = Vec::new();
    let leads = |row: &Global| row.func.get().is_some() || !row.image.addresses.is_empty();
    for (func, row) in env.funcs.iter() {
        if row.linkage != Linkage::Internal {
            funcs.insert(func);
            stack.push(func);
        }
    }
    for (global, row) in env.globals.iter() {
        if row.linkage != Linkage::Internal && row.func.is_none() && globals.insert(global) && leads(row) {
            leading.push(global);
        }
    }
    for alias in &env.aliases {
        if globals.insert(alias.of) && leads(&env.globals[alias.of]) {
            leading.push(alias.of);
        }
    }
    loop {
        if let Some(global) = leading.pop() {
            let row = &env.globals[global];
            stack.extend(row.func.get().filter(|&func| funcs.insert(func)));
            for address in &row.image.addresses {
                if globals.insert(address.to) && leads(&env.globals[address.to]) {
                    leading.push(address.to);
                }
            }
            continue;
        }
        let Some(func) = stack.pop() else { break };
        let Some(names) = named[func] else { continue };
        for &callee in &names.funcs {
            if funcs.insert(callee) {
                stack.push(callee);
            }
        }
        for &global in &names.globals {
            if globals.insert(global) && leads(&env.globals[global]) {
                leading.push(global);
            }
        }
    }
    (funcs, globals)
}

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
    let mut named: Column<FuncId, Option<&Names>> = Column::filled(cx.env.funcs.len(), None);
    for f in &cx.functions {
        named[f.func] = f.local.as_ref().map(|local| &local.names);
    }
    let (funcs, globals) = kept(cx.env, &named);
    for (func, row) in cx.env.funcs.as_mut_slice().iter_mut().enumerate() {
        if !funcs.contains(FuncId::new(func)) {
            row.linkage = Linkage::Declared;
        }
    }
    // They stand where they were called.
    cx.facts.candidates = Candidates::default();
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

/// Gives the globals in a body their new numbers. O(operands).
pub fn renumber(f: &mut Body, new: &Renumbering) {
    for (value, _) in &mut f.variables {
        if let ValueKind::Global(global) = value.kind() {
            *value = new[global].get().map_or(Value::undef(Type::Ptr), Value::global);
        }
    }
    for k in 0..f.inst_count() {
        let i = Inst::new(k);
        if !may_name(f.op(i)) {
            continue;
        }
        for k in 0..f.args(i).len() {
            if let Some(global) = f.args(i)[k].as_global()
                && let Some(now) = new[global].get()
                && now != global
            {
                f.set_arg(i, k, Value::global(now));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::manager::{Options, Stage, Step, run_on_module};
    use super::*;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::{Module, print};

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
