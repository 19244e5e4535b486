//! Several inputs as one program: the IR of each is made by itself, linked (`ir/link`), and goes through the plan of the level
//! as that of one source does. So programs of several sources are executed, and from -O2 on functions are inlined over files.
//! Below, sources are compiled apart and their objects linked, which waits for nothing.

use super::compile::{self, asked, checks, code, faults, more, names_values, platform, told_file};
use super::options::{Goal, Input, Language, Options};
use super::session::{Failure, Session};
use super::{deliver, execute, output};
use crate::backend::code as backend;
use crate::base::graph::Components;
use crate::base::{Column, Handle, Rows};
use crate::ir::link::{self, Conflict, Contradiction, Linked, Part};
use crate::ir::{Env, FuncId, Linkage, Module, Op};
use crate::isa::symbols;
use crate::lower::{self, Checks};
use crate::opt::Level;
use crate::opt::run::manager::{Unit, bodies};
use crate::sema::{Sym, ty};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Sources, Span};
use crate::sysy::artefacts::{self, Artefacts, Compiled};
use crate::sysy::debug::Facts;
use crate::sysy::start::{Begun, Start, Texts};
use crate::sysy::through::{self, Asked};
use crate::sysy::{runtime, text};
use std::collections::BTreeMap;

/// So many bytes of SysY make an instruction, about: sizes of functions go by that.
const BYTES: u32 = 7;

/// True if the inputs are compiled as one program.
pub fn is_whole(options: &Options) -> bool {
    let optimises = options.lto || through::level(options.level) >= Level::O2;
    // What measures the stack measures it from the `main` of one source on; what counts has records by source.
    let is_apart = options.checks.has(Checks::STACK) || options.profile_generate.is_some();
    let is_linked = options.goal == Goal::Link && optimises && !is_apart;
    let is_ir = |input: &Input| input.language != Language::Mir;
    options.inputs.len() > 1 && (options.goal == Goal::Run || is_linked) && options.inputs.iter().all(is_ir)
}

/// A source, as far as it goes by itself.
struct Piece<'a> {
    start: Option<Start<'a>>,
    module: Module,
    facts: Option<Facts>,
}

