//! By which calls rows got into a function whose text they are not from: a tree of inlined calls, made at selection from
//! the places of the body (`ir/place`), where places are wanted. Rows name an origin in `Func::loc`.

use crate::base::{Column, Opt};

/// Calls inside of more calls than this are told as parts of the last one: readers of DWARF recurse.
pub const DEEPEST: u32 = 24;

crate::handle! {
    /// A call that has been replaced by what it calls.
    pub struct Call("call");
}

/// A call that has been replaced.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallRow {
    /// The number of the function that was called.
    pub func: u32,
    /// The byte offset of the call in the source, or `u32::MAX`.
    pub at: u32,
    /// The call by which that text got here, if it is not the function's own.
    pub parent: Opt<Call>,
}

/// A place in the source, and by which call it got here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The call, if it is not in the function's own text.
    pub call: Opt<Call>,
    /// The byte offset, or `u32::MAX`.
    pub offset: u32,
    /// The version of the code (`ir/debug_values/versions`), for what variables stand for there.
    pub version: u32,
}

impl Origin {
    /// Nowhere.
    pub const NONE: Origin = Origin { call: Opt::NONE, offset: u32::MAX, version: 0 };

    /// In the function's own text.
    pub fn at(offset: u32) -> Origin {
        Origin { call: Opt::NONE, offset, version: 0 }
    }
}

/// In `Func::loc`: the rest is the number of an origin. All ones are nowhere.
pub const INLINED: u32 = 1 << 31;

/// The origins of a function that are in other functions.
#[derive(Clone, Debug, Default)]
pub struct Inlined {
    /// By number.
    pub origins: Vec<Origin>,
    /// A call comes behind the one that it is in.
    pub calls: Column<Call, CallRow>,
}

impl Inlined {
    /// What stands in `Func::loc`.
    #[inline]
    pub fn origin(&self, loc: u32) -> Origin {
        if loc < INLINED {
            return Origin::at(loc);
        }
        self.origins.get((loc ^ INLINED) as usize).copied().unwrap_or(Origin::NONE)
    }

    /// Where the call stands by which something got here.
    pub fn outer(&self, origin: Origin) -> Option<Origin> {
        let row = self.calls.get(origin.call.get()?)?;
        Some(Origin { call: row.parent, offset: row.at, ..origin })
    }
}
