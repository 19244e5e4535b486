//! The bodies: kernels, and random ones of several sizes, told to what builds functions. The same numbers give the
//! same calls, and these are counted as the IR instructions of both sides: arithmetic, comparisons, choices, addresses, memory, calls,
//! branches, returns; neither constants nor what becomes of variables.

/// Arithmetic on i32.
#[derive(Copy, Clone, Debug)]
pub enum Bin {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
}

/// What builds functions `i32 f(i32, i32, i32, ptr)`, with variables of type i32 besides.
pub trait Build {
    type Val: Copy;
    type Block: Copy;
    fn param(&mut self, k: usize) -> Self::Val;
    fn int(&mut self, x: i32) -> Self::Val;
    fn get(&mut self, variable: usize) -> Self::Val;
    fn set(&mut self, variable: usize, v: Self::Val);
    fn bin(&mut self, op: Bin, a: Self::Val, b: Self::Val) -> Self::Val;
    fn shl(&mut self, a: Self::Val, bits: i32) -> Self::Val;
    fn lshr(&mut self, a: Self::Val, bits: i32) -> Self::Val;
    fn less(&mut self, a: Self::Val, b: Self::Val) -> Self::Val;
    fn select(&mut self, condition: Self::Val, a: Self::Val, b: Self::Val) -> Self::Val;
    /// The address of an element of an array of i32.
    fn element(&mut self, base: Self::Val, index: Self::Val) -> Self::Val;
    fn load(&mut self, address: Self::Val) -> Self::Val;
    fn store(&mut self, v: Self::Val, address: Self::Val);
    /// `i32 g(i32, i32)`, which is elsewhere.
    fn call(&mut self, a: Self::Val, b: Self::Val) -> Self::Val;
    fn block(&mut self) -> Self::Block;
    fn switch_to(&mut self, block: Self::Block);
    /// All branches to it are there.
    fn seal(&mut self, block: Self::Block);
    fn br(&mut self, to: Self::Block);
    fn cond_br(&mut self, condition: Self::Val, yes: Self::Block, no: Self::Block);
    fn ret(&mut self, v: Self::Val);
}

/// How many variables a body has.
pub const VARIABLES: usize = 8;

/// How many functions a round has.
pub const FUNCTIONS: usize = 400;

/// Tells the body of function `k`; returns how many instructions it has.
pub fn body<B: Build>(k: usize, b: &mut B) -> u64 {
    let mut t = Teller { b, random: (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15), count: 0 };
    for k in 0..VARIABLES {
        let v = if k < 3 { t.b.param(k) } else { t.b.int(k as i32) };
        t.b.set(k, v);
    }
    match k % 8 {
        0 => t.product(),
        1 => t.sort(),
        2 => t.sieve(),
        3 => t.checksum(),
        4 | 5 => t.statements(12, 2),
        6 => t.statements(60, 3),
        _ => t.statements(250, 4),
    }
    let mut sum = t.b.get(0);
    for k in 1..VARIABLES {
        let v = t.b.get(k);
        sum = t.bin(Bin::Xor, sum, v);
    }
    t.b.ret(sum);
    t.count + 1
}

struct Teller<'a, B: Build> {
    b: &'a mut B,
    random: u64,
    count: u64,
}

