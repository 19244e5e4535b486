//! `invoke`, `landingpad`, `resume`: exceptions as LLVM's language reference has them.
//!
//! An `invoke` is a call, and behind it a branch on whether an exception has left it (`Builtin::Unwinds`), so that to all that
//! asks what calls do it is one. Where it goes otherwise nothing else goes, and what takes its result apart stands there; and each
//! has a landing pad of its own, which hands the exception and the number of what has caught it on to what the text has as one:
//! there they are phis. So no edge from a call is critical, and nothing has to be done on one. `resume` is a call of what
//! libraries have for it. O(log landing pads) each.

use super::builder::{Builder, Operand};
use super::lexer::{Text, Token};
use super::metadata::Bearer;
use super::{Parsed, Parser, error_at};
use crate::base::Handle;
use crate::ir::builtin::Clause;
use crate::ir::{At, Block, Builtin, Effect, Flags, FuncId, Inst, Op, Type, Value};
use std::collections::BTreeMap;

/// Where C++ has a routine of its own for `resume`, which needs no exception: it ends what the personality routine has begun
/// (`__cxa_begin_cleanup`; "C++ ABI for the Arm Architecture").
const ENDS_CLEANUPS: &str = "armv7";
const CPLUSPLUS: &str = "__gxx_personality_v0";

/// A landing pad of the text.
pub(super) struct Pad {
    block: Block,
    /// The exception, and the number of what has caught it.
    phis: [Inst; 2],
    clauses: Vec<Clause>,
}

/// A call that may be left by an exception.
pub(super) struct Invoke {
    /// Its landing pad, and that of the text.
    own: Block,
    pad: Block,
    /// Where it goes otherwise.
    behind: Block,
    at: u32,
}

impl<'a> Parser<'a> {
    /// Notes that unwinders are to be told of the text's functions.
    pub(super) fn note_unwinding(&mut self) {
        self.module.env.unwinds = true;
    }

    /// Reads a call that may be left by an exception; the token is its first word.
    pub(super) fn invoke(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        let (at, before) = (self.start, b.f.inst_count());
        let value = self.call_by(b, "invoke")?;
        let call = b.f.insts_from(before).filter(|&i| b.f.op(i) == Op::Call).last();
        let call = call.filter(|&call| self.module.env.funcs[b.f.callee(call)].builtin.is_none());
        self.expect_word("to")?;
        let to = self.label(b)?;
        self.expect_word("unwind")?;
        let pad = self.label(b)?;
        if self.module.env.funcs[b.f.func].personality.is_none() {
            return self.error_at(at, "`invoke` in a function without `personality`");
        }
        let behind = b.extra_block();
        b.f.set_br(behind, to, b.place());
        if let Some(call) = call {
            let own = b.extra_block();
            b.f.set_br(own, pad, b.place());
            let mut next = b.f.next(call);
            while let Some(i) = next {
                next = b.f.next(i);
                b.f.move_inst(i, At::BeforeTerminator(behind));
            }
            b.f.set_flags(call, Flags::INVOKED);
            let func = self.builtin(Builtin::Unwinds, Type::I1, &[], "")?;
            let is_left = b.make(Op::Call, Type::I1, &[], func.index() as u32);
            b.f.set_cond_br(b.block, is_left, own, behind, b.place());
            if let Some(end) = b.f.terminator(b.block) {
                b.f.set_flags(end, Flags::UNLIKELY);
            }
            b.invokes.push(Invoke { own, pad, behind, at: at as u32 });
        } else {
            // What is no function of the program throws nothing.
            b.f.set_br(b.block, behind, b.place());
        }
        let ty = value.map_or(Type::Void, |v| b.f.type_of(v));
        let bits = b.made.as_ref().and_then(|made| made.bits).unwrap_or(0);
        self.trailer_of(Bearer { op: Some(Op::Call), ty, bits, ..Bearer::OTHER })?;
        match value {
            Some(v) => {
                // Its last instructions are in front of the branch there.
                let v = match call {
                    Some(_) => v,
                    None => b.own(v, before),
                };
                self.bind(b, result, v)
            }
            None if result.is_some() => self.error_at(b.at as usize, "this instruction has no result"),
            None => Ok(()),
        }
    }

