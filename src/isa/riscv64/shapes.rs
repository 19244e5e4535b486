//! The straight path of RISC-V's encoder: the tables of `isa::shape`, and the compressed form of a word, by table as well.
//!
//! Which compressed form a row may have depends on its opcode and on two registers: the result, and the one that is not the result.
//! `REGISTERS` has, by class of opcodes and these two, the bits that they give the half word, and which of the opcode's four
//! forms it is. A form says which immediates it has, and `SCATTER` where their bits go, or that they do not fit. So the half word and
//! whether it is right come without a branch: the opcodes of a program follow no pattern, and nor does it what fits.
//!
//! `compress` remains what is right: a test compares the two for every row, all registers and all immediates.

use super::registers::ADDRESS_SCRATCH;
use super::rows::format as f;
use super::rows::{COUNT, ROWS};
use crate::isa::shape::{At, Fields, Shape, Ties, fields, place};
use crate::mir::{OpRow, Operand};
use crate::object::machine::{RISCV_PAIR_I, RISCV_PAIR_S};

const AUIPC: u32 = 0x17;
const JALR: u32 = 0x67;
/// `R_RISCV_CALL_PLT`.
const R_CALL: u32 = 19;

/// Fields of operands.
pub static FIELDS: Fields =
    fields(&[At::Bit(7), At::Bit(15), At::Bit(20), At::Both(15, 20), At::Both(7, 15)]);
const RD: u8 = place(1);
const RS1: u8 = place(2);
const RS2: u8 = place(3);
const RS1_AND_RS2: u8 = place(4);
const RD_AND_RS1: u8 = place(5);

/// By opcode.
pub static SHAPES: [Shape; COUNT as usize] = {
    let mut shapes = [Shape::UNKNOWN; COUNT as usize];
    let mut k = 0;
    while k < shapes.len() {
        shapes[k] = shape(&ROWS[k]);
        k += 1;
    }
    shapes
};

const fn shape(row: &OpRow) -> Shape {
    let scratch = ADDRESS_SCRATCH.number() as u32;
    let shape = match row.format {
        f::R => Shape::of(row, [RD, RS1, RS2, 0]),
        f::I => Shape::of(row, [RD, RS1, 0, 0]).part(0, 12, 20),
        f::I_SHORT => Shape::of(row, [RD, 0, 0, 0]).part(0, 12, 20),
        f::SHIFT => Shape::of(row, [RD, RS1, 0, 0]).part(0, 6, 20),
        f::S => Shape::of(row, [RS2, RS1, 0, 0]).part(5, 7, 25).part(0, 5, 7),
        f::U => Shape::of(row, [RD, 0, 0, 0]).part(0, 20, 12),
        f::UNARY => Shape::of(row, [RD, RS1, 0, 0]),
        f::TWICE => Shape::of(row, [RD, RS1_AND_RS2, 0, 0]),
        f::ADDRESS | f::LOAD_SYMBOL => pair(row, RD_AND_RS1, RD, AUIPC, row.encoding, RISCV_PAIR_I),
        f::LOAD_FAR => pair(row, RD, 0, AUIPC | scratch << 7, row.encoding | scratch << 15, RISCV_PAIR_I),
        f::STORE_FAR => pair(row, RS2, 0, AUIPC | scratch << 7, row.encoding | scratch << 15, RISCV_PAIR_S),
        f::CALL => pair(row, 0, 0, AUIPC | 1 << 7, JALR | 1 << 7 | 1 << 15, R_CALL),
        _ => return Shape::UNKNOWN,
    };
    if row.text.is_empty() {
        return Shape::UNKNOWN;
    }
    let (class, forms, ties) = class_of(row);
    Shape { class: (class as u16) << 10, forms: forms << 2, ties, ..shape }
}

/// Two words, the second with operand 0 in `place`, the first with it in `first_place`.
const fn pair(row: &OpRow, place: u8, first_place: u8, first: u32, second: u32, relocation: u32) -> Shape {
    let shape = Shape::of(row, [place, 0, 0, 0]);
    Shape { encoding: second, first, relocation, places: [place, 0, 0, first_place], ..shape }
}

/// The words of a row that names something.
#[inline(always)]
pub fn named(shape: &Shape, operands: &[Operand; 4]) -> (u32, Option<u32>) {
    let field = |k: usize| FIELDS[usize::from(shape.places[k] | operands[0].low())];
    (shape.first | field(3), Some(shape.encoding | field(0)))
}

