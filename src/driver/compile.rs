//! The whole way from an input to an output, top to bottom: read, begin, take the plan of the level, say what
//! there is to say, and put out what was asked for.

use super::deliver::{default_output, put, put_object};
use super::dumps::{Dumps, GRAPHS};
use super::options::{self, Emit, Goal, Input, Language, Linked, Options};
use super::page::{self, Changes};
use super::session::{Failure, Session};
use super::{execute, link, output, whole};
use crate::analysis::names::Names;
use crate::backend::{code as backend, rows};
use crate::base::parts::Part;
use crate::base::{BitSet, Opt, trace};
use crate::ir::parse::{ANY, Platform};
use crate::ir::profile::Record;
use crate::ir::{self, Env, FuncId, Linkage, Module, Remark, Sort, section};
use crate::isa::symbols::{self, Symbols};
use crate::lower::{self, Checks, counted};
use crate::mir::pass::State;
use crate::opt::run::manager::{Unit, bodies};
use crate::sema::runtime::SYSY;
use crate::source::file::{read_stream, why};
use crate::source::{Diagnostic, Diagnostics, Severity, SourceFile, Sources, Span};
use crate::sysy::artefacts::{self, Artefacts, Compiled, More};
use crate::sysy::debug::Told;
use crate::sysy::start::{Begun, Profiling, Texts, Wanted};
use crate::sysy::text;
use crate::sysy::through::{self, Asked, Done};
use std::io::stdin;
use std::path::Path;

/// Takes one input as far as was asked for. Returns the exit code.
pub fn compile(s: &Session, input: &Input) -> Result<u8, Failure> {
    let (language, input) = (input.language, input.path.as_path());
    let mut diags = Diagnostics::default();
    let mut file = s.phase("read", || read(s, input, &mut diags));
    trace::table("source", || file.text.capacity());
    if diags.has_errors() {
        return s.report(&file, diags).map(|()| 0);
    }
    if s.options.goal == Goal::Source {
        let path = s.options.output.as_deref().unwrap_or(Path::new("-"));
        return put(s, path, &[Part::Bytes(&file.text)], false);
    }
    if language == Language::Mir {
        return compile_rows(s, input, &file);
    }

    // From the text to functions, and these through the plan.
    let options = &s.options;
    let mut dumps = Dumps::default();
    let (Begun { start, text, mut env, mut units, mut diags }, done) =
        through(s, &file, language, &mut dumps);
    drop(text);

    // What there is to say, in the order of the text.
    more(&mut units).for_each(|more| diags.append(std::mem::take(&mut more.diags)));
    // Behind an error there may be no functions.
    if options.passes.remarks && !diags.has_errors() {
        let (sources, diags) = (Sources::new([&file]), std::slice::from_mut(&mut diags));
        units.iter_mut().for_each(|unit| tell(options, &env, &sources, unit, diags));
    }
    if let Some(start) = &start {
        start.finish(&mut diags);
    }
    tell_out_of_date(s, &env, &mut units);
    let told = s.report(&file, diags);
    // A bug of ours is one beside errors of the program, too.
    if !matches!(done, Err(Failure::Internal(_))) {
        told?;
    }
    let (report, mut symbols) = done?;
    s.note_functions(&env);
    output::to_stderr(&report.dump);
    if let Some(failure) = more(&mut units).find_map(|more| more.failure.take()) {
        return Err(failure);
    }

    if let Some(start) = &start {
        start.note_frames(&mut env);
    }
    let mut faults =
        if checks(options) == Checks::NONE { Vec::new() } else { faults(&mut env, &file.path, &units) };
    if let Profiling::Count(path) = s.profiling() {
        let records: Vec<Record> = more(&mut units).filter_map(|more| more.record.take()).collect();
        faults.extend(counted::finish(&mut env, &records, path, options.target.rules.machine.pointer_bytes));
    }
    symbols::extend(&mut symbols, &env, options.target);

    if options.passes.changes {
        s.phase("page", || tell_changes(s, &file, &env, &mut units))?;
    }

    let facts = told_file(options, &file.path).map(|told| artefacts::facts(start.as_ref(), &mut units, told));

    // What was asked for.
    dumps.fill(units.iter().map(|unit| unit.code.more.as_ref().map_or("", |more| &more.tree)));
    if s.ends_at(Emit::Tree) {
        return dumps.put(s, input);
    }
    if dumps_bodies(s) || options.goal == Goal::Run {
        let mut module = Module::new(env, bodies(&mut units).chain(faults.iter().cloned()));
        if options.goal == Goal::Run {
            let sema = start.as_ref().map(|start| &start.outline.sema);
            return s.phase("run", || execute::run(s, &Sources::new([&file]), &module, &[sema]));
        }
        let hidden = if start.is_some() { uncalled(&module) } else { Vec::new() };
        hidden.iter().for_each(|&func| module.env.funcs[func].linkage = Linkage::Internal);
        if s.emits(Emit::Ir) {
            let told = facts.as_ref().filter(|_| start.is_some()).map(|facts| facts.attach(&module, &file));
            dumps.of(Emit::Ir).push_str(&ir::print::with_metadata(&module, told.as_ref()));
        }
        hidden.iter().for_each(|&func| module.env.funcs[func].linkage = Linkage::Declared);
        for (stage, draw) in GRAPHS.iter().filter(|row| s.emits(row.0)) {
            dumps.of(*stage).push_str(&draw(&module, &|func| options.passes.shows(func)));
        }
        env = module.env;
    }
    if options.goal == Goal::Check {
        return Ok(0);
    }
    drop(start);
    if facts.is_none() {
        // Nothing looks at it any more: of a million lines that is 34 MB.
        file = SourceFile::new(file.path, Vec::new());
    }
    for body in faults {
        units.push(artefacts::compile_apart(&env, body, &symbols, &code(s))?);
    }
    divide(options, &mut env, &symbols);
    let compiled = Compiled { env, symbols, options: code(s), units };
    let told = facts.as_ref().map(|facts| (&file, facts));
    let (program, dump) = s.phase("join", || artefacts::join(compiled, told, &s.workers))?;
    if s.emits(Emit::Mir) {
        dumps.of(Emit::Mir).push_str(&mir_head(s));
        dumps.of(Emit::Mir).push_str(&dump);
    } else {
        output::to_stderr(&dump);
    }
    match (&options.goal, program.object) {
        (Goal::Emit(_), _) => {
            dumps.of(Emit::Asm).push_str(&program.text);
            dumps.put(s, input)
        }
        (Goal::Object | Goal::Link, Some(object)) => put_object(s, input, object),
        _ => put(s, &default_output(options, input, "s"), &[Part::Own(program.text.into_bytes())], false),
    }
}

