//! Two branches that leave to one place where a number is negative and where it reaches a bound become one, which
//! compares without signs:
//!
//! ```text
//! if (x < 0 || x >= 20) goto out;           if ((unsigned) x >= 20) goto out;
//! ```
//!
//! From the first of them on, control has to go through blocks that only come from there, write nothing, and are left to
//! the same place with the same values, so that it does not matter that some are not reached any more: the second branch may
//! be several questions below, as in `x < 0 || y < 0 || x >= 40 || y >= 30`. The bound is a number above 0. Behind the passes
//! that look at counters and their borders, which know comparisons with signs. O(branches on comparisons with constants),
//! with at most `MOST_BLOCKS` blocks each.
//!
//! (GCC's `ifcombine` and "range test optimization", LLVM's `foldAndOrOfICmpsUsingRanges`.)

use crate::ir::opcode::WRITES;
use crate::ir::{At, Block, Body, Edge, Inst, IntPred, Op, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static RANGE_CHECKS: FuncPass = FuncPass {
    name: "range_checks",
    description: "compare once without signs for what is asked of both ends of a range",
    grows: false,
    needs: AnalysisSet::NONE,
    run,
};

/// Blocks below the first question that are looked at.
const MOST_BLOCKS: usize = 6;

/// One end of a range: for which numbers a branch leaves.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum End {
    Negative,
    /// This one and all above; it is above 0.
    From(i32),
}

/// A branch that leaves for the numbers at one end of a range.
#[derive(Copy, Clone)]
struct Check {
    x: Value,
    end: End,
    out: Edge,
    on: Edge,
}

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let f = &mut *cx.f;
    let mut changed = false;
    let mut next = f.entry();
    while let Some(b) = next {
        next = f.next_block(b);
        let found = checks(f, b).find_map(|first| second(f, first));
        if let Some((first, at, on, high)) = found {
            merge(f, (b, first), (at, on), high);
            changed = true;
        }
    }
    Outcome::changed_if(changed, AnalysisSet::NONE)
}

/// What the branch at the end of a block asks, for either way out.
fn checks(f: &Body, b: Block) -> impl Iterator<Item = Check> {
    let branch = f.terminator(b).filter(|&i| f.op(i) == Op::CondBr);
    let asked = branch.and_then(|branch| {
        let compare = f.arg(branch, 0).as_inst().filter(|&i| f.op(i) == Op::ICmp)?;
        let &[x, by] = f.args(compare) else { return None };
        let by = f.as_int(by).filter(|_| f.type_of(x) == Type::I32 && !x.is_constant())?;
        Some((branch, x, IntPred::from_payload(f.payload(compare)), by))
    });
    asked.into_iter().flat_map(|(branch, x, pred, by)| {
        let (yes, no) = f.ways(branch);
        let leaves = move |pred: IntPred, out: Edge, on: Edge| {
            let end = match (pred, i32::try_from(by).ok()?) {
                (IntPred::Slt, 0) | (IntPred::Sle, -1) => End::Negative,
                (IntPred::Sge, by @ 1..) => End::From(by),
                (IntPred::Sgt, by @ 0..=i32::MAX) => End::From(by.checked_add(1)?),
                _ => return None,
            };
            Some(Check { x, end, out, on })
        };
        [leaves(pred, yes, no), leaves(pred.inverse(), no, yes)].into_iter().flatten()
    })
}

/// The block below a check whose branch asks for the other end of the range, the way on from there, and the number that the
/// range ends at.
fn second(f: &Body, first: Check) -> Option<(Check, Block, Edge, i32)> {
    let mut on = first.on;
    for _ in 0..MOST_BLOCKS {
        let at = f.edge_to(on);
        if f.preds(at).len() != 1 || f.insts(at).any(|i| stays(f, i)) {
            return None;
        }
        let other = checks(f, at).find(|check| check.x == first.x && leave_alike(f, first.out, check.out));
        match other.map(|other| (first.end, other.end, other.on)) {
            Some((End::Negative, End::From(high), on) | (End::From(high), End::Negative, on)) => {
                return Some((first, at, on, high));
            }
            _ => on = way_on(f, at, first.out)?,
        }
    }
    None
}

/// True for what may not be left out where control leaves before it.
fn stays(f: &Body, i: Inst) -> bool {
    f.op(i).has(WRITES) || matches!(f.op(i), Op::Call | Op::LoadVolatile)
}

/// The only way on from a block, if all others leave to where an edge does.
fn way_on(f: &Body, at: Block, out: Edge) -> Option<Edge> {
    let mut ways = f.succs(at).filter(|&e| !leave_alike(f, out, e));
    let on = ways.next()?;
    ways.next().is_none().then_some(on)
}

/// True if two edges lead to one block with the same values.
fn leave_alike(f: &Body, a: Edge, b: Edge) -> bool {
    let to = f.edge_to(a);
    let [k, l] = [a, b].map(|e| f.edge_slot(e));
    to == f.edge_to(b) && f.phis(to).all(|phi| f.arg(phi, k) == f.arg(phi, l))
}

