//! Whole programs, function by function: who makes IR is asked for one function at a time, and what is not needed any more is dropped
//! or used again at once. So memory holds code, and IR of as many functions as there are workers (-O0), or of a batch (-O1).
//! What comes out does not depend on the workers, and is that of making all IR, optimising and compiling it.

use super::backend::{self, Compiled, Output, Piece, all, compile_function, failure, unsound};
use super::session::{Failure, Session};
use super::{link, runtime};
use crate::analysis::Effects;
use crate::analysis::effects::{self, Own};
use crate::base::parallel::Shelf;
use crate::base::{BitSet, Column, Handle, crash};
use crate::ir::{self, Body, Env, FuncId, Global, GlobalId, Linkage, Module};
use crate::isa::prepare::Prepared;
use crate::isa::symbols::{Symbols, extend, symbols};
use crate::lower;
use crate::object::code::Target;
use crate::opt::drop_unused::{Names, kept};
use crate::opt::{self, FuncPass};
use std::sync::atomic::{AtomicBool, Ordering};

/// Who makes the IR of functions, one at a time.
pub struct Maker<S, F> {
    /// What functions share.
    pub program: lower::Program,
    /// Per function: how much work it is, in any unit.
    pub sizes: Vec<usize>,
    /// Makes function `k`. Without an answer the program has to be compiled in another way.
    pub body: F,
    /// What a worker keeps from one function to the next.
    pub scratch: fn() -> S,
    /// Takes back a body that is not needed any more.
    pub recycle: fn(&mut S, Body),
}

/// What came of a function's IR.
enum Swept {
    Done(FuncId, Output),
    /// It asks for globals, and so has to wait.
    Waits(Box<Body>),
    /// There is no IR.
    Nothing,
}

/// Makes the IR of all functions, the largest first. None if one of them cannot be made.
pub fn bodies<S, F>(session: &Session, maker: Maker<S, F>) -> Option<Module>
where
    F: Fn(&lower::Program, usize, &mut S) -> Option<Body> + Sync,
{
    let Maker { program, mut sizes, body, scratch, .. } = maker;
    let stop = AtomicBool::new(false);
    let made = session.workers.map_by_size(
        &mut sizes,
        |_, &size| size,
        scratch,
        |scratch, k, _| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let mut made = body(&program, k, scratch);
            stop.fetch_or(made.is_none(), Ordering::Relaxed);
            made.iter_mut().for_each(Body::thread_uses);
            made
        },
    );
    let bodies = made.into_iter().collect::<Option<Vec<Body>>>()?;
    let mut module = Module { env: program.env, bodies };
    module.grant_requests();
    Some(module)
}

