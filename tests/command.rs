//! Tests of the command, from outside, and of the library as a client of SysY sees it. `cargo test --test command driver::` runs
//! a part.

mod beside_clang;
mod driver;
mod dumps;
mod editors;
mod embed;
mod errors;
mod flags;
mod lsp;
mod machine_ir;
mod messages;
mod output;
mod shells;
mod sources;

mod generate;
#[allow(dead_code)]
mod support;
