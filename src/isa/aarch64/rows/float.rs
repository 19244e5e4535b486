//! Floating rows.

use super::{FLOAT_BASE, format, pseudo, row};
use crate::mir::desc::{MOVE, OpRow, REMAT, SETS_FLAGS, SymKind};
use crate::mir::model as m;

/// A sum, a difference, or a product; the fixed bits of the latter say so.
const fn binary(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    let class = match (encoding >> 13 & 1, encoding >> 22 & 1) {
        (0, 0) => m::FLOAT_MULTIPLY,
        (0, _) => m::DOUBLE_MULTIPLY,
        (_, 0) => m::FLOAT_ADD,
        _ => m::DOUBLE_ADD,
    };
    row(name, text, "f=ff", class, format::RRR, encoding)
}

const fn unary(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "f=f", m::FLOAT_MOVE, format::RR, encoding)
}

const fn compare(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(name, text, operands, m::FLOAT_COMPARE, format, encoding).with(SETS_FLAGS)
}

crate::opcodes! { from FLOAT_BASE;
    FADD_S = binary("fadd_s", "fadd %f0, %f1, %f2", 0x1e20_2800);
    FADD_D = binary("fadd_d", "fadd %d0, %d1, %d2", 0x1e60_2800);
    FSUB_S = binary("fsub_s", "fsub %f0, %f1, %f2", 0x1e20_3800);
    FSUB_D = binary("fsub_d", "fsub %d0, %d1, %d2", 0x1e60_3800);
    FMUL_S = binary("fmul_s", "fmul %f0, %f1, %f2", 0x1e20_0800);
    FMUL_D = binary("fmul_d", "fmul %d0, %d1, %d2", 0x1e60_0800);
    FNMUL_S = binary("fnmul_s", "fnmul %f0, %f1, %f2", 0x1e20_8800);
    FNMUL_D = binary("fnmul_d", "fnmul %d0, %d1, %d2", 0x1e60_8800);
    FDIV_S = row("fdiv_s", "fdiv %f0, %f1, %f2", "f=ff", m::FLOAT_DIVIDE, format::RRR, 0x1e20_1800);
    FDIV_D = row("fdiv_d", "fdiv %d0, %d1, %d2", "f=ff", m::DOUBLE_DIVIDE, format::RRR, 0x1e60_1800);
    FNEG_S = unary("fneg_s", "fneg %f0, %f1", 0x1e21_4000);
    FNEG_D = unary("fneg_d", "fneg %d0, %d1", 0x1e61_4000);
    FABS_S = unary("fabs_s", "fabs %f0, %f1", 0x1e20_c000);
    FABS_D = unary("fabs_d", "fabs %d0, %d1", 0x1e60_c000);
    FMADD_S = row("fmadd_s", "fmadd %f0, %f1, %f2, %f3", "f=fff", m::FLOAT_FUSED, format::RRRR, 0x1f00_0000);
    FMADD_D = row("fmadd_d", "fmadd %d0, %d1, %d2, %d3", "f=fff", m::DOUBLE_FUSED, format::RRRR, 0x1f40_0000);
    FMSUB_S = row("fmsub_s", "fmsub %f0, %f1, %f2, %f3", "f=fff", m::FLOAT_FUSED, format::RRRR, 0x1f00_8000);
    FMSUB_D = row("fmsub_d", "fmsub %d0, %d1, %d2, %d3", "f=fff", m::DOUBLE_FUSED, format::RRRR, 0x1f40_8000);
    FNMSUB_S = row("fnmsub_s", "fnmsub %f0, %f1, %f2, %f3", "f=fff", m::FLOAT_FUSED, format::RRRR, 0x1f20_8000);
    FNMSUB_D = row("fnmsub_d", "fnmsub %d0, %d1, %d2, %d3", "f=fff", m::DOUBLE_FUSED, format::RRRR, 0x1f60_8000);
    // ---- Copies and constants
    FMOV_S = row("fmov_s", "fmov %f0, %f1", "f=f", m::FLOAT_MOVE, format::RR, 0x1e20_4000).with(MOVE);
    FMOV_D = row("fmov_d", "fmov %d0, %d1", "f=f", m::FLOAT_MOVE, format::RR, 0x1e60_4000).with(MOVE);
    FMOV_S_W = row("fmov_s_w", "fmov %f0, %w1", "f=i", m::TO_FLOAT, format::RR, 0x1e27_0000);
    FMOV_D_X = row("fmov_d_x", "fmov %d0, %x1", "f=i", m::TO_FLOAT, format::RR, 0x9e67_0000);
    /// A constant with an exponent of 3 bits and a fraction of 4, times ten million: so text needs no float
    /// format.
    FMOV_S_IMM = row("fmov_s_imm", "fmov %f0, #%ie-7", "f=", m::FLOAT_MOVE, format::R_FLOAT8, 0x1e20_1000);
    FMOV_D_IMM = row("fmov_d_imm", "fmov %d0, #%ie-7", "f=", m::FLOAT_MOVE, format::R_FLOAT8, 0x1e60_1000);
    /// Pseudo: the float whose bits are `imm`.
    LI_S = pseudo("li_s", "f=", m::TO_FLOAT, 12).with(REMAT);
    /// Pseudo: a double, by its bits.
    LI_D = pseudo("li_d", "f=", m::TO_FLOAT, 20).with(REMAT).symbol(SymKind::Wide);
    // ---- Conversions
    FCVTZS_W_S = row("fcvtzs_w_s", "fcvtzs %w0, %f1", "i=f", m::CONVERT, format::RR, 0x1e38_0000);
    FCVTZS_X_S = row("fcvtzs_x_s", "fcvtzs %x0, %f1", "i=f", m::CONVERT, format::RR, 0x9e38_0000);
    FCVTZS_W_D = row("fcvtzs_w_d", "fcvtzs %w0, %d1", "i=f", m::CONVERT, format::RR, 0x1e78_0000);
    FCVTZS_X_D = row("fcvtzs_x_d", "fcvtzs %x0, %d1", "i=f", m::CONVERT, format::RR, 0x9e78_0000);
    SCVTF_S_W = row("scvtf_s_w", "scvtf %f0, %w1", "f=i", m::CONVERT, format::RR, 0x1e22_0000);
    SCVTF_S_X = row("scvtf_s_x", "scvtf %f0, %x1", "f=i", m::CONVERT, format::RR, 0x9e22_0000);
    SCVTF_D_W = row("scvtf_d_w", "scvtf %d0, %w1", "f=i", m::CONVERT, format::RR, 0x1e62_0000);
    SCVTF_D_X = row("scvtf_d_x", "scvtf %d0, %x1", "f=i", m::CONVERT, format::RR, 0x9e62_0000);
    FCVT_D_S = row("fcvt_d_s", "fcvt %d0, %f1", "f=f", m::CONVERT, format::RR, 0x1e22_c000);
    FCVT_S_D = row("fcvt_s_d", "fcvt %f0, %d1", "f=f", m::CONVERT, format::RR, 0x1e62_4000);
    // ---- Comparisons: nothing but flags
    FCMP_S = compare("fcmp_s", "fcmp %f0, %f1", "=ff", format::CMP_RR, 0x1e20_2000);
    FCMP_S_ZERO = compare("fcmp_s_zero", "fcmp %f0, #0.0", "=f", format::CMP_R, 0x1e20_2008);
    FCMP_D = compare("fcmp_d", "fcmp %d0, %d1", "=ff", format::CMP_RR, 0x1e60_2000);
    FCMP_D_ZERO = compare("fcmp_d_zero", "fcmp %d0, #0.0", "=f", format::CMP_R, 0x1e60_2008);
}
