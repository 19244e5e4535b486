//! The relocations of 32-bit ARM, in ARM and Thumb state (ELF for the Arm architecture, 5.6).
//!
//! The address of a Thumb function is odd, so S has the T of the document's `(S + A) | T` in it. Calls switch
//! the state by changing `bl` into `blx` or back; where there is no such form the linker makes a veneer (see
//! `Call`).

use super::*;

const ARM: i64 = 1 << 25;
const THUMB: i64 = 1 << 24;

relocations! {
    R_ARM_NONE = row(0, What::Nothing, How::Plain, 0, nothing);
    R_ARM_PC24 = row(1, What::Symbol, How::FromPlace, 4, jump24).get(get24).call(ARM, false, false);
    R_ARM_ABS32 = row(2, What::Symbol, How::Plain, 4, wrap32).get(get32);
    R_ARM_REL32 = row(3, What::Symbol, How::FromPlace, 4, wrap32).get(get32);
    R_ARM_ABS16 = row(5, What::Symbol, How::Plain, 2, data16).get(get16);
    R_ARM_ABS8 = row(8, What::Symbol, How::Plain, 1, data8).get(get8);
    R_ARM_THM_CALL = row(10, What::Symbol, How::FromPlace, 4, thumb_call).get(get_thumb24).call(THUMB, true, true);
    R_ARM_GOTOFF32 = row(24, What::Symbol, How::FromGot, 4, wrap32).get(get32);
    R_ARM_BASE_PREL = row(25, What::GotStart, How::FromPlace, 4, wrap32).get(get32);
    R_ARM_GOT_BREL = row(26, What::Got, How::FromGot, 4, wrap32).get(get32);
    R_ARM_PLT32 = row(27, What::Symbol, How::FromPlace, 4, jump24).get(get24).call(ARM, false, false);
    R_ARM_CALL = row(28, What::Symbol, How::FromPlace, 4, call24).get(get24).call(ARM, false, true);
    R_ARM_JUMP24 = row(29, What::Symbol, How::FromPlace, 4, jump24).get(get24).call(ARM, false, false);
    R_ARM_THM_JUMP24 = row(30, What::Symbol, How::FromPlace, 4, thumb_jump24).get(get_thumb24).call(THUMB, true, false);
    R_ARM_TARGET1 = row(38, What::Symbol, How::Plain, 4, wrap32).get(get32);
    R_ARM_V4BX = row(40, What::Nothing, How::Plain, 0, nothing);
    R_ARM_TARGET2 = row(41, What::Got, How::FromPlace, 4, wrap32).get(get32);
    R_ARM_PREL31 = row(42, What::Symbol, How::FromPlace, 4, prel31).get(get31);
    R_ARM_MOVW_ABS_NC = row(43, What::Symbol, How::Plain, 4, movw).get(get_mov);
    R_ARM_MOVT_ABS = row(44, What::Symbol, How::Plain, 4, movt).get(get_mov);
    R_ARM_MOVW_PREL_NC = row(45, What::Symbol, How::FromPlace, 4, movw).get(get_mov);
    R_ARM_MOVT_PREL = row(46, What::Symbol, How::FromPlace, 4, movt).get(get_mov);
    R_ARM_THM_MOVW_ABS_NC = row(47, What::Symbol, How::Plain, 4, thumb_movw).get(get_thumb_mov);
    R_ARM_THM_MOVT_ABS = row(48, What::Symbol, How::Plain, 4, thumb_movt).get(get_thumb_mov);
    R_ARM_THM_MOVW_PREL_NC = row(49, What::Symbol, How::FromPlace, 4, thumb_movw).get(get_thumb_mov);
    R_ARM_THM_MOVT_PREL = row(50, What::Symbol, How::FromPlace, 4, thumb_movt).get(get_thumb_mov);
    R_ARM_THM_JUMP19 = row(51, What::Symbol, How::FromPlace, 4, thumb_jump19).get(get_thumb19).call(1 << 20, true, false);
    R_ARM_GOT_PREL = row(96, What::Got, How::FromPlace, 4, wrap32).get(get32);
    R_ARM_THM_JUMP11 = row(102, What::Symbol, How::FromPlace, 2, thumb_jump11).get(get_thumb11);
    R_ARM_THM_JUMP8 = row(103, What::Symbol, How::FromPlace, 2, thumb_jump8).get(get_thumb8);
    R_ARM_TLS_GD32 = row(104, What::GotGd, How::FromPlace, 4, wrap32).get(get32);
    R_ARM_TLS_LDM32 = row(105, What::GotLd, How::FromPlace, 4, wrap32).get(get32);
    R_ARM_TLS_LDO32 = row(106, What::Dtp, How::Plain, 4, wrap32).get(get32);
    R_ARM_TLS_IE32 = row(107, What::GotTp, How::FromPlace, 4, wrap32).get(get32);
    R_ARM_TLS_LE32 = row(108, What::Tp, How::Plain, 4, wrap32).get(get32);
}

/// The low `bits` of a word, with sign.
fn extend(word: u32, bits: u32) -> i64 {
    i64::from((word << (32 - bits)) as i32 >> (32 - bits))
}

fn get24(bytes: &[u8]) -> i64 {
    let word = word_at(bytes, 0);
    let half = if word >> 28 == 0xf { i64::from(word >> 24 & 1) << 1 } else { 0 };
    extend(word, 24) << 2 | half
}

fn jump24(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0x00ff_ffff, (value >> 2) as u32);
    signed(value, 26) && value & 3 == 0
}

