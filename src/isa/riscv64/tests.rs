//! What is selected for each family, and that the assembler makes of every row what `encode` makes of it.

use super::registers::{MACHINE, T0, T1, T2};
use super::rows::*;
use super::{TARGET, encode};
use crate::base::Handle;
use crate::ir::build::Builder;
use crate::ir::{self, Body, Env, Flags, FloatPred, IntPred, Linkage, Op, Shape, Type, Value};
use crate::isa::features::default_of;
use crate::isa::frame::lay_out_and_finalise;
use crate::isa::prepare::{Prepared, prepare};
use crate::isa::select::{self, select};
use crate::isa::symbols::{Symbols, symbols};
use crate::isa::text;
use crate::mir::func::BlockRow;
use crate::mir::{Block, Features, Func, Inst, Operand, PReg, SlotKind, SymKind};
use crate::object::module::Binding;
use std::process::Command;

const INT: Type = Type::I32;

fn env(params: &[Type], result: Type) -> Env {
    let mut env = Env::default();
    let many = env.shapes.of(INT, &[1000, 3]);
    for (name, shape) in [("g", Shape::scalar(INT)), ("a", many)] {
        let name = env.names.intern(name);
        let image = ir::Image::default();
        env.globals.push(ir::Global::new(name, shape, false, Linkage::Internal, image));
    }
    let mut func = |name: &str, params: &[Type], result, variadic, linkage| {
        let (name, params) = (env.names.intern(name), params.to_vec());
        env.funcs.push(ir::Func { variadic, ..ir::Func::new(name, result, params, linkage) });
    };
    func("f", params, result, false, Linkage::External);
    func("putf", &[Type::Ptr], Type::Void, true, Linkage::Declared);
    func("getint", &[], INT, false, Linkage::Declared);
    env
}

/// The machine code selected for a function that returns what `make` builds from its parameters: a line a
/// row, registers numbered as they first appear, ENTRY and plain returns left out.
pub(super) fn selected(
    params: &[Type],
    result: Type,
    hoist: bool,
    make: impl Fn(&mut Builder, &[Value]) -> Option<Value>,
) -> Vec<String> {
    selected_for(default_of(&TARGET), params, result, hoist, make)
}

/// The same for a machine that has these.
pub(super) fn selected_for(
    features: Features,
    params: &[Type],
    result: Type,
    hoist: bool,
    make: impl Fn(&mut Builder, &[Value]) -> Option<Value>,
) -> Vec<String> {
    let env = env(params, result);
    let mut body = Body::new(ir::FuncId::new(0), &env.funcs[ir::FuncId::new(0)]);
    let entry = body.create_block();
    let values: Vec<Value> = body.params().map(Value::inst).collect();
    let mut builder = Builder::new(&env, &mut body, entry);
    let value = make(&mut builder, &values);
    builder.ret(value);
    let mut prepared = Prepared { hoist, ..Prepared::default() };
    prepare(&mut body, &mut prepared);
    let func =
        select(&env, &mut body, (&prepared, &mut select::WorkerMemory::default()), TARGET.rules, features)
            .unwrap();
    crate::mir::verify::verify_selected(&func, &MACHINE).unwrap();
    let symbols = symbols(&env, &TARGET, true);
    let mut numbers: Vec<String> = Vec::new();
    let plain = |op| matches!(op, RET | crate::mir::desc::ENTRY);
    let kept = func.insts.iter().filter(|(_, row)| !plain(row.op));
    kept.map(|(i, _)| renumber(&line(&func, i, &symbols), &mut numbers)).collect()
}

fn line(func: &Func, i: Inst, symbols: &Symbols) -> String {
    let desc = MACHINE.row(func.insts[i].op);
    let mut line = String::new();
    text::instruction(&mut line, func, i, &MACHINE, symbols);
    if desc.text.is_empty() {
        let operands: Vec<String> = func.operands(i).iter().map(|operand| format!("<{operand:?}>")).collect();
        line = format!("{} {} {}", desc.name, operands.join(", "), func.insts[i].imm);
    }
    line
}

