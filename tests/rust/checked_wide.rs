#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[inline(never)]
fn all(x: i128, y: i128) {
    let (ux, uy) = (x as u128, y as u128);
    for (value, over) in [x.overflowing_add(y), x.overflowing_sub(y), x.overflowing_mul(y)] {
        hex(value as u128);
        num(over as i64);
    }
    for (value, over) in [ux.overflowing_add(uy), ux.overflowing_sub(uy), ux.overflowing_mul(uy)] {
        hex(value);
        num(over as i64);
    }
    hex(x.saturating_add(y) as u128);
    hex(x.saturating_sub(y) as u128);
    hex(ux.saturating_add(uy));
    hex(ux.saturating_sub(uy));
    hex(x.checked_div(y).unwrap_or(77) as u128);
    hex(ux.checked_rem(uy).unwrap_or(78));
    hex(x.abs_diff(y));
    line();
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let values = [0, 1, -1, i128::MAX, i128::MIN, 1 << 64, -(1 << 63), 0x1234_5678_9abc_def0_1122_3344];
    for x in values {
        for y in values {
            all(hidden(x), hidden(y));
        }
    }
    0
}
