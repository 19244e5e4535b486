//! Values: what an operand can be, in 32 bits.
//!
//! ```text
//!   31    29 28                                   0
//!  +--------+--------------------------------------+
//!  |  kind  |               payload                |
//!  +--------+--------------------------------------+
//!   0 inst     instruction number
//!   1 int      an i32 constant of 29 bits, signed
//!   2 small    4 bits of type, 25 bits of an i1, i8, i16 or i64 constant, signed (i1: 0 or 1)
//!   3 const    row in the body's table of wider constants
//!   4 global   address of a global
//!   5 request  address of a global that the body asked for (see `Body::requests`)
//!   6 undef    type number
//! ```
//!
//! Equal constants are equal handles: a constant that fits `int` or `small` is never in the table, and the
//! table is interned. Make constants through `Body`, which keeps this true.

use super::constant::Const;
use super::module::{GlobalId, RequestId};
use super::{Inst, types::Type};
use crate::base::Handle;

/// An operand; see the module for its bits. The default fills unused entries of tables, and is never read.
#[derive(Copy, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);

/// A value taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// The result of an instruction, or a parameter.
    Inst(Inst),
    /// An i32 constant small enough for the handle.
    Int(i32),
    /// An i1, i8 or i64 constant small enough for the handle.
    Small(Type, i32),
    /// A constant in the body's table.
    Const(Const),
    /// The address of a global.
    Global(GlobalId),
    /// The address of a requested global.
    Request(RequestId),
    /// Some value, the same at every use of one definition (LLVM's frozen undef).
    Undef(Type),
}

const PAYLOAD: u32 = (1 << 29) - 1;

impl Value {
    #[inline(always)]
    const fn pack(kind: u32, payload: u32) -> Value {
        Value(kind << 29 | payload & PAYLOAD)
    }

    /// The result of an instruction. A body has fewer than 2^29 instructions.
    #[inline(always)]
    pub fn inst(inst: Inst) -> Value {
        debug_assert!(inst.index() <= PAYLOAD as usize);
        Value::pack(0, inst.index() as u32)
    }

    /// The address of a global.
    pub fn global(global: GlobalId) -> Value {
        Value::pack(4, global.index() as u32)
    }

    /// The address of a requested global.
    pub fn request(request: RequestId) -> Value {
        Value::pack(5, request.index() as u32)
    }

    /// An unspecified value of a type.
    pub fn undef(ty: Type) -> Value {
        Value::pack(6, ty as u32)
    }

    /// The constant true or false.
    pub fn bool(b: bool) -> Value {
        Value::pack(2, (Type::I1 as u32) << 25 | u32::from(b))
    }

    /// An i32 constant, if it fits the handle. `Body::int` takes any.
    pub(crate) fn small_int(x: i32) -> Option<Value> {
        (x << 3 >> 3 == x).then_some(Value::pack(1, x as u32))
    }

    /// An i1, i8 or i64 constant, if it fits the handle.
    pub(super) fn small(ty: Type, x: i64) -> Option<Value> {
        (x << 39 >> 39 == x).then_some(Value::pack(2, (ty as u32) << 25 | x as u32 & 0x1ff_ffff))
    }

    pub(super) fn constant(row: Const) -> Value {
        Value::pack(3, row.index() as u32)
    }

    /// The value of these bits.
    #[inline(always)]
    pub(super) fn from_bits(bits: u32) -> Value {
        Value(bits)
    }

    /// What the value is.
    #[inline]
    pub fn kind(self) -> ValueKind {
        let payload = self.0 & PAYLOAD;
        match self.0 >> 29 {
            0 => ValueKind::Inst(Inst::new(payload as usize)),
            1 => ValueKind::Int((payload << 3) as i32 >> 3),
            2 => ValueKind::Small(Type::from_number(payload >> 25), (payload << 7) as i32 >> 7),
            3 => ValueKind::Const(Const::new(payload as usize)),
            4 => ValueKind::Global(GlobalId::new(payload as usize)),
            5 => ValueKind::Request(RequestId::new(payload as usize)),
            _ => ValueKind::Undef(Type::from_number(payload)),
        }
    }

    /// The instruction whose result this is.
    #[inline(always)]
    pub fn as_inst(self) -> Option<Inst> {
        if self.0 >> 29 == 0 { Some(Inst::new(self.0 as usize)) } else { None }
    }

    /// The global whose address this is.
    #[inline(always)]
    pub fn as_global(self) -> Option<GlobalId> {
        if self.0 >> 29 == 4 { Some(GlobalId::new((self.0 & PAYLOAD) as usize)) } else { None }
    }

    /// True for a number known at compile time (not an address, not undef).
    #[inline]
    pub fn is_number(self) -> bool {
        matches!(self.0 >> 29, 1..=3)
    }

    /// True for anything that is not computed by an instruction.
    #[inline]
    pub fn is_constant(self) -> bool {
        self.0 >> 29 != 0
    }

    /// True for an unspecified value.
    pub fn is_undef(self) -> bool {
        self.0 >> 29 == 6
    }

    /// The bits, to pack into a key.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.0
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind() {
            ValueKind::Inst(inst) => inst.fmt(f),
            ValueKind::Int(x) => write!(f, "{x}"),
            ValueKind::Small(ty, x) => write!(f, "{x}:{}", ty.name()),
            ValueKind::Const(row) => row.fmt(f),
            ValueKind::Global(global) => global.fmt(f),
            ValueKind::Request(request) => request.fmt(f),
            ValueKind::Undef(ty) => write!(f, "undef:{}", ty.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_pack_and_unpack_at_the_edges() {
        for x in [0, 1, -1, (1 << 28) - 1, -(1 << 28)] {
            assert_eq!(Value::small_int(x).map(Value::kind), Some(ValueKind::Int(x)));
        }
        assert_eq!((Value::small_int(1 << 28), Value::small_int(i32::MIN)), (None, None));
        for x in [0, -1, (1 << 24) - 1, -(1 << 24)] {
            assert_eq!(
                Value::small(Type::I64, x).map(Value::kind),
                Some(ValueKind::Small(Type::I64, x as i32))
            );
        }
        assert_eq!(Value::small(Type::I64, 1 << 24), None);
        assert_eq!(Value::bool(true).kind(), ValueKind::Small(Type::I1, 1));
        assert_eq!(Value::undef(Type::Ptr).kind(), ValueKind::Undef(Type::Ptr));
        assert_eq!(Value::inst(Inst::new(5)).as_inst(), Some(Inst::new(5)));
        assert_eq!(Value::undef(Type::I32).as_inst(), None);
    }
}
