//! Register allocation on SSA machine IR: a scan that spills until pressure fits, then colouring in dominance order.
//!
//! | file | does |
//! | --- | --- |
//! | `normalise` | copies for tied uses |
//! | `flow` | block order, edges, loops that intervals must survive |
//! | `homes` | which values live in registers, in slots, or are computed again |
//! | `thin` | keeps live-in lists short in functions with very many values |
//! | `liveness` | live-in lists, last uses |
//! | `weights` | lengths of lives and costs of spilling |
//! | `tight` | blocks that may have more values than registers |
//! | `choose` | the scan of those: which values go to memory |
//! | `loops`, `regions` | loops that a spilled value spends in a register |
//! | `insert` | stand-ins beside spilled values |
//! | `wishes`, `color` | registers for all others, by `ranks` |
//! | `slots` | slots for spilled values |
//! | `moves` | parallel moves in sequence |
//! | `emit` | writes the allocated function |
//! | `window` | usual rows, three operands at a time |
//! | `rewrite` | the rows of a function that is rewritten |
//! | `fast` | all of this in one walk, for -O0 |
//! | `check` | proves an allocation right, symbolically |
//!
//! Each round is linear in rows and live-in lists. On SSA, pressure within the number of registers is enough for colouring to
//! succeed, but values across calls are restricted to callee-saved registers, and then it is not. So colouring may fail at
//! some values; those (or the cheapest ones in their way) are spilled and the next round starts. Later rounds
//! stop sharing reloads, and after `ROUNDS` every value across calls is spilled: no restriction is left, and colouring is certain.
//! (Hack, Grund and Goos 2006; Braun and Hack 2009; Poletto and Sarkar 1999; regalloc2's design notes for the checker.)

mod check;
mod choose;
mod color;
mod emit;
mod fast;
mod flow;
mod homes;
mod insert;
mod liveness;
mod loops;
mod moves;
mod normalise;
mod ranks;
mod regions;
mod rewrite;
mod slots;
mod thin;
mod tight;
mod weights;
mod window;
mod wishes;

#[cfg(test)]
mod tests;

use crate::base::{Handle, Opt};
use crate::mir::{Class, Func, Inst, Machine, PRegSet, VReg};

/// Rounds after which every value that lives across a call goes to memory.
const ROUNDS: u32 = 6;

/// How to allocate.
#[derive(Copy, Clone, Debug, Default)]
pub struct Options {
    /// Less time rather than better code.
    pub fast: bool,
    /// Prove the result right, symbolically, and fail if it is not.
    pub verify: bool,
}

/// What allocation did.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rounds of liveness and colouring.
    pub rounds: u32,
    /// Values sent to memory or made to be computed again.
    pub spilled: usize,
    /// Loops that a spilled value spends in a register.
    pub regions: usize,
    /// Register moves that were added or kept.
    pub moves: usize,
    /// Loads from spill slots.
    pub reloads: usize,
    /// Stores to spill slots.
    pub spills: usize,
    /// Rows that were done again.
    pub remats: usize,
    /// Rows and live-in entries looked at, over all rounds: what the time is made of.
    pub work: usize,
}

/// Why a function was not allocated. All of these are bugs of the caller's or ours, never the input's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocError {
    /// A row needs more registers at once than there are.
    TooFewRegisters,
    /// Something that cannot be.
    Internal(&'static str),
    /// The checker found a wrong place.
    Wrong(String),
}

impl std::fmt::Display for AllocError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AllocError::TooFewRegisters => f.write_str("an instruction needs more registers than there are"),
            AllocError::Internal(what) => f.write_str(what),
            AllocError::Wrong(what) => write!(f, "the allocation is wrong: {what}"),
        }
    }
}

/// What a class can hold.
#[derive(Debug)]
struct Limits {
    /// Per class: the allocatable registers.
    registers: [PRegSet; 2],
    /// Per class: how many of them there are, and how many of those survive calls.
    total: [usize; 2],
    kept: [usize; 2],
}

impl Limits {
    fn of(machine: &Machine) -> Limits {
        let registers = Class::ALL.map(|class| PRegSet::of(machine.class(class).order));
        Limits {
            registers,
            total: registers.map(PRegSet::count),
            kept: registers.map(|set| PRegSet(set.0 & machine.callee_saved.0).count()),
        }
    }
}

/// Takes a function from *selected* to *allocated*. `ENTRY`, calls and returns keep their operands, as physical registers.
#[inline(never)]
pub fn allocate(func: &mut Func, machine: &Machine, options: &Options) -> Result<Stats, AllocError> {
    if func.blocks.is_empty() {
        return Ok(Stats::default());
    }
    if options.fast && !options.verify {
        return Ok(fast::allocate(func, machine, false)?.0);
    }
    let flow = flow::Flow::new(func);
    let given = options.verify.then(|| func.clone());
    let (stats, origins) = if options.fast {
        fast::allocate(func, machine, true)?
    } else {
        assign(func, machine, &flow, options.verify)?
    };
    if let Some(given) = given {
        check::check(&given, func, &flow, &origins, machine).map_err(AllocError::Wrong)?;
    }
    Ok(stats)
}

