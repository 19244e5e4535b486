//! Global value numbering: one walk over the dominator tree, in which an instruction that computes what a
//! dominating one has computed is replaced by it.
//!
//! Operands are replaced before their users are seen, so equal instructions have equal keys: opcode, type,
//! payload, operands, with those of commutative operations in order. The table holds hashes and instructions;
//! whether two are equal is looked up in their rows. It needs no scopes: an entry that does not
//! dominate the instruction at hand belongs to a subtree that the walk has left for good, and is overwritten.
//!
//! Loads are numbered with the epoch of the last write that may have changed what they yield: to the same
//! alloca or global, through a parameter (to a global or what other parameters lead to), or anywhere. Where
//! control flow meets, everything counts as written; into a block whose only predecessor is its dominator
//! epochs go on. A store makes its value the one to load. A call that writes nothing is numbered with the
//! last epoch of what it reads. O(operands + regions that calls write), hashing included.
//!
//! Absent: values equal around a loop (the walk is pessimistic about back edges), partial redundancy.

use crate::analysis::Dominators;
use crate::analysis::alias::{Compared, Overlap};
use crate::analysis::memory::{Base, base_of, extent, filled, written};
use crate::base::{Handle, Opt, empty_with_room};
use crate::ir::opcode::{COMMUTATIVE, PURE};
use crate::ir::{Block, Body, Env, FloatPred, FuncId, Inst, IntPred, Op, Shape, Type, Value};
use crate::opt::calls::globals::loaded;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::changes::Changes;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};
use joins::Joins;
use memory::Memory;

mod joins;
mod memory;

/// The pass.
pub static GVN: FuncPass = FuncPass {
    name: "gvn",
    description: "replace what a dominating instruction has computed already, loads in unchanged memory included",
    grows: false,
    needs: AnalysisSet::DOMINATORS,
    run: |cx| with_memory(cx, |cx, s| run(cx, s, Loads::Below)),
};

/// The pass, with what is known of memory where control flow meets.
pub static GVN_MEMORY: FuncPass = FuncPass {
    name: "gvn_memory",
    description: "gvn, with memory over joins and loops, and stores of what is there already removed",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| with_memory(cx, |cx, s| run(cx, s, Loads::OverJoins)),
};

/// The pass behind what copies rounds, which then share loads over the branches in them. Stores of what is there have gone
/// before: to look for them again took 8% of -O2 on a function of large initialisers.
pub static GVN_UNROLLED: FuncPass = FuncPass {
    name: "gvn_unrolled",
    description: "gvn, with memory over joins and loops in functions that have loops",
    grows: false,
    needs: AnalysisSet::LOOPS,
    run: |cx| {
        with_memory(cx, |cx, s| {
            let loads = if cx.analyses.loops.header.is_empty() { Loads::Below } else { Loads::Unrolled };
            run(cx, s, loads)
        })
    },
};

/// What the pass does, but that loads are replaced within blocks only: loops have not been rotated yet, and a
/// load in the test at the top of a loop would take the places of those in its body, which stand still.
/// Needs dominators.
pub fn number_early(cx: &mut FuncCx) -> Outcome {
    with_memory(cx, |cx, s| run(cx, s, Loads::InBlocks))
}

/// The same in a function that touches no memory and calls nothing but itself: calls with equal arguments are one. It
/// runs before the summary of effects is made, so that the caller has to know this of the function. Needs dominators.
pub fn number_own_calls(cx: &mut FuncCx) -> Outcome {
    with_memory(cx, |cx, s| run(cx, s, Loads::None))
}

/// Where loads are replaced.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Loads {
    /// There are none, and calls are of the function itself.
    None,
    /// In the block in which the first one stands.
    InBlocks,
    /// In what that dominates, up to the next join.
    Below,
    /// Everywhere,
    Unrolled,
    /// and stores of what is there already go.
    OverJoins,
}

/// One computation; free if it has no instruction.
#[derive(Copy, Clone, Debug, Default)]
struct Slot {
    hash: u32,
    /// Of a load, a store or a call, the epoch of memory in which the load or call would yield the same.
    epoch: u32,
    inst: Opt<Inst>,
}

/// The computations seen so far: open addressing with linear probing, at most two thirds full. And epochs of
/// memory.
#[derive(Debug, Default)]
struct Scratch {
    /// A power of two long.
    slots: Vec<Slot>,
    memory: Memory,
    joins: Joins,
}

