//! The mutators against small models: operands, edges, phis and constants stay in agreement.

use super::*;
use crate::base::Interner;
use crate::ir::draft::Room;
use crate::ir::{Draft, Linkage};

fn body() -> Body {
    let name = Interner::default().intern("f");
    let params = vec![Type::I32, Type::I32];
    let func = Func::new(name, Type::I32, params, Linkage::External);
    Body::new(FuncId::new(0), &func)
}

fn draft() -> Draft {
    let name = Interner::default().intern("f");
    let func = Func::new(name, Type::I32, vec![Type::I32; 2], Linkage::External);
    Draft::new(FuncId::new(0), &func, None, Room::default())
}

fn add(f: &mut Body, b: Block, x: Value, y: Value) -> Inst {
    f.insert(At::BeforeTerminator(b), Op::Add, Type::I32, &[x, y], 0, Place::NONE)
}

#[test]
fn replacing_uses_moves_every_edge_and_keeps_lists_whole() {
    let mut f = body();
    let b = f.create_block();
    let [p, q] = [0, 1].map(|k| Value::inst(Inst::new(k)));
    let x = add(&mut f, b, p, p);
    let y = add(&mut f, b, Value::inst(x), p);
    f.set_ret(b, Some(Value::inst(y)), Place::NONE);
    f.replace_uses(Inst::new(0), q);
    assert_eq!((f.args(x), f.args(y)), (&[q, q][..], &[Value::inst(x), q][..]));
    assert_eq!((f.uses(Inst::new(1)).count(), f.has_uses(Inst::new(0))), (3, false));
    let seven = f.int(7);
    f.replace(x, seven);
    assert_eq!(f.args(y), [seven, q]);
    assert_eq!(f.single_use(y).map(|u| u.operand), Some(0));
    assert_eq!(f.check_tables(), Ok(()));
}

#[test]
fn uses_are_counted_until_lists_are_asked_for() {
    let mut f = draft();
    let [b, c] = [0; 2].map(|_| f.create_block());
    let [p, q] = [0, 1].map(|k| Value::inst(Inst::new(k)));
    let (one, five) = (f.int(1), [p, q, p, q, p]);
    let x = f.append(b, Op::Add, Type::I32, [p, one], 0, Place::NONE);
    let y = f.append(b, Op::Mul, Type::I32, [Value::inst(x), q], 0, Place::NONE);
    let call = f.append_all(b, Op::Call, Type::I32, &five, 0, Place::NONE);
    f.set_br(b, c, Place::NONE);
    let phi = f.insert_phi(c, Type::I32, Place::NONE);
    f.set_arg(phi, 0, Value::inst(y));
    f.set_arg(phi, 0, Value::inst(call));
    f.set_ret(c, Some(Value::inst(phi)), Place::NONE);
    f.rewrite(x, Op::Sub, Type::I32, &[q, one], 0);
    assert_eq!([x, y, call, phi].map(|i| f.has_uses(i)), [true, false, true, true]);
    assert_eq!([x, y, call, phi].map(|i| f.has_single_use(i)), [true, false, true, true]);
    assert_eq!(([0, 1].map(|k| f.has_single_use(Inst::new(k))), f.check_tables()), ([false; 2], Ok(())));
    let mut f = f.finish();
    assert_eq!([0, 1].map(|k| f.uses(Inst::new(k)).count()), [3, 4]);
    assert_eq!(
        ([x, call].map(|i| f.single_use(i).map(|u| u.user)), f.check_tables()),
        ([Some(y), Some(phi)], Ok(()))
    );
    f.remove(y);
    assert_eq!((f.has_uses(x), f.check_tables()), (false, Ok(())));
}

#[test]
fn replacing_a_counted_use_makes_lists_first() {
    let mut f = draft();
    let b = f.create_block();
    let p = Value::inst(Inst::new(0));
    let x = f.append(b, Op::Add, Type::I32, [p, p], 0, Place::NONE);
    f.set_ret(b, Some(Value::inst(x)), Place::NONE);
    let mut f = f.finish();
    f.replace(x, p);
    assert_eq!((f.uses(Inst::new(0)).count(), f.check_tables()), (1, Ok(())));
}

#[test]
fn edges_keep_phi_operands_aligned_through_every_change() {
    let mut f = body();
    let [a, b, c, d] = [0; 4].map(|_| f.create_block());
    let p = Value::inst(Inst::new(0));
    let (ab, ac) = f.set_cond_br(a, Value::bool(true), b, c, Place::NONE);
    let bd = f.set_br(b, d, Place::NONE);
    let cd = f.set_br(c, d, Place::NONE);
    let phi = f.insert_phi(d, Type::I32, Place::NONE);
    let (one, two) = (f.int(1), f.int(2));
    f.set_arg(phi, f.edge_slot(bd), one);
    f.set_arg(phi, f.edge_slot(cd), two);
    f.set_ret(d, Some(Value::inst(phi)), Place::NONE);
    let middle = f.split_edge(bd);
    assert_eq!((f.args(phi), f.check_tables()), (&[one, two][..], Ok(())));
    f.redirect(ac, d);
    f.set_arg(phi, f.edge_slot(ac), p);
    assert_eq!((f.args(phi), f.check_tables()), (&[one, two, p][..], Ok(())));
    f.remove_blocks(&[c]);
    assert_eq!((f.args(phi), f.check_tables()), (&[one, p][..], Ok(())));
    f.fold_cond_br(a, ab, Place::NONE);
    assert_eq!((f.args(phi), f.check_tables()), (&[one][..], Ok(())));
    assert!(f.merge_into_pred(b) && f.merge_into_pred(middle) && f.merge_into_pred(d));
    assert_eq!((f.blocks().collect::<Vec<_>>(), f.check_tables()), (vec![a], Ok(())));
    assert_eq!(f.terminator(a).map(|i| f.args(i).to_vec()), Some(vec![one]));
}

