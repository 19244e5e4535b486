//! The opcode rows of AArch64, a file a family, and the table they make.
//!
//! Register width is part of the opcode (`ADD_W`, `ADD_X`), and so is the form of a flexible operand (`ADD_W_LSL`,
//! `ADD_X_SXTW`, `ADD_W_IMM`): a row is one line of text and one layout of bits. Register names in text come in
//! variants: `w`, `x`, `f` (printed s), `d`, `q`, `v`, and `p` where number 31 is the stack pointer and not zero.
//!
//! Latencies are those of a Cortex-A53, the slower of the cores that the target is meant for; encodings are the fixed
//! bits of the Arm Architecture Reference Manual, chapter C6 and C7.

pub mod control;
pub mod float;
pub mod int;
pub mod memory;
pub mod vector;

use crate::isa::rows;
use crate::mir::desc::{ENTRY, OpRow};

/// Execution units.
#[allow(missing_docs)]
pub mod unit {
    pub const ALU: u8 = 0;
    pub const MUL: u8 = 1;
    pub const DIV: u8 = 2;
    pub const LOAD: u8 = 3;
    pub const STORE: u8 = 4;
    pub const BRANCH: u8 = 5;
    pub const FP: u8 = 6;
    pub const FDIV: u8 = 7;
}

/// Where the variable bits go. "d, n, m, a" are the register fields at bits 0, 5, 16 and 10.
pub mod format {
    /// Not an instruction.
    pub const PSEUDO: u8 = 0;
    /// d, n, m.
    pub const RRR: u8 = 1;
    /// d, n, m, shift amount at 10.
    pub const RRR_SHIFT: u8 = 2;
    /// d, n, m, extension amount (3 bits) at 10.
    pub const RRR_EXTEND: u8 = 3;
    /// d, n, m, a.
    pub const RRRR: u8 = 4;
    /// d, n, 12-bit immediate at 10.
    pub const RR_IMM12: u8 = 5;
    /// d, n, bit mask (N, immr, imms) at 10.
    pub const RR_MASK: u8 = 6;
    /// d, bit mask at 10.
    pub const R_MASK: u8 = 7;
    /// d, n, a left shift as immr = -k, imms = width - 1 - k.
    pub const RR_LSL: u8 = 8;
    /// d, n, a right shift as immr = k, imms = width - 1.
    pub const RR_LSR: u8 = 9;
    /// d, n.
    pub const RR: u8 = 11;
    /// d, m.
    pub const R_M: u8 = 12;
    /// n, m: compares.
    pub const CMP_RR: u8 = 13;
    /// n, m, shift amount at 10.
    pub const CMP_SHIFT: u8 = 14;
    /// n, m, extension amount at 10.
    pub const CMP_EXTEND: u8 = 15;
    /// n, 12-bit immediate at 10.
    pub const CMP_IMM12: u8 = 16;
    /// n, bit mask at 10.
    pub const CMP_MASK: u8 = 17;
    /// n.
    pub const CMP_R: u8 = 18;
    /// d, 16-bit immediate at 5.
    pub const R_IMM16: u8 = 19;
    /// d.
    pub const R: u8 = 20;
    /// d, 8-bit float at 13.
    pub const R_FLOAT8: u8 = 21;
    /// d, page of a symbol.
    pub const ADRP: u8 = 22;
    /// d, n, low 12 bits of a symbol.
    pub const LO12: u8 = 23;
    /// t at 0, base at 5, 12-bit immediate at 10, in units of the access size (`access_shift`).
    pub const LOAD_SCALED: u8 = 24;
    /// t, base, signed 9-bit immediate at 12.
    pub const LOAD_UNSCALED: u8 = 25;
    /// t, base, index at 16; bit 12 is set when the immediate is not 0.
    pub const LOAD_INDEXED: u8 = 26;
    /// t, base, low 12 bits of a symbol, in units of the access size.
    pub const LOAD_LO12: u8 = 27;
    /// t at 0, t2 at 10, base at 5, signed 7-bit immediate at 15, in units of the access size.
    pub const PAIR: u8 = 28;
    /// 26-bit word offset of a block.
    pub const B26: u8 = 29;
    /// 19-bit word offset of a block at 5.
    pub const B19: u8 = 30;
    /// t at 0, 19-bit word offset of a block at 5.
    pub const R_B19: u8 = 31;
    /// t at 0, bit number at 19 and 31, 14-bit word offset of a block at 5.
    pub const R_BIT_B14: u8 = 32;
    /// 26-bit word offset of a function.
    pub const CALL: u8 = 33;
    /// No variable bits.
    pub const NONE: u8 = 34;
    /// d, then uses 1 and 2 in n and m: use 0 is d.
    pub const ONTO: u8 = 35;
    /// d, n, 32 + shift amount at 16.
    pub const LANES_LEFT: u8 = 36;
    /// d, n, 64 - shift amount at 16.
    pub const LANES_RIGHT: u8 = 37;
    /// As above, n being use 1.
    pub const ONTO_RIGHT: u8 = 38;
    /// d, n, m, lane of 4 bytes at 21 (low bit) and 11 (high bit).
    pub const BY_LANE: u8 = 39;
    /// d, n, lane of 4 bytes at 19.
    pub const LANE: u8 = 40;
    /// As above, n being use 1.
    pub const ONTO_LANE: u8 = 41;
    /// d, n, m, bytes at 11.
    pub const BYTES: u8 = 42;
    /// d, n, and n again in m.
    pub const R_BOTH: u8 = 43;
    /// d, a byte at 16 (3 bits) and 5 (5 bits).
    pub const R_BYTE: u8 = 44;
    /// d, an 8-bit float where `R_BYTE` has its byte.
    pub const R_BYTE_FLOAT: u8 = 45;
    /// t, base, lane of 4 bytes at 12 (low bit) and 30 (high bit).
    pub const MEMORY_LANE: u8 = 46;
    /// As above, the base being use 1.
    pub const ONTO_MEMORY: u8 = 47;
}

