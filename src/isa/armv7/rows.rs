//! The opcodes: a row each, text and encoding from the same row.
//!
//! Operand 2 of a data-processing instruction makes opcodes of its own: `_I` an 8-bit immediate rotated by an
//! even amount, plain a register, `_LSL`, `_LSR`, `_ASR` a register shifted by an immediate. Conditional rows
//! stand in the order of the condition field, so that `first + condition` finds them. Bits are those of the
//! ARM architecture reference manual, encoding A1, with the condition "always" where none is said. No row but
//! the compares touches the flags.
//!
//! Rows without text are pseudo instructions; `finalise` replaces them.

use crate::isa::rows::{entry, invoke, landing, phi, row};
use crate::isa::unwind::{self, Unwind};
use crate::mir::desc::{
    CALL, EARLY_DEF, EFFECT, LOADS, MOVE, REMAT, RETURN, SETS_FLAGS, STORES, TIED, TIED_LAST, USES_FLAGS,
};
use crate::mir::model::{self as m, OpClass};
use crate::mir::{MachineOp, OpRow, SymKind};

/// Where the variable bits go: see `encode`.
pub mod format {
    crate::formats! {
        FIXED D_N_M D_N_I D_M D_I N_M N_I D_M_S D_W D_SYM MULTIPLY LONG FIELD ONTO_FIELD MEM_I MEM_H MEM_D MEM_R VMEM V3 V2 V_I V1 CORE_V CORE_PAIR
        CORE_DOUBLE V_ONTO
        WIDEN BRANCH LIST LIST_2 VLIST TIED_M TIED_N_I TIED_V MEM_LOAD MEM_STORE MEM_LOAD_BY MEM_STORE_BY VMEM_LOAD VMEM_STORE
        Q3 Q_ONTO Q2 Q_HIGH Q_LOW2 Q_HIGH2 Q_LEFT Q_RIGHT Q_ONTO_RIGHT Q3_BACK Q_CORE Q_LANE Q_LANE_HIGH Q_SET Q_SET_HIGH
        EXCLUSIVE_LOAD EXCLUSIVE_STORE D_ONLY D_ONLY_M THREAD_WORD GOT_WORD TLS_GD_WORD TPREL_WORD D_SYM_PC M_ONLY
        Q_GET Q_GET_HIGH Q_EXT Q_HALVES Q_LOW_TWICE Q_BOTH Q_BYTE Q_MEMORY Q_ONTO_HIGH Q_LOAD_UP Q_STORE_UP Q_LOAD_BY Q_STORE_BY
        Q_TURN Q_TURN_HIGH Q_LANE_UP Q_LANE_UP_HIGH Q_STORE_LANE_UP Q_STORE_LANE_UP_HIGH
        Q_OFFSET Q_OFFSET_HIGH
    }
}
use format as f;

/// A product that is added to what the result's register holds.
const fn onto(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "f=fff").class(m::FLOAT_FUSED).bits(f::V_ONTO, encoding).with(TIED)
}

const fn load(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    class: OpClass,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(name, text, operands)
        .with(LOADS)
        .class(class)
        .bits(format, encoding)
        .touching(touches(format, encoding))
}

const fn store(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    class: OpClass,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(name, text, operands)
        .with(STORES)
        .class(class)
        .bits(format, encoding)
        .touching(touches(format, encoding))
}

/// Bytes at base + immediate: a bit says which accesses are of bytes.
const fn touches(format: u8, encoding: u32) -> u8 {
    match format {
        f::MEM_I if encoding & 0x0040_0000 != 0 => 1,
        f::VMEM if encoding & 0x0100 != 0 => 8,
        f::MEM_D | f::LIST_2 => 8,
        f::MEM_I | f::VMEM => 4,
        _ => 0,
    }
}

/// A load or store of a frame slot, to be replaced.
const fn in_slot(name: &'static str, operands: &'static str, bytes: u8, flags: u16, class: OpClass) -> OpRow {
    let row = row(name, "", operands).symbol(SymKind::Slot).with(flags).class(class);
    row.size(16).touching(bytes)
}

/// An operation with operand 2 as a register, a rotated immediate, and a register shifted in three ways.
macro_rules! operand2 {
    ($name:literal, $bits:literal) => {
        operand2!($name, $bits, " %0, %1, %2", " %0, %1, #%i", "i=ii", "i=i", f::D_N_M, f::D_N_I)
    };
    ($name:literal, $bits:literal, $text:literal, $imm:literal, $two:literal, $one:literal, $m:expr, $i:expr) => {
        [
            row($name, concat!($name, $text), $two).bits($m, $bits),
            row(concat!($name, ".i"), concat!($name, $imm), $one).bits($i, $bits | 0x0200_0000),
            row(concat!($name, ".lsl"), concat!($name, $text, ", lsl #%i"), $two)
                .bits($m, $bits)
                .class(m::SHIFTED),
            row(concat!($name, ".lsr"), concat!($name, $text, ", lsr #%i"), $two)
                .bits($m, $bits | 0x20)
                .class(m::SHIFTED),
            row(concat!($name, ".asr"), concat!($name, $text, ", asr #%i"), $two)
                .bits($m, $bits | 0x40)
                .class(m::SHIFTED),
        ]
    };
}

/// The same without a result, for the flags.
macro_rules! flags2 {
    ($name:literal, $bits:literal) => {{
        let mut rows = operand2!($name, $bits, " %0, %1", " %0, #%i", "=ii", "=i", f::N_M, f::N_I);
        let mut k = 0;
        while k < rows.len() {
            rows[k] = rows[k].with(SETS_FLAGS).class(m::COMPARE);
            k += 1;
        }
        rows
    }};
}

const fn conditional(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=ii").with(TIED | USES_FLAGS).class(m::SELECT).bits(f::TIED_M, cond << 28 | 0x01a0_0000)
}

const fn conditional_imm(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=i").with(TIED | USES_FLAGS).class(m::SELECT).bits(f::D_I, cond << 28 | 0x03a0_0000)
}

const fn conditional_float(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    let row = row(name, text, "f=ff").with(TIED | USES_FLAGS);
    row.class(m::FLOAT_MOVE).bits(f::TIED_V, cond << 28 | 0x0eb0_0a40)
}

const fn conditional_double(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    let row = row(name, text, "f=ff").with(TIED | USES_FLAGS);
    row.class(m::FLOAT_MOVE).bits(f::TIED_V, cond << 28 | 0x0eb0_0b40)
}

/// Comparisons under conditions: those of others in front of them.
const fn cmp_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    let row = row(name, text, "=ii").with(SETS_FLAGS | USES_FLAGS).class(m::COMPARE);
    row.bits(f::N_M, cond << 28 | 0x0150_0000)
}

const fn cmp_imm_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    let row = row(name, text, "=i").with(SETS_FLAGS | USES_FLAGS).class(m::COMPARE);
    row.bits(f::N_I, cond << 28 | 0x0350_0000)
}

const fn cmn_imm_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    let row = row(name, text, "=i").with(SETS_FLAGS | USES_FLAGS).class(m::COMPARE);
    row.bits(f::N_I, cond << 28 | 0x0370_0000)
}

/// Sums and differences of what stays if the condition fails.
const fn add_to(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    add_if(name, text, cond).with(TIED | USES_FLAGS)
}

const fn add_imm_to(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=i").with(TIED | USES_FLAGS).bits(f::D_N_I, cond << 28 | 0x0280_0000)
}

const fn sub_from(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    sub_if(name, text, cond).with(TIED | USES_FLAGS)
}

const fn sub_imm_from(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=i").with(TIED | USES_FLAGS).bits(f::D_N_I, cond << 28 | 0x0240_0000)
}

const fn from_imm(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=i").with(TIED | USES_FLAGS).bits(f::D_N_I, cond << 28 | 0x0260_0000)
}

/// Rows under conditions, which stand where all registers are given (`mir/conditional`).
const fn add_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=ii").with(USES_FLAGS).bits(f::D_N_M, cond << 28 | 0x0080_0000)
}

const fn add_imm_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_N_I, cond << 28 | 0x0280_0000)
}

const fn sub_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=ii").with(USES_FLAGS).bits(f::D_N_M, cond << 28 | 0x0040_0000)
}

