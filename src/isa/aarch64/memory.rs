//! Loads, stores, addresses and initialised memory.
//!
//! An access takes the first of these that its address allows: a frame slot and an offset; the page of a
//! global and its low 12 bits; a base and an index that is extended and scaled; a base and an offset.
//! Whatever is left over of an address is summed up before, a scaled index an `add`, one with an odd stride
//! an `smaddl`.

use super::arithmetic::add_constant;
use super::registers::ZERO;
use super::rows::int::*;
use super::rows::memory::*;
use super::select::{emit, emit_imm, fresh, integer, own_integer, reg_or_zero, result};
use crate::base::Handle;
use crate::ir::{GlobalId, Inst, Op, Type, Value};
use crate::isa::address::{Address, Base, flatten, flatten_inst};
use crate::isa::convention::call_library;
use crate::isa::select::{ByType, Select, Shared};
use crate::isa::{MEMCPY, MEMSET};
use crate::mir::{self, MachineOp, Operand};
use std::ops::Range;

/// The rows that access memory with one type.
#[derive(Debug)]
pub struct Access {
    /// Bytes.
    pub bytes: i64,
    /// Base and an offset in units of `bytes`.
    pub scaled: MachineOp,
    /// Base and a signed offset of 9 bits.
    pub unscaled: MachineOp,
    /// Base and a shifted index of 64 bits.
    index_x: MachineOp,
    /// Base and a shifted index of 32 bits, sign-extended.
    index_w: MachineOp,
    /// Frame slot.
    pub slot: MachineOp,
    /// Low 12 bits of a global's address.
    lo12: Option<MachineOp>,
}

/// Loads, then stores, of 1 byte, w, x, s and d registers.
pub const ACCESSES: [Access; 10] = [
    access(1, LDRB, LDURB, LDRB_LSL, LDRB_SXTW, LDRB_SLOT, None),
    access(4, LDR_W, LDUR_W, LDR_W_LSL, LDR_W_SXTW, LDR_W_SLOT, Some(LDR_W_LO12)),
    access(8, LDR_X, LDUR_X, LDR_X_LSL, LDR_X_SXTW, LDR_X_SLOT, None),
    access(4, LDR_S, LDUR_S, LDR_S_LSL, LDR_S_SXTW, LDR_S_SLOT, Some(LDR_S_LO12)),
    access(8, LDR_D, LDUR_D, LDR_D_LSL, LDR_D_SXTW, LDR_D_SLOT, None),
    access(1, STRB, STURB, STRB_LSL, STRB_SXTW, STRB_SLOT, None),
    access(4, STR_W, STUR_W, STR_W_LSL, STR_W_SXTW, STR_W_SLOT, Some(STR_W_LO12)),
    access(8, STR_X, STUR_X, STR_X_LSL, STR_X_SXTW, STR_X_SLOT, None),
    access(4, STR_S, STUR_S, STR_S_LSL, STR_S_SXTW, STR_S_SLOT, Some(STR_S_LO12)),
    access(8, STR_D, STUR_D, STR_D_LSL, STR_D_SXTW, STR_D_SLOT, None),
];

const fn access(
    bytes: i64,
    scaled: MachineOp,
    unscaled: MachineOp,
    index_x: MachineOp,
    index_w: MachineOp,
    slot: MachineOp,
    lo12: Option<MachineOp>,
) -> Access {
    Access { bytes, scaled, unscaled, index_x, index_w, slot, lo12 }
}

/// By type, what loads from a frame slot or stores to one.
pub const fn by_slot(is_store: bool) -> ByType {
    let mut slots = [None; Type::ALL.len()];
    let mut k = 0;
    while k < slots.len() {
        slots[k] = Some(ACCESSES[access_of(Type::ALL[k], is_store)].slot);
        k += 1;
    }
    slots
}

