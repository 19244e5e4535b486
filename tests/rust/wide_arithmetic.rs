#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

fn power(base: u128, mut exponent: u32, modulus: u128) -> u128 {
    let (mut result, mut base) = (1u128, base % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    result
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let a = hidden(0x0123_4567_89ab_cdef_0fed_cba9_8765_4321u128);
    let b = hidden(0xfedc_ba98_7654_3210u128);
    for x in [a + b, a - b, a.wrapping_mul(b), a / b, a % b, a ^ b, a << 7, a >> 9, !a] {
        hex(x);
    }
    line();
    let (c, d) = (hidden(-170_141_183_460_469_231_731_687_303_715i128), hidden(123_456_789_012i128));
    for x in [c / d, c % d, c * 5, -c, c >> 70, c.rem_euclid(d), c.div_euclid(d)] {
        hex(x as u128);
    }
    line();
    hex(power(hidden(3), hidden(200), 0xffff_ffff_ffff_ffc5));
    for shift in 0..8u32 {
        hex(a.rotate_left(shift * 17) ^ b << (shift * 13));
        hex((c >> (shift * 16)) as u128);
    }
    line();
    for x in [a, b, 0, 1, u128::MAX, 1 << 64] {
        let x = hidden(x);
        num(x.leading_zeros() as i64);
        num(x.trailing_zeros() as i64);
        num(x.count_ones() as i64);
        hex(x.swap_bytes());
        hex(x.reverse_bits());
    }
    line();
    (a > b) as i32 + 2 * ((c as i128) < d as i128) as i32
}
