//! What tokens are that look the same: signs before an operand or between two, the two signs of `++` and `+=`, and
//! the names `for` and `do` where they begin loops. The parser has decided it; its rows are read once.

use crate::base::{Column, Handle};
use crate::syntax::token::{Token, TokenKind, Tokens};
use crate::syntax::tree::{Node, NodeKind, Tree};

/// What a token is beyond its kind.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    /// A sign or `!` before its operand.
    Unary,
    /// The first sign of `++a`.
    Prefix,
    /// The first sign of `a++`.
    Postfix,
    /// The operator of `a += b`.
    Compound,
    /// What stands right behind these three.
    Second,
    /// The name that begins a loop.
    For,
    Do,
}

/// The roles of all tokens.
pub(super) fn roles(tokens: &Tokens, tree: &Tree) -> Column<Token, Role> {
    let mut roles = Column::filled(tokens.kind.len(), Role::Plain);
    let kind = |token: Token| tokens.kind[token];
    for n in (0..tree.len()).map(Node::new) {
        let token = tree.token[n];
        match tree.kind[n] {
            NodeKind::Unary => roles[token] = Role::Unary,
            NodeKind::BlockStart if kind(token) != TokenKind::LBrace => roles[token] = Role::For,
            NodeKind::DoStart => roles[token] = Role::Do,
            NodeKind::Old => {
                let second = Token::new(token.index() + 1);
                roles[second] = Role::Second;
                roles[token] = if kind(second) == TokenKind::Assign {
                    Role::Compound
                } else if super::next(tokens, second) == TokenKind::Ident {
                    Role::Prefix
                } else {
                    Role::Postfix
                };
            }
            _ => {}
        }
    }
    roles
}
