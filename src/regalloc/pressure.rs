//! How many units of each register file are in use: the one count of pressure, for all that choose victims or make room.
//!
//! A count has two lanes of 16 bits a file: units of values in registers, and of those that live across calls. Each value adds
//! what its kind says: class, and whether it is in a register, lives across calls too, or is in memory, and then counts at
//! the rows that need it in a register. O(1) a row and operand.

use super::homes::Homes;
use super::liveness::Liveness;
use super::window::Window;
use super::{View, choose::in_memory};
use crate::base::{Column, Handle};
use crate::mir::desc::{EARLY_DEF, PHI};
use crate::mir::registers::{MAX_CLASSES, MAX_FILES};
use crate::mir::{Block, Class, Func, Inst, InstRow, Machine, VReg};

/// Counts, a lane for each file and one more for what of it lives across calls.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts([u16; 2 * MAX_FILES]);

impl Counts {
    pub(super) const NONE: Counts = Counts([0; 2 * MAX_FILES]);
    /// More than there is of anything.
    pub(super) const FULL: Counts = Counts([u16::MAX / 2; 2 * MAX_FILES]);

    /// So many units of a file, by values that live across calls.
    pub(super) fn of(file: usize, units: usize) -> Counts {
        let mut counts = Counts::NONE;
        counts.0[2 * file..2 * file + 2].fill(units as u16);
        counts
    }

    #[inline(always)]
    pub(super) fn all(self, file: usize) -> usize {
        usize::from(self.0[2 * file])
    }

    /// Of those that live across calls.
    #[inline(always)]
    pub(super) fn crossing(self, file: usize) -> usize {
        usize::from(self.0[2 * file + 1])
    }

    #[inline(always)]
    pub(super) fn add(mut self, other: Counts) -> Counts {
        (0..2 * MAX_FILES).for_each(|k| self.0[k] = self.0[k].wrapping_add(other.0[k]));
        self
    }

    #[inline(always)]
    pub(super) fn less(mut self, other: Counts) -> Counts {
        (0..2 * MAX_FILES).for_each(|k| self.0[k] = self.0[k].wrapping_sub(other.0[k]));
        self
    }

    #[inline(always)]
    pub(super) fn max(mut self, other: Counts) -> Counts {
        (0..2 * MAX_FILES).for_each(|k| self.0[k] = self.0[k].max(other.0[k]));
        self
    }

    /// True if a lane is larger than the other's, those of values across calls aside.
    #[inline(always)]
    pub(super) fn exceeds_in_all(self, limit: Counts) -> bool {
        (0..MAX_FILES).any(|file| self.0[2 * file] > limit.0[2 * file])
    }

