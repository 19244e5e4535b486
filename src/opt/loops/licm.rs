//! Loop-invariant code motion: what computes the same in every round is computed once, in front of the loop.
//!
//! One walk in reverse postorder: what an instruction needs has been moved before. It goes in front of the
//! outermost loop that defines none of its operands, a load only out of loops that do not write where it
//! reads (`Touched`), and only if it is executed in each round or can do no harm: a load of a scalar global
//! or of a known element of an array. After `rotate` nearly all that stands at the top level of a loop is
//! executed in each round. Of three operands of products, or of sums, the two that the loop does not change are brought together
//! (`matrix_chain` 0.90 to 0.97 of its instructions), and what it does not change is added last (`horner` 0.51 to 0.61).
//!
//! O(operands + writes of loops).

use crate::analysis::Effects;
use crate::analysis::Loops;
use crate::analysis::alias::may_share;
use crate::analysis::effects::{Region, base_of_region};
use crate::analysis::memory::{Base, base_of, read, written};
use crate::analysis::simple_loop::preheader;
use crate::base::graph::Loop;
use crate::base::{Column, Handle, Opt};
use crate::ir::opcode::{MAY_TRAP, PURE};
use crate::ir::{At, Block, Body, Env, FuncId, GlobalId, Inst, Op, Shape, Sort, Type, Value, ValueKind};
use crate::opt::loops::canonical_loops::{CANONICAL_CFG, worth_it};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static LICM: FuncPass = FuncPass {
    name: "licm",
    description: "move out of loops what computes the same in each round",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// The most globals, and the most allocas, that are told apart.
const MOST: usize = 16;

/// Memory that a loop, or anything else, may read or write.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Anything.
    anywhere: bool,
    /// What the parameters of these bits point into: some global, or what other parameters point into. The last bit is for
    /// all from there on.
    params: u64,
    /// These globals and allocas, in order.
    globals: Vec<GlobalId>,
    own: Vec<Inst>,
}

impl Touched {
    fn clear(&mut self) {
        (self.anywhere, self.params) = (false, 0);
        self.globals.clear();
        self.own.clear();
    }

    /// Notes what an address with this base leads to.
    fn add(&mut self, base: Base) {
        let is_known = match base {
            Base::Own(i) => add_to(&mut self.own, i),
            Base::Global(global) => add_to(&mut self.globals, global),
            Base::Param(k) => {
                self.params |= 1 << k.min(u64::BITS - 1);
                true
            }
            Base::Unknown => false,
        };
        self.anywhere |= !is_known;
    }

    /// Notes what a call touches.
    fn add_regions(&mut self, f: &Body, call: Inst, regions: Option<&[Region]>) {
        let Some(regions) = regions else { return self.add(Base::Unknown) };
        for &region in regions {
            self.add(base_of_region(f, call, region));
        }
    }

    fn add_all(&mut self, other: &Touched) {
        self.anywhere |= other.anywhere;
        self.params |= other.params;
        other.globals.iter().for_each(|&global| self.add(Base::Global(global)));
        other.own.iter().for_each(|&i| self.add(Base::Own(i)));
    }

    /// True if what an address with this base leads to may be among it.
    pub fn may_touch(&self, env: &Env, func: FuncId, base: Base) -> bool {
        let shares = |other| may_share(env, func, base, other);
        let mut params = (0..u64::BITS).filter(|k| self.params & 1 << k != 0).map(Base::Param);
        match base {
            Base::Global(global) if env.globals[global].constant => false,
            _ if self.anywhere => true,
            Base::Own(i) => self.own.binary_search(&i).is_ok(),
            Base::Global(global) => self.globals.binary_search(&global).is_ok() || params.any(shares),
            Base::Param(_) => {
                params.any(shares) || self.globals.iter().any(|&global| shares(Base::Global(global)))
            }
            Base::Unknown => self.params != 0 || !self.globals.is_empty() || !self.own.is_empty(),
        }
    }
}