/// `<v7>` becomes the letter of its first appearance.
fn renumber(line: &str, numbers: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('<') {
        let (name, after) = after.split_once('>').unwrap();
        let name = name.split('@').next().unwrap();
        out.push_str(before);
        if name == "frame" {
            out.push_str("frame");
        } else {
            let k = numbers.iter().position(|known| known == name).unwrap_or_else(|| {
                numbers.push(name.to_string());
                numbers.len() - 1
            });
            out.push(char::from(b'A' + k as u8));
        }
        rest = after;
    }
    out + rest
}

/// `op x, constant` for an i32.
fn by(op: Op, x: i32) -> Vec<String> {
    selected(&[INT], INT, false, |b, p| {
        let x = b.int(x);
        Some(b.insert(op, INT, &[p[0], x], 0))
    })
}

#[test]
fn sums_take_immediates_as_far_as_they_go() {
    assert_eq!(by(Op::Add, 5), ["addiw A, B, 5"]);
    assert_eq!(by(Op::Sub, 2048), ["addiw A, B, -2048"]);
    assert_eq!(by(Op::Add, 2048), ["addiw A, B, 2047", "addiw C, A, 1"]);
    assert_eq!(by(Op::Add, 5000), ["li A 5000", "addw B, C, A"]);
    assert_eq!(by(Op::And, -2048), ["andi A, B, -2048"]);
    assert_eq!(by(Op::Shl, 3), ["slliw A, B, 3"]);
    let wide = selected(&[Type::I64], Type::I64, false, |b, p| {
        let x = b.int_of(Type::I64, 7);
        Some(b.insert(Op::AShr, Type::I64, &[p[0], x], 0))
    });
    assert_eq!(wide, ["srai A, B, 7"]);
}

#[test]
fn products_and_quotients_are_instructions_of_their_own() {
    assert_eq!(by(Op::Mul, 8), ["slliw A, B, 3"]);
    assert_eq!(by(Op::Mul, 11), ["li A 11", "mulw B, C, A"]);
    assert_eq!(by(Op::SDiv, 7), ["li A 7", "divw B, C, A"]);
    assert_eq!(by(Op::URem, 7), ["li A 7", "remuw B, C, A"]);
    let high = |op| {
        let lines = selected(&[INT; 2], INT, false, move |b, p| Some(b.insert(op, INT, &[p[0], p[1]], 0)));
        lines.join("; ")
    };
    // Registers hold words with their sign, so the product of two is whole.
    assert!(high(Op::SMulHi).ends_with("mul A, B, C; srai D, A, 32"), "{}", high(Op::SMulHi));
}

#[test]
fn a_product_is_a_part_of_a_sum_of_floats_where_both_allow_it() {
    for (op, is_right, flags, lines) in [
        (Op::FAdd, false, [Flags::CONTRACT; 2], &["fmadd.s A, B, C, D"][..]),
        (Op::FAdd, true, [Flags::FAST; 2], &["fmadd.s A, B, C, D"]),
        (Op::FSub, true, [Flags::CONTRACT; 2], &["fnmsub.s A, B, C, D"]),
        (Op::FSub, false, [Flags::CONTRACT; 2], &["fmsub.s A, B, C, D"]),
        (Op::FAdd, false, [Flags::CONTRACT, Flags::NONE], &["fmul.s A, B, C", "fadd.s D, A, E"]),
        (Op::FAdd, false, [Flags::NONE, Flags::FAST], &["fmul.s A, B, C", "fadd.s D, A, E"]),
    ] {
        let have = selected(&[Type::F32; 3], Type::F32, false, |b, p| {
            let product = b.binary(Op::FMul, p[0], p[1]);
            let [left, right] = if is_right { [p[2], product] } else { [product, p[2]] };
            let sum = b.binary(op, left, right);
            for (v, flags) in [product, sum].into_iter().zip(flags) {
                b.f.set_flags(v.as_inst().unwrap(), flags);
            }
            Some(sum)
        });
        assert_eq!(have, lines);
    }
}

#[test]
fn comparisons_set_registers_without_branches() {
    let compare = |pred, x| {
        selected(&[INT], Type::I1, false, move |b, p| {
            let x = b.int(x);
            Some(b.insert(Op::ICmp, Type::I1, &[p[0], x], pred as u32))
        })
    };
    assert_eq!(compare(IntPred::Eq, 0), ["sltiu A, B, 1"]);
    assert_eq!(compare(IntPred::Ne, 9), ["addi A, B, -9", "sltu C, zero, A"]);
    assert_eq!(compare(IntPred::Sle, 2046), ["slti A, B, 2047"]);
    assert_eq!(compare(IntPred::Sgt, -2049), ["slti A, B, -2048", "xori C, A, 1"]);
    // There is no next one: x > MAX and, unsigned, x > -1 are false.
    assert_eq!(compare(IntPred::Ugt, -1), ["li A -1", "sltu B, A, C"]);
}

