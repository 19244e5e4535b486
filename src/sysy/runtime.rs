//! The runtime library, built in: from the names that a program leaves undefined to machine code.
//!
//! The library is SysY (`runtime/*.sy`) with the intrinsics of `sema::runtime`, and a table of machine code a
//! target for what SysY cannot say (`isa/*/stubs.rs`). Of the files, those are compiled that define a wanted
//! name or that such a file needs; of their functions, those that are reached from the wanted names. So a
//! program pays for what it uses: O(text of the files + code of the functions), some hundred lines at most.
//!
//! All of it is one module. What was asked for is global in it; everything else is local and called `sysy.`
//! and something, so that no name of a program can meet it, and a program may bring its own `putch` and take
//! our `putint`.

use super::artefacts::{Artefacts, Compiled, join};
use super::failure::{Bug, Failure};
use super::road;
use super::start::{self, Begun, Profiling, Wanted};
use crate::backend::code::Options;
use crate::backend::join::{Program, binding};
use crate::base::Handle;
use crate::base::crash::Activity;
use crate::base::parallel::Workers;
use crate::ir::{Body, Env, Flags, Func, FuncId, Linkage, Op, RelocationModel, Type};
use crate::isa::encode::encode;
use crate::isa::stub::Stub;
use crate::isa::symbols::Symbols;
use crate::isa::{LIBRARY, Target, text};
use crate::lower::Checks;
use crate::mir::Features;
use crate::mir::pass::Watch;
use crate::object::assemble::flat;
use crate::object::code::Target as Place;
use crate::object::module::Object;
use crate::opt;
use crate::opt::Level;
use crate::opt::run::manager::{How, Unit};
use crate::opt::run::pipeline;
use crate::sema::WarningSet;
use crate::sema::runtime::INTRINSICS;
use crate::source::SourceFile;
use crate::syntax::Standard;

/// A file of the library.
struct Source {
    text: &'static str,
    /// The functions in it that programs and stubs name.
    defines: &'static [&'static str],
    /// The files, by position, whose functions it calls; they stand above it.
    needs: &'static [usize],
}

const OUTPUT: usize = 0;
const INTEGERS: usize = 1;
const FORMAT: usize = 3;
const FLOAT_FORMAT: usize = 4;
const PRINT_FORMAT: usize = 5;
const INPUT: usize = 6;
const TIMER: usize = 8;
const START: usize = 9;

/// All files, in an order in which every name is declared before it is used.
static SOURCES: [Source; 12] = [
    Source { text: include_str!("../../runtime/output.sy"), defines: &["putch"], needs: &[] },
    Source {
        text: include_str!("../../runtime/integer_output.sy"),
        defines: &["putint", "putarray"],
        needs: &[OUTPUT],
    },
    Source {
        text: include_str!("../../runtime/float_output.sy"),
        defines: &["putfloat", "putfarray"],
        needs: &[INTEGERS],
    },
    Source { text: include_str!("../../runtime/format.sy"), defines: &[], needs: &[OUTPUT] },
    Source {
        text: include_str!("../../runtime/float_format.sy"),
        defines: &["putf", "dprintf"],
        needs: &[FORMAT],
    },
    Source {
        text: include_str!("../../runtime/print_format.sy"),
        defines: &["sysy.print_format"],
        needs: &[FORMAT],
    },
    Source {
        text: include_str!("../../runtime/input.sy"),
        defines: &["getint", "getch", "getarray"],
        needs: &[OUTPUT],
    },
    Source {
        text: include_str!("../../runtime/float_input.sy"),
        defines: &["getfloat", "getfarray"],
        needs: &[INPUT],
    },
    Source {
        text: include_str!("../../runtime/timer.sy"),
        defines: &["_sysy_starttime", "_sysy_stoptime"],
        needs: &[INTEGERS],
    },
    Source { text: include_str!("../../runtime/start.sy"), defines: &["sysy.start"], needs: &[OUTPUT] },
    Source {
        text: include_str!("../../runtime/stop.sy"),
        defines: &["fflush", "_Exit", "getrlimit", "sysy.print_to"],
        needs: &[PRINT_FORMAT, START],
    },
    Source {
        text: include_str!("../../runtime/profile.sy"),
        defines: &["fopen", "fwrite", "fclose"],
        needs: &[],
    },
];

/// What stands in place of the timers' report in a program without timers.
const NO_TIMERS: &str = "void report_timers() {}\n";

/// What stands in place of the conversions of floats for `putf.ints`.
const NO_FLOATS: &str = "void put_double(int letter, int low, int top) {}\n";

