//! What is selected for each family, and how functions become final.

mod accumulate;
mod assembler;
mod conditional;
mod double;
mod joined;
mod moving;
mod pair;
mod zero_flags;

use super::{TARGET, encode, registers, rows};
use crate::base::Handle;
use crate::ir::build::Builder;
use crate::ir::{self, Body, Env, FloatPred, IntPred, Linkage, Op, Shape, Type, Value};
use crate::isa::features::{DIVISION, default_of};
use crate::isa::frame::lay_out_and_finalise;
use crate::isa::prepare::{Prepared, prepare};
use crate::isa::select::{self, select};
use crate::isa::symbols::{Symbols, symbols};
use crate::isa::text;
use crate::mir::desc::REMAT;
use crate::mir::func::BlockRow;
use crate::mir::{Features, Func, Inst, Operand, PReg, SlotKind, SymKind};
use crate::object::module::Binding;
use assembler::{assemble, env_for_rows};
use std::process::Command;

/// The rows selected for a branch by what `make` makes of these parameters.
fn branching(params: &[Type], make: impl Fn(&mut Builder, &[Value]) -> Value) -> Vec<String> {
    selected(params, |b, p| {
        let c = make(b, p);
        let (yes, no) = (b.create_block(), b.create_block());
        b.cond_br(c, yes, no);
        b.block = yes;
        b.ret(None);
        b.block = no;
        None
    })
}

/// The rows selected for a function of these parameters that returns what `make` builds, without entry and
/// return; pseudo instructions by their names.
fn selected(params: &[Type], make: impl Fn(&mut Builder, &[Value]) -> Option<Value>) -> Vec<String> {
    try_selected(params, make).unwrap()
}

fn try_selected(
    params: &[Type],
    make: impl Fn(&mut Builder, &[Value]) -> Option<Value>,
) -> Result<Vec<String>, String> {
    selected_for(default_of(&TARGET), params, make)
}

fn selected_for(
    features: Features,
    params: &[Type],
    make: impl Fn(&mut Builder, &[Value]) -> Option<Value>,
) -> Result<Vec<String>, String> {
    let mut env = Env::default();
    let f32s = env.shapes.of(Type::F32, &[10]);
    let i32s = env.shapes.of(Type::I32, &[100, 3]);
    for (name, shape) in [("gi", Shape::scalar(Type::I32)), ("gf", f32s), ("ga", i32s)] {
        let name = env.names.intern(name);
        let image = ir::Image::default();
        env.globals.push(ir::Global::new(name, shape, false, Linkage::Internal, image));
    }
    let mut func = |name: &str, params: &[Type], variadic| {
        let name = env.names.intern(name);
        let params = params.to_vec();
        env.funcs.push(ir::Func { variadic, ..ir::Func::new(name, Type::Void, params, Linkage::Declared) })
    };
    func("putf", &[Type::Ptr], true);
    func("many", &[Type::I32; 6], false);
    func("long", &[], false);
    let id = func("test", params, false);
    env.funcs[ir::FuncId::new(2)].result = Type::I64;
    let mut body = Body::new(id, &env.funcs[id]);
    let entry = body.create_block();
    let values: Vec<Value> = body.params().map(Value::inst).collect();
    let mut builder = Builder::new(&env, &mut body, entry);
    let result = make(&mut builder, &values);
    builder.ret(result);
    let mut prepared = Prepared { hoist: true, over_calls: true, ..Prepared::default() };
    prepare(&mut body, &mut prepared);
    let func =
        select(&env, &mut body, (&prepared, &mut select::WorkerMemory::default()), TARGET.rules, features)?;
    let symbols = symbols(&env, &TARGET, true);
    let mut lines = Vec::new();
    for (i, _) in func.insts.iter() {
        lines.push(line(&func, i, &symbols));
    }
    Ok(lines[1..lines.len() - 1].to_vec())
}

fn line(func: &Func, i: Inst, symbols: &Symbols) -> String {
    let desc = registers::MACHINE.row(func.insts[i].op);
    let mut line = String::new();
    if desc.text.is_empty() {
        let operands: Vec<String> = func.operands(i).iter().map(|operand| format!("<{operand:?}>")).collect();
        return format!("{} {} {}", desc.name, operands.join(" "), func.insts[i].imm);
    }
    text::instruction(&mut line, func, i, &registers::MACHINE, symbols);
    line
}