#[test]
fn float_comparisons_are_right_for_nan() {
    let compare = |pred| {
        selected(&[Type::F32; 2], Type::I1, false, move |b, p| {
            Some(b.insert(Op::FCmp, Type::I1, &[p[0], p[1]], pred as u32))
        })
    };
    assert_eq!(compare(FloatPred::Olt), ["flt.s A, B, C"]);
    assert_eq!(compare(FloatPred::Oge), ["fle.s A, B, C"]);
    // Not (a < b), and not b <= a.
    assert_eq!(compare(FloatPred::Uge), ["flt.s A, B, C", "xori D, A, 1"]);
    assert_eq!(compare(FloatPred::Une), ["feq.s A, B, C", "xori D, A, 1"]);
    assert_eq!(compare(FloatPred::One), ["flt.s A, B, C", "flt.s D, C, B", "or E, A, D"]);
    assert_eq!(compare(FloatPred::Uno), ["feq.s A, B, B", "feq.s C, D, D", "and E, A, C", "xori F, E, 1"]);
}

#[test]
fn branches_take_comparisons_in() {
    let branch = |make: &dyn Fn(&mut Builder, &[Value]) -> Value| {
        let lines = selected(&[INT, INT, Type::F32], Type::Void, false, |b, p| {
            let (yes, no) = (b.create_block(), b.create_block());
            let condition = make(b, p);
            b.cond_br(condition, yes, no);
            b.block = yes;
            b.ret(None);
            b.block = no;
            None
        });
        lines.join("; ")
    };
    let int = |pred: IntPred, x: i32| {
        branch(&move |b: &mut Builder, p: &[Value]| {
            let x = b.int(x);
            b.insert(Op::ICmp, Type::I1, &[p[0], x], pred as u32)
        })
    };
    assert_eq!(int(IntPred::Slt, 1), "bge zero, A, .Lf0_1");
    assert_eq!(int(IntPred::Sgt, -1), "bge A, zero, .Lf0_1");
    assert_eq!(int(IntPred::Ugt, 3), "li A 3; bltu A, B, .Lf0_1");
    let not = branch(&|b, p| {
        let c = b.insert(Op::ICmp, Type::I1, &[p[0], p[1]], IntPred::Eq as u32);
        b.insert(Op::Xor, Type::I1, &[c, Value::bool(true)], 0)
    });
    assert_eq!(not, "bne A, B, .Lf0_1");
    let float = branch(&|b, p| b.insert(Op::FCmp, Type::I1, &[p[2], p[2]], FloatPred::Ult as u32));
    assert_eq!(float, "fle.s A, B, B; beq A, zero, .Lf0_1");
}

#[test]
fn select_is_arithmetic() {
    let choose = |x: Option<i32>, y: Option<i32>| {
        selected(&[Type::I1, INT, INT], INT, false, move |b, p| {
            let x = x.map_or(p[1], |x| b.int(x));
            let y = y.map_or(p[2], |y| b.int(y));
            Some(b.insert(Op::Select, INT, &[p[0], x, y], 0))
        })
    };
    assert_eq!(choose(None, None), ["sub A, zero, B", "xor C, D, E", "and F, C, A", "xor G, E, F"]);
    assert_eq!(choose(None, Some(0)), ["sub A, zero, B", "and C, D, A"]);
    assert_eq!(choose(Some(0), None), ["addi A, B, -1", "and C, D, A"]);
    assert_eq!(choose(Some(9), Some(5)), ["slli A, B, 2", "addi C, A, 5"]);
}

