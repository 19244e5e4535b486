#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[derive(Clone, Copy)]
struct Big([u64; 8]);

impl Big {
    fn times(self, by: u64) -> Big {
        let (mut out, mut carry) = (self, 0u128);
        for x in &mut out.0 {
            carry += *x as u128 * by as u128;
            *x = carry as u64;
            carry >>= 64;
        }
        out
    }
    fn plus(self, other: Big) -> Big {
        let (mut out, mut carry) = (self, false);
        for (x, y) in out.0.iter_mut().zip(other.0) {
            let (sum, a) = x.overflowing_add(y);
            let (sum, b) = sum.overflowing_add(carry as u64);
            (*x, carry) = (sum, a | b);
        }
        out
    }
    fn rest(&mut self, by: u64) -> u64 {
        let mut rest = 0u128;
        for x in self.0.iter_mut().rev() {
            let all = rest << 64 | *x as u128;
            *x = (all / by as u128) as u64;
            rest = all % by as u128;
        }
        rest as u64
    }
    fn print(mut self) {
        let mut parts = [0u64; 9];
        let mut used = 0;
        while self.0.iter().any(|x| *x != 0) {
            parts[used] = self.rest(1_000_000_000_000_000_000);
            used += 1;
        }
        parts[..used].iter().rev().for_each(|x| num(*x as i64));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut factorial = Big([1, 0, 0, 0, 0, 0, 0, 0]);
    for k in 1..=hidden(90) {
        factorial = factorial.times(k);
    }
    factorial.print();
    line();
    let (mut a, mut b) = (Big([0; 8]), Big([1, 0, 0, 0, 0, 0, 0, 0]));
    for _ in 0..hidden(500) {
        (a, b) = (b, a.plus(b));
    }
    a.print();
    line();
    0
}

