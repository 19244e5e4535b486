//! What an address leads to, as far as a few steps show.

use crate::ir::{Body, GlobalId, Inst, Op, Value, ValueKind};

/// The object that an address points into.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// An alloca of the body.
    Own(Inst),
    /// A global.
    Global(GlobalId),
    /// What a parameter points into: memory that was there before the call.
    Param(u32),
    /// Anything.
    Unknown,
}

/// The address that an instruction other than a call writes to.
#[inline]
pub fn written(f: &Body, i: Inst) -> Option<Value> {
    match f.op(i) {
        Op::Store | Op::MaskedStore | Op::StridedStore => Some(f.arg(i, 1)),
        Op::MemInit | Op::MemSet | Op::MemCopy => Some(f.arg(i, 0)),
        _ => None,
    }
}

/// The address that an instruction other than a call reads from, where that may have been written to.
#[inline]
pub fn read(f: &Body, i: Inst) -> Option<Value> {
    match f.op(i) {
        Op::Load | Op::MaskedLoad | Op::StridedLoad => Some(f.arg(i, 0)),
        Op::MemCopy => Some(f.arg(i, 1)),
        _ => None,
    }
}

/// Steps of an address that are followed.
const MOST_STEPS: usize = 16;

/// Where an address points.
#[inline]
pub fn base_of(f: &Body, address: Value) -> Base {
    let mut at = address;
    for _ in 0..MOST_STEPS {
        let i = match at.kind() {
            ValueKind::Inst(i) => i,
            ValueKind::Global(global) => return Base::Global(global),
            _ => return Base::Unknown,
        };
        match f.op(i) {
            Op::ElemAddr => at = f.arg(i, 0),
            Op::Alloca => return Base::Own(i),
            Op::Param => return Base::Param(f.payload(i)),
            _ => return Base::Unknown,
        }
    }
    Base::Unknown
}
