//! What is selected as a selection grows: the word, then each expression, statement, block and function around it, then
//! the text. The rows of the tree that have the place in them; a bracket is taken with its other one. O(tokens) a place.

use super::documents::Document;
use super::positions::{Columns, Place};
use super::{Answer, Refused};
use crate::base::{Column, Handle, Interner};
use crate::driver::session::Session;
use crate::source::{Diagnostics, Span};
use crate::syntax::token::{Token, TokenKind, Tokens};
use crate::syntax::tree::{Node, NodeKind, Tree};
use crate::syntax::{lex, parser};
use serde_json::{Value, json};

/// Places that are answered, at most.
const MOST: usize = 1000;
/// Ranges around a place, at most: readers of JSON refuse what is much deeper.
const DEEPEST: usize = 60;

pub(super) fn ranges(session: &Session, document: &mut Document, params: &Value) -> Answer {
    let (file, units) = (&document.file, document.units);
    let places = params["positions"].as_array().ok_or_else(Refused::params)?;
    let diags = &mut Diagnostics::default();
    let tokens = lex(file, &mut Interner::default(), diags);
    let tree = parser::parse_as(session.options.standard, file, &tokens, diags);
    let whole = Span::new(0, file.text.len());
    let spans = spans(&tokens, &tree, |token| tokens.span(&file.text, token));
    let mut answers = Vec::new();
    for place in places.iter().take(MOST) {
        let offset = Place::of(place).ok_or_else(Refused::params)?.offset(file, units);
        let holds = |span: &Span| span.start <= offset && offset <= span.end;
        let behind = tokens.start.as_slice().partition_point(|&start| start <= offset);
        let word = behind.checked_sub(1).map(|k| tokens.span(&file.text, Token::new(k)));
        let mut around: Vec<Span> = spans.iter().copied().chain(word).filter(holds).collect();
        around.push(whole);
        around.sort_by_key(|span| (span.end - span.start, span.start));
        around.dedup();
        // Each has those before it inside; what only touches the place has not.
        let mut nested: Vec<Span> = Vec::new();
        for span in around {
            if nested.last().is_none_or(|last| span.start <= last.start && last.end <= span.end) {
                nested.push(span);
            }
        }
        let kept = nested.len().min(DEEPEST);
        let mut columns = Columns::new(file, units);
        let mut answer = Value::Null;
        for span in nested[..kept - 1].iter().chain([&whole]).rev() {
            let range = columns.range(*span);
            answer = match answer {
                Value::Null => json!({ "range": range }),
                parent => json!({ "range": range, "parent": parent }),
            };
        }
        answers.push(answer);
    }
    Ok(Value::Array(answers))
}

/// The text of each row, from its first token to its last.
fn spans(tokens: &Tokens, tree: &Tree, span: impl Fn(Token) -> Span) -> Vec<Span> {
    use NodeKind::*;
    let close = brackets(tokens);
    let kind = |token: Token| tokens.kind.get(token).copied().unwrap_or(TokenKind::End);
    let behind = |token: Token, by: usize| Token::new((token.index() + by).min(tokens.kind.len() - 1));
    let mut rows: Column<Node, (Token, Token)> = Column::with_capacity(tree.len());
    let mut spans = Vec::new();
    for n in (0..tree.len()).map(Node::new) {
        let token = tree.token[n];
        let (mut first, mut last) = (token, token);
        for child in tree.children_rev(n) {
            (first, last) = (first.min(rows[child].0), last.max(rows[child].1));
        }
        last = match tree.kind[n] {
            Paren | Index | Dim | EmptyDim | InitList | IfCond | WhileCond | DoCond => last.max(close[token]),
            Call => last.max(close[behind(token, 1)]),
            FuncSignature => last.max(close[behind(last, 1)]).max(close[behind(token, 1)]),
            _ => last,
        };
        if matches!(tree.kind[n], Assign | Decl | FuncDecl | Return | Break | Continue | ExprStmt | Do)
            && kind(behind(last, 1)) == TokenKind::Semicolon
        {
            last = behind(last, 1);
        }
        rows.push((first, last));
        spans.push(span(first).to(span(last)));
        // What is in a block without its braces, and in a list.
        if matches!(tree.kind[n], Block | InitList) && last.index() > first.index() + 1 {
            spans.push(span(behind(first, 1)).to(span(Token::new(last.index() - 1))));
        }
    }
    spans
}

/// Per bracket its closing one; other tokens are their own.
fn brackets(tokens: &Tokens) -> Column<Token, Token> {
    use TokenKind::*;
    let mut close = Column::with_capacity(tokens.kind.len());
    let mut open: Vec<Token> = Vec::new();
    for (token, kind) in tokens.kind.iter() {
        close.push(token);
        match kind {
            LParen | LBracket | LBrace => open.push(token),
            RParen | RBracket | RBrace => {
                if let Some(opened) = open.pop() {
                    close[opened] = token;
                }
            }
            _ => {}
        }
    }
    close
}