#[test]
fn accesses_take_offsets_slots_and_symbols_in() {
    let global = |row: i32, column: Option<i32>| {
        selected(&[INT], INT, false, move |b, p| {
            let shape = b.env.shapes.element(b.env.globals[ir::GlobalId::new(1)].shape);
            let (row, column) = (b.int(row), column.map_or(p[0], |x| b.int(x)));
            let args = [Value::global(ir::GlobalId::new(1)), row, column];
            let at = b.insert(Op::ElemAddr, Type::Ptr, &args, shape.index() as u32);
            Some(b.load(INT, at))
        })
    };
    assert_eq!(global(2, Some(1)), ["lw A, a+28"]);
    assert_eq!(global(2, None), ["lla A, a+24", "slli B, C, 2", "add D, A, B", "lw E, 0(D)"]);
    assert_eq!(global(900, None)[0], "lla A, a+10800");
    let pointer = |x: i32| {
        selected(&[Type::Ptr], INT, false, move |b, p| {
            let x = b.int(x);
            let at = b.insert(Op::ElemAddr, Type::Ptr, &[p[0], x], Shape::scalar(INT).index() as u32);
            Some(b.load(INT, at))
        })
    };
    assert_eq!(pointer(-512), ["lw A, -2048(B)"]);
    assert_eq!(pointer(512), ["li A 4096", "add B, C, A", "lw D, -2048(B)"]);
}

#[test]
fn memory_is_initialised_by_wide_stores_or_the_library() {
    let zero = |count: u32| {
        let env = env(&[], Type::Void);
        let shape = env.shapes.of(INT, &[count]);
        let mut body = Body::new(ir::FuncId::new(0), &env.funcs[ir::FuncId::new(0)]);
        let entry = body.create_block();
        let mut builder = Builder::new(&env, &mut body, entry);
        let array = builder.alloca(shape);
        builder.fill_zero(array, 4 * count);
        builder.ret(None);
        let mut prepared = Prepared::default();
        prepare(&mut body, &mut prepared);
        let func = select(
            &env,
            &mut body,
            (&prepared, &mut select::WorkerMemory::default()),
            TARGET.rules,
            default_of(&TARGET),
        )
        .unwrap();
        let symbols = symbols(&env, &TARGET, true);
        func.insts.keys().map(|i| renumber(&line(&func, i, &symbols), &mut vec![])).collect::<Vec<_>>()
    };
    assert_eq!(zero(3)[1..3], ["sd.slot A, frame 0", "sw.slot A, frame 8"]);
    assert!(zero(100).contains(&"call memset".to_string()));
}

#[test]
fn conversions_follow_from_how_values_are_kept() {
    let convert = |op, from, to| selected(&[from], to, false, move |b, p| Some(b.insert(op, to, &[p[0]], 0)));
    assert_eq!(convert(Op::ZExt, INT, Type::I64), ["slli A, B, 32", "srli C, A, 32"]);
    assert_eq!(convert(Op::SExt, INT, Type::I64), ["mv A, B"]);
    assert_eq!(convert(Op::SExt, Type::I1, INT), ["subw A, zero, B"]);
    assert_eq!(convert(Op::Trunc, Type::I64, INT), ["addiw A, B, 0"]);
    // The upper half of a product with a reciprocal is a word, but not of any 64 bits, nor with any number.
    let high = |ty: Type, extend: Op, op: Op, by: i64| {
        selected(&[ty], INT, false, move |b, p| {
            let x = if ty == Type::I64 { p[0] } else { b.convert(extend, p[0], Type::I64) };
            let by = b.f.int_of(Type::I64, by);
            let high = b.insert(op, Type::I64, &[x, by], 0);
            Some(b.convert(Op::Trunc, high, INT))
        })
    };
    let last = |lines: Vec<String>| lines.last().map(|line| line.split(' ').next().unwrap_or("").to_string());
    assert_eq!(last(high(INT, Op::SExt, Op::SMulHi, 1 << 62)).as_deref(), Some("mv"));
    assert_eq!(last(high(INT, Op::ZExt, Op::UMulHi, 1 << 62)).as_deref(), Some("mv"));
    assert_eq!(last(high(INT, Op::SExt, Op::UMulHi, 1 << 62)).as_deref(), Some("addiw"));
    assert_eq!(last(high(INT, Op::SExt, Op::SMulHi, -5)).as_deref(), Some("addiw"));
    assert_eq!(last(high(Type::I64, Op::SExt, Op::SMulHi, 1 << 62)).as_deref(), Some("addiw"));
    // A NaN, which is not equal to itself, gives 0.
    let masked = ["fcvt.w.s A, B, rtz", "feq.s C, B, B", "sub D, zero, C", "and E, A, D"];
    assert_eq!(convert(Op::FPToSI, Type::F32, INT), masked);
    assert_eq!(convert(Op::SIToFP, INT, Type::F32), ["fcvt.s.w A, B"]);
}

