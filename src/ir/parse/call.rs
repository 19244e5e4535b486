//! Calls, and the intrinsics that are translated or dropped.

use super::aggregate::Compound;
use super::attribute::{Attributes, Extended, carrier};
use super::builder::{Builder, Operand};
use super::half::{Small, TRAVELS};
use super::head::TAIL;
use super::keywords::Places;
use super::lanes::of_lane;
use super::lexer::Token;
use super::parts::NO_VECTORS;
use super::tail::mark_call;
use super::{Parsed, Parser, Symbol, error_at};
use crate::base::Handle;
use crate::ir::opcode::{Arg, Form, Types};
use crate::ir::{Access, Effect, Env, Flags, FuncId, Group, Linkage, Op, Parts, Type, Value, ValueKind};

/// Intrinsics that say something to LLVM's optimiser only.
#[rustfmt::skip]
const DROPPED: [&str; 6] =
    ["llvm.dbg.", "llvm.lifetime.", "llvm.assume", "llvm.experimental.noalias.scope.decl", "llvm.invariant.", "llvm.prefetch."];

/// An argument's type and value.
type Argument = (Type, Operand);

/// The arguments of a call.
struct Arguments {
    /// Types and values.
    args: Vec<Argument>,
    /// What is said of each.
    said: Vec<Attributes>,
    /// Which are parts of one.
    groups: Vec<Group>,
    /// Where those of the text begin.
    starts: Vec<usize>,
    /// The parts of the result, if the first is said to lead to them.
    results: Vec<(Type, u32)>,
    /// One is said to lead to variadic arguments.
    is_varargs: bool,
    /// There is one that the tables have no type for.
    has_compound: bool,
}

/// A call's result: its type, how it is extended, and its parts if it has any.
type Result = (Type, Extended, Option<Compound>);

/// A function's type at a call.
struct Stated<'a> {
    /// The words of types that are one.
    types: Vec<Option<&'a str>>,
    is_variadic: bool,
}

impl<'a> Parser<'a> {
    /// Reads a call; the value of its result, if it has one.
    pub(super) fn call(&mut self, b: &mut Builder) -> Parsed<Option<Value>> {
        let (mark, before) = (self.tail_mark()?, b.f.inst_count());
        let value = self.call_by(b, "call")?;
        if mark != Flags::NONE {
            mark_call(b, before, mark);
        }
        Ok(value)
    }

