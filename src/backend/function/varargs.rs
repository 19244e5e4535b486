//! Variadic arguments of functions that take any number of them (`Signature::variadic`), as C's `<stdarg.h>` has them on each
//! machine. Where they are is a parameter of the tables (`ir::Parts::varargs`): the address of the first one, behind which all
//! others are; on AArch64 that of a `va_list`, five words as its procedure call standard lays them out.

use super::{FunctionBuilder, Val};
use crate::base::Handle;
use crate::ir::{Inst, IntPred, Type, Value};

/// AArch64's list: where the stack, and the ends of the integers and of the floats are, in words of 8 bytes; then how far below
/// these ends the next one is, in 4 bytes each.
const ENDS: [u32; 3] = [0, 8, 16];
const BELOW: [u32; 2] = [24, 28];

impl FunctionBuilder<'_> {
    /// Memory for a list of variadic arguments, C's `va_list`.
    pub fn va_list(&mut self) -> Val {
        let (bytes, align) = if self.is_list() { (32, 8) } else { (self.pointer_int().bytes(), 8) };
        self.stack(bytes, align)
    }

    /// Makes a list begin with this function's first variadic argument. `Misuse` if it takes none.
    pub fn va_start(&mut self, list: Val) {
        if self.pointer("va_start", list).is_none() {
            return;
        }
        if !self.module.takes_varargs(self.body.func) {
            self.wrong(|| "va_start: in a function that takes no variadic arguments".to_string());
            return;
        }
        let own = self.val(Value::inst(Inst::new(0)));
        if self.is_list() { self.copy_list(list, own) } else { self.store(own, list) }
    }

    /// Makes a list go on where another one does.
    pub fn va_copy(&mut self, to: Val, from: Val) {
        if self.pointer("va_copy", to).is_none() || self.pointer("va_copy", from).is_none() {
            return;
        }
        if self.is_list() {
            return self.copy_list(to, from);
        }
        let next = self.load(Type::Ptr, from);
        self.store(next, to);
    }

    /// Ends the use of a list, which takes no instruction on these machines.
    pub fn va_end(&mut self, list: Val) {
        self.pointer("va_end", list);
    }

    /// The next argument of a list: an i32, i64, double or ptr, as C passes them there. The builder may stand in another block
    /// behind it, which goes on from there.
    pub fn va_arg(&mut self, list: Val, ty: Type) -> Val {
        if self.pointer("va_arg", list).is_none() {
            return self.poison();
        }
        if !matches!(ty, Type::I32 | Type::I64 | Type::F64 | Type::Ptr) {
            return self.wrong(|| format!("va_arg: of {}, where C passes what is wider", ty.name()));
        }
        if self.is_list() {
            return self.next_of_list(list, ty);
        }
        let word = self.pointer_int();
        let mut place = self.load(Type::Ptr, list);
        if ty.bytes() > word.bytes() {
            let number = self.ptrtoint(place, word);
            let (missing, mask) = (self.neg(number), self.number_of(word, i64::from(ty.bytes()) - 1));
            let missing = self.and(missing, mask);
            place = self.offset(place, missing);
        }
        let size = self.number_of(Type::I32, i64::from(ty.bytes().max(word.bytes())));
        let next = self.offset(place, size);
        self.store(next, list);
        self.load(ty, place)
    }

    fn is_list(&self) -> bool {
        self.module.target.name() == "aarch64"
    }

    fn copy_list(&mut self, to: Val, from: Val) {
        for at in (0..32).step_by(8) {
            let at = self.number_of(Type::I32, at);
            let [from, to] = [from, to].map(|list| self.offset(list, at));
            let word = self.load(Type::I64, from);
            self.store(word, to);
        }
    }

    /// The next argument, in the registers that the function has stored or behind them on the stack.
    fn next_of_list(&mut self, list: Val, ty: Type) -> Val {
        let is_float = usize::from(ty == Type::F64);
        let step = self.number_of(Type::I32, [8, 16][is_float]);
        let part = |f: &mut Self, at: u32| {
            let at = f.int(Type::I32, i64::from(at));
            f.offset(list, at)
        };
        let place = self.variable(Type::Ptr);
        let blocks = [self.create_block(), self.create_block(), self.create_block()];
        let [stored, on_stack, behind] = blocks;
        let of_below = part(self, BELOW[is_float]);
        let (below, zero) = (self.load(Type::I32, of_below), self.number_of(Type::I32, 0));
        let is_stored = self.icmp(IntPred::Slt, below, zero);
        self.cond_br(is_stored, stored, on_stack);
        self.switch_to(stored);
        self.seal(stored);
        let less = self.add(below, step);
        self.store(less, of_below);
        let end = part(self, ENDS[1 + is_float]);
        let end = self.load(Type::Ptr, end);
        let there = self.offset(end, below);
        self.set(place, there);
        self.br(behind);
        self.switch_to(on_stack);
        self.seal(on_stack);
        let top = part(self, ENDS[0]);
        let (there, eight) = (self.load(Type::Ptr, top), self.number_of(Type::I32, 8));
        let next = self.offset(there, eight);
        self.store(next, top);
        self.set(place, there);
        self.br(behind);
        self.switch_to(behind);
        self.seal(behind);
        let place = self.get(place);
        self.load(ty, place)
    }
}
