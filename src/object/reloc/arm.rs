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
    R_ARM_ABS32 = row(2, What::Symbol, How::Plain, 4, wrap::<4>).get(get::<4>);
    R_ARM_REL32 = row(3, What::Symbol, How::FromPlace, 4, wrap::<4>).get(get::<4>);
    R_ARM_ABS16 = row(5, What::Symbol, How::Plain, 2, data::<2>).get(get::<2>);
    R_ARM_ABS8 = row(8, What::Symbol, How::Plain, 1, data::<1>).get(get::<1>);
    R_ARM_THM_CALL = row(10, What::Symbol, How::FromPlace, 4, thumb_call).get(get_thumb24).call(THUMB, true, true);
    R_ARM_GOTOFF32 = row(24, What::Symbol, How::FromGot, 4, wrap::<4>).get(get::<4>);
    R_ARM_BASE_PREL = row(25, What::GotStart, How::FromPlace, 4, wrap::<4>).get(get::<4>);
    R_ARM_GOT_BREL = row(26, What::Got, How::FromGot, 4, wrap::<4>).get(get::<4>);
    R_ARM_PLT32 = row(27, What::Symbol, How::FromPlace, 4, jump24).get(get24).call(ARM, false, false);
    R_ARM_CALL = row(28, What::Symbol, How::FromPlace, 4, call24).get(get24).call(ARM, false, true);
    R_ARM_JUMP24 = row(29, What::Symbol, How::FromPlace, 4, jump24).get(get24).call(ARM, false, false);
    R_ARM_THM_JUMP24 = row(30, What::Symbol, How::FromPlace, 4, thumb_jump24).get(get_thumb24).call(THUMB, true, false);
    R_ARM_TARGET1 = row(38, What::Symbol, How::Plain, 4, wrap::<4>).get(get::<4>);
    R_ARM_V4BX = row(40, What::Nothing, How::Plain, 0, nothing);
    R_ARM_TARGET2 = row(41, What::Got, How::FromPlace, 4, wrap::<4>).get(get::<4>);
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
    R_ARM_GOT_PREL = row(96, What::Got, How::FromPlace, 4, wrap::<4>).get(get::<4>);
    R_ARM_THM_JUMP11 = row(102, What::Symbol, How::FromPlace, 2, thumb_short::<12>).get(get_thumb_short::<12>);
    R_ARM_THM_JUMP8 = row(103, What::Symbol, How::FromPlace, 2, thumb_short::<9>).get(get_thumb_short::<9>);
    R_ARM_TLS_GD32 = row(104, What::GotGd, How::FromPlace, 4, wrap::<4>).get(get::<4>);
    R_ARM_TLS_LDM32 = row(105, What::GotLd, How::FromPlace, 4, wrap::<4>).get(get::<4>);
    R_ARM_TLS_LDO32 = row(106, What::Dtp, How::Plain, 4, wrap::<4>).get(get::<4>);
    R_ARM_TLS_IE32 = row(107, What::GotTp, How::FromPlace, 4, wrap::<4>).get(get::<4>);
    R_ARM_TLS_LE32 = row(108, What::Tp, How::Plain, 4, wrap::<4>).get(get::<4>);
}

fn get24(bytes: &[u8]) -> i64 {
    let word = word(bytes);
    let half = if word >> 28 == 0xf { i64::from(word >> 24 & 1) << 1 } else { 0 };
    extend(word.into(), 24) << 2 | half
}

fn jump24(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(2, 24, 0)]);
    signed(value, 26) && value & 3 == 0
}

/// `bl` to ARM state, `blx` to Thumb state.
fn call24(bytes: &mut [u8], value: i64) -> bool {
    let condition = word(bytes) >> 28;
    if value & 1 == 0 {
        if condition == 0xf {
            wrap::<4>(bytes, 0xeb00_0000);
        }
        return jump24(bytes, value);
    }
    wrap::<4>(bytes, 0xfa00_0000);
    put::<4>(bytes, value, &[(1, 1, 24), (2, 24, 0)]);
    matches!(condition, 0xe | 0xf) && signed(value, 26)
}

fn get31(bytes: &[u8]) -> i64 {
    extend(word(bytes).into(), 31)
}

fn prel31(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &[(0, 31, 0)]);
    signed(value, 31)
}

const MOVW: [Field; 2] = [(12, 4, 16), (0, 12, 0)];

fn get_mov(bytes: &[u8]) -> i64 {
    extend(gathered(word(bytes), &MOVW), 16)
}

