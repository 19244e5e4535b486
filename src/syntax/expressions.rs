//! Tokens to tree: expressions, by operator precedence on an explicit stack.
//!
//! Two states alternate: an operand must come, or one has come and an operator, a bracket or the end may
//! follow. A stack entry is an operator that waits for its right operand, or an open bracket. `node` takes
//! the first row of its children, so every entry remembers where its left operand (or its content) begins.
//! Each token is pushed and popped once: O(tokens), whatever the depth.

use super::parser::Parser;
use super::token::{Token, TokenKind};
use super::tree::NodeKind;

/// An operator or an open bracket.
#[derive(Copy, Clone, Debug)]
pub(super) struct Op {
    /// The node to come: `Paren`, `Index` and `Call` for brackets, others for operators.
    pub(super) kind: NodeKind,
    /// How tightly an operator binds; 0 for a bracket.
    binds: u8,
    /// The token of the node to come.
    pub(super) token: Token,
    /// First row of the node to come.
    start: u32,
}

/// Where the expression stands: what may end it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Begins a statement; `=` may follow.
    Statement,
    /// In the parentheses of `if` or `while`.
    Condition,
    /// In the brackets of a declarator.
    Bracket,
    /// An initialiser, what is assigned or returned.
    Value,
}

const LOOSEST: u8 = 1;
const UNARY: u8 = 7;

/// What no operator on the stack binds as tightly as.
const TIGHTEST: u8 = 8;

/// Per kind of token behind an operand: how tightly an operator before the operand has to bind to be
/// complete. For binary operators that is how tightly they bind themselves.
static BINDS: [u8; 64] = {
    use TokenKind::*;
    let mut table = [LOOSEST; 64];
    table[OrOr as usize] = 1;
    table[AndAnd as usize] = 2;
    let levels: [&[TokenKind]; 4] =
        [&[EqEq, NotEq], &[Less, LessEq, Greater, GreaterEq], &[Plus, Minus], &[Star, Slash, Percent, At]];
    let mut level = 0;
    while level < levels.len() {
        let mut k = 0;
        while k < levels[level].len() {
            table[levels[level][k] as usize] = level as u8 + 3;
            k += 1;
        }
        level += 1;
    }
    table[LBracket as usize] = TIGHTEST;
    table[Invalid as usize] = TIGHTEST;
    table
};

