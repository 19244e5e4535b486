//! The rules of machine IR in its first two states, checked. For tests and `-fverify`.
//!
//! *Selected*: SSA, definitions before uses on every path, phis at block heads with an operand per
//! predecessor and entered by no critical edge, classes as the opcode's row says, fixed registers where they
//! may be, and what opcode flags promise. *Allocated*: physical registers only, no phis, classes again, all
//! written callee-saved registers noted. O(rows + live-in lists).

use super::desc::*;
use super::{Block, Func, Inst, Operand, VReg};
use crate::base::{Column, Handle, Opt};

/// Checks a function as selection leaves it; an error names the block and row.
pub fn verify_selected(func: &Func, machine: &Machine) -> Result<(), String> {
    blocks(func, machine)?;
    for b in func.blocks.keys() {
        let mut body = false;
        for i in func.rows(b) {
            let at = |what: &str| format!("{b:?}: row {i:?} ({}) {what}", machine.row(func.insts[i].op).name);
            row(func, machine, i).map_err(|what| at(&what))?;
            selected_row(func, machine, b, i, body).map_err(at)?;
            body |= func.insts[i].op != PHI;
        }
        flags(func, machine, b)?;
        if Some(&PHI) == func.rows(b).next().map(|i| func.insts[i].op).as_ref()
            && let Some(pred) = func.preds(b).iter().find(|&&p| func.blocks[p].succs[1].is_some())
        {
            return Err(format!("{b:?} has phis and is entered by a critical edge from {pred:?}"));
        }
    }
    dominance(func)
}

/// Checks a function as the allocator leaves it.
pub fn verify_allocated(func: &Func, machine: &Machine) -> Result<(), String> {
    blocks(func, machine)?;
    order(func)?;
    for b in func.blocks.keys() {
        for i in func.rows(b) {
            let at = |what: &str| format!("{b:?}: row {i:?} ({}) {what}", machine.row(func.insts[i].op).name);
            row(func, machine, i).map_err(|what| at(&what))?;
            if func.insts[i].op == PHI {
                return Err(at("is still there"));
            }
            if func.operands(i).iter().any(|o| o.as_virt().is_some()) {
                return Err(at("has an operand without register"));
            }
            let mut written = func.defs(i).iter().filter_map(|d| d.as_phys());
            let owed = |reg| machine.registers.units(reg).and(machine.callee_saved).minus(func.saved);
            if written.any(|reg| !owed(reg).is_empty()) {
                return Err(at("writes a register that is not saved"));
            }
        }
        flags(func, machine, b)?;
    }
    Ok(())
}

/// Edges and terminators. A block without rows must be out of reach: without edges.
fn blocks(func: &Func, machine: &Machine) -> Result<(), String> {
    let mut entered: Column<Block, usize> = Column::filled(func.blocks.len(), 0);
    for b in func.blocks.keys() {
        for s in func.succs(b) {
            if s.index() >= func.blocks.len() || !func.preds(s).contains(&b) {
                return Err(format!("{b:?} goes to {s:?}, which does not know"));
            }
            entered[s] += 1;
        }
    }
    let mut known: Vec<Block> = Vec::new();
    for b in func.blocks.keys() {
        let block = &func.blocks[b];
        known.clear();
        known.extend(func.preds(b));
        known.sort_unstable();
        let edges = |p: Block| func.succs(p).filter(|&s| s == b).count();
        if let Some(same) = known.chunk_by(|a, b| a == b).find(|same| edges(same[0]) != same.len()) {
            return Err(format!("{b:?} has {:?} as a predecessor {} times", same[0], same.len()));
        }
        if entered[b] != func.preds(b).len() {
            return Err(format!(
                "{b:?} has {} predecessors and is entered by {}",
                func.preds(b).len(),
                entered[b]
            ));
        }
        let Some(last) = func.rows(b).next_back() else {
            if b.index() == 0 || block.succs[0].is_some() || !func.preds(b).is_empty() {
                return Err(format!("{b:?} has edges and no rows"));
            }
            continue;
        };
        let flags = machine.row(func.insts[last].op).flags & TERMINATORS;
        let to = |k: usize| block.succs[k].get();
        let fits = match (flags, to(0), to(1)) {
            (RETURN, None, None) => true,
            (JUMP, Some(s), None) | (COND_BRANCH, Some(s), Some(_)) => {
                func.insts[last].sym as usize == s.index()
            }
            _ => false,
        };
        if !fits {
            return Err(format!("{b:?} does not end as its successors say"));
        }
        if let Some(i) = func.rows(b).rev().skip(1).find(|&i| machine.is(func, i, TERMINATORS)) {
            return Err(format!("{b:?}: row {i:?} ends the block before its end"));
        }
    }
    Ok(())
}

