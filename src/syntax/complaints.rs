//! What the parser says when it finds what the grammar does not have: mostly constructs of C, by name.
//!
//! `for`, `struct` and the like are names in SysY, so nothing is said about them until parsing fails in a
//! statement that begins with one.

use super::dialect::Standard;
use super::expressions::Context;
use super::parser::{Parser, Waits};
use super::token::{Token, TokenKind};
use super::tree::NodeKind;
use crate::base::Handle;
use crate::source::{Diagnostic, Span};

/// What follows the word of a construct, if it is one.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Follower {
    Paren,
    /// Anything but `(`, which would make it a call, and `=` or `[`, which would make it a variable.
    Other,
}

/// Words of C that begin a statement or definition: the word, what follows, what SysY lacks, what to do
/// instead.
#[rustfmt::skip]
const CONSTRUCTS: [(&str, Follower, &str, &str); 25] = [
    ("for", Follower::Paren, "'for' loops", "use 'while'"),
    ("switch", Follower::Paren, "'switch'", "use a chain of 'if' and 'else'"),
    ("case", Follower::Other, "'switch' and 'case'", "use a chain of 'if' and 'else'"),
    ("default", Follower::Other, "'switch' and 'default'", "use a chain of 'if' and 'else'"),
    ("do", Follower::Other, "'do' loops", "use 'while'"),
    ("goto", Follower::Other, "'goto'", "use 'while', 'break' and 'continue'"),
    ("struct", Follower::Other, "structures", "use arrays"),
    ("union", Follower::Other, "unions", "use arrays"),
    ("enum", Follower::Other, "enumerations", "use 'const int'"),
    ("typedef", Follower::Other, "'typedef'", "the types are 'int' and 'float'"),
    ("char", Follower::Other, "type 'char'", "the types are 'int' and 'float'"),
    ("short", Follower::Other, "type 'short'", "the types are 'int' and 'float'"),
    ("long", Follower::Other, "type 'long'", "the types are 'int' and 'float'"),
    ("double", Follower::Other, "type 'double'", "the types are 'int' and 'float'"),
    ("bool", Follower::Other, "type 'bool'", "the types are 'int' and 'float'"),
    ("signed", Follower::Other, "type 'signed'", "the types are 'int' and 'float'"),
    ("unsigned", Follower::Other, "type 'unsigned'", "the types are 'int' and 'float'"),
    ("static", Follower::Other, "'static'", "leave it out"),
    ("extern", Follower::Other, "'extern'", "the functions of the runtime library need no declaration"),
    ("inline", Follower::Other, "'inline'", "leave it out"),
    ("register", Follower::Other, "'register'", "leave it out"),
    ("volatile", Follower::Other, "'volatile'", "leave it out"),
    ("auto", Follower::Other, "'auto'", "the types are 'int' and 'float'"),
    ("let", Follower::Other, "'let'", "write the type, 'int' or 'float', before the name"),
    ("var", Follower::Other, "'var'", "write the type, 'int' or 'float', before the name"),
];

/// True for a word that begins a construct of C which the parser reports.
pub fn is_construct(word: &str) -> bool {
    CONSTRUCTS.iter().any(|row| row.0 == word)
}

/// Bytes of a token that messages quote at most.
const QUOTED: usize = 32;

