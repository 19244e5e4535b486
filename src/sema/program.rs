//! The order of work: count, globals and signatures (`outline`), then each body by itself (`check_body`).

use super::checker::{Checker, Input, Owned, READ, Shared};
use super::flow::Flow;
use super::init::Inits;
use super::runtime::{Library, RuntimeFunction};
use super::scope::{Binding, Scopes};
use super::symbol::{NO_PLACE, Sym, Symbol, SymbolKind};
use super::ty::{Class, DimRow};
use super::warning::{Warning, WarningSet};
use super::{Checked, Exports, Function, Sema};
use crate::base::spelling::edits;
use crate::base::{Column, Handle, Interner, Name};
use crate::source::{Diagnostic, Diagnostics, SourceFile};
use crate::syntax::token::Tokens;
use crate::syntax::tree::{Node, NodeKind, Tree};
use std::sync::atomic::{AtomicU8, Ordering};

/// A top-level item: its rows, and for a function its signature.
struct Item {
    first: Node,
    last: Node,
    signature: Option<Node>,
}

/// A program whose globals and signatures are known, and whose bodies are still to be checked, one by one.
pub struct Outline {
    /// What is known; of the functions, all but their bodies.
    pub sema: Sema,
    /// Per name: the global of that name.
    bindings: Vec<Binding>,
    /// Per shared symbol: its bits, see `checker`.
    flags: Vec<AtomicU8>,
    warnings: WarningSet,
    /// There may be other sources.
    part: bool,
    /// There was an error of the lexer or the parser.
    broken: bool,
    /// A body is checked for what it returns.
    pub(super) infers: bool,
}

/// What a source is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A program: it has `main`.
    Program,
    /// A program or a part of one.
    Part,
}

/// Checks globals and signatures of a source that is a program by itself; see `outline_as`.
pub fn outline(
    library: &'static Library,
    file: &SourceFile,
    names: Interner,
    tokens: &Tokens,
    tree: &Tree,
    warnings: &WarningSet,
    diags: &mut Diagnostics,
) -> Outline {
    outline_as(Role::Program, library, (file, tokens, tree), names, warnings, diags)
}

/// Checks globals and signatures of a source whose names were interned into what `interner` made. Errors and
/// the warnings in `warnings` go to `diags`. What has a syntax error in it is poisoned, and no more than that: an
/// expression fits everywhere, and uses of names that were to be declared are silent.
#[inline(never)]
pub fn outline_as(
    role: Role,
    library: &'static Library,
    (file, tokens, tree): (&SourceFile, &Tokens, &Tree),
    names: Interner,
    warnings: &WarningSet,
    diags: &mut Diagnostics,
) -> Outline {
    // What is missing from a broken program makes warnings about the rest of it worthless.
    let broken_text = diags.has_errors();
    let warnings = if broken_text { warnings.of_broken_program() } else { *warnings };
    let mut symbols = library_symbols(library);
    let (mut dims, mut flags) = (vec![NO_DIM], vec![0; symbols.len()]);
    let mut class = Column::filled(tree.len(), Class::None);
    let mut data = Column::filled(tree.len(), 0);
    let part = role == Role::Part;
    let input = Input {
        file,
        tokens,
        tree,
        names: &names,
        library,
        warnings,
        flags: &[],
        part,
        broken: broken_text,
        infers: false,
    };
    let own = Owned {
        class: class.as_mut_slice(),
        data: data.as_mut_slice(),
        symbols: &mut symbols,
        dims: &mut dims,
        flags: &mut flags,
        symbol_base: 0,
        dim_base: 0,
    };
    let shared = Shared { symbols: &[], dims: &[], inits: None };
    let mut scopes = Scopes::default();
    scopes.make_room(names.len(), &[]);
    let mut checker = Checker::new(input, shared, own, scopes, Inits::default());
    let (mut globals, mut functions, mut declared) = (Vec::new(), Vec::new(), Vec::new());
    for Item { first, last: def, signature } in items(tree) {
        checker.is_extern = false;
        let first_sym = checker.next_sym();
        match signature {
            None if matches!(tree.kind[def], NodeKind::FuncDef | NodeKind::Error) => {
                checker.poison(first, def);
            }
            None if tree.kind[def] == NodeKind::FuncDecl => {
                checker.is_prototype = true;
                checker.sweep(first, def);
                checker.is_prototype = false;
                declared.push(Sym::new(first_sym));
            }
            Some(signature) => {
                checker.sweep(first, signature);
                functions.push(Function { sym: Sym::new(first_sym), signature, def });
            }
            None => {
                checker.sweep(first, def);
                let list = if checker.is_extern { &mut declared } else { &mut globals };
                list.extend((first_sym..checker.next_sym()).map(Sym::new));
            }
        }
    }
    if library.is_program && !broken_text && role == Role::Program {
        check_main(&mut checker, &functions);
    }
    let same = std::mem::take(&mut checker.same);
    let Checker { inits, diags: own_diags, scopes, .. } = checker;
    diags.append(own_diags);
    let mut symbols: Column<Sym, Symbol> = symbols.into();
    let same = same_symbols(&mut symbols, same, &declared);
    let (dims, exports) = (dims.into(), Exports::Main);
    let sema = Sema {
        names,
        symbols,
        dims,
        inits,
        class,
        data,
        globals,
        functions,
        declared,
        same,
        exports,
        library,
    };
    let flags = flags.into_iter().map(AtomicU8::new).collect();
    let bindings = scopes.into_globals();
    Outline { sema, bindings, flags, warnings, part, broken: broken_text, infers: false }
}