/// An order of blocks has each once, the entry first, and with a block what it goes to.
fn order(func: &Func) -> Result<(), String> {
    let mut placed = Column::filled(func.blocks.len(), false);
    for &b in &func.layout {
        if placed.get(b).is_none_or(|&placed| placed) {
            return Err(format!("{b:?} stands twice in the order, or is no block"));
        }
        placed[b] = true;
    }
    let Some(first) = func.layout.first() else { return Ok(()) };
    if first.index() != 0 {
        return Err(format!("the order begins with {first:?}"));
    }
    let missing = func.layout.iter().flat_map(|&b| func.succs(b)).find(|&s| !placed[s]);
    missing.map_or(Ok(()), |s| Err(format!("{s:?} has no place in the order")))
}

/// Operands against the shape of the opcode's row, and symbols in range.
fn row(func: &Func, machine: &Machine, i: Inst) -> Result<(), String> {
    let inst = &func.insts[i];
    let op = machine.row(inst.op);
    let (defs, uses) = op.operands.split_once('=').unwrap_or(("", op.operands));
    for (shape, operands) in [(defs, func.defs(i)), (uses, func.uses(i))] {
        let exact = !shape.ends_with('*');
        let classes = shape.trim_end_matches('*').as_bytes();
        if operands.len() < classes.len() || exact && operands.len() > classes.len() {
            return Err(format!("has {} operands for `{}`", operands.len(), op.operands));
        }
        for (&class, &o) in classes.iter().zip(operands) {
            let found = match (o.as_virt(), o.as_phys()) {
                (Some(v), _) => func.vregs.get(v).ok_or("names no value")?.class,
                (_, Some(reg)) => machine.registers.class(reg),
                _ => Class::INT,
            };
            if machine.class_of_letter(class) != Some(found) {
                return Err(format!("has {o:?} in the wrong class"));
            }
        }
    }
    let count = match op.sym {
        SymKind::Block => func.blocks.len(),
        SymKind::Slot => func.slots.len(),
        SymKind::Wide => func.wide.len(),
        SymKind::None | SymKind::Global | SymKind::Func | SymKind::Unwind => usize::MAX,
    };
    if inst.sym as usize >= count {
        return Err(format!("names symbol {} of {count}", inst.sym));
    }
    Ok(())
}

