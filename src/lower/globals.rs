//! What functions share: shapes, globals and signatures, in the order of the file.
//!
//! Of a whole program everything but `main` is internal; a part of one shows all that it defines. A name that the runtime library or the code generators call gets a
//! suffix that no SysY name can have, because a local definition would catch those calls. A scalar constant
//! needs no memory: every use of it is its value. Linear in the number of symbols, dimensions and initialised
//! words.

use super::Links;
use crate::base::{Column, Handle, Name};
use crate::ir::{Effect, Env, Func, FuncId, Global, Image, Linkage, Shape, Type};
use crate::sema::runtime::{FUNCTIONS, Meaning, RuntimeFunction};
use crate::sema::{Checked, Exports, Scalar, Sema, Sym, SymbolKind, Ty, TyView};

/// Functions that code generators call on their own account.
const HELPERS: [&str; 8] =
    ["memset", "memcpy", "memmove", "abort", "fflush", "dprintf", "_Exit", "getrlimit"];

/// What is appended to a name that is taken.
pub const USER: &str = ".user";

/// The type of a scalar in a register.
pub(super) fn scalar_type(scalar: Scalar) -> Type {
    if scalar == Scalar::Int { Type::I32 } else { Type::F32 }
}

/// The type in which a value of this type is passed and returned: arrays as their address.
pub(super) fn value_type(ty: Ty) -> Type {
    match ty.view() {
        TyView::Scalar(scalar) => scalar_type(scalar),
        TyView::Array(..) | TyView::Text => Type::Ptr,
        TyView::Void | TyView::Error => Type::Void,
    }
}

/// The types in which a function takes and gives back values. A tensor is given back at an address that comes behind
/// the arguments.
fn signature(sema: &Sema, sym: Sym) -> (Type, Vec<Type>) {
    let checked = sema.checked();
    let params = (0..checked.params(sym)).map(|k| value_type(checked.param_ty(sym, k)));
    let ty = sema.symbols[sym].ty;
    match ty.is_array() {
        true => (Type::Void, params.chain([Type::Ptr]).collect()),
        false => (value_type(ty), params.collect()),
    }
}

/// The environment of the program, and how to find things in it.
pub(super) fn environment(sema: &Sema) -> (Env, Links) {
    let mut env = Env::default();
    let mut links = Links { rows: Column::filled(sema.symbols.len(), 0), ..Links::default() };
    intern_shapes(sema, &env, &mut links);
    let taken = taken(sema);
    for &sym in &sema.globals {
        add_global(sema, sym, &taken, &mut env, &mut links);
    }
    for function in &sema.functions {
        add_function(sema, function.sym, &taken, &mut env, &mut links);
    }
    for (&sym, &same) in sema.declared.iter().zip(&sema.same) {
        match same {
            Some(other) => links.rows[sym] = links.rows[other],
            None => add_declared(sema, sym, &taken, &mut env, &mut links),
        }
    }
    add_runtime(sema, &mut env, &mut links);
    (env, links)
}

/// Interns the shape of every array that functions share, and of its parts.
fn intern_shapes(sema: &Sema, env: &Env, links: &mut Links) {
    links.shapes = Column::filled(sema.dims.len(), Shape::scalar(Type::I32));
    for symbol in sema.symbols.as_slice() {
        let TyView::Array(scalar, dim) = symbol.ty.view() else { continue };
        if symbol.is_function() {
            continue;
        }
        let mut shape = Shape::scalar(scalar_type(scalar));
        let first = dim.index();
        for k in (first..first + sema.dims[dim].rank as usize).rev() {
            let dim = crate::sema::Dim::new(k);
            let extent = sema.dims[dim].extent;
            if extent != 0 {
                shape = env.shapes.array(shape, extent);
            }
            links.shapes[dim] = shape;
        }
    }
}