/// `bl` to ARM state, `blx` to Thumb state.
fn call24(bytes: &mut [u8], value: i64) -> bool {
    let word = word_at(bytes, 0);
    let always = matches!(word >> 28, 0xe | 0xf);
    if value & 1 == 0 {
        if word >> 28 == 0xf {
            set_word(bytes, 0, 0xeb00_0000);
        }
        return jump24(bytes, value);
    }
    set_word(bytes, 0, 0xfa00_0000 | (value as u32 >> 1 & 1) << 24 | (value >> 2) as u32 & 0x00ff_ffff);
    always && signed(value, 26)
}

fn get31(bytes: &[u8]) -> i64 {
    extend(word_at(bytes, 0), 31)
}

fn prel31(bytes: &mut [u8], value: i64) -> bool {
    patch(bytes, 0x7fff_ffff, value as u32);
    signed(value, 31)
}

fn get_mov(bytes: &[u8]) -> i64 {
    let word = word_at(bytes, 0);
    extend(word >> 4 & 0xf000 | word & 0xfff, 16)
}

fn movw(bytes: &mut [u8], value: i64) -> bool {
    let v = value as u32;
    patch(bytes, 0x000f_0fff, (v & 0xf000) << 4 | v & 0xfff);
    true
}

fn movt(bytes: &mut [u8], value: i64) -> bool {
    movw(bytes, value >> 16)
}

/// Thumb's long instructions are two halves, the first of which holds the upper bits.
fn halves(bytes: &[u8]) -> (u32, u32) {
    (u32::from(half_at(bytes, 0)), u32::from(half_at(bytes, 2)))
}

fn patch_halves(bytes: &mut [u8], masks: (u32, u32), bits: (u32, u32)) {
    let (first, second) = halves(bytes);
    set_half(bytes, 0, (first & !masks.0 | bits.0 & masks.0) as u16);
    set_half(bytes, 2, (second & !masks.1 | bits.1 & masks.1) as u16);
}

fn get_thumb_mov(bytes: &[u8]) -> i64 {
    let (first, second) = halves(bytes);
    extend((first & 0xf) << 12 | (first >> 10 & 1) << 11 | (second >> 12 & 7) << 8 | second & 0xff, 16)
}

fn thumb_movw(bytes: &mut [u8], value: i64) -> bool {
    let v = value as u32;
    let first = v >> 12 & 0xf | (v >> 11 & 1) << 10;
    let second = (v >> 8 & 7) << 12 | v & 0xff;
    patch_halves(bytes, (0x040f, 0x70ff), (first, second));
    true
}

fn thumb_movt(bytes: &mut [u8], value: i64) -> bool {
    thumb_movw(bytes, value >> 16)
}

fn get_thumb24(bytes: &[u8]) -> i64 {
    let (first, second) = halves(bytes);
    let sign = first >> 10 & 1;
    let (i1, i2) = (!(second >> 13 ^ sign) & 1, !(second >> 11 ^ sign) & 1);
    extend(sign << 24 | i1 << 23 | i2 << 22 | (first & 0x3ff) << 12 | (second & 0x7ff) << 1, 25)
}

fn set_thumb24(bytes: &mut [u8], value: i64) -> bool {
    let v = value as u32;
    let sign = v >> 24 & 1;
    let (j1, j2) = (!(v >> 23 ^ sign) & 1, !(v >> 22 ^ sign) & 1);
    patch_halves(
        bytes,
        (0x07ff, 0x2fff),
        (sign << 10 | v >> 12 & 0x3ff, j1 << 13 | j2 << 11 | v >> 1 & 0x7ff),
    );
    signed(value, 25)
}

fn thumb_jump24(bytes: &mut [u8], value: i64) -> bool {
    set_thumb24(bytes, value & !1)
}

/// `bl` to Thumb state; `blx` to ARM state, which counts from the place rounded down to four bytes.
fn thumb_call(bytes: &mut [u8], value: i64) -> bool {
    let (_, second) = halves(bytes);
    if value & 1 != 0 {
        set_half(bytes, 2, (second | 0x1000) as u16);
        return set_thumb24(bytes, value & !1);
    }
    set_half(bytes, 2, (second & !0x1000) as u16);
    set_thumb24(bytes, value.wrapping_add(3) & !3)
}

fn get_thumb19(bytes: &[u8]) -> i64 {
    let (first, second) = halves(bytes);
    let high = (first >> 10 & 1) << 20 | (second >> 11 & 1) << 19 | (second >> 13 & 1) << 18;
    extend(high | (first & 0x3f) << 12 | (second & 0x7ff) << 1, 21)
}

fn thumb_jump19(bytes: &mut [u8], value: i64) -> bool {
    let v = value as u32;
    let first = (v >> 20 & 1) << 10 | v >> 12 & 0x3f;
    let second = (v >> 18 & 1) << 13 | (v >> 19 & 1) << 11 | v >> 1 & 0x7ff;
    patch_halves(bytes, (0x043f, 0x2fff), (first, second));
    signed(value, 21)
}

fn get_thumb11(bytes: &[u8]) -> i64 {
    extend(u32::from(half_at(bytes, 0)), 11) << 1
}

fn thumb_jump11(bytes: &mut [u8], value: i64) -> bool {
    let half = half_at(bytes, 0);
    set_half(bytes, 0, half & !0x7ff | (value >> 1) as u16 & 0x7ff);
    signed(value, 12)
}

fn get_thumb8(bytes: &[u8]) -> i64 {
    extend(u32::from(half_at(bytes, 0)), 8) << 1
}

fn thumb_jump8(bytes: &mut [u8], value: i64) -> bool {
    let half = half_at(bytes, 0);
    set_half(bytes, 0, half & !0xff | (value >> 1) as u16 & 0xff);
    signed(value, 9)
}
