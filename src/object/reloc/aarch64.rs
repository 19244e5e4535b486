//! The relocations of AArch64 (ELF for the Arm 64-bit architecture, 5.7).
//!
//! Descriptors of thread-local variables (`TLSDESC`) are replaced by the offset from the thread pointer, which a static
//! program knows: `adrp, ldr, add, blr` becomes `movz, movk, nop, nop`.

use super::*;

/// How far `b` and `bl` go.
const REACH: i64 = 1 << 27;

/// By ascending number.
pub static ROWS: &[Row] = &[
    row(0, "R_AARCH64_NONE", What::Nothing, How::Plain, 0, nothing),
    row(256, "R_AARCH64_NONE", What::Nothing, How::Plain, 0, nothing),
    row(257, "R_AARCH64_ABS64", What::Symbol, How::Plain, 8, data64),
    row(258, "R_AARCH64_ABS32", What::Symbol, How::Plain, 4, data32),
    row(259, "R_AARCH64_ABS16", What::Symbol, How::Plain, 2, data16),
    row(260, "R_AARCH64_PREL64", What::Symbol, How::FromPlace, 8, data64),
    row(261, "R_AARCH64_PREL32", What::Symbol, How::FromPlace, 4, data32),
    row(262, "R_AARCH64_PREL16", What::Symbol, How::FromPlace, 2, data16),
    row(263, "R_AARCH64_MOVW_UABS_G0", What::Symbol, How::Plain, 4, movw::<0, true>),
    row(264, "R_AARCH64_MOVW_UABS_G0_NC", What::Symbol, How::Plain, 4, movw::<0, false>),
    row(265, "R_AARCH64_MOVW_UABS_G1", What::Symbol, How::Plain, 4, movw::<16, true>),
    row(266, "R_AARCH64_MOVW_UABS_G1_NC", What::Symbol, How::Plain, 4, movw::<16, false>),
    row(267, "R_AARCH64_MOVW_UABS_G2", What::Symbol, How::Plain, 4, movw::<32, true>),
    row(268, "R_AARCH64_MOVW_UABS_G2_NC", What::Symbol, How::Plain, 4, movw::<32, false>),
    row(269, "R_AARCH64_MOVW_UABS_G3", What::Symbol, How::Plain, 4, movw::<48, false>),
    row(270, "R_AARCH64_MOVW_SABS_G0", What::Symbol, How::Plain, 4, movnz::<0>),
    row(271, "R_AARCH64_MOVW_SABS_G1", What::Symbol, How::Plain, 4, movnz::<16>),
    row(272, "R_AARCH64_MOVW_SABS_G2", What::Symbol, How::Plain, 4, movnz::<32>),
    row(273, "R_AARCH64_LD_PREL_LO19", What::Symbol, How::FromPlace, 4, imm19),
    row(274, "R_AARCH64_ADR_PREL_LO21", What::Symbol, How::FromPlace, 4, adr),
    row(275, "R_AARCH64_ADR_PREL_PG_HI21", What::Symbol, How::Pages, 4, adrp),
    row(276, "R_AARCH64_ADR_PREL_PG_HI21_NC", What::Symbol, How::Pages, 4, adrp_unchecked),
    row(277, "R_AARCH64_ADD_ABS_LO12_NC", What::Symbol, How::Plain, 4, low12::<0>),
    row(278, "R_AARCH64_LDST8_ABS_LO12_NC", What::Symbol, How::Plain, 4, low12::<0>),
    row(279, "R_AARCH64_TSTBR14", What::Symbol, How::FromPlace, 4, imm14),
    row(280, "R_AARCH64_CONDBR19", What::Symbol, How::FromPlace, 4, imm19),
    row(282, "R_AARCH64_JUMP26", What::Symbol, How::FromPlace, 4, imm26).call(REACH, false, true),
    row(283, "R_AARCH64_CALL26", What::Symbol, How::FromPlace, 4, imm26).call(REACH, false, true),
    row(284, "R_AARCH64_LDST16_ABS_LO12_NC", What::Symbol, How::Plain, 4, low12::<1>),
    row(285, "R_AARCH64_LDST32_ABS_LO12_NC", What::Symbol, How::Plain, 4, low12::<2>),
    row(286, "R_AARCH64_LDST64_ABS_LO12_NC", What::Symbol, How::Plain, 4, low12::<3>),
    row(287, "R_AARCH64_MOVW_PREL_G0", What::Symbol, How::FromPlace, 4, movnz::<0>),
    row(288, "R_AARCH64_MOVW_PREL_G0_NC", What::Symbol, How::FromPlace, 4, movw::<0, false>),
    row(289, "R_AARCH64_MOVW_PREL_G1", What::Symbol, How::FromPlace, 4, movnz::<16>),
    row(290, "R_AARCH64_MOVW_PREL_G1_NC", What::Symbol, How::FromPlace, 4, movw::<16, false>),
    row(291, "R_AARCH64_MOVW_PREL_G2", What::Symbol, How::FromPlace, 4, movnz::<32>),
    row(292, "R_AARCH64_MOVW_PREL_G2_NC", What::Symbol, How::FromPlace, 4, movw::<32, false>),
    row(293, "R_AARCH64_MOVW_PREL_G3", What::Symbol, How::FromPlace, 4, movnz::<48>),
    row(299, "R_AARCH64_LDST128_ABS_LO12_NC", What::Symbol, How::Plain, 4, low12::<4>),
    row(309, "R_AARCH64_GOT_LD_PREL19", What::Got, How::FromPlace, 4, imm19),
    row(311, "R_AARCH64_ADR_GOT_PAGE", What::Got, How::Pages, 4, adrp),
    row(312, "R_AARCH64_LD64_GOT_LO12_NC", What::Got, How::Plain, 4, low12::<3>),
    row(313, "R_AARCH64_LD64_GOTPAGE_LO15", What::Got, How::FromGotPage, 4, low15),
    row(314, "R_AARCH64_PLT32", What::Symbol, How::FromPlace, 4, data32),
    row(513, "R_AARCH64_TLSGD_ADR_PAGE21", What::GotGd, How::Pages, 4, adrp),
    row(514, "R_AARCH64_TLSGD_ADD_LO12_NC", What::GotGd, How::Plain, 4, low12::<0>),
    row(541, "R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21", What::GotTp, How::Pages, 4, adrp),
    row(542, "R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC", What::GotTp, How::Plain, 4, low12::<3>),
    row(543, "R_AARCH64_TLSIE_LD_GOTTPREL_PREL19", What::GotTp, How::FromPlace, 4, imm19),
    row(544, "R_AARCH64_TLSLE_MOVW_TPREL_G2", What::Tp, How::Plain, 4, movnz::<32>),
    row(545, "R_AARCH64_TLSLE_MOVW_TPREL_G1", What::Tp, How::Plain, 4, movnz::<16>),
    row(546, "R_AARCH64_TLSLE_MOVW_TPREL_G1_NC", What::Tp, How::Plain, 4, movw::<16, false>),
    row(547, "R_AARCH64_TLSLE_MOVW_TPREL_G0", What::Tp, How::Plain, 4, movnz::<0>),
    row(548, "R_AARCH64_TLSLE_MOVW_TPREL_G0_NC", What::Tp, How::Plain, 4, movw::<0, false>),
    row(549, "R_AARCH64_TLSLE_ADD_TPREL_HI12", What::Tp, How::Plain, 4, high12),
    row(550, "R_AARCH64_TLSLE_ADD_TPREL_LO12", What::Tp, How::Plain, 4, all12::<0>),
    row(551, "R_AARCH64_TLSLE_ADD_TPREL_LO12_NC", What::Tp, How::Plain, 4, low12::<0>),
    row(552, "R_AARCH64_TLSLE_LDST8_TPREL_LO12", What::Tp, How::Plain, 4, all12::<0>),
    row(553, "R_AARCH64_TLSLE_LDST8_TPREL_LO12_NC", What::Tp, How::Plain, 4, low12::<0>),
    row(554, "R_AARCH64_TLSLE_LDST16_TPREL_LO12", What::Tp, How::Plain, 4, all12::<1>),
    row(555, "R_AARCH64_TLSLE_LDST16_TPREL_LO12_NC", What::Tp, How::Plain, 4, low12::<1>),
    row(556, "R_AARCH64_TLSLE_LDST32_TPREL_LO12", What::Tp, How::Plain, 4, all12::<2>),
    row(557, "R_AARCH64_TLSLE_LDST32_TPREL_LO12_NC", What::Tp, How::Plain, 4, low12::<2>),
    row(558, "R_AARCH64_TLSLE_LDST64_TPREL_LO12", What::Tp, How::Plain, 4, all12::<3>),
    row(559, "R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC", What::Tp, How::Plain, 4, low12::<3>),
    row(562, "R_AARCH64_TLSDESC_ADR_PAGE21", What::Tp, How::Plain, 4, desc_high),
    row(563, "R_AARCH64_TLSDESC_LD64_LO12", What::Tp, How::Plain, 4, desc_low),
    row(564, "R_AARCH64_TLSDESC_ADD_LO12", What::Nothing, How::Plain, 4, nop),
    row(569, "R_AARCH64_TLSDESC_CALL", What::Nothing, How::Plain, 4, nop),
    row(570, "R_AARCH64_TLSLE_LDST128_TPREL_LO12", What::Tp, How::Plain, 4, all12::<4>),
    row(571, "R_AARCH64_TLSLE_LDST128_TPREL_LO12_NC", What::Tp, How::Plain, 4, low12::<4>),
    row(1028, "R_AARCH64_TLS_DTPREL64", What::Dtp, How::Plain, 8, data64),
    row(1030, "R_AARCH64_TLS_TPREL64", What::Tp, How::Plain, 8, data64),
];

