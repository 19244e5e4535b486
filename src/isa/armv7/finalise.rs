//! From an allocated function to a final one: prologue and epilogues, frame references, pseudo instructions.
//!
//! ```text
//!   sub sp, sp, #...        if registers may hold variadic arguments, which go there
//!   push {r4-r<n>, lr}      if something is called, preserved or kept in lr; an even number
//!   vpush {s16-s<n>}        if some are written; an even number
//!   vpush {d15}             if it is written, or may be: something is kept in lr and out of reach
//!   sub sp, sp, #...
//! ```
//!
//! An offset that a load or store cannot hold is computed in the register that is loaded, or else in ip. If
//! it is ip that is stored, lr takes its part, and s31 keeps what is in lr: s28 where d15 is the allocator's.
//! O(rows).

use super::atomic;
use super::imm::{chunks, fits_float_memory, fits_half_memory, fits_memory, is_rotated};
use super::position::{
    ADD_FROM_HERE, GOT_WORD, LA_GOT, LA_PC, LA_TLS_GD, MOVT_PC, MOVW_PC, THREAD_FIXED, TLS_GD_WORD,
    TPREL_WORD,
};
use super::registers::{ALL, FRAME, IP, LR, MACHINE, SP};
use super::rows::*;
use super::vector::{QCOPY_2, QCOPY_3, QCOPY_4, QEOR};
use super::vector::{
    QIN_TURN_2, QIN_TURN_3, QIN_TURN_4, QLD1_LANE_HIGH, QLD1_LANE_LOW, QLD2, QLD3_HIGH, QLD3_LOW, QLD4_HIGH,
    QLD4_LOW, QOUT_IN_TURN_2, QOUT_IN_TURN_3, QOUT_IN_TURN_4, QST1_LANE_HIGH, QST1_LANE_LOW, QST2, QST3_HIGH,
    QST3_LOW, QST4_HIGH, QST4_LOW,
};
use super::vector::{QLD1, QLD1_TWO_UP, QLD1_UP, QLDR_HIGH, QLDR_LOW, QLDR_SLOT, QMOV};
use super::vector::{QST1, QST1_TWO_UP, QST1_UP, QSTR_HIGH, QSTR_LOW, QSTR_SLOT};
use crate::isa::frame::{Emitter, Frames, Layout, Made, Part, Step, Through, too_large};
use crate::isa::turns::{Accesses, Turns, access_in_turn, copy_at_once};
use crate::mir::conditional::{Conditional, Form};
use crate::mir::frame::{SaveArea, layout, varargs};
use crate::mir::pair::{PairRow, Pairs, Takes, pair_table};
use crate::mir::pass::Levels;
use crate::mir::rewrite::{Plan, plans};
use crate::mir::zero_flags::ZeroFlags;
use crate::mir::{Func, InstRow, MachineOp, Operand, PReg, SlotKind};

const SP_REG: Operand = Operand::phys(SP);
const SCRATCH: Operand = Operand::phys(IP);
const LR_REG: Operand = Operand::phys(LR);
/// What keeps lr, in functions without doubles and with them.
const KEPT_LR: [Operand; 2] = [Operand::phys(PReg::float(31)), Operand::phys(PReg::float(28))];

/// Words and vectors go by two. (At -O1 allocation leaves four of 3,000 accesses of `large_initialisers` in registers that follow one
/// another, for 1.2% of the time.)
static PAIRS: Pairs = Pairs {
    levels: Levels::FROM[2],
    of: &pair_table::<{ ALL.len() }>(&[&[LDR, LDR_SLOT, LDR_ARG], &[STR, STR_SLOT]], &[]),
    rows: &[
        PairRow { op: LDRD, bytes: 4, takes: Takes::Following(&[(0, LDM), (4, LDMIB)]) },
        PairRow { op: STRD, bytes: 4, takes: Takes::Following(&[(0, STM), (4, STMIB)]) },
    ],
    moving: &[],
    sp: SP_REG,
    doubles: &[(QLD1_UP, QLD1_TWO_UP), (QST1_UP, QST1_TWO_UP)],
};

