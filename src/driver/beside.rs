//! What is made beside the output: the rule of `make` (`-MD`), and what stages made on the way (`-save-temps`).

use super::deliver::default_output;
use super::options::{Dependencies, Emit, Goal, Input, Options, Rule, Temporaries};
use super::session::{Failure, Session};
use super::{compile, output};
use std::path::{Path, PathBuf};

/// Writes the rule of an input's output, if one is wanted. A SysY program includes nothing: it depends on its
/// source alone.
pub fn write_rule(options: &Options, input: &Input) -> Result<(), Failure> {
    let Dependencies { wanted: Some(rule), file, targets } = &options.dependencies else { return Ok(()) };
    let name = |path: &Path| Dependencies::quoted(&path.display().to_string());
    let made = match (rule, &options.output) {
        (Rule::Beside, Some(path)) => path.clone(),
        _ => in_folder(Path::new(""), &input.path, if options.goal == Goal::Assembly { "s" } else { "o" }),
    };
    let targets = if targets.is_empty() { name(&made) } else { targets.join(" ") };
    let text = format!("{targets}: {}\n", name(&input.path));
    let path = match (rule, file) {
        (_, Some(file)) => file.clone(),
        (Rule::Alone, None) => options.output.clone().unwrap_or_else(|| PathBuf::from("-")),
        (Rule::Beside, None) => made.with_extension("d"),
    };
    output::write(&path, text.as_bytes(), false)
        .map_err(|error| Failure::System(format!("cannot write '{}': {error}", path.display())))
}

/// A file that is named like the source.
fn in_folder(folder: &Path, source: &Path, extension: &str) -> PathBuf {
    folder.join(source.file_stem().unwrap_or("a".as_ref())).with_extension(extension)
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
        _ => 0,
    };
    for (goal, extension) in stages.into_iter().take(ends) {
        let path = in_folder(&folder.clone().unwrap_or_default(), &input.path, extension);
        // What there is to say has been said.
        let again = Options { goal, output: Some(path), quiet: true, temporaries: None, ..options.clone() };
        let session = Session::new(Options { link_inputs: Vec::new(), ..again });
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