    /// Reads a landing pad; the token is its first word.
    pub(super) fn landing_pad(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        let at = self.start;
        self.advance()?;
        let of_type = self.start;
        let compound = self.compound_type()?;
        if compound.mem.is_none() || !matches!(*compound.parts, [(Type::Ptr, _), (Type::I32, _)]) {
            return self
                .error_at(of_type, "a landing pad of another type than { ptr, i32 } is not supported");
        }
        if b.f.last(b.block).is_some_and(|last| b.f.op(last) != Op::Phi) {
            return self.error_at(at, "a landing pad stands at the head of its block");
        }
        let mut clauses = Vec::new();
        if self.eat_word("cleanup")? {
            clauses.push(Clause::Cleanup);
        }
        loop {
            match self.token {
                Token::Word("catch") => {
                    self.advance()?;
                    self.expect_word("ptr")?;
                    clauses.push(self.described()?);
                }
                Token::Word("filter") => {
                    self.advance()?;
                    self.filter(&mut clauses)?;
                }
                _ => break,
            }
        }
        if clauses.is_empty() {
            return self.error_at(at, "a landing pad without clauses");
        }
        self.metadata_behind()?;
        let phis = [Type::I32, Type::Ptr].map(|ty| b.f.insert_phi(b.block, ty, b.place()));
        let phis = [phis[1], phis[0]];
        b.pads.push(Pad { block: b.block, phis, clauses });
        let parts = phis.map(Value::inst).to_vec();
        b.made = Some(super::aggregate::Made { parts, bits: None, mem: compound.mem });
        self.bind(b, result, Value::inst(phis[0]))
    }

    /// What describes a type, or the null pointer.
    fn described(&mut self) -> Parsed<Clause> {
        if self.eat_word("null")? {
            return Ok(Clause::All);
        }
        let (at, Token::Global(text)) = (self.start, self.token) else {
            return self.expected("what describes a type");
        };
        self.advance()?;
        Ok(Clause::Type(self.address_of(text, at)?))
    }

    /// `[1 x ptr] [ptr @t]`.
    fn filter(&mut self, clauses: &mut Vec<Clause>) -> Parsed<()> {
        self.expect(b'[')?;
        let count = self.number()?;
        self.expect_word("x")?;
        self.expect_word("ptr")?;
        self.expect(b']')?;
        let at = clauses.len();
        clauses.push(Clause::Filter(0));
        if !self.eat_word("zeroinitializer")? && !self.eat_word("undef")? && !self.eat_word("poison")? {
            self.expect(b'[')?;
            while self.token != Token::Mark(b']') {
                self.expect_word("ptr")?;
                clauses.push(self.described()?);
                if !self.eat(b',')? {
                    break;
                }
            }
            self.expect(b']')?;
        }
        let found = clauses.len() - at - 1;
        if found as u64 != count {
            return self.error("this filter has another number of types than its type");
        }
        clauses[at] = Clause::Filter(found as u32);
        Ok(())
    }

    /// Reads `resume` and what it goes on with.
    pub(super) fn resume(&mut self, b: &mut Builder) -> Parsed<()> {
        self.advance()?;
        let compound = self.compound_type()?;
        let parts = self.compound_operand(b, &compound)?;
        let Some(&exception) = parts.first().filter(|v| b.f.type_of(v.now()) == Type::Ptr) else {
            return self.error("what is resumed is no { ptr, i32 }");
        };
        let env = &self.module.env;
        let routine = env.funcs[b.f.func].personality.get().map(|func| env.names.text(env.funcs[func].name));
        let own = self.platform.name == ENDS_CLEANUPS && routine == Some(CPLUSPLUS);
        let (name, args) = match own {
            true => ("__cxa_end_cleanup", &[][..]),
            false => ("_Unwind_Resume", &[exception][..]),
        };
        let func = self.declared(name, Type::Void, &[Type::Ptr][..args.len()], Effect::ALL)?;
        b.insert(Op::Call, Type::Void, args, func.index() as u32);
        b.f.set_unreachable(b.block, b.place());
        Ok(())
    }

