//! What text the printer gives; that LLVM takes it is tested in `tests/llvm.rs`.

use super::*;
use crate::ir::module::Request;
use crate::ir::{At, Func, Global, Image, Place};

fn global(module: &mut Module, text: &str, ty: Type, lengths: &[u32], words: &[(u32, u32)]) {
    let mut image = Image::default();
    for &(at, word) in words {
        image.push(at, word);
    }
    let name = module.env.names.intern(text);
    let shape = module.env.shapes.of(ty, lengths);
    module.env.globals.push(Global::new(name, shape, false, Linkage::External, image));
}

/// Scalar type, lengths, (position, bits) of the nonzero scalars, and the text.
type Case<'a> = (Type, &'a [u32], &'a [(u32, u32)], &'a str);

#[test]
fn initialisers_are_compact_and_say_their_shape() {
    let one = 1.0f32.to_bits();
    let cases: [Case; 11] = [
        (Type::I32, &[], &[], "i32 0"),
        (Type::I32, &[], &[(0, -5i32 as u32)], "i32 -5"),
        (Type::F32, &[], &[(0, one)], "float 0x3FF0000000000000"),
        (Type::F32, &[], &[(0, 0x7f80_0001)], "float 0x7FF0000020000000"),
        (Type::Ptr, &[], &[], "ptr null"),
        (Type::I32, &[4, 3], &[], "[4 x [3 x i32]] zeroinitializer"),
        (
            Type::I32,
            &[3, 2],
            &[(3, 7)],
            "[3 x [2 x i32]] [[2 x i32] zeroinitializer, [2 x i32] [i32 0, i32 7], [2 x i32] zeroinitializer]",
        ),
        (Type::I8, &[5], &[(0, 104), (1, 34), (2, 200)], "[5 x i8] c\"h\\22\\C8\\00\\00\""),
        (
            Type::I32,
            &[1_000_000],
            &[(0, 1), (1, 2), (900_000, 3)],
            "<{ [2 x i32], [899998 x i32], [1 x i32], [99999 x i32] }> <{ [2 x i32] [i32 1, i32 2], \
             [899998 x i32] zeroinitializer, [1 x i32] [i32 3], [99999 x i32] zeroinitializer }>",
        ),
        (
            Type::I32,
            &[1000, 1000],
            &[(999_999, 1)],
            "<{ [999999 x i32], [1 x i32], [0 x [1000 x [1000 x i32]]] }> <{ [999999 x i32] zeroinitializer, \
             [1 x i32] [i32 1], [0 x [1000 x [1000 x i32]]] zeroinitializer }>",
        ),
        (Type::I32, &[4], &[(3, 1)], "[4 x i32] [i32 0, i32 0, i32 0, i32 1]"),
    ];
    for (ty, lengths, words, text) in cases {
        let mut m = Module::default();
        global(&mut m, "g", ty, lengths, words);
        assert_eq!(module(&m), format!("@g = global {text}\n"));
    }
}

#[test]
fn names_are_quoted_where_llvm_wants_it() {
    for (text, printed) in [("a.b_$1", "a.b_$1"), ("1a", "\"1a\""), ("a b\"\u{e9}", "\"a b\\22\\C3\\A9\"")] {
        let mut m = Module::default();
        global(&mut m, text, Type::I32, &[], &[]);
        assert_eq!(module(&m), format!("@{printed} = global i32 0\n"));
    }
}

#[test]
fn a_body_prints_in_layout_order_whatever_its_handles_are() {
    let mut m = Module::default();
    let env = &mut m.env;
    let array = env.shapes.of(Type::I32, &[4, 3]);
    let row = env.shapes.element(array);
    let mut func = |text: &str, result, params: &[Type], variadic, linkage| {
        let name = env.names.intern(text);
        env.funcs.push(Func { variadic, ..Func::new(name, result, params.to_vec(), linkage) })
    };
    let putf = func("putf", Type::Void, &[Type::Ptr], true, Linkage::Declared);
    let main = func("main", Type::I32, &[Type::I32, Type::Ptr], false, Linkage::Internal);
    let mut f = Body::new(main, &env.funcs[main]);
    let [a, c, b] = [0; 3].map(|_| f.create_block());
    f.move_block_after(c, b);
    let (p0, p1) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
    let memory = f.insert(At::End(a), Op::Alloca, Type::Ptr, &[], array.index() as u32, Place::NONE);
    let memory = Value::inst(memory);
    f.insert(At::End(a), Op::MemInit, Type::Void, &[memory], 48, Place::NONE);
    let three = f.int(3);
    let element =
        f.insert(At::End(a), Op::ElemAddr, Type::Ptr, &[memory, three, p0], row.index() as u32, Place::NONE);
    let load = f.insert(At::End(a), Op::Load, Type::F32, &[Value::inst(element)], 0, Place::NONE);
    let half = f.f32(0.5);
    let test = f.insert(
        At::End(a),
        Op::FCmp,
        Type::I1,
        &[Value::inst(load), half],
        FloatPred::Une as u32,
        Place::NONE,
    );
    let (_, ac) = f.set_cond_br(a, Value::inst(test), b, c, Place::NONE);
    let text = Image::string(b"%d");
    let shape = env.shapes.of(Type::I8, &[3]);
    let q = f.request(Request::new(shape, true, text));
    f.insert(At::End(b), Op::Call, Type::Void, &[q, p0], putf.index() as u32, Place::NONE);
    f.insert(At::End(b), Op::MemInit, Type::Void, &[p1, q], 3, Place::NONE);
    f.insert(At::End(b), Op::Store, Type::Void, &[Value::undef(Type::I32), p1], 0, Place::NONE);
    let bc = f.set_br(b, c, Place::NONE);
    let phi = f.insert_phi(c, Type::I32, Place::NONE);
    f.set_arg(phi, f.edge_slot(ac), p0);
    f.set_arg(phi, f.edge_slot(bc), three);
    f.set_ret(c, Some(Value::inst(phi)), Place::NONE);
    m.define(f);
    let expected = "\
@.request.main.0 = internal constant [3 x i8] c\"%d\\00\"
declare void @putf(ptr, ...)

define internal i32 @main(i32 %p0, ptr %p1) {
b0:
  %v0 = alloca [4 x [3 x i32]]
  call void @llvm.memset.p0.i64(ptr %v0, i8 0, i64 48, i1 false)
  %v1 = getelementptr inbounds [3 x i32], ptr %v0, i32 3, i32 %p0
  %v2 = load float, ptr %v1
  %v3 = fcmp une float %v2, 0x3FE0000000000000
  br i1 %v3, label %b1, label %b2
b1:
  call void (ptr, ...) @putf(ptr @.request.main.0, i32 %p0)
  call void @llvm.memcpy.p0.p0.i64(ptr %p1, ptr @.request.main.0, i64 3, i1 false)
  store i32 undef, ptr %p1
  br label %b2
b2:
  %v4 = phi i32 [ %p0, %b0 ], [ 3, %b1 ]
  ret i32 %v4
}

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
";
    assert_eq!(module(&m), expected);
}
