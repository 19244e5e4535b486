//! Calling conventions as rows, and the one walk over them: parameters, calls and returns.
//!
//! Arguments get their places in order. A float takes the lowest floating registers that are free, so that a
//! single fills the gap in front of an aligned double; integers are counted, and a value of two registers
//! takes an even pair. Once a value of a kind did not fit, no later one of that kind gets a register.
//!
//! An argument of several parts (`ir::Parts`) is told before its first one (`Places::begin`): `Grouping` says what becomes of one
//! that does not fit. The parts of a result are where the parameter leads that stands for them: a return loads them, a call
//! stores them.
//! O(arguments).

mod jumps;
mod parts;

use super::memory;
use super::select::{ByType, Select, lack_alone};
use super::{MEMCPY, MEMSET};
use crate::base::{Handle, Opt};
use crate::ir::{Effect, Func, Inst, Op, Parts, Type, Value};
use crate::mir::desc::ENTRY;
use crate::mir::{Class, MachineOp, Operand, PReg, SlotKind, VReg};
use jumps::jump_of;
use parts::{keep_varargs, results, room, varargs};

/// How a target passes arguments and results.
#[derive(Debug)]
pub struct Convention {
    /// Registers of integers and pointers, in order; the first is that of results.
    pub ints: &'static [PReg],
    /// As above, of floats.
    pub floats: &'static [PReg],
    /// Bytes of an integer register.
    pub int_bytes: u32,
    /// Bytes of a floating register.
    pub float_bytes: u32,
    /// The least bytes of a place on the stack.
    pub stack_bytes: u32,
    /// A float for which there is no register left takes one of integers.
    pub floats_overflow: bool,
    /// How arguments of variadic functions differ. Where it is all of them, so do results.
    pub variadic: Variadic,
    /// The call, and the return.
    pub call: MachineOp,
    /// See `call`.
    pub ret: MachineOp,
    /// The call of what has its address in this register, which takes no argument.
    pub through: (MachineOp, PReg),
    /// A call that is the last thing, as a jump: to a name, and to what has its address in this register.
    pub jump: MachineOp,
    /// See `jump`.
    pub jump_through: (MachineOp, PReg),
    /// Where the address of a result in memory goes, if not where first arguments go.
    pub result_place: Option<PReg>,
    /// By type, the row that loads a parameter from the stack. None: the target passes no such values.
    pub loads: ByType,
    /// By type, the row that stores an argument to the stack.
    pub stores: ByType,
    /// The rows that move a single and a double to a register of integers, if they ever go there.
    pub to_bits: [MachineOp; 2],
    /// The rows that move them back; of a double that takes two registers, from both.
    pub from_bits: [MachineOp; 2],
    /// The two words of what takes two registers of integers.
    pub words: fn(&mut Select, Value) -> [Operand; 2],
    /// If a floating register is a pair of those of the convention in functions with wide values, what is done with halves.
    pub halves: Option<Halves>,
    /// If vectors have registers, those of floats, how two words become one and are taken from it.
    pub vectors: Option<Vectors>,
    /// Where the parts of one argument go.
    pub grouping: Grouping,
}

/// What becomes of an argument of several parts for which there are not enough registers left.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// What fits is in registers, the rest on the stack, floats or not. What is aligned to two registers takes an even pair behind the
    /// named arguments.
    Split,
    /// All is on the stack, floats side by side. What is aligned to two registers takes an even pair.
    Whole,
    /// All is on the stack, unless it is integers and the stack is not used yet.
    SplitFirst,
}

/// Rows on halves of a floating register. A high half has an odd number, and is no register to the allocator:
/// it travels with the low half, which is always taken before.
#[derive(Copy, Clone, Debug)]
pub struct Halves {
    /// The low half of a pair as a register of its own.
    pub low: MachineOp,
    /// The high half.
    pub high: MachineOp,
    /// A pair of a low half, in whose register it is made, and a high half.
    pub pair: MachineOp,
}

