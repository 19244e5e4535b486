//! Where programs come from: an input as functions, each to be made into IR by itself (`opt/run/manager`).
//!
//! | start | functions come as | used for |
//! | --- | --- | --- |
//! | `outline` | bytes of the source | SysY: a scan of the bytes finds the bodies; what is outside of them is read first |
//! | `whole` | rows of one tree | SysY whose tokens or tree are to be dumped, or with syntax errors |
//! | `text::begin` | bytes of the text | LLVM text: the reader makes and verifies IR, window by window |
//!
//! A stage is a row; the list of them depends on the start and on what is asked for. What there is to say
//! about a function stays with the function, and is put in order when all have been read. A syntax error in a
//! body says that its braces are not to be trusted, so nothing is said then: the program is to be read again
//! as a whole (`Start::is_misread`).

use super::artefacts::{Artefacts, failure};
use super::debug;
use crate::backend::code::BackendError;
use crate::base::crash::{enter, phase};
use crate::base::parallel::Workers;
use crate::base::{Handle, Interner, trace};
use crate::ir::profile::Counts;
use crate::ir::{self, Body, Calls, Env, Flags, FuncId, Linkage, counters};
use crate::lower::counted::{self, Counted};
use crate::lower::{self, Checks, Program};
use crate::opt::run::manager::Unit;
use crate::sema::dump::Piece;
use crate::sema::runtime::Library;
use crate::sema::{self, BodyTables, Exports, Function, Outline, Role, Sema, WarningSet};
use crate::source::{Diagnostics, SourceFile};
use crate::syntax::lexer::Known;
use crate::syntax::parser::Stacks;
use crate::syntax::token::Tokens;
use crate::syntax::tree::Tree;
use crate::syntax::{Standard, dump, lexer, mend, parser, scan};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is asked of the front end.
#[derive(Copy, Clone)]
pub struct Wanted<'a> {
    /// What programs may call.
    pub library: &'static Library,
    /// The source is all of the program, but for the runtime library.
    pub alone: bool,
    /// There are other sources.
    pub several: bool,
    /// The language of the source.
    pub standard: Standard,
    /// Warnings that are on.
    pub warnings: &'a WarningSet,
    /// IR; or else only what there is to say.
    pub ir: bool,
    /// What tokens look like.
    pub tokens: bool,
    /// And nothing else.
    pub only_tokens: bool,
    /// What the tree looks like.
    pub tree: bool,
    /// What debuggers are to be told of the source.
    pub debug: bool,
    /// ... of its variables, too.
    pub variables: bool,
    /// Each read of a variable is a load.
    pub in_memory: bool,
    /// Where instructions come from.
    pub places: bool,
    /// What values are called after.
    pub names: bool,
    /// Verify the IR.
    pub verify: bool,
    /// What programs check as they run.
    pub checks: Checks,
    /// What may be done to their floats.
    pub math: Flags,
    /// What is done about how often blocks are executed.
    pub profiling: Profiling<'a>,
}

/// See `Wanted`.
#[derive(Copy, Clone, Debug)]
pub enum Profiling<'a> {
    /// Nothing.
    None,
    /// Programs count it, and write it to this file at their end.
    Count(&'a str),
    /// It is known of another run.
    Use(&'a Counts),
}

impl Wanted<'_> {
    fn role(&self) -> Role {
        if self.alone { Role::Program } else { Role::Part }
    }

    /// What others may name. Of one source that has `main` and wants nothing of others that is only `main`: its
    /// names would take the place of those of the libraries that it is linked with.
    fn exports(&self, sema: &Sema) -> Exports {
        let is_main = |row: &Function| sema.names.text(sema.symbols[row.sym].name) == "main";
        if self.alone {
            Exports::Main
        } else if self.several || sema.is_open() || !sema.functions.iter().any(is_main) {
            Exports::All
        } else {
            Exports::Extern
        }
    }
}

/// A program whose outline is known.
pub struct Start<'a> {
    file: &'a SourceFile,
    stages: Vec<&'static Stage>,
    wanted: Wanted<'a>,
    text: Text,
    /// What functions share.
    pub outline: Outline,
    program: Program,
    /// What functions count with, if they do.
    counted: Option<Counted>,
    /// There is an error: what is left to do is to find others.
    failed: AtomicBool,
    misread: AtomicBool,
}

