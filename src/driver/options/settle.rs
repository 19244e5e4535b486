//! What words of the command line mean together, once all have been read: what follows from several of them, and what no single one
//! can be blamed for.

use super::super::deliver::default_output;
use super::super::profile::Wanted;
use super::super::whole;
use super::table::{DEFAULT_LEVEL, Draft, UNSAFE};
use super::{Emit, Goal, Language, Linked, Options, foreign, help, values};
use crate::backend::code;
use crate::ir::{Position, RelocationModel};
use crate::isa::{Target, features};
use crate::lower::Checks;
use crate::mir::model::Model;
use crate::opt;
use crate::opt::run::manager::function_passes;
use crate::sema::warning::WarningSet;
use crate::syntax::Standard;
use crate::sysy::through;
use std::path::PathBuf;

/// The model of a core, and what that has; `+crc` and the like behind its name are extensions, as behind `-march=`.
fn core(target: &'static Target, name: &str, word: &str) -> Result<(&'static Model, String), String> {
    let (name, more) = name.split_at(name.find('+').unwrap_or(name.len()));
    let names = || target.models.iter().flat_map(|model| model.names.iter().map(move |row| (*model, *row)));
    let found = names().find(|(_, (known, _))| *known == name);
    found.map(|(model, (_, machine))| (model, format!("{machine}{more}"))).ok_or_else(|| {
        let known: Vec<&str> = names().map(|(_, (name, _))| name).collect();
        format!("'{word}': {} has no core '{name}'; there are {}", target.name, known.join(", "))
    })
}

