//! Which rules may fit an instruction: sets of bits, made at compile time from the patterns.
//!
//! Most instructions fit no rule, so this is what most of them cost: the classes of two operands (the opcode
//! behind it, or what number it is), and three intersections. On 10,000 generated lines that leaves one rule
//! to match for every four instructions; trying rules one after the other took 500 instructions each.
//!
//! Bit `k` of a set is the rule at place `k` of its opcode's table, so the lowest bit is the rule to try
//! first.

use super::{Expr, Rule, TABLES, WORDS};
use crate::ir::opcode::{COMMUTATIVE, OPS};
use crate::ir::{Body, Inst, IntPred, Op, Type, Value};

/// A set of the rules of one opcode.
pub(super) type RuleSet = u128;

/// The opcodes that stand inside of patterns.
const INNER: [Op; 12] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::SDiv,
    Op::SRem,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::ZExt,
    Op::ICmp,
    Op::Select,
    // Shifts stand inside of shifts of their own kind only.
    Op::Shl,
];

/// Classes of operands. First those of no use to any rule; then, for each of `INNER`, three: no operand is a
/// number, the last is, only the first is; then numbers.
const OTHER: usize = 0;
const NO_NUMBER: usize = 1;
const RIGHT_NUMBER: usize = NO_NUMBER + INNER.len();
const LEFT_NUMBER: usize = RIGHT_NUMBER + INNER.len();
const ZERO: usize = LEFT_NUMBER + INNER.len();
const ONE: usize = ZERO + 1;
const ONES: usize = ZERO + 2;
const ABOVE_ONE: usize = ZERO + 3;
const BELOW_ONES: usize = ZERO + 4;
const CLASSES: usize = ZERO + 5;

/// Per opcode: its class where no operand is a number.
const CLASS_OF_OP: [u8; OPS.len()] = {
    let mut classes = [OTHER as u8; OPS.len()];
    let mut k = 0;
    while k < INNER.len() {
        classes[INNER[k] as usize] = (NO_NUMBER + k) as u8;
        k += 1;
    }
    classes[Op::LShr as usize] = classes[Op::Shl as usize];
    classes[Op::AShr as usize] = classes[Op::Shl as usize];
    classes
};

/// The sets of one opcode.
#[derive(Copy, Clone)]
pub(super) struct Index {
    /// Per class: the rules whose first operand may be of that class; and the second.
    operands: [[RuleSet; CLASSES]; 2],
    /// Per predicate (0 for what has none): the rules to match with the operands as they stand, and changed
    /// about.
    straight: [RuleSet; IntPred::ALL.len()],
    flipped: [RuleSet; IntPred::ALL.len()],
    /// The rules for integers whose last operand is no truth value, and for truth values.
    types: [RuleSet; 2],
    /// The rules that need not see one value in both operands or their operands.
    unlinked: RuleSet,
    /// Per class of the first operand, as bits: the classes of the second one with which any rule may fit,
    /// where the two operands are not the same. Nine in ten instructions end here.
    may: [u64; CLASSES],
}

const _: () = assert!(CLASSES <= u64::BITS as usize);

static INDICES: [Index; TABLES.len()] = {
    let mut indices = [Index::EMPTY; TABLES.len()];
    let mut k = 0;
    while k < TABLES.len() {
        indices[k] = Index::new(TABLES[k].0, TABLES[k].1);
        k += 1;
    }
    indices
};

/// Per opcode: its place in `TABLES`, or `TABLES.len()`.
const TABLE_OF: [u8; OPS.len()] = {
    let mut places = [TABLES.len() as u8; OPS.len()];
    let mut k = 0;
    while k < TABLES.len() {
        places[TABLES[k].0 as usize] = k as u8;
        k += 1;
    }
    places
};

/// The rules whose pattern is an operation `op`, in the order in which they are tried, and their index.
#[inline]
pub(super) fn table_of(op: Op) -> Option<(&'static Index, &'static [Rule])> {
    let place = usize::from(TABLE_OF[op as usize]);
    Some((INDICES.get(place)?, TABLES.get(place)?.1))
}

impl Index {
    const EMPTY: Index = Index {
        operands: [[0; CLASSES]; 2],
        straight: [0; IntPred::ALL.len()],
        flipped: [0; IntPred::ALL.len()],
        types: [0; 2],
        unlinked: 0,
        may: [0; CLASSES],
    };

