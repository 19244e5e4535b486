#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[inline(never)]
fn mixed(a: [i16; 16], b: [i16; 16]) -> [i16; 16] {
    core::array::from_fn(|k| a[k].saturating_add(b[k]).saturating_mul(3))
}

#[inline(never)]
fn pixels(a: &[u8; 32], b: &[u8; 32]) -> [u8; 32] {
    core::array::from_fn(|k| a[k].saturating_sub(b[k]).saturating_add(20) / 2)
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let a: [i16; 16] = core::array::from_fn(|k| (k as i16 - 8) * hidden(4000));
    let b: [i16; 16] = core::array::from_fn(|k| (k as i16) * 900);
    mixed(a, b).iter().for_each(|x| num(*x as i64));
    line();
    let (p, q): ([u8; 32], [u8; 32]) = (core::array::from_fn(|k| (k * 8) as u8), core::array::from_fn(|k| (k as u8).wrapping_mul(hidden(77))));
    num(pixels(&p, &q).iter().fold(0, |all, &x| (all * 31 + x as i64) % 1_000_000_007));
    let volume = (0..40).fold(hidden(1i32), |x, k| x.saturating_mul(3).saturating_sub(k));
    num(volume as i64);
    num((0..80).fold(hidden(-1i64), |x, k| x.saturating_mul(2).saturating_add(k)));
    num(i8::MAX.saturating_neg() as i64 + hidden(i8::MIN).saturating_abs() as i64);
    num(hidden(200u8).wrapping_add(100) as i64 + hidden(3i8).wrapping_sub(-128) as i64);
    num(hidden(i32::MIN).wrapping_abs() as i64 + hidden(7u32).wrapping_neg() as i64);
    num(hidden(2u64).saturating_pow(70) as i64 + hidden(-3i32).wrapping_pow(21) as i64);
    num(hidden(-7i32).rem_euclid(3) as i64 * 10 + hidden(-7i32).div_euclid(3) as i64);
    num(hidden(7u32).div_ceil(2) as i64 + hidden(7u32).next_multiple_of(5) as i64);
    num(u64::MAX.carrying_sum(hidden(1)) as i64);
    line();
    0
}

trait Carrying {
    fn carrying_sum(self, by: Self) -> bool;
}
impl Carrying for u64 {
    fn carrying_sum(self, by: u64) -> bool {
        self.overflowing_add(by).1
    }
}

