//! The order of work: count, globals and signatures (`outline`), then each body by itself (`check_body`).

use super::checker::{Checker, Input, Owned, READ, Shared};
use super::init::Inits;
use super::runtime::Library;
use super::scope::{Binding, Scopes};
use super::symbol::{NO_PLACE, Sym, Symbol, SymbolKind};
use super::ty::{Class, DimRow};
use super::warning::{Warning, WarningSet};
use super::{Checked, Function, Sema};
use crate::base::{Column, Handle, Interner, Name};
use crate::source::{Diagnostic, Diagnostics, SourceFile};
use crate::syntax::parser::Declared;
use crate::syntax::token::Tokens;
use crate::syntax::tree::{Node, NodeKind, Tree};
use std::sync::atomic::{AtomicU8, Ordering};

/// A top-level item: its rows, and for a function its signature.
struct Item {
    first: Node,
    last: Node,
    signature: Option<Node>,
    /// True if there is a syntax error in it.
    broken: bool,
}

/// How many symbols and dimensions bodies declare, function by function.
struct Counts {
    items: Vec<Item>,
    shared_symbols: usize,
    shared_dims: usize,
    /// Per function: symbols and dimensions in its body.
    bodies: Vec<(usize, usize)>,
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
    /// There was an error of the lexer or the parser.
    broken: bool,
    /// Per function: symbols and dimensions in its body.
    bodies: Vec<(usize, usize)>,
}

/// Checks globals and signatures of a program whose names were interned into what `interner` made. Errors and
/// the warnings in `warnings` go to `diags`. Top-level items with a syntax error in them are skipped, and
/// uses of their names are silent.
#[inline(never)]
pub fn outline(
    library: &'static Library,
    file: &SourceFile,
    names: Interner,
    tokens: &Tokens,
    tree: &Tree,
    warnings: &WarningSet,
    diags: &mut Diagnostics,
) -> Outline {
    let mut sema = Sema {
        library,
        names,
        class: Column::filled(tree.len(), Class::None),
        data: Column::filled(tree.len(), 0),
        ..Sema::default()
    };
    let counts = count(tree, library);
    (sema.shared_symbols, sema.shared_dims) = (counts.shared_symbols, counts.shared_dims);
    sema.symbols = Column::filled(counts.shared_symbols, Symbol::error());
    sema.dims = Column::filled(counts.shared_dims, NO_DIM);
    let flags: Vec<AtomicU8> = (0..counts.shared_symbols).map(|_| AtomicU8::new(0)).collect();
    declare_runtime(&mut sema);

    let Sema { names, symbols, dims, inits, class, data, globals, functions, .. } = &mut sema;
    // What is missing from a broken program makes warnings about the rest of it worthless.
    let broken_text = diags.has_errors();
    let warnings = if broken_text { warnings.of_broken_program() } else { *warnings };
    let input = Input { file, tokens, tree, names, library, warnings, flags: &flags, broken: broken_text };
    let own = Owned {
        class: class.as_mut_slice(),
        data: data.as_mut_slice(),
        symbols: symbols.as_mut_slice(),
        dims: dims.as_mut_slice(),
        flags: &mut [],
        symbol_base: 0,
        dim_base: 0,
    };
    let shared = Shared { symbols: &[], dims: &[], inits: None };
    let mut scopes = Scopes::default();
    scopes.make_room(names.len(), &[]);
    let mut checker = Checker::new(input, shared, own, scopes, Inits::default());
    (checker.next_sym, checker.next_dim) = (library.functions.len() + 1, 1);
    let mut broken = false;
    for item in &counts.items {
        let first_sym = checker.next_sym;
        broken |= item.broken;
        match item.signature {
            _ if item.broken => checker.poison(item.first, item.last),
            Some(signature) => {
                checker.sweep(item.first, signature);
                let (sym, none) = (Sym::new(first_sym), Sym::new(0));
                let def = item.last;
                let function = Function {
                    sym,
                    first: item.first,
                    signature,
                    def,
                    locals: none,
                    local_count: 0,
                    falls_off: true,
                };
                functions.push(function);
            }
            None => {
                checker.sweep(item.first, item.last);
                globals.extend((first_sym..checker.next_sym).map(Sym::new));
            }
        }
    }
    if library.is_program && !broken && !broken_text {
        check_main(&mut checker, functions);
    }
    let Checker { inits: global_inits, diags: global_diags, scopes, .. } = checker;
    *inits = global_inits;
    diags.append(global_diags);
    let (bindings, bodies) = (scopes.into_globals(), counts.bodies);
    Outline { sema, bindings, flags, warnings, broken: broken_text, bodies }
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
}