    /// The sets of the rules whose patterns are all an operation `op`.
    const fn new(op: Op, rules: &[Rule]) -> Index {
        assert!(rules.len() <= RuleSet::BITS as usize);
        let mut index = Index::EMPTY;
        let (mut k, mut of_one_value) = (0, 0);
        while k < rules.len() {
            index.add(op, &rules[k], 1 << k);
            if let Expr::Binary(_, a, b) | Expr::Compare(_, a, b) = &rules[k].pattern
                && letter(a) & letter(b) != 0
            {
                of_one_value |= 1 << k;
            }
            k += 1;
        }
        index.may = index.pairs(!of_one_value);
        index
    }

    /// `may` of some rules.
    const fn pairs(&self, rules: RuleSet) -> [u64; CLASSES] {
        let [first, second] = &self.operands;
        let (mut straight, mut flipped) = (0, 0);
        let mut pred = 0;
        while pred < IntPred::ALL.len() {
            straight |= self.straight[pred] & rules;
            flipped |= self.flipped[pred] & rules;
            pred += 1;
        }
        let mut may = [0; CLASSES];
        let mut x = 0;
        while x < CLASSES {
            let mut y = 0;
            while y < CLASSES {
                if first[x] & second[y] & straight | first[y] & second[x] & flipped != 0 {
                    may[x] |= 1 << y;
                }
                y += 1;
            }
            x += 1;
        }
        may
    }

    const fn add(&mut self, op: Op, rule: &Rule, bit: RuleSet) {
        let pattern = &rule.pattern;
        let (a, b) = match pattern {
            // Of a choice, the condition and the first value.
            Expr::Binary(_, a, b) | Expr::Compare(_, a, b) | Expr::Select(a, b, _) => (*a, *b),
            _ => return,
        };
        let mut class = 0;
        while class < CLASSES {
            if may_be(a, class) && may_hold(&rule.condition, a, class) {
                self.operands[0][class] |= bit;
            }
            if may_be(b, class) && may_hold(&rule.condition, b, class) {
                self.operands[1][class] |= bit;
            }
            class += 1;
        }
        if let Expr::Compare(pred, ..) = pattern {
            self.straight[*pred as usize] |= bit;
            self.flipped[pred.swapped() as usize] |= bit;
        } else {
            self.straight[0] |= bit;
            if OPS[op as usize].flags & COMMUTATIVE != 0 {
                self.flipped[0] |= bit;
            }
        }
        if !matches!(is_truth(b), Some(true)) {
            self.types[0] |= bit;
        }
        if !matches!(is_truth(b), Some(false)) {
            self.types[1] |= bit;
        }
        if matches!(pattern, Expr::Select(..)) || letters(a) & letters(b) == 0 {
            self.unlinked |= bit;
        }
    }

    /// The rules that may fit instruction `i`, whose opcode this index is for.
    #[inline]
    pub(super) fn candidates(&self, f: &Body, i: Inst, a: Value, b: Value) -> RuleSet {
        let ((x, [c, d]), (y, [e, g])) = (class(f, a), class(f, b));
        if (self.may[x] >> y & 1 == 0) & (a != b) {
            return 0;
        }
        let pred = if f.op(i) == Op::ICmp { f.payload(i) as usize % IntPred::ALL.len() } else { 0 };
        let [first, second] = &self.operands;
        let mut set = first[x] & second[y] & self.straight[pred] | first[y] & second[x] & self.flipped[pred];
        let meets = |v: Value| (v == a) | (v == c) | (v == d);
        if !(meets(b) | meets(e) | meets(g)) {
            set &= self.unlinked;
        }
        if set != 0 {
            set &= self.types[usize::from(f.type_of(b) == Type::I1)];
        }
        set
    }
}

/// The class of an operand, and the first two of its own operands; where there are none, itself.
#[inline(always)]
fn class(f: &Body, v: Value) -> (usize, [Value; 2]) {
    let Some(i) = v.as_inst() else { return (class_of_constant(f, v), [v; 2]) };
    let class = usize::from(CLASS_OF_OP[f.op(i) as usize]);
    match *f.args(i) {
        _ if class == OTHER => (class, [v; 2]),
        [a, b] if b.is_number() => (class + RIGHT_NUMBER - NO_NUMBER, [a, b]),
        [a, b] if a.is_number() => (class + LEFT_NUMBER - NO_NUMBER, [a, b]),
        [a, b, ..] => (class, [a, b]),
        [a] => (class, [a; 2]),
        [] => (class, [v; 2]),
    }
}

