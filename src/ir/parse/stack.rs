//! Memory on the stack: variables, of which there is one a call of the function, and memory whose size or place is known
//! when the program runs only, which is taken each time (`Builtin::StackAlloc`). O(1) each.
//!
//! LLVM makes what is not in the entry block each time, too. Our own front end, whose text can be read again, has
//! variables wherever they are declared, and means one each: without an alignment, which others always say. So a
//! constant number of bytes outside of the entry block is a variable if it has none.

use super::builder::{Builder, Operand};
use super::lexer::Token;
use super::{Parsed, Parser, Symbol};
use crate::base::Handle;
use crate::ir::builtin::Builtin;
use crate::ir::{Effect, FuncId, Op, Type, Value};

impl Parser<'_> {
    /// `alloca`, whose word has been read.
    pub(super) fn alloca(&mut self, b: &mut Builder) -> Parsed<Value> {
        let at = self.start;
        let mem = self.memory_type()?;
        let mut shape = self.shape_of(mem);
        let mut ahead = self.lexer.clone();
        let is_counted = self.token == Token::Mark(b',')
            && matches!(ahead.next(), Ok((Token::Word(word), _)) if Self::type_of_word(word).is_some());
        let mut count = None;
        if is_counted {
            self.advance()?;
            let (ty, operand) = self.typed_operand(b)?;
            if !ty.is_int() {
                return self.error_at(at, "the number of elements of an alloca must be an integer");
            }
            count = Some((ty, operand));
        }
        let mut align = self.trailer()?.align;
        let (bytes, natural) = self.bytes_and_align(mem);
        if natural > 2 * self.platform.pointer_bytes {
            // What C aligns less says so.
            shape = self.module.env.shapes.of(Type::I8, &[bytes as u32]);
            align = if align == 0 { natural } else { align };
        }
        let known = match count {
            Some((_, operand)) => b.f.number(operand.now()).map(|x| x.unsigned()),
            None => Some(1),
        };
        if self.module.env.shapes.bytes(shape) == 0 {
            // Memory of no bytes has an address, which is no other's here.
            shape = self.module.env.shapes.of(Type::I8, &[1]);
        }
        let size = self.module.env.shapes.bytes(shape);
        let is_entry = b.f.entry() == Some(b.block);
        let stack_align = self.platform.pointer_bytes * 2;
        if let Some(known) = known
            && align <= stack_align
            && (is_entry || align == 0)
        {
            if size.saturating_mul(known) > i32::MAX as u64 {
                return self.error("this is not a supported number of elements");
            }
            if known != 1 {
                shape = self.module.env.shapes.array(shape, known as u32);
            }
            let shape = self.aligned(shape, align);
            return Ok(Value::inst(b.insert(Op::Alloca, Type::Ptr, &[], shape.index() as u32)));
        }
        let wide = self.pointer_int();
        let bytes = match (known, count) {
            (None, Some((ty, count))) => {
                let count = b.resized(count, ty, wide, Op::ZExt);
                let size_of_one = Operand::Value(b.f.int_of(wide, size as i64));
                match size {
                    1 => count,
                    _ => Operand::Value(Value::inst(b.insert(Op::Mul, wide, &[count, size_of_one], 0))),
                }
            }
            _ => Operand::Value(b.f.int_of(wide, size.wrapping_mul(known.unwrap_or(1)) as i64)),
        };
        let func = self.builtin(Builtin::StackAlloc(align.max(stack_align)), Type::Ptr, &[wide], "")?;
        Ok(Value::inst(b.insert(Op::Call, Type::Ptr, &[bytes], func.index() as u32)))
    }

    /// The function that stands for a builtin with arguments of these types, of which a value has one of this code.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        result: Type,
        params: &[Type],
        code: &str,
    ) -> Parsed<FuncId> {
        let text = builtin.name(code);
        let name = self.module.env.names.intern(&text);
        let is_new = self.symbols.get(name).is_none_or(|symbol| *symbol == Symbol::None);
        if !is_new
            && !matches!(self.symbols[name], Symbol::Func(func) if self.module.env.funcs[func].builtin.is_some())
        {
            return self.error(format!("`{text}` cannot be a name here: it stands for an instruction"));
        }
        if let Symbol::Func(func) = self.symbols.get(name).copied().unwrap_or(Symbol::None) {
            return Ok(func);
        }
        let func = self.declared(&text, result, params, Effect::ALL)?;
        let row = &mut self.module.env.funcs[func];
        (row.builtin, row.variadic) = (Some(builtin), builtin == Builtin::LandingPad);
        Ok(func)
    }

    /// `llvm.stacksave` and `llvm.stackrestore`; none for another function, or other arguments.
    pub(super) fn stack_pointer(
        &mut self,
        b: &mut Builder,
        name: &str,
        result: Type,
        args: &[(Type, Operand)],
    ) -> Parsed<Option<Option<Value>>> {
        let (builtin, params) = match (name.strip_suffix(".p0").unwrap_or(name), result, args) {
            ("llvm.stacksave", Type::Ptr, []) => (Builtin::StackSave, &[][..]),
            ("llvm.stackrestore", Type::Void, &[(Type::Ptr, _)]) => (Builtin::StackRestore, &[Type::Ptr][..]),
            _ => return Ok(None),
        };
        let func = self.builtin(builtin, result, params, "")?;
        let operands: Vec<Operand> = args.iter().map(|&(_, operand)| operand).collect();
        let v = Value::inst(b.insert(Op::Call, result, &operands, func.index() as u32));
        Ok(Some((result != Type::Void).then_some(v)))
    }
}
