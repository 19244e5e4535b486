//! What a loop loads by an index that it keeps from iterations before comes from a register: in
//! `if (a[j] > a[best]) best = j;`, `a[best]` is what was loaded when `best` became `j`.
//!
//! | an iteration | becomes |
//! | --- | --- |
//! | `best = phi [0, best2]; x = a[j]; y = a[best]; best2 = x > y ? j : best` | `y = phi [a[0], y2]; ...; y2 = x > y ? x : y` |
//!
//! Innermost loops with a preheader and one latch that write nowhere where they load. The index is a phi of the header
//! and, along the way back, itself or what another load of the same form went by, through phis and selects. The load is
//! made in each iteration, so the first one may be made in front of the loop, where the address is made for it.
//!
//! O(instructions of innermost loops), with at most `MOST` accesses of each compared with each other. Partial redundancy
//! of loads by translation through phis, as LLVM's GVN does (T. VanDrunen and A. Hosking, "Value-based partial
//! redundancy elimination", 2004).

use crate::analysis::Effects;
use crate::analysis::alias::may_write;
use crate::analysis::simple_loop::SimpleLoop;
use crate::ir::opcode::WRITES;
use crate::ir::{At, Block, Body, Env, Inst, Op, Type, Value};
use crate::opt::loops::canonical_loops::worth_it;
use crate::opt::loops::first_iteration::{Part, make, parts};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static LOOP_LOAD_PRE: FuncPass = FuncPass {
    name: "loop_load_pre",
    description: "keep in a register what is loaded by an index of an earlier iteration",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run,
};

