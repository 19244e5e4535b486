//! The tree of the calls that have been replaced in a body by what they call, each once, however many rows of
//! places name it. O(rows).

use crate::base::intern::DenseMap;
use crate::base::{Column, Handle, Opt};
use crate::ir;
use crate::mir::inlined::{Call, CallRow, DEEPEST, Inlined, Origin};

#[cold]
pub(super) fn inlined(body: &ir::Body) -> Inlined {
    let rows = body.places.rows();
    let mut inlined = Inlined { origins: Vec::with_capacity(rows.len()), ..Inlined::default() };
    let mut of: DenseMap<CallRow, Call> = DenseMap::default();
    let mut depth: Column<Call, u32> = Column::new();
    let versions = body.debug_values.as_deref().map(|debug| &debug.versions);
    for (k, row) in rows.iter().enumerate() {
        let version = versions.map_or(0, |versions| versions.of(k));
        if version != 0 && row.call == ir::Place::NONE && row.func == body.func {
            inlined.origins.push(Origin { version, ..Origin::at(row.offset) });
            continue;
        }
        // A row names only earlier ones.
        let outer = match body.places.number(row.call) {
            Some(k) => inlined.origins.get(k).copied().unwrap_or(Origin::NONE),
            None => Origin::at(body.places.offset(row.call)),
        };
        let deep = outer.call.get().map_or(0, |call| depth[call]);
        inlined.origins.push(if deep < DEEPEST {
            let key = CallRow { func: row.func.index() as u32, at: outer.offset, parent: outer.call };
            let call = *of.entry(key).or_insert_with(|| {
                depth.push(deep + 1);
                inlined.calls.push(key)
            });
            Origin { call: Opt::some(call), offset: row.offset, version }
        } else {
            Origin { version, ..outer }
        });
    }
    inlined
}