/// The row of `ACCESSES` for a type.
const fn access_of(ty: Type, is_store: bool) -> usize {
    let k = match ty {
        Type::I1 | Type::I8 => 0,
        Type::F32 => 3,
        Type::F64 => 4,
        Type::I64 | Type::Ptr => 2,
        _ => 1,
    };
    k + if is_store { 5 } else { 0 }
}

/// Puts the address of a frame slot in a register.
pub fn slot_address(cx: &mut Select, slot: mir::Slot) -> Operand {
    cx.emit_fresh(SLOT_ADDRESS, Type::Ptr, &[Operand::FRAME], 0, slot.index() as u32)
}

// ---- Addresses --------------------------------------------------------------------------------------------

/// Puts a base, and `offset` if it is a global or a slot, in a register. What is left of the offset is
/// returned. In loops the base is the same register for all accesses, made in front of the loop.
fn base_reg(cx: &mut Select, base: Base, offset: i32, def: Option<Operand>) -> (Operand, i32) {
    match base {
        Base::Value(v) => (cx.reg(v), offset),
        Base::Global(global) if cx.shares() => (cx.reg(Value::global(global)), offset),
        Base::Slot(slot) if cx.shares() => {
            (cx.shared(Shared::Slot(slot), |cx| slot_address(cx, slot)), offset)
        }
        Base::Global(global) => {
            let def = def.unwrap_or_else(|| fresh(cx, Type::Ptr));
            cx.emit(LA, &[def], &[], offset, global.index() as u32);
            (def, 0)
        }
        Base::Slot(slot) => {
            let def = def.unwrap_or_else(|| fresh(cx, Type::Ptr));
            cx.emit(SLOT_ADDRESS, &[def], &[Operand::FRAME], offset, slot.index() as u32);
            (def, 0)
        }
    }
}

/// def = base + index * stride.
fn add_index(cx: &mut Select, def: Operand, base: Operand, index: Value, stride: u32) {
    let narrow = cx.body.type_of(index) != Type::I64;
    let x = cx.reg(index);
    let k = stride.trailing_zeros() as i32;
    match (stride.is_power_of_two(), narrow) {
        (true, true) if k <= 4 => emit_imm(cx, ADD_X_SXTW, def, &[base, x], k),
        (true, true) => {
            let wide = fresh(cx, Type::I64);
            emit(cx, SXTW, wide, &[x]);
            emit_imm(cx, ADD_X_LSL, def, &[base, wide], k);
        }
        (true, false) => emit_imm(cx, ADD_X_LSL, def, &[base, x], k),
        (false, true) => {
            let y = integer(cx, Type::I32, i64::from(stride));
            emit(cx, SMADDL, def, &[x, y, base]);
        }
        (false, false) => {
            let y = integer(cx, Type::I64, i64::from(stride));
            emit(cx, MADD_X, def, &[x, y, base]);
        }
    }
}

/// The sum of a base and indices, a range of the walk's, in a register, `def` if it is given and anything is
/// added.
fn sum(cx: &mut Select, base: Operand, indices: Range<u32>, def: Option<Operand>) -> Operand {
    let mut at = base;
    let end = indices.end;
    for k in indices {
        let (index, stride) = cx.indices[k as usize];
        let next = def.filter(|_| k + 1 == end).unwrap_or_else(|| fresh(cx, Type::Ptr));
        add_index(cx, next, at, index, stride);
        at = next;
    }
    at
}

/// An element address that is wanted in a register.
pub fn elem_addr(cx: &mut Select, i: Inst) {
    let address = flatten_inst(cx, i);
    let def = result(cx, i);
    let indices = address.first..address.end;
    if address.is_direct() {
        let (base, left) = base_reg(cx, address.base, address.offset, Some(def));
        return match left {
            _ if base == def => {}
            0 => emit(cx, MOV_X, def, &[base]),
            _ => add_constant(cx, def, Type::Ptr, base, i64::from(left)),
        };
    }
    let (base, left) = base_reg(cx, address.base, address.offset, None);
    if left == 0 {
        sum(cx, base, indices, Some(def));
    } else {
        let total = sum(cx, base, indices, None);
        add_constant(cx, def, Type::Ptr, total, i64::from(left));
    }
}

