//! One run of the compiler: its workers, the times of phases, diagnostics, and the boundary at which a bug of ours
//! becomes an `internal error` with a report in a file.

use super::options::{Colour, Emit, Goal, Options};
use super::{memory, output};
use crate::base::Handle;
use crate::base::clock::Stopwatch;
use crate::base::crash::{self, Activity};
use crate::base::parallel::Workers;
use crate::ir::{self, Body, Env, FuncId, Module};
use crate::opt;
use crate::source::{Diagnostics, Rendering, SourceFile, render};
use std::cell::RefCell;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Inputs shorter than this are worth neither threads nor huge pages.
const PARALLEL_BYTES: u64 = 1 << 17;

/// The exit code of a program that could not go on under `--run`: what a shell shows for `abort`.
const TRAPPED: u8 = 134;

/// Why nothing came out.
#[derive(Debug)]
pub enum Failure {
    /// The program has errors, which were shown.
    Program,
    /// A file or another program is to blame.
    System(String),
    /// With `--run`: the program did what it may not, which was shown.
    Trap,
    /// We are to blame.
    Internal(Bug),
}

/// A bug of ours.
#[derive(Clone, Debug, Default)]
pub struct Bug {
    /// What went wrong.
    pub message: String,
    /// Where in our source, if a panic told.
    pub place: String,
    /// What was being done.
    pub activity: Activity,
    /// Name of the function that was worked on, if it is known.
    pub function: String,
    /// Its IR, and what else helps; goes to the report only.
    pub details: String,
}

/// What the last panic said: the hook has nowhere else to put it. The first one counts.
static PANIC: Mutex<Option<Bug>> = Mutex::new(None);

fn take_panic() -> Bug {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
}

/// One run.
#[derive(Debug)]
pub struct Session {
    /// What was asked for.
    pub options: Options,
    /// The workers.
    pub workers: Workers,
    /// Per phase, in order of first start: its time.
    times: RefCell<Vec<(&'static str, Duration)>>,
    /// The tables of what the passes did, one an input.
    passes: RefCell<String>,
}

/// What a panic in a phase over functions has to say, with the function's name and IR.
fn describe(env: &Env, body: impl Fn(FuncId) -> Option<Body>) -> Failure {
    let mut bug = take_panic();
    if let Some(func) = bug.activity.function.map(|k| FuncId::new(k as usize)) {
        // The tables may be in any state: what cannot be printed is not.
        let text = catch_unwind(AssertUnwindSafe(|| body(func).map(|body| ir::print::body(env, &body))));
        if let Ok(Some(text)) = text {
            bug.function = env.names.text(env.funcs[func].name).to_string();
            bug.details.push_str(&text);
        }
    }
    Failure::Internal(bug)
}

impl Session {
    /// A run with these options.
    pub fn new(options: Options) -> Session {
        let size = |path: &std::path::PathBuf| std::fs::metadata(path).map_or(0, |meta| meta.len());
        let bytes: u64 = options.inputs.iter().map(size).sum();
        let is_large = bytes >= PARALLEL_BYTES;
        if is_large {
            memory::use_huge_pages(true);
        }
        let jobs = options.jobs.unwrap_or_else(|| match is_large {
            true => std::thread::available_parallelism().map_or(1, usize::from),
            false => 1,
        });
        Session {
            options,
            workers: Workers::new(jobs),
            times: RefCell::default(),
            passes: RefCell::default(),
        }
    }

    /// Runs one phase: notes its name for a report of a bug, and its time.
    pub fn phase<R>(&self, name: &'static str, run: impl FnOnce() -> R) -> R {
        crash::enter(name, None);
        let watch = Stopwatch::start();
        let result = run();
        let mut times = self.times.borrow_mut();
        match times.iter_mut().find(|(known, _)| *known == name) {
            Some((_, time)) => *time += watch.elapsed(),
            None => times.push((name, watch.elapsed())),
        }
        result
    }

    /// True if this stage is to be dumped.
    pub fn emits(&self, stage: Emit) -> bool {
        matches!(&self.options.goal, Goal::Emit(stages) if stages.contains(&stage))
    }

    /// True if nothing behind this stage is to be dumped, or made.
    pub fn ends_at(&self, stage: Emit) -> bool {
        matches!(&self.options.goal, Goal::Emit(stages) if stages.iter().all(|&other| other <= stage))
    }

    /// Runs one phase that works on the program's IR. A panic comes out as a failure whose report names the function
    /// and holds its IR.
    pub fn phase_on<R>(
        &self,
        name: &'static str,
        module: &mut Module,
        run: impl FnOnce(&mut Module) -> R,
    ) -> Result<R, Failure> {
        let result = catch_unwind(AssertUnwindSafe(|| self.phase(name, || run(module))));
        result.map_err(|_| {
            describe(&module.env, |func| module.bodies.iter().find(|body| body.func == func).cloned())
        })
    }

    /// Runs one phase that makes the IR of each function by itself and drops it again. As above; `body` makes a function's
    /// IR once more for the report.
    pub fn phase_over<R>(
        &self,
        name: &'static str,
        env: &Env,
        body: impl Fn(FuncId) -> Option<Body>,
        run: impl FnOnce() -> R,
    ) -> Result<R, Failure> {
        catch_unwind(AssertUnwindSafe(|| self.phase(name, run))).map_err(|_| describe(env, body))
    }

