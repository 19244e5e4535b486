//! Matches rules against instructions, and rewrites.
//!
//! The recursion here is over the trees of rules, which are a few levels deep whatever the program is.

use super::index::{RuleSet, table_of};
use super::{BOOLS, Expr, Rule, Special, WORDS, is_constant, new_insts};
use crate::ir::fold::{self, Number};
use crate::ir::opcode::COMMUTATIVE;
use crate::ir::{At, Body, Inst, IntPred, Op, Type, Value};

/// What the letters of a rule stand for.
struct Bindings {
    /// Integers, then truth values; of those that are not in `bound`, anything.
    letters: [Value; WORDS + BOOLS],
    state: State,
}

/// What changes while a pattern is matched, and is put back where it does not fit.
#[derive(Copy, Clone)]
struct State {
    /// The letters that stand for something, as bits.
    bound: u8,
    /// The type of the integers, once one is known.
    ty: Option<Type>,
    /// Matched instructions, the root not counted, that nothing but the pattern uses.
    freed: u32,
}

const _: () = assert!(WORDS + BOOLS <= u8::BITS as usize);

impl Bindings {
    fn get(&self, letter: usize) -> Option<Value> {
        (self.state.bound >> letter & 1 != 0).then_some(self.letters[letter])
    }

    fn bind(&mut self, letter: usize, v: Value) {
        self.letters[letter] = v;
        self.state.bound |= 1 << letter;
    }
}

/// What an instruction may become.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// It yields what this value is.
    Value(Value),
    /// It was turned into another instruction in place. These are the first three operands that it had, the
    /// last one repeated.
    InPlace([Value; 3]),
}

/// Turns `i` into another instruction in place.
pub fn rewrite(f: &mut Body, i: Inst, op: Op, ty: Type, args: &[Value], payload: u32) -> Rewrite {
    let operands = match *f.args(i) {
        [a, b] => [a, b, b],
        [a] => [a; 3],
        [a, b, c, ..] => [a, b, c],
        [] => [Value::undef(ty); 3],
    };
    f.rewrite(i, op, ty, args, payload);
    Rewrite::InPlace(operands)
}

/// Applies the first rule that fits `i`, an instruction with operands `a`, `b` and perhaps a third. New
/// instructions stand right before it; of `Rewrite::Value`, the caller replaces it. O(rules that the index
/// leaves).
#[inline]
pub fn apply_rules(f: &mut Body, i: Inst, a: Value, b: Value) -> Option<Rewrite> {
    let (index, rules) = table_of(f.op(i))?;
    let candidates = index.candidates(f, i, a, b);
    if candidates == 0 { None } else { try_rules(f, i, rules, candidates) }
}

#[inline(never)]
fn try_rules(f: &mut Body, i: Inst, rules: &[Rule], mut candidates: RuleSet) -> Option<Rewrite> {
    while candidates != 0 {
        let rule = &rules[candidates.trailing_zeros() as usize];
        candidates &= candidates - 1;
        if let Some(found) = find(f, i, rule)
            && rule.new_insts <= found.state.freed + 1
            && let Some(rewrite) = build_root(f, rule, i, &found)
        {
            return Some(rewrite);
        }
    }
    None
}

/// What the letters of the rule stand for in `i`, if its pattern fits and its condition holds.
#[inline(always)]
fn find(f: &Body, i: Inst, rule: &Rule) -> Option<Bindings> {
    let state = State { bound: 0, ty: None, freed: 0 };
    let mut found = Bindings { letters: [Value::bool(false); WORDS + BOOLS], state };
    (matches_inst(f, &rule.pattern, i, &mut found) && holds(f, &rule.condition, &found)).then_some(found)
}

/// True if the rule's pattern fits `i` and its condition holds.
#[cfg(test)]
pub(super) fn fits(f: &Body, i: Inst, rule: &Rule) -> bool {
    find(f, i, rule).is_some()
}

