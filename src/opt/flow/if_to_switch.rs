//! Chains of branches that compare one integer with constants become a table of jumps, a tree of comparisons, bits of a word, or what
//! they choose is loaded from a table or computed:
//!
//! ```text
//! if (x == 0) a(); else if (x == 1) b(); else if (x == 2) ...        switch (x) { ... }
//! if (x == 0) r = 5; else if (x == 1) r = 7; else if ...             if ((unsigned) x < n) r = table[x]; else ...
//! if (x == 1 || x == 5 || x == 9) ...                                if (x - 1 <= 8u && mask << (x - 1) < 0) ...
//! ```
//!
//! A chain (`chain`) begins in any block, and goes on in blocks with nothing but a question about the same integer, which
//! nothing else enters; what is asked is whether it is in a range. A number goes where the first question for it leads. That
//! decides `ir/switch`, as it does for switches of text. A tree asks log n questions where the chain asks n at most, but those at
//! the top of the chain may be what comes most often: a chain of fewer than `LEAST_TREE` stays. A profile says which comes how often:
//! then what asks least on average is made, with the most frequent case in front of the others where that is it (`counted`).
//!
//! Behind the passes over loops, which know branches, and behind `range_checks`, whose ranges are asked for. What a chain chooses
//! (`lookup`) has to be numbers, at one block. O(n log n) for a chain of n.
//!
//! (GCC's `if-to-switch` and `switch-conversion`, LLVM's `FoldValueComparisonIntoPredecessors` and `SwitchToLookupTable`.)

mod chain;
mod counted;
mod lookup;
#[cfg(test)]
mod tests;

use crate::ir::switch::{self, LEAST_TABLE, Question, Table, Test, To};
use crate::ir::{At, Block, Body, Edge, Inst, IntPred, Op, Place, Size, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};
use chain::{Chain, chain};

/// The pass.
pub static IF_TO_SWITCH: FuncPass = FuncPass {
    name: "if_to_switch",
    description: "tables, trees and bits for chains of comparisons of one integer",
    grows: false,
    needs: AnalysisSet::NONE,
    run,
};

/// Questions of a chain that are worth a tree, and what is chosen by a table.
const LEAST_TREE: usize = 6;
const LEAST_LOOKUP: usize = 4;
/// Questions of a chain that are worth anything.
const LEAST: usize = 3;

/// A way out of a chain: where it leads, and what it brings to the phis there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    to: Block,
    operands: Vec<(Inst, Value)>,
}

/// A chain, as a choice: ranges in rising order that do not overlap, with the number of a way each, and the way of all other
/// numbers.
#[derive(Debug)]
struct Choice {
    x: Value,
    ty: Type,
    ranges: Vec<(i64, i64)>,
    ways_of: Vec<usize>,
    other: usize,
    ways: Vec<Way>,
    /// By number of a way, how often it is gone, of 1. Empty without a profile.
    parts: Vec<f64>,
}

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let (f, is_small) = (&mut *cx.f, cx.size != Size::Any);
    let least = match cx.target.least_table {
        0 => LEAST_TABLE,
        least => least,
    };
    let mut changed = false;
    let mut next = f.entry();
    while let Some(b) = next {
        next = f.next_block(b);
        let Some(mut found) = chain(f, b).filter(|found| found.asked >= LEAST) else { continue };
        // What is asked least takes more code.
        found.counted = found.counted.filter(|_| !is_small);
        let choice = choice(f, &found);
        let looked_up = counted::is_long(&found) && lookup::lookup(cx.env, f, b, &found, &choice);
        let last = if looked_up { Some(b) } else { switch(f, b, &found, &choice, least) };
        // What follows may have been part of the chain. A tree is not looked at again.
        if let Some(last) = last {
            next = f.next_block(last);
            changed = true;
        }
    }
    Outcome::changed_if(changed, AnalysisSet::NONE)
}

