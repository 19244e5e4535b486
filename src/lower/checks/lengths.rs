//! Lengths of arrays that are passed (`-fsanitize=bounds`): beside each address an int travels that says how many elements
//! there are up to the end of the array, behind the other arguments. Only functions that nothing outside calls have such
//! parameters (`hide`), so that objects go with others as before; what is passed to them by one that has none is taken to
//! have no end.
//!
//! What `putarray` and `putfarray` are asked for is compared with it, and `getarray` and `getfarray` become what they do:
//! a number is read, compared, and as many elements are read. O(1) for each argument.

use super::{Checks, Fault, MOST};
use crate::base::Handle;
use crate::ir::{Env, FuncId, IntPred, Linkage, Op, Shape, Type, Value};
use crate::lower::Links;
use crate::lower::function::Lowering;
use crate::lower::globals::scalar_type;
use crate::sema::{Scalar, Sema, Sym, SymbolKind, Ty};

/// What the library has for arrays: the name, how its elements are read, and whether they are ints.
const READERS: [(&str, &str, Scalar); 2] =
    [("getarray", "getint", Scalar::Int), ("getfarray", "getfloat", Scalar::Float)];
const WRITERS: [&str; 2] = ["putarray", "putfarray"];

/// Adds the lengths to the parameters of the functions that nothing else calls.
pub(in crate::lower) fn hide(sema: &Sema, env: &mut Env, links: &Links) {
    let checked = sema.checked();
    for function in &sema.functions {
        let func = &mut env.funcs[links.func(function.sym)];
        if func.linkage == Linkage::Internal && !sema.symbols[function.sym].ty.is_array() {
            let params = (0..checked.params(function.sym)).map(|k| checked.param_ty(function.sym, k));
            let arrays = params.filter(|ty| ty.dim().is_some_and(|dim| !checked.dim(dim).is_tensor)).count();
            func.params.extend(std::iter::repeat_n(Type::I32, arrays));
        }
    }
}

