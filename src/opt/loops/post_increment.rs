//! Post-increment addressing on machines that have it (`TargetFacts::moves_base`): the increment of a pointer that is an
//! induction variable is placed right behind such an access, and selection makes one instruction of both. Later accesses
//! go by the new pointer. Where no access can take it, and for counters, the increment goes behind the last use of the old
//! value, so that the new one needs no register of its own. (On other machines a machine pass, `delay`, does that.)
//!
//! Where an access by the new pointer waits for the one that moves it (`TargetFacts::moving_waits`), only the last one moves it: with all by
//! another instruction, the Cortex-A53 takes 0.987 of the cycles (llvm-mca, 96 kernels), and AArch64 executes 1.9% more.
//!
//! | an iteration | becomes |
//! | --- | --- |
//! | `q = p + 4; x = *p; *(p + 8) = x` | `x = *p; q = p + 4; *(q + 4) = x` |
//! | `j = i + 1; a[i] = x; j < n` | `a[i] = x; j = i + 1; j < n` |
//! | vectors at `p`, `p + 16` and `p + 32`, where there are no such offsets | a step behind each (`chain`) |
//!
//! Value numbering merges the increment with an equal value that was computed long before; so this comes after it. Of a
//! loop its phis and the latch are looked at: O(instructions of those + uses of the phis). S. Muchnick, "Advanced
//! Compiler Design and Implementation", 17.

mod chain;

