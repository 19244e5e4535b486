//! What calling a function can do, as a set of bits, and its text: LLVM's attributes of declarations.

use std::fmt::Write;

/// A set of things that a call can do.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect(u8);

impl Effect {
    /// Nothing: the result depends on the arguments only.
    pub const NONE: Effect = Effect(0);
    /// Reads memory of the caller's that its pointer arguments lead to.
    pub const READS: Effect = Effect(1);
    /// Writes memory of the caller's that its pointer arguments lead to.
    pub const WRITES: Effect = Effect(2);
    /// Input, output, time; and what else may not be dropped, such as never returning.
    pub const OUTSIDE: Effect = Effect(4);
    /// Of what reads or writes: also memory that no argument leads to.
    pub const ANYWHERE: Effect = Effect(8);
    /// Everything that one return can do.
    pub const ALL: Effect = Effect(15);
    /// Returns more than once, as `setjmp` does: what a caller keeps in its frame over the call has to stay there to the end.
    pub const TWICE: Effect = Effect(16);

    /// What is in either.
    pub const fn with(self, other: Effect) -> Effect {
        Effect(self.0 | other.0)
    }

    /// True if all of `other` is here.
    pub const fn has(self, other: Effect) -> bool {
        self.0 & other.0 == other.0
    }

    /// Appends the attributes that say it, each behind a blank; none for everything.
    pub(super) fn print(self, out: &mut String) {
        if self.has(Effect::TWICE) {
            out.push_str(" returns_twice");
        }
        if self.has(Effect::ALL) {
            return;
        }
        let access = ["none", "read", "write", "readwrite"][usize::from(self.0 & 3)];
        let outside = self.has(Effect::OUTSIDE);
        let only = if self.has(Effect::ANYWHERE) { "" } else { "argmem: " };
        _ = match (access, outside) {
            ("none", true) => write!(out, " memory(inaccessiblemem: readwrite)"),
            ("none", false) => write!(out, " nounwind willreturn memory(none)"),
            (_, true) => write!(out, " memory({only}{access}, inaccessiblemem: readwrite)"),
            ("read", false) => write!(out, " nounwind willreturn memory({only}read)"),
            (_, false) if only.is_empty() => {
                write!(out, " nounwind willreturn memory({access}, inaccessiblemem: none)")
            }
            (_, false) => write!(out, " nounwind willreturn memory({only}{access})"),
        };
    }
}

/// What attributes say of a function; each forbids something.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Promises {
    /// The effects that `memory(...)` leaves, if it is there.
    pub(super) memory: Option<Effect>,
    /// `nounwind`.
    pub(super) no_unwind: bool,
    /// `willreturn`.
    pub(super) returns: bool,
    /// `returns_twice`, which forbids nothing.
    pub(super) twice: bool,
}

impl Promises {
    /// The promises of both.
    pub(super) fn and(self, other: Promises) -> Promises {
        let both = |a: Effect, b: Effect| Effect(a.0 & b.0);
        let memory = match (self.memory, other.memory) {
            (Some(a), Some(b)) => Some(both(a, b)),
            (a, b) => a.or(b),
        };
        let (no_unwind, returns) = (self.no_unwind || other.no_unwind, self.returns || other.returns);
        Promises { memory, no_unwind, returns, twice: self.twice || other.twice }
    }

    /// What is left that the function can do. One that may stay away cannot be dropped.
    pub(super) fn effect(self) -> Effect {
        if self.twice {
            return Effect::ALL.with(Effect::TWICE);
        }
        let memory = self.memory.unwrap_or(Effect::ALL);
        if self.no_unwind && self.returns { memory } else { memory.with(Effect::OUTSIDE) }
    }
}
