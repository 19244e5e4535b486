//! Rows on vectors of 128 bits (NEON): four i32 or floats, two i64.
//!
//! A vector is in the whole of a floating register: text prints it as `v3.4s`, or `q3` where memory is
//! accessed. Calls preserve only the low half of v8-v15. Comparisons give lanes of ones or zeros. Rows that
//! keep a part of what was in their result are tied: use 0 is the register of definition 0. A lane is the
//! immediate; so is a shift amount.

use super::{VECTOR_BASE, format, pseudo, row};
use crate::mir::desc::{IN_A_ROW, LOADS, MOVE, OpRow, REMAT, STORES, TIED};
use crate::mir::model::{self as m, OpClass};

/// By the bits that say which operation it is: floats, products, and what goes over all lanes.
const fn class_of(encoding: u32) -> OpClass {
    match encoding >> 10 & 0x3f {
        0x27 | 0x30 => m::VECTOR_MULTIPLY,
        0x2a | 0x2e | 0x32 | 0x3e if encoding >> 17 & 0x1f == 0x18 => m::VECTOR_ACROSS,
        0x31 | 0x32 | 0x33 | 0x35 | 0x36 | 0x37 | 0x39 | 0x3d => m::VECTOR_FLOAT,
        _ => m::VECTOR_ALU,
    }
}

/// Of what is put onto a register: choices by bits are timed as sums are.
const fn fused(encoding: u32) -> OpClass {
    match encoding >> 10 & 0x3f {
        0x25 => m::VECTOR_FUSED,
        0x33 => m::VECTOR_FLOAT_FUSED,
        _ => m::VECTOR_ALU,
    }
}

/// True of a layout of several registers, or of one lane.
const fn is_in_turn(format: u8) -> bool {
    !matches!(format, format::LOAD_SCALED | format::LOAD_UNSCALED | format::LOAD_INDEXED | format::PAIR)
}

/// Of two operands.
const fn two(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "f=ff", class_of(encoding), format::RRR, encoding)
}

/// Of two operands and what was in the result.
const fn onto(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "f=fff", fused(encoding), format::ONTO, encoding).with(TIED)
}

const fn one(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "f=f", class_of(encoding), format::RR, encoding)
}

/// Of an operand and an immediate or lane.
const fn with(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    let class = match operands.as_bytes() {
        b"f=fi" | b"i=f" => m::VECTOR_LANE,
        _ => m::VECTOR_ALU,
    };
    row(name, text, operands, class, format, encoding)
}

/// By a lane of the second operand.
const fn by_lane(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(
        name,
        text,
        "f=ff",
        if encoding >> 12 & 1 != 0 { m::VECTOR_FLOAT } else { m::VECTOR_MULTIPLY },
        format::BY_LANE,
        encoding,
    )
}

/// The same, and what was in the result.
const fn onto_by_lane(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "f=fff", m::VECTOR_FUSED, format::ONTO_BY_LANE, encoding).with(TIED)
}

const fn constant(name: &'static str, text: &'static str, format: u8, encoding: u32) -> OpRow {
    row(name, text, "f=", m::VECTOR_ALU, format, encoding).with(REMAT)
}

/// Bytes at base + immediate.
const fn touches(format: u8) -> u8 {
    match format {
        format::LOAD_SCALED | format::LOAD_UNSCALED => 16,
        format::PAIR => 32,
        _ => 0,
    }
}

const fn load(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(
        name,
        text,
        operands,
        if is_in_turn(format) { m::LOAD_TURN } else { m::LOAD_VECTOR },
        format,
        encoding,
    )
    .with(LOADS)
    .touching(touches(format))
}

const fn store(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(
        name,
        text,
        operands,
        if is_in_turn(format) { m::STORE_TURN } else { m::STORE_VECTOR },
        format,
        encoding,
    )
    .with(STORES)
    .touching(touches(format))
}

