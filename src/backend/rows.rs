//! Modules of machine IR in text (`mir/parse`) to code: functions that have gone through some of the machine passes
//! go through the others. A text has functions, and of what they speak of only names, so there is no data and no object:
//! assembly comes out, or the rows behind another pass.
//!
//! It can begin behind every pass up to the layout of the frame, which is not in the text. Functions are verified first,
//! so that what is no machine IR is an error with a message; O(text).

use super::code::{self, BackendError, Options, WorkerMemory, compile_rows};
use super::join::join;
use crate::base::parallel::Workers;
use crate::base::{Column, Handle};
use crate::ir::{Env, Func, FuncId, Linkage, Type};
use crate::isa::LIBRARY_BASE;
use crate::isa::symbols::Symbols;
use crate::mir::SymKind;
use crate::mir::parse::{self, ParseError, parse_module};
use crate::mir::pass::State;
use crate::mir::verify::{verify_allocated, verify_selected};

/// The most functions, and globals, of a module that is read.
const MOST: u32 = 1 << 20;

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// Assembly, if asked for.
    pub text: String,
    /// Machine IR, if asked for.
    pub dump: String,
}

/// Takes the functions of a text through the passes that are left.
pub fn compile(text: &str, options: &Options) -> Result<Made, ParseError> {
    let (target, after) = parse::head(text)?;
    let wrong = |what| ParseError { line: 1, what };
    if target != options.target.name {
        return Err(wrong(format!("this is for {target}, and the target is {}", options.target.name)));
    }
    let pass = code::passes().find(|pass| pass.name == after && pass.to != State::Ir);
    let Some(pass) = pass else { return Err(wrong(format!("no machine pass is called `{after}`"))) };
    if !matches!(pass.to, State::Selected | State::Allocated) {
        return Err(wrong(format!(
            "what is behind `{after}` can be read and not gone on with: the layout of the frame is not in the text"
        )));
    }
    let module = parse_module(text, options.machine())?;
    let (env, symbols) = names(&module, options).map_err(wrong)?;
    let (mut made, mut memory, mut texts) = (Made::default(), WorkerMemory::default(), Vec::new());
    for (line, func) in module.bodies {
        let (id, machine) = (FuncId::new(func.id as usize), options.machine());
        let verified = match pass.to {
            State::Selected => verify_selected(&func, machine),
            _ => verify_allocated(&func, machine),
        };
        let named =
            |what: String| ParseError { line, what: format!("function {}: {what}", symbols.funcs[id]) };
        verified.map_err(named)?;
        let output = compile_rows(&env, (func, after), &symbols, options, &mut memory);
        let output = output.map_err(|error| match error {
            BackendError::Unable(what) => named(what),
            BackendError::Bug(pass, what) => named(format!("behind `{pass}`: {what}")),
            BackendError::Stopped => named("stopped".to_string()),
        })?;
        texts.push((id, output.text));
        made.dump.push_str(&output.dump);
    }
    let program =
        join((&env, &symbols, options), Vec::new(), &texts, None, &Workers::new(1)).map_err(wrong)?;
    Ok(Made { text: program.text, ..made })
}

/// What functions and globals are called. One without a name, which a body may still speak of, goes by its number.
fn names(module: &parse::Module, options: &Options) -> Result<(Env, Symbols), String> {
    let (mut env, mut symbols) = (Env::default(), Symbols { text: options.text, ..Symbols::default() });
    // One past the last function, and the last global.
    let mut counts = [0, 0];
    let mut note = |which: usize, number: u32| {
        counts[which] = counts[which].max(number.saturating_add(1));
        if number < MOST { Ok(()) } else { Err(format!("there is no function or global {number}")) }
    };
    let is_own = |number: &u32| *number < LIBRARY_BASE;
    let numbers = |names: &[parse::Name]| names.iter().map(|name| name.number).collect::<Vec<_>>();
    numbers(&module.funcs).into_iter().filter(is_own).try_for_each(|number| note(0, number))?;
    numbers(&module.globals).into_iter().try_for_each(|number| note(1, number))?;
    for (_, func) in &module.bodies {
        note(0, func.id)?;
        for row in func.insts.as_slice() {
            match options.machine().row(row.op).sym {
                SymKind::Func if is_own(&row.sym) => note(0, row.sym)?,
                SymKind::Global => note(1, row.sym)?,
                _ => {}
            }
        }
    }
    for number in 0..counts[0] {
        let text = format!("_.f{number}");
        let name = env.names.intern(&text);
        env.funcs.push(Func::new(name, Type::Void, Vec::new(), Linkage::External));
        symbols.funcs.push(text);
    }
    for name in module.funcs.iter().filter(|name| name.number < LIBRARY_BASE) {
        let id = FuncId::new(name.number as usize);
        env.funcs[id].linkage = match name.word.as_str() {
            "local" => Linkage::Internal,
            "weak" => Linkage::Weak,
            "" => Linkage::External,
            word => return Err(format!("`{word}` says nothing about a function")),
        };
        symbols.funcs[id].clone_from(&name.text);
    }
    symbols.globals = Column::from((0..counts[1]).map(|k| format!("_.g{k}")).collect::<Vec<_>>());
    for name in &module.globals {
        symbols.globals.as_mut_slice()[name.number as usize].clone_from(&name.text);
    }
    Ok((env, symbols))
}

#[cfg(test)]
mod tests;
