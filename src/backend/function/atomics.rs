//! Accesses that other threads see as one, and fences. Each is a call of a function that stands for it (`ir::Builtin`), which
//! the module has once it is asked for (`Module::use_atomics`). Updates that machines have no loop of their own for are loops of
//! comparing exchanges, as the reader of text makes them (`ir/parse/atomic`).

use super::{Block, FunctionBuilder, Val};
use crate::ir::builtin::{self, Builtin, Ordering};
use crate::ir::{IntPred, Type, Value};

/// What an update stores (`FunctionBuilder::atomic_update`).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Update {
    /// The operand.
    Exchange,
    /// The sum with it, which wraps.
    Add,
    /// The difference, which wraps.
    Sub,
    /// Both, bit by bit.
    And,
    /// Either.
    Or,
    /// One of both.
    Xor,
    /// Not both.
    Nand,
    /// The lesser, signed.
    SMin,
    /// The greater, signed.
    SMax,
    /// The lesser, unsigned.
    UMin,
    /// The greater, unsigned.
    UMax,
}

impl Update {
    /// What machines have an operation for.
    fn plain(self) -> Option<builtin::Update> {
        use builtin::Update as Plain;
        Some(match self {
            Update::Exchange => Plain::Exchange,
            Update::Add => Plain::Add,
            Update::Sub => Plain::Sub,
            Update::And => Plain::And,
            Update::Or => Plain::Or,
            Update::Xor => Plain::Xor,
            _ => return None,
        })
    }
}

