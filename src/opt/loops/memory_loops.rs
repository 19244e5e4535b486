//! Loops that fill memory with a byte or copy it become one instruction: a `memset` or `memcpy`.
//!
//! A round stores a number whose bytes are all the same, or what it has loaded, at an address that moves on by
//! as much as is stored, and nothing else in the loop leads to that memory. The store goes in front of the loop
//! as one for all rounds; what is left of the loop is `finish_loops`' to delete. Inner loops first: what fills
//! a row then fills all rows, if they stand one behind the other.
//!
//! Where it is not known how many bytes there are, and a round has few of them, a branch leads past the loop if
//! there are many; that is for loops that do nothing else.
//!
//! A copy's two parts of memory do not overlap as a whole (`analysis/alias`). O(instructions of small loops).
//! After LLVM's LoopIdiomRecognize.

use crate::analysis::Evolution;
use crate::analysis::alias::{Overlap, may_share, overlap};
use crate::analysis::memory::{base_of, filled, read, written};
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::TripCount;
use crate::base::graph::Loop;
use crate::ir::opcode::{PURE, WRITES};
use crate::ir::{At, Block, Body, Env, Inst, IntPred, Op, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{CANONICAL_CFG, Closer, canonicalise, worth_it};
use crate::opt::loops::first_iteration::{Part, make, parts};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static MEMORY_LOOPS: FuncPass = FuncPass {
    name: "memory_loops",
    description: "fill and copy memory without loops",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// Blocks, instructions and accesses of a loop that is looked at.
const MOST_BLOCKS: usize = 8;
const MOST: usize = 48;
const MOST_ACCESSES: usize = 8;
/// The fewest bytes that a call is made for: known ones, and those of a loop that is asked.
const FEWEST: u64 = 64;
const FEWEST_ASKED: u64 = 128;
/// The most.
const TOO_MANY: u64 = 1 << 31;

#[inline(never)]
fn run(cx: &mut FuncCx, closer: &mut Closer) -> Outcome {
    if !cx.f.ops().any(|(_, op)| op == Op::Store)
        || !worth_it(cx.f, cx.analyses)
        || !cx.analyses.loops.header.keys().any(|l| has_candidate(cx, l))
    {
        return Outcome::UNCHANGED;
    }
    let changed = canonicalise(cx, closer);
    cx.require(AnalysisSet::EVOLUTION);
    let (mut replaced, mut asked) = (false, Vec::new());
    for l in cx.analyses.loops.header.keys().rev() {
        let Some(plan) = plan(cx.env, cx.f, cx, l) else { continue };
        tell(cx.f, &plan);
        match plan.past {
            Some(_) => asked.push(plan),
            None => {
                let count = cx.f.inst_count();
                replace(cx.f, plan);
                cx.analyses.evolution.note_since(cx.env, cx.f, &cx.analyses.loops, count);
                replaced = true;
            }
        }
    }
    if asked.is_empty() {
        let kept = if replaced { CANONICAL_CFG } else { AnalysisSet::ALL };
        return Outcome::changed_if(changed || replaced, kept);
    }
    asked.into_iter().for_each(|plan| lead_past(cx.f, plan));
    Outcome::changed(AnalysisSet::NONE)
}

/// Says what is filled and copied at once.
fn tell(f: &mut Body, plan: &Plan) {
    for &Write { i, what, bytes, .. } in &plan.writes {
        f.tell((Sort::Done, "memory_loops"), f.place(i), || {
            let what = match what {
                What::Byte(byte) => format!("memory is filled with bytes {byte} at once"),
                What::From(..) => "memory is copied at once".to_string(),
            };
            match plan.past {
                Some(_) => format!("{what}, if there are rounds enough ({bytes} bytes in each)"),
                None => format!("{what}, without the loop ({bytes} bytes in each round)"),
            }
        });
    }
}

/// What a round writes, in the place of a loop.
#[derive(Copy, Clone)]
enum What {
    /// This byte.
    Byte(u8),
    /// What is at this address, by this load if there is one.
    From(Value, Option<Inst>),
}

/// What all rounds of a loop write at one place.
struct Write {
    i: Inst,
    to: Value,
    /// Bytes of a round.
    bytes: u64,
    what: What,
    to_parts: Vec<Part>,
    from_parts: Vec<Part>,
}

/// Writes of a loop that are made at once.
struct Plan {
    in_front: Block,
    trips: TripCount,
    writes: Vec<Write>,
    /// If a branch leads past the loop: where, and how far variables are off the bound there.
    past: Option<Past>,
}

struct Past {
    header: Block,
    exit: Block,
    bound: Value,
    /// For each phi of the exit: a value, or the bound and so much.
    results: Vec<Result<Value, i64>>,
}

/// The byte that a number consists of.
fn byte_of(f: &Body, v: Value) -> Option<u8> {
    let bits = match f.type_of(v) {
        Type::I32 => f.as_int(v)? as u32,
        Type::F32 => f.as_f32(v)?.to_bits(),
        _ => return None,
    };
    let [a, b, c, d] = bits.to_le_bytes();
    (a == b && b == c && c == d).then_some(a)
}

/// What an instruction writes: where, how many bytes, and of what.
fn what(env: &Env, f: &Body, i: Inst) -> Option<(Value, u64, What)> {
    match f.op(i) {
        Op::Store => {
            let (v, to) = (f.arg(i, 0), f.arg(i, 1));
            let bytes = u64::from(env.shapes.bytes_of(f.type_of(v)));
            if let Some(byte) = byte_of(f, v) {
                return Some((to, bytes, What::Byte(byte)));
            }
            let load = v.as_inst().filter(|&i| f.op(i) == Op::Load && f.has_single_use(i))?;
            Some((to, bytes, What::From(f.arg(load, 0), Some(load))))
        }
        Op::MemInit if f.args(i).len() == 1 => Some((f.arg(i, 0), u64::from(f.payload(i)), What::Byte(0))),
        Op::MemSet => {
            let byte = f.as_int(f.arg(i, 1))? as u8;
            Some((f.arg(i, 0), filled(f, i)?, What::Byte(byte)))
        }
        Op::MemCopy => Some((f.arg(i, 0), filled(f, i)?, What::From(f.arg(i, 1), None))),
        _ => None,
    }
}

/// What a loop does to memory; none if it is large, or does anything else that matters.
fn accesses(f: &Body, blocks: &[Block]) -> Option<([Option<Inst>; MOST_ACCESSES], usize)> {
    let (mut found, mut count, mut seen) = ([None; MOST_ACCESSES], 0, 0);
    for i in blocks.iter().flat_map(|&b| f.insts(b)) {
        let op = f.op(i);
        seen += 1;
        if seen > MOST {
            return None;
        }
        if op.has(PURE) || op == Op::Phi || op.is_terminator() {
            continue;
        }
        let is_access = matches!(op, Op::Load | Op::Store | Op::MemInit | Op::MemSet | Op::MemCopy);
        if !is_access || count == MOST_ACCESSES {
            return None;
        }
        found[count] = Some(i);
        count += 1;
    }
    Some((found, count))
}

/// True for an innermost loop that may be one to fill or copy.
fn has_candidate(cx: &FuncCx, l: Loop) -> bool {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let blocks = loops.blocks(l);
    let is_innermost = blocks.len() <= MOST_BLOCKS && loops.is_innermost(l);
    let is_write = |i: &Inst| f.op(*i).has(WRITES) && what(cx.env, f, *i).is_some();
    is_innermost && accesses(f, blocks).is_some_and(|(found, _)| found.iter().flatten().any(is_write))
}

fn plan(env: &Env, f: &Body, cx: &FuncCx, l: Loop) -> Option<Plan> {
    let loops = &cx.analyses.loops;
    let blocks = loops.blocks(l);
    if blocks.len() > MOST_BLOCKS {
        return None;
    }
    let (found, count) = accesses(f, blocks)?;
    let found = &found[..count];
    if !found.iter().flatten().any(|&i| f.op(i).has(WRITES) && what(env, f, i).is_some()) {
        return None;
    }
    let around = cx.analyses.simple_loop(f, l)?;
    let exit = f.edge_to(around.leaves(around.latch)?);
    if !around.is_left_behind_latch() {
        return None;
    }
    let trips = around.trip_count(env).or_else(|| around.trip_count_up_to())?;
    let mut writes: Vec<Write> = Vec::new();
    for &i in found.iter().flatten() {
        writes.extend(whole((env, &cx.analyses.evolution), &around, found, i, trips));
    }
    if writes.is_empty() {
        return None;
    }
    let in_front = around.preheader;
    if matches!(trips, TripCount::Constant(_)) || writes.iter().all(|write| write.bytes >= FEWEST) {
        return Some(Plan { in_front, trips, writes, past: None });
    }
    // The loop has to do nothing else.
    let is_found = |i: Inst| {
        let is_it =
            |write: &Write| write.i == i || matches!(write.what, What::From(_, Some(load)) if load == i);
        writes.iter().any(is_it)
    };
    let (counted, TripCount::Distance(_, _, more)) = (around.counted(around.latch)?, trips) else {
        return None;
    };
    if !found.iter().flatten().all(|&i| is_found(i)) || f.preds(exit).len() != 1 {
        return None;
    }
    let result = |phi: Inst| {
        let v = f.arg(phi, 0);
        match v {
            _ if around.is_outside(v) => Some(Ok(v)),
            _ if v == counted.next => Some(Err(more)),
            _ if v == Value::inst(counted.phi) => Some(Err(more - counted.step)),
            _ => None,
        }
    };
    let results = f.phis(exit).map(result).collect::<Option<_>>()?;
    let past = Some(Past { header: around.header, exit, bound: counted.bound, results });
    Some(Plan { in_front, trips, writes, past })
}

/// What an instruction of a loop writes in all rounds, if that is one stretch of memory that nothing else in
/// the loop leads to.
fn whole(
    (env, evolution): (&Env, &Evolution),
    around: &SimpleLoop,
    found: &[Option<Inst>],
    i: Inst,
    trips: TripCount,
) -> Option<Write> {
    let f = around.f;
    let (to, bytes, what) = what(env, f, i)?;
    let is_each_round = |i: Inst| {
        f.block_of(i).is_some_and(|b| {
            around.loops.innermost[b].get() == Some(around.l) && around.dominators.dominates(b, around.latch)
        })
    };
    // What an access in each round is at is one object, so it does not wrap around.
    let moves_on = |at: Value| {
        let sum = at.as_inst().and_then(|i| evolution.of(i));
        let step = sum.and_then(|sum| evolution.step((f, around.loops), around.l, sum));
        step.is_some_and(|step| i64::from(step as i32) == bytes as i64)
    };
    if bytes == 0 || !is_each_round(i) || !moves_on(to) {
        return None;
    }
    let all = match trips {
        TripCount::Constant(n) => Some(u64::from(n) * bytes).filter(|all| (FEWEST..TOO_MANY).contains(all)),
        TripCount::Distance(..) => None,
    };
    if matches!(trips, TripCount::Constant(_)) && all.is_none() {
        return None;
    }
    let base = base_of(f, to);
    let mut own_load = None;
    if let What::From(from, load) = what {
        let is_apart = match all {
            Some(all) => overlap(env, f, (to, all), (from, all)) == Overlap::Never,
            None => !may_share(env, f.func, base, base_of(f, from)),
        };
        if !is_apart || !moves_on(from) || load.is_some_and(|load| !is_each_round(load)) {
            return None;
        }
        own_load = load;
    }
    let shares =
        |at: Option<Value>, other| at.is_some_and(|at| may_share(env, f.func, base_of(f, at), other));
    let is_in_the_way = |&other: &Inst| {
        let is_own = other == i || Some(other) == own_load;
        let changes_source = match what {
            What::From(from, _) => shares(written(f, other), base_of(f, from)),
            What::Byte(_) => false,
        };
        !is_own && (shares(written(f, other), base) || shares(read(f, other), base) || changes_source)
    };
    // A copy of memory that reads what it has written itself was compared above.
    if found.iter().flatten().any(is_in_the_way) {
        return None;
    }
    let to_parts = parts(*around, to)?;
    let from_parts = match what {
        What::From(from, _) => parts(*around, from)?,
        What::Byte(_) => Vec::new(),
    };
    Some(Write { i, to, bytes, what, to_parts, from_parts })
}

/// Makes the writes of all rounds at the end of a block.
fn write(f: &mut Body, b: Block, trips: TripCount, count: Option<Value>, write: &mut Write) {
    let place = f.place(write.i);
    let at = At::BeforeTerminator(b);
    let bytes = match (trips, count) {
        (TripCount::Constant(n), _) => f.int((u64::from(n) * write.bytes) as i32),
        (TripCount::Distance(..), None) => return,
        (TripCount::Distance(..), Some(count)) => {
            let factor = f.int(write.bytes as i32);
            Value::inst(f.insert(at, Op::Mul, Type::I32, &[count, factor], 0, place))
        }
    };
    let to = make(f, b, &mut write.to_parts, write.to);
    match write.what {
        What::Byte(byte) => {
            let byte = f.int_of(Type::I8, i64::from(byte as i8));
            f.insert(at, Op::MemSet, Type::Void, &[to, byte, bytes], 0, place);
        }
        What::From(from, _) => {
            let from = make(f, b, &mut write.from_parts, from);
            f.insert(at, Op::MemCopy, Type::Void, &[to, from, bytes], 0, place);
        }
    }
}

/// How many rounds there are.
fn count(f: &mut Body, b: Block, plan: &Plan) -> Option<Value> {
    let TripCount::Distance(from, to, more) = plan.trips else { return None };
    let place = plan.writes.first().map(|write| f.place(write.i))?;
    let at = At::BeforeTerminator(b);
    let distance = match f.as_int(from) {
        Some(first) if first == more => return Some(to),
        Some(0) => to,
        _ => Value::inst(f.insert(at, Op::Sub, Type::I32, &[to, from], 0, place)),
    };
    let is_all = more == 0;
    let more = f.int(more as i32);
    Some(if is_all {
        distance
    } else {
        Value::inst(f.insert(at, Op::Add, Type::I32, &[distance, more], 0, place))
    })
}

/// Makes writes in front of a loop instead of in it.
fn replace(f: &mut Body, mut plan: Plan) {
    let count = count(f, plan.in_front, &plan);
    for done in &mut plan.writes {
        write(f, plan.in_front, plan.trips, count, done);
        f.remove(done.i);
        if let What::From(_, Some(load)) = done.what {
            f.remove(load);
        }
    }
}

/// Makes a way past a loop, for many rounds.
fn lead_past(f: &mut Body, mut plan: Plan) {
    let Some(past) = plan.past.take() else { return };
    let Some(count) = count(f, plan.in_front, &plan) else { return };
    let (in_front, header) = (plan.in_front, past.header);
    let Some(end) = f.terminator(in_front) else { return };
    let Some(enters) = f.succs(in_front).next() else { return };
    let place = f.place(end);
    let firsts: Vec<(Inst, Value)> =
        f.phis(header).map(|phi| (phi, f.arg(phi, f.edge_slot(enters)))).collect();
    let fewest = plan.writes.iter().map(|write| FEWEST_ASKED.div_ceil(write.bytes)).max().unwrap_or(0);
    let fewest = f.int(fewest as i32);
    let at = At::BeforeTerminator(in_front);
    let pred = IntPred::Uge as u32;
    let many = Value::inst(f.insert(at, Op::ICmp, Type::I1, &[count, fewest], pred, place));
    let fill = f.create_block_after(in_front);
    let (_, enters) = f.set_cond_br(in_front, many, fill, header, place);
    for (phi, v) in firsts {
        f.set_arg(phi, f.edge_slot(enters), v);
    }
    let leaves = f.set_br(fill, past.exit, place);
    let results: Vec<Inst> = f.phis(past.exit).collect();
    for (phi, result) in results.into_iter().zip(past.results) {
        let v = match (result, f.as_int(past.bound)) {
            (Ok(v), _) => v,
            (Err(0), _) => past.bound,
            (Err(off), Some(bound)) => f.int(bound.wrapping_add(off) as i32),
            (Err(off), None) => {
                let off = f.int(off as i32);
                let (at, args) = (At::BeforeTerminator(fill), [past.bound, off]);
                Value::inst(f.insert(at, Op::Add, Type::I32, &args, 0, place))
            }
        };
        f.set_arg(phi, f.edge_slot(leaves), v);
    }
    plan.writes.iter_mut().for_each(|done| write(f, fill, plan.trips, Some(count), done));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::loops::finish_loops::FINISH_LOOPS;
    use crate::opt::run::testing::{apply, apply_all, leaves_alone, run};

    /// A loop over %i from `first` to below `end` that does this, behind a guard if the end is %n.
    fn text(first: &str, end: &str, round: &str) -> String {
        format!(
            "@a = internal global [99 x i32] zeroinitializer
             @b = internal global [99 x i32] zeroinitializer
             @c = internal global [99 x float] zeroinitializer
             @d = internal global [99 x [100 x i32]] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i32 %n, ptr %p, ptr %q, i1 %x, i32 %v) {{
             entry:
               %guard = icmp slt i32 {first}, {end}
               br i1 %guard, label %front, label %exit
             front:
               br label %head
             head:
               %i = phi i32 [ {first}, %front ], [ %j, %latch ]
               {round}
               br label %latch
             latch:
               %j = add i32 %i, 1
               %go = icmp slt i32 %j, {end}
               br i1 %go, label %head, label %out
             out:
               %last = phi i32 [ %j, %latch ]
               br label %exit
             exit:
               %r = phi i32 [ 0, %entry ], [ %last, %out ]
               ret i32 %r
             }}"
        )
    }

    /// An element's address.
    fn at(name: &str, base: &str, subscript: &str) -> String {
        format!("%{name} = getelementptr inbounds i32, ptr {base}, i32 {subscript}\n")
    }

    /// What the pass and the next one make of a loop.
    fn made(text: &str) -> String {
        let mut module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(apply_all(&[&MEMORY_LOOPS, &FINISH_LOOPS], &mut module), "{text}");
        print::module(&module)
    }

    #[test]
    fn bytes_are_filled_and_elements_copied_by_one_instruction() {
        let store = |v: &str, to: &str| at("e", to, "%i") + &format!("store {v}, ptr %e");
        let copy = |from: &str, more: i32| {
            format!("%k = add i32 %i, {more}\n")
                + &at("e", "@a", "%i")
                + &at("o", from, "%k")
                + "%w = load i32, ptr %o\nstore i32 %w, ptr %e"
        };
        for (first, end, round, want) in [
            ("0", "50", store("i32 0", "@a"), "i8 0, i32 200,"),
            ("0", "50", store("i32 -1", "%p"), "i8 -1, i32 200,"),
            ("3", "50", store("i32 1061109567", "@a"), "i8 63, i32 188,"),
            ("0", "50", store("float 0.0", "@c"), "i8 0, i32 200,"),
            ("0", "50", copy("@b", 1), "memcpy.p0.p0.i32(ptr %"),
            ("0", "30", copy("@a", 40), "memcpy.p0.p0.i32(ptr %"),
        ] {
            let have = made(&text(first, end, &round));
            assert!(have.contains(want) && !have.contains("icmp slt i32 %"), "{have}");
        }
        // What else the loop does stays.
        let round = store("i32 0", "@a") + "\n" + &at("o", "@b", "%i") + "store i32 %i, ptr %o";
        let have = made(&text("0", "50", &round));
        assert!(have.contains("memset") && have.matches("store").count() == 1, "{have}");
    }

    #[test]
    fn many_rounds_go_past_the_loop_and_few_through_it() {
        let zero = at("e", "@a", "%i") + "store i32 0, ptr %e";
        let have = made(&text("0", "%n", &zero));
        assert!(have.contains("icmp uge i32") && have.contains(", 32\n") && have.contains("store"), "{have}");
        let both = zero.clone()
            + "\n"
            + &at("s", "@b", "%i")
            + &at("t", "%p", "%i").replace("%p", "@c")
            + "%w = load i32, ptr %s\nstore i32 %w, ptr %t";
        let have = made(&text("0", "%n", &both));
        assert!(have.contains("memset") && have.contains("memcpy"), "{have}");
        // What the loop ends with is known.
        let tests = [(0, "slt"), (2, "slt"), (0, "sle"), (1, "sle"), (2, "sle")];
        for ((first, test), last) in tests.into_iter().flat_map(|test| ["%j", "%i"].map(|last| (test, last)))
        {
            let call = |n: i32| format!("%r{n} = call i32 @f(i32 {n}, ptr @a, ptr @b, i1 0, i32 0)\n");
            let sum = "%s = shl i32 %r60, 8\n%t = add i32 %s, %r5
                       %g = getelementptr inbounds i32, ptr @a, i32 59\n%h = load i32, ptr %g
                       %k = getelementptr inbounds i32, ptr @a, i32 60\n%l = load i32, ptr %k
                       %u = add i32 %h, %l\n%z = add i32 %t, %u\nret i32 %z";
            let set = "%e1 = getelementptr inbounds i32, ptr @a, i32 59\nstore i32 9, ptr %e1
                       %e2 = getelementptr inbounds i32, ptr @a, i32 60\nstore i32 3, ptr %e2\n";
            let main = format!("define i32 @main() {{\n{set}{}{}{sum}\n}}", call(60), call(5));
            let function = text(&first.to_string(), "%n", &zero).replace(
                "[ %j, %latch ]\n               br",
                &format!("[ {last}, %latch ]\n               br"),
            );
            let before = parse(&format!("{function}\n{main}").replace("slt", test)).unwrap();
            let mut module = before.clone();
            assert!(apply(&MEMORY_LOOPS, &mut module));
            let want = if test == "slt" { (60 << 8) + 5 + 3 } else { (61 << 8) + 6 };
            let want = if last == "%i" { want - (1 << 8) - 1 } else { want };
            assert_eq!(run(&before, ""), Some((String::new(), want)));
            assert_eq!(run(&module, ""), run(&before, ""));
        }
    }

    #[test]
    fn rows_one_behind_the_other_are_one_stretch() {
        let nest = |columns: i32, rows: &str| {
            let inner = format!(
                "br label %inner
                 inner:
                   %c = phi i32 [ 0, %head ], [ %m, %inner ]
                   %e = getelementptr inbounds [99 x [100 x i32]], ptr @d, i32 0, i32 %i, i32 %c
                   store i32 0, ptr %e
                   %m = add i32 %c, 1
                   %more = icmp slt i32 %m, {columns}
                   br i1 %more, label %inner, label %behind
                 behind:"
            );
            text("0", rows, &inner)
        };
        let have = made(&nest(100, "99"));
        assert!(have.contains("i32 39600,") && !have.contains("icmp slt i32 %"), "{have}");
        let have = made(&nest(100, "%n"));
        assert!(have.contains("mul i32 %") && have.contains(", 400\n") && !have.contains("uge"), "{have}");
        let have = made(&nest(99, "99"));
        assert!(have.contains("i32 396,") && have.contains("icmp slt i32 %"), "{have}");
    }

    #[test]
    fn other_values_other_steps_and_what_looks_at_the_memory_stay() {
        let zero = at("e", "@a", "%i") + "store i32 0, ptr %e\n";
        let copy = |to: &str, from: &str| {
            at("e", to, "%i") + &at("o", from, "%k") + "%w = load i32, ptr %o\nstore i32 %w, ptr %e"
        };
        let next = "%k = add i32 %i, 1\n".to_string();
        for round in [
            zero.replace("i32 0,", "i32 257,"),
            zero.replace("i32 0,", "i32 %v,"),
            zero.clone() + "call void @putint(i32 %i)",
            zero.clone() + &at("o", "@a", "7") + "%w = load i32, ptr %o\nstore i32 %w, ptr @b",
            zero.clone() + &at("o", "%p", "%i") + "store i32 %i, ptr %o",
            zero.replace("%i\n", "%n\n"),
            "%k = shl i32 %i, 1\n".to_string() + &zero.replace("%i\n", "%k\n"),
            "%k = sub i32 90, %i\n".to_string() + &zero.replace("%i\n", "%k\n"),
            format!("br i1 %x, label %yes, label %latch2\nyes:\n{zero}br label %latch2\nlatch2:"),
            next.clone() + &copy("@a", "@a"),
            next.clone() + &copy("%p", "%q"),
            next.clone() + &copy("@a", "%q"),
            next.clone() + &copy("@a", "@b") + "\nstore i32 %w, ptr @c",
            next.clone() + &copy("@a", "@b") + "\n" + &at("s", "@b", "%i") + "store i32 %i, ptr %s",
        ] {
            for end in ["50", "%n"] {
                leaves_alone(&MEMORY_LOOPS, &text("0", end, &round));
            }
        }
        leaves_alone(&MEMORY_LOOPS, &text("0", "9", &zero));
        // Left in the middle of it.
        let left = zero + "%stop = icmp eq i32 %i, %v\nbr i1 %stop, label %out2, label %latch2\nlatch2:";
        let left = text("0", "50", &left).replace("out:", "out2:\n ret i32 7\nout:");
        leaves_alone(&MEMORY_LOOPS, &left);
    }
}
