//! Keeps in a register, over a loop, what the loop loads from and stores to one address that it does not
//! change.
//!
//! The value is loaded in front of the loop and stored at its exits; in between stands a variable in memory
//! of its own, which `mem2reg` makes values of. All that the loop does to memory besides must be elsewhere
//! (`analysis/alias`), and the address must be that of something: of a global, of a known element, or of
//! what each round takes.
//!
//! Outer loops first, so that a value stays in its register over all of them. O(accesses of loops), with at
//! most `MOST` different addresses a loop, each compared with all accesses.

use crate::analysis::alias::{Compared, Overlap};
use crate::analysis::memory::base_of;
use crate::analysis::simple_loop::preheader;
use crate::base::Handle;
use crate::base::graph::Loop;
use crate::ir::{At, Block, Body, Inst, Op, Shape, Sort, Type, Value};
use crate::opt::loops::canonical_loops::{find_exits, simplify_loops, worth_it};
use crate::opt::loops::licm::{Accesses, is_there};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static PROMOTE: FuncPass = FuncPass {
    name: "promote",
    description: "keep in registers over loops what they load and store at one address",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run,
};

/// Addresses of a loop.
const MOST: usize = 6;
/// Accesses of a loop that are compared with each address.
const MOST_ACCESSES: usize = 256;

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    if !worth_it(cx.f, cx.analyses) {
        return Outcome::UNCHANGED;
    }
    let mut changed = simplify_loops(cx.f, cx.analyses);
    cx.require(AnalysisSet::LOOPS);
    for l in cx.analyses.loops.header.keys() {
        let Some(in_front) = preheader(cx.f, &cx.analyses.loops, l) else { continue };
        let found = addresses(cx, l);
        if cx.f.is_told() {
            tell(cx, l, &found);
        }
        for (address, ty) in found {
            keep(cx, l, in_front, address, ty);
            changed = true;
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// Says what a loop keeps in registers, and what it stores to a place that it does not change, and why that
/// stays in memory.
#[cold]
fn tell(cx: &mut FuncCx, l: Loop, found: &[(Value, Type)]) {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let mut said = Vec::new();
    for i in loops.blocks(l).iter().flat_map(|&b| f.insts(b)).filter(|&i| f.op(i) == Op::Store) {
        let (address, place) = (f.arg(i, 1), f.place(i));
        let is_variable = address.as_inst().is_some_and(|i| f.op(i) == Op::Alloca);
        let home = address.as_inst().and_then(|i| f.block_of(i));
        if found.iter().any(|&(known, _)| known == address) {
            let text = "what is stored here stays in a register while the loop runs";
            said.push((Sort::Done, place, text));
        } else if !is_variable && home.is_none_or(|home| !loops.contains(l, home)) {
            let text = "what is stored here is not kept in a register over the loop: other accesses in the \
                        loop may be to the same place, or none is certain to be made";
            said.push((Sort::Missed, place, text));
        }
    }
    for (sort, place, text) in said {
        cx.f.tell((sort, "promote"), place, || text.to_string());
    }
}

/// The addresses that a loop stores to, that it does not change, and that nothing else in it leads to.
fn addresses(cx: &FuncCx, l: Loop) -> Vec<(Value, Type)> {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let mut accesses: Vec<Inst> = Vec::new();
    for &b in loops.blocks(l) {
        for i in f.insts(b).filter(|&i| is_access(f, i)) {
            if accesses.len() == MOST_ACCESSES {
                return Vec::new();
            }
            accesses.push(i);
        }
    }
    let mut found: Vec<(Value, Type)> = Vec::new();
    for &i in accesses.iter().filter(|&&i| f.op(i) == Op::Store) {
        let (address, ty) = (f.arg(i, 1), f.type_of(f.arg(i, 0)));
        let home = address.as_inst().and_then(|i| f.block_of(i));
        // A variable is `mem2reg`'s.
        let is_variable = address.as_inst().is_some_and(|i| f.op(i) == Op::Alloca);
        let is_new = !is_variable && !ty.is_vector() && found.iter().all(|&(known, _)| known != address);
        if found.len() < MOST
            && is_new
            && home.is_none_or(|b| !loops.contains(l, b))
            && (is_there(cx.env, f, address, ty) || accesses.iter().any(|&i| is_certain(cx, l, i, address)))
            && is_alone(cx, &accesses, (address, ty))
        {
            found.push((address, ty));
        }
    }
    found
}

/// True for what reads or writes memory, or may.
fn is_access(f: &Body, i: Inst) -> bool {
    use crate::ir::opcode::{READS, WRITES};
    f.op(i).has(READS) || f.op(i).has(WRITES)
}

/// The address of a load or store, and the type.
fn accessed(f: &Body, i: Inst) -> Option<(Value, Type)> {
    match f.op(i) {
        Op::Load => Some((f.arg(i, 0), f.ty(i))),
        Op::Store => Some((f.arg(i, 1), f.type_of(f.arg(i, 0)))),
        _ => None,
    }
}

/// True if all accesses are to this address, or elsewhere.
fn is_alone(cx: &FuncCx, accesses: &[Inst], (address, ty): (Value, Type)) -> bool {
    let f = &*cx.f;
    let base = base_of(f, address);
    let bytes = |ty: Type| u64::from(cx.env.shapes.bytes_of(ty));
    // What both have in common the loop does not change, so this is true of all rounds.
    let mut access = Compared::new(f, (address, bytes(ty)));
    let mut is_elsewhere =
        |other: Value, of: Type| access.overlap(cx.env, f, (other, bytes(of))) == Overlap::Never;
    let mut others = Accesses::default();
    for &i in accesses {
        match accessed(f, i) {
            Some(same) if same == (address, ty) => {}
            Some((other, ty)) if is_elsewhere(other, ty) => {}
            _ => {
                others.note(f, i, cx.effects);
                if others.reads.may_touch(cx.env, f.func, base)
                    || others.writes.may_touch(cx.env, f.func, base)
                {
                    return false;
                }
            }
        }
    }
    true
}

/// True if this is a store to this address, and made before the loop is left: what is only read may be
/// constant.
fn is_certain(cx: &FuncCx, l: Loop, i: Inst, address: Value) -> bool {
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let Some(home) = f.block_of(i) else { return false };
    let leaves = |b: Block| f.succs(b).any(|e| !loops.contains(l, f.edge_to(e)));
    let is_before = |b: Block| cx.analyses.dominators.dominates(home, b) || !leaves(b);
    f.op(i) == Op::Store && f.arg(i, 1) == address && loops.blocks(l).iter().all(|&b| is_before(b))
}

/// Keeps what is at an address in a variable while the loop runs.
fn keep(cx: &mut FuncCx, l: Loop, in_front: Block, address: Value, ty: Type) {
    let mut leave = Vec::new();
    find_exits(cx.f, cx.analyses, l, &mut leave);
    let (f, loops) = (&mut *cx.f, &cx.analyses.loops);
    let Some(entry) = f.entry() else { return };
    let of_loop: Vec<Inst> = loops.blocks(l).iter().flat_map(|&b| f.insts(b)).collect();
    let inside: Vec<Inst> = of_loop.into_iter().filter(|&i| accessed(f, i) == Some((address, ty))).collect();
    let Some(&first) = inside.first() else { return };
    let place = f.place(first);
    let shape = Shape::scalar(ty).index() as u32;
    let variable = Value::inst(f.insert(At::Start(entry), Op::Alloca, Type::Ptr, &[], shape, place));
    let at = At::BeforeTerminator(in_front);
    let before = Value::inst(f.insert(at, Op::Load, ty, &[address], 0, place));
    f.insert(at, Op::Store, Type::Void, &[before, variable], 0, place);
    for &i in &inside {
        let operand = if f.op(i) == Op::Load { 0 } else { 1 };
        f.set_arg(i, operand, variable);
    }
    for &b in &leave {
        let after = Value::inst(f.insert(At::Start(b), Op::Load, ty, &[variable], 0, place));
        let after = after.as_inst().unwrap_or(first);
        f.insert(At::After(after), Op::Store, Type::Void, &[Value::inst(after), address], 0, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::memory::mem2reg::MEM2REG;
    use crate::opt::run::testing::{apply_all, leaves_alone, run};

    /// A loop that counts in memory, and does this besides.
    fn text(more: &str) -> String {
        format!(
            "@g = internal global i32 0
             @a = internal global [9 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             declare void @unknown()
             define i32 @f(i32 %n, ptr %q, i32 %x) {{
             entry:
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %head ]
               %v = load i32, ptr @g
               %w = add i32 %v, %i
               store i32 %w, ptr @g
               {more}
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, %n
               br i1 %c, label %head, label %exit
             exit:
               ret i32 %j
             }}"
        )
    }

    #[test]
    fn what_a_loop_counts_in_memory_is_a_value_while_it_runs() {
        let more = "%p = getelementptr [9 x i32], ptr @a, i32 0, i32 %i
                    store i32 %w, ptr %p
                    call void @putint(i32 %w)";
        let mut module = parse(&text(more)).unwrap();
        assert!(apply_all(&[&PROMOTE, &MEM2REG], &mut module));
        let have = print::module(&module);
        let round = have.split("b1:").nth(1).and_then(|rest| rest.split("b2:").next()).unwrap();
        assert!(round.matches("phi").count() == 2 && !round.contains("@g"), "{have}");
        assert!(have.contains("load i32, ptr @g") && have.split("b2:").nth(1).unwrap().contains("ptr @g"));
    }

    #[test]
    fn what_something_else_in_the_loop_may_lead_to_stays() {
        leaves_alone(&PROMOTE, &text("store i32 %i, ptr %q"));
        leaves_alone(&PROMOTE, &text("%z = load i32, ptr %q\ncall void @putint(i32 %z)"));
        leaves_alone(&PROMOTE, &text("call void @unknown()"));
        let vector = text("")
            .replace("load i32, ptr @g", "load <4 x i32>, ptr @a, align 4")
            .replace("add i32 %v, %i", "add <4 x i32> %v, %v")
            .replace("store i32 %w, ptr @g", "store <4 x i32> %w, ptr @a, align 4");
        leaves_alone(&PROMOTE, &vector);
    }

    #[test]
    fn what_may_not_be_there_is_not_touched_and_the_first_round_finds_what_was_there() {
        leaves_alone(
            &PROMOTE,
            "define i32 @f(i32 %n, ptr %q, i1 %d) {
             entry:
               br label %head
             head:
               %i = phi i32 [ 0, %entry ], [ %j, %latch ]
               br i1 %d, label %then, label %latch
             then:
               store i32 %i, ptr %q
               br label %latch
             latch:
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, %n
               br i1 %c, label %head, label %exit
             exit:
               ret i32 %j
             }",
        );
        let main = "define i32 @main() {
             store i32 5, ptr @g
             %x = call i32 @f(i32 4, ptr @g, i32 1)
             %y = load i32, ptr @g
             ret i32 %y
           }";
        let mut module = parse(&format!("{}\n{main}", text(""))).unwrap();
        let before = run(&module, "");
        assert!(apply_all(&[&PROMOTE, &MEM2REG], &mut module));
        assert!(before == Some((String::new(), 11)) && run(&module, "") == before);
    }
}
