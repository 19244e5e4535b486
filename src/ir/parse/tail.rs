//! `tail`, `notail` and `musttail`. The first two are noted of a call. The last one is a call that is a jump, so that it and the
//! return behind it are read as one: nothing may stand between, what extends a result or takes its parts from memory included.
//! The rules are those of LLVM's language reference for the C convention: the prototypes of the function and of what it
//! calls agree, so that the arguments take the places that the function's own have on the stack. Functions that are called by
//! `tailcc` may call each other whatever they take, since they have no arguments on the stack here. O(1) a call.

use super::builder::Builder;
use super::lexer::{Text, Token};
use super::metadata::Bearer;
use super::{Parsed, Parser};
use crate::ir::{Flags, FuncId, Inst, Op, Parts, Type, Value};

impl<'a> Parser<'a> {
    /// Reads what may stand in front of `call`.
    pub(super) fn tail_mark(&mut self) -> Parsed<Flags> {
        let mark = match self.token {
            Token::Word("tail") => Flags::TAIL,
            Token::Word("notail") => Flags::NO_TAIL,
            Token::Word("musttail") => Flags::MUST_TAIL,
            _ => return Ok(Flags::NONE),
        };
        self.advance()?;
        Ok(mark)
    }

    /// Reads a call that has to be a jump, and the return behind it; the token is its first word.
    pub(super) fn must_tail(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        let (at, before) = (self.start, b.f.inst_count());
        self.jump = Some(false);
        let value = self.call(b);
        let has_result = self.jump.take() == Some(true);
        value?;
        let Some(call) = last_call(b, before) else {
            return self.error_at(at, "`musttail` of what is no function of the program is not supported");
        };
        self.may_jump(b, call, at)?;
        let ty = b.f.ty(call);
        self.trailer_of(Bearer { op: Some(Op::Call), ty, ..Bearer::OTHER })?;
        if !has_result && result.is_some() {
            return self.error_at(b.at as usize, "this instruction has no result");
        }
        let name = match has_result {
            false => None,
            true => {
                let name = self.local_name(b, result)?;
                if b.is_taken(name) {
                    return self.error_at(at, format!("`%{}` is defined twice", b.name_of(name)));
                }
                b.define(name, Value::inst(call));
                Some(name)
            }
        };
        while let Token::Hash(_) = self.token {
            // A debug record.
            self.advance()?;
            self.skip_balanced()?;
        }
        const BEHIND: &str = "a return of its result must stand behind a `musttail` call";
        b.at = self.start as u32;
        if self.token != Token::Word("ret") {
            return self.error(BEHIND);
        }
        self.advance()?;
        let of_type = self.start;
        let is_so = match name {
            None => self.eat_word("void")?,
            Some(name) => {
                self.returned_type(b, of_type)?;
                match self.token {
                    Token::Local(text) => self.local_operand(b, text)? == name,
                    Token::Word("undef" | "poison") => self.advance().map(|()| true)?,
                    _ => false,
                }
            }
        };
        if !is_so {
            return self.error_at(of_type, BEHIND);
        }
        b.f.set_ret(b.block, (ty != Type::Void).then_some(Value::inst(call)), b.place());
        self.metadata_behind()
    }

    /// In a function that is called by `tailcc`, makes `tail call tailcc` in front of the return that has just been read what it
    /// is to LLVM: a jump.
    pub(super) fn guarantee(&self, b: &mut Builder) {
        let funcs = &self.module.env.funcs;
        let own = &funcs[b.f.func];
        let end = b.f.last(b.block).filter(|_| own.tail && own.parts.is_none());
        let Some((end, call)) = end.and_then(|end| Some((end, b.f.prev(end)?))) else { return };
        if b.f.op(call) != Op::Call || !b.f.flags(call).has(Flags::TAIL) {
            return;
        }
        let callee = &funcs[b.f.callee(call)];
        let is_result = b.f.args(end).first().is_none_or(|&v| v == Value::inst(call));
        if is_result && callee.tail && callee.parts.is_none() && callee.result == own.result {
            b.f.set_flags(call, Flags::MUST_TAIL);
        }
    }

