//! Calls that may be left by exceptions: what selection wants of them, and how it makes them of `ir::Builtin`'s.
//!
//! Such a call is followed by a branch (`mir::desc::INVOKE`), which is where its block ends however it ends. What stands between
//! the two is not executed where an exception leaves the call, so nothing there may be for the landing pad: passes over IR may
//! have put it there, and `apart` puts it in front of the call or where the call goes on. O(instructions) of functions with such
//! calls.

use super::select::Select;
use crate::base::{BitSet, Handle};
use crate::ir::builtin::Clause;
use crate::ir::opcode::{READS, WRITES};
use crate::ir::{At, Block, Body, Builtin, Env, Flags, Inst, Op, Place, Value};
use crate::mir::Operand;
use crate::mir::desc::{INVOKE, LANDING};
use crate::mir::func::VRegRow;
use crate::mir::landing::{Action, Landings};

/// What a call of a builtin stands for.
fn builtin_of(env: &Env, body: &Body, i: Inst) -> Option<Builtin> {
    if body.op(i) == Op::Call { env.funcs[body.callee(i)].builtin } else { None }
}

/// The instruction that asks whether an exception has left the call in front of it, if a branch depends on one.
fn question(env: &Env, body: &Body, branch: Inst) -> Option<Inst> {
    let condition = body.args(branch).first().filter(|_| body.op(branch) == Op::CondBr)?.as_inst()?;
    (builtin_of(env, body, condition) == Some(Builtin::Unwinds)).then_some(condition)
}

/// The call of a block that an exception may leave, once everything is where selection wants it.
pub fn left(env: &Env, body: &Body, b: Block) -> Option<Inst> {
    let question = question(env, body, body.terminator(b).filter(|_| env.unwinds)?)?;
    let mut in_front = std::iter::successors(body.prev(question), |&i| body.prev(i));
    in_front.find(|&i| body.op(i) == Op::Call && body.flags(i).has(Flags::INVOKED))
}

/// Puts everything where selection wants it. Behind it a call that may be left is followed by its branch, and a landing pad begins its
/// block, which one edge leads to. What asks behind no call becomes a jump.
pub fn apart(env: &Env, body: &mut Body) {
    let blocks: Vec<Block> = body.blocks().collect();
    for b in blocks {
        if let Some(branch) = body.terminator(b)
            && let Some(question) = question(env, body, branch)
        {
            apart_from(body, (b, branch), question);
        }
        let pad = body.insts(b).find(|&i| builtin_of(env, body, i) == Some(Builtin::LandingPad));
        if let Some(pad) = pad {
            let selector = body.insts(b).find(|&i| builtin_of(env, body, i) == Some(Builtin::Selector));
            body.move_inst(pad, At::Start(b));
            if let Some(selector) = selector {
                body.move_inst(selector, At::After(pad));
            }
        }
    }
}

fn apart_from(body: &mut Body, (b, branch): (Block, Inst), question: Inst) {
    let (_, no) = body.ways(branch);
    let is_call = |i: &Inst| body.op(*i) == Op::Call && body.flags(*i).has(Flags::INVOKED);
    let in_front = std::iter::successors(body.prev(question), |&i| body.prev(i));
    let call = match body.block_of(question) == Some(b) {
        true => in_front.into_iter().find(is_call),
        false => None,
    };
    let Some(call) = call else {
        body.fold_cond_br(b, no, Place::NONE);
        return;
    };
    let between: Vec<Inst> = std::iter::successors(body.next(call), |&i| body.next(i))
        .filter(|&i| i != question && i != branch)
        .collect();
    if between.is_empty() {
        return;
    }
    let behind = match body.preds(body.edge_to(no)).len() {
        1 => body.edge_to(no),
        _ => body.split_edge(no),
    };
    let mut depends = BitSet::new(body.inst_count());
    depends.insert(call);
    let mut last = None;
    for i in between {
        let is_behind = body.op(i).has(READS)
            || body.op(i).has(WRITES)
            || body.args(i).iter().filter_map(|v| v.as_inst()).any(|of| depends.contains(of));
        if is_behind {
            depends.insert(i);
            body.move_inst(i, last.map_or(At::Start(behind), At::After));
            last = Some(i);
        } else {
            body.move_inst(i, At::Before(call));
        }
    }
}

/// Selects the branch behind a call that may be left; false, and nothing done, for any other.
pub fn branch(cx: &mut Select, i: Inst) -> bool {
    if !cx.env.unwinds || question(cx.env, cx.body, i).is_none() {
        return false;
    }
    // How many entries of a table of jumps it would be: a whole one.
    cx.emit(INVOKE, &[], &[], 2, cx.succ(0));
    true
}

/// Selects a landing pad, and the number behind it.
pub fn landing(cx: &mut Select, i: Inst) {
    let (body, ints) = (cx.body, cx.rules.convention.ints);
    let selector = body.next(i).filter(|&next| builtin_of(cx.env, body, next) == Some(Builtin::Selector));
    let mut defs = Vec::new();
    for (i, &reg) in [Some(i), selector].into_iter().zip(ints) {
        if let Some(i) = i.filter(|&i| cx.is_wanted(i)) {
            defs.push(Operand::fixed(cx.result(i), reg));
        }
    }
    let (mut actions, mut is_cleanup) = (Vec::new(), false);
    let landings = &mut cx.out.landings;
    let mut clauses = body.args(i).iter().filter_map(|&v| Clause::of(body, v));
    while let Some(clause) = clauses.next() {
        let number = |landings: &mut Landings, clause: Clause| match clause {
            Clause::Type(of) => landings.type_number(Some(of.index() as u32)),
            _ => landings.type_number(None),
        };
        match clause {
            Clause::Cleanup => is_cleanup = true,
            Clause::Filter(count) => {
                let types = clauses.by_ref().take(count as usize).map(|clause| number(landings, clause));
                let types = types.collect();
                actions.push(landings.filter(types));
            }
            _ => actions.push(Action::Catch(number(landings, clause))),
        }
    }
    if is_cleanup {
        actions.push(Action::Cleanup);
    }
    let personality = cx.env.funcs[cx.body.func].personality.get();
    landings.personality = personality.map(|func| func.index() as u32);
    let row = landings.rows.len() as u32;
    landings.rows.push(actions);
    let count = defs.len() as u8;
    cx.emit_call(LANDING, count, &defs, row);
}

/// Selects the number of a type.
pub fn type_id(cx: &mut Select, i: Inst, of: Value) {
    let number = cx.out.landings.type_number(of.as_global().map(|of| of.index() as u32));
    let Some(number) = Value::small_int(number as i32) else { return cx.fail("too many types are caught") };
    let (def, number) = (cx.result(i), cx.reg(number));
    let VRegRow { class, bytes, .. } = cx.out.vregs[def];
    let op = cx.rules.machine.width(class, bytes.into()).copy;
    cx.emit(op, &[Operand::virt(def)], &[number], 0, 0);
}
