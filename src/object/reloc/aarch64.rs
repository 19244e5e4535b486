//! The relocations of AArch64 (ELF for the Arm 64-bit architecture, 5.7).
//!
//! Descriptors of thread-local variables (`TLSDESC`) are replaced by the offset from the thread pointer,
//! which a static program knows: `adrp, ldr, add, blr` becomes `movz, movk, nop, nop`.

use super::*;

/// How far `b` and `bl` go.
const REACH: i64 = 1 << 27;

relocations! {
    R_AARCH64_NONE = row(0, What::Nothing, How::Plain, 0, nothing);
    R_AARCH64_WITHDRAWN = row(256, What::Nothing, How::Plain, 0, nothing);
    R_AARCH64_ABS64 = row(257, What::Symbol, How::Plain, 8, data::<8>);
    R_AARCH64_ABS32 = row(258, What::Symbol, How::Plain, 4, data::<4>);
    R_AARCH64_ABS16 = row(259, What::Symbol, How::Plain, 2, data::<2>);
    R_AARCH64_PREL64 = row(260, What::Symbol, How::FromPlace, 8, data::<8>);
    R_AARCH64_PREL32 = row(261, What::Symbol, How::FromPlace, 4, data::<4>);
    R_AARCH64_PREL16 = row(262, What::Symbol, How::FromPlace, 2, data::<2>);
    R_AARCH64_MOVW_UABS_G0 = row(263, What::Symbol, How::Plain, 4, movw::<0, true>);
    R_AARCH64_MOVW_UABS_G0_NC = row(264, What::Symbol, How::Plain, 4, movw::<0, false>);
    R_AARCH64_MOVW_UABS_G1 = row(265, What::Symbol, How::Plain, 4, movw::<16, true>);
    R_AARCH64_MOVW_UABS_G1_NC = row(266, What::Symbol, How::Plain, 4, movw::<16, false>);
    R_AARCH64_MOVW_UABS_G2 = row(267, What::Symbol, How::Plain, 4, movw::<32, true>);
    R_AARCH64_MOVW_UABS_G2_NC = row(268, What::Symbol, How::Plain, 4, movw::<32, false>);
    R_AARCH64_MOVW_UABS_G3 = row(269, What::Symbol, How::Plain, 4, movw::<48, false>);
    R_AARCH64_MOVW_SABS_G0 = row(270, What::Symbol, How::Plain, 4, movnz::<0>);
    R_AARCH64_MOVW_SABS_G1 = row(271, What::Symbol, How::Plain, 4, movnz::<16>);
    R_AARCH64_MOVW_SABS_G2 = row(272, What::Symbol, How::Plain, 4, movnz::<32>);
    R_AARCH64_LD_PREL_LO19 = row(273, What::Symbol, How::FromPlace, 4, branch::<19, 5>);
    R_AARCH64_ADR_PREL_LO21 = row(274, What::Symbol, How::FromPlace, 4, adr);
    R_AARCH64_ADR_PREL_PG_HI21 = row(275, What::Symbol, How::Pages, 4, adrp);
    R_AARCH64_ADR_PREL_PG_HI21_NC = row(276, What::Symbol, How::Pages, 4, adrp_unchecked);
    R_AARCH64_ADD_ABS_LO12_NC = row(277, What::Symbol, How::Plain, 4, low12::<0>);
    R_AARCH64_LDST8_ABS_LO12_NC = row(278, What::Symbol, How::Plain, 4, low12::<0>);
    R_AARCH64_TSTBR14 = row(279, What::Symbol, How::FromPlace, 4, branch::<14, 5>);
    R_AARCH64_CONDBR19 = row(280, What::Symbol, How::FromPlace, 4, branch::<19, 5>);
    R_AARCH64_JUMP26 = row(282, What::Symbol, How::FromPlace, 4, branch::<26, 0>).call(REACH, false, true);
    R_AARCH64_CALL26 = row(283, What::Symbol, How::FromPlace, 4, branch::<26, 0>).call(REACH, false, true);
    R_AARCH64_LDST16_ABS_LO12_NC = row(284, What::Symbol, How::Plain, 4, low12::<1>);
    R_AARCH64_LDST32_ABS_LO12_NC = row(285, What::Symbol, How::Plain, 4, low12::<2>);
    R_AARCH64_LDST64_ABS_LO12_NC = row(286, What::Symbol, How::Plain, 4, low12::<3>);
    R_AARCH64_MOVW_PREL_G0 = row(287, What::Symbol, How::FromPlace, 4, movnz::<0>);
    R_AARCH64_MOVW_PREL_G0_NC = row(288, What::Symbol, How::FromPlace, 4, movw::<0, false>);
    R_AARCH64_MOVW_PREL_G1 = row(289, What::Symbol, How::FromPlace, 4, movnz::<16>);
    R_AARCH64_MOVW_PREL_G1_NC = row(290, What::Symbol, How::FromPlace, 4, movw::<16, false>);
    R_AARCH64_MOVW_PREL_G2 = row(291, What::Symbol, How::FromPlace, 4, movnz::<32>);
    R_AARCH64_MOVW_PREL_G2_NC = row(292, What::Symbol, How::FromPlace, 4, movw::<32, false>);
    R_AARCH64_MOVW_PREL_G3 = row(293, What::Symbol, How::FromPlace, 4, movnz::<48>);
    R_AARCH64_LDST128_ABS_LO12_NC = row(299, What::Symbol, How::Plain, 4, low12::<4>);
    R_AARCH64_GOT_LD_PREL19 = row(309, What::Got, How::FromPlace, 4, branch::<19, 5>);
    R_AARCH64_ADR_GOT_PAGE = row(311, What::Got, How::Pages, 4, adrp);
    R_AARCH64_LD64_GOT_LO12_NC = row(312, What::Got, How::Plain, 4, low12::<3>);
    R_AARCH64_LD64_GOTPAGE_LO15 = row(313, What::Got, How::FromGotPage, 4, low15);
    R_AARCH64_PLT32 = row(314, What::Symbol, How::FromPlace, 4, data::<4>);
    R_AARCH64_TLSGD_ADR_PAGE21 = row(513, What::GotGd, How::Pages, 4, adrp);
    R_AARCH64_TLSGD_ADD_LO12_NC = row(514, What::GotGd, How::Plain, 4, low12::<0>);
    R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21 = row(541, What::GotTp, How::Pages, 4, adrp);
    R_AARCH64_TLSIE_LD64_GOTTPREL_LO12_NC = row(542, What::GotTp, How::Plain, 4, low12::<3>);
    R_AARCH64_TLSIE_LD_GOTTPREL_PREL19 = row(543, What::GotTp, How::FromPlace, 4, branch::<19, 5>);
    R_AARCH64_TLSLE_MOVW_TPREL_G2 = row(544, What::Tp, How::Plain, 4, movnz::<32>);
    R_AARCH64_TLSLE_MOVW_TPREL_G1 = row(545, What::Tp, How::Plain, 4, movnz::<16>);
    R_AARCH64_TLSLE_MOVW_TPREL_G1_NC = row(546, What::Tp, How::Plain, 4, movw::<16, false>);
    R_AARCH64_TLSLE_MOVW_TPREL_G0 = row(547, What::Tp, How::Plain, 4, movnz::<0>);
    R_AARCH64_TLSLE_MOVW_TPREL_G0_NC = row(548, What::Tp, How::Plain, 4, movw::<0, false>);
    R_AARCH64_TLSLE_ADD_TPREL_HI12 = row(549, What::Tp, How::Plain, 4, high12);
    R_AARCH64_TLSLE_ADD_TPREL_LO12 = row(550, What::Tp, How::Plain, 4, all12::<0>);
    R_AARCH64_TLSLE_ADD_TPREL_LO12_NC = row(551, What::Tp, How::Plain, 4, low12::<0>);
    R_AARCH64_TLSLE_LDST8_TPREL_LO12 = row(552, What::Tp, How::Plain, 4, all12::<0>);
    R_AARCH64_TLSLE_LDST8_TPREL_LO12_NC = row(553, What::Tp, How::Plain, 4, low12::<0>);
    R_AARCH64_TLSLE_LDST16_TPREL_LO12 = row(554, What::Tp, How::Plain, 4, all12::<1>);
    R_AARCH64_TLSLE_LDST16_TPREL_LO12_NC = row(555, What::Tp, How::Plain, 4, low12::<1>);
    R_AARCH64_TLSLE_LDST32_TPREL_LO12 = row(556, What::Tp, How::Plain, 4, all12::<2>);
    R_AARCH64_TLSLE_LDST32_TPREL_LO12_NC = row(557, What::Tp, How::Plain, 4, low12::<2>);
    R_AARCH64_TLSLE_LDST64_TPREL_LO12 = row(558, What::Tp, How::Plain, 4, all12::<3>);
    R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC = row(559, What::Tp, How::Plain, 4, low12::<3>);
    R_AARCH64_TLSDESC_ADR_PAGE21 = row(562, What::Tp, How::Plain, 4, desc_high);
    R_AARCH64_TLSDESC_LD64_LO12 = row(563, What::Tp, How::Plain, 4, desc_low);
    R_AARCH64_TLSDESC_ADD_LO12 = row(564, What::Nothing, How::Plain, 4, nop);
    R_AARCH64_TLSDESC_CALL = row(569, What::Nothing, How::Plain, 4, nop);
    R_AARCH64_TLSLE_LDST128_TPREL_LO12 = row(570, What::Tp, How::Plain, 4, all12::<4>);
    R_AARCH64_TLSLE_LDST128_TPREL_LO12_NC = row(571, What::Tp, How::Plain, 4, low12::<4>);
    R_AARCH64_TLS_DTPREL64 = row(1028, What::Dtp, How::Plain, 8, data::<8>);
    R_AARCH64_TLS_TPREL64 = row(1030, What::Tp, How::Plain, 8, data::<8>);
}

