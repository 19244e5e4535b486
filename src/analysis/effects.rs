//! What calling a function can do: which memory it reads and writes, whether it talks to the outside, may
//! stay away, or calls itself.
//!
//! A declared function does what its declaration says. A defined one does what its instructions do, those to
//! its own allocas aside, and what the functions do that it calls, seen from the caller: what a callee does
//! to what argument 2 points into, the caller does to whatever it passes. Summaries flow up the call graph,
//! component after component with callees first, and inside a component by a worklist over callers. A set of
//! more than `MOST` regions becomes everything, so a summary grows a few times at most. O(instructions +
//! calls).
//!
//! Loops that can be left and recursion are taken to end, as in C.

use super::memory::{Base, base_of, read, written};
use crate::base::graph::Components;
use crate::base::{Column, Handle, Opt, Rows, Worklist};
use crate::ir::opcode::{PURE, VOLATILE};
use crate::ir::{Block, Body, Effect, Env, Func, FuncId, GlobalId, Inst, Linkage, Module, Op, Type, Value};

/// Memory that a caller can see: a global, or what an argument points into.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Region {
    /// A global.
    Global(GlobalId),
    /// What the argument of this number points into.
    Arg(u32),
}

/// Where a region of a call is in the caller.
pub fn base_of_region(f: &Body, call: Inst, region: Region) -> Base {
    match region {
        Region::Global(global) => Base::Global(global),
        Region::Arg(k) => f.args(call).get(k as usize).map_or(Base::Unknown, |&v| base_of(f, v)),
    }
}

/// The most regions of a set.
const MOST: usize = 8;

/// Regions in order, at most `MOST`; none for anything.
type Set = Option<Vec<Region>>;

/// Adds a region; true if the set has grown.
fn insert(set: &mut Set, region: Option<Region>) -> bool {
    let Some(list) = set else { return false };
    match region {
        Some(region) if list.contains(&region) => return false,
        Some(region) if list.len() < MOST => list.insert(list.partition_point(|&r| r < region), region),
        _ => *set = None,
    }
    true
}

/// A set in `Effects::regions`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
struct Span {
    first: u32,
    /// `ANYTHING`, or how many.
    count: u32,
}

const ANYTHING: u32 = u32::MAX;

/// What a function does.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Of the memory that it reads, and of what it writes.
    memory: [Span; 2],
    /// Input, output, time.
    pub outside: bool,
    /// It may never come back, other than by a loop that can be left, or by recursion.
    pub stays_away: bool,
    /// It may be called again before it is done, by what the program defines.
    pub recursive: bool,
    /// It, or what it calls, touches memory besides its own and the tables in which it keeps results of its own
    /// (`opt/calls/result_tables`), or nothing is known of that.
    pub touches: bool,
    /// It, or what it calls, has loops or recurs, or nothing is known of that. What has none ends.
    pub loops: bool,
}

/// Where nothing is known of any function: calls do everything.
pub static UNKNOWN: Effects = Effects::new();

const READS: usize = 0;
const WRITES: usize = 1;

/// The effects of all functions of a program.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    /// Per function.
    pub of: Column<FuncId, Summary>,
    regions: Vec<Region>,
    /// Per function: its rank; empty if functions call those above.
    ranks: Column<FuncId, u32>,
}

impl Effects {
    /// Of no functions.
    pub const fn new() -> Effects {
        Effects { of: Column::new(), regions: Vec::new(), ranks: Column::new() }
    }

    /// Recomputes for a program, keeping the memory.
    pub fn compute(&mut self, module: &Module) {
        self.begin(&module.env);
        self.add(&module.env, module.defined().map(|f| own(&module.env, f)));
    }

    /// Begins with what functions do that are declared only, keeping the memory.
    pub fn begin(&mut self, env: &Env) {
        self.of.clear();
        self.regions.clear();
        for (_, row) in env.funcs.iter() {
            // Another definition may take the place of a weak one.
            let is_open = matches!(row.linkage, Linkage::Declared | Linkage::Weak);
            self.push(row, if is_open { row.effect } else { Effect::NONE }, is_open);
        }
    }

