//! Tests with generated programs: random ones, families of growing size, all ways through the compiler. One program, since
//! they share the generators: `cargo test --test generated fuzz::` runs a part.

mod checked_programs;
mod debug;
mod determinism;
mod fixes;
mod format;
mod fuzz;
mod growth;
mod hostile;
mod hostile_ir;
mod page;
mod passes;
mod profile;
mod road;
mod tensors;
mod volume;

mod generate;
#[allow(dead_code)]
mod support;