/// What functions come as.
enum Text {
    /// Bytes: per function, where its body stands; and the tokens outside of functions.
    Bodies(Vec<Range<usize>>, Known),
    /// Rows of one tree, with its tokens.
    Whole(Tokens, Tree),
}

/// One thing that is done to a function, given its number. False if that was the last.
struct Stage {
    name: &'static str,
    run: fn(&Start, &Env, usize, &mut Scratch, &mut Unit<Artefacts>) -> bool,
}

static LEX: Stage = Stage { name: "lex", run: lex };
static PARSE: Stage = Stage { name: "parse", run: parse };
static CUT: Stage = Stage { name: "cut", run: cut };
static CHECK: Stage = Stage { name: "check", run: check };
static DEBUG: Stage = Stage { name: "debug", run: facts };
static SHOW: Stage = Stage { name: "show", run: show };
static LOWER: Stage = Stage { name: "lower", run: lower };
static COUNT: Stage = Stage { name: "count", run: count };
static WEIGH: Stage = Stage { name: "weigh", run: weigh };
static VERIFY: Stage = Stage { name: "verify", run: verify };

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
    diags: Diagnostics,
}

impl Scratch {
    /// Gives away a body that is not needed any more.
    pub fn spare(&mut self) -> Option<Body> {
        self.lowering.spare()
    }

    /// Takes back a body that is not needed any more.
    pub fn recycle(&mut self, body: Body) {
        self.lowering.recycle(body);
    }
}

/// So many names of bodies are kept before the table is begun again.
const MOST_NAMES: usize = 1 << 16;

/// What a source looks like, as far as that is wanted.
#[derive(Debug, Default)]
pub struct Texts {
    /// Its tokens.
    pub tokens: String,
    /// The top level of its tree; what functions look like comes with them.
    pub tree: Vec<Piece>,
}

/// A text of which bodies are still to be read: `text`, which is not there without the feature `llvm-text`.
pub trait Bodies: Sync {
    /// Puts functions in an order in which callees come first.
    fn order(&self, env: &Env, units: &mut [Unit<Artefacts>], workers: &Workers);
    /// Reads the bodies of a window, or all that are left if one has an error.
    fn fill(&mut self, env: &mut Env, units: &mut [Unit<Artefacts>], workers: &Workers);
    /// True if there is an error.
    fn has_errors(&self) -> bool;
    /// Says what errors there are, in the order of the text.
    fn finish(&mut self, diags: &mut Diagnostics);
}

/// A program that has been begun.
#[derive(Default)]
pub struct Begun<'a> {
    /// How its functions are made, if it is in SysY.
    pub start: Option<Start<'a>>,
    /// The same of LLVM text.
    pub text: Option<Box<dyn Bodies + 'a>>,
    /// What functions share.
    pub env: Env,
    /// The functions.
    pub units: Vec<Unit<Artefacts>>,
    /// What there is to say so far.
    pub diags: Diagnostics,
}

/// A program in SysY by its outline. Nothing if it has to be read as a whole, which will tell why.
pub fn outline<'a>(file: &'a SourceFile, wanted: Wanted<'a>, workers: &Workers) -> Option<Begun<'a>> {
    enter("scan", None);
    let bodies = scan::bodies(&file.text, workers)?;
    enter("outline", None);
    let (mut known, mut tokens, mut diags) = (Known::default(), Tokens::default(), Diagnostics::default());
    let mut names = sema::interner(wanted.library);
    // Braces of bodies belong to the outline.
    let starts = std::iter::once(0).chain(bodies.iter().map(|body| body.end - 1));
    let ends = bodies.iter().map(|body| body.start + 1).chain(std::iter::once(file.text.len()));
    let outside: Vec<Range<usize>> = starts.zip(ends).map(|(start, end)| start..end).collect();
    lexer::lex_ranges(&file.text, &outside, (&mut names, &mut known), &mut tokens, &mut diags);
    lexer::push_end(&mut tokens, file.text.len());
    let tree = parser::parse_as(wanted.standard, file, &tokens, &mut diags);
    trace::count((tokens.kind.len(), "tokens"), (tree.len(), "nodes"));
    if diags.has_errors() {
        return None;
    }
    let (library, warnings) = (wanted.library, wanted.warnings);
    let (role, text) = (wanted.role(), (file, &tokens, &tree));
    let mut outline = sema::outline_as(role, library, text, names, warnings, &mut diags);
    outline.sema.exports = wanted.exports(&outline.sema);
    // What shape a tensor has that a function returns, only its body says.
    if outline.sema.functions.len() != bodies.len() || sema::results::returns_tensors(&outline) {
        return None;
    }
    let sizes: Vec<usize> = bodies.iter().map(Range::len).collect();
    Some(begin(file, wanted, (Text::Bodies(bodies, known), sizes), outline, diags))
}

