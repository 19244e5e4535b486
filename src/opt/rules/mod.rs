//! Rewrite rules as data: a pattern, a condition on its constants, and what replaces it, in one language.
//!
//! The tables are written as expressions, for example `(Add (Add x A) B) => (Add x (Add A B))`, and a macro
//! turns them into static trees. Leaves: `x y z` are any integers, `A B C` constant integers, `p q` any truth
//! values; one letter is one value; all integers of a rule have one type. `T F` are true and false, `MIN MAX`
//! the extremes of the signed type and `WIDTH` its bits. What is built of constants alone is folded while
//! rewriting, so a replacement computes with the constants it found. A rule with `if` applies where that
//! folds to true.
//!
//! Tests prove every rule: by evaluation of all inputs at small widths, and by a SAT solver at 32 bits where
//! neither products nor quotients make that hopeless. A replacement makes at most as many instructions as the
//! rule's pattern leaves without uses; the engine counts, so rules need not say it.

mod apply;
mod arithmetic;
mod bitwise;
mod compare;
pub mod float;
mod index;
#[cfg(test)]
mod proof;

pub use apply::{Rewrite, apply_rules, rewrite};

use crate::ir::{IntPred, Op};

/// A tree of a rule.
#[derive(Debug)]
pub enum Expr {
    /// Any integer; one number is one value.
    Word(u8),
    /// An integer constant; numbered after the integers.
    Const(u8),
    /// Any truth value.
    Bool(u8),
    /// This truth value.
    Truth(bool),
    /// This integer, modulo the width.
    Number(i64),
    /// A number that depends on the width.
    Special(Special),
    /// An operation on one operand.
    Unary(Op, &'static Expr),
    /// An operation on two operands.
    Binary(Op, &'static Expr, &'static Expr),
    /// A comparison.
    Compare(IntPred, &'static Expr, &'static Expr),
    /// A choice.
    Select(&'static Expr, &'static Expr, &'static Expr),
}

/// Numbers that depend on the width of the rule's integers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Special {
    /// The bits of the type.
    Width,
    /// The least signed number.
    Min,
    /// The greatest signed number.
    Max,
}

/// A rule: where `pattern` stands and `condition` holds, `result` yields the same.
#[derive(Debug)]
pub struct Rule {
    /// What is looked for.
    pub pattern: Expr,
    /// Must be true of the constants.
    pub condition: Expr,
    /// What replaces it.
    pub result: Expr,
    /// Instructions that building the result makes.
    pub new_insts: u32,
    /// The rule as it was written.
    pub text: &'static str,
}

/// True for a tree of constants, which is folded while rewriting.
const fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Truth(_) | Expr::Number(_) | Expr::Special(_) => true,
        Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => is_constant(a) && is_constant(b),
        Expr::Word(_) | Expr::Bool(_) | Expr::Unary(..) | Expr::Select(..) => false,
    }
}

/// Instructions that building the tree makes.
const fn new_insts(expr: &Expr) -> u32 {
    match expr {
        Expr::Unary(_, a) => 1 + new_insts(a),
        Expr::Binary(_, a, b) | Expr::Compare(_, a, b) if !is_constant(expr) => {
            1 + new_insts(a) + new_insts(b)
        }
        Expr::Select(c, a, b) => 1 + new_insts(c) + new_insts(a) + new_insts(b),
        _ => 0,
    }
}

/// Integers that a rule may name: x y z A B C.
pub const WORDS: usize = 6;
/// Truth values that a rule may name: p q.
pub const BOOLS: usize = 2;

/// The leaves of rules by their names there; minus one is spelled out, because `-1` is two tokens.
#[allow(non_upper_case_globals)]
mod leaf {
    use super::{Expr, Special};
    pub(super) const x: Expr = Expr::Word(0);
    pub(super) const y: Expr = Expr::Word(1);
    pub(super) const z: Expr = Expr::Word(2);
    pub(super) const A: Expr = Expr::Const(3);
    pub(super) const B: Expr = Expr::Const(4);
    pub(super) const C: Expr = Expr::Const(5);
    pub(super) const p: Expr = Expr::Bool(0);
    pub(super) const q: Expr = Expr::Bool(1);
    pub(super) const T: Expr = Expr::Truth(true);
    pub(super) const F: Expr = Expr::Truth(false);
    pub(super) const WIDTH: Expr = Expr::Special(Special::Width);
    pub(super) const MIN: Expr = Expr::Special(Special::Min);
    pub(super) const MAX: Expr = Expr::Special(Special::Max);
    pub(super) const ones: Expr = Expr::Number(-1);
}

macro_rules! expr {
    ($leaf:ident) => {
        $crate::opt::rules::leaf::$leaf
    };
    (($leaf:ident)) => {
        $crate::opt::rules::leaf::$leaf
    };
    ($number:literal) => {
        $crate::opt::rules::Expr::Number($number)
    };
    ((ICmp $pred:ident $a:tt $b:tt)) => {
        $crate::opt::rules::Expr::Compare($crate::ir::IntPred::$pred, &expr!($a), &expr!($b))
    };
    ((Select $c:tt $a:tt $b:tt)) => {
        $crate::opt::rules::Expr::Select(&expr!($c), &expr!($a), &expr!($b))
    };
    ((ZExt $a:tt)) => {
        $crate::opt::rules::Expr::Unary($crate::ir::Op::ZExt, &expr!($a))
    };
    (($op:ident $a:tt $b:tt)) => {
        $crate::opt::rules::Expr::Binary($crate::ir::Op::$op, &expr!($a), &expr!($b))
    };
}

macro_rules! rules {
    ($($pattern:tt => $result:tt $(if $condition:tt)?;)*) => {
        &[$($crate::opt::rules::Rule {
            pattern: expr!($pattern),
            condition: rules!(@condition $($condition)?),
            result: expr!($result),
            new_insts: $crate::opt::rules::new_insts(&expr!($result)),
            text: concat!(stringify!($pattern), " => ", stringify!($result) $(, " if ", stringify!($condition))?),
        }),*]
    };
    (@condition) => { expr!(T) };
    (@condition $condition:tt) => { expr!($condition) };
}

use {expr, rules};

/// The opcodes that have rules, and the rules in the order in which they are tried.
const TABLES: [(Op, &[Rule]); 15] = [
    (Op::Add, arithmetic::ADD),
    (Op::Sub, arithmetic::SUB),
    (Op::Mul, arithmetic::MUL),
    (Op::SDiv, arithmetic::SDIV),
    (Op::SRem, arithmetic::SREM),
    (Op::UDiv, arithmetic::UDIV),
    (Op::URem, arithmetic::UREM),
    (Op::And, bitwise::AND),
    (Op::Or, bitwise::OR),
    (Op::Xor, bitwise::XOR),
    (Op::Shl, bitwise::SHL),
    (Op::LShr, bitwise::LSHR),
    (Op::AShr, bitwise::ASHR),
    (Op::ICmp, compare::ICMP),
    (Op::Select, compare::SELECT),
];
