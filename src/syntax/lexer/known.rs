//! Texts that were tokens before: what a run of bytes is, by one load and one comparison.

use super::Window;
use super::runs::BLOCK;
use crate::syntax::token::TokenKind;

/// Texts that were tokens before, and which: most tokens are of those. A table in which each text of up to
/// eight bytes has one place, and a smaller one for texts of up to 16; a text that needs the place of another
/// takes it. Of 10,000 generated lines, 98% of the tokens are found here. Holds the numbers of names, and so
/// belongs to one `Interner`.
#[derive(Clone)]
pub struct Known {
    entries: Box<[Entry; KNOWN]>,
    long: Box<[LongEntry; KNOWN_LONG]>,
}

/// Places of short texts.
const KNOWN: usize = 1 << 12;
/// Places of long ones.
const KNOWN_LONG: usize = 1 << 9;

#[derive(Copy, Clone)]
struct Entry {
    /// The text, at most eight bytes, as a little-endian number; `VACANT` if there is none.
    key: u64,
    value: u32,
    kind: TokenKind,
}

/// Of a text of 9 to 16 bytes.
#[derive(Copy, Clone)]
struct LongEntry {
    key: LongKey,
    value: u32,
    kind: TokenKind,
}

/// No text, because there is no such byte in a token.
const VACANT: u64 = u64::MAX;

impl Default for Known {
    fn default() -> Self {
        let (value, kind) = (0, TokenKind::Invalid);
        let key = LongKey { first: VACANT, last: VACANT, len: 0 };
        Known {
            entries: Box::new([Entry { key: VACANT, value, kind }; KNOWN]),
            long: Box::new([LongEntry { key, value, kind }; KNOWN_LONG]),
        }
    }
}

impl Known {
    /// What the run from `start` to `end` is, if that is known.
    #[inline(always)]
    pub(super) fn find(&self, window: &Window, start: usize, end: usize) -> Option<(TokenKind, u32)> {
        if end.wrapping_sub(start) > 8 {
            return self.find_long(window, start, end);
        }
        let key = short_key(window, start, end);
        let Entry { key: found, value, kind } = self.entries[place(key)];
        (found == key).then_some((kind, value))
    }

    #[inline(never)]
    fn find_long(&self, window: &Window, start: usize, end: usize) -> Option<(TokenKind, u32)> {
        let key = long_key(window, start, end)?;
        let LongEntry { key: found, value, kind } = self.long[key.place()];
        (found == key).then_some((kind, value))
    }

    /// Makes it known.
    pub(super) fn insert(
        &mut self,
        window: &Window,
        start: usize,
        end: usize,
        (kind, value): (TokenKind, u32),
    ) {
        if end.wrapping_sub(start) <= 8 {
            let key = short_key(window, start, end);
            self.entries[place(key)] = Entry { key, value, kind };
        } else if let Some(key) = long_key(window, start, end) {
            self.long[key.place()] = LongEntry { key, value, kind };
        }
    }
}

/// The place of a short text.
#[inline(always)]
fn place(key: u64) -> usize {
    (key.wrapping_mul(SPREAD) >> 52) as usize % KNOWN
}

/// The golden ratio in 64 bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The text of a run of 1 to 8 bytes as a little-endian number.
#[inline(always)]
fn short_key(window: &Window, start: usize, end: usize) -> u64 {
    /// Per length: the bits that count.
    static MASKS: [u64; 16] = {
        let mut masks = [0; 16];
        let mut len = 1;
        while len <= 8 {
            masks[len] = u64::MAX >> (64 - 8 * len);
            len += 1;
        }
        masks
    };
    word_in(window, start) & MASKS[end.wrapping_sub(start) % 16]
}

/// The text of a run of 9 to 16 bytes: its first eight, its last eight, and how many there are.
#[derive(Copy, Clone, PartialEq, Eq)]
struct LongKey {
    first: u64,
    last: u64,
    len: u8,
}

impl LongKey {
    #[inline(always)]
    fn place(self) -> usize {
        ((self.first.wrapping_mul(SPREAD) ^ self.last).wrapping_mul(SPREAD) >> 55) as usize % KNOWN_LONG
    }
}

#[inline(always)]
fn long_key(window: &Window, start: usize, end: usize) -> Option<LongKey> {
    let len = end.wrapping_sub(start);
    let last = word_in(window, end.wrapping_sub(8));
    (len <= 16).then_some(LongKey { first: word_in(window, start), last, len: len as u8 })
}

/// The eight bytes at a place of the window that is before its last eight.
#[inline(always)]
fn word_in(window: &Window, at: usize) -> u64 {
    window[at % (2 * BLOCK)..].first_chunk::<8>().map_or(0, |&word| u64::from_le_bytes(word))
}
