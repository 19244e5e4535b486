//! Rows on vectors (RVV 1.0), on machines with `features::VECTOR`: four, eight or sixteen lanes of 32 bits, as `vsetivli` has said
//! before (`vtype`).
//!
//! A vector is number k of class `v`, which is v_k and, in functions with vectors of eight lanes or sixteen, the one or
//! three registers behind it (LMUL 2 and 4). So it is in registers of 128 bits; where they have more, the upper part of
//! them lies idle. v0 holds the mask that rows go by, as flags do on other machines: it
//! is no value's, rows that set it stand right before the one that reads it, and nothing that the allocator puts
//! between changes it. What else holds a mask holds a bit a lane, in the lowest bits.
//!
//! `.vv` is of two vectors, `.vx` of a vector and an integer, `.vf` of a vector and a float, `.vi` of a vector and an
//! immediate. Rows that keep a part of what was in their result are tied: use 0 is the register of definition 0.
//! Bits are those of "The RISC-V Vector Extension", 1.0, chapters 7 and 10 to 16.

use super::rows::format as f;
use crate::isa::rows::row;
use crate::mir::desc::{LOADS, MOVE, REMAT, SETS_FLAGS, STORES, TIED, USES_FLAGS};
use crate::mir::model as m;
use crate::mir::{InstRow, MachineOp, OpRow, SymKind};

/// What is no such row's: bits of `funct3`, and unmasked.
const VV: u32 = 0x57;
const FF: u32 = 0x1057;
const MM: u32 = 0x2057;
const VI: u32 = 0x3057;
const VX: u32 = 0x4057;
const VF: u32 = 0x5057;
const MX: u32 = 0x6057;
const UNMASKED: u32 = 1 << 25;

/// The bits of an operation.
const fn bits(function: u32, kind: u32) -> u32 {
    function << 26 | UNMASKED | kind
}

const fn vector(name: &'static str, text: &'static str, operands: &'static str) -> OpRow {
    row(name, text, operands).class(m::VECTOR_ALU)
}

const fn memory(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    let flags = if operands.as_bytes()[0] == b'=' { STORES } else { LOADS };
    row(name, text, operands).bits(format, encoding).with(flags).class(if flags == LOADS {
        m::LOAD_VECTOR
    } else {
        m::STORE_VECTOR
    })
}

/// Of two vectors, and of a vector and an integer.
macro_rules! two {
    ($name:literal, $function:literal, $vv:ident, $vx:ident) => {
        [
            vector(concat!($name, ".vv"), concat!($name, ".vv %0, %1, %2"), "v=vv")
                .bits(f::V_VV, bits($function, $vv)),
            vector(concat!($name, ".vx"), concat!($name, ".vx %0, %1, %2"), "v=vi")
                .bits(f::V_VV, bits($function, $vx)),
        ]
    };
}

/// And of a vector and an immediate.
macro_rules! three {
    ($name:literal, $function:literal) => {
        [
            vector(concat!($name, ".vv"), concat!($name, ".vv %0, %1, %2"), "v=vv")
                .bits(f::V_VV, bits($function, VV)),
            vector(concat!($name, ".vx"), concat!($name, ".vx %0, %1, %2"), "v=vi")
                .bits(f::V_VV, bits($function, VX)),
            vector(concat!($name, ".vi"), concat!($name, ".vi %0, %1, %i"), "v=v")
                .bits(f::V_VI, bits($function, VI)),
        ]
    };
}

/// Of two vectors of floats, and of one and a float.
macro_rules! floats {
    ($name:literal, $function:literal) => {
        [
            vector(concat!($name, ".vv"), concat!($name, ".vv %0, %1, %2"), "v=vv")
                .bits(f::V_VV, bits($function, FF)),
            vector(concat!($name, ".vf"), concat!($name, ".vf %0, %1, %2"), "v=vf")
                .bits(f::V_VV, bits($function, VF)),
        ]
    };
}

