//! What every name of a document stands for, read from the checker's columns: the symbol of each `Name`,
//! `DeclName`, `CallStart` and `FuncStart`. Nothing is resolved a second time.
//!
//! The outline's rows are read first, then each function's, on any worker; a body's own symbols get numbers
//! behind the shared ones, in the order of functions. O(rows).

use super::documents::wanted;
use crate::base::Handle;
use crate::driver::session::Session;
use crate::sema::{Checked, Const, NO_PLACE, Sym, SymbolKind, TyView, ty};
use crate::source::{SourceFile, Span};
use crate::syntax::lexer;
use crate::syntax::token::{Token, TokenKind, Tokens};
use crate::syntax::tree::{Node, NodeKind, Tree};
use crate::sysy::start::{self, Scratch, Start, Texts};
use std::borrow::Cow;

/// A symbol.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) kind: SymbolKind,
    /// Its name in the text, where it is declared; nothing for the runtime library's.
    pub(super) declared: Option<Span>,
    /// The runtime library's name.
    pub(super) library_name: &'static str,
    /// Its type, or what a function returns, as it is written.
    pub(super) ty: Cow<'static, str>,
    /// Behind the name: the dimensions of an array.
    pub(super) dims: String,
    /// The value of a constant.
    pub(super) value: Option<Const>,
    /// Where it can be named.
    pub(super) scope: Span,
    /// Parameters of a function, which are the next entries.
    pub(super) params: u32,
    /// It is defined elsewhere: all that is here is a prototype, or `extern`.
    pub(super) is_declared: bool,
}

/// A name in the text.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) span: Span,
    /// What it stands for.
    pub(super) entry: u32,
    /// It is declared, or given a value, here.
    pub(super) declares: bool,
    pub(super) writes: bool,
}

/// What is known of a document.
#[derive(Default)]
pub(super) struct Index {
    /// Shared symbols, then those of bodies.
    pub(super) entries: Vec<Entry>,
    /// In the order of the text.
    pub(super) uses: Vec<Use>,
    /// Global variables, constants and functions, in the order of the text, and all of their definitions.
    pub(super) globals: Vec<(u32, Span)>,
    pub(super) tokens: Tokens,
}

/// What one tree gives.
#[derive(Default)]
struct Part {
    entries: Vec<Entry>,
    uses: Vec<Use>,
}

impl Index {
    /// Of a text.
    pub(super) fn new(session: &Session, file: &SourceFile) -> Index {
        let mut begun = start::whole(file, wanted(session), &mut Texts::default());
        let Some(start) = begun.start.take() else { return Index::default() };
        let mut index = Index::default();
        outline(&start, file, &mut index);
        let shared = index.entries.len() as u32;
        // A prototype stands for the definition, or for the first of its kind.
        let sema = &start.outline.sema;
        let mut same: Vec<u32> = (0..shared).collect();
        for (sym, other) in sema.declared.iter().zip(&sema.same) {
            if let Some(other) = other {
                same[sym.index()] = same[other.index()];
            }
        }
        index.uses.iter_mut().for_each(|u| u.entry = same[u.entry as usize]);
        let (start, base) = (&start, start.outline.sema.symbols.len());
        let read = |scratch: &mut Scratch, k: usize, _: &mut _| {
            let mut part = Part::default();
            start.look(k, scratch, |tokens, tree, checked| {
                body(file, (tokens, tree, checked), base, &mut part)
            });
            part
        };
        for part in session.workers.map(&mut begun.units, Scratch::default, read) {
            let first = index.entries.len() as u32;
            let renumber =
                |entry: u32| if entry < shared { same[entry as usize] } else { entry - shared + first };
            index.uses.extend(part.uses.iter().map(|&u| Use { entry: renumber(u.entry), ..u }));
            index.entries.extend(part.entries);
        }
        index.uses.sort_by_key(|u| (u.span.start, !u.declares));
        index.uses.dedup_by_key(|u| u.span);
        if let Some((tokens, _)) = start.text() {
            index.tokens = tokens.clone();
        }
        index
    }

    /// The name at an offset, or right before it.
    pub(super) fn use_at(&self, offset: u32) -> Option<&Use> {
        let behind = self.uses.partition_point(|u| u.span.start <= offset);
        let near = self.uses.get(behind.checked_sub(1)?)?;
        (offset <= near.span.end).then_some(near)
    }