use crate::analysis::sum::peel;
use crate::base::Column;
use crate::base::graph::Loop;
use crate::ir::{At, Block, Body, Env, Inst, Op, Type, Use, Value};
use crate::opt::loops::strength::offset;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static POST_INCREMENT: FuncPass = FuncPass {
    name: "post_increment",
    description: "post-increment addressing, and increments behind the last use of the old value",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// Uses of an induction variable that are looked at.
const MOST_USES: usize = 64;

#[derive(Debug, Default)]
struct Scratch {
    /// Of what stands in the block that goes back: its number there, from 1.
    position: Column<Inst, u32>,
    /// Accesses by the variable, and how many bytes from it.
    accesses: Vec<(Inst, i64)>,
    /// Uses of the next value that must stand behind the step, but for the variable's own.
    behind: Vec<Use>,
}

/// A variable that steps.
#[derive(Copy, Clone, Debug)]
struct Variable {
    phi: Inst,
    next: Inst,
    /// Bytes, of a pointer.
    by: i64,
    l: Loop,
    latch: Block,
    goes_back: usize,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    if cx.target.moving_int == 0 {
        return Outcome::UNCHANGED;
    }
    cx.require(AnalysisSet::LOOPS);
    if cx.analyses.loops.header.is_empty() {
        return Outcome::UNCHANGED;
    }
    let mut changed = false;
    s.position.reset(cx.f.inst_count(), 0);
    for l in cx.analyses.loops.header.keys() {
        let loops = &cx.analyses.loops;
        let (header, &[latch]) = (loops.header[l], loops.latches(l)) else { continue };
        if loops.innermost[latch].get() != Some(l) {
            continue;
        }
        let mut edges = cx.f.succs(latch).filter(|&e| cx.f.edge_to(e) == header);
        let (Some(back), None) = (edges.next(), edges.next()) else { continue };
        let goes_back = cx.f.edge_slot(back);
        let mut is_numbered = false;
        let mut at = cx.f.first(header);
        while let Some(phi) = at.filter(|&i| cx.f.op(i) == Op::Phi) {
            at = cx.f.next(phi);
            let inside = |i: Inst| cx.f.block_of(i).is_some_and(|b| cx.analyses.loops.contains(l, b));
            let Some((next, by)) = step_of(cx.f, cx.env, phi, goes_back, inside) else { continue };
            if !inside(next) {
                continue;
            }
            if !is_numbered {
                s.number(cx.f, latch);
                is_numbered = true;
            }
            let v = Variable { phi, next, by, l, latch, goes_back };
            changed |= s.chain(cx, v) || s.place(cx, v);
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// What a phi gets when the loop goes on, if that is itself and a constant, or a pointer and what the loop does not change; and
/// the bytes, of a pointer and a constant.
fn step_of(
    f: &Body,
    env: &Env,
    phi: Inst,
    goes_back: usize,
    inside: impl Fn(Inst) -> bool,
) -> Option<(Inst, i64)> {
    let next = f.arg(phi, goes_back).as_inst()?;
    if let Some(by) = constant_step(f, env, next, phi) {
        return Some((next, if f.ty(phi) == Type::Ptr { by } else { 0 }));
    }
    let &[base, count] = f.args(next) else { return None };
    let is_step = f.op(next) == Op::ElemAddr && base == Value::inst(phi);
    (is_step && !count.as_inst().is_some_and(inside)).then_some((next, 0))
}

/// What is added to a value, if that is a constant.
fn constant_step(f: &Body, env: &Env, sum: Inst, of: Inst) -> Option<i64> {
    let (base, by) = peel(env, f, Value::inst(sum), |i| i == sum);
    (base == Value::inst(of) && sum != of && f.args(sum).len() == 2).then_some(by)
}

fn is_access(f: &Body, u: Use) -> bool {
    matches!((f.op(u.user), u.operand), (Op::Load, 0) | (Op::Store, 1))
}

impl Scratch {
    fn number(&mut self, f: &Body, latch: Block) {
        self.position.grow_to(f.inst_count(), 0);
        for (k, i) in f.insts(latch).enumerate() {
            self.position[i] = k as u32 + 1;
        }
    }

    /// Finds the best place of a variable's step, and puts it there.
    fn place(&mut self, cx: &mut FuncCx, v: Variable) -> bool {
        let Some(last_other) = self.find_uses(cx, v) else { return false };
        let moving = self.moving(cx, v, last_other);
        let (f, latch) = (&*cx.f, v.latch);
        let (at, position) = match moving {
            Some(access) => (At::After(access), self.position[access]),
            None => {
                let here = self.accesses.iter().map(|&(i, _)| i).filter(|&i| f.block_of(i) == Some(latch));
                let last = here.chain(last_other).max_by_key(|&i| self.position[i]);
                let position = last.map_or(0, |i| self.position[i]);
                let is_late = f.block_of(v.next) == Some(latch) && self.position[v.next] > position;
                if is_late || !self.all_behind(cx, v, position) {
                    return false;
                }
                (last.map_or(At::Start(latch), At::After), position)
            }
        };
        let by_old = |&(i, _): &(Inst, i64)| {
            let by_next = f.args(i).last() == Some(&Value::inst(v.next));
            f.block_of(i) == Some(latch) && self.position[i] > position && !by_next
        };
        if moving.is_some() && f.prev(v.next) == moving && !self.accesses.iter().any(by_old) {
            return false;
        }
        self.step(cx, v, (at, position), moving.is_some());
        true
    }

    /// Collects the uses of a variable; the last one in the block that goes back that is no access. `None` if
    /// some are out of the loop, or there are too many.
    fn find_uses(&mut self, cx: &FuncCx, v: Variable) -> Option<Option<Inst>> {
        let (f, loops) = (&*cx.f, &cx.analyses.loops);
        let inside = |i: Inst| f.block_of(i).is_some_and(|b| loops.contains(v.l, b));
        let is_pointer = f.ty(v.phi) == Type::Ptr;
        self.accesses.clear();
        self.behind.clear();
        let mut last: Option<Inst> = None;
        let mut other = |i: Inst| {
            if f.op(i) == Op::Phi || !inside(i) {
                return None;
            }
            let mut note = |i: Inst| {
                let later = last.is_none_or(|last| self.position[last] < self.position[i]);
                if f.block_of(i) == Some(v.latch) && later {
                    last = Some(i);
                }
            };
            note(i);
            // An address may become a part of its accesses.
            if f.op(i) == Op::ElemAddr && f.use_count(i) <= MOST_USES {
                f.uses(i).filter(|&w| is_access(f, w)).for_each(|w| note(w.user));
            }
            Some(())
        };
        if f.use_count(v.phi) + f.use_count(v.next) > MOST_USES {
            return None;
        }
        for u in f.uses(v.phi).filter(|u| u.user != v.next) {
            match constant_step(f, cx.env, u.user, v.phi) {
                _ if is_pointer && is_access(f, u) => self.accesses.push((u.user, 0)),
                Some(bytes) if f.use_count(u.user) <= MOST_USES => {
                    for w in f.uses(u.user) {
                        if is_access(f, w) {
                            self.accesses.push((w.user, bytes));
                        } else {
                            other(u.user)?;
                        }
                    }
                }
                _ => other(u.user)?,
            }
        }
        for u in f.uses(v.next) {
            match is_pointer && v.by != 0 && is_access(f, u) && inside(u.user) {
                true => self.accesses.push((u.user, v.by)),
                false if u.user == v.phi && u.operand as usize == v.goes_back => {}
                false => self.behind.push(u),
            }
        }
        self.accesses.iter().all(|&(i, _)| inside(i)).then_some(last)
    }

    /// The access that is to move a pointer: the first behind everything else that reads it there, or the
    /// last that reads the next place.
    fn moving(&self, cx: &FuncCx, v: Variable, last_other: Option<Inst>) -> Option<Inst> {
        let f = &*cx.f;
        if f.ty(v.phi) != Type::Ptr || v.by == 0 {
            return None;
        }
        let others = last_other.map_or(0, |i| self.position[i]);
        let mut best: Option<(bool, u32, Inst)> = None;
        for &(i, bytes) in self.accesses.iter().filter(|&&(i, _)| f.block_of(i) == Some(v.latch)) {
            let (first, at) = (bytes == v.by, self.position[i]);
            let (ty, value) = match f.op(i) {
                Op::Load => (f.ty(i), None),
                _ => (f.type_of(f.arg(i, 0)), Some(f.arg(i, 0))),
            };
            let is_base = value == Some(Value::inst(v.next)) || value == Some(Value::inst(v.phi));
            let fits = (bytes == 0 || first) && cx.target.moves_base(ty, v.by, first) && !is_base;
            let later = |&(i, bytes): &(Inst, i64)| {
                f.block_of(i) != Some(v.latch)
                    || self.position[i] <= at
                    || !cx.target.moving_waits && {
                        let value = if f.op(i) == Op::Load { Value::inst(i) } else { f.arg(i, 0) };
                        let [low, high] = cx.target.offsets(f.type_of(value));
                        (low..=high).contains(&(bytes - v.by))
                    }
            };
            let better = best.is_none_or(|(is_first, position, _)| match (is_first, first) {
                (false, false) => at < position,
                (true, true) => at > position,
                (is_first, _) => is_first,
            });
            if fits && at > others && better && self.accesses.iter().all(later) && self.all_behind(cx, v, at)
            {
                best = Some((first, at, i));
            }
        }
        best.map(|(_, _, i)| i)
    }

    /// True if all that uses the next value stands, or can stand, behind a place of the block that goes back.
    fn all_behind(&self, cx: &FuncCx, v: Variable, position: u32) -> bool {
        let f = &*cx.f;
        let dominators = &cx.analyses.dominators;
        self.behind.iter().all(|u| {
            let home = match f.op(u.user) {
                Op::Phi => f.block_of(u.user).map(|b| f.edge_from(f.preds(b)[u.operand as usize])),
                _ => f.block_of(u.user),
            };
            let Some(home) = home else { return false };
            if f.op(u.user) == Op::Phi || home != v.latch {
                return dominators.dominates(v.latch, home);
            }
            self.position[u.user] > position || is_test(f, u.user, v.latch)
        })
    }

    fn step(&mut self, cx: &mut FuncCx, v: Variable, (at, position): (At, u32), moving: bool) {
        let (place, payload) = (cx.f.place(v.next), cx.f.payload(v.next));
        let args = [cx.f.arg(v.next, 0), cx.f.arg(v.next, 1)];
        let step = cx.f.insert(at, cx.f.op(v.next), cx.f.ty(v.next), &args, payload, place);
        cx.f.keep_flags(step, v.next);
        self.goes_by(cx, v, step, position);
        for k in 0..if moving { self.accesses.len() } else { 0 } {
            let (i, bytes) = self.accesses[k];
            if cx.f.block_of(i) != Some(v.latch) || self.position[i] <= position {
                continue;
            }
            let operand = usize::from(cx.f.op(i) == Op::Store);
            let old = cx.f.arg(i, operand).as_inst();
            let to = match bytes - v.by {
                0 => Value::inst(step),
                apart => offset(cx.f, &cx.env.shapes, At::Before(i), Value::inst(step), apart, place),
            };
            cx.f.set_arg(i, operand, to);
            if let Some(old) = old.filter(|&old| old != v.phi) {
                cx.f.remove_unused(old);
            }
        }
        cx.f.remove_unused(v.next);
        self.position.grow_to(cx.f.inst_count(), 0);
        self.position[step] = position;
    }

    /// What uses the next value of a variable, but for accesses, uses a step at a place of the block that goes back.
    fn goes_by(&self, cx: &mut FuncCx, v: Variable, step: Inst, position: u32) {
        cx.f.set_arg(v.phi, v.goes_back, Value::inst(step));
        for u in &self.behind {
            cx.f.set_arg(u.user, u.operand as usize, Value::inst(step));
            if self.position.get(u.user).is_some_and(|&at| at <= position) && is_test(cx.f, u.user, v.latch) {
                cx.f.move_inst(u.user, At::BeforeTerminator(v.latch));
            }
        }
    }
}

/// True for a comparison that is there for the branch at the end of a block alone: it may stand in front of
/// that.
fn is_test(f: &Body, i: Inst, b: Block) -> bool {
    let user = f.single_use(i).map(|u| u.user);
    f.op(i) == Op::ICmp && f.block_of(i) == Some(b) && user.is_some() && user == f.terminator(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::TargetFacts;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::apply_for;

    /// A loop of a pointer and a counter, its body, and what comes behind it.
    fn text(body: &str, result: &str) -> String {
        format!(
            "define i32 @f(ptr %a, ptr %e, i32 %n) {{
             entry:
               br label %loop
             loop:
               %p = phi ptr [ %a, %entry ], [ %q, %loop ]
               %i = phi i32 [ 0, %entry ], [ %j, %loop ]
               {body}
               br i1 %c, label %loop, label %exit
             exit:
               ret i32 {result}
             }}"
        )
    }

    #[test]
    fn steps_go_behind_the_last_use() {
        let early = "%j = add i32 %i, 1
             %q = getelementptr i32, ptr %p, i32 1
             %x = load i32, ptr %q
             %y = add i32 %x, %i
             store i32 %y, ptr %p
             %c = icmp slt i32 %j, %n";
        let late = "%z = getelementptr i32, ptr %p, i32 1
             %x = load i32, ptr %z
             %y = add i32 %x, %i
             %j = add i32 %i, 1
             store i32 %y, ptr %p
             %q = getelementptr i32, ptr %p, i32 1
             %c = icmp slt i32 %j, %n";
        let late = print::module(&parse(&text(late, "0")).unwrap());
        assert_eq!(moved(machine(3), early), late);
    }

    #[test]
    fn what_is_needed_behind_the_step_stays() {
        // The variable leaves the loop; its next value is needed in front of its last use.
        stays(&text(
            "%j = add i32 %i, 1\n %c = icmp slt i32 %j, %n\n store i32 %n, ptr %p
             %q = getelementptr i32, ptr %p, i32 1",
            "%i",
        ));
        stays(&text(
            "%j = add i32 %i, 1\n %x = mul i32 %j, %n\n %y = mul i32 %x, %i
             store i32 %y, ptr %p\n %q = getelementptr i32, ptr %p, i32 1\n %c = icmp slt i32 %j, %n",
            "0",
        ));
    }

    #[test]
    fn pointers_step_by_what_the_loop_does_not_change_behind_their_last_use() {
        let body = |step: &str| {
            let lines = ["%q = getelementptr i8, ptr %p, i32 %n", "store i32 %i, ptr %p"];
            let [first, last] = if step == "early" { lines } else { [lines[1], lines[0]] };
            format!("{first}\n {last}\n %j = add i32 %i, 1\n %c = icmp slt i32 %j, %n")
        };
        let late = print::module(&parse(&text(&body("late"), "0")).unwrap());
        assert_eq!(moved(machine(3), &body("early")), late);
        // By something else in each round; and the next place is accessed first.
        let varies = body("early").replace("i32 %n\n", "i32 %i\n");
        stays(&text(&varies, "0"));
        stays(&text(&body("early").replace("store", "%x = load i32, ptr %q\n store"), "0"));
    }

    /// A machine whose accesses move their base by so many bytes.
    fn machine(moving_int: i64) -> TargetFacts {
        TargetFacts { moving_int, ..TargetFacts::default() }
    }

    fn moved(target: TargetFacts, body: &str) -> String {
        let mut module = parse(&text(body, "0")).unwrap();
        assert!(apply_for(target, &[&POST_INCREMENT], &mut module), "nothing changed");
        let have = print::module(&module);
        assert!(!apply_for(target, &[&POST_INCREMENT], &mut module), "not at rest: {have}");
        have
    }

    fn moving(body: &str) -> String {
        moved(machine(255), body)
    }

    fn stays(text: &str) {
        let mut module = parse(text).unwrap();
        assert!(!apply_for(machine(3), &[&POST_INCREMENT], &mut module), "{}", print::module(&module));
    }

    #[test]
    fn an_access_moves_its_base_and_later_ones_go_by_what_that_is_then() {
        let have = moving(
            "%x = load i32, ptr %p
             %two = getelementptr i32, ptr %p, i32 2
             store i32 %x, ptr %two
             %one = getelementptr i32, ptr %p, i32 1
             store i32 %x, ptr %one
             %q = getelementptr i32, ptr %p, i32 1
             %j = add i32 %i, 1
             %c = icmp slt i32 %j, %n",
        );
        let at = |what: &str| have.find(what).unwrap_or_else(|| panic!("no {what}: {have}"));
        let step = at("getelementptr i32, ptr %v0, i32 1");
        assert!(at("load i32, ptr %v0") < step && step < at("store i32"), "{have}");
        assert_eq!(have.matches("ptr %v0").count(), 2, "{have}");
        // What was two steps on is one behind the step.
        let behind = have[step..].lines().skip(1).find(|line| line.contains("getelementptr"));
        assert!(behind.is_some_and(|line| line.ends_with("i32 1")), "{have}");
    }

    #[test]
    fn where_others_would_wait_only_the_last_access_moves_its_base() {
        let waits = TargetFacts { moving_waits: true, ..machine(255) };
        let [first, second] =
            ["store i32 7, ptr %p", "%one = getelementptr i32, ptr %p, i32 1\nstore i32 9, ptr %one"];
        let rest = "%q = getelementptr i32, ptr %p, i32 2\n%j = add i32 %i, 1\n%c = icmp slt i32 %j, %n";
        let stores_before_the_step = |target: TargetFacts, accesses: [&str; 2]| {
            let have = moved(target, &format!("{rest}\n{}\n{}", accesses[0], accesses[1]));
            let step = have.find("ptr %v0, i32 2").unwrap_or_else(|| panic!("no step: {have}"));
            (have[..step].matches("store").count(), have.matches("i32 -1").count())
        };
        // The access without an offset comes first: the step is behind both, which count from the old pointer.
        assert_eq!(stores_before_the_step(waits, [first, second]), (2, 0));
        assert_eq!(stores_before_the_step(waits, [second, first]), (2, 0));
        // On other cores it moves the pointer, and the second access counts from the new one.
        assert_eq!(stores_before_the_step(machine(255), [first, second]), (1, 1));
    }

    #[test]
    fn an_access_does_not_move_what_is_needed_later() {
        let have = moving(
            "%q = getelementptr i32, ptr %p, i32 1
             %x = load i32, ptr %p
             %far = getelementptr i32, ptr %p, i32 %x
             store i32 %x, ptr %far
             %j = add i32 %i, 1
             %c = icmp slt i32 %j, %n",
        );
        let step = have.find("i32 1\n").unwrap_or(0);
        assert!(have.find("store i32").is_some_and(|store| store < step), "{have}");
    }
}
