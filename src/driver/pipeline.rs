//! All stages of one input, in order.

use super::debug::{self, Facts};
use super::options::{Emit, Goal};
use super::session::{Bug, Failure, Session};
use super::sweep::{self, Maker};
use super::{backend, front, link, runtime};
use crate::base::crash::Activity;
use crate::base::{Handle, trace};
use crate::ir::{self, Module, interp};
use crate::object::assemble::Assembled;
use crate::opt::{self, Level};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};
use crate::syntax::{dump, lexer, parser};
use crate::{lower, sema};
use std::io::{Read, stderr, stdin, stdout};
use std::path::Path;

/// What came out.
#[derive(Debug)]
pub enum Product {
    /// Nothing was asked for but diagnostics.
    Nothing,
    /// The program ran, and ended with this code.
    Exit(u8),
    /// What `--emit` asked for.
    Dump(String),
    /// Assembly.
    Assembly(String),
    /// An object, to be written or linked.
    Object(Assembled),
}

/// Takes one input as far as was asked for.
pub fn compile(s: &Session, input: &Path) -> Result<Product, Failure> {
    let mut diags = Diagnostics::default();
    let mut dump = String::new();
    let mut file = s.phase("read", || load(s, input, &mut diags));
    trace::table("source", || file.text.capacity());
    if diags.has_errors() {
        return s.report(&file, diags).map(|()| Product::Nothing);
    }

    let front =
        if input.extension().is_some_and(|extension| extension == "ll") { parse_ir } else { compile_source };
    let (mut module, facts) = match front(s, &file, diags, &mut dump)? {
        Some(Made::Ir(module, facts)) => (module, facts),
        Some(Made::Code(compiled, facts)) => {
            if facts.is_none() {
                // Nobody looks at it any more: of a million lines that is 34 MB.
                file = SourceFile::new(file.path, Vec::new());
            }
            let program = backend::join(s, *compiled, &file, facts.as_ref())?;
            return Ok(product(s, program, dump));
        }
        None => {
            return Ok(if s.options.goal == Goal::Check { Product::Nothing } else { Product::Dump(dump) });
        }
    };
    trace::table("IR", || module.bodies.iter().map(ir::Body::bytes).sum());
    optimise(s, &mut module)?;
    if s.emits(Emit::Ir) {
        dump.push_str(&ir::print::module(&module));
    }
    if s.ends_at(Emit::Ir) {
        return Ok(Product::Dump(dump));
    }
    if s.options.goal == Goal::Run {
        return s.phase("run", || run(s, &file, &module)).map(Product::Exit);
    }
    if link::is_alone(&s.options) {
        runtime::narrow(&mut module);
    }
    let program =
        s.phase_on("generate", &mut module, |module| backend::compile(s, module, &file, facts.as_ref()))??;
    Ok(product(s, program, dump))
}

/// What of a program was asked for.
fn product(s: &Session, program: backend::Program, mut dump: String) -> Product {
    dump.push_str(&program.dump);
    if s.emits(Emit::Asm) {
        dump.push_str(&program.text);
    }
    match (&s.options.goal, program.object) {
        (Goal::Emit(_), _) => Product::Dump(dump),
        (_, Some(object)) => Product::Object(object),
        (_, None) => Product::Assembly(program.text),
    }
}

/// What the front end makes.
enum Made {
    /// The program's IR, and with `-g` what debuggers are to be told of its source.
    Ir(Box<Module>, Option<Facts>),
    /// All functions, compiled, and the same.
    Code(Box<backend::Compiled>, Option<Facts>),
}

