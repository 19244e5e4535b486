//! Integer rows: arithmetic, logic, shifts, products, constants and comparisons.

use super::{INT_BASE, format, pseudo, row};
use crate::mir::desc::{MOVE, OpRow, REMAT, SETS_FLAGS, SymKind, TIED, USES_FLAGS};
use crate::mir::model as m;

const fn alu(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=ii", m::ALU, format::RRR, encoding)
}

/// A shifted operand costs a cycle more on the cores we schedule for.
const fn shifted(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=ii", m::SHIFTED, format::RRR_SHIFT, encoding)
}

const fn extended(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=ii", m::SHIFTED, format::RRR_EXTEND, encoding)
}

const fn imm12(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=i", m::ALU, format::RR_IMM12, encoding)
}

const fn mask(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=i", m::ALU, format::RR_MASK, encoding)
}

const fn shift(name: &'static str, text: &'static str, format: u8, encoding: u32) -> OpRow {
    row(name, text, "i=i", m::ALU, format, encoding)
}

const fn field(name: &'static str, text: &'static str, format: u8, encoding: u32) -> OpRow {
    row(name, text, "i=i", m::ALU, format, encoding)
}

/// A field goes where use 0 is, which keeps its other bits.
const fn insertion(name: &'static str, text: &'static str, format: u8, encoding: u32) -> OpRow {
    row(name, text, "i=ii", m::SHIFTED, format, encoding).with(TIED)
}

const fn unary(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=i", m::ALU, format::RR, encoding)
}

const fn product(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(
        name,
        text,
        "i=ii",
        if encoding >> 31 != 0 { m::MULTIPLY_LONG } else { m::MULTIPLY },
        format::RRR,
        encoding,
    )
}

const fn multiply_add(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=iii", m::MULTIPLY_ADD, format::RRRR, encoding)
}

const fn quotient(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(
        name,
        text,
        "i=ii",
        if encoding >> 31 != 0 { m::DIVIDE_LONG } else { m::DIVIDE },
        format::RRR,
        encoding,
    )
}

const fn wide(name: &'static str, text: &'static str, operands: &'static str, encoding: u32) -> OpRow {
    row(name, text, operands, m::ALU, format::R_IMM16, encoding)
}

const fn compare(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "=ii", m::COMPARE, format::CMP_RR, encoding).with(SETS_FLAGS)
}

const fn compare_shifted(name: &'static str, text: &'static str, format: u8, encoding: u32) -> OpRow {
    row(name, text, "=ii", m::COMPARE, format, encoding).with(SETS_FLAGS)
}

const fn compare_imm(name: &'static str, text: &'static str, format: u8, encoding: u32) -> OpRow {
    row(name, text, "=i", m::COMPARE, format, encoding).with(SETS_FLAGS)
}

/// An operation on w and x registers, then with the second operand shifted in three ways each.
macro_rules! flexible {
    ($name:literal, $bits:literal) => {
        [
            alu(concat!($name, "_w"), concat!($name, " %w0, %w1, %w2"), $bits),
            alu(concat!($name, "_x"), concat!($name, " %x0, %x1, %x2"), $bits | 1 << 31),
            shifted(concat!($name, "_w_lsl"), concat!($name, " %w0, %w1, %w2, lsl #%i"), $bits),
            shifted(concat!($name, "_w_lsr"), concat!($name, " %w0, %w1, %w2, lsr #%i"), $bits | 1 << 22),
            shifted(concat!($name, "_w_asr"), concat!($name, " %w0, %w1, %w2, asr #%i"), $bits | 2 << 22),
            shifted(concat!($name, "_x_lsl"), concat!($name, " %x0, %x1, %x2, lsl #%i"), $bits | 1 << 31),
            shifted(concat!($name, "_x_lsr"), concat!($name, " %x0, %x1, %x2, lsr #%i"), $bits | 0x201 << 22),
            shifted(concat!($name, "_x_asr"), concat!($name, " %x0, %x1, %x2, asr #%i"), $bits | 0x202 << 22),
        ]
    };
}

