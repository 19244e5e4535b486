//! The operands of usual rows, three at a time.
//!
//! Nearly all rows define one value or none and have three operands at most. What a walk does for such a row it does for
//! three operands, whether they are there or not and values or not: what is none is *nobody*, a row of its own behind
//! the others of each column. So no branch depends on the shape of a row, which no processor can foretell.

use crate::mir::desc::ENTRY;
use crate::mir::{InstRow, Operand, VReg};

/// A usual row's operands.
pub(super) struct Window {
    /// The first operand in the pool.
    pub(super) first: usize,
    /// True if that is a definition.
    pub(super) defines: bool,
    pub(super) values: [VReg; 3],
}

/// The operands of a row, if it is a usual one: neither phi nor `ENTRY`, for one thing. (At the very end of the pool none is.)
#[inline(always)]
pub(super) fn window(operands: &[Operand], row: &InstRow, nobody: VReg) -> Option<Window> {
    let (first, defs) = (row.first as usize, usize::from(row.defs));
    let count = defs + usize::from(row.uses);
    if count > 3 || defs > 1 || row.op <= ENTRY {
        return None;
    }
    let operands: &[Operand; 3] = operands.get(first..)?.first_chunk()?;
    let value = |k: usize| {
        let v = operands[k].as_virt().unwrap_or(nobody);
        if k < count { v } else { nobody }
    };
    Some(Window { first, defines: defs == 1, values: [value(0), value(1), value(2)] })
}