fn movw<const SHIFT: u32, const CHECK: bool>(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(SHIFT, 16, 5)]);
    !CHECK || value >= 0 && value >> SHIFT <= 0xffff
}

/// `movz`, or `movn` of the complement for a negative value.
fn movnz<const SHIFT: u32>(bytes: &mut [u8], value: i64) -> bool {
    let part = if value < 0 { !value } else { value };
    put::<4>(bytes, part, &[(SHIFT, 16, 5)]);
    patch::<4>(bytes, 1 << 30, if value < 0 { 0 } else { 1 << 30 });
    part >> SHIFT <= 0xffff
}

/// A distance in instructions, in `BITS` bits from bit `AT` on.
fn branch<const BITS: u32, const AT: u32>(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(2, BITS, AT)]);
    signed(value, BITS + 2) && value & 3 == 0
}

fn adr(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(0, 2, 29), (2, 19, 5)]);
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
    put::<4>(bytes, value & 0xfff, &[(SHIFT, 12, 10)]);
    value & ((1 << SHIFT) - 1) == 0
}

fn all12<const SHIFT: u32>(bytes: &mut [u8], value: i64) -> bool {
    low12::<SHIFT>(bytes, value) && (0..1 << 12).contains(&value)
}

fn high12(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(12, 12, 10)]);
    (0..1 << 24).contains(&value)
}

fn low15(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(3, 12, 10)]);
    (0..1 << 15).contains(&value) && value & 7 == 0
}

fn nop(bytes: &mut [u8], _: i64) -> bool {
    wrap::<4>(bytes, 0xd503_201f)
}

/// `movz x0, #high, lsl 16`
fn desc_high(bytes: &mut [u8], value: i64) -> bool {
    wrap::<4>(bytes, 0xd2a0_0000) && movw::<16, true>(bytes, value)
}

/// `movk x0, #low`
fn desc_low(bytes: &mut [u8], value: i64) -> bool {
    wrap::<4>(bytes, 0xf280_0000) && movw::<0, false>(bytes, value)
}
