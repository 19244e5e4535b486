//! Inlining: a call is replaced by what it calls.
//!
//! In each function by itself, copies of what a barrier has chosen (`candidates`) are put in the places of calls, calls
//! that come with a copy included. Copies are bodies in which nothing has been inlined, so functions
//! need not wait for each other, and what comes out does not depend on the schedule.
//!
//! In copies of what recurs calls stay: the function itself and its callers get one round each. A function grows by at most `MOST_GROWTH` times its size and `ROOM`.
//! Variables in memory of a copy stand at the entry of the caller, as far as its frame does not grow by much.
//!
//! O(instructions of what is inlined).

use crate::analysis::{Dominators, Effects, Loops, Order, frequency};
use crate::base::Column;
use crate::ir::body::region::Copies;
use crate::ir::{At, Block, Body, Env, Flags, FuncId, Inlining, Inst, Linkage, Op, Size, Sort, Type, Value};
use crate::opt::calls::candidates::{Candidate, Candidates, SMALL};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static INLINE: FuncPass = FuncPass {
    name: "inline",
    description: "replace calls by the bodies of what they call",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// How much a function may grow by copies that are not the only one, in times its size, and instructions
/// beyond.
const MOST_GROWTH: usize = 3;
const ROOM: usize = 500;
/// Instructions of copies that the source asks for: some are asked for by what they bring along.
const WANTED_ROOM: usize = 20_000;
/// Instructions of what is copied where the size of code counts: a call takes as many, with its arguments.
const LEAST_CALL: usize = 10;
/// Instructions of copies of what recurs.
const RECURSIVE_ROOM: usize = 150;
/// Bytes of variables in memory that a function may get: a frame holds all of them at once, where the calls
/// held theirs one after the other. And one that recurs.
pub(super) const MOST_BYTES: u64 = 1 << 16;
const MOST_BYTES_RECURSIVE: u64 = 256;

/// Parts of all calls of a function, by a profile, from which on a copy of what is small pays, and of what is not.
const SELDOM: f64 = 0.001;
const OFTEN: f64 = 0.2;

#[derive(Debug, Default)]
struct Scratch {
    copies: Copies,
    /// What is copied.
    callee: Option<Body>,
    /// Calls to be replaced, and calls in what has been copied.
    calls: Vec<Inst>,
    more: Vec<Inst>,
    blocks: Vec<Block>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let f = &mut *cx.f;
    let recurs = cx.effects.of.get(f.func).is_none_or(|of| of.recursive);
    let Some(candidates) = cx.facts.get::<Candidates>() else { return Outcome::UNCHANGED };
    let (this, is_small) = (f.func, cx.size != Size::Any);
    let candidate = |callee: FuncId| candidates.of(callee);
    // Its own body goes, so nothing is copied into that: a chain of calls would be copied as often as it is
    // long.
    if candidate(this).is_some_and(|candidate| candidate.once) {
        return Outcome::UNCHANGED;
    }
    let size: usize = f.blocks().map(|b| f.insts(b).count()).sum();
    let mut room = [size * MOST_GROWTH + ROOM, RECURSIVE_ROOM];
    let mut bytes = if recurs { MOST_BYTES_RECURSIVE } else { MOST_BYTES };
    let (env, mut wanted) = (cx.env, WANTED_ROOM);
    let counted = Counted::of(f, cx.env);
    let mut take = |f: &Body, call: Inst, is_own: bool| {
        let callee = f.callee(call);
        // What is in the copy would have to go where the call goes by an exception.
        if f.flags(call).has(Flags::INVOKED) {
            return None;
        }
        let candidate = candidate(callee)?;
        if candidate.jumps && f.flags(call).has(Flags::MUST_TAIL) {
            return None;
        }
        if candidate.once {
            // There is room: `candidates::settle`.
            return Some(candidate);
        }
        let hints = env.funcs[callee].hints;
        let is_wanted = hints.inlining == Inlining::Always && !candidate.recurs;
        if (is_small || hints.cold) && candidate.size > LEAST_CALL && !is_wanted {
            return None;
        }
        if is_wanted && candidate.bytes <= bytes && candidate.size <= wanted {
            wanted -= candidate.size;
            bytes -= candidate.bytes;
            return Some(candidate);
        }
        if !is_wanted && counted.as_ref().is_some_and(|counted| !counted.pays(f, env, call, candidate)) {
            return None;
        }
        let room = &mut room[usize::from(candidate.recurs)];
        if !is_own && (candidate.recurs || callee == this)
            || candidate.size > *room
            || candidate.bytes > bytes
        {
            return None;
        }
        *room -= candidate.size;
        bytes -= candidate.bytes;
        Some(candidate)
    };
    // Calls of the function itself come before those of copies, the first ones first.
    s.calls.clear();
    s.more.clear();
    let is_told = f.is_told();
    let mut said: Vec<(Inst, bool)> = Vec::new();
    for i in f.blocks().flat_map(|b| f.insts(b)).filter(|&i| f.op(i) == Op::Call) {
        if !f.has_uses(i) && cx.effects.is_removable(f.callee(i)) {
            s.more.push(i);
            continue;
        }
        let is_taken = take(f, i, true).is_some();
        if is_taken {
            s.calls.push(i);
        }
        if is_told {
            said.push((i, is_taken));
        }
    }
    for (call, is_taken) in said {
        tell(f, cx.env, (candidate(f.callee(call)), candidates.most, cx.effects), call, is_taken);
    }
    // The last call first: what stands behind a call moves to another block, and that should be little.
    let changed = !s.calls.is_empty() || !s.more.is_empty();
    while let Some(call) = s.more.pop() {
        f.remove(call);
    }
    while let Some(call) = s.calls.pop() {
        if let Some(candidate) = candidate(f.callee(call)) {
            copy(f, call, candidate, s);
        }
        while let Some(call) = s.more.pop() {
            let taken = take(f, call, false);
            if is_told {
                tell(
                    f,
                    cx.env,
                    (candidate(f.callee(call)), candidates.most, cx.effects),
                    call,
                    taken.is_some(),
                );
            }
            if let Some(candidate) = taken {
                copy(f, call, candidate, s);
            }
        }
    }
    Outcome::changed_if(changed, AnalysisSet::NONE)
}

/// How often calls are made, by a profile.
struct Counted {
    /// Of the function.
    calls: u64,
    /// Per block that it had: executions a call. Of what has been copied nothing is known.
    times: Column<Block, f64>,
}

impl Counted {
    /// Nothing where there is no profile of the function.
    fn of(f: &Body, env: &Env) -> Option<Counted> {
        let calls = env.funcs[f.func].hints.calls?.count;
        let (mut order, mut dominators, mut loops) =
            (Order::default(), Dominators::default(), Loops::default());
        order.compute(f);
        dominators.compute(f, &order);
        loops.compute(f, &order, &dominators);
        Some(Counted { calls, times: frequency::estimate(f, &order, &loops) })
    }

    /// True if a copy in the place of a call is worth its size: what is as small as a call always, what is small where it is
    /// called at all, and what is not where most of its calls are made.
    fn pays(&self, f: &Body, env: &Env, call: Inst, candidate: &Candidate) -> bool {
        let Some(&times) = f.block_of(call).and_then(|b| self.times.get(b)) else {
            return candidate.size <= SMALL;
        };
        let made = self.calls as f64 * times;
        let all = env.funcs[f.callee(call)].hints.calls.map_or(0, |calls| calls.count);
        let part = match candidate.size {
            size if size <= LEAST_CALL => return true,
            size if size <= SMALL => SELDOM,
            _ => OFTEN,
        };
        made >= part * all as f64
    }
}

/// Says whether a copy stands in the place of a call, and why.
fn tell(
    f: &mut Body,
    env: &Env,
    (candidate, most, effects): (Option<&Candidate>, usize, &Effects),
    call: Inst,
    is_taken: bool,
) {
    let (callee, place) = (f.callee(call), f.place(call));
    let row = &env.funcs[callee];
    // Of what has no body there is nothing to choose.
    if row.linkage == Linkage::Declared {
        return;
    }
    let name = env.names.text(row.name);
    let recurs = effects.of.get(callee).is_none_or(|of| of.recursive);
    let text = || match candidate {
        Some(Candidate { size, once: true, .. }) => {
            format!("'{name}' is inlined: this is its only call ({size} instructions)")
        }
        Some(Candidate { size, .. }) if is_taken && row.hints.inlining == Inlining::Always => {
            format!("'{name}' is inlined, as asked for ({size} instructions)")
        }
        Some(Candidate { size, .. }) if is_taken => {
            format!("'{name}' is inlined: it is small ({size} instructions)")
        }
        Some(Candidate { bytes, .. }) if *bytes > MOST_BYTES_RECURSIVE => {
            format!("'{name}' is not inlined: its arrays ({bytes} bytes) would make the frame too large")
        }
        Some(Candidate { recurs: true, .. }) => {
            format!("'{name}' is not inlined again: it calls itself")
        }
        Some(Candidate { size, .. }) => {
            format!(
                "'{name}' is not inlined: this function is to be small, or large enough ({size} instructions more)"
            )
        }
        None if row.hints.inlining == Inlining::Never => format!("'{name}' is not inlined, as asked for"),
        None if recurs => format!("'{name}' is not inlined: it calls itself, and is not small"),
        None => format!("'{name}' is not inlined: it has more than {most} instructions, and other calls"),
    };
    f.tell((if is_taken { Sort::Done } else { Sort::Missed }, "inline"), place, text);
}

/// Unpacks a body and puts it in the place of a call. What cannot be unpacked stays a call.
fn copy(f: &mut Body, call: Inst, candidate: &Candidate, s: &mut Scratch) {
    if let Ok(callee) = candidate.body.unpack(s.callee.take()) {
        inline(f, call, (&callee, candidate.has_more), s);
        s.callee = Some(callee);
    }
}

/// What stays of what a copied call promises. A return does not follow it any more, and that it accesses nothing of the frame
/// that it was in says nothing of the one where it is now, unless the same was said of the call in whose place it is.
fn keep_flags(f: &mut Body, i: Inst, of_call: Flags) {
    let flags = f.flags(i);
    let is_apart = of_call.has(Flags::TAIL) || of_call.has(Flags::MUST_TAIL);
    let was_apart = flags.has(Flags::TAIL) || flags.has(Flags::MUST_TAIL);
    let kept = if is_apart && was_apart { Flags::TAIL } else { Flags::NONE };
    f.set_flags(i, flags.both(Flags::NO_TAIL).with(kept));
}

/// Puts a copy of a body in the place of a call, and lists the calls in it, if it has `more` than arithmetic.
fn inline(f: &mut Body, call: Inst, (callee, more): (&Body, bool), s: &mut Scratch) {
    let (Some(before), Some(start), Some(entry)) = (f.block_of(call), callee.entry(), f.entry()) else {
        return;
    };
    if f.args(call).len() != callee.params().len() {
        return;
    }
    let (place, ty, of_call) = (f.place(call), f.ty(call), f.flags(call));
    let Some(after) = f.split_block(call) else { return };
    s.copies.begin(callee);
    for (k, param) in callee.params().enumerate() {
        s.copies.values[param] = Some(f.arg(call, k));
    }
    s.blocks.clear();
    s.blocks.extend(callee.blocks());
    f.import(callee, &s.blocks, place, &mut s.copies);
    let Some(first) = s.copies.blocks[start].get() else { return };
    f.set_br(before, first, place);
    let mut results: Vec<(Block, Option<Value>)> = Vec::new();
    let mut last = before;
    for &b in &s.blocks {
        let Some(copy) = s.copies.blocks[b].get() else { continue };
        f.move_block_after(copy, last);
        last = copy;
        if let Some(end) = f.terminator(copy).filter(|&i| f.op(i) == Op::Ret) {
            results.push((copy, f.args(end).first().copied()));
        }
        let mut next = f.first(copy).filter(|_| more);
        while let Some(i) = next {
            next = f.next(i);
            match f.op(i) {
                Op::Alloca => f.move_inst(i, At::Start(entry)),
                Op::Call => {
                    keep_flags(f, i, of_call);
                    s.more.push(i);
                }
                _ => {}
            }
        }
    }
    let mut result = Value::undef(ty);
    for &(b, _) in &results {
        f.set_br(b, after, place);
    }
    if let (&[(_, Some(v))], true) = (&*results, ty != Type::Void) {
        result = v;
    } else if ty != Type::Void && !results.is_empty() {
        let phi = f.insert_phi(after, ty, place);
        for &(b, v) in &results {
            let slot = f.succs(b).next().map(|e| f.edge_slot(e));
            if let (Some(slot), Some(v)) = (slot, v) {
                f.set_arg(phi, slot, v);
            }
        }
        result = Value::inst(phi);
    }
    f.replace(call, result);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::calls::candidates::{CANDIDATES, ONCE_ROOM};
    use crate::opt::calls::effects::EFFECTS;
    use crate::opt::run::manager::{Options, Stage, Step, run_on_module};

    const PLAN: &[Step] = &[
        Step::Each(&[Stage::Make]),
        Step::Summary(&EFFECTS),
        Step::All(&CANDIDATES),
        Step::Each(&[Stage::Passes(&[&INLINE])]),
    ];

    fn inlined(text: &str) -> String {
        inlined_for(Size::Any, text)
    }

    fn inlined_for(size: Size, text: &str) -> String {
        let mut module = parse(text).unwrap_or_else(|error| panic!("{error}"));
        let options = Options { verify: true, size, ..Options::default() };
        run_on_module(&mut module, PLAN, &options, &Workers::new(2)).unwrap();
        print::module(&module)
    }

    /// Calls that are left of two, of a function of so many products.
    fn calls_left(size: Size, hints: &str, caller: &str, products: usize) -> usize {
        let lines: String = (0..products).map(|k| format!("%v{} = mul i32 %v{k}, %v{k}\n", k + 1)).collect();
        let have = inlined_for(
            size,
            &format!(
                "define i32 @f(i32 %v0) {hints} {{
                   {lines} ret i32 %v{products}
                 }}
                 define i32 @main() {caller} {{
                   %x = call i32 @f(i32 3)
                   %y = call i32 @f(i32 %x)
                   ret i32 %y
                 }}"
            ),
        );
        have.matches("call i32").count()
    }

    #[test]
    fn what_is_asked_for_is_done_and_small_code_has_no_copies() {
        assert_eq!(calls_left(Size::Any, "", "", 20), 0);
        assert_eq!(calls_left(Size::Any, "noinline", "", 1), 2);
        assert_eq!(calls_left(Size::Any, "", "", 200), 2);
        assert_eq!(calls_left(Size::Any, "alwaysinline", "", 200), 0);
        assert_eq!(calls_left(Size::Any, "alwaysinline", "", ONCE_ROOM + 1), 2);
        // Where the size of code counts: all of it, or the caller's, or that of what is seldom called.
        for (size, hints, caller) in [
            (Size::Small, "", ""),
            (Size::Any, "", "optsize"),
            (Size::Any, "", "minsize"),
            (Size::Any, "cold", ""),
        ] {
            assert_eq!(calls_left(size, hints, caller, 20), 2, "{size:?} {hints} {caller}");
            assert_eq!(calls_left(size, hints, caller, 2), 0, "{size:?} {hints} {caller}");
        }
        assert_eq!(calls_left(Size::Small, "alwaysinline", "", 20), 0);
    }

    #[test]
    fn what_is_copied_in_a_large_unit_is_smaller() {
        let rows = |count: usize| -> String {
            (0..count).map(|k| format!("%v{} = mul i32 %v{k}, %v{k}\n", k + 1)).collect()
        };
        let left = |products: usize, other: usize| {
            let have = inlined(&format!(
                "define i32 @f(i32 %v0) {{
                   {} ret i32 %v{products}
                 }}
                 define i32 @other(i32 %v0) {{
                   {} ret i32 %v{other}
                 }}
                 define i32 @main() {{
                   %x = call i32 @f(i32 3)
                   %y = call i32 @f(i32 %x)
                   ret i32 %y
                 }}",
                rows(products),
                rows(other)
            ));
            have.matches("call i32").count()
        };
        assert_eq!([left(30, 9_000), left(30, 11_000), left(18, 11_000)], [0, 2, 0]);
    }

    #[test]
    fn a_copy_takes_arguments_and_gives_the_result_of_each_return() {
        let have = inlined(
            "define internal i32 @max(i32 %a, i32 %b) {
             entry:
               %v = alloca i32
               store i32 %a, ptr %v
               %c = icmp slt i32 %a, %b
               br i1 %c, label %less, label %more
             less:
               ret i32 %b
             more:
               %w = load i32, ptr %v
               ret i32 %w
             }
             define i32 @main() {
             entry:
               br label %loop
             loop:
               %x = phi i32 [ 1, %entry ], [ %z, %loop ]
               %y = call i32 @max(i32 %x, i32 3)
               %z = call i32 @max(i32 4, i32 %y)
               %c = icmp slt i32 %z, 9
               br i1 %c, label %loop, label %exit
             exit:
               ret i32 %z
             }",
        );
        let main = have.split("@main").nth(1).unwrap();
        assert!(!main.contains("call") && main.matches("phi").count() == 3, "{have}");
        let entry = main.split("b1:").next().unwrap();
        assert_eq!(entry.matches("alloca").count(), 2, "variables stand at the entry: {have}");
    }

    #[test]
    fn calls_of_copies_are_replaced_too_and_what_never_returns_ends() {
        let have = inlined(
            "define internal void @stop() {
             entry:
               unreachable
             }
             define internal i32 @one(i32 %x) {
             entry:
               %y = add i32 %x, 1
               ret i32 %y
             }
             define internal i32 @two(i32 %x) {
             entry:
               %y = call i32 @one(i32 %x)
               %z = call i32 @one(i32 %y)
               call void @stop()
               ret i32 %z
             }
             define i32 @main() {
             entry:
               %x = call i32 @two(i32 5)
               ret i32 %x
             }",
        );
        let main = have.split("@main").nth(1).unwrap();
        assert!(!main.contains("call") && main.contains("unreachable"), "{have}");
    }

    #[test]
    fn what_is_declared_and_what_may_be_replaced_stays_a_call() {
        let text = "declare i32 @elsewhere(i32)
             define weak i32 @open(i32 %x) {
             entry:
               ret i32 %x
             }
             define i32 @main() {
             entry:
               %y = call i32 @elsewhere(i32 5)
               %z = call i32 @open(i32 %y)
               ret i32 %z
             }";
        assert_eq!(inlined(text), print::module(&parse(text).unwrap()));
    }

    #[test]
    fn what_is_small_and_recurs_gets_one_more_round_as_do_its_callers() {
        let text = |sums: usize| {
            let sums: String = (0..sums).map(|k| format!("  %v{} = mul i32 %v{k}, %v0\n", k + 1)).collect();
            format!(
                "define internal i32 @down(i32 %v0) {{
                 entry:
                   %c = icmp eq i32 %v0, 0
                   br i1 %c, label %exit, label %more
                 more:
                   {sums}
                   %x = sub i32 %v0, 1
                   %y = call i32 @down(i32 %x)
                   %z = srem i32 %y, 7
                   ret i32 %z
                 exit:
                   ret i32 1
                 }}
                 define i32 @main() {{
                 entry:
                   %x = call i32 @down(i32 5)
                   ret i32 %x
                 }}"
            )
        };
        let small = inlined(&text(0));
        assert_eq!(small.matches("call").count(), 2, "{small}");
        assert_eq!(small.matches("srem").count(), 3, "{small}");
        assert_eq!(inlined(&text(100)).matches("srem").count(), 1);
    }

    #[test]
    fn calls_that_do_nothing_go() {
        let have = inlined(
            "define internal i32 @down(i32 %x) {
             entry:
               %y = call i32 @down(i32 %x)
               ret i32 %y
             }
             define i32 @main() {
             entry:
               %x = call i32 @down(i32 5)
               ret i32 3
             }",
        );
        assert!(!have.split("@main").nth(1).unwrap().contains("call"), "{have}");
    }

    #[test]
    fn frames_do_not_grow_by_large_variables() {
        let text = |length: u32| {
            format!(
                "define internal i32 @fills(i32 %x) {{
                   %a = alloca [{length} x i32]
                   store i32 %x, ptr %a
                   %y = load i32, ptr %a
                   ret i32 %y
                 }}
                 define i32 @main() {{
                   %x = call i32 @fills(i32 1)
                   %y = call i32 @fills(i32 %x)
                   ret i32 %y
                 }}"
            )
        };
        assert_eq!(inlined(&text(100)).matches("call").count(), 0);
        assert_eq!(inlined(&text(10_000)).matches("call").count(), 1);
        assert_eq!(inlined(&text(100_000)).matches("call").count(), 2);
    }

    #[test]
    fn what_takes_memory_of_the_stack_each_time_is_not_copied_into_a_loop() {
        let text = |memory: &str| {
            format!(
                "define internal i32 @takes(i32 %n) {{
                   %a = {memory}
                   store i32 %n, ptr %a
                   %y = load i32, ptr %a
                   ret i32 %y
                 }}
                 define i32 @main() {{
                   %x = call i32 @takes(i32 1)
                   ret i32 %x
                 }}"
            )
        };
        let calls = |memory: &str| inlined(&text(memory)).matches("call i32 @takes").count();
        assert_eq!(calls("alloca i32, i32 4"), 0);
        assert_eq!(calls("alloca i32, i32 %n"), 1);
    }

    #[test]
    fn what_returns_twice_and_takes_variadic_arguments_stays_in_its_function() {
        let text = |says: &str, further: &str| {
            format!(
                "declare i32 @sets(ptr) {says}
                 define internal i32 @tries(ptr %p{further}) {{
                   %x = call i32 @sets(ptr %p)
                   ret i32 %x
                 }}
                 define i32 @main() {{
                   %p = alloca [50 x i64]
                   %x = call i32 (ptr{further}) @tries(ptr %p)
                   ret i32 %x
                 }}"
            )
        };
        let calls = |says: &str, further: &str| {
            let have = inlined(&text(says, further));
            have.split("@main").nth(1).unwrap().matches("@tries").count()
        };
        assert_eq!(calls("", ""), 0);
        assert_eq!(calls("returns_twice", ""), 1);
        assert_eq!(calls("", ", ..."), 1);
    }

    #[test]
    fn what_is_large_is_copied_to_its_only_call() {
        let sums: String = (0..200).map(|k| format!("  %v{} = add i32 %v{k}, %v0\n", k + 1)).collect();
        let text = |calls: &str| {
            format!(
                "define internal i32 @large(i32 %v0) {{\nentry:\n{sums}  ret i32 %v200\n}}
                 define i32 @main() {{\nentry:\n{calls}  ret i32 %x\n}}"
            )
        };
        let one = "  %x = call i32 @large(i32 1)\n";
        assert!(!inlined(&text(one)).contains("call"));
        let two = "  %y = call i32 @large(i32 1)\n  %x = call i32 @large(i32 %y)\n";
        assert_eq!(inlined(&text(two)).matches("call").count(), 2);
    }

    #[test]
    fn a_chain_of_small_functions_goes_on_where_there_is_room() {
        let one = |k: usize| match k {
            0 => "define internal i32 @f0(i32 %x) {\nentry:\n  ret i32 %x\n}\n".to_string(),
            _ => format!(
                "define internal i32 @f{k}(i32 %x) {{\nentry:\n  %y = mul i32 %x, {k}\n  %z = call i32 @f{}(i32 %y)\n\
                 \x20 ret i32 %z\n}}\n",
                k - 1
            ),
        };
        let chain: String = (0..=2 * ONCE_ROOM / 3).map(one).collect();
        let have = inlined(&format!(
            "{chain}define i32 @main() {{\nentry:\n  %x = call i32 @f{}(i32 5)\n  ret i32 %x\n}}\n",
            2 * ONCE_ROOM / 3
        ));
        // Main and one function get half of the chain each. Nothing is copied into all others.
        let have_calls = have.matches("call i32").count();
        let others = have.split("define ").filter(|f| f.matches(" = mul").count() <= 1).count();
        assert!(others > ONCE_ROOM / 2 && have_calls < ONCE_ROOM, "{have_calls} {others}");
    }

    #[test]
    fn what_does_not_find_room_gets_copies_itself() {
        let sums = |count: usize| -> String {
            (0..count).map(|k| format!("  %v{} = add i32 %v{k}, %v0\n", k + 1)).collect()
        };
        let text = format!(
            "define internal i32 @small(i32 %x) {{\nentry:\n  %y = mul i32 %x, %x\n  ret i32 %y\n}}
             define internal i32 @below(i32 %v0) {{\nentry:\n{}  %x = call i32 @small(i32 %v2000)\n  ret i32 %x\n}}
             define internal i32 @other(i32 %v0) {{\nentry:\n{}  %x = call i32 @small(i32 %v4000)\n  ret i32 %x\n}}
             define i32 @main() {{
             entry:
               %x = call i32 @below(i32 5)
               %y = call i32 @other(i32 %x)
               ret i32 %y
             }}",
            sums(2000),
            sums(4000)
        );
        let have = inlined(&text);
        let functions: Vec<&str> = have.split("define ").collect();
        let [below, main] = [functions[2], functions[4]];
        assert!(!below.contains("call"), "{have}");
        assert_eq!((main.matches("call").count(), main.matches("call i32 @below").count()), (1, 1), "{have}");
    }
}
