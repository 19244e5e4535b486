//! Functions that write nothing and call themselves several times on one way keep results in a table: what
//! two of their calls have in common, which is most of it where arguments only go up and down, is computed
//! once.
//!
//! In front of the calls the arguments are looked up, and where the function returns behind that place they
//! are entered with the result, in the place of whatever stood there. So the table has a size, and any
//! arguments may come. Of the first argument a, an entry holds a | mask: the low bits follow from where the
//! entry stands and the other arguments, and an entry that was never written, which holds zeros, has no
//! arguments.
//!
//! | arguments | entry number | entry |
//! | --- | --- | --- |
//! | a | a & mask | a \| mask, result |
//! | a, b | (a + b K) & mask | a \| mask, b, result |
//! | a, b, c, d | (a + b K + c L + d M) & mask | a \| mask, b, c, d, result |
//!
//! Of a float the bits are looked up, so that zeros of both signs are two arguments. They come by memory, since
//! no instruction moves them, and the number of an entry is made of x ^ (x >> 13), from which x follows: the lower
//! bits of small whole floats are all zero.
//!
//! Where the function reads memory, or hands parameters on as they are, results hold as long as the outermost
//! call lasts, in which nothing else runs. Then behind the last entry there are the number of that call and
//! whether there is one at present, and entries hold the number, too. When it has run through all of 32 bits
//! the table is cleared.
//!
//! Nothing but arithmetic, loads and its own calls stands in the function, and every argument of these is made of
//! constants, what is loaded, what they return, and one parameter, by sums, quotients and
//! remainders: what is split in two at other arguments (`sum(l, m) + sum(m, r)`, `f(2 n) + f(2 n + 1)`) never
//! comes twice, nor does what calls return where it is only added up (`is_tested`). Where nothing is read, calls with equal
//! arguments are made one first, which leaves no two of them in `f(n - 1) - f(n - 1)`. All tables of a program together have at most `MOST_ENTRIES`. One look at every opcode;
//! O(instructions) of what recurs. (Michie, "Memo functions and machine learning", 1968.)

use crate::analysis::unreachable_blocks;
use crate::base::{Column, Handle};
use crate::ir::module::{Image, Request};
use crate::ir::opcode::PURE;
use crate::ir::{At, Block, Body, Inst, IntPred, Op, Place, Shape, Type, Value};
use crate::opt::calls::has_jumps;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};
use crate::opt::values::gvn;

/// The pass.
pub static RESULT_TABLES: FuncPass = FuncPass {
    name: "result_tables",
    description: "keep results of functions that call themselves several times",
    grows: true,
    needs: AnalysisSet::NONE,
    run,
};

/// Parameters that are looked up.
const MOST_KEYS: usize = 4;
/// Entries of all tables that a program may have, words of the table of one function, entries of one by one argument,
/// and the fewest that are worth it.
const MOST_ENTRIES: usize = 1 << 21;
const MOST_WORDS: usize = 1 << 18;
const MOST_OF_ONE: usize = 1 << 14;
const FEWEST: usize = 1 << 8;
/// Instructions of an argument that are looked at.
const MOST_STEPS: usize = 12;
/// Spread further arguments over the table: odd, near its size times the golden ratio.
const FACTORS: [i32; MOST_KEYS] = [1, 40503, 24_853, 58_111];
/// By how much the bits of a float are moved for the number of its entry: from there on 10 bits of the fraction and 4 of
/// the exponent stand.
const FLOAT_SHIFT: i32 = 13;