fn class_of_constant(f: &Body, v: Value) -> usize {
    if !v.is_number() {
        return OTHER;
    }
    match f.as_int(v) {
        Some(0) => ZERO,
        Some(1) => ONE,
        Some(-1) => ONES,
        Some(x) if x < 0 => BELOW_ONES,
        _ => ABOVE_ONE,
    }
}

/// True if an operand of this class may match the tree.
const fn may_be(expr: &Expr, class: usize) -> bool {
    match expr {
        Expr::Word(_) | Expr::Bool(_) => true,
        Expr::Const(_) | Expr::Special(_) => class >= ZERO,
        Expr::Truth(truth) => class == if *truth { ONE } else { ZERO },
        Expr::Number(0) => class == ZERO,
        Expr::Number(1) => class == ONE,
        Expr::Number(-1) => class == ONES,
        Expr::Number(_) => class >= ABOVE_ONE,
        Expr::Unary(op, _) => class == class_of(*op),
        Expr::Select(..) => class == class_of(Op::Select),
        Expr::Compare(_, a, b) => may_be_pair(Op::ICmp, a, b, class) || may_be_pair(Op::ICmp, b, a, class),
        Expr::Binary(op, a, b) => {
            let swaps = OPS[*op as usize].flags & COMMUTATIVE != 0;
            may_be_pair(*op, a, b, class) || swaps && may_be_pair(*op, b, a, class)
        }
    }
}

/// True if an instruction of this class may be `op` of what match `a` and `b`.
const fn may_be_pair(op: Op, a: &Expr, b: &Expr, class: usize) -> bool {
    let plain = class_of(op);
    if class == plain + RIGHT_NUMBER - NO_NUMBER {
        return !is_operation(b);
    }
    if class == plain + LEFT_NUMBER - NO_NUMBER {
        return !is_operation(a) && !is_number(b);
    }
    class == plain && !is_number(a) && !is_number(b)
}

const fn class_of(op: Op) -> usize {
    let class = CLASS_OF_OP[op as usize] as usize;
    assert!(class != OTHER, "an opcode inside of a pattern has a class");
    class
}

const fn is_number(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(_) | Expr::Truth(_) | Expr::Number(_) | Expr::Special(_))
}

const fn is_operation(expr: &Expr) -> bool {
    matches!(expr, Expr::Unary(..) | Expr::Binary(..) | Expr::Compare(..) | Expr::Select(..))
}

/// False if a condition is certain to fail where the operand `expr` is a number of this class.
const fn may_hold(condition: &Expr, expr: &Expr, class: usize) -> bool {
    let Expr::Const(letter) = expr else { return true };
    match condition {
        Expr::Binary(Op::And, a, b) => may_hold(a, expr, class) && may_hold(b, expr, class),
        Expr::Compare(pred, Expr::Const(k), Expr::Number(x)) if *k == *letter => match (*pred, *x) {
            (IntPred::Slt, 0) => matches!(class, ONES | BELOW_ONES),
            (IntPred::Slt, 1) => matches!(class, ZERO | ONES | BELOW_ONES),
            (IntPred::Sgt, 0) => matches!(class, ONE | ABOVE_ONE),
            (IntPred::Sgt, 1) => class == ABOVE_ONE,
            _ => true,
        },
        _ => true,
    }
}

/// Whether the tree is a truth value, if that is plain.
const fn is_truth(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Bool(_) | Expr::Truth(_) | Expr::Compare(..) => Some(true),
        Expr::Word(_) | Expr::Const(_) | Expr::Number(_) | Expr::Special(_) => Some(false),
        _ => None,
    }
}

/// The letters in an operand, and in its own operands, as bits.
const fn letters(expr: &Expr) -> u32 {
    match expr {
        Expr::Unary(_, a) => letter(a),
        Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => letter(a) | letter(b),
        _ => letter(expr),
    }
}

