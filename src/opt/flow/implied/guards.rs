//! A condition that is asked again where two ways meet, one of which comes from a branch on it:
//!
//! ```text
//! if (c) A;        if (c) {
//! if (c) B;          A; B;
//!                  }
//! ```
//!
//! Loops over the same number of rounds, one behind the other, have such tests in front. The block that asks again holds phis
//! and the branch only, and what it leads to is entered from there: then phis behind the second part stand for its own, and
//! no other value is needed on two ways. O(phis and their uses).
//!
//! F. Mueller and D. Whalley, "Avoiding conditional branches by code replication" (1995), where nothing has to be copied;
//! LLVM's `JumpThreading`.

use crate::analysis::Dominators;
use crate::ir::{Block, Body, Edge, Inst, Op, Place, Use, Value};

/// A way from a branch to a block that asks the same again.
struct Again {
    /// From the branch that has decided,
    edge: Edge,
    /// and the way that is always taken from there.
    onward: Edge,
    /// The other one.
    stays: Edge,
}

/// Leads the way on which the condition is known past the block that asks again; false if there is none.
pub(super) fn lead_past(f: &mut Body, dominators: &Dominators, b: Block) -> bool {
    let Some(again) = find(f, dominators, b) else { return false };
    let exit = f.edge_to(again.onward);
    let [from, old] = [again.edge, again.onward].map(|e| f.edge_slot(e));
    let phis: Vec<Inst> = f.phis(b).collect();
    // What each phi is on that way, and where it is used behind the other one.
    let known: Vec<Value> = phis.iter().map(|&phi| f.arg(phi, from)).collect();
    let is_behind =
        |f: &Body, u: &Use| use_block(f, u).is_some_and(|at| at != b && dominators.dominates(exit, at));
    let behind: Vec<Vec<Use>> =
        phis.iter().map(|&phi| f.uses(phi).filter(|u| is_behind(f, u)).collect()).collect();
    let value = |v: Value| phis.iter().position(|&phi| v == Value::inst(phi)).map_or(v, |k| known[k]);
    let at_exit: Vec<(Inst, Value)> = f.phis(exit).map(|phi| (phi, value(f.arg(phi, old)))).collect();
    let place = f.terminator(b).map_or(Place::NONE, |i| f.place(i));
    f.redirect(again.edge, exit);
    f.fold_cond_br(b, again.stays, place);
    let slot = f.edge_slot(again.edge);
    for (phi, v) in at_exit {
        f.set_arg(phi, slot, v);
    }
    for ((&phi, &v), uses) in phis.iter().zip(&known).zip(&behind).filter(|(_, uses)| !uses.is_empty()) {
        let join = f.insert_phi(exit, f.ty(phi), f.place(phi));
        f.name_after(Value::inst(join), phi);
        for k in 0..f.preds(exit).len() {
            f.set_arg(join, k, if k == slot { v } else { Value::inst(phi) });
        }
        for u in uses {
            f.set_arg(u.user, u.operand as usize, Value::inst(join));
        }
    }
    true
}

/// The block at whose end a use stands.
fn use_block(f: &Body, u: &Use) -> Option<Block> {
    let at = f.block_of(u.user)?;
    match f.op(u.user) {
        Op::Phi => f.preds(at).get(u.operand as usize).map(|&e| f.edge_from(e)),
        _ => Some(at),
    }
}

fn find(f: &Body, dominators: &Dominators, b: Block) -> Option<Again> {
    let branch = f.terminator(b).filter(|&i| f.op(i) == Op::CondBr)?;
    let asked = f.arg(branch, 0);
    let decides = |&e: &Edge| {
        let end = f.terminator(f.edge_from(e));
        f.edge_from(e) != b && end.is_some_and(|i| f.op(i) == Op::CondBr && f.arg(i, 0) == asked)
    };
    if asked.is_constant() || f.insts(b).any(|i| f.op(i) != Op::Phi && i != branch) {
        return None;
    }
    let edge = f.preds(b).iter().copied().find(decides)?;
    let ways = f.ways(f.terminator(f.edge_from(edge))?);
    let (yes, no) = f.ways(branch);
    let is_yes = edge == ways.0;
    let (onward, stays, other) = if is_yes { (yes, no, ways.1) } else { (no, yes, ways.0) };
    let [exit, next, first] = [onward, stays, other].map(|e| f.edge_to(e));
    // Where the other way leads in, and where it goes on from here.
    let all_behind = |at: Block, but: Edge, top: Block| {
        f.preds(at).iter().all(|&e| e == but || dominators.dominates(top, f.edge_from(e)))
    };
    let is_private = |at: Block| f.preds(at).len() == 1;
    let fits = is_private(first)
        && is_private(next)
        && ![exit, next, first].contains(&b)
        && exit != next
        && all_behind(b, edge, first)
        && all_behind(exit, onward, next);
    let is_served = |u: Use| {
        let at = use_block(f, &u);
        at.is_some_and(|at| at == b || dominators.dominates(next, at) || dominators.dominates(exit, at))
    };
    let serves = |phi: Inst| f.uses(phi).all(is_served);
    (fits && f.phis(b).all(serves)).then_some(Again { edge, onward, stays })
}