/// `putf` for programs that print no floats with it: it is a third of the size.
pub const PUTF_INTS: &str = "putf.ints";

/// In front of local names.
const PREFIX: &str = "sysy.";

/// True if the library defines this symbol.
pub fn defines(target: &Target, name: &str) -> bool {
    !name.starts_with(PREFIX)
        && (SOURCES.iter().any(|source| source.defines.contains(&name))
            || target.stubs.stubs.iter().any(|stub| stub.name == name))
}

/// The `putf` that a program may call, if it is the library's.
pub fn putf(env: &Env) -> Option<FuncId> {
    let name = env.names.find("putf")?;
    let declared = |row: &Func| row.name == name && row.linkage == Linkage::Declared && row.variadic;
    env.funcs.iter().find(|(_, row)| declared(row)).map(|(putf, _)| putf)
}

/// True if a function passes a float to it. O(instructions).
pub fn passes_float(f: &Body, putf: FuncId) -> bool {
    let mut calls =
        f.blocks().flat_map(|b| f.insts(b)).filter(|&i| f.op(i) == Op::Call && f.callee(i) == putf);
    calls.any(|i| f.args(i).iter().any(|&v| f.type_of(v).is_float()))
}

/// What is needed for these names, as an object; those that the library does not define are passed over.
/// `_start` is the entry of a program, which brings what a program needs around `main`. `verify` proves passes and
/// allocations, which takes two thirds of the time; `pie` is for a program that is loaded anywhere.
pub fn object<'a>(
    target: &'static Target,
    features: Features,
    names: impl Iterator<Item = &'a str>,
    (verify, pie): (bool, bool),
) -> Result<Object<'static>, Failure> {
    let program = build(target, features, names, (false, verify, pie))?;
    let object = program.object.ok_or_else(|| bug("join", "there is no object".to_string()))?;
    Ok(flat(object, &Workers::new(1)))
}

/// The same as assembly text, verified.
pub fn assembly<'a>(
    target: &'static Target,
    features: Features,
    names: impl Iterator<Item = &'a str>,
) -> Result<String, Failure> {
    Ok(build(target, features, names, (true, true, false))?.text)
}

fn build<'a>(
    target: &'static Target,
    features: Features,
    names: impl Iterator<Item = &'a str>,
    (text, verify, pie): (bool, bool, bool),
) -> Result<Program, Failure> {
    let mut wanted: Vec<&str> = Vec::new();
    for name in names.filter(|name| defines(target, name)) {
        want(target, &mut wanted, name);
    }
    let workers = Workers::new(1);
    let file = SourceFile::new("<runtime>", source(target, &wanted).into_bytes());
    let front = Wanted {
        library: &INTRINSICS,
        alone: true,
        several: false,
        standard: Standard::Strict,
        warnings: &WarningSet::NONE,
        ir: true,
        tokens: false,
        only_tokens: false,
        tree: false,
        debug: false,
        variables: false,
        in_memory: false,
        places: false,
        names: false,
        verify,
        checks: Checks::NONE,
        math: Flags::NONE,
        profiling: Profiling::None,
    };
    let begun = start::outline(&file, front, &workers);
    let mut begun = begun.ok_or_else(|| bug("outline", "it cannot be read".to_string()))?;
    let env = &mut begun.env;
    if pie {
        env.position.model = RelocationModel::Pie;
    }
    for (name, row) in env.funcs.as_mut_slice().iter_mut().map(|row| (env.names.text(row.name), row)) {
        let is_wanted = wanted.iter().any(|wanted| wanted.strip_prefix(PREFIX).unwrap_or(wanted) == name);
        row.linkage = match row.linkage {
            Linkage::Declared => Linkage::Declared,
            _ if is_wanted => Linkage::External,
            _ => Linkage::Internal,
        };
    }
    let options = Options {
        watch: Watch::default().verifying(verify),
        text,
        helpers: Some(LIBRARY.map(|name| number(env, name))),
        ..Options::of(target, features, Level::O1)
    };
    let naming = |symbols: &mut Symbols, env: &Env| name(symbols, env, &wanted);
    let mut symbols = Symbols::default();
    naming(&mut symbols, env);
    let passes = opt::Options { verify, target: (target.facts)(features), ..opt::Options::default() };
    let how = How {
        options: &passes,
        workers: &workers,
        window: None,
        packs_from: usize::MAX,
        keeps_bodies: false,
    };
    let (_, mut symbols) =
        road::take(&mut begun, pipeline::LIBRARY, options, (symbols, &naming), (how, false))?;
    let Begun { mut env, mut units, mut diags, .. } = begun;
    for more in units.iter_mut().filter_map(|unit| unit.code.more.as_deref_mut()) {
        diags.append(std::mem::take(&mut more.diags));
        if let Some(failure) = more.failure.take() {
            return Err(failure);
        }
    }
    if diags.has_errors() {
        return Err(bug("check", format!("{diags:?}")));
    }
    let stubs = stubs(target, &wanted, &env, &units);
    for stub in &stubs {
        let id = number(&mut env, stub.name);
        let mut func = stub.build(id, target.rules.machine, |name| number(&mut env, name));
        func.features = features;
        env.funcs[FuncId::new(id as usize)].linkage = match wanted.contains(&stub.name) {
            true => Linkage::External,
            false => Linkage::Internal,
        };
        naming(&mut symbols, &env);
        let mut made = Unit::<Artefacts>::new(FuncId::new(id as usize), 0);
        made.code.code = encode(&func, target, false).map_err(|error| bug("encode", error))?;
        let binding = binding(&env, &symbols, made.f.func);
        if text {
            text::print(&mut made.code.more().text, &func, target, &symbols, binding);
        }
        units.push(made);
    }
    join(Compiled { env, symbols, options, units }, None, &workers).map(|(program, _)| program)
}

