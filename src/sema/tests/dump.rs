//! What checking found, as text: symbols with their values and initialisers, functions, and the classes of
//! expressions.
//!
//! ```text
//!   s16 global-const N: int = 5
//!   s17 global-var a: int[2][3] = {0: 1 2; 5: 9}
//!   s18 func f: int (2)
//!   s21 local-var b: int[4] = {0: n12, 2: n15}
//!   f: n4..n31, locals s21+1, falls off
//!   n7 Name int s19
//!   n8 IntLiteral int = 5
//! ```

use crate::base::Handle;
use crate::sema::symbol::{NO_INIT, Sym, SymbolKind};
use crate::sema::ty::{Class, Const, Dim, Scalar, Ty, type_name};
use crate::sema::{Function, Sema};
use crate::syntax::tree::Tree;
use std::fmt::Write;

fn kind_name(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Error => "error",
        SymbolKind::GlobalVar => "global-var",
        SymbolKind::GlobalConst => "global-const",
        SymbolKind::LocalVar => "local-var",
        SymbolKind::LocalConst => "local-const",
        SymbolKind::Param => "param",
        SymbolKind::Func => "func",
        SymbolKind::RuntimeFunc => "runtime-func",
    }
}

fn value(value: Const) -> String {
    match value {
        Const::Int(value) => value.to_string(),
        Const::Float(value) => format!("{value:?}"),
    }
}

fn type_text(sema: &Sema, ty: Ty) -> String {
    type_name(ty, |dim: Dim| sema.dims[dim])
}

/// The initialiser list of an array: `{offset: words; offset: words}` or `{offset: node, offset: node}`.
pub(super) fn initialiser(sema: &Sema, sym: Sym) -> String {
    let Some((inits, init)) = sema.checked().init(sym) else { return String::new() };
    let scalar = sema.symbols[sym].ty.element().unwrap_or(Scalar::Int);
    let runs = inits.image(init).map(|(offset, words)| {
        let words: Vec<_> = words.iter().map(|&word| value(Const::from_bits(scalar, word))).collect();
        format!("{offset}: {}", words.join(" "))
    });
    let elements = inits.elements(init).iter().map(|element| match sema.checked().constant(element.node) {
        Some(constant) => format!("{}: {}", element.offset, value(constant)),
        None => format!("{}: {:?}", element.offset, element.node),
    });
    let separator = if sema.symbols[sym].kind == SymbolKind::LocalVar { ", " } else { "; " };
    format!("{{{}}}", runs.chain(elements).collect::<Vec<_>>().join(separator))
}

/// All symbols of the program, one a line; those of the runtime are left out.
pub(super) fn symbols(sema: &Sema) -> String {
    let mut out = String::new();
    for (sym, symbol) in sema.symbols.iter() {
        if sym.index() == 0 || symbol.kind == SymbolKind::RuntimeFunc {
            continue;
        }
        let name = sema.names.text(symbol.name);
        let _ = write!(out, "{sym:?} {} {name}: {}", kind_name(symbol.kind), type_text(sema, symbol.ty));
        let has_value =
            matches!(symbol.kind, SymbolKind::GlobalVar | SymbolKind::GlobalConst | SymbolKind::LocalConst);
        match symbol.ty.as_scalar() {
            _ if symbol.kind == SymbolKind::Func => {
                let _ = write!(out, " ({})", symbol.data);
            }
            Some(scalar) if has_value && symbol.known => {
                let _ = write!(out, " = {}", value(Const::from_bits(scalar, symbol.data)));
            }
            None if symbol.ty.is_array() && symbol.kind != SymbolKind::Param && symbol.data != NO_INIT => {
                let _ = write!(out, " = {}", initialiser(sema, sym));
            }
            _ => {}
        }
        out.push('\n');
    }
    out
}

fn function(sema: &Sema, function: &Function) -> String {
    let Function { sym, first, def, locals, local_count, falls_off, .. } = *function;
    let name = sema.names.text(sema.symbols[sym].name);
    let end = if falls_off { ", falls off" } else { "" };
    format!("{name}: {first:?}..{def:?}, locals {locals:?}+{local_count}{end}\n")
}

/// Everything: symbols, functions, and each row that has a class.
pub(super) fn dump(sema: &Sema, tree: &Tree) -> String {
    let mut out = symbols(sema);
    for row in &sema.functions {
        out.push_str(&function(sema, row));
    }
    for (n, &kind) in tree.kind.iter() {
        if matches!(sema.class[n], Class::None) {
            continue;
        }
        let _ = write!(out, "{n:?} {kind:?} {}", type_text(sema, sema.checked().ty(n)));
        if let Some(sym) = sema.checked().symbol(n) {
            let _ = write!(out, " {sym:?}");
        }
        if let Some(constant) = sema.checked().constant(n) {
            let _ = write!(out, " = {}", value(constant));
        }
        out.push('\n');
    }
    out
}
