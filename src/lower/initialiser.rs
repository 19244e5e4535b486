//! What a local array holds at the start.
//!
//! The front end gives the elements that are written and not zero, in order of evaluation. What is left out
//! comes first: as stores of single zeros if it is little, else all memory is filled with zeros or, where
//! constants are many and dense, with a copy of a constant of the module. Then come the stores of the
//! elements, each when its expression is complete. So a large array never costs a store for each zero or for
//! each constant, and hardly any memory is written twice. O(what is written).

use super::function::{Lowering, NOWHERE};
use super::globals::{image_of, scalar_type};
use crate::base::Handle;
use crate::ir::module::Request;
use crate::ir::{Image, Op, Type, Value};
use crate::sema::{Element, Scalar, Sym, SymbolKind, Ty, TyView};
use crate::syntax::tree::Node;

/// Up to this many constants are stored one by one.
const STORED: usize = 16;
/// A copy may be this many times as long as the constants in it.
const SPARSE: usize = 16;

/// One element in this many, if no more than `STORED`, may be zero and stored as such: to fill memory takes a
/// store of eight bytes for two elements.
const ZEROS: usize = 4;

/// An initialiser list that is being worked off.
pub(super) struct Filling<'a> {
    /// The elements that are left.
    elements: &'a [Element],
    /// Address and type of the array.
    base: Value,
    array: Ty,
    /// True if the constants are in memory already.
    copied: bool,
}

impl Default for Filling<'_> {
    fn default() -> Self {
        Filling { elements: &[], base: Value::undef(Type::Ptr), array: Ty::ERROR, copied: false }
    }
}

impl<'a> Lowering<'a> {
    fn elements(&self, sym: Sym) -> &'a [Element] {
        let sema = self.input.sema;
        sema.init(sym).map_or(&[], |(inits, init)| inits.elements(init))
    }

    /// A declarator is complete and its initialiser follows.
    pub(super) fn init_start(&mut self, n: Node) {
        let declarator = Node::new(n.index() - 1);
        let sema = self.input.sema;
        let Some(sym) = sema.symbol(declarator) else { return };
        let symbol = sema.row(sym);
        if symbol.kind != SymbolKind::LocalVar || !symbol.ty.is_array() {
            return;
        }
        let total = sema.elements(sym) as usize;
        let elements = self.elements(sym);
        let constants = if elements.len() > STORED {
            elements.iter().filter(|element| sema.constant(element.node).is_some()).count()
        } else {
            0
        };
        let copied = constants > STORED && total <= constants * SPARSE;
        let base = self.address(sym);
        if copied {
            let source = self.constant_elements(sym);
            self.emit(Op::MemInit, Type::Void, [base, source], total as u32 * 4);
        } else if total - elements.len() <= (total / ZEROS).clamp(1, STORED) {
            self.store_zeros(base, symbol.ty, elements, total as u32);
        } else {
            self.emit(Op::MemInit, Type::Void, [base], total as u32 * 4);
        }
        self.filling = Filling { elements, base, array: symbol.ty, copied };
        self.wait_for_element();
    }

    /// Stores a zero to each element that is not in the list, whose offsets rise.
    fn store_zeros(&mut self, base: Value, array: Ty, elements: &[Element], total: u32) {
        let zero = match array.element() {
            Some(Scalar::Float) => self.body.f32(0.0),
            _ => self.body.int(0),
        };
        let mut next = 0;
        for end in elements.iter().map(|element| element.offset).chain([total]) {
            for offset in next..end {
                let address = self.element_address(base, array, offset);
                self.store(zero, address);
            }
            next = end + 1;
        }
    }

    /// The sweep is to come back when the next element is complete.
    fn wait_for_element(&mut self) {
        self.stop = self.filling.elements.first().map_or(NOWHERE, |element| element.node.index() + 1);
    }

    /// The row that is an element of the list is complete: stores it.
    #[inline(always)]
    pub(super) fn fill(&mut self) {
        let Some((&Element { offset, node }, rest)) = self.filling.elements.split_first() else { return };
        self.filling.elements = rest;
        self.wait_for_element();
        let Filling { base, array, copied, .. } = self.filling;
        let (value, from) = self.pop_value();
        if copied && self.input.sema.constant(node).is_some() {
            return;
        }
        let value = self.convert(value, from, scalar_type(array.element().unwrap_or(Scalar::Int)));
        let address = self.element_address(base, array, offset);
        self.store(value, address);
    }

    /// The address of the element at a flat offset, with its dimensions. O(dimensions).
    fn element_address(&mut self, base: Value, array: Ty, offset: u32) -> Value {
        let TyView::Array(scalar, dim) = array.view() else { return base };
        if offset == 0 {
            return base;
        }
        let sema = self.input.sema;
        let (first, mut rest) = (self.scratch.indices.len(), offset);
        for k in dim.index()..dim.index() + sema.dim(dim).rank as usize {
            let stride = sema.dim(crate::sema::Dim::new(k)).stride;
            let index = self.body.int((rest / stride) as i32);
            self.scratch.indices.push(index);
            rest %= stride;
        }
        let shape = self.step_shape(scalar, dim, sema.dim(dim).rank).index() as u32;
        let address = self.deep_element(base, first, shape);
        self.scratch.indices.truncate(first);
        address
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
        self.body.request(Request::new(shape, true, image))
    }

    /// A constant of the module for a constant array of this function.
    pub(super) fn constant_array(&mut self, sym: Sym) -> Value {
        let image = image_of(self.input.sema, sym);
        let shape = self.shape_of(self.input.sema.row(sym).ty);
        self.body.request(Request::new(shape, true, image))
    }
}
