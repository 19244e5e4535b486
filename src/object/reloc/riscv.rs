//! The relocations of RISC-V 64 (RISC-V ELF psABI, "Relocations").

use super::*;

relocations! {
    R_RISCV_NONE = row(0, What::Nothing, How::Plain, 0, nothing);
    R_RISCV_32 = row(1, What::Symbol, How::Plain, 4, data::<4>);
    R_RISCV_64 = row(2, What::Symbol, How::Plain, 8, data::<8>);
    R_RISCV_TLS_DTPREL32 = row(8, What::Dtp, How::Plain, 4, data::<4>);
    R_RISCV_TLS_DTPREL64 = row(9, What::Dtp, How::Plain, 8, data::<8>);
    R_RISCV_TLS_TPREL64 = row(11, What::Tp, How::Plain, 8, data::<8>);
    R_RISCV_BRANCH = row(16, What::Symbol, How::FromPlace, 4, branch);
    R_RISCV_JAL = row(17, What::Symbol, How::FromPlace, 4, jal);
    R_RISCV_CALL = row(18, What::Symbol, How::FromPlace, 8, pair_i);
    R_RISCV_CALL_PLT = row(19, What::Symbol, How::FromPlace, 8, pair_i);
    R_RISCV_GOT_HI20 = row(20, What::Got, How::FromPlace, 4, high20);
    R_RISCV_TLS_GOT_HI20 = row(21, What::GotTp, How::FromPlace, 4, high20);
    R_RISCV_TLS_GD_HI20 = row(22, What::GotGd, How::FromPlace, 4, high20);
    R_RISCV_PCREL_HI20 = row(23, What::Symbol, How::FromPlace, 4, high20);
    R_RISCV_PCREL_LO12_I = row(24, What::Low, How::Plain, 4, low_i);
    R_RISCV_PCREL_LO12_S = row(25, What::Low, How::Plain, 4, low_s);
    R_RISCV_HI20 = row(26, What::Symbol, How::Plain, 4, high20);
    R_RISCV_LO12_I = row(27, What::Symbol, How::Plain, 4, low_i);
    R_RISCV_LO12_S = row(28, What::Symbol, How::Plain, 4, low_s);
    R_RISCV_TPREL_HI20 = row(29, What::Tp, How::Plain, 4, high20);
    R_RISCV_TPREL_LO12_I = row(30, What::Tp, How::Plain, 4, low_i);
    R_RISCV_TPREL_LO12_S = row(31, What::Tp, How::Plain, 4, low_s);
    R_RISCV_TPREL_ADD = row(32, What::Nothing, How::Plain, 0, nothing);
    R_RISCV_ADD8 = row(33, What::Symbol, How::Plain, 1, add::<1>);
    R_RISCV_ADD16 = row(34, What::Symbol, How::Plain, 2, add::<2>);
    R_RISCV_ADD32 = row(35, What::Symbol, How::Plain, 4, add::<4>);
    R_RISCV_ADD64 = row(36, What::Symbol, How::Plain, 8, add::<8>);
    R_RISCV_SUB8 = row(37, What::Symbol, How::Plain, 1, sub::<1>);
    R_RISCV_SUB16 = row(38, What::Symbol, How::Plain, 2, sub::<2>);
    R_RISCV_SUB32 = row(39, What::Symbol, How::Plain, 4, sub::<4>);
    R_RISCV_SUB64 = row(40, What::Symbol, How::Plain, 8, sub::<8>);
    R_RISCV_GOT32_PCREL = row(41, What::Got, How::FromPlace, 4, data::<4>);
    // Dealt with when the file is read: see `align`.
    R_RISCV_ALIGN = row(43, What::Nothing, How::Plain, 0, nothing);
    R_RISCV_RVC_BRANCH = row(44, What::Symbol, How::FromPlace, 2, short_branch);
    R_RISCV_RVC_JUMP = row(45, What::Symbol, How::FromPlace, 2, short_jump);
    R_RISCV_RVC_LUI = row(46, What::Symbol, How::Plain, 2, short_lui);
    R_RISCV_RELAX = row(51, What::Nothing, How::Plain, 0, nothing);
    R_RISCV_SUB6 = row(52, What::Symbol, How::Plain, 1, sub6);
    R_RISCV_SET6 = row(53, What::Symbol, How::Plain, 1, set6);
    R_RISCV_SET8 = row(54, What::Symbol, How::Plain, 1, wrap::<1>);
    R_RISCV_SET16 = row(55, What::Symbol, How::Plain, 2, wrap::<2>);
    R_RISCV_SET32 = row(56, What::Symbol, How::Plain, 4, wrap::<4>);
    R_RISCV_32_PCREL = row(57, What::Symbol, How::FromPlace, 4, data::<4>);
    R_RISCV_PLT32 = row(59, What::Symbol, How::FromPlace, 4, data::<4>);
    R_RISCV_SET_ULEB128 = row(60, What::Symbol, How::Plain, 1, set_uleb);
    R_RISCV_SUB_ULEB128 = row(61, What::Symbol, How::Plain, 1, sub_uleb);
    /// `auipc` and an instruction with a signed 12-bit immediate of layout I behind it, for an address
    /// relative to the first: what ELF says with `R_RISCV_PCREL_HI20`, a label, and `R_RISCV_PCREL_LO12_I` of
    /// the label.
    RISCV_PAIR_I = row(OURS, What::Symbol, How::FromPlace, 8, pair_i);
    /// As above, with a store (layout S) for the second instruction.
    RISCV_PAIR_S = row(OURS + 1, What::Symbol, How::FromPlace, 8, pair_s);
    /// As the first, by the entry of an offset from the thread pointer (`R_RISCV_TLS_GOT_HI20`).
    RISCV_PAIR_THREAD = row(OURS + 2, What::GotTp, How::FromPlace, 8, pair_i);
    /// As the first, by the symbol's entry (`R_RISCV_GOT_HI20`).
    RISCV_PAIR_GOT = row(OURS + 3, What::Got, How::FromPlace, 8, pair_i);
    /// As the first, by its module and offset (`R_RISCV_TLS_GD_HI20`).
    RISCV_PAIR_GD = row(OURS + 4, What::GotGd, How::FromPlace, 8, pair_i);
}

