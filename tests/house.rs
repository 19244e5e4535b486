//! Tests of the repository: layers, documents, what is public, mutants. `cargo test --test house layers::` runs a part.

mod documents;
mod facade;
mod layers;
mod mutants;
mod release;

#[path = "support/terminal.rs"]
mod terminal;
