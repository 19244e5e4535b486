//! Local arrays become a variable for each element, if only elements that are known are loaded and stored, and
//! the array as a whole is at most filled with zeros or copied from an image. `mem2reg` makes values of them.
//!
//! An array is followed to all uses of its address. O(uses of small arrays); at most `MOST_ACCESSES` are looked
//! at and `MOST_ELEMENTS` made.

use crate::base::Handle;
use crate::ir::{At, Body, Env, Inst, Op, Shape, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static SPLIT_ARRAYS: FuncPass = FuncPass {
    name: "split_arrays",
    description: "make variables of the elements of local arrays whose subscripts are known",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// Bytes of an array,
const MOST_BYTES: u64 = 1024;
/// elements that it becomes,
const MOST_ELEMENTS: usize = 64;
/// and uses of its address.
const MOST_ACCESSES: usize = 1024;

/// What is known of the array at hand.
#[derive(Debug, Default)]
struct Scratch {
    /// Addresses in it that are still to follow, and how far they are from its start.
    addresses: Vec<(Inst, i64)>,
    /// All addresses.
    followed: Vec<Inst>,
    /// Loads and stores.
    accesses: Vec<(i64, Type, Inst)>,
    /// What fills it, and the bytes that are filled.
    fills: Vec<(Inst, i64, i64)>,
    /// Elements: where they are, their type, and their variable.
    elements: Vec<(i64, Type, Value)>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let (env, f) = (cx.env, &mut *cx.f);
    let is_small = |&(i, op): &(Inst, Op)| {
        let shape = Shape::new(f.payload(i) as usize);
        let is_array = || env.shapes.depth(shape) > 0 && env.shapes.bytes(shape) <= MOST_BYTES;
        op == Op::Alloca && is_array() && f.block_of(i).is_some()
    };
    let arrays: Vec<Inst> = f.ops().filter(is_small).map(|(i, _)| i).collect();
    let mut changed = false;
    for array in arrays {
        if s.follow(env, f, array) && s.find_elements(env, f, array) {
            s.split(env, f, array);
            changed = true;
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// The distance of an address from its base, if it is known.
fn distance(env: &Env, f: &Body, i: Inst) -> Option<i64> {
    let mut shape = Shape::new(f.payload(i) as usize);
    let mut sum = 0i64;
    for &index in &f.args(i)[1..] {
        let (element, stride) = env.shapes.element_and_bytes(shape);
        sum = sum.checked_add(f.as_int(index)?.checked_mul(i64::try_from(stride).ok()?)?)?;
        shape = element;
    }
    Some(sum)
}

/// How many bytes are filled, with zeros or from an image.
fn filled(f: &Body, i: Inst) -> Option<i64> {
    match f.op(i) {
        Op::MemInit => Some(i64::from(f.payload(i))),
        Op::MemSet if f.as_int(f.arg(i, 1)) == Some(0) => {
            let bytes = f.as_int(f.arg(i, 2))?;
            (0..=MOST_BYTES as i64).contains(&bytes).then_some(bytes)
        }
        _ => None,
    }
}

impl Scratch {
    /// Lists all uses of an array; false if one is not of known elements.
    fn follow(&mut self, env: &Env, f: &Body, array: Inst) -> bool {
        self.accesses.clear();
        self.fills.clear();
        self.followed.clear();
        self.addresses.clear();
        self.addresses.push((array, 0));
        while let Some((address, at)) = self.addresses.pop() {
            self.followed.push(address);
            for u in f.uses(address) {
                let i = u.user;
                if self.accesses.len() + self.fills.len() + self.followed.len() > MOST_ACCESSES {
                    return false;
                }
                match f.op(i) {
                    Op::ElemAddr => {
                        let Some(sum) = distance(env, f, i).and_then(|step| at.checked_add(step)) else {
                            return false;
                        };
                        self.addresses.push((i, sum));
                    }
                    Op::Load if !f.ty(i).is_vector() => self.accesses.push((at, f.ty(i), i)),
                    Op::Store if f.arg(i, 0) != Value::inst(address) => {
                        let ty = f.type_of(f.arg(i, 0));
                        if ty.is_vector() {
                            return false;
                        }
                        self.accesses.push((at, ty, i));
                    }
                    Op::MemInit | Op::MemSet if f.arg(i, 0) == Value::inst(address) => {
                        let Some(end) = filled(f, i).and_then(|bytes| at.checked_add(bytes)) else {
                            return false;
                        };
                        self.fills.push((i, at, end));
                    }
                    _ => return false,
                }
            }
        }
        !self.accesses.is_empty()
    }

    /// Lists the elements; false if some overlap, or are in part filled.
    fn find_elements(&mut self, env: &Env, f: &Body, array: Inst) -> bool {
        self.accesses.sort_unstable_by_key(|&(at, ty, i)| (at, ty as u8, i));
        self.elements.clear();
        let none = Value::undef(Type::Ptr);
        self.elements.extend(self.accesses.iter().map(|&(at, ty, _)| (at, ty, none)));
        self.elements.dedup();
        let size = env.shapes.bytes(Shape::new(f.payload(array) as usize)) as i64;
        let end = |&(at, ty, _): &(i64, Type, Value)| at.saturating_add(i64::from(env.shapes.bytes_of(ty)));
        let is_inside = |element: &(i64, Type, Value)| element.0 >= 0 && end(element) <= size;
        let is_apart = |pair: &[(i64, Type, Value)]| end(&pair[0]) <= pair[1].0;
        let is_known = |&(at, ty, _): &(i64, Type, Value), &(i, from, to): &(Inst, i64, i64)| {
            let end = at.saturating_add(i64::from(env.shapes.bytes_of(ty)));
            end <= from || at >= to || at >= from && end <= to && word(env, f, i, (at - from, ty)).is_some()
        };
        self.elements.len() <= MOST_ELEMENTS
            && self.elements.iter().all(is_inside)
            && self.elements.windows(2).all(is_apart)
            && self.fills.iter().all(|fill| self.elements.iter().all(|element| is_known(element, fill)))
    }

    /// Makes variables of the elements.
    fn split(&mut self, env: &Env, f: &mut Body, array: Inst) {
        for (_, ty, variable) in &mut self.elements {
            let shape = Shape::scalar(*ty).index() as u32;
            let place = f.place(array);
            *variable = Value::inst(f.insert(At::Before(array), Op::Alloca, Type::Ptr, &[], shape, place));
        }
        let mut element = self.elements.iter();
        let mut current = element.next();
        for &(at, _, i) in &self.accesses {
            while current.is_some_and(|&(known, ..)| known < at) {
                current = element.next();
            }
            if let Some(&(_, _, variable)) = current {
                f.set_arg(i, if f.op(i) == Op::Load { 0 } else { 1 }, variable);
            }
        }
        for &(i, from, to) in &self.fills {
            for &(at, ty, variable) in self.elements.iter().filter(|&&(at, ..)| at >= from && at < to) {
                let v = number(f, ty, word(env, f, i, (at - from, ty)).unwrap_or(0));
                f.insert(At::Before(i), Op::Store, Type::Void, &[v, variable], 0, f.place(i));
            }
            f.remove(i);
        }
        // Addresses of addresses stand behind them.
        self.followed.iter().rev().for_each(|&i| f.remove(i));
    }
}

/// What an element, so many bytes behind the start of what is filled, holds then. All bits are zeros for 0.
fn word(env: &Env, f: &Body, fill: Inst, (at, ty): (i64, Type)) -> Option<u32> {
    let Some(&source) = f.args(fill).get(1).filter(|_| f.op(fill) == Op::MemInit) else {
        return (ty != Type::Ptr).then_some(0);
    };
    let global = &env.globals[source.as_global().filter(|&g| env.globals[g].constant)?];
    let is_word = |ty: Type| ty == Type::I32 || ty == Type::F32;
    let is_whole = global.image.addresses.is_empty()
        && is_word(ty)
        && is_word(env.shapes.scalar_type(global.shape))
        && at % 4 == 0;
    is_whole.then(|| global.image.get((at / 4) as u32))
}

/// The number with these bits.
fn number(f: &mut Body, ty: Type, word: u32) -> Value {
    match ty {
        Type::I32 => f.int(word as i32),
        Type::F32 => f.f32(f32::from_bits(word)),
        _ => f.zero(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    fn text(lines: &str) -> String {
        format!(
            "@image = internal constant [4 x i32] [i32 5, i32 6, i32 7, i32 8]
             declare void @use(ptr)
             declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
             declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
             define i32 @f(i32 %x, ptr %q) {{
             {lines}
               ret i32 %s
             }}"
        )
    }

    const ADDRESSES: &str = "%a = alloca [2 x [2 x i32]]
         %row = getelementptr inbounds [2 x [2 x i32]], ptr %a, i32 0, i32 1
         %p = getelementptr inbounds [2 x i32], ptr %row, i32 0, i32 1
         %r = getelementptr inbounds [2 x [2 x i32]], ptr %a, i32 0, i32 0, i32 1";
    const SUM: &str = "%v = load i32, ptr %p
         %w = load i32, ptr %r
         %s = sdiv i32 %v, %w";

    #[test]
    fn elements_are_variables_and_get_what_the_array_is_filled_with() {
        let zeros = "call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 16, i1 false)";
        let image = "call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr @image, i64 16, i1 false)";
        for (fill, first, second) in [(zeros, 0, 0), (image, 6, 8)] {
            rewrites(
                &SPLIT_ARRAYS,
                &text(&format!("{ADDRESSES}\n{fill}\nstore i32 %x, ptr %p\n{SUM}")),
                &text(&format!(
                    "%r = alloca i32
                     %p = alloca i32
                     store i32 {first}, ptr %r
                     store i32 {second}, ptr %p
                     store i32 %x, ptr %p
                     {SUM}"
                )),
            );
        }
    }

    #[test]
    fn what_is_reached_in_another_way_or_in_part_stays_an_array() {
        for other in [
            "%t = getelementptr inbounds i32, ptr %a, i32 %x\nstore i32 %x, ptr %t",
            "call void @use(ptr %row)",
            "store ptr %p, ptr %q",
            "store i64 1, ptr %r",
            "store float 0.0, ptr %p",
            "store <2 x i32> zeroinitializer, ptr %a, align 4",
            "call void @llvm.memset.p0.i64(ptr %a, i8 1, i64 16, i1 false)",
            "call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 6, i1 false)",
            "call void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %a, i64 16, i1 false)",
            "%t = getelementptr i32, ptr %a, i32 4\nstore i32 %x, ptr %t",
        ] {
            leaves_alone(&SPLIT_ARRAYS, &text(&format!("{ADDRESSES}\n{other}\n{SUM}")));
        }
    }
}