/// What the library calls things. What it was not asked for has a prefix.
fn name(symbols: &mut Symbols, env: &Env, wanted: &[&str]) {
    symbols.local_prefix = PREFIX;
    let name = |name| {
        let text = env.names.text(name);
        let is_plain = text == "main" || text.starts_with(PREFIX) || wanted.contains(&text);
        if is_plain { text.to_string() } else { format!("{PREFIX}{text}") }
    };
    symbols.funcs = env.funcs.iter().map(|(_, row)| name(row.name)).collect::<Vec<String>>().into();
    symbols.globals = env.globals.iter().map(|(_, row)| name(row.name)).collect::<Vec<String>>().into();
}

/// Notes a name, and what the stub of this name calls.
fn want<'a>(target: &'static Target, wanted: &mut Vec<&'a str>, name: &'a str) {
    let first = wanted.len();
    if !wanted.contains(&name) {
        wanted.push(name);
    }
    let mut k = first;
    while k < wanted.len() {
        for name in stub(target, wanted[k]).into_iter().flat_map(Stub::calls) {
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
        k += 1;
    }
}

fn stub(target: &'static Target, name: &str) -> Option<&'static Stub> {
    target.stubs.stubs.iter().find(|stub| stub.name == name)
}

/// The files that define what is wanted, as one program.
fn source(target: &Target, wanted: &[&str]) -> String {
    let mut used = [false; SOURCES.len()];
    for (k, source) in SOURCES.iter().enumerate().rev() {
        used[k] |= source.defines.iter().any(|name| wanted.contains(name));
        if used[k] {
            source.needs.iter().for_each(|&other| used[other] = true);
        }
    }
    let mut text = target.stubs.constants.to_string();
    if used[START] && !used[TIMER] {
        text.push_str(NO_TIMERS);
    }
    if used[PRINT_FORMAT] && !used[FLOAT_FORMAT] {
        text.push_str(NO_FLOATS);
    }
    for (source, _) in SOURCES.iter().zip(used).filter(|(_, used)| *used) {
        text.push_str(source.text);
    }
    text
}

fn bug(phase: &'static str, message: String) -> Failure {
    let activity = Activity { phase, function: None };
    let details = "in the runtime library\n".to_string();
    Failure::Internal(Bug { message, activity, details, ..Bug::default() })
}

/// The stubs that are wanted or called, and those that these call.
fn stubs(
    target: &'static Target,
    wanted: &[&str],
    env: &Env,
    units: &[Unit<Artefacts>],
) -> Vec<&'static Stub> {
    let mut needed: Vec<&'static Stub> = wanted.iter().filter_map(|name| stub(target, name)).collect();
    let add = |needed: &mut Vec<&'static Stub>, name: &str| {
        if let Some(stub) = stub(target, name)
            && !needed.iter().any(|other| std::ptr::eq(*other, stub))
        {
            needed.push(stub);
        }
    };
    let defined = units.iter().filter(|unit| env.funcs[unit.f.func].linkage != Linkage::Declared);
    for fixup in defined.flat_map(|unit| &unit.code.code.fixups) {
        if let Place::Func(func) = fixup.target {
            add(&mut needed, env.names.text(env.funcs[FuncId::new(func as usize)].name));
        }
    }
    let mut k = 0;
    while let Some(&stub) = needed.get(k) {
        stub.calls().for_each(|name| add(&mut needed, name));
        k += 1;
    }
    needed
}

