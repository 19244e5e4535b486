//! Turns loops that test before each round into loops that test after it, behind one test in front: what a
//! round does for certain then stands in blocks that dominate the exits, so that motion may take it out of
//! the loop, and a round has one jump less.
//!
//! The header's instructions are copied in front of the loop, with what the preheader brings for phis. The
//! header's successor inside becomes the header; what the old one defines reaches it from both sides,
//! through phis. The old header ends the round. Loops have to have preheaders, dedicated exits and closed
//! values (`canonical_loops`), and get them again.
//!
//! O(instructions of headers + uses of what they define). Absent: loops whose header calls something or is
//! long, and those that end with a test already.

use crate::analysis::simple_loop::preheader;
use crate::base::Column;
use crate::base::graph::Loop;
use crate::ir::body::versions::Event;
use crate::ir::{At, Block, Body, Edge, Inst, Op, Type, Use, Value};
use crate::opt::loops::canonical_loops::{Closer, canonicalise, worth_it};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static ROTATE: FuncPass = FuncPass {
    name: "rotate",
    description: "test at the end of a round of a loop, and once in front",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, run),
};

/// The most instructions of a header that are copied.
const MOST: usize = 24;

#[derive(Debug, Default)]
struct Scratch {
    closer: Closer,
    /// Per instruction of the header at hand: what stands for it in front of the loop.
    in_front: Column<Inst, Option<Value>>,
    defined: Vec<Inst>,
    uses: Vec<Use>,
}

/// A loop that is worth it.
struct Candidate {
    l: Loop,
    header: Block,
    /// Into the loop, on in the loop, and out of it.
    enters: Edge,
    stays: Edge,
    leaves: Edge,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    if !worth_it(cx.f, cx.analyses) {
        return Outcome::UNCHANGED;
    }
    let mut changed = canonicalise(cx, &mut s.closer);
    let loops = &cx.analyses.loops;
    // Inner loops first.
    let candidates: Vec<Candidate> = loops.header.keys().rev().filter_map(|l| candidate(cx, l)).collect();
    for candidate in &candidates {
        let next = rotate(cx.f, s, candidate, cx.analyses.loops.blocks(candidate.l));
        cx.analyses.rotated(candidate.l, next.unwrap_or(candidate.header));
    }
    if !candidates.is_empty() {
        changed = true;
        canonicalise(cx, &mut s.closer);
    }
    Outcome::changed_if(changed, AnalysisSet::ORDER.with(AnalysisSet::DOMINATORS).with(AnalysisSet::LOOPS))
}

fn candidate(cx: &FuncCx, l: Loop) -> Option<Candidate> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let header = loops.header[l];
    let in_front = preheader(f, &cx.analyses.loops, l)?;
    let enters = f.succs(in_front).next()?;
    let mut succs = f.succs(header);
    if succs.len() != 2 {
        return None;
    }
    let (yes, no) = (succs.next()?, succs.next()?);
    let (stays, leaves) = match [yes, no].map(|e| loops.contains(l, f.edge_to(e))) {
        [true, false] => (yes, no),
        [false, true] => (no, yes),
        _ => return None,
    };
    let tests = |&b: &Block| f.succs(b).any(|e| !loops.contains(l, f.edge_to(e)));
    if f.edge_to(stays) == header || loops.latches(l).iter().any(tests) {
        return None;
    }
    let insts = || f.insts(header).filter(|&i| f.op(i) != Op::Phi);
    let is_short = insts().nth(MOST).is_none();
    let is_plain = insts().all(|i| f.op(i) != Op::Alloca && (f.op(i) != Op::Call || is_short_call(cx, i)));
    (is_short && is_plain).then_some(Candidate { l, header, enters, stays, leaves })
}

/// Calls are copied where they are nothing but a value.
fn is_short_call(cx: &FuncCx, call: Inst) -> bool {
    cx.effects.is_removable(cx.f.callee(call))
}

