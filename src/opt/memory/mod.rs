//! Passes about memory outside of loops: variables, arrays, stores. One pass a file.

pub mod constant_arrays;
pub mod dead_stores;
pub mod mem2reg;
pub mod split_arrays;
