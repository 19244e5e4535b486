//! What all calls of a function have in common: an argument that is the same constant, or the same global,
//! everywhere is that in the body; an argument that is unused, or that only recursive calls pass on, is not computed;
//! nor is a result that no call uses. A call whose result is always the same constant, or one of its arguments,
//! is replaced by that in what uses it.
//!
//! Each body is looked at by itself; what it passes is added up at the barrier over the functions that stay, and
//! bodies are changed when they are taken up again.
//! Arguments of functions that are visible outside may be anything. O(arguments of calls + instructions).

use crate::analysis::call_ranges;
use crate::analysis::names::{Names, reached};
use crate::base::Column;
use crate::ir::opcode::PURE;
use crate::ir::{Body, Env, FuncId, GlobalId, Inst, Linkage, Op, Type, Value, ValueKind};
use crate::opt::calls::points_to::{self, Site};
use crate::opt::run::facts::{Fact, Facts, Local, Look, Sight};
use crate::opt::run::manager::Function;
use crate::opt::run::pass::{ModuleCx, ModulePass};
use crate::opt::run::renumber::Renumbering;

/// The pass.
pub static ARGUMENTS: ModulePass = ModulePass {
    name: "arguments",
    description: "make constants of arguments and results that are always the same",
    looks: &[Look::at::<Calls>(), Look::at::<Names>()],
    run,
    apply: Some(apply),
    renumbers: false,
};

/// A parameter and the instructions that compute the next one from it, which are looked at for each parameter.
const MOST_MADE: usize = 8;

/// A value that means the same in every body.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Int(i32),
    /// The bits of a float.
    Float(u32),
    Global(GlobalId),
    /// Of a result: the argument of this number.
    Arg(u32),
    Varies,
}

/// What a body passes and returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    /// What function gets what as which argument, once each; of a call of the body itself, not what it has
    /// got.
    passed: Vec<(FuncId, u32, What)>,
    /// Functions whose results it uses, once each.
    used: Vec<FuncId>,
    /// What it returns in any case.
    returned: Option<What>,
    /// Parameters that it has no use for, but to pass them, or what is made of them, on to itself.
    unused: Vec<u32>,
    /// The same as ranges, for the barrier `call_ranges`: one walk sees both.
    pub(super) ranges: call_ranges::Own,
    /// Its calls that pass pointers, for the barrier `points_to`.
    pub(super) sites: Vec<Site>,
}

fn what(f: &Body, v: Value) -> What {
    match v.kind() {
        ValueKind::Global(global) => What::Global(global),
        ValueKind::Inst(_) | ValueKind::Undef(_) | ValueKind::Request(_) => What::Varies,
        _ => match f.type_of(v) {
            Type::I32 => f.as_int(v).map_or(What::Varies, |x| What::Int(x as i32)),
            Type::F32 => f.as_f32(v).map_or(What::Varies, |x| What::Float(x.to_bits())),
            _ => What::Varies,
        },
    }
}

impl Sight for Calls {
    /// O(instructions + arguments of calls).
    fn of(env: &Env, f: &Body) -> Calls {
        let mut calls = Calls::default();
        let mut ranges = call_ranges::Look::new(env, f);
        // Its own parameters that it passes on to itself.
        let (mut own, mut calls_itself): (Vec<u32>, bool) = (Vec::new(), false);
        for (i, op) in f.ops() {
            match op {
                Op::Call => {
                    ranges.call(i);
                    points_to::look(env, f, i, &mut calls.sites);
                    let callee = f.callee(i);
                    calls_itself |= callee == f.func;
                    for (k, &v) in (0..).zip(f.args(i)) {
                        let is_same = callee == f.func && param_of(f, v) == Some(k);
                        if is_same {
                            own.push(k);
                        } else {
                            calls.passed.push((callee, k, what(f, v)));
                        }
                    }
                    if f.has_uses(i) {
                        calls.used.push(callee);
                    }
                }
                Op::Ret => {
                    ranges.ret(i);
                    let what = f.args(i).first().map_or(What::Varies, |&v| match param_of(f, v) {
                        Some(k) => What::Arg(k),
                        None => what(f, v),
                    });
                    let is_other = calls.returned.is_some_and(|before| before != what);
                    calls.returned = Some(if is_other { What::Varies } else { what });
                }
                _ => ranges.other(i),
            }
        }
        calls.passed.sort_unstable();
        calls.passed.dedup();
        calls.used.sort_unstable();
        calls.used.dedup();
        let passed_on = |k: u32| own.iter().filter(|&&own| own == k).count();
        let is_unused = |&(k, param): &(u32, Inst)| {
            f.use_count(param) == passed_on(k) || calls_itself && is_only_passed_on(f, k, param)
        };
        calls.unused.extend((0..).zip(f.params()).filter(is_unused).map(|(k, _)| k));
        calls.passed.shrink_to_fit();
        calls.used.shrink_to_fit();
        calls.sites.shrink_to_fit();
        calls.ranges = ranges.finish();
        calls
    }
}

