//! From an allocated function to a final one: prologue and epilogues, frame references, pseudo instructions.
//!
//! ```text
//!   push {r4-r<n>, lr}      if something is called, preserved or out of reach; an even number
//!   vpush {s16-s<n>}        if some are written; an even number
//!   vpush {d15}             if it is written
//!   sub sp, sp, #...
//! ```
//!
//! An offset that a load or store cannot hold is computed in the register that is loaded, or else in lr.
//! O(rows).

use super::imm::{chunks, fits_float_memory, fits_memory, is_rotated};
use super::registers::{ALL, IP, LR, MACHINE, SP};
use super::rows::*;
use crate::base::Handle;
use crate::mir::frame::{self, SaveArea};
use crate::mir::rewrite::{Plan, plans};
use crate::mir::{Class, Func, InstRow, MachineOp, Operand, PReg, Slot, SlotKind};

/// Which registers the prologue saves.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Saves {
    /// The last core register of a push of r4 up and lr.
    core: Option<PReg>,
    /// The last floating register of a push of s16 up.
    float: Option<PReg>,
    /// Whether d15 is.
    d15: bool,
}

impl Saves {
    fn bytes(self) -> u32 {
        let core = self.core.map_or(0, |last| u32::from(last.number()) - 4 + 2);
        let float = self.float.map_or(0, |last| u32::from(last.number()) - 16 + 1);
        4 * (core + float) + 8 * u32::from(self.d15)
    }
}

/// More than the registers can take, 36 + 56 + 8 bytes.
const MOST_SAVED: i64 = 104;

/// What has to be saved. Lays the frame out to see whether everything is near.
fn saves(func: &mut Func) -> Result<Saves, String> {
    let frame = frame::layout(func, &MACHINE, 0, SaveArea::Top).map_err(|_| TOO_LARGE.to_string())?;
    let mut reach = frame.bytes;
    for (_, slot) in func.slots.iter() {
        if let SlotKind::Incoming(_) = slot.kind {
            reach = reach.max(slot.offset + 4);
        }
    }
    let is_far = reach + MOST_SAVED > 1020;
    let last = |class: Class| func.saved.iter().filter(|reg| reg.class() == class).map(PReg::number).max();
    // Up to an even register, so that with lr the number is even; up to r11 it is not.
    let core = last(Class::INT).map(|n| (n + (n & 1)).min(11));
    let float = func.saved.iter().filter(|reg| (48..62).contains(&reg.0)).map(|reg| reg.number() | 1).max();
    // All of them are looked at, several at a time: mostly none is what is looked for.
    let [s30, s31] = [PReg::float(30), PReg::float(31)].map(Operand::phys);
    let d15 = func.operands.iter().fold(false, |any, &o| any | (o == s30) | (o == s31))
        || func.insts.as_slice().iter().any(|row| row.op == VWORDS);
    let push = func.has_calls || is_far || core.is_some();
    Ok(Saves { core: push.then_some(PReg::int(core.unwrap_or(4))), float: float.map(PReg::float), d15 })
}

const TOO_LARGE: &str = "armv7: the frame would take 2 GiB or more";

/// Makes an allocated function final.
pub fn finalise(func: &mut Func) -> Result<(), String> {
    let saves = saves(func)?;
    let frame =
        frame::layout(func, &MACHINE, saves.bytes(), SaveArea::Top).map_err(|_| TOO_LARGE.to_string())?;
    let locals = (frame.bytes - i64::from(saves.bytes())) as u32;
    let expand_row = |func: &mut Func, row: InstRow, out: &mut Vec<InstRow>| {
        let mut to = Rows { func, out };
        match row.op {
            ENTRY_ROW => {
                to.out.push(row);
                prologue(&mut to, saves, locals);
            }
            BX_LR => epilogue(&mut to, saves, locals, row),
            _ => expand(&mut to, row),
        }
    };
    func.rewrite_rows(&PLANS, Operand::phys(SP), expand_row);
    Ok(())
}

/// Rows that stay one row: accesses of near slots, constants of 8 bits.
static PLANS: [Plan; ALL.len()] = plans(
    &ALL,
    &[
        (LDR_SLOT, Plan::slot(LDR, 0xfff, 0)),
        (LDR_ARG, Plan::slot(LDR, 0xfff, 0)),
        (LDRB_SLOT, Plan::slot(LDRB, 0xfff, 0)),
        (STR_SLOT, Plan::slot(STR, 0xfff, 0)),
        (STRB_SLOT, Plan::slot(STRB, 0xfff, 0)),
        (VLDR_SLOT, Plan::slot(VLDR, 0x3fc, 0)),
        (VLDR_ARG, Plan::slot(VLDR, 0x3fc, 0)),
        (VSTR_SLOT, Plan::slot(VSTR, 0x3fc, 0)),
        (LI, Plan::to(MOV_I, 0xff, 0)),
    ],
);

