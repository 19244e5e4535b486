//! Branches, calls, returns, and what depends on a condition: one row a condition.

use super::{COND_BASE, CONTROL_BASE, format, pseudo, row};
use crate::isa::compare::Cond;
use crate::isa::unwind::{self, Unwind};
use crate::mir::desc::{
    CALL, EFFECT, LOADS, MachineOp, OpRow, RETURN, SETS_FLAGS, STORES, SymKind, USES_FLAGS,
};
use crate::mir::model::{self as m, OpClass};

const fn branch(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    reach: u8,
    inverse: MachineOp,
    encoding: u32,
) -> OpRow {
    row(
        name,
        text,
        operands,
        if operands.len() > 1 { m::COMPARE_BRANCH } else { m::BRANCH },
        format,
        encoding,
    )
    .branch(reach, inverse)
}

crate::opcodes! { from CONTROL_BASE;
    B = row("b", "b %b", "=", m::BRANCH, format::B26, 0x1400_0000).jump(28);
    /// Jumps into a table of jumps by the number of an entry; what they become; an entry.
    TABLE_W = pseudo("table_w", "=i", m::BRANCH, 16).entry(28);
    TABLE_X = pseudo("table_x", "=i", m::BRANCH, 16).entry(28);
    ADR_TABLE = row("adr_table", "adr x17, .+12", "=", m::ALU, format::NONE, 0x1000_0071);
    ADD_TABLE_W = row("add_table_w", "add x17, x17, %w0, uxtw #2", "=i", m::SHIFTED, format::M_ONLY, 0x8b20_4a31);
    ADD_TABLE_X = row("add_table_x", "add x17, x17, %x0, lsl #2", "=i", m::SHIFTED, format::M_ONLY, 0x8b00_0a31);
    BR_TABLE = row("br_table", "br x17", "=", m::BRANCH, format::NONE, 0xd61f_0220);
    B_ENTRY = row("b_entry", "b %b", "=", m::BRANCH, format::B26, 0x1400_0000).entry(28);
    CBZ_W = branch("cbz_w", "cbz %w0, %b", "=i", format::R_B19, 21, CBNZ_W, 0x3400_0000);
    CBNZ_W = branch("cbnz_w", "cbnz %w0, %b", "=i", format::R_B19, 21, CBZ_W, 0x3500_0000);
    CBZ_X = branch("cbz_x", "cbz %x0, %b", "=i", format::R_B19, 21, CBNZ_X, 0xb400_0000);
    CBNZ_X = branch("cbnz_x", "cbnz %x0, %b", "=i", format::R_B19, 21, CBZ_X, 0xb500_0000);
    /// Jumps if bit `imm` is clear.
    TBZ = branch("tbz", "tbz %x0, #%i, %b", "=i", format::R_BIT_B14, 16, TBNZ, 0x3600_0000);
    /// Jumps if bit `imm` is set.
    TBNZ = branch("tbnz", "tbnz %x0, #%i, %b", "=i", format::R_BIT_B14, 16, TBZ, 0x3700_0000);
    BL = row("bl", "bl %s", "*=*", m::BRANCH, format::CALL, 0x9400_0000).with(CALL).symbol(SymKind::Func);
    /// A call of what has its address in x9, which no argument takes.
    BLR_X9 = row("blr_x9", "blr x9", "*=*", m::BRANCH, format::NONE, 0xd63f_0120).with(CALL);
    /// Leaving the function by a jump to another one, or to what has its address in x9: that goes by x16, as branch target
    /// identification wants it of jumps to the beginning of functions.
    TAIL = row("tail", "b %s", "=*", m::BRANCH, format::TAIL, 0x1400_0000).with(RETURN).symbol(SymKind::Func);
    TAIL_X9 = pseudo("tail_x9", "=*", m::BRANCH, 8).with(RETURN);
    BR_X16 = row("br_x16", "br x16", "=*", m::BRANCH, format::NONE, 0xd61f_0200).with(RETURN);
    /// Pseudo: epilogue and return.
    RETURN_VALUE = pseudo("return", "=*", m::BRANCH, 0).with(RETURN);
    RET = row("ret", "ret", "=*", m::BRANCH, format::NONE, 0xd65f_03c0).with(RETURN);
    /// A system call: number in x8, arguments from x0 on, result in x0.
    SVC = row("svc", "svc #0", "=", m::BRANCH, format::NONE, 0xd400_0001).with(LOADS | STORES);
    /// Where execution never comes.
    BRK = row("brk", "brk #1", "=", m::BRANCH, format::NONE, 0xd420_0020).with(RETURN);
    /// Takes bytes of the stack, aligned to a power of two.
    TAKE = pseudo("take", "i=i", m::ADDRESS, 64).with(EFFECT);
    GET_SP = pseudo("get_sp", "i=", m::ALU, 4).with(EFFECT);
    SET_SP = pseudo("set_sp", "=i", m::BRANCH, 4).with(EFFECT);
    CFI_FRAME = unwind::FRAME;
    CFI_SAVED = unwind::SAVED;
    CFI_RESTORED = unwind::RESTORED;
    CFI_REMEMBER = unwind::REMEMBER;
    CFI_RECALL = unwind::RECALL;
    CFI_COUNTS_FROM = unwind::COUNTS_FROM;
}

