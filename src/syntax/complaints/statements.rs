//! What is said about statements that are no SysY, and about braces that are missing.

use super::{QUOTED, not_sysy};
use crate::base::Handle;
use crate::source::{Diagnostic, Span};
use crate::syntax::expressions::Context;
use crate::syntax::parser::{Parser, Waits};
use crate::syntax::token::{Token, TokenKind};

/// What the indentation of a function's lines says of its blocks.
enum Indentation {
    /// Each `}` stands where the line of its `{` begins.
    Agrees,
    /// This `{` is not closed in front of this line; the `}` that closes it, or the end.
    Unclosed([Token; 3]),
    /// Nothing.
    Unclear,
}

/// Bytes of a line that are looked at.
const NEAR: usize = 200;

impl Parser<'_> {
    pub(in crate::syntax) fn error_open_block(&mut self) {
        let open = self.open_brace();
        let (by_indentation, agrees) = match self.by_indentation() {
            Indentation::Agrees => (None, true),
            Indentation::Unclosed(blocks) => (Some(blocks), false),
            Indentation::Unclear => (None, false),
        };
        // The body of the function: all blocks in it are closed, as their lines are indented.
        let is_body = self.states.iter().filter(|state| state.waits == Waits::Block).count() == 1;
        let is_certain = is_body && agrees;
        self.report(|p| {
            let place = if p.kind() == TokenKind::End { p.behind() } else { p.here() };
            let mut error = Diagnostic::error("syntax", place, "missing '}'");
            if p.kind() != TokenKind::End {
                error = error.label("a function begins here");
            }
            match (by_indentation, open) {
                (Some([open, next, closes]), _) => {
                    let brace = format!("{}}}\n", p.indentation(open));
                    let error = error.secondary(p.span(open), "by the indentation, this block is not closed");
                    let error = match closes.index() < p.at {
                        true => error.secondary(p.span(closes), "this closes it"),
                        false => error,
                    };
                    error.guess(p.line_start(next), brace)
                }
                (_, Some(open)) => {
                    let error = error.secondary(p.span(open), "this block is not closed");
                    match p.kind() {
                        TokenKind::End => error.edit_if(is_certain, place, "\n}"),
                        _ => error.edit_if(is_certain, p.line_start(p.token()), "}\n"),
                    }
                }
                _ => error,
            }
        });
    }

    /// The place where the line of a token begins.
    fn line_start(&self, token: Token) -> Span {
        let before = &self.file.text[..self.tokens.start[token] as usize];
        let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        Span::new(start, start)
    }

    /// The blanks that the line of a token begins with.
    fn indentation(&self, token: Token) -> String {
        let line = &self.file.text[self.line_start(token).start as usize..];
        line.iter()
            .take(QUOTED)
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .map(|&byte| byte as char)
            .collect()
    }

    /// What indentation says of the function that is read: the first block with a line in it that is indented no
    /// further than the line of its `{`. O(tokens of the function).
    fn by_indentation(&self) -> Indentation {
        let body = self.states.iter().find(|state| state.waits == Waits::Block);
        let Some(first) = body.map(|state| state.token) else { return Indentation::Unclear };
        // Blanks at the beginning of the line of a token, and the bytes before the token on it.
        let columns = |token: Token| {
            let at = self.tokens.start[token] as usize;
            let near = &self.file.text[at.saturating_sub(NEAR)..at];
            let line = &near[memchr::memrchr(b'\n', near).map_or(0, |newline| newline + 1)..];
            let blanks = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            (line.len() < NEAR).then_some((blanks, line.len()))
        };
        // Blocks that are open: their `{`, the blanks of its line, the first line that is indented no further, and whether
        // there is one that is.
        let mut open: Vec<(Token, usize, Option<Token>, bool)> = Vec::new();
        let mut agrees = true;
        for token in (first.index()..self.at).map(Token::new) {
            let Some((blanks, before)) = columns(token) else { return Indentation::Unclear };
            let kind = self.tokens.kind[token];
            let is_first = blanks == before && token != first;
            if kind == TokenKind::RBrace {
                let Some((opened, column, next, _)) = open.pop() else { return Indentation::Unclear };
                let fits = is_first && blanks == column;
                if !fits && next.is_some() || is_first && blanks < column {
                    return Indentation::Unclosed([opened, next.unwrap_or(token), token]);
                }
                agrees &= fits && next.is_none();
                continue;
            }
            if let Some((_, column, next, indented)) = open.last_mut().filter(|_| is_first) {
                match blanks > *column {
                    true => *indented = true,
                    false if *indented => _ = next.get_or_insert(token),
                    // Its lines are not indented at all.
                    false => agrees = false,
                }
            }
            if kind == TokenKind::LBrace {
                open.push((token, blanks, None, false));
            }
        }
        let end = Token::new(self.at);
        // Of those that are left open, the innermost that the lines have left.
        match open.iter().skip(1).rev().find_map(|&(opened, _, next, _)| Some([opened, next?, end])) {
            Some(blocks) => Indentation::Unclosed(blocks),
            None if agrees && open.len() == 1 && open[0].2.is_none() => Indentation::Agrees,
            None => Indentation::Unclear,
        }
    }

    pub(in crate::syntax) fn error_no_condition(&mut self, word: Token) {
        self.report(|p| {
            let word = p.tokens.kind[word].spelling();
            let message = format!("missing '(' after '{word}'");
            let error = Diagnostic::error("syntax", p.before(), message);
            let braced = p.kind() == TokenKind::LBrace;
            let ends = |k: &usize| {
                matches!(
                    p.kinds.get(*k),
                    None | Some(TokenKind::Semicolon | TokenKind::LBrace | TokenKind::RBrace)
                )
            };
            let end = (p.at + 1..p.at + 64).find(ends).filter(|&k| braced && k > p.at + 1);
            if let Some(end) = end.filter(|&k| p.kinds.get(k) == Some(&TokenKind::RBrace)) {
                return Diagnostic::error("syntax", p.here(), "a condition stands in parentheses")
                    .guess(p.here(), "(")
                    .guess(p.span(Token::new(end)), ")");
            }
            match p.condition_end().filter(|_| !braced) {
                Some((_, true)) => error.edit(p.before(), "("),
                Some((end, false)) => error.edit(p.before(), "(").edit(end, ")"),
                None => error.help("insert '('"),
            }
        });
    }

    /// Where a condition without `(` ends, and whether there is its `)`: before the brace or the statement that
    /// follows, or at the `do` or `then` in place of the `)`.
    fn condition_end(&self) -> Option<(Span, bool)> {
        use TokenKind::*;
        let (mut depth, mut at) = (0usize, self.at);
        while at < self.at + 64 {
            match self.kinds.get(at)? {
                LParen => depth += 1,
                RParen if depth == 0 => return Some((self.span(Token::new(at)), true)),
                RParen => depth -= 1,
                LBrace | Return | Break | Continue | If | While if depth == 0 && at > self.at => {
                    let end = self.span(Token::new(at - 1)).end;
                    return Some((Span { start: end, end }, false));
                }
                LBrace | RBrace | Semicolon | Assign | Invalid | End => return None,
                Ident if depth == 0 && at > self.at && self.is_do_or_then(at) => {
                    let start = self.span(Token::new(at - 1)).end;
                    return Some((Span { start, end: self.span(Token::new(at)).end }, false));
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// True of a word that other languages have behind a condition.
    fn is_do_or_then(&self, at: usize) -> bool {
        self.kinds.get(at) == Some(&TokenKind::Ident) && matches!(self.text(Token::new(at)), b"do" | b"then")
    }

    /// Passes over a `do` or `then` behind a condition without parentheses, which was reported.
    pub(in crate::syntax) fn skip_do_or_then(&mut self) {
        self.at += usize::from(self.is_do_or_then(self.at));
    }

    /// The header of a `for`, up to its `)` or where that should be, has not three parts.
    pub(in crate::syntax) fn error_for_header(&mut self, word: Token, close: usize) {
        const FORM: &str = "write 'for (first; condition; step)'; each part may be empty";
        if self.kind() != TokenKind::LParen {
            let place = self.span(word);
            return self.report(|_| Diagnostic::error("syntax", place, "missing '(' after 'for'").help(FORM));
        }
        let closed = self.kinds.get(close) == Some(&TokenKind::RParen);
        let inside = self.kinds.get(self.at + 1..close).unwrap_or_default();
        let count = inside.iter().filter(|&&kind| kind == TokenKind::Semicolon).count();
        self.report(|p| {
            let open = p.here();
            let last = p.span(Token::new(close - usize::from(!closed)));
            if !closed {
                let place = Span { start: last.end, end: last.end };
                let error = Diagnostic::error("syntax", place, "missing ')'");
                return error.secondary(open, "opened here").help("insert ')'");
            }
            let found = match count {
                0 => "is no ';'".to_string(),
                1 => "is one ';'".to_string(),
                _ => format!("are {count} ';'"),
            };
            let message = "a 'for' has three parts, with ';' between them";
            let error = Diagnostic::error("syntax", open.to(last), message);
            error.label(format!("there {found} in it")).help(FORM)
        });
    }

    /// The body of a `do` is not followed by its condition.
    pub(in crate::syntax) fn error_no_while(&mut self, word: Token) {
        self.report(|p| {
            let error = Diagnostic::error("syntax", p.behind(), "missing 'while' behind the body of a 'do'");
            error
                .secondary(p.span(word), "the loop begins here")
                .help("write 'do { ... } while (condition);'")
        });
    }

    pub(in crate::syntax) fn error_nested_function(&mut self) {
        self.report(|p| {
            let name = p.span(Token::new(p.at + 1));
            let error = Diagnostic::error("syntax", name, "a function cannot be defined inside a function");
            match p.open_brace() {
                Some(open) => error.secondary(p.span(open), "this block is still open"),
                None => error,
            }
        });
    }

    pub(in crate::syntax) fn error_bare_declaration(&mut self) {
        self.report(|p| {
            let error = p.syntax("a declaration cannot stand here on its own");
            error.help("put it in braces")
        });
    }

    pub(in crate::syntax) fn error_not_assignable(&mut self, called: bool) {
        self.report(|p| {
            let what = if called { "the result of a call" } else { "this" };
            let place = p.span(Token::new(p.begin)).to(p.behind());
            let error = Diagnostic::error("not-assignable", place, format!("{what} cannot be assigned to"));
            error.label("expected a variable or an array element")
        });
    }

    pub(in crate::syntax) fn error_no_semicolon(&mut self) {
        use TokenKind::*;
        match self.kind() {
            RParen | RBracket => self.error_unmatched(),
            Comma if self.states.last().is_some_and(|state| state.waits == Waits::Block) => {
                self.report(|p| not_sysy(p.here(), "comma operator").edit(p.here(), ";"));
            }
            Comma => self.error_comma(),
            Assign => self.error_assignment(Context::Value),
            LBrace
                if self.begin > 0
                    && self.kinds[self.begin] == LParen
                    && self.kinds[self.begin - 1] == Else =>
            {
                self.report(|p| {
                    let open = p.span(Token::new(p.begin));
                    let error = Diagnostic::error("syntax", open, "'else' has no condition");
                    error.guess(Span { end: open.start, ..open }, "if ")
                });
            }
            _ if self.starts_operand() && !self.at_new_line() => self.report(|p| {
                let error = p.syntax(format!("expected an operator or ';', found {}", p.found()));
                // `putint 3;`
                match p.at == p.begin + 1 && p.previous(1) == Ident {
                    true => error.help(format!("a call is written '{}(...)'", p.name_before(1))),
                    false => error,
                }
            }),
            _ => {
                // The next token begins a statement, or ends the block.
                let ends = self.starts_operand() || self.at_statement_word() || self.kind() == LBrace;
                let ends = ends || matches!(self.kind(), RBrace | End);
                self.report(|p| {
                    Diagnostic::error("syntax", p.behind(), "missing ';'").edit_if(ends, p.behind(), ";")
                })
            }
        }
    }
}
