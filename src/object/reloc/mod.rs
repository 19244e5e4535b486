//! What relocations mean: a row for each machine and number, with its name, what is computed, relative to
//! what, and the function that puts the value into the bytes and says whether it fits.
//!
//! The kinds of all three machines are products of few parts, so that the linker asks rows and never numbers.
//! In the words of the ABI documents, S is the symbol's address, A the addend, P the place, G the address of
//! the symbol's entry in the table of addresses (GOT). Sources: the psABI of RISC-V, and ELF for the Arm
//! architecture, 32 and 64 bits.
//!
//! A row is found through an index by number that is made once per link: O(1).

pub mod aarch64;
pub mod arm;
pub mod riscv;

use super::machine::Machine;

/// What is computed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Nothing: a mark, or a hint to linkers that relax.
    Nothing,
    /// S + A.
    Symbol,
    /// G + A.
    Got,
    /// As `Got`, of an entry that holds the offset from the thread pointer.
    GotTp,
    /// As `Got`, of two entries: module 1, and the offset in the module's block of thread-local memory.
    GotGd,
    /// As `GotGd`, of the start of the block: one for the whole program.
    GotLd,
    /// S + A from the thread pointer.
    Tp,
    /// S + A from the start of the module's block.
    Dtp,
    /// The low part of what the relocation at the address S computes; the place of that counts (RISC-V).
    Low,
    /// The start of the GOT, plus A.
    GotStart,
}

/// What is taken away from it, or what happens to it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing.
    Plain,
    /// P.
    FromPlace,
    /// The distance between the pages of 4 KiB of both.
    Pages,
    /// The start of the GOT.
    FromGot,
    /// The page of the start of the GOT.
    FromGotPage,
}

/// A call or jump that may go through a veneer, an intermediate jump of the linker's.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// How far it goes, in bytes.
    pub reach: i64,
    /// It stands in Thumb code.
    pub is_thumb: bool,
    /// It goes to code of any state.
    pub switches: bool,
}

/// Puts a value into the bytes of the place; false if it does not fit, and then the bytes may be anything.
pub type Put = fn(&mut [u8], i64) -> bool;
/// Takes the addend out of the bytes of the place.
pub type Get = fn(&[u8]) -> i64;

/// A kind of relocation.
#[derive(Copy, Clone, Debug)]
pub struct Row {
    /// ELF's number, or one of `machine`'s.
    pub number: u32,
    /// ELF's name.
    pub name: &'static str,
    /// What is computed.
    pub what: What,
    /// Relative to what.
    pub how: How,
    /// Bytes of the place.
    pub size: u8,
    /// If it is a call: how it goes.
    pub call: Option<Call>,
    /// Puts the value in.
    pub put: Put,
    /// Takes the addend out, for files that have it in place.
    pub get: Get,
}

