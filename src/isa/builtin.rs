//! Selection of what calls of some declared functions stand for (`ir::Builtin`).

use super::select::Select;
use crate::ir::{Builtin, Inst};
use crate::mir::{MachineOp, Operand};

/// The rows of a target.
#[derive(Debug)]
pub struct Builtins {
    /// Takes so many bytes of the stack: `i=i`; the immediate is what they are aligned to, as a power of two.
    pub take: MachineOp,
    /// The stack pointer: `i=`, and `=i`.
    pub stack: [MachineOp; 2],
}

/// Selects such a call.
#[inline(never)]
pub fn call(cx: &mut Select, i: Inst, builtin: Builtin) {
    let rows = cx.rules.builtins;
    match (builtin, cx.body.args(i)) {
        (Builtin::StackAlloc(align), &[bytes]) => {
            let (bytes, def) = (cx.reg(bytes), Operand::virt(cx.result(i)));
            cx.emit(rows.take, &[def], &[bytes], align.trailing_zeros() as i32, 0);
        }
        (Builtin::StackRestore, &[to]) => {
            let to = cx.reg(to);
            cx.emit(rows.stack[1], &[], &[to], 0, 0);
        }
        _ => {
            let def = Operand::virt(cx.result(i));
            cx.emit(rows.stack[0], &[def], &[], 0, 0);
        }
    }
    // What is below the slots is no longer as far from the stack pointer as it was.
    cx.out.framed = true;
}
