//! What a text was like in each of its states: a table of lines, and per state what it changes of the one
//! before. So n states of a long text take what they change and not n copies.
//!
//! A line has a key, by which it is known again in the next state, whatever it says there: the number of a
//! value. Where there is none, a line is known by what it says, and which of its equals it is. The lines that
//! two states share are a longest rising sequence over the places of equal keys (patience sorting, as in the
//! patience diff of Bram Cohen). O(lines log lines) a state.

use super::intern::DenseMap;
use super::{Handle, Interner, Name};
use std::ops::Range;

/// The key of lines that have none.
pub const NO_KEY: u64 = u64::MAX;

/// The place of lines that come from nowhere.
pub const NO_PLACE: u32 = u32::MAX;

/// The lines of one state, while it is written.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// All texts, end to end, without line ends.
    pub text: String,
    rows: Vec<Row>,
}

/// A line in `Lines`.
#[derive(Copy, Clone, Debug)]
struct Row {
    key: u64,
    /// Where in the source it comes from.
    place: u32,
    /// Where its text ends.
    end: u32,
}

impl Lines {
    /// What has been written to `text` since the last line is a line.
    pub fn end(&mut self, key: u64, place: u32) {
        self.rows.push(Row { key, place, end: self.text.len() as u32 });
    }

    /// The lines of a text, which come from nowhere.
    pub fn of(text: &str) -> Lines {
        let mut lines = Lines::default();
        for line in text.lines() {
            lines.text.push_str(line);
            lines.end(NO_KEY, NO_PLACE);
        }
        lines
    }

    /// Texts and places.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        let mut start = 0;
        self.rows.iter().map(move |row| {
            let text = &self.text[start..row.end as usize];
            start = row.end as usize;
            (text, row.place)
        })
    }
}

/// What is a text of: states of different kinds are not compared.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The program's representation.
    Ir,
    /// The machine's.
    Machine,
    /// What an assembler reads.
    Assembly,
}

/// A state, by what it changes.
#[derive(Clone, Debug)]
pub struct State {
    /// What was done to get here.
    pub step: &'static str,
    /// What the text is of.
    pub kind: Kind,
    /// How long that took, in nanoseconds.
    pub nanos: u64,
    /// Instructions before and after.
    pub counts: (u32, u32),
    /// Hunks: so many lines stay, so many go, so many come, and their numbers. A line that says something
    /// else than before is a hunk by itself: one goes, one comes.
    pub edits: Vec<u32>,
}

/// A hunk of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// The lines before it that stay, since the last hunk.
    pub stay: usize,
    /// How many go.
    pub go: usize,
    /// The numbers of those that come.
    pub come: &'a [u32],
}

impl State {
    /// What changes, from top to bottom.
    pub fn hunks(&self) -> impl Iterator<Item = Hunk<'_>> {
        let mut rest = self.edits.as_slice();
        std::iter::from_fn(move || {
            let [stay, go, come, tail @ ..] = rest else { return None };
            let (come, tail) = tail.split_at_checked(*come as usize)?;
            rest = tail;
            Some(Hunk { stay: *stay as usize, go: *go as usize, come })
        })
    }
}

/// The states of one function's texts.
#[derive(Clone, Default)]
pub struct History {
    texts: Interner,
    /// Per line: its text and place.
    lines: Vec<(Name, u32)>,
    numbers: DenseMap<u64, u32>,
    /// The lines of the last state.
    now: Vec<u32>,
    /// Their keys.
    keys: Vec<u64>,
    states: Vec<State>,
}

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "History({} lines, {} states)", self.lines.len(), self.states.len())
    }
}

