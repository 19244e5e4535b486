//! SysY programs from a family, a seed and a size: for the fuzzer, the growth test and the benchmarks.
//!
//! `program(family, seed, size)` gives a program of about `size` lines, the same one for the same three on
//! every machine. Every program is strict SysY (the family `loose` also has comparisons as values, and `dialect` and `loops` have some of what C has more of) and at the
//! same time valid C, is free of undefined behaviour, ends after a number of steps that hardly depends on the
//! seed, and prints checksums as it goes, so that a C compiler can say what it should do:
//!
//! - int arithmetic wraps, which `gcc -fwrapv` agrees with; divisors are constants or sums that are positive;
//! - a subscript is a constant, a loop counter below the length, or a remainder;
//! - every variable has a value, loops count, recursion has a depth;
//! - a float becomes an int only behind a test of its range, and a NaN is never printed (its sign is not
//!   defined);
//! - what a call with effects writes is not read by the rest of its expression, save behind `&&` and `||`.
//!
//! Cost: linear in the size, and so is the work that a program asks of a compiler, family by family; nesting
//! that grows with the size is what the families of that name are for.

// Each user of this file uses a part of it.
#![allow(dead_code)]
// A family that does not exist is a mistake in a test.
#![allow(clippy::expect_used)]

mod dialect;
mod loops;
mod mixed;
mod realistic;
mod shapes;
pub(crate) mod sites;
pub(crate) mod tensor;
mod wide;
mod wraps;

use std::fmt::Write;

/// A kind of program.
pub(crate) struct Family {
    pub(crate) name: &'static str,
    build: fn(&mut Writer, usize),
}

const fn family(name: &'static str, build: fn(&mut Writer, usize)) -> Family {
    Family { name, build }
}

/// All families.
pub(crate) static FAMILIES: [Family; 24] = [
    family("realistic", realistic::realistic),
    family("realistic_giant", realistic::giant),
    family("mixed", mixed::strict),
    family("loose", mixed::loose),
    family("many_functions", shapes::many_functions),
    family("giant_function", mixed::giant_function),
    family("straight_line", shapes::straight_line),
    family("deep_expression", shapes::deep_expression),
    family("deep_parentheses", shapes::deep_parentheses),
    family("else_if_chain", shapes::else_if_chain),
    family("loop_nests", shapes::loop_nests),
    family("many_predecessors", shapes::many_predecessors),
    family("many_phis", shapes::many_phis),
    family("high_pressure", shapes::high_pressure),
    family("many_locals", shapes::many_locals),
    family("large_initialisers", shapes::large_initialisers),
    family("many_globals", shapes::many_globals),
    family("call_chains", shapes::call_chains),
    family("many_arguments", shapes::many_arguments),
    family("dense_cfg", shapes::dense_cfg),
    family("loops", loops::loops),
    family("wraps", wraps::wraps),
    family("dialect", dialect::dialect),
    family("wide_dialect", wide::wide),
];

/// The program of `family` (a name from `FAMILIES`) for `seed`, about `size` lines long.
pub(crate) fn program(family: &str, seed: u64, size: usize) -> String {
    let row = FAMILIES.iter().find(|row| row.name == family).expect("a family of this name");
    let mut w = Writer::new(seed);
    // gcc is told by the first line that words of C are such (`support/toolchain`): `loops` has `for` and `do`.
    let words = if family == "loops" { " in the dialect" } else { "" };
    w.line(format!("// {family}{words}, seed {seed}, size {size}"));
    (row.build)(&mut w, size);
    w.text
}

/// A program of `wide` in two files, of which the second has `main`.
pub(crate) fn two_files(seed: u64, size: usize) -> [String; 2] {
    wide::two_files(seed, size)
}

