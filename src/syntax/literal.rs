//! The values of literals, exactly.
//!
//! Integers are summed up in 64 bits with the overflow remembered. A floating literal is rounded once, from
//! the text to binary32 (through binary64 it would be rounded twice): decimal ones by the standard library,
//! which is correctly rounded, hexadecimal ones here. All are linear in the length of the text.

use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

/// An integer literal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct IntValue {
    /// The value; `u64::MAX` if it is larger than that.
    pub value: u64,
    /// True if it is written in decimal.
    pub decimal: bool,
}

/// The value of an integer literal as the lexer found it.
pub fn int_value(literal: &[u8]) -> IntValue {
    let (radix, digits) = match literal {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', digits @ ..] if !digits.is_empty() => (8, digits),
        digits => (10, digits),
    };
    let value = digits.iter().try_fold(0u64, |value, &digit| {
        let digit = (digit as char).to_digit(radix).unwrap_or(0);
        value.checked_mul(u64::from(radix))?.checked_add(u64::from(digit))
    });
    IntValue { value: value.unwrap_or(u64::MAX), decimal: radix == 10 }
}

/// The `int` that the integer literal at `span` stands for. Beyond 2^31 - 1 it wraps, in decimal with a
/// warning; 2^31 directly under a unary minus is what it seems to be; 2^32 and more is an error.
pub fn int_literal(file: &SourceFile, span: Span, under_minus: bool, diags: &mut Diagnostics) -> i32 {
    let IntValue { value, decimal } = int_value(&file.text[span.start as usize..span.end as usize]);
    let wrapped = value as i32;
    if value > u64::from(u32::MAX) {
        let message = "the number is too large for an int";
        diags.push(Diagnostic::error("int-literal", span, message).note("an int has 32 bits"));
    } else if decimal && value > 1 << 31 || decimal && value == 1 << 31 && !under_minus {
        let message = format!("{value} is too large for an int and becomes {wrapped}");
        diags.push(Diagnostic::warning("int-literal", span, message).note("the largest int is 2147483647"));
    }
    wrapped
}

/// The binary32 nearest to a floating literal as the lexer found it, ties to even; infinite if it is too
/// large.
pub fn float_value(literal: &[u8]) -> f32 {
    match literal {
        [b'0', b'x' | b'X', digits @ ..] => hex_float(digits),
        _ => std::str::from_utf8(literal).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0),
    }
}

/// The value of a floating literal of which there is nothing to be said: it is in range, or `0.0`.
pub fn plain_float(literal: &[u8]) -> Option<f32> {
    let value = float_value(literal);
    (value.is_normal() || literal == b"0.0").then_some(value)
}

/// The `float` that the floating literal at `span` stands for, with a warning if it is out of range.
pub fn float_literal(file: &SourceFile, span: Span, diags: &mut Diagnostics) -> f32 {
    let literal = &file.text[span.start as usize..span.end as usize];
    let value = float_value(literal);
    let hex = literal.len() > 1 && literal[1] | 0x20 == b'x';
    let exponent = if hex { b'p' } else { b'e' };
    let digits = literal.iter().skip(if hex { 2 } else { 0 }).take_while(|&&byte| byte | 0x20 != exponent);
    let message = if value.is_infinite() {
        "the number is too large for a float: it is infinite"
    } else if value == 0.0 && digits.into_iter().any(|&byte| byte != b'0' && byte != b'.') {
        "the number is too small for a float: it is 0"
    } else {
        return value;
    };
    diags.push(Diagnostic::warning("float-literal", span, message));
    value
}

/// Digits of the form `h.hp[+-]d`, without `0x`.
fn hex_float(digits: &[u8]) -> f32 {
    // value = mantissa * 2^exponent, with the bits that found no room in the mantissa or-ed into its last
    // one.
    let (mut mantissa, mut exponent, mut point) = (0u64, 0i64, false);
    let mut bytes = digits.iter();
    for &byte in bytes.by_ref() {
        match byte {
            b'.' => point = true,
            b'p' | b'P' => break,
            _ => {
                let digit = u64::from((byte as char).to_digit(16).unwrap_or(0));
                exponent -= i64::from(point) * 4;
                if mantissa >> 60 == 0 {
                    mantissa = mantissa << 4 | digit;
                } else {
                    mantissa |= u64::from(digit != 0);
                    exponent += 4;
                }
            }
        }
    }
    let power = bytes.as_slice();
    let (negative, power) = match power {
        [b'-', power @ ..] => (true, power),
        [b'+', power @ ..] => (false, power),
        _ => (false, power),
    };
    let power = power.iter().fold(0i64, |power, &digit| (power * 10 + i64::from(digit - b'0')).min(1 << 40));
    round(mantissa, exponent + if negative { -power } else { power })
}