/// What a chain chooses.
fn choice(f: &Body, chain: &Chain) -> Choice {
    let mut ways: Vec<Way> = Vec::new();
    let mut number = |e: Edge| {
        let way = Way { to: f.edge_to(e), operands: operands_of(f, e) };
        ways.push(way);
        ways.len() - 1
    };
    let mut leave: Vec<(i64, i64, usize)> =
        chain.leave.iter().map(|&(low, high, e)| (low, high, number(e))).collect();
    let mut other = number(chain.other);
    // Equal ones have one number.
    let mut sorted: Vec<usize> = (0..ways.len()).collect();
    sorted.sort_by(|&a, &b| ways[a].cmp(&ways[b]));
    let mut same: Vec<usize> = (0..ways.len()).collect();
    for two in sorted.windows(2) {
        if let &[a, b] = two
            && ways[a] == ways[b]
        {
            same[b] = same[a];
        }
    }
    leave.iter_mut().for_each(|leave| leave.2 = same[leave.2]);
    other = same[other];
    let (mut ranges, mut ways_of) = (Vec::new(), Vec::new());
    for (low, high, way) in chain::first_of_each(&leave) {
        if way != other {
            ranges.push((low, high));
            ways_of.push(way);
        }
    }
    let mut parts = Vec::new();
    if let Some(counted) = &chain.counted {
        parts.resize(ways.len(), 0.0);
        // Ways are numbered as rows leave, and the last one is the rest's.
        let rows = counted.parts.iter().chain([&counted.other]);
        rows.zip(&same).for_each(|(part, &way)| parts[way] += part);
    }
    Choice { x: chain.x, ty: f.type_of(chain.x), ranges, ways_of, other, ways, parts }
}

/// What an edge brings to the phis of its target.
fn operands_of(f: &Body, e: Edge) -> Vec<(Inst, Value)> {
    f.phis(f.edge_to(e)).map(|phi| (phi, f.arg(phi, f.edge_slot(e)))).collect()
}

/// Takes the questions below the first out, and that one's branch; where it was, and what it was on.
fn take_out(f: &mut Body, b: Block, chain: &Chain) -> (Place, Option<Inst>) {
    let end = f.terminator(b);
    let place = end.map_or(Place::NONE, |i| f.place(i));
    let compare = end.and_then(|i| f.arg(i, 0).as_inst());
    f.clear_terminator(b);
    f.remove_blocks(&chain.below);
    (place, compare)
}

/// Removes a comparison that is not needed any more, and what is compared.
fn clean(f: &mut Body, compare: Option<Inst>) {
    let mut left = compare;
    while let Some(i) = left.filter(|&i| !f.has_uses(i) && matches!(f.op(i), Op::ICmp | Op::Sub | Op::Add)) {
        left = f.arg(i, 0).as_inst();
        f.remove(i);
    }
}

/// Blocks for the ways that are taken: where two lead to one block and disagree about its phis, one of each one's own.
struct Targets {
    blocks: Vec<Block>,
    /// What the edges to the block itself bring; of a block of its own, nothing.
    operands: Vec<Vec<(Inst, Value)>>,
}

impl Targets {
    /// For the ways of these cases, and for that of all other numbers.
    fn of(f: &mut Body, after: Block, choice: &Choice, cases: &[usize]) -> Targets {
        let mut taken: Vec<usize> = cases.iter().copied().chain([choice.other]).collect();
        taken.sort_unstable();
        taken.dedup();
        let mut entered: Vec<Block> = taken.iter().map(|&way| choice.ways[way].to).collect();
        entered.sort_unstable();
        let mut targets = Targets {
            blocks: choice.ways.iter().map(|way| way.to).collect(),
            operands: choice.ways.iter().map(|way| way.operands.clone()).collect(),
        };
        let mut at = after;
        for way in taken {
            let to = targets.blocks[way];
            let first = entered.partition_point(|&b| b < to);
            if entered.get(first + 1) != Some(&to) || targets.operands[way].is_empty() {
                continue;
            }
            at = f.create_block_after(at);
            let e = f.set_br(at, to, Place::NONE);
            bring(f, e, &targets.operands[way]);
            targets.blocks[way] = at;
            targets.operands[way].clear();
        }
        targets
    }
}

/// Sets what an edge brings to the phis of its target.
fn bring(f: &mut Body, e: Edge, operands: &[(Inst, Value)]) {
    for &(phi, v) in operands {
        f.set_arg(phi, f.edge_slot(e), v);
    }
}