/// The upper 20 bits, rounded so that the signed lower 12 add up to the value.
fn high20(bytes: &mut [u8], value: i64) -> bool {
    patch::<4>(bytes, 0xffff_f000, value.wrapping_add(0x800) as u32);
    value < i64::from(i32::MAX) - 0x7ff && value >= i64::from(i32::MIN) - 0x800
}

fn low_i(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(0, 12, 20)]);
    true
}

fn low_s(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(5, 7, 25), (0, 5, 7)]);
    true
}

fn pair_i(bytes: &mut [u8], value: i64) -> bool {
    high20(bytes, value) && low_i(&mut bytes[4..], value)
}

fn pair_s(bytes: &mut [u8], value: i64) -> bool {
    high20(bytes, value) && low_s(&mut bytes[4..], value)
}

fn branch(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(12, 1, 31), (5, 6, 25), (1, 4, 8), (11, 1, 7)]);
    signed(value, 13) && value & 1 == 0
}

fn jal(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(20, 1, 31), (1, 10, 21), (11, 1, 20), (12, 8, 12)]);
    signed(value, 21) && value & 1 == 0
}

/// 8|4:3 at 10, 7:6|2:1|5 at 2.
fn short_branch(bytes: &mut [u8], value: i64) -> bool {
    put::<2>(bytes, value, &[(8, 1, 12), (3, 2, 10), (6, 2, 5), (1, 2, 3), (5, 1, 2)]);
    signed(value, 9) && value & 1 == 0
}

/// 11|4|9:8|10|6|7|3:1|5 at 2.
fn short_jump(bytes: &mut [u8], value: i64) -> bool {
    const HIGH: [Field; 4] = [(11, 1, 12), (4, 1, 11), (8, 2, 9), (10, 1, 8)];
    put::<2>(bytes, value, &HIGH);
    put::<2>(bytes, value, &[(6, 1, 7), (7, 1, 6), (1, 3, 3), (5, 1, 2)]);
    signed(value, 12) && value & 1 == 0
}

/// `c.lui` cannot load 0: that becomes `c.li rd, 0`.
fn short_lui(bytes: &mut [u8], value: i64) -> bool {
    let high = value.wrapping_add(0x800) >> 12;
    if high == 0 {
        patch::<2>(bytes, !0x0f83, 0x4000);
    } else {
        put::<2>(bytes, high, &[(5, 1, 12), (0, 5, 2)]);
    }
    signed(high, 6)
}

fn add<const N: usize>(bytes: &mut [u8], value: i64) -> bool {
    wrap::<N>(bytes, (number::<N>(bytes) as i64).wrapping_add(value))
}

fn sub<const N: usize>(bytes: &mut [u8], value: i64) -> bool {
    add::<N>(bytes, value.wrapping_neg())
}

fn set6(bytes: &mut [u8], value: i64) -> bool {
    patch::<1>(bytes, 0x3f, value as u32);
    true
}

fn sub6(bytes: &mut [u8], value: i64) -> bool {
    let old = i64::from(bytes[0]);
    set6(bytes, old.wrapping_sub(value))
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
