//! The relocations of RISC-V 64 (RISC-V ELF psABI, "Relocations").

use super::*;
use crate::object::machine::{RISCV_PAIR_I, RISCV_PAIR_S};

/// By ascending number.
pub static ROWS: &[Row] = &[
    row(0, "R_RISCV_NONE", What::Nothing, How::Plain, 0, nothing),
    row(1, "R_RISCV_32", What::Symbol, How::Plain, 4, data32),
    row(2, "R_RISCV_64", What::Symbol, How::Plain, 8, data64),
    row(8, "R_RISCV_TLS_DTPREL32", What::Dtp, How::Plain, 4, data32),
    row(9, "R_RISCV_TLS_DTPREL64", What::Dtp, How::Plain, 8, data64),
    row(11, "R_RISCV_TLS_TPREL64", What::Tp, How::Plain, 8, data64),
    row(16, "R_RISCV_BRANCH", What::Symbol, How::FromPlace, 4, branch),
    row(17, "R_RISCV_JAL", What::Symbol, How::FromPlace, 4, jal),
    row(18, "R_RISCV_CALL", What::Symbol, How::FromPlace, 8, pair_i),
    row(19, "R_RISCV_CALL_PLT", What::Symbol, How::FromPlace, 8, pair_i),
    row(20, "R_RISCV_GOT_HI20", What::Got, How::FromPlace, 4, high20),
    row(21, "R_RISCV_TLS_GOT_HI20", What::GotTp, How::FromPlace, 4, high20),
    row(22, "R_RISCV_TLS_GD_HI20", What::GotGd, How::FromPlace, 4, high20),
    row(23, "R_RISCV_PCREL_HI20", What::Symbol, How::FromPlace, 4, high20),
    row(24, "R_RISCV_PCREL_LO12_I", What::Low, How::Plain, 4, low_i),
    row(25, "R_RISCV_PCREL_LO12_S", What::Low, How::Plain, 4, low_s),
    row(26, "R_RISCV_HI20", What::Symbol, How::Plain, 4, high20),
    row(27, "R_RISCV_LO12_I", What::Symbol, How::Plain, 4, low_i),
    row(28, "R_RISCV_LO12_S", What::Symbol, How::Plain, 4, low_s),
    row(29, "R_RISCV_TPREL_HI20", What::Tp, How::Plain, 4, high20),
    row(30, "R_RISCV_TPREL_LO12_I", What::Tp, How::Plain, 4, low_i),
    row(31, "R_RISCV_TPREL_LO12_S", What::Tp, How::Plain, 4, low_s),
    row(32, "R_RISCV_TPREL_ADD", What::Nothing, How::Plain, 0, nothing),
    row(33, "R_RISCV_ADD8", What::Symbol, How::Plain, 1, add8),
    row(34, "R_RISCV_ADD16", What::Symbol, How::Plain, 2, add16),
    row(35, "R_RISCV_ADD32", What::Symbol, How::Plain, 4, add32),
    row(36, "R_RISCV_ADD64", What::Symbol, How::Plain, 8, add64),
    row(37, "R_RISCV_SUB8", What::Symbol, How::Plain, 1, sub8),
    row(38, "R_RISCV_SUB16", What::Symbol, How::Plain, 2, sub16),
    row(39, "R_RISCV_SUB32", What::Symbol, How::Plain, 4, sub32),
    row(40, "R_RISCV_SUB64", What::Symbol, How::Plain, 8, sub64),
    row(41, "R_RISCV_GOT32_PCREL", What::Got, How::FromPlace, 4, data32),
    // Dealt with when the file is read: see `align`.
    row(43, "R_RISCV_ALIGN", What::Nothing, How::Plain, 0, nothing),
    row(44, "R_RISCV_RVC_BRANCH", What::Symbol, How::FromPlace, 2, short_branch),
    row(45, "R_RISCV_RVC_JUMP", What::Symbol, How::FromPlace, 2, short_jump),
    row(46, "R_RISCV_RVC_LUI", What::Symbol, How::Plain, 2, short_lui),
    row(51, "R_RISCV_RELAX", What::Nothing, How::Plain, 0, nothing),
    row(52, "R_RISCV_SUB6", What::Symbol, How::Plain, 1, sub6),
    row(53, "R_RISCV_SET6", What::Symbol, How::Plain, 1, set6),
    row(54, "R_RISCV_SET8", What::Symbol, How::Plain, 1, wrap8),
    row(55, "R_RISCV_SET16", What::Symbol, How::Plain, 2, wrap16),
    row(56, "R_RISCV_SET32", What::Symbol, How::Plain, 4, wrap32),
    row(57, "R_RISCV_32_PCREL", What::Symbol, How::FromPlace, 4, data32),
    row(59, "R_RISCV_PLT32", What::Symbol, How::FromPlace, 4, data32),
    row(60, "R_RISCV_SET_ULEB128", What::Symbol, How::Plain, 1, set_uleb),
    row(61, "R_RISCV_SUB_ULEB128", What::Symbol, How::Plain, 1, sub_uleb),
    row(RISCV_PAIR_I, "auipc with I", What::Symbol, How::FromPlace, 8, pair_i),
    row(RISCV_PAIR_S, "auipc with S", What::Symbol, How::FromPlace, 8, pair_s),
];

