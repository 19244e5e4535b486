//! Short arms of a branch are executed under its condition, on machines where rows can be, or are a choice: `cmp r0, #3; ble .L;
//! add r1, r1, #1; .L:` is `cmp r0, #3; addgt r1, r1, #1`, and on AArch64 `csinc`. Behind all else that makes rows, when each is one instruction.
//!
//! A block that branches around an arm, or to one of two that meet again, takes their rows in, if nothing else comes to an
//! arm, all of its rows have forms with conditions (which neither set nor ask for flags), and executing them in any case
//! is not more than the branches (`pays`). One look at the end of each block; a copy of all rows where an arm goes. O(rows).
//! (If-conversion: Allen, Kennedy, Porterfield and Warren 1983.)

use super::desc::{COND_BRANCH, JUMP, MachineOp, TABLE};
use super::order::{jump_to, rebuild_preds};
use super::rewrite::Rows;
use super::{Block, Func, Inst, InstRow, Machine};
use crate::base::{Column, Handle, Opt};

/// The most rows of an arm.
const MOST: usize = 1;

/// What a machine has for it.
#[derive(Debug)]
pub struct Conditional {
    /// The branch under condition 0. Those of the others follow, an opposite beside each.
    pub branch: MachineOp,
    /// How many conditions there are.
    pub conditions: u16,
    /// Rows, each with its form under condition 0, behind which those of the others follow.
    pub rows: &'static [(MachineOp, MachineOp, Form)],
}

/// How a row under a condition is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// With the same operands.
    Same,
    /// What its result was before is an operand, too: the first one.
    First,
    /// It is the last one, of a choice.
    Last,
    /// A sum with 1 is a choice between what its result was before, under the opposite condition, and the other operand,
    /// plus 1.
    PlusOne,
}

/// A block that takes arms in: under which condition each is executed, and where all go on.
struct Host {
    block: Block,
    arms: [Option<(Block, u16)>; 2],
    to: Block,
}

/// Takes arms in; says how many blocks do.
#[inline(never)]
pub fn conditional(func: &mut Func, machine: &Machine, how: &Conditional) -> usize {
    let mut entered = Column::filled(func.blocks.len(), 0u32);
    func.layout.iter().flat_map(|&b| func.succs(b)).for_each(|s| entered[s] += 1);
    // A call enters the first one.
    func.layout.first().into_iter().for_each(|&first| entered[first] += 1);
    let hosts: Vec<Host> =
        func.layout.iter().filter_map(|&b| host(func, machine, how, &entered, b)).collect();
    if hosts.is_empty() {
        return 0;
    }
    let mut host_of: Column<Block, Opt<Block>> = Column::filled(func.blocks.len(), Opt::NONE);
    for (k, host) in hosts.iter().enumerate() {
        host_of[host.block] = Opt::some(Block::new(k));
    }
    let mut none = Column::new();
    let mut rows = Rows::with_gaps(func, func.insts.len() / 8);
    for b in func.blocks.keys() {
        let all = func.blocks[b].first.index()..func.blocks[b].end.index();
        let Some(host) = host_of[b].get().map(|k| &hosts[k.index()]) else {
            rows.keep_all(func, &none, all);
            rows.end_block();
            continue;
        };
        rows.keep_all(func, &none, all.start..all.end - 1);
        for (arm, condition) in host.arms.into_iter().flatten() {
            for i in func.rows(arm).take(func.rows(arm).len() - 1) {
                let row = under(func, how, i, condition);
                rows.keep(func, &none, i, row);
            }
        }
        rows.keep(func, &none, Inst::new(all.end - 1), jump_to(machine.jump, host.to));
        rows.end_block();
    }
    rows.finish(func, &mut none);
    for host in &hosts {
        func.blocks[host.block].succs = [Opt::some(host.to), Opt::NONE];
        for (arm, _) in host.arms.into_iter().flatten() {
            func.layout.retain(|&b| b != arm);
        }
    }
    rebuild_preds(func);
    hosts.len()
}

/// What a block takes in, if that pays.
fn host(
    func: &Func,
    machine: &Machine,
    how: &Conditional,
    entered: &Column<Block, u32>,
    b: Block,
) -> Option<Host> {
    let last = func.rows(b).next_back()?;
    if !machine.is(func, last, COND_BRANCH) || machine.is(func, last, TABLE) {
        return None;
    }
    let condition = func.insts[last].op.0.checked_sub(how.branch.0).filter(|&c| c < how.conditions)?;
    let [yes, no] = func.blocks[b].succs;
    let (yes, no) = (yes.get()?, no.get()?);
    let arm =
        |arm: Block| (arm != b && entered[arm] == 1).then(|| goes_on(func, machine, how, arm)).flatten();
    let (first, second) = (arm(yes), arm(no));
    let (arms, to) = match (first, second) {
        (Some(to), Some(other)) if to == other => ([Some((yes, condition)), Some((no, condition ^ 1))], to),
        (Some(to), _) if to == no => ([Some((yes, condition)), None], to),
        (_, Some(to)) if to == yes => ([Some((no, condition ^ 1)), None], to),
        _ => return None,
    };
    let host = Host { block: b, arms, to };
    (to != b && pays(func, &host)).then_some(host)
}

/// Where an arm goes on, if all of its rows have forms with conditions.
fn goes_on(func: &Func, machine: &Machine, how: &Conditional, arm: Block) -> Option<Block> {
    let (rows, last) = (func.rows(arm), func.rows(arm).next_back()?);
    let is_short = rows.len() <= MOST + 1 && machine.is(func, last, JUMP) && !func.is_kept(last);
    let has_form = |i: Inst| form_of(how, &func.insts[i]).is_some();
    let fits = is_short && rows.take(func.rows(arm).len() - 1).all(has_form);
    func.blocks[arm].succs[0].get().filter(|&to| fits && to != arm)
}

/// True if the rows of arms in any case are no more than the branch, and the jump over one of two arms, as often as they are
/// executed.
fn pays(func: &Func, Host { block, arms, .. }: &Host) -> bool {
    let times = func.blocks[*block].frequency;
    let wasted = arms.iter().flatten().map(|&(arm, _)| {
        let rows = func.rows(arm).len() as u64 - 1;
        rows.saturating_mul(times.saturating_sub(func.blocks[arm].frequency.min(times)))
    });
    let jump = if arms[1].is_some() { times / 2 } else { 0 };
    wasted.sum::<u64>() <= times.saturating_add(jump)
}

/// The form of a row, if it has one.
fn form_of(how: &Conditional, row: &InstRow) -> Option<(MachineOp, Form)> {
    let &(_, first, form) = how.rows.iter().find(|form| form.0 == row.op)?;
    (form != Form::PlusOne || row.imm == 1).then_some((first, form))
}

/// A row of an arm under a condition.
fn under(func: &mut Func, how: &Conditional, i: Inst, condition: u16) -> InstRow {
    let row = func.insts[i];
    let Some((first, form)) = form_of(how, &row) else { return row };
    let (defs, uses) = (func.defs(i).to_vec(), func.uses(i).to_vec());
    let (condition, uses, imm) = match form {
        Form::Same => (condition, uses, row.imm),
        Form::First => (condition, [&defs[..], &uses].concat(), row.imm),
        Form::Last => (condition, [&uses[..], &defs].concat(), row.imm),
        Form::PlusOne => (condition ^ 1, [&defs[..], &uses].concat(), 0),
    };
    func.make_row(MachineOp(first.0 + condition), &defs, &uses, imm, row.sym)
}
