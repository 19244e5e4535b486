//! The opcodes: a row each, text and encoding from the same row.
//!
//! Operand 2 of a data-processing instruction makes opcodes of its own: `_I` an 8-bit immediate rotated by an
//! even amount, plain a register, `_LSL`, `_LSR`, `_ASR` a register shifted by an immediate. Conditional rows
//! stand in the order of the condition field, so that `first + condition` finds them. Latencies and units are
//! those of the Cortex-A72 (its software optimisation guide); bits are those of the ARM architecture
//! reference manual, encoding A1, with the condition "always" where none is said. No row but the compares
//! touches the flags.
//!
//! Rows without text are pseudo instructions; `finalise` replaces them.

use crate::isa::rows::{entry, phi, row};
use crate::isa::unwind::{self, Unwind};
use crate::mir::SymKind;
use crate::mir::desc::{CALL, LOADS, MOVE, REMAT, RETURN, SETS_FLAGS, STORES, TIED, USES_FLAGS};

/// Units: where an instruction issues.
pub mod unit {
    /// Either simple integer pipe.
    pub const ALU: u8 = 0;
    /// Shifted operands, multiplication, division.
    pub const MULTI: u8 = 1;
    /// Loads.
    pub const LOAD: u8 = 2;
    /// Stores.
    pub const STORE: u8 = 3;
    /// Floating point.
    pub const FLOAT: u8 = 4;
    /// Branches.
    pub const BRANCH: u8 = 5;
}
use unit::{ALU, BRANCH, FLOAT, LOAD, MULTI, STORE};

/// Where the variable bits go: see `encode`.
pub mod format {
    crate::formats! {
        FIXED D_N_M D_N_I D_M D_I N_M N_I D_M_S D_W D_SYM MULTIPLY LONG FIELD MEM_I MEM_R VMEM V3 V2 V_I V1 CORE_V CORE_PAIR
        WIDEN BRANCH LIST VLIST TIED_M TIED_V
        Q3 Q_ONTO Q2 Q_HIGH Q_LOW2 Q_HIGH2 Q_LEFT Q_RIGHT Q_ONTO_RIGHT Q3_BACK Q_CORE Q_LANE Q_LANE_HIGH Q_SET Q_SET_HIGH
        Q_GET Q_GET_HIGH Q_EXT Q_HALVES Q_LOW_TWICE Q_BOTH Q_BYTE Q_MEMORY
    }
}
use format as f;

