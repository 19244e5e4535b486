//! Scalars in stack memory become SSA values.
//!
//! A *variable* is an alloca of one scalar that is only loaded and stored whole. All variables are promoted at once:
//! one walk finds the blocks that store each, and those that read it before they store it; phis go to the iterated
//! dominance frontier of the stores; one walk over the dominator tree, with a log to undo at its end what a block
//! did, replaces loads by the value that reaches them; last, phis that only feed each other go. What was never stored is
//! undef.
//!
//! Phis where the variable is dead would be quadratic in nests of loops, and so would sets of live blocks. Two
//! cheap tests prune nearly all: if one store dominates all reads, the variable is dead into every block that
//! the store does not dominate; else a search from the reads up, given up after a number of blocks in proportion to
//! reads and stores, finds the blocks into which it is live.
//!
//! (Cytron et al., "Efficiently computing static single assignment form", 1991; Briggs et al., "Practical
//! improvements to the construction and destruction of SSA form", 1998.) O(instructions + phi operands), and for each
//! variable what its frontier query walks: in a nest of n loops that each change a variable of their own, O(n) (0.9 s
//! in all for n = 3,000). Absent: arrays with constant subscripts.

use super::analyses::AnalysisSet;
use super::pass::{FuncCx, FuncPass, Outcome};
use crate::analysis::{Dominators, FrontierScratch, Rows};
use crate::base::{Column, Handle, Opt};
use crate::ir::body::NO_LOC;
use crate::ir::{Block, Body, Env, Inst, Op, Shape, Type, Value};

/// The pass.
pub static MEM2REG: FuncPass = FuncPass {
    name: "mem2reg",
    description: "promote scalar stack variables to SSA values",
    needs: AnalysisSet::NONE,
    run,
};

crate::handle! {
    /// A variable that is promoted.
    struct Var("v");
}

struct Variables {
    /// Per variable: its alloca and its type.
    rows: Column<Var, (Inst, Type)>,
    /// Per instruction: the variable that it allocates.
    of: Column<Inst, Opt<Var>>,
}

fn run(cx: &mut FuncCx) -> Outcome {
    let variables = find_variables(cx.env, cx.f);
    if variables.rows.is_empty() {
        return Outcome::UNCHANGED;
    }
    cx.analyses.require(cx.f, AnalysisSet::DOMINATORS);
    let first_phi = cx.f.inst_count();
    let phis = place_phis(cx, &variables);
    rename(cx, &variables, &phis);
    remove_dead_phis(cx.f, first_phi);
    for &(alloca, _) in variables.rows.as_slice() {
        // What is left stands in unreachable blocks.
        let users: Vec<Inst> = cx.f.uses(alloca).map(|u| u.user).collect();
        for user in users {
            cx.f.remove(user);
        }
        cx.f.remove(alloca);
    }
    Outcome::changed(AnalysisSet::CFG)
}

fn find_variables(env: &Env, f: &Body) -> Variables {
    let mut variables = Variables { rows: Column::new(), of: Column::new() };
    for b in f.blocks() {
        for i in f.insts(b) {
            if f.op(i) == Op::Alloca
                && let Some(ty) = promotable(env, f, i)
            {
                variables.of.grow_to(f.inst_count(), Opt::NONE);
                variables.of[i] = Opt::some(variables.rows.push((i, ty)));
            }
        }
    }
    variables
}

/// The type of the variable, if every use is a load or store of the whole.
fn promotable(env: &Env, f: &Body, alloca: Inst) -> Option<Type> {
    let shape = Shape::new(f.payload(alloca) as usize);
    if env.shapes.depth(shape) != 0 {
        return None;
    }
    let ty = env.shapes.scalar_type(shape);
    let whole = f.uses(alloca).all(|u| match f.op(u.user) {
        Op::Load => f.ty(u.user) == ty,
        Op::Store => u.operand == 1 && f.type_of(f.arg(u.user, 0)) == ty,
        _ => false,
    });
    whole.then_some(ty)
}

