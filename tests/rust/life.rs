#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[derive(Clone, Copy, PartialEq)]
struct Board([u32; 16]);

impl Board {
    fn at(&self, y: i32, x: i32) -> u32 {
        self.0[(y & 15) as usize] >> (x & 31) & 1
    }
    fn next(&self) -> Board {
        let mut out = Board([0; 16]);
        for y in 0..16 {
            for x in 0..32 {
                let around: u32 = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))).filter(|&d| d != (0, 0)).map(|(dy, dx)| self.at(y + dy, x + dx)).sum();
                let lives = matches!((self.at(y, x), around), (1, 2 | 3) | (0, 3));
                out.0[y as usize] |= (lives as u32) << x;
            }
        }
        out
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut board = Board([0; 16]);
    board.0[1] = hidden(2);
    board.0[2] = 4;
    board.0[3] = 7;
    board.0[9] = 0b111 << 20;
    for generation in 0..12 {
        board = board.next();
        if generation % 4 == 3 {
            num(board.0.iter().map(|row| row.count_ones() as i64).sum());
            hex(board.0.iter().fold(0u64, |all, &row| all.rotate_left(7) ^ row as u64) as u128);
        }
    }
    line();
    let mut rule = hidden(1u64 << 32);
    for _ in 0..20 {
        rule = (rule << 1) ^ (rule | rule >> 1);
    }
    hex(rule as u128);
    line();
    0
}

