//! What failed checks call: the functions that say what is wrong and end the program, what these call of a C library, and the data
//! that checks of the stack share. Declared with the outline; made behind all passes, since only then it is known what is called.

use super::{Checks, stack};
use crate::base::Handle;
use crate::ir::draft::{Draft, Room};
use crate::ir::module::Address;
use crate::ir::{
    Body, Effect, Env, Func, FuncId, Global, GlobalId, Image, Linkage, Op, Place, Shape, Type, Value,
};
use std::sync::atomic::{AtomicU32, Ordering};

/// What `faults` make calls of, declared from the start.
pub const CALLED_BY_CHECKS: [&str; 3] = ["fflush", "dprintf", "_Exit"];

/// What faults are told by, and ends the program: of two ints, and of a float.
const FAULTS: [&str; 2] = ["sysy.fault", "sysy.fault.float"];

/// What looks at the stack once more, and where its end is noted.
const STACK: &str = "sysy.stack";
const LIMIT: &str = "sysy.limit";
const FRAMES: &str = "sysy.frames";
/// A byte that says of every element of an array that it has a value, and whether the last function that ended had one for
/// its caller.
const GIVEN: &str = "sysy.given";
const RETURNED: &str = "sysy.returned";
/// The record of the innermost call: the one around it, a text, line and column, in the frame of the caller.
const CALLS: &str = "sysy.calls";
/// What `main` of the source is called where calls are checked.
pub(in crate::lower) const MAIN: &str = "main";
pub(in crate::lower) const BODY: &str = "sysy.main";

/// What checks lead to.
#[derive(Debug)]
pub(in crate::lower) struct Faults {
    pub(super) tell: [FuncId; 2],
    pub(super) stack: FuncId,
    pub(super) limit: GlobalId,
    pub(super) calls: GlobalId,
    /// Only where values are looked at.
    pub(super) given: Option<GlobalId>,
    pub(super) returned: Option<GlobalId>,
    /// The table of what frames take at least, and what stands in it in the end: per function of the source, by
    /// its number, the bytes of its arrays.
    pub(super) table: GlobalId,
    pub(super) frames: Vec<AtomicU32>,
}

impl Faults {
    /// Fills the table, once all functions are IR.
    pub(in crate::lower) fn note_frames(&self, env: &mut Env) {
        let mut image = Image::default();
        for (k, bytes) in self.frames.iter().enumerate() {
            match bytes.load(Ordering::Relaxed) {
                0 => {}
                bytes => image.push(k as u32, bytes),
            }
        }
        // Passes that drop globals give the others new numbers.
        if let Some(table) = global(env, FRAMES) {
            env.globals[table].image = image;
        }
    }
}

/// The global of this name.
fn global(env: &Env, name: &str) -> Option<GlobalId> {
    let name = env.names.find(name)?;
    env.globals.iter().find(|(_, row)| row.name == name).map(|(global, _)| global)
}

/// Declares what checks call.
pub(in crate::lower) fn declare(env: &mut Env, functions: usize, checks: Checks) -> Faults {
    let mut add = |name: &str, result, params: &[Type], variadic| {
        let func = Func::new(env.names.intern(name), result, params.to_vec(), Linkage::Declared);
        env.funcs.push(Func { variadic, effect: Effect::OUTSIDE.with(Effect::READS), ..func })
    };
    // The stream is no one, for all of them: zero.
    add("fflush", Type::I32, &[Type::I32], false);
    add("dprintf", Type::I32, &[Type::I32, Type::Ptr], true);
    add("_Exit", Type::Void, &[Type::I32], false);
    let place = [Type::Ptr, Type::I32, Type::I32];
    let of = |more: &[Type]| [&place[..], more].concat();
    let tell = [
        add(FAULTS[0], Type::Void, &of(&[Type::I32, Type::I32]), false),
        add(FAULTS[1], Type::Void, &of(&[Type::F32]), false),
    ];
    let stack = add(STACK, Type::Void, &of(&[Type::Ptr]), false);
    let limits = add("getrlimit", Type::I32, &[Type::I32, Type::Ptr], false);
    env.funcs[limits].effect = Effect::ALL;
    // Nothing else has the address of one of these: it stands for nothing.
    let [limit, calls] = [LIMIT, CALLS].map(|name| {
        let global = GlobalId::new(env.globals.len());
        let own = Address { at: 0, to: global, offset: 0, from_start: None };
        let image = Image { addresses: vec![own], ..Image::default() };
        let name = env.names.intern(name);
        env.globals.push(Global::new(name, Shape::scalar(Type::Ptr), false, Linkage::Internal, image))
    });
    let [given, returned] = [(GIVEN, Type::I8), (RETURNED, Type::I32)].map(|(name, ty)| {
        checks.has(Checks::MEMORY).then(|| {
            let (name, mut image) = (env.names.intern(name), Image::default());
            image.push(0, 1);
            env.globals.push(Global::new(name, Shape::scalar(ty), false, Linkage::Internal, image))
        })
    });
    // A table of what nothing calls has one row.
    let shape = env.shapes.array(Shape::scalar(Type::I32), functions.max(1) as u32);
    let name = env.names.intern(FRAMES);
    let table = env.globals.push(Global::new(name, shape, false, Linkage::Internal, Image::default()));
    let frames = (0..functions).map(|_| AtomicU32::new(0)).collect();
    let main = env.names.find(MAIN).and_then(|name| {
        let mut rows = env.funcs.iter().take(functions);
        rows.find(|(_, row)| row.name == name && row.linkage != Linkage::Declared).map(|row| row.0)
    });
    if let Some(body) = main.filter(|_| checks.has(Checks::STACK)) {
        // What calls it comes later: nothing here may go.
        let name = std::mem::replace(&mut env.funcs[body].name, env.names.intern(BODY));
        env.funcs[body].kept = true;
        [limit, table, calls].iter().for_each(|&global| {
            (env.globals[global].linkage, env.globals[global].kept) = (Linkage::External, true)
        });
        env.funcs.push(Func::new(name, Type::I32, Vec::new(), Linkage::Declared));
    }
    Faults { tell, stack, limit, calls, given, returned, table, frames }
}