/// From SysY to IR; none if less was asked for.
fn compile_source(
    s: &Session,
    file: &SourceFile,
    mut diags: Diagnostics,
    dump: &mut String,
) -> Result<Option<Made>, Failure> {
    if let Some(made) = function_by_function(s, file)? {
        return Ok(Some(made));
    }
    let mut names = sema::interner(&sema::runtime::SYSY);
    let tokens = s.phase("lex", || lexer::lex(file, &mut names, &mut diags));
    trace::table("tokens", || tokens.bytes());
    if s.emits(Emit::Tokens) {
        dump.push_str(&dump::tokens(&tokens, file));
    }
    let tree = s.phase("parse", || parser::parse(file, &tokens, &mut diags));
    trace::table("tree", || tree.bytes());
    if s.emits(Emit::Tree) {
        dump.push_str(&dump::tree(&tree, &tokens, file));
    }
    if s.ends_at(Emit::Tree) {
        return s.report(file, diags).map(|()| None);
    }
    let warnings = &s.options.warnings;
    let sema =
        s.phase("check", || sema::check(file, names, &tokens, &tree, &s.workers, warnings, &mut diags));
    s.report(file, diags)?;
    if s.options.goal == Goal::Check {
        return Ok(None);
    }
    let debug = s.options.debug;
    let facts = debug.then(|| s.phase("debug", || debug::collect(&tokens, &tree, &sema)));
    let input = lower::Input {
        file,
        tokens: &tokens,
        tree: &tree,
        sema: sema.checked(),
        variables: debug,
        places: true,
    };
    if sweeps(s) {
        let functions = &sema.functions;
        let maker = Maker {
            program: s.phase("lower", || lower::Program::new(&sema)),
            sizes: functions.iter().map(|function| function.def.index() - function.first.index()).collect(),
            body: |program: &lower::Program, k: usize, scratch: &mut lower::Scratch| {
                Some(program.body(input, &functions[k], scratch))
            },
            scratch: lower::Scratch::default,
            recycle: lower::Scratch::recycle,
        };
        let code = sweep::sweep(s, maker, facts.is_some())?;
        return Ok(code.map(|code| Made::Code(Box::new(code), facts)));
    }
    let module = s.phase("lower", || lower::lower(input, &s.workers));
    verify(s, &module)?;
    Ok(Some(Made::Ir(Box::new(module), facts)))
}

/// True if no pass will look at the whole program.
fn sweeps(s: &Session) -> bool {
    s.options.level == 0 && matches!(s.options.goal, Goal::Assembly | Goal::Object | Goal::Link)
}

/// As `compile_source`, for a program about which there is nothing to say, and of which nobody wants to see tokens or trees.
fn function_by_function(s: &Session, file: &SourceFile) -> Result<Option<Made>, Failure> {
    let code = matches!(s.options.goal, Goal::Assembly | Goal::Object | Goal::Link | Goal::Run);
    if !code || s.options.debug {
        return Ok(None);
    }
    let Some((front, program)) = front::outline(s, file) else { return Ok(None) };
    let maker = Maker {
        program,
        sizes: front.sizes().collect(),
        body: |program: &lower::Program, k: usize, scratch: &mut front::Scratch| {
            front.body(program, k, scratch)
        },
        scratch: front::Scratch::default,
        recycle: front::Scratch::recycle,
    };
    let passes = opt::pipeline::by_function(level(s)).filter(|_| s.options.passes.is_plain());
    let made = if sweeps(s) {
        sweep::sweep(s, maker, false)?.map(|code| Made::Code(Box::new(code), None))
    } else if let (Some(passes), true) = (passes, s.options.goal != Goal::Run) {
        sweep::sweep_batches(s, maker, passes)?.map(|code| Made::Code(Box::new(code), None))
    } else {
        let module = s.phase("functions", || sweep::bodies(s, maker));
        module.map(|module| Made::Ir(Box::new(module), None))
    };
    if let Some(Made::Ir(module, _)) = &made {
        verify(s, module)?;
    }
    Ok(made.filter(|_| !front.has_more_to_say()))
}

/// From IR in text; none if less was asked for. The reader has verified it.
fn parse_ir(
    s: &Session,
    file: &SourceFile,
    mut diags: Diagnostics,
    _: &mut String,
) -> Result<Option<Made>, Failure> {
    let parsed = s.phase("parse", || match std::str::from_utf8(&file.text) {
        Ok(text) => {
            ir::parse::parse_for(text, &platform(s)).map_err(|error| (error.offset as usize, error.message))
        }
        Err(error) => Err((error.valid_up_to(), "this is no UTF-8".to_string())),
    });
    let module = parsed.map_err(|(offset, message)| {
        diags.push(Diagnostic::error("ir", Span::new(offset, offset), message));
    });
    s.report(file, diags)?;
    let module = module.ok().filter(|_| s.options.goal != Goal::Check && !s.ends_at(Emit::Tree));
    Ok(module.map(|module| Made::Ir(Box::new(module), s.options.debug.then(Facts::of_nothing))))
}