const fn sub_imm_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    row(name, text, "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_N_I, cond << 28 | 0x0240_0000)
}

const fn str_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    store(name, text, "=ii", m::STORE, f::MEM_I, cond << 28 | 0x0500_0000).with(STORES | USES_FLAGS)
}

const fn str_lsl_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    store(name, text, "=iii", m::STORE, f::MEM_R, cond << 28 | 0x0780_0000).with(STORES | USES_FLAGS)
}

const fn ldr_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    load(name, text, "i=i", m::LOAD, f::MEM_I, cond << 28 | 0x0510_0000).with(LOADS | USES_FLAGS)
}

const fn load_two_if(name: &'static str, text: &'static str, format: u8, encoding: u32) -> OpRow {
    load(name, text, "ii=i", m::LOAD_PAIR, format, encoding).with(LOADS | USES_FLAGS)
}

const fn store_two_if(name: &'static str, text: &'static str, format: u8, encoding: u32) -> OpRow {
    store(name, text, "=iii", m::STORE_PAIR, format, encoding).with(STORES | USES_FLAGS)
}

const fn ldrd_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    load_two_if(name, text, f::MEM_D, cond << 28 | 0x0140_00d0)
}

const fn strd_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    store_two_if(name, text, f::MEM_D, cond << 28 | 0x0140_00f0)
}

const fn ldm_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    load_two_if(name, text, f::LIST_2, cond << 28 | 0x0890_0000)
}

const fn ldmib_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    load_two_if(name, text, f::LIST_2, cond << 28 | 0x0990_0000)
}

const fn stm_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    store_two_if(name, text, f::LIST_2, cond << 28 | 0x0880_0000)
}

const fn stmib_if(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    store_two_if(name, text, f::LIST_2, cond << 28 | 0x0980_0000)
}

const fn branch(name: &'static str, text: &'static str, cond: u32) -> OpRow {
    let inverse = MachineOp(B_EQ.0 + (cond as u16 ^ 1));
    let row = row(name, text, "=").branch(26, inverse).with(USES_FLAGS);
    row.class(m::BRANCH).bits(f::BRANCH, cond << 28 | 0x0a00_0000)
}

