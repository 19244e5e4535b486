//! What variables that debuggers are shown have become: constants, and the registers of values that something
//! has demanded. Nothing is demanded for them. O(changes).

use super::{Columns, Home};
use crate::base::Column;
use crate::ir::{self, Body, Op, ValueKind};
use crate::mir::debug_values::{DebugValues, Stood};

/// The times of places: those of its own text, and where calls have been replaced by what they call, that of
/// the call. A place in what stands for several calls, made at different times, has none.
fn points(from: &ir::DebugValues, body: &Body) -> Vec<(u32, u32)> {
    let rows = body.places.rows();
    if rows.is_empty() {
        return from.points.clone();
    }
    let mut all = ir::DebugValues::default();
    let mut times: Vec<Option<u32>> = Vec::with_capacity(rows.len());
    let mut pairs = from.points.clone();
    for row in rows {
        // A row names only earlier ones.
        let time = match body.places.number(row.call) {
            Some(k) => times.get(k).copied().flatten(),
            None => from.time(body.places.offset(row.call)),
        };
        times.push(time);
        // A time that one location alone has is dropped.
        if row.offset != ir::NO_LOC {
            pairs.push((row.offset, time.unwrap_or(u32::MAX)));
        }
    }
    all.set_points(pairs);
    all.points.retain(|point| point.1 != u32::MAX);
    all.points
}

#[cold]
pub(super) fn lower(from: &ir::DebugValues, body: &Body, columns: &Columns) -> Box<DebugValues> {
    let mut debug = DebugValues {
        variables: from.variables.clone(),
        points: points(from, body),
        entry: from.entry,
        labels: Column::new(),
        ..DebugValues::default()
    };
    for (k, &(variable, _)) in from.changes.iter().enumerate() {
        let to = match from.change(k, |i| body.op(i) != Op::Unreachable) {
            None => Stood::Nothing,
            Some(v) => match v.kind() {
                ValueKind::Inst(i) => {
                    let home = columns.homes.get(i).copied().and_then(Home::as_reg);
                    home.map_or(Stood::Nothing, |v| Stood::Label(debug.labelled(v)))
                }
                _ => body.number(v).map_or(Stood::Nothing, |number| Stood::Bits(number.bits)),
            },
        };
        debug.changes.push((variable, to));
    }
    Box::new(debug)
}
