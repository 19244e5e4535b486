//! Passes about loops, one a file, and what several of them share:
//!
//! | file | holds |
//! | --- | --- |
//! | `canonical_loops` | preheaders, dedicated exits, loop-closed SSA |
//! | `exit_values` | what values are behind a loop |
//! | `copies` | copies of the rounds of a loop |
//! | `first_iteration` | what values are in the first iteration of a loop |
//! | `remainder` | a loop for the rounds that are left when several are done for one test |
//! | `meeting` | tests of two variables that meet |
//! | `remarks` | what is said about loops |

pub mod balance_sums;
pub mod canonical_loops;
pub mod copies;
pub mod exit_values;
pub mod finish_loops;
pub mod first_iteration;
pub mod idempotent_loops;
pub mod licm;
pub mod loop_fusion;
pub mod loop_interchange;
pub mod loop_load_elim;
pub mod loop_load_pre;
pub mod loop_peel;
pub mod loop_vectorize;
mod meeting;
pub mod memory_loops;
pub mod neighbours;
pub mod post_increment;
pub mod promote;
pub mod remainder;
mod remarks;
pub mod rotate;
pub mod slp_vectorize;
pub mod split_loops;
pub mod strength;
pub mod unroll;
pub mod unroll_all;
pub mod unroll_and_jam;
