//! Which blocks may have too many values in registers somewhere: the others need no choice of victims.
//!
//! Values in registers are counted down every block, both classes and those that live across calls in one word. A block
//! with a row that needs a value from memory counts as tight, since nobody knows what that will take. O(rows + live-in lists).

use super::Limits;
use super::homes::Homes;
use super::liveness::Liveness;
use super::window::{Window, window};
use crate::base::{Column, Handle};
use crate::mir::desc::{EARLY_DEF, PHI};
use crate::mir::{Block, Func, InstRow, Machine, Operand, VReg};

/// A count in each quarter: by class, and by class of those that live across calls.
type Counts = u128;

/// The highest bit of each count: none gets there, as there are fewer values.
const HIGH: Counts = 0x8000_0000_8000_0000_8000_0000_8000_0000;

/// Kinds of values beside the four of class and crossing: what is no value, and what lives in memory.
const NOBODY: u8 = 4;
const IN_MEMORY: u8 = 5;

/// Per kind: what one value adds to the counts.
const UNITS: [Counts; 6] = [1, 1 << 32, 1 | 1 << 64, 1 << 32 | 1 << 96, 0, 0];

/// Looks at blocks.
pub(super) struct Tight<'a> {
    func: &'a Func,
    machine: &'a Machine,
    live: &'a Liveness,
    limits: Counts,
    /// Per value and for nobody: its kind.
    kinds: Column<VReg, u8>,
    nobody: VReg,
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
        let mut kinds = homes.column(0, IN_MEMORY);
        for v in func.vregs.keys().filter(|&v| homes.in_register(v)) {
            kinds[v] = func.vregs[v].class as u8 + 2 * u8::from(live.crosses[v]);
        }
        let nobody = VReg::new(func.vregs.len());
        kinds[nobody] = NOBODY;
        let quarters = limits.total.into_iter().chain(limits.kept);
        let limits = quarters.rev().fold(0, |all, limit| all << 32 | limit as Counts);
        Tight { func, machine, live, limits, kinds, nobody }
    }

    /// True if a block may have too many.
    pub(super) fn is(&self, b: Block) -> bool {
        let block = &self.func.blocks[b];
        let rows = &self.func.insts.as_slice()[block.first.index()..block.end.index()];
        let (phis, rows) = rows.split_at(rows.iter().take_while(|row| row.op == PHI).count());
        let mut now = self.live.live_in(b).iter().fold(0, |sum, &v| sum + self.unit(v));
        now += self.sum(phis.iter().map(|row| row.first as usize), false);
        let mut exceeded = self.exceeds(now);
        now -= self.sum(phis.iter().map(|row| row.first as usize), true);
        for row in rows {
            let [defs, freed, dead] = match window(&self.func.operands, row, self.nobody) {
                Some(window) => self.usual_row(&window, &mut exceeded),
                None => self.row(row, &mut exceeded),
            };
            let early = self.machine.row(row.op).flags & EARLY_DEF != 0;
            exceeded |= self.exceeds(now + defs - if early { 0 } else { freed });
            now = now + defs - freed - dead;
            if exceeded {
                return true;
            }
        }
        exceeded
    }

    fn exceeds(&self, now: Counts) -> bool {
        ((self.limits | HIGH) - now) & HIGH != HIGH
    }

    fn unit(&self, v: VReg) -> Counts {
        UNITS[usize::from(self.kinds[v]).min(UNITS.len() - 1)]
    }

    /// The values of a row's definitions, of those that it uses last, and of those of its definitions that nobody uses.
    #[inline(always)]
    fn usual_row(&self, window: &Window, exceeded: &mut bool) -> [Counts; 3] {
        let Window { first, defines, values } = *window;
        let last = self.live.last[first..].first_chunk::<3>().copied().unwrap_or_default();
        let some = |v: VReg, yes: bool| if yes { self.unit(v) } else { 0 };
        values.iter().for_each(|&v| *exceeded |= self.kinds[v] == IN_MEMORY);
        let freed = some(values[0], last[0] & !defines) + some(values[1], last[1]) + some(values[2], last[2]);
        [some(values[0], defines), freed, some(values[0], last[0] & defines)]
    }

    #[inline(never)]
    fn row(&self, row: &InstRow, exceeded: &mut bool) -> [Counts; 3] {
        let (first, first_use) = (row.first as usize, row.first as usize + usize::from(row.defs));
        let uses = first_use..first_use + usize::from(row.uses);
        let in_memory = |o: &Operand| o.as_virt().is_some_and(|v| self.kinds[v] == IN_MEMORY);
        *exceeded |= self.func.operands[first..uses.end].iter().any(in_memory);
        [self.sum(first..first_use, false), self.sum(uses, true), self.sum(first..first_use, true)]
    }

    /// Counts the values of these operands, all or those that are used last there.
    fn sum(&self, operands: impl Iterator<Item = usize>, last: bool) -> Counts {
        let counted = operands.filter(|&k| !last || self.live.last[k]);
        counted.filter_map(|k| self.func.operands[k].as_virt()).fold(0, |sum, v| sum + self.unit(v))
    }
}