/// Rows on the words of a vector register.
#[derive(Copy, Clone, Debug)]
pub struct Vectors {
    /// The vector of a lower word; the upper one may be anything.
    pub from_low: MachineOp,
    /// An upper word in a vector that is there.
    pub onto_high: MachineOp,
    /// The lower word.
    pub low: MachineOp,
    /// The upper word.
    pub high: MachineOp,
    /// The whole to a frame slot.
    pub store: MachineOp,
}

impl Vectors {
    /// The vector of two words.
    fn of_words(&self, cx: &mut Select, [low, high]: [Operand; 2]) -> Operand {
        let half = cx.emit_fresh(self.from_low, Type::F64x2, &[low], 0, 0);
        cx.emit_fresh(self.onto_high, Type::F64x2, &[half, high], 0, 0)
    }
}

/// The register of the low half, of a high one.
#[inline(always)]
fn low_half(cx: &Select, reg: PReg) -> Option<(Halves, PReg)> {
    let is_odd_float = cx.out.is_wide && reg.class() != Class::INT && reg.number() & 1 != 0;
    if is_odd_float { cx.rules.convention.halves.map(|halves| (halves, PReg(reg.0 - 1))) } else { None }
}

/// Which arguments of a variadic function are passed as integers, whatever they are.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Variadic {
    /// None.
    AsOthers,
    /// Those behind the named ones.
    Rest,
    /// All.
    All,
}

/// Where a value travels.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    /// In a register of its own kind.
    Reg(PReg),
    /// A float in a register of integers.
    Bits(PReg),
    /// In two registers of integers, the low word in the first.
    Pair([PReg; 2]),
    /// The upper word of a vector register, or the lower one.
    Word(PReg, bool),
    /// On the stack, so many bytes above the caller's stack pointer.
    Stack(u32),
}

/// Hands out places, argument after argument.
#[derive(Default)]
struct Places {
    ints: usize,
    /// The floating registers that are taken, a bit each.
    floats: u64,
    stack: u32,
    /// Parts of an argument that are still to come, and the floating registers in front of it that are free.
    group: Option<(u32, u64)>,
    /// Of one that is in registers of vectors: the first of these, or none left for it, and words that have been placed.
    vector: Option<(Option<u32>, u32)>,
}

/// `Places::ints` where the address of a result is to come, in a register of its own.
const RESULT: usize = usize::MAX;

impl Places {
    /// Of a function.
    #[inline(always)]
    fn of(c: &Convention, func: &Func) -> Places {
        let has_own = func.returns_by && c.result_place.is_some();
        Places { ints: if has_own { RESULT } else { 0 }, ..Places::default() }
    }

    #[inline(always)]
    fn next(&mut self, c: &Convention, ty: Type, as_int: bool) -> Place {
        if matches!(ty, Type::I32 | Type::Ptr)
            && let Some(&reg) = c.ints.get(self.ints)
        {
            self.ints += 1;
            return Place::Reg(reg);
        }
        self.next_of_any(c, ty, as_int)
    }

    #[inline(never)]
    fn next_of_any(&mut self, c: &Convention, ty: Type, as_int: bool) -> Place {
        if let Some(reg) = c.result_place.filter(|_| self.ints == RESULT) {
            self.ints = 0;
            return Place::Reg(reg);
        }
        let bytes = if ty == Type::Ptr { c.int_bytes } else { ty.bytes() };
        if let Some((first, word)) = &mut self.vector {
            let (k, is_high) = (*word / 2, *word % 2 != 0);
            *word += 1;
            return match first.and_then(|first| c.floats.get((first + k) as usize)) {
                Some(&reg) => Place::Word(reg, is_high),
                None => self.on_stack(c, bytes),
            };
        }
        if ty.is_float() && !as_int {
            let (free, is_double) = (!self.floats, bytes > c.float_bytes);
            let fits = if is_double { free & free >> 1 & 0x5555_5555_5555_5555 } else { free };
            let k = fits.trailing_zeros();
            if let Some(&reg) = c.floats.get(k as usize) {
                self.floats |= (1 + 2 * u64::from(is_double)) << k;
                return Place::Reg(reg);
            }
            self.floats = u64::MAX;
            if !c.floats_overflow {
                return self.on_stack(c, bytes);
            }
        }
        let is_pair = bytes > c.int_bytes;
        let first = self.ints.next_multiple_of(1 + usize::from(is_pair));
        self.ints = first + 1 + usize::from(is_pair);
        match c.ints.get(first..self.ints) {
            Some(&[low, high]) => Place::Pair([low, high]),
            Some(&[reg]) if ty.is_float() => Place::Bits(reg),
            Some(&[reg]) => Place::Reg(reg),
            _ => {
                self.ints = c.ints.len();
                self.on_stack(c, bytes)
            }
        }
    }

