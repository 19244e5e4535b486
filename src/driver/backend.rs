//! From IR to assembly or an object: all stages of one function in order, functions in parallel, pieces joined in function order.
//!
//! ```text
//!   prepare -> select -> allocate -> order -> finalise (frame, prologue, pseudos) -> relax -> text or bytes
//! ```
//!
//! A worker keeps the tables of analyses from function to function. What comes out does not depend on the workers.

use super::debug::{self, Facts, FunctionFact, Homes};
use super::runtime::PREFIX;
use super::session::{Bug, Failure};
use crate::base::crash::{Activity, enter};
use crate::base::parallel::Workers;
use crate::base::{Column, Handle, trace};
use crate::ir::{self, Body, Env, FuncId, GlobalId, Linkage, ValueKind};
use crate::isa::encode::encode_with;
use crate::isa::prepare::{Prepared, prepare};
use crate::isa::select::select;
use crate::isa::symbols::Symbols;
use crate::isa::{LIBRARY, LIBRARY_BASE, Target, text};
use crate::mir::{Features, SymKind};
use crate::object::assemble::{Assembled, Function, Parts, assemble_with};
use crate::object::code::Code;
use crate::object::data::Datum;
use crate::object::debug::Home;
use crate::object::module::Binding;
use crate::object::text::{TRAILER, data};
use crate::opt::manager::Unit;
use crate::sema::Sym;
use crate::source::{Diagnostics, SourceFile};
use crate::{mir, regalloc};

/// How to make code, for every function alike.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    /// The machine.
    pub target: &'static Target,
    /// What it has beyond the least.
    pub features: Features,
    /// Less time rather than better code.
    pub fast: bool,
    /// Verify machine code, and prove allocations.
    pub verify: bool,
    /// Dump machine IR after selection and after allocation.
    pub dump: bool,
    /// Make text for an assembler.
    pub text: bool,
    /// Make bytes.
    pub code: bool,
    /// Note places in the source, and how to unwind.
    pub debug: bool,
    /// Of the runtime library: the numbers of the functions of `LIBRARY`, which are in the same object.
    pub helpers: Option<[u32; LIBRARY.len()]>,
}

impl Options {
    /// True if anything is to be made of IR.
    pub fn makes_code(&self) -> bool {
        self.dump || self.text || self.code
    }
}

/// Why there is no code for a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackendError {
    /// The machine or its ABI cannot do what the function asks for.
    Unable(String),
    /// A bug of ours: the stage, and what is wrong.
    Bug(&'static str, String),
}

/// What comes out of a function's IR.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Assembly, if asked for.
    pub text: String,
    /// Code, if asked for.
    pub code: Code,
    /// Machine IR, if asked for.
    pub dump: String,
    /// Where variables are, if debuggers are to know.
    pub homes: Homes,
}

/// What came of a function on its way from the source.
#[derive(Debug, Default)]
pub struct Made {
    /// Its code, if that is what was asked for.
    pub code: Code,
    /// It passes a float to `putf`.
    pub prints_floats: bool,
    /// What few functions have, or few runs ask for.
    pub more: Option<Box<More>>,
}

/// See `Made`.
#[derive(Debug, Default)]
pub struct More {
    /// What there is to say about its source.
    pub diags: Diagnostics,
    /// Why nothing came of it.
    pub failure: Option<Failure>,
    /// What the source tells debuggers, if they are to know.
    pub facts: Option<FunctionFact>,
    /// See `Output`.
    pub text: String,
    /// See `Output`.
    pub dump: String,
    /// See `Output`.
    pub homes: Homes,
}

impl Made {
    /// Room for the rare.
    pub fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    /// Takes what came out of the IR.
    pub fn take(&mut self, output: Output) {
        let Output { text, code, dump, homes } = output;
        self.code = code;
        if !(text.is_empty() && dump.is_empty() && homes.is_empty()) {
            let more = self.more();
            (more.text, more.dump, more.homes) = (text, dump, homes);
        }
    }
}

