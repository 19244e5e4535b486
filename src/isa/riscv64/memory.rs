//! Loads, stores, addresses, and memory that is initialised at once.
//!
//! An access has a register with a 12-bit offset, a frame slot, or a global: `auipc` and the access itself, 2
//! GiB around the code. Anything farther is added up first.

use super::rows::*;
use super::select::{ZERO_REG, fits, int_reg, op_imm, op1, op2, temp};
use crate::base::Handle;
use crate::ir::{GlobalId, Inst, Op, Type, Value};
use crate::isa::address::{Address, Base, flatten, flatten_inst};
use crate::isa::convention::call_library;
use crate::isa::select::{ByType, Select, Shared};
use crate::isa::{MEMCPY, MEMSET};
use crate::mir::{MachineOp, Operand, Slot};

/// Up to so many bytes are set or copied by stores of their own; more by the C library.
const INLINE_SET: u32 = 128;
const INLINE_COPY: u32 = 48;

/// What an access can name.
#[derive(Copy, Clone, Debug)]
enum Mode {
    /// A register, and 12 bits.
    Reg(Operand, i32),
    /// A frame slot and bytes in it.
    Slot(Slot, i32),
    /// A global and bytes behind it.
    Symbol(GlobalId, i32),
}

impl Mode {
    /// The mode for `bytes` further on. Only for what fits.
    fn plus(self, bytes: i32) -> Mode {
        match self {
            Mode::Reg(r, offset) => Mode::Reg(r, offset + bytes),
            Mode::Slot(slot, offset) => Mode::Slot(slot, offset + bytes),
            Mode::Symbol(global, offset) => Mode::Symbol(global, offset + bytes),
        }
    }

    /// True if an access may be 8 bytes wide. Objects of 8 bytes and more are so aligned.
    fn is_aligned(self) -> bool {
        match self {
            Mode::Reg(..) => false,
            Mode::Slot(_, offset) | Mode::Symbol(_, offset) => offset % 8 == 0,
        }
    }
}

/// The address of a slot in a register.
pub fn slot_address(cx: &mut Select, slot: Slot) -> Operand {
    slot_part(cx, slot, 0)
}

fn slot_part(cx: &mut Select, slot: Slot, offset: i32) -> Operand {
    cx.emit_fresh(SLOT_ADDRESS, Type::Ptr, &[Operand::FRAME], offset, slot.index() as u32)
}

fn global_part(cx: &mut Select, global: GlobalId, offset: i32) -> Operand {
    cx.emit_fresh(LA, Type::Ptr, &[], offset, global.index() as u32)
}

/// The mode for a pointer: of most, which are variables, without asking any further.
#[inline]
fn mode_of(cx: &mut Select, v: Value) -> Mode {
    if let Some(global) = v.as_global()
        && !cx.shares()
    {
        return Mode::Symbol(global, 0);
    }
    let address = flatten(cx, v);
    match address.base {
        Base::Slot(slot) if address.is_direct() => Mode::Slot(slot, address.offset),
        Base::Global(global) if address.is_direct() && !cx.shares() => Mode::Symbol(global, address.offset),
        _ => mode(cx, address, 0),
    }
}

