//! Strings to dense handles and back.
//!
//! Names hash with foldhash: fxhash was measured 16x slower on ordinary identifiers (its low bits collide).
//! The table holds handles only; the bytes stand once, end to end.

use super::Handle;
use hashbrown::HashTable;
use std::hash::BuildHasher;

crate::handle! {
    /// An interned string.
    pub struct Name("n");
}

/// The set of all names seen so far. Handles are dense and in order of first appearance, so they are
/// deterministic wherever interning happens in a deterministic order.
#[derive(Clone)]
pub struct Interner {
    table: HashTable<u32>,
    /// All texts, end to end.
    bytes: String,
    /// Per name: where its text ends in `bytes`; it starts where its predecessor ends.
    ends: Vec<u32>,
    state: foldhash::fast::FixedState,
}

impl Default for Interner {
    fn default() -> Self {
        Interner {
            table: HashTable::new(),
            bytes: String::new(),
            ends: Vec::new(),
            state: foldhash::fast::FixedState::default(),
        }
    }
}

fn text_at<'a>(bytes: &'a str, ends: &[u32], index: usize) -> &'a str {
    let start = if index == 0 { 0 } else { ends[index - 1] as usize };
    &bytes[start..ends[index] as usize]
}

impl Interner {
    /// The handle of `text`, new or old. O(length).
    pub fn intern(&mut self, text: &str) -> Name {
        let hash = self.state.hash_one(text.as_bytes());
        let Interner { table, bytes, ends, state } = self;
        let entry = table.entry(
            hash,
            |&row| text_at(bytes, ends, row as usize) == text,
            |&row| state.hash_one(text_at(bytes, ends, row as usize).as_bytes()),
        );
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => Name::new(*found.get() as usize),
            hashbrown::hash_table::Entry::Vacant(slot) => {
                let row = ends.len();
                slot.insert(row as u32);
                bytes.push_str(text);
                ends.push(bytes.len() as u32);
                Name::new(row)
            }
        }
    }

    /// The handle of `text` if it was interned before.
    pub fn find(&self, text: &str) -> Option<Name> {
        let hash = self.state.hash_one(text.as_bytes());
        let row = self.table.find(hash, |&row| text_at(&self.bytes, &self.ends, row as usize) == text)?;
        Some(Name::new(*row as usize))
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        text_at(&self.bytes, &self.ends, name.index())
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

/// A hash map from small keys (handles, packed pairs) with a fixed, mixed hash: same order of growth everywhere,
/// never iterated into output. Keys are multiplied through before fxhash sees them, because fxhash alone keeps
/// the low bits of shifted keys equal (up to 90x slower there).
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
}
