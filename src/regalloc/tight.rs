//! Which blocks may have too many values in registers somewhere: the others need no choice of victims.
//!
//! Values in registers are counted down every block, both classes and those that live across calls in one word. A value in memory
//! counts at the rows that name it, whether they need it in a register or not. O(rows + live-in lists).

use super::Limits;
use super::choose::in_memory;
use super::homes::Homes;
use super::liveness::Liveness;
use super::window::Window;
use crate::base::{Column, Handle};
use crate::mir::desc::{EARLY_DEF, PHI};
use crate::mir::{Block, Func, InstRow, Machine, VReg};

/// A count in each quarter: by class, and by class of those that live across calls.
type Counts = u64;

/// The highest bit of each count.
const HIGH: Counts = 0x8000_8000_8000_8000;

/// Rows and values from which on a block is not counted, for fear of too high counts.
const MANY: usize = 1 << 12;

/// Kinds of values beside the four of class and crossing: what lives in memory, by class, and what is no value.
const IN_MEMORY: u8 = 4;
const NOBODY: u8 = 6;

/// Per kind: what one value adds to the counts while it lives, and what at a row that names it.
const UNITS: [[Counts; 2]; 8] =
    [[1, 0], [1 << 16, 0], [1 | 1 << 32, 0], [1 << 16 | 1 << 48, 0], [0, 1], [0, 1 << 16], [0, 0], [0, 0]];

/// Looks at blocks.
pub(super) struct Tight<'a> {
    func: &'a Func,
    machine: &'a Machine,
    live: &'a Liveness,
    limits: Counts,
    /// Per value and for nobody: its kind.
    kinds: Column<VReg, u8>,
}

impl Tight<'_> {
    /// For the homes as they are now.
    pub(super) fn new<'a>(
        func: &'a Func,
        machine: &'a Machine,
        live: &'a Liveness,
        limits: &Limits,
        homes: &Homes,
    ) -> Tight<'a> {
        let kind = |v: VReg| {
            let crosses = 2 * u8::from(live.crosses[v]);
            func.vregs[v].class as u8 + if in_memory(homes, v) { IN_MEMORY } else { crosses }
        };
        let kinds = func.vregs.keys().map(kind).chain([NOBODY]).collect::<Vec<u8>>().into();
        let quarters = limits.total.into_iter().chain(limits.kept);
        let limits = quarters.rev().fold(0, |all, limit| all << 16 | limit as Counts);
        Tight { func, machine, live, limits, kinds }
    }

    /// True if a block may have too many.
    pub(super) fn is(&self, b: Block) -> bool {
        let block = &self.func.blocks[b];
        let (first, end) = (block.first.index(), block.end.index());
        let rows = &self.func.insts.as_slice()[first..end];
        let (phis, rows) = rows.split_at(rows.iter().take_while(|row| row.op == PHI).count());
        if self.live.live_in(b).len() + phis.len() + rows.len() > MANY {
            return true;
        }
        let mut now = self.live.live_in(b).iter().map(|&v| self.units(v)[0]).sum::<Counts>();
        now += self.sum(phis.iter().map(|row| row.first as usize), false);
        let mut exceeded = self.exceeds(now);
        now -= self.sum(phis.iter().map(|row| row.first as usize), true);
        for (row, window) in rows.iter().zip(&self.live.windows.as_slice()[first + phis.len()..]) {
            let [defs, freed, dead, named] =
                if window.is_usual(0) { self.usual_row(window) } else { self.row(row) };
            let kept = if self.machine.row(row.op).flags & EARLY_DEF != 0 { freed } else { 0 };
            exceeded |= self.exceeds(now + named) | self.exceeds(now + named + defs + kept - freed);
            now = now + defs - freed - dead;
        }
        exceeded
    }

    /// Notes that a value goes to memory.
    pub(super) fn evict(&mut self, v: VReg) {
        self.kinds[v] = self.func.vregs[v].class as u8 + IN_MEMORY;
    }

    fn exceeds(&self, now: Counts) -> bool {
        ((self.limits | HIGH) - now) & HIGH != HIGH
    }

    #[inline(always)]
    fn units(&self, v: VReg) -> [Counts; 2] {
        UNITS[usize::from(self.kinds[v] & 7)]
    }

    /// The values of a row's definitions, of those that it uses last, of those of its definitions that nobody uses, and of those
    /// in memory that it names.
    #[inline(always)]
    fn usual_row(&self, window: &Window) -> [Counts; 4] {
        let Window { first, defines, values, .. } = *window;
        let last = self.live.last[first as usize..].first_chunk::<3>().copied().unwrap_or_default();
        let [x, y, z] = values.map(|v| self.units(v));
        let some = |unit: Counts, yes: bool| if yes { unit } else { 0 };
        let freed = some(x[0], last[0] & !defines) + some(y[0], last[1]) + some(z[0], last[2]);
        [some(x[0], defines), freed, some(x[0], last[0] & defines), x[1] + y[1] + z[1]]
    }

    #[inline(never)]
    fn row(&self, row: &InstRow) -> [Counts; 4] {
        let (first, first_use) = (row.first as usize, row.first as usize + usize::from(row.defs));
        let end = first_use + usize::from(row.uses);
        let operands = self.func.operands[first..end].iter();
        let named = operands.filter_map(|o| o.as_virt()).map(|v| self.units(v)[1]).sum();
        [
            self.sum(first..first_use, false),
            self.sum(first_use..end, true),
            self.sum(first..first_use, true),
            named,
        ]
    }

    /// Counts the values of these operands, all or those that are used last there.
    fn sum(&self, operands: impl Iterator<Item = usize>, last: bool) -> Counts {
        let counted = operands.filter(|&k| !last || self.live.last[k]);
        counted.filter_map(|k| self.func.operands[k].as_virt()).map(|v| self.units(v)[0]).sum()
    }
}