/// The variable that a load or store accesses.
fn accessed(f: &Body, variables: &Variables, i: Inst) -> Option<Var> {
    let address = match f.op(i) {
        Op::Load => f.arg(i, 0),
        Op::Store => f.arg(i, 1),
        _ => return None,
    };
    // Phis that were placed meanwhile have no row, and no address either.
    variables.of.get(address.as_inst()?)?.get()
}

/// Where variables are stored, and where they are read before the same block stores them.
struct Accesses {
    stores: Rows<Var, Block>,
    reads: Rows<Var, Block>,
}

fn find_accesses(cx: &FuncCx, variables: &Variables) -> Accesses {
    let [mut stores, mut reads]: [Vec<(Var, Block)>; 2] = Default::default();
    // Per variable: the last block seen to store it, and to read it first.
    let [mut stored, mut read]: [Column<Var, Opt<Block>>; 2] =
        [0; 2].map(|_| Column::filled(variables.rows.len(), Opt::NONE));
    for &b in &cx.analyses.order.blocks {
        let here = Opt::some(b);
        for i in cx.f.insts(b) {
            let Some(var) = accessed(cx.f, variables, i) else { continue };
            if stored[var] == here {
                continue;
            }
            if cx.f.op(i) == Op::Store {
                stored[var] = here;
                stores.push((var, b));
            } else if read[var] != here {
                read[var] = here;
                reads.push((var, b));
            }
        }
    }
    let mut accesses = Accesses { stores: Rows::default(), reads: Rows::default() };
    accesses.stores.fill(variables.rows.len(), &stores);
    accesses.reads.fill(variables.rows.len(), &reads);
    accesses
}

/// Into which blocks a variable may be live.
enum Live {
    /// Only into those that this one strictly dominates.
    Below(Block),
    /// Only into those that the search found.
    Found,
    /// Any.
    Anywhere,
}

/// Per block, the last variable that the search found live into it, or stored in it.
struct Search {
    live: Column<Block, Opt<Var>>,
    stored: Column<Block, Opt<Var>>,
    stack: Vec<Block>,
}

/// Blocks that the search visits for each read and store.
const REACH: usize = 8;

fn find_live(f: &Body, dominators: &Dominators, search: &mut Search, var: Var, accesses: &Accesses) -> Live {
    let (stores, reads) = (accesses.stores.get(var), accesses.reads.get(var));
    let number = |b: &&Block| dominators.preorder_number(**b);
    // A subtree is a range of preorder numbers: what dominates the first and the last read dominates all.
    if let (Some(&first), Some(&last)) = (reads.iter().min_by_key(number), reads.iter().max_by_key(number)) {
        let above = |b: &&Block| dominators.strictly_dominates(**b, first) && dominators.dominates(**b, last);
        if let Some(&store) = stores.iter().filter(above).max_by_key(|&&b| dominators.level[b]) {
            return Live::Below(store);
        }
    }
    search.live.grow_to(f.block_count(), Opt::NONE);
    search.stored.grow_to(f.block_count(), Opt::NONE);
    for &b in stores {
        search.stored[b] = Opt::some(var);
    }
    for &b in reads {
        search.live[b] = Opt::some(var);
    }
    search.stack.clear();
    search.stack.extend_from_slice(reads);
    let mut budget = REACH * (stores.len() + reads.len());
    while let Some(b) = search.stack.pop() {
        for &e in f.preds(b) {
            let from = f.edge_from(e);
            if search.stored[from] != Opt::some(var) && search.live[from] != Opt::some(var) {
                if budget == 0 {
                    return Live::Anywhere;
                }
                budget -= 1;
                search.live[from] = Opt::some(var);
                search.stack.push(from);
            }
        }
    }
    Live::Found
}

