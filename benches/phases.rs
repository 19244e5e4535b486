//! What each phase of a compile costs, by kind and size of program: `cargo bench --bench phases`.
//!
//! Eight generated programs a size; a group a phase; throughput in bytes of source. `SYSYC_BENCH_LINES=1000,100000` chooses the
//! sizes (10,000 lines if it does not), and criterion's own arguments choose groups and programs:
//!
//!     cargo bench --bench phases -- 'parse/'
//!     SYSYC_BENCH_LINES=100000 cargo bench --bench phases -- 'compile.*/giant_function'
//!
//! Wall time on a shared machine is good for the order of magnitude and for two programs in one run; counted
//! instructions (`profiling/`) are what a change is judged by.

// A benchmark that cannot go on has failed.
#![allow(clippy::expect_used)]

#[path = "../tests/generate/mod.rs"]
mod generate;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use std::time::Duration;
use sysyc::base::Interner;
use sysyc::base::parallel::Workers;
use sysyc::driver;
use sysyc::ir::Module;
use sysyc::lower::{Input, lower};
use sysyc::opt::manager::{self, Stage};
use sysyc::opt::{self, Level, pipeline};
use sysyc::sema::{self, Sema, WarningSet};
use sysyc::source::{Diagnostics, SourceFile};
use sysyc::syntax::token::Tokens;
use sysyc::syntax::tree::Tree;
use sysyc::syntax::{lexer, parser};
use sysyc::target::TARGETS;
use sysyc::target::encode::encode;
use sysyc::target::features::default_of;
use sysyc::target::prepare::{Prepared, prepare};
use sysyc::target::select::select;
use sysyc::{mir, regalloc};

/// Family and seed of the programs of a size.
const PROGRAMS: [(&str, u64); 8] = [
    ("mixed", 1),
    ("mixed", 2),
    ("many_functions", 1),
    ("giant_function", 1),
    ("straight_line", 1),
    ("loop_nests", 1),
    ("dense_cfg", 1),
    ("call_chains", 1),
];

/// A program at every stage up to IR.
struct Program {
    name: String,
    file: SourceFile,
    tokens: Tokens,
    names: Interner,
    tree: Tree,
    sema: Sema,
    module: Module,
}

impl Program {
    fn input(&self) -> Input<'_> {
        let Program { file, tokens, tree, sema, .. } = self;
        Input { file, tokens, tree, sema: sema.checked(), variables: false }
    }
}

fn program(family: &str, seed: u64, lines: usize, workers: &Workers) -> Program {
    let text = generate::program(family, seed, lines);
    let mut diags = Diagnostics::default();
    let file = SourceFile::from_bytes(family, text.into_bytes(), &mut diags);
    let mut names = sema::interner(&sema::runtime::SYSY);
    let tokens = lexer::lex(&file, &mut names, &mut diags);
    let tree = parser::parse(&file, &tokens, &mut diags);
    let sema = sema::check(&file, names.clone(), &tokens, &tree, workers, &WarningSet::NONE, &mut diags);
    assert!(!diags.has_errors(), "{family} {seed} is no program");
    let input = Input { file: &file, tokens: &tokens, tree: &tree, sema: sema.checked(), variables: false };
    let module = lower(input, workers);
    Program { name: format!("{family}-{seed}-{lines}"), file, tokens, names, tree, sema, module }
}

type Group<'a> = BenchmarkGroup<'a, WallTime>;

/// Runs a group of benchmarks, one a program.
fn group(
    c: &mut Criterion,
    name: &str,
    programs: &[Program],
    bench: impl Fn(&mut Group, BenchmarkId, &Program),
) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for program in programs {
        group.throughput(Throughput::Bytes(program.file.text.len() as u64));
        bench(&mut group, BenchmarkId::from_parameter(&program.name), program);
    }
    group.finish();
}

fn front(c: &mut Criterion, programs: &[Program], workers: &Workers) {
    group(c, "lex", programs, |group, id, p| {
        group.bench_function(id, |b| {
            b.iter(|| {
                let mut names = sema::interner(&sema::runtime::SYSY);
                lexer::lex(black_box(&p.file), &mut names, &mut Diagnostics::default())
            })
        });
    });
    group(c, "parse", programs, |group, id, p| {
        group.bench_function(id, |b| {
            b.iter(|| parser::parse(&p.file, &p.tokens, &mut Diagnostics::default()))
        });
    });
    group(c, "check", programs, |group, id, p| {
        group.bench_function(id, |b| {
            b.iter(|| {
                let diags = &mut Diagnostics::default();
                sema::check(&p.file, p.names.clone(), &p.tokens, &p.tree, workers, &WarningSet::NONE, diags)
            });
        });
    });
    group(c, "lower", programs, |group, id, p| {
        group.bench_function(id, |b| b.iter(|| lower(p.input(), workers)));
    });
}

/// A copy of a program's IR, with these stages run.
fn optimised(p: &Program, stages: &[Stage], workers: &Workers) -> Module {
    let mut module = p.module.clone();
    manager::run(&mut module, stages, &opt::Options::default(), workers).expect("passes do not fail");
    module
}