/// Gives functions and data sections of their own, if that is asked for (`-ffunction-sections`, `-fdata-sections`).
fn divide(options: &Options, env: &mut Env, symbols: &Symbols) {
    let Env { names, funcs, globals, .. } = env;
    let mut named = |begin: &str, name: &str| Opt::some(names.intern(&format!("{begin}.{name}")));
    if options.function_sections {
        let defined = funcs.as_mut_slice().iter_mut().zip(symbols.funcs.as_slice());
        for (row, name) in defined.filter(|(row, name)| row.section.is_none() && section::is_plain(name)) {
            if row.linkage != Linkage::Declared {
                row.section = named(".text", name);
            }
        }
    }
    if options.data_sections {
        let defined = globals.as_mut_slice().iter_mut().zip(symbols.globals.as_slice());
        for (row, name) in defined.filter(|(row, name)| row.section.is_none() && section::is_plain(name)) {
            // Zeros stay together: a section of a name of its own is one with contents.
            let is_own = row.linkage != Linkage::Declared && !row.thread && !row.common;
            if is_own && !row.image.is_zero() {
                row.section = named(if row.constant { ".rodata" } else { ".data" }, name);
            }
        }
    }
}

/// Takes machine IR in text through the passes that are left.
fn compile_rows(s: &Session, input: &Path, file: &SourceFile) -> Result<u8, Failure> {
    let is_made = match &s.options.goal {
        Goal::Assembly => true,
        Goal::Emit(stages) => stages.iter().all(|stage| matches!(stage, Emit::Mir | Emit::Asm)),
        _ => false,
    };
    if !is_made {
        let message = "machine IR has no data: -S makes assembly of its functions, --emit=mir shows them";
        return Err(Failure::System(format!("'{}': {message}", file.path)));
    }
    let options = backend::Options { debug: false, code: false, unwind: false, ..code(s) };
    let text = String::from_utf8_lossy(&file.text);
    let made = s.phase("mir", || rows::compile(&text, &options)).map_err(|error| {
        let mut diags = Diagnostics::default();
        let line = text.split_inclusive('\n').take(error.line.saturating_sub(1));
        let at = line.map(str::len).sum::<usize>().min(file.text.len());
        diags.push(Diagnostic::error("mir", Span::new(at, at), error.what));
        s.report(file, diags).err().unwrap_or(Failure::Program)
    })?;
    if s.options.goal == Goal::Assembly {
        output::to_stderr(&made.dump);
        return put(s, &default_output(&s.options, input, "s"), &[Part::Own(made.text.into_bytes())], false);
    }
    let mut dumps = Dumps::default();
    dumps.of(Emit::Mir).push_str(&(mir_head(s) + &made.dump));
    dumps.of(Emit::Asm).push_str(&made.text);
    dumps.put(s, input)
}

