//! Chains of questions about one integer: which blocks they are, and which numbers leave where.

use crate::ir::{Block, Body, Edge, Flags, Inst, IntPred, Op, Type, Value};
use std::collections::BTreeSet;

/// A chain.
#[derive(Debug)]
pub(super) struct Chain {
    /// What is asked about.
    pub(super) x: Value,
    /// How many questions there are.
    pub(super) asked: usize,
    /// Numbers from the first to the second leave along the edge, if they have not left before.
    pub(super) leave: Vec<(i64, i64, Edge)>,
    /// Where all others go.
    pub(super) other: Edge,
    /// Blocks that only the chain enters: of its questions but for the first, and those that only go on.
    pub(super) below: Vec<Block>,
    /// What a profile says, if it says something of the first question.
    pub(super) counted: Option<Counted>,
}

/// How often a chain goes where, of 1.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Questions that are asked on average.
    pub(super) asked: f64,
    /// Per row of `leave`.
    pub(super) parts: Vec<f64>,
    /// The rest.
    pub(super) other: f64,
}

/// What a branch asks: is `x` from `low` to `high`? With signs.
#[derive(Copy, Clone)]
struct Ask {
    x: Value,
    low: i64,
    high: i64,
    inside: Edge,
    outside: Edge,
    /// How often it is, of 1, if a profile says so.
    of_inside: Option<f64>,
}

/// The chain that begins with the branch of a block.
pub(super) fn chain(f: &Body, b: Block) -> Option<Chain> {
    let candidates = asks(f, b)?;
    let found = candidates.into_iter().flatten().map(|first| follow(f, b, first));
    found.max_by_key(|chain| chain.asked)
}

fn follow(f: &Body, b: Block, first: Ask) -> Chain {
    let x = first.x;
    let bits = f.type_of(x).int_bits().clamp(1, 64);
    let most = i64::MAX >> (64 - bits);
    let counted = first.of_inside.map(|_| Counted::default());
    let mut chain =
        Chain { x, asked: 0, leave: Vec::new(), other: first.outside, below: Vec::new(), counted };
    let (mut ask, mut reached) = (first, 1.0);
    loop {
        chain.asked += 1;
        let next = [ask.outside, ask.inside].into_iter().find_map(|e| Some((e, question(f, e, x)?)));
        let (on, next) = next.filter(|(on, _)| f.edge_to(*on) != b).unzip();
        let mut forwarded = |e: Edge| {
            forwarder(f, e).filter(|_| f.edge_to(e) != b).map_or(e, |onward| {
                chain.below.push(f.edge_to(e));
                onward
            })
        };
        let inside = ask.of_inside.unwrap_or(0.5);
        let leaves = reached * if on == Some(ask.inside) { 1.0 - inside } else { inside };
        let already = chain.leave.len();
        if on == Some(ask.inside) {
            let out = forwarded(ask.outside);
            let (low, high) = (ask.low, ask.high);
            chain.leave.extend((low > !most).then(|| (!most, low - 1, out)));
            chain.leave.extend((high < most).then(|| (high + 1, most, out)));
        } else {
            let out = forwarded(ask.inside);
            chain.leave.push((ask.low, ask.high, out));
            if on.is_none() {
                chain.other = forwarded(ask.outside);
            }
        }
        if let Some(counted) = &mut chain.counted {
            counted.asked += reached;
            let rows = chain.leave.len() - already;
            counted.parts.resize(chain.leave.len(), leaves / rows.max(1) as f64);
            reached -= leaves;
            counted.other = reached;
        }
        let (Some(on), Some(next)) = (on, next) else { return chain };
        chain.below.push(f.edge_to(on));
        ask = next;
    }
}

/// The way on from a block that only one edge enters and that has nothing but that.
fn forwarder(f: &Body, e: Edge) -> Option<Edge> {
    let to = f.edge_to(e);
    let end = f.terminator(to).filter(|&i| f.op(i) == Op::Br && f.first(to) == Some(i))?;
    let onward = f.succs(f.block_of(end)?).next()?;
    (f.preds(to).len() == 1 && f.edge_to(onward) != to).then_some(onward)
}

/// What is asked about `x` in a block that only this edge enters, and that has nothing else.
fn question(f: &Body, e: Edge, x: Value) -> Option<Ask> {
    let b = f.edge_to(e);
    if f.preds(b).len() != 1 {
        return None;
    }
    let ask = asks(f, b)?.into_iter().flatten().find(|ask| ask.x == x)?;
    let end = f.terminator(b)?;
    // The branch, its comparison, and a sum that is compared.
    let mut expected = Some(end);
    let mut i = Some(end);
    while let Some(here) = i {
        if Some(here) != expected || here != end && !f.has_single_use(here) {
            return None;
        }
        expected = f.args(here).first().and_then(|v| v.as_inst()).filter(|_| f.arg(here, 0) != x);
        i = f.prev(here);
    }
    Some(ask)
}