/// The opcodes alone.
fn names(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split(' ').next().unwrap()).collect()
}

/// Selects `op(a, b)` with a constant on the right.
fn with_constant(op: Op, x: i32) -> Vec<String> {
    selected(&[Type::I32], |b, p| {
        let x = b.int(x);
        Some(b.insert(op, Type::I32, &[p[0], x], 0))
    })
}

#[test]
fn sums_and_masks_take_immediates_in_every_form() {
    let cases: [(Op, i32, &[&str]); 14] = [
        (Op::Add, 1020, &["add <v0>, <v1>, #1020"]),
        (Op::Add, -256, &["sub <v0>, <v1>, #256"]),
        (Op::Add, 257, &["li <v2> 257", "add <v0>, <v1>, <v2>"]),
        (Op::Sub, 12, &["sub <v0>, <v1>, #12"]),
        (Op::And, 255, &["and <v0>, <v1>, #255"]),
        (Op::And, -256, &["bic <v0>, <v1>, #255"]),
        (Op::And, 0xffff, &["ubfx <v0>, <v1>, #0, #16"]),
        (Op::And, 0x12345, &["li <v2> 74565", "and <v0>, <v1>, <v2>"]),
        (Op::Or, 1, &["orr <v0>, <v1>, #1"]),
        (Op::Xor, -1, &["mvn <v0>, <v1>"]),
        (Op::Xor, 64, &["eor <v0>, <v1>, #64"]),
        (Op::Shl, 3, &["lsl <v0>, <v1>, #3"]),
        (Op::LShr, 31, &["lsr <v0>, <v1>, #31"]),
        (Op::AShr, 1, &["asr <v0>, <v1>, #1"]),
    ];
    for (op, x, expected) in cases {
        assert_eq!(with_constant(op, x), expected, "{op:?} {x}");
    }
}

#[test]
fn fields_of_bits_are_taken_and_put_in_one_row() {
    let two = |[inner, outer]: [(Op, i32); 2]| {
        selected(&[Type::I32], |b, p| {
            let [x, y] = [inner, outer].map(|(_, x)| b.int(x));
            let v = b.insert(inner.0, Type::I32, &[p[0], x], 0);
            Some(b.insert(outer.0, Type::I32, &[v, y], 0))
        })
    };
    let either = |parts: [(usize, &[(Op, i32)]); 2]| {
        selected(&[Type::I32; 2], |b, p| {
            let [x, y] = parts.map(|(k, ops)| {
                ops.iter().fold(p[k], |v, &(op, x)| {
                    let x = b.int(x);
                    b.insert(op, Type::I32, &[v, x], 0)
                })
            });
            Some(b.insert(Op::Or, Type::I32, &[x, y], 0))
        })
    };
    let cases: [(Vec<String>, &[&str]); 7] = [
        (two([(Op::LShr, 3), (Op::And, 0xff)]), &["ubfx <v0>, <v1>, #3, #8"]),
        (two([(Op::Shl, 20), (Op::AShr, 24)]), &["sbfx <v0>, <v1>, #4, #8"]),
        (two([(Op::AShr, 28), (Op::And, 0xff)]), &["asr <v1>, <v2>, #28", "and <v0>, <v1>, #255"]),
        (two([(Op::And, 0xff), (Op::Shl, 3)]), &["and <v1>, <v2>, #255", "lsl <v0>, <v1>, #3"]),
        (
            either([(0, &[(Op::And, !0xff0)]), (1, &[(Op::And, 0xff), (Op::Shl, 4)])]),
            &["bfi <v0>, <v2>, #4, #8"],
        ),
        (either([(0, &[(Op::LShr, 5)]), (0, &[(Op::Shl, 27)])]), &["ror <v0>, <v1>, #5"]),
        (
            either([(0, &[(Op::LShr, 5)]), (1, &[(Op::Shl, 27)])]),
            &["lsr <v1>, <v3>, #5", "orr <v0>, <v1>, <v2>, lsl #27"],
        ),
    ];
    for (code, expected) in cases {
        assert_eq!(code, expected);
    }
}

