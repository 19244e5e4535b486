//! What is said about expressions that are no SysY. What looks at other tokens looks at `FAR` of them.

use super::definitions::EDITION;
use super::not_sysy;
use crate::base::Handle;
use crate::source::Diagnostic;
use crate::syntax::dialect::Standard;
use crate::syntax::expressions::Context;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};
use crate::syntax::tree::NodeKind;

/// Tokens that are looked at.
const FAR: usize = 256;

impl Parser<'_> {
    pub(in crate::syntax) fn error_not_closed(&mut self, closes: TokenKind, open: Token) {
        if let Some((word, operator)) = self.operator_word() {
            let what = format!("operator '{word}'");
            return self.report(|p| not_sysy(p.here(), &what).edit(p.here(), operator));
        }
        let is_certain = self.closes_here(open);
        let (closes, was_quiet) = (closes.spelling(), self.quiet);
        self.report(|p| {
            let error = Diagnostic::error("syntax", p.behind(), format!("missing '{closes}'"));
            error.secondary(p.span(open), "opened here").edit_if(is_certain, p.behind(), closes)
        });
        self.quiet = was_quiet || !is_certain;
    }

    /// True if what `open` opens can have been closed nowhere but in front of the next token: behind one operand or a
    /// list of arguments, or at the end of the condition of an `if` or `while`. `(a + b` may have been `(a) + b`, and
    /// `if ((a || b && c` has lost either of two.
    fn closes_here(&self, open: Token) -> bool {
        use TokenKind::*;
        let first = open.index() + 1;
        let is_head = open.index().checked_sub(1).is_some_and(|k| matches!(self.kinds[k], If | While));
        if self.at > first + FAR {
            return false;
        }
        // Per bracket that is open: is there an operator or a comma in it?
        let (mut inner, mut outer) = (Vec::new(), false);
        for k in first..self.at {
            let is_operand = |kind| matches!(kind, Ident | IntLiteral | FloatLiteral | RParen | RBracket);
            let is_sign = k == first || !is_operand(self.kinds[k - 1]);
            match self.kinds[k] {
                LParen | LBracket => inner.push((self.kinds[k], false)),
                RParen | RBracket => match inner.pop() {
                    Some((LParen, true)) | None => return false,
                    Some(_) => {}
                },
                Ident | IntLiteral | FloatLiteral | StringLiteral | Int | Float => {}
                EqEq | NotEq | Less | LessEq | Greater | GreaterEq | Plus | Minus | Star | Slash
                | Percent | At | OrOr | AndAnd | Not | Comma => match inner.last_mut() {
                    Some(bracket) => bracket.1 |= !is_sign,
                    None => outer |= !is_sign && self.kinds[k] != Comma,
                },
                _ => return false,
            }
        }
        inner.is_empty() && (is_head || !outer)
    }

    /// How many of a bracket that closes stand further on in the statement and close nothing there.
    pub(in crate::syntax) fn closed_later(&self, closes: TokenKind) -> usize {
        use TokenKind::*;
        let opens = if closes == RParen { LParen } else { LBracket };
        let (mut depth, mut later) = (0usize, 0);
        for &kind in self.kinds.iter().skip(self.at + 1).take(FAR) {
            match kind {
                Semicolon | LBrace | RBrace | End => break,
                _ if kind == opens => depth += 1,
                _ if kind == closes && depth > 0 => depth -= 1,
                _ => later += usize::from(kind == closes),
            }
        }
        later
    }

    /// `a[1)`, `f(1]`: the bracket that closes is the wrong one, and nothing else waits for it.
    pub(in crate::syntax) fn error_wrong_bracket(&mut self, closes: TokenKind, open: Token) {
        let was_quiet = self.quiet;
        self.report(|p| {
            let (wrong, opens) = (p.kind().spelling(), p.kinds[open.index()].spelling());
            let error = p.syntax(format!("'{wrong}' does not close '{opens}'"));
            error.secondary(p.span(open), "opened here").edit(p.here(), closes.spelling())
        });
        self.quiet = was_quiet;
    }

    pub(in crate::syntax) fn error_unmatched(&mut self) {
        self.report(|p| {
            let same = p.kinds[p.at..].iter().take_while(|&&kind| kind == p.kind()).count();
            let all = p.here().to(p.span(Token::new(p.at + same - 1)));
            p.syntax(format!("this '{}' closes nothing", p.kind().spelling())).guess(all, "")
        });
    }

    pub(in crate::syntax) fn error_cast(&mut self) {
        self.report(|p| {
            let span = p.here().to(p.span(Token::new(p.at + 2)));
            not_sysy(span, "casts").help("int and float convert on assignment")
        });
    }

    /// `a[1, 2]`
    pub(in crate::syntax) fn error_comma_in_brackets(&mut self) {
        self.report(|p| not_sysy(p.here(), "comma operator").guess(p.here(), "]["));
    }

    /// `f(int a)` where a call is.
    pub(in crate::syntax) fn at_typed_argument(&self) -> bool {
        use TokenKind::*;
        matches!(self.peek(1), Ident | IntLiteral | FloatLiteral) && !self.at_new_line()
    }

    pub(in crate::syntax) fn error_typed_argument(&mut self) {
        let was_quiet = self.quiet;
        self.report(|p| p.syntax("an argument of a call has no type").guess(p.with_blanks(), ""));
        self.quiet = was_quiet;
    }

    /// True if the statement is an `if` or a `while`.
    fn at_head(&self) -> bool {
        matches!(self.kinds.get(self.begin), Some(TokenKind::If | TokenKind::While))
    }

    /// `while (a < 3;)`, `f(1;)`
    pub(in crate::syntax) fn error_stray_semicolon(&mut self) {
        self.report(|p| {
            let error = p.syntax("a ';' cannot stand inside of parentheses");
            // `f(1;)` without another behind it at the end of a line.
            let bracket = p.span(Token::new(p.at + 1));
            let ends = matches!(p.peek(2), TokenKind::Semicolon | TokenKind::LBrace) || p.at_head();
            let gap = bracket.end as usize..p.span(Token::new(p.at + 2)).start as usize;
            let ends_line = p.file.text.get(gap).is_some_and(|gap| gap.contains(&b'\n'));
            match ends {
                true => error.edit(p.here(), ""),
                false if ends_line => error.edit(p.here().to(bracket), ");"),
                false => error.guess(p.here(), ""),
            }
        });
    }

    /// An `else` behind what no `if` ends with.
    pub(in crate::syntax) fn error_no_if(&mut self) {
        use TokenKind::*;
        let (mut depth, mut found) = (0usize, None);
        for k in (0..self.at).rev().take(256) {
            match self.kinds[k] {
                RBrace => depth += 1,
                LBrace if depth == 0 => break,
                LBrace => depth -= 1,
                If if depth == 0 => {
                    found = Some(Token::new(k));
                    break;
                }
                _ => {}
            }
        }
        self.report(|p| {
            let error = p.syntax("'else' without 'if'");
            match found {
                Some(word) => error
                    .secondary(p.span(word), "this 'if' has ended: it takes one statement")
                    .help("put the statements of the 'if' in braces"),
                None => error,
            }
        });
    }

    pub(in crate::syntax) fn error_comma(&mut self) {
        self.report(|p| not_sysy(p.here(), "comma operator"));
    }

    /// The next token, if it is a word for an operator that SysY writes otherwise.
    fn operator_word(&self) -> Option<(&'static str, &'static str)> {
        const WORDS: [(&str, &str); 2] = [("and", "&&"), ("or", "||")];
        let text = (self.kind() == TokenKind::Ident).then(|| self.text(self.token()))?;
        WORDS.into_iter().find(|(word, _)| word.as_bytes() == text)
    }

    pub(in crate::syntax) fn error_assignment(&mut self, context: Context) {
        let turned = match self.peek(1) {
            TokenKind::Greater => Some((">=", "=>")),
            TokenKind::Less => Some(("<=", "=<")),
            _ => None,
        };
        self.report(|p| {
            let both = p.here().to(p.span(Token::new(p.at + usize::from(turned.is_some()))));
            if let Some((right, wrong)) =
                turned.filter(|pair| both.end as usize - both.start as usize == pair.1.len())
            {
                return not_sysy(both, &format!("operator '{wrong}'")).edit(both, right);
            }
            let error = not_sysy(p.here(), "assignment inside expressions");
            let next = Token::new(p.at + 1);
            let adjoins = p.peek(1) == TokenKind::Not && p.here().end == p.tokens.start[next];
            match context {
                Context::Condition if adjoins => {
                    let both = p.here().to(p.span(next));
                    not_sysy(both, "assignment inside expressions").guess(both, "!=")
                }
                Context::Condition => error.note("comparison is written '=='").guess(p.here(), "=="),
                _ => error.help("make it a statement of its own"),
            }
        });
    }

    /// A `*` where an operand must come.
    pub(in crate::syntax) fn error_pointer(&mut self) {
        use TokenKind::*;
        self.report(|p| {
            if p.peek(1) == Slash && p.here().end == p.tokens.start[Token::new(p.at + 1)] {
                let span = p.here().to(p.span(Token::new(p.at + 1)));
                let error = Diagnostic::error("syntax", span, "this '*/' closes no comment");
                return error.note("comments do not nest: the first '*/' closes one");
            }
            let is_power = p.previous(1) == Star;
            if is_power || p.peek(1) != Ident || matches!(p.peek(2), LParen | LBracket) {
                return not_sysy(
                    p.here(),
                    if is_power { "pointers, and no operator for powers" } else { "pointers" },
                );
            }
            let name = Token::new(p.at + 1);
            let (both, element) = (p.here().to(p.span(name)), String::from_utf8_lossy(p.text(name)));
            let error = not_sysy(both, "pointers").guess(both, format!("{element}[0]"));
            error.note("what an array parameter points to is its first element")
        });
    }

    /// `! =`, `> =`, `===`: one operator in two tokens.
    pub(in crate::syntax) fn error_split(&mut self, tokens: usize) {
        self.report(|p| {
            let span = p.here().to(p.span(Token::new(p.at + tokens - 1)));
            let right = if p.kind() == TokenKind::Not { "!=" } else { "==" };
            Diagnostic::error("syntax", span, format!("the operator '{right}' is written without a blank"))
                .edit(span, right)
        });
    }

    /// Passes over the name of a member.
    pub(in crate::syntax) fn skip_member(&mut self) {
        self.at += usize::from(self.kind() == TokenKind::Ident);
    }

    /// True if a `.` that is no part of a number is the token before the next.
    pub(in crate::syntax) fn is_behind_point(&self) -> bool {
        self.text(Token::new(self.at - 1)).first() == Some(&b'.')
    }

    pub(in crate::syntax) fn error_no_operator(&mut self, bracket: NodeKind, closes: TokenKind) {
        let is_call = bracket == NodeKind::Call;
        let first = if is_call { "','" } else { "an operator" };
        let closes = closes.spelling();
        self.report(|p| p.syntax(format!("expected {first} or '{closes}', found {}", p.found())));
    }

    /// `@`, in SysY of 2022.
    pub(in crate::syntax) fn error_product(&mut self) {
        self.report(|p| {
            let message = "SysY of 2022 has no operator '@', the product of tensors";
            Diagnostic::error("not-sysy", p.here(), message).help(EDITION)
        });
    }

    /// `++x` and `--x` are SysY, and do nothing; in the default language, where they are no statement.
    pub(in crate::syntax) fn warn_increment(&mut self) {
        let begins = self.at == self.begin + 1;
        let before_name = self.standard == Standard::Dialect
            && self.peek(1) == TokenKind::Ident
            && self.ops.last().is_some_and(|op| op.kind == NodeKind::Unary);
        if (begins || before_name)
            && self.previous(1) == self.kind()
            && self.kind() != TokenKind::Not
            && self.adjoins(1)
        {
            let sign = self.kind().spelling();
            let span = self.span(Token::new(self.at - 1)).to(self.here());
            let message = format!("'{sign}{sign}' is two signs and changes nothing");
            let warning = Diagnostic::warning("increment", span, message);
            self.diags.push(warning.note(match self.standard {
                Standard::Strict | Standard::Tensors => "SysY has no increment and decrement operators",
                Standard::Dialect => "'++' and '--' change a variable only as a statement of their own",
            }));
        }
    }

    /// An operand must come and none does. Takes an operator of C that ends here and returns true if an
    /// operand must come behind it; else takes nothing that could end the expression.
    pub(in crate::syntax) fn error_no_operand(&mut self, context: Context) -> bool {
        use TokenKind::*;
        let (kind, before) = (self.kind(), self.previous(1));
        match (before, kind) {
            (Plus | Minus | Star | Slash | Percent | At, Assign) if self.adjoins(1) => {
                let operator = before.spelling();
                self.report(|p| {
                    let span = p.span(Token::new(p.at - 1)).to(p.here());
                    if p.standard == Standard::Dialect {
                        return not_sysy(span, &format!("'{operator}=' inside expressions"))
                            .help("make it a statement of its own");
                    }
                    let error = not_sysy(span, &format!("operator '{operator}='"));
                    let name = p.name_before(2);
                    error.help(format!("write '{name} = {name} {operator} ...'"))
                });
                self.bump();
                true
            }
            (Less, Less | LessEq) | (Greater, Greater | GreaterEq) if self.adjoins(1) => {
                let sign = before.spelling();
                let instead = if before == Less { "multiply" } else { "divide" };
                self.report(|p| {
                    let span = p.span(Token::new(p.at - 1)).to(p.here());
                    let error = not_sysy(span, &format!("shift operator '{sign}{sign}'"));
                    error.help(format!("{instead} by a power of two"))
                });
                self.bump();
                true
            }
            (EqEq | NotEq, Assign) if self.adjoins(1) => {
                self.report(|p| {
                    let span = p.span(Token::new(p.at - 1)).to(p.here());
                    let right = before.spelling();
                    not_sysy(span, &format!("operator '{right}='")).edit(span, right)
                });
                self.bump();
                true
            }
            (Less | Greater | Assign, Assign) => {
                self.report(|p| {
                    let span = p.span(Token::new(p.at - 1)).to(p.here());
                    let right = format!("{}=", before.spelling());
                    let message = format!("the operator '{right}' is written without a blank");
                    Diagnostic::error("syntax", span, message).edit(span, right)
                });
                self.bump();
                true
            }
            (Star, Slash) if self.adjoins(1) => {
                self.report(|p| {
                    let span = p.span(Token::new(p.at - 1)).to(p.here());
                    let error = Diagnostic::error("syntax", span, "this '*/' closes no comment");
                    error.note("comments do not nest: the first '*/' closes one")
                });
                self.bump();
                false
            }
            (Less, Greater) if self.adjoins(1) => {
                self.report(|p| {
                    let span = p.span(Token::new(p.at - 1)).to(p.here());
                    not_sysy(span, "operator '<>'").edit(span, "!=")
                });
                self.bump();
                true
            }
            (Minus, Greater) if self.adjoins(1) => {
                self.report(|p| {
                    not_sysy(p.span(Token::new(p.at - 1)).to(p.here()), "structures, and no operator '->'")
                });
                self.bump();
                self.skip_member();
                false
            }
            (Plus | Minus, _) if self.previous(2) == before && self.adjoins(2) => {
                let sign = before.spelling();
                self.report(|p| {
                    let span = p.span(Token::new(p.at - 2)).to(p.span(Token::new(p.at - 1)));
                    let name = p.name_before(3);
                    if p.standard == Standard::Dialect {
                        let error = not_sysy(span, &format!("'{sign}{sign}' inside expressions"));
                        return error.help(format!("make it a statement of its own: '{name}{sign}{sign};'"));
                    }
                    let error = not_sysy(span, &format!("operator '{sign}{sign}'"));
                    error.help(format!("write '{name} = {name} {sign} 1'"))
                });
                false
            }
            (_, LBrace) if self.at > self.begin && context != Context::Condition => {
                self.report(|p| p.syntax("a braced list can only initialise a variable"));
                let mut depth = 0usize;
                while !matches!(self.kind(), Semicolon | End) {
                    match self.kind() {
                        LBrace => depth += 1,
                        RBrace => depth -= 1,
                        _ => {}
                    }
                    self.bump();
                    if depth == 0 {
                        break;
                    }
                }
                false
            }
            _ if self.at > self.begin
                && self.at_statement_word()
                && matches!(
                    self.peek(1),
                    RParen | RBracket | Comma | Plus | Minus | Star | Slash | Percent | At
                ) =>
            {
                self.report(|p| {
                    let word = p.kind().spelling();
                    p.syntax(format!("'{word}' is a keyword and cannot be a name"))
                });
                self.bump();
                false
            }
            _ => {
                let what = if self.at == self.begin { "a statement" } else { "an expression" };
                self.error_expected(what);
                false
            }
        }
    }
}
