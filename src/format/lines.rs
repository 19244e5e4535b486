//! Which tokens begin a line, at which level, and what else stands before each. One walk over the tokens of a
//! program without syntax errors, with a stack of the statements that others are in.

use super::gaps::{self, Gaps};
use super::roles::Role;
use super::{MOST_LEVELS, STEP, WIDTH, next, width};
use crate::base::{Column, Handle};
use crate::syntax::token::{Token, TokenKind, Tokens};

/// What stands before a token.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    Blank,
    /// A line end.
    Line,
}

/// No line may end here.
pub(super) const NOWHERE: u32 = u32::MAX;

/// What is decided of each token.
pub(super) struct Lines {
    pub(super) before: Column<Token, Before>,
    /// Of the first of a line: columns before it. Of others: those of the statement they are in.
    pub(super) indent: Column<Token, u32>,
    /// How willingly a line ends before it, less is more willingly; `NOWHERE`.
    pub(super) weight: Column<Token, u32>,
    /// A line end that is written before it stays.
    pub(super) keeps: Column<Token, bool>,
    /// A brace of a block, or of an initialiser.
    pub(super) brace: Column<Token, Brace>,
}

/// What a brace is of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Brace {
    None,
    Block,
    List,
}

/// What a statement is in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Inside {
    Block,
    Then,
    Else,
    Loop,
    Do,
}

/// The walk.
struct Walk<'a> {
    text: &'a [u8],
    tokens: &'a Tokens,
    roles: &'a Column<Token, Role>,
    gaps: &'a Gaps,
    lines: Lines,
    /// What is open, with the level of what is in a block, and of the statement that has an arm.
    open: Vec<(Inside, u32)>,
    /// A statement or definition begins.
    begins: bool,
    /// The level of the statement.
    level: u32,
    /// Open brackets of the statement.
    depth: u32,
    /// ... and of initialisers.
    lists: u32,
    /// A condition is read, for this.
    head: Option<Inside>,
    /// The `while` of a `do` is next.
    is_tail: bool,
    /// What goes on with a statement is on a line of its own.
    is_apart: bool,
    /// The column behind the last token, if its line is not broken.
    column: u32,
}

pub(super) fn lines(text: &[u8], tokens: &Tokens, roles: &Column<Token, Role>, gaps: &Gaps) -> Lines {
    let rows = tokens.kind.len();
    let lines = Lines {
        before: Column::filled(rows, Before::Nothing),
        indent: Column::filled(rows, 0),
        weight: Column::filled(rows, NOWHERE),
        keeps: Column::filled(rows, false),
        brace: Column::filled(rows, Brace::None),
    };
    let open = vec![(Inside::Block, 0)];
    let mut walk = Walk {
        text,
        tokens,
        roles,
        gaps,
        lines,
        open,
        begins: true,
        level: 0,
        depth: 0,
        lists: 0,
        head: None,
        is_tail: false,
        is_apart: false,
        column: 0,
    };
    for token in tokens.kind.keys() {
        walk.token(token);
    }
    walk.lines
}

