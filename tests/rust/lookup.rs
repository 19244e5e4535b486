#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Weekday { Mon, Tue, Wed, Thu, Fri, Sat, Sun }
use Weekday::*;

impl Weekday {
    const ALL: [Weekday; 7] = [Mon, Tue, Wed, Thu, Fri, Sat, Sun];
    fn name(self) -> &'static str {
        match self {
            Mon => "monday",
            Tue => "tuesday",
            Wed => "wednesday",
            Thu => "thursday",
            Fri => "friday",
            Sat => "saturday",
            Sun => "sunday",
        }
    }
    fn after(self, days: u8) -> Weekday {
        Weekday::ALL[(self as usize + days as usize) % 7]
    }
}

fn class(c: u8) -> u32 {
    match c {
        0 => 0,
        b'\t' | b'\n' | b' ' => 1,
        b'0'..=b'9' => 2,
        b'a'..=b'f' | b'A'..=b'F' => 3,
        b'g'..=b'z' | b'G'..=b'Z' => 4,
        0x80.. => 5,
        _ => 6,
    }
}

fn sparse(x: u64) -> i64 {
    match x {
        0 => 1,
        7 => 2,
        100 => 3,
        0x1_0000_0000 => 4,
        0xffff_ffff_ffff_ffff => 5,
        1000..=2000 => 6,
        _ => -1,
    }
}

fn text_of(x: (i8, bool, Option<u16>)) -> i64 {
    match x {
        (0, true, None) => 1,
        (n @ 1..=9, _, Some(k)) if k as i64 > n as i64 => n as i64 * 100 + k as i64,
        (_, false, Some(0 | 2 | 4)) => 3,
        (i8::MIN, ..) => 4,
        (_, _, Some(k)) => -(k as i64),
        _ => 0,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    for k in 0..hidden(9u8) {
        text(Wed.after(k).name());
        put_byte(b' ');
    }
    num((0..=255u8).map(|c| class(hidden(c)) as i64 * (c as i64 + 1)).sum());
    for x in [0, 7, 8, 100, 1 << 32, u64::MAX, 1500, 2001] {
        num(sparse(hidden(x)));
    }
    for x in [(0, true, None), (5, false, Some(9)), (5, false, Some(4)), (-128, true, None), (3, true, Some(1)), (10, false, None)] {
        num(text_of(hidden(x)));
    }
    line();
    0
}