    /// Says in which order functions come: those of a higher rank behind those of a lower one. Calls of what comes later do
    /// everything.
    pub fn rank(&mut self, ranks: impl Iterator<Item = (FuncId, u32)>) {
        self.ranks.clear();
        for (func, rank) in ranks {
            self.ranks.grow_to(func.index() + 1, 0);
            self.ranks[func] = rank;
        }
    }

    /// True if a function calls one that comes later.
    fn calls_ahead(&self, own: &Own) -> bool {
        let rank = self.ranks.get(own.func);
        !self.ranks.is_empty() && own.callees().any(|callee| self.ranks.get(callee) > rank)
    }

    /// Takes what functions do that there were not before from their declarations: of those that are defined, too,
    /// nothing else is known, and they may do everything. O(functions that are new).
    pub fn extend_unseen(&mut self, env: &Env) {
        for (_, row) in env.funcs.iter().skip(self.of.len()) {
            self.push(row, row.effect, true);
        }
    }

    /// What a declaration says; `is_open`: of a function that nothing more will be known of.
    fn push(&mut self, row: &Func, effect: Effect, is_open: bool) {
        let pointers = (0..).zip(&row.params).filter(|&(_, &ty)| ty == Type::Ptr);
        let arguments: Vec<Region> = pointers.map(|(k, _)| Region::Arg(k)).collect();
        let set = |bit: Effect| match effect.has(bit) {
            true if effect.has(Effect::ANYWHERE) || row.variadic || arguments.len() > MOST => None,
            true => Some(arguments.clone()),
            false => Some(Vec::new()),
        };
        let memory = [set(Effect::READS), set(Effect::WRITES)].map(|set| self.store(&set));
        let outside = effect.has(Effect::OUTSIDE);
        let touches = outside || effect.has(Effect::READS) || effect.has(Effect::WRITES);
        self.of.push(Summary {
            memory,
            outside,
            stays_away: outside,
            recursive: false,
            touches,
            loops: is_open,
        });
    }

    fn store(&mut self, set: &Set) -> Span {
        let first = self.regions.len() as u32;
        self.regions.extend(set.iter().flatten());
        Span { first, count: set.as_ref().map_or(ANYTHING, |list| list.len() as u32) }
    }

    /// Gives globals their new numbers, in the same order; one that has none is gone, and nothing touches it.
    pub fn renumber(&mut self, new: &Column<GlobalId, Opt<GlobalId>>) {
        let old = std::mem::take(&mut self.regions);
        for span in self.of.as_mut_slice().iter_mut().flat_map(|summary| &mut summary.memory) {
            if span.count == ANYTHING {
                continue;
            }
            let first = self.regions.len();
            self.regions.extend(old[span.first as usize..][..span.count as usize].iter().filter_map(
                |&region| match region {
                    Region::Global(global) => new[global].get().map(Region::Global),
                    Region::Arg(_) => Some(region),
                },
            ));
            *span = Span { first: first as u32, count: (self.regions.len() - first) as u32 };
        }
    }

    /// The highest number of a global that it holds. O(functions + regions).
    pub fn highest_global(&self) -> Option<GlobalId> {
        let global = |region: &Region| if let Region::Global(global) = region { Some(*global) } else { None };
        let sets = self.of.as_slice().iter().flat_map(|of| of.memory).filter_map(|span| self.set(span));
        sets.flatten().filter_map(global).max()
    }

    fn set(&self, span: Span) -> Option<&[Region]> {
        let (first, count) = (span.first as usize, span.count as usize);
        (span.count != ANYTHING).then(|| &self.regions[first..first + count])
    }

