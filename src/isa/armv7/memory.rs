//! Loads, stores, addresses, initialised memory.
//!
//! A word or byte is reached by base + 12-bit offset or base + shifted index, a float by base + 8-bit count
//! of words. Frame slots keep their symbolic base until `finalise`. Addresses are computed modulo 2^32, so
//! the low word of an index is all that counts.

use super::imm::{fits_float_memory, fits_memory};
use super::integer::{add_constant, emit_word, load_word, word};
use super::multiply::{is_cheap_factor, mul_constant};
use super::rows::*;
use crate::base::Handle;
use crate::ir::{Inst, Op, Type, Value, ValueKind};
use crate::isa::address::{Address, Base, flatten, flatten_inst};
use crate::isa::convention::call_library;
use crate::isa::select::{ByType, Select, Shared};
use crate::isa::{MEMCPY, MEMSET};
use crate::mir::{MachineOp, Operand, Slot};
use std::ops::Range;

/// The rows of one kind of access.
struct Access {
    offset: MachineOp,
    slot: MachineOp,
    /// Base + register, base + shifted register; floats have none.
    index: Option<[MachineOp; 2]>,
    fits: fn(i32) -> bool,
}

const LOAD_WORD: Access =
    Access { offset: LDR, slot: LDR_SLOT, index: Some([LDR_R, LDR_LSL]), fits: fits_memory };
const LOAD_BYTE: Access =
    Access { offset: LDRB, slot: LDRB_SLOT, index: Some([LDRB_R, LDRB_LSL]), fits: fits_memory };
const LOAD_FLOAT: Access = Access { offset: VLDR, slot: VLDR_SLOT, index: None, fits: fits_float_memory };
const STORE_WORD: Access =
    Access { offset: STR, slot: STR_SLOT, index: Some([STR_R, STR_LSL]), fits: fits_memory };
const STORE_BYTE: Access =
    Access { offset: STRB, slot: STRB_SLOT, index: Some([STRB_R, STRB_LSL]), fits: fits_memory };
const STORE_FLOAT: Access = Access { offset: VSTR, slot: VSTR_SLOT, index: None, fits: fits_float_memory };

/// By type, loads of frame slots; i64 and double are refused.
pub const SLOT_LOADS: ByType = by_slot(LDR_SLOT, LDRB_SLOT, VLDR_SLOT);
/// By type, stores to frame slots.
pub const SLOT_STORES: ByType = by_slot(STR_SLOT, STRB_SLOT, VSTR_SLOT);

const fn by_slot(word: MachineOp, byte: MachineOp, float: MachineOp) -> ByType {
    let mut slots = [None; Type::ALL.len()];
    slots[Type::I1 as usize] = Some(byte);
    slots[Type::I8 as usize] = Some(byte);
    slots[Type::I32 as usize] = Some(word);
    slots[Type::Ptr as usize] = Some(word);
    slots[Type::F32 as usize] = Some(float);
    slots
}

/// Offsets that a relocation of `movw` and `movt` can hold beside the symbol.
fn fits_symbol(x: i32) -> bool {
    i16::try_from(x).is_ok()
}

/// A register whose value is the address of a slot plus an offset.
pub fn slot_address(cx: &mut Select, slot: Slot, offset: i32) -> Operand {
    cx.emit_fresh(LEA_SLOT, Type::I32, &[Operand::FRAME], offset, slot.index() as u32)
}

/// A register whose value is the address of a global plus an offset that fits a relocation.
fn global_address(cx: &mut Select, global: u32, offset: i32) -> Operand {
    cx.emit_fresh(LA, Type::I32, &[], offset, global)
}

/// The register for the low word of an index: extensions of what fits a word are looked through.
fn index_reg(cx: &mut Select, v: Value) -> Operand {
    if let Some(i) = v.as_inst().filter(|&i| cx.body.ty(i) == Type::I32) {
        return cx.used_as(i, Type::I32);
    }
    if cx.body.type_of(v) == Type::I64 {
        if let Some(x) = cx.body.as_int(v) {
            return load_word(cx, x as i32);
        }
        let from = v.as_inst().filter(|&i| matches!(cx.body.op(i), Op::SExt | Op::ZExt));
        if let Some(from) = from.map(|i| cx.body.arg(i, 0)).filter(|&x| cx.body.type_of(x) == Type::I32) {
            return cx.reg(from);
        }
    }
    cx.reg(v)
}

