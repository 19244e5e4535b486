//! The code of one instruction that is not a terminator.

use super::super::code::{Code, Slot, ZERO};
use super::super::profile::Probe;
use super::super::runtime::varargs;
use super::Decoder;
use crate::ir::opcode::Types;
use crate::ir::{Builtin, Flags, FloatPred, Func, Inst, IntPred, Op, Type, Value};

impl Decoder<'_> {
    /// Emits what computes `i` into its slot.
    pub(super) fn inst(&mut self, i: Inst) {
        let f = self.f;
        let (op, ty, d) = (f.op(i), f.ty(i), self.slots[i]);
        match op {
            Op::Add | Op::Sub | Op::Mul | Op::SDiv | Op::SRem | Op::Shl | Op::LShr | Op::AShr
                if ty == Type::I32 =>
            {
                self.int32(i);
            }
            Op::And | Op::Or | Op::Xor => {
                let a = self.slot(f.arg(i, 0));
                if op == Op::And && ty == Type::I32 && f.arg(i, 1).is_number() {
                    let x = self.literal(f.arg(i, 1)) as u32;
                    self.emit(Code::AndImm { d, a, x });
                    return;
                }
                let b = self.slot(f.arg(i, 1));
                self.emit(match op {
                    Op::And => Code::And { d, a, b },
                    Op::Or => Code::Or { d, a, b },
                    _ => Code::Xor { d, a, b },
                });
            }
            Op::Add | Op::Mul if ty == Type::I64 => {
                let (a, b) = (self.slot(f.arg(i, 0)), self.slot(f.arg(i, 1)));
                self.emit(if op == Op::Add { Code::Add64 { d, a, b } } else { Code::Mul64 { d, a, b } });
            }
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv if ty == Type::F32 => {
                let (a, b) = (self.slot(f.arg(i, 0)), self.slot(f.arg(i, 1)));
                self.emit(match op {
                    Op::FAdd => Code::FAdd { d, a, b },
                    Op::FSub => Code::FSub { d, a, b },
                    Op::FMul => Code::FMul { d, a, b },
                    _ => Code::FDiv { d, a, b },
                });
            }
            Op::FNeg if ty == Type::F32 => {
                let a = self.slot(f.arg(i, 0));
                self.emit(Code::FNeg { d, a });
            }
            Op::ICmp => {
                let of = f.type_of(f.arg(i, 0));
                let (a, b) = (self.slot(f.arg(i, 0)), self.slot(f.arg(i, 1)));
                let (pred, ty) =
                    (IntPred::from_payload(f.payload(i)), if of == Type::Ptr { Type::I64 } else { of });
                self.emit(Code::Set { pred, ty, d, a, b });
            }
            Op::FCmp => {
                let ty = f.type_of(f.arg(i, 0));
                let (a, b) = (self.slot(f.arg(i, 0)), self.slot(f.arg(i, 1)));
                let pred = FloatPred::from_payload(f.payload(i));
                self.emit(Code::SetFloat { pred, ty, d, a, b });
            }
            Op::Select => {
                let c = self.slot(f.arg(i, 0));
                let (a, b) = (self.slot(f.arg(i, 1)), self.slot(f.arg(i, 2)));
                self.emit(Code::Select { d, c, a, b });
            }
            _ if op.row().types != Types::Own => self.by_row(i),
            Op::Alloca | Op::ElemAddr => self.address(i),
            Op::Load | Op::LoadVolatile => {
                let size = ty.bytes() as u8;
                let (a, index, x) = self.reached(f.arg(i, 0), size);
                self.emit(match size {
                    4 if index != ZERO => Code::LoadElem { d, a, i: index, x },
                    4 => Code::Load { d, a, x },
                    _ => Code::LoadAny { size, d, a, x },
                });
            }
            Op::Store | Op::StoreVolatile => {
                let v = self.slot(f.arg(i, 0));
                let size = f.type_of(f.arg(i, 0)).bytes() as u8;
                let (a, index, x) = self.reached(f.arg(i, 1), size);
                self.emit(match size {
                    4 if index != ZERO => Code::StoreElem { v, a, i: index, x },
                    4 => Code::Store { v, a, x },
                    _ => Code::StoreAny { size, v, a, x },
                });
            }
            Op::MemInit => {
                let a = self.slot(f.arg(i, 0));
                let bytes = f.payload(i);
                if let Some(&from) = f.args(i).get(1) {
                    let b = self.slot(from);
                    self.emit(Code::Copy { a, b, bytes });
                } else {
                    self.emit(Code::Fill { a, bytes });
                }
            }
            Op::MemSet | Op::MemCopy => {
                let (a, b) = (self.slot(f.arg(i, 0)), self.slot(f.arg(i, 1)));
                let n = self.slot(f.arg(i, 2));
                self.emit(if op == Op::MemSet {
                    Code::SetAny { a, b, n }
                } else {
                    Code::CopyAny { a, b, n }
                });
            }
            Op::PtrToInt | Op::IntToPtr => {
                let a = self.slot(f.arg(i, 0));
                self.emit(Code::Move { d, a });
            }
            Op::Call => self.call(i),
            // Phis are set on the edges; terminators are not given here.
            _ => {}
        }
    }

    /// How an access of so many bytes reaches an address: base, index (`ZERO` for none) and offset. Only one of
    /// four bytes takes an index.
    fn reached(&mut self, address: Value, size: u8) -> (Slot, Slot, i32) {
        let at = self.form(address);
        let (base, x) = self.in_reach(at.base, at.offset);
        if at.index == ZERO || size == 4 {
            return (base, at.index, x);
        }
        let d = self.temp();
        self.emit(Code::AddressShift { d, a: base, i: at.index, shift: 2 });
        (d, ZERO, x)
    }

    fn int32(&mut self, i: Inst) {
        let f = self.f;
        let (op, d) = (f.op(i), self.slots[i]);
        let (left, right) = (f.arg(i, 0), f.arg(i, 1));
        if right.is_number() {
            let x = self.literal(right) as u32;
            let a = self.slot(left);
            let code = match op {
                Op::Add => Code::AddImm { d, a, x },
                Op::Sub => Code::AddImm { d, a, x: x.wrapping_neg() },
                Op::Mul => Code::MulImm { d, a, x },
                Op::SDiv if x != 0 => Code::SDivImm { d, a, x },
                Op::SRem if x != 0 => Code::SRemImm { d, a, x },
                Op::SDiv => Code::SDiv { d, a, b: ZERO },
                Op::SRem => Code::SRem { d, a, b: ZERO },
                Op::Shl => Code::ShlImm { d, a, x },
                Op::LShr => Code::LShrImm { d, a, x },
                _ => Code::AShrImm { d, a, x },
            };
            self.emit(code);
            return;
        }
        if op == Op::Sub && left.is_number() {
            let x = self.literal(left) as u32;
            let a = self.slot(right);
            self.emit(Code::FromImm { d, a, x });
            return;
        }
        let (a, b) = (self.slot(left), self.slot(right));
        self.emit(match op {
            Op::Add => Code::Add { d, a, b },
            Op::Sub => Code::Sub { d, a, b },
            Op::Mul => Code::Mul { d, a, b },
            Op::SDiv => Code::SDiv { d, a, b },
            Op::SRem => Code::SRem { d, a, b },
            Op::Shl => Code::Shl { d, a, b },
            Op::LShr => Code::LShr { d, a, b },
            _ => Code::AShr { d, a, b },
        });
    }

    /// Any other operation that its row says all of.
    fn by_row(&mut self, i: Inst) {
        let f = self.f;
        let (op, to, d) = (f.op(i), f.ty(i), self.slots[i]);
        let from = f.type_of(f.arg(i, 0));
        if op == Op::ZExt && f.arg(i, 0).as_inst().is_some() {
            return; // shares the operand's slot
        }
        let a = self.slot(f.arg(i, 0));
        let code = match (op, from, to) {
            (Op::ZExt, ..) => Code::Move { d, a },
            (Op::SExt, ..) => Code::Extend { from, to, d, a },
            (Op::Trunc, ..) => Code::Mask { to, d, a },
            (Op::SIToFP, Type::I32, Type::F32) => Code::IntToFloat { d, a },
            (Op::FPToSI, Type::F32, Type::I32) => Code::FloatToInt { d, a },
            _ => match *f.args(i) {
                [_, b] => Code::Any { op, ty: to, d, a, b: self.slot(b) },
                [_, b, c] => Code::Three { op, ty: to, d, a, b: self.slot(b), c: self.slot(c) },
                _ => Code::Convert { op, from, to, d, a },
            },
        };
        self.emit(code);
    }

    /// What a call of a function stands for. There is one thread.
    fn builtin(&mut self, i: Inst, builtin: Builtin) {
        let (f, d) = (self.f, self.slots[i]);
        let func = &self.env.funcs[f.callee(i)];
        let ty = if func.result == Type::Void { func.params.first() } else { Some(&func.result) };
        let ty = ty.copied().unwrap_or(Type::Void);
        let size = if ty == Type::Ptr { self.env.shapes.bytes_of(ty) as u8 } else { ty.bytes() as u8 };
        let slots: Vec<Slot> = f.args(i).iter().map(|&v| self.slot(v)).collect();
        let code = match (builtin, &*slots) {
            (Builtin::StackAlloc(align), &[n]) => Code::Take { d, n, align },
            (Builtin::StackRestore, &[a]) => Code::GiveBack { a },
            (Builtin::StackSave, _) => Code::End { d },
            // There is one thread.
            (Builtin::ThreadAddress, &[a]) => Code::Move { d, a },
            (Builtin::AtomicLoad(_), &[a]) => Code::LoadAny { size, d, a, x: 0 },
            (Builtin::AtomicStore(_), &[v, a]) => Code::StoreAny { size, v, a, x: 0 },
            (Builtin::AtomicUpdate(update, _), &[a, b]) => {
                let old = self.temp();
                self.emit(Code::LoadAny { size, d: old, a, x: 0 });
                let mut v = b;
                if let Some(op) = update.op() {
                    v = self.temp();
                    self.emit(Code::Any { op, ty, d: v, a: old, b });
                }
                self.emit(Code::StoreAny { size, v, a, x: 0 });
                Code::Move { d, a: old }
            }
            (Builtin::CompareExchange(_), &[a, expected, new]) => {
                let (old, c, v) = (self.temp(), self.temp(), self.temp());
                let of = if ty == Type::Ptr { Type::I64 } else { ty };
                self.emit(Code::LoadAny { size, d: old, a, x: 0 });
                self.emit(Code::Set { pred: IntPred::Eq, ty: of, d: c, a: old, b: expected });
                self.emit(Code::Select { d: v, c, a: new, b: old });
                self.emit(Code::StoreAny { size, v, a, x: 0 });
                Code::Move { d, a: old }
            }
            // Nothing that is called here throws anything.
            (Builtin::Unwinds, _) => {
                let a = self.slot(Value::bool(false));
                Code::Move { d, a }
            }
            _ => return,
        };
        self.emit(code);
    }

    fn call(&mut self, i: Inst) {
        let f = self.f;
        let func = f.callee(i);
        if let Some(builtin) = self.env.funcs[func].builtin {
            return self.builtin(i, builtin);
        }
        let row = &self.env.funcs[func];
        let mut slots: Vec<u32> = (0..f.args(i).len()).map(|k| self.slot(f.arg(i, k))).collect();
        let saved = varargs(row).map(|from| self.pass_varargs(row, &mut slots, from));
        let (args, count) = (self.p.args.len() as u32, slots.len());
        self.p.args.extend(slots);
        let d = if f.ty(i) == Type::Void { self.temp() } else { self.slots[i] };
        let called = self.calls[func];
        let profiled = self.profiled.as_mut().filter(|_| called.is_none());
        let site = profiled.map(|layout| layout.call(f.func, f.loc(i)));
        if let Some(probe) = site {
            self.emit(Code::Probe(probe));
        }
        // What is profiled is told where calls end.
        let jumps = f.flags(i).has(Flags::MUST_TAIL) && site.is_none() && saved.is_none();
        self.emit(match called {
            None if row.indirect && jumps => Code::TailCallAt { count: count as u16 - 1, d, args },
            None if jumps => Code::TailCall { func, d, args },
            None if row.indirect => Code::CallAt { count: count as u16 - 1, d, args },
            Some(runtime) => Code::Runtime { runtime, count: count as u16, d, args },
            None => Code::Call { func, d, args },
        });
        if site.is_some() {
            self.emit(Code::Probe(Probe::Back));
        }
        if let Some(a) = saved {
            self.emit(Code::GiveBack { a });
        }
    }

    /// Puts the arguments from the `from`-th on in memory of the stack, in words of 8 bytes, and passes its address in their
    /// place. What the stack ends at before.
    fn pass_varargs(&mut self, row: &Func, slots: &mut Vec<Slot>, from: usize) -> Slot {
        let (saved, place, n) = (self.temp(), self.temp(), self.temp());
        let behind = slots.split_off(from.min(slots.len()));
        self.emit(Code::End { d: saved });
        self.set_literal(n, 8 * behind.len() as u64);
        self.emit(Code::Take { d: place, n, align: 16 });
        for (k, v) in behind.into_iter().enumerate() {
            self.emit(Code::StoreAny { size: 8, v, a: place, x: 8 * k as i32 });
        }
        // A function that takes them has a parameter for it, which callers by name pass something for.
        let parts = row.parts.as_deref();
        let hidden =
            usize::from(row.indirect) + usize::from(parts.is_some_and(|parts| !parts.results.is_empty()));
        match slots.get_mut(hidden) {
            Some(slot) if !row.indirect => *slot = place,
            _ => slots.insert(hidden.min(slots.len()), place),
        }
        saved
    }
}
