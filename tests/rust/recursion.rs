#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[inline(never)]
fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

fn hanoi(n: u8, from: u8, to: u8, by: u8, moves: &mut u64) {
    if n > 0 {
        hanoi(n - 1, from, by, to, moves);
        *moves = moves.wrapping_mul(7) + (from * 3 + to) as u64;
        hanoi(n - 1, by, to, from, moves);
    }
}

fn queens(n: u32, columns: u32, up: u32, down: u32) -> u32 {
    let all = (1 << n) - 1;
    if columns == all {
        return 1;
    }
    let (mut free, mut count) = (all & !(columns | up | down), 0);
    while free != 0 {
        let bit = free & free.wrapping_neg();
        free ^= bit;
        count += queens(n, columns | bit, (up | bit) << 1, (down | bit) >> 1);
    }
    count
}

fn permute<F: FnMut(&[u8])>(items: &mut [u8], from: usize, f: &mut F) {
    if from == items.len() {
        return f(items);
    }
    for k in from..items.len() {
        items.swap(from, k);
        permute(items, from + 1, f);
        items.swap(from, k);
    }
}

fn is_even(n: u32) -> bool {
    n == 0 || is_odd(n - 1)
}
fn is_odd(n: u32) -> bool {
    n != 0 && is_even(n - 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    num(ackermann(2, hidden(9)) as i64);
    let mut moves = 0;
    hanoi(hidden(8), 0, 2, 1, &mut moves);
    hex(moves as u128);
    num(queens(hidden(6), 0, 0, 0) as i64);
    let mut sum = 0i64;
    permute(&mut hidden([1, 2, 3, 4, 5]), 0, &mut |items| sum = sum.wrapping_mul(3) + items.iter().fold(0, |x, &c| x * 10 + c as i64));
    num(sum);
    num(is_even(hidden(30)) as i64 + 2 * is_odd(hidden(7)) as i64);
    line();
    0
}

