//! The shapes of the tensors that functions return: each is that of what the function's `return`s say.
//!
//! The bodies of such functions are checked once more than others, for that alone, when all signatures are known.
//! O(rows of those functions).

use super::program::{BodyTables, Outline, check_body};
use super::symbol::Sym;
use super::ty::{Class, Dim, DimRow, Scalar, Ty, TyView};
use crate::base::Handle;
use crate::source::{Diagnostic, Diagnostics, SourceFile};
use crate::syntax::token::Tokens;
use crate::syntax::tree::{Node, NodeKind, Tree};

/// True if a function of the source returns a tensor, so that bodies must be there before others are checked.
pub fn returns_tensors(outline: &Outline) -> bool {
    let sema = &outline.sema;
    sema.functions.iter().any(|function| sema.symbols[function.sym].ty.is_array())
}

/// Finds out the shapes of the tensors that functions return, in the order of the source. A function's own calls
/// of itself tell nothing, and those of functions below that a prototype declares only what is known: so the
/// functions that are left are looked at again, twice.
pub fn infer_results(
    outline: &mut Outline,
    (file, tokens, whole): (&SourceFile, &Tokens, &Tree),
    diags: &mut Diagnostics,
) {
    if !returns_tensors(outline) {
        return;
    }
    let (mut tree, mut tables) = (Tree::default(), BodyTables::default());
    const ROUNDS: usize = 3;
    for round in 1..=ROUNDS {
        let mut is_done = true;
        for k in 0..outline.sema.functions.len() {
            let function = outline.sema.functions[k];
            let ty = outline.sema.symbols[function.sym].ty;
            let TyView::Array(element, dim) = ty.view() else { continue };
            if outline.sema.dims[dim].rank != 0 {
                continue;
            }
            tree.copy_body(whole, function.signature, function.def);
            let mut said = Diagnostics::default();
            outline.infers = true;
            check_body(outline, k, (file, tokens, &tree), &outline.sema.names, &mut tables, &mut said);
            outline.infers = false;
            let found = returned(&tree, &tables, outline, element);
            let new = match found {
                Some(rows) => {
                    let dims = &mut outline.sema.dims;
                    let first = Dim::new(dims.len());
                    for row in rows {
                        dims.push(row);
                    }
                    Ty::array(element, first)
                }
                None if said.has_errors() => Ty::ERROR,
                None if round < ROUNDS => {
                    is_done = false;
                    continue;
                }
                None => {
                    outline.report_result(function.sym, file, diags);
                    Ty::ERROR
                }
            };
            outline.set_result(function.sym, new);
        }
        if is_done {
            return;
        }
    }
}

/// The dimensions of the first tensor that a body returns of which all lengths are known.
fn returned(tree: &Tree, tables: &BodyTables, outline: &Outline, element: Scalar) -> Option<Vec<DimRow>> {
    let checked = tables.checked(outline);
    let rows = (1..tree.len()).map(Node::new).filter(|&n| tree.kind[n] == NodeKind::Return);
    for n in rows {
        let class = checked.class[n];
        let dim = match (class, element) {
            (Class::IntArray, Scalar::Int) | (Class::FloatArray, Scalar::Float) => {
                Dim::new(checked.data[n] as usize)
            }
            _ => continue,
        };
        let first = checked.dim(dim);
        if first.rank == 0 || first.extent == 0 {
            continue;
        }
        return Some((0..first.rank as usize).map(|k| checked.dim(Dim::new(dim.index() + k))).collect());
    }
    None
}

impl Outline {
    fn set_result(&mut self, function: Sym, ty: Ty) {
        self.sema.symbols[function].ty = ty;
        for k in 0..self.sema.declared.len() {
            if self.sema.same[k] == Some(function) {
                self.sema.symbols[self.sema.declared[k]].ty = ty;
            }
        }
    }

    fn report_result(&self, function: Sym, file: &SourceFile, diags: &mut Diagnostics) {
        let symbol = &self.sema.symbols[function];
        let text = self.sema.names.text(symbol.name);
        let message = format!("the shape of what '{text}' returns is not known");
        let error = Diagnostic::error("tensor-result", symbol.span(&file.text), message);
        diags.push(error.help("one 'return' at least has to return a tensor whose lengths are all known"));
    }
}