    /// `llvm.eh.typeid.for`, of a global; none for another function, or other arguments.
    pub(super) fn type_id(
        &mut self,
        b: &mut Builder,
        name: &str,
        args: &[(Type, Operand)],
    ) -> Parsed<Option<Value>> {
        let &[(Type::Ptr, of)] = args else { return Ok(None) };
        if !name.starts_with("llvm.eh.typeid.for") || of.now().as_global().is_none() {
            return Ok(None);
        }
        let func = self.builtin(Builtin::TypeId, Type::I32, &[Type::Ptr], "")?;
        Ok(Some(Value::inst(b.insert(Op::Call, Type::I32, &[of], func.index() as u32))))
    }

    /// Makes the landing pads, when all of the body is known.
    pub(super) fn make_pads(&mut self, b: &mut Builder) -> Parsed<()> {
        if b.pads.is_empty() && b.invokes.is_empty() {
            return Ok(());
        }
        let landing = self.builtin(Builtin::LandingPad, Type::Ptr, &[], "")?;
        let selector = self.builtin(Builtin::Selector, Type::I32, &[], "")?;
        let pads = std::mem::take(&mut b.pads);
        let rows: BTreeMap<Block, &Pad> = pads.iter().map(|row| (row.block, row)).collect();
        for Invoke { own, pad, behind, at } in std::mem::take(&mut b.invokes) {
            let Some(row) = rows.get(&pad) else {
                let message = "this goes to a block that is no landing pad";
                return Err(error_at(self.lexer.text, at as usize, message));
            };
            // One that nothing else goes to is the one of the text.
            let is_alone = b.f.preds(pad).len() == 1 && b.f.phis(pad).count() == 2;
            let block = if is_alone { pad } else { own };
            let values = make_pad(b, block, (landing, selector), &row.clauses);
            for (phi, v) in row.phis.into_iter().zip(values) {
                if is_alone {
                    b.f.replace(phi, v);
                } else if let Some(e) = b.f.succs(own).next() {
                    let slot = b.f.edge_slot(e);
                    b.f.set_arg(phi, slot, v);
                }
            }
            if is_alone {
                b.f.unsplit_edge(own);
            }
            let goes_on = b.f.succs(behind).next().map(|e| b.f.edge_to(e));
            let is_empty = b.f.first(behind) == b.f.terminator(behind);
            if is_empty && goes_on.is_some_and(|to| b.f.preds(to).len() == 1) {
                b.f.unsplit_edge(behind);
            }
        }
        // Nothing but these goes to a landing pad.
        for row in &pads {
            let is_pad = |b: &Builder, i: Inst| {
                self.module.env.funcs[b.f.callee(i)].builtin == Some(Builtin::LandingPad)
            };
            let from = b.f.preds(row.block).iter().map(|&e| b.f.edge_from(e));
            let is_own = |from: Block| {
                let first = b.f.first(from).filter(|&i| b.f.op(i) == Op::Call);
                first.is_some_and(|i| is_pad(b, i))
            };
            let begins = b.f.insts(row.block).find(|&i| b.f.op(i) != Op::Phi);
            let is_the_one = begins.is_some_and(|i| b.f.op(i) == Op::Call && is_pad(b, i));
            if !is_the_one && !from.into_iter().all(is_own) {
                return self.error_at(b.labels[row.block] as usize, "a landing pad is entered by a branch");
            }
        }
        Ok(())
    }
}

/// Makes a landing pad behind the phis of a block.
fn make_pad(b: &mut Builder, block: Block, funcs: (FuncId, FuncId), clauses: &[Clause]) -> [Value; 2] {
    let args: Vec<Value> = clauses.iter().map(|clause| clause.value(&mut b.f)).collect();
    let (landing, selector) = (funcs.0.index() as u32, funcs.1.index() as u32);
    let place = b.f.terminator(block).map_or(b.place(), |i| b.f.place(i));
    let pad = b.f.insert(At::Start(block), Op::Call, Type::Ptr, &args, landing, place);
    let number = b.f.insert(At::After(pad), Op::Call, Type::I32, &[], selector, place);
    [pad, number].map(Value::inst)
}