/// Per block, the phis placed in it and their variables.
fn place_phis(cx: &mut FuncCx, variables: &Variables) -> Rows<Block, (Var, Inst)> {
    let accesses = find_accesses(cx, variables);
    let mut search = Search { live: Column::new(), stored: Column::new(), stack: Vec::new() };
    let mut scratch = FrontierScratch::default();
    let mut frontier = Vec::new();
    let mut phis: Vec<(Block, (Var, Inst))> = Vec::new();
    let loc = std::mem::replace(&mut cx.f.current_loc, NO_LOC);
    for (var, &(_, ty)) in variables.rows.iter() {
        let stores = accesses.stores.get(var);
        if stores.is_empty() || accesses.reads.get(var).is_empty() {
            continue;
        }
        cx.analyses.require(cx.f, AnalysisSet::FRONTIERS);
        let (dominators, frontiers) = (&cx.analyses.dominators, &cx.analyses.frontiers);
        let live = find_live(cx.f, dominators, &mut search, var, &accesses);
        let wanted = |b: Block| match live {
            Live::Below(store) => dominators.strictly_dominates(store, b),
            Live::Found => search.live[b] == Opt::some(var),
            Live::Anywhere => true,
        };
        frontier.clear();
        frontiers.iterated(dominators, &mut scratch, stores, wanted, &mut frontier);
        for &b in &frontier {
            phis.push((b, (var, cx.f.insert_phi(b, ty))));
        }
    }
    cx.f.current_loc = loc;
    let mut rows = Rows::default();
    rows.fill(cx.f.block_count(), &phis);
    rows
}

/// The value that each variable has at the point of the walk, and how to go back.
struct Reaching {
    value: Column<Var, Value>,
    /// What was overwritten, and where each block on the path from the root starts in here.
    log: Vec<(Var, Value)>,
    marks: Vec<usize>,
}

impl Reaching {
    fn set(&mut self, var: Var, value: Value) {
        let old = std::mem::replace(&mut self.value[var], value);
        self.log.push((var, old));
    }

    /// Leaves the blocks of the path from `level` down.
    fn leave(&mut self, level: usize) {
        let Some(&mark) = self.marks.get(level) else { return };
        self.marks.truncate(level);
        while self.log.len() > mark {
            if let Some((var, value)) = self.log.pop() {
                self.value[var] = value;
            }
        }
    }
}

fn rename(cx: &mut FuncCx, variables: &Variables, phis: &Rows<Block, (Var, Inst)>) {
    let f = &mut *cx.f;
    let undef: Vec<Value> = variables.rows.as_slice().iter().map(|&(_, ty)| Value::undef(ty)).collect();
    let mut reaching = Reaching { value: undef.into(), log: Vec::new(), marks: Vec::new() };
    for &b in &cx.analyses.dominators.preorder {
        reaching.leave(cx.analyses.dominators.level[b] as usize);
        reaching.marks.push(reaching.log.len());
        for &(var, phi) in phis.get(b) {
            reaching.set(var, Value::inst(phi));
        }
        let mut next = f.first(b);
        while let Some(i) = next {
            next = f.next(i);
            let Some(var) = accessed(f, variables, i) else { continue };
            if f.op(i) == Op::Load {
                f.replace(i, reaching.value[var]);
            } else {
                reaching.set(var, f.arg(i, 0));
                f.remove(i);
            }
        }
        for e in f.succs(b) {
            for &(var, phi) in phis.get(f.edge_to(e)) {
                f.set_arg(phi, f.edge_slot(e), reaching.value[var]);
            }
        }
    }
}

