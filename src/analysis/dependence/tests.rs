//! Questions about random nests, with the answers that enumeration of all rounds gives.

use super::*;
use crate::analysis::Order;
use crate::analysis::random::Random;
use crate::ir::parse::parse;
use std::fmt::Write;

/// Nests that are tried, unless `SYSYC_NESTS` says how many.
const NESTS: u32 = 3_000;

/// A number from one to another.
fn between(r: &mut Random, low: i64, high: i64) -> i64 {
    low + r.below((high - low + 1) as usize) as i64
}

/// A counter: what it is first, what is added, how many rounds.
struct Counter {
    low: i64,
    step: i64,
    rounds: i64,
}

/// An access: how many loops hold it, the factor of each counter, and what is added; of i32, or a quarter of one.
struct Subscript {
    depth: usize,
    is_behind: bool,
    factors: Vec<i64>,
    constant: i64,
}

/// Loops around accesses. Where `more` is there, the innermost goes up to %n and so much, and the outermost
/// counter is multiplied by %n and not by its factor.
struct Case {
    counters: Vec<Counter>,
    accesses: Vec<Subscript>,
    more: Option<i64>,
}

fn random_case(r: &mut Random) -> Case {
    let depth = between(r, 1, 3) as usize;
    let more = (depth > 1 && r.below(3) == 0).then(|| between(r, -2, 1));
    let counters = (0..depth)
        .map(|_| Counter { low: between(r, -2, 3), step: between(r, 1, 2), rounds: between(r, 1, 5) })
        .collect::<Vec<_>>();
    let shared: Vec<i64> = (0..depth).map(|_| between(r, -6, 12)).collect();
    let accesses = (0..3)
        .map(|_| {
            let depth = if r.below(3) == 0 { between(r, 1, depth as i64) as usize } else { depth };
            let factor = |k: usize, r: &mut Random| match r.below(4) {
                0 => between(r, -3, 3),
                _ if more.is_some() && k + 1 == shared.len() => 1,
                _ => shared[k],
            };
            let factors = (0..depth).map(|k| factor(k, r)).collect();
            Subscript { depth, is_behind: r.below(2) == 0, factors, constant: between(r, -4, 4) }
        })
        .collect();
    let mut case = Case { counters, accesses, more };
    if more.is_some()
        && let Some(inner) = case.counters.last_mut()
    {
        (inner.low, inner.step) = (0, 1);
    }
    case
}

impl Case {
    fn text(&self) -> String {
        let mut text = String::new();
        let last = self.counters.len() - 1;
        let access = |text: &mut String, k: usize| {
            let access = &self.accesses[k];
            let mut sum = access.constant.to_string();
            for (l, factor) in access.factors.iter().enumerate() {
                let by = if l == 0 && self.more.is_some() { "%n".to_string() } else { factor.to_string() };
                _ = writeln!(text, "%m{k}x{l} = mul i32 %i{l}, {by}\n%s{k}x{l} = add i32 %m{k}x{l}, {sum}");
                sum = format!("%s{k}x{l}");
            }
            _ = writeln!(text, "%p{k} = getelementptr i32, ptr @g, i32 {sum}\nstore i32 {k}, ptr %p{k}");
        };
        let of = |depth: usize, is_behind: bool| {
            let accesses = self.accesses.iter().enumerate();
            accesses.filter(move |(_, a)| a.depth == depth && a.is_behind == is_behind).map(|(k, _)| k)
        };
        text += "@g = global [4000 x i32] zeroinitializer\ndefine void @f(i32 %n) {\nentry:\n";
        match self.more {
            Some(more) => {
                _ = writeln!(
                    text,
                    "%b = add i32 %n, {more}\n%c = icmp sgt i32 %b, 0\nbr i1 %c, label %front, label %out"
                )
            }
            None => text += "br label %front\n",
        }
        text += "front:\nbr label %h0\n";
        for (l, counter) in self.counters.iter().enumerate() {
            let from = if l == 0 { "front".to_string() } else { format!("h{}", l - 1) };
            _ = writeln!(text, "h{l}:\n%i{l} = phi i32 [ {}, %{from} ], [ %n{l}, %l{l} ]", counter.low);
            of(l + 1, false).for_each(|k| access(&mut text, k));
            _ = writeln!(
                text,
                "br label %{}{}",
                if l == last { "l" } else { "h" },
                if l == last { l } else { l + 1 }
            );
        }
        for (l, counter) in self.counters.iter().enumerate().rev() {
            _ = writeln!(text, "l{l}:");
            of(l + 1, true).for_each(|k| access(&mut text, k));
            let bound = match self.more {
                Some(_) if l == last => "%b".to_string(),
                _ => (counter.low + counter.step * counter.rounds).to_string(),
            };
            let out = if l == 0 { "out".to_string() } else { format!("l{}", l - 1) };
            _ = writeln!(
                text,
                "%n{l} = add i32 %i{l}, {}\n%c{l} = icmp slt i32 %n{l}, {bound}\nbr i1 %c{l}, label %h{l}, label %{out}",
                counter.step
            );
        }
        text + "out:\nret void\n}"
    }