fn movw<const SHIFT: u32, const CHECK: bool>(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0xffff << 5, ((value >> SHIFT) as u32 & 0xffff) << 5);
    !CHECK || value >= 0 && value >> SHIFT <= 0xffff
}

/// `movz`, or `movn` of the complement for a negative value.
fn movnz<const SHIFT: u32>(bytes: &mut [u8], value: i64) -> bool {
    let part = (if value < 0 { !value } else { value }) >> SHIFT;
    let opcode = if value < 0 { 0 } else { 1 << 30 };
    patch(bytes, 0xffff << 5 | 1 << 30, (part as u32 & 0xffff) << 5 | opcode);
    part <= 0xffff
}

fn imm26(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0x03ff_ffff, (value >> 2) as u32);
    signed(value, 28) && value & 3 == 0
}

fn imm19(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0x7ffff << 5, ((value >> 2) as u32) << 5);
    signed(value, 21) && value & 3 == 0
}

fn imm14(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0x3fff << 5, ((value >> 2) as u32) << 5);
    signed(value, 16) && value & 3 == 0
}

fn adr(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 3 << 29 | 0x7ffff << 5, (value as u32 & 3) << 29 | ((value >> 2) as u32 & 0x7ffff) << 5);
    signed(value, 21)
}

fn adrp_unchecked(bytes: &mut [u8], value: i64) -> bool {
    adr(bytes, value >> 12);
    true
}