/// A product with what was in the result.
macro_rules! onto {
    ($name:literal, $function:literal, $vv:ident, $vx:ident, $form:literal, $operands:literal) => {
        [
            vector(concat!($name, ".vv"), concat!($name, ".vv %0, %2, %3"), "v=vvv")
                .bits(f::V_ONTO, bits($function, $vv))
                .with(TIED),
            vector(concat!($name, $form), concat!($name, $form, " %0, %2, %3"), $operands)
                .bits(f::V_ONTO, bits($function, $vx))
                .with(TIED),
        ]
    };
}

/// The same of two operands in lanes of the mask.
macro_rules! masked {
    ($name:literal, $function:literal) => {
        [
            vector(concat!($name, ".vv.m"), concat!($name, ".vv %0, %2, %3, v0.t"), "v=vvv")
                .bits(f::V_MASKED, $function << 26 | VV)
                .with(TIED | USES_FLAGS),
            vector(concat!($name, ".vx.m"), concat!($name, ".vx %0, %2, %3, v0.t"), "v=vvi")
                .bits(f::V_MASKED, $function << 26 | VX)
                .with(TIED | USES_FLAGS),
            vector(concat!($name, ".vi.m"), concat!($name, ".vi %0, %2, %i, v0.t"), "v=vv")
                .bits(f::V_MASKED_I, $function << 26 | VI)
                .with(TIED | USES_FLAGS),
        ]
    };
}

/// A comparison: to a mask, and to the one that the next row goes by.
macro_rules! compare {
    ($name:literal, $form:literal, $kind:ident, $function:literal, $operand:literal) => {
        [
            vector(concat!($name, $form), concat!($name, $form, " %0, %1, %2"), concat!("v=v", $operand))
                .bits(f::V_VV, bits($function, $kind)),
            vector(
                concat!($name, $form, ".v0"),
                concat!($name, $form, " v0, %0, %1"),
                concat!("=v", $operand),
            )
            .bits(f::V_V0, bits($function, $kind))
            .with(SETS_FLAGS),
        ]
    };
    ($name:literal, $function:literal) => {
        [
            vector(concat!($name, ".vi"), concat!($name, ".vi %0, %1, %i"), "v=v")
                .bits(f::V_VI, bits($function, VI)),
            vector(concat!($name, ".vi.v0"), concat!($name, ".vi v0, %0, %i"), "=v")
                .bits(f::V_V0_I, bits($function, VI))
                .with(SETS_FLAGS),
        ]
    };
}

/// Of one vector.
macro_rules! one {
    ($name:literal, $function:literal, $kind:ident, $which:literal) => {
        vector($name, concat!($name, " %0, %1"), "v=v").bits(f::V_ONE, bits($function, $kind) | $which << 15)
    };
}

/// Of two masks.
macro_rules! masks {
    ($name:literal, $function:literal) => {
        vector($name, concat!($name, " %0, %1, %2"), "v=vv").bits(f::V_VV, bits($function, MM))
    };
}

/// All lanes of one vector, onto the first lane of another.
macro_rules! across {
    ($name:literal, $function:literal, $kind:ident) => {
        vector($name, concat!($name, " %0, %1, %2"), "v=vv")
            .class(m::VECTOR_ACROSS)
            .bits(f::V_VV, bits($function, $kind))
    };
}

