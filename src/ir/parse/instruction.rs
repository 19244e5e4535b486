//! Instructions other than phis and calls.

use super::builder::{Builder, Operand};
use super::keywords::Places;
use super::layout::Mem;
use super::lexer::{Text, Token};
use super::metadata::Bearer;
use super::words::meaning;
use super::{Parsed, Parser, error_at};
use crate::base::Handle;
use crate::ir::fold::Number;
use crate::ir::opcode::Form;
use crate::ir::{Block, Effect, Flags, FloatPred, IntPred, Op, Shape, Type, Value};

impl<'a> Parser<'a> {
    /// Reads an instruction whose result is called `result`; true if it ends the block. What names a type that the
    /// tables lack where one of theirs was looked for is read again, by its words or
    /// its lanes, and so is what their vectors cannot do.
    pub(super) fn instruction(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<bool> {
        let Token::Word(word) = self.token else { return self.expected("an instruction") };
        let (at, start) = (self.lexer.at, self.start);
        if self.is_call_in_lanes(word) && self.in_lanes(b, word, result)?.is_some() {
            return Ok(false);
        }
        let error = match self.usual(b, word, result) {
            Err(error) => error,
            done => return done,
        };
        let met_wide = std::mem::take(&mut self.met_wide);
        let met_small = std::mem::take(&mut self.met_small);
        b.made = None;
        (self.lexer.at, self.token, self.start) = (at, Token::Word(word), start);
        if self.in_lanes(b, word, result)?.is_some() {
            return Ok(false);
        }
        if !met_wide {
            return Err(error);
        }
        if met_small {
            return match self.small_instruction(b, word, result)? {
                Some(ends) => Ok(ends),
                None => Err(error),
            };
        }
        if self.quad(b, word, result)?.is_some() {
            return Ok(false);
        }
        match self.wide(b, word, result)? {
            Some(()) => Ok(false),
            None => self.usual(b, word, result),
        }
    }

    pub(super) fn usual(&mut self, b: &mut Builder, word: &str, result: Option<Text<'a>>) -> Parsed<bool> {
        let before = b.f.inst_count();
        // Half of what is not optimised.
        let is_access = matches!(word, "load" | "store");
        let op = if is_access { None } else { meaning(word).op };
        let value = match op {
            None if is_access => {
                self.advance()?;
                if word == "load" { Some(self.load(b)?) } else { self.store(b).map(|()| None)? }
            }
            None if self.terminator(b, word)? => {
                if result.is_some() {
                    return self.error_at(b.at as usize, "a terminator has no result");
                }
                return self.metadata_behind().map(|()| true);
            }
            _ => self.value_of(b, word)?,
        };
        let bearer = match (word, op) {
            ("call" | "tail" | "notail", _) if value.is_some() => {
                let ty = value.map_or(Type::Void, |v| b.f.type_of(v));
                let bits = b.made.as_ref().and_then(|made| made.bits).unwrap_or(0);
                Bearer { op: Some(Op::Call), ty, bits, ..Bearer::OTHER }
            }
            (_, Some(Op::IntToPtr)) => Bearer { op, ty: Type::Ptr, ..Bearer::OTHER },
            _ => Bearer::OTHER,
        };
        self.trailer_of(bearer)?;
        match value {
            Some(v) => {
                let v = b.own(v, before);
                self.bind(b, result, v)?;
            }
            None if result.is_some() => {
                return self.error_at(b.at as usize, "this instruction has no result");
            }
            None => {}
        }
        Ok(false)
    }

    /// What an instruction yields that is no access to memory and ends no block, up to its metadata.
    pub(super) fn value_of(&mut self, b: &mut Builder, word: &str) -> Parsed<Option<Value>> {
        Ok(match meaning(word).op {
            Some(Op::PtrToInt | Op::IntToPtr) => Some(self.pointer_cast(b, word)?),
            Some(op) if op.row().form == Form::Cast => {
                self.advance()?;
                self.flags(Places::of_op(op))?;
                let (_, a) = self.typed_operand(b)?;
                self.expect_word("to")?;
                let to = self.ty()?;
                Some(Value::inst(b.insert(op, to, &[a], 0)))
            }
            Some(op) => {
                self.advance()?;
                let flags = self.flags(Places::of_op(op))?;
                let (ty, a) = self.typed_operand(b)?;
                let mut args = [a; 2];
                if op.row().operands == 2 {
                    self.expect(b',')?;
                    args[1] = self.operand(b, ty)?;
                }
                let i = b.insert(op, ty, &args[..usize::from(op.row().operands)], 0);
                b.f.set_flags(i, flags.both(Flags::of(op)));
                Some(Value::inst(i))
            }
            None => match word {
                "call" | "tail" | "notail" => self.call(b)?,
                _ => self.other(b, word)?,
            },
        })
    }

    /// `bitcast`, of as many bytes: nothing, or by memory.
    fn bitcast(&mut self, b: &mut Builder) -> Parsed<Value> {
        let at = self.start;
        let (from, a) = self.typed_operand(b)?;
        self.expect_word("to")?;
        let to = self.ty()?;
        let is_number = |ty: Type| ty.is_float() || ty.is_int() && !ty.is_narrow();
        match (from, to) {
            _ if from == to => Ok(b.settled(a)),
            _ if is_number(from) && is_number(to) && from.bytes() == to.bytes() => self.bits(b, a, to),
            _ => {
                self.error_at(at, format!("a bitcast from {} to {} is not supported", from.name(), to.name()))
            }
        }
    }

    /// `ptrtoint` and `inttoptr`: the number is as wide as the address, and extended or cut down behind or before.
    fn pointer_cast(&mut self, b: &mut Builder, word: &str) -> Parsed<Value> {
        self.advance()?;
        let at = self.start;
        let (from, mut a) = self.typed_operand(b)?;
        self.expect_word("to")?;
        let to = self.ty()?;
        let (pointer, number, wide) = match word {
            "ptrtoint" => (from, to, self.pointer_int()),
            _ => (to, from, self.pointer_int()),
        };
        if pointer != Type::Ptr || !number.is_int() {
            return self.error_at(at, format!("{word} from {} to {}", from.name(), to.name()));
        }
        if word == "ptrtoint" {
            let whole = Value::inst(b.insert(Op::PtrToInt, wide, &[a], 0));
            return Ok(b.resized(Operand::Value(whole), wide, to, Op::ZExt).now());
        }
        a = b.resized(a, from, wide, Op::ZExt);
        Ok(Value::inst(b.insert(Op::IntToPtr, to, &[a], 0)))
    }

    /// Instructions that are not in a family; none for one without a result.
    fn other(&mut self, b: &mut Builder, word: &str) -> Parsed<Option<Value>> {
        let at = self.start;
        self.advance()?;
        let i = match word {
            "icmp" | "fcmp" => {
                self.flags(if word == "icmp" { Places::COMPARES } else { Places::FLOATS })?;
                let Token::Word(pred) = self.token else { return self.expected("a predicate") };
                let (op, payload) = if word == "icmp" {
                    (Op::ICmp, IntPred::ALL.iter().position(|p| p.name() == pred))
                } else {
                    (Op::FCmp, FloatPred::ALL.iter().position(|p| p.name() == pred))
                };
                let constant = (op == Op::FCmp && matches!(pred, "true" | "false")).then_some(pred == "true");
                if payload.or(constant.map(usize::from)).is_none() {
                    return self.expected("a predicate");
                }
                self.advance()?;
                let (mut ty, mut a) = self.typed_operand(b)?;
                self.expect(b',')?;
                let mut c = None;
                if ty == Type::Ptr && self.eat_word("null")? {
                    // A test of the number takes no register for the null pointer.
                    ty = self.pointer_int();
                    a = Operand::Value(Value::inst(b.insert(Op::PtrToInt, ty, &[a], 0)));
                    c = Some(Operand::Value(b.f.int_of(ty, 0)));
                }
                let c = match c {
                    Some(c) => c,
                    None => self.operand(b, ty)?,
                };
                if constant.is_some() && ty.is_vector() {
                    return self
                        .error("a comparison of vectors that is always true or false is not supported");
                }
                if let Some(constant) = constant {
                    return Ok(Some(Value::bool(constant)));
                }
                let Some(truth) = ty.of_element(Type::I1) else { return self.expected("a type") };
                b.insert(op, truth, &[a, c], payload.unwrap_or(0) as u32)
            }
            "freeze" if self.at_compound() => return self.freeze_compound(b).map(Some),
            "extractvalue" => return self.extract_value(b).map(Some),
            "insertvalue" => return self.insert_value(b).map(Some),
            "freeze" => {
                let at = self.start;
                let (ty, operand) = self.typed_operand(b)?;
                let v = b.settled(operand);
                return match b.original(v).is_undef() {
                    true if ty == Type::Ptr => {
                        self.error_at(at, "freeze of an undefined ptr is not supported")
                    }
                    true if ty.is_vector() => {
                        let zero = Operand::Value(b.f.constant(Number::zero(ty.element())));
                        Ok(Some(Value::inst(b.insert(Op::Splat, ty, &[zero], 0))))
                    }
                    true => Ok(Some(b.f.constant(Number::zero(ty)))),
                    false => Ok(Some(v)),
                };
            }
            "select" => {
                let flags = self.float_flags()?;
                let (of, condition) = self.typed_operand(b)?;
                self.expect(b',')?;
                if self.at_compound() {
                    if of != Type::I1 {
                        return self.error("the condition of this select must be i1");
                    }
                    return self.select_compound(b, condition).map(Some);
                }
                let (ty, yes) = self.typed_operand(b)?;
                self.floats_only(flags, ty)?;
                self.expect(b',')?;
                let (_, no) = self.typed_operand(b)?;
                b.insert(Op::Select, ty, &[condition, yes, no], 0)
            }
            "uitofp" | "fptoui" => self.unsigned(b, word)?,
            "extractelement" => {
                let (ty, v) = self.typed_operand(b)?;
                let lane = self.lane(b)?;
                b.insert(Op::ExtractLane, ty.element(), &[v], lane)
            }
            "insertelement" => {
                let (ty, v) = self.typed_operand(b)?;
                self.expect(b',')?;
                let (_, x) = self.typed_operand(b)?;
                let lane = self.lane(b)?;
                b.insert(Op::InsertLane, ty, &[v, x], lane)
            }
            // A rest is what the C library's function says, of which no machine here has an instruction.
            "frem" => {
                self.flags(Places::FLOATS)?;
                let (ty, x) = self.typed_operand(b)?;
                self.expect(b',')?;
                let y = self.operand(b, ty)?;
                let name = match ty {
                    Type::F32 => "fmodf",
                    Type::F64 => "fmod",
                    _ => return self.error_at(at, format!("`frem` of {} is not supported", ty.name())),
                };
                let func = self.declared(name, ty, &[ty, ty], Effect::NONE)?;
                b.insert(Op::Call, ty, &[x, y], func.index() as u32)
            }
            "va_arg" => return self.va_arg(b).map(Some),
            "atomicrmw" => return self.atomic_update(b).map(Some),
            "cmpxchg" => return self.compare_exchange(b).map(Some),
            "fence" => return self.fence(b).map(|()| None),
            "shufflevector" => return self.shuffle(b).map(Some),
            "bitcast" => return self.bitcast(b).map(Some),
            "alloca" => return self.alloca(b).map(Some),
            "getelementptr" => {
                let (mem, may_leave) = self.stepped(b"")?;
                self.expect(b',')?;
                let at = self.start;
                let mut args = vec![self.typed_operand(b)?.1];
                while self.token == Token::Mark(b',') && !self.comma_before_meta() {
                    self.advance()?;
                    let (ty, index) = self.typed_operand(b)?;
                    let is_narrow = matches!(ty, Type::I1 | Type::I8 | Type::I16);
                    args.push(if is_narrow { b.resized(index, ty, Type::I32, Op::SExt) } else { index });
                }
                if args.iter().any(|arg| b.f.type_of(arg.now()).is_vector()) {
                    return self.error_at(at, "a vector of addresses is not supported here");
                }
                match self.plain_shape(mem) {
                    Some(shape) => {
                        let shape = self.leaving(shape, may_leave);
                        b.insert(Op::ElemAddr, Type::Ptr, &args, shape.index() as u32)
                    }
                    None => self.part_address(b, (mem, may_leave), args[0], &args[1..])?,
                }
            }
            _ => {
                let message = format!("the instruction `{word}` is not supported");
                return Err(error_at(self.lexer.text, at, message));
            }
        };
        Ok(Some(Value::inst(i)))
    }

    /// The flags of an element address, what stands behind them, the type that it steps over, and whether its
    /// steps may leave the object.
    pub(super) fn stepped(&mut self, opening: &[u8]) -> Parsed<(Mem, bool)> {
        let mut may_leave = true;
        while let Token::Word(word @ ("inbounds" | "nusw" | "nuw")) = self.token {
            may_leave &= word != "inbounds";
            self.advance()?;
        }
        if self.eat_word("inrange")? {
            self.skip_balanced()?;
        }
        for &mark in opening {
            self.expect(mark)?;
        }
        Ok((self.memory_type()?, may_leave))
    }

    /// The shape, for steps that may leave the object.
    pub(super) fn leaving(&self, shape: Shape, may_leave: bool) -> Shape {
        if may_leave { self.module.env.shapes.leaving(shape) } else { shape }
    }

    /// `, i64 2`: the number of a lane.
    fn lane(&mut self, b: &mut Builder) -> Parsed<u32> {
        self.expect(b',')?;
        let at = self.start;
        let (_, lane) = self.typed_operand(b)?;
        match b.f.as_int(lane.now()).map(u32::try_from) {
            Some(Ok(lane)) => Ok(lane),
            _ => self.error_at(at, "the number of a lane must be a constant"),
        }
    }

    /// `shufflevector <4 x i32> %a, <4 x i32> %b, <4 x i32> <i32 0, ...>`, as lanes that are taken out and
    /// put in.
    fn shuffle(&mut self, b: &mut Builder) -> Parsed<Value> {
        let (ty, first) = self.typed_operand(b)?;
        self.expect(b',')?;
        let (_, second) = self.typed_operand(b)?;
        self.expect(b',')?;
        let mask = self.ty()?;
        let mut numbers = Vec::new();
        if self.eat_word("zeroinitializer")? {
            numbers.push(Some(0));
        } else if self.eat_word("undef")? || self.eat_word("poison")? {
            numbers.push(None);
        } else {
            self.expect(b'<')?;
            loop {
                let (_, lane) = self.typed_operand(b)?;
                numbers.push(b.f.as_int(lane.now()).and_then(|lane| u32::try_from(lane).ok()));
                if !self.eat(b',')? {
                    break;
                }
            }
            self.expect(b'>')?;
        }
        let Some(to) = mask.of_element(ty.element()) else {
            return self.error("no such vector is supported");
        };
        if mask.element() != Type::I32 {
            return self.error_at(b.at as usize, "the numbers of a shuffle are i32");
        }
        let known = numbers.iter().flatten().next().copied();
        if !ty.is_vector() || numbers.iter().flatten().any(|&lane| lane >= 2 * ty.lanes()) {
            return self.error("a shuffle of lanes that are not there");
        }
        let taken = |b: &mut Builder, lane: u32| {
            let (v, lane) = if lane < ty.lanes() { (first, lane) } else { (second, lane - ty.lanes()) };
            Operand::Value(Value::inst(b.insert(Op::ExtractLane, ty.element(), &[v], lane)))
        };
        let Some(lane) = known else {
            b.f.note_type(to);
            return Ok(Value::undef(to));
        };
        // Most spread the lane that was put in before.
        let put = first.now().as_inst().filter(|&i| {
            let put = b.f.op(i) == Op::InsertLane && b.f.payload(i) == lane;
            put && !b.f.arg(i, 1).is_undef()
        });
        let x = match put {
            Some(i) if lane < ty.lanes() => Operand::Value(b.f.arg(i, 1)),
            _ => taken(b, lane),
        };
        let mut v = b.insert(Op::Splat, to, &[x], 0);
        for (k, lane) in (0..).zip(numbers).filter_map(|(k, lane)| Some((k, lane?))) {
            if Some(lane) != known {
                let x = taken(b, lane);
                v = b.insert(Op::InsertLane, to, &[Operand::Value(Value::inst(v)), x], k);
            }
        }
        Ok(Value::inst(v))
    }

    pub(super) fn comma_before_meta(&self) -> bool {
        let mut ahead = self.lexer.clone();
        matches!(ahead.next(), Ok((Token::Meta(_), _)))
    }

    /// Flags of an operation that may have these, those among them that are kept.
    pub(super) fn flags(&mut self, may: Places) -> Parsed<Flags> {
        const ONCE: Places = Places::BITS.or(Places::SIGNS).or(Places::COMPARES);
        let (mut flags, mut has_one) = (Flags::NONE, false);
        while let Token::Word(word) = self.token
            && let Some((flag, at)) = meaning(word).flag
        {
            if !at.meet(may) {
                return self.error(format!("`{word}` cannot stand here, but at {}", at.names()));
            }
            let is_kept = flag != Flags::NONE && at != Places::FLOATS;
            let is_twice = is_kept && flags.has(flag) || has_one && at.meet(ONCE);
            if is_twice {
                return self.error(format!("`{word}` stands here twice"));
            }
            (flags, has_one) = (flags.with(flag), true);
            self.advance()?;
        }
        Ok(flags)
    }

    /// Flags of floats where there may be another type: the place of the first one, for `floats_only`.
    pub(super) fn float_flags(&mut self) -> Parsed<Option<usize>> {
        let at = self.start;
        self.flags(Places::FLOATS)?;
        Ok((self.start != at).then_some(at))
    }

    /// That what has such flags is a float.
    pub(super) fn floats_only(&self, flags: Option<usize>, ty: Type) -> Parsed<()> {
        match flags {
            Some(at) if !ty.element().is_float() => {
                self.error_at(at, "a flag of floats cannot stand at a value of this type")
            }
            _ => Ok(()),
        }
    }

    /// Reads a terminator, if the word is one.
    fn terminator(&mut self, b: &mut Builder, word: &str) -> Parsed<bool> {
        match word {
            "br" => {
                self.advance()?;
                if self.token == Token::Word("label") {
                    let to = self.label(b)?;
                    b.f.set_br(b.block, to, b.place());
                    return Ok(true);
                }
                let (ty, condition) = self.typed_operand(b)?;
                if ty != Type::I1 {
                    return self.error("the condition of a branch must be i1");
                }
                self.expect(b',')?;
                let yes = self.label(b)?;
                self.expect(b',')?;
                let no = self.label(b)?;
                self.branch(b, condition, yes, no);
                if let Some(i) = b.f.terminator(b.block) {
                    b.f.set_flags(i, self.weights_ahead(b.f.func));
                }
            }
            "ret" => {
                self.advance()?;
                if self.eat_word("void")? {
                    b.f.set_ret(b.block, None, b.place());
                    self.guarantee(b);
                    return Ok(true);
                }
                if self.at_compound() || self.vector_ahead().is_some() {
                    return self.return_compound(b).map(|()| true);
                }
                let at = self.start;
                let (ty, mut value) = self.typed_operand(b)?;
                if let Some((op, from)) = self.extended(b.f.func, 0) {
                    if ty != from {
                        return self.error_at(at, "the result has another type");
                    }
                    value = self.sent(b, (op, from), value)?;
                }
                b.f.set_ret(b.block, Some(value.now()), b.place());
                self.wait_terminator(b, value);
                self.guarantee(b);
            }
            "unreachable" => {
                self.advance()?;
                b.f.set_unreachable(b.block, b.place());
            }
            "switch" => self.switch(b)?,
            "indirectbr" => self.indirect_branch(b)?,
            "resume" => self.resume(b)?,
            "callbr" => {
                return self.error(format!("the instruction `{word}` is not supported"));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn branch(&self, b: &mut Builder, condition: Operand, yes: Block, no: Block) {
        b.f.set_cond_br(b.block, condition.now(), yes, no, b.place());
        self.wait_terminator(b, condition);
    }

    pub(super) fn wait_terminator(&self, b: &mut Builder, value: Operand) {
        if let Some(i) = b.f.terminator(b.block) {
            b.wait(i, &[value]);
        }
    }
}
