//! Shapes that make allocators slow or stuck. Work is counted (rows and live-in entries looked at), not
//! timed.

use super::random::Builder;
use super::*;
use crate::base::Handle;
use crate::mir::toy::*;
use crate::mir::{Block, Operand, VReg, desc, verify};

/// Allocates; the work per row of the function given.
fn work(name: &str, machine: &Machine, func: Func) -> f64 {
    assert_eq!(verify::verify_selected(&func, machine), Ok(()), "{name}");
    let mut done = func.clone();
    let stats = allocate(&mut done, machine, &mut Analyses::default(), &Options::default())
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(verify::verify_allocated(&done, machine), Ok(()), "{name}");
    stats.work as f64 / func.insts.len() as f64
}

fn entry(p: &mut Builder) -> Block {
    let b = p.block(0);
    p.push(b, desc::ENTRY, &[], &[], 0, 0);
    b
}

fn ret(p: &mut Builder, b: Block, v: VReg) {
    p.push(b, RET, &[], &[Operand::fixed(v, i(1))], 0, 0);
}

/// `n` values, all defined before the first is used, in one block.
fn wide_block(n: usize) -> Func {
    let mut p = Builder::new();
    let b = entry(&mut p);
    let first = p.op(b, LI, Class::INT, &[], 1);
    let mut all = vec![first];
    for k in 0..n {
        all.push(p.op(b, ADDI, Class::INT, &[all[k / 2]], 1));
    }
    let sum = all.iter().skip(1).fold(first, |sum, &v| p.op(b, ADD, Class::INT, &[sum, v], 0));
    ret(&mut p, b, sum);
    p.connect();
    p.finish()
}

/// `n` values that live through `n` blocks: live-in lists of full length everywhere.
fn wide_and_long(n: usize, call: bool) -> Func {
    let mut p = Builder::new();
    let mut b = entry(&mut p);
    let first = p.op(b, LI, Class::INT, &[], 1);
    let mut all = vec![first];
    for k in 0..n {
        all.push(p.op(b, ADDI, Class::INT, &[all[k]], 1));
    }
    let mut exits = Vec::new();
    for &v in &all {
        if call {
            p.push(b, CALL_OP, &[], &[], 0, 0);
        }
        let (next, exit) = (p.block(0), p.block(0));
        p.branch(b, BONE, &[v], exit, next);
        exits.push(exit);
        b = next;
    }
    let sum = all.iter().skip(1).fold(first, |sum, &v| p.op(b, ADD, Class::INT, &[sum, v], 0));
    ret(&mut p, b, sum);
    exits.into_iter().for_each(|exit| ret(&mut p, exit, first));
    p.connect();
    p.finish()
}

/// A loop with `n` variables that all change every time round.
fn many_phis(n: usize) -> Func {
    let mut p = Builder::new();
    let b = entry(&mut p);
    let start: Vec<VReg> = (0..n).map(|k| p.op(b, LI, Class::INT, &[], k as i32)).collect();
    let (head, latch, exit) = (p.block(1), p.block(1), p.block(0));
    p.jump(b, head);
    let phis: Vec<VReg> = (0..n).map(|_| p.vreg(Class::INT)).collect();
    let next: Vec<VReg> = phis.iter().map(|&v| p.op(latch, ADDI, Class::INT, &[v], 1)).collect();
    for k in 0..n {
        // Rotated, so that the moves form one long cycle.
        let uses = [start[k], next[(k + 1) % n]].map(Operand::virt);
        let row = p.func.make_row(desc::PHI, &[Operand::virt(phis[k])], &uses, 2, 0);
        p.rows[head.index()].push(crate::mir::InstRow { uses: 0, ..row });
    }
    p.branch(head, BONE, &[phis[0]], latch, exit);
    p.jump(latch, head);
    ret(&mut p, exit, phis[n - 1]);
    p.connect();
    p.finish()
}

/// A block with `n` predecessors and a phi.
fn many_preds(n: usize) -> Func {
    let mut p = Builder::new();
    let mut b = entry(&mut p);
    let mut v = p.op(b, LI, Class::INT, &[], 1);
    let join = p.block(0);
    let mut uses = Vec::new();
    for _ in 0..n {
        let (next, side) = (p.block(0), p.block(0));
        p.branch(b, BONE, &[v], side, next);
        p.jump(side, join);
        uses.push(Operand::virt(v));
        v = p.op(next, ADDI, Class::INT, &[v], 1);
        b = next;
    }
    ret(&mut p, b, v);
    let phi = p.vreg(Class::INT);
    let row = p.func.make_row(desc::PHI, &[Operand::virt(phi)], &uses, n as i32, 0);
    p.rows[join.index()].push(crate::mir::InstRow { uses: 0, ..row });
    ret(&mut p, join, phi);
    p.connect();
    p.finish()
}

/// `n` loops, one in another, each with a variable that is live all the way in and out.
fn nest(n: usize) -> Func {
    let mut p = Builder::new();
    let mut b = entry(&mut p);
    let mut vars = vec![p.op(b, LI, Class::INT, &[], 1)];
    let mut loops = Vec::new();
    for k in 0..n {
        let head = p.block(k as u32 + 1);
        p.jump(b, head);
        let v = p.op(head, ADDI, Class::INT, &[vars[k]], 1);
        vars.push(v);
        loops.push(head);
        b = head;
    }
    for k in (0..n).rev() {
        let (latch, out) = (p.block(k as u32 + 1), p.block(k as u32));
        p.branch(b, BONE, &[vars[k + 1]], latch, out);
        p.jump(latch, loops[k]);
        b = out;
    }
    ret(&mut p, b, vars[0]);
    p.connect();
    p.finish()
}

type Shape = fn(usize) -> Func;

#[test]
fn work_per_row_does_not_grow_with_the_function() {
    let shapes: [(&str, Shape, usize); 6] = [
        ("wide block", wide_block, 5_000),
        ("wide and long", |n| wide_and_long(n, false), 600),
        ("wide and long with calls", |n| wide_and_long(n, true), 600),
        ("many phis", many_phis, 2_000),
        ("many predecessors", many_preds, 2_000),
        ("loop nest", nest, 600),
    ];
    for machine in machines() {
        for (name, shape, n) in shapes {
            let (small, large) = (work(name, &machine, shape(n)), work(name, &machine, shape(4 * n)));
            assert!(large < 1.2 * small, "{name}: {small} a row at {n}, {large} at {}", 4 * n);
        }
    }
}

#[test]
fn hostile_shapes_come_out_right() {
    for machine in machines() {
        for func in [
            wide_block(60),
            wide_and_long(40, true),
            wide_and_long(40, false),
            many_phis(25),
            many_preds(20),
            nest(6),
        ] {
            let mut done = func.clone();
            allocate(&mut done, &machine, &mut Analyses::default(), &Options { fast: false, verify: true })
                .unwrap();
            assert_eq!(
                run(&func, &machine, 20_000, 999).returned,
                run(&done, &machine, 400_000, 999).returned
            );
        }
    }
}
