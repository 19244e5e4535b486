//! Accesses that other threads see as one: those that order what is around them, and pairs of a load and a store of which the
//! second one fails if something else has written between them. An update is a loop of such a pair, whose branches are no
//! more than this far, so that rows name no block; `finalise` makes it of one row, so that nothing comes between.

use super::{ATOMIC_BASE, format, pseudo, row};
use crate::mir::desc::{CALL, EARLY_DEF, EFFECT, LOADS, OpRow, SETS_FLAGS, STORES, USES_FLAGS};
use crate::mir::model as m;

const fn load(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=i", m::LOAD, format::RR, encoding).with(LOADS)
}

const fn store(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "=ii", m::STORE, format::RR, encoding).with(STORES)
}

/// Whether it has failed, of a value and an address.
const fn exclusive(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "i=ii", m::STORE, format::EXCLUSIVE, encoding).with(STORES)
}

const fn hint(name: &'static str, text: &'static str, encoding: u32) -> OpRow {
    row(name, text, "=", m::ALU, format::NONE, encoding).with(EFFECT)
}

const fn back(name: &'static str, text: &'static str, words: u32) -> OpRow {
    row(name, text, "=i", m::BRANCH, format::R, 0x3500_0000 | (0x8_0000 - words) << 5)
}

crate::opcodes! { from ATOMIC_BASE;
    LDARB = load("ldarb", "ldarb %w0, [%p1]", 0x08df_fc00);
    LDARH = load("ldarh", "ldarh %w0, [%p1]", 0x48df_fc00);
    LDAR_W = load("ldar_w", "ldar %w0, [%p1]", 0x88df_fc00);
    LDAR_X = load("ldar_x", "ldar %x0, [%p1]", 0xc8df_fc00);
    STLRB = store("stlrb", "stlrb %w0, [%p1]", 0x089f_fc00);
    STLRH = store("stlrh", "stlrh %w0, [%p1]", 0x489f_fc00);
    STLR_W = store("stlr_w", "stlr %w0, [%p1]", 0x889f_fc00);
    STLR_X = store("stlr_x", "stlr %x0, [%p1]", 0xc89f_fc00);
    LDAXRB = load("ldaxrb", "ldaxrb %w0, [%p1]", 0x085f_fc00);
    LDAXRH = load("ldaxrh", "ldaxrh %w0, [%p1]", 0x485f_fc00);
    LDAXR_W = load("ldaxr_w", "ldaxr %w0, [%p1]", 0x885f_fc00);
    LDAXR_X = load("ldaxr_x", "ldaxr %x0, [%p1]", 0xc85f_fc00);
    STLXRB = exclusive("stlxrb", "stlxrb %w0, %w1, [%p2]", 0x0800_fc00);
    STLXRH = exclusive("stlxrh", "stlxrh %w0, %w1, [%p2]", 0x4800_fc00);
    STLXR_W = exclusive("stlxr_w", "stlxr %w0, %w1, [%p2]", 0x8800_fc00);
    STLXR_X = exclusive("stlxr_x", "stlxr %w0, %x1, [%p2]", 0xc800_fc00);
    // What only inline assembly names: barriers, hints, registers of the system.
    DMB_SY = row("dmb_sy", "dmb sy", "=", m::STORE, format::NONE, 0xd503_3fbf).with(LOADS | STORES);
    DMB_ISHLD = row("dmb_ishld", "dmb ishld", "=", m::STORE, format::NONE, 0xd503_39bf).with(LOADS | STORES);
    DMB_ISHST = row("dmb_ishst", "dmb ishst", "=", m::STORE, format::NONE, 0xd503_3abf).with(LOADS | STORES);
    DSB_SY = row("dsb_sy", "dsb sy", "=", m::STORE, format::NONE, 0xd503_3f9f).with(LOADS | STORES | EFFECT);
    DSB_ISH = row("dsb_ish", "dsb ish", "=", m::STORE, format::NONE, 0xd503_3b9f).with(LOADS | STORES | EFFECT);
    ISB = row("isb", "isb", "=", m::STORE, format::NONE, 0xd503_3fdf).with(LOADS | STORES | EFFECT);
    NOP = hint("nop", "nop", 0xd503_201f);
    YIELD = hint("yield", "yield", 0xd503_203f);
    WFE = hint("wfe", "wfe", 0xd503_205f);
    SEV = hint("sev", "sev", 0xd503_209f);
    PREFETCH = row("prefetch", "prfm pldl1keep, [%p0]", "=i", m::LOAD, format::CMP_R, 0xf980_0000).with(EFFECT);
    CNTVCT = row("cntvct", "mrs %x0, cntvct_el0", "i=", m::LOAD, format::R, 0xd53b_e040).with(EFFECT);
    CNTFRQ = row("cntfrq", "mrs %x0, cntfrq_el0", "i=", m::LOAD, format::R, 0xd53b_e000);
    FPCR = row("fpcr", "mrs %x0, fpcr", "i=", m::LOAD, format::R, 0xd53b_4400).with(EFFECT);
    FPSR = row("fpsr", "mrs %x0, fpsr", "i=", m::LOAD, format::R, 0xd53b_4420).with(EFFECT);
    /// A system call, by the registers that it is given.
    SYSTEM_CALL = row("system_call", "svc #0", "*=*", m::BRANCH, format::NONE, 0xd400_0001).with(CALL | LOADS | STORES);
    DMB = row("dmb", "dmb ish", "=", m::STORE, format::NONE, 0xd503_3bbf).with(LOADS | STORES);
    CBNZ_BACK_2 = back("cbnz_back_2", "cbnz %w0, .-8", 2);
    CBNZ_BACK_3 = back("cbnz_back_3", "cbnz %w0, .-12", 3);
    CBNZ_BACK_4 = back("cbnz_back_4", "cbnz %w0, .-16", 4);
    BNE_OVER_3 = row("bne_over_3", "b.ne .+12", "=", m::BRANCH, format::NONE, 0x5400_0061).with(USES_FLAGS);
    /// Pseudo: what was there, of an address and a value; the immediate says which update, and of how many bytes.
    UPDATE = pseudo("update", "i=ii", m::LOAD, 16).with(LOADS | STORES | EARLY_DEF);
    /// Pseudo: what was there, of an address, what is expected, and what is stored then; the immediate says of how many bytes.
    EXCHANGE = pseudo("exchange", "i=iii", m::LOAD, 20).with(LOADS | STORES | EARLY_DEF | SETS_FLAGS);
}
