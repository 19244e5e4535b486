//! The format of `putf` against its arguments: a warning for each conversion that does not fit.

use super::checker::Checker;
use super::ty::Scalar;
use super::warning::Warning;
use crate::source::{Diagnostics, Span};
use crate::syntax::literal;
use crate::syntax::tree::Node;

/// One conversion: the bytes of the format it stands in, and what it takes, in order.
#[derive(Debug, PartialEq, Eq)]
struct Conversion {
    letter: u8,
    /// Ints for `*` that come before the value.
    stars: usize,
    /// Where it stands.
    start: usize,
    end: usize,
}

/// The conversions of a format, `%%` left out; a `%` at the end is one with the letter 0.
fn conversions(format: &[u8]) -> Vec<Conversion> {
    let mut out = Vec::new();
    let mut bytes = format.iter().enumerate();
    while let Some((start, _)) = bytes.find(|(_, byte)| **byte == b'%') {
        let mut stars = 0;
        let (end, letter) = loop {
            match bytes.next() {
                Some((_, b'*')) => stars += 1,
                Some((_, b'0'..=b'9' | b'.' | b'-' | b'+' | b' ' | b'#')) => {}
                Some((at, &letter)) => break (at + 1, letter),
                None => break (format.len(), 0),
            }
        };
        if letter != b'%' {
            out.push(Conversion { letter, stars, start, end });
        }
    }
    out
}

/// What does not fit, where (the format itself, or an argument), and which conversion.
type Fault = (Span, String, Option<usize>);

/// What a conversion letter takes.
fn takes(letter: u8) -> Option<Scalar> {
    match letter {
        b'd' | b'i' | b'c' | b'u' | b'x' | b'X' | b'o' => Some(Scalar::Int),
        b'f' | b'F' | b'a' | b'A' | b'e' | b'E' | b'g' | b'G' => Some(Scalar::Float),
        _ => None,
    }
}

impl Checker<'_> {
    /// `format` is a `StringLiteral`; `types` are those of `arguments`, none where one was in error.
    pub(super) fn check_format(&mut self, format: Node, arguments: &[Node], types: &[Option<Scalar>]) {
        // Lowering reads the literal, and says what is wrong with its escapes only if this did not.
        let at = self.at(format);
        let mut diags = Diagnostics::default();
        let bytes = literal::string_literal(self.input.file, at, &mut diags);
        self.diags.append(diags);
        if !self.warns(Warning::Format) {
            return;
        }
        for fault in self.mismatches(at, &bytes, arguments, types) {
            self.report_fault(at, &bytes, fault);
        }
    }

    /// Says what is wrong with a format, where the format is, of which conversion.
    fn report_fault(&mut self, at: Span, bytes: &[u8], (span, message, k): Fault) {
        // Where the conversion stands in the source: escapes are none, but `\\x25`.
        let Span { start, end } = at;
        let raw = self.input.file.text.get(start as usize + 1..end as usize - 1).unwrap_or_default();
        let written = conversions(raw);
        let same = written.len() == conversions(bytes).len();
        let Some(place) = k.and_then(|k| written.get(k)).filter(|_| same) else {
            let diagnostic = Warning::Format.at(span, message);
            let diagnostic = if span == at { diagnostic } else { diagnostic.secondary(at, "the format") };
            return self.diags.push(diagnostic);
        };
        let from = start as usize + 1;
        let conversion = Span::new(from + place.start, from + place.end);
        if span == at {
            return self.diags.push(Warning::Format.at(conversion, message));
        }
        let mut right = String::from_utf8_lossy(&raw[place.start..place.end - 1]).into_owned();
        right.push(if takes(place.letter) == Some(Scalar::Int) { 'f' } else { 'd' });
        let diagnostic = Warning::Format.at(span, message);
        self.diags.push(match place.stars {
            0 => diagnostic.guess(conversion, right),
            _ => diagnostic.secondary(conversion, "the conversion"),
        });
    }

    fn mismatches(&self, at: Span, bytes: &[u8], arguments: &[Node], types: &[Option<Scalar>]) -> Vec<Fault> {
        let (mut next, mut faults) = (0, Vec::new());
        for (k, conversion) in conversions(bytes).into_iter().enumerate() {
            let letter = char::from(conversion.letter);
            let ends = |mut faults: Vec<Fault>, message: String| {
                faults.push((at, message, Some(k)));
                faults
            };
            if conversion.letter == 0 {
                return ends(faults, "a conversion of the format is not complete".to_string());
            }
            let Some(wanted) = takes(conversion.letter) else {
                return ends(
                    faults,
                    format!("the format has the unknown conversion '%{}'", letter.escape_default()),
                );
            };
            let stars = std::iter::repeat_n(Scalar::Int, conversion.stars);
            for wanted in stars.chain([wanted]) {
                let Some(&found) = types.get(next) else {
                    return ends(faults, format!("conversion '%{letter}' of the format has no argument"));
                };
                if let Some(found) = found.filter(|&found| found != wanted) {
                    let (wanted, found) = (wanted.name(), found.name());
                    let message =
                        format!("conversion '%{letter}' takes {wanted}, but its argument is {found}");
                    faults.push((self.span(arguments[next]), message, Some(k)));
                }
                next += 1;
            }
        }
        if let Some(first) = arguments.get(next) {
            let message = format!("the format has conversions for {next} of {} arguments", arguments.len());
            faults.push((self.span(*first), message, None));
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_found_behind_flags_and_widths() {
        let found: Vec<_> = conversions(b"a%d%%%-5.2f%0*d %").iter().map(|c| (c.letter, c.stars)).collect();
        assert_eq!(found, [(b'd', 0), (b'f', 0), (b'd', 1), (0, 0)]);
    }
}