/// Takes all inputs as far as was asked for. Returns the exit code.
pub fn compile(s: &Session) -> Result<u8, Failure> {
    let options = &s.options;
    let (mut files, mut were_read) = (Vec::new(), Ok(()));
    for input in &options.inputs {
        let mut diags = Diagnostics::default();
        let file = s.phase("read", || compile::read(s, &input.path, &mut diags));
        were_read = were_read.and(s.report(&file, diags));
        files.push(file);
    }
    were_read?;
    let sources = Sources::new(&files);

    // The errors of all of them are reported.
    let (mut pieces, mut failed) = (Vec::new(), None);
    for (file, input) in files.iter().zip(&options.inputs) {
        match piece(s, file, input.language) {
            Ok(piece) => pieces.push(piece),
            Err(Failure::Program) => failed = Some(Failure::Program),
            Err(other) => return Err(other),
        }
    }
    if let Some(failure) = failed {
        return Err(failure);
    }
    let first = |number: usize| sources.first(number);
    let parts = pieces.iter_mut().enumerate();
    let parts = parts.map(|(k, piece)| Part {
        module: std::mem::take(&mut piece.module),
        first: first(k),
        is_told: piece.start.is_some(),
    });
    let parts: Vec<Part> = parts.collect();
    let kept = if checks(options) == Checks::NONE { &[][..] } else { &lower::CALLED_BY_CHECKS };
    let Linked { module: Module { mut env, bodies: linked }, conflicts } =
        s.phase("link IR", || link::link(parts, kept));
    tell(s, &sources, &pieces, (&env, &conflicts))?;
    if is_alone(options) {
        link::internalise(&mut env, "main");
    }

    // From here on as of one source.
    let mut units: Vec<Unit<Artefacts>> = linked.into_vec().into_iter().flatten().map(Unit::of).collect();
    units.iter_mut().for_each(|unit| unit.f.size = unit.f.size.saturating_mul(BYTES));
    let mut begun = Begun { env, units, ..Begun::default() };
    order(&mut begun);
    let asked =
        Asked { linked_alone: is_alone(options), keeps_bodies: options.goal == Goal::Run, ..asked(s) };
    let (report, mut symbols) = through::take(&asked, &mut begun)?;
    let Begun { mut env, mut units, .. } = begun;
    s.note_functions(&env);
    output::to_stderr(&report.dump);
    if options.passes.remarks {
        let mut diags: Vec<Diagnostics> = files.iter().map(|_| Diagnostics::default()).collect();
        units.iter_mut().for_each(|unit| compile::tell(options, &env, &sources, unit, &mut diags));
        files.iter().zip(diags).try_for_each(|(file, diags)| s.report(file, diags))?;
    }
    if let Some(failure) = more(&mut units).find_map(|more| more.failure.take()) {
        return Err(failure);
    }
    let path = &options.inputs[0].path;
    let faults = match checks(options) == Checks::NONE {
        true => Vec::new(),
        false => faults(&mut env, &path.display().to_string(), &units),
    };
    symbols::extend(&mut symbols, &env, options.target);
    if options.passes.changes {
        let joined = page_source(&sources);
        s.phase("page", || compile::tell_changes(s, &joined, &env, &mut units))?;
    }
    if options.goal == Goal::Run {
        let module = Module::new(env, bodies(&mut units).chain(faults));
        let semas: Vec<_> =
            pieces.iter().map(|piece| piece.start.as_ref().map(|start| &start.outline.sema)).collect();
        return s.phase("run", || execute::run(s, &sources, &module, &semas));
    }
    let told = options.debug.then(|| {
        let (file, lines) = sources.joined();
        let facts = pieces.into_iter().zip(lines).enumerate();
        let facts = facts.filter_map(|(k, (piece, line))| Some((piece.facts?, first(k), line)));
        (file, Facts::joined(facts))
    });
    for body in faults {
        units.push(artefacts::compile_apart(&env, body, &symbols, &code(s))?);
    }
    let told = told.as_ref().map(|(file, facts)| (file, facts));
    let compiled = Compiled { env, symbols, options: code(s), units };
    let (program, dump) = s.phase("join", || artefacts::join(compiled, told, &s.workers))?;
    output::to_stderr(&dump);
    let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    if let Some(object) = program.object {
        deliver::keep_object(s, names.join(", "), object);
    }
    deliver::link(s, &deliver::program(options))
}

/// All sources as the one that a page shows: its name says on which line each begins.
fn page_source(sources: &Sources) -> SourceFile {
    let (mut joined, lines) = sources.joined();
    let begins = sources.files().iter().zip(lines).map(|(file, line)| match line {
        1 => file.path.clone(),
        _ => format!("{} from line {line} on", file.path),
    });
    joined.path = begins.collect::<Vec<String>>().join(", ");
    joined
}

/// True if nothing but the runtime library is linked with the inputs.
pub fn is_alone(options: &Options) -> bool {
    let others = options.link_inputs.is_empty() && options.libraries.is_empty() && options.use_ld.is_none();
    options.goal == Goal::Run || others
}

/// Makes the IR of a source.
fn piece<'a>(s: &'a Session, file: &'a SourceFile, language: Language) -> Result<Piece<'a>, Failure> {
    let asked = asked(s);
    let code = backend::Options { text: false, code: false, rows: false, ..asked.code };
    let asked =
        Asked { code, plan: through::plan(0, false), keeps_bodies: true, linked_alone: false, ..asked };
    let (begun, done) = if language == Language::Ir {
        let mut begun = text::begin(file, &platform(s), names_values(s), false);
        let done = through::take(&asked, &mut begun);
        (begun, done)
    } else {
        through::source(file, &asked, &mut Texts::default())
    };
    let Begun { start, env, mut units, mut diags, text } = begun;
    drop(text);
    more(&mut units).for_each(|more| diags.append(std::mem::take(&mut more.diags)));
    if let Some(start) = &start {
        start.finish(&mut diags);
    }
    compile::tell_out_of_date(s, &env, &mut units);
    let told = s.report(file, diags);
    // A bug of ours is one beside errors of the program, too.
    if !matches!(done, Err(Failure::Internal(_))) {
        told?;
    }
    done?;
    if let Some(failure) = more(&mut units).find_map(|more| more.failure.take()) {
        return Err(failure);
    }
    let told = told_file(&s.options, &file.path);
    let facts = told.map(|told| artefacts::facts(start.as_ref(), &mut units, told));
    let module = Module::new(env, bodies(&mut units));
    Ok(Piece { start, module, facts })
}

