//! The rows of one instruction that is not a terminator: each reads what the instruction's operands are.

use super::super::super::code::{Code, Slot, ZERO};
use super::super::super::runtime::varargs;
use super::Checker;
use super::state::State;
use super::sums::Sum;
use crate::base::Handle;
use crate::ir::opcode::Types;
use crate::ir::{Builtin, Flags, FloatPred, Inst, IntPred, Op, Shape, Type, Value};

/// What a row reads as an operand.
#[derive(Copy, Clone, Debug)]
pub(super) enum Read {
    Slot(Slot),
    Bits(u64),
}

/// What a row that computes does with what it reads, in the order of the operands.
fn computation(code: Code) -> Option<(Op, Slot, Vec<Read>)> {
    use Read::{Bits, Slot as At};
    let two = |op, d, a, b| Some((op, d, vec![At(a), At(b)]));
    let with = |op, d, a, x: u32| Some((op, d, vec![At(a), Bits(x.into())]));
    match code {
        Code::Add { d, a, b } | Code::Add64 { d, a, b } => two(Op::Add, d, a, b),
        Code::Sub { d, a, b } => two(Op::Sub, d, a, b),
        Code::Mul { d, a, b } | Code::Mul64 { d, a, b } => two(Op::Mul, d, a, b),
        Code::SDiv { d, a, b } => two(Op::SDiv, d, a, b),
        Code::SRem { d, a, b } => two(Op::SRem, d, a, b),
        Code::And { d, a, b } => two(Op::And, d, a, b),
        Code::Or { d, a, b } => two(Op::Or, d, a, b),
        Code::Xor { d, a, b } => two(Op::Xor, d, a, b),
        Code::Shl { d, a, b } => two(Op::Shl, d, a, b),
        Code::LShr { d, a, b } => two(Op::LShr, d, a, b),
        Code::AShr { d, a, b } => two(Op::AShr, d, a, b),
        Code::AddImm { d, a, x } => with(Op::Add, d, a, x),
        Code::FromImm { d, a, x } => Some((Op::Sub, d, vec![Bits(x.into()), At(a)])),
        Code::MulImm { d, a, x } => with(Op::Mul, d, a, x),
        Code::SDivImm { d, a, x } => with(Op::SDiv, d, a, x),
        Code::SRemImm { d, a, x } => with(Op::SRem, d, a, x),
        Code::AndImm { d, a, x } => with(Op::And, d, a, x),
        Code::ShlImm { d, a, x } => with(Op::Shl, d, a, x),
        Code::LShrImm { d, a, x } => with(Op::LShr, d, a, x),
        Code::AShrImm { d, a, x } => with(Op::AShr, d, a, x),
        Code::FAdd { d, a, b } => two(Op::FAdd, d, a, b),
        Code::FSub { d, a, b } => two(Op::FSub, d, a, b),
        Code::FMul { d, a, b } => two(Op::FMul, d, a, b),
        Code::FDiv { d, a, b } => two(Op::FDiv, d, a, b),
        Code::FNeg { d, a } => Some((Op::FNeg, d, vec![At(a)])),
        Code::Any { op, d, a, b, .. } => two(op, d, a, b),
        Code::Three { op, d, a, b, c, .. } => Some((op, d, vec![At(a), At(b), At(c)])),
        Code::Set { d, a, b, .. } => two(Op::ICmp, d, a, b),
        Code::SetFloat { d, a, b, .. } => two(Op::FCmp, d, a, b),
        Code::Select { d, c, a, b } => Some((Op::Select, d, vec![At(c), At(a), At(b)])),
        Code::Extend { d, a, .. } => Some((Op::SExt, d, vec![At(a)])),
        Code::Mask { d, a, .. } => Some((Op::Trunc, d, vec![At(a)])),
        Code::IntToFloat { d, a } => Some((Op::SIToFP, d, vec![At(a)])),
        Code::FloatToInt { d, a } => Some((Op::FPToSI, d, vec![At(a)])),
        Code::Convert { op, d, a, .. } => Some((op, d, vec![At(a)])),
        _ => None,
    }
}