    /// True if a lane is larger than the other's.
    #[inline(always)]
    pub(super) fn exceeds(self, limit: Counts) -> bool {
        self.max(limit) != limit
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
    pub(super) fn of(machine: &Machine) -> Limits {
        let registers = &machine.registers;
        let mut limits =
            Limits { most: Counts::NONE, files: registers.files, units: [[Counts::NONE; 2]; MAX_CLASSES] };
        let classes = || (0..machine.classes.len()).map(|k| Class(k as u8));
        for file in 0..registers.files {
            let of_file = classes().filter(|&class| registers.file(class) == file);
            let given = of_file.fold(Default::default(), |all: crate::mir::PRegSet, class| {
                all.or(machine.class(class).given_units())
            });
            limits.most.0[2 * file] = given.count() as u16;
            limits.most.0[2 * file + 1] = given.and(machine.callee_saved).count() as u16;
        }
        for class in classes() {
            let (file, units) = (registers.file(class), u16::from(machine.class(class).units));
            let [all, crossing] = &mut limits.units[class.index()];
            all.0[2 * file] = units;
            (crossing.0[2 * file], crossing.0[2 * file + 1]) = (units, units);
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
    units: [[Counts; 2]; KINDS],
}

/// What a row does to the counts.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Deltas {
    /// Values in registers: its definitions, those that it uses last, those of its definitions that nothing uses.
    pub(super) defs: Counts,
    pub(super) freed: Counts,
    pub(super) dead: Counts,
    /// Values in memory: those that it uses, and those that it defines.
    pub(super) used: Counts,
    pub(super) made: Counts,
}

impl Pressure {
    pub(super) fn new(func: &Func, live: &Liveness, limits: &Limits, homes: &Homes) -> Pressure {
        let kind = |v: VReg| {
            let state = if in_memory(homes, v) { IN_MEMORY } else { u8::from(live.crosses[v]) };
            4 * func.vregs[v].class.0 + state
        };
        let values = (0..live.crosses.len()).map(VReg::new);
        let mut units = [[Counts::NONE; 2]; KINDS];
        for class in 0..MAX_CLASSES {
            let of = |crosses| limits.units(Class(class as u8), crosses);
            units[4 * class][0] = of(false);
            units[4 * class + 1][0] = of(true);
            units[4 * class + usize::from(IN_MEMORY)][1] = of(false);
        }
        Pressure { kinds: values.map(kind).chain([NOTHING]).collect::<Vec<u8>>().into(), units }
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
    fn units(&self, v: VReg) -> [Counts; 2] {
        self.units[usize::from(self.kinds[v]) & (KINDS - 1)]
    }

    /// What a value adds in a register, if it is counted.
    #[inline(always)]
    fn units_if(&self, v: VReg, counted: bool) -> Counts {
        let kind = if counted { self.kinds[v] } else { NOTHING };
        self.units[usize::from(kind) & (KINDS - 1)][0]
    }

    /// What is in use at the head of a block, phis included; and what of it ends there.
    pub(super) fn head(&self, cx: View, b: Block) -> (Counts, Counts) {
        let live = cx.live.live_in(b).iter().fold(Counts::NONE, |sum, &v| sum.add(self.units(v)[0]));
        let phis = super::flow::Flow::phis(cx.func, b).map(|i| self.general_row(cx, &cx.func.insts[i]));
        phis.fold((live, Counts::NONE), |(now, dead), row| (now.add(row.defs), dead.add(row.dead)))
    }

    /// What a row does that is no phi.
    #[inline(always)]
    pub(super) fn row(&self, cx: View, i: Inst) -> Deltas {
        let window = &cx.live.windows[i];
        if window.is_usual(0) { self.usual_row(cx, window) } else { self.general_row(cx, &cx.func.insts[i]) }
    }

    #[inline(always)]
    pub(super) fn usual_row(&self, cx: View, window: &Window) -> Deltas {
        let Window { first, defines, values: [x, y, z], .. } = *window;
        let last = cx.live.last[first as usize..].first_chunk::<3>().copied().unwrap_or_default();
        let freed = self.units_if(x, last[0] & !defines).add(self.units_if(y, last[1]));
        let needed = self.units(x)[1];
        let others = self.units(y)[1].add(self.units(z)[1]);
        Deltas {
            defs: self.units_if(x, defines),
            freed: freed.add(self.units_if(z, last[2])),
            dead: self.units_if(x, last[0] & defines),
            used: if defines { others } else { others.add(needed) },
            made: if defines { needed } else { Counts::NONE },
        }
    }

    #[inline(never)]
    fn general_row(&self, cx: View, row: &InstRow) -> Deltas {
        let (first, defs) = (row.first as usize, usize::from(row.defs));
        let mut sum = Deltas::default();
        for k in first..first + defs + usize::from(row.uses) {
            let Some(v) = cx.func.operands[k].as_virt() else { continue };
            // What has come since is counted by whatever made it.
            if v.index() + 1 >= self.kinds.len() {
                continue;
            }
            let ([units, needed], ends) = (self.units(v), self.units_if(v, cx.live.last[k]));
            if k < first + defs {
                (sum.defs, sum.dead, sum.made) =
                    (sum.defs.add(units), sum.dead.add(ends), sum.made.add(needed));
            } else {
                (sum.freed, sum.used) = (sum.freed.add(ends), sum.used.add(needed));
            }
        }
        sum
    }

    /// True if a block may have too many values in registers somewhere; others need no choice of victims. A value in memory
    /// counts at all rows that name it, whether they need it in a register or not.
    pub(super) fn is_tight(&self, cx: View, b: Block) -> bool {
        let rows = cx.func.rows(b);
        // So many that a lane might not hold them.
        if cx.live.live_in(b).len() + rows.len() > 1 << 10 {
            return true;
        }
        let most = cx.limits.most;
        let (mut now, dead) = self.head(cx, b);
        let mut exceeded = now.exceeds(most);
        now = now.less(dead);
        for i in rows.filter(|&i| cx.func.insts[i].op != PHI) {
            let Deltas { defs, freed, dead, used, made } = self.row(cx, i);
            let named = now.add(used).add(made);
            let kept = if cx.machine.is(cx.func, i, EARLY_DEF) { freed } else { Counts::NONE };
            exceeded |= named.exceeds(most) | named.add(defs).add(kept).less(freed).exceeds(most);
            now = now.add(defs).less(freed).less(dead);
        }
        exceeded
    }
}