#[cfg(test)]
mod tests {
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::flow::implied::IMPLIED;
    use crate::opt::run::testing::{apply, leaves_alone, run};

    /// `if (c) %x = 3; if (c) second; else third;`, and what is put out of both.
    fn text(meeting: &str, [yes, no]: [&str; 2], end: &str) -> String {
        format!(
            "declare i32 @getint() memory(inaccessiblemem: readwrite)
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @main() {{
             entry:
               %n = call i32 @getint()
               %c = icmp sgt i32 %n, 3
               %o = icmp sgt i32 %n, 5
               br i1 %c, label %one, label %meet
             one:
               %x = mul i32 %n, 3
               call void @putint(i32 %x)
               br label %meet
             meet:
               {meeting}
               br i1 {}, label %{yes}, label %{no}
             two:
               %z = add i32 %p, 7
               call void @putint(i32 %z)
               br label %end
             end:
               {end}
               call void @putint(i32 %r)
               ret i32 0
             }}",
            if meeting.contains("%other") { "%o" } else { "%c" }
        )
    }

    const PHI: &str = "%p = phi i32 [ 5, %entry ], [ %x, %one ]";
    const JOIN: &str = "%r = phi i32 [ %p, %meet ], [ %z, %two ]";

    /// Tests that are left of two, where the program does the same for all of these inputs.
    fn branches(text: &str) -> usize {
        let before = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        apply(&IMPLIED, &mut module);
        for input in ["2", "4", "9"] {
            assert!(run(&before, input).is_some(), "{text}");
            assert_eq!(run(&module, input), run(&before, input), "{}", print::module(&module));
        }
        print::module(&module).matches("br i1").count()
    }

    #[test]
    fn a_condition_is_asked_once_for_two_parts() {
        // What each phi is behind the second part: itself, and what it was on the way past both.
        assert_eq!(branches(&text(PHI, ["two", "end"], JOIN)), 1);
        assert_eq!(branches(&text(PHI, ["two", "end"], "%r = mul i32 %p, 31")), 1);
        assert_eq!(branches(&text(PHI, ["two", "end"], "%r = phi i32 [ %p, %meet ], [ %p, %two ]")), 1);
    }

    #[test]
    fn what_is_not_decided_or_does_more_stays() {
        // Something is computed, or another condition is asked.
        leaves_alone(&IMPLIED, &text(&format!("{PHI}\n%q = add i32 %n, 1"), ["two", "end"], JOIN));
        leaves_alone(
            &IMPLIED,
            &text(&PHI.replace("%p", "%other"), ["two", "end"], "%r = add i32 %n, 0")
                .replace("%p, 7", "%other, 7"),
        );
        // One way comes from where nothing is decided.
        let open = text(PHI, ["two", "end"], "%r = mul i32 %p, 31")
            .replace(
                "br i1 %c, label %one, label %meet",
                "br i1 %o, label %ask, label %meet\nask:\nbr i1 %c, label %one, label %meet",
            )
            .replace(PHI, "%p = phi i32 [ 5, %entry ], [ 6, %ask ], [ %x, %one ]");
        leaves_alone(&IMPLIED, &open);
        // The second part is for where the first one is not: both ways meet behind it.
        leaves_alone(&IMPLIED, &text(PHI, ["end", "two"], JOIN));
        // The second part is entered from elsewhere.
        let text = text(PHI, ["two", "end"], JOIN).replace(
            "br label %meet\n             meet",
            "br i1 %o, label %meet, label %two\n             meet",
        );
        leaves_alone(
            &IMPLIED,
            &text
                .replace("%z = add i32 %p, 7", "%y = phi i32 [ %p, %meet ], [ 1, %one ]\n%z = add i32 %y, 7"),
        );
    }
}