/// Puts functions in an order in which callees come first, as those of one source do. O(instructions).
fn order(begun: &mut Begun) {
    let mut calls: Vec<(FuncId, FuncId)> = Vec::new();
    for body in begun.units.iter().filter_map(|unit| unit.f.body.as_deref()) {
        let callees = body.ops().filter(|row| row.1 == Op::Call).map(|(i, _)| body.callee(i));
        calls.extend(callees.map(|callee| (body.func, callee)));
    }
    let count = begun.env.funcs.len();
    let mut callees: Rows<FuncId, FuncId> = Rows::default();
    callees.fill(count, &calls);
    let mut place: Column<FuncId, (u32, u32)> = Column::filled(count, (0, 0));
    for (component, members) in (0..).zip(Components::of(count, &callees).iter()) {
        members.iter().for_each(|&func| place[func] = (component, func.index() as u32));
    }
    begun.units.iter_mut().for_each(|unit| unit.f.rank = place[unit.f.func].0);
    begun.units.sort_by_key(|unit| place[unit.f.func]);
}

/// Says what contradicts, and what nothing defines.
fn tell(
    s: &Session,
    sources: &Sources,
    pieces: &[Piece],
    (env, conflicts): (&Env, &[Conflict]),
) -> Result<(), Failure> {
    let mut diags: Vec<Diagnostics> = pieces.iter().map(|_| Diagnostics::default()).collect();
    for Conflict { name, kind, parts: [before, part] } in conflicts {
        let other = place(sources, pieces, *before, name);
        let shown = match other {
            Some(span) => sources.shown(sources.first(*before).saturating_add(span.start)),
            None => sources.files()[*before].path.clone(),
        };
        let (code, message) = match kind {
            Contradiction::Twice => ("redeclared", format!("'{name}' is defined here and in {shown}")),
            Contradiction::Kinds => (
                "conflicting-types",
                format!("'{name}' is a function in one source and data in another: see {shown}"),
            ),
            Contradiction::Types => {
                ("conflicting-types", format!("'{name}' has another type here than in {shown}"))
            }
        };
        diags[*part].push(Diagnostic::error(code, place(sources, pieces, *part, name), message));
    }
    for Dimensions { name, parts: [before, part], number, types: [there, here] } in dimensions(pieces) {
        if conflicts.iter().any(|row| row.name == name) {
            continue;
        }
        let other = place(sources, pieces, before, &name);
        let shown = other.map_or_else(
            || sources.files()[before].path.clone(),
            |span| sources.shown(sources.first(before).saturating_add(span.start)),
        );
        let message = format!("'{name}' has another type here than in {shown}");
        let error = Diagnostic::error("conflicting-types", place(sources, pieces, part, &name), message);
        diags[part].push(error.note(format!("parameter {number} is '{here}' here, and '{there}' there")));
    }
    if is_alone(&s.options) && conflicts.is_empty() {
        let is_defined = |name: &str| {
            let declared = env.names.find(name).is_some_and(|name| {
                let mut funcs = env.funcs.iter().filter(|row| row.1.name == name).map(|row| row.1.linkage);
                let mut globals =
                    env.globals.iter().filter(|row| row.1.name == name).map(|row| row.1.linkage);
                funcs.any(|linkage| linkage == Linkage::Declared)
                    || globals.any(|linkage| linkage == Linkage::Declared)
            });
            !declared || runtime::defines(s.options.target, name)
        };
        for ((piece, file), diags) in pieces.iter().zip(sources.files()).zip(&mut diags) {
            if let Some(start) = &piece.start {
                start.outline.undefined(file, is_defined, diags);
            }
        }
    }
    let mut failed = Ok(());
    for (file, diags) in sources.files().iter().zip(diags) {
        failed = failed.and(s.report(file, diags));
    }
    failed?;
    let has_main = env.names.find("main").is_some_and(|main| {
        env.funcs.iter().any(|(_, row)| row.name == main && row.linkage != Linkage::Declared)
    });
    if !has_main && is_alone(&s.options) {
        let names: Vec<&str> = sources.files().iter().map(|file| file.path.as_str()).collect();
        return Err(Failure::System(format!("no function 'main' in {}", names.join(", "))));
    }
    Ok(())
}

