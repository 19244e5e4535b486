//! The interpreter behind `sysyc --run`: executes a module against the streams it is given.
//!
//! Two machines share memory layout and runtime functions. The fast one (`decode`, then `execute`) turns each
//! function into flat register code once and runs that; what it does is what compiled code does, and as
//! targets do it gets vectors as scalars. The checking one (`checked`) runs the IR's own instructions, vectors
//! lane by lane, knows for every pointer what object it belongs to and for every byte whether it was
//! written, and stops at the first undefined operation. Neither uses the host's stack for the program's
//! calls.
//!
//! What SysY leaves undefined, unchecked, as AArch64 has it: x / 0 is 0 and x % 0 is x; shift amounts count
//! modulo the width; a float out of range converts to the nearest int and NaN to 0; every NaN result is the
//! positive quiet one. An access outside of all memory traps; one outside of its object does what the layout
//! makes of it.
//!
//! | file | does |
//! | --- | --- |
//! | `memory` | addresses of globals, the flat memory, what was written |
//! | `decode/` | bodies to register code: slots, fused compares and addresses, phis to parallel copies; and a proof that it is right |
//! | `code` | the register code itself |
//! | `execute` | the loop over it |
//! | `profile` | what it counts, where that is asked for |
//! | `checked/` | the checking machine |
//! | `runtime` | SysY's runtime functions; `format` and `scan` are printf's and scanf's part in them |

mod checked;
mod code;
mod decode;
mod execute;
mod format;
mod memory;
mod profile;
#[cfg(test)]
mod random;
mod runtime;
mod scan;
#[cfg(test)]
mod tests;

use super::NO_LOC;
use super::legal::Vectors;
use super::scalarise::scalarise;
use super::{Body, Builtin, FuncId, GlobalId, Linkage, Module, Type};
use crate::base::Name;
use profile::Recorder;
use std::io::{BufRead, Write};

pub use profile::{Branch, Node, Profile, Rounds, Spot};

/// How many of the calls that led to where a program stops are told.
const CALLS: usize = 10;

/// How to run.
#[derive(Copy, Clone, Debug)]
pub struct Options {
    /// Stop at the first undefined operation, and say where; slower.
    pub check: bool,
    /// Bytes that the stack may take, both of local memory and of the interpreter's own frames; beyond it is
    /// a `stack overflow`.
    pub stack: u32,
    /// Addresses have 32 bits and wrap around, as on ARMv7, not 64 (checking: no address may leave its object,
    /// and there is no difference).
    pub narrow: bool,
    /// Jumps and calls after which to give up; for tests.
    pub steps: u64,
    /// When checking: where a check of `-fsanitize` ends the program, stop there as at any other fault.
    pub explain: bool,
    /// Prove the code that the fast machine runs before it runs (`-fverify`).
    pub verify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            check: false,
            stack: 256 << 20,
            narrow: false,
            steps: u64::MAX,
            explain: false,
            verify: false,
        }
    }
}

/// Why a program stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// What went wrong.
    pub message: String,
    /// In which function; none if it never began.
    pub func: Option<FuncId>,
    /// The offset in the source of what was being executed, or `NO_LOC`.
    pub loc: u32,
    /// The calls that led there, the last one first.
    pub calls: Vec<Call>,
    /// How many more there are.
    pub more: usize,
    /// When checking: the variable that it is about.
    pub declared: Option<Declared>,
    /// Nothing is wrong with the program: what read its output has gone.
    pub is_closed: bool,
    /// Nothing is wrong with the program: the code made of it is not what it says, which is a bug of ours.
    pub is_bug: bool,
}

/// A call that is on its way.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function that calls.
    pub func: FuncId,
    /// The offset in the source of the call, or `NO_LOC`.
    pub loc: u32,
}

/// A variable of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// A global one.
    Global(GlobalId),
    /// A local one: its name, and the offset in the source where it is declared, or `NO_LOC`.
    Local(String, u32),
}

impl std::fmt::Display for Trap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Trap {}

impl Trap {
    /// A trap that belongs to no place in the program.
    fn nowhere(message: impl Into<String>) -> Trap {
        let (message, calls) = (message.into(), Vec::new());
        let (is_closed, is_bug) = (false, false);
        Trap { message, func: None, loc: NO_LOC, calls, more: 0, declared: None, is_closed, is_bug }
    }
}

