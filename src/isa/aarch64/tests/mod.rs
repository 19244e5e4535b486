//! Tests of the whole target: rows against an assembler, selection and finishing as text.

mod edges;
mod finalise;
mod rows;
mod select;
