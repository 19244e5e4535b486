//! Element addresses, flattened: base + constant offset + scaled indices.
//!
//! `flatten` follows a chain of element addresses as long as folding them costs nothing, and multiplies
//! strides out. A target then decides which parts its addressing modes take. O(indices).

use super::memory;
use super::select::Select;
use crate::base::Handle;
use crate::ir::{GlobalId, Inst, Op, Shape, Type, Value};
use crate::mir::Slot;

/// Where an address starts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// A pointer in a register.
    Value(Value),
    /// A global.
    Global(GlobalId),
    /// A local array.
    Slot(Slot),
}

/// base + offset + sum of index x scale. The indices (i32 or i64 values, to be sign-extended) and the bytes
/// they scale by stand in the walk's `indices`, and are gone when the IR instruction is done.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Where it starts.
    pub base: Base,
    /// Constant bytes. Always fits an i32, since objects are below 2 GiB and subscripts in bounds; an address
    /// that does not is computed modulo 2^32 like any undefined one.
    pub offset: i32,
    /// The first index.
    pub first: u32,
    /// One past the last.
    pub end: u32,
}

impl Address {
    /// True if there are no indices.
    #[inline(always)]
    pub fn is_direct(&self) -> bool {
        self.first == self.end
    }
}

/// See `flatten`.
const MOST_FREE: u32 = 32;
/// Accesses that may each compute the address that they share.
const MOST_SHARED: usize = 6;

/// The address that a pointer value is. Only addresses that need no demand of `v` itself are followed:
/// allocas, globals, and element addresses that the current block computes for this use alone, that have
/// constant indices (of these at most `MOST_FREE` in a row, lest a long chain be walked once per user), or
/// that are an addressing mode of all their users.
#[inline]
pub fn flatten(cx: &mut Select, v: Value) -> Address {
    let first = cx.indices.len() as u32;
    let base = match (cx.variable(v), v.as_global()) {
        (Some(slot), _) => Base::Slot(slot),
        (_, Some(global)) => Base::Global(global),
        _ => match v.as_inst().filter(|&i| is_a_mode(cx, i)) {
            Some(i) => {
                let (base, _) = add_indices(cx, i);
                start_of(cx, base)
            }
            None => return follow(cx, v, first, 0),
        },
    };
    Address { base, offset: 0, first, end: cx.indices.len() as u32 }
}

/// A pointer as the start of an address.
fn start_of(cx: &mut Select, v: Value) -> Base {
    match (cx.variable(v), v.as_global()) {
        (Some(slot), _) => Base::Slot(slot),
        (_, Some(global)) => Base::Global(global),
        _ => Base::Value(v),
    }
}

/// True for a base and an index that all users, which are accesses, have in their addressing mode. Each does
/// the sum for nothing then.
#[inline(never)]
fn is_a_mode(cx: &Select, i: Inst) -> bool {
    let (body, m) = (cx.body, cx.rules.memory);
    let takes_index = m.loads[Type::I32.register_number()].is_some_and(|access| access.indexed.is_some());
    if !takes_index || !cx.hoists() || body.op(i) != Op::ElemAddr || body.use_count(i) > MOST_SHARED {
        return false;
    }
    let &[base, index] = body.args(i) else { return false };
    let is_made = match base.as_inst() {
        Some(base) => body.op(base) != Op::Alloca || cx.shares(),
        None => cx.shares_addresses(),
    };
    if !is_made || index.is_constant() {
        return false;
    }
    let (_, stride) = cx.env.shapes.element_and_bytes(Shape::new(body.payload(i) as usize));
    body.uses(i).all(|of| {
        let (accesses, ty) = match (body.op(of.user), of.operand) {
            (Op::Load, 0) => (&m.loads, body.ty(of.user)),
            (Op::Store, 1) => (&m.stores, body.type_of(body.arg(of.user, 0))),
            _ => return false,
        };
        let access = accesses[ty.register_number()];
        access.is_some_and(|access| access.indexed.is_some() && access.bytes as u64 == stride)
    })
}

/// The address that an element address computes, when it is itself being selected.
pub fn flatten_inst(cx: &mut Select, i: Inst) -> Address {
    let first = cx.indices.len() as u32;
    let (base, offset) = add_indices(cx, i);
    follow(cx, base, first, offset)
}

/// As far as `flatten` says, from an address that some indices and an offset are to be added to.
fn follow(cx: &mut Select, v: Value, first: u32, mut offset: i64) -> Address {
    let mut at = v;
    let mut free = 0;
    let base = loop {
        let Some(i) = at.as_inst() else {
            break at.as_global().map_or(Base::Value(at), Base::Global);
        };
        match cx.body.op(i) {
            // The step of a pointer that an access does: what it was is no more.
            Op::ElemAddr if memory::moving(cx, i).is_some() => break Base::Value(at),
            Op::ElemAddr if cx.is_only_here(i) || free < MOST_FREE && is_free(cx, i) => {
                free += 1;
                let (base, bytes) = add_indices(cx, i);
                (at, offset) = (base, offset.wrapping_add(bytes));
            }
            Op::Alloca => break Base::Slot(cx.slot_of(i)),
            _ => break Base::Value(at),
        }
    };
    Address { base, offset: offset as i32, first, end: cx.indices.len() as u32 }
}

/// True if all indices are constant: folding it into many users costs nothing.
#[inline(never)]
fn is_free(cx: &Select, i: Inst) -> bool {
    cx.body.args(i)[1..].iter().all(|&index| cx.body.as_int(index).is_some())
}

/// Appends the variable indices of an element address with their strides; returns its base and the constant
/// bytes.
#[inline(always)]
fn add_indices(cx: &mut Select, i: Inst) -> (Value, i64) {
    let (shapes, body) = (&cx.env.shapes, cx.body);
    let mut shape = Shape::new(body.payload(i) as usize);
    let mut offset = 0i64;
    let args = body.args(i);
    for &index in &args[1..] {
        let (element, stride) = shapes.element_and_bytes(shape);
        shape = element;
        match if index.is_constant() { body.as_int(index) } else { None } {
            Some(x) => offset = offset.wrapping_add(x.wrapping_mul(stride as i64)),
            None => cx.indices.push((index, stride as u32)),
        }
    }
    (args[0], offset)
}