    fn on_stack(&mut self, c: &Convention, bytes: u32) -> Place {
        let is_packed = self.group.is_some() && c.grouping == Grouping::Whole;
        let bytes = if is_packed { bytes } else { bytes.max(c.stack_bytes) };
        let at = self.stack.next_multiple_of(bytes);
        self.stack = at + bytes;
        Place::Stack(at)
    }
}

/// Rows by type, from those for integers of up to 4 bytes, of 8 bytes, singles and doubles.
pub const fn by_type(pointer_bytes: u32, rows: [Option<MachineOp>; 4]) -> ByType {
    let mut table = [rows[0]; Type::NUMBERS];
    table[Type::I64 as usize] = rows[1];
    table[Type::F32 as usize] = rows[2];
    table[Type::F64 as usize] = rows[3];
    table[Type::Ptr as usize] = rows[(pointer_bytes == 8) as usize];
    table
}

/// True if the target passes values of this type; complains if not.
#[inline(always)]
fn has(cx: &mut Select, ty: Type) -> bool {
    let is_wide = cx.rules.splits_words && matches!(ty, Type::I64 | Type::F64);
    let has = cx.rules.convention.loads[ty.scalar_number()].is_some() && (cx.out.is_wide || !is_wide);
    if !has {
        refuse(cx);
    }
    has
}

#[cold]
fn refuse(cx: &mut Select) {
    cx.fail(&format!("{}: i64 or double as an argument or result", cx.rules.machine.name));
}

#[cold]
fn refuse_stack(cx: &mut Select) {
    cx.fail(&format!("{}: arguments of a `tailcc` function on the stack", cx.rules.machine.name));
}

/// A value in a virtual register.
#[inline(always)]
fn in_register(cx: &mut Select, v: Value) -> Operand {
    match v.as_inst() {
        Some(i) if cx.body.op(i) != Op::Alloca => Operand::virt(cx.result(i)),
        _ => cx.movable(v),
    }
}

/// An operand that must be in a register.
pub fn fixed(operand: Operand, reg: PReg) -> Operand {
    operand.as_virt().map_or(operand, |v| Operand::fixed(v, reg))
}

fn result_register(c: &Convention, ty: Type) -> PReg {
    if ty.is_float() { c.floats[0] } else { c.ints[0] }
}

