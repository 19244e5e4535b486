//! Calls, and the intrinsics that are translated or dropped.

use super::attribute::{Attributes, Extended};
use super::body::{Builder, Operand};
use super::lexer::Token;
use super::{Parsed, Parser, Symbol, error_at};
use crate::base::Handle;
use crate::ir::opcode::{Arg, Form, Types};
use crate::ir::{Access, Effect, Env, Op, Type, Value, ValueKind};

/// Intrinsics that say something to LLVM's optimiser only.
const DROPPED: [&str; 5] =
    ["llvm.dbg.", "llvm.lifetime.", "llvm.assume", "llvm.experimental.noalias.scope.decl", "llvm.invariant."];

/// The arguments of a call, and what is said of each.
type Arguments = (Vec<(Type, Operand)>, Vec<Attributes>);

impl Parser<'_> {
    /// Reads a call; the value of its result, if it has one.
    pub(super) fn call(&mut self, b: &mut Builder) -> Parsed<Option<Value>> {
        self.skip_words(&["tail", "notail", "musttail"])?;
        self.expect_word("call")?;
        self.flags()?;
        let extension = self.attributes()?;
        let result = self.ty()?;
        let mut fixed = None;
        if self.token == Token::Mark(b'(') {
            fixed = self.fixed_arguments()?;
        }
        let at = self.start;
        let Token::Global(text) = self.token else {
            return self.indirect(b, result, extension.extended(result), fixed);
        };
        let name = self.name_text(text)?;
        let symbol = self.symbol(text)?;
        self.advance()?;
        if DROPPED.iter().any(|prefix| name.starts_with(prefix)) {
            if self.token != Token::Mark(b'(') {
                return self.expected("`(`");
            }
            self.skip_balanced()?;
            self.call_trailer()?;
            return Ok(None);
        }
        let (args, said) = self.arguments(b, at)?;
        let operands: Vec<Operand> = args.iter().map(|&(_, operand)| operand).collect();
        if name.starts_with("llvm.") || opcode_of(&name).is_some() {
            let before = b.f.inst_count();
            if let Some(done) = self.volatile_copy(b, &name, &args)? {
                return Ok(done);
            }
            let is_opcode = opcode_of(&name).is_some();
            if !is_opcode && let Some(done) = self.expanded(b, &name, result, &args)? {
                return Ok(done);
            }
            let value = intrinsic(&self.module.env, b, &name, result, &args);
            let address = args.iter().position(|&(ty, _)| ty == Type::Ptr);
            let align = address.map_or(0, |k| said[k].align);
            for i in b.f.insts_from(before) {
                if Access::is_of(b.f.op(i)) {
                    b.f.set_access(i, Access { align, tag: 0 });
                }
            }
            let message = || format!("`{name}` is not supported, or not with these arguments");
            return value.ok_or_else(|| error_at(self.lexer.text, at, message()));
        }
        let Symbol::Func(func) = symbol else {
            return Err(error_at(self.lexer.text, at, format!("`{name}` is not a function")));
        };
        let mut operands = operands;
        for (k, operand) in operands.iter_mut().enumerate() {
            if let Some((op, ty)) = self.extended(func, k + 1) {
                if args[k].0 != ty {
                    return self.error_at(at, format!("argument {k} is not of type {}", ty.name()));
                }
                *operand = Operand::Value(Value::inst(b.insert(op, Type::I32, &[*operand], 0)));
            }
        }
        let of_result = self.extended(func, 0);
        if of_result.is_some_and(|(_, ty)| ty != result) {
            return self.error_at(at, "the result has another type");
        }
        let ty = of_result.map_or(result, |_| Type::I32);
        let v = Value::inst(b.insert(Op::Call, ty, &operands, func.index() as u32));
        if of_result.is_some() {
            let narrow = b.insert(Op::Trunc, result, &[Operand::Value(v)], 0);
            return Ok(Some(Value::inst(narrow)));
        }
        Ok((result != Type::Void).then_some(v))
    }

    /// Volatile memory that is set, copied or moved, and all that is moved, is by the C library's function, of which
    /// nothing is known.
    fn volatile_copy(
        &mut self,
        b: &mut Builder,
        name: &str,
        args: &[(Type, Operand)],
    ) -> Parsed<Option<Option<Value>>> {
        let &[(Type::Ptr, to), (kind, second), (of_length, length), (Type::I1, volatile)] = args else {
            return Ok(None);
        };
        let Some(function) = name.split('.').nth(1) else { return Ok(None) };
        let is_volatile = b.f.as_int(volatile.now()) == Some(1);
        let kind_of = match function {
            "memset" if is_volatile => Type::I8,
            "memcpy" if is_volatile => Type::Ptr,
            "memmove" => Type::Ptr,
            _ => return Ok(None),
        };
        if kind != kind_of || !of_length.is_int() {
            return Ok(None);
        }
        let wide = self.pointer_int();
        let second_as = if kind == Type::I8 { Type::I32 } else { Type::Ptr };
        let func = self.declared(function, Type::Ptr, &[Type::Ptr, second_as, wide], Effect::ALL)?;
        let length = b.resized(length, of_length, wide, Op::ZExt);
        let second = if kind == Type::I8 { b.resized(second, kind, second_as, Op::ZExt) } else { second };
        b.insert(Op::Call, Type::Ptr, &[to, second, length], func.index() as u32);
        Ok(Some(None))
    }

    /// The arguments of a call, `at` its callee, what is said of each, and what stands behind them. One place is left for
    /// the address of what is called.
    fn arguments(&mut self, b: &mut Builder, at: usize) -> Parsed<Arguments> {
        self.expect(b'(')?;
        let (mut args, mut said) = (Vec::new(), Vec::new());
        while self.token != Token::Mark(b')') {
            args.push(self.typed_operand(b)?);
            said.push(self.said);
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(b')')?;
        self.call_trailer()?;
        if self.token == Token::Mark(b'[') {
            return self.error("operand bundles are not supported");
        }
        if args.len() >= usize::from(u16::MAX) {
            return self.error_at(at, "this call has too many arguments");
        }
        Ok((args, said))
    }

    /// Steps over a function's type, `(ptr, ...)`: how many arguments such a variadic one always takes. (Of others the
    /// arguments say the same.)
    fn fixed_arguments(&mut self) -> Parsed<Option<usize>> {
        let (mut count, mut is_variadic, mut depth) = (0, false, 0);
        loop {
            match self.token {
                Token::Mark(b'(' | b'{' | b'[' | b'<') => depth += 1,
                Token::Mark(b')' | b'}' | b']' | b'>') => depth -= 1,
                Token::Mark(b'.') if depth == 1 => is_variadic = true,
                Token::Mark(b',') if depth == 1 => count += 1,
                Token::End => return self.expected("`)`"),
                _ => {}
            }
            self.advance()?;
            if depth == 0 {
                return Ok(is_variadic.then_some(count));
            }
        }
    }

    /// The call of what has its address in a value, which is the token.
    fn indirect(
        &mut self,
        b: &mut Builder,
        result: Type,
        of_result: Extended,
        fixed: Option<usize>,
    ) -> Parsed<Option<Value>> {
        if self.token == Token::Word("asm") {
            return self.error("inline assembly is not supported");
        }
        let at = self.start;
        let mut operands = vec![self.operand(b, Type::Ptr)?];
        let (args, said) = self.arguments(b, at)?;
        let mut types = Vec::new();
        for (&(ty, operand), said) in args.iter().zip(&said) {
            let (ty, operand) = match said.extended(ty) {
                Some((op, ty)) => (Type::I32, b.resized(operand, ty, Type::I32, op)),
                None => (ty, operand),
            };
            types.push(ty);
            operands.push(operand);
        }
        let returns_by = said.iter().any(|said| said.is_result);
        if said.iter().skip(1).any(|said| said.is_result) || returns_by && types[0] != Type::Ptr {
            return self.error_at(at, "the place of the result must be the first argument, a ptr");
        }
        types.truncate(fixed.unwrap_or(types.len()));
        let ty = of_result.map_or(result, |_| Type::I32);
        let key = (ty, types, fixed.is_some(), returns_by);
        let func = match self.indirect.get(&key) {
            Some(&func) => func,
            None => {
                let func = self.module.env.indirect(key.0, &key.1, key.2, key.3);
                self.extended.push(Vec::new());
                self.indirect.insert(key, func);
                func
            }
        };
        let v = Value::inst(b.insert(Op::Call, ty, &operands, func.index() as u32));
        if of_result.is_some() {
            let narrow = b.insert(Op::Trunc, result, &[Operand::Value(v)], 0);
            return Ok(Some(Value::inst(narrow)));
        }
        Ok((result != Type::Void).then_some(v))
    }

    fn call_trailer(&mut self) -> Parsed<()> {
        while let Token::Hash(text) = self.token {
            if text.starts_with("dbg_") {
                return Ok(());
            }
            self.advance()?;
        }
        // Attributes end where the next instruction's word would begin; those that stand here take no words
        // but these.
        while let Token::Word(
            "nounwind" | "noreturn" | "readnone" | "readonly" | "willreturn" | "memory" | "cold",
        ) = self.token
        {
            self.advance()?;
            if self.token == Token::Mark(b'(') {
                self.skip_balanced()?;
            }
        }
        Ok(())
    }
}

