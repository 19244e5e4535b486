//! How memory is addressed.
//!
//! An access has a register with a 12-bit offset, a frame slot, or a global: `auipc` and the access itself,
//! 2 GiB around the code. Anything farther is added up first. A vector has a register or a frame slot.

use super::position::LA_GOT;
use super::rows::*;
use super::select::{ZERO_REG, fits, int_reg, op_imm, op2, temp};
use super::vector::{VLE, VLE_SLOT, VSE, VSE_SLOT};
use super::{bits, multiply};
use crate::ir::{Op, Type, Value};
use crate::isa::compare::is_not_negative;
use crate::isa::memory::{Access, Accesses, Memory};
use crate::isa::select::Select;
use crate::mir::{MachineOp, Operand};

/// The rows.
pub static MEMORY: Memory = Memory {
    loads: accesses(
        &[
            (Type::I1, 1, [LBU, LBU_SLOT, LBU_SYMBOL]),
            (Type::I8, 1, [LB, LB_SLOT, LB_SYMBOL]),
            (Type::I16, 2, [LH, LH_SLOT, LH_SYMBOL]),
            (Type::I32, 4, [LW, LW_SLOT, LW_SYMBOL]),
            (Type::I64, 8, [LD, LD_SLOT, LD_SYMBOL]),
            (Type::Ptr, 8, [LD, LD_SLOT, LD_SYMBOL]),
            (Type::F32, 4, [FLW, FLW_SLOT, FLW_SYMBOL]),
            (Type::F64, 8, [FLD, FLD_SLOT, FLD_SYMBOL]),
        ],
        Some([VLE, VLE_SLOT]),
    ),
    stores: accesses(
        &[
            (Type::I1, 1, [SB, SB_SLOT, SB_SYMBOL]),
            (Type::I8, 1, [SB, SB_SLOT, SB_SYMBOL]),
            (Type::I16, 2, [SH, SH_SLOT, SH_SYMBOL]),
            (Type::I32, 4, [SW, SW_SLOT, SW_SYMBOL]),
            (Type::I64, 8, [SD, SD_SLOT, SD_SYMBOL]),
            (Type::Ptr, 8, [SD, SD_SLOT, SD_SYMBOL]),
            (Type::F32, 4, [FSW, FSW_SLOT, FSW_SYMBOL]),
            (Type::F64, 8, [FSD, FSD_SLOT, FSD_SYMBOL]),
        ],
        Some([VSE, VSE_SLOT]),
    ),
    extending: [
        accesses(
            &[
                (Type::I8, 1, [LBU, LBU_SLOT, LBU_SYMBOL]),
                (Type::I16, 2, [LHU, LHU_SLOT, LHU_SYMBOL]),
                (Type::I32, 4, [LWU, LWU_SLOT, LWU_SYMBOL]),
            ],
            None,
        ),
        // Integers are kept with their sign.
        [None; Type::NUMBERS],
    ],
    addresses: [SLOT_ADDRESS, LA],
    anywhere: [LA, LA_GOT],
    page: None,
    reaches: |access, offset| access.symbol.is_some() && fits(offset),
    low: |access, offset| if access.symbol.is_some() { offset << 52 >> 52 } else { 0 },
    symbol_reaches: |_| true,
    moves: |_, _, _| false,
    splits_indices: true,
    add_index,
    add_constant: |cx, d, base, x| {
        if fits(x) {
            return op_imm(cx, ADDI, d, base, x);
        }
        let x = int_reg(cx, x);
        op2(cx, ADD, d, base, x);
    },
    scales: |_, _| false,
    index: |cx, rows, (index, _)| (rows[0], cx.reg(index), 0),
    stored,
    zero: |_| ZERO_REG,
    word: Type::I64,
    unaligned: &[],
    pairs: None,
    in_place: [128, 48],
};

const fn accesses(rows: &[(Type, i64, [MachineOp; 3])], vectors: Option<[MachineOp; 2]>) -> Accesses {
    let mut table = [None; Type::NUMBERS];
    let mut k = 0;
    while k < rows.len() {
        let (ty, bytes, [offset, slot, symbol]) = rows[k];
        table[ty as usize] = Some(access(bytes, offset, slot, Some(symbol)));
        k += 1;
    }
    if let Some([vector, slot]) = vectors {
        table[Type::VECTOR] = Some(access(64, vector, slot, None));
    }
    table
}

const fn access(bytes: i64, offset: MachineOp, slot: MachineOp, symbol: Option<MachineOp>) -> Access {
    Access { bytes, offset, unscaled: offset, slot, symbol, indexed: None, moving: None, moving_by: None }
}

fn add_index(cx: &mut Select, sum: Option<Operand>, at: Operand, (index, scale): (Value, u32)) -> Operand {
    let sum = sum.unwrap_or_else(|| temp(cx, Type::Ptr));
    if bits::add_scaled(cx, sum, at, index, scale) {
        return sum;
    }
    let doubles = scale > 1 && scale.is_power_of_two();
    if let Some(word) = unsigned_word(cx, index).filter(|_| doubles) {
        let up = cx.reg(word);
        let up = cx.emit_fresh(SLLI, Type::I64, &[up], 32, 0);
        let scaled = cx.emit_fresh(SRLI, Type::I64, &[up], 32 - scale.trailing_zeros() as i32, 0);
        op2(cx, ADD, sum, at, scaled);
        return sum;
    }
    let index = cx.reg(index);
    let scaled = match scale {
        1 => index,
        _ if scale.is_power_of_two() => {
            cx.emit_fresh(SLLI, Type::I64, &[index], scale.trailing_zeros() as i32, 0)
        }
        _ => {
            let t = temp(cx, Type::I64);
            multiply::product_by(cx, t, index, i64::from(scale));
            t
        }
    };
    op2(cx, ADD, sum, at, scaled);
    sum
}

/// The word of which an index is the value without a sign, if nothing else needs that and its shifts can be those of the scale.
fn unsigned_word(cx: &Select, index: Value) -> Option<Value> {
    let i = cx.foldable_as(index, Op::ZExt)?;
    let word = cx.body.arg(i, 0);
    (cx.body.type_of(word) == Type::I32 && !is_not_negative(cx.body, word)).then_some(word)
}

/// The bits of 0.0 are those of 0.
fn stored(cx: &mut Select, v: Value) -> (Type, Operand) {
    match cx.body.as_f32(v) {
        Some(x) if x.to_bits() == 0 => (Type::I32, ZERO_REG),
        _ => (cx.body.type_of(v), cx.reg(v)),
    }
}
