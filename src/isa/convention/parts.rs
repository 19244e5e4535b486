//! What is not one value in one place: results of several parts, and variadic arguments of what is defined here. O(parts).

use super::{Convention, Grouping, Place, Places, Variadic, Vectors, has, word};
use crate::base::Handle;
use crate::ir::{Func, Group, Inst, Parts, Type};
use crate::isa::memory;
use crate::isa::select::Select;
use crate::mir::{Operand, PReg, Slot, SlotKind, VReg};

/// Registers that variadic arguments may have come in: the parameter that stands for these, integers, and floats.
pub(super) type Varargs = (Inst, [Vec<VReg>; 2]);

/// Takes the registers in which variadic arguments may come, if something asks for these.
pub(super) fn varargs(
    cx: &mut Select,
    parts: &Parts,
    places: &Places,
    defs: &mut Vec<Operand>,
) -> Option<Varargs> {
    let c = cx.rules.convention;
    let k = usize::from(!parts.results.is_empty());
    let param = cx.body.params().nth(k).filter(|&i| parts.varargs && cx.is_wanted(i))?;
    let ints = c.ints.get(places.ints..).unwrap_or_default();
    // Where floats are passed as integers, only these.
    let floats = match c.variadic {
        Variadic::AsOthers => c.floats.get(places.floats.trailing_ones() as usize..).unwrap_or_default(),
        Variadic::Rest | Variadic::All => &[],
    };
    let mut take = |regs: &[PReg], ty: Type| -> Vec<VReg> {
        let taken: Vec<VReg> = regs.iter().map(|_| cx.new_reg(ty)).collect();
        defs.extend(taken.iter().zip(regs).map(|(&v, &reg)| Operand::fixed(v, reg)));
        taken
    };
    let ints = take(ints, word(c));
    let floats = take(floats, if c.vectors.is_some() { Type::F64x2 } else { Type::F64 });
    Some((param, [ints, floats]))
}

/// Stores them, and makes what the parameter is: the address of the first variadic argument, behind which all others are; or,
/// where floats have registers of their own, AArch64's `va_list`: the stack, the ends of both areas, and how far below the next
/// argument is.
pub(super) fn keep_varargs(cx: &mut Select, places: &Places, (param, [ints, floats]): Varargs) {
    let c = cx.rules.convention;
    let address = Operand::virt(cx.result(param));
    let [of_slot, _] = cx.rules.memory.addresses;
    let is_list = c.variadic == Variadic::AsOthers;
    let (int, count) = (c.int_bytes, ints.len() as u32);
    let on_stack =
        cx.out.new_slot(SlotKind::Incoming(places.stack.next_multiple_of(c.stack_bytes)), int, int);
    let kind = if is_list { SlotKind::Local } else { SlotKind::Varargs };
    let kept = (count != 0).then(|| cx.out.new_slot(kind, int * count, 8));
    let store = |cx: &mut Select, ty: Type, v: Operand, slot: Slot, at: u32| {
        if let Some(op) = c.stores[ty.scalar_number()] {
            cx.emit_row(op, 0, &[v, Operand::FRAME], at as i32, slot.index() as u32);
        }
    };
    if let Some(slot) = kept {
        for (v, at) in ints.into_iter().zip((0..).step_by(int as usize)) {
            store(cx, word(c), Operand::virt(v), slot, at);
        }
    }
    if !is_list {
        let slot = kept.unwrap_or(on_stack);
        return cx.emit_row(of_slot, 1, &[address, Operand::FRAME], 0, slot.index() as u32);
    }
    let many = floats.len() as u32;
    let kept_floats = (many != 0).then(|| cx.out.new_slot(SlotKind::Local, 16 * many, 16));
    if let Some(slot) = kept_floats {
        for (v, at) in floats.into_iter().zip((0..).step_by(16)) {
            match c.vectors {
                Some(Vectors { store, .. }) => {
                    let uses = [Operand::virt(v), Operand::FRAME];
                    cx.emit_row(store, 0, &uses, at as i32, slot.index() as u32);
                }
                None => store(cx, Type::F64, Operand::virt(v), slot, at),
            }
        }
    }
    let list = cx.out.new_slot(SlotKind::Local, 32, 8);
    let ends = [(Some(on_stack), 0), (kept, 8 * count), (kept_floats, 16 * many)];
    for ((slot, end), at) in ends.into_iter().zip((0..).step_by(8)) {
        let end = memory::slot_address(cx, slot.unwrap_or(on_stack), end as i32);
        store(cx, Type::I64, end, list, at);
    }
    let below = [count * 8, many * 16].map(|bytes| u64::from(bytes.wrapping_neg()));
    let below = (cx.rules.integer)(cx, Type::I64, (below[1] << 32 | below[0]) as i64);
    store(cx, Type::I64, below, list, 24);
    cx.emit_row(of_slot, 1, &[address, Operand::FRAME], 0, list.index() as u32);
}