impl Lowering<'_> {
    /// The parameters of a function that have lengths, if they are passed.
    fn measured(&self, function: Sym) -> Vec<usize> {
        let sema = self.input.sema;
        let (count, row) = (sema.params(function), sema.row(function));
        let all = self.env.funcs[self.links.func(function)].params.len();
        if row.kind != SymbolKind::Func || row.ty.is_array() || all == count {
            return Vec::new();
        }
        let is_array = |ty: Ty| ty.dim().is_some_and(|dim| !sema.dim(dim).is_tensor);
        (0..count).filter(|&k| is_array(sema.param_ty(function, k))).collect()
    }

    /// Notes the lengths of the function's own parameters.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_lengths(&mut self) {
        let measured = self.measured(self.function);
        let hidden: Vec<Value> =
            self.body.params().skip(self.input.sema.params(self.function)).map(Value::inst).collect();
        for (k, length) in measured.into_iter().zip(hidden) {
            self.scratch.texts.lengths.push((Sym::new(self.function.index() + 1 + k), length));
        }
    }

    /// The length of an array parameter, if it was passed.
    pub(super) fn length(&self, array: Sym) -> Option<Value> {
        self.scratch.texts.lengths.iter().find(|row| row.0 == array).map(|row| row.1)
    }

    /// Notes how many elements there are from an address on, which is of part of an array: that of the subscripts from
    /// `first` on.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_rest(&mut self, address: Value, array: Sym, first: usize) {
        let sema = self.input.sema;
        let Some(dim) = sema.row(array).ty.dim().filter(|&dim| !sema.dim(dim).is_tensor) else { return };
        let row = sema.dim(dim);
        let all = match (row.extent, self.length(array)) {
            (0, Some(length)) => self.elements_of(length, row.stride),
            (0, None) => return,
            (extent, _) => self.body.int(extent.wrapping_mul(row.stride) as i32),
        };
        let mut rest = all;
        for k in first..self.scratch.indices.len() {
            let stride = sema.dim(crate::sema::Dim::new(dim.index() + k - first)).stride;
            let before = self.elements_of(self.scratch.indices[k], stride);
            rest = match (self.number(rest), self.number(before)) {
                (Some(a), Some(b)) => self.body.int((a - b) as i32),
                _ => self.emit(Op::Sub, Type::I32, [rest, before], 0),
            };
        }
        self.scratch.texts.rests.push((address, rest));
    }

    fn elements_of(&mut self, value: Value, by: u32) -> Value {
        match self.number(value) {
            _ if by == 1 => value,
            Some(x) => self.body.int((x as i32).wrapping_mul(by as i32)),
            None => {
                let by = self.body.int(by as i32);
                self.emit(Op::Mul, Type::I32, [value, by], 0)
            }
        }
    }

    /// How many elements there are from an address on, if that is known.
    fn rest(&self, address: Value) -> Option<Value> {
        self.scratch.texts.rests.iter().rev().find(|row| row.0 == address).map(|row| row.1)
    }

    /// Adds the lengths to the arguments of a call.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn pass_lengths(&mut self, callee: Sym) {
        for k in self.measured(callee) {
            let dim = self.input.sema.param_ty(callee, k).dim();
            let stride = dim.map_or(1, |dim| self.input.sema.dim(dim).stride);
            let length = match self.scratch.args.get(k).and_then(|&address| self.rest(address)) {
                None => self.body.int(MOST as i32),
                Some(rest) => match self.number(rest) {
                    _ if stride <= 1 => rest,
                    Some(rest) => self.body.int(rest as i32 / stride as i32),
                    None => {
                        let stride = self.body.int(stride as i32);
                        self.emit(Op::SDiv, Type::I32, [rest, stride], 0)
                    }
                },
            };
            self.scratch.args.push(length);
        }
    }

    /// A call of the library follows, or is made here, and then this is its result: does it keep to its array?
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn check_transfer(&mut self, name: &str) -> Option<Value> {
        if !self.input.checks.has(Checks::BOUNDS) {
            return None;
        }
        if let (true, &[count, address]) = (WRITERS.contains(&name), self.scratch.args.as_slice()) {
            let rest = self.rest(address)?;
            let fails = self.emit(Op::ICmp, Type::I1, [count, rest], IntPred::Sgt as u32);
            self.stop_if(fails, Fault::Output, [count, rest]);
            return None;
        }
        let &(_, reader, scalar) = READERS.iter().find(|row| row.0 == name)?;
        let &[address] = self.scratch.args.as_slice() else { return None };
        let rest = self.rest(address)?;
        let (counts, reads) = (self.library("getint")?, self.library(reader)?);
        let count = self.emit(Op::Call, Type::I32, [], counts.index() as u32);
        let fails = self.emit(Op::ICmp, Type::I1, [count, rest], IntPred::Sgt as u32);
        self.stop_if(fails, Fault::Input, [count, rest]);
        // `for (i = 0; i < count; i = i + 1) address[i] = reader();`
        let counter = Value::inst(self.body.insert_room(Shape::scalar(Type::I32).index() as u32));
        let (zero, one) = (self.body.int(0), self.body.int(1));
        self.store(zero, counter);
        let [head, inside, next] = [(); 3].map(|()| self.body.create_block_apart());
        self.go_on_to(head);
        self.start(head);
        let i = self.emit(Op::Load, Type::I32, [counter], 0);
        let goes_on = self.emit(Op::ICmp, Type::I1, [i, count], IntPred::Slt as u32);
        let place = self.place();
        self.body.set_cond_br(self.current, goes_on, inside, next, place);
        self.start(inside);
        let ty = scalar_type(scalar);
        let value = self.emit(Op::Call, ty, [], reads.index() as u32);
        let element = self.emit(Op::ElemAddr, Type::Ptr, [address, i], Shape::scalar(ty).index() as u32);
        self.store(value, element);
        let following = self.emit(Op::Add, Type::I32, [i, one], 0);
        self.store(following, counter);
        self.go_on_to(head);
        self.start(next);
        Some(count)
    }

    /// A function of the library.
    fn library(&self, name: &str) -> Option<FuncId> {
        let functions = self.input.sema.shared.library.functions;
        let k = functions.iter().position(|row| row.name == name)?;
        Some(self.links.func(Sym::new(k + 1)))
    }

    /// Of the first dimension of a parameter: the subscript is compared with the length that was passed.
    pub(super) fn check_against_length(&mut self, array: Sym, subscript: Value, is_part: bool) {
        let Some(length) = self.length(array) else { return };
        let pred = if is_part { IntPred::Ugt } else { IntPred::Uge };
        let fails = self.emit(Op::ICmp, Type::I1, [subscript, length], pred as u32);
        self.stop_if(fails, Fault::Parameter(array), [subscript, length]);
    }
}