/// Emits the `ENTRY` row, and what else the parameters that something needs take.
pub fn entry(cx: &mut Select) {
    let c = cx.rules.convention;
    let func = &cx.env.funcs[cx.body.func];
    let mut places = Places::of(c, func);
    let mut defs = std::mem::take(&mut cx.operands);
    let (mut later, mut halves): (Vec<Later>, Vec<_>) = (Vec::new(), Vec::new());
    let mut pairs: Vec<(VReg, [VReg; 2])> = Vec::new();
    let mut words_of: Vec<(PReg, VReg, bool, VReg)> = Vec::new();
    let as_int = c.variadic == Variadic::All && func.variadic;
    for (k, i) in cx.body.params().enumerate() {
        let ty = cx.body.ty(i);
        has(cx, ty);
        if let Some(parts) = &func.parts {
            if k < parts.hidden() {
                continue;
            }
            places.begin(c, parts, k, ty, as_int);
        }
        let place = places.next(c, ty, as_int);
        if !cx.is_wanted(i) {
            if ty == Type::I64 && c.int_bytes == 4 {
                words(cx, i, place, &mut defs, &mut later);
            }
            continue;
        }
        let v = cx.result(i);
        match place {
            Place::Reg(reg) if let Some((rows, low)) = low_half(cx, reg) => {
                let pair = cx.new_reg(Type::F64);
                let whole = Operand::fixed(pair, low);
                match defs.iter_mut().find(|def| def.constraint() == Some(low)) {
                    Some(def) => {
                        halves.extend(def.as_virt().map(|low| (rows.low, low, pair)));
                        *def = whole;
                    }
                    None => defs.push(whole),
                }
                halves.push((rows.high, v, pair));
            }
            Place::Reg(reg) => defs.push(Operand::fixed(v, reg)),
            Place::Bits(reg) => {
                let bits = cx.new_reg(word(c));
                defs.push(Operand::fixed(bits, reg));
                later.push((ty, v, Some(bits), 0));
            }
            Place::Pair(regs) if ty == Type::F64 => {
                let words = [Type::I32; 2].map(|ty| cx.new_reg(ty));
                defs.extend(words.iter().zip(regs).map(|(&word, reg)| Operand::fixed(word, reg)));
                pairs.push((v, words));
            }
            Place::Pair(_) => {}
            Place::Word(reg, is_high) => {
                let whole = match words_of.last() {
                    Some(&(last, whole, ..)) if last == reg => whole,
                    _ => {
                        let whole = cx.new_reg(Type::F64x2);
                        defs.push(Operand::fixed(whole, reg));
                        whole
                    }
                };
                words_of.push((reg, whole, is_high, v));
            }
            Place::Stack(_) if func.tail => refuse_stack(cx),
            Place::Stack(offset) => later.push((ty, v, None, offset)),
        }
    }
    let varargs = func.parts.as_deref().and_then(|parts| varargs(cx, parts, &places, &mut defs));
    cx.emit_fixed(ENTRY, defs.len() as u8, &defs, 0);
    defs.clear();
    cx.operands = defs;
    if let Some(varargs) = varargs {
        keep_varargs(cx, &places, varargs);
    }
    for (v, words) in pairs {
        let [low, high] = words.map(Operand::virt);
        cx.emit_row(c.from_bits[1], 1, &[Operand::virt(v), low, high], 0, 0);
    }
    for (op, half, pair) in halves {
        cx.emit_row(op, 1, &[Operand::virt(half), Operand::virt(pair)], 0, 0);
    }
    if let Some(vectors) = &c.vectors {
        for (_, whole, is_high, v) in words_of {
            let op = if is_high { vectors.high } else { vectors.low };
            cx.emit_row(op, 1, &[Operand::virt(v), Operand::virt(whole)], 0, 0);
        }
    }
    for (ty, v, bits, offset) in later {
        let d = Operand::virt(v);
        match (bits, c.loads[ty.scalar_number()]) {
            (Some(bits), _) => {
                cx.emit_row(c.from_bits[usize::from(ty == Type::F64)], 1, &[d, Operand::virt(bits)], 0, 0);
            }
            (None, Some(op)) => {
                // What is overwritten by the arguments of a jump cannot be loaded again.
                let again = cx.rules.slot_loads[ty.scalar_number()].filter(|_| cx.overwrites);
                let op = again.unwrap_or(op);
                let bytes =
                    if ty == Type::F64 { 8 } else { c.stack_bytes.min(1 << offset.trailing_zeros().min(3)) };
                let slot = cx.out.new_slot(SlotKind::Incoming(offset), bytes, bytes);
                cx.emit_row(op, 1, &[d, Operand::FRAME], 0, slot.index() as u32);
            }
            (None, None) => {}
        }
    }
    if let Some(parts) = &func.parts {
        room(cx, parts);
    }
}

/// The type of a register of integers.
fn word(c: &Convention) -> Type {
    if c.int_bytes == 4 { Type::I32 } else { Type::I64 }
}

/// What is to be done for a parameter: its type and register, the register of integers that it comes in, or its
/// offset on the stack.
type Later = (Type, VReg, Option<VReg>, u32);

