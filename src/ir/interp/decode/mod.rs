//! Bodies to register code.
//!
//! Two sweeps a body. The first, over reachable blocks in depth-first preorder (so that definitions come
//! before uses), gives each result a slot, allocas their place in the frame, and each address a form `base +
//! 4 index + offset` that loads and stores take as it is. The second emits code in layout order. An operand
//! may be read later than where the IR reads it (a fused compare, an address form): in SSA its slot still
//! holds the value that the definition in between saw, because every path from a redefinition of the operand
//! to the use passes that definition again.
//!
//! Phis become parallel copies on the edges (`moves`). Linear in instructions and phi operands. What comes out can
//! be proven (`check`).

mod address;
mod check;
mod coalesce;
mod instruction;
mod moves;

use super::code::{Code, Entry, FIRST, Program, Slot, Target, ZERO};
use super::memory::Memory;
use super::profile::{Layout, Own};
use super::runtime::Runtime;
use crate::base::{BitSet, Column, Handle, Opt};
use crate::ir::{
    Block, Body, Edge, Env, FloatPred, FuncId, Inst, IntPred, Linkage, Module, Op, Type, Value, ValueKind,
};
use address::Form;
use moves::Moves;

/// Decodes every body of a valid module. With `verify`, the code of each is proven (`check`): an error says what
/// is wrong with that of which function. With a layout, there are probes in it, of which the proof knows nothing.
pub(super) fn decode(
    module: &Module,
    calls: &Column<FuncId, Option<Runtime>>,
    memory: &Memory,
    verify: bool,
    profiled: Option<&mut Layout>,
) -> Result<Program, (FuncId, String)> {
    let look = |d: &mut Decoder| if verify { check::check(d) } else { Ok(()) };
    decode_and(module, calls, memory, (verify, profiled), look)
}

/// The same with a look at each body that has been decoded.
fn decode_and(
    module: &Module,
    calls: &Column<FuncId, Option<Runtime>>,
    memory: &Memory,
    (keeps_origins, mut profiled): (bool, Option<&mut Layout>),
    mut look: impl FnMut(&mut Decoder) -> Result<(), String>,
) -> Result<Program, (FuncId, String)> {
    let mut program =
        Program { entries: Column::filled(module.env.funcs.len(), Entry::default()), ..Program::default() };
    let mut moves = Moves::default();
    let globals = module.env.globals.iter();
    let defined = |func: &FuncId| module.env.funcs[*func].linkage != Linkage::Declared;
    program.addresses = globals
        .filter_map(|(global, row)| Some((memory.globals[global], row.func.get().filter(defined)?)))
        .collect();
    for (k, f) in module.defined().enumerate() {
        let start = program.code.len() as u32;
        program.starts.push((start, f.func));
        let mut d = Decoder {
            env: &module.env,
            f,
            calls,
            memory,
            requests: &memory.requests[k],
            p: &mut program,
            moves: &mut moves,
            slots: Column::filled(f.inst_count(), ZERO),
            forms: Column::filled(f.inst_count(), Form::default()),
            fused: BitSet::new(f.inst_count()),
            tests: BitSet::new(f.block_count()),
            frame_bytes: 0,
            temps: 0,
            temps_used: 0,
            most_temps: 0,
            starts: Column::filled(f.block_count(), 0),
            fixups: Vec::new(),
            stubs: Vec::new(),
            barrier: 0,
            loc: 0,
            origin: Opt::NONE,
            keeps_origins,
            own: profiled.as_mut().map_or_else(Own::default, |layout| layout.begin(f)),
            profiled: profiled.as_deref_mut(),
        };
        d.body();
        look(&mut d).map_err(|what| (f.func, what))?;
        let entry = Entry {
            start,
            slots: d.temps + d.most_temps,
            bytes: u32::try_from(d.frame_bytes.next_multiple_of(16)).unwrap_or(u32::MAX),
            params: f.params().len() as u32,
        };
        program.entries[f.func] = entry;
    }
    Ok(program)
}

