//! `va_arg ptr %list, i32`: the next argument of a list, as C's `va_arg` takes it on each machine (clang writes these steps
//! itself). A list leads to the next argument, and each takes words of the machine; on AArch64 it has five words, as its
//! procedure call standard lays them out: where the stack and the ends of the stored integers and floats are, and how far
//! below these ends the next ones are. No block is made: both ways are computed, and one is chosen. O(1).

use super::builder::{Builder, Operand};
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::{IntPred, Op, Shape, Type, Value};

/// AArch64's list: the ends of what is stored, of integers and of floats, then how far below them the next one is.
const ENDS: [u32; 2] = [8, 16];
const BELOW: [u32; 2] = [24, 28];
/// What one of either takes there.
const STEPS: [i64; 2] = [8, 16];

impl Parser<'_> {
    /// Reads it behind its word.
    pub(super) fn va_arg(&mut self, b: &mut Builder) -> Parsed<Value> {
        let at = self.start;
        let (of, list) = self.typed_operand(b)?;
        if of != Type::Ptr {
            return self.error_at(at, "a list of arguments must be a ptr");
        }
        self.expect(b',')?;
        if let Some(machine) = self.listed {
            let message = format!("`va_arg` is not supported where text for {machine} is run");
            return self.error_at(at, message);
        }
        let at = self.start;
        let ty = self.ty()?;
        if !matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::F64 | Type::Ptr) {
            return self.error_at(at, format!("`va_arg` of {} is not supported", ty.name()));
        }
        let place = if self.platform.name == "aarch64" {
            self.next_of_list(b, list, ty)
        } else {
            self.next_word(b, list, ty)
        };
        Ok(b.make(Op::Load, ty, &[place], 0))
    }

    /// An address so many bytes on, which may be no place of memory.
    fn moved(&self, b: &mut Builder, address: Value, by: Value) -> Value {
        let shape = self.leaving(Shape::scalar(Type::I8), true);
        b.make(Op::ElemAddr, Type::Ptr, &[address, by], shape.index() as u32)
    }

    /// Where the list leads, which goes on behind that.
    fn next_word(&mut self, b: &mut Builder, list: Operand, ty: Type) -> Value {
        let word = self.pointer_int();
        let bytes = self.module.env.shapes.bytes_of(ty);
        let mut place = Value::inst(b.insert(Op::Load, Type::Ptr, &[list], 0));
        if bytes > word.bytes() {
            let number = b.make(Op::PtrToInt, word, &[place], 0);
            let zero = b.f.int_of(word, 0);
            let missing = b.make(Op::Sub, word, &[zero, number], 0);
            let missing = b.by(Op::And, word, missing, i64::from(bytes) - 1);
            place = self.moved(b, place, missing);
        }
        let size = b.f.int_of(word, bytes.max(word.bytes()).into());
        let next = self.moved(b, place, size);
        b.insert(Op::Store, Type::Void, &[Operand::Value(next), list], 0);
        place
    }

    /// The next argument among those that the function has stored, if one is left, else on the stack.
    fn next_of_list(&mut self, b: &mut Builder, list: Operand, ty: Type) -> Value {
        let kind = usize::from(ty == Type::F64);
        let of_below = self.place_behind(b, list, BELOW[kind]);
        let of_end = self.place_behind(b, list, ENDS[kind]);
        let below = Value::inst(b.insert(Op::Load, Type::I32, &[of_below], 0));
        let end = Value::inst(b.insert(Op::Load, Type::Ptr, &[of_end], 0));
        let top = Value::inst(b.insert(Op::Load, Type::Ptr, &[list], 0));
        let zero = b.f.int_of(Type::I32, 0);
        let is_stored = b.make(Op::ICmp, Type::I1, &[below, zero], IntPred::Slt as u32);
        let stored = self.moved(b, end, below);
        let place = b.make(Op::Select, Type::Ptr, &[is_stored, stored, top], 0);
        let step = b.f.int_of(Type::I32, STEPS[kind]);
        let less = b.make(Op::Add, Type::I32, &[below, step], 0);
        let less = b.make(Op::Select, Type::I32, &[is_stored, less, below], 0);
        b.insert(Op::Store, Type::Void, &[Operand::Value(less), of_below], 0);
        let eight = b.f.int_of(Type::I32, 8);
        let next = self.moved(b, top, eight);
        let next = b.make(Op::Select, Type::Ptr, &[is_stored, top, next], 0);
        b.insert(Op::Store, Type::Void, &[Operand::Value(next), list], 0);
        place
    }
}