/// What the branch of a block asks, about what is compared and about what that is a sum of.
fn asks(f: &Body, b: Block) -> Option<[Option<Ask>; 2]> {
    // Where it is known what is likely, that is asked first, unless a profile says how likely it is.
    let is_plain = |flags: Flags| flags == Flags::NONE || flags.chance().is_some();
    let branch = f.terminator(b).filter(|&i| f.op(i) == Op::CondBr && is_plain(f.flags(i)))?;
    let compare = f.arg(branch, 0).as_inst().filter(|&i| f.op(i) == Op::ICmp)?;
    let &[x, by] = f.args(compare) else { return None };
    let ty = f.type_of(x);
    let by = f.as_int(by).filter(|_| matches!(ty, Type::I32 | Type::I64) && !x.is_constant())?;
    let (yes, no) = f.ways(branch);
    if f.edge_to(yes) == f.edge_to(no) {
        return None;
    }
    let pred = IntPred::from_payload(f.payload(compare));
    let chance = f.flags(branch).chance();
    let weighed = |ask: Ask| {
        let of_inside = chance.map(|of_yes| if ask.inside == yes { of_yes } else { 1.0 - of_yes });
        Ask { of_inside, ..ask }
    };
    let plain = ask(ty, (pred, by, 0), (x, yes, no)).map(weighed);
    let moved = sum(f, x).and_then(|(of, plus)| ask(ty, (pred, by, plus), (of, yes, no))).map(weighed);
    Some([plain, moved])
}

/// An integer and the number that a sum or difference adds to it.
fn sum(f: &Body, v: Value) -> Option<(Value, i64)> {
    let i: Inst = v.as_inst()?;
    let &[of, plus] = f.args(i) else { return None };
    let plus = f.as_int(plus).filter(|_| !of.is_constant())?;
    match f.op(i) {
        Op::Add => Some((of, plus)),
        Op::Sub => Some((of, plus.wrapping_neg())),
        _ => None,
    }
}

/// The range that `x + plus pred by` asks for.
fn ask(ty: Type, (pred, by, plus): (IntPred, i64, i64), (x, yes, no): (Value, Edge, Edge)) -> Option<Ask> {
    let unused = 64 - ty.int_bits().clamp(1, 64);
    let most = i64::MAX >> unused;
    let is_yes = |low: i64, high: i64| (low <= high).then_some((low, high, true));
    // From low on to high, with wrapping; none if that is nothing or all.
    let (low, high, positive) = match pred {
        IntPred::Eq => (by, by, true),
        IntPred::Ne => (by, by, false),
        IntPred::Slt => is_yes(!most, by.checked_sub(1)?)?,
        IntPred::Sle => is_yes(!most, by)?,
        IntPred::Sgt => is_yes(by.checked_add(1)?, most)?,
        IntPred::Sge => is_yes(by, most)?,
        IntPred::Ult => (0, by.wrapping_sub(1), by != 0),
        IntPred::Ule => (0, by, true),
        IntPred::Ugt => (0, by, false),
        IntPred::Uge => (0, by.wrapping_sub(1), false),
    };
    if by == 0 && matches!(pred, IntPred::Ult | IntPred::Uge) {
        return None;
    }
    let reduced = |x: i64| x << unused >> unused;
    let (low, high) = (reduced(low.wrapping_sub(plus)), reduced(high.wrapping_sub(plus)));
    if low <= high {
        let (inside, outside) = if positive { (yes, no) } else { (no, yes) };
        return Some(Ask { x, low, high, inside, outside, of_inside: None });
    }
    // Over the ends: what is between them is not in it.
    let (low, high) = (high.wrapping_add(1), low.wrapping_sub(1));
    let (inside, outside) = if positive { (no, yes) } else { (yes, no) };
    (low <= high).then_some(Ask { x, low, high, inside, outside, of_inside: None })
}

/// Ranges in rising order that do not overlap, with what the first of those given that has their numbers says; neighbours
/// that say the same are one. O(n log n).
pub(super) fn first_of_each(ranges: &[(i64, i64, usize)]) -> Vec<(i64, i64, usize)> {
    // By where they begin and end: the number behind, and which.
    let mut borders: Vec<(i128, bool, usize)> = Vec::new();
    for (k, &(low, high, _)) in ranges.iter().enumerate() {
        borders.push((low.into(), true, k));
        borders.push((i128::from(high) + 1, false, k));
    }
    borders.sort_unstable();
    let (mut open, mut found): (BTreeSet<usize>, Vec<(i64, i64, usize)>) = Default::default();
    let mut left = &borders[..];
    while let [(at, ..), ..] = *left {
        let here = left.iter().take_while(|border| border.0 == at).count();
        let (now, rest) = left.split_at(here);
        for &(_, begins, k) in now {
            if begins {
                open.insert(k);
            } else {
                open.remove(&k);
            }
        }
        left = rest;
        let (Some(&(until, ..)), Some(&first)) = (left.first(), open.first()) else { continue };
        let (Ok(low), Ok(high)) = (i64::try_from(at), i64::try_from(until - 1)) else { continue };
        let says = ranges[first].2;
        match found.last_mut() {
            Some(last) if last.2 == says && last.1.checked_add(1) == Some(low) => last.1 = high,
            _ => found.push((low, high, says)),
        }
    }
    found
}
