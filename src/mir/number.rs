//! Numbers values on machine rows: a row goes that computes what a row has computed that stands on every way to it, and
//! its users use that one. Selection makes rows that no pass over IR has seen: constants, addresses of globals, parts of
//! addresses, extensions, the difference that a comparison and a choice both want.
//!
//! One walk over the blocks in reverse postorder, with a table of rows by what they say: opcode, operands as they are numbered
//! by then, immediate, symbol. A place of the table has the last row that fell there; one that dominates stands for a new one
//! that says the same, where that pays (`pays`): the value lives longer for it. O(rows).
//! (Value numbering over dominators, Briggs, Cooper and Simpson 1997, without their scopes: a table that forgets a row for a
//! newer one misses few.)
//!
//! A comparison goes, too, if the one that set the flags last in its block says the same: two choices by one condition have a comparison each.
//!
//! Executed instructions of the kernels: 0.05% fewer on RISC-V and AArch64, 0.3% on ARMv7 (`knapsack` 10%, `queue_walk` 6%,
//! `reverse` 4%), 0.4% with vectors of RISC-V, and none has more. A value between calls, or a constant kept in a loop for the
//! next block that has a use for it, does not pay: registers run out. It is 1.4% of the instructions of -O2 without the
//! analyses; on ARMv7 a kernel (`lu`) takes 9% less, since there is less to allocate.

use super::analyses::Analyses;
use super::debug_values::{DebugValues, Others, Stood};
use super::desc::{CALL, EARLY_DEF, MOVE, PHI, REMAT, SETS_FLAGS, TIED};
use super::rewrite::Rows;
use super::{Block, Class, Func, Inst, Machine, Operand, VReg};
use crate::base::formula;
use crate::base::{Column, Handle, Opt};

/// The most places of the table, and the least.
const PLACES: [usize; 2] = [1 << 6, 1 << 14];

/// The most rows from one to the other. Values that live on over more are spilled, and lists of them grow: without a limit
/// functions of 4,000 lines took 26% more of -O2 (`dense_cfg`), and allocation of long initialisers four times as much.
const FAR: usize = 256;

/// A row in the table: where it is, and how many calls stand in front of it in the order of the walk.
#[derive(Copy, Clone)]
struct Known {
    row: Inst,
    block: Block,
    calls: u32,
}

/// What the walk reads besides the rows.
struct Cx<'a> {
    machine: &'a Machine,
    analyses: &'a Analyses,
    /// Per value: some phi uses it.
    in_phi: Column<VReg, bool>,
    /// Per value that is gone: the one that stands for it.
    same: Column<VReg, Opt<VReg>>,
}

/// Leaves out what is there already; says how many rows that is. Dominators and loops are true of the function.
#[inline(never)]
pub fn number(func: &mut Func, machine: &Machine, analyses: &Analyses) -> usize {
    let gone = find(func, machine, analyses);
    let Some(Found { rows, same }) = gone else { return 0 };
    for v in func.vregs.keys() {
        if let Some(other) = same[v].get() {
            func.vregs[other].crosses |= func.vregs[v].crosses;
        }
    }
    for operand in &mut func.operands {
        if let Some(other) = operand.as_virt().and_then(|v| same[v].get()) {
            *operand = operand.constraint().map_or(Operand::virt(other), |reg| Operand::fixed(other, reg));
        }
    }
    rename_labels(func, &same);
    leave_out(func, &rows);
    rows.len()
}

/// Rows that are to go, in the order of the walk, and what stands for their values.
struct Found {
    rows: Vec<Inst>,
    same: Column<VReg, Opt<VReg>>,
}

fn find(func: &mut Func, machine: &Machine, analyses: &Analyses) -> Option<Found> {
    let (values, order) = (func.vregs.len(), &analyses.order.blocks);
    let mut cx = Cx {
        machine,
        analyses,
        in_phi: Column::filled(values, false),
        same: Column::filled(values, Opt::NONE),
    };
    for &b in order {
        for i in func.rows(b).take_while(|&i| func.insts[i].op == PHI) {
            func.uses(i).iter().filter_map(|o| o.as_virt()).for_each(|v| cx.in_phi[v] = true);
        }
    }
    let places = func.insts.len().next_power_of_two().clamp(PLACES[0], PLACES[1]);
    let mut table: Vec<Option<Known>> = vec![None; places];
    let (mut gone, mut calls) = (Vec::new(), 0);
    for &b in order {
        let mut compared: Option<Inst> = None;
        for i in func.rows(b) {
            let flags = machine.row(func.insts[i].op).flags;
            if flags & (SETS_FLAGS | CALL) != 0 {
                calls += u32::from(flags & CALL != 0);
                let compares = only_compares(func, &cx, i);
                if compares && compared.is_some_and(|other| cx.says_the_same(func, other, i)) {
                    gone.push(i);
                } else {
                    compared = compares.then_some(i);
                }
                continue;
            }
            let Some((def, hash)) = only_computes(func, &cx, (i, flags)) else { continue };
            if flags & MOVE != 0
                && let Some(other) = cx.copied(func, def, i)
            {
                cx.same[def] = Opt::some(other);
                gone.push(i);
                continue;
            }
            let place = &mut table[hash as usize & (places - 1)];
            let now = Known { row: i, block: b, calls };
            match place
                .filter(|known| cx.stands_for(func, *known, now))
                .and_then(|known| func.defs(known.row)[0].as_virt())
            {
                Some(other) => {
                    cx.same[def] = Opt::some(other);
                    func.vregs[other].crosses |= place.is_some_and(|known| known.block != b);
                    gone.push(i);
                }
                None => *place = Some(now),
            }
        }
    }
    (!gone.is_empty()).then_some(Found { rows: gone, same: cx.same })
}

