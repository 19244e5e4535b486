#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[inline(never)]
fn kind(x: u128) -> i32 {
    match x {
        0 => 1,
        1..=99 => 2,
        0xffff_ffff_ffff_ffff => 3,
        0x1_0000_0000_0000_0000..=0x2_0000_0000_0000_0000 => 4,
        u128::MAX => 5,
        _ => 6,
    }
}

#[inline(never)]
fn sum(items: &[i128]) -> Option<i128> {
    items.iter().try_fold(0i128, |all, x| all.checked_add(*x))
}

#[inline(never)]
fn pair(x: i128, y: u64) -> (i128, u64, bool) {
    (x.wrapping_mul(y as i128), (x >> 64) as u64 ^ y, x < y as i128)
}

fn digits(mut x: u128) {
    let mut out = [0u8; 40];
    let mut used = 0;
    loop {
        out[used] = b'0' + (x % 10) as u8;
        used += 1;
        x /= 10;
        if x == 0 {
            break;
        }
    }
    out[..used].iter().rev().for_each(|&c| put_byte(c));
    put_byte(b' ');
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    for x in [0, 50, 100, u64::MAX as u128, 1 << 64, 1 << 65, (1 << 65) + 1, u128::MAX] {
        num(kind(hidden(x)) as i64);
    }
    digits(hidden(u128::MAX));
    digits(hidden(1 << 100));
    hex(sum(&hidden([i128::MAX, -5, 7])).map_or(99, |x| x as u128));
    hex(sum(&hidden([i128::MAX, -8, 7])).map_or(99, |x| x as u128));
    let (a, b, c) = pair(hidden(-7 << 70), hidden(12345));
    hex(a as u128);
    hex(b as u128);
    num(c as i64);
    let mut items = hidden([5i128, -3, 1 << 90, i128::MIN, 0]);
    items.sort_unstable_by(|a, b| b.cmp(a));
    items.iter().for_each(|x| hex(*x as u128));
    num(hidden(1u128 << 90).isqrt() as i64 + hidden(10u128).pow(5) as i64);
    num(hidden(1u128 << 77).ilog2() as i64 + hidden(-5i128).signum() as i64);
    line();
    0
}