impl Parser<'_> {
    // ---- Places ------------------------------------------------------------------------------------------

    pub(super) fn span(&self, token: Token) -> Span {
        self.tokens.span(&self.file.text, token)
    }

    /// The next token's place.
    fn here(&self) -> Span {
        self.span(self.token())
    }

    /// The place right behind the token before the next.
    fn behind(&self) -> Span {
        let end = if self.at == 0 { 0 } else { self.span(Token::new(self.at - 1)).end };
        Span { start: end, end }
    }

    /// The place right before the next token.
    fn before(&self) -> Span {
        let start = self.here().start;
        Span { start, end: start }
    }

    /// The next token and the blanks behind it.
    fn with_blanks(&self) -> Span {
        let span = self.here();
        let blanks = self.file.text[span.end as usize..].iter().take_while(|&&byte| byte == b' ').count();
        Span { end: span.end + blanks as u32, ..span }
    }

    fn text(&self, token: Token) -> &[u8] {
        self.tokens.text(&self.file.text, token)
    }

    /// The next token as messages name it.
    fn found(&self) -> String {
        if self.kind() == TokenKind::End {
            return "the end of the file".to_string();
        }
        let text = self.text(self.token());
        let shown = String::from_utf8_lossy(&text[..text.len().min(QUOTED)]);
        format!("'{shown}{}'", if text.len() > QUOTED { "..." } else { "" })
    }

    /// True if a line ends between the token before the next and the next.
    pub(super) fn at_new_line(&self) -> bool {
        let gap = self.behind().start as usize..self.here().start as usize;
        self.file.text.get(gap).is_some_and(|gap| gap.contains(&b'\n'))
    }

    /// True if the next token is the first thing on its line.
    pub(super) fn at_line_start(&self) -> bool {
        let start = self.here().start as usize;
        start == 0 || self.file.text[start - 1] == b'\n'
    }

    /// True if the token `back` before the next ends where the one after it begins.
    fn adjoins(&self, back: usize) -> bool {
        self.at >= back && {
            let (token, next) = (Token::new(self.at - back), Token::new(self.at - back + 1));
            self.span(token).end == self.tokens.start[next]
        }
    }

    /// The kind of the token `back` before the next.
    fn previous(&self, back: usize) -> TokenKind {
        if self.at < back { TokenKind::End } else { self.tokens.kind[Token::new(self.at - back)] }
    }

    /// The name `back` before the next token, where an operator of C changes it; else a name that stands for
    /// it.
    fn name_before(&self, back: usize) -> String {
        if self.previous(back) != TokenKind::Ident {
            return "x".to_string();
        }
        let text = self.text(Token::new(self.at - back));
        String::from_utf8_lossy(if text.len() > QUOTED { b"x" } else { text }).into_owned()
    }

    // ---- Reporting ---------------------------------------------------------------------------------------

    /// Pushes an error, unless one was reported for this statement already; then is quiet until it ends.
    fn report(&mut self, build: impl FnOnce(&Self) -> Diagnostic) {
        let quiet = std::mem::replace(&mut self.quiet, true);
        if quiet || self.kind() == TokenKind::Invalid || self.kind() == TokenKind::End && self.is_cut_off() {
            return;
        }
        let construct = self.construct(self.begin);
        self.abandoned = construct.is_some()
            && self.ops.first().is_some_and(|op| op.kind == NodeKind::Call && op.token.index() == self.begin);
        let diagnostic = construct.unwrap_or_else(|| build(self));
        self.diags.push(diagnostic);
    }

    /// True if a comment that is not closed takes the rest of the text, which was reported.
    fn is_cut_off(&self) -> bool {
        self.diags.list().iter().any(|diagnostic| diagnostic.code == "unterminated-comment")
    }

    /// The error about the construct of C that the word at `at` begins, if it does.
    fn construct(&self, at: usize) -> Option<Diagnostic> {
        let word = Token::new(at);
        if self.tokens.kind[word] != TokenKind::Ident {
            return None;
        }
        let text = self.text(word);
        if self.standard == Standard::Dialect && matches!(text, b"for" | b"do") {
            return None;
        }
        let (_, follower, what, instead) = CONSTRUCTS.iter().find(|row| row.0.as_bytes() == text)?;
        let follows = match self.tokens.kind.as_slice().get(at + 1)? {
            TokenKind::LParen => Follower::Paren == *follower,
            TokenKind::Assign | TokenKind::LBracket | TokenKind::End => false,
            _ => Follower::Other == *follower,
        };
        if self.standard == Standard::Dialect && text == b"extern" && follows {
            let message = "an 'extern' declaration stands outside of functions, and names its type";
            let error = Diagnostic::error("syntax", self.span(word), message);
            return Some(error.help("write 'extern int x;' in front of the function"));
        }
        follows.then(|| not_sysy(self.span(word), what).help(*instead))
    }

    /// True if the next token begins a construct of C.
    pub(super) fn at_construct(&self) -> bool {
        self.construct(self.at).is_some()
    }

    /// An error about the next token.
    fn syntax(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error("syntax", self.here(), message)
    }

    pub(super) fn error_here(&mut self, message: &str) {
        self.report(|p| p.syntax(message));
    }

    pub(super) fn error_expected(&mut self, what: &str) {
        self.report(|p| p.syntax(format!("expected {what}, found {}", p.found())));
    }

    // ---- Definitions -------------------------------------------------------------------------------------

    pub(super) fn error_no_return_type(&mut self) {
        self.report(|p| {
            let error = p.syntax("a function definition begins with its return type");
            match p.text(p.token()) {
                b"main" => error.edit(p.here(), "int main"),
                _ => error.help("write 'int', 'float' or 'void' before the name"),
            }
        });
    }

    pub(super) fn error_no_definition(&mut self) {
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

    pub(super) fn warn_void_parameter(&mut self) {
        let warning = Diagnostic::warning("void-parameter", self.here(), "'(void)' is C, not SysY");
        self.diags.push(warning.edit(self.here(), ""));
    }

    /// True of what a body may begin with where its `{` is missing.
    pub(super) fn at_body(&self) -> bool {
        use TokenKind::*;
        matches!(self.kind(), Const | Int | Float | If | While | Return | Ident)
    }

    pub(super) fn error_no_brace(&mut self) {
        self.report(|p| {
            let error = Diagnostic::error("syntax", p.behind(), "missing '{'");
            error.edit(p.behind(), " {").note("the body of a function follows its parameters")
        });
    }

    pub(super) fn error_no_body(&mut self) {
        self.report(|p| match p.kind() {
            TokenKind::Semicolon => not_sysy(p.here(), "function prototypes")
                .help("a function can be called from its definition on"),
            _ => p
                .syntax(format!("expected '{{', found {}", p.found()))
                .note("the body of a function follows its parameters"),
        });
    }

    /// A function is defined, and a parameter has no name.
    pub(super) fn error_unnamed(&mut self, place: Token) {
        self.quiet = false;
        let span = self.span(place);
        self.report(|_| {
            let error = Diagnostic::error("syntax", span, "a parameter has no name");
            error.note("only prototypes, which end in ';', have parameters without names")
        });
    }

    pub(super) fn error_no_parameter_type(&mut self) {
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

    pub(super) fn error_pointer_parameter(&mut self) {
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

    pub(super) fn error_empty_dimension(&mut self, open: Token) {
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

    pub(super) fn error_late_const(&mut self) {
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

    pub(super) fn error_no_declared_name(&mut self) {
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
    pub(super) fn error_comma_ends(&mut self) {
        self.report(|p| {
            let comma = p.span(Token::new(p.at - 1));
            let error = Diagnostic::error("syntax", comma, "nothing is declared behind this ','");
            error.edit(comma, if p.kind() == TokenKind::Semicolon { "" } else { ";" })
        });
    }

    /// `int a = 1 b = 2;`
    pub(super) fn error_no_comma(&mut self) {
        self.report(|p| Diagnostic::error("syntax", p.behind(), "missing ','").edit(p.behind(), ","));
    }

    /// `int a, int b;`
    pub(super) fn error_second_type(&mut self, base: TokenKind) {
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

    pub(super) fn error_in_list(&mut self, open: Token) {
        self.report(|p| {
            let message = format!("expected ',' or '}}', found {}", p.found());
            if p.kind() == TokenKind::Semicolon {
                let error = Diagnostic::error("syntax", p.behind(), "missing '}'");
                return error.secondary(p.span(open), "the list is opened here").edit(p.behind(), "}");
            }
            let error = p.syntax(message).secondary(p.span(open), "the list is opened here");
            let is_next = p.starts_operand() && !p.at_new_line() || p.kind() == TokenKind::LBrace;
            if is_next { error.edit(p.behind(), ",") } else { error }
        });
    }

    // ---- Statements --------------------------------------------------------------------------------------

    pub(super) fn error_open_block(&mut self) {
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

    pub(super) fn error_no_condition(&mut self, word: Token) {
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
    pub(super) fn error_for_header(&mut self, word: Token, close: usize) {
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
    pub(super) fn error_no_while(&mut self, word: Token) {
        self.report(|p| {
            let error = Diagnostic::error("syntax", p.behind(), "missing 'while' behind the body of a 'do'");
            error
                .secondary(p.span(word), "the loop begins here")
                .help("write 'do { ... } while (condition);'")
        });
    }

    pub(super) fn error_nested_function(&mut self) {
        self.report(|p| {
            let name = p.span(Token::new(p.at + 1));
            let error = Diagnostic::error("syntax", name, "a function cannot be defined inside a function");
            match p.open_brace() {
                Some(open) => error.secondary(p.span(open), "this block is still open"),
                None => error,
            }
        });
    }

    pub(super) fn error_bare_declaration(&mut self) {
        self.report(|p| {
            let error = p.syntax("a declaration cannot stand here on its own");
            error.help("put it in braces")
        });
    }

    pub(super) fn error_not_assignable(&mut self, called: bool) {
        self.report(|p| {
            let what = if called { "the result of a call" } else { "this" };
            let place = p.span(Token::new(p.begin)).to(p.behind());
            let error = Diagnostic::error("not-assignable", place, format!("{what} cannot be assigned to"));
            error.label("expected a variable or an array element")
        });
    }

    pub(super) fn error_no_semicolon(&mut self) {
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

    // ---- Expressions -------------------------------------------------------------------------------------

    pub(super) fn error_not_closed(&mut self, closes: TokenKind, open: Token) {
        if let Some((word, operator)) = self.operator_word() {
            let what = format!("operator '{word}'");
            return self.report(|p| not_sysy(p.here(), &what).edit(p.here(), operator));
        }
        let closes = closes.spelling();
        self.report(|p| {
            let error = Diagnostic::error("syntax", p.behind(), format!("missing '{closes}'"));
            error.secondary(p.span(open), "opened here").edit(p.behind(), closes)
        });
    }

    pub(super) fn error_unmatched(&mut self) {
        self.report(|p| {
            let same = p.kinds[p.at..].iter().take_while(|&&kind| kind == p.kind()).count();
            let all = p.here().to(p.span(Token::new(p.at + same - 1)));
            p.syntax(format!("this '{}' closes nothing", p.kind().spelling())).edit(all, "")
        });
    }

    pub(super) fn error_cast(&mut self) {
        self.report(|p| {
            let span = p.here().to(p.span(Token::new(p.at + 2)));
            not_sysy(span, "casts").help("int and float convert on assignment")
        });
    }

    /// `a[1, 2]`
    pub(super) fn error_comma_in_brackets(&mut self) {
        self.report(|p| not_sysy(p.here(), "comma operator").edit(p.here(), "]["));
    }

    /// `f(int a)` where a call is.
    pub(super) fn at_typed_argument(&self) -> bool {
        use TokenKind::*;
        matches!(self.peek(1), Ident | IntLiteral | FloatLiteral) && !self.at_new_line()
    }

    pub(super) fn error_typed_argument(&mut self) {
        let was_quiet = self.quiet;
        self.report(|p| p.syntax("an argument of a call has no type").edit(p.with_blanks(), ""));
        self.quiet = was_quiet;
    }

    /// True if the statement is an `if` or a `while`.
    fn at_head(&self) -> bool {
        matches!(self.kinds.get(self.begin), Some(TokenKind::If | TokenKind::While))
    }

    /// `while (a < 3;)`, `f(1;)`
    pub(super) fn error_stray_semicolon(&mut self) {
        self.report(|p| {
            let error = p.syntax("a ';' cannot stand inside of parentheses");
            // `f(1;)` without another behind it.
            let bracket = p.span(Token::new(p.at + 1));
            let ends = matches!(p.peek(2), TokenKind::Semicolon | TokenKind::LBrace) || p.at_head();
            if ends { error.edit(p.here(), "") } else { error.edit(p.here().to(bracket), ");") }
        });
    }

    /// An `else` behind what no `if` ends with.
    pub(super) fn error_no_if(&mut self) {
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

    pub(super) fn error_comma(&mut self) {
        self.report(|p| not_sysy(p.here(), "comma operator"));
    }

    /// The next token, if it is a word for an operator that SysY writes otherwise.
    fn operator_word(&self) -> Option<(&'static str, &'static str)> {
        const WORDS: [(&str, &str); 2] = [("and", "&&"), ("or", "||")];
        let text = (self.kind() == TokenKind::Ident).then(|| self.text(self.token()))?;
        WORDS.into_iter().find(|(word, _)| word.as_bytes() == text)
    }

    pub(super) fn error_assignment(&mut self, context: Context) {
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
                    not_sysy(both, "assignment inside expressions").edit(both, "!=")
                }
                Context::Condition => error.note("comparison is written '=='").edit(p.here(), "=="),
                _ => error.help("make it a statement of its own"),
            }
        });
    }

    /// A `*` where an operand must come.
    pub(super) fn error_pointer(&mut self) {
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
            let error = not_sysy(both, "pointers").edit(both, format!("{element}[0]"));
            error.note("what an array parameter points to is its first element")
        });
    }

    /// `! =`, `> =`, `===`: one operator in two tokens.
    pub(super) fn error_split(&mut self, tokens: usize) {
        self.report(|p| {
            let span = p.here().to(p.span(Token::new(p.at + tokens - 1)));
            let right = if p.kind() == TokenKind::Not { "!=" } else { "==" };
            Diagnostic::error("syntax", span, format!("the operator '{right}' is written without a blank"))
                .edit(span, right)
        });
    }

    /// Passes over the name of a member.
    pub(super) fn skip_member(&mut self) {
        self.at += usize::from(self.kind() == TokenKind::Ident);
    }

    /// True if a `.` that is no part of a number is the token before the next.
    pub(super) fn is_behind_point(&self) -> bool {
        self.text(Token::new(self.at - 1)).first() == Some(&b'.')
    }

    pub(super) fn error_no_operator(&mut self, bracket: NodeKind, closes: TokenKind) {
        let is_call = bracket == NodeKind::Call;
        let first = if is_call { "','" } else { "an operator" };
        let closes = closes.spelling();
        self.report(|p| p.syntax(format!("expected {first} or '{closes}', found {}", p.found())));
    }

    /// `++x` and `--x` are SysY, and do nothing; in the default language, where they are no statement.
    pub(super) fn warn_increment(&mut self) {
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
                Standard::Strict => "SysY has no increment and decrement operators",
                Standard::Dialect => "'++' and '--' change a variable only as a statement of their own",
            }));
        }
    }

    /// An operand must come and none does. Takes an operator of C that ends here and returns true if an
    /// operand must come behind it; else takes nothing that could end the expression.
    pub(super) fn error_no_operand(&mut self, context: Context) -> bool {
        use TokenKind::*;
        let (kind, before) = (self.kind(), self.previous(1));
        match (before, kind) {
            (Plus | Minus | Star | Slash | Percent, Assign) if self.adjoins(1) => {
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
                    RParen | RBracket | Comma | Plus | Minus | Star | Slash | Percent
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

/// The number of elements of a list without lists in it that `= {` at a token begins.
pub(super) fn list_length(kinds: &[TokenKind], at: usize) -> Option<usize> {
    use TokenKind::*;
    if kinds.get(at..at + 2)? != [Assign, LBrace] {
        return None;
    }
    let (mut depth, mut length, mut is_empty) = (0usize, 0, true);
    for kind in kinds.iter().skip(at + 2).take(1 << 16) {
        match kind {
            LParen | LBracket => depth += 1,
            RParen | RBracket => depth = depth.checked_sub(1)?,
            Comma if depth == 0 => {
                length += usize::from(!is_empty);
                is_empty = true;
                continue;
            }
            RBrace => return Some(length + usize::from(!is_empty)).filter(|&length| length > 0),
            LBrace | Semicolon | End => return None,
            _ => {}
        }
        is_empty = false;
    }
    None
}

pub(super) fn not_sysy(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("not-sysy", span, format!("SysY has no {what}"))
}
