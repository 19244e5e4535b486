//! The runtime library, built in: from the names that a program leaves undefined to machine code.
//!
//! The library is SysY (`runtime/*.sy`) with the intrinsics of `sema::runtime`, and a table of machine code a target for what
//! SysY cannot say (`isa/*/stubs.rs`). Of the files, those are compiled that define a wanted name or that such a file
//! needs; of their functions, those that are reached from the wanted names. So a program pays for what it uses: O(text of
//! the files + code of the functions), some hundred lines at most.
//!
//! All of it is one module. What was asked for is global in it; everything else is local and called `sysy.` and
//! something, so that no name of a program can meet it, and a program may bring its own `putch` and take our `putint`.

use super::session::{Bug, Failure};
use crate::base::crash::Activity;
use crate::base::parallel::Workers;
use crate::base::{Column, Handle};
use crate::ir::{Body, Env, Func, FuncId, Linkage, Module, Op, Type};
use crate::isa::encode::encode;
use crate::isa::prepare::{Prepared, prepare};
use crate::isa::select::select;
use crate::isa::stub::Stub;
use crate::isa::symbols::Symbols;
use crate::isa::{LIBRARY, LIBRARY_BASE, Target, text};
use crate::mir::{Features, SymKind};
use crate::object::assemble::{Function, Parts, assemble};
use crate::object::code::Code;
use crate::object::data::Datum;
use crate::object::module::Binding;
use crate::object::module::Object;
use crate::object::text::{TRAILER, data};
use crate::opt::{self, pipeline};
use crate::sema::WarningSet;
use crate::sema::runtime::INTRINSICS;
use crate::source::{Diagnostics, SourceFile};
use crate::syntax::{lexer, parser};
use crate::{lower, mir, regalloc, sema};

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
static SOURCES: [Source; 10] = [
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
    Source { text: include_str!("../../runtime/float_format.sy"), defines: &["putf"], needs: &[FORMAT] },
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
];

/// What stands in place of the timers' report in a program without timers.
const NO_TIMERS: &str = "void report_timers() {}\n";

/// What stands in place of the conversions of floats for `putf.ints`.
const NO_FLOATS: &str = "void put_double(int letter, int low, int top) {}\n";

/// `putf` for programs that print no floats with it: it is a third of the size. See `narrow`.
const PUTF_INTS: &str = "putf.ints";

/// Every build of a debug version proves passes and allocations; what a release does then is the same.
const VERIFY: bool = cfg!(debug_assertions);

/// In front of local names.
const PREFIX: &str = "sysy.";

/// What of the library a program needs.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// Functions and data.
    pub env: Env,
    /// Their symbols.
    pub symbols: Symbols,
    /// Per function: which objects see it.
    pub binding: Column<FuncId, Binding>,
    /// What the machine has that it is for.
    pub features: Features,
    /// Final machine code, in the order of the file; `Func::id` is the number in `env.funcs`.
    pub functions: Vec<mir::Func>,
}

/// True if the library defines this symbol.
pub fn defines(target: &Target, name: &str) -> bool {
    !name.starts_with(PREFIX)
        && (SOURCES.iter().any(|source| source.defines.contains(&name))
            || target.stubs.stubs.iter().any(|stub| stub.name == name))
}

