//! From an allocated function to a final one: the frame is laid out, prologue and epilogues are put in, frame
//! references get their offsets, and pseudo instructions their code. One pass over the rows; O(rows).
//!
//! The prologue pushes saved registers in pairs, with one change of the stack pointer for all of them, and
//! then moves it below the rest of the frame; so the saves are in reach whatever the frame's size. A small
//! frame is made by the push alone. There is a frame pointer (x29) only where the stack pointer moves later.

use super::assembly::ASSEMBLER;
use super::atomic;
use super::immediate::{self, Steps};
use super::memory::ACCESSES;
use super::registers::{ADDRESS, FRAME, LR, MACHINE, SP, ZERO};
use super::rows::OPS;
use super::rows::atomic::{DMB, EXCHANGE, UPDATE};
use super::rows::control::{ADD_TABLE_W, ADD_TABLE_X, ADR_TABLE, B_ENTRY, BR_TABLE, TABLE_W, TABLE_X};
use super::rows::control::{B_COND, CSEL_W, CSEL_X, CSET, CSETM, CSINC_W, CSNEG_W, FCSEL_D, FCSEL_S};
use super::rows::control::{BR_X16, GET_SP, RET, RETURN_VALUE, SET_SP, TAIL, TAIL_X9, TAKE, UNWIND};
use super::rows::float::*;
use super::rows::int::*;
use super::rows::memory::*;
use super::rows::position::*;
use super::rows::vector::{COPY_2, COPY_3, COPY_4, VEOR};
use super::rows::vector::{IN_TURN_2, IN_TURN_3, IN_TURN_4, LD1_S_LANE_UP, LD2_S, LD3_S, LD4_S};
use super::rows::vector::{LDP_Q, LDR_Q, LDUR_Q, STP_Q, STR_Q, STUR_Q};
use super::rows::vector::{
    OUT_IN_TURN_2, OUT_IN_TURN_3, OUT_IN_TURN_4, ST1_S_LANE_UP, ST2_S, ST3_S, ST4_S, VMOV,
};
use crate::ir::Type;
use crate::isa::builtin::Builtins;
use crate::isa::convention::fixed;
use crate::isa::frame::{Emitter, Frames, Layout, Made, Part, Step, Through, too_large};
use crate::isa::memory::Access;
use crate::isa::turns::{Accesses, Turns, access_in_turn, copy_at_once};
use crate::mir::conditional::{Conditional, Form};
use crate::mir::desc::{ENTRY, INVOKE, LANDING};
use crate::mir::frame::{FrameTooLarge, SaveArea, layout};
use crate::mir::pair::{PairRow, Pairs, Takes, pair_table};
use crate::mir::pass::Levels;
use crate::mir::rewrite::{Plan, plans};
use crate::mir::zero_flags::ZeroFlags;
use crate::mir::{Class, Func, InstRow, MachineOp, Operand, PReg};

const SP_REG: Operand = Operand::phys(SP);
const SCRATCH: Operand = Operand::phys(ADDRESS);
const X9: PReg = PReg::int(9);
const X16: PReg = PReg::int(16);

/// All registers at once; behind the last vector comes the first one.
static TURNS: Turns = Turns {
    loads: Accesses {
        at_once: [(LD2_S, None), (LD3_S, None), (LD4_S, None)],
        lanes: [(LD1_S_LANE_UP, 0), (LD1_S_LANE_UP, 1), (LD1_S_LANE_UP, 2), (LD1_S_LANE_UP, 3)],
    },
    stores: Accesses {
        at_once: [(ST2_S, None), (ST3_S, None), (ST4_S, None)],
        lanes: [(ST1_S_LANE_UP, 0), (ST1_S_LANE_UP, 1), (ST1_S_LANE_UP, 2), (ST1_S_LANE_UP, 3)],
    },
    round: Some(32),
    scratch: SCRATCH,
    add: ADD_X_IMM,
    copy: VMOV,
    exclusive: VEOR,
};