/// Asks for both ends at the first branch, and lets the second one always go on.
fn merge(f: &mut Body, (b, first): (Block, Check), (at, on): (Block, Edge), high: i32) {
    let (Some(branch), Some(other)) = (f.terminator(b), f.terminator(at)) else { return };
    let (yes, _) = f.ways(branch);
    let pred = if first.out == yes { IntPred::Uge } else { IntPred::Ult };
    let (bound, place) = (f.int(high), f.place(branch));
    let both = f.insert(At::BeforeTerminator(b), Op::ICmp, Type::I1, &[first.x, bound], pred as u32, place);
    f.set_arg(branch, 0, Value::inst(both));
    let place = f.place(other);
    f.fold_cond_br(at, on, place);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, leaves_alone, run};

    /// Three questions on the way to something.
    fn text([one, two, three]: [&str; 3], between: &str, values: [i32; 3]) -> String {
        let [a, b, c] = values;
        let mut text = format!(
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             @a = internal global [64 x i32] zeroinitializer
             define internal i32 @f(i32 %x, i32 %y) {{
             entry:
               %c = icmp {one}
               br i1 %c, label %out, label %second
             second:
               %p = getelementptr inbounds i32, ptr @a, i32 3
               {between}
               %d = icmp {two}
               br i1 %d, label %third, label %out
             third:
               %e = icmp {three}
               br i1 %e, label %out, label %inside
             inside:
               call void @putint(i32 %x)
               br label %out
             out:
               %r = phi i32 [ {a}, %entry ], [ {b}, %second ], [ {c}, %third ], [ 9, %inside ]
               ret i32 %r
             }}
             define i32 @main() {{\n"
        );
        let numbers = [i32::MIN, -1, 0, 1, 19, 20, 21, i32::MAX];
        for (k, (x, y)) in numbers.iter().flat_map(|x| numbers.map(|y| (x, y))).enumerate() {
            text += &format!("%v{k} = call i32 @f(i32 {x}, i32 {y})\ncall void @putint(i32 %v{k})\n");
        }
        text + "ret i32 0\n}"
    }

    const BELOW: &str = "slt i32 %x, 0";
    const ABOVE: &str = "sgt i32 %x, 19";

    #[test]
    fn both_ends_are_asked_for_at_once() {
        for (questions, between, left) in [
            ([BELOW, "sle i32 %x, 19", "eq i32 %y, 3"], "", 2),
            ([BELOW, "sgt i32 %y, -1", ABOVE], "%l = load i32, ptr %p", 2),
            ([ABOVE, "slt i32 %x, 20", BELOW], "", 2),
            (["sle i32 %x, -1", "slt i32 %y, 20", "sge i32 %x, 20"], "", 2),
            // Each pair for itself.
            ([BELOW, "sgt i32 %y, -1", "sgt i32 %y, 19"], "", 2),
        ] {
            let before = parse(&text(questions, between, [5; 3])).unwrap();
            let mut module = before.clone();
            assert!(apply(&RANGE_CHECKS, &mut module), "{questions:?}");
            let have = print::module(&module);
            assert_eq!(have.matches("br i1").count(), left, "{have}");
            assert!(have.contains("icmp u"), "{have}");
            assert!(run(&before, "").is_some() && run(&module, "") == run(&before, ""), "{have}");
        }
    }

    #[test]
    fn what_leaves_elsewhere_or_with_something_done_stays() {
        let plain = [BELOW, "sgt i32 %y, -1", ABOVE];
        for (questions, between, values) in [
            // Something else is known where it leaves, in the middle or at the end.
            (plain, "", [5, 5, 6]),
            (plain, "", [5, 6, 5]),
            (plain, "store i32 %x, ptr %p", [5; 3]),
            (plain, "call void @putint(i32 1)", [5; 3]),
            ([BELOW, "sgt i32 %y, -1", "sgt i32 %x, -9"], "", [5; 3]),
            ([BELOW, "sgt i32 %y, -1", "slt i32 %x, 20"], "", [5; 3]),
            (["slt i32 %x, 1", "sgt i32 %y, -1", ABOVE], "", [5; 3]),
            ([BELOW, "ult i32 %x, 40", "sgt i32 %y, 19"], "", [5; 3]),
            ([BELOW, "sgt i32 %y, -1", "sgt i32 %x, %y"], "", [5; 3]),
        ] {
            leaves_alone(&RANGE_CHECKS, &text(questions, between, values));
        }
        // Another block leads to the second question, too.
        let other = text(plain, "", [5; 3])
            .replace("br label %out\n             out:", "br label %third\n             out:")
            .replace(", [ 9, %inside ]", "");
        leaves_alone(&RANGE_CHECKS, &other);
    }
}