#[test]
fn loads_extend_what_nothing_else_uses() {
    let extended = |op: Op, from: Type, twice: bool| {
        let lines = selected(&[Type::Ptr, Type::Ptr], |b, p| {
            let v = b.insert(Op::Load, from, &[p[0]], 0);
            if twice {
                b.insert(Op::Store, Type::Void, &[v, p[1]], 0);
            }
            Some(b.insert(op, Type::I32, &[v], 0))
        });
        names(&lines).join(" ")
    };
    assert_eq!(extended(Op::ZExt, Type::I8, false), "ldrb");
    assert_eq!(extended(Op::ZExt, Type::I16, false), "ldrh");
    // What is stored has zeros above it, too; a sign is no part of a load.
    assert_eq!(extended(Op::ZExt, Type::I8, true), "ldrb strb");
    assert_eq!(extended(Op::SExt, Type::I16, false), "ldrh sxth");
}

#[test]
fn remainders_and_high_products_take_sums_in() {
    for (op, x, expected) in [(Op::Mul, 8, "lsl"), (Op::Mul, 100, "li mul"), (Op::SDiv, 7, "li sdiv")] {
        let lines = with_constant(op, x);
        assert_eq!(names(&lines).join(" "), expected, "{op:?} {x}: {lines:#?}");
    }
    let lines = selected(&[Type::I32; 2], |b, p| {
        let high = b.binary(Op::SMulHi, p[0], p[1]);
        Some(b.add(high, p[0]))
    });
    assert_eq!(names(&lines), ["smmla"]);
    let lines = selected(&[Type::I32; 2], |b, p| Some(b.srem(p[0], p[1])));
    assert_eq!(lines, ["sdiv <v3>, <v1>, <v2>", "mls <v0>, <v3>, <v2>, <v1>"]);
}

#[test]
fn cores_without_division_call_the_library() {
    for (op, callee) in [
        (Op::SDiv, "__aeabi_idiv"),
        (Op::UDiv, "__aeabi_uidiv"),
        (Op::SRem, "__aeabi_idivmod"),
        (Op::URem, "__aeabi_uidivmod"),
    ] {
        let quotient = |features| {
            selected_for(features, &[Type::I32; 2], |b, p| Some(b.insert(op, Type::I32, &[p[0], p[1]], 0)))
                .unwrap()
        };
        let plain = quotient(Features::default());
        assert!(plain.iter().any(|line| line == &format!("bl {callee}")), "{plain:?}");
        assert!(!names(&plain).iter().any(|name| name.ends_with("div")), "{plain:?}");
        let with = quotient(DIVISION);
        assert!(!with.iter().any(|line| line.starts_with("bl")), "{with:?}");
        assert!(names(&with).iter().any(|name| name.ends_with("div")), "{with:?}");
    }
}

#[test]
fn shifts_and_products_fold_into_their_user_when_it_is_the_only_one() {
    let shifted = |b: &mut Builder, v, x| {
        let x = b.int(x);
        b.insert(Op::Shl, Type::I32, &[v, x], 0)
    };
    let lines = selected(&[Type::I32; 2], |b, p| {
        let s = shifted(b, p[0], 4);
        Some(b.add(s, p[1]))
    });
    assert_eq!(lines, ["add <v0>, <v1>, <v2>, lsl #4"]);
    let lines = selected(&[Type::I32; 2], |b, p| {
        let s = shifted(b, p[0], 4);
        Some(b.sub(s, p[1]))
    });
    assert_eq!(lines, ["rsb <v0>, <v1>, <v2>, lsl #4"]);
    let lines = selected(&[Type::I32; 2], |b, p| {
        let s = shifted(b, p[0], 4);
        let sum = b.add(s, p[1]);
        Some(b.mul(sum, s))
    });
    assert_eq!(names(&lines), ["lsl", "add", "mul"]);
    let lines = selected(&[Type::I32; 3], |b, p| {
        let product = b.mul(p[0], p[1]);
        Some(b.sub(p[2], product))
    });
    assert_eq!(lines, ["mls <v0>, <v1>, <v2>, <v3>"]);
    let lines = selected(&[Type::I32; 2], |b, p| {
        let all = b.int(-1);
        let inverted = b.insert(Op::Xor, Type::I32, &[p[1], all], 0);
        Some(b.insert(Op::And, Type::I32, &[p[0], inverted], 0))
    });
    assert_eq!(lines, ["bic <v0>, <v1>, <v2>"]);
}

