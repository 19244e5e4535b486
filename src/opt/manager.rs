//! Runs the stages of a pipeline: a list of function passes over all bodies in parallel, or a module pass alone.
//!
//! Every pass gets for free: print before and after, disable, stop after, bisect, verification, time (`base/trace`)
//! and instruction counts. Bisection counts the applications that changed something, per function, so that it finds
//! the same one for any number of workers. All texts and errors come in the order of the bodies.

use super::analyses::{Analyses, Given};
use super::pass::{FuncCx, FuncPass, ModulePass, PassError, Scratch};
use crate::analysis::Effects;
use crate::base::parallel::Workers;
use crate::base::{Handle, crash, trace};
use crate::ir::{Body, Env, Module, print, verify};
use std::fmt::Write;

/// A step of a pipeline.
#[derive(Debug)]
pub enum Stage {
    /// These passes, one after the other, over each function.
    Functions(&'static [&'static FuncPass]),
    /// One pass over the program.
    Module(&'static ModulePass),
}

/// What the command line asks of the passes. Passes are named as in their rows; `all` names every one.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Print functions before these passes.
    pub print_before: Vec<String>,
    /// Print functions after these passes.
    pub print_after: Vec<String>,
    /// Skip these passes.
    pub disable: Vec<String>,
    /// Skip everything behind the first run of this pass.
    pub stop_after: Option<String>,
    /// Of every function, do only as many applications of function passes that change something.
    pub bisect: Option<u32>,
    /// Verify after every pass, and compare every analysis that it says it kept with a new one.
    pub verify: bool,
    /// Count instructions for a report (times are `base/trace`'s).
    pub time_report: bool,
}

impl Options {
    /// True if every pass is to run, and nothing but reports of times is asked for.
    pub fn is_plain(&self) -> bool {
        let lists = [&self.print_before, &self.print_after, &self.disable];
        lists.iter().all(|list| list.is_empty())
            && self.stop_after.is_none()
            && self.bisect.is_none()
            && !self.verify
    }

    /// A name in the options that is no pass.
    pub fn unknown_pass(&self) -> Option<&str> {
        let lists = self.print_before.iter().chain(&self.print_after).chain(&self.disable);
        let mut names = lists.chain(&self.stop_after).map(String::as_str);
        names.find(|&name| name != "all" && !super::passes().any(|(known, _)| known == name))
    }
}

fn names(list: &[String], pass: &str) -> bool {
    list.iter().any(|name| name == pass || name == "all")
}

/// What one step of the pipeline did, over all functions.
#[derive(Copy, Clone, Debug)]
pub struct PassRow {
    /// The pass.
    pub name: &'static str,
    /// On how many functions it ran.
    pub runs: u32,
    /// How many of them it changed.
    pub changed: u32,
    /// Instructions before, over all runs.
    pub insts_in: u64,
    /// Instructions after.
    pub insts_out: u64,
}

impl PassRow {
    fn new(name: &'static str) -> PassRow {
        PassRow { name, runs: 0, changed: 0, insts_in: 0, insts_out: 0 }
    }

    fn add(&mut self, other: &PassRow) {
        self.runs += other.runs;
        self.changed += other.changed;
        self.insts_in += other.insts_in;
        self.insts_out += other.insts_out;
    }
}

/// What the passes have to tell.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One row for each step of the pipeline; counts only if asked for.
    pub rows: Vec<PassRow>,
    /// What `print_before`, `print_after` and `bisect` print, as LLVM text and comments.
    pub dump: String,
}

/// What all workers read.
#[derive(Copy, Clone)]
struct Shared<'a> {
    env: &'a Env,
    effects: &'a Effects,
    options: &'a Options,
}

/// What a worker keeps from function to function.
#[derive(Debug, Default)]
pub struct Worker {
    analyses: Analyses,
    scratch: Scratch,
}

/// Where one function stands in the pipeline.
#[derive(Copy, Clone, Debug, Default)]
struct Progress {
    /// Applications so far that changed it.
    changes: u32,
    /// It has passed `stop_after`.
    stopped: bool,
}

