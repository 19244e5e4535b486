//! What the default language has beyond strict SysY: `for`, `do`, `+=`, `++`, as statements with C's meaning;
//! `extern`; and the tensors of 2026.
//!
//! `for` and `do` are names to the lexer, and stay names where they can be: a loop is what cannot be anything
//! else (`for (` with a `;` in the parentheses, `do {`), or what begins with a `do` that the program declares
//! nowhere. `tensor` is a word of a type in front of `int` and `float`, where no name can stand.
//!
//! A tree has its rows in the order in which things are done, so the step of a `for` stands behind the body:
//! the parser passes over its tokens, and reads them when the body is complete. `a += b` has a leaf `Old` that
//! is the target's value, and a `Binary`. O(tokens): the header of a `for` is looked through once.

use super::expressions::Context;
use super::parser::{Parser, State, Waits};
use super::token::{Token, TokenKind};
use super::tree::NodeKind;
use crate::base::Handle;
use memchr::memmem;

/// Which language is read.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Standard {
    /// SysY of 2022 and nothing else.
    Strict,
    /// SysY of 2026 and nothing else: with tensors.
    Tensors,
    /// With tensors, and what others write besides.
    #[default]
    Dialect,
}

/// What a statement begins with that is a name elsewhere.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Word {
    For,
    Do,
    Tensor,
}

/// The parts of a `for`.
pub(super) struct Header {
    /// The two `;`, if there are two.
    pub(super) semicolons: Option<[usize; 2]>,
    /// The `)`, or where it should be.
    pub(super) close: usize,
}

/// So many `;` are counted, so that a text full of headers that are not closed is read in linear time.
const MOST: usize = 8;

/// The header of a `for` whose `(` is at `open`.
pub(super) fn header(kinds: &[TokenKind], open: usize) -> Header {
    use TokenKind::*;
    let (mut depth, mut found, mut count) = (0usize, [0; 2], 0);
    let mut close = open;
    for (k, kind) in kinds.iter().enumerate().skip(open) {
        close = k;
        match kind {
            LParen | LBracket => depth += 1,
            RParen | RBracket => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            // None stands in inner parentheses: those are not closed.
            Semicolon => {
                if let Some(place) = found.get_mut(count) {
                    *place = k;
                }
                count += 1;
                depth = 1;
            }
            LBrace | RBrace | If | Else | While | Break | Continue | Return | End => break,
            // A type begins the first part, if any.
            Const | Int | Float | Void if k > open + 3 => break,
            _ => {}
        }
        if count > MOST {
            break;
        }
    }
    let is_closed = kinds.get(close) == Some(&RParen);
    Header { semicolons: (count == 2 && is_closed).then_some(found), close }
}