/// The number of a function, by its symbol.
fn number(env: &mut Env, symbol: &str) -> u32 {
    let plain = symbol.strip_prefix(PREFIX).unwrap_or(symbol);
    let named = |name: &str| env.names.find(name);
    let candidates = [named(symbol), named(plain)];
    let known = env.funcs.iter().find(|(_, row)| candidates.contains(&Some(row.name)));
    if let Some((id, _)) = known {
        return id.index() as u32;
    }
    let name = env.names.intern(symbol);
    let (result, params, variadic, linkage) = (Type::Void, Vec::new(), false, Linkage::Declared);
    env.funcs.push(Func { variadic, ..Func::new(name, result, params, linkage) }).index() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::TARGETS;
    use crate::isa::features::default_of;
    use crate::object::module::Place;
    use crate::sema::runtime::FUNCTIONS;

    #[test]
    fn files_stand_behind_those_that_they_need() {
        for (k, source) in SOURCES.iter().enumerate() {
            assert!(source.needs.iter().all(|&other| other < k), "file {k}");
        }
    }

    #[test]
    fn whatever_a_program_can_call_is_there() {
        for &target in TARGETS {
            for name in FUNCTIONS.iter().map(|row| row.link_name).chain(["memset", "memcpy", "_start"]) {
                let object = object(target, default_of(target), [name].into_iter(), (true, false)).unwrap();
                let is_defined = |symbol| object.symbols[symbol].place != Place::Undefined;
                let named = object.symbols.keys().find(|&symbol| object.name(symbol) == name);
                assert!(defines(target, name) && named.is_some_and(is_defined), "{name}");
                // Nothing is left open but `main`.
                let open = object.symbols.iter().filter(|(_, row)| row.place == Place::Undefined);
                let open: Vec<&str> = open.map(|(symbol, _)| object.name(symbol)).collect();
                assert_eq!(open, if name == "_start" { vec!["main"] } else { vec![] }, "{name}");
            }
        }
    }

    #[test]
    fn a_program_that_prints_no_floats_gets_the_smaller_putf() {
        let size = |name: &str| {
            let target = TARGETS[0];
            let object = object(target, default_of(target), [name].into_iter(), (true, false)).unwrap();
            object.section(".text").map(|section| object.sections[section].size).unwrap()
        };
        assert!(size(PUTF_INTS) * 2 < size("putf"), "{} {}", size(PUTF_INTS), size("putf"));
        let program = |argument: &str| {
            let text = format!(
                "@s = constant [3 x i8] c\"%d\\00\"
                 declare void @putf(ptr, ...)
                 define i32 @main(i32 %x, double %y) {{
                   call void (ptr, ...) @putf(ptr @s, i32 %x)
                   call void (ptr, ...) @putf(ptr @s, {argument})
                   ret i32 0
                 }}"
            );
            let (file, target) = (SourceFile::new("t.ll", text.into_bytes()), TARGETS[0]);
            let features = default_of(target);
            let watch = Watch::default().verifying(true);
            let options = Options { watch, ..Options::of(target, features, Level::O0) };
            let (passes, workers) = (opt::Options::default(), Workers::new(1));
            let how = How {
                options: &passes,
                workers: &workers,
                window: None,
                packs_from: usize::MAX,
                keeps_bodies: false,
            };
            let naming = |_: &mut Symbols, _: &Env| {};
            let mut begun = crate::sysy::text::begin(&file, &crate::ir::parse::ANY, false, false);
            let symbols = crate::isa::symbols::symbols(&begun.env, target, false);
            let (_, symbols) =
                road::take(&mut begun, pipeline::O0, options, (symbols, &naming), (how, true)).unwrap();
            symbols.funcs.into_vec()
        };
        assert!(program("i32 %x").contains(&PUTF_INTS.to_string()));
        assert!(program("double %y").contains(&"putf".to_string()));
    }

    #[test]
    fn the_order_of_names_changes_nothing_but_the_order_of_stubs() {
        let names = ["putf", "getint", "_sysy_stoptime", "memset", "_start"];
        for &target in TARGETS {
            let text = |names: &mut dyn Iterator<Item = &'static str>| {
                assembly(target, default_of(target), names).unwrap()
            };
            let first = text(&mut names.into_iter());
            assert_eq!(first, text(&mut names.into_iter()));
            let mut lines: Vec<&str> = first.lines().filter(|line| line.contains(".type")).collect();
            let turned = text(&mut names.into_iter().rev());
            let mut others: Vec<&str> = turned.lines().filter(|line| line.contains(".type")).collect();
            lines.sort();
            others.sort();
            assert_eq!(lines, others);
        }
    }
}