/// The tables for one body of an outline after another.
#[derive(Default)]
pub struct BodyTables {
    class: Column<Node, Class>,
    data: Column<Node, u32>,
    symbols: Vec<Symbol>,
    dims: Vec<DimRow>,
    flags: Vec<u8>,
    inits: Inits,
    scopes: Scopes,
    flow: Option<Box<Flow>>,
}

/// Checks the body of function `k` of an outline, in a tree of its own; `names` are those of the outline and
/// more. A symbol that is the function's own has a number behind the shared ones'. What is known of the rows
/// is in `BodyTables::checked`.
#[inline(never)]
pub fn check_body(
    outline: &Outline,
    k: usize,
    (file, tokens, tree): (&SourceFile, &Tokens, &Tree),
    names: &Interner,
    tables: &mut BodyTables,
    diags: &mut Diagnostics,
) {
    let &Outline { ref sema, ref bindings, ref flags, warnings, part, broken, infers } = outline;
    let BodyTables { class, data, symbols, dims, flags: own_flags, inits, scopes, flow } = tables;
    class.reset(tree.len(), Class::None);
    // What they say is read only where a class says what it is.
    data.grow_to(tree.len(), 0);
    symbols.clear();
    dims.clear();
    own_flags.clear();
    inits.clear();
    scopes.make_room(names.len(), bindings);

    let library = sema.library;
    let input = Input { file, tokens, tree, names, library, warnings, flags, part, broken, infers };
    let (shared_symbols, shared_dims) = (sema.symbols.as_slice(), sema.dims.as_slice());
    let shared = Shared { symbols: shared_symbols, dims: shared_dims, inits: Some(&sema.inits) };
    let own = Owned {
        class: class.as_mut_slice(),
        data: data.as_mut_slice(),
        symbols,
        dims,
        flags: own_flags,
        symbol_base: sema.symbols.len(),
        dim_base: sema.dims.len(),
    };
    let mut checker = Checker::new(input, shared, own, std::mem::take(scopes), std::mem::take(inits));
    checker.flow = flow.take();
    checker.body(sema.functions[k].sym);
    if warnings.has(Warning::MisleadingIndentation) {
        checker.layout();
    }
    if !checker.diags.is_empty() {
        diags.append(std::mem::take(&mut checker.diags));
    }
    (*scopes, *inits, *flow) = (checker.scopes, checker.inits, checker.flow);
}

impl BodyTables {
    /// What is known of the rows of the body that was checked last.
    pub fn checked<'a>(&'a self, outline: &'a Outline) -> Checked<'a> {
        let BodyTables { class, data, symbols, dims, inits, .. } = self;
        let shared = &outline.sema;
        let (symbol_base, dim_base) = (shared.symbols.len(), shared.dims.len());
        Checked { class, data, shared, symbols, dims, inits, symbol_base, dim_base }
    }
}

impl Outline {
    /// Reports what a body calls, or a declaration names, and nothing defines: no other source of the program either.
    pub fn undefined(&self, file: &SourceFile, elsewhere: impl Fn(&str) -> bool, diags: &mut Diagnostics) {
        let Outline { sema, flags, .. } = self;
        for (&sym, _) in sema.declared.iter().zip(&sema.same).filter(|(_, same)| same.is_none()) {
            let symbol = &sema.symbols[sym];
            let used = flags[sym.index()].load(Ordering::Relaxed) & READ != 0;
            if let (true, Some(span)) = (used, symbol.span(&file.text)) {
                let text = sema.names.text(symbol.name);
                if elsewhere(text) {
                    continue;
                }
                let message = format!("nothing defines '{text}', which is declared here and used");
                let error = Diagnostic::error("undefined", span, message);
                diags.push(error.help("define it, or name the source that does, too: sysyc a.sy b.sy"));
            }
        }
    }