// ---- Compressed forms ---------------------------------------------------------------------------------------

/// Classes of opcodes by what their compressed forms ask of registers: rows of `REGISTERS`.
mod class {
    /// There is no compressed form.
    pub(super) const NONE: u8 = 0;
    /// rd and a base: both near, or the base the stack pointer, and then rd not zero.
    pub(super) const LOAD: u8 = 1;
    /// As above, and rd is any floating register.
    pub(super) const LOAD_FLOAT: u8 = 2;
    /// rs2 and a base: both near, or the base the stack pointer.
    pub(super) const STORE: u8 = 3;
    /// rd and rs1 of `addi`.
    pub(super) const ADD_IMMEDIATE: u8 = 4;
    /// rd and rs1 the same.
    pub(super) const OWN: u8 = 5;
    /// rd and rs1 the same and near.
    pub(super) const NEAR_OWN: u8 = 6;
    /// rd, which is one of two operands, and the other: both near.
    pub(super) const NEAR: u8 = 7;
    /// rd and another, or rd, which is one of two operands, and the other: neither zero.
    pub(super) const ANY: u8 = 8;
    /// rd, neither zero nor the stack pointer.
    pub(super) const UPPER: u8 = 9;
    /// rd, not zero.
    pub(super) const SHORT: u8 = 10;
    pub(super) const COUNT: usize = 11;
}

/// By class, the register that is not rd, and rd (or rs2 of a store): the bits of the half word, with the number of the form in the
/// lowest two.
static REGISTERS: [u16; class::COUNT << 10] = {
    let mut table = [NO_FORM; class::COUNT << 10];
    let mut k = 0;
    while k < table.len() {
        table[k] = registers((k >> 10) as u8, k as u16 >> 5 & 31, k as u16 & 31);
        k += 1;
    }
    table
};

/// The form that most opcodes do not have.
const NO_FORM: u16 = 3;

/// True for a register that three bits can name.
const fn near(reg: u16) -> bool {
    reg & 24 == 8
}

const fn registers(class: u8, other: u16, rd: u16) -> u16 {
    let both_near = near(rd) && near(other);
    match class {
        class::LOAD if other == 2 && rd != 0 => rd << 7 | 1,
        class::LOAD_FLOAT if other == 2 => rd << 7 | 1,
        class::STORE if other == 2 => rd << 2 | 1,
        class::LOAD | class::LOAD_FLOAT | class::STORE if both_near => (other & 7) << 7 | (rd & 7) << 2,
        // Nops, addresses of slots and steps of the stack pointer are for the general encoder.
        class::ADD_IMMEDIATE if rd == 0 || other == 2 => 2,
        class::ADD_IMMEDIATE if other == 0 => rd << 7 | 1,
        class::ADD_IMMEDIATE | class::OWN if other == rd && rd != 0 => rd << 7,
        class::NEAR_OWN if other == rd && near(rd) => (rd & 7) << 7,
        class::NEAR if both_near => (rd & 7) << 7 | (other & 7) << 2,
        class::ANY if rd != 0 && other != 0 => rd << 7 | other << 2,
        class::UPPER if rd != 0 && rd != 2 => rd << 7,
        class::SHORT if rd != 0 => rd << 7,
        _ => NO_FORM,
    }
}

/// A compressed form but for its registers.
#[derive(Copy, Clone)]
#[repr(align(16))]
struct Form {
    /// The fixed bits.
    bits: u16,
    /// Where its immediates are in `SCATTER`.
    scatter: u16,
    /// The lowest bit of the immediate that it has.
    from: u8,
    /// Added to an immediate before it is judged.
    bias: u8,
    /// Bits that must not be there then.
    outside: u32,
}

/// Immediates of six bits, by what is done with them: 64 rows each of `SCATTER`.
mod scatter {
    /// None is there, and that is right.
    pub(super) const NOTHING: u16 = 0;
    /// There is no such form.
    pub(super) const NEVER: u16 = 1;
    /// The general encoder knows.
    pub(super) const ASK: u16 = 2;
    /// The general encoder knows about zero; all others do not fit.
    pub(super) const ASK_ZERO: u16 = 3;
    /// Bit 5 in 12, 4 to 0 in 6 to 2.
    pub(super) const SIX: u16 = 4;
    /// As above, and zero does not fit.
    pub(super) const SIX_NOT_ZERO: u16 = 5;
    /// As above, and the general encoder knows about zero.
    pub(super) const SIX_ASK_ZERO: u16 = 6;
    /// From here on offsets of 4 and 8 bytes: of loads from the stack,
    pub(super) const LOAD_4: u16 = 7;
    pub(super) const LOAD_8: u16 = 8;
    /// of stores to the stack,
    pub(super) const STORE_4: u16 = 9;
    pub(super) const STORE_8: u16 = 10;
    /// by near registers.
    pub(super) const NEAR_4: u16 = 11;
    pub(super) const NEAR_8: u16 = 12;
    pub(super) const COUNT: usize = 13;
}