const fn b_cond(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    let inverse = MachineOp(B_COND.0 + (cond ^ 1));
    branch(name, text, "=", format::B19, 21, inverse, 0x5400_0000 | cond as u32).with(USES_FLAGS)
}

/// `cset` is `csinc` of zeros under the inverse condition, `csetm` is `csinv` of them.
const fn cset(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    let bits = 0x1a9f_07e0 | (cond as u32 ^ 1) << 12;
    row(name, text, "i=", m::SELECT, format::R, bits).with(USES_FLAGS)
}

const fn csetm(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    let bits = 0x5a9f_03e0 | (cond as u32 ^ 1) << 12;
    row(name, text, "i=", m::SELECT, format::R, bits).with(USES_FLAGS)
}

const fn choice(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    class: OpClass,
    cond: u16,
    encoding: u32,
) -> OpRow {
    let bits = encoding | (cond as u32) << 12;
    row(name, text, operands, class, format::RRR, bits).with(USES_FLAGS)
}

const fn csel_w(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    choice(name, text, "i=ii", m::SELECT, cond, 0x1a80_0000)
}

const fn csel_x(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    choice(name, text, "i=ii", m::SELECT, cond, 0x9a80_0000)
}

const fn csinc_w(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    choice(name, text, "i=ii", m::SELECT, cond, 0x1a80_0400)
}

const fn csneg_w(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    choice(name, text, "i=ii", m::SELECT, cond, 0x5a80_0400)
}

const fn fcsel_s(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    choice(name, text, "f=ff", m::FLOAT_MOVE, cond, 0x1e20_0c00)
}

const fn fcsel_d(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    choice(name, text, "f=ff", m::FLOAT_MOVE, cond, 0x1e60_0c00)
}

/// A comparison if the condition holds; if not, the flags of the immediate.
const fn also(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    class: OpClass,
    cond: u16,
    encoding: u32,
) -> OpRow {
    let format = if operands.len() == 3 { format::CCMP_RR } else { format::CCMP_R };
    row(name, text, operands, class, format, encoding | (cond as u32) << 12).with(USES_FLAGS | SETS_FLAGS)
}

const fn ccmp_w(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    also(name, text, "=ii", m::COMPARE, cond, 0x7a40_0000)
}

const fn ccmp_x(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    also(name, text, "=ii", m::COMPARE, cond, 0xfa40_0000)
}

const fn ccmp_w_imm(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    also(name, text, "=i", m::COMPARE, cond, 0x7a40_0800)
}

const fn ccmp_x_imm(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    also(name, text, "=i", m::COMPARE, cond, 0xfa40_0800)
}

const fn ccmn_w_imm(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    also(name, text, "=i", m::COMPARE, cond, 0x3a40_0800)
}

const fn ccmn_x_imm(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    also(name, text, "=i", m::COMPARE, cond, 0xba40_0800)
}

const fn fccmp_s(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    also(name, text, "=ff", m::FLOAT_COMPARE, cond, 0x1e20_0400)
}

const fn fccmp_d(name: &'static str, text: &'static str, cond: u16) -> OpRow {
    also(name, text, "=ff", m::FLOAT_COMPARE, cond, 0x1e60_0400)
}

