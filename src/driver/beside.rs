//! What is made beside the output: the rule of `make` (`-MD`), and what stages made on the way (`-save-temps`).

use super::deliver::{beside, default_output};
use super::options::{Dependencies, Emit, Goal, Input, Options, Rule, Temporaries};
use super::session::{Failure, Session};
use super::{compile, output};
use crate::source::file::why;
use std::path::{Path, PathBuf};

/// Writes the rule of an input's output, if one is wanted; into a file that is named for all, those of all. Returns its file if
/// there was none before.
pub fn write_rule(options: &Options, input: &Input) -> Result<Option<PathBuf>, Failure> {
    let Dependencies { wanted: Some(rule), file, .. } = &options.dependencies else { return Ok(None) };
    if *rule == Rule::Alone && input.path != Path::new("-") {
        // It is not read, but there has to be something that could be.
        std::fs::metadata(&input.path).map_err(|error| {
            Failure::System(format!("cannot read '{}': {}", input.path.display(), why(&error)))
        })?;
    }
    let shared = file.clone().or_else(|| options.output.clone().filter(|_| *rule == Rule::Alone));
    let (path, inputs) = match (rule, shared) {
        (_, Some(path)) => (path, options.inputs.as_slice()),
        (Rule::Alone, None) => (PathBuf::from("-"), std::slice::from_ref(input)),
        // A program is one output of all its sources.
        (Rule::Beside, None) if options.goal == Goal::Link => {
            (made(options, input).with_extension("d"), options.inputs.as_slice())
        }
        (Rule::Beside, None) => (made(options, input).with_extension("d"), std::slice::from_ref(input)),
    };
    let text: String = inputs.iter().map(|input| rule_of(options, input)).collect();
    let is_new = !path.exists();
    output::write(&path, text.as_bytes(), false)
        .map_err(|error| Failure::System(format!("cannot write '{}': {error}", path.display())))?;
    Ok(Some(path).filter(|path| is_new && path != Path::new("-")))
}

/// Makes something whose rule is written first, so that there is no output without its rule; nor a new rule without output.
pub fn with_rule(
    options: &Options,
    input: &Input,
    make: impl FnOnce() -> Result<u8, Failure>,
) -> Result<u8, Failure> {
    let new = write_rule(options, input)?;
    let made = make();
    if let (Err(_), Some(new)) = (&made, new) {
        _ = std::fs::remove_file(new);
    }
    made
}

/// The rule of an input. A SysY program includes nothing: it depends on its source alone.
fn rule_of(options: &Options, input: &Input) -> String {
    let name = |path: &Path| Dependencies::quoted(&path.display().to_string());
    let targets = match options.dependencies.targets.as_slice() {
        [] => name(&made(options, input)),
        targets => targets.join(" "),
    };
    format!("{targets}: {}\n", name(&input.path))
}

/// What the rule says is made of an input.
fn made(options: &Options, input: &Input) -> PathBuf {
    let is_named = options.dependencies.wanted == Some(Rule::Beside);
    let named = options.output.clone().filter(|path| is_named && path != Path::new("-"));
    let extension = options.ir_file.unwrap_or(if options.goal == Goal::Assembly { "s" } else { "o" });
    named.unwrap_or_else(|| beside(Path::new(""), &input.path, extension))
}

/// Makes what lies between a source and its program again, each in a file: the same compilation with another
/// end.
pub fn keep_stages(options: &Options, input: &Input) -> Result<(), Failure> {
    let folder = match options.temporaries {
        Some(Temporaries::BesideOutput) => {
            default_output(options, &input.path, "").parent().map(Path::to_path_buf)
        }
        Some(Temporaries::Here) => None,
        None => return Ok(()),
    };
    let stages = [(Goal::Emit(vec![Emit::Ir]), "ll"), (Goal::Assembly, "s"), (Goal::Object, "o")];
    let ends = match options.goal {
        Goal::Link => 3,
        Goal::Object => 2,
        Goal::Assembly => 1,
        // Of `-flto` the object is IR; that of what was to be an object has its own name.
        Goal::Emit(_) if options.lto && options.ir_file == Some("o") => 1,
        _ => 0,
    };
    for (goal, extension) in stages.into_iter().take(ends) {
        let path = beside(&folder.clone().unwrap_or_default(), &input.path, extension);
        // What there is to say has been said.
        let again = Options { goal, output: Some(path), quiet: true, temporaries: None, ..options.clone() };
        // IR of a part of a program, as with `-c -emit-llvm`: what is missing in it is elsewhere.
        let ir_file = if compile::is_alone(options) { None } else { Some("ll") };
        let again =
            Options { link_inputs: Vec::new(), ir_file, time_report: None, time_trace: None, ..again };
        let session = Session::new(again);
        session.guard(&input.path, || compile::compile(&session, input))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_make_would_read_otherwise_is_quoted() {
        assert_eq!(Dependencies::quoted("a b/$c#.o"), "a\\ b/$$c\\#.o");
    }
}
