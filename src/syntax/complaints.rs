//! What the parser says when it finds what the grammar does not have: mostly constructs of C, by name.
//!
//! `for`, `struct` and the like are names in SysY, so nothing is said about them until parsing fails in a
//! statement that begins with one.
//!
//! | file | is about |
//! | --- | --- |
//! | `complaints` | places, how things are reported, words of C |
//! | `definitions`, `statements`, `expressions` | what may be wrong with each |

mod definitions;
mod expressions;
mod statements;

use super::dialect::Standard;
use super::parser::Parser;
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
        if text == b"tensor" && self.lacks_element(at) {
            return Some(self.no_element(at));
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

    /// True if `tensor` stands at `at` in front of what is no type of elements and no sign.
    pub(super) fn lacks_element(&self, at: usize) -> bool {
        use TokenKind::*;
        let next = self.kinds.get(at + 1);
        self.standard != Standard::Strict
            && self.kinds[at] == Ident
            && matches!(next, Some(Ident | Void | Const))
            && self.text(Token::new(at)) == b"tensor"
    }

    /// The error about a tensor of nothing.
    pub(super) fn no_element(&self, at: usize) -> Diagnostic {
        let (word, next) = (self.span(Token::new(at)), self.span(Token::new(at + 1)));
        let message = "behind 'tensor' stands the type of its elements, 'int' or 'float'";
        let error = Diagnostic::error("syntax", word, message);
        match self.kinds[at + 1] {
            TokenKind::Ident if self.kinds.get(at + 2) == Some(&TokenKind::LBracket) => {
                error.guess(Span { start: next.start, end: next.start }, "int ")
            }
            TokenKind::Const => error.help("'const' stands in front of 'tensor'"),
            _ => error,
        }
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