/// A program in SysY from start to end, with the dumps that are asked for. If that is all that is asked for,
/// it has no functions.
pub fn whole<'a>(file: &'a SourceFile, wanted: Wanted<'a>, texts: &mut Texts) -> Begun<'a> {
    let (mut names, mut diags) = (sema::interner(wanted.library), Diagnostics::default());
    let mut tokens = phase("lex", || lexer::lex(file, &mut names, &mut diags));
    trace::table("tokens", || tokens.bytes());
    if wanted.tokens {
        texts.tokens.push_str(&dump::tokens(&tokens, file));
    }
    mend(wanted.standard, file, &mut names, &mut tokens, &mut diags);
    let tree = phase("parse", || parser::parse_as(wanted.standard, file, &tokens, &mut diags));
    trace::table("tree", || tree.bytes());
    if wanted.only_tokens {
        return Begun { diags, ..Begun::default() };
    }
    enter("outline", None);
    let (role, source) = (wanted.role(), (file, &tokens, &tree));
    let mut outline = sema::outline_as(role, wanted.library, source, names, wanted.warnings, &mut diags);
    sema::results::infer_results(&mut outline, source, &mut diags);
    outline.sema.exports = wanted.exports(&outline.sema);
    if wanted.tree {
        texts.tree = sema::dump::pieces((file, &tokens, &tree), &outline.sema.checked());
    }
    let rows = outline.sema.functions.iter().map(|row| row.def.index() - row.signature.index());
    let sizes = rows.collect();
    begin(file, wanted, (Text::Whole(tokens, tree), sizes), outline, diags)
}

fn begin<'a>(
    file: &'a SourceFile,
    wanted: Wanted<'a>,
    (text, sizes): (Text, Vec<usize>),
    outline: Outline,
    diags: Diagnostics,
) -> Begun<'a> {
    let failed = diags.has_errors();
    let (program, mut env) =
        if failed { Default::default() } else { Program::new(&outline.sema, wanted.checks) };
    let counted = match wanted.profiling {
        Profiling::Count(_) if !failed => Some(counted::declare(&mut env, outline.sema.functions.len())),
        _ => None,
    };
    if let Profiling::Use(counts) = wanted.profiling {
        note_calls(&mut env, counts);
    }
    let units = sizes.iter().enumerate().map(|(k, &size)| Unit::new(FuncId::new(k), size)).collect();
    let rows = [
        (&LEX, matches!(text, Text::Bodies(..))),
        (&PARSE, matches!(text, Text::Bodies(..))),
        (&CUT, matches!(text, Text::Whole(..))),
        (&CHECK, true),
        (&DEBUG, wanted.ir && wanted.debug),
        (&SHOW, wanted.tree),
        (&LOWER, wanted.ir),
        (&COUNT, wanted.ir && matches!(wanted.profiling, Profiling::Count(_))),
        (&WEIGH, wanted.ir && matches!(wanted.profiling, Profiling::Use(_))),
        (&VERIFY, wanted.ir && wanted.verify),
    ];
    let stages = rows.into_iter().filter(|row| row.1).map(|row| row.0).collect();
    let (failed, misread) = (AtomicBool::new(failed), AtomicBool::new(false));
    let start = Some(Start { file, stages, wanted, text, outline, program, counted, failed, misread });
    Begun { start, text: None, env, units, diags }
}

/// Notes how often functions were called.
fn note_calls(env: &mut Env, counts: &Counts) {
    for row in env.funcs.as_mut_slice().iter_mut().filter(|row| row.linkage != Linkage::Declared) {
        let known = counts
            .of(counted::plain(env.names.text(row.name)))
            .iter()
            .filter_map(|record| record.counts.first());
        if let Some(count) = known.copied().reduce(u64::saturating_add) {
            row.hints.calls = Some(Calls { count, hot: false });
            row.hints.cold |= count == 0;
        }
    }
    env.find_hot(counts.most_calls());
}