/// Runs the function called `entry`, which takes nothing and returns i32 or nothing (then the result is 0).
/// Output is complete when this returns, also by a trap; timers are reported to `errors` at the end. The
/// module must be valid.
pub fn run(
    module: &Module,
    entry: &str,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    errors: &mut dyn Write,
    options: Options,
) -> Result<i32, Trap> {
    run_and(module, entry, (input, output, errors), options, None)
}

/// The same on the fast machine, and what it has executed until it ended or stopped.
pub fn profile(
    module: &Module,
    entry: &str,
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    errors: &mut dyn Write,
    options: Options,
) -> (Result<i32, Trap>, Profile) {
    let mut profile = Profile::default();
    let options = Options { check: false, ..options };
    let done = run_and(module, entry, (input, output, errors), options, Some(&mut profile));
    (done, profile)
}

fn run_and(
    module: &Module,
    entry: &str,
    (input, output, errors): (&mut dyn BufRead, &mut dyn Write, &mut dyn Write),
    options: Options,
    profile: Option<&mut Profile>,
) -> Result<i32, Trap> {
    let env = &module.env;
    let named = |func: &FuncId| env.names.text(env.funcs[*func].name) == entry;
    let Some(main) = env.funcs.keys().find(named).filter(|&f| env.funcs[f].linkage != Linkage::Declared)
    else {
        return Err(Trap::nowhere(format!("there is no function `{entry}`")));
    };
    let row = &env.funcs[main];
    if !row.params.is_empty() || !matches!(row.result, Type::I32 | Type::Void) {
        return Err(Trap::nowhere(format!("`{entry}` must take nothing and return i32")));
    }
    if let Some((_, global)) =
        env.globals.iter().find(|(_, global)| global.linkage == Linkage::Declared && global.func.is_none())
    {
        return Err(Trap::nowhere(format!("the global `{}` is not defined", env.names.text(global.name))));
    }
    let arrays = [".init_array", ".fini_array", ".preinit_array"];
    let is_run = |section: Name| arrays.iter().any(|array| env.names.text(section).starts_with(array));
    if env.globals.iter().any(|(_, row)| row.section.get().is_some_and(is_run)) {
        return Err(Trap::nowhere(
            "functions that run before main or behind it are not supported here".to_string(),
        ));
    }
    if env.funcs.iter().any(|(_, row)| row.builtin == Some(Builtin::Assembly)) {
        return Err(Trap::nowhere("inline assembly is not supported here, but for an empty one".to_string()));
    }
    // The checking machine has vectors.
    let scalar = if options.check { None } else { scalars(module) };
    let module = scalar.as_ref().unwrap_or(module);
    let calls = runtime::resolve(module, options.check)?;
    let mut memory = memory::Memory::new(module, &options)?;
    let mut io = runtime::Io::new(input, output);
    let result = if options.check {
        checked::execute(module, &calls, &mut memory, &mut io, main, &options)
    } else {
        let broken = |(func, what): (FuncId, String)| {
            let message = format!("the code for the interpreter is wrong: {what}");
            Trap { func: Some(func), is_bug: true, ..Trap::nowhere(message) }
        };
        let mut layout = profile.is_some().then(|| profile::Layout::new(module));
        let code = |verify, layout| decode::decode(module, &calls, &memory, verify, layout).map_err(broken);
        if layout.is_some() && options.verify {
            code(true, None)?;
        }
        let program = code(options.verify && layout.is_none(), layout.as_mut())?;
        let mut recorder = layout.map_or_else(Recorder::default, Recorder::new);
        let done = execute::execute(&program, (&mut memory, &mut recorder), &mut io, main, &options);
        if let Some(profile) = profile {
            *profile = recorder.finish(module);
        }
        done
    };
    let exit = io.exit;
    let (finished, is_closed) = io.finish(errors);
    if let (Some(code), true) = (exit, finished.is_ok()) {
        return Ok(code);
    }
    let done = result.and_then(|code| finished.map(|()| code).map_err(Trap::nowhere));
    let code = done.map_err(|trap| Trap { is_closed, ..trap })?;
    Ok(if row.result == Type::Void { 0 } else { code })
}

/// The module without vectors, if it has some.
fn scalars(module: &Module) -> Option<Module> {
    if !module.defined().any(Body::has_vectors) {
        return None;
    }
    let mut copy = module.clone();
    for body in copy.bodies.as_mut_slice().iter_mut().flatten() {
        scalarise(&copy.env.shapes, body, Vectors::NONE);
    }
    Some(copy)
}
