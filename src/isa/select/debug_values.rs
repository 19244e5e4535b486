//! What variables that debuggers are shown have become: constants, and the registers of values that something
//! has demanded. Nothing is demanded for them. O(changes).

use super::{Columns, Home};
use crate::base::Column;
use crate::ir::debug_values::Text;
use crate::ir::{self, Body, Op, Value, ValueKind};
use crate::mir;
use crate::mir::debug_values::{DebugValues, Stood};
use crate::mir::inlined::{Call, Inlined};

#[cold]
pub(super) fn lower(
    from: &ir::DebugValues,
    body: &Body,
    columns: &Columns,
    inlined: &Inlined,
) -> Box<DebugValues> {
    let mut debug = DebugValues::default();
    let used = used_versions(body, from);
    let mut text_of: Column<Call, u32> = Column::filled(inlined.calls.len(), u32::MAX);
    for text in &from.texts {
        let call = inlined.origin(text.place.bits()).call;
        if let Some(call) = call.get() {
            let other = std::mem::replace(&mut text_of[call], debug.texts.len() as u32);
            if let Some(other) = debug.texts.get_mut(other as usize) {
                // The call had been copied before: places do not say in which of the copies they are.
                other.points.clear();
                text_of[call] = u32::MAX - 1;
            }
            if text_of[call] == u32::MAX - 1 {
                continue;
            }
        } else if !debug.texts.is_empty() {
            continue;
        }
        append(&mut debug, from, text, (body, columns), &used);
        if let Some(last) = debug.texts.last_mut() {
            last.call = call;
        }
        let last = debug.variables.len();
        let first = debug.texts.last().map_or(last, |text| text.variables.start as usize);
        debug.variables[first..].iter_mut().for_each(|row| row.0 = call);
    }
    Box::new(debug)
}

/// Versions of code that are told of: those that there is code of, unless that is too much.
fn used_versions(body: &Body, from: &ir::DebugValues) -> Vec<u32> {
    if from.versions.is_empty() {
        return Vec::new();
    }
    let places = body.blocks().flat_map(|b| body.insts(b)).filter_map(|i| body.places.number(body.place(i)));
    let mut used: Vec<u32> =
        places.map(|row| from.versions.of(row)).filter(|&version| version != 0).collect();
    used.sort_unstable();
    used.dedup();
    let changes: usize = from.texts.iter().map(|text| text.changes.len()).sum();
    used.truncate(MOST / (changes + 1));
    used
}

/// Versions times changes of variables that are looked at, at most.
const MOST: usize = 1 << 20;

/// Appends a text.
fn append(
    debug: &mut DebugValues,
    from: &ir::DebugValues,
    text: &Text,
    (body, columns): (&Body, &Columns),
    used: &[u32],
) {
    let variable = debug.variables.len() as u32;
    let first = debug.changes.len() as u32;
    debug.variables.extend(text.variables.iter().map(|&number| (Default::default(), number)));
    for &(v, number) in &text.slots {
        let slot = v.as_inst().and_then(|i| columns.homes[i].as_slot());
        if let Some(slot) = slot {
            // All the time, so before the first change.
            debug.changes.push((debug.variables.len() as u32, Stood::Slot(slot)));
            debug.variables.push((Default::default(), number));
        }
    }
    let shift = debug.changes.len() as u32 - first;
    let is_there = |i| body.op(i) != Op::Unreachable;
    let Some(written) = from.versions.in_version(0) else { return };
    for &(number, v) in &text.changes {
        let to = stood(debug, from.resolve(v, &written, is_there), (body, columns));
        debug.changes.push((variable + number, to));
    }
    let mut versions = Vec::new();
    for &number in used {
        let Some(version) = from.versions.in_version(number) else { continue };
        let mut others = Vec::new();
        for (k, &(_, v)) in (first + shift..).zip(&text.changes).filter(|(_, row)| row.1.as_inst().is_some())
        {
            let to = stood(debug, from.resolve(v, &version, is_there), (body, columns));
            if to != debug.changes[k as usize].1 {
                others.push((k, to));
            }
        }
        versions.push((number, others));
    }
    debug.texts.push(mir::debug_values::Text {
        variables: variable..debug.variables.len() as u32,
        changes: first..debug.changes.len() as u32,
        points: text.points.iter().map(|&(offset, time)| (offset, time + shift)).collect(),
        entry: text.entry + shift,
        versions,
        ..Default::default()
    });
}

/// What a value has become.
fn stood(debug: &mut DebugValues, v: Option<Value>, (body, columns): (&Body, &Columns)) -> Stood {
    let Some(v) = v else { return Stood::Nothing };
    match v.kind() {
        ValueKind::Inst(i) => {
            let home = columns.homes.get(i).copied().unwrap_or(Home::NONE);
            match (home.as_slot().filter(|_| body.op(i) == Op::Alloca), home.as_reg()) {
                (Some(slot), _) => Stood::Address(slot),
                (None, Some(v)) => Stood::Label(debug.labelled(v)),
                (None, None) => Stood::Nothing,
            }
        }
        _ => body.number(v).map_or(Stood::Nothing, |number| Stood::Bits(number.bits)),
    }
}
