//! Registers as rows of the target: classes of any number of registers, which may share units with other
//! classes.
//!
//! A *unit* is a part of the register file that no register splits: two registers overlap if they share a
//! unit. A class is a row of equal registers: register `k` covers `units` units from `first_unit + k * units`
//! on. So the single, double and quad registers of ARM are three classes over the same units, and so are the
//! groups of RISC-V's vector registers; where nothing overlaps a register is a unit. Classes that share
//! units, directly or through others, are one *file*. What a value takes of a register is its bytes: a class
//! lists the widths that it has rows for.
//!
//! `Registers` is what follows from the rows, made at compile time: class, units, file and rank by register.
//! (Units are those of LLVM's `MCRegisterInfo`.)

use super::desc::MachineOp;

/// Registers and units that a machine may have: an operand has 7 bits for a register that is fixed, and none
/// is one of them.
pub const MAX_REGS: usize = 127;

/// Classes that a machine may have.
pub const MAX_CLASSES: usize = 8;

/// Files that a machine may have.
pub const MAX_FILES: usize = 4;

/// Rows of tables by register.
const TABLE: usize = MAX_REGS + 1;

/// A register class: the number of its row.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(pub u8);

impl Class {
    /// Class 0 of every machine: integers and addresses.
    pub const INT: Class = Class(0);

    /// The row's number.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A physical register, by the target's own numbering through all classes.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PReg(pub u8);

/// A set of up to 128 registers or units, a bit each.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
pub struct PRegSet(pub [u64; 2]);

impl PRegSet {
    /// Nothing.
    pub const EMPTY: PRegSet = PRegSet([0; 2]);

    /// The set of these registers.
    pub const fn of(regs: &[PReg]) -> PRegSet {
        let mut set = PRegSet::EMPTY;
        let mut k = 0;
        while k < regs.len() {
            set.insert(regs[k]);
            k += 1;
        }
        set
    }

    /// `count` numbers from `first` on.
    pub const fn range(first: u8, count: u8) -> PRegSet {
        let mut set = PRegSet::EMPTY;
        let mut k = 0;
        while k < count {
            set.insert(PReg(first + k));
            k += 1;
        }
        set
    }

    /// True if the register is in the set.
    #[inline]
    pub const fn contains(self, reg: PReg) -> bool {
        self.0[reg.0 as usize >> 6 & 1] >> (reg.0 & 63) & 1 != 0
    }

    /// Adds a register.
    #[inline]
    pub const fn insert(&mut self, reg: PReg) {
        self.0[reg.0 as usize >> 6 & 1] |= 1 << (reg.0 & 63);
    }

    /// Removes a register.
    #[inline]
    pub const fn remove(&mut self, reg: PReg) {
        self.0[reg.0 as usize >> 6 & 1] &= !(1 << (reg.0 & 63));
    }