/// What makes a function final.
pub static FRAMES: Frames = Frames {
    machine: &MACHINE,
    plans: &PLANS,
    sp: SP,
    base: (FRAME, ADD_X_IMM),
    count: ADDRESS,
    leave: [RETURN_VALUE, RET],
    jumps: &[(TAIL, None), (TAIL_X9, Some(Through { from: X9, copy: MOV_X, to: X16, jump: BR_X16 }))],
    staying: &[],
    unwind: UNWIND,
    parts,
    sums: [ADD_X_SP, SUB_X_SP],
    constant: constant_x,
    sequences: &SEQUENCES,
    lay_out,
    expand,
    pairs: Some(&PAIRS),
    zero_flags: Some(&ZERO_FLAGS),
    conditional: Some(&CONDITIONAL),
    in_order: false,
};

static SEQUENCES: [(MachineOp, &[Made]); 7] = [
    (LA_GOT, &[(ADRP_GOT, "0"), (LDR_GOT, "00")]),
    (THREAD, &[(ADRP_THREAD, "0"), (LDR_THREAD, "00"), (THREAD_POINTER, "s"), (ADD_X, "00s")]),
    (THREAD_FIXED, &[(THREAD_POINTER, "0"), (ADD_TPREL_HI12, "00"), (ADD_TPREL_LO12, "00")]),
    (TABLE_W, &[(ADR_TABLE, ""), (ADD_TABLE_W, "0"), (BR_TABLE, ""), (B_ENTRY, "")]),
    (TABLE_X, &[(ADR_TABLE, ""), (ADD_TABLE_X, "0"), (BR_TABLE, ""), (B_ENTRY, "")]),
    (GET_SP, &[(ADD_X_IMM, "0p")]),
    (SET_SP, &[(ADD_X_IMM, "p0")]),
];

/// What computes and sets the flags, for comparisons with zero.
static ZERO_FLAGS: ZeroFlags = ZeroFlags {
    compare: CMP_W_IMM,
    rows: &[
        (ADD_W, ADDS_W),
        (ADD_W_IMM, ADDS_W_IMM),
        (SUB_W, SUBS_W),
        (SUB_W_IMM, SUBS_W_IMM),
        (AND_W, ANDS_W),
        (AND_W_IMM, ANDS_W_IMM),
    ],
    asks: &[B_COND, CSET, CSETM, CSEL_W, CSEL_X, CSINC_W, CSNEG_W, FCSEL_S, FCSEL_D],
};

/// Copies and increments are choices between that and what was there.
static CONDITIONAL: Conditional = Conditional {
    branch: B_COND,
    conditions: 14,
    rows: &[
        (MOV_W, CSEL_W, Form::Last),
        (MOV_X, CSEL_X, Form::Last),
        (FMOV_S, FCSEL_S, Form::Last),
        (FMOV_D, FCSEL_D, Form::Last),
        (ADD_W_IMM, CSINC_W, Form::PlusOne),
    ],
};

/// The rows of builtins.
pub static BUILTINS: Builtins = Builtins {
    take: TAKE,
    stack: [GET_SP, SET_SP],
    fence: DMB,
    thread: [THREAD, THREAD_FIXED],
    thread_call: |cx, def, global| {
        let (offset, pointer) = (Operand::virt(cx.new_reg(Type::Ptr)), Operand::virt(cx.new_reg(Type::Ptr)));
        cx.emit_call(DESCRIPTOR, 1, &[fixed(offset, PReg::int(0))], global);
        cx.emit(THREAD_POINTER, &[pointer], &[], 0, 0);
        cx.emit(ADD_X, &[def], &[offset, pointer], 0, 0);
    },
    atomic: atomic::select,
    assembler: &ASSEMBLER,
};

/// What neighbours become.
/// Loads and stores that move their base.
const MOVING: &[(MachineOp, MachineOp, MachineOp)] = &[
    (LDR_W_BEHIND, LDR_W, LDP_W_BEHIND),
    (LDR_S_BEHIND, LDR_S, LDP_S_BEHIND),
    (LDR_Q_BEHIND, LDR_Q, LDP_Q_BEHIND),
    (STR_W_BEHIND, STR_W, STP_W_BEHIND),
    (STR_S_BEHIND, STR_S, STP_S_BEHIND),
    (STR_Q_BEHIND, STR_Q, STP_Q_BEHIND),
];

