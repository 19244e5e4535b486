//! Loads, stores, element addresses and initialised memory: the walk from an address (`isa/address`) to
//! rows, for all targets.
//!
//! An access takes the first of these that its address allows: a frame slot and an offset; a global and an
//! offset; a base and a scaled index; a base and an offset that is in reach. What is left over of an
//! address is summed up before. In loops the address of a slot or global is made once, in front of the
//! loop, and serves all accesses. O(indices).

use super::address::{Address, Base, flatten, flatten_inst};
use super::convention::call_library;
use super::select::{ByType, Select, Shared};
use super::{MEMCPY, MEMSET};
use crate::analysis::memory::{self, base_of};
use crate::base::Handle;
use crate::ir::{GlobalId, Inst, Op, Shape, Type, Value};
use crate::mir::memory::Object;
use crate::mir::{MachineOp, Operand, Slot};

/// The rows that access memory with values of one kind.
#[derive(Copy, Clone, Debug)]
pub struct Access {
    /// Bytes of the value.
    pub bytes: i64,
    /// Base and an offset.
    pub offset: MachineOp,
    /// The same for offsets that are negative or no multiple of `bytes`, if that takes another row.
    pub unscaled: MachineOp,
    /// Frame slot.
    pub slot: MachineOp,
    /// Global.
    pub symbol: Option<MachineOp>,
    /// Base and index, in the two forms that `Memory::index` chooses from.
    pub indexed: Option<[MachineOp; 2]>,
    /// Base, which moves by the immediate: behind the access, and before it. The base's next value is the
    /// first definition, its old one the first use.
    pub moving: Option<[MachineOp; 2]>,
    /// The row that moves it by what is in a register, the last use; and how far those above move it, if that is always the
    /// same.
    pub moving_by: Option<(Option<i64>, MachineOp)>,
}

/// The accesses for each type that has any.
pub type Accesses = [Option<Access>; Type::NUMBERS];

/// The opcode of an access by an index, the index in a register, and the immediate.
pub type Indexed = (MachineOp, Operand, i32);

/// How a target addresses memory.
#[derive(Debug)]
pub struct Memory {
    /// Loads.
    pub loads: Accesses,
    /// Stores.
    pub stores: Accesses,
    /// Loads that put zeros, and the sign, in all of a register above what they load: of types for which something else is kept
    /// there, or nothing in particular.
    pub extending: [Accesses; 2],
    /// The address of a place in a slot, and of one behind a global.
    pub addresses: [MachineOp; 2],
    /// The address of a global, in code that may be loaded anywhere: of one that is as far away as when it was linked, with a
    /// place behind it, and of one that has it in the table of addresses, without.
    pub anywhere: [MachineOp; 2],
    /// The page of a global, if an access takes it in a register.
    pub page: Option<MachineOp>,
    /// True for an offset that an access can have from a register.
    pub reaches: fn(&Access, i64) -> bool,
    /// The part of an offset out of reach that is left to the access.
    pub low: fn(&Access, i64) -> i64,
    /// True for an offset that the address of a global can have.
    pub symbol_reaches: fn(i32) -> bool,
    /// True if an access may move its base by so many bytes, before it (`true`) or behind it.
    pub moves: fn(&Access, i64, bool) -> bool,
    /// True if constants that are added to indices are taken out of them.
    pub splits_indices: bool,
    /// Emits `base + index * scale`, in a register that may be given.
    pub add_index: fn(&mut Select, Option<Operand>, Operand, (Value, u32)) -> Operand,
    /// Emits `def = base + x`, x not 0.
    pub add_constant: fn(&mut Select, Operand, Operand, i64),
    /// True if an access of so many bytes can scale an index by so much.
    pub scales: fn(i64, u32) -> bool,
    /// An index with a scale, in a register: the opcode, of `Access::indexed`, and the immediate.
    pub index: fn(&mut Select, [MachineOp; 2], (Value, u32)) -> Indexed,
    /// What to store for a value, and as what.
    pub stored: fn(&mut Select, Value) -> (Type, Operand),
    /// A register that holds 0.
    pub zero: fn(&mut Select) -> Operand,
    /// The widest value that memory is initialised by.
    pub word: Type,
    /// Types that need not be aligned in memory.
    pub unaligned: &'static [Type],
    /// What stores two of them: by offset, and to a slot.
    pub pairs: Option<[MachineOp; 2]>,
    /// Up to so many bytes are cleared, and copied, in place; more by the C library.
    pub in_place: [u32; 2],
}