/// True if a parameter is used for nothing but the same argument of recursive calls, through at most `MOST_MADE` instructions
/// without effects: a depth that is counted and not used.
fn is_only_passed_on(f: &Body, k: u32, param: Inst) -> bool {
    let mut made = [param; MOST_MADE];
    let (mut count, mut next) = (1, 0);
    while next < count {
        for u in f.uses(made[next]) {
            let op = f.op(u.user);
            let is_passed = op == Op::Call && f.callee(u.user) == f.func && u.operand == k;
            if is_passed || made[..count].contains(&u.user) {
                continue;
            }
            if !op.has(PURE) && op != Op::Phi || count == MOST_MADE {
                return false;
            }
            made[count] = u.user;
            count += 1;
        }
        next += 1;
    }
    true
}

fn param_of(f: &Body, v: Value) -> Option<u32> {
    v.as_inst().filter(|&i| f.op(i) == Op::Param).map(|i| f.payload(i))
}

/// What is known of a function's calls.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Per argument: what it is, and whether the body has a use for it.
    args: Vec<(Option<What>, bool)>,
    /// All calls are known.
    is_closed: bool,
    is_used: bool,
    returned: Option<What>,
}

/// What is known of the calls of all functions.
#[derive(Debug, Default)]
pub struct KnownCalls {
    of: Column<FuncId, Known>,
}

impl Fact for KnownCalls {
    /// O(arguments).
    fn highest(&self) -> (Option<FuncId>, Option<GlobalId>) {
        let all = self.of.as_slice().iter();
        let whats = all.flat_map(|of| of.args.iter().map(|arg| arg.0).chain([of.returned]));
        let global = |what| if let Some(What::Global(global)) = what { Some(global) } else { None };
        (self.of.keys().last(), whats.filter_map(global).max())
    }

    // What was decided has been done by then.
    fn renumber(&mut self, _: &Renumbering) -> bool {
        false
    }
}

impl Known {
    fn constant(&self, k: usize) -> Option<What> {
        self.args.get(k).filter(|_| self.is_closed).and_then(|arg| arg.0).filter(|&what| what != What::Varies)
    }

    /// True if it does not matter what the argument is.
    fn is_unused(&self, k: usize) -> bool {
        self.args.get(k).is_some_and(|arg| !arg.1)
    }
}

fn run(cx: &mut ModuleCx) -> bool {
    let known = known(cx);
    let has_some = |of: &Known| {
        let is_free = |k: usize| of.is_unused(k) || of.constant(k).is_some();
        of.is_closed && !of.is_used || of.returned.is_some() || (0..of.args.len()).any(is_free)
    };
    let changes = known.as_slice().iter().any(has_some);
    cx.facts.set(KnownCalls { of: known });
    changes
}

/// Adds up what the functions that stay pass to each other.
fn known(cx: &ModuleCx) -> Column<FuncId, Known> {
    let env = &*cx.env;
    let (funcs, _) = reached(env, &cx.names());
    let mut known: Column<FuncId, Known> = Column::filled(env.funcs.len(), Known::default());
    for f in &cx.functions {
        let (row, of) = (&env.funcs[f.func], &mut known[f.func]);
        let Some(calls) = seen(f).filter(|_| funcs.contains(f.func) && f.has_body()) else { continue };
        let is_used = |k: u32| !calls.unused.contains(&k);
        if row.linkage != Linkage::Weak && !row.variadic {
            of.args = (0..row.params.len() as u32).map(|k| (None, is_used(k))).collect();
            of.is_closed = row.is_closed();
            of.returned = calls.returned;
        }
        of.is_used = !row.is_closed();
    }
    for calls in cx.functions.iter().filter(|f| funcs.contains(f.func)).filter_map(|f| seen(f)) {
        for &(callee, k, what) in &calls.passed {
            if let Some(arg) = known[callee].args.get_mut(k as usize) {
                let is_other = arg.0.is_some_and(|before| before != what);
                arg.0 = Some(if is_other { What::Varies } else { what });
            }
        }
        calls.used.iter().for_each(|&callee| known[callee].is_used = true);
    }
    known
}

