//! Text to tokens to tree. Knows of bytes and diagnostics; nothing here knows what a program means.
//!
//! | file | holds |
//! | --- | --- |
//! | `token` | kinds of tokens, and their table |
//! | `lexer` | bytes to tokens |
//! | `scan` | where the bodies of functions stand, from the bytes alone |
//! | `stray` | what is said about bytes that are no token |
//! | `mend` | words that cannot stand where they do, as those that were meant |
//! | `literal` | the values of literals |
//! | `tree` | kinds of nodes, and the postorder table |
//! | `parser` | tokens to tree: its state, and definitions |
//! | `statements` | tokens to tree: statements |
//! | `expressions` | tokens to tree: expressions |
//! | `dialect` | tokens to tree: `for`, `do`, `+=`, `++` |
//! | `complaints` | what is said about tokens that are no SysY, by definitions, statements and expressions |
//! | `dump` | tokens and trees as text |

pub mod complaints;
mod dialect;
pub mod dump;
mod expressions;
pub mod lexer;
pub mod literal;
mod mend;
pub mod parser;
pub mod scan;
mod statements;
mod stray;
pub mod token;
pub mod tree;

pub use dialect::Standard;
pub use lexer::lex;
pub use mend::mend;
pub use parser::parse;
