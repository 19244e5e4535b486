//! Tokens to tree: the parser's state, and definitions. O(tokens); nothing recurses.
//!
//! Statements that stand inside others wait on a stack of states (`if (a) while (b) {` is `Then`, `Body`,
//! `Block`), see `statements`; operators and brackets on another, see `expressions`. Names for what went
//! wrong are in `complaints`.
//!
//! Recovery: after an error the parser is `quiet` to the next `;`, brace or statement, so that one mistake is
//! one error. A missing `;`, `)` or `]` is reported behind the token before it and taken as read. What had to
//! be skipped leaves an `Error` node in place of an expression, a declarator, a parameter, a statement or a
//! definition; every other node has the children that `NodeKind` tells, errors or not.

use super::dialect::Standard;
use super::expressions::{Context, Op};
use super::token::{Token, TokenKind, Tokens};
use super::tree::{NodeKind, Tree};
use crate::base::Handle;
use crate::source::{Diagnostics, SourceFile};

/// What an unfinished statement waits for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Waits {
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
    /// A `for`, for its body (`token`: its step) and for the end of its scope.
    ForStep,
    ForScope,
    /// A `do`, for its body.
    DoBody,
    /// A `for` of strict SysY, which is in error, for what is done before, for the step, and for the loop.
    ForInit,
    ForChange,
    ForLoop,
}

/// An unfinished statement.
#[derive(Copy, Clone, Debug)]
pub(super) struct State {
    pub(super) waits: Waits,
    /// The token of the node to come; for a block, its `{`.
    pub(super) token: Token,
    /// First row of the node to come.
    pub(super) start: u32,
}

/// The rows of the tree, which are gathered in blocks: a place in a block is a byte, so that to write a row
/// takes no check.
pub(super) struct Nodes {
    tree: Tree,
    kind: [NodeKind; 256],
    token: [Token; 256],
    size: [u32; 256],
    /// The row that comes next.
    row: u32,
}

impl Nodes {
    /// Goes on with an empty tree.
    fn new(tree: Tree) -> Nodes {
        Nodes { tree, kind: [NodeKind::Error; 256], token: [Token::new(0); 256], size: [0; 256], row: 0 }
    }

    #[inline(always)]
    fn push(&mut self, kind: NodeKind, token: Token, size: u32) {
        let place = self.row as u8 as usize;
        self.kind[place] = kind;
        self.token[place] = token;
        self.size[place] = size;
        self.row += 1;
        if place == 255 {
            self.flush(256);
        }
    }

    #[cold]
    fn flush(&mut self, rows: usize) {
        self.tree.kind.extend_from_slice(&self.kind[..rows]);
        self.tree.token.extend_from_slice(&self.token[..rows]);
        self.tree.size.extend_from_slice(&self.size[..rows]);
    }

    /// Kind and size of the last row, if there is one: a block stays as it is until it is written again.
    #[inline]
    pub(super) fn last(&self) -> Option<(NodeKind, u32)> {
        let place = (self.row as u8).wrapping_sub(1) as usize;
        (self.row != 0).then(|| (self.kind[place], self.size[place]))
    }

    fn finish(mut self) -> Tree {
        self.flush(self.row as u8 as usize);
        self.tree
    }
}

pub(super) struct Parser<'a> {
    pub(super) file: &'a SourceFile,
    pub(super) tokens: &'a Tokens,
    /// Their kinds.
    pub(super) kinds: &'a [TokenKind],
    /// The next token. Never behind the last, which is `End`.
    pub(super) at: usize,
    pub(super) nodes: Nodes,
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
    pub(super) lists: Vec<(u32, Token)>,
    /// Unfinished statements, outermost first.
    pub(super) states: Vec<State>,
    /// The language.
    pub(super) standard: Standard,
    /// True if the file declares something of the name `do`, once that is asked.
    pub(super) declares_do: Option<bool>,
    /// The place of the first parameter without a name.
    unnamed: Option<Token>,
}

/// The memory of a parser's stacks.
#[derive(Debug, Default)]
pub struct Stacks {
    ops: Vec<Op>,
    lists: Vec<(u32, Token)>,
    states: Vec<State>,
    declares_do: Option<bool>,
}

/// The tree of the file in the default language.
pub fn parse(file: &SourceFile, tokens: &Tokens, diags: &mut Diagnostics) -> Tree {
    parse_as(Standard::default(), file, tokens, diags)
}

