//! Random control flow, run by both machines: what the decoder shares, fuses and moves must not show.

use super::*;
use crate::ir::verify::verify_module;
use crate::ir::{Block, Body, Builder, Func, Global, Image, IntPred, Op, Value};

struct Random(u32);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % n
    }

    fn pick(&mut self, values: &[Value]) -> Value {
        values[self.below(values.len())]
    }
}

fn declare(m: &mut Module, name: &str, result: Type, params: &[Type], linkage: Linkage) -> FuncId {
    let name = m.env.names.intern(name);
    m.env.funcs.push(Func::new(name, result, params.to_vec(), linkage))
}

/// A program of blocks that compute from their phis and those of the first one, take fuel, and leave when there
/// is none; they go to each other directly, one of three ways, or by way of a block that only tests.
pub(super) fn program(seed: u32) -> Module {
    let mut r = Random(seed);
    let mut m = Module::default();
    let putint = declare(&mut m, "putint", Type::Void, &[Type::I32], Linkage::Declared);
    let main = declare(&mut m, "main", Type::I32, &[], Linkage::External);
    let shape = m.env.shapes.of(Type::I32, &[4, 4]);
    let mut global = |name: &str| {
        let name = m.env.names.intern(name);
        let (constant, linkage, image) = (false, Linkage::Internal, Image::default());
        Value::global(m.env.globals.push(Global::new(name, shape, constant, linkage, image)))
    };
    let (fuel, memory) = (global("fuel"), global("memory"));
    let mut f = Body::new(main, &m.env.funcs[main]);
    let entry = f.create_block();
    let mut b = Builder::new(&m.env, &mut f, entry);
    let n = 2 + r.below(5);
    let works: Vec<Block> = (0..n).map(|_| b.create_block()).collect();
    let exit = b.create_block();
    let start = b.int(60);
    b.store(start, fuel);
    let zero = b.int(0);
    let mut common = vec![b.int(3), b.int(-1)];
    let loaded = b.load(Type::I32, memory);
    common.push(loaded);
    let first = b.br(works[0]);
    // Edges into works, with the values that the branching block can see.
    let mut edges = vec![(first, common.clone())];
    let mut phis = Vec::new();
    for k in 0..n {
        b.block = works[k];
        let mine: Vec<_> = (0..1 + r.below(3)).map(|_| b.phi(Type::I32)).collect();
        let mut seen = common.clone();
        phis.push(mine);
        // The first block is in front of all others.
        let first = if k == 0 { &[][..] } else { &phis[0] };
        seen.extend(first.iter().chain(&phis[k]).map(|&phi| Value::inst(phi)));
        let mut tests = Vec::new();
        for _ in 0..2 + r.below(6) {
            let (x, y) = (r.pick(&seen), r.pick(&seen));
            let v = match r.below(8) {
                0 => b.sub(x, y),
                1 => b.mul(x, y),
                2 => {
                    let test = b.icmp(IntPred::Slt, x, y);
                    tests.push(test);
                    b.convert(Op::ZExt, test, Type::I32)
                }
                3 | 4 => {
                    let mask = b.int(3);
                    let (i, j) = (b.binary(Op::And, x, mask), b.binary(Op::And, y, mask));
                    let at = b.elem_addr(shape, memory, &[zero, i, j]);
                    if r.below(2) == 0 {
                        let v = r.pick(&seen);
                        b.store(v, at);
                    }
                    b.load(Type::I32, at)
                }
                _ => {
                    let step = b.int(1 + r.below(3) as i32);
                    b.add(x, step)
                }
            };
            seen.push(v);
        }
        let left = b.load(Type::I32, fuel);
        let one = b.int(1);
        let left = b.sub(left, one);
        b.store(left, fuel);
        let shown = r.pick(&seen);
        b.call(putint, &[shown]);
        let empty = b.icmp(IntPred::Sle, left, zero);
        match r.below(5) {
            4 => {
                // Out, round once more, or to another one.
                let test = b.icmp(IntPred::Slt, r.pick(&seen), r.pick(&seen));
                let two = b.int(2);
                let way = b.select(test, one, two);
                let way = b.select(empty, zero, way);
                let others = works.iter().copied().filter(|&w| w != works[k]);
                let to = others.clone().nth(r.below(n - 1)).unwrap_or(exit);
                b.switch(way, &[exit, works[k], to]);
                edges.extend(b.f.succs(works[k]).skip(1).map(|e| (e, seen.clone())));
                continue;
            }
            0 => {
                let (_, e) = b.cond_br(empty, exit, works[r.below(n)]);
                edges.push((e, seen));
                continue;
            }
            1 if k + 1 < n => {
                edges.push((b.br(works[k + 1]), seen));
                continue;
            }
            _ => {}
        }
        let tester = b.create_block();
        b.cond_br(empty, exit, tester);
        b.block = tester;
        let bound = if r.below(2) == 0 { b.int(7) } else { r.pick(&seen) };
        let counter = r.pick(&seen);
        let pred = IntPred::ALL[r.below(IntPred::ALL.len())];
        let test =
            if tests.is_empty() || r.below(2) == 0 { b.icmp(pred, counter, bound) } else { r.pick(&tests) };
        let (to, other) = (r.below(n), r.below(n));
        let (yes, no) = (works[to], works[if other == to { (to + 1) % n } else { other }]);
        let (e, f) = b.cond_br(test, yes, no);
        edges.push((e, seen.clone()));
        edges.push((f, seen));
    }
    b.block = exit;
    b.ret(Some(zero));
    for (e, seen) in edges {
        let to = b.f.edge_to(e);
        let k = works.iter().position(|&w| w == to).unwrap();
        for &phi in &phis[k] {
            let slot = b.f.edge_slot(e);
            let v = r.pick(&seen);
            b.f.set_arg(phi, slot, v);
        }
    }
    m.define(f);
    m
}

#[test]
fn both_machines_agree_on_random_control_flow() {
    for seed in 0..600 {
        let m = program(seed * 7919);
        if let Err(broken) = verify_module(&m) {
            panic!("{broken}\n{}", crate::ir::print::module(&m));
        }
        let [fast, checked] = [false, true].map(|check| {
            let (mut input, mut output, mut errors) = ("".as_bytes(), Vec::new(), Vec::new());
            let options = Options { check, verify: true, ..Options::default() };
            (run(&m, "main", &mut input, &mut output, &mut errors, options), output)
        });
        assert_eq!(fast, checked, "seed {seed}\n{}", crate::ir::print::module(&m));
        assert!(!fast.1.is_empty());
    }
}
