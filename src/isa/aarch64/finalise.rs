//! From an allocated function to a final one: the frame is laid out, prologue and epilogues are put in, frame
//! references get their offsets, and pseudo instructions their code. One pass over the rows; O(rows).
//!
//! The prologue pushes saved registers in pairs, with one change of the stack pointer for all of them, and
//! then moves it below the rest of the frame; so the saves are in reach whatever the frame's size. A small
//! frame is made by the push alone. There is no frame pointer.

use super::immediate::{self, Steps};
use super::memory::{ACCESSES, Access};
use super::registers::{ADDRESS, LR, MACHINE, SP, ZERO};
use super::rows::OPS;
use super::rows::control::{RET, RETURN_VALUE, UNWIND};
use super::rows::float::*;
use super::rows::int::*;
use super::rows::memory::*;
use crate::base::Handle;
use crate::mir::desc::ENTRY;
use crate::mir::frame::{self, FrameTooLarge, SaveArea};
use crate::mir::rewrite::{Plan, plans};
use crate::mir::{Class, Func, InstRow, MachineOp, Operand, PReg, Slot};

/// Makes a function final but for its branches.
pub fn finalise(func: &mut Func) -> Result<(), String> {
    let mut saved: Vec<PReg> = func.saved.iter().collect();
    if func.has_calls {
        let at = saved.iter().position(|reg| reg.class() == Class::FLOAT).unwrap_or(saved.len());
        saved.insert(at, LR);
    }
    let saves = pairs(&saved);
    let layout = lay_out(func, &saves).map_err(|_| "the stack frame is over 2 GiB".to_string())?;
    let expand = |func: &mut Func, row: InstRow, out: &mut Vec<InstRow>| {
        let mut e = Emitter { func, out };
        match row.op {
            ENTRY => e.prologue(&saves, &layout),
            RETURN_VALUE => e.epilogue(&saves, &layout),
            LI_W => e.constant_w(e.operand(&row, 0), row.imm as u32),
            LI_X => e.constant_x(e.operand(&row, 0), i64::from(row.imm)),
            LI_WIDE => e.constant_x(e.operand(&row, 0), e.func.wide[row.sym as usize]),
            LI_S => e.float(&row, Class::INT, u64::from(row.imm as u32)),
            LI_D => e.float(&row, Class::FLOAT, e.func.wide[row.sym as usize] as u64),
            LA => {
                let def = e.operand(&row, 0);
                e.symbol(ADRP, def, &[], row);
                e.symbol(ADD_LO12, def, &[def], row);
            }
            SLOT_ADDRESS => {
                let (def, offset) = (e.operand(&row, 0), e.offset(&row));
                e.add_sp(def, offset);
            }
            STP_X_SLOT => e.pair_in_slot(&row),
            _ => match access_in_slot(row.op) {
                Some(access) => e.access_in_slot(&row, access),
                None => e.out.push(row),
            },
        }
    };
    func.rewrite_rows(&PLANS, Operand::phys(SP), expand);
    Ok(())
}

/// Rows that stay one row: accesses and addresses of near slots, constants of 16 bits.
static PLANS: [Plan; OPS.len()] = {
    const fn access(slot: MachineOp, k: usize) -> (MachineOp, Plan) {
        let access = &ACCESSES[k];
        (slot, Plan::slot(access.scaled, 0xfff * access.bytes as u32, 0))
    }
    let others = [
        access(LDRB_SLOT, 0),
        access(LDR_W_SLOT, 1),
        access(LDR_W_PARAM, 1),
        access(LDR_X_SLOT, 2),
        access(LDR_X_PARAM, 2),
        access(LDR_S_SLOT, 3),
        access(LDR_S_PARAM, 3),
        access(LDR_D_SLOT, 4),
        access(LDR_D_PARAM, 4),
        access(STRB_SLOT, 5),
        access(STR_W_SLOT, 6),
        access(STR_X_SLOT, 7),
        access(STR_S_SLOT, 8),
        access(STR_D_SLOT, 9),
        (STP_X_SLOT, Plan::slot(STP_X, 0x1f8, 0)),
        (SLOT_ADDRESS, Plan::slot(ADD_X_IMM, 0xfff, 0)),
        (LI_W, Plan::to(MOVZ_W0, 0xffff, 0)),
        (LI_X, Plan::to(MOVZ_X0, 0xffff, 0)),
    ];
    plans(&OPS, &others)
};

