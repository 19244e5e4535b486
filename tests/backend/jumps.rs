//! Returns of what a call gives, as jumps: functions that end so go on for as long as they like on one frame.

use super::*;
use sysyc::backend::{Extension, Prototype};

/// More than registers hold, of all kinds.
fn signature() -> Signature {
    let mixed = [Type::I32, Type::F64, Type::I64, Type::F32];
    let mut signature = Signature::new().param(Type::I32);
    for _ in 0..5 {
        signature = signature.params(&mixed);
    }
    signature.param_as(Type::I8, Extension::Sign).result_as(Type::I16, Extension::Sign)
}

/// Two functions that call each other, by name and by address: each passes its parameters on, turned around by kinds.
fn module(target: Target) -> Result<Module, Error> {
    let mut m = Module::new(target);
    let ping = m.function("ping", signature(), Linkage::Export)?;
    let pong = m.function("pong", signature(), Linkage::Local)?;
    m.take_address(ping)?;
    let by_address = m.prototype(signature())?;
    for (own, other, address) in [(ping, pong, None), (pong, ping, Some(by_address))] {
        let mut f = m.build(own)?;
        let (last, more) = (f.create_block(), f.create_block());
        let zero = f.int(Type::I32, 0);
        let is_last = f.icmp(IntPred::Eq, f.param(0), zero);
        f.cond_br(is_last, last, more);
        f.switch_to(last);
        let mut sum = f.sext(f.param(21), Type::I32);
        for k in 1..21 {
            let of = f.param(k);
            let weight = f.int(Type::I32, k as i64);
            let of = match (k - 1) % 4 {
                0 => of,
                2 => f.trunc(of, Type::I32),
                _ => f.fptosi(of, Type::I32),
            };
            let of = f.mul(of, weight);
            sum = f.add(sum, of);
        }
        let sum = f.trunc(sum, Type::I16);
        f.ret(Some(sum));
        f.switch_to(more);
        let one = f.int(Type::I32, 1);
        let mut args = vec![f.sub(f.param(0), one)];
        args.extend((1..21).map(|k| f.param(1 + (k + 3) % 20)));
        args.push(f.param(21));
        jump(&mut f, (other, address), &args);
        let body = f.finish()?;
        m.define(body)?;
    }
    Ok(m)
}

fn jump(f: &mut FunctionBuilder, (other, by_address): (Func, Option<Prototype>), args: &[Val]) {
    match by_address {
        Some(prototype) => {
            let address = f.function_address(other);
            f.return_call_indirect(prototype, address, args);
        }
        None => f.return_call(other, args),
    }
}

#[test]
fn functions_that_return_calls_take_one_frame() {
    let types = "int n, ".to_string() + &["int", "double", "long long", "float"].repeat(5).join(", ");
    let c = format!(
        "#include <stdio.h>
         short ping({types}, signed char);
         int main(void) {{
           for (int n = 0; n < 1000003; n = n * 9 + 1)
             printf(\"%d\\n\", ping(n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, -7));
         }}"
    );
    let mut expected = String::new();
    let mut n = 0u32;
    while n < 1_000_003 {
        let turned = |k: u32| (k - 1 + 4 * n) % 20 + 1;
        let sum: u32 = (1..21).map(|k| k * turned(k)).sum();
        expected += &format!("{}\n", (sum as i32 - 7) as i16);
        n = n * 9 + 1;
    }
    assert_eq!(with_c(module, &c), expected);
}

#[test]
fn what_takes_or_gives_something_else_cannot_be_jumped_to() {
    let mut m = Module::new(Target::new("riscv64").unwrap());
    let own = Signature::new().param(Type::I32).result(Type::I32);
    let func = m.function("f", own.clone(), Linkage::Export).unwrap();
    let others = [
        Signature::new().param(Type::I32),
        Signature::new().param(Type::I32).result(Type::I64),
        Signature::new().param(Type::I64).result(Type::I32),
        Signature::new().param(Type::I32).param(Type::I32).result(Type::I32),
        own.clone().variadic(),
    ];
    for (k, other) in others.into_iter().enumerate() {
        let name = format!("other{k}");
        let types: &[Type] = [&[Type::I32][..], &[Type::I32], &[Type::I64], &[Type::I32; 2], &[Type::I32]][k];
        let other = m.function(&name, other, Linkage::Import).unwrap();
        let mut f = m.build(func).unwrap();
        let args: Vec<Val> = types.iter().map(|&ty| f.int(ty, 1)).collect();
        f.return_call(other, &args);
        let error = f.finish().err().unwrap();
        assert!(error.message.contains("takes or gives something else"), "{error}");
    }
    let mut f = m.build(func).unwrap();
    let one = f.int(Type::I32, 1);
    f.return_call(func, &[one]);
    f.return_call(func, &[one]);
    assert!(f.finish().err().unwrap().message.contains("the block has ended"), "once");
}

/// Functions that take different things, all of it in registers, and give the same.
fn different(target: Target) -> Result<Module, Error> {
    let mut m = Module::new(target);
    let short = Signature::new().param(Type::I32).result(Type::I32).tail();
    let long = Signature::new().param(Type::F64).param(Type::I32).param(Type::Ptr).result(Type::I32).tail();
    let count = m.function("count", short.clone(), Linkage::Export)?;
    let step = m.function("step", long, Linkage::Local)?;
    m.take_address(count)?;
    let by_address = m.prototype(short)?;
    let mut f = m.build(count)?;
    let (last, more) = (f.create_block(), f.create_block());
    let low = f.int(Type::I32, 255);
    let rest = f.and(f.param(0), low);
    let is_last = f.icmp(IntPred::Slt, f.param(0), low);
    f.cond_br(is_last, last, more);
    f.switch_to(last);
    f.ret(Some(rest));
    f.switch_to(more);
    let room = f.stack(400, 8);
    f.store(rest, room);
    let (half, address) = (f.double(-3.0), f.function_address(count));
    f.return_call(step, &[half, f.param(0), address]);
    let body = f.finish()?;
    m.define(body)?;
    let mut f = m.build(step)?;
    let by = f.fptosi(f.param(0), Type::I32);
    let next = f.add(f.param(1), by);
    f.return_call_indirect(by_address, f.param(2), &[next]);
    let body = f.finish()?;
    m.define(body)?;
    Ok(m)
}

#[test]
fn functions_of_the_convention_of_tail_calls_need_only_give_the_same() {
    let c = "#include <stdio.h>\nint count(int);\nint main(void) { printf(\"%d %d\\n\", count(3000005), count(9)); }";
    let mut n = 3_000_005;
    while n >= 255 {
        n -= 3;
    }
    assert_eq!(with_c(different, c), format!("{} 9\n", n & 255));
    let mut m = Module::new(Target::new("armv7").unwrap());
    let error = m.function("f", Signature::new().variadic().tail(), Linkage::Import).err().unwrap();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    // What is on the stack is said when code is made.
    let func = m
        .function("g", Signature::new().params(&[Type::I64; 3]).result(Type::I32).tail(), Linkage::Export)
        .unwrap();
    let mut f = m.build(func).unwrap();
    let third = f.param(2);
    f.return_call(func, &[third, third, third]);
    let body = f.finish().unwrap();
    m.define(body).unwrap();
    let error = m.compile(&Options::at(Level::O1)).err().unwrap();
    assert!(error.kind == ErrorKind::Unsupported && error.message.contains("tailcc"), "{error}");
}