/// Writes to its object that a load looks back over.
const MOST_WRITES: usize = 4;
/// Bytes of scalars that stand at multiples of their size on all targets: two are at one address or apart.
const MOST_ALIGNED: u64 = 4;
/// Phis of more operands than this are not compared with each other.
const MOST_PHI_OPERANDS: usize = 8;

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch, loads: Loads) -> Outcome {
    let FuncCx { env, ref mut f, effects, ref analyses, ref mut scratch, .. } = *cx;
    let dominators = &analyses.dominators;
    s.begin(env, f);
    let over_joins = matches!(loads, Loads::Unrolled | Loads::OverJoins);
    if over_joins {
        s.joins.compute(f, effects, (&analyses.order, dominators, &analyses.loops));
    }
    // Before inlining: what copies of small bodies read is numbered later, when branches above have decided
    // theirs.
    let this = f.func;
    let is_numbered = |callee: FuncId| match loads {
        Loads::None => callee == this,
        Loads::InBlocks => effects.is_pure(callee),
        Loads::Below | Loads::Unrolled | Loads::OverJoins => effects.is_removable(callee),
    };
    let mut changed = false;
    for &b in &dominators.preorder {
        if let Some(above) = dominators.idom[b].get() {
            s.memory.go_back(above);
        }
        if f.preds(b).len() > 1 {
            match over_joins {
                true => s.memory.join(env, b, &s.joins),
                false => s.memory.write(env, Base::Unknown),
            }
        }
        let mut next = f.first(b);
        while let Some(i) = next {
            next = f.next(i);
            let key = match f.op(i) {
                op if op.has(PURE) => pure_key(f, i),
                Op::Load => {
                    let base = base_of(f, f.arg(i, 0));
                    if let Base::Global(global) = base
                        && env.globals[global].constant
                        && let Some(v) = loaded(env, f, i)
                    {
                        scratch.changes.replace(f, i, v);
                        changed = true;
                        continue;
                    }
                    let epoch = s.memory.epoch(env, base);
                    load_key(f.ty(i), epoch, f.arg(i, 0))
                }
                Op::Phi if f.args(i).len() <= MOST_PHI_OPERANDS => phi_key(f, i, b),
                Op::Store => {
                    changed |= s.store(env, f, &mut scratch.changes, (i, loads == Loads::OverJoins));
                    continue;
                }
                Op::Call if f.ty(i) != Type::Void && is_numbered(f.callee(i)) => {
                    let epoch = match loads {
                        Loads::None => 0,
                        _ => s.memory.epoch_of_call(env, f, i, effects),
                    };
                    call_key(f, i, epoch)
                }
                Op::Call => {
                    s.memory.call(env, f, i, effects);
                    continue;
                }
                _ => {
                    if let Some(address) = written(f, i) {
                        s.memory.write_by(env, base_of(f, address), i);
                    }
                    continue;
                }
            };
            if let Some(slot) = s.find(f, i, key) {
                let Some(known) = slot.inst.get() else { continue };
                let v = yields(f, known);
                let is_far = loads == Loads::InBlocks && f.op(i) == Op::Load && f.block_of(known) != Some(b);
                if !is_far && stands_before(f, dominators, v, b) {
                    f.keep_flags(known, i);
                    scratch.changes.replace(f, i, v);
                    changed = true;
                } else {
                    slot.inst = Opt::some(i);
                }
            } else if over_joins
                && f.op(i) == Op::Load
                && s.memory.writer(key.head as u32).is_some_and(|writer| writer.write.is_some())
                && let Some((known, v)) = s.look_back(env, f, i, (f.arg(i, 0), f.ty(i)))
                && stands_before(f, dominators, v, b)
            {
                if let (Some(known), Some(at)) = (known, s.look_up(f, i, key)) {
                    s.slots[at].inst = Opt::some(known);
                }
                scratch.changes.replace(f, i, v);
                changed = true;
            }
        }
        s.memory.leave(b);
    }
    Outcome::changed_if(changed, AnalysisSet::CFG).listed()
}

/// What an instruction yields, or leaves in memory.
fn yields(f: &Body, known: Inst) -> Value {
    if f.op(known) == Op::Store { f.arg(known, 0) } else { Value::inst(known) }
}

/// A load of the same epoch may stand in a sibling of `b`.
fn stands_before(f: &Body, dominators: &Dominators, v: Value, b: Block) -> bool {
    let def = v.as_inst().and_then(|i| f.block_of(i));
    def.is_none_or(|def| dominators.dominates(def, b))
}