/// Rotates a loop, and returns its new header.
fn rotate(f: &mut Body, s: &mut Scratch, candidate: &Candidate, blocks: &[Block]) -> Option<Block> {
    let &Candidate { header, enters, stays, leaves, .. } = candidate;
    let in_front = f.edge_from(enters);
    let (test, before) = (f.terminator(header)?, f.terminator(in_front)?);
    let event = f.begin_event(blocks);
    // The new header has one way in for now.
    let next = if f.preds(f.edge_to(stays)).len() == 1 { f.edge_to(stays) } else { f.split_edge(stays) };
    while let Some(phi) = f.first(next).filter(|&i| f.op(i) == Op::Phi) {
        let v = f.arg(phi, 0);
        f.replace(phi, v);
    }

    // The copy in front.
    s.in_front.grow_to(f.inst_count(), None);
    s.defined.clear();
    s.defined.extend(f.insts(header).filter(|&i| i != test));
    let slot = f.edge_slot(enters);
    for &i in &s.defined {
        let copy = if f.op(i) == Op::Phi {
            f.arg(i, slot)
        } else {
            let args: Vec<Value> = f.args(i).iter().map(|&v| front(&s.in_front, v)).collect();
            Value::inst(f.insert(At::Before(before), f.op(i), f.ty(i), &args, f.payload(i), f.place(i)))
        };
        s.in_front[i] = Some(copy);
    }
    let condition = front(&s.in_front, f.arg(test, 0));
    let (exit, place) = (f.edge_to(leaves), f.place(test));
    let brought: Vec<(Inst, Value)> =
        f.phis(exit).map(|phi| (phi, front(&s.in_front, f.arg(phi, f.edge_slot(leaves))))).collect();
    let first_stays = f.succs(header).next() == Some(stays);
    let (yes, no) = if first_stays { (next, exit) } else { (exit, next) };
    let (yes, no) = f.set_cond_br(in_front, condition, yes, no, place);
    let (into, past) = if first_stays { (yes, no) } else { (no, yes) };
    // What is known of all rounds is what can be said of the first.
    _ = f.terminator(in_front).map(|i| f.set_flags(i, f.flags(test)));
    for (phi, v) in brought {
        let slot = f.edge_slot(past);
        f.set_arg(phi, slot, v);
    }

    // What the old header defines reaches the rest of the loop from two sides.
    let mut phis: Vec<(Inst, Value)> = Vec::new();
    for k in 0..s.defined.len() {
        let i = s.defined[k];
        s.uses.clear();
        s.uses.extend(f.uses(i).filter(|u| is_beyond(f, u, header)));
        if s.uses.is_empty() {
            continue;
        }
        let phi = f.insert_phi(next, f.ty(i), f.place(i));
        f.name_after(Value::inst(phi), i);
        let (slot, v) = (f.edge_slot(into), front(&s.in_front, Value::inst(i)));
        f.set_arg(phi, slot, v);
        let slot = f.edge_slot(stays);
        f.set_arg(phi, slot, Value::inst(i));
        for u in &s.uses {
            f.set_arg(u.user, u.operand as usize, Value::inst(phi));
        }
        if event.is_some() {
            phis.push((i, Value::inst(phi)));
        }
    }
    if let Some(event) = event {
        tell(f, s, event, (header, in_front, blocks), &phis);
    }
    for &i in &s.defined {
        s.in_front[i] = None;
    }
    if let &[e] = f.preds(header)
        && f.succs(f.edge_from(e)).len() == 1
    {
        f.merge_into_pred(header);
    }
    Some(next)
}

/// Debuggers are told what stands for what the header defines, in front of the loop and in the rest of a round.
#[cold]
fn tell(
    f: &mut Body,
    s: &Scratch,
    event: Event,
    (header, in_front, blocks): (Block, Block, &[Block]),
    phis: &[(Inst, Value)],
) {
    let front: Vec<(Inst, Value)> = s.defined.iter().filter_map(|&i| Some((i, s.in_front[i]?))).collect();
    let copies = front.iter().filter_map(|row| row.1.as_inst()).filter(|&i| f.block_of(i) == Some(in_front));
    let copies: Vec<Inst> = copies.filter(|&i| f.op(i) != Op::Phi).chain(f.terminator(in_front)).collect();
    f.enter_version(event, &copies, front);
    // What has no phi is not used there.
    let mut rest: Vec<(Inst, Value)> = Vec::with_capacity(s.defined.len());
    rest.extend(s.defined.iter().map(|&i| (i, Value::undef(Type::Void))));
    for row in &mut rest {
        row.1 = phis.iter().find(|phi| phi.0 == row.0).map_or(row.1, |phi| phi.1);
    }
    let same = s.defined.iter().map(|&i| (i, Value::inst(i))).collect();
    let others: Vec<Block> = blocks.iter().copied().filter(|&b| b != header).collect();
    let (others, header) = (f.insts_of(&others), f.insts_of(&[header]));
    f.enter_version(event, &others, rest);
    f.enter_version(event, &header, same);
}