crate::opcodes! {
    PHI_ROW = phi();
    ENTRY_ROW = entry();
    INVOKE_ROW = invoke();
    LANDING_ROW = landing();

    // ---- Moves, constants, addresses ----------------------------------------------------------------------
    MOV = row("mov", "mov %0, %1", "i=i").with(MOVE).bits(f::D_M, 0xe1a0_0000);
    // A 32-bit constant.
    LI = row("li", "", "i=").with(REMAT).size(8);
    // The address of a global, plus an offset in [-32768, 32768).
    LA = row("la", "", "i=").symbol(SymKind::Global).with(REMAT).class(m::ADDRESS).size(8);
    // The address of a frame slot, plus an offset.
    LEA_SLOT = row("lea.slot", "", "i=i").symbol(SymKind::Slot).with(REMAT).size(12);
    MOV_I = row("mov.i", "mov %0, #%i", "i=").bits(f::D_I, 0xe3a0_0000);
    MVN_I = row("mvn.i", "mvn %0, #%i", "i=").bits(f::D_I, 0xe3e0_0000);
    MOVW = row("movw", "movw %0, #%i", "i=").bits(f::D_W, 0xe300_0000);
    MOVT = row("movt", "movt %0, #%i", "i=i").with(TIED).bits(f::D_W, 0xe340_0000);
    MOVW_SYM = row("movw.sym", "movw %0, #:lower16:%s%o", "i=").symbol(SymKind::Global).bits(f::D_SYM, 0xe300_0000);
    MOVT_SYM = row("movt.sym", "movt %0, #:upper16:%s%o", "i=i").symbol(SymKind::Global).with(TIED)
        .bits(f::D_SYM, 0xe340_0000);

    // ---- Data processing ----------------------------------------------------------------------------------
    ADD ADD_I ADD_LSL ADD_LSR ADD_ASR = operand2!("add", 0xe080_0000);
    SUB SUB_I SUB_LSL SUB_LSR SUB_ASR = operand2!("sub", 0xe040_0000);
    RSB RSB_I RSB_LSL RSB_LSR RSB_ASR = operand2!("rsb", 0xe060_0000);
    AND AND_I AND_LSL AND_LSR AND_ASR = operand2!("and", 0xe000_0000);
    ORR ORR_I ORR_LSL ORR_LSR ORR_ASR = operand2!("orr", 0xe180_0000);
    EOR EOR_I EOR_LSL EOR_LSR EOR_ASR = operand2!("eor", 0xe020_0000);
    BIC BIC_I BIC_LSL BIC_LSR BIC_ASR = operand2!("bic", 0xe1c0_0000);
    // Sums and differences that carry, and comparisons of what has two words: in the flags from row to row.
    ADD_FLAGS = row("adds", "adds %0, %1, %2", "i=ii").with(SETS_FLAGS).bits(f::D_N_M, 0xe090_0000);
    ADD_FLAGS_I = row("adds.i", "adds %0, %1, #%i", "i=i").with(SETS_FLAGS).bits(f::D_N_I, 0xe290_0000);
    ADC = row("adc", "adc %0, %1, %2", "i=ii").with(USES_FLAGS).bits(f::D_N_M, 0xe0a0_0000);
    ADC_I = row("adc.i", "adc %0, %1, #%i", "i=i").with(USES_FLAGS).bits(f::D_N_I, 0xe2a0_0000);
    ADCS = row("adcs", "adcs %0, %1, %2", "i=ii").with(SETS_FLAGS | USES_FLAGS).bits(f::D_N_M, 0xe0b0_0000);
    SUB_FLAGS = row("subs", "subs %0, %1, %2", "i=ii").with(SETS_FLAGS).bits(f::D_N_M, 0xe050_0000);
    SUB_FLAGS_I = row("subs.i", "subs %0, %1, #%i", "i=i").with(SETS_FLAGS).bits(f::D_N_I, 0xe250_0000);
    SBC = row("sbc", "sbc %0, %1, %2", "i=ii").with(USES_FLAGS).bits(f::D_N_M, 0xe0c0_0000);
    SBC_I = row("sbc.i", "sbc %0, %1, #%i", "i=i").with(USES_FLAGS).bits(f::D_N_I, 0xe2c0_0000);
    SBCS = row("sbcs", "sbcs %0, %1, %2", "i=ii").with(SETS_FLAGS | USES_FLAGS).bits(f::D_N_M, 0xe0d0_0000);
    SBCS_I = row("sbcs.i", "sbcs %0, %1, #%i", "i=i").with(SETS_FLAGS | USES_FLAGS).bits(f::D_N_I, 0xe2d0_0000);
    RSB_FLAGS_I = row("rsbs.i", "rsbs %0, %1, #%i", "i=i").with(SETS_FLAGS).bits(f::D_N_I, 0xe270_0000);
    RSC_I = row("rsc.i", "rsc %0, %1, #%i", "i=i").with(USES_FLAGS).bits(f::D_N_I, 0xe2e0_0000);
    MVN = row("mvn", "mvn %0, %1", "i=i").bits(f::D_M, 0xe1e0_0000);
    LSL_I = row("lsl.i", "lsl %0, %1, #%i", "i=i").bits(f::D_M, 0xe1a0_0000);
    LSR_I = row("lsr.i", "lsr %0, %1, #%i", "i=i").bits(f::D_M, 0xe1a0_0020);
    ASR_I = row("asr.i", "asr %0, %1, #%i", "i=i").bits(f::D_M, 0xe1a0_0040);
    LSLS_I = row("lsls.i", "lsls %0, %1, #%i", "i=i").with(SETS_FLAGS).bits(f::D_M, 0xe1b0_0000);
    LSRS_I = row("lsrs.i", "lsrs %0, %1, #%i", "i=i").with(SETS_FLAGS).bits(f::D_M, 0xe1b0_0020);
    ASRS_I = row("asrs.i", "asrs %0, %1, #%i", "i=i").with(SETS_FLAGS).bits(f::D_M, 0xe1b0_0040);
    ANDS = row("ands", "ands %0, %1, %2", "i=ii").with(SETS_FLAGS).bits(f::D_N_M, 0xe010_0000);
    ANDS_I = row("ands.i", "ands %0, %1, #%i", "i=i").with(SETS_FLAGS).bits(f::D_N_I, 0xe210_0000);
    LSL = row("lsl", "lsl %0, %1, %2", "i=ii").bits(f::D_M_S, 0xe1a0_0010);
    LSR = row("lsr", "lsr %0, %1, %2", "i=ii").bits(f::D_M_S, 0xe1a0_0030);
    ASR = row("asr", "asr %0, %1, %2", "i=ii").bits(f::D_M_S, 0xe1a0_0050);
    CMP CMP_I CMP_LSL CMP_LSR CMP_ASR = flags2!("cmp", 0xe150_0000);
    CMN = row("cmn", "cmn %0, %1", "=ii").with(SETS_FLAGS).bits(f::N_M, 0xe170_0000);
    CMN_I = row("cmn.i", "cmn %0, #%i", "=i").with(SETS_FLAGS).bits(f::N_I, 0xe370_0000);
    TST TST_I TST_LSL TST_LSR TST_ASR = flags2!("tst", 0xe110_0000);
    CLZ = row("clz", "clz %0, %1", "i=i").bits(f::D_M, 0xe16f_0f10);
    RBIT = row("rbit", "rbit %0, %1", "i=i").bits(f::D_M, 0xe6ff_0f30);
    REV = row("rev", "rev %0, %1", "i=i").bits(f::D_M, 0xe6bf_0f30);
    ROR_I = row("ror.i", "ror %0, %1, #%i", "i=i").bits(f::D_M, 0xe1a0_0060);
    // Fields of bits: the immediate is a place, and above its low byte a width.
    UBFX = row("ubfx", "ubfx %0, %1, #%l, #%h", "i=i").bits(f::FIELD, 0xe7e0_0050);
    SBFX = row("sbfx", "sbfx %0, %1, #%l, #%h", "i=i").bits(f::FIELD, 0xe7a0_0050);
    BFI = row("bfi", "bfi %0, %2, #%l, #%h", "i=ii").bits(f::ONTO_FIELD, 0xe7c0_0010).with(TIED);
    SXTB = row("sxtb", "sxtb %0, %1", "i=i").bits(f::D_M, 0xe6af_0070);
    UXTB = row("uxtb", "uxtb %0, %1", "i=i").bits(f::D_M, 0xe6ef_0070);
    SXTH = row("sxth", "sxth %0, %1", "i=i").bits(f::D_M, 0xe6bf_0070);
    UXTH = row("uxth", "uxth %0, %1", "i=i").bits(f::D_M, 0xe6ff_0070);

    // ---- Multiplication and division ----------------------------------------------------------------------
    MUL = row("mul", "mul %0, %1, %2", "i=ii").class(m::MULTIPLY).bits(f::MULTIPLY, 0xe000_0090);
    // %1 x %2 + %3, %3 - %1 x %2.
    MLA = row("mla", "mla %0, %1, %2, %3", "i=iii").class(m::MULTIPLY_ADD).bits(f::MULTIPLY, 0xe020_0090);
    MLS = row("mls", "mls %0, %1, %2, %3", "i=iii").class(m::MULTIPLY_ADD).bits(f::MULTIPLY, 0xe060_0090);
    // The high half of the product; with %3 added to it.
    SMMUL = row("smmul", "smmul %0, %1, %2", "i=ii").class(m::MULTIPLY).bits(f::MULTIPLY, 0xe750_f010);
    SMMLA = row("smmla", "smmla %0, %1, %2, %3", "i=iii").class(m::MULTIPLY_ADD).bits(f::MULTIPLY, 0xe750_0010);
    SMULL = row("smull", "smull %0, %1, %2, %3", "ii=ii").class(m::MULTIPLY_LONG).bits(f::LONG, 0xe0c0_0090);
    UMULL = row("umull", "umull %0, %1, %2, %3", "ii=ii").class(m::MULTIPLY_LONG).bits(f::LONG, 0xe080_0090);
    // A product that is added to the two words in the results' registers; and one to which both are added, apart.
    SMLAL = row("smlal", "smlal %0, %1, %2, %3", "ii=iiii").with(TIED | TIED_LAST).class(m::MULTIPLY_LONG).bits(f::LONG, 0xe0e0_0090);
    UMLAL = row("umlal", "umlal %0, %1, %2, %3", "ii=iiii").with(TIED | TIED_LAST).class(m::MULTIPLY_LONG).bits(f::LONG, 0xe0a0_0090);
    UMAAL = row("umaal", "umaal %0, %1, %2, %3", "ii=iiii").with(TIED | TIED_LAST).class(m::MULTIPLY_LONG).bits(f::LONG, 0xe040_0090);
    SDIV = row("sdiv", "sdiv %0, %1, %2", "i=ii").class(m::DIVIDE).bits(f::MULTIPLY, 0xe710_f010);
    UDIV = row("udiv", "udiv %0, %1, %2", "i=ii").class(m::DIVIDE).bits(f::MULTIPLY, 0xe730_f010);

    // ---- Memory -------------------------------------------------------------------------------------------
    LDR = load("ldr", "ldr %0, [%1, #%i]", "i=i", m::LOAD, f::MEM_I, 0xe510_0000);
    LDR_R = load("ldr.r", "ldr %0, [%1, %2]", "i=ii", m::LOAD, f::MEM_R, 0xe790_0000);
    LDR_LSL = load("ldr.lsl", "ldr %0, [%1, %2, lsl #%i]", "i=ii", m::LOAD, f::MEM_R, 0xe790_0000);
    LDR_SLOT = in_slot("ldr.slot", "i=i", 4, LOADS, m::LOAD);
    LDRB = load("ldrb", "ldrb %0, [%1, #%i]", "i=i", m::LOAD, f::MEM_I, 0xe550_0000);
    LDRB_R = load("ldrb.r", "ldrb %0, [%1, %2]", "i=ii", m::LOAD, f::MEM_R, 0xe7d0_0000);
    LDRB_LSL = load("ldrb.lsl", "ldrb %0, [%1, %2, lsl #%i]", "i=ii", m::LOAD, f::MEM_R, 0xe7d0_0000);
    LDRB_SLOT = in_slot("ldrb.slot", "i=i", 1, LOADS, m::LOAD);
    // Half words reach 8 bits of offset.
    LDRH = load("ldrh", "ldrh %0, [%1, #%i]", "i=i", m::LOAD, f::MEM_H, 0xe150_00b0);
    LDRH_R = load("ldrh.r", "ldrh %0, [%1, %2]", "i=ii", m::LOAD, f::MEM_R, 0xe190_00b0);
    LDRH_SLOT = in_slot("ldrh.slot", "i=i", 2, LOADS, m::LOAD);
    STR = store("str", "str %0, [%1, #%i]", "=ii", m::STORE, f::MEM_I, 0xe500_0000);
    STR_R = store("str.r", "str %0, [%1, %2]", "=iii", m::STORE, f::MEM_R, 0xe780_0000);
    STR_LSL = store("str.lsl", "str %0, [%1, %2, lsl #%i]", "=iii", m::STORE, f::MEM_R, 0xe780_0000);
    STR_SLOT = in_slot("str.slot", "=ii", 4, STORES, m::STORE);
    STRB = store("strb", "strb %0, [%1, #%i]", "=ii", m::STORE, f::MEM_I, 0xe540_0000);
    STRB_R = store("strb.r", "strb %0, [%1, %2]", "=iii", m::STORE, f::MEM_R, 0xe7c0_0000);
    STRB_LSL = store("strb.lsl", "strb %0, [%1, %2, lsl #%i]", "=iii", m::STORE, f::MEM_R, 0xe7c0_0000);
    STRB_SLOT = in_slot("strb.slot", "=ii", 1, STORES, m::STORE);
    STRH = store("strh", "strh %0, [%1, #%i]", "=ii", m::STORE, f::MEM_H, 0xe140_00b0);
    STRH_R = store("strh.r", "strh %0, [%1, %2]", "=iii", m::STORE, f::MEM_R, 0xe180_00b0);
    STRH_SLOT = in_slot("strh.slot", "=ii", 2, STORES, m::STORE);
    VLDR = load("vldr", "vldr %0, [%1, #%i]", "f=i", m::LOAD_FLOAT, f::VMEM, 0xed10_0a00);
    VLDR_SLOT = in_slot("vldr.slot", "f=i", 4, LOADS, m::LOAD_FLOAT);
    VSTR = store("vstr", "vstr %0, [%1, #%i]", "=fi", m::STORE_FLOAT, f::VMEM, 0xed00_0a00);
    VSTR_SLOT = in_slot("vstr.slot", "=fi", 4, STORES, m::STORE_FLOAT);
    // Base that moves: definition 0, which is use 0. Behind the access, and before it.
    LDR_BEHIND = load("ldr.behind", "ldr %1, [%0], #%i", "ii=i", m::LOAD_MOVING, f::MEM_LOAD, 0xe410_0000).with(TIED);
    LDR_BEFORE = load("ldr.before", "ldr %1, [%0, #%i]!", "ii=i", m::LOAD_MOVING, f::MEM_LOAD, 0xe530_0000).with(TIED);
    STR_BEHIND = store("str.behind", "str %2, [%0], #%i", "i=ii", m::STORE_MOVING, f::MEM_STORE, 0xe400_0000).with(TIED);
    STR_BEFORE = store("str.before", "str %2, [%0, #%i]!", "i=ii", m::STORE_MOVING, f::MEM_STORE, 0xe520_0000).with(TIED);
    // By what is in a register.
    LDR_BY = load("ldr.by", "ldr %1, [%0], %3", "ii=ii", m::LOAD_MOVING, f::MEM_LOAD_BY, 0xe690_0000).with(TIED);
    STR_BY = store("str.by", "str %2, [%0], %3", "i=iii", m::STORE_MOVING, f::MEM_STORE_BY, 0xe680_0000).with(TIED);
    // One float: up behind the access, down before it.
    VLDR_UP = load("vldr.up", "vldmia %0!, {%1}", "if=i", m::LOAD, f::VMEM_LOAD, 0xecb0_0a01).with(TIED);
    VLDR_DOWN = load("vldr.down", "vldmdb %0!, {%1}", "if=i", m::LOAD, f::VMEM_LOAD, 0xed30_0a01).with(TIED);
    VSTR_UP = store("vstr.up", "vstmia %0!, {%2}", "i=if", m::STORE, f::VMEM_STORE, 0xeca0_0a01).with(TIED);
    VSTR_DOWN = store("vstr.down", "vstmdb %0!, {%2}", "i=if", m::STORE, f::VMEM_STORE, 0xed20_0a01).with(TIED);
    // Two words side by side, the lower one first: of an even register and the next one, or of any and a higher one, at the base
    // or a word behind it. They have to be aligned to words, as no others have to be (`Func::is_unaligned`).
    LDRD = load("ldrd", "ldrd %0, %1, [%2, #%i]", "ii=i", m::LOAD_PAIR, f::MEM_D, 0xe140_00d0);
    STRD = store("strd", "strd %0, %1, [%2, #%i]", "=iii", m::STORE_PAIR, f::MEM_D, 0xe140_00f0);
    LDM = load("ldm", "ldm %2, {%0, %1}", "ii=i", m::LOAD_PAIR, f::LIST_2, 0xe890_0000);
    LDMIB = load("ldmib", "ldmib %2, {%0, %1}", "ii=i", m::LOAD_PAIR, f::LIST_2, 0xe990_0000);
    STM = store("stm", "stm %2, {%0, %1}", "=iii", m::STORE_PAIR, f::LIST_2, 0xe880_0000);
    STMIB = store("stmib", "stmib %2, {%0, %1}", "=iii", m::STORE_PAIR, f::LIST_2, 0xe980_0000);
    // Arguments that came on the stack. Nothing writes there, so loading again is as good as spilling.
    LDR_ARG = in_slot("ldr.arg", "i=i", 4, LOADS | REMAT, m::LOAD);
    VLDR_ARG = in_slot("vldr.arg", "f=i", 4, LOADS | REMAT, m::LOAD_FLOAT);

    // ---- Floating point -----------------------------------------------------------------------------------
    VMOV = row("vmov", "vmov.f32 %0, %1", "f=f").with(MOVE).class(m::FLOAT_MOVE).bits(f::V2, 0xeeb0_0a40);
    // One of the 256 floats that an instruction holds, by the encoding of its immediate.
    VMOV_I = row("vmov.i", "fconsts %0, #%i", "f=").with(REMAT).class(m::FLOAT_MOVE).bits(f::V_I, 0xeeb0_0a00);
    VMOV_TO = row("vmov.to", "vmov %0, %1", "f=i").class(m::TO_FLOAT).bits(f::CORE_V, 0xee00_0a10);
    VMOV_FROM = row("vmov.from", "vmov %0, %1", "i=f").class(m::FROM_FLOAT).bits(f::CORE_V, 0xee10_0a10);
    VADD = row("vadd", "vadd.f32 %0, %1, %2", "f=ff").class(m::FLOAT_ADD).bits(f::V3, 0xee30_0a00);
    VSUB = row("vsub", "vsub.f32 %0, %1, %2", "f=ff").class(m::FLOAT_ADD).bits(f::V3, 0xee30_0a40);
    VMUL = row("vmul", "vmul.f32 %0, %1, %2", "f=ff").class(m::FLOAT_MULTIPLY).bits(f::V3, 0xee20_0a00);
    VMLA = onto("vmla", "vmla.f32 %0, %2, %3", 0xee00_0a00);
    VMLS = onto("vmls", "vmls.f32 %0, %2, %3", 0xee00_0a40);
    VNMLS = onto("vnmls", "vnmls.f32 %0, %2, %3", 0xee10_0a00);
    VNMUL = row("vnmul", "vnmul.f32 %0, %1, %2", "f=ff").class(m::FLOAT_MULTIPLY).bits(f::V3, 0xee20_0a40);
    VDIV = row("vdiv", "vdiv.f32 %0, %1, %2", "f=ff").class(m::FLOAT_DIVIDE).bits(f::V3, 0xee80_0a00);
    VABS = row("vabs", "vabs.f32 %0, %1", "f=f").class(m::FLOAT_MOVE).bits(f::V2, 0xeeb0_0ac0);
    VNEG = row("vneg", "vneg.f32 %0, %1", "f=f").class(m::FLOAT_MOVE).bits(f::V2, 0xeeb1_0a40);
    VCVT_INT = row("vcvt.int", "vcvt.s32.f32 %0, %1", "f=f").class(m::CONVERT).bits(f::V2, 0xeebd_0ac0);
    VCVT_WORD = row("vcvt.word", "vcvt.u32.f32 %0, %1", "f=f").class(m::CONVERT).bits(f::V2, 0xeebc_0ac0);
    VCVT_FLOAT_WORD = row("vcvt.float.word", "vcvt.f32.u32 %0, %1", "f=f").class(m::CONVERT).bits(f::V2, 0xeeb8_0a40);
    VCVT_FLOAT = row("vcvt.float", "vcvt.f32.s32 %0, %1", "f=f").class(m::CONVERT).bits(f::V2, 0xeeb8_0ac0);
    // A float as the two words of a double, low one first, by way of d15.
    VWORDS = row("vwords", "", "ii=f").class(m::FROM_FLOAT).size(8);
    VCVT_D15 = row("vcvt.d15", "vcvt.f64.f32 d15, %0", "=f").class(m::CONVERT).bits(f::WIDEN, 0xeeb7_fac0);
    VMOV_D15 = row("vmov.d15", "vmov %0, %1, d15", "ii=").class(m::FROM_FLOAT).bits(f::CORE_PAIR, 0xec50_0b1f);
    // Quotients of integers by way of doubles, for processors without instructions for them.
    VCVT_D2_S32 = row("vcvt.d2.s32", "vcvt.f64.s32 d2, s0", "=").class(m::CONVERT).bits(f::FIXED, 0xeeb8_2bc0);
    VCVT_D3_S32 = row("vcvt.d3.s32", "vcvt.f64.s32 d3, s2", "=").class(m::CONVERT).bits(f::FIXED, 0xeeb8_3bc1);
    VCVT_D2_U32 = row("vcvt.d2.u32", "vcvt.f64.u32 d2, s0", "=").class(m::CONVERT).bits(f::FIXED, 0xeeb8_2b40);
    VCVT_D3_U32 = row("vcvt.d3.u32", "vcvt.f64.u32 d3, s2", "=").class(m::CONVERT).bits(f::FIXED, 0xeeb8_3b41);
    VDIV_D2_D3 = row("vdiv.d2.d3", "vdiv.f64 d2, d2, d3", "=").class(m::DOUBLE_DIVIDE).bits(f::FIXED, 0xee82_2b03);
    VCVT_S32_D2 = row("vcvt.s32.d2", "vcvt.s32.f64 s0, d2", "=").class(m::CONVERT).bits(f::FIXED, 0xeebd_0bc2);
    VCVT_U32_D2 = row("vcvt.u32.d2", "vcvt.u32.f64 s0, d2", "=").class(m::CONVERT).bits(f::FIXED, 0xeebc_0bc2);
    VCMP = row("vcmp", "vcmp.f32 %0, %1", "=ff").with(SETS_FLAGS).class(m::FLOAT_COMPARE).bits(f::V2, 0xeeb4_0a40);
    VCMP_0 = row("vcmp.0", "vcmp.f32 %0, #0.0", "=f").with(SETS_FLAGS).class(m::FLOAT_COMPARE).bits(f::V1, 0xeeb5_0a40);
    // Copies the flags of the comparison to where conditions look.
    VMRS = row("vmrs", "vmrs APSR_nzcv, fpscr", "=").with(SETS_FLAGS | USES_FLAGS).class(m::FLOAT_COMPARE)
        .bits(f::FIXED, 0xeef1_fa10);
    // If the operands were unordered, makes the flags say "equal".
    CMP_VS = row("cmp.vs", "cmpvs r0, r0", "=").with(SETS_FLAGS | USES_FLAGS).bits(f::FIXED, 0x6150_0000);

    // ---- Doubles: d_k has the number of s_2k, its low half ------------------------------------------------
    VLDR_D = load("vldr.d", "vldr %d0, [%1, #%i]", "f=i", m::LOAD_FLOAT, f::VMEM, 0xed10_0b00);
    VLDR_D_SLOT = in_slot("vldr.d.slot", "f=i", 8, LOADS, m::LOAD_FLOAT);
    VSTR_D = store("vstr.d", "vstr %d0, [%1, #%i]", "=fi", m::STORE_FLOAT, f::VMEM, 0xed00_0b00);
    VSTR_D_SLOT = in_slot("vstr.d.slot", "=fi", 8, STORES, m::STORE_FLOAT);
    VLDR_D_ARG = in_slot("vldr.d.arg", "f=i", 8, LOADS | REMAT, m::LOAD_FLOAT);
    VMOV_D = row("vmov.d", "vmov.f64 %d0, %d1", "f=f").with(MOVE).class(m::FLOAT_MOVE).bits(f::V2, 0xeeb0_0b40);
    VMOV_D_I = row("vmov.d.i", "fconstd %d0, #%i", "f=").with(REMAT).class(m::FLOAT_MOVE).bits(f::V_I, 0xeeb0_0b00);
    // The low word first.
    VMOV_D_TO = row("vmov.d.to", "vmov %d0, %1, %2", "f=ii").class(m::TO_FLOAT).bits(f::CORE_DOUBLE, 0xec40_0b10);
    VMOV_D_FROM = row("vmov.d.from", "vmov %0, %1, %d2", "ii=f").class(m::FROM_FLOAT).bits(f::CORE_DOUBLE, 0xec50_0b10);
    VADD_D = row("vadd.d", "vadd.f64 %d0, %d1, %d2", "f=ff").class(m::DOUBLE_ADD).bits(f::V3, 0xee30_0b00);
    VSUB_D = row("vsub.d", "vsub.f64 %d0, %d1, %d2", "f=ff").class(m::DOUBLE_ADD).bits(f::V3, 0xee30_0b40);
    VMLA_D = onto("vmla.d", "vmla.f64 %d0, %d2, %d3", 0xee00_0b00);
    VMLS_D = onto("vmls.d", "vmls.f64 %d0, %d2, %d3", 0xee00_0b40);
    VNMLS_D = onto("vnmls.d", "vnmls.f64 %d0, %d2, %d3", 0xee10_0b00);
    VNMUL_D = row("vnmul.d", "vnmul.f64 %d0, %d1, %d2", "f=ff").class(m::DOUBLE_MULTIPLY).bits(f::V3, 0xee20_0b40);
    VMUL_D = row("vmul.d", "vmul.f64 %d0, %d1, %d2", "f=ff").class(m::DOUBLE_MULTIPLY).bits(f::V3, 0xee20_0b00);
    VDIV_D = row("vdiv.d", "vdiv.f64 %d0, %d1, %d2", "f=ff").class(m::DOUBLE_DIVIDE).bits(f::V3, 0xee80_0b00);
    VABS_D = row("vabs.d", "vabs.f64 %d0, %d1", "f=f").class(m::FLOAT_MOVE).bits(f::V2, 0xeeb0_0bc0);
    VNEG_D = row("vneg.d", "vneg.f64 %d0, %d1", "f=f").class(m::FLOAT_MOVE).bits(f::V2, 0xeeb1_0b40);
    VCVT_INT_D = row("vcvt.int.d", "vcvt.s32.f64 %0, %d1", "f=f").class(m::CONVERT).bits(f::V2, 0xeebd_0bc0);
    VCVT_WORD_D = row("vcvt.word.d", "vcvt.u32.f64 %0, %d1", "f=f").class(m::CONVERT).bits(f::V2, 0xeebc_0bc0);
    VCVT_D_INT = row("vcvt.d.int", "vcvt.f64.s32 %d0, %1", "f=f").class(m::CONVERT).bits(f::V2, 0xeeb8_0bc0);
    VCVT_D_WORD = row("vcvt.d.word", "vcvt.f64.u32 %d0, %1", "f=f").class(m::CONVERT).bits(f::V2, 0xeeb8_0b40);
    VCVT_D_FLOAT = row("vcvt.d.float", "vcvt.f64.f32 %d0, %1", "f=f").class(m::CONVERT).bits(f::V2, 0xeeb7_0ac0);
    VCVT_FLOAT_D = row("vcvt.float.d", "vcvt.f32.f64 %0, %d1", "f=f").class(m::CONVERT).bits(f::V2, 0xeeb7_0bc0);
    VCMP_D = row("vcmp.d", "vcmp.f64 %d0, %d1", "=ff").with(SETS_FLAGS).class(m::FLOAT_COMPARE).bits(f::V2, 0xeeb4_0b40);
    VCMP_D_0 = row("vcmp.d.0", "vcmp.f64 %d0, #0.0", "=f").with(SETS_FLAGS).class(m::FLOAT_COMPARE).bits(f::V1, 0xeeb5_0b40);
    VMOV_D_EQ VMOV_D_NE VMOV_D_CS VMOV_D_CC VMOV_D_MI VMOV_D_PL VMOV_D_VS VMOV_D_VC VMOV_D_HI VMOV_D_LS VMOV_D_GE VMOV_D_LT VMOV_D_GT VMOV_D_LE
        = crate::per_condition!(conditional_double, "vmov.d.", "vmov", ".f64 %d0, %d2"; "cs" "cc");
    // Singles as the halves of a pair: the low one, the high one, and %1 with %2 as the high half.
    VLOW = row("vlow", "vmov.f32 %0, %1", "f=f").class(m::FLOAT_MOVE).bits(f::V2, 0xeeb0_0a40);
    VHIGH = row("vhigh", "vmov.f32 %0, %n1", "f=f").class(m::FLOAT_MOVE).bits(f::V2, 0xeeb0_0a60);
    VPAIR = row("vpair", "vmov.f32 %n0, %2", "f=ff").with(TIED).class(m::FLOAT_MOVE).bits(f::TIED_V, 0xeef0_0a40);

    // ---- Conditional moves: %1 is what stays if the condition fails ---------------------------------------
    MOV_EQ MOV_NE MOV_CS MOV_CC MOV_MI MOV_PL MOV_VS MOV_VC MOV_HI MOV_LS MOV_GE MOV_LT MOV_GT MOV_LE
        = crate::per_condition!(conditional, "mov.", "mov", " %0, %2"; "cs" "cc");
    MOV_I_EQ MOV_I_NE MOV_I_CS MOV_I_CC MOV_I_MI MOV_I_PL MOV_I_VS MOV_I_VC MOV_I_HI MOV_I_LS MOV_I_GE MOV_I_LT MOV_I_GT MOV_I_LE
        = crate::per_condition!(conditional_imm, "mov.i.", "mov", " %0, #%i"; "cs" "cc");
    VMOV_EQ VMOV_NE VMOV_CS VMOV_CC VMOV_MI VMOV_PL VMOV_VS VMOV_VC VMOV_HI VMOV_LS VMOV_GE VMOV_LT VMOV_GT VMOV_LE
        = crate::per_condition!(conditional_float, "vmov.", "vmov", ".f32 %0, %2"; "cs" "cc");

    // ---- Comparisons behind others, which leave the flags as they are if the condition fails (`joined`) -------
    CMP_IF_EQ CMP_IF_NE CMP_IF_CS CMP_IF_CC CMP_IF_MI CMP_IF_PL CMP_IF_VS CMP_IF_VC CMP_IF_HI CMP_IF_LS CMP_IF_GE CMP_IF_LT CMP_IF_GT CMP_IF_LE
        = crate::per_condition!(cmp_if, "cmp.if.", "cmp", " %0, %1"; "cs" "cc");
    CMP_I_IF_EQ CMP_I_IF_NE CMP_I_IF_CS CMP_I_IF_CC CMP_I_IF_MI CMP_I_IF_PL CMP_I_IF_VS CMP_I_IF_VC CMP_I_IF_HI CMP_I_IF_LS CMP_I_IF_GE CMP_I_IF_LT CMP_I_IF_GT CMP_I_IF_LE
        = crate::per_condition!(cmp_imm_if, "cmp.i.if.", "cmp", " %0, #%i"; "cs" "cc");
    CMN_I_IF_EQ CMN_I_IF_NE CMN_I_IF_CS CMN_I_IF_CC CMN_I_IF_MI CMN_I_IF_PL CMN_I_IF_VS CMN_I_IF_VC CMN_I_IF_HI CMN_I_IF_LS CMN_I_IF_GE CMN_I_IF_LT CMN_I_IF_GT CMN_I_IF_LE
        = crate::per_condition!(cmn_imm_if, "cmn.i.if.", "cmn", " %0, #%i"; "cs" "cc");

    // ---- Sums and differences under conditions: %1 is what stays if the condition fails; of it, or of %2 -------
    ADD_TO_EQ ADD_TO_NE ADD_TO_CS ADD_TO_CC ADD_TO_MI ADD_TO_PL ADD_TO_VS ADD_TO_VC ADD_TO_HI ADD_TO_LS ADD_TO_GE ADD_TO_LT ADD_TO_GT ADD_TO_LE
        = crate::per_condition!(add_to, "add.to.if.", "add", " %0, %1, %2"; "cs" "cc");
    ADD_I_TO_EQ ADD_I_TO_NE ADD_I_TO_CS ADD_I_TO_CC ADD_I_TO_MI ADD_I_TO_PL ADD_I_TO_VS ADD_I_TO_VC ADD_I_TO_HI ADD_I_TO_LS ADD_I_TO_GE ADD_I_TO_LT ADD_I_TO_GT ADD_I_TO_LE
        = crate::per_condition!(add_imm_to, "add.i.to.if.", "add", " %0, %1, #%i"; "cs" "cc");
    SUB_FROM_EQ SUB_FROM_NE SUB_FROM_CS SUB_FROM_CC SUB_FROM_MI SUB_FROM_PL SUB_FROM_VS SUB_FROM_VC SUB_FROM_HI SUB_FROM_LS SUB_FROM_GE SUB_FROM_LT SUB_FROM_GT SUB_FROM_LE
        = crate::per_condition!(sub_from, "sub.from.if.", "sub", " %0, %1, %2"; "cs" "cc");
    SUB_I_FROM_EQ SUB_I_FROM_NE SUB_I_FROM_CS SUB_I_FROM_CC SUB_I_FROM_MI SUB_I_FROM_PL SUB_I_FROM_VS SUB_I_FROM_VC SUB_I_FROM_HI SUB_I_FROM_LS SUB_I_FROM_GE SUB_I_FROM_LT SUB_I_FROM_GT SUB_I_FROM_LE
        = crate::per_condition!(sub_imm_from, "sub.i.from.if.", "sub", " %0, %1, #%i"; "cs" "cc");
    FROM_I_EQ FROM_I_NE FROM_I_CS FROM_I_CC FROM_I_MI FROM_I_PL FROM_I_VS FROM_I_VC FROM_I_HI FROM_I_LS FROM_I_GE FROM_I_LT FROM_I_GT FROM_I_LE
        = crate::per_condition!(from_imm, "from.i.if.", "rsb", " %0, %1, #%i"; "cs" "cc");
    ADD_I_IF_EQ ADD_I_IF_NE ADD_I_IF_CS ADD_I_IF_CC ADD_I_IF_MI ADD_I_IF_PL ADD_I_IF_VS ADD_I_IF_VC ADD_I_IF_HI ADD_I_IF_LS ADD_I_IF_GE ADD_I_IF_LT ADD_I_IF_GT ADD_I_IF_LE
        = crate::per_condition!(add_imm_if, "add.i.if.", "add", " %0, %2, #%i"; "cs" "cc");
    SUB_I_IF_EQ SUB_I_IF_NE SUB_I_IF_CS SUB_I_IF_CC SUB_I_IF_MI SUB_I_IF_PL SUB_I_IF_VS SUB_I_IF_VC SUB_I_IF_HI SUB_I_IF_LS SUB_I_IF_GE SUB_I_IF_LT SUB_I_IF_GT SUB_I_IF_LE
        = crate::per_condition!(sub_imm_if, "sub.i.if.", "sub", " %0, %2, #%i"; "cs" "cc");

    // ---- Others under conditions: behind allocation only, since the result may stay what it was ------------
    ADD_IF_EQ ADD_IF_NE ADD_IF_CS ADD_IF_CC ADD_IF_MI ADD_IF_PL ADD_IF_VS ADD_IF_VC ADD_IF_HI ADD_IF_LS ADD_IF_GE ADD_IF_LT ADD_IF_GT ADD_IF_LE
        = crate::per_condition!(add_if, "add.if.", "add", " %0, %1, %2"; "cs" "cc");
    SUB_IF_EQ SUB_IF_NE SUB_IF_CS SUB_IF_CC SUB_IF_MI SUB_IF_PL SUB_IF_VS SUB_IF_VC SUB_IF_HI SUB_IF_LS SUB_IF_GE SUB_IF_LT SUB_IF_GT SUB_IF_LE
        = crate::per_condition!(sub_if, "sub.if.", "sub", " %0, %1, %2"; "cs" "cc");
    STR_IF_EQ STR_IF_NE STR_IF_CS STR_IF_CC STR_IF_MI STR_IF_PL STR_IF_VS STR_IF_VC STR_IF_HI STR_IF_LS STR_IF_GE STR_IF_LT STR_IF_GT STR_IF_LE
        = crate::per_condition!(str_if, "str.if.", "str", " %0, [%1, #%i]"; "cs" "cc");
    STR_LSL_IF_EQ STR_LSL_IF_NE STR_LSL_IF_CS STR_LSL_IF_CC STR_LSL_IF_MI STR_LSL_IF_PL STR_LSL_IF_VS STR_LSL_IF_VC STR_LSL_IF_HI STR_LSL_IF_LS STR_LSL_IF_GE STR_LSL_IF_LT STR_LSL_IF_GT STR_LSL_IF_LE
        = crate::per_condition!(str_lsl_if, "str.lsl.if.", "str", " %0, [%1, %2, lsl #%i]"; "cs" "cc");
    LDR_IF_EQ LDR_IF_NE LDR_IF_CS LDR_IF_CC LDR_IF_MI LDR_IF_PL LDR_IF_VS LDR_IF_VC LDR_IF_HI LDR_IF_LS LDR_IF_GE LDR_IF_LT LDR_IF_GT LDR_IF_LE
        = crate::per_condition!(ldr_if, "ldr.if.", "ldr", " %0, [%1, #%i]"; "cs" "cc");
    LDRD_IF_EQ LDRD_IF_NE LDRD_IF_CS LDRD_IF_CC LDRD_IF_MI LDRD_IF_PL LDRD_IF_VS LDRD_IF_VC LDRD_IF_HI LDRD_IF_LS LDRD_IF_GE LDRD_IF_LT LDRD_IF_GT LDRD_IF_LE
        = crate::per_condition!(ldrd_if, "ldrd.if.", "ldrd", " %0, %1, [%2, #%i]"; "cs" "cc");
    STRD_IF_EQ STRD_IF_NE STRD_IF_CS STRD_IF_CC STRD_IF_MI STRD_IF_PL STRD_IF_VS STRD_IF_VC STRD_IF_HI STRD_IF_LS STRD_IF_GE STRD_IF_LT STRD_IF_GT STRD_IF_LE
        = crate::per_condition!(strd_if, "strd.if.", "strd", " %0, %1, [%2, #%i]"; "cs" "cc");
    LDM_IF_EQ LDM_IF_NE LDM_IF_CS LDM_IF_CC LDM_IF_MI LDM_IF_PL LDM_IF_VS LDM_IF_VC LDM_IF_HI LDM_IF_LS LDM_IF_GE LDM_IF_LT LDM_IF_GT LDM_IF_LE
        = crate::per_condition!(ldm_if, "ldm.if.", "ldm", " %2, {%0, %1}"; "cs" "cc");
    LDMIB_IF_EQ LDMIB_IF_NE LDMIB_IF_CS LDMIB_IF_CC LDMIB_IF_MI LDMIB_IF_PL LDMIB_IF_VS LDMIB_IF_VC LDMIB_IF_HI LDMIB_IF_LS LDMIB_IF_GE LDMIB_IF_LT LDMIB_IF_GT LDMIB_IF_LE
        = crate::per_condition!(ldmib_if, "ldmib.if.", "ldmib", " %2, {%0, %1}"; "cs" "cc");
    STM_IF_EQ STM_IF_NE STM_IF_CS STM_IF_CC STM_IF_MI STM_IF_PL STM_IF_VS STM_IF_VC STM_IF_HI STM_IF_LS STM_IF_GE STM_IF_LT STM_IF_GT STM_IF_LE
        = crate::per_condition!(stm_if, "stm.if.", "stm", " %2, {%0, %1}"; "cs" "cc");
    STMIB_IF_EQ STMIB_IF_NE STMIB_IF_CS STMIB_IF_CC STMIB_IF_MI STMIB_IF_PL STMIB_IF_VS STMIB_IF_VC STMIB_IF_HI STMIB_IF_LS STMIB_IF_GE STMIB_IF_LT STMIB_IF_GT STMIB_IF_LE
        = crate::per_condition!(stmib_if, "stmib.if.", "stmib", " %2, {%0, %1}"; "cs" "cc");

    // ---- Control ------------------------------------------------------------------------------------------
    // A jump into a table of jumps by the number of an entry; what it becomes, where the program counter is two instructions
    // ahead; an entry.
    TABLE = row("table", "", "=i").entry(26).class(m::BRANCH).size(12);
    ADD_PC = row("add.pc", "add pc, pc, %0, lsl #2", "=i").class(m::BRANCH).bits(f::M_ONLY, 0xe08f_f100);
    NOP = row("nop", "nop", "=").bits(f::FIXED, 0xe320_f000);
    B_ENTRY = row("b.entry", "b %b", "=").entry(26).class(m::BRANCH).bits(f::BRANCH, 0xea00_0000);
    B = row("b", "b %b", "=").jump(26).class(m::BRANCH).bits(f::BRANCH, 0xea00_0000);
    B_EQ B_NE B_CS B_CC B_MI B_PL B_VS B_VC B_HI B_LS B_GE B_LT B_GT B_LE
        = crate::per_condition!(branch, "b", "b", " %b"; "cs" "cc");
    BL = row("bl", "bl %s", "*=*").symbol(SymKind::Func).with(CALL).class(m::BRANCH).bits(f::BRANCH, 0xeb00_0000);
    // A call of what has its address in lr: all other registers that calls destroy take arguments.
    BLX_LR = row("blx.lr", "blx lr", "*=*").with(CALL).class(m::BRANCH).bits(f::FIXED, 0xe12f_ff3e);
    // Leaving the function by a jump to another one, or to what has its address in lr: that is where the return address has to
    // be by then, so that it goes by ip.
    TAIL = row("tail", "b %s", "=*").symbol(SymKind::Func).with(RETURN).class(m::BRANCH).bits(f::BRANCH, 0xea00_0000);
    TAIL_LR = row("tail.lr", "", "=*").with(RETURN).class(m::BRANCH).size(8);
    BX_IP = row("bx.ip", "bx ip", "=*").with(RETURN).class(m::BRANCH).bits(f::FIXED, 0xe12f_ff1c);
    BX_LR = row("bx.lr", "bx lr", "=*").with(RETURN).class(m::BRANCH).bits(f::FIXED, 0xe12f_ff1e);
    // A system call: number in r7, arguments from r0 on, result in r0.
    SVC = row("svc", "svc #0", "=").with(LOADS | STORES).class(m::BRANCH).bits(f::FIXED, 0xef00_0000);
    // Where control never comes.
    UDF = row("udf", "udf #0", "=").with(RETURN).class(m::BRANCH).bits(f::FIXED, 0xe7f0_00f0);

    // ---- Prologue and epilogue: r4 or s16 up to operand 0 -------------------------------------------------
    PUSH_R4 = store("push.r4", "push {r4, lr}", "=", m::STORE, f::FIXED, 0xe92d_4010);
    PUSH_TO = store("push.to", "push {r4-%0, lr}", "=i", m::STORE, f::LIST, 0xe92d_4000);
    POP_R4 = row("pop.r4", "pop {r4, pc}", "=").with(LOADS | RETURN).class(m::LOAD).bits(f::FIXED, 0xe8bd_8010);
    POP_TO = row("pop.to", "pop {r4-%0, pc}", "=i").with(LOADS | RETURN).class(m::LOAD).bits(f::LIST, 0xe8bd_8000);
    VPUSH_TO = store("vpush.to", "vpush {s16-%0}", "=f", m::STORE, f::VLIST, 0xed2d_8a00);
    VPOP_TO = load("vpop.to", "vpop {s16-%0}", "=f", m::LOAD, f::VLIST, 0xecbd_8a00);
    POP_R4_LR = load("pop.r4.lr", "pop {r4, lr}", "=", m::LOAD, f::FIXED, 0xe8bd_4010);
    POP_TO_LR = load("pop.to.lr", "pop {r4-%0, lr}", "=i", m::LOAD, f::LIST, 0xe8bd_4000);
    // The runtime library's, for memory.
    POP_R7_LR = load("pop.r7.lr", "pop {r4-r7, lr}", "=", m::LOAD, f::FIXED, 0xe8bd_40f0);
    POP_R11_LR = load("pop.r11.lr", "pop {r4-r11, lr}", "=", m::LOAD, f::FIXED, 0xe8bd_4ff0);
    LDM_R1_R11 = load("ldm.r1.r11", "ldm r1!, {r4-r11}", "=", m::LOAD, f::FIXED, 0xe8b1_0ff0);
    STM_R3_R11 = store("stm.r3.r11", "stm r3!, {r4-r11}", "=", m::STORE, f::FIXED, 0xe8a3_0ff0);
    STM_R3_R7 = store("stm.r3.r7", "stm r3!, {r4-r7}", "=", m::STORE, f::FIXED, 0xe8a3_00f0);
    VPUSH_D15 = store("vpush.d15", "vpush {d15}", "=", m::STORE, f::FIXED, 0xed2d_fb02);
    VPOP_D15 = load("vpop.d15", "vpop {d15}", "=", m::LOAD, f::FIXED, 0xecbd_fb02);

    // Takes bytes of the stack, aligned to a power of two.
    TAKE = row("take", "", "i=i").with(EFFECT).class(m::ADDRESS).size(60);
    // The address of a thread-local global, by the entry of its offset from the thread pointer: how far that is from where
    // it is used stands in the code. (It takes the scratch register besides, in which what is made again may be wanted.)
    THREAD = row("thread", "", "i=").symbol(SymKind::Global).class(m::ADDRESS).size(24);
    LDR_NEXT = row("ldr.next", "ldr %0, [pc]", "i=").class(m::LOAD).bits(f::D_ONLY, 0xe59f_0000);
    B_OVER = row("b.over", "b .+8", "=").class(m::BRANCH).bits(f::FIXED, 0xea00_0000);
    THREAD_WORD = row("thread.word", ".word %s(gottpoff)-12", "=").symbol(SymKind::Global).bits(f::THREAD_WORD, 0xffff_fff4);
    LDR_FROM_HERE = row("ldr.from.here", "ldr %0, [pc, %1]", "i=i").class(m::LOAD).bits(f::D_ONLY_M, 0xe79f_0000);
    THREAD_POINTER = row("thread.pointer", "mrc p15, 0, %0, c13, c0, 3", "i=").class(m::ALU).bits(f::D_ONLY, 0xee1d_0f70);
    GET_SP = row("get_sp", "", "i=").with(EFFECT);
    SET_SP = row("set_sp", "", "=i").with(EFFECT);

    // Accesses that other threads see as one: pairs of a load and a store of which the second one fails if something else has
    // written between them. `finalise` makes loops of one row each, so that nothing comes between; branches go this far.
    // What only inline assembly names.
    DMB_SY = row("dmb.sy", "dmb sy", "=").with(LOADS | STORES).class(m::STORE).bits(f::FIXED, 0xf57f_f05f);
    DMB_ISHST = row("dmb.ishst", "dmb ishst", "=").with(LOADS | STORES).class(m::STORE).bits(f::FIXED, 0xf57f_f05a);
    DSB_SY = row("dsb.sy", "dsb sy", "=").with(LOADS | STORES | EFFECT).class(m::STORE).bits(f::FIXED, 0xf57f_f04f);
    DSB_ISH = row("dsb.ish", "dsb ish", "=").with(LOADS | STORES | EFFECT).class(m::STORE).bits(f::FIXED, 0xf57f_f04b);
    ISB = row("isb", "isb", "=").with(LOADS | STORES | EFFECT).class(m::STORE).bits(f::FIXED, 0xf57f_f06f);
    YIELD = row("yield", "yield", "=").with(EFFECT).bits(f::FIXED, 0xe320_f001);
    WFE = row("wfe", "wfe", "=").with(EFFECT).bits(f::FIXED, 0xe320_f002);
    SEV = row("sev", "sev", "=").with(EFFECT).bits(f::FIXED, 0xe320_f004);
    REV16 = row("rev16", "rev16 %0, %1", "i=i").bits(f::D_M, 0xe6bf_0fb0);
    REVSH = row("revsh", "revsh %0, %1", "i=i").bits(f::D_M, 0xe6ff_0fb0);
    SMULBB = row("smulbb", "smulbb %0, %1, %2", "i=ii").class(m::MULTIPLY).bits(f::MULTIPLY, 0xe160_0080);
    SMLABB = row("smlabb", "smlabb %0, %1, %2, %3", "i=iii").class(m::MULTIPLY_ADD).bits(f::MULTIPLY, 0xe100_0080);
    // A system call, by the registers that it is given.
    SYSTEM_CALL = row("system.call", "svc #0", "*=*").with(CALL | LOADS | STORES).class(m::BRANCH).bits(f::FIXED, 0xef00_0000);
    DMB = row("dmb", "dmb ish", "=").with(LOADS | STORES).class(m::STORE).bits(f::FIXED, 0xf57f_f05b);
    LDREX = load("ldrex", "ldrex %0, [%1]", "i=i", m::LOAD, f::EXCLUSIVE_LOAD, 0xe190_0f9f);
    LDREXB = load("ldrexb", "ldrexb %0, [%1]", "i=i", m::LOAD, f::EXCLUSIVE_LOAD, 0xe1d0_0f9f);
    LDREXH = load("ldrexh", "ldrexh %0, [%1]", "i=i", m::LOAD, f::EXCLUSIVE_LOAD, 0xe1f0_0f9f);
    STREX = store("strex", "strex %0, %1, [%2]", "i=ii", m::STORE_MOVING, f::EXCLUSIVE_STORE, 0xe180_0f90);
    STREXB = store("strexb", "strexb %0, %1, [%2]", "i=ii", m::STORE_MOVING, f::EXCLUSIVE_STORE, 0xe1c0_0f90);
    STREXH = store("strexh", "strexh %0, %1, [%2]", "i=ii", m::STORE_MOVING, f::EXCLUSIVE_STORE, 0xe1e0_0f90);
    BNE_BACK_3 = row("bne.back.3", "bne .-12", "=").with(USES_FLAGS).class(m::BRANCH).bits(f::FIXED, 0x1aff_fffb);
    BNE_BACK_4 = row("bne.back.4", "bne .-16", "=").with(USES_FLAGS).class(m::BRANCH).bits(f::FIXED, 0x1aff_fffa);
    BNE_BACK_5 = row("bne.back.5", "bne .-20", "=").with(USES_FLAGS).class(m::BRANCH).bits(f::FIXED, 0x1aff_fff9);
    BNE_BACK_6 = row("bne.back.6", "bne .-24", "=").with(USES_FLAGS).class(m::BRANCH).bits(f::FIXED, 0x1aff_fff8);
    BNE_OVER_4 = row("bne.over.4", "bne .+16", "=").with(USES_FLAGS).class(m::BRANCH).bits(f::FIXED, 0x1a00_0002);
    // Of two words, at the address in lr: what is there comes in r0 and r1.
    LDREXD_R0 = row("ldrexd.r0", "ldrexd r0, r1, [lr]", "*=*").with(CALL | LOADS).class(m::LOAD).bits(f::FIXED, 0xe1be_0f9f);
    LDREXD_R4 = row("ldrexd.r4", "ldrexd r4, r5, [lr]", "=").with(LOADS).class(m::LOAD).bits(f::FIXED, 0xe1be_4f9f);
    STREXD_R2 = row("strexd.r2", "strexd ip, r2, r3, [lr]", "=").with(STORES).class(m::STORE).bits(f::FIXED, 0xe1ae_cf92);
    PUSH_R4_R5 = store("push.r4.r5", "push {r4, r5}", "=", m::STORE, f::FIXED, 0xe92d_0030);
    POP_R4_R5 = load("pop.r4.r5", "pop {r4, r5}", "=", m::LOAD, f::FIXED, 0xe8bd_0030);
    // What was there, and a register for what says whether a store has failed, of an address and a value; the immediate says
    // which update.
    UPDATE = row("update", "", "ii=ii").with(LOADS | STORES | EARLY_DEF | SETS_FLAGS).class(m::STORE).size(28);
    // What was there, of an address, what is expected, and what is stored then; the immediate says of how many bytes.
    EXCHANGE = row("exchange", "", "i=iii").with(LOADS | STORES | EARLY_DEF | SETS_FLAGS).class(m::STORE).size(32);
    // The same of two words: what is expected in r0 and r1, what is stored in r2 and r3, the address in lr.
    EXCHANGE_D = row("exchange.d", "", "*=*").with(CALL | LOADS | STORES).class(m::STORE).size(52);

    CFI_FRAME = unwind::FRAME;
    CFI_SAVED = unwind::SAVED;
    CFI_RESTORED = unwind::RESTORED;
    CFI_REMEMBER = unwind::REMEMBER;
    CFI_RECALL = unwind::RECALL;
    CFI_COUNTS_FROM = unwind::COUNTS_FROM;
}

/// The rows for unwinding.
pub const UNWIND: Unwind = Unwind(CFI_FRAME);