/// Code of one function, through all stages of machine IR in order.
pub fn compile_function(
    env: &Env,
    body: &mut Body,
    symbols: &Symbols,
    options: &Options,
    scratch: &mut Prepared,
) -> Result<Output, BackendError> {
    let target = options.target;
    let machine = target.rules.machine;
    let number = Some(body.func.index() as u32);
    let mut output = Output::default();
    let dump = |output: &mut Output, stage: &str, func: &mir::Func| {
        if options.dump {
            output.dump.push_str(&format!("; after {stage}\n{}\n", mir::print::print(func, machine)));
        }
    };
    type Rules = fn(&mir::Func, &mir::Machine) -> Result<(), String>;
    let verify = |stage: &'static str, func: &mir::Func, rules: Rules| match options.verify {
        true => rules(func, machine).map_err(|error| BackendError::Bug(stage, error)),
        false => Ok(()),
    };

    enter("prepare", number);
    scratch.hoist = !options.fast;
    scratch.places = options.debug || options.dump || options.verify;
    prepare(body, scratch);
    enter("select", number);
    let mut func =
        select(env, body, scratch, target.rules, options.features).map_err(BackendError::Unable)?;
    if let Some(helpers) = &options.helpers {
        for row in func.insts.as_mut_slice() {
            if machine.row(row.op).sym == SymKind::Func && row.sym >= LIBRARY_BASE {
                row.sym = helpers[(row.sym - LIBRARY_BASE) as usize];
            }
        }
    }
    func.unwind = options.debug;
    func.keep_jumps = options.fast;
    let selected = func.insts.len();
    trace::count(body.inst_count(), selected);
    trace::table("machine IR of a function", || func.bytes());
    dump(&mut output, "select", &func);
    verify("select", &func, mir::verify::verify_selected)?;
    enter("allocate", number);
    let how = regalloc::Options { fast: options.fast, verify: options.verify };
    regalloc::allocate(&mut func, machine, &how)
        .map_err(|error| BackendError::Bug("allocate", error.to_string()))?;
    trace::count(selected, func.insts.len());
    dump(&mut output, "allocate", &func);
    verify("allocate", &func, mir::verify::verify_allocated)?;
    enter("finalise", number);
    mir::order::order(&mut func, machine, &scratch.room);
    (target.finalise)(&mut func).map_err(BackendError::Unable)?;
    mir::relax::relax(&mut func, machine, target.far_jump, &scratch.room)
        .map_err(|_| BackendError::Unable("a jump is farther than the machine can go".to_string()))?;
    if options.text {
        enter("print", number);
        text::print(&mut output.text, &func, target, symbols, binding(env, symbols, body.func));
    }
    if options.code {
        enter("encode", number);
        output.code = encode_with(&func, target, options.debug, &mut scratch.encoding)
            .map_err(|error| BackendError::Bug("encode", error))?;
        trace::count(func.insts.len(), output.code.bytes.len());
    }
    if options.debug {
        output.homes = homes(body, &func);
    }
    scratch.spent = func;
    scratch.room.reset();
    Ok(output)
}

/// Where the variables of a function are.
fn homes(body: &Body, func: &mir::Func) -> Vec<(Sym, Home)> {
    let slots = func.variables.iter().map(|&(number, slot)| {
        (Sym::new(number as usize), Home::Frame(func.slots[slot].offset - func.frame_bytes))
    });
    let data = body.variables.iter().filter_map(|&(value, number)| match value.kind() {
        ValueKind::Global(global) => Some((Sym::new(number as usize), Home::Datum(global.index() as u32))),
        _ => None,
    });
    slots.chain(data).collect()
}

/// Which objects see what has this linkage.
fn visible(linkage: Linkage) -> Binding {
    match linkage {
        Linkage::Internal => Binding::Local,
        Linkage::External | Linkage::Declared => Binding::Global,
        Linkage::Weak => Binding::Weak,
    }
}

/// Which objects see a function. What the runtime library keeps for itself has a prefix.
pub(super) fn binding(env: &Env, symbols: &Symbols, func: FuncId) -> Binding {
    let is_own = symbols.funcs[func].starts_with(PREFIX);
    if is_own { Binding::Local } else { visible(env.funcs[func].linkage) }
}

/// All functions of a program, compiled, and what they share.
#[derive(Debug)]
pub struct Compiled {
    /// What functions share.
    pub env: Env,
    /// What the object calls things.
    pub symbols: Symbols,
    /// How it was compiled.
    pub options: Options,
    /// The functions, in order.
    pub units: Vec<Unit<Made>>,
}