    /// Warns of the functions that no body has called.
    pub fn unused_functions(&self, file: &SourceFile, diags: &mut Diagnostics) {
        let Outline { sema, flags, warnings, .. } = self;
        if !warnings.has(Warning::UnusedFunction) {
            return;
        }
        for function in &sema.functions {
            let symbol = &sema.symbols[function.sym];
            let text = sema.names.text(symbol.name);
            let others = sema.declared.iter().zip(&sema.same);
            let called = |sym: Sym| flags[sym.index()].load(Ordering::Relaxed) & READ != 0;
            // A call of what is not declared may have been one of it.
            let used = called(function.sym)
                || called(Sym::new(0))
                || others.into_iter().any(|(&sym, same)| *same == Some(function.sym) && called(sym));
            let is_seen = sema.exports != Exports::Main || text == "main";
            if let (false, Some(span)) = (used || is_seen, symbol.span(&file.text)) {
                let message = format!("function '{text}' is never called");
                diags.push(Warning::UnusedFunction.at(span, message));
            }
        }
    }
}

const NO_DIM: DimRow = DimRow { extent: 0, rank: 1, stride: 1, is_tensor: false };

/// The names of a program that may call `library`, before it is lexed: those of the library have the numbers
/// of their symbols.
pub fn interner(library: &Library) -> Interner {
    let mut names = Interner::default();
    names.intern("");
    for row in library.functions {
        names.intern(row.name);
    }
    names
}

/// Per declaration what it stands for: the definition, or a declaration before it.
fn same_symbols(
    symbols: &mut Column<Sym, Symbol>,
    same: Vec<(Sym, Sym)>,
    declared: &[Sym],
) -> Vec<Option<Sym>> {
    let mut home: Column<Sym, Option<Sym>> = match declared {
        [] => return Vec::new(),
        _ => Column::filled(symbols.len(), None),
    };
    for &(new, first) in &same {
        let is_extern = symbols[new].is_extern || symbols[first].is_extern;
        (symbols[new].is_extern, symbols[first].is_extern) = (is_extern, is_extern);
        home[if symbols[new].declared { new } else { first }] =
            Some(if symbols[new].declared { first } else { new });
    }
    // A declaration before the one that the definition knows of leads to it.
    let through = |sym: Sym| match home[sym] {
        Some(first) if symbols[first].declared => home[first].or(Some(first)),
        other => other,
    };
    let found: Vec<Option<Sym>> = declared.iter().map(|&sym| through(sym)).collect();
    for (sym, to) in declared.iter().zip(&found) {
        if let Some(to) = *to {
            symbols[to].is_extern |= symbols[*sym].is_extern;
        }
    }
    found
}

/// The top-level items, in order.
fn items(tree: &Tree) -> Vec<Item> {
    let item = |last: Node| {
        let (first, signature) = (tree.first(last), signature_of(tree, last));
        Item { first, last, signature }
    };
    let mut items: Vec<Item> = tree.roots_rev().map(item).collect();
    items.reverse();
    items
}

/// The signature of a function definition whose parts are all there.
fn signature_of(tree: &Tree, def: Node) -> Option<Node> {
    if tree.kind[def] != NodeKind::FuncDef || tree.size[def] < 3 {
        return None;
    }
    let block = Node::new(def.index() - 1);
    let signature = Node::new(block.index().checked_sub(tree.size[block] as usize)?);
    (tree.kind[block] == NodeKind::Block && tree.kind[signature] == NodeKind::FuncSignature)
        .then_some(signature)
}

/// The symbols of a library's functions behind that of what had an error; names and symbols have the same
/// numbers.
fn library_symbols(library: &Library) -> Vec<Symbol> {
    let symbol = |(k, row): (usize, &RuntimeFunction)| {
        let (name, place, ty, data) = (Name::new(k + 1), NO_PLACE, row.result, k as u32);
        Symbol {
            name,
            place,
            ty,
            data,
            kind: SymbolKind::RuntimeFunc,
            known: true,
            declared: false,
            is_extern: false,
        }
    };
    std::iter::once(Symbol::error()).chain(library.functions.iter().enumerate().map(symbol)).collect()
}

fn check_main(checker: &mut Checker<'_>, functions: &[Function]) {
    if functions.iter().any(|function| checker.text(function.sym) == "main") {
        return;
    }
    let main = checker.input.names.find("main").and_then(|name| checker.look_up(name));
    let diagnostic = match main.and_then(|sym| checker.declared_at(sym)) {
        Some(span) => Diagnostic::error("missing-main", span, "'main' is not a function"),
        None => {
            // `mian`
            let near = |function: &&Function| {
                let name = checker.text(function.sym).to_ascii_lowercase();
                name == "main" || edits(name.as_bytes(), b"main", 1).is_some()
            };
            let meant = functions.iter().find(near).map(|function| function.sym);
            if let Some(sym) = meant {
                // It is not called, but that is not all.
                checker.flag(sym, READ);
            }
            let meant = meant.and_then(|sym| checker.declared_at(sym));
            let message = "the program has no function 'main'";
            let diagnostic = Diagnostic::error("missing-main", meant, message);
            if let Some(span) = meant {
                checker.diags.push(diagnostic.guess(span, "main"));
                return;
            }
            diagnostic
        }
    };
    checker.diags.push(diagnostic.help("add 'int main() { ... }'"));
}
