//! Reading numbers as the C runtime does: `getint` as scanf's %d that wraps, `getfloat` as scanf's %f.

use super::runtime::Io;

/// What `isspace` says in the C locale.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13)
}

fn skip_space(io: &mut Io) {
    while io.peek().is_some_and(is_space) {
        io.bump();
    }
}

/// White space, a sign, digits; 0 without a digit, modulo 2^32.
pub(super) fn int(io: &mut Io) -> i32 {
    skip_space(io);
    let negative = io.peek() == Some(b'-');
    if negative || io.peek() == Some(b'+') {
        io.bump();
    }
    let mut value = 0u32;
    while let Some(digit) = io.peek().filter(u8::is_ascii_digit) {
        value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
        io.bump();
    }
    if negative { value.wrapping_neg() as i32 } else { value as i32 }
}

/// Moves the next byte to `text` if it is one of `set`.
fn take(io: &mut Io, text: &mut String, set: fn(u8) -> bool) -> bool {
    let Some(byte) = io.peek().filter(|&byte| set(byte)) else { return false };
    text.push(char::from(byte));
    io.bump();
    true
}

/// Moves past the letters of a word, in either case; false at the first byte that is another one, which is
/// moved past as well, as glibc does it.
fn word(io: &mut Io, letters: &[u8]) -> bool {
    letters.iter().all(|&letter| {
        let found = io.peek();
        if found.is_some() {
            io.bump();
        }
        found.is_some_and(|c| c.eq_ignore_ascii_case(&letter))
    })
}

/// A decimal or hexadecimal number, `inf` or `nan`, rounded once; 0 if there is none.
pub(super) fn float(io: &mut Io) -> f32 {
    skip_space(io);
    let mut text = String::new();
    take(io, &mut text, |c| matches!(c, b'+' | b'-'));
    let negative = text == "-";
    let signed = |x: f32| if negative { -x } else { x };
    match io.peek().map(|c| c | 32) {
        Some(b'n') => return if word(io, b"nan") { signed(f32::NAN) } else { 0.0 },
        Some(b'i') => {
            let is_short = |io: &mut Io| io.peek().is_none_or(|c| c | 32 != b'i');
            let is_known = word(io, b"inf") && (is_short(io) || word(io, b"inity"));
            return if is_known { signed(f32::INFINITY) } else { 0.0 };
        }
        _ => {}
    }
    if take(io, &mut text, |c| c == b'0') && io.peek().is_some_and(|c| c | 32 == b'x') {
        io.bump();
        return hexadecimal(io).map_or(0.0, signed);
    }
    while take(io, &mut text, |c| c.is_ascii_digit()) {}
    if take(io, &mut text, |c| c == b'.') {
        while take(io, &mut text, |c| c.is_ascii_digit()) {}
    }
    let mantissa = text.len();
    if text.bytes().any(|c| c.is_ascii_digit()) && take(io, &mut text, |c| c | 32 == b'e') {
        take(io, &mut text, |c| matches!(c, b'+' | b'-'));
        while take(io, &mut text, |c| c.is_ascii_digit()) {}
    }
    text.parse().or_else(|_| text[..mantissa].parse()).unwrap_or(0.0)
}

/// What follows `0x`; none if nothing does.
fn hexadecimal(io: &mut Io) -> Option<f32> {
    let (mut mantissa, mut exponent, mut sticky) = (0u64, 0i64, false);
    let (mut point, mut some) = (false, false);
    loop {
        match io.peek() {
            Some(b'.') if !point => point = true,
            Some(c) if c.is_ascii_hexdigit() => {
                some = true;
                let digit = char::from(c).to_digit(16).unwrap_or(0);
                if mantissa >> 60 == 0 {
                    mantissa = mantissa << 4 | u64::from(digit);
                    exponent -= if point { 4 } else { 0 };
                } else {
                    sticky |= digit != 0;
                    exponent += if point { 0 } else { 4 };
                }
            }
            _ => break,
        }
        io.bump();
    }
    if some && io.peek().is_some_and(|c| c | 32 == b'p') {
        io.bump();
        let negative = io.peek() == Some(b'-');
        if negative || io.peek() == Some(b'+') {
            io.bump();
        }
        let mut power = 0i64;
        while let Some(digit) = io.peek().filter(u8::is_ascii_digit) {
            power = (power * 10 + i64::from(digit - b'0')).min(1 << 40);
            io.bump();
        }
        exponent += if negative { -power } else { power };
    }
    (some || point).then(|| round(mantissa, exponent, sticky))
}

/// mantissa * 2^exponent to the nearest float, ties to even; `sticky` if there is a little more.
fn round(mantissa: u64, exponent: i64, sticky: bool) -> f32 {
    if mantissa == 0 {
        return 0.0;
    }
    let width = 64 - i64::from(mantissa.leading_zeros());
    // The weight of the last bit that the result keeps: 24 bits, but never below the smallest subnormal.
    let last = (exponent + width - 24).max(-149);
    let drop = last - exponent;
    let (mut kept, half, rest) = match drop {
        ..=0 => (mantissa << (-drop).min(63), false, sticky),
        1..=64 => {
            let below = if drop == 64 { mantissa } else { mantissa & ((1 << drop) - 1) };
            let half = 1u64 << (drop - 1);
            let kept = if drop == 64 { 0 } else { mantissa >> drop };
            (kept, below & half != 0, sticky || below & (half - 1) != 0)
        }
        _ => (0, false, true),
    };
    if half && (rest || kept & 1 != 0) {
        kept += 1;
    }
    // `kept` has at most 25 bits, so this is exact but for overflow, which gives infinity.
    if last > 200 { f32::INFINITY } else { (kept as f64 * 2f64.powi(last as i32)) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(text: &str) -> Vec<u32> {
        let (mut input, mut output) = (text.as_bytes(), Vec::new());
        let mut io = Io::new(&mut input, &mut output);
        (0..text.split_whitespace().count()).map(|_| float(&mut io).to_bits()).collect()
    }

    #[test]
    fn floats_are_read_as_scanf_reads_them() {
        let cases: [(&str, f32); 16] = [
            ("1", 1.0),
            ("-0.5e1", -5.0),
            (".25", 0.25),
            ("3.", 3.0),
            ("1e-45", f32::from_bits(1)),
            ("1e99", f32::INFINITY),
            ("0x1.8p+1", 3.0),
            ("-0X.8P4", -8.0),
            ("0x1.000001p0", 1.0),
            ("0x1.000003p0", f32::from_bits(0x3f80_0002)),
            ("0x1.0000010000000000000000001p0", f32::from_bits(0x3f80_0001)),
            ("0x1p-149", f32::from_bits(1)),
            ("0x1p-150", 0.0),
            ("0x1.8p-150", f32::from_bits(1)),
            ("0x1p128", f32::INFINITY),
            ("inf", f32::INFINITY),
        ];
        for (text, value) in cases {
            assert_eq!(floats(text), [value.to_bits()], "{text}");
        }
        assert_eq!(floats("-0.0 0x0p0 123456789"), [-0.0f32, 0.0, 123_456_792.0].map(f32::to_bits));
    }

    #[test]
    fn ints_wrap_and_the_end_of_input_is_zero() {
        let (mut input, mut output) = ("  -12+7 4294967297 \n x".as_bytes(), Vec::new());
        let mut io = Io::new(&mut input, &mut output);
        assert_eq!([0; 5].map(|_| int(&mut io)), [-12, 7, 1, 0, 0]);
        assert_eq!(io.peek(), Some(b'x'));
    }
}