impl FunctionBuilder<'_> {
    /// The value of a type at an address, read as one; not ordered by `Release` or `AcqRel`. As for all of these, the type is
    /// an integer of 8 to 64 bits or a ptr that the module uses so (`Module::use_atomics`), and the address is a multiple of
    /// its size.
    pub fn atomic_load(&mut self, ty: Type, address: Val, ordering: Ordering) -> Val {
        let Some([address]) = self.pointer("atomic_load", address) else { return self.poison() };
        if matches!(ordering, Ordering::Release | Ordering::AcqRel) {
            return self.wrong(|| format!("atomic_load: ordered by {}", ordering.name()));
        }
        self.atomic("atomic_load", Builtin::AtomicLoad(ordering), ty, &[address])
    }

    /// Stores a value at an address, as one; not ordered by `Acquire` or `AcqRel`.
    pub fn atomic_store(&mut self, v: Val, address: Val, ordering: Ordering) {
        let Some([value]) = self.values("atomic_store", [v]) else { return };
        let Some([place]) = self.pointer("atomic_store", address) else { return };
        let ty = self.body.type_of(value);
        if matches!(ordering, Ordering::Acquire | Ordering::AcqRel) {
            self.wrong(|| format!("atomic_store: ordered by {}", ordering.name()));
        } else if self.is_split(ty) {
            self.exchanges(Update::Exchange, address, v, ordering);
        } else {
            self.atomic("atomic_store", Builtin::AtomicStore(ordering), ty, &[value, place]);
        }
    }

    /// Stores what an operation makes of what is at an address and an operand, as one access; what was there. The builder may
    /// stand in another block behind it, which goes on from there.
    pub fn atomic_update(&mut self, update: Update, address: Val, v: Val, ordering: Ordering) -> Val {
        let Some([value]) = self.values("atomic_update", [v]) else { return self.poison() };
        let Some([place]) = self.pointer("atomic_update", address) else { return self.poison() };
        let ty = self.body.type_of(value);
        if update != Update::Exchange && !ty.is_int() {
            return self.wrong(|| format!("atomic_update: {update:?} of {}", ty.name()));
        }
        match update.plain().filter(|_| (ty.bytes() >= 4 || ty == Type::Ptr) && !self.is_split(ty)) {
            Some(plain) => {
                let update = Builtin::AtomicUpdate(plain, ordering);
                self.atomic("atomic_update", update, ty, &[place, value])
            }
            None => self.exchanges(update, address, v, ordering),
        }
    }

    /// Stores `new` at an address if `expected` is there, as one access; what was there. It was stored if both are equal. A
    /// failure is ordered by the second, which is not `Release` or `AcqRel`.
    pub fn compare_exchange(
        &mut self,
        address: Val,
        expected: Val,
        new: Val,
        ordering: Ordering,
        of_failure: Ordering,
    ) -> Val {
        let Some([address]) = self.pointer("compare_exchange", address) else { return self.poison() };
        let Some([expected, new]) = self.alike("compare_exchange", [expected, new]) else {
            return self.poison();
        };
        if matches!(of_failure, Ordering::Release | Ordering::AcqRel) {
            return self.wrong(|| format!("compare_exchange: a failure ordered by {}", of_failure.name()));
        }
        let ty = self.body.type_of(new);
        let exchange = Builtin::CompareExchange(ordering.with(of_failure));
        self.atomic("compare_exchange", exchange, ty, &[address, expected, new])
    }

    /// A fence: orders accesses before it and behind it, as other threads see them; not by `Monotonic`. The module uses some type so.
    pub fn fence(&mut self, ordering: Ordering) {
        if ordering == Ordering::Monotonic {
            self.wrong(|| "fence: ordered by monotonic".to_string());
            return;
        }
        self.builtin("fence", "use_atomics", Builtin::Fence(ordering), Type::Void, &[]);
    }

    /// A call of what stands for an access of this type.
    fn atomic(&mut self, what: &str, builtin: Builtin, ty: Type, args: &[Value]) -> Val {
        if !is_atomic(ty) {
            return self.wrong(|| format!("{what}: of {}", ty.name()));
        }
        self.builtin(what, "use_atomics", builtin, ty, args)
    }

    /// A call of what stands for something, which the module has been asked for.
    pub(super) fn builtin(
        &mut self,
        what: &str,
        asked: &str,
        builtin: Builtin,
        ty: Type,
        args: &[Value],
    ) -> Val {
        match self.module.builtin(builtin, ty) {
            Some(func) => self.build(|b| b.call(func, args)),
            None => self.wrong(|| format!("{what} ({}): without Module::{asked} before", ty.name())),
        }
    }

    /// True if a value takes two registers.
    fn is_split(&self, ty: Type) -> bool {
        ty == Type::I64 && self.module.target.pointer_bytes() == 4
    }

    /// An update as a loop of exchanges; what was there.
    fn exchanges(&mut self, update: Update, address: Val, v: Val, ordering: Ordering) -> Val {
        let Some(ty) = self.type_of(v).filter(|&ty| is_atomic(ty)) else {
            return self.wrong(|| "atomic_update: of such a type".to_string());
        };
        let again = self.create_block();
        self.br(again);
        self.switch_to(again);
        let old = self.atomic_load(ty, address, Ordering::Monotonic);
        let chosen = |f: &mut Self, pred: IntPred| {
            let is = f.icmp(pred, old, v);
            f.select(is, old, v)
        };
        let new = match update {
            Update::Exchange => v,
            Update::Add => self.add(old, v),
            Update::Sub => self.sub(old, v),
            Update::And => self.and(old, v),
            Update::Or => self.or(old, v),
            Update::Xor => self.xor(old, v),
            Update::Nand => {
                let both = self.and(old, v);
                self.not(both)
            }
            Update::SMin => chosen(self, IntPred::Slt),
            Update::SMax => chosen(self, IntPred::Sgt),
            Update::UMin => chosen(self, IntPred::Ult),
            Update::UMax => chosen(self, IntPred::Ugt),
        };
        let was = self.compare_exchange(address, old, new, ordering, ordering.of_failure());
        let is_done = self.icmp(IntPred::Eq, was, old);
        let behind: Block = self.create_block();
        self.cond_br(is_done, behind, again);
        self.seal(again);
        self.switch_to(behind);
        self.seal(behind);
        was
    }
}

/// True for what is accessed as one.
pub(in crate::backend) fn is_atomic(ty: Type) -> bool {
    matches!(ty, Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Ptr)
}