/// How results are kept.
struct Plan {
    /// The parameters that are looked up.
    keys: Vec<Value>,
    /// Results hold as long as the outermost call lasts.
    ends: bool,
}

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let f = &*cx.f;
    let this = f.func;
    if !f.ops().any(|(i, op)| op == Op::Call && f.callee(i) == this) || has_jumps(f) {
        return Outcome::UNCHANGED;
    }
    let row = &cx.env.funcs[this];
    let share = MOST_ENTRIES / cx.env.funcs.len().max(1);
    if row.variadic || !is_word(row.result) || share < FEWEST || !f.blocks().all(|b| is_plain(f, b)) {
        return Outcome::UNCHANGED;
    }
    let reads = f.ops().any(|(_, op)| op == Op::Load);
    cx.require(AnalysisSet::LOOPS.with(AnalysisSet::DOMINATORS));
    let numbered = if reads { Outcome::UNCHANGED } else { gvn::number_own_calls(cx) };
    let f = &*cx.f;
    let calls: Vec<Inst> = f.blocks().flat_map(|b| f.insts(b)).filter(|&i| f.op(i) == Op::Call).collect();
    let Some(plan) = plan(f, &calls, reads) else { return numbered };
    if !is_called_twice(cx) {
        return numbered;
    }
    let Some(at) = front(cx, &calls) else { return numbered };
    let most = if plan.keys.len() == 1 { MOST_OF_ONE } else { MOST_WORDS / plan.width() as usize };
    let entries = (share.min(most) + 1).next_power_of_two() / 2;
    enter(cx, &plan, at, entries as u32);
    cx.f.debug_values = None;
    Outcome::changed(AnalysisSet::NONE)
}

impl Plan {
    /// Words of an entry.
    fn width(&self) -> u32 {
        (self.keys.len() as u32 + 1 + u32::from(self.ends)).next_power_of_two()
    }
}

/// True of what is looked up and kept as a word.
fn is_word(ty: Type) -> bool {
    matches!(ty, Type::I32 | Type::F32)
}

/// True if there is nothing but arithmetic, loads and calls of the function itself.
fn is_plain(f: &Body, b: Block) -> bool {
    f.insts(b).all(|i| match f.op(i) {
        Op::Load | Op::Phi => true,
        Op::Call => f.callee(i) == f.func,
        op => op.has(PURE) || op.is_terminator(),
    })
}

/// What to look up, if calls are likely to come again.
fn plan(f: &Body, calls: &[Inst], reads: bool) -> Option<Plan> {
    let params: Vec<Value> = f.params().map(Value::inst).collect();
    if calls.iter().any(|&call| f.args(call).len() != params.len()) {
        return None;
    }
    let is_key = |&v: &Value| is_word(f.type_of(v));
    let varies = |&(k, v): &(usize, &Value)| calls.iter().any(|&call| f.arg(call, k) != *v);
    let vary: Vec<usize> = params.iter().enumerate().filter(varies).map(|(k, _)| k).collect();
    for &k in &vary {
        let moved = calls.iter().map(|&call| moved(f, f.arg(call, k)));
        let is_result = moved.collect::<Option<Vec<bool>>>()?.contains(&true);
        if is_result && !is_tested(f, k) {
            return None;
        }
    }
    if !reads && params.len() <= MOST_KEYS && params.iter().all(is_key) {
        return Some(Plan { keys: params, ends: false });
    }
    let keys: Vec<Value> = vary.iter().map(|&k| params[k]).collect();
    ((1..=MOST_KEYS).contains(&keys.len()) && keys.iter().all(is_key)).then_some(Plan { keys, ends: true })
}

/// If an argument is made of constants, what is loaded, what calls return, and one parameter, by what does not
/// tell calls apart: whether calls have a part in it.
fn moved(f: &Body, v: Value) -> Option<bool> {
    let mut seen = [v; MOST_STEPS];
    let (mut count, mut next, mut param, mut is_result) = (1, 0, None, false);
    while next < count {
        let v = seen[next];
        next += 1;
        let Some(i) = v.as_inst() else { continue };
        match f.op(i) {
            Op::Load => {}
            Op::Call => is_result = true,
            Op::Param if param.is_none_or(|param| param == i) => param = Some(i),
            Op::Add | Op::Sub | Op::SDiv | Op::SRem | Op::AShr | Op::And | Op::FAdd | Op::FSub | Op::Phi => {
                for &v in f.args(i) {
                    if !seen[..count].contains(&v) {
                        let room = seen.get_mut(count)?;
                        *room = v;
                        count += 1;
                    }
                }
            }
            _ => return None,
        }
    }
    Some(is_result)
}

