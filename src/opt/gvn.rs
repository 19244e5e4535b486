//! Global value numbering: one walk over the dominator tree, in which an instruction that computes what a dominating
//! one has computed is replaced by it.
//!
//! Operands are replaced before their users are seen, so equal instructions have equal keys: opcode, type, payload,
//! operands, with those of commutative operations in order. The table needs no scopes: an entry that does not
//! dominate the instruction at hand belongs to a subtree that the walk has left for good, and is overwritten.
//!
//! Loads are numbered with a memory epoch: it changes at every store, at calls that may write, and where control
//! flow meets, and goes on into a block whose only predecessor is its dominator. A store makes its value the one to load
//! in the new epoch. O(operands), hashing included.
//!
//! Absent: values equal around a loop (the walk is pessimistic about back edges), partial redundancy.

use super::analyses::AnalysisSet;
use super::pass::{FuncCx, FuncPass, Outcome};
use crate::analysis::Dominators;
use crate::base::Column;
use crate::base::Handle;
use crate::base::intern::DenseMap;
use crate::ir::opcode::{COMMUTATIVE, PURE};
use crate::ir::{Block, Body, FloatPred, Inst, IntPred, Op, Type, Value};

/// The pass.
pub static GVN: FuncPass = FuncPass {
    name: "gvn",
    description: "replace what a dominating instruction has computed already, loads in unchanged memory included",
    needs: AnalysisSet::DOMINATORS,
    run,
};

/// Opcode, type and payload; operands.
type Key = (u64, u64);

struct Table {
    values: DenseMap<Key, Value>,
    /// Lists of operands: the number of the list without its last operand, and that operand, to its number.
    lists: DenseMap<u64, u32>,
    /// The epoch of memory, and how many there have been.
    epoch: u32,
    epochs: u32,
}

/// Phis of more operands than this are not compared with each other.
const MOST_PHI_OPERANDS: usize = 8;

fn run(cx: &mut FuncCx) -> Outcome {
    let f = &mut *cx.f;
    let dominators = &cx.analyses.dominators;
    let mut table = Table { values: DenseMap::default(), lists: DenseMap::default(), epoch: 0, epochs: 0 };
    // Per block: the epoch at its end.
    let mut epoch_after: Column<Block, u32> = Column::filled(f.block_count(), 0);
    let mut changed = false;
    for &b in &dominators.preorder {
        match f.preds(b) {
            &[e] if dominators.reaches(f.edge_from(e)) => table.epoch = epoch_after[f.edge_from(e)],
            _ => table.new_epoch(),
        }
        let mut next = f.first(b);
        while let Some(i) = next {
            next = f.next(i);
            let op = f.op(i);
            let key = match op {
                _ if op.has(PURE) => pure_key(f, &mut table, i),
                Op::Phi if f.args(i).len() <= MOST_PHI_OPERANDS => {
                    let list = table.list(f.args(i));
                    (head(op, f.ty(i), b.index() as u32), list)
                }
                Op::Load => load_key(f.ty(i), table.epoch, f.arg(i, 0)),
                Op::Store => {
                    table.new_epoch();
                    let (v, address) = (f.arg(i, 0), f.arg(i, 1));
                    table.values.insert(load_key(f.type_of(v), table.epoch, address), v);
                    continue;
                }
                Op::MemInit => {
                    table.new_epoch();
                    continue;
                }
                Op::Call => {
                    if cx.effects.may_write(f.callee(i)) {
                        table.new_epoch();
                    }
                    continue;
                }
                _ => continue,
            };
            match table.values.get(&key) {
                Some(&v) if stands_before(f, dominators, v, b) => {
                    f.replace(i, v);
                    changed = true;
                }
                _ => {
                    table.values.insert(key, Value::inst(i));
                }
            }
        }
        epoch_after[b] = table.epoch;
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// A load of the same epoch may stand in a sibling of `b`.
fn stands_before(f: &Body, dominators: &Dominators, v: Value, b: Block) -> bool {
    let def = v.as_inst().and_then(|i| f.block_of(i));
    def.is_none_or(|def| dominators.dominates(def, b))
}

fn head(op: Op, ty: Type, payload: u32) -> u64 {
    u64::from(op as u8) << 40 | u64::from(ty as u8) << 32 | u64::from(payload)
}

fn pair(a: Value, b: Value) -> u64 {
    u64::from(a.bits()) << 32 | u64::from(b.bits())
}

fn load_key(ty: Type, epoch: u32, address: Value) -> Key {
    (head(Op::Load, ty, epoch), u64::from(address.bits()))
}

fn pure_key(f: &Body, table: &mut Table, i: Inst) -> Key {
    let (op, ty, payload) = (f.op(i), f.ty(i), f.payload(i));
    let args = f.args(i);
    let &[a, b] = args else {
        return (head(op, ty, payload), table.list(args));
    };
    if op == Op::ElemAddr {
        return (head(op, ty, payload), table.list(args));
    }
    if a <= b {
        return (head(op, ty, payload), pair(a, b));
    }
    match op {
        Op::ICmp => (head(op, ty, IntPred::from_payload(payload).swapped() as u32), pair(b, a)),
        Op::FCmp => (head(op, ty, FloatPred::from_payload(payload).swapped() as u32), pair(b, a)),
        _ if op.has(COMMUTATIVE) => (head(op, ty, payload), pair(b, a)),
        _ => (head(op, ty, payload), pair(a, b)),
    }
}

impl Table {
    fn new_epoch(&mut self) {
        self.epochs += 1;
        self.epoch = self.epochs;
    }

    /// The number of a list of operands: equal lists have equal numbers.
    fn list(&mut self, args: &[Value]) -> u64 {
        let mut number = 0u32;
        for v in args {
            let next = self.lists.len() as u32 + 1;
            number = *self.lists.entry(u64::from(number) << 32 | u64::from(v.bits())).or_insert(next);
        }
        u64::from(number)
    }
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
    fn loads_merge_while_memory_is_what_it_was() {
        rewrites(
            &GVN,
            "@g = global [4 x i32] zeroinitializer
             declare void @putint(i32)
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
             declare void @putint(i32)
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
