//! Compressed forms (RVC, RV64GC): what GNU as picks under `-march=rv64gc`, by table.
//!
//! Which form a row may have depends on its opcode and on two registers: the result, and the one that is not
//! the result. `REGISTERS` has, by class of opcodes and these two, the bits that they give the half word, and
//! which of the opcode's four forms it is. A form says which immediates it has, and `SCATTER` where their
//! bits go, or that they do not fit. So the half word comes without a branch: the opcodes of a program follow
//! no pattern, nor does it what fits (see `isa::shape`).
//!
//! Rows that name something stay long, as GNU as leaves them. Forms that the manual reserves or calls hints
//! are never made. `rare` has the forms of `addi` for nops, copies, steps of the stack pointer and addresses
//! of slots; `branch` those of jumps, which depend on distances: `reach` says how far they go, by operands
//! alone, while distances still move.

use super::rows::format as f;
use super::rows::{ADDI, BEQ, BNE, J, ROWS};
use crate::isa::shape::{Shape, Ties};
use crate::mir::{MachineOp, OpRow, Operand};

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
    /// Any.
    pub(super) const FIXED: u8 = 11;
    pub(super) const COUNT: usize = 12;
}

/// By class, the register that is not rd, and rd (or rs2 of a store): the bits of the half word, with the
/// number of the form in the lowest two.
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
        // Nops, addresses of slots and steps of the stack pointer are rare.
        class::ADD_IMMEDIATE if rd == 0 || other == 2 => 2,
        class::ADD_IMMEDIATE if other == 0 => rd << 7 | 1,
        class::ADD_IMMEDIATE | class::OWN if other == rd && rd != 0 => rd << 7,
        class::NEAR_OWN if other == rd && near(rd) => (rd & 7) << 7,
        class::NEAR if both_near => (rd & 7) << 7 | (other & 7) << 2,
        class::ANY if rd != 0 && other != 0 => rd << 7 | other << 2,
        class::UPPER if rd != 0 && rd != 2 => rd << 7,
        class::SHORT if rd != 0 => rd << 7,
        class::FIXED => 0,
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
    /// `rare` knows.
    pub(super) const ASK: u16 = 2;
    /// `rare` knows about zero; all others do not fit.
    pub(super) const ASK_ZERO: u16 = 3;
    /// Bit 5 in 12, 4 to 0 in 6 to 2.
    pub(super) const SIX: u16 = 4;
    /// As above, and zero does not fit.
    pub(super) const SIX_NOT_ZERO: u16 = 5;
    /// As above, and `rare` knows about zero.
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

/// What the lowest two bits of an immediate in `SCATTER` say: that it fits, that `rare` knows, that it does
/// not fit.
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
        scatter::ASK_ZERO if x == 0 => ASK,
        scatter::SIX => six,
        scatter::SIX_ASK_ZERO if x == 0 => ASK,
        scatter::SIX_NOT_ZERO | scatter::SIX_ASK_ZERO if x != 0 => six,
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
    // `ret`; `unimp`, which is all zeros.
    forms[23] = one(form(0x8082, scatter::NOTHING));
    forms[24] = one(form(0x0000, scatter::NOTHING));
    // `jalr t1`, `jr t1`.
    forms[25] = one(form(0x9302, scatter::NOTHING));
    forms[26] = one(form(0x8302, scatter::NOTHING));
    // `nop`.
    forms[27] = one(form(0x0001, scatter::NOTHING));
    let mut all = [NEVER; 128];
    let mut k = 0;
    while k < all.len() {
        all[k] = forms[k / 4][k % 4];
        k += 1;
    }
    all
};

