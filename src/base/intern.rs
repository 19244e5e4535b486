//! Strings to dense handles and back.
//!
//! A text has a *key* of 64 bits. One of at most 8 bytes, as most names are, is its own key, so that equality
//! is one comparison and the text is not looked at; a longer one has a hash for a key, with the highest bit
//! set, and is compared. The table is open addressing with linear probing over the numbers of names, at most
//! half full.
//!
//! Names are input, so a long probe (which chance does not make) draws a seed and rehashes everything:
//! no list of names can be written that is slow. Until then the seed is fixed, and so is the count of
//! instructions.

use super::Handle;
use std::hash::BuildHasher;

crate::handle! {
    /// An interned string.
    pub struct Name("n");
}

/// The set of all names seen so far. Handles are dense and in order of first appearance, so they are
/// deterministic wherever interning happens in a deterministic order.
#[derive(Clone)]
pub struct Interner {
    /// Numbers of names plus one, at the slot of their key or behind it; 0 is free. A power of two long.
    slots: Vec<u32>,
    /// All texts, end to end.
    bytes: String,
    /// Per name: where its text ends in `bytes`; it starts where its predecessor ends.
    ends: Vec<u32>,
    /// Per name: its key.
    keys: Vec<u64>,
    /// What keys are mixed with.
    seed: u64,
}

/// Slots of an empty table.
const FIRST_SLOTS: usize = 64;
/// Longest probe that is taken for chance: half full, a table of a billion has none of this length.
const LONGEST_PROBE: usize = 256;
/// The golden ratio in 64 bits.
const FIXED_SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// The mark of the keys of long texts.
const LONG: u64 = 1 << 63;

impl Default for Interner {
    fn default() -> Self {
        Interner {
            slots: vec![0; FIRST_SLOTS],
            bytes: String::new(),
            ends: Vec::new(),
            keys: Vec::new(),
            seed: FIXED_SEED,
        }
    }
}

/// The halves of a product, folded: every bit of the result depends on all of `x`.
#[inline(always)]
fn fold(x: u64) -> u64 {
    let product = u128::from(x) * 0xd6e8_feb8_6659_fd93;
    (product >> 64) as u64 ^ product as u64
}

/// The key of a text of at most 8 bytes is the text as a little-endian number, with the length for the
/// highest byte of shorter ones; of others, and of the few of 8 bytes that would look like these, a hash.
fn key_of(text: &[u8], seed: u64) -> u64 {
    if text.len() <= 8 {
        let word = little_endian(text);
        if text.len() < 8 {
            return word | (text.len() as u64) << 56;
        } else if (8..0x80).contains(&(word >> 56)) {
            return word;
        }
    }
    long_key(text, seed)
}

/// At most 8 bytes as a number, by two loads that may overlap: a copy of so few bytes is a call.
#[inline(always)]
fn little_endian(text: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let [first, last] = [first, last].map(|&bytes| u64::from(u32::from_le_bytes(bytes)));
        return first | last << (8 * (text.len() - 4));
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let [first, last] = [first, last].map(|&bytes| u64::from(u16::from_le_bytes(bytes)));
        return first | last << (8 * (text.len() - 2));
    }
    text.first().map_or(0, |&byte| u64::from(byte))
}

/// The hash of a text of at least 8 bytes.
fn long_key(text: &[u8], seed: u64) -> u64 {
    let (words, _) = text.as_chunks::<8>();
    let hash =
        words.iter().fold(seed ^ text.len() as u64, |hash, &word| fold(hash ^ u64::from_le_bytes(word)));
    let last = text.last_chunk::<8>().copied().unwrap_or_default();
    fold(hash.rotate_left(32) ^ u64::from_le_bytes(last)) | LONG
}

impl Interner {
    /// The handle of `text`, new or old. O(length).
    pub fn intern(&mut self, text: &str) -> Name {
        self.intern_bytes(text.as_bytes())
    }

    /// The same for the bytes of a text.
    pub fn intern_bytes(&mut self, text: &[u8]) -> Name {
        let key = key_of(text, self.seed);
        match self.find_key(key, text) {
            Some(name) => name,
            None => self.add(key, text),
        }
    }