/// What a stage did to one body.
#[derive(Default)]
struct Done {
    rows: Vec<PassRow>,
    dump: String,
    progress: Progress,
    error: Option<PassError>,
}

/// Runs the stages in order. On an error the module is as the failing stage left it.
pub fn run(
    module: &mut Module,
    stages: &[Stage],
    options: &Options,
    workers: &Workers,
) -> Result<Report, PassError> {
    let mut report = Report::default();
    let mut progress = vec![Progress::default(); module.env.funcs.len()];
    for stage in stages {
        match *stage {
            Stage::Functions(passes) => {
                run_functions(module, passes, options, workers, &mut progress, &mut report)?;
                module.grant_requests();
            }
            Stage::Module(pass) => {
                if progress.iter().any(|p| p.stopped) || names(&options.disable, pass.name) {
                    continue;
                }
                run_module(module, pass, options, &mut report)?;
                if options.stop_after.as_deref() == Some(pass.name) {
                    progress.fill(Progress { stopped: true, ..Progress::default() });
                }
            }
        }
    }
    Ok(report)
}

fn run_functions(
    module: &mut Module,
    passes: &[&'static FuncPass],
    options: &Options,
    workers: &Workers,
    progress: &mut [Progress],
    report: &mut Report,
) -> Result<(), PassError> {
    let mut effects = Effects::default();
    effects.compute(module);
    let shared = Shared { env: &module.env, effects: &effects, options };
    let before: &[Progress] = progress;
    let done = workers.map(&mut module.bodies, Worker::default, |worker, _, f| {
        run_on_body(shared, f, passes, worker, before[f.func.index()])
    });
    let base = report.rows.len();
    report.rows.extend(passes.iter().map(|pass| PassRow::new(pass.name)));
    let mut error = None;
    for (f, done) in module.bodies.iter().zip(done) {
        progress[f.func.index()] = done.progress;
        report.dump.push_str(&done.dump);
        for (row, more) in report.rows[base..].iter_mut().zip(&done.rows) {
            row.add(more);
        }
        error = error.or(done.error);
    }
    error.map_or(Ok(()), Err)
}

/// Runs passes over one function, where nobody wants to watch them or has turned any off (`Options::is_plain`). What they
/// ask for (`Body::requests`) is still to be granted.
pub fn run_passes(
    env: &Env,
    effects: &Effects,
    options: &Options,
    passes: &[&'static FuncPass],
    f: &mut Body,
    worker: &mut Worker,
) {
    run_on_body(Shared { env, effects, options }, f, passes, worker, Progress::default());
}

fn run_on_body(
    shared: Shared,
    f: &mut Body,
    passes: &[&'static FuncPass],
    worker: &mut Worker,
    progress: Progress,
) -> Done {
    let Shared { env, options, .. } = shared;
    let mut done = Done { progress, ..Done::default() };
    worker.analyses.keep(super::AnalysisSet::NONE);
    worker.scratch.changes.forget();
    for pass in passes {
        let mut row = PassRow::new(pass.name);
        let bisected = options.bisect.is_some_and(|limit| done.progress.changes >= limit);
        if !done.progress.stopped && !bisected && !names(&options.disable, pass.name) {
            if let Err(message) = run_pass(shared, f, pass, worker, &mut row, &mut done) {
                let func = env.names.text(env.funcs[f.func].name).to_string();
                done.error = Some(PassError { pass: pass.name, func, message });
                return done;
            }
            done.progress.stopped = options.stop_after.as_deref() == Some(pass.name);
        }
        done.rows.push(row);
    }
    f.thread_uses();
    done
}

fn run_pass(
    shared: Shared,
    f: &mut Body,
    pass: &FuncPass,
    worker: &mut Worker,
    row: &mut PassRow,
    done: &mut Done,
) -> Result<(), String> {
    let Shared { env, effects, options } = shared;
    let name = env.names.text(env.funcs[f.func].name);
    if names(&options.print_before, pass.name) {
        let _ = writeln!(done.dump, "; before {} on {name}\n{}", pass.name, print::body(env, f));
    }
    let counts = options.time_report || options.verify;
    if counts {
        row.insts_in = count_insts(f);
    }
    let Worker { analyses, scratch } = worker;
    crash::enter(pass.name, Some(f.func.index() as u32));
    if !pass.counts || f.has_phis() {
        f.thread_uses();
    }
    let mut cx = FuncCx { env, f, effects, analyses, scratch };
    cx.require(pass.needs);
    let outcome = (pass.run)(&mut cx);
    if outcome.changed {
        analyses.keep(outcome.kept);
        if !outcome.listed {
            scratch.changes.forget();
        }
    }
    trace::switch("", None);
    row.runs = 1;
    row.changed = u32::from(outcome.changed);
    if counts {
        row.insts_out = count_insts(f);
        trace::count_ended(row.insts_in as usize, row.insts_out as usize);
    }
    done.progress.changes += row.changed;
    if outcome.changed && options.bisect == Some(done.progress.changes) {
        let _ =
            writeln!(done.dump, "; bisect: change {} of {name} is by {}", done.progress.changes, pass.name);
    }
    if names(&options.print_after, pass.name) {
        let _ = writeln!(done.dump, "; after {} on {name}\n{}", pass.name, print::body(env, f));
    }
    if options.verify {
        verify::verify(env, f).map_err(|error| error.to_string())?;
        if let Some(analysis) = analyses.find_stale(Given { env, effects, f }) {
            return Err(format!("the analysis `{analysis}` was said to be kept, but is no longer true"));
        }
        if !outcome.changed && row.insts_in != row.insts_out {
            return Err("something changed, but nothing was said to have changed".to_string());
        }
    }
    Ok(())
}

fn count_insts(f: &Body) -> u64 {
    f.blocks().map(|b| f.insts(b).count() as u64).sum()
}

fn run_module(
    module: &mut Module,
    pass: &ModulePass,
    options: &Options,
    report: &mut Report,
) -> Result<(), PassError> {
    let mut row = PassRow::new(pass.name);
    let count = |module: &Module| module.bodies.iter().map(count_insts).sum();
    if names(&options.print_before, pass.name) {
        let _ = writeln!(report.dump, "; before {}\n{}", pass.name, print::module(module));
    }
    if options.time_report {
        row.insts_in = count(module);
    }
    crash::enter(pass.name, None);
    row.changed = u32::from((pass.run)(module));
    trace::switch("", None);
    row.runs = 1;
    if options.time_report {
        row.insts_out = count(module);
        trace::count_ended(row.insts_in as usize, row.insts_out as usize);
    }
    report.rows.push(row);
    if names(&options.print_after, pass.name) {
        let _ = writeln!(report.dump, "; after {}\n{}", pass.name, print::module(module));
    }
    if options.verify {
        verify::verify_module(module).map_err(|error| PassError {
            pass: pass.name,
            func: String::new(),
            message: error.to_string(),
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::analyses::AnalysisSet;
    use super::super::pass::Outcome;
    use super::super::pipeline::{Level, stages};
    use super::*;
    use crate::ir::parse::parse;

    fn program(functions: usize) -> Module {
        let mut text = String::new();
        for k in 0..functions {
            let _ = write!(
                text,
                "define i32 @f{k}(i32 %x) {{
                   %p = alloca i32
                   store i32 %x, ptr %p
                   %a = load i32, ptr %p
                   %b = add i32 %a, {k}
                   %c = add i32 {k}, %a
                   %d = mul i32 %b, %c
                   ret i32 %d
                 }}\n"
            );
        }
        parse(&text).unwrap()
    }

    fn optimise(module: &mut Module, options: &Options, jobs: usize) -> Result<Report, PassError> {
        run(module, stages(Level::O1), options, &Workers::new(jobs))
    }

    fn options(change: impl Fn(&mut Options)) -> Options {
        let mut options = Options { verify: true, ..Options::default() };
        change(&mut options);
        options
    }

    /// The text after the pipeline with these options.
    fn result(change: impl Fn(&mut Options)) -> String {
        let mut module = program(3);
        optimise(&mut module, &options(change), 1).unwrap();
        print::module(&module)
    }

    #[test]
    fn disabling_stopping_and_bisecting_leave_out_what_they_say() {
        let original = print::module(&program(3));
        assert_eq!(result(|o| o.disable = vec!["all".into()]), original);
        assert_eq!(result(|o| o.bisect = Some(0)), original);
        assert_eq!(result(|o| o.stop_after = Some("simplify_cfg".into())), original);
        let promoted = result(|o| o.stop_after = Some("mem2reg".into()));
        assert!(!promoted.contains("alloca") && promoted.contains("add i32 2, %p0"), "{promoted}");
        assert_eq!(result(|o| o.bisect = Some(1)), promoted);
        assert!(result(|o| o.disable = vec!["mem2reg".into(), "gvn".into()]).contains("alloca"));
        assert_eq!(result(|o| o.bisect = Some(100)), result(|_| ()));
    }

    #[test]
    fn bisection_names_the_last_change_of_each_function() {
        let report = optimise(&mut program(2), &options(|o| o.bisect = Some(2)), 1).unwrap();
        assert_eq!(
            report.dump,
            "; bisect: change 2 of f0 is by simplify\n; bisect: change 2 of f1 is by simplify\n"
        );
    }

    #[test]
    fn texts_and_code_are_the_same_for_any_number_of_workers() {
        let change = |o: &mut Options| {
            (o.print_before, o.print_after) = (vec!["gvn".into()], vec!["all".into()]);
        };
        let runs = [1, 2, 5].map(|jobs| {
            let mut module = program(40);
            let report = optimise(&mut module, &options(change), jobs).unwrap();
            (report.dump, print::module(&module))
        });
        assert!(
            runs[0].0.starts_with("; after simplify_cfg on f0\n")
                && runs[0].0.contains("; before gvn on f39")
        );
        assert!(runs[0] == runs[1] && runs[0] == runs[2]);
    }

    #[test]
    fn the_report_has_a_row_for_each_step() {
        let report = optimise(&mut program(4), &options(|o| o.time_report = true), 2).unwrap();
        let row = report.rows.iter().find(|row| row.name == "mem2reg").unwrap();
        assert_eq!((row.runs, row.changed, row.insts_in, row.insts_out), (4, 4, 28, 16));
    }

    static BREAKS_DOMINANCE: FuncPass = FuncPass {
        name: "breaks_dominance",
        description: "moves the first instruction to the end",
        needs: AnalysisSet::NONE,
        counts: false,
        run: |cx| {
            let b = cx.f.entry().unwrap();
            let first = cx.f.first(b).unwrap();
            cx.f.move_inst(first, crate::ir::At::BeforeTerminator(b));
            Outcome::changed(AnalysisSet::NONE)
        },
    };

    static BREAKS_ORDER: FuncPass = FuncPass {
        name: "breaks_order",
        description: "adds a block and says that it did not",
        needs: AnalysisSet::DOMINATORS,
        counts: false,
        run: |cx| {
            let b = cx.f.entry().unwrap();
            let first = cx.f.first(b).unwrap();
            cx.f.split_block(first);
            Outcome::changed(AnalysisSet::CFG)
        },
    };

    #[test]
    fn a_pass_that_breaks_something_is_named_with_the_first_function() {
        let error = |pass: &'static FuncPass| {
            let stages = [Stage::Functions(Box::leak(Box::new([pass])))];
            run(&mut program(3), &stages, &options(|_| ()), &Workers::new(2)).unwrap_err()
        };
        let broken = error(&BREAKS_DOMINANCE);
        assert_eq!((broken.pass, broken.func.as_str()), ("breaks_dominance", "f0"));
        assert!(broken.message.contains("dominance"), "{broken}");
        assert!(error(&BREAKS_ORDER).message.contains("analysis `order`"));
    }
}