/// Decides what depends on several options.
pub(super) fn settle(draft: &mut Draft) -> Result<(), String> {
    let options = &mut draft.options;
    options.level = match draft.level {
        Some(level) => level,
        // Debuggers should see the program as it was written, unless -O asks for more. Of lines alone there is no more to
        // see at -O0.
        None if options.debug && !options.only_lines => 0,
        // Every statement has its own instructions.
        None if !options.profiles.is_empty() => 0,
        None => DEFAULT_LEVEL,
    };
    let plan = opt::run::pipeline::plan(through::level(options.level));
    for (switch, word) in &draft.switched_on {
        if !function_passes(plan).any(|pass| switch.passes.contains(&pass.name)) {
            options.remarks.push(format!(
                "'{word}' has no effect at -O{}: -O2 does that",
                through::level(options.level).name()
            ));
        }
    }
    for (name, word) in [&mut draft.cpu, &mut draft.tune]
        .into_iter()
        .filter_map(|core| core.take_if(|core| core.0 == "native"))
    {
        options.remarks.push(format!(
            "'{word}' has no effect: '{name}' is the machine here, and code is for {}",
            options.target.name
        ));
    }
    if options.machine.take_if(|name| name == "native").is_some() {
        let target = options.target.name;
        options.remarks.push(format!(
            "'-march=native' has no effect: that is the machine here, and code is for {target}"
        ));
    }
    let cpu = draft.cpu.as_ref().map(|(name, word)| core(options.target, name, word)).transpose()?;
    let tune = draft.tune.as_ref().map(|(name, word)| core(options.target, name, word)).transpose()?;
    options.model = tune.as_ref().or(cpu.as_ref()).map_or(options.target.models[0], |core| core.0);
    options.features = match (&options.machine, cpu) {
        (Some(name), _) => features::parse(options.target, name)?,
        (None, Some((_, machine))) => features::parse(options.target, &machine)?,
        (None, None) => features::default_of(options.target),
    };
    if options.math.has(UNSAFE) {
        options.features = options.features.with(features::NEON_FLOATS);
    }
    if let Some((abi, word)) = &draft.abi
        && !options.target.abis.contains(&abi.as_str())
    {
        let known = options.target.abis.join(", ");
        return Err(format!("'{word}': {} has only {known}", options.target.name));
    }
    let mut goals = draft.goals.iter().filter(|row| row.0 != Goal::Check);
    if let Some((goal, word)) = goals.next() {
        if let Some((_, other)) = goals.find(|row| row.0 != *goal && !matches!(row.0, Goal::Emit(_))) {
            return Err(format!("'{word}' and '{other}' cannot be used together"));
        }
        options.goal = goal.clone();
    }
    for (goal, word) in &draft.goals {
        match (goal, &mut options.goal) {
            (Goal::Emit(more), Goal::Emit(stages)) => stages.extend(more),
            (Goal::Emit(_), _) => {
                return Err(format!("'{word}' and '{}' cannot be used together", draft.goals[0].1));
            }
            _ => {}
        }
    }
    let makes_ir = matches!(options.goal, Goal::Object | Goal::Assembly);
    if draft.emit_llvm && !makes_ir {
        return Err("'-emit-llvm' says what -S or -c are to make: name one of them".to_string());
    }
    let is_lto = options.lto && !draft.fat && options.goal == Goal::Object;
    if draft.emit_llvm || is_lto && options.inputs.iter().all(|input| input.language != Language::Mir) {
        options.goal = Goal::Emit(vec![Emit::Ir]);
        options.ir_file = Some(if draft.emit_llvm { "ll" } else { "o" });
    }
    if let Goal::Emit(stages) = &mut options.goal {
        stages.sort();
        stages.dedup();
    }
    // To check is all that is done, or, while the program is executed, done there.
    if let Some((_, word)) = draft.goals.iter().find(|row| row.0 == Goal::Check) {
        options.checked = matches!(options.goal, Goal::Run | Goal::Format) && word == "--check";
        if !options.checked {
            let others = draft.goals.iter().filter(|row| !matches!(row.0, Goal::Check | Goal::Run));
            options
                .remarks
                .extend(others.map(|(_, other)| format!("'{other}' has no effect: '{word}' makes nothing")));
            options.goal = Goal::Check;
        }
    }
    if let Some(path) = options.output.take_if(|_| matches!(options.goal, Goal::Run | Goal::Check)) {
        options.remarks.push(format!("'-o {}' has no effect: nothing is made", path.display()));
    }
    place(options, draft.is_static);
    if options.use_ld.is_none() {
        foreign::linker_words(options)?;
    }
    if let Some(word) = options.program_words.first() {
        let word = word.to_string_lossy();
        options.remarks.push(format!("'{word}' is not passed to the program: its 'main' takes no arguments"));
    }
    if options.diff && options.fix.is_none() && options.goal != Goal::Format {
        return Err(
            "'--diff' shows what '--fix', '--fix=all' or 'fmt' would change: give one of them".to_string()
        );
    }
    if options.goal == Goal::Run
        && let Some(path) = options.profile_generate.take()
    {
        options.profiles.push(Wanted::Counts(path.into()));
    }
    remark_profiles(options);
    if options.profiles.iter().any(|wanted| matches!(wanted, Wanted::Counts(_))) {
        // Counts are of the program as it is written: those of all levels begin with it.
        options.level = 0;
    }
    // Behind the name of the source, in the current folder, as gcc has it.
    if options.sarif.as_ref().is_some_and(|path| path.as_os_str().is_empty()) {
        let source = options.inputs.first().and_then(|input| input.path.file_name());
        let mut name = source.filter(|name| *name != "-").unwrap_or("stdin".as_ref()).to_os_string();
        name.push(".sarif");
        options.sarif = Some(name.into());
    }
    if options.quiet {
        options.warnings = WarningSet::NONE;
    }
    if options.standard == Standard::Tensors {
        options.warnings.apply("no-tensor");
    }
    options.passes.size = through::level(options.level).size();
    if options.goal == Goal::Run {
        let is_asked = |pass: &&str| draft.switched_on.iter().any(|row| row.0.passes.contains(pass));
        let passes = opt::run::pipeline::FOR_MACHINES.into_iter().filter(|pass| !is_asked(pass));
        options.passes.disable.extend(passes.map(str::to_string));
    } else {
        options.passes.target = (options.target.facts)(options.features);
        options.passes.target.moving_waits = options.model.moving_waits;
        options.passes.target.mispredict = options.model.mispredict;
    }
    Ok(())
}

/// What follows from what is linked, if nothing else is said: code for it, and another linker for what the built-in one does
/// not do.
fn place(options: &mut Options, is_static: bool) {
    let model = match options.linked {
        Linked::Fixed => None,
        Linked::Anywhere { .. } => Some(RelocationModel::Pie),
        Linked::Library => Some(RelocationModel::Pic),
    };
    if options.place.position.is_none() {
        options.place.position = model.map(|model| Position { model, small: false });
    }
    if options.dynamic && (is_static || options.linked == Linked::Anywhere { alone: true }) {
        options.remarks.push("'-rdynamic' has no effect: a static program loads no libraries".to_string());
        options.dynamic = false;
    }
    let word = if options.linked == Linked::Library { "-shared" } else { "-rdynamic" };
    let needs_other = options.linked == Linked::Library || options.dynamic;
    if needs_other && options.goal == Goal::Link && options.use_ld.is_none() {
        options.use_ld = Some("gcc".to_string());
        options.remarks.push(format!("'{word}' is linked by {}, as with -fuse-ld=gcc", options.target.gcc));
    }
}

