//! What several sums of a block add is added once:
//!
//! ```text
//! s = a + b + c; t = b + d + c        p = b + c; s = a + p; t = d + p
//! ```
//!
//! Rounds of an unrolled stencil overlap so. The pair of terms that most sums have becomes a term of them, as long as two
//! have one in common; each time there is an addition less. Integers only, which wrap, and trees of additions that
//! nothing else needs on the way. Sums are looked at in windows of `MOST_PAIRS` pairs of terms, so that a block costs by its length:
//! O(sums), and with 1,024 pairs a window's work was most of the pass. Behind all passes over loops and behind
//! `if_convert`, since it takes sums apart that those recognise, and in front of `balance_sums`.
//!
//! Deitz, Chamberlain and Snyder, "Eliminating redundancies in sum-of-product array computations" (ICS 2001); Paar's greedy
//! choice of pairs (1997).

use crate::base::Column;
use crate::ir::{At, Block, Body, Flags, Inst, Op, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use std::ops::Range;

/// The pass.
pub static COMMON_SUMS: FuncPass = FuncPass {
    name: "common_sums",
    description: "add once what several sums of a block add",
    grows: false,
    needs: AnalysisSet::ORDER,
    run: |cx| with_memory(cx, run),
};

/// A sum of more terms is left alone.
const MOST_TERMS: usize = 16;
/// Pairs of terms of the sums that are compared with each other, but for two sums at least.
const MOST_PAIRS: usize = 256;

/// A sum with at least two terms.
#[derive(Copy, Clone, Debug)]
struct Sum {
    root: Inst,
    /// Of its terms in `terms`: the first, and how many are left.
    first: usize,
    count: usize,
    has_changed: bool,
}

impl Sum {
    fn range(&self) -> Range<usize> {
        self.first..self.first + self.count
    }

    fn pairs(&self) -> usize {
        self.count * (self.count - 1) / 2
    }
}

#[derive(Debug, Default)]
struct Scratch {
    /// The rows of a block behind its phis,
    rows: Vec<Inst>,
    /// and of each its place there, from 1 on; of what is made here, that of the term which it stands behind.
    places: Column<Inst, u32>,
    /// In the order of their roots.
    sums: Vec<Sum>,
    terms: Vec<Value>,
    /// Pairs of a window, with the number of the sum that has them.
    pairs: Vec<(Value, Value, u32)>,
    /// Place and root of sums that others have as a term, with what stands for them now; ordered.
    replaced: Vec<(u32, Inst, Value)>,
    /// What may be left without uses.
    old: Vec<Inst>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let mut changed = false;
    for k in 0..cx.analyses.order.blocks.len() {
        let b = cx.analyses.order.blocks[k];
        if may_share(cx.f, b) {
            collect(cx.f, b, s);
            changed |= share(cx.f, b, s);
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// True if a sum of three terms has one that something else needs, too: of most blocks none.
fn may_share(f: &Body, b: Block) -> bool {
    f.insts(b).any(|i| {
        is_sum(f, i)
            && f.args(i).iter().any(|&v| is_inner(f, i, v))
            && f.args(i).iter().flat_map(|v| with_operands(f, i, v)).any(|&v| is_shared(f, v))
    })
}

/// A term of a sum, or of a part of it its own.
fn with_operands<'a>(f: &'a Body, sum: Inst, v: &'a Value) -> &'a [Value] {
    match v.as_inst().filter(|_| is_inner(f, sum, *v)) {
        Some(i) => f.args(i),
        None => std::slice::from_ref(v),
    }
}

fn is_sum(f: &Body, i: Inst) -> bool {
    f.op(i) == Op::Add && matches!(f.ty(i), Type::I32 | Type::I64)
}

/// True if a term of a sum is a sum of the same block that nothing else needs.
fn is_inner(f: &Body, sum: Inst, v: Value) -> bool {
    v.as_inst().is_some_and(|i| f.op(i) == Op::Add && f.use_count(i) == 1 && f.block_of(i) == f.block_of(sum))
}

/// True of values with more uses than one; of what is no instruction uses are not counted.
fn is_shared(f: &Body, v: Value) -> bool {
    !v.is_constant() && v.as_inst().is_none_or(|i| f.use_count(i) > 1)
}

/// Finds the sums of a block.
fn collect(f: &Body, b: Block, s: &mut Scratch) {
    s.sums.clear();
    s.terms.clear();
    s.rows.clear();
    s.rows.extend(f.insts(b).filter(|&i| f.op(i) != Op::Phi));
    // All places of a block are written before they are read; of most functions no block comes here.
    s.places.grow_to(f.inst_count(), 0);
    for (k, &i) in s.rows.iter().enumerate() {
        s.places[i] = k as u32 + 1;
        let is_part = |user: Inst| is_sum(f, user) && f.block_of(user) == Some(b);
        if !is_sum(f, i) || f.single_use(i).is_some_and(|u| is_part(u.user)) {
            continue;
        }
        let first = s.terms.len();
        s.terms.extend_from_slice(f.args(i));
        // Parts are taken apart where they stand, from the left.
        let mut at = first;
        while let Some(&v) = s.terms.get(at).filter(|_| s.terms.len() - first <= MOST_TERMS) {
            match v.as_inst().filter(|_| is_inner(f, i, v)) {
                Some(part) => {
                    s.terms.swap_remove(at);
                    s.terms.extend_from_slice(f.args(part));
                }
                None => at += 1,
            }
        }
        let count = s.terms.len() - first;
        if count > MOST_TERMS {
            s.terms.truncate(first);
            continue;
        }
        s.terms[first..].sort_unstable();
        s.sums.push(Sum { root: i, first, count, has_changed: false });
    }
}

/// Adds once what the sums of a block have in common; true if there is something.
fn share(f: &mut Body, b: Block, s: &mut Scratch) -> bool {
    let mut changed = false;
    s.replaced.clear();
    let mut from = 0;
    while from < s.sums.len() {
        let (mut to, mut pairs) = (from, 0);
        while let Some(sum) = s.sums.get(to).filter(|sum| to < from + 2 || pairs + sum.pairs() <= MOST_PAIRS)
        {
            pairs += sum.pairs();
            to += 1;
        }
        while let Some(pair) = most_common(s, from..to) {
            let ty = f.type_of(pair.0);
            let sum = s.join(f, b, ty, [s.now(f, b, pair.0), s.now(f, b, pair.1)]);
            for k in from..to {
                s.replace_pair(k, pair, sum);
            }
        }
        for k in from..to {
            if s.sums[k].has_changed {
                s.rebuild(f, b, k);
                changed = true;
            }
        }
        from = to;
    }
    // What uses others goes in front of them.
    while let Some(i) = s.old.pop() {
        if !f.has_uses(i) && f.block_of(i).is_some() {
            s.old.extend(f.args(i).iter().filter_map(|v| v.as_inst()).filter(|&part| f.op(part) == Op::Add));
            f.remove(i);
        }
    }
    changed
}

/// The pair of terms that most sums have: of several the one whose terms were made first.
fn most_common(s: &mut Scratch, window: Range<usize>) -> Option<(Value, Value)> {
    s.pairs.clear();
    for k in window {
        let terms = &s.terms[s.sums[k].range()];
        for (n, &a) in terms.iter().enumerate().filter(|(_, a)| !a.is_constant()) {
            let others = terms[n + 1..].iter().filter(|b| !b.is_constant());
            s.pairs.extend(others.map(|&b| (a, b, k as u32)));
        }
    }
    s.pairs.sort_unstable();
    s.pairs.dedup();
    let (mut best, mut most) = (None, 1);
    for alike in s.pairs.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        if alike.len() > most {
            (best, most) = (alike.first().map(|&(a, b, _)| (a, b)), alike.len());
        }
    }
    best
}

impl Scratch {
    /// Behind which row of the block a value is there; 0 if that is so from the start.
    fn place(&self, f: &Body, b: Block, v: Value) -> u32 {
        v.as_inst().filter(|&i| f.block_of(i) == Some(b) && f.op(i) != Op::Phi).map_or(0, |i| self.places[i])
    }

    /// A term, or what stands for it since it has been found to be another sum's part.
    fn now(&self, f: &Body, b: Block, v: Value) -> Value {
        let place = self.place(f, b, v);
        let at = self.replaced.binary_search_by_key(&place, |row| row.0).ok();
        let row = at.and_then(|at| self.replaced.get(at));
        row.filter(|row| v == Value::inst(row.1)).map_or(v, |row| row.2)
    }

    /// Adds two values as soon as both are there.
    fn join(&mut self, f: &mut Body, b: Block, ty: Type, terms: [Value; 2]) -> Value {
        let place = self.place(f, b, terms[0]).max(self.place(f, b, terms[1]));
        // The last row of a block is no value that it uses, so there is one behind each.
        let next = self.rows[place as usize];
        let sum = f.insert(At::Before(next), Op::Add, ty, &terms, 0, f.place(next));
        self.places.grow_to(f.inst_count(), 0);
        self.places[sum] = place;
        Value::inst(sum)
    }

    /// Puts a sum in the place of two terms, as often as a sum has both.
    fn replace_pair(&mut self, k: usize, (x, y): (Value, Value), joined: Value) {
        loop {
            let terms = &mut self.terms[self.sums[k].range()];
            let Some(first) = terms.iter().position(|&v| v == x) else { return };
            let Some(second) = (first + 1..terms.len()).find(|&at| terms[at] == y) else { return };
            terms[first] = joined;
            terms[second..].rotate_left(1);
            self.sums[k].count -= 1;
            self.sums[k].has_changed = true;
            self.terms[self.sums[k].range()].sort_unstable();
        }
    }

    /// Computes a sum from its terms, each added as soon as it is there; the last step stays where it is.
    fn rebuild(&mut self, f: &mut Body, b: Block, k: usize) {
        let root = self.sums[k].root;
        let mut terms = [Value::bool(false); MOST_TERMS];
        let terms = &mut terms[..self.sums[k].count];
        for (to, &v) in terms.iter_mut().zip(&self.terms[self.sums[k].range()]) {
            *to = self.now(f, b, v);
        }
        // Of what stands at one place, the one that was made last is behind the others.
        terms.sort_unstable_by_key(|&v| (v.is_constant(), self.place(f, b, v), v));
        self.old.extend(f.args(root).iter().filter_map(|v| v.as_inst()).filter(|&i| f.op(i) == Op::Add));
        let ty = f.ty(root);
        match *terms {
            [only] => {
                self.replaced.push((self.places[root], root, only));
                f.replace_uses(root, only);
                self.old.push(root);
            }
            [first, ref between @ .., last] => {
                let sum = between.iter().fold(first, |sum, &term| self.join(f, b, ty, [sum, term]));
                f.rewrite(root, Op::Add, ty, &[sum, last], 0);
                f.set_flags(root, Flags::NONE);
            }
            [] => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, leaves_alone, rewrites, run};

    /// A function of eight numbers that are loaded, which prints these sums of them.
    fn text(sums: &[&str]) -> String {
        let loads = |k: usize, name: &str| {
            format!("%p{k} = getelementptr i32, ptr @a, i32 {k}\n%{name} = load i32, ptr %p{k}\n")
        };
        let loads: String = "abcdefgh".chars().enumerate().map(|(k, c)| loads(k, &c.to_string())).collect();
        let mut rows = String::new();
        for (n, sum) in sums.iter().enumerate() {
            let terms: Vec<&str> = sum.split(' ').collect();
            let mut before = terms[0].to_string();
            for (k, term) in terms[1..].iter().enumerate() {
                rows.push_str(&format!("%s{n}x{k} = add i32 {before}, {term}\n"));
                before = format!("%s{n}x{k}");
            }
            rows.push_str(&format!("call void @putint(i32 {before})\n"));
        }
        format!(
            "@a = global [8 x i32] [i32 3, i32 50, i32 700, i32 11000, i32 130000, i32 1700000, i32 19000000, i32 2147483647]
             declare void @putint(i32)
             define i32 @main() {{
             entry:
               {loads}{rows}
               ret i32 0
             }}"
        )
    }

    fn additions(module: &crate::ir::Module) -> usize {
        module.nth(0).ops().filter(|row| row.1 == Op::Add).count()
    }

    #[test]
    fn what_sums_have_in_common_is_added_once() {
        for (sums, left) in [
            (&["%a %b %c", "%b %d %c"][..], 3),
            (&["%a %b %c", "%b %c", "%c %d %b"], 3),
            // Four rounds of a stencil of three.
            (&["%a %b %c", "%b %c %d", "%c %d %e", "%d %e %f"], 6),
            (&["%a %b %c %d", "%e %a %b %c", "%c %f %b %a"], 5),
            (&["%a %b 5 %a", "%c %a %a"], 4),
            (&["%h %h %h %h", "%g %h %h"], 3),
            (&["%a %b 7 %c", "9 %a %b %c"], 4),
        ] {
            let original = parse(&text(sums)).unwrap();
            let mut module = original.clone();
            assert!(apply(&COMMON_SUMS, &mut module), "{sums:?}");
            assert_eq!(run(&module, ""), run(&original, ""), "{}", print::module(&module));
            assert_eq!(additions(&module), left, "{sums:?}\n{}", print::module(&module));
        }
    }

    #[test]
    fn a_sum_that_is_a_part_of_another_is_not_left() {
        // What is `%s0x0` is a term of the third sum.
        let sums = ["%a %b", "%c %a %b", "%s0x0 %d %e", "%e %s0x0 %f"];
        let original = parse(&text(&sums)).unwrap();
        let mut module = original.clone();
        assert!(apply(&COMMON_SUMS, &mut module));
        assert_eq!(run(&module, ""), run(&original, ""), "{}", print::module(&module));
        assert_eq!(additions(&module), 5, "{}", print::module(&module));
    }

    #[test]
    fn terms_are_added_where_they_are_there() {
        rewrites(
            &COMMON_SUMS,
            "declare void @putint(i32)
             define i32 @f(i32 %x, i32 %y, i32 %z) {
               %s = add i32 %x, %y
               %t = add i32 %s, %z
               call void @putint(i32 %t)
               %m = mul i32 %x, 77
               %u = add i32 %z, %m
               %v = add i32 %u, %y
               ret i32 %v
             }",
            "declare void @putint(i32)
             define i32 @f(i32 %x, i32 %y, i32 %z) {
               %s = add i32 %y, %z
               %t = add i32 %x, %s
               call void @putint(i32 %t)
               %m = mul i32 %x, 77
               %v = add i32 %s, %m
               ret i32 %v
             }",
        );
    }

    #[test]
    fn what_has_nothing_in_common_or_is_needed_on_the_way_or_is_long_or_no_integer_stays() {
        leaves_alone(&COMMON_SUMS, &text(&["%a %b %c", "%a %d %e"]));
        leaves_alone(&COMMON_SUMS, &text(&["%a %b %c", "%s0x0 %d", "%b %c %e"]));
        let long = ["%a"; MOST_TERMS + 1].join(" ");
        leaves_alone(&COMMON_SUMS, &text(&[&long, &long.replace("%a %a", "%b %a")]));
        leaves_alone(&COMMON_SUMS, &text(&["%a %b %c", "%b %c %d"]).replace("add i32", "mul i32"));
    }

    #[test]
    fn sums_far_from_each_other_are_not_compared() {
        let between = ["%a %b %c %d %e %a %b %c %d %e %a %b %c"; 4];
        let between: Vec<String> = between.iter().enumerate().map(|(k, s)| format!("{s} {k}")).collect();
        let mut sums = vec!["%f %g %h"];
        sums.extend(between.iter().map(String::as_str));
        let count = |sums: &[&str]| {
            let mut module = parse(&text(sums)).unwrap();
            apply(&COMMON_SUMS, &mut module);
            additions(&module)
        };
        let alone = count(&sums);
        sums.push("%f %g 9");
        assert_eq!(count(&sums), alone + 2);
    }
}
