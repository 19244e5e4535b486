//! What a source asks of a function's code beyond what it does: how large it may be, and whether its calls are to be replaced
//! by it. Nothing is wrong if it is passed over.

/// What counts more: the time that code takes, or its size.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// The time.
    #[default]
    Any,
    /// Its size; not at any price (`optsize`, `-Os`).
    Small,
    /// Nothing but its size (`minsize`, `-Oz`).
    Smallest,
}

/// Whether calls of a function are replaced by its body.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Inlining {
    /// Where that is worth it.
    #[default]
    ByCost,
    /// Nowhere (`noinline`).
    Never,
    /// Wherever it can be done (`alwaysinline`).
    Always,
}

/// What a source asks of a function's code.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// How large it may be.
    pub size: Size,
    /// Where it is copied.
    pub inlining: Inlining,
    /// It is seldom called (`cold`): its size counts, and so does that of what leads to its calls.
    pub cold: bool,
    /// How often it was called, and what was called most often, by a profile.
    pub calls: Option<Calls>,
}

/// How often a function was called when a profile was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    /// That often.
    pub count: u64,
    /// It is one of those that are called most, by a factor of `HOT`.
    pub hot: bool,
}

impl Calls {
    /// What is called that many times less often than something else is not worth larger code.
    pub const HOT: u64 = 64;
}

impl Hints {
    /// What these ask for, and what those do.
    #[must_use]
    pub fn and(self, other: Hints) -> Hints {
        let inlining = if self.inlining == Inlining::ByCost { other.inlining } else { self.inlining };
        let (cold, calls) = (self.cold || other.cold, self.calls.or(other.calls));
        Hints { size: self.size.max(other.size), inlining, cold, calls }
    }

    /// LLVM's words for them.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let size = [None, Some("optsize"), Some("minsize")][self.size as usize];
        let inlining = [None, Some("noinline"), Some("alwaysinline")][self.inlining as usize];
        [inlining, self.cold.then_some("cold"), size].into_iter().flatten()
    }

    /// What counts of its code, where the whole program is asked for this.
    pub fn size_among(self, of_all: Size) -> Size {
        let own = if self.cold { self.size.max(Size::Small) } else { self.size };
        own.max(of_all)
    }
}
