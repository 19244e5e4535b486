//! A checked program to IR.
//!
//! First, in order of the file: shapes, globals with their images, signatures (`Program::new`, `globals`).
//! Then every function by itself, in one forward sweep over its rows of the tree (`Program::body`,
//! `function`). What constants and strings a body needs it asks for; they become globals in the order of the
//! functions (`ir::Env::grant`). Linear in the size of the tree.
//!
//! | file | holds |
//! | --- | --- |
//! | `globals` | what functions share |
//! | `function` | the sweep, and what it needs |
//! | `control` | `if`, loops, jumps, `return` |
//! | `row` | what a row of the tree asks for |
//! | `expression` | the value stack, operators, subscripts, calls |
//! | `known` | what is in the memory of local scalars |
//! | `tensor` | tensors as loops |
//! | `checks` | what `-fsanitize` puts in front of operations, and what that calls |
//! | `counted` | counters of `-fprofile-generate`, and what writes them |
//! | `condition` | short circuits: values that may have left early |
//! | `intrinsic` | what only the runtime library's own source can say |
//! | `names` | what values are called in dumps |
//! | `initialiser` | what a local array holds at the start |
//!
//! Scalars live in memory (`alloca`, `load`, `store`): lifting them is the optimiser's first step, and -O0
//! wants them there. Where they are lifted at once, a local's value is not loaded again as long as it is known (`known`). An
//! array parameter is its pointer, because nothing can assign to it.

mod checks;
mod condition;
mod control;
pub mod counted;
mod expression;
mod function;
mod globals;
mod initialiser;
mod intrinsic;
mod known;
mod names;
mod row;
mod tensor;

#[cfg(test)]
mod tests;

pub use checks::{CALLED_BY_CHECKS, Checks, faults};
pub use function::Scratch;
pub use globals::USER;

use crate::base::{Column, Handle};
use crate::ir::{Body, Env, Flags, FuncId, Shape};
use crate::sema::{Checked, Dim, Sema, Sym};
use crate::source::SourceFile;
use crate::syntax::token::Tokens;
use crate::syntax::tree::{Node, Tree};

/// The checked tree of a function's body. There were no errors.
#[derive(Copy, Clone, Debug)]
pub struct Input<'a> {
    /// The source.
    pub file: &'a SourceFile,
    /// The tokens that the tree names.
    pub tokens: &'a Tokens,
    /// The tree.
    pub tree: &'a Tree,
    /// What its rows mean.
    pub sema: Checked<'a>,
    /// Note where variables are, for debuggers.
    pub variables: bool,
    /// Each read of a variable is a load, as the source has it: for what does not lift variables at once, or shows the IR.
    pub in_memory: bool,
    /// Note where instructions come from: for debuggers, and for programs that are executed here.
    pub places: bool,
    /// Call values after variables, for dumps.
    pub names: bool,
    /// What is checked as the program runs.
    pub checks: Checks,
    /// What may be done to floats: flags of the operations that have them.
    pub math: Flags,
}

impl Input<'_> {
    /// Offset in the source of what the node is about.
    fn offset(&self, n: Node) -> u32 {
        self.tokens.start[self.tree.token[n]]
    }
}

/// Where the front end's tables lead to in the IR's.
#[derive(Debug, Default)]
struct Links {
    /// Per shared dimension: the shape of the array from it on; of an open one, that of its element.
    shapes: Column<Dim, Shape>,
    /// Per symbol outside of functions: the number of its `GlobalId` or `FuncId`.
    rows: Column<Sym, u32>,
    /// What checks call.
    faults: Option<checks::Faults>,
}

impl Links {
    fn func(&self, sym: Sym) -> FuncId {
        FuncId::new(self.rows[sym] as usize)
    }
}

/// A program on its way to IR: what functions share is made, functions are made when they are asked for.
#[derive(Debug, Default)]
pub struct Program {
    links: Links,
}

impl Program {
    /// Makes what functions share; every function of the library is declared. The functions of the source
    /// have the first numbers, in order.
    #[inline(never)]
    pub fn new(sema: &Sema, checks: Checks) -> (Program, Env) {
        let (mut env, mut links) = globals::environment(sema);
        if checks.has(Checks::OF_ARRAYS) {
            checks::lengths::hide(sema, &mut env, &links, checks);
        }
        links.faults =
            (checks != Checks::NONE).then(|| checks::declare(&mut env, sema.functions.len(), checks));
        (Program { links }, env)
    }

    /// Notes for checks of calls what frames take, once all functions are IR.
    pub fn note_frames(&self, env: &mut Env) {
        if let Some(faults) = &self.links.faults {
            faults.note_frames(env);
        }
    }

    /// The IR of a function, whose rows are in `input`.
    #[inline(never)]
    pub fn body(&self, env: &Env, input: Input<'_>, function: Sym, scratch: &mut Scratch) -> Body {
        function::lower_function(input, env, &self.links, function, scratch)
    }
}
