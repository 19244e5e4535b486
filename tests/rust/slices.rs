#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[inline(never)]
fn fill(to: &mut [u16], from: &[u8]) -> usize {
    let mut used = 0;
    for (place, &x) in to.iter_mut().zip(from) {
        *place = x as u16 * 257;
        used += 1;
    }
    used
}

fn rle(bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    let (mut used, mut rest) = (0, bytes);
    while let [first, ..] = rest {
        let run = rest.iter().take(255).take_while(|c| *c == first).count();
        out.get_mut(used..used + 2)?.copy_from_slice(&[run as u8, *first]);
        used += 2;
        rest = &rest[run..];
    }
    Some(used)
}

fn longest<'a>(a: &'a [i32], b: &'a [i32]) -> &'a [i32] {
    let mut best = &a[..0];
    for i in 0..a.len() {
        for j in 0..b.len() {
            let same = a[i..].iter().zip(&b[j..]).take_while(|(x, y)| x == y).count();
            if same > best.len() {
                best = &a[i..i + same];
            }
        }
    }
    best
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let bytes = hidden(*b"aaabccccccccddaaa");
    let mut words = [7u16; 20];
    num(fill(&mut words, &bytes) as i64);
    num(words.iter().map(|x| *x as i64).sum());
    let mut out = [0u8; 12];
    num(rle(&bytes, &mut out).map_or(-1, |n| n as i64));
    out.iter().for_each(|x| num(*x as i64));
    num(rle(&bytes, &mut out[..4]).is_none() as i64);
    longest(&[1, 2, 3, 4, 5, 6], &[9, 3, 4, 5, 1, 2]).iter().for_each(|x| num(*x as i64));
    let mut items = hidden([5, 4, 3, 2, 1, 0]);
    items.copy_within(1..4, 2);
    items[..3].fill(8);
    let (a, b) = items.split_at_mut(3);
    a.swap_with_slice(b);
    items.iter().for_each(|x| num(*x as i64));
    num(items.contains(&8) as i64 + 2 * items.starts_with(&[3]) as i64);
    num(items.iter().rev().skip_while(|x| **x == 8).count() as i64);
    line();
    0
}

