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

pub use function::Scratch;
pub use globals::USER;

use crate::base::parallel::Workers;
use crate::base::{Column, Handle, crash};
use crate::ir::{Body, Env, FuncId, GlobalId, Module, Shape};
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

/// A program without errors, on its way to IR: what functions share is made, functions are made when they are asked for.
pub struct Program<'a> {
    input: Input<'a>,
    links: Links,
    /// What functions share. Bodies may ask for more (`Body::requests`).
    pub env: Env,
}

impl<'a> Program<'a> {
    /// Makes what functions share. With `variables`, bodies tell by symbol number where their variables are.
    pub fn new(
        file: &'a SourceFile,
        tokens: &'a Tokens,
        tree: &'a Tree,
        sema: &'a Sema,
        variables: bool,
    ) -> Program<'a> {
        let input = Input { file, tokens, tree, sema, variables };
        let (env, links) = globals::environment(input);
        Program { input, links, env }
    }

    /// How many functions there are, by their order in the source.
    pub fn functions(&self) -> usize {
        self.input.sema.functions.len()
    }

    /// The IR of a function.
    pub fn body(&self, k: usize, scratch: &mut Scratch) -> Body {
        let function = &self.input.sema.functions[k];
        crash::enter("lower", Some(self.links.func(function.sym).index() as u32));
        function::lower_function(self.input, &self.env, &self.links, function, scratch)
    }

    /// The number of a function in the source, by its number in the IR. O(functions).
    pub fn position(&self, func: FuncId) -> Option<usize> {
        self.input.sema.functions.iter().position(|function| self.links.func(function.sym) == func)
    }
}

/// The IR of a program without errors. See `Program::new`.
pub fn lower(
    file: &SourceFile,
    tokens: &Tokens,
    tree: &Tree,
    sema: &Sema,
    variables: bool,
    workers: &Workers,
) -> Module {
    let program = Program::new(file, tokens, tree, sema, variables);
    let mut jobs: Vec<usize> = (0..program.functions()).collect();
    let bodies = workers.map(&mut jobs, Scratch::default, |scratch, _, &mut k| program.body(k, scratch));
    let mut module = Module { env: program.env, bodies };
    module.grant_requests();
    module
}
