//! The rules about a module: names, globals, signatures, and which functions have bodies.

use super::{Checked, Rule, VerifyError, storable, verify};
use crate::base::{BitSet, Name};
use crate::ir::{Env, Global, Linkage, Module, Type};

/// Checks every rule of validity on the module and on each of its bodies, in order.
pub fn verify_module(module: &Module) -> Checked {
    let env = &module.env;
    verify_program(env)?;
    check_bodies(module)?;
    module.defined().try_for_each(|body| verify(env, body))
}

/// Checks the rules of what the bodies of a module share.
pub fn verify_program(env: &Env) -> Checked {
    check_names(env)?;
    for (_, global) in env.globals.iter() {
        check_global(env, global)?;
    }
    for (func, row) in env.funcs.iter() {
        let is_vector = |ty: &Type| ty.is_vector();
        let broken = if row.params.contains(&Type::Void) {
            "a parameter is void"
        } else if is_vector(&row.result) || row.params.iter().any(is_vector) {
            "a parameter or the result is a vector"
        } else {
            continue;
        };
        return Err(VerifyError { func: Some(func), ..error(Rule::Signature, broken) });
    }
    Ok(())
}

fn error(rule: Rule, message: impl Into<String>) -> VerifyError {
    VerifyError { rule, func: None, block: None, inst: None, operand: None, message: message.into() }
}

fn check_names(env: &Env) -> Checked {
    let mut seen: BitSet<Name> = BitSet::new(env.names.len());
    let globals = env.globals.iter().filter(|(_, row)| row.func.is_none());
    let names = globals.map(|(_, row)| row.name).chain(env.funcs.iter().map(|(_, row)| row.name));
    for name in names {
        let text = env.names.text(name);
        if text.is_empty() || text.starts_with("llvm.") {
            return Err(error(Rule::Names, format!("`{text}` cannot be a name")));
        }
        if !seen.insert(name) {
            return Err(error(Rule::Names, format!("`{text}` is the name of two things")));
        }
    }
    Ok(())
}

fn check_global(env: &Env, global: &Global) -> Checked {
    let name = env.names.text(global.name);
    let scalar = env.shapes.scalar_type(global.shape);
    let bytes = env.shapes.bytes(global.shape);
    if !storable(scalar) || bytes == 0 {
        return Err(error(Rule::GlobalShape, format!("memory cannot hold the shape of `{name}`")));
    }
    let image = &global.image;
    let mut end = 0;
    for (k, run) in image.runs.iter().enumerate() {
        let start = u64::from(run.at);
        let in_words = run.first as usize + run.len as usize <= image.words.len();
        if run.len == 0 || k > 0 && start < end || !in_words {
            return Err(error(
                Rule::Image,
                format!("run {k} of `{name}` is empty, out of order, or without words"),
            ));
        }
        end = start + u64::from(run.len);
        if end * u64::from(env.shapes.bytes_of(scalar)) > bytes {
            return Err(error(Rule::Image, format!("run {k} of `{name}` ends outside of the shape")));
        }
    }
    let holds = match scalar {
        Type::I1 => image.words.iter().all(|&word| word <= 1),
        Type::I8 => image.words.iter().all(|&word| word <= 0xff),
        Type::I16 => image.words.iter().all(|&word| word <= 0xffff),
        Type::I32 | Type::F32 => true,
        _ => image.words.iter().all(|&word| word == 0),
    };
    check_addresses(env, global)?;
    if !holds || global.linkage == Linkage::Declared && !image.runs.is_empty() {
        return Err(error(Rule::Image, format!("`{name}` cannot hold its image")));
    }
    Ok(())
}

/// Addresses are in order, inside of the shape, and where the runs have nothing, and lead to what is there.
fn check_addresses(env: &Env, global: &Global) -> Checked {
    let scalar = u64::from(env.shapes.bytes_of(env.shapes.scalar_type(global.shape)));
    let pointer = env.shapes.bytes_of(Type::Ptr);
    let (mut end, mut run) = (0, 0);
    for address in &global.image.addresses {
        let start = u64::from(address.at) * scalar;
        let pointer = u64::from(address.bytes(pointer));
        let runs = &global.image.runs;
        while runs.get(run).is_some_and(|run| u64::from(run.at + run.len) * scalar <= start) {
            run += 1;
        }
        let is_free = runs.get(run).is_none_or(|run| u64::from(run.at) * scalar >= start + pointer);
        if start < end || start + pointer > env.shapes.bytes(global.shape) || !is_free {
            let message = format!("an address in `{}` has no place", env.names.text(global.name));
            return Err(error(Rule::Image, message));
        }
        if env.globals.get(address.to).is_none() || global.linkage == Linkage::Declared {
            let message = format!("`{}` cannot hold its image", env.names.text(global.name));
            return Err(error(Rule::Image, message));
        }
        end = start + pointer;
    }
    Ok(())
}

fn check_bodies(module: &Module) -> Checked {
    for (func, body) in module.bodies.iter() {
        if body.as_ref().is_some_and(|body| body.func != func || module.env.funcs.get(func).is_none()) {
            return Err(error(
                Rule::Bodies,
                format!("the body at {func:?} is of a function not in the table"),
            ));
        }
    }
    for (func, row) in module.env.funcs.iter() {
        let is_defined = module.bodies.get(func).is_some_and(Option::is_some);
        if is_defined == (row.linkage == Linkage::Declared) {
            let count = u32::from(is_defined);
            let message = format!("`{}` has {count} bodies", module.env.names.text(row.name));
            return Err(VerifyError { func: Some(func), ..error(Rule::Bodies, message) });
        }
    }
    Ok(())
}
