//! Text to tokens to tree. Knows of bytes and diagnostics; nothing here knows what a program means.

pub mod lexer;
pub mod literal;
mod stray;
pub mod token;
pub mod tree;
