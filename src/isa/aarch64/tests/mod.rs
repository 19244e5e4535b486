//! Tests of the whole target: rows against an assembler, selection and finishing as text.

mod edges;
mod finalise;
mod folded;
mod pair;
mod rows;
mod select;
mod vector;
mod zero_flags;
