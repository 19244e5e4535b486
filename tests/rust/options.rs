#![no_std]
#![no_main]
#![allow(dead_code)]

include!("prelude.rs");

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Error {
    Empty,
    Bad(u8),
    Large { at: u16, by: i64 },
}

fn parse(words: &[u8]) -> Result<i64, Error> {
    let (sign, digits) = match words {
        [] => return Err(Error::Empty),
        [b'-', rest @ ..] => (-1, rest),
        all => (1, all),
    };
    let mut sum = 0i64;
    for (k, &c) in digits.iter().enumerate() {
        let digit = match c {
            b'0'..=b'9' => (c - b'0') as i64,
            b'_' => continue,
            _ => return Err(Error::Bad(c)),
        };
        sum = sum.checked_mul(10).and_then(|x| x.checked_add(digit)).ok_or(Error::Large { at: k as u16, by: sum })?;
    }
    Ok(sign * sum)
}

fn both(a: &[u8], b: &[u8]) -> Result<(i64, Option<i64>), Error> {
    let (a, b) = (parse(a)?, parse(b)?);
    Ok((a, a.checked_div(b)))
}

fn code(result: Result<(i64, Option<i64>), Error>) -> i64 {
    match result {
        Ok((a, Some(b))) if b > 5 => a.wrapping_mul(1000).wrapping_add(b),
        Ok((a, Some(b))) => a.wrapping_sub(b),
        Ok((a, None)) => a.wrapping_neg(),
        Err(Error::Empty) => -1,
        Err(Error::Bad(c)) => -(c as i64),
        Err(Error::Large { at, by }) => at as i64 + by % 1000,
    }
}

fn niche(x: Option<Option<bool>>) -> u8 {
    match x {
        None => 9,
        Some(None) => 8,
        Some(Some(x)) => x as u8,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn main() -> i32 {
    let words: [&[u8]; 8] = [b"100", b"-7", b"", b"1x", b"99999999999999999999", b"0", b"1_000", b"-9223372036854775807"];
    for a in words {
        for b in words {
            num(code(both(hidden(a), b)));
        }
    }
    line();
    for x in [None, Some(None), Some(Some(false)), Some(Some(true))] {
        num(niche(hidden(x)) as i64);
    }
    let nothing: Option<&i32> = hidden(None);
    num(nothing.copied().unwrap_or(4) as i64);
    num(core::num::NonZeroU32::new(hidden(5)).map_or(0, |x| x.get() as i64 * 2));
    num((Error::Bad(3) < Error::Large { at: 1, by: 2 }) as i64);
    num(hidden(Some(3)).zip(hidden(Some(4))).map(|(a, b)| a * b).filter(|x| *x > 11).unwrap_or_default() as i64);
    let mut slot = Some(hidden(6));
    num(slot.take().unwrap_or(0) as i64);
    num(slot.replace(7).map_or(-1, |x| x as i64));
    num((*slot.get_or_insert(9) + 1) as i64);
    line();
    0
}