/// True if an argument decides something, or becomes part of one that does: what calls return is added up in one that does not
/// (`count(n - 1, count(n - 2, sum))`), and never comes twice.
fn is_tested(f: &Body, k: usize) -> bool {
    let params: Vec<Inst> = f.params().collect();
    let mut seen: Vec<Inst> = params.get(k).copied().into_iter().collect();
    let mut next = 0;
    while let Some(&i) = seen.get(next) {
        next += 1;
        for u in f.uses(i) {
            let to = match f.op(u.user) {
                Op::ICmp | Op::FCmp => return true,
                // What is returned goes where results go.
                Op::Call => params.get(u.operand as usize).copied(),
                Op::Ret => None,
                _ => Some(u.user),
            };
            if let Some(to) = to.filter(|to| !seen.contains(to)) {
                if seen.len() == MOST_STEPS * MOST_KEYS {
                    return false;
                }
                seen.push(to);
            }
        }
    }
    false
}

/// True if some way through the function has two calls of it.
fn is_called_twice(cx: &FuncCx) -> bool {
    let f = &*cx.f;
    let mut called: Column<Block, bool> = Column::filled(f.block_count(), false);
    // Twice, so that what a round of a loop does is known in the next one.
    for _ in 0..2 {
        for &b in &cx.analyses.order.blocks {
            let mut before = f.preds(b).iter().any(|&e| called[f.edge_from(e)]);
            for _ in f.insts(b).filter(|&i| f.op(i) == Op::Call) {
                if before {
                    return true;
                }
                before = true;
            }
            called[b] = before;
        }
    }
    false
}

/// The last block in front of all calls that is in no loop, and behind which no way returns that goes around
/// it.
fn front(cx: &FuncCx, calls: &[Inst]) -> Option<Block> {
    let (f, analyses) = (&*cx.f, &cx.analyses);
    let mut blocks = calls.iter().filter_map(|&call| f.block_of(call));
    let mut at = blocks.next()?;
    for b in blocks {
        at = analyses.dominators.common(at, b)?;
    }
    while analyses.loops.depth_of(at) > 0 || !holds_its_ends(cx, at) {
        at = analyses.dominators.idom[at].get()?;
    }
    Some(at)
}

/// True if a block dominates all that is behind it.
fn holds_its_ends(cx: &FuncCx, at: Block) -> bool {
    let (f, dominators) = (&*cx.f, &cx.analyses.dominators);
    let leaves = |b: Block| f.succs(b).any(|e| !dominators.dominates(at, f.edge_to(e)));
    !cx.analyses.order.blocks.iter().any(|&b| dominators.dominates(at, b) && leaves(b))
}

/// A table at hand.
struct Table {
    address: Value,
    /// The shape of an entry.
    entry: Shape,
    place: Place,
}

impl Table {
    /// The address of a field of an entry.
    fn field(&self, f: &mut Body, at: At, number: Value, k: usize) -> Value {
        let k = f.int(k as i32);
        let payload = Shape::index(self.entry) as u32;
        let address = f.insert(at, Op::ElemAddr, Type::Ptr, &[self.address, number, k], payload, self.place);
        Value::inst(address)
    }

    fn load(&self, f: &mut Body, at: At, number: Value, k: usize) -> Value {
        self.load_as(f, at, (number, k), Type::I32)
    }

    fn load_as(&self, f: &mut Body, at: At, (number, k): (Value, usize), ty: Type) -> Value {
        let address = self.field(f, at, number, k);
        Value::inst(f.insert(at, Op::Load, ty, &[address], 0, self.place))
    }

