//! What a local array holds at the start.
//!
//! The front end gives the elements that are written and not zero, in order of evaluation. Memory is filled first, with zeros or,
//! where constants are many and dense, with a copy of a constant of the module; then come the stores of what is left,
//! each when its expression is complete. A large array so never costs a store for each zero or for each constant. O(what
//! is written).

use super::function::Lowering;
use crate::base::Handle;
use crate::ir::module::Request;
use crate::ir::{Image, Op, Type, Value};
use crate::sema::{Element, Scalar, Sym, SymbolKind, Ty, TyView};
use crate::syntax::tree::Node;

/// Up to this many constants are stored one by one.
const STORED: usize = 16;
/// A copy may be this many times as long as the constants in it.
const SPARSE: usize = 16;

/// An initialiser list that is being worked off.
#[derive(Default)]
pub(super) struct Filling {
    /// Rows of `Inits::elements` that are left, as their range in the list of `sym`.
    next: usize,
    end: usize,
    /// The expression of the next one.
    node: Option<Node>,
    sym: Option<Sym>,
    /// True if the constants are in memory already.
    copied: bool,
}

impl Lowering<'_> {
    fn elements(&self, sym: Sym) -> &[Element] {
        let sema = self.input.sema;
        sema.init(sym).map_or(&[], |(inits, init)| inits.elements(init))
    }

    /// A declarator is complete and its initialiser follows.
    pub(super) fn init_start(&mut self, n: Node) {
        let declarator = Node::new(n.index() - 1);
        let Some(sym) = self.input.sema.symbol(declarator) else { return };
        let symbol = self.input.sema.row(sym);
        if symbol.kind != SymbolKind::LocalVar || !symbol.ty.is_array() {
            return;
        }
        let total = self.input.sema.elements(sym) as usize;
        let count = self.elements(sym).len();
        let sema = self.input.sema;
        let constants =
            self.elements(sym).iter().filter(|element| sema.constant(element.node).is_some()).count();
        let copied = constants > STORED && total <= constants * SPARSE;
        let address = self.address(sym);
        if copied {
            let source = self.constant_elements(sym);
            self.emit(Op::MemInit, Type::Void, &[address, source], total as u32 * 4);
        } else if count < total {
            self.emit(Op::MemInit, Type::Void, &[address], total as u32 * 4);
        }
        self.filling = Filling { next: 0, end: count, node: None, sym: Some(sym), copied };
        self.filling.node = self.elements(sym).first().map(|element| element.node);
    }

    /// If the row is an element of the list: stores it.
    #[inline]
    pub(super) fn fill(&mut self, n: Node) {
        if self.filling.node == Some(n) {
            self.fill_next(n);
        }
    }

    fn fill_next(&mut self, n: Node) {
        let Some(sym) = self.filling.sym else { return };
        let Filling { next, end, copied, .. } = self.filling;
        let Element { offset, .. } = self.elements(sym)[next];
        self.filling.next = next + 1;
        self.filling.node = if next + 1 < end { Some(self.elements(sym)[next + 1].node) } else { None };
        let value = self.pop_value();
        if copied && self.input.sema.constant(n).is_some() {
            return;
        }
        let ty = self.input.sema.row(sym).ty;
        let value = self.convert(value, ty.element().unwrap_or(Scalar::Int));
        let base = self.address(sym);
        let address = self.element_address(base, ty, offset);
        self.store(value, address);
    }

    /// The address of the element at a flat offset, with its dimensions. O(dimensions).
    fn element_address(&mut self, base: Value, array: Ty, offset: u32) -> Value {
        let TyView::Array(_, dim) = array.view() else { return base };
        if offset == 0 {
            return base;
        }
        let sema = self.input.sema;
        let mut args = vec![base];
        let mut rest = offset;
        for k in dim.index()..dim.index() + sema.dim(dim).rank as usize {
            let stride = sema.dim(crate::sema::Dim::new(k)).stride;
            args.push(self.body.int((rest / stride) as i32));
            rest %= stride;
        }
        let shape = self.element_shape(array);
        self.emit(Op::ElemAddr, Type::Ptr, &args, shape.index() as u32)
    }

    /// A constant of the module with the constant elements of a list.
    fn constant_elements(&mut self, sym: Sym) -> Value {
        let sema = self.input.sema;
        let ty = sema.row(sym).ty;
        let scalar = ty.element().unwrap_or(Scalar::Int);
        let mut image = Image::default();
        for &Element { offset, node } in self.elements(sym) {
            if let Some(value) = sema.constant(node) {
                image.push(offset, value.to(scalar).bits());
            }
        }
        let shape = self.shape_of(ty);
        self.body.request(Request { shape, constant: true, image })
    }

    /// A constant of the module for a constant array of this function.
    pub(super) fn constant_array(&mut self, sym: Sym) -> Value {
        let sema = self.input.sema;
        let mut image = Image::default();
        for (at, words) in sema.init(sym).into_iter().flat_map(|(inits, init)| inits.image(init)) {
            super::globals::append_run(&mut image, at, words);
        }
        let shape = self.shape_of(sema.row(sym).ty);
        self.body.request(Request { shape, constant: true, image })
    }
}
