#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[inline(never)]
fn conversions(x: f64) {
    num(x as i8 as i64);
    num(x as u8 as i64);
    num(x as i16 as i64);
    num(x as u16 as i64);
    num(x as i32 as i64);
    num(x as u32 as i64);
    num(x as i64);
    hex(x as u64 as u128);
    num(x as f32 as i32 as i64);
    num(x as f32 as u8 as i64);
    num(x as f32 as i64);
    hex(x as f32 as u64 as u128);
    hex((x as f32).to_bits() as u128);
    hex(x.to_bits() as u128);
    line();
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let values = [
        0.0, -0.0, 1.5, -1.5, 127.9, 128.0, -128.9, -129.0, 255.9, 256.0, 65535.5, 2147483647.9, -2147483649.0,
        4294967295.9, 9.3e18, -9.3e18, 1.9e19, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN,
    ];
    for x in values {
        conversions(hidden(x));
    }
    for x in [0i64, -1, i64::MAX, i64::MIN, 1 << 53, (1 << 53) + 1, 16777217] {
        let x = hidden(x);
        hex((x as f64).to_bits() as u128);
        hex((x as f32).to_bits() as u128);
        hex((x as u64 as f64).to_bits() as u128);
        hex((x as u64 as f32).to_bits() as u128);
        hex((x as i32 as f32).to_bits() as u128);
        hex((x as u8 as f64).to_bits() as u128);
    }
    line();
    for (x, y) in [(1.0, 2.0), (-3.5, 2.5), (f64::NAN, 1.0), (0.0, -0.0)] {
        let (x, y): (f64, f64) = hidden((x, y));
        num((x < y) as i64 + 2 * (x <= y) as i64 + 4 * (x == y) as i64 + 8 * (x != y) as i64);
        // Which zero is less is left open.
        hex((x.min(y) + x.max(3.0) * y.clamp(-1.0, 1.0)).abs().to_bits() as u128 >> 12);
        num(x.partial_cmp(&y).map_or(9, |order| order as i64));
        num(x.total_cmp(&y) as i64);
        num(x.is_nan() as i64 + 2 * x.is_sign_negative() as i64 + 4 * y.is_finite() as i64);
        hex((x % y).abs().to_bits() as u128 & 0x7fff_ffff_ffff_ffff >> 1);
        hex(x.copysign(y).to_bits() as u128 >> 51);
    }
    line();
    0
}