#[test]
fn comparisons_fuse_with_what_reads_them() {
    let lines = selected(&[Type::I32; 2], |b, p| {
        let c = b.icmp(IntPred::Slt, p[0], p[1]);
        Some(b.convert(Op::ZExt, c, Type::I32))
    });
    assert_eq!(names(&lines), ["cmp", "li", "movlt", "mov"]);
    let lines = selected(&[Type::I32; 3], |b, p| {
        let limit = b.int(-5);
        let c = b.icmp(IntPred::Sgt, p[0], limit);
        Some(b.select(c, p[1], p[2]))
    });
    assert_eq!(lines, ["cmn <v3>, #5", "movgt <v0>, <v2>"]);
    let lines = selected(&[Type::F32; 2], |b, p| {
        let c = b.fcmp(FloatPred::Ueq, p[0], p[1]);
        Some(b.select(c, p[0], p[1]))
    });
    assert_eq!(lines[1..], ["vmrs APSR_nzcv, fpscr", "cmpvs r0, r0", "vmoveq.f32 <v0>, <v2>"]);
    let branch = |make: fn(&mut Builder, &[Value]) -> Value| branching(&[Type::I32, Type::F32], make);
    let lines = branch(|b, p| {
        let mask = b.int(1);
        let bit = b.insert(Op::And, Type::I32, &[p[0], mask], 0);
        let zero = b.int(0);
        b.icmp(IntPred::Ne, bit, zero)
    });
    assert_eq!(lines[..2], ["tst <v0>, #1", "bne .Lf3_1"]);
    let lines = branch(|b, p| {
        let zero = b.f32(0.0);
        b.fcmp(FloatPred::Olt, p[1], zero)
    });
    assert_eq!(lines[..3], ["vcmp.f32 <v0>, #0.0", "vmrs APSR_nzcv, fpscr", "bmi .Lf3_1"]);
    // 256 x 4 + 1 is no immediate, but its neighbour is.
    let lines = branch(|b, p| {
        let limit = b.int(1025);
        b.icmp(IntPred::Slt, p[0], limit)
    });
    assert_eq!(lines[..2], ["cmp <v0>, #1024", "ble .Lf3_1"]);
}

#[test]
fn a_choice_of_a_sum_is_a_sum_under_a_condition() {
    let chosen = |sum: fn(&mut Builder, &[Value]) -> (Value, Value)| {
        selected(&[Type::I32; 4], |b, p| {
            let c = b.icmp(IntPred::Slt, p[0], p[1]);
            let (changed, kept) = sum(b, p);
            Some(b.select(c, changed, kept))
        })
    };
    let one = |lines: Vec<String>| lines.last().map_or(String::new(), |line| line.clone());
    assert_eq!(
        one(chosen(|b, p| {
            let x = b.int(5);
            (b.add(p[2], x), p[2])
        })),
        "addlt <v0>, <v1>, #5"
    );
    assert_eq!(
        one(chosen(|b, p| {
            let x = b.int(-5);
            (b.add(p[2], x), p[2])
        })),
        "sublt <v0>, <v1>, #5"
    );
    assert_eq!(
        one(chosen(|b, p| {
            let x = b.int(5);
            (b.add(p[3], x), p[2])
        })),
        "addlt <v0>, <v2>, #5"
    );
    assert_eq!(one(chosen(|b, p| (b.add(p[3], p[2]), p[2]))), "addlt <v0>, <v1>, <v2>");
    assert_eq!(one(chosen(|b, p| (b.sub(p[2], p[3]), p[2]))), "sublt <v0>, <v1>, <v2>");
    assert_eq!(
        one(chosen(|b, p| {
            let x = b.int(0);
            (b.sub(x, p[2]), p[2])
        })),
        "rsblt <v0>, <v1>, #0"
    );
    // What is no immediate is in a register.
    let lines = chosen(|b, p| {
        let x = b.int(1025);
        (b.add(p[2], x), p[2])
    });
    assert!(one(lines.clone()).starts_with("addlt <v0>, <v1>, <"), "{lines:?}");
    // Not of another value, nor from it the other way round, nor what is no sum of one row.
    for lines in [
        chosen(|b, p| (b.add(p[3], p[1]), p[2])),
        chosen(|b, p| (b.sub(p[3], p[2]), p[2])),
        chosen(|b, p| {
            let x = b.int(1025);
            (b.add(p[3], x), p[2])
        }),
        chosen(|b, p| {
            let x = b.mul(p[3], p[1]);
            (b.add(p[2], x), p[2])
        }),
    ] {
        assert!(one(lines.clone()).starts_with("movlt"), "{lines:?}");
    }
    // Which of both changes is the other way round for the other one.
    let lines = selected(&[Type::I32; 3], |b, p| {
        let (c, x) = (b.icmp(IntPred::Slt, p[0], p[1]), b.int(5));
        let sum = b.add(p[2], x);
        Some(b.select(c, p[2], sum))
    });
    assert_eq!(one(lines), "addge <v0>, <v1>, #5");
}

