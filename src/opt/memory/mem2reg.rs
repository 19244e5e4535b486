//! Scalars in stack memory become SSA values.
//!
//! A *variable* is an alloca of one scalar; it is promoted if it is only loaded and stored whole. All are at
//! once: one walk lists loads and stores of variables, and finds the blocks that store each, and those that
//! read it before they store it; phis go to the iterated dominance frontier of the stores; one walk over the
//! lists in dominator-tree order, with a log to undo at its end what a block did, finds the value that
//! reaches each load; one pass over all operands puts those in place (`Body::forward`); last, phis that only
//! feed each other go. What was never stored is undef.
//!
//! Phis where the variable is dead would be quadratic in nests of loops, and so would sets of live blocks.
//! Two cheap tests prune nearly all: if one store dominates all reads, the variable is dead into every block
//! that the store does not dominate; else a search from the reads up, given up after a number of blocks in
//! proportion to reads and stores, finds the blocks into which it is live.
//!
//! (Cytron et al., "Efficiently computing static single assignment form", 1991; Briggs et al., "Practical
//! improvements to the construction and destruction of SSA form", 1998.) O(instructions + phi operands), and
//! for each variable what its frontier query walks: in a nest of n loops that each change a variable of their
//! own, O(n) (0.9 s in all for n = 3,000). Absent: arrays with constant subscripts.

mod debug_values;

