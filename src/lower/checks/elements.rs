//! Elements of arrays without a value (`-fsanitize=memory`): an array that is declared without an initialiser has a shadow, a
//! byte for each element, as MemorySanitizer has one for all memory. It is 0 where the declaration stands, 1 behind each
//! assignment and what `getarray` reads, and looked at where an element is read, by the program or by `putarray`. Other arrays
//! have values from the start.
//!
//! Where an array is passed, its shadow travels behind the length (`lengths`), with a mask for subscripts: -1, or 0 of an array
//! that has no shadow; then all subscripts lead to one byte, which is 1 (`sysy.given`). So a parameter takes no branch. What a
//! function does with an array that takes no shadow is not known: it is taken to give all elements values.
//!
//! O(1) for each element, O(elements) for each declaration, and for what the library reads and writes.

use super::{Fault, values::Word};
use crate::base::Handle;
use crate::ir::{Inst, IntPred, Op, Shape, Type, Value};
use crate::lower::function::Lowering;
use crate::sema::{Dim, Sym};

/// What says which elements of an array have a value, or of a part of one.
#[derive(Copy, Clone, Debug)]
pub(super) struct Shadow {
    /// The array.
    sym: Sym,
    base: Value,
    /// What of a subscript counts.
    mask: Value,
}

impl Lowering<'_> {
    /// An array is declared without a value.
    pub(super) fn note_array(&mut self, sym: Sym, address: Inst) {
        let sema = self.input.sema;
        let Some(dim) = sema.row(sym).ty.dim().filter(|&dim| !sema.dim(dim).is_tensor) else { return };
        // Words: so it is filled as arrays are.
        let words = sema.dim(dim).elements().div_ceil(4);
        let base = match self.shadow(Value::inst(address)) {
            Some(shadow) => shadow.base,
            None => {
                let shape = self.env.shapes.array(Shape::scalar(Type::I32), words);
                let base = Value::inst(self.body.insert_room(shape.index() as u32));
                let mask = self.body.int(-1);
                self.note_shadow(address, Shadow { sym, base, mask });
                base
            }
        };
        self.emit(Op::MemInit, Type::Void, [base], words * 4);
    }

    /// The shadow of a parameter.
    pub(super) fn note_parameter(&mut self, sym: Sym, base: Value, mask: Value) {
        if let Some(address) = self.scratch.addresses[sym].as_inst() {
            self.note_shadow(address, Shadow { sym, base, mask });
        }
    }

    fn note_shadow(&mut self, address: Inst, shadow: Shadow) {
        let texts = &mut self.scratch.texts;
        texts.shadows.grow_to(address.index() + 1, None);
        texts.shadows[address] = Some(shadow);
        texts.shaded.push(address);
    }

    /// What says which elements have a value from an address on.
    fn shadow(&self, address: Value) -> Option<Shadow> {
        self.scratch.texts.shadows.get(address.as_inst()?).copied().flatten()
    }

    pub(super) fn has_shadow(&self, address: Value) -> bool {
        self.shadow(address).is_some()
    }

    /// The address is that of part of an array, or of an element: that of the subscripts from `first` on.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_part(&mut self, address: Value, array: Sym, first: usize, is_part: bool) {
        let (Some(shadow), Some(address)) = (self.shadow(self.scratch.addresses[array]), address.as_inst())
        else {
            return;
        };
        let sema = self.input.sema;
        let Some(dim) = sema.row(array).ty.dim() else { return };
        let mut index = self.body.int(0);
        for k in first..self.scratch.indices.len() {
            let stride = sema.dim(Dim::new(dim.index() + k - first)).stride;
            let step = self.elements_of(self.scratch.indices[k], stride);
            index = match (self.number(index), self.number(step)) {
                (Some(a), Some(b)) => self.body.int((a + b) as i32),
                (Some(0), None) => step,
                (Some(_), None) => self.emit(Op::Add, Type::I32, [step, index], 0),
                _ => self.emit(Op::Add, Type::I32, [index, step], 0),
            };
        }
        let at = self.byte(shadow, index);
        if is_part {
            return self.note_shadow(address, Shadow { base: at, ..shadow });
        }
        let zero = self.body.int(0);
        let mut shown = [zero, zero];
        shown.iter_mut().zip(&self.scratch.indices[first..]).for_each(|(shown, &index)| *shown = index);
        self.watch(address, Word { sym: array, ty: Type::I8, at, shown });
    }

    /// The byte of an element.
    fn byte(&mut self, shadow: Shadow, mut index: Value) -> Value {
        if self.number(shadow.mask) != Some(-1) {
            index = match self.number(index) {
                Some(0) => index,
                Some(_) => self.emit(Op::And, Type::I32, [shadow.mask, index], 0),
                None => self.emit(Op::And, Type::I32, [index, shadow.mask], 0),
            };
        }
        self.emit(Op::ElemAddr, Type::Ptr, [shadow.base, index], Shape::scalar(Type::I8).index() as u32)
    }

    /// What travels with an array that is passed: shadow and mask.
    pub(super) fn passed(&mut self, address: Option<Value>) -> Option<[Value; 2]> {
        if let Some(Shadow { base, mask, .. }) = address.and_then(|address| self.shadow(address)) {
            return Some([base, mask]);
        }
        let given = self.links.faults.as_ref()?.given?;
        Some([Value::global(given), self.body.int(0)])
    }

    /// Elements from an address on are given values by what is not seen.
    pub(super) fn give(&mut self, address: Value, count: Value) {
        if let Some(shadow) = self.shadow(address) {
            self.each(count, |l, i| l.give_one(shadow, i));
        }
    }

    /// An element is given a value.
    pub(super) fn give_element(&mut self, address: Value, index: Value) {
        if let Some(shadow) = self.shadow(address) {
            self.give_one(shadow, index);
        }
    }

    fn give_one(&mut self, shadow: Shadow, index: Value) {
        let (at, one) = (self.byte(shadow, index), self.body.int_of(Type::I8, 1));
        self.store(one, at);
    }

    /// Elements from an address on are put out.
    pub(super) fn check_given_all(&mut self, address: Value, count: Value) {
        if let Some(shadow) = self.shadow(address) {
            self.each(count, |l, i| {
                let at = l.byte(shadow, i);
                l.check_given((Type::I8, at), Fault::Output(shadow.sym), [i, i]);
            });
        }
    }

    /// `for (i = 0; i < count; i = i + 1) inside(i);`
    pub(super) fn each(&mut self, count: Value, inside: impl FnOnce(&mut Self, Value)) {
        let counter = Value::inst(self.body.insert_room(Shape::scalar(Type::I32).index() as u32));
        let (zero, one) = (self.body.int(0), self.body.int(1));
        self.store(zero, counter);
        let [head, body, next] = [(); 3].map(|()| self.body.create_block_apart());
        self.go_on_to(head);
        self.start_head(head);
        let i = self.emit(Op::Load, Type::I32, [counter], 0);
        let goes_on = self.emit(Op::ICmp, Type::I1, [i, count], IntPred::Slt as u32);
        let place = self.place();
        self.body.set_cond_br(self.current, goes_on, body, next, place);
        self.start(body);
        inside(self, i);
        let following = self.emit(Op::Add, Type::I32, [i, one], 0);
        self.store(following, counter);
        self.go_on_to(head);
        self.start(next);
    }
}