#[test]
fn addresses_fold_offsets_and_scaled_indices() {
    let word = Shape::scalar(Type::I32);
    let at = |b: &mut Builder, base: Value, index: Value| b.elem_addr(word, base, &[index]);
    let lines = selected(&[Type::Ptr, Type::I32], |b, p| {
        let a = at(b, p[0], p[1]);
        Some(b.load(Type::I32, a))
    });
    assert_eq!(lines, ["ldr <v0>, [<v1>, <v2>, lsl #2]"]);
    let lines = selected(&[Type::Ptr], |b, p| {
        let k = b.int(-1023);
        let a = at(b, p[0], k);
        Some(b.load(Type::I32, a))
    });
    assert_eq!(lines, ["ldr <v0>, [<v1>, #-4092]"]);
    let lines = selected(&[Type::Ptr], |b, p| {
        let k = b.int(1024);
        let a = at(b, p[0], k);
        Some(b.load(Type::I32, a))
    });
    assert_eq!(lines, ["add <v2>, <v1>, #4096", "ldr <v0>, [<v2>, #0]"]);
    let lines = selected(&[Type::Ptr, Type::I32], |b, p| {
        let a = b.elem_addr(Shape::scalar(Type::F32), p[0], &[p[1]]);
        Some(b.load(Type::F32, a))
    });
    assert_eq!(lines, ["add <v3>, <v1>, <v2>, lsl #2", "vldr <v0>, [<v3>, #0]"]);
    // ga[i][2]: 12 i + 8.
    let lines = selected(&[Type::I32], |b, p| {
        let shape = b.env.globals[ir::GlobalId::new(2)].shape;
        let row = b.env.shapes.element(shape);
        let two = b.int(2);
        let a = b.elem_addr(row, Value::global(ir::GlobalId::new(2)), &[p[0], two]);
        Some(b.load(Type::I32, a))
    });
    assert_eq!(lines, ["la <v1> 8", "add <v3>, <v2>, <v2>, lsl #1", "ldr <v0>, [<v1>, <v3>, lsl #2]"]);
    let lines = selected(&[Type::I32], |b, p| {
        b.store(p[0], Value::global(ir::GlobalId::new(0)));
        let local = b.alloca(word);
        b.store(p[0], local);
        None
    });
    assert_eq!(names(&lines), ["la", "str", "str.slot"]);
}

#[test]
fn addresses_and_factors_are_made_in_front_of_loops() {
    let lines = selected(&[], |b, _| {
        let (head, exit) = (b.create_block(), b.create_block());
        let from_entry = b.br(head);
        b.block = head;
        let i = b.phi(Type::I32);
        let row = b.env.shapes.element(b.env.globals[ir::GlobalId::new(2)].shape);
        let rows = b.int(1000);
        let scaled = b.mul(Value::inst(i), rows);
        let a = b.elem_addr(row, Value::global(ir::GlobalId::new(2)), &[scaled, Value::inst(i)]);
        b.store(scaled, a);
        let one = b.int(1);
        let next = b.add(Value::inst(i), one);
        let done = b.icmp(IntPred::Eq, next, scaled);
        let (_, back) = b.cond_br(done, exit, head);
        for (edge, value) in [(from_entry, b.int(0)), (back, next)] {
            let slot = b.f.edge_slot(edge);
            b.f.set_arg(i, slot, value);
        }
        b.block = exit;
        None
    });
    let jump = lines.iter().position(|line| line.starts_with("b ")).unwrap();
    let names = names(&lines);
    let (before, inside) = names.split_at(jump);
    assert_eq!(before.iter().filter(|name| matches!(**name, "li" | "la")).count(), 3, "{lines:#?}");
    assert!(!inside.iter().any(|name| matches!(*name, "li" | "la")), "{lines:#?}");
}