/// What computes and sets the flags, for comparisons with zero.
static ZERO_FLAGS: ZeroFlags = ZeroFlags {
    compare: CMP_I,
    rows: &[
        (LSR_I, LSRS_I),
        (ASR_I, ASRS_I),
        (LSL_I, LSLS_I),
        (AND, ANDS),
        (AND_I, ANDS_I),
        (ADD, ADD_FLAGS),
        (ADD_I, ADD_FLAGS_I),
        (SUB, SUB_FLAGS),
        (SUB_I, SUB_FLAGS_I),
    ],
    asks: &[
        B_EQ,
        MOV_EQ,
        MOV_I_EQ,
        VMOV_EQ,
        VMOV_D_EQ,
        ADD_TO_EQ,
        ADD_I_TO_EQ,
        ADD_I_IF_EQ,
        SUB_FROM_EQ,
        SUB_I_FROM_EQ,
        SUB_I_IF_EQ,
        FROM_I_EQ,
    ],
};

/// What is executed under conditions instead of branched around.
static CONDITIONAL: Conditional = Conditional {
    branch: B_EQ,
    conditions: 14,
    rows: &[
        (MOV, MOV_EQ, Form::First),
        (MOV_I, MOV_I_EQ, Form::Same),
        (ADD, ADD_IF_EQ, Form::Same),
        (ADD_I, ADD_I_IF_EQ, Form::First),
        (SUB, SUB_IF_EQ, Form::Same),
        (SUB_I, SUB_I_IF_EQ, Form::First),
        (STR, STR_IF_EQ, Form::Same),
        (STR_LSL, STR_LSL_IF_EQ, Form::Same),
        (LDR, LDR_IF_EQ, Form::Same),
        (LDRD, LDRD_IF_EQ, Form::Same),
        (STRD, STRD_IF_EQ, Form::Same),
        (LDM, LDM_IF_EQ, Form::Same),
        (LDMIB, LDMIB_IF_EQ, Form::Same),
        (STM, STM_IF_EQ, Form::Same),
        (STMIB, STMIB_IF_EQ, Form::Same),
    ],
};

/// Of three and four vectors, low halves first; the last register has none behind it.
static TURNS: Turns = Turns {
    loads: Accesses {
        at_once: [(QLD2, None), (QLD3_LOW, Some(QLD3_HIGH)), (QLD4_LOW, Some(QLD4_HIGH))],
        lanes: [(QLD1_LANE_LOW, 0), (QLD1_LANE_LOW, 1), (QLD1_LANE_HIGH, 0), (QLD1_LANE_HIGH, 1)],
    },
    stores: Accesses {
        at_once: [(QST2, None), (QST3_LOW, Some(QST3_HIGH)), (QST4_LOW, Some(QST4_HIGH))],
        lanes: [(QST1_LANE_LOW, 0), (QST1_LANE_LOW, 1), (QST1_LANE_HIGH, 0), (QST1_LANE_HIGH, 1)],
    },
    round: None,
    scratch: SCRATCH,
    add: ADD_I,
    copy: QMOV,
    exclusive: QEOR,
};

/// What makes a function final. ip is free where the stack pointer moves: it holds something only between
/// the rows of one move of the allocator's.
pub static FRAMES: Frames = Frames {
    machine: &MACHINE,
    plans: &PLANS,
    sp: SP,
    base: (FRAME, MOV),
    count: IP,
    leave: [BX_LR; 2],
    jumps: &[(TAIL, None), (TAIL_LR, Some(Through { from: LR, copy: MOV, to: IP, jump: BX_IP }))],
    staying: &[(POP_R4, POP_R4_LR), (POP_TO, POP_TO_LR)],
    unwind: UNWIND,
    parts,
    sums: [ADD, SUB],
    constant,
    sequences: &SEQUENCES,
    lay_out,
    expand,
    pairs: Some(&PAIRS),
    zero_flags: Some(&ZERO_FLAGS),
    conditional: Some(&CONDITIONAL),
    in_order: false,
};

