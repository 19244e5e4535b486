//! Phis that go to memory because those around them have: a web of phis that hand one variable on shares a slot.
//!
//! The scan looks at one value at a time. Where the phis of a loop's header are in memory, those of its latch seem dear to
//! spill, since their lives are of a few rows. But what is passed through them unchanged is then loaded for the latch and
//! stored for the header, in every round: in memory, and in the header's slot, it takes nothing (interpreters: a loop around
//! a switch, with a dozen variables of which a case changes one). So a phi goes to memory if what its operands and users
//! take, with all others where they are, becomes less by it. One that goes makes it cheaper for the others, so all that are
//! found go at once, and a few sweeps see chains. O(rows), and O(phi operands + values) a sweep, only where phis are spilled.
//!
//! That partners share a slot is assumed: `share` gives them one where their lives do not meet.

use super::View;
use super::flow::Flow;
use super::homes::{Home, Homes};
use super::pressure::Pressure;
use crate::base::Column;
use crate::mir::VReg;
use crate::mir::desc::PHI;

/// Sweeps after which a chain of phis is left as it is.
const MOST_SWEEPS: usize = 4;

/// Sends phis after their spilled neighbours; returns how many.
pub(super) fn follow(cx: View, homes: &mut Homes, pressure: &mut Pressure) -> usize {
    let mut found = 0;
    // Per value: what rows that are no phis take less where it is in a register, in executions of a load or store.
    let mut kept: Column<VReg, i64> = Column::filled(0, 0);
    for _ in 0..MOST_SWEEPS {
        let mut phis = candidates(cx, homes);
        if phis.is_empty() {
            break;
        }
        if kept.is_empty() {
            kept = uses(cx, homes);
        }
        let mut gain = kept.clone();
        add_moves(cx, homes, &mut gain);
        phis.retain(|&v| gain[v] > 0);
        if phis.is_empty() {
            break;
        }
        for &v in &phis {
            homes.evict(v, false);
            pressure.evict(v);
        }
        found += phis.len();
    }
    found
}

/// The phis in registers with an operand in memory.
fn candidates(cx: View, homes: &Homes) -> Vec<VReg> {
    let mut phis = Vec::new();
    for &b in &cx.flow.order.blocks {
        for i in Flow::phis(cx.func, b) {
            let Some(d) = cx.func.defs(i)[0].as_virt() else { continue };
            let mut operands = cx.func.uses(i).iter().filter_map(|u| u.as_virt());
            if homes.in_register(d)
                && !homes.pinned.contains(d)
                && operands.any(|v| homes.home[v] == Home::Slot)
            {
                phis.push(d);
            }
        }
    }
    phis
}

/// Per value: what its uses by rows that are no phis would take in memory, as a loss.
fn uses(cx: View, homes: &Homes) -> Column<VReg, i64> {
    let View { func, machine, flow, .. } = cx;
    let mut gain = Column::filled(func.vregs.len(), 0);
    for &b in &flow.order.blocks {
        let frequency = func.blocks[b].frequency as i64;
        for i in func.rows(b).filter(|&i| func.insts[i].op != PHI) {
            let price = if homes.takes_memory(func, machine, i) { 1 } else { 2 };
            func.uses(i).iter().filter_map(|u| u.as_virt()).for_each(|v| gain[v] -= price * frequency);
        }
    }
    gain
}

/// Adds what phis take in moves from and to values: less in memory where the other one is, more where it is not.
fn add_moves(cx: View, homes: &Homes, gain: &mut Column<VReg, i64>) {
    let func = cx.func;
    let is_spilled = |v: VReg| homes.home[v] == Home::Slot;
    for &b in &cx.flow.order.blocks {
        for i in Flow::phis(func, b) {
            let Some(d) = func.defs(i)[0].as_virt() else { continue };
            for (u, &p) in func.uses(i).iter().zip(func.preds(b)) {
                let Some(u) = u.as_virt().filter(|&u| u != d) else { continue };
                let frequency = func.blocks[p].frequency as i64;
                gain[d] += if is_spilled(u) { frequency } else { -frequency };
                gain[u] += if is_spilled(d) { frequency } else { -frequency };
            }
        }
    }
}
