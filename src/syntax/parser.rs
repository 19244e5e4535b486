//! Tokens to tree: definitions and statements. O(tokens); nothing recurses.
//!
//! Statements that stand inside others wait on a stack of states (`if (a) while (b) {` is `Then`, `Body`, `Block`);
//! `statement` reads one or opens one, `complete` closes whatever the end of one ends. Expressions are in
//! `expressions`, names for what went wrong in `complaints`.
//!
//! Recovery: after an error the parser is `quiet` to the next `;`, brace or statement, so that one mistake is one error.
//! A missing `;`, `)` or `]` is reported behind the token before it and taken as read. What had to be skipped leaves an
//! `Error` node in place of an expression, a declarator, a parameter, a statement or a definition; every other node has
//! the children that `NodeKind` tells, errors or not.

use super::expressions::{Context, Op};
use super::token::{Token, TokenKind, Tokens};
use super::tree::{Node, NodeKind, Tree};
use crate::base::Handle;
use crate::source::{Diagnostics, SourceFile};

/// What an unfinished statement waits for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Waits {
    /// A function, for its body.
    Function,
    /// A block, for `}`.
    Block,
    /// An `if`, for its first arm.
    Then,
    /// An `if`, for its second arm.
    Else,
    /// A `while`, for its body.
    Body,
}

/// An unfinished statement.
#[derive(Copy, Clone, Debug)]
struct State {
    waits: Waits,
    /// The token of the node to come; for a block, its `{`.
    token: Token,
    /// First row of the node to come.
    start: u32,
}

pub(super) struct Parser<'a> {
    pub(super) file: &'a SourceFile,
    pub(super) tokens: &'a Tokens,
    /// The next token. Never behind the last, which is `End`.
    pub(super) at: usize,
    pub(super) tree: Tree,
    pub(super) diags: &'a mut Diagnostics,
    /// Says nothing, because what comes may follow from an error that was reported.
    pub(super) quiet: bool,
    /// First token of the current statement or definition.
    pub(super) begin: usize,
    /// An error made the current expression not worth reading; see `complaints`.
    pub(super) abandoned: bool,
    /// Operators and open brackets of the current expression.
    pub(super) ops: Vec<Op>,
    /// Open braced initialisers: first row and `{`.
    lists: Vec<(u32, Token)>,
    states: Vec<State>,
}

/// The tree of the file. Errors are pushed; the tree is always well formed.
pub fn parse(file: &SourceFile, tokens: &Tokens, diags: &mut Diagnostics) -> Tree {
    let mut parser = Parser {
        file,
        tokens,
        at: 0,
        tree: Tree::default(),
        diags,
        quiet: false,
        begin: 0,
        abandoned: false,
        ops: Vec::new(),
        lists: Vec::new(),
        states: Vec::new(),
    };
    while parser.kind() != TokenKind::End {
        parser.definition();
        while !parser.states.is_empty() {
            parser.statement();
        }
    }
    parser.tree
}

