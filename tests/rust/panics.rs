#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[inline(never)]
fn element(items: &[i32], k: usize) -> i32 {
    items[k]
}

#[inline(never)]
fn quotient(a: i32, b: i32) -> i32 {
    a / b
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let items = hidden([1, 2, 3]);
    num(element(&items, hidden(2)) as i64);
    num(quotient(hidden(-7), 2) as i64);
    num(quotient(hidden(i32::MIN + 1), -1) as i64);
    let checked: Result<u8, _> = u8::try_from(hidden(300i32));
    num(checked.is_err() as i64);
    num(i8::try_from(hidden(-128i64)).unwrap_or(0) as i64);
    line();
    7
}