impl Walk<'_> {
    fn token(&mut self, token: Token) {
        use TokenKind::*;
        let kind = self.tokens.kind[token];
        if std::mem::take(&mut self.begins) {
            self.first(token);
        } else if std::mem::take(&mut self.is_apart) {
            self.lines.before[token] = Before::Line;
        } else {
            self.lines.before[token] = before(self.tokens, self.roles, token);
            self.inner(token);
        }
        self.lines.indent[token] = columns(self.level);
        self.step(token);
        match kind {
            If => self.head = Some(Inside::Then),
            // Behind the body of a `do`, a statement that ends with `;`.
            While if std::mem::take(&mut self.is_tail) => {}
            While => self.head = Some(Inside::Loop),
            Ident if self.roles[token] == Role::For => self.head = Some(Inside::Loop),
            Ident if self.roles[token] == Role::Do => self.opens(Inside::Do),
            Else => self.opens(Inside::Else),
            LParen | LBracket => self.depth += 1,
            RBracket => self.depth = self.depth.saturating_sub(1),
            RParen => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0
                    && let Some(inside) = self.head.take()
                {
                    self.opens(inside);
                }
            }
            LBrace if self.lists > 0 || self.kind_before(token) == Some(Assign) => {
                self.lines.brace[token] = Brace::List;
                (self.depth, self.lists) = (self.depth + 1, self.lists + 1);
            }
            LBrace => {
                self.lines.brace[token] = Brace::Block;
                self.open.push((Inside::Block, self.level + 1));
                self.begins = true;
            }
            RBrace if self.lists > 0 => {
                self.lines.brace[token] = Brace::List;
                self.depth = self.depth.saturating_sub(1);
                self.lists -= 1;
            }
            RBrace => {
                self.lines.brace[token] = Brace::Block;
                self.ends(token);
            }
            Semicolon if self.depth == 0 => self.ends(token),
            _ => {}
        }
    }

    /// The first token of a statement, definition or arm, or the brace that ends a block.
    fn first(&mut self, token: Token) {
        use TokenKind::*;
        let kind = self.tokens.kind[token];
        let (inside, level) = self.open.last().copied().unwrap_or((Inside::Block, 0));
        match (inside, kind) {
            (Inside::Block, RBrace) => {
                self.open.pop();
                self.level = level.saturating_sub(1);
                let is_empty =
                    self.kind_before(token) == Some(LBrace) && self.gaps.comments(token).is_empty();
                self.lines.before[token] = if is_empty { Before::Nothing } else { Before::Line };
            }
            (Inside::Block, _) => self.line(token, level),
            (_, LBrace) => {
                self.lines.before[token] = Before::Blank;
                self.level = level;
            }
            (Inside::Else, If) => {
                self.lines.before[token] = Before::Blank;
                self.open.pop();
                self.level = level;
            }
            _ if self.stays(token) => {
                self.lines.before[token] = if kind == Semicolon { Before::Nothing } else { Before::Blank };
            }
            _ => self.line(token, level + 1),
        }
    }

    fn line(&mut self, token: Token, level: u32) {
        self.lines.before[token] = Before::Line;
        self.level = level;
    }

    /// A token inside of a statement: whether a line may end before it.
    fn inner(&mut self, token: Token) {
        use TokenKind::*;
        self.lines.keeps[token] = self.tokens.kind[token] == RBrace;
        let Some(last) = token.index().checked_sub(1).map(Token::new) else { return };
        let kind = self.tokens.kind[last];
        let weight = match kind {
            Semicolon => 0,
            Comma => 1,
            _ if self.roles[last] != Role::Plain => return,
            OrOr => 2,
            AndAnd => 3,
            EqEq | NotEq => 4,
            Less | LessEq | Greater | GreaterEq => 5,
            Plus | Minus => 6,
            Star | Slash | Percent | At => 7,
            LBrace => {
                // Nothing is kept of the inside of `{}`.
                self.lines.keeps[token] = self.tokens.kind[token] != RBrace;
                return;
            }
            LParen => {
                let names = last.index().checked_sub(1).map(Token::new);
                self.lines.keeps[token] = self.tokens.kind[token] != RParen
                    && names.is_some_and(|name| {
                        self.tokens.kind[name] == Ident && self.roles[name] == Role::Plain
                    });
                return;
            }
            _ => return,
        };
        self.lines.keeps[token] = kind == Comma;
        self.lines.weight[token] = self.depth * 8 + weight;
    }

    /// Goes on behind a token, as if its line were not broken. Where it has to be, it is too long.
    fn step(&mut self, token: Token) {
        let gap = match self.lines.before[token] {
            Before::Line => {
                self.column = columns(self.level);
                let comments = &self.gaps.comments(token)[self.gaps.on_line(self.text, token)..];
                comments.iter().map(|comment| gaps::columns(self.text, comment) + 1).sum()
            }
            _ if self.lines.keeps[token] && self.gaps.has_line_end(self.text, token) => WIDTH,
            _ => self.gap(token, self.lines.before[token]),
        };
        let length = width(self.tokens.text(self.text, token));
        self.column = self.column.saturating_add(gap).saturating_add(length);
    }

    /// Columns between two tokens of a line.
    fn gap(&self, token: Token, before: Before) -> u32 {
        let comments = self.gaps.comments(token);
        let inside: u32 = comments.iter().map(|comment| gaps::columns(self.text, comment) + 1).sum();
        inside + u32::from(before == Before::Blank || !comments.is_empty())
    }

    /// True if a simple statement was written on the line of its `if`, `else` or loop, and fits there.
    fn stays(&self, token: Token) -> bool {
        use TokenKind::*;
        let is_simple = !matches!(self.tokens.kind[token], If | While | LBrace)
            && !matches!(self.roles[token], Role::For | Role::Do);
        if !is_simple || self.gaps.has_line_end(self.text, token) {
            return false;
        }
        let mut column = self.column + self.gap(token, Before::Blank);
        let mut at = token;
        loop {
            column = column.saturating_add(width(self.tokens.text(self.text, at)));
            if column > WIDTH {
                return false;
            }
            if matches!(self.tokens.kind[at], Semicolon | End) {
                return true;
            }
            let keeps = matches!(self.tokens.kind[at], Comma | LParen | LBrace);
            at = Token::new(at.index() + 1);
            let keeps = keeps || self.tokens.kind[at] == RBrace;
            column += match keeps && self.gaps.has_line_end(self.text, at) {
                true => WIDTH,
                false => self.gap(at, before(self.tokens, self.roles, at)),
            };
        }
    }

    /// The arm of an `if` or the body of a loop is next.
    fn opens(&mut self, inside: Inside) {
        self.open.push((inside, self.level));
        self.begins = true;
    }

    /// A statement ends with this token, and with it those that it is the last of.
    fn ends(&mut self, token: Token) {
        while let Some((inside, level)) = self.open.pop_if(|open| open.0 != Inside::Block) {
            self.is_tail = inside == Inside::Do;
            if self.is_tail || inside == Inside::Then && next(self.tokens, token) == TokenKind::Else {
                let behind = Token::new(token.index() + 1);
                // `do a++; while (b);` may stay on a line.
                let stays = self.is_tail && self.level == level && !self.gaps.has_line_end(self.text, behind);
                self.is_apart = self.tokens.kind[token] != TokenKind::RBrace && !stays;
                self.level = level;
                return;
            }
        }
        self.begins = true;
    }

    fn kind_before(&self, token: Token) -> Option<TokenKind> {
        Some(self.tokens.kind[Token::new(token.index().checked_sub(1)?)])
    }
}

/// Columns before a line of a level.
fn columns(level: u32) -> u32 {
    level.min(MOST_LEVELS) * STEP
}

/// What stands before a token inside of a statement.
fn before(tokens: &Tokens, roles: &Column<Token, Role>, token: Token) -> Before {
    use TokenKind::*;
    let Some(last) = token.index().checked_sub(1).map(Token::new) else { return Before::Nothing };
    let (one, other) = (tokens.kind[last], tokens.kind[token]);
    let is_close = match (roles[last], roles[token]) {
        // Not `--a` for `- -a`, which is another statement.
        (Role::Unary, Role::Unary) => one != other,
        (Role::Unary | Role::Prefix | Role::Postfix | Role::Compound, _) | (_, Role::Postfix) => true,
        (Role::Second, _) => one != Assign,
        (Role::For, _) => false,
        _ => match (one, other) {
            (_, Comma | Semicolon | RParen | RBracket | LBracket) | (LParen | LBracket, _) => true,
            (Ident, LParen) => true,
            // Blocks are not inside of statements but behind a head.
            (RParen | Else, LBrace) => false,
            (LBrace, _) | (_, RBrace) => true,
            _ => false,
        },
    };
    if is_close { Before::Nothing } else { Before::Blank }
}
