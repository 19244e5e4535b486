//! A choice by an integer among many targets, as a balanced tree of comparisons. Neighbouring numbers with one target are one
//! range, and what the way to a test has already told is not asked again: n cases that lie side by side take log2(n)
//! comparisons on each way. O(cases log cases). (As LLVM's `LowerSwitch` and, without tables, its `SwitchLowering`.)

/// Where to go on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// To the target of the case of this number.
    Case(usize),
    /// To where all other numbers go.
    Default,
    /// To another test, by its number.
    Test(usize),
}

/// What is asked of the integer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Is it this number?
    Equal(i64),
    /// Is it less, signed?
    Less(i64),
    /// Is it one from the first to the second?
    Within(i64, i64),
}

/// A question, and where to go on if it is so and if it is not.
#[derive(Copy, Clone, Debug)]
pub struct Test {
    /// The question.
    pub asks: Question,
    /// Where to go on if it is so.
    pub yes: To,
    /// Where to go on if it is not.
    pub no: To,
}

/// Numbers side by side with one target, that of the case.
struct Run {
    low: i64,
    high: i64,
    case: usize,
}

impl Run {
    /// What is asked to find numbers of the run among those between two, and the answer that says so.
    fn question(&self, low: i64, high: i64) -> (Question, bool) {
        match (self.low == low, self.high == high) {
            _ if self.low == self.high => (Question::Equal(self.low), true),
            (true, false) => (Question::Less(self.high + 1), true),
            (false, true) => (Question::Less(self.low), false),
            _ => (Question::Within(self.low, self.high), true),
        }
    }
}

/// Part of the tree that is still to be made: whose target it is, its runs, and the least and greatest number that comes
/// there.
struct Part {
    parent: Option<(usize, bool)>,
    runs: std::ops::Range<usize>,
    low: i64,
    high: i64,
}

/// As many runs are asked for one after the other.
const CHAIN: usize = 3;

/// The tests for cases in rising order without doubles, of an integer of so many bits; the first comes first. None if
/// everything goes to the default: cases that do need not be among them. `same` says whether two cases have one target.
pub fn tests(numbers: &[i64], bits: u32, same: impl Fn(usize, usize) -> bool) -> Vec<Test> {
    let mut runs: Vec<Run> = Vec::new();
    for (case, &x) in numbers.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.high.checked_add(1) == Some(x) && same(run.case, case) => run.high = x,
            _ => runs.push(Run { low: x, high: x, case }),
        }
    }
    let high = i64::MAX >> (64 - bits.clamp(1, 64));
    let mut tests: Vec<Test> = Vec::new();
    let mut left = vec![Part { parent: None, runs: 0..runs.len(), low: !high, high }];
    while let Some(Part { parent, runs: range, low, high }) = left.pop() {
        let number = tests.len();
        let here = match &runs[range.clone()] {
            [] => To::Default,
            [run] if (run.low, run.high) == (low, high) && parent.is_some() => To::Case(run.case),
            // Few are told apart one after the other, which takes fewer tests in all.
            [run, rest @ ..] if rest.len() < CHAIN => {
                let (asks, if_so) = run.question(low, high);
                let case = To::Case(run.case);
                tests.push(Test { asks, yes: case, no: case });
                let (mut low, mut high) = (low, high);
                if run.low == low {
                    low = run.high.saturating_add(1);
                } else if run.high == high {
                    high = run.low.saturating_sub(1);
                }
                left.push(Part {
                    parent: Some((number, !if_so)),
                    runs: range.start + 1..range.end,
                    low,
                    high,
                });
                To::Test(number)
            }
            several => {
                let middle = range.start + several.len() / 2;
                let first = runs[middle].low;
                tests.push(Test { asks: Question::Less(first), yes: To::Default, no: To::Default });
                let part =
                    |runs, is_low, (low, high)| Part { parent: Some((number, is_low)), runs, low, high };
                left.push(part(middle..range.end, false, (first, high)));
                left.push(part(range.start..middle, true, (low, first - 1)));
                To::Test(number)
            }
        };
        match parent {
            Some((parent, true)) => tests[parent].yes = here,
            Some((parent, false)) => tests[parent].no = here,
            None => {}
        }
    }
    tests
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goes(tests: &[Test], x: i64) -> (To, usize) {
        let (mut at, mut steps) = (To::Test(0), 0);
        if tests.is_empty() {
            return (To::Default, 0);
        }
        while let To::Test(number) = at {
            let Test { asks, yes, no } = tests[number];
            let is_so = match asks {
                Question::Equal(y) => x == y,
                Question::Less(y) => x < y,
                Question::Within(low, high) => (low..=high).contains(&x),
            };
            at = if is_so { yes } else { no };
            steps += 1;
        }
        (at, steps)
    }

    #[test]
    fn every_number_of_a_byte_goes_where_its_case_says() {
        let mut state = 1u64;
        let mut draw = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for _ in 0..400 {
            let (density, targets) = (draw(10) + 1, draw(5) + 1);
            let mut cases: Vec<(i64, u64)> = Vec::new();
            for x in -128..=127 {
                if draw(10) < density {
                    cases.push((x, draw(targets)));
                }
            }
            let numbers: Vec<i64> = cases.iter().map(|case| case.0).collect();
            let tests = tests(&numbers, 8, |a, b| cases[a].1 == cases[b].1);
            for x in -128..=127 {
                let target = match goes(&tests, x).0 {
                    To::Case(case) => Some(cases[case].1),
                    _ => None,
                };
                assert_eq!(target, cases.iter().find(|case| case.0 == x).map(|case| case.1));
            }
        }
    }

    #[test]
    fn cases_side_by_side_take_a_logarithm_of_comparisons() {
        let numbers: Vec<i64> = (0..64).collect();
        let tests = tests(&numbers, 32, |a, b| a == b);
        assert!((0..64).all(|x| goes(&tests, x).1 <= 7));
        assert!(tests.len() <= 65);
    }

    #[test]
    fn ranges_ends_of_the_type_and_nothing_at_all() {
        let all = |_, _| true;
        assert!(tests(&[], 32, all).is_empty());
        let of = |numbers: &[i64], bits| tests(numbers, bits, all).iter().map(|t| t.asks).collect::<Vec<_>>();
        assert_eq!(of(&[7], 32), [Question::Equal(7)]);
        assert_eq!(of(&[7, 8, 9], 32), [Question::Within(7, 9)]);
        assert_eq!(of(&[-128, -127], 8), [Question::Less(-126)]);
        assert_eq!(of(&[126, 127], 8), [Question::Less(126)]);
        assert_eq!(of(&[i64::MIN], 64), [Question::Equal(i64::MIN)]);
        assert_eq!(of(&[i64::MIN, i64::MAX], 64).len(), 2);
        // Of one bit, both: the second answer needs no question.
        let both = tests(&[-1, 0], 1, |_, _| false);
        assert_eq!((both.len(), both[0].yes, both[0].no), (1, To::Case(0), To::Case(1)));
    }
}
