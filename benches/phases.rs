//! What each phase of a compile costs, by kind and size of program: `cargo bench --bench phases`.
//!
//! A group a phase, and in it a benchmark a family and size, whose iterations go round several generated
//! programs (seeds 1, 2, ...) of that family and size, so that no one program's accidents are measured.
//! Throughput is in bytes of source, and in tokens, lines or IR instructions, whichever is asked for.
//! Criterion's own arguments choose groups and programs:
//!
//!     cargo bench --bench phases -- 'parse/'
//!     SYSYC_BENCH_LINES=100000 SYSYC_BENCH_FAMILIES=giant_function cargo bench --bench phases -- compile
//!     cargo bench --bench phases -- --test            # everything once, on small programs: does it run?
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SYSYC_BENCH_LINES` | sizes, in lines | 10000 (with `--test`: 300) |
//! | `SYSYC_BENCH_FAMILIES` | families, or `all` | the eight of `USUAL` (with `--test`: two) |
//! | `SYSYC_BENCH_FILES` | programs a family and size | 8 (with `--test`: 2) |
//! | `SYSYC_BENCH_UNIT` | what elements are: `tokens`, `lines` or `instructions` (of the IR as lowered) | tokens |
//!
//! Wall time on a shared machine is good for the order of magnitude and for two programs in one run; counted
//! instructions (`profiling/`) are what a change is judged by.

// A benchmark that cannot go on has failed.
#![allow(clippy::expect_used)]

#[path = "../tests/generate/mod.rs"]
mod generate;

use bumpalo::Bump;
use criterion::{BatchSize, Bencher, Criterion, Throughput};
use std::cell::LazyCell;
use std::ffi::OsString;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;
use sysyc::base::Interner;
use sysyc::base::parallel::Workers;
use sysyc::driver;
use sysyc::ir::{self, Flags, Module};
use sysyc::isa::TARGETS;
use sysyc::isa::encode::encode;
use sysyc::isa::features::default_of;
use sysyc::isa::frame::finalise;
use sysyc::isa::prepare::{Prepared, prepare};
use sysyc::isa::select::{WorkerMemory, select};
use sysyc::lower::{self, Checks, Input, Scratch};
use sysyc::mir::analyses::Analyses;
use sysyc::opt::calls::effects;
use sysyc::opt::run::manager::{self, Stage, Step};
use sysyc::opt::run::pipeline;
use sysyc::opt::{self, Level};
use sysyc::sema::runtime::SYSY;
use sysyc::sema::{self, BodyTables, Outline, Sym, WarningSet};
use sysyc::source::{Diagnostics, SourceFile};
use sysyc::syntax::token::Tokens;
use sysyc::syntax::tree::Tree;
use sysyc::syntax::{lexer, parser};
use sysyc::{mir, regalloc};

/// The families that are measured unless others are asked for.
const USUAL: [&str; 8] = [
    "realistic",
    "mixed",
    "many_functions",
    "giant_function",
    "straight_line",
    "loop_nests",
    "dense_cfg",
    "call_chains",
];

/// A program at every stage up to IR.
struct Program {
    file: SourceFile,
    tokens: Tokens,
    names: Interner,
    tree: Tree,
    outline: Outline,
    bodies: Vec<Body>,
    module: Module,
}

/// A function of it, and what is known of the rows of its body.
struct Body {
    tree: Tree,
    function: Sym,
    tables: BodyTables,
}

/// Checks the outline of a program and each body of it, given as a tree of its own.
fn check(p: &Program, diags: &mut Diagnostics) {
    let Program { file, tokens, bodies, .. } = p;
    let outline = sema::outline(&SYSY, file, p.names.clone(), tokens, &p.tree, &WarningSet::NONE, diags);
    let mut tables = BodyTables::default();
    for (k, body) in bodies.iter().enumerate() {
        let body = (file, tokens, &body.tree);
        sema::check_body(&outline, k, body, &outline.sema.names, &mut tables, diags);
        black_box(&tables);
    }
}

/// The IR of all functions, handed to `done` one after the other.
fn lower(
    (file, tokens, outline): (&SourceFile, &Tokens, &Outline),
    bodies: &[Body],
    mut done: impl FnMut(&mut ir::Env, &mut Scratch, ir::Body),
) -> ir::Env {
    let (program, mut env) = lower::Program::new(&outline.sema, Checks::NONE);
    let mut scratch = Scratch::default();
    for &Body { ref tree, function, ref tables } in bodies {
        let sema = tables.checked(outline);
        let (variables, in_memory, places, names) = (false, false, true, false);
        let (checks, math) = (Checks::NONE, Flags::NONE);
        let input = Input { file, tokens, tree, sema, variables, in_memory, places, names, checks, math };
        let body = program.body(&env, input, function, &mut scratch);
        done(&mut env, &mut scratch, body);
    }
    env
}

fn program(family: &str, seed: u64, lines: usize) -> Program {
    let text = generate::program(family, seed, lines);
    let mut diags = Diagnostics::default();
    let file = SourceFile::from_bytes(family, text.into_bytes(), &mut diags);
    let mut names = sema::interner(&SYSY);
    let tokens = lexer::lex(&file, &mut names, &mut diags);
    let tree = parser::parse(&file, &tokens, &mut diags);
    let warnings = WarningSet::NONE;
    let outline = sema::outline(&SYSY, &file, names.clone(), &tokens, &tree, &warnings, &mut diags);
    let mut bodies = Vec::new();
    for (k, row) in outline.sema.functions.iter().enumerate() {
        let (mut own, mut tables) = (Tree::default(), BodyTables::default());
        own.copy_body(&tree, row.signature, row.def);
        let body = (&file, &tokens, &own);
        sema::check_body(&outline, k, body, &names, &mut tables, &mut diags);
        bodies.push(Body { tree: own, function: row.sym, tables });
    }
    assert!(!diags.has_errors(), "{family} {seed} is no program");
    let mut done = Vec::new();
    let env = lower((&file, &tokens, &outline), &bodies, |env, _, mut body| {
        env.grant(&mut body);
        done.push(body);
    });
    let module = Module::new(env, done);
    Program { file, tokens, names, tree, outline, bodies, module }
}

/// The programs of a family and size.
struct Set {
    name: String,
    programs: Vec<Program>,
    throughput: Throughput,
}

fn set(family: &str, lines: usize, files: u64, unit: &str) -> Set {
    let programs: Vec<Program> = (1..=files).map(|seed| program(family, seed, lines)).collect();
    let mean = |measure: &dyn Fn(&Program) -> usize| {
        programs.iter().map(|p| measure(p) as u64).sum::<u64>() / programs.len().max(1) as u64
    };
    let elements = match unit {
        "lines" => mean(&|p| p.file.text.iter().filter(|&&byte| byte == b'\n').count()),
        "instructions" => mean(&|p| p.module.defined().map(|body| body.inst_count()).sum()),
        _ => mean(&|p| p.tokens.kind.len()),
    };
    let throughput = Throughput::ElementsAndBytes { elements, bytes: mean(&|p| p.file.text.len()) };
    Set { name: format!("{family}-{lines}"), programs, throughput }
}

/// Goes round the rows of a table.
fn turns<'a, T>(rows: &'a [T]) -> impl FnMut() -> &'a T {
    let mut k = 0;
    move || {
        k = (k + 1) % rows.len();
        &rows[k]
    }
}

/// Runs a set's benchmark of a group.
fn group(c: &mut Criterion, name: &str, set: &Set, bench: impl FnMut(&mut Bencher)) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group.throughput(set.throughput.clone());
    group.bench_function(&set.name, bench);
    group.finish();
}

/// Runs a set's benchmark of what changes its input, one of those that `prepare` makes if the benchmark is to
/// run at all.
fn changing<T: Clone, R>(
    c: &mut Criterion,
    name: &str,
    set: &Set,
    prepare: impl Fn(&Program) -> T,
    run: impl Fn(&mut T) -> R,
) {
    let given = LazyCell::new(|| set.programs.iter().map(&prepare).collect::<Vec<T>>());
    group(c, name, set, |b| {
        let mut next = turns(&given);
        b.iter_batched_ref(|| next().clone(), &run, BatchSize::LargeInput);
    });
}

fn front(c: &mut Criterion, set: &Set) {
    group(c, "lex", set, |b| {
        let mut next = turns(&set.programs);
        b.iter(|| {
            let mut names = sema::interner(&SYSY);
            lexer::lex(black_box(&next().file), &mut names, &mut Diagnostics::default())
        });
    });
    group(c, "parse", set, |b| {
        let mut next = turns(&set.programs);
        b.iter(|| {
            let p = next();
            parser::parse(&p.file, &p.tokens, &mut Diagnostics::default())
        });
    });
    group(c, "check", set, |b| {
        let mut next = turns(&set.programs);
        b.iter(|| {
            check(next(), &mut Diagnostics::default());
        });
    });
    group(c, "lower", set, |b| {
        let mut next = turns(&set.programs);
        b.iter(|| {
            let p = next();
            lower((&p.file, &p.tokens, &p.outline), &p.bodies, |_, scratch, body| scratch.recycle(body))
        });
    });
}

/// A copy of a program's IR, taken through a plan.
fn optimised(p: &Program, plan: &[Step], workers: &Workers) -> Module {
    let mut module = p.module.clone();
    manager::run_on_module(&mut module, plan, &opt::Options::default(), workers).expect("passes do not fail");
    module
}

fn middle(c: &mut Criterion, set: &Set, workers: &Workers) {
    let options = opt::Options::default();
    let o1 = pipeline::plan(Level::O1);
    let all = |module: &mut Module| manager::run_on_module(module, o1, &options, workers).is_ok();
    changing(c, "optimise-O1", set, |p| p.module.clone(), all);
    for (k, pass) in pipeline::FUNC_PASSES.iter().enumerate() {
        // On what the pass meets when its turn comes: SSA, if it does not make that itself.
        let ssa = pipeline::FUNC_PASSES.iter().position(|pass| pass.name == "mem2reg").unwrap_or(0);
        let plan = |k: usize| {
            let stages = vec![Stage::Passes(&pipeline::FUNC_PASSES[k..k + 1])];
            [Step::Each(&[Stage::Make]), Step::Summary(&effects::EFFECTS), Step::Each(Vec::leak(stages))]
        };
        let (before, plan) = (plan(ssa), plan(k));
        let prepare = |p: &Program| if k == ssa { p.module.clone() } else { optimised(p, &before, workers) };
        let run = |module: &mut Module| manager::run_on_module(module, &plan, &options, workers).is_ok();
        changing(c, &format!("pass-{}", pass.name), set, prepare, run);
    }
}

fn back(c: &mut Criterion, set: &Set, workers: &Workers) {
    for target in TARGETS.iter().copied() {
        let machine = target.rules.machine;
        let features = default_of(target);
        let selected = |module: &mut Module| -> Vec<mir::Func> {
            let Module { env, bodies } = module;
            let mut prepared = Prepared { hoist: true, ..Prepared::default() };
            let mut memory = WorkerMemory::default();
            let funcs = bodies.as_mut_slice().iter_mut().flatten().map(|body| {
                prepare(body, &mut prepared);
                let func = select(env, body, (&prepared, &mut memory), target.rules, features);
                func.expect("the program can be compiled")
            });
            funcs.collect()
        };
        let allocated = |funcs: &mut Vec<mir::Func>, fast: bool| {
            let how = regalloc::Options { fast, verify: false };
            funcs.iter_mut().for_each(|func| {
                _ = regalloc::allocate(func, machine, &mut Analyses::default(), &how).expect("it fits")
            });
        };
        let finished = |funcs: &mut Vec<mir::Func>| {
            let mut room = Bump::new();
            for func in funcs {
                mir::order::order(func, machine, &room);
                let layout = (target.frames.lay_out)(func).expect("the frame fits");
                if let Some(pairs) = target.frames.pairs {
                    mir::pair::pair(func, machine, pairs, true);
                }
                finalise(func, target.frames, &layout);
                mir::relax::relax(func, machine, target.far_jump, &room).expect("jumps reach");
                room.reset();
            }
        };
        let o1 = |p: &Program| optimised(p, pipeline::plan(Level::O1), workers);
        let name = |phase: &str| format!("{phase}-{}", target.name);
        changing(c, &name("select"), set, o1, selected);
        changing(c, &name("allocate-O0"), set, |p| selected(&mut p.module.clone()), |f| allocated(f, true));
        changing(c, &name("allocate-O1"), set, |p| selected(&mut o1(p)), |f| allocated(f, false));
        let ready = |p: &Program| {
            let mut funcs = selected(&mut o1(p));
            allocated(&mut funcs, false);
            funcs
        };
        changing(c, &name("finalise"), set, ready, finished);
        let done = LazyCell::new(|| {
            let finish = |p: &Program| {
                let mut funcs = ready(p);
                finished(&mut funcs);
                funcs
            };
            set.programs.iter().map(finish).collect::<Vec<_>>()
        });
        group(c, &name("encode"), set, |b| {
            let mut next = turns(&done);
            b.iter(|| next().iter().map(|func| encode(func, target, false)).collect::<Vec<_>>());
        });
    }
}

/// From the source file to the object, and to the program.
fn whole(c: &mut Criterion, set: &Set) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let sources: Vec<PathBuf> =
        (1..=set.programs.len()).map(|k| folder.path().join(format!("{k}.sy"))).collect();
    for (path, p) in sources.iter().zip(&set.programs) {
        std::fs::write(path, &p.file.text).expect("it can be written");
    }
    for (name, flags) in [
        ("compile-O0-j1", &["-c", "-O0", "-j1"][..]),
        ("compile-O0-j2", &["-c", "-O0", "-j2"]),
        ("compile-O1-j1", &["-c", "-O1", "-j1"]),
        ("compile-O1-j2", &["-c", "-O1", "-j2"]),
        ("link-O0-j1", &["-O0", "-j1"]),
    ] {
        group(c, name, set, |b| {
            let mut next = turns(&sources);
            b.iter(|| {
                let mut args: Vec<OsString> = ["sysyc", "-w", "-o"].map(Into::into).into();
                args.push(out.clone().into_os_string());
                args.extend(flags.iter().map(Into::into));
                args.push(next().clone().into_os_string());
                assert_eq!(driver::main(args), 0);
            });
        });
    }
}

fn main() {
    // As criterion decides it.
    let test = std::env::args().any(|argument| argument == "--test")
        || !std::env::args().any(|argument| argument == "--bench");
    let variable = |name: &str, usual: &str| std::env::var(name).unwrap_or_else(|_| usual.to_string());
    let sizes = variable("SYSYC_BENCH_LINES", if test { "300" } else { "10000" });
    let files =
        variable("SYSYC_BENCH_FILES", if test { "2" } else { "8" }).parse().expect("a number of files");
    let unit = variable("SYSYC_BENCH_UNIT", "tokens");
    let chosen = variable("SYSYC_BENCH_FAMILIES", &USUAL[..if test { 2 } else { USUAL.len() }].join(","));
    let families: Vec<&str> = match chosen.as_str() {
        "all" => generate::FAMILIES.iter().map(|row| row.name).collect(),
        list => list.split(',').map(str::trim).collect(),
    };
    let workers = Workers::new(1);
    let mut c = Criterion::default().configure_from_args();
    for lines in sizes.split(',').filter_map(|lines| lines.trim().parse().ok()) {
        // A set at a time, for those of large programs are large.
        for family in &families {
            let set = set(family, lines, files, &unit);
            front(&mut c, &set);
            middle(&mut c, &set, &workers);
            back(&mut c, &set, &workers);
            whole(&mut c, &set);
        }
    }
    c.final_summary();
}
