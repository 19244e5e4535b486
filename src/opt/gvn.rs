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
//! epochs go on. A store makes its value the one to load. A call that writes nothing is numbered with the last
//! epoch of what it reads. O(operands + regions that calls write), hashing
//! included.
//!
//! Absent: values equal around a loop (the walk is pessimistic about back edges), partial redundancy.

use super::analyses::AnalysisSet;
use super::pass::{FuncCx, FuncPass, Outcome, with_memory};
use crate::analysis::effects::Region;
use crate::analysis::memory::{Base, base_of, written};
use crate::analysis::{Dominators, Effects};
use crate::base::{Column, Handle, Opt};
use crate::ir::opcode::{COMMUTATIVE, PURE};
use crate::ir::{Block, Body, Env, FloatPred, GlobalId, Inst, IntPred, Op, Type, Value};

/// The pass.
pub static GVN: FuncPass = FuncPass {
    name: "gvn",
    description: "replace what a dominating instruction has computed already, loads in unchanged memory included",
    needs: AnalysisSet::DOMINATORS,
    run: |cx| with_memory(cx, |cx, s| run(cx, s, false)),
};

/// What the pass does, but that loads are replaced within blocks only: loops have not been rotated yet, and a
/// load in the test at the top of a loop would take the places of those in its body, which stand still.
/// Needs dominators.
pub fn number_early(cx: &mut FuncCx) -> Outcome {
    with_memory(cx, |cx, s| run(cx, s, true))
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
}

/// The last writes, as epochs. Those go on from function to function, so that columns need not be cleared.
#[derive(Debug, Default)]
struct Memory {
    /// The last epoch that was begun.
    epochs: u32,
    last: Last,
    /// Per global and per alloca: the last write that can only be to it.
    globals: Column<GlobalId, u32>,
    allocas: Column<Inst, u32>,
    /// What the two columns had before, since the function began.
    log: Vec<(Base, u32)>,
    /// Per block: what was the last at its end, and how long the log was.
    after: Column<Block, (Last, u32)>,
    /// The block that was left last.
    last_block: Opt<Block>,
}

/// The last writes of each kind.
#[derive(Copy, Clone, Debug, Default)]
struct Last {
    /// To anything.
    anywhere: u32,
    /// Through a parameter: not to an alloca.
    param: u32,
    /// To some global, and to anything at all.
    global: u32,
    any: u32,
}

impl Memory {
    fn begin(&mut self, env: &Env, f: &Body) {
        if self.epochs > u32::MAX / 2 {
            *self = Memory::default();
        }
        self.globals.grow_to(env.globals.len(), 0);
        self.allocas.grow_to(f.inst_count(), 0);
        self.after.reset(f.block_count(), (Last::default(), 0));
        self.log.clear();
        self.last_block = Opt::NONE;
        self.write(Base::Unknown);
    }

    /// Goes back to the end of a block that dominates all blocks since.
    fn go_back(&mut self, b: Block) {
        if self.last_block == Opt::some(b) {
            return;
        }
        let (last, length) = self.after[b];
        self.last = last;
        while self.log.len() > length as usize
            && let Some((base, epoch)) = self.log.pop()
        {
            match base {
                Base::Own(i) => self.allocas[i] = epoch,
                Base::Global(global) => self.globals[global] = epoch,
                Base::Param(_) | Base::Unknown => {}
            }
        }
    }

    fn leave(&mut self, b: Block) {
        self.after[b] = (self.last, self.log.len() as u32);
        self.last_block = Opt::some(b);
    }

    fn write(&mut self, base: Base) {
        self.epochs += 1;
        let now = self.epochs;
        self.last.any = now;
        match base {
            Base::Own(i) => self.log.push((base, std::mem::replace(&mut self.allocas[i], now))),
            Base::Global(global) => {
                self.last.global = now;
                self.log.push((base, std::mem::replace(&mut self.globals[global], now)));
            }
            Base::Param(_) => self.last.param = now,
            Base::Unknown => self.last.anywhere = now,
        }
    }

    fn call(&mut self, f: &Body, i: Inst, effects: &Effects) {
        let Some(regions) = effects.writes(f.callee(i)) else { return self.write(Base::Unknown) };
        for &region in regions {
            self.write(base_of_region(f, i, region));
        }
    }

