//! The order of work: count, globals and signatures, bodies in batches, joining.

use super::checker::{Checker, Input, Owned, READ, Shared};
use super::init::Inits;
use super::runtime::Library;
use super::symbol::{NO_INIT, Sym, Symbol, SymbolKind};
use super::ty::{Class, DimRow, Scalar, Ty};
use super::warning::WarningSet;
use super::{Function, Sema, runtime};
use crate::base::parallel::Workers;
use crate::base::{Column, Handle, Interner, Name, Opt};
use crate::source::{Diagnostic, Diagnostics, SourceFile};
use crate::syntax::token::Tokens;
use crate::syntax::tree::{Node, NodeKind, Tree};
use std::sync::atomic::{AtomicU8, Ordering};

/// Batches of bodies per worker, so that an uneven program keeps all of them busy.
const BATCHES_PER_WORKER: usize = 8;

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

/// Checks a program whose names were interned into what `interner` made. Errors and the warnings in `warnings` go to `diags`; the result is the same for any `workers`.
/// Top-level items with a syntax error in them are skipped, and uses of their names are silent.
pub fn check(
    file: &SourceFile,
    names: Interner,
    tokens: &Tokens,
    tree: &Tree,
    workers: &Workers,
    warnings: &WarningSet,
    diags: &mut Diagnostics,
) -> Sema {
    check_with(&runtime::SYSY, file, names, tokens, tree, workers, warnings, diags)
}

/// The same with another library.
#[allow(clippy::too_many_arguments)]
pub fn check_with(
    library: &'static Library,
    file: &SourceFile,
    names: Interner,
    tokens: &Tokens,
    tree: &Tree,
    workers: &Workers,
    warnings: &WarningSet,
    diags: &mut Diagnostics,
) -> Sema {
    let mut sema = Sema {
        library,
        names,
        class: Column::filled(tree.len(), Class::None),
        data: Column::filled(tree.len(), 0),
        ..Sema::default()
    };
    let counts = count(tokens, tree, &mut sema);
    let locals: usize = counts.bodies.iter().map(|body| body.0).sum();
    let local_dims: usize = counts.bodies.iter().map(|body| body.1).sum();
    let symbol_count = counts.shared_symbols + locals;
    (sema.shared_symbols, sema.shared_dims) = (counts.shared_symbols, counts.shared_dims);
    sema.symbols = Column::filled(symbol_count, Symbol::error());
    sema.dims = Column::filled(counts.shared_dims + local_dims, DimRow { extent: 0, rank: 1, stride: 1 });
    let flags: Vec<AtomicU8> = (0..symbol_count).map(|_| AtomicU8::new(0)).collect();
    declare_runtime(&mut sema);

    let Sema { names, symbols, dims, inits, class, data, globals, functions, .. } = &mut sema;
    // What is missing from a broken program makes warnings about the rest of it worthless.
    let broken_text = diags.has_errors();
    let warnings = if broken_text { warnings.of_broken_program() } else { *warnings };
    let input = Input { file, tokens, tree, names, library, warnings, flags: &flags, broken: broken_text };
    let (shared_symbols, local_symbols) = symbols.as_mut_slice().split_at_mut(counts.shared_symbols);
    let (shared_dims, local_dims) = dims.as_mut_slice().split_at_mut(counts.shared_dims);

    // Globals and signatures.
    let own = Owned {
        class: class.as_mut_slice(),
        data: data.as_mut_slice(),
        symbols: shared_symbols,
        dims: shared_dims,
        node_base: 0,
        symbol_base: 0,
        dim_base: 0,
    };
    let shared = Shared { symbols: &[], dims: &[], inits: None, globals: &[] };
    let mut checker = Checker::new(input, shared, own);
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
    let bindings = scopes.into_globals();

    // Bodies.
    let shared =
        Shared { symbols: shared_symbols, dims: shared_dims, inits: Some(inits), globals: &bindings };
    let own = Owned {
        class: class.as_mut_slice(),
        data: data.as_mut_slice(),
        symbols: local_symbols,
        dims: local_dims,
        node_base: 0,
        symbol_base: counts.shared_symbols,
        dim_base: counts.shared_dims,
    };
    let mut batches = split(own, functions, &counts.bodies, workers.jobs());
    let results = workers.map(
        &mut batches,
        || (),
        |(), _, batch| {
            let Some(own) = batch.own.take() else { return (Inits::default(), Diagnostics::default(), 0..0) };
            let range = own.symbol_base..own.symbol_base + own.symbols.len();
            let mut checker = Checker::new(input, shared, own);
            for function in batch.functions.iter_mut() {
                checker.body(function);
            }
            (checker.inits, checker.diags, range)
        },
    );
    drop(batches);
    for (batch_inits, batch_diags, range) in results {
        let base = inits.append(batch_inits);
        diags.append(batch_diags);
        for symbol in
            &mut local_symbols[range.start - counts.shared_symbols..range.end - counts.shared_symbols]
        {
            if symbol.ty.is_array() && symbol.data != NO_INIT {
                symbol.data += base;
            }
        }
    }
    unused_functions(&input, symbols, functions, diags);
    sema.runtime_used =
        (1..=library.functions.len()).map(|k| flags[k].load(Ordering::Relaxed) & READ != 0).collect();
    sema
}