/// Adds to a list in order; false if that would be too long.
fn add_to<T: Ord>(list: &mut Vec<T>, x: T) -> bool {
    match list.binary_search(&x) {
        Ok(_) => true,
        Err(at) if list.len() < MOST => {
            list.insert(at, x);
            true
        }
        Err(_) => false,
    }
}

#[derive(Debug, Default)]
struct Scratch {
    /// Per loop.
    writes: Vec<Touched>,
    in_front: Column<Loop, Opt<Block>>,
    /// Per loop: the last block that dominates all from which it is left. What dominates that is executed
    /// in each round, or at least before the loop is left.
    common: Column<Loop, Opt<Block>>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    if !worth_it(cx.f, cx.analyses) {
        return Outcome::UNCHANGED;
    }
    let blocks = crate::opt::loops::canonical_loops::simplify_loops(cx.f, cx.analyses);
    s.look(cx);
    let FuncCx { env, ref mut f, effects, ref analyses, .. } = *cx;
    let loops = &analyses.loops;
    let mut moved = false;
    for &b in &analyses.order.blocks {
        let Some(inner) = loops.innermost[b].get() else { continue };
        let mut next = f.first(b);
        while let Some(i) = next {
            next = f.next(i);
            let op = f.op(i);
            let is_call = op == Op::Call && effects.is_pure(f.callee(i));
            if !op.has(PURE) && op != Op::Load && !is_call {
                continue;
            }
            if matches!(op, Op::Add | Op::Mul) {
                moved |= s.gather(f, loops, inner, i) || s.push_out(f, loops, inner, i);
            }
            let base = (op == Op::Load).then(|| base_of(f, f.arg(i, 0)));
            let is_harmless = !op.has(MAY_TRAP) && !is_call && (op != Op::Load || is_safe(env, f, i));
            let mut to = None;
            let (mut at, mut is_stuck) = (Some(inner), false);
            while let Some(l) = at {
                let is_invariant = |&v: &Value| {
                    v.as_inst().and_then(|i| f.block_of(i)).is_none_or(|home| !loops.contains(l, home))
                };
                let stays = base.is_some_and(|base| s.writes[l.index()].may_touch(env, f.func, base));
                let dominators = &analyses.dominators;
                is_stuck = stays && f.is_told() && l == inner && f.args(i).iter().all(is_invariant);
                if stays
                    || !f.args(i).iter().all(is_invariant)
                    || !is_harmless && s.common[l].get().is_none_or(|test| !dominators.dominates(b, test))
                {
                    break;
                }
                to = s.in_front[l].get().or(to);
                at = loops.parent[l].get();
            }
            if is_stuck {
                tell_what_stays(env, f, effects, (i, loops.blocks(inner)));
            }
            if let Some(to) = to {
                if op == Op::Load || is_call || op.has(MAY_TRAP) {
                    f.tell((Sort::Done, "licm"), f.place(i), || match op {
                        Op::Load => "the load is made once, in front of the loop".to_string(),
                        Op::Call => "the call is made once, in front of the loop".to_string(),
                        _ => "the division is made once, in front of the loop".to_string(),
                    });
                }
                f.move_inst(i, At::BeforeTerminator(to));
                if !is_call {
                    f.place_as_end(i, to);
                }
                moved = true;
            }
        }
    }
    // Rules do not ask where an instruction stands.
    Outcome::changed_if(blocks || moved, CANONICAL_CFG).listed()
}

/// Says what in a loop keeps a load there.
#[cold]
fn tell_what_stays(env: &Env, f: &mut Body, effects: &Effects, (load, blocks): (Inst, &[Block])) {
    let base = base_of(f, f.arg(load, 0));
    let mut writes = Touched::default();
    let may_change = |&i: &Inst| {
        writes.clear();
        note(f, i, effects, &mut writes);
        writes.may_touch(env, f.func, base)
    };
    let culprit = blocks.iter().flat_map(|&b| f.insts(b)).find(may_change);
    let what = match culprit {
        Some(i) if f.op(i) == Op::Call => {
            format!("the call of '{}' may", env.names.text(env.funcs[f.callee(i)].name))
        }
        Some(_) => "a store in the loop may".to_string(),
        None => "a loop inside may".to_string(),
    };
    let text = || format!("the load is not moved in front of the loop: {what} change what is there");
    f.tell((Sort::Missed, "licm"), f.place(load), text);
}

