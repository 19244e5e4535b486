//! Candidates for inlining: the functions whose calls `inline` may replace by their bodies.
//!
//! A barrier: it counts the calls of each function and keeps the packed bodies that are worth a copy: small ones, and
//! those that are called from one place only, which go when nothing calls them any more. What recurs is a candidate
//! only if it is small.
//!
//! O(instructions + functions).

use crate::analysis::Effects;
use crate::base::{Column, Handle, Opt};
use crate::ir::body::packed::{Packed, Packer, pack};
use crate::ir::{Body, Calls, Env, Flags, FuncId, GlobalId, Hints, Inlining, Linkage, Op, Shape};
use crate::opt::calls::inline::MOST_BYTES;
use crate::opt::run::facts::{Fact, Look, Sight};
use crate::opt::run::manager::Function;
use crate::opt::run::pass::{ModuleCx, ModulePass};
use crate::opt::run::renumber::Renumbering;
use std::sync::Arc;

/// The barrier.
pub static CANDIDATES: ModulePass = ModulePass {
    name: "candidates",
    description: "choose the functions whose calls may be replaced by their bodies",
    looks: &[Look::at::<Sizes>()],
    run: choose,
    apply: None,
    renumbers: false,
};

/// Instructions of a body that is copied to all of its calls.
pub(super) const SMALL: usize = 50;
/// A unit of more instructions is large (gcc's `large-unit-insns`), and a body that is copied in it has no more than so many (gcc's
/// `max-inline-insns-auto` is 15): SQLite's code takes 0.95 of its bytes (RISC-V, AArch64; 0.96 with 30, 0.95 with 8).
const LARGE_UNIT: usize = 10_000;
const SMALL_OF_LARGE: usize = 20;
/// The same where a profile says that it is called often.
const HOT: usize = 300;
/// Instructions of copies that are the only one: all of a program that people write, and no giant of
/// thousands that are generated, which one worker would be left with. And their variables in memory.
pub(super) const ONCE_ROOM: usize = 5000;
const ONCE_BYTES: u64 = MOST_BYTES / 2;

/// Bodies to be copied.
#[derive(Debug, Default)]
pub struct Candidates {
    of: Column<FuncId, Option<Candidate>>,
    /// Instructions that a body has at most which is copied to all of its calls.
    pub(super) most: usize,
}

impl Fact for Candidates {
    fn highest(&self) -> (Option<FuncId>, Option<GlobalId>) {
        (self.of.keys().last(), None)
    }

    // The globals in packed bodies have their old numbers.
    fn renumber(&mut self, _: &Renumbering) -> bool {
        false
    }
}

impl Candidates {
    /// A function, if it may be copied.
    pub(super) fn of(&self, func: FuncId) -> Option<&Candidate> {
        self.of.get(func).and_then(Option::as_ref)
    }

    /// The body of a function, if that may be copied.
    pub fn body(&self, func: FuncId) -> Option<&Packed> {
        self.of(func).map(|candidate| &*candidate.body)
    }
}

/// A function that may be copied.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) body: Arc<Packed>,
    /// Instructions, and bytes of variables in memory.
    pub(super) size: usize,
    pub(super) bytes: u64,
    /// There is one call of it.
    pub(super) once: bool,
    pub(super) recurs: bool,
    /// It has calls, or variables in memory.
    pub(super) has_more: bool,
    /// It has calls that have to be jumps, and so is not copied to where such a call is itself.
    pub(super) jumps: bool,
}

/// What the choice is made by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Instructions, and bytes of variables in memory.
    insts: usize,
    bytes: u64,
    /// It has calls, or variables in memory.
    has_more: bool,
    /// It has calls that have to be jumps.
    jumps: bool,
    /// It has a frame of its own (`ir::Func::keeps_frame`).
    keeps_frame: bool,
    /// What it calls, and how often.
    calls: Vec<(FuncId, u32)>,
}

impl Sight for Sizes {
    /// O(instructions).
    fn of(env: &Env, f: &Body) -> Sizes {
        let mut sizes = Sizes::default();
        for i in f.blocks().flat_map(|b| f.insts(b)) {
            sizes.insts += 1;
            let op = f.op(i);
            sizes.has_more |= matches!(op, Op::Call | Op::Alloca);
            match op {
                Op::Call => {
                    // One that may be left by an exception stays a call (`inline`), and so does not count as the only one.
                    let count = 1 + u32::from(f.flags(i).has(Flags::INVOKED));
                    sizes.calls.push((f.callee(i), count));
                    sizes.jumps |= f.flags(i).has(Flags::MUST_TAIL);
                    sizes.keeps_frame |= env.funcs[f.callee(i)].keeps_frame();
                }
                Op::Alloca => {
                    let bytes = env.shapes.bytes(Shape::new(f.payload(i) as usize));
                    sizes.bytes = sizes.bytes.saturating_add(bytes);
                }
                _ => {}
            }
        }
        sizes.calls.sort_unstable();
        sizes.calls.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            first.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        sizes.calls.shrink_to_fit();
        sizes
    }
}

