//! Programs run by both machines.

use super::*;
use crate::ir::{Body, Builder, Func, IntPred, Value};

fn declare(m: &mut Module, name: &str, result: Type, params: &[Type], linkage: Linkage) -> FuncId {
    let name = m.env.names.intern(name);
    m.env.funcs.push(Func { name, result, params: params.to_vec(), variadic: false, linkage })
}

fn run_both(m: &Module, input: &str) -> (Result<i32, String>, String) {
    let results = [false, true].map(|check| {
        let (mut input, mut output, mut errors) = (input.as_bytes(), Vec::new(), Vec::new());
        let options = Options { check, ..Options::default() };
        let result = run(m, "main", &mut input, &mut output, &mut errors, options);
        (result.map_err(|trap| trap.message), String::from_utf8(output).unwrap())
    });
    assert_eq!(results[0], results[1]);
    let [first, _] = results;
    first
}

#[test]
fn a_loop_reads_stores_and_prints() {
    let mut m = Module::default();
    let getint = declare(&mut m, "getint", Type::I32, &[], Linkage::Declared);
    let putint = declare(&mut m, "putint", Type::Void, &[Type::I32], Linkage::Declared);
    let main = declare(&mut m, "main", Type::I32, &[], Linkage::External);
    let array = m.env.shapes.of(Type::I32, &[4, 3]);
    let row = m.env.shapes.element(array);
    let mut f = Body::new(main, &m.env.funcs[main]);
    let entry = f.create_block();
    let mut b = Builder::new(&m.env, &mut f, entry);
    let (head, body, exit) = (b.create_block(), b.create_block(), b.create_block());
    let memory = b.alloca(array);
    b.fill_zero(memory, 48);
    let n = b.call(getint, &[]);
    let enter = b.br(head);
    b.block = head;
    let (i, sum) = (b.phi(Type::I32), b.phi(Type::I32));
    let zero = b.int(0);
    for phi in [i, sum] {
        let slot = b.f.edge_slot(enter);
        b.f.set_arg(phi, slot, zero);
    }
    let (i_value, sum_value) = (Value::inst(i), Value::inst(sum));
    let test = b.icmp(IntPred::Slt, i_value, n);
    b.cond_br(test, body, exit);
    b.block = body;
    let element = b.elem_addr(row, memory, &[i_value, zero]);
    let old = b.load(Type::I32, element);
    let next = b.add(i_value, old);
    b.store(next, element);
    let new_sum = b.add(sum_value, next);
    let one = b.int(1);
    let next_i = b.add(i_value, one);
    let back = b.br(head);
    let slot = b.f.edge_slot(back);
    b.f.set_arg(i, slot, next_i);
    b.f.set_arg(sum, slot, new_sum);
    b.block = exit;
    b.call(putint, &[sum_value]);
    let one = b.int(1);
    let last = b.elem_addr(array, memory, &[zero, one, zero]);
    let last = b.load(Type::I32, last);
    b.ret(Some(last));
    m.bodies.push(f);
    assert_eq!(super::super::verify::verify_module(&m), Ok(()));
    assert_eq!(run_both(&m, "4"), (Ok(1), "6".to_string()));
}
