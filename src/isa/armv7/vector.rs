//! Rows on vectors of 128 bits (NEON): four i32 or floats, two i64, on machines with `features::NEON`. Those of
//! floats are for text that asks for them: they flush denormals, and nothing selects them (`lanes`).
//!
//! A vector is number k of class `q`, 0 to 15, and means q_k: its halves are d_2k and d_2k+1 (`%l` and `%h` in
//! text).
//!
//! Lanes 0 and 1 are in the low half, 2 and 3 in the high one, and rows that name a lane name it in a half.
//! Comparisons give lanes of ones or zeros. Rows that keep a part of what was in their result are tied: use 0
//! is the register of definition 0. Bits are those of the ARM architecture reference manual, chapter A7,
//! encoding A1.

use super::rows::format as f;
use crate::isa::rows::row;
use crate::mir::desc::{IN_A_ROW, LOADS, MOVE, REMAT, STORES, TIED};
use crate::mir::model::{self as m, OpClass};
use crate::mir::{OpRow, SymKind};

/// Floats have bits 11 and 10 set, products bit 8 and 4 or others; what only moves lanes is timed as sums are.
const fn class_of(encoding: u32) -> OpClass {
    match encoding & 0x0f80_0f10 {
        0x0200_0910 | 0x0300_0910 => m::VECTOR_MULTIPLY,
        bits if bits & 0x0f00_0c00 == 0x0200_0c00 || bits & 0x0f00_0c00 == 0x0300_0c00 => m::VECTOR_FLOAT,
        _ => m::VECTOR_ALU,
    }
}

/// Of what is put onto a register: choices by bits are timed as sums are.
const fn fused(encoding: u32) -> OpClass {
    match encoding & 0xf00 {
        0x900 => m::VECTOR_FUSED,
        0xd00 => m::VECTOR_FLOAT_FUSED,
        _ => m::VECTOR_ALU,
    }
}

/// Of two operands.
const fn two(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "q=qq").class(class_of(encoding)).bits(f::Q3, encoding)
}

/// Of two operands and what was in the result.
const fn onto(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "q=qqq").class(fused(encoding)).bits(f::Q_ONTO, encoding).with(TIED)
}

const fn one(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "q=q").class(class_of(encoding)).bits(f::Q2, encoding)
}

/// Of the low halves of the operands, or of a half and its neighbour.
const fn halves(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(name, text, operands).class(m::VECTOR_ALU).bits(format, encoding)
}

/// By an immediate or a lane.
const fn by(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(name, text, operands).class(m::VECTOR_ALU).bits(format, encoding)
}