    fn store(&self, f: &mut Body, at: At, (number, k): (Value, usize), v: Value) {
        let address = self.field(f, at, number, k);
        f.insert(at, Op::Store, Type::Void, &[v, address], 0, self.place);
    }

    fn make(&self, f: &mut Body, b: Block, op: Op, args: [Value; 2]) -> Value {
        Value::inst(f.insert(At::End(b), op, Type::I32, &args, 0, self.place))
    }

    /// A block that goes on at `yes` if the two are equal, and else at `no`.
    fn branch(&self, f: &mut Body, b: Block, args: [Value; 2], [yes, no]: [Block; 2]) {
        let same = f.insert(At::End(b), Op::ICmp, Type::I1, &args, IntPred::Eq as u32, self.place);
        f.set_cond_br(b, Value::inst(same), yes, no, self.place);
    }
}

/// Looks the arguments up in a block, and enters results where the function returns behind it.
fn enter(cx: &mut FuncCx, plan: &Plan, at: Block, entries: u32) {
    let dead = unreachable_blocks(cx.f, &cx.analyses.order);
    cx.f.remove_blocks(&dead);
    let dominators = &cx.analyses.dominators;
    let f = &mut *cx.f;
    let is_end = |f: &Body, b: Block| f.terminator(b).filter(|&i| f.op(i) == Op::Ret);
    let behind = f.blocks().filter(|&b| dominators.dominates(at, b));
    let returns: Vec<Inst> = behind.filter_map(|b| is_end(f, b)).collect();
    let Some(first) = f.insts(at).find(|&i| f.op(i) != Op::Phi) else { return };
    let place = f.place(first);
    let Some(after) = f.split_block(first) else { return };
    f.clear_terminator(at);

    let width = plan.width();
    let shape = cx.env.shapes.of(Type::I32, &[entries + u32::from(plan.ends), width]);
    let entry = cx.env.shapes.of(Type::I32, &[width]);
    let address = f.request(Request { results: true, ..Request::new(shape, false, Image::default()) });
    let table = Table { address, entry, place };
    let [zero, one, last] = [0, 1, entries as i32].map(|x| f.int(x));
    let mask = f.int(entries as i32 - 1);
    let (mut look, mut miss, mut active) = (at, after, None);
    if plan.ends {
        let was = table.load(f, At::End(at), last, 1);
        let begin = f.create_block_after(at);
        let clear = f.create_block_after(begin);
        look = f.create_block_after(clear);
        miss = f.create_block_after(look);
        table.branch(f, at, [was, zero], [begin, look]);
        let before = table.load(f, At::End(begin), last, 0);
        let number = table.make(f, begin, Op::Add, [before, one]);
        table.store(f, At::End(begin), (last, 0), number);
        table.branch(f, begin, [number, zero], [clear, look]);
        let bytes = f.int(cx.env.shapes.bytes(shape) as i32);
        let nothing = f.int_of(Type::I8, 0);
        f.insert(At::End(clear), Op::MemSet, Type::Void, &[address, nothing, bytes], 0, place);
        table.store(f, At::End(clear), (last, 0), one);
        f.set_br(clear, look, place);
        table.store(f, At::End(miss), (last, 1), one);
        f.set_br(miss, after, place);
        active = Some(was);
    }

    let mut keys = plan.keys.clone();
    let mut number = zero;
    for (k, factor) in FACTORS.into_iter().enumerate().take(keys.len()) {
        let mut part = keys[k];
        if f.type_of(part) == Type::F32 {
            keys[k] = bits(f, look, part, place);
            let shift = f.int(FLOAT_SHIFT);
            let upper = table.make(f, look, Op::LShr, [keys[k], shift]);
            part = table.make(f, look, Op::Xor, [keys[k], upper]);
        }
        if k == 0 {
            (number, keys[0]) = (part, table.make(f, look, Op::Or, [part, mask]));
            continue;
        }
        let factor = f.int(factor);
        let part = table.make(f, look, Op::Mul, [part, factor]);
        number = table.make(f, look, Op::Add, [number, part]);
    }
    let number = table.make(f, look, Op::And, [number, mask]);
    if plan.ends {
        keys.push(table.load(f, At::End(look), last, 0));
    }
    let mut differs = zero;
    for (k, &key) in keys.iter().enumerate() {
        let found = table.load(f, At::End(look), number, k);
        let other = table.make(f, look, Op::Xor, [found, key]);
        differs = if k == 0 { other } else { table.make(f, look, Op::Or, [differs, other]) };
    }
    let known = f.create_block_after(look);
    table.branch(f, look, [differs, zero], [known, miss]);
    let ty = cx.env.funcs[f.func].result;
    let result = table.load_as(f, At::End(known), (number, keys.len()), ty);
    f.set_ret(known, Some(result), place);
    for end in returns {
        let Some(&result) = f.args(end).first() else { continue };
        for (k, &v) in keys.iter().chain([&result]).enumerate() {
            table.store(f, At::Before(end), (number, k), v);
        }
        if let Some(was) = active {
            table.store(f, At::Before(end), (last, 1), was);
        }
    }
}