impl Parser<'_> {
    // ---- Tensors ------------------------------------------------------------------------------------------

    /// True if the next token, a name, is `tensor` with the type of its elements behind it.
    #[cold]
    pub(super) fn at_tensor(&self) -> bool {
        self.is_tensor(self.at)
    }

    /// True if the token at `at` is `tensor` with the type of its elements behind it.
    pub(super) fn is_tensor(&self, at: usize) -> bool {
        matches!(self.kinds.get(at + 1), Some(TokenKind::Int | TokenKind::Float))
            && self.kinds[at] == TokenKind::Ident
            && self.tokens.text(&self.file.text, Token::new(at)) == b"tensor"
    }

    /// Takes the two words of a tensor's type as a leaf.
    #[cold]
    pub(super) fn tensor_type(&mut self) {
        if self.standard == Standard::Strict {
            self.error_tensor();
        }
        self.bump_leaf(NodeKind::Type);
        self.bump();
    }

    /// `@` is next.
    #[cold]
    pub(super) fn check_product(&mut self) {
        if self.standard == Standard::Strict {
            self.error_product();
        }
    }

    // ---- Declarations of what is defined elsewhere ----------------------------------------------------------

    /// True if `extern` and a type are next.
    pub(super) fn at_extern(&self) -> bool {
        use TokenKind::*;
        self.standard == Standard::Dialect
            && (matches!(self.peek(1), Const | Int | Float | Void) || self.is_tensor(self.at + 1))
            && self.tokens.text(&self.file.text, self.token()) == b"extern"
    }

    /// `extern`, and the declaration or prototype behind it.
    pub(super) fn external(&mut self) {
        let start = self.row();
        self.bump_leaf(NodeKind::ExternStart);
        let words = usize::from(self.at_tensor()) + 1;
        if self.peek(words) == TokenKind::Ident && self.peek(words + 1) == TokenKind::LParen {
            self.function(start);
        } else {
            self.declaration(start);
        }
    }

    // ---- Loops --------------------------------------------------------------------------------------------

    /// True if a statement that begins with a name may begin with a word of a loop: it is no assignment.
    #[inline(always)]
    pub(super) fn may_be_word(&self) -> bool {
        !matches!(self.peek(1), TokenKind::Assign | TokenKind::LBracket)
    }

    /// The loop or declaration that the next token, a name, begins.
    #[inline(never)]
    pub(super) fn loop_word(&mut self) -> Option<Word> {
        let start = self.tokens.start[self.token()] as usize;
        let text = self.file.text.get(start..)?;
        let is =
            |word: &[u8]| text.starts_with(word) && !text.get(word.len()).is_some_and(|&b| is_in_name(b));
        if matches!(self.peek(1), TokenKind::Int | TokenKind::Float) && is(b"tensor") {
            Some(Word::Tensor)
        } else if self.standard != Standard::Dialect {
            None
        } else if is(b"for") {
            self.begins_for().then_some(Word::For)
        } else if is(b"do") {
            self.begins_do().then_some(Word::Do)
        } else {
            None
        }
    }

    #[cold]
    fn begins_for(&self) -> bool {
        use TokenKind::*;
        match self.peek(1) {
            LParen => {
                let typed = matches!(self.peek(2), Const | Int | Float | Void) || self.is_tensor(self.at + 2);
                typed || {
                    let end = header(self.kinds, self.at + 1).close;
                    self.kinds[self.at..end].contains(&Semicolon)
                }
            }
            // A parenthesis is missing.
            Ident | Int | LBrace => true,
            _ => false,
        }
    }

    #[cold]
    fn begins_do(&mut self) -> bool {
        use TokenKind::*;
        match self.peek(1) {
            LBrace | Ident | IntLiteral | FloatLiteral | If | While | Break | Continue | Return | Const
            | Int | Float | Void => true,
            Semicolon if self.peek(2) != While => false,
            Semicolon | LParen | Plus | Minus | Not => !self.declares_do(),
            _ => false,
        }
    }

    /// True if `do` stands behind a type or a comma somewhere in the file. The first look is O(bytes).
    fn declares_do(&mut self) -> bool {
        let text = &self.file.text;
        *self.declares_do.get_or_insert_with(|| {
            memmem::find_iter(text, b"do").any(|at| {
                let before = text[..at].trim_ascii_end();
                let adjoins = before.len() == at;
                let whole = !text.get(at + 2).is_some_and(|&b| is_in_name(b));
                let typed = [&b"int"[..], b"float", b"void"].iter().any(|word| before.ends_with(word));
                whole && (before.ends_with(b",") || typed && !adjoins)
            })
        })
    }

    /// The head of a `for`, and the states for its body and its scope.
    pub(super) fn for_head(&mut self) {
        use TokenKind::*;
        let start = self.row();
        let token = self.bump_leaf(NodeKind::BlockStart);
        let opened = self.kind() == LParen;
        let Header { semicolons, close } = match opened {
            true => header(self.kinds, self.at),
            false => Header { semicolons: None, close: self.at },
        };
        let Some([first, second]) = semicolons else {
            let close = if opened && self.kinds[close] != RParen { self.line_end() } else { close };
            self.error_for_header(token, close);
            return self.broken_for(start, token, close);
        };
        self.bump();
        self.begin = self.at;
        if matches!(self.kind(), Const | Int | Float | Void) || self.at_tensor() {
            self.declaration(self.row());
        } else if self.at != first {
            self.effects();
        }
        self.go_to(first, "','");
        let begin = self.row();
        self.leaf(NodeKind::ForStart, Token::new(first));
        let condition = self.row();
        self.at = first + 1;
        self.begin = self.at;
        if self.at == second {
            self.leaf(NodeKind::One, Token::new(second));
        } else {
            self.expression(Context::Condition);
        }
        self.go_to(second, "';'");
        self.node(NodeKind::WhileCond, Token::new(first), condition);
        self.at = close + 1;
        self.states.push(State { waits: Waits::ForScope, token, start });
        self.states.push(State { waits: Waits::ForStep, token: Token::new(second + 1), start: begin });
    }

    /// The first token on another line than the next.
    fn line_end(&mut self) -> usize {
        let from = self.at;
        self.bump();
        while !self.at_new_line() && !matches!(self.kind(), TokenKind::LBrace | TokenKind::End) {
            self.bump();
        }
        std::mem::replace(&mut self.at, from)
    }

    /// Goes to where a part of a header ends; if more was there than could be read, it is reported.
    fn go_to(&mut self, place: usize, expected: &str) {
        if self.at < place {
            self.error_expected(&format!("{expected} or ';'"));
        }
        self.at = place;
        self.quiet = false;
    }

    /// A `for` whose header was reported: what it declares is known, and the body is read.
    #[cold]
    fn broken_for(&mut self, start: u32, token: Token, close: usize) {
        use TokenKind::*;
        let from = self.at;
        self.at = close.max(from);
        self.at += usize::from(self.kind() == RParen);
        if self.at == from {
            // There is no parenthesis: the header is what stands on the line.
            while !matches!(self.kind(), LBrace | RBrace | End) && !self.at_new_line() {
                self.bump();
            }
        }
        for name in (from + 1..self.at).filter(|&k| self.kinds[k] == Ident) {
            if matches!(self.kinds[name - 1], Int | Float) {
                let begin = self.row();
                self.leaf(NodeKind::DeclName, Token::new(name));
                self.node(NodeKind::Error, Token::new(name), begin);
            }
        }
        let begin = self.row();
        self.leaf(NodeKind::ForStart, token);
        let condition = self.row();
        self.leaf(NodeKind::Error, token);
        self.node(NodeKind::WhileCond, token, condition);
        self.quiet = false;
        let last = Token::new(self.kinds.len() - 1);
        self.states.push(State { waits: Waits::ForScope, token, start });
        self.states.push(State { waits: Waits::ForStep, token: last, start: begin });
    }

    /// The body of a `for` is complete: its step follows.
    #[cold]
    #[inline(never)]
    pub(super) fn for_step(&mut self, State { token: step, start, .. }: State) {
        let resume = std::mem::replace(&mut self.at, step.index());
        let (begin, quiet) = (self.begin, self.quiet);
        (self.begin, self.quiet) = (self.at, false);
        self.leaf(NodeKind::StepStart, step);
        if !matches!(self.kind(), TokenKind::RParen | TokenKind::End) {
            self.effects();
            if self.kind() != TokenKind::RParen {
                self.error_expected("',' or ')'");
            }
        }
        (self.at, self.begin, self.quiet) = (resume, begin, quiet);
        self.node(NodeKind::For, step, start);
    }

    /// `do`, and the state for its body.
    pub(super) fn do_head(&mut self) {
        let start = self.row();
        let token = self.bump_leaf(NodeKind::DoStart);
        self.states.push(State { waits: Waits::DoBody, token, start });
    }

    /// The body of a `do` is complete: the condition follows.
    #[cold]
    #[inline(never)]
    pub(super) fn do_end(&mut self, State { token, start, .. }: State) {
        let word = self.token();
        self.leaf(NodeKind::StepStart, word);
        let begin = self.row();
        self.begin = self.at;
        if self.kind() == TokenKind::While {
            self.bump();
            let open = self.token();
            if self.kind() == TokenKind::LParen {
                self.bump();
                self.expression(Context::Condition);
                self.close(TokenKind::RParen, open);
            } else {
                self.error_no_condition(word);
                self.expression(Context::Condition);
            }
            self.node(NodeKind::DoCond, open, begin);
            self.semicolon();
        } else {
            self.error_no_while(token);
            self.leaf(NodeKind::Error, word);
            self.node(NodeKind::DoCond, word, begin);
        }
        self.node(NodeKind::Do, token, start);
    }

    // ---- Assignments and expressions without `;` ------------------------------------------------------------

    /// Statements with commas between them, in the header of a `for`.
    fn effects(&mut self) {
        loop {
            self.begin = self.at;
            let start = self.row();
            if self.is_increment() {
                self.increment(start);
            } else {
                self.expression(Context::Statement);
                match self.kind() {
                    TokenKind::Assign => self.assignment(start),
                    _ if self.is_update() => self.update(start),
                    _ => {
                        let token = self.token();
                        self.node(NodeKind::ExprStmt, token, start);
                    }
                }
            }
            if self.kind() != TokenKind::Comma {
                return;
            }
            self.bump();
        }
    }

    /// True if `++` or `--` and a name are next.
    pub(super) fn is_increment(&self) -> bool {
        self.standard == Standard::Dialect
            && matches!(self.kind(), TokenKind::Plus | TokenKind::Minus)
            && self.peek(1) == self.kind()
            && self.peek(2) == TokenKind::Ident
            && self.tokens.start[Token::new(self.at + 1)] == self.tokens.start[self.token()] + 1
    }

    /// `++a` or `--a`, a statement. What is no variable behind it is an expression: its signs change nothing.
    #[cold]
    #[inline(never)]
    pub(super) fn increment(&mut self, start: u32) {
        let token = self.bump();
        let second = self.bump();
        self.expression(Context::Statement);
        let (last, size) = self.nodes.last().unwrap_or((NodeKind::Error, 0));
        if size == self.row() - start && matches!(last, NodeKind::Name | NodeKind::Index) {
            self.changed(token, start, Some(second));
        } else {
            self.node(NodeKind::ExprStmt, token, start);
        }
    }

    /// An operand must come, and the tokens before the next are `+=` without its `=`, or `++`: then the next is
    /// the operator, and the expression has ended before it.
    #[cold]
    #[inline(never)]
    pub(super) fn ends_in_update(&mut self) -> bool {
        if self.standard != Standard::Dialect {
            return false;
        }
        let at = self.at;
        let adjoins = |k: usize| {
            let (one, other) = (Token::new(k), Token::new(k + 1));
            self.tokens.start[one] + 1 == self.tokens.start[other]
        };
        let operator = match *self.ops.as_slice() {
            [op] if op.kind == NodeKind::Binary && self.kinds[at] == TokenKind::Assign => {
                let k = op.token.index();
                (k + 1 == at && is_arithmetic(self.kinds[k]) && adjoins(k)).then_some(k)
            }
            [op, sign] if op.kind == NodeKind::Binary && sign.kind == NodeKind::Unary => {
                let k = op.token.index();
                let twice = sign.token.index() == k + 1 && self.kinds[k] == self.kinds[k + 1];
                (twice && k + 2 == at && adjoins(k)).then_some(k)
            }
            _ => None,
        };
        if let Some(k) = operator {
            self.ops.clear();
            self.at = k;
        }
        operator.is_some()
    }

    /// True if an expression has ended before an operator that changes it.
    #[inline(always)]
    pub(super) fn is_update(&self) -> bool {
        is_arithmetic(self.kind())
    }

    /// `+= b` or `++` behind the target, whose rows begin at `start`.
    #[cold]
    #[inline(never)]
    pub(super) fn update(&mut self, start: u32) {
        self.check_target(start);
        let token = self.bump();
        let second = self.bump();
        let counts = self.kinds[second.index()] != TokenKind::Assign;
        self.changed(token, start, counts.then_some(second));
    }

    /// The rows of a change behind those of its target: by one, or by the expression that follows.
    fn changed(&mut self, operator: Token, start: u32, by_one: Option<Token>) {
        self.leaf(NodeKind::AssignStart, operator);
        let old = self.row();
        self.leaf(NodeKind::Old, operator);
        match by_one {
            Some(sign) => self.leaf(NodeKind::One, sign),
            None => self.expression(Context::Value),
        }
        self.node(NodeKind::Binary, operator, old);
        self.node(NodeKind::Assign, operator, start);
    }
}

fn is_arithmetic(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Plus | Minus | Star | Slash | Percent | At)
}

/// True of bytes that names go on with.
fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