/// The upper 20 bits, rounded so that the signed lower 12 add up to the value.
fn high20(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0xffff_f000, value.wrapping_add(0x800) as u32);
    value < i64::from(i32::MAX) - 0x7ff && value >= i64::from(i32::MIN) - 0x800
}

fn low_i(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0xfff0_0000, (value as u32) << 20);
    true
}

fn low_s(bytes: &mut [u8], value: i64) -> bool {
    let value = value as u32;
    patch(bytes, 0xfe00_0f80, (value >> 5 & 0x7f) << 25 | (value & 0x1f) << 7);
    true
}

fn pair_i(bytes: &mut [u8], value: i64) -> bool {
    high20(bytes, value) && low_i(&mut bytes[4..], value)
}

fn pair_s(bytes: &mut [u8], value: i64) -> bool {
    high20(bytes, value) && low_s(&mut bytes[4..], value)
}

fn branch(bytes: &mut [u8], value: i64) -> bool {
    let v = value as u32;
    let bits = (v >> 12 & 1) << 31 | (v >> 5 & 0x3f) << 25 | (v >> 1 & 0xf) << 8 | (v >> 11 & 1) << 7;
    patch(bytes, 0xfe00_0f80, bits);
    signed(value, 13) && value & 1 == 0
}

fn jal(bytes: &mut [u8], value: i64) -> bool {
    let v = value as u32;
    let bits = (v >> 20 & 1) << 31 | (v >> 1 & 0x3ff) << 21 | (v >> 11 & 1) << 20 | (v >> 12 & 0xff) << 12;
    patch(bytes, 0xffff_f000, bits);
    signed(value, 21) && value & 1 == 0
}

fn patch_half(bytes: &mut [u8], mask: u16, bits: u32) {
    let half = half_at(bytes, 0);
    set_half(bytes, 0, half & !mask | bits as u16 & mask);
}

/// Bits of `v` by the order in which the compressed branch has them: 8|4:3 at 10, 7:6|2:1|5 at 2.
fn short_branch(bytes: &mut [u8], value: i64) -> bool {
    let v = value as u32;
    let high = (v >> 8 & 1) << 12 | (v >> 3 & 3) << 10;
    let low = (v >> 6 & 3) << 5 | (v >> 1 & 3) << 3 | (v >> 5 & 1) << 2;
    patch_half(bytes, 0x1c7c, high | low);
    signed(value, 9) && value & 1 == 0
}

/// 11|4|9:8|10|6|7|3:1|5 at 2.
fn short_jump(bytes: &mut [u8], value: i64) -> bool {
    let v = value as u32;
    let high = (v >> 11 & 1) << 12 | (v >> 4 & 1) << 11 | (v >> 8 & 3) << 9 | (v >> 10 & 1) << 8;
    let low = (v >> 6 & 1) << 7 | (v >> 7 & 1) << 6 | (v >> 1 & 7) << 3 | (v >> 5 & 1) << 2;
    patch_half(bytes, 0x1ffc, high | low);
    signed(value, 12) && value & 1 == 0
}

