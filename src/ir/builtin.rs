//! What languages ask of machines that is neither arithmetic nor a plain access: memory of a size that is known when the
//! program runs, accesses that other threads see as one, and where a thread has its own data. An instruction of this kind is a call of a declared function
//! that stands for it, and so is all that passes have to know: nothing is known of what the call does, so it stays where
//! it is, as often as it is there, and nothing in memory that others may see is known behind it. The text has LLVM's
//! instructions (`print`, `parse/stack`, `parse/atomic`), the interpreter and selection ask which one it is.

use super::{Body, GlobalId, Op, Value};

/// Which one.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Builtin {
    /// So many bytes on the stack (a number as wide as an address), up to where `StackRestore` or the end of the
    /// function gives them back; each time it is executed. What they are aligned to.
    StackAlloc(u32),
    /// Where the stack ends: what `StackRestore` takes.
    StackSave,
    /// Gives back what has been taken since then.
    StackRestore,
    /// A fence: orders accesses before it and behind it, as other threads see them.
    Fence(Ordering),
    /// A compiler barrier, which is no instruction: passes take it for something that may read and write all memory, and what an
    /// address leads to if it has one (C's `asm volatile("" ::: "memory")`).
    Barrier,
    /// The value at an address, read as one.
    AtomicLoad(Ordering),
    /// Stores a value at an address (in this order, which is LLVM's), as one.
    AtomicStore(Ordering),
    /// Of an address and a value: stores what the operation makes of what is there and the value; what was there.
    AtomicUpdate(Update, Ordering),
    /// The address of thread-local data, of the thread that asks.
    ThreadAddress,
    /// Of an address and two values: stores the second one if the first one is there; what was there.
    CompareExchange(Ordering),
    /// Whether the call in front of it was left by an exception: the condition of the branch right behind it, and of nothing
    /// else. Both together are LLVM's `invoke`.
    Unwinds,
    /// Stands first where such a branch goes then: the exception. Its arguments are what is caught here, in order (`Clause`).
    LandingPad,
    /// Stands right behind that: the number of what has caught the exception.
    Selector,
    /// The number that a type has there, by the address of what describes it.
    TypeId,
    /// Inline assembly, which the function's name says (`assembly`).
    Assembly,
}

/// One of the things that a landing pad catches, as its arguments say it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// Destroys objects whatever is thrown, and goes on unwinding.
    Cleanup,
    /// Catches everything.
    All,
    /// Catches what an exception of the type that is described here is; of a filter, lets it through.
    Type(GlobalId),
    /// Catches what is of none of so many types, which follow.
    Filter(u32),
}

impl Clause {
    const CLEANUP: i64 = -1;
    const ALL: i64 = -2;

    /// The argument that says it.
    pub fn value(self, body: &mut Body) -> Value {
        match self {
            Clause::Cleanup => body.int(Clause::CLEANUP as i32),
            Clause::All => body.int(Clause::ALL as i32),
            Clause::Type(global) => Value::global(global),
            Clause::Filter(count) => body.int(count as i32),
        }
    }

    /// What an argument says, if it says something.
    pub fn of(body: &Body, v: Value) -> Option<Clause> {
        match (v.as_global(), body.as_int(v)) {
            (Some(global), _) => Some(Clause::Type(global)),
            (_, Some(Clause::CLEANUP)) => Some(Clause::Cleanup),
            (_, Some(Clause::ALL)) => Some(Clause::All),
            (_, Some(count)) => u32::try_from(count).ok().map(Clause::Filter),
            _ => None,
        }
    }
}

/// What an update stores.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Update {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
}

impl Update {
    /// All of them, in number order.
    pub const ALL: [Update; 6] =
        [Update::Exchange, Update::Add, Update::Sub, Update::And, Update::Or, Update::Xor];

    /// LLVM's name.
    pub fn name(self) -> &'static str {
        ["xchg", "add", "sub", "and", "or", "xor"][self as usize]
    }

    /// The operation, but for the exchange.
    pub fn op(self) -> Option<Op> {
        [None, Some(Op::Add), Some(Op::Sub), Some(Op::And), Some(Op::Or), Some(Op::Xor)][self as usize]
    }
}