/// The mode for an address; `room` bytes behind it must be in reach too.
fn mode(cx: &mut Select, address: Address, room: i32) -> Mode {
    let Address { base, mut offset, first, end } = address;
    for k in first..end {
        offset = offset.wrapping_add(index_constant(cx, k));
    }
    let in_reach = fits(i64::from(offset)) && fits(i64::from(offset) + i64::from(room));
    if address.is_direct() {
        match base {
            Base::Slot(slot) => return Mode::Slot(slot, offset),
            Base::Global(_) if in_reach && cx.shares() => {}
            Base::Global(global) => return Mode::Symbol(global, offset),
            Base::Value(_) => {}
        }
    }
    let mut at = match base {
        Base::Value(v) => cx.reg(v),
        Base::Slot(slot) if in_reach && cx.shares() => {
            cx.shared(Shared::Slot(slot), |cx| slot_part(cx, slot, 0))
        }
        Base::Slot(slot) => slot_part(cx, slot, std::mem::take(&mut offset)),
        Base::Global(global) if in_reach && cx.shares() => cx.reg(Value::global(global)),
        Base::Global(global) if in_reach => global_part(cx, global, 0),
        Base::Global(global) => global_part(cx, global, std::mem::take(&mut offset)),
    };
    for k in first..end {
        let (index, scale) = cx.indices[k as usize];
        let sum = temp(cx, Type::Ptr);
        if super::bits::add_scaled(cx, sum, at, index, scale) {
            at = sum;
            continue;
        }
        let index = cx.reg(index);
        let scaled = match scale {
            1 => index,
            _ if scale.is_power_of_two() => {
                cx.emit_fresh(SLLI, Type::I64, &[index], scale.trailing_zeros() as i32, 0)
            }
            _ => {
                let t = temp(cx, Type::I64);
                super::multiply::product_by(cx, t, index, i64::from(scale));
                t
            }
        };
        op2(cx, ADD, sum, at, scaled);
        at = sum;
    }
    if !in_reach && offset != 0 {
        // The upper part; the lower one stays in the access.
        let low = if room == 0 { offset << 20 >> 20 } else { 0 };
        let high = int_reg(cx, i64::from(offset) - i64::from(low));
        let sum = temp(cx, Type::Ptr);
        op2(cx, ADD, sum, at, high);
        (at, offset) = (sum, low);
    }
    Mode::Reg(at, offset)
}

/// Takes the constant out of index `k`, `x + c` that nothing else needs; returns its bytes. A subscript is in
/// bounds, so for small c the sum does not wrap.
#[inline]
fn index_constant(cx: &mut Select, k: u32) -> i32 {
    let k = k as usize;
    let (index, scale) = cx.indices[k];
    let Some(i) = cx.foldable_as(index, Op::Add) else { return 0 };
    let Some(c) = cx.body.as_int(cx.body.arg(i, 1)).filter(|c| c.abs() < 1 << 20) else { return 0 };
    match i32::try_from(c * i64::from(scale)) {
        Ok(bytes) if !cx.body.arg(i, 0).is_constant() => {
            cx.indices[k].0 = cx.body.arg(i, 0);
            bytes
        }
        _ => 0,
    }
}

/// The instructions of one kind of access: by register, by slot, by symbol.
type Ops = [MachineOp; 3];

const BYTE_LOADS: Ops = [LB, LB_SLOT, LB_SYMBOL];
const WORD_LOADS: Ops = [LW, LW_SLOT, LW_SYMBOL];
const DOUBLE_LOADS: Ops = [LD, LD_SLOT, LD_SYMBOL];
/// By type.
const LOADS: [Ops; Type::ALL.len()] = [
    DOUBLE_LOADS,
    [LBU, LBU_SLOT, LBU_SYMBOL],
    BYTE_LOADS,
    WORD_LOADS,
    DOUBLE_LOADS,
    [FLW, FLW_SLOT, FLW_SYMBOL],
    [FLD, FLD_SLOT, FLD_SYMBOL],
    DOUBLE_LOADS,
];

const BYTE_STORES: Ops = [SB, SB_SLOT, SB_SYMBOL];
const WORD_STORES: Ops = [SW, SW_SLOT, SW_SYMBOL];
const DOUBLE_STORES: Ops = [SD, SD_SLOT, SD_SYMBOL];
/// By type.
const STORES: [Ops; Type::ALL.len()] = [
    DOUBLE_STORES,
    BYTE_STORES,
    BYTE_STORES,
    WORD_STORES,
    DOUBLE_STORES,
    [FSW, FSW_SLOT, FSW_SYMBOL],
    [FSD, FSD_SLOT, FSD_SYMBOL],
    DOUBLE_STORES,
];

/// Of each type's instructions the one by slot.
const fn by_slot(ops: [Ops; Type::ALL.len()]) -> ByType {
    let mut slots = [None; Type::ALL.len()];
    let mut k = 0;
    while k < slots.len() {
        slots[k] = Some(ops[k][1]);
        k += 1;
    }
    slots
}

/// Loads of frame slots.
pub const SLOT_LOADS: ByType = by_slot(LOADS);
/// Stores to frame slots.
pub const SLOT_STORES: ByType = by_slot(STORES);

