//! `sysyc fmt`: sources are formatted in place, or what would change is reported: the names of files (`--check`), or
//! the lines (`--diff`, as `diff -u` shows them).

use super::options::{Input, Language, Options};
use super::session::{Bug, Failure, Session};
use super::{compile, output, walk};
use crate::format;
use crate::source::{Diagnostics, Severity, edit};
use std::path::Path;

/// Files that are looked at in folders, at most.
const MOST_FILES: usize = 1 << 20;

/// Puts the sources in folders, and in those below, in place of these.
pub fn with_folders(mut options: Options) -> Result<Options, String> {
    let mut inputs = Vec::new();
    for input in std::mem::take(&mut options.inputs) {
        if !input.path.is_dir() {
            inputs.push(input);
            continue;
        }
        let folder = input.path.display();
        if options.output.is_some() {
            return Err(format!("'-o' names one file, and '{folder}' is a folder"));
        }
        let (found, missing) = walk::sources(std::slice::from_ref(&input.path), MOST_FILES);
        if let Some(missing) = missing {
            return Err(format!("not all sources in '{folder}' can be formatted: {missing}"));
        }
        if found.is_empty() {
            options
                .remarks
                .push(format!("there are no sources in '{folder}': their names end with '.sy' or '.sysy'"));
        }
        inputs.extend(found.into_iter().map(|path| Input { path, language: Language::Sysy }));
    }
    options.inputs = inputs;
    Ok(options)
}

/// Formats one source. The exit code is 1 if something is to be changed and is not.
pub fn format(s: &Session, input: &Input) -> Result<u8, Failure> {
    let path = input.path.as_path();
    if input.language != Language::Sysy {
        return Err(Failure::System(format!(
            "'{}' is no SysY, and nothing else is formatted",
            path.display()
        )));
    }
    let mut diags = Diagnostics::default();
    let file = s.phase("read", || compile::read(s, path, &mut diags));
    if diags.has_errors() {
        return s.report(&file, diags).map(|()| 0);
    }
    let options = &s.options;
    let edits = match s.phase("format", || format::edits(&file, options.standard)) {
        Ok(edits) => edits,
        Err(diags) => return s.report(&file, diags).map(|()| 0),
    };
    // Where there is no place for it to change, all of it is written.
    let is_wanted = path == Path::new("-") || options.output.is_some();
    let path = options.output.as_deref().unwrap_or(path);
    let failed = |error| Failure::System(format!("cannot write '{}': {error}", file.path));
    let formatted = || edit::apply(&file.text, &[&edits]).0;
    if options.diff {
        output::show_changes(&file.path, &file.text, &formatted()).map_err(failed)?;
    } else if options.checked {
        if !edits.is_empty() {
            s.tell(Severity::Note, &format!("'{}' would change", file.path));
        }
    } else if is_wanted || !edits.is_empty() {
        let out = formatted();
        if !format::is_same_program(&file.text, &out) {
            let message = "the formatted text would be another program".to_string();
            return Err(Failure::Internal(Bug { message, ..Bug::default() }));
        }
        output::write(path, &out, false).map_err(failed)?;
    }
    Ok(u8::from((options.checked || options.diff) && !edits.is_empty()))
}