static PAIRS: Pairs = Pairs {
    levels: Levels::ALL,
    of: &pair_table::<{ OPS.len() }>(
        &[
            &[LDR_W, LDUR_W, LDR_W_SLOT, LDR_W_PARAM],
            &[LDR_X, LDUR_X, LDR_X_SLOT, LDR_X_PARAM],
            &[LDR_S, LDUR_S, LDR_S_SLOT, LDR_S_PARAM],
            &[LDR_D, LDUR_D, LDR_D_SLOT, LDR_D_PARAM],
            &[STR_W, STUR_W, STR_W_SLOT],
            &[STR_X, STUR_X, STR_X_SLOT],
            &[STR_S, STUR_S, STR_S_SLOT],
            &[STR_D, STUR_D, STR_D_SLOT],
            &[LDR_Q, LDUR_Q, LDR_Q_SLOT],
            &[STR_Q, STUR_Q, STR_Q_SLOT],
        ],
        MOVING,
    ),
    moving: MOVING,
    rows: &[
        PairRow { op: LDP_W, bytes: 4, takes: Takes::Any },
        PairRow { op: LDP_X, bytes: 8, takes: Takes::Any },
        PairRow { op: LDP_S, bytes: 4, takes: Takes::Any },
        PairRow { op: LDP_D, bytes: 8, takes: Takes::Any },
        PairRow { op: STP_W, bytes: 4, takes: Takes::Any },
        PairRow { op: STP_X, bytes: 8, takes: Takes::Any },
        PairRow { op: STP_S, bytes: 4, takes: Takes::Any },
        PairRow { op: STP_D, bytes: 8, takes: Takes::Any },
        PairRow { op: LDP_Q, bytes: 16, takes: Takes::Any },
        PairRow { op: STP_Q, bytes: 16, takes: Takes::Any },
    ],
    sp: SP_REG,
    doubles: &[],
};

/// See `Frames::lay_out`.
fn lay_out(func: &mut Func) -> Result<Layout, String> {
    let mut saved: Vec<PReg> = func.saved.iter().collect();
    if func.has_calls {
        let at = saved.iter().position(|reg| reg.class() == Class::FLOAT).unwrap_or(saved.len());
        saved.insert(at, LR);
    }
    steps_of(func, &pairs(&saved)).map(Layout::of).map_err(too_large)
}

/// See `Frames::expand`.
fn expand(e: &mut Emitter, row: InstRow) {
    match row.op {
        ENTRY => {}
        INVOKE | LANDING => e.out.push(row),
        LI_W => constant_w(e, e.operand(&row, 0), row.imm as u32),
        LI_X => constant_x(e, e.operand(&row, 0), i64::from(row.imm)),
        LI_WIDE => constant_x(e, e.operand(&row, 0), e.func.wide[row.sym as usize]),
        LI_S => float(e, &row, true, u64::from(row.imm as u32)),
        LI_D => float(e, &row, false, e.func.wide[row.sym as usize] as u64),
        LA => {
            let def = e.operand(&row, 0);
            e.emit(ADRP, &[def], &[], row.imm, row.sym);
            e.emit(ADD_LO12, &[def], &[def], row.imm, row.sym);
        }
        DESCRIPTOR => {
            // These registers, and in this order, for linkers that make less of it.
            let [x0, x1] = [0, 1].map(|number| Operand::phys(PReg::int(number)));
            e.emit(ADRP_DESC, &[x0], &[], 0, row.sym);
            e.emit(LDR_DESC, &[x1], &[x0], 0, row.sym);
            e.emit(ADD_DESC, &[x0], &[x0], 0, row.sym);
            e.emit(BLR_DESC, &[], &[x1], 0, row.sym);
        }
        SLOT_ADDRESS => e.frame_address(e.operand(&row, 0), e.base(&row), e.offset(&row)),
        IN_TURN_2 | IN_TURN_3 | IN_TURN_4 | OUT_IN_TURN_2 | OUT_IN_TURN_3 | OUT_IN_TURN_4 => {
            access_in_turn(e, &row, &TURNS);
        }
        COPY_2 | COPY_3 | COPY_4 => copy_at_once(e, &row, &TURNS),
        TAKE => e.take(&row, SCRATCH, SUB_X, |e, def, from, bits| e.set(AND_X_IMM, def, &[from], -1 << bits)),
        UPDATE => atomic::update(e, &row),
        EXCHANGE => atomic::exchange(e, &row),
        STP_X_SLOT => {
            let offset = e.offset(&row);
            let near = (0..=504).contains(&offset) && offset % 8 == 0;
            let base = e.base(&row);
            if !near {
                e.frame_address(SCRATCH, base, offset);
            }
            let (base, offset) = if near { (base, offset) } else { (SCRATCH, 0) };
            e.access(row, STP_X, base, offset);
        }
        op => match SLOTS.iter().position(|&slot| slot == op) {
            Some(k) => slot_access(e, row, in_slot(k)),
            None => e.rest(row),
        },
    }
}