/// What the lowest two bits of an immediate in `SCATTER` say: that it fits, that the general encoder knows, that it does not fit.
const FITS: u16 = 0;
const ASK: u16 = 1;
const LONG: u16 = 3;

/// By kind and immediate: its bits in the half word, and in the lowest two what it is.
static SCATTER: [u16; scatter::COUNT << 6] = {
    let mut table = [LONG; scatter::COUNT << 6];
    let mut k = 0;
    while k < table.len() {
        table[k] = scattered((k >> 6) as u16, k as u16 & 63);
        k += 1;
    }
    table
};

/// Bits `high..=low` of `x`, moved to bit `to`.
const fn bits(x: u16, high: u16, low: u16, to: u16) -> u16 {
    (x >> low & ((2 << (high - low)) - 1)) << to
}

const fn scattered(kind: u16, x: u16) -> u16 {
    let six = bits(x, 5, 5, 12) | bits(x, 4, 0, 2);
    // `x` counts in 4 and 8 bytes.
    match kind {
        scatter::NOTHING => FITS,
        scatter::ASK => ASK,
        scatter::ASK_ZERO => {
            if x == 0 {
                ASK
            } else {
                LONG
            }
        }
        scatter::SIX => six,
        scatter::SIX_NOT_ZERO => {
            if x == 0 {
                LONG
            } else {
                six
            }
        }
        scatter::SIX_ASK_ZERO => {
            if x == 0 {
                ASK
            } else {
                six
            }
        }
        scatter::LOAD_4 => bits(x, 3, 3, 12) | bits(x, 2, 0, 4) | bits(x, 5, 4, 2),
        scatter::LOAD_8 => bits(x, 2, 2, 12) | bits(x, 1, 0, 5) | bits(x, 5, 3, 2),
        scatter::STORE_4 => bits(x, 3, 0, 9) | bits(x, 5, 4, 7),
        scatter::STORE_8 => bits(x, 2, 0, 10) | bits(x, 5, 3, 7),
        scatter::NEAR_4 => bits(x, 3, 1, 10) | bits(x, 0, 0, 6) | bits(x, 4, 4, 5),
        scatter::NEAR_8 => bits(x, 2, 0, 10) | bits(x, 4, 3, 5),
        _ => LONG,
    }
}

const fn form(bits: u16, kind: u16) -> Form {
    Form { bits, scatter: kind << 6, from: 0, bias: 0, outside: 0 }
}

/// With six bits of the immediate and their sign, of so many bits.
const fn six(bits: u16, kind: u16, of: u32) -> Form {
    Form { bias: 32, outside: (1 << of) - 64, ..form(bits, kind) }
}

/// With so many bits of an offset in units of 4 or 8 bytes.
const fn offset(bits: u16, kind: u16, from: u8, count: u32) -> Form {
    let inside = ((1 << count) - 1) << from;
    Form { from, outside: 0xfff & !inside, ..form(bits, kind) }
}

const NEVER: Form = form(0, scatter::NEVER);
const ASK_ALWAYS: Form = form(0, scatter::ASK);