/// An index times a scale as a register shifted left.
fn scaled(cx: &mut Select, v: Value, scale: u32) -> (Operand, i32) {
    let index = index_reg(cx, v);
    let shift = if scale == 0 { 0 } else { scale.trailing_zeros() as i32 };
    match scale >> shift {
        1 => (index, shift),
        odd => {
            let product = word(cx);
            mul_constant(cx, product, index, odd as i32);
            (product, shift)
        }
    }
}

/// Emits `base + v * scale`.
fn add_index(cx: &mut Select, base: Operand, v: Value, scale: u32) -> Operand {
    if !is_cheap_factor(scale as i32) {
        let (index, factor) = (index_reg(cx, v), load_word(cx, scale as i32));
        return emit_word(cx, MLA, &[index, factor, base], 0);
    }
    match scaled(cx, v, scale) {
        (index, 0) => emit_word(cx, ADD, &[base, index], 0),
        (index, shift) => emit_word(cx, ADD_LSL, &[base, index], shift),
    }
}

/// Emits the sum of a base and indices, a range of the walk's.
fn add_indices(cx: &mut Select, mut base: Operand, indices: Range<u32>) -> Operand {
    for k in indices {
        let (v, scale) = cx.indices[k as usize];
        base = add_index(cx, base, v, scale);
    }
    base
}

/// Base and offset in registers, the indices apart: a register, and an offset still to add.
fn base_reg(cx: &mut Select, address: &Address, fits: fn(i32) -> bool) -> (Operand, i32) {
    let offset = address.offset;
    match address.base {
        Base::Value(v) => (cx.reg(v), offset),
        // One address in front of the loop serves all offsets.
        Base::Slot(slot) if cx.shares() => {
            (cx.shared(Shared::Slot(slot), |cx| slot_address(cx, slot, 0)), offset)
        }
        Base::Global(global) if cx.shares() => (cx.reg(Value::global(global)), offset),
        Base::Slot(slot) => (slot_address(cx, slot, offset), 0),
        Base::Global(global) => {
            let folds = address.is_direct() && fits(offset);
            let inside = if !folds && fits_symbol(offset) { offset } else { 0 };
            (global_address(cx, global.index() as u32, inside), offset - inside)
        }
    }
}

/// Emits a load or store at an address. `data` is what is loaded, which is `defs` = 1 definition, or stored.
fn access(cx: &mut Select, rows: &Access, at: Value, data: Operand, defs: u8) {
    let address = flatten(cx, at);
    if let (Base::Slot(slot), true) = (address.base, address.is_direct()) {
        return cx.emit_row(rows.slot, defs, &[data, Operand::FRAME], address.offset, slot.index() as u32);
    }
    let (mut base, mut offset) = base_reg(cx, &address, rows.fits);
    if !(rows.fits)(offset) {
        let sum = word(cx);
        add_constant(cx, sum, base, offset);
        (base, offset) = (sum, 0);
    }
    if let (Some(index_rows), 0, false) = (rows.index, offset, address.is_direct()) {
        base = add_indices(cx, base, address.first..address.end - 1);
        let (v, scale) = cx.indices[address.end as usize - 1];
        let (index, shift) = scaled(cx, v, scale);
        return cx.emit_row(index_rows[usize::from(shift != 0)], defs, &[data, base, index], shift, 0);
    }
    base = add_indices(cx, base, address.first..address.end);
    cx.emit_row(rows.offset, defs, &[data, base], offset, 0);
}

/// Selects a load.
pub fn load(cx: &mut Select, i: Inst) {
    let rows = match cx.body.ty(i) {
        Type::I32 | Type::Ptr => &LOAD_WORD,
        Type::I1 | Type::I8 => &LOAD_BYTE,
        Type::F32 => &LOAD_FLOAT,
        _ => return cx.fail("armv7: load of i64 or double"),
    };
    let def = Operand::virt(cx.result(i));
    access(cx, rows, cx.body.arg(i, 0), def, 1);
}

