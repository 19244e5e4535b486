//! From an allocated function to a final one but for its branches: the walk that all targets share.
//! Prologue and epilogues are made of the target's steps, frame references that are near get their offsets
//! from its plans (`mir/rewrite`), and a handler of the target replaces the rows that are left. One pass
//! over the rows; O(rows).
//!
//! A step stores registers, moves the stack pointer, or does both; epilogues undo steps, last to first.
//! What unwinders are told follows from the steps.

use super::unwind::Unwind;
use crate::base::Handle;
use crate::mir::conditional::Conditional;
use crate::mir::desc::{ENTRY, OpRow, RETURN, SymKind};
use crate::mir::frame::FrameTooLarge;
use crate::mir::pair::Pairs;
use crate::mir::rewrite::Plan;
use crate::mir::zero_flags::ZeroFlags;
use crate::mir::{Func, InstRow, Machine, MachineOp, Operand, PReg, Slot, SlotKind};

/// A row that adds to a register: opcode, immediate, and how many bytes it adds.
pub type Part = (MachineOp, i32, i64);

/// A row of a sequence: its opcode and its operands, results first. A digit is that operand of the row that the sequence stands
/// for, `p` the stack pointer, `s` what is free there (`Frames::count`). A symbol and the immediate beside it are that row's.
pub type Made = (MachineOp, &'static str);

/// What a target says of its frames.
#[derive(Debug)]
pub struct Frames {
    /// The description.
    pub machine: &'static Machine,
    /// What becomes of rows that stay one row.
    pub plans: &'static [Plan],
    /// The stack pointer.
    pub sp: PReg,
    /// What slots are reached from where the stack pointer moves (`Func::framed`), and the row that copies it and the
    /// stack pointer.
    pub base: (PReg, MachineOp),
    /// Holds how far the stack pointer moves, where no immediate does.
    pub count: PReg,
    /// The row that stands for leaving the function, and the one that does it.
    pub leave: [MachineOp; 2],
    /// The rows that leave the function by a jump to another one: to a name, or to an address in a register.
    pub jumps: &'static [(MachineOp, Option<Through>)],
    /// Of what loads saved registers and returns at once: the row that only loads.
    pub staying: &'static [(MachineOp, MachineOp)],
    /// The rows for unwinding.
    pub unwind: Unwind,
    /// One or two rows that add so many bytes; none if it takes more.
    pub parts: fn(i64) -> Option<(Part, Option<Part>)>,
    /// The rows that add a register to the stack pointer, and subtract it; the same row twice adds what is
    /// negative.
    pub sums: [MachineOp; 2],
    /// Puts an integer in a register.
    pub constant: fn(&mut Emitter, Operand, i64),
    /// What stands for other rows whatever their operands are, and comes seldom (`Emitter::rest`).
    pub sequences: &'static [(MachineOp, &'static [Made])],
    /// Gives slots their offsets.
    pub lay_out: fn(&mut Func) -> Result<Layout, String>,
    /// Appends what stands in the place of a row that no plan covers. Of the entry and what leaves the
    /// function, which are the walk's, it sees the entry, behind the prologue.
    pub expand: fn(&mut Emitter, InstRow),
    /// What neighbours become, if the machine has such rows.
    pub pairs: Option<&'static Pairs>,
    /// What sets flags besides, if conditions are asked of flags alone.
    pub zero_flags: Option<&'static ZeroFlags>,
    /// Rows that are executed under conditions, if the machine has them.
    pub conditional: Option<&'static Conditional>,
    /// Epilogues load what is saved between two moves of the stack pointer in the order in which it was
    /// stored.
    pub in_order: bool,
}

/// How a jump gets its address through an epilogue that may restore the register that had it: in another one.
#[derive(Copy, Clone, Debug)]
pub struct Through {
    /// Where the address comes.
    pub from: PReg,
    /// The row that copies it,
    pub copy: MachineOp,
    /// to this register, which no epilogue uses behind there,
    pub to: PReg,
    /// and the row that jumps.
    pub jump: MachineOp,
}

