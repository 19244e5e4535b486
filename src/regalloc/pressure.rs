//! How many units of each register file are in use: the one count of pressure, for all that choose victims or
//! make room.
//!
//! A count has two lanes a file: units of values in registers, and of those that live across calls. Each
//! value adds what its kind says: class, and whether it is in a register, lives across calls too, or is in
//! memory, and then counts at the rows that need it in a register. O(1) a row and operand.

use super::View;
use super::flow::Flow;
use super::homes::{Home, Homes};
use super::liveness::Liveness;
use super::window::Window;
use crate::base::{Column, Handle};
use crate::mir::desc::{EARLY_DEF, PHI};
use crate::mir::func::VRegRow;
use crate::mir::registers::{MAX_CLASSES, MAX_FILES};
use crate::mir::{Block, Class, Func, Inst, InstRow, Machine, VReg};
use std::ops::Add;

/// Counts in the lanes of one number, which are added and compared together: for each file a lane, and one
/// more for what of it lives across calls. Only what is in a count is taken from it, so a lane that borrows
/// gives back.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts(u128);

const _: () = assert!(2 * MAX_FILES * LANE <= u128::BITS as usize);

/// Bits of a lane.
const LANE: usize = 16;

/// The highest bit of each lane, and of those for all values. A count that has it exceeds every limit.
const HIGH: u128 = (u128::MAX / 0xffff) << (LANE - 1);
const HIGH_IN_ALL: u128 = (u128::MAX / 0xffff_ffff) << (LANE - 1);

impl Counts {
    pub(super) const NONE: Counts = Counts(0);
    /// More than there is of anything, with room for sums.
    pub(super) const FULL: Counts = Counts(u128::MAX / 0xffff * (0xffff / 4));

    /// So many units of a file, by values that live across calls.
    pub(super) fn of(file: usize, units: usize) -> Counts {
        Counts::lanes(file, units, units)
    }

    /// So many units of a file, and those of them by values that live across calls.
    fn lanes(file: usize, all: usize, crossing: usize) -> Counts {
        Counts((all as u128 | (crossing as u128) << LANE) << (2 * LANE * file))
    }

    #[inline(always)]
    pub(super) fn all(self, file: usize) -> usize {
        usize::from((self.0 >> (2 * LANE * file)) as u16)
    }

    /// Of those that live across calls.
    #[inline(always)]
    pub(super) fn crossing(self, file: usize) -> usize {
        usize::from((self.0 >> (2 * LANE * file + LANE)) as u16)
    }

    #[inline(always)]
    pub(super) fn add(self, other: Counts) -> Counts {
        Counts(self.0.wrapping_add(other.0))
    }

    #[inline(always)]
    pub(super) fn less(self, other: Counts) -> Counts {
        Counts(self.0.wrapping_sub(other.0))
    }

    #[inline(always)]
    pub(super) fn max(self, other: Counts) -> Counts {
        // The highest bits of the lanes in which this one is not below the other, and from those whole lanes.
        let high = (self.0 | HIGH).wrapping_sub(other.0) & HIGH;
        let lanes = high | high.wrapping_sub(high >> (LANE - 1));
        Counts(self.0 & lanes | other.0 & !lanes)
    }

    /// True if a lane is larger than the other's, those of values across calls aside.
    #[inline(always)]
    pub(super) fn exceeds_in_all(self, limit: Counts) -> bool {
        (limit.0 | HIGH).wrapping_sub(self.0) & !self.0 & HIGH_IN_ALL != HIGH_IN_ALL
    }

    /// True if a lane is larger than the other's.
    #[inline(always)]
    pub(super) fn exceeds(self, limit: Counts) -> bool {
        (limit.0 | HIGH).wrapping_sub(self.0) & !self.0 & HIGH != HIGH
    }
}

impl Add for Counts {
    type Output = Counts;

    #[inline(always)]
    fn add(self, other: Counts) -> Counts {
        Counts::add(self, other)
    }
}

/// What there is of registers.
#[derive(Debug)]
pub(super) struct Limits {
    /// Units that may be given, and those of them that survive calls.
    pub(super) most: Counts,
    /// Number of files.
    pub(super) files: usize,
    /// By class: what a value in a register adds, and one that lives across calls.
    units: [[Counts; 2]; MAX_CLASSES],
}

impl Limits {
    pub(super) fn of(func: &Func, machine: &Machine) -> Limits {
        let (files, units) = (machine.files_of(func), [[Counts::NONE; 2]; MAX_CLASSES]);
        let mut limits = Limits { most: Counts::NONE, files, units };
        for file in 0..files {
            let given = machine.given_units(func, file);
            let kept = given.and(machine.callee_saved).count();
            limits.most = limits.most.add(Counts::lanes(file, given.count(), kept));
        }
        for class in (0..machine.classes_of(func).len()).map(|k| Class(k as u8)) {
            let (file, units) = (machine.registers.file(class), usize::from(machine.class(class).units));
            limits.units[class.index()] = [Counts::lanes(file, units, 0), Counts::of(file, units)];
        }
        limits
    }