    /// What is in either.
    #[inline]
    pub const fn or(self, other: PRegSet) -> PRegSet {
        PRegSet([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    /// What is in both.
    #[inline]
    pub const fn and(self, other: PRegSet) -> PRegSet {
        PRegSet([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }

    /// What is not in the other.
    #[inline]
    pub const fn minus(self, other: PRegSet) -> PRegSet {
        PRegSet([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    /// True of no registers.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// True if something is in both.
    #[inline]
    pub const fn meets(self, other: PRegSet) -> bool {
        !self.and(other).is_empty()
    }

    /// Number of registers.
    pub const fn count(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones()) as usize
    }

    /// The registers in ascending order.
    pub fn iter(self) -> impl Iterator<Item = PReg> {
        (0..2u8).flat_map(move |k| {
            let mut rest = self.0[usize::from(k)];
            std::iter::from_fn(move || {
                let low = rest.trailing_zeros() as u8;
                rest &= rest.wrapping_sub(1);
                (low < 64).then_some(PReg(64 * k + low))
            })
        })
    }
}

impl std::fmt::Debug for PRegSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The rows that handle values of up to so many bytes.
#[derive(Copy, Clone, Debug)]
pub struct WidthRow {
    /// Bytes.
    pub bytes: u8,
    /// Register to register. Shape `x=x`.
    pub copy: MachineOp,
    /// Load from a frame slot. Shape `x=i`, the use being `Operand::FRAME`, `sym` the slot.
    pub reload: MachineOp,
    /// Store to a frame slot. Shape `=xi`, as above.
    pub spill: MachineOp,
}

/// A register class.
#[derive(Clone, Debug)]
pub struct ClassDesc {
    /// Its letter in the shapes of opcodes (`OpRow::operands`) and in dumps.
    pub letter: u8,
    /// The letter of its registers in dumps, in front of their number in the class. Not `v`: that is a value.
    pub prefix: u8,
    /// Register 0 of the class, and how many there are.
    pub first: PReg,
    /// See `first`.
    pub count: u8,
    /// The first unit of register 0, and how many units a register has.
    pub first_unit: u8,
    /// See `first_unit`.
    pub units: u8,
    /// Of a register that calls preserve, so many low bytes are preserved: values that take more are lost.
    pub kept_bytes: u8,
    /// Registers that may be given to values, caller-saved ones in the order of preference, then callee-saved
    /// ones.
    pub order: &'static [PReg],
    /// Kept out of allocation: breaks cycles of moves, carries memory-to-memory moves.
    pub scratch: PReg,
    /// What moves values, by bytes ascending; the last row takes the largest value that a register of the
    /// class holds.
    pub widths: &'static [WidthRow],
}

impl ClassDesc {
    /// The rows for values of so many bytes.
    #[inline]
    pub fn width(&self, bytes: u32) -> &'static WidthRow {
        let widths = self.widths;
        &widths[widths.iter().position(|row| u32::from(row.bytes) >= bytes).unwrap_or(widths.len() - 1)]
    }

    /// The units of the registers that may be given.
    pub const fn given_units(&self) -> PRegSet {
        let mut set = PRegSet::EMPTY;
        let mut k = 0;
        while k < self.order.len() {
            set = set.or(self.units_of(self.order[k]));
            k += 1;
        }
        set
    }

    const fn span(&self) -> PRegSet {
        PRegSet::range(self.first_unit, self.count * self.units)
    }

    /// The units of a register of the class.
    pub const fn units_of(&self, reg: PReg) -> PRegSet {
        PRegSet::range(self.first_unit + (reg.0 - self.first.0) * self.units, self.units)
    }
}

/// What follows from a machine's classes and what calls do to them.
#[derive(Debug)]
pub struct Registers {
    /// By register: its class; of numbers that are no register, class 0.
    class: [Class; TABLE],
    /// By register: its units.
    units: [PRegSet; TABLE],
    /// By class: its file.
    file: [u8; MAX_CLASSES],
    /// Number of files.
    pub files: usize,
    /// True if each register is one unit, of its own number.
    pub is_flat: bool,
    /// True if there are values of which calls preserve a part only, in any register.
    pub is_partial: bool,
    /// Registers by *rank*, class after class, each in the order of preference, then those that are not
    /// given; and ranks by register. So the best register of a set of ranks of one class is its lowest bit.
    pub by_rank: [PReg; TABLE],
    /// See `by_rank`.
    pub rank: [u8; TABLE],
    /// Number of ranks.
    pub ranks: usize,
    /// By class: the ranks that may be given, and their units.
    pub given: [PRegSet; MAX_CLASSES],
    /// See `given`.
    pub given_units: [PRegSet; MAX_CLASSES],
    /// Ranks of registers that calls preserve, of those that they preserve in part or as a whole, and of
    /// those that they destroy in part or as a whole.
    pub kept: PRegSet,
    /// See `kept`.
    pub saved: PRegSet,
    /// See `kept`.
    pub destroyed: PRegSet,
}

impl Registers {
    /// Derives the tables from the classes and the units that calls destroy and preserve.
    pub const fn of(classes: &[ClassDesc], caller_saved: PRegSet, callee_saved: PRegSet) -> Registers {
        let mut all = Registers {
            class: [Class(0); TABLE],
            units: [PRegSet::EMPTY; TABLE],
            file: [0; MAX_CLASSES],
            files: 0,
            is_flat: true,
            is_partial: false,
            by_rank: [PReg(0); TABLE],
            rank: [0; TABLE],
            ranks: 0,
            given: [PRegSet::EMPTY; MAX_CLASSES],
            given_units: [PRegSet::EMPTY; MAX_CLASSES],
            kept: PRegSet::EMPTY,
            saved: PRegSet::EMPTY,
            destroyed: PRegSet::EMPTY,
        };
        let mut c = 0;
        while c < classes.len() {
            let class = &classes[c];
            all.is_flat &= class.units == 1 && class.first.0 == class.first_unit;
            all.is_partial |= class.widths[class.widths.len() - 1].bytes > class.kept_bytes;
            let mut k = 0;
            while k < class.count {
                let reg = PReg(class.first.0 + k);
                all.class[reg.0 as usize] = Class(c as u8);
                all.units[reg.0 as usize] = class.units_of(reg);
                k += 1;
            }
            // A class joins the files that it has units of.
            all.file[c] = all.files as u8;
            all.files += 1;
            let mut d = 0;
            while d < c {
                if all.file[d] != all.file[c] && class.span().meets(classes[d].span()) {
                    all.join(all.file[d], all.file[c], c + 1);
                    all.is_flat = false;
                }
                d += 1;
            }
            all.given_units[c] = class.given_units();
            all.rank_class(c, class, caller_saved, callee_saved);
            c += 1;
        }
        all
    }

    /// Makes two files of the first `classes` classes one: the lower number stays, those above the higher one
    /// move down.
    const fn join(&mut self, a: u8, b: u8, classes: usize) {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let mut c = 0;
        while c < classes {
            if self.file[c] == high {
                self.file[c] = low;
            } else if self.file[c] > high {
                self.file[c] -= 1;
            }
            c += 1;
        }
        self.files -= 1;
    }

    const fn rank_class(
        &mut self,
        c: usize,
        class: &ClassDesc,
        caller_saved: PRegSet,
        callee_saved: PRegSet,
    ) {
        let order = PRegSet::of(class.order);
        let mut k = 0;
        while k < class.order.len() + class.count as usize {
            let is_given = k < class.order.len();
            let reg =
                if is_given { class.order[k] } else { PReg(class.first.0 + (k - class.order.len()) as u8) };
            k += 1;
            if !is_given && order.contains(reg) {
                continue;
            }
            let rank = PReg(self.ranks as u8);
            self.by_rank[self.ranks] = reg;
            self.rank[reg.0 as usize] = rank.0;
            self.ranks += 1;
            let units = self.units(reg);
            if is_given {
                self.given[c].insert(rank);
            }
            if units.minus(callee_saved).is_empty() {
                self.kept.insert(rank);
            }
            if units.meets(callee_saved) {
                self.saved.insert(rank);
            }
            if units.meets(caller_saved) {
                self.destroyed.insert(rank);
            }
        }
    }

    /// The class of a register.
    #[inline]
    pub const fn class(&self, reg: PReg) -> Class {
        self.class[reg.0 as usize & (TABLE - 1)]
    }

    /// The units of a register.
    #[inline]
    pub const fn units(&self, reg: PReg) -> PRegSet {
        self.units[reg.0 as usize & (TABLE - 1)]
    }

    /// The file of a class.
    #[inline]
    pub const fn file(&self, class: Class) -> usize {
        self.file[class.index() & (MAX_CLASSES - 1)] as usize
    }

    /// True if two registers share a unit.
    pub const fn overlap(&self, a: PReg, b: PReg) -> bool {
        self.units(a).meets(self.units(b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_is_put_in() {
        let mut set = PRegSet::of(&[PReg(3), PReg(63), PReg(64), PReg(126)]);
        assert_eq!(set.iter().map(|reg| reg.0).collect::<Vec<_>>(), [3, 63, 64, 126]);
        assert!(set.contains(PReg(64)) && !set.contains(PReg(0)) && set.count() == 4);
        set.remove(PReg(64));
        assert_eq!(set.minus(PRegSet::of(&[PReg(3)])), PRegSet::of(&[PReg(63), PReg(126)]));
        assert!(set.meets(PRegSet::range(60, 4)) && !set.meets(PRegSet::range(64, 62)));
        assert!(PRegSet::EMPTY.is_empty() && PRegSet::range(60, 8).count() == 8);
    }
}