#[test]
fn memory_is_initialised_in_place_or_by_the_library() {
    let init = |bytes: u32| {
        selected(&[Type::Ptr], |b, p| {
            b.fill_zero(p[0], bytes);
            None
        })
    };
    assert_eq!(names(&init(8)), ["li", "str", "str"]);
    assert_eq!(names(&init(6)), ["li", "str", "strb", "strb"]);
    let lines = init(400);
    assert_eq!(names(&lines), ["li", "li", "bl"]);
    assert_eq!(lines[2], "bl memset");
}

#[test]
fn floats_come_as_immediates_or_through_a_core_register() {
    let constant = |x: f32| selected(&[], |b, _| Some(b.f32(x)));
    assert_eq!(constant(1.0), ["fconsts <v0>, #112"]);
    assert_eq!(names(&constant(0.1)), ["li", "vmov"]);
    let lines = selected(&[Type::I32], |b, p| Some(b.convert(Op::SIToFP, p[0], Type::F32)));
    assert_eq!(names(&lines), ["vmov", "vcvt.f32.s32"]);
    let lines = selected(&[Type::F32], |b, p| Some(b.convert(Op::FPToSI, p[0], Type::I32)));
    assert_eq!(names(&lines), ["vcvt.s32.f32", "vmov"]);
}

#[test]
fn a_product_is_a_part_of_a_sum_of_floats() {
    for (ty, suffix) in [(Type::F32, "f32"), (Type::F64, "f64")] {
        for (op, is_right, row) in [
            (Op::FAdd, false, "vmla"),
            (Op::FAdd, true, "vmla"),
            (Op::FSub, true, "vmls"),
            (Op::FSub, false, "vnmls"),
        ] {
            let lines = selected(&[ty; 3], |b, p| {
                let product = b.binary(Op::FMul, p[0], p[1]);
                let [left, right] = if is_right { [p[2], product] } else { [product, p[2]] };
                Some(b.binary(op, left, right))
            });
            assert_eq!(names(&lines), [format!("{row}.{suffix}")]);
        }
        let lines = selected(&[ty; 2], |b, p| {
            let product = b.binary(Op::FMul, p[0], p[1]);
            Some(b.insert(Op::FNeg, ty, &[product], 0))
        });
        assert_eq!(names(&lines), [format!("vnmul.{suffix}")]);
    }
    // What something else needs stays by itself.
    let lines = selected(&[Type::F32; 3], |b, p| {
        let product = b.binary(Op::FMul, p[0], p[1]);
        let sum = b.binary(Op::FAdd, product, p[2]);
        Some(b.binary(Op::FDiv, sum, product))
    });
    assert_eq!(names(&lines), ["vmul.f32", "vadd.f32", "vdiv.f32"]);
}

#[test]
fn promoted_floats_go_to_variadic_calls_in_pairs() {
    let lines = selected(&[Type::Ptr, Type::F32, Type::F32], |b, p| {
        let doubles = [p[1], p[2]].map(|v| b.convert(Op::FPExt, v, Type::F64));
        b.call(ir::FuncId::new(0), &[p[0], doubles[0], doubles[1]]);
        None
    });
    assert_eq!(names(&lines), ["vwords", "str.slot", "str.slot", "vwords", "bl"]);
    let lines = selected(&[Type::Ptr], |b, p| {
        let double = b.load(Type::F64, p[0]);
        b.call(ir::FuncId::new(0), &[p[0], double]);
        None
    });
    assert_eq!(names(&lines), ["vldr", "vmov", "bl"]);
    let lines = selected(&[Type::I32], |b, p| {
        b.call(ir::FuncId::new(1), &[p[0]; 6]);
        None
    });
    assert_eq!(names(&lines), ["str.slot", "str.slot", "bl"]);
}