/// The tree of the file. Errors are pushed; the tree is always well formed.
#[inline(never)]
pub fn parse_as(standard: Standard, file: &SourceFile, tokens: &Tokens, diags: &mut Diagnostics) -> Tree {
    let mut parser = Parser::new(file, tokens, Tree::default(), Stacks::default(), diags);
    parser.standard = standard;
    while parser.kind() != TokenKind::End {
        parser.definition();
        while !parser.states.is_empty() {
            parser.statement();
        }
    }
    parser.nodes.finish()
}

/// Reads the body of one function, whose tokens from `{` to `}` are all there are, into a tree that may have
/// memory to use again: a `FuncSignature` leaf that stands for the signature, the `Block`, and the `FuncDef`
/// around both. False if there is more.
#[inline(never)]
pub fn parse_body(
    standard: Standard,
    file: &SourceFile,
    tokens: &Tokens,
    (tree, stacks): (&mut Tree, &mut Stacks),
    diags: &mut Diagnostics,
) -> bool {
    tree.clear();
    let mut parser = Parser::new(file, tokens, std::mem::take(tree), std::mem::take(stacks), diags);
    parser.standard = standard;
    let open = parser.token();
    parser.leaf(NodeKind::FuncSignature, open);
    if parser.kind() == TokenKind::LBrace {
        parser.states.push(State { waits: Waits::Function, token: open, start: 0 });
        parser.open_block();
    }
    while !parser.states.is_empty() {
        parser.statement();
    }
    let is_all = parser.kind() == TokenKind::End;
    let Parser { ops, lists, states, nodes, declares_do, .. } = parser;
    (*tree, *stacks) = (nodes.finish(), Stacks { ops, lists, states, declares_do });
    is_all
}

impl<'a> Parser<'a> {
    fn new(
        file: &'a SourceFile,
        tokens: &'a Tokens,
        tree: Tree,
        stacks: Stacks,
        diags: &'a mut Diagnostics,
    ) -> Self {
        let Stacks { ops, lists, states, declares_do } = stacks;
        Parser {
            file,
            tokens,
            kinds: tokens.kind.as_slice(),
            at: 0,
            nodes: Nodes::new(tree),
            diags,
            quiet: false,
            begin: 0,
            abandoned: false,
            ops,
            lists,
            states,
            standard: Standard::default(),
            declares_do,
            unnamed: None,
        }
    }
}