#[test]
fn loads_extend_what_nothing_else_uses() {
    let extended = |from: Type, to: Type, twice: bool| {
        selected(&[Type::Ptr, Type::Ptr], to, false, |b, p| {
            let v = b.insert(Op::Load, from, &[p[0]], 0);
            if twice {
                b.insert(Op::Store, Type::Void, &[v, p[1]], 0);
            }
            Some(b.insert(Op::ZExt, to, &[v], 0))
        })
    };
    for (from, row) in [(Type::I8, "lbu"), (Type::I16, "lhu"), (Type::I32, "lwu")] {
        let code = extended(from, Type::I64, false);
        assert!(code.len() == 1 && code[0].starts_with(row), "{code:?}");
    }
    // What is stored keeps its register.
    let names = |code: Vec<String>| {
        code.iter().map(|line| line.split(' ').next().unwrap().to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(extended(Type::I8, Type::I32, true)), "lb sb andi");
}

#[test]
fn variadic_arguments_of_floats_travel_as_bits() {
    let lines = selected(&[Type::Ptr, Type::F32], Type::Void, false, |b, p| {
        let wide = b.convert(Op::FPExt, p[1], Type::F64);
        b.call(ir::FuncId::new(1), &[p[0], wide]);
        None
    });
    assert_eq!(lines, ["fcvt.d.s A, B", "fmv.x.d C, A", "call putf"]);
}

/// Builds a loop that does what `step` builds, as often as the parameter says.
fn in_loop(b: &mut Builder, p: &[Value], step: impl Fn(&mut Builder, Value)) {
    let (header, work, end) = (b.create_block(), b.create_block(), b.create_block());
    b.br(header);
    b.block = header;
    let i = b.phi(INT);
    let more = b.icmp(IntPred::Slt, Value::inst(i), p[0]);
    b.cond_br(more, work, end);
    b.block = work;
    step(b, Value::inst(i));
    let one = b.int(1);
    let next = b.add(Value::inst(i), one);
    b.br(header);
    b.f.set_arg(i, 0, one);
    b.f.set_arg(i, 1, next);
    b.block = end;
}

#[test]
fn constants_of_a_loop_are_made_in_front_of_it_unless_it_calls() {
    let lines = |hoist, calls: bool| {
        selected(&[INT], Type::Void, hoist, move |b, p| {
            in_loop(b, p, |b, i| {
                let k = b.int(100_000);
                let product = b.insert(Op::Mul, INT, &[i, k], 0);
                b.store(product, Value::global(ir::GlobalId::new(0)));
                if calls {
                    b.call(ir::FuncId::new(2), &[]);
                }
            });
            None
        })
    };
    let before = |lines: &[String], what: &str| {
        let jump = lines.iter().position(|line| line.starts_with("j ")).unwrap();
        lines[..jump].iter().any(|line| line.starts_with(what))
    };
    let hoisted = lines(true, false);
    assert!(before(&hoisted, "li ") && before(&hoisted, "lla "), "{hoisted:?}");
    let plain = lines(false, false);
    assert!(
        !before(&plain, "lla ") && plain.iter().any(|line| line.starts_with("sw") && line.ends_with("g, t5"))
    );
    assert!(!before(&lines(true, true), "lla "));
}

/// A function of one block that holds every row with text, its operands all different; register 30 stands in
/// where that is what the text names.
fn every_row() -> Func {
    let mut func = Func::default();
    for (number, desc) in ROWS.iter().enumerate() {
        if desc.text.is_empty() || desc.sym == SymKind::Unwind {
            continue;
        }
        let shape = desc.operands.replace('*', "");
        let (defs, uses) = shape.split_once('=').unwrap();
        let (mut ints, mut floats) = (5, 10);
        let mut operand = |class: char| match class {
            'i' => {
                ints += 1;
                Operand::phys(PReg::int(ints))
            }
            _ => {
                floats += 1;
                Operand::phys(PReg::float(floats))
            }
        };
        let defs: Vec<Operand> = defs.chars().map(&mut operand).collect();
        let uses: Vec<Operand> = uses.chars().map(&mut operand).collect();
        let imm = if desc.sym == SymKind::None && desc.text.contains("%i") { 13 } else { 0 };
        let row = func.make_row(crate::mir::MachineOp(number as u16), &defs, &uses, imm, 0);
        func.insts.push(row);
    }
    one_block(func)
}

fn one_block(mut func: Func) -> Func {
    let (first, end) = (Inst::new(0), func.insts.next_handle());
    let (succs, loop_depth, frequency) = (Default::default(), 0, 1024);
    func.blocks.push(BlockRow { first, end, succs, first_pred: 0, pred_count: 0, loop_depth, frequency });
    func
}

/// Assembles text without relaxation or compression: the words of its code. None if there is no assembler and
/// that is allowed.
fn assemble(source_text: &str, name: &str) -> Option<Vec<u32>> {
    let file = |end: &str| std::env::temp_dir().join(format!("sysyc-rv-{name}-{}.{end}", std::process::id()));
    let (source, object, binary) = (file("s"), file("o"), file("bin"));
    std::fs::write(&source, source_text).unwrap();
    let run = |tool: &str, args: &[&std::ffi::OsStr]| match Command::new(tool).args(args).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            true
        }
        Err(_) if std::env::var("SYSYC_ALLOW_MISSING").as_deref() == Ok("1") => false,
        Err(error) => panic!("{tool}: {error} (SYSYC_ALLOW_MISSING=1 goes on without it)"),
    };
    let os = std::ffi::OsStr::new;
    let done = run(
        "riscv64-linux-gnu-as",
        &[os("-march=rv64gc_zba_zbb"), os("-mno-relax"), os("-o"), object.as_os_str(), source.as_os_str()],
    ) && run(
        "riscv64-linux-gnu-objcopy",
        &[os("-Obinary"), os("-j.text"), object.as_os_str(), binary.as_os_str()],
    );
    let code = std::fs::read(&binary).unwrap_or_default();
    for file in [source, object, binary] {
        let _ = std::fs::remove_file(file);
    }
    let words = code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    done.then(|| words.collect())
}

