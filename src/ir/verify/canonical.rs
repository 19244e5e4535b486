//! The rules of canonical form: what the passes that fold and simplify leave behind. Rules on values hold behind
//! `simplify`, rules on control flow behind `simplify_cfg`, which may leave a constant where a phi was.

use super::{Checked, Rule, inst_error};
use crate::ir::fold::{Number, fold};
use crate::ir::opcode::{COMMUTATIVE, PURE};
use crate::ir::{Body, Inst, Op, Type};

/// Checks every rule of canonical form on a valid body.
pub fn check_canonical(f: &Body) -> Checked {
    check_values(f).and_then(|()| check_flow(f))
}

/// Checks the rules of canonical form on control flow, on a valid body.
pub fn check_flow(f: &Body) -> Checked {
    for b in f.blocks() {
        let mut succs = f.succs(b).map(|e| f.edge_to(e));
        for i in f.insts(b) {
            let op = f.op(i);
            let broken = if op == Op::CondBr && f.args(i).first().is_some_and(|v| v.is_number()) {
                Rule::ConditionConstant
            } else if op == Op::CondBr && succs.next() == succs.next() {
                Rule::TargetsDiffer
            } else if op == Op::Alloca && f.entry() != Some(b) {
                Rule::AllocaInEntry
            } else {
                continue;
            };
            return Err(inst_error(f, i, broken, broken.row().says));
        }
    }
    Ok(())
}

/// Checks the rules of canonical form on values, on a valid body.
pub fn check_values(f: &Body) -> Checked {
    for b in f.blocks() {
        for i in f.insts(b) {
            let (op, args) = (f.op(i), f.args(i));
            let constant = |k: usize| args.get(k).is_some_and(|v| v.is_number());
            let integer = |k: usize| args.get(k).and_then(|&v| f.as_int(v));
            let divides = matches!(op, Op::SDiv | Op::SRem | Op::UDiv | Op::URem);
            let shifts = matches!(op, Op::Shl | Op::LShr | Op::AShr);
            let broken = if divides && integer(1) == Some(0) {
                Rule::DivisionByZero
            } else if shifts && integer(1).is_some_and(|x| x as u64 >= u64::from(f.ty(i).int_bits())) {
                Rule::ShiftAmount
            } else if op.has(PURE) && folds(f, i) {
                Rule::Folded
            } else if op.has(COMMUTATIVE) && constant(0) && !constant(1) {
                Rule::ConstantRight
            } else {
                continue;
            };
            return Err(inst_error(f, i, broken, broken.row().says));
        }
    }
    Ok(())
}

/// True if all operands are numbers, and the folder knows the result: arithmetic on a NaN, for one, it leaves
/// alone.
fn folds(f: &Body, i: Inst) -> bool {
    let mut numbers = [Number::zero(Type::I1); 3];
    let Some(numbers) = numbers.get_mut(..f.args(i).len()) else { return false };
    for (number, &v) in numbers.iter_mut().zip(f.args(i)) {
        let Some(x) = f.number(v) else { return false };
        *number = x;
    }
    fold(f.op(i), f.ty(i), f.payload(i), numbers).is_some()
}
