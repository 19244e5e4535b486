//! The opcode rows of AArch64, a file a family, and the table they make.
//!
//! Register width is part of the opcode (`ADD_W`, `ADD_X`), and so is the form of a flexible operand
//! (`ADD_W_LSL`, `ADD_X_SXTW`, `ADD_W_IMM`): a row is one line of text and one layout of bits. Register names
//! in text come in variants: `w`, `x`, `f` (printed s), `d`, `q`, `v`, and `p` where number 31 is the stack
//! pointer and not zero.
//!
//! Encodings are the fixed bits of the Arm Architecture Reference Manual, chapter C6 and C7.

pub mod atomic;
pub mod control;
pub mod float;
pub mod int;
pub mod memory;
pub mod position;
pub mod vector;

use crate::isa::rows;
use crate::mir::desc::{LANDING, OpRow};
use crate::mir::model::OpClass;

/// Where the variable bits go: see `encode`.
pub mod format {
    crate::formats! {
        PSEUDO RRR RRR_SHIFT RRR_EXTEND RRRR RR_IMM12 RR_MASK R_MASK RR_LSL RR_LSR RR R_M CMP_RR CMP_SHIFT CMP_EXTEND
        CMP_IMM12 CMP_MASK CMP_R R_IMM16 R R_FLOAT8 ADRP LO12 LOAD_SCALED LOAD_UNSCALED LOAD_INDEXED LOAD_LO12 PAIR B26 B19
        R_B19 R_BIT_B14 CALL TAIL NONE ONTO ONTO_ONE LANES_LEFT LANES_RIGHT ONTO_RIGHT BY_LANE ONTO_BY_LANE LANE ONTO_LANE BYTES R_BOTH R_BYTE
        R_BYTE_FLOAT MEMORY_LANE ONTO_MEMORY UP_LANE STORE_UP_LANE LOAD_MOVING STORE_MOVING LOAD_PAIR_MOVING
        STORE_PAIR_MOVING EXCLUSIVE RR_EXTRACT RR_PLACE ONTO_EXTRACT ONTO_PLACE CCMP_RR CCMP_R
        ADRP_THREAD LDR_THREAD ADRP_GOT LDR_GOT ADRP_DESC LDR_DESC ADD_DESC BLR_DESC TPREL_HI12 TPREL_LO12 M_ONLY
    }
}

/// A row that is one instruction, and sets or reads nothing but its operands.
pub(super) const fn row(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    class: OpClass,
    format: u8,
    encoding: u32,
) -> OpRow {
    rows::row(name, text, operands).class(class).bits(format, encoding)
}

/// A row that the target replaces before emission, by at most `bytes` of code.
pub(super) const fn pseudo(name: &'static str, operands: &'static str, class: OpClass, bytes: u8) -> OpRow {
    rows::row(name, "", operands).class(class).size(bytes)
}

/// The first number of each family.
pub(super) const INT_BASE: u16 = LANDING.0 + 1;
pub(super) const MEMORY_BASE: u16 = INT_BASE + int::COUNT;
pub(super) const FLOAT_BASE: u16 = MEMORY_BASE + memory::COUNT;
pub(super) const CONTROL_BASE: u16 = FLOAT_BASE + float::COUNT;
pub(super) const COND_BASE: u16 = CONTROL_BASE + control::COUNT;
pub(super) const VECTOR_BASE: u16 = COND_BASE + control::COND_ROWS.len() as u16;
pub(super) const ATOMIC_BASE: u16 = VECTOR_BASE + vector::COUNT;
pub(super) const POSITION_BASE: u16 = ATOMIC_BASE + atomic::COUNT;
const COUNT: usize = POSITION_BASE as usize + position::COUNT as usize;

/// All rows, by number.
pub static OPS: [OpRow; COUNT] = rows::joined(&[
    &[rows::phi(), rows::entry(), rows::invoke(), rows::landing()],
    &int::ROWS,
    &memory::ROWS,
    &float::ROWS,
    &control::ROWS,
    &control::COND_ROWS,
    &vector::ROWS,
    &atomic::ROWS,
    &position::ROWS,
]);