/// The words of a parameter that has two.
fn words(cx: &mut Select, param: Inst, place: Place, defs: &mut Vec<Operand>, later: &mut Vec<Later>) {
    for k in 0..2 {
        match (cx.take_half(param, k), place) {
            (Some(word), Place::Pair(regs)) => defs.push(Operand::fixed(word, regs[k as usize])),
            (Some(word), Place::Stack(offset)) => later.push((Type::I32, word, None, offset + 4 * k)),
            _ => {}
        }
    }
}

/// `call`.
pub fn call(cx: &mut Select, i: Inst) {
    call_or_jump(cx, i, false);
}

/// A call, or a jump in its place. What goes to the stack comes first: it needs registers only for a moment.
fn call_or_jump(cx: &mut Select, i: Inst, jumps: bool) {
    let (c, body) = (cx.rules.convention, cx.body);
    let callee = body.callee(i);
    let func = &cx.env.funcs[callee];
    if let Some(builtin) = func.builtin {
        return super::builtin::call(cx, i, builtin);
    }
    let (address, args) = match body.args(i).split_first().filter(|_| func.indirect) {
        Some((&address, args)) => (Some(address), args),
        None => (None, body.args(i)),
    };
    let first_as_int = match c.variadic {
        Variadic::Rest => func.params.len() - usize::from(func.indirect),
        Variadic::All if func.variadic => 0,
        _ => usize::MAX,
    };
    let parts = func.parts.as_deref();
    let hidden = parts.map_or(0, Parts::hidden);
    let types =
        || args.iter().enumerate().skip(hidden).map(|(k, &v)| (k, v, body.type_of(v), k >= first_as_int));
    // What has parts may leave registers unused.
    if parts.is_some() || 8 * args.len() > c.ints.len() * c.int_bytes as usize {
        let mut places = Places::of(c, func);
        for (k, v, ty, as_int) in types() {
            if let Some(parts) = parts {
                places.begin(c, parts, k, ty, as_int);
            }
            if let Place::Stack(offset) = places.next(c, ty, as_int) {
                if func.tail {
                    refuse_stack(cx);
                }
                cx.overwrites |= jumps;
                store(cx, v, ty, (offset, jumps));
            }
        }
    }
    let mut operands = std::mem::take(&mut cx.operands);
    let mut moved = None;
    let mut returned = Vec::new();
    let mut low = None;
    if let Some(parts) = parts.filter(|parts| !jumps && !parts.results.is_empty()) {
        for (ty, at, reg) in results(cx, func, parts) {
            let result = Operand::virt(cx.new_reg(ty));
            operands.push(fixed(result, reg));
            returned.push((ty, at, result));
        }
    }
    if !jumps && cx.is_wanted(i) && has(cx, body.ty(i)) {
        let (ty, result) = (body.ty(i), Operand::virt(cx.result(i)));
        if c.variadic == Variadic::All && func.variadic && ty.is_float() {
            // What is passed as integers is returned as such.
            let words = [Type::I32; 2].map(|word| cx.new_reg(word));
            let count = 1 + usize::from(ty == Type::F64);
            operands
                .extend(words.iter().zip(c.ints).take(count).map(|(&word, &reg)| Operand::fixed(word, reg)));
            moved = Some((c.from_bits[count - 1], result, words.map(Operand::virt), count));
        } else {
            operands.push(fixed(result, result_register(c, ty)));
            if let (Some(high), Some(&reg)) = (cx.take_half(i, 1), c.ints.get(1)) {
                operands.push(Operand::fixed(high, reg));
            }
        }
    }
    let defs = operands.len() as u8;
    let mut places = Places::of(c, func);
    for (k, v, ty, as_int) in types() {
        if let Some(parts) = parts {
            places.begin(c, parts, k, ty, as_int);
        }
        match places.next(c, ty, as_int) {
            Place::Reg(reg) if let Some((rows, low)) = low_half(cx, reg) => {
                let (high, pair) = (cx.reg(v), Operand::virt(cx.new_reg(Type::F64)));
                let at = operands.iter_mut().skip(usize::from(defs));
                if let Some(operand) = at.rev().find(|operand| operand.constraint() == Some(low))
                    && let Some(single) = operand.as_virt()
                {
                    *operand = fixed(pair, low);
                    cx.emit_row(rows.pair, 1, &[pair, Operand::virt(single), high], 0, 0);
                }
            }
            Place::Reg(reg) if has(cx, ty) => operands.push(fixed(in_register(cx, v), reg)),
            Place::Bits(reg) => {
                let (from, bits) = (cx.reg(v), Operand::virt(cx.new_reg(word(c))));
                cx.emit_row(c.to_bits[usize::from(ty == Type::F64)], 1, &[bits, from], 0, 0);
                operands.push(fixed(bits, reg));
            }
            Place::Pair(regs) => {
                let words = (c.words)(cx, v);
                operands.extend(words.into_iter().zip(regs).map(|(word, reg)| fixed(word, reg)));
            }
            Place::Word(reg, is_high) => {
                let word = in_register(cx, v);
                match (low.take(), c.vectors) {
                    (Some(low), Some(vectors)) if is_high => {
                        let whole = vectors.of_words(cx, [low, word]);
                        operands.push(fixed(whole, reg));
                    }
                    _ => low = Some(word),
                }
            }
            Place::Reg(_) | Place::Stack(_) => {}
        }
    }
    match address {
        Some(address) => {
            let (op, reg) = if jumps { c.jump_through } else { c.through };
            operands.push(fixed(in_register(cx, address), reg));
            match jumps {
                true => cx.emit_row(op, 0, &operands, 0, 0),
                false => cx.emit_call(op, defs, &operands, 0),
            }
        }
        None if jumps => cx.emit_row(c.jump, 0, &operands, 0, callee.index() as u32),
        None => {
            cx.out.returns_twice |= func.effect.has(Effect::TWICE);
            cx.emit_call(c.call, defs, &operands, callee.index() as u32);
        }
    }
    operands.clear();
    cx.operands = operands;
    if let Some((op, result, [low, high], count)) = moved {
        cx.emit_row(op, 1, &[result, low, high][..1 + count], 0, 0);
    }
    if let Some(&room) = args.first().filter(|_| hidden != 0) {
        for (ty, at, result) in returned {
            match c.vectors.filter(|_| ty.is_vector()) {
                Some(vectors) => {
                    for (op, at) in [(vectors.low, at), (vectors.high, at + 8)] {
                        let word = cx.emit_fresh(op, Type::I64, &[result], 0, 0);
                        memory::part(cx, false, Type::I64, word, room, at as i32);
                    }
                }
                None => memory::part(cx, false, ty, result, room, at as i32),
            }
        }
    }
}

