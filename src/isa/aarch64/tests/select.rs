//! What is selected for small functions, a case a line: registers are named a, b, c, ... in the order in
//! which they appear, `entry` and `return` are left out.

use crate::base::Handle;
use crate::ir::{
    At, Block, Body, Env, Flags, FloatPred, Func, FuncId, Global, Image, IntPred, Linkage, Op, Place, Shape,
    Type, Value,
};
use crate::isa::aarch64::rows::control::RETURN_VALUE;
use crate::isa::aarch64::{TARGET, registers::MACHINE};
use crate::isa::features::default_of;
use crate::isa::prepare::{Prepared, prepare};
use crate::isa::{select, symbols, text};
use crate::mir::desc::{ENTRY, PHI};
use crate::mir::{self, Operand};
use Type::{F32, F64, I1, I32, I64, Ptr};

/// A function under construction, with what it may name.
pub(super) struct Case {
    pub(super) env: Env,
    pub(super) f: Body,
    pub(super) b: Block,
}

impl Case {
    /// A function `f` of these parameters. The module has `int g`, `int h[100]` and `int callee(int x 9,
    /// float)`.
    pub(super) fn new(params: &[Type], result: Type) -> Case {
        let mut env = Env::default();
        let func = |env: &mut Env, name: &str, params: Vec<Type>, result, linkage| {
            let name = env.names.intern(name);
            env.funcs.push(Func::new(name, result, params, linkage))
        };
        let id = func(&mut env, "f", params.to_vec(), result, Linkage::External);
        let nine = [vec![I32; 9], vec![F32]].concat();
        func(&mut env, "callee", nine, I32, Linkage::Declared);
        for (name, lengths) in [("g", &[][..]), ("h", &[100])] {
            let (name, shape) = (env.names.intern(name), env.shapes.of(I32, lengths));
            let linkage = Linkage::Internal;
            env.globals.push(Global::new(name, shape, false, linkage, Image::default()));
        }
        let mut f = Body::new(id, &env.funcs[id]);
        let b = f.create_block();
        Case { env, f, b }
    }

    pub(super) fn param(&self, k: usize) -> Value {
        Value::inst(crate::ir::Inst::new(k))
    }

    pub(super) fn with(&mut self, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        Value::inst(self.f.insert(At::End(self.b), op, ty, args, payload, Place::NONE))
    }

    pub(super) fn op(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        self.with(op, ty, args, 0)
    }

    pub(super) fn int(&mut self, x: i32) -> Value {
        self.f.int(x)
    }

    /// The machine code of the function.
    pub(super) fn select(&mut self) -> mir::Func {
        let mut prepared = Prepared { hoist: true, ..Prepared::default() };
        prepare(&mut self.f, &mut prepared);
        select::select(
            &self.env,
            &mut self.f,
            (&prepared, &mut select::WorkerMemory::default()),
            TARGET.rules,
            default_of(&TARGET),
        )
        .unwrap()
    }

    /// Its rows, "; " between them.
    pub(super) fn code(&mut self) -> String {
        let func = self.select();
        let mut names: Vec<Operand> = Vec::new();
        let mut rows = Vec::new();
        for (i, row) in func.insts.iter() {
            let operands = func.operands(i);
            for &operand in operands {
                if let Some(v) = operand.as_virt().map(Operand::virt)
                    && !names.contains(&v)
                {
                    names.push(v);
                }
            }
            if matches!(row.op, PHI | ENTRY | RETURN_VALUE) {
                continue;
            }
            let mut line = String::new();
            let desc = MACHINE.row(row.op);
            if desc.text.is_empty() {
                let list: Vec<String> = operands.iter().map(|operand| format!("<{operand:?}>")).collect();
                line = format!("{} {} #{}", desc.name, list.join(", "), row.imm);
            } else {
                let symbols = symbols::symbols(&self.env, &TARGET, true);
                text::instruction(&mut line, &func, i, &MACHINE, &symbols);
                if row.op == crate::isa::aarch64::rows::control::BL {
                    let list: Vec<String> = operands.iter().map(|operand| format!("<{operand:?}>")).collect();
                    line = format!("{line} {}", list.join(", "));
                }
            }
            for (k, v) in names.iter().enumerate() {
                let name = char::from(b'a' + k as u8);
                line = line.replace(&format!("<{v:?}>"), &name.to_string());
                line = line.replace(&format!("<{v:?}@"), &format!("<{name}@"));
            }
            rows.push(line);
        }
        rows.join("; ")
    }
}

