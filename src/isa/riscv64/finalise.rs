//! From allocated to final code: prologue and epilogues, frame references, constants. One pass over the rows.
//!
//! The return address and the callee-saved registers that are used lie at the top of the frame. The stack
//! pointer moves once if the frame is small, and otherwise first so far that the saves are in reach, then
//! the rest.
//!
//! A load or store reaches 2 KB. Behind that, a large frame is reached from callee-saved registers that the
//! function has no use for: each holds the stack pointer and a multiple of 4 KB, from where it reaches 2 KB
//! to both sides. What is in reach of none takes two or three instructions. (Without these bases a function
//! of 16,000 lines took 12% more time a line than one of 2,000.)

use super::atomic;
use super::position::{ADD_TPREL, ADDI_TPREL, LUI_TPREL, THREAD_FIXED};
use super::registers::{ADDRESS_SCRATCH, ALL, FRAME, MACHINE, RA, SP, TP};
use super::rows::*;
use super::select::{ZERO_REG, fits};
use super::vector::{VLE_4_SLOT, VLE_8_SLOT, VLE_SLOT, VSE_4_SLOT, VSE_8_SLOT, VSE_SLOT};
use super::{vector, vtype};
use crate::base::Handle;
use crate::isa::frame::{Emitter, Frames, Layout, Made, PAGES, Step, too_large};
use crate::mir::desc::{Class, ENTRY, MOVE};
use crate::mir::frame::{SaveArea, layout, varargs};
use crate::mir::rewrite::{Plan, plans};
use crate::mir::{Func, InstRow, MachineOp, Operand, PReg, Slot};

const SP_REG: Operand = Operand::phys(SP);
const SCRATCH: Operand = Operand::phys(ADDRESS_SCRATCH);

/// What makes a function final.
pub static FRAMES: Frames = Frames {
    machine: &MACHINE,
    plans: &PLANS,
    sp: SP,
    base: (FRAME, MV),
    count: ADDRESS_SCRATCH,
    leave: [RET; 2],
    jumps: &[(TAIL, None), (TAIL_T1, None)],
    staying: &[],
    unwind: UNWIND,
    parts: |x| fits(x).then_some(((ADDI, x as i32, x), None)),
    sums: [ADD; 2],
    constant: load_int,
    sequences: &SEQUENCES,
    lay_out,
    expand,
    pairs: None,
    zero_flags: None,
    conditional: None,
    in_order: true,
};

static SEQUENCES: [(MachineOp, &[Made]); 5] = [
    (THREAD_FIXED, &[(LUI_TPREL, "0"), (ADD_TPREL, "00"), (ADDI_TPREL, "00")]),
    (TABLE_AT, &[(AUIPC_T5, ""), (ADD_T5, "0"), (JR_T5, ""), (J_ENTRY, "")]),
    (TABLE_OF, &[(AUIPC_T5, ""), (SH2ADD_T5, "0"), (JR_T5, ""), (J_ENTRY, "")]),
    (GET_SP, &[(MV, "0p")]),
    (SET_SP, &[(MV, "p0")]),
];

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
            let offset = func.slots[Slot::new(row.sym as usize)].offset + i64::from(row.imm);
            let (page, _) = split_offset(offset);
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

/// See `Frames::lay_out`.
fn lay_out(func: &mut Func) -> Result<Layout, String> {
    if func.lanes != 0 {
        vtype::place(func);
    }
    let mut layout = Layout::of(steps(func)?);
    if func.frame_bytes > 0x800 {
        let bases = find_bases(func);
        if bases.iter().any(Option::is_some) {
            bases.iter().flatten().for_each(|&reg| func.saved.insert(reg));
            layout = Layout { steps: steps(func)?, bases };
        }
    }
    Ok(layout)
}

/// See `Frames::expand`.
fn expand(e: &mut Emitter, row: InstRow) {
    match row.op {
        op if (LB_SLOT..=FSD_SLOT).contains(&op) => slot_access(e, row),
        ENTRY => {
            let bases = e.layout.bases;
            for (page, reg) in bases.iter().enumerate().filter_map(|(page, reg)| Some((page, (*reg)?))) {
                let reg = Operand::phys(reg);
                e.set(LUI, reg, &[], page as i64);
                e.set(ADD, reg, &[reg, SP_REG], 0);
            }
        }
        LI => load_int(e, e.operand(&row, 0), i64::from(row.imm)),
        LI_WIDE => load_int(e, e.operand(&row, 0), e.func.wide[row.sym as usize]),
        FLI_S => load_float(e, row, i64::from(row.imm), FMV_W_X),
        FLI_D => load_float(e, row, e.func.wide[row.sym as usize], FMV_D_X),
        SLOT_ADDRESS => {
            let d = e.operand(&row, 0);
            match reach(e, &row) {
                Ok((base, low)) => e.set(ADDI, d, &[base], low),
                Err((base, offset)) => e.frame_address(d, base, offset),
            }
        }
        VLE_SLOT | VSE_SLOT | VLE_8_SLOT | VSE_8_SLOT | VLE_4_SLOT | VSE_4_SLOT => {
            let base = match reach(e, &row) {
                Ok((base, 0)) => base,
                Ok((base, low)) => {
                    e.set(ADDI, SCRATCH, &[base], low);
                    SCRATCH
                }
                Err((base, offset)) => {
                    e.frame_address(SCRATCH, base, offset);
                    SCRATCH
                }
            };
            e.access(row, vector::of_register(row.op), base, 0);
        }
        TAKE => e.take(&row, SCRATCH, SUB, |e, def, from, bits| match bits {
            0..12 => e.set(ANDI, def, &[from], -1 << bits),
            _ => {
                e.set(SRLI, def, &[from], bits.into());
                e.set(SLLI, def, &[def], bits.into());
            }
        }),
        EXCHANGE_W | EXCHANGE_D | EXCHANGE_PART => atomic::exchange(e, &row),
        THREAD => {
            let def = e.operand(&row, 0);
            e.emit(LA_THREAD, &[def], &[], 0, row.sym);
            e.emit(ADD, &[def], &[def, Operand::phys(TP)], 0, 0);
        }
        op if MACHINE.row(op).flags & MOVE != 0 => {
            let (d, from) = (e.operand(&row, 0), e.operand(&row, 1));
            // Assemblers compress `li d, 0` and not `mv d, zero`.
            if row.op == MV && from == ZERO_REG {
                e.set(ADDI, d, &[ZERO_REG], 0);
            } else if d != from {
                e.out.push(row);
            }
        }
        _ => e.rest(row),
    }
}

