//! Inline assembly without code, which programs put around what they measure, and barriers. O(operands) each.

use super::builder::{Builder, Operand};
use super::lexer::Token;
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::builtin::Builtin;
use crate::ir::{Op, Type, Value};

impl Parser<'_> {
    /// `call asm`, of which the token is `asm`: an assembly that says nothing, with which C (`asm volatile("" ::: "memory")`) and
    /// Rust (`black_box`) keep compilers from knowing something. What it is given may be read and changed. Its result is
    /// the operand that it shares a register with.
    pub(super) fn empty_assembly(&mut self, b: &mut Builder, result: Type) -> Parsed<Option<Value>> {
        let at = self.start;
        self.advance()?;
        self.skip_words(&["sideeffect", "alignstack", "inteldialect", "unwind"])?;
        let Token::String(code) = self.token else { return self.expected("a string") };
        self.advance()?;
        self.expect(b',')?;
        let Token::String(constraints) = self.token else { return self.expected("a string") };
        self.advance()?;
        let is_input = |word: &&str| !word.starts_with(['~', '=']) || word.starts_with("=*");
        let all: Vec<&str> = constraints.split(',').filter(|word| !word.is_empty()).collect();
        let has_output = all.iter().any(|word| word.starts_with('=') && !word.starts_with("=*"));
        let is_many = all.iter().filter(|word| word.starts_with('=') && !word.starts_with("=*")).count() > 1;
        let is_empty = code.bytes().all(|c| c.is_ascii_whitespace());
        if !is_empty || is_many || has_output != (result != Type::Void) {
            return self.error_at(at, "inline assembly is not supported");
        }
        let given = self.given(b)?;
        let inputs: Vec<&str> = all.iter().copied().filter(is_input).collect();
        if inputs.len() != given.len() || given.iter().any(|given| given.wide.is_some()) {
            return self.error_at(at, "inline assembly is not supported");
        }
        for given in given.iter().filter(|given| given.ty == Type::Ptr) {
            self.barrier(b, Some(given.value))?;
        }
        if constraints.contains("~{memory}") && given.iter().all(|given| given.ty != Type::Ptr) {
            self.barrier(b, None)?;
        }
        if !has_output {
            return Ok(None);
        }
        let shared = inputs.iter().zip(&given).find(|(word, _)| **word == "0").map(|(_, given)| given.value);
        let v = match shared {
            Some(v) if b.f.type_of(v) == result => v,
            None if result.is_int() => b.f.int_of(result, 0),
            _ => return self.error_at(at, "inline assembly is not supported"),
        };
        // Through memory that is volatile, so that passes do not know the value.
        let shape = self.module.env.shapes.of(result, &[]);
        let room = self.local_room(b, shape)?;
        b.insert(Op::StoreVolatile, Type::Void, &[Operand::Value(v), room], 0);
        Ok(Some(Value::inst(b.insert(Op::LoadVolatile, result, &[room], 0))))
    }

    /// What passes and machines take for something that reads and writes all memory, and what this address leads to.
    pub(super) fn barrier(&mut self, b: &mut Builder, address: Option<Value>) -> Parsed<()> {
        let (params, code): (&[Type], &str) = match address {
            Some(_) => (&[Type::Ptr], "p0"),
            None => (&[], ""),
        };
        let func = self.builtin(Builtin::Barrier, Type::Void, params, code)?;
        let operands: Vec<Operand> = address.into_iter().map(Operand::Value).collect();
        b.insert(Op::Call, Type::Void, &operands, func.index() as u32);
        Ok(())
    }
}
