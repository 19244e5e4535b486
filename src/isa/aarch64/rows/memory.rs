//! Loads, stores, addresses of globals and of frame slots.

use super::{MEMORY_BASE, format, pseudo, row};
use crate::mir::desc::{LOADS, OpRow, REMAT, STORES, SymKind, TIED};
use crate::mir::model::{self as m, OpClass};

/// By what is moved: of those that move their base, and of a pair, how many registers does not matter.
const fn class_of(loads: bool, operands: &str, format: u8) -> OpClass {
    let text = operands.as_bytes();
    let is_float = text[0] == b'f' || text[1] == b'f';
    match (format, loads) {
        (format::PAIR, true) => m::LOAD_PAIR,
        (format::PAIR, false) => m::STORE_PAIR,
        (format::LOAD_MOVING | format::LOAD_PAIR_MOVING, _) => m::LOAD_MOVING,
        (format::STORE_MOVING | format::STORE_PAIR_MOVING, _) => m::STORE_MOVING,
        (_, true) if is_float => m::LOAD_FLOAT,
        (_, true) => m::LOAD,
        (_, false) if is_float => m::STORE_FLOAT,
        (_, false) => m::STORE,
    }
}

const fn load(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(name, text, operands, class_of(true, operands, format), format, encoding)
        .with(LOADS)
        .touching(touches(format, encoding))
}

const fn store(
    name: &'static str,
    text: &'static str,
    operands: &'static str,
    format: u8,
    encoding: u32,
) -> OpRow {
    row(name, text, operands, class_of(false, operands, format), format, encoding)
        .with(STORES)
        .touching(touches(format, encoding))
}

const fn load_moving(name: &'static str, text: &'static str, operands: &'static str, bits: u32) -> OpRow {
    load(name, text, operands, format::LOAD_MOVING, bits).with(TIED)
}

const fn store_moving(name: &'static str, text: &'static str, operands: &'static str, bits: u32) -> OpRow {
    store(name, text, operands, format::STORE_MOVING, bits).with(TIED)
}

/// A load if bit 22 is set.
const fn pair_moving(name: &'static str, text: &'static str, operands: &'static str, bits: u32) -> OpRow {
    match bits >> 22 & 1 {
        0 => store(name, text, operands, format::STORE_PAIR_MOVING, bits).with(TIED),
        _ => load(name, text, operands, format::LOAD_PAIR_MOVING, bits).with(TIED),
    }
}

/// Bytes at base + immediate, from the bits that say how wide an access is. Rows that move their base count
/// as unknown.
const fn touches(format: u8, encoding: u32) -> u8 {
    let size = encoding >> 30;
    match format {
        format::LOAD_SCALED | format::LOAD_LO12 => 1 << size,
        format::LOAD_UNSCALED if encoding & 0xc00 == 0 => 1 << size,
        format::PAIR if encoding >> 23 & 7 != 2 => 0,
        format::PAIR if encoding >> 26 & 1 != 0 => 8 << size,
        format::PAIR => 8 << (size >> 1),
        _ => 0,
    }
}

/// An access to a frame slot; one far from the stack pointer takes up to four instructions for its address.
const fn in_slot(name: &'static str, operands: &'static str, bytes: u8, more: u16) -> OpRow {
    pseudo(name, operands, class_of(more & LOADS != 0, operands, format::LOAD_SCALED), 20)
        .with(more)
        .symbol(SymKind::Slot)
        .touching(bytes)
}

