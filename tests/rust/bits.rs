#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

macro_rules! of_type {
    ($($ty:ident),*) => {$({
        let mut x = hidden(0x9e37_79b9_7f4a_7c15u64) as $ty;
        let mut sum = 0u64;
        for k in 0..40u32 {
            sum = sum.rotate_left(5) ^ x.leading_zeros() as u64 ^ (x.trailing_zeros() as u64) << 8 ^ (x.count_ones() as u64) << 16;
            sum = sum.wrapping_mul(3) ^ x.swap_bytes() as u64 ^ x.reverse_bits() as u64;
            sum ^= x.rotate_left(k * 3) as u64 ^ x.rotate_right(k) as u64 ^ x.leading_ones() as u64 ^ x.trailing_ones() as u64;
            sum = sum.wrapping_add(x.is_power_of_two() as u64).wrapping_add(x.checked_next_power_of_two().map_or(1, |x| x as u64));
            sum ^= x.checked_ilog2().unwrap_or(77) as u64 ^ x.isqrt() as u64 ^ x.midpoint($ty::MAX) as u64;
            x = if k % 11 == 10 { 0 } else { (x >> 1).wrapping_mul(5) ^ (x << 3) ^ k as $ty };
        }
        hex(sum as u128);
    })*};
}

#[inline(never)]
fn morton(x: u32, y: u32) -> u64 {
    fn spread(x: u32) -> u64 {
        [(16, 0x0000_ffff_0000_ffff), (8, 0x00ff_00ff_00ff_00ff), (4, 0x0f0f_0f0f_0f0f_0f0f), (2, 0x3333_3333_3333_3333), (1, 0x5555_5555_5555_5555)]
            .iter()
            .fold(x as u64, |x, &(by, mask)| (x | x << by) & mask)
    }
    spread(x) | spread(y) << 1
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    of_type!(u8, u16, u32, u64);
    line();
    hex(morton(hidden(0x12345678), hidden(0x9abcdef0)) as u128);
    hex(u64::from_be_bytes(hidden([1, 2, 3, 4, 5, 6, 7, 8])) as u128);
    hex(u32::from_le_bytes(hidden(7u32).to_be_bytes()) as u128);
    let mut board = hidden(0x0000_0010_0800_0000u64);
    for _ in 0..4 {
        board = board << 1 & 0xfefe_fefe_fefe_fefe | board >> 1 & 0x7f7f_7f7f_7f7f_7f7f | board << 8 | board >> 8;
    }
    hex(board as u128);
    line();
    0
}
