//! The opcodes: text, operands, what cores time them as, and the bits of the encoding as the RISC-V
//! manual has them.

use crate::isa::rows::{entry, invoke, landing, phi, row};
use crate::isa::unwind::{self, Unwind};
use crate::mir::desc::{CALL, EARLY_DEF, EFFECT, LOADS, MOVE, REMAT, RETURN, STORES};
use crate::mir::model as m;
use crate::mir::{OpRow, SymKind};

/// Where the variable bits go: see `encode`.
pub mod format {
    crate::formats! {
        PSEUDO R I SHIFT S B U J UNARY TWICE ADDRESS LOAD_SYMBOL LOAD_FAR STORE_FAR CALL TAIL FAR_JUMP FIXED I_SHORT THREAD GOT TLS_GD
        TPREL_HI TPREL_ADD TPREL_LO
        R4 ATOMIC RS1_ONLY J_ENTRY V_VV V_VI V_SHIFT V_ONTO V_ONE V_TWICE V_FROM V_I V_DEF_I V_V0 V_V0_I
        V_MASKED V_MASKED_I V_FROM_V0 V_COUNT V_ONTO_SHIFT
    }
}
use format as f;

const fn alu(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=ii").bits(f::R, encoding)
}

const fn immediate(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=i").bits(f::I, encoding)
}

const fn shift(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=i").bits(f::SHIFT, encoding)
}

/// True if what is loaded or stored is in a floating register.
const fn is_float(operands: &str) -> bool {
    operands.as_bytes()[0] == b'f' || operands.as_bytes()[1] == b'f'
}

const fn load(name: &'static str, text: &'static str, operands: &'static str, encoding: u32) -> OpRow {
    row(name, text, operands)
        .bits(f::I, encoding)
        .with(LOADS)
        .class(if is_float(operands) { m::LOAD_FLOAT } else { m::LOAD })
        .touching(1 << (encoding >> 12 & 3))
}

const fn store(name: &'static str, text: &'static str, operands: &'static str, encoding: u32) -> OpRow {
    row(name, text, operands)
        .bits(f::S, encoding)
        .with(STORES)
        .class(if is_float(operands) { m::STORE_FLOAT } else { m::STORE })
        .touching(1 << (encoding >> 12 & 3))
}

/// A load or store of a frame slot, to be replaced.
const fn slot(name: &'static str, operands: &'static str, bytes: u8, flags: u16) -> OpRow {
    row(name, "", operands)
        .symbol(SymKind::Slot)
        .with(flags)
        .class(match (flags == LOADS, is_float(operands)) {
            (true, false) => m::LOAD,
            (true, true) => m::LOAD_FLOAT,
            (false, false) => m::STORE,
            (false, true) => m::STORE_FLOAT,
        })
        .size(16)
        .touching(bytes)
}

const fn load_symbol(name: &'static str, text: &'static str, operands: &'static str, encoding: u32) -> OpRow {
    let layout = if operands.as_bytes()[0] == b'i' { f::LOAD_SYMBOL } else { f::LOAD_FAR };
    load(name, text, operands, encoding).symbol(SymKind::Global).bits(layout, encoding).size(8)
}

const fn store_symbol(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    encoding: u32,
) -> OpRow {
    store(name, text, operands, encoding).symbol(SymKind::Global).bits(f::STORE_FAR, encoding).size(8)
}

const fn float(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "f=ff").bits(f::R, encoding).class(m::FLOAT_ADD)
}

const fn compare(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=ff").bits(f::R, encoding).class(m::FLOAT_COMPARE)
}

const fn unary(name: &'static str, text: &'static str, operands: &'static str, encoding: u32) -> OpRow {
    row(name, text, operands).bits(f::UNARY, encoding).class(m::CONVERT)
}

/// A value and an address, in this order in the text.
const fn atomic(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=ii").bits(f::ATOMIC, encoding).with(LOADS | STORES).class(m::LOAD)
}

const fn fence(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "=").with(LOADS | STORES).bits(f::FIXED, encoding)
}

const fn counter(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=").with(EFFECT).bits(f::UNARY, encoding).class(m::LOAD)
}