/// What two instructions have to have in common to compute the same, up to longer lists of operands.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Key {
    /// Opcode, type and payload. Of a load or a call the payload is the epoch, of a phi the block.
    head: u64,
    /// Two operands in order, or the first, or what hashes all of them, and of a call the function: then
    /// lists have to be compared.
    operands: u64,
    is_hashed: bool,
}

impl Key {
    #[inline(always)]
    fn hash(self) -> u32 {
        mix(self.operands ^ mix(self.head)) as u32
    }
}

fn head(op: Op, ty: Type, payload: u32) -> u64 {
    u64::from(ty as u8) << 40 | u64::from(op as u8) << 32 | u64::from(payload)
}

fn pair(a: Value, b: Value) -> u64 {
    u64::from(a.bits()) << 32 | u64::from(b.bits())
}

/// The halves of a product, folded: every bit of the result depends on all of `x`.
#[inline(always)]
fn mix(x: u64) -> u64 {
    let product = u128::from(x) * 0xd6e8_feb8_6659_fd93;
    (product >> 64) as u64 ^ product as u64
}

fn hash_list(args: &[Value]) -> u64 {
    args.iter().fold(0, |hash, v| mix(hash ^ u64::from(v.bits())).wrapping_add(1))
}

fn load_key(ty: Type, epoch: u32, address: Value) -> Key {
    Key { head: head(Op::Load, ty, epoch), operands: u64::from(address.bits()), is_hashed: false }
}

fn call_key(f: &Body, i: Inst, epoch: u32) -> Key {
    let operands = mix(hash_list(f.args(i)) ^ u64::from(f.payload(i)));
    Key { head: head(Op::Call, f.ty(i), epoch), operands, is_hashed: true }
}

fn phi_key(f: &Body, i: Inst, b: Block) -> Key {
    let head = head(Op::Phi, f.ty(i), b.index() as u32);
    Key { head, operands: hash_list(f.args(i)), is_hashed: true }
}

#[inline(always)]
fn pure_key(f: &Body, i: Inst) -> Key {
    let (op, ty, payload) = (f.op(i), f.ty(i), f.payload(i));
    let (payload, operands) = match *f.args(i) {
        [a, b] if a > b && is_swapped(op) => (swapped_payload(op, payload), pair(b, a)),
        [a, b] => (payload, pair(a, b)),
        [a] => (payload, u64::from(a.bits())),
        ref args => {
            return Key { head: head(op, ty, payload), operands: hash_list(args), is_hashed: true };
        }
    };
    Key { head: head(op, ty, payload), operands, is_hashed: false }
}

/// True if the operands may change places, perhaps with another payload.
fn is_swapped(op: Op) -> bool {
    op.has(COMMUTATIVE) || op == Op::ICmp || op == Op::FCmp
}

fn swapped_payload(op: Op, payload: u32) -> u32 {
    match op {
        Op::ICmp => IntPred::from_payload(payload).swapped() as u32,
        Op::FCmp => FloatPred::from_payload(payload).swapped() as u32,
        _ => payload,
    }
}

impl Scratch {
    fn begin(&mut self, env: &Env, f: &Body) {
        let count = (f.inst_count() + f.inst_count() / 2 + 2).next_power_of_two();
        empty_with_room(&mut self.slots, count);
        self.slots.resize(count, Slot::default());
        self.memory.begin(env, f);
    }

    /// A store makes its value the one to load, or is removed, if that is there already. True if it was.
    fn store(&mut self, env: &Env, f: &mut Body, changes: &mut Changes, (i, may_go): (Inst, bool)) -> bool {
        let (v, at) = (f.arg(i, 0), f.arg(i, 1));
        let (base, ty) = (base_of(f, at), f.type_of(v));
        if may_go {
            let key = load_key(ty, self.memory.epoch(env, base), at);
            let slot = self.look_up(f, i, key).and_then(|slot| self.slots[slot].inst.get());
            let known = match slot {
                Some(known) => Some(yields(f, known)),
                None => self.look_back(env, f, i, (at, ty)).map(|(_, known)| known),
            };
            if known == Some(v) {
                [v, at].iter().for_each(|&operand| changes.loses_use(f, operand));
                f.remove(i);
                return true;
            }
        }
        self.memory.write_by(env, base, i);
        let key = load_key(ty, self.memory.epoch(env, base), at);
        self.find(f, i, key);
        false
    }

