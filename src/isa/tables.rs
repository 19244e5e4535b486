//! Switches before selection: a comparison with the number of entries, and behind it a table of jumps, which is a chain of
//! blocks (`mir/tables`).
//!
//! The jump into a table is what is left of the switch, on a number that is in reach of the table, with two edges: to where
//! entry 0 leads, and to the block of entry 1. That is a switch on a constant, which says how many entries follow from it on,
//! with two edges again; the last one leads to where two entries do. Blocks with phis that the switch enters are entered from
//! one block for all its edges to them: it has but one value for each phi. O(edges log edges).
//!
//! Where few entries differ, it becomes a tree of comparisons: on riscv64 a comparison is one instruction, and a jump by a
//! table takes five besides the comparison with its end.

use crate::ir::switch::{Question, To, tests};
use crate::ir::{At, Block, Body, Edge, IntPred, Op, Place, Type, Value};

/// Makes a table of the switch that ends a block, if so many neighbouring entries differ.
pub fn expand(body: &mut Body, b: Block, least: usize) {
    let Some(i) = body.terminator(b) else { return };
    let (x, place) = (body.arg(i, 0), body.place(i));
    let targets = enter_apart(body, b);
    let Some((&other, cases)) = targets.split_last() else { return };
    let known = x.as_inst().is_none().then(|| body.number(x).map_or(u64::MAX, |x| x.unsigned()));
    if let Some(x) = known {
        let to = usize::try_from(x).ok().and_then(|x| cases.get(x)).copied().unwrap_or(other);
        body.set_br(b, to, Place::NONE);
        return;
    }
    if cases.iter().all(|&to| to == other) {
        body.set_br(b, other, Place::NONE);
        return;
    }
    let runs = 1 + cases.windows(2).filter(|two| two[0] != two[1]).count();
    if runs < least {
        return tree(body, b, (x, place), cases, other);
    }
    let ty = body.type_of(x);
    let count = body.int_of(ty, cases.len() as i64);
    let test = body.insert(At::Before(i), Op::ICmp, Type::I1, &[x, count], IntPred::Ult as u32, place);
    let &[ref first @ .., before, last] = cases else {
        body.set_cond_br(b, Value::inst(test), cases[0], other, place);
        return;
    };
    let mut at = body.create_block_after(b);
    body.set_cond_br(b, Value::inst(test), at, other, place);
    let mut on = x;
    for (k, &to) in first.iter().enumerate() {
        let next = body.create_block_after(at);
        body.set_switch(at, on, &[to, next], Place::NONE);
        at = next;
        on = body.int((cases.len() - 1 - k) as i32);
    }
    body.set_switch(at, on, &[before, last], Place::NONE);
}

/// Sees to it that no block that a switch enters has phis; where its edges go.
fn enter_apart(body: &mut Body, b: Block) -> Vec<Block> {
    let mut edges: Vec<Edge> = body.succs(b).collect();
    edges.sort_by_key(|&e| body.edge_to(e));
    let mut apart: Option<(Block, Block)> = None;
    for e in edges {
        let to = body.edge_to(e);
        match apart {
            Some((of, block)) if of == to => body.redirect(e, block),
            _ if body.first(to).is_some_and(|i| body.op(i) == Op::Phi) => {
                apart = Some((to, body.split_edge(e)))
            }
            _ => {}
        }
    }
    body.succs(b).map(|e| body.edge_to(e)).collect()
}

/// A tree of comparisons in place of a table.
fn tree(body: &mut Body, b: Block, (x, place): (Value, Place), cases: &[Block], other: Block) {
    let ty = body.type_of(x);
    let to_case: Vec<usize> = (0..cases.len()).filter(|&k| cases[k] != other).collect();
    let numbers: Vec<i64> = to_case.iter().map(|&k| k as i64).collect();
    let tests = tests(&numbers, ty.int_bits(), |a, c| cases[to_case[a]] == cases[to_case[c]]);
    let mut blocks = vec![b];
    for k in 1..tests.len() {
        blocks.push(body.create_block_after(blocks[k - 1]));
    }
    body.clear_terminator(b);
    let target = |to: To| match to {
        To::Case(case) => cases[to_case[case]],
        To::Default => other,
        To::Test(test) => blocks[test],
    };
    for (test, &at) in tests.iter().zip(&blocks) {
        let (mut from, pred, y) = match test.asks {
            Question::Equal(y) => (x, IntPred::Eq, y),
            Question::Less(y) => (x, IntPred::Slt, y),
            Question::Within(low, high) => {
                let low_value = body.int_of(ty, low);
                let from = body.insert(At::End(at), Op::Sub, ty, &[x, low_value], 0, place);
                (Value::inst(from), IntPred::Ule, high - low)
            }
            // None has been asked for.
            Question::Table(_) | Question::Bit(..) => (x, IntPred::Ne, 0),
        };
        let y = body.int_of(ty, y);
        from = Value::inst(body.insert(At::End(at), Op::ICmp, Type::I1, &[from, y], pred as u32, place));
        body.set_cond_br(at, from, target(test.yes), target(test.no), place);
    }
}
