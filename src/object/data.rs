//! Initialised memory of a program: what is in it, which section it belongs to, how it is aligned.

use super::code::Target;
use super::module::Binding;
use std::collections::BTreeMap;

/// A datum.
#[derive(Clone, Debug)]
pub struct Datum<'a> {
    /// The assembler's name.
    pub name: &'a str,
    /// Its visibility.
    pub binding: Binding,
    /// What other programs and libraries may do with it (`STV_*`).
    pub visibility: u8,
    /// False if it is in another object.
    pub is_defined: bool,
    /// Never written.
    pub constant: bool,
    /// Bytes of the whole.
    pub bytes: u64,
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// Bytes of one scalar: 1, 2 or 4.
    pub scalar: u32,
    /// The scalars that are not zero: position of the first, and the words, in ascending order.
    pub runs: Vec<(u32, &'a [u32])>,
    /// Addresses among them, in ascending order.
    pub addresses: Vec<Address>,
    /// The number of the function whose address this is: no memory, but another number for that.
    pub func: Option<u32>,
    /// The section that it is to lie in, if not where its kind of data does.
    pub section: Option<&'a str>,
    /// Each thread has its own.
    pub thread: bool,
    /// Zeros that the linker makes room for, in no section.
    pub common: bool,
}

impl Datum<'_> {
    /// It lies in a section of its own object.
    pub fn is_placed(&self) -> bool {
        self.is_defined && !self.common
    }
}

/// An address in a datum, as wide as a pointer; or how far it is from the datum's start, in four bytes or eight.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The byte that it starts at.
    pub at: u64,
    /// What it leads to.
    pub to: Target,
    /// How far behind the start of that.
    pub offset: i64,
    /// It is counted from the datum's start, in so many bytes.
    pub from_start: Option<u8>,
}

/// Where a datum goes, if it does not say.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataSection {
    /// Constants.
    Rodata,
    /// Constants that have addresses in them, which may be known only when a program starts.
    Relocated,
    /// Initialised variables.
    Data,
    /// Variables that start as zeros.
    Bss,
    /// What each thread has a copy of.
    ThreadData,
    /// The same, zeros.
    ThreadZeros,
}

impl DataSection {
    /// All sections, in the order they are printed.
    pub const ALL: [DataSection; 6] = {
        use DataSection::{Bss, Data, Relocated, Rodata, ThreadData, ThreadZeros};
        [Rodata, Relocated, Data, Bss, ThreadData, ThreadZeros]
    };

    /// True for zeros that take no room in a file.
    pub fn is_zeros(self) -> bool {
        matches!(self, DataSection::Bss | DataSection::ThreadZeros)
    }

    /// True for what each thread has a copy of.
    pub fn is_thread(self) -> bool {
        matches!(self, DataSection::ThreadData | DataSection::ThreadZeros)
    }
}

/// The sections that data ask for, in the order in which they do, with the data of each. O(data log sections).
pub fn named<'a>(data: &[Datum<'a>]) -> Vec<(&'a str, Vec<usize>)> {
    let (mut sections, mut known) = (Vec::new(), BTreeMap::new());
    for (k, datum) in data.iter().enumerate().filter(|(_, datum)| datum.is_defined) {
        let Some(name) = datum.section else { continue };
        let at = *known.entry(name).or_insert(sections.len());
        if at == sections.len() {
            sections.push((name, Vec::new()));
        }
        sections[at].1.push(k);
    }
    sections
}

/// True if a section of these data may be written to, if only by what puts addresses into it.
pub fn is_written(data: &[Datum], members: &[usize]) -> bool {
    members.iter().any(|&k| !data[k].constant || has_addresses(&data[k]))
}

/// True if something has to be put in when the program is where it runs.
fn has_addresses(datum: &Datum) -> bool {
    datum.addresses.iter().any(|row| row.from_start.is_none())
}

/// The section of a datum that does not name one.
pub fn section(datum: &Datum) -> DataSection {
    if datum.thread {
        let is_zero = datum.addresses.is_empty()
            && datum.runs.iter().all(|(_, words)| words.iter().all(|&word| word == 0));
        if is_zero { DataSection::ThreadZeros } else { DataSection::ThreadData }
    } else if datum.constant {
        if has_addresses(datum) { DataSection::Relocated } else { DataSection::Rodata }
    } else if datum.addresses.is_empty()
        && datum.runs.iter().all(|(_, words)| words.iter().all(|&word| word == 0))
    {
        DataSection::Bss
    } else {
        DataSection::Data
    }
}

/// The bytes of a datum's image, zeros at its end left out. O(bytes).
pub fn append_image(out: &mut Vec<u8>, datum: &Datum) {
    let start = out.len();
    for &(first, words) in &datum.runs {
        out.resize(start + (u64::from(first) * u64::from(datum.scalar)) as usize, 0);
        match datum.scalar {
            1 => out.extend(words.iter().map(|&word| word as u8)),
            2 => words.iter().for_each(|&word| out.extend_from_slice(&(word as u16).to_le_bytes())),
            _ => words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes())),
        }
    }
}
