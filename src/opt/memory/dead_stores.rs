//! Stores are removed whose bytes are written again before anything reads them, and stores to variables of
//! the function that nothing reads until it returns.
//!
//! One walk from the ends of the function back, against reverse postorder. It holds a few places that will be
//! written before they are read, and whether the function's own memory will be read: at a branch, what is so
//! on both ways. From a way back to a block in front nothing is known, so all values are those of one moment.
//! O(instructions), each write and read compared with at most `MOST` places.

use crate::analysis::Effects;
use crate::analysis::alias::{Compared, Overlap, may_share};
use crate::analysis::effects::base_of_region;
use crate::analysis::memory::{Base, base_of, extent, read};
use crate::base::Column;
use crate::ir::opcode::{READS, WRITES};
use crate::ir::{Block, Body, Env, FuncId, Inst, Op, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static DEAD_STORES: FuncPass = FuncPass {
    name: "dead_stores",
    description: "remove stores whose bytes are written again, or die, before they are read",
    grows: false,
    needs: AnalysisSet::ORDER,
    run: |cx| with_memory(cx, run),
};

/// Places, and variables in memory, that are remembered.
const MOST: usize = 6;

/// Bytes that will be written before they are read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Place {
    at: Value,
    bytes: u64,
    base: Base,
}

/// What will happen to memory.
#[derive(Clone, Debug, Default)]
struct Future {
    places: Vec<Place>,
    /// Of the function's own memory only this may still be read; none for all of it.
    own: Option<Vec<Inst>>,
}

#[derive(Debug, Default)]
struct Scratch {
    now: Future,
    /// Per block: what will happen from its start on, as ranges of the lists below; none if it is not known.
    starts: Column<Block, Option<Start>>,
    places: Vec<Place>,
    own: Vec<Inst>,
}

#[derive(Copy, Clone, Debug)]
struct Start {
    places: (u32, u32),
    own: Option<(u32, u32)>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let FuncCx { env, ref mut f, effects, ref analyses, ref mut scratch, .. } = *cx;
    if !f.ops().any(|(_, op)| op == Op::Store) {
        return Outcome::UNCHANGED;
    }
    s.starts.reset(f.block_count(), None);
    s.places.clear();
    s.own.clear();
    let mut changed = false;
    for &b in analyses.order.blocks.iter().rev() {
        s.end(f, b);
        let mut next = f.last(b);
        while let Some(i) = next {
            next = f.prev(i);
            let op = f.op(i);
            if !op.has(READS) && !op.has(WRITES) {
                continue;
            }
            if let Some((at, bytes)) = extent(env, f, i) {
                let place = Place { at, bytes, base: base_of(f, at) };
                if s.now.is_dead(env, f, place) {
                    f.args(i).iter().for_each(|&operand| scratch.changes.loses_use(f, operand));
                    f.remove(i);
                    changed = true;
                    continue;
                }
                s.now.write(place);
            }
            s.now.read_by(env, f, effects, i);
        }
        s.start(b);
    }
    Outcome::changed_if(changed, AnalysisSet::CFG).listed()
}

impl Scratch {
    /// Begins at the end of a block.
    fn end(&mut self, f: &Body, b: Block) {
        let now = &mut self.now;
        now.places.clear();
        let mut successors = f.succs(b).map(|e| self.starts[f.edge_to(e)]);
        let Some(first) = successors.next() else {
            now.own = Some(Vec::new());
            return;
        };
        now.own = None;
        let Some(first) = first else { return };
        let list = |(from, to): (u32, u32)| from as usize..to as usize;
        now.places.extend_from_slice(&self.places[list(first.places)]);
        now.own = first.own.map(|range| self.own[list(range)].to_vec());
        for other in successors {
            let Some(other) = other else {
                now.places.clear();
                now.own = None;
                return;
            };
            let others = &self.places[list(other.places)];
            now.places.retain(|place| others.contains(place));
            match other.own {
                Some(range) => self.own[list(range)].iter().for_each(|&i| now.keep(i)),
                None => now.own = None,
            }
        }
    }

    /// Notes what is known at the start of a block.
    fn start(&mut self, b: Block) {
        let from = (self.places.len() as u32, self.own.len() as u32);
        self.places.extend_from_slice(&self.now.places);
        let own = self.now.own.as_ref().map(|list| {
            self.own.extend_from_slice(list);
            (from.1, self.own.len() as u32)
        });
        self.starts[b] = Some(Start { places: (from.0, self.places.len() as u32), own });
    }
}

impl Future {
    /// True if nothing will read what is written to a place.
    fn is_dead(&self, env: &Env, f: &Body, place: Place) -> bool {
        if let (Base::Own(i), Some(read)) = (place.base, &self.own)
            && !read.contains(&i)
        {
            return true;
        }
        let mut access = Compared::new(f, (place.at, place.bytes));
        let covers = |later: &Place| {
            later.base == place.base
                && later.bytes >= place.bytes
                && access.overlap(env, f, (later.at, later.bytes)) == Overlap::Same
        };
        self.places.iter().any(covers)
    }

