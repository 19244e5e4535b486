//! Loops whose rare arms call: a stand-in for a spilled value all through a loop may have a register that calls destroy,
//! and is loaded again behind each call. `regions` gives it such a register where calls are executed less than half as
//! often as the value is wanted there.
//!
//! To all but the writer of rows it is a value that lives across no call. The value that it stands for stays in its slot
//! as long as the stand-in is used. (Saves around calls for all values, as GCC has them with `-fcaller-saves`, were tried:
//! a loop that takes 1.12 of `llc`'s cycles so took 1.10, but a giant function has 12% more code at -O1, and SQLite up
//! to 1.2%.)

use super::View;
use super::homes::Homes;
use super::liveness::Liveness;
use crate::base::Column;
use crate::mir::desc::LANDING;
use crate::mir::{Block, VReg};

/// True if values may be loaded again behind calls: not where what is behind a call may come a second time, or
/// somewhere else.
pub(super) fn may(cx: View) -> bool {
    let lands = |joint: &(_, _)| cx.func.insts[joint.1].op == LANDING;
    !cx.func.returns_twice && !cx.live.joints.iter().any(lands)
}

/// How often calls may be executed: each has a load behind it, where the value would be loaded for its use, and they
/// have to be less than half of what a stand-in gains.
pub(super) fn most_calls(gain: u64) -> u64 {
    (gain / 2).saturating_sub(1)
}

/// Says of the stand-ins that are loaded again that they live across no call.
pub(super) fn take_from(crosses: &mut Column<VReg, bool>, homes: &Homes) {
    if homes.has_restored {
        homes.restored.iter().for_each(|v| crosses[v] = false);
    }
}

/// The values that are live into a block and, if they live across calls, are loaded again behind each.
pub(super) fn live_into(live: &Liveness, homes: &Homes, b: Block) -> impl Iterator<Item = VReg> {
    live.live_in(b).iter().copied().filter(|&v| homes.restored.contains(v))
}