/// The binary32 nearest to `mantissa * 2^exponent`, ties to even.
fn round(mantissa: u64, exponent: i64) -> f32 {
    if mantissa == 0 {
        return 0.0;
    }
    let shift = mantissa.leading_zeros();
    let mantissa = mantissa << shift;
    // The value is 1.xxx * 2^scale.
    let scale = exponent - i64::from(shift) + 63;
    if scale > 127 {
        return f32::INFINITY;
    }
    // A float has 24 bits, fewer below 2^-126, and below 2^-150 none that counts.
    let bits = 24 - (-126 - scale).max(0);
    if bits < 0 {
        return 0.0;
    }
    let wide = u128::from(mantissa) << 64;
    let dropped = 128 - bits as u32;
    let (kept, rest, half) = match dropped {
        128 => (0, wide, 1u128 << 127),
        _ => (wide >> dropped, wide & ((1u128 << dropped) - 1), 1u128 << (dropped - 1)),
    };
    let up = rest > half || rest == half && kept & 1 == 1;
    let rounded = kept as u32 + u32::from(up);
    // The leading bit of a normal number adds 1 to the exponent field, and so does a carry out of the
    // mantissa.
    let field = (scale.max(-126) + 126) as u32;
    f32::from_bits((field << 23) + rounded)
}