/// Makes a tree, with tables and bits, of the chain from a block on, if that is worth it; the last of its blocks.
fn switch(f: &mut Body, b: Block, chain: &Chain, choice: &Choice, least: usize) -> Option<Block> {
    let same = |a: usize, c: usize| choice.ways_of[a] == choice.ways_of[c];
    let (mut tests, tables) = switch::of_ranges(&choice.ranges, choice.ty.int_bits(), same, least);
    let is_worth = match &chain.counted {
        Some(counted) => counted::improve(choice, (&mut tests, &tables), counted.asked),
        None => !tables.is_empty() || tests.len() < chain.asked || chain.asked >= LEAST_TREE,
    };
    let is_same = || chain.counted.is_none() && is_chain(&tests) && tests.len() >= chain.asked;
    if !is_worth || tests.is_empty() || is_same() {
        return None;
    }
    let (place, compare) = take_out(f, b, chain);
    let targets = Targets::of(f, b, choice, &choice.ways_of);
    let last = emit(f, (b, place), choice, &targets, (&tests, &tables));
    clean(f, compare);
    Some(last)
}

/// True for tests that are the chain again: one leads to the next, and all ask for one number.
fn is_chain(tests: &[Test]) -> bool {
    let asks_one = |test: &Test| matches!(test.asks, Question::Equal(_) | Question::Within(..));
    tests.iter().enumerate().all(|(k, test)| {
        let goes_on = matches!(test.no, To::Test(next) if next == k + 1) || k + 1 == tests.len();
        asks_one(test) && goes_on && !matches!(test.yes, To::Test(_))
    })
}

/// Writes tests: the first one into `b`, which has no end, and the others into blocks of their own behind it, of which
/// this is the last.
fn emit(
    f: &mut Body,
    (b, place): (Block, Place),
    choice: &Choice,
    targets: &Targets,
    (tests, tables): (&[Test], &[Table]),
) -> Block {
    let mut blocks = vec![b];
    for k in 1..tests.len() {
        blocks.push(f.create_block_after(blocks[k - 1]));
    }
    let way = |to: To| match to {
        To::Case(case) => Some(choice.ways_of[case]),
        To::Default => Some(choice.other),
        To::Test(_) => None,
    };
    let target = |to: To| match (to, way(to)) {
        (To::Test(test), _) => blocks[test],
        (_, Some(way)) => targets.blocks[way],
        (_, None) => b,
    };
    let (x, ty) = (choice.x, choice.ty);
    let from = |f: &mut Body, at: Block, low: i64| {
        if low == 0 {
            return x;
        }
        let low = f.int_of(ty, low.wrapping_neg());
        Value::inst(f.insert(At::End(at), Op::Add, ty, &[x, low], 0, place))
    };
    let odds = counted::odds(choice, tests, tables);
    for (k, (test, &at)) in tests.iter().zip(&blocks).enumerate() {
        let (x, ty, pred, y) = match test.asks {
            Question::Equal(y) => (x, ty, IntPred::Eq, y),
            Question::Less(y) => (x, ty, IntPred::Slt, y),
            Question::Within(low, high) => (from(f, at, low), ty, IntPred::Ule, high.wrapping_sub(low)),
            Question::Bit(low, word) => {
                let mut by = from(f, at, low);
                if ty != Type::I32 {
                    by = Value::inst(f.insert(At::End(at), Op::Trunc, Type::I32, &[by], 0, place));
                }
                let word = f.int(word as i32);
                let shifted = f.insert(At::End(at), Op::Shl, Type::I32, &[word, by], 0, place);
                (Value::inst(shifted), Type::I32, IntPred::Slt, 0)
            }
            Question::Table(number) => {
                let Some(Table { low, cases }) = tables.get(number) else { continue };
                let x = from(f, at, *low);
                let ways: Vec<usize> = cases
                    .iter()
                    .map(|case| case.map_or(choice.other, |case| choice.ways_of[case]))
                    .chain([choice.other])
                    .collect();
                let to: Vec<Block> = ways.iter().map(|&way| targets.blocks[way]).collect();
                f.set_switch(at, x, &to, place);
                let edges: Vec<Edge> = f.succs(at).collect();
                edges.iter().zip(&ways).for_each(|(&e, &way)| bring(f, e, &targets.operands[way]));
                continue;
            }
        };
        let y = f.int_of(ty, y);
        let is_so = Value::inst(f.insert(At::End(at), Op::ICmp, Type::I1, &[x, y], pred as u32, place));
        let (yes, no) = f.set_cond_br(at, is_so, target(test.yes), target(test.no), place);
        if let (Some(&odds), Some(i)) = (odds.get(k), f.terminator(at)) {
            f.set_flags(i, odds);
        }
        for (e, to) in [(yes, test.yes), (no, test.no)] {
            if let Some(way) = way(to) {
                bring(f, e, &targets.operands[way]);
            }
        }
    }
    blocks[tests.len() - 1]
}
