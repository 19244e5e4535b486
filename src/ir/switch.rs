//! A choice by an integer among many targets, as a balanced tree of comparisons, with tables where numbers lie close together.
//! Neighbouring numbers with one target are one range, and what the way to a test has already told is not asked again: n cases that
//! lie side by side take log2(n) comparisons on each way, or a table. Tables are found from the least number on, each as long
//! as it may be. O(cases log cases). (As LLVM's `LowerSwitch`, and `SwitchLowering`, which looks for the fewest tables in O(n^2).)
//!
//! Several runs with one target and nothing else between them are bits of a word, one a number: two tests for as many as a word has
//! (`x == 1 || x == 5 || x == 9`; LLVM's and GCC's bit tests).

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
    /// Which entry of the table of this number is it, if any? (Test::yes and no are where all others go.)
    Table(usize),
    /// Is it one of those from the first on, of which the second has the bits, the highest one for the first? Only asked of
    /// what is less than 32 above the first.
    Bit(i64, u32),
}

/// Numbers from one on, and the case of each; none of those that go where all others do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The first number. If that is 0, it need not be taken from what is asked about.
    pub low: i64,
    /// By number.
    pub cases: Vec<Option<usize>>,
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

/// Numbers side by side with one target, that of the case, or a table.
#[derive(Copy, Clone)]
struct Run {
    low: i64,
    high: i64,
    case: usize,
    table: Option<usize>,
    /// If only some of them go there: which, as `Question::Bit` has it.
    bits: Option<u32>,
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

/// How many runs a table is made of at least, if a machine does not say: for four, two or three comparisons do, which are easier
/// to predict than a jump.
pub const LEAST_TABLE: usize = 5;

/// Of a hundred entries of a table, as many have a case at least: an entry takes 4 bytes of code, a comparison 8.
const LEAST_FULL: usize = 40;

/// So many runs further than where a table could end are looked at.
const AHEAD: usize = 32;

/// The most entries of a table. What passes do with the edges of a switch may take their square.
const MOST_ENTRIES: usize = 1024;

/// A table from up to so many begins at 0, which saves a subtraction.
const NEAR_ZERO: i64 = 4;

/// The tests for cases in rising order without doubles, of an integer of so many bits; the first comes first. None if
/// everything goes to the default: cases that do need not be among them. `same` says whether two cases have one target.
pub fn tests(numbers: &[i64], bits: u32, same: impl Fn(usize, usize) -> bool) -> Vec<Test> {
    tree(&runs(numbers, &same), bits)
}

/// The same with tables, of so many runs at least.
pub fn with_tables(
    numbers: &[i64],
    bits: u32,
    same: impl Fn(usize, usize) -> bool,
    least: usize,
) -> (Vec<Test>, Vec<Table>) {
    of_runs(runs(numbers, &same), bits, same, least)
}

/// The same for ranges of numbers in rising order, each a case, that do not overlap.
pub fn of_ranges(
    ranges: &[(i64, i64)],
    bits: u32,
    same: impl Fn(usize, usize) -> bool,
    least: usize,
) -> (Vec<Test>, Vec<Table>) {
    let mut runs = Vec::new();
    ranges.iter().enumerate().for_each(|(case, &range)| append(&mut runs, range, case, &same));
    of_runs(runs, bits, same, least)
}

fn of_runs(
    mut runs: Vec<Run>,
    bits: u32,
    same: impl Fn(usize, usize) -> bool,
    least: usize,
) -> (Vec<Test>, Vec<Table>) {
    let with_bits = find_bits(&runs, &same, least_bits(least));
    let tables = find_tables(&mut runs, least);
    // With bits, few runs take few tests, which are easier to predict than a jump.
    if tables.is_empty() || with_bits.len() < CHAIN {
        return (tree(&with_bits, bits), Vec::new());
    }
    (tree(&runs, bits), tables)
}

fn runs(numbers: &[i64], same: &impl Fn(usize, usize) -> bool) -> Vec<Run> {
    let mut runs = Vec::new();
    numbers.iter().enumerate().for_each(|(case, &x)| append(&mut runs, (x, x), case, same));
    runs
}

fn append(runs: &mut Vec<Run>, (low, high): (i64, i64), case: usize, same: &impl Fn(usize, usize) -> bool) {
    match runs.last_mut() {
        Some(run) if run.high.checked_add(1) == Some(low) && same(run.case, case) => run.high = high,
        _ => runs.push(Run { low, high, case, table: None, bits: None }),
    }
}

/// As many runs are worth bits of a word, where tables are worth it from so many on: a comparison that is one instruction is
/// cheaper beside the shift and the two branches that bits take.
fn least_bits(least_table: usize) -> usize {
    if least_table > LEAST_TABLE { 4 } else { 3 }
}

/// Puts bits of words in the place of runs, of so many at least.
fn find_bits(runs: &[Run], same: &impl Fn(usize, usize) -> bool, least: usize) -> Vec<Run> {
    let (mut found, mut left) = (Vec::new(), runs);
    while let [first, ..] = left {
        let fits = |run: &&Run| run.high.abs_diff(first.low) < 32 && same(first.case, run.case);
        let together = left.iter().take_while(fits).count().max(1);
        let (some, rest) = left.split_at(together);
        // In rising order, so that nothing is less than the first.
        let bits = some.iter().flat_map(|run| run.low..=run.high).take(32);
        match some.last() {
            Some(last) if together >= least => {
                let bits = bits.fold(0, |word, x| word | 1 << 31 >> x.abs_diff(first.low));
                found.push(Run { high: last.high, bits: Some(bits), ..*first });
            }
            _ => found.extend_from_slice(some),
        }
        left = rest;
    }
    found
}

/// Puts tables in the place of runs.
fn find_tables(runs: &mut Vec<Run>, least: usize) -> Vec<Table> {
    let mut tables = Vec::new();
    let (mut from, mut left) = (std::mem::take(runs), 0);
    while left < from.len() {
        let (low, mut full, mut best) = (from[left].low, 0, 0);
        for (k, run) in from[left..].iter().enumerate() {
            // Their difference may be more than an i64.
            let entries = run.high.abs_diff(low).saturating_add(1);
            if entries > MOST_ENTRIES as u64 || k > best + AHEAD {
                break;
            }
            full += (run.high - run.low) as usize + 1;
            if full * 100 >= LEAST_FULL * entries as usize {
                best = k + 1;
            }
        }
        if best < least {
            runs.push(Run { ..from[left] });
            left += 1;
            continue;
        }
        let (case, high) = (from[left].case, from[left + best - 1].high);
        let base = if (1..=NEAR_ZERO).contains(&low) { 0 } else { low };
        let mut cases = vec![None; (high - base) as usize + 1];
        for run in &from[left..left + best] {
            cases[(run.low - base) as usize..=(run.high - base) as usize].fill(Some(run.case));
        }
        runs.push(Run { low, high, case, table: Some(tables.len()), bits: None });
        tables.push(Table { low: base, cases });
        left += best;
    }
    from.clear();
    tables
}

fn tree(runs: &[Run], bits: u32) -> Vec<Test> {
    let high = i64::MAX >> (64 - bits.clamp(1, 64));
    let mut tests: Vec<Test> = Vec::new();
    let mut left = vec![Part { parent: None, runs: 0..runs.len(), low: !high, high }];
    while let Some(Part { parent, runs: range, low, high }) = left.pop() {
        let number = tests.len();
        let here = match &runs[range.clone()] {
            [] => To::Default,
            [Run { table: Some(table), .. }] => {
                tests.push(Test { asks: Question::Table(*table), yes: To::Default, no: To::Default });
                To::Test(number)
            }
            &[Run { low: first, bits: Some(word), case, .. }]
                if high.abs_diff(first) < 32 && low == first && parent.is_some() =>
            {
                tests.push(Test { asks: Question::Bit(first, word), yes: To::Case(case), no: To::Default });
                To::Test(number)
            }
            [run] if (run.low, run.high) == (low, high) && parent.is_some() => To::Case(run.case),
            // Few are told apart one after the other, which takes fewer tests in all.
            [run, rest @ ..]
                if rest.len() < CHAIN && runs[range.clone()].iter().all(|run| run.table.is_none()) =>
            {
                let (asks, if_so) = run.question(low, high);
                let case = match run.bits {
                    Some(_) => To::Test(number + 1),
                    None => To::Case(run.case),
                };
                tests.push(Test { asks, yes: case, no: case });
                if let Some(word) = run.bits {
                    let asks = Question::Bit(run.low, word);
                    tests.push(Test { asks, yes: To::Case(run.case), no: To::Default });
                }
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

    /// Where a number goes, and by how many tests.
    fn goes(tests: &[Test], tables: &[Table], x: i64) -> (To, usize) {
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
                Question::Bit(low, word) => {
                    assert!((0..32).contains(&(x - low)), "{x}");
                    word << (x - low) >> 31 != 0
                }
                Question::Table(table) => {
                    let Table { low, cases } = &tables[table];
                    let entry = usize::try_from(x.wrapping_sub(*low) as u64).ok().and_then(|k| cases.get(k));
                    return (entry.copied().flatten().map_or(To::Default, To::Case), steps + 1);
                }
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
        let mut some_tables = false;
        for _ in 0..400 {
            let (density, targets) = (draw(10) + 1, draw(5) + 1);
            let mut cases: Vec<(i64, u64)> = Vec::new();
            for x in -128..=127 {
                if draw(10) < density {
                    cases.push((x, draw(targets)));
                }
            }
            let numbers: Vec<i64> = cases.iter().map(|case| case.0).collect();
            let same = |a: usize, b: usize| cases[a].1 == cases[b].1;
            let both = [(tests(&numbers, 8, same), Vec::new()), with_tables(&numbers, 8, same, LEAST_TABLE)];
            some_tables |= !both[1].1.is_empty();
            for (tests, tables) in &both {
                for x in -128..=127 {
                    let target = match goes(tests, tables, x).0 {
                        To::Case(case) => Some(cases[case].1),
                        _ => None,
                    };
                    assert_eq!(target, cases.iter().find(|case| case.0 == x).map(|case| case.1));
                }
            }
        }
        assert!(some_tables);
    }

    #[test]
    fn cases_side_by_side_take_a_logarithm_of_comparisons() {
        let numbers: Vec<i64> = (0..64).collect();
        let tests = tests(&numbers, 32, |a, b| a == b);
        assert!((0..64).all(|x| goes(&tests, &[], x).1 <= 7));
        assert!(tests.len() <= 65);
    }

    #[test]
    fn numbers_close_together_are_a_table_and_others_are_not() {
        let of = |numbers: &[i64]| with_tables(numbers, 64, |a, b| a == b, LEAST_TABLE);
        let (tests, tables) = of(&[10, 11, 12, 14, 18]);
        assert_eq!((tests.len(), tests[0].asks), (1, Question::Table(0)));
        let cases = [Some(0), Some(1), Some(2), None, Some(3), None, None, None, Some(4)];
        assert_eq!(tables, [Table { low: 10, cases: cases.to_vec() }]);
        // Few, far apart, or of one target.
        assert!(of(&[1, 2, 3, 4]).1.is_empty());
        assert!(of(&[0, 4, 8, 12, 16, 20, 24]).1.is_empty());
        assert!(with_tables(&[1, 2, 3, 4, 5, 6, 7], 32, |_, _| true, LEAST_TABLE).1.is_empty());
        // From near zero, it is from zero on.
        assert_eq!(
            of(&[2, 3, 4, 5, 6]).1[0],
            Table { low: 0, cases: [None; 2].into_iter().chain((0..5).map(Some)).collect() }
        );
        // Two, told apart by one comparison, and what is between them.
        let numbers = [100, 101, 102, 103, 104, 500, 1000, 1001, 1002, 1003, 1004];
        let (tests, tables) = of(&numbers);
        assert_eq!(tables.iter().map(|table| table.low).collect::<Vec<_>>(), [100, 1000]);
        assert!(numbers.iter().enumerate().all(|(k, &x)| goes(&tests, &tables, x).0 == To::Case(k)));
        assert!([99, 105, 499, 501, 999, 1005].iter().all(|&x| goes(&tests, &tables, x).0 == To::Default));
    }

    #[test]
    fn several_numbers_with_one_target_are_bits_of_a_word() {
        let of = |numbers: &[i64], least| with_tables(numbers, 64, |_, _| true, least).0;
        let asks = |tests: &[Test]| tests.iter().map(|test| test.asks).collect::<Vec<_>>();
        let bits = Question::Bit(-1, 0b1010_0010 << 24);
        assert_eq!(asks(&of(&[-1, 1, 5], LEAST_TABLE)), [Question::Within(-1, 5), bits]);
        assert_eq!(of(&[-1, 1, 5], 18).len(), 3);
        // Where nothing else comes, they need no question for both ends.
        let of_five = with_tables(&[-16, -15, -13, -11, 3], 5, |a, b| (a == 4) == (b == 4), LEAST_TABLE);
        assert!(asks(&of_five.0).contains(&Question::Bit(-16, 0b1101_0100 << 24)));
        for (numbers, least) in [
            (&[0, 2, 4, 31][..], 5),
            (&[i64::MIN, i64::MIN + 2, i64::MIN + 4], 5),
            (&[1, 5, 9, 40, 44, 48], 5),
        ] {
            let tests = of(numbers, least);
            for x in numbers.iter().flat_map(|x| [x.wrapping_sub(1), *x, x.wrapping_add(1)]) {
                assert_eq!(goes(&tests, &[], x).0 == To::Default, !numbers.contains(&x), "{x}");
            }
        }
    }

    #[test]
    fn ranges_are_cases_like_numbers() {
        let ranges = [(i64::MIN, -1), (0, 3), (4, 4), (10, 2000), (i64::MAX, i64::MAX)];
        for least in [2, LEAST_TABLE] {
            let (tests, tables) = of_ranges(&ranges, 64, |a, b| a == b, least);
            for x in [i64::MIN, -1, 0, 3, 4, 5, 9, 10, 2000, 2001, i64::MAX - 1, i64::MAX] {
                let case = ranges.iter().position(|(low, high)| (*low..=*high).contains(&x));
                assert_eq!(goes(&tests, &tables, x).0, case.map_or(To::Default, To::Case), "{x}");
            }
        }
    }

    #[test]
    fn tables_at_both_ends_of_all_numbers_and_no_larger_than_they_may_be() {
        let mut numbers: Vec<i64> =
            (0..6).map(|k| i64::MIN + k).chain((0..6).map(|k| i64::MAX - 5 + k)).collect();
        let (tests, tables) = with_tables(&numbers, 64, |a, b| a == b, LEAST_TABLE);
        assert_eq!(tables.len(), 2);
        assert!(numbers.iter().enumerate().all(|(k, &x)| goes(&tests, &tables, x).0 == To::Case(k)));
        assert!(
            [i64::MIN + 6, -1, 0, i64::MAX - 6].iter().all(|&x| goes(&tests, &tables, x).0 == To::Default)
        );
        numbers = (0..5000).collect();
        let (tests, tables) = with_tables(&numbers, 64, |a, b| a == b, LEAST_TABLE);
        assert!(tables.iter().all(|table| table.cases.len() <= MOST_ENTRIES) && tables.len() == 5);
        assert!((0..5000).all(|x| goes(&tests, &tables, x).0 == To::Case(x as usize)));
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
