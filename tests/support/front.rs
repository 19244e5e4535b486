//! The front end in one process: text to IR, without files.

use sysyc::ir::{Flags, Module};
use sysyc::lower::{self, Checks, Input, Scratch};
use sysyc::sema::runtime::SYSY;
use sysyc::sema::{self, BodyTables, WarningSet};
use sysyc::source::{Diagnostics, SourceFile};
use sysyc::syntax::tree::Tree;
use sysyc::syntax::{lexer, parser};

/// The IR of a SysY program as -O0 has it; none if there is an error in it.
pub(crate) fn module(text: &str) -> Option<Module> {
    checked(text, Checks::NONE)
}

/// The same with checks.
pub(crate) fn checked(text: &str, checks: Checks) -> Option<Module> {
    let mut diags = Diagnostics::default();
    let file = SourceFile::from_bytes("program.sy", text.as_bytes().to_vec(), &mut diags);
    let mut names = sema::interner(&SYSY);
    let tokens = lexer::lex(&file, &mut names, &mut diags);
    let tree = parser::parse(&file, &tokens, &mut diags);
    let warnings = WarningSet::NONE;
    let mut outline = sema::outline(&SYSY, &file, names.clone(), &tokens, &tree, &warnings, &mut diags);
    sema::results::infer_results(&mut outline, (&file, &tokens, &tree), &mut diags);
    let (program, mut env) = lower::Program::new(&outline.sema, checks);
    let (mut scratch, mut bodies) = (Scratch::default(), Vec::new());
    for (k, row) in outline.sema.functions.iter().enumerate() {
        let (mut own, mut tables) = (Tree::default(), BodyTables::default());
        own.copy_body(&tree, row.signature, row.def);
        sema::check_body(&outline, k, (&file, &tokens, &own), &names, &mut tables, &mut diags);
        if diags.has_errors() {
            return None;
        }
        let sema = tables.checked(&outline);
        let (file, tokens, tree) = (&file, &tokens, &own);
        let (variables, in_memory, places, names) = (false, true, true, false);
        let math = Flags::NONE;
        let input = Input { file, tokens, tree, sema, variables, in_memory, places, names, checks, math };
        let mut body = program.body(&env, input, row.sym, &mut scratch);
        env.grant(&mut body);
        bodies.push(body);
    }
    program.note_frames(&mut env);
    bodies.extend(lower::faults(&mut env, "p.sy", |_, _| true));
    (!diags.has_errors()).then(|| Module::new(env, bodies))
}
