//! Lengths of arrays that are passed (`-fsanitize=bounds` and `memory`): beside each address an int travels that says how many
//! elements there are up to the end of the array, behind the other arguments, and for `memory` what says which of them have a
//! value (`elements`). Only functions that nothing outside calls have such parameters, or all if all sources of a program are
//! compiled with them at once (`hide`), so that objects go with others as before; what is passed to them by one that has none is
//! taken to have no end.
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

/// What travels with an array: its length, and its shadow with a mask.
fn companions(checks: Checks) -> &'static [Type] {
    if checks.has(Checks::MEMORY) { &[Type::I32, Type::Ptr, Type::I32] } else { &[Type::I32] }
}

/// Adds what travels with arrays to the parameters of the functions that nothing else calls.
pub(in crate::lower) fn hide(sema: &Sema, env: &mut Env, links: &Links, checks: Checks) {
    let checked = sema.checked();
    // What a prototype declares has the row of its definition, if it is in this source.
    let declared = sema.declared.iter().zip(&sema.same).filter(|row| row.1.is_none()).map(|row| *row.0);
    let declared = declared.filter(|&sym| sema.symbols[sym].is_function());
    for sym in sema.functions.iter().map(|function| function.sym).chain(declared) {
        let func = &mut env.funcs[links.func(sym)];
        let is_known = func.linkage == Linkage::Internal || checks.has(Checks::SHARED);
        if is_known && !sema.symbols[sym].ty.is_array() {
            let params = (0..checked.params(sym)).map(|k| checked.param_ty(sym, k));
            let arrays = params.filter(|ty| ty.dim().is_some_and(|dim| !checked.dim(dim).is_tensor)).count();
            func.params.extend((0..arrays).flat_map(|_| companions(checks)));
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

    /// Notes what came with the function's own parameters.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_lengths(&mut self) {
        let measured = self.measured(self.function);
        let hidden: Vec<Value> =
            self.body.params().skip(self.input.sema.params(self.function)).map(Value::inst).collect();
        for (k, row) in measured.into_iter().zip(hidden.chunks_exact(companions(self.input.checks).len())) {
            let sym = Sym::new(self.function.index() + 1 + k);
            if let [length, rest @ ..] = row {
                self.scratch.texts.lengths.push((sym, *length));
                if let [base, mask] = *rest {
                    self.note_parameter(sym, base, mask);
                }
            }
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

    pub(super) fn elements_of(&mut self, value: Value, by: u32) -> Value {
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

    /// Adds what travels with arrays to the arguments of a call.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn pass_lengths(&mut self, callee: Sym) {
        let measured = self.measured(callee);
        if measured.is_empty() && self.input.checks.has(Checks::MEMORY) {
            for k in 0..self.scratch.args.len() {
                let address = self.scratch.args[k];
                if let Some(rest) = self.rest(address) {
                    self.give(address, rest);
                }
            }
        }
        for k in measured {
            let dim = self.input.sema.param_ty(callee, k).dim();
            let stride = dim.map_or(1, |dim| self.input.sema.dim(dim).stride);
            let address = self.scratch.args.get(k).copied();
            let length = match address.and_then(|address| self.rest(address)) {
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
            if self.input.checks.has(Checks::MEMORY) {
                let more = self.passed(address);
                self.scratch.args.extend(more.into_iter().flatten());
            }
        }
    }

    /// A call of the library follows, or is made here, and then this is its result: does it keep to its array?
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn check_transfer(&mut self, name: &str) -> Option<Value> {
        let bounds = self.input.checks.has(Checks::BOUNDS);
        if let (true, &[count, address]) = (WRITERS.contains(&name), self.scratch.args.as_slice()) {
            if let Some(rest) = self.rest(address).filter(|_| bounds) {
                let fails = self.emit(Op::ICmp, Type::I1, [count, rest], IntPred::Sgt as u32);
                self.stop_if(fails, Fault::Written, [count, rest]);
            }
            self.check_given_all(address, count);
            return None;
        }
        let &(_, reader, scalar) = READERS.iter().find(|row| row.0 == name)?;
        let &[address] = self.scratch.args.as_slice() else { return None };
        let rest = self.rest(address).filter(|_| bounds);
        if rest.is_none() && !self.has_shadow(address) {
            return None;
        }
        let (counts, reads) = (self.library("getint")?, self.library(reader)?);
        let count = self.emit(Op::Call, Type::I32, [], counts.index() as u32);
        if let Some(rest) = rest {
            let fails = self.emit(Op::ICmp, Type::I1, [count, rest], IntPred::Sgt as u32);
            self.stop_if(fails, Fault::Read, [count, rest]);
        }
        let ty = scalar_type(scalar);
        self.each(count, |l, i| {
            let value = l.emit(Op::Call, ty, [], reads.index() as u32);
            let element = l.emit(Op::ElemAddr, Type::Ptr, [address, i], Shape::scalar(ty).index() as u32);
            l.store(value, element);
            l.give_element(address, i);
        });
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
