//! A formatter (`sysyc fmt`, and of the language server): what stands between tokens, and nothing else.
//!
//! ```text
//!   lex, parse -> roles    what a sign is: unary, a part of `+=`; whether `for` and `do` are words
//!              -> gaps     comments, and line ends, between tokens
//!              -> lines    which tokens begin a line, at which level; where a line may be broken
//!              -> layout   lines of more than 100 columns are broken; edits of white space
//!              -> align    comments at the ends of lines
//! ```
//!
//! The result is edits, each of which replaces white space by white space, so that any subset of them leaves the
//! program what it is: a range is formatted by those edits that are in it, and `// sysyc fmt: off` drops those
//! up to `// sysyc fmt: on`. A text with a syntax error is refused. The style: four columns a level, braces as
//! Kernighan and Ritchie's, one blank on each side of a binary operator, a statement a line. Kept as written are
//! comments, that those at the ends of lines stand in one column, one blank line of several, line ends behind commas and behind the brackets of calls and
//! initialisers, and whether a simple statement stands on the line of its `if`, `else` or loop.
//!
//! Lines are broken as by D. C. Oppen, "Prettyprinting" (TOPLAS 2(4), 1980), with inconsistent breaks: where it
//! is decided whether a line goes on, the text up to the next place of the same or an outer bracket or a weaker
//! operator is looked at. So what a first run breaks, a second one leaves. O(bytes), and nothing recurses.

mod align;
mod gaps;
mod layout;
mod lines;
mod roles;

use crate::base::Interner;
use crate::source::{Diagnostics, Edit, SourceFile, Span};
use crate::syntax::token::{Token, TokenKind, Tokens};
use crate::syntax::{Standard, lex, mend, parser};
use gaps::Gaps;

/// Columns of a line, at most, where it can be broken.
const WIDTH: u32 = 100;
/// Columns of a level.
pub const STEP: u32 = 4;
/// Deeper levels are not shown: 100,000 blocks in each other would be a text of 20 GB.
const MOST_LEVELS: u32 = 40;

/// The edits that make a text well formatted, in its order: of white space only. Errors are those of syntax.
pub fn edits(file: &SourceFile, standard: Standard) -> Result<Vec<Edit>, Diagnostics> {
    let (mut names, mut diags) = (Interner::default(), Diagnostics::default());
    let mut tokens = lex(file, &mut names, &mut diags);
    mend(standard, file, &mut names, &mut tokens, &mut diags);
    let tree = parser::parse_as(standard, file, &tokens, &mut diags);
    if diags.has_errors() {
        return Err(diags);
    }
    let roles = roles::roles(&tokens, &tree);
    drop(tree);
    let gaps = Gaps::new(&file.text, &tokens);
    let lines = lines::lines(&file.text, &tokens, &roles, &gaps);
    Ok(layout::layout(&file.text, &tokens, &gaps, &lines))
}

/// True if two texts are the same tokens, with the same comments between them but for white space.
pub fn is_same_program(one: &[u8], other: &[u8]) -> bool {
    let read = |text: &[u8]| {
        let file = SourceFile::new("", text.to_vec());
        let tokens = lex(&file, &mut Interner::default(), &mut Diagnostics::default());
        let gaps = Gaps::new(text, &tokens);
        (tokens, gaps)
    };
    let ((tokens, gaps), (others, other_gaps)) = (read(one), read(other));
    let is_same = |token: Token| {
        let words = |text, gaps: &Gaps| -> Vec<u8> {
            gaps.comments(token).iter().flat_map(|comment| words(text, comment.span)).collect()
        };
        tokens.text(one, token) == others.text(other, token) && words(one, &gaps) == words(other, &other_gaps)
    };
    tokens.kind.as_slice() == others.kind.as_slice() && tokens.kind.keys().all(is_same)
}

/// A comment with one blank behind each of its words.
fn words(text: &[u8], span: Span) -> impl Iterator<Item = u8> + '_ {
    let bytes = &text[span.start as usize..span.end as usize];
    let words = bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.flat_map(|word| word.iter().copied().chain([b' ']))
}

/// Columns of a text: characters. Bytes that are no UTF-8 are some number of them.
fn width(text: &[u8]) -> u32 {
    text.iter().filter(|&byte| byte & 0xc0 != 0x80).count() as u32
}

/// The kind of the token behind another.
fn next(tokens: &Tokens, token: Token) -> TokenKind {
    use crate::base::Handle;
    tokens.kind.get(Token::new(token.index() + 1)).copied().unwrap_or(TokenKind::End)
}

#[cfg(test)]
mod tests;