fn adrp(bytes: &mut [u8], value: i64) -> bool {
    adrp_unchecked(bytes, value);
    signed(value, 33)
}

/// The low 12 bits, in units of the access; they must be whole ones.
fn low12<const SHIFT: u32>(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0xfff << 10, (value as u32 & 0xfff) >> SHIFT << 10);
    value & ((1 << SHIFT) - 1) == 0
}

fn all12<const SHIFT: u32>(bytes: &mut [u8], value: i64) -> bool {
    low12::<SHIFT>(bytes, value) && (0..1 << 12).contains(&value)
}

fn high12(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0xfff << 10, (value as u32 >> 12) << 10);
    (0..1 << 24).contains(&value)
}

fn low15(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0xfff << 10, (value as u32 >> 3) << 10);
    (0..1 << 15).contains(&value) && value & 7 == 0
}

fn nop(bytes: &mut [u8], _: i64) -> bool {
    set_word(bytes, 0, 0xd503_201f);
    true
}

/// `movz x0, #high, lsl 16`
fn desc_high(bytes: &mut [u8], value: i64) -> bool {
    set_word(bytes, 0, 0xd2a0_0000 | ((value >> 16) as u32 & 0xffff) << 5);
    (0..1 << 32).contains(&value)
}

/// `movk x0, #low`
fn desc_low(bytes: &mut [u8], value: i64) -> bool {
    set_word(bytes, 0, 0xf280_0000 | (value as u32 & 0xffff) << 5);
    true
}
