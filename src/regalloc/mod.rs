//! Register allocation on SSA machine IR: a scan that spills until pressure fits, then colouring in dominance
//! order.
//!
//! | file | does |
//! | --- | --- |
//! | `normalise` | copies for tied uses |
//! | `flow` | block order, edges, loops that intervals must survive |
//! | `homes` | which values live in registers, in slots, or are computed again |
//! | `thin` | keeps live-in lists short in functions with very many values |
//! | `liveness` | live-in lists, last uses; and behind an insertion |
//! | `weights` | lengths of lives and costs of spilling |
//! | `pressure` | units in use: at a row, in a block |
//! | `choose` | the scan of blocks that have too many: which values go to memory |
//! | `webs` | phis that follow others to memory |
//! | `times` | how often blocks are executed, where arms of loops call |
//! | `loops`, `regions` | loops that a spilled value spends in a register |
//! | `restore` | such loops with calls in arms that are seldom taken |
//! | `insert` | stand-ins beside spilled values |
//! | `wishes`, `color` | registers for all others, by `ranks` |
//! | `slots`, `share` | slots for spilled values |
//! | `moves` | parallel moves in sequence |
//! | `debug_values` | where the values are that debuggers are shown |
//! | `emit` | writes the allocated function |
//! | `window` | usual rows, three operands at a time |
//! | `fast` | all of this in one walk, for -O0 |
//! | `check` | proves an allocation right, symbolically |
//!
//! Each round is linear in rows and live-in lists. On SSA, pressure within the number of registers is enough
//! for colouring to succeed, but values across calls are restricted to callee-saved registers, and then it is
//! not. So colouring may fail at some values; those (or the cheapest ones in their way) are spilled and the
//! next round starts. Later rounds stop sharing reloads, and after `ROUNDS` every value across calls is
//! spilled: no restriction is left, and colouring is certain. (Hack, Grund and Goos 2006; Braun and Hack
//! 2009; Poletto and Sarkar 1999; regalloc2's design notes for the checker.)

mod check;
mod choose;
mod color;
mod debug_values;
mod emit;
mod fast;
mod flow;
mod homes;
mod insert;
mod liveness;
mod loops;
mod moves;
mod normalise;
mod pressure;
mod ranks;
mod regions;
mod restore;
mod share;
mod slots;
mod thin;
mod times;
mod webs;
mod weights;
mod window;
mod wishes;

#[cfg(test)]
mod tests;

use crate::base::{Column, Handle, Opt};
use crate::mir::analyses::Analyses;
use crate::mir::rewrite::Origins;
use crate::mir::{Block, Func, Inst, Machine, VReg};
use flow::Flow;
use homes::Homes;
use liveness::{FarUses, Inserted, Liveness};
use loops::Loops;
use pressure::{Counts, Limits};

/// Rounds after which every value that lives across a call goes to memory.
const ROUNDS: u32 = 6;

/// Rounds after which something is wrong. Where registers overlap, each round may end with a value that finds
/// no run of units.
const MOST_ROUNDS: u32 = 40;

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
    /// Those of them in which calls destroy the register, and it is loaded again behind each.
    pub restores: usize,
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

/// What the phases of one allocation share.
struct Cx<'a> {
    func: &'a mut Func,
    machine: &'a Machine,
    flow: &'a Flow,
    analyses: &'a mut Analyses,
    limits: Limits,
    homes: Homes,
    /// Of the function as it stands.
    live: Liveness,
    /// Empty until something has to be spilled.
    loops: Loops,
    /// Per block: how often it is executed; empty until something has to be spilled.
    times: Column<Block, u64>,
    /// Which row of the given function each row is, if that is wanted.
    origins: Origins,
    /// Blocks, of those in order, to which the last colouring came without a failure.
    coloured: usize,
    /// Liveness is computed again for comparison.
    verify: bool,
    stats: Stats,
}

/// The part that a walk reads while it changes the homes.
#[derive(Copy, Clone)]
struct View<'a> {
    func: &'a Func,
    machine: &'a Machine,
    flow: &'a Flow,
    limits: &'a Limits,
    live: &'a Liveness,
    loops: &'a Loops,
    times: &'a Column<Block, u64>,
}