/// A row that is one instruction, and sets or reads nothing but its operands.
pub(super) const fn row(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    unit: u8,
    latency: u8,
    format: u8,
    encoding: u32,
) -> OpRow {
    rows::row(name, text, operands).timing(latency, unit).bits(format, encoding)
}

/// A row that the target replaces before emission, by at most `bytes` of code.
pub(super) const fn pseudo(name: &'static str, operands: &'static str, latency: u8, bytes: u8) -> OpRow {
    rows::row(name, "", operands).timing(latency, unit::ALU).size(bytes)
}

/// Names rows and numbers them from `$base` on.
macro_rules! family {
    ($base:expr; $($(#[$meta:meta])* $name:ident = $row:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($name,)* COUNT }
        $(
            #[allow(missing_docs)]
            $(#[$meta])*
            pub const $name: MachineOp = MachineOp($base + Number::$name as u16);
        )*
        /// The rows of this family, in number order.
        pub const ROWS: [OpRow; Number::COUNT as usize] = [$($row),*];
    };
}
pub(super) use family;

/// The first number of each family.
pub(super) const INT_BASE: u16 = ENTRY.0 + 1;
pub(super) const MEMORY_BASE: u16 = INT_BASE + int::ROWS.len() as u16;
pub(super) const FLOAT_BASE: u16 = MEMORY_BASE + memory::ROWS.len() as u16;
pub(super) const CONTROL_BASE: u16 = FLOAT_BASE + float::ROWS.len() as u16;
pub(super) const COND_BASE: u16 = CONTROL_BASE + control::ROWS.len() as u16;
pub(super) const VECTOR_BASE: u16 = COND_BASE + control::COND_ROWS.len() as u16;
const COUNT: usize = VECTOR_BASE as usize + vector::ROWS.len();

const fn copied(mut table: [OpRow; COUNT], base: u16, rows: &[OpRow]) -> [OpRow; COUNT] {
    let mut k = 0;
    while k < rows.len() {
        table[base as usize + k] = rows[k];
        k += 1;
    }
    table
}

/// All rows, by number.
pub static OPS: [OpRow; COUNT] = {
    let mut table = [rows::phi(); COUNT];
    table[ENTRY.0 as usize] = rows::entry();
    let table = copied(table, INT_BASE, &int::ROWS);
    let table = copied(table, MEMORY_BASE, &memory::ROWS);
    let table = copied(table, FLOAT_BASE, &float::ROWS);
    let table = copied(table, CONTROL_BASE, &control::ROWS);
    let table = copied(table, COND_BASE, &control::COND_ROWS);
    copied(table, VECTOR_BASE, &vector::ROWS)
};
