#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[repr(C)]
#[derive(Clone, Copy)]
union Bits {
    float: f32,
    word: u32,
    bytes: [u8; 4],
}

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Packed(u8, u32, u16);

#[repr(i8)]
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Minus = -1,
    None,
    Plus,
}

#[repr(transparent)]
struct Meters(f64);

#[repr(align(32))]
struct Aligned([u8; 3]);

fn sign(x: i64) -> Sign {
    match x {
        ..0 => Sign::Minus,
        0 => Sign::None,
        _ => Sign::Plus,
    }
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

static NAMES: [&str; 3] = ["minus", "none", "plus"];
const KNOWN: u64 = gcd(1071, 462);

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let bits = Bits { float: hidden(1.5) };
    unsafe {
        num(bits.word as i64);
        num(bits.bytes[3] as i64);
    }
    let packed = hidden(Packed(1, 0xdead_beef, 3));
    num({ packed.1 } as i64 + { packed.2 } as i64);
    num(size_of::<Packed>() as i64);
    for x in [-5, 0, 7] {
        let s = sign(hidden(x));
        num(s as i64);
        text(NAMES[(s as i8 + 1) as usize]);
        put_byte(b' ');
    }
    num(Meters(hidden(2.5)).0 as i64);
    let aligned = Aligned([hidden(1), 2, 3]);
    num((&raw const aligned as usize % 32) as i64 + aligned.0[0] as i64);
    num(KNOWN as i64 + gcd(hidden(1 << 40), 6) as i64);
    num(unsafe { core::mem::transmute::<[u16; 2], u32>(hidden([1, 2])) } as i64);
    line();
    0
}