/// What stands for a value in front of the loop.
fn front(in_front: &Column<Inst, Option<Value>>, v: Value) -> Value {
    v.as_inst().and_then(|i| in_front.get(i).copied().flatten()).unwrap_or(v)
}

/// True for a use that is not in the old header, nor on an edge that leaves it.
fn is_beyond(f: &Body, u: &Use, header: Block) -> bool {
    let Some(b) = f.block_of(u.user) else { return false };
    let at = if f.op(u.user) == Op::Phi { f.edge_from(f.preds(b)[u.operand as usize]) } else { b };
    at != header
}

#[cfg(test)]
mod tests {
    use super::ROTATE;
    use crate::ir::parse::parse;
    use crate::opt::run::testing::{apply, leaves_alone, rewrites, run};

    #[test]
    fn a_loop_that_tests_first_is_guarded_and_tests_last() {
        rewrites(
            &ROTATE,
            "define i32 @f(i32 %n) {
             entry:
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %body ]
               %s = phi i32 [ 0, %entry ], [ %t, %body ]
               %c = icmp slt i32 %i, %n
               br i1 %c, label %body, label %exit
             body:
               %t = add i32 %s, %i
               %j = add i32 %i, 1
               br label %head
             exit:
               ret i32 %s
             }",
            "define i32 @f(i32 %n) {
             entry:
               %d = icmp slt i32 0, %n
               br i1 %d, label %front, label %exit
             front:
               br label %head
             head:
               %s = phi i32 [ 0, %front ], [ %t, %head ]
               %i = phi i32 [ 0, %front ], [ %j, %head ]
               %t = add i32 %s, %i
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, %n
               br i1 %c, label %head, label %out
             out:
               %u = phi i32 [ %t, %head ]
               br label %exit
             exit:
               %r = phi i32 [ 0, %entry ], [ %u, %out ]
               ret i32 %r
             }",
        );
    }

    #[test]
    fn what_tests_last_and_what_calls_in_its_test_stays() {
        let text = |head: &str, body: &str| {
            format!(
                "declare i32 @getint() memory(inaccessiblemem: readwrite)
                 define i32 @f(i32 %n) {{
                 entry:
                   br label %head
                 head:
                   %i = phi i32 [ 0, %entry ], [ %j, %body ]
                   {head}
                 body:
                   %j = add i32 %i, 1
                   {body}
                 exit:
                   %r = phi i32 [ %i, %FROM ]
                   ret i32 %r
                 }}"
            )
        };
        let last = "%c = icmp slt i32 %j, %n
                    br i1 %c, label %head, label %exit";
        leaves_alone(&ROTATE, &text("br label %body", last).replace("%FROM", "%body"));
        let calls = "%x = call i32 @getint()
                     %c = icmp slt i32 %i, %x
                     br i1 %c, label %body, label %exit";
        leaves_alone(&ROTATE, &text(calls, "br label %head").replace("%FROM", "%head"));
    }

    #[test]
    fn a_loop_that_a_switch_leaves_stays() {
        leaves_alone(
            &ROTATE,
            "define i32 @f(i32 %n) {
             entry:
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %body ]
               switch i32 %i, label %turn [ i32 0, label %body i32 1, label %exit i32 2, label %body i32 3, label %exit
                                            i32 4, label %body ]
             turn:
               br label %body
             body:
               %j = add i32 %i, %n
               br label %head
             exit:
               %r = phi i32 [ %i, %head ], [ %i, %head ]
               ret i32 %r
             }",
        );
    }

    #[test]
    fn a_loop_that_goes_on_where_its_test_fails_is_left_where_it_holds() {
        let text = |test: &str, ways: &str, n: i32| {
            format!(
                "define i32 @main() {{
                 entry:
                   br label %head
                 head:
                   %i = phi i32 [ 0, %entry ], [ %j, %body ]
                   %s = phi i32 [ 7, %entry ], [ %t, %body ]
                   %c = icmp {test} i32 %i, {n}
                   br i1 %c, {ways}
                 body:
                   %t = add i32 %s, %i
                   %j = add i32 %i, 1
                   br label %head
                 exit:
                   ret i32 %s
                 }}"
            )
        };
        for n in [0, 1, 5] {
            for (test, ways) in [("slt", "label %body, label %exit"), ("sge", "label %exit, label %body")] {
                let mut module = parse(&text(test, ways, n)).unwrap();
                let before = run(&module, "");
                assert!(before.is_some() && apply(&ROTATE, &mut module));
                assert_eq!(run(&module, ""), before);
            }
        }
    }
}