    /// What is at an address, and what has computed that or left it in memory, if the last writes to its
    /// object were elsewhere, or of the same value: they are at that address or do not touch it.
    #[inline(never)]
    fn look_back(
        &self,
        env: &Env,
        f: &mut Body,
        i: Inst,
        (at, ty): (Value, Type),
    ) -> Option<(Option<Inst>, Value)> {
        let base = base_of(f, at);
        let bytes = u64::from(env.shapes.bytes_of(ty));
        let mut epoch = self.memory.epoch(env, base);
        let mut access = Compared::new(f, (at, bytes));
        let mut written = None;
        let fits = |written: Option<Value>, v: Value| written.is_none_or(|written| written == v);
        for _ in 0..MOST_WRITES {
            let writer = self.memory.writer(epoch).filter(|writer| writer.base == base)?;
            let write = writer.write.get()?;
            if is_cleared(env, f, write, base) {
                let v = (ty.is_int() || ty.is_float()).then(|| f.zero(ty))?;
                return fits(written, v).then_some((None, v));
            }
            let (to, size) = extent(env, f, write)?;
            if access.overlap(env, f, (to, size)) != Overlap::Never {
                let v = f.arg(write, 0);
                let is_aligned = bytes <= MOST_ALIGNED && !ty.is_vector();
                let is_like = is_aligned && f.op(write) == Op::Store && f.type_of(v) == ty;
                if !is_like || !fits(written, v) {
                    return None;
                }
                written = Some(v);
            }
            epoch = writer.before;
            let key = load_key(ty, epoch, at);
            if let Some(known) = self.look_up(f, i, key).and_then(|slot| self.slots[slot].inst.get()) {
                let v = yields(f, known);
                return fits(written, v).then_some((Some(known), v));
            }
        }
        None
    }

    /// The slot of an instruction that computes the same as `i`.
    fn look_up(&self, f: &Body, i: Inst, key: Key) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let hash = key.hash();
        let mut at = hash as usize & mask;
        while let Some(known) = self.slots[at].inst.get() {
            if self.slots[at].hash == hash && is_same(f, self.slots[at], known, i, key) {
                return Some(at);
            }
            at = (at + 1) & mask;
        }
        None
    }

    /// The slot of an instruction that computes the same as `i`; if there is none, one is made for `i`.
    #[inline(always)]
    fn find(&mut self, f: &Body, i: Inst, key: Key) -> Option<&mut Slot> {
        let mask = self.slots.len() - 1;
        let hash = key.hash();
        let mut at = hash as usize & mask;
        while let Some(known) = self.slots[at].inst.get() {
            if self.slots[at].hash == hash && is_same(f, self.slots[at], known, i, key) {
                return Some(&mut self.slots[at]);
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = Slot { hash, epoch: key.head as u32, inst: Opt::some(i) };
        None
    }
}

/// True if an instruction fills all of an object with zeros.
fn is_cleared(env: &Env, f: &Body, i: Inst, base: Base) -> bool {
    let shape = match base {
        Base::Own(alloca) if f.arg(i, 0) == Value::inst(alloca) => Shape::new(f.payload(alloca) as usize),
        Base::Global(global) if f.arg(i, 0) == Value::global(global) => env.globals[global].shape,
        _ => return false,
    };
    let bytes = match f.op(i) {
        Op::MemInit if f.args(i).len() == 1 => u64::from(f.payload(i)),
        Op::MemSet if f.as_int(f.arg(i, 1)) == Some(0) => filled(f, i).unwrap_or(0),
        _ => return false,
    };
    bytes >= env.shapes.bytes(shape)
}

/// True if what is in the slot computes the same as `i`, whose key is `key`. One look-up in ten comes here.
#[inline(never)]
fn is_same(f: &Body, slot: Slot, known: Inst, i: Inst, key: Key) -> bool {
    let key_of_known = match f.op(known) {
        Op::Load => load_key(f.ty(known), slot.epoch, f.arg(known, 0)),
        Op::Store => load_key(f.type_of(f.arg(known, 0)), slot.epoch, f.arg(known, 1)),
        Op::Call => call_key(f, known, slot.epoch),
        Op::Phi => f.block_of(known).map_or(key, |b| phi_key(f, known, b)),
        _ => pure_key(f, known),
    };
    let is_same_list = || f.args(known) == f.args(i) && f.op(known) == f.op(i);
    // The number of a phi's operands, or what is called.
    key_of_known == key && (!key.is_hashed || is_same_list() && f.payload(known) == f.payload(i))
}

#[cfg(test)]
mod tests;
