//! How memory is addressed: by a frame slot and an offset; the page of a global and its low 12 bits; a base
//! and an index that is extended and scaled; a base and an offset. A scaled index is added by an `add`, one
//! with an odd stride by an `smaddl`.

use super::arithmetic::add_constant;
use super::registers::ZERO;
use super::rows::int::*;
use super::rows::memory::*;
use super::rows::position::LA_GOT;
use super::rows::vector::{LDR_Q, LDR_Q_LSL, LDR_Q_SXTW, LDUR_Q, STR_Q, STR_Q_LSL, STR_Q_SXTW, STUR_Q};
use super::select::{emit, emit_imm, fresh, integer, reg_or_zero};
use crate::ir::{Op, Type, Value};
use crate::isa::memory::{Access, Accesses, Memory};
use crate::isa::select::Select;
use crate::mir::{MachineOp, Operand};

/// Loads, then stores, of 1 byte, w, x, s and d registers, 2 bytes, and q registers; then loads of 1, 2 and 4 bytes with
/// their sign.
pub static ACCESSES: [Access; 17] = [
    access(1, [LDRB, LDURB, LDRB_SXTW, LDRB_LSL, LDRB_SLOT], None, Some([LDRB_BEHIND, LDRB_BEFORE])),
    access(
        4,
        [LDR_W, LDUR_W, LDR_W_SXTW, LDR_W_LSL, LDR_W_SLOT],
        Some(LDR_W_LO12),
        Some([LDR_W_BEHIND, LDR_W_BEFORE]),
    ),
    access(8, [LDR_X, LDUR_X, LDR_X_SXTW, LDR_X_LSL, LDR_X_SLOT], None, Some([LDR_X_BEHIND, LDR_X_BEFORE])),
    access(
        4,
        [LDR_S, LDUR_S, LDR_S_SXTW, LDR_S_LSL, LDR_S_SLOT],
        Some(LDR_S_LO12),
        Some([LDR_S_BEHIND, LDR_S_BEFORE]),
    ),
    access(8, [LDR_D, LDUR_D, LDR_D_SXTW, LDR_D_LSL, LDR_D_SLOT], None, None),
    access(2, [LDRH, LDURH, LDRH_SXTW, LDRH_LSL, LDRH_SLOT], None, Some([LDRH_BEHIND, LDRH_BEFORE])),
    access(16, [LDR_Q, LDUR_Q, LDR_Q_SXTW, LDR_Q_LSL, LDR_Q_SLOT], None, Some([LDR_Q_BEHIND, LDR_Q_BEFORE])),
    access(1, [STRB, STURB, STRB_SXTW, STRB_LSL, STRB_SLOT], None, Some([STRB_BEHIND, STRB_BEFORE])),
    access(
        4,
        [STR_W, STUR_W, STR_W_SXTW, STR_W_LSL, STR_W_SLOT],
        Some(STR_W_LO12),
        Some([STR_W_BEHIND, STR_W_BEFORE]),
    ),
    access(8, [STR_X, STUR_X, STR_X_SXTW, STR_X_LSL, STR_X_SLOT], None, Some([STR_X_BEHIND, STR_X_BEFORE])),
    access(
        4,
        [STR_S, STUR_S, STR_S_SXTW, STR_S_LSL, STR_S_SLOT],
        Some(STR_S_LO12),
        Some([STR_S_BEHIND, STR_S_BEFORE]),
    ),
    access(8, [STR_D, STUR_D, STR_D_SXTW, STR_D_LSL, STR_D_SLOT], None, None),
    access(2, [STRH, STURH, STRH_SXTW, STRH_LSL, STRH_SLOT], None, Some([STRH_BEHIND, STRH_BEFORE])),
    access(16, [STR_Q, STUR_Q, STR_Q_SXTW, STR_Q_LSL, STR_Q_SLOT], None, Some([STR_Q_BEHIND, STR_Q_BEFORE])),
    access(1, [LDRSB, LDURSB, LDRSB_SXTW, LDRSB_LSL, LDRSB_SLOT], None, None),
    access(2, [LDRSH, LDURSH, LDRSH_SXTW, LDRSH_LSL, LDRSH_SLOT], None, None),
    access(4, [LDRSW, LDURSW, LDRSW_SXTW, LDRSW_LSL, LDRSW_SLOT], None, None),
];

const fn access(
    bytes: i64,
    rows: [MachineOp; 5],
    symbol: Option<MachineOp>,
    moving: Option<[MachineOp; 2]>,
) -> Access {
    let [offset, unscaled, sxtw, lsl, slot] = rows;
    Access { bytes, offset, unscaled, slot, symbol, indexed: Some([sxtw, lsl]), moving, moving_by: None }
}

