//! Text to tokens to tree. Knows of bytes and diagnostics; nothing here knows what a program means.
//!
//! | file | holds |
//! | --- | --- |
//! | `token` | kinds of tokens, and their table |
//! | `lexer` | bytes to tokens |
//! | `stray` | what is said about bytes that are no token |
//! | `literal` | the values of literals |
//! | `tree` | kinds of nodes, and the postorder table |
//! | `parser` | tokens to tree: definitions and statements |
//! | `expressions` | tokens to tree: expressions |
//! | `complaints` | what is said about tokens that are no SysY |
//! | `dump` | tokens and trees as text |

mod complaints;
pub mod dump;
mod expressions;
pub mod lexer;
pub mod literal;
pub mod parser;
mod stray;
pub mod token;
pub mod tree;

pub use lexer::lex;
pub use parser::parse;
