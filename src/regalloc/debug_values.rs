//! Keeps in view where the values are that debuggers are shown (`mir/debug_values`): which rows define them as given,
//! and at the end the same of the rows that there are. Only where debuggers are told. O(rows).

use super::color::Coloring;
use super::flow::Flow;
use super::homes::Home;
use super::{Cx, Origins};
use crate::base::{Column, Opt};
use crate::mir::debug_values::{DebugValues, Label, Spot};
use crate::mir::{Func, Inst, Machine, Slot, VReg};

/// What is kept while the rows change.
pub(super) struct Watched {
    debug: Box<DebugValues>,
    /// By row as given: which of its definitions has which label.
    given: Vec<(Inst, usize, Label)>,
}

/// Takes what there is to be seen to.
pub(super) fn watch(func: &mut Func) -> Option<Watched> {
    let debug = func.debug_values.take()?;
    let mut given = Vec::new();
    for i in func.blocks.keys().flat_map(|b| func.rows(b)) {
        for (k, def) in func.defs(i).iter().enumerate() {
            if let Some(label) = def.as_virt().and_then(|v| debug.label(v)) {
                given.push((i, k, label));
            }
        }
    }
    Some(Watched { debug, given })
}

impl Watched {
    /// Notes where phis are, while they still stand.
    pub(super) fn phis(&mut self, cx: &Cx, coloring: &Coloring, slots: &Column<VReg, Opt<Slot>>) {
        let Cx { func, homes, live, .. } = cx;
        for b in func.blocks.keys() {
            for phi in Flow::phis(func, b) {
                let def = func.defs(phi).first().and_then(|def| def.as_virt());
                let Some((d, label)) = def.and_then(|d| Some((d, self.debug.label(d)?))) else { continue };
                let spot = match homes.home[d] {
                    Home::Reg if live.last[func.insts[phi].first as usize] => None,
                    Home::Reg => coloring.of(d).map(Spot::reg),
                    Home::Slot => slots[d].get().map(Spot::slot),
                    Home::Remat => None,
                };
                self.debug.arrivals.extend(spot.map(|spot| (b, spot, label)));
            }
        }
    }

    /// Gives the function what is known of its rows.
    pub(super) fn finish(self, func: &mut Func, machine: &Machine, origins: &Origins) {
        let Watched { mut debug, given } = self;
        debug.allocated(func, machine, |_, i, k| {
            let origin = origins.get(i).copied().and_then(Opt::get)?;
            let at = given.binary_search_by_key(&(origin, k), |&(row, k, _)| (row, k)).ok()?;
            Some(given[at].2)
        });
        func.debug_values = Some(debug);
    }
}