/// Rows that stay one row: accesses and addresses of near slots, short constants.
static PLANS: [Plan; ALL.len()] = {
    let mut others = [(LI, Plan::to(LI_SHORT, 0xfff, 0x800)); 2 + SLOT_ROWS];
    others[1] = (SLOT_ADDRESS, Plan::slot(ADDI, 0xfff, 0x800));
    let mut k = 0;
    while k < SLOT_ROWS {
        let access = Plan::slot(MachineOp(LB.0 + k as u16), 0xfff, 0x800);
        others[2 + k] = (MachineOp(LB_SLOT.0 + k as u16), access);
        k += 1;
    }
    plans(&ALL, &others)
};

/// Loads and stores of slots.
const SLOT_ROWS: usize = (FSD_SLOT.0 - LB_SLOT.0 + 1) as usize;

/// Gives slots their offsets, with room for the registers that are to be saved.
fn steps(func: &mut Func) -> Result<Vec<Step>, String> {
    let mut saves: Vec<PReg> = if func.has_calls { vec![RA] } else { vec![] };
    saves.extend(func.saved.iter());
    let above = varargs(func, &MACHINE);
    let save_bytes = 8 * saves.len() as u32 + above;
    let frame = layout(func, &MACHINE, save_bytes, SaveArea::Top).map_err(too_large)?;
    let first = if frame.bytes <= 2032 { frame.bytes } else { i64::from(save_bytes.next_multiple_of(16)) };
    let mut steps = Vec::with_capacity(saves.len() + 2);
    steps.push(Step::down(first));
    for (k, &reg) in saves.iter().enumerate() {
        let rows = if reg.class() == Class::INT { [SD, LD] } else { [FSD, FLD] };
        steps.push(Step::store(func, rows, [Some(reg), None], first - i64::from(above) - 8 * (k as i64 + 1)));
    }
    steps.push(Step::down(frame.bytes - first));
    Ok(steps)
}

/// Puts any integer in a register: up to 12 bits in one instruction, 32 in two; of wider ones the upper
/// part, without the zeros at its end, then a shift, and 12 bits more, and so on.
fn load_int(e: &mut Emitter, d: Operand, x: i64) {
    if fits(x) {
        return e.set(ADDI, d, &[ZERO_REG], x);
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
        (0, _) => e.set(ADDI, d, &[ZERO_REG], low),
        (_, 0) => e.set(LUI, d, &[], high),
        _ => {
            e.set(LUI, d, &[], high);
            e.set(ADDIW, d, &[d], low);
        }
    }
    for (zeros, low) in rest.into_iter().rev() {
        e.set(SLLI, d, &[d], i64::from(zeros));
        if low != 0 {
            e.set(ADDI, d, &[d], low);
        }
    }
}

fn load_float(e: &mut Emitter, row: InstRow, bits: i64, op: MachineOp) {
    let mut from = ZERO_REG;
    if bits != 0 {
        load_int(e, SCRATCH, bits);
        from = SCRATCH;
    }
    e.set(op, e.operand(&row, 0), &[from], 0);
}

/// The register that a row's place in the frame is in reach of, and how far it is from there; if there is none, the
/// base of the frame.
fn reach(e: &Emitter, row: &InstRow) -> Result<(Operand, i64), (Operand, i64)> {
    let (base, offset) = (e.base(row), e.offset(row));
    if fits(offset) {
        return Ok((base, offset));
    }
    let (page, low) = split_offset(offset);
    // Arguments of calls do not count from where the other bases do.
    let page = usize::try_from(page).ok().filter(|_| !e.func.framed || base != SP_REG);
    match page.and_then(|page| e.layout.bases.get(page).copied().flatten()) {
        Some(base) => Ok((Operand::phys(base), low)),
        None => Err((base, offset)),
    }
}

/// A load or store of a slot: its base becomes one that reaches it, or the scratch register if there is none.
fn slot_access(e: &mut Emitter, row: InstRow) {
    let (base, low) = reach(e, &row).unwrap_or_else(|(base, offset)| {
        let low = offset << 52 >> 52;
        e.frame_address(SCRATCH, base, offset - low);
        (SCRATCH, low)
    });
    e.access(row, MachineOp(row.op.0 - LB_SLOT.0 + LB.0), base, low);
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
            let mut func = Func::default();
            let out = crate::isa::frame::constant(&mut func, &FRAMES, SCRATCH, x);
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