#[test]
fn the_assembler_makes_the_same_words_of_every_row() {
    let (func, mut env) = (every_row(), env(&[], Type::Void));
    for global in env.globals.as_mut_slice() {
        global.linkage = Linkage::Declared;
    }
    let symbols = symbols(&env, &TARGET, true);
    let mut out = String::from("\t.option norvc\n\t.text\n");
    text::print(&mut out, &func, &TARGET, &symbols, Binding::Global);
    // What is called stands elsewhere, so that a relocation says where.
    let out = out.replace("call f", "call elsewhere");
    let Some(code) = assemble(&out, "rows") else { return };
    let mut at = 0;
    for (i, row) in func.insts.iter() {
        let desc = MACHINE.row(row.op);
        let imm = match desc.sym {
            SymKind::Block if desc.size_in_words() == 1 => -4 * at as i32,
            _ => row.imm,
        };
        for word in words_of(desc, func.operands(i), imm) {
            assert_eq!(word, code[at], "{word:08x} {:08x} {}", code[at], line(&func, i, &symbols));
            at += 1;
        }
        assert_eq!(usize::from(desc.bytes), 4 * desc.size_in_words(), "{}", desc.name);
    }
    assert_eq!(at, code.len());
    assert!(func.insts.len() > 100);
}

impl crate::mir::OpRow {
    /// Words of a row that is no pseudo.
    fn size_in_words(&self) -> usize {
        words_of(self, &[], 0).len()
    }
}

