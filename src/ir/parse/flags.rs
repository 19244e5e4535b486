//! Flags of a module (`!llvm.module.flags`) that say how code is to be made: for a program at a fixed address, for one that is
//! loaded anywhere, or for a shared library, too. All others are passed over. O(flags).

use super::Parser;
use super::lexer::{Lexer, Token};
use crate::ir::{Position, RelocationModel};

impl Parser<'_> {
    /// Reads the flags, when all nodes are known. (Clang writes `PIC Level` and `PIE Level` as 2, and with `-fpic` and `-fpie`
    /// as 1; a program has both.)
    pub(super) fn settle_flags(&mut self) {
        let Some(at) = self.flags else { return };
        let mut list = Lexer { text: self.lexer.text, at };
        let (mut pic, mut pie) = (0, 0);
        while let Ok((token, _)) = list.next()
            && !matches!(token, Token::Mark(b'}') | Token::End)
        {
            let Token::Meta(number) = token else { continue };
            match self.node_of(number, list.clone()).and_then(level) {
                Some(("PIC Level", level)) => pic = level,
                Some(("PIE Level", level)) => pie = level,
                _ => {}
            }
        }
        let model = match (pic, pie) {
            (0, _) => RelocationModel::Static,
            (_, 0) => RelocationModel::Pic,
            _ => RelocationModel::Pie,
        };
        self.module.env.position = Position { model, small: pic == 1 };
    }
}

/// The name and the number of a flag, behind the mark of its node: `{i32 8, !"PIC Level", i32 2}`.
fn level(mut node: Lexer<'_>) -> Option<(&str, u32)> {
    let mut next = || node.next().ok().map(|row| row.0);
    if next()? != Token::Mark(b'{') {
        return None;
    }
    let (Token::Word("i32"), Token::Int(_), Token::Mark(b',')) = (next()?, next()?, next()?) else {
        return None;
    };
    let (Token::Meta(""), Token::String(name), Token::Mark(b',')) = (next()?, next()?, next()?) else {
        return None;
    };
    let (Token::Word("i32"), Token::Int(level)) = (next()?, next()?) else { return None };
    Some((name, level.parse().ok()?))
}