/// Compiles a program function by function, each from the source to its code in one go, while its tables are in the cache; its IR
/// is dropped at once. Only a function that asks for globals (images of its arrays, strings) waits until all have been granted
/// theirs. The result is that of making all IR and `compile`. None if a function cannot be made.
pub fn sweep<S, F>(session: &Session, maker: Maker<S, F>, debug: bool) -> Result<Option<Compiled>, Failure>
where
    F: Fn(&lower::Program, usize, &mut S) -> Option<Body> + Sync,
{
    let Maker { program, mut sizes, body, scratch, recycle } = maker;
    let options = backend::options(session, debug);
    let (env, count) = (&program.env, sizes.len());
    let mut names = symbols(env, options.target, options.text);
    let again = |func: FuncId| {
        (0..count).find(|&k| program.func(k) == func).and_then(|k| body(&program, k, &mut scratch()))
    };
    let stop = AtomicBool::new(false);
    let swept = session.phase_over("functions", env, again, || {
        let scratch = || (scratch(), Prepared::default());
        session.workers.map_by_size(
            &mut sizes,
            |_, &size| size,
            scratch,
            |(lowering, prepared), k, _| {
                if stop.load(Ordering::Relaxed) {
                    return Ok(Swept::Nothing);
                }
                let Some(mut body) = body(&program, k, lowering) else {
                    stop.store(true, Ordering::Relaxed);
                    return Ok(Swept::Nothing);
                };
                if options.verify {
                    let verified = ir::verify::verify(env, &body);
                    verified.map_err(|error| unsound(env, &body, error.to_string()))?;
                }
                if !body.requests.is_empty() {
                    return Ok(Swept::Waits(Box::new(body)));
                }
                let swept = compile_function(env, &mut body, &names, &options, prepared)
                    .map(|output| Swept::Done(body.func, output))
                    .map_err(|error| failure(env, &body, error));
                recycle(lowering, body);
                swept
            },
        )
    })?;
    if stop.into_inner() {
        return Ok(None);
    }
    let (mut pieces, mut places, mut bodies) = (Vec::with_capacity(swept.len()), Vec::new(), Vec::new());
    for swept in swept {
        pieces.push(match swept {
            Ok(Swept::Done(func, output)) => Ok((func, output)),
            Ok(Swept::Waits(body)) => {
                let func = body.func;
                places.push(pieces.len());
                bodies.push(*body);
                Ok((func, Output::default()))
            }
            Ok(Swept::Nothing) => continue,
            Err(error) => Err(error),
        });
    }
    let mut module = Module { env: program.env, bodies };
    module.grant_requests();
    extend(&mut names, &module.env, options.target);
    let done = session.phase_on("functions", &mut module, |module| all(session, module, &names, &options))?;
    for (place, piece) in places.into_iter().zip(done) {
        pieces[place] = piece;
    }
    Ok(Some(Compiled { env: module.env, symbols: names, options, pieces }))
}

/// Bytes of source in a batch, a worker; their IR is about ten times as many. In larger batches less is in the cache (2 MB cost 3% more at
/// a million lines), behind smaller ones workers wait for each other more often.
const BATCH: usize = 1 << 18;

