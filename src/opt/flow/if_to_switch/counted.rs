//! Which questions are asked first, by a profile: each number stands for its part of all executions, goes through the tests, and
//! what it is asked is added up. So a tree, a table, or either behind a question for the most frequent case, is compared with
//! the chain as it is, by questions that are asked on average. (LLVM's `switch-peel-threshold` asks for two thirds of all
//! executions; GCC balances trees by them.) O(cases x questions of each).

use super::Choice;
use super::chain::Chain;
use crate::ir::Flags;
use crate::ir::switch::{Question, Table, Test, To};

/// Questions that take as long as a jump by a table does: it is a comparison, an address, a load, and a jump that is not known in time.
const JUMP: f64 = 3.0;
/// Questions that are asked on average where looking up pays: it takes as long.
const LOOKED_UP: f64 = 2.0;
/// What is saved at least, of a question: code grows.
const LEAST: f64 = 0.25;

/// False where a profile says that a chain is left so soon that looking up is no shorter.
pub(super) fn is_long(chain: &Chain) -> bool {
    chain.counted.as_ref().is_none_or(|counted| counted.asked >= LOOKED_UP)
}

/// True if tests ask less than a chain does that asks so many questions on average; with a question for the most frequent case in
/// front of them, where that is less.
pub(super) fn improve(choice: &Choice, (tests, tables): (&mut Vec<Test>, &[Table]), asked: f64) -> bool {
    let parts = parts(choice);
    let plain = cost(&numbers(choice, &parts), tests, tables);
    let most = (0..parts.len()).max_by(|&a, &b| parts[a].total_cmp(&parts[b]));
    let in_front = most.map_or(f64::INFINITY, |case| 1.0 + (1.0 - parts[case]) * plain);
    if let Some(case) = most.filter(|_| in_front + LEAST < plain) {
        let (low, high) = choice.ranges[case];
        let asks = if low == high { Question::Equal(low) } else { Question::Within(low, high) };
        for test in tests.iter_mut() {
            for to in [&mut test.yes, &mut test.no] {
                if let To::Test(next) = to {
                    *next += 1;
                }
            }
        }
        tests.insert(0, Test { asks, yes: To::Case(case), no: To::Test(1) });
    }
    plain.min(in_front) + LEAST < asked
}

/// What the branches of tests say, by number; nothing without a profile.
pub(super) fn odds(choice: &Choice, tests: &[Test], tables: &[Table]) -> Vec<Flags> {
    if choice.parts.is_empty() {
        return Vec::new();
    }
    let mut went = vec![[0.0f64; 2]; tests.len()];
    for (x, part) in numbers(choice, &parts(choice)) {
        walk(x, tests, tables, |test, yes| went[test][usize::from(!yes)] += part);
    }
    let scaled = |part: f64| (part * SCALE) as u64;
    went.into_iter().map(|[yes, no]| Flags::odds(scaled(yes), scaled(no))).collect()
}

/// How many executions stand for all.
const SCALE: f64 = (1u64 << 24) as f64;

/// The parts of cases in all executions: those that go one way have equal shares.
fn parts(choice: &Choice) -> Vec<f64> {
    let mut sharing = vec![0u32; choice.ways.len()];
    choice.ways_of.iter().for_each(|&way| sharing[way] += 1);
    let part = |&way: &usize| choice.parts.get(way).map_or(0.0, |part| part / f64::from(sharing[way]));
    choice.ways_of.iter().map(part).collect()
}

/// A number of each range and of each gap between them, and its part in all executions.
fn numbers(choice: &Choice, parts: &[f64]) -> Vec<(i64, f64)> {
    let mut numbers: Vec<(i64, f64)> = Vec::new();
    let most = i64::MAX >> (64 - choice.ty.int_bits().clamp(1, 64));
    let mut next = Some(!most);
    for (case, &(low, high)) in choice.ranges.iter().enumerate() {
        numbers.extend(next.filter(|&next| next < low).map(|_| (low - 1, f64::NAN)));
        numbers.push((low, parts[case]));
        next = high.checked_add(1);
    }
    numbers.extend(next.filter(|&next| next <= most).map(|next| (next, f64::NAN)));
    let gaps = numbers.iter().filter(|row| row.1.is_nan()).count().max(1) as f64;
    let others = choice.parts.get(choice.other).copied().unwrap_or(0.0) / gaps;
    numbers.iter_mut().filter(|row| row.1.is_nan()).for_each(|row| row.1 = others);
    numbers
}

/// Questions that are asked on average.
fn cost(numbers: &[(i64, f64)], tests: &[Test], tables: &[Table]) -> f64 {
    let mut asked = 0.0;
    for &(x, part) in numbers {
        asked += part * walk(x, tests, tables, |_, _| {});
    }
    asked
}

/// Takes a number through tests, and says what each one answers; the questions that it is asked.
fn walk(x: i64, tests: &[Test], tables: &[Table], mut answers: impl FnMut(usize, bool)) -> f64 {
    let (mut asked, mut at) = (0.0, 0);
    // Tests lead to later ones.
    while let Some(test) = tests.get(at) {
        let yes = match test.asks {
            Question::Equal(y) => x == y,
            Question::Less(y) => x < y,
            Question::Within(low, high) => (low..=high).contains(&x),
            Question::Bit(low, word) => u32::try_from(x.wrapping_sub(low))
                .is_ok_and(|by| word.checked_shl(by).unwrap_or(0) >> 31 != 0),
            Question::Table(number) => return asked + tables.get(number).map_or(0.0, |_| JUMP),
        };
        answers(at, yes);
        asked += 1.0;
        match if yes { test.yes } else { test.no } {
            To::Test(next) if next > at => at = next,
            _ => return asked,
        }
    }
    asked
}