fn seen(f: &Function) -> Option<&Calls> {
    f.local.as_ref().and_then(|local| local.get())
}

fn value(f: &mut Body, what: What) -> Option<Value> {
    match what {
        What::Int(x) => Some(f.int(x)),
        What::Float(bits) => Some(f.f32(f32::from_bits(bits))),
        What::Global(global) => Some(Value::global(global)),
        What::Arg(_) | What::Varies => None,
    }
}

/// Changes a body accordingly.
#[inline(never)]
fn apply(env: &Env, facts: &Facts, _: &Local, f: &mut Body) {
    let Some(KnownCalls { of: known }) = facts.get() else { return };
    let Some(own) = known.get(f.func) else { return };
    let params: Vec<Inst> = f.params().collect();
    for (k, &param) in params.iter().enumerate() {
        let v = own.constant(k).and_then(|what| value(f, what));
        if let Some(v) = v.filter(|&v| f.has_uses(param) && f.type_of(v) == f.ty(param)) {
            f.replace_uses(param, v);
        }
    }
    let has_result = env.funcs[f.func].result != Type::Void;
    let calls: Vec<(Inst, Op)> = f.ops().filter(|&(_, op)| matches!(op, Op::Call | Op::Ret)).collect();
    for (i, op) in calls {
        if op == Op::Ret {
            let v = f.args(i).first().copied().filter(|_| has_result && own.is_closed && !own.is_used);
            if let Some(v) = v.filter(|v| !v.is_undef()) {
                f.set_arg(i, 0, Value::undef(f.type_of(v)));
            }
            continue;
        }
        let Some(of) = known.get(f.callee(i)) else { continue };
        let result = match of.returned {
            Some(What::Arg(k)) => f.args(i).get(k as usize).copied(),
            Some(what) => value(f, what),
            None => None,
        };
        if let Some(v) = result.filter(|&v| f.has_uses(i) && f.type_of(v) == f.ty(i)) {
            f.replace_uses(i, v);
        }
        for k in 0..f.args(i).len() {
            let v = f.arg(i, k);
            let ty = f.type_of(v);
            let is_free = of.is_unused(k) || of.constant(k).is_some();
            if is_free && ty != Type::Ptr && !v.is_undef() {
                f.set_arg(i, k, Value::undef(ty));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::calls::drop_unused::DROP_UNUSED;
    use crate::opt::run::manager::{Options, Stage, Step, run_on_module};

    const PLAN: &[Step] =
        &[Step::Each(&[Stage::Make]), Step::Each(&[]), Step::All(&ARGUMENTS), Step::All(&DROP_UNUSED)];

    fn after(text: &str) -> String {
        let mut module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let options = Options { verify: true, ..Options::default() };
        run_on_module(&mut module, PLAN, &options, &Workers::new(2)).unwrap();
        print::module(&module)
    }

    fn program(linkage: &str, first: &str, result: &str, used: &str) -> String {
        after(&format!(
            "@a = global [4 x i32] zeroinitializer
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define {linkage} i32 @f(ptr %p, i32 %k, i32 %n, i32 %m) {{
             entry:
               call void @putint(i32 %k)
               %x = load i32, ptr %p
               call void @putint(i32 %x)
               %c = icmp eq i32 %n, 0
               br i1 %c, label %exit, label %more
             more:
               %o = sub i32 %n, 1
               %y = call i32 @f(ptr %p, i32 %k, i32 %o, i32 %m)
               br label %exit
             exit:
               ret i32 {result}
             }}
             define internal i32 @unused(i32 %x) {{
               %v = call i32 @f(ptr @a, i32 8, i32 7, i32 6)
               ret i32 %v
             }}
             define i32 @main(i32 %x) {{
               %v = call i32 @f(ptr @a, i32 {first}, i32 7, i32 5)
               %w = call i32 @f(ptr @a, i32 3, i32 8, i32 %x)
               {used}
               ret i32 0
             }}"
        ))
    }

    #[test]
    fn what_all_calls_pass_is_a_constant_of_the_body_and_what_none_needs_is_not_passed() {
        let have = program("internal", "3", "%n", "");
        assert!(have.contains("@putint(i32 3)") && have.contains("load i32, ptr @a"), "{have}");
        assert_eq!(have.matches("@f(ptr @a, i32 undef, i32 7, i32 undef)").count(), 1, "{have}");
        assert_eq!(have.matches("@f(ptr @a, i32 undef, i32 8, i32 undef)").count(), 1, "{have}");
        assert!(have.contains("ret i32 undef"), "{have}");
    }

    #[test]
    fn what_is_only_made_to_be_passed_on_is_not_passed() {
        let text = |made: &str, passed: &str, result: &str| {
            after(&format!(
                "define internal i32 @f(i32 %n, i32 %q, i32 %m) {{
                 entry:
                   %c = icmp slt i32 %n, 1
                   br i1 %c, label %exit, label %more
                 more:
                   %o = sub i32 %n, 1
                   {made}
                   %y = call i32 @f({passed})
                   %z = add i32 %y, %n
                   br label %exit
                 exit:
                   %r = phi i32 [ {result}, %entry ], [ %z, %more ]
                   ret i32 %r
                 }}
                 define i32 @main(i32 %x) {{
                   %v = call i32 @f(i32 %x, i32 %x, i32 %x)
                   %w = call i32 @f(i32 8, i32 5, i32 6)
                   %s = add i32 %v, %w
                   ret i32 %s
                 }}"
            ))
        };
        let made = "%a = add i32 %q, 1\n%b = mul i32 %a, %q";
        let have = text(made, "i32 %o, i32 %b, i32 %m", "7");
        assert_eq!(have.matches("i32 undef, i32 undef").count(), 3, "{have}");
        // It is returned, or it is another argument.
        for (passed, result) in [("i32 %o, i32 %b, i32 %m", "%q"), ("i32 %b, i32 %a, i32 %m", "7")] {
            let have = text(made, passed, result);
            assert!(!have.contains("i32 undef, i32 undef"), "{have}");
        }
    }

    #[test]
    fn other_arguments_and_calls_from_outside_change_nothing() {
        let have = program("internal", "4", "%n", "");
        assert!(!have.contains("@putint(i32 3)") && have.contains("load i32, ptr @a"), "{have}");
        let have = program("", "3", "%n", "");
        assert!(!have.contains("@putint(i32 3)") && have.contains("ret i32 %p2"), "{have}");
        let have = program("weak", "3", "%n", "call void @putint(i32 %v)");
        assert!(have.contains("i32 3, i32 7, i32 5)") && have.contains("@putint(i32 %v0)"), "{have}");
    }

    #[test]
    fn results_that_are_known_are_taken_from_there() {
        for (result, used) in [("12", "i32 12"), ("%n", "i32 7"), ("%k", "i32 3")] {
            let have = program("internal", "3", result, "call void @putint(i32 %v)");
            assert!(have.split("@main").nth(1).unwrap().contains(used), "{have}");
        }
        let have = program("internal", "3", "%x", "call void @putint(i32 %v)");
        assert!(have.split("@main").nth(1).unwrap().contains("@putint(i32 %v0)"), "{have}");
    }

    #[test]
    fn what_recursion_changes_is_no_constant() {
        let have = after(
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define internal i32 @f(i32 %n) {
             entry:
               call void @putint(i32 %n)
               %c = icmp eq i32 %n, 0
               br i1 %c, label %exit, label %more
             more:
               %o = sub i32 %n, 1
               %y = call i32 @f(i32 %o)
               br label %exit
             exit:
               ret i32 0
             }
             define i32 @main() {
               %v = call i32 @f(i32 5)
               ret i32 0
             }",
        );
        assert!(have.contains("@putint(i32 %p0)"), "{have}");
    }
}
