//! Affinities: which values would save a move in which register, or in the same one: what fixed operands,
//! copies and phis want. O(joints and their operands). (Braun and Hack 2009 for affinities.)

use super::View;
use super::homes::{Homes, is_copy};
use crate::base::Column;
use crate::mir::desc::{CALL, ENTRY, PHI, RETURN, ties};
use crate::mir::{Inst, PReg, VReg};

/// The wishes of all values.
pub(super) struct Wishes {
    /// Per value: its first wish, `u32::MAX` for none.
    first: Column<VReg, u32>,
    list: Vec<Wish>,
}

/// What a wish is for.
#[derive(Copy, Clone)]
pub(super) enum Want {
    /// A register.
    Fixed(PReg),
    /// The register of this value.
    Same(VReg),
}

#[derive(Copy, Clone)]
pub(super) struct Wish {
    /// Executions of the move that goes if it comes true, in 1/1024.
    pub(super) weight: u64,
    pub(super) want: Want,
    /// The next wish of the same value.
    next: u32,
}

impl Wishes {
    /// Collects the wishes.
    pub(super) fn of(cx: View, homes: &Homes) -> Wishes {
        let View { func, machine, live, .. } = cx;
        // A phi has two with each operand.
        let most = |&(_, i): &(_, Inst)| if func.insts[i].op == PHI { 2 * func.uses(i).len() } else { 3 };
        let list = Vec::with_capacity(live.joints.iter().map(most).sum());
        let mut wishes = Wishes { first: Column::filled(func.vregs.len(), u32::MAX), list };
        // From the last one on, since each goes in front of the others of its value.
        for &(b, i) in &live.joints {
            let weight = func.blocks[b].frequency.max(1);
            let op = func.insts[i].op;
            let (defs, uses) = (func.defs(i), func.uses(i));
            if op == ENTRY || machine.is(func, i, CALL | RETURN) {
                for (k, o) in func.operands(i).iter().enumerate().rev() {
                    if let (Some(v), Some(reg)) = (o.as_virt(), o.constraint()) {
                        // Where a value comes from counts less than where it goes: the move may as well be at
                        // once, and frees a register that others will want.
                        let weight = if k < defs.len() { weight - weight / 8 } else { weight };
                        wishes.push(v, weight, Want::Fixed(reg));
                    }
                }
                continue;
            }
            let pairs = op == PHI || is_copy(func, machine, i);
            let joined = if pairs { 0..uses.len() } else { ties(machine.row(op).flags, uses.len()) };
            for (def, k) in joined.enumerate().rev() {
                // The one definition of a phi or copy, or the one that the use is tied to.
                let d = if pairs { defs.first() } else { defs.get(def) };
                let [d, s] = [d, uses.get(k)].map(|o| o.and_then(|o| o.as_virt()));
                let (Some(d), Some(s)) = (d, s) else { continue };
                if homes.in_register(d) && homes.in_register(s) {
                    let weight =
                        if op == PHI { func.blocks[func.preds(b)[k]].frequency.max(1) } else { weight };
                    wishes.push(s, weight, Want::Same(d));
                    wishes.push(d, weight, Want::Same(s));
                }
            }
        }
        wishes
    }

    fn push(&mut self, v: VReg, weight: u64, want: Want) {
        let next = std::mem::replace(&mut self.first[v], self.list.len() as u32);
        self.list.push(Wish { weight, want, next });
    }

    /// True if the value has wishes.
    #[inline(always)]
    pub(super) fn any(&self, v: VReg) -> bool {
        self.first[v] != u32::MAX
    }

    /// The wishes of a value.
    #[inline]
    pub(super) fn each(&self, v: VReg) -> impl Iterator<Item = &Wish> {
        let first = self.list.get(self.first[v] as usize);
        std::iter::successors(first, |wish| self.list.get(wish.next as usize))
    }

    /// The register that fixed operands want most of a value.
    pub(super) fn fixed(&self, v: VReg) -> Option<(PReg, u64)> {
        let fixed = self.each(v).take(8).filter_map(|wish| match wish.want {
            Want::Fixed(reg) => Some((reg, wish.weight)),
            Want::Same(_) => None,
        });
        fixed.max_by_key(|&(reg, weight)| (weight, std::cmp::Reverse(reg)))
    }
}
