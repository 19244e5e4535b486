//! How memory is addressed.
//!
//! A word or byte is reached by base + 12-bit offset or base + shifted index, a half word by base + 8-bit
//! offset, a float by base + 8-bit count of words, a vector by a base. Addresses are computed modulo 2^32, so the low word of an index is all that counts.

use super::imm::{fits_float_memory, fits_half_memory, fits_memory};
use super::integer::{add_constant, load_word, word};
use super::multiply::{is_cheap_scale, product_with};
use super::position::{LA_GOT, LA_PC};
use super::rows::*;
use super::vector::{QLD1, QLD1_BY, QLD1_UP, QLDR_SLOT, QST1, QST1_BY, QST1_UP, QSTR_SLOT};
use crate::ir::{Op, Type, Value};
use crate::isa::memory::{Access, Accesses, Memory};
use crate::isa::select::Select;
use crate::mir::{MachineOp, Operand};

/// The rows. A relocation of `movw` and `movt` holds 16 bits beside the symbol.
pub static MEMORY: Memory = Memory {
    loads: accesses(
        of_word(LDR, LDR_SLOT, [LDR_R, LDR_LSL], [LDR_BEHIND, LDR_BEFORE, LDR_BY]),
        access(1, LDRB, LDRB_SLOT, Some([LDRB_R, LDRB_LSL]), None),
        access(2, LDRH, LDRH_SLOT, None, None),
        access(4, VLDR, VLDR_SLOT, None, Some([VLDR_UP, VLDR_DOWN])),
        access(8, VLDR_D, VLDR_D_SLOT, None, None),
        of_vector(QLD1, QLDR_SLOT, [QLD1_UP, QLD1_BY]),
    ),
    stores: accesses(
        of_word(STR, STR_SLOT, [STR_R, STR_LSL], [STR_BEHIND, STR_BEFORE, STR_BY]),
        access(1, STRB, STRB_SLOT, Some([STRB_R, STRB_LSL]), None),
        access(2, STRH, STRH_SLOT, None, None),
        access(4, VSTR, VSTR_SLOT, None, Some([VSTR_UP, VSTR_DOWN])),
        access(8, VSTR_D, VSTR_D_SLOT, None, None),
        of_vector(QST1, QSTR_SLOT, [QST1_UP, QST1_BY]),
    ),
    extending: [extending(), [None; Type::NUMBERS]],
    addresses: [LEA_SLOT, LA],
    anywhere: [LA_PC, LA_GOT],
    page: None,
    reaches,
    low: |access, offset| if reaches(access, offset & 0xfff) { offset & 0xfff } else { 0 },
    symbol_reaches: |offset| i16::try_from(offset).is_ok(),
    moves: |access, by, first| match access.indexed {
        Some(_) => fits_memory(by as i32),
        None if access.bytes == 16 => !first,
        None => by == if first { -4 } else { 4 },
    },
    splits_indices: false,
    add_index,
    add_constant: |cx, def, base, x| add_constant(cx, def, base, x as i32),
    scales: |_, _| true,
    index: |cx, [plain, shifted], (index, scale)| {
        let (index, shift) = scaled(cx, index, scale);
        (if shift == 0 { plain } else { shifted }, index, shift)
    },
    stored,
    zero: |cx| load_word(cx, 0),
    word: Type::I32,
    // Not of floats, which have to be aligned, nor of pairs of words.
    unaligned: &[Type::I16, Type::I32, Type::Ptr],
    pairs: None,
    in_place: [128, 48],
};

const fn access(
    bytes: i64,
    offset: MachineOp,
    slot: MachineOp,
    indexed: Option<[MachineOp; 2]>,
    moving: Option<[MachineOp; 2]>,
) -> Access {
    Access { bytes, offset, unscaled: offset, slot, symbol: None, indexed, moving, moving_by: None }
}

/// Of a word, whose base moves by an immediate, or by what is in a register.
const fn of_word(
    offset: MachineOp,
    slot: MachineOp,
    indexed: [MachineOp; 2],
    [behind, before, by]: [MachineOp; 3],
) -> Access {
    let plain = access(4, offset, slot, Some(indexed), Some([behind, before]));
    Access { moving_by: Some((None, by)), ..plain }
}

/// Of a vector: by its bytes, or by what is in a register.
const fn of_vector(offset: MachineOp, slot: MachineOp, [up, by]: [MachineOp; 2]) -> Access {
    Access { moving_by: Some((Some(16), by)), ..access(16, offset, slot, None, Some([up; 2])) }
}

/// What is loaded has zeros above it.
const fn extending() -> Accesses {
    let mut table = [None; Type::NUMBERS];
    table[Type::I8 as usize] = Some(access(1, LDRB, LDRB_SLOT, Some([LDRB_R, LDRB_LSL]), None));
    table[Type::I16 as usize] = Some(access(2, LDRH, LDRH_SLOT, None, None));
    table
}

/// By type; i64 is in words by then (`isa::words`).
const fn accesses(
    word: Access,
    byte: Access,
    half: Access,
    float: Access,
    double: Access,
    vector: Access,
) -> Accesses {
    let mut table = [None; Type::NUMBERS];
    table[Type::I1 as usize] = Some(byte);
    table[Type::I8 as usize] = Some(byte);
    table[Type::I16 as usize] = Some(half);
    table[Type::I32 as usize] = Some(word);
    table[Type::Ptr as usize] = Some(word);
    table[Type::F32 as usize] = Some(float);
    table[Type::F64 as usize] = Some(double);
    table[Type::VECTOR] = Some(vector);
    table
}

fn reaches(access: &Access, offset: i64) -> bool {
    let fits = match access.bytes {
        2 => fits_half_memory,
        16 => |offset| offset == 0,
        _ if access.indexed.is_none() => fits_float_memory,
        _ => fits_memory,
    };
    fits(offset as i32)
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
        odd => (product_with(cx, index, odd), shift),
    }
}

/// Emits `base + v * scale`.
fn add_index(cx: &mut Select, def: Option<Operand>, base: Operand, (v, scale): (Value, u32)) -> Operand {
    let (op, uses, shift) = if is_cheap_scale(scale) {
        let (index, shift) = scaled(cx, v, scale);
        (if shift == 0 { ADD } else { ADD_LSL }, [base, index], shift)
    } else {
        let (index, factor) = (index_reg(cx, v), load_word(cx, scale as i32));
        let def = def.unwrap_or_else(|| word(cx));
        cx.emit(MLA, &[def], &[index, factor, base], 0, 0);
        return def;
    };
    let def = def.unwrap_or_else(|| word(cx));
    cx.emit(op, &[def], &uses, shift, 0);
    def
}

/// The bits of a float constant are a word like any other.
fn stored(cx: &mut Select, v: Value) -> (Type, Operand) {
    match cx.body.as_f32(v) {
        Some(x) => (Type::I32, load_word(cx, x.to_bits() as i32)),
        None => (cx.body.type_of(v), cx.reg(v)),
    }
}
