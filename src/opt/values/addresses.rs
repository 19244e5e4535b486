//! Takes addresses of elements apart: one step a subscript, constants last, so that value numbering and
//! loop motion see what addresses have in common. Where the target scales no subscripts
//! (`TargetFacts::scaled_int`), a step is a product in 32 bits and a sum: the distance of two elements of
//! an object has 32 bits.
//!
//! | address | becomes |
//! | --- | --- |
//! | `a[i][j]`, with rows of 400 bytes | `p = a + 400 i; p + 4 j` |
//! | `a[i][7]` | `p = a + 400 i; p + 28`, which is the offset of a load |
//!
//! Selection puts together again what nothing else uses. O(subscripts).

use crate::base::Handle;
use crate::ir::{At, Inst, Op, Shape, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static ADDRESSES: FuncPass = FuncPass {
    name: "addresses",
    description: "take addresses of elements apart, one step a subscript",
    grows: false,
    needs: AnalysisSet::NONE,
    run,
};

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let mut changed = false;
    for k in 0..cx.f.inst_count() {
        let i = Inst::new(k);
        if cx.f.op(i) == Op::ElemAddr && cx.f.block_of(i).is_some() {
            changed |= take_apart(cx, i);
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG).listed()
}

fn take_apart(cx: &mut FuncCx, i: Inst) -> bool {
    let shapes = &cx.env.shapes;
    let mut shape = Shape::new(cx.f.payload(i) as usize);
    let bytes_shape = Shape::scalar(Type::I8);
    let count = cx.f.args(i).len();
    let varying = (1..count).filter(|&k| cx.f.as_int(cx.f.arg(i, k)).is_none()).count();
    let is_wide = (1..count).any(|k| cx.f.type_of(cx.f.arg(i, k)) != Type::I32);
    let is_scaled = cx.target.scaled_int;
    let is_one_step = count == 2 && (is_scaled || shapes.bytes(shape) == 1);
    // Steps that leave their object may be longer than 32 bits tell.
    if varying == 0 || is_wide || is_one_step || shapes.may_leave(shape) {
        return false;
    }
    let (at, place) = (At::Before(i), cx.f.place(i));
    let mut pointer = cx.f.arg(i, 0);
    let mut constant = 0i64;
    for k in 1..count {
        let (index, (element, stride)) = (cx.f.arg(i, k), shapes.element_and_bytes(shape));
        let step = shape;
        shape = element;
        if let Some(x) = cx.f.as_int(index) {
            constant = constant.wrapping_add(x.wrapping_mul(stride as i64));
            continue;
        }
        let (index, by) = match is_scaled {
            true => (index, step),
            false => {
                let factor = cx.f.int(stride as i32);
                let scaled = cx.f.insert(at, Op::Mul, Type::I32, &[index, factor], 0, place);
                (Value::inst(scaled), bytes_shape)
            }
        };
        let args = [pointer, index];
        pointer = Value::inst(cx.f.insert(at, Op::ElemAddr, Type::Ptr, &args, by.index() as u32, place));
    }
    if constant != 0 {
        // The distance of two elements of an object has 32 bits.
        let args = [pointer, cx.f.int(constant as i32)];
        let by = bytes_shape.index() as u32;
        pointer = Value::inst(cx.f.insert(at, Op::ElemAddr, Type::Ptr, &args, by, place));
    }
    cx.scratch.changes.replace(cx.f, i, pointer);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::TargetFacts;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply_for, leaves_alone};

    const TEXT: &str = "@a = internal global [9 x [9 x [100 x i32]]] zeroinitializer
         define ptr @f(i32 %i, i32 %j) {
           %p = getelementptr inbounds [9 x [9 x [100 x i32]]], ptr @a, i32 0, i32 %i, i32 7, i32 %j
           ret ptr %p
         }";

    fn taken_apart(scaled_int: bool) -> String {
        let target = TargetFacts { scaled_int, ..TargetFacts::default() };
        let mut module = parse(TEXT).unwrap();
        assert!(apply_for(target, &[&ADDRESSES], &mut module));
        let text = print::module(&module);
        assert!(!apply_for(target, &[&ADDRESSES], &mut module), "not idempotent: {text}");
        text.lines().filter(|line| line.starts_with("  %")).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn each_subscript_is_a_step_and_constants_come_last() {
        assert_eq!(
            taken_apart(false),
            "  %v0 = mul i32 %p0, 3600\n  %v1 = getelementptr inbounds i8, ptr @a, i32 %v0\n  \
             %v2 = mul i32 %p1, 4\n  %v3 = getelementptr inbounds i8, ptr %v1, i32 %v2\n  \
             %v4 = getelementptr inbounds i8, ptr %v3, i32 2800"
        );
        assert_eq!(
            taken_apart(true),
            "  %v0 = getelementptr inbounds [9 x [100 x i32]], ptr @a, i32 %p0\n  \
             %v1 = getelementptr inbounds i32, ptr %v0, i32 %p1\n  \
             %v2 = getelementptr inbounds i8, ptr %v1, i32 2800"
        );
    }

    #[test]
    fn what_is_one_step_or_constant_stays() {
        leaves_alone(&ADDRESSES, &TEXT.replace("i32 %i, i32 7, i32 %j", "i32 2, i32 7, i32 3"));
        leaves_alone(
            &ADDRESSES,
            "define ptr @f(ptr %p, i32 %j) {
               %q = getelementptr i8, ptr %p, i32 %j
               ret ptr %q
             }",
        );
    }
}
