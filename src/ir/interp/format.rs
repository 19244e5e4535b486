//! printf's part of the runtime: `%a` as glibc writes it, and the conversions that `putf` takes.

use std::fmt::Write;

/// Flags, width and precision of a conversion.
#[derive(Clone, Debug, Default)]
pub(super) struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// The letter.
    pub(super) conversion: u8,
}

/// Widths and precisions beyond this are taken for it, so that no format asks for all memory.
const WIDEST: usize = 1 << 16;

/// Reads what follows a `%`; returns the conversion and how many bytes it took. `star` gives the ints that
/// `*` stands for.
pub(super) fn parse(text: &[u8], mut star: impl FnMut() -> i32) -> Option<(Spec, usize)> {
    let mut spec = Spec::default();
    let mut k = 0;
    loop {
        match text.get(k)? {
            b'-' => spec.left = true,
            b'+' => spec.plus = true,
            b' ' => spec.space = true,
            b'#' => spec.alternate = true,
            b'0' => spec.zero = true,
            _ => break,
        }
        k += 1;
    }
    let number = |k: &mut usize| {
        let mut x = 0;
        while let Some(digit) = text.get(*k).filter(|c| c.is_ascii_digit()) {
            x = (x * 10 + usize::from(digit - b'0')).min(WIDEST);
            *k += 1;
        }
        x
    };
    let most = |x: u32| (x as usize).min(WIDEST);
    if text.get(k) == Some(&b'*') {
        k += 1;
        let width = star();
        spec.left |= width < 0;
        spec.width = most(width.unsigned_abs());
    } else {
        spec.width = number(&mut k);
    }
    if text.get(k) == Some(&b'.') {
        k += 1;
        spec.precision = if text.get(k) == Some(&b'*') {
            k += 1;
            u32::try_from(star()).ok().map(most)
        } else {
            Some(number(&mut k))
        };
    }
    while matches!(text.get(k), Some(b'l' | b'h')) {
        k += 1;
    }
    spec.conversion = *text.get(k)?;
    Some((spec, k + 1))
}

