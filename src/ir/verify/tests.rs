//! For every rule a module that breaks it and no rule before it.

use super::*;
use crate::base::Handle;
use crate::ir::module::Request;
use crate::ir::place::{Inlined, Places};
use crate::ir::{
    Access, At, Builtin, Flags, Func, Global, GlobalId, Image, Linkage, Module, Place, Shape, Value,
};

/// `@g`, a constant of two ints; `@v`, an int; `declare float @ext(i32, ptr)`; `declare void @putf(ptr,
/// ...)`; and `i32 @main(i32, float)`, whose body branches to two blocks that meet in a phi.
fn base() -> Module {
    let mut module = Module::default();
    let env = &mut module.env;
    let pair = env.shapes.of(Type::I32, &[2]);
    let mut image = Image::default();
    image.push(1, 7);
    for (name, shape, constant, image) in
        [("g", pair, true, image), ("v", Shape::scalar(Type::I32), false, Image::default())]
    {
        let name = env.names.intern(name);
        env.globals.push(Global::new(name, shape, constant, Linkage::Internal, image));
    }
    let mut func = |name: &str, result, params: &[Type], variadic, linkage| {
        let name = env.names.intern(name);
        env.funcs.push(Func { variadic, ..Func::new(name, result, params.to_vec(), linkage) })
    };
    func("ext", Type::F32, &[Type::I32, Type::Ptr], false, Linkage::Declared);
    func("putf", Type::Void, &[Type::Ptr], true, Linkage::Declared);
    let main = func("main", Type::I32, &[Type::I32, Type::F32], false, Linkage::External);
    let mut f = Body::new(main, &env.funcs[main]);
    let [a, b, c, d] = [0; 4].map(|_| f.create_block());
    let zero = f.int(0);
    let test = f.insert(At::End(a), Op::ICmp, Type::I1, &[p0(), zero], 0, Place::NONE);
    f.set_cond_br(a, Value::inst(test), b, c, Place::NONE);
    let (bd, cd) = (f.set_br(b, d, Place::NONE), f.set_br(c, d, Place::NONE));
    let sum = f.insert(At::BeforeTerminator(b), Op::Add, Type::I32, &[p0(), p0()], 0, Place::NONE);
    let phi = f.insert_phi(d, Type::I32, Place::NONE);
    f.set_arg(phi, f.edge_slot(bd), Value::inst(sum));
    f.set_arg(phi, f.edge_slot(cd), zero);
    f.set_ret(d, Some(Value::inst(phi)), Place::NONE);
    module.define(f);
    module
}

fn p0() -> Value {
    Value::inst(Inst::new(0))
}

fn p1() -> Value {
    Value::inst(Inst::new(1))
}

fn block(k: usize) -> Block {
    Block::new(k)
}

/// Appends an instruction to the entry of the body.
fn insert(module: &mut Module, op: Op, ty: Type, args: &[Value], payload: u32) -> Inst {
    module.nth_mut(0).insert(At::BeforeTerminator(block(0)), op, ty, args, payload, Place::NONE)
}

fn global(k: usize) -> Value {
    Value::global(GlobalId::new(k))
}

type Break = fn(&mut Module);