impl Checker<'_> {
    /// All rows of an instruction, in order.
    pub(super) fn group(&mut self, state: &mut State, i: Inst, rows: &[Code]) -> Result<(), String> {
        let f = self.d.f;
        let (mut done, mut passed) = (false, 0);
        for (k, &code) in rows.iter().enumerate() {
            if self.helps(state, i, code, k + 1 == rows.len()) {
                continue;
            }
            done = true;
            if f.op(i) == Op::Call {
                self.call_row(state, i, code, &mut passed)?;
            } else {
                self.row(state, i, code)?;
            }
        }
        match f.op(i) {
            Op::Alloca | Op::ElemAddr => {
                let d = rows.last().and_then(|&code| written(code)).ok_or("an address goes nowhere")?;
                let sum = state.sum(d).cloned().ok_or("an address is no sum")?;
                self.note_address(state, &sum, i);
                if f.op(i) == Op::Alloca && self.partial.contains(&i) {
                    return Err(format!("the frame's address is {sum:?}"));
                }
                state.set(d, i);
            }
            Op::PtrToInt | Op::IntToPtr | Op::ZExt => {
                let Some(&Code::Move { d, a }) = rows.last() else { return Err("is no move".into()) };
                self.holds(state, Read::Slot(a), f.arg(i, 0))?;
                state.set(d, i);
            }
            _ if !done && f.ty(i) != Type::Void && f.op(i) != Op::Call => {
                return Err("is not computed".into());
            }
            Op::Call if f.ty(i) != Type::Void => {
                // What gives back the stack stands behind the call itself.
                let d = rows.iter().rev().find_map(|&code| written(code)).ok_or("a result goes nowhere")?;
                state.set(d, i);
            }
            _ => {}
        }
        Ok(())
    }

    /// True for a row that only prepares: loads a constant, moves, adds up an address.
    fn helps(&self, state: &mut State, i: Inst, code: Code, is_last: bool) -> bool {
        let f = self.d.f;
        match code {
            Code::Imm { d, x } => state.set_sum(d, Sum::constant(x.into())),
            Code::Wide { d, low, high } => {
                state.set_sum(d, Sum::constant(u64::from(high) << 32 | u64::from(low)));
            }
            Code::Move { .. } if is_last => return false,
            Code::Move { d, a } => state.copy(d, a),
            Code::Add64 { d, a, b } if f.op(i) != Op::Add => {
                let sum = Sum::default().plus_slot(state, a, true, 1).plus_slot(state, b, true, 1);
                state.set_sum(d, sum);
            }
            Code::Address { d, a, x } => {
                let sum = Sum::constant(i64::from(x) as u64).plus_slot(state, a, true, 1);
                state.set_sum(d, sum);
            }
            Code::AddressShift { d, a, i, shift } => self.step(state, d, a, (i, false, 1 << shift)),
            Code::AddressMul { d, a, i, stride } => self.step(state, d, a, (i, false, stride.into())),
            Code::AddressWide { d, a, i, stride } => self.step(state, d, a, (i, true, stride.into())),
            _ => return false,
        }
        true
    }

    fn step(&self, state: &mut State, d: Slot, a: Slot, (i, is_wide, factor): (Slot, bool, i64)) {
        let base = Sum::default().plus_slot(state, a, true, 1);
        let sum = base.plus_slot(state, i, is_wide, factor);
        state.set_sum(d, sum);
    }

    fn row(&mut self, state: &mut State, i: Inst, code: Code) -> Result<(), String> {
        let f = self.d.f;
        let (op, ty) = (f.op(i), f.ty(i));
        if let Some((does, d, reads)) = computation(code) {
            self.computes(state, i, code, does, &reads)?;
            state.set(d, i);
            return Ok(());
        }
        let size = if matches!(op, Op::Store | Op::StoreVolatile) {
            f.type_of(f.arg(i, 0)).bytes()
        } else {
            ty.bytes()
        };
        let (is_load, is_store) =
            (matches!(op, Op::Load | Op::LoadVolatile), matches!(op, Op::Store | Op::StoreVolatile));
        let at = |state: &State, a, index, x: i32| {
            Sum::constant(i64::from(x) as u64).plus_slot(state, a, true, 1).plus_slot(state, index, false, 4)
        };
        match code {
            Code::Load { d, a, x } if is_load && size == 4 => {
                self.is_address(state, &at(state, a, ZERO, x), f.arg(i, 0))?;
                state.set(d, i);
            }
            Code::LoadElem { d, a, i: index, x } if is_load && size == 4 => {
                self.is_address(state, &at(state, a, index, x), f.arg(i, 0))?;
                state.set(d, i);
            }
            Code::LoadAny { size: bytes, d, a, x } if is_load && size == u32::from(bytes) => {
                self.is_address(state, &at(state, a, ZERO, x), f.arg(i, 0))?;
                state.set(d, i);
            }
            Code::Store { v, a, x } if is_store && size == 4 => {
                self.holds(state, Read::Slot(v), f.arg(i, 0))?;
                self.is_address(state, &at(state, a, ZERO, x), f.arg(i, 1))?;
            }
            Code::StoreElem { v, a, i: index, x } if is_store && size == 4 => {
                self.holds(state, Read::Slot(v), f.arg(i, 0))?;
                self.is_address(state, &at(state, a, index, x), f.arg(i, 1))?;
            }
            Code::StoreAny { size: bytes, v, a, x } if is_store && size == u32::from(bytes) => {
                self.holds(state, Read::Slot(v), f.arg(i, 0))?;
                self.is_address(state, &at(state, a, ZERO, x), f.arg(i, 1))?;
            }
            Code::Fill { a, bytes } if op == Op::MemInit && bytes == f.payload(i) => {
                self.holds(state, Read::Slot(a), f.arg(i, 0))?;
            }
            Code::Copy { a, b, bytes } if op == Op::MemInit && bytes == f.payload(i) => {
                self.all_hold(state, &[a, b], f.args(i))?;
            }
            Code::SetAny { a, b, n } if op == Op::MemSet => self.all_hold(state, &[a, b, n], f.args(i))?,
            Code::CopyAny { a, b, n } if op == Op::MemCopy => self.all_hold(state, &[a, b, n], f.args(i))?,
            // The last row of what only moves is looked at as a whole.
            Code::Move { .. } if matches!(op, Op::PtrToInt | Op::IntToPtr | Op::ZExt) => {}
            _ => return Err(format!("{code:?} is no {}", op.row().name)),
        }
        Ok(())
    }

    /// An error unless a row computes what the instruction does, of the same.
    fn computes(&self, state: &State, i: Inst, code: Code, does: Op, reads: &[Read]) -> Result<(), String> {
        let f = self.d.f;
        let (op, payload) = (f.op(i), f.payload(i));
        let of = f.type_of(f.arg(i, 0));
        let is_type = match code {
            Code::Any { ty, .. } | Code::Three { ty, .. } => ty == f.ty(i),
            Code::Convert { from, to, .. } | Code::Extend { from, to, .. } => from == of && to == f.ty(i),
            Code::Mask { to, .. } => to == f.ty(i),
            Code::Set { pred, ty, .. } => {
                op == Op::ICmp
                    && pred == IntPred::from_payload(payload)
                    && ty == if of == Type::Ptr { Type::I64 } else { of }
            }
            Code::SetFloat { pred, ty, .. } => {
                op == Op::FCmp && pred == FloatPred::from_payload(payload) && ty == of
            }
            Code::Select { .. } | Code::And { .. } | Code::Or { .. } | Code::Xor { .. } => true,
            Code::Add64 { .. } | Code::Mul64 { .. } => f.ty(i) == Type::I64,
            Code::IntToFloat { .. } => (of, f.ty(i)) == (Type::I32, Type::F32),
            Code::FloatToInt { .. } => (of, f.ty(i)) == (Type::F32, Type::I32),
            _ if does.row().types == Types::Float => f.ty(i) == Type::F32,
            _ => f.ty(i) == Type::I32,
        };
        // A difference to a number is a sum with its negation.
        let of_negation = match (code, op) {
            (Code::AddImm { x, .. }, Op::Sub) => Some(Read::Bits(x.wrapping_neg().into())),
            _ => None,
        };
        if !is_type || does != op && of_negation.is_none() || reads.len() != f.args(i).len() {
            return Err(format!("{code:?} is no {} of {:?}", op.row().name, f.ty(i)));
        }
        for (k, (&read, &v)) in reads.iter().zip(f.args(i)).enumerate() {
            self.holds(state, of_negation.filter(|_| k == 1).unwrap_or(read), v)?;
        }
        Ok(())
    }

    fn all_hold(&self, state: &State, slots: &[Slot], values: &[Value]) -> Result<(), String> {
        if slots.len() != values.len() {
            return Err(format!("reads {} values, not {}", slots.len(), values.len()));
        }
        slots.iter().zip(values).try_for_each(|(&slot, &v)| self.holds(state, Read::Slot(slot), v))
    }

    /// An error unless what is read is a value.
    pub(super) fn holds(&self, state: &State, read: Read, v: Value) -> Result<(), String> {
        if self.is_held(state, read, v) || !self.report {
            return Ok(());
        }
        match read {
            Read::Bits(x) => Err(format!("reads {x}, not {v:?}")),
            Read::Slot(slot) => Err(format!(
                "reads {v:?} from slot {slot}, which holds {:?} {:?}",
                state.values(slot),
                state.sum(slot)
            )),
        }
    }

    pub(super) fn is_held(&self, state: &State, read: Read, v: Value) -> bool {
        if v.is_undef() {
            return true;
        }
        let Some(i) = v.as_inst() else {
            let bits = self.d.literal(v);
            return match read {
                Read::Bits(x) => x == bits,
                Read::Slot(ZERO) => bits == 0,
                Read::Slot(slot) => state.sum(slot).and_then(Sum::as_constant) == Some(bits),
            };
        };
        let i = self.strip(i);
        let Read::Slot(slot) = read else { return false };
        state.is_open(i) || state.values(slot).contains(&i) && !self.partial.contains(&i)
    }

    /// The same bits: a slot holds all types zero-extended.
    pub(super) fn strip(&self, mut i: Inst) -> Inst {
        let f = self.d.f;
        while f.op(i) == Op::ZExt
            && let Some(from) = f.arg(i, 0).as_inst()
        {
            i = from;
        }
        i
    }

    /// A row of a call: the call itself, or what passes arguments in memory, or what a function without a
    /// body stands for. Those read nothing but operands and what rows before them have made.
    fn call_row(&mut self, state: &mut State, i: Inst, code: Code, passed: &mut usize) -> Result<(), String> {
        let f = self.d.f;
        let func = f.callee(i);
        let row = &self.d.env.funcs[func];
        let from = varargs(row);
        let arguments = |first: u32, count: usize| {
            let first = first as usize;
            self.d.p.args.get(first..first + count).ok_or("arguments are missing".to_string())
        };
        let (slots, is_callee) = match code {
            Code::TailCall { .. } | Code::TailCallAt { .. } if !f.flags(i).has(Flags::MUST_TAIL) => {
                return Err("leaves the frame".into());
            }
            Code::Call { func: to, args, .. } | Code::TailCall { func: to, args, .. } => {
                let count = f.args(i).len().min(from.unwrap_or(usize::MAX));
                let more = usize::from(from.is_some() && count <= self.hidden(i));
                (arguments(args, count + more)?, to == func && row.builtin.is_none())
            }
            Code::CallAt { count, args, .. } | Code::TailCallAt { count, args, .. } => {
                (arguments(args, usize::from(count) + 1)?, row.indirect && row.builtin.is_none())
            }
            Code::Runtime { runtime, count, args, .. } => {
                (arguments(args, count.into())?, self.d.calls[func] == Some(runtime) && row.builtin.is_none())
            }
            Code::StoreAny { v, .. } if from.is_some() => {
                let k = from.unwrap_or(0) + *passed;
                *passed += 1;
                let &wanted = f.args(i).get(k).ok_or("too many arguments")?;
                return self.holds(state, Read::Slot(v), wanted);
            }
            _ => return self.builtin_row(state, i, code),
        };
        if !is_callee {
            return Err(format!("{code:?} is no call of {func:?}"));
        }
        let named = from.unwrap_or(usize::MAX).min(f.args(i).len());
        if *passed != f.args(i).len() - named {
            return Err("variadic arguments are not passed".into());
        }
        let mut wanted: Vec<Option<Value>> = f.args(i)[..named].iter().copied().map(Some).collect();
        if from.is_some() {
            let hidden = self.hidden(i);
            match wanted.get_mut(hidden) {
                Some(place) if !row.indirect => *place = None,
                _ => wanted.insert(hidden.min(wanted.len()), None),
            }
        }
        if slots.len() != wanted.len() {
            return Err(format!("passes {} arguments, not {}", slots.len(), wanted.len()));
        }
        let pairs = slots.iter().zip(&wanted);
        pairs
            .filter_map(|(&slot, &v)| Some((slot, v?)))
            .try_for_each(|(slot, v)| self.holds(state, Read::Slot(slot), v))?;
        if let Some(d) = written(code) {
            state.set_unknown(d);
        }
        Ok(())
    }

    /// Which argument is the place of the variadic ones.
    fn hidden(&self, i: Inst) -> usize {
        let row = &self.d.env.funcs[self.d.f.callee(i)];
        let has_results = row.parts.as_deref().is_some_and(|parts| !parts.results.is_empty());
        usize::from(row.indirect) + usize::from(has_results)
    }

    fn builtin_row(&mut self, state: &mut State, i: Inst, code: Code) -> Result<(), String> {
        let reads: Vec<Slot> = match code {
            Code::Take { n, .. } => vec![n],
            Code::End { .. } => vec![],
            Code::GiveBack { a } | Code::LoadAny { a, .. } | Code::Move { a, .. } => vec![a],
            Code::StoreAny { v, a, .. } => vec![v, a],
            Code::Any { a, b, .. } | Code::Set { a, b, .. } => vec![a, b],
            Code::Select { c, a, b, .. } => vec![c, a, b],
            _ => return Err(format!("{code:?} is for no call")),
        };
        for slot in reads {
            let is_operand = self.d.f.args(i).iter().any(|&v| self.is_held(state, Read::Slot(slot), v));
            // What the rows before have made stands in temporaries.
            if !is_operand && slot < self.d.temps && self.report {
                return Err(format!("{code:?} reads slot {slot}, which holds {:?}", state.values(slot)));
            }
        }
        if let Some(d) = written(code) {
            state.set_unknown(d);
        }
        Ok(())
    }

    /// No two variables of the frame share memory.
    pub(super) fn check_frame(&self) -> Result<(), String> {
        let f = self.d.f;
        let allocas = self.order.blocks.iter().flat_map(|&b| f.insts(b)).filter(|&i| f.op(i) == Op::Alloca);
        let mut places: Vec<(i64, i64)> = allocas
            .map(|i| {
                let bytes = self.d.env.shapes.bytes(Shape::new(f.payload(i) as usize));
                let start = self.d.forms[i].offset;
                (start, start.saturating_add(bytes.min(i64::MAX as u64) as i64))
            })
            .collect();
        places.sort_unstable();
        let limit = i64::from(u32::MAX) - 64;
        let is_apart = |pair: &[(i64, i64)]| pair[0].1 <= pair[1].0 || pair[0].1 > limit;
        let is_inside = places
            .last()
            .is_none_or(|last| last.1 <= self.d.frame_bytes as i64 || self.d.frame_bytes as i64 >= limit);
        if places.windows(2).all(is_apart) && is_inside {
            return Ok(());
        }
        Err("variables share memory of the frame".into())
    }

    /// True for what needs no row: it is set on edges, stands for other slots, or is computed where it is read.
    pub(super) fn may_have_no_row(&self, i: Inst) -> bool {
        let f = self.d.f;
        match f.op(i) {
            Op::Phi | Op::ICmp | Op::FCmp | Op::ZExt | Op::ElemAddr | Op::Alloca => true,
            Op::Call => matches!(self.d.env.funcs[f.callee(i)].builtin, Some(Builtin::Fence(_))),
            _ => false,
        }
    }
}

/// The slot that a row writes.
fn written(code: Code) -> Option<Slot> {
    if let Some((_, d, _)) = computation(code) {
        return Some(d);
    }
    match code {
        Code::Move { d, .. }
        | Code::Imm { d, .. }
        | Code::Wide { d, .. }
        | Code::Address { d, .. }
        | Code::AddressShift { d, .. }
        | Code::AddressMul { d, .. }
        | Code::AddressWide { d, .. }
        | Code::Load { d, .. }
        | Code::LoadElem { d, .. }
        | Code::LoadAny { d, .. }
        | Code::Take { d, .. }
        | Code::End { d }
        | Code::Call { d, .. }
        | Code::TailCall { d, .. }
        | Code::CallAt { d, .. }
        | Code::TailCallAt { d, .. }
        | Code::Runtime { d, .. } => Some(d),
        _ => None,
    }
}
