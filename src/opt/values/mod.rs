//! Passes about values: what is computed, and in what form. One pass a file.

pub mod addresses;
pub mod common_sums;
pub mod dce;
mod demanded;
pub mod expand;
pub mod gvn;
pub mod ranges;
pub mod reassociate;
pub mod sccp;
pub mod simplify;