/// Emits an access: of a load, to `def`; without it a store of `value`.
#[inline]
fn access(cx: &mut Select, ops: Ops, def: Option<Operand>, value: Operand, mode: Mode) {
    let (op, base, offset, sym) = match mode {
        Mode::Reg(base, offset) => (ops[0], base, offset, 0),
        Mode::Slot(slot, offset) => (ops[1], Operand::FRAME, offset, slot.index() as u32),
        Mode::Symbol(global, offset) => {
            let sym = global.index() as u32;
            return match def {
                Some(d) => cx.emit_row(ops[2], 1, &[d], offset, sym),
                None => cx.emit_row(ops[2], 0, &[value], offset, sym),
            };
        }
    };
    match def {
        Some(d) => cx.emit_row(op, 1, &[d, base], offset, sym),
        None => cx.emit_row(op, 0, &[value, base], offset, sym),
    }
}

/// `load`.
pub fn load(cx: &mut Select, i: Inst) {
    let d = Operand::virt(cx.result(i));
    let mode = mode_of(cx, cx.body.arg(i, 0));
    access(cx, LOADS[cx.body.ty(i) as usize], Some(d), ZERO_REG, mode);
}

/// `store`.
pub fn store(cx: &mut Select, i: Inst) {
    let (v, ty) = (cx.body.arg(i, 0), cx.body.type_of(cx.body.arg(i, 0)));
    // The bits of 0.0 are those of 0.
    let is_zero = cx.body.as_f32(v).is_some_and(|x| x.to_bits() == 0);
    let (value, ops) = if is_zero { (ZERO_REG, WORD_STORES) } else { (cx.reg(v), STORES[ty as usize]) };
    let at = cx.body.arg(i, 1);
    let mode = match cx.variable(at) {
        Some(slot) => Mode::Slot(slot, 0),
        None => mode_of(cx, at),
    };
    access(cx, ops, None, value, mode);
}

/// `getelementptr`, where no access has taken it in.
pub fn elem_addr(cx: &mut Select, i: Inst) {
    let d = Operand::virt(cx.result(i));
    let address = flatten_inst(cx, i);
    match mode(cx, address, 0) {
        Mode::Reg(r, 0) => op1(cx, MV, d, r),
        Mode::Reg(r, offset) => op_imm(cx, ADDI, d, r, i64::from(offset)),
        Mode::Slot(slot, offset) => {
            cx.emit(SLOT_ADDRESS, &[d], &[Operand::FRAME], offset, slot.index() as u32);
        }
        Mode::Symbol(global, offset) => cx.emit(LA, &[d], &[], offset, global.index() as u32),
    }
}

/// `meminit`: zeros, or a copy of a constant.
pub fn mem_init(cx: &mut Select, i: Inst) {
    let bytes = cx.body.payload(i);
    let source = cx.body.args(i).get(1).copied();
    if bytes > if source.is_some() { INLINE_COPY } else { INLINE_SET } {
        let to = cx.reg(cx.body.arg(i, 0));
        let (function, second) = match source {
            Some(source) => (MEMCPY, cx.reg(source)),
            None => {
                let zero = temp(cx, Type::I32);
                super::select::load_int(cx, zero, 0);
                (MEMSET, zero)
            }
        };
        let third = int_reg(cx, i64::from(bytes));
        return call_library(cx, function, &[to, second, third], None);
    }
    let address = flatten(cx, cx.body.arg(i, 0));
    let to = mode(cx, address, bytes as i32);
    let from = source.map(|source| {
        let address = flatten(cx, source);
        mode(cx, address, bytes as i32)
    });
    let is_aligned = to.is_aligned() && from.is_none_or(Mode::is_aligned);
    let mut at = 0;
    while at < bytes {
        let ty = match bytes - at {
            8.. if is_aligned => Type::I64,
            4.. => Type::I32,
            _ => Type::I8,
        };
        let value = match from {
            Some(from) => {
                let t = temp(cx, ty);
                access(cx, LOADS[ty as usize], Some(t), ZERO_REG, from.plus(at as i32));
                t
            }
            None => ZERO_REG,
        };
        access(cx, STORES[ty as usize], None, value, to.plus(at as i32));
        at += ty.bytes();
    }
}