/// A word that stands in the code is jumped over: how far something is from there.
static SEQUENCES: [(MachineOp, &[Made]); 8] = [
    (LA_GOT, &[(LDR_NEXT, "0"), (B_OVER, ""), (GOT_WORD, ""), (LDR_FROM_HERE, "00")]),
    (LA_TLS_GD, &[(LDR_NEXT, "0"), (B_OVER, ""), (TLS_GD_WORD, ""), (ADD_FROM_HERE, "00")]),
    (
        THREAD,
        &[
            (LDR_NEXT, "0"),
            (B_OVER, ""),
            (THREAD_WORD, ""),
            (LDR_FROM_HERE, "00"),
            (THREAD_POINTER, "s"),
            (ADD, "00s"),
        ],
    ),
    (THREAD_FIXED, &[(LDR_NEXT, "0"), (B_OVER, ""), (TPREL_WORD, ""), (THREAD_POINTER, "s"), (ADD, "00s")]),
    (TABLE, &[(ADD_PC, "0"), (NOP, ""), (B_ENTRY, "")]),
    (GET_SP, &[(MOV, "0p")]),
    (SET_SP, &[(MOV, "p0")]),
    (VWORDS, &[(VCVT_D15, "2"), (VMOV_D15, "01")]),
];

/// More than the registers can take, 36 + 56 + 8 bytes.
const MOST_SAVED: i64 = 104;

/// The pushes. Lays the frame out to see whether everything is near.
fn pushes(func: &mut Func) -> Result<Vec<Step>, String> {
    let mut reach = layout(func, &MACHINE, 0, SaveArea::Top).map_err(too_large)?.bytes;
    for (_, slot) in func.slots.iter() {
        if let SlotKind::Incoming(_) = slot.kind {
            reach = reach.max(slot.offset + 4);
        }
    }
    let is_far = reach + MOST_SAVED > 1020;
    // All of them are looked at, several at a time: mostly none is what is looked for.
    let [s30, s31] = [PReg::float(30), PReg::float(31)].map(Operand::phys);
    let has_lr = func.operands.iter().fold(false, |any, &o| any | (o == LR_REG));
    let has_d15 = func.operands.iter().fold(is_far && has_lr, |any, &o| any | (o == s30) | (o == s31))
        || func.insts.as_slice().iter().any(|row| row.op == VWORDS);
    let last = |of: std::ops::Range<u8>| {
        let saved = func.saved.iter().filter(|reg| of.contains(&reg.0));
        saved.map(PReg::number).max()
    };
    let mut steps = Vec::with_capacity(5);
    let above = varargs(func, &MACHINE);
    if above != 0 {
        steps.push(Step::down(above.into()));
    }
    // Unwinders see floating registers by pairs.
    let mut push = |[push, pop]: [MachineOp; 2], last, regs: &mut dyn Iterator<Item = PReg>, bytes| {
        let rows = Some([(push, 0), (pop, 0)]);
        let saved = regs.zip((0..).step_by(bytes)).collect::<Vec<_>>();
        let bytes = (bytes * saved.len()) as i64;
        steps.push(Step { rows, regs: [last, None], has_base: false, bytes, saved });
    };
    let core = last(0..32);
    if func.has_calls || has_lr || is_far || core.is_some() {
        // Up to an even register, so that with lr the number is even; up to r11 it is not.
        let n = core.map_or(4, |n| (n + (n & 1)).min(11));
        let (n, rows) = match (above, n) {
            (0, 4) => (4, [PUSH_R4, POP_R4]),
            (0, n) => (n, [PUSH_TO, POP_TO]),
            // The stack pointer moves behind it.
            (_, n) => (n.max(5), [PUSH_TO, POP_TO_LR]),
        };
        let last = (n != 4).then_some(PReg::int(n));
        push(rows, last, &mut (4..=n).map(PReg::int).chain([LR]), 4);
    }
    let kept = (func.is_wide && is_far && has_lr).then_some(28);
    if let Some(n) = last(48..62).max(kept) {
        let last = Some(PReg::float(n | 1));
        push([VPUSH_TO, VPOP_TO], last, &mut (16..n | 1).step_by(2).map(PReg::float), 8);
    }
    if has_d15 {
        push([VPUSH_D15, VPOP_D15], None, &mut [PReg::float(30)].into_iter(), 8);
    }
    Ok(steps)
}

