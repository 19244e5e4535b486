//! From allocated to final code: prologue and epilogues, frame references, constants. One pass over the rows.
//!
//! The return address and the callee-saved registers that are used lie at the top of the frame. The stack
//! pointer moves once if the frame is small, and otherwise first so far that the saves are in reach, then the
//! rest.
//!
//! A load or store reaches 2 KB. Behind that, a large frame is reached from callee-saved registers that the
//! function has no use for: each holds the stack pointer and a multiple of 4 KB, from where it reaches 2 KB
//! to both sides. What is in reach of none takes two or three instructions. (Without these bases a function
//! of 16,000 lines took 12% more time a line than one of 2,000.)

use super::registers::{ADDRESS_SCRATCH, RA, SP};
use super::rows::*;
use super::select::{MACHINE, ZERO_REG, fits};
use crate::base::Handle;
use crate::mir::desc::{Class, ENTRY, MOVE};
use crate::mir::frame::{SaveArea, layout};
use crate::mir::rewrite::{Plan, plans};
use crate::mir::{Func, InstRow, MachineOp, Operand, PReg, Slot};

const SP_REG: Operand = Operand::phys(SP);
const SCRATCH: Operand = Operand::phys(ADDRESS_SCRATCH);

/// The frame of one function.
struct Frame {
    saves: Vec<PReg>,
    /// Bytes that the first and the second move of the stack pointer take.
    steps: [i64; 2],
    /// By distance in units of 4 KB, the register that holds the stack pointer and that much.
    bases: [Option<PReg>; PAGES],
}

/// Distances that may have a base: all but 0, up to 64 KB.
const PAGES: usize = 17;

/// Accesses that make a base worth while: it has to be saved, made and restored.
const WORTH_A_BASE: u32 = 8;

/// The multiple of 4 KB that is nearest to an offset, and what is left of it.
fn split_offset(offset: i64) -> (i64, i64) {
    let page = (offset + 0x800) >> 12;
    (page, offset - (page << 12))
}

/// Chooses bases for what is accessed most, as long as there are registers. O(rows).
fn find_bases(func: &Func) -> [Option<PReg>; PAGES] {
    let mut counts = [0u32; PAGES];
    for row in func.insts.as_slice() {
        if (LB_SLOT..=FSD_SLOT).contains(&row.op) || row.op == SLOT_ADDRESS {
            let (page, _) = split_offset(frame_offset(func, *row));
            if let Some(count) = usize::try_from(page).ok().and_then(|page| counts.get_mut(page)) {
                *count += 1;
            }
        }
    }
    let mut pages: Vec<usize> = (1..PAGES).filter(|&page| counts[page] >= WORTH_A_BASE).collect();
    pages.sort_by_key(|&page| std::cmp::Reverse(counts[page]));
    let is_free = |reg: &&PReg| MACHINE.callee_saved.contains(**reg) && !func.saved.contains(**reg);
    let mut bases = [None; PAGES];
    for (page, reg) in pages.into_iter().zip(MACHINE.class(Class::INT).order.iter().filter(is_free)) {
        bases[page] = Some(*reg);
    }
    bases
}

/// See `Target::finalise`.
pub fn finalise(func: &mut Func) -> Result<(), String> {
    let mut frame = lay_out(func)?;
    if frame.steps[0] + frame.steps[1] > 0x800 {
        let bases = find_bases(func);
        if bases.iter().any(Option::is_some) {
            bases.iter().flatten().for_each(|&reg| func.saved.insert(reg));
            frame = Frame { bases, ..lay_out(func)? };
        }
    }
    let expand = |func: &mut Func, row: InstRow, out: &mut Vec<InstRow>| match row.op {
        op if (LB_SLOT..=FSD_SLOT).contains(&op) => slot_access(func, &frame, out, row),
        ENTRY => prologue(func, &frame, out),
        RET => {
            let has_frame = frame.steps != [0; 2];
            if has_frame {
                UNWIND.remember(func, out);
            }
            epilogue(func, &frame, out);
            out.push(row);
            if has_frame {
                UNWIND.recall(func, out);
            }
        }
        LI => {
            let d = func.operands[row.first as usize];
            load_int(func, out, d, i64::from(row.imm));
        }
        LI_WIDE => {
            let d = func.operands[row.first as usize];
            load_int(func, out, d, func.wide[row.sym as usize]);
        }
        FLI_S => load_float(func, out, row, i64::from(row.imm), FMV_W_X),
        FLI_D => load_float(func, out, row, func.wide[row.sym as usize], FMV_D_X),
        SLOT_ADDRESS => slot_address(func, &frame, out, row),
        op if MACHINE.row(op).flags & MOVE != 0 => {
            let first = row.first as usize;
            let (d, from) = (func.operands[first], func.operands[first + 1]);
            // Assemblers compress `li d, 0` and not `mv d, zero`.
            if row.op == MV && from == ZERO_REG {
                emit(func, out, ADDI, d, &[ZERO_REG], 0);
            } else if d != from {
                out.push(row);
            }
        }
        _ => out.push(row),
    };
    func.rewrite_rows(&PLANS, SP_REG, expand);
    Ok(())
}