    /// The last write that may have changed what a call reads.
    fn epoch_of_call(&self, env: &Env, f: &Body, i: Inst, effects: &Effects) -> u32 {
        let Some(regions) = effects.reads(f.callee(i)) else { return self.last.any };
        let epochs = regions.iter().map(|&region| self.epoch(env, base_of_region(f, i, region)));
        epochs.max().unwrap_or(0)
    }

    /// The last write that may have changed what is at an address.
    fn epoch(&self, env: &Env, base: Base) -> u32 {
        let Last { anywhere, param, global, any } = self.last;
        match base {
            Base::Own(i) => anywhere.max(self.allocas[i]),
            Base::Global(g) if env.globals[g].constant => 0,
            Base::Global(g) => anywhere.max(param).max(self.globals[g]),
            Base::Param(_) => anywhere.max(param).max(global),
            Base::Unknown => any,
        }
    }
}

/// Where a region of a call is in the caller.
fn base_of_region(f: &Body, call: Inst, region: Region) -> Base {
    match region {
        Region::Global(global) => Base::Global(global),
        Region::Arg(k) => f.args(call).get(k as usize).map_or(Base::Unknown, |&v| base_of(f, v)),
    }
}

/// Phis of more operands than this are not compared with each other.
const MOST_PHI_OPERANDS: usize = 8;

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch, loads_in_blocks: bool) -> Outcome {
    let FuncCx { env, ref mut f, effects, ref analyses, ref mut scratch, .. } = *cx;
    let dominators = &analyses.dominators;
    s.begin(env, f);
    let mut changed = false;
    for &b in &dominators.preorder {
        if let Some(above) = dominators.idom[b].get() {
            s.memory.go_back(above);
        }
        if f.preds(b).len() > 1 {
            s.memory.write(Base::Unknown);
        }
        let mut next = f.first(b);
        while let Some(i) = next {
            next = f.next(i);
            let key = match f.op(i) {
                op if op.has(PURE) => pure_key(f, i),
                Op::Load => {
                    let epoch = s.memory.epoch(env, base_of(f, f.arg(i, 0)));
                    load_key(f.ty(i), epoch, f.arg(i, 0))
                }
                Op::Phi if f.args(i).len() <= MOST_PHI_OPERANDS => phi_key(f, i, b),
                Op::Store => {
                    let base = base_of(f, f.arg(i, 1));
                    s.memory.write(base);
                    let epoch = s.memory.epoch(env, base);
                    let key = load_key(f.type_of(f.arg(i, 0)), epoch, f.arg(i, 1));
                    s.find(f, i, key);
                    continue;
                }
                Op::Call if f.ty(i) != Type::Void && effects.is_removable(f.callee(i)) => {
                    call_key(f, i, s.memory.epoch_of_call(env, f, i, effects))
                }
                Op::Call => {
                    s.memory.call(f, i, effects);
                    continue;
                }
                _ => {
                    if let Some(address) = written(f, i) {
                        s.memory.write(base_of(f, address));
                    }
                    continue;
                }
            };
            if let Some(slot) = s.find(f, i, key)
                && let Some(known) = slot.inst.get()
            {
                let v = if f.op(known) == Op::Store { f.arg(known, 0) } else { Value::inst(known) };
                let is_far = loads_in_blocks && f.op(i) == Op::Load && f.block_of(known) != Some(b);
                if !is_far && stands_before(f, dominators, v, b) {
                    f.keep_flags(known, i);
                    scratch.changes.replace(f, i, v);
                    changed = true;
                } else {
                    slot.inst = Opt::some(i);
                }
            }
        }
        s.memory.leave(b);
    }
    Outcome::changed_if(changed, AnalysisSet::CFG).listed()
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
    /// Two operands in order, or the first, or what hashes all of them, and of a call the function: then lists
    /// have to be compared.
    operands: u64,
    is_hashed: bool,
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
        self.slots.clear();
        self.slots.resize((f.inst_count() + f.inst_count() / 2 + 2).next_power_of_two(), Slot::default());
        self.memory.begin(env, f);
    }

    /// The slot of an instruction that computes the same as `i`; if there is none, one is made for `i`.
    #[inline(always)]
    fn find(&mut self, f: &Body, i: Inst, key: Key) -> Option<&mut Slot> {
        let mask = self.slots.len() - 1;
        let hash = mix(key.operands ^ mix(key.head)) as u32;
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
mod tests {
    use super::super::testing::{leaves_alone, rewrites};
    use super::*;

    #[test]
    fn equal_computations_merge_with_operands_in_either_order() {
        rewrites(
            &GVN,
            "define i32 @f(i32 %x, i32 %y) {
             entry:
               %a = add i32 %x, %y
               %c = icmp slt i32 %a, %x
               br i1 %c, label %one, label %two
             one:
               %b = add i32 %y, %x
               %d = icmp sgt i32 %x, %b
               %e = zext i1 %d to i32
               %q = sdiv i32 %e, %a
               %r = sdiv i32 %e, %b
               %s = add i32 %q, %r
               ret i32 %s
             two:
               ret i32 %a
             }",
            "define i32 @f(i32 %x, i32 %y) {
             entry:
               %a = add i32 %x, %y
               %c = icmp slt i32 %a, %x
               br i1 %c, label %one, label %two
             one:
               %e = zext i1 %c to i32
               %q = sdiv i32 %e, %a
               %s = add i32 %q, %q
               ret i32 %s
             two:
               ret i32 %a
             }",
        );
    }

    #[test]
    fn what_stays_promises_what_both_did() {
        let text = |first: &str, second: &str| {
            format!(
                "define i32 @f(i32 %x) {{
                   %a = add {first} i32 %x, 1
                   {second}
                   ret i32 %c
                 }}"
            )
        };
        let (b, c) = ("%b = add nsw i32 %x, 1", "%c = sdiv i32 %a, %a");
        rewrites(&GVN, &text("nuw nsw", &format!("{b}\n%c = sdiv i32 %a, %b")), &text("nsw", c));
    }

    #[test]
    fn loads_merge_while_memory_is_what_it_was() {
        rewrites(
            &GVN,
            "@g = global [4 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i32 %i, i32 %x) {
             entry:
               %p = getelementptr [4 x i32], ptr @g, i32 0, i32 %i
               %a = load i32, ptr %p
               call void @putint(i32 %a)
               %b = load i32, ptr %p
               %q = getelementptr [4 x i32], ptr @g, i32 0, i32 %i
               store i32 %x, ptr %q
               br label %next
             next:
               %c = load i32, ptr %p
               %d = add i32 %b, %c
               ret i32 %d
             }",
            "@g = global [4 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define i32 @f(i32 %i, i32 %x) {
             entry:
               %p = getelementptr [4 x i32], ptr @g, i32 0, i32 %i
               %a = load i32, ptr %p
               call void @putint(i32 %a)
               store i32 %x, ptr %p
               br label %next
             next:
               %d = add i32 %a, %x
               ret i32 %d
             }",
        );
    }

    #[test]
    fn calls_that_only_compute_are_made_once_while_what_they_read_is_what_it_was() {
        let text = |second: &str, result: &str, fourth: &str, read: &str| {
            format!(
                "@g = global i32 0
                 @h = global i32 0
                 define i32 @pure(i32 %x, i32 %y) {{
                   %a = mul i32 %x, %y
                   ret i32 %a
                 }}
                 define i32 @reads(i32 %x) {{
                   %g = load i32, ptr @g
                   ret i32 %g
                 }}
                 define i32 @f(i32 %x, i32 %y) {{
                   %a = call i32 @pure(i32 %x, i32 %y)
                   {second}
                   %c = call i32 @pure(i32 %y, i32 %x)
                   %d = call i32 @reads(i32 %x)
                   store i32 %x, ptr @g
                   %e = call i32 @reads(i32 %x)
                   store i32 %x, ptr @h
                   {fourth}
                   %s = sdiv i32 %a, {result}
                   %t = sdiv i32 %c, %s
                   %u = sdiv i32 %d, %t
                   %v = sdiv i32 %e, %u
                   %w = sdiv i32 {read}, %v
                   ret i32 %w
                 }}"
            )
        };
        let more = ["%b = call i32 @pure(i32 %x, i32 %y)", "%i = call i32 @reads(i32 %x)"];
        rewrites(&GVN, &text(more[0], "%b", more[1], "%i"), &text("", "%a", "", "%e"));
    }

    #[test]
    fn a_write_ends_only_what_it_may_have_changed() {
        // Loads of %a and @h outlive the call, that of @g does not; a store through %p may be to @g, but not
        // to %a.
        let text = |second: &str, last: &str| {
            format!(
                "@g = global i32 0
                 @h = global i32 0
                 define void @sets(ptr %q, i32 %x) {{
                   store i32 %x, ptr %q
                   store i32 %x, ptr @g
                   ret void
                 }}
                 define i32 @f(ptr %p, i32 %x) {{
                   %a = alloca [4 x i32]
                   %b = alloca [4 x i32]
                   %i = getelementptr [4 x i32], ptr %a, i32 0, i32 %x
                   %g1 = load i32, ptr @g
                   %h1 = load i32, ptr @h
                   %a1 = load i32, ptr %i
                   call void @sets(ptr %b, i32 %x)
                   {second}
                   store i32 %x, ptr %p
                   %g3 = load i32, ptr @g
                   %h3 = load i32, ptr @h
                   {last}
                   %s1 = add i32 %g1, %h1
                   %s2 = add i32 %s1, %a1
                   %s3 = add i32 %s2, %g2
                   %s4 = add i32 %s3, %g3
                   %s5 = add i32 %s4, %h3
                   %t1 = mul i32 %s5, %h2
                   %t2 = mul i32 %t1, %a2
                   %t3 = mul i32 %t2, %a3
                   ret i32 %t3
                 }}"
            )
        };
        let before = text(
            "%g2 = load i32, ptr @g\n%h2 = load i32, ptr @h\n%a2 = load i32, ptr %i",
            "%a3 = load i32, ptr %i",
        );
        let after = text("%g2 = load i32, ptr @g", "");
        let after = after.replace("%h2", "%h1").replace("%a2", "%a1").replace("%a3", "%a1");
        rewrites(&GVN, &before, &after);
    }

    #[test]
    fn what_is_set_or_copied_is_written() {
        leaves_alone(
            &GVN,
            "@g = global [4 x i32] zeroinitializer
             @h = global [4 x i32] zeroinitializer
             declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
             declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
             define i32 @f(i8 %x, i32 %n) {
               %a = load i32, ptr @g
               call void @llvm.memset.p0.i32(ptr @g, i8 %x, i32 %n, i1 false)
               %b = load i32, ptr @g
               call void @llvm.memcpy.p0.p0.i32(ptr @g, ptr @h, i32 %n, i1 false)
               %c = load i32, ptr @g
               %s = sub i32 %a, %b
               %t = sub i32 %s, %c
               ret i32 %t
             }
             define i32 @lanes(i32 %n) {
               %v = load <4 x i32>, ptr @g, align 4
               %m = icmp slt <4 x i32> %v, %v
               call void @llvm.masked.store.v4i32.p0(<4 x i32> %v, ptr @g, i32 4, <4 x i1> %m)
               %a = load i32, ptr @g
               %w = load <4 x i32>, ptr @g, align 4
               call void @llvm.experimental.vp.strided.store.v4i32.p0.i64(
                 <4 x i32> %w, ptr @g, i64 4, <4 x i1> <i1 true, i1 true, i1 true, i1 true>, i32 4)
               %b = load i32, ptr @g
               %x = load <4 x i32>, ptr @g, align 4
               %r = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %x)
               %s = sub i32 %a, %b
               %t = sub i32 %s, %r
               ret i32 %t
             }",
        );
    }

    #[test]
    fn siblings_joins_stores_and_calls_that_write_keep_them_apart() {
        leaves_alone(
            &GVN,
            "@g = global i32 0
             define void @sets(i32 %x) {
               store i32 %x, ptr @g
               ret void
             }
             define i32 @f(i32 %x, i1 %c) {
             entry:
               %h = load i32, ptr @g
               call void @sets(i32 %h)
               br i1 %c, label %one, label %two
             one:
               %a = add i32 %x, 1
               %l = load i32, ptr @g
               br label %join
             two:
               %b = add i32 %x, 1
               %m = load i32, ptr @g
               store i32 %m, ptr @g
               br label %join
             join:
               %p = phi i32 [ %a, %one ], [ %b, %two ]
               %q = phi i32 [ %l, %one ], [ %m, %two ]
               %n = load i32, ptr @g
               %s = add i32 %p, %n
               %d = sub i32 %s, %q
               %e = sub i32 %q, %s
               %t = mul i32 %d, %e
               ret i32 %t
             }",
        );
    }
}