/// The code of a function of one block that returns what `build` makes of its parameters.
pub(super) fn returning(params: &[Type], build: impl FnOnce(&mut Case) -> Value) -> String {
    let mut result = Type::Void;
    let mut case = Case::new(params, Type::Void);
    let v = build(&mut case);
    if case.f.type_of(v) != Type::Void {
        result = case.f.type_of(v);
    }
    case.env.funcs[FuncId::new(0)].result = result;
    let b = case.b;
    case.f.set_ret(b, (result != Type::Void).then_some(v), Place::NONE);
    case.code()
}

/// The code of an integer operation on a parameter and a constant.
fn by_constant(op: Op, ty: Type, x: i64) -> String {
    returning(&[ty], |c| {
        let x = c.f.int_of(ty, x);
        c.op(op, ty, &[c.param(0), x])
    })
}

pub(super) fn check(cases: &[(String, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(code, expected)| code != expected)
        .map(|(code, expected)| format!("expected {expected}\n     got {code}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sums() {
    let nested = |outer: Op, inner: Op, k: Option<i64>, ty: Type| {
        returning(&[ty, ty, ty], |c| {
            let y = k.map_or(c.param(2), |k| c.f.int_of(ty, k));
            let v = c.op(inner, ty, &[c.param(1), y]);
            c.op(outer, ty, &[c.param(0), v])
        })
    };
    check(&[
        (by_constant(Op::Add, I32, 4095), "add b, a, #4095"),
        (by_constant(Op::Add, I32, -5), "sub b, a, #5"),
        (by_constant(Op::Sub, I64, 4096), "sub b, a, #1, lsl #12"),
        (by_constant(Op::Add, I32, 0x12_3456), "add b, a, #291, lsl #12; add c, b, #1110"),
        (by_constant(Op::Add, I32, 0x1234), "li_w b #4660; add c, a, b"),
        (
            returning(&[I32, I32], |c| {
                let (by, more) = (c.param(1), c.f.int(12345));
                let product = c.op(Op::Mul, I32, &[c.param(0), by]);
                c.op(Op::Add, I32, &[product, more])
            }),
            "li_w c #12345; madd d, a, b, c",
        ),
        (by_constant(Op::Add, I32, 0x1234_5678), "li_w b #305419896; add c, a, b"),
        (nested(Op::Add, Op::Shl, Some(3), I32), "add c, a, b, lsl #3"),
        (nested(Op::Sub, Op::AShr, Some(7), I64), "sub c, a, b, asr #7"),
        (nested(Op::Add, Op::Mul, None, I32), "madd d, b, c, a"),
        (nested(Op::Sub, Op::Mul, None, I64), "msub d, b, c, a"),
        (
            returning(&[I32, I32, I64], |c| {
                let [x, y] = [0, 1].map(|k| c.op(Op::SExt, I64, &[c.param(k)]));
                let product = c.op(Op::Mul, I64, &[x, y]);
                c.op(Op::Add, I64, &[product, c.param(2)])
            }),
            "smaddl d, a, b, c",
        ),
        (
            returning(&[I32, I32], |c| {
                let v = c.with(Op::ICmp, I1, &[c.param(0), c.param(1)], IntPred::Slt as u32);
                let v = c.op(Op::ZExt, I32, &[v]);
                c.op(Op::Add, I32, &[c.param(1), v])
            }),
            "cmp a, b; csinc c, b, b, ge",
        ),
        (
            returning(&[I1, I1], |c| {
                let [x, y] = [0, 1].map(|k| c.op(Op::ZExt, I32, &[c.param(k)]));
                c.op(Op::Sub, I32, &[x, y])
            }),
            "mov c, a; mov d, b; sub e, c, d",
        ),
        (nested(Op::Add, Op::Mul, Some(8), I32), "add c, a, b, lsl #3"),
    ]);
}

#[test]
fn logic_and_shifts() {
    check(&[
        (by_constant(Op::And, I32, 255), "and b, a, #255"),
        (by_constant(Op::And, I32, 5), "li_w b #5; and c, a, b"),
        (by_constant(Op::Xor, I32, -1), "orn b, wzr, a"),
        (by_constant(Op::Or, I64, -8), "orr b, a, #-8"),
        (by_constant(Op::Shl, I32, 31), "lsl b, a, #31"),
        (by_constant(Op::AShr, I64, 40), "asr b, a, #40"),
        (
            returning(&[I32, I32], |c| {
                let minus_one = c.int(-1);
                let not = c.op(Op::Xor, I32, &[c.param(1), minus_one]);
                c.op(Op::And, I32, &[c.param(0), not])
            }),
            "bic c, a, b",
        ),
        (
            // A number that is not negative, else 0.
            returning(&[I32], |c| {
                let (last, minus_one) = (c.int(31), c.int(-1));
                let sign = c.op(Op::AShr, I32, &[c.param(0), last]);
                let not = c.op(Op::Xor, I32, &[sign, minus_one]);
                c.op(Op::And, I32, &[c.param(0), not])
            }),
            "bic b, a, a, asr #31",
        ),
        (returning(&[I32, I32], |c| c.op(Op::LShr, I32, &[c.param(0), c.param(1)])), "lsr c, a, b"),
    ]);
}

#[test]
fn products_and_quotients() {
    check(&[
        (by_constant(Op::Mul, I32, 16), "lsl b, a, #4"),
        (by_constant(Op::Mul, I32, 1000), "li_w b #1000; mul c, a, b"),
        (by_constant(Op::SDiv, I32, 10), "li_w b #10; sdiv c, a, b"),
        (by_constant(Op::SMulHi, I32, 10), "li_w b #10; smull c, a, b; lsr d, c, #32"),
        (
            returning(&[I32, I32], |c| {
                let (high, three) = (c.op(Op::SMulHi, I32, &[c.param(0), c.param(1)]), c.int(3));
                c.op(Op::AShr, I32, &[high, three])
            }),
            "smull c, a, b; asr d, c, #35",
        ),
        (
            returning(&[I32, I32], |c| {
                let high = c.op(Op::SMulHi, I32, &[c.param(0), c.param(1)]);
                c.op(Op::Add, I32, &[c.param(0), high])
            }),
            "smull c, a, b; add d, a, c, lsr #32",
        ),
        (
            returning(&[I32, I32], |c| c.op(Op::SRem, I32, &[c.param(0), c.param(1)])),
            "sdiv c, a, b; msub d, c, b, a",
        ),
        (
            returning(&[I32, I32], |c| {
                let [x, y] = [0, 1].map(|k| c.op(Op::SExt, I64, &[c.param(k)]));
                c.op(Op::Mul, I64, &[x, y])
            }),
            "smull c, a, b",
        ),
    ]);
}

#[test]
fn comparisons_as_values() {
    let icmp = |pred: IntPred, x: i32| {
        returning(&[I32], |c| {
            let x = c.int(x);
            c.with(Op::ICmp, I1, &[c.param(0), x], pred as u32)
        })
    };
    let fcmp = |pred: FloatPred| {
        returning(&[F32, F32], |c| c.with(Op::FCmp, I1, &[c.param(0), c.param(1)], pred as u32))
    };
    check(&[
        (icmp(IntPred::Slt, 5), "cmp a, #5; cset b, lt"),
        (icmp(IntPred::Ugt, -5), "cmn a, #5; cset b, hi"),
        (icmp(IntPred::Eq, 0x12345), "li_w b #74565; cmp a, b; cset c, eq"),
        (fcmp(FloatPred::Olt), "fcmp a, b; cset c, mi"),
        (fcmp(FloatPred::Ole), "fcmp a, b; cset c, ls"),
        (fcmp(FloatPred::Ogt), "fcmp a, b; cset c, gt"),
        (fcmp(FloatPred::Une), "fcmp a, b; cset c, ne"),
        (fcmp(FloatPred::One), "fcmp a, b; fccmp a, b, #4, vc; cset c, ne"),
        (fcmp(FloatPred::Ueq), "fcmp a, b; fccmp a, b, #4, vc; cset c, eq"),
        (
            returning(&[I32], |c| {
                let (four, zero) = (c.int(4), c.int(0));
                let v = c.op(Op::And, I32, &[c.param(0), four]);
                let v = c.with(Op::ICmp, I1, &[v, zero], IntPred::Ne as u32);
                c.op(Op::ZExt, I32, &[v])
            }),
            "tst a, #4; cset b, ne",
        ),
        (
            returning(&[I32, I32], |c| {
                let v = c.with(Op::ICmp, I1, &[c.param(0), c.param(1)], IntPred::Sgt as u32);
                c.op(Op::Select, I32, &[v, c.param(0), c.param(1)])
            }),
            "cmp a, b; csel c, a, b, gt",
        ),
        (
            returning(&[I32, I32], |c| {
                let (zero, one) = (c.int(0), c.int(1));
                let v = c.with(Op::ICmp, I1, &[c.param(0), zero], IntPred::Sgt as u32);
                let next = c.op(Op::Add, I32, &[c.param(1), one]);
                c.op(Op::Select, I32, &[v, next, c.param(1)])
            }),
            "cmp a, #0; csinc c, b, b, le",
        ),
    ]);
}

/// The code of a branch on what `build` makes.
pub(super) fn branch(params: &[Type], build: impl FnOnce(&mut Case) -> Value) -> String {
    let mut case = Case::new(params, Type::Void);
    let v = build(&mut case);
    let (b, yes, no) = (case.b, case.f.create_block(), case.f.create_block());
    case.f.set_cond_br(b, v, yes, no, Place::NONE);
    case.f.set_ret(yes, None, Place::NONE);
    case.f.set_ret(no, None, Place::NONE);
    case.code()
}

#[test]
fn branches() {
    let icmp = |pred: IntPred, x: i32| {
        branch(&[I32], |c| {
            let x = c.int(x);
            c.with(Op::ICmp, I1, &[c.param(0), x], pred as u32)
        })
    };
    let bit = |pred: IntPred, x: i32| {
        branch(&[I32], |c| {
            let (x, zero) = (c.int(x), c.int(0));
            let v = c.op(Op::And, I32, &[c.param(0), x]);
            c.with(Op::ICmp, I1, &[v, zero], pred as u32)
        })
    };
    check(&[
        (icmp(IntPred::Eq, 0), "cbz a, .Lf0_1"),
        (icmp(IntPred::Slt, 0), "tbnz a, #31, .Lf0_1"),
        (icmp(IntPred::Sgt, -1), "tbz a, #31, .Lf0_1"),
        (icmp(IntPred::Sgt, 10), "cmp a, #10; b.gt .Lf0_1"),
        (icmp(IntPred::Ne, -1), "cmn a, #1; b.ne .Lf0_1"),
        (bit(IntPred::Eq, 8), "tbz a, #3, .Lf0_1"),
        (bit(IntPred::Ne, 6), "tst a, #6; b.ne .Lf0_1"),
        (branch(&[I1], |c| c.param(0)), "cbnz a, .Lf0_1"),
        (
            branch(&[F32], |c| {
                let zero = c.f.f32(0.0);
                let v = c.with(Op::FCmp, I1, &[c.param(0), zero], FloatPred::Olt as u32);
                c.op(Op::Xor, I1, &[v, Value::bool(true)])
            }),
            "fcmp a, #0.0; b.pl .Lf0_1",
        ),
    ]);
}

/// A sum or a difference of a product and a third number, with the promises of both.
fn contracted(op: Op, is_right: bool, [of_product, of_sum]: [Flags; 2]) -> String {
    returning(&[F32, F32, F32], |c| {
        let product = c.op(Op::FMul, F32, &[c.param(0), c.param(1)]);
        let other = c.param(2);
        let sum = c.op(op, F32, &if is_right { [other, product] } else { [product, other] });
        for (v, flags) in [(product, of_product), (sum, of_sum)] {
            c.f.set_flags(v.as_inst().unwrap(), flags);
        }
        sum
    })
}

#[test]
fn floats() {
    check(&[
        (
            returning(&[F32], |c| {
                let x = c.f.f32(0.5);
                c.op(Op::FMul, F32, &[c.param(0), x])
            }),
            "li_s b #1056964608; fmul c, a, b",
        ),
        (
            returning(&[F32, F32, F32], |c| {
                let product = c.op(Op::FMul, F32, &[c.param(0), c.param(1)]);
                c.op(Op::FAdd, F32, &[product, c.param(2)])
            }),
            "fmul d, a, b; fadd e, d, c",
        ),
        (contracted(Op::FAdd, false, [Flags::CONTRACT; 2]), "fmadd d, a, b, c"),
        (contracted(Op::FAdd, true, [Flags::FAST; 2]), "fmadd d, a, b, c"),
        (contracted(Op::FSub, true, [Flags::CONTRACT; 2]), "fmsub d, a, b, c"),
        (contracted(Op::FSub, false, [Flags::CONTRACT; 2]), "fnmsub d, a, b, c"),
        // Both have to allow it.
        (contracted(Op::FAdd, false, [Flags::CONTRACT, Flags::NONE]), "fmul d, a, b; fadd e, d, c"),
        (contracted(Op::FAdd, false, [Flags::NONE, Flags::FAST]), "fmul d, a, b; fadd e, d, c"),
        (
            returning(&[F32, F32], |c| {
                let product = c.op(Op::FMul, F32, &[c.param(0), c.param(1)]);
                c.op(Op::FNeg, F32, &[product])
            }),
            "fnmul c, a, b",
        ),
        (returning(&[I32], |c| c.op(Op::SIToFP, F32, &[c.param(0)])), "scvtf b, a"),
        (returning(&[F32], |c| c.op(Op::FPToSI, I32, &[c.param(0)])), "fcvtzs b, a"),
        (returning(&[F32], |c| c.op(Op::FPExt, F64, &[c.param(0)])), "fcvt b, a"),
    ]);
}

#[test]
fn memory() {
    let global = |k| Value::global(crate::ir::GlobalId::new(k));
    let element = |c: &mut Case, lengths: &[u32], base: Value, indices: &[Value]| {
        let shape = c.env.shapes.of(I32, lengths);
        let args = [&[base], indices].concat();
        let address = c.with(Op::ElemAddr, Ptr, &args, shape.index() as u32);
        c.op(Op::Load, I32, &[address])
    };
    check(&[
        (returning(&[], |c| c.op(Op::Load, I32, &[global(0)])), "adrp a, g; ldr b, [a, :lo12:g]"),
        (returning(&[I32], |c| element(c, &[], global(1), &[c.param(0)])), "la b #0; ldr c, [b, a, sxtw #2]"),
        (returning(&[Ptr, I32], |c| element(c, &[], c.param(0), &[c.param(1)])), "ldr c, [a, b, sxtw #2]"),
        (returning(&[Ptr, I64], |c| element(c, &[], c.param(0), &[c.param(1)])), "ldr c, [a, b, lsl #2]"),
        (
            // The address of two accesses, in the addressing mode of both.
            returning(&[Ptr, I32], |c| {
                let scalar = Shape::scalar(I32).index() as u32;
                let at = c.with(Op::ElemAddr, Ptr, &[c.param(0), c.param(1)], scalar);
                let x = c.op(Op::Load, I32, &[at]);
                let sum = c.op(Op::Add, I32, &[x, c.param(1)]);
                c.op(Op::Store, Type::Void, &[sum, at])
            }),
            "ldr c, [a, b, sxtw #2]; add d, c, b; str d, [a, b, sxtw #2]",
        ),
        (
            // Something else wants it, too.
            returning(&[Ptr, I32], |c| {
                let scalar = Shape::scalar(I32).index() as u32;
                let at = c.with(Op::ElemAddr, Ptr, &[c.param(0), c.param(1)], scalar);
                let x = c.op(Op::Load, I32, &[at]);
                c.op(Op::Store, Type::Void, &[x, at]);
                at
            }),
            "add c, a, b, sxtw #2; ldr d, [c, #0]; str d, [c, #0]",
        ),
        (
            returning(&[Ptr], |c| {
                let k = c.int(-3);
                element(c, &[], c.param(0), &[k])
            }),
            "ldur b, [a, #-12]",
        ),
        (
            returning(&[Ptr], |c| {
                let k = c.int(5000);
                element(c, &[], c.param(0), &[k])
            }),
            "add b, a, #4, lsl #12; ldr c, [b, #3616]",
        ),
        (
            returning(&[Ptr, I32, I32], |c| element(c, &[25], c.param(0), &[c.param(1), c.param(2)])),
            "li_w d #100; smaddl e, b, d, a; ldr f, [e, c, sxtw #2]",
        ),
        (
            returning(&[Ptr, I32, I32], |c| element(c, &[64], c.param(0), &[c.param(1), c.param(2)])),
            "sxtw d, b; add e, a, d, lsl #8; ldr f, [e, c, sxtw #2]",
        ),
        (
            returning(&[I32], |c| {
                let shape = c.env.shapes.of(I32, &[7]);
                let array = c.with(Op::Alloca, Ptr, &[], shape.index() as u32);
                c.with(Op::MemInit, Type::Void, &[array], 28);
                let at = c.with(Op::ElemAddr, Ptr, &[array, c.param(0)], Shape::scalar(I32).index() as u32);
                let value = c.f.f32(1.5);
                c.op(Op::Store, Type::Void, &[value, at])
            }),
            "stp_x_slot <PReg(31)>, <PReg(31)>, <frame> #0; str_x_slot <PReg(31)>, <frame> #16; \
             str_w_slot <PReg(31)>, <frame> #24; li_w b #1069547520; slot_address c, <frame> #0; \
             str b, [c, a, sxtw #2]",
        ),
        (
            returning(&[Ptr], |c| c.with(Op::MemInit, Type::Void, &[c.param(0)], 4000)),
            "li_w b #0; li_x c #4000; bl memset <a@PReg(0)>, <b@PReg(1)>, <c@PReg(2)>",
        ),
    ]);
}

#[test]
fn an_access_moves_a_pointer() {
    for (first, other, expected) in [
        (0, 8, "ldr e, [d], #4; str e, [d, #4]"),
        (4, 8, "ldr e, [d, #4]!; str e, [d, #4]"),
        (8, 0, "#8]; add "),
    ] {
        let mut case = Case::new(&[Ptr, I1], Type::Void);
        let (start, again) = (case.b, case.f.create_block());
        let end = case.f.create_block();
        case.f.set_br(start, again, Place::NONE);
        let p = case.f.insert_phi(again, Ptr, Place::NONE);
        let at = |case: &mut Case, bytes: i32| {
            let (count, i8) = (case.f.int(bytes), Shape::scalar(Type::I8).index() as u32);
            let op = if bytes == 0 { return Value::inst(p) } else { Op::ElemAddr };
            case.b = again;
            case.with(op, Ptr, &[Value::inst(p), count], i8)
        };
        let from = at(&mut case, first);
        case.b = again;
        let x = case.op(Op::Load, I32, &[from]);
        let next = at(&mut case, 4);
        let to = if other == 0 {
            Value::inst(p)
        } else {
            let (count, i8) = (case.f.int(other - 4), Shape::scalar(Type::I8).index() as u32);
            case.with(Op::ElemAddr, Ptr, &[next, count], i8)
        };
        case.op(Op::Store, Type::Void, &[x, to]);
        let condition = case.param(1);
        case.f.set_cond_br(again, condition, again, end, Place::NONE);
        case.f.set_ret(end, None, Place::NONE);
        let (a, b) = (case.param(0), next);
        case.f.set_arg(p, 0, a);
        case.f.set_arg(p, 1, b);
        let code = case.code();
        assert!(code.contains(expected), "expected {expected}\n     got {code}");
    }
}

#[test]
fn calls() {
    check(&[(
        returning(&[I32, F32], |c| {
            let args = [vec![c.param(0); 8], vec![c.int(0), c.param(1)]].concat();
            c.with(Op::Call, I32, &args, 1)
        }),
        "str_w_slot <PReg(31)>, <frame> #0; \
         bl callee <c@PReg(0)>, <a@PReg(0)>, <a@PReg(1)>, <a@PReg(2)>, <a@PReg(3)>, <a@PReg(4)>, <a@PReg(5)>, <a@PReg(6)>, <a@PReg(7)>, <b@PReg(32)>",
    )]);
}