/// How an access is ordered among others (LLVM's names; what is less is a promise of less).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Ordering {
    Monotonic,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Ordering {
    /// All of them, in number order.
    pub const ALL: [Ordering; 5] = {
        use Ordering::*;
        [Monotonic, Acquire, Release, AcqRel, SeqCst]
    };

    /// LLVM's name.
    pub fn name(self) -> &'static str {
        ["monotonic", "acquire", "release", "acq_rel", "seq_cst"][self as usize]
    }

    /// What promises both.
    pub fn with(self, other: Ordering) -> Ordering {
        use Ordering::{AcqRel, Acquire, Release};
        match (self.min(other), self.max(other)) {
            (Acquire, Release) => AcqRel,
            (_, most) => most,
        }
    }

    /// Of an exchange that may fail, what a failure is ordered by, at most: it stores nothing.
    pub fn of_failure(self) -> Ordering {
        use Ordering::{AcqRel, Acquire, Monotonic, Release, SeqCst};
        match self {
            Monotonic | Release => Monotonic,
            Acquire | AcqRel => Acquire,
            SeqCst => SeqCst,
        }
    }
}

impl Builtin {
    /// The name of the function that stands for it, with a value of a type of this code: one for each, and for none
    /// else.
    pub fn name(self, code: &str) -> String {
        match self {
            Builtin::StackAlloc(align) => format!(".alloca.{align}"),
            Builtin::StackSave => ".stacksave".to_string(),
            Builtin::StackRestore => ".stackrestore".to_string(),
            Builtin::ThreadAddress => ".thread".to_string(),
            Builtin::Barrier => format!(".barrier{code}"),
            Builtin::Fence(order) => format!(".fence.{}", order.name()),
            Builtin::AtomicLoad(order) => format!(".atomic.load.{code}.{}", order.name()),
            Builtin::AtomicStore(order) => format!(".atomic.store.{code}.{}", order.name()),
            Builtin::AtomicUpdate(update, order) => {
                format!(".atomic.{}.{code}.{}", update.name(), order.name())
            }
            Builtin::CompareExchange(order) => format!(".atomic.cmpxchg.{code}.{}", order.name()),
            Builtin::Unwinds => ".unwinds".to_string(),
            Builtin::LandingPad => ".landingpad".to_string(),
            Builtin::Selector => ".selector".to_string(),
            Builtin::TypeId => ".typeid".to_string(),
            Builtin::Assembly => format!("{}{code}", super::assembly::PREFIX),
        }
    }

    /// The function of LLVM's that the text calls, if there is one.
    pub fn function(self) -> Option<&'static str> {
        match self {
            Builtin::StackSave => Some("llvm.stacksave.p0"),
            Builtin::StackRestore => Some("llvm.stackrestore.p0"),
            Builtin::ThreadAddress => Some("llvm.threadlocal.address.p0"),
            Builtin::TypeId => Some("llvm.eh.typeid.for.p0"),
            _ => None,
        }
    }

    /// True if memory taken by a function with it would pile up where the function's code is executed again without
    /// being entered again.
    pub fn takes_stack(self) -> bool {
        matches!(self, Builtin::StackAlloc(_))
    }

    /// Whether a fence in front of a plain access, and one behind it, make it what it has to be.
    pub fn fences(self) -> [bool; 2] {
        match self {
            Builtin::AtomicLoad(order) => [order == Ordering::SeqCst, order != Ordering::Monotonic],
            Builtin::AtomicStore(order) => [order != Ordering::Monotonic, order == Ordering::SeqCst],
            Builtin::AtomicUpdate(_, order) | Builtin::CompareExchange(order) => {
                [order != Ordering::Monotonic; 2]
            }
            _ => [false; 2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orderings_promise_both() {
        use Ordering::*;
        assert_eq!(
            [Acquire.with(Release), Release.with(Acquire), Monotonic.with(Release)],
            [AcqRel, AcqRel, Release]
        );
        for a in Ordering::ALL {
            for b in Ordering::ALL {
                assert_eq!(a.with(b), b.with(a));
                assert!(a.with(b) >= a && a.with(a) == a && a.of_failure() <= a);
            }
        }
    }
}
