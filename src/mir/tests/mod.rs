//! What tests of machine IR and of the allocator share.

pub(crate) mod parse;
