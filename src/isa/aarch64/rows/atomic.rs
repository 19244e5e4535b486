//! Accesses that other threads see as one: those that order what is around them, and pairs of a load and a store of which the
//! second one fails if something else has written between them. An update is a loop of such a pair, whose branches are no
//! more than this far, so that rows name no block; `finalise` makes it of one row, so that nothing comes between.

use super::{ATOMIC_BASE, format, pseudo, row};
use crate::mir::desc::{EARLY_DEF, LOADS, OpRow, SETS_FLAGS, STORES, USES_FLAGS};
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
