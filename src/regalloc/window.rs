//! The operands of usual rows, three at a time.
//!
//! Nearly all rows define one value or none and have three operands at most. What a walk does for such a row
//! it does for three operands, whether they are there or not and values or not: what is none is the
//! *sentinel*, a row of its own behind the others of each column. So no branch depends on the shape of a row,
//! which no processor can foretell. Windows are made once for all walks over a state of the function.

use crate::base::{Column, Handle};
use crate::mir::desc::ENTRY;
use crate::mir::{Func, Inst, InstRow, Machine, VReg};

/// A row's operands, if it is a usual one.
#[derive(Copy, Clone, Debug)]
pub(super) struct Window {
    pub(super) values: [VReg; 3],
    /// The first operand in the pool.
    pub(super) first: u32,
    /// Flags of the opcode, or `UNUSUAL` and nothing else that can be relied upon.
    pub(super) flags: u16,
    /// True if the first operand is a definition.
    pub(super) defines: bool,
}

const _: () = assert!(size_of::<Window>() == 20);

/// Windows of all rows.
pub(super) type Windows = Column<Inst, Window>;

/// Beside the flags of opcodes: the row is a phi or `ENTRY`, or has more operands. (At the very end of the
/// pool all rows are unusual.)
pub(super) const UNUSUAL: u16 = 1 << 15;

/// Makes the windows.
pub(super) fn windows(func: &Func, machine: &Machine) -> Windows {
    let rows = func.insts.as_slice();
    // With room for as many stand-ins as an insertion has room for.
    let mut windows = Column::with_capacity(rows.len() + rows.len() / 4);
    windows.extend(rows.iter().map(|row| Window::of(func, machine, row)));
    windows
}

impl Window {
    /// What an unusual row has.
    pub(super) fn none(sentinel: VReg) -> Window {
        Window { values: [sentinel; 3], first: 0, flags: UNUSUAL, defines: false }
    }

    /// Makes the window of a row.
    #[inline(always)]
    pub(super) fn of(func: &Func, machine: &Machine, row: &InstRow) -> Window {
        let sentinel = VReg::new(func.vregs.len());
        let (first, defs) = (row.first as usize, usize::from(row.defs));
        let count = defs + usize::from(row.uses);
        let flags = machine.row(row.op).flags;
        let operands = func.operands.get(first..).and_then(|rest| rest.first_chunk::<3>());
        let Some(operands) = operands.filter(|_| (count <= 3) & (defs <= 1) & (row.op > ENTRY)) else {
            return Window::none(sentinel);
        };
        let value = |k: usize| {
            let v = operands[k].as_virt().unwrap_or(sentinel);
            if k < count { v } else { sentinel }
        };
        Window { values: [value(0), value(1), value(2)], first: row.first, flags, defines: defs == 1 }
    }

    /// True of a usual row whose opcode has none of these flags.
    #[inline(always)]
    pub(super) fn is_usual(&self, but_for: u16) -> bool {
        self.flags & (UNUSUAL | but_for) == 0
    }
}