    /// Adds functions. What they call is among them, or has been added before: a SysY function calls what
    /// stands above it and itself. O(functions of the program + calls).
    pub fn add(&mut self, env: &Env, functions: impl Iterator<Item = Own>) {
        // What has come since the beginning is declared.
        self.extend_unseen(env);
        let mut own: Vec<Own> =
            functions.filter(|own| env.funcs[own.func].linkage != Linkage::Weak).collect();
        for own in own.iter_mut().filter(|own| self.calls_ahead(own)) {
            (own.memory, own.outside, own.stays_away, own.loops) = ([None, None], true, true, true);
            own.touches = true;
        }
        let mut number: Column<FuncId, u32> = Column::filled(env.funcs.len(), u32::MAX);
        for (k, own) in own.iter().enumerate() {
            number[own.func] = k as u32;
        }
        let calls = own.iter().flat_map(|own| own.callees().map(|callee| (own.func, callee)));
        let inside: Vec<(FuncId, FuncId)> = calls.filter(|&(_, callee)| number[callee] != u32::MAX).collect();
        let (mut callees, mut callers): (Rows<FuncId, FuncId>, Rows<FuncId, FuncId>) = Default::default();
        callees.fill(env.funcs.len(), &inside);
        callers.fill(env.funcs.len(), &inside.iter().map(|&(a, b)| (b, a)).collect::<Vec<_>>());
        let components = Components::of(env.funcs.len(), &callees);
        let mut work: Worklist<FuncId> = Worklist::new(env.funcs.len());
        // Per function: the component that it was put on the list with.
        let mut within: Column<FuncId, u32> = Column::filled(env.funcs.len(), u32::MAX);
        for (component, c) in components.iter().zip(0..) {
            let Some(k) = component.first().map(|&func| number[func] as usize) else { continue };
            let recursive =
                component.len() > 1 || own.get(k).is_some_and(|own| own.callees().any(|f| f == own.func));
            for &func in component.iter().filter(|&&func| number[func] != u32::MAX) {
                within[func] = c;
                work.push(func);
            }
            while let Some(func) = work.pop() {
                let own = &mut own[number[func] as usize];
                let (grown, summary) = self.merge(own, recursive);
                if grown || !own.is_known {
                    own.is_known = true;
                    self.of[func] = summary;
                    if recursive {
                        callers.get(func).iter().filter(|&&f| within[f] == c).for_each(|&f| work.push(f));
                    }
                }
            }
        }
    }

    /// What a function does, as far as its callees are known. True if that is more than before.
    fn merge(&mut self, own: &mut Own, recursive: bool) -> (bool, Summary) {
        let mut summary = Summary { recursive, ..self.of[own.func] };
        summary.outside |= own.outside;
        summary.stays_away |= own.stays_away;
        summary.loops |= own.loops || recursive;
        summary.touches |= own.touches;
        let mut grown = [false; 2];
        for &Passed { callee, arg, to } in &own.calls {
            let of = self.of[callee];
            if arg == CALLS {
                summary.outside |= of.outside;
                summary.stays_away |= of.stays_away;
                summary.loops |= of.loops;
                summary.touches |= of.touches;
            }
            for way in [READS, WRITES] {
                let Some(list) = self.set(of.memory[way]) else {
                    grown[way] |= insert(&mut own.memory[way], None);
                    continue;
                };
                let passed = Region::Arg(arg);
                for &region in list {
                    grown[way] |= match region {
                        Region::Global(_) if arg == CALLS => insert(&mut own.memory[way], Some(region)),
                        region if region == passed => insert(&mut own.memory[way], to),
                        _ => false,
                    };
                }
            }
        }
        for way in [READS, WRITES] {
            if grown[way] || !own.is_known {
                summary.memory[way] = self.store(&own.memory[way]);
            }
        }
        (summary != self.of[own.func], summary)
    }

    /// The memory that a call may read; none for anything.
    pub fn reads(&self, func: FuncId) -> Option<&[Region]> {
        self.of.get(func).and_then(|of| self.set(of.memory[READS]))
    }

    /// The memory that a call may write; none for anything.
    pub fn writes(&self, func: FuncId) -> Option<&[Region]> {
        self.of.get(func).and_then(|of| self.set(of.memory[WRITES]))
    }