/// The value of a row that does nothing but compute it from values, and computes it again wherever it stands; and the hash of
/// what the row says.
#[inline]
fn only_computes(func: &Func, cx: &Cx, (i, flags): (Inst, u16)) -> Option<(VReg, u32)> {
    if flags & !(REMAT | TIED | MOVE | EARLY_DEF) != 0 || func.insts[i].op == PHI {
        return None;
    }
    let &[def] = func.defs(i) else { return None };
    let def = def.as_virt().filter(|_| def.constraint().is_none())?;
    // A phi that starts with a constant has a register of its own: a copy comes in its place, and costs as much.
    let is_copied = flags & (REMAT | MOVE) != 0 && cx.in_phi[def];
    if is_copied {
        return None;
    }
    cx.hash(func, i).map(|hash| (def, hash))
}

/// True of a row that does nothing but compare values: it sets flags, and no register.
fn only_compares(func: &Func, cx: &Cx, i: Inst) -> bool {
    let flags = cx.machine.row(func.insts[i].op).flags;
    flags == SETS_FLAGS && func.defs(i).is_empty() && reads_the_same(func, cx, i)
}

/// True if what a row reads is the same wherever it stands.
fn reads_the_same(func: &Func, cx: &Cx, i: Inst) -> bool {
    func.uses(i).iter().all(|&o| is_the_same(func, cx, o))
}

#[inline]
fn is_the_same(func: &Func, cx: &Cx, o: Operand) -> bool {
    // What always holds zero; and where the stack pointer moves, that may be another one.
    match o.as_phys() {
        Some(reg) => !func.framed && cx.machine.registers.class(reg) == Class::INT,
        None => o.constraint().is_none(),
    }
}

impl Cx<'_> {
    fn numbered(&self, o: Operand) -> Operand {
        o.as_virt().and_then(|v| self.same[v].get()).map_or(o, Operand::virt)
    }

    /// Of what a row says; none if what it reads is not the same wherever it stands.
    #[inline]
    fn hash(&self, func: &Func, i: Inst) -> Option<u32> {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let row = func.insts[i];
        let own = u64::from(row.op.0) << 48 ^ u64::from(row.imm as u32) << 16 ^ u64::from(row.sym);
        let mix = |hash: u64, more: u64| (hash.rotate_left(5) ^ more).wrapping_mul(FACTOR);
        let mut hash = mix(0, own);
        for &o in func.uses(i) {
            if !is_the_same(func, self, o) {
                return None;
            }
            hash = mix(hash, u64::from(self.numbered(o).number()));
        }
        Some((hash >> 32) as u32)
    }

    /// The value that a move copies to one of the same kind.
    fn copied(&self, func: &Func, def: VReg, i: Inst) -> Option<VReg> {
        let from = func.uses(i).first()?;
        let other = self.numbered(*from).as_virt()?;
        let kind = |v: VReg| (func.vregs[v].class, func.vregs[v].bytes);
        (kind(def) == kind(other)).then_some(other)
    }

    /// True if what a row computes is what another one would compute, and it is better to have it from there.
    fn stands_for(&self, func: &Func, known: Known, now: Known) -> bool {
        let kind = |v: VReg| (func.vregs[v].class, func.vregs[v].bytes);
        let size = |i: Inst| func.defs(i).first().and_then(|def| def.as_virt()).map(kind);
        self.says_the_same(func, known.row, now.row)
            && size(known.row) == size(now.row)
            && self.pays(known, now, self.machine.is(func, now.row, REMAT))
    }

    /// True of two rows with the same opcode, immediate, symbol and operands.
    fn says_the_same(&self, func: &Func, a: Inst, b: Inst) -> bool {
        let says = |i: Inst| (func.insts[i].op, func.insts[i].imm, func.insts[i].sym);
        let uses = |i: Inst| func.uses(i).iter().map(|&o| self.numbered(o));
        says(a) == says(b) && uses(a).eq(uses(b))
    }

    /// True if a value may live on to where it would be computed again, not far away and with no call in between. In one block it may; from
    /// one block to another of the same loop if it is more than a constant or an address, and those if the loop is another:
    /// what is made once for several places of a loop stands in front of it already, where that pays.
    fn pays(&self, known: Known, now: Known, is_cheap: bool) -> bool {
        let Analyses { dominators, loops, .. } = self.analyses;
        let (from, to) = (known.block, now.block);
        let is_near = loops.innermost[from] == loops.innermost[to];
        known.calls == now.calls
            && now.row.index().abs_diff(known.row.index()) <= FAR
            && (from == to || dominators.dominates(from, to) && is_near != is_cheap)
    }
}