crate::opcodes! {
    PHI_ROW = phi();
    ENTRY_ROW = entry();

    // ---- Moves, constants, addresses ----------------------------------------------------------------------
    MOV = row("mov", "mov %0, %1", "i=i").with(MOVE).bits(f::D_M, 0xe1a0_0000);
    // A 32-bit constant.
    LI = row("li", "", "i=").with(REMAT).size(8);
    // The address of a global, plus an offset in [-32768, 32768).
    LA = row("la", "", "i=").symbol(SymKind::Global).with(REMAT).timing(2, ALU).size(8);
    // The address of a frame slot, plus an offset.
    LEA_SLOT = row("lea.slot", "", "i=i").symbol(SymKind::Slot).with(REMAT).size(12);
    MOV_I = row("mov.i", "mov %0, #%i", "i=").bits(f::D_I, 0xe3a0_0000);
    MVN_I = row("mvn.i", "mvn %0, #%i", "i=").bits(f::D_I, 0xe3e0_0000);
    MOVW = row("movw", "movw %0, #%i", "i=").bits(f::D_W, 0xe300_0000);
    MOVT = row("movt", "movt %0, #%i", "i=i").with(TIED).bits(f::D_W, 0xe340_0000);
    MOVW_SYM =
        row("movw.sym", "movw %0, #:lower16:%s%o", "i=").symbol(SymKind::Global).bits(f::D_SYM, 0xe300_0000);
    MOVT_SYM = row("movt.sym", "movt %0, #:upper16:%s%o", "i=i")
        .symbol(SymKind::Global)
        .with(TIED)
        .bits(f::D_SYM, 0xe340_0000);

    // ---- Data processing ----------------------------------------------------------------------------------
    ADD = row("add", "add %0, %1, %2", "i=ii").bits(f::D_N_M, 0xe080_0000);
    ADD_I = row("add.i", "add %0, %1, #%i", "i=i").bits(f::D_N_I, 0xe280_0000);
    ADD_LSL =
        row("add.lsl", "add %0, %1, %2, lsl #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe080_0000);
    ADD_LSR =
        row("add.lsr", "add %0, %1, %2, lsr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe080_0020);
    ADD_ASR =
        row("add.asr", "add %0, %1, %2, asr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe080_0040);
    SUB = row("sub", "sub %0, %1, %2", "i=ii").bits(f::D_N_M, 0xe040_0000);
    SUB_I = row("sub.i", "sub %0, %1, #%i", "i=i").bits(f::D_N_I, 0xe240_0000);
    SUB_LSL =
        row("sub.lsl", "sub %0, %1, %2, lsl #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe040_0000);
    SUB_LSR =
        row("sub.lsr", "sub %0, %1, %2, lsr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe040_0020);
    SUB_ASR =
        row("sub.asr", "sub %0, %1, %2, asr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe040_0040);
    RSB = row("rsb", "rsb %0, %1, %2", "i=ii").bits(f::D_N_M, 0xe060_0000);
    RSB_I = row("rsb.i", "rsb %0, %1, #%i", "i=i").bits(f::D_N_I, 0xe260_0000);
    RSB_LSL =
        row("rsb.lsl", "rsb %0, %1, %2, lsl #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe060_0000);
    RSB_LSR =
        row("rsb.lsr", "rsb %0, %1, %2, lsr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe060_0020);
    RSB_ASR =
        row("rsb.asr", "rsb %0, %1, %2, asr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe060_0040);
    AND = row("and", "and %0, %1, %2", "i=ii").bits(f::D_N_M, 0xe000_0000);
    AND_I = row("and.i", "and %0, %1, #%i", "i=i").bits(f::D_N_I, 0xe200_0000);
    AND_LSL =
        row("and.lsl", "and %0, %1, %2, lsl #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe000_0000);
    AND_LSR =
        row("and.lsr", "and %0, %1, %2, lsr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe000_0020);
    AND_ASR =
        row("and.asr", "and %0, %1, %2, asr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe000_0040);
    ORR = row("orr", "orr %0, %1, %2", "i=ii").bits(f::D_N_M, 0xe180_0000);
    ORR_I = row("orr.i", "orr %0, %1, #%i", "i=i").bits(f::D_N_I, 0xe380_0000);
    ORR_LSL =
        row("orr.lsl", "orr %0, %1, %2, lsl #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe180_0000);
    ORR_LSR =
        row("orr.lsr", "orr %0, %1, %2, lsr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe180_0020);
    ORR_ASR =
        row("orr.asr", "orr %0, %1, %2, asr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe180_0040);
    EOR = row("eor", "eor %0, %1, %2", "i=ii").bits(f::D_N_M, 0xe020_0000);
    EOR_I = row("eor.i", "eor %0, %1, #%i", "i=i").bits(f::D_N_I, 0xe220_0000);
    EOR_LSL =
        row("eor.lsl", "eor %0, %1, %2, lsl #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe020_0000);
    EOR_LSR =
        row("eor.lsr", "eor %0, %1, %2, lsr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe020_0020);
    EOR_ASR =
        row("eor.asr", "eor %0, %1, %2, asr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe020_0040);
    BIC = row("bic", "bic %0, %1, %2", "i=ii").bits(f::D_N_M, 0xe1c0_0000);
    BIC_I = row("bic.i", "bic %0, %1, #%i", "i=i").bits(f::D_N_I, 0xe3c0_0000);
    BIC_LSL =
        row("bic.lsl", "bic %0, %1, %2, lsl #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe1c0_0000);
    BIC_LSR =
        row("bic.lsr", "bic %0, %1, %2, lsr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe1c0_0020);
    BIC_ASR =
        row("bic.asr", "bic %0, %1, %2, asr #%i", "i=ii").timing(2, MULTI).bits(f::D_N_M, 0xe1c0_0040);
    MVN = row("mvn", "mvn %0, %1", "i=i").bits(f::D_M, 0xe1e0_0000);
    LSL_I = row("lsl.i", "lsl %0, %1, #%i", "i=i").bits(f::D_M, 0xe1a0_0000);
    LSR_I = row("lsr.i", "lsr %0, %1, #%i", "i=i").bits(f::D_M, 0xe1a0_0020);
    ASR_I = row("asr.i", "asr %0, %1, #%i", "i=i").bits(f::D_M, 0xe1a0_0040);
    LSL = row("lsl", "lsl %0, %1, %2", "i=ii").bits(f::D_M_S, 0xe1a0_0010);
    LSR = row("lsr", "lsr %0, %1, %2", "i=ii").bits(f::D_M_S, 0xe1a0_0030);
    ASR = row("asr", "asr %0, %1, %2", "i=ii").bits(f::D_M_S, 0xe1a0_0050);
    CMP = row("cmp", "cmp %0, %1", "=ii").with(SETS_FLAGS).bits(f::N_M, 0xe150_0000);
    CMP_I = row("cmp.i", "cmp %0, #%i", "=i").with(SETS_FLAGS).bits(f::N_I, 0xe350_0000);
    CMP_LSL = row("cmp.lsl", "cmp %0, %1, lsl #%i", "=ii")
        .with(SETS_FLAGS)
        .timing(2, MULTI)
        .bits(f::N_M, 0xe150_0000);
    CMP_LSR = row("cmp.lsr", "cmp %0, %1, lsr #%i", "=ii")
        .with(SETS_FLAGS)
        .timing(2, MULTI)
        .bits(f::N_M, 0xe150_0020);
    CMP_ASR = row("cmp.asr", "cmp %0, %1, asr #%i", "=ii")
        .with(SETS_FLAGS)
        .timing(2, MULTI)
        .bits(f::N_M, 0xe150_0040);
    CMN = row("cmn", "cmn %0, %1", "=ii").with(SETS_FLAGS).bits(f::N_M, 0xe170_0000);
    CMN_I = row("cmn.i", "cmn %0, #%i", "=i").with(SETS_FLAGS).bits(f::N_I, 0xe370_0000);
    TST = row("tst", "tst %0, %1", "=ii").with(SETS_FLAGS).bits(f::N_M, 0xe110_0000);
    TST_I = row("tst.i", "tst %0, #%i", "=i").with(SETS_FLAGS).bits(f::N_I, 0xe310_0000);
    TST_LSL = row("tst.lsl", "tst %0, %1, lsl #%i", "=ii")
        .with(SETS_FLAGS)
        .timing(2, MULTI)
        .bits(f::N_M, 0xe110_0000);
    TST_LSR = row("tst.lsr", "tst %0, %1, lsr #%i", "=ii")
        .with(SETS_FLAGS)
        .timing(2, MULTI)
        .bits(f::N_M, 0xe110_0020);
    TST_ASR = row("tst.asr", "tst %0, %1, asr #%i", "=ii")
        .with(SETS_FLAGS)
        .timing(2, MULTI)
        .bits(f::N_M, 0xe110_0040);
    CLZ = row("clz", "clz %0, %1", "i=i").bits(f::D_M, 0xe16f_0f10);
    // The low bits, as many as the immediate says.
    UBFX = row("ubfx", "ubfx %0, %1, #0, #%i", "i=i").bits(f::FIELD, 0xe7e0_0050);
    SBFX = row("sbfx", "sbfx %0, %1, #0, #%i", "i=i").bits(f::FIELD, 0xe7a0_0050);
    SXTB = row("sxtb", "sxtb %0, %1", "i=i").bits(f::D_M, 0xe6af_0070);
    UXTB = row("uxtb", "uxtb %0, %1", "i=i").bits(f::D_M, 0xe6ef_0070);

    // ---- Multiplication and division ----------------------------------------------------------------------
    MUL = row("mul", "mul %0, %1, %2", "i=ii").timing(3, MULTI).bits(f::MULTIPLY, 0xe000_0090);
    // %1 x %2 + %3, %3 - %1 x %2.
    MLA = row("mla", "mla %0, %1, %2, %3", "i=iii").timing(3, MULTI).bits(f::MULTIPLY, 0xe020_0090);
    MLS = row("mls", "mls %0, %1, %2, %3", "i=iii").timing(3, MULTI).bits(f::MULTIPLY, 0xe060_0090);
    // The high half of the product; with %3 added to it.
    SMMUL = row("smmul", "smmul %0, %1, %2", "i=ii").timing(3, MULTI).bits(f::MULTIPLY, 0xe750_f010);
    SMMLA = row("smmla", "smmla %0, %1, %2, %3", "i=iii").timing(3, MULTI).bits(f::MULTIPLY, 0xe750_0010);
    SMULL = row("smull", "smull %0, %1, %2, %3", "ii=ii").timing(4, MULTI).bits(f::LONG, 0xe0c0_0090);
    UMULL = row("umull", "umull %0, %1, %2, %3", "ii=ii").timing(4, MULTI).bits(f::LONG, 0xe080_0090);
    SDIV = row("sdiv", "sdiv %0, %1, %2", "i=ii").timing(8, MULTI).bits(f::MULTIPLY, 0xe710_f010);
    UDIV = row("udiv", "udiv %0, %1, %2", "i=ii").timing(8, MULTI).bits(f::MULTIPLY, 0xe730_f010);

    // ---- Memory -------------------------------------------------------------------------------------------
    LDR = row("ldr", "ldr %0, [%1, #%i]", "i=i").with(LOADS).timing(4, LOAD).bits(f::MEM_I, 0xe510_0000);
    LDR_R = row("ldr.r", "ldr %0, [%1, %2]", "i=ii").with(LOADS).timing(4, LOAD).bits(f::MEM_R, 0xe790_0000);
    LDR_LSL = row("ldr.lsl", "ldr %0, [%1, %2, lsl #%i]", "i=ii")
        .with(LOADS)
        .timing(4, LOAD)
        .bits(f::MEM_R, 0xe790_0000);
    LDR_SLOT = row("ldr.slot", "", "i=i").symbol(SymKind::Slot).with(LOADS).timing(4, LOAD).size(16);
    LDRB = row("ldrb", "ldrb %0, [%1, #%i]", "i=i").with(LOADS).timing(4, LOAD).bits(f::MEM_I, 0xe550_0000);
    LDRB_R = row("ldrb.r", "ldrb %0, [%1, %2]", "i=ii")
        .with(LOADS)
        .timing(4, LOAD)
        .bits(f::MEM_R, 0xe7d0_0000);
    LDRB_LSL = row("ldrb.lsl", "ldrb %0, [%1, %2, lsl #%i]", "i=ii")
        .with(LOADS)
        .timing(4, LOAD)
        .bits(f::MEM_R, 0xe7d0_0000);
    LDRB_SLOT = row("ldrb.slot", "", "i=i").symbol(SymKind::Slot).with(LOADS).timing(4, LOAD).size(16);
    STR = row("str", "str %0, [%1, #%i]", "=ii").with(STORES).timing(1, STORE).bits(f::MEM_I, 0xe500_0000);
    STR_R = row("str.r", "str %0, [%1, %2]", "=iii")
        .with(STORES)
        .timing(1, STORE)
        .bits(f::MEM_R, 0xe780_0000);
    STR_LSL = row("str.lsl", "str %0, [%1, %2, lsl #%i]", "=iii")
        .with(STORES)
        .timing(1, STORE)
        .bits(f::MEM_R, 0xe780_0000);
    STR_SLOT = row("str.slot", "", "=ii").symbol(SymKind::Slot).with(STORES).timing(1, STORE).size(16);
    STRB = row("strb", "strb %0, [%1, #%i]", "=ii").with(STORES).timing(1, STORE).bits(f::MEM_I, 0xe540_0000);
    STRB_R = row("strb.r", "strb %0, [%1, %2]", "=iii")
        .with(STORES)
        .timing(1, STORE)
        .bits(f::MEM_R, 0xe7c0_0000);
    STRB_LSL = row("strb.lsl", "strb %0, [%1, %2, lsl #%i]", "=iii")
        .with(STORES)
        .timing(1, STORE)
        .bits(f::MEM_R, 0xe7c0_0000);
    STRB_SLOT = row("strb.slot", "", "=ii").symbol(SymKind::Slot).with(STORES).timing(1, STORE).size(16);
    VLDR = row("vldr", "vldr %0, [%1, #%i]", "f=i").with(LOADS).timing(5, LOAD).bits(f::VMEM, 0xed10_0a00);
    VLDR_SLOT = row("vldr.slot", "", "f=i").symbol(SymKind::Slot).with(LOADS).timing(5, LOAD).size(16);
    VSTR = row("vstr", "vstr %0, [%1, #%i]", "=fi").with(STORES).timing(1, STORE).bits(f::VMEM, 0xed00_0a00);
    VSTR_SLOT = row("vstr.slot", "", "=fi").symbol(SymKind::Slot).with(STORES).timing(1, STORE).size(16);
    // Arguments that came on the stack. Nothing writes there, so loading again is as good as spilling.
    LDR_ARG = row("ldr.arg", "", "i=i").symbol(SymKind::Slot).with(LOADS | REMAT).timing(4, LOAD).size(16);
    VLDR_ARG = row("vldr.arg", "", "f=i").symbol(SymKind::Slot).with(LOADS | REMAT).timing(5, LOAD).size(16);

    // ---- Floating point -----------------------------------------------------------------------------------
    VMOV = row("vmov", "vmov.f32 %0, %1", "f=f").with(MOVE).timing(3, FLOAT).bits(f::V2, 0xeeb0_0a40);
    // One of the 256 floats that an instruction holds, by the encoding of its immediate.
    VMOV_I = row("vmov.i", "fconsts %0, #%i", "f=").with(REMAT).timing(3, FLOAT).bits(f::V_I, 0xeeb0_0a00);
    VMOV_TO = row("vmov.to", "vmov %0, %1", "f=i").timing(5, FLOAT).bits(f::CORE_V, 0xee00_0a10);
    VMOV_FROM = row("vmov.from", "vmov %0, %1", "i=f").timing(5, FLOAT).bits(f::CORE_V, 0xee10_0a10);
    VADD = row("vadd", "vadd.f32 %0, %1, %2", "f=ff").timing(4, FLOAT).bits(f::V3, 0xee30_0a00);
    VSUB = row("vsub", "vsub.f32 %0, %1, %2", "f=ff").timing(4, FLOAT).bits(f::V3, 0xee30_0a40);
    VMUL = row("vmul", "vmul.f32 %0, %1, %2", "f=ff").timing(4, FLOAT).bits(f::V3, 0xee20_0a00);
    VDIV = row("vdiv", "vdiv.f32 %0, %1, %2", "f=ff").timing(11, FLOAT).bits(f::V3, 0xee80_0a00);
    VABS = row("vabs", "vabs.f32 %0, %1", "f=f").timing(3, FLOAT).bits(f::V2, 0xeeb0_0ac0);
    VNEG = row("vneg", "vneg.f32 %0, %1", "f=f").timing(3, FLOAT).bits(f::V2, 0xeeb1_0a40);
    VCVT_INT = row("vcvt.int", "vcvt.s32.f32 %0, %1", "f=f").timing(4, FLOAT).bits(f::V2, 0xeebd_0ac0);
    VCVT_FLOAT = row("vcvt.float", "vcvt.f32.s32 %0, %1", "f=f").timing(4, FLOAT).bits(f::V2, 0xeeb8_0ac0);
    // A float as the two words of a double, low one first, by way of d15.
    VWORDS = row("vwords", "", "ii=f").timing(9, FLOAT).size(8);
    VCVT_D15 = row("vcvt.d15", "vcvt.f64.f32 d15, %0", "=f").timing(4, FLOAT).bits(f::WIDEN, 0xeeb7_fac0);
    VMOV_D15 = row("vmov.d15", "vmov %0, %1, d15", "ii=").timing(5, FLOAT).bits(f::CORE_PAIR, 0xec50_0b1f);
    // Quotients of integers by way of doubles, for processors without instructions for them.
    VCVT_D2_S32 = row("vcvt.d2.s32", "vcvt.f64.s32 d2, s0", "=").timing(4, FLOAT).bits(f::FIXED, 0xeeb8_2bc0);
    VCVT_D3_S32 = row("vcvt.d3.s32", "vcvt.f64.s32 d3, s2", "=").timing(4, FLOAT).bits(f::FIXED, 0xeeb8_3bc1);
    VCVT_D2_U32 = row("vcvt.d2.u32", "vcvt.f64.u32 d2, s0", "=").timing(4, FLOAT).bits(f::FIXED, 0xeeb8_2b40);
    VCVT_D3_U32 = row("vcvt.d3.u32", "vcvt.f64.u32 d3, s2", "=").timing(4, FLOAT).bits(f::FIXED, 0xeeb8_3b41);
    VDIV_D2_D3 = row("vdiv.d2.d3", "vdiv.f64 d2, d2, d3", "=").timing(18, FLOAT).bits(f::FIXED, 0xee82_2b03);
    VCVT_S32_D2 = row("vcvt.s32.d2", "vcvt.s32.f64 s0, d2", "=").timing(4, FLOAT).bits(f::FIXED, 0xeebd_0bc2);
    VCVT_U32_D2 = row("vcvt.u32.d2", "vcvt.u32.f64 s0, d2", "=").timing(4, FLOAT).bits(f::FIXED, 0xeebc_0bc2);
    VCMP = row("vcmp", "vcmp.f32 %0, %1", "=ff").with(SETS_FLAGS).timing(3, FLOAT).bits(f::V2, 0xeeb4_0a40);
    VCMP_0 = row("vcmp.0", "vcmp.f32 %0, #0.0", "=f")
        .with(SETS_FLAGS)
        .timing(3, FLOAT)
        .bits(f::V1, 0xeeb5_0a40);
    // Copies the flags of the comparison to where conditions look.
    VMRS = row("vmrs", "vmrs APSR_nzcv, fpscr", "=")
        .with(SETS_FLAGS | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::FIXED, 0xeef1_fa10);
    // If the operands were unordered, makes the flags say "equal".
    CMP_VS = row("cmp.vs", "cmpvs r0, r0", "=").with(SETS_FLAGS | USES_FLAGS).bits(f::FIXED, 0x6150_0000);

    // ---- Conditional moves: %1 is what stays if the condition fails ---------------------------------------
    MOV_EQ = row("mov.eq", "moveq %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x01a0_0000);
    MOV_NE = row("mov.ne", "movne %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x11a0_0000);
    MOV_CS = row("mov.cs", "movcs %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x21a0_0000);
    MOV_CC = row("mov.cc", "movcc %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x31a0_0000);
    MOV_MI = row("mov.mi", "movmi %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x41a0_0000);
    MOV_PL = row("mov.pl", "movpl %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x51a0_0000);
    MOV_VS = row("mov.vs", "movvs %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x61a0_0000);
    MOV_VC = row("mov.vc", "movvc %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x71a0_0000);
    MOV_HI = row("mov.hi", "movhi %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x81a0_0000);
    MOV_LS = row("mov.ls", "movls %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0x91a0_0000);
    MOV_GE = row("mov.ge", "movge %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0xa1a0_0000);
    MOV_LT = row("mov.lt", "movlt %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0xb1a0_0000);
    MOV_GT = row("mov.gt", "movgt %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0xc1a0_0000);
    MOV_LE = row("mov.le", "movle %0, %2", "i=ii").with(TIED | USES_FLAGS).bits(f::TIED_M, 0xd1a0_0000);
    MOV_I_EQ = row("mov.i.eq", "moveq %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x03a0_0000);
    MOV_I_NE = row("mov.i.ne", "movne %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x13a0_0000);
    MOV_I_CS = row("mov.i.cs", "movcs %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x23a0_0000);
    MOV_I_CC = row("mov.i.cc", "movcc %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x33a0_0000);
    MOV_I_MI = row("mov.i.mi", "movmi %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x43a0_0000);
    MOV_I_PL = row("mov.i.pl", "movpl %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x53a0_0000);
    MOV_I_VS = row("mov.i.vs", "movvs %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x63a0_0000);
    MOV_I_VC = row("mov.i.vc", "movvc %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x73a0_0000);
    MOV_I_HI = row("mov.i.hi", "movhi %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x83a0_0000);
    MOV_I_LS = row("mov.i.ls", "movls %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0x93a0_0000);
    MOV_I_GE = row("mov.i.ge", "movge %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0xa3a0_0000);
    MOV_I_LT = row("mov.i.lt", "movlt %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0xb3a0_0000);
    MOV_I_GT = row("mov.i.gt", "movgt %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0xc3a0_0000);
    MOV_I_LE = row("mov.i.le", "movle %0, #%i", "i=i").with(TIED | USES_FLAGS).bits(f::D_I, 0xd3a0_0000);
    VMOV_EQ = row("vmov.eq", "vmoveq.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x0eb0_0a40);
    VMOV_NE = row("vmov.ne", "vmovne.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x1eb0_0a40);
    VMOV_CS = row("vmov.cs", "vmovcs.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x2eb0_0a40);
    VMOV_CC = row("vmov.cc", "vmovcc.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x3eb0_0a40);
    VMOV_MI = row("vmov.mi", "vmovmi.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x4eb0_0a40);
    VMOV_PL = row("vmov.pl", "vmovpl.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x5eb0_0a40);
    VMOV_VS = row("vmov.vs", "vmovvs.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x6eb0_0a40);
    VMOV_VC = row("vmov.vc", "vmovvc.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x7eb0_0a40);
    VMOV_HI = row("vmov.hi", "vmovhi.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x8eb0_0a40);
    VMOV_LS = row("vmov.ls", "vmovls.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0x9eb0_0a40);
    VMOV_GE = row("vmov.ge", "vmovge.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0xaeb0_0a40);
    VMOV_LT = row("vmov.lt", "vmovlt.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0xbeb0_0a40);
    VMOV_GT = row("vmov.gt", "vmovgt.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0xceb0_0a40);
    VMOV_LE = row("vmov.le", "vmovle.f32 %0, %2", "f=ff")
        .with(TIED | USES_FLAGS)
        .timing(3, FLOAT)
        .bits(f::TIED_V, 0xdeb0_0a40);

    // ---- Control ------------------------------------------------------------------------------------------
    B = row("b", "b %b", "=").jump(26).timing(1, BRANCH).bits(f::BRANCH, 0xea00_0000);
    B_EQ = row("beq", "beq %b", "=")
        .branch(26, B_NE)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x0a00_0000);
    B_NE = row("bne", "bne %b", "=")
        .branch(26, B_EQ)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x1a00_0000);
    B_CS = row("bcs", "bcs %b", "=")
        .branch(26, B_CC)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x2a00_0000);
    B_CC = row("bcc", "bcc %b", "=")
        .branch(26, B_CS)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x3a00_0000);
    B_MI = row("bmi", "bmi %b", "=")
        .branch(26, B_PL)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x4a00_0000);
    B_PL = row("bpl", "bpl %b", "=")
        .branch(26, B_MI)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x5a00_0000);
    B_VS = row("bvs", "bvs %b", "=")
        .branch(26, B_VC)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x6a00_0000);
    B_VC = row("bvc", "bvc %b", "=")
        .branch(26, B_VS)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x7a00_0000);
    B_HI = row("bhi", "bhi %b", "=")
        .branch(26, B_LS)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x8a00_0000);
    B_LS = row("bls", "bls %b", "=")
        .branch(26, B_HI)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0x9a00_0000);
    B_GE = row("bge", "bge %b", "=")
        .branch(26, B_LT)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0xaa00_0000);
    B_LT = row("blt", "blt %b", "=")
        .branch(26, B_GE)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0xba00_0000);
    B_GT = row("bgt", "bgt %b", "=")
        .branch(26, B_LE)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0xca00_0000);
    B_LE = row("ble", "ble %b", "=")
        .branch(26, B_GT)
        .with(USES_FLAGS)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0xda00_0000);
    BL = row("bl", "bl %s", "*=*")
        .symbol(SymKind::Func)
        .with(CALL)
        .timing(1, BRANCH)
        .bits(f::BRANCH, 0xeb00_0000);
    BX_LR = row("bx.lr", "bx lr", "=*").with(RETURN).timing(1, BRANCH).bits(f::FIXED, 0xe12f_ff1e);
    // A system call: number in r7, arguments from r0 on, result in r0.
    SVC = row("svc", "svc #0", "=").with(LOADS | STORES).timing(1, BRANCH).bits(f::FIXED, 0xef00_0000);
    // Where control never comes.
    UDF = row("udf", "udf #0", "=").with(RETURN).timing(1, BRANCH).bits(f::FIXED, 0xe7f0_00f0);

    // ---- Prologue and epilogue: r4 or s16 up to operand 0 -------------------------------------------------
    PUSH_R4 = row("push.r4", "push {r4, lr}", "=").with(STORES).timing(2, STORE).bits(f::FIXED, 0xe92d_4010);
    PUSH_TO = row("push.to", "push {r4-%0, lr}", "=i")
        .with(STORES)
        .timing(4, STORE)
        .bits(f::LIST, 0xe92d_4000);
    POP_R4 = row("pop.r4", "pop {r4, pc}", "=")
        .with(LOADS | RETURN)
        .timing(4, LOAD)
        .bits(f::FIXED, 0xe8bd_8010);
    POP_TO = row("pop.to", "pop {r4-%0, pc}", "=i")
        .with(LOADS | RETURN)
        .timing(6, LOAD)
        .bits(f::LIST, 0xe8bd_8000);
    VPUSH_TO = row("vpush.to", "vpush {s16-%0}", "=f")
        .with(STORES)
        .timing(4, STORE)
        .bits(f::VLIST, 0xed2d_8a00);
    VPOP_TO = row("vpop.to", "vpop {s16-%0}", "=f").with(LOADS).timing(6, LOAD).bits(f::VLIST, 0xecbd_8a00);
    VPUSH_D15 = row("vpush.d15", "vpush {d15}", "=")
        .with(STORES)
        .timing(2, STORE)
        .bits(f::FIXED, 0xed2d_fb02);
    VPOP_D15 = row("vpop.d15", "vpop {d15}", "=").with(LOADS).timing(5, LOAD).bits(f::FIXED, 0xecbd_fb02);

    CFI_FRAME = unwind::FRAME;
    CFI_SAVED = unwind::SAVED;
    CFI_RESTORED = unwind::RESTORED;
    CFI_REMEMBER = unwind::REMEMBER;
    CFI_RECALL = unwind::RECALL;
}

/// The rows for unwinding.
pub const UNWIND: Unwind = Unwind(CFI_FRAME);