/// What decoding one body needs.
struct Decoder<'a> {
    env: &'a Env,
    f: &'a Body,
    calls: &'a Column<FuncId, Option<Runtime>>,
    memory: &'a Memory,
    /// Where the body's requested globals stand.
    requests: &'a [u32],
    p: &'a mut Program,
    moves: &'a mut Moves,
    /// Per instruction: the slot of its result.
    slots: Column<Inst, Slot>,
    /// Per address-making instruction: how loads and stores reach it.
    forms: Column<Inst, Form>,
    /// Comparisons that only branches use; they are not computed by themselves.
    fused: BitSet<Inst>,
    /// Blocks that only test and branch on, and set no phis.
    tests: BitSet<Block>,
    frame_bytes: u64,
    /// The first temporary slot, and how many are in use, and ever were.
    temps: Slot,
    temps_used: u32,
    most_temps: u32,
    /// Per block: where its code begins.
    starts: Column<Block, Target>,
    /// Jumps whose target is a block.
    fixups: Vec<(usize, Block)>,
    /// Jumps along an edge with copies, which get a piece of code of their own.
    stubs: Vec<(usize, Edge)>,
    /// Something jumps here, so what is before stays as it is.
    barrier: Target,
    /// Source offset of what is being emitted.
    loc: u32,
    /// The instruction that code is being emitted for; none on edges.
    origin: Opt<Inst>,
    /// Each code's is noted, for the checker.
    keeps_origins: bool,
    /// Counters and sites, if there are to be probes.
    profiled: Option<&'a mut Layout>,
    /// See `profiled`.
    own: Own,
}