fn selected_row(func: &Func, machine: &Machine, b: Block, i: Inst, body: bool) -> Result<(), &'static str> {
    let inst = &func.insts[i];
    let flags = machine.row(inst.op).flags;
    let (defs, uses) = (func.defs(i), func.uses(i));
    let convention = inst.op == ENTRY || flags & (CALL | RETURN) != 0;
    let is_given = |reg| {
        let order = machine.class(machine.registers.class(reg)).order;
        order.contains(&reg) && !machine.reserved(func).contains(reg)
    };
    for (k, o) in func.operands(i).iter().enumerate() {
        match (o.as_virt(), o.constraint(), o.as_phys()) {
            (Some(_), Some(reg), _) if convention => {
                let group = if k < defs.len() { &defs[..k] } else { &uses[..k - defs.len()] };
                let overlaps = |other: PReg| machine.registers.overlap(other, reg);
                if group.iter().any(|other| other.constraint().is_some_and(overlaps)) {
                    return Err("has two operands in one register");
                }
                if flags & CALL != 0 && !machine.registers.units(reg).minus(machine.caller_saved).is_empty() {
                    return Err("passes something in a register that the callee preserves");
                }
                if o.as_virt().is_some_and(|v| func.vregs[v].class != machine.registers.class(reg)) {
                    return Err("has an operand in a register of the other class");
                }
            }
            (Some(_), Some(_), _) => return Err("may not have fixed registers"),
            (Some(_), None, _) if convention => return Err("has an operand without fixed register"),
            (_, _, Some(reg)) if is_given(reg) => {
                return Err("names a register that the allocator gives out");
            }
            _ => {}
        }
    }
    if inst.op == ENTRY && (b.index() != 0 || i != func.blocks[b].first) {
        return Err("is not where ENTRY belongs: first in the first block, and nowhere else");
    }
    if inst.op == PHI {
        let class = |o: &Operand| o.as_virt().map(|v| func.vregs[v]);
        if body || defs.len() != 1 || uses.len() != func.preds(b).len() {
            return Err("is not a phi at the head with a value per predecessor");
        }
        if uses.iter().any(|u| class(u).map(|row| row.class) != class(&defs[0]).map(|row| row.class)) {
            return Err("joins values of different classes");
        }
    }
    if flags & REMAT != 0 {
        let inputs = uses.iter().any(|u| u.as_virt().is_some());
        if inputs || defs.len() != 1 || flags & (SETS_FLAGS | USES_FLAGS | STORES) != 0 {
            return Err("cannot be done again");
        }
    }
    let least = if flags & TIED_LAST != 0 { 2 } else { 1 };
    if flags & TIED != 0 && defs.len().min(uses.len()) < least {
        return Err("has nothing to tie");
    }
    Ok(())
}

/// Readers of the flags follow a writer in their block, without a call between.
fn flags(func: &Func, machine: &Machine, b: Block) -> Result<(), String> {
    let mut set = false;
    for i in func.rows(b) {
        let flags = machine.row(func.insts[i].op).flags;
        if flags & USES_FLAGS != 0 && !set {
            return Err(format!("{b:?}: row {i:?} reads flags that nothing before it sets"));
        }
        set = (set || flags & SETS_FLAGS != 0) && flags & CALL == 0;
    }
    Ok(())
}