fn matches(f: &Body, expr: &Expr, v: Value, found: &mut Bindings) -> bool {
    match *expr {
        Expr::Word(k) => bind_word(f, k, v, found),
        Expr::Const(k) => v.is_number() && bind_word(f, k, v, found),
        Expr::Bool(k) => {
            let letter = WORDS + k as usize;
            match found.get(letter) {
                Some(bound) => bound == v,
                None => {
                    found.bind(letter, v);
                    f.type_of(v) == Type::I1
                }
            }
        }
        Expr::Truth(truth) => v == Value::bool(truth),
        Expr::Number(x) => is_word_number(f, v, found, |ty| Number::int(ty, x)),
        Expr::Special(special) => is_word_number(f, v, found, |ty| special_number(special, ty)),
        Expr::Unary(..) | Expr::Binary(..) | Expr::Compare(..) | Expr::Select(..) => {
            let Some(i) = v.as_inst() else { return false };
            if !matches_inst(f, expr, i, found) {
                return false;
            }
            found.state.freed += u32::from(f.single_use(i).is_some());
            true
        }
    }
}

fn matches_inst(f: &Body, expr: &Expr, i: Inst, found: &mut Bindings) -> bool {
    match *expr {
        Expr::Unary(op, a) => f.op(i) == op && matches(f, a, f.arg(i, 0), found),
        Expr::Binary(op, a, b) => f.op(i) == op && matches_pair(f, op.has(COMMUTATIVE), a, b, i, found),
        Expr::Compare(pred, a, b) => {
            if f.op(i) != Op::ICmp {
                return false;
            }
            let have = IntPred::from_payload(f.payload(i));
            if have == pred {
                return matches_pair(f, pred.swapped() == pred, a, b, i, found);
            }
            have == pred.swapped() && in_order(f, b, a, i, found)
        }
        Expr::Select(c, a, b) => {
            f.op(i) == Op::Select
                && matches(f, c, f.arg(i, 0), found)
                && matches(f, a, f.arg(i, 1), found)
                && matches(f, b, f.arg(i, 2), found)
        }
        _ => false,
    }
}

fn matches_pair(f: &Body, either: bool, a: &Expr, b: &Expr, i: Inst, found: &mut Bindings) -> bool {
    let before = found.state;
    if in_order(f, a, b, i, found) {
        return true;
    }
    found.state = before;
    either && in_order(f, b, a, i, found)
}

/// Matches the operands of `i` with `a` and `b`.
fn in_order(f: &Body, a: &Expr, b: &Expr, i: Inst, found: &mut Bindings) -> bool {
    matches(f, a, f.arg(i, 0), found) && matches(f, b, f.arg(i, 1), found)
}

fn bind_word(f: &Body, k: u8, v: Value, found: &mut Bindings) -> bool {
    if let Some(bound) = found.get(usize::from(k)) {
        return bound == v;
    }
    let ty = f.type_of(v);
    if ty == Type::I1 || !ty.is_int() || *found.state.ty.get_or_insert(ty) != ty {
        return false;
    }
    found.bind(usize::from(k), v);
    true
}

fn is_word_number(f: &Body, v: Value, found: &mut Bindings, number: impl Fn(Type) -> Number) -> bool {
    let Some(have) = f.number(v) else { return false };
    let fits = have.ty != Type::I1 && have.ty.is_int() && *found.state.ty.get_or_insert(have.ty) == have.ty;
    fits && have == number(have.ty)
}

fn special_number(special: Special, ty: Type) -> Number {
    let bits = ty.int_bits();
    Number::int(
        ty,
        match special {
            Special::Width => i64::from(bits),
            Special::Min => i64::MIN >> (64 - bits),
            Special::Max => i64::MAX >> (64 - bits),
        },
    )
}

fn holds(f: &Body, condition: &Expr, found: &Bindings) -> bool {
    matches!(condition, Expr::Truth(true)) || constant(f, condition, found).is_some_and(|x| x.bits == 1)
}

