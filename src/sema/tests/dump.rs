//! What checking found, as text: symbols with their values and initialisers, functions, and the classes of
//! expressions.
//!
//! ```text
//!   s16 global-const N: int = 5
//!   s17 global-var a: int[2][3] = {0: 1 2; 5: 9}
//!   s18 func f: int (2)
//!   s21 local-var b: int[4] = {0: n12, 2: n15}
//!   f: 28 rows, locals 21..22
//!   n7 Name int s19
//!   n8 IntLiteral int = 5
//! ```

use super::Program;
use crate::base::Handle;
use crate::sema::Checked;
use crate::sema::symbol::{NO_INIT, Sym, SymbolKind};
use crate::sema::ty::{Class, Const, Dim, Scalar, Ty, type_name};
use crate::syntax::tree::Node;
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

fn type_text(sema: Checked, ty: Ty) -> String {
    type_name(ty, |dim: Dim| sema.dim(dim))
}

/// The initialiser list of an array: `{offset: words; offset: words}` or `{offset: node, offset: node}`.
fn initialiser(sema: Checked, sym: Sym) -> String {
    let Some((inits, init)) = sema.init(sym) else { return String::new() };
    let scalar = sema.row(sym).ty.element().unwrap_or(Scalar::Int);
    let runs = inits.image(init).map(|(offset, words)| {
        let words: Vec<_> = words.iter().map(|&word| value(Const::from_bits(scalar, word))).collect();
        format!("{offset}: {}", words.join(" "))
    });
    let elements = inits.elements(init).iter().map(|element| match sema.constant(element.node) {
        Some(constant) => format!("{}: {}", element.offset, value(constant)),
        None => format!("{}: {:?}", element.offset, element.node),
    });
    let separator = if sema.row(sym).kind == SymbolKind::LocalVar { ", " } else { "; " };
    format!("{{{}}}", runs.chain(elements).collect::<Vec<_>>().join(separator))
}

fn symbol(out: &mut String, sema: Checked, sym: Sym) {
    let symbol = sema.row(sym);
    let name = sema.shared.names.text(symbol.name);
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

/// The symbols that functions share, one a line, without those of the runtime; then those of each body.
pub(super) fn symbols(program: &Program) -> String {
    let (mut out, sema) = (String::new(), &program.outline.sema);
    for sym in (sema.library.functions.len() + 1..sema.symbols.len()).map(Sym::new) {
        symbol(&mut out, sema.checked(), sym);
    }
    for body in &program.bodies {
        let sema = program.checked(body);
        sema.locals().for_each(|sym| symbol(&mut out, sema, Sym::new(sym)));
    }
    out
}

/// The type of an expression, or of the declared symbol.
pub(super) fn type_of(sema: Checked, n: Node) -> Ty {
    sema.class[n].ty(sema.data[n], |sym| sema.row(sym).ty)
}

/// Everything: symbols, and of each function each row that has a class.
pub(super) fn dump(program: &Program) -> String {
    let mut out = symbols(program);
    for body in &program.bodies {
        let sema = program.checked(body);
        let name = sema.shared.names.text(sema.row(body.function.sym).name);
        let _ = writeln!(out, "{name}: {} rows, locals {:?}", body.tree.len(), sema.locals());
        for (n, &kind) in body.tree.kind.iter() {
            if matches!(sema.class[n], Class::None) {
                continue;
            }
            let _ = write!(out, "{n:?} {kind:?} {}", type_text(sema, type_of(sema, n)));
            if let Some(sym) = sema.symbol(n) {
                let _ = write!(out, " {sym:?}");
            }
            if let Some(constant) = sema.constant(n) {
                let _ = write!(out, " = {}", value(constant));
            }
            out.push('\n');
        }
    }
    out
}
