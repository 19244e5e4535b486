//! A checked program to IR.
//!
//! First, in order of the file: shapes, globals with their images, strings, signatures (`Links`, `globals`). Then every
//! function on some worker, each in one forward sweep over its rows of the tree (`function`). At the end the constants
//! that bodies asked for become globals, in the order of the functions, so the result is the same for any number of
//! workers. Linear in the size of the tree.
//!
//! | file | holds |
//! | --- | --- |
//! | `globals` | what functions share |
//! | `function` | the sweep, statements |
//! | `expression` | the value stack, operators, subscripts, calls |
//! | `condition` | short circuits: values that may have left early |
//! | `intrinsic` | what only the runtime library's own source can say |
//! | `initialiser` | what a local array holds at the start |
//!
//! Scalars live in memory (`alloca`, `load`, `store`): lifting them is the optimiser's first step, and -O0 wants them
//! there. An array parameter is its pointer, because nothing can assign to it.

mod condition;
mod expression;
mod function;
mod globals;
mod initialiser;
mod intrinsic;

#[cfg(test)]
mod tests;

pub use globals::USER;

use crate::base::parallel::Workers;
use crate::base::{Column, Handle, crash};
use crate::ir::{FuncId, GlobalId, Module, Shape};
use crate::sema::{Dim, Sema, Sym};
use crate::source::SourceFile;
use crate::syntax::token::Tokens;
use crate::syntax::tree::{Node, Tree};

/// The program as the front end leaves it. There were no errors.
#[derive(Copy, Clone)]
struct Input<'a> {
    file: &'a SourceFile,
    tokens: &'a Tokens,
    tree: &'a Tree,
    sema: &'a Sema,
    /// Note where variables are, for debuggers.
    variables: bool,
}

impl Input<'_> {
    /// Offset in the source of what the node is about.
    fn offset(&self, n: Node) -> u32 {
        self.tokens.start[self.tree.token[n]]
    }
}

/// Where the front end's tables lead to in the IR's.
#[derive(Default)]
struct Links {
    /// Per dimension: the shape of the array from it on; of an open one, that of its element.
    shapes: Column<Dim, Shape>,
    /// Per symbol outside of functions: the number of its `GlobalId` or `FuncId`.
    rows: Column<Sym, u32>,
    /// The string literals in order, each with its global.
    strings: Vec<(Node, GlobalId)>,
}

impl Links {
    fn func(&self, sym: Sym) -> FuncId {
        FuncId::new(self.rows[sym] as usize)
    }

    fn global(&self, sym: Sym) -> GlobalId {
        GlobalId::new(self.rows[sym] as usize)
    }
}

/// The IR of a program without errors. With `variables`, bodies tell by symbol number where their variables are.
pub fn lower(
    file: &SourceFile,
    tokens: &Tokens,
    tree: &Tree,
    sema: &Sema,
    variables: bool,
    workers: &Workers,
) -> Module {
    let input = Input { file, tokens, tree, sema, variables };
    let (env, links) = globals::environment(input);
    let mut jobs: Vec<usize> = (0..sema.functions.len()).collect();
    let bodies = workers.map(&mut jobs, function::Scratch::default, |scratch, _, &mut k| {
        crash::enter("lower", Some(links.func(sema.functions[k].sym).index() as u32));
        function::lower_function(input, &env, &links, &sema.functions[k], scratch)
    });
    let mut module = Module { env, bodies };
    module.grant_requests();
    module
}