const CASES: &[(Rule, Break)] = &[
    (Rule::Names, |m| m.env.globals[GlobalId::new(0)].name = m.env.funcs[FuncId::new(0)].name),
    (Rule::Names, |m| m.env.globals[GlobalId::new(0)].name = m.env.names.intern("llvm.x")),
    (Rule::GlobalShape, |m| m.env.globals[GlobalId::new(1)].shape = Shape::scalar(Type::Void)),
    (Rule::GlobalShape, |m| m.env.globals[GlobalId::new(1)].shape = m.env.shapes.of(Type::I32, &[3, 0])),
    (Rule::Image, |m| m.env.globals[GlobalId::new(0)].image.push(2, 1)),
    (Rule::Image, |m| m.env.globals[GlobalId::new(0)].image.runs.extend_from_within(..1)),
    (Rule::Image, |m| m.env.globals[GlobalId::new(0)].shape = m.env.shapes.of(Type::I64, &[2])),
    (Rule::Signature, |m| m.env.funcs[FuncId::new(0)].params[0] = Type::Void),
    (Rule::Bodies, |m| m.bodies.clear()),
    (Rule::Bodies, |m| _ = m.bodies.push(Some(m.nth(0).clone()))),
    (Rule::Bodies, |m| m.env.funcs[FuncId::new(0)].linkage = Linkage::Internal),
    (Rule::Params, |m| m.env.funcs[FuncId::new(2)].params[1] = Type::I32),
    (Rule::Params, |m| m.env.funcs[FuncId::new(2)].params.push(Type::I32)),
    (Rule::Entry, |m| _ = m.nth_mut(0).set_br(block(3), block(0), Place::NONE)),
    (Rule::Entry, |m| *m.nth_mut(0) = Body::new(FuncId::new(2), &m.env.funcs[FuncId::new(2)])),
    (Rule::Terminated, |m| m.nth_mut(0).clear_terminator(block(3))),
    (Rule::Terminated, |m| m.nth_mut(0).remove_blocks(&[block(3)])),
    (Rule::Terminated, |m| {
        m.nth_mut(0).insert(At::End(block(3)), Op::FNeg, Type::F32, &[p1()], 0, Place::NONE);
    }),
    (Rule::PhisFirst, |m| {
        let phi = m.nth(0).first(block(3)).unwrap();
        m.nth_mut(0).insert(At::Before(phi), Op::FNeg, Type::F32, &[p1()], 0, Place::NONE);
    }),
    (Rule::Tables, |m| {
        let inlined = Inlined { func: FuncId::new(0), offset: 0, call: Place::NONE };
        let foreign = Places::default().inlined(inlined);
        m.nth_mut(0).insert(At::BeforeTerminator(block(0)), Op::FNeg, Type::F32, &[p1()], 0, foreign);
    }),
    (Rule::ParallelEdges, |m| {
        let f = m.nth_mut(0);
        let (yes, no) = f.set_cond_br(block(1), Value::bool(true), block(3), block(3), Place::NONE);
        let phi = f.first(block(3)).unwrap();
        let (one, two) = (f.int(1), f.int(2));
        f.set_arg(phi, f.edge_slot(yes), one);
        f.set_arg(phi, f.edge_slot(no), two);
    }),
    (Rule::Operand, |m| {
        let dead = insert(m, Op::FNeg, Type::F32, &[p1()], 0);
        m.nth_mut(0).remove(dead);
        insert(m, Op::FNeg, Type::F32, &[Value::inst(dead)], 0);
    }),
    (Rule::Operand, |m| _ = insert(m, Op::Load, Type::I32, &[global(9)], 0)),
    (Rule::Operand, |m| _ = insert(m, Op::FNeg, Type::F32, &[Value::undef(Type::Void)], 0)),
    (Rule::NoVoid, |m| {
        let nothing = insert(m, Op::Call, Type::Void, &[global(0)], 1);
        insert(m, Op::FNeg, Type::F32, &[Value::inst(nothing)], 0);
    }),
    (Rule::Arity, |m| _ = insert(m, Op::Add, Type::I32, &[p0()], 0)),
    (Rule::Arity, |m| _ = insert(m, Op::ElemAddr, Type::Ptr, &[global(0)], 0)),
    (Rule::ResultType, |m| _ = insert(m, Op::Add, Type::F32, &[p1(), p1()], 0)),
    (Rule::ResultType, |m| _ = insert(m, Op::SwapBytes, Type::I8, &[Value::undef(Type::I8)], 0)),
    (Rule::ResultType, |m| _ = insert(m, Op::FCmp, Type::I32, &[p1(), p1()], 0)),
    (Rule::ResultType, |m| _ = insert(m, Op::Load, Type::Void, &[global(1)], 0)),
    (Rule::ResultType, |m| _ = insert(m, Op::Store, Type::I32, &[p0(), global(1)], 0)),
    (Rule::OperandType, |m| _ = insert(m, Op::Add, Type::I32, &[p0(), p1()], 0)),
    (Rule::OperandType, |m| _ = insert(m, Op::ICmp, Type::I1, &[p0(), global(0)], 0)),
    (Rule::OperandType, |m| _ = insert(m, Op::FCmp, Type::I1, &[p0(), p0()], 0)),
    (Rule::OperandType, |m| _ = insert(m, Op::ZExt, Type::I32, &[p0()], 0)),
    (Rule::OperandType, |m| _ = insert(m, Op::Trunc, Type::I64, &[p0()], 0)),
    (Rule::OperandType, |m| _ = insert(m, Op::SIToFP, Type::F32, &[p1()], 0)),
    (Rule::OperandType, |m| _ = insert(m, Op::Select, Type::I32, &[p0(), p0(), p0()], 0)),
    (Rule::OperandType, |m| {
        let phi = m.nth(0).first(block(3)).unwrap();
        m.nth_mut(0).set_arg(phi, 0, p1());
    }),
    (Rule::Address, |m| _ = insert(m, Op::Load, Type::I32, &[p0()], 0)),
    (Rule::Address, |m| _ = insert(m, Op::Store, Type::Void, &[p0(), p0()], 0)),
    (Rule::Payload, |m| _ = insert(m, Op::ICmp, Type::I1, &[p0(), p0()], 10)),
    (Rule::Payload, |m| _ = insert(m, Op::FCmp, Type::I1, &[p1(), p1()], 14)),
    (Rule::Payload, |m| _ = insert(m, Op::Alloca, Type::Ptr, &[], 999)),
    (Rule::Payload, |m| _ = insert(m, Op::Call, Type::Void, &[], 999)),
    (Rule::AllocaShape, |m| _ = insert(m, Op::Alloca, Type::Ptr, &[], Type::Void as u32)),
    (Rule::ElemAddr, |m| {
        _ = insert(m, Op::ElemAddr, Type::Ptr, &[global(0), p0(), p0()], Type::I32 as u32);
    }),
    (Rule::ElemAddr, |m| _ = insert(m, Op::ElemAddr, Type::Ptr, &[global(0), p1()], Type::I32 as u32)),
    (Rule::MemInit, |m| _ = insert(m, Op::MemInit, Type::Void, &[global(1), global(1)], 4)),
    (Rule::MemInit, |m| _ = insert(m, Op::MemInit, Type::Void, &[global(1), global(0)], 9)),
    (Rule::MemInit, |m| {
        let shape = Shape::scalar(Type::I32);
        let q = m.nth_mut(0).request(Request::new(shape, false, Image::default()));
        insert(m, Op::MemInit, Type::Void, &[global(1), q], 4);
    }),
    (Rule::Call, |m| _ = insert(m, Op::Call, Type::F32, &[p0()], 0)),
    (Rule::Call, |m| _ = insert(m, Op::Call, Type::I32, &[p0(), global(0)], 0)),
    (Rule::Call, |m| _ = insert(m, Op::Call, Type::F32, &[global(0), p0()], 0)),
    (Rule::Call, |m| _ = insert(m, Op::Call, Type::Void, &[global(0), p1()], 1)),
    (Rule::Flags, |m| {
        let sum = insert(m, Op::Add, Type::I32, &[p0(), p0()], 0);
        m.nth_mut(0).set_flags(sum, Flags::EXACT);
    }),
    (Rule::Access, |m| {
        let sum = insert(m, Op::Add, Type::I32, &[p0(), p0()], 0);
        m.nth_mut(0).set_access(sum, Access { align: 4 });
    }),
    (Rule::Access, |m| {
        let load = insert(m, Op::Load, Type::I32, &[global(1)], 0);
        m.nth_mut(0).set_access(load, Access { align: 3 });
    }),
    (Rule::Return, |m| m.nth_mut(0).set_ret(block(3), None, Place::NONE)),
    (Rule::Return, |m| m.nth_mut(0).set_ret(block(3), Some(p1()), Place::NONE)),
    (Rule::Vectors, |m| _ = insert(m, Op::Store, Type::Void, &[Value::undef(Type::I32x4), global(1)], 0)),
    (Rule::Signature, |m| m.env.funcs[FuncId::new(0)].result = Type::I32x4),
    (Rule::ResultType, |m| _ = insert(m, Op::Add, Type::I32x4, &[Value::undef(Type::I32x2); 2], 0)),
    (Rule::OperandType, |m| _ = insert(m, Op::Splat, Type::I32x4, &[p1()], 0)),
    (Rule::OperandType, |m| {
        let [a, b] = [Type::I1x8, Type::I32x4].map(Value::undef);
        insert(m, Op::Select, Type::I32x4, &[a, b, b], 0);
    }),
    (Rule::ResultType, |m| _ = insert(m, Op::ZExt, Type::I32x4, &[Value::undef(Type::I8x2)], 0)),
    (Rule::ResultType, |m| _ = insert(m, Op::Load, Type::I1x4, &[global(1)], 0)),
    (Rule::OperandType, |m| {
        m.nth_mut(0).note_type(Type::I32x4);
        insert(m, Op::ReduceAdd, Type::I64, &[Value::undef(Type::I32x4)], 0);
    }),
    (Rule::Payload, |m| {
        m.nth_mut(0).note_type(Type::I32x4);
        insert(m, Op::ExtractLane, Type::I32, &[Value::undef(Type::I32x4)], 4);
    }),
    (Rule::Dominance, |m| {
        let sum = m.nth(0).first(block(1)).unwrap();
        m.nth_mut(0).set_ret(block(3), Some(Value::inst(sum)), Place::NONE);
    }),
    (Rule::Dominance, |m| {
        let x = insert(m, Op::FNeg, Type::F32, &[p1()], 0);
        m.nth_mut(0).set_arg(x, 0, Value::inst(x));
    }),
    (Rule::Dominance, |m| {
        let f = m.nth_mut(0);
        let (sum, phi) = (f.first(block(1)).unwrap(), f.first(block(3)).unwrap());
        f.set_arg(phi, 1, Value::inst(sum));
    }),
    (Rule::MustTail, |m| {
        let call = insert(m, Op::Call, Type::I32, &[p0(), p1()], 2);
        m.nth_mut(0).set_flags(call, Flags::MUST_TAIL);
    }),
    (Rule::Unwinding, |m| {
        let name = m.env.names.intern(".selector");
        let row = Func::new(name, Type::I32, vec![], Linkage::Declared);
        let func = m.env.funcs.push(Func { builtin: Some(Builtin::Selector), ..row });
        insert(m, Op::Call, Type::I32, &[], func.index() as u32);
    }),
    (Rule::Folded, |m| {
        let (one, two) = (m.nth_mut(0).int(1), m.nth_mut(0).int(2));
        insert(m, Op::Add, Type::I32, &[one, two], 0);
    }),
    (Rule::ConditionConstant, |m| {
        m.nth_mut(0).set_cond_br(block(0), Value::bool(true), block(1), block(2), Place::NONE);
    }),
    (Rule::TargetsDiffer, |m| {
        let f = m.nth_mut(0);
        let test = f.first(block(0)).unwrap();
        f.set_cond_br(block(0), Value::inst(test), block(1), block(1), Place::NONE);
    }),
    (Rule::DivisionByZero, |m| {
        let zero = m.nth_mut(0).int(0);
        insert(m, Op::SRem, Type::I32, &[p0(), zero], 0);
    }),
    (Rule::ShiftAmount, |m| {
        let amount = m.nth_mut(0).int(32);
        insert(m, Op::Shl, Type::I32, &[p0(), amount], 0);
    }),
    (Rule::ConstantRight, |m| {
        let one = m.nth_mut(0).int(1);
        insert(m, Op::Add, Type::I32, &[one, p0()], 0);
    }),
    (Rule::AllocaInEntry, |m| {
        m.nth_mut(0).insert(
            At::BeforeTerminator(block(1)),
            Op::Alloca,
            Type::Ptr,
            &[],
            Type::I32 as u32,
            Place::NONE,
        );
    }),
];

