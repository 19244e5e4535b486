//! Instruction simplification: folds constants, brings operands into canonical order, and applies the rules.
//!
//! One sweep in reverse postorder, so that operands come before users; what changes puts its users, if the
//! sweep has been there, on a worklist that is emptied before the sweep goes on. A second run looks only at
//! what may have changed (`changes`). Control flow is not touched. O(instructions): every rule makes an
//! instruction smaller, or more canonical, and a budget of steps, far above what anything needs, is the
//! backstop.
//!
//! Canonical: constants on the right of commutative operations and comparisons, no instruction of constants
//! only. Division is never moved. A quotient by the literal 0 and a shift by the width or more become undef.

use crate::base::{Column, Handle};
use crate::ir::opcode::{COMMUTATIVE, PURE};
use crate::ir::{Body, Env, Flags, FloatPred, Inst, IntPred, Op, Shape, Type, Value};
use crate::opt::rules::float::{ABSORBING, EQUAL, NEGATED_RIGHT, NEUTRAL, exact_reciprocal};
use crate::opt::rules::{Rewrite, apply_rules, rewrite};
use crate::opt::run::analyses::{Analyses, AnalysisSet};
use crate::opt::run::changes::Changes;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use crate::opt::values::demanded::without_masks;

/// The pass.
pub static SIMPLIFY: FuncPass = FuncPass {
    name: "simplify",
    description: "fold constants and rewrite instructions by the proven rules",
    grows: false,
    needs: AnalysisSet::ORDER,
    run: |cx| with_memory(cx, run),
};

/// Steps per instruction after which the pass stops.
const BUDGET: usize = 64;

/// What is still to be looked at.
#[derive(Debug, Default)]
struct Marks {
    /// Per instruction.
    bits: Column<Inst, u8>,
    /// Last in, first out: those that the sweep has to come back to.
    again: Vec<Inst>,
}

/// To be looked at in this run.
const WAITING: u8 = 1;
/// The sweep has visited it. Only such are changed or removed, so what the sweep is about to visit stays
/// where it is.
const SWEPT: u8 = 2;

impl Marks {
    fn begin(&mut self, f: &Body, changes: &Changes) {
        self.bits.clear();
        self.bits
            .extend(changes.listed().unwrap_or_default().iter().map(|&listed| WAITING * u8::from(listed)));
        self.bits.grow_to(f.inst_count(), WAITING);
    }

    /// Has the instruction looked at in this run, unless it is going to be anyway.
    fn push(&mut self, i: Inst) {
        let bits = &mut self.bits[i];
        if *bits & WAITING == 0 {
            *bits |= WAITING;
            if *bits & SWEPT != 0 {
                self.again.push(i);
            }
        }
    }

    /// Has instructions looked at that were made in this run, from the one of number `first` on.
    fn push_new(&mut self, f: &Body, first: usize) {
        self.bits.grow_to(f.inst_count(), SWEPT | WAITING);
        self.again.extend(f.insts_from(first));
    }
}

/// What is still to be looked at, in this run and the next.
struct ToDo<'a> {
    now: &'a mut Marks,
    later: &'a mut Changes,
}