/// The opcode that a function stands for, and the type in its name.
pub(super) fn opcode_of(name: &str) -> Option<(Op, Type)> {
    let of = |op: &Op| {
        let rest = name.strip_prefix(op.row().name)?.strip_prefix('.')?;
        let code = rest.strip_suffix(op.name_ending()).filter(|_| op.row().form.is_function())?;
        Some((*op, Type::every().find(|ty| ty.code() == code)?))
    };
    Op::ALL.iter().find_map(of)
}

/// The operands among the arguments of a function that stands for an opcode; none if the others are not
/// what they have to be.
fn operands_among(b: &mut Builder, op: Op, ty: Type, args: &[(Type, Operand)]) -> Option<Vec<Operand>> {
    let Form::Intrinsic(form) = op.row().form else {
        let fits = args.len() == usize::from(op.row().operands);
        return fits.then(|| args.iter().map(|&(_, operand)| operand).collect());
    };
    if args.len() != form.len() {
        return None;
    }
    let mut operands = Vec::new();
    for (arg, &(_, operand)) in form.iter().zip(args) {
        let number = b.f.as_int(operand.now());
        let good = match arg {
            Arg::Operand => {
                operands.push(operand);
                true
            }
            // `llvm.abs` may be told that MIN does not occur.
            Arg::Always(..) => number.is_some(),
            Arg::Align => number.is_some_and(|align| align >= i64::from(ty.element().bytes())),
            Arg::Lanes => number == Some(i64::from(ty.lanes())),
            Arg::AllTrue => b.is_all_true(operand),
        };
        if !good {
            return None;
        }
    }
    Some(operands)
}