#[test]
fn what_would_break_the_tables_does_nothing() {
    let mut f = body();
    let [a, b] = [0; 2].map(|_| f.create_block());
    let [p, q] = [0, 1].map(|k| Value::inst(Inst::new(k)));
    let x = add(&mut f, a, p, q);
    let (yes, _) = f.set_cond_br(a, Value::bool(true), b, b, Place::NONE);
    let phi = f.insert_phi(b, Type::I32, Place::NONE);
    f.set_arg(phi, 0, Value::inst(x));
    f.set_ret(b, Some(Value::inst(phi)), Place::NONE);
    let ret = f.last(b).unwrap();
    let rows: Vec<Vec<Value>> = f.insts_from(0).map(|i| f.args(i).to_vec()).collect();
    f.set_arg(x, 2, p);
    f.replace_uses(x, Value::bool(true));
    f.replace_uses(x, Value::inst(x));
    f.replace_uses(x, Value::inst(Inst::new(1000)));
    f.fold_cond_br(a, Edge::new(yes.index() + 2), Place::NONE);
    f.rewrite(phi, Op::Add, Type::I32, &[p, q], 0);
    f.rewrite(x, Op::Br, Type::Void, &[], 0);
    f.remove(ret);
    f.remove(Inst::new(0));
    f.move_inst(phi, At::End(a));
    f.move_inst(ret, At::Start(b));
    assert_eq!((f.split_block(phi), f.check_tables()), (None, Ok(())));
    let gone = f.insert(At::End(b), Op::Br, Type::Void, &[], 7, Place::NONE);
    let after = f.insert(At::After(gone), Op::Add, Type::I32, &[p, q], 0, Place::NONE);
    f.move_inst(x, At::Before(gone));
    assert_eq!([gone, after, x].map(|i| f.block_of(i)), [None, None, Some(a)]);
    let now: Vec<Vec<Value>> = f.insts_from(0).take(rows.len()).map(|i| f.args(i).to_vec()).collect();
    assert_eq!((now, f.check_tables()), (rows, Ok(())));
    // What takes the place of `x` may compute with it.
    let y = f.insert(At::After(x), Op::Mul, Type::I32, &[Value::inst(x), p], 0, Place::NONE);
    f.replace_uses(x, Value::inst(y));
    assert_eq!((f.args(y), f.args(phi)[0]), (&[Value::inst(x), p][..], Value::inst(y)));
    assert_eq!(f.check_tables(), Ok(()));
}

#[test]
fn splitting_a_block_moves_its_edges() {
    let mut f = body();
    let (a, b) = (f.create_block(), f.create_block());
    let p = Value::inst(Inst::new(0));
    let x = add(&mut f, a, p, p);
    let y = add(&mut f, a, Value::inst(x), p);
    let e = f.set_br(a, b, Place::NONE);
    let phi = f.insert_phi(b, Type::I32, Place::NONE);
    f.set_arg(phi, 0, Value::inst(y));
    f.set_ret(b, None, Place::NONE);
    let tail = f.split_block(y);
    assert_eq!(
        (tail, f.edge_from(e), f.block_of(y)),
        (Some(Block::new(2)), Block::new(2), Some(Block::new(2)))
    );
    assert_eq!((f.blocks().count(), f.check_tables()), (3, Ok(())));
}

#[test]
fn random_edits_of_a_phi_agree_with_a_model() {
    let mut f = body();
    let target = f.create_block();
    let phi = f.insert_phi(target, Type::I32, Place::NONE);
    f.set_ret(target, None, Place::NONE);
    let mut model: Vec<(Block, Value)> = Vec::new();
    let mut seed = 7u32;
    for step in 0..3000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed >> 28 < 9 || model.is_empty() {
            let b = f.create_block();
            let e = f.set_br(b, target, Place::NONE);
            let v = if seed & 64 == 0 { f.int(step) } else { Value::inst(Inst::new(step as usize & 1)) };
            f.set_arg(phi, f.edge_slot(e), v);
            model.push((b, v));
        } else {
            let (b, _) = model.swap_remove(seed as usize % model.len());
            f.set_unreachable(b, Place::NONE);
        }
    }
    assert_eq!(f.check_tables(), Ok(()));
    let mut have: Vec<(Block, Value)> =
        f.preds(target).iter().map(|&e| f.edge_from(e)).zip(f.args(phi).iter().copied()).collect();
    have.sort();
    model.sort();
    assert_eq!(have, model);
}

#[test]
fn equal_constants_are_equal_values() {
    let mut f = body();
    for x in [0, -1, i32::MAX, i32::MIN, 1 << 28] {
        assert_eq!((f.int(x), f.int(x)), (f.int_of(Type::I32, i64::from(x)), f.int(x)));
        let v = f.int(x);
        assert_eq!((f.as_int(v), f.type_of(v)), (Some(i64::from(x)), Type::I32));
    }
    assert_ne!(f.f32(0.0), f.f32(-0.0));
    let wide = f.int_of(Type::I64, i64::MIN);
    assert_eq!((f.as_int(wide), f.type_of(wide)), (Some(i64::MIN), Type::I64));
    assert_eq!(f.int_of(Type::I8, 255), f.int_of(Type::I8, -1));
}
