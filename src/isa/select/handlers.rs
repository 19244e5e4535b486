//! The table of handlers by opcode, and those that are the same on all targets.

use super::{Handler, Select};
use crate::base::Handle;
use crate::ir::opcode::OPS;
use crate::ir::{self, Op, Type};
use crate::isa::{convention, memory};
use crate::mir::{self, MachineOp, Operand};

/// The table of handlers with these rows. Jumps, calls, returns and memory need none; what has none is made
/// of others (`legalise`).
pub const fn handlers(rows: &[(Op, Handler)]) -> [Handler; OPS.len()] {
    let mut table: [Handler; OPS.len()] = [lack; OPS.len()];
    table[Op::Alloca as usize] = nothing;
    table[Op::Phi as usize] = nothing;
    table[Op::Store as usize] = store;
    table[Op::Load as usize] = memory::load;
    table[Op::LoadVolatile as usize] = memory::load_volatile;
    table[Op::StoreVolatile as usize] = memory::store_volatile;
    table[Op::ElemAddr as usize] = memory::elem_addr;
    table[Op::PtrToInt as usize] = copy;
    table[Op::IntToPtr as usize] = copy;
    table[Op::MemInit as usize] = memory::mem_init;
    table[Op::Br as usize] = jump;
    table[Op::Call as usize] = convention::call;
    table[Op::Ret as usize] = convention::ret;
    table[Op::MemSet as usize] = convention::fill_or_copy;
    table[Op::MemCopy as usize] = convention::fill_or_copy;
    let mut k = 0;
    while k < rows.len() {
        table[rows[k].0 as usize] = rows[k].1;
        k += 1;
    }
    table
}

fn nothing(_: &mut Select, _: ir::Inst) {}

/// The same bits under another type.
fn copy(cx: &mut Select, i: ir::Inst) {
    let from = cx.reg(cx.body.arg(i, 0));
    let def = cx.result(i);
    let mir::func::VRegRow { class, bytes, .. } = cx.out.vregs[def];
    let op = cx.rules.machine.width(class, bytes.into()).copy;
    cx.emit(op, &[Operand::virt(def)], &[from], 0, 0);
}

/// The handler of what the target has no code for, or what a handler leaves such an instruction to: it is
/// made of others, and the function is selected again.
pub fn lack(cx: &mut Select, i: ir::Inst) {
    // What it is made of may be lacking, too.
    for &v in cx.body.args(i) {
        cx.reg(v);
    }
    lack_alone(cx, i);
}

/// The same where the machine has no register for an operand, which goes.
pub fn lack_alone(cx: &mut Select, i: ir::Inst) {
    cx.lacking.push(i);
}

/// A store. Most are of what was computed, to variables in the frame, and one row.
fn store(cx: &mut Select, i: ir::Inst) {
    if let Some(value) = cx.body.arg(i, 0).as_inst()
        && cx.body.op(value) != Op::Alloca
        && let ty = cx.body.ty(value)
        && let Some(op) = cx.rules.slot_stores[ty.register_number()]
        && let Some(slot) = cx.variable(cx.body.arg(i, 1))
    {
        let value = cx.used_as(value, ty);
        return cx.emit_row(op, 0, &[value, Operand::FRAME], 0, slot.index() as u32);
    }
    memory::store(cx, i);
}

/// An unconditional branch. Where rows have no places, it says itself if it is to stay
/// (`mir::Func::is_kept`).
fn jump(cx: &mut Select, i: ir::Inst) {
    let stays = cx.marks_jumps && cx.body.loc(i) != ir::NO_LOC;
    cx.emit_row(cx.rules.machine.jump, 0, &[], i32::from(stays), cx.succ(0));
}

/// An entry of a table of jumps, or the jump into one, as `isa/tables` leaves them: the entry's row, and what jumps by a number
/// of a type.
pub fn table(
    cx: &mut Select,
    i: ir::Inst,
    entry: MachineOp,
    jump: fn(&mut Select, Type, Operand) -> (MachineOp, Operand),
) {
    let (body, to) = (cx.body, cx.succ(0));
    cx.out.has_tables = true;
    let x = body.arg(i, 0);
    // What is jumped by may be known, too, behind a comparison that fails.
    let in_front = body.preds(cx.block).first().and_then(|&e| body.terminator(body.edge_from(e)));
    let is_entry = in_front.is_some_and(|i| body.op(i) == Op::Switch);
    if let (true, Some(count)) = (is_entry, body.as_int(x)) {
        return cx.emit(entry, &[], &[], count as i32, to);
    }
    let behind = body.succs(cx.block).nth(1).and_then(|e| body.terminator(body.edge_to(e)));
    let behind = behind.filter(|&i| body.op(i) == Op::Switch).and_then(|i| body.as_int(body.arg(i, 0)));
    let count = behind.map_or(2, |count| count as i32 + 1);
    let reg = cx.reg(x);
    let (op, operand) = jump(cx, body.type_of(x), reg);
    cx.emit(op, &[], &[operand], count, to);
}

/// An operation of i32 that is a row, of what was computed as such by instructions that are part of no
/// other, as most is; false, and nothing done, for anything else. `FOLDS`: products, shifts and extensions
/// may become a part.
#[inline(always)]
pub fn of_words<const FOLDS: bool>(cx: &mut Select, i: ir::Inst, op: MachineOp) -> bool {
    use Op::{AShr, LShr, Mul, SExt, SMulHi, Shl, ZExt};
    let whole = |op| !FOLDS || !matches!(op, Mul | SMulHi | Shl | LShr | AShr | ZExt | SExt);
    if cx.body.ty(i) == Type::I32
        && let (Some(a), Some(b)) = (cx.body.arg(i, 0).as_inst(), cx.body.arg(i, 1).as_inst())
        && whole(cx.body.op(a))
        && whole(cx.body.op(b))
    {
        let [a, b] = [a, b].map(|operand| cx.used_as(operand, Type::I32));
        let def = Operand::virt(cx.result(i));
        cx.emit_row(op, 1, &[def, a, b], 0, 0);
        return true;
    }
    false
}

/// An operation on up to three floats that is a row, by width.
pub fn by_row(cx: &mut Select, i: ir::Inst, rows: &[MachineOp]) {
    let Some(&row) = rows.get(usize::from(cx.body.ty(i) == Type::F64)) else { return lack(cx, i) };
    let mut operands = [Operand::virt(cx.result(i)); 4];
    let count = cx.body.args(i).len().min(3);
    for k in 0..count {
        operands[k + 1] = cx.reg(cx.body.arg(i, k));
    }
    cx.emit_row(row, 1, &operands[..count + 1], 0, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::opcode::Form;
    use crate::isa::TARGETS;

    #[test]
    fn every_target_selects_every_instruction_that_stands_in_a_block() {
        for target in TARGETS {
            for (k, handler) in target.rules.handlers.iter().enumerate() {
                let is_known = !std::ptr::fn_addr_eq(*handler, lack as Handler);
                let may_be_made = OPS[k].form != Form::Own && OPS[k].form != Form::Plain;
                let of_words = target.rules.splits_words;
                let stands = match Op::ALL[k] {
                    Op::Param | Op::InsertLane => false,
                    Op::ExtractLane => of_words,
                    _ => true,
                };
                assert!(is_known == stands || may_be_made, "{} {}", target.name, OPS[k].name);
            }
        }
    }
}