impl Start<'_> {
    /// The text.
    pub fn file(&self) -> &SourceFile {
        self.file
    }

    /// Notes for checks of calls what frames take, once all functions are IR.
    pub fn note_frames(&self, env: &mut Env) {
        self.program.note_frames(env);
    }

    /// Makes the IR of a function, if that is wanted and nothing is wrong.
    pub fn make(&self, env: &Env, unit: &mut Unit<Artefacts>, scratch: &mut Scratch) {
        let func = unit.f.func;
        for stage in &self.stages {
            enter(stage.name, Some(func.index() as u32));
            if !(stage.run)(self, env, func.index(), scratch, unit) {
                break;
            }
        }
        if !scratch.diags.is_empty() {
            unit.code.more().diags = std::mem::take(&mut scratch.diags);
        }
    }

    /// Tokens and tree of a program that was read as a whole.
    pub fn text(&self) -> Option<(&Tokens, &Tree)> {
        if let Text::Whole(tokens, tree) = &self.text { Some((tokens, tree)) } else { None }
    }

    /// Checks the body of function `k` of a program that was read as a whole, and shows what is known of it; what
    /// there is to say is not kept.
    pub fn look(&self, k: usize, scratch: &mut Scratch, see: impl FnOnce(&Tokens, &Tree, sema::Checked<'_>)) {
        let Text::Whole(tokens, whole) = &self.text else { return };
        let (sema, Scratch { names, tree, tables, .. }) = (&self.outline.sema, scratch);
        if names.len() < sema.names.len() {
            *names = sema.names.clone();
        }
        let Function { signature, def, .. } = sema.functions[k];
        tree.copy_body(whole, signature, def);
        let diags = &mut Diagnostics::default();
        sema::check_body(&self.outline, k, (self.file, tokens, tree), names, tables, diags);
        see(tokens, tree, tables.checked(&self.outline));
    }

    /// True if there is a syntax error in a body, so that all is to be read again, as a whole.
    pub fn is_misread(&self) -> bool {
        self.misread.load(Ordering::Relaxed)
    }

    /// True if there is an error in what has been read.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// What there is to say when all functions have been read.
    pub fn finish(&self, diags: &mut Diagnostics) {
        self.outline.unused_functions(self.file, diags);
        if self.wanted.alone && !diags.has_errors() {
            self.outline.undefined(self.file, |_| false, diags);
        }
    }

    /// Goes on if there is no syntax error.
    fn reads(&self, diags: &Diagnostics) -> bool {
        self.misread.fetch_or(diags.has_errors(), Ordering::Relaxed);
        !diags.has_errors()
    }
}

fn lex(start: &Start, _: &Env, k: usize, scratch: &mut Scratch, _: &mut Unit<Artefacts>) -> bool {
    let Text::Bodies(bodies, outside) = &start.text else { return true };
    let Scratch { names, known, tokens, diags, .. } = scratch;
    let shared = &start.outline.sema.names;
    if names.len() < shared.len() || names.len() > shared.len() + MOST_NAMES {
        (*names, *known) = (shared.clone(), outside.clone());
    }
    if start.is_misread() {
        return false;
    }
    tokens.clear();
    lexer::lex_ranges(&start.file.text, &bodies[k..=k], (names, known), tokens, diags);
    lexer::push_end(tokens, bodies[k].end);
    trace::count((bodies[k].len(), "bytes"), (tokens.kind.len(), "tokens"));
    trace::table("tokens of a function", || tokens.bytes());
    start.reads(diags)
}

fn parse(start: &Start, _: &Env, _: usize, scratch: &mut Scratch, _: &mut Unit<Artefacts>) -> bool {
    let Scratch { tokens, tree, stacks, diags, .. } = scratch;
    let is_all = parser::parse_body(start.wanted.standard, start.file, tokens, (tree, stacks), diags);
    trace::count((tokens.kind.len(), "tokens"), (tree.len(), "nodes"));
    trace::table("tree of a function", || tree.bytes());
    if !is_all {
        start.misread.store(true, Ordering::Relaxed);
    }
    is_all && start.reads(diags)
}

