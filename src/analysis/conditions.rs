//! What branches above a block say of values in it: a block that is entered by one edge of a branch knows the
//! branch's condition, and so do all blocks that it dominates.
//!
//! At most `MOST` blocks up the dominator tree are looked at: O(1) a question.

use super::Dominators;
use crate::ir::{Block, Body, Inst, IntPred, Op, Value};

/// Blocks that are looked at on the way up.
const MOST: usize = 24;

/// Whether two values compare so in a block, if a branch above says. Dominators have to be true of the body.
pub fn compares(f: &Body, dominators: &Dominators, b: Block, asked: (IntPred, Value, Value)) -> Option<bool> {
    above(f, dominators, b, |known, truth| implies(f, (known, truth), asked))
}

/// The same where either of the two may be a number: on the right of what branches compare stands a constant.
pub fn compares_either_way(
    f: &Body,
    dominators: &Dominators,
    block: Block,
    (pred, a, b): (IntPred, Value, Value),
) -> Option<bool> {
    let ask = |asked| compares(f, dominators, block, asked);
    ask((pred, a, b)).or_else(|| ask((pred.swapped(), b, a)))
}

/// Whether a value compares so with a number in a block, if a branch above says. Dominators have to be true
/// of the body.
pub fn compares_with(
    f: &Body,
    dominators: &Dominators,
    b: Block,
    (asked, v, x): (IntPred, Value, i64),
) -> Option<bool> {
    above(f, dominators, b, |known, truth| {
        let (pred, a, b) = comparison(f, known)?;
        let pred = if truth { pred } else { pred.inverse() };
        let (pred, b) = match (a == v, b == v) {
            (true, _) => (pred, b),
            (_, true) => (pred.swapped(), a),
            _ => return None,
        };
        by_ranges((pred, f.as_int(b)?), (asked, x))
    })
}

/// Asks the conditions of branches above a block, with the way they went.
pub fn above(
    f: &Body,
    dominators: &Dominators,
    b: Block,
    ask: impl Fn(Inst, bool) -> Option<bool>,
) -> Option<bool> {
    let mut at = b;
    for _ in 0..MOST {
        if let Some(truth) = entered_by(f, at).and_then(|(known, truth)| ask(known, truth)) {
            return Some(truth);
        }
        at = dominators.idom[at].get()?;
    }
    None
}

/// The condition of the only edge into a block, and which way it went.
fn entered_by(f: &Body, b: Block) -> Option<(Inst, bool)> {
    let &[e] = f.preds(b) else { return None };
    let from = f.edge_from(e);
    let branch = f.terminator(from).filter(|&i| f.op(i) == Op::CondBr)?;
    Some((f.arg(branch, 0).as_inst()?, f.ways(branch).0 == e))
}

/// What an integer comparison compares, and how.
pub fn comparison(f: &Body, i: Inst) -> Option<(IntPred, Value, Value)> {
    let &[a, b] = f.args(i) else { return None };
    (f.op(i) == Op::ICmp).then(|| (IntPred::from_payload(f.payload(i)), a, b))
}

/// What one condition says about a comparison.
pub fn implies(
    f: &Body,
    (known, truth): (Inst, bool),
    (asked, c, d): (IntPred, Value, Value),
) -> Option<bool> {
    let (pred, a, b) = comparison(f, known)?;
    let pred = if truth { pred } else { pred.inverse() };
    if (a, b) == (c, d) {
        return by_relations(pred, asked);
    }
    if (a, b) == (d, c) {
        return by_relations(pred, asked.swapped());
    }
    if a == c {
        return by_ranges((pred, f.as_int(b)?), (asked, f.as_int(d)?));
    }
    None
}

/// less, equal, greater, as bits; and whether that is without signs.
fn relations(pred: IntPred) -> (u8, Option<bool>) {
    use IntPred::*;
    match pred {
        Eq => (2, None),
        Ne => (5, None),
        Slt => (1, Some(false)),
        Sle => (3, Some(false)),
        Sgt => (4, Some(false)),
        Sge => (6, Some(false)),
        Ult => (1, Some(true)),
        Ule => (3, Some(true)),
        Ugt => (4, Some(true)),
        Uge => (6, Some(true)),
    }
}

fn by_relations(known: IntPred, asked: IntPred) -> Option<bool> {
    let ((known, a), (asked, b)) = (relations(known), relations(asked));
    let same_signs = a.is_none() || b.is_none() || a == b;
    match same_signs {
        true if known & !asked == 0 => Some(true),
        true if known & asked == 0 => Some(false),
        _ => None,
    }
}

/// The signed numbers that compare so with a constant, if they are an interval.
fn interval((pred, x): (IntPred, i64)) -> Option<(i64, i64)> {
    use IntPred::*;
    Some(match pred {
        Eq => (x, x),
        Slt => (i64::MIN, x.checked_sub(1)?),
        Sle => (i64::MIN, x),
        Sgt => (x.checked_add(1)?, i64::MAX),
        Sge => (x, i64::MAX),
        _ => return None,
    })
}

fn by_ranges(known: (IntPred, i64), asked: (IntPred, i64)) -> Option<bool> {
    let (low, high) = interval(known)?;
    let (asked, truth) = match asked.0 {
        IntPred::Ne => ((IntPred::Eq, asked.1), false),
        _ => (asked, true),
    };
    let (from, to) = interval(asked)?;
    if from <= low && high <= to {
        Some(truth)
    } else if high < from || to < low {
        Some(!truth)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Order;
    use crate::base::Handle;
    use crate::ir::parse::parse;

    /// A branch on a condition, which is true in block 1.
    fn text(first: &str) -> String {
        format!(
            "define i32 @f(i32 %x, i32 %y) {{
             entry:
               %c = icmp {first}
               br i1 %c, label %yes, label %no
             yes:
               ret i32 1
             no:
               ret i32 3
             }}"
        )
    }

    #[test]
    fn what_a_number_is_compared_with_says_of_other_numbers() {
        for (first, second, truth) in [
            ("slt i32 %x, 5", (IntPred::Slt, 9), Some(true)),
            ("slt i32 %x, 5", (IntPred::Sgt, 4), Some(false)),
            ("sgt i32 %x, 5", (IntPred::Eq, 5), Some(false)),
            ("sgt i32 %x, 5", (IntPred::Sge, 6), Some(true)),
            ("eq i32 %x, 7", (IntPred::Ne, 3), Some(true)),
            ("slt i32 %x, 9", (IntPred::Slt, 5), None),
            ("ne i32 %x, 5", (IntPred::Slt, 5), None),
            ("slt i32 %y, 5", (IntPred::Slt, 5), None),
            ("ult i32 %x, 5", (IntPred::Slt, 9), None),
            ("sgt i32 %x, 4", (IntPred::Sle, 5), None),
            ("slt i32 %x, 5", (IntPred::Sge, 4), None),
        ] {
            let mut module = parse(&text(first)).unwrap();
            let (f, yes) = (module.nth_mut(0), Block::new(1));
            let (x, number) = (f.params().next().unwrap(), f.int(second.1));
            let f = module.nth(0);
            let (mut order, mut dominators) = (Order::default(), Dominators::default());
            order.compute(f);
            dominators.compute(f, &order);
            assert_eq!(compares(f, &dominators, yes, (second.0, Value::inst(x), number)), truth, "{first}");
            let asked = (second.0, Value::inst(x), i64::from(second.1));
            assert_eq!(compares_with(f, &dominators, yes, asked), truth, "{first}");
        }
    }
}
