//! What only the source of the runtime library can say: operations on bits, bytes and unsigned numbers.

use super::expression::Slot;
use super::function::Lowering;
use crate::base::Handle;
use crate::ir::{Op, Shape, Type, Value};
use crate::sema::runtime::Meaning;

impl Lowering<'_> {
    /// The operation that a call means.
    pub(super) fn intrinsic(&mut self, meaning: Meaning, args: &[Value]) -> Slot {
        let binary = match meaning {
            Meaning::And => Some(Op::And),
            Meaning::Or => Some(Op::Or),
            Meaning::ShiftLeft => Some(Op::Shl),
            Meaning::ShiftRight => Some(Op::LShr),
            Meaning::UnsignedQuotient => Some(Op::UDiv),
            Meaning::UnsignedRemainder => Some(Op::URem),
            _ => None,
        };
        if let Some(op) = binary {
            return Slot::Value(self.emit(op, Type::I32, [args[0], args[1]], 0), Type::I32);
        }
        let element = match meaning {
            Meaning::LoadByte | Meaning::StoreByte => Type::I8,
            Meaning::LoadFloat | Meaning::StoreFloat => Type::F32,
            _ => return Slot::Nothing,
        };
        let shape = Shape::scalar(element).index() as u32;
        let address = self.emit(Op::ElemAddr, Type::Ptr, [args[0], args[1]], shape);
        match meaning {
            Meaning::LoadByte => {
                let byte = self.emit(Op::Load, Type::I8, [address], 0);
                Slot::Value(self.emit(Op::ZExt, Type::I32, [byte], 0), Type::I32)
            }
            Meaning::LoadFloat => Slot::Value(self.emit(Op::Load, Type::F32, [address], 0), Type::F32),
            Meaning::StoreByte => {
                let byte = self.emit(Op::Trunc, Type::I8, [args[2]], 0);
                self.store(byte, address);
                Slot::Nothing
            }
            _ => {
                self.store(args[2], address);
                Slot::Nothing
            }
        }
    }
}