/// A branch that goes so far if t5 is not zero.
const fn if_t5(name: &'static str, text: &'static str, distance: i32) -> OpRow {
    let (d, t5) = (distance as u32, 30);
    let imm = (d >> 12 & 1) << 31 | (d >> 5 & 0x3f) << 25 | (d >> 1 & 15) << 8 | (d >> 11 & 1) << 7;
    row(name, text, "=").bits(f::FIXED, 0x1063 | t5 << 15 | imm).class(m::BRANCH)
}

crate::opcodes! {
    PHI_ROW = phi();
    ENTRY_ROW = entry();
    INVOKE_ROW = invoke();
    LANDING_ROW = landing();

    ADD = alu("add", "add %0, %1, %2", 0x33);
    ADDW = alu("addw", "addw %0, %1, %2", 0x3b);
    SUB = alu("sub", "sub %0, %1, %2", 0x4000_0033);
    SUBW = alu("subw", "subw %0, %1, %2", 0x4000_003b);
    SLL = alu("sll", "sll %0, %1, %2", 0x1033);
    SLLW = alu("sllw", "sllw %0, %1, %2", 0x103b);
    SRL = alu("srl", "srl %0, %1, %2", 0x5033);
    SRLW = alu("srlw", "srlw %0, %1, %2", 0x503b);
    SRA = alu("sra", "sra %0, %1, %2", 0x4000_5033);
    SRAW = alu("sraw", "sraw %0, %1, %2", 0x4000_503b);
    AND = alu("and", "and %0, %1, %2", 0x7033);
    OR = alu("or", "or %0, %1, %2", 0x6033);
    XOR = alu("xor", "xor %0, %1, %2", 0x4033);
    SLT = alu("slt", "slt %0, %1, %2", 0x2033);
    SLTU = alu("sltu", "sltu %0, %1, %2", 0x3033);

    MUL = alu("mul", "mul %0, %1, %2", 0x0200_0033).class(m::MULTIPLY);
    MULW = alu("mulw", "mulw %0, %1, %2", 0x0200_003b).class(m::MULTIPLY);
    MULH = alu("mulh", "mulh %0, %1, %2", 0x0200_1033).class(m::MULTIPLY_LONG);
    MULHU = alu("mulhu", "mulhu %0, %1, %2", 0x0200_3033).class(m::MULTIPLY_LONG);
    DIV = alu("div", "div %0, %1, %2", 0x0200_4033).class(m::DIVIDE_LONG);
    DIVW = alu("divw", "divw %0, %1, %2", 0x0200_403b).class(m::DIVIDE);
    DIVU = alu("divu", "divu %0, %1, %2", 0x0200_5033).class(m::DIVIDE_LONG);
    DIVUW = alu("divuw", "divuw %0, %1, %2", 0x0200_503b).class(m::DIVIDE);
    REM = alu("rem", "rem %0, %1, %2", 0x0200_6033).class(m::DIVIDE_LONG);
    REMW = alu("remw", "remw %0, %1, %2", 0x0200_603b).class(m::DIVIDE);
    REMU = alu("remu", "remu %0, %1, %2", 0x0200_7033).class(m::DIVIDE_LONG);
    REMUW = alu("remuw", "remuw %0, %1, %2", 0x0200_703b).class(m::DIVIDE);

    ADDI = immediate("addi", "addi %0, %1, %i", 0x13);
    ADDIW = immediate("addiw", "addiw %0, %1, %i", 0x1b);
    ANDI = immediate("andi", "andi %0, %1, %i", 0x7013);
    ORI = immediate("ori", "ori %0, %1, %i", 0x6013);
    XORI = immediate("xori", "xori %0, %1, %i", 0x4013);
    SLTI = immediate("slti", "slti %0, %1, %i", 0x2013);
    SLTIU = immediate("sltiu", "sltiu %0, %1, %i", 0x3013);
    SLLI = shift("slli", "slli %0, %1, %i", 0x1013);
    SLLIW = shift("slliw", "slliw %0, %1, %i", 0x101b);
    SRLI = shift("srli", "srli %0, %1, %i", 0x5013);
    SRLIW = shift("srliw", "srliw %0, %1, %i", 0x501b);
    SRAI = shift("srai", "srai %0, %1, %i", 0x4000_5013);
    SRAIW = shift("sraiw", "sraiw %0, %1, %i", 0x4000_501b);
    LUI = row("lui", "lui %0, %i", "i=").bits(f::U, 0x37);
    // Zba: sums with a shifted operand, which may be 32 bits without sign.
    SH1ADD = alu("sh1add", "sh1add %0, %1, %2", 0x2000_2033).class(m::SHIFTED);
    SH2ADD = alu("sh2add", "sh2add %0, %1, %2", 0x2000_4033).class(m::SHIFTED);
    SH3ADD = alu("sh3add", "sh3add %0, %1, %2", 0x2000_6033).class(m::SHIFTED);
    ADD_UW = alu("add.uw", "add.uw %0, %1, %2", 0x0800_003b);
    SH1ADD_UW = alu("sh1add.uw", "sh1add.uw %0, %1, %2", 0x2000_203b).class(m::SHIFTED);
    SH2ADD_UW = alu("sh2add.uw", "sh2add.uw %0, %1, %2", 0x2000_403b).class(m::SHIFTED);
    SH3ADD_UW = alu("sh3add.uw", "sh3add.uw %0, %1, %2", 0x2000_603b).class(m::SHIFTED);
    SLLI_UW = shift("slli.uw", "slli.uw %0, %1, %i", 0x0800_101b);
    // Zbb.
    ANDN = alu("andn", "andn %0, %1, %2", 0x4000_7033);
    ORN = alu("orn", "orn %0, %1, %2", 0x4000_6033);
    XNOR = alu("xnor", "xnor %0, %1, %2", 0x4000_4033);
    MIN = alu("min", "min %0, %1, %2", 0x0a00_4033);
    MINU = alu("minu", "minu %0, %1, %2", 0x0a00_5033);
    MAX = alu("max", "max %0, %1, %2", 0x0a00_6033);
    MAXU = alu("maxu", "maxu %0, %1, %2", 0x0a00_7033);
    ROL = alu("rol", "rol %0, %1, %2", 0x6000_1033);
    ROLW = alu("rolw", "rolw %0, %1, %2", 0x6000_103b);
    ROR = alu("ror", "ror %0, %1, %2", 0x6000_5033);
    RORW = alu("rorw", "rorw %0, %1, %2", 0x6000_503b);
    RORI = shift("rori", "rori %0, %1, %i", 0x6000_5013);
    RORIW = shift("roriw", "roriw %0, %1, %i", 0x6000_501b);
    CLZ = row("clz", "clz %0, %1", "i=i").bits(f::UNARY, 0x6000_1013);
    CLZW = row("clzw", "clzw %0, %1", "i=i").bits(f::UNARY, 0x6000_101b);
    CTZ = row("ctz", "ctz %0, %1", "i=i").bits(f::UNARY, 0x6010_1013);
    CTZW = row("ctzw", "ctzw %0, %1", "i=i").bits(f::UNARY, 0x6010_101b);
    REV8 = row("rev8", "rev8 %0, %1", "i=i").bits(f::UNARY, 0x6b80_5013);
    SEXT_B = row("sext.b", "sext.b %0, %1", "i=i").bits(f::UNARY, 0x6040_1013);
    SEXT_H = row("sext.h", "sext.h %0, %1", "i=i").bits(f::UNARY, 0x6050_1013);
    ZEXT_H = row("zext.h", "zext.h %0, %1", "i=i").bits(f::UNARY, 0x0800_403b);
    // A copy of a whole register.
    MV = row("mv", "mv %0, %1", "i=i").with(MOVE).bits(f::UNARY, 0x13);

    // Constants and addresses, a register each: LI takes any i32, LI_WIDE a row of `wide`.
    LI = row("li", "", "i=").with(REMAT).size(8);
    // As it becomes if it takes one instruction.
    LI_SHORT = row("li.short", "addi %0, zero, %i", "i=").bits(f::I_SHORT, 0x13);
    LI_WIDE = row("li.wide", "", "i=").with(REMAT).symbol(SymKind::Wide).class(m::ADDRESS).size(32);
    LA = row("la", "lla %0, %s%o", "i=").with(REMAT).symbol(SymKind::Global).bits(f::ADDRESS, 0x13).class(m::ADDRESS).size(8);
    SLOT_ADDRESS = row("slot.address", "", "i=i").with(REMAT).symbol(SymKind::Slot).size(12);
    // The float whose bits are the immediate; the double whose bits are a row of `wide`.
    FLI_S = row("fli.s", "", "f=").with(REMAT).class(m::TO_FLOAT).size(12);
    FLI_D = row("fli.d", "", "f=").with(REMAT).symbol(SymKind::Wide).class(m::TO_FLOAT).size(36);

    LB = load("lb", "lb %0, %i(%1)", "i=i", 0x03);
    LBU = load("lbu", "lbu %0, %i(%1)", "i=i", 0x4003);
    LHU = load("lhu", "lhu %0, %i(%1)", "i=i", 0x5003);
    LWU = load("lwu", "lwu %0, %i(%1)", "i=i", 0x6003);
    LH = load("lh", "lh %0, %i(%1)", "i=i", 0x1003);
    LW = load("lw", "lw %0, %i(%1)", "i=i", 0x2003);
    LD = load("ld", "ld %0, %i(%1)", "i=i", 0x3003);
    FLW = load("flw", "flw %0, %i(%1)", "f=i", 0x2007);
    FLD = load("fld", "fld %0, %i(%1)", "f=i", 0x3007);
    SB = store("sb", "sb %0, %i(%1)", "=ii", 0x23);
    SH = store("sh", "sh %0, %i(%1)", "=ii", 0x1023);
    SW = store("sw", "sw %0, %i(%1)", "=ii", 0x2023);
    SD = store("sd", "sd %0, %i(%1)", "=ii", 0x3023);
    FSW = store("fsw", "fsw %0, %i(%1)", "=fi", 0x2027);
    FSD = store("fsd", "fsd %0, %i(%1)", "=fi", 0x3027);

    LB_SLOT = slot("lb.slot", "i=i", 1, LOADS);
    LBU_SLOT = slot("lbu.slot", "i=i", 1, LOADS);
    LHU_SLOT = slot("lhu.slot", "i=i", 2, LOADS);
    LWU_SLOT = slot("lwu.slot", "i=i", 4, LOADS);
    LH_SLOT = slot("lh.slot", "i=i", 2, LOADS);
    LW_SLOT = slot("lw.slot", "i=i", 4, LOADS);
    LD_SLOT = slot("ld.slot", "i=i", 8, LOADS);
    FLW_SLOT = slot("flw.slot", "f=i", 4, LOADS);
    FLD_SLOT = slot("fld.slot", "f=i", 8, LOADS);
    SB_SLOT = slot("sb.slot", "=ii", 1, STORES);
    SH_SLOT = slot("sh.slot", "=ii", 2, STORES);
    SW_SLOT = slot("sw.slot", "=ii", 4, STORES);
    SD_SLOT = slot("sd.slot", "=ii", 8, STORES);
    FSW_SLOT = slot("fsw.slot", "=fi", 4, STORES);
    FSD_SLOT = slot("fsd.slot", "=fi", 8, STORES);

    LB_SYMBOL = load_symbol("lb.symbol", "lb %0, %s%o", "i=", 0x03);
    LBU_SYMBOL = load_symbol("lbu.symbol", "lbu %0, %s%o", "i=", 0x4003);
    LHU_SYMBOL = load_symbol("lhu.symbol", "lhu %0, %s%o", "i=", 0x5003);
    LWU_SYMBOL = load_symbol("lwu.symbol", "lwu %0, %s%o", "i=", 0x6003);
    LH_SYMBOL = load_symbol("lh.symbol", "lh %0, %s%o", "i=", 0x1003);
    LW_SYMBOL = load_symbol("lw.symbol", "lw %0, %s%o", "i=", 0x2003);
    LD_SYMBOL = load_symbol("ld.symbol", "ld %0, %s%o", "i=", 0x3003);
    FLW_SYMBOL = load_symbol("flw.symbol", "flw %0, %s%o, t5", "f=", 0x2007);
    FLD_SYMBOL = load_symbol("fld.symbol", "fld %0, %s%o, t5", "f=", 0x3007);
    SB_SYMBOL = store_symbol("sb.symbol", "sb %0, %s%o, t5", "=i", 0x23);
    SH_SYMBOL = store_symbol("sh.symbol", "sh %0, %s%o, t5", "=i", 0x1023);
    SW_SYMBOL = store_symbol("sw.symbol", "sw %0, %s%o, t5", "=i", 0x2023);
    SD_SYMBOL = store_symbol("sd.symbol", "sd %0, %s%o, t5", "=i", 0x3023);
    FSW_SYMBOL = store_symbol("fsw.symbol", "fsw %0, %s%o, t5", "=f", 0x2027);
    FSD_SYMBOL = store_symbol("fsd.symbol", "fsd %0, %s%o, t5", "=f", 0x3027);

    FADD_S = float("fadd.s", "fadd.s %0, %1, %2", 0x7053);
    FSUB_S = float("fsub.s", "fsub.s %0, %1, %2", 0x0800_7053);
    FMUL_S = float("fmul.s", "fmul.s %0, %1, %2", 0x1000_7053).class(m::FLOAT_MULTIPLY);
    FDIV_S = float("fdiv.s", "fdiv.s %0, %1, %2", 0x1800_7053).class(m::FLOAT_DIVIDE);
    FADD_D = float("fadd.d", "fadd.d %0, %1, %2", 0x0200_7053).class(m::DOUBLE_ADD);
    FSUB_D = float("fsub.d", "fsub.d %0, %1, %2", 0x0a00_7053).class(m::DOUBLE_ADD);
    FMUL_D = float("fmul.d", "fmul.d %0, %1, %2", 0x1200_7053).class(m::DOUBLE_MULTIPLY);
    FDIV_D = float("fdiv.d", "fdiv.d %0, %1, %2", 0x1a00_7053).class(m::DOUBLE_DIVIDE);
    FEQ_S = compare("feq.s", "feq.s %0, %1, %2", 0xa000_2053);
    FLT_S = compare("flt.s", "flt.s %0, %1, %2", 0xa000_1053);
    FLE_S = compare("fle.s", "fle.s %0, %1, %2", 0xa000_0053);
    FEQ_D = compare("feq.d", "feq.d %0, %1, %2", 0xa200_2053);
    FLT_D = compare("flt.d", "flt.d %0, %1, %2", 0xa200_1053);
    FLE_D = compare("fle.d", "fle.d %0, %1, %2", 0xa200_0053);
    FABS_S = row("fabs.s", "fabs.s %0, %1", "f=f").bits(f::TWICE, 0x2000_2053).class(m::FLOAT_MOVE);
    FABS_D = row("fabs.d", "fabs.d %0, %1", "f=f").bits(f::TWICE, 0x2200_2053).class(m::FLOAT_MOVE);
    FMADD_S = row("fmadd.s", "fmadd.s %0, %1, %2, %3", "f=fff").bits(f::R4, 0x7043).class(m::FLOAT_FUSED);
    FMADD_D = row("fmadd.d", "fmadd.d %0, %1, %2, %3", "f=fff").bits(f::R4, 0x0200_7043).class(m::DOUBLE_FUSED);
    FMSUB_S = row("fmsub.s", "fmsub.s %0, %1, %2, %3", "f=fff").bits(f::R4, 0x7047).class(m::FLOAT_FUSED);
    FMSUB_D = row("fmsub.d", "fmsub.d %0, %1, %2, %3", "f=fff").bits(f::R4, 0x0200_7047).class(m::DOUBLE_FUSED);
    FNMSUB_S = row("fnmsub.s", "fnmsub.s %0, %1, %2, %3", "f=fff").bits(f::R4, 0x704b).class(m::FLOAT_FUSED);
    FNMSUB_D = row("fnmsub.d", "fnmsub.d %0, %1, %2, %3", "f=fff").bits(f::R4, 0x0200_704b).class(m::DOUBLE_FUSED);
    FNEG_S = row("fneg.s", "fneg.s %0, %1", "f=f").bits(f::TWICE, 0x2000_1053).class(m::FLOAT_MOVE);
    FNEG_D = row("fneg.d", "fneg.d %0, %1", "f=f").bits(f::TWICE, 0x2200_1053).class(m::FLOAT_MOVE);
    FMV_S = row("fmv.s", "fmv.s %0, %1", "f=f").with(MOVE).bits(f::TWICE, 0x2000_0053).class(m::FLOAT_MOVE);
    FMV_D = row("fmv.d", "fmv.d %0, %1", "f=f").with(MOVE).bits(f::TWICE, 0x2200_0053).class(m::FLOAT_MOVE);
    FCVT_W_S = unary("fcvt.w.s", "fcvt.w.s %0, %1, rtz", "i=f", 0xc000_1053);
    FCVT_L_S = unary("fcvt.l.s", "fcvt.l.s %0, %1, rtz", "i=f", 0xc020_1053);
    FCVT_W_D = unary("fcvt.w.d", "fcvt.w.d %0, %1, rtz", "i=f", 0xc200_1053);
    FCVT_L_D = unary("fcvt.l.d", "fcvt.l.d %0, %1, rtz", "i=f", 0xc220_1053);
    FCVT_S_W = unary("fcvt.s.w", "fcvt.s.w %0, %1", "f=i", 0xd000_7053);
    FCVT_S_L = unary("fcvt.s.l", "fcvt.s.l %0, %1", "f=i", 0xd020_7053);
    FCVT_D_W = unary("fcvt.d.w", "fcvt.d.w %0, %1", "f=i", 0xd200_0053);
    FCVT_D_L = unary("fcvt.d.l", "fcvt.d.l %0, %1", "f=i", 0xd220_7053);
    FCVT_D_S = unary("fcvt.d.s", "fcvt.d.s %0, %1", "f=f", 0x4200_0053);
    FCVT_S_D = unary("fcvt.s.d", "fcvt.s.d %0, %1", "f=f", 0x4010_7053);
    FMV_W_X = unary("fmv.w.x", "fmv.w.x %0, %1", "f=i", 0xf000_0053).class(m::TO_FLOAT);
    FMV_X_W = unary("fmv.x.w", "fmv.x.w %0, %1", "i=f", 0xe000_0053).class(m::FROM_FLOAT);
    FMV_D_X = unary("fmv.d.x", "fmv.d.x %0, %1", "f=i", 0xf200_0053).class(m::TO_FLOAT);
    FMV_X_D = unary("fmv.x.d", "fmv.x.d %0, %1", "i=f", 0xe200_0053).class(m::FROM_FLOAT);

    BEQ = row("beq", "beq %0, %1, %b", "=ii").branch(13, BNE).bits(f::B, 0x63).class(m::COMPARE_BRANCH);
    BNE = row("bne", "bne %0, %1, %b", "=ii").branch(13, BEQ).bits(f::B, 0x1063).class(m::COMPARE_BRANCH);
    BLT = row("blt", "blt %0, %1, %b", "=ii").branch(13, BGE).bits(f::B, 0x4063).class(m::COMPARE_BRANCH);
    BGE = row("bge", "bge %0, %1, %b", "=ii").branch(13, BLT).bits(f::B, 0x5063).class(m::COMPARE_BRANCH);
    BLTU = row("bltu", "bltu %0, %1, %b", "=ii").branch(13, BGEU).bits(f::B, 0x6063).class(m::COMPARE_BRANCH);
    BGEU = row("bgeu", "bgeu %0, %1, %b", "=ii").branch(13, BLTU).bits(f::B, 0x7063).class(m::COMPARE_BRANCH);
    J = row("j", "j %b", "=").jump(21).bits(f::J, 0x6f).class(m::BRANCH);
    J_FAR = row("j.far", "jump %b, t5", "=").jump(0).bits(f::FAR_JUMP, 0).class(m::BRANCH).size(8);
    // A jump into a table of jumps, by the distance from its first entry, or by the number of an entry; what it becomes; an
    // entry, which assemblers must not compress.
    TABLE_AT = row("table.at", "", "=i").entry(21).class(m::BRANCH).size(16);
    TABLE_OF = row("table.of", "", "=i").entry(21).class(m::BRANCH).size(16);
    AUIPC_T5 = row("auipc.t5", "auipc t5, 0", "=").bits(f::FIXED, 0x17 | 30 << 7);
    ADD_T5 = row("add.t5", ".insn r 0x33, 0, 0, t5, %0, t5", "=i").bits(f::RS1_ONLY, 0x33 | 30 << 7 | 30 << 20);
    SH2ADD_T5 = row("sh2add.t5", "sh2add t5, %0, t5", "=i").bits(f::RS1_ONLY, 0x2000_4033 | 30 << 7 | 30 << 20);
    JR_T5 = row("jr.t5", "jr 12(t5)", "=").bits(f::FIXED, 0x67 | 30 << 15 | 12 << 20).class(m::BRANCH);
    J_ENTRY = row("j.entry", ".insn j 0x6f, zero, %b", "=").entry(21).bits(f::J_ENTRY, 0x6f).class(m::BRANCH);
    CALL_FUNC = row("call", "call %s", "*=*").with(CALL).symbol(SymKind::Func).bits(f::CALL, 0).class(m::BRANCH).size(8);
    // A call of what has its address in t1, which no argument takes.
    CALL_T1 = row("call.t1", "jalr t1", "*=*").with(CALL).bits(f::FIXED, 0x300e7).class(m::BRANCH);
    // Leaving the function by a jump to another one, which has its address in t1 or takes t1 to be reached.
    TAIL = row("tail", "tail %s", "=*").with(RETURN).symbol(SymKind::Func).bits(f::TAIL, 0).class(m::BRANCH).size(8);
    TAIL_T1 = row("tail.t1", "jr t1", "=*").with(RETURN).bits(f::FIXED, 0x30067).class(m::BRANCH);
    RET = row("ret", "ret", "=*").with(RETURN).bits(f::FIXED, 0x8067).class(m::BRANCH);
    // A system call: number in a7, arguments from a0 on, result in a0.
    ECALL = row("ecall", "ecall", "=").with(LOADS | STORES).bits(f::FIXED, 0x73).class(m::BRANCH);
    UNIMP = row("unimp", "unimp", "=").with(RETURN).bits(f::FIXED, 0xc000_1073).class(m::BRANCH);

    // Takes bytes of the stack, aligned to a power of two.
    TAKE = row("take", "", "i=i").with(EFFECT).class(m::ADDRESS).size(64);
    // The address of a thread-local global, by the entry of its offset from tp.
    THREAD = row("thread", "", "i=").with(REMAT).symbol(SymKind::Global).class(m::LOAD).size(12);
    LA_THREAD = row("la.thread", "la.tls.ie %0, %s%o", "i=").symbol(SymKind::Global).bits(f::THREAD, 0x3003).class(m::LOAD).size(8);
    GET_SP = row("get_sp", "", "i=").with(EFFECT);
    SET_SP = row("set_sp", "", "=i").with(EFFECT);

    // Accesses that other threads see as one. An update of a word or two is one row; others are a load and a store of which
    // the second one fails if something else has written between them, which `finalise` makes of one row, so that nothing
    // comes between. In place of the result that says so, and of what is stored, is t5.
    // What only inline assembly names.
    FENCE_ALL = fence("fence.all", "fence", 0x0ff0_000f);
    FENCE_ALL_BOTH = fence("fence.all.both", "fence iorw, iorw", 0x0ff0_000f);
    FENCE_R_RW = fence("fence.r.rw", "fence r, rw", 0x0230_000f);
    FENCE_RW_W = fence("fence.rw.w", "fence rw, w", 0x0310_000f);
    FENCE_R_R = fence("fence.r.r", "fence r, r", 0x0220_000f);
    FENCE_W_W = fence("fence.w.w", "fence w, w", 0x0110_000f);
    FENCE_TSO = fence("fence.tso", "fence.tso", 0x8330_000f);
    NOP = row("nop", "nop", "=").with(EFFECT).bits(f::FIXED, 0x13);
    RDCYCLE = counter("rdcycle", "rdcycle %0", 0xc000_2073);
    RDTIME = counter("rdtime", "rdtime %0", 0xc010_2073);
    RDINSTRET = counter("rdinstret", "rdinstret %0", 0xc020_2073);
    MULHSU = alu("mulhsu", "mulhsu %0, %1, %2", 0x0200_2033).class(m::MULTIPLY_LONG);
    SEQZ = row("seqz", "seqz %0, %1", "i=i").bits(f::UNARY, 0x0010_3013);
    NOT = row("not", "not %0, %1", "i=i").bits(f::UNARY, 0xfff0_4013);
    // A system call, by the registers that it is given.
    SYSTEM_CALL = row("system.call", "ecall", "*=*").with(CALL | LOADS | STORES).bits(f::FIXED, 0x73).class(m::BRANCH);
    FENCE = row("fence", "fence rw, rw", "=").with(LOADS | STORES).bits(f::FIXED, 0x0330_000f);
    AMOSWAP_W = atomic("amoswap.w", "amoswap.w.aqrl %0, %1, (%2)", 0x0e00_202f);
    AMOADD_W = atomic("amoadd.w", "amoadd.w.aqrl %0, %1, (%2)", 0x0600_202f);
    AMOAND_W = atomic("amoand.w", "amoand.w.aqrl %0, %1, (%2)", 0x6600_202f);
    AMOOR_W = atomic("amoor.w", "amoor.w.aqrl %0, %1, (%2)", 0x4600_202f);
    AMOXOR_W = atomic("amoxor.w", "amoxor.w.aqrl %0, %1, (%2)", 0x2600_202f);
    AMOSWAP_D = atomic("amoswap.d", "amoswap.d.aqrl %0, %1, (%2)", 0x0e00_302f);
    AMOADD_D = atomic("amoadd.d", "amoadd.d.aqrl %0, %1, (%2)", 0x0600_302f);
    AMOAND_D = atomic("amoand.d", "amoand.d.aqrl %0, %1, (%2)", 0x6600_302f);
    AMOOR_D = atomic("amoor.d", "amoor.d.aqrl %0, %1, (%2)", 0x4600_302f);
    AMOXOR_D = atomic("amoxor.d", "amoxor.d.aqrl %0, %1, (%2)", 0x2600_302f);
    LR_W = row("lr.w", "lr.w.aqrl %0, (%1)", "i=i").bits(f::UNARY, 0x1600_202f).with(LOADS).class(m::LOAD);
    LR_D = row("lr.d", "lr.d.aqrl %0, (%1)", "i=i").bits(f::UNARY, 0x1600_302f).with(LOADS).class(m::LOAD);
    SC_W = atomic("sc.w", "sc.w.rl %0, %1, (%2)", 0x1a00_202f);
    SC_D = atomic("sc.d", "sc.d.rl %0, %1, (%2)", 0x1a00_302f);
    T5_OVER_3 = if_t5("t5.over.3", "bnez t5, .+12", 12);
    T5_BACK_4 = if_t5("t5.back.4", "bnez t5, .-16", -16);
    T5_OVER_6 = if_t5("t5.over.6", "bnez t5, .+24", 24);
    T5_BACK_8 = if_t5("t5.back.8", "bnez t5, .-32", -32);
    // What was there, of an address, what is expected, and what is stored then; of a part of a word that a mask says, too.
    EXCHANGE_W = row("exchange.w", "", "i=iii").with(LOADS | STORES | EARLY_DEF).class(m::LOAD).size(20);
    EXCHANGE_D = row("exchange.d", "", "i=iii").with(LOADS | STORES | EARLY_DEF).class(m::LOAD).size(20);
    EXCHANGE_PART = row("exchange.part", "", "i=iiii").with(LOADS | STORES | EARLY_DEF).class(m::LOAD).size(36);

    CFI_FRAME = unwind::FRAME;
    CFI_SAVED = unwind::SAVED;
    CFI_RESTORED = unwind::RESTORED;
    CFI_REMEMBER = unwind::REMEMBER;
    CFI_RECALL = unwind::RECALL;
    CFI_COUNTS_FROM = unwind::COUNTS_FROM;
}

/// The rows for unwinding.
pub const UNWIND: Unwind = Unwind(CFI_FRAME);