/// See `Frames::lay_out`.
fn lay_out(func: &mut Func) -> Result<Layout, String> {
    let mut steps = pushes(func)?;
    let saved: i64 = steps.iter().map(|step| step.bytes).sum();
    let frame = layout(func, &MACHINE, saved as u32, SaveArea::Top).map_err(too_large)?;
    steps.push(Step::down(frame.bytes - saved));
    Ok(Layout::of(steps))
}

/// Rows that stay one row: accesses of near slots, constants of 8 bits.
static PLANS: [Plan; ALL.len()] = plans(
    &ALL,
    &[
        (LDR_SLOT, Plan::slot(LDR, 0xfff, 0)),
        (LDR_ARG, Plan::slot(LDR, 0xfff, 0)),
        (LDRB_SLOT, Plan::slot(LDRB, 0xfff, 0)),
        (LDRH_SLOT, Plan::slot(LDRH, 0xff, 0)),
        (STRH_SLOT, Plan::slot(STRH, 0xff, 0)),
        (STR_SLOT, Plan::slot(STR, 0xfff, 0)),
        (STRB_SLOT, Plan::slot(STRB, 0xfff, 0)),
        (VLDR_SLOT, Plan::slot(VLDR, 0x3fc, 0)),
        (VLDR_ARG, Plan::slot(VLDR, 0x3fc, 0)),
        (VSTR_SLOT, Plan::slot(VSTR, 0x3fc, 0)),
        (VLDR_D_SLOT, Plan::slot(VLDR_D, 0x3fc, 0)),
        (VLDR_D_ARG, Plan::slot(VLDR_D, 0x3fc, 0)),
        (VSTR_D_SLOT, Plan::slot(VSTR_D, 0x3fc, 0)),
        (LI, Plan::to(MOV_I, 0xff, 0)),
    ],
);

/// Emits `def = x`.
fn constant(e: &mut Emitter, def: Operand, x: i64) {
    let x = x as i32;
    if (0..256).contains(&x) || is_rotated(x) {
        e.set(MOV_I, def, &[], x.into());
    } else if is_rotated(!x) {
        e.set(MVN_I, def, &[], (!x).into());
    } else {
        e.set(MOVW, def, &[], (x & 0xffff).into());
        if x as u32 >> 16 != 0 {
            e.set(MOVT, def, &[def], (x as u32 >> 16).into());
        }
    }
}

fn parts(x: i64) -> Option<(Part, Option<Part>)> {
    if x == 0 {
        return Some(((MOV, 0, 0), None));
    }
    let op = if x < 0 { SUB_I } else { ADD_I };
    let part = |imm: i32| (op, imm, i64::from(imm as u32) * x.signum());
    chunks(x.unsigned_abs() as u32).map(|(first, second)| (part(first), (second != 0).then(|| part(second))))
}