/// Accesses of a loop,
const MOST: usize = 24;
/// and phis and selects that the index goes through on its way back.
const MOST_CHOICES: usize = 4;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    if cx.f.ops().filter(|&(_, op)| op == Op::Load).nth(1).is_none() || !worth_it(cx.f, cx.analyses) {
        return Outcome::UNCHANGED;
    }
    let mut changed = false;
    let FuncCx { env, ref mut f, effects, ref analyses, .. } = *cx;
    let loops = &analyses.loops;
    for l in loops.header.keys().filter(|&l| loops.is_innermost(l)) {
        let mut plans = match analyses.simple_loop(f, l) {
            Some(around) => find(env, around, effects),
            None => continue,
        };
        while let Some(plan) = plans.pop() {
            changed = true;
            let Carried { load, address, .. } = plan;
            let v = Value::inst(apply(f, plan));
            // What another load is carried from may go.
            for what in plans.iter_mut().flat_map(|plan| &mut plan.choices).flat_map(|choice| &mut choice.of)
            {
                *what = if *what == What::Is(Value::inst(load)) { What::Is(v) } else { *what };
            }
            plans.retain(|plan| plan.address != address);
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// What is loaded by an index.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum What {
    /// What the iteration has loaded already.
    Is(Value),
    /// The phi that the load becomes.
    Kept,
    /// A choice by its number.
    Choice(usize),
}

/// A phi or a select of indices, which has a twin of what is loaded by them.
#[derive(Clone, Debug)]
struct Choice {
    inst: Inst,
    block: Block,
    of: Vec<What>,
}

/// A load that becomes a phi.
#[derive(Debug)]
struct Carried {
    load: Inst,
    address: Value,
    header: Block,
    preheader: Block,
    /// The phi's operands.
    enters: usize,
    goes_back: usize,
    /// What the address is made of in the first iteration.
    parts: Vec<Part>,
    /// Operands stand in front of what takes them; the last one is what the next iteration gets.
    choices: Vec<Choice>,
}

/// Makes the phi in place of the load.
fn apply(f: &mut Body, mut plan: Carried) -> Inst {
    let (load, ty, place) = (plan.load, f.ty(plan.load), f.place(plan.load));
    let at = make(f, plan.preheader, &mut plan.parts, plan.address);
    let first = f.insert(At::BeforeTerminator(plan.preheader), Op::Load, ty, &[at], 0, place);
    f.set_access(first, f.access(load));
    let phi = f.insert_phi(plan.header, ty, place);
    let mut made: Vec<Value> = Vec::new();
    for Choice { inst, block, of } in plan.choices {
        let value = |what: &What| match *what {
            What::Is(v) => v,
            What::Kept => Value::inst(phi),
            What::Choice(k) => made[k],
        };
        let mut args: Vec<Value> = of.iter().map(value).collect();
        let twin = if f.op(inst) == Op::Phi {
            let twin = f.insert_phi(block, ty, place);
            args.iter().enumerate().for_each(|(k, &v)| f.set_arg(twin, k, v));
            twin
        } else {
            args.insert(0, f.arg(inst, 0));
            f.insert(At::BeforeTerminator(block), Op::Select, ty, &args, f.payload(inst), place)
        };
        made.push(Value::inst(twin));
    }
    f.set_arg(phi, plan.enters, Value::inst(first));
    f.set_arg(phi, plan.goes_back, made.last().copied().unwrap_or(Value::inst(phi)));
    f.replace(load, Value::inst(phi));
    phi
}

/// The loads of a loop that become phis.
fn find(env: &Env, around: SimpleLoop, effects: &Effects) -> Vec<Carried> {
    let SimpleLoop { f, loops, l, .. } = around;
    let (mut loads, mut writes) = (Vec::new(), Vec::new());
    for i in loops.blocks(l).iter().flat_map(|&b| f.insts(b)) {
        match f.op(i) {
            Op::Load if !f.ty(i).is_vector() && f.arg(i, 0).as_inst().is_some() => loads.push(i),
            op if op.has(WRITES) => writes.push(i),
            _ => {}
        }
        if loads.len() + writes.len() > MOST {
            return Vec::new();
        }
    }
    let is_kept = |at: Value| !writes.iter().any(|&i| may_write(env, effects, f, i, at));
    let mut found = Vec::new();
    for &load in &loads {
        let address = f.arg(load, 0);
        let Some(index) = index(around, address).filter(|_| around.is_certain(load) && is_kept(address))
        else {
            continue;
        };
        let Some((_, next)) = around.phi(index).filter(|&(_, next)| next != index) else { continue };
        let mut search = Search { around, loads: &loads, load, index, choices: Vec::new() };
        // A number that only counts is one that nothing was loaded by.
        if let Some(What::Choice(_)) = search.what(next, around.latch, MOST_CHOICES)
            && let Some(parts) = parts(around, address)
        {
            found.push(Carried {
                load,
                address,
                header: around.header,
                preheader: around.preheader,
                enters: f.edge_slot(around.enters),
                goes_back: f.edge_slot(around.goes_back),
                parts,
                choices: search.choices,
            });
        }
    }
    found
}

/// The only part of an address that the loop changes, if that is a phi of its header.
fn index(around: SimpleLoop, address: Value) -> Option<Value> {
    let f = around.f;
    let i = address.as_inst().filter(|&i| f.op(i) == Op::ElemAddr)?;
    let mut changes = f.args(i).iter().copied().filter(|&v| !around.is_outside(v));
    let index = changes.next().filter(|_| changes.next().is_none())?;
    (around.phi(index).is_some() && f.type_of(index) == Type::I32).then_some(index)
}

struct Search<'a> {
    around: SimpleLoop<'a>,
    loads: &'a [Inst],
    load: Inst,
    index: Value,
    choices: Vec<Choice>,
}