const fn letter(expr: &Expr) -> u32 {
    match expr {
        Expr::Word(k) | Expr::Const(k) => 1 << *k,
        Expr::Bool(k) => 1 << (WORDS + *k as usize),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BOOLS, Special};
    use super::*;
    use crate::base::Handle;
    use crate::ir::{At, Block, Place};

    /// Where patterns are built: parameters 0 to 2 are x y z, 3 and 4 are p and q.
    fn body() -> (Body, Block) {
        let mut env = crate::ir::Env::default();
        let params = [[Type::I32; 3].as_slice(), &[Type::I1; BOOLS]].concat();
        let name = env.names.intern("f");
        let linkage = crate::ir::Linkage::External;
        let func = crate::ir::Func::new(name, Type::I32, params, linkage);
        let mut f = Body::new(env.funcs.push(func.clone()), &func);
        let b = f.create_block();
        (f, b)
    }

    /// An instance of the tree, operands of what is commutative turned around if `turned`.
    fn build(f: &mut Body, b: Block, expr: &Expr, constants: [i32; 3], turned: bool) -> Value {
        let (op, payload, mut args) = match *expr {
            Expr::Word(k) => return Value::inst(Inst::new(k as usize)),
            Expr::Const(k) => return f.int(constants[k as usize - 3]),
            Expr::Bool(k) => return Value::inst(Inst::new(3 + k as usize)),
            Expr::Truth(truth) => return Value::bool(truth),
            Expr::Number(x) => return f.int(x as i32),
            Expr::Special(Special::Width) => return f.int(32),
            Expr::Special(Special::Min) => return f.int(i32::MIN),
            Expr::Special(Special::Max) => return f.int(i32::MAX),
            Expr::Unary(op, a) => (op, 0, vec![build(f, b, a, constants, turned)]),
            Expr::Binary(op, x, y) => (op, 0, [x, y].map(|e| build(f, b, e, constants, turned)).to_vec()),
            Expr::Compare(pred, x, y) => {
                let pred = if turned { pred.swapped() } else { pred };
                (Op::ICmp, pred as u32, [x, y].map(|e| build(f, b, e, constants, turned)).to_vec())
            }
            Expr::Select(c, x, y) => {
                (Op::Select, 0, [c, x, y].map(|e| build(f, b, e, constants, turned)).to_vec())
            }
        };
        if turned && (op == Op::ICmp || op.has(COMMUTATIVE)) {
            args.reverse();
        }
        let ty = match op {
            Op::ICmp => Type::I1,
            Op::ZExt => Type::I32,
            _ => f.type_of(args[args.len() - 1]),
        };
        Value::inst(f.insert(At::End(b), op, ty, &args, payload, Place::NONE))
    }

    #[test]
    fn the_index_leaves_every_rule_where_its_pattern_stands() {
        let numbers = [-7, -1, 0, 1, 2, 8, 100];
        for (op, rules) in TABLES {
            for (k, rule) in rules.iter().enumerate() {
                let mut stands = 0;
                for case in 0..2 * numbers.len().pow(3) {
                    let constants = [case / 2, case / 14, case / 98].map(|n| numbers[n % numbers.len()]);
                    let (mut f, b) = body();
                    let v = build(&mut f, b, &rule.pattern, constants, case % 2 == 1);
                    let i = v.as_inst().unwrap();
                    if super::super::apply::fits(&f, i, rule) {
                        let (index, _) = table_of(op).unwrap();
                        let set = index.candidates(&f, i, f.arg(i, 0), f.arg(i, 1));
                        assert!(set >> k & 1 != 0, "{} with {constants:?}", rule.text);
                        stands += 1;
                    }
                }
                assert!(stands > 0, "{}", rule.text);
            }
        }
    }

    #[test]
    fn where_operands_have_nothing_to_do_with_any_pattern_no_rule_is_left() {
        let (f, _) = body();
        let [x, y] = [0, 1].map(|k| Value::inst(Inst::new(k)));
        for (op, _) in TABLES.into_iter().filter(|&(op, _)| !matches!(op, Op::ICmp | Op::Select)) {
            let (index, _) = table_of(op).unwrap();
            assert_eq!(index.candidates(&f, Inst::new(0), x, y), 0, "{op:?}");
        }
    }
}
