//! Tail recursion becomes a loop: a call of the function itself, after which it only returns what it got,
//! goes back to its beginning with other arguments.
//!
//! What is still done with the result may be int sums, differences and products: then two variables hold the
//! factor a and the summand b such that the outermost call returns a v + b where a call inside returns v.
//! `return n * f(n - 1)` multiplies a by n, `return f(n - 2) + x` adds a x to b, and every other return gives
//! a v + b. That is exact: sums and products that wrap are those of a ring. A function of which each return
//! gives the same constant may also return it after a call whose result nothing uses.
//!
//! Variables in memory would be shared by rounds that had their own. So a function with some is left alone,
//! unless they are only loaded from and stored to: then what an earlier round has stored, no later one may
//! read, since what it had itself was undefined.
//!
//! One look at every instruction; O(instructions) where there is recursion. (Steele, "Debunking the expensive
//! procedure call myth", 1977; accumulators: Arsac and Kodratoff, "Some techniques for recursion removal from
//! recursive functions", 1982.)

use crate::ir::opcode::{MAY_TRAP, PURE};
use crate::ir::{At, Block, Body, Env, Inst, Op, Sort, Type, Use, Value};
use crate::opt::calls::has_jumps;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static TAIL_CALLS: FuncPass = FuncPass {
    name: "tail_calls",
    description: "make loops of functions that end by calling themselves",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// A call to go.
#[derive(Copy, Clone, Debug)]
struct Site {
    call: Inst,
    block: Block,
    /// Where the sums and products with its result are in `Scratch::chain`.
    first: u32,
    end: u32,
}

#[derive(Debug, Default)]
struct Scratch {
    sites: Vec<Site>,
    /// What is done with results, site by site: an operation, and which operand comes from the call.
    chain: Vec<(Inst, usize)>,
    returns: Vec<Inst>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let f = &mut *cx.f;
    let this = f.func;
    if !f.ops().any(|(i, op)| op == Op::Call && f.callee(i) == this) {
        return Outcome::UNCHANGED;
    }
    if !s.find(f) {
        tell(f, &[], "something that is no sum or product of integers is done behind it");
        return Outcome::UNCHANGED;
    }
    let row = &cx.env.funcs[this];
    let (Some(entry), false) = (f.entry(), row.variadic) else { return Outcome::UNCHANGED };
    if s.sites.iter().any(|site| f.args(site.call).len() != row.params.len())
        || !frame_may_be_shared(cx.env, f, entry)
    {
        tell(f, &[], "each call needs arrays of its own");
        return Outcome::UNCHANGED;
    }
    if !s.chain.is_empty() && has_jumps(f) {
        tell(f, &[], "nothing may be computed behind `musttail` calls");
        return Outcome::UNCHANGED;
    }
    tell(f, &s.sites, "something that is no sum or product of integers is done behind it");
    s.rewrite(f, entry);
    Outcome::changed(AnalysisSet::NONE)
}

/// Says which calls of itself are a loop from now on, and why the others are not.
fn tell(f: &mut Body, sites: &[Site], why: &str) {
    if !f.is_told() {
        return;
    }
    let is_own = |f: &Body, i: Inst| f.op(i) == Op::Call && f.callee(i) == f.func;
    let calls: Vec<Inst> = f.ops().filter(|&(i, _)| is_own(f, i)).map(|(i, _)| i).collect();
    for call in calls {
        let is_gone = sites.iter().any(|site| site.call == call);
        let sort = if is_gone { Sort::Done } else { Sort::Missed };
        f.tell((sort, "tail_calls"), f.place(call), || match is_gone {
            true => "the function's call of itself is a jump to its start".to_string(),
            false => format!("the function's call of itself is not made a loop: {why}"),
        });
    }
}

/// True if variables in memory stand at the entry and are loaded from and stored to only, and nothing else needs a frame
/// for each call.
fn frame_may_be_shared(env: &Env, f: &Body, entry: Block) -> bool {
    let mut addresses: Vec<Inst> = Vec::new();
    for b in f.blocks() {
        if f.insts(b).any(|i| f.op(i) == Op::Call && env.funcs[f.callee(i)].keeps_frame()) {
            return false;
        }
        addresses.extend(f.insts(b).filter(|&i| f.op(i) == Op::Alloca));
        if b != entry && addresses.last().is_some_and(|&i| f.block_of(i) == Some(b)) {
            return false;
        }
    }
    while let Some(address) = addresses.pop() {
        for user in f.uses(address).map(|u| u.user) {
            match f.op(user) {
                Op::Load | Op::MemInit | Op::MemSet | Op::MemCopy => {}
                Op::Store if f.arg(user, 0) != Value::inst(address) => {}
                Op::ElemAddr if f.arg(user, 0) == Value::inst(address) => addresses.push(user),
                _ => return false,
            }
        }
    }
    true
}

/// True if it does not matter whether the instruction comes before or after a call.
fn is_movable(f: &Body, i: Inst) -> bool {
    let op = f.op(i);
    let is_safe = || f.args(i).get(1).and_then(|&by| f.as_int(by)).is_some_and(|by| by > 0);
    op.has(PURE) && (!op.has(MAY_TRAP) || is_safe())
}

/// What the function returns behind a block that only returns, or goes to one that does.
fn returned(f: &Body, b: Block) -> Option<Option<Value>> {
    let end = f.terminator(b)?;
    if f.op(end) == Op::Ret {
        return Some(f.args(end).first().copied());
    }
    let e = f.succs(b).next().filter(|_| f.op(end) == Op::Br)?;
    let last = f.edge_to(e);
    let end = f.terminator(last).filter(|&end| f.op(end) == Op::Ret)?;
    let at = f.phis(last).last().map_or(f.first(last), |phi| f.next(phi));
    if at != Some(end) {
        return None;
    }
    let v = f.args(end).first().copied();
    let phi = v.and_then(|v| v.as_inst()).filter(|&i| f.op(i) == Op::Phi && f.block_of(i) == Some(last));
    Some(phi.map_or(v, |phi| Some(f.arg(phi, f.edge_slot(e)))))
}

impl Scratch {
    /// Looks for calls that may go; true if there are some.
    fn find(&mut self, f: &Body) -> bool {
        self.sites.clear();
        self.chain.clear();
        self.returns.clear();
        let ends = f.blocks().filter_map(|b| f.terminator(b));
        self.returns.extend(ends.filter(|&end| f.op(end) == Op::Ret));
        let results = self.returns.iter().map(|&end| f.args(end).first().copied());
        let always = results.clone().next().flatten().filter(|v| v.is_constant());
        let always = always.filter(|&v| results.clone().all(|result| result == Some(v)));
        for block in f.blocks() {
            let Some(result) = returned(f, block) else { continue };
            let first = self.chain.len() as u32;
            if let Some(call) = self.last_call(f, block, result, always) {
                self.sites.push(Site { call, block, first, end: self.chain.len() as u32 });
            } else {
                self.chain.truncate(first as usize);
            }
        }
        !self.sites.is_empty()
    }

    /// The call at the end of a block whose result, with what is noted in `chain`, is `result`.
    fn last_call(
        &mut self,
        f: &Body,
        block: Block,
        result: Option<Value>,
        always: Option<Value>,
    ) -> Option<Inst> {
        let mut at = f.terminator(block).and_then(|end| f.prev(end));
        while let Some(i) = at.filter(|&i| is_movable(f, i)) {
            at = f.prev(i);
        }
        let call = at.filter(|&i| f.op(i) == Op::Call && f.callee(i) == f.func)?;
        if result.is_none() || result == always && !f.has_uses(call) {
            return Some(call);
        }
        let (mut at, block) = (call, Some(block));
        while result != Some(Value::inst(at)) || f.use_count(at) != 1 {
            let Use { user, operand } = f.single_use(at)?;
            if f.ty(user) != Type::I32 || !matches!(f.op(user), Op::Add | Op::Sub | Op::Mul) {
                return None;
            }
            if f.block_of(user) != block {
                return None;
            }
            self.chain.push((user, operand as usize));
            at = user;
        }
        Some(call)
    }

    fn rewrite(&self, f: &mut Body, entry: Block) {
        // The entry keeps the variables.
        let allocas: Vec<Inst> = f.insts(entry).filter(|&i| f.op(i) == Op::Alloca).collect();
        allocas.iter().rev().for_each(|&i| f.move_inst(i, At::Start(entry)));
        let first = f.insts(entry).find(|&i| f.op(i) != Op::Alloca);
        let Some(top) = first.and_then(|first| f.split_block(first)) else { return };
        let place = self.sites.first().map_or(crate::ir::Place::NONE, |site| f.place(site.call));
        // Parameters that are not the same in every round.
        let mut changing: Vec<(usize, Inst)> = Vec::new();
        for (k, param) in f.params().enumerate() {
            if self.sites.iter().any(|site| f.arg(site.call, k) != Value::inst(param)) {
                let phi = f.insert_phi(top, f.ty(param), place);
                f.replace_uses(param, Value::inst(phi));
                f.set_arg(phi, 0, Value::inst(param));
                changing.push((k, phi));
            }
        }
        let subtracts = |&(i, k): &(Inst, usize)| f.op(i) == Op::Sub && k == 1;
        let scales = self.chain.iter().any(|step| f.op(step.0) == Op::Mul || subtracts(step));
        let adds = self.chain.iter().any(|step| f.op(step.0) != Op::Mul);
        let [scale, sum] = [(scales, 1), (adds, 0)].map(|(is_there, start)| {
            let phi = is_there.then(|| f.insert_phi(top, Type::I32, place))?;
            let start = f.int(start);
            f.set_arg(phi, 0, start);
            Some(phi)
        });
        for site in &self.sites {
            let chain = &self.chain[site.first as usize..site.end as usize];
            let block = if site.block == entry { top } else { site.block };
            let (mut a, mut b) = (scale.map(Value::inst), sum.map(Value::inst));
            for &step in chain.iter().rev() {
                (a, b) = through(f, block, step, (a, b));
            }
            let args: Vec<Value> = changing.iter().map(|&(k, _)| f.arg(site.call, k)).collect();
            let place = f.place(site.call);
            let e = f.set_br(block, top, place);
            let slot = f.edge_slot(e);
            changing.iter().zip(args).for_each(|(&(_, phi), v)| f.set_arg(phi, slot, v));
            for (phi, v) in [(scale, a), (sum, b)] {
                if let (Some(phi), Some(v)) = (phi, v) {
                    f.set_arg(phi, slot, v);
                }
            }
            chain.iter().rev().for_each(|&(i, _)| f.remove(i));
            f.remove(site.call);
        }
        for &end in &self.returns {
            // Some have become branches, and some were returns after calls only.
            let Some(b) = f.block_of(end) else { continue };
            if f.preds(b).is_empty() && b != top {
                f.remove_blocks(&[b]);
            } else if let (Some(&v), true) = (f.args(end).first(), scales || adds) {
                let v = scale.map_or(v, |a| make(f, b, Op::Mul, Value::inst(a), v, end));
                let v = sum.map_or(v, |b_| make(f, b, Op::Add, Value::inst(b_), v, end));
                f.set_arg(end, 0, v);
            }
        }
    }
}

/// An instruction at the end of a block, at the place of another one.
fn make(f: &mut Body, b: Block, op: Op, x: Value, y: Value, like: Inst) -> Value {
    let place = f.place(like);
    Value::inst(f.insert(At::BeforeTerminator(b), op, Type::I32, &[x, y], 0, place))
}

/// The factor, if it is not 1, and the summand, if it is not 0, of an operand, where those of the result are
/// given: a (u + x) + b is a u + (b + a x), and so on.
fn through(
    f: &mut Body,
    block: Block,
    (i, operand): (Inst, usize),
    (a, b): (Option<Value>, Option<Value>),
) -> (Option<Value>, Option<Value>) {
    let (op, x) = (f.op(i), f.arg(i, 1 - operand));
    if op == Op::Mul {
        return (a.map(|a| make(f, block, Op::Mul, a, x, i)), b);
    }
    let x = a.map_or(x, |a| make(f, block, Op::Mul, a, x, i));
    let sign = if op == Op::Sub && operand == 0 { Op::Sub } else { Op::Add };
    let b = b.map(|b| make(f, block, sign, b, x, i));
    let zero = f.int(0);
    let is_taken = op == Op::Sub && operand == 1;
    (a.map(|a| if is_taken { make(f, block, Op::Sub, zero, a, i) } else { a }), b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::opt::run::testing::{apply, leaves_alone, rewrites, run};

    #[test]
    fn what_is_returned_as_it_is_goes_round_with_new_arguments() {
        rewrites(
            &TAIL_CALLS,
            "define i32 @gcd(i32 %a, i32 %b, i32 %c) {
             entry:
               %z = icmp eq i32 %b, 0
               br i1 %z, label %exit, label %more
             more:
               %r = srem i32 %a, %b
               %x = call i32 @gcd(i32 %b, i32 %r, i32 %c)
               br label %exit
             exit:
               %v = phi i32 [ %a, %entry ], [ %x, %more ]
               ret i32 %v
             }",
            "define i32 @gcd(i32 %a.0, i32 %b.0, i32 %c) {
             entry:
               br label %top
             top:
               %b = phi i32 [ %b.0, %entry ], [ %r, %more ]
               %a = phi i32 [ %a.0, %entry ], [ %b, %more ]
               %z = icmp eq i32 %b, 0
               br i1 %z, label %exit, label %more
             more:
               %r = srem i32 %a, %b
               br label %top
             exit:
               %v = phi i32 [ %a, %top ]
               ret i32 %v
             }",
        );
    }

    #[test]
    fn sums_and_products_with_the_result_are_made_on_the_way_there() {
        rewrites(
            &TAIL_CALLS,
            "define i32 @f(i32 %n) {
             entry:
               %z = icmp eq i32 %n, 0
               br i1 %z, label %exit, label %more
             more:
               %m = sub i32 %n, 1
               %x = call i32 @f(i32 %m)
               %k = xor i32 %n, 5
               %y = mul i32 %k, %x
               %s = sub i32 %n, %y
               ret i32 %s
             exit:
               ret i32 7
             }",
            "define i32 @f(i32 %n.0) {
             entry:
               br label %top
             top:
               %b = phi i32 [ 0, %entry ], [ %d, %more ]
               %a = phi i32 [ 1, %entry ], [ %e, %more ]
               %n = phi i32 [ %n.0, %entry ], [ %m, %more ]
               %z = icmp eq i32 %n, 0
               br i1 %z, label %exit, label %more
             more:
               %m = sub i32 %n, 1
               %k = xor i32 %n, 5
               %c = mul i32 %a, %n
               %d = add i32 %b, %c
               %g = sub i32 0, %a
               %e = mul i32 %g, %k
               br label %top
             exit:
               %p = mul i32 %a, 7
               %q = add i32 %b, %p
               ret i32 %q
             }",
        );
    }

    #[test]
    fn nothing_is_left_of_returns_behind_calls_only() {
        rewrites(
            &TAIL_CALLS,
            "declare void @putint(i32)
             define void @f(i32 %n) {
             entry:
               %a = alloca [4 x i32]
               %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %n
               store i32 %n, ptr %p
               call void @putint(i32 %n)
               %z = icmp eq i32 %n, 0
               br i1 %z, label %one, label %two
             one:
               call void @f(i32 3)
               br label %exit
             two:
               call void @f(i32 4)
               br label %exit
             exit:
               ret void
             }",
            "declare void @putint(i32)
             define void @f(i32 %n.0) {
             entry:
               %a = alloca [4 x i32]
               br label %top
             top:
               %n = phi i32 [ %n.0, %entry ], [ 3, %one ], [ 4, %two ]
               %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %n
               store i32 %n, ptr %p
               call void @putint(i32 %n)
               %z = icmp eq i32 %n, 0
               br i1 %z, label %one, label %two
             one:
               br label %top
             two:
               br label %top
             }",
        );
    }

    #[test]
    fn one_constant_is_returned_after_calls_whose_results_nothing_uses() {
        let text = |other: &str| {
            format!(
                "define i32 @f(i32 %n) {{
                 entry:
                   %z = icmp eq i32 %n, 0
                   br i1 %z, label %exit, label %more
                 more:
                   %m = sub i32 %n, 1
                   %x = call i32 @f(i32 %m)
                   ret i32 0
                 exit:
                   ret i32 {other}
                 }}"
            )
        };
        let after = text("0").replace("%n)", "%n.0)").replace("%x = call i32 @f(i32 %m)", "br label %top");
        let after = after.replacen("ret i32 0", "", 1).replace(
            "entry:",
            "entry:
               br label %top
             top:
               %n = phi i32 [ %n.0, %entry ], [ %m, %more ]",
        );
        rewrites(&TAIL_CALLS, &text("0"), &after);
        leaves_alone(&TAIL_CALLS, &text("1"));
    }

    #[test]
    fn what_comes_after_the_call_keeps_it() {
        let text = |allocas: &str, args: &str, after: &str| {
            format!(
                "@g = global i32 0
                 define i32 @f(i32 %n, ptr %p) {{
                 entry:
                   {allocas}
                   %z = icmp eq i32 %n, 0
                   br i1 %z, label %exit, label %more
                 more:
                   %x = call i32 @f({args})
                   {after}
                   ret i32 %y
                 exit:
                   ret i32 1
                 }}"
            )
        };
        let args = "i32 %n, ptr %p";
        for after in [
            "%y = load i32, ptr @g",
            "store i32 1, ptr @g\n%y = add i32 %x, 1",
            "%v = load i32, ptr @g\n%y = add i32 %x, %v",
            "%y = add i32 %x, %x",
            "%y = xor i32 %x, 1",
            "%y = sdiv i32 %x, %n",
            "%v = sdiv i32 %x, 3\n%y = add i32 %x, %v",
            "%y = add i32 1, 1",
        ] {
            leaves_alone(&TAIL_CALLS, &text("", args, after));
        }
        let (alloca, add) = ("%a = alloca [2 x i32]", "%y = add i32 %x, 1");
        leaves_alone(&TAIL_CALLS, &text(alloca, "i32 1, ptr %a", add));
        let kept = format!("{alloca}\nstore ptr %a, ptr @g");
        leaves_alone(&TAIL_CALLS, &text(&kept, args, add));
        // A return gives it back.
        let taken = "%a = alloca i32, i32 %n\nstore i32 1, ptr %a";
        leaves_alone(&TAIL_CALLS, &text(taken, args, add));
        leaves_alone(&TAIL_CALLS, &text(taken, args, "%y = add i32 %x, 0"));
    }

    #[test]
    fn what_returns_twice_comes_back_to_the_frame_of_its_call() {
        let text = |says: &str, first: &str, of: &str, more: &str| {
            format!(
                "declare i32 @sets() {says}
                 define i32 @f(i32 %n{more}) {{
                 entry:
                   {first}
                   %z = icmp eq i32 %n, 0
                   br i1 %z, label %exit, label %more
                 more:
                   %m = sub i32 %n, 1
                   %x = call i32 {of} @f(i32 %m)
                   ret i32 %x
                 exit:
                   ret i32 1
                 }}"
            )
        };
        let sets = "%s = call i32 @sets()";
        let goes = |text: &str| apply(&TAIL_CALLS, &mut parse(text).unwrap());
        assert!(goes(&text("", sets, "", "")));
        leaves_alone(&TAIL_CALLS, &text("returns_twice", sets, "", ""));
        assert!(goes(&text("returns_twice", "", "", "")));
        // Of variadic arguments each call has its own.
        leaves_alone(&TAIL_CALLS, &text("", sets, "(i32, ...)", ", ..."));
    }

    #[test]
    fn differences_with_the_result_on_the_left_are_made_on_the_way_there() {
        let mut module = parse(
            "define i32 @f(i32 %n) {
             entry:
               %z = icmp eq i32 %n, 0
               br i1 %z, label %exit, label %more
             more:
               %m = sub i32 %n, 1
               %x = call i32 @f(i32 %m)
               %s = sub i32 %x, %n
               ret i32 %s
             exit:
               ret i32 70
             }
             define i32 @main() {
               %r = call i32 @f(i32 4)
               ret i32 %r
             }",
        )
        .unwrap();
        assert!(apply(&TAIL_CALLS, &mut module));
        assert_eq!(run(&module, ""), Some((String::new(), 60)));
    }
}
