//! What machine rows touch in memory: derived from a row's operands and description where something asks,
//! so that it costs nothing where nothing does.
//!
//! A row names a slot or a global in `sym`, or has the address in its last use; the immediate is an offset
//! from there. Of a row that only has a register, selection notes in `sym` the object that it took the
//! address from (`Object::note`).

use super::desc::{LOADS, STORES};
use super::func::SlotKind;
use super::{Func, InstRow, Machine, Operand, Slot, SymKind};
use crate::base::Handle;

/// The object that an access stays in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Object {
    /// A frame slot.
    Slot(Slot),
    /// A global, by its number.
    Global(u32),
    /// Some slots of the frame.
    Frame,
    /// Any that has its address taken.
    Unknown,
    /// Any, by an access that stays where it is among all others.
    Volatile,
}

/// `Object::note` of `Frame`, and of `Volatile`.
const FRAME_NOTE: u32 = u32::MAX;
const VOLATILE_NOTE: u32 = u32::MAX - 1;

impl Object {
    /// The object as a number for `InstRow::sym`: 0 if it is not known, else the kind in the lowest bit.
    pub fn note(self) -> u32 {
        match self {
            Object::Slot(slot) if slot.index() < 1 << 30 => (slot.index() as u32 + 1) << 1,
            Object::Global(global) if global < 1 << 30 => (global + 1) << 1 | 1,
            Object::Frame => FRAME_NOTE,
            Object::Volatile => VOLATILE_NOTE,
            _ => 0,
        }
    }

    fn of(note: u32) -> Object {
        match (note >> 1, note & 1) {
            (0, _) => Object::Unknown,
            _ if note == FRAME_NOTE => Object::Frame,
            _ if note == VOLATILE_NOTE => Object::Volatile,
            (k, 0) => Object::Slot(Slot::new(k as usize - 1)),
            (k, _) => Object::Global(k - 1),
        }
    }
}

/// Where an offset counts from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Start {
    /// The start of the object.
    Object,
    /// A register, wherever that points.
    Reg(Operand),
    /// It is not known.
    Nowhere,
}

/// What a row touches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The object.
    pub object: Object,
    start: Start,
    offset: i64,
    bytes: i64,
}

impl Reference {
    /// The same, if the register of its address has changed: what counts from the start of an object has none.
    pub fn anywhere(self) -> Reference {
        match self.start {
            Start::Object => self,
            _ => Reference { start: Start::Nowhere, ..self },
        }
    }
}

/// True of an access that selection has noted as `Object::Volatile`.
pub fn is_volatile(machine: &Machine, row: &InstRow) -> bool {
    let desc = machine.row(row.op);
    row.sym == VOLATILE_NOTE && desc.sym == SymKind::None && desc.flags & (LOADS | STORES) != 0
}

/// What a row touches; none if it is no access to memory. What a call touches, nothing here says.
pub fn reference(func: &Func, machine: &Machine, row: &InstRow) -> Option<Reference> {
    let desc = machine.row(row.op);
    if desc.flags & (LOADS | STORES) == 0 {
        return None;
    }
    let (object, start) = match desc.sym {
        SymKind::Slot => (Object::Slot(Slot::new(row.sym as usize)), Start::Object),
        SymKind::Global => (Object::Global(row.sym), Start::Object),
        SymKind::None if desc.touches != 0 => {
            let last = row.first as usize + usize::from(row.defs) + usize::from(row.uses) - 1;
            (Object::of(row.sym), Start::Reg(func.operands[last]))
        }
        SymKind::None => (Object::of(row.sym), Start::Nowhere),
        _ => (Object::Unknown, Start::Nowhere),
    };
    Some(Reference { object, start, offset: row.imm.into(), bytes: desc.touches.into() })
}

/// True if two slots share no byte. Stack arguments of a function may: those that it takes, and those of what it jumps to.
fn are_apart(func: &Func, a: Slot, b: Slot) -> bool {
    let (a, b) = (&func.slots[a], &func.slots[b]);
    let (SlotKind::Incoming(from), SlotKind::Incoming(to)) = (a.kind, b.kind) else { return true };
    from + a.bytes <= to || to + b.bytes <= from
}

/// True if two rows between which no register of theirs changes touch nothing in common.
pub fn apart(func: &Func, a: &Reference, b: &Reference) -> bool {
    // Pointers lead to no slot but those of allocas.
    let is_hidden = |slot: Slot| func.slots[slot].kind != SlotKind::Local;
    match (a.object, b.object) {
        (Object::Volatile, _) | (_, Object::Volatile) => return false,
        (Object::Slot(a), Object::Slot(b)) if a != b => return are_apart(func, a, b),
        (Object::Global(a), Object::Global(b)) if a != b => return true,
        (Object::Slot(_) | Object::Frame, Object::Global(_))
        | (Object::Global(_), Object::Slot(_) | Object::Frame) => return true,
        (Object::Slot(slot), Object::Unknown) | (Object::Unknown, Object::Slot(slot)) if is_hidden(slot) => {
            return true;
        }
        _ => {}
    }
    let is_known = match (a.start, b.start) {
        (Start::Object, Start::Object) => a.object == b.object,
        (Start::Reg(a), Start::Reg(b)) => a == b,
        _ => false,
    };
    let are_sized = a.bytes != 0 && b.bytes != 0;
    is_known && are_sized && (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset)
}