impl Spec {
    /// Pads `digits` with a sign or prefix in front.
    fn pad(&self, out: &mut Vec<u8>, prefix: &str, digits: &str, zeros: bool) {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        let (before, middle, after) = match (self.left, zeros && self.zero) {
            (true, _) => (0, 0, missing),
            (false, true) => (0, missing, 0),
            (false, false) => (missing, 0, 0),
        };
        out.extend(std::iter::repeat_n(b' ', before));
        out.extend_from_slice(prefix.as_bytes());
        out.extend(std::iter::repeat_n(b'0', middle));
        out.extend_from_slice(digits.as_bytes());
        out.extend(std::iter::repeat_n(b' ', after));
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// `%d %i %u %x %X %o %c`; false for another conversion.
    pub(super) fn int(&self, out: &mut Vec<u8>, x: i32) -> bool {
        let (prefix, mut digits) = match self.conversion {
            b'd' | b'i' => (self.sign(x < 0), x.unsigned_abs().to_string()),
            b'u' => ("", (x as u32).to_string()),
            b'x' => (if self.alternate && x != 0 { "0x" } else { "" }, format!("{x:x}")),
            b'X' => (if self.alternate && x != 0 { "0X" } else { "" }, format!("{x:X}")),
            b'o' => ("", if self.alternate && x != 0 { format!("0{x:o}") } else { format!("{x:o}") }),
            b'c' => {
                let missing = self.width.saturating_sub(1);
                out.extend(std::iter::repeat_n(b' ', if self.left { 0 } else { missing }));
                out.push(x as u8);
                out.extend(std::iter::repeat_n(b' ', if self.left { missing } else { 0 }));
                return true;
            }
            _ => return false,
        };
        if let Some(precision) = self.precision {
            if precision == 0 && x == 0 {
                digits.clear();
            }
            digits.insert_str(0, &"0".repeat(precision.saturating_sub(digits.len())));
        }
        self.pad(out, prefix, &digits, self.precision.is_none());
        true
    }

    /// `%f %F %e %E %g %G %a %A`; false for another conversion.
    pub(super) fn float(&self, out: &mut Vec<u8>, x: f64) -> bool {
        let upper = self.conversion.is_ascii_uppercase();
        let magnitude = x.abs();
        let mut digits = match self.conversion | 32 {
            _ if !matches!(self.conversion | 32, b'f' | b'e' | b'g' | b'a') => return false,
            _ if x.is_nan() => "nan".to_string(),
            _ if x.is_infinite() => "inf".to_string(),
            b'f' => format!("{magnitude:.*}", self.precision.unwrap_or(6)),
            b'e' => exponential(magnitude, self.precision.unwrap_or(6)),
            b'g' => self.general(magnitude),
            _ => hexadecimal(magnitude, self.precision),
        };
        if self.alternate && x.is_finite() && !digits.contains('.') {
            let at = digits.find(['e', 'p']).unwrap_or(digits.len());
            digits.insert(at, '.');
        }
        let mut prefix = self.sign(x.is_sign_negative()).to_string();
        if self.conversion | 32 == b'a' && x.is_finite() {
            prefix.push_str("0x");
        }
        if upper {
            digits.make_ascii_uppercase();
            prefix.make_ascii_uppercase();
        }
        self.pad(out, &prefix, &digits, x.is_finite());
        true
    }

    fn general(&self, x: f64) -> String {
        let precision = self.precision.unwrap_or(6).max(1);
        let long = exponential(x, precision - 1);
        let exponent: i32 = long.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let trim = |text: &str| match text.contains('.') && !self.alternate {
            true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            false => text.to_string(),
        };
        if exponent < -4 || exponent >= precision as i32 {
            let (mantissa, power) = long.split_once('e').unwrap_or((&long, "+00"));
            return format!("{}e{power}", trim(mantissa));
        }
        trim(&format!("{x:.*}", (precision as i32 - 1 - exponent).max(0) as usize))
    }

    /// `%s`.
    pub(super) fn string(&self, out: &mut Vec<u8>, text: &[u8]) {
        let text = &text[..text.len().min(self.precision.unwrap_or(usize::MAX))];
        let missing = self.width.saturating_sub(text.len());
        out.extend(std::iter::repeat_n(b' ', if self.left { 0 } else { missing }));
        out.extend_from_slice(text);
        out.extend(std::iter::repeat_n(b' ', if self.left { missing } else { 0 }));
    }
}

/// C's `%e`: at least two digits of exponent, with a sign.
fn exponential(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// C's `%a` without sign and `0x`: as many digits as are needed, or `precision` of them, ties to even.
fn hexadecimal(x: f64, precision: Option<usize>) -> String {
    let bits = x.to_bits();
    let (mut exponent, mut fraction) = ((bits >> 52) as i64 & 0x7ff, bits & ((1 << 52) - 1));
    let mut lead = u64::from(exponent != 0);
    exponent = match (exponent, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => exponent - 1023,
    };
    let mut digits = 13;
    match precision {
        Some(precision) if precision < 13 => {
            let drop = 4 * (13 - precision);
            let whole = lead << 52 | fraction;
            let (below, half) = (whole & ((1 << drop) - 1), 1u64 << (drop - 1));
            let mut kept = whole >> drop;
            kept += u64::from(below > half || below == half && kept & 1 != 0);
            (lead, fraction) = (kept >> (52 - drop), (kept << drop) & ((1 << 52) - 1));
            digits = precision;
        }
        Some(_) => {}
        None => {
            while digits != 0 && fraction >> (4 * (13 - digits)) & 15 == 0 {
                digits -= 1;
            }
        }
    }
    let mut text = format!("{lead}");
    if digits != 0 {
        text.push('.');
        let all = format!("{fraction:013x}");
        text.push_str(&all[..digits]);
    }
    text.extend(std::iter::repeat_n('0', precision.unwrap_or(0).saturating_sub(13)));
    _ = write!(text, "p{exponent:+}");
    text
}

/// `putfloat`.
pub(super) fn plain_hexadecimal(out: &mut Vec<u8>, x: f64) {
    Spec { conversion: b'a', ..Spec::default() }.float(out, x);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(format: &str, x: f64) -> String {
        let (spec, used) = parse(&format.as_bytes()[1..], || 0).unwrap();
        assert_eq!(used + 1, format.len());
        let mut out = Vec::new();
        if !spec.float(&mut out, x) {
            assert!(spec.int(&mut out, x as i32));
        }
        String::from_utf8(out).unwrap()
    }

    /// Expected texts come from glibc's printf.
    #[test]
    fn floats_print_as_glibc_prints_them() {
        let cases = [
            ("%a", 3.0, "0x1.8p+1"),
            ("%a", -0.0, "-0x0p+0"),
            ("%a", f64::INFINITY, "inf"),
            ("%a", -f64::NAN, "-nan"),
            ("%a", f64::from(f32::from_bits(1)), "0x1p-149"),
            ("%a", 5e-324, "0x0.0000000000001p-1022"),
            ("%a", 0.1, "0x1.999999999999ap-4"),
            ("%.2a", 1.999, "0x2.00p+0"),
            ("%.1a", 1.03125, "0x1.0p+0"),
            ("%20a", 1.0, "              0x1p+0"),
            ("%010a", -1.0, "-0x0001p+0"),
            ("%f", 0.1, "0.100000"),
            ("%.0f", 0.5, "0"),
            ("%.0f", 1.5, "2"),
            ("%.1f", 0.25, "0.2"),
            ("%8.3f", -2.0005, "  -2.001"),
            ("%-8.2f", 1.0, "1.00    "),
            ("%+08.2f", 1.0, "+0001.00"),
            ("%f", 1e22, "10000000000000000000000.000000"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%g", 100000.0, "100000"),
            ("%g", 1e6, "1e+06"),
            ("%g", 1e-5, "1e-05"),
            ("%g", 0.0001, "0.0001"),
            ("%d", -42.0, "-42"),
            ("%05d", -42.0, "-0042"),
            ("%-5d", 42.0, "42   "),
            ("%.3d", 7.0, "007"),
            ("%x", -1.0, "ffffffff"),
            ("%c", 65.0, "A"),
            ("%3c", 65.0, "  A"),
        ];
        for (format, x, text) in cases {
            assert_eq!(print(format, x), text, "{format} of {x}");
        }
    }
}