fn words_of(row: &crate::mir::OpRow, operands: &[Operand], imm: i32) -> Vec<u32> {
    let [long, _] = encode::encode(row, operands, imm.into());
    long.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn immediates_are_encoded_as_the_assembler_does() {
    let cases = [
        (ADDI, vec![T0, T1], -2048),
        (ADDI, vec![T0, T1], 2047),
        (SRAIW, vec![T0, T1], 31),
        (SRAI, vec![T0, T1], 63),
        (SLLI, vec![T0, T1], 33),
        (LUI, vec![T2], 0xf_ffff),
        (LD, vec![T0, T1], -8),
        (SD, vec![T0, T1], -2048),
        (FSW, vec![super::registers::FA3, T1], 2044),
    ];
    let mut func = Func::default();
    for (op, regs, imm) in cases {
        let regs: Vec<Operand> = regs.into_iter().map(Operand::phys).collect();
        let defs = MACHINE.row(op).operands.find('=').unwrap();
        let row = func.make_row(op, &regs[..defs], &regs[defs..], imm, 0);
        func.insts.push(row);
    }
    let env = env(&[], Type::Void);
    let func = one_block(func);
    let mut out = String::from("\t.option norvc\n\t.text\n");
    text::print(&mut out, &func, &TARGET, &symbols(&env, &TARGET, true), Binding::Global);
    let Some(code) = assemble(&out, "immediates") else { return };
    let mine: Vec<u32> = func
        .insts
        .iter()
        .map(|(i, row)| words_of(MACHINE.row(row.op), func.operands(i), row.imm)[0])
        .collect();
    assert_eq!(mine, code);
    // Branches as far as they go, both ways; the assembler's bits were compared at one distance above.
    for (op, low, high) in [(BEQ, -4096, 4094), (J, -1_048_576, 1_048_574)] {
        let word = |imm| words_of(MACHINE.row(op), &[], imm)[0];
        assert_ne!(word(low), word(high));
        assert_eq!((word(low) >> 31, word(high) >> 31), (1, 0));
    }
}

/// The final text of a function with a slot of so many bytes, so many stores to its last word, a call, and
/// two saved registers.
fn framed(bytes: u32, stores: usize) -> Vec<String> {
    let mut func = Func { has_calls: true, ..Func::default() };
    for reg in [super::registers::S0, super::registers::FS0] {
        func.saved.insert(reg);
    }
    let slot = func.new_slot(SlotKind::Local, bytes, 8);
    let mut rows = vec![func.make_row(crate::mir::desc::ENTRY, &[], &[], 0, 0)];
    for _ in 0..stores {
        let uses = [Operand::phys(T0), Operand::FRAME];
        rows.push(func.make_row(SD_SLOT, &[], &uses, bytes as i32 - 8, slot.index() as u32));
    }
    rows.push(func.make_row(RET, &[], &[], 0, 0));
    func.loc = vec![u32::MAX; rows.len()].into();
    func.insts = rows.into();
    let mut func = one_block(func);
    lay_out_and_finalise(&mut func, TARGET.frames);
    let symbols = symbols(&env(&[], Type::Void), &TARGET, true);
    func.rows(Block::new(0)).map(|i| line(&func, i, &symbols)).collect()
}

#[test]
fn far_slots_that_are_used_enough_have_a_base() {
    let few = framed(8000, 7);
    assert_eq!(few.iter().filter(|line| *line == "sd t0, -200(t5)").count(), 7, "{few:#?}");
    let many = framed(8000, 8);
    assert!(many[1..5].contains(&"sd s1, 8(sp)".to_string()), "{many:#?}");
    let stores = many.iter().position(|line| line == "lui s1, 2").unwrap();
    assert_eq!(many[stores + 1], "add s1, s1, sp");
    assert_eq!(many[stores + 2..stores + 10], ["sd t0, -200(s1)"; 8]);
    assert!(many.contains(&"ld s1, 8(sp)".to_string()));
}

#[test]
fn small_frames_move_the_stack_pointer_once_and_large_ones_twice() {
    assert_eq!(
        framed(16, 1),
        [
            "addi sp, sp, -48",
            "sd ra, 40(sp)",
            "sd s0, 32(sp)",
            "fsd fs0, 24(sp)",
            "sd t0, 8(sp)",
            "ld ra, 40(sp)",
            "ld s0, 32(sp)",
            "fld fs0, 24(sp)",
            "addi sp, sp, 48",
            "ret"
        ]
    );
    let large = framed(40_000, 1);
    let moves: Vec<&String> = large.iter().filter(|line| line.contains(" sp, sp, ")).collect();
    assert_eq!(moves, ["addi sp, sp, -32", "add sp, sp, t5", "add sp, sp, t5", "addi sp, sp, 32"]);
    assert_eq!(large[1..4], ["sd ra, 24(sp)", "sd s0, 16(sp)", "fsd fs0, 8(sp)"]);
    // 39,992 = 0xa000 - 968.
    assert!(
        large.windows(3).any(|w| w[..] == ["lui t5, 10", "add t5, sp, t5", "sd t0, -968(t5)"]),
        "{large:?}"
    );
}
