//! Tables, handles and the few containers everything else is built from. Knows nothing of compilers.
//!
//! | file | holds |
//! | --- | --- |
//! | `handle` | typed `u32` handles and the 4-byte optional handle |
//! | `column` | a dense vector indexed by a handle |
//! | `shared_column` | a column that grows while others read it |
//! | `bitset` | dense bit sets over handles |
//! | `rows` | many lists in two vectors, filled at once |
//! | `pool` | many growable short lists in one vector |
//! | `worklist` | a stack that holds each handle at most once |
//! | `formula` | arithmetic in postfix over leaves of any kind |
//! | `graph/` | orders, dominators, frontiers, loops, components, liveness of any indexed graph |
//! | `spelling` | how far two words are from each other |
//! | `intern` | strings to handles and back; the only users of a hasher are here |
//! | `parallel` | map over jobs on rayon; the only file that names it |
//! | `stop` | whether what is being done is still wanted |
//! | `parts` | bytes of which some are made only when they are wanted |
//! | `clock` | wall and processor time for reports, never for decisions |
//! | `history` | the states of a text, by what each changes |
//! | `trace` | what every thread did when, for reports |
//! | `crash` | what a thread is doing, for reports of internal errors |

pub mod bitset;
pub mod clock;
pub mod column;
pub mod crash;
pub mod formula;
pub mod graph;
pub mod handle;
pub mod history;
pub mod intern;
pub mod parallel;
pub mod parts;
pub mod pool;
pub mod rows;
pub mod shared_column;
pub mod spelling;
pub mod stop;
pub mod trace;
pub mod worklist;

pub use bitset::BitSet;
pub use column::{Column, empty_with_room};
pub use handle::{Handle, Opt};
pub use intern::{Interner, Name};
pub use pool::{List, ListPool};
pub use rows::Rows;
pub use shared_column::SharedColumn;
pub use worklist::Worklist;