    /// What a value of a class adds while it is in a register.
    #[inline(always)]
    pub(super) fn units(&self, class: Class, crosses: bool) -> Counts {
        self.units[class.index() & (MAX_CLASSES - 1)][usize::from(crosses)]
    }
}

/// Kinds of values: four a class, of which the last is for none.
const IN_MEMORY: u8 = 2;
const NOTHING: u8 = 3;
const KINDS: usize = 4 * MAX_CLASSES;

/// The kinds of values, as their homes were when this was made.
pub(super) struct Pressure {
    /// Per value and for what is none: its kind.
    kinds: Column<VReg, u8>,
    /// Per kind: what it adds in a register, and at rows that need it there.
    units: Units<Counts>,
    /// The same of two files each.
    halves: [Units<u64>; 2],
}

type Units<T> = [[T; 2]; KINDS];

/// What a row does to the counts.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Deltas<T = Counts> {
    /// Values in registers: its definitions, those that it uses last, those of its definitions that nothing
    /// uses.
    pub(super) defs: T,
    pub(super) freed: T,
    pub(super) dead: T,
    /// Values in memory: those that it uses, and those that it defines.
    pub(super) used: T,
    pub(super) made: T,
}

/// The value, or 0.
#[inline(always)]
fn if_<T: Default>(counted: bool, count: T) -> T {
    if counted { count } else { T::default() }
}

impl Pressure {
    pub(super) fn new(func: &Func, live: &Liveness, limits: &Limits, homes: &Homes) -> Pressure {
        let kind = |((vreg, &crosses), &home): ((&VRegRow, &bool), &Home)| {
            4 * vreg.class.0 + if home == Home::Reg { u8::from(crosses) } else { IN_MEMORY }
        };
        let values = func.vregs.as_slice().iter().zip(live.crosses.as_slice()).zip(homes.home.as_slice());
        let mut units = [[Counts::NONE; 2]; KINDS];
        for class in 0..MAX_CLASSES {
            let of = |crosses| limits.units(Class(class as u8), crosses);
            units[4 * class][0] = of(false);
            units[4 * class + 1][0] = of(true);
            units[4 * class + usize::from(IN_MEMORY)][1] = of(false);
        }
        let mut kinds: Column<VReg, u8> = Column::with_capacity(live.crosses.len() + 1);
        kinds.extend(values.map(kind));
        kinds.push(NOTHING);
        let halves = [0, 64].map(|by| units.map(|kind| kind.map(|count| (count.0 >> by) as u64)));
        let mut pressure = Pressure { kinds, units, halves };
        homes.cut.iter().for_each(|v| pressure.evict(v));
        pressure
    }

    /// Notes that a value goes to memory.
    pub(super) fn evict(&mut self, v: VReg) {
        self.kinds[v] = self.kinds[v] & !3 | IN_MEMORY;
    }

    /// True if a value is, or may be, in memory where a row names it.
    #[inline(always)]
    pub(super) fn in_memory(&self, v: VReg) -> bool {
        self.kinds[v] & 3 == IN_MEMORY
    }

    #[inline(always)]
    fn units<T: Copy>(&self, units: &Units<T>, v: VReg) -> [T; 2] {
        units[usize::from(self.kinds[v]) & (KINDS - 1)]
    }

    /// What is in use at the head of a block, phis included; and what of it ends there.
    pub(super) fn head(&self, cx: View, b: Block) -> (Counts, Counts) {
        self.head_by(&self.units, cx, b)
    }

    fn head_by<T: Copy + Default + Add<Output = T>>(&self, units: &Units<T>, cx: View, b: Block) -> (T, T) {
        let live = cx.live.live_in(b).iter().fold(T::default(), |sum, &v| sum + self.units(units, v)[0]);
        let phis = Flow::phis(cx.func, b).map(|i| self.general_row(units, cx, &cx.func.insts[i]));
        phis.fold((live, T::default()), |(now, dead), row| (now + row.defs, dead + row.dead))
    }

    /// What a row does that is no phi.
    #[inline(always)]
    pub(super) fn row(&self, cx: View, i: Inst) -> Deltas {
        let window = &cx.live.windows[i];
        match window.is_usual(0) {
            true => self.usual_row(cx, window),
            false => self.general_row(&self.units, cx, &cx.func.insts[i]),
        }
    }

    #[inline(always)]
    pub(super) fn usual_row(&self, cx: View, window: &Window) -> Deltas {
        self.usual_row_by(&self.units, cx, window)
    }