crate::opcodes! { from super::rows::COUNT;
    // ---- Integers
    QADD = two("qadd", "vadd.i32 %q0, %q1, %q2", 0xf220_0840);
    QADD_64 = two("qadd.64", "vadd.i64 %q0, %q1, %q2", 0xf230_0840);
    QSUB = two("qsub", "vsub.i32 %q0, %q1, %q2", 0xf320_0840);
    QSUB_64 = two("qsub.64", "vsub.i64 %q0, %q1, %q2", 0xf330_0840);
    QMUL = two("qmul", "vmul.i32 %q0, %q1, %q2", 0xf220_0950);
    QMLA = onto("qmla", "vmla.i32 %q0, %q2, %q3", 0xf220_0940);
    QMLS = onto("qmls", "vmls.i32 %q0, %q2, %q3", 0xf320_0940);
    QMAX = two("qmax", "vmax.s32 %q0, %q1, %q2", 0xf220_0640);
    QMIN = two("qmin", "vmin.s32 %q0, %q1, %q2", 0xf220_0650);
    QMAX_U = two("qmax.u", "vmax.u32 %q0, %q1, %q2", 0xf320_0640);
    QMIN_U = two("qmin.u", "vmin.u32 %q0, %q1, %q2", 0xf320_0650);
    QNEG = one("qneg", "vneg.s32 %q0, %q1", 0xf3b9_03c0);
    QABS = one("qabs", "vabs.s32 %q0, %q1", 0xf3b9_0340);
    // The products of the low two lanes, or of the high two, 64 bits each; and two lanes as 64 bits.
    QMULL_LOW = halves("qmull.low", "vmull.s32 %q0, %l1, %l2", "q=qq", f::Q_LOW2, 0xf2a0_0c00);
    QMULL_HIGH = halves("qmull.high", "vmull.s32 %q0, %h1, %h2", "q=qq", f::Q_HIGH2, 0xf2a0_0c00);
    QMULL_LOW_U = halves("qmull.low.u", "vmull.u32 %q0, %l1, %l2", "q=qq", f::Q_LOW2, 0xf3a0_0c00);
    QMULL_HIGH_U = halves("qmull.high.u", "vmull.u32 %q0, %h1, %h2", "q=qq", f::Q_HIGH2, 0xf3a0_0c00);
    QMOVL_LOW = halves("qmovl.low", "vmovl.s32 %q0, %l1", "q=q", f::Q2, 0xf2a0_0a10);
    QMOVL_HIGH = halves("qmovl.high", "vmovl.s32 %q0, %h1", "q=q", f::Q_HIGH, 0xf2a0_0a10);
    // The upper words of two of 64 bits, or the lower ones, as the low half; as the high half, onto what was there.
    QSHRN_LOW = halves("qshrn.low", "vshrn.i64 %l0, %q1, #32", "q=q", f::Q2, 0xf2a0_0810);
    QSHRN_HIGH = halves("qshrn.high", "vshrn.i64 %h0, %q2, #32", "q=qq", f::Q_ONTO_HIGH, 0xf2a0_0810).with(TIED);
    QMOVN_LOW = halves("qmovn.low", "vmovn.i64 %l0, %q1", "q=q", f::Q2, 0xf3ba_0200);
    // ---- Comparisons of integers
    QCEQ = two("qceq", "vceq.i32 %q0, %q1, %q2", 0xf320_0850);
    QCGT = two("qcgt", "vcgt.s32 %q0, %q1, %q2", 0xf220_0340);
    QCGE = two("qcge", "vcge.s32 %q0, %q1, %q2", 0xf220_0350);
    QCGT_U = two("qcgt.u", "vcgt.u32 %q0, %q1, %q2", 0xf320_0340);
    QCGE_U = two("qcge.u", "vcge.u32 %q0, %q1, %q2", 0xf320_0350);
    QTST = two("qtst", "vtst.32 %q0, %q1, %q2", 0xf220_0850);
    QCEQ_0 = one("qceq.0", "vceq.i32 %q0, %q1, #0", 0xf3b9_0140);
    QCGT_0 = one("qcgt.0", "vcgt.s32 %q0, %q1, #0", 0xf3b9_0040);
    QCGE_0 = one("qcge.0", "vcge.s32 %q0, %q1, #0", 0xf3b9_00c0);
    QCLE_0 = one("qcle.0", "vcle.s32 %q0, %q1, #0", 0xf3b9_01c0);
    QCLT_0 = one("qclt.0", "vclt.s32 %q0, %q1, #0", 0xf3b9_0240);
    // ---- Logic
    QAND = two("qand", "vand %q0, %q1, %q2", 0xf200_0150);
    QBIC = two("qbic", "vbic %q0, %q1, %q2", 0xf210_0150);
    QORR = two("qorr", "vorr %q0, %q1, %q2", 0xf220_0150);
    QORN = two("qorn", "vorn %q0, %q1, %q2", 0xf230_0150);
    QEOR = two("qeor", "veor %q0, %q1, %q2", 0xf300_0150);
    QMVN = one("qmvn", "vmvn %q0, %q1", 0xf3b0_05c0);
    // Use 1 where the result was ones, use 2 where it was zeros.
    QBSL = onto("qbsl", "vbsl %q0, %q2, %q3", 0xf310_0150);
    // Use 1 where use 2 is ones (`vbit`) or zeros (`vbif`), else what was there.
    QBIT = onto("qbit", "vbit %q0, %q2, %q3", 0xf320_0150);
    QBIF = onto("qbif", "vbif %q0, %q2, %q3", 0xf330_0150);
    // ---- Shifts
    QSHL = by("qshl", "vshl.i32 %q0, %q1, #%i", "q=q", f::Q_LEFT, 0xf280_0550);
    QSHR = by("qshr", "vshr.s32 %q0, %q1, #%i", "q=q", f::Q_RIGHT, 0xf280_0050);
    QSHR_U = by("qshr.u", "vshr.u32 %q0, %q1, #%i", "q=q", f::Q_RIGHT, 0xf380_0050);
    // With the shifted operand added to what was there.
    QSRA = by("qsra", "vsra.s32 %q0, %q2, #%i", "q=qq", f::Q_ONTO_RIGHT, 0xf280_0150).with(TIED);
    QSRA_U = by("qsra.u", "vsra.u32 %q0, %q2, #%i", "q=qq", f::Q_ONTO_RIGHT, 0xf380_0150).with(TIED);
    // By the lanes of use 1, to the right where they are negative.
    QSHL_Q = by("qshl.q", "vshl.s32 %q0, %q1, %q2", "q=qq", f::Q3_BACK, 0xf220_0440);
    QSHL_Q_U = by("qshl.q.u", "vshl.u32 %q0, %q1, %q2", "q=qq", f::Q3_BACK, 0xf320_0440);
    // ---- Floats: denormals are flushed to zero, unlike in s registers
    QADD_F = two("qadd.f", "vadd.f32 %q0, %q1, %q2", 0xf200_0d40);
    QSUB_F = two("qsub.f", "vsub.f32 %q0, %q1, %q2", 0xf220_0d40);
    QMUL_F = two("qmul.f", "vmul.f32 %q0, %q1, %q2", 0xf300_0d50);
    QMLA_F = onto("qmla.f", "vmla.f32 %q0, %q2, %q3", 0xf200_0d50);
    QMLS_F = onto("qmls.f", "vmls.f32 %q0, %q2, %q3", 0xf220_0d50);
    QMAX_F = two("qmax.f", "vmax.f32 %q0, %q1, %q2", 0xf200_0f40);
    QMIN_F = two("qmin.f", "vmin.f32 %q0, %q1, %q2", 0xf220_0f40);
    QNEG_F = one("qneg.f", "vneg.f32 %q0, %q1", 0xf3b9_07c0);
    QABS_F = one("qabs.f", "vabs.f32 %q0, %q1", 0xf3b9_0740);
    QCEQ_F = two("qceq.f", "vceq.f32 %q0, %q1, %q2", 0xf200_0e40);
    QCGE_F = two("qcge.f", "vcge.f32 %q0, %q1, %q2", 0xf300_0e40);
    QCGT_F = two("qcgt.f", "vcgt.f32 %q0, %q1, %q2", 0xf320_0e40);
    QCEQ_F_0 = one("qceq.f.0", "vceq.f32 %q0, %q1, #0", 0xf3b9_0540);
    QCGT_F_0 = one("qcgt.f.0", "vcgt.f32 %q0, %q1, #0", 0xf3b9_0440);
    QCGE_F_0 = one("qcge.f.0", "vcge.f32 %q0, %q1, #0", 0xf3b9_04c0);
    QCLE_F_0 = one("qcle.f.0", "vcle.f32 %q0, %q1, #0", 0xf3b9_05c0);
    QCLT_F_0 = one("qclt.f.0", "vclt.f32 %q0, %q1, #0", 0xf3b9_0640);
    QCVT_FLOAT = one("qcvt.float", "vcvt.f32.s32 %q0, %q1", 0xf3bb_0640);
    QCVT_INT = one("qcvt.int", "vcvt.s32.f32 %q0, %q1", 0xf3bb_0740);
    // ---- Lanes
    QDUP = by("qdup", "vdup.32 %q0, %1", "q=i", f::Q_CORE, 0xeea0_0b10);
    QDUP_LOW = by("qdup.low", "vdup.32 %q0, %l1[%i]", "q=q", f::Q_LANE, 0xf3b4_0c40);
    QDUP_HIGH = by("qdup.high", "vdup.32 %q0, %h1[%i]", "q=q", f::Q_LANE_HIGH, 0xf3b4_0c40);
    QSET_LOW = by("qset.low", "vmov.32 %l0[%i], %2", "q=qi", f::Q_SET, 0xee00_0b10).with(TIED);
    QSET_HIGH = by("qset.high", "vmov.32 %h0[%i], %2", "q=qi", f::Q_SET_HIGH, 0xee00_0b10).with(TIED);
    QGET_LOW = by("qget.low", "vmov.32 %0, %l1[%i]", "i=q", f::Q_GET, 0xee10_0b10);
    QGET_HIGH = by("qget.high", "vmov.32 %0, %h1[%i]", "i=q", f::Q_GET_HIGH, 0xee10_0b10);
    QEXT = by("qext", "vext.32 %q0, %q1, %q2, #%i", "q=qq", f::Q_EXT, 0xf2b0_0040);
    QREV64 = one("qrev64", "vrev64.32 %q0, %q1", 0xf3b8_0040);
    // ---- Across lanes: neighbours of both halves into the low half, or of the low half alone
    QPADD = halves("qpadd", "vpadd.i32 %l0, %l1, %h1", "q=q", f::Q_HALVES, 0xf220_0b10);
    QPADD_LOW = halves("qpadd.low", "vpadd.i32 %l0, %l1, %l1", "q=q", f::Q_LOW_TWICE, 0xf220_0b10);
    QPMAX = halves("qpmax", "vpmax.s32 %l0, %l1, %h1", "q=q", f::Q_HALVES, 0xf220_0a00);
    QPMAX_LOW = halves("qpmax.low", "vpmax.s32 %l0, %l1, %l1", "q=q", f::Q_LOW_TWICE, 0xf220_0a00);
    QPMIN = halves("qpmin", "vpmin.s32 %l0, %l1, %h1", "q=q", f::Q_HALVES, 0xf220_0a10);
    QPMAX_U = halves("qpmax.u", "vpmax.u32 %l0, %l1, %h1", "q=q", f::Q_HALVES, 0xf320_0a00);
    QPMAX_U_LOW = halves("qpmax.u.low", "vpmax.u32 %l0, %l1, %l1", "q=q", f::Q_LOW_TWICE, 0xf320_0a00);
    QPMIN_U = halves("qpmin.u", "vpmin.u32 %l0, %l1, %h1", "q=q", f::Q_HALVES, 0xf320_0a10);
    QPMIN_U_LOW = halves("qpmin.u.low", "vpmin.u32 %l0, %l1, %l1", "q=q", f::Q_LOW_TWICE, 0xf320_0a10);
    QPMIN_LOW = halves("qpmin.low", "vpmin.s32 %l0, %l1, %l1", "q=q", f::Q_LOW_TWICE, 0xf220_0a10);
    QPADD_F = halves("qpadd.f", "vpadd.f32 %l0, %l1, %h1", "q=q", f::Q_HALVES, 0xf300_0d00);
    QPADD_F_LOW = halves("qpadd.f.low", "vpadd.f32 %l0, %l1, %l1", "q=q", f::Q_LOW_TWICE, 0xf300_0d00);
    QPMAX_F = halves("qpmax.f", "vpmax.f32 %l0, %l1, %h1", "q=q", f::Q_HALVES, 0xf300_0f00);
    QPMIN_F = halves("qpmin.f", "vpmin.f32 %l0, %l1, %h1", "q=q", f::Q_HALVES, 0xf320_0f00);
    // ---- Copies and constants
    QMOV = row("qmov", "vmov %q0, %q1", "q=q").with(MOVE).class(m::VECTOR_ALU).bits(f::Q_BOTH, 0xf220_0150);
    QMOV_I = row("qmov.i", "vmov.i32 %q0, #%i", "q=").with(REMAT).class(m::VECTOR_ALU).bits(f::Q_BYTE, 0xf280_0050);
    QMVN_I = row("qmvn.i", "vmvn.i32 %q0, #%i", "q=").with(REMAT).class(m::VECTOR_ALU).bits(f::Q_BYTE, 0xf280_0070);
    // ---- Memory: no offsets, but the base may move on by the bytes of the access
    QLD1 = by("qld1", "vld1.32 {%l0, %h0}, [%1]", "q=i", f::Q_MEMORY, 0xf420_0a8f).with(LOADS).class(m::LOAD_VECTOR).touching(16);
    QST1 = by("qst1", "vst1.32 {%l0, %h0}, [%1]", "=qi", f::Q_MEMORY, 0xf400_0a8f).with(STORES).class(m::STORE_VECTOR).touching(16);
    QLD1_UP = by("qld1.up", "vld1.32 {%l1, %h1}, [%0]!", "iq=i", f::Q_LOAD_UP, 0xf420_0a8d).with(LOADS | TIED).class(m::LOAD_VECTOR);
    QST1_UP = by("qst1.up", "vst1.32 {%l2, %h2}, [%0]!", "i=iq", f::Q_STORE_UP, 0xf400_0a8d).with(STORES | TIED).class(m::STORE_VECTOR);
    // Of two registers that follow one another.
    QLD1_TWO_UP = by("qld1.two.up", "vld1.32 {%l1, %h1, %l2, %h2}, [%0]!", "iqq=i", f::Q_LOAD_UP, 0xf420_028d)
        .with(LOADS | TIED)
        .class(m::LOAD_VECTOR);
    QST1_TWO_UP = by("qst1.two.up", "vst1.32 {%l2, %h2, %l3, %h3}, [%0]!", "i=iqq", f::Q_STORE_UP, 0xf400_028d)
        .with(STORES | TIED)
        .class(m::STORE_VECTOR);
    // By what is in a register.
    QLD1_BY = by("qld1.by", "vld1.32 {%l1, %h1}, [%0], %3", "iq=ii", f::Q_LOAD_BY, 0xf420_0a80)
        .with(LOADS | TIED)
        .class(m::LOAD_VECTOR);
    QST1_BY = by("qst1.by", "vst1.32 {%l2, %h2}, [%0], %3", "i=iqi", f::Q_STORE_BY, 0xf400_0a80)
        .with(STORES | TIED)
        .class(m::STORE_VECTOR);
    // One value into every lane.
    QLD1_ALL =
        by("qld1.all", "vld1.32 {%l0[], %h0[]}, [%1]", "q=i", f::Q_MEMORY, 0xf4a0_0caf).with(LOADS).class(m::LOAD_TURN);
    // Lanes of so many vectors in turn: of the first one, of the next one, and again. Of three and four, one half of each.
    QLD2 = by("qld2", "vld2.32 {%l0, %h0, %C0, %D0}, [%1]", "q=i", f::Q_TURN, 0xf420_038f).with(LOADS).class(m::LOAD_TURN);
    QLD3_LOW = by("qld3.low", "vld3.32 {%l0, %C0, %E0}, [%1]", "q=i", f::Q_TURN, 0xf420_058f).with(LOADS).class(m::LOAD_TURN);
    QLD3_HIGH = by("qld3.high", "vld3.32 {%h0, %D0, %F0}, [%1]", "q=i", f::Q_TURN_HIGH, 0xf420_058f).with(LOADS).class(m::LOAD_TURN);
    QLD4_LOW =
        by("qld4.low", "vld4.32 {%l0, %C0, %E0, %G0}, [%1]", "q=i", f::Q_TURN, 0xf420_018f).with(LOADS).class(m::LOAD_TURN);
    QLD4_HIGH =
        by("qld4.high", "vld4.32 {%h0, %D0, %F0, %H0}, [%1]", "q=i", f::Q_TURN_HIGH, 0xf420_018f).with(LOADS).class(m::LOAD_TURN);
    // Pseudo: the same, if their registers follow one another; else lane by lane.
    QIN_TURN_2 = row("qin.turn.2", "", "qq=i").with(LOADS | IN_A_ROW).class(m::LOAD_TURN).size(36);
    QIN_TURN_3 = row("qin.turn.3", "", "qqq=i").with(LOADS | IN_A_ROW).class(m::LOAD_TURN).size(52);
    QIN_TURN_4 = row("qin.turn.4", "", "qqqq=i").with(LOADS | IN_A_ROW).class(m::LOAD_TURN).size(68);
    QLD1_LANE_LOW = by("qld1.lane.low", "vld1.32 {%l1[%i]}, [%0]!", "iq=iq", f::Q_LANE_UP, 0xf4a0_080d)
        .with(LOADS | TIED)
        .class(m::LOAD_TURN);
    QLD1_LANE_HIGH = by("qld1.lane.high", "vld1.32 {%h1[%i]}, [%0]!", "iq=iq", f::Q_LANE_UP_HIGH, 0xf4a0_080d)
        .with(LOADS | TIED)
        .class(m::LOAD_TURN);
    QST2 = by("qst2", "vst2.32 {%l0, %h0, %C0, %D0}, [%1]", "=qi", f::Q_TURN, 0xf400_038f).with(STORES).class(m::STORE_TURN);
    QST3_LOW = by("qst3.low", "vst3.32 {%l0, %C0, %E0}, [%1]", "=qi", f::Q_TURN, 0xf400_058f).with(STORES).class(m::STORE_TURN);
    QST3_HIGH =
        by("qst3.high", "vst3.32 {%h0, %D0, %F0}, [%1]", "=qi", f::Q_TURN_HIGH, 0xf400_058f).with(STORES).class(m::STORE_TURN);
    QST4_LOW =
        by("qst4.low", "vst4.32 {%l0, %C0, %E0, %G0}, [%1]", "=qi", f::Q_TURN, 0xf400_018f).with(STORES).class(m::STORE_TURN);
    QST4_HIGH = by("qst4.high", "vst4.32 {%h0, %D0, %F0, %H0}, [%1]", "=qi", f::Q_TURN_HIGH, 0xf400_018f)
        .with(STORES)
        .class(m::STORE_TURN);
    // Pseudo: the same, if their registers follow one another; else lane by lane.
    QOUT_IN_TURN_2 = row("qout.in.turn.2", "", "=qqi").with(STORES).class(m::STORE_TURN).size(36);
    QOUT_IN_TURN_3 = row("qout.in.turn.3", "", "=qqqi").with(STORES).class(m::STORE_TURN).size(52);
    QOUT_IN_TURN_4 = row("qout.in.turn.4", "", "=qqqqi").with(STORES).class(m::STORE_TURN).size(68);
    // Pseudo: copies to registers that follow one another.
    QCOPY_2 = row("qcopy.2", "", "qq=qq").with(IN_A_ROW).class(m::VECTOR_ALU).size(12);
    QCOPY_3 = row("qcopy.3", "", "qqq=qqq").with(IN_A_ROW).class(m::VECTOR_ALU).size(24);
    QCOPY_4 = row("qcopy.4", "", "qqqq=qqqq").with(IN_A_ROW).class(m::VECTOR_ALU).size(36);
    QST1_LANE_LOW = by("qst1.lane.low", "vst1.32 {%l2[%i]}, [%0]!", "i=iq", f::Q_STORE_LANE_UP, 0xf480_080d)
        .with(STORES | TIED)
        .class(m::STORE_TURN);
    QST1_LANE_HIGH = by("qst1.lane.high", "vst1.32 {%h2[%i]}, [%0]!", "i=iq", f::Q_STORE_LANE_UP_HIGH, 0xf480_080d)
        .with(STORES | TIED)
        .class(m::STORE_TURN);
    // Frame slots, half by half: these have offsets.
    QLDR_SLOT = row("qldr.slot", "", "q=i").symbol(SymKind::Slot).with(LOADS).class(m::LOAD_VECTOR).size(20).touching(16);
    QSTR_SLOT = row("qstr.slot", "", "=qi").symbol(SymKind::Slot).with(STORES).class(m::STORE_VECTOR).size(20).touching(16);
    QLDR_LOW = by("qldr.low", "vldr %l0, [%1, #%i]", "q=i", f::Q_OFFSET, 0xed10_0b00).with(LOADS).class(m::LOAD_VECTOR);
    QLDR_HIGH = by("qldr.high", "vldr %h0, [%1, #%i]", "q=i", f::Q_OFFSET_HIGH, 0xed10_0b00).with(LOADS).class(m::LOAD_VECTOR);
    QSTR_LOW = by("qstr.low", "vstr %l0, [%1, #%i]", "=qi", f::Q_OFFSET, 0xed00_0b00).with(STORES).class(m::STORE_VECTOR);
    QSTR_HIGH = by("qstr.high", "vstr %h0, [%1, #%i]", "=qi", f::Q_OFFSET_HIGH, 0xed00_0b00).with(STORES).class(m::STORE_VECTOR);
}
