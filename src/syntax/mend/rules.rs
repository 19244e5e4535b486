//! What is mended: each rule looks at a token and what stands around it, and is sure that no program has that.

use super::{FAR, Mend, New, Paren, behind_bracket};
use crate::base::Handle;
use crate::base::spelling::edits;
use crate::source::{Diagnostic, Diagnostics, Span};
use crate::syntax::complaints::not_sysy;
use crate::syntax::dialect::Standard;
use crate::syntax::lexer::{self, Known};
use crate::syntax::stray;
use crate::syntax::token::TokenKind::{self, *};
use crate::syntax::token::{Token, Tokens};

/// Operators that are written as words elsewhere.
const WORD_OPERATORS: [(&str, TokenKind, &str); 5] = [
    ("and", AndAnd, "&&"),
    ("or", OrOr, "||"),
    ("not", Not, "!"),
    ("mod", Percent, "%"),
    ("div", Slash, "/"),
];

/// Other languages' words for `else if`.
const ELSE_IFS: [&str; 3] = ["elseif", "elif", "elsif"];

/// True of what can begin an operand.
fn begins_operand(kind: TokenKind) -> bool {
    matches!(kind, Ident | IntLiteral | FloatLiteral | StringLiteral | LParen | Not | Plus | Minus)
}

/// True of what an operand can end with.
fn ends_operand(kind: TokenKind) -> bool {
    matches!(kind, Ident | IntLiteral | FloatLiteral | RParen | RBracket)
}

/// True of what begins a statement and no expression.
fn begins_statement(kind: TokenKind) -> bool {
    matches!(kind, Const | Int | Float | Void | If | While | Break | Continue | Return)
}

