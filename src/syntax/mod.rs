//! Text to tokens to tree. Knows of bytes and diagnostics; nothing here knows what a program means.

pub mod token;
pub mod tree;