impl Cx<'_> {
    fn split(&mut self) -> (View<'_>, &mut Homes) {
        let Cx { func, machine, flow, limits, homes, live, loops, times, .. } = self;
        (View { func, machine, flow, limits, live, loops, times }, homes)
    }

    fn view(&self) -> View<'_> {
        let Cx { func, machine, flow, limits, live, loops, times, .. } = self;
        View { func, machine, flow, limits, live, loops, times }
    }

    /// Brings liveness to the function as it stands behind an insertion. Where allocations are proven, it must be what it
    /// is if it is computed again.
    fn update_liveness(&mut self, inserted: &Inserted) -> Result<(), AllocError> {
        let Cx { func, machine, flow, homes, live, .. } = self;
        self.stats.work += live.update(func, machine, flow, homes, inserted);
        if !self.verify {
            return Ok(());
        }
        let computed = liveness::compute(func, machine, flow, homes);
        live.difference(&computed, func).map_or(Ok(()), |what| {
            Err(AllocError::Wrong(format!("liveness was not brought up to date: {what}")))
        })
    }
}

impl<'a> View<'a> {
    /// The file of a value's class.
    fn file(self, v: VReg) -> usize {
        self.machine.registers.file(self.func.vregs[v].class)
    }

    /// What a value adds to the pressure while it is in a register.
    fn units(self, v: VReg) -> Counts {
        self.limits.units(self.func.vregs[v].class, self.live.crosses[v])
    }

    /// What a value adds to the pressure at a row that needs it in a register.
    fn needed(self, v: VReg) -> Counts {
        self.limits.units(self.func.vregs[v].class, false)
    }

    /// True if a value is live across a call, and no register preserves all of its bytes.
    fn is_lost_in_calls(self, v: VReg) -> bool {
        let row = &self.func.vregs[v];
        self.live.crosses[v] && row.bytes > self.machine.class(row.class).kept_bytes
    }

    /// The values that a row uses last, or those of its definitions that nothing uses.
    fn last(self, i: Inst, of_defs: bool) -> impl Iterator<Item = VReg> + use<'a> {
        let row = &self.func.insts[i];
        let first = row.first as usize + if of_defs { 0 } else { usize::from(row.defs) };
        let operands = if of_defs { self.func.defs(i) } else { self.func.uses(i) };
        let last = operands.iter().zip(&self.live.last[first..]).filter(|&(_, &last)| last);
        last.filter_map(|(operand, _)| operand.as_virt())
    }
}

/// Takes a function from *selected* to *allocated*. `ENTRY`, calls and returns keep their operands, as
/// physical registers.
#[inline(never)]
pub fn allocate(
    func: &mut Func,
    machine: &Machine,
    analyses: &mut Analyses,
    options: &Options,
) -> Result<Stats, AllocError> {
    if func.blocks.is_empty() {
        return Ok(Stats::default());
    }
    if options.fast && !options.verify {
        return Ok(fast::allocate(func, machine, false)?.0);
    }
    let order = analyses.take_order(func);
    let flow = Flow::new(func, order);
    let given = options.verify.then(|| func.clone());
    let (stats, origins) = if options.fast {
        fast::allocate(func, machine, true)?
    } else {
        assign(func, machine, (&flow, analyses), options.verify)?
    };
    if let Some(given) = given {
        check::check(&given, func, &flow, &origins, machine).map_err(AllocError::Wrong)?;
    }
    analyses.return_order(flow.order);
    Ok(stats)
}

