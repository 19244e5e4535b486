#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

fn root(x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let mut guess = f64::from_bits((x.to_bits() >> 1) + (1023 << 51));
    for _ in 0..6 {
        guess = 0.5 * (guess + x / guess);
    }
    guess
}

fn sine(x: f64) -> f64 {
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term.abs() > 1e-12 {
        term *= -x * x / ((k + 1.0) * (k + 2.0));
        sum += term;
        k += 2.0;
    }
    sum
}

fn simpson(f: impl Fn(f64) -> f64, from: f64, to: f64, n: u32) -> f64 {
    let h = (to - from) / n as f64;
    let inner: f64 = (1..n).map(|k| if k % 2 == 1 { 4.0 } else { 2.0 } * f(from + k as f64 * h)).sum();
    (f(from) + inner + f(to)) * h / 3.0
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    for x in [2.0, 1e-10, 123456.789, 1e200] {
        hex((root(hidden(x)).to_bits() >> 8) as u128);
    }
    num((sine(hidden(1.0)) * 1e9) as i64);
    num((simpson(|x| x * x * x, 0.0, hidden(2.0), 100) * 1e6) as i64);
    num((simpson(sine, 0.0, 3.0, 50) * 1e6) as i64);
    let (mut low, mut high) = (0.0f32, hidden(2.0f32));
    for _ in 0..24 {
        let middle = (low + high) * 0.5;
        if middle * middle < 2.0 { low = middle } else { high = middle }
    }
    num((low * 1e6) as i64);
    line();
    0
}