/// True if a load may be made where it was not. A vector may end behind the object that it begins in.
fn is_safe(env: &Env, f: &Body, load: Inst) -> bool {
    !f.ty(load).is_vector() && is_there(env, f, f.arg(load, 0), f.ty(load))
}

/// True if an address is that of a scalar of this type inside of a global or a variable, for certain.
pub fn is_there(env: &Env, f: &Body, address: Value, ty: Type) -> bool {
    let (mut base, mut offset) = (address, 0i64);
    if let Some(i) = address.as_inst().filter(|&i| f.op(i) == Op::ElemAddr) {
        let mut shape = Shape::new(f.payload(i) as usize);
        for &index in &f.args(i)[1..] {
            let (element, stride) = env.shapes.element_and_bytes(shape);
            let Some(step) = f.as_int(index).and_then(|x| x.checked_mul(stride as i64)) else { return false };
            let Some(sum) = offset.checked_add(step) else { return false };
            (shape, offset) = (element, sum);
        }
        base = f.arg(i, 0);
    }
    let object = match base.kind() {
        ValueKind::Global(global) => env.globals[global].shape,
        ValueKind::Inst(i) if f.op(i) == Op::Alloca => Shape::new(f.payload(i) as usize),
        _ => return false,
    };
    let end = offset.checked_add(i64::from(env.shapes.bytes_of(ty)));
    offset >= 0 && end.is_some_and(|end| end as u64 <= env.shapes.bytes(object))
}

impl Scratch {
    /// Of a product or a sum of three operands, brings those two together that the loop does not change, in front of it: `(x * a) * b`
    /// becomes `x * (a * b)`, which wraps alike.
    fn gather(&self, f: &mut Body, loops: &Loops, inner: Loop, i: Inst) -> bool {
        let parts = |f: &Body, i: Inst| parts(f, loops, inner, i);
        let (op, ty) = (f.op(i), f.ty(i));
        let Some((first, b)) = parts(f, i).filter(|_| matches!(ty, Type::I32 | Type::I64)) else {
            return false;
        };
        let Some(first) = first.as_inst().filter(|&first| f.op(first) == op && f.has_single_use(first))
        else {
            return false;
        };
        let Some((x, a)) = parts(f, first).filter(|&(_, a)| f.as_int(a).is_none() && f.as_int(b).is_none())
        else {
            return false;
        };
        let Some(both) = self.in_front_of(f, loops, inner, (i, op), [a, b]) else { return false };
        f.rewrite(i, op, ty, &[x, both], 0);
        f.remove_unused(first);
        true
    }

    /// What is computed of two values that the loop does not change, in front of the outermost loop that changes neither.
    fn in_front_of(
        &self,
        f: &mut Body,
        loops: &Loops,
        inner: Loop,
        (i, op): (Inst, Op),
        args: [Value; 2],
    ) -> Option<Value> {
        let (mut to, mut at) = (None, Some(inner));
        while let Some(l) = at.filter(|&l| !args.iter().any(|&v| varies(f, loops, v, l))) {
            to = self.in_front[l].get().or(to);
            at = loops.parent[l].get();
        }
        let (ty, place) = (f.ty(i), f.place(i));
        Some(Value::inst(f.insert(At::BeforeTerminator(to?), op, ty, &args, 0, place)))
    }