/// What IR in text has to be for: the target, if there will be code.
fn platform(s: &Session) -> ir::parse::Platform {
    let target = s.options.target;
    let is_code = match &s.options.goal {
        Goal::Assembly | Goal::Object | Goal::Link => true,
        Goal::Emit(stages) => stages.iter().any(|stage| matches!(stage, Emit::Mir | Emit::Asm)),
        Goal::Run | Goal::Check => false,
    };
    let (pointer_bytes, name, names) = (target.rules.machine.pointer_bytes, target.name, target.triples);
    if is_code { ir::parse::Platform { pointer_bytes, name, names } } else { ir::parse::ANY }
}

/// Reads an input; `-` is the standard input.
fn load(s: &Session, input: &Path, diags: &mut Diagnostics) -> SourceFile {
    if input != Path::new("-") {
        return SourceFile::load(input, &s.workers, diags);
    }
    let mut bytes = Vec::new();
    let most = crate::source::file::MAX_BYTES + 1;
    if let Err(error) = stdin().lock().take(most).read_to_end(&mut bytes) {
        let message = format!("cannot read the standard input: {error}");
        diags.push(Diagnostic::error("cannot-read", None, message));
    }
    SourceFile::from_bytes("<stdin>", bytes, diags)
}

/// Executes the program with our own streams as its streams. Its exit code is its result modulo 256.
fn run(s: &Session, file: &SourceFile, module: &Module) -> Result<u8, Failure> {
    let options = interp::Options { check: s.options.checked, ..interp::Options::default() };
    let (mut input, mut output, mut errors) = (stdin().lock(), stdout().lock(), stderr().lock());
    let done = interp::run(module, "main", &mut input, &mut output, &mut errors, options);
    done.map(|code| code as u8).map_err(|trap| {
        let name = |func: ir::FuncId| module.env.names.text(module.env.funcs[func].name);
        let span = (trap.loc != ir::NO_LOC).then(|| Span::new(trap.loc as usize, trap.loc as usize + 1));
        let mut error = Diagnostic::error("trap", span, format!("the program stopped: {trap}"));
        if let Some(func) = trap.func {
            error = error.note(format!("in the function '{}'", name(func)));
        }
        let mut diags = Diagnostics::default();
        diags.push(error);
        match s.report(file, diags) {
            Err(Failure::Program) | Ok(()) => Failure::Trap,
            Err(other) => other,
        }
    })
}

/// How much to optimise.
fn level(s: &Session) -> Level {
    [Level::O0, Level::O1, Level::O2, Level::O3][usize::from(s.options.level.min(3))]
}

/// Runs the passes of the level.
fn optimise(s: &Session, module: &mut Module) -> Result<(), Failure> {
    if s.options.checked {
        // A pass may assume that nothing undefined happens; the check is there to find out.
        return Ok(());
    }
    let run = |module: &mut Module| opt::pipeline::run(module, level(s), &s.options.passes, &s.workers);
    match s.phase_on("optimise", module, run)? {
        Ok(report) => {
            s.note_passes(&report);
            Ok(())
        }
        Err(error) => {
            let activity = Activity { phase: error.pass, function: None };
            let details = ir::print::module(module);
            let (message, function, place) = (error.message, error.func, String::new());
            Err(Failure::Internal(Bug { message, place, activity, function, details }))
        }
    }
}

/// With `-fverify`: a broken rule is a bug of ours.
fn verify(s: &Session, module: &Module) -> Result<(), Failure> {
    if !s.options.passes.verify {
        return Ok(());
    }
    let Err(error) = s.phase("verify", || ir::verify::verify_module(module)) else { return Ok(()) };
    let activity = Activity { phase: "verify, after lower", function: None };
    let name = |func: ir::FuncId| module.env.names.text(module.env.funcs[func].name).to_string();
    let (function, place) = (error.func.map_or(String::new(), name), String::new());
    let details = ir::print::module(module);
    Err(Failure::Internal(Bug { message: error.to_string(), place, activity, function, details }))
}