crate::opcodes! { from super::rows::COUNT;
    // So many lanes of 32 bits in one register, two or four: what is behind them as it comes, lanes that are masked out as they
    // were.
    VSETIVLI_M1 = row("vsetivli.m1", "vsetivli zero, %i, e32, m1, ta, mu", "=").bits(f::V_COUNT, 0xc500_7057);
    VSETIVLI_M2 = row("vsetivli.m2", "vsetivli zero, %i, e32, m2, ta, mu", "=").bits(f::V_COUNT, 0xc510_7057);
    VSETIVLI_M4 = row("vsetivli.m4", "vsetivli zero, %i, e32, m4, ta, mu", "=").bits(f::V_COUNT, 0xc520_7057);
    // ---- Integers
    VADD VADD_X VADD_I = three!("vadd", 0b00_0000);
    VSUB VSUB_X = two!("vsub", 0b00_0010, VV, VX);
    VRSUB_X = vector("vrsub.vx", "vrsub.vx %0, %1, %2", "v=vi").bits(f::V_VV, bits(0b00_0011, VX));
    VRSUB_I = vector("vrsub.vi", "vrsub.vi %0, %1, %i", "v=v").bits(f::V_VI, bits(0b00_0011, VI));
    VMINU VMINU_X = two!("vminu", 0b00_0100, VV, VX);
    VMIN VMIN_X = two!("vmin", 0b00_0101, VV, VX);
    VMAXU VMAXU_X = two!("vmaxu", 0b00_0110, VV, VX);
    VMAX VMAX_X = two!("vmax", 0b00_0111, VV, VX);
    VAND VAND_X VAND_I = three!("vand", 0b00_1001);
    VOR VOR_X VOR_I = three!("vor", 0b00_1010);
    VXOR VXOR_X VXOR_I = three!("vxor", 0b00_1011);
    VSLL VSLL_X = two!("vsll", 0b10_0101, VV, VX);
    VSRL VSRL_X = two!("vsrl", 0b10_1000, VV, VX);
    VSRA VSRA_X = two!("vsra", 0b10_1001, VV, VX);
    VSLL_I = vector("vsll.vi", "vsll.vi %0, %1, %i", "v=v").bits(f::V_SHIFT, bits(0b10_0101, VI));
    VSRL_I = vector("vsrl.vi", "vsrl.vi %0, %1, %i", "v=v").bits(f::V_SHIFT, bits(0b10_1000, VI));
    VSRA_I = vector("vsra.vi", "vsra.vi %0, %1, %i", "v=v").bits(f::V_SHIFT, bits(0b10_1001, VI));
    VMUL VMUL_X = two!("vmul", 0b10_0101, MM, MX);
    VMULH VMULH_X = two!("vmulh", 0b10_0111, MM, MX);
    VMULHU VMULHU_X = two!("vmulhu", 0b10_0100, MM, MX);
    VDIVU VDIVU_X = two!("vdivu", 0b10_0000, MM, MX);
    VDIV VDIV_X = two!("vdiv", 0b10_0001, MM, MX);
    VREMU VREMU_X = two!("vremu", 0b10_0010, MM, MX);
    VREM VREM_X = two!("vrem", 0b10_0011, MM, MX);
    VMACC VMACC_X = onto!("vmacc", 0b10_1101, MM, MX, ".vx", "v=viv");
    VNMSAC VNMSAC_X = onto!("vnmsac", 0b10_1111, MM, MX, ".vx", "v=viv");
    VMADD VMADD_X = onto!("vmadd", 0b10_1001, MM, MX, ".vx", "v=viv");
    VNMSUB VNMSUB_X = onto!("vnmsub", 0b10_1011, MM, MX, ".vx", "v=viv");
    // In lanes of the mask; the others stay.
    VADD_M VADD_X_M VADD_I_M = masked!("vadd", 0b00_0000);
    VSUB_M = vector("vsub.vv.m", "vsub.vv %0, %2, %3, v0.t", "v=vvv")
        .bits(f::V_MASKED, 0b00_0010 << 26 | VV)
        .with(TIED | USES_FLAGS);
    VSUB_X_M = vector("vsub.vx.m", "vsub.vx %0, %2, %3, v0.t", "v=vvi")
        .bits(f::V_MASKED, 0b00_0010 << 26 | VX)
        .with(TIED | USES_FLAGS);
    // ---- Floats
    VFADD VFADD_F = floats!("vfadd", 0b00_0000);
    VFSUB VFSUB_F = floats!("vfsub", 0b00_0010);
    VFMUL VFMUL_F = floats!("vfmul", 0b10_0100);
    VFDIV VFDIV_F = floats!("vfdiv", 0b10_0000);
    VFRSUB_F = vector("vfrsub.vf", "vfrsub.vf %0, %1, %2", "v=vf").bits(f::V_VV, bits(0b10_0111, VF));
    VFRDIV_F = vector("vfrdiv.vf", "vfrdiv.vf %0, %1, %2", "v=vf").bits(f::V_VV, bits(0b10_0001, VF));
    VFSGNJN = vector("vfsgnjn.vv", "vfsgnjn.vv %0, %1, %1", "v=v").bits(f::V_TWICE, bits(0b00_1001, FF));
    VFSGNJX = vector("vfsgnjx.vv", "vfsgnjx.vv %0, %1, %1", "v=v").bits(f::V_TWICE, bits(0b00_1010, FF));
    VFMACC VFMACC_F = onto!("vfmacc", 0b10_1100, FF, VF, ".vf", "v=vfv");
    VFCVT_F = one!("vfcvt.f.x.v", 0b01_0010, FF, 0b00011);
    VFCVT_X = one!("vfcvt.rtz.x.f.v", 0b01_0010, FF, 0b00111);
    // ---- Comparisons
    VMSEQ VMSEQ_0 = compare!("vmseq", ".vv", VV, 0b01_1000, "v");
    VMSEQ_X VMSEQ_X_0 = compare!("vmseq", ".vx", VX, 0b01_1000, "i");
    VMSEQ_I VMSEQ_I_0 = compare!("vmseq", 0b01_1000);
    VMSNE VMSNE_0 = compare!("vmsne", ".vv", VV, 0b01_1001, "v");
    VMSNE_X VMSNE_X_0 = compare!("vmsne", ".vx", VX, 0b01_1001, "i");
    VMSNE_I VMSNE_I_0 = compare!("vmsne", 0b01_1001);
    VMSLTU VMSLTU_0 = compare!("vmsltu", ".vv", VV, 0b01_1010, "v");
    VMSLTU_X VMSLTU_X_0 = compare!("vmsltu", ".vx", VX, 0b01_1010, "i");
    VMSLT VMSLT_0 = compare!("vmslt", ".vv", VV, 0b01_1011, "v");
    VMSLT_X VMSLT_X_0 = compare!("vmslt", ".vx", VX, 0b01_1011, "i");
    VMSLEU VMSLEU_0 = compare!("vmsleu", ".vv", VV, 0b01_1100, "v");
    VMSLEU_X VMSLEU_X_0 = compare!("vmsleu", ".vx", VX, 0b01_1100, "i");
    VMSLE VMSLE_0 = compare!("vmsle", ".vv", VV, 0b01_1101, "v");
    VMSLE_X VMSLE_X_0 = compare!("vmsle", ".vx", VX, 0b01_1101, "i");
    VMSLE_I VMSLE_I_0 = compare!("vmsle", 0b01_1101);
    VMSGTU_X VMSGTU_X_0 = compare!("vmsgtu", ".vx", VX, 0b01_1110, "i");
    VMSGT_X VMSGT_X_0 = compare!("vmsgt", ".vx", VX, 0b01_1111, "i");
    VMSGT_I VMSGT_I_0 = compare!("vmsgt", 0b01_1111);
    VMFEQ VMFEQ_0 = compare!("vmfeq", ".vv", FF, 0b01_1000, "v");
    VMFEQ_F VMFEQ_F_0 = compare!("vmfeq", ".vf", VF, 0b01_1000, "f");
    VMFLE VMFLE_0 = compare!("vmfle", ".vv", FF, 0b01_1001, "v");
    VMFLE_F VMFLE_F_0 = compare!("vmfle", ".vf", VF, 0b01_1001, "f");
    VMFLT VMFLT_0 = compare!("vmflt", ".vv", FF, 0b01_1011, "v");
    VMFLT_F VMFLT_F_0 = compare!("vmflt", ".vf", VF, 0b01_1011, "f");
    VMFNE VMFNE_0 = compare!("vmfne", ".vv", FF, 0b01_1100, "v");
    VMFNE_F VMFNE_F_0 = compare!("vmfne", ".vf", VF, 0b01_1100, "f");
    VMFGT_F VMFGT_F_0 = compare!("vmfgt", ".vf", VF, 0b01_1101, "f");
    VMFGE_F VMFGE_F_0 = compare!("vmfge", ".vf", VF, 0b01_1111, "f");
    // ---- Masks
    VMAND = masks!("vmand.mm", 0b01_1001);
    VMANDN = masks!("vmandn.mm", 0b01_1000);
    VMOR = masks!("vmor.mm", 0b01_1010);
    VMORN = masks!("vmorn.mm", 0b01_1100);
    VMXOR = masks!("vmxor.mm", 0b01_1011);
    VMNOT = vector("vmnot.m", "vmnand.mm %0, %1, %1", "v=v").bits(f::V_TWICE, bits(0b01_1101, MM));
    VMV_V0 = vector("vmv1r.v.v0", "vmv1r.v v0, %0", "=v").bits(f::V_V0, bits(0b10_0111, VI)).with(SETS_FLAGS);
    VMNOT_V0 = vector("vmnot.m.v0", "vmnand.mm v0, v0, v0", "=")
        .bits(f::FIXED, bits(0b01_1101, MM))
        .with(SETS_FLAGS | USES_FLAGS);
    // A mask of an immediate.
    VMV_V0_I = vector("vmv.v.i.v0", "vmv.v.i v0, %i", "=").bits(f::V_I, bits(0b01_0111, VI)).with(SETS_FLAGS);
    VMV_V0_X = vector("vmv.v.x.v0", "vmv.v.x v0, %0", "=i").bits(f::V_FROM_V0, bits(0b01_0111, VX)).with(SETS_FLAGS);
    // Use 1 in lanes of the mask, use 0 in the others.
    VMERGE = vector("vmerge.vvm", "vmerge.vvm %0, %1, %2, v0", "v=vv").bits(f::V_VV, 0b01_0111 << 26 | VV).with(USES_FLAGS);
    VMERGE_X = vector("vmerge.vxm", "vmerge.vxm %0, %1, %2, v0", "v=vi").bits(f::V_VV, 0b01_0111 << 26 | VX).with(USES_FLAGS);
    VMERGE_I = vector("vmerge.vim", "vmerge.vim %0, %1, %i, v0", "v=v").bits(f::V_VI, 0b01_0111 << 26 | VI).with(USES_FLAGS);
    VFMERGE_F = vector("vfmerge.vfm", "vfmerge.vfm %0, %1, %2, v0", "v=vf").bits(f::V_VV, 0b01_0111 << 26 | VF).with(USES_FLAGS);
    // ---- Lanes
    VMV_I = vector("vmv.v.i", "vmv.v.i %0, %i", "v=").bits(f::V_DEF_I, bits(0b01_0111, VI)).with(REMAT);
    VMV_X = vector("vmv.v.x", "vmv.v.x %0, %1", "v=i").bits(f::V_FROM, bits(0b01_0111, VX));
    VFMV_F = vector("vfmv.v.f", "vfmv.v.f %0, %1", "v=f").bits(f::V_FROM, bits(0b01_0111, VF));
    VMV_S_X = vector("vmv.s.x", "vmv.s.x %0, %1", "v=i").bits(f::V_FROM, bits(0b01_0000, MX));
    VFMV_S_F = vector("vfmv.s.f", "vfmv.s.f %0, %1", "v=f").bits(f::V_FROM, bits(0b01_0000, VF));
    VMV_X_S = vector("vmv.x.s", "vmv.x.s %0, %1", "i=v").bits(f::V_ONE, bits(0b01_0000, MM));
    VFMV_F_S = vector("vfmv.f.s", "vfmv.f.s %0, %1", "f=v").bits(f::V_ONE, bits(0b01_0000, FF));
    VSLIDEDOWN_I = vector("vslidedown.vi", "vslidedown.vi %0, %1, %i", "v=v").bits(f::V_SHIFT, bits(0b00_1111, VI));
    // Lanes below the distance stay what they are. The result is not where the lanes come from: what is tied lives beside
    // them.
    VSLIDEUP_I = vector("vslideup.vi", "vslideup.vi %0, %2, %i", "v=vv").bits(f::V_ONTO_SHIFT, bits(0b00_1110, VI)).with(TIED);
    // ---- Across lanes
    VREDSUM = across!("vredsum.vs", 0b00_0000, MM);
    VREDAND = across!("vredand.vs", 0b00_0001, MM);
    VREDOR = across!("vredor.vs", 0b00_0010, MM);
    VREDXOR = across!("vredxor.vs", 0b00_0011, MM);
    VREDMINU = across!("vredminu.vs", 0b00_0100, MM);
    VREDMIN = across!("vredmin.vs", 0b00_0101, MM);
    VREDMAXU = across!("vredmaxu.vs", 0b00_0110, MM);
    VREDMAX = across!("vredmax.vs", 0b00_0111, MM);
    // One after the other, from the first lane of use 1 on.
    VFREDOSUM = across!("vfredosum.vs", 0b00_0011, FF);
    // ---- Copies of one, two and four whole registers
    VMV1 = vector("vmv1r.v", "vmv1r.v %0, %1", "v=v").bits(f::V_ONE, bits(0b10_0111, VI)).with(MOVE);
    VMV2 = vector("vmv2r.v", "vmv2r.v %0, %1", "v=v").bits(f::V_ONE, bits(0b10_0111, VI) | 1 << 15).with(MOVE);
    VMV4 = vector("vmv4r.v", "vmv4r.v %0, %1", "v=v").bits(f::V_ONE, bits(0b10_0111, VI) | 3 << 15).with(MOVE);
    // ---- Memory: no offsets, of sixteen lanes, eight and four
    VLE = memory("vle32.v", "vle32.v %0, (%1)", "v=i", f::UNARY, 0x0200_6007).touching(64);
    VSE = memory("vse32.v", "vse32.v %0, (%1)", "=vi", f::UNARY, 0x0200_6027).touching(64);
    // By the bytes from lane to lane, in a register.
    VLSE = memory("vlse32.v", "vlse32.v %0, (%1), %2", "v=ii", f::R, 0x0a00_6007);
    VSSE = memory("vsse32.v", "vsse32.v %0, (%1), %2", "=vii", f::R, 0x0a00_6027);
    VSE_M = memory("vse32.v.m", "vse32.v %0, (%1), v0.t", "=vi", f::UNARY, 0x6027).with(USES_FLAGS);
    VLE_SLOT = memory("vle32.slot", "", "v=i", f::UNARY, 0).symbol(SymKind::Slot).size(20).touching(64);
    VSE_SLOT = memory("vse32.slot", "", "=vi", f::UNARY, 0).symbol(SymKind::Slot).size(20).touching(64);
    VLE_8 = memory("vle32.v.8", "vle32.v %0, (%1)", "v=i", f::UNARY, 0x0200_6007).touching(32);
    VSE_8 = memory("vse32.v.8", "vse32.v %0, (%1)", "=vi", f::UNARY, 0x0200_6027).touching(32);
    VLSE_8 = memory("vlse32.v.8", "vlse32.v %0, (%1), %2", "v=ii", f::R, 0x0a00_6007);
    VSSE_8 = memory("vsse32.v.8", "vsse32.v %0, (%1), %2", "=vii", f::R, 0x0a00_6027);
    VSE_8_M = memory("vse32.v.8.m", "vse32.v %0, (%1), v0.t", "=vi", f::UNARY, 0x6027).with(USES_FLAGS);
    VLE_8_SLOT = memory("vle32.8.slot", "", "v=i", f::UNARY, 0).symbol(SymKind::Slot).size(20).touching(32);
    VSE_8_SLOT = memory("vse32.8.slot", "", "=vi", f::UNARY, 0).symbol(SymKind::Slot).size(20).touching(32);
    VLE_4 = memory("vle32.v.4", "vle32.v %0, (%1)", "v=i", f::UNARY, 0x0200_6007).touching(16);
    VSE_4 = memory("vse32.v.4", "vse32.v %0, (%1)", "=vi", f::UNARY, 0x0200_6027).touching(16);
    VLSE_4 = memory("vlse32.v.4", "vlse32.v %0, (%1), %2", "v=ii", f::R, 0x0a00_6007);
    VSSE_4 = memory("vsse32.v.4", "vsse32.v %0, (%1), %2", "=vii", f::R, 0x0a00_6027);
    VSE_4_M = memory("vse32.v.4.m", "vse32.v %0, (%1), v0.t", "=vi", f::UNARY, 0x6027).with(USES_FLAGS);
    VLE_4_SLOT = memory("vle32.4.slot", "", "v=i", f::UNARY, 0).symbol(SymKind::Slot).size(20).touching(16);
    VSE_4_SLOT = memory("vse32.4.slot", "", "=vi", f::UNARY, 0).symbol(SymKind::Slot).size(20).touching(16);
}