/// Removes those phis from `first` on that nothing but such phis uses.
fn remove_dead_phis(f: &mut Body, first: usize) {
    let count = f.inst_count() - first;
    let mut live = vec![false; count];
    let mut stack: Vec<Inst> = Vec::new();
    for (k, live) in live.iter_mut().enumerate() {
        let phi = Inst::new(first + k);
        if f.uses(phi).any(|u| u.user.index() < first) {
            *live = true;
            stack.push(phi);
        }
    }
    while let Some(phi) = stack.pop() {
        for value in f.args(phi) {
            if let Some(k) = value.as_inst().and_then(|i| i.index().checked_sub(first))
                && !std::mem::replace(&mut live[k], true)
            {
                stack.push(Inst::new(first + k));
            }
        }
    }
    for k in (0..count).filter(|&k| !live[k]) {
        f.remove(Inst::new(first + k));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{apply, changes_nothing};
    use super::*;
    use crate::ir::{At, Module};

    /// `while (c) x = g(x);` with x in memory, in a function of an i32 and an i1.
    fn counting_loop() -> (Module, [Block; 4]) {
        let mut module = super::super::testing::module();
        let f = &mut module.bodies[0];
        let [entry, head, body, exit] = [0; 4].map(|_| f.create_block());
        let (p, c) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
        let shape = Shape::scalar(Type::I32).index() as u32;
        let x = Value::inst(f.insert(At::End(entry), Op::Alloca, Type::Ptr, &[], shape));
        f.insert(At::End(entry), Op::Store, Type::Void, &[p, x], 0);
        f.set_br(entry, head);
        f.set_cond_br(head, c, body, exit);
        let old = Value::inst(f.insert(At::End(body), Op::Load, Type::I32, &[x], 0));
        let new = Value::inst(f.insert(At::End(body), Op::Add, Type::I32, &[old, p], 0));
        f.insert(At::End(body), Op::Store, Type::Void, &[new, x], 0);
        f.set_br(body, head);
        let last = Value::inst(f.insert(At::End(exit), Op::Load, Type::I32, &[x], 0));
        f.set_ret(exit, Some(last));
        (module, [entry, head, body, exit])
    }

    #[test]
    fn a_loop_variable_becomes_a_phi() {
        let (mut module, [entry, head, body, exit]) = counting_loop();
        assert!(apply(&MEM2REG, &mut module));
        let f = &module.bodies[0];
        let phi = f.phis(head).next().unwrap();
        let sum = f.first(body).unwrap();
        let args: Vec<(Block, Value)> =
            f.preds(head).iter().map(|&e| (f.edge_from(e), f.arg(phi, f.edge_slot(e)))).collect();
        assert_eq!(args, [(entry, Value::inst(Inst::new(0))), (body, Value::inst(sum))]);
        assert_eq!(f.args(sum)[0], Value::inst(phi));
        assert_eq!(f.args(f.terminator(exit).unwrap()), [Value::inst(phi)]);
        assert_eq!(f.blocks().map(|b| f.insts(b).count()).sum::<usize>(), 6);
        assert!(changes_nothing(&MEM2REG, &mut module));
    }

    #[test]
    fn variables_that_change_places_in_a_loop_do_so_at_once() {
        let text = "define i32 @main() {
             entry:
               %a = alloca i32
               %b = alloca i32
               %n = alloca i32
               store i32 6, ptr %a
               store i32 10, ptr %b
               store i32 0, ptr %n
               br label %loop
             loop:
               %x = load i32, ptr %a
               %y = load i32, ptr %b
               store i32 %y, ptr %a
               store i32 %x, ptr %b
               %i = load i32, ptr %n
               %j = add i32 %i, 1
               store i32 %j, ptr %n
               %c = icmp slt i32 %j, 3
               br i1 %c, label %loop, label %exit
             exit:
               %p = load i32, ptr %a
               %q = load i32, ptr %b
               %s = mul i32 %p, 100
               %r = add i32 %s, %q
               ret i32 %r
             }";
        let mut module = crate::ir::parse::parse(text).unwrap();
        assert!(apply(&MEM2REG, &mut module));
        let f = &module.bodies[0];
        let head = f.blocks().nth(1).unwrap();
        assert_eq!((f.phis(head).count(), f.insts(head).count()), (3, 6));
        assert_eq!(super::super::testing::run(&module, ""), Some((String::new(), 1006)));
    }

    #[test]
    fn an_address_that_is_passed_on_stays_in_memory() {
        let (mut module, [entry, ..]) = counting_loop();
        let f = &mut module.bodies[0];
        let x = Value::inst(f.first(entry).unwrap());
        f.insert(At::BeforeTerminator(entry), Op::ElemAddr, Type::Ptr, &[x, Value::inst(Inst::new(0))], 3);
        assert!(changes_nothing(&MEM2REG, &mut module));
    }

    #[test]
    fn many_variables_across_many_loops_take_linear_time() {
        let mut module = super::super::testing::module();
        let f = &mut module.bodies[0];
        let n = 3000;
        let entry = f.create_block();
        let (p, c) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
        let shape = Shape::scalar(Type::I32).index() as u32;
        let vars: Vec<Value> = (0..n)
            .map(|_| Value::inst(f.insert(At::End(entry), Op::Alloca, Type::Ptr, &[], shape)))
            .collect();
        let mut at = entry;
        for &x in &vars {
            f.insert(At::End(at), Op::Store, Type::Void, &[p, x], 0);
            let [head, body, next] = [0; 3].map(|_| f.create_block());
            f.set_br(at, head);
            f.set_cond_br(head, c, body, next);
            let old = Value::inst(f.insert(At::End(body), Op::Load, Type::I32, &[x], 0));
            let new = Value::inst(f.insert(At::End(body), Op::Add, Type::I32, &[old, p], 0));
            f.insert(At::End(body), Op::Store, Type::Void, &[new, x], 0);
            f.set_br(body, head);
            at = next;
        }
        let last = Value::inst(f.insert(At::End(at), Op::Load, Type::I32, &[vars[0]], 0));
        f.set_ret(at, Some(last));
        assert!(apply(&MEM2REG, &mut module));
        let f = &module.bodies[0];
        assert_eq!(f.blocks().map(|b| f.phis(b).count()).sum::<usize>(), n);
    }

    #[test]
    fn the_variables_of_a_deep_nest_get_a_phi_each() {
        // while (c) { x1 = p; while (c) { x2 = p; while ... { x1 += p; x2 += p; ... }}}, unrolled into blocks: each
        // variable is stored before its loop, and dead around the loops outside.
        let mut module = super::super::testing::module();
        let f = &mut module.bodies[0];
        let n = 300;
        let (p, c) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
        let shape = Shape::scalar(Type::I32).index() as u32;
        let entry = f.create_block();
        let vars: Vec<Value> = (0..n)
            .map(|_| Value::inst(f.insert(At::End(entry), Op::Alloca, Type::Ptr, &[], shape)))
            .collect();
        let exit = f.create_block();
        let (mut at, mut back) = (entry, exit);
        for &x in &vars {
            f.insert(At::End(at), Op::Store, Type::Void, &[p, x], 0);
            let [head, body, after] = [0; 3].map(|_| f.create_block());
            f.set_br(at, head);
            f.set_cond_br(head, c, body, after);
            let old = Value::inst(f.insert(At::End(after), Op::Load, Type::I32, &[x], 0));
            let new = Value::inst(f.insert(At::End(after), Op::Add, Type::I32, &[old, p], 0));
            f.insert(At::End(after), Op::Store, Type::Void, &[new, x], 0);
            f.set_br(after, back);
            (at, back) = (body, head);
        }
        f.set_br(at, back);
        f.set_ret(exit, Some(p));
        let first_phi = f.inst_count();
        assert!(apply(&MEM2REG, &mut module));
        let made = module.bodies[0].inst_count() - first_phi;
        assert!(made <= 2 * n, "{made} phis made for {n} variables");
    }
}
