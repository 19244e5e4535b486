// Calls code of core that is in no text: for AArch64 alone, whose library is installed.
#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

use core::fmt::{self, Write};

struct Out;
impl Write for Out {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        text(words);
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Empty,
    Pair(i32, u8),
    Named { x: f32, of: &'static str },
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut out = Out;
    let k = hidden(42);
    for kind in [Kind::Empty, Kind::Pair(-k, 7), Kind::Named { x: 1.5, of: "a\"b\n" }] {
        _ = writeln!(out, "{kind:?} {kind:#?}");
    }
    _ = writeln!(out, "{:>8}|{:<6}|{:^7}|{:+}|{:#x}|{:08b}|{:e}", k, "ab", 'c', k, 255, 5, 1234.5);
    _ = writeln!(out, "{} {} {:.3} {:?} {}", 0.1f32, 1e21, 2.0f64 / 3.0, 1e-7, u64::MAX);
    _ = writeln!(out, "{} {:?} {:?}", i128::MIN, Some("x"), [1, 2, 3]);
    0
}
