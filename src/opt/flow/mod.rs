//! Passes about control flow outside of loops: branches, blocks, choices. One pass a file.

pub mod branch_selects;
pub mod if_convert;
pub mod if_to_switch;
pub mod implied;
pub mod range_checks;
pub mod simplify_cfg;
pub mod sink;
pub mod sink_compares;
pub mod sink_equal;
