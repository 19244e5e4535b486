//! What the fast machine counts for a profile, and the profile made of it.
//!
//! Probes are instructions of the register code (`Code::Probe`), which `decode` emits only for a run that is
//! profiled: other runs have none. One at the head of each block and one on each critical edge count
//! (`ir/counters`), so that every count is exact. Two around each call and one at each function's start keep the
//! calling context: a tree with a node for each way of calls that led to a function (Ammons, Ball and Larus,
//! "Exploiting hardware performance counters with flow and context sensitive profiling", 1997). As there, a
//! call of a function that is on the way already is counted in the node that it has, so that recursion makes the
//! tree no deeper than there are functions.
//!
//! An instruction is one of the IR, executed when its block is; phis and `alloca`s, which no machine executes, are
//! none. A block of which a call ends the program counts as executed.
//!
//! O(1) a probe; the profile is O(instructions of the program).

use super::code::Code;
use crate::base::graph::{Dominators, Loops, Order};
use crate::base::{Column, Handle};
use crate::ir::counters::{self, Counter, Frequencies};
use crate::ir::{Block, Body, FuncId, Inst, Module, NO_LOC, Op};

/// What is done for a profile at a place of the code.
#[derive(Copy, Clone, Debug)]
pub(super) enum Probe {
    /// A block of so many instructions is entered, or, with none, a critical edge taken.
    Count { counter: u32, insts: u32 },
    /// A call comes next: the number of its site among those of the function.
    Call { site: u32 },
    /// A function begins that has so many sites.
    Begin { func: FuncId, sites: u32 },
    /// A call has come back.
    Back,
}

/// Nodes of the tree; calls that would need more are counted in the node of their caller.
const MOST_NODES: usize = 1 << 20;
/// Sites of all nodes, likewise.
const MOST_SITES: usize = 1 << 24;

/// What has been counted so far.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    /// Rows of the register code that have been executed, but for probes.
    steps: u64,
    /// Per counter of the program.
    counts: Vec<u64>,
    nodes: Vec<Node>,
    /// Per node: where its sites begin in `callees`.
    first: Vec<u32>,
    /// Per site of a node: one more than the last of the links from there, or 0.
    callees: Vec<u32>,
    links: Vec<Link>,
    current: usize,
    /// The nodes of the calls on their way.
    callers: Vec<u32>,
    /// The site of the call that is being made.
    site: u32,
    /// What was found while decoding.
    layout: Layout,
}

/// From a site of a node to what is called there.
#[derive(Copy, Clone, Debug)]
struct Link {
    func: FuncId,
    node: u32,
    /// One more than the next from the same site (calls by address have several), or 0.
    next: u32,
}

/// Which counters and sites functions have.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Per function: its first counter.
    counters: Column<FuncId, u32>,
    counted: u32,
    /// Per function: offsets in the source of its sites.
    sites: Column<FuncId, Vec<u32>>,
}

/// The counters of the body that is being decoded.
#[derive(Debug, Default)]
pub(super) struct Own {
    blocks: Column<Block, u32>,
    /// Per edge that has one: the edge and its counter, ascending.
    edges: Vec<(u32, u32)>,
}

impl Layout {
    pub(super) fn new(module: &Module) -> Layout {
        let funcs = module.env.funcs.len();
        let (counters, sites) = (Column::filled(funcs, 0), Column::filled(funcs, Vec::new()));
        Layout { counters, counted: 0, sites }
    }

    /// Gives a body its counters.
    pub(super) fn begin(&mut self, f: &Body) -> Own {
        let mut own = Own { blocks: Column::filled(f.block_count(), 0), edges: Vec::new() };
        self.counters[f.func] = self.counted;
        for counter in counters::counters(f) {
            match counter {
                Counter::Block(b) => own.blocks[b] = self.counted,
                Counter::Edge(e) => own.edges.push((e.index() as u32, self.counted)),
            }
            self.counted += 1;
        }
        own.edges.sort_unstable();
        own
    }

    /// A call at an offset in the source.
    pub(super) fn call(&mut self, func: FuncId, loc: u32) -> Probe {
        let sites = &mut self.sites[func];
        sites.push(loc);
        Probe::Call { site: sites.len() as u32 - 1 }
    }