impl<B: Build> Teller<'_, B> {
    fn below(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) % n
    }

    fn bin(&mut self, op: Bin, a: B::Val, b: B::Val) -> B::Val {
        self.count += 1;
        self.b.bin(op, a, b)
    }

    /// `variable = variable op x`
    fn step(&mut self, variable: usize, op: Bin, x: i32) {
        let (old, x) = (self.b.get(variable), self.b.int(x));
        let new = self.bin(op, old, x);
        self.b.set(variable, new);
    }

    fn place(&mut self, index: B::Val) -> B::Val {
        self.count += 1;
        let base = self.b.param(3);
        self.b.element(base, index)
    }

    fn load(&mut self, index: B::Val) -> B::Val {
        let address = self.place(index);
        self.count += 1;
        self.b.load(address)
    }

    fn store(&mut self, v: B::Val, index: B::Val) {
        let address = self.place(index);
        self.count += 1;
        self.b.store(v, address);
    }

    fn less(&mut self, a: B::Val, b: B::Val) -> B::Val {
        self.count += 1;
        self.b.less(a, b)
    }

    /// `for (variable = 0; variable < limit; variable += 1) inside`
    fn count_to(&mut self, variable: usize, limit: i32, inside: impl FnOnce(&mut Self)) {
        let zero = self.b.int(0);
        self.b.set(variable, zero);
        let (head, round, end) = (self.b.block(), self.b.block(), self.b.block());
        self.b.br(head);
        self.b.switch_to(head);
        let (now, limit) = (self.b.get(variable), self.b.int(limit));
        let goes_on = self.less(now, limit);
        self.b.cond_br(goes_on, round, end);
        self.b.seal(round);
        self.b.switch_to(round);
        inside(self);
        self.step(variable, Bin::Add, 1);
        self.b.br(head);
        self.b.seal(head);
        self.b.seal(end);
        self.b.switch_to(end);
        self.count += 3;
    }

    fn choose(&mut self, condition: B::Val, yes: impl FnOnce(&mut Self), no: impl FnOnce(&mut Self)) {
        let (then, other, end) = (self.b.block(), self.b.block(), self.b.block());
        self.b.cond_br(condition, then, other);
        self.b.seal(then);
        self.b.seal(other);
        self.b.switch_to(then);
        yes(self);
        self.b.br(end);
        self.b.switch_to(other);
        no(self);
        self.b.br(end);
        self.b.seal(end);
        self.b.switch_to(end);
        self.count += 3;
    }

    /// Three nested loops over matrices of 64 by 64.
    fn product(&mut self) {
        self.count_to(3, 64, |t| {
            t.count_to(4, 64, |t| {
                let zero = t.b.int(0);
                t.b.set(6, zero);
                t.count_to(5, 64, |t| {
                    let (i, k) = (t.b.get(3), t.b.get(5));
                    let row = t.b.shl(i, 6);
                    let at = t.bin(Bin::Add, row, k);
                    let a = t.load(at);
                    let (k, j) = (t.b.get(5), t.b.get(4));
                    let row = t.b.shl(k, 6);
                    let at = t.bin(Bin::Add, row, j);
                    let b = t.load(at);
                    let (sum, product) = (t.b.get(6), t.bin(Bin::Mul, a, b));
                    let sum = t.bin(Bin::Add, sum, product);
                    t.b.set(6, sum);
                    t.count += 2;
                });
                let (i, j) = (t.b.get(3), t.b.get(4));
                let row = t.b.shl(i, 6);
                let (at, offset) = (t.bin(Bin::Add, row, j), t.b.int(8192));
                let at = t.bin(Bin::Add, at, offset);
                let sum = t.b.get(6);
                t.store(sum, at);
                t.count += 1;
            });
        });
    }

    /// Neighbours in the wrong order change places.
    fn sort(&mut self) {
        self.count_to(3, 100, |t| {
            t.count_to(4, 99, |t| {
                let (j, one) = (t.b.get(4), t.b.int(1));
                let next = t.bin(Bin::Add, j, one);
                let (a, b) = (t.load(j), t.load(next));
                let is_wrong = t.less(b, a);
                t.choose(
                    is_wrong,
                    |t| {
                        t.store(b, j);
                        t.store(a, next);
                        t.step(5, Bin::Add, 1);
                    },
                    |_| {},
                );
            });
        });
    }

    /// Marks multiples.
    fn sieve(&mut self) {
        self.count_to(3, 1000, |t| {
            let i = t.b.get(3);
            let (mark, one) = (t.load(i), t.b.int(1));
            let is_prime = t.less(mark, one);
            t.choose(
                is_prime,
                |t| {
                    t.step(5, Bin::Add, 1);
                    t.count_to(4, 50, |t| {
                        let (i, j) = (t.b.get(3), t.b.get(4));
                        let (at, one) = (t.bin(Bin::Mul, i, j), t.b.int(1));
                        t.store(one, at);
                    });
                },
                |t| t.step(6, Bin::Add, 2),
            );
        });
    }

    /// A checksum, bit by bit.
    fn checksum(&mut self) {
        self.count_to(3, 256, |t| {
            let i = t.b.get(3);
            let (word, sum) = (t.load(i), t.b.get(5));
            let sum = t.bin(Bin::Xor, sum, word);
            t.b.set(5, sum);
            t.count_to(4, 32, |t| {
                let (sum, one) = (t.b.get(5), t.b.int(1));
                let low = t.bin(Bin::And, sum, one);
                let (half, polynomial, zero) = (t.b.lshr(sum, 1), t.b.int(0x6db8_8320), t.b.int(0));
                let turned = t.bin(Bin::Xor, half, polynomial);
                let is_set = t.less(zero, low);
                let sum = t.b.select(is_set, turned, half);
                t.b.set(5, sum);
                t.count += 2;
            });
        });
    }

    fn operand(&mut self) -> B::Val {
        if self.below(4) == 0 {
            let x = self.below(1 << 10) as i32;
            self.b.int(x)
        } else {
            let variable = self.below(VARIABLES as u64) as usize;
            self.b.get(variable)
        }
    }

    fn expression(&mut self, depth: u64) -> B::Val {
        if depth == 0 || self.below(4) == 0 {
            return self.operand();
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.below(12) {
            0 => {
                let is_less = self.less(a, b);
                self.count += 1;
                self.b.select(is_less, a, b)
            }
            1 => {
                let bits = self.below(31) as i32;
                self.count += 1;
                self.b.shl(a, bits)
            }
            k => self.bin(
                [Bin::Add, Bin::Sub, Bin::Mul, Bin::And, Bin::Or, Bin::Xor, Bin::Add, Bin::Sub]
                    [(k % 8) as usize],
                a,
                b,
            ),
        }
    }

    /// An index that stays in an array of 64.
    fn index(&mut self) -> B::Val {
        let (x, mask) = (self.expression(1), self.b.int(63));
        self.bin(Bin::And, x, mask)
    }

    fn statements(&mut self, count: u64, depth: u64) {
        let mut left = count;
        while left > 0 {
            let variable = 3 + self.below(VARIABLES as u64 - 3) as usize;
            let part = left / 3;
            match self.below(10) {
                0 if depth > 0 && part > 0 => {
                    let (a, b) = (self.expression(1), self.expression(1));
                    let condition = self.less(a, b);
                    self.choose(
                        condition,
                        |t| t.statements(part, depth - 1),
                        |t| t.statements(part / 2 + 1, depth - 1),
                    );
                    left = left.saturating_sub(2 * part);
                }
                1 if depth > 0 && part > 0 => {
                    self.count_to(variable, 10, |t| t.statements(part, depth - 1));
                    left = left.saturating_sub(part);
                }
                2 | 3 => {
                    let index = self.index();
                    let v = self.load(index);
                    self.b.set(variable, v);
                }
                4 => {
                    let (v, index) = (self.expression(2), self.index());
                    self.store(v, index);
                }
                5 => {
                    let (a, b) = (self.expression(1), self.expression(1));
                    self.count += 1;
                    let v = self.b.call(a, b);
                    self.b.set(variable, v);
                }
                _ => {
                    let v = self.expression(3);
                    self.b.set(variable, v);
                }
            }
            left -= 1.min(left);
        }
    }
}