impl History {
    /// Adds a state, unless it is that of before.
    pub fn push(
        &mut self,
        (step, kind): (&'static str, Kind),
        nanos: u64,
        counts: (u32, u32),
        lines: &Lines,
    ) -> bool {
        let (now, keys) = self.take_in(lines);
        if self.states.last().is_none_or(|last| last.kind != kind) {
            self.now.clear();
            self.keys.clear();
        } else if now == self.now {
            self.keys = keys;
            return false;
        }
        let edits = edits((&self.now, &self.keys), (&now, &keys));
        self.states.push(State { step, kind, nanos, counts, edits });
        (self.now, self.keys) = (now, keys);
        true
    }

    /// Numbers and keys of lines.
    fn take_in(&mut self, lines: &Lines) -> (Vec<u32>, Vec<u64>) {
        let (mut now, mut keys) =
            (Vec::with_capacity(lines.rows.len()), Vec::with_capacity(lines.rows.len()));
        let mut equals: DenseMap<u32, u32> = DenseMap::default();
        for ((text, place), row) in lines.iter().zip(&lines.rows) {
            let text = self.texts.intern(text);
            let fresh = self.lines.len() as u32;
            let packed = (text.index() as u64) << 32 | u64::from(place);
            let number = *self.numbers.entry(packed).or_insert(fresh);
            if number == fresh {
                self.lines.push((text, place));
            }
            now.push(number);
            keys.push(match row.key {
                NO_KEY => {
                    let before = equals.entry(text.index() as u32).or_default();
                    *before += 1;
                    (text.index() as u64) << 32 | u64::from(*before)
                }
                key => key,
            });
        }
        (now, keys)
    }

    /// The states, in order.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// All lines of all states: texts and places.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = (&str, u32)> {
        self.lines.iter().map(|&(text, place)| (self.texts.text(text), place))
    }

    /// A line by its number.
    pub fn line(&self, number: u32) -> &str {
        self.lines.get(number as usize).map_or("", |&(text, _)| self.texts.text(text))
    }

    /// The last state of a kind, line by line.
    pub fn last(&self, kind: Kind) -> Vec<u32> {
        let mut now = Vec::new();
        for state in self.states.iter().filter(|state| state.kind == kind) {
            now = apply(&now, state);
        }
        now
    }
}

/// The state behind another.
pub fn apply(before: &[u32], state: &State) -> Vec<u32> {
    let (mut after, mut at) = (Vec::with_capacity(before.len()), 0);
    let stays = |range: Range<usize>| before.get(range).unwrap_or(&[]);
    for Hunk { stay, go, come } in state.hunks() {
        after.extend_from_slice(stays(at..at + stay));
        after.extend_from_slice(come);
        at += stay + go;
    }
    after.extend_from_slice(stays(at.min(before.len())..before.len()));
    after
}

/// The hunks from one list of lines to another.
fn edits((old, old_keys): (&[u32], &[u64]), (new, new_keys): (&[u32], &[u64])) -> Vec<u32> {
    let same = |(a, b): &(&u32, &u32)| a == b;
    let first = old.iter().zip(new).take_while(same).count();
    let most = old.len().min(new.len()) - first;
    let last = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
    let (old_end, new_end) = (old.len() - last, new.len() - last);
    let places: DenseMap<u64, u32> = (first..old_end).map(|k| (old_keys[k], k as u32)).collect();
    let pairs: Vec<(u32, u32)> =
        (first..new_end).filter_map(|k| Some((*places.get(&new_keys[k])?, k as u32))).collect();
    let mut out = Vec::new();
    let (mut at, mut stay) = ((first, first), first);
    let mut hunk = |stay: &mut usize, go: usize, come: &[u32]| {
        out.extend([*stay as u32, go as u32, come.len() as u32]);
        out.extend_from_slice(come);
        *stay = 0;
    };
    for (i, j) in rising(&pairs).into_iter().chain([(old_end as u32, new_end as u32)]) {
        let (i, j) = (i as usize, j as usize);
        if (i, j) != at {
            hunk(&mut stay, i - at.0, &new[at.1..j]);
        }
        if i == old_end {
            break;
        }
        if old[i] == new[j] {
            stay += 1;
        } else {
            hunk(&mut stay, 1, &new[j..=j]);
        }
        at = (i + 1, j + 1);
    }
    out
}