crate::opcodes! { from INT_BASE;
    // ---- Sums and differences
    ADD_W ADD_X ADD_W_LSL ADD_W_LSR ADD_W_ASR ADD_X_LSL ADD_X_LSR ADD_X_ASR = flexible!("add", 0x0b00_0000);
    ADD_X_SXTW = extended("add_x_sxtw", "add %p0, %p1, %w2, sxtw #%i", 0x8b20_c000);
    ADD_X_UXTW = extended("add_x_uxtw", "add %p0, %p1, %w2, uxtw #%i", 0x8b20_4000);
    ADD_W_IMM = imm12("add_w_imm", "add %w0, %w1, #%i", 0x1100_0000);
    ADD_X_IMM = imm12("add_x_imm", "add %p0, %p1, #%i", 0x9100_0000);
    ADD_W_IMM12 = imm12("add_w_imm12", "add %w0, %w1, #%i, lsl #12", 0x1140_0000);
    ADD_X_IMM12 = imm12("add_x_imm12", "add %p0, %p1, #%i, lsl #12", 0x9140_0000);
    SUB_W SUB_X SUB_W_LSL SUB_W_LSR SUB_W_ASR SUB_X_LSL SUB_X_LSR SUB_X_ASR = flexible!("sub", 0x4b00_0000);
    SUB_X_SXTW = extended("sub_x_sxtw", "sub %p0, %p1, %w2, sxtw #%i", 0xcb20_c000);
    SUB_X_UXTW = extended("sub_x_uxtw", "sub %p0, %p1, %w2, uxtw #%i", 0xcb20_4000);
    SUB_W_IMM = imm12("sub_w_imm", "sub %w0, %w1, #%i", 0x5100_0000);
    SUB_X_IMM = imm12("sub_x_imm", "sub %p0, %p1, #%i", 0xd100_0000);
    SUB_W_IMM12 = imm12("sub_w_imm12", "sub %w0, %w1, #%i, lsl #12", 0x5140_0000);
    SUB_X_IMM12 = imm12("sub_x_imm12", "sub %p0, %p1, #%i, lsl #12", 0xd140_0000);
    /// The form of sums in which the stack pointer takes part.
    ADD_X_SP = extended("add_x_sp", "add %p0, %p1, %x2, uxtx #%i", 0x8b20_6000);
    SUB_X_SP = extended("sub_x_sp", "sub %p0, %p1, %x2, uxtx #%i", 0xcb20_6000);
    // ---- Sums that carry in the flags, and what else inline assembly names
    ADDS_W = alu("adds_w", "adds %w0, %w1, %w2", 0x2b00_0000).with(SETS_FLAGS);
    ADDS_X = alu("adds_x", "adds %x0, %x1, %x2", 0xab00_0000).with(SETS_FLAGS);
    ADC_W = alu("adc_w", "adc %w0, %w1, %w2", 0x1a00_0000).with(USES_FLAGS);
    ADC_X = alu("adc_x", "adc %x0, %x1, %x2", 0x9a00_0000).with(USES_FLAGS);
    ADCS_X = alu("adcs_x", "adcs %x0, %x1, %x2", 0xba00_0000).with(SETS_FLAGS | USES_FLAGS);
    SUBS_W = alu("subs_w", "subs %w0, %w1, %w2", 0x6b00_0000).with(SETS_FLAGS);
    SUBS_X = alu("subs_x", "subs %x0, %x1, %x2", 0xeb00_0000).with(SETS_FLAGS);
    SBC_W = alu("sbc_w", "sbc %w0, %w1, %w2", 0x5a00_0000).with(USES_FLAGS);
    SBC_X = alu("sbc_x", "sbc %x0, %x1, %x2", 0xda00_0000).with(USES_FLAGS);
    SBCS_X = alu("sbcs_x", "sbcs %x0, %x1, %x2", 0xfa00_0000).with(SETS_FLAGS | USES_FLAGS);
    ROR_W = alu("ror_w", "ror %w0, %w1, %w2", 0x1ac0_2c00);
    ROR_X = alu("ror_x", "ror %x0, %x1, %x2", 0x9ac0_2c00);
    REV16_W = unary("rev16_w", "rev16 %w0, %w1", 0x5ac0_0400);
    REV16_X = unary("rev16_x", "rev16 %x0, %x1", 0xdac0_0400);
    REV32 = unary("rev32", "rev32 %x0, %x1", 0xdac0_0800);
    CLS_W = unary("cls_w", "cls %w0, %w1", 0x5ac0_1400);
    CLS_X = unary("cls_x", "cls %x0, %x1", 0xdac0_1400);
    NEG_W = row("neg_w", "neg %w0, %w1", "i=i", m::ALU, format::R_M, 0x4b00_03e0);
    NEG_X = row("neg_x", "neg %x0, %x1", "i=i", m::ALU, format::R_M, 0xcb00_03e0);
    MVN_W = row("mvn_w", "mvn %w0, %w1", "i=i", m::ALU, format::R_M, 0x2a20_03e0);
    MVN_X = row("mvn_x", "mvn %x0, %x1", "i=i", m::ALU, format::R_M, 0xaa20_03e0);
    // ---- Logic
    AND_W AND_X AND_W_LSL AND_W_LSR AND_W_ASR AND_X_LSL AND_X_LSR AND_X_ASR = flexible!("and", 0x0a00_0000);
    AND_W_IMM = mask("and_w_imm", "and %w0, %w1, #%i", 0x1200_0000);
    AND_X_IMM = mask("and_x_imm", "and %x0, %x1, #%i", 0x9200_0000);
    ORR_W ORR_X ORR_W_LSL ORR_W_LSR ORR_W_ASR ORR_X_LSL ORR_X_LSR ORR_X_ASR = flexible!("orr", 0x2a00_0000);
    ORR_W_IMM = mask("orr_w_imm", "orr %w0, %w1, #%i", 0x3200_0000);
    ORR_X_IMM = mask("orr_x_imm", "orr %x0, %x1, #%i", 0xb200_0000);
    EOR_W EOR_X EOR_W_LSL EOR_W_LSR EOR_W_ASR EOR_X_LSL EOR_X_LSR EOR_X_ASR = flexible!("eor", 0x4a00_0000);
    EOR_W_IMM = mask("eor_w_imm", "eor %w0, %w1, #%i", 0x5200_0000);
    EOR_X_IMM = mask("eor_x_imm", "eor %x0, %x1, #%i", 0xd200_0000);
    BIC_W BIC_X BIC_W_LSL BIC_W_LSR BIC_W_ASR BIC_X_LSL BIC_X_LSR BIC_X_ASR = flexible!("bic", 0x0a20_0000);
    ORN_W ORN_X ORN_W_LSL ORN_W_LSR ORN_W_ASR ORN_X_LSL ORN_X_LSR ORN_X_ASR = flexible!("orn", 0x2a20_0000);
    EON_W EON_X EON_W_LSL EON_W_LSR EON_W_ASR EON_X_LSL EON_X_LSR EON_X_ASR = flexible!("eon", 0x4a20_0000);
    // ---- What sets the flags besides
    ADDS_W_IMM = imm12("adds_w_imm", "adds %w0, %w1, #%i", 0x3100_0000).with(SETS_FLAGS);
    SUBS_W_IMM = imm12("subs_w_imm", "subs %w0, %w1, #%i", 0x7100_0000).with(SETS_FLAGS);
    ANDS_W = alu("ands_w", "ands %w0, %w1, %w2", 0x6a00_0000).with(SETS_FLAGS);
    ANDS_W_IMM = mask("ands_w_imm", "ands %w0, %w1, #%i", 0x7200_0000).with(SETS_FLAGS);
    // ---- Shifts and fields
    LSL_W = alu("lsl_w", "lsl %w0, %w1, %w2", 0x1ac0_2000);
    LSL_X = alu("lsl_x", "lsl %x0, %x1, %x2", 0x9ac0_2000);
    LSR_W = alu("lsr_w", "lsr %w0, %w1, %w2", 0x1ac0_2400);
    LSR_X = alu("lsr_x", "lsr %x0, %x1, %x2", 0x9ac0_2400);
    ASR_W = alu("asr_w", "asr %w0, %w1, %w2", 0x1ac0_2800);
    ASR_X = alu("asr_x", "asr %x0, %x1, %x2", 0x9ac0_2800);
    LSL_W_IMM = shift("lsl_w_imm", "lsl %w0, %w1, #%i", format::RR_LSL, 0x5300_0000);
    LSL_X_IMM = shift("lsl_x_imm", "lsl %x0, %x1, #%i", format::RR_LSL, 0xd340_0000);
    LSR_W_IMM = shift("lsr_w_imm", "lsr %w0, %w1, #%i", format::RR_LSR, 0x5300_0000);
    LSR_X_IMM = shift("lsr_x_imm", "lsr %x0, %x1, #%i", format::RR_LSR, 0xd340_0000);
    ASR_W_IMM = shift("asr_w_imm", "asr %w0, %w1, #%i", format::RR_LSR, 0x1300_0000);
    ASR_X_IMM = shift("asr_x_imm", "asr %x0, %x1, #%i", format::RR_LSR, 0x9340_0000);
    /// Fields of bits: the immediate is a place, and above its low byte a width.
    UBFX_W = field("ubfx_w", "ubfx %w0, %w1, #%l, #%h", format::RR_EXTRACT, 0x5300_0000);
    UBFX_X = field("ubfx_x", "ubfx %x0, %x1, #%l, #%h", format::RR_EXTRACT, 0xd340_0000);
    SBFX_W = field("sbfx_w", "sbfx %w0, %w1, #%l, #%h", format::RR_EXTRACT, 0x1300_0000);
    SBFX_X = field("sbfx_x", "sbfx %x0, %x1, #%l, #%h", format::RR_EXTRACT, 0x9340_0000);
    UBFIZ_W = field("ubfiz_w", "ubfiz %w0, %w1, #%l, #%h", format::RR_PLACE, 0x5300_0000);
    UBFIZ_X = field("ubfiz_x", "ubfiz %x0, %x1, #%l, #%h", format::RR_PLACE, 0xd340_0000);
    SBFIZ_W = field("sbfiz_w", "sbfiz %w0, %w1, #%l, #%h", format::RR_PLACE, 0x1300_0000);
    SBFIZ_X = field("sbfiz_x", "sbfiz %x0, %x1, #%l, #%h", format::RR_PLACE, 0x9340_0000);
    BFI_W = insertion("bfi_w", "bfi %w0, %w2, #%l, #%h", format::ONTO_PLACE, 0x3300_0000);
    BFI_X = insertion("bfi_x", "bfi %x0, %x2, #%l, #%h", format::ONTO_PLACE, 0xb340_0000);
    BFXIL_W = insertion("bfxil_w", "bfxil %w0, %w2, #%l, #%h", format::ONTO_EXTRACT, 0x3300_0000);
    BFXIL_X = insertion("bfxil_x", "bfxil %x0, %x2, #%l, #%h", format::ONTO_EXTRACT, 0xb340_0000);
    /// Two registers side by side, shifted right: of one register, it is rotated.
    EXTR_W = shifted("extr_w", "extr %w0, %w1, %w2, #%i", 0x1380_0000);
    EXTR_X = shifted("extr_x", "extr %x0, %x1, %x2, #%i", 0x93c0_0000);
    CLZ_W = unary("clz_w", "clz %w0, %w1", 0x5ac0_1000);
    CLZ_X = unary("clz_x", "clz %x0, %x1", 0xdac0_1000);
    RBIT_W = unary("rbit_w", "rbit %w0, %w1", 0x5ac0_0000);
    RBIT_X = unary("rbit_x", "rbit %x0, %x1", 0xdac0_0000);
    REV_W = unary("rev_w", "rev %w0, %w1", 0x5ac0_0800);
    REV_X = unary("rev_x", "rev %x0, %x1", 0xdac0_0c00);
    SXTB = unary("sxtb", "sxtb %w0, %w1", 0x1300_1c00);
    UXTB = unary("uxtb", "uxtb %w0, %w1", 0x5300_1c00);
    SXTH = unary("sxth", "sxth %w0, %w1", 0x1300_3c00);
    UXTH = unary("uxth", "uxth %w0, %w1", 0x5300_3c00);
    /// Sign-extends 32 bits to 64.
    SXTW = unary("sxtw", "sxtw %x0, %w1", 0x9340_7c00);
    /// Zero-extends 32 bits to 64: a copy that must not be dropped.
    UXTW = row("uxtw", "mov %w0, %w1", "i=i", m::ALU, format::R_M, 0x2a00_03e0);
    // ---- Products and quotients
    MUL_W = product("mul_w", "mul %w0, %w1, %w2", 0x1b00_7c00);
    MUL_X = product("mul_x", "mul %x0, %x1, %x2", 0x9b00_7c00);
    MADD_W = multiply_add("madd_w", "madd %w0, %w1, %w2, %w3", 0x1b00_0000);
    MADD_X = multiply_add("madd_x", "madd %x0, %x1, %x2, %x3", 0x9b00_0000);
    MSUB_W = multiply_add("msub_w", "msub %w0, %w1, %w2, %w3", 0x1b00_8000);
    MSUB_X = multiply_add("msub_x", "msub %x0, %x1, %x2, %x3", 0x9b00_8000);
    SMULL = product("smull", "smull %x0, %w1, %w2", 0x9b20_7c00);
    UMULL = product("umull", "umull %x0, %w1, %w2", 0x9ba0_7c00);
    SMULH = product("smulh", "smulh %x0, %x1, %x2", 0x9b40_7c00);
    UMULH = product("umulh", "umulh %x0, %x1, %x2", 0x9bc0_7c00);
    UMADDL = multiply_add("umaddl", "umaddl %x0, %w1, %w2, %x3", 0x9ba0_0000);
    UMSUBL = multiply_add("umsubl", "umsubl %x0, %w1, %w2, %x3", 0x9ba0_8000);
    SMADDL = multiply_add("smaddl", "smaddl %x0, %w1, %w2, %x3", 0x9b20_0000);
    SMSUBL = multiply_add("smsubl", "smsubl %x0, %w1, %w2, %x3", 0x9b20_8000);
    SDIV_W = quotient("sdiv_w", "sdiv %w0, %w1, %w2", 0x1ac0_0c00);
    SDIV_X = quotient("sdiv_x", "sdiv %x0, %x1, %x2", 0x9ac0_0c00);
    UDIV_W = quotient("udiv_w", "udiv %w0, %w1, %w2", 0x1ac0_0800);
    UDIV_X = quotient("udiv_x", "udiv %x0, %x1, %x2", 0x9ac0_0800);
    // ---- Copies and constants
    MOV_W = row("mov_w", "mov %w0, %w1", "i=i", m::ALU, format::R_M, 0x2a00_03e0).with(MOVE);
    MOV_X = row("mov_x", "mov %x0, %x1", "i=i", m::ALU, format::R_M, 0xaa00_03e0).with(MOVE);
    MOVZ_W0 = wide("movz_w0", "mov %w0, #%i", "i=", 0x5280_0000);
    MOVZ_W16 = wide("movz_w16", "movz %w0, #%i, lsl #16", "i=", 0x52a0_0000);
    MOVZ_X0 = wide("movz_x0", "mov %x0, #%i", "i=", 0xd280_0000);
    MOVZ_X16 = wide("movz_x16", "movz %x0, #%i, lsl #16", "i=", 0xd2a0_0000);
    MOVZ_X32 = wide("movz_x32", "movz %x0, #%i, lsl #32", "i=", 0xd2c0_0000);
    MOVZ_X48 = wide("movz_x48", "movz %x0, #%i, lsl #48", "i=", 0xd2e0_0000);
    MOVN_W0 = wide("movn_w0", "movn %w0, #%i", "i=", 0x1280_0000);
    MOVN_W16 = wide("movn_w16", "movn %w0, #%i, lsl #16", "i=", 0x12a0_0000);
    MOVN_X0 = wide("movn_x0", "movn %x0, #%i", "i=", 0x9280_0000);
    MOVN_X16 = wide("movn_x16", "movn %x0, #%i, lsl #16", "i=", 0x92a0_0000);
    MOVN_X32 = wide("movn_x32", "movn %x0, #%i, lsl #32", "i=", 0x92c0_0000);
    MOVN_X48 = wide("movn_x48", "movn %x0, #%i, lsl #48", "i=", 0x92e0_0000);
    // `movk` keeps the other bits: its use is the register it changes.
    MOVK_W0 = wide("movk_w0", "movk %w0, #%i", "i=i", 0x7280_0000).with(TIED);
    MOVK_W16 = wide("movk_w16", "movk %w0, #%i, lsl #16", "i=i", 0x72a0_0000).with(TIED);
    MOVK_X0 = wide("movk_x0", "movk %x0, #%i", "i=i", 0xf280_0000).with(TIED);
    MOVK_X16 = wide("movk_x16", "movk %x0, #%i, lsl #16", "i=i", 0xf2a0_0000).with(TIED);
    MOVK_X32 = wide("movk_x32", "movk %x0, #%i, lsl #32", "i=i", 0xf2c0_0000).with(TIED);
    MOVK_X48 = wide("movk_x48", "movk %x0, #%i, lsl #48", "i=i", 0xf2e0_0000).with(TIED);
    /// A constant that is a bit mask: `orr` with zero.
    MOV_W_MASK = row("mov_w_mask", "orr %w0, wzr, #%i", "i=", m::ALU, format::R_MASK, 0x3200_03e0);
    MOV_X_MASK = row("mov_x_mask", "orr %x0, xzr, #%i", "i=", m::ALU, format::R_MASK, 0xb200_03e0);
    /// The same, the mask being a row of `Func::wide`.
    MOV_X_WIDE_MASK = row("mov_x_wide_mask", "orr %x0, xzr, #%s", "i=", m::ALU, format::R_MASK, 0xb200_03e0)
        .symbol(SymKind::Wide);
    /// Pseudo: the constant `imm` in 32 bits.
    LI_W = pseudo("li_w", "i=", m::ALU, 8).with(REMAT);
    /// Pseudo: the constant `imm`, sign-extended to 64 bits.
    LI_X = pseudo("li_x", "i=", m::ADDRESS, 16).with(REMAT);
    /// Pseudo: a 64-bit constant.
    LI_WIDE = pseudo("li_wide", "i=", m::ADDRESS, 16).with(REMAT).symbol(SymKind::Wide);
    // ---- Comparisons: nothing but flags
    CMP_W = compare("cmp_w", "cmp %w0, %w1", 0x6b00_001f);
    CMP_X = compare("cmp_x", "cmp %x0, %x1", 0xeb00_001f);
    CMP_W_IMM = compare_imm("cmp_w_imm", "cmp %w0, #%i", format::CMP_IMM12, 0x7100_001f);
    CMP_X_IMM = compare_imm("cmp_x_imm", "cmp %x0, #%i", format::CMP_IMM12, 0xf100_001f);
    CMP_W_IMM12 = compare_imm("cmp_w_imm12", "cmp %w0, #%i, lsl #12", format::CMP_IMM12, 0x7140_001f);
    CMP_X_IMM12 = compare_imm("cmp_x_imm12", "cmp %x0, #%i, lsl #12", format::CMP_IMM12, 0xf140_001f);
    CMN_W = compare("cmn_w", "cmn %w0, %w1", 0x2b00_001f);
    CMN_X = compare("cmn_x", "cmn %x0, %x1", 0xab00_001f);
    CMN_W_IMM = compare_imm("cmn_w_imm", "cmn %w0, #%i", format::CMP_IMM12, 0x3100_001f);
    CMN_X_IMM = compare_imm("cmn_x_imm", "cmn %x0, #%i", format::CMP_IMM12, 0xb100_001f);
    CMN_W_IMM12 = compare_imm("cmn_w_imm12", "cmn %w0, #%i, lsl #12", format::CMP_IMM12, 0x3140_001f);
    CMN_X_IMM12 = compare_imm("cmn_x_imm12", "cmn %x0, #%i, lsl #12", format::CMP_IMM12, 0xb140_001f);
    CMP_W_LSL = compare_shifted("cmp_w_lsl", "cmp %w0, %w1, lsl #%i", format::CMP_SHIFT, 0x6b00_001f);
    CMP_W_LSR = compare_shifted("cmp_w_lsr", "cmp %w0, %w1, lsr #%i", format::CMP_SHIFT, 0x6b40_001f);
    CMP_W_ASR = compare_shifted("cmp_w_asr", "cmp %w0, %w1, asr #%i", format::CMP_SHIFT, 0x6b80_001f);
    CMP_X_LSL = compare_shifted("cmp_x_lsl", "cmp %x0, %x1, lsl #%i", format::CMP_SHIFT, 0xeb00_001f);
    CMP_X_LSR = compare_shifted("cmp_x_lsr", "cmp %x0, %x1, lsr #%i", format::CMP_SHIFT, 0xeb40_001f);
    CMP_X_ASR = compare_shifted("cmp_x_asr", "cmp %x0, %x1, asr #%i", format::CMP_SHIFT, 0xeb80_001f);
    CMP_X_SXTW = compare_shifted("cmp_x_sxtw", "cmp %x0, %w1, sxtw #%i", format::CMP_EXTEND, 0xeb20_c01f);
    TST_W = compare("tst_w", "tst %w0, %w1", 0x6a00_001f);
    TST_X = compare("tst_x", "tst %x0, %x1", 0xea00_001f);
    TST_W_IMM = compare_imm("tst_w_imm", "tst %w0, #%i", format::CMP_MASK, 0x7200_001f);
    TST_X_IMM = compare_imm("tst_x_imm", "tst %x0, #%i", format::CMP_MASK, 0xf200_001f);
}