    fn write(&mut self, place: Place) {
        self.places.truncate(MOST - 1);
        self.places.insert(0, place);
    }

    /// Own memory may be read.
    fn keep(&mut self, i: Inst) {
        let Some(list) = &mut self.own else { return };
        match list.len() {
            _ if list.contains(&i) => {}
            MOST => self.own = None,
            _ => list.push(i),
        }
    }

    /// Notes what an instruction reads.
    fn read_by(&mut self, env: &Env, f: &Body, effects: &Effects, i: Inst) {
        if f.op(i) == Op::Call {
            match effects.reads(f.callee(i)) {
                Some(regions) => {
                    let bases = regions.iter().map(|&region| base_of_region(f, i, region));
                    bases.for_each(|base| self.read((env, f.func), base));
                }
                None => self.read((env, f.func), Base::Unknown),
            }
            return;
        }
        let Some(at) = read(f, i) else { return };
        if f.op(i) != Op::Load {
            return self.read((env, f.func), base_of(f, at));
        }
        let (base, bytes) = (base_of(f, at), u64::from(env.shapes.bytes_of(f.ty(i))));
        self.read_own(base);
        let mut access = Compared::new(f, (at, bytes));
        self.places.retain(|place| {
            !may_share(env, f.func, base, place.base)
                || access.overlap(env, f, (place.at, place.bytes)) == Overlap::Never
        });
    }

    /// Notes a read of an object.
    fn read(&mut self, (env, func): (&Env, FuncId), base: Base) {
        self.read_own(base);
        self.places.retain(|place| !may_share(env, func, base, place.base));
    }

    fn read_own(&mut self, base: Base) {
        match base {
            Base::Own(i) => self.keep(i),
            Base::Unknown => self.own = None,
            Base::Global(_) | Base::Param(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    /// A store to @a[1] or a variable, a way around, and another store.
    fn text(first: &str, between: &str, after: &str) -> String {
        format!(
            "@a = internal global [9 x i32] zeroinitializer
             @h = internal global i32 0
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             declare void @unknown()
             define i32 @f(i32 %i, i1 %c, ptr %q) {{
             entry:
               %v = alloca [2 x i32]
               %p = getelementptr inbounds [9 x i32], ptr @a, i32 0, i32 %i
               %r = getelementptr inbounds [2 x i32], ptr %v, i32 0, i32 %i
               {first}
               br i1 %c, label %then, label %join
             then:
               {between}
               br label %join
             join:
               {after}
               ret i32 %i
             }}"
        )
    }

    const FIRST: &str = "store i32 1, ptr %p";
    const AFTER: &str = "store i32 2, ptr %p";

    #[test]
    fn what_is_written_again_on_all_ways_before_it_is_read_goes() {
        for between in [
            "call void @putint(i32 %i)",
            "%w = load i32, ptr @h\ncall void @putint(i32 %w)",
            "%k = add i32 %i, 1
             %s = getelementptr inbounds [9 x i32], ptr @a, i32 0, i32 %k
             %w = load i32, ptr %s
             call void @putint(i32 %w)",
            "store i32 3, ptr %q",
        ] {
            rewrites(&DEAD_STORES, &text(FIRST, between, AFTER), &text("", between, AFTER));
        }
        let both = "store i32 1, ptr %p\nbr i1 %c, label %then, label %other\nother:\nstore i32 4, ptr %p";
        let one = "br i1 %c, label %then, label %other\nother:\nstore i32 4, ptr %p";
        rewrites(&DEAD_STORES, &text(both, AFTER, ""), &text(one, AFTER, ""));
    }

    #[test]
    fn what_may_be_read_or_stays_on_one_way_stays() {
        for between in ["call void @unknown()", "%w = load i32, ptr %q\ncall void @putint(i32 %w)"] {
            leaves_alone(&DEAD_STORES, &text(FIRST, between, AFTER));
        }
        leaves_alone(&DEAD_STORES, &text(FIRST, AFTER, ""));
        leaves_alone(&DEAD_STORES, &text("store i64 1, ptr %p", "", AFTER));
        let read = "%w = load i32, ptr %p\ncall void @putint(i32 %w)";
        leaves_alone(&DEAD_STORES, &text(FIRST, "", &format!("{read}\n{AFTER}")));
        leaves_alone(
            &DEAD_STORES,
            &text("br label %back\nback:\nstore i32 1, ptr %p", "br label %back\nnever:", ""),
        );
    }

    #[test]
    fn own_memory_is_written_in_vain_behind_its_last_read() {
        let read = "store i32 1, ptr %r\n%w = load i32, ptr %v\ncall void @putint(i32 %w)";
        let last = "store i32 2, ptr %r";
        rewrites(&DEAD_STORES, &text(read, last, last), &text(read, "", ""));
        leaves_alone(&DEAD_STORES, &text("store i32 1, ptr %r", "", "call void @unknown()"));
        let ways = ["label %then, label %join", "label %join, label %then"];
        for way in ways {
            let text = text("store i32 1, ptr %r", "call void @unknown()", "").replace(ways[0], way);
            leaves_alone(&DEAD_STORES, &text);
        }
    }
}