/// The class, the forms and the ties of an opcode, which its fixed bits tell.
pub const fn class_of(row: &OpRow) -> (u8, u8, Ties) {
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
        (f::FIXED, 0x8067) => (class::FIXED, 23, FREE),
        (f::FIXED, 0x300e7) => (class::FIXED, 25, FREE),
        (f::FIXED, 0x30067) => (class::FIXED, 26, FREE),
        (f::FIXED, 0xc000_1073) => (class::FIXED, 24, FREE),
        (f::FIXED, 0x13) => (class::FIXED, 27, FREE),
        (f::I, 0x1b) => (class::OWN, 8, FREE),
        (f::SHIFT, 0x1013) => (class::OWN, 9, FREE),
        (f::SHIFT, 0x5013) => (class::NEAR_OWN, 10, FREE),
        (f::SHIFT, 0x4000_5013) => (class::NEAR_OWN, 11, FREE),
        (f::I, 0x7013) => (class::NEAR_OWN, 12, FREE),
        (f::U, 0x37) => (class::UPPER, 13, FREE),
        // (No selected row adds to zero in front, which would be a copy whatever the result is, nor copies to
        // or from zero.)
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

/// The shortest form of a row's word: its bits and how many bytes they are. None if `rare` has to say. All of
/// it is computed, so that compilers see nothing to branch on.
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

// ---- What is not in the tables ---------------------------------------------------------------------------

/// The compressed form of `addi` where the tables leave it open.
pub fn rare(row: &OpRow, operands: &[Operand; 4], imm: i32) -> Option<u16> {
    let (rd, rs1) = (u16::from(operands[0].low()), u16::from(operands[1].low()));
    // Bits of a negative immediate are those of its lowest ten.
    let part = |high, low, to| bits(imm as u16, high, low, to);
    if !is(row, ADDI) {
        return None;
    }
    match imm {
        0 if rd == 0 && rs1 == 0 => Some(0x0001),
        _ if rd == 0 => None,
        -32..32 if imm != 0 && rd == rs1 => Some(0x0001 | rd << 7 | part(5, 5, 12) | part(4, 0, 2)),
        0 => Some(0x8002 | rd << 7 | rs1 << 2),
        -512..512 if rd == 2 && rs1 == 2 && imm & 15 == 0 => {
            let low = part(4, 4, 6) | part(6, 6, 5) | part(8, 7, 3) | part(5, 5, 2);
            Some(0x6101 | part(9, 9, 12) | low)
        }
        4..1024 if rs1 == 2 && near(rd) && imm & 3 == 0 => {
            let high = part(5, 4, 11) | part(9, 6, 7);
            Some(high | part(2, 2, 6) | part(3, 3, 5) | (rd & 7) << 2)
        }
        _ => None,
    }
}

fn is(row: &OpRow, op: MachineOp) -> bool {
    let other = &ROWS[usize::from(op.0)];
    (row.format, row.encoding) == (other.format, other.encoding)
}

/// Of a jump or branch whose operands a compressed form can name: how many bits of distance that form has, so
/// that it reaches `[-2^(bits - 1), 2^(bits - 1))` bytes. None for everything else.
pub fn reach(row: &OpRow, operands: &[Operand; 4]) -> Option<u8> {
    let is_zero_test = is(row, BEQ) || is(row, BNE);
    if is_zero_test && near(operands[0].low().into()) && operands[1].low() == 0 {
        return Some(9);
    }
    is(row, J).then_some(12)
}

/// The compressed form of such a row, with a distance that has been seen to fit.
pub fn branch(row: &OpRow, operands: &[Operand; 4], distance: u32) -> u16 {
    let part = |high, low, to| bits(distance as u16, high, low, to);
    if is(row, J) {
        let high = part(11, 11, 12) | part(4, 4, 11) | part(9, 8, 9) | part(10, 10, 8);
        return 0xa001 | high | part(6, 6, 7) | part(7, 7, 6) | part(3, 1, 3) | part(5, 5, 2);
    }
    let low = part(8, 8, 12) | part(4, 3, 10) | part(7, 6, 5) | part(2, 1, 3) | part(5, 5, 2);
    0xc001 | u16::from(is(row, BNE)) << 13 | (u16::from(operands[0].low()) & 7) << 7 | low
}
