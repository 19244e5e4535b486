//! Dead code elimination: everything is dead until something that matters needs it.
//!
//! Terminators, calls that do something, and stores to memory that somebody may read are what matters; operands of live
//! instructions are live. So phis that only feed each other go. A store into an alloca is live only once the alloca
//! is: once a live instruction other than such a store has its address (a load from it, a call that gets it). O(operands).
//!
//! (Cytron et al. 1991, section 7.1, without control dependence: branches and the loops they make stay.)

use super::analyses::AnalysisSet;
use super::pass::{FuncCx, FuncPass, Outcome};
use crate::analysis::Rows;
use crate::base::{BitSet, Column, Opt};
use crate::ir::opcode::{READS, WRITES};
use crate::ir::{Inst, Op, Value};

/// The pass.
pub static DCE: FuncPass = FuncPass {
    name: "dce",
    description: "remove instructions that nothing needs, and stores to memory that nothing reads",
    needs: AnalysisSet::ORDER,
    run,
};

fn run(cx: &mut FuncCx) -> Outcome {
    let f = &mut *cx.f;
    let order = &cx.analyses.order.blocks;
    let mut live: BitSet<Inst> = BitSet::new(f.inst_count());
    let mut stack: Vec<Inst> = Vec::new();
    // Stores into allocas, by alloca.
    let mut waiting: Vec<(Inst, Inst)> = Vec::new();
    let mut bases: Column<Inst, Opt<Inst>> = Column::new();
    for &b in order {
        for i in f.insts(b) {
            let op = f.op(i);
            match op {
                Op::Alloca | Op::ElemAddr => {
                    let base = if op == Op::Alloca { Some(i) } else { base_of(&bases, f.arg(i, 0)) };
                    if base.is_some() {
                        bases.grow_to(f.inst_count(), Opt::NONE);
                        bases[i] = base.into();
                    }
                }
                Op::Store | Op::MemInit => match base_of(&bases, f.arg(i, usize::from(op == Op::Store))) {
                    Some(alloca) => waiting.push((alloca, i)),
                    None => stack.push(i),
                },
                Op::Call if !cx.effects.is_removable(f.callee(i)) => stack.push(i),
                Op::Call => {}
                _ if op.is_terminator() => stack.push(i),
                _ => debug_assert!(!op.has(WRITES) || op.has(READS)),
            }
        }
    }
    let mut stores: Rows<Inst, Inst> = Rows::default();
    if !waiting.is_empty() {
        stores.fill(f.inst_count(), &waiting);
    }
    for &i in &stack {
        live.insert(i);
    }
    while let Some(i) = stack.pop() {
        let operands = f.args(i).iter().filter_map(|v| v.as_inst());
        for needed in operands.chain(stores.get(i).iter().copied()) {
            if live.insert(needed) {
                stack.push(needed);
            }
        }
    }
    let mut changed = false;
    for &b in order.iter().rev() {
        let mut next = f.last(b);
        while let Some(i) = next {
            next = f.prev(i);
            if !live.contains(i) {
                f.remove(i);
                changed = true;
            }
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// The alloca that an address points into, as far as its steps show.
fn base_of(bases: &Column<Inst, Opt<Inst>>, address: Value) -> Option<Inst> {
    bases.get(address.as_inst()?)?.get()
}