    /// Lets what the loop does not change be added last, where more of that is added to the result: `(x + a) * c + b` becomes
    /// `x * c + (a * c + b)`, and `(x + a + k) * c` becomes `(x + k + a) * c`. So a polynomial whose coefficients the loop does not change, and of
    /// which rules make one product of all that varies, takes no more than that and a sum (`horner`).
    fn push_out(&self, f: &mut Body, loops: &Loops, inner: Loop, i: Inst) -> bool {
        let (op, ty) = (f.op(i), f.ty(i));
        let is_wanted = |f: &Body| {
            let user = f.single_use(i)?.user;
            let is_part = matches!(f.op(user), Op::Add | Op::Mul) && parts(f, loops, inner, user).is_some();
            (is_part && (op == Op::Add || f.op(user) == Op::Add)).then_some(())
        };
        if !matches!(ty, Type::I32 | Type::I64) || is_wanted(f).is_none() {
            return false;
        }
        let &[a, b] = f.args(i) else { return false };
        for (sum, other) in [(a, b), (b, a)] {
            if (op == Op::Mul) == varies(f, loops, other, inner) {
                continue;
            }
            let Some(sum) = sum.as_inst().filter(|&sum| f.op(sum) == Op::Add && f.has_single_use(sum)) else {
                continue;
            };
            let Some((x, a)) = parts(f, loops, inner, sum).filter(|&(_, a)| f.as_int(a).is_none()) else {
                continue;
            };
            let last = match op {
                Op::Mul => self.in_front_of(f, loops, inner, (i, op), [a, other]),
                _ => Some(a),
            };
            let Some(last) = last else { continue };
            let place = f.place(i);
            let first = Value::inst(f.insert(At::Before(i), op, ty, &[x, other], 0, place));
            f.rewrite(i, Op::Add, ty, &[first, last], 0);
            f.remove_unused(sum);
            return true;
        }
        false
    }

    /// Collects what loops write, where they are entered and where they are left.
    fn look(&mut self, cx: &FuncCx) {
        let (f, loops) = (&*cx.f, &cx.analyses.loops);
        let count = loops.header.len();
        self.writes.iter_mut().for_each(Touched::clear);
        self.writes.resize_with(count.max(self.writes.len()), Touched::default);
        self.in_front.reset(count, Opt::NONE);
        self.common.reset(count, Opt::NONE);
        for &b in &cx.analyses.order.blocks {
            let Some(inner) = loops.innermost[b].get() else { continue };
            f.insts(b).for_each(|i| note(f, i, cx.effects, &mut self.writes[inner.index()]));
            for e in f.succs(b) {
                let mut at = Some(inner);
                while let Some(l) = at.filter(|&l| !loops.contains(l, f.edge_to(e))) {
                    let before = self.common[l].get().unwrap_or(b);
                    self.common[l] = Opt::from(cx.analyses.dominators.common(before, b));
                    at = loops.parent[l].get();
                }
            }
        }
        for l in loops.header.keys().rev() {
            self.in_front[l] = Opt::from(preheader(f, &cx.analyses.loops, l));
            if let Some(parent) = loops.parent[l].get() {
                let (before, from) = self.writes.split_at_mut(l.index());
                before[parent.index()].add_all(&from[0]);
            }
        }
    }
}

/// True of what a loop computes.
fn varies(f: &Body, loops: &Loops, v: Value, l: Loop) -> bool {
    v.as_inst().and_then(|i| f.block_of(i)).is_some_and(|home| loops.contains(l, home))
}

/// The operand that a loop computes, and the other one, which it does not.
fn parts(f: &Body, loops: &Loops, l: Loop, i: Inst) -> Option<(Value, Value)> {
    let &[a, b] = f.args(i) else { return None };
    match [a, b].map(|v| varies(f, loops, v, l)) {
        [true, false] => Some((a, b)),
        [false, true] => Some((b, a)),
        _ => None,
    }
}

/// What instructions read and write.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Where they read.
    pub reads: Touched,
    /// Where they write.
    pub writes: Touched,
}

impl Accesses {
    /// Notes what an instruction reads and writes.
    pub fn note(&mut self, f: &Body, i: Inst, effects: &Effects) {
        note(f, i, effects, &mut self.writes);
        match f.op(i) {
            Op::Call => self.reads.add_regions(f, i, effects.reads(f.callee(i))),
            _ => {
                if let Some(address) = read(f, i) {
                    self.reads.add(base_of(f, address));
                }
            }
        }
    }
}

