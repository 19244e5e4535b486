#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

fn quick(a: &mut [i32]) {
    if a.len() <= 1 {
        return;
    }
    let pivot = a[a.len() / 2];
    let (mut low, mut high) = (0isize, a.len() as isize - 1);
    while low <= high {
        while a[low as usize] < pivot {
            low += 1;
        }
        while a[high as usize] > pivot {
            high -= 1;
        }
        if low <= high {
            a.swap(low as usize, high as usize);
            low += 1;
            high -= 1;
        }
    }
    let (left, right) = a.split_at_mut(low as usize);
    quick(&mut left[..(high + 1) as usize]);
    quick(right);
}

fn heap<T: PartialOrd + Copy>(a: &mut [T]) {
    fn sift<T: PartialOrd + Copy>(a: &mut [T], mut at: usize) {
        loop {
            let mut child = 2 * at + 1;
            if child >= a.len() {
                return;
            }
            if child + 1 < a.len() && a[child] < a[child + 1] {
                child += 1;
            }
            if a[at] >= a[child] {
                return;
            }
            a.swap(at, child);
            at = child;
        }
    }
    for at in (0..a.len() / 2).rev() {
        sift(a, at);
    }
    for end in (1..a.len()).rev() {
        a.swap(0, end);
        sift(&mut a[..end], 0);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let mut seed = hidden(12345u32);
    let mut next = || {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        (seed >> 16) as i32 - 20000
    };
    let mut a = [0i32; 100];
    a.iter_mut().for_each(|x| *x = next());
    let (mut b, mut c) = (a, a);
    quick(&mut a);
    heap(&mut b);
    c.sort_unstable();
    num((a == b) as i64);
    num((a == c) as i64);
    let mut pairs = [(0u8, 0.0f32); 20];
    for (k, pair) in pairs.iter_mut().enumerate() {
        *pair = ((k * 7 % 20) as u8, k as f32);
    }
    heap(&mut pairs);
    for (k, x) in pairs {
        num(k as i64);
        num(x as i64);
    }
    line();
    a.reverse();
    a[10..30].rotate_left(5);
    for x in a.iter().step_by(9) {
        num(*x as i64);
    }
    num(a.iter().copied().max().unwrap_or(0) as i64);
    line();
    num(b.binary_search(&b[37]).is_ok() as i64);
    num(b.partition_point(|&x| x < 0) as i64);
    0
}
