//! Sets of registers by *rank*, their place in the order of preference (`mir::registers::Registers`): the
//! best register of a class in a set is its lowest bit.
//!
//! A set is one word where the registers of a function's classes fit in one and none overlaps another, and two words
//! elsewhere. Where none overlaps another a unit is a rank; elsewhere units have their own numbers, and which registers
//! are free follows from the units in use. (RISC-V by way of two words takes 37% more instructions at -O1 and 68%
//! more at -O0.)

use crate::mir::desc::Registers;
use crate::mir::registers::MAX_CLASSES;
use crate::mir::{Class, Func, Machine, Operand, PReg, PRegSet};

/// No rank.
pub(super) const NOWHERE: u8 = 128;

/// A set of ranks or units.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Set<const W: usize>([u64; W]);

impl<const W: usize> Set<W> {
    pub(super) const EMPTY: Set<W> = Set([0; W]);

    /// What of a machine's set a set of this size can hold.
    fn of(set: PRegSet) -> Set<W> {
        Set(std::array::from_fn(|k| set.0[k]))
    }

    #[inline(always)]
    pub(super) fn bit(rank: u8) -> Set<W> {
        Set::bit_if(rank, true)
    }

    /// The rank if it is wanted.
    #[inline(always)]
    pub(super) fn bit_if(rank: u8, wanted: bool) -> Set<W> {
        let mut set = Set::EMPTY;
        let word = if W == 1 { 0 } else { usize::from(rank >> 6) & (W - 1) };
        set.0[word] = u64::from(wanted) << (rank & 63);
        set
    }

    #[inline(always)]
    pub(super) fn or(mut self, other: Set<W>) -> Set<W> {
        (0..W).for_each(|k| self.0[k] |= other.0[k]);
        self
    }

    #[inline(always)]
    pub(super) fn and(mut self, other: Set<W>) -> Set<W> {
        (0..W).for_each(|k| self.0[k] &= other.0[k]);
        self
    }

    #[inline(always)]
    pub(super) fn minus(mut self, other: Set<W>) -> Set<W> {
        (0..W).for_each(|k| self.0[k] &= !other.0[k]);
        self
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(super) fn has(self, rank: u8) -> bool {
        !self.and(Set::bit(rank)).is_empty()
    }

    /// The lowest rank, if there is one.
    #[inline(always)]
    pub(super) fn first(self) -> Option<u8> {
        let word = (0..W - 1).find(|&k| self.0[k] != 0).unwrap_or(W - 1);
        (self.0[word] != 0).then_some((64 * word) as u8 + self.0[word].trailing_zeros() as u8)
    }

    /// How many there are.
    pub(super) fn count(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The ranks, ascending.
    pub(super) fn each(mut self) -> impl Iterator<Item = u8> {
        std::iter::from_fn(move || {
            let first = self.first()?;
            self = self.minus(Set::bit(first));
            Some(first)
        })
    }
}

/// A machine's registers by rank, with sets of `W` words.
pub(super) struct Ranks<'a, const W: usize> {
    registers: &'a Registers,
    /// By class: the ranks that may be given.
    given: [Set<W>; MAX_CLASSES],
    /// By rank: units; none where a unit is a rank.
    units: Option<Box<[Set<W>; NOWHERE as usize]>>,
}

/// True if sets of one word will do.
pub(super) fn fit_in_a_word(func: &Func, machine: &Machine) -> bool {
    let classes = machine.classes_of(func).iter();
    machine.registers.is_flat && classes.map(|class| u32::from(class.count)).sum::<u32>() <= 64
}

impl<'a, const W: usize> Ranks<'a, W> {
    pub(super) fn of(func: &Func, machine: &'a Machine) -> Ranks<'a, W> {
        let (registers, reserved) = (&machine.registers, machine.reserved(func));
        let units = || Box::new(registers.by_rank.map(|reg| Set::of(registers.units(reg))));
        let overlap = W > 1 && !registers.is_flat;
        let mut given = registers.given.map(Set::of);
        for reg in reserved.iter() {
            let of_class = &mut given[registers.class(reg).index() & (MAX_CLASSES - 1)];
            *of_class = of_class.minus(Set::bit(registers.rank[usize::from(reg.0 & 127)]));
        }
        Ranks { registers, given, units: overlap.then(units) }
    }

    #[inline(always)]
    pub(super) fn rank(&self, reg: PReg) -> u8 {
        self.registers.rank[usize::from(reg.0 & 127)]
    }

    #[inline(always)]
    pub(super) fn reg(&self, rank: u8) -> PReg {
        self.registers.by_rank[usize::from(rank & 127)]
    }

    #[inline(always)]
    pub(super) fn operand(&self, rank: u8) -> Operand {
        Operand::phys(self.reg(rank))
    }

    /// The ranks that a value of a class may be given.
    #[inline(always)]
    pub(super) fn given(&self, class: Class) -> Set<W> {
        self.given[class.index() & (MAX_CLASSES - 1)]
    }

    /// Registers that calls preserve, by rank.
    pub(super) fn kept(&self) -> Set<W> {
        Set::of(self.registers.kept)
    }

    /// Registers that calls destroy, by rank.
    pub(super) fn destroyed(&self) -> Set<W> {
        Set::of(self.registers.destroyed)
    }

    /// The units of a register.
    #[inline(always)]
    pub(super) fn units(&self, rank: u8) -> Set<W> {
        match &self.units {
            Some(units) if W > 1 => units[usize::from(rank & 127)],
            _ => Set::bit(rank),
        }
    }

    /// Those of a set of registers that have no unit in use.
    #[inline(always)]
    pub(super) fn free(&self, set: Set<W>, in_use: Set<W>) -> Set<W> {
        if W == 1 || self.units.is_none() { set.minus(in_use) } else { self.select(set, in_use, false) }
    }

    /// Those of a set of registers that have a unit in use.
    #[inline(always)]
    pub(super) fn touching(&self, set: Set<W>, in_use: Set<W>) -> Set<W> {
        if W == 1 || self.units.is_none() { set.and(in_use) } else { self.select(set, in_use, true) }
    }

    #[inline(never)]
    fn select(&self, set: Set<W>, in_use: Set<W>, touch: bool) -> Set<W> {
        let chosen = set.each().filter(|&rank| self.units(rank).and(in_use).is_empty() != touch);
        chosen.fold(Set::EMPTY, |all, rank| all.or(Set::bit(rank)))
    }
}