    /// The same from the word `call` on, or another one in its place.
    pub(super) fn call_by(&mut self, b: &mut Builder, word: &str) -> Parsed<Option<Value>> {
        self.expect_word(word)?;
        let flags = self.float_flags()?;
        let convention = self.convention()?;
        let mut extension = self.attributes(Places::RESULT)?;
        let of_space = self.start;
        if self.eat_word("addrspace")? {
            self.address_space(of_space)?;
        }
        // Whether it stands for an opcode matters to vectors only.
        let name_ahead = self.vector_ahead().and_then(|_| self.called_ahead());
        let is_opcode = name_ahead.is_some_and(|name| name.starts_with("llvm.") || opcode_of(name).is_some());
        self.small = false;
        let (result, compound) = self.result_type(is_opcode)?;
        let is_small = self.small && compound.is_none();
        if let Some(has_result) = &mut self.jump {
            *has_result = result != Type::Void || compound.is_some();
        }
        match &compound {
            Some(compound) => self.suits_compound(&extension, compound)?,
            None => {
                self.suits(&extension, result)?;
                self.floats_only(flags, if is_small { Type::F32 } else { result })?;
            }
        }
        if is_small {
            extension.extension = Some(TRAVELS);
        }
        let single = Some(result).filter(|_| compound.is_none());
        let stated = if self.token == Token::Mark(b'(') { Some(self.stated()?) } else { None };
        let stated = stated.as_ref();
        let fixed = stated.filter(|stated| stated.is_variadic).map(|stated| stated.types.len());
        let at = self.start;
        if self.token == Token::Word("asm") {
            return self.assembly(b, result, compound.as_ref());
        }
        let Token::Global(text) = self.token else {
            self.called_by(convention, None)?;
            let callee = self.operand(b, Type::Ptr)?;
            let args = self.arguments(b, at, (single, compound.as_ref()), stated, (true, false))?;
            return self.indirect(
                b,
                (callee, args),
                (result, self.travels(extension, result, false), compound),
                (fixed, convention.is_some_and(|said| said.0 == TAIL)),
            );
        };
        let mut name = self.name_text(text)?;
        if self.lane.is_some() {
            name = of_lane(&name).into();
        }
        let symbol = self.symbol(text)?;
        let func = if let Symbol::Func(func) = symbol { Some(func) } else { None };
        self.called_by(convention, func)?;
        self.advance()?;
        if DROPPED.iter().any(|prefix| name.starts_with(prefix)) {
            if self.token != Token::Mark(b'(') {
                return self.expected("`(`");
            }
            if self.keeps_debug_records && name.starts_with("llvm.dbg.") {
                b.records.push((b.block, b.at));
            }
            self.skip_balanced()?;
            self.call_attributes()?;
            if self.token == Token::Mark(b'[') {
                self.skip_balanced()?;
            }
            // What names the place of `llvm.invariant.start`, for its end only.
            b.f.note_type(result);
            return Ok((result == Type::Ptr).then_some(Value::undef(result)));
        }
        if let Some(function) = name.strip_suffix(".f128") {
            return self.quad_intrinsic(b, (function, at)).map(Some);
        }
        for (ending, kind) in [(".f16", Small::Half), (".bf16", Small::Brain)] {
            if let Some(function) = name.strip_suffix(ending).filter(|_| self.takes_small) {
                return self.small_intrinsic(b, (function, kind, at), (result, is_small));
            }
        }
        if let Some(value) = self.any_width(b, (&name, at), (result, compound.as_ref()))? {
            return Ok(Some(value));
        }
        if name.starts_with("llvm.") && name.contains(".with.overflow.") {
            // Its two results are never in memory.
            let args = self.arguments(b, at, (None, None), stated, (false, false))?.args;
            let value = self.overflowing(b, &name, &args)?;
            let told = compound.as_ref().and_then(|compound| compound.mem);
            let made = b.made.as_ref().and_then(|made| made.mem);
            let is_so = told.zip(made).is_some_and(|(told, made)| self.is_same(told, made));
            let Some(value) = value.filter(|_| is_so) else {
                return self.error_at(at, format!("`{name}` is not supported, or not with these arguments"));
            };
            return Ok(Some(value));
        }
        let row = func.map(|func| &self.module.env.funcs[func]);
        let is_variadic = row.is_some_and(|row| row.variadic);
        let named = row.map_or(0, |row| row.params.len());
        let is_varargs = row.and_then(|row| row.parts.as_deref()).is_some_and(|parts| parts.varargs);
        let is_internal = row.is_some_and(|row| row.linkage == Linkage::Internal);
        let is_own = !name.starts_with("llvm.") && opcode_of(&name).is_none();
        if is_own && !is_internal && self.is_unheld_result(compound.as_ref()) {
            return self.error_at(at, NO_VECTORS);
        }
        let of_call = (is_own, is_own && is_internal);
        let mut all = self.arguments(b, at, (single, compound.as_ref()), stated, of_call)?;
        let named = named - usize::from(is_varargs);
        let is_part = all.args.iter().skip(named).any(|arg| arg.0 == Type::F32);
        if is_variadic && (is_part || all.groups.iter().any(|group| group.first as usize >= named)) {
            // How such arguments travel is known of the call, not of the function.
            let callee = Operand::Value(Value::global(self.address_of(text, at)?));
            let fixed = all.starts.iter().position(|&start| start >= named);
            return self.indirect(
                b,
                (callee, all),
                (result, self.travels(extension, result, false), compound),
                (fixed, false),
            );
        }
        let room = all.args.first().map(|arg| arg.1);
        if is_varargs && !all.is_varargs {
            let k = usize::from(!self.results_of(compound.as_ref()).is_empty()).min(all.args.len());
            b.f.note_type(Type::Ptr);
            all.args.insert(k, (Type::Ptr, Operand::Value(Value::undef(Type::Ptr))));
            all.said.insert(k, Attributes::default());
        }
        let Arguments { args, said, results: told, has_compound, .. } = all;
        if !name.starts_with("llvm.") {
            said.iter().try_for_each(|said| self.no_immediate(said))?;
        }
        let operands: Vec<Operand> = args.iter().map(|&(_, operand)| operand).collect();
        if name.starts_with("llvm.") || opcode_of(&name).is_some() {
            if has_compound || compound.as_ref().is_some_and(Compound::is_integer) {
                return self.error_at(at, format!("`{name}` is not supported"));
            }
            let before = b.f.inst_count();
            if self.varargs(b, &name, &args)? {
                return Ok(None);
            }
            if let Some(done) = self.volatile_copy(b, &name, &args)? {
                return Ok(done);
            }
            if is_copy(&name) && self.small_copy(b, &args, |k| said[k].align) {
                return Ok(None);
            }
            if let Some(done) = self.stack_pointer(b, &name, result, &args)? {
                return Ok(done);
            }
            if let Some(number) = self.type_id(b, &name, &args)? {
                return Ok(Some(number));
            }
            // VFPv3 has no such instruction, but the C library has the function.
            let is_missing = self.platform.name == "armv7" && name.starts_with("llvm.fma.");
            let is_opcode = opcode_of(&name).is_some() && !is_missing;
            if !is_opcode && let Some(done) = self.expanded(b, &name, result, &args)? {
                return Ok(done);
            }
            let value = intrinsic(&self.module.env, b, &name, result, &args);
            let address = args.iter().position(|&(ty, _)| ty == Type::Ptr);
            let align = address.map_or(0, |k| said[k].align);
            for i in b.f.insts_from(before) {
                if Access::is_of(b.f.op(i)) {
                    b.f.set_access(i, Access { align });
                }
            }
            let message = || format!("`{name}` is not supported, or not with these arguments");
            return value.ok_or_else(|| error_at(self.lexer.text, at, message()));
        }
        let Symbol::Func(func) = symbol else {
            return Err(error_at(self.lexer.text, at, format!("`{name}` is not a function")));
        };
        if args.iter().any(|arg| arg.0.is_vector()) {
            return self.error_at(at, NO_VECTORS);
        }
        let mut operands = operands;
        for (k, &(of, _)) in args.iter().enumerate() {
            if let Some((_, ty)) = self.extended(func, k + 1).filter(|&(_, ty)| ty != of) {
                return self.error_at(at, format!("argument {k} is not of type {}", ty.name()));
            }
        }
        let of_result = self.extended(func, 0);
        if of_result.is_some_and(|(_, ty)| ty != result) {
            return self.error_at(at, "the result has another type");
        }
        let results = self.results_of(compound.as_ref());
        let of_callee = self.module.env.funcs[func].parts.as_deref().map_or(&[][..], |parts| &parts.results);
        if *of_callee != *results && *of_callee != *told {
            return self.error_at(at, "the result has another type");
        }
        if !self.is_result_of(func, compound.as_ref()) {
            return self.error_at(at, "the result has another type");
        }
        let is_in_memory = compound.as_ref().is_some_and(|compound| self.goes_by_memory(compound));
        let room = room.filter(|_| !results.is_empty() || is_in_memory);
        let v = self.call_extended(b, func, result, &mut operands)?;
        self.called(b, (result, of_result, compound), room, v)
    }

