//! Tokens to tree: statements.
//!
//! `statement` reads one, or the head of one that holds others; `complete` closes whatever the end of one
//! ends. The unfinished ones wait on the parser's stack of states, so 100,000 nested blocks cost what 100,000
//! blocks in a row do.

use super::dialect::{Standard, Word};
use super::expressions::Context;
use super::parser::{Parser, State, Waits};
use super::token::{Token, TokenKind};
use super::tree::NodeKind;
use crate::base::Handle;

impl Parser<'_> {
    /// Words that only begin a statement or a declaration.
    pub(super) fn at_statement_word(&self) -> bool {
        use TokenKind::*;
        matches!(
            self.kind(),
            Const | Int | Float | Void | If | Else | While | Break | Continue | Return | For
        )
    }

    /// The innermost `{` that is open.
    pub(super) fn open_brace(&self) -> Option<Token> {
        self.states.iter().rev().find(|state| state.waits == Waits::Block).map(|state| state.token)
    }

    fn waits(&self) -> Option<Waits> {
        self.states.last().map(|state| state.waits)
    }

    pub(super) fn open_block(&mut self) {
        let start = self.row();
        let token = self.bump_leaf(NodeKind::BlockStart);
        self.states.push(State { waits: Waits::Block, token, start });
    }

    /// Ends the block on top of the stack; `token` is its `}` or stands in its place.
    fn close_block(&mut self, token: Token) {
        if let Some(state) = self.states.pop() {
            self.node(NodeKind::Block, token, state.start);
        }
        self.complete();
    }

    /// A statement is complete: so are all that only waited for it.
    #[inline(always)]
    fn complete(&mut self) {
        if self.waits() != Some(Waits::Block) {
            self.complete_others();
        }
    }

    fn complete_others(&mut self) {
        while let Some(state) = self.states.last_mut() {
            let kind = match state.waits {
                Waits::Block => return,
                Waits::Then if self.kinds[self.at] == TokenKind::Else => {
                    state.waits = Waits::Else;
                    self.bump_leaf(NodeKind::ElseStart);
                    return;
                }
                Waits::Then | Waits::Else => NodeKind::If,
                Waits::Body => NodeKind::While,
                Waits::ForStep | Waits::DoBody => {
                    let state = *state;
                    self.states.pop();
                    match state.waits {
                        Waits::ForStep => self.for_step(state),
                        _ => self.do_end(state),
                    }
                    continue;
                }
                Waits::ForScope => {
                    let start = state.start;
                    self.states.pop();
                    self.node(NodeKind::Block, Token::new(self.at.saturating_sub(1)), start);
                    continue;
                }
                Waits::ForInit | Waits::ForChange => {
                    let is_init = state.waits == Waits::ForInit;
                    state.waits = if is_init { Waits::ForChange } else { Waits::ForLoop };
                    return;
                }
                Waits::ForLoop => NodeKind::Block,
                Waits::Function => NodeKind::FuncDef,
            };
            let State { token, start, .. } = *state;
            self.states.pop();
            self.node(kind, token, start);
        }
    }

    /// Reads one statement, or the head of one. Takes at least one token or closes a state.
    pub(super) fn statement(&mut self) {
        use TokenKind::*;
        self.begin = self.at;
        self.quiet = false;
        let in_block = self.waits() == Some(Waits::Block);
        match self.kind() {
            LBrace => self.open_block(),
            RBrace if in_block => {
                let token = self.bump();
                self.close_block(token);
            }
            If => self.head(NodeKind::IfStart, NodeKind::IfCond, Waits::Then),
            While => self.head(NodeKind::WhileStart, NodeKind::WhileCond, Waits::Body),
            Const | Int | Float | Void => {
                let may_stand = in_block || self.waits() == Some(Waits::ForInit);
                self.declaration_statement(may_stand);
            }
            For if self.standard == Standard::Dialect => self.for_head(),
            For => {
                // A block of three statements.
                let start = self.row();
                let token = self.bump_leaf(NodeKind::BlockStart);
                self.states.push(State { waits: Waits::ForInit, token, start });
            }
            End => {
                self.error_open_block();
                self.close_all();
            }
            Else if in_block => {
                self.error_no_if();
                self.bump_leaf(NodeKind::Error);
            }
            RBrace | Else => {
                self.error_expected("a statement");
                self.error_leaf();
                self.complete();
            }
            Semicolon => {
                self.bump_leaf(NodeKind::Empty);
                self.complete();
            }
            Break | Continue => {
                let kind = if self.kind() == Break { NodeKind::Break } else { NodeKind::Continue };
                self.bump_leaf(kind);
                self.semicolon();
                self.complete();
            }
            Return => {
                let start = self.row();
                let token = self.bump();
                if !matches!(self.kind(), Semicolon | RBrace | End) && !self.at_statement_word() {
                    self.expression(Context::Value);
                }
                self.semicolon();
                self.node(NodeKind::Return, token, start);
                self.complete();
            }
            Ident
                if self.may_be_word()
                    && let Some(word) = self.loop_word() =>
            {
                match word {
                    Word::For => self.for_head(),
                    Word::Do => self.do_head(),
                    Word::Tensor => {
                        let may_stand = in_block || self.waits() == Some(Waits::ForInit);
                        self.declaration_statement(may_stand);
                    }
                }
            }
            Plus | Minus if self.is_increment() => {
                self.increment(self.row());
                self.semicolon();
                self.complete();
            }
            _ => {
                self.expression_statement();
                self.complete();
            }
        }
    }

    /// `if (condition)` or `while (condition)`, and the state for what follows.
    fn head(&mut self, opens: NodeKind, condition: NodeKind, waits: Waits) {
        let start = self.row();
        let token = self.bump_leaf(opens);
        let begin = self.row();
        let open = self.token();
        let opened = self.kind() == TokenKind::LParen;
        if opened {
            self.bump();
        } else {
            self.error_no_condition(token);
        }
        if self.kind() == TokenKind::LBrace {
            self.braced_condition();
        } else {
            self.expression(Context::Condition);
        }
        if opened && self.kind() == TokenKind::Semicolon && self.peek(1) == TokenKind::RParen {
            self.error_stray_semicolon();
            self.bump();
        }
        if opened || self.kind() == TokenKind::RParen {
            self.close(TokenKind::RParen, open);
        } else {
            self.skip_do_or_then();
        }
        if self.kind() == TokenKind::RParen {
            self.error_unmatched();
            while self.kind() == TokenKind::RParen {
                self.bump();
            }
        }
        self.node(condition, open, begin);
        self.states.push(State { waits, token, start });
    }

    /// The condition is in braces, or there is none: a body follows.
    fn braced_condition(&mut self) {
        use TokenKind::*;
        let ends = |k: &usize| matches!(self.kinds.get(*k), None | Some(Semicolon | LBrace | RBrace | End));
        let end = (self.at + 1..self.at + 64).find(ends).filter(|&k| k > self.at + 1);
        match end.filter(|&k| self.kinds[k] == RBrace) {
            Some(end) => {
                self.bump();
                self.expression(Context::Condition);
                self.at = self.at.max(end + 1);
            }
            None => self.error_leaf(),
        }
    }

    /// A declaration where a statement may stand, or what looks like one.
    fn declaration_statement(&mut self, in_block: bool) {
        let words = if self.kind() == TokenKind::Ident { 2 } else { 1 };
        if self.peek(words) == TokenKind::Ident && self.peek(words + 1) == TokenKind::LParen {
            if self.at_line_start() {
                // A function at the left margin: a brace is missing before it.
                self.error_open_block();
                self.close_all();
                return;
            }
            self.error_nested_function();
            let (start, token) = (self.row(), self.bump());
            self.at += words - 1;
            let from = self.at;
            self.at += 1;
            self.skip_parentheses();
            // The function and its parameters, for what follows.
            for name in (from..self.at).filter(|&at| self.kinds[at] == TokenKind::Ident).map(Token::new) {
                let begin = self.row();
                self.leaf(NodeKind::DeclName, name);
                self.node(NodeKind::Error, name, begin);
            }
            if self.kind() == TokenKind::Semicolon {
                self.bump();
            }
            self.node(NodeKind::Error, token, start);
        } else {
            if !in_block {
                self.error_bare_declaration();
            }
            self.declaration(self.row());
        }
        self.complete();
    }

    /// Takes `(` and everything to the `)` that closes it, but no brace.
    pub(super) fn skip_parentheses(&mut self) {
        use TokenKind::*;
        let mut depth = 0usize;
        while !matches!(self.kind(), LBrace | RBrace | End) {
            match self.bump_kind() {
                LParen => depth += 1,
                RParen => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// Closes every unfinished statement and the function.
    fn close_all(&mut self) {
        let token = self.token();
        while let Some(waits) = self.waits() {
            if waits == Waits::Block {
                self.close_block(token);
            } else {
                self.leaf(NodeKind::Error, token);
                self.complete();
            }
        }
    }

    /// An assignment, or an expression for its effects.
    fn expression_statement(&mut self) {
        let start = self.row();
        self.expression(Context::Statement);
        if self.kind() == TokenKind::Assign {
            self.assignment(start);
            self.semicolon();
        } else if self.kind() != TokenKind::Semicolon && self.is_update() {
            self.update(start);
            self.semicolon();
        } else {
            let token = self.semicolon();
            self.node(NodeKind::ExprStmt, token, start);
        }
    }

    /// What stands left of an assignment has been read: reports it, if it cannot be assigned to.
    #[inline(always)]
    pub(super) fn check_target(&mut self, start: u32) {
        let (last, size) = self.nodes.last().unwrap_or((NodeKind::Error, 0));
        let whole = size == self.row() - start;
        if !whole || !matches!(last, NodeKind::Name | NodeKind::Index) {
            let called = whole && last == NodeKind::Call;
            self.error_not_assignable(called);
        }
    }

    /// The right side of an assignment, and its node.
    #[inline(always)]
    pub(super) fn assignment(&mut self, start: u32) {
        self.check_target(start);
        let token = self.bump_leaf(NodeKind::AssignStart);
        self.expression(Context::Value);
        self.node(NodeKind::Assign, token, start);
    }

    /// Takes tokens up to the next `;`, brace or statement. Types in parentheses are parameters of something
    /// that is no function here.
    fn skip_statement(&mut self) {
        use TokenKind::*;
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Semicolon | LBrace | RBrace | End => return,
                LParen => depth += 1,
                RParen => depth = depth.saturating_sub(1),
                Const | Int | Float | Void if depth > 0 => {}
                _ if self.at_statement_word() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Takes the `;` that ends a statement; without one, reports and goes to where the next may begin.
    #[inline(always)]
    pub(super) fn semicolon(&mut self) -> Token {
        if self.kind() != TokenKind::Semicolon {
            return self.no_semicolon();
        }
        self.quiet = false;
        self.take()
    }

    #[cold]
    #[inline(never)]
    fn no_semicolon(&mut self) -> Token {
        let token = self.token();
        self.error_no_semicolon();
        // On a line of its own the next token begins the next statement; else it belongs to what went wrong.
        let next = self.starts_operand() && self.kind() != TokenKind::Invalid && self.at_new_line();
        if !next {
            self.skip_statement();
        }
        if self.kind() == TokenKind::Semicolon {
            self.bump();
        }
        self.quiet = false;
        token
    }

    /// Takes the `)` or `]` that belongs to `open`; without one, reports it missing and takes it as read,
    /// after skipping what can be neither in the brackets nor behind them.
    #[inline(always)]
    pub(super) fn close(&mut self, kind: TokenKind, open: Token) {
        if self.kind() != kind {
            return self.not_closed(kind, open);
        }
        self.take();
    }

    #[cold]
    #[inline(never)]
    fn not_closed(&mut self, kind: TokenKind, open: Token) {
        use TokenKind::*;
        self.error_not_closed(kind, open);
        let ends = |p: &Self| {
            matches!(p.kind(), RParen | RBracket | LBrace | RBrace | Semicolon | Assign | Comma | End)
                || p.at_statement_word()
                || p.at_new_line()
                || p.kind() == Ident && p.peek(1) == Assign
        };
        while !ends(self) {
            self.bump();
        }
        if self.kind() == kind {
            self.bump();
        }
    }
}
