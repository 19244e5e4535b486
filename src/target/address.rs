//! Element addresses, flattened: base + constant offset + scaled indices.
//!
//! `flatten` follows a chain of element addresses as long as folding them costs nothing, and multiplies strides
//! out. A target then decides which parts its addressing modes take. O(indices).

use super::select::Select;
use crate::base::Handle;
use crate::ir::{GlobalId, Inst, Op, Shape, Value, ValueKind};
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

/// base + offset + sum of index x scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Where it starts.
    pub base: Base,
    /// Constant bytes. Always fits an i32, since objects are below 2 GiB and subscripts in bounds; an address that
    /// does not is computed modulo 2^32 like any undefined one.
    pub offset: i32,
    /// Indices (i32 or i64 values, to be sign-extended) and bytes they scale by.
    pub indices: Vec<(Value, u32)>,
}

/// See `flatten`.
const MOST_FREE: u32 = 32;

/// The address that a pointer value is. Only addresses that need no demand of `v` itself are followed: allocas,
/// globals, and element addresses that the current block computes for this use alone or that have constant indices
/// (of these at most `MOST_FREE` in a row, lest a long chain be walked once per user).
#[inline]
pub fn flatten(cx: &mut Select, v: Value) -> Address {
    let indices = std::mem::take(&mut cx.indices);
    flatten_on(cx, v, indices)
}

fn flatten_on(cx: &mut Select, v: Value, mut indices: Vec<(Value, u32)>) -> Address {
    let mut offset = 0i64;
    let mut at = v;
    let mut free = 0;
    loop {
        let base = match at.kind() {
            ValueKind::Global(global) => Some(Base::Global(global)),
            ValueKind::Inst(i) if cx.body.op(i) == Op::Alloca => Some(Base::Slot(cx.slot_of(i))),
            ValueKind::Inst(i)
                if cx.body.op(i) == Op::ElemAddr
                    && (cx.foldable(at) == Some(i) || is_free(cx, i) && free < MOST_FREE) =>
            {
                free += 1;
                offset = offset.wrapping_add(add_indices(cx, i, &mut indices));
                at = cx.body.arg(i, 0);
                None
            }
            _ => Some(Base::Value(at)),
        };
        if let Some(base) = base {
            return Address { base, offset: offset as i32, indices };
        }
    }
}

/// The address that an element address computes, when it is itself being selected.
pub fn flatten_inst(cx: &mut Select, i: Inst) -> Address {
    let mut indices = std::mem::take(&mut cx.indices);
    let offset = add_indices(cx, i, &mut indices);
    let mut address = flatten_on(cx, cx.body.arg(i, 0), indices);
    address.offset = address.offset.wrapping_add(offset as i32);
    address
}

/// Gives the room of an address's indices back to the walk, once nobody reads them.
#[inline]
pub fn release(cx: &mut Select, mut indices: Vec<(Value, u32)>) {
    indices.clear();
    cx.indices = indices;
}

/// True if all indices are constant: folding it into many users costs nothing.
fn is_free(cx: &Select, i: Inst) -> bool {
    cx.body.args(i)[1..].iter().all(|&index| cx.body.as_int(index).is_some())
}

/// Appends the variable indices of an element address with their strides; returns the constant bytes.
fn add_indices(cx: &Select, i: Inst, indices: &mut Vec<(Value, u32)>) -> i64 {
    let shapes = &cx.env.shapes;
    let mut shape = Shape::new(cx.body.payload(i) as usize);
    let mut offset = 0i64;
    for (k, &index) in cx.body.args(i)[1..].iter().enumerate() {
        if k != 0 {
            shape = shapes.element(shape);
        }
        let stride = shapes.bytes(shape);
        match cx.body.as_int(index) {
            Some(x) => offset = offset.wrapping_add(x.wrapping_mul(stride as i64)),
            None => indices.push((index, stride as u32)),
        }
    }
    offset
}
