//! Programs that count what they execute (`-fprofile-generate`).
//!
//! Each function has a record in the section `sysyc_counts`, as files of counts hold it (`ir/profile`): so a file is the
//! section as it is when `main` returns, and linkers put together what several objects have. A counter has 64 bits on
//! all machines, and goes up behind what its block does: plain loads and stores, which passes keep in registers over loops.
//! They stand in the IR as it is lowered (`ir/counters`), in front of all passes, so counts do not depend on the level, and only
//! on edges from which all others follow: bubble sort executes 1.15 times what it does without, where it was 5.6 with one of two
//! words for each block and critical edge.
//!
//! What is written is by `fopen`, `fwrite` and `fclose`, which a C library has and ours, too. A program that is stopped
//! writes nothing.
//!
//! O(blocks + edges) a function.

use super::checks::{BODY, Checks, MAIN};
use crate::base::Handle;
use crate::ir::counters::{self, Link};
use crate::ir::profile::{HEAD, Record};
use crate::ir::{
    At, Block, Body, Effect, Env, Func, FuncId, Global, GlobalId, Image, IntPred, Linkage, Op, Place, Shape,
    Type, Value,
};

/// The section, and what linkers call its ends.
const SECTION: &str = "sysyc_counts";
const ENDS: [&str; 2] = ["__start_sysyc_counts", "__stop_sysyc_counts"];
/// In front of the name of a function: its record.
const RECORD: &str = "sysyc.counts.";
/// What writes the file.
const WRITE: &str = "sysyc.write_counts";
/// Words of a record before it is known how many it has.
const MOST: u32 = 1 << 26;

/// What is declared for functions that count.
#[derive(Copy, Clone, Debug)]
pub struct Counted {
    /// The record of the first function of the source.
    first: GlobalId,
    write: FuncId,
}

/// What a function is called in profiles: where calls are checked, the `main` of the source has another name.
pub fn plain(name: &str) -> &str {
    if name == BODY { MAIN } else { name }
}

/// Declares the records of so many functions.
pub fn declare(env: &mut Env, functions: usize) -> Counted {
    let first = GlobalId::new(env.globals.len());
    let shape = shape(env, MOST);
    let section = env.names.intern(SECTION);
    for k in 0..functions {
        let name = format!("{RECORD}{}", plain(env.names.text(env.funcs[FuncId::new(k)].name)));
        let name = env.names.intern(&name);
        let mut row = Global::new(name, shape, false, Linkage::External, Image::default());
        (row.kept, row.section) = (true, Some(section).into());
        env.globals.push(row);
    }
    let name = env.names.intern(WRITE);
    let write = Func::new(name, Type::Void, Vec::new(), Linkage::Declared);
    let write = env.funcs.push(Func { effect: Effect::ALL, ..write });
    Counted { first, write }
}

/// A record of so many words.
fn shape(env: &Env, words: u32) -> Shape {
    let shape = env.shapes.array(Shape::scalar(Type::I32), words);
    env.shapes.aligned(shape, 8)
}

/// Makes a function of the source count; the `main` of the source writes at its end. The record, still without counts.
pub fn count(f: &mut Body, env: &Env, counted: Counted, checks: Checks) -> Record {
    let name = plain(env.names.text(env.funcs[f.func].name)).to_string();
    let (shape, all) = (counters::shape(f), counters::counted(f));
    let record = Value::global(GlobalId::new(counted.first.index() + f.func.index()));
    // Blocks are chosen before one is made: an edge that stands alone at one of its ends is counted there.
    let alone = |f: &Body, link: Link| match link {
        Link::In => f.entry(),
        Link::Out(b) => Some(b),
        Link::Edge(e) if f.succs(f.edge_from(e)).len() == 1 => Some(f.edge_from(e)),
        Link::Edge(e) => Some(f.edge_to(e)).filter(|&b| f.preds(b).len() == 1),
    };
    let places: Vec<(Link, Option<Block>)> = all.iter().map(|&link| (link, alone(f, link))).collect();
    for (k, (link, b)) in places.into_iter().enumerate() {
        let b = match (b, link) {
            (Some(b), _) => b,
            (None, Link::Edge(e)) => f.split_edge(e),
            (None, _) => continue,
        };
        increment(f, b, record, HEAD / 2 + k);
    }
    if name == MAIN {
        let ends = |f: &Body, b: &Block| f.terminator(*b).is_some_and(|i| f.op(i) == Op::Ret);
        for b in f.blocks().filter(|b| ends(f, b)).collect::<Vec<Block>>() {
            let write = counted.write.index() as u32;
            f.insert(At::BeforeTerminator(b), Op::Call, Type::Void, &[], write, Place::NONE);
        }
    }
    Record { name, shape, checks: checks.bits(), counts: vec![0; all.len()] }
}

