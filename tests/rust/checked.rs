#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

macro_rules! of_type {
    ($($ty:ident),*) => {$({
        let values = [$ty::MIN, $ty::MAX, 0, 1, 7, $ty::MAX / 2, $ty::MAX / 3 + 1];
        let mut sum = 0i64;
        for x in hidden(values) {
            for y in hidden(values) {
                let pairs = [x.overflowing_add(y), x.overflowing_sub(y), x.overflowing_mul(y)];
                for (value, over) in pairs {
                    sum = sum.wrapping_mul(31).wrapping_add(value as i64 ^ over as i64);
                }
                for some in [x.checked_add(y), x.checked_sub(y), x.checked_mul(y), x.checked_div(y), x.checked_rem(y)] {
                    sum = sum.wrapping_mul(37).wrapping_add(some.map_or(5, |x| x as i64));
                }
                sum = sum.wrapping_mul(41).wrapping_add(x.saturating_add(y) as i64);
                sum = sum.wrapping_mul(43).wrapping_add(x.saturating_sub(y) as i64);
                sum = sum.wrapping_mul(47).wrapping_add(x.saturating_mul(y) as i64);
                sum = sum.wrapping_mul(53).wrapping_add(x.wrapping_shl(y as u32) as i64);
                sum = sum.wrapping_mul(59).wrapping_add(x.wrapping_shr(y as u32) as i64);
                sum = sum.wrapping_mul(61).wrapping_add(x.checked_pow(y as u32 % 9).map_or(1, |x| x as i64));
                sum = sum.wrapping_mul(67).wrapping_add(x.abs_diff(y) as i64);
            }
        }
        num(sum);
    })*};
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    of_type!(i8, u8, i16, u16);
    line();
    of_type!(i32, u32, i64, u64);
    line();
    0
}
