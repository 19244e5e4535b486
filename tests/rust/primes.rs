#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

const SMALL: [u16; 25] = {
    let (mut rows, mut count, mut k) = ([0u16; 25], 0, 2u16);
    while count < 25 {
        let (mut d, mut is_prime) = (2, true);
        while d * d <= k {
            is_prime &= k % d != 0;
            d += 1;
        }
        if is_prime {
            rows[count] = k;
            count += 1;
        }
        k += 1;
    }
    rows
};

fn power(mut base: u64, mut n: u64, modulus: u64) -> u64 {
    let mut all = 1;
    while n > 0 {
        if n & 1 == 1 {
            all = (all as u128 * base as u128 % modulus as u128) as u64;
        }
        base = (base as u128 * base as u128 % modulus as u128) as u64;
        n >>= 1;
    }
    all
}

fn is_prime(n: u64) -> bool {
    if n < 10_000 {
        return n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0);
    }
    let (odd, twos) = ((n - 1) >> (n - 1).trailing_zeros(), (n - 1).trailing_zeros());
    SMALL[..12].iter().all(|&a| {
        let mut x = power(a as u64, odd, n);
        x == 1 || (0..twos).any(|_| { let is = x == n - 1; x = (x as u128 * x as u128 % n as u128) as u64; is })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut sieve = [0u64; 16];
    let is = |sieve: &[u64; 16], k: usize| sieve[k / 64] >> (k % 64) & 1 == 0;
    for k in 2..1024 {
        if is(&sieve, k) {
            (k * k..1024).step_by(k).for_each(|j| sieve[j / 64] |= 1 << (j % 64));
        }
    }
    num((2..1024).filter(|&k| is(&sieve, k)).count() as i64);
    num(SMALL.iter().map(|&p| p as i64).sum());
    for n in [97, 561, 1_000_003, 4_294_967_291, 18_446_744_073_709_551_557, 3_825_123_056_546_413_051] {
        num(is_prime(hidden(n)) as i64);
    }
    line();
    0
}