    /// All names that stand for an entry. O(names).
    pub(super) fn uses_of(&self, entry: u32) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |u| u.entry == entry)
    }

    /// The global or function that is defined around an offset: its row of `globals`.
    pub(super) fn global_at(&self, offset: u32) -> Option<(u32, Span)> {
        let behind = self.globals.partition_point(|global| global.1.start <= offset);
        self.globals.get(behind.checked_sub(1)?).copied().filter(|global| offset <= global.1.end)
    }

    /// The parameters of a function of the program.
    pub(super) fn params(&self, entry: u32) -> &[Entry] {
        let first = entry as usize + 1;
        let count = self.entries.get(entry as usize).map_or(0, |row| row.params as usize);
        self.entries.get(first..first + count).unwrap_or_default()
    }

    /// The last token that begins at or before an offset.
    pub(super) fn token_before(&self, offset: u32) -> Option<usize> {
        self.tokens.start.as_slice().partition_point(|&start| start <= offset).checked_sub(1)
    }
}

/// An entry as it is declared: `const int n = 3`, `float a[][4]`, `int f(int a, float b[])`.
pub(super) fn declaration(index: &Index, entry: u32, file: &SourceFile) -> String {
    let Some(row) = index.entries.get(entry as usize) else { return String::new() };
    let mut text = String::new();
    if matches!(row.kind, SymbolKind::GlobalConst | SymbolKind::LocalConst) {
        text.push_str("const ");
    }
    text.push_str(&format!("{} {}{}", row.ty, name(row, file), row.dims));
    if row.kind == SymbolKind::Func {
        let params: Vec<String> = index
            .params(entry)
            .iter()
            .map(|param| format!("{} {}{}", param.ty, name(param, file), param.dims))
            .collect();
        text.push_str(&format!("({})", params.join(", ")));
    }
    match row.value {
        Some(Const::Int(value)) => text.push_str(&format!(" = {value}")),
        Some(Const::Float(value)) => text.push_str(&format!(" = {value:?}")),
        None => {}
    }
    text
}

/// The name of an entry.
pub(super) fn name<'a>(entry: &'a Entry, file: &'a SourceFile) -> &'a str {
    let Some(Span { start, end }) = entry.declared else { return entry.library_name };
    file.text
        .get(start as usize..end as usize)
        .and_then(|text| std::str::from_utf8(text).ok())
        .unwrap_or_default()
}

/// Symbols and names outside of bodies.
fn outline(start: &Start, file: &SourceFile, index: &mut Index) {
    let Some((tokens, tree)) = start.text() else { return };
    let sema = &start.outline.sema;
    let (checked, whole) = (sema.checked(), Span::new(0, file.text.len()));
    for k in 0..sema.symbols.len() {
        let mut row = entry(Sym::new(k), &checked, file);
        row.scope = Span { start: row.declared.map_or(0, |span| span.start), ..whole };
        index.entries.push(row);
    }
    // Parameters are named in their functions only.
    for function in &sema.functions {
        let (first, last) = (tree.first(function.def), tree.token[Node::new(function.def.index() - 1)]);
        let (sym, end) = (function.sym.index(), tokens.span(&file.text, last).end);
        let begin = tokens.start[tree.token[first]];
        for param in index.entries.iter_mut().skip(sym + 1).take(checked.params(function.sym)) {
            param.scope.end = end;
        }
        index.globals.push((sym as u32, Span { start: begin, end }));
    }
    for &sym in &sema.globals {
        if let Some(span) = index.entries[sym.index()].declared {
            index.globals.push((sym.index() as u32, span));
        }
    }
    index.globals.sort_by_key(|global| global.1.start);
    for n in (0..tree.len()).map(Node::new) {
        index.uses.extend(named(n, tokens, tree, &checked, file));
    }
}