/// The accesses to slots.
pub const fn by_slot(accesses: &Accesses) -> ByType {
    let mut slots = [None; Type::NUMBERS];
    let mut k = 0;
    while k < slots.len() {
        if let Some(access) = &accesses[k] {
            slots[k] = Some(access.slot);
        }
        k += 1;
    }
    slots
}

/// Where an access goes, all that it needs being in registers.
#[derive(Copy, Clone, Debug)]
enum Place {
    /// A slot and bytes into it.
    Slot(Slot, i32),
    /// A global and bytes behind it.
    Global(GlobalId, i32),
    /// A base and an offset in reach, and the note on what object that is.
    Offset(Operand, i32, u32),
    /// A base and an index, with its opcode and immediate, and the note.
    Index(MachineOp, [Operand; 2], i32, u32),
}

impl Place {
    /// The place `bytes` further on, which must be in reach.
    fn plus(self, bytes: i32) -> Place {
        match self {
            Place::Slot(slot, offset) => Place::Slot(slot, offset + bytes),
            Place::Global(global, offset) => Place::Global(global, offset + bytes),
            Place::Offset(base, offset, note) => Place::Offset(base, offset + bytes, note),
            Place::Index(..) => self,
        }
    }
}

/// Puts the address of a place in a slot in a register.
pub fn slot_address(cx: &mut Select, slot: Slot, offset: i32) -> Operand {
    let op = cx.rules.memory.addresses[0];
    cx.emit_fresh(op, Type::Ptr, &[Operand::FRAME], offset, slot.index() as u32)
}

/// Puts an address without its indices in a register, but for an offset that is returned. `keeps` says that
/// one behind a global may be.
fn base_reg(cx: &mut Select, address: &Address, keeps: bool) -> (Operand, i64) {
    let offset = address.offset;
    match address.base {
        Base::Value(v) => (cx.reg(v), offset.into()),
        Base::Global(global) if keeps || offset == 0 || cx.shares_addresses() => {
            (cx.global_address(global), offset.into())
        }
        Base::Slot(slot) if cx.shares() => {
            (cx.shared(Shared::Slot(slot), |cx| slot_address(cx, slot, 0)), offset.into())
        }
        Base::Slot(slot) => (slot_address(cx, slot, offset), 0),
        Base::Global(global) => {
            let (op, reaches) = cx.address_row(global, offset);
            let inside = if reaches { offset } else { 0 };
            let base = cx.emit_fresh(op, Type::Ptr, &[], inside, global.index() as u32);
            (base, i64::from(offset) - i64::from(inside))
        }
    }
}

/// Takes the constants out of the indices of an address, where they are `x + c` that nothing else needs. A
/// subscript is in bounds, so for small c the sum does not wrap.
fn split_indices(cx: &mut Select, address: &mut Address) {
    for k in address.first as usize..address.end as usize {
        let (index, scale) = cx.indices[k];
        let Some(i) = cx.foldable_as(index, Op::Add) else { continue };
        let (x, c) = (cx.body.arg(i, 0), cx.body.as_int(cx.body.arg(i, 1)));
        let Some(c) = c.filter(|c| c.abs() < 1 << 20 && !x.is_constant()) else { continue };
        if let Ok(bytes) = i32::try_from(c * i64::from(scale)) {
            cx.indices[k].0 = x;
            address.offset = address.offset.wrapping_add(bytes);
        }
    }
}