/// By group of forms that an opcode has (`Shape::forms`), four each. Group 0 is of those that have none.
static FORMS: [Form; 128] = {
    const fn one(only: Form) -> [Form; 4] {
        [only, NEVER, NEVER, NEVER]
    }
    const fn access(near: Form, stack: Form) -> [Form; 4] {
        [near, stack, NEVER, NEVER]
    }
    let mut forms = [[NEVER; 4]; 32];
    forms[1] = access(offset(0x4000, scatter::NEAR_4, 2, 5), offset(0x4002, scatter::LOAD_4, 2, 6));
    forms[2] = access(offset(0x6000, scatter::NEAR_8, 3, 5), offset(0x6002, scatter::LOAD_8, 3, 6));
    forms[3] = access(offset(0x2000, scatter::NEAR_8, 3, 5), offset(0x2002, scatter::LOAD_8, 3, 6));
    forms[4] = access(offset(0xc000, scatter::NEAR_4, 2, 5), offset(0xc002, scatter::STORE_4, 2, 6));
    forms[5] = access(offset(0xe000, scatter::NEAR_8, 3, 5), offset(0xe002, scatter::STORE_8, 3, 6));
    forms[6] = access(offset(0xa000, scatter::NEAR_8, 3, 5), offset(0xa002, scatter::STORE_8, 3, 6));
    // `addi`: of a register's own, of zero, others, and copies of other registers.
    forms[7] = [
        six(0x0001, scatter::SIX_ASK_ZERO, 12),
        six(0x4001, scatter::SIX, 12),
        ASK_ALWAYS,
        Form { outside: 0xfc0, ..form(0, scatter::ASK_ZERO) },
    ];
    forms[8] = one(six(0x2001, scatter::SIX, 12));
    forms[9] = one(form(0x0002, scatter::SIX_NOT_ZERO));
    forms[10] = one(form(0x8001, scatter::SIX_NOT_ZERO));
    forms[11] = one(form(0x8401, scatter::SIX_NOT_ZERO));
    forms[12] = one(six(0x8801, scatter::SIX, 12));
    forms[13] = one(six(0x6001, scatter::SIX_NOT_ZERO, 20));
    forms[14] = one(form(0x9002, scatter::NOTHING));
    forms[15] = one(form(0x8002, scatter::NOTHING));
    forms[16] = one(form(0x8c01, scatter::NOTHING));
    forms[17] = one(form(0x8c21, scatter::NOTHING));
    forms[18] = one(form(0x8c41, scatter::NOTHING));
    forms[19] = one(form(0x8c61, scatter::NOTHING));
    forms[20] = one(form(0x9c01, scatter::NOTHING));
    forms[21] = one(form(0x9c21, scatter::NOTHING));
    forms[22] = one(six(0x4001, scatter::SIX, 12));
    let mut all = [NEVER; 128];
    let mut k = 0;
    while k < all.len() {
        all[k] = forms[k / 4][k % 4];
        k += 1;
    }
    all
};

/// The class, the forms and the ties of an opcode, which its fixed bits tell.
const fn class_of(row: &OpRow) -> (u8, u8, Ties) {
    const FREE: Ties = Ties { needed: 0, second: 0 };
    const FIRST: Ties = Ties { needed: 1, second: 0 };
    const EITHER: Ties = Ties { needed: 1, second: 1 };
    match (row.format, row.encoding) {
        (f::I, 0x2003) => (class::LOAD, 1, FREE),
        (f::I, 0x3003) => (class::LOAD, 2, FREE),
        (f::I, 0x3007) => (class::LOAD_FLOAT, 3, FREE),
        (f::S, 0x2023) => (class::STORE, 4, FREE),
        (f::S, 0x3023) => (class::STORE, 5, FREE),
        (f::S, 0x3027) => (class::STORE, 6, FREE),
        (f::I, 0x13) => (class::ADD_IMMEDIATE, 7, FREE),
        (f::I_SHORT, 0x13) => (class::SHORT, 22, FREE),
        (f::I, 0x1b) => (class::OWN, 8, FREE),
        (f::SHIFT, 0x1013) => (class::OWN, 9, FREE),
        (f::SHIFT, 0x5013) => (class::NEAR_OWN, 10, FREE),
        (f::SHIFT, 0x4000_5013) => (class::NEAR_OWN, 11, FREE),
        (f::I, 0x7013) => (class::NEAR_OWN, 12, FREE),
        (f::U, 0x37) => (class::UPPER, 13, FREE),
        // (Nobody adds to zero in front, which would be a copy whatever the result is, nor copies to or from zero.)
        (f::R, 0x33) => (class::ANY, 14, EITHER),
        (f::UNARY, 0x13) => (class::ANY, 15, FREE),
        (f::R, 0x4000_0033) => (class::NEAR, 16, FIRST),
        (f::R, 0x4033) => (class::NEAR, 17, EITHER),
        (f::R, 0x6033) => (class::NEAR, 18, EITHER),
        (f::R, 0x7033) => (class::NEAR, 19, EITHER),
        (f::R, 0x4000_003b) => (class::NEAR, 20, FIRST),
        (f::R, 0x3b) => (class::NEAR, 21, EITHER),
        _ => (class::NONE, 0, FREE),
    }
}