/// Stores an argument to the stack: at the stack pointer, or where the function's own are.
fn store(cx: &mut Select, v: Value, ty: Type, (offset, is_own): (u32, bool)) {
    let c = cx.rules.convention;
    let is_pair = ty == Type::I64 && c.int_bytes < 8;
    let words = if is_pair || ty == Type::F64 && c.float_bytes < 8 && !cx.out.is_wide {
        let [low, high] = (c.words)(cx, v);
        [Some((Type::I32, low)), Some((Type::I32, high))]
    } else if has(cx, ty) {
        [Some((cx.rules.memory.stored)(cx, v)), None]
    } else {
        return;
    };
    for (offset, (ty, value)) in (offset..).step_by(c.stack_bytes as usize).zip(words.into_iter().flatten()) {
        // A double may take two places.
        let bytes = if ty == Type::F64 { 8 } else { c.stack_bytes };
        let (slot, at) = match is_own {
            true => (cx.out.new_slot(SlotKind::Incoming(offset), bytes, bytes), 0),
            false => (cx.outgoing(offset + bytes), offset as i32),
        };
        if let Some(op) = c.stores[ty.scalar_number()] {
            cx.emit_row(op, 0, &[value, Operand::FRAME], at, slot.index() as u32);
        }
    }
}

/// A call of a library function (a number from `LIBRARY_BASE` on) that takes integers.
pub fn call_library(cx: &mut Select, callee: u32, args: &[Operand], result: Option<(Operand, PReg)>) {
    let c = cx.rules.convention;
    let result = result.map(|(operand, reg)| fixed(operand, reg));
    let uses = args.iter().zip(c.ints).map(|(&operand, &reg)| fixed(operand, reg));
    let operands: Vec<Operand> = result.into_iter().chain(uses).collect();
    cx.emit_call(c.call, u8::from(result.is_some()), &operands, callee);
}