/// Allocates; the second result says which row of the given function each row is, if somebody wants to know.
fn assign(
    func: &mut Func,
    machine: &Machine,
    flow: &flow::Flow,
    origins: bool,
) -> Result<(Stats, rewrite::Origins), AllocError> {
    let mut stats = Stats::default();
    let given = if origins || func.places { func.insts.len() } else { 0 };
    let mut origins: rewrite::Origins =
        (0..given).map(|i| Opt::some(Inst::new(i))).collect::<Vec<_>>().into();
    let copies = normalise::normalise(func, machine, &mut origins);
    let limits = Limits::of(machine);
    let mut homes = homes::Homes::new(func);
    for copy in copies {
        homes.pinned.insert(copy);
    }
    let windows = window::windows(func, machine);
    let mut far = liveness::FarUses::of(func, &windows, &homes);
    let thinned = thin::thin(func, machine, flow, &limits, &mut homes, &far);
    if thinned > 0 {
        far = liveness::FarUses::of(func, &windows, &homes);
    }
    stats.spilled += thinned;
    let mut live = liveness::compute_from(far, windows, func, machine, flow, &homes);
    stats.rounds = 1;
    stats.work += func.insts.len() + live.size();
    // Most functions need no more than the registers there are, and nobody need be weighed against another.
    let coloring = match color::color(func, machine, flow, &live, None, &limits, &mut homes) {
        Ok((coloring, _)) if thinned == 0 => Ok(coloring),
        _ => spill(func, machine, flow, &limits, &mut live, &mut homes, &mut origins, &mut stats),
    }?;
    let slots = slots::assign(func, machine, flow, &homes);
    emit::emit(func, machine, flow, &live, &homes, &coloring, &slots, &mut origins, &mut stats)?;
    Ok((stats, origins))
}

/// Spills until colouring succeeds. `live` is of the function as it stands, before and after.
#[allow(clippy::too_many_arguments)]
#[cold]
fn spill(
    func: &mut Func,
    machine: &Machine,
    flow: &flow::Flow,
    limits: &Limits,
    live: &mut liveness::Liveness,
    homes: &mut homes::Homes,
    origins: &mut rewrite::Origins,
    stats: &mut Stats,
) -> Result<color::Coloring, AllocError> {
    let loops = loops::find(func, flow);
    loop {
        let reuse = stats.rounds < 3;
        let mut scale = weights::Scale::default();
        let (mut chosen, looked_at) =
            choose::choose(func, machine, flow, live, &scale, limits, &loops, homes)?;
        stats.work += looked_at;
        if stats.rounds > ROUNDS {
            let weights = scale.get(func, machine, flow, live, homes);
            let crossing = |&v: &VReg| live.crosses[v] && !choose::in_memory(homes, v);
            let crossing: Vec<_> = func.vregs.keys().filter(crossing).collect();
            chosen += crossing.len();
            crossing.into_iter().for_each(|v| choose::spill(func, machine, weights, homes, v));
        }
        stats.spilled += chosen;
        if stats.rounds == 1 && stats.spilled > 0 || chosen > 0 {
            let touched = homes.touched(func, &live.windows);
            let mut found = regions::Regions::default();
            if reuse {
                let weights = scale.get(func, machine, flow, live, homes);
                found = regions::find(func, machine, flow, &loops, live, weights, limits, homes, &touched);
                stats.regions += found.list.len();
            }
            insert::insert(func, machine, live, limits, homes, origins, &loops, &found, &touched, reuse);
            scale = weights::Scale::default();
            renew(live, func, machine, flow, homes);
            stats.work += func.insts.len() + live.size();
        }
        let (coloring, failed) = color::color(func, machine, flow, live, Some(&scale), limits, homes)?;
        if failed == 0 {
            return Ok(coloring);
        }
        if stats.rounds > ROUNDS + 2 {
            return Err(AllocError::Internal("colouring does not come to an end"));
        }
        stats.spilled += failed;
        let (none, touched) = (regions::Regions::default(), homes.touched(func, &live.windows));
        insert::insert(func, machine, live, limits, homes, origins, &loops, &none, &touched, reuse);
        renew(live, func, machine, flow, homes);
        stats.rounds += 1;
        stats.work += func.insts.len() + live.size();
    }
}

/// Computes liveness anew, in place of the old one, which is large.
fn renew(
    live: &mut liveness::Liveness,
    func: &Func,
    machine: &Machine,
    flow: &flow::Flow,
    homes: &homes::Homes,
) {
    drop(std::mem::take(live));
    *live = liveness::compute(func, machine, flow, homes);
}