/// Notes what an instruction writes.
fn note(f: &Body, i: Inst, effects: &Effects, writes: &mut Touched) {
    match f.op(i) {
        Op::Call => writes.add_regions(f, i, effects.writes(f.callee(i))),
        _ => {
            if let Some(address) = written(f, i) {
                writes.add(base_of(f, address));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    /// A loop that tests last, with this round.
    fn text(before: &str, round: &str) -> String {
        format!(
            "@g = internal global i32 0
             @a = internal global [9 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i32 %n, i32 %x, i1 %d) {{
             entry:
               {before}
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %latch ]
               {round}
               br label %latch
             latch:
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, %n
               br i1 %c, label %head, label %exit
             exit:
               ret i32 %j
             }}"
        )
    }

    #[test]
    fn what_each_round_computes_again_goes_in_front() {
        let moves = "%y = mul i32 %x, %n
                     %z = sdiv i32 %y, %x
                     %p = getelementptr [9 x i32], ptr @a, i32 0, i32 %z
                     %v = load i32, ptr %p";
        let stays = "%q = getelementptr [9 x i32], ptr @a, i32 0, i32 %i
                     %w = load i32, ptr %q
                     %s = add i32 %v, %w
                     call void @putint(i32 %s)
                     store i32 %s, ptr @g";
        rewrites(&LICM, &text("", &format!("{moves}\n{stays}")), &text(moves, stays));
    }

    #[test]
    fn two_operands_that_the_loop_does_not_change_are_brought_together() {
        let ends = "call void @putint(i32 %s)";
        let product = |rows: &str| text("", &format!("{rows}\n{ends}"));
        for op in ["mul", "add"] {
            // What the results promised is not true of the new ones.
            let before = format!("%t = {op} nsw i32 %i, %x\n%s = {op} nsw i32 %n, %t");
            let behind = format!("%s = {op} i32 %i, %b");
            let front = format!("%b = {op} i32 %x, %n");
            rewrites(&LICM, &product(&before), &text(&front, &format!("{behind}\n{ends}")));
        }
        // Numbers are folded elsewhere, sums of products are another thing, and what else uses the first one needs it.
        for rows in [
            "%t = mul i32 %i, %x\n%s = mul i32 %t, 3",
            "%t = mul i32 %i, %x\n%s = add i32 %t, %n",
            "%t = mul i32 %i, %x\n%s = mul i32 %t, %n\ncall void @putint(i32 %t)",
            "%t = mul i32 %i, %i\n%s = mul i32 %t, %n",
        ] {
            leaves_alone(&LICM, &product(rows));
        }
    }

    #[test]
    fn what_the_loop_does_not_change_is_added_last() {
        let ends = "call void @putint(i32 %s)";
        let round = |rows: &str| text("", &format!("{rows}\n{ends}"));
        rewrites(
            &LICM,
            &round("%t = add nsw i32 %i, %x\n%u = mul nsw i32 %t, 13\n%s = add i32 %u, %n"),
            &text(
                "%a = mul i32 %x, 13\n%b = add i32 %a, %n",
                &format!("%p = mul i32 %i, 13\n%s = add i32 %p, %b\n{ends}"),
            ),
        );
        rewrites(
            &LICM,
            &round("%t = add i32 %i, %x\n%u = add i32 %t, %i\n%s = mul i32 %u, 13"),
            &round("%p = add i32 %i, %i\n%u = add i32 %p, %x\n%s = mul i32 %u, 13"),
        );
        // What is added to the result varies, is a number, or the sum is needed elsewhere.
        for rows in [
            "%t = add i32 %i, %x\n%u = mul i32 %t, 13\n%s = add i32 %u, %i",
            "%t = add i32 %i, 7\n%u = mul i32 %t, %x\n%s = add i32 %u, %n",
            "%t = add i32 %i, %x\n%u = mul i32 %t, 13\n%s = add i32 %u, %n\ncall void @putint(i32 %t)",
            "%t = add i32 %i, %x\n%u = mul i32 %t, 13\n%s = add i32 %u, %n\ncall void @putint(i32 %u)",
        ] {
            leaves_alone(&LICM, &round(rows));
        }
    }

    #[test]
    fn what_the_loop_writes_and_what_may_not_be_reached_stays() {
        leaves_alone(
            &LICM,
            &text(
                "",
                "%v = load i32, ptr @g
                 %p = getelementptr [9 x i32], ptr @a, i32 0, i32 %i
                 store i32 %v, ptr %p
                 %q = getelementptr [9 x i32], ptr @a, i32 0, i32 %v
                 %w = load i32, ptr %q
                 store i32 %w, ptr @g",
            ),
        );
        let guarded = "br i1 %d, label %then, label %latch
             then:
               %z = sdiv i32 %n, %x
               call void @putint(i32 %z)";
        leaves_alone(&LICM, &text("", guarded));
        // Of a vector the first lanes may be there, and the last not.
        let guarded = "br i1 %d, label %then, label %latch
             then:
               %v = load <16 x i32>, ptr @a, align 4
               %s = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %v)
               call void @putint(i32 %s)";
        leaves_alone(&LICM, &text("", guarded));
    }

    #[test]
    fn what_does_no_harm_goes_in_front_although_it_may_not_be_reached() {
        let branch = "br i1 %d, label %then, label %latch
             then:";
        let moves = "%z = add i32 %n, %x
                     %v = load i32, ptr @g";
        rewrites(
            &LICM,
            &text("", &format!("{branch}\n{moves}\n%s = add i32 %z, %v\ncall void @putint(i32 %s)")),
            &text(&format!("{moves}\n%s = add i32 %z, %v"), &format!("{branch}\n call void @putint(i32 %s)")),
        );
    }

    #[test]
    fn what_reaches_behind_its_object_stays_behind_its_test() {
        leaves_alone(
            &LICM,
            &text(
                "",
                "br i1 %d, label %then, label %latch
                 then:
                   %v = load i64, ptr @g
                   %w = trunc i64 %v to i32
                   call void @putint(i32 %w)",
            ),
        );
    }

    #[test]
    fn two_loops_are_left_at_once() {
        rewrites(
            &LICM,
            "define i32 @f(i32 %n, i32 %x) {
             entry:
               br label %outer
             outer:
               %i = phi i32 [ 0, %entry ], [ %k, %next ]
               br label %inner
             inner:
               %j = phi i32 [ 0, %outer ], [ %m, %inner ]
               %y = mul i32 %x, %n
               %z = add i32 %y, %i
               %m = add i32 %j, %z
               %c = icmp slt i32 %m, %n
               br i1 %c, label %inner, label %next
             next:
               %k = add i32 %i, 1
               %d = icmp slt i32 %k, %n
               br i1 %d, label %outer, label %exit
             exit:
               ret i32 %k
             }",
            "define i32 @f(i32 %n, i32 %x) {
             entry:
               %y = mul i32 %x, %n
               br label %outer
             outer:
               %i = phi i32 [ 0, %entry ], [ %k, %next ]
               %z = add i32 %y, %i
               br label %inner
             inner:
               %j = phi i32 [ 0, %outer ], [ %m, %inner ]
               %m = add i32 %j, %z
               %c = icmp slt i32 %m, %n
               br i1 %c, label %inner, label %next
             next:
               %k = add i32 %i, 1
               %d = icmp slt i32 %k, %n
               br i1 %d, label %outer, label %exit
             exit:
               ret i32 %k
             }",
        );
    }

    #[test]
    fn what_calls_and_inner_loops_write_is_written() {
        let sets = "define void @sets() {\n store i32 1, ptr @g\n ret void\n}\ndefine i32 @f";
        let round = "%v = load i32, ptr @g\n call void @putint(i32 %v)";
        let call = text("", &format!("{round}\n call void @sets()")).replace("define i32 @f", sets);
        leaves_alone(&LICM, &call);
        let inner = "br label %inner
             inner:
               %k = phi i32 [ 0, %head ], [ %m, %inner ]
               store i32 %k, ptr @g
               %m = add i32 %k, 1
               %e = icmp slt i32 %m, %n
               br i1 %e, label %inner, label %latch";
        let text = text("", &format!("{round}\n {inner}"))
            .replace("label %latch\n               br label %latch", "label %latch");
        leaves_alone(&LICM, &text);
    }
}
