//! From SysY to IR, function by function: so that a large program is read by all workers, and never stands in memory as tokens and
//! trees as a whole.
//!
//! A scan of the bytes finds the bodies of functions (`syntax/scan`). What stands outside of them is lexed, parsed and checked
//! first, with every body left empty: the outline. Then any worker can take any body from its bytes to IR, with tables of its
//! own that it uses again. Nothing here speaks to the user: as soon as there is something to say, be it a warning, or the braces
//! do not tell where bodies are, there is no answer, and the program is read from start to end instead (`pipeline`). So
//! messages come from one place, and this one only has to be right about programs without any.

use super::options::Goal;
use super::session::Session;
use crate::base::crash::enter;
use crate::base::{Handle, Interner, trace};
use crate::ir::Body;
use crate::lower::{self, Program};
use crate::sema::{self, BodyTables, Outline};
use crate::source::{Diagnostics, SourceFile};
use crate::syntax::lexer::Known;
use crate::syntax::parser::Stacks;
use crate::syntax::token::Tokens;
use crate::syntax::tree::Tree;
use crate::syntax::{lexer, parser, scan};
use std::ops::Range;

/// A program whose outline has been checked.
pub struct Front<'a> {
    file: &'a SourceFile,
    outline: Outline,
    /// The tokens outside of functions.
    known: Known,
    /// Per function: where its body stands.
    bodies: Vec<Range<usize>>,
    /// Somebody will ask where instructions come from.
    places: bool,
}

/// What a worker keeps from one function to the next.
#[derive(Default)]
pub struct Scratch {
    /// The outline's names, and those of bodies that were seen here.
    names: Interner,
    known: Known,
    tokens: Tokens,
    tree: Tree,
    stacks: Stacks,
    tables: BodyTables,
    lowering: lower::Scratch,
}

impl Scratch {
    /// Takes back a body that is not needed any more.
    pub fn recycle(&mut self, body: Body) {
        self.lowering.recycle(body);
    }
}

/// So many names of bodies are kept before the table is made anew.
const MOST_NAMES: usize = 1 << 16;

/// The outline of a program, and what its functions share in IR, if there is nothing to say about it.
pub fn outline<'a>(s: &Session, file: &'a SourceFile) -> Option<(Front<'a>, Program)> {
    let mut diags = Diagnostics::default();
    let bodies = s.phase("scan", || scan::bodies(&file.text, &s.workers))?;
    let mut known = Known::default();
    let outline = s.phase("outline", || {
        let mut tokens = Tokens::default();
        let mut names = sema::interner(&sema::runtime::SYSY);
        // Braces of bodies belong to the outline.
        let starts = std::iter::once(0).chain(bodies.iter().map(|body| body.end - 1));
        let ends = bodies.iter().map(|body| body.start + 1).chain(std::iter::once(file.text.len()));
        let outside: Vec<Range<usize>> = starts.zip(ends).map(|(start, end)| start..end).collect();
        lexer::lex_ranges(&file.text, &outside, (&mut names, &mut known), &mut tokens, &mut diags);
        lexer::push_end(&mut tokens, file.text.len());
        let tree = parser::parse(file, &tokens, &mut diags);
        trace::count(tokens.kind.len(), tree.len());
        sema::outline(&sema::runtime::SYSY, file, names, &tokens, &tree, &s.options.warnings, &mut diags)
    });
    if !diags.is_empty() || outline.sema.functions.len() != bodies.len() {
        return None;
    }
    let program = s.phase("outline", || Program::new(&outline.sema));
    let places = s.options.goal == Goal::Run;
    Some((Front { file, outline, known, bodies, places }, program))
}

impl Front<'_> {
    /// The length in bytes of every body.
    pub fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        self.bodies.iter().map(Range::len)
    }

    /// The IR of function `k`, if there is nothing to say about it.
    pub fn body(&self, program: &Program, k: usize, scratch: &mut Scratch) -> Option<Body> {
        let Front { file, outline, bodies, .. } = self;
        let Scratch { names, known, tokens, tree, stacks, tables, lowering } = scratch;
        let shared = outline.sema.names.len();
        if names.len() < shared || names.len() > shared + MOST_NAMES {
            (*names, *known) = (outline.sema.names.clone(), self.known.clone());
        }
        let func = Some(program.func(k).index() as u32);
        let mut diags = Diagnostics::default();
        enter("lex", func);
        tokens.clear();
        lexer::lex_ranges(&file.text, &bodies[k..=k], (names, known), tokens, &mut diags);
        lexer::push_end(tokens, bodies[k].end);
        trace::count(bodies[k].len(), tokens.kind.len());
        enter("parse", func);
        let declared = parser::parse_body(file, tokens, (tree, stacks), &mut diags)?;
        if !diags.is_empty() {
            return None;
        }
        trace::count(tokens.kind.len(), tree.len());
        trace::table("tokens of a function", || tokens.bytes());
        trace::table("tree of a function", || tree.bytes());
        enter("check", func);
        let (function, sema) = sema::check_body(outline, k, (file, tokens, tree, declared), names, tables)?;
        trace::count(tree.len(), function.local_count as usize);
        let input = lower::Input { file, tokens, tree, sema, variables: false, places: self.places };
        let body = program.body(input, &function, lowering);
        trace::count(tree.len(), body.inst_count());
        trace::table("IR of a function", || body.bytes());
        Some(body)
    }

    /// True if there is something to say about the program as a whole.
    pub fn has_more_to_say(&self) -> bool {
        self.outline.has_unused_functions()
    }
}
