//! What variables that debuggers are shown have become: constants, and the registers of values that something
//! has demanded. Nothing is demanded for them. O(changes).

use super::{Columns, Home};
use crate::base::Column;
use crate::ir::{self, Body, Op, ValueKind};
use crate::mir::shown::{Shown, Stood};

#[cold]
pub(super) fn shown(from: &ir::Shown, body: &Body, columns: &Columns) -> Box<Shown> {
    let mut shown = Shown {
        variables: from.variables.clone(),
        points: from.points.clone(),
        entry: from.entry,
        labels: Column::new(),
        ..Shown::default()
    };
    for &(variable, value) in &from.changes {
        let to = match from.resolve(value, |i| body.op(i) != Op::Unreachable) {
            None => Stood::Nothing,
            Some(v) => match v.kind() {
                ValueKind::Inst(i) => {
                    let home = columns.homes.get(i).copied().and_then(Home::as_reg);
                    home.map_or(Stood::Nothing, |v| Stood::Label(shown.labelled(v)))
                }
                _ => body.number(v).map_or(Stood::Nothing, |number| Stood::Bits(number.bits)),
            },
        };
        shown.changes.push((variable, to));
    }
    Box::new(shown)
}