/// Checks the body of function `k` of an outline, in a tree of its own; `names` are those of the outline and
/// more. A symbol that is the function's own has a number behind the shared ones'. What is known of the rows
/// is in `BodyTables::checked`.
#[inline(never)]
pub fn check_body(
    outline: &Outline,
    k: usize,
    (file, tokens, tree, declared): (&SourceFile, &Tokens, &Tree, Declared),
    names: &Interner,
    tables: &mut BodyTables,
    diags: &mut Diagnostics,
) -> Function {
    let &Outline { ref sema, ref bindings, ref flags, warnings, broken, .. } = outline;
    let BodyTables { class, data, symbols, dims, flags: own_flags, inits, scopes } = tables;
    class.reset(tree.len(), Class::None);
    // What they say is read only where a class says what it is.
    data.grow_to(tree.len(), 0);
    symbols.clear();
    symbols.resize(declared.names, Symbol::error());
    dims.clear();
    dims.resize(declared.dims, NO_DIM);
    own_flags.clear();
    own_flags.resize(declared.names, 0);
    inits.clear();
    scopes.make_room(names.len(), bindings);

    let input = Input { file, tokens, tree, names, library: sema.library, warnings, flags, broken };
    let (shared_symbols, shared_dims) = (sema.symbols.as_slice(), sema.dims.as_slice());
    let shared = Shared { symbols: shared_symbols, dims: shared_dims, inits: Some(&sema.inits) };
    let own = Owned {
        class: class.as_mut_slice(),
        data: data.as_mut_slice(),
        symbols,
        dims,
        flags: own_flags,
        symbol_base: sema.shared_symbols,
        dim_base: sema.shared_dims,
    };
    let mut checker = Checker::new(input, shared, own, std::mem::take(scopes), std::mem::take(inits));
    let (first, def) = (Node::new(0), Node::new(tree.len() - 1));
    let mut function = Function { first, signature: first, def, ..sema.functions[k] };
    checker.body(&mut function);
    if !checker.diags.is_empty() {
        diags.append(std::mem::take(&mut checker.diags));
    }
    (*scopes, *inits) = (checker.scopes, checker.inits);
    function
}

impl BodyTables {
    /// What is known of the rows of the body that was checked last.
    pub fn checked<'a>(&'a self, outline: &'a Outline) -> Checked<'a> {
        let BodyTables { class, data, symbols, dims, inits, .. } = self;
        let shared = &outline.sema;
        let (symbol_base, dim_base) = (shared.shared_symbols, shared.shared_dims);
        Checked { class, data, shared, symbols, dims, inits, symbol_base, dim_base }
    }
}

impl Outline {
    /// What function `k` declares in its body, where the whole tree has been counted.
    pub fn declared(&self, k: usize) -> Declared {
        let (names, dims) = self.bodies[k];
        Declared { names, dims }
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
            let used = flags[function.sym.index()].load(Ordering::Relaxed) & READ != 0;
            if let (false, Some(span)) = (used || text == "main", symbol.span(&file.text)) {
                let message = format!("function '{text}' is never called");
                diags.push(Warning::UnusedFunction.at(span, message));
            }
        }
    }
}

const NO_DIM: DimRow = DimRow { extent: 0, rank: 1, stride: 1 };

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

/// Finds the items, and counts what each declares.
fn count(tree: &Tree, library: &Library) -> Counts {
    let mut roots: Vec<Node> = tree.roots_rev().collect();
    roots.reverse();
    let mut counts = Counts {
        items: Vec::with_capacity(roots.len()),
        shared_symbols: library.functions.len() + 1,
        shared_dims: 1,
        bodies: Vec::new(),
    };
    for last in roots {
        let first = tree.first(last);
        let signature = signature_of(tree, last);
        let mut broken = signature.is_none() && tree.kind[last] == NodeKind::FuncDef;
        let mut outside = (0, 0);
        let mut inside = (0, 0);
        for n in (first.index()..=last.index()).map(Node::new) {
            let here =
                if signature.is_some_and(|signature| n > signature) { &mut inside } else { &mut outside };
            match tree.kind[n] {
                NodeKind::DeclName | NodeKind::FuncStart => here.0 += 1,
                NodeKind::Dim | NodeKind::EmptyDim => here.1 += 1,
                NodeKind::Error => broken = true,
                _ => {}
            }
        }
        if broken {
            outside.0 += std::mem::take(&mut inside).0;
        } else if signature.is_some() {
            counts.bodies.push(inside);
        }
        counts.shared_symbols += outside.0;
        counts.shared_dims += outside.1;
        counts.items.push(Item { first, last, signature, broken });
    }
    counts
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

/// Fills the rows of the runtime's functions; their names and symbols have the same numbers.
fn declare_runtime(sema: &mut Sema) {
    for (k, row) in sema.library.functions.iter().enumerate() {
        let (name, place, ty, data) = (Name::new(k + 1), NO_PLACE, row.result, k as u32);
        let kind = SymbolKind::RuntimeFunc;
        sema.symbols[Sym::new(k + 1)] = Symbol { name, place, ty, data, kind, known: true };
    }
}

fn check_main(checker: &mut Checker<'_>, functions: &[Function]) {
    if functions.iter().any(|function| checker.text(function.sym) == "main") {
        return;
    }
    let main = checker.input.names.find("main").and_then(|name| checker.look_up(name));
    let diagnostic = match main.and_then(|sym| checker.declared_at(sym)) {
        Some(span) => Diagnostic::error("missing-main", span, "'main' is not a function"),
        None => Diagnostic::error("missing-main", None, "the program has no function 'main'"),
    };
    checker.diags.push(diagnostic.help("add 'int main() { ... }'"));
}