    #[inline(always)]
    fn usual_row_by<T: Copy + Default + Add<Output = T>>(
        &self,
        units: &Units<T>,
        cx: View,
        window: &Window,
    ) -> Deltas<T> {
        let Window { first, defines, values, .. } = *window;
        let last = cx.live.last[first as usize..].first_chunk::<3>().copied().unwrap_or_default();
        let [[x, x_needed], [y, y_needed], [z, z_needed]] = values.map(|v| self.units(units, v));
        let defs = if_(defines, x);
        Deltas {
            defs,
            freed: if_(last[0] & !defines, x) + if_(last[1], y) + if_(last[2], z),
            dead: if_(last[0], defs),
            used: y_needed + z_needed + if_(!defines, x_needed),
            made: if_(defines, x_needed),
        }
    }

    #[inline(never)]
    fn general_row<T: Copy + Default + Add<Output = T>>(
        &self,
        units: &Units<T>,
        cx: View,
        row: &InstRow,
    ) -> Deltas<T> {
        let (first, defs) = (row.first as usize, usize::from(row.defs));
        let all = first..first + defs + usize::from(row.uses);
        let (operands, last) = (&cx.func.operands[all.clone()], &cx.live.last[all]);
        // What has come since is counted by whatever made it.
        let before = self.kinds.len() - 1;
        let sum = |range: std::ops::Range<usize>| {
            let (mut all, mut ending, mut needed) = Default::default();
            for (operand, &last) in operands[range.clone()].iter().zip(&last[range]) {
                if let Some(v) = operand.as_virt().filter(|v| v.index() < before) {
                    let [units, more] = self.units(units, v);
                    (all, ending, needed) = (all + units, ending + if_(last, units), needed + more);
                }
            }
            (all, ending, needed)
        };
        let (defs, uses) = (sum(0..defs), sum(defs..operands.len()));
        Deltas { defs: defs.0, freed: uses.1, dead: defs.1, used: uses.2, made: defs.2 }
    }

    /// True if a block may have too many values in registers somewhere; others need no choice of victims. A
    /// value in memory counts at all rows that name it, whether they need it in a register or not.
    pub(super) fn is_tight(&self, cx: View, b: Block) -> bool {
        // So many that a lane might not hold them.
        if cx.live.live_in(b).len() + cx.func.rows(b).len() > 1 << 10 {
            return true;
        }
        // Two files at a time, since words are added faster than pairs of words.
        let halves = &self.halves[..cx.limits.files.div_ceil(2)];
        halves
            .iter()
            .zip([0, 64])
            .any(|(units, by)| self.is_tight_by(units, (cx.limits.most.0 >> by) as u64, cx, b))
    }

    #[inline(never)]
    fn is_tight_by(&self, units: &Units<u64>, most: u64, cx: View, b: Block) -> bool {
        let block = &cx.func.blocks[b];
        let (first, end) = (block.first.index(), block.end.index());
        let rows = &cx.func.insts.as_slice()[first..end];
        const HIGH: u64 = self::HIGH as u64;
        let exceeds = |now: u64| (most | HIGH).wrapping_sub(now) & !now & HIGH != HIGH;
        let (mut now, dead) = self.head_by(units, cx, b);
        let mut exceeded = exceeds(now);
        now -= dead;
        for (row, window) in rows.iter().zip(&cx.live.windows.as_slice()[first..end]) {
            let (row, kept) = if window.is_usual(EARLY_DEF) {
                (self.usual_row_by(units, cx, window), 0)
            } else if row.op == PHI {
                continue;
            } else {
                let is_early = cx.machine.row(row.op).flags & EARLY_DEF != 0;
                let row = self.general_row(units, cx, row);
                (row, if_(is_early, row.freed))
            };
            let Deltas { defs, freed, dead, used, made } = row;
            exceeded |= exceeds(now + used + made) | exceeds(now + used + made + defs + kept - freed);
            now = now + defs - freed - dead;
        }
        exceeded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_do_not_touch_each_other() {
        let last = MAX_FILES - 1;
        let (a, b) = (Counts::lanes(0, 7, 2).add(Counts::lanes(last, 300, 0)), Counts::lanes(0, 6, 4));
        let max = a.max(b);
        assert_eq!((max.all(0), max.crossing(0), max.all(last), max.crossing(last)), (7, 4, 300, 0));
        assert_eq!(a.add(b).less(b), a);
        assert!(a.exceeds(b) && b.exceeds(a) && !a.exceeds(max) && !b.exceeds(max) && !a.exceeds(a));
        assert!(a.exceeds_in_all(b) && !b.exceeds_in_all(a));
        assert!(
            Counts::FULL.exceeds(max) && !max.exceeds(Counts::FULL) && Counts::FULL.max(max) == Counts::FULL
        );
    }
}