/// Rows that stay one row: accesses and addresses of near slots, short constants.
static PLANS: [Plan; COUNT as usize] = {
    let mut others = [(LI, Plan::to(LI_SHORT, 0xfff, 0x800)); 2 + SLOT_ROWS];
    others[1] = (SLOT_ADDRESS, Plan::slot(ADDI, 0xfff, 0x800));
    let mut k = 0;
    while k < SLOT_ROWS {
        let access = Plan::slot(MachineOp(LB.0 + k as u16), 0xfff, 0x800);
        others[2 + k] = (MachineOp(LB_SLOT.0 + k as u16), access);
        k += 1;
    }
    plans(&ROWS, &others)
};

/// Loads and stores of slots.
const SLOT_ROWS: usize = (FSD_SLOT.0 - LB_SLOT.0 + 1) as usize;

fn emit(func: &mut Func, out: &mut Vec<InstRow>, op: MachineOp, d: Operand, uses: &[Operand], imm: i64) {
    let row = func.make_row(op, &[d], uses, imm as i32, 0);
    out.push(row);
}

/// Gives slots their offsets, with room for the registers that are to be saved.
fn lay_out(func: &mut Func) -> Result<Frame, String> {
    let mut saves: Vec<PReg> = if func.has_calls { vec![RA] } else { vec![] };
    saves.extend(func.saved.iter());
    let save_bytes = 8 * saves.len() as u32;
    let frame = layout(func, &MACHINE, save_bytes, SaveArea::Top)
        .map_err(|_| "the stack frame would take 2 GiB or more".to_string())?;
    let first = if frame.bytes <= 2032 { frame.bytes } else { i64::from(save_bytes.next_multiple_of(16)) };
    Ok(Frame { saves, steps: [first, frame.bytes - first], bases: [None; PAGES] })
}

/// Moves the stack pointer by so many bytes, after which the frame takes `frame`.
fn move_sp(func: &mut Func, out: &mut Vec<InstRow>, bytes: i64, frame: i64) {
    if bytes == 0 {
        return;
    }
    if fits(bytes) {
        emit(func, out, ADDI, SP_REG, &[SP_REG], bytes);
    } else {
        load_int(func, out, SCRATCH, bytes);
        emit(func, out, ADD, SP_REG, &[SP_REG, SCRATCH], 0);
    }
    UNWIND.frame(func, out, frame);
}

/// The saved registers and where they are, from the stack pointer after its first step.
fn save_offsets(frame: &Frame) -> impl Iterator<Item = (PReg, i64)> + use<'_> {
    let first = frame.steps[0];
    frame.saves.iter().enumerate().map(move |(k, &reg)| (reg, first - 8 * (k as i64 + 1)))
}

fn prologue(func: &mut Func, frame: &Frame, out: &mut Vec<InstRow>) {
    let [first, second] = frame.steps;
    move_sp(func, out, -first, first);
    for (reg, offset) in save_offsets(frame) {
        let op = if reg.class() == Class::INT { SD } else { FSD };
        let row = func.make_row(op, &[], &[Operand::phys(reg), SP_REG], offset as i32, 0);
        out.push(row);
    }
    save_offsets(frame).for_each(|(reg, offset)| UNWIND.saved(func, out, reg, offset - first));
    move_sp(func, out, -second, first + second);
    for (page, reg) in frame.bases.iter().enumerate().filter_map(|(page, reg)| Some((page, (*reg)?))) {
        let reg = Operand::phys(reg);
        emit(func, out, LUI, reg, &[], page as i64);
        emit(func, out, ADD, reg, &[reg, SP_REG], 0);
    }
}

fn epilogue(func: &mut Func, frame: &Frame, out: &mut Vec<InstRow>) {
    let [first, second] = frame.steps;
    move_sp(func, out, second, first);
    for (reg, offset) in save_offsets(frame) {
        let op = if reg.class() == Class::INT { LD } else { FLD };
        emit(func, out, op, Operand::phys(reg), &[SP_REG], offset);
    }
    save_offsets(frame).for_each(|(reg, _)| UNWIND.restored(func, out, reg));
    move_sp(func, out, first, 0);
}