/// Where rows go.
struct Rows<'a> {
    func: &'a mut Func,
    out: &'a mut Vec<InstRow>,
}

impl Rows<'_> {
    /// Emits a row with a slot's operands, the value and then the base of the frame, which becomes a
    /// register.
    fn access(&mut self, op: MachineOp, row: InstRow, base: Operand, imm: i32) {
        self.func.operands[row.first as usize + 1] = base;
        self.out.push(InstRow { op, imm, sym: 0, ..row });
    }

    fn emit(&mut self, op: MachineOp, defs: &[Operand], uses: &[Operand], imm: i32, sym: u32) {
        let row = self.func.make_row(op, defs, uses, imm, sym);
        self.out.push(row);
    }

    /// Emits `def = x`.
    fn constant(&mut self, def: Operand, x: i32) {
        if (0..256).contains(&x) || is_rotated(x) {
            self.emit(MOV_I, &[def], &[], x, 0);
        } else if is_rotated(!x) {
            self.emit(MVN_I, &[def], &[], !x, 0);
        } else {
            self.emit(MOVW, &[def], &[], x & 0xffff, 0);
            if x as u32 >> 16 != 0 {
                self.emit(MOVT, &[def], &[def], (x as u32 >> 16) as i32, 0);
            }
        }
    }

    /// Emits `def = sp + x` for x not negative.
    fn frame_address(&mut self, def: Operand, x: i32) {
        let sp = Operand::phys(SP);
        match chunks(x as u32) {
            Some((0, 0)) => self.emit(MOV, &[def], &[sp], 0, 0),
            Some((first, second)) => {
                self.emit(ADD_I, &[def], &[sp], first, 0);
                if second != 0 {
                    self.emit(ADD_I, &[def], &[def], second, 0);
                }
            }
            None => {
                self.constant(def, x);
                self.emit(ADD, &[def], &[sp, def], 0, 0);
            }
        }
    }

    /// Moves the stack pointer down, or up, by `bytes`, in a frame that takes `frame` bytes before. ip is
    /// free: it holds something only between the rows of one move of the allocator's.
    fn adjust(&mut self, down: bool, bytes: u32, mut frame: i64) {
        let (imm, reg, sign) = if down { (SUB_I, SUB, 1) } else { (ADD_I, ADD, -1) };
        let sp = Operand::phys(SP);
        match chunks(bytes) {
            Some((first, second)) => {
                for part in [first, second].into_iter().filter(|&part| part != 0) {
                    self.emit(imm, &[sp], &[sp], part, 0);
                    frame += sign * i64::from(part as u32);
                    UNWIND.frame(self.func, self.out, frame);
                }
            }
            None => {
                let ip = Operand::phys(IP);
                self.constant(ip, bytes as i32);
                self.emit(reg, &[sp], &[sp, ip], 0, 0);
                UNWIND.frame(self.func, self.out, frame + sign * i64::from(bytes));
            }
        }
    }
}

/// The registers of one push, as unwinders see them, with the bytes that each takes: floating ones by pairs.
fn pushed(saves: Saves) -> [Vec<(PReg, i64)>; 3] {
    let core = |last: PReg| (4..=last.number()).map(PReg::int).chain([LR]).map(|reg| (reg, 4)).collect();
    let float = |last: PReg| (16..last.number()).step_by(2).map(|n| (PReg::float(n), 8)).collect();
    let d15 = if saves.d15 { vec![(PReg::float(30), 8)] } else { vec![] };
    [saves.core.map_or(vec![], core), saves.float.map_or(vec![], float), d15]
}

fn bytes_of(regs: &[(PReg, i64)]) -> i64 {
    regs.iter().map(|row| row.1).sum()
}

/// Tells unwinders of a push into a frame of so many bytes; returns the bytes after it.
fn was_pushed(to: &mut Rows, regs: &[(PReg, i64)], frame: i64) -> i64 {
    let frame = frame + bytes_of(regs);
    if !regs.is_empty() {
        UNWIND.frame(to.func, to.out, frame);
    }
    let mut at = -frame;
    for &(reg, bytes) in regs {
        UNWIND.saved(to.func, to.out, reg, at);
        at += bytes;
    }
    frame
}