    /// Shows diagnostics; fails if there is an error among them.
    pub fn report(&self, file: &SourceFile, mut diags: Diagnostics) -> Result<(), Failure> {
        let options = &self.options;
        diags.choose_warnings(|code| if options.quiet { None } else { options.warnings.severity(code) });
        let colour = match options.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                std::io::stderr().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none()
                    && std::env::var_os("TERM").is_some_and(|term| term != "dumb")
            }
        };
        if !diags.is_empty() {
            let how = Rendering { colour, json: options.json, error_limit: options.error_limit };
            output::to_stderr(&render(&diags, file, &how));
        }
        if diags.has_errors() { Err(Failure::Program) } else { Ok(()) }
    }

    /// Runs everything that is done for one input. A panic comes out as a failure, whatever thread it happened in.
    pub fn guard<R>(&self, input: &Path, run: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
        std::panic::set_hook(Box::new(|info| {
            let message =
                match (info.payload().downcast_ref::<&str>(), info.payload().downcast_ref::<String>()) {
                    (Some(text), _) => (*text).to_string(),
                    (_, Some(text)) => text.clone(),
                    _ => "a panic without a message".to_string(),
                };
            let place = info.location().map_or(String::new(), ToString::to_string);
            let details = format!("{}\n", std::backtrace::Backtrace::force_capture());
            let function = String::new();
            let bug = Bug { message, place, activity: crash::activity(), function, details };
            PANIC.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(bug);
        }));
        let result = catch_unwind(AssertUnwindSafe(run));
        _ = std::panic::take_hook();
        let mut result = result.unwrap_or_else(|_| Err(Failure::Internal(take_panic())));
        if let Err(Failure::Internal(bug)) = &mut result {
            bug.details = format!("input: {}\n{}", input.display(), bug.details);
        }
        result
    }

    /// Says why nothing came out, and returns the exit code.
    pub fn fail(&self, failure: Failure) -> u8 {
        match failure {
            Failure::Program => 1,
            Failure::System(message) => {
                output::to_stderr(&format!("sysyc: error: {message}\n"));
                1
            }
            Failure::Trap => TRAPPED,
            Failure::Internal(bug) => {
                output::to_stderr(&bug.text());
                70
            }
        }
    }

    /// Notes what the passes have to tell: dumps are shown now, times at the end.
    pub fn note_passes(&self, report: &opt::Report) {
        output::to_stderr(&report.dump);
        if self.options.passes.time_report && !report.rows.is_empty() {
            self.passes.borrow_mut().push_str(&report.table());
        }
    }

    /// Shows the times of phases, if they were asked for.
    pub fn report_times(&self) {
        if !self.options.passes.time_report {
            return;
        }
        let times = self.times.borrow();
        let total: Duration = times.iter().map(|row| row.1).sum();
        let mut text = String::from("phase              ms      %\n");
        for (name, time) in times.iter().copied().chain([("total", total)]) {
            let percent = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
            text.push_str(&format!("{name:<12} {:>8.3} {percent:>6.1}\n", time.as_secs_f64() * 1e3));
        }
        output::to_stderr(&text);
        output::to_stderr(&self.passes.borrow());
    }
}

impl Bug {
    /// The message, with the path of a report that has the details.
    fn text(&self) -> String {
        let mut text = format!("sysyc: internal error: {}\n", self.message);
        let Activity { phase, function } = self.activity;
        if !phase.is_empty() {
            text.push_str(&format!("  in: {phase}"));
            match function {
                _ if !self.function.is_empty() => text.push_str(&format!(", function '{}'", self.function)),
                Some(k) => text.push_str(&format!(", function number {k}")),
                None => {}
            }
            text.push('\n');
        }
        if !self.place.is_empty() {
            text.push_str(&format!("  at: {}\n", self.place));
        }
        let args: Vec<_> = std::env::args().collect();
        let report =
            format!("{text}version: {}\ncommand: {args:?}\n{}", env!("CARGO_PKG_VERSION"), self.details);
        let written =
            tempfile::Builder::new().prefix("sysyc-bug-").suffix(".txt").tempfile().and_then(|mut file| {
                std::io::Write::write_all(&mut file, report.as_bytes())?;
                Ok(file.keep()?.1)
            });
        if let Ok(path) = written {
            text.push_str(&format!("  report: {}\n", path.display()));
        }
        text.push_str("  this is a bug of sysyc; the program is not to blame\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_report_with_phase_and_place() {
        let options = crate::driver::options::parse(["sysyc", "t.sy"].map(Into::into)).unwrap();
        let session = Session::new(options);
        let failed = session.guard(Path::new("t.sy"), || -> Result<(), Failure> {
            session.phase("test", || panic!("one {}", 2))
        });
        let Err(Failure::Internal(bug)) = failed else { panic!("not caught") };
        assert_eq!((bug.message.as_str(), bug.activity.phase), ("one 2", "test"));
        let text = bug.text();
        let report = text.lines().find_map(|line| line.strip_prefix("  report: ")).unwrap();
        assert!(
            text.contains("in: test") && std::fs::read_to_string(report).unwrap().contains("input: t.sy")
        );
        std::fs::remove_file(report).unwrap();
        assert!(bug.place.contains("session.rs") && bug.details.starts_with("input: t.sy\n"), "{bug:?}");
    }

    #[test]
    fn a_small_input_starts_no_threads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.sy");
        let jobs = |more: &[&str]| {
            let line = ["sysyc"].iter().chain(more).map(Into::into).chain([path.clone().into_os_string()]);
            Session::new(crate::driver::options::parse(line).unwrap()).workers.jobs()
        };
        std::fs::write(&path, vec![b' '; PARALLEL_BYTES as usize - 1]).unwrap();
        assert_eq!((jobs(&[]), jobs(&["-j3"])), (1, 3));
        std::fs::write(&path, vec![b' '; PARALLEL_BYTES as usize]).unwrap();
        assert_eq!(jobs(&[]), std::thread::available_parallelism().map_or(1, usize::from));
    }
}
