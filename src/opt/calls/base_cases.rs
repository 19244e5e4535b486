//! What a function that calls itself does where it returns at once is done where it is called, instead of the
//! call: half of the calls of a function that calls itself twice go, with what they save and restore.
//!
//! The function begins with tests of its parameters and of memory, each of which leads on one side to a return
//! within a few instructions. Tests and returns are copied in front of calls of itself; the call remains for
//! what is left. So that half of the calls are saved and not only the last one of many, there have to be two, or
//! one in a loop.
//!
//! Of calls in a loop for which all rounds test the same, as in `for (...) place(k + 1)`, there are no copies:
//! what these need would be computed in front of loops that are often short. (1.04 on permutations and queens.)
//!
//! One look at every opcode; O(copies) where there are such calls, at most `MOST_SITES` times `MOST`. This is
//! partial inlining: R. Muth and S. Debray, "Partial inlining" (1997).

use crate::analysis::conditions::compares;
use crate::base::Column;
use crate::base::graph::{Loop, Loops};
use crate::ir::opcode::PURE;
use crate::ir::{At, Block, Body, Edge, Inst, IntPred, Op, Type, Value};
use crate::opt::calls::has_jumps;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static BASE_CASES: FuncPass = FuncPass {
    name: "base_cases",
    description: "return at once where a function calls itself",
    grows: true,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// Calls of a function that get copies, and instructions of all copies.
const MOST_SITES: usize = 6;
const MOST_OF_ALL: usize = 32;
/// Instructions of a copy, and tests.
const MOST: usize = 24;
const MOST_TESTS: usize = 4;
/// Instructions that an argument is made of.
const MOST_DEPTH: usize = 4;
/// Blocks on the way to a return.
const MOST_BLOCKS: usize = 4;

/// What is copied, in order.
#[derive(Copy, Clone, Debug)]
enum Step {
    /// An instruction.
    Make(Inst),
    /// A phi is the same as a value.
    Is(Inst, Value),
    /// If the value is so, the steps up to a return come next, otherwise those behind that.
    Test(Value, bool),
    /// The function returns.
    Return(Option<Value>),
}

#[derive(Debug, Default)]
struct Scratch {
    steps: Vec<Step>,
    sites: Vec<Inst>,
    /// Per instruction of the original: what stands for it in the copy at hand.
    values: Column<Inst, Option<Value>>,
    /// Blocks that return, and what.
    results: Vec<(Block, Option<Value>)>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let this = cx.f.func;
    let is_own = |f: &Body, i: Inst| f.op(i) == Op::Call && f.callee(i) == this;
    if !cx.f.ops().any(|(i, op)| op == Op::Call && is_own(cx.f, i)) || has_jumps(cx.f) {
        return Outcome::UNCHANGED;
    }
    let f = &*cx.f;
    s.sites.clear();
    s.sites.extend(f.blocks().flat_map(|b| f.insts(b)).filter(|&i| is_own(f, i)));
    let row = &cx.env.funcs[this];
    let params = row.params.len();
    let fits = !row.variadic
        && s.sites.len() <= MOST_SITES
        && s.sites.iter().all(|&call| f.args(call).len() == params);
    if !fits || !s.find(f) || s.steps.len() * s.sites.len() > MOST_OF_ALL {
        return Outcome::UNCHANGED;
    }
    cx.require(AnalysisSet::LOOPS);
    let (f, loops) = (&*cx.f, &cx.analyses.loops);
    let home = |call: Inst| f.block_of(call).and_then(|b| loops.innermost[b].get());
    let tested: Vec<usize> = s.tested(f);
    let first = s.first_test(f);
    // A branch above the call may have tested the same.
    let is_decided = |call: Inst| {
        let (Some((pred, k, bound)), Some(b)) = (first, f.block_of(call)) else { return false };
        compares(f, &cx.analyses.dominators, b, (pred, f.arg(call, k), bound)).is_some()
    };
    let is_alone = s.sites.len() == 1;
    s.sites.retain(|&call| match home(call) {
        _ if is_decided(call) => false,
        Some(l) => tested.iter().any(|&k| varies(f, loops, l, f.arg(call, k), MOST_DEPTH)),
        None => !is_alone,
    });
    if s.sites.is_empty() {
        return Outcome::UNCHANGED;
    }
    // What is copied has other values of the same variables.
    cx.f.debug_values = None;
    for k in 0..s.sites.len() {
        s.copy(cx.f, s.sites[k]);
    }
    Outcome::changed(AnalysisSet::NONE)
}

/// True if a value may be another one in each round of a loop.
fn varies(f: &Body, loops: &Loops<Block>, l: Loop, v: Value, depth: usize) -> bool {
    let Some(i) = v.as_inst() else { return false };
    if f.block_of(i).is_none_or(|b| !loops.contains(l, b)) {
        return false;
    }
    let is_made = f.op(i).has(PURE) && f.op(i) != Op::Phi && depth != 0;
    !is_made || f.args(i).iter().any(|&v| varies(f, loops, l, v, depth - 1))
}

impl Scratch {
    /// The numbers of the parameters that tests look at.
    fn tested(&self, f: &Body) -> Vec<usize> {
        let mut wanted: Vec<Value> = Vec::new();
        for &step in self.steps.iter().rev() {
            match step {
                Step::Test(v, _) => wanted.push(v),
                Step::Make(i) if wanted.contains(&Value::inst(i)) => wanted.extend_from_slice(f.args(i)),
                Step::Is(phi, v) if wanted.contains(&Value::inst(phi)) => wanted.push(v),
                _ => {}
            }
        }
        let params = f.params().enumerate();
        params.filter(|&(_, param)| wanted.contains(&Value::inst(param))).map(|(k, _)| k).collect()
    }

    /// The first test, if it compares a parameter, of this number, with a constant.
    fn first_test(&self, f: &Body) -> Option<(IntPred, usize, Value)> {
        let test = self.steps.iter().find_map(|&step| match step {
            Step::Test(v, _) => v.as_inst(),
            _ => None,
        });
        let &[v, bound] = f.args(test.filter(|&i| f.op(i) == Op::ICmp)?) else { return None };
        let same = self.steps.iter().find_map(|&step| match step {
            Step::Is(phi, first) if v == Value::inst(phi) => Some(first),
            _ => None,
        });
        let v = same.unwrap_or(v);
        let k = f.params().position(|param| Value::inst(param) == v)?;
        let pred = IntPred::from_payload(f.payload(test?));
        f.as_int(bound).map(|_| (pred, k, bound))
    }

    /// Finds what is to be copied; false if there is nothing.
    fn find(&mut self, f: &Body) -> bool {
        self.steps.clear();
        let (mut tests, mut end) = (0, 0);
        let Some(mut b) = f.entry() else { return false };
        loop {
            // Nothing on the way to a test matters if the call is made after all.
            let is_harmless = |i: Inst| f.op(i).has(PURE) || f.op(i) == Op::Load;
            if !self.add(f, b, is_harmless) || tests == MOST_TESTS {
                break;
            }
            let Some(last) = f.terminator(b) else { break };
            let mut succs = f.succs(b);
            match (f.op(last), succs.next(), succs.next()) {
                (Op::Br, Some(e), _) => {
                    self.enter(f, e);
                    b = f.edge_to(e);
                }
                (Op::CondBr, Some(yes), Some(no)) => {
                    let at = self.steps.len();
                    self.steps.push(Step::Test(f.arg(last, 0), true));
                    let truth = [true, false].into_iter().find(|&truth| {
                        self.steps.truncate(at + 1);
                        self.returns(f, if truth { yes } else { no })
                    });
                    let Some(truth) = truth.filter(|_| self.steps.len() <= MOST) else { break };
                    self.steps[at] = Step::Test(f.arg(last, 0), truth);
                    (tests, end) = (tests + 1, self.steps.len());
                    let e = if truth { no } else { yes };
                    self.enter(f, e);
                    b = f.edge_to(e);
                }
                _ => break,
            }
            if self.steps.len() > MOST {
                break;
            }
        }
        self.steps.truncate(end);
        tests != 0
    }

    /// Adds the instructions of a block; false if there is one that may not be among them, or too many.
    fn add(&mut self, f: &Body, b: Block, may_be: impl Fn(Inst) -> bool) -> bool {
        for i in f.insts(b).filter(|&i| f.op(i) != Op::Phi && !f.op(i).is_terminator()) {
            if f.op(i) == Op::Alloca || !may_be(i) || self.steps.len() > MOST {
                return false;
            }
            self.steps.push(Step::Make(i));
        }
        true
    }

    /// Adds what phis are on an edge.
    fn enter(&mut self, f: &Body, e: Edge) {
        let slot = f.edge_slot(e);
        self.steps.extend(f.phis(f.edge_to(e)).map(|phi| Step::Is(phi, f.arg(phi, slot))));
    }

    /// Adds what leads from an edge to a return; false if that is too much.
    fn returns(&mut self, f: &Body, e: Edge) -> bool {
        let mut e = e;
        for _ in 0..MOST_BLOCKS {
            let b = f.edge_to(e);
            self.enter(f, e);
            // Memory of its own is for a frame of its own.
            let may_be = |i: Inst| {
                let op = f.op(i);
                op.has(PURE) || matches!(op, Op::Load | Op::Store) || op == Op::Call && f.callee(i) != f.func
            };
            let Some(last) = f.terminator(b).filter(|_| self.add(f, b, may_be)) else { return false };
            match (f.op(last), f.succs(b).next()) {
                (Op::Ret, _) => {
                    self.steps.push(Step::Return(f.args(last).first().copied()));
                    return true;
                }
                (Op::Br, Some(next)) => e = next,
                _ => return false,
            }
        }
        false
    }

    /// Copies the steps to the front of a call.
    fn copy(&mut self, f: &mut Body, call: Inst) {
        let Some(before) = f.block_of(call) else { return };
        let (place, ty) = (f.place(call), f.ty(call));
        let Some(after) = f.split_block(call) else { return };
        f.clear_terminator(before);
        let params: Vec<Inst> = f.params().collect();
        self.values.reset(f.inst_count(), None);
        for (k, &param) in params.iter().enumerate() {
            self.values[param] = Some(f.arg(call, k));
        }
        self.results.clear();
        // Where copies go, and where they go on behind a return.
        let (mut at, mut next) = (before, None);
        for k in 0..self.steps.len() {
            match self.steps[k] {
                Step::Is(phi, v) => self.values[phi] = Some(self.value(v)),
                Step::Make(i) => {
                    let args: Vec<Value> = f.args(i).iter().map(|&v| self.value(v)).collect();
                    let (op, of, payload) = (f.op(i), f.ty(i), f.payload(i));
                    let folded = if op.has(PURE) { f.fold(op, of, payload, &args) } else { None };
                    let v = folded.unwrap_or_else(|| {
                        let copy = f.insert(At::End(at), op, of, &args, payload, f.place(i));
                        f.set_access(copy, f.access(i));
                        Value::inst(copy)
                    });
                    self.values[i] = Some(v);
                }
                Step::Test(v, truth) => {
                    let condition = self.value(v);
                    let returns = f.create_block_after(at);
                    let goes_on = f.create_block_after(returns);
                    let (yes, no) = if truth { (returns, goes_on) } else { (goes_on, returns) };
                    f.set_cond_br(at, condition, yes, no, place);
                    (at, next) = (returns, Some(goes_on));
                }
                Step::Return(v) => {
                    self.results.push((at, v.map(|v| self.value(v))));
                    f.set_br(at, after, place);
                    at = next.unwrap_or(at);
                }
            }
        }
        // The call, and what comes of all ways.
        let has_result = ty != Type::Void && f.has_uses(call);
        let phi = has_result.then(|| f.insert_phi(after, ty, place));
        if let Some(phi) = phi {
            f.replace_uses(call, Value::inst(phi));
        }
        f.move_inst(call, At::End(at));
        f.set_br(at, after, place);
        self.results.push((at, Some(Value::inst(call))));
        for &(b, v) in &self.results {
            let slot = f.succs(b).next().map(|e| f.edge_slot(e));
            if let (Some(phi), Some(slot), Some(v)) = (phi, slot, v) {
                f.set_arg(phi, slot, v);
            }
        }
    }

    /// What stands for a value.
    fn value(&self, v: Value) -> Value {
        v.as_inst().and_then(|i| self.values.get(i).copied().flatten()).unwrap_or(v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply, leaves_alone, run};

    /// A function that returns at once if `test` is so, and otherwise does this.
    fn text(test: &str, base: &str, more: &str) -> String {
        format!(
            "@g = internal global i32 0
             @a = internal global [9 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define internal i32 @f(i32 %n, i32 %m) {{
             entry:
               {test}
               br i1 %c, label %base, label %more
             base:
               {base}
             more:
               {more}
             }}
             define i32 @main() {{
               %x = call i32 @f(i32 6, i32 3)
               %y = load i32, ptr @g
               %z = shl i32 %y, 5
               %r = add i32 %x, %z
               ret i32 %r
             }}"
        )
    }

    const LEAST: &str = "%c = icmp slt i32 %n, 1";
    const BASE: &str = "%v = load i32, ptr @g\n%w = add i32 %v, 1\nstore i32 %w, ptr @g
                        %t = mul i32 %m, 3\nret i32 %t";
    const TWICE: &str = "%o = add i32 %n, -1\n%p = add i32 %n, -2
                         %x = call i32 @f(i32 %o, i32 %m)\n%y = call i32 @f(i32 %p, i32 %x)
                         %z = sub i32 %x, %y\n%s = and i32 %z, 15\nret i32 %s";

    /// The function behind the pass, which changes nothing of what the program does.
    fn made(text: &str) -> String {
        let before = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut module = before.clone();
        assert!(apply(&BASE_CASES, &mut module), "{text}");
        assert!(run(&before, "").is_some() && run(&module, "") == run(&before, ""), "{text}");
        print::module(&module)
    }

    #[test]
    fn what_returns_at_once_is_done_in_front_of_calls() {
        let have = made(&text(LEAST, BASE, TWICE));
        assert!(have.matches("icmp slt").count() == 3 && have.matches("store").count() == 3, "{have}");
        assert!(have.matches("phi i32").count() == 2, "{have}");
        // It returns where the test fails, too, and by way of other blocks.
        let around = text(LEAST, BASE, TWICE)
            .replace("%c, label %base, label %more", "%c, label %more, label %way")
            .replace("icmp slt", "icmp sge")
            .replace("base:", "way:\n br label %base\nbase:\n %k = phi i32 [ %m, %way ]")
            .replace("mul i32 %m", "mul i32 %k");
        let have = made(&around);
        assert!(have.matches("icmp sge").count() == 3 && have.matches("store").count() == 3, "{have}");
    }

    #[test]
    fn several_tests_are_copied_and_what_they_load() {
        let more = format!(
            "%e = getelementptr inbounds [9 x i32], ptr @a, i32 0, i32 %n\n%l = load i32, ptr %e
             %d = icmp ne i32 %l, 0\nbr i1 %d, label %second, label %rest
             second:\n ret i32 %l
             rest:\n store i32 2, ptr %e\n {TWICE}"
        );
        let have = made(&text(LEAST, BASE, &more));
        let counts = ["icmp slt", "icmp ne", "load i32"].map(|text| have.matches(text).count());
        assert!(counts == [3, 3, 7], "{have}");
    }

    #[test]
    fn one_call_in_a_loop_is_enough_if_rounds_test_different_things() {
        let rounds = |argument: &str| {
            format!(
                "br label %head
                 head:
                   %i = phi i32 [ 0, %more ], [ %j, %head ]
                   %s = phi i32 [ 0, %more ], [ %t2, %head ]
                   %h = add i32 {argument}, -1
                   %x = call i32 @f(i32 %h, i32 %i)
                   %t2 = add i32 %s, %x
                   %j = add i32 %i, 1
                   %go = icmp slt i32 %j, %n
                   br i1 %go, label %head, label %out
                 out:
                   %q = and i32 %t2, 15
                   ret i32 %q"
            )
        };
        assert_eq!(made(&text(LEAST, BASE, &rounds("%i"))).matches("icmp slt").count(), 3);
        leaves_alone(&BASE_CASES, &text(LEAST, BASE, &rounds("%n")));
    }

    #[test]
    fn what_writes_first_returns_late_or_calls_itself_once_stays() {
        let once = "%o = add i32 %n, -1\n%x = call i32 @f(i32 %o, i32 %m)\n%s = srem i32 %x, 7\nret i32 %s";
        leaves_alone(&BASE_CASES, &text(LEAST, BASE, once));
        leaves_alone(
            &BASE_CASES,
            &text(LEAST, BASE, &TWICE.replace("i32 %o", "i32 %n").replace("i32 %p", "i32 %n")),
        );
        let print = format!("{LEAST}\ncall void @putint(i32 %n)");
        leaves_alone(&BASE_CASES, &text(&print, BASE, TWICE));
        leaves_alone(&BASE_CASES, &text(&format!("store i32 %n, ptr @g\n{LEAST}"), BASE, TWICE));
        leaves_alone(&BASE_CASES, &text(LEAST, &BASE.replace("ret i32 %t", "br label %more"), TWICE));
        let own = format!("%v2 = alloca [4 x i32]\n{BASE}");
        leaves_alone(&BASE_CASES, &text(LEAST, &own, TWICE));
        let long: String = (1..30).map(|k| format!("%v{k} = xor i32 %n, {k}\n")).collect();
        leaves_alone(&BASE_CASES, &text(LEAST, &format!("{long}{BASE}"), TWICE));
    }
}