impl Parser<'_> {
    /// True if an operand can begin with the next token.
    pub(super) fn starts_operand(&self) -> bool {
        use TokenKind::*;
        matches!(
            self.kind(),
            Ident | IntLiteral | FloatLiteral | StringLiteral | LParen | Plus | Minus | Not | Invalid
        )
    }

    /// Reads an expression. Without one, an error is reported and the expression is an `Error` leaf.
    pub(super) fn expression(&mut self, context: Context) {
        use TokenKind::*;
        // Open brackets on the stack, by what closes them.
        let (mut parens, mut indexes) = (0usize, 0usize);
        loop {
            // An operand must come.
            let mut operand = self.row();
            match self.kind() {
                Ident if self.peek(1) == LParen => {
                    let name = self.take();
                    self.leaf(NodeKind::CallStart, name);
                    self.take();
                    self.push(NodeKind::Call, 0, name, operand);
                    parens += 1;
                    if self.kind() != RParen {
                        continue;
                    }
                }
                Ident => self.leaf_here(NodeKind::Name),
                IntLiteral => self.leaf_here(NodeKind::IntLiteral),
                FloatLiteral => self.leaf_here(NodeKind::FloatLiteral),
                StringLiteral => {
                    let argument = self.ops.last().is_some_and(|op| op.kind == NodeKind::Call);
                    if !argument || !matches!(self.peek(1), Comma | RParen) {
                        self.error_here("a string literal can only be an argument");
                    }
                    self.leaf_here(NodeKind::StringLiteral);
                }
                Plus | Minus | Not => {
                    self.warn_increment();
                    let token = self.bump();
                    self.push(NodeKind::Unary, UNARY, token, operand);
                    continue;
                }
                LParen if matches!(self.peek(1), Int | Float | Void) && self.peek(2) == RParen => {
                    self.error_cast();
                    let token = self.token();
                    self.at += 3;
                    self.push(NodeKind::Error, UNARY, token, operand);
                    continue;
                }
                LParen => {
                    let token = self.take();
                    self.push(NodeKind::Paren, 0, token, operand);
                    parens += 1;
                    continue;
                }
                Invalid => {
                    // The lexer has reported it; here it may stand for a unary operator.
                    self.quiet = true;
                    let token = self.bump();
                    if self.starts_operand() {
                        self.push(NodeKind::Error, UNARY, token, operand);
                        continue;
                    }
                    self.leaf(NodeKind::Error, token);
                }
                Int | Float
                    if self.ops.last().is_some_and(|op| op.kind == NodeKind::Call)
                        && self.at_typed_argument() =>
                {
                    self.error_typed_argument();
                    self.bump();
                    continue;
                }
                Star => {
                    self.error_pointer();
                    let token = self.bump();
                    self.push(NodeKind::Error, UNARY, token, operand);
                    continue;
                }
                _ => {
                    if context == Context::Statement && self.ends_in_update() {
                        return;
                    }
                    if self.error_no_operand(context) && !self.abandoned {
                        continue;
                    }
                    self.error_leaf();
                }
            }
            // An operand has come, from row `operand` to the last.
            if !self.behind_operand(context, &mut operand, &mut parens, &mut indexes) {
                return;
            }
        }
    }

    /// Reads what follows an operand, up to where the next must come. False if the expression has ended.
    fn behind_operand(
        &mut self,
        context: Context,
        operand: &mut u32,
        parens: &mut usize,
        indexes: &mut usize,
    ) -> bool {
        use TokenKind::*;
        loop {
            if self.abandoned {
                self.abandon(operand);
                return false;
            }
            let next = self.kind();
            let binds = BINDS[next as usize % 64];
            self.reduce(binds, operand);
            match next {
                EqEq | NotEq | Less | LessEq | Greater | GreaterEq | Plus | Minus | Star | Slash
                | Percent => {
                    let token = self.take();
                    self.push(NodeKind::Binary, binds, token, *operand);
                    return true;
                }
                At => {
                    self.check_product();
                    let token = self.take();
                    self.push(NodeKind::Binary, binds, token, *operand);
                    return true;
                }
                OrOr | AndAnd => {
                    let (left, whole) = match next {
                        OrOr => (NodeKind::OrLhs, NodeKind::Or),
                        _ => (NodeKind::AndLhs, NodeKind::And),
                    };
                    let token = self.take();
                    self.node(left, token, *operand);
                    self.push(whole, binds, token, *operand);
                    return true;
                }
                LBracket => {
                    if !matches!(self.nodes.last(), Some((NodeKind::Name | NodeKind::Index, _))) {
                        self.error_here("only a named array can be indexed");
                    }
                    let token = self.take();
                    self.leaf(NodeKind::IndexStart, token);
                    self.push(NodeKind::Index, 0, token, *operand);
                    *indexes += 1;
                    return true;
                }
                Not if self.peek(1) == Assign => {
                    self.error_split(2);
                    self.at += 2;
                    let token = self.token();
                    self.reduce(LOOSEST, operand);
                    self.push(NodeKind::Error, LOOSEST, token, *operand);
                    return true;
                }
                Invalid => {
                    // The lexer has reported it; here it may stand for a binary operator.
                    self.quiet = true;
                    let token = self.bump();
                    if self.is_behind_point() {
                        self.skip_member();
                        self.node(NodeKind::Error, token, *operand);
                        continue;
                    }
                    if self.starts_operand() {
                        self.reduce(LOOSEST, operand);
                        self.push(NodeKind::Error, LOOSEST, token, *operand);
                        return true;
                    }
                    continue;
                }
                _ => {}
            }
            // Only brackets are left on the stack.
            let Some(&top) = self.ops.last() else {
                if self.kind() == Assign && !matches!(context, Context::Statement | Context::Bracket) {
                    self.error_assignment(context);
                    let token = self.bump();
                    self.push(NodeKind::Error, LOOSEST, token, *operand);
                    return true;
                }
                return false;
            };
            let closes = if top.kind == NodeKind::Index { RBracket } else { RParen };
            match self.kind() {
                kind if kind == closes => {
                    self.take();
                    self.close_bracket(operand, parens, indexes);
                }
                RParen | RBracket => {
                    if self.other_bracket(top, closes, context, [*parens, *indexes]) {
                        self.close_bracket(operand, parens, indexes);
                    }
                }
                Comma if top.kind == NodeKind::Call => {
                    self.bump();
                    return true;
                }
                Semicolon if self.peek(1) == closes => {
                    self.error_stray_semicolon();
                    self.bump();
                }
                Assign if closes == RBracket && self.ops.len() == 1 && context == Context::Statement => {
                    self.error_not_closed(closes, top.token);
                    self.close_bracket(operand, parens, indexes);
                }
                Comma | Assign => {
                    if self.kind() == Comma && top.kind == NodeKind::Index {
                        self.error_comma_in_brackets();
                    } else if self.kind() == Comma {
                        self.error_comma();
                    } else {
                        self.error_assignment(context);
                    }
                    let token = self.bump();
                    self.push(NodeKind::Error, LOOSEST, token, *operand);
                    return true;
                }
                Ident | IntLiteral | FloatLiteral | StringLiteral | LParen | Not => {
                    self.error_no_operator(top.kind, closes);
                    if !self.abandoned {
                        let token = self.token();
                        self.push(NodeKind::Error, LOOSEST, token, *operand);
                        return true;
                    }
                }
                _ => {
                    self.error_not_closed(closes, self.bracket(top));
                    self.close_bracket(operand, parens, indexes);
                }
            }
        }
    }

    #[inline(always)]
    fn leaf_here(&mut self, kind: NodeKind) {
        let token = self.take();
        self.leaf(kind, token);
    }

    #[inline]
    fn push(&mut self, kind: NodeKind, binds: u8, token: Token, start: u32) {
        self.ops.push(Op { kind, binds, token, start });
    }

    /// Makes the nodes of all operators down to the nearest bracket that bind at least as tightly; `operand`
    /// is then the first row of what they made.
    #[inline]
    fn reduce(&mut self, binds: u8, operand: &mut u32) {
        while let Some(&Op { kind, binds: tightness, token, start }) = self.ops.last()
            && tightness >= binds
        {
            self.ops.pop();
            self.node(kind, token, start);
            *operand = start;
        }
    }

    /// Meets a bracket of the other kind, which closes an outer one, or was written for the right one, or is left out. True if
    /// the last one that is open is closed by that.
    #[cold]
    fn other_bracket(&mut self, top: Op, closes: TokenKind, context: Context, inside: [usize; 2]) -> bool {
        let kind = self.kind();
        let opens = [
            inside[0] + usize::from(context == Context::Condition),
            inside[1] + usize::from(context == Context::Bracket),
        ];
        let [waiting, open] = if kind == TokenKind::RParen { opens } else { [opens[1], opens[0]] };
        if waiting > self.closed_later(kind) {
            self.error_not_closed(closes, self.bracket(top));
            return true;
        }
        if open > self.closed_later(closes) {
            self.error_wrong_bracket(closes, self.bracket(top));
            self.bump();
            return true;
        }
        self.error_unmatched();
        self.bump();
        false
    }

    /// Makes the node of the bracket on top of the stack.
    fn close_bracket(&mut self, operand: &mut u32, parens: &mut usize, indexes: &mut usize) {
        let Some(op) = self.ops.pop() else { return };
        *(if op.kind == NodeKind::Index { indexes } else { parens }) -= 1;
        self.node(op.kind, op.token, op.start);
        *operand = op.start;
    }

    /// The bracket itself; a call remembers the name before it.
    fn bracket(&self, op: Op) -> Token {
        use crate::base::Handle;
        Token::new(op.token.index() + usize::from(op.kind == NodeKind::Call))
    }

    /// Ends an expression that is not SysY: makes the nodes of everything open, and goes behind the
    /// parentheses that the statement begins with.
    fn abandon(&mut self, operand: &mut u32) {
        loop {
            self.reduce(LOOSEST, operand);
            if self.ops.is_empty() {
                break;
            }
            self.close_bracket(operand, &mut 1, &mut 1);
        }
        self.abandoned = false;
        let reached = std::mem::replace(&mut self.at, self.begin + 1);
        self.skip_parentheses();
        self.at = self.at.max(reached);
    }
}