fn choose(cx: &mut ModuleCx) -> bool {
    let env = &*cx.env;
    let effects = cx.facts.get::<Effects>();
    let recurs =
        |func: FuncId| effects.and_then(|effects| effects.of.get(func)).is_none_or(|of| of.recursive);
    let mut rows: Column<FuncId, Row> = Column::filled(env.funcs.len(), Row::default());
    for f in cx.functions.iter_mut().filter(|f| f.has_body()) {
        let sizes = f.local.as_mut().and_then(|local| local.take::<Sizes>()).unwrap_or_default();
        let row = &mut rows[f.func];
        (row.size, row.bytes, row.has_more) = (sizes.insts, sizes.bytes, sizes.has_more);
        row.jumps = sizes.jumps;
        row.keeps_frame = sizes.keeps_frame;
        for (callee, count) in sizes.calls {
            let row = &mut rows[callee];
            (row.calls, row.caller) = (row.calls + count, Opt::some(f.func));
        }
    }
    let all: usize = rows.iter().map(|(_, row)| row.size).sum();
    let small = if all > LARGE_UNIT { SMALL_OF_LARGE } else { SMALL };
    for (func, row) in env.funcs.iter() {
        let is_final = matches!(row.linkage, Linkage::Internal | Linkage::External);
        // Where variadic arguments are found is known of a call only.
        let called = is_final && rows[func].calls > 0 && !row.variadic && !rows[func].keeps_frame;
        let called = called && row.hints.inlining != Inlining::Never;
        let most = match row.hints {
            Hints { inlining: Inlining::Always, .. } => ONCE_ROOM,
            Hints { calls: Some(Calls { hot: true, .. }), .. } if !recurs(func) => HOT,
            _ => small,
        };
        rows[func].is_small = called && rows[func].size <= most;
        rows[func].is_only =
            called && !rows[func].jumps && rows[func].calls == 1 && row.is_closed() && !recurs(func);
    }
    settle(&mut rows, cx.functions.iter().filter(|f| f.has_body()).map(|f| f.func));
    let mut chosen: Vec<&Function> =
        cx.functions.iter().map(|f| &**f).filter(|f| rows[f.func].is_small || rows[f.func].is_only).collect();
    let copies = cx.workers.map(&mut chosen, Packer::default, |packer, _, f| {
        let packed = || f.body.as_deref().map(|body| Arc::new(pack(body, packer)));
        let body = f.packed.clone().or_else(packed)?;
        let Row { bytes, has_more, is_only, jumps, .. } = rows[f.func];
        let (size, recurs) = (body.insts as usize, recurs(f.func));
        Some(Candidate { size, bytes, once: is_only, recurs, has_more, jumps, body })
    });
    let mut of: Column<FuncId, Option<Candidate>> = Column::new();
    of.extend(env.funcs.keys().map(|_| None));
    for copy in copies.into_iter().flatten() {
        let func = copy.body.func;
        of[func] = Some(copy);
    }
    cx.facts.set(Candidates { of, most: small });
    false
}

/// What is known of a function when candidates are chosen.
#[derive(Copy, Clone, Debug, Default)]
struct Row {
    size: usize,
    bytes: u64,
    has_more: bool,
    jumps: bool,
    keeps_frame: bool,
    calls: u32,
    /// One of those that call it.
    caller: Opt<FuncId>,
    /// It may be copied to each of its calls.
    is_small: bool,
    /// Nothing is left of it when it has been copied to its only call.
    is_only: bool,
    /// The function that it ends in, when that is known, and of that what others have brought along.
    root: Opt<FuncId>,
    brought: (usize, u64),
}

/// Leaves `is_only` to functions that the one in which they end has room for: a function that stays must get
/// copies itself. O(functions).
fn settle(rows: &mut Column<FuncId, Row>, functions: impl DoubleEndedIterator<Item = FuncId>) {
    let mut chain: Vec<FuncId> = Vec::new();
    // What is below calls what is above, so chains are short, save in foreign text.
    for func in functions.rev() {
        chain.push(func);
        while let Some(&last) = chain.last()
            && rows[last].is_only
            && let Some(caller) = rows[last].caller.get()
            && rows[caller].root.is_none()
            && caller != last
        {
            chain.push(caller);
        }
        while let Some(func) = chain.pop() {
            if !rows[func].root.is_none() {
                continue;
            }
            let Row { size, bytes, caller, is_only, .. } = rows[func];
            let caller = caller.get().filter(|_| is_only);
            // A caller that is copied would take it along each time.
            let root = caller.filter(|&caller| !rows[caller].is_small || rows[caller].is_only);
            let above = root.and_then(|caller| rows[caller].root.get());
            let root = above.filter(|&root| {
                let (more, more_bytes) = rows[root].brought;
                more + size <= ONCE_ROOM && more_bytes + bytes <= ONCE_BYTES
            });
            rows[func].is_only = root.is_some();
            // Where there is no room, a chain of calls goes on in a function of its own. If its first were
            // copied as what is small is, none of the rest could be put there, and each would get copies of
            // those behind.
            rows[func].is_small &= above.is_none() || root.is_some();
            rows[func].root = Opt::some(root.unwrap_or(func));
            if let Some(root) = root {
                let brought = &mut rows[root].brought;
                *brought = (brought.0 + size, brought.1 + bytes);
            }
        }
    }
}