#[test]
fn doubles_are_in_registers_of_their_own_and_singles_in_halves() {
    let constant = |x: f64| selected(&[], |b, _| Some(b.f.f64(x)));
    assert_eq!(constant(-2.0), ["fconstd <v0>, #128"]);
    assert_eq!(names(&constant(0.1)), ["li", "li", "vmov"]);
    // Singles fill the gap in front of a double: the second is the high half of the first.
    let lines = selected(&[Type::F32, Type::F64, Type::F32], |b, p| {
        let wide = [p[0], p[2]].map(|v| b.convert(Op::FPExt, v, Type::F64));
        let sum = b.binary(Op::FAdd, wide[0], wide[1]);
        let product = b.binary(Op::FMul, sum, p[1]);
        Some(b.convert(Op::FPTrunc, product, Type::F32))
    });
    let expected =
        ["vmov.f32", "vmov.f32", "vcvt.f64.f32", "vcvt.f64.f32", "vadd.f64", "vmul.f64", "vcvt.f32.f64"];
    assert_eq!(names(&lines), expected);
    assert!(try_selected(&[Type::F64; 3], |b, p| Some(b.insert(Op::Fma, Type::F64, p, 0))).is_err());
}

#[test]
fn what_has_no_sign_is_asked_whether_it_is_zero() {
    let of = |op: Op, by: i32, pred: IntPred| {
        let lines = selected(&[Type::I32], |b, p| {
            let (by, zero) = (b.int(by), b.int(0));
            let x = b.insert(op, Type::I32, &[p[0], by], 0);
            let c = b.icmp(pred, x, zero);
            let chosen = b.select(c, x, p[0]);
            Some(b.add(chosen, x))
        });
        lines.iter().find_map(|line| Some(line.strip_prefix("mov")?.get(..2)?.to_string()))
    };
    let is = |op: Op, by: i32| [IntPred::Sgt, IntPred::Sle].map(|pred| of(op, by, pred).unwrap());
    assert_eq!(is(Op::LShr, 1), ["ne", "eq"]);
    assert_eq!(is(Op::And, 12), ["ne", "eq"]);
    assert_eq!(is(Op::And, -4), ["gt", "le"]);
    assert_eq!(is(Op::AShr, 1), ["gt", "le"]);
}

#[test]
fn accesses_between_calls_share_the_address_of_a_global() {
    let lines = selected(&[], |b, _| {
        let gi = Value::global(ir::GlobalId::new(0));
        let x = b.load(Type::I32, gi);
        let one = b.int(1);
        let sum = b.insert(Op::Add, Type::I32, &[x, one], 0);
        b.store(sum, gi);
        b.call(ir::FuncId::new(1), &[sum; 4]);
        b.store(x, gi);
        None
    });
    assert_eq!(names(&lines), ["la", "ldr", "add", "str", "bl", "la", "str"]);
}

/// Rows that cost nothing to do again say so.
#[test]
fn constants_and_addresses_are_rematerialised() {
    for op in
        [rows::LI, rows::LA, rows::LEA_SLOT, rows::VMOV_I, rows::LDR_ARG, rows::VLDR_ARG, rows::VLDR_D_ARG]
    {
        assert_ne!(registers::MACHINE.row(op).flags & REMAT, 0);
    }
}