    /// Appends a call by name, whose arguments are extended before.
    fn call_extended(
        &mut self,
        b: &mut Builder,
        func: FuncId,
        result: Type,
        operands: &mut [Operand],
    ) -> Parsed<Value> {
        for (k, operand) in operands.iter_mut().enumerate() {
            if let Some(extended) = self.extended(func, k + 1) {
                *operand = self.sent(b, extended, *operand)?;
            }
        }
        let ty = carrier(self.extended(func, 0), result);
        Ok(Value::inst(b.insert(Op::Call, ty, operands, func.index() as u32)))
    }

    /// The same where everything travels in one part; what it yields.
    pub(super) fn call_of(
        &mut self,
        b: &mut Builder,
        func: FuncId,
        result: Type,
        operands: &mut [Operand],
    ) -> Parsed<Option<Value>> {
        let v = self.call_extended(b, func, result, operands)?;
        self.called(b, (result, self.extended(func, 0), None), None, v)
    }

    /// What a call yields.
    fn called(
        &mut self,
        b: &mut Builder,
        result: Result,
        room: Option<Operand>,
        v: Value,
    ) -> Parsed<Option<Value>> {
        let (ty, extended, compound) = result;
        Ok(match compound {
            // All of it is returned as it comes.
            _ if self.jump.is_some() => None,
            Some(compound) => Some(self.called_compound(b, &compound, (room, v))?),
            None if extended.is_some() => Some(self.received(b, extended, v)?),
            None => (ty != Type::Void).then_some(v),
        })
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
        if b.f.as_int(volatile.now()).is_none() {
            return Ok(None);
        }
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

    /// The arguments of a call, `at` its callee, and what stands behind them. One place is left for the address of what is
    /// called. A result of several parts takes room, which is the first.
    fn arguments(
        &mut self,
        b: &mut Builder,
        at: usize,
        (result, compound): (Option<Type>, Option<&Compound>),
        stated: Option<&Stated>,
        (is_own, is_internal): (bool, bool),
    ) -> Parsed<Arguments> {
        self.expect(b'(')?;
        let (mut args, mut said) = (Vec::new(), Vec::new());
        let (mut groups, mut starts) = (Vec::new(), Vec::new());
        let (mut results, mut is_varargs, mut has_compound) = (Vec::new(), false, false);
        let has_room = |compound: &&Compound| {
            !self.results_of(Some(compound)).is_empty() || self.goes_by_memory(compound)
        };
        if let Some(compound) = compound.filter(has_room) {
            let own = b.f.params().next().filter(|&i| self.jump.is_some() && b.f.ty(i) == Type::Ptr);
            let room = match own {
                Some(own) => Operand::Value(Value::inst(own)),
                None => self.room_for(b, compound)?,
            };
            args.push((Type::Ptr, room));
            let mut of_room = Attributes::default();
            of_room.is_result = self.is_demoted(compound);
            said.push(of_room);
        }
        while self.token != Token::Mark(b')') {
            if let Some(stated) = stated {
                self.is_stated(stated, starts.len())?;
            }
            starts.push(args.len());
            self.marks.clear();
            let of_type = self.start;
            let several = if self.at_compound() || is_own && self.vector_ahead().is_some() {
                has_compound = true;
                Some(self.compound_argument(b, args.len(), is_internal)?)
            } else {
                let (ty, operand) = self.argument(b)?;
                match self.said.by_value {
                    Some(mem) => Some(self.words_at(b, (mem, operand, of_type), args.len())?),
                    None => {
                        if !self.marks.is_empty() {
                            is_varargs |= self.marked(args.len(), &mut results, &mut groups)?;
                        }
                        args.push((ty, operand));
                        said.push(self.said);
                        None
                    }
                }
            };
            if let Some((parts, together)) = several {
                groups.extend(together);
                args.extend(parts);
                said.resize(args.len(), Attributes::default());
            }
            if !self.another()? {
                break;
            }
        }
        if stated.is_some_and(|stated| starts.len() < stated.types.len()) {
            return self.error("this call has fewer arguments than its type");
        }
        self.expect(b')')?;
        if let Some(result) = result {
            self.returns_one(result, said.iter().copied().zip(args.iter().map(|arg: &Argument| arg.0)))?;
        }
        self.call_attributes()?;
        if self.token == Token::Mark(b'[') {
            return self.error("operand bundles are not supported");
        }
        if args.len() >= usize::from(u16::MAX) {
            return self.error_at(at, "this call has too many arguments");
        }
        Ok(Arguments { args, said, groups, starts, results, is_varargs, has_compound })
    }

    /// Steps over a function's type, `(ptr, ...)`.
    fn stated(&mut self) -> Parsed<Stated<'a>> {
        let (mut types, mut is_variadic, mut depth) = (Vec::new(), false, 0);
        let mut begins = false;
        loop {
            match self.token {
                Token::Mark(b')') if depth == 1 && !begins => depth = 0,
                Token::Mark(b')') if depth == 1 && types.is_empty() => depth = 0,
                Token::Mark(b'.') if depth == 1 && begins => (is_variadic, begins) = (true, false),
                Token::Mark(b',') if depth == 1 && !begins && !is_variadic => begins = true,
                token => {
                    if is_variadic || depth == 1 && matches!(token, Token::Mark(b'.' | b',' | b')')) {
                        return self.expected("a function's type");
                    }
                    if depth == 1 && begins {
                        types.push(if let Token::Word(word) = token { Some(word) } else { None });
                    }
                    begins = depth == 0;
                    match token {
                        Token::Mark(b'(' | b'{' | b'[' | b'<') => depth += 1,
                        Token::Mark(b')' | b'}' | b']' | b'>') => depth -= 1,
                        Token::End => return self.expected("`)`"),
                        _ => {}
                    }
                }
            }
            self.advance()?;
            if depth == 0 {
                return Ok(Stated { types, is_variadic });
            }
        }
    }