impl Mend<'_> {
    /// Mends what begins at a token, if there is something: the kind that the last token then has, and where
    /// to go on.
    pub(super) fn rule(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        match self.kind(at) {
            Ident => {}
            Minus => return self.result_behind(at),
            Int | Float if self.starts => return self.dimensions_before_name(at),
            Invalid => {
                return self.lookalike(at).or_else(|| if self.starts { self.define(at) } else { None });
            }
            _ => return None,
        }
        let next = self.kind(at + 1);
        if self.depth == 0 && next == LParen && self.is(at, "main") && self.parens.is_empty() {
            let end = self.main_parameters(at)?;
            return Some((RParen, end));
        }
        if let Some(done) = self.word_operator(at, next).or_else(|| self.sizeof(at, next)) {
            return Some(done);
        }
        if !self.starts {
            return None;
        }
        if matches!(self.parens.last(), Some(Paren::Params)) {
            return self.type_behind_parameter(at).or_else(|| self.parameter_type(at));
        }
        self.structure(at)
            .or_else(|| self.function_word(at))
            .or_else(|| self.variable_word(at))
            .or_else(|| self.foreign_type(at))
            .or_else(|| self.foreign_statement(at, next))
            .or_else(|| self.keyword(at, next))
            .or_else(|| self.unknown_type(at))
    }

    /// `a and b`, `not a`.
    fn word_operator(&mut self, at: usize, next: TokenKind) -> Option<(TokenKind, usize)> {
        let fits = if ends_operand(self.before) && !self.starts {
            begins_operand(next)
        } else {
            matches!(next, Ident | IntLiteral | FloatLiteral) && !self.starts
        };
        if !fits {
            return None;
        }
        let text = self.text(at);
        let &(word, kind, sign) = WORD_OPERATORS.iter().find(|row| row.0.as_bytes() == text)?;
        if (kind == Not) == ends_operand(self.before) {
            return None;
        }
        let span = self.span(at);
        self.diags.push(not_sysy(span, &format!("operator '{word}'")).edit(span, sign));
        self.replace(at, at + 1, &[(kind, span.start, 0)]);
        Some((kind, at + 1))
    }

    /// `sizeof(int)`, `sizeof a`.
    fn sizeof(&mut self, at: usize, next: TokenKind) -> Option<(TokenKind, usize)> {
        if !matches!(next, LParen | Ident) || !self.is(at, "sizeof") || self.is_declared(at) {
            return None;
        }
        let end = if next == Ident { at + 2 } else { behind_bracket(self.kinds, at + 1)? };
        let span = self.span(at);
        let is_type = end == at + 4 && matches!(self.kind(at + 2), Int | Float);
        let whole = span.to(self.span(end - 1));
        let error = not_sysy(whole, "'sizeof'").note("an int and a float have 4 bytes each");
        self.diags.push(if is_type { error.edit(whole, "4") } else { error.help("write the number") });
        self.replace(at, end, &[(Invalid, span.start, 0)]);
        Some((Ident, end))
    }

    /// Characters that look like tokens: the lexer has said what to write.
    fn lookalike(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        let text = std::str::from_utf8(self.tokens.text(&self.file.text, Token::new(at))).ok()?;
        let (mut new, mut start): (Vec<New>, u32) = (Vec::new(), self.start(at));
        for character in text.chars().take(FAR) {
            let meant = stray::meant(character)?;
            if meant != " " {
                new.push((TokenKind::spelled(&meant)?, start, 0));
            }
            start += character.len_utf8() as u32;
        }
        // `！=` and the like.
        if let &[(kind, at_text, _)] = new.as_slice()
            && self.kind(at + 1) == Assign
            && self.start(at + 1) == start
            && let Some(both) = TokenKind::spelled(&format!("{}=", kind.spelling()))
        {
            self.replace(at, at + 2, &[(both, at_text, 0)]);
            return Some((both, at + 2));
        }
        let last = new.last().map_or(self.before, |new| new.0);
        self.replace(at, at + 1, &new);
        Some((last, at + 1)).filter(|_| new.len() == 1)
    }

    // ---- Words that begin statements ----------------------------------------------------------------------

    /// `while (x) do {`, where no `while` ends a loop that begins with this `do`.
    fn do_behind_while(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        if self.line_between(at.checked_sub(1)?, at) {
            return None;
        }
        let (mut depth, mut open) = (0usize, at);
        loop {
            open = open.checked_sub(1)?;
            match self.kind(open) {
                RParen => depth += 1,
                LParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if open + FAR < at {
                return None;
            }
        }
        let word = open.checked_sub(1)?;
        let (mut depth, mut end) = (0usize, at + 1);
        loop {
            match self.kind(end) {
                LBrace => depth += 1,
                RBrace => depth = depth.checked_sub(1)?,
                Semicolon | End if depth == 0 => break,
                _ => {}
            }
            end += 1;
            if depth == 0 && self.kind(end - 1) == RBrace {
                break;
            }
            if end > at + FAR {
                return None;
            }
        }
        let ends = end + usize::from(self.kind(end) == Semicolon);
        if self.kind(word) != While || self.kind(ends) == While {
            return None;
        }
        let span = self.span(at);
        let blanks = if self.line_between(at, at + 1) { span.end } else { self.start(at + 1) };
        let error = Diagnostic::error("syntax", span, "no 'do' stands behind a condition");
        self.diags.push(error.edit(Span { end: blanks, ..span }, ""));
        self.replace(at, at + 1, &[]);
        Some((Else, at + 1))
    }

    /// `for`, `do`, `switch` and what belongs to it, `elif`, `then`, `scanf`.
    fn foreign_statement(&mut self, at: usize, next: TokenKind) -> Option<(TokenKind, usize)> {
        if self.depth == 0 {
            return None;
        }
        let start = self.start(at);
        let text = self.text(at).to_vec();
        match text.as_slice() {
            b"for" | b"fro" | b"foor" | b"For" | b"FOR" if super::loops::is_header(self.kinds, at) => {
                if self.standard == Standard::Dialect && text != b"for" {
                    return Some(self.take_as(at, For));
                }
                self.replace(at, at + 1, &[(For, start, 0)]);
                Some((For, at + 1))
            }
            b"for" if self.standard == Standard::Dialect && self.is_broken_for(at) => {
                self.replace(at, at + 1, &[(For, start, 0)]);
                Some((For, at + 1))
            }
            b"do"
                if self.before == RParen
                    && let Some(done) = self.do_behind_while(at) =>
            {
                Some(done)
            }
            b"do" if self.standard == Standard::Dialect => {
                let is_loop = next == LBrace || next == Ident || begins_statement(next);
                is_loop.then_some((Else, at + 1))
            }
            b"do" if next == LBrace || next == Ident || begins_statement(next) => {
                let error = not_sysy(self.span(at), "'do' loops");
                self.diags.push(error.help("write 'while (1) { ...; if (!(condition)) break; }'"));
                self.replace(
                    at,
                    at + 1,
                    &[(While, start, 0), (LParen, start, 0), (Invalid, start, 0), (RParen, start, 0)],
                );
                Some((Else, at + 1))
            }
            b"switch" if next == LParen => {
                let end = behind_bracket(self.kinds, at + 1)?;
                if self.kind(end) != LBrace {
                    return None;
                }
                let error = not_sysy(self.span(at), "'switch'");
                self.diags
                    .push(error.help("write 'if (x == 1) { ... } else if (x == 2) { ... } else { ... }'"));
                // The body is a loop, so that there is something to `break` out of.
                self.replace(at, at + 1, &[(While, start, 0)]);
                self.switches = true;
                Some((While, at + 1))
            }
            b"case" | b"default" if self.switches => {
                let colon = (at + 1..at + 8).find(|&k| {
                    self.kind(k) == Invalid && self.text(k).first() == Some(&b':')
                        || matches!(self.kind(k), Semicolon | LBrace | RBrace | End)
                })?;
                if self.kind(colon) != Invalid {
                    return None;
                }
                self.withdrawn.push(self.start(colon));
                self.replace(at, colon + 1, &[]);
                Some((RBrace, colon + 1)).inspect(|_| self.depth += 1)
            }
            b"then" if matches!(self.before, RParen) => {
                let (span, next) = (self.span(at), self.start(at + 1));
                let blanks = if self.line_between(at, at + 1) { span.end } else { next };
                let error = not_sysy(span, "'then'").edit(Span { end: blanks, ..span }, "");
                self.diags.push(error);
                self.replace(at, at + 1, &[]);
                Some((Else, at + 1))
            }
            b"scanf" if next == LParen => self.scanf(at),
            b"getint" | b"getch" | b"getfloat" if next == LParen => self.read_into(at),
            word if next == LParen && ELSE_IFS.iter().any(|other| other.as_bytes() == word) => {
                if !matches!(self.before, RBrace | Semicolon) {
                    return None;
                }
                let span = self.span(at);
                let word = self.word(at);
                let error = Diagnostic::error("syntax", span, format!("unknown word '{word}'"));
                self.diags.push(error.edit(span, "else if"));
                self.replace(at, at + 1, &[(Else, start, 0), (If, start, 0)]);
                Some((If, at + 1))
            }
            _ => None,
        }
    }

    /// `getint(&n);`
    fn read_into(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        let end = behind_bracket(self.kinds, at + 1)?;
        let first = at + 3;
        let is_place = self.kind(at + 2) == Invalid
            && self.text(at + 2) == b"&"
            && self.kind(first) == Ident
            && self
                .kinds
                .get(first + 1..end - 1)?
                .iter()
                .all(|kind| !matches!(kind, Comma | LParen | Assign));
        if !is_place || self.kind(end) != Semicolon || end > at + 32 {
            return None;
        }
        let (name, place) = (self.word(at), self.span(first).to(self.span(end - 2)));
        let place = String::from_utf8_lossy(&self.file.text[place.start as usize..place.end as usize]);
        let right = format!("{place} = {name}()");
        let whole = self.span(at).to(self.span(end - 1));
        let error = Diagnostic::error("argument-count", whole, format!("'{name}' takes no arguments"));
        self.diags.push(error.note("what is read is its value").guess(whole, right));
        self.withdrawn.push(self.start(at + 2));
        self.replace(at, end, &[]);
        Some((Ident, end))
    }

    /// True of a `for` without the header of one, and in a program that has nothing of that name.
    fn is_broken_for(&mut self, at: usize) -> bool {
        let behind = behind_bracket(self.kinds, at + 1);
        let goes_on = |m: &Self, k| matches!(m.kind(k), LBrace | Ident) || begins_statement(m.kind(k));
        self.kind(at + 1) == LParen && behind.is_some_and(|end| goes_on(self, end)) && !self.is_declared(at)
    }

    /// `scanf("%d", &n);`
    fn scanf(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        let end = behind_bracket(self.kinds, at + 1)?;
        if self.kind(at + 2) != StringLiteral || self.is_declared(at) {
            return None;
        }
        let format = self.text(at + 2).to_vec();
        let function = if format.contains(&b'f') {
            "getfloat"
        } else if format.contains(&b'c') {
            "getch"
        } else {
            "getint"
        };
        let mut targets = Vec::new();
        let mut argument = at + 3;
        for k in at + 3..end {
            if self.kind(k) == Invalid {
                self.withdrawn.push(self.start(k));
            }
            let is_last = k + 1 == end;
            if is_last || self.kind(k) == Comma {
                let (from, to) = (argument, k);
                argument = k + 1;
                let first = from + usize::from(self.kind(from) == Invalid);
                if first < to && targets.len() < 3 {
                    let text = &self.file.text[self.start(first) as usize..self.span(to - 1).end as usize];
                    targets.push(format!("{} = {function}();", String::from_utf8_lossy(text)));
                }
            }
        }
        let whole = self.span(at).to(self.span(end));
        let error = not_sysy(self.span(at), "'scanf'");
        let conversions = format.iter().filter(|&&byte| byte == b'%').count();
        // Several statements stand only where one may.
        let alone = targets.len() == 1 || matches!(self.before, Semicolon | LBrace | RBrace);
        let is_all = self.kind(end) == Semicolon && conversions == targets.len() && alone;
        self.diags.push(if targets.is_empty() {
            error.help(format!("write 'n = {function}();'"))
        } else if is_all {
            let text = targets.join(" ");
            not_sysy(whole, "'scanf'").guess(whole, text)
        } else {
            error.help(format!("write '{}'", targets.join(" ")))
        });
        self.replace(at, end, &[]);
        Some((Ident, end))
    }

    /// A keyword misspelt, where only a keyword can stand.
    fn keyword(&mut self, at: usize, next: TokenKind) -> Option<(TokenKind, usize)> {
        let in_body = self.depth > 0;
        let behind_statement = matches!(self.before, RBrace | Semicolon);
        let mut fits: Vec<TokenKind> = Vec::new();
        match next {
            Ident => {
                fits.extend([Int, Float]);
                if self.kind(at + 2) == LParen && !in_body {
                    fits.push(Void);
                }
                if in_body {
                    fits.push(Return);
                }
                if in_body && behind_statement {
                    fits.push(Else);
                }
            }
            Int | Float => {
                fits.push(Const);
                if in_body && behind_statement {
                    fits.push(Else);
                }
            }
            IntLiteral | FloatLiteral | StringLiteral | Not if in_body => fits.push(Return),
            LBrace | If | While | Return | Break | Continue if in_body && behind_statement => fits.push(Else),
            LParen if in_body => {
                let end = behind_bracket(self.kinds, at + 1)?;
                let goes_on = self.kind(end) == LBrace || begins_statement(self.kind(end));
                if goes_on || matches!(self.kind(end), Ident | Else) {
                    fits.extend([If, While]);
                }
                if behind_statement && self.is(at, "els") {
                    fits.push(Else);
                }
            }
            Semicolon if in_body => fits.extend([Break, Continue, Return]),
            _ => {}
        }
        let (kind, _) = self.nearest(at, &fits)?;
        if self.is_declared(at) {
            return None;
        }
        Some(self.take_as(at, kind))
    }

    /// The keyword that a word is nearest to, if it is near one.
    pub(super) fn nearest(&self, at: usize, keywords: &[TokenKind]) -> Option<(TokenKind, usize)> {
        let text = self.text(at);
        let lower = text.to_ascii_lowercase();
        let distance = |&kind: &TokenKind| {
            let keyword = kind.spelling().as_bytes();
            let most = if keyword.len() > 4 { 2 } else { 1 };
            // One letter more or less than `if` may be anything.
            let short = keyword.len() == 2 && lower.len() != 2 && !lower.starts_with(keyword);
            if lower == keyword {
                return Some((kind, 0));
            }
            edits(&lower, keyword, most).filter(|_| !short).map(|distance| (kind, distance))
        };
        keywords.iter().filter_map(distance).min_by_key(|&(_, distance)| distance)
    }

    /// Takes a word for a keyword, and says so.
    pub(super) fn take_as(&mut self, at: usize, kind: TokenKind) -> (TokenKind, usize) {
        let (span, word) = (self.span(at), self.word(at));
        let error = Diagnostic::error("syntax", span, format!("unknown word '{word}'"));
        self.diags.push(error.guess(span, kind.spelling()));
        self.replace(at, at + 1, &[(kind, span.start, 0)]);
        (kind, at + 1)
    }

    /// `#define N 100`: the lexer has said what to write, and that is what stands there then.
    fn define(&mut self, at: usize) -> Option<(TokenKind, usize)> {
        let directive = self.tokens.text(&self.file.text, Token::new(at)).strip_prefix(b"#")?;
        self.constant(at, directive).or(Some((Semicolon, at + 1)))
    }

    fn constant(&mut self, at: usize, directive: &[u8]) -> Option<(TokenKind, usize)> {
        let span = self.span(at);
        let line = directive.trim_ascii_start().strip_prefix(b"define")?;
        let rest = line.trim_ascii_start();
        let from = span.end as usize - rest.len();
        let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
        if length == 0 || !rest[length].is_ascii_whitespace() {
            return None;
        }
        let (mut value, mut diags) = (Tokens::default(), Diagnostics::default());
        let range = from + length..span.end as usize;
        let known = &mut Known::default();
        lexer::lex_ranges(&self.file.text, &[range], (&mut *self.names, known), &mut value, &mut diags);
        if value.kind.is_empty() || value.kind.len() > 64 || diags.has_errors() {
            return None;
        }
        let name = self.names.intern_bytes(&self.file.text[from..from + length]);
        let is_float = value.kind.as_slice().contains(&FloatLiteral);
        let (start, name_start) = (span.start, from as u32);
        let mut new = vec![
            (Const, start, 0),
            (if is_float { Float } else { Int }, start, 0),
            (Ident, name_start, name.index() as u32),
            (Assign, name_start, 0),
        ];
        new.extend((0..value.kind.len()).map(|k| super::row(&value, k)));
        new.push((Semicolon, start, 0));
        self.replace(at, at + 1, &new);
        Some((Semicolon, at + 1))
    }

    /// The parameters of `main` as SysY has them, so that nothing is said but that there must be none.
    pub(super) fn main_parameters(&mut self, at: usize) -> Option<usize> {
        let end = behind_bracket(self.kinds, at + 1)?;
        let (mut new, mut foreign) = (vec![super::row(self.tokens, at + 1)], false);
        let (mut name, mut is_array) = (None, false);
        for k in at + 2..end {
            match self.kind(k) {
                Comma | RParen => {
                    let (named, start) = (name.take()?, self.start(k));
                    new.extend([(Int, start, 0), super::row(self.tokens, named)]);
                    if std::mem::take(&mut is_array) {
                        new.extend([(LBracket, start, 0), (RBracket, start, 0)]);
                    }
                    new.push(super::row(self.tokens, k));
                }
                Ident => foreign |= name.replace(k).is_some(),
                Star | LBracket => is_array = true,
                _ => {}
            }
            foreign |= self.kind(k) == Star;
        }
        foreign.then(|| self.replace(at + 1, end, &new))?;
        Some(end)
    }
}