    /// True if the result of a call depends on its arguments only, and nothing else comes of it.
    pub fn is_pure(&self, func: FuncId) -> bool {
        self.is_removable(func) && self.reads(func).is_some_and(<[Region]>::is_empty)
    }

    /// True if the result of a call depends on its arguments only, and nothing comes of it but that results are kept in
    /// tables of the function's own: those may have been written.
    pub fn is_function(&self, func: FuncId) -> bool {
        self.of.get(func).is_some_and(|of| !of.touches && !of.outside && !of.stays_away)
    }

    /// True if a call whose result is not needed may go.
    #[inline]
    pub fn is_removable(&self, func: FuncId) -> bool {
        self.writes(func).is_some_and(<[Region]>::is_empty)
            && self.of.get(func).is_some_and(|of| !of.outside && !of.stays_away)
    }
}

/// What a function does itself, and what it calls.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    func: FuncId,
    memory: [Set; 2],
    outside: bool,
    stays_away: bool,
    touches: bool,
    loops: bool,
    is_known: bool,
    calls: Vec<Passed>,
}

/// That a function is called (`CALLS`), or that it gets, as one of its arguments, an address in a region, or
/// anywhere.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Passed {
    callee: FuncId,
    arg: u32,
    to: Option<Region>,
}

/// `Passed::arg` of the call itself.
const CALLS: u32 = u32::MAX;

impl Own {
    fn callees(&self) -> impl Iterator<Item = FuncId> {
        self.calls.iter().filter(|call| call.arg == CALLS).map(|call| call.callee)
    }
}

/// What of the caller's memory an address leads to; false if it is none of the caller's.
fn region_of(f: &Body, address: Value) -> (bool, Option<Region>) {
    match base_of(f, address) {
        Base::Own(_) => (false, None),
        Base::Global(global) => (true, Some(Region::Global(global))),
        Base::Param(k) => (true, Some(Region::Arg(k))),
        Base::Unknown => (true, None),
    }
}

/// True if an address leads to memory that is none of the function's own, nor a table of results.
fn is_foreign(env: &Env, f: &Body, address: Value) -> bool {
    match base_of(f, address) {
        Base::Own(_) => false,
        Base::Global(global) => !env.globals[global].results,
        Base::Param(_) | Base::Unknown => true,
    }
}

/// Adds what an address leads to.
#[inline]
fn note(regions: &mut Set, f: &Body, address: Value) {
    if regions.is_some()
        && let (true, region) = region_of(f, address)
    {
        insert(regions, region);
    }
}

/// Reads a body. O(instructions).
pub fn own(env: &Env, f: &Body) -> Own {
    let mut memory = [const { Some(Vec::new()) }; 2];
    let mut calls: Vec<Passed> = Vec::with_capacity(16);
    let (mut comes_back, mut loops, mut outside, mut touches) = (true, false, false, false);
    // Most instructions compute something.
    for (i, op) in f.ops().filter(|(_, op)| !op.has(PURE)) {
        let (way, address) = match op {
            Op::Load => (READS, f.arg(i, 0)),
            Op::Store => (WRITES, f.arg(i, 1)),
            Op::Br | Op::CondBr | Op::Switch => {
                comes_back = comes_back && leads_on(f, i);
                loops = loops || leads_back(f, i);
                continue;
            }
            Op::Call => {
                let callee = f.callee(i);
                calls.push(Passed { callee, arg: CALLS, to: None });
                for (k, &v) in (0..).zip(f.args(i)).filter(|&(_, &v)| f.type_of(v) == Type::Ptr) {
                    if let (true, to) = region_of(f, v) {
                        calls.push(Passed { callee, arg: k, to });
                    }
                }
                continue;
            }
            Op::Alloca | Op::Phi | Op::Param | Op::Ret | Op::Unreachable => continue,
            _ => {
                outside |= op.has(VOLATILE);
                for (way, address) in [(READS, read(f, i)), (WRITES, written(f, i))] {
                    if let Some(address) = address {
                        touches = touches || is_foreign(env, f, address);
                        note(&mut memory[way], f, address);
                    }
                }
                continue;
            }
        };
        // Before variables are promoted, nearly all that is loaded and stored is one.
        if address.as_inst().is_none_or(|i| f.op(i) != Op::Alloca) {
            touches = touches || is_foreign(env, f, address);
            note(&mut memory[way], f, address);
        }
    }
    let stays_away = !comes_back && !all_come_back(f);
    Own { func: f.func, memory, outside, stays_away, touches, loops, is_known: false, calls }
}