/// Frames of any size: offsets that no load or store holds are computed.
#[test]
fn far_slots_and_large_frames_are_reached() {
    for bytes in [0u32, 16, 1000, 4096, 70_000, 9_000_016] {
        let mut func = Func::default();
        let far = func.new_slot(SlotKind::Local, bytes + 4, 8);
        let near = func.new_slot(SlotKind::Local, 4, 4);
        let [r4, ip, lr] = [4, 12, 14].map(|n| Operand::phys(PReg::int(n)));
        let s20 = Operand::phys(PReg::float(20));
        func.saved.insert(PReg::int(4));
        func.saved.insert(PReg::float(20));
        let mut push = |op, defs: &[Operand], uses: &[Operand], imm, slot: crate::mir::Slot| {
            let row = func.make_row(op, defs, uses, imm, slot.index() as u32);
            func.insts.push(row);
        };
        push(rows::ENTRY_ROW, &[], &[], 0, near);
        push(rows::MOV, &[lr], &[r4], 0, near);
        for slot in [near, far] {
            push(rows::STR_SLOT, &[], &[ip, Operand::FRAME], bytes as i32 & !3, slot);
            push(rows::LDR_SLOT, &[r4], &[Operand::FRAME], 0, slot);
            push(rows::STR_SLOT, &[], &[r4, Operand::FRAME], bytes as i32 & !3, slot);
            push(rows::VLDR_SLOT, &[s20], &[Operand::FRAME], bytes as i32 & !3, slot);
            push(rows::VSTR_SLOT, &[], &[s20, Operand::FRAME], 0, slot);
            push(rows::LDRB_SLOT, &[r4], &[Operand::FRAME], bytes as i32, slot);
            push(rows::LEA_SLOT, &[r4], &[Operand::FRAME], bytes as i32, slot);
        }
        push(rows::BX_LR, &[], &[], 0, near);
        let end = func.insts.next_handle();
        func.blocks.push(BlockRow {
            first: Inst::new(0),
            end,
            succs: Default::default(),
            first_pred: 0,
            pred_count: 0,
            loop_depth: 0,
            frequency: 1,
        });
        lay_out_and_finalise(&mut func, TARGET.frames);
        assert_eq!(func.frame_bytes % 8, 0);
        for (_, row) in func.insts.iter() {
            let desc = registers::MACHINE.row(row.op);
            assert!(!desc.text.is_empty() || row.op == rows::ENTRY_ROW, "{} is left", desc.name);
            assert!(desc.sym != SymKind::Slot);
        }
        // Where the offset of what ip holds is computed in lr, that is kept: once a slot.
        let count = |op| func.insts.as_slice().iter().filter(|row| row.op == op).count();
        let kept = if bytes < 4096 { 0 } else { 2 };
        assert_eq!([rows::VMOV_TO, rows::VMOV_FROM].map(count), [kept; 2]);
        assert_eq!(count(rows::VPUSH_D15), usize::from(bytes >= 1000));
        let env = env_for_rows();
        let mut out = (TARGET.header)(default_of(&TARGET));
        text::print(&mut out, &func, &TARGET, &symbols(&env, &TARGET, true), Binding::Global);
        if let Some(said) = assemble(&out, &format!("frame{bytes}")) {
            assert!(said.is_ok(), "{said:?} {out}");
        }
    }
}

#[test]
fn i64_is_two_words_that_carry_in_the_flags() {
    let both = |op: Op| move |b: &mut Builder, p: &[Value]| Some(b.insert(op, Type::I64, &[p[0], p[1]], 0));
    let params = [Type::I64; 2];
    assert_eq!(names(&selected(&params, both(Op::Add))), ["adds", "adc"]);
    assert_eq!(names(&selected(&params, both(Op::Sub))), ["subs", "sbc"]);
    assert_eq!(names(&selected(&params, both(Op::Xor))), ["eor", "eor"]);
    assert_eq!(names(&selected(&params, both(Op::Mul))), ["umull", "mla", "mla"]);
    let lines = selected(&params, both(Op::SRem));
    assert_eq!(lines, ["bl __aeabi_ldivmod"]);
    let less =
        |b: &mut Builder, p: &[Value]| Some(b.insert(Op::ICmp, Type::I1, &[p[0], p[1]], IntPred::Sgt as u32));
    assert_eq!(names(&selected(&params, less)), ["cmp", "sbcs", "li", "movlt"]);
    // High words that are known, or signs, fold.
    let lines = selected(&[Type::I32; 2], |b, p| {
        let wide = [p[0], p[1]].map(|v| b.convert(Op::SExt, v, Type::I64));
        Some(b.insert(Op::Mul, Type::I64, &wide, 0))
    });
    assert_eq!(names(&lines), ["smull"]);
    let lines = selected(&[Type::I32], |b, p| {
        let wide = b.convert(Op::ZExt, p[0], Type::I64);
        let by = b.f.int_of(Type::I64, 36);
        Some(b.insert(Op::Shl, Type::I64, &[wide, by], 0))
    });
    assert_eq!(names(&lines), ["lsl", "li"]);
    // The low word of a call is no pair itself.
    let lines = selected(&[], |b, _| {
        let wide = b.call(ir::FuncId::new(2), &[]);
        let low = b.convert(Op::Trunc, wide, Type::I32);
        let one = b.int(1);
        Some(b.insert(Op::Xor, Type::I32, &[low, one], 0))
    });
    assert_eq!(names(&lines), ["bl", "eor"]);
}
