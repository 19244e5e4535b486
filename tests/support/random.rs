//! Numbers for programs that are written at random (Vigna's xorshift64*, "An experimental exploration of Marsaglia's xorshift
//! generators, scrambled").

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// How many programs are wanted, and the number of the first: `SYSYC_FUZZ`, or as many as usual, and `SYSYC_SEED`.
pub(crate) fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let first = number("SYSYC_SEED", 1);
    first..first + number("SYSYC_FUZZ", usual)
}