/// What two sources say of an array that a function takes.
struct Dimensions {
    name: String,
    /// A definition comes first, as does an earlier source.
    parts: [usize; 2],
    number: usize,
    types: [String; 2],
}

/// What sources say of the inner dimensions of arrays that functions take: to IR all are addresses. O(functions log functions).
fn dimensions(pieces: &[Piece]) -> Vec<Dimensions> {
    let (mut known, mut found) = (BTreeMap::<&str, (usize, Vec<Option<String>>)>::new(), Vec::new());
    for defined in [true, false] {
        for (part, piece) in pieces.iter().enumerate() {
            let Some(start) = &piece.start else { continue };
            let sema = &start.outline.sema;
            let (checked, functions) = (sema.checked(), sema.functions.iter().map(|row| row.sym));
            let declared = sema.declared.iter().copied().filter(|&sym| sema.symbols[sym].is_function());
            let syms: Vec<Sym> = if defined { functions.collect() } else { declared.collect() };
            for sym in syms {
                let of = |k| {
                    let ty = checked.param_ty(sym, k);
                    ty.is_array().then(|| ty::type_name(ty, |dim| checked.dim(dim)))
                };
                let params: Vec<Option<String>> = (0..checked.params(sym)).map(of).collect();
                let name = sema.names.text(sema.symbols[sym].name);
                let (before, first) = known.entry(name).or_insert_with(|| (part, params.clone()));
                let mut pairs = first.iter().zip(&params).enumerate();
                let differs = pairs.find_map(|(k, pair)| match pair {
                    (Some(there), Some(here)) if there != here => Some((k, there, here)),
                    _ => None,
                });
                if let Some((k, there, here)) = differs.filter(|_| *before != part) {
                    let (name, types) = (name.to_string(), [there.clone(), here.clone()]);
                    found.push(Dimensions { name, parts: [*before, part], number: k + 1, types });
                }
            }
        }
    }
    found
}

/// Where a source declares a name outside of functions: its definition, if there is one.
fn place(sources: &Sources, pieces: &[Piece], number: usize, name: &str) -> Option<Span> {
    let (file, piece) = (sources.files().get(number)?, pieces.get(number)?);
    if let Some(start) = &piece.start {
        let sema = &start.outline.sema;
        let functions = sema.functions.iter().map(|row| row.sym);
        let all = functions.chain(sema.globals.iter().copied()).chain(sema.declared.iter().copied());
        let mut rows = all.map(|sym| &sema.symbols[sym]);
        return rows.find(|row| sema.names.text(row.name) == name)?.span(&file.text);
    }
    // Of LLVM text, the line that begins the definition or declaration.
    let text = std::str::from_utf8(&file.text).ok()?;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begins = ["define", "declare", "@"].iter().any(|word| line.starts_with(word));
        let named = format!("@{name}");
        let found = line.match_indices(named.as_str()).find(|(k, _)| {
            !line[k + named.len()..]
                .starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$'))
        });
        if let Some((k, _)) = found.filter(|_| begins) {
            return Some(Span::new(at + k, at + k + named.len()));
        }
        at += line.len();
    }
    None
}
