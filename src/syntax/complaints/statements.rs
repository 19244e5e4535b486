//! What is said about statements that are no SysY, and about braces that are missing.

use super::{QUOTED, not_sysy};
use crate::base::Handle;
use crate::source::{Diagnostic, Span};
use crate::syntax::expressions::Context;
use crate::syntax::parser::{Parser, Waits};
use crate::syntax::token::{Token, TokenKind};

impl Parser<'_> {
    pub(in crate::syntax) fn error_open_block(&mut self) {
        let open = self.open_brace();
        let by_indentation = self.unclosed_by_indentation();
        self.report(|p| {
            let place = if p.kind() == TokenKind::End { p.behind() } else { p.here() };
            let mut error = Diagnostic::error("syntax", place, "missing '}'");
            if p.kind() != TokenKind::End {
                error = error.label("a function begins here");
            }
            match (by_indentation, open) {
                (Some((open, next)), _) => {
                    let brace = format!("{}}}\n", p.indentation(open));
                    error
                        .secondary(p.span(open), "by the indentation, this block is not closed")
                        .secondary(p.span(next), "this closes it, and stands further left")
                        .edit(p.line_start(next), brace)
                }
                (_, Some(open)) => {
                    let error = error.secondary(p.span(open), "this block is not closed");
                    match p.kind() {
                        TokenKind::End => error.edit(place, "\n}"),
                        _ => error.edit(p.line_start(p.token()), "}\n"),
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

    /// The block that is not closed, as its lines are indented, and the `}` that shows it: the first one on its
    /// line that stands further left than the line of what it closes. O(tokens of the function).
    fn unclosed_by_indentation(&self) -> Option<(Token, Token)> {
        /// Bytes of a line that are looked at.
        const NEAR: usize = 200;
        let first = self.states.iter().find(|state| state.waits == Waits::Block)?.token;
        // Bytes before the first word of the line that a token is in, and before the token.
        let indentation = |token: Token| {
            let at = self.tokens.start[token] as usize;
            let near = &self.file.text[at.saturating_sub(NEAR)..at];
            let line = &near[memchr::memrchr(b'\n', near).map(|newline| newline + 1)?..];
            let blanks = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            Some((blanks, line.len()))
        };
        let mut open: Vec<Token> = Vec::new();
        for token in (first.index()..self.at).map(Token::new) {
            match self.tokens.kind[token] {
                TokenKind::LBrace => open.push(token),
                TokenKind::RBrace => {
                    let opened = open.pop()?;
                    let (blanks, before) = indentation(token)?;
                    if blanks == before && indentation(opened)?.0 > before {
                        return Some((opened, token));
                    }
                }
                _ => {}
            }
        }
        None
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
                    .edit(p.here(), "(")
                    .edit(p.span(Token::new(end)), ")");
            }
            match p.condition_end().filter(|_| !braced) {
                Some((_, true)) => error.edit(p.before(), "("),
                Some((end, false)) => error.edit(p.before(), "(").edit(end, ")"),
                None => error.help("insert '('"),
            }
        });
    }

    /// Where a condition without `(` ends, and whether there is its `)`: before the brace or the statement that
    /// follows.
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
                _ => {}
            }
            at += 1;
        }
        None
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
                    error.edit(Span { end: open.start, ..open }, "if ")
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
                self.report(|p| Diagnostic::error("syntax", p.behind(), "missing ';'").edit(p.behind(), ";"))
            }
        }
    }
}