/// The names of a program that may call `library`, before it is lexed: those of the library have the numbers of
/// their symbols.
pub fn interner(library: &Library) -> Interner {
    let mut names = Interner::default();
    names.intern("");
    for row in library.functions {
        names.intern(row.name);
    }
    names
}

/// Puts all names into `data`, finds the items, and counts what each declares.
fn count(tokens: &Tokens, tree: &Tree, sema: &mut Sema) -> Counts {
    let mut roots: Vec<Node> = tree.roots_rev().collect();
    roots.reverse();
    let mut counts = Counts {
        items: Vec::with_capacity(roots.len()),
        shared_symbols: sema.library.functions.len() + 1,
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
                NodeKind::Name | NodeKind::CallStart => {}
                NodeKind::Dim | NodeKind::EmptyDim => {
                    here.1 += 1;
                    continue;
                }
                NodeKind::Error => {
                    broken = true;
                    continue;
                }
                _ => continue,
            }
            sema.data[n] = tokens.value[tree.token[n]];
            sema.class[n] = Class::Unresolved;
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
        let ty = match row.result {
            runtime::RuntimeResult::Void => Ty::VOID,
            runtime::RuntimeResult::Int => Ty::scalar(Scalar::Int),
            runtime::RuntimeResult::Float => Ty::scalar(Scalar::Float),
        };
        sema.symbols[Sym::new(k + 1)] = Symbol {
            name: Name::new(k + 1),
            node: Opt::NONE,
            ty,
            data: k as u32,
            kind: SymbolKind::RuntimeFunc,
            known: true,
        };
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

fn unused_functions(
    input: &Input<'_>,
    symbols: &Column<Sym, Symbol>,
    functions: &[Function],
    diags: &mut Diagnostics,
) {
    if !input.warnings.has(super::Warning::UnusedFunction) {
        return;
    }
    for symbol in functions.iter().map(|function| (function.sym, &symbols[function.sym])) {
        let (sym, &Symbol { name, node, .. }) = symbol;
        let text = input.names.text(name);
        let used = input.flags[sym.index()].load(Ordering::Relaxed) & READ != 0;
        if let (false, Some(node)) = (used || text == "main", node.get()) {
            let span = input.tokens.span(&input.file.text, input.tree.token[node]);
            let message = format!("function '{text}' is never called");
            diags.push(Diagnostic::warning("unused-function", span, message));
        }
    }
}

/// Consecutive functions and the slices that their bodies fill.
struct Batch<'a> {
    own: Option<Owned<'a>>,
    functions: &'a mut [Function],
}

/// Cuts the functions into batches of about equal numbers of rows.
fn split<'a>(
    mut own: Owned<'a>,
    mut functions: &'a mut [Function],
    bodies: &[(usize, usize)],
    jobs: usize,
) -> Vec<Batch<'a>> {
    let rows = own.class.len();
    let batch_count = if jobs == 1 { 1 } else { jobs * BATCHES_PER_WORKER };
    let aim = rows.div_ceil(batch_count).max(1);
    let mut batches = Vec::with_capacity(batch_count);
    let mut bodies = bodies.iter();
    while !functions.is_empty() {
        let start = functions[0].first.index();
        let taken = functions.partition_point(|function| function.def.index() < start + aim).max(1);
        let (mine, others) = functions.split_at_mut(taken);
        functions = others;
        let end = mine[taken - 1].def.index() + 1 - own.node_base;
        let (mut symbols, mut dims) = (0, 0);
        for body in bodies.by_ref().take(taken) {
            symbols += body.0;
            dims += body.1;
        }
        let (class, rest_class) = own.class.split_at_mut(end);
        let (data, rest_data) = own.data.split_at_mut(end);
        let (my_symbols, rest_symbols) = own.symbols.split_at_mut(symbols);
        let (my_dims, rest_dims) = own.dims.split_at_mut(dims);
        let Owned { node_base, symbol_base, dim_base, .. } = own;
        own = Owned {
            class: rest_class,
            data: rest_data,
            symbols: rest_symbols,
            dims: rest_dims,
            node_base: node_base + end,
            symbol_base: symbol_base + symbols,
            dim_base: dim_base + dims,
        };
        let mine_own =
            Owned { class, data, symbols: my_symbols, dims: my_dims, node_base, symbol_base, dim_base };
        batches.push(Batch { own: Some(mine_own), functions: mine });
    }
    batches
}