/// One more in the counter that is the `at`-th double word.
fn increment(f: &mut Body, b: Block, record: Value, at: usize) {
    let word = Shape::scalar(Type::I64).index() as u32;
    let add = |f: &mut Body, op, ty, args: &[Value], payload: u32| {
        Value::inst(f.insert(At::BeforeTerminator(b), op, ty, args, payload, Place::NONE))
    };
    let (at, one) = (f.int(at as i32), f.int_of(Type::I64, 1));
    let address = add(f, Op::ElemAddr, Type::Ptr, &[record, at], word);
    let old = add(f, Op::Load, Type::I64, &[address], 0);
    let new = add(f, Op::Add, Type::I64, &[old, one], 0);
    add(f, Op::Store, Type::Void, &[new, address], 0);
}

/// Fills in the records, and makes what writes them to a file, if there is a `main` that calls it. Passes are done.
pub fn finish(env: &mut Env, records: &[Record], path: &str, pointer_bytes: u32) -> Option<Body> {
    for record in records {
        let name = env.names.find(&format!("{RECORD}{}", record.name))?;
        let (global, _) = env.globals.iter().find(|(_, row)| row.name == name)?;
        let words = record.words();
        let shape = shape(env, words.len() as u32);
        let row = &mut env.globals[global];
        (0..).zip(words).filter(|row| row.1 != 0).for_each(|(at, word)| row.image.push(at, word));
        row.shape = shape;
    }
    let name = env.names.find(WRITE)?;
    let write = env.funcs.iter().find(|(_, row)| row.name == name)?.0;
    if !records.iter().any(|record| record.name == MAIN) {
        return None;
    }
    env.funcs[write].linkage = Linkage::Internal;
    let size = if pointer_bytes == 8 { Type::I64 } else { Type::I32 };
    let mut declare = |name: &str, result, params: &[Type]| {
        let name = env.names.intern(name);
        env.funcs.push(Func::new(name, result, params.to_vec(), Linkage::Declared)).index()
    };
    let open = declare("fopen", Type::Ptr, &[Type::Ptr, Type::Ptr]);
    let put = declare("fwrite", size, &[Type::Ptr, size, size, Type::Ptr]);
    let close = declare("fclose", Type::I32, &[Type::Ptr]);
    let [start, stop] = ENDS.map(|name| {
        let (name, shape) = (env.names.intern(name), Shape::scalar(Type::I32));
        Value::global(env.globals.push(Global::new(name, shape, false, Linkage::Declared, Image::default())))
    });
    let [path, mode] = [("sysyc.counts_file", path), ("sysyc.counts_mode", "wb")].map(|(name, text)| {
        let shape = env.shapes.array(Shape::scalar(Type::I8), text.len() as u32 + 1);
        let (name, image) = (env.names.intern(name), Image::string(text.as_bytes()));
        Value::global(env.globals.push(Global::new(name, shape, true, Linkage::Internal, image)))
    });
    let mut f = Body::new(write, &env.funcs[write]);
    let [entry, opened, end] = [(); 3].map(|()| f.create_block());
    let add = |f: &mut Body, b, op, ty, args: &[Value], payload: usize| {
        Value::inst(f.insert(At::End(b), op, ty, args, payload as u32, Place::NONE))
    };
    let stream = add(&mut f, entry, Op::Call, Type::Ptr, &[path, mode], open);
    // As a number: the IR has no null pointer as a constant.
    let number = add(&mut f, entry, Op::PtrToInt, size, &[stream], 0);
    let zero = f.int_of(size, 0);
    let is_open = add(&mut f, entry, Op::ICmp, Type::I1, &[number, zero], IntPred::Ne as usize);
    f.set_cond_br(entry, is_open, opened, end, Place::NONE);
    let [from, to] = [start, stop].map(|edge| add(&mut f, opened, Op::PtrToInt, size, &[edge], 0));
    let bytes = add(&mut f, opened, Op::Sub, size, &[to, from], 0);
    let one = f.int_of(size, 1);
    add(&mut f, opened, Op::Call, size, &[start, one, bytes, stream], put);
    add(&mut f, opened, Op::Call, Type::I32, &[stream], close);
    f.set_br(opened, end, Place::NONE);
    f.set_ret(end, None, Place::NONE);
    Some(f)
}