impl Decoder<'_> {
    fn body(&mut self) {
        let f = self.f;
        let reachable = self.assign();
        for b in f.blocks().filter(|&b| reachable.contains(b)) {
            let only = |i| matches!(f.op(i), Op::Phi | Op::CondBr) || self.fused.contains(i);
            if f.insts(b).all(only) && !f.succs(b).any(|e| self.has_code(e)) {
                self.tests.insert(b);
            }
        }
        let layout: Vec<Block> = f.blocks().filter(|&b| reachable.contains(b)).collect();
        let begin = self.profiled.as_ref().map(|layout| layout.function(f.func));
        let begin = begin.map(|probe| self.emit(Code::Probe(probe)));
        for (k, &b) in layout.iter().enumerate() {
            self.starts[b] = self.p.code.len() as u32;
            self.barrier = self.starts[b];
            self.count_block(b);
            for i in f.insts(b) {
                self.loc = f.loc(i);
                self.origin = Opt::some(i);
                self.temps_used = 0;
                if f.op(i).is_terminator() {
                    self.terminator(b, i, layout.get(k + 1).copied());
                } else if !self.fused.contains(i) {
                    self.inst(i);
                }
            }
        }
        for (at, e) in std::mem::take(&mut self.stubs) {
            let start = self.p.code.len() as u32;
            self.p.code[at].set_target(start);
            self.barrier = start;
            self.temps_used = 0;
            self.copies(e);
            self.jump(f.edge_to(e), None);
        }
        for &(at, b) in &self.fixups {
            self.p.code[at].set_target(self.starts[b]);
        }
        // Now its sites are known.
        if let (Some(at), Some(layout)) = (begin, &self.profiled) {
            self.p.code[at] = Code::Probe(layout.function(f.func));
        }
    }

    fn count_block(&mut self, b: Block) {
        if self.profiled.is_some() {
            self.emit(Code::Probe(self.own.block(self.f, b)));
        }
    }

    /// The first sweep; returns the blocks that can be reached.
    fn assign(&mut self) -> BitSet<Block> {
        let f = self.f;
        let mut next = FIRST;
        for i in f.params() {
            self.slots[i] = next;
            next += 1;
        }
        let mut seen = BitSet::new(f.block_count());
        let mut order: Vec<Block> = Vec::new();
        let mut stack: Vec<Block> = f.entry().into_iter().collect();
        while let Some(b) = stack.pop() {
            if seen.insert(b) {
                order.push(b);
                stack.extend(f.succs(b).map(|e| f.edge_to(e)));
            }
        }
        let merged = self.coalesce(&seen);
        for b in order {
            for i in f.insts(b).filter(|&i| f.ty(i) != Type::Void) {
                if self.slots[i] != ZERO {
                    continue; // a phi that something was computed into
                }
                if let Some(phi) = merged[i].get() {
                    if self.slots[phi] == ZERO {
                        self.slots[phi] = next;
                        next += 1;
                    }
                    self.slots[i] = self.slots[phi];
                    continue;
                }
                if f.op(i) == Op::ZExt
                    && let Some(from) = f.arg(i, 0).as_inst()
                {
                    self.slots[i] = self.slots[from];
                    continue;
                }
                self.slots[i] = next;
                next += 1;
                match f.op(i) {
                    Op::Alloca | Op::ElemAddr => self.assign_form(i),
                    Op::ICmp | Op::FCmp if self.is_fusable(i) => _ = self.fused.insert(i),
                    _ => {}
                }
            }
        }
        self.temps = next;
        seen
    }

    /// True for a comparison that a jump can make, and that only branches ask for.
    fn is_fusable(&self, i: Inst) -> bool {
        let f = self.f;
        let ty = f.type_of(f.arg(i, 0));
        let comparable = match f.op(i) {
            Op::ICmp => match IntPred::from_payload(f.payload(i)) {
                IntPred::Eq | IntPred::Ne => matches!(ty, Type::I32 | Type::Ptr),
                _ => ty == Type::I32,
            },
            _ => ty == Type::F32,
        };
        comparable && f.uses(i).all(|u| f.op(u.user) == Op::CondBr)
    }

    fn emit(&mut self, code: Code) -> usize {
        self.p.code.push(code);
        self.p.locs.push(self.loc);
        if self.keeps_origins {
            self.p.origins.push(self.origin);
        }
        self.p.code.len() - 1
    }

    fn temp(&mut self) -> Slot {
        self.temps_used += 1;
        self.most_temps = self.most_temps.max(self.temps_used);
        self.temps + self.temps_used - 1
    }

    /// The address of a global.
    fn global(&self, v: Value) -> Option<u32> {
        match v.kind() {
            ValueKind::Global(global) => Some(self.memory.globals[global]),
            ValueKind::Request(request) => Some(self.requests[request.index()]),
            _ => None,
        }
    }

    /// The bits of a value that no instruction computes, as a slot would hold them.
    fn literal(&self, v: Value) -> u64 {
        if let Some(at) = self.global(v) {
            return u64::from(at);
        }
        match self.f.number(v) {
            Some(x) if x.ty.is_int() => x.unsigned(),
            Some(x) => x.bits,
            None => 0,
        }
    }

    fn set_literal(&mut self, d: Slot, bits: u64) {
        let (low, high) = (bits as u32, (bits >> 32) as u32);
        self.emit(if high == 0 { Code::Imm { d, x: low } } else { Code::Wide { d, low, high } });
    }

    /// A slot that holds a value; a literal is loaded into a temporary.
    fn slot(&mut self, v: Value) -> Slot {
        if let Some(i) = v.as_inst() {
            return self.slots[i];
        }
        let bits = self.literal(v);
        if bits == 0 {
            return ZERO;
        }
        let d = self.temp();
        self.set_literal(d, bits);
        d
    }

    // ---- Control ----------------------------------------------------------------------------------------

    fn terminator(&mut self, b: Block, i: Inst, next: Option<Block>) {
        let f = self.f;
        match f.op(i) {
            Op::Br => {
                for e in f.succs(b) {
                    self.copies(e);
                    self.jump(f.edge_to(e), next);
                }
            }
            Op::CondBr => {
                let to = self.cond_br(b, i, next);
                self.jump(to, next);
            }
            Op::Switch => {
                let a = self.slot(f.arg(i, 0));
                self.emit(Code::Table { a, n: f.succs(b).len() as u32 });
                for e in f.succs(b) {
                    let at = self.emit(Code::Jump { to: 0 });
                    if self.has_code(e) {
                        self.stubs.push((at, e));
                    } else {
                        self.fixups.push((at, f.edge_to(e)));
                    }
                }
            }
            Op::Ret => {
                let a = f.args(i).first().map_or(ZERO, |&v| self.slot(v));
                self.emit(Code::Return { a });
            }
            _ => _ = self.emit(Code::Unreachable),
        }
    }

    /// A conditional branch, but for the jump at its end: where that has to go.
    fn cond_br(&mut self, b: Block, i: Inst, next: Option<Block>) -> Block {
        let f = self.f;
        let mut succs = f.succs(b);
        let (Some(yes), Some(no)) = (succs.next(), succs.next()) else { return b };
        let jump_if_true = if next == Some(f.edge_to(no)) {
            true
        } else if next == Some(f.edge_to(yes)) {
            false
        } else {
            // Fall into the edge that has copies, so that it needs no piece of its own.
            !self.has_code(yes) || self.has_code(no)
        };
        let (taken, fallen) = if jump_if_true { (yes, no) } else { (no, yes) };
        self.origin = Opt::some(i);
        let at = self.jump_if(f.arg(i, 0), jump_if_true);
        if self.has_code(taken) {
            self.stubs.push((at, taken));
        } else {
            self.fixups.push((at, f.edge_to(taken)));
        }
        self.copies(fallen);
        f.edge_to(fallen)
    }

    /// Goes to a block. If that only tests and branches on, as the head of a loop does, the test is made
    /// here, which saves a jump each time round.
    fn jump(&mut self, to: Block, next: Option<Block>) {
        if next == Some(to) {
            return;
        }
        let mut to = to;
        let f = self.f;
        if self.tests.contains(to)
            && let Some(i) = f.terminator(to)
        {
            self.count_block(to);
            to = self.cond_br(to, i, next);
            if next == Some(to) {
                return;
            }
        }
        let at = self.emit(Code::Jump { to: 0 });
        self.fixups.push((at, to));
    }

    /// A jump that is taken if the condition is `wanted`; its target is still open.
    fn jump_if(&mut self, condition: Value, wanted: bool) -> usize {
        let f = self.f;
        let fused = condition.as_inst().filter(|&i| self.fused.contains(i));
        let Some(i) = fused else {
            let a = self.slot(condition);
            return self.emit(if wanted {
                Code::JumpTrue { a, to: 0 }
            } else {
                Code::JumpFalse { a, to: 0 }
            });
        };
        let (left, right) = (f.arg(i, 0), f.arg(i, 1));
        if f.op(i) == Op::FCmp {
            let pred = FloatPred::from_payload(f.payload(i));
            let pred = if wanted { pred } else { pred.inverse() };
            let (a, b) = (self.slot(left), self.slot(right));
            return self.emit(Code::JumpFloat { pred, a, b, to: 0 });
        }
        let pred = IntPred::from_payload(f.payload(i));
        let pred = if wanted { pred } else { pred.inverse() };
        let a = self.slot(left);
        let code = if right.is_constant() {
            let x = self.literal(right) as u32;
            match pred {
                IntPred::Eq => Code::JumpEqImm { a, x, to: 0 },
                IntPred::Ne => Code::JumpNeImm { a, x, to: 0 },
                IntPred::Slt => match self.take_step(a) {
                    Some(step) => Code::StepJumpImm { d: a, x: step, y: x, to: 0 },
                    None => Code::JumpSltImm { a, x, to: 0 },
                },
                IntPred::Sle => Code::JumpSleImm { a, x, to: 0 },
                IntPred::Sgt => Code::JumpSgtImm { a, x, to: 0 },
                IntPred::Sge => Code::JumpSgeImm { a, x, to: 0 },
                IntPred::Ult => Code::JumpUltImm { a, x, to: 0 },
                IntPred::Ule => Code::JumpUleImm { a, x, to: 0 },
                IntPred::Ugt => Code::JumpUgtImm { a, x, to: 0 },
                IntPred::Uge => Code::JumpUgeImm { a, x, to: 0 },
            }
        } else {
            let b = self.slot(right);
            match pred {
                IntPred::Eq => Code::JumpEq { a, b, to: 0 },
                IntPred::Ne => Code::JumpNe { a, b, to: 0 },
                IntPred::Slt if a != b => match self.take_step(a) {
                    Some(x) => Code::StepJump { d: a, x, b, to: 0 },
                    None => Code::JumpSlt { a, b, to: 0 },
                },
                IntPred::Slt => Code::JumpSlt { a, b, to: 0 },
                IntPred::Sle => Code::JumpSle { a, b, to: 0 },
                IntPred::Sgt => Code::JumpSlt { a: b, b: a, to: 0 },
                IntPred::Sge => Code::JumpSle { a: b, b: a, to: 0 },
                IntPred::Ult => Code::JumpUlt { a, b, to: 0 },
                IntPred::Ule => Code::JumpUle { a, b, to: 0 },
                IntPred::Ugt => Code::JumpUlt { a: b, b: a, to: 0 },
                IntPred::Uge => Code::JumpUle { a: b, b: a, to: 0 },
            }
        };
        self.emit(code)
    }

    /// Takes back the step of a counter, if that was the last thing done; the jump behind it will do it.
    fn take_step(&mut self, counter: Slot) -> Option<u32> {
        let &Code::AddImm { d, a, x } = self.p.code.last()? else { return None };
        if d != counter || a != counter || self.p.code.len() as u32 <= self.barrier {
            return None;
        }
        self.p.code.pop();
        self.p.locs.pop();
        self.p.origins.pop();
        Some(x)
    }

    /// The phis that an edge has to set, and what to.
    fn incoming(&self, e: Edge) -> impl Iterator<Item = (Inst, Value)> + '_ {
        let f = self.f;
        let slot = f.edge_slot(e);
        f.phis(f.edge_to(e))
            .filter(|&phi| f.has_uses(phi))
            .map(move |phi| (phi, f.arg(phi, slot)))
            .filter(|(phi, v)| !v.is_undef() && v.as_inst().is_none_or(|i| self.slots[i] != self.slots[*phi]))
    }

    /// True if there are copies on an edge, or it is counted.
    fn has_code(&self, e: Edge) -> bool {
        self.own.edge(e).is_some() || self.incoming(e).next().is_some()
    }

    /// The parallel copies of an edge, one after the other: first between slots, then literals.
    fn copies(&mut self, e: Edge) {
        if let Some(probe) = self.own.edge(e) {
            self.emit(Code::Probe(probe));
        }
        let mut moves = std::mem::take(self.moves);
        let mut literals = false;
        self.origin = Opt::NONE;
        for (phi, v) in self.incoming(e) {
            match v.as_inst() {
                Some(i) => moves.push(self.slots[phi], self.slots[i]),
                None => literals = true,
            }
        }
        if !moves.is_empty() {
            let spare = self.temp();
            moves.sequence(spare, |d, a| _ = self.emit(Code::Move { d, a }));
        }
        *self.moves = moves;
        if literals {
            let f = self.f;
            let slot = f.edge_slot(e);
            for phi in f.phis(f.edge_to(e)).filter(|&phi| f.has_uses(phi)) {
                let v = f.arg(phi, slot);
                if v.is_constant() && !v.is_undef() {
                    let bits = self.literal(v);
                    self.set_literal(self.slots[phi], bits);
                }
            }
        }
    }
}