crate::opcodes! { from VECTOR_BASE;
    // ---- Integers
    VADD_S = two("vadd_4s", "add %v0.4s, %v1.4s, %v2.4s", 0x4ea0_8400);
    VADD_D = two("vadd_2d", "add %v0.2d, %v1.2d, %v2.2d", 0x4ee0_8400);
    VSUB_S = two("vsub_4s", "sub %v0.4s, %v1.4s, %v2.4s", 0x6ea0_8400);
    VSUB_D = two("vsub_2d", "sub %v0.2d, %v1.2d, %v2.2d", 0x6ee0_8400);
    VMUL_S = two("vmul_4s", "mul %v0.4s, %v1.4s, %v2.4s", 0x4ea0_9c00);
    VMLA_S = onto("vmla_4s", "mla %v0.4s, %v2.4s, %v3.4s", 0x4ea0_9400);
    VMLS_S = onto("vmls_4s", "mls %v0.4s, %v2.4s, %v3.4s", 0x6ea0_9400);
    VSMAX_S = two("vsmax_4s", "smax %v0.4s, %v1.4s, %v2.4s", 0x4ea0_6400);
    VSMIN_S = two("vsmin_4s", "smin %v0.4s, %v1.4s, %v2.4s", 0x4ea0_6c00);
    VUMAX_S = two("vumax_4s", "umax %v0.4s, %v1.4s, %v2.4s", 0x6ea0_6400);
    VUMIN_S = two("vumin_4s", "umin %v0.4s, %v1.4s, %v2.4s", 0x6ea0_6c00);
    VNEG_S = one("vneg_4s", "neg %v0.4s, %v1.4s", 0x6ea0_b800);
    VABS_S = one("vabs_4s", "abs %v0.4s, %v1.4s", 0x4ea0_b800);
    /// The products of the low two lanes, or of the high two, 64 bits each.
    VSMULL = two("vsmull", "smull %v0.2d, %v1.2s, %v2.2s", 0x0ea0_c000);
    VSMULL2 = two("vsmull2", "smull2 %v0.2d, %v1.4s, %v2.4s", 0x4ea0_c000);
    VUMULL = two("vumull", "umull %v0.2d, %v1.2s, %v2.2s", 0x2ea0_c000);
    VUMULL2 = two("vumull2", "umull2 %v0.2d, %v1.4s, %v2.4s", 0x6ea0_c000);
    // ---- Comparisons of integers
    VCMEQ_S = two("vcmeq_4s", "cmeq %v0.4s, %v1.4s, %v2.4s", 0x6ea0_8c00);
    VCMGT_S = two("vcmgt_4s", "cmgt %v0.4s, %v1.4s, %v2.4s", 0x4ea0_3400);
    VCMGE_S = two("vcmge_4s", "cmge %v0.4s, %v1.4s, %v2.4s", 0x4ea0_3c00);
    VCMHI_S = two("vcmhi_4s", "cmhi %v0.4s, %v1.4s, %v2.4s", 0x6ea0_3400);
    VCMHS_S = two("vcmhs_4s", "cmhs %v0.4s, %v1.4s, %v2.4s", 0x6ea0_3c00);
    VCMEQ_S_ZERO = one("vcmeq_4s_zero", "cmeq %v0.4s, %v1.4s, #0", 0x4ea0_9800);
    VCMGT_S_ZERO = one("vcmgt_4s_zero", "cmgt %v0.4s, %v1.4s, #0", 0x4ea0_8800);
    VCMGE_S_ZERO = one("vcmge_4s_zero", "cmge %v0.4s, %v1.4s, #0", 0x6ea0_8800);
    VCMLE_S_ZERO = one("vcmle_4s_zero", "cmle %v0.4s, %v1.4s, #0", 0x6ea0_9800);
    VCMLT_S_ZERO = one("vcmlt_4s_zero", "cmlt %v0.4s, %v1.4s, #0", 0x4ea0_a800);
    // ---- Logic
    VAND = two("vand", "and %v0.16b, %v1.16b, %v2.16b", 0x4e20_1c00);
    VBIC = two("vbic", "bic %v0.16b, %v1.16b, %v2.16b", 0x4e60_1c00);
    VORR = two("vorr", "orr %v0.16b, %v1.16b, %v2.16b", 0x4ea0_1c00);
    VORN = two("vorn", "orn %v0.16b, %v1.16b, %v2.16b", 0x4ee0_1c00);
    VEOR = two("veor", "eor %v0.16b, %v1.16b, %v2.16b", 0x6e20_1c00);
    VNOT = one("vnot", "not %v0.16b, %v1.16b", 0x6e20_5800);
    /// Use 1 where the result was ones, use 2 where it was zeros.
    VBSL = onto("vbsl", "bsl %v0.16b, %v2.16b, %v3.16b", 0x6e60_1c00);
    /// Use 1 where use 2 is ones (`bit`) or zeros (`bif`), else what was there.
    VBIT = onto("vbit", "bit %v0.16b, %v2.16b, %v3.16b", 0x6ea0_1c00);
    VBIF = onto("vbif", "bif %v0.16b, %v2.16b, %v3.16b", 0x6ee0_1c00);
    // ---- Shifts
    VSHL_S = with("vshl_4s", "shl %v0.4s, %v1.4s, #%i", "f=f", format::LANES_LEFT, 0x4f00_5400);
    VSSHR_S = with("vsshr_4s", "sshr %v0.4s, %v1.4s, #%i", "f=f", format::LANES_RIGHT, 0x4f00_0400);
    VUSHR_S = with("vushr_4s", "ushr %v0.4s, %v1.4s, #%i", "f=f", format::LANES_RIGHT, 0x6f00_0400);
    /// With the shifted operand added to what was there.
    VSSRA_S =
        with("vssra_4s", "ssra %v0.4s, %v2.4s, #%i", "f=ff", format::ONTO_RIGHT, 0x4f00_1400).with(TIED);
    VUSRA_S =
        with("vusra_4s", "usra %v0.4s, %v2.4s, #%i", "f=ff", format::ONTO_RIGHT, 0x6f00_1400).with(TIED);
    /// By the lanes of use 1, to the right where they are negative.
    VSSHL_S = two("vsshl_4s", "sshl %v0.4s, %v1.4s, %v2.4s", 0x4ea0_4400);
    VUSHL_S = two("vushl_4s", "ushl %v0.4s, %v1.4s, %v2.4s", 0x6ea0_4400);
    // ---- Floats
    VFADD_S = two("vfadd_4s", "fadd %v0.4s, %v1.4s, %v2.4s", 0x4e20_d400);
    VFSUB_S = two("vfsub_4s", "fsub %v0.4s, %v1.4s, %v2.4s", 0x4ea0_d400);
    VFMUL_S = two("vfmul_4s", "fmul %v0.4s, %v1.4s, %v2.4s", 0x6e20_dc00);
    VFDIV_S = row("vfdiv_4s", "fdiv %v0.4s, %v1.4s, %v2.4s", "f=ff", m::VECTOR_DIVIDE, format::RRR, 0x6e20_fc00);
    /// Rounded once.
    VFMLA_S = onto("vfmla_4s", "fmla %v0.4s, %v2.4s, %v3.4s", 0x4e20_cc00);
    VFMLS_S = onto("vfmls_4s", "fmls %v0.4s, %v2.4s, %v3.4s", 0x4ea0_cc00);
    VFMAX_S = two("vfmax_4s", "fmax %v0.4s, %v1.4s, %v2.4s", 0x4e20_f400);
    VFMIN_S = two("vfmin_4s", "fmin %v0.4s, %v1.4s, %v2.4s", 0x4ea0_f400);
    VFMAXNM_S = two("vfmaxnm_4s", "fmaxnm %v0.4s, %v1.4s, %v2.4s", 0x4e20_c400);
    VFMINNM_S = two("vfminnm_4s", "fminnm %v0.4s, %v1.4s, %v2.4s", 0x4ea0_c400);
    VFNEG_S = one("vfneg_4s", "fneg %v0.4s, %v1.4s", 0x6ea0_f800);
    VFABS_S = one("vfabs_4s", "fabs %v0.4s, %v1.4s", 0x4ea0_f800);
    VFCMEQ_S = two("vfcmeq_4s", "fcmeq %v0.4s, %v1.4s, %v2.4s", 0x4e20_e400);
    VFCMGE_S = two("vfcmge_4s", "fcmge %v0.4s, %v1.4s, %v2.4s", 0x6e20_e400);
    VFCMGT_S = two("vfcmgt_4s", "fcmgt %v0.4s, %v1.4s, %v2.4s", 0x6ea0_e400);
    VFCMEQ_S_ZERO = one("vfcmeq_4s_zero", "fcmeq %v0.4s, %v1.4s, #0.0", 0x4ea0_d800);
    VFCMGT_S_ZERO = one("vfcmgt_4s_zero", "fcmgt %v0.4s, %v1.4s, #0.0", 0x4ea0_c800);
    VFCMGE_S_ZERO = one("vfcmge_4s_zero", "fcmge %v0.4s, %v1.4s, #0.0", 0x6ea0_c800);
    VFCMLE_S_ZERO = one("vfcmle_4s_zero", "fcmle %v0.4s, %v1.4s, #0.0", 0x6ea0_d800);
    VFCMLT_S_ZERO = one("vfcmlt_4s_zero", "fcmlt %v0.4s, %v1.4s, #0.0", 0x4ea0_e800);
    VSCVTF_S = one("vscvtf_4s", "scvtf %v0.4s, %v1.4s", 0x4e21_d800);
    VFCVTZS_S = one("vfcvtzs_4s", "fcvtzs %v0.4s, %v1.4s", 0x4ea1_b800);
    // ---- By a lane
    VMUL_S_LANE = by_lane("vmul_4s_lane", "mul %v0.4s, %v1.4s, %v2.s[%i]", 0x4f80_8000);
    VMLA_S_LANE = onto_by_lane("vmla_4s_lane", "mla %v0.4s, %v2.4s, %v3.s[%i]", 0x6f80_0000);
    VMLS_S_LANE = onto_by_lane("vmls_4s_lane", "mls %v0.4s, %v2.4s, %v3.s[%i]", 0x6f80_4000);
    VFMUL_S_LANE = by_lane("vfmul_4s_lane", "fmul %v0.4s, %v1.4s, %v2.s[%i]", 0x4f80_9000);
    // ---- Lanes
    VDUP_W = row("vdup_w", "dup %v0.4s, %w1", "f=i", m::VECTOR_LANE, format::RR, 0x4e04_0c00);
    VDUP_S = with("vdup_4s", "dup %v0.4s, %v1.s[%i]", "f=f", format::LANE, 0x4e00_0400);
    VINS_W = with("vins_w", "mov %v0.s[%i], %w2", "f=fi", format::ONTO_LANE, 0x4e00_1c00).with(TIED);
    /// Lane 0 of use 1.
    VINS_S = with("vins_s", "mov %v0.s[%i], %v2.s[0]", "f=ff", format::ONTO_LANE, 0x6e00_0400).with(TIED);
    VUMOV_W = with("vumov_w", "umov %w0, %v1.s[%i]", "i=f", format::LANE, 0x0e00_3c00);
    VMOV_S_LANE = with("vmov_s_lane", "mov %f0, %v1.s[%i]", "f=f", format::LANE, 0x5e00_0400);
    /// Both words of 64 bits: the lower one to a register of integers, and the upper one from there and to there.
    VMOV_X_LOW = row("vmov_x_low", "fmov %x0, %d1", "i=f", m::VECTOR_LANE, format::RR, 0x9e66_0000);
    VINS_X_HIGH = row("vins_x_high", "mov %v0.d[1], %x2", "f=fi", m::VECTOR_LANE, format::ONTO_ONE, 0x4e18_1c00).with(TIED);
    VMOV_X_HIGH = row("vmov_x_high", "umov %x0, %v1.d[1]", "i=f", m::VECTOR_LANE, format::RR, 0x4e18_3c00);
    VEXT = with("vext", "ext %v0.16b, %v1.16b, %v2.16b, #%i", "f=ff", format::BYTES, 0x6e00_0000);
    VREV64_S = one("vrev64_4s", "rev64 %v0.4s, %v1.4s", 0x4ea0_0800);
    VUZP1_S = two("vuzp1_4s", "uzp1 %v0.4s, %v1.4s, %v2.4s", 0x4e80_1800);
    VUZP2_S = two("vuzp2_4s", "uzp2 %v0.4s, %v1.4s, %v2.4s", 0x4e80_5800);
    VZIP1_S = two("vzip1_4s", "zip1 %v0.4s, %v1.4s, %v2.4s", 0x4e80_3800);
    VZIP2_S = two("vzip2_4s", "zip2 %v0.4s, %v1.4s, %v2.4s", 0x4e80_7800);
    VTRN1_S = two("vtrn1_4s", "trn1 %v0.4s, %v1.4s, %v2.4s", 0x4e80_2800);
    VTRN2_S = two("vtrn2_4s", "trn2 %v0.4s, %v1.4s, %v2.4s", 0x4e80_6800);
    /// The low two lanes, or the high two, to 64 bits; and back.
    VSXTL = one("vsxtl", "sxtl %v0.2d, %v1.2s", 0x0f20_a400);
    VSXTL2 = one("vsxtl2", "sxtl2 %v0.2d, %v1.4s", 0x4f20_a400);
    VXTN = one("vxtn", "xtn %v0.2s, %v1.2d", 0x0ea1_2800);
    // ---- Across lanes: neighbours, and all
    VADDP_S = two("vaddp_4s", "addp %v0.4s, %v1.4s, %v2.4s", 0x4ea0_bc00);
    VSMAXP_S = two("vsmaxp_4s", "smaxp %v0.4s, %v1.4s, %v2.4s", 0x4ea0_a400);
    VSMINP_S = two("vsminp_4s", "sminp %v0.4s, %v1.4s, %v2.4s", 0x4ea0_ac00);
    VFADDP_S = two("vfaddp_4s", "faddp %v0.4s, %v1.4s, %v2.4s", 0x6e20_d400);
    VFADDP_LOW = one("vfaddp_low", "faddp %f0, %v1.2s", 0x7e30_d800);
    VADDV_S = one("vaddv_4s", "addv %f0, %v1.4s", 0x4eb1_b800);
    VSMAXV_S = one("vsmaxv_4s", "smaxv %f0, %v1.4s", 0x4eb0_a800);
    VSMINV_S = one("vsminv_4s", "sminv %f0, %v1.4s", 0x4eb1_a800);
    VUMAXV_S = one("vumaxv_4s", "umaxv %f0, %v1.4s", 0x6eb0_a800);
    VUMINV_S = one("vuminv_4s", "uminv %f0, %v1.4s", 0x6eb1_a800);
    VFMAXV_S = one("vfmaxv_4s", "fmaxv %f0, %v1.4s", 0x6e30_f800);
    VFMINV_S = one("vfminv_4s", "fminv %f0, %v1.4s", 0x6eb0_f800);
    // ---- Copies and constants
    VMOV = row("vmov", "mov %v0.16b, %v1.16b", "f=f", m::VECTOR_ALU, format::R_BOTH, 0x4ea0_1c00).with(MOVE);
    VMOVI_ZERO = constant("vmovi_zero", "movi %v0.2d, #0", format::R, 0x6f00_e400);
    VMOVI_B = constant("vmovi_16b", "movi %v0.16b, #%i", format::R_BYTE, 0x4f00_e400);
    VMOVI_S = constant("vmovi_4s", "movi %v0.4s, #%i", format::R_BYTE, 0x4f00_0400);
    VMOVI_S8 = constant("vmovi_4s_8", "movi %v0.4s, #%i, lsl #8", format::R_BYTE, 0x4f00_2400);
    VMOVI_S16 = constant("vmovi_4s_16", "movi %v0.4s, #%i, lsl #16", format::R_BYTE, 0x4f00_4400);
    VMOVI_S24 = constant("vmovi_4s_24", "movi %v0.4s, #%i, lsl #24", format::R_BYTE, 0x4f00_6400);
    VMVNI_S = constant("vmvni_4s", "mvni %v0.4s, #%i", format::R_BYTE, 0x6f00_0400);
    /// As `FMOV_S_IMM`, in each lane.
    VFMOV_S = constant("vfmov_4s", "fmov %v0.4s, #%ie-7", format::R_BYTE_FLOAT, 0x4f00_f400);
    // ---- Memory
    LDR_Q = load("ldr_q", "ldr %q0, [%p1, #%i]", "f=i", format::LOAD_SCALED, 0x3dc0_0000);
    STR_Q = store("str_q", "str %q0, [%p1, #%i]", "=fi", format::LOAD_SCALED, 0x3d80_0000);
    LDUR_Q = load("ldur_q", "ldur %q0, [%p1, #%i]", "f=i", format::LOAD_UNSCALED, 0x3cc0_0000);
    STUR_Q = store("stur_q", "stur %q0, [%p1, #%i]", "=fi", format::LOAD_UNSCALED, 0x3c80_0000);
    LDR_Q_LSL = load("ldr_q_lsl", "ldr %q0, [%p1, %x2, lsl #%i]", "f=ii", format::LOAD_INDEXED, 0x3ce0_6800);
    LDR_Q_SXTW = load("ldr_q_sxtw", "ldr %q0, [%p1, %w2, sxtw #%i]", "f=ii", format::LOAD_INDEXED, 0x3ce0_c800);
    LDR_Q_UXTW = load("ldr_q_uxtw", "ldr %q0, [%p1, %w2, uxtw #%i]", "f=ii", format::LOAD_INDEXED, 0x3ce0_4800);
    STR_Q_LSL = store("str_q_lsl", "str %q0, [%p1, %x2, lsl #%i]", "=fii", format::LOAD_INDEXED, 0x3ca0_6800);
    STR_Q_SXTW = store("str_q_sxtw", "str %q0, [%p1, %w2, sxtw #%i]", "=fii", format::LOAD_INDEXED, 0x3ca0_c800);
    STR_Q_UXTW = store("str_q_uxtw", "str %q0, [%p1, %w2, uxtw #%i]", "=fii", format::LOAD_INDEXED, 0x3ca0_4800);
    LDP_Q = load("ldp_q", "ldp %q0, %q1, [%p2, #%i]", "ff=i", format::PAIR, 0xad40_0000);
    STP_Q = store("stp_q", "stp %q0, %q1, [%p2, #%i]", "=ffi", format::PAIR, 0xad00_0000);
    LD1_S = load("ld1_4s", "ld1 {%v0.4s}, [%p1]", "f=i", format::RR, 0x4c40_7800);
    ST1_S = store("st1_4s", "st1 {%v0.4s}, [%p1]", "=fi", format::RR, 0x4c00_7800);
    /// One value into every lane.
    LD1R_S = load("ld1r_4s", "ld1r {%v0.4s}, [%p1]", "f=i", format::RR, 0x4d40_c800);
    /// Lanes of so many vectors in turn: of the first one, of the next one, and again.
    LD2_S = load("ld2_4s", "ld2 {%v0.4s, %n0.4s}, [%p1]", "f=i", format::RR, 0x4c40_8800);
    LD3_S = load("ld3_4s", "ld3 {%v0.4s, %n0.4s, %t0.4s}, [%p1]", "f=i", format::RR, 0x4c40_4800);
    LD4_S = load("ld4_4s", "ld4 {%v0.4s, %n0.4s, %t0.4s, %r0.4s}, [%p1]", "f=i", format::RR, 0x4c40_0800);
    /// Pseudo: the same, of so many registers, if these follow one another; else lane by lane.
    IN_TURN_2 = pseudo("in_turn_2", "ff=i", m::LOAD_TURN, 36).with(LOADS | IN_A_ROW);
    IN_TURN_3 = pseudo("in_turn_3", "fff=i", m::LOAD_TURN, 52).with(LOADS | IN_A_ROW);
    IN_TURN_4 = pseudo("in_turn_4", "ffff=i", m::LOAD_TURN, 68).with(LOADS | IN_A_ROW);
    ST2_S = store("st2_4s", "st2 {%v0.4s, %n0.4s}, [%p1]", "=fi", format::RR, 0x4c00_8800);
    ST3_S = store("st3_4s", "st3 {%v0.4s, %n0.4s, %t0.4s}, [%p1]", "=fi", format::RR, 0x4c00_4800);
    ST4_S = store("st4_4s", "st4 {%v0.4s, %n0.4s, %t0.4s, %r0.4s}, [%p1]", "=fi", format::RR, 0x4c00_0800);
    /// Pseudo: the same, if their registers follow one another; else lane by lane.
    OUT_IN_TURN_2 = pseudo("out_in_turn_2", "=ffi", m::STORE_TURN, 36).with(STORES);
    OUT_IN_TURN_3 = pseudo("out_in_turn_3", "=fffi", m::STORE_TURN, 52).with(STORES);
    OUT_IN_TURN_4 = pseudo("out_in_turn_4", "=ffffi", m::STORE_TURN, 68).with(STORES);
    /// Pseudo: copies to registers that follow one another.
    COPY_2 = pseudo("copy_2", "ff=ff", m::VECTOR_ALU, 12).with(IN_A_ROW);
    COPY_3 = pseudo("copy_3", "fff=fff", m::VECTOR_ALU, 24).with(IN_A_ROW);
    COPY_4 = pseudo("copy_4", "ffff=ffff", m::VECTOR_ALU, 36).with(IN_A_ROW);
    ST1_S_LANE_UP =
        store("st1_s_lane_up", "st1 {%v2.s}[%i], [%p0], #4", "i=if", format::STORE_UP_LANE, 0x0d9f_8000).with(TIED);
    LD1_S_LANE_UP =
        load("ld1_s_lane_up", "ld1 {%v1.s}[%i], [%p0], #4", "if=if", format::UP_LANE, 0x0ddf_8000).with(TIED);
    LD1_S_LANE =
        load("ld1_s_lane", "ld1 {%v0.s}[%i], [%p2]", "f=fi", format::ONTO_MEMORY, 0x0d40_8000).with(TIED);
    ST1_S_LANE = store("st1_s_lane", "st1 {%v0.s}[%i], [%p1]", "=fi", format::MEMORY_LANE, 0x0d00_8000);
}