impl Search<'_> {
    /// What is loaded by an index, where that is known at the end of a block. Goes as deep as `depth`.
    fn what(&mut self, v: Value, at: Block, depth: usize) -> Option<What> {
        let SimpleLoop { f, dominators, .. } = self.around;
        if v == self.index {
            return Some(What::Kept);
        }
        let has_been_loaded = |&&other: &&Inst| {
            let (mine, its) = (f.arg(self.load, 0).as_inst(), f.arg(other, 0).as_inst());
            let (Some(mine), Some(its)) = (mine, its) else { return false };
            let is_same = |(&a, &b): (&Value, &Value)| b == if a == self.index { v } else { a };
            f.ty(other) == f.ty(self.load)
                && f.op(its) == Op::ElemAddr
                && f.payload(its) == f.payload(mine)
                && f.args(its).len() == f.args(mine).len()
                && f.args(mine).iter().zip(f.args(its)).all(is_same)
                && f.block_of(other).is_some_and(|b| dominators.dominates(b, at))
        };
        if let Some(&other) = self.loads.iter().find(has_been_loaded) {
            return Some(What::Is(Value::inst(other)));
        }
        let i = v.as_inst().filter(|_| !self.around.is_outside(v) && self.around.phi(v).is_none())?;
        if let Some(k) = self.choices.iter().position(|choice| choice.inst == i) {
            return Some(What::Choice(k));
        }
        let (block, deeper) = (f.block_of(i)?, depth.checked_sub(1)?);
        let of = match f.op(i) {
            Op::Phi => {
                let preds = f.preds(block);
                let mut of = vec![What::Kept; preds.len()];
                for &e in preds {
                    of[f.edge_slot(e)] = self.what(f.arg(i, f.edge_slot(e)), f.edge_from(e), deeper)?;
                }
                of
            }
            Op::Select => {
                let sides = [1, 2].map(|k| self.what(f.arg(i, k), block, deeper));
                sides.into_iter().collect::<Option<Vec<What>>>()?
            }
            _ => return None,
        };
        self.choices.push(Choice { inst: i, block, of });
        Some(What::Choice(self.choices.len() - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    /// A search for the place of the largest number from `%n` on, with this in each iteration.
    fn text(phi: &str, load: &str, round: &str, best: &str, y: &str) -> String {
        format!(
            "@a = internal global [99 x i32] zeroinitializer
             @h = internal global [99 x i32] zeroinitializer
             declare void @unknown()
             define i32 @f(i32 %n, i32 %m, i1 %d) {{
             entry:
               {load}
               br label %head
             head:
               {phi}
               %best = phi i32 [ %n, %entry ], [ %best2, %latch ]
               %i = phi i32 [ 0, %entry ], [ %j, %latch ]
               %p = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %i
               %x = load i32, ptr %p
               {round}
               %c = icmp sgt i32 %x, {y}
               {best}
               %j = add i32 %i, 1
               %e = icmp slt i32 %j, %m
               br i1 %e, label %head, label %exit
             exit:
               ret i32 %best2
             }}"
        )
    }

    const LOAD: &str = "%q = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %best
        %y = load i32, ptr %q";
    const SELECT: &str = "br label %latch\nlatch:\n%best2 = select i1 %c, i32 %i, i32 %best";
    const BRANCH: &str = "br i1 %c, label %more, label %latch
        more:
        br label %latch
        latch:
        %best2 = phi i32 [ %best, %head ], [ %i, %more ]";

    #[test]
    fn what_was_loaded_when_the_index_was_taken_is_kept() {
        let first = "%q0 = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %n
            %y0 = load i32, ptr %q0";
        let phi = "%y = phi i32 [ %y0, %entry ], [ %y2, %latch ]";
        let address = "%q = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %best";
        rewrites(
            &LOOP_LOAD_PRE,
            &text("", "", LOAD, SELECT, "%y"),
            &text(phi, first, address, &format!("{SELECT}\n%y2 = select i1 %c, i32 %x, i32 %y"), "%y")
                .replace(
                    "%y2 = select i1 %c, i32 %x, i32 %y\n               %j = add i32 %i, 1",
                    "%j = add i32 %i, 1",
                )
                .replace("br i1 %e", "%y2 = select i1 %c, i32 %x, i32 %y\n br i1 %e"),
        );
        rewrites(
            &LOOP_LOAD_PRE,
            &text("", "", LOAD, BRANCH, "%y"),
            &text(
                phi,
                first,
                address,
                &BRANCH.replace("%best2", "%y2 = phi i32 [ %y, %head ], [ %x, %more ]\n        %best2"),
                "%y",
            ),
        );
    }

    #[test]
    fn what_may_be_written_or_was_not_loaded_stays() {
        for round in [
            "store i32 1, ptr %q",
            "store i32 1, ptr %p",
            "call void @unknown()",
            "%s = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %m\nstore i32 1, ptr %s",
        ] {
            leaves_alone(&LOOP_LOAD_PRE, &text("", "", &format!("{LOAD}\n{round}"), SELECT, "%y"));
        }
        for other in ["i32 %j", "i32 %m", "i32 7", "i32 0"] {
            let best = SELECT.replace("i32 %i", other).replace("%best2", "%k = add i32 %i, 1\n%best2");
            leaves_alone(&LOOP_LOAD_PRE, &text("", "", LOAD, &best.replace("i32 %j", "i32 %k"), "%y"));
        }
        // Of another element, of another array, by another step.
        for (from, to) in [
            ("i32 0, i32 %best", "i32 1, i32 %best"),
            ("@a, i32 0, i32 %best", "@h, i32 0, i32 %best"),
            ("[99 x i32], ptr @a, i32 0, i32 %best", "[49 x i64], ptr @a, i32 0, i32 %best"),
        ] {
            leaves_alone(&LOOP_LOAD_PRE, &text("", "", &LOAD.replace(from, to), SELECT, "%y"));
        }
        // Not for certain.
        let some = "br i1 %d, label %on, label %away\naway:\nret i32 0\non:";
        leaves_alone(
            &LOOP_LOAD_PRE,
            &text("", "", &format!("{some}\n{LOAD}"), &BRANCH.replace("%head ]", "%on ]"), "%y"),
        );
        // The load by the index that is taken comes on one way only.
        let late = BRANCH.replace("%i, %more", "%m, %more");
        leaves_alone(&LOOP_LOAD_PRE, &text("", "", LOAD, &late, "%y"));
        // It comes behind the choice.
        let behind = BRANCH.replace("%i, %more", "%k, %more")
            + "\n%pk = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %k
               %xk = load i32, ptr %pk
               store i32 %xk, ptr @h";
        leaves_alone(&LOOP_LOAD_PRE, &text("", "", &format!("%k = add i32 %i, 2\n{LOAD}"), &behind, "%y"));
    }

    #[test]
    fn the_index_may_be_chosen_in_front_of_the_load() {
        let choice = "br i1 %d, label %more, label %latch
            more:
            br label %latch
            latch:
            %best2 = phi i32 [ %best, %head ], [ %i, %more ]";
        let text = text("", "", "", &format!("{choice}\n{LOAD}\nstore i32 %y, ptr @h"), "%m");
        let mut module = crate::ir::parse::parse(&text).unwrap();
        assert!(crate::opt::run::testing::apply(&LOOP_LOAD_PRE, &mut module), "{text}");
        let have = crate::ir::print::module(&module);
        assert_eq!(have.matches("= load").count(), 2, "{have}");
    }

    #[test]
    fn a_store_elsewhere_and_a_choice_of_choices_do_not_matter() {
        let store = "%s = getelementptr inbounds [99 x i32], ptr @h, i32 0, i32 %i\nstore i32 %x, ptr %s";
        let again = "br label %latch\nlatch:\n%b = select i1 %c, i32 %i, i32 %best\n%best2 = select i1 %d, i32 %b, i32 %best";
        let mut module =
            crate::ir::parse::parse(&text("", "", &format!("{LOAD}\n{store}"), again, "%y")).unwrap();
        assert!(crate::opt::run::testing::apply(&LOOP_LOAD_PRE, &mut module));
        let have = crate::ir::print::module(&module);
        assert!(have.matches("= load").count() == 2 && have.matches("= select").count() == 4, "{have}");
    }
}
