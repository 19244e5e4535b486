//! Before anything else: a tied use gets a copy of its own, which ends where the definition begins. So
//! colouring can always give both the same register, and whether the original lives on does not matter to
//! anyone. Where it does not, the copy gets its register and goes. O(rows).

use crate::base::Opt;
use crate::mir::desc::{TIED, ties};
use crate::mir::rewrite::{Origins, Rows};
use crate::mir::{Func, Machine, Operand, VReg};

/// Copies the tied uses; returns the copies.
pub(super) fn normalise(func: &mut Func, machine: &Machine, origins: &mut Origins) -> Vec<VReg> {
    let mut copies = Vec::new();
    if !func.insts.as_slice().iter().any(|row| machine.row(row.op).flags & TIED != 0) {
        return copies;
    }
    let mut rows = Rows::new(func, func.insts.len() / 4, origins);
    for b in func.blocks.keys() {
        for i in func.rows(b) {
            let row = func.insts[i];
            for (def, use_) in ties(machine.row(row.op).flags, row.uses.into()).enumerate() {
                let at = row.first as usize + row.defs as usize + use_;
                let (def, use_) = (func.operands[row.first as usize + def], func.operands[at]);
                let like = use_.as_virt().or_else(|| def.as_virt());
                if let Some(like) = like {
                    let vreg = func.vregs[like];
                    let copy = func.new_vreg(vreg.class, u32::from(vreg.bytes));
                    let op = machine.width(vreg.class, u32::from(vreg.bytes)).copy;
                    let moved = func.make_row(op, &[Operand::virt(copy)], &[use_], 0, 0);
                    rows.add(func, i, moved, Opt::NONE);
                    func.operands[at] = Operand::virt(copy);
                    copies.push(copy);
                }
            }
            rows.keep(func, origins, i, row);
        }
        rows.end_block();
    }
    rows.finish(func, origins);
    copies
}
