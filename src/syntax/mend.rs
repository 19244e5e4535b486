//! Words that cannot stand where they do, taken for those of SysY that were meant: between lexing and parsing.
//!
//! `whlie (x) {`, `retrun x;`, `long n;`, `for (;;)`: two names in a row, or a name, brackets and a brace, are
//! never SysY, so the first word is no name of the program, and either a keyword misspelt or a word of C. What is
//! wrong is said once, and what was meant stands in the tokens from then on, so that the parser goes on as if it
//! had been written. A program without errors is never changed.
//!
//! One sweep over the tokens, which collects edits; what they are made of keeps its places in the text. O(tokens);
//! what looks ahead (to the bracket that closes) is bounded by `FAR`.

use super::dialect::Standard;
use super::lexer;
use super::token::{Token, TokenKind, Tokens};
use crate::base::{BitSet, Handle, Interner, Name};
use crate::source::{Diagnostics, SourceFile, Span};
use TokenKind::*;

mod habits;
mod loops;
mod rules;
mod types;

/// Tokens that are looked at ahead.
const FAR: usize = 4096;

/// A token to be written.
type New = (TokenKind, u32, u32);

/// An open parenthesis.
#[derive(Copy, Clone)]
enum Paren {
    /// Of an `if` or `while`: a statement follows.
    Head,
    /// Of a `for`, where statements stand inside.
    For,
    /// Of parameters.
    Params,
    Other,
}

/// The sweep.
struct Mend<'a> {
    standard: Standard,
    file: &'a SourceFile,
    tokens: &'a Tokens,
    kinds: &'a [TokenKind],
    /// The name of the first keyword; what comes before is the runtime library's.
    keywords: u32,
    names: &'a mut Interner,
    diags: &'a mut Diagnostics,
    /// Tokens `.0` to `.1` are replaced by those up to `.2` in `put`.
    edits: Vec<(usize, usize, usize)>,
    put: Vec<New>,
    /// Where errors of the lexer begin that others stand for.
    withdrawn: Vec<u32>,
    /// Names behind a type, once they are asked for.
    declared: Option<BitSet<Name>>,
    parens: Vec<Paren>,
    /// Open braces, and those of them that are initialisers'.
    depth: usize,
    lists: usize,
    /// A statement, definition or parameter begins at the next token.
    starts: bool,
    /// The token before as it is now.
    before: TokenKind,
    /// It names a function that is defined.
    header: bool,
    /// Where `-> int` stands of a function that begins with a word of another language, and where it ends.
    arrow: Option<(usize, usize)>,
    /// There was a `switch`.
    switches: bool,
}

/// Replaces words that cannot stand where they do by those that were meant, and says so.
#[inline(never)]
pub fn mend(
    standard: Standard,
    file: &SourceFile,
    names: &mut Interner,
    tokens: &mut Tokens,
    diags: &mut Diagnostics,
) {
    let (edits, put) = {
        let keywords = lexer::keywords(names);
        let mut m = Mend {
            standard,
            file,
            tokens,
            kinds: tokens.kind.as_slice(),
            keywords,
            names,
            diags,
            edits: Vec::new(),
            put: Vec::new(),
            withdrawn: Vec::new(),
            declared: None,
            parens: Vec::new(),
            depth: 0,
            lists: 0,
            starts: true,
            before: Semicolon,
            header: false,
            arrow: None,
            switches: false,
        };
        let mut at = 0;
        while m.kind(at) != End {
            at = m.step(at);
        }
        let Mend { edits, put, withdrawn, diags, .. } = m;
        diags.withdraw(&withdrawn);
        (edits, put)
    };
    if !edits.is_empty() {
        *tokens = edited(tokens, &edits, &put);
    }
    if standard == Standard::Dialect {
        return;
    }
    // Headers of `for` hold statements that may have been mended.
    let loops = loops::for_loops(file, tokens, diags);
    if !loops.0.is_empty() {
        *tokens = edited(tokens, &loops.0, &loops.1);
    }
}

/// The tokens with edits made, which are in order.
fn edited(tokens: &Tokens, edits: &[(usize, usize, usize)], put: &[New]) -> Tokens {
    let mut out = Tokens::default();
    let mut push = |(kind, start, value): New| {
        out.kind.push(kind);
        out.start.push(start);
        out.value.push(value);
    };
    let (mut at, mut written) = (0, 0);
    for &(from, until, end) in edits.iter().chain([&(tokens.kind.len(), tokens.kind.len(), put.len())]) {
        (at..from).for_each(|k| push(row(tokens, k)));
        put[written..end].iter().for_each(|&new| push(new));
        (at, written) = (until, end);
    }
    out
}

fn row(tokens: &Tokens, k: usize) -> New {
    let token = Token::new(k);
    (tokens.kind[token], tokens.start[token], tokens.value[token])
}

/// Behind the bracket that closes what `open` opens, if it is near.
fn behind_bracket(kinds: &[TokenKind], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (k, kind) in kinds.iter().enumerate().skip(open).take(FAR) {
        match kind {
            LParen | LBracket => depth += 1,
            RParen | RBracket => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(k + 1);
                }
            }
            LBrace | RBrace | End => return None,
            _ => {}
        }
    }
    None
}

