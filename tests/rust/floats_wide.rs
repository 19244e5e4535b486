#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    for x in [0.0, 1.5, -1.5, 1e20, -1e20, 1e38, 1.8e38, -1.8e38, 3.5e38, 1e300, f64::NAN, f64::INFINITY] {
        let x: f64 = hidden(x);
        hex(x as u128);
        hex(x as i128 as u128);
        hex(x as f32 as u128);
        hex(x as f32 as i128 as u128);
        line();
    }
    for x in [0i128, 1, -1, i128::MAX, i128::MIN, 1 << 100, (1 << 100) + (1 << 47) + 1, -12345678901234567890123] {
        let x = hidden(x);
        hex((x as f64).to_bits() as u128);
        hex((x as u128 as f64).to_bits() as u128);
        hex((x as f32).to_bits() as u128);
        hex((x as u128 as f32).to_bits() as u128);
        line();
    }
    0
}
