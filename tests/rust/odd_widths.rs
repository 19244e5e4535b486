#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

// Bits in words, as fields of what is sent: shifts and masks that LLVM makes integers of odd widths of.
#[inline(never)]
fn pack(kind: u8, length: u16, flag: bool, id: u32) -> u64 {
    (kind as u64 & 7) | (length as u64 & 0x1fff) << 3 | (flag as u64) << 16 | (id as u64 & 0x7fff_ffff) << 17
}

#[inline(never)]
fn sign_extended(x: u64, bits: u32) -> i64 {
    (x << (64 - bits)) as i64 >> (64 - bits)
}

#[inline(never)]
fn all_flags(x: [bool; 12]) -> u16 {
    x.iter().enumerate().fold(0, |all, (k, &is)| all | (is as u16) << k)
}

#[inline(never)]
fn u24(bytes: &[u8; 6]) -> (u32, i32) {
    let one = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
    let two = i32::from_be_bytes([0, bytes[3], bytes[4], bytes[5]]) << 8 >> 8;
    (one, two)
}

#[inline(never)]
fn average(a: u64, b: u64) -> u64 {
    ((a as u128 + b as u128) >> 1) as u64
}

#[inline(never)]
fn high(a: i64, b: i64) -> i64 {
    (a as i128 * b as i128 >> 64) as i64
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let word = pack(hidden(5), 0x1abc, true, 0x7654_3210);
    hex(word as u128);
    num(sign_extended(word >> 3 & 0x1fff, 13));
    num(sign_extended(hidden(0x1_0000_0000), 33));
    num(all_flags(hidden([true, false, true, true, false, false, true, false, true, true, false, true])) as i64);
    let (a, b) = u24(&hidden([1, 2, 3, 0xff, 0xfe, 0xfd]));
    num(a as i64);
    num(b as i64);
    hex(average(hidden(u64::MAX), u64::MAX - 10) as u128);
    num(high(hidden(i64::MIN), 12345));
    num(hidden(0x8000_0000u32).leading_zeros() as i64 + hidden(0u16).trailing_zeros() as i64 + hidden(0u8).leading_zeros() as i64);
    line();
    0
}