fn middle(c: &mut Criterion, programs: &[Program], workers: &Workers) {
    group(c, "optimise-O1", programs, |group, id, p| {
        let run = |module: &mut Module| pipeline::run(module, Level::O1, &opt::Options::default(), workers);
        group.bench_function(id, |b| {
            b.iter_batched_ref(|| p.module.clone(), |module| run(module).is_ok(), BatchSize::LargeInput);
        });
    });
    for (k, pass) in pipeline::FUNC_PASSES.iter().enumerate() {
        // On what the pass meets when its turn comes: SSA, if it does not make that itself.
        let ssa = pipeline::FUNC_PASSES.iter().position(|pass| pass.name == "mem2reg").unwrap_or(0);
        let before = [Stage::Functions(&pipeline::FUNC_PASSES[ssa..ssa + 1])];
        let stages = [Stage::Functions(&pipeline::FUNC_PASSES[k..k + 1])];
        group(c, &format!("pass-{}", pass.name), programs, |group, id, p| {
            let given = if k == ssa { p.module.clone() } else { optimised(p, &before, workers) };
            let run = |module: &mut Module| manager::run(module, &stages, &opt::Options::default(), workers);
            group.bench_function(id, |b| {
                b.iter_batched_ref(|| given.clone(), |module| run(module).is_ok(), BatchSize::LargeInput);
            });
        });
    }
}

fn back(c: &mut Criterion, programs: &[Program], workers: &Workers) {
    for target in TARGETS.iter().copied() {
        let machine = target.rules.machine;
        let features = default_of(target);
        let selected = |module: &mut Module| -> Vec<mir::Func> {
            let Module { env, bodies } = module;
            let mut scratch = Prepared { hoist: true, ..Prepared::default() };
            let funcs = bodies.iter_mut().map(|body| {
                prepare(body, &mut scratch);
                select(env, body, &scratch, target.rules, features).expect("the program can be compiled")
            });
            funcs.collect()
        };
        let allocated = |funcs: &mut Vec<mir::Func>, fast: bool| {
            let how = regalloc::Options { fast, verify: false };
            funcs.iter_mut().for_each(|func| _ = regalloc::allocate(func, machine, &how).expect("it fits"));
        };
        let finished = |funcs: &mut Vec<mir::Func>| {
            for func in funcs {
                mir::order::order(func, machine);
                (target.finalise)(func).expect("the frame fits");
                mir::relax::relax(func, machine, target.far_jump).expect("jumps reach");
            }
        };
        let o1 = |p: &Program| optimised(p, pipeline::stages(Level::O1), workers);
        let large = BatchSize::LargeInput;
        group(c, &format!("select-{}", target.name), programs, |group, id, p| {
            let given = o1(p);
            group.bench_function(id, |b| b.iter_batched_ref(|| given.clone(), |m| selected(m), large));
        });
        for (name, fast) in [("allocate-O0", true), ("allocate-O1", false)] {
            group(c, &format!("{name}-{}", target.name), programs, |group, id, p| {
                let given = selected(&mut if fast { p.module.clone() } else { o1(p) });
                group.bench_function(id, |b| {
                    b.iter_batched_ref(|| given.clone(), |funcs| allocated(funcs, fast), large);
                });
            });
        }
        group(c, &format!("finalise-{}", target.name), programs, |group, id, p| {
            let mut given = selected(&mut o1(p));
            allocated(&mut given, false);
            group.bench_function(id, |b| b.iter_batched_ref(|| given.clone(), |f| finished(f), large));
        });
        group(c, &format!("encode-{}", target.name), programs, |group, id, p| {
            let mut given = selected(&mut o1(p));
            allocated(&mut given, false);
            finished(&mut given);
            let all = || given.iter().map(|func| encode(func, target, false)).collect::<Vec<_>>();
            group.bench_function(id, |b| b.iter(all));
        });
    }
}

/// From the source file to the object, and to the program.
fn whole(c: &mut Criterion, programs: &[Program]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, out) = (folder.path().join("program.sy"), folder.path().join("out"));
    for (name, flags) in [
        ("compile-O0-j1", &["-c", "-O0", "-j1"][..]),
        ("compile-O0-j2", &["-c", "-O0", "-j2"]),
        ("compile-O1-j1", &["-c", "-O1", "-j1"]),
        ("compile-O1-j2", &["-c", "-O1", "-j2"]),
        ("link-O0-j1", &["-O0", "-j1"]),
    ] {
        group(c, name, programs, |group, id, p| {
            std::fs::write(&source, &p.file.text).expect("it can be written");
            let fixed =
                ["sysyc", "-w", "-o"].map(Into::into).into_iter().chain([out.clone().into_os_string()]);
            let args: Vec<std::ffi::OsString> =
                fixed.chain(flags.iter().map(Into::into)).chain([source.clone().into_os_string()]).collect();
            group.bench_function(id, |b| b.iter(|| assert_eq!(driver::main(args.clone()), 0)));
        });
    }
}

fn main() {
    let sizes = std::env::var("SYSYC_BENCH_LINES").unwrap_or_else(|_| "10000".to_string());
    let workers = Workers::new(1);
    let mut c = Criterion::default().configure_from_args();
    for lines in sizes.split(',').filter_map(|lines| lines.trim().parse().ok()) {
        let programs = PROGRAMS.map(|(family, seed)| program(family, seed, lines, &workers));
        front(&mut c, &programs, &workers);
        middle(&mut c, &programs, &workers);
        back(&mut c, &programs, &workers);
        whole(&mut c, &programs);
    }
    c.final_summary();
}
