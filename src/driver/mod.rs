//! From a command line to an exit code.
//!
//! | file | holds |
//! | --- | --- |
//! | `options` | the command line |
//! | `beside` | what is made beside the output: rules for `make`, the results of stages |
//! | `inform` | what `sysyc` tells about itself |
//! | `session` | one run: workers, times, diagnostics, the boundary where a bug becomes a report |
//! | `compile` | the whole way from an input to an output |
//! | `whole` | several inputs as one program |
//! | `execute` | programs that are executed here |
//! | `deliver` | where results go |
//! | `dumps` | what stages look like, and graphs of them |
//! | `format` | `sysyc fmt` |
//! | `toolchain` | assembling and linking with the cross tools |
//! | `libraries` | where the C library of a target is |
//! | `memory` | small pages; the peak |
//! | `page/` | what passes changed, in text and as a page |
//! | `profile/` | what a program has executed: text, JSON, lcov, a page with a flame graph |
//! | `report` | times, as a table and as a trace |
//! | `rules` | what SARIF says of codes |
//! | `link` | programs by the built-in linker |
//! | `lsp` | a language server, for editors |
//! | `output` | files that appear complete or not at all |
//!
//! Exit codes: 1 for errors in the program (or files that cannot be read or written), 2 for wrong use of the
//! command line, 70 for a bug of ours, 71 if there is not enough memory; `--run` gives the program's own.

pub mod beside;
pub mod compile;
pub mod deliver;
pub mod dumps;
pub mod execute;
pub mod format;
pub mod inform;
pub mod libraries;
pub mod link;
pub mod lsp;
pub mod memory;
pub mod options;
pub mod output;
pub mod page;
pub mod profile;
pub mod report;
pub mod rules;
pub mod session;
pub mod toolchain;
pub mod walk;
pub mod whole;

use options::{Goal, Rule};
use session::{Failure, Session};
use std::ffi::OsString;

/// The exit code of wrong use.
const USAGE: u8 = 2;

/// Does what the command line (program name included) says and returns the exit code.
pub fn main(args: impl IntoIterator<Item = OsString>) -> u8 {
    memory::use_small_pages();
    memory::exit_when_exhausted();
    let args: Vec<OsString> = args.into_iter().collect();
    memory::with_stack(|| run(&args))
}

fn run(args: &[OsString]) -> u8 {
    let options = match options::parse(args.iter().cloned()) {
        Ok(options) => link::with_ir(options),
        Err(message) => return wrong_use(&message),
    };
    if options.show == Some(options::Show::Server) {
        return lsp::serve(
            Session::for_server(options),
            std::io::BufReader::new(std::io::stdin()),
            std::io::stdout(),
        );
    }
    if options.show == Some(options::Show::Profile) {
        let session = Session::new(options);
        return finish(&session, profile::program::run(&session));
    }
    if let Some(what) = options.show {
        return match inform::show(what, &options) {
            Ok((text, code)) => code.max(u8::from(output::to_stdout(text.as_bytes()).is_err())),
            Err(message) => wrong_use(&message),
        };
    }
    if options.dependencies.wanted == Some(Rule::Alone) {
        let rules =
            options.inputs.iter().try_for_each(|input| beside::write_rule(&options, input).map(|_| ()));
        let session = Session::new(options);
        session.remark();
        return end(&session, rules.map(|()| 0));
    }
    let options = if options.goal == Goal::Format { format::with_folders(options) } else { Ok(options) };
    let options = match options {
        Ok(options) => options,
        Err(message) => return wrong_use(&message),
    };
    let mut session = Session::new(options);
    session.remark();
    if session.options.goal == Goal::Format && session.options.inputs.is_empty() {
        return end(&session, Ok(0));
    }
    if let Err(failure) = session.read_counts() {
        return end(&session, Err(failure));
    }
    if session.options.dry {
        return end(&session, inform::commands(&session));
    }
    let mut exit = 0;
    if session.options.inputs.is_empty() {
        let path = deliver::program(&session.options);
        let linked = session.guard(&session.options.link_inputs[0], || deliver::link(&session, &path));
        exit = finish(&session, linked);
    }
    let (inputs, is_whole) = (&session.options.inputs, whole::is_whole(&session.options));
    let stages = |code: u8, input| beside::keep_stages(&session.options, input).map(|()| code);
    if is_whole && let Some(first) = inputs.first() {
        let make = || {
            let code = beside::with_rule(&session.options, first, || whole::compile(&session))?;
            inputs.iter().try_fold(code, stages)
        };
        exit = finish(&session, session.guard(&first.path, make));
    }
    for input in inputs.iter().filter(|_| !is_whole) {
        let make = || {
            if session.options.goal == Goal::Format {
                return format::format(&session, input);
            }
            let code = beside::with_rule(&session.options, input, || compile::compile(&session, input))?;
            stages(code, input)
        };
        exit = exit.max(finish(&session, session.guard(&input.path, make)));
    }
    // Nothing is linked of a program with an error.
    if session.options.goal == Goal::Link && inputs.len() > 1 && !is_whole && exit == 0 {
        let path = deliver::program(&session.options);
        let linked = session.guard(&path, || deliver::link(&session, &path));
        exit = finish(&session, linked);
    }
    let reported = session.report_times().map(|()| 0);
    exit.max(end(&session, reported))
}

fn wrong_use(message: &str) -> u8 {
    output::to_stderr(&format!("sysyc: error: {message}\n"));
    USAGE
}

/// The last that is said.
fn end(session: &Session, done: Result<u8, Failure>) -> u8 {
    let exit = finish(session, done);
    exit.max(session.report_log())
}

fn finish(session: &Session, done: Result<u8, Failure>) -> u8 {
    done.unwrap_or_else(|failure| session.fail(failure))
}