impl Parser<'_> {
    // ---- Tokens and nodes --------------------------------------------------------------------------------

    /// The kind of the next token.
    #[inline]
    pub(super) fn kind(&self) -> TokenKind {
        self.kinds[self.at]
    }

    /// The kind of the token `ahead` of the next.
    #[inline]
    pub(super) fn peek(&self, ahead: usize) -> TokenKind {
        self.kinds.get(self.at + ahead).copied().unwrap_or(TokenKind::End)
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
        self.nodes.row
    }

    /// Appends a node whose children are the rows from `start` on.
    #[inline]
    pub(super) fn node(&mut self, kind: NodeKind, token: Token, start: u32) {
        self.nodes.push(kind, token, self.nodes.row + 1 - start);
    }

    /// Appends a leaf.
    #[inline]
    pub(super) fn leaf(&mut self, kind: NodeKind, token: Token) {
        self.nodes.push(kind, token, 1);
    }

    /// Takes the next token as a leaf.
    #[inline]
    pub(super) fn bump_leaf(&mut self, kind: NodeKind) -> Token {
        let token = self.bump();
        self.leaf(kind, token);
        token
    }

    /// What is missing or wrong at the next token.
    pub(super) fn error_leaf(&mut self) {
        let token = self.token();
        self.leaf(NodeKind::Error, token);
    }

    /// Takes the next token, which is not the last.
    #[inline]
    pub(super) fn take(&mut self) -> Token {
        self.at += 1;
        Token::new(self.at - 1)
    }

    // ---- Definitions -------------------------------------------------------------------------------------

    /// One definition of the file's top level, up to the body if it is a function.
    fn definition(&mut self) {
        use TokenKind::*;
        self.begin = self.at;
        self.quiet = false;
        let called = self.peek(1) == Ident && self.peek(2) == LParen;
        match self.kind() {
            // `Invalid`: the type of a function was reported.
            Int | Float | Void | Invalid if called => self.function(self.row()),
            Ident if self.at_extern() => self.external(),
            Ident if self.at_tensor() => {
                match self.peek(2) == Ident && self.peek(3) == LParen {
                    true => self.function(self.row()),
                    false => self.declaration(self.row()),
                }
                if self.kind() == LBrace && self.states.is_empty() {
                    self.skip_to_definition();
                }
            }
            Const | Int | Float | Void => {
                self.declaration(self.row());
                if self.kind() == LBrace {
                    // Something like a function, which was reported.
                    self.skip_to_definition();
                }
            }
            // C's grammar has none here either, and every compiler lets it pass.
            Semicolon => _ = self.bump(),
            Invalid => {
                self.bump_leaf(NodeKind::Error);
            }
            Ident if self.peek(1) == LParen && matches!(self.peek(2), RParen | Int | Float | Void) => {
                self.error_no_return_type();
                self.function(self.row());
            }
            _ => {
                self.error_no_definition();
                self.error_leaf();
                self.skip_to_definition();
            }
        }
    }

    /// Takes tokens up to the next type outside braces, or to what C begins a definition with; at least one.
    fn skip_to_definition(&mut self) {
        use TokenKind::*;
        let mut depth = 0usize;
        loop {
            match self.bump_kind() {
                LBrace => depth += 1,
                RBrace => depth = depth.saturating_sub(1),
                Semicolon if depth == 0 && self.at_construct() => return,
                _ => {}
            }
            if matches!(self.kind(), End) || depth == 0 && matches!(self.kind(), Const | Int | Float | Void) {
                return;
            }
        }
    }

    pub(super) fn bump_kind(&mut self) -> TokenKind {
        let kind = self.kind();
        self.bump();
        kind
    }

    /// A signature, and the state for the body.
    pub(super) fn function(&mut self, start: u32) {
        use TokenKind::*;
        self.unnamed = None;
        let signature = self.row();
        let typed = self.kind() != Ident;
        if !typed && self.at_tensor() {
            self.tensor_type();
        } else {
            let token = self.token();
            self.leaf(NodeKind::Type, token);
            self.at += usize::from(typed);
        }
        let name = self.bump_leaf(NodeKind::FuncStart);
        let open = self.bump_leaf(NodeKind::ParamsStart);
        if self.kind() == Void && self.peek(1) == RParen {
            self.warn_void_parameter();
            self.bump();
        }
        while self.kind() != RParen {
            self.parameter();
            match self.kind() {
                Comma => {
                    self.bump();
                    self.quiet = false;
                    if self.kind() == RParen {
                        self.error_no_parameter_type();
                    }
                }
                RParen => break,
                _ => {
                    self.error_expected("',' or ')'");
                    if !matches!(self.kind(), Int | Float | Void) && !self.at_tensor() {
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
        self.node(NodeKind::FuncSignature, name, signature);
        if self.kind() == Semicolon && self.peek(1) == LBrace {
            self.error_semicolon_before_body();
            self.bump();
        }
        if self.kind() == Semicolon && self.standard == Standard::Dialect {
            self.bump();
            self.node(NodeKind::FuncDecl, name, start);
            return;
        }
        if let Some(place) = self.unnamed.take() {
            self.error_unnamed(place);
        }
        if self.kind() == LBrace {
            self.states.push(State { waits: Waits::Function, token: name, start });
            self.open_block();
            return;
        }
        if self.at_new_line() && !self.at_line_start() && self.at_body() {
            self.error_no_brace();
            self.quiet = false;
            self.states.push(State { waits: Waits::Function, token: name, start });
            let (start, token) = (self.row(), self.token());
            self.leaf(NodeKind::BlockStart, token);
            self.states.push(State { waits: Waits::Block, token, start });
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
        let is_tensor = self.kind() == Ident && self.at_tensor();
        if !matches!(self.kind(), Int | Float) && !is_tensor {
            self.error_no_parameter_type();
            if self.kind() == Const {
                self.bump();
            }
        }
        if matches!(self.kind(), Int | Float | Void) || is_tensor {
            match is_tensor {
                true => self.tensor_type(),
                false => _ = self.bump_leaf(NodeKind::Type),
            }
            if self.kind() == Const {
                self.error_no_parameter_type();
                self.bump();
            }
            let star = (self.kind() == Star).then(|| self.token());
            if star.is_some() {
                self.error_pointer_parameter();
                while self.kind() == Star {
                    self.bump();
                }
            }
            if self.kind() == Ident {
                let name = self.bump_leaf(NodeKind::DeclName);
                if let Some(star) = star.filter(|_| self.kind() != LBracket) {
                    // What was meant is an array, and the body uses it as one.
                    self.leaf(NodeKind::EmptyDim, star);
                }
                if self.kind() == LBracket && self.peek(1) == RBracket {
                    self.bump_leaf(NodeKind::EmptyDim);
                    self.bump();
                }
                while self.kind() == LBracket {
                    self.dimension();
                }
                self.node(NodeKind::Param, name, start);
                return;
            }
            if self.standard == Standard::Dialect && matches!(self.kind(), Comma | RParen | LBracket) {
                return self.unnamed(start);
            }
            self.error_expected("the name of the parameter");
        }
        let token = self.token();
        self.skip_parameter();
        if let Some(name) = self.declared_last(token) {
            self.leaf(NodeKind::DeclName, name);
        }
        self.node(NodeKind::Error, token, start);
        self.quiet &= self.kind() != Comma;
    }

    /// A parameter without a name, which only prototypes have.
    #[cold]
    fn unnamed(&mut self, start: u32) {
        let token = self.token();
        self.unnamed.get_or_insert(token);
        self.leaf(NodeKind::DeclName, token);
        if self.kind() == TokenKind::LBracket && self.peek(1) == TokenKind::RBracket {
            self.bump_leaf(NodeKind::EmptyDim);
            self.bump();
        }
        while self.kind() == TokenKind::LBracket {
            self.dimension();
        }
        self.node(NodeKind::Param, token, start);
    }

    /// The name that was probably declared by the tokens from `first` on that were skipped: the last before a
    /// bracket, a `=` or the end.
    fn declared_last(&self, first: Token) -> Option<Token> {
        use TokenKind::*;
        let skipped = &self.kinds[first.index()..self.at];
        let end = skipped.iter().position(|kind| matches!(kind, Assign | LBracket)).unwrap_or(skipped.len());
        let name = skipped[..end].iter().rposition(|&kind| kind == Ident)?;
        Some(Token::new(first.index() + name))
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
    pub(super) fn declaration(&mut self, start: u32) {
        use TokenKind::*;
        let token = self.token();
        self.leaf(NodeKind::DeclStart, token);
        if self.kind() == Const {
            self.bump();
        }
        match self.kind() {
            Int | Float => {
                self.bump_leaf(NodeKind::Type);
            }
            Void => {
                self.error_here("a variable cannot be void");
                self.bump_leaf(NodeKind::Type);
            }
            Ident if self.at_tensor() => self.tensor_type(),
            _ => {
                self.error_expected("'int' or 'float'");
                self.leaf(NodeKind::Type, token);
            }
        }
        if self.kind() == Const {
            self.error_late_const();
            self.bump();
        }
        let base = self.previous_kind();
        loop {
            self.declarator();
            let goes_on = matches!(self.peek(1), Assign | Comma | Semicolon | LBracket);
            if self.kind() == Ident && goes_on && !self.quiet && !self.at_new_line() {
                self.error_no_comma();
                continue;
            }
            if self.kind() != Comma {
                break;
            }
            self.bump();
            self.quiet &= self.kind() != Ident;
            let calls = self.kind() == Ident && self.peek(1) == LParen && self.at_new_line();
            if calls || self.kind() == Semicolon && !self.quiet {
                self.error_comma_ends();
                if calls {
                    self.quiet = false;
                    return self.node(NodeKind::Decl, token, start);
                }
                break;
            }
            if matches!(self.kind(), Int | Float)
                && self.peek(1) == Ident
                && self.peek(2) != LParen
                && !self.quiet
            {
                self.error_second_type(base);
                self.bump();
            }
        }
        self.semicolon();
        self.node(NodeKind::Decl, token, start);
    }

    /// The kind of the token before the next.
    fn previous_kind(&self) -> TokenKind {
        self.at.checked_sub(1).map_or(TokenKind::End, |k| self.kinds[k])
    }

    /// One declared name with its dimensions and initialiser.
    fn declarator(&mut self) {
        use TokenKind::*;
        let start = self.row();
        if self.kind() != Ident {
            self.error_no_declared_name();
            let token = self.token();
            if self.at_statement_word()
                && matches!(self.peek(1), Assign | LBracket | Comma | Semicolon | LParen)
            {
                self.bump();
            }
            if self.kind() == LParen {
                self.skip_parentheses();
            }
            while !matches!(self.kind(), Comma | Semicolon | LBrace | RBrace | End)
                && !self.at_statement_word()
            {
                self.bump();
            }
            if let Some(name) = self.declared_last(token) {
                self.leaf(NodeKind::DeclName, name);
            }
            self.node(NodeKind::Error, token, start);
            return;
        }
        let name = self.bump_leaf(NodeKind::DeclName);
        while self.kind() == LBracket {
            self.dimension();
        }
        if self.kind() == RBracket {
            self.error_unmatched();
            self.bump();
        }
        self.node(NodeKind::Declarator, name, start);
        if matches!(self.kind(), Assign | EqEq) {
            if self.kind() == EqEq {
                self.error_compared();
            }
            self.bump_leaf(NodeKind::InitStart);
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
                let open = self.bump_leaf(NodeKind::InitListStart);
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
}

#[cfg(test)]
mod tests;