/// Where an access goes, all that it needs being in registers.
enum Place {
    /// A slot and bytes into it.
    Slot(mir::Slot, i32),
    /// A global and bytes into it.
    Global(GlobalId, i32),
    /// A base and an index, scaled by the size of the access; true if it has 32 bits.
    Index(Operand, Operand, bool),
    /// A base and a legal offset.
    Offset(Operand, i32),
}

/// Emits what an access needs of its address.
fn place(cx: &mut Select, v: Value, access: &Access) -> Place {
    let address = flatten(cx, v);
    let Address { base, offset, first, end } = address;
    if address.is_direct() {
        match base {
            Base::Slot(slot) => return Place::Slot(slot, offset),
            Base::Global(global)
                if access.lo12.is_some() && i64::from(offset) & (access.bytes - 1) == 0 && !cx.shares() =>
            {
                return Place::Global(global, offset);
            }
            _ => {}
        }
    }
    let (base, left) = base_reg(cx, base, offset, None);
    let scaled = (first..end).find(|&k| i64::from(cx.indices[k as usize].1) == access.bytes);
    if let Some(k) = scaled.filter(|_| left == 0) {
        let (index, _) = cx.indices[k as usize];
        let base = sum(cx, base, first..k, None);
        let base = sum(cx, base, k + 1..end, None);
        let narrow = cx.body.type_of(index) != Type::I64;
        return Place::Index(base, cx.reg(index), narrow);
    }
    let base = sum(cx, base, first..end, None);
    let offset = i64::from(left);
    let is_legal = |offset: i64| {
        (-256..256).contains(&offset)
            || offset >= 0
                && offset & (access.bytes - 1) == 0
                && offset >> access.bytes.trailing_zeros() < 4096
    };
    if is_legal(offset) {
        return Place::Offset(base, left);
    }
    // Pages of 4 KiB can be added by one instruction; the rest goes into the access if it can.
    let rest = if is_legal(offset & 0xfff) { offset & 0xfff } else { 0 };
    let total = fresh(cx, Type::Ptr);
    add_constant(cx, total, Type::Ptr, base, offset - rest);
    Place::Offset(total, rest as i32)
}

/// Emits an access: `value` is what is loaded or stored.
fn emit_access(cx: &mut Select, access: &Access, place: Place, value: Operand, is_store: bool) {
    let shift = access.bytes.trailing_zeros() as i32;
    let (op, base, imm, sym) = match place {
        Place::Slot(slot, offset) => (access.slot, Operand::FRAME, offset, slot.index() as u32),
        Place::Global(global, offset) => {
            let sym = global.index() as u32;
            let page = cx.emit_fresh(ADRP, Type::Ptr, &[], offset, sym);
            (access.lo12.unwrap_or(access.scaled), page, offset, sym)
        }
        Place::Index(base, index, narrow) => {
            let op = if narrow { access.index_w } else { access.index_x };
            return cx.emit_row(op, u8::from(!is_store), &[value, base, index], shift, 0);
        }
        Place::Offset(base, offset) => {
            let scaled = offset >= 0 && i64::from(offset) & (access.bytes - 1) == 0;
            (if scaled { access.scaled } else { access.unscaled }, base, offset, 0)
        }
    };
    cx.emit_row(op, u8::from(!is_store), &[value, base], imm, sym);
}

/// load.
pub fn load(cx: &mut Select, i: Inst) {
    let access = &ACCESSES[access_of(cx.body.ty(i), false)];
    let place = place(cx, cx.body.arg(i, 0), access);
    let def = result(cx, i);
    emit_access(cx, access, place, def, false);
}

/// store. A floating constant is stored from an integer register, which is quicker to fill.
pub fn store(cx: &mut Select, i: Inst) {
    let (v, address) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let (ty, value) = stored(cx, v);
    let access = &ACCESSES[access_of(ty, true)];
    let place = match cx.variable(address) {
        Some(slot) => Place::Slot(slot, 0),
        None => place(cx, address, access),
    };
    emit_access(cx, access, place, value, true);
}