/// Symbols and names of one body.
fn body(file: &SourceFile, (tokens, tree, checked): (&Tokens, &Tree, Checked), base: usize, part: &mut Part) {
    let text_end = file.text.len() as u32;
    let locals = checked.locals();
    part.entries.extend(locals.clone().map(|k| entry(Sym::new(k), &checked, file)));
    // The entries that were declared in each open block.
    let (mut open, mut declared): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    // The last token so far: the block that a `for` is has no `}`.
    let mut last = Token::new(0);
    for n in (0..tree.len()).map(Node::new) {
        last = last.max(tree.token[n]);
        match tree.kind[n] {
            NodeKind::BlockStart => open.push(declared.len()),
            NodeKind::Block => {
                let end = tokens.start.get(last).copied().unwrap_or(text_end);
                let first = open.pop().unwrap_or(0);
                for k in declared.drain(first.min(declared.len())..) {
                    part.entries[k].scope.end = end;
                }
            }
            _ => {}
        }
        if let Some(mut named) = named(n, tokens, tree, &checked, file) {
            if let Some(k) = (named.entry as usize).checked_sub(base)
                && named.declares
                && k < part.entries.len()
            {
                declared.push(k);
            }
            named.writes |= named.declares;
            part.uses.push(named);
        }
    }
}

/// The name that a row is, if it stands for something.
fn named(n: Node, tokens: &Tokens, tree: &Tree, checked: &Checked, file: &SourceFile) -> Option<Use> {
    let declares = match tree.kind[n] {
        NodeKind::Name | NodeKind::CallStart => false,
        NodeKind::DeclName | NodeKind::FuncStart => true,
        _ => return None,
    };
    let (token, sym) = (tree.token[n], checked.symbol(n)?);
    if checked.row(sym).kind == SymbolKind::Error || tokens.kind[token] != TokenKind::Ident {
        return None;
    }
    let start = tokens.start[token] as usize;
    // A token that was put there by `mend` may have no text.
    let begins = file.text.get(start).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let span = begins.then(|| Span::new(start, lexer::token_end(&file.text, TokenKind::Ident, start)))?;
    let next = tree.kind.get(Node::new(n.index() + 1));
    let writes = next == Some(&NodeKind::AssignStart);
    Some(Use { span, entry: sym.index() as u32, declares, writes })
}

fn entry(sym: Sym, checked: &Checked, file: &SourceFile) -> Entry {
    let symbol = checked.row(sym);
    let (ty, dims) = match symbol.ty.view() {
        TyView::Error => (Cow::Borrowed("?"), String::new()),
        TyView::Void => (Cow::Borrowed("void"), String::new()),
        TyView::Text => (Cow::Borrowed("char[]"), String::new()),
        TyView::Scalar(scalar) => (Cow::Borrowed(scalar.name()), String::new()),
        TyView::Array(..) => {
            let text = ty::type_name(symbol.ty, |dim| checked.dim(dim));
            let at = text.find('[').filter(|_| !symbol.is_function()).unwrap_or(text.len());
            let dims = text[at..].to_string();
            let element = text.get(..at).unwrap_or_default().to_string();
            (Cow::Owned(element), dims)
        }
    };
    let library = checked.shared.library.functions;
    let is_library = symbol.kind == SymbolKind::RuntimeFunc;
    let library_name = library.get(symbol.data as usize).filter(|_| is_library).map_or("", |row| row.name);
    let declared = if symbol.place == NO_PLACE { None } else { symbol.span(&file.text) };
    let begin = declared.map_or(0, |span| span.start);
    Entry {
        kind: symbol.kind,
        declared,
        library_name,
        ty,
        dims,
        value: symbol.constant(),
        scope: Span { start: begin, end: file.text.len() as u32 },
        params: if symbol.kind == SymbolKind::Func { checked.params(sym) as u32 } else { 0 },
        is_declared: symbol.declared,
    }
}

/// The tokens of a call that an offset is in: the name, and how many commas stand before the offset. Looks at
/// so many tokens.
pub(super) fn call_around(tokens: &Tokens, last: usize, offset: u32) -> Option<(Token, u32)> {
    const NEAR: usize = 1 << 12;
    let (mut depth, mut commas) = (0usize, 0);
    let kinds = tokens.kind.as_slice();
    for k in (0..=last).rev().take(NEAR) {
        if tokens.start[Token::new(k)] >= offset {
            continue;
        }
        match kinds[k] {
            TokenKind::RParen | TokenKind::RBracket => depth += 1,
            TokenKind::LParen if depth == 0 => {
                let name = k.checked_sub(1)?;
                return (kinds[name] == TokenKind::Ident).then(|| (Token::new(name), commas));
            }
            TokenKind::LParen | TokenKind::LBracket => depth = depth.checked_sub(1)?,
            TokenKind::Comma if depth == 0 => commas += 1,
            TokenKind::Semicolon | TokenKind::LBrace | TokenKind::RBrace => return None,
            _ => {}
        }
    }
    None
}
