//! What is said about definitions, parameters and declarations that are no SysY.

use super::{list_length, not_sysy};
use crate::base::Handle;
use crate::source::Diagnostic;
use crate::syntax::parser::Parser;
use crate::syntax::token::{Token, TokenKind};

/// Where there are tensors.
pub(super) const EDITION: &str =
    "the edition of 2026 has them (-std=sysy2026), and so has the default language (without -std)";

impl Parser<'_> {
    pub(in crate::syntax) fn error_no_return_type(&mut self) {
        self.report(|p| {
            let error = p.syntax("a function definition begins with its return type");
            match p.text(p.token()) {
                b"main" => error.edit(p.here(), "int main"),
                _ => error.help("write 'int', 'float' or 'void' before the name"),
            }
        });
    }

    /// A tensor's type, in SysY of 2022.
    pub(in crate::syntax) fn error_tensor(&mut self) {
        self.report(|p| {
            let span = p.here().to(p.span(Token::new(p.at + 1)));
            Diagnostic::error("not-sysy", span, "SysY of 2022 has no tensors").help(EDITION)
        });
        // What follows is read as it would be there.
        self.quiet = false;
    }

    pub(in crate::syntax) fn error_no_definition(&mut self) {
        let statement = self.at_statement_word() || self.kind() == TokenKind::Ident;
        self.report(|p| match p.kind() {
            TokenKind::RBrace => p.syntax("this '}' closes nothing"),
            _ if statement => {
                let error = p.syntax("expected a declaration or a function definition");
                error.note("statements stand only inside functions")
            }
            _ => {
                let message = format!("expected a declaration or a function definition, found {}", p.found());
                p.syntax(message)
            }
        });
    }

    pub(in crate::syntax) fn warn_void_parameter(&mut self) {
        let warning = Diagnostic::warning("void-parameter", self.here(), "'(void)' is C, not SysY");
        self.diags.push(warning.edit(self.here(), ""));
    }

    /// True of what a body may begin with where its `{` is missing.
    pub(in crate::syntax) fn at_body(&self) -> bool {
        use TokenKind::*;
        matches!(self.kind(), Const | Int | Float | If | While | Return | Ident)
    }

    pub(in crate::syntax) fn error_no_brace(&mut self) {
        let count = |kind| self.kinds.iter().filter(|&&other| other == kind).count();
        // The file has one `}` more than `{`.
        let is_missing = count(TokenKind::RBrace) == count(TokenKind::LBrace) + 1;
        self.report(|p| {
            let error = Diagnostic::error("syntax", p.behind(), "missing '{'");
            error.edit_if(is_missing, p.behind(), " {").note("the body of a function follows its parameters")
        });
    }

    pub(in crate::syntax) fn error_no_body(&mut self) {
        self.report(|p| match p.kind() {
            TokenKind::Semicolon => not_sysy(p.here(), "function prototypes")
                .help("a function can be called from its definition on"),
            _ => p
                .syntax(format!("expected '{{', found {}", p.found()))
                .note("the body of a function follows its parameters"),
        });
    }

    /// `int f(int x); {`.
    pub(in crate::syntax) fn error_semicolon_before_body(&mut self) {
        self.report(|p| {
            let error = Diagnostic::error("syntax", p.here(), "a ';' stands before the body of a function");
            error
                .edit(p.here(), "")
                .note("with it, the line is a prototype, and the block belongs to nothing")
        });
        self.quiet = false;
    }

    /// A function is defined, and a parameter has no name.
    pub(in crate::syntax) fn error_unnamed(&mut self, place: Token) {
        self.quiet = false;
        let span = self.span(place);
        self.report(|_| {
            let error = Diagnostic::error("syntax", span, "a parameter has no name");
            error.note("only prototypes, which end in ';', have parameters without names")
        });
    }

    pub(in crate::syntax) fn error_no_parameter_type(&mut self) {
        let construct = self.construct(self.at);
        self.report(|p| match p.kind() {
            TokenKind::Void => p.syntax("a parameter cannot be void"),
            TokenKind::Const => not_sysy(p.here(), "'const' parameters").edit(p.with_blanks(), ""),
            _ => construct.unwrap_or_else(|| {
                let message = format!("expected the type of a parameter, found {}", p.found());
                p.syntax(message)
            }),
        });
    }

    pub(in crate::syntax) fn error_pointer_parameter(&mut self) {
        self.report(|p| {
            let name = Token::new(p.at + 1);
            match (p.peek(1), p.peek(2)) {
                (TokenKind::Ident, TokenKind::Comma | TokenKind::RParen) => {
                    let both = p.here().to(p.span(name));
                    let array = format!("{}[]", String::from_utf8_lossy(p.text(name)));
                    not_sysy(both, "pointers").note("an array parameter has no length").edit(both, array)
                }
                _ => not_sysy(p.here(), "pointers").help("an array parameter is written 'int a[]'"),
            }
        });
    }

    pub(in crate::syntax) fn error_empty_dimension(&mut self, open: Token) {
        self.report(|p| {
            let span = p.span(open).to(p.here());
            let error = Diagnostic::error("syntax", span, "the length of the array is missing");
            let error = error.note("only the first dimension of a parameter may be empty");
            match list_length(p.kinds, p.at + 1) {
                Some(length) => error.edit(span, format!("[{length}]")),
                None => error,
            }
        });
    }

    pub(in crate::syntax) fn error_late_const(&mut self) {
        self.report(|p| {
            let message = "'const' stands before the type";
            match p.previous(1) {
                base @ (TokenKind::Int | TokenKind::Float) if p.peek(1) == TokenKind::Ident => {
                    let both = p.span(Token::new(p.at - 1)).to(p.here());
                    let error = Diagnostic::error("syntax", both, message);
                    error.edit(both, format!("const {}", base.spelling()))
                }
                _ => p.syntax(message),
            }
        });
    }

    pub(in crate::syntax) fn error_no_declared_name(&mut self) {
        let construct = self.construct(self.at);
        self.report(|p| match p.kind() {
            TokenKind::Star => not_sysy(p.here(), "pointers"),
            kind if p.at_statement_word() => {
                let message = format!("'{}' is a keyword and cannot be a name", kind.spelling());
                p.syntax(message)
            }
            _ => construct
                .unwrap_or_else(|| p.syntax(format!("expected a name to declare, found {}", p.found()))),
        });
    }

    /// `int a = 1, ;`, `int a = 1,` and a call below it.
    pub(in crate::syntax) fn error_comma_ends(&mut self) {
        self.report(|p| {
            let comma = p.span(Token::new(p.at - 1));
            let error = Diagnostic::error("syntax", comma, "nothing is declared behind this ','");
            let ends = p.kind() == TokenKind::Semicolon;
            error.edit_if(ends, comma, if ends { "" } else { ";" })
        });
    }

    /// `int a == 1;`
    pub(in crate::syntax) fn error_compared(&mut self) {
        let was_quiet = self.quiet;
        self.report(|p| p.syntax("an initial value stands behind '='").edit(p.here(), "="));
        self.quiet = was_quiet;
    }

    /// `int a = 1 b = 2;`
    pub(in crate::syntax) fn error_no_comma(&mut self) {
        self.report(|p| Diagnostic::error("syntax", p.behind(), "missing ','").guess(p.behind(), ","));
    }

    /// `int a, int b;`
    pub(in crate::syntax) fn error_second_type(&mut self, base: TokenKind) {
        self.report(|p| {
            let error = p.syntax("a declaration has one type");
            match p.kind() == base {
                true => error.edit(p.with_blanks(), ""),
                false => error
                    .note("another type begins another declaration")
                    .edit(p.span(Token::new(p.at - 1)), ";"),
            }
        });
        self.quiet = false;
    }

    pub(in crate::syntax) fn error_in_list(&mut self, open: Token) {
        use TokenKind::*;
        self.report(|p| {
            let message = format!("expected ',' or '}}', found {}", p.found());
            if p.kind() == Semicolon {
                let error = Diagnostic::error("syntax", p.behind(), "missing '}'");
                // Behind the declaration stands no element of a list.
                let is_over = matches!(
                    p.peek(1),
                    Const
                        | Int
                        | Float
                        | Void
                        | If
                        | While
                        | Return
                        | Break
                        | Continue
                        | RBrace
                        | Ident
                        | End
                );
                let braces = "}".repeat(p.lists.len());
                let error = error.secondary(p.span(open), "the list is opened here");
                return error.edit_if(is_over, p.behind(), braces);
            }
            let error = p.syntax(message).secondary(p.span(open), "the list is opened here");
            let is_next = p.starts_operand() && !p.at_new_line() || p.kind() == LBrace;
            if is_next { error.guess(p.behind(), ",") } else { error }
        });
    }
}