/// The shortest form of a row's word: its bits and how many bytes they are. None if the general encoder has to say. All of it is
/// reckoned, so that compilers see nothing to branch on.
#[inline(always)]
pub fn shortest(shape: &Shape, operands: &[Operand; 4], imm: u32, word: u32) -> Option<(u32, usize)> {
    let number = |k: usize| u32::from(operands[k].low());
    let (rd, a, b) = (number(0), number(1), number(2));
    let (needed, second) = (u32::from(shape.ties.needed), u32::from(shape.ties.second));
    let is_tied = needed ^ 1 | u32::from(rd == a) | u32::from(rd == b) & second;
    // Of rd, a and b, two are the same: this is the one left over.
    let other = a ^ (b ^ rd) & needed.wrapping_neg();
    // Class 0 has no forms.
    let class = u32::from(shape.class) * is_tied;
    let registers = REGISTERS[(class + (other << 5 | rd)) as usize];
    let form = &FORMS[usize::from(shape.forms + (registers & 3) as u8) & 127];
    let is_outside = imm.wrapping_add(u32::from(form.bias)) & form.outside != 0;
    let scattered = SCATTER[usize::from(form.scatter) + (imm >> (form.from & 31) & 63) as usize];
    let what = (scattered & 3) | (u16::from(is_outside) * LONG);
    let half = u32::from(registers & !3 | form.bits | scattered & !3);
    let is_long = u32::from(what >> 1);
    let bits = half ^ (half ^ word) & is_long.wrapping_neg();
    if what == ASK { None } else { Some((bits, 2 + 2 * is_long as usize)) }
}

#[cfg(test)]
mod tests {
    use super::super::{compress::compress, encode::encode};
    use super::*;
    use crate::isa::shape::{GENERAL, STRAIGHT};
    use crate::mir::PReg;

    #[test]
    fn the_straight_path_makes_what_the_general_encoder_makes() {
        let registers = |n: u8| Operand::phys(PReg::int(n));
        let mut compressed = 0;
        for (row, shape) in ROWS.iter().zip(&SHAPES).filter(|(_, shape)| shape.kind != GENERAL) {
            for triple in 0..1u32 << 15 {
                let [a, b, c] = [0, 5, 10].map(|at| registers((triple >> at & 31) as u8));
                let operands = [a, b, c, registers(17)];
                let count = row.operands.bytes().filter(|c| matches!(c, b'i' | b'f')).count();
                if count < 3 && triple >> 10 != 21 {
                    continue;
                }
                if shape.kind != STRAIGHT {
                    assert_eq!(encode(row, &operands, 0), named(shape, &operands), "{}", row.name);
                    continue;
                }
                let imms: Vec<u32> = match row.format {
                    f::I | f::I_SHORT | f::S => {
                        (0..256).map(|k| (k * 16 - 2048 + k * 7 % 16) as u32).chain(IMMS).collect()
                    }
                    f::SHIFT => (0..64).collect(),
                    f::U => (0..40).chain([0xf_ffff, 0xf_ffe0, 0xf_ffdf, 0x8_0000, 0x1_0000]).collect(),
                    _ => vec![0],
                };
                for imm in imms {
                    let imm = imm as i32;
                    let (word, _) = encode(row, &operands[..count], imm);
                    assert_eq!(
                        shape.word(&FIELDS, &operands, imm as u32),
                        word,
                        "{} {operands:?} {imm}",
                        row.name
                    );
                    // See `class_of`. Nor is anything made in zero.
                    if row.name == "li.short" && a.low() == 0 {
                        continue;
                    }
                    if row.encoding == 0x33 && b.low() == 0 || row.name == "mv" && a.low().min(b.low()) == 0 {
                        continue;
                    }
                    let expected = compress(word).map_or((word, 4), |half| (half.into(), 2));
                    if let Some(got) = shortest(shape, &operands, imm as u32, word) {
                        assert_eq!(got, expected, "{} {operands:?} {imm}", row.name);
                        compressed += usize::from(got.1 == 2);
                    }
                }
            }
        }
        assert!(compressed > 30_000, "{compressed}");
    }

    const IMMS: [u32; 24] = {
        let around = [0, 4, 8, 32, 64, 128, 256, 512];
        let mut all = [0; 24];
        let mut k = 0;
        while k < 24 {
            all[k] = (around[k / 3] + k as i32 % 3 - 1) as u32;
            k += 1;
        }
        all
    };
}