/// `c.lui` cannot load 0: that becomes `c.li rd, 0`.
fn short_lui(bytes: &mut [u8], value: i64) -> bool {
    let high = value.wrapping_add(0x800) >> 12;
    if high == 0 {
        let half = half_at(bytes, 0);
        set_half(bytes, 0, half & 0x0f83 | 0x4000);
        return true;
    }
    patch_half(bytes, 0x107c, ((high as u32 >> 5 & 1) << 12) | (high as u32 & 0x1f) << 2);
    signed(high, 6)
}

fn add8(bytes: &mut [u8], value: i64) -> bool {
    bytes[0] = bytes[0].wrapping_add(value as u8);
    true
}

fn sub8(bytes: &mut [u8], value: i64) -> bool {
    add8(bytes, value.wrapping_neg())
}

fn add16(bytes: &mut [u8], value: i64) -> bool {
    let half = half_at(bytes, 0);
    set_half(bytes, 0, half.wrapping_add(value as u16));
    true
}

fn sub16(bytes: &mut [u8], value: i64) -> bool {
    add16(bytes, value.wrapping_neg())
}

fn add32(bytes: &mut [u8], value: i64) -> bool {
    let word = word_at(bytes, 0);
    set_word(bytes, 0, word.wrapping_add(value as u32));
    true
}

fn sub32(bytes: &mut [u8], value: i64) -> bool {
    add32(bytes, value.wrapping_neg())
}

fn add64(bytes: &mut [u8], value: i64) -> bool {
    let (low, high) = (u64::from(word_at(bytes, 0)), u64::from(word_at(bytes, 4)));
    data64(bytes, (high << 32 | low).wrapping_add(value as u64) as i64)
}

fn sub64(bytes: &mut [u8], value: i64) -> bool {
    add64(bytes, value.wrapping_neg())
}

fn set6(bytes: &mut [u8], value: i64) -> bool {
    bytes[0] = bytes[0] & 0xc0 | value as u8 & 0x3f;
    true
}

fn sub6(bytes: &mut [u8], value: i64) -> bool {
    let old = bytes[0];
    set6(bytes, i64::from(old).wrapping_sub(value))
}

/// A number of base 128 keeps its length: the assembler left room.
fn set_uleb(bytes: &mut [u8], value: i64) -> bool {
    let mut rest = value as u64;
    for byte in bytes {
        *byte = *byte & 0x80 | rest as u8 & 0x7f;
        rest >>= 7;
        if *byte & 0x80 == 0 {
            // What `set` writes is an address of which `sub` takes another away: only that has to fit.
            return true;
        }
    }
    false
}

fn sub_uleb(bytes: &mut [u8], value: i64) -> bool {
    let (mut old, mut shift) = (0_u64, 0);
    for &byte in bytes.iter() {
        old |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    set_uleb(bytes, old.wrapping_sub(value as u64) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_base_128_keep_their_length() {
        // Room for three groups of seven bits; what follows is not touched.
        let mut bytes = [0x80, 0x80, 0x00, 0x55];
        assert!(set_uleb(&mut bytes, 0x12_3456) && sub_uleb(&mut bytes, 0x12_3456 - 300));
        assert_eq!(bytes, [0x80 | 0x2c, 0x80 | 0x02, 0x00, 0x55]);
        assert!(!set_uleb(&mut [0x80, 0x80], 1), "a number that does not end in the section");
    }

    #[test]
    fn upper_halves_reach_two_gigabytes() {
        for (value, fits) in [
            (0x7fff_f7ff, true),
            (0x7fff_f800, false),
            (-0x8000_0800, true),
            (-0x8000_0801, false),
            (i64::MAX, false),
            (i64::MIN, false),
        ] {
            assert_eq!(high20(&mut [0x17, 0, 0, 0], value), fits, "{value:#x}");
        }
    }
}
