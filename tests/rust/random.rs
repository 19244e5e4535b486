#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

struct Xorshift([u64; 2]);
impl Xorshift {
    fn next(&mut self) -> u64 {
        let [mut a, b] = self.0;
        a ^= a << 23;
        a ^= a >> 18 ^ b ^ b >> 5;
        self.0 = [b, a];
        a.wrapping_add(b)
    }
    fn below(&mut self, n: u64) -> u64 {
        (self.next() as u128 * n as u128 >> 64) as u64
    }
}

struct Pcg {
    state: u128,
}
impl Pcg {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(0x5851_f42d_4c95_7f2d_1405_7b7e_f767_814f);
        ((self.state >> 64) as u64 ^ self.state as u64).rotate_right((self.state >> 122) as u32)
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let (mut one, mut two) = (Xorshift([hidden(1), 2]), Pcg { state: hidden(42) });
    let mut counts = [0u32; 10];
    for _ in 0..1000 {
        counts[one.below(10) as usize] += 1;
    }
    counts.iter().for_each(|&x| num(x as i64));
    for _ in 0..4 {
        hex(two.next() as u128);
    }
    let mut deck: [u8; 52] = core::array::from_fn(|k| k as u8);
    for k in (1..52).rev() {
        deck.swap(k, one.below(k as u64 + 1) as usize);
    }
    num(deck.iter().fold(0i64, |all, &c| all.wrapping_mul(53) + c as i64));
    let inside = (0..500).filter(|_| {
        let [x, y] = [one.next(), two.next()].map(|x| (x >> 11) as f64 / (1u64 << 53) as f64);
        x * x + y * y < 1.0
    });
    num(inside.count() as i64);
    line();
    0
}