    pub(super) fn function(&self, func: FuncId) -> Probe {
        Probe::Begin { func, sites: self.sites[func].len() as u32 }
    }
}

impl Own {
    pub(super) fn block(&self, f: &Body, b: Block) -> Probe {
        let insts = f.insts(b).filter(|&i| is_executed(f, i)).count() as u32;
        Probe::Count { counter: self.blocks[b], insts }
    }

    pub(super) fn edge(&self, e: crate::ir::Edge) -> Option<Probe> {
        let k = self.edges.binary_search_by_key(&(e.index() as u32), |row| row.0).ok()?;
        Some(Probe::Count { counter: self.edges[k].1, insts: 0 })
    }
}

/// True for what is counted as an executed instruction.
fn is_executed(f: &Body, i: Inst) -> bool {
    !matches!(f.op(i), Op::Phi | Op::Alloca)
}

impl Recorder {
    pub(super) fn new(layout: Layout) -> Recorder {
        Recorder { counts: vec![0; layout.counted as usize], layout, ..Recorder::default() }
    }

    /// True if there is something to count.
    pub(super) fn is_on(&self) -> bool {
        !self.counts.is_empty()
    }

    /// A row is executed.
    #[inline(always)]
    pub(super) fn executes(&mut self, row: &Code) {
        self.steps += u64::from(!matches!(row, Code::Probe(_)));
    }

    #[inline(never)]
    pub(super) fn step(&mut self, probe: Probe) {
        match probe {
            Probe::Count { counter, insts } => {
                self.counts[counter as usize] += 1;
                self.nodes[self.current].own += u64::from(insts);
            }
            Probe::Call { site } => {
                self.callers.push(self.current as u32);
                self.site = site;
            }
            Probe::Begin { func, sites } => {
                self.current = self.callee(func, sites);
                self.nodes[self.current].calls += 1;
            }
            Probe::Back => self.current = self.callers.pop().unwrap_or(0) as usize,
        }
    }

    /// The node of a function that the current one calls.
    fn callee(&mut self, func: FuncId, sites: u32) -> usize {
        if self.nodes.is_empty() {
            return self.push(Node { func, caller: None, site: NO_LOC, calls: 0, own: 0 }, sites);
        }
        let slot = self.first[self.current] as usize + self.site as usize;
        let mut link = self.callees[slot];
        while link != 0 {
            let Link { func: known, node, next } = self.links[link as usize - 1];
            if known == func {
                return node as usize;
            }
            link = next;
        }
        let mut way = Some(self.current as u32);
        while let Some(at) = way.filter(|&at| self.nodes[at as usize].func != func) {
            way = self.nodes[at as usize].caller;
        }
        let node = match way {
            Some(known) => known as usize,
            None if self.nodes.len() == MOST_NODES || self.callees.len() > MOST_SITES => self.current,
            None => {
                let caller = &self.nodes[self.current];
                let site = self.layout.sites[caller.func].get(self.site as usize);
                let site = site.copied().unwrap_or(NO_LOC);
                self.push(Node { func, caller: Some(self.current as u32), site, calls: 0, own: 0 }, sites)
            }
        };
        self.links.push(Link { func, node: node as u32, next: self.callees[slot] });
        self.callees[slot] = self.links.len() as u32;
        node
    }

    fn push(&mut self, node: Node, sites: u32) -> usize {
        self.nodes.push(node);
        self.first.push(self.callees.len() as u32);
        self.callees.resize(self.callees.len() + sites as usize, 0);
        self.nodes.len() - 1
    }

    /// What has been counted of a module.
    pub(super) fn finish(self, module: &Module) -> Profile {
        let Recorder { steps, counts, nodes, layout, .. } = self;
        let mut profile = Profile { steps, nodes, ..Profile::default() };
        let mut graph = Graph::default();
        for f in module.defined() {
            let first = layout.counters[f.func] as usize;
            let own = counts.get(first..first + counters::counters(f).count()).unwrap_or_default();
            profile.counts.push((f.func, own.to_vec()));
            let of = counters::frequencies(f, own);
            profile.note_places(f, &of);
            profile.note_loops(f, &of, &mut graph);
        }
        profile
    }
}