/// How the stack pointer moves.
struct Layout {
    /// Bytes it moves down in the push of the first registers, which are at its new place.
    push: i64,
    /// Bytes it moves down after that.
    rest: i64,
}

/// Gives slots their offsets. If nothing has to be below the saved registers, the push makes room for all
/// there is.
fn lay_out(func: &mut Func, saves: &[(PReg, Option<PReg>)]) -> Result<Layout, FrameTooLarge> {
    let save_bytes = 16 * saves.len() as u32;
    if let Some((_, second)) = saves.first() {
        let frame = frame::layout(func, &MACHINE, save_bytes, SaveArea::Bottom)?;
        let reach = if second.is_some() { 512 } else { 256 };
        if frame.save_offset == 0 && frame.bytes < reach {
            return Ok(Layout { push: frame.bytes, rest: 0 });
        }
    }
    let frame = frame::layout(func, &MACHINE, save_bytes, SaveArea::Top)?;
    let push = i64::from(save_bytes);
    Ok(Layout { push, rest: frame.bytes - push })
}

/// Saved registers two and two, of one class; a last one may be alone.
fn pairs(saved: &[PReg]) -> Vec<(PReg, Option<PReg>)> {
    let mut pairs: Vec<(PReg, Option<PReg>)> = Vec::new();
    for &reg in saved {
        match pairs.last_mut() {
            Some((first, second @ None)) if first.class() == reg.class() => *second = Some(reg),
            _ => pairs.push((reg, None)),
        }
    }
    pairs
}

/// The rows that stand for an access to a slot, by `ACCESSES`.
fn access_in_slot(op: MachineOp) -> Option<&'static Access> {
    Some(match op {
        LDRB_SLOT => &ACCESSES[0],
        LDR_W_SLOT | LDR_W_PARAM => &ACCESSES[1],
        LDR_X_SLOT | LDR_X_PARAM => &ACCESSES[2],
        LDR_S_SLOT | LDR_S_PARAM => &ACCESSES[3],
        LDR_D_SLOT | LDR_D_PARAM => &ACCESSES[4],
        STRB_SLOT => &ACCESSES[5],
        STR_W_SLOT => &ACCESSES[6],
        STR_X_SLOT => &ACCESSES[7],
        STR_S_SLOT => &ACCESSES[8],
        STR_D_SLOT => &ACCESSES[9],
        _ => return None,
    })
}

/// Appends final rows.
struct Emitter<'a> {
    func: &'a mut Func,
    out: &'a mut Vec<InstRow>,
}

