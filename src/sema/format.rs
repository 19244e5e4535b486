//! The format of `putf` against its arguments: a warning for the first conversion that does not fit.

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
}

/// The conversions of a format, `%%` left out; a `%` at the end is one with the letter 0.
fn conversions(format: &[u8]) -> Vec<Conversion> {
    let mut out = Vec::new();
    let mut bytes = format.iter();
    while bytes.by_ref().any(|&byte| byte == b'%') {
        let mut stars = 0;
        let letter = loop {
            match bytes.next() {
                Some(b'*') => stars += 1,
                Some(b'0'..=b'9' | b'.' | b'-' | b'+' | b' ' | b'#') => {}
                Some(&letter) => break letter,
                None => break 0,
            }
        };
        if letter != b'%' {
            out.push(Conversion { letter, stars });
        }
    }
    out
}

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
        if let Some((span, message)) = self.mismatch(at, &bytes, arguments, types) {
            let diagnostic = Warning::Format.at(span, message);
            let diagnostic = if span == at { diagnostic } else { diagnostic.secondary(at, "the format") };
            self.diags.push(diagnostic);
        }
    }

    fn mismatch(
        &self,
        at: Span,
        bytes: &[u8],
        arguments: &[Node],
        types: &[Option<Scalar>],
    ) -> Option<(Span, String)> {
        let mut next = 0;
        for conversion in conversions(bytes) {
            let letter = char::from(conversion.letter);
            if conversion.letter == 0 {
                return Some((at, "a conversion of the format is not complete".to_string()));
            }
            let Some(wanted) = takes(conversion.letter) else {
                return Some((
                    at,
                    format!("the format has the unknown conversion '%{}'", letter.escape_default()),
                ));
            };
            let stars = std::iter::repeat_n(Scalar::Int, conversion.stars);
            for wanted in stars.chain([wanted]) {
                let Some(&found) = types.get(next) else {
                    return Some((at, format!("conversion '%{letter}' of the format has no argument")));
                };
                if let Some(found) = found.filter(|&found| found != wanted) {
                    let (wanted, found) = (wanted.name(), found.name());
                    let message =
                        format!("conversion '%{letter}' takes {wanted}, but its argument is {found}");
                    return Some((self.span(arguments[next]), message));
                }
                next += 1;
            }
        }
        let first = arguments.get(next)?;
        let message = format!("the format has conversions for {next} of {} arguments", arguments.len());
        Some((self.span(*first), message))
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
