//! Words whose base moves by what is in a register.

use super::selected;
use crate::base::Handle;
use crate::ir::{Op, Shape, Type, Value};

/// The rows for two stores, the second by the first one's address and a number of bytes; the first one's may be needed later.
fn stored(ty: Type, is_once: bool) -> String {
    let lines = selected(&[Type::Ptr, Type::I32, ty], |b, p| {
        let i8 = Shape::scalar(Type::I8).index() as u32;
        let zero = b.int(0);
        let base = b.insert(Op::ElemAddr, Type::Ptr, &[p[0], p[1]], i8);
        b.insert(Op::Store, Type::Void, &[p[2], base], 0);
        let next = b.insert(Op::ElemAddr, Type::Ptr, &[base, p[1]], i8);
        b.insert(Op::Store, Type::Void, &[zero, next], 0);
        if !is_once {
            let x: Value = b.insert(Op::Load, Type::I32, &[base], 0);
            b.insert(Op::Store, Type::Void, &[x, next], 0);
        }
        None
    });
    lines.join("; ")
}

#[test]
fn a_store_moves_its_base_by_a_register_where_the_base_ends() {
    let have = stored(Type::I32, true);
    assert!(have.contains("str <v2>, [<v1>], <v4>; "), "{have}");
    // Bytes and floats have no such row.
    for ty in [Type::I8, Type::F32] {
        let have = stored(ty, true);
        assert!(!have.contains("], <v"), "{have}");
    }
    let have = stored(Type::I32, false);
    assert!(!have.contains("], <v"), "{have}");
}