/// A step of a prologue.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The row that stores, and the one that loads: opcode and immediate. If there is none, the stack
    /// pointer moves.
    pub rows: Option<[(MachineOp, i32); 2]>,
    /// The registers that the rows name.
    pub regs: [Option<PReg>; 2],
    /// True if the rows name the stack pointer, too.
    pub has_base: bool,
    /// Bytes that the stack pointer moves down.
    pub bytes: i64,
    /// The registers saved, and where: bytes above the stack pointer behind the step.
    pub saved: Vec<(PReg, i64)>,
}

impl Step {
    /// Moves the stack pointer.
    pub fn down(bytes: i64) -> Step {
        Step { bytes, ..Step::default() }
    }

    /// Stores one or two registers of 8 bytes at an offset from the stack pointer.
    pub fn store(func: &Func, rows: [MachineOp; 2], regs: [Option<PReg>; 2], offset: i64) -> Step {
        let places = regs.into_iter().flatten().zip((offset..).step_by(8));
        let saved = if func.unwind { places.collect() } else { vec![] };
        let rows = Some(rows.map(|op| (op, offset as i32)));
        Step { rows, regs, has_base: true, bytes: 0, saved }
    }
}

/// What is said of a frame that is too large.
pub fn too_large(_: FrameTooLarge) -> String {
    "the stack frame would take 2 GiB or more".to_string()
}

/// Distances in units of 4 KB that may have a base: all but 0, up to 64 KB.
pub const PAGES: usize = 17;

/// A frame that has been laid out.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The prologue.
    pub steps: Vec<Step>,
    /// By distance in units of 4 KB, the register that holds the stack pointer and that much.
    pub bases: [Option<PReg>; PAGES],
}

impl Layout {
    /// With no bases.
    pub fn of(steps: Vec<Step>) -> Layout {
        Layout { steps, ..Layout::default() }
    }
}

/// Gives slots their offsets.
pub fn lay_out(func: &mut Func, frames: &Frames) -> Result<Layout, String> {
    if func.framed {
        func.saved.insert(frames.base.0);
    }
    (frames.lay_out)(func)
}

/// Makes a function final whose frame is laid out. Where slots have two bases, all rows ask.
#[inline(never)]
pub fn finalise(func: &mut Func, frames: &'static Frames, layout: &Layout) {
    let plans = if func.framed { &[] } else { frames.plans };
    func.rewrite_rows(plans, Operand::phys(frames.sp), |func, row, out| {
        let mut e = Emitter { func, out, frames, layout };
        if frames.machine.row(row.op).flags & RETURN != 0 {
            if row.op == frames.leave[0] {
                return e.epilogue(row, None);
            }
            if let Some(&(_, through)) = frames.jumps.iter().find(|jump| jump.0 == row.op) {
                return e.epilogue(row, Some(through));
            }
        }
        if row.op == ENTRY {
            e.prologue();
        }
        (frames.expand)(&mut e, row);
    });
}

/// The same of one whose frame is not.
#[cfg(test)]
pub fn lay_out_and_finalise(func: &mut Func, frames: &'static Frames) {
    let layout = lay_out(func, frames).unwrap();
    finalise(func, frames, &layout);
}

/// The rows that put an integer in a register.
#[cfg(test)]
pub fn constant(func: &mut Func, frames: &'static Frames, def: Operand, x: i64) -> Vec<InstRow> {
    let mut out = Vec::new();
    let layout = &Layout::default();
    Emitter { func, out: &mut out, layout, frames }.constant(def, x);
    out
}

/// Appends final rows.
#[derive(Debug)]
pub struct Emitter<'a> {
    /// The function.
    pub func: &'a mut Func,
    /// The rows so far.
    pub out: &'a mut Vec<InstRow>,
    /// The frame.
    pub layout: &'a Layout,
    frames: &'static Frames,
}