/// `memset` and `memcpy`: calls of the library's, which take the length in a register of the machine's width.
/// A length of another width is converted first, and a known number of zeros becomes a `meminit`
/// (`legalise`).
pub fn fill_or_copy(cx: &mut Select, i: Inst) {
    let (op, args) = (cx.body.op(i), cx.body.args(i));
    let &[to, second, length] = args else { return };
    let wide = if cx.rules.machine.pointer_bytes == 8 { Type::I64 } else { Type::I32 };
    let is_known = cx.body.number(length).is_some_and(|x| u32::try_from(x.unsigned()).is_ok());
    let is_zeros = op == Op::MemSet && cx.body.as_int(second) == Some(0) && is_known;
    if is_zeros || cx.body.type_of(length) != wide {
        return lack_alone(cx, i);
    }
    let args = [to, second, length].map(|v| in_register(cx, v));
    call_library(cx, if op == Op::MemSet { MEMSET } else { MEMCPY }, &args, None);
}

/// `ret`, or a jump in its place and that of the call in front of it.
pub fn ret(cx: &mut Select, i: Inst) {
    let c = cx.rules.convention;
    if let Some(call) = jump_of(cx, i) {
        cx.jumped = Opt::some(call);
        return call_or_jump(cx, call, true);
    }
    let func = &cx.env.funcs[cx.body.func];
    if let Some(parts) = &func.parts
        && !parts.results.is_empty()
        && let Some(room) = cx.body.params().next()
    {
        let mut values = Vec::new();
        for (ty, at, reg) in results(cx, func, parts) {
            let mut load = |ty: Type, at: u32| {
                let value = Operand::virt(cx.new_reg(ty));
                memory::part(cx, true, ty, value, Value::inst(room), at as i32);
                value
            };
            let value = match c.vectors.filter(|_| ty.is_vector()) {
                Some(vectors) => {
                    let words = [at, at + 8].map(|at| load(Type::I64, at));
                    vectors.of_words(cx, words)
                }
                None => load(ty, at),
            };
            values.push(fixed(value, reg));
        }
        return cx.emit_row(c.ret, 0, &values, 0, 0);
    }
    let mut value = None;
    if let Some(&v) = cx.body.args(i).first()
        && has(cx, cx.body.type_of(v))
    {
        if cx.body.type_of(v) == Type::I64 && c.int_bytes == 4 {
            let words = (c.words)(cx, v);
            let both: Vec<Operand> =
                words.into_iter().zip(c.ints).map(|(word, &reg)| fixed(word, reg)).collect();
            return cx.emit_row(c.ret, 0, &both, 0, 0);
        }
        let ty = cx.body.type_of(v);
        if ty.is_float() && c.variadic == Variadic::All && cx.env.funcs[cx.body.func].variadic {
            // What takes variadic arguments returns integers.
            let words = if ty == Type::F64 {
                (c.words)(cx, v).to_vec()
            } else {
                let (from, bits) = (cx.reg(v), Operand::virt(cx.new_reg(Type::I32)));
                cx.emit_row(c.to_bits[0], 1, &[bits, from], 0, 0);
                vec![bits]
            };
            let words: Vec<Operand> =
                words.into_iter().zip(c.ints).map(|(word, &reg)| fixed(word, reg)).collect();
            return cx.emit_row(c.ret, 0, &words, 0, 0);
        }
        let reg = result_register(c, ty);
        value = Some(fixed(in_register(cx, v), reg));
    }
    cx.emit_row(c.ret, 0, value.as_slice(), 0, 0);
}

#[cfg(test)]
mod tests;
