//! The straight path of the encoders: the bits of most rows by table, without a branch.
//!
//! A word is the opcode's fixed bits, a field for each operand, and at most two parts of the immediate. An opcode's `Shape` says
//! which field each operand's number goes into, as a row of a table of 32 words a field; and which bits of the immediate
//! go where, as factors. All operands have a place, those that a row lacks that of zeros; so what is done is the same for
//! every row, and nothing is there to be mispredicted: rows follow one another without a pattern, and a jump by format, then
//! by what is compressed, was mispredicted for two rows of three, at 16 cycles each.
//!
//! What does not fit (`GENERAL`, or an immediate with odd bits) goes through the target's general encoder. Tests hold both
//! against each other for every row.

use crate::mir::{OpRow, Operand, SymKind};

/// Words by `place | number of the register`; place 0 has zeros.
pub type Fields = [u32; 256];

/// How the straight path encodes an opcode.
#[derive(Copy, Clone, Debug)]
pub struct Shape {
    /// The fixed bits.
    pub encoding: u32,
    /// Per operand, its row in the target's `Fields`, times 32.
    pub places: [u8; 4],
    /// Two parts of the immediate: the bits that are taken, and what they are multiplied with. 8 bits are dropped after that, so that
    /// they may be moved down too.
    pub parts: [(u32, u32); 2],
    /// An immediate with any of these bits needs the general encoder.
    pub odd: u32,
    /// Of a row of two words: the fixed bits of the first.
    pub first: u32,
    /// Of a named row: ELF's number of the relocation.
    pub relocation: u32,
    /// `STRAIGHT`, `NAMED` or `GENERAL`.
    pub kind: u8,
    /// The target's own: how it may be compressed.
    pub class: u16,
    /// See `class`.
    pub forms: u8,
    /// See `class`.
    pub ties: Ties,
    /// Of a named row: added to its relocation's addend.
    pub addend: i8,
    /// Of a named row: true if that is a function.
    pub is_call: bool,
}

/// Which operand has to be the result for a shorter form, which then names the other one only. Numbers, to be reckoned with.
#[derive(Copy, Clone, Debug)]
pub struct Ties {
    /// 1 if one has to be, else 0.
    pub needed: u8,
    /// 1 if the second may be as well as the first.
    pub second: u8,
}

/// One word, by table.
pub const STRAIGHT: u8 = 0;
/// One word or two, by table, and a relocation.
pub const NAMED: u8 = 1;
/// Whatever the straight path does not know: pseudo rows, blocks, rare formats.
pub const GENERAL: u8 = 2;

/// Bits that are dropped from the products with parts of the immediate.
const DROPPED: u32 = 8;

impl Shape {
    /// A row that the straight path does not know.
    pub const UNKNOWN: Shape = Shape {
        encoding: 0,
        places: [0; 4],
        parts: [(0, 0); 2],
        odd: 0,
        first: 0,
        relocation: 0,
        kind: GENERAL,
        class: 0,
        forms: 0,
        ties: Ties { needed: 0, second: 0 },
        addend: 0,
        is_call: false,
    };

    /// A row with its operands in these places and no immediate. Places of operands that it lacks do not count.
    pub const fn of(row: &OpRow, mut places: [u8; 4]) -> Shape {
        let kind = match row.sym {
            SymKind::None => STRAIGHT,
            SymKind::Func | SymKind::Global => NAMED,
            _ => GENERAL,
        };
        let mut k = operand_count(row);
        while k < 4 {
            places[k] = 0;
            k += 1;
        }
        let is_call = matches!(row.sym, SymKind::Func);
        Shape { encoding: row.encoding, places, kind, is_call, ..Shape::UNKNOWN }
    }

    /// With `bits` bits of the immediate from bit `from` on moved to bit `to`.
    pub const fn part(mut self, from: u32, bits: u32, to: u32) -> Shape {
        let k = if self.parts[0].0 == 0 { 0 } else { 1 };
        self.parts[k] = (((1 << bits) - 1) << from, 1 << (to + DROPPED - from));
        self
    }

    /// The word of a row.
    #[inline(always)]
    pub fn word(&self, fields: &Fields, operands: &[Operand; 4], imm: u32) -> u32 {
        self.short_word(fields, operands, imm) | fields[usize::from(self.places[3] | operands[3].low())]
    }

    /// As above, for targets whose rows have no fourth operand.
    #[inline(always)]
    pub fn short_word(&self, fields: &Fields, operands: &[Operand; 4], imm: u32) -> u32 {
        let field = |k: usize| fields[usize::from(self.places[k] | operands[k].low())];
        let part = |k: usize| u64::from(imm & self.parts[k].0) * u64::from(self.parts[k].1);
        let imm = (part(0) + part(1)) >> DROPPED;
        self.encoding | field(0) | field(1) | field(2) | imm as u32
    }
}

/// How many operands a row has. (Lists that vary have none that is encoded.)
const fn operand_count(row: &OpRow) -> usize {
    let text = row.operands.as_bytes();
    let (mut k, mut count) = (0, 0);
    while k < text.len() {
        count += (text[k] == b'i' || text[k] == b'f') as usize;
        k += 1;
    }
    count
}

/// A table of fields: row `k`, from 1 on, has the register's number moved to the bits that `ats[k - 1]` names. A pair of
/// bits is for a number that is split: the high four bits go to the first, the lowest to the second.
pub const fn fields(ats: &[At]) -> Fields {
    let mut fields = [0; 256];
    let mut k = 0;
    while k < ats.len() {
        let mut n = 0;
        while n < 32 {
            fields[(k + 1) << 5 | n as usize] = match ats[k] {
                At::Bit(at) => n << at,
                At::Both(one, other) => n << one | n << other,
                At::Split(high, low) => n >> 1 << high | (n & 1) << low,
            };
            n += 1;
        }
        k += 1;
    }
    fields
}

/// Where a register's number goes.
#[derive(Copy, Clone, Debug)]
pub enum At {
    /// From this bit on.
    Bit(u32),
    /// To two places.
    Both(u32, u32),
    /// All but the lowest bit, and the lowest bit.
    Split(u32, u32),
}

/// The place of the field number `k` of `fields`, counted from 1.
pub const fn place(k: u8) -> u8 {
    k << 5
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::isa::edges::Random;
    use crate::mir::PReg;

    /// Holds the straight path against a general encoder, which says the word and for which immediate, on random operands and immediates.
    pub(crate) fn compare(
        rows: &[OpRow],
        shapes: &[Shape],
        fields: &Fields,
        general: impl Fn(&OpRow, &[Operand], i32) -> (u32, i32),
    ) {
        let mut random = Random(1);
        let (mut straight, mut odd) = (0, 0);
        for (row, shape) in rows.iter().zip(shapes).filter(|(_, shape)| shape.kind != GENERAL) {
            for try_ in 0..2000 {
                let operands = [0; 4].map(|_| Operand::phys(PReg::int((random.next() & 31) as u8)));
                let imm = [0, 255, 0xffff, 63][try_ % 4] & random.next() as i32;
                let count = operand_count(row);
                let (word, imm) = general(row, &operands[..count], imm);
                if imm as u32 & shape.odd != 0 {
                    odd += 1;
                    continue;
                }
                assert_eq!(
                    shape.word(fields, &operands, imm as u32),
                    word,
                    "{} {operands:?} {imm}",
                    row.name
                );
                straight += 1;
            }
        }
        assert!(straight > 10 * odd.max(10_000), "{straight} {odd}");
    }
}
