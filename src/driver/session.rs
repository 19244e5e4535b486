//! One run of the compiler: its workers, the times of phases, diagnostics, and the boundary at which a bug of
//! ours becomes an `internal error` with a report in a file.

use super::options::{Colour, Emit, Fix, Goal, Input, Options, TimeReport};
use super::report::{self, Recording};
use super::{memory, output, rules};
use crate::base::clock::process_time;
use crate::base::crash::{self, Activity};
use crate::base::parallel::Workers;
use crate::base::trace::{self, Events};
use crate::ir::Env;
use crate::ir::profile::Counts;
use crate::object::module::Object;
use crate::source::file::why;
use crate::source::{
    Diagnostic, Diagnostics, Edit, Form, Rendering, Severity, SourceFile, edit, log, render, sarif,
};
pub use crate::sysy::failure::{Bug, Failure};
use crate::sysy::failure::{note_panic, take_panic};
use crate::sysy::start::Profiling;
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Inputs shorter than this are not worth threads.
const PARALLEL_BYTES: u64 = 1 << 17;

/// The exit code of a program that could not go on under `--run`: what a shell shows for `abort`.
const TRAPPED: u8 = 134;

/// The exit code of a program under `--run` when what read its output has gone: what a shell shows for a
/// program that a closed pipe ended.
pub const CLOSED: u8 = 141;

/// One run.
#[derive(Debug)]
pub struct Session {
    /// What was asked for.
    pub options: Options,
    /// The workers.
    pub workers: Workers,
    /// For reports: the names of functions by number.
    names: RefCell<Vec<String>>,
    /// Objects that are to be linked, by the name of the source.
    pub objects: RefCell<Vec<(String, Object<'static>)>>,
    /// What is known of how often functions are executed.
    counts: Counts,
    /// What there is to say, where it is to be one document.
    log: RefCell<sarif::Log>,
}

/// What the environment says of colours (no-color.org, force-color.org, bixense.com/clicolors), or the terminal.
fn wants_colours(variable: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let says = |name: &str| variable(name).filter(|text| !text.is_empty());
    let is = |name: &str, value: &str| says(name).is_some_and(|text| text == value);
    if says("NO_COLOR").is_some() {
        return false;
    }
    // As Node has it, a 0 asks for none.
    if says("FORCE_COLOR").is_some() {
        return !is("FORCE_COLOR", "0") && !is("FORCE_COLOR", "false");
    }
    if says("CLICOLOR_FORCE").is_some() && !is("CLICOLOR_FORCE", "0") {
        return true;
    }
    is_terminal && says("TERM").is_some() && !is("TERM", "dumb") && !is("CLICOLOR", "0")
}

impl Session {
    /// A run with these options.
    pub fn new(options: Options) -> Session {
        if options.time_report.is_some() || options.time_trace.is_some() {
            let events = match (&options.time_trace, options.trace_from) {
                (None, _) => Events::None,
                (Some(_), None) => Events::Longest,
                (Some(_), Some(ns)) => Events::From(ns),
            };
            trace::start(events);
        }
        let size = |input: &Input| std::fs::metadata(&input.path).map_or(0, |meta| meta.len());
        let is_large = || options.inputs.iter().map(size).sum::<u64>() >= PARALLEL_BYTES;
        let jobs = options.jobs.unwrap_or_else(|| match is_large() {
            true => std::thread::available_parallelism().map_or(1, usize::from),
            false => 1,
        });
        Session {
            options,
            workers: Workers::new(jobs),
            names: RefCell::default(),
            objects: RefCell::default(),
            counts: Counts::default(),
            log: RefCell::default(),
        }
    }

    /// A run that answers as quickly as the machine can.
    pub fn for_server(mut options: Options) -> Session {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        options.jobs = Some(options.jobs.unwrap_or_else(all));
        Session::new(options)
    }

    /// Reads what is known of how often functions are executed.
    pub fn read_counts(&mut self) -> Result<(), Failure> {
        for path in &self.options.profile_use {
            let failed = |what: &dyn std::fmt::Display| {
                Failure::System(format!("cannot use the profile '{}': {what}", path.display()))
            };
            let bytes = std::fs::read(path).map_err(|error| failed(&why(&error)))?;
            self.counts.add(&bytes).map_err(|what| failed(&what))?;
        }
        Ok(())
    }

    /// What is done about how often blocks are executed.
    pub fn profiling(&self) -> Profiling<'_> {
        match &self.options.profile_generate {
            Some(path) => Profiling::Count(path),
            None if self.options.profile_use.is_empty() => Profiling::None,
            None => Profiling::Use(&self.counts),
        }
    }

