//! The frame of passes: what a pass is, plans, and what takes the functions of a program through them. It names no pass;
//! only `pipeline`, which lists them, does.
//!
//! | file | holds |
//! | --- | --- |
//! | `pass` | what a pass is |
//! | `facts` | what is known of a program, and seen of a function: stores by type |
//! | `analyses` | the cache of the analyses of a body |
//! | `edit` | changes of the CFG that keep analyses |
//! | `options` | what is asked of passes, and what they tell |
//! | `manager` | takes functions through the steps of a plan, and all that comes for free with every pass |
//! | `alone` | the passes of -O1 on one function of which nothing else is known |
//! | `renumber` | globals with other numbers |
//! | `changes` | what passes have changed of a body |
//! | `pipeline` | which passes run at which level, and why in this order |
//! | `switches` | what gcc and clang call passes: switches that turn them off, names for remarks |
//! | `testing` | what the tests of passes share |

pub mod alone;
pub mod analyses;
pub mod changes;
pub mod edit;
pub mod facts;
pub mod manager;
pub mod options;
pub mod pass;
pub mod pipeline;
pub mod renumber;
pub mod switches;
#[cfg(test)]
pub(in crate::opt) mod testing;