/// One definition each, before all uses: no value is live into the entry. A backward walk from the uses of
/// each value.
fn dominance(func: &Func) -> Result<(), String> {
    let mut home: Column<VReg, Opt<Block>> = Column::filled(func.vregs.len(), Opt::NONE);
    let mut far = Vec::new();
    for b in func.blocks.keys() {
        for i in func.rows(b) {
            for v in func.defs(i).iter().filter_map(|d| d.as_virt()) {
                if std::mem::replace(&mut home[v], Opt::some(b)).is_some() {
                    return Err(format!("{b:?}: row {i:?} defines {v:?}, which is defined already"));
                }
            }
        }
    }
    let mut seen: Column<VReg, bool> = Column::filled(func.vregs.len(), false);
    for b in func.blocks.keys() {
        for i in func.rows(b) {
            let phi = func.insts[i].op == PHI;
            for (k, v) in func.uses(i).iter().enumerate().filter_map(|(k, u)| Some((k, u.as_virt()?))) {
                let at = if phi { func.preds(b)[k] } else { b };
                if (phi || home[v].get() != Some(b)) && !func.vregs[v].crosses {
                    return Err(format!("{b:?}: row {i:?} uses {v:?}, which is not noted to cross blocks"));
                }
                if home[v].get() != Some(at) {
                    far.push((v, at));
                } else if !phi && !seen[v] {
                    return Err(format!("{b:?}: row {i:?} uses {v:?} before its definition"));
                }
            }
            func.defs(i).iter().filter_map(|d| d.as_virt()).for_each(|v| seen[v] = true);
        }
    }
    far.sort_unstable();
    let mut mark: Column<Block, Opt<VReg>> = Column::filled(func.blocks.len(), Opt::NONE);
    let mut stack = Vec::new();
    for (v, b) in far {
        stack.push(b);
        while let Some(b) = stack.pop() {
            if home[v] == Opt::some(b) || std::mem::replace(&mut mark[b], Opt::some(v)) == Opt::some(v) {
                continue;
            }
            if b.index() == 0 {
                return Err(format!("{v:?} is used where it may not be defined"));
            }
            stack.extend(func.preds(b));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{parse, toy};

    fn verdict(text: &str) -> Result<(), String> {
        verify_selected(&parse::parse(text, &toy::machine()).unwrap(), &toy::machine())
    }

    const GOOD: &str = "\
mb0 -> mb1
    v0:i4@r1, v1:f4@f0 = entry
    v2:i4 = li
    j mb1
mb1 -> mb3 mb2
    v3:i4 = phi v0, v4
    v4:i4 = add v3, v2
    cmp v3, v4
    bflag mb3
mb2
    v5:i4@r1 = call v4@r1, @3
    ret v5@r1
mb3 -> mb1
    j mb1
";

    #[test]
    fn a_well_formed_function_passes() {
        assert_eq!(verdict(GOOD), Ok(()));
    }

    #[test]
    fn every_rule_is_enforced() {
        for (from, to, what) in [
            ("v3:i4 = phi v0, v4", "v3:i4 = phi v0", "a value per predecessor"),
            ("v3:i4 = phi v0, v4", "v3:i4 = phi v0, v1", "different classes"),
            ("    v4:i4 = add v3, v2\n", "    v4:i4 = add v3, v5\n", "may not be defined"),
            ("    v4:i4 = add v3, v2\n", "    v4:i4 = add v4, v2\n", "before its definition"),
            ("v4:i4 = add v3, v2", "v4:i4 = add v3, v1", "wrong class"),
            ("v4:i4 = add v3, v2", "v4:i4 = add v3", "operands for"),
            ("v4:i4 = add v3, v2", "v4:i4@r1 = add v3, v2", "may not have fixed"),
            ("v4:i4 = add v3, v2", "v4:i4 = add v3, r2", "gives out"),
            ("v2:i4 = li", "v0:i4 = li", "defined already"),
            ("    cmp v3, v4\n", "", "reads flags"),
            ("call v4@r1, @3", "call v4, @3", "without fixed register"),
            ("call v4@r1, @3", "call v4@r1, v2@r1, @3", "two operands in one register"),
            ("call v4@r1, @3", "call v4@r3, @3", "callee preserves"),
            ("v0:i4@r1, v1:f4@f0 = entry", "v0:i4@f0, v1:f4@f1 = entry", "other class"),
            ("    v2:i4 = li\n", "    v2:i4 = li\n    v9:i4@r1 = entry\n", "where ENTRY belongs"),
            ("    j mb1\nmb1", "    j mb2\nmb1", "as its successors say"),
            ("    bflag mb3\n", "    bflag mb2\n", "as its successors say"),
            (
                "mb3 -> mb1\n    j mb1\n",
                "mb3 -> mb1 mb2\n    v9:i4 = li\n    bone v9, mb1\n",
                "critical edge",
            ),
            ("    cmp v3, v4\n", "    ret\n    cmp v3, v4\n", "before its end"),
        ] {
            let text = GOOD.replacen(from, to, 1);
            assert_ne!(text, GOOD);
            let error = verdict(&text).expect_err(what);
            assert!(error.contains(what), "expected `{what}`, got `{error}`");
        }
    }
}