/// The number of a program that stops: what a shell shows for `abort`, as `sysyc run` ends.
pub(super) const STOPPED: i32 = 134;

/// The functions that checks call, as far as `is_called`, which are declared so far: they show what was printed,
/// tell, and end the program; and the `main` in front of that of the source, which is in the file `path`. From here on they
/// are defined.
pub fn faults(env: &mut Env, path: &str, is_called: impl Fn(FuncId, &str) -> bool) -> Vec<Body> {
    let find = |env: &Env, name: &str| {
        let name = env.names.find(name)?;
        env.funcs
            .iter()
            .find(|(_, row)| row.name == name && row.linkage == Linkage::Declared)
            .map(|row| row.0)
    };
    let called = |env: &Env, name: &str| find(env, name).filter(|&func| is_called(func, name));
    let callees = CALLED_BY_CHECKS.map(|name| find(env, name));
    let [Some(flush), Some(print), Some(exit)] = callees else { return Vec::new() };
    let mut bodies = Vec::new();
    let source = env
        .names
        .find(BODY)
        .and_then(|name| env.funcs.iter().find(|row| row.1.name == name))
        .map(|row| row.0);
    if let (Some(func), Some(body), Some(stack)) = (find(env, MAIN), source, find(env, STACK))
        && let (Some(limit), Some(table)) = (global(env, LIMIT), global(env, FRAMES))
    {
        let text =
            format!("{path}: runtime error: stack overflow in the variables of 'main'\n").replace('%', "%%");
        let shape = env.shapes.array(Shape::scalar(Type::I8), text.len() as u32 + 1);
        let name = env.names.intern("sysy.main.text");
        let image = Image::string(text.as_bytes());
        let text = env.globals.push(Global::new(name, shape, true, Linkage::Internal, image));
        env.funcs[func].linkage = Linkage::External;
        bodies.push(stack::main(env, func, (body, stack), [text, limit, table]));
    }
    let has_main = !bodies.is_empty();
    if let Some(func) = called(env, STACK).or_else(|| find(env, STACK).filter(|_| has_main))
        && let Some(limits) = find(env, "getrlimit")
        && let (Some(limit), Some(calls)) = (global(env, LIMIT), global(env, CALLS))
    {
        env.funcs[func].linkage = Linkage::Internal;
        let text = Image::string(b"    ...\n");
        let shape = env.shapes.array(Shape::scalar(Type::I8), 9);
        let name = env.names.intern("sysy.calls.more");
        let more = env.globals.push(Global::new(name, shape, true, Linkage::Internal, text));
        bodies.push(stack::stack(env, func, [limit, calls, more], [flush, print, exit, limits]));
    }
    for func in FAULTS.map(|name| called(env, name)).into_iter().flatten() {
        env.funcs[func].linkage = Linkage::Internal;
        let mut body = Draft::new(func, &env.funcs[func], None, Room::default());
        let b = body.create_block();
        let mut args: Vec<Value> = body.params().map(Value::inst).collect();
        let call = |body: &mut Draft, callee: FuncId, ty, args: &[Value]| {
            body.append_all(b, Op::Call, ty, args, callee.index() as u32, Place::NONE)
        };
        let (all, stderr, code) = (body.int(0), body.int(2), body.int(STOPPED));
        call(&mut body, flush, Type::I32, &[all]);
        if let Some(x) = args.last_mut().filter(|x| body.type_of(**x) == Type::F32) {
            *x = Value::inst(body.append(b, Op::FPExt, Type::F64, [*x], 0, Place::NONE));
        }
        args.insert(0, stderr);
        call(&mut body, print, Type::I32, &args);
        call(&mut body, exit, Type::Void, &[code]);
        body.set_unreachable(b, Place::NONE);
        bodies.push(body.finish());
    }
    bodies
}