/// Selects a store.
pub fn store(cx: &mut Select, i: Inst) {
    let v = cx.body.arg(i, 0);
    // The bits of a float constant are a word like any other.
    let bits = cx.body.as_f32(v).map(f32::to_bits);
    let rows = match cx.body.type_of(v) {
        Type::F32 if bits.is_some() => &STORE_WORD,
        Type::I32 | Type::Ptr => &STORE_WORD,
        Type::I1 | Type::I8 => &STORE_BYTE,
        Type::F32 => &STORE_FLOAT,
        _ => return cx.fail("armv7: store of i64 or double"),
    };
    let value = match bits {
        Some(bits) => load_word(cx, bits as i32),
        None => cx.reg(v),
    };
    access(cx, rows, cx.body.arg(i, 1), value, 0);
}

/// Selects an element address as a value.
pub fn elem_addr(cx: &mut Select, i: Inst) {
    let def = Operand::virt(cx.result(i));
    let address = flatten_inst(cx, i);
    if address.is_direct() {
        // Straight into the result, so that the allocator may compute it again.
        match address.base {
            Base::Slot(slot) => {
                return cx.emit(LEA_SLOT, &[def], &[Operand::FRAME], address.offset, slot.index() as u32);
            }
            Base::Global(global) if fits_symbol(address.offset) && !cx.shares() => {
                return cx.emit(LA, &[def], &[], address.offset, global.index() as u32);
            }
            _ => {}
        }
    }
    let (mut base, offset) = base_reg(cx, &address, |_| false);
    if address.is_direct() {
        return add_constant(cx, def, base, offset);
    }
    base = add_indices(cx, base, address.first..address.end - 1);
    let (v, scale) = cx.indices[address.end as usize - 1];
    if offset != 0 {
        let sum = word(cx);
        add_constant(cx, sum, base, offset);
        base = sum;
    }
    let (index, shift) = scaled(cx, v, scale);
    cx.emit(if shift == 0 { ADD } else { ADD_LSL }, &[def], &[base, index], shift, 0);
}

/// The most bytes that are initialised by stores of zero one by one, and copied word by word.
const ZERO_INLINE: u32 = 32;
const COPY_INLINE: u32 = 16;

/// Selects the initialisation of memory: zeros, or the contents of a constant global.
pub fn init(cx: &mut Select, i: Inst) {
    let bytes = cx.body.payload(i);
    let at = flatten(cx, cx.body.arg(i, 0));
    let source = cx.body.args(i).get(1).copied();
    let limit = if source.is_some() { COPY_INLINE } else { ZERO_INLINE };
    if bytes.is_multiple_of(4) && bytes <= limit && at.is_direct() {
        let zero = if source.is_none() { Some(load_word(cx, 0)) } else { None };
        let from = source.map(|v| cx.reg(v));
        let base = match at.base {
            Base::Slot(_) => None,
            _ => {
                let (base, offset) = base_reg(cx, &at, |_| false);
                let sum = word(cx);
                add_constant(cx, sum, base, offset);
                Some(sum)
            }
        };
        for offset in (0..bytes as i32).step_by(4) {
            let value = match (zero, from) {
                (Some(zero), _) => zero,
                (None, Some(from)) => emit_word(cx, LDR, &[from], offset),
                _ => return,
            };
            match (at.base, base) {
                (Base::Slot(slot), _) => {
                    cx.emit(STR_SLOT, &[], &[value, Operand::FRAME], at.offset + offset, slot.index() as u32);
                }
                (_, Some(base)) => cx.emit(STR, &[], &[value, base], offset, 0),
                _ => {}
            }
        }
        return;
    }
    let to = cx.reg(cx.body.arg(i, 0));
    let (callee, second) = match source {
        Some(source) => (MEMCPY, cx.reg(source)),
        None => (MEMSET, load_word(cx, 0)),
    };
    let count = load_word(cx, bytes as i32);
    call_library(cx, callee, &[to, second, count], None);
}

/// Emits the address of a global as a value.
pub fn global(cx: &mut Select, v: Value) -> Operand {
    match v.kind() {
        ValueKind::Global(global) => global_address(cx, global.index() as u32, 0),
        _ => {
            cx.fail("a requested global was never granted");
            word(cx)
        }
    }
}