crate::opcodes! { from MEMORY_BASE;
    // ---- Base and scaled offset
    LDR_W = load("ldr_w", "ldr %w0, [%p1, #%i]", "i=i", format::LOAD_SCALED, 0xb940_0000);
    LDR_X = load("ldr_x", "ldr %x0, [%p1, #%i]", "i=i", format::LOAD_SCALED, 0xf940_0000);
    LDR_S = load("ldr_s", "ldr %f0, [%p1, #%i]", "f=i", format::LOAD_SCALED, 0xbd40_0000);
    LDR_D = load("ldr_d", "ldr %d0, [%p1, #%i]", "f=i", format::LOAD_SCALED, 0xfd40_0000);
    LDRB = load("ldrb", "ldrb %w0, [%p1, #%i]", "i=i", format::LOAD_SCALED, 0x3940_0000);
    LDRH = load("ldrh", "ldrh %w0, [%p1, #%i]", "i=i", format::LOAD_SCALED, 0x7940_0000);
    LDRSB = load("ldrsb", "ldrsb %x0, [%p1, #%i]", "i=i", format::LOAD_SCALED, 0x3980_0000);
    LDRSH = load("ldrsh", "ldrsh %x0, [%p1, #%i]", "i=i", format::LOAD_SCALED, 0x7980_0000);
    LDRSW = load("ldrsw", "ldrsw %x0, [%p1, #%i]", "i=i", format::LOAD_SCALED, 0xb980_0000);
    STR_W = store("str_w", "str %w0, [%p1, #%i]", "=ii", format::LOAD_SCALED, 0xb900_0000);
    STR_X = store("str_x", "str %x0, [%p1, #%i]", "=ii", format::LOAD_SCALED, 0xf900_0000);
    STR_S = store("str_s", "str %f0, [%p1, #%i]", "=fi", format::LOAD_SCALED, 0xbd00_0000);
    STR_D = store("str_d", "str %d0, [%p1, #%i]", "=fi", format::LOAD_SCALED, 0xfd00_0000);
    STRB = store("strb", "strb %w0, [%p1, #%i]", "=ii", format::LOAD_SCALED, 0x3900_0000);
    STRH = store("strh", "strh %w0, [%p1, #%i]", "=ii", format::LOAD_SCALED, 0x7900_0000);
    // ---- Base and unscaled offset
    LDUR_W = load("ldur_w", "ldur %w0, [%p1, #%i]", "i=i", format::LOAD_UNSCALED, 0xb840_0000);
    LDUR_X = load("ldur_x", "ldur %x0, [%p1, #%i]", "i=i", format::LOAD_UNSCALED, 0xf840_0000);
    LDUR_S = load("ldur_s", "ldur %f0, [%p1, #%i]", "f=i", format::LOAD_UNSCALED, 0xbc40_0000);
    LDUR_D = load("ldur_d", "ldur %d0, [%p1, #%i]", "f=i", format::LOAD_UNSCALED, 0xfc40_0000);
    LDURB = load("ldurb", "ldurb %w0, [%p1, #%i]", "i=i", format::LOAD_UNSCALED, 0x3840_0000);
    LDURH = load("ldurh", "ldurh %w0, [%p1, #%i]", "i=i", format::LOAD_UNSCALED, 0x7840_0000);
    LDURSB = load("ldursb", "ldursb %x0, [%p1, #%i]", "i=i", format::LOAD_UNSCALED, 0x3880_0000);
    LDURSH = load("ldursh", "ldursh %x0, [%p1, #%i]", "i=i", format::LOAD_UNSCALED, 0x7880_0000);
    LDURSW = load("ldursw", "ldursw %x0, [%p1, #%i]", "i=i", format::LOAD_UNSCALED, 0xb880_0000);
    STUR_W = store("stur_w", "stur %w0, [%p1, #%i]", "=ii", format::LOAD_UNSCALED, 0xb800_0000);
    STUR_X = store("stur_x", "stur %x0, [%p1, #%i]", "=ii", format::LOAD_UNSCALED, 0xf800_0000);
    STUR_S = store("stur_s", "stur %f0, [%p1, #%i]", "=fi", format::LOAD_UNSCALED, 0xbc00_0000);
    STUR_D = store("stur_d", "stur %d0, [%p1, #%i]", "=fi", format::LOAD_UNSCALED, 0xfc00_0000);
    STURB = store("sturb", "sturb %w0, [%p1, #%i]", "=ii", format::LOAD_UNSCALED, 0x3800_0000);
    STURH = store("sturh", "sturh %w0, [%p1, #%i]", "=ii", format::LOAD_UNSCALED, 0x7800_0000);
    // ---- Base and index: 64 bits, or 32 bits sign-extended
    LDR_W_LSL = load("ldr_w_lsl", "ldr %w0, [%p1, %x2, lsl #%i]", "i=ii", format::LOAD_INDEXED, 0xb860_6800);
    LDR_W_SXTW =
        load("ldr_w_sxtw", "ldr %w0, [%p1, %w2, sxtw #%i]", "i=ii", format::LOAD_INDEXED, 0xb860_c800);
    LDR_W_UXTW =
        load("ldr_w_uxtw", "ldr %w0, [%p1, %w2, uxtw #%i]", "i=ii", format::LOAD_INDEXED, 0xb860_4800);
    LDR_X_LSL = load("ldr_x_lsl", "ldr %x0, [%p1, %x2, lsl #%i]", "i=ii", format::LOAD_INDEXED, 0xf860_6800);
    LDR_X_SXTW =
        load("ldr_x_sxtw", "ldr %x0, [%p1, %w2, sxtw #%i]", "i=ii", format::LOAD_INDEXED, 0xf860_c800);
    LDR_X_UXTW =
        load("ldr_x_uxtw", "ldr %x0, [%p1, %w2, uxtw #%i]", "i=ii", format::LOAD_INDEXED, 0xf860_4800);
    LDR_S_LSL = load("ldr_s_lsl", "ldr %f0, [%p1, %x2, lsl #%i]", "f=ii", format::LOAD_INDEXED, 0xbc60_6800);
    LDR_S_SXTW =
        load("ldr_s_sxtw", "ldr %f0, [%p1, %w2, sxtw #%i]", "f=ii", format::LOAD_INDEXED, 0xbc60_c800);
    LDR_S_UXTW =
        load("ldr_s_uxtw", "ldr %f0, [%p1, %w2, uxtw #%i]", "f=ii", format::LOAD_INDEXED, 0xbc60_4800);
    LDR_D_LSL = load("ldr_d_lsl", "ldr %d0, [%p1, %x2, lsl #%i]", "f=ii", format::LOAD_INDEXED, 0xfc60_6800);
    LDR_D_SXTW =
        load("ldr_d_sxtw", "ldr %d0, [%p1, %w2, sxtw #%i]", "f=ii", format::LOAD_INDEXED, 0xfc60_c800);
    LDR_D_UXTW =
        load("ldr_d_uxtw", "ldr %d0, [%p1, %w2, uxtw #%i]", "f=ii", format::LOAD_INDEXED, 0xfc60_4800);
    LDRB_LSL = load("ldrb_lsl", "ldrb %w0, [%p1, %x2]", "i=ii", format::LOAD_INDEXED, 0x3860_6800);
    LDRB_SXTW = load("ldrb_sxtw", "ldrb %w0, [%p1, %w2, sxtw]", "i=ii", format::LOAD_INDEXED, 0x3860_c800);
    LDRB_UXTW = load("ldrb_uxtw", "ldrb %w0, [%p1, %w2, uxtw]", "i=ii", format::LOAD_INDEXED, 0x3860_4800);
    LDRH_LSL = load("ldrh_lsl", "ldrh %w0, [%p1, %x2, lsl #%i]", "i=ii", format::LOAD_INDEXED, 0x7860_6800);
    LDRH_SXTW = load("ldrh_sxtw", "ldrh %w0, [%p1, %w2, sxtw #%i]", "i=ii", format::LOAD_INDEXED, 0x7860_c800);
    LDRH_UXTW = load("ldrh_uxtw", "ldrh %w0, [%p1, %w2, uxtw #%i]", "i=ii", format::LOAD_INDEXED, 0x7860_4800);
    LDRSB_LSL = load("ldrsb_lsl", "ldrsb %x0, [%p1, %x2]", "i=ii", format::LOAD_INDEXED, 0x38a0_6800);
    LDRSB_SXTW = load("ldrsb_sxtw", "ldrsb %x0, [%p1, %w2, sxtw]", "i=ii", format::LOAD_INDEXED, 0x38a0_c800);
    LDRSB_UXTW = load("ldrsb_uxtw", "ldrsb %x0, [%p1, %w2, uxtw]", "i=ii", format::LOAD_INDEXED, 0x38a0_4800);
    LDRSH_LSL = load("ldrsh_lsl", "ldrsh %x0, [%p1, %x2, lsl #%i]", "i=ii", format::LOAD_INDEXED, 0x78a0_6800);
    LDRSH_SXTW =
        load("ldrsh_sxtw", "ldrsh %x0, [%p1, %w2, sxtw #%i]", "i=ii", format::LOAD_INDEXED, 0x78a0_c800);
    LDRSH_UXTW =
        load("ldrsh_uxtw", "ldrsh %x0, [%p1, %w2, uxtw #%i]", "i=ii", format::LOAD_INDEXED, 0x78a0_4800);
    LDRSW_LSL = load("ldrsw_lsl", "ldrsw %x0, [%p1, %x2, lsl #%i]", "i=ii", format::LOAD_INDEXED, 0xb8a0_6800);
    LDRSW_SXTW =
        load("ldrsw_sxtw", "ldrsw %x0, [%p1, %w2, sxtw #%i]", "i=ii", format::LOAD_INDEXED, 0xb8a0_c800);
    LDRSW_UXTW =
        load("ldrsw_uxtw", "ldrsw %x0, [%p1, %w2, uxtw #%i]", "i=ii", format::LOAD_INDEXED, 0xb8a0_4800);
    STR_W_LSL = store("str_w_lsl", "str %w0, [%p1, %x2, lsl #%i]", "=iii", format::LOAD_INDEXED, 0xb820_6800);
    STR_W_SXTW =
        store("str_w_sxtw", "str %w0, [%p1, %w2, sxtw #%i]", "=iii", format::LOAD_INDEXED, 0xb820_c800);
    STR_W_UXTW =
        store("str_w_uxtw", "str %w0, [%p1, %w2, uxtw #%i]", "=iii", format::LOAD_INDEXED, 0xb820_4800);
    STR_X_LSL = store("str_x_lsl", "str %x0, [%p1, %x2, lsl #%i]", "=iii", format::LOAD_INDEXED, 0xf820_6800);
    STR_X_SXTW =
        store("str_x_sxtw", "str %x0, [%p1, %w2, sxtw #%i]", "=iii", format::LOAD_INDEXED, 0xf820_c800);
    STR_X_UXTW =
        store("str_x_uxtw", "str %x0, [%p1, %w2, uxtw #%i]", "=iii", format::LOAD_INDEXED, 0xf820_4800);
    STR_S_LSL = store("str_s_lsl", "str %f0, [%p1, %x2, lsl #%i]", "=fii", format::LOAD_INDEXED, 0xbc20_6800);
    STR_S_SXTW =
        store("str_s_sxtw", "str %f0, [%p1, %w2, sxtw #%i]", "=fii", format::LOAD_INDEXED, 0xbc20_c800);
    STR_S_UXTW =
        store("str_s_uxtw", "str %f0, [%p1, %w2, uxtw #%i]", "=fii", format::LOAD_INDEXED, 0xbc20_4800);
    STR_D_LSL = store("str_d_lsl", "str %d0, [%p1, %x2, lsl #%i]", "=fii", format::LOAD_INDEXED, 0xfc20_6800);
    STR_D_SXTW =
        store("str_d_sxtw", "str %d0, [%p1, %w2, sxtw #%i]", "=fii", format::LOAD_INDEXED, 0xfc20_c800);
    STR_D_UXTW =
        store("str_d_uxtw", "str %d0, [%p1, %w2, uxtw #%i]", "=fii", format::LOAD_INDEXED, 0xfc20_4800);
    STRB_LSL = store("strb_lsl", "strb %w0, [%p1, %x2]", "=iii", format::LOAD_INDEXED, 0x3820_6800);
    STRB_SXTW = store("strb_sxtw", "strb %w0, [%p1, %w2, sxtw]", "=iii", format::LOAD_INDEXED, 0x3820_c800);
    STRB_UXTW = store("strb_uxtw", "strb %w0, [%p1, %w2, uxtw]", "=iii", format::LOAD_INDEXED, 0x3820_4800);
    STRH_LSL = store("strh_lsl", "strh %w0, [%p1, %x2, lsl #%i]", "=iii", format::LOAD_INDEXED, 0x7820_6800);
    STRH_SXTW = store("strh_sxtw", "strh %w0, [%p1, %w2, sxtw #%i]", "=iii", format::LOAD_INDEXED, 0x7820_c800);
    STRH_UXTW = store("strh_uxtw", "strh %w0, [%p1, %w2, uxtw #%i]", "=iii", format::LOAD_INDEXED, 0x7820_4800);
    // ---- Globals: the page, and the low 12 bits in the access; `imm` is added to the symbol
    ADRP = row("adrp", "adrp %x0, %s%o", "i=", m::ALU, format::ADRP, 0x9000_0000)
        .with(REMAT)
        .symbol(SymKind::Global);
    ADD_LO12 = row("add_lo12", "add %x0, %x1, :lo12:%s%o", "i=i", m::ALU, format::LO12, 0x9100_0000)
        .symbol(SymKind::Global);
    LDR_W_LO12 = load("ldr_w_lo12", "ldr %w0, [%x1, :lo12:%s%o]", "i=i", format::LOAD_LO12, 0xb940_0000)
        .symbol(SymKind::Global);
    STR_W_LO12 = store("str_w_lo12", "str %w0, [%x1, :lo12:%s%o]", "=ii", format::LOAD_LO12, 0xb900_0000)
        .symbol(SymKind::Global);
    LDR_S_LO12 = load("ldr_s_lo12", "ldr %f0, [%x1, :lo12:%s%o]", "f=i", format::LOAD_LO12, 0xbd40_0000)
        .symbol(SymKind::Global);
    STR_S_LO12 = store("str_s_lo12", "str %f0, [%x1, :lo12:%s%o]", "=fi", format::LOAD_LO12, 0xbd00_0000)
        .symbol(SymKind::Global);
    /// Pseudo: the address of a thread-local global, by the entry of its offset from the thread pointer.
    THREAD = pseudo("thread", "i=", m::LOAD, 16).with(REMAT).symbol(SymKind::Global);
    ADRP_THREAD = row("adrp_thread", "adrp %x0, :gottprel:%s%o", "i=", m::ALU, format::ADRP_THREAD, 0x9000_0000)
        .symbol(SymKind::Global);
    LDR_THREAD = load("ldr_thread", "ldr %x0, [%p1, :gottprel_lo12:%s%o]", "i=i", format::LDR_THREAD, 0xf940_0000)
        .symbol(SymKind::Global);
    THREAD_POINTER = row("thread_pointer", "mrs %x0, tpidr_el0", "i=", m::ALU, format::R, 0xd53b_d040);
    /// Pseudo: the address of a global plus `imm`.
    LA = pseudo("la", "i=", m::ADDRESS, 8).with(REMAT).symbol(SymKind::Global);
    // ---- Prologue and epilogue: moves the base by `imm`, before the store or behind the load
    STP_X_PUSH = store("stp_x_push", "stp %x0, %x1, [%p2, #%i]!", "=iii", format::PAIR, 0xa980_0000);
    STP_D_PUSH = store("stp_d_push", "stp %d0, %d1, [%p2, #%i]!", "=ffi", format::PAIR, 0x6d80_0000);
    STR_X_PUSH = store("str_x_push", "str %x0, [%p1, #%i]!", "=ii", format::LOAD_UNSCALED, 0xf800_0c00);
    STR_D_PUSH = store("str_d_push", "str %d0, [%p1, #%i]!", "=fi", format::LOAD_UNSCALED, 0xfc00_0c00);
    LDP_X_POP = load("ldp_x_pop", "ldp %x0, %x1, [%p2], #%i", "ii=i", format::PAIR, 0xa8c0_0000);
    LDP_D_POP = load("ldp_d_pop", "ldp %d0, %d1, [%p2], #%i", "ff=i", format::PAIR, 0x6cc0_0000);
    LDR_X_POP = load("ldr_x_pop", "ldr %x0, [%p1], #%i", "i=i", format::LOAD_UNSCALED, 0xf840_0400);
    LDR_D_POP = load("ldr_d_pop", "ldr %d0, [%p1], #%i", "f=i", format::LOAD_UNSCALED, 0xfc40_0400);
    // ---- Base that moves by `imm`: definition 0, which is use 0
    LDR_W_BEHIND = load_moving("ldr_w_behind", "ldr %w1, [%p0], #%i", "ii=i", 0xb840_0400);
    LDR_W_BEFORE = load_moving("ldr_w_before", "ldr %w1, [%p0, #%i]!", "ii=i", 0xb840_0c00);
    LDR_S_BEHIND = load_moving("ldr_s_behind", "ldr %f1, [%p0], #%i", "if=i", 0xbc40_0400);
    LDR_S_BEFORE = load_moving("ldr_s_before", "ldr %f1, [%p0, #%i]!", "if=i", 0xbc40_0c00);
    LDRB_BEHIND = load_moving("ldrb_behind", "ldrb %w1, [%p0], #%i", "ii=i", 0x3840_0400);
    LDRB_BEFORE = load_moving("ldrb_before", "ldrb %w1, [%p0, #%i]!", "ii=i", 0x3840_0c00);
    LDRH_BEHIND = load_moving("ldrh_behind", "ldrh %w1, [%p0], #%i", "ii=i", 0x7840_0400);
    LDRH_BEFORE = load_moving("ldrh_before", "ldrh %w1, [%p0, #%i]!", "ii=i", 0x7840_0c00);
    LDR_X_BEHIND = load_moving("ldr_x_behind", "ldr %x1, [%p0], #%i", "ii=i", 0xf840_0400);
    LDR_X_BEFORE = load_moving("ldr_x_before", "ldr %x1, [%p0, #%i]!", "ii=i", 0xf840_0c00);
    STRB_BEHIND = store_moving("strb_behind", "strb %w2, [%p0], #%i", "i=ii", 0x3800_0400);
    STRB_BEFORE = store_moving("strb_before", "strb %w2, [%p0, #%i]!", "i=ii", 0x3800_0c00);
    STRH_BEHIND = store_moving("strh_behind", "strh %w2, [%p0], #%i", "i=ii", 0x7800_0400);
    STRH_BEFORE = store_moving("strh_before", "strh %w2, [%p0, #%i]!", "i=ii", 0x7800_0c00);
    STR_X_BEHIND = store_moving("str_x_behind", "str %x2, [%p0], #%i", "i=ii", 0xf800_0400);
    STR_X_BEFORE = store_moving("str_x_before", "str %x2, [%p0, #%i]!", "i=ii", 0xf800_0c00);
    STR_W_BEHIND = store_moving("str_w_behind", "str %w2, [%p0], #%i", "i=ii", 0xb800_0400);
    STR_W_BEFORE = store_moving("str_w_before", "str %w2, [%p0, #%i]!", "i=ii", 0xb800_0c00);
    STR_S_BEHIND = store_moving("str_s_behind", "str %f2, [%p0], #%i", "i=if", 0xbc00_0400);
    STR_S_BEFORE = store_moving("str_s_before", "str %f2, [%p0, #%i]!", "i=if", 0xbc00_0c00);
    LDR_Q_BEHIND = load_moving("ldr_q_behind", "ldr %q1, [%p0], #%i", "if=i", 0x3cc0_0400);
    LDR_Q_BEFORE = load_moving("ldr_q_before", "ldr %q1, [%p0, #%i]!", "if=i", 0x3cc0_0c00);
    STR_Q_BEHIND = store_moving("str_q_behind", "str %q2, [%p0], #%i", "i=if", 0x3c80_0400);
    STR_Q_BEFORE = store_moving("str_q_before", "str %q2, [%p0, #%i]!", "i=if", 0x3c80_0c00);
    // The same with two registers: what becomes of neighbours.
    LDP_W_BEHIND = pair_moving("ldp_w_behind", "ldp %w1, %w2, [%p0], #%i", "iii=i", 0x28c0_0000);
    LDP_S_BEHIND = pair_moving("ldp_s_behind", "ldp %f1, %f2, [%p0], #%i", "iff=i", 0x2cc0_0000);
    LDP_Q_BEHIND = pair_moving("ldp_q_behind", "ldp %q1, %q2, [%p0], #%i", "iff=i", 0xacc0_0000);
    STP_W_BEHIND = pair_moving("stp_w_behind", "stp %w2, %w3, [%p0], #%i", "i=iii", 0x2880_0000);
    STP_S_BEHIND = pair_moving("stp_s_behind", "stp %f2, %f3, [%p0], #%i", "i=iff", 0x2c80_0000);
    STP_Q_BEHIND = pair_moving("stp_q_behind", "stp %q2, %q3, [%p0], #%i", "i=iff", 0xac80_0000);
    // ---- Pairs: prologue, epilogue and clearing of memory
    LDP_X = load("ldp_x", "ldp %x0, %x1, [%p2, #%i]", "ii=i", format::PAIR, 0xa940_0000);
    LDP_D = load("ldp_d", "ldp %d0, %d1, [%p2, #%i]", "ff=i", format::PAIR, 0x6d40_0000);
    LDP_W = load("ldp_w", "ldp %w0, %w1, [%p2, #%i]", "ii=i", format::PAIR, 0x2940_0000);
    LDP_S = load("ldp_s", "ldp %f0, %f1, [%p2, #%i]", "ff=i", format::PAIR, 0x2d40_0000);
    STP_S = store("stp_s", "stp %f0, %f1, [%p2, #%i]", "=ffi", format::PAIR, 0x2d00_0000);
    STP_W = store("stp_w", "stp %w0, %w1, [%p2, #%i]", "=iii", format::PAIR, 0x2900_0000);
    STP_X = store("stp_x", "stp %x0, %x1, [%p2, #%i]", "=iii", format::PAIR, 0xa900_0000);
    STP_D = store("stp_d", "stp %d0, %d1, [%p2, #%i]", "=ffi", format::PAIR, 0x6d00_0000);
    // ---- Pseudos: `imm` bytes into a frame slot
    LDR_W_SLOT = in_slot("ldr_w_slot", "i=i", 4, LOADS);
    LDR_X_SLOT = in_slot("ldr_x_slot", "i=i", 8, LOADS);
    LDR_S_SLOT = in_slot("ldr_s_slot", "f=i", 4, LOADS);
    LDR_D_SLOT = in_slot("ldr_d_slot", "f=i", 8, LOADS);
    LDR_Q_SLOT = in_slot("ldr_q_slot", "f=i", 16, LOADS);
    STR_Q_SLOT = in_slot("str_q_slot", "=fi", 16, STORES);
    LDRB_SLOT = in_slot("ldrb_slot", "i=i", 1, LOADS);
    LDRH_SLOT = in_slot("ldrh_slot", "i=i", 2, LOADS);
    LDRSB_SLOT = in_slot("ldrsb_slot", "i=i", 1, LOADS);
    LDRSH_SLOT = in_slot("ldrsh_slot", "i=i", 2, LOADS);
    LDRSW_SLOT = in_slot("ldrsw_slot", "i=i", 4, LOADS);
    STR_W_SLOT = in_slot("str_w_slot", "=ii", 4, STORES);
    STR_X_SLOT = in_slot("str_x_slot", "=ii", 8, STORES);
    STR_S_SLOT = in_slot("str_s_slot", "=fi", 4, STORES);
    STR_D_SLOT = in_slot("str_d_slot", "=fi", 8, STORES);
    STRB_SLOT = in_slot("strb_slot", "=ii", 1, STORES);
    STRH_SLOT = in_slot("strh_slot", "=ii", 2, STORES);
    STP_X_SLOT = in_slot("stp_x_slot", "=iii", 16, STORES);
    // Stack parameters are never written, so loading one again is as good as a reload.
    LDR_W_PARAM = in_slot("ldr_w_param", "i=i", 4, LOADS | REMAT);
    LDR_X_PARAM = in_slot("ldr_x_param", "i=i", 8, LOADS | REMAT);
    LDR_S_PARAM = in_slot("ldr_s_param", "f=i", 4, LOADS | REMAT);
    LDR_D_PARAM = in_slot("ldr_d_param", "f=i", 8, LOADS | REMAT);
    /// The address of a place in a slot.
    SLOT_ADDRESS = in_slot("slot_address", "i=i", 0, REMAT);
}