/// The first line of machine IR that is to be read again: behind a machine pass that is the last.
fn mir_head(s: &Session) -> String {
    let pass = stops_in_rows(s).unwrap_or_default();
    if pass.is_empty() { String::new() } else { format!("mir {} after {pass}\n", s.options.target.name) }
}

/// The machine pass behind which all rows are wanted.
fn stops_in_rows(s: &Session) -> Option<&str> {
    let pass = s.options.passes.stop_after.as_deref().filter(|_| s.emits(Emit::Mir))?;
    backend::passes().find(|row| row.name == pass && row.to != State::Ir).map(|row| row.name)
}

/// What programs check: the interpreter finds the end of the stack itself, and with `--check` all else but what floats become.
pub fn checks(options: &Options) -> Checks {
    let own = options.checks;
    let checks = match options.goal {
        Goal::Run if options.checked => own.without(Checks::STACK).with(Checks::CONVERSION),
        Goal::Run => own.without(Checks::STACK),
        _ => own,
    };
    let is_link = matches!(options.goal, Goal::Run | Goal::Link) && options.inputs.len() > 1;
    let are_sources = || options.inputs.iter().all(|input| input.language == Language::Sysy);
    let is_shared = checks.has(Checks::OF_ARRAYS) && is_link && are_sources() && whole::is_alone(options);
    if is_shared { checks.with(Checks::SHARED) } else { checks }
}

/// What checks call, where there is some that does.
pub fn faults(env: &mut Env, path: &str, units: &[Unit<Artefacts>]) -> Vec<ir::Body> {
    let used: Vec<&Unit<Artefacts>> =
        units.iter().filter(|unit| env.funcs[unit.f.func].linkage != Linkage::Declared).collect();
    lower::faults(env, path, |func, name| {
        used.iter().any(|unit| match &unit.f.body {
            Some(body) => Names::of(body).funcs.contains(&func),
            None => unit.code.names(func, name),
        })
    })
}

/// From a text to functions, and these through the plan.
fn through<'a>(s: &'a Session, file: &'a SourceFile, language: Language, dumps: &mut Dumps) -> Done<'a> {
    let asked = asked(s);
    if language == Language::Ir {
        let mut begun = text::begin(file, &platform(s), names_values(s), tells_variables(s));
        let done = through::take(&asked, &mut begun);
        return (begun, done);
    }
    let mut texts = Texts::default();
    let done = through::source(file, &asked, &mut texts);
    dumps.take(texts);
    done
}

/// True if debuggers are told of variables.
pub fn tells_variables(s: &Session) -> bool {
    s.options.debug && !s.options.only_lines
}

/// What debuggers are told the source is called, and where it is, if they are told anything.
pub fn told_file(options: &Options, path: &str) -> Option<Told> {
    let here = || std::env::current_dir().unwrap_or_default().display().to_string();
    let folder = || options.debug_folder.clone().unwrap_or_else(here);
    options.debug.then(|| Told {
        file: options.told_path(path),
        folder: options.told_path(&folder()),
        only_lines: options.only_lines,
    })
}

/// An outline declares all of the library: what of it nothing calls, a reader of IR need not see.
fn uncalled(module: &Module) -> Vec<FuncId> {
    let mut called = BitSet::new(module.env.funcs.len());
    for func in module.defined().flat_map(|body| Names::of(body).funcs) {
        called.insert(func);
    }
    let declared = module.env.funcs.iter().filter(|(_, row)| row.linkage == Linkage::Declared);
    declared.map(|(func, _)| func).filter(|&func| !called.contains(func)).collect()
}