/// The names of a program that stand for something else in an object.
fn taken(sema: &Sema) -> Vec<Name> {
    if !sema.library.is_program {
        return Vec::new();
    }
    let library = FUNCTIONS.iter().flat_map(|row| [row.name, row.link_name]);
    let mut names: Vec<Name> = library.chain(HELPERS).filter_map(|text| sema.names.find(text)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn name_of(sema: &Sema, sym: Sym, taken: &[Name], env: &mut Env) -> Name {
    let name = sema.symbols[sym].name;
    let text = sema.names.text(name);
    if taken.binary_search(&name).is_ok() {
        env.names.intern(&format!("{text}{USER}"))
    } else {
        env.names.intern(text)
    }
}

/// Who may name something that is defined.
fn linkage(sema: &Sema, sym: Sym) -> Linkage {
    let symbol = &sema.symbols[sym];
    let is_main = symbol.is_function() && sema.names.text(symbol.name) == "main";
    let is_seen = match sema.exports {
        Exports::Main => is_main,
        Exports::Extern => is_main || symbol.is_extern,
        Exports::All => true,
    };
    if is_seen { Linkage::External } else { Linkage::Internal }
}

/// What another source defines. In a whole program nothing does, which is an error where it is used.
fn add_declared(sema: &Sema, sym: Sym, taken: &[Name], env: &mut Env, links: &mut Links) {
    let symbol = sema.symbols[sym];
    let name = name_of(sema, sym, taken, env);
    if symbol.is_function() {
        let (result, params) = signature(sema, sym);
        let func = Func::new(name, result, params, Linkage::Declared);
        links.rows[sym] = env.funcs.push(func).index() as u32;
        return;
    }
    let shape = match symbol.ty.view() {
        TyView::Array(_, dim) => links.shapes[dim],
        TyView::Scalar(scalar) => Shape::scalar(scalar_type(scalar)),
        _ => return,
    };
    let linkage = if sema.exports == Exports::Main { Linkage::Internal } else { Linkage::Declared };
    let (image, constant) = (Image::default(), symbol.is_const());
    let global = env.globals.push(Global::new(name, shape, constant, linkage, image));
    links.rows[sym] = global.index() as u32;
}

fn add_global(sema: &Sema, sym: Sym, taken: &[Name], env: &mut Env, links: &mut Links) {
    let symbol = sema.symbols[sym];
    let mut image = Image::default();
    let shape = match symbol.ty.view() {
        TyView::Array(_, dim) => {
            image = image_of(sema.checked(), sym);
            links.shapes[dim]
        }
        TyView::Scalar(scalar)
            if symbol.kind != SymbolKind::GlobalConst || linkage(sema, sym) == Linkage::External =>
        {
            if symbol.data != 0 {
                image.push(0, symbol.data);
            }
            Shape::scalar(scalar_type(scalar))
        }
        _ => return,
    };
    let (name, constant) = (name_of(sema, sym, taken, env), symbol.is_const());
    let global = env.globals.push(Global::new(name, shape, constant, linkage(sema, sym), image));
    links.rows[sym] = global.index() as u32;
}

/// What an array that is constant, or outside of functions, holds at the start.
pub(super) fn image_of(sema: Checked, sym: Sym) -> Image {
    let mut image = Image::default();
    for (at, words) in sema.init(sym).into_iter().flat_map(|(inits, init)| inits.image(init)) {
        words.iter().zip(at..).for_each(|(&word, at)| image.push(at, word));
    }
    image
}

fn add_function(sema: &Sema, sym: Sym, taken: &[Name], env: &mut Env, links: &mut Links) {
    let name = name_of(sema, sym, taken, env);
    let linkage = linkage(sema, sym);
    let (result, params) = signature(sema, sym);
    let func = env.funcs.push(Func::new(name, result, params, linkage));
    links.rows[sym] = func.index() as u32;
}

/// Declares the runtime functions.
fn add_runtime(sema: &Sema, env: &mut Env, links: &mut Links) {
    for (k, row) in sema.library.functions.iter().enumerate() {
        if row.meaning != Meaning::Call {
            continue;
        }
        let func = runtime_func(row, sema.library.is_program, env);
        // Two rows may stand for one function: the macro that passes the line, and the function itself.
        let known = env.funcs.iter().find(|(_, other)| other.name == func.name).map(|(id, _)| id);
        let id: FuncId = known.unwrap_or_else(|| env.funcs.push(func));
        links.rows[Sym::new(k + 1)] = id.index() as u32;
    }
}

/// What the SysY library does with arrays of its caller; beyond that, all of it is input and output.
const READERS: [&str; 3] = ["putarray", "putfarray", "putf"];
const WRITERS: [&str; 2] = ["getarray", "getfarray"];

fn runtime_func(row: &RuntimeFunction, is_program: bool, env: &mut Env) -> Func {
    let params = row.params.iter().map(|&ty| value_type(ty));
    let params = if row.passes_line { vec![Type::I32] } else { params.collect() };
    let effect = match row.link_name {
        _ if !is_program => Effect::ALL,
        name if READERS.contains(&name) => Effect::OUTSIDE.with(Effect::READS),
        name if WRITERS.contains(&name) => Effect::OUTSIDE.with(Effect::WRITES),
        _ => Effect::OUTSIDE,
    };
    let func = Func::new(env.names.intern(row.link_name), value_type(row.result), params, Linkage::Declared);
    Func { variadic: row.variadic, effect, ..func }
}