/// What debuggers were to be shown of a value that is gone is shown of the one that stands for it.
fn rename_labels(func: &mut Func, same: &Column<VReg, Opt<VReg>>) {
    let Some(debug) = &mut func.debug_values else { return };
    let gone = same.iter().filter_map(|(v, other)| Some((debug.label(v)?, other.get()?)));
    let mut gone: Vec<_> = gone.collect();
    gone.sort_unstable();
    let renamed = |debug: &mut DebugValues, stood: Stood| match stood {
        Stood::Label(label) => match gone.binary_search_by_key(&label, |row| row.0) {
            Ok(at) => Stood::Label(debug.labelled(gone[at].1)),
            Err(_) => stood,
        },
        _ => stood,
    };
    for k in 0..debug.changes.len() {
        debug.changes[k].1 = renamed(debug, debug.changes[k].1);
    }
    for k in 0..debug.formulas.len() {
        let terms = std::mem::take(&mut debug.formulas[k]);
        let terms = formula::map(&terms, |stood| Some(renamed(debug, stood)));
        debug.formulas[k] = terms.unwrap_or_default();
    }
    // By what else they could be told is not known of those that are gone.
    for &(label, _) in &gone {
        if let Some(others) = debug.others.as_mut_slice().get_mut(label.index()) {
            *others = Others::default();
        }
    }
}