/// Remarks what options for profiles cannot do: only SysY is counted, and what counts is not what was counted.
fn remark_profiles(options: &mut Options) {
    let counts = options.profiles.iter().any(|wanted| matches!(wanted, Wanted::Counts(_)));
    if counts && options.goal == Goal::Run && options.checks.has(Checks::STACK) {
        let text = "'run' counts without '-fsanitize=stack': it finds the end of the stack by itself, and a build with that has other branches";
        options.remarks.push(text.to_string());
    }
    let (generates, uses) = (options.profile_generate.is_some(), !options.profile_use.is_empty());
    if generates && uses {
        options.remarks.push("'-fprofile-use' has no effect: '-fprofile-generate' is given, too".to_string());
    }
    if (generates || uses)
        && let Some(input) = options.inputs.iter().find(|input| input.language != Language::Sysy)
    {
        let word = if generates { "-fprofile-generate" } else { "-fprofile-use" };
        let path = input.path.display();
        options.remarks.push(format!("'{word}' has no effect on '{path}': only SysY is counted"));
    }
}

/// What no single option can be blamed for.
pub(super) fn check(options: &Options) -> Result<(), String> {
    let is_machine_pass = |name: &str| name == "mir" || code::passes().any(|pass| pass.name == name);
    if let Some(name) = options.passes.unknown_pass(is_machine_pass) {
        let near = help::near(name, values::pass_names());
        return Err(format!("no pass '{name}'{near}; 'sysyc --print=passes' lists them"));
    }
    if !options.profiles.is_empty() && (options.goal != Goal::Run || options.checked) {
        let with = if options.checked { "without --check" } else { "with --run" };
        return Err(format!("'--profile' and '--coverage' count what is executed {with}"));
    }
    if options.inputs.is_empty() && options.link_inputs.is_empty() {
        return Err("no input file".to_string());
    }
    if let Some(path) = options.link_inputs.first()
        && options.goal != Goal::Link
    {
        return Err(format!("'{}' can only be linked, and no program is asked for", path.display()));
    }
    let dependencies = &options.dependencies;
    if dependencies.wanted.is_none() && (dependencies.file.is_some() || !dependencies.targets.is_empty()) {
        let word = if dependencies.file.is_some() { "-MF" } else { "-MT" };
        return Err(format!("'{word}' says how a rule is written, and none is asked for: add -MD, or -M"));
    }
    if let Some((_, file)) = options.emit_files.first().filter(|_| options.inputs.len() > 1) {
        return Err(format!("--emit names '{}', but there are several inputs", file.display()));
    }
    if let Some(page) =
        options.page.as_ref().filter(|_| options.inputs.len() > 1 && !whole::is_whole(options))
    {
        return Err(format!(
            "'-fprint-changed={}' names one page, but there are several inputs, which are one program from -O2 on",
            page.display()
        ));
    }
    if options.inputs.len() > 1 {
        match options.goal {
            Goal::Link | Goal::Run | Goal::Format => {}
            _ if options.output.is_some() => {
                return Err("-o names one output, but there are several inputs".to_string());
            }
            _ => {}
        }
    }
    one_output_each(options)
}

/// Refuses sources whose outputs would be one file.
fn one_output_each(options: &Options) -> Result<(), String> {
    let extension = match options.goal {
        Goal::Object => "o",
        Goal::Assembly => "s",
        Goal::Emit(_) if options.ir_file.is_some() => options.ir_file.unwrap_or("ll"),
        _ => return Ok(()),
    };
    let outputs =
        options.inputs.iter().map(|input| (default_output(options, &input.path, extension), &input.path));
    let mut outputs: Vec<(PathBuf, &PathBuf)> = outputs.collect();
    outputs.sort();
    match outputs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some([(output, one), (_, other)]) => Err(format!(
            "'{}' and '{}' would both become '{}': make them one by one, with -o",
            one.display(),
            other.display(),
            output.display()
        )),
        _ => Ok(()),
    }
}