/// See `Frames::expand`.
fn expand(e: &mut Emitter, row: InstRow) {
    // Addresses are computed modulo 2^32.
    let offset = |e: &Emitter| i64::from(e.offset(&row) as i32);
    match row.op {
        ENTRY_ROW => {}
        MOV | VMOV | VMOV_D | QMOV if e.operand(&row, 0) == e.operand(&row, 1) => {}
        LI => constant(e, e.operand(&row, 0), row.imm.into()),
        LA => {
            let def = e.operand(&row, 0);
            e.emit(MOVW_SYM, &[def], &[], row.imm, row.sym);
            e.emit(MOVT_SYM, &[def], &[def], row.imm, row.sym);
        }
        LA_PC => {
            // The program counter is 8 bytes ahead of the sum, and that 8 or 4 behind these.
            let def = e.operand(&row, 0);
            e.emit(MOVW_PC, &[def], &[], row.imm - 16, row.sym);
            e.emit(MOVT_PC, &[def], &[def], row.imm - 12, row.sym);
            e.emit(ADD_FROM_HERE, &[def], &[def], 0, 0);
        }
        LEA_SLOT => e.frame_address(e.operand(&row, 0), e.base(&row), offset(e)),
        TAKE => e.take(&row, SCRATCH, SUB, |e, def, mut from, bits| {
            for low in (0..bits).step_by(8) {
                let mask = ((1u32 << (bits - low).min(8)) - 1) << low;
                e.set(BIC_I, def, &[from], (mask as i32).into());
                from = def;
            }
        }),
        UPDATE => atomic::update(e, &row),
        EXCHANGE => atomic::exchange(e, &row),
        EXCHANGE_D => atomic::exchange_two(e),
        LDR_SLOT | LDR_ARG | LDRB_SLOT | LDRH_SLOT => {
            let (def, base, offset) = (e.operand(&row, 0), e.base(&row), offset(e));
            let (near, far, fits): (_, _, fn(i32) -> bool) = match row.op {
                LDRB_SLOT => (LDRB, LDRB_R, fits_memory),
                LDRH_SLOT => (LDRH, LDRH_R, fits_half_memory),
                _ => (LDR, LDR_R, fits_memory),
            };
            if fits(offset as i32) {
                e.access(row, near, base, offset);
            } else {
                constant(e, def, offset);
                e.set(far, def, &[base, def], 0);
            }
        }
        STR_SLOT | STRB_SLOT | STRH_SLOT => {
            let (value, base, offset) = (e.operand(&row, 0), e.base(&row), offset(e));
            let (near, far, fits): (_, _, fn(i32) -> bool) = match row.op {
                STRB_SLOT => (STRB, STRB_R, fits_memory),
                STRH_SLOT => (STRH, STRH_R, fits_half_memory),
                _ => (STR, STR_R, fits_memory),
            };
            if fits(offset as i32) {
                e.access(row, near, base, offset);
            } else if value != SCRATCH {
                constant(e, SCRATCH, offset);
                e.emit(far, &[], &[value, base, SCRATCH], 0, 0);
            } else {
                // Where something is kept in lr, the prologue has saved d15.
                let is_kept =
                    e.layout.steps.iter().any(|step| matches!(step.rows, Some([(VPUSH_D15, _), _])));
                let kept_lr = KEPT_LR[usize::from(e.func.is_wide)];
                if is_kept {
                    e.emit(VMOV_TO, &[kept_lr], &[LR_REG], 0, 0);
                }
                constant(e, LR_REG, offset);
                e.emit(far, &[], &[value, base, LR_REG], 0, 0);
                if is_kept {
                    e.emit(VMOV_FROM, &[LR_REG], &[kept_lr], 0, 0);
                }
            }
        }
        VLDR_SLOT | VLDR_ARG | VSTR_SLOT | VLDR_D_SLOT | VLDR_D_ARG | VSTR_D_SLOT => {
            let (mut offset, mut base) = (offset(e), e.base(&row));
            if !fits_float_memory(offset as i32) {
                e.frame_address(SCRATCH, base, offset);
                (offset, base) = (0, SCRATCH);
            }
            let near = match row.op {
                VSTR_SLOT => VSTR,
                VLDR_D_SLOT | VLDR_D_ARG => VLDR_D,
                VSTR_D_SLOT => VSTR_D,
                _ => VLDR,
            };
            e.access(row, near, base, offset);
        }
        QCOPY_2 | QCOPY_3 | QCOPY_4 => copy_at_once(e, &row, &TURNS),
        QIN_TURN_2 | QIN_TURN_3 | QIN_TURN_4 | QOUT_IN_TURN_2 | QOUT_IN_TURN_3 | QOUT_IN_TURN_4 => {
            access_in_turn(e, &row, &TURNS);
        }
        QLDR_SLOT | QSTR_SLOT => {
            let (offset, base, v) = (offset(e), e.base(&row), e.operand(&row, 0));
            let is_near = fits_float_memory(offset as i32) && fits_float_memory(offset as i32 + 8);
            if !is_near {
                e.frame_address(SCRATCH, base, offset);
                e.access(row, if row.op == QLDR_SLOT { QLD1 } else { QST1 }, SCRATCH, 0);
            } else if row.op == QLDR_SLOT {
                e.set(QLDR_LOW, v, &[base], offset);
                e.set(QLDR_HIGH, v, &[base], offset + 8);
            } else {
                e.emit(QSTR_LOW, &[], &[v, base], offset as i32, 0);
                e.emit(QSTR_HIGH, &[], &[v, base], offset as i32 + 8, 0);
            }
        }
        _ => e.rest(row),
    }
}