/// Writes the rows again without some.
fn leave_out(func: &mut Func, gone: &[Inst]) {
    let mut gone: Vec<usize> = gone.iter().map(|row| row.index()).collect();
    gone.sort_unstable();
    let mut none = Column::new();
    let mut rows = Rows::new(func, 0, &none);
    let mut gone = gone.into_iter().peekable();
    for b in func.blocks.keys() {
        let (mut done, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        while let Some(row) = gone.next_if(|&row| row < end) {
            rows.keep_all(func, &none, done..row);
            done = row + 1;
        }
        rows.keep_all(func, &none, done..end);
        rows.end_block();
    }
    rows.finish(func, &mut none);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::analyses::Needs;
    use crate::mir::{parse, print, toy, verify};

    /// The rows of a function behind the pass, which must be in SSA form.
    fn numbered(text: &str) -> Vec<String> {
        let machine = toy::machine();
        let mut func = parse::parse(text, &machine).unwrap();
        let mut analyses = Analyses::default();
        analyses.require(&func, Needs::LOOPS);
        number(&mut func, &machine, &analyses);
        assert_eq!(verify::verify_selected(&func, &machine), Ok(()));
        let rows = print::print(&func, &machine);
        let rows = rows.lines().filter(|line| line.starts_with("    "));
        rows.map(|line| line.trim().to_string()).collect()
    }

    /// How many rows have this word.
    fn count(rows: &[String], word: &str) -> usize {
        rows.iter().filter(|row| row.contains(word)).count()
    }

    /// Two blocks one behind the other, with these rows.
    fn two(first: &str, second: &str) -> Vec<String> {
        let text = format!(
            "mb0 -> mb1\n    v0:i4@r1, v1:i4@r2 = entry\n    {first}\n    j mb1\nmb1\n    {second}\n    ret v9@r1\n"
        );
        numbered(&text.replace("; ", "\n    "))
    }

    #[test]
    fn what_is_computed_already_is_not_computed_again() {
        let rows = two("v2:i4 = add v0, v1; v3:i4 = add v0, v1", "v9:i4 = sub v2, v3");
        assert_eq!((count(&rows, "add"), count(&rows, "sub v2, v2")), (1, 1), "{rows:?}");
        let rows = two("v2:i4 = add v0, v1", "v3:i4 = add v0, v1; v9:i4 = sub v2, v3");
        assert_eq!(count(&rows, "add"), 1, "{rows:?}");
        // What is made of the same is the same.
        let rows =
            two("v2:i4 = li #5; v3:i4 = li #5", "v4:i4 = add v2, v0; v5:i4 = add v3, v0; v9:i4 = sub v4, v5");
        assert_eq!((count(&rows, "li"), count(&rows, "add")), (1, 1), "{rows:?}");
    }

    #[test]
    fn what_is_not_the_same_stays() {
        for (first, second, word, times) in [
            ("v2:i4 = add v0, v1; v3:i4 = add v1, v0", "v9:i4 = sub v2, v3", "add", 2),
            ("v2:i4 = addi v0, #4; v3:i4 = addi v0, #5", "v9:i4 = sub v2, v3", "addi", 2),
            ("v2:i4 = addi v0, #4; v3:i8 = addi v0, #4", "v9:i4 = sub v2, v3", "addi", 2),
            // A call is in between; what a call gives may be another thing.
            ("v2:i4 = addi v0, #4; v8:i4@r1 = call @3", "v3:i4 = addi v0, #4; v9:i4 = sub v2, v3", "addi", 2),
            ("v2:i4@r1 = call @3; v3:i4@r1 = call @3", "v9:i4 = sub v2, v3", "call", 2),
            // A constant for another block is made there.
            ("v2:i4 = li #5", "v3:i4 = li #5; v4:i4 = add v0, v2; v9:i4 = add v4, v3", "li", 2),
        ] {
            let rows = two(first, second);
            assert_eq!(count(&rows, word), times, "{rows:?}");
        }
        // Nor what another way would not have computed, nor constants that phis start with.
        let rows = numbered(
            "
mb0 -> mb1 mb2
    v0:i4@r1, v1:i4@r2 = entry
    v2:i4 = li #3
    v3:i4 = li #3
    beq v0, v1, mb1
mb1 -> mb3
    v4:i4 = add v0, v1
    j mb3
mb2 -> mb3
    j mb3
mb3
    v5:i4 = phi v2, v0
    v6:i4 = phi v3, v1
    v7:i4 = add v0, v1
    v8:i4 = sub v5, v6
    v9:i4 = sub v8, v7
    ret v9@r1
",
        );
        assert_eq!((count(&rows, "li"), count(&rows, "add")), (2, 2), "{rows:?}");
    }

    #[test]
    fn flags_that_are_set_already_are_not_set_again() {
        for (first, second, times) in [
            ("cmp v0, v1; v2:i4 = cset; cmp v0, v1; v3:i4 = cset", "v9:i4 = sub v2, v3", 1),
            ("v4:i4 = mov v1; cmp v0, v1; v2:i4 = cset; cmp v0, v4; v3:i4 = cset", "v9:i4 = sub v2, v3", 1),
            // Other flags, or a call, or a block are in between.
            ("cmp v0, v1; v2:i4 = cset; cmp v1, v0; v3:i4 = cset", "v9:i4 = sub v2, v3", 2),
            ("cmp v0, v1; v2:i4 = cset; cmp v1, v0; cmp v0, v1; v3:i4 = cset", "v9:i4 = sub v2, v3", 3),
            (
                "cmp v0, v1; v2:i4 = cset; v8:i4@r1 = call @3; cmp v0, v1; v3:i4 = cset",
                "v9:i4 = sub v2, v3",
                2,
            ),
            ("cmp v0, v1; v2:i4 = cset", "cmp v0, v1; v3:i4 = cset; v9:i4 = sub v2, v3", 2),
        ] {
            let rows = two(first, second);
            assert_eq!(count(&rows, "cmp"), times, "{rows:?}");
        }
    }

    #[test]
    fn a_constant_goes_into_a_loop_and_a_copy_goes() {
        let rows = numbered(
            "
mb0 -> mb1
    v0:i4@r1 = entry
    v1:i4 = li #9
    v2:i4 = add v0, v1
    j mb1
mb1 depth 1 preds mb0 mb2 -> mb2 mb3
    v3:i4 = phi v2, v6
    v4:i4 = li #9
    v5:i4 = mov v4
    v6:i4 = sub v3, v5
    bone v6, mb2
mb2 depth 1 -> mb1
    j mb1
mb3
    ret v3@r1
",
        );
        assert_eq!(
            (count(&rows, "li"), count(&rows, "mov"), count(&rows, "sub v3, v1")),
            (1, 0, 1),
            "{rows:?}"
        );
        // A copy to more bytes may be more than that.
        let rows = two("v2:i8 = mov v0", "v9:i4 = sub v0, v2");
        assert_eq!(count(&rows, "mov"), 1);
    }
}