/// Tells unwinders of a pop from a frame of so many bytes; returns the bytes after it.
fn was_popped(to: &mut Rows, regs: &[(PReg, i64)], frame: i64) -> i64 {
    let frame = frame - bytes_of(regs);
    regs.iter().for_each(|&(reg, _)| UNWIND.restored(to.func, to.out, reg));
    if !regs.is_empty() {
        UNWIND.frame(to.func, to.out, frame);
    }
    frame
}

fn prologue(to: &mut Rows, saves: Saves, locals: u32) {
    let [core, float, d15] = pushed(saves);
    match saves.core.map(|last| (last.number(), Operand::phys(last))) {
        Some((4, _)) => to.emit(PUSH_R4, &[], &[], 0, 0),
        Some((_, last)) => to.emit(PUSH_TO, &[], &[last], 0, 0),
        None => {}
    }
    let mut frame = was_pushed(to, &core, 0);
    if let Some(last) = saves.float {
        to.emit(VPUSH_TO, &[], &[Operand::phys(last)], 0, 0);
    }
    frame = was_pushed(to, &float, frame);
    if saves.d15 {
        to.emit(VPUSH_D15, &[], &[], 0, 0);
    }
    frame = was_pushed(to, &d15, frame);
    to.adjust(true, locals, frame);
}

fn epilogue(to: &mut Rows, saves: Saves, locals: u32, ret: InstRow) {
    let [_, float, d15] = pushed(saves);
    let mut frame = i64::from(saves.bytes()) + i64::from(locals);
    let has_frame = frame != 0;
    if has_frame {
        UNWIND.remember(to.func, to.out);
    }
    to.adjust(false, locals, frame);
    frame -= i64::from(locals);
    if saves.d15 {
        to.emit(VPOP_D15, &[], &[], 0, 0);
    }
    frame = was_popped(to, &d15, frame);
    if let Some(last) = saves.float {
        to.emit(VPOP_TO, &[], &[Operand::phys(last)], 0, 0);
    }
    was_popped(to, &float, frame);
    match saves.core.map(|last| (last.number(), Operand::phys(last))) {
        Some((4, _)) => to.emit(POP_R4, &[], &[], 0, 0),
        Some((_, last)) => to.emit(POP_TO, &[], &[last], 0, 0),
        None => to.out.push(ret),
    }
    if has_frame {
        UNWIND.recall(to.func, to.out);
    }
}

/// Replaces a pseudo instruction or frame reference; lets others pass.
fn expand(to: &mut Rows, row: InstRow) {
    let operand = |to: &Rows, k: usize| to.func.operands[row.first as usize + k];
    let offset = |to: &Rows| (to.func.slots[Slot::new(row.sym as usize)].offset as i32).wrapping_add(row.imm);
    let (sp, lr) = (Operand::phys(SP), Operand::phys(LR));
    match row.op {
        MOV | VMOV if operand(to, 0) == operand(to, 1) => {}
        LI => to.constant(operand(to, 0), row.imm),
        LA => {
            let def = operand(to, 0);
            to.emit(MOVW_SYM, &[def], &[], row.imm, row.sym);
            to.emit(MOVT_SYM, &[def], &[def], row.imm, row.sym);
        }
        LEA_SLOT => to.frame_address(operand(to, 0), offset(to)),
        LDR_SLOT | LDR_ARG | LDRB_SLOT => {
            let (def, offset) = (operand(to, 0), offset(to));
            let (near, far) = if row.op == LDRB_SLOT { (LDRB, LDRB_R) } else { (LDR, LDR_R) };
            if fits_memory(offset) {
                to.access(near, row, sp, offset);
            } else {
                to.constant(def, offset);
                to.emit(far, &[def], &[sp, def], 0, 0);
            }
        }
        STR_SLOT | STRB_SLOT => {
            let (value, offset) = (operand(to, 0), offset(to));
            let (near, far) = if row.op == STRB_SLOT { (STRB, STRB_R) } else { (STR, STR_R) };
            if fits_memory(offset) {
                to.access(near, row, sp, offset);
            } else {
                to.constant(lr, offset);
                to.emit(far, &[], &[value, sp, lr], 0, 0);
            }
        }
        VLDR_SLOT | VLDR_ARG | VSTR_SLOT => {
            let (mut offset, mut base) = (offset(to), sp);
            if !fits_float_memory(offset) {
                to.frame_address(lr, offset);
                (offset, base) = (0, lr);
            }
            to.access(if row.op == VSTR_SLOT { VSTR } else { VLDR }, row, base, offset);
        }
        VWORDS => {
            let (low, high, float) = (operand(to, 0), operand(to, 1), operand(to, 2));
            to.emit(VCVT_D15, &[], &[float], 0, 0);
            to.emit(VMOV_D15, &[low, high], &[], 0, 0);
        }
        _ => to.out.push(row),
    }
}