impl Mend<'_> {
    fn kind(&self, at: usize) -> TokenKind {
        self.kinds.get(at).copied().unwrap_or(End)
    }

    fn start(&self, at: usize) -> u32 {
        self.tokens.start.get(Token::new(at)).copied().unwrap_or(self.file.text.len() as u32)
    }

    fn span(&self, at: usize) -> Span {
        self.tokens.span(&self.file.text, Token::new(at))
    }

    fn text(&self, at: usize) -> &[u8] {
        self.tokens.text(&self.file.text, Token::new(at))
    }

    /// A word of ASCII letters for a message.
    fn word(&self, at: usize) -> String {
        String::from_utf8_lossy(self.text(at)).chars().take(32).collect()
    }

    fn is(&self, at: usize, word: &str) -> bool {
        self.kind(at) == Ident && self.text(at) == word.as_bytes()
    }

    /// True if a line ends between two tokens.
    fn line_between(&self, first: usize, second: usize) -> bool {
        let gap = self.span(first).end as usize..self.start(second) as usize;
        self.file.text.get(gap).is_some_and(|gap| gap.contains(&b'\n'))
    }

    /// Replaces tokens; edits come in order.
    fn replace(&mut self, from: usize, until: usize, new: &[New]) {
        self.put.extend_from_slice(new);
        self.edits.push((from, until, self.put.len()));
    }

    /// True of a name that the program declares, or the runtime library has.
    fn is_declared(&mut self, at: usize) -> bool {
        let name = self.tokens.name(Token::new(at));
        let (kinds, tokens) = (self.kinds, self.tokens);
        let declared = self.declared.get_or_insert_with(|| {
            let (mut set, mut declares) = (BitSet::new(0), false);
            for k in 1..kinds.len() {
                declares = match kinds[k - 1] {
                    Int | Float | Void => true,
                    Semicolon | LBrace | RBrace => false,
                    _ => declares,
                };
                // A comma may be one of a call: that is on the safe side.
                let next = kinds.get(k + 1);
                let listed = matches!(next, Some(Comma | Semicolon | Assign | LBracket | RParen));
                let named = matches!(kinds[k - 1], Int | Float | Void) || kinds[k - 1] == Comma && listed;
                if kinds[k] == Ident && declares && named {
                    set.insert(tokens.name(Token::new(k)));
                }
            }
            set
        });
        name.index() < self.keywords as usize || declared.contains(name)
    }

    /// Looks at one token. Returns the next to look at.
    fn step(&mut self, at: usize) -> usize {
        if let Some((kind, next)) = self.rule(at) {
            self.pass(kind);
            return next;
        }
        let kind = self.kind(at);
        self.header = kind == LParen && self.header || kind == Ident && self.is_header(at);
        self.pass(kind);
        at + 1
    }

    /// True if the name of a function is defined at `at`.
    fn is_header(&self, at: usize) -> bool {
        let has_body = || behind_bracket(self.kinds, at + 1).is_some_and(|end| self.kind(end) == LBrace);
        self.depth == 0
            && self.kind(at + 1) == LParen
            && (matches!(self.before, Int | Float | Void) || self.starts && has_body())
    }

    /// Notes where the sweep is behind a token of that kind.
    fn pass(&mut self, kind: TokenKind) {
        let before = std::mem::replace(&mut self.before, kind);
        self.starts = match kind {
            Semicolon => matches!(self.parens.last(), None | Some(Paren::For)),
            LBrace => {
                self.parens.clear();
                let list = before == Assign || self.lists > 0;
                self.lists += usize::from(list);
                self.depth += usize::from(!list);
                !list
            }
            RBrace if self.lists > 0 => {
                self.lists -= 1;
                false
            }
            RBrace => {
                self.parens.clear();
                self.depth = self.depth.saturating_sub(1);
                true
            }
            LParen => {
                let paren = match before {
                    If | While => Paren::Head,
                    For => Paren::For,
                    _ if std::mem::take(&mut self.header) => Paren::Params,
                    _ => Paren::Other,
                };
                self.parens.push(paren);
                matches!(paren, Paren::For | Paren::Params)
            }
            RParen => matches!(self.parens.pop(), Some(Paren::Head | Paren::For)),
            Comma => matches!(self.parens.last(), Some(Paren::Params)),
            Else | Const => true,
            _ => false,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of the tokens behind mending, keywords as they are meant; and what was said.
    fn mended(text: &str) -> (String, Vec<String>) {
        mended_as(Standard::Strict, text)
    }

    fn mended_as(standard: Standard, text: &str) -> (String, Vec<String>) {
        let file = SourceFile::new("t.sy", text.as_bytes().to_vec());
        let (mut names, mut diags) = (Interner::default(), Diagnostics::default());
        names.intern("");
        let mut tokens = lexer::lex(&file, &mut names, &mut diags);
        mend(standard, &file, &mut names, &mut tokens, &mut diags);
        let shown = |k: usize| {
            let token = Token::new(k);
            match tokens.kind[token].spelling() {
                "" => String::from_utf8_lossy(tokens.text(&file.text, token)).into_owned(),
                spelling => spelling.to_string(),
            }
        };
        let texts: Vec<_> = (0..tokens.kind.len() - 1).map(shown).collect();
        (texts.join(" "), diags.list().iter().map(|d| d.message.clone()).collect())
    }

    #[test]
    fn what_is_a_program_stays_as_it_is() {
        for text in [
            "int retrun(int whlie) { return whlie; } int main() { int esle = 3; retrun(esle); return esle; }",
            "int for(int a, int b) { return a; } int main() { for (1, 2); int do = 3; do = do + 1; return 0; }",
            "int long; int f(int char[], int bool) { long = char[0] * bool; return long; }",
            "int a[2][2] = {{1, 2}, 3}; int main() { if (a[0][0]) ; else { } while (a[1][1]) break; return 0; }",
            "int main() { int and, or, not; and = or; not = and * or; and(1); switch(2); return not; }",
            "int main() { int x; scanf = x; sizeof = 3; x * sizeof; { x; } return x; }",
            "const int n = 2, m = n; float main2(float x, int b[], float c[][3]) { return x; }",
        ] {
            let (tokens, said) = mended(text);
            assert!(said.is_empty(), "{text}: {said:?}");
            let squeezed = |text: &str| text.replace(' ', "");
            assert_eq!(squeezed(&tokens), squeezed(text));
        }
    }

    #[test]
    fn loops_of_c_stay_in_the_default_language() {
        for (text, expected, count) in [
            ("int f() { for (i = 0; i < 3; i++) g(i); }", "", 0),
            (
                "int f() { for (itn i = 0; i < 3; i++) g(i); }",
                "int f ( ) { for ( int i = 0 ; i < 3 ; i + + ) g ( i ) ; }",
                1,
            ),
            ("int f() { fro (; ; ) whlie (x) { } }", "int f ( ) { for ( ; ; ) while ( x ) { } }", 2),
            ("int f() { do { x = 1; } while (x); do x += 1; while (x); }", "", 0),
            ("int for(int a) { for (1); do = 3; for (2); }", "", 0),
        ] {
            let (tokens, said) = mended_as(Standard::Dialect, text);
            assert_eq!(said.len(), count, "{text}: {said:?}");
            let squeezed = |text: &str| text.replace(' ', "");
            assert_eq!(squeezed(&tokens), squeezed(if count == 0 { text } else { expected }));
        }
    }

    #[test]
    fn what_was_meant_stands_there_and_is_said_once() {
        for (text, expected) in [
            ("itn x; viod f(flaot y) {}", "int x ; void f ( float y ) { }"),
            ("int f() { whlie (x) { retrun x; } }", "int f ( ) { while ( x ) { return x ; } }"),
            ("int f() { iff (x) y = 1; esle y = 2; }", "int f ( ) { if ( x ) y = 1 ; else y = 2 ; }"),
            ("int f() { if (x) { } esle { } }", "int f ( ) { if ( x ) { } else { } }"),
            ("int f() { if (x) braek; contineu; }", "int f ( ) { if ( x ) break ; continue ; }"),
            ("cosnt int n = 1; static const int m = 2;", "const int n = 1 ; const int m = 2 ;"),
            ("unsigned long x; double y; const char c = 1;", "int x ; float y ; const int c = 1 ;"),
            ("int f(int a, b, c[]) {}", "int f ( int a , int b , int c [ ] ) { }"),
            ("int f(int[] a, char *b) {}", "int f ( int a [ ] , int b [ ] ) { }"),
            ("int main(int argc, char *argv[]) {}", "int main ( int argc , int argv [ ] ) { }"),
            ("int f() { if (a and not b or c) {} }", "int f ( ) { if ( a && ! b || c ) { } }"),
            ("int f() { x = 1\u{ff1b} y\u{ff01}= 2 \u{ff0b} 3; }", "int f ( ) { x = 1 ; y != 2 + 3 ; }"),
            (
                "int f() { if (x) then y = 1; elif (z) {} }",
                "int f ( ) { if ( x ) y = 1 ; else if ( z ) { } }",
            ),
            (
                "int f() { for (int i = 0; i < 3; i++) g(i); }",
                "int f ( ) { for int i = 0 ; i ; while ( i < 3 ) g ( i ) ; }",
            ),
            ("#define N (1 + 2)\nint a[N];", "const int N = ( 1 + 2 ) ; int a [ N ] ;"),
            (
                "int f() { switch (x) { case 1: y = 1; break; default: y = 2; } }",
                "int f ( ) { while ( x ) { y = 1 ; break ; y = 2 ; } }",
            ),
            ("int f() { scanf(\"%d\", &x); }", "int f ( ) { ; }"),
        ] {
            let (tokens, said) = mended(text);
            assert_eq!(tokens, expected, "{text}");
            // That `main` has no parameters is not said here.
            assert!(!said.is_empty() || text.contains("main"), "{text}");
        }
    }
}
