//! Where values live, as decided so far, and the few questions that all phases ask of a row.
//!
//! A value has one home for its whole life: a register, a slot of the frame, or nowhere (it is computed again
//! where it is needed). Rows that are nothing but moves between places (`takes_memory`) name a value wherever
//! its home is; all other rows name only values in registers, for which spilling has put short-lived
//! stand-ins beside the spilled ones.

use super::window::Windows;
use crate::base::{BitSet, Column, Handle, Opt};
use crate::mir::desc::{CALL, ENTRY, MOVE, PHI, RETURN};
use crate::mir::{Block, Func, Inst, Machine, Operand, VReg};

/// Where a value lives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// In a register, for its whole life.
    Reg,
    /// In a slot of the frame.
    Slot,
    /// Nowhere: its row is done again where it is needed.
    Remat,
}

/// The homes of all values.
#[derive(Debug)]
pub(super) struct Homes {
    /// Per value: its home.
    pub(super) home: Column<VReg, Home>,
    /// Per stand-in: the spilled value that it stands for.
    pub(super) stands_for: Column<VReg, Opt<VReg>>,
    /// Stand-ins whose later uses go back to the value they stand for.
    pub(super) cut: BitSet<VReg>,
    /// Values that cannot be spilled: their lives are as short as can be.
    pub(super) pinned: BitSet<VReg>,
    /// Stand-ins that are loaded again behind each call (`restore`).
    pub(super) restored: BitSet<VReg>,
    /// What was evicted or cut since stand-ins were inserted.
    pub(super) fresh: Vec<VReg>,
    /// True if some value has a slot, if some value is computed again, and if some stand-in is loaded again.
    pub(super) has_slots: bool,
    pub(super) has_remats: bool,
    pub(super) has_restored: bool,
}

/// Blocks by the values that are not, or not always, in a register.
pub(super) struct Touched {
    /// True if a row names one.
    pub(super) named: Column<Block, bool>,
    /// True if a row names one that was evicted or cut since stand-ins were inserted. To others an insertion does nothing: rows that
    /// need registers have stand-ins there, and none that another row could use.
    pub(super) fresh: Column<Block, bool>,
}

/// Marks of values.
const NAMED: u8 = 1;
const FRESH: u8 = 2;

impl Homes {
    /// All values in registers.
    pub(super) fn new(func: &Func) -> Homes {
        Homes {
            home: Column::filled(func.vregs.len(), Home::Reg),
            stands_for: Column::filled(func.vregs.len(), Opt::NONE),
            cut: BitSet::new(func.vregs.len()),
            pinned: BitSet::new(func.vregs.len()),
            restored: BitSet::default(),
            fresh: Vec::new(),
            has_slots: false,
            has_remats: false,
            has_restored: false,
        }
    }

    /// True if the value lives in a register.
    #[inline(always)]
    pub(super) fn in_register(&self, v: VReg) -> bool {
        self.home[v] == Home::Reg
    }

    /// True if all values do.
    pub(super) fn all_in_registers(&self) -> bool {
        !self.has_slots && !self.has_remats
    }

    /// A column with a row per value that says if it lives in a register, and one more that says no.
    pub(super) fn column<T: Copy>(&self, yes: T, no: T) -> Column<VReg, T> {
        let mut column = Column::with_capacity(self.home.len() + 1);
        if self.all_in_registers() {
            column.grow_to(self.home.len(), yes);
        } else {
            column.extend(self.home.as_slice().iter().map(|&home| if home == Home::Reg { yes } else { no }));
        }
        column.push(no);
        column
    }

    /// Per value: true if it is not, or not always, in a register; and one row more for what is no value.
    pub(super) fn in_memory(&self) -> Column<VReg, bool> {
        let mut in_memory = self.column(false, true);
        self.cut.iter().for_each(|v| in_memory[v] = true);
        in_memory[VReg::new(self.home.len())] = false;
        in_memory
    }

    /// The blocks with a row that names a value that is not, or not always, in a register. O(rows).
    pub(super) fn touched(&self, func: &Func, windows: &Windows) -> Touched {
        let (in_memory, count) = (self.in_memory(), func.blocks.len());
        let mut marks: Column<VReg, u8> = Column::with_capacity(in_memory.len());
        marks.extend(in_memory.as_slice().iter().map(|&is| if is { NAMED } else { 0 }));
        self.fresh.iter().for_each(|&v| marks[v] |= FRESH);
        let any = |operands: &[Operand]| {
            operands.iter().filter_map(|o| o.as_virt()).fold(0, |all, v| all | marks[v])
        };
        let mut touched =
            Touched { named: Column::filled(count, false), fresh: Column::filled(count, false) };
        for b in func.blocks.keys() {
            let mut all = 0;
            for i in func.rows(b) {
                let window = &windows[i];
                let [x, y, z] = window.values.map(|v| marks[v]);
                all |= if window.is_usual(0) { x | y | z } else { any(func.operands(i)) };
                if all & FRESH != 0 {
                    break;
                }
            }
            (touched.named[b], touched.fresh[b]) = (all != 0, all & FRESH != 0);
        }
        touched
    }

    /// Lets later uses of a stand-in go back to the value it stands for.
    pub(super) fn cut(&mut self, v: VReg) {
        self.cut.insert(v);
        self.pinned.insert(v);
        self.fresh.push(v);
    }

    /// Takes a value out of registers: to a slot, or back to its row if that can be done again.
    pub(super) fn evict(&mut self, v: VReg, again: bool) {
        self.home[v] = if again { Home::Remat } else { Home::Slot };
        self.has_slots |= !again;
        self.has_remats |= again;
        self.fresh.push(v);
    }

    /// Makes a stand-in for a spilled value.
    pub(super) fn stand_in(&mut self, func: &mut Func, v: VReg) -> VReg {
        let row = func.vregs[v];
        let temp = func.new_vreg(row.class, u32::from(row.bytes));
        self.home.push(Home::Reg);
        self.stands_for.push(Opt::some(v));
        temp
    }

    /// Loads a stand-in again behind each call.
    pub(super) fn restore(&mut self, temp: VReg) {
        self.restored.insert(temp);
        self.has_restored = true;
    }

    /// The value whose place a use of this one needs.
    #[inline(always)]
    pub(super) fn needs(&self, v: VReg) -> VReg {
        if !self.has_restored || !self.restored.contains(v) {
            v
        } else {
            self.stands_for[v].get().unwrap_or(v)
        }
    }

    /// True if the operands of a row may be anywhere, memory included: it only moves values between places,
    /// or is preceded and followed by such moves.
    pub(super) fn takes_memory(&self, func: &Func, machine: &Machine, i: Inst) -> bool {
        let op = func.insts[i].op;
        op == PHI || op == ENTRY || machine.is(func, i, CALL | RETURN) || is_copy(func, machine, i)
    }
}

/// True if the row copies one value to another and does nothing else.
pub(super) fn is_copy(func: &Func, machine: &Machine, i: Inst) -> bool {
    machine.is(func, i, MOVE)
        && func.uses(i).len() == 1
        && func.operands(i).iter().all(|o| o.as_virt().is_some())
}