/// The rows for slots, by `ACCESSES`; then those that load parameters, as the second to the fifth do.
const SLOTS: [MachineOp; ACCESSES.len() + 4] = {
    let mut slots = [LDR_D_PARAM; ACCESSES.len() + 4];
    let mut k = 0;
    while k < ACCESSES.len() {
        slots[k] = ACCESSES[k].slot;
        k += 1;
    }
    (slots[k], slots[k + 1], slots[k + 2]) = (LDR_W_PARAM, LDR_X_PARAM, LDR_S_PARAM);
    slots
};

/// What a row of `SLOTS` becomes.
const fn in_slot(k: usize) -> &'static Access {
    &ACCESSES[if k < ACCESSES.len() { k } else { k - ACCESSES.len() + 1 }]
}

/// Rows that stay one row: accesses and addresses of near slots, constants of 16 bits.
static PLANS: [Plan; OPS.len()] = {
    let mut others = [(STP_X_SLOT, Plan::slot(STP_X, 0x1f8, 0)); SLOTS.len() + 4];
    let mut k = 0;
    while k < SLOTS.len() {
        let access = in_slot(k);
        others[k] = (SLOTS[k], Plan::slot(access.offset, 0xfff * access.bytes as u32, 0));
        k += 1;
    }
    others[k] = (SLOT_ADDRESS, Plan::slot(ADD_X_IMM, 0xfff, 0));
    others[k + 1] = (LI_W, Plan::to(MOVZ_W0, 0xffff, 0));
    others[k + 2] = (LI_X, Plan::to(MOVZ_X0, 0xffff, 0));
    plans(&OPS, &others)
};

/// Gives slots their offsets. If nothing has to be below the saved registers, the push of the first, which
/// are at its new place, makes room for all there is.
fn steps_of(func: &mut Func, saves: &[[Option<PReg>; 2]]) -> Result<Vec<Step>, FrameTooLarge> {
    let save_bytes = 16 * saves.len() as u32;
    let mut push = i64::from(save_bytes);
    let area = if saves.is_empty() { SaveArea::Top } else { SaveArea::Bottom };
    let mut frame = layout(func, &MACHINE, save_bytes, area)?;
    if let Some([_, second]) = saves.first() {
        if frame.save_offset == 0 && frame.bytes < if second.is_some() { 512 } else { 256 } {
            push = frame.bytes;
        } else {
            frame = layout(func, &MACHINE, save_bytes, SaveArea::Top)?;
        }
    }
    let mut steps = Vec::with_capacity(saves.len() + 1);
    for (k, &regs) in saves.iter().enumerate() {
        let is_float = regs[0].is_some_and(|reg| reg.class() == Class::FLOAT);
        let row = usize::from(is_float) + 2 * usize::from(regs[1].is_none());
        let mut step = Step::store(func, SAVES[row], regs, 16 * k as i64);
        if k == 0 {
            let [store, load] = PUSHES[row];
            (step.rows, step.bytes) = (Some([(store, -push as i32), (load, push as i32)]), push);
        }
        steps.push(step);
    }
    steps.push(Step::down(frame.bytes - push));
    Ok(steps)
}