impl Emitter<'_> {
    fn row(&mut self, op: MachineOp, defs: &[Operand], uses: &[Operand], imm: i32) {
        let row = self.func.make_row(op, defs, uses, imm, 0);
        self.out.push(row);
    }

    /// A row with the immediate and symbol of another one.
    fn symbol(&mut self, op: MachineOp, def: Operand, uses: &[Operand], of: InstRow) {
        let row = self.func.make_row(op, &[def], uses, of.imm, of.sym);
        self.out.push(row);
    }

    fn operand(&self, row: &InstRow, k: usize) -> Operand {
        self.func.operands[row.first as usize + k]
    }

    /// Bytes from the stack pointer to what a slot row means.
    fn offset(&self, row: &InstRow) -> i64 {
        self.func.slots[Slot::new(row.sym as usize)].offset + i64::from(row.imm)
    }

    // ---- Constants ----------------------------------------------------------------------------------------

    fn steps(&mut self, def: Operand, steps: Steps, wide: i64) {
        for (k, &(op, imm)) in steps.as_slice().iter().enumerate() {
            let uses = if k == 0 { &[][..] } else { &[def] };
            let mut row = self.func.make_row(op, &[def], uses, imm, 0);
            if op == MOV_X_WIDE_MASK {
                row.sym = self.func.wide.len() as u32;
                self.func.wide.push(wide);
            }
            self.out.push(row);
        }
    }

    fn constant_w(&mut self, def: Operand, x: u32) {
        self.steps(def, immediate::steps_w(x), 0);
    }

    fn constant_x(&mut self, def: Operand, x: i64) {
        self.steps(def, immediate::steps_x(x), x);
    }

    /// A float (of class `Int`'s bits in 32, else 64) by its bits: zero and what `fmov` has directly, others
    /// by way of an integer register.
    fn float(&mut self, row: &InstRow, width: Class, bits: u64) {
        let def = self.operand(row, 0);
        let single = width == Class::INT;
        let (from_int, imm_row) = if single { (FMOV_S_W, FMOV_S_IMM) } else { (FMOV_D_X, FMOV_D_IMM) };
        let x = if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
        if bits == 0 {
            return self.row(from_int, &[def], &[Operand::phys(ZERO)], 0);
        }
        if let Some(imm) = immediate::float8(x) {
            return self.row(imm_row, &[def], &[], imm);
        }
        let by_way_of = Operand::phys(ADDRESS);
        if single {
            self.constant_w(by_way_of, bits as u32);
        } else {
            self.constant_x(by_way_of, bits as i64);
        }
        self.row(from_int, &[def], &[by_way_of], 0);
    }

    // ---- The frame ----------------------------------------------------------------------------------------

    /// def = sp + offset. (It is negative only in code out of bounds, which may stand where nothing ever
    /// gets.)
    fn add_sp(&mut self, def: Operand, offset: i64) {
        let (low, high) = ((offset & 0xfff) as i32, offset >> 12);
        match (high, low) {
            (0, _) => self.row(ADD_X_IMM, &[def], &[Operand::phys(SP)], low),
            (0..=0xfff, _) => {
                self.row(ADD_X_IMM12, &[def], &[Operand::phys(SP)], high as i32);
                if low != 0 {
                    self.row(ADD_X_IMM, &[def], &[def], low);
                }
            }
            _ => {
                self.constant_x(def, offset);
                self.row(ADD_X_SP, &[def], &[Operand::phys(SP), def], 0);
            }
        }
    }

    /// A base and an offset of at most 4095 for a place in the frame that is out of reach.
    fn near(&mut self, offset: i64, multiple: i64) -> (Operand, i64) {
        let base = Operand::phys(ADDRESS);
        let low = offset & 0xfff;
        if low % multiple == 0 && (0..=0xfff).contains(&(offset >> 12)) {
            self.row(ADD_X_IMM12, &[base], &[Operand::phys(SP)], (offset >> 12) as i32);
            return (base, low);
        }
        self.add_sp(base, offset);
        (base, 0)
    }

    fn access_in_slot(&mut self, row: &InstRow, access: &Access) {
        let offset = self.offset(row);
        let scaled = offset % access.bytes == 0 && (0..4096).contains(&(offset / access.bytes));
        let (op, base, imm) = if scaled {
            (access.scaled, Operand::phys(SP), offset)
        } else if (-256..256).contains(&offset) {
            (access.unscaled, Operand::phys(SP), offset)
        } else {
            let (base, imm) = self.near(offset, access.bytes);
            (access.scaled, base, imm)
        };
        // The value, and then the base of the frame, which becomes a register.
        self.func.operands[row.first as usize + 1] = base;
        self.out.push(InstRow { op, imm: imm as i32, sym: 0, ..*row });
    }

    fn pair_in_slot(&mut self, row: &InstRow) {
        let offset = self.offset(row);
        let values = [self.operand(row, 0), self.operand(row, 1)];
        let (base, imm) = if (0..=504).contains(&offset) && offset % 8 == 0 {
            (Operand::phys(SP), offset)
        } else {
            let base = Operand::phys(ADDRESS);
            self.add_sp(base, offset);
            (base, 0)
        };
        self.row(STP_X, &[], &[values[0], values[1], base], imm as i32);
    }

    /// Moves the stack pointer, up or down, in a frame that takes `frame` bytes before. Changes x17 only when
    /// the count is large.
    fn move_sp(&mut self, down: bool, bytes: i64, mut frame: i64) {
        let sign = if down { 1 } else { -1 };
        let (low, high) = ((bytes & 0xfff) as i32, bytes >> 12);
        let rows = if down { [SUB_X_IMM, SUB_X_IMM12, SUB_X_SP] } else { [ADD_X_IMM, ADD_X_IMM12, ADD_X_SP] };
        if high > 0xfff {
            let count = Operand::phys(ADDRESS);
            self.constant_x(count, bytes);
            self.row(rows[2], &[Operand::phys(SP)], &[Operand::phys(SP), count], 0);
            return UNWIND.frame(self.func, self.out, frame + sign * bytes);
        }
        for (op, imm, bytes) in [(rows[1], high as i32, high << 12), (rows[0], low, i64::from(low))] {
            if imm != 0 {
                self.row(op, &[Operand::phys(SP)], &[Operand::phys(SP)], imm);
                frame += sign * bytes;
                UNWIND.frame(self.func, self.out, frame);
            }
        }
    }

    fn prologue(&mut self, saves: &[(PReg, Option<PReg>)], layout: &Layout) {
        for (k, &(first, second)) in saves.iter().enumerate() {
            let float = usize::from(first.class() == Class::FLOAT);
            let first = Operand::phys(first);
            let (ops, imm) = if k == 0 {
                ([[STP_X_PUSH, STP_D_PUSH], [STR_X_PUSH, STR_D_PUSH]], -layout.push as i32)
            } else {
                ([[STP_X, STP_D], [STR_X, STR_D]], 16 * k as i32)
            };
            match second {
                Some(second) => {
                    self.row(ops[0][float], &[], &[first, Operand::phys(second), Operand::phys(SP)], imm)
                }
                None => self.row(ops[1][float], &[], &[first, Operand::phys(SP)], imm),
            }
        }
        if !saves.is_empty() {
            UNWIND.frame(self.func, self.out, layout.push);
        }
        for (k, &(first, second)) in saves.iter().enumerate() {
            let offset = 16 * k as i64 - layout.push;
            UNWIND.saved(self.func, self.out, first, offset);
            if let Some(second) = second {
                UNWIND.saved(self.func, self.out, second, offset + 8);
            }
        }
        self.move_sp(true, layout.rest, layout.push);
    }

    fn epilogue(&mut self, saves: &[(PReg, Option<PReg>)], layout: &Layout) {
        let has_frame = layout.push + layout.rest != 0;
        if has_frame {
            UNWIND.remember(self.func, self.out);
        }
        self.move_sp(false, layout.rest, layout.push + layout.rest);
        for (k, &(first, second)) in saves.iter().enumerate().rev() {
            let float = usize::from(first.class() == Class::FLOAT);
            let first = Operand::phys(first);
            let (ops, imm) = if k == 0 {
                ([[LDP_X_POP, LDP_D_POP], [LDR_X_POP, LDR_D_POP]], layout.push as i32)
            } else {
                ([[LDP_X, LDP_D], [LDR_X, LDR_D]], 16 * k as i32)
            };
            match second {
                Some(second) => {
                    self.row(ops[0][float], &[first, Operand::phys(second)], &[Operand::phys(SP)], imm)
                }
                None => self.row(ops[1][float], &[first], &[Operand::phys(SP)], imm),
            }
        }
        for &(first, second) in saves {
            [Some(first), second]
                .into_iter()
                .flatten()
                .for_each(|reg| UNWIND.restored(self.func, self.out, reg));
        }
        if !saves.is_empty() {
            UNWIND.frame(self.func, self.out, 0);
        }
        self.row(RET, &[], &[], 0);
        if has_frame {
            UNWIND.recall(self.func, self.out);
        }
    }
}