/// Splitmix64: small, the same everywhere, and good enough to choose statements with.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 16) as usize % n
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// An int literal, mostly small, sometimes an edge; a negative one begins with its sign.
    pub(crate) fn int_literal(&mut self) -> String {
        const EDGES: [i64; 12] = [0, 1, -1, 2, 255, 256, 2047, -2048, 4096, 65535, 2147483647, -2147483647];
        match self.below(10) {
            0 => self.pick(&EDGES).to_string(),
            1 => (self.below(1 << 31) as i64 - (1 << 30)).to_string(),
            2 => format!("0x{:x}", self.below(1 << 31)),
            3 => format!("0{:o}", self.below(512)),
            4 => (1u64 << self.below(31)).to_string(),
            _ => (self.below(200) as i64 - 50).to_string(),
        }
    }

    /// A float literal without a sign.
    pub(crate) fn float_literal(&mut self) -> String {
        let (whole, part) = (self.below(100), self.below(1000));
        match self.below(8) {
            0 => format!("{whole}."),
            1 => format!(".{}", part + 1),
            2 => format!("{whole}.{part}e{}", self.below(9) as i64 - 4),
            3 => format!("0x1.{part:x}p{}", self.below(9) as i64 - 4),
            4 => (*self.pick(&["0.0", "1.0", "0.5", "1e-3", "16777216.0", "3.4e30", "1e-38"])).to_string(),
            _ => format!("{whole}.{part}"),
        }
    }
}

/// The text so far.
pub(crate) struct Writer {
    pub(crate) random: Random,
    text: String,
    depth: usize,
    indent: &'static str,
    pub(crate) lines: usize,
}

/// Deeper blocks are not indented further, so that depth does not make the text quadratic.
const DEEPEST_INDENT: usize = 12;

impl Writer {
    fn new(seed: u64) -> Writer {
        Writer { random: Random::new(seed), text: String::new(), depth: 0, indent: "    ", lines: 0 }
    }

    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        for _ in 0..self.depth.min(DEEPEST_INDENT) {
            self.text.push_str(self.indent);
        }
        self.text.push_str(line.as_ref());
        self.text.push('\n');
        self.lines += 1;
    }

    /// A line that opens a block.
    pub(crate) fn open(&mut self, head: impl AsRef<str>) {
        let head = head.as_ref();
        self.line(if head.is_empty() { "{".to_string() } else { format!("{head} {{") });
        self.depth += 1;
    }

    pub(crate) fn close(&mut self) {
        self.close_with("");
    }

    /// A line that closes a block, and goes on.
    pub(crate) fn close_with(&mut self, behind: &str) {
        self.depth -= 1;
        self.line(format!("}}{behind}"));
    }

    /// A line that closes a block and opens the next: `} else {`.
    pub(crate) fn reopen(&mut self, between: impl AsRef<str>) {
        self.depth -= 1;
        self.line(format!("}} {} {{", between.as_ref()));
        self.depth += 1;
    }

    /// The checksum and what prints: `mix`, `show`, `to_int`, `tell`.
    pub(crate) fn prologue(&mut self) {
        for line in [
            "int checksum = 17;",
            "void mix(int x) { checksum = checksum * 31 + x; }",
            "int to_int(float x) {",
            "    if (x < 1000000.0 && x > -1000000.0) return x;",
            "    if (x != x) return 7;",
            "    return 3;",
            "}",
            "void show(float x) { if (x == x) putfloat(x); else putch(110); putch(10); }",
            "void tell() { putint(checksum); putch(10); }",
        ] {
            self.line(line);
        }
    }

    /// Writes `items` behind `head`, wrapped to lines, with `tail` behind them.
    pub(crate) fn list(&mut self, head: &str, items: impl Iterator<Item = String>, tail: &str) {
        let mut line = head.to_string();
        let mut first = true;
        for item in items {
            if !std::mem::take(&mut first) {
                line.push_str(", ");
            }
            if line.len() > 100 {
                let full = std::mem::take(&mut line);
                self.line(full.trim_end());
            }
            line.push_str(&item);
        }
        let _ = write!(line, "{tail}");
        self.line(line);
    }
}