/// What stores and loads two registers of integers, two floating ones, one, and one.
const SAVES: [[MachineOp; 2]; 4] = [[STP_X, LDP_X], [STP_D, LDP_D], [STR_X, LDR_X], [STR_D, LDR_D]];
/// The same, moving the stack pointer.
const PUSHES: [[MachineOp; 2]; 4] =
    [[STP_X_PUSH, LDP_X_POP], [STP_D_PUSH, LDP_D_POP], [STR_X_PUSH, LDR_X_POP], [STR_D_PUSH, LDR_D_POP]];

/// Saved registers two and two, of one class; a last one may be alone.
fn pairs(saved: &[PReg]) -> Vec<[Option<PReg>; 2]> {
    let mut pairs: Vec<[Option<PReg>; 2]> = Vec::new();
    for &reg in saved {
        match pairs.last_mut() {
            Some([Some(first), second @ None]) if first.class() == reg.class() => *second = Some(reg),
            _ => pairs.push([Some(reg), None]),
        }
    }
    pairs
}

fn steps(e: &mut Emitter, def: Operand, steps: Steps, wide: i64) {
    for (k, &(op, imm)) in steps.as_slice().iter().enumerate() {
        let uses = if k == 0 { &[][..] } else { &[def] };
        let mut sym = 0;
        if op == MOV_X_WIDE_MASK {
            sym = e.func.wide.len() as u32;
            e.func.wide.push(wide);
        }
        e.emit(op, &[def], uses, imm, sym);
    }
}

fn constant_w(e: &mut Emitter, def: Operand, x: u32) {
    steps(e, def, immediate::steps_w(x), 0);
}

fn constant_x(e: &mut Emitter, def: Operand, x: i64) {
    steps(e, def, immediate::steps_x(x), x);
}

/// A float by its bits: zero and what `fmov` has directly, others by way of an integer register.
fn float(e: &mut Emitter, row: &InstRow, single: bool, bits: u64) {
    let def = e.operand(row, 0);
    let (from_int, imm_row) = if single { (FMOV_S_W, FMOV_S_IMM) } else { (FMOV_D_X, FMOV_D_IMM) };
    let x = if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    if bits == 0 {
        return e.set(from_int, def, &[Operand::phys(ZERO)], 0);
    }
    if let Some(imm) = immediate::float8(x) {
        return e.set(imm_row, def, &[], imm.into());
    }
    if single {
        constant_w(e, SCRATCH, bits as u32);
    } else {
        constant_x(e, SCRATCH, bits as i64);
    }
    e.set(from_int, def, &[SCRATCH], 0);
}

/// Up to 24 bits are added in two parts of 12.
fn parts(x: i64) -> Option<(Part, Option<Part>)> {
    let (low, high) = (x.abs() & 0xfff, x.abs() >> 12);
    let [add, add_high] = if x < 0 { [SUB_X_IMM, SUB_X_IMM12] } else { [ADD_X_IMM, ADD_X_IMM12] };
    let low_part = (add, low as i32, low * x.signum());
    let high_part = (add_high, high as i32, (high << 12) * x.signum());
    match (high, low) {
        (0, _) => Some((low_part, None)),
        (1..=0xfff, 0) => Some((high_part, None)),
        (1..=0xfff, _) => Some((high_part, Some(low_part))),
        _ => None,
    }
}

/// A load or store of a slot: scaled, unscaled, or behind a page of 4 KB that can be added by one
/// instruction.
fn slot_access(e: &mut Emitter, row: InstRow, access: &Access) {
    let (base, offset) = (e.base(&row), e.offset(&row));
    if offset % access.bytes == 0 && (0..4096).contains(&(offset / access.bytes)) {
        return e.access(row, access.offset, base, offset);
    }
    if (-256..256).contains(&offset) {
        return e.access(row, access.unscaled, base, offset);
    }
    let mut low = offset & 0xfff;
    if low % access.bytes != 0 || !(0..=0xfff).contains(&(offset >> 12)) {
        low = 0;
    }
    e.frame_address(SCRATCH, base, offset - low);
    e.access(row, access.offset, SCRATCH, low);
}
