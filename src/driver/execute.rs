//! Programs that are executed here (`--run`): their streams are ours, and where one stops is reported as an error of its source.

use super::profile;
use super::session::{Bug, CLOSED, Failure, Session};
use crate::base::Handle;
use crate::base::crash::Activity;
use crate::ir::interp::{self, Declared, Trap};
use crate::ir::{self, Module};
use crate::lower::USER;
use crate::sema::Sema;
use crate::source::{Diagnostic, Diagnostics, Sources, Span};
use std::io::{stderr, stdin, stdout};

/// Executes the program with our own streams as its streams. Its exit code is its result modulo 256.
pub fn run(s: &Session, sources: &Sources, module: &Module, semas: &[Option<&Sema>]) -> Result<u8, Failure> {
    let narrow = s.options.target.rules.machine.pointer_bytes == 4;
    let (check, verify) = (s.options.checked, s.options.passes.verify);
    let options = interp::Options { check, narrow, verify, explain: check, ..interp::Options::default() };
    let (mut input, mut output, mut errors) = (stdin().lock(), stdout().lock(), stderr().lock());
    let done = if s.options.profiles.is_empty() {
        interp::run(module, "main", &mut input, &mut output, &mut errors, options)
    } else {
        let (done, counted) = interp::profile(module, "main", &mut input, &mut output, &mut errors, options);
        drop(errors);
        profile::deliver(s, sources, module, semas, &counted)?;
        done
    };
    if done.as_ref().is_err_and(|trap| trap.is_closed) {
        return Ok(CLOSED);
    }
    done.map(|code| code as u8).map_err(|trap| {
        if trap.is_bug {
            let function = trap
                .func
                .map_or(String::new(), |func| module.env.names.text(module.env.funcs[func].name).to_string());
            let activity = Activity { phase: "run", function: trap.func.map(|func| func.index() as u32) };
            return Failure::Internal(Bug { message: trap.message, activity, function, ..Bug::default() });
        }
        let (number, error) = trapped(sources, module, semas, &trap);
        let mut diags = Diagnostics::default();
        diags.push(error);
        match sources.files().get(number).map(|file| s.report(file, diags)) {
            Some(Err(Failure::Program) | Ok(())) | None => Failure::Trap,
            Some(Err(other)) => other,
        }
    })
}

/// Why a program stopped: where, of which variable, and by which calls it came there; and in which of the sources.
fn trapped(sources: &Sources, module: &Module, semas: &[Option<&Sema>], trap: &Trap) -> (usize, Diagnostic) {
    let env = &module.env;
    let plain = |name| {
        let text = env.names.text(name);
        text.strip_suffix(USER).unwrap_or(text)
    };
    let (number, offset) = if trap.loc == ir::NO_LOC { (0, trap.loc) } else { sources.at(trap.loc) };
    let span = (trap.loc != ir::NO_LOC).then(|| Span::new(offset as usize, offset as usize + 1));
    let mut error = Diagnostic::error("trap", span, format!("the program stopped: {trap}"));
    let declared = match &trap.declared {
        Some(Declared::Local(name, at)) => Some((name.as_str(), *at)),
        Some(Declared::Global(global)) => {
            let name = plain(env.globals[*global].name);
            semas.iter().enumerate().find_map(|(number, sema)| declared_at(number, (*sema)?, name, sources))
        }
        None => None,
    };
    if let Some((name, at)) = declared.filter(|&(_, at)| at != ir::NO_LOC) {
        error = match sources.at(at) {
            (same, at) if same == number => {
                let span = Span::new(at as usize, at as usize + name.len());
                error.secondary(span, format!("'{name}' is declared here"))
            }
            _ => error.note(format!("'{name}' is declared at {}", sources.shown(at))),
        };
    }
    if let Some(func) = trap.func {
        error = error.note(format!("in the function '{}'", plain(env.funcs[func].name)));
    }
    for call in &trap.calls {
        let mut text = format!("called by '{}'", plain(env.funcs[call.func].name));
        if call.loc != ir::NO_LOC {
            text += &format!(", at {}", sources.shown(call.loc));
        }
        error = error.note(text);
    }
    let error = match trap.more {
        0 => error,
        1 => error.note("... 1 more call"),
        more => error.note(format!("... {more} more calls")),
    };
    (number, error)
}

/// Where a source defines what has a name outside of functions.
fn declared_at<'a>(number: usize, sema: &Sema, name: &'a str, sources: &Sources) -> Option<(&'a str, u32)> {
    let mut rows = sema.globals.iter().map(|&sym| &sema.symbols[sym]);
    let row = rows.find(|row| sema.names.text(row.name) == name && !row.declared)?;
    Some((name, sources.first(number).saturating_add(row.place)))
}
