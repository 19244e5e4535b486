//! Sums that a loop carries from round to round get two terms at a time, where an unrolled round adds several:
//!
//! ```text
//! s1 = s + a; s2 = s1 + b; s3 = s2 + c; s4 = s3 + d        t = a + b; s2 = s + t; u = c + d; s4 = s2 + u
//! ```
//!
//! As many additions, of which half are on the critical path: an unrolled round loads faster than it adds one to the other. Integers only,
//! which wrap. A term that machines add for free (a product, a shift, an extension) is left alone. Behind all passes over
//! loops, which recognise sums by their phis, and behind `if_convert`, which makes one block of rounds. O(phis of loops + terms).
//!
//! (Reassociation for instruction-level parallelism: LLVM's `MachineCombiner`; tree-height reduction, Kuck 1978.)

use crate::base::graph::Loop;
use crate::ir::{At, Block, Body, Flags, Inst, Op, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static BALANCE_SUMS: FuncPass = FuncPass {
    name: "balance_sums",
    description: "two terms at a time for sums that loops carry",
    grows: false,
    needs: AnalysisSet::NONE,
    run,
};

/// Terms of a round from which on it pays.
const LEAST: usize = 4;
/// Instructions from one term to the next: with any number of them, `repeat_sum` executed 8% more on ARMv7.
const NEAR: usize = 12;
/// Terms that are looked at.
const MOST: usize = 64;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    cx.require(AnalysisSet::LOOPS);
    let mut changed = false;
    let mut sums: Vec<Inst> = Vec::new();
    for l in cx.analyses.loops.header.keys() {
        let Some((header, latch, slot)) = ends(cx, l) else { continue };
        let mut next = cx.f.first(header);
        while let Some(phi) = next.filter(|&i| cx.f.op(i) == Op::Phi) {
            next = cx.f.next(phi);
            chain(cx.f, (phi, latch), cx.f.arg(phi, slot), &mut sums);
            if sums.len() >= LEAST {
                changed |= pair(cx.f, phi, &sums);
            }
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// Header and latch of a loop that goes back in one place, and the slot of phis for that.
fn ends(cx: &FuncCx, l: Loop) -> Option<(Block, Block, usize)> {
    let (header, &[latch]) = (cx.analyses.loops.header[l], cx.analyses.loops.latches(l)) else { return None };
    let mut back = cx.f.succs(latch).filter(|&e| cx.f.edge_to(e) == header);
    let (Some(e), None) = (back.next(), back.next()) else { return None };
    Some((header, latch, cx.f.edge_slot(e)))
}

/// The sums of a round from the first to the last, each of the one before, or the phi, and a term; nothing if the last one is not
/// reached, or something else needs one on the way.
fn chain(f: &Body, (phi, latch): (Inst, Block), last: Value, sums: &mut Vec<Inst>) {
    sums.clear();
    let mut at = phi;
    while Value::inst(at) != last {
        let user = f.single_use(at).map(|u| u.user);
        let is_sum = |&i: &Inst| f.op(i) == Op::Add && f.block_of(i) == Some(latch);
        let term = |i: Inst| term(f, i, Value::inst(at)).filter(|&v| !is_part_of_a_sum(f, v));
        let Some(i) = user.filter(is_sum).filter(|&i| term(i).is_some() && sums.len() < MOST) else {
            return sums.clear();
        };
        sums.push(i);
        at = i;
    }
    if !matches!(f.ty(phi), Type::I32 | Type::I64) {
        sums.clear();
    }
}

/// True of what an addition takes in, and of constants: those are increments.
fn is_part_of_a_sum(f: &Body, v: Value) -> bool {
    use Op::{AShr, LShr, Mul, SExt, SMulHi, Shl, UMulHi, ZExt};
    let is_part = |i| matches!(f.op(i), Mul | Shl | LShr | AShr | SExt | ZExt | SMulHi | UMulHi);
    v.as_inst().is_none_or(is_part)
}

/// Adds terms by twos; true if some are near each other.
fn pair(f: &mut Body, phi: Inst, sums: &[Inst]) -> bool {
    let (mut before, mut rest, mut changed) = (Value::inst(phi), sums, false);
    while let &[first, second, ref others @ ..] = rest {
        if !are_near(f, first, second) {
            (before, rest) = (Value::inst(first), &rest[1..]);
            continue;
        }
        let (Some(a), Some(b)) = (term(f, first, before), term(f, second, Value::inst(first))) else { break };
        let ty = f.ty(first);
        f.rewrite(first, Op::Add, ty, &[a, b], 0);
        f.move_inst(first, At::Before(second));
        f.rewrite(second, Op::Add, ty, &[before, Value::inst(first)], 0);
        for i in [first, second] {
            f.set_flags(i, Flags::NONE);
        }
        (before, rest, changed) = (Value::inst(second), others, true);
    }
    changed
}

/// True if few instructions stand between two: a term waits that long in a register.
fn are_near(f: &Body, first: Inst, second: Inst) -> bool {
    std::iter::successors(f.next(first), |&i| f.next(i)).take(NEAR).any(|i| i == second)
}

/// The operand of a sum besides what it adds to.
fn term(f: &Body, sum: Inst, before: Value) -> Option<Value> {
    match *f.args(sum) {
        [a, b] if a == before => Some(b),
        [a, b] if b == before => Some(a),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, changes_nothing, run};

    /// A loop that adds these terms to a sum in each of three rounds, and prints what it is behind them.
    fn text(terms: &[&str], more: &str) -> String {
        let mut sums = String::new();
        for (k, term) in terms.iter().enumerate() {
            let before = if k == 0 { "%s".to_string() } else { format!("%s{k}") };
            sums.push_str(&format!("%s{} = add i32 {before}, {term}\n", k + 1));
        }
        format!(
            "declare void @putint(i32)
             define i32 @main() {{
             entry:
               br label %l
             l:
               %i = phi i32 [ 0, %entry ], [ %j, %l ]
               %s = phi i32 [ 9, %entry ], [ %s{}, %l ]
               %a = xor i32 %i, 77
               %b = and i32 %i, 2147483647
               %p = mul i32 %i, 1000003
               {more}
               {sums}
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, 3
               br i1 %c, label %l, label %out
             out:
               call void @putint(i32 %s{})
               ret i32 0
             }}",
            terms.len(),
            terms.len()
        )
    }

    #[test]
    fn terms_are_added_by_twos() {
        for count in 4..8 {
            let terms: Vec<&str> = ["%a", "%b", "%i"].into_iter().cycle().take(count).collect();
            let original = parse(&text(&terms, "")).unwrap();
            let mut module = original.clone();
            assert!(apply(&BALANCE_SUMS, &mut module));
            assert_eq!(run(&module, ""), run(&original, ""), "{}", print::module(&module));
            // From the phi on it is as many sums as there are pairs.
            let f = module.nth(0);
            let phi = f.ops().filter(|row| row.1 == Op::Phi).nth(1).unwrap().0;
            let (mut at, mut steps) = (phi, 0);
            while let Some(u) = f.single_use(at).filter(|u| f.op(u.user) == Op::Add) {
                (at, steps) = (u.user, steps + 1);
            }
            assert_eq!(steps, count.div_ceil(2), "{}", print::module(&module));
        }
    }

    #[test]
    fn what_is_short_or_needed_on_the_way_or_part_of_a_sum_stays() {
        for (terms, more) in [
            (&["%a", "%b", "%i"][..], ""),
            (&["%a", "%p", "%a", "%b"], ""),
            (&["1", "%b", "%a", "%b"], ""),
            (&["%a", "%b", "%a", "%b"], "%q = add i32 %s, 4\ncall void @putint(i32 %q)"),
        ] {
            assert!(changes_nothing(&BALANCE_SUMS, &mut parse(&text(terms, more)).unwrap()), "{terms:?}");
        }
    }

    #[test]
    fn what_is_far_apart_stays() {
        let mut text = text(&["%a", "%b", "%a", "%b"], "");
        for k in 2..5 {
            let fill = |n: usize| format!("%f{k}x{n} = xor i32 %i, {n}\ncall void @putint(i32 %f{k}x{n})\n");
            let fill: String = (0..NEAR).map(fill).collect();
            text = text.replace(&format!("%s{k} = add"), &format!("{fill}%s{k} = add"));
        }
        assert!(changes_nothing(&BALANCE_SUMS, &mut parse(&text).unwrap()));
    }
}
