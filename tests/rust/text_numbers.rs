#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

fn roman(mut n: u32, out: &mut [u8; 24]) -> usize {
    const ROWS: [(u32, &[u8]); 13] = [
        (1000, b"M"), (900, b"CM"), (500, b"D"), (400, b"CD"), (100, b"C"), (90, b"XC"), (50, b"L"), (40, b"XL"), (10, b"X"), (9, b"IX"), (5, b"V"), (4, b"IV"), (1, b"I"),
    ];
    let mut used = 0;
    for (value, letters) in ROWS {
        while n >= value {
            for &letter in letters {
                out[used] = letter;
                used += 1;
            }
            n -= value;
        }
    }
    used
}

fn value(letter: u8) -> Option<i64> {
    Some(match letter.to_ascii_uppercase() {
        b'I' => 1,
        b'V' => 5,
        b'X' => 10,
        b'L' => 50,
        b'C' => 100,
        b'D' => 500,
        b'M' => 1000,
        _ => return None,
    })
}

fn encode(bytes: &[u8], mut put: impl FnMut(u8)) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |word, &c| word << 8 | c as u32) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            put(if k <= chunk.len() { LETTERS[(word >> (18 - 6 * k) & 63) as usize] } else { b'=' });
        }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    for n in [1994, 2024, 3888, hidden(49)] {
        let mut out = [0; 24];
        let used = roman(n, &mut out);
        out[..used].iter().for_each(|&c| put_byte(c));
        let mut sum = 0;
        for k in 0..used {
            let (here, next) = (value(out[k]).unwrap_or(0), if k + 1 < used { value(out[k + 1]).unwrap_or(0) } else { 0 });
            sum += if here < next { -here } else { here };
        }
        put_byte(b' ');
        num(sum);
    }
    for words in [&b"any carnal pleas"[..], b"ab", b"", b"abc"] {
        encode(hidden(words), put_byte);
        put_byte(b' ');
    }
    line();
    0
}

