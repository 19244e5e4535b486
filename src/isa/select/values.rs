//! Where values are: a register for what is demanded, a slot for an alloca; constants where they are
//! needed, or in front of loops.

use super::{Home, LoadExtension, Select, Shared};
use crate::base::Handle;
use crate::ir::{self, GlobalId, Op, RelocationModel, Type, Value, ValueKind};
use crate::isa::memory;
use crate::mir::func::{MAX_VREGS, VRegRow};
use crate::mir::{self, Features, MachineOp, Operand, SlotKind, VReg};

/// See `Select::nearby`: more would be alive at a time than is good.
const MOST_NEARBY: usize = 4;

impl Select<'_> {
    /// The register that holds a value here; demands the value. Constants are made on the spot, or in front
    /// of loops.
    #[inline(never)]
    pub fn reg(&mut self, v: Value) -> Operand {
        if let Some(i) = v.as_inst() {
            let home = self.columns.homes[i];
            if let Some(v) = home.as_reg() {
                return Operand::virt(v);
            }
            if home == Home::NONE && self.body.op(i) != Op::Alloca {
                return Operand::virt(self.demand(i));
            }
        }
        self.constant(v)
    }

    /// A register that holds a constant or the address of an alloca. Never part of `reg`, which then needs
    /// few registers.
    #[inline(never)]
    fn constant(&mut self, v: Value) -> Operand {
        if self.shares_addresses() { self.shared_constant(v) } else { self.fresh(v) }
    }

    fn shared_constant(&mut self, v: Value) -> Operand {
        let key = match (v.as_inst(), self.body.as_int(v)) {
            (Some(i), _) => Shared::Slot(self.slot_of(i)),
            (None, Some(x)) => Shared::Int(self.body.type_of(v).bytes().max(4) as u8, x),
            (None, None) => Shared::Value(v),
        };
        self.shared(key, |cx| cx.fresh(v))
    }

    /// A register of its own that holds a value here, if it is a constant.
    pub fn fresh(&mut self, v: Value) -> Operand {
        match v.as_inst() {
            Some(i) if self.body.op(i) == Op::Alloca => {
                let slot = self.slot_of(i);
                memory::slot_address(self, slot, 0)
            }
            Some(i) => Operand::virt(self.result(i)),
            None => self.own_constant(v),
        }
    }

    /// A constant, a global's address or undef in a register of its own.
    fn own_constant(&mut self, v: Value) -> Operand {
        let ty = match v.kind() {
            ValueKind::Int(_) => Type::I32,
            _ => self.body.type_of(v),
        };
        match v.kind() {
            ValueKind::Global(global) => {
                let (op, _) = self.address_row(global, 0);
                return self.emit_fresh(op, Type::Ptr, &[], 0, global.index() as u32);
            }
            ValueKind::Request(_) => self.fail("a requested global was never granted"),
            _ if ty.is_float() || ty.is_vector() => return (self.rules.float)(self, ty, v),
            _ => {}
        }
        (self.rules.integer)(self, ty, self.body.as_int(v).unwrap_or(0))
    }

    /// A constant in a virtual register, which phis and fixed operands need.
    pub fn movable(&mut self, v: Value) -> Operand {
        let operand = self.fresh(v);
        self.in_virtual(operand, self.body.type_of(v))
    }

    /// An operand, or if it is a register that always holds a value a copy of it.
    pub fn in_virtual(&mut self, operand: Operand, ty: Type) -> Operand {
        if operand.as_virt().is_some() {
            return operand;
        }
        let copy = Operand::virt(self.new_reg(ty));
        let VRegRow { class, bytes, .. } = self.kinds[ty.register_number()];
        let op = self.rules.machine.width(class, bytes.into()).copy;
        self.emit(op, &[copy], &[operand], 0, 0);
        copy
    }

    /// What `make` puts in a register, which must depend on `key` alone: made here, or once in front of the
    /// loops.
    pub fn shared(&mut self, key: Shared, make: impl FnOnce(&mut Self) -> Operand) -> Operand {
        let at = if key.is_cheap() { self.constants_at } else { self.addresses_at };
        let Some(at) = at.get() else { return make(self) };
        let key = (at.index() as u32, key);
        if let Some(&operand) = self.shared.get(&key) {
            return operand;
        }
        let first = self.columns.rows.len();
        let operand = make(self);
        self.columns.hoisted[at].extend(self.columns.rows.drain(first..));
        self.note_crossing(operand);
        self.shared.insert(key, operand);
        operand
    }

    /// The address of a global in a register: made in front of the loops, or once between two calls, or on
    /// the spot.
    pub fn global_address(&mut self, global: GlobalId) -> Operand {
        if self.shares_addresses() {
            return self.reg(Value::global(global));
        }
        if let Some(&(_, operand)) = self.nearby.iter().find(|row| row.0 == global) {
            return operand;
        }
        let first = self.columns.rows.len();
        let (op, _) = self.address_row(global, 0);
        let operand = self.emit_fresh(op, Type::Ptr, &[], 0, global.index() as u32);
        if self.shares_nearby && self.nearby.len() < MOST_NEARBY {
            self.waiting.extend(self.columns.rows.drain(first..));
            self.nearby.push((global, operand));
        }
        operand
    }

    /// True if rows may name a global, which is as far away as it was when linked.
    #[inline]
    pub fn is_local(&self, global: GlobalId) -> bool {
        self.env.position.model == RelocationModel::Static || self.env.is_local(global)
    }

    /// The row that makes the address of a global, and true if it may be that of a place so far behind it.
    #[inline]
    pub fn address_row(&self, global: GlobalId, offset: i32) -> (MachineOp, bool) {
        let m = self.rules.memory;
        if self.env.position.model == RelocationModel::Static {
            return (m.addresses[1], (m.symbol_reaches)(offset));
        }
        self.address_anywhere(global, offset)
    }

    #[cold]
    #[inline(never)]
    fn address_anywhere(&self, global: GlobalId, offset: i32) -> (MachineOp, bool) {
        let m = self.rules.memory;
        let [near, by_table] = m.anywhere;
        match self.env.is_local(global) {
            // The distance is counted from a row up to 16 bytes behind the address.
            true => (near, (m.symbol_reaches)(offset) && (m.symbol_reaches)(offset.wrapping_sub(16))),
            false => (by_table, offset == 0),
        }
    }

    /// True if constants that this block needs are made in front of a loop.
    #[inline]
    pub fn shares(&self) -> bool {
        self.constants_at.is_some()
    }

    /// True if addresses of globals that this block needs are made in front of a loop.
    #[inline]
    pub fn shares_addresses(&self) -> bool {
        self.addresses_at.is_some()
    }

    /// The function gets what takes longer to compile (-O2).
    pub fn is_thorough(&self) -> bool {
        self.shares_nearby
    }

    /// True if the function is optimised: then constants are made in front of loops, and users of an address
    /// are looked at, which at -O0 would make lists of all uses for little.
    #[inline]
    pub fn hoists(&self) -> bool {
        self.hoists
    }

    /// The register for the result of an instruction; demands it. In `Rules::handlers`, where to put the
    /// result.
    #[inline(always)]
    pub fn result(&mut self, i: ir::Inst) -> VReg {
        match self.columns.homes[i].as_reg() {
            Some(v) => v,
            None => self.demand(i),
        }
    }

    /// The same, for a user that is probably the first to demand it, and knows its type.
    #[inline(always)]
    pub fn used_as(&mut self, i: ir::Inst, ty: Type) -> Operand {
        Operand::virt(match self.columns.homes[i].as_reg() {
            Some(v) => v,
            None => self.first_use(i, ty),
        })
    }

    #[inline(always)]
    fn first_use(&mut self, i: ir::Inst, ty: Type) -> VReg {
        let v = self.new_reg(ty);
        self.columns.homes[i] = Home::reg(v);
        v
    }

    #[inline(never)]
    fn demand(&mut self, i: ir::Inst) -> VReg {
        let ty = self.body.ty(i);
        if self.out.vregs.is_full() || self.out.vregs.len() + 1 >= MAX_VREGS {
            return self.demand_slowly(i, ty);
        }
        let v = self.out.vregs.push(self.kinds[ty.register_number()]);
        self.columns.homes[i] = Home::reg(v);
        v
    }

    /// The same, where there may be no room; see `emit_fresh_slowly`.
    #[cold]
    #[inline(never)]
    fn demand_slowly(&mut self, i: ir::Inst, ty: Type) -> VReg {
        self.first_use(i, ty)
    }

    /// Notes that a word of what has two words is wanted in a register.
    pub fn note_half(&mut self, of: ir::Inst, word: u32, register: VReg) {
        self.halves.push((of, word, register));
    }

    /// The register that a word of what has two is wanted in.
    pub fn take_half(&mut self, of: ir::Inst, word: u32) -> Option<VReg> {
        let at = self.halves.iter().rposition(|half| (half.0, half.1) == (of, word))?;
        Some(self.halves.swap_remove(at).2)
    }

    /// Leaves a conversion to the load that makes what it converts, which then is into the conversion's register.
    pub fn leave_to_load(&mut self, load: ir::Inst, conversion: ir::Inst, signed: bool) {
        self.columns.homes[load] = Home::reg(self.result(conversion));
        self.columns.extensions.grow_to(self.body.inst_count(), LoadExtension::Usual);
        self.columns.extensions[load] = if signed { LoadExtension::Sign } else { LoadExtension::Zeros };
    }

    /// Leaves a conversion to what it converts, whose row puts the same in a register: both have one. Only as long as nothing has
    /// asked for that of the operand; false if something has.
    pub fn share_register(&mut self, v: Value, conversion: ir::Inst) -> bool {
        let Some(i) = v.as_inst().filter(|&i| self.columns.homes[i] == Home::NONE) else { return false };
        self.columns.homes[i] = Home::reg(self.result(conversion));
        true
    }

    /// Of a load that a conversion is left to: true if it extends by the sign.
    #[inline(always)]
    pub fn extension(&self, load: ir::Inst) -> Option<bool> {
        match self.columns.extensions.get(load) {
            None | Some(LoadExtension::Usual) => None,
            Some(&extension) => Some(extension == LoadExtension::Sign),
        }
    }

    /// The register that something has demanded the result in, if something has: the instruction being selected makes it, and
    /// the row of its own goes. What it is of has to stand behind it, with nothing between.
    pub fn take_result(&mut self, i: ir::Inst) -> Option<VReg> {
        let v = self.columns.homes[i].as_reg()?;
        if v.index() < self.earlier {
            self.out.vregs[v].crosses = true;
        }
        self.columns.homes[i] = Home::NONE;
        Some(v)
    }

    /// True if something has demanded the result.
    #[inline]
    pub fn is_wanted(&self, i: ir::Inst) -> bool {
        self.columns.homes[i].as_reg().is_some()
    }

    /// A fresh register for a value of a type.
    #[inline]
    pub fn new_reg(&mut self, ty: Type) -> VReg {
        if self.out.vregs.len() + 1 >= MAX_VREGS {
            return self.too_many_registers();
        }
        self.out.vregs.push(self.kinds[ty.register_number()])
    }

    /// Notes that another block or a phi uses a register.
    pub(super) fn note_crossing(&mut self, operand: Operand) {
        if let Some(v) = operand.as_virt() {
            self.out.vregs[v].crosses = true;
        }
    }

    #[cold]
    fn too_many_registers(&mut self) -> VReg {
        self.fail("the function needs too many registers");
        VReg::new(0)
    }

    /// The machine block of successor `k`, for branches.
    #[inline]
    pub fn succ(&self, k: usize) -> u32 {
        self.succs[k].get().map_or(0, |b| b.index() as u32)
    }

    /// The frame slot of an alloca.
    #[inline]
    pub fn slot_of(&mut self, i: ir::Inst) -> mir::Slot {
        match self.columns.homes[i].as_slot() {
            Some(slot) => slot,
            None => self.new_slot(i),
        }
    }

    /// The frame slot that a pointer is the address of.
    #[inline(always)]
    pub fn variable(&mut self, v: Value) -> Option<mir::Slot> {
        let i = v.as_inst()?;
        match self.columns.homes[i].as_slot() {
            Some(slot) => Some(slot),
            None if self.body.op(i) == Op::Alloca => Some(self.new_slot(i)),
            None => None,
        }
    }

    fn new_slot(&mut self, i: ir::Inst) -> mir::Slot {
        let shape = ir::Shape::new(self.body.payload(i) as usize);
        let bytes = self.env.shapes.bytes(shape);
        if bytes > i32::MAX as u64 {
            self.fail("a local object is over 2 GiB");
        }
        let stack_align = self.rules.machine.stack_align;
        if self.env.shapes.asked_align(shape) > stack_align {
            self.fail("an alloca is aligned more than the stack is");
        }
        let align = self.env.shapes.align(shape).max(8).min(stack_align);
        let slot = self.out.new_slot(SlotKind::Local, bytes.min(i32::MAX as u64) as u32, align);
        self.columns.homes[i] = Home::slot(slot);
        slot
    }

    /// The slot at the stack pointer through which arguments are passed, at least `bytes` large.
    pub fn outgoing(&mut self, bytes: u32) -> mir::Slot {
        let align = self.rules.machine.stack_align;
        let slot = match self.outgoing {
            Some(slot) => slot,
            None => self.out.new_slot(SlotKind::Outgoing, 0, align),
        };
        self.outgoing = Some(slot);
        let row = &mut self.out.slots[slot];
        row.bytes = row.bytes.max(bytes);
        slot
    }

    /// True if the machine has all of these.
    pub fn has(&self, features: Features) -> bool {
        self.out.features.has(features)
    }

    /// Says that the target cannot do what the function asks for; selection goes on and fails at the end.
    pub fn fail(&mut self, why: &str) {
        self.error.get_or_insert_with(|| why.to_string());
    }
}