impl Emitter<'_> {
    /// Appends a row.
    pub fn emit(&mut self, op: MachineOp, defs: &[Operand], uses: &[Operand], imm: i32, sym: u32) {
        let row = self.func.make_row(op, defs, uses, imm, sym);
        self.out.push(row);
    }

    /// Appends `def = op uses, imm`.
    pub fn set(&mut self, op: MachineOp, def: Operand, uses: &[Operand], imm: i64) {
        self.emit(op, &[def], uses, imm as i32, 0);
    }

    /// Operand `k` of a row.
    pub fn operand(&self, row: &InstRow, k: usize) -> Operand {
        self.func.operands[row.first as usize + k]
    }

    /// What a slot's offset counts from: arguments of calls stand at the stack pointer, wherever that is.
    pub fn base(&self, row: &InstRow) -> Operand {
        let is_outgoing = || self.func.slots[Slot::new(row.sym as usize)].kind == SlotKind::Outgoing;
        let reg = if self.func.framed && !is_outgoing() { self.frames.base.0 } else { self.frames.sp };
        Operand::phys(reg)
    }

    /// Bytes at the stack pointer that are for arguments of calls.
    fn outgoing(&self) -> i64 {
        let slots = self.func.slots.as_slice().iter().filter(|slot| slot.kind == SlotKind::Outgoing);
        i64::from(slots.map(|slot| slot.bytes).max().unwrap_or(0))
    }

    /// Takes as many bytes of the stack as a register says: below what is in use and above the arguments of calls.
    /// `mask` makes the low bits of a register zero; `way` is a scratch register.
    pub fn take(
        &mut self,
        row: &InstRow,
        way: Operand,
        subtract: MachineOp,
        mask: impl Fn(&mut Self, Operand, Operand, u32),
    ) {
        let (def, bytes) = (self.operand(row, 0), self.operand(row, 1));
        let (sp, below) = (Operand::phys(self.frames.sp), self.outgoing());
        // Slots may stand right above the arguments.
        self.add(way, (sp, below), way, None);
        self.set(subtract, way, &[way, bytes], 0);
        mask(self, def, way, row.imm as u32);
        let below = below as u64;
        self.add(
            sp,
            (def, -(below.next_multiple_of(self.frames.machine.stack_align.into()) as i64)),
            way,
            None,
        );
    }

    /// Appends what stands for a row that the target has nothing to say of: a sequence, or itself. (Asked in front of the target, and
    /// with addresses of globals among the sequences, this took 30% more of `finalise`, 1% of -O1 for ARMv7.)
    pub fn rest(&mut self, row: InstRow) {
        let is_pseudo = self.frames.machine.row(row.op).text.is_empty();
        let sequences = if is_pseudo { self.frames.sequences } else { &[] };
        match sequences.iter().find(|sequence| sequence.0 == row.op) {
            Some((_, rows)) => self.sequence(&row, rows),
            None => self.out.push(row),
        }
    }

    /// Appends a sequence that stands for a row.
    fn sequence(&mut self, row: &InstRow, rows: &[Made]) {
        for &(op, letters) in rows {
            let mut operands = [Operand::FRAME; 4];
            for (operand, letter) in operands.iter_mut().zip(letters.bytes()) {
                *operand = match letter {
                    b'p' => Operand::phys(self.frames.sp),
                    b's' => Operand::phys(self.frames.count),
                    _ => self.operand(row, usize::from(letter & 15)),
                };
            }
            let OpRow { operands: shape, sym, .. } = self.frames.machine.row(op);
            let (defs, uses) = operands[..letters.len()].split_at(shape.find('=').unwrap_or(0));
            let (imm, sym) = if *sym == SymKind::None { (0, 0) } else { (row.imm, row.sym) };
            self.emit(op, defs, uses, imm, sym);
        }
    }

    /// Appends `def = from`, of which one is the stack pointer.
    pub fn copy(&mut self, def: Operand, from: Operand) {
        self.set(self.frames.base.1, def, &[from], 0);
    }

    /// Bytes from the base of the frame to what a slot row means.
    pub fn offset(&self, row: &InstRow) -> i64 {
        self.func.slots[Slot::new(row.sym as usize)].offset + i64::from(row.imm)
    }

    /// Appends a row of a slot with another opcode, in which the base of the frame, its last operand, is a
    /// register.
    pub fn access(&mut self, row: InstRow, op: MachineOp, base: Operand, offset: i64) {
        let last = row.first as usize + usize::from(row.defs) + usize::from(row.uses) - 1;
        self.func.operands[last] = base;
        self.out.push(InstRow { op, imm: offset as i32, sym: 0, ..row });
    }

    /// Appends what puts an integer in a register.
    pub fn constant(&mut self, def: Operand, x: i64) {
        (self.frames.constant)(self, def, x);
    }

    /// Appends `def = base + offset`.
    pub fn frame_address(&mut self, def: Operand, base: Operand, offset: i64) {
        self.add(def, (base, offset), def, None);
    }

    /// Appends `def = from + bytes`, by way of a register if immediates do not do. If the stack pointer
    /// itself moves, in a frame of so many bytes, unwinders are told.
    fn add(&mut self, def: Operand, (mut from, bytes): (Operand, i64), way: Operand, mut frame: Option<i64>) {
        let Frames { parts, sums, unwind, .. } = self.frames;
        let mut moved = |e: &mut Self, bytes: i64| {
            if let Some(frame) = &mut frame {
                *frame -= bytes;
                unwind.frame(e.func, e.out, *frame);
            }
        };
        if let Some((first, second)) = parts(bytes) {
            for (op, imm, bytes) in [Some(first), second].into_iter().flatten() {
                self.set(op, def, &[from], imm.into());
                moved(self, bytes);
                from = def;
            }
            return;
        }
        self.constant(way, if sums[0] == sums[1] { bytes } else { bytes.abs() });
        self.set(sums[usize::from(bytes < 0)], def, &[from, way], 0);
        moved(self, bytes);
    }

    /// Moves the stack pointer in a frame that takes `frame` bytes before.
    fn move_sp(&mut self, bytes: i64, frame: i64) {
        if bytes != 0 {
            let [sp, count] = [self.frames.sp, self.frames.count].map(Operand::phys);
            self.add(sp, (sp, bytes), count, Some(frame));
        }
    }

    /// Appends a row of a step: the one that stores, or the one that loads.
    fn step_row(&mut self, step: &Step, (op, imm): (MachineOp, i32), loads: bool) {
        let base = step.has_base.then_some(self.frames.sp);
        let mut operands = [Operand::FRAME; 3];
        let mut count = 0;
        for reg in step.regs.into_iter().chain([base]).flatten() {
            operands[count] = Operand::phys(reg);
            count += 1;
        }
        let defs = if loads && step.has_base { count - 1 } else { 0 };
        self.emit(op, &operands[..defs], &operands[defs..count], imm, 0);
    }

    fn prologue(&mut self) {
        let unwind = self.frames.unwind;
        let mut frame = 0;
        // Where registers have been saved: told before the stack pointer moves again.
        let mut untold: Vec<(PReg, i64)> = Vec::new();
        for step in &self.layout.steps {
            if step.bytes != 0 {
                untold.drain(..).for_each(|(reg, at)| unwind.saved(self.func, self.out, reg, at));
            }
            match step.rows {
                Some([row, _]) => self.step_row(step, row, false),
                None => self.move_sp(-step.bytes, frame),
            }
            frame += step.bytes;
            if step.bytes != 0 && step.rows.is_some() {
                unwind.frame(self.func, self.out, frame);
            }
            untold.extend(step.saved.iter().map(|&(reg, at)| (reg, at - frame)));
        }
        untold.drain(..).for_each(|(reg, at)| unwind.saved(self.func, self.out, reg, at));
        if self.func.framed {
            let Frames { sp, base: (base, _), .. } = *self.frames;
            self.copy(Operand::phys(base), Operand::phys(sp));
            unwind.counts_from(self.func, self.out, base);
        }
    }

    /// Undoes the prologue and leaves: by the row itself, if it is a jump.
    fn epilogue(&mut self, leave: InstRow, jump: Option<Option<Through>>) {
        let mut steps = &self.layout.steps[..];
        let Frames { machine, leave: [_, ret], unwind, in_order, staying, .. } = self.frames;
        let mut through = jump.flatten();
        let mut frame: i64 = steps.iter().map(|step| step.bytes).sum();
        let (has_frame, mut returns) = (frame != 0, false);
        let mut last = if jump.is_some() { leave } else { InstRow { op: *ret, ..leave } };
        if has_frame {
            unwind.remember(self.func, self.out);
        }
        if self.func.framed {
            let Frames { sp, base: (base, _), .. } = *self.frames;
            self.copy(Operand::phys(sp), Operand::phys(base));
            unwind.counts_from(self.func, self.out, sp);
        }
        while !steps.is_empty() {
            // What is loaded while the stack pointer stays, or else one step.
            let still = steps.iter().rev().take_while(|step| step.bytes == 0).count();
            let (left, run) = steps.split_at(steps.len() - still.max(1));
            let restores = |from: PReg| run.iter().any(|step| step.saved.iter().any(|&(reg, _)| reg == from));
            if let Some(Through { from, copy, to, jump }) = through.take_if(|through| restores(through.from))
            {
                self.set(copy, Operand::phys(to), &[Operand::phys(from)], 0);
                last = InstRow { op: jump, ..last };
            }
            for k in 0..run.len() {
                let step = &run[if *in_order { k } else { run.len() - 1 - k }];
                match step.rows {
                    Some([_, mut row]) => {
                        if let Some(&(_, only)) =
                            staying.iter().find(|pair| jump.is_some() && pair.0 == row.0)
                        {
                            row.0 = only;
                        }
                        self.step_row(step, row, true);
                        returns |= machine.row(row.0).flags & RETURN != 0;
                    }
                    None => self.move_sp(step.bytes, frame),
                }
            }
            if !returns {
                let restored = run.iter().flat_map(|step| &step.saved);
                restored.for_each(|&(reg, _)| unwind.restored(self.func, self.out, reg));
            }
            frame -= run[0].bytes;
            if run[0].bytes != 0 && run[0].rows.is_some() && !returns {
                unwind.frame(self.func, self.out, frame);
            }
            steps = left;
        }
        if let Some(Through { from, copy, to, jump }) = through {
            self.set(copy, Operand::phys(to), &[Operand::phys(from)], 0);
            last = InstRow { op: jump, ..last };
        }
        if !returns {
            self.out.push(last);
        }
        if has_frame {
            unwind.recall(self.func, self.out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;
    use crate::isa::TARGETS;

    #[test]
    fn rows_of_sequences_have_the_operands_that_their_opcodes_ask_for() {
        for Frames { machine, sequences, .. } in TARGETS.iter().map(|target| target.frames) {
            for &(op, rows) in *sequences {
                let (pseudo, count) = (machine.row(op), |op| machine.row(op).operands.len() - 1);
                let is_there =
                    |letter: u8| matches!(letter, b'p' | b's') || usize::from(letter - b'0') < count(op);
                assert!(pseudo.text.is_empty(), "{}", pseudo.name);
                for &(op, letters) in rows {
                    assert!(letters.len() == count(op) && letters.bytes().all(is_there), "{}", pseudo.name);
                }
            }
        }
    }
}