use crate::analysis::{Dominators, Order, unreachable_blocks};
use crate::base::graph::FrontierScratch;
use crate::base::{Column, Handle, Opt, Rows};
use crate::ir::{Block, Body, Env, Inst, Op, Place, Shape, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static MEM2REG: FuncPass = FuncPass {
    name: "mem2reg",
    description: "promote scalar stack variables to SSA values",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

crate::handle! {
    /// A variable that is promoted.
    struct Var("v");
}

/// A load or store of a variable.
#[derive(Copy, Clone, Debug)]
struct Access {
    inst: Inst,
    var: Var,
    is_store: bool,
}

/// The variables of a function, and all that is known of them.
#[derive(Debug, Default)]
struct Scratch {
    /// Per variable: its alloca and its type.
    variables: Column<Var, (Inst, Type)>,
    /// Per instruction: the variable that it allocates.
    of: Column<Inst, Opt<Var>>,
    /// Per variable: what the walk over accesses has seen, and whether they are all its uses.
    seen: Column<Var, Seen>,
    is_promoted: Column<Var, bool>,
    /// Accesses in the order in which blocks execute them, and per block where in here its own are. Those
    /// from `reachable` on stand in unreachable blocks.
    accesses: Vec<Access>,
    reachable: usize,
    ranges: Column<Block, (u32, u32)>,
    /// Where variables are stored, and where they are read before the same block stores them.
    stores: Rows<Var, Block>,
    reads: Rows<Var, Block>,
    /// What the two above are made of.
    pairs: [Vec<(Var, Block)>; 2],
    search: Search,
    /// Of one variable: where it needs phis.
    frontier: Vec<Block>,
    placed: Vec<(Block, (Var, Inst))>,
    frontiers: FrontierScratch<Block>,
    /// Per block, the phis placed in it and their variables.
    phis: Rows<Block, (Var, Inst)>,
    reaching: Reaching,
    /// Per instruction: itself, or what takes its place. And those that are replaced.
    forwarded: Column<Inst, Value>,
    gone: Vec<Inst>,
}

/// Of a variable: its accesses so far, and the last blocks seen to store it, and to read it first.
#[derive(Copy, Clone, Debug, Default)]
struct Seen {
    accesses: usize,
    stored: Opt<Block>,
    read: Opt<Block>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    s.find_variables(cx.env, cx.f);
    // What a text says of variables is taken here, too.
    let is_said = cx.f.records.is_some();
    if s.variables.is_empty() && !is_said {
        return Outcome::UNCHANGED;
    }
    cx.require(AnalysisSet::DOMINATORS);
    s.find_accesses(cx.f, &cx.analyses.order);
    if !s.is_promoted.as_slice().contains(&true) && !is_said {
        return Outcome::UNCHANGED;
    }
    let first_phi = cx.f.inst_count();
    s.place_phis(cx);
    let is_told = (!cx.f.variables.is_empty() || is_said) && cx.f.debug_values.is_none();
    if is_told {
        cx.require(AnalysisSet::FRONTIERS.with(AnalysisSet::LOOPS));
    }
    let FuncCx { ref mut f, ref analyses, .. } = *cx;
    s.rename(f, &analyses.dominators);
    if is_told {
        debug_values::note(s, f, analyses);
    }
    if s.gone.len() < f.inst_count() / FEW {
        s.replace_each(f);
    } else {
        f.forward(&s.gone, &s.forwarded);
    }
    remove_dead_phis(f, first_phi);
    Outcome::changed(AnalysisSet::CFG)
}

/// Of so many instructions at most one goes: each is replaced by itself, and the lists of uses stay, where a
/// walk over all operands would make them again.
const FEW: usize = 8;

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
#[derive(Debug, Default)]
struct Search {
    live: Column<Block, Opt<Var>>,
    stored: Column<Block, Opt<Var>>,
    stack: Vec<Block>,
}

/// Blocks that the search visits for each read and store.
const REACH: usize = 8;

fn find_live(
    f: &Body,
    dominators: &Dominators,
    search: &mut Search,
    var: Var,
    stores: &[Block],
    reads: &[Block],
) -> Live {
    let number = |b: &&Block| dominators.preorder_number(**b);
    // A subtree is a range of preorder numbers: what dominates the first and the last read dominates all.
    if let (Some(&first), Some(&last)) = (reads.iter().min_by_key(number), reads.iter().max_by_key(number)) {
        let above = |b: &&Block| dominators.strictly_dominates(**b, first) && dominators.dominates(**b, last);
        if let Some(&store) = stores.iter().filter(above).max_by_key(|&&b| dominators.level[b]) {
            return Live::Below(store);
        }
    }
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

impl Scratch {
    fn find_variables(&mut self, env: &Env, f: &Body) {
        self.variables.clear();
        self.of.reset(f.inst_count(), Opt::NONE);
        for (i, _) in f.ops().filter(|&(_, op)| op == Op::Alloca) {
            let shape = Shape::new(f.payload(i) as usize);
            if env.shapes.depth(shape) == 0 {
                self.of[i] = Opt::some(self.variables.push((i, env.shapes.scalar_type(shape))));
            }
        }
    }

    /// The load or store of a whole variable that an instruction is.
    #[inline(always)]
    fn access(&self, f: &Body, inst: Inst) -> Option<Access> {
        let (address, ty, is_store) = match f.op(inst) {
            Op::Load => (f.arg(inst, 0), f.ty(inst), false),
            Op::Store => (f.arg(inst, 1), f.type_of(f.arg(inst, 0)), true),
            _ => return None,
        };
        let var = self.of[address.as_inst()?].get()?;
        (self.variables[var].1 == ty).then_some(Access { inst, var, is_store })
    }

    fn find_accesses(&mut self, f: &Body, order: &Order) {
        self.accesses.clear();
        self.ranges.reset(f.block_count(), (0, 0));
        let count = self.variables.len();
        let [mut stores, mut reads] = std::mem::take(&mut self.pairs);
        stores.clear();
        reads.clear();
        self.seen.reset(count, Seen::default());
        for &b in &order.blocks {
            let (here, start) = (Opt::some(b), self.accesses.len() as u32);
            for i in f.insts(b) {
                let Some(access) = self.access(f, i) else { continue };
                self.accesses.push(access);
                let seen = &mut self.seen[access.var];
                seen.accesses += 1;
                if seen.stored == here {
                    continue;
                }
                if access.is_store {
                    seen.stored = here;
                    stores.push((access.var, b));
                } else if seen.read != here {
                    seen.read = here;
                    reads.push((access.var, b));
                }
            }
            self.ranges[b] = (start, self.accesses.len() as u32);
        }
        self.reachable = self.accesses.len();
        for b in unreachable_blocks(f, order) {
            for i in f.insts(b) {
                let Some(access) = self.access(f, i) else { continue };
                self.accesses.push(access);
                self.seen[access.var].accesses += 1;
            }
        }
        self.stores.fill(count, &stores);
        self.reads.fill(count, &reads);
        self.pairs = [stores, reads];
        self.is_promoted.clear();
        for (var, &(alloca, _)) in self.variables.iter() {
            self.is_promoted.push(self.seen[var].accesses == f.use_count(alloca));
        }
    }

    fn place_phis(&mut self, cx: &mut FuncCx) {
        let blocks = cx.f.block_count();
        self.search.live.reset(blocks, Opt::NONE);
        self.search.stored.reset(blocks, Opt::NONE);
        self.placed.clear();
        for (var, &(alloca, ty)) in self.variables.iter() {
            let (stores, reads) = (self.stores.get(var), self.reads.get(var));
            if !self.is_promoted[var] || stores.is_empty() || reads.is_empty() {
                continue;
            }
            let live = find_live(cx.f, &cx.analyses.dominators, &mut self.search, var, stores, reads);
            if let (Live::Below(_), [_]) = (&live, stores) {
                // The one store reaches all that it dominates.
                continue;
            }
            cx.require(AnalysisSet::FRONTIERS);
            let (dominators, frontiers) = (&cx.analyses.dominators, &cx.analyses.frontiers);
            let search = &self.search;
            let wanted = |b: Block| match live {
                Live::Below(store) => dominators.strictly_dominates(store, b),
                Live::Found => search.live[b] == Opt::some(var),
                Live::Anywhere => true,
            };
            self.frontier.clear();
            frontiers.iterated(dominators, &mut self.frontiers, stores, wanted, &mut self.frontier);
            for &b in &self.frontier {
                let phi = cx.f.insert_phi(b, ty, Place::NONE);
                cx.f.name_after(Value::inst(phi), alloca);
                self.placed.push((b, (var, phi)));
            }
        }
        self.phis.fill(blocks, &self.placed);
    }

    /// Finds what every load yields, and gives phis their operands.
    fn rename(&mut self, f: &mut Body, dominators: &Dominators) {
        let Scratch { variables, is_promoted, accesses, ranges, phis, reaching, forwarded, gone, .. } = self;
        reaching.begin(variables);
        forwarded.clear();
        forwarded.extend(f.insts_from(0).map(Value::inst));
        gone.clear();
        for &b in &dominators.preorder {
            reaching.enter(dominators.level[b] as usize);
            for &(var, phi) in phis.get(b) {
                reaching.set(var, Value::inst(phi));
            }
            let (start, end) = ranges[b];
            for &Access { inst, var, is_store } in &accesses[start as usize..end as usize] {
                if !is_promoted[var] {
                    continue;
                }
                if is_store {
                    // What is stored may be a load that goes, too; it has been seen.
                    let v = f.arg(inst, 0);
                    reaching.set(var, v.as_inst().map_or(v, |i| forwarded[i]));
                    forwarded[inst] = Value::undef(Type::Void);
                } else {
                    forwarded[inst] = reaching.value[var];
                }
                gone.push(inst);
            }
            for e in f.succs(b) {
                for &(var, phi) in phis.get(f.edge_to(e)) {
                    f.set_arg(phi, f.edge_slot(e), reaching.value[var]);
                }
            }
        }
        // Nothing reaches a load in an unreachable block.
        for &Access { inst, var, .. } in
            accesses[self.reachable..].iter().filter(|access| is_promoted[access.var])
        {
            forwarded[inst] = Value::undef(variables[var].1);
            gone.push(inst);
        }
        for (_, &(alloca, _)) in variables.iter().filter(|&(var, _)| is_promoted[var]) {
            forwarded[alloca] = Value::undef(Type::Ptr);
            gone.push(alloca);
        }
    }

    /// What `Body::forward` does.
    fn replace_each(&self, f: &mut Body) {
        // Allocas are the last: nothing uses them any more.
        for &i in &self.gone {
            if f.ty(i) != Type::Void {
                f.replace_uses(i, self.forwarded[i]);
            }
            f.remove(i);
        }
    }
}

/// The value that each variable has at the point of the walk, and how to go back.
#[derive(Debug, Default)]
struct Reaching {
    value: Column<Var, Value>,
    /// What was overwritten, and where each block on the path from the root starts in here.
    log: Vec<(Var, Value)>,
    marks: Vec<usize>,
}

impl Reaching {
    fn begin(&mut self, variables: &Column<Var, (Inst, Type)>) {
        self.value.clear();
        self.log.clear();
        self.marks.clear();
        for &(_, ty) in variables.as_slice() {
            self.value.push(Value::undef(ty));
        }
    }

    fn set(&mut self, var: Var, value: Value) {
        let old = std::mem::replace(&mut self.value[var], value);
        self.log.push((var, old));
    }

    /// Enters a block at `level`, leaving those of the path from that level down.
    #[inline(always)]
    fn enter(&mut self, level: usize) {
        self.leave(level, |_, _| {});
    }

    /// The same; says what becomes of variables on the way up.
    #[inline(always)]
    fn leave(&mut self, level: usize, mut back: impl FnMut(Var, Value)) {
        if let Some(&mark) = self.marks.get(level) {
            self.marks.truncate(level);
            for (var, value) in self.log.drain(mark..).rev() {
                self.value[var] = value;
                back(var, value);
            }
        }
        self.marks.push(self.log.len());
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
    use super::*;
    use crate::ir::{At, Module};
    use crate::opt::run::testing::{apply, changes_nothing};

    /// `while (c) x = g(x);` with x in memory, in a function of an i32 and an i1.
    fn counting_loop() -> (Module, [Block; 4]) {
        let mut module = crate::opt::run::testing::module();
        let f = module.nth_mut(0);
        let [entry, head, body, exit] = [0; 4].map(|_| f.create_block());
        let (p, c) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
        let shape = Shape::scalar(Type::I32).index() as u32;
        let x = Value::inst(f.insert(At::End(entry), Op::Alloca, Type::Ptr, &[], shape, Place::NONE));
        f.insert(At::End(entry), Op::Store, Type::Void, &[p, x], 0, Place::NONE);
        f.set_br(entry, head, Place::NONE);
        f.set_cond_br(head, c, body, exit, Place::NONE);
        let old = Value::inst(f.insert(At::End(body), Op::Load, Type::I32, &[x], 0, Place::NONE));
        let new = Value::inst(f.insert(At::End(body), Op::Add, Type::I32, &[old, p], 0, Place::NONE));
        f.insert(At::End(body), Op::Store, Type::Void, &[new, x], 0, Place::NONE);
        f.set_br(body, head, Place::NONE);
        let last = Value::inst(f.insert(At::End(exit), Op::Load, Type::I32, &[x], 0, Place::NONE));
        f.set_ret(exit, Some(last), Place::NONE);
        (module, [entry, head, body, exit])
    }

    #[test]
    fn few_variables_of_a_large_body_are_promoted_like_all_of_a_small_one() {
        let (mut small, [.., exit]) = counting_loop();
        let (mut large, _) = counting_loop();
        let f = large.nth_mut(0);
        let end = f.terminator(exit).unwrap();
        let mut x = f.arg(end, 0);
        for _ in 0..FEW * f.inst_count() {
            x = Value::inst(f.insert(At::Before(end), Op::Add, Type::I32, &[x, x], 0, Place::NONE));
        }
        f.set_arg(end, 0, x);
        assert!(apply(&MEM2REG, &mut small) && apply(&MEM2REG, &mut large));
        let [small, large] = [small, large].map(|module| {
            let text = crate::ir::print::module(&module);
            text.split("b3:").next().unwrap().to_string()
        });
        assert_eq!(small, large);
        assert!(!large.contains("alloca") && large.contains("phi"), "{large}");
    }

    #[test]
    fn a_loop_variable_becomes_a_phi() {
        let (mut module, [entry, head, body, exit]) = counting_loop();
        assert!(apply(&MEM2REG, &mut module));
        let f = module.nth(0);
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
        let f = module.nth(0);
        let head = f.blocks().nth(1).unwrap();
        assert_eq!((f.phis(head).count(), f.insts(head).count()), (3, 6));
        assert_eq!(crate::opt::run::testing::run(&module, ""), Some((String::new(), 1006)));
    }

    #[test]
    fn an_address_that_is_passed_on_stays_in_memory() {
        let (mut module, [entry, ..]) = counting_loop();
        let f = module.nth_mut(0);
        let x = Value::inst(f.first(entry).unwrap());
        f.insert(
            At::BeforeTerminator(entry),
            Op::ElemAddr,
            Type::Ptr,
            &[x, Value::inst(Inst::new(0))],
            3,
            Place::NONE,
        );
        assert!(changes_nothing(&MEM2REG, &mut module));
    }

    #[test]
    fn many_variables_across_many_loops_take_linear_time() {
        let mut module = crate::opt::run::testing::module();
        let f = module.nth_mut(0);
        let n = 3000;
        let entry = f.create_block();
        let (p, c) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
        let shape = Shape::scalar(Type::I32).index() as u32;
        let vars: Vec<Value> = (0..n)
            .map(|_| Value::inst(f.insert(At::End(entry), Op::Alloca, Type::Ptr, &[], shape, Place::NONE)))
            .collect();
        let mut at = entry;
        for &x in &vars {
            f.insert(At::End(at), Op::Store, Type::Void, &[p, x], 0, Place::NONE);
            let [head, body, next] = [0; 3].map(|_| f.create_block());
            f.set_br(at, head, Place::NONE);
            f.set_cond_br(head, c, body, next, Place::NONE);
            let old = Value::inst(f.insert(At::End(body), Op::Load, Type::I32, &[x], 0, Place::NONE));
            let new = Value::inst(f.insert(At::End(body), Op::Add, Type::I32, &[old, p], 0, Place::NONE));
            f.insert(At::End(body), Op::Store, Type::Void, &[new, x], 0, Place::NONE);
            f.set_br(body, head, Place::NONE);
            at = next;
        }
        let last = Value::inst(f.insert(At::End(at), Op::Load, Type::I32, &[vars[0]], 0, Place::NONE));
        f.set_ret(at, Some(last), Place::NONE);
        assert!(apply(&MEM2REG, &mut module));
        let f = module.nth(0);
        assert_eq!(f.blocks().map(|b| f.phis(b).count()).sum::<usize>(), n);
    }

    #[test]
    fn the_variables_of_a_deep_nest_get_a_phi_each() {
        // while (c) { x1 = p; while (c) { x2 = p; while ... { x1 += p; x2 += p; ... }}}, unrolled into
        // blocks: each variable is stored before its loop, and dead around the loops outside.
        let mut module = crate::opt::run::testing::module();
        let f = module.nth_mut(0);
        let n = 300;
        let (p, c) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
        let shape = Shape::scalar(Type::I32).index() as u32;
        let entry = f.create_block();
        let vars: Vec<Value> = (0..n)
            .map(|_| Value::inst(f.insert(At::End(entry), Op::Alloca, Type::Ptr, &[], shape, Place::NONE)))
            .collect();
        let exit = f.create_block();
        let (mut at, mut back) = (entry, exit);
        for &x in &vars {
            f.insert(At::End(at), Op::Store, Type::Void, &[p, x], 0, Place::NONE);
            let [head, body, after] = [0; 3].map(|_| f.create_block());
            f.set_br(at, head, Place::NONE);
            f.set_cond_br(head, c, body, after, Place::NONE);
            let old = Value::inst(f.insert(At::End(after), Op::Load, Type::I32, &[x], 0, Place::NONE));
            let new = Value::inst(f.insert(At::End(after), Op::Add, Type::I32, &[old, p], 0, Place::NONE));
            f.insert(At::End(after), Op::Store, Type::Void, &[new, x], 0, Place::NONE);
            f.set_br(after, back, Place::NONE);
            (at, back) = (body, head);
        }
        f.set_br(at, back, Place::NONE);
        f.set_ret(exit, Some(p), Place::NONE);
        assert!(apply(&MEM2REG, &mut module));
        let made = module.nth(0).ops().filter(|&(_, op)| op == Op::Phi).count();
        assert!(made <= 2 * n, "{made} phis made for {n} variables");
    }
}
