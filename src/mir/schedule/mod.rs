//! Scheduling: the rows of a block in an order in which fewer of them wait, by the model of a core.
//!
//! | file | holds |
//! | --- | --- |
//! | `graph` | what has to stay in front of what, and by how many cycles |
//! | `timeline` | when rows issue that come in an order |
//! | `list` | the order: of what is ready, what issues first and has the longest way to the end |
//! | `pressure` | in front of allocation: what is alive between blocks, and registers in use at each row |
//! | `check` | proves an order right, symbolically |
//!
//! It is done twice: in front of allocation, where registers bind nothing, but an order may not need more of them than
//! there are; and behind it, where what was allocated is hidden as far as it can be. Both look at loops only (all blocks took
//! 37% of -O2's instructions on usual programs, these 6%), and at *regions* of their blocks: the rows between calls and whatever
//! else stays where it is. A region is measured first as it is, and most have nothing to
//! gain; an order that takes no fewer cycles is dropped. O(rows + edges) and, for the choice, O(rows x those ready).
//!
//! (List scheduling: Gibbons and Muchnick 1986. Pressure as in LLVM's `GenericScheduler`, but as a limit and no cost.)

mod check;
mod graph;
mod list;
mod pressure;
#[cfg(test)]
mod tests;

mod timeline;

use super::desc::{CALL, ENTRY, IN_A_ROW, LOADS, MOVE, PHI, STORES, TERMINATORS};
use super::model::Model;
use super::pair::Pairs;
use super::{Block, Func, Inst, InstRow, Machine, PRegSet, Slot, SlotKind, SymKind};
use crate::base::Handle;
use graph::Region;
use list::List;
use pressure::Pressure;
use std::ops::Range;

pub use timeline::block_cycles;

/// More rows are more regions: orders are chosen among what is ready.
const MOST_ROWS: usize = 192;

/// What a worker keeps.
#[derive(Debug, Default)]
pub struct WorkerMemory {
    region: Region,
    list: List,
    pressure: Pressure,
    rows: Vec<InstRow>,
    locs: Vec<u32>,
    /// Registers that values are never given, and that rows may use while they become final.
    scratch: PRegSet,
}

/// How to schedule.
#[derive(Copy, Clone, Debug)]
pub struct Options<'a> {
    /// The core.
    pub model: &'a Model,
    /// Accesses that become one row, which stay together.
    pub pairs: Option<&'a Pairs>,
    /// Prove each new order, and fail if it is not the same.
    pub verify: bool,
}

/// `before`, or `after`.
pub type Scheduler = fn(&mut Func, &Machine, &Options, &mut WorkerMemory) -> Result<usize, String>;

/// Schedules a function in the state *selected*: no order needs more registers than there are. Says how many regions have
/// another order now.
#[inline(never)]
pub fn before(
    func: &mut Func,
    machine: &Machine,
    options: &Options,
    memory: &mut WorkerMemory,
) -> Result<usize, String> {
    let mut changed = 0;
    if is_left(func, options.model) {
        return Ok(changed);
    }
    if !memory.pressure.begin(func, machine) {
        return Ok(changed);
    }
    memory.scratch = machine.scratch();
    memory.region.begin(func, false);
    for b in func.blocks.keys() {
        let block = &func.blocks[b];
        let (first, mut end) = (block.first.index(), block.end.index());
        if end - first < 3 || block.loop_depth == 0 {
            continue;
        }
        memory.pressure.leave(func, b);
        // From the last one to the first, since what is alive behind a region decides what it may keep.
        while end > first {
            let start = start_of(func, machine, &memory.scratch, first, end);
            if end - start < 3 {
                memory.pressure.pass(func, start..end);
                end = if start == end { end - 1 } else { start };
                memory.pressure.pass(func, end..start);
                continue;
            }
            // Of three rows a load that is not the first one is all that could be begun earlier.
            let is_done = end - start == 3 && !has_loads(func, machine, start + 1..end);
            if !is_done && !wants_runs(func, machine, start..end) {
                memory.region.select(func, machine, (options.model, options.pairs), b, start..end);
                changed += usize::from(improve(func, machine, options, memory, (start, Some(b)))?);
            }
            memory.pressure.pass(func, start..end);
            end = start;
        }
    }
    Ok(changed)
}

