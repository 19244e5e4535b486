//! Typed handles: a row number in some table, as a `u32` with a type of its own.
//!
//! Handles are links. They are copied freely, compared by number, and cost four bytes; `Opt<H>` keeps that
//! size for columns of optional links by giving up the number `u32::MAX`. Signatures take `Option<H>`.

use std::marker::PhantomData;

/// What every handle can do: become a row number and come back from one.
pub trait Handle: Copy + Eq + Ord + std::fmt::Debug {
    /// The handle of row `index`. A table never has more than `u32::MAX - 1` rows: inputs are at most 4 GiB.
    fn new(index: usize) -> Self;
    /// The row number.
    fn index(self) -> usize;
}

/// Declares handle types: `handle! { /// doc
/// pub struct Block("b"); }` makes a `u32` newtype that prints as `b7`.
macro_rules! handle {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident($prefix:literal);)*) => {$(
        $(#[$meta])*
        #[derive(Copy, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u32);

        impl $crate::base::Handle for $name {
            #[inline(always)]
            fn new(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                $name(index as u32)
            }
            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}
pub(crate) use handle;

/// An optional handle in four bytes, for columns.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opt<H>(u32, PhantomData<H>);

impl<H: Handle> Opt<H> {
    /// No handle.
    pub const NONE: Opt<H> = Opt(u32::MAX, PhantomData);

    /// This handle.
    #[inline(always)]
    pub fn some(handle: H) -> Self {
        Opt(handle.index() as u32, PhantomData)
    }

    /// The handle, if there is one.
    #[inline(always)]
    pub fn get(self) -> Option<H> {
        if self.0 == u32::MAX { None } else { Some(H::new(self.0 as usize)) }
    }

    /// True if there is a handle.
    #[inline(always)]
    pub fn is_some(self) -> bool {
        self.0 != u32::MAX
    }

    /// True if there is none.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0 == u32::MAX
    }
}

impl<H: Handle> From<Option<H>> for Opt<H> {
    #[inline(always)]
    fn from(handle: Option<H>) -> Self {
        handle.map_or(Self::NONE, Self::some)
    }
}

impl<H: Handle> From<H> for Opt<H> {
    #[inline(always)]
    fn from(handle: H) -> Self {
        Self::some(handle)
    }
}

impl<H: Handle> Default for Opt<H> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<H: Handle> std::fmt::Debug for Opt<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.get() {
            Some(handle) => handle.fmt(f),
            None => f.write_str("-"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::handle! { struct Row("r"); }

    #[test]
    fn an_optional_handle_keeps_the_size_and_round_trips() {
        assert_eq!(size_of::<Opt<Row>>(), 4);
        assert_eq!(Opt::from(Some(Row::new(7))).get(), Some(Row::new(7)));
        assert_eq!(Opt::<Row>::from(None).get(), None);
        assert_eq!(format!("{:?} {:?}", Opt::some(Row::new(3)), Opt::<Row>::NONE), "r3 -");
    }
}