/// What to store for a value, and as what.
pub fn stored(cx: &mut Select, v: Value) -> (Type, Operand) {
    let bits = match (cx.body.as_f32(v), cx.body.as_f64(v)) {
        (Some(x), _) => (Type::I32, i64::from(x.to_bits() as i32)),
        (_, Some(x)) => (Type::I64, x.to_bits() as i64),
        _ => return (cx.body.type_of(v), reg_or_zero(cx, v)),
    };
    match bits {
        (ty, 0) => (ty, Operand::phys(ZERO)),
        (ty, x) => (ty, integer(cx, ty, x)),
    }
}

// ---- Initialised memory -----------------------------------------------------------------------------------

/// Up to this many bytes are cleared, or copied, by code in place.
const CLEAR_INLINE: u32 = 128;
const COPY_INLINE: u32 = 32;

/// meminit.
pub fn mem_init(cx: &mut Select, i: Inst) {
    let (to, bytes) = (cx.body.arg(i, 0), cx.body.payload(i));
    let from = cx.body.args(i).get(1).copied();
    match from {
        None if bytes <= CLEAR_INLINE => clear(cx, to, bytes),
        Some(from) if bytes <= COPY_INLINE => copy(cx, to, from, bytes),
        _ => {
            let to = cx.fresh(to);
            let (second, library) = match from {
                None => (own_integer(cx, Type::I32, 0), MEMSET),
                Some(from) => (cx.fresh(from), MEMCPY),
            };
            let count = own_integer(cx, Type::I64, i64::from(bytes));
            call_library(cx, library, &[to, second, count], None);
        }
    }
}

/// Where initialised memory is: a slot, or a register.
fn memory(cx: &mut Select, v: Value) -> (Option<mir::Slot>, Operand) {
    if let Some(i) = v.as_inst().filter(|&i| cx.body.op(i) == Op::Alloca) {
        let slot = cx.slot_of(i);
        return (Some(slot), Operand::FRAME);
    }
    (None, cx.reg(v))
}

fn clear(cx: &mut Select, to: Value, bytes: u32) {
    let (slot, base) = memory(cx, to);
    let (zero, sym) = (Operand::phys(ZERO), slot.map_or(0, |slot| slot.index() as u32));
    let mut at = 0;
    while at < bytes {
        let imm = at as i32;
        let (pair, single) = if slot.is_some() {
            (STP_X_SLOT, [STR_X_SLOT, STR_W_SLOT, STRB_SLOT])
        } else {
            (STP_X, [STR_X, STR_W, STRB])
        };
        at += match bytes - at {
            16.. => {
                cx.emit(pair, &[], &[zero, zero, base], imm, sym);
                16
            }
            left => {
                let k = if left >= 8 {
                    0
                } else if left >= 4 {
                    1
                } else {
                    2
                };
                cx.emit(single[k], &[], &[zero, base], imm, sym);
                [8, 4, 1][k]
            }
        };
    }
}

fn copy(cx: &mut Select, to: Value, from: Value, bytes: u32) {
    let (slot, base) = memory(cx, to);
    let sym = slot.map_or(0, |slot| slot.index() as u32);
    let from = cx.reg(from);
    let mut at = 0;
    while at < bytes {
        let left = bytes - at;
        let k = if left >= 8 {
            0
        } else if left >= 4 {
            1
        } else {
            2
        };
        let stores = if slot.is_some() { [STR_X_SLOT, STR_W_SLOT, STRB_SLOT] } else { [STR_X, STR_W, STRB] };
        let x = fresh(cx, [Type::I64, Type::I32, Type::I32][k]);
        emit_imm(cx, [LDR_X, LDR_W, LDRB][k], x, &[from], at as i32);
        cx.emit(stores[k], &[], &[x, base], at as i32, sym);
        at += [8, 4, 1][k];
    }
}