/// The number that a tree of constants is.
fn constant(f: &Body, expr: &Expr, found: &Bindings) -> Option<Number> {
    match *expr {
        Expr::Const(k) => f.number(found.get(usize::from(k))?),
        Expr::Truth(truth) => Some(Number::bool(truth)),
        // A rule without integers has no use for these.
        Expr::Number(x) => Some(Number::int(found.state.ty?, x)),
        Expr::Special(special) => Some(special_number(special, found.state.ty?)),
        Expr::Binary(op, a, b) => {
            let (a, b) = (constant(f, a, found)?, constant(f, b, found)?);
            fold::fold(op, a.ty, 0, &[a, b])
        }
        Expr::Compare(pred, a, b) => {
            fold::fold(Op::ICmp, Type::I1, pred as u32, &[constant(f, a, found)?, constant(f, b, found)?])
        }
        Expr::Word(_) | Expr::Bool(_) | Expr::Unary(..) | Expr::Select(..) => None,
    }
}

fn build_root(f: &mut Body, rule: &Rule, i: Inst, found: &Bindings) -> Option<Rewrite> {
    if rule.new_insts == 0 {
        return leaf(f, &rule.result, found).map(Rewrite::Value);
    }
    // Nothing is made before it is sure that all constants fold.
    if !folds(f, &rule.result, found) {
        return None;
    }
    let node = node(f, &rule.result, i, found)?;
    Some(rewrite(f, i, node.op, node.ty, &node.args[..node.count], node.payload))
}

fn folds(f: &Body, expr: &Expr, found: &Bindings) -> bool {
    match *expr {
        _ if is_constant(expr) => constant(f, expr, found).is_some(),
        Expr::Unary(_, a) => folds(f, a, found),
        Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => folds(f, a, found) && folds(f, b, found),
        Expr::Select(c, a, b) => folds(f, c, found) && folds(f, a, found) && folds(f, b, found),
        _ => true,
    }
}

struct Node {
    op: Op,
    ty: Type,
    payload: u32,
    args: [Value; 3],
    count: usize,
}

fn leaf(f: &mut Body, expr: &Expr, found: &Bindings) -> Option<Value> {
    match *expr {
        Expr::Word(k) => found.get(usize::from(k)),
        Expr::Bool(k) => found.get(WORDS + usize::from(k)),
        _ => constant(f, expr, found).map(|x| f.constant(x)),
    }
}

/// The instruction at the top of a tree, its operands built before `at`.
fn node(f: &mut Body, expr: &Expr, at: Inst, found: &Bindings) -> Option<Node> {
    let none = Value::bool(false);
    let mut node = Node { op: Op::ICmp, ty: Type::I1, payload: 0, args: [none; 3], count: 2 };
    match *expr {
        Expr::Unary(op, a) => {
            // Asked for first: what was built for nothing would stay.
            (node.op, node.ty, node.count) = (op, found.state.ty?, 1);
            node.args[0] = build(f, a, at, found)?;
        }
        Expr::Binary(op, a, b) => {
            node.args = [build(f, a, at, found)?, build(f, b, at, found)?, none];
            (node.op, node.ty) = (op, f.type_of(node.args[0]));
        }
        Expr::Compare(pred, a, b) => {
            node.args = [build(f, a, at, found)?, build(f, b, at, found)?, none];
            node.payload = pred as u32;
        }
        Expr::Select(c, a, b) => {
            node.args = [build(f, c, at, found)?, build(f, a, at, found)?, build(f, b, at, found)?];
            (node.op, node.ty, node.count) = (Op::Select, f.type_of(node.args[1]), 3);
        }
        _ => return None,
    }
    Some(node)
}

fn build(f: &mut Body, expr: &Expr, at: Inst, found: &Bindings) -> Option<Value> {
    if new_insts(expr) == 0 {
        return leaf(f, expr, found);
    }
    let node = node(f, expr, at, found)?;
    let (args, place) = (&node.args[..node.count], f.place(at));
    Some(Value::inst(f.insert(At::Before(at), node.op, node.ty, args, node.payload, place)))
}