    /// Runs one phase: notes its name for a report of a bug, and for one of times.
    pub fn phase<R>(&self, name: &'static str, run: impl FnOnce() -> R) -> R {
        crash::phase(name, run)
    }

    /// Notes the names of functions, for reports of times.
    pub fn note_functions(&self, env: &Env) {
        if trace::is_on() {
            let names = env.funcs.iter().map(|(_, func)| env.names.text(func.name).to_string());
            *self.names.borrow_mut() = names.collect();
        }
    }

    /// True if this stage is to be dumped.
    pub fn emits(&self, stage: Emit) -> bool {
        matches!(&self.options.goal, Goal::Emit(stages) if stages.contains(&stage))
    }

    /// True if nothing behind this stage is to be dumped, or made.
    pub fn ends_at(&self, stage: Emit) -> bool {
        matches!(&self.options.goal, Goal::Emit(stages) if stages.iter().all(|&other| other <= stage))
    }

    /// Shows diagnostics; fails if there is an error among them.
    pub fn report(&self, file: &SourceFile, mut diags: Diagnostics) -> Result<(), Failure> {
        let options = &self.options;
        diags.choose_warnings(|code| if options.quiet { None } else { options.warnings.severity(code) });
        let colour = match options.colour {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => wants_colours(|name| std::env::var_os(name), std::io::stderr().is_terminal()),
        };
        let Options { form, error_limit, .. } = *options;
        let how = Rendering { colour, form, error_limit, width: output::width_of_stderr() };
        if self.keeps_log() {
            log(&diags, file, &how, &mut self.log.borrow_mut());
        }
        if form != Form::Sarif && !diags.is_empty() {
            output::to_stderr(&render(&diags, file, &how));
        }
        if let Some(which) = options.fix {
            self.fix(file, &diags, which)?;
        }
        if diags.has_errors() { Err(Failure::Program) } else { Ok(()) }
    }

    /// True if what is said is collected for one document.
    fn keeps_log(&self) -> bool {
        self.options.form == Form::Sarif || self.options.sarif.is_some()
    }

    /// Says what is about no place in a source.
    pub fn tell(&self, severity: Severity, text: &str) {
        self.say(severity, text, &format!("sysyc: {}: {text}\n", severity.name()));
    }

    /// ... which people see so.
    pub fn say(&self, severity: Severity, text: &str, shown: &str) {
        if self.keeps_log() {
            self.log.borrow_mut().notify(severity, text);
        }
        match self.options.form {
            Form::Sarif => {}
            // An object a line, as all that is on that stream.
            Form::Json => {
                let mut diags = Diagnostics::default();
                diags.push(Diagnostic { severity, ..Diagnostic::remark("", None, text) });
                let how = Rendering { form: Form::Json, ..Rendering::default() };
                output::to_stderr(&render(&diags, &SourceFile::new("", Vec::new()), &how));
            }
            Form::Human | Form::Short => output::to_stderr(shown),
        }
    }

    /// Says what was understood in another way than it was said.
    pub fn remark(&self) {
        if !self.options.quiet {
            self.options.remarks.iter().for_each(|remark| self.tell(Severity::Warning, remark));
        }
    }

    /// Puts the document of everything that was said where it goes, if there is to be one. Returns the exit code.
    pub fn report_log(&self) -> u8 {
        if !self.keeps_log() {
            return 0;
        }
        let document = self.log.borrow().document(rules::rule);
        let Some(path) = &self.options.sarif else {
            output::to_stderr(&document);
            return 0;
        };
        let Err(error) = output::write(path, document.as_bytes(), false) else { return 0 };
        output::to_stderr(&format!("sysyc: error: cannot write '{}': {error}\n", path.display()));
        1
    }

    /// Writes what diagnostics say into the source (`--fix`), or shows it (`--diff`).
    fn fix(&self, file: &SourceFile, diags: &Diagnostics, which: Fix) -> Result<(), Failure> {
        let sorted = diags.sorted();
        let edits: Vec<&[Edit]> = sorted
            .iter()
            .map(|diagnostic| diagnostic.edits.as_slice())
            .filter(|edits| !edits.is_empty() && (which == Fix::All || edit::is_certain(edits)))
            .collect();
        let named = |input: &&Input| input.path.display().to_string() == file.path;
        let Some(Input { path, .. }) = self.options.inputs.iter().find(named).filter(|_| !edits.is_empty())
        else {
            return Ok(());
        };
        let (text, count) = edit::apply(&file.text, &edits);
        let cannot = |error| Failure::System(format!("cannot write '{}': {error}", file.path));
        if self.options.diff {
            output::show_changes(&file.path, &file.text, &text).map_err(cannot)?;
            return Err(Failure::Program);
        }
        output::write(path, &text, false).map_err(cannot)?;
        self.tell(Severity::Note, &format!("{count} changed in '{}'", file.path));
        Ok(())
    }