impl Parser<'_> {
    // ---- Tokens and nodes -------------------------------------------------------------------------------------

    /// The kind of the next token.
    #[inline]
    pub(super) fn kind(&self) -> TokenKind {
        self.tokens.kind.as_slice()[self.at]
    }

    /// The kind of the token `ahead` of the next.
    #[inline]
    pub(super) fn peek(&self, ahead: usize) -> TokenKind {
        self.tokens.kind.as_slice().get(self.at + ahead).copied().unwrap_or(TokenKind::End)
    }

    /// The next token.
    #[inline]
    pub(super) fn token(&self) -> Token {
        Token::new(self.at)
    }

    /// Takes the next token.
    #[inline]
    pub(super) fn bump(&mut self) -> Token {
        let token = Token::new(self.at);
        self.at += usize::from(self.kind() != TokenKind::End);
        token
    }

    /// The row that comes next.
    #[inline]
    pub(super) fn row(&self) -> u32 {
        self.tree.kind.len() as u32
    }

    /// Appends a node whose children are the rows from `start` on.
    #[inline]
    pub(super) fn node(&mut self, kind: NodeKind, token: Token, start: u32) {
        let size = self.row() + 1 - start;
        self.tree.kind.push(kind);
        self.tree.token.push(token);
        self.tree.size.push(size);
    }

    /// Appends a leaf.
    #[inline]
    pub(super) fn leaf(&mut self, kind: NodeKind, token: Token) {
        self.node(kind, token, self.row());
    }

    // ---- Definitions ------------------------------------------------------------------------------------------

    /// One definition of the file's top level, up to the body if it is a function.
    fn definition(&mut self) {
        use TokenKind::*;
        self.begin = self.at;
        self.quiet = false;
        let called = self.peek(1) == Ident && self.peek(2) == LParen;
        match self.kind() {
            Int | Float | Void if called => self.function(),
            Const | Int | Float | Void => {
                self.declaration();
                if self.kind() == LBrace {
                    // Something like a function, which was reported.
                    self.skip_to_definition();
                }
            }
            // C's grammar has none here either, and every compiler lets it pass.
            Semicolon => _ = self.bump(),
            Invalid => {
                let token = self.bump();
                self.leaf(NodeKind::Error, token);
            }
            Ident if self.peek(1) == LParen && matches!(self.peek(2), RParen | Int | Float | Void) => {
                self.error_no_return_type();
                self.function();
            }
            _ => {
                self.error_no_definition();
                let token = self.token();
                self.leaf(NodeKind::Error, token);
                self.skip_to_definition();
            }
        }
    }

    /// Takes tokens up to the next type outside braces; at least one.
    fn skip_to_definition(&mut self) {
        use TokenKind::*;
        let mut depth = 0usize;
        loop {
            match self.bump_kind() {
                LBrace => depth += 1,
                RBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            if matches!(self.kind(), End) || depth == 0 && matches!(self.kind(), Const | Int | Float | Void) {
                return;
            }
        }
    }

    fn bump_kind(&mut self) -> TokenKind {
        let kind = self.kind();
        self.bump();
        kind
    }

    /// A signature, and the state for the body.
    fn function(&mut self) {
        use TokenKind::*;
        let start = self.row();
        let typed = self.kind() != Ident;
        let token = self.token();
        self.leaf(NodeKind::Type, token);
        self.at += usize::from(typed);
        let name = self.bump();
        self.leaf(NodeKind::FuncStart, name);
        let open = self.bump();
        self.leaf(NodeKind::ParamsStart, open);
        if self.kind() == Void && self.peek(1) == RParen {
            self.warn_void_parameter();
            self.bump();
        }
        while self.kind() != RParen {
            self.parameter();
            match self.kind() {
                Comma => _ = self.bump(),
                RParen => break,
                _ => {
                    self.error_expected("',' or ')'");
                    if !matches!(self.kind(), Int | Float | Void) {
                        self.skip_parameter();
                        if self.kind() != Comma {
                            break;
                        }
                        self.bump();
                    }
                }
            }
        }
        self.close(RParen, open);
        self.node(NodeKind::FuncSignature, name, start);
        if self.kind() == LBrace {
            self.states.push(State { waits: Waits::Function, token: name, start });
            self.open_block();
            return;
        }
        self.error_no_body();
        self.node(NodeKind::Error, name, start);
        if self.kind() == Semicolon {
            self.bump();
        } else if !matches!(self.kind(), Const | Int | Float | Void | End) {
            self.skip_to_definition();
        }
    }

    fn parameter(&mut self) {
        use TokenKind::*;
        let start = self.row();
        if !matches!(self.kind(), Int | Float | Void) || self.kind() == Void {
            self.error_no_parameter_type();
            if self.kind() == Const {
                self.bump();
            }
        }
        if matches!(self.kind(), Int | Float | Void) {
            let token = self.bump();
            self.leaf(NodeKind::Type, token);
            if self.kind() == Star {
                self.error_pointer_parameter();
                while self.kind() == Star {
                    self.bump();
                }
            }
            if self.kind() == Ident {
                let name = self.bump();
                self.leaf(NodeKind::DeclName, name);
                if self.kind() == LBracket && self.peek(1) == RBracket {
                    let open = self.bump();
                    self.leaf(NodeKind::EmptyDim, open);
                    self.bump();
                }
                while self.kind() == LBracket {
                    self.dimension();
                }
                self.node(NodeKind::Param, name, start);
                return;
            }
            self.error_expected("the name of the parameter");
        }
        let token = self.token();
        self.skip_parameter();
        self.node(NodeKind::Error, token, start);
        self.quiet &= self.kind() != Comma;
    }

    fn skip_parameter(&mut self) {
        use TokenKind::*;
        while !matches!(self.kind(), Comma | RParen | LBrace | RBrace | Semicolon | End) {
            self.bump();
        }
    }

    /// `[length]`.
    fn dimension(&mut self) {
        let start = self.row();
        let open = self.bump();
        if self.kind() == TokenKind::RBracket {
            self.error_empty_dimension(open);
            self.leaf(NodeKind::Error, open);
        } else {
            self.expression(Context::Bracket);
        }
        self.close(TokenKind::RBracket, open);
        self.node(NodeKind::Dim, open, start);
    }

    /// A declaration with all its declarators.
    fn declaration(&mut self) {
        use TokenKind::*;
        let start = self.row();
        let token = self.token();
        self.leaf(NodeKind::DeclStart, token);
        if self.kind() == Const {
            self.bump();
        }
        match self.kind() {
            Int | Float => {
                let base = self.bump();
                self.leaf(NodeKind::Type, base);
            }
            Void => {
                self.error_void_variable();
                let base = self.bump();
                self.leaf(NodeKind::Type, base);
            }
            _ => {
                self.error_expected("'int' or 'float'");
                self.leaf(NodeKind::Type, token);
            }
        }
        loop {
            self.declarator();
            if self.kind() != Comma {
                break;
            }
            self.bump();
            self.quiet = false;
        }
        self.semicolon();
        self.node(NodeKind::Decl, token, start);
    }

    /// One declared name with its dimensions and initialiser.
    fn declarator(&mut self) {
        use TokenKind::*;
        let start = self.row();
        if self.kind() != Ident {
            self.error_no_declared_name();
            let token = self.token();
            self.leaf(NodeKind::Error, token);
            while !matches!(self.kind(), Comma | Semicolon | LBrace | RBrace | End)
                && !self.at_statement_word()
            {
                self.bump();
            }
            return;
        }
        let name = self.bump();
        self.leaf(NodeKind::DeclName, name);
        while self.kind() == LBracket {
            self.dimension();
        }
        self.node(NodeKind::Declarator, name, start);
        if self.kind() == Assign {
            let token = self.bump();
            self.leaf(NodeKind::InitStart, token);
            self.initialiser();
        }
        self.node(NodeKind::VarDef, name, start);
    }

    /// An expression or a braced list of initialisers.
    fn initialiser(&mut self) {
        use TokenKind::*;
        loop {
            if self.kind() == LBrace {
                let start = self.row();
                let open = self.bump();
                self.leaf(NodeKind::InitListStart, open);
                self.lists.push((start, open));
                if self.kind() != RBrace {
                    continue;
                }
            } else {
                self.expression(Context::Value);
            }
            // Behind an initialiser: close lists, up to the next comma.
            loop {
                let Some(&(start, open)) = self.lists.last() else { return };
                if self.kind() == Comma {
                    self.bump();
                    self.quiet = false;
                    if self.kind() != RBrace {
                        break;
                    }
                }
                if self.kind() != RBrace {
                    self.error_in_list(open);
                    if self.starts_operand() || self.kind() == LBrace {
                        break;
                    }
                    while !matches!(self.kind(), Comma | Semicolon | RBrace | End)
                        && !self.at_statement_word()
                    {
                        self.bump();
                    }
                    if self.kind() == Comma {
                        continue;
                    }
                }
                // Here is `}`, or what the list cannot go on with.
                if self.kind() == RBrace {
                    self.bump();
                }
                self.lists.pop();
                self.node(NodeKind::InitList, open, start);
            }
        }
    }

    // ---- Statements -------------------------------------------------------------------------------------------

    /// Words that only begin a statement or a declaration.
    pub(super) fn at_statement_word(&self) -> bool {
        use TokenKind::*;
        matches!(self.kind(), Const | Int | Float | Void | If | Else | While | Break | Continue | Return)
    }

    /// The innermost `{` that is open.
    pub(super) fn open_brace(&self) -> Option<Token> {
        self.states.iter().rev().find(|state| state.waits == Waits::Block).map(|state| state.token)
    }

    fn waits(&self) -> Option<Waits> {
        self.states.last().map(|state| state.waits)
    }

    fn open_block(&mut self) {
        let start = self.row();
        let token = self.bump();
        self.leaf(NodeKind::BlockStart, token);
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
    fn complete(&mut self) {
        while let Some(state) = self.states.last_mut() {
            let kind = match state.waits {
                Waits::Block => return,
                Waits::Then if self.tokens.kind.as_slice()[self.at] == TokenKind::Else => {
                    state.waits = Waits::Else;
                    let token = self.bump();
                    self.leaf(NodeKind::ElseStart, token);
                    return;
                }
                Waits::Then | Waits::Else => NodeKind::If,
                Waits::Body => NodeKind::While,
                Waits::Function => NodeKind::FuncDef,
            };
            let State { token, start, .. } = *state;
            self.states.pop();
            self.node(kind, token, start);
        }
    }

    /// Reads one statement, or the head of one. Takes at least one token or closes a state.
    fn statement(&mut self) {
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
            Const | Int | Float | Void => self.declaration_statement(in_block),
            End => {
                self.error_open_block();
                self.close_all();
            }
            Else if in_block => {
                self.error_else();
                let token = self.bump();
                self.leaf(NodeKind::Error, token);
            }
            RBrace | Else => {
                self.error_expected("a statement");
                let token = self.token();
                self.leaf(NodeKind::Error, token);
                self.complete();
            }
            Semicolon => {
                let token = self.bump();
                self.leaf(NodeKind::Empty, token);
                self.complete();
            }
            Break | Continue => {
                let kind = if self.kind() == Break { NodeKind::Break } else { NodeKind::Continue };
                let token = self.bump();
                self.leaf(kind, token);
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
            _ => {
                self.expression_statement();
                self.complete();
            }
        }
    }

    /// `if (condition)` or `while (condition)`, and the state for what follows.
    fn head(&mut self, opens: NodeKind, condition: NodeKind, waits: Waits) {
        let start = self.row();
        let token = self.bump();
        self.leaf(opens, token);
        let begin = self.row();
        let open = self.token();
        let opened = self.kind() == TokenKind::LParen;
        if opened {
            self.bump();
        } else {
            self.error_no_condition(token);
        }
        self.expression(Context::Condition);
        if opened || self.kind() == TokenKind::RParen {
            self.close(TokenKind::RParen, open);
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

    /// A declaration where a statement may stand, or what looks like one.
    fn declaration_statement(&mut self, in_block: bool) {
        if self.peek(1) == TokenKind::Ident && self.peek(2) == TokenKind::LParen {
            if self.at_line_start() {
                // A function at the left margin: a brace is missing before it.
                self.error_open_block();
                self.close_all();
                return;
            }
            self.error_nested_function();
            let token = self.bump();
            self.at += 1;
            self.skip_parentheses();
            if self.kind() == TokenKind::Semicolon {
                self.bump();
            }
            self.leaf(NodeKind::Error, token);
        } else {
            if !in_block {
                self.error_bare_declaration();
            }
            self.declaration();
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
            let last = Node::new(self.tree.len() - 1);
            let whole = self.tree.size[last] == self.row() - start;
            if !whole || !matches!(self.tree.kind[last], NodeKind::Name | NodeKind::Index) {
                self.error_not_assignable();
            }
            let token = self.bump();
            self.leaf(NodeKind::AssignStart, token);
            self.expression(Context::Value);
            self.semicolon();
            self.node(NodeKind::Assign, token, start);
        } else {
            let token = self.semicolon();
            self.node(NodeKind::ExprStmt, token, start);
        }
    }

    /// Takes the `;` that ends a statement; without one, reports and goes to where the next may begin.
    fn semicolon(&mut self) -> Token {
        use TokenKind::*;
        let token = self.token();
        if self.kind() != Semicolon {
            self.error_no_semicolon();
            // On a line of its own the next token begins the next statement; else it belongs to what went wrong.
            let next = self.starts_operand() && self.kind() != Invalid && self.at_new_line();
            while !next
                && !matches!(self.kind(), Semicolon | LBrace | RBrace | End)
                && !self.at_statement_word()
            {
                self.bump();
            }
        }
        if self.kind() == Semicolon {
            self.bump();
        }
        self.quiet = false;
        token
    }

    /// Takes the `)` or `]` that belongs to `open`; without one, reports it missing and takes it as read, after
    /// skipping what can be neither in the brackets nor behind them.
    fn close(&mut self, kind: TokenKind, open: Token) {
        use TokenKind::*;
        if self.kind() != kind {
            self.error_not_closed(kind, open);
            while !matches!(
                self.kind(),
                RParen | RBracket | LBrace | RBrace | Semicolon | Assign | Comma | End
            ) && !self.at_statement_word()
                && !self.at_new_line()
            {
                self.bump();
            }
        }
        if self.kind() == kind {
            self.bump();
        }
    }
}

#[cfg(test)]
mod tests;