/// A longest subsequence whose first numbers rise. The second ones do already.
fn rising(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    // Per length: the pair that ends the sequence of that length with the smallest end; and before each pair,
    // the one before it in its sequence.
    let (mut ends, mut before): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::with_capacity(pairs.len()));
    for (k, &(i, _)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].0 < i);
        before.push(if length == 0 { usize::MAX } else { ends[length - 1] });
        match ends.get_mut(length) {
            Some(end) => *end = k,
            None => ends.push(k),
        }
    }
    let mut out = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(&pair) = at.and_then(|k| pairs.get(k)) {
        out.push(pair);
        at = at.and_then(|k| before.get(k)).copied();
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(rows: &[(u64, &str)]) -> Lines {
        let mut lines = Lines::default();
        for (key, text) in rows {
            lines.text.push_str(text);
            lines.end(*key, *key as u32);
        }
        lines
    }

    fn shown(history: &History, k: usize) -> Vec<(usize, usize, Vec<&str>)> {
        let hunks = history.states()[k].hunks();
        hunks.map(|h| (h.stay, h.go, h.come.iter().map(|&n| history.line(n)).collect())).collect()
    }

    #[test]
    fn a_state_is_what_it_changes_by_key() {
        let mut h = History::default();
        let first = lines(&[(1, "a = 1"), (2, "b = 2"), (3, "c = 3"), (4, "ret")]);
        assert!(h.push(("start", Kind::Ir), 0, (0, 4), &first));
        assert!(!h.push(("nothing", Kind::Ir), 0, (4, 4), &first));
        // One line says something else, one goes, one has come.
        let second = lines(&[(1, "a = 7"), (3, "c = 3"), (9, "d = 4"), (4, "ret")]);
        assert!(h.push(("pass", Kind::Ir), 0, (4, 4), &second));
        assert_eq!(shown(&h, 1), [(0, 1, vec!["a = 7"]), (0, 1, vec![]), (1, 0, vec!["d = 4"])]);
        // What moves goes and comes; of another kind, everything is new.
        let third = lines(&[(9, "d = 4"), (1, "a = 7"), (3, "c = 3"), (4, "ret")]);
        h.push(("move", Kind::Ir), 0, (4, 4), &third);
        assert_eq!(shown(&h, 2), [(0, 0, vec!["d = 4"]), (2, 1, vec![])]);
        h.push(("select", Kind::Machine), 0, (4, 1), &Lines::of("nop\nnop\nret\n"));
        h.push(("order", Kind::Machine), 0, (3, 2), &Lines::of("nop\nret"));
        assert_eq!(shown(&h, 3), [(0, 0, vec!["nop", "nop", "ret"])]);
        assert_eq!(shown(&h, 4), [(1, 1, vec![])]);
        let text = |kind| h.last(kind).into_iter().map(|n| h.line(n)).collect::<Vec<_>>().join("|");
        assert_eq!(
            (text(Kind::Ir).as_str(), text(Kind::Machine).as_str()),
            ("d = 4|a = 7|c = 3|ret", "nop|ret")
        );
        assert_eq!(h.lines().len(), 8);
    }

    /// Whatever changes, the state before and what changed make the state behind.
    #[test]
    fn edits_lead_from_each_state_to_the_next() {
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..200 {
            let (mut h, mut now) = (History::default(), Vec::new());
            for _ in 0..6 {
                let keys: Vec<u64> = (0..random(12)).map(|_| random(20)).collect();
                let mut lines = Lines::default();
                for (k, key) in keys.iter().enumerate() {
                    lines.text.push_str(&format!("{key} {}", random(3)));
                    lines.end(if keys[..k].contains(key) { NO_KEY } else { *key }, NO_PLACE);
                }
                if h.push(("step", Kind::Ir), 0, (0, 0), &lines) {
                    now = apply(&now, h.states().last().unwrap());
                }
                let want: Vec<&str> = lines.iter().map(|line| line.0).collect();
                assert_eq!(now.iter().map(|&n| h.line(n)).collect::<Vec<_>>(), want);
            }
        }
    }
}