/// The bits of a float.
fn bits(f: &mut Body, b: Block, v: Value, place: Place) -> Value {
    let slot = Shape::scalar(Type::F32);
    let Some(entry) = f.entry() else { return v };
    let slot =
        Value::inst(f.insert(At::Start(entry), Op::Alloca, Type::Ptr, &[], slot.index() as u32, place));
    f.insert(At::End(b), Op::Store, Type::Void, &[v, slot], 0, place);
    Value::inst(f.insert(At::End(b), Op::Load, Type::I32, &[slot], 0, place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;
    use crate::ir::interp;
    use crate::ir::parse::parse;
    use crate::opt::run::testing::{apply, leaves_alone};

    /// What a program prints and returns, in so many steps.
    fn run(module: &Module, steps: u64) -> Option<(String, i32)> {
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let options = interp::Options { steps, ..interp::Options::default() };
        let code = interp::run(module, "main", &mut "".as_bytes(), &mut output, &mut errors, options).ok()?;
        Some((String::from_utf8(output).unwrap(), code))
    }

    /// A function `f` of these parameters, that returns `%x` where `%stop` holds and else goes on; `main`
    /// calls it with these arguments and prints what it returns.
    fn text(params: &str, head: &str, rest: &str, calls: &[&str]) -> String {
        let mut text = format!(
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define internal i32 @f({params}) {{
             entry:
               {head}
               br i1 %stop, label %one, label %more
             one:
               ret i32 %x
             more:
               {rest}
             }}
             define i32 @main() {{\n"
        );
        for (k, arguments) in calls.iter().enumerate() {
            text += &format!("%r{k} = call i32 @f({arguments})\ncall void @putint(i32 %r{k})\n");
        }
        text + "ret i32 0\n}"
    }

    const FIBONACCI: &str = "%a = add i32 %n, -1
         %b = add i32 %n, -2
         %p = call i32 @f(i32 %a)
         %q = call i32 @f(i32 %b)
         %y = add i32 %p, %q
         ret i32 %y";

    #[test]
    fn what_two_calls_have_in_common_is_computed_once() {
        let one = text(
            "i32 %n",
            "%stop = icmp slt i32 %n, 2\n %x = add i32 %n, 0",
            FIBONACCI,
            &["i32 15", "i32 -3", "i32 0", "i32 1", "i32 14", "i32 15"],
        );
        let two = text(
            "i32 %n, i32 %k",
            "%c = icmp sle i32 %k, 0\n %d = icmp sge i32 %k, %n\n %stop = or i1 %c, %d\n %x = sub i32 1, 0",
            "%a = add i32 %n, -1
             %b = add i32 %k, -1
             %p = call i32 @f(i32 %a, i32 %b)
             %q = call i32 @f(i32 %a, i32 %k)
             %y = add i32 %p, %q
             %z = srem i32 %y, 1000
             ret i32 %z",
            &["i32 14, i32 6", "i32 14, i32 0", "i32 -1, i32 -1", "i32 13, i32 7", "i32 14, i32 6"],
        );
        let three = text(
            "i32 %n, i32 %k, i32 %m",
            "%stop = icmp sle i32 %n, 0\n %x = sub i32 %k, %m",
            "%a = add i32 %n, -1
             %b = add i32 %k, 2147483647
             %e = sdiv i32 %m, 2
             %p = call i32 @f(i32 %a, i32 %b, i32 %m)
             %c = icmp sgt i32 %p, 5
             br i1 %c, label %again, label %end
           again:
             %q = call i32 @f(i32 %a, i32 %k, i32 %e)
             br label %end
           end:
             %y = phi i32 [ 3, %more ], [ %q, %again ]
             %z = add i32 %y, %p
             ret i32 %z",
            &["i32 12, i32 600, i32 -77", "i32 9, i32 0, i32 0", "i32 12, i32 600, i32 -77"],
        );
        for text in [one, two, three] {
            let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let mut module = before.clone();
            assert!(apply(&RESULT_TABLES, &mut module), "{text}");
            let want = run(&before, 1 << 24);
            assert!(want.is_some());
            assert_eq!(run(&module, 1 << 24), want, "{text}");
            assert_eq!(run(&module, 6000), want, "in few steps");
        }
    }

    #[test]
    fn floats_are_looked_up_by_their_bits_and_results_may_be_arguments() {
        let head = "%stop = fcmp olt float %n, 2.0\n %x = fadd float %n, 0.0";
        let fibonacci = FIBONACCI
            .replace("add i32 %n, -1", "fsub float %n, 1.0")
            .replace("add i32 %n, -2", "fsub float %n, 2.0")
            .replace("add i32", "fadd float")
            .replace("i32", "float");
        // What each one yields for zero has its sign.
        let signs = "%i = fdiv float 1.0, %n
             %a = fsub float %n, 2.0
             %b = fsub float %n, 1.0
             %p = call float @f(float %a)
             %q = call float @f(float %b)
             %y = fadd float %p, %q
             %z = fadd float %y, %i
             ret float %z";
        let signs_head = "%s = fcmp olt float %n, 0.0\n %t = fcmp ogt float %n, 99.0\n %stop = or i1 %s, %t
             %x = fadd float 1.0, 0.0";
        let tak_head = "%c = fcmp olt float %y, %n\n %stop = xor i1 %c, true\n %x = fadd float %z, 0.0";
        let tak = "%n1 = fadd float %n, -1.0
             %y1 = fadd float %y, -1.0
             %z1 = fadd float %z, -1.0
             %p = call float @f(float %n1, float %y, float %z)
             %q = call float @f(float %y1, float %z, float %n)
             %r = call float @f(float %z1, float %n, float %y)
             %o = call float @f(float %p, float %q, float %r)
             ret float %o";
        let calls = ["float 15.0", "float -3.0", "float 14.5", "float 0.0", "float -0.0"];
        let signed = ["float 0.0", "float -0.0", "float 0.0", "float 3.0"];
        let texts = [
            (text("float %n", head, &fibonacci, &calls), 6000),
            (text("float %n", signs_head, signs, &signed), 6000),
            (
                text("float %n, float %y, float %z", tak_head, tak, &["float 12.0, float 8.0, float 3.0"]),
                30_000,
            ),
        ];
        for (text, steps) in texts {
            let text = text
                .replace("i32 @f(", "float @f(")
                .replace("ret i32 %x", "ret float %x")
                .replace("call void @putint(i32", "call void @putfloat(float")
                .replace("void @putint(i32)", "void @putfloat(float)");
            let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let mut module = before.clone();
            assert!(apply(&RESULT_TABLES, &mut module), "{text}");
            let want = run(&before, 1 << 26);
            assert!(want.is_some());
            assert_eq!(run(&module, 1 << 24), want, "{text}");
            assert_eq!(run(&module, steps), want, "in few steps");
        }
    }

    #[test]
    fn four_arguments_are_looked_up() {
        let text = text(
            "i32 %a, i32 %b, i32 %c, i32 %d",
            "%e = and i32 %a, %b\n %g = or i32 %a, %b\n %h = or i32 %c, %d\n %i = or i32 %g, %h
             %stop = icmp slt i32 %i, 0\n %x = sub i32 %e, %h",
            "%a1 = add i32 %a, -1
             %b1 = add i32 %b, -1
             %c1 = add i32 %c, -1
             %d1 = add i32 %d, -1
             %p = call i32 @f(i32 %a1, i32 %b, i32 %c, i32 %d)
             %q = call i32 @f(i32 %a, i32 %b1, i32 %c, i32 %d)
             %r = call i32 @f(i32 %a, i32 %b, i32 %c1, i32 %d)
             %s = call i32 @f(i32 %a, i32 %b, i32 %c, i32 %d1)
             %t = sub i32 %p, %q
             %u = mul i32 %r, 3
             %v = add i32 %s, %t
             %y = xor i32 %u, %v
             ret i32 %y",
            &["i32 2, i32 2, i32 1, i32 2", "i32 0, i32 0, i32 0, i32 0", "i32 -1, i32 3, i32 0, i32 2"],
        );
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        assert!(apply(&RESULT_TABLES, &mut module));
        let want = run(&before, 1 << 24);
        assert!(want.is_some());
        assert_eq!(run(&module, 12_000), want, "{text}");
    }

    #[test]
    fn equal_calls_are_one_and_results_are_kept_of_what_is_left() {
        let rest = FIBONACCI.replace("(i32 %b)", "(i32 %a)").replace("add i32 %p, %q", "sub i32 %n, %q");
        let text = text("i32 %n", "%stop = icmp slt i32 %n, 2\n %x = add i32 %n, 0", &rest, &["i32 40"]);
        let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert!(apply(&RESULT_TABLES, &mut module));
        assert!(run(&module, 1000).is_some());
        assert!(!crate::ir::print::module(&module).contains("store"));
    }

    #[test]
    fn nothing_is_known_of_zeros_before_they_are_entered() {
        let text = text(
            "i32 %n, i32 %k",
            "%stop = icmp sgt i32 %n, 5\n %x = sub i32 %k, %n",
            "%a = add i32 %n, 1
             %b = add i32 %n, 2
             %p = call i32 @f(i32 %a, i32 %k)
             %q = call i32 @f(i32 %b, i32 %k)
             %y = add i32 %p, %q
             %z = add i32 %y, 1000
             ret i32 %z",
            &["i32 0, i32 0", "i32 -9, i32 0", "i32 0, i32 0"],
        );
        let before = parse(&text).unwrap();
        let mut module = before.clone();
        assert!(apply(&RESULT_TABLES, &mut module));
        assert_eq!(run(&module, 1 << 16), run(&before, 1 << 16));
    }

    #[test]
    fn what_is_read_may_change_between_outermost_calls() {
        let text = "@w = internal global [8 x i32] [i32 3, i32 5, i32 2, i32 7, i32 4, i32 1, i32 6, i32 9]
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define internal i32 @f(ptr %v, i32 %n, i32 %room, i32 %all) {
             entry:
               %stop = icmp eq i32 %n, 0
               br i1 %stop, label %one, label %more
             one:
               ret i32 %all
             more:
               %k = add i32 %n, -1
               %p = getelementptr i32, ptr @w, i32 %k
               %weight = load i32, ptr %p
               %q = getelementptr i32, ptr %v, i32 %k
               %value = load i32, ptr %q
               %x = call i32 @f(ptr %v, i32 %k, i32 %room, i32 %all)
               %left = sub i32 %room, %weight
               %fits = icmp sge i32 %left, 0
               br i1 %fits, label %take, label %end
             take:
               %y = call i32 @f(ptr %v, i32 %k, i32 %left, i32 %all)
               %z = add i32 %y, %value
               %better = icmp sgt i32 %z, %x
               br i1 %better, label %better, label %end
             better:
               ret i32 %z
             end:
               ret i32 %x
             }
             define i32 @main() {
               %v = alloca [8 x i32]
               br label %loop
             loop:
               %i = phi i32 [ 0, %0 ], [ %j, %loop ]
               %p = getelementptr i32, ptr %v, i32 %i
               store i32 %i, ptr %p
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, 8
               br i1 %c, label %loop, label %out
             out:
               %a = call i32 @f(ptr %v, i32 8, i32 17, i32 0)
               call void @putint(i32 %a)
               %b = call i32 @f(ptr @w, i32 8, i32 17, i32 0)
               call void @putint(i32 %b)
               store i32 1, ptr @w
               %d = call i32 @f(ptr @w, i32 8, i32 17, i32 0)
               call void @putint(i32 %d)
               %e = call i32 @f(ptr @w, i32 8, i32 17, i32 100)
               call void @putint(i32 %e)
               %g = call i32 @f(ptr @w, i32 0, i32 17, i32 -1)
               call void @putint(i32 %g)
               ret i32 0
             }"
        .replace("label %better, label", "label %best, label")
        .replace("better:", "best:");
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        assert!(apply(&RESULT_TABLES, &mut module));
        let want = run(&before, 1 << 20);
        assert!(want.is_some());
        assert_eq!(run(&module, 1 << 20), want);
    }

    #[test]
    fn what_has_nothing_in_common_and_what_is_not_pure_stays() {
        let head = "%stop = icmp slt i32 %n, 2\n %x = add i32 %n, 0";
        for rest in [
            FIBONACCI.replace("%q = call i32 @f(i32 %b)", "%q = add i32 %b, 0"),
            FIBONACCI.replace("%b = add i32 %n, -2", "%b = mul i32 %n, 2"),
            FIBONACCI.replace("%y =", "call void @putint(i32 %p)\n%y ="),
            FIBONACCI.replace("%q = call i32 @f(i32 %b)", "%w = mul i32 %p, 2\n%q = call i32 @f(i32 %w)"),
            FIBONACCI
                .replace("%q = ", "br i1 %stop, label %l, label %r\nl:\n ret i32 %p\nr:\n %q = ")
                .replace("%p = call i32 @f(i32 %a)\n", "%p = add i32 %a, 0\n"),
        ] {
            leaves_alone(&RESULT_TABLES, &text("i32 %n", head, &rest, &["i32 5"]));
        }
        let adds = "%a = add i32 %n, -1
             %b = add i32 %n, -2
             %p = call i32 @f(i32 %b, i32 %m)
             %q = call i32 @f(i32 %a, i32 %p)
             ret i32 %q";
        leaves_alone(&RESULT_TABLES, &text("i32 %n, i32 %m", head, adds, &["i32 5, i32 9"]));
        let halves = "%s = add i32 %n, %m
             %h = sdiv i32 %s, 2
             %p = call i32 @f(i32 %n, i32 %h)
             %q = call i32 @f(i32 %h, i32 %m)
             %y = add i32 %p, %q
             ret i32 %y";
        leaves_alone(&RESULT_TABLES, &text("i32 %n, i32 %m", head, halves, &["i32 5, i32 9"]));
    }
}
