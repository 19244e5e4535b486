//! From a command line to an exit code.
//!
//! | file | holds |
//! | --- | --- |
//! | `options` | the command line |
//! | `beside` | what is made beside the output: rules for `make`, the results of stages |
//! | `inform` | what `sysyc` tells about itself |
//! | `session` | one run: workers, times, diagnostics, the boundary where a bug becomes a report |
//! | `compile` | the whole way from an input to an output |
//! | `deliver` | where results go |
//! | `dumps` | what stages look like, and graphs of them |
//! | `toolchain` | assembling and linking with the cross tools |
//! | `libraries` | where the C library of a target is |
//! | `memory` | small pages; the peak |
//! | `page/` | what passes changed, in text and as a page |
//! | `profile/` | what a program has executed: text, JSON, lcov, a page with a flame graph |
//! | `report` | times, as a table and as a trace |
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
pub mod session;
pub mod toolchain;

use options::{Goal, Rule};
use session::{Failure, Session};
use std::ffi::OsString;
use std::path::PathBuf;

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
        Ok(options) => options,
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
    if !options.quiet {
        options.remarks.iter().for_each(|remark| output::to_stderr(&format!("sysyc: warning: {remark}\n")));
    }
    if options.dependencies.wanted == Some(Rule::Alone) {
        let rules = options.inputs.iter().try_for_each(|input| beside::write_rule(&options, input));
        return finish(&Session::new(options), rules.map(|()| 0));
    }
    let mut session = Session::new(options);
    if let Err(failure) = session.read_counts() {
        return finish(&session, Err(failure));
    }
    if session.options.dry {
        return finish(&session, inform::commands(&session));
    }
    let mut exit = 0;
    if session.options.inputs.is_empty() {
        let path = session.options.output.clone().unwrap_or_else(|| PathBuf::from("a.out"));
        let linked = session.guard(&session.options.link_inputs[0], || deliver::link(&session, &path));
        exit = finish(&session, linked);
    }
    for input in &session.options.inputs {
        let done = session.guard(&input.path, || {
            let code = compile::compile(&session, input)?;
            beside::write_rule(&session.options, input)?;
            beside::keep_stages(&session.options, input)?;
            Ok(code)
        });
        exit = exit.max(finish(&session, done));
    }
    session.report_log();
    // Nothing is linked of a program with an error.
    if session.options.goal == Goal::Link && session.options.inputs.len() > 1 && exit == 0 {
        let path = session.options.output.clone().unwrap_or_else(|| PathBuf::from("a.out"));
        let linked = session.guard(&path, || deliver::link(&session, &path));
        exit = finish(&session, linked);
    }
    let reported = session.report_times().map(|()| 0);
    exit.max(finish(&session, reported))
}

fn wrong_use(message: &str) -> u8 {
    output::to_stderr(&format!("sysyc: error: {message}\n"));
    USAGE
}

fn finish(session: &Session, done: Result<u8, Failure>) -> u8 {
    done.unwrap_or_else(|failure| session.fail(failure))
}