/// Room for the parts of a result, if a parameter stands for it.
pub(super) fn room(cx: &mut Select, parts: &Parts) {
    let first = cx.body.params().next().filter(|&i| !parts.results.is_empty() && cx.is_wanted(i));
    if let Some(i) = first {
        let bytes = parts.results.iter().map(|&(ty, at)| at + ty.bytes().max(8)).max().unwrap_or(8);
        let slot = cx.out.new_slot(SlotKind::Local, bytes, 8);
        let address = Operand::virt(cx.result(i));
        cx.emit_row(cx.rules.memory.addresses[0], 1, &[address, Operand::FRAME], 0, slot.index() as u32);
    }
}

/// The parts of a function's result with their registers. Two singles that a machine has in one register are one double; what is passed as
/// integers is returned as such.
pub(super) fn results(cx: &mut Select, func: &Func, parts: &Parts) -> Vec<(Type, u32, PReg)> {
    let c = cx.rules.convention;
    let as_int = c.variadic == Variadic::All && func.variadic;
    let mut all: Vec<(Type, u32)> = Vec::new();
    for &(ty, at) in &parts.results {
        match all.last_mut() {
            _ if as_int && ty == Type::F64 => all.extend([(Type::I32, at), (Type::I32, at + 4)]),
            Some(last) if cx.out.is_wide && ty == Type::F32 && *last == (ty, at.wrapping_sub(4)) => {
                last.0 = Type::F64;
            }
            _ => all.push((ty, at)),
        }
    }
    let mut places = Places::default();
    let mut found = Vec::new();
    for (ty, at) in all {
        let is_vector = ty.is_vector() && c.vectors.is_some();
        match places.next(c, if is_vector { Type::F64 } else { ty }, false) {
            Place::Reg(reg) if is_vector => found.push((ty, at, reg)),
            // RISC-V returns what is more than two values in memory.
            Place::Reg(reg) if has(cx, ty) && (found.len() < 2 || c.grouping != Grouping::Split) => {
                found.push((ty, at, reg));
            }
            _ => cx.fail(&format!("{}: a result of so many parts", cx.rules.machine.name)),
        }
    }
    found
}

impl Places {
    /// Says which argument is next, of this type, if others stand with it.
    pub(super) fn begin(&mut self, c: &Convention, parts: &Parts, k: usize, ty: Type, as_int: bool) {
        if let Some((left, gaps)) = &mut self.group {
            *left -= 1;
            if *left == 0 {
                self.floats &= !*gaps;
                (self.group, self.vector) = (None, None);
            }
        }
        let at = parts.groups.binary_search_by_key(&k, |group| group.first as usize);
        let Some(&Group { count, align, is_vector, .. }) = at.ok().and_then(|at| parts.groups.get(at)) else {
            return;
        };
        if is_vector && c.vectors.is_some() {
            let (free, registers) = ((!self.floats).trailing_zeros(), count.div_ceil(2));
            let first = (registers <= (c.floats.len() as u32).saturating_sub(free)).then_some(free);
            match first {
                Some(free) => self.floats |= ((1 << registers) - 1) << free,
                None => {
                    self.floats = u64::MAX;
                    self.stack = self.stack.next_multiple_of(align.max(c.stack_bytes));
                }
            }
            self.vector = Some((first, 0));
            self.group = Some((count, 0));
            return;
        }
        if is_vector && as_int {
            return;
        }
        let bytes = if ty == Type::Ptr { c.int_bytes } else { ty.bytes().max(4) };
        let mut gaps = 0;
        if ty.is_float() && !as_int {
            if c.grouping == Grouping::Split {
                return;
            }
            let registers = bytes.div_ceil(c.float_bytes).saturating_mul(count);
            // A register of 16 bytes is some of these, and begins at a multiple of as many.
            let step = if is_vector { 16 } else { bytes }.div_ceil(c.float_bytes);
            let all = 1u64.checked_shl(registers).map_or(u64::MAX, |end| end - 1);
            let most = (c.floats.len() as u32).checked_sub(registers);
            let run = most
                .and_then(|most| (0..=most).step_by(step as usize).find(|&k| self.floats & all << k == 0));
            match run {
                Some(k) => {
                    gaps = !self.floats & ((1 << k) - 1);
                    self.floats |= gaps;
                }
                None => {
                    self.floats = u64::MAX;
                    self.stack = self.stack.next_multiple_of(align.max(c.stack_bytes));
                }
            }
        } else {
            let is_even = align > c.int_bytes && (c.grouping != Grouping::Split || as_int);
            let first = self.ints.next_multiple_of(1 + usize::from(is_even));
            let fits = first + (count * bytes.div_ceil(c.int_bytes)) as usize <= c.ints.len();
            let splits = match c.grouping {
                Grouping::Split => first < c.ints.len(),
                Grouping::Whole => false,
                Grouping::SplitFirst => self.stack == 0 && first < c.ints.len(),
            };
            self.ints = first;
            if !fits && !splits {
                self.ints = c.ints.len();
                self.stack = self.stack.next_multiple_of(align.max(c.stack_bytes));
            }
        }
        self.group = Some((count, gaps));
    }
}
