//! The bits of rows: what an opcode's format means, as a table that is read without a branch.
//!
//! A word is the opcode's fixed bits, a field for each operand, and the immediate. An opcode's `Shape` says
//! which field each operand's number goes into, as a row of a table of 32 words a field; and which bits of
//! the immediate go where, as at most two factors. All operands have a place, those that a row lacks that of
//! zeros; so what is done is the same for every row, and nothing is there to be mispredicted. Opcodes follow
//! one another without a pattern: a jump by format was mispredicted for two rows of three, at 16 cycles each.
//!
//! Immediates that are no such parts, distances among them, come from the encoding's `Rows::more`. A target
//! writes the shapes of its formats once, as a function that makes the table at compile time; assemblers are
//! the tests' other view of them.

use crate::mir::{OpRow, Operand, SymKind};

/// Words by `place | number of the register`; place 0 has zeros.
pub type Fields = [u32; 256];

/// How an opcode is encoded.
#[derive(Copy, Clone, Debug)]
pub struct Shape {
    /// The fixed bits.
    pub encoding: u32,
    /// Per operand, its row in the target's `Fields`, times 32.
    pub places: [u8; 4],
    /// Two parts of the immediate: the bits that are taken, and what they are multiplied with. 8 bits are
    /// dropped after that, so that they may be moved down too.
    pub parts: [(u32, u32); 2],
    /// An immediate with any of these bits is left to `Rows::more`.
    pub odd: u32,
    /// Of a row of two words: the fixed bits of the first.
    pub first: u32,
    /// Of a named row: ELF's number of the relocation.
    pub relocation: u32,
    /// `STRAIGHT`, `NAMED` or `OTHER`.
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

/// Which operand has to be the result for a shorter form, which then names the other one only. Numbers, to
/// compute with.
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
/// Pseudo rows, blocks, immediates that are not in parts.
pub const OTHER: u8 = 2;

/// Bits that are dropped from the products with parts of the immediate.
const DROPPED: u32 = 8;

impl Shape {
    /// No bits: a pseudo row.
    pub const NONE: Shape = Shape {
        encoding: 0,
        places: [0; 4],
        parts: [(0, 0); 2],
        odd: 0,
        first: 0,
        relocation: 0,
        kind: OTHER,
        class: 0,
        forms: 0,
        ties: Ties { needed: 0, second: 0 },
        addend: 0,
        is_call: false,
    };

    /// A row with its operands in these places and no immediate. Places of operands that it lacks do not
    /// count.
    pub const fn of(row: &OpRow, mut places: [u8; 4]) -> Shape {
        let kind = match row.sym {
            _ if row.text.is_empty() => OTHER,
            SymKind::None => STRAIGHT,
            SymKind::Func | SymKind::Global => NAMED,
            _ => OTHER,
        };
        let mut k = operand_count(row);
        while k < 4 {
            places[k] = 0;
            k += 1;
        }
        let is_call = matches!(row.sym, SymKind::Func);
        Shape { encoding: row.encoding, places, kind, is_call, ..Shape::NONE }
    }

    /// With `bits` bits of the immediate from bit `from` on moved to bit `to`.
    pub const fn part(mut self, from: u32, bits: u32, to: u32) -> Shape {
        let k = if self.parts[0].0 == 0 { 0 } else { 1 };
        self.parts[k] = (((1 << bits) - 1) << from, 1 << (to + DROPPED - from));
        self
    }

    /// With more fixed bits.
    pub const fn fixed(mut self, bits: u32) -> Shape {
        self.encoding |= bits;
        self
    }

    /// With an immediate of which those without these bits are in parts, and others up to `Rows::more`.
    pub const fn odd(mut self, bits: u32) -> Shape {
        self.odd = bits;
        self
    }

    /// With an immediate that is always up to `Rows::more`.
    pub const fn other(mut self) -> Shape {
        self.kind = OTHER;
        self
    }

    /// With a relocation, for rows that name something.
    pub const fn relocated(mut self, relocation: u32, addend: i8) -> Shape {
        (self.relocation, self.addend) = (relocation, addend);
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
        count += text[k].is_ascii_alphabetic() as usize;
        k += 1;
    }
    count
}

/// A table of fields: row `k`, from 1 on, has the register's number moved to the bits that `ats[k - 1]`
/// names. A pair of bits is for a number that is split: the high four bits go to the first, the lowest to the
/// second.
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

/// A static table `SHAPES` of the shapes of a table of rows.
macro_rules! shapes {
    ($rows:expr, $shape:ident) => {
        /// By opcode.
        pub static SHAPES: [$crate::isa::shape::Shape; $rows.len()] = {
            let mut shapes = [$crate::isa::shape::Shape::NONE; $rows.len()];
            let mut k = 0;
            while k < shapes.len() {
                shapes[k] = $shape(&$rows[k]);
                k += 1;
            }
            shapes
        };
    };
}
pub(crate) use shapes;