/// Code for an intrinsic; none if it is not known.
fn intrinsic(
    env: &Env,
    b: &mut Builder,
    name: &str,
    result: Type,
    args: &[(Type, Operand)],
) -> Option<Option<Value>> {
    if let Some((op, ty)) = opcode_of(name).filter(|&(op, _)| !matches!(op, Op::MemSet | Op::MemCopy)) {
        let operands = operands_among(b, op, ty, args)?;
        let is = |k: usize, ty: Type| args.get(k).is_some_and(|&(of, _)| of == ty);
        let fits = match op {
            Op::ReduceFAdd => is(1, ty) && result == ty.element(),
            Op::MaskedStore | Op::StridedStore => is(0, ty) && result == Type::Void,
            _ if op.row().types == Types::Reduce => is(0, ty) && result == ty.element(),
            _ => result == ty,
        };
        let by_row = !matches!(op.row().types, Types::Int | Types::Float) || {
            args[..operands.len()].iter().all(|&(of, _)| of == ty)
        };
        if !fits || !by_row {
            return None;
        }
        let i = b.insert(op, result, &operands, 0);
        return Some((result != Type::Void).then_some(Value::inst(i)));
    }
    let &[(Type::Ptr, to), (kind, second), (of_length @ (Type::I32 | Type::I64), length), (_, volatile)] =
        args
    else {
        return None;
    };
    if b.f.as_int(volatile.now()) != Some(0) {
        return None;
    }
    let bytes = b.f.as_int(length.now()).filter(|_| of_length == Type::I64);
    let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok());
    match (name.split('.').nth(1)?, kind, bytes) {
        ("memset", Type::I8, Some(bytes)) if b.f.as_int(second.now()) == Some(0) => {
            b.insert(Op::MemInit, Type::Void, &[to], bytes);
        }
        ("memcpy", Type::Ptr, Some(bytes)) if is_constant(env, second, bytes) => {
            b.insert(Op::MemInit, Type::Void, &[to, second], bytes);
        }
        ("memset", Type::I8, _) => _ = b.insert(Op::MemSet, Type::Void, &[to, second, length], 0),
        ("memcpy", Type::Ptr, _) => _ = b.insert(Op::MemCopy, Type::Void, &[to, second, length], 0),
        _ => return None,
    }
    Some(None)
}

/// True for a constant global of at least so many bytes.
fn is_constant(env: &Env, source: Operand, bytes: u32) -> bool {
    let ValueKind::Global(source) = source.now().kind() else { return false };
    let row = &env.globals[source];
    row.constant && env.shapes.bytes(row.shape) >= u64::from(bytes)
}
