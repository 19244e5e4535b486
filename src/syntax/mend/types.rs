//! What is mended of types: words of C and other languages for them, lengths in front of a name, arrays as results, structures.

use super::{FAR, Mend, New, Paren, behind_bracket};
use crate::base::spelling::edits;
use crate::source::{Diagnostic, Span};
use crate::syntax::complaints::{list_length, not_sysy};
use crate::syntax::dialect::Standard;
use crate::syntax::token::TokenKind::{self, *};

/// Types of C, and what is written instead.
const TYPES: [(&str, TokenKind); 10] = [
    ("char", Int),
    ("short", Int),
    ("long", Int),
    ("signed", Int),
    ("unsigned", Int),
    ("bool", Int),
    ("_Bool", Int),
    ("double", Float),
    ("let", Int),
    ("var", Int),
];

/// Words of C that stand before a type.
const QUALIFIERS: [&str; 7] = ["static", "extern", "inline", "register", "volatile", "auto", "constexpr"];

impl Mend<'_> {
    /// The words from `at` on that make a type of C: where they end, the type that is meant, and the first
    /// of them that SysY does not have.
    fn type_words(&self, at: usize) -> Option<(usize, TokenKind, usize)> {
        let (mut end, mut meant, mut foreign) = (at, None, None);
        while end < at + 8 {
            match self.kind(end) {
                kind @ (Int | Float | Void) => meant = Some(kind),
                Const => {}
                Ident => {
                    let text = self.text(end);
                    if let Some(&(_, kind)) = TYPES.iter().find(|row| row.0.as_bytes() == text) {
                        if meant != Some(Float) {
                            meant = Some(kind);
                        }
                        foreign = foreign.or(Some(end));
                    } else if QUALIFIERS.iter().any(|word| word.as_bytes() == text) {
                        foreign = foreign.or(Some(end));
                    } else {
                        break;
                    }
                }
                _ => break,
            }
            end += 1;
        }
        Some((end, meant.unwrap_or(Int), foreign?))
    }

    /// `unsigned int n`, `char *s`, `static const int n`.
    pub(super) fn foreign_type(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        let taken = self.standard == Standard::Dialect && self.depth == 0;
        let is_tensor = self.is(at + 1, "tensor") && matches!(self.kind(at + 2), Int | Float);
        let typed = is_tensor || matches!(self.kind(at + 1), Const | Int | Float | Void);
        if taken && self.is(at, "extern") && typed {
            return Some((Const, at + 1));
        }
        let (end, meant, foreign) = self.type_words(at)?;
        let stars = (end..end + FAR).take_while(|&k| self.kind(k) == Star).count();
        let name = end + stars;
        if self.kind(name) != Ident {
            return None;
        }
        let follows = matches!(self.kind(name + 1), Assign | Semicolon | Comma | LBracket | LParen | RParen);
        if stars > 0 && (!follows || end == at + 1 && self.is_declared(at)) {
            return None;
        }
        let (span, word) = (self.span(foreign), self.word(foreign));
        let is_const = (at..end).any(|k| self.kind(k) == Const || self.is(k, "constexpr"));
        let is_type = TYPES.iter().any(|row| row.0 == word);
        let typed = (at..end).any(|k| matches!(self.kind(k), Int | Float | Void));
        // The words, and with a `*` the name and its brackets.
        let all = |end: usize| Span { start: self.start(at), end: self.span(end - 1).end };
        let constant = if is_const { "const " } else { "" };
        let right = format!("{constant}{}", meant.spelling());
        let is_param = matches!(self.parens.last(), Some(Paren::Params));
        let error = match word.as_str() {
            "let" | "var" | "auto" if !typed => {
                not_sysy(span, &format!("'{word}'")).help("write the type, 'int' or 'float'")
            }
            "constexpr" => not_sysy(span, "'constexpr'").edit(all(end), right),
            "extern" if self.standard == Standard::Dialect => {
                Diagnostic::error("syntax", span, "an 'extern' declaration stands outside of functions")
                    .help("write it in front of the function")
            }
            "extern" => not_sysy(span, "'extern'")
                .help("leave it out: the functions of the runtime library need no declaration"),
            _ => {
                let what = if is_type { format!("type '{word}'") } else { format!("'{word}'") };
                let foreign_words = (at..end).filter(|&k| self.kind(k) == Ident).count();
                match stars {
                    0 if !is_type && typed && foreign_words == 1 => {
                        // A 'static' variable of a function keeps its value, which one without does not.
                        let same = self.depth == 0 || word != "static";
                        let gone = Span { end: self.start(foreign + 1), ..span };
                        not_sysy(span, &what).edit_if(same, gone, "")
                    }
                    0 => not_sysy(all(end), &what).guess(all(end), right),
                    1 if is_param && self.kind(name + 1) != LBracket => {
                        let array = format!("{right} {}[]", self.word(name));
                        not_sysy(all(name + 1), &what).guess(all(name + 1), array)
                    }
                    _ => not_sysy(span, &what),
                }
            }
        };
        let error = match stars {
            0 => error,
            _ => error.note("there are no pointers either: an array parameter is written 'int a[]'"),
        };
        self.diags.push(error);
        let start = self.start(at);
        let mut new: Vec<New> = Vec::new();
        if is_const {
            new.push((Const, start, 0));
        }
        new.push((meant, start, 0));
        if stars > 0 {
            // An array, of a length that is not known.
            new.push(super::row(self.tokens, name));
            new.push((LBracket, start, 0));
            if !matches!(self.parens.last(), Some(Paren::Params)) {
                new.push((Invalid, start, 0));
            }
            new.push((RBracket, start, 0));
            // Further dimensions of a parameter have none either.
            let empty = self.kind(name + 1) == LBracket && self.kind(name + 2) == RBracket;
            let until = name + 1 + 2 * usize::from(empty);
            self.replace(at, until, &new);
            return Some((RBracket, until));
        }
        self.replace(at, end, &new);
        Some((meant, end))
    }

    /// The type of a parameter: one of C, one misspelt, or none.
    pub(super) fn parameter_type(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        if let Some(done) = self.foreign_type(at) {
            return Some(done);
        }
        let start = self.start(at);
        if self.kind(at + 1) == Ident {
            let (kind, _) = self.nearest(at, &[Int, Float])?;
            return Some(self.take_as(at, kind));
        }
        if self.before == Const && at > 1 && matches!(self.kind(at - 2), Int | Float) {
            return None;
        }
        let named = matches!(self.kind(at + 1), Comma | RParen)
            || self.kind(at + 1) == LBracket && self.kind(at + 2) == RBracket;
        if !named || TYPES.iter().any(|row| self.is(at, row.0)) {
            return None;
        }
        let name = self.word(at);
        // As the parameter before, if there is one.
        let back =
            (0..at).rev().take(8).map(|k| self.kind(k)).find(|kind| matches!(kind, Int | Float | LParen));
        let kind = back.filter(|&kind| kind != LParen).unwrap_or(Int);
        let message = format!("parameter '{name}' has no type");
        let error = Diagnostic::error("syntax", self.span(at), message);
        self.diags.push(error.guess(self.span(at), format!("{} {name}", kind.spelling())));
        self.replace(at, at, &[(kind, start, 0)]);
        Some((Ident, at + 1))
    }

    /// `int[] a`, `int[10] a`.
    pub(super) fn dimensions_before_name(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        if self.kind(at + 1) != LBracket {
            return None;
        }
        let mut end = at + 1;
        while self.kind(end) == LBracket {
            end = behind_bracket(self.kinds, end)?;
        }
        if self.kind(end) != Ident || end > at + 32 {
            return None;
        }
        if self.depth == 0 && self.kind(end + 1) == LParen && self.parens.is_empty() {
            return Some(self.array_result(at, end));
        }
        let is_param = matches!(self.parens.last(), Some(Paren::Params));
        let dims = &self.file.text[self.start(at + 1) as usize..self.span(end - 1).end as usize];
        let dims = String::from_utf8_lossy(dims).into_owned();
        let (kind, name) = (self.kind(at), self.word(end));
        let declared = self.span(at).to(self.span(end));
        let message = "the dimensions of an array stand behind its name";
        let error = Diagnostic::error("syntax", declared, message);
        let empty = self.kind(at + 2) == RBracket && !is_param;
        let length = if empty { list_length(self.kinds, end + 1) } else { None };
        let error = if let Some(length) = length {
            error.edit(declared, format!("{} {name}[{length}]", kind.spelling()))
        } else if empty {
            error.help(format!("write '{} {name}[10]', with its length", kind.spelling()))
        } else {
            error.edit(declared, format!("{} {name}{dims}", kind.spelling()))
        };
        self.diags.push(error);
        let mut new = vec![super::row(self.tokens, at), super::row(self.tokens, end)];
        for k in at + 1..end {
            new.push(super::row(self.tokens, k));
            if empty && self.kind(k) == LBracket {
                new.push((Invalid, self.start(k), 0));
            }
        }
        self.replace(at, end + 1, &new);
        Some((RBracket, end + 1))
    }

    /// `int[] f(int[] a) {`: a function of any type.
    fn array_result(&mut self, at: usize, name: usize) -> (TokenKind, usize) {
        let span = self.span(at).to(self.span(name - 1));
        let word = self.word(name);
        let error = Diagnostic::error("syntax", span, format!("function '{word}' cannot return an array"));
        let error = error.label("expected 'int', 'float' or 'void'");
        self.diags.push(
            error.help("return nothing, and fill an array that is passed: it is passed by its address"),
        );
        self.replace(at, name, &[(Invalid, span.start, 0)]);
        self.header = true;
        (Ident, name + 1)
    }

    /// `struct P { int x; };`, `strct P {}`: passed over.
    pub(super) fn structure(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        const WORDS: [&str; 3] = ["struct", "union", "enum"];
        if self.depth > 0 || self.kind(at + 1) != Ident || self.kind(at + 2) != LBrace {
            return None;
        }
        let text = self.text(at);
        let meant = WORDS
            .into_iter()
            .find(|word| text == word.as_bytes() || edits(text, word.as_bytes(), 1).is_some())?;
        let is_right = text == meant.as_bytes();
        let (mut depth, mut end) = (0usize, at + 2);
        loop {
            match self.kind(end) {
                LBrace => depth += 1,
                RBrace => depth -= 1,
                End => return None,
                _ => {}
            }
            end += 1;
            if depth == 0 {
                break;
            }
        }
        if self.kind(end) == Semicolon {
            end += 1;
        }
        let (what, instead) = match meant {
            "enum" => ("enumerations", "write 'const int' for each of its names"),
            "union" => ("unions", "use arrays"),
            _ => ("structures", "use an array for each member"),
        };
        let error = not_sysy(self.span(at), what).help(instead);
        let error =
            if is_right { error } else { error.note(format!("'{}' is taken for '{meant}'", self.word(at))) };
        self.diags.push(error);
        self.replace(at, end, &[]);
        Some((Semicolon, end))
    }

    /// `string s;`
    pub(super) fn unknown_type(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        let declares = matches!(self.kind(at + 2), Assign | Semicolon | Comma | LBracket)
            || self.depth == 0 && self.kind(at + 2) == LParen;
        if self.kind(at + 1) != Ident
            || !declares
            || self.line_between(at, at + 1)
            || !self.parens.is_empty()
            || self.is_declared(at)
        {
            return None;
        }
        let word = self.word(at);
        if matches!(word.as_str(), "struct" | "union" | "enum" | "typedef" | "goto" | "using" | "case") {
            return None;
        }
        let error = Diagnostic::error("syntax", self.span(at), format!("unknown type '{word}'"));
        self.diags.push(error.help("the types are 'int' and 'float'"));
        // Uses of what is declared fit everywhere.
        let (start, name) = (self.start(at), super::row(self.tokens, at + 1));
        if self.kind(at + 2) == LParen {
            self.replace(at, at + 1, &[(Int, start, 0)]);
            return Some((Int, at + 1));
        }
        let new = [(Int, start, 0), name, (LBracket, start, 0), (Invalid, start, 0), (RBracket, start, 0)];
        self.replace(at, at + 2, &new);
        Some((RBracket, at + 2))
    }
}