/// Allocates; the second result says which row of the given function each row is, for `verify` or who watches values.
fn assign(
    func: &mut Func,
    machine: &Machine,
    (flow, analyses): (&Flow, &mut Analyses),
    verify: bool,
) -> Result<(Stats, Origins), AllocError> {
    let given = if verify || func.places { func.insts.len() } else { 0 };
    let mut origins = identity(given);
    if given == 0 {
        func.loc.clear();
    }
    let mut watched = debug_values::watch(func);
    let copies = normalise::normalise(func, machine, &mut origins);
    let mut homes = Homes::new(func);
    for copy in copies {
        homes.pinned.insert(copy);
    }
    let limits = Limits::of(func, machine);
    let windows = window::windows(func, machine);
    let mut far = FarUses::of(func, &windows, &homes);
    let thinned = thin::thin(func, machine, flow, &limits, &mut homes, &far);
    if thinned > 0 {
        far = FarUses::of(func, &windows, &homes);
    }
    let live = liveness::compute_from(far, windows, func, machine, flow, &homes);
    let work = func.insts.len() + live.size();
    let stats = Stats { spilled: thinned, rounds: 1, work, ..Stats::default() };
    let mut cx = Cx {
        func,
        machine,
        flow,
        analyses,
        limits,
        homes,
        live,
        loops: Loops::default(),
        times: Column::new(),
        origins,
        coloured: 0,
        verify,
        stats,
    };
    // Most functions need no more than the registers there are, and no value need be weighed against another.
    let coloring = match color::color(&mut cx, None) {
        Ok((coloring, _)) if thinned == 0 => Ok(coloring),
        _ => {
            // Rows that name values in memory need registers for them, which no colouring has seen yet.
            cx.coloured = if thinned == 0 { cx.coloured } else { 0 };
            spill(&mut cx)
        }
    }?;
    let slots = slots::assign(&mut cx);
    if let Some(watched) = &mut watched {
        watched.phis(&cx, &coloring, &slots);
    }
    emit::emit(&mut cx, &coloring, &slots)?;
    if let Some(watched) = watched {
        watched.finish(cx.func, machine, &cx.origins);
    }
    Ok((cx.stats, cx.origins))
}

/// Every row is itself.
fn identity(rows: usize) -> Origins {
    (0..rows).map(|i| Opt::some(Inst::new(i))).collect::<Vec<_>>().into()
}

/// Spills until colouring succeeds.
#[cold]
fn spill(cx: &mut Cx) -> Result<color::Coloring, AllocError> {
    cx.loops = loops::find(cx.func, cx.flow, cx.analyses);
    cx.times = times::estimate(cx.view());
    let mut changed = Column::filled(cx.func.blocks.len(), true);
    // What has been coloured has registers for all.
    cx.flow.order.blocks[..cx.coloured].iter().for_each(|&b| changed[b] = false);
    loop {
        let reuse = cx.stats.rounds < 3;
        let mut scale = weights::Scale::default();
        let (mut chosen, mut pressure) = choose::choose(cx, &scale, &changed)?;
        changed.as_mut_slice().fill(false);
        if cx.stats.rounds > ROUNDS {
            let (view, homes) = cx.split();
            let weights = scale.get(view, homes);
            let crossing = |&v: &VReg| view.live.crosses[v] && !choose::in_memory(homes, v);
            let crossing: Vec<_> = view.func.vregs.keys().filter(crossing).collect();
            chosen += crossing.len();
            for v in crossing {
                choose::spill(view.func, view.machine, weights, homes, v);
                pressure.evict(v);
            }
        }
        if chosen > 0 {
            let (view, homes) = cx.split();
            chosen += webs::follow(view, homes, &mut pressure);
        }
        cx.stats.spilled += chosen;
        if cx.stats.rounds == 1 && cx.stats.spilled > 0 || chosen > 0 {
            let touched = cx.homes.touched(cx.func, &cx.live.windows);
            let mut found = regions::Regions::default();
            if reuse {
                let weights = scale.get(cx.view(), &cx.homes);
                found = regions::find(cx, weights, &pressure, &touched.fresh);
                cx.stats.regions += found.list.len();
                cx.stats.restores = cx.homes.restored.count();
            }
            let inserted = insert::insert(cx, pressure, &found, &touched.fresh, reuse);
            changed = touched.named;
            scale = weights::Scale::default();
            cx.update_liveness(&inserted)?;
        }
        let (coloring, failed) = color::color(cx, Some(&scale))?;
        if failed == 0 {
            return Ok(coloring);
        }
        if cx.stats.rounds > MOST_ROUNDS {
            return Err(AllocError::Internal("colouring does not come to an end"));
        }
        cx.stats.spilled += failed;
        let touched = cx.homes.touched(cx.func, &cx.live.windows);
        let pressure = pressure::Pressure::new(cx.func, &cx.live, &cx.limits, &cx.homes);
        let inserted = insert::insert(cx, pressure, &regions::Regions::default(), &touched.fresh, reuse);
        changed
            .as_mut_slice()
            .iter_mut()
            .zip(touched.named.as_slice())
            .for_each(|(changed, &now)| *changed |= now);
        cx.update_liveness(&inserted)?;
        cx.stats.rounds += 1;
    }
}
