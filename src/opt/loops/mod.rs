//! Passes about loops, one a file, and what several of them share:
//!
//! | file | holds |
//! | --- | --- |
//! | `canonical_loops` | preheaders, dedicated exits, loop-closed SSA |
//! | `exit_values` | what values are behind a loop |
//! | `firsts` | what values are in the first round of a loop |
//! | `copies` | copies of the rounds of a loop |
//! | `remainder` | a loop for the rounds that are left when several are done for one test |
//! | `remarks` | what is said about loops |

pub mod canonical_loops;
pub mod carry;
pub mod copies;
pub mod exit_values;
pub mod finish_loops;
pub mod firsts;
pub mod idempotent_loops;
pub mod licm;
pub mod memory_loops;
pub mod promote;
pub mod remainder;
mod remarks;
pub mod rotate;
pub mod split_loops;
pub mod steps;
pub mod strength;
pub mod unroll;
pub mod unroll_all;
pub mod unroll_and_jam;