const CONDS: usize = Cond::ALL.len();
const FAMILIES: [[OpRow; CONDS]; 17] = [
    crate::per_condition!(b_cond, "b_", "b.", " %b"; "hs" "lo"),
    crate::per_condition!(cset, "cset_", "cset %w0, ", ""; "hs" "lo"),
    crate::per_condition!(csetm, "csetm_", "csetm %w0, ", ""; "hs" "lo"),
    crate::per_condition!(csel_w, "csel_w_", "csel %w0, %w1, %w2, ", ""; "hs" "lo"),
    crate::per_condition!(csel_x, "csel_x_", "csel %x0, %x1, %x2, ", ""; "hs" "lo"),
    crate::per_condition!(csinc_w, "csinc_w_", "csinc %w0, %w1, %w2, ", ""; "hs" "lo"),
    crate::per_condition!(csneg_w, "csneg_w_", "csneg %w0, %w1, %w2, ", ""; "hs" "lo"),
    crate::per_condition!(fcsel_s, "fcsel_s_", "fcsel %f0, %f1, %f2, ", ""; "hs" "lo"),
    crate::per_condition!(fcsel_d, "fcsel_d_", "fcsel %d0, %d1, %d2, ", ""; "hs" "lo"),
    crate::per_condition!(ccmp_w, "ccmp_w_", "ccmp %w0, %w1, #%i, ", ""; "hs" "lo"),
    crate::per_condition!(ccmp_x, "ccmp_x_", "ccmp %x0, %x1, #%i, ", ""; "hs" "lo"),
    crate::per_condition!(ccmp_w_imm, "ccmp_w_imm_", "ccmp %w0, #%h, #%l, ", ""; "hs" "lo"),
    crate::per_condition!(ccmp_x_imm, "ccmp_x_imm_", "ccmp %x0, #%h, #%l, ", ""; "hs" "lo"),
    crate::per_condition!(ccmn_w_imm, "ccmn_w_imm_", "ccmn %w0, #%h, #%l, ", ""; "hs" "lo"),
    crate::per_condition!(ccmn_x_imm, "ccmn_x_imm_", "ccmn %x0, #%h, #%l, ", ""; "hs" "lo"),
    crate::per_condition!(fccmp_s, "fccmp_s_", "fccmp %f0, %f1, #%i, ", ""; "hs" "lo"),
    crate::per_condition!(fccmp_d, "fccmp_d_", "fccmp %d0, %d1, #%i, ", ""; "hs" "lo"),
];

/// The rows for unwinding.
pub const UNWIND: Unwind = Unwind(CFI_FRAME);

const fn family(k: u16) -> MachineOp {
    MachineOp(COND_BASE + k * CONDS as u16)
}

/// Branches; `Cond::of` gives the row for a condition, here and for the families below.
pub const B_COND: MachineOp = family(0);
/// 1 if the condition holds, else 0.
pub const CSET: MachineOp = family(1);
/// -1 if the condition holds, else 0.
pub const CSETM: MachineOp = family(2);
/// Use 0 if the condition holds, else use 1.
pub const CSEL_W: MachineOp = family(3);
/// See `CSEL_W`.
pub const CSEL_X: MachineOp = family(4);
/// Use 0 if the condition holds, else use 1 plus 1.
pub const CSINC_W: MachineOp = family(5);
/// Use 0 if the condition holds, else minus use 1.
pub const CSNEG_W: MachineOp = family(6);
/// See `CSEL_W`.
pub const FCSEL_S: MachineOp = family(7);
/// See `CSEL_W`.
pub const FCSEL_D: MachineOp = family(8);

/// Compares if the condition holds; if not, the immediate's low byte is the flags.
pub const CCMP_W: MachineOp = family(9);
/// See `CCMP_W`.
pub const CCMP_X: MachineOp = family(10);
/// See `CCMP_W`; what is compared with stands above the low byte.
pub const CCMP_W_IMM: MachineOp = family(11);
/// See `CCMP_W_IMM`.
pub const CCMP_X_IMM: MachineOp = family(12);
/// See `CCMP_W_IMM`; the constant is minus what stands there.
pub const CCMN_W_IMM: MachineOp = family(13);
/// See `CCMN_W_IMM`.
pub const CCMN_X_IMM: MachineOp = family(14);
/// See `CCMP_W`.
pub const FCCMP_S: MachineOp = family(15);
/// See `CCMP_W`.
pub const FCCMP_D: MachineOp = family(16);

/// The rows of all families.
pub const COND_ROWS: [OpRow; CONDS * FAMILIES.len()] = {
    let mut rows = [FAMILIES[0][0]; CONDS * FAMILIES.len()];
    let mut k = 0;
    while k < rows.len() {
        rows[k] = FAMILIES[k / CONDS][k % CONDS];
        k += 1;
    }
    rows
};
