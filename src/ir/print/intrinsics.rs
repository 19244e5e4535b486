//! The functions that stand for opcodes in text: intrinsics of LLVM, which are declared, and functions of the compiler's own
//! (`@sysyc.splat.v4i32`), whose definitions say in LLVM's instructions what they do. O(lanes) each.

use crate::ir::opcode::{Arg, Form, Types};
use crate::ir::{Body, Inst, Op, Type};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

/// Per function that stands for an opcode, the opcode and the type that tells them apart: its declaration, or
/// its definition if LLVM does not know it.
pub(super) type Used = BTreeMap<(Op, Type), String>;

/// The function that stands for an instruction, if one does.
pub(super) fn function_of(f: &Body, i: Inst) -> Option<(Op, Type)> {
    let (op, args) = (f.op(i), f.args(i));
    let of_operand = |k: usize| args.get(k).map_or(Type::Void, |&v| f.type_of(v));
    let ty = match op {
        Op::MemInit => {
            return Some((if args.len() == 1 { Op::MemSet } else { Op::MemCopy }, Type::I64));
        }
        Op::MemSet | Op::MemCopy => of_operand(2),
        Op::ReduceFAdd => of_operand(1),
        Op::MaskedStore | Op::StridedStore => of_operand(0),
        _ if op.row().types == Types::Reduce => of_operand(0),
        _ => f.ty(i),
    };
    (op.row().form.is_function()).then_some((op, ty))
}

/// Its name.
pub(super) fn function_name(out: &mut String, (op, ty): (Op, Type)) {
    _ = write!(out, "@{}.{}{}", op.row().name, ty.code(), op.name_ending());
}

/// A vector of these lanes, or a scalar.
pub(super) fn lanes(ty: Type, element: &str) -> String {
    if ty.is_vector() { format!("<{} x {element}>", ty.lanes()) } else { element.to_string() }
}

/// A value in every lane.
pub(super) fn every_lane(ty: Type, element: &str, value: impl Display) -> String {
    let lane = format!("{element} {value}");
    let all = vec![lane.as_str(); ty.lanes() as usize].join(", ");
    if ty.is_vector() { format!("<{all}>") } else { value.to_string() }
}

/// The declaration of the function that stands for `i`; its definition, if LLVM does not know it.
pub(super) fn declaration(f: &Body, i: Inst, function: (Op, Type)) -> String {
    let (op, ty) = function;
    let (name, result, mut out) = (ty.name(), f.ty(i).name(), String::new());
    match op.row().form {
        Form::High(extend) => {
            let (bits, element) = (ty.element().int_bits(), format!("i{}", 2 * ty.element().int_bits()));
            let (wide, by) = (lanes(ty, &element), every_lane(ty, &element, bits));
            _ = write!(out, "define linkonce_odr {name} ");
            function_name(&mut out, function);
            _ = write!(
                out,
                "({name} %a, {name} %b) {{
  %x = {extend} {name} %a to {wide}
  %y = {extend} {name} %b to {wide}
  %xy = mul {wide} %x, %y
  %h = lshr {wide} %xy, {by}
  %r = trunc {wide} %h to {name}
  ret {name} %r
}}
"
            );
        }
        Form::Splat => {
            let element = ty.element().name();
            _ = write!(out, "define linkonce_odr {name} ");
            function_name(&mut out, function);
            _ = write!(
                out,
                "({element} %a) {{
  %x = insertelement {name} poison, {element} %a, i64 0
  %r = shufflevector {name} %x, {name} poison, <{} x i32> zeroinitializer
  ret {name} %r
}}
",
                ty.lanes()
            );
        }
        Form::Zip(half) => {
            let count = ty.lanes();
            let lane = |k: u32| half * (count / 2) + k / 2 + k % 2 * count;
            let numbers: Vec<String> = (0..count).map(|k| format!("i32 {}", lane(k))).collect();
            _ = write!(out, "define linkonce_odr {name} ");
            function_name(&mut out, function);
            _ = write!(
                out,
                "({name} %a, {name} %b) {{
  %r = shufflevector {name} %a, {name} %b, <{count} x i32> <{}>
  ret {name} %r
}}
",
                numbers.join(", ")
            );
        }
        Form::Intrinsic(args) => {
            _ = write!(out, "declare {result} ");
            function_name(&mut out, function);
            let mut operands = f.args(i).iter().map(|&v| f.type_of(v).name());
            let types: Vec<String> = args
                .iter()
                .enumerate()
                .map(|(k, arg)| match arg {
                    // Of a `meminit`, the zeros and the length are no operands.
                    Arg::Operand => operands.next().unwrap_or(if k == 1 { "i8" } else { "i64" }).to_string(),
                    Arg::Always(ty, _) => (*ty).to_string(),
                    Arg::Align | Arg::Lanes => "i32".to_string(),
                    Arg::AllTrue => lanes(ty, "i1"),
                })
                .collect();
            _ = writeln!(out, "({})", types.join(", "));
        }
        Form::Plain | Form::Cast | Form::Own => {}
    }
    out
}