    /// All rounds of the loops around an access, as they are for %n.
    fn rounds(&self, n: i64, depth: usize) -> Vec<Vec<i64>> {
        let mut all = vec![Vec::new()];
        for (l, counter) in self.counters[..depth].iter().enumerate() {
            let rounds = match self.more {
                Some(more) if l + 1 == self.counters.len() => n + more,
                _ => counter.rounds,
            };
            all = all
                .into_iter()
                .flat_map(|before: Vec<i64>| (0..rounds).map(move |t| [&before[..], &[t]].concat()))
                .collect();
        }
        all
    }

    fn subscript(&self, n: i64, access: &Subscript, rounds: &[i64]) -> i64 {
        let counters = self.counters.iter().zip(rounds).enumerate();
        let term = |(l, (counter, t)): (usize, (&Counter, &i64))| {
            let factor = if l == 0 && self.more.is_some() { n } else { access.factors[l] };
            factor * (counter.low + counter.step * t)
        };
        access.constant + counters.map(term).sum::<i64>()
    }
}

/// True if rounds are to each other as a direction says.
fn is_so(direction: Direction, x: i64, y: i64) -> bool {
    match direction {
        Direction::Equal => x == y,
        Direction::Later(most) => y > x && y - x <= most,
        Direction::Earlier => y < x,
        Direction::Any => true,
    }
}

/// Answers that are right and exact, and those that are right only.
fn check(case: &Case) -> [u64; 2] {
    let text = case.text();
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (env, f) = (&module.env, module.nth(0));
    let (mut order, mut dominators, mut loops) = (Order::default(), Dominators::default(), Loops::default());
    order.compute(f);
    dominators.compute(f, &order);
    loops.compute(f, &order, &dominators);
    let mut evolution = Evolution::default();
    evolution.compute(env, f, &order, &loops);
    let around = Around { env, f, loops: &loops, dominators: &dominators };
    let chain: Vec<Loop> = loops.header.keys().collect();
    let nest = Nest::of(around, &mut evolution, chain[0], chain[chain.len() - 1]).expect("a nest");
    let stores: Vec<Inst> = f.ops().filter(|&(_, op)| op == Op::Store).map(|(i, _)| i).collect();
    let number = |i: Inst| f.as_int(f.arg(i, 0)).unwrap_or(0) as usize;
    let accesses: Vec<(usize, Access)> = stores
        .iter()
        .map(|&i| (number(i), nest.access(around, &mut evolution, i).expect("an access")))
        .collect();
    let each = [
        Direction::Equal,
        Direction::Later(ENDLESS),
        Direction::Later(2),
        Direction::Earlier,
        Direction::Any,
    ];
    let ns: Vec<i64> = match case.more {
        Some(more) => [-3, 1, 2, 3, 4, 6].into_iter().filter(|n| n + more > 0).collect(),
        None => vec![0],
    };
    let mut counts = [0; 2];
    for (k, a) in &accesses {
        for (m, b) in &accesses {
            let (first, second) = (&case.accesses[*k], &case.accesses[*m]);
            let both = first.depth.min(second.depth);
            let mut meet: Vec<Vec<[i64; 2]>> = Vec::new();
            for &n in &ns {
                let others = case.rounds(n, second.depth);
                for x in case.rounds(n, first.depth) {
                    let at = case.subscript(n, first, &x);
                    let same = others.iter().filter(|y| case.subscript(n, second, y) == at);
                    meet.extend(same.map(|y| (0..both).map(|l| [x[l], y[l]]).collect()));
                }
            }
            let mut questions: Vec<Vec<Direction>> = vec![Vec::new()];
            for l in 0..case.counters.len() {
                let asked = if l < both { &each[..] } else { &[Direction::Any] };
                questions = questions
                    .iter()
                    .flat_map(|before| asked.iter().map(|&d| [&before[..], &[d]].concat()))
                    .collect();
            }
            for question in questions {
                let is_met =
                    |pairs: &Vec<[i64; 2]>| pairs.iter().zip(&question).all(|(p, &d)| is_so(d, p[0], p[1]));
                let want = meet.iter().any(is_met);
                let have = nest.may_meet(a, b, &question);
                assert!(have || !want, "{k} and {m} meet, {question:?}\n{text}");
                counts[usize::from(have != want)] += 1;
            }
        }
    }
    counts
}

#[test]
fn no_dependence_of_random_nests_is_missed() {
    let nests = std::env::var("SYSYC_NESTS").ok().and_then(|text| text.parse().ok()).unwrap_or(NESTS);
    let mut counts = [[0; 2]; 2];
    for seed in 0..nests {
        let case = random_case(&mut Random::new(seed));
        let [exact, inexact] = check(&case);
        let of = &mut counts[usize::from(case.more.is_some())];
        (of[0], of[1]) = (of[0] + exact, of[1] + inexact);
    }
    let share = counts.map(|[exact, inexact]| exact as f64 / (exact + inexact) as f64);
    println!("{nests} nests, exact of {counts:?}: {share:?}");
    assert!(share[0] > 0.85 && share[1] > 0.4, "{share:?}");
}