/// For a program that is linked with nothing but this library: if it passes no float to `putf`, asks for the smaller one.
/// O(instructions).
pub fn narrow(module: &mut Module) {
    let Some(putf) = putf(&module.env) else { return };
    if !module.bodies.iter().any(|f| passes_float(f, putf)) {
        narrow_putf(&mut module.env, putf);
    }
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

/// Asks for the smaller one.
pub fn narrow_putf(env: &mut Env, putf: FuncId) {
    env.funcs[putf].name = env.names.intern(PUTF_INTS);
}

/// What is needed for these names; those that the library does not define are passed over. `_start` is the entry of a
/// program, which brings what a program needs around `main`.
pub fn build<'a>(
    target: &'static Target,
    features: Features,
    names: impl Iterator<Item = &'a str>,
) -> Result<Runtime, Failure> {
    let mut wanted: Vec<&str> = Vec::new();
    for name in names.filter(|name| defines(target, name)) {
        want(target, &mut wanted, name);
    }
    let mut module = compile(target, &wanted)?;
    optimise(&mut module, &wanted)?;
    let mut functions = generate(target, features, &mut module)?;
    add_stubs(target, &wanted, &mut module, &mut functions);
    functions.iter_mut().for_each(|func| func.features = features);
    let Module { env, .. } = module;
    let name = |name| {
        let text = env.names.text(name);
        let is_plain = text == "main" || text.starts_with(PREFIX) || wanted.contains(&text);
        if is_plain { text.to_string() } else { format!("{PREFIX}{text}") }
    };
    let funcs: Vec<String> = env.funcs.iter().map(|(_, row)| name(row.name)).collect();
    let globals: Vec<String> = env.globals.iter().map(|(_, row)| name(row.name)).collect();
    let is_seen = |name: &String| wanted.contains(&&**name) && !name.starts_with(PREFIX);
    let binding = funcs.iter().map(|name| if is_seen(name) { Binding::Global } else { Binding::Local });
    let binding: Vec<Binding> = binding.collect();
    let symbols = Symbols { funcs: funcs.into(), globals: globals.into(), ..Symbols::default() };
    Ok(Runtime { env, symbols, binding: binding.into(), features, functions })
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
fn compile(target: &Target, wanted: &[&str]) -> Result<Module, Failure> {
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
    let mut diags = Diagnostics::default();
    let workers = Workers::new(1);
    let file = SourceFile::from_bytes("<runtime>", text.into_bytes(), &mut diags);
    let mut names = sema::interner(&INTRINSICS);
    let tokens = lexer::lex(&file, &mut names, &mut diags);
    let tree = parser::parse(&file, &tokens, &mut diags);
    let sema =
        sema::check_with(&INTRINSICS, &file, names, &tokens, &tree, &workers, &WarningSet::NONE, &mut diags);
    if diags.has_errors() {
        return Err(bug("check", format!("{diags:?}")));
    }
    let input = lower::Input {
        file: &file,
        tokens: &tokens,
        tree: &tree,
        sema: sema.checked(),
        variables: false,
        places: true,
    };
    Ok(lower::lower(input, &workers))
}

fn bug(phase: &'static str, message: String) -> Failure {
    let activity = Activity { phase, function: None };
    let (place, function) = (String::new(), String::new());
    Failure::Internal(Bug {
        message,
        place,
        activity,
        function,
        details: "in the runtime library\n".to_string(),
    })
}

/// Drops what is not reached from the wanted names, and optimises the rest.
fn optimise(module: &mut Module, wanted: &[&str]) -> Result<(), Failure> {
    let Env { names, funcs, .. } = &mut module.env;
    for row in funcs.as_mut_slice().iter_mut().filter(|row| row.linkage != Linkage::Declared) {
        let text = names.text(row.name);
        let is_wanted = wanted.iter().any(|name| name.strip_prefix(PREFIX).unwrap_or(name) == text);
        row.linkage = if is_wanted { Linkage::External } else { Linkage::Internal };
    }
    let options = opt::Options { verify: VERIFY, ..opt::Options::default() };
    opt::manager::run(module, pipeline::LIBRARY, &options, &Workers::new(1))
        .map(|_| ())
        .map_err(|error| bug(error.pass, error.message))
}

/// Machine code of every function.
fn generate(
    target: &'static Target,
    features: Features,
    module: &mut Module,
) -> Result<Vec<mir::Func>, Failure> {
    let Module { env, bodies } = module;
    let machine = target.rules.machine;
    let mut scratch = Prepared { hoist: true, ..Prepared::default() };
    let how = regalloc::Options { fast: false, verify: VERIFY };
    let mut functions = Vec::with_capacity(bodies.len());
    for body in bodies {
        prepare(body, &mut scratch);
        let mut func =
            select(env, body, &mut scratch, target.rules, features).map_err(|error| bug("select", error))?;
        regalloc::allocate(&mut func, machine, &how).map_err(|error| bug("allocate", error.to_string()))?;
        mir::order::order(&mut func, machine, &scratch.room);
        (target.finalise)(&mut func).map_err(|error| bug("finalise", error))?;
        mir::relax::relax(&mut func, machine, target.far_jump, &scratch.room)
            .map_err(|error| bug("relax", format!("{error:?}")))?;
        scratch.room.reset();
        functions.push(func);
    }
    Ok(functions)
}

/// Appends the stubs that are wanted or called, and those that these call. Calls of the helpers of selection go to the
/// stubs of this module.
fn add_stubs(target: &'static Target, wanted: &[&str], module: &mut Module, functions: &mut Vec<mir::Func>) {
    let machine = target.rules.machine;
    let mut needed: Vec<&'static Stub> = wanted.iter().filter_map(|name| stub(target, name)).collect();
    let add = |needed: &mut Vec<&'static Stub>, name: &str| {
        if let Some(stub) = stub(target, name)
            && !needed.iter().any(|other| std::ptr::eq(*other, stub))
        {
            needed.push(stub);
        }
    };
    for body in &module.bodies {
        for i in body.blocks().flat_map(|b| body.insts(b)).filter(|&i| body.op(i) == Op::Call) {
            add(&mut needed, module.env.names.text(module.env.funcs[body.callee(i)].name));
        }
    }
    for func in functions.iter_mut() {
        for row in func.insts.as_mut_slice() {
            if machine.row(row.op).sym == SymKind::Func && row.sym >= LIBRARY_BASE {
                let name = LIBRARY[(row.sym - LIBRARY_BASE) as usize];
                add(&mut needed, name);
                row.sym = number(&mut module.env, name);
            }
        }
    }
    let mut k = 0;
    while let Some(&stub) = needed.get(k) {
        stub.calls().for_each(|name| add(&mut needed, name));
        let id = number(&mut module.env, stub.name);
        functions.push(stub.build(id, machine, |name| number(&mut module.env, name)));
        k += 1;
    }
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

/// The library as an object.
pub fn object(runtime: &Runtime, target: &'static Target) -> Result<Object<'static>, Failure> {
    let mut codes: Column<FuncId, Option<Code>> = Column::filled(runtime.env.funcs.len(), None);
    for func in &runtime.functions {
        let code = encode(func, target, false).map_err(|error| bug("encode", error))?;
        codes[FuncId::new(func.id as usize)] = Some(code);
    }
    let functions: Vec<Function> = codes
        .into_vec()
        .into_iter()
        .enumerate()
        .map(|(k, code)| {
            let func = FuncId::new(k);
            Function { name: &runtime.symbols.funcs[func], code, binding: runtime.binding[func] }
        })
        .collect();
    let parts = Parts {
        functions,
        data: &data_rows(runtime),
        library: &LIBRARY,
        library_base: LIBRARY_BASE,
        flags: (target.elf_flags)(runtime.features),
        attributes: &(target.attributes)(runtime.features),
    };
    assemble(target.elf, parts).map_err(|error| bug("join", error))
}

fn data_rows(runtime: &Runtime) -> Vec<Datum<'_>> {
    let globals = runtime.env.globals.keys();
    globals.map(|global| super::backend::datum(&runtime.env, &runtime.symbols, global)).collect()
}

/// The library as assembly text.
pub fn assembly(runtime: &Runtime, target: &Target) -> String {
    let mut out = (target.header)(runtime.features);
    for func in &runtime.functions {
        text::print(&mut out, func, target, &runtime.symbols, runtime.binding[FuncId::new(func.id as usize)]);
    }
    data(&mut out, &data_rows(runtime));
    out.push_str(TRAILER);
    out
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
                let library = build(target, default_of(target), [name].into_iter()).unwrap();
                let defined = |func: &mir::Func| library.symbols.funcs[FuncId::new(func.id as usize)] == name;
                assert!(defines(target, name) && library.functions.iter().any(defined), "{name}");
                // Nothing is left open but `main`.
                let object = object(&library, target).unwrap();
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
            let library = build(target, default_of(target), [name].into_iter()).unwrap();
            let object = object(&library, target).unwrap();
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
            let mut module = crate::ir::parse::parse(&text).unwrap();
            narrow(&mut module);
            module
                .env
                .funcs
                .iter()
                .map(|(_, row)| module.env.names.text(row.name).to_string())
                .collect::<Vec<_>>()
        };
        assert!(program("i32 %x").contains(&PUTF_INTS.to_string()));
        assert!(program("double %y").contains(&"putf".to_string()));
    }

    #[test]
    fn the_order_of_names_changes_nothing_but_the_order_of_stubs() {
        let names = ["putf", "getint", "_sysy_stoptime", "memset", "_start"];
        for &target in TARGETS {
            let text = |names: &mut dyn Iterator<Item = &'static str>| {
                assembly(&build(target, default_of(target), names).unwrap(), target)
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
