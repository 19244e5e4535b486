//! Local arrays that always hold the same numbers when they are read. One that is copied from an image
//! becomes the image; one that is filled again in each round of a loop is filled once, where it is made.
//!
//! All that is written to such an array are numbers at known places, in one block, which dominates all reads;
//! those in the block stand behind the last write. So whenever something is read, the last numbers that were
//! written to each place are there, and they are there after the first time. What was never written means
//! nothing. O(uses of arrays), with at most `MOST_ACCESSES` each.

use crate::base::Handle;
use crate::ir::{At, Block, Body, Env, Inst, Op, Shape, Value};
use crate::opt::run::analyses::{Analyses, AnalysisSet};
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static CONSTANT_ARRAYS: FuncPass = FuncPass {
    name: "constant_arrays",
    description: "fill local arrays that hold the same numbers whenever they are read once",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// Uses of the address of an array.
const MOST_ACCESSES: usize = 512;

/// What is known of the array at hand.
#[derive(Debug, Default)]
struct Scratch {
    /// Addresses in it, and those of them that are still to follow. All but the first are steps.
    addresses: Vec<Inst>,
    reads: Vec<Inst>,
    writes: Vec<Inst>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let is_array = |&(i, op): &(Inst, Op)| {
        let is_deep = || cx.env.shapes.depth(Shape::new(cx.f.payload(i) as usize)) > 0;
        op == Op::Alloca && is_deep() && cx.f.block_of(i).is_some()
    };
    let arrays: Vec<Inst> = cx.f.ops().filter(is_array).map(|(i, _)| i).collect();
    let mut changed = false;
    for array in arrays {
        if let Some(b) = s.follow(cx.f, array) {
            cx.require(AnalysisSet::LOOPS);
            changed |= s.is_constant(cx.f, cx.analyses, b)
                && (becomes_image(cx.env, cx.f, array, &s.writes)
                    || s.fill_once(cx.f, cx.analyses, array, b));
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// True if all indices of an address are known.
fn is_fixed(f: &Body, address: Inst) -> bool {
    f.args(address)[1..].iter().all(|&index| f.as_int(index).is_some())
}

impl Scratch {
    /// Lists all uses of an array; the block of the writes, if they are of numbers, at known places, in one
    /// block.
    fn follow(&mut self, f: &Body, array: Inst) -> Option<Block> {
        self.reads.clear();
        self.writes.clear();
        self.addresses.clear();
        self.addresses.push(array);
        let mut next = 0;
        while let Some(&address) = self.addresses.get(next) {
            next += 1;
            // Steps from where something is written have to be known.
            let is_known = address == array || is_fixed(f, address);
            for u in f.uses(address) {
                let i = u.user;
                if self.addresses.len() + self.reads.len() + self.writes.len() > MOST_ACCESSES {
                    return None;
                }
                let is_number = |k: usize| f.arg(i, k).is_number();
                match f.op(i) {
                    Op::ElemAddr if is_known || !is_fixed(f, i) => self.addresses.push(i),
                    Op::Load | Op::MaskedLoad | Op::StridedLoad => self.reads.push(i),
                    Op::Store if u.operand == 1 && is_known && is_number(0) => self.writes.push(i),
                    Op::MemInit if u.operand == 0 && is_known => self.writes.push(i),
                    Op::MemSet if is_known && is_number(1) && is_number(2) => self.writes.push(i),
                    _ => return None,
                }
            }
        }
        let block = f.block_of(*self.writes.first()?)?;
        self.writes.iter().all(|&i| f.block_of(i) == Some(block)).then_some(block)
    }

    /// True if nothing is read before all is written. Brings the writes into order.
    fn is_constant(&mut self, f: &Body, analyses: &Analyses, b: Block) -> bool {
        let dominates = |&i: &Inst| f.block_of(i).is_none_or(|home| analyses.dominators.dominates(b, home));
        if !analyses.order.reaches(b) || !self.reads.iter().all(dominates) {
            return false;
        }
        let (mut writes, mut reads) = (std::mem::take(&mut self.writes), self.reads.clone());
        writes.sort_unstable();
        reads.sort_unstable();
        for i in f.insts(b) {
            if writes.binary_search(&i).is_ok() {
                self.writes.push(i);
            } else if self.writes.len() < writes.len() && reads.binary_search(&i).is_ok() {
                return false;
            }
        }
        true
    }

    /// Moves what fills an array out of the loops that it is in and the array is not.
    fn fill_once(&self, f: &mut Body, analyses: &Analyses, array: Inst, b: Block) -> bool {
        let Some(home) = f.block_of(array) else { return false };
        if analyses.loops.depth_of(home) >= analyses.loops.depth_of(b) || f.terminator(home).is_none() {
            return false;
        }
        // Addresses that others are made of come first.
        for &address in &self.addresses[1..] {
            if is_fixed(f, address) && f.block_of(address) != Some(home) {
                f.move_inst(address, At::BeforeTerminator(home));
            }
        }
        for &i in &self.writes {
            f.move_inst(i, At::BeforeTerminator(home));
        }
        true
    }
}

/// Replaces an array by the image that all of it is copied from.
fn becomes_image(env: &Env, f: &mut Body, array: Inst, writes: &[Inst]) -> bool {
    let &[init] = writes else { return false };
    let source = f.args(init).get(1).filter(|_| f.op(init) == Op::MemInit);
    let Some(image) = source.and_then(|v| v.as_global()).filter(|&image| env.globals[image].constant) else {
        return false;
    };
    let (shape, of_image) = (Shape::new(f.payload(array) as usize), env.globals[image].shape);
    let bytes = env.shapes.bytes(shape);
    let is_whole = u64::from(f.payload(init)) >= bytes && env.shapes.bytes(of_image) >= bytes;
    if !is_whole
        || f.arg(init, 0) != Value::inst(array)
        || env.shapes.align(of_image) < env.shapes.align(shape)
    {
        return false;
    }
    f.remove(init);
    f.replace(array, Value::global(image));
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    /// An array, and a loop with this in its first block, behind which the array is read.
    fn text(entry: &str, first: &str, second: &str, base: &str) -> String {
        format!(
            "@image = internal constant [4 x i32] [i32 5, i32 6, i32 7, i32 8]
             declare void @use(ptr)
             declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
             declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
             define i32 @f(i32 %x, i1 %c) {{
             entry:
               {entry}
               br label %head
             head:
               {first}
               br i1 %c, label %more, label %exit
             more:
               {second}
               br label %head
             exit:
               %r = getelementptr inbounds [4 x i32], ptr {base}, i32 0, i32 %x
               %v = load i32, ptr %r
               ret i32 %v
             }}"
        )
    }

    const ARRAY: &str = "%a = alloca [4 x i32]";
    const FILL: &str = "call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)
         %p = getelementptr inbounds [4 x i32], ptr %a, i32 0, i32 1
         store i32 7, ptr %p
         %q = getelementptr inbounds [4 x i32], ptr %a, i32 0, i32 2
         store i32 8, ptr %q";
    const COPY: &str = "call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr @image, i64 16, i1 false)";

    #[test]
    fn what_is_filled_in_each_round_is_filled_once_and_copies_are_the_image() {
        let moved = "%a = alloca [4 x i32]
             %q = getelementptr inbounds [4 x i32], ptr %a, i32 0, i32 2
             %p = getelementptr inbounds [4 x i32], ptr %a, i32 0, i32 1
             call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)
             store i32 7, ptr %p
             store i32 8, ptr %q";
        rewrites(&CONSTANT_ARRAYS, &text(ARRAY, FILL, "", "%a"), &text(moved, "", "", "%a"));
        rewrites(&CONSTANT_ARRAYS, &text(ARRAY, COPY, "", "%a"), &text("", "", "", "@image"));
        rewrites(
            &CONSTANT_ARRAYS,
            &text(&format!("{ARRAY}\n{COPY}"), "", "", "%a"),
            &text("", "", "", "@image"),
        );
    }

    #[test]
    fn what_is_changed_read_before_or_known_to_others_stays() {
        let read = "%w = load i32, ptr %a\ncall void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)";
        for (first, second) in [
            (FILL, "store i32 1, ptr %a"),
            (FILL, "store i32 1, ptr %p"),
            (FILL, "call void @use(ptr %p)"),
            (FILL, "%s = getelementptr inbounds [4 x i32], ptr %a, i32 0, i32 %x\nstore i32 1, ptr %s"),
            (read, ""),
            ("%w = load i32, ptr %a", COPY),
            ("store i32 %x, ptr %a", ""),
        ] {
            leaves_alone(&CONSTANT_ARRAYS, &text(ARRAY, first, second, "%a"));
        }
        leaves_alone(&CONSTANT_ARRAYS, &text(&format!("{ARRAY}\n{FILL}"), "", "", "%a"));
        let inside = COPY.replace("ptr %a,", "ptr %b,");
        let large = "%a = alloca [8 x i32]\n%b = getelementptr inbounds [8 x i32], ptr %a, i32 0, i32 4";
        leaves_alone(&CONSTANT_ARRAYS, &text(&format!("{large}\n{inside}"), "", "", "%a"));
        let part = COPY.replace("i64 16", "i64 8");
        leaves_alone(&CONSTANT_ARRAYS, &text(&format!("{ARRAY}\n{part}"), "", "", "%a"));
    }
}