    /// Reads a type, which is to be that of the function's result.
    fn returned_type(&mut self, b: &Builder, at: usize) -> Parsed<()> {
        let (ty, compound) = self.result_type(false)?;
        let row = &self.module.env.funcs[b.f.func];
        let is_so = match &compound {
            None => ty == self.text_type(b.f.func, 0, row.result),
            Some(compound) => {
                let results = row.parts.as_deref().map_or(&[][..], |parts| &parts.results);
                let is_single = compound.parts.len() == 1;
                *results == *self.results_of(Some(compound))
                    && self.is_result_of(b.f.func, Some(compound))
                    && (!is_single || ty == row.result)
            }
        };
        if is_so { Ok(()) } else { self.error_at(at, "the result has another type") }
    }

    /// The type that the text gives a function's result, or a parameter.
    fn text_type(&self, func: FuncId, k: usize, ty: Type) -> Type {
        self.extended(func, k).map_or(ty, |extended| extended.1)
    }

    /// That a call may be a jump: what it passes and yields is what its function takes and returns.
    fn may_jump(&self, b: &Builder, call: Inst, at: usize) -> Parsed<()> {
        let (own_id, callee_id) = (b.f.func, b.f.callee(call));
        let funcs = &self.module.env.funcs;
        let (own, callee) = (&funcs[own_id], &funcs[callee_id]);
        if own.variadic || callee.variadic {
            return self.error_at(at, "`musttail` with variadic arguments is not supported");
        }
        if callee.builtin.is_some() {
            return self.error_at(at, "`musttail` of what is no function of the program is not supported");
        }
        if own.tail != callee.tail {
            return self
                .error_at(at, "a `musttail` call must be by the convention of the function that it is in");
        }
        let skipped = usize::from(callee.indirect);
        // Of what is called by its address the call knows, by now, only what travels.
        let is_same = |k: usize, one: Type, other: Type| match callee.indirect {
            true => {
                one == other || self.extended(own_id, k).is_none() && one.is_narrow() && other == Type::I32
            }
            false => self.text_type(own_id, k, one) == self.text_type(callee_id, k, other),
        };
        let params = own.params.iter().zip(callee.params.iter().skip(skipped));
        let agree = own.params.len() + skipped == callee.params.len()
            && (1..).zip(params).all(|(k, (&one, &other))| is_same(k, one, other));
        let results = own.result == callee.result
            && (callee.indirect || self.extended(own_id, 0) == self.extended(callee_id, 0))
            && match (self.by_address.get(&own_id), self.by_address.get(&callee_id)) {
                (Some(&(bits, mem)), Some(&(other_bits, other))) => {
                    bits == other_bits && mem.zip(other).is_none_or(|(one, other)| self.is_same(one, other))
                }
                (one, other) => one.is_none() && other.is_none(),
            };
        let of_result = |parts: Option<&Parts>| parts.map(|parts| parts.results.clone()).unwrap_or_default();
        let parts = own.tail && of_result(own.parts.as_deref()) == of_result(callee.parts.as_deref());
        let alike = agree && own.returns_by == callee.returns_by && own.parts == callee.parts;
        if results && (alike || parts) {
            return Ok(());
        }
        let message =
            "a `musttail` call must have the parameters and the result of the function that it is in";
        self.error_at(at, message)
    }
}

/// Notes a mark of the call that has just been read, from an instruction on. What `tail` promises of the frame holds for what
/// the text has there: a result that is returned in memory is in memory that `room_for` has added.
pub(super) fn mark_call(b: &mut Builder, before: usize, mark: Flags) {
    let Some(call) = last_call(b, before) else { return };
    let is_variable = |v: &Value| v.as_inst().is_some_and(|i| b.f.op(i) == Op::Alloca);
    if mark != Flags::TAIL || !b.f.args(call).iter().any(is_variable) {
        b.f.set_flags(call, mark);
    }
}

fn last_call(b: &Builder, before: usize) -> Option<Inst> {
    b.f.insts_from(before).filter(|&i| b.f.op(i) == Op::Call).last()
}