/// Names the rows, and gives each name ELF's number.
macro_rules! relocations {
    ($($(#[$meta:meta])* $name:ident = $row:expr;)*) => {
        $(
            #[allow(missing_docs)]
            $(#[$meta])*
            pub const $name: u32 = $row.number;
        )*
        /// By ascending number.
        pub static ROWS: &[Row] = &[$(Row { name: stringify!($name), ..$row }),*];
    };
}
use relocations;

const fn row(number: u32, what: What, how: How, size: u8, put: Put) -> Row {
    Row { number, name: "", what, how, size, call: None, put, get: no_addend }
}

impl Row {
    const fn call(mut self, reach: i64, is_thumb: bool, switches: bool) -> Row {
        self.call = Some(Call { reach, is_thumb, switches });
        self
    }

    const fn get(mut self, get: Get) -> Row {
        self.get = get;
        self
    }
}

/// The kind of a number, of one machine. O(log kinds); the linker asks `Rows`.
pub fn row_of(machine: &Machine, number: u32) -> Option<&'static Row> {
    let rows = machine.relocations;
    rows.binary_search_by_key(&number, |row| row.number).ok().and_then(|k| rows.get(k))
}

/// The kinds of one machine, by number.
#[derive(Debug)]
pub struct Rows {
    rows: &'static [Row],
    /// Per number below 2,048 (ours, from 1 << 16 on, behind those): the row, or 255.
    index: Vec<u8>,
}

const OURS: u32 = 1 << 16;
const MOST: u32 = 2048;

fn key(number: u32) -> usize {
    if number >= OURS { number.saturating_sub(OURS - MOST) as usize } else { number.min(MOST - 1) as usize }
}

impl Rows {
    /// The kinds of a machine.
    pub fn new(machine: &Machine) -> Rows {
        let rows = machine.relocations;
        let mut index = vec![u8::MAX; MOST as usize + 5];
        for (k, row) in rows.iter().enumerate() {
            index[key(row.number)] = k as u8;
        }
        Rows { rows, index }
    }

    /// The row of a number.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&'static Row> {
        let k = *self.index.get(key(number))?;
        self.rows.get(usize::from(k)).filter(|row| row.number == number)
    }
}

fn no_addend(_: &[u8]) -> i64 {
    0
}

fn nothing(_: &mut [u8], _: i64) -> bool {
    true
}

/// True if the value is one of a signed number of so many bits.
const fn signed(value: i64, bits: u32) -> bool {
    value >= -(1 << (bits - 1)) && value < 1 << (bits - 1)
}

/// True if the value is one of a signed or an unsigned number of so many bits.
const fn either(value: i64, bits: u32) -> bool {
    value >= -(1 << (bits - 1)) && value < 1 << bits
}

/// The first `N` bytes as a number.
fn number<const N: usize>(bytes: &[u8]) -> u64 {
    let mut all = [0; 8];
    all[..N].copy_from_slice(&bytes[..N]);
    u64::from_le_bytes(all)
}

/// The first word.
fn word(bytes: &[u8]) -> u32 {
    number::<4>(bytes) as u32
}

/// Modulo 2^(8 N).
fn wrap<const N: usize>(bytes: &mut [u8], value: i64) -> bool {
    bytes[..N].copy_from_slice(&value.to_le_bytes()[..N]);
    true
}

/// Addresses and differences: of four bytes, both -1 and 0xffff_ffff fit.
fn data<const N: usize>(bytes: &mut [u8], value: i64) -> bool {
    wrap::<N>(bytes, value) && (N == 8 || either(value, 8 * N as u32))
}

/// What `data` and `wrap` have put, with sign.
fn get<const N: usize>(bytes: &[u8]) -> i64 {
    extend(number::<N>(bytes), 8 * N as u32)
}

/// The low `bits` of a number, with sign.
fn extend(number: u64, bits: u32) -> i64 {
    (number << (64 - bits)) as i64 >> (64 - bits)
}

/// Replaces the bits of the mask in the first `N` bytes.
fn patch<const N: usize>(bytes: &mut [u8], mask: u32, bits: u32) {
    let old = number::<N>(bytes) as u32;
    wrap::<N>(bytes, i64::from(old & !mask | bits & mask));
}

/// Bits of a value that stand together in an instruction: the first of them, how many they are, and where in
/// the instruction they begin.
type Field = (u32, u32, u32);

/// A value in its fields.
fn scattered(value: i64, fields: &[Field]) -> u32 {
    fields
        .iter()
        .fold(0, |bits, &(from, count, to)| bits | ((value >> from) as u32 & ((1 << count) - 1)) << to)
}

/// The value that fields hold.
fn gathered(word: u32, fields: &[Field]) -> u64 {
    let part = |&(from, count, to): &Field| u64::from(word >> to & ((1 << count) - 1)) << from;
    fields.iter().map(part).sum()
}

/// Puts a value into the fields of an instruction of `N` bytes.
fn put<const N: usize>(bytes: &mut [u8], value: i64, fields: &[Field]) {
    patch::<N>(bytes, scattered(-1, fields), scattered(value, fields));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::machine::MACHINES;

    #[test]
    fn every_row_is_found_by_its_number_and_no_other_is() {
        for machine in MACHINES {
            let rows = Rows::new(machine);
            for row in rows.rows {
                assert_eq!(rows.get(row.number).map(|found| found.name), Some(row.name), "{}", machine.name);
            }
            let known =
                (0..3000).chain(OURS..OURS + 100).filter(|&number| rows.get(number).is_some()).count();
            assert_eq!(known, rows.rows.len(), "{}", machine.name);
            assert!(rows.get(u32::MAX).is_none() && rows.rows.len() < 255);
        }
    }
}
