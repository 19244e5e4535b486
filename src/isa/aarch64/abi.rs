//! Parameters, calls and returns, by the AAPCS64 as Linux has it: eight integer and eight floating arguments in
//! registers, counted apart; further ones in 8 bytes of stack each, in order. Further arguments of a variadic function
//! are passed like named ones.

use super::memory::stored;
use super::registers::ZERO;
use super::rows::control::{BL, RETURN_VALUE};
use super::rows::memory::*;
use crate::base::Handle;
use crate::ir::{Inst, Type};
use crate::isa::select::Select;
use crate::mir::desc::ENTRY;
use crate::mir::{MachineOp, Operand, PReg, SlotKind};

const fn registers(first: PReg) -> [PReg; 8] {
    let mut regs = [first; 8];
    let mut k = 0;
    while k < 8 {
        regs[k] = PReg(first.0 + k as u8);
        k += 1;
    }
    regs
}

/// Integer and pointer arguments; the first is the result, too.
pub const INT_ARGS: [PReg; 8] = registers(PReg::int(0));
/// Floating arguments; the first is the result, too.
const FLOAT_ARGS: [PReg; 8] = registers(PReg::float(0));

/// Where an argument goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Location {
    Reg(PReg),
    /// Bytes from the caller's stack pointer.
    Stack(u32),
}

/// Hands out locations in the order of the arguments.
#[derive(Default)]
struct Assigner {
    ints: usize,
    floats: usize,
    stack: u32,
}

impl Assigner {
    fn next(&mut self, ty: Type) -> Location {
        let (regs, count) =
            if ty.is_float() { (&FLOAT_ARGS, &mut self.floats) } else { (&INT_ARGS, &mut self.ints) };
        let Some(&reg) = regs.get(*count) else {
            self.stack += 8;
            return Location::Stack(self.stack - 8);
        };
        *count += 1;
        Location::Reg(reg)
    }
}

/// The register that a result of this type comes back in.
fn result_reg(ty: Type) -> PReg {
    if ty.is_float() { FLOAT_ARGS[0] } else { INT_ARGS[0] }
}

/// Picks a row for a type from those for w, x, s and d.
fn by_type(ty: Type, rows: [MachineOp; 4]) -> MachineOp {
    match ty {
        Type::F32 => rows[2],
        Type::F64 => rows[3],
        Type::I64 | Type::Ptr => rows[1],
        _ => rows[0],
    }
}

/// Emits the `ENTRY` row, and loads of the stack parameters that are wanted.
pub fn entry(cx: &mut Select) {
    let mut assigner = Assigner::default();
    let (mut defs, mut loads) = (std::mem::take(&mut cx.operands), Vec::new());
    for i in cx.body.params() {
        let ty = cx.body.ty(i);
        let location = assigner.next(ty);
        if !cx.is_wanted(i) {
            continue;
        }
        let v = cx.result(i);
        match location {
            Location::Reg(reg) => defs.push(Operand::fixed(v, reg)),
            Location::Stack(offset) => loads.push((ty, v, offset)),
        }
    }
    cx.emit_fixed(ENTRY, defs.len() as u8, &defs, 0);
    defs.clear();
    cx.operands = defs;
    for (ty, v, offset) in loads {
        let slot = cx.out.new_slot(SlotKind::Incoming(offset), 8, 8);
        let row = by_type(ty, [LDR_W_PARAM, LDR_X_PARAM, LDR_S_PARAM, LDR_D_PARAM]);
        cx.emit(row, &[Operand::virt(v)], &[Operand::FRAME], 0, slot.index() as u32);
    }
}

/// call.
pub fn call(cx: &mut Select, i: Inst) {
    let body = cx.body;
    let args = body.args(i);
    // What goes to the stack first: it needs registers only for a moment.
    let mut assigner = Assigner::default();
    let on_stack = if args.len() > INT_ARGS.len() { args } else { &[] };
    for &v in on_stack {
        if let Location::Stack(offset) = assigner.next(body.type_of(v)) {
            let slot = cx.outgoing(offset + 8);
            let (ty, value) = stored(cx, v);
            let row = by_type(ty, [STR_W_SLOT, STR_X_SLOT, STR_S_SLOT, STR_D_SLOT]);
            cx.emit(row, &[], &[value, Operand::FRAME], offset as i32, slot.index() as u32);
        }
    }
    let mut operands = std::mem::take(&mut cx.operands);
    if cx.is_wanted(i) {
        operands.push(Operand::fixed(cx.result(i), result_reg(body.ty(i))));
    }
    let defs = operands.len() as u8;
    let mut assigner = Assigner::default();
    for &v in args {
        if let Location::Reg(reg) = assigner.next(body.type_of(v)) {
            operands.push(fixed(cx.fresh(v), reg));
        }
    }
    cx.emit_call(BL, defs, &operands, body.callee(i).index() as u32);
    operands.clear();
    cx.operands = operands;
}

/// A register operand that must be in `reg`.
pub fn fixed(operand: Operand, reg: PReg) -> Operand {
    operand.as_virt().map_or(Operand::phys(ZERO), |v| Operand::fixed(v, reg))
}

/// ret.
pub fn ret(cx: &mut Select, i: Inst) {
    let mut value = None;
    if let Some(&v) = cx.body.args(i).first().filter(|v| !v.is_undef()) {
        let reg = result_reg(cx.body.type_of(v));
        value = Some(fixed(cx.fresh(v), reg));
    }
    cx.emit_row(RETURN_VALUE, 0, value.as_slice(), 0, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_counted_apart_and_overflow_in_order() {
        let mut assigner = Assigner::default();
        for k in 0..8 {
            assert_eq!(assigner.next(Type::I32), Location::Reg(PReg::int(k)));
            assert_eq!(assigner.next(Type::F32), Location::Reg(PReg::float(k)));
        }
        let rest = [Type::F64, Type::Ptr, Type::F32].map(|ty| assigner.next(ty));
        assert_eq!(rest, [Location::Stack(0), Location::Stack(8), Location::Stack(16)]);
    }
}