    #[inline(always)]
    fn find_key(&self, key: u64, text: &[u8]) -> Option<Name> {
        let mask = self.slots.len() - 1;
        let mut slot = fold(key ^ self.seed) as usize;
        loop {
            slot &= mask;
            let row = self.slots[slot].checked_sub(1)?;
            if self.keys[row as usize] == key && (key & LONG == 0 || self.bytes_of(row as usize) == text) {
                return Some(Name::new(row as usize));
            }
            slot += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, key: u64, text: &[u8]) -> Name {
        let row = self.keys.len();
        match std::str::from_utf8(text) {
            Ok(text) => self.bytes.push_str(text),
            Err(_) => self.bytes.push_str(&String::from_utf8_lossy(text)),
        }
        self.ends.push(self.bytes.len() as u32);
        self.keys.push(key);
        if (row + 1) * 2 > self.slots.len() {
            self.slots = vec![0; self.slots.len() * 2];
            self.file_all();
        } else if !self.file(row) {
            self.reseed();
        }
        Name::new(row)
    }

    /// Puts a name into the table. False if that took a long probe.
    fn file(&mut self, row: usize) -> bool {
        let mask = self.slots.len() - 1;
        let first = fold(self.keys[row] ^ self.seed) as usize;
        let free = (0..self.slots.len()).find(|probe| self.slots[(first + probe) & mask] == 0).unwrap_or(0);
        self.slots[(first + free) & mask] = row as u32 + 1;
        free < LONGEST_PROBE
    }

    /// Fills an empty table, in order, so that later names are on no earlier one's way.
    fn file_all(&mut self) {
        for row in 0..self.keys.len() {
            if !self.file(row) {
                return self.reseed();
            }
        }
    }

    /// Rehashes everything with a random seed.
    #[cold]
    fn reseed(&mut self) {
        let drawn = std::hash::RandomState::new().hash_one(self.seed);
        self.seed = drawn;
        self.slots.fill(0);
        for row in 0..self.keys.len() {
            self.keys[row] = key_of(self.bytes_of(row), drawn);
            self.file(row);
        }
    }

    /// The handle of `text` if it was interned before.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.find_key(key_of(text.as_bytes(), self.seed), text.as_bytes())
    }

    fn start_of(&self, row: usize) -> usize {
        if row == 0 { 0 } else { self.ends[row - 1] as usize }
    }

    fn bytes_of(&self, row: usize) -> &[u8] {
        &self.bytes.as_bytes()[self.start_of(row)..self.ends[row] as usize]
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        &self.bytes[self.start_of(name.index())..self.ends[name.index()] as usize]
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl std::fmt::Debug for Interner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} names", self.ends.len())
    }
}

/// A hash map from small keys (handles, packed pairs) with a fixed, mixed hash: same order of growth
/// everywhere, never iterated into output. Keys are multiplied through before fxhash sees them, because
/// fxhash alone keeps the low bits of shifted keys equal (up to 90x slower there).
pub type DenseMap<K, V> = hashbrown::HashMap<K, V, MixedState>;

/// The hasher state of `DenseMap`.
#[derive(Copy, Clone, Debug, Default)]
pub struct MixedState;

/// fxhash followed by a finaliser that spreads the high bits down.
#[derive(Default)]
pub struct MixedHasher(fxhash::FxHasher);

impl BuildHasher for MixedState {
    type Hasher = MixedHasher;
    fn build_hasher(&self) -> MixedHasher {
        MixedHasher::default()
    }
}

/// A full-avalanche 64-bit mix (the finaliser of MurmurHash3).
fn mix(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

impl std::hash::Hasher for MixedHasher {
    fn finish(&self) -> u64 {
        self.0.finish()
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }
    fn write_u8(&mut self, x: u8) {
        self.write_u64(u64::from(x));
    }
    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }
    fn write_u64(&mut self, x: u64) {
        self.0.write_u64(mix(x));
    }
    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_names() {
        let mut names = Interner::default();
        let (a, b) = (names.intern("a"), names.intern("bc"));
        assert_ne!(a, b);
        for k in 0..1000 {
            names.intern(&format!("x{k}"));
        }
        assert_eq!((names.intern("bc"), names.find("a"), names.find("zz")), (b, Some(a), None));
        assert_eq!((names.text(a), names.text(b), names.len()), ("a", "bc", 1002));
    }

    /// Texts around the lengths at which keys change, with bytes that keys use themselves.
    fn hard_texts() -> Vec<String> {
        let mut texts: Vec<String> = (0..40).map(|len| "x".repeat(len)).collect();
        for len in 0..12 {
            texts.extend(["\0", "\u{7}", "\u{8}", "\u{7f}", "é"].map(|end| "\0".repeat(len) + end));
        }
        texts
    }

    #[test]
    fn texts_that_could_be_taken_for_others_are_not() {
        let mut names = Interner::default();
        let texts = hard_texts();
        let first: Vec<Name> = texts.iter().map(|text| names.intern(text)).collect();
        assert_eq!(names.len(), texts.len());
        for (text, &name) in texts.iter().zip(&first) {
            assert_eq!((names.text(name), names.find(text)), (text.as_str(), Some(name)));
        }
    }

    #[test]
    fn names_that_were_chosen_to_collide_do_not_for_long() {
        // Short names that all want the first of 2^13 slots under the fixed seed.
        let chosen = (0u64..).filter_map(|k| {
            let text = format!("{k:08}");
            let key = key_of(text.as_bytes(), FIXED_SEED);
            (fold(key ^ FIXED_SEED) & 0x1fff == 0).then_some(text)
        });
        let mut names = Interner::default();
        let texts: Vec<String> = chosen.take(LONGEST_PROBE + 2).collect();
        let numbers: Vec<Name> = texts.iter().map(|text| names.intern(text)).collect();
        assert_ne!(names.seed, FIXED_SEED);
        let long = names.intern("a name of more than eight bytes");
        for (text, number) in texts.iter().zip(numbers) {
            assert_eq!((names.find(text), names.text(number)), (Some(number), text.as_str()));
        }
        names.reseed();
        assert_eq!(names.find("a name of more than eight bytes"), Some(long));
    }
}
