#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

use core::ops::{Add, Div, Mul, Sub};

#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Fixed(i64);
impl Fixed {
    const ONE: Fixed = Fixed(1 << 32);
    const fn of(x: i32) -> Fixed {
        Fixed((x as i64) << 32)
    }
    fn root(self) -> Fixed {
        let wide = (self.0 as u128) << 32;
        let mut x = if wide == 0 { 0 } else { 1u128 << ((129 - wide.leading_zeros()) / 2) };
        loop {
            let next = if x == 0 { 0 } else { (x + wide / x) >> 1 };
            if next >= x {
                return Fixed(x as i64);
            }
            x = next;
        }
    }
}
impl Add for Fixed {
    type Output = Fixed;
    fn add(self, o: Fixed) -> Fixed {
        Fixed(self.0.wrapping_add(o.0))
    }
}
impl Sub for Fixed {
    type Output = Fixed;
    fn sub(self, o: Fixed) -> Fixed {
        Fixed(self.0.wrapping_sub(o.0))
    }
}
impl Mul for Fixed {
    type Output = Fixed;
    fn mul(self, o: Fixed) -> Fixed {
        Fixed((self.0 as i128 * o.0 as i128 >> 32) as i64)
    }
}
impl Div for Fixed {
    type Output = Fixed;
    fn div(self, o: Fixed) -> Fixed {
        Fixed((((self.0 as i128) << 32) / o.0 as i128) as i64)
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let (a, b) = (Fixed::of(hidden(10)), Fixed::of(hidden(-3)));
    for x in [a + b, a - b, a * b, a / b, b / a, Fixed::of(2).root(), a.root(), Fixed(0).root()] {
        num(x.0);
    }
    let (mut sum, mut term) = (Fixed::ONE, Fixed::ONE);
    for k in 1..20 {
        term = term / Fixed::of(k);
        sum = sum + term;
    }
    num(sum.0);
    num((a > b) as i64 + 2 * (b.partial_cmp(&a).is_some()) as i64);
    line();
    0
}