/// The place of a pointer.
#[inline(always)]
fn place_of(cx: &mut Select, v: Value, access: &Access) -> Place {
    if let Some(global) = v.as_global()
        && !(cx.shares() || access.symbol.is_none() && cx.shares_addresses())
    {
        if access.symbol.is_some() && cx.is_local(global) {
            return Place::Global(global, 0);
        }
        let base = cx.global_address(global);
        return Place::Offset(base, 0, Object::Global(global.index() as u32).note());
    }
    let address = flatten(cx, v);
    match address.base {
        Base::Slot(slot) if address.is_direct() => Place::Slot(slot, address.offset),
        _ => place(cx, address, access, 0),
    }
}

/// The object that a pointer leads into, as a note: asked where the order of accesses is chosen.
pub fn note_of(cx: &mut Select, v: Value) -> u32 {
    if !cx.is_thorough() {
        return 0;
    }
    match base_of(cx.body, v) {
        memory::Base::Global(global) => Object::Global(global.index() as u32).note(),
        memory::Base::Own(alloca) => Object::Slot(cx.slot_of(alloca)).note(),
        memory::Base::Param(_) | memory::Base::Unknown => 0,
    }
}

/// Emits what accesses to an address, and to `room` bytes behind it, need.
fn place(cx: &mut Select, mut address: Address, access: &Access, room: i64) -> Place {
    let m = cx.rules.memory;
    if m.splits_indices {
        split_indices(cx, &mut address);
    }
    let Address { base, offset, first, end } = address;
    let reaches = |offset: i64| {
        offset == 0 || (m.reaches)(access, offset) && (room == 0 || (m.reaches)(access, offset + room))
    };
    if address.is_direct() {
        match base {
            Base::Slot(slot) => return Place::Slot(slot, offset),
            Base::Global(global)
                if access.symbol.is_some()
                    && room <= access.bytes
                    && (m.page.is_none() || i64::from(offset) & (access.bytes - 1) == 0)
                    && !(cx.shares() && reaches(offset.into()))
                    && cx.is_local(global) =>
            {
                return Place::Global(global, offset);
            }
            _ => {}
        }
    }
    let note = match base {
        Base::Slot(slot) => Object::Slot(slot).note(),
        Base::Global(global) => Object::Global(global.index() as u32).note(),
        Base::Value(v) => note_of(cx, v),
    };
    let (mut at, mut left) = base_reg(cx, &address, address.is_direct() && reaches(offset.into()));
    if let Some(rows) = access.indexed
        && let Some(scaled) = (first..end).rev().find(|&k| (m.scales)(access.bytes, cx.indices[k as usize].1))
        && room == 0
        && (left == 0 || !reaches(left))
    {
        if left != 0 {
            at = add_constant(cx, at, left);
        }
        for k in (first..end).filter(|&k| k != scaled) {
            at = (m.add_index)(cx, None, at, cx.indices[k as usize]);
        }
        let (op, index, imm) = (m.index)(cx, rows, cx.indices[scaled as usize]);
        return Place::Index(op, [at, index], imm, note);
    }
    for k in first..end {
        at = (m.add_index)(cx, None, at, cx.indices[k as usize]);
    }
    if !reaches(left) {
        let low = if room == 0 { (m.low)(access, left) } else { 0 };
        at = add_constant(cx, at, left - low);
        left = low;
    }
    Place::Offset(at, left as i32, note)
}

fn add_constant(cx: &mut Select, base: Operand, x: i64) -> Operand {
    if x == 0 {
        return base;
    }
    let sum = Operand::virt(cx.new_reg(Type::Ptr));
    (cx.rules.memory.add_constant)(cx, sum, base, x);
    sum
}

