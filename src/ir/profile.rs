//! Files of counts (`.sysyprof`): what the interpreter and instrumented programs write, and `-fprofile-use` reads.
//!
//! A file is records, one a function, in any order, of little-endian words of 32 bits:
//!
//! ```text
//!   magic | bytes of the name | shape, low, high | counters n | checks | n x (low, high) | the name, padded with zeros to two words
//! ```
//!
//! `shape` is that of the graph that is counted, as it was lowered, and counters are numbered by that (`ir/counters`);
//! `checks` says what was checked on the way, which adds branches. Words of zero between records are
//! passed over, for linkers may align. Records of the same function and shape add up, so that files may be
//! appended to each other. O(bytes).

/// What a record begins with.
pub const MAGIC: u32 = u32::from_le_bytes(*b"sysQ");

/// Words in front of the counts: an even number, since counters have 64 bits.
pub const HEAD: usize = 6;

/// The counts of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// The hash of its graph.
    pub shape: u64,
    /// What was checked (`lower::Checks`), as a number.
    pub checks: u32,
    /// Per counter.
    pub counts: Vec<u64>,
}

impl Record {
    /// The words of it.
    pub fn words(&self) -> Vec<u32> {
        let halves = |x: u64| [x as u32, (x >> 32) as u32];
        let [low, high] = halves(self.shape);
        let mut words = vec![MAGIC, self.name.len() as u32, low, high, self.counts.len() as u32, self.checks];
        words.extend(self.counts.iter().flat_map(|&count| halves(count)));
        words.extend(self.name.as_bytes().chunks(4).map(|part| {
            let mut word = [0; 4];
            word.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
            u32::from_le_bytes(word)
        }));
        words.resize(words.len().next_multiple_of(2), 0);
        words
    }
}

/// The file of some records.
pub fn write(records: &[Record]) -> Vec<u8> {
    records.iter().flat_map(|record| record.words()).flat_map(u32::to_le_bytes).collect()
}

/// All that is known of how often functions were executed.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// By name and shape, each pair once.
    records: Vec<Record>,
    /// Calls of the function that was called most often.
    most: u64,
}

impl Counts {
    /// Adds a file. The error says what is wrong with it.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        // Records, and what linkers put between them, are of whole words of 64 bits.
        if !bytes.len().is_multiple_of(8) && bytes.starts_with(&MAGIC.to_le_bytes()) {
            return Err("it ends in the middle");
        }
        let words: Vec<u32> =
            bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        let (mut rest, mut found) = (words.as_slice(), false);
        while let Some((&first, behind)) = rest.split_first() {
            if first == 0 {
                rest = behind;
                continue;
            }
            if first != MAGIC {
                let is_ours = first << 8 == MAGIC << 8;
                return Err(match (found, is_ours) {
                    (true, _) => "it is damaged",
                    (false, true) => "another version of sysyc made it",
                    (false, false) => "it is no profile",
                });
            }
            let Some((&[_, length, low, high, count, checks], behind)) = rest.split_first_chunk::<HEAD>()
            else {
                return Err("it ends in the middle");
            };
            let (counts, text) = (count as usize * 2, (length as usize).div_ceil(4));
            if behind.len() < counts.saturating_add(text) {
                return Err("it ends in the middle");
            }
            let (counts, behind) = behind.split_at(counts);
            let (text, behind) = behind.split_at(text);
            let whole = |[low, high]: [u32; 2]| u64::from(high) << 32 | u64::from(low);
            let mut name: Vec<u8> = text.iter().flat_map(|word| word.to_le_bytes()).collect();
            name.truncate(length as usize);
            let name = String::from_utf8(name).map_err(|_| "it is damaged")?;
            let counts = counts.as_chunks::<2>().0.iter().map(|&pair| whole(pair)).collect();
            self.records.push(Record { name, shape: whole([low, high]), checks, counts });
            (rest, found) = (behind, true);
        }
        if !found {
            return Err("it is no profile");
        }
        self.records.sort_by(|a, b| (&a.name, a.shape).cmp(&(&b.name, b.shape)));
        self.records.dedup_by(|next, first| {
            let is_same = next.name == first.name && next.shape == first.shape;
            if is_same {
                first.counts.iter_mut().zip(&next.counts).for_each(|(a, b)| *a = a.saturating_add(*b));
            }
            is_same
        });
        self.most = self.records.iter().filter_map(|row| row.counts.first()).copied().max().unwrap_or(0);
        Ok(())
    }

    /// What is known of a function, whatever its graph was.
    pub fn of(&self, name: &str) -> &[Record] {
        let start = self.records.partition_point(|row| row.name.as_str() < name);
        let behind = self.records.get(start..).unwrap_or_default();
        &behind[..behind.partition_point(|row| row.name == name)]
    }

    /// Calls of the function that was called most often.
    pub fn most_calls(&self) -> u64 {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, shape: u64, counts: &[u64]) -> Record {
        Record { name: name.to_string(), shape, checks: 0, counts: counts.to_vec() }
    }

    #[test]
    fn files_are_read_as_they_are_written_and_add_up() {
        let rows = [record("main", 7 << 40, &[1, 5 << 33]), record("f", 3, &[]), record("main", 8, &[2])];
        let mut file = write(&rows);
        file.extend([0; 8]);
        file.extend(write(&rows[..1]));
        let mut counts = Counts::default();
        counts.add(&file).unwrap();
        assert_eq!(counts.of("main"), [record("main", 8, &[2]), record("main", 7 << 40, &[2, 10 << 33])]);
        assert_eq!((counts.of("f"), counts.of("g"), counts.most_calls()), (&rows[1..2], &[][..], 2));
        for (bytes, what) in [
            (&b""[..], "no profile"),
            (b"int main() {", "no profile"),
            (&b"sysP\x04\0\0\0"[..], "another version"),
            (&file[..20], "in the middle"),
            (&file[..30], "in the middle"),
            (&file[..file.len() - 4], "in the middle"),
        ] {
            let error = Counts::default().add(bytes).unwrap_err();
            assert!(error.contains(what), "{error}");
        }
    }
}