fn movw(bytes: &mut [u8], value: i64) -> bool {
    put::<4>(bytes, value, &MOVW);
    true
}

fn movt(bytes: &mut [u8], value: i64) -> bool {
    movw(bytes, value >> 16)
}

/// Thumb's long instructions are two halves, the first of which holds the upper bits.
fn thumb(bytes: &[u8]) -> u32 {
    word(bytes).rotate_left(16)
}

fn put_thumb(bytes: &mut [u8], value: i64, fields: &[Field]) {
    let word = thumb(bytes) & !scattered(-1, fields) | scattered(value, fields);
    wrap::<4>(bytes, word.rotate_left(16).into());
}

const THUMB_MOVW: [Field; 4] = [(12, 4, 16), (11, 1, 26), (8, 3, 12), (0, 8, 0)];

fn get_thumb_mov(bytes: &[u8]) -> i64 {
    extend(gathered(thumb(bytes), &THUMB_MOVW), 16)
}

fn thumb_movw(bytes: &mut [u8], value: i64) -> bool {
    put_thumb(bytes, value, &THUMB_MOVW);
    true
}

fn thumb_movt(bytes: &mut [u8], value: i64) -> bool {
    thumb_movw(bytes, value >> 16)
}

/// Sign, J1, J2 and the rest of a long jump: bits 23 and 22 stand there inverted if the sign is not set.
const THUMB_JUMP24: [Field; 5] = [(24, 1, 26), (23, 1, 13), (22, 1, 11), (12, 10, 16), (1, 11, 0)];

/// Between a distance and what stands in its fields, either way.
fn thumb_signs(value: i64) -> i64 {
    if value >> 24 & 1 == 0 { value ^ 3 << 22 } else { value }
}

fn get_thumb24(bytes: &[u8]) -> i64 {
    extend(thumb_signs(gathered(thumb(bytes), &THUMB_JUMP24) as i64) as u64, 25)
}

fn thumb_jump24(bytes: &mut [u8], value: i64) -> bool {
    put_thumb(bytes, thumb_signs(value), &THUMB_JUMP24);
    signed(value & !1, 25)
}

/// `bl` to Thumb state; `blx` to ARM state, which counts from the place rounded down to four bytes.
fn thumb_call(bytes: &mut [u8], value: i64) -> bool {
    let to_thumb = value & 1;
    put_thumb(bytes, to_thumb, &[(0, 1, 12)]);
    thumb_jump24(bytes, if to_thumb != 0 { value } else { value.wrapping_add(3) & !3 })
}

const THUMB_JUMP19: [Field; 5] = [(20, 1, 26), (19, 1, 11), (18, 1, 13), (12, 6, 16), (1, 11, 0)];

fn get_thumb19(bytes: &[u8]) -> i64 {
    extend(gathered(thumb(bytes), &THUMB_JUMP19), 21)
}

fn thumb_jump19(bytes: &mut [u8], value: i64) -> bool {
    put_thumb(bytes, value, &THUMB_JUMP19);
    signed(value, 21)
}

/// A jump of 16 bits, with a distance of `BITS` bits, the lowest of which is not there.
fn thumb_short<const BITS: u32>(bytes: &mut [u8], value: i64) -> bool {
    put::<2>(bytes, value, &[(1, BITS - 1, 0)]);
    signed(value, BITS)
}

fn get_thumb_short<const BITS: u32>(bytes: &[u8]) -> i64 {
    extend(number::<2>(bytes), BITS - 1) << 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addends_in_place_are_what_was_put() {
        let kinds = ROWS.iter().filter(|row| row.size > 1 && row.number != R_ARM_CALL);
        for (row, value) in kinds.flat_map(|row| (-250..250).map(move |k| (row, k * 4))) {
            let mut bytes = [0x12, 0xeb, 0x34, 0xd6];
            let upper = row.name.contains("MOVT");
            let put = if upper { value << 16 } else { value | i64::from(row.name == "R_ARM_THM_CALL") };
            if (row.put)(&mut bytes, put) {
                assert_eq!((row.get)(&bytes), value, "{} {value}", row.name);
            }
        }
        // bl to 0x1000 before, from ARM and from Thumb state.
        let (mut arm, mut thumb) = ([0, 0, 0, 0xeb], [0, 0xf0, 0, 0xd0]);
        assert!(call24(&mut arm, -0x1000) && thumb_call(&mut thumb, -0x0fff));
        assert_eq!((arm, thumb), ([0, 0xfc, 0xff, 0xeb], [0xff, 0xf7, 0, 0xf8]));
    }
}
