//! Accesses that other threads see as one, and fences: calls of what stands for them (`Builtin`). What an address has to be
//! aligned to is what its type has bytes. O(1) each.
//!
//! An update that machines have no loop of their own for (of 8 and 16 bits, of 64 where addresses have 32, and of kinds that
//! C has no operator for) is one made of comparing exchanges, as LLVM's `AtomicExpand` makes them:
//!
//! ```text
//!   loop:  old = load atomic monotonic     done:
//!          new = old op value
//!          was = cmpxchg old, new
//!          br was = old, done, loop
//! ```

use super::aggregate::Made;
use super::builder::{Builder, Operand};
use super::lexer::Token;
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::builtin::{Builtin, Ordering, Update};
use crate::ir::{IntPred, Op, Type, Value};

/// What an update of any kind stores.
#[derive(Copy, Clone)]
enum Kind {
    /// What machines have.
    Plain(Update),
    Nand,
    /// The one of two that compares so.
    Chosen(IntPred),
}

impl Parser<'_> {
    /// `load atomic`, whose words have been read.
    pub(super) fn atomic_load(&mut self, b: &mut Builder) -> Parsed<Value> {
        self.eat_word("volatile")?;
        let at = self.start;
        let ty = self.ty()?;
        self.expect(b',')?;
        let (_, address) = self.typed_operand(b)?;
        let order = self.ordering()?;
        if matches!(order, Ordering::Release | Ordering::AcqRel) {
            return self.error("a load cannot be ordered so");
        }
        let number = self.atomic_access(ty, at)?;
        let v = self.atomic(b, Builtin::AtomicLoad(order), number, &[address])?;
        if number == ty { Ok(v) } else { self.bits(b, Operand::Value(v), ty) }
    }

    /// `store atomic`, whose words have been read.
    pub(super) fn atomic_store(&mut self, b: &mut Builder) -> Parsed<()> {
        self.eat_word("volatile")?;
        let at = self.start;
        let (ty, mut value) = self.typed_operand(b)?;
        self.expect(b',')?;
        let (_, address) = self.typed_operand(b)?;
        let order = self.ordering()?;
        if matches!(order, Ordering::Acquire | Ordering::AcqRel) {
            return self.error("a store cannot be ordered so");
        }
        let number = self.atomic_access(ty, at)?;
        if number != ty {
            value = Operand::Value(self.bits(b, value, number)?);
        }
        if self.is_split(number) {
            let (address, value) = (b.settled(address), b.settled(value));
            self.exchanges(b, Kind::Plain(Update::Exchange), number, (address, value), order)?;
            return Ok(());
        }
        self.atomic(b, Builtin::AtomicStore(order), number, &[value, address])?;
        Ok(())
    }

    /// `fence`, whose word has been read.
    pub(super) fn fence(&mut self, b: &mut Builder) -> Parsed<()> {
        let at = self.start;
        let is_own = self.token == Token::Word("syncscope")
            && self.lexer.text[self.lexer.at..].starts_with("(\"singlethread\")");
        let order = self.ordering()?;
        if order == Ordering::Monotonic {
            return self.error_at(at, "a fence cannot be ordered so");
        }
        if is_own {
            return self.barrier(b, None);
        }
        let func = self.builtin(Builtin::Fence(order), Type::Void, &[], "")?;
        b.insert(Op::Call, Type::Void, &[], func.index() as u32);
        Ok(())
    }

    /// `atomicrmw`, whose word has been read; what was there.
    pub(super) fn atomic_update(&mut self, b: &mut Builder) -> Parsed<Value> {
        self.eat_word("volatile")?;
        let at = self.start;
        let Token::Word(word) = self.token else { return self.expected("an operation") };
        let kind = match word {
            "nand" => Kind::Nand,
            "max" => Kind::Chosen(IntPred::Sgt),
            "min" => Kind::Chosen(IntPred::Slt),
            "umax" => Kind::Chosen(IntPred::Ugt),
            "umin" => Kind::Chosen(IntPred::Ult),
            _ => match Update::ALL.into_iter().find(|update| update.name() == word) {
                Some(update) => Kind::Plain(update),
                None => return self.error(format!("`atomicrmw {word}` is not supported")),
            },
        };
        self.advance()?;
        let (_, address) = self.typed_operand(b)?;
        self.expect(b',')?;
        let (ty, mut value) = self.typed_operand(b)?;
        let order = self.update_ordering()?;
        let number = self.atomic_type(ty, at)?;
        let exchanges = matches!(kind, Kind::Plain(Update::Exchange));
        if !exchanges && !ty.is_int() {
            return self.error_at(at, format!("`atomicrmw {word}` of {} is not supported", ty.name()));
        }
        if number != ty {
            value = Operand::Value(self.bits(b, value, number)?);
        }
        let old = match kind {
            Kind::Plain(update) if number.bytes() >= 4 && !self.is_split(number) || number == Type::Ptr => {
                self.atomic(b, Builtin::AtomicUpdate(update, order), number, &[address, value])?
            }
            _ => {
                let (address, value) = (b.settled(address), b.settled(value));
                self.exchanges(b, kind, number, (address, value), order)?
            }
        };
        if number == ty { Ok(old) } else { self.bits(b, Operand::Value(old), ty) }
    }

    /// `cmpxchg`, whose word has been read: what was there, and whether that was what was expected.
    pub(super) fn compare_exchange(&mut self, b: &mut Builder) -> Parsed<Value> {
        self.eat_word("weak")?;
        self.eat_word("volatile")?;
        let at = self.start;
        let (_, address) = self.typed_operand(b)?;
        self.expect(b',')?;
        let (ty, expected) = self.typed_operand(b)?;
        self.expect(b',')?;
        let (other, new) = self.typed_operand(b)?;
        let order = self.update_ordering()?;
        let of_failure = self.update_ordering()?;
        if matches!(of_failure, Ordering::Release | Ordering::AcqRel) {
            return self.error_at(at, "what was no exchange cannot be ordered so");
        }
        if !ty.is_int() && ty != Type::Ptr || other != ty {
            return self
                .error_at(at, format!("a cmpxchg of {} and {} is not supported", ty.name(), other.name()));
        }
        let number = self.atomic_type(ty, at)?;
        let expected = Operand::Value(b.settled(expected));
        let exchange = Builtin::CompareExchange(order.with(of_failure));
        let was = self.atomic(b, exchange, number, &[address, expected, new])?;
        let same = b.insert(Op::ICmp, Type::I1, &[Operand::Value(was), expected], IntPred::Eq as u32);
        b.flags.push(same);
        let mem = Some(self.flagged(ty));
        b.made = Some(Made { parts: vec![was, Value::inst(same)], bits: None, mem });
        Ok(Value::undef(Type::Void))
    }

    /// An update as a loop of exchanges; what was there.
    fn exchanges(
        &mut self,
        b: &mut Builder,
        kind: Kind,
        ty: Type,
        (address, value): (Value, Value),
        order: Ordering,
    ) -> Parsed<Value> {
        let again = b.extra_block();
        b.f.set_br(b.block, again, b.place());
        b.block = again;
        let address = Operand::Value(address);
        let old = self.atomic(b, Builtin::AtomicLoad(Ordering::Monotonic), ty, &[address])?;
        let new = match kind {
            Kind::Plain(update) => match update.op() {
                Some(op) => b.make(op, ty, &[old, value], 0),
                None => value,
            },
            Kind::Nand => {
                let both = b.make(Op::And, ty, &[old, value], 0);
                b.by(Op::Xor, ty, both, -1)
            }
            Kind::Chosen(pred) => {
                let is = b.make(Op::ICmp, Type::I1, &[old, value], pred as u32);
                b.make(Op::Select, ty, &[is, old, value], 0)
            }
        };
        let operands = [address, Operand::Value(old), Operand::Value(new)];
        let was = self.atomic(b, Builtin::CompareExchange(order), ty, &operands)?;
        let done = b.make(Op::ICmp, Type::I1, &[was, old], IntPred::Eq as u32);
        let after = b.extra_block();
        b.f.set_cond_br(again, done, after, again, b.place());
        b.block = after;
        Ok(was)
    }

    /// A call of what stands for an access of this type.
    fn atomic(&mut self, b: &mut Builder, builtin: Builtin, ty: Type, operands: &[Operand]) -> Parsed<Value> {
        let (result, params) = match builtin {
            Builtin::AtomicStore(_) => (Type::Void, &[ty, Type::Ptr][..]),
            Builtin::AtomicLoad(_) => (ty, &[Type::Ptr][..]),
            Builtin::AtomicUpdate(..) => (ty, &[Type::Ptr, ty][..]),
            _ => (ty, &[Type::Ptr, ty, ty][..]),
        };
        let func = self.builtin(builtin, result, params, ty.code())?;
        Ok(Value::inst(b.insert(Op::Call, result, operands, func.index() as u32)))
    }

    /// True if a value takes two registers.
    fn is_split(&self, ty: Type) -> bool {
        ty == Type::I64 && self.platform.pointer_bytes == 4
    }

    /// The type that stands for one in such accesses, which end here: of floats the integer of as many bytes.
    fn atomic_type(&mut self, ty: Type, at: usize) -> Parsed<Type> {
        let number = match ty {
            Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Ptr => ty,
            Type::F32 => Type::I32,
            Type::F64 => Type::I64,
            _ => return self.error_at(at, format!("an atomic access of {} is not supported", ty.name())),
        };
        let align = self.trailer()?.align;
        if align != 0 && align < self.module.env.shapes.bytes_of(ty) {
            return self.error_at(at, "an atomic access that is aligned less than its size is not supported");
        }
        Ok(number)
    }

    /// The same of a load or store, which says how it is aligned.
    fn atomic_access(&mut self, ty: Type, at: usize) -> Parsed<Type> {
        let mut ahead = self.lexer.clone();
        let has_align =
            self.token == Token::Mark(b',') && matches!(ahead.next(), Ok((Token::Word("align"), _)));
        if has_align {
            self.atomic_type(ty, at)
        } else {
            self.error_at(at, "this does not say how it is aligned")
        }
    }

    /// How an update is ordered: more than not at all.
    fn update_ordering(&mut self) -> Parsed<Ordering> {
        if self.token == Token::Word("unordered") {
            return self.error("an update cannot be ordered so");
        }
        self.ordering()
    }

    /// How an access is ordered.
    fn ordering(&mut self) -> Parsed<Ordering> {
        match self.order_word()? {
            Some(order) => Ok(order),
            None => self.expected("an ordering"),
        }
    }

    /// The ordering that the token is, which is read; `unordered` promises less than `monotonic`.
    fn order_word(&mut self) -> Parsed<Option<Ordering>> {
        if self.eat_word("syncscope")? {
            self.skip_balanced()?;
        }
        let Token::Word(word) = self.token else { return Ok(None) };
        let known = Ordering::ALL.into_iter().find(|order| order.name() == word);
        let order = known.or((word == "unordered").then_some(Ordering::Monotonic));
        if order.is_some() {
            self.advance()?;
        }
        Ok(order)
    }
}