/// Says what passes have to say of a function, by source, if it was asked for.
pub fn tell(
    options: &Options,
    env: &Env,
    sources: &Sources,
    unit: &mut Unit<Artefacts>,
    diags: &mut [Diagnostics],
) {
    let func = env.names.text(env.funcs[unit.f.func].name);
    for remark in unit.f.remarks.iter().flat_map(|remarks| &remarks.rows) {
        let Remark { sort, pass, offset, ref text } = *remark;
        let (option, is_wanted) = match sort {
            Sort::Done => ("-Rpass", options.listening.done.fits(pass)),
            Sort::Missed => ("-Rpass-missed", options.listening.missed.fits(pass)),
            Sort::Analysis => ("-Rpass-analysis", options.listening.analysis.fits(pass)),
        };
        let (number, offset) = sources.at(offset);
        let (Some(file), Some(diags)) = (sources.files().get(number), diags.get_mut(number)) else {
            continue;
        };
        if is_wanted && (offset as usize) < file.text.len() {
            let span = Span::new(offset as usize, offset as usize + 1);
            let remark = Diagnostic::remark(pass, span, text.clone());
            diags.push(remark.note(format!("in '{func}' [{option}={pass}]")));
        }
    }
}

/// Says which functions have changed since they were counted.
pub fn tell_out_of_date(s: &Session, env: &Env, units: &mut [Unit<Artefacts>]) {
    if s.options.quiet || s.options.profile_use.is_empty() {
        return;
    }
    let checks = checks(&s.options);
    let (mut names, mut other) = (Vec::new(), None);
    for unit in units {
        match unit.code.more.as_ref().and_then(|more| more.counted_with) {
            Some(made) if made == checks => {
                names.push(format!("'{}'", counted::plain(env.names.text(env.funcs[unit.f.func].name))));
            }
            Some(made) => other = Some(made),
            None => {}
        }
    }
    if !names.is_empty() {
        let text = format!("the profile is out of date: {} changed since it was made", names.join(", "));
        s.tell(Severity::Warning, &text);
    }
    if let Some(made) = other {
        let text = match (options::sanitize_words(made), options::sanitize_words(checks)) {
            (None, Some(here)) => format!("it was made without '{here}'"),
            (Some(there), None) => format!("it was made with '{there}'"),
            (Some(there), Some(here)) if there != here => {
                format!("it was made with '{there}', not '{here}'")
            }
            // What differs is what a source knows of arrays that others pass to it.
            _ if made.has(Checks::SHARED) => {
                "it was made of sources that were compiled together, and these are not".to_string()
            }
            _ => "it was made of sources that were compiled apart, and these are not".to_string(),
        };
        s.tell(Severity::Warning, &format!("the profile does not fit: {text}; checks add branches"));
    }
}

/// Says what passes have changed, in text or as a page.
pub fn tell_changes(
    s: &Session,
    file: &SourceFile,
    env: &Env,
    units: &mut [Unit<Artefacts>],
) -> Result<(), Failure> {
    let changes = units.iter_mut().filter_map(|unit| {
        let row = &env.funcs[unit.f.func];
        let name = env.names.text(row.name).to_string();
        let history = unit.f.history.take()?;
        let remarks = unit.f.remarks.take().unwrap_or_default().rows;
        Some(Changes { name, gone: row.linkage == Linkage::Declared, history, remarks })
    });
    let changes: Vec<Changes> = changes.collect();
    let known = |name: &String| changes.iter().any(|row| row.name == *name);
    if let Some(name) = s.options.passes.only.iter().find(|name| !known(name)) {
        return Err(Failure::System(format!("there is no function '{name}' (-fprint-only)")));
    }
    if s.options.print_changed {
        output::to_stderr(&page::text(&changes));
    }
    let Some(path) = &s.options.page else { return Ok(()) };
    let text = page::page(file, &s.options, &changes, &s.workers);
    put(s, path, &[Part::Own(text)], false).map(|_| ())
}

/// What few functions have.
pub fn more(units: &mut [Unit<Artefacts>]) -> impl Iterator<Item = &mut More> {
    units.iter_mut().filter_map(|unit| unit.code.more.as_deref_mut())
}

/// Reads an input; `-` is the standard input.
pub fn read(s: &Session, input: &Path, diags: &mut Diagnostics) -> SourceFile {
    if input != Path::new("-") {
        return SourceFile::load(input, &s.workers, diags);
    }
    let bytes = read_stream(stdin().lock(), 0).unwrap_or_else(|error| {
        let message = format!("cannot read the standard input: {}", why(&error));
        diags.push(Diagnostic::error("cannot-read", None, message));
        Vec::new()
    });
    SourceFile::from_bytes("<stdin>", bytes, diags)
}