/// Numbers of functions in order, cut where about a batch is full.
fn batches(sizes: &[usize], most: usize) -> Vec<std::ops::Range<usize>> {
    let (mut cuts, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (k, size) in sizes.iter().enumerate() {
        bytes += size;
        if bytes >= most {
            cuts.push(start..k + 1);
            (start, bytes) = (k + 1, 0);
        }
    }
    if start < sizes.len() {
        cuts.push(start..sizes.len());
    }
    cuts
}

/// The same as `sweep` with passes over each function, batch after batch in the order of the source: of a batch, IR is made, what
/// it asks for is granted, and what its functions can do becomes known; then each function is optimised and compiled in
/// one go. Functions that nothing calls in the end are left out, and globals that nothing names.
pub fn sweep_batches<S, F>(
    session: &Session,
    maker: Maker<S, F>,
    passes: &[&'static FuncPass],
) -> Result<Option<Compiled>, Failure>
where
    S: Send + Default,
    F: Fn(&lower::Program, usize, &mut S) -> Option<Body> + Sync,
{
    let Maker { mut program, sizes, body, .. } = maker;
    // Workers come and go with the batches; their tables stay.
    let (making, compiling) = (Shelf::default(), Shelf::<(opt::manager::Worker, Prepared)>::default());
    let options = backend::options(session, false);
    let mut known = Effects::default();
    known.begin(&program.env);
    let mut symbols = symbols(&program.env, options.target, options.text);
    let mut pieces: Vec<Piece> = Vec::with_capacity(sizes.len());
    let mut names: Column<FuncId, Names> = Column::filled(program.env.funcs.len(), Names::default());
    let stop = AtomicBool::new(false);
    let mut floats: Column<FuncId, bool> = Column::filled(program.env.funcs.len(), false);
    let putf = runtime::putf(&program.env).filter(|_| link::is_alone(&session.options));
    for batch in batches(&sizes, BATCH * session.workers.jobs()) {
        let mut jobs: Vec<usize> = batch.collect();
        let made = session.phase("functions", || {
            session.workers.map_by_size(
                &mut jobs,
                |_, &k| sizes[k],
                || making.take(),
                |scratch, _, &mut k| {
                    if stop.load(Ordering::Relaxed) {
                        return None;
                    }
                    let Some(made) = body(&program, k, &mut scratch.own) else {
                        stop.store(true, Ordering::Relaxed);
                        return None;
                    };
                    crash::enter("effects", Some(made.func.index() as u32));
                    let own = effects::own(&made);
                    Some((made, own))
                },
            )
        });
        let Some(made) = made.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let (bodies, own): (Vec<Body>, Vec<Own>) = made.into_iter().unzip();
        let mut module = Module { env: std::mem::take(&mut program.env), bodies };
        session.phase("effects", || {
            module.grant_requests();
            known.add(&module.env, own.into_iter());
        });
        let Module { env, bodies } = module;
        program.env = env;
        let env = &program.env;
        extend(&mut symbols, env, options.target);
        let mut bodies: Vec<Option<Body>> = bodies.into_iter().map(Some).collect();
        let again = |func: FuncId| {
            let k = jobs.iter().find(|&&k| program.func(k) == func)?;
            body(&program, *k, &mut S::default())
        };
        let how = &session.options.passes;
        let done = session.phase_over("functions", env, again, || {
            session.workers.map_by_size(
                &mut bodies,
                |_, body| body.as_ref().map_or(0, Body::inst_count),
                || compiling.take(),
                |scratch, _, body| {
                    let (worker, prepared) = &mut scratch.own;
                    // Its memory goes with it.
                    let mut f = body.take()?;
                    opt::manager::run_passes(env, &known, how, passes, &mut f, worker);
                    let names = Names::of(&f);
                    let floats = putf
                        .is_some_and(|putf| names.funcs.contains(&putf) && runtime::passes_float(&f, putf));
                    let output = compile_function(env, &mut f, &symbols, &options, prepared);
                    let output =
                        output.map(|output| (f.func, output)).map_err(|error| failure(env, &f, error));
                    Some((f.func, names, floats, output))
                },
            )
        })?;
        for (func, named, prints_float, piece) in done.into_iter().flatten() {
            names[func] = named;
            floats[func] = prints_float;
            pieces.push(piece);
        }
    }
    let mut env = program.env;
    let (funcs, globals) = kept(&env, &names);
    if let Some(putf) = putf.filter(|_| !floats.iter().any(|(func, &floats)| floats && funcs.contains(func)))
    {
        runtime::narrow_putf(&mut env, putf);
    }
    for (k, row) in env.funcs.as_mut_slice().iter_mut().enumerate() {
        if !funcs.contains(FuncId::new(k)) {
            row.linkage = Linkage::Declared;
        }
    }
    pieces.retain(|piece| piece.as_ref().map_or(true, |(func, _)| funcs.contains(*func)));
    drop_globals(&mut env, &globals, &mut pieces, &mut symbols);
    Ok(Some(Compiled { env, symbols, options, pieces }))
}

/// Takes out the globals that nothing names, and numbers those that stay anew.
fn drop_globals(env: &mut Env, used: &BitSet<GlobalId>, pieces: &mut [Piece], symbols: &mut Symbols) {
    if used.count() == env.globals.len() {
        return;
    }
    let mut new: Column<GlobalId, u32> = Column::filled(env.globals.len(), u32::MAX);
    let mut kept: Column<GlobalId, Global> = Column::new();
    for (k, row) in std::mem::take(&mut env.globals).into_vec().into_iter().enumerate() {
        if used.contains(GlobalId::new(k)) {
            new[GlobalId::new(k)] = kept.next_handle().index() as u32;
            kept.push(row);
        }
    }
    env.globals = kept;
    let names = std::mem::take(&mut symbols.globals).into_vec().into_iter().enumerate();
    let names = names.filter(|(k, _)| used.contains(GlobalId::new(*k)));
    symbols.globals = names.map(|(_, name)| name).collect::<Vec<String>>().into();
    for (_, output) in pieces.iter_mut().flatten() {
        for fixup in &mut output.code.fixups {
            if let Target::Global(global) = &mut fixup.target {
                *global = new[GlobalId::new(*global as usize)];
            }
        }
    }
}