/// The bytes of the string literal at `span`, without its quotes and with the escapes of C replaced. No NUL
/// is added.
pub fn string_literal(file: &SourceFile, span: Span, diags: &mut Diagnostics) -> Vec<u8> {
    let text = &file.text[span.start as usize..span.end as usize];
    let mut out = Vec::with_capacity(text.len());
    let end = text.len().saturating_sub(1);
    let mut at = 1;
    while at < end {
        let byte = text[at];
        at += 1;
        if byte != b'\\' || at >= end {
            out.push(byte);
            continue;
        }
        let escape = text[at];
        let begin = at - 1;
        at += 1;
        match escape {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'v' => out.push(11),
            b'e' => out.push(27),
            b'\\' | b'"' | b'\'' | b'?' => out.push(escape),
            b'0'..=b'7' | b'x' => {
                let (radix, longest) = if escape == b'x' { (16, usize::MAX) } else { (8, 3) };
                let first = if escape == b'x' { at } else { at - 1 };
                let digits = text[first..end].iter().take(longest);
                let count = digits.take_while(|&&digit| (digit as char).is_digit(radix)).count();
                let value = text[first..first + count].iter().fold(0u32, |value, &digit| {
                    value.saturating_mul(radix).saturating_add((digit as char).to_digit(radix).unwrap_or(0))
                });
                at = first + count;
                if value > 255 || count == 0 {
                    let message =
                        if count == 0 { "'\\x' without digits" } else { "the escape is larger than a byte" };
                    let span = Span::new(span.start as usize + begin, span.start as usize + at);
                    diags.push(Diagnostic::error("string-escape", span, message));
                }
                out.push(value as u8);
            }
            // A line splice leaves nothing.
            b'\n' => {}
            b' ' | b'\t' | b'\r' if text[at..end].trim_ascii_start().len() < end - at || escape == b'\r' => {
                at += text[at..end].iter().position(|&byte| byte == b'\n').map_or(0, |length| length + 1);
            }
            _ => {
                let span = Span::new(span.start as usize + begin, span.start as usize + at);
                let message = format!("unknown escape '\\{}'", escape.escape_ascii());
                diags.push(Diagnostic::warning("string-escape", span, message));
                out.push(escape);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_in_each_radix() {
        for (text, value, decimal) in [
            ("0", 0, true),
            ("00", 0, false),
            ("017", 15, false),
            ("2147483648", 1 << 31, true),
            ("0xFFFFFFFF", 0xffff_ffff, false),
            ("0XaB", 0xab, false),
            ("18446744073709551615", u64::MAX, true),
            ("99999999999999999999999", u64::MAX, true),
        ] {
            assert_eq!(int_value(text.as_bytes()), IntValue { value, decimal }, "{text}");
        }
        assert_eq!(int_value("0".repeat(10_000).as_bytes()).value, 0);
    }

    fn int(text: &str, under_minus: bool) -> (i32, usize, usize) {
        let mut diags = Diagnostics::default();
        let file = SourceFile::new("a.sy", text.as_bytes().to_vec());
        let value = int_literal(&file, Span::new(0, text.len()), under_minus, &mut diags);
        (value, diags.warnings(), diags.errors())
    }

    #[test]
    fn ints_wrap_warn_and_fail_by_the_rules() {
        assert_eq!(int("2147483647", false), (i32::MAX, 0, 0));
        assert_eq!(int("2147483648", true), (i32::MIN, 0, 0));
        assert_eq!(int("2147483648", false), (i32::MIN, 1, 0));
        assert_eq!(int("2147483649", true), (i32::MIN + 1, 1, 0));
        assert_eq!(int("4294967295", false), (-1, 1, 0));
        assert_eq!(int("0x80000000", false), (i32::MIN, 0, 0));
        assert_eq!(int("037777777777", false), (-1, 0, 0));
        assert_eq!(int("4294967296", false).2, 1);
        assert_eq!(int("0x100000000", true).2, 1);
    }

    #[test]
    fn floats_are_rounded_once() {
        for (text, bits) in [
            ("1.", 0x3f80_0000),
            (".5", 0x3f00_0000),
            ("1e9", 0x4e6e_6b28),
            ("03.14", 0x4048_f5c3),
            ("1e-45", 1),
            ("7e-46", 0),
            ("1e39", 0x7f80_0000),
            ("1e99999999999999999999999", 0x7f80_0000),
            ("1e-99999999999999999999999", 0),
            // Halfway between two floats but for a digit that binary64 cannot hold.
            ("1.00000005960464477540", 0x3f80_0001),
            ("1.00000005960464477539", 0x3f80_0000),
        ] {
            assert_eq!(float_value(text.as_bytes()).to_bits(), bits, "{text}");
        }
    }

    #[test]
    fn hexadecimal_floats_are_rounded_to_nearest_even() {
        for (text, bits) in [
            ("0x1p0", 0x3f80_0000u32),
            ("0x1.8p3", 0x4140_0000),
            ("0x.AP-3", 0x3da0_0000),
            ("0x1.921fb6p+1", 0x4049_0fdb),
            ("0x1.000001p0", 0x3f80_0000),
            ("0x1.0000010000000000000000000001p0", 0x3f80_0001),
            ("0x1.000003p0", 0x3f80_0002),
            ("0x1.fffffep127", 0x7f7f_ffff),
            ("0x1.ffffffp127", 0x7f80_0000),
            ("0x1p128", 0x7f80_0000),
            ("0x1p-126", 0x0080_0000),
            ("0x1p-149", 1),
            ("0x1p-150", 0),
            ("0x1.000002p-150", 1),
            ("0x1.8p-149", 2),
            ("0x1.fffffep-127", 0x0080_0000),
            ("0x0.0000000000000000000000000000000000000001p160", 0x3f80_0000),
            ("0x100000000000000000000000p-92", 0x3f80_0000),
            ("0x1p99999999999999999999", 0x7f80_0000),
            ("0x1p-99999999999999999999", 0),
            ("0x0p5", 0),
        ] {
            assert_eq!(float_value(text.as_bytes()).to_bits(), bits, "{text}");
        }
    }

    #[test]
    fn hexadecimal_floats_come_back() {
        // Every float is written exactly with 24 bits, so it must come back the same.
        let mut bits = 1u32;
        while bits < 0x7f80_0000 {
            let (field, fraction) = (bits >> 23, bits & 0x7f_ffff);
            let lead = u32::from(field != 0);
            let text = format!("0x{lead}.{:06x}p{}", fraction << 1, field.max(1) as i32 - 127);
            assert_eq!(float_value(text.as_bytes()).to_bits(), bits, "{text}");
            bits += 104_729;
        }
    }

    #[test]
    fn long_literals_are_read() {
        let digits = "1".repeat(10_000);
        assert_eq!(float_value(format!("0.{digits}").as_bytes()), 1.0 / 9.0);
        assert_eq!(float_value(format!("0x{digits}p-39996").as_bytes()), 1.066_666_7);
        assert_eq!(int_value(digits.as_bytes()).value, u64::MAX);
    }

    #[test]
    fn floats_out_of_range_are_warned_about() {
        for (text, warnings) in
            [("1e39", 1), ("1e-60", 1), ("0.000e9", 0), ("0x0.0p-900", 0), ("0x1p-900", 1), ("1e5", 0)]
        {
            let mut diags = Diagnostics::default();
            let file = SourceFile::new("a.sy", text.as_bytes().to_vec());
            float_literal(&file, Span::new(0, text.len()), &mut diags);
            assert_eq!(diags.warnings(), warnings, "{text}");
        }
    }

    #[test]
    fn strings_lose_their_escapes() {
        let text = br#""a\n\t\\\"\101\x41g\0008\q\
z""#;
        let mut diags = Diagnostics::default();
        let file = SourceFile::new("a.sy", text.to_vec());
        let bytes = string_literal(&file, Span::new(0, text.len()), &mut diags);
        assert_eq!(bytes, b"a\n\t\\\"AAg\x008qz");
        assert_eq!((diags.warnings(), diags.errors()), (1, 0));
        let file = SourceFile::new("a.sy", b"\"\\x100\\x\"".to_vec());
        assert_eq!(string_literal(&file, Span::new(0, 9), &mut diags).len(), 2);
        assert_eq!(diags.errors(), 2);
    }
}
