//! The targets: RISC-V 64, AArch64 and ARMv7, and what their selectors share.
//!
//! | file | holds |
//! | --- | --- |
//! | `select` | the walk from SSA to machine IR: demand-driven, backwards, a block at a time |
//! | `address` | element addresses flattened to base + offset + scaled indices |
//! | `riscv64/`, `aarch64/`, `armv7/` | rows, selection, ABI, frames, legal immediates: one folder a target |
//!
//! A target is a `Target` row of functions and tables; shared code never asks which one it has.

pub mod address;
pub mod select;