/// Schedules a function in the state *allocated*; says the same.
#[inline(never)]
pub fn after(
    func: &mut Func,
    machine: &Machine,
    options: &Options,
    memory: &mut WorkerMemory,
) -> Result<usize, String> {
    let mut changed = 0;
    if is_left(func, options.model) {
        return Ok(changed);
    }
    memory.scratch = machine.scratch();
    memory.region.begin(func, true);
    for b in func.blocks.keys() {
        let block = &func.blocks[b];
        let (first, mut end) = (block.first.index(), block.end.index());
        if end - first < 4 || block.loop_depth == 0 {
            continue;
        }
        // Of what is not executed most, a second look pays where the allocator has changed something.
        if !is_loop(func, b) && !has_more(func, machine, first..end) {
            continue;
        }
        while end > first {
            let start = start_of(func, machine, &memory.scratch, first, end);
            if end - start >= 3 {
                memory.region.allocated(func, machine, options.model, b, start..end);
                changed += usize::from(improve(func, machine, options, memory, (start, None))?);
            }
            end = if start == end { end - 1 } else { start };
        }
    }
    Ok(changed)
}

/// True if there are no loops, or the order of rows means more than operands, flags and memory say: the stack pointer
/// moves, or what is called returns again; or its vectors are not timed.
fn is_left(func: &Func, model: &Model) -> bool {
    let has_loops = func.blocks.as_slice().iter().any(|block| block.loop_depth > 0);
    let has_order = func.framed || func.returns_twice;
    !has_loops || has_order || func.lanes != 0 && !model.times_vectors
}

/// Where the region begins that ends in front of row `end`: behind the last row that stays where it is, but for a
/// terminator at its end.
fn start_of(func: &Func, machine: &Machine, scratch: &PRegSet, first: usize, end: usize) -> usize {
    let mut start = end;
    while start > first && end - start < MOST_ROWS {
        let i = Inst::new(start - 1);
        let row = &func.insts[i];
        let desc = machine.row(row.op);
        let is_last = desc.flags & TERMINATORS != 0;
        let stays = row.op == PHI
            || row.op == ENTRY
            || desc.flags & CALL != 0
            || desc.flags & (LOADS | STORES) == LOADS | STORES
            || desc.sym == SymKind::Unwind
            || is_last && start != end
            || is_scratch(func, scratch, i);
        if stays {
            break;
        }
        start -= 1;
    }
    start
}

/// True if there are rows that the allocator has added, or moved: the others are in order already, as far as registers let them.
fn has_more(func: &Func, machine: &Machine, rows: Range<usize>) -> bool {
    let is_spill = |row: &InstRow| {
        let slot = func.slots.get(Slot::new(row.sym as usize));
        slot.is_some_and(|slot| slot.kind == SlotKind::Spill)
    };
    func.insts.as_slice()[rows].iter().any(|row| {
        let desc = machine.row(row.op);
        desc.flags & MOVE != 0 || desc.sym == SymKind::Slot && is_spill(row)
    })
}

/// True if some row wants registers that follow one another: more values alive would leave none.
fn wants_runs(func: &Func, machine: &Machine, rows: Range<usize>) -> bool {
    func.lanes != 0 && rows.map(Inst::new).any(|i| machine.is(func, i, IN_A_ROW))
}

fn has_loads(func: &Func, machine: &Machine, rows: Range<usize>) -> bool {
    rows.map(Inst::new).any(|i| machine.is(func, i, LOADS))
}

/// True if a row names a register that rows may be given while they become final.
fn is_scratch(func: &Func, scratch: &PRegSet, i: Inst) -> bool {
    func.operands(i).iter().any(|o| o.as_phys().is_some_and(|reg| scratch.contains(reg)))
}

/// Finds an order for the region that was read, and takes it if that is better. In front of allocation registers are
/// counted, of a block.
fn improve(
    func: &mut Func,
    machine: &Machine,
    options: &Options,
    memory: &mut WorkerMemory,
    (start, limited): (usize, Option<Block>),
) -> Result<bool, String> {
    let WorkerMemory { region, list, pressure, rows, locs, .. } = memory;
    let count = region.len();
    let Some(goal) = list.goal(region, options.model) else { return Ok(false) };
    if let Some(b) = limited {
        pressure.measure(func, machine, b, start..start + count);
    }
    if !list.improve(region, options.model, goal, limited.map(|_| pressure)) {
        return Ok(false);
    }
    if options.verify {
        let before = &func.insts.as_slice()[start..start + count];
        check::check(func, machine, start, before, &list.best)?;
    }
    rows.clear();
    rows.extend(list.best.iter().map(|&k| func.insts[Inst::new(start + usize::from(k))]));
    func.insts.as_mut_slice()[start..start + count].copy_from_slice(rows);
    if func.loc.len() >= start + count {
        locs.clear();
        locs.extend(list.best.iter().map(|&k| func.loc[Inst::new(start + usize::from(k))]));
        func.loc.as_mut_slice()[start..start + count].copy_from_slice(locs);
    }
    Ok(true)
}

/// True if a block goes back to itself. In front of allocation edges to phis have blocks of their own, and loops are measured as
/// if they were executed once: as loops, for twice the time, the kernels take 0.1% fewer cycles.
fn is_loop(func: &Func, b: Block) -> bool {
    func.succs(b).any(|s| s == b)
}
