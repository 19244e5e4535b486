// Calls code of core that is in no text: for AArch64 alone, whose library is installed.
#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

struct Fibonacci(u32, u32);
impl Iterator for Fibonacci {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        let next = self.0.checked_add(self.1)?;
        (self.0, self.1) = (self.1, next);
        Some(self.0)
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let n = hidden(20u32);
    num((1..=n).filter(|x| x % 3 == 0).map(|x| x * x).sum::<u32>() as i64);
    num((0..n).rev().step_by(7).fold(0, |a, x| a * 10 + x) as i64);
    num((1..n).zip((1..n).skip(2)).map(|(a, b)| (a * b) as i64).max().unwrap_or(-1));
    num(Fibonacci(0, 1).take_while(|x| *x < 1000).last().unwrap_or(0) as i64);
    num(Fibonacci(0, 1).count() as i64);
    let items = [3i32, -1, 4, 1, -5, 9, 2, -6];
    num(items.iter().position(|&x| x == hidden(9)).map_or(-1, |k| k as i64));
    num(items.iter().copied().min_by_key(|x| x.abs()).unwrap_or(0) as i64);
    num(items.chunks(3).map(|chunk| chunk.iter().product::<i32>()).sum::<i32>() as i64);
    num(items.iter().flat_map(|&x| [x, x * 2]).filter(|x| x % 2 == 0).count() as i64);
    num(items.iter().scan(0, |sum, &x| { *sum += x; Some(*sum) }).max().unwrap_or(0) as i64);
    let (even, odd) = items.iter().fold((0, 0), |(a, b), x| if x & 1 == 0 { (a + x, b) } else { (a, b + x) });
    num((even * 100 + odd) as i64);
    num(items.iter().any(|x| *x == 4) as i64 + 2 * items.iter().all(|x| *x < 9) as i64);
    let mut peek = items.iter().peekable();
    let mut runs = 0;
    while let Some(x) = peek.next() {
        if peek.peek().is_some_and(|y| *y > x) {
            runs += 1;
        }
    }
    num(runs);
    for (k, c) in "a-b,c".char_indices().filter(|(_, c)| c.is_alphabetic()) {
        num(k as i64 * 1000 + c as i64);
    }
    for part in "12;-7;x;300".split(';') {
        num(part.parse::<i32>().unwrap_or(-999) as i64);
    }
    num(core::iter::successors(Some(hidden(27u64)), |&x| if x == 1 { None } else if x % 2 == 0 { Some(x / 2) } else { Some(3 * x + 1) }).count() as i64);
    line();
    0
}