/// What a program has executed.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// All instructions.
    pub executed: u64,
    /// What the interpreter has executed for them: rows of its code, into which several may have gone, or which move values to
    /// phis.
    pub steps: u64,
    /// Per function that is defined: the counts of its counters (`ir/counters`).
    pub counts: Vec<(FuncId, Vec<u64>)>,
    /// Instructions, by block and offset in the source.
    pub places: Vec<Spot>,
    /// Branches.
    pub branches: Vec<Branch>,
    /// Loops, outer ones before those inside.
    pub loops: Vec<Rounds>,
    /// Functions by the calls that led to them; callers before what they call, `main` first.
    pub nodes: Vec<Node>,
}

/// Instructions of a block that come from one place.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Whose code it is.
    pub func: FuncId,
    /// An offset in the source, or `NO_LOC`.
    pub offset: u32,
    /// How often the block was entered.
    pub times: u64,
    /// Instructions that were executed.
    pub executed: u64,
}

/// A branch, and how often each way was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its offset in the source, or `NO_LOC`.
    pub offset: u32,
    /// Per way; of a condition: true, false.
    pub taken: Vec<u64>,
}

/// A loop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// Whose it is.
    pub func: FuncId,
    /// The offset in the source where its header is, or `NO_LOC`.
    pub offset: u32,
    /// How many loops it is in, with itself.
    pub depth: u32,
    /// How often it was entered.
    pub entered: u64,
    /// How often it went round: how often its header was entered, but for when the loop was left from there.
    pub rounds: u64,
}

/// A function as it was called on one way.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The function.
    pub func: FuncId,
    /// The node that calls it; none of `main`.
    pub caller: Option<u32>,
    /// The offset in the source of the call, or `NO_LOC`.
    pub site: u32,
    /// How often it was called; by itself, too, and by what it calls.
    pub calls: u64,
    /// Instructions of its own that were executed.
    pub own: u64,
}

#[derive(Default)]
struct Graph {
    order: Order<Block>,
    dominators: Dominators<Block>,
    loops: Loops<Block>,
}

impl Profile {
    fn note_places(&mut self, f: &Body, of: &Frequencies) {
        let mut offsets: Vec<u32> = Vec::new();
        for b in f.blocks() {
            let times = of.blocks[b];
            offsets.clear();
            offsets.extend(f.insts(b).filter(|&i| is_executed(f, i)).map(|i| f.loc(i)));
            offsets.sort_unstable();
            for same in offsets.chunk_by(|a, b| a == b) {
                let executed = times * same.len() as u64;
                self.executed += executed;
                self.places.push(Spot { func: f.func, offset: same[0], times, executed });
            }
            if let Some(end) = f.terminator(b).filter(|&end| f.succs(b).len() > 1 && f.loc(end) != NO_LOC) {
                let taken = f.succs(b).map(|e| of.edges[e]).collect();
                self.branches.push(Branch { offset: f.loc(end), taken });
            }
        }
    }

    fn note_loops(&mut self, f: &Body, of: &Frequencies, graph: &mut Graph) {
        let Graph { order, dominators, loops } = graph;
        order.compute(f);
        dominators.compute(f, order);
        loops.compute(f, order, dominators);
        for (l, &header) in loops.header.iter() {
            let is_inside = |b: Block| loops.contains(l, b);
            let entries = f.preds(header).iter().filter(|&&e| !is_inside(f.edge_from(e)));
            let entered = entries.map(|&e| of.edges[e]).sum();
            // A loop of one block, and one that tests last, begins a round with its header.
            let leaves = f.succs(header).filter(|&e| !is_inside(f.edge_to(e)));
            let is_latch = f.succs(header).any(|e| f.edge_to(e) == header);
            let left: u64 = if is_latch { 0 } else { leaves.map(|e| of.edges[e]).sum() };
            let rounds = of.blocks[header].saturating_sub(left);
            let offset = f.terminator(header).map_or(NO_LOC, |end| f.loc(end));
            let offset =
                f.insts(header).map(|i| f.loc(i)).fold(offset, |a, b| if a == NO_LOC { b } else { a });
            self.loops.push(Rounds { func: f.func, offset, depth: loops.depth[l], entered, rounds });
        }
    }
}