/// Takes the rows of a body out of the tree of the file, as `parse_body` would have made them.
fn cut(start: &Start, _: &Env, k: usize, scratch: &mut Scratch, _: &mut Unit<Artefacts>) -> bool {
    let Text::Whole(_, whole) = &start.text else { return true };
    let (sema, Scratch { names, tree, .. }) = (&start.outline.sema, scratch);
    if names.len() < sema.names.len() {
        *names = sema.names.clone();
    }
    let Function { signature, def, .. } = sema.functions[k];
    tree.copy_body(whole, signature, def);
    true
}

/// The tokens that the tree of a function names.
fn tokens<'a>(start: &'a Start, scratch: &'a Tokens) -> &'a Tokens {
    if let Text::Whole(tokens, _) = &start.text { tokens } else { scratch }
}

fn check(start: &Start, _: &Env, k: usize, scratch: &mut Scratch, _: &mut Unit<Artefacts>) -> bool {
    let Scratch { names, tokens: own, tree, tables, diags, .. } = scratch;
    let body = (start.file, tokens(start, own), &*tree);
    sema::check_body(&start.outline, k, body, names, tables, diags);
    trace::count((tree.len(), "nodes"), (tables.checked(&start.outline).locals().len(), "symbols"));
    start.failed.fetch_or(diags.has_errors(), Ordering::Relaxed);
    !start.failed.load(Ordering::Relaxed)
}

fn facts(start: &Start, _: &Env, _: usize, scratch: &mut Scratch, unit: &mut Unit<Artefacts>) -> bool {
    let Scratch { tokens: own, tree, tables, .. } = scratch;
    let facts = debug::collect(tokens(start, own), tree, tables.checked(&start.outline));
    unit.code.more().facts = Some(facts);
    true
}

fn show(start: &Start, _: &Env, _: usize, scratch: &mut Scratch, unit: &mut Unit<Artefacts>) -> bool {
    let Scratch { tokens: own, tree, tables, .. } = scratch;
    let checked = tables.checked(&start.outline);
    unit.code.more().tree = sema::dump::body((start.file, tokens(start, own), tree), &checked);
    true
}

fn lower(start: &Start, env: &Env, k: usize, scratch: &mut Scratch, unit: &mut Unit<Artefacts>) -> bool {
    let Scratch { tokens: own, tree, tables, lowering, .. } = scratch;
    let Wanted { variables, in_memory, places, names, checks, math, .. } = start.wanted;
    let (tokens, sema) = (tokens(start, own), tables.checked(&start.outline));
    let file = start.file;
    let input = lower::Input { file, tokens, tree, sema, variables, in_memory, places, names, checks, math };
    let body = start.program.body(env, input, sema.shared.functions[k].sym, lowering);
    trace::count((tree.len(), "nodes"), (body.inst_count(), "instructions"));
    trace::table("IR of a function", || body.bytes());
    unit.f.body = Some(Box::new(body));
    true
}

/// Makes a function count what it executes.
fn count(start: &Start, env: &Env, _: usize, _: &mut Scratch, unit: &mut Unit<Artefacts>) -> bool {
    if let (Some(counted), Some(body)) = (start.counted, unit.f.body.as_deref_mut()) {
        unit.code.more().record = Some(counted::count(body, env, counted, start.wanted.checks));
    }
    true
}

/// Tells branches what is known of them, if that was counted of the same graph.
fn weigh(start: &Start, env: &Env, _: usize, _: &mut Scratch, unit: &mut Unit<Artefacts>) -> bool {
    let (Profiling::Use(counts), Some(body)) = (start.wanted.profiling, unit.f.body.as_deref_mut()) else {
        return true;
    };
    let known = counts.of(counted::plain(env.names.text(env.funcs[body.func].name)));
    let shape = counters::shape(body);
    let is_known = known
        .iter()
        .find(|record| record.shape == shape)
        .is_some_and(|record| counters::weigh(body, &record.counts));
    if !is_known && !known.is_empty() {
        let checked = known.iter().map(|record| Checks::from_bits(record.checks));
        unit.code.more().counted_with =
            checked.reduce(|made, other| if made == start.wanted.checks { made } else { other });
    }
    true
}

fn verify(_: &Start, env: &Env, _: usize, _: &mut Scratch, unit: &mut Unit<Artefacts>) -> bool {
    if let Some(body) = &unit.f.body
        && let Err(error) = ir::verify::verify(env, body)
    {
        let bug = BackendError::Bug("verify, after lower", error.to_string());
        unit.code.more().failure = Some(failure(env, body, bug));
        unit.f.body = None;
        return false;
    }
    true
}