/// True if the target of a branch has a later terminator than this one, or can itself go to a block that has.
/// If that is so of all branches, no set of blocks is without a way out: what of it has the last terminator
/// would have none.
#[inline]
fn leads_on(f: &Body, branch: Inst) -> bool {
    let Some(b) = f.block_of(branch) else { return true };
    let is_later = |b: Block| f.last(b) > Some(branch);
    f.succs(b).any(|e| is_later(f.edge_to(e)))
        || f.succs(b).any(|e| f.succs(f.edge_to(e)).any(|e| is_later(f.edge_to(e))))
}

/// True if a target of a branch has no later terminator than this one. If that is so of none, there are no
/// loops.
#[inline]
fn leads_back(f: &Body, branch: Inst) -> bool {
    f.block_of(branch).is_some_and(|b| f.succs(b).any(|e| f.last(f.edge_to(e)) <= Some(branch)))
}

/// True if every block leads to the end of the function. O(blocks + edges).
fn all_come_back(f: &Body) -> bool {
    let mut seen: Column<Block, bool> = Column::filled(f.block_count(), false);
    let mut stack: Vec<Block> = f.blocks().filter(|&b| f.succs(b).len() == 0).collect();
    let mut count = 0;
    while let Some(b) = stack.pop() {
        if !std::mem::replace(&mut seen[b], true) {
            count += 1;
            stack.extend(f.preds(b).iter().map(|&e| f.edge_from(e)));
        }
    }
    count == f.blocks().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    #[test]
    fn effects_flow_up_the_call_graph_and_own_memory_is_not_the_callers() {
        let module = parse(
            "@g = global i32 0
             @h = global [4 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             declare void @unknown()
             declare void @putarray(i32, ptr)
             declare void @getarray(ptr) memory(argmem: write, inaccessiblemem: readwrite)
             define i32 @pure(i32 %x) {
               %a = alloca [2 x i32]
               %p = getelementptr [2 x i32], ptr %a, i32 0, i32 %x
               store i32 %x, ptr %p
               %v = load i32, ptr %p
               ret i32 %v
             }
             define i32 @reads(i32 %x) {
               %v = load i32, ptr @g
               %w = call i32 @pure(i32 %v)
               ret i32 %w
             }
             define i32 @even(i32 %x) {
               %v = call i32 @odd(i32 %x)
               ret i32 %v
             }
             define i32 @odd(i32 %x) {
               store i32 %x, ptr @g
               %v = call i32 @even(i32 %x)
               %w = call i32 @reads(i32 %x)
               ret i32 %w
             }
             define void @prints(ptr %p) {
               call void @putint(i32 3)
               ret void
             }
             define void @anything() {
               call void @unknown()
               ret void
             }
             define void @fills(i32 %n, ptr %p, ptr %q) {
               %at = getelementptr i32, ptr %q, i32 %n
               store i32 %n, ptr %at
               call void @fills(i32 %n, ptr %q, ptr %p)
               ret void
             }
             define weak void @may_be_another() {
               ret void
             }
             define void @passes(ptr %p) {
               %a = alloca [2 x i32]
               call void @fills(i32 1, ptr @h, ptr %p)
               call void @fills(i32 1, ptr %a, ptr %a)
               ret void
             }
             define void @gets() {
               call void @getarray(ptr @h)
               ret void
             }
             define void @perhaps(i1 %c) {
             entry:
               br i1 %c, label %loop, label %exit
             loop:
               br label %loop
             exit:
               ret void
             }
             define void @again(i32 %x) {
             entry:
               br label %loop
             loop:
               switch i32 %x, label %loop [ i32 0, label %a i32 1, label %b i32 2, label %a i32 3, label %b i32 4, label %a ]
             a:
               ret void
             b:
               ret void
             }",
        )
        .unwrap();
        let mut effects = Effects::default();
        effects.compute(&module);
        let find = |name: &str| {
            let name = module.env.names.find(name);
            module.env.funcs.iter().find(|(_, func)| Some(func.name) == name).unwrap().0
        };
        let of = |name: &str| effects.of[find(name)];
        let memory = |name: &str| (effects.reads(find(name)), effects.writes(find(name)));
        let [g, h] = [0, 1].map(|k| Region::Global(GlobalId::new(k)));
        assert_eq!(memory("pure"), (Some(&[][..]), Some(&[][..])));
        assert_eq!(memory("reads"), (Some(&[g][..]), Some(&[][..])));
        assert_eq!(memory("odd"), (Some(&[g][..]), Some(&[g][..])));
        assert_eq!(memory("even"), memory("odd"));
        assert_eq!(memory("fills").1, Some(&[Region::Arg(1), Region::Arg(2)][..]));
        assert_eq!(memory("passes").1, Some(&[h, Region::Arg(0)][..]));
        assert_eq!(memory("gets"), (Some(&[][..]), Some(&[h][..])));
        assert_eq!([memory("anything"), memory("may_be_another")], [(None, None); 2]);
        let recursive = ["pure", "even", "odd", "fills", "passes"].map(|name| of(name).recursive);
        assert_eq!(recursive, [false, true, true, true, false]);
        let outside = ["odd", "prints", "anything", "gets", "may_be_another"].map(|name| of(name).outside);
        assert_eq!(outside, [false, true, true, true, true]);
        assert!(of("perhaps").stays_away && !effects.is_removable(find("perhaps")));
        let loops =
            ["pure", "reads", "odd", "prints", "fills", "perhaps", "again"].map(|name| of(name).loops);
        assert_eq!(loops, [false, false, true, true, true, true, true]);
        let removable = ["pure", "reads", "odd", "prints"].map(|name| effects.is_removable(find(name)));
        assert_eq!(removable, [true, true, false, false]);
    }

    #[test]
    fn calls_of_what_comes_later_do_everything() {
        let text = "define i32 @first(i32 %x) {\n %v = call i32 @last(i32 %x)\n ret i32 %v\n}\n\
             define i32 @middle(i32 %x) {\n %v = call i32 @first(i32 %x)\n %w = call i32 @middle(i32 %v)\n ret i32 %w\n}\n\
             define i32 @last(i32 %x) {\n ret i32 %x\n}\n";
        let module = parse(text).unwrap();
        let [first, middle, last] = [0, 1, 2].map(FuncId::new);
        let effects = |ranks: &[(FuncId, u32)], windows: &[&[FuncId]]| {
            let mut effects = Effects::default();
            effects.rank(ranks.iter().copied());
            effects.begin(&module.env);
            for window in windows {
                effects.add(
                    &module.env,
                    module.defined().filter(|body| window.contains(&body.func)).map(|f| own(&module.env, f)),
                );
            }
            [first, middle, last].map(|func| effects.is_pure(func))
        };
        // In the order in which they are called, however they come; and in an order in which some are not.
        let ranks = [(last, 0), (first, 1), (middle, 2)];
        for windows in [&[&[last, first, middle][..]][..], &[&[last], &[first], &[middle]]] {
            assert_eq!(effects(&ranks, windows), [true; 3]);
        }
        let ranks = [(first, 0), (middle, 1), (last, 2)];
        for windows in
            [&[&[first, middle, last][..]][..], &[&[first], &[middle, last]], &[&[first, middle], &[last]]]
        {
            assert_eq!(effects(&ranks, windows), [false, false, true]);
        }
    }

    #[test]
    fn memory_that_is_copied_masked_or_strided_is_read_and_written() {
        let module = parse(
            "@g = global [8 x i32] zeroinitializer
             @h = global [8 x i32] zeroinitializer
             declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
             declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
             define void @sets(i32 %n) {
               call void @llvm.memset.p0.i32(ptr @g, i8 1, i32 %n, i1 false)
               ret void
             }
             define void @copies(i32 %n, ptr %p) {
               call void @llvm.memcpy.p0.p0.i32(ptr @g, ptr %p, i32 %n, i1 false)
               ret void
             }
             define void @masked(i32 %n) {
               %s = call <4 x i32> @sysyc.splat.v4i32(i32 %n)
               %m = icmp slt <4 x i32> %s, splat (i32 7)
               %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr @g, i32 4, <4 x i1> %m, <4 x i32> %s)
               call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr @h, i32 4, <4 x i1> %m)
               ret void
             }
             define void @strided(ptr %p, i64 %n) {
               %v = call <2 x i32> @llvm.experimental.vp.strided.load.v2i32.p0.i64(
                 ptr @h, i64 %n, <2 x i1> <i1 true, i1 true>, i32 2)
               call void @llvm.experimental.vp.strided.store.v2i32.p0.i64(
                 <2 x i32> %v, ptr %p, i64 %n, <2 x i1> <i1 true, i1 true>, i32 2)
               ret void
             }",
        )
        .unwrap();
        let mut effects = Effects::default();
        effects.compute(&module);
        let [g, h] = [0, 1].map(|k| Region::Global(GlobalId::new(k)));
        let expected = [
            (vec![], vec![g]),
            (vec![Region::Arg(1)], vec![g]),
            (vec![g], vec![h]),
            (vec![h], vec![Region::Arg(0)]),
        ];
        for (f, (reads, writes)) in module.defined().zip(expected) {
            assert_eq!(effects.reads(f.func), Some(&*reads), "{:?}", f.func);
            assert_eq!(effects.writes(f.func), Some(&*writes), "{:?}", f.func);
        }
    }

    #[test]
    fn many_regions_are_everything() {
        let mut text = String::new();
        for k in 0..=MOST {
            text += &format!("@g{k} = global i32 0\n");
        }
        for (name, count) in [("some", MOST), ("all", MOST + 1)] {
            text += &format!("define void @{name}() {{\n");
            (0..count).for_each(|k| text += &format!("store i32 1, ptr @g{k}\n"));
            text += "ret void\n}\n";
        }
        let mut effects = Effects::default();
        effects.compute(&parse(&text).unwrap());
        assert_eq!(effects.writes(FuncId::new(0)).map(<[Region]>::len), Some(MOST));
        assert_eq!(effects.writes(FuncId::new(1)), None);
    }

    #[test]
    fn globals_that_are_gone_leave_no_number_behind() {
        let text = "@gone = internal global i32 0
@kept = internal global i32 0
declare void @putint(i32)
define void @writes(ptr %p) {
  store i32 1, ptr @gone
  store i32 1, ptr @kept
  store i32 1, ptr %p
  ret void
}
define i32 @reads() {
  %x = load i32, ptr @gone
  ret i32 %x
}
";
        let module = parse(text).unwrap();
        let mut effects = Effects::default();
        effects.compute(&module);
        let [writes, reads] = [1, 2].map(FuncId::new);
        let [first, second] = [0, 1].map(|k| Region::Global(GlobalId::new(k)));
        assert_eq!(effects.writes(writes), Some(&[first, second, Region::Arg(0)][..]));
        effects.renumber(&Column::from(vec![Opt::NONE, Opt::some(GlobalId::new(0))]));
        assert_eq!(effects.writes(writes), Some(&[first, Region::Arg(0)][..]));
        assert_eq!(effects.reads(reads), Some(&[][..]));
    }
}
