#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

use core::ops::{Add, Index, IndexMut, Mul, Neg};

#[derive(Clone, Copy, PartialEq, Default)]
struct Vec3<T>(T, T, T);
impl<T: Add<Output = T>> Add for Vec3<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Vec3(self.0 + o.0, self.1 + o.1, self.2 + o.2)
    }
}
impl<T: Mul<Output = T> + Copy> Mul<T> for Vec3<T> {
    type Output = Self;
    fn mul(self, by: T) -> Self {
        Vec3(self.0 * by, self.1 * by, self.2 * by)
    }
}
impl<T: Neg<Output = T>> Neg for Vec3<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Vec3(-self.0, -self.1, -self.2)
    }
}

struct Matrix<const R: usize, const C: usize>([[i64; C]; R]);
impl<const R: usize, const C: usize> Index<(usize, usize)> for Matrix<R, C> {
    type Output = i64;
    fn index(&self, (r, c): (usize, usize)) -> &i64 {
        &self.0[r][c]
    }
}
impl<const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<R, C> {
    fn index_mut(&mut self, (r, c): (usize, usize)) -> &mut i64 {
        &mut self.0[r][c]
    }
}
impl<const R: usize, const N: usize, const C: usize> Mul<&Matrix<N, C>> for &Matrix<R, N> {
    type Output = Matrix<R, C>;
    fn mul(self, o: &Matrix<N, C>) -> Matrix<R, C> {
        let mut out = Matrix([[0; C]; R]);
        for r in 0..R {
            for c in 0..C {
                out[(r, c)] = (0..N).map(|k| self[(r, k)] * o[(k, c)]).sum();
            }
        }
        out
    }
}

trait Monoid {
    const ONE: Self;
    fn join(&self, other: &Self) -> Self;
}
impl Monoid for u32 {
    const ONE: u32 = 1;
    fn join(&self, other: &u32) -> u32 {
        self.wrapping_mul(*other)
    }
}
impl<A: Monoid, B: Monoid> Monoid for (A, B) {
    const ONE: Self = (A::ONE, B::ONE);
    fn join(&self, o: &Self) -> Self {
        (self.0.join(&o.0), self.1.join(&o.1))
    }
}
impl Monoid for bool {
    const ONE: bool = false;
    fn join(&self, o: &bool) -> bool {
        self ^ o
    }
}

fn power<M: Monoid>(mut x: M, mut n: u32) -> M {
    let mut all = M::ONE;
    while n > 0 {
        if n & 1 == 1 {
            all = all.join(&x);
        }
        x = x.join(&x);
        n >>= 1;
    }
    all
}

fn largest<T: PartialOrd + Copy>(items: &[T]) -> Option<T> {
    let (first, rest) = items.split_first()?;
    Some(rest.iter().fold(*first, |a, &b| if b > a { b } else { a }))
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let k = hidden(3);
    let v = -(Vec3(k, 2, 1) + Vec3(1, k, 4) * 10);
    num(v.0 as i64);
    num((v == Vec3(-13, -32, -41)) as i64);
    let f = Vec3(1.5f32, hidden(2.5), 0.5) * 2.0 + Vec3::default();
    num((f.0 + f.1 * 10.0 + f.2 * 100.0) as i64);
    let m = &Matrix([[1, 2, k as i64], [4, 5, 6]]) * &Matrix([[1, 0], [2, 1], [0, 3]]);
    for r in 0..2 {
        for c in 0..2 {
            num(m[(r, c)]);
        }
    }
    let (a, (b, c)) = power((hidden(7u32), (true, 5u32)), 13);
    num(a as i64 + b as i64);
    num(c as i64);
    num(largest(&[3u8, 9, hidden(200), 7]).map_or(0, |x| x as i64));
    num(largest(&[2.5f64, -1.0, hidden(8.75)]).map_or(0, |x| (x * 4.0) as i64));
    num(largest::<char>(&[]).is_none() as i64);
    line();
    0
}