    /// That the type of an argument, which is the token, is what a function's type says of it.
    fn is_stated(&self, stated: &Stated, k: usize) -> Parsed<()> {
        let is_so = match stated.types.get(k) {
            Some(Some(word)) => self.token == Token::Word(word),
            Some(None) => true,
            None => stated.is_variadic,
        };
        if is_so { Ok(()) } else { self.error("this argument is not what the type of the call says") }
    }

    /// The call of what has its address in a value, which is the token.
    fn indirect(
        &mut self,
        b: &mut Builder,
        (callee, all): (Operand, Arguments),
        (result, of_result, compound): Result,
        (fixed, is_tail): (Option<usize>, bool),
    ) -> Parsed<Option<Value>> {
        let at = b.at as usize;
        let mut operands = vec![callee];
        let Arguments { args, said, groups, starts, results: told, .. } = all;
        if self.is_unheld_result(compound.as_ref()) || args.iter().any(|arg| arg.0.is_vector()) {
            return self.error_at(at, NO_VECTORS);
        }
        let room = args.first().map(|arg| arg.1);
        let mut types = Vec::new();
        for (&(ty, operand), said) in args.iter().zip(&said) {
            let (ty, operand) = match self.travels(*said, ty, false) {
                Some((TRAVELS, ty)) => (Type::F32, self.sent(b, (TRAVELS, ty), operand)?),
                Some((op, ty)) => (Type::I32, b.resized(operand, ty, Type::I32, op)),
                None => (ty, operand),
            };
            types.push(ty);
            operands.push(operand);
        }
        // Behind a part of a float there are named ones only, where all travel alike.
        let named = |&k: &usize| starts.get(k).copied().unwrap_or(types.len());
        let is_single = |from: usize| types.iter().skip(from).any(|&ty| ty == Type::F32);
        let fixed = fixed.map(|k| named(&k)).filter(|&from| !is_single(from));
        said.iter().try_for_each(|said| self.no_immediate(said))?;
        let returns_by = said.iter().any(|said| said.is_result);
        if said.iter().skip(1).any(|said| said.is_result) || returns_by && types[0] != Type::Ptr {
            return self.error_at(at, "the place of the result must be the first argument, a ptr");
        }
        types.truncate(fixed.unwrap_or(types.len()));
        let ty = carrier(of_result, result);
        let mut results = self.results_of(compound.as_ref());
        let is_in_memory = compound.as_ref().is_some_and(|compound| self.goes_by_memory(compound));
        let room = room.filter(|_| !results.is_empty() || is_in_memory);
        if results.is_empty() {
            results = told;
        }
        let is_plain = results.is_empty() && groups.is_empty();
        let parts = (!is_plain).then(|| Box::new(Parts { results, groups, varargs: false }));
        let key = (ty, types, [fixed.is_some(), returns_by, is_tail], parts);
        let func = match self.indirect.get(&key) {
            Some(&func) => func,
            None => {
                let [variadic, returns_by, tail] = key.2;
                let func = self.module.env.indirect(key.0, &key.1, variadic, returns_by);
                self.module.env.funcs[func].parts = key.3.clone();
                self.module.env.funcs[func].tail = tail;
                self.extended.push(Vec::new());
                self.indirect.insert(key, func);
                func
            }
        };
        let v = Value::inst(b.insert(Op::Call, ty, &operands, func.index() as u32));
        self.called(b, (result, of_result, compound), room, v)
    }
}

/// The opcode that a function stands for, and the type in its name.
pub(super) fn opcode_of(name: &str) -> Option<(Op, Type)> {
    // Few names have a point, and all of these have.
    if !name.contains('.') {
        return None;
    }
    let of = |op: &Op| {
        let row = Some(op.row()).filter(|row| row.form.is_function())?;
        let rest = name.strip_prefix(row.name)?.strip_prefix('.')?;
        let code = rest.strip_suffix(op.name_ending())?;
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
            Arg::Always(..) if op == Op::Splice => number == Some(-1),
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
pub(super) fn intrinsic(
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
        let by_row = !matches!(op.row().types, Types::Int | Types::Bytes | Types::Float) || {
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

/// True for the intrinsic that copies memory.
fn is_copy(name: &str) -> bool {
    name.starts_with("llvm.memcpy.")
}

/// True for a constant global of at least so many bytes.
pub(super) fn is_constant(env: &Env, source: Operand, bytes: u32) -> bool {
    let ValueKind::Global(source) = source.now().kind() else { return false };
    let row = &env.globals[source];
    row.constant && env.shapes.bytes(row.shape) >= u64::from(bytes)
}