/// Emits an access: `value` is what is loaded, which is `defs` = 1 definition, or stored.
#[inline]
fn emit(cx: &mut Select, access: &Access, place: Place, value: Operand, defs: u8) {
    let (op, base, imm, sym) = match place {
        Place::Slot(slot, offset) => (access.slot, Operand::FRAME, offset, slot.index() as u32),
        Place::Global(global, offset) => {
            let (op, sym) = (access.symbol.unwrap_or(access.offset), global.index() as u32);
            match cx.rules.memory.page {
                Some(page) => (op, cx.emit_fresh(page, Type::Ptr, &[], offset, sym), offset, sym),
                None => return cx.emit_row(op, defs, &[value], offset, sym),
            }
        }
        Place::Offset(base, offset, note) => {
            let is_scaled = offset >= 0 && i64::from(offset) & (access.bytes - 1) == 0;
            (if is_scaled { access.offset } else { access.unscaled }, base, offset, note)
        }
        Place::Index(op, [base, index], imm, note) => {
            return cx.emit_row(op, defs, &[value, base, index], imm, note);
        }
    };
    cx.emit_row(op, defs, &[value, base], imm, sym);
}

/// The rows of loads or stores of a type; complains if there are none.
#[inline(always)]
fn access(cx: &mut Select, accesses: &'static Accesses, ty: Type) -> Option<&'static Access> {
    let access = accesses[ty.register_number()].as_ref();
    if access.is_none() {
        refuse(cx, ty);
    }
    access
}

#[cold]
fn refuse(cx: &mut Select, ty: Type) {
    cx.fail(&format!("{}: access to memory with {}", cx.rules.machine.name, ty.name()));
}

/// An access that is to move its base: its opcode, the base and its next value, and by how much.
#[derive(Copy, Clone, Debug)]
pub struct Moving {
    access: Inst,
    op: MachineOp,
    base: Value,
    next: Operand,
    by: By,
}

/// How far a base moves.
#[derive(Copy, Clone, Debug)]
pub enum By {
    /// So many bytes, in the row.
    Bytes(i32),
    /// So many bytes, in a register.
    Shared(i32),
    /// As many bytes as a value says.
    Value(Value),
}

/// The access, right before the step of a pointer in a loop, that can do the step; and if the step comes
/// first. Of accesses that have no offsets, some steps may follow one another in a round.
pub fn moving(cx: &Select, step: Inst) -> Option<(Inst, MachineOp, By)> {
    let (body, m) = (cx.body, cx.rules.memory);
    let base = body.args(step).first()?.as_inst();
    if !cx.hoists() || base.is_none_or(|base| !matches!(body.op(base), Op::Phi | Op::ElemAddr)) {
        return None;
    }
    let access = body.prev(step)?;
    let (accesses, at, ty) = match body.op(access) {
        Op::Load if cx.extension(access).is_some() => return None,
        Op::Load => (&m.loads, body.arg(access, 0), body.ty(access)),
        Op::Store => {
            let v = body.arg(access, 0);
            // Floating constants are stored as integers.
            (
                &m.stores,
                body.arg(access, 1),
                if body.as_f32(v).is_some() { Type::I32 } else { body.type_of(v) },
            )
        }
        _ => return None,
    };
    let by = |i: Inst| {
        let &[base, count] = body.args(i) else { return None };
        let (_, stride) = cx.env.shapes.element_and_bytes(Shape::new(body.payload(i) as usize));
        Some((base, body.as_int(count)?.checked_mul(stride as i64)?))
    };
    let row = accesses[ty.register_number()]?;
    if body.op(step) != Op::ElemAddr {
        return None;
    }
    let Some((base, bytes)) = by(step) else {
        return by_value(cx, &row, step, access).map(|(op, count)| (access, op, By::Value(count)));
    };
    let first = at != base;
    let one_of_some = !first && ty.is_vector() && !(m.reaches)(&row, bytes);
    let phi = base.as_inst().filter(|&i| one_of_some || body.op(i) == Op::Phi)?;
    let same = |i: Inst| body.op(i) == Op::ElemAddr && by(i) == Some((base, bytes));
    let is_last = || body.uses(step).any(|u| u.user == phi);
    if first && !at.as_inst().is_some_and(same) || !one_of_some && !is_last() {
        return None;
    }
    let is_base = body.op(access) == Op::Store && body.arg(access, 0) == base;
    let fits = !is_base && (m.moves)(&row, bytes, first);
    let ops = row.moving.filter(|_| fits)?;
    Some(match row.moving_by {
        Some((Some(always), op)) if always != bytes => (access, op, By::Shared(bytes as i32)),
        _ => (access, ops[usize::from(first)], By::Bytes(bytes as i32)),
    })
}

/// The row by which an access in front of a step by a value does the step, and that value: the base dies there.
fn by_value(cx: &Select, row: &Access, step: Inst, access: Inst) -> Option<(MachineOp, Value)> {
    let body = cx.body;
    let (None, op) = row.moving_by? else { return None };
    let &[base, count] = body.args(step) else { return None };
    let (_, stride) = cx.env.shapes.element_and_bytes(Shape::new(body.payload(step) as usize));
    let is_one = stride == 1 && body.type_of(count) == cx.rules.memory.word && body.as_int(count).is_none();
    let at = body.args(access).last().copied();
    let defined = base.as_inst().filter(|&i| body.block_of(i) == body.block_of(step))?;
    (is_one && at == Some(base) && body.use_count(defined) == 2 && count != base).then_some((op, count))
}

/// Leaves the step of a pointer to the access before it, if that can do it.
fn leave_step(cx: &mut Select, step: Inst) -> bool {
    if cx.rules.memory.loads[Type::I32.register_number()].is_none_or(|access| access.moving.is_none()) {
        return false;
    }
    let Some((access, op, by)) = moving(cx, step) else { return false };
    if cx.body.op(access) == Op::Load && !cx.is_wanted(access) {
        return false;
    }
    let (base, next) = (cx.body.arg(step, 0), Operand::virt(cx.result(step)));
    cx.moving = Some(Moving { access, op, base, next, by });
    true
}

/// Emits an access that moves its base: a load of `def`, or a store of `value`.
fn emit_moving(cx: &mut Select, moving: Moving, def: Option<Operand>, value: Option<Operand>) {
    let Moving { op, base, next, by, .. } = moving;
    let note = note_of(cx, base);
    let mut operands = [next; 4];
    let base = cx.reg(base);
    let (step, imm) = match by {
        By::Bytes(bytes) => (None, bytes),
        By::Shared(bytes) => {
            let integer = cx.rules.integer;
            let shared = |cx: &mut Select| integer(cx, Type::I32, bytes.into());
            (Some(cx.shared(Shared::Int(4, bytes.into()), shared)), 0)
        }
        By::Value(count) => (Some(cx.reg(count)), 0),
    };
    let mut count = 1;
    for operand in def.into_iter().chain([base]).chain(value).chain(step) {
        operands[count] = operand;
        count += 1;
    }
    cx.emit_row(op, 1 + u8::from(def.is_some()), &operands[..count], imm, note);
}

/// Leaves a conversion to a wider integer to the load that it is the only use of; false, and nothing done, if that is none or the
/// machine has no such load.
pub fn leave_extension(cx: &mut Select, conversion: Inst) -> bool {
    let signed = cx.body.op(conversion) == Op::SExt;
    let Some(i) = cx.body.arg(conversion, 0).as_inst() else { return false };
    let is_there = cx.body.op(i) == Op::Load
        && cx.rules.memory.extending[usize::from(signed)][cx.body.ty(i).register_number()].is_some();
    if !is_there || !cx.body.has_single_use(i) || cx.is_wanted(i) {
        return false;
    }
    cx.leave_to_load(i, conversion, signed);
    true
}

/// A load.
pub fn load(cx: &mut Select, i: Inst) {
    if let Some(moving) = cx.moving.take_if(|moving| moving.access == i) {
        let def = Operand::virt(cx.result(i));
        return emit_moving(cx, moving, Some(def), None);
    }
    let m = cx.rules.memory;
    let rows = cx.extension(i).map_or(&m.loads, |signed| &m.extending[usize::from(signed)]);
    let Some(access) = access(cx, rows, cx.body.ty(i)) else { return };
    let place = place_of(cx, cx.body.arg(i, 0), access);
    let def = Operand::virt(cx.result(i));
    emit(cx, access, place, def, 1);
}

/// A store, if it is not one of those to variables that the walk makes itself.
pub fn store(cx: &mut Select, i: Inst) {
    let (v, at) = (cx.body.arg(i, 0), cx.body.arg(i, 1));
    let (ty, value) = (cx.rules.memory.stored)(cx, v);
    if let Some(moving) = cx.moving.take_if(|moving| moving.access == i) {
        return emit_moving(cx, moving, None, Some(value));
    }
    let Some(access) = access(cx, &cx.rules.memory.stores, ty) else { return };
    let place = match cx.variable(at) {
        Some(slot) => Place::Slot(slot, 0),
        None => place_of(cx, at, access),
    };
    emit(cx, access, place, value, 0);
}

/// The place of a volatile access, which says that it is one where rows may change places.
fn volatile_place(cx: &mut Select, address: Value) -> Place {
    Place::Offset(cx.reg(address), 0, Object::Volatile.note())
}

/// A load that stays where it is among accesses to memory.
pub fn load_volatile(cx: &mut Select, i: Inst) {
    if !cx.hoists() {
        return load(cx, i);
    }
    let Some(access) = access(cx, &cx.rules.memory.loads, cx.body.ty(i)) else { return };
    let place = volatile_place(cx, cx.body.arg(i, 0));
    let def = Operand::virt(cx.result(i));
    emit(cx, access, place, def, 1);
}

/// A store that stays where it is among accesses to memory.
pub fn store_volatile(cx: &mut Select, i: Inst) {
    if !cx.hoists() {
        return store(cx, i);
    }
    let (ty, value) = (cx.rules.memory.stored)(cx, cx.body.arg(i, 0));
    let Some(access) = access(cx, &cx.rules.memory.stores, ty) else { return };
    let place = volatile_place(cx, cx.body.arg(i, 1));
    emit(cx, access, place, value, 0);
}

/// Stores a register so many bytes behind an address, or loads it from there: a part of a result.
pub fn part(cx: &mut Select, loads: bool, ty: Type, value: Operand, address: Value, offset: i32) {
    let m = cx.rules.memory;
    let Some(access) = access(cx, if loads { &m.loads } else { &m.stores }, ty) else { return };
    let place = match cx.variable(address) {
        Some(slot) => Place::Slot(slot, offset),
        None => {
            // Nothing says how the whole is aligned.
            cx.out.is_unaligned = true;
            Place::Offset(cx.reg(address), offset, 0)
        }
    };
    emit(cx, access, place, value, u8::from(loads));
}

/// An element address that is wanted in a register.
pub fn elem_addr(cx: &mut Select, i: Inst) {
    if leave_step(cx, i) {
        return;
    }
    let m = cx.rules.memory;
    let mut address = flatten_inst(cx, i);
    if m.splits_indices {
        split_indices(cx, &mut address);
    }
    let (def, Address { base, offset, first, end }) = (Operand::virt(cx.result(i)), address);
    if address.is_direct() {
        // Straight into the result, so that the allocator may compute it again.
        match base {
            Base::Slot(slot) => {
                let uses = &[def, Operand::FRAME];
                return cx.emit_row(m.addresses[0], 1, uses, offset, slot.index() as u32);
            }
            Base::Global(global) if !cx.shares_addresses() => {
                let (op, reaches) = cx.address_row(global, offset);
                if reaches {
                    return cx.emit_row(op, 1, &[def], offset, global.index() as u32);
                }
            }
            _ => {}
        }
    }
    let (mut at, left) = base_reg(cx, &address, false);
    for k in first..end {
        let to = (left == 0 && k + 1 == end).then_some(def);
        at = (m.add_index)(cx, to, at, cx.indices[k as usize]);
    }
    if left != 0 {
        (m.add_constant)(cx, def, at, left);
    } else if address.is_direct() {
        let op = cx.rules.machine.width(crate::mir::Class::INT, cx.rules.machine.pointer_bytes).copy;
        cx.emit(op, &[def], &[at], 0, 0);
    }
}

/// Memory that is initialised: with zeros, or a copy of a constant.
pub fn mem_init(cx: &mut Select, i: Inst) {
    let m = cx.rules.memory;
    let (to, bytes) = (cx.body.arg(i, 0), cx.body.payload(i));
    let source = cx.body.args(i).get(1).copied();
    if bytes > m.in_place[usize::from(source.is_some())] {
        let integer = cx.rules.integer;
        let to = cx.movable(to);
        let (function, second) = match source {
            Some(source) => (MEMCPY, cx.movable(source)),
            None => {
                let zero = integer(cx, Type::I32, 0);
                (MEMSET, cx.in_virtual(zero, Type::I32))
            }
        };
        let count = integer(cx, Type::Ptr, bytes.into());
        return call_library(cx, function, &[to, second, count], None);
    }
    let word = m.word;
    let ((to, to_aligned), zero) = (run(cx, to, bytes), source.is_none().then(|| (m.zero)(cx)));
    let (from, from_aligned) = source.map_or((to, true), |source| run(cx, source, bytes));
    cx.out.is_unaligned |= !to_aligned || !from_aligned;
    let widest = if m.unaligned.contains(&word) || to_aligned && from_aligned { word } else { Type::I32 };
    let mut at = 0;
    while at < bytes {
        let left = bytes - at;
        if let (Some(zero), Some([by_offset, to_slot])) = (zero, m.pairs)
            && left >= 2 * widest.bytes()
        {
            let (op, base, offset, sym) = match to.plus(at as i32) {
                Place::Slot(slot, offset) => (to_slot, Operand::FRAME, offset, slot.index() as u32),
                Place::Offset(base, offset, note) => (by_offset, base, offset, note),
                _ => return,
            };
            cx.emit(op, &[], &[zero, zero, base], offset, sym);
            at += 2 * widest.bytes();
            continue;
        }
        let ty = if left >= widest.bytes() {
            widest
        } else if left >= 4 {
            Type::I32
        } else {
            Type::I8
        };
        let (Some(load), Some(store)) = (&m.loads[ty.register_number()], &m.stores[ty.register_number()])
        else {
            return;
        };
        let value = zero.unwrap_or_else(|| {
            let value = Operand::virt(cx.new_reg(if ty == Type::I8 { Type::I32 } else { ty }));
            emit(cx, load, from.plus(at as i32), value, 1);
            value
        });
        emit(cx, store, to.plus(at as i32), value, 0);
        at += ty.bytes();
    }
}

/// Where so many bytes are, and true if they are aligned to 8. Objects of 8 bytes and more are so aligned.
fn run(cx: &mut Select, v: Value, bytes: u32) -> (Place, bool) {
    let m = cx.rules.memory;
    let address = flatten(cx, v);
    let aligned = address.is_direct() && address.offset % 8 == 0 && !matches!(address.base, Base::Value(_));
    let Some(access) = &m.stores[m.word.register_number()] else {
        return (Place::Offset(Operand::FRAME, 0, 0), false);
    };
    match place(cx, address, access, bytes.into()) {
        // Pairs reach less.
        Place::Offset(base, left, note) if m.pairs.is_some() => {
            (Place::Offset(add_constant(cx, base, left.into()), 0, note), aligned)
        }
        place => (place, aligned),
    }
}
