//! What bodies name, and what of a program can be reached from outside by that. O(operands).

use crate::base::{BitSet, Column};
use crate::ir::opcode::NUMBERS;
use crate::ir::{Body, Env, FuncId, Global, GlobalId, Linkage, Op};

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
pub fn may_name(op: Op) -> bool {
    !op.has(NUMBERS) && !matches!(op, Op::Unreachable | Op::Br | Op::CondBr)
}

/// Adds an item to a list. Mostly it is there already: what is looked through is short.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    const FEW: usize = 8;
    if !list[list.len().saturating_sub(FEW)..].contains(&item) {
        list.push(item);
    }
}

/// The functions and globals that a program can reach from what is visible outside, by what its bodies name. O(names).
pub fn reached(env: &Env, named: &Column<FuncId, Option<&Names>>) -> (BitSet<FuncId>, BitSet<GlobalId>) {
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