    /// Runs everything that is done for one input. A panic comes out as a failure, whatever thread it
    /// happened in.
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
            note_panic(bug);
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
                self.tell(Severity::Error, &message);
                1
            }
            Failure::Trap => TRAPPED,
            Failure::Internal(bug) => {
                let text = text(&bug);
                self.say(Severity::Error, text.trim_start_matches("sysyc: ").trim_end(), &text);
                70
            }
        }
    }

    /// Shows what was recorded, as it was asked for.
    pub fn report_times(&self) -> Result<(), Failure> {
        if !trace::is_on() {
            return Ok(());
        }
        let (wall, lanes, tables) = trace::take();
        let names = self.names.take();
        let recording = Recording { wall, cpu: process_time(), peak: memory::peak(), lanes, names, tables };
        match self.options.time_report {
            Some(TimeReport::Table) => output::to_stderr(&report::table(&recording)),
            Some(TimeReport::Json) => output::to_stderr(&report::json(&recording)),
            Some(TimeReport::Page) | None => {}
        }
        let unwritten =
            |path: &Path, error| Failure::System(format!("cannot write '{}': {error}", path.display()));
        if let Some(path) =
            self.options.time_page.as_ref().filter(|_| self.options.time_report == Some(TimeReport::Page))
        {
            output::write(path, report::page(&recording).as_bytes(), false)
                .map_err(|error| unwritten(path, error))?;
        }
        let Some(path) = &self.options.time_trace else { return Ok(()) };
        let most = if self.options.trace_from.is_some() { usize::MAX } else { report::MOST_EVENTS };
        output::write(path, report::chrome(&recording, most).as_bytes(), false)
            .map_err(|error| unwritten(path, error))
    }
}

/// The message of a bug, with the path of a report that has the details.
fn text(bug: &Bug) -> String {
    let mut text = format!("sysyc: internal error: {}\n", bug.message);
    let Activity { phase, function } = bug.activity;
    if !phase.is_empty() {
        text.push_str(&format!("  in: {phase}"));
        match function {
            _ if !bug.function.is_empty() => text.push_str(&format!(", function '{}'", bug.function)),
            Some(k) => text.push_str(&format!(", function number {k}")),
            None => {}
        }
        text.push('\n');
    }
    if !bug.place.is_empty() {
        text.push_str(&format!("  at: {}\n", bug.place));
    }
    let args: Vec<_> = std::env::args().collect();
    let report = format!("{text}version: {}\ncommand: {args:?}\n{}", env!("CARGO_PKG_VERSION"), bug.details);
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
        let text = text(&bug);
        let report = text.lines().find_map(|line| line.strip_prefix("  report: ")).unwrap();
        assert!(
            text.contains("in: test") && std::fs::read_to_string(report).unwrap().contains("input: t.sy")
        );
        std::fs::remove_file(report).unwrap();
        assert!(bug.place.contains("session.rs") && bug.details.starts_with("input: t.sy\n"), "{bug:?}");
    }

    #[test]
    fn the_environment_says_whether_there_are_colours() {
        for (variables, on_terminal, elsewhere) in [
            (&[("TERM", "xterm")][..], true, false),
            (&[], false, false),
            (&[("TERM", "dumb")], false, false),
            (&[("TERM", "xterm"), ("NO_COLOR", "1")], false, false),
            (&[("TERM", "xterm"), ("NO_COLOR", "")], true, false),
            (&[("TERM", "xterm"), ("CLICOLOR", "0")], false, false),
            (&[("CLICOLOR_FORCE", "1")], true, true),
            (&[("CLICOLOR_FORCE", "0"), ("TERM", "xterm")], true, false),
            (&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false, false),
            (&[("FORCE_COLOR", "1")], true, true),
            (&[("FORCE_COLOR", "3"), ("TERM", "dumb")], true, true),
            (&[("FORCE_COLOR", ""), ("TERM", "xterm")], true, false),
            (&[("FORCE_COLOR", "0"), ("CLICOLOR_FORCE", "1"), ("TERM", "xterm")], false, false),
            (&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")], false, false),
        ] {
            let value = |name: &str| variables.iter().find(|row| row.0 == name).map(|row| row.1.into());
            assert_eq!(wants_colours(value, true), on_terminal, "{variables:?}");
            assert_eq!(wants_colours(value, false), elsewhere, "{variables:?}");
        }
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