/// Puts any integer in a register: up to 12 bits in one instruction, 32 in two; of wider ones the upper part,
/// without the zeros at its end, then a shift, and 12 bits more, and so on.
fn load_int(func: &mut Func, out: &mut Vec<InstRow>, d: Operand, x: i64) {
    if fits(x) {
        return emit(func, out, ADDI, d, &[ZERO_REG], x);
    }
    // What is to be shifted in behind the upper part, last first.
    let mut rest = Vec::new();
    let mut upper = x;
    while i32::try_from(upper).is_err() {
        let low = upper << 52 >> 52;
        let high = upper.wrapping_sub(low) as u64;
        let zeros = high.trailing_zeros();
        rest.push((zeros, low));
        upper = high as i64 >> zeros;
    }
    let low = upper << 52 >> 52;
    let high = (upper.wrapping_sub(low) >> 12) & 0xf_ffff;
    match (high, low) {
        (0, _) => emit(func, out, ADDI, d, &[ZERO_REG], low),
        (_, 0) => emit(func, out, LUI, d, &[], high),
        _ => {
            emit(func, out, LUI, d, &[], high);
            emit(func, out, ADDIW, d, &[d], low);
        }
    }
    for (zeros, low) in rest.into_iter().rev() {
        emit(func, out, SLLI, d, &[d], i64::from(zeros));
        if low != 0 {
            emit(func, out, ADDI, d, &[d], low);
        }
    }
}

fn load_float(func: &mut Func, out: &mut Vec<InstRow>, row: InstRow, bits: i64, op: MachineOp) {
    let d = func.operands[row.first as usize];
    let from = if bits == 0 {
        ZERO_REG
    } else {
        load_int(func, out, SCRATCH, bits);
        SCRATCH
    };
    emit(func, out, op, d, &[from], 0);
}

fn frame_offset(func: &Func, row: InstRow) -> i64 {
    func.slots[Slot::new(row.sym as usize)].offset + i64::from(row.imm)
}

/// The register that a place in the frame is in reach of, if there is one, and how far it is from there.
fn reach(frame: &Frame, offset: i64) -> Option<(Operand, i64)> {
    if fits(offset) {
        return Some((SP_REG, offset));
    }
    let (page, low) = split_offset(offset);
    let base = *frame.bases.get(usize::try_from(page).ok()?)?;
    base.map(|base| (Operand::phys(base), low))
}

fn slot_address(func: &mut Func, frame: &Frame, out: &mut Vec<InstRow>, row: InstRow) {
    let d = func.operands[row.first as usize];
    let offset = frame_offset(func, row);
    if let Some((base, low)) = reach(frame, offset) {
        return emit(func, out, ADDI, d, &[base], low);
    }
    load_int(func, out, d, offset);
    emit(func, out, ADD, d, &[d, SP_REG], 0);
}

/// A load or store of a slot: its base becomes one that reaches it, or the scratch register if there is none.
fn slot_access(func: &mut Func, frame: &Frame, out: &mut Vec<InstRow>, row: InstRow) {
    let op = MachineOp(row.op.0 - LB_SLOT.0 + LB.0);
    let offset = frame_offset(func, row);
    let (base, low) = reach(frame, offset).unwrap_or_else(|| {
        let low = offset << 52 >> 52;
        load_int(func, out, SCRATCH, offset - low);
        emit(func, out, ADD, SCRATCH, &[SCRATCH, SP_REG], 0);
        (SCRATCH, low)
    });
    let last = row.first as usize + usize::from(row.defs) + usize::from(row.uses) - 1;
    func.operands[last] = base;
    out.push(InstRow { op, imm: low as i32, sym: 0, ..row });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a sequence of constant-making rows leaves in its register.
    fn evaluate(func: &Func, rows: &[InstRow]) -> i64 {
        let mut x = 0i64;
        for row in rows {
            let imm = i64::from(row.imm);
            let from_zero = func.operands[row.first as usize + 1..].first() == Some(&ZERO_REG);
            x = match row.op {
                ADDI if from_zero => imm,
                ADDI => x.wrapping_add(imm),
                ADDIW => i64::from((x as i32).wrapping_add(row.imm)),
                SLLI => x << imm,
                LUI => i64::from((row.imm << 12) as u32 as i32),
                _ => panic!("{row:?}"),
            };
        }
        x
    }

    #[test]
    fn every_constant_can_be_made() {
        let mut constants =
            vec![0, 1, -1, 2047, 2048, -2048, -2049, 4096, 0x7fff_ffff, 0x7fff_f800, -0x8000_0000];
        constants.extend([
            0x8000_0000,
            0xffff_ffff,
            i64::MIN,
            i64::MAX,
            0x1234_5678_9abc_def0,
            0x3ff0_0000_0000_0000,
        ]);
        constants.extend([0x8000_0000_0000_0800u64 as i64, 0x7fff_ffff_ffff_f800, -0x8000_0800]);
        for x in constants {
            let (mut func, mut out) = (Func::default(), Vec::new());
            load_int(&mut func, &mut out, SCRATCH, x);
            assert_eq!(evaluate(&func, &out), x, "{x:#x}");
            assert!(out.len() <= 8 && (!fits(x) || out.len() == 1), "{x:#x} takes {}", out.len());
        }
    }

    #[test]
    fn slot_rows_stand_parallel_to_the_accesses_they_become() {
        for k in 0..=FSD_SLOT.0 - LB_SLOT.0 {
            let slot = &ROWS[(LB_SLOT.0 + k) as usize];
            assert_eq!(slot.name.strip_suffix(".slot"), Some(ROWS[(LB.0 + k) as usize].name));
        }
    }
}