/// True if the source is all of a program, but for the runtime library.
pub fn is_alone(options: &Options) -> bool {
    match options.goal {
        Goal::Link => {
            let others = options.link_inputs.is_empty() && options.libraries.is_empty();
            options.inputs.len() == 1 && others && options.linked != Linked::Library
        }
        Goal::Assembly | Goal::Object => false,
        // The same text as with -S.
        Goal::Emit(ref stages) if stages.contains(&Emit::Asm) => false,
        Goal::Run | Goal::Check | Goal::Format | Goal::Emit(_) | Goal::Source => {
            options.inputs.len() == 1 && options.ir_file.is_none()
        }
    }
}

/// What is asked of the front end.
fn wanted(s: &Session) -> Wanted<'_> {
    let Options { goal, debug, warnings, passes, standard, .. } = &s.options;
    Wanted {
        library: &SYSY,
        alone: is_alone(&s.options),
        several: matches!(goal, Goal::Link | Goal::Run) && s.options.inputs.len() > 1,
        standard: *standard,
        warnings,
        ir: *goal != Goal::Check && !s.ends_at(Emit::Tree),
        tokens: s.emits(Emit::Tokens),
        only_tokens: s.ends_at(Emit::Tokens),
        tree: s.emits(Emit::Tree),
        debug: *debug,
        variables: *debug && !s.options.only_lines,
        // What debuggers are told of variables is said by their loads and stores.
        in_memory: s.options.level == 0 || *debug || s.options.ir_file.is_some() || names_values(s),
        places: *debug || s.options.verbose_assembly || passes.changes || passes.remarks || !makes_files(s),
        names: names_values(s),
        verify: passes.verify,
        checks: checks(&s.options),
        math: s.options.math,
        profiling: s.profiling(),
    }
}

/// True if what the IR of all functions has become is printed, or drawn.
fn dumps_bodies(s: &Session) -> bool {
    [Emit::Ir, Emit::Cfg, Emit::Domtree, Emit::Callgraph].into_iter().any(|stage| s.emits(stage))
}

/// True if IR is printed.
fn dumps_ir(s: &Session) -> bool {
    let passes = &s.options.passes;
    dumps_bodies(s) || passes.changes || !passes.print_before.is_empty() || !passes.print_after.is_empty()
}

/// True if values are to be called after variables: in dumps, and where a program stops.
pub fn names_values(s: &Session) -> bool {
    dumps_ir(s) || s.options.goal == Goal::Run && s.options.checked
}

/// True if what comes out is a program, or could be a part of one.
fn makes_files(s: &Session) -> bool {
    matches!(s.options.goal, Goal::Assembly | Goal::Object | Goal::Link)
}

/// What IR in text has to be for: the target, if there will be code, now or of the file of IR that it is written to: how values
/// travel is decided where text is read.
pub fn platform(s: &Session) -> Platform {
    let target = s.options.target;
    if code(s).makes_code() || s.options.ir_file.is_some() { target.platform() } else { ANY }
}

/// What to make of IR.
pub fn code(s: &Session) -> backend::Options {
    let options = &s.options;
    let text = options.goal == Goal::Assembly || s.emits(Emit::Asm);
    let rows = stops_in_rows(s).is_some();
    backend::Options {
        watch: backend::watch(&options.passes, s.emits(Emit::Mir) && !rows),
        rows,
        remarks: options.passes.remarks,
        verbose: options.verbose_assembly,
        changes: options.passes.changes && options.goal != Goal::Run,
        text,
        // What debuggers are told names bytes.
        code: matches!(options.goal, Goal::Object | Goal::Link) || text && options.debug,
        debug: options.debug,
        model: options.model,
        ..backend::Options::of(options.target, options.features, through::level(options.level))
    }
}

/// What is asked of the program.
pub fn asked(s: &Session) -> Asked<'_> {
    let Options { level, checked, window, packs_from, .. } = s.options;
    Asked {
        wanted: wanted(s),
        code: code(s),
        place: s.options.place,
        passes: &s.options.passes,
        // IR that is a part of a program goes through the plan with the rest of it.
        plan: if s.options.ir_file == Some("o") {
            through::plan(0, false)
        } else {
            through::plan(level, checked)
        },
        window,
        packs_from,
        keeps_bodies: dumps_bodies(s),
        linked_alone: link::is_alone(&s.options),
        workers: &s.workers,
    }
}