/// Rows of memory for one number of lanes, behind which the same of half as many stand.
const MEMORY_ROWS: u16 = VLE_8.0 - VLE.0;

/// The row by an address in a register, of one on a slot.
pub fn of_register(op: MachineOp) -> MachineOp {
    match op {
        VLE_SLOT => VLE,
        VSE_SLOT => VSE,
        VLE_8_SLOT => VLE_8,
        VSE_8_SLOT => VSE_8,
        VLE_4_SLOT => VLE_4,
        _ => VSE_4,
    }
}

/// Notes how many lanes a row is for; what says nothing is for all.
pub fn note_lanes(row: &mut InstRow, lanes: u32) {
    match row.op {
        MachineOp(op) if (VLE.0..VLE_8.0).contains(&op) => {
            row.op = MachineOp(op + MEMORY_ROWS * (MOST_LANES / lanes).trailing_zeros() as u16);
        }
        MachineOp(op) if (VADD.0..VLE.0).contains(&op) => row.sym = lanes,
        _ => {}
    }
}

/// How many lanes a row needs, of so many in the function's vectors, and true if it must not be more; none if that is
/// nothing to it.
pub fn needs_lanes(row: &InstRow, most: u32) -> Option<(u32, bool)> {
    let lanes = if row.sym == 0 { most } else { row.sym };
    match row.op {
        VMV1 | VMV2 | VMV4 | VMV_V0 => None,
        MachineOp(op) if op >= VLE.0 => Some((MOST_LANES >> ((op - VLE.0) / MEMORY_ROWS), true)),
        MachineOp(op) if (VREDSUM.0..VMV1.0).contains(&op) => Some((lanes, true)),
        MachineOp(op) if op >= VADD.0 => Some((lanes, false)),
        _ => None,
    }
}

/// The row that asks for lanes in a function whose vectors have so many.
pub fn asks(most: u32) -> MachineOp {
    match most {
        4 => VSETIVLI_M1,
        8 => VSETIVLI_M2,
        _ => VSETIVLI_M4,
    }
}

/// The most lanes of a vector.
const MOST_LANES: u32 = 16;
