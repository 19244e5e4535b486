//! Tokens: a kind and where the text starts, 5 bytes a token in two columns.
//!
//! A token's end is not stored: it follows from the kind, or the lexer's rules are run again from `start`
//! (identifiers and literals only, and only for diagnostics and values).

use crate::base::Column;

crate::handle! {
    /// A token of one file.
    pub struct Token("t");
}

/// What a token is. The order groups keywords, operators and literals; nothing depends on the numbers.
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
    Not,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    EqEq,
    NotEq,
    AndAnd,
    OrOr,
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
}

impl TokenKind {
    /// How a token of this kind is written, if all are written alike; otherwise empty.
    pub fn spelling(self) -> &'static str {
        use TokenKind::*;
        match self {
            Const => "const",
            Int => "int",
            Float => "float",
            Void => "void",
            If => "if",
            Else => "else",
            While => "while",
            Break => "break",
            Continue => "continue",
            Return => "return",
            Ident | IntLiteral | FloatLiteral | StringLiteral | Invalid | End => "",
            LParen => "(",
            RParen => ")",
            LBracket => "[",
            RBracket => "]",
            LBrace => "{",
            RBrace => "}",
            Comma => ",",
            Semicolon => ";",
            Assign => "=",
            Plus => "+",
            Minus => "-",
            Star => "*",
            Slash => "/",
            Percent => "%",
            Not => "!",
            Less => "<",
            LessEq => "<=",
            Greater => ">",
            GreaterEq => ">=",
            EqEq => "==",
            NotEq => "!=",
            AndAnd => "&&",
            OrOr => "||",
        }
    }
}
