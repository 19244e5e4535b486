//! Loop load elimination: a load that reads what the iteration before has stored takes the value from a register
//! (store-to-load forwarding over the back edge). In `a[i] = a[i - 1] + x`, only the first iteration loads.
//!
//! Innermost loops with a preheader and one latch. Scalar evolution says that the address of the load in the next
//! iteration is that of the store; the store is made in each iteration, and all else that the loop writes is elsewhere.
//! The first value is loaded in the preheader, where the address is made for it (`first_iteration`).
//!
//! O(instructions of loops), with at most `MOST` accesses of each compared with each other. LLVM's LoopLoadElimination;
//! a part of GCC's predictive commoning.

use crate::analysis::alias::{Overlap, may_write, overlap};
use crate::analysis::memory::base_of;
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::{Effects, Evolution};
use crate::base::graph::Loop;
use crate::ir::opcode::WRITES;
use crate::ir::{At, Env, Inst, Op, Type, Value};
use crate::opt::loops::canonical_loops::worth_it;
use crate::opt::loops::first_iteration::{Part, make, parts};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static LOOP_LOAD_ELIM: FuncPass = FuncPass {
    name: "loop_load_elim",
    description: "forward stored values to loads of the next iteration",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run,
};

/// Accesses of a loop.
const MOST: usize = 24;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let has = |wanted: Op| cx.f.ops().any(|(_, op)| op == wanted);
    if !has(Op::Load) || !has(Op::Store) || !worth_it(cx.f, cx.analyses) {
        return Outcome::UNCHANGED;
    }
    let loops = &cx.analyses.loops;
    let accessing = |l: Loop| {
        let accesses = Accesses::of(&cx.analyses.simple_loop(cx.f, l).filter(|_| loops.is_innermost(l))?)?;
        Some((l, accesses))
    };
    // Fast path: without a load and a store of objects that may be the same, evolution is not needed. It is computed for one
    // function in five of a realistic program then.
    let accessing: Vec<(Loop, Accesses)> = loops.header.keys().filter_map(accessing).collect();
    if accessing.is_empty() {
        return Outcome::UNCHANGED;
    }
    cx.require(AnalysisSet::EVOLUTION);
    let mut changed = false;
    let FuncCx { env, ref mut f, effects, ref analyses, .. } = *cx;
    for (l, accesses) in accessing {
        let Some(around) = analyses.simple_loop(f, l) else { continue };
        let mut found = find(env, around, &analyses.evolution, (effects, &accesses));
        let SimpleLoop { header, preheader, enters, goes_back, .. } = around;
        found.reverse();
        while let Some(Carried { load, v, mut parts }) = found.pop() {
            let at = make(f, preheader, &mut parts, f.arg(load, 0));
            let (ty, place) = (f.ty(load), f.place(load));
            let first = f.insert(At::BeforeTerminator(preheader), Op::Load, ty, &[at], 0, place);
            f.set_access(first, f.access(load));
            let phi = f.insert_phi(header, ty, place);
            f.set_arg(phi, f.edge_slot(enters), Value::inst(first));
            f.set_arg(phi, f.edge_slot(goes_back), v);
            f.replace(load, Value::inst(phi));
            // What is stored may itself be carried.
            for other in found.iter_mut().filter(|other| other.v == Value::inst(load)) {
                other.v = Value::inst(phi);
            }
            changed = true;
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// A load that goes.
struct Carried {
    load: Inst,
    /// What the round before has left there.
    v: Value,
    /// What its address is made of, and for the first round is to be made of.
    parts: Vec<Part>,
}

/// What a loop writes, and the loads of which one may go.
struct Accesses {
    loads: Vec<Inst>,
    writes: Vec<Inst>,
}

impl Accesses {
    /// Those of a loop, if there are few, and a load that may go is among them.
    fn of(around: &SimpleLoop) -> Option<Accesses> {
        let &SimpleLoop { f, loops, l, .. } = around;
        let (mut loads, mut writes) = (Vec::new(), Vec::new());
        for i in loops.blocks(l).iter().flat_map(|&b| f.insts(b)) {
            match f.op(i) {
                Op::Load if !f.ty(i).is_vector() => loads.push(i),
                op if op.has(WRITES) => writes.push(i),
                _ => {}
            }
            if loads.len() + writes.len() > MOST {
                return None;
            }
        }
        let may_go = |&load: &Inst| {
            let (at, mut writes) = (f.arg(load, 0), writes.iter());
            !around.is_outside(at)
                && writes.any(|&i| f.op(i) == Op::Store && base_of(f, f.arg(i, 1)) == base_of(f, at))
                && around.is_certain(load)
        };
        loads.retain(may_go);
        (!loads.is_empty()).then_some(Accesses { loads, writes })
    }
}

/// The loads of a loop that the round before has a value for.
fn find(
    env: &Env,
    around: SimpleLoop,
    evolution: &Evolution,
    (effects, Accesses { loads, writes }): (&Effects, &Accesses),
) -> Vec<Carried> {
    let SimpleLoop { f, loops, l, .. } = around;
    // In the next round the one is where the other is in this one. Objects are smaller than 2^31 bytes, so it is
    // enough to know the distance modulo 2^32.
    let follows = |at: Value, other: Value| {
        let [at, other] = [at, other].map(|v| v.as_inst().and_then(|i| evolution.of(i)));
        let step = evolution.step((f, loops), l, at?)?;
        Some(at?.distance(other?)?.wrapping_add(step) as i32 == 0)
    };
    let mut found = Vec::new();
    for &load in loads {
        let (at, ty) = (f.arg(load, 0), f.ty(load));
        let is_match = |&&i: &&Inst| {
            f.op(i) == Op::Store
                && f.type_of(f.arg(i, 0)) == ty
                && f.block_of(i).is_some_and(|b| around.in_each_trip(b))
                && follows(at, f.arg(i, 1)) == Some(true)
        };
        let Some(&store) = writes.iter().find(is_match) else { continue };
        let bytes = |ty: Type| u64::from(env.shapes.bytes_of(ty));
        let is_apart = |one: Value, i: Inst| {
            let other = (f.arg(i, 1), bytes(f.type_of(f.arg(i, 0))));
            overlap(env, f, (one, bytes(ty)), other) == Overlap::Never
        };
        let is_elsewhere = |&i: &Inst| match f.op(i) {
            Op::Store => is_apart(at, i) && (i == store || is_apart(f.arg(store, 1), i)),
            _ => !may_write(env, effects, f, i, at),
        };
        if writes.iter().all(is_elsewhere)
            && let Some(parts) = parts(around, at)
        {
            found.push(Carried { load, v: f.arg(store, 0), parts });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    /// A loop from %n on that stores to @a[%i], with this in a round.
    fn text(before: &str, phi: &str, round: &str, v: &str) -> String {
        format!(
            "@a = internal global [99 x i32] zeroinitializer
             @h = internal global i32 0
             declare void @unknown()
             define i32 @f(i32 %n, i32 %m, i1 %c, ptr %q) {{
             entry:
               {before}
               br label %head
             head:
               {phi}
               %i = phi i32 [ %n, %entry ], [ %j, %latch ]
               {round}
               %s = mul i32 {v}, 3
               %p = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %i
               store i32 %s, ptr %p
               br label %latch
             latch:
               %j = add i32 %i, 1
               %d = icmp slt i32 %j, %m
               br i1 %d, label %head, label %exit
             exit:
               ret i32 %s
             }}"
        )
    }

    const BEFORE: &str = "%k = sub i32 %i, 1
         %b = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %k";

    #[test]
    fn what_the_round_before_has_stored_is_loaded_for_the_first_only() {
        let load = "%v = load i32, ptr %b\nstore i32 %v, ptr @h";
        rewrites(
            &LOOP_LOAD_ELIM,
            &text("", "", &format!("{BEFORE}\n{load}"), "%v"),
            &text(
                "%k0 = sub i32 %n, 1
                 %b0 = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %k0
                 %v0 = load i32, ptr %b0",
                "%v = phi i32 [ %v0, %entry ], [ %s, %latch ]",
                &format!("{BEFORE}\nstore i32 %v, ptr @h"),
                "%v",
            ),
        );
    }

    #[test]
    fn what_may_be_written_besides_or_is_not_loaded_for_certain_stays() {
        let load = "%v = load i32, ptr %b";
        for other in [
            "store i32 1, ptr %q",
            "call void @unknown()",
            "store i32 1, ptr %b",
            "%x = getelementptr inbounds [99 x i32], ptr @a, i32 0, i32 %m\nstore i32 1, ptr %x",
            "br i1 %c, label %more, label %exit\nmore:",
        ] {
            let round = match other.starts_with("br") {
                true => format!("{BEFORE}\n%t = add i32 %i, 2\n{other}\n{load}"),
                false => format!("{BEFORE}\n{load}\n{other}"),
            };
            let text = text("", "", &round, "%v").replace("ret i32 %s", "ret i32 %n");
            leaves_alone(&LOOP_LOAD_ELIM, &text);
        }
        // Two rounds apart, and in the other direction.
        for k in ["sub i32 %i, 2", "add i32 %i, 1", "sub i32 %m, %i"] {
            let round = format!("{BEFORE}\n{load}").replace("sub i32 %i, 1", k);
            leaves_alone(&LOOP_LOAD_ELIM, &text("", "", &round, "%v"));
        }
    }

    #[test]
    fn rounds_are_as_far_apart_as_the_variable_moves_and_stores_are_made_in_each() {
        let load = "%v = load i32, ptr %b";
        let round = format!("{BEFORE}\n{load}");
        let two = text("", "", &round, "%v").replace("add i32 %i, 1", "add i32 %i, 2");
        leaves_alone(&LOOP_LOAD_ELIM, &two);
        let store = "store i32 %s, ptr %p\n";
        let some = "br i1 %c, label %more, label %latch\nmore:\nstore i32 %s, ptr %p\n";
        leaves_alone(&LOOP_LOAD_ELIM, &text("", "", &round, "%v").replace(store, some));
        let twice = "store i32 7, ptr %p\nstore i32 %s, ptr %p\n";
        leaves_alone(&LOOP_LOAD_ELIM, &text("", "", &round, "%v").replace(store, twice));
    }
}