/// A program put together.
#[derive(Debug, Default)]
pub struct Program {
    /// Assembly, if asked for.
    pub text: String,
    /// The object, if asked for.
    pub object: Option<Assembled>,
    /// Machine IR, if asked for.
    pub dump: String,
}

/// Puts the pieces of a program together, functions in order, then its data. With facts of its source, debuggers are told; that
/// is all that is taken from the source.
pub fn join(
    compiled: Compiled,
    told: Option<(&SourceFile, &Facts)>,
    workers: &Workers,
) -> Result<Program, Failure> {
    let Compiled { env, symbols, options, units } = compiled;
    let (env, symbols) = (&env, &symbols);
    let target = options.target;
    trace::table("code and fixups of all functions", || units.iter().map(|unit| unit.code.code.size()).sum());
    let mut program = Program::default();
    let mut codes: Column<FuncId, Option<Code>> = Column::filled(env.funcs.len(), None);
    if options.text {
        program.text.push_str(&(target.header)(options.features));
        if options.debug {
            program.text.push_str("\t.cfi_sections .debug_frame\n");
        }
    }
    let mut homes: Column<FuncId, Homes> = Column::filled(env.funcs.len(), Homes::new());
    for Unit { f, code: made } in
        units.into_iter().filter(|unit| env.funcs[unit.f.func].linkage != Linkage::Declared)
    {
        codes[f.func] = Some(made.code);
        if let Some(more) = made.more {
            program.text.push_str(&more.text);
            program.dump.push_str(&more.dump);
            homes[f.func] = more.homes;
        }
    }
    let data_rows: Vec<Datum> = env.globals.keys().map(|global| datum(env, symbols, global)).collect();
    if options.text {
        data(&mut program.text, &data_rows);
        program.text.push_str(TRAILER);
    }
    if options.code {
        let function = |(k, code)| {
            let func = FuncId::new(k);
            Function { name: &symbols.funcs[func], code, binding: binding(env, symbols, func) }
        };
        let functions: Vec<Function> = codes.into_vec().into_iter().enumerate().map(function).collect();
        let attributes = (target.attributes)(options.features);
        let told = told.map(|(file, facts)| debug::program(env, file, facts, &functions, &homes));
        let parts = Parts {
            functions,
            data: &data_rows,
            library: &LIBRARY,
            library_base: LIBRARY_BASE,
            flags: (target.elf_flags)(options.features),
            attributes: &attributes,
        };
        let object = assemble_with(target.elf, parts, told.as_ref(), workers);
        program.object = Some(object.map_err(Failure::System)?);
    }
    Ok(program)
}

/// IR that breaks a rule is a bug of ours.
pub(super) fn unsound(env: &Env, body: &Body, message: String) -> Failure {
    let activity = Activity { phase: "verify, after lower", function: Some(body.func.index() as u32) };
    let function = env.names.text(env.funcs[body.func].name).to_string();
    let details = ir::print::body(env, body);
    Failure::Internal(Bug { message, place: String::new(), activity, function, details })
}

pub(super) fn failure(env: &Env, body: &Body, error: BackendError) -> Failure {
    let function = env.names.text(env.funcs[body.func].name).to_string();
    match error {
        BackendError::Unable(why) => Failure::System(format!("function '{function}': {why}")),
        BackendError::Bug(phase, message) => {
            let activity = Activity { phase, function: Some(body.func.index() as u32) };
            let details = ir::print::body(env, body);
            Failure::Internal(Bug { message, place: String::new(), activity, function, details })
        }
    }
}

fn datum<'a>(env: &'a Env, symbols: &'a Symbols, global: GlobalId) -> Datum<'a> {
    let row = &env.globals[global];
    let image = &row.image;
    let words =
        |run: &ir::module::Run| (run.at, &image.words[run.first as usize..(run.first + run.len) as usize]);
    Datum {
        name: &symbols.globals[global],
        binding: visible(row.linkage),
        is_defined: row.linkage != Linkage::Declared,
        constant: row.constant,
        bytes: env.shapes.bytes(row.shape),
        align: env.shapes.align(row.shape),
        scalar: env.shapes.bytes_of(env.shapes.scalar_type(row.shape)),
        runs: image.runs.iter().map(words).collect(),
    }
}
