//! Tests of code: what programs do and what objects hold, on every target. One program, since they share what runs programs
//! and compares: `cargo test --test targets suite::` runs a part.

mod encode;
mod executed;
mod fast_math;
mod faults;
mod machines;
mod models;
mod opcodes;
mod runtime;
mod sanitize;
mod subsets;
mod suite;
mod tools;
mod vectors;
mod wrong;

#[path = "support/everywhere.rs"]
mod everywhere;
mod generate;
#[allow(dead_code)]
mod support;
