//! Comparisons: the form that all targets start from, what a condition is behind its negations, and
//! conditions on the flags of ARM's machines.
//!
//! A comparison that nothing else uses, in the block of its user, is made right before the user. After a
//! comparison of floats the flags NZCV are 1000 for less, 0110 for equal, 0010 for greater and 0011 for
//! unordered, so every predicate but two is one condition; `one` and `ueq` first turn unordered into equal.

use super::select::Select;
use crate::ir::{Body, FloatPred, Inst, IntPred, Op, Type, Value};
use crate::mir::MachineOp;

/// A comparison of integers, its operands so placed that a constant is the second.
#[derive(Copy, Clone, Debug)]
pub struct Integers {
    /// What is asked. Of i1, signs count for nothing.
    pub pred: IntPred,
    /// The first operand.
    pub a: Value,
    /// The second.
    pub b: Value,
    /// The second as a constant.
    pub constant: Option<i64>,
}

impl Integers {
    /// True if signs count.
    pub fn signed(&self) -> bool {
        matches!(self.pred, IntPred::Slt | IntPred::Sle | IntPred::Sgt | IntPred::Sge)
    }
}

/// The comparison that an `icmp` is.
pub fn integers(cx: &Select, i: Inst) -> Integers {
    let (mut a, mut b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let mut pred = IntPred::from_payload(cx.body.payload(i));
    if a.is_constant() && !b.is_constant() {
        (a, b, pred) = (b, a, pred.swapped());
    }
    if cx.body.type_of(a) == Type::I1 {
        // True is kept as 1 but stands for -1 where signs count.
        use IntPred::*;
        pred = [Eq, Ne, Ugt, Uge, Ult, Ule, Ult, Ule, Ugt, Uge][pred as usize];
    }
    let constant = cx.body.as_int(b);
    // For zero, machines have branches, and flags that other instructions set.
    if constant == Some(0) && matches!(pred, IntPred::Sgt | IntPred::Sle) && is_not_negative(cx.body, a) {
        pred = if pred == IntPred::Sgt { IntPred::Ne } else { IntPred::Eq };
    }
    Integers { pred, a, b, constant }
}

/// True for what has no sign, as far as the instruction that makes it tells.
pub fn is_not_negative(f: &Body, v: Value) -> bool {
    let Some(i) = v.as_inst() else { return false };
    let by = || f.args(i).get(1).and_then(|&by| f.as_int(by));
    match f.op(i) {
        Op::LShr => by().is_some_and(|by| by > 0),
        Op::And => by().is_some_and(|mask| mask >= 0),
        Op::ZExt => true,
        _ => false,
    }
}

/// The comparison that an `fcmp` is, and true if the second operand is zero; a zero comes second.
pub fn floats(cx: &Select, i: Inst) -> (FloatPred, Value, Value, bool) {
    let (a, b) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let pred = FloatPred::from_payload(cx.body.payload(i));
    let is_zero = |v: Value| cx.body.as_f32(v) == Some(0.0) || cx.body.as_f64(v) == Some(0.0);
    match (is_zero(a), is_zero(b)) {
        (true, false) => (pred.swapped(), b, a, true),
        (_, zero) => (pred, a, b, zero),
    }
}

/// Of an instruction that joins two i1, true if both have to hold, and false if one is enough.
pub fn joins(cx: &Select, i: Inst) -> Option<bool> {
    match cx.body.op(i) {
        Op::And if cx.body.ty(i) == Type::I1 => Some(true),
        Op::Or if cx.body.ty(i) == Type::I1 => Some(false),
        _ => None,
    }
}

/// A condition without the negations (`xor` with true) around it, and whether their number is odd.
pub fn without_negations(cx: &Select, mut v: Value) -> (Value, bool) {
    let mut negated = false;
    while let Some(i) = cx.foldable_as(v, Op::Xor) {
        let (a, b) = cx.constant_last(i);
        match cx.body.as_int(b) {
            Some(x) if cx.body.ty(i) == Type::I1 => {
                negated ^= x & 1 != 0;
                v = a;
            }
            _ => break,
        }
    }
    (v, negated)
}

/// The comparison that makes `v`, if it can be folded.
pub fn comparison(cx: &Select, v: Value) -> Option<Inst> {
    cx.foldable(v).filter(|&i| matches!(cx.body.op(i), Op::ICmp | Op::FCmp))
}

/// True if `condition` of an i1 comes from a comparison and not from a register.
pub fn is_comparison(cx: &Select, v: Value) -> bool {
    let (v, _) = without_negations(cx, v);
    cx.body.type_of(v) == Type::I1 && comparison(cx, v).is_some()
}

/// A condition on the flags, by its number in encodings.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
#[rustfmt::skip]
#[allow(missing_docs)]
pub enum Cond { Eq, Ne, Hs, Lo, Mi, Pl, Vs, Vc, Hi, Ls, Ge, Lt, Gt, Le }

impl Cond {
    /// All conditions, in number order.
    pub const ALL: [Cond; 14] = {
        use Cond::*;
        [Eq, Ne, Hs, Lo, Mi, Pl, Vs, Vc, Hi, Ls, Ge, Lt, Gt, Le]
    };

    /// The condition that says of a - b what the predicate says of a and b.
    pub fn of_ints(pred: IntPred) -> Cond {
        use Cond::*;
        [Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs][pred as usize]
    }

    /// The condition after a comparison of floats; for `one` and `ueq`, once unordered is equal.
    pub fn of_floats(pred: FloatPred) -> Cond {
        use Cond::*;
        // oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno
        [Eq, Gt, Ge, Mi, Ls, Ne, Vc, Eq, Hi, Pl, Lt, Le, Ne, Vs][pred as usize]
    }

    /// Flags under which it holds: N, Z, C and V in bits 3 to 0.
    pub fn flags(self) -> i32 {
        [4, 0, 2, 0, 8, 0, 1, 0, 2, 0, 0, 8, 0, 4][self as usize]
    }

    /// True exactly when this one is false: they differ in the lowest bit.
    pub fn inverse(self) -> Cond {
        Cond::ALL[self as usize ^ 1]
    }

    /// This one, or its opposite.
    pub fn negated(self, negated: bool) -> Cond {
        if negated { self.inverse() } else { self }
    }

    /// The opcode of a family for this condition.
    pub fn of(self, family: MachineOp) -> MachineOp {
        MachineOp(family.0 + self as u16)
    }
}

/// Emits the flags for an i1, those of comparisons by `flags`, of a register by comparing it with 0; the
/// condition under which it is true.
pub fn condition(cx: &mut Select, v: Value, flags: fn(&mut Select, Inst) -> Cond, zero: MachineOp) -> Cond {
    let (v, negated) = without_negations(cx, v);
    let cond = match comparison(cx, v) {
        Some(i) => flags(cx, i),
        None => {
            let x = cx.reg(v);
            cx.emit(zero, &[], &[x], 0, 0);
            Cond::Ne
        }
    };
    cond.negated(negated)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a condition holds for flags N, Z, C, V in bits 3 to 0.
    fn holds(cond: Cond, nzcv: u32) -> bool {
        let [n, z, c, v] = [3, 2, 1, 0].map(|bit| nzcv >> bit & 1 != 0);
        let base = [z, c, n, v, c && !z, n == v, n == v && !z][cond as usize / 2];
        base != (cond as usize % 2 == 1)
    }

    #[test]
    fn the_flags_of_a_condition_are_some_under_which_it_alone_of_its_pair_holds() {
        for cond in Cond::ALL {
            let flags = cond.flags() as u32;
            assert!(holds(cond, flags) && !holds(cond.inverse(), flags), "{cond:?}");
        }
    }

    #[test]
    fn float_conditions_hold_when_their_predicates_do() {
        let numbers = [f64::NAN, -1.0, 0.0, 2.0];
        for pred in FloatPred::ALL {
            for (a, b) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
                let mut flags = if a < b { 8 } else { 6 - 4 * u32::from(a > b) };
                if a.is_nan() || b.is_nan() {
                    flags = if matches!(pred, FloatPred::One | FloatPred::Ueq) { 6 } else { 3 };
                }
                assert_eq!(holds(Cond::of_floats(pred), flags), pred.holds(a, b), "{pred:?} {a} {b}");
            }
        }
    }

    #[test]
    fn int_conditions_hold_when_their_predicates_do() {
        let numbers = [0, 1, -1, i32::MIN, i32::MAX];
        for (a, b) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
            let (difference, overflow) = a.overflowing_sub(b);
            let flags = [difference < 0, difference == 0, a as u32 >= b as u32, overflow];
            let nzcv = flags.iter().fold(0, |bits, &flag| bits << 1 | u32::from(flag));
            let (x, y) = (a as u32, b as u32);
            let expected = [a == b, a != b, a < b, a <= b, a > b, a >= b, x < y, x <= y, x > y, x >= y];
            for pred in IntPred::ALL {
                assert_eq!(holds(Cond::of_ints(pred), nzcv), expected[pred as usize], "{pred:?} {a} {b}");
            }
        }
    }
}