/// By type.
const fn accesses(first: usize) -> Accesses {
    let mut table = [None; Type::NUMBERS];
    table[Type::I1 as usize] = Some(ACCESSES[first]);
    table[Type::I8 as usize] = Some(ACCESSES[first]);
    table[Type::I32 as usize] = Some(ACCESSES[first + 1]);
    table[Type::I64 as usize] = Some(ACCESSES[first + 2]);
    table[Type::Ptr as usize] = Some(ACCESSES[first + 2]);
    table[Type::F32 as usize] = Some(ACCESSES[first + 3]);
    table[Type::F64 as usize] = Some(ACCESSES[first + 4]);
    table[Type::I16 as usize] = Some(ACCESSES[first + 5]);
    table[Type::VECTOR] = Some(ACCESSES[first + 6]);
    table
}

/// Those of integers that are less than a whole register.
const fn extending([byte, half, word]: [usize; 3]) -> Accesses {
    let mut table = [None; Type::NUMBERS];
    table[Type::I8 as usize] = Some(ACCESSES[byte]);
    table[Type::I16 as usize] = Some(ACCESSES[half]);
    table[Type::I32 as usize] = Some(ACCESSES[word]);
    table
}

/// The rows.
pub static MEMORY: Memory = Memory {
    loads: accesses(0),
    stores: accesses(7),
    // What is loaded to a w register has zeros above it.
    extending: [extending([0, 5, 1]), extending([14, 15, 16])],
    addresses: [SLOT_ADDRESS, LA],
    anywhere: [LA, LA_GOT],
    page: Some(ADRP),
    reaches,
    // Pages of 4 KiB can be added by one instruction.
    low: |access, offset| if reaches(access, offset & 0xfff) { offset & 0xfff } else { 0 },
    symbol_reaches: |_| true,
    moves: |_, by, _| (-256..256).contains(&by),
    splits_indices: false,
    add_index,
    add_constant: |cx, def, base, x| add_constant(cx, def, Type::Ptr, base, x),
    scales: |bytes, scale| i64::from(scale) == bytes,
    index: |cx, [narrow, wide], (index, scale)| {
        let (kind, index) = index_of(cx, index);
        // Rows for an index with zeros above it follow those for one with its sign.
        let op = [wide, narrow, MachineOp(narrow.0 + 1)][kind];
        (op, index, scale.trailing_zeros() as i32)
    },
    stored,
    zero: |_| Operand::phys(ZERO),
    word: Type::I64,
    unaligned: &[Type::I16, Type::I32, Type::I64, Type::Ptr, Type::F32, Type::F64],
    pairs: Some([STP_X, STP_X_SLOT]),
    in_place: [128, 32],
};

fn reaches(access: &Access, offset: i64) -> bool {
    (-256..256).contains(&offset)
        || offset >= 0 && offset & (access.bytes - 1) == 0 && offset >> access.bytes.trailing_zeros() < 4096
}

/// The register of an index, and what it is to be extended by: 0 nothing, 1 its sign, 2 zeros. An extension costs nothing where
/// it is done again.
fn index_of(cx: &mut Select, index: Value) -> (usize, Operand) {
    if cx.body.type_of(index) != Type::I64 {
        return (1, cx.reg(index));
    }
    // What is a word with zeros above it: by an extension, or by a mask of one that has more.
    let word =
        index.as_inst().filter(|&i| !cx.is_wanted(i)).and_then(|i| match (cx.body.op(i), cx.body.args(i)) {
            (Op::ZExt, &[v]) => (cx.body.type_of(v) == Type::I32).then_some(v),
            (Op::And, &[v, mask]) => (cx.body.as_int(mask) == Some(0xffff_ffff)).then_some(v),
            _ => None,
        });
    match word {
        Some(v) => (2, cx.reg(v)),
        None => (0, cx.reg(index)),
    }
}

/// def = base + index * stride.
fn add_index(cx: &mut Select, def: Option<Operand>, base: Operand, (index, stride): (Value, u32)) -> Operand {
    let def = def.unwrap_or_else(|| fresh(cx, Type::Ptr));
    let k = stride.trailing_zeros() as i32;
    if stride.is_power_of_two() && k <= 4 {
        let (kind, x) = index_of(cx, index);
        emit_imm(cx, [ADD_X_LSL, ADD_X_SXTW, ADD_X_UXTW][kind], def, &[base, x], k);
        return def;
    }
    let narrow = cx.body.type_of(index) != Type::I64;
    let x = cx.reg(index);
    match (stride.is_power_of_two(), narrow) {
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
    def
}

/// What to store for a value, and as what. A floating constant is stored from an integer register, which is
/// quicker to fill.
fn stored(cx: &mut Select, v: Value) -> (Type, Operand) {
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