#[test]
fn a_module_that_breaks_no_rule_passes() {
    let module = base();
    assert_eq!(verify_module(&module), Ok(()));
    assert_eq!(check_canonical(module.nth(0)), Ok(()));
}

#[test]
fn each_broken_rule_is_reported_by_name() {
    for (k, &(rule, break_it)) in CASES.iter().enumerate() {
        let mut module = base();
        break_it(&mut module);
        let valid = verify_module(&module);
        let found = if rule.row().canonical {
            assert_eq!(valid, Ok(()), "case {k}");
            check_canonical(module.nth(0))
        } else {
            valid
        };
        assert_eq!(found.as_ref().map_err(|e| e.rule), Err(rule), "case {k}: {found:?}");
        assert!(found.unwrap_err().to_string().contains(rule.row().name));
    }
}

#[test]
fn what_the_folder_leaves_is_canonical() {
    let mut module = base();
    let f = module.nth_mut(0);
    let (nan, one) = (f.f32(f32::NAN), f.f32(1.0));
    f.insert(At::BeforeTerminator(block(1)), Op::FAdd, Type::F32, &[nan, one], 0, Place::NONE);
    assert_eq!(check_canonical(module.nth(0)), Ok(()));
}

#[test]
fn every_rule_has_a_case_and_stands_at_its_number() {
    for (k, row) in RULES.iter().enumerate() {
        assert_eq!(row.rule as usize, k);
        assert!(CASES.iter().any(|&(rule, _)| rule == row.rule), "no case breaks `{}`", row.name);
    }
}

#[test]
fn unreachable_blocks_are_tolerated() {
    let mut module = base();
    let f = module.nth_mut(0);
    let sum = f.first(block(1)).unwrap();
    let island = f.create_block();
    f.insert(At::End(island), Op::Add, Type::I32, &[Value::inst(sum), Value::inst(sum)], 0, Place::NONE);
    let e = f.set_br(island, block(3), Place::NONE);
    let phi = f.first(block(3)).unwrap();
    f.set_arg(phi, f.edge_slot(e), Value::inst(sum));
    assert_eq!(verify_module(&module), Ok(()));
}
