//! Where tokens may begin and end, 64 bytes at a time, as bits: without a look at any single byte, and
//! without a branch.
//!
//! A *run* is a longest row of bytes of words and numbers (letters, digits, `_`, `.`) or of bytes that signs
//! of two characters and comments are made of (`=!<>&|*/`); every other byte that is no blank is a run by
//! itself. Nearly always a run is a token. (Bits a class of bytes, and runs as sums over them: simdjson,
//! Langdale and Lemire 2019.) 310 instructions for 64 bytes, which are 23 tokens of generated programs.

/// Bytes of a block.
pub(super) const BLOCK: usize = 64;

/// What the byte in front of a block was; each is 0 or 1.
#[derive(Copy, Clone, Default)]
pub(super) struct Before {
    /// A byte of a word or a number.
    word: u64,
    /// A byte of a sign.
    sign: u64,
    /// No blank: a run goes to the block at least.
    run: u64,
}

impl Before {
    /// True if a run has begun that has not been seen to end.
    #[inline(always)]
    pub(super) fn in_run(self) -> bool {
        self.run != 0
    }
}

/// The runs of a block: bit `k` is byte `k`.
#[derive(Copy, Clone)]
pub(super) struct Runs {
    /// First bytes of runs.
    pub(super) starts: u64,
    /// Bytes behind the last of a run.
    pub(super) ends: u64,
}

/// Finds the runs of the next block.
#[inline(never)]
pub(super) fn runs(block: &[u8; BLOCK], before: &mut Before) -> Runs {
    let Classes { word, sign, blank } = classes(block);
    let goes_on = word & behind(word, before.word) | sign & behind(sign, before.sign);
    let run = !blank;
    let starts = in_order(run & !goes_on);
    let ends = in_order(behind(run, before.run) & !goes_on);
    *before = Before { word: word >> 63, sign: sign >> 63, run: run >> 63 };
    Runs { starts, ends }
}

/// Which bytes of a block are of a class, as a square of bits: byte `8 * k + i` is bit `k` of byte `i`,
/// because bits come so from the block's words by `and` and `or` alone. Only what is found in the end is put
/// in order.
#[derive(Copy, Clone)]
struct Classes {
    word: u64,
    sign: u64,
    blank: u64,
}

#[inline(always)]
fn classes(block: &[u8; BLOCK]) -> Classes {
    Classes {
        word: square(block, |byte| {
            let letter = (byte | 0x20).wrapping_sub(b'a') < 26;
            letter | (byte.wrapping_sub(b'0') < 10) | (byte == b'_') | (byte == b'.')
        }),
        sign: square(block, |byte| {
            let double = (byte.wrapping_sub(b'<') < 3) | (byte == b'!') | (byte == b'&') | (byte == b'|');
            double | (byte == b'*') | (byte == b'/')
        }),
        blank: square(block, |byte| (byte == b' ') | (byte.wrapping_sub(b'\t') < 5)),
    }
}

/// The bytes that are wanted, as a square. Compilers make vectors of both loops.
#[inline(always)]
fn square(block: &[u8; BLOCK], wanted: impl Fn(u8) -> bool) -> u64 {
    let mut bytes = *block;
    for byte in &mut bytes {
        *byte = if wanted(*byte) { 0xff } else { 0 };
    }
    let mut found = 0;
    for (k, &word) in bytes.as_chunks::<8>().0.iter().enumerate() {
        found |= u64::from_le_bytes(word) & (0x0101_0101_0101_0101 << k);
    }
    found
}

/// The square of what stands one byte behind; `before` is what stands in front of the block.
#[inline(always)]
fn behind(square: u64, before: u64) -> u64 {
    (square << 8) | ((square >> 56 << 1) & 0xff) | before
}

/// A square turned over its diagonal: then byte `k` of the block is bit `k`. (Warren, Hacker's Delight, 7-3.)
#[inline(always)]
fn in_order(mut bits: u64) -> u64 {
    for (step, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0xf0f0_f0f0)] {
        let swapped = (bits ^ (bits >> step)) & mask;
        bits ^= swapped ^ (swapped << step);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_of_its_class() {
        for first in (0..=255u8).step_by(BLOCK) {
            let found = classes(&std::array::from_fn(|k| first + k as u8));
            for (k, byte) in (first..=255).take(BLOCK).enumerate() {
                let is = |square: u64| (in_order(square) >> k) & 1 == 1;
                assert_eq!(is(found.word), byte.is_ascii_alphanumeric() || b"_.".contains(&byte), "{byte}");
                assert_eq!(is(found.sign), b"=<>!&|*/".contains(&byte), "{byte}");
                assert_eq!(is(found.blank), byte.is_ascii_whitespace() || byte == 0x0b, "{byte}");
            }
        }
    }

    #[test]
    fn runs_begin_and_end_where_they_should_and_go_on_in_the_next_block() {
        let mut block = [b' '; BLOCK];
        block[2..9].copy_from_slice(b"ab<=1.5");
        block[60..].copy_from_slice(b"();x");
        let mut before = Before::default();
        let found = runs(&block, &mut before);
        let bits = |places: &[u64]| places.iter().fold(0, |bits, place| bits | 1u64 << place);
        assert_eq!(found.starts, bits(&[2, 4, 6, 60, 61, 62, 63]));
        assert_eq!(found.ends, bits(&[4, 6, 9, 61, 62, 63]));
        assert!(before.in_run());
        let mut block = [b' '; BLOCK];
        block[0] = b'y';
        let found = runs(&block, &mut before);
        assert_eq!((found.starts, found.ends, before.in_run()), (0, 2, false));
    }
}