#[inline(never)]
fn run(cx: &mut FuncCx, marks: &mut Marks) -> Outcome {
    let FuncCx { env, ref mut f, ref mut analyses, ref mut scratch, .. } = *cx;
    marks.begin(f, &scratch.changes);
    scratch.changes.restart(f);
    let to_do = &mut ToDo { now: marks, later: &mut scratch.changes };
    let mut changed = false;
    let mut budget = f.placed_insts() * BUDGET;
    for k in 0..analyses.order.blocks.len() {
        let b = analyses.order.blocks[k];
        let mut ahead = f.first(b);
        while let Some(i) = ahead {
            ahead = f.next(i);
            if to_do.now.bits[i] & WAITING == 0 || !f.op(i).has(PURE) && f.op(i) != Op::Phi {
                continue;
            }
            let mut next = Some(i);
            while let Some(i) = next {
                to_do.now.bits[i] = SWEPT;
                if budget != 0 && f.block_of(i).is_some() {
                    budget -= 1;
                    changed |= visit(env, f, i, analyses, to_do);
                }
                next = to_do.now.again.pop();
            }
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG).listed()
}

/// Looks at one instruction; true if something changed.
#[inline]
fn visit(env: &Env, f: &mut Body, i: Inst, analyses: &mut Analyses, to_do: &mut ToDo) -> bool {
    if !f.has_uses(i) && f.op(i).has(PURE) {
        remove_unused(f, i, to_do);
        return true;
    }
    let before = f.inst_count();
    match step(env, f, i, analyses) {
        Some(rewrite) => {
            follow(f, i, rewrite, before, to_do);
            true
        }
        None => false,
    }
}

/// Has all looked at that a rewriting may matter to. New instructions are those from number `before` on.
fn follow(f: &mut Body, i: Inst, rewrite: Rewrite, before: usize, to_do: &mut ToDo) {
    to_do.now.push_new(f, before);
    for u in f.uses(i) {
        to_do.now.push(u.user);
    }
    match rewrite {
        Rewrite::InPlace(operands) => {
            to_do.now.push(i);
            for &v in &operands {
                match v.as_inst() {
                    // It has lost its last use.
                    Some(operand) if !f.has_uses(operand) => to_do.now.push(operand),
                    _ => to_do.later.loses_use(f, v),
                }
            }
        }
        Rewrite::Value(v) => {
            to_do.later.replaced_in_users(f, i);
            f.replace_uses(i, v);
            remove_unused(f, i, to_do);
        }
    }
}

/// Removes `i`; its operands may have lost their last use.
fn remove_unused(f: &mut Body, i: Inst, to_do: &mut ToDo) {
    for &v in f.args(i) {
        if let Some(operand) = v.as_inst().filter(|&operand| operand != i) {
            to_do.now.push(operand);
            to_do.later.loses_use(f, v);
        }
    }
    f.remove(i);
}

/// One step for one instruction, if there is anything to do.
fn step(env: &Env, f: &mut Body, i: Inst, analyses: &mut Analyses) -> Option<Rewrite> {
    let op = f.op(i);
    match op {
        Op::Phi => return same_phi(f, i, analyses).map(Rewrite::Value),
        Op::ElemAddr => return address(env, f, i),
        _ => {}
    }
    let (a, b) = match *f.args(i) {
        [a, b] => (a, b),
        [a] if a.is_number() => return fold(f, i),
        [_] if op == Op::FNeg => return float(f, i),
        [_] => return cast(f, i),
        [c, a, b] if op == Op::Select => return select(f, i, [c, a, b]),
        [_, _, _] => return fold(f, i),
        _ => return None,
    };
    if (a.is_constant() || b.is_number())
        && let Some(rewrite) = with_constant(f, i, a, b)
    {
        return Some(rewrite);
    }
    match op {
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => float(f, i),
        Op::Xor => negated_fcmp(f, i, a, b).or_else(|| apply_rules(f, i, a, b)),
        _ => apply_rules(f, i, a, b),
    }
}

/// What there is to do because one of two operands is a constant, or both are.
fn with_constant(f: &mut Body, i: Inst, a: Value, b: Value) -> Option<Rewrite> {
    if a.is_number()
        && b.is_number()
        && let Some(rewrite) = fold(f, i)
    {
        return Some(rewrite);
    }
    if f.op(i) == Op::And
        && let Some(mask) = f.as_int(b)
        && let Some(less) = without_masks(f, i, a, mask)
    {
        return Some(rewrite(f, i, Op::And, f.ty(i), &[less, b], 0));
    }
    reorder(f, i, a, b).or_else(|| undefined(f, i, b)).or_else(|| undone(f, i, a, b))
}

/// The value of a phi whose operands, itself aside, are all the same. An undef operand may be taken for any
/// value that is there already.
fn same_phi(f: &Body, phi: Inst, analyses: &mut Analyses) -> Option<Value> {
    let mut same = None;
    let mut undef = false;
    for &v in f.args(phi) {
        if v.is_undef() {
            undef = true;
        } else if v.as_inst() != Some(phi) && *same.get_or_insert(v) != v {
            return None;
        }
    }
    let Some(v) = same else { return Some(Value::undef(f.ty(phi))) };
    if undef
        && let (Some(def), Some(b)) = (v.as_inst(), f.block_of(phi))
        && let Some(from) = f.block_of(def)
        && (from == b || !analyses.ask_dominators(f).dominates(from, b))
    {
        return None;
    }
    Some(v)
}

/// What operands that are all numbers make.
fn fold(f: &mut Body, i: Inst) -> Option<Rewrite> {
    let mut args = [Value::bool(false); 3];
    let count = f.args(i).len();
    args.get_mut(..count)?.copy_from_slice(f.args(i));
    f.fold(f.op(i), f.ty(i), f.payload(i), &args[..count]).map(Rewrite::Value)
}

/// Constants to the right.
fn reorder(f: &mut Body, i: Inst, a: Value, b: Value) -> Option<Rewrite> {
    let op = f.op(i);
    let swaps = op.has(COMMUTATIVE) || op == Op::ICmp || op == Op::FCmp;
    if !swaps || !a.is_constant() || b.is_constant() {
        return None;
    }
    let payload = match op {
        Op::ICmp => IntPred::from_payload(f.payload(i)).swapped() as u32,
        Op::FCmp => FloatPred::from_payload(f.payload(i)).swapped() as u32,
        _ => f.payload(i),
    };
    let flags = f.flags(i);
    let done = rewrite(f, i, op, f.ty(i), &[b, a], payload);
    f.set_flags(i, flags);
    Some(done)
}

/// Quotients by zero and shifts by too much.
fn undefined(f: &Body, i: Inst, right: Value) -> Option<Rewrite> {
    let yes = match f.op(i) {
        Op::SDiv | Op::SRem | Op::UDiv | Op::URem => f.as_int(right)? == 0,
        Op::Shl | Op::LShr | Op::AShr => f.as_int(right)? as u64 >= u64::from(f.ty(i).int_bits()),
        _ => false,
    };
    yes.then(|| Rewrite::Value(Value::undef(f.ty(i))))
}

/// What takes back what its operand does with the same number, and promises that nothing is lost on the way.
fn undone(f: &Body, i: Inst, a: Value, b: Value) -> Option<Rewrite> {
    let done = a.as_inst().filter(|&done| f.flags(done) != Flags::NONE)?;
    let lossless = match (f.op(i), f.op(done)) {
        (Op::Mul, Op::SDiv | Op::UDiv) | (Op::Shl, Op::LShr | Op::AShr) => Flags::EXACT,
        (Op::UDiv, Op::Mul) | (Op::LShr, Op::Shl) => Flags::NUW,
        (Op::SDiv, Op::Mul) | (Op::AShr, Op::Shl) => Flags::NSW,
        _ => return None,
    };
    let &[x, by] = f.args(done) else { return None };
    (by == b && f.flags(done).has(lossless)).then_some(Rewrite::Value(x))
}

fn operand_of(f: &Body, v: Value, op: Op) -> Option<Value> {
    let i = v.as_inst()?;
    (f.op(i) == op).then(|| f.arg(i, 0))
}

fn float(f: &mut Body, i: Inst) -> Option<Rewrite> {
    let (op, ty) = (f.op(i), f.ty(i));
    let a = f.arg(i, 0);
    if op == Op::FNeg {
        return operand_of(f, a, Op::FNeg).map(Rewrite::Value);
    }
    let (b, flags) = (f.arg(i, 1), f.flags(i));
    let rewritten = |f: &mut Body, to: Op, args: &[Value]| {
        let done = rewrite(f, i, to, ty, args, 0);
        f.set_flags(i, flags.both(Flags::of(to)));
        done
    };
    if let Some(right) = f.as_f32(b) {
        if NEUTRAL.iter().any(|rule| rule.is_of(op, right, flags)) {
            return Some(Rewrite::Value(a));
        }
        if ABSORBING.iter().any(|rule| rule.is_of(op, right, flags)) {
            return Some(Rewrite::Value(b));
        }
        if op == Op::FDiv {
            let exact = exact_reciprocal(right);
            let reciprocal =
                exact.or_else(|| Some(1.0 / right).filter(|x| flags.has(Flags::ARCP) && x.is_normal()));
            let reciprocal = f.f32(reciprocal?);
            return Some(rewritten(f, Op::FMul, &[a, reciprocal]));
        }
    }
    if let Some(rule) = EQUAL.iter().find(|rule| a == b && rule.op == op && flags.has(rule.needs)) {
        return Some(Rewrite::Value(f.f32(rule.right)));
    }
    if op == Op::FSub && flags.has(Flags::NSZ) && f.as_f32(a) == Some(0.0) {
        return Some(rewritten(f, Op::FNeg, &[b]));
    }
    let negated = operand_of(f, b, Op::FNeg)?;
    let &(_, other) = NEGATED_RIGHT.iter().find(|&&(from, _)| from == op)?;
    Some(rewritten(f, other, &[a, negated]))
}

/// Choices of any type; the rules know integers only.
fn select(f: &mut Body, i: Inst, [c, a, b]: [Value; 3]) -> Option<Rewrite> {
    if let (true, Some(rewrite)) = ([c, a, b].iter().all(|v| v.is_number()), fold(f, i)) {
        return Some(rewrite);
    }
    match f.as_int(c) {
        _ if a == b => Some(Rewrite::Value(a)),
        Some(truth) => Some(Rewrite::Value(if truth != 0 { a } else { b })),
        None => apply_rules(f, i, c, a),
    }
}

/// A floating comparison that only its negation uses.
fn negated_fcmp(f: &mut Body, i: Inst, a: Value, b: Value) -> Option<Rewrite> {
    let compare = a.as_inst().filter(|&a| f.op(a) == Op::FCmp && b == Value::bool(true))?;
    f.single_use(compare)?;
    let (args, pred) = ([f.arg(compare, 0), f.arg(compare, 1)], FloatPred::from_payload(f.payload(compare)));
    Some(rewrite(f, i, Op::FCmp, Type::I1, &args, pred.inverse() as u32))
}

/// Widenings of widenings, and truncations of widenings.
fn cast(f: &mut Body, i: Inst) -> Option<Rewrite> {
    let (op, ty) = (f.op(i), f.ty(i));
    let inner = f.arg(i, 0).as_inst()?;
    let widens = matches!(f.op(inner), Op::ZExt | Op::SExt);
    if !widens {
        return None;
    }
    let narrow = f.arg(inner, 0);
    if op == Op::Trunc && f.type_of(narrow) == ty {
        return Some(Rewrite::Value(narrow));
    }
    // A zero-extended number is not negative, so extending its sign is extending it with zeros.
    let merged = f.op(inner) == op || op == Op::SExt && f.op(inner) == Op::ZExt;
    if op == Op::Trunc || !merged {
        return None;
    }
    Some(rewrite(f, i, f.op(inner), ty, &[narrow], 0))
}

/// The address of the first scalar of something is its own, and a step inside a step at constant places is
/// one.
fn address(env: &Env, f: &mut Body, i: Inst) -> Option<Rewrite> {
    let zero = |f: &Body, v: &Value| f.as_int(*v) == Some(0);
    let base = f.arg(i, 0);
    if f.args(i)[1..].iter().all(|v| zero(f, v)) {
        return Some(Rewrite::Value(base));
    }
    let inner = base.as_inst().filter(|&inner| f.op(inner) == Op::ElemAddr)?;
    let constants = |i: Inst| f.args(i)[1..].iter().all(|v| v.is_number());
    if !constants(inner) || !constants(i) || f.args(i).len() != 2 {
        return None;
    }
    // Both in units of the scalars that the outer one steps over.
    let step = env.shapes.bytes(Shape::new(f.payload(i) as usize)) as i64;
    let offset = byte_offset(env, f, inner)?;
    let index = f.as_int(f.arg(i, 1))?;
    if step == 0 || offset % step != 0 {
        return None;
    }
    let index = i32::try_from(index.checked_add(offset / step)?).ok()?;
    let [shape, of_inner] = [i, inner].map(|i| Shape::new(f.payload(i) as usize));
    let shape = if env.shapes.may_leave(of_inner) { env.shapes.leaving(shape) } else { shape };
    let (root, payload) = (f.arg(inner, 0), shape.index() as u32);
    let index = f.int(index);
    Some(rewrite(f, i, Op::ElemAddr, Type::Ptr, &[root, index], payload))
}

/// How far a step with constant indices goes.
fn byte_offset(env: &Env, f: &Body, i: Inst) -> Option<i64> {
    let mut shape = Shape::new(f.payload(i) as usize);
    let mut offset = 0i64;
    for (k, &v) in f.args(i)[1..].iter().enumerate() {
        if k > 0 {
            shape = env.shapes.element(shape);
        }
        let bytes = i64::try_from(env.shapes.bytes(shape)).ok()?;
        offset = offset.checked_add(f.as_int(v)?.checked_mul(bytes)?)?;
    }
    Some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{At, Place};
    use crate::opt::run::testing::{apply, leaves_alone, rewrites};

    #[test]
    fn rules_fold_reorder_and_remove() {
        rewrites(
            &SIMPLIFY,
            "define i32 @f(i32 %x, i32 %y) {
               %a = add i32 3, %x
               %b = add i32 %a, 4
               %c = icmp sgt i32 5, %b
               %d = zext i1 %c to i32
               %e = icmp eq i32 %d, 0
               %g = srem i32 %y, 8
               %h = icmp ne i32 %g, 0
               %i = and i1 %e, %h
               %j = select i1 %i, i32 1, i32 0
               %dead = mul i32 %j, %j
               ret i32 %j
             }",
            "define i32 @f(i32 %x, i32 %y) {
               %b = add i32 %x, 7
               %e = icmp sgt i32 %b, 4
               %g = and i32 %y, 7
               %h = icmp ne i32 %g, 0
               %i = and i1 %e, %h
               %j = zext i1 %i to i32
               ret i32 %j
             }",
        );
    }

    #[test]
    fn what_loses_nothing_is_taken_back() {
        let text = |done: &str, promise: &str, undo: &str, by: [i32; 2]| {
            format!(
                "define i32 @f(i32 %x) {{
                   %a = {done} {promise} i32 %x, {}
                   %b = {undo} i32 %a, {}
                   ret i32 %b
                 }}",
                by[0], by[1]
            )
        };
        let pairs = [
            ("sdiv", "exact", "mul"),
            ("udiv", "exact", "mul"),
            ("lshr", "exact", "shl"),
            ("ashr", "exact", "shl"),
            ("mul", "nuw", "udiv"),
            ("shl", "nuw", "lshr"),
            ("mul", "nsw", "sdiv"),
            ("shl", "nsw", "ashr"),
        ];
        for (done, promise, undo) in pairs {
            rewrites(&SIMPLIFY, &text(done, promise, undo, [5; 2]), "define i32 @f(i32 %x) { ret i32 %x }");
            leaves_alone(&SIMPLIFY, &text(done, "", undo, [5; 2]));
            leaves_alone(&SIMPLIFY, &text(done, promise, undo, [5, 6]));
            let other = if promise == "nuw" { "nsw" } else { "nuw" };
            if promise != "exact" {
                leaves_alone(&SIMPLIFY, &text(done, other, undo, [5; 2]));
            }
        }
    }

    #[test]
    fn a_rule_that_would_make_more_instructions_than_it_frees_does_not_apply() {
        leaves_alone(
            &SIMPLIFY,
            "define i32 @f(i32 %x) {
               %r = srem i32 %x, 8
               %c = icmp eq i32 %r, 0
               %z = zext i1 %c to i32
               %s = add i32 %z, %r
               ret i32 %s
             }",
        );
    }

    #[test]
    fn floats_keep_their_zeros_and_their_order() {
        leaves_alone(
            &SIMPLIFY,
            "define float @f(float %x) {
               %a = fadd float %x, 0.0
               %b = fmul float %a, 0.0
               %c = fsub float %b, %b
               %d = fadd float %c, 1.5
               %e = fadd float %d, 2.5
               %g = fdiv float %e, 3.0
               ret float %g
             }",
        );
        rewrites(
            &SIMPLIFY,
            "define i1 @f(float %x, float %y) {
               %a = fadd float %x, -0.0
               %n = fneg float %y
               %b = fsub float %a, %n
               %c = fdiv float %b, 4.0
               %d = fcmp olt float 1.0, %c
               %e = xor i1 %d, true
               ret i1 %e
             }",
            "define i1 @f(float %x, float %y) {
               %b = fadd float %x, %y
               %c = fmul float %b, 0.25
               %e = fcmp ule float %c, 1.0
               ret i1 %e
             }",
        );
    }

    #[test]
    fn floats_are_numbers_of_mathematics_where_that_is_promised() {
        // Each promise alone is not enough for what needs another one.
        leaves_alone(
            &SIMPLIFY,
            "define float @f(float %x) {
               %a = fadd reassoc nnan arcp contract float %x, 0.0
               %b = fmul nnan float %a, 0.0
               %c = fmul nsz float %b, 0.0
               %d = fsub nsz float %c, %c
               %g = fdiv reassoc nnan nsz contract float %d, 3.0
               %h = fdiv arcp float %g, 0.0
               %i = fdiv arcp float %h, 0x36A0000000000000
               ret float %i
             }",
        );
        rewrites(
            &SIMPLIFY,
            "define float @f(float %x, float %y) {
               %a = fadd nsz float %x, 0.0
               %b = fsub nsz float 0.0, %y
               %c = fsub nnan float %y, %y
               %d = fmul nnan nsz float %y, 0.0
               %e = fdiv nnan float %y, %y
               %g = fadd contract float %a, %b
               %h = fadd float %c, %d
               %i = fadd float %h, %e
               %j = fadd float %g, %i
               %k = fdiv nsz arcp float %j, 3.0
               %l = fmul reassoc float 7.0, %k
               ret float %l
             }",
            "define float @f(float %x, float %y) {
               %g = fsub contract float %x, %y
               %j = fadd float %g, 1.0
               %k = fmul nsz arcp float %j, 0x3FD5555560000000
               %l = fmul reassoc float %k, 7.0
               ret float %l
             }",
        );
    }

    #[test]
    fn what_has_three_operands_is_no_choice() {
        leaves_alone(
            &SIMPLIFY,
            "declare float @llvm.fma.f32(float, float, float)
             define float @f(float %x, float %y) {
               %r = call float @llvm.fma.f32(float %x, float %y, float %y)
               ret float %r
             }",
        );
    }

    #[test]
    fn addresses_and_phis() {
        rewrites(
            &SIMPLIFY,
            "@g = global [4 x [3 x i32]] zeroinitializer
             define i32 @f(i1 %c) {
             entry:
               %p = getelementptr [4 x [3 x i32]], ptr @g, i32 0, i32 2
               %q = getelementptr i32, ptr %p, i32 1
               %r = getelementptr [4 x [3 x i32]], ptr @g, i32 0, i32 0
               br i1 %c, label %one, label %two
             one:
               br label %two
             two:
               %s = phi ptr [ %q, %entry ], [ %q, %one ]
               %a = load i32, ptr %s
               %b = load i32, ptr %r
               %t = add i32 %a, %b
               ret i32 %t
             }",
            "@g = global [4 x [3 x i32]] zeroinitializer
             define i32 @f(i1 %c) {
             entry:
               %q = getelementptr i32, ptr @g, i32 7
               br i1 %c, label %one, label %two
             one:
               br label %two
             two:
               %a = load i32, ptr %q
               %b = load i32, ptr @g
               %t = add i32 %a, %b
               ret i32 %t
             }",
        );
    }

    #[test]
    fn what_a_rule_makes_comes_from_what_it_stands_for() {
        let text = "define i32 @f(i32 %x) {
  %r = srem i32 %x, 4
  %c = icmp eq i32 %r, 0
  %s = select i1 %c, i32 3, i32 %x
  ret i32 %s
}";
        let mut module = crate::ir::parse::parse(text).unwrap();
        assert!(apply(&SIMPLIFY, &mut module));
        let f = module.nth(0);
        let and = f.insts_from(0).find(|&i| f.op(i) == Op::And && f.block_of(i).is_some()).unwrap();
        let line = text[..f.loc(and) as usize].lines().count();
        assert!((2..=3).contains(&line), "line {line}");
    }

    #[test]
    fn a_long_chain_takes_linear_time() {
        let mut module = crate::opt::run::testing::module();
        let f = module.nth_mut(0);
        let b = f.create_block();
        let one = f.int(1);
        let n = 50_000;
        let mut v = Value::inst(Inst::new(0));
        for _ in 0..n {
            v = Value::inst(f.insert(At::End(b), Op::Add, Type::I32, &[one, v], 0, Place::NONE));
        }
        f.set_ret(b, Some(v), Place::NONE);
        assert!(apply(&SIMPLIFY, &mut module));
        let f = module.nth(0);
        let first = f.first(b).unwrap();
        assert_eq!((f.insts(b).count(), f.as_int(f.arg(first, 1))), (2, Some(n)));
    }
}
