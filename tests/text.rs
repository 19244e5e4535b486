//! Tests of LLVM text: what it means, beside a real LLVM, gcc and clang. `cargo test --test text calls::` runs a part.

mod accesses;
mod calls;
mod carried;
mod clang;
mod exceptions;
mod frontends;
mod jumps;
mod kernels;
mod lanes;
mod llvm;
mod mutated_ir;
mod parts;
mod position;
mod quads;
mod support;
mod throws;
mod widths;

#[path = "support/cross.rs"]
mod cross;
#[path = "support/random.rs"]
mod random;
