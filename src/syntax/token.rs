//! Tokens: a kind, where the text starts, and what the text says, 9 bytes a token in three columns.
//!
//! A token's end is not stored: it follows from the kind, or the lexer's rules are run again from `start`
//! (identifiers and literals only, and only for diagnostics and the values that are not in the table).

use crate::base::{Column, Handle, Name};

crate::handle! {
    /// A token of one file.
    pub struct Token("t");
}

/// What a token is. In the order of `SPELLINGS`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum TokenKind {
    // Keywords.
    Const,
    Int,
    Float,
    Void,
    If,
    Else,
    While,
    Break,
    Continue,
    Return,
    // Words and literals.
    Ident,
    IntLiteral,
    FloatLiteral,
    StringLiteral,
    // Brackets and separators.
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Semicolon,
    // Operators.
    Assign,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    /// The product of matrices, of SysY of 2026.
    At,
    Not,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    EqEq,
    NotEq,
    AndAnd,
    OrOr,
    /// `for`, which is a name to the lexer: `mend` makes it of one that begins a loop, in programs with errors.
    For,
    // Bytes that start no token (a diagnostic was given), and the end of the file.
    Invalid,
    End,
}

/// The tokens of a file, in order; the last is always `End`.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// What the token is.
    pub kind: Column<Token, TokenKind>,
    /// Byte offset of its first byte in the file.
    pub start: Column<Token, u32>,
    /// Of an identifier, the number of its `Name`; of an integer literal, its value, of a float literal, its
    /// bits, or `SEE_TEXT`. Of others, nothing.
    pub value: Column<Token, u32>,
}

/// The value of an integer literal that is above 2^31 - 1, and of a float that is out of range: about those
/// there is something to be said.
pub const SEE_TEXT: u32 = u32::MAX;

impl Tokens {
    /// Bytes of all columns.
    pub fn bytes(&self) -> usize {
        self.kind.bytes() + self.start.bytes() + self.value.bytes()
    }

    /// The name of an identifier.
    #[inline]
    pub fn name(&self, token: Token) -> Name {
        Name::new(self.value[token] as usize)
    }

    /// Forgets all tokens, and keeps the memory.
    pub fn clear(&mut self) {
        self.kind.clear();
        self.start.clear();
        self.value.clear();
    }
}

/// How tokens of each kind are written.
#[rustfmt::skip]
static SPELLINGS: [&str; TokenKind::End as usize + 1] = [
    "const", "int", "float", "void", "if", "else", "while", "break", "continue", "return", "", "", "", "",
    "(", ")", "[", "]", "{", "}", ",", ";",
    "=", "+", "-", "*", "/", "%", "@", "!", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "for", "", "",
];

impl TokenKind {
    /// How a token of this kind is written, if all are written alike; otherwise empty.
    pub fn spelling(self) -> &'static str {
        SPELLINGS[self as usize]
    }

    /// The kind of token that is always written like this.
    pub fn spelled(text: &str) -> Option<TokenKind> {
        use TokenKind::*;
        const KINDS: [TokenKind; 24] = [
            LParen, RParen, LBracket, RBracket, LBrace, RBrace, Comma, Semicolon, Assign, Plus, Minus, Star,
            Slash, Percent, At, Not, Less, LessEq, Greater, GreaterEq, EqEq, NotEq, AndAnd, OrOr,
        ];
        KINDS.into_iter().find(|kind| kind.spelling() == text)
    }
}
