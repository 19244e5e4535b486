//! What pointer parameters lead to, over all calls (`ir/points_to`), and the globals whose addresses only accesses have: a
//! store through a parameter leaves alone what a loop is bounded by, and two arrays that are never the same one may change
//! places in a loop, or be read and written in vectors without asking.
//!
//! Each body is looked at by itself behind inlining: into what the pointers lead that a call passes. At the barrier functions
//! whose calls are all known begin with nothing, and calls add to them until nothing is new; what a function passes on of its
//! own parameters is what has been found of these. What is found is true of every run of the program as it is then, and passes
//! behind pass nothing to calls that was not passed before. No body is changed.
//! O(calls that pass pointers, each as often as its caller learns something: mostly once or twice).
//!
//! Like LLVM's inference of `noalias` arguments, with the objects of each; Andersen's analysis of assignments is not needed,
//! since SysY keeps no pointers in memory.

use crate::analysis::memory::{Base, base_of};
use crate::base::{Column, Worklist};
use crate::ir::points_to::MOST_PARAMS;
use crate::ir::{Body, Env, Func, FuncId, GlobalId, Inst, Linkage, PointsTo, Type};
use crate::opt::calls::arguments::Calls;
use crate::opt::calls::globals::Uses;
use crate::opt::run::facts::Look;
use crate::opt::run::pass::{ModuleCx, ModulePass};

/// The pass.
pub static POINTS_TO: ModulePass = ModulePass {
    name: "points_to",
    description: "find what pointer parameters lead to over all calls",
    looks: &[Look::at::<Calls>(), Look::at::<Uses>()],
    run,
    apply: None,
    renumbers: false,
};

/// A call that passes pointers: what is called, and into what each of them leads, by its number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Site {
    callee: FuncId,
    args: Vec<(u32, Base)>,
}

/// Adds a call, unless one of the last ones is like it.
pub(super) fn look(env: &Env, f: &Body, call: Inst, sites: &mut Vec<Site>) {
    const FEW: usize = 8;
    let callee = f.callee(call);
    if env.funcs[callee].linkage == Linkage::Declared {
        return;
    }
    let pointers = (0..MOST_PARAMS).zip(f.args(call)).filter(|&(_, &v)| f.type_of(v) == Type::Ptr);
    let args: Vec<(u32, Base)> = pointers.map(|(k, &v)| (k, base_of(f, v))).collect();
    let site = Site { callee, args };
    if !site.args.is_empty() && !sites[sites.len().saturating_sub(FEW)..].contains(&site) {
        sites.push(site);
    }
}

fn run(cx: &mut ModuleCx) -> bool {
    let env = &mut *cx.env;
    let mut of: Column<FuncId, Option<Box<PointsTo>>> = Column::filled(env.funcs.len(), None);
    let mut captured = Column::filled(env.globals.len(), false);
    let mut sites: Column<FuncId, &[Site]> = Column::filled(env.funcs.len(), &[]);
    let mut waiting = Worklist::new(env.funcs.len());
    for f in cx.functions.iter().filter(|f| env.funcs[f.func].linkage != Linkage::Declared) {
        let local = f.local.as_ref().map(|local| (local.get::<Calls>(), local.get::<Uses>()));
        let Some((Some(calls), Some(uses))) = local else { return false };
        uses.captured().for_each(|global| captured[global] = true);
        let row = &env.funcs[f.func];
        let is_known = row.is_closed() && !row.variadic;
        of[f.func] = (is_known && pointers(row).next().is_some()).then(Box::default);
        sites[f.func] = &calls.sites;
        if !calls.sites.is_empty() {
            waiting.push(f.func);
        }
    }
    // What was added last is taken first: callers, which come later in the source.
    while let Some(func) = waiting.pop() {
        let own = of[func].clone();
        for site in sites[func] {
            if let Some(all) = &mut of[site.callee]
                && add(all, &env.funcs[site.callee], own.as_deref(), &site.args)
            {
                waiting.push(site.callee);
            }
        }
    }
    let others = env.globals.iter().flat_map(|(_, row)| row.image.addresses.iter().map(|address| address.to));
    let others: Vec<GlobalId> = others.chain(env.aliases.iter().map(|alias| alias.of)).collect();
    others.into_iter().for_each(|global| captured[global] = true);
    let mut found = false;
    for (row, is_captured) in env.globals.as_mut_slice().iter_mut().zip(captured.as_slice()) {
        row.uncaptured = row.linkage == Linkage::Internal && !is_captured;
        found |= row.uncaptured;
    }
    for (row, of) in env.funcs.as_mut_slice().iter_mut().zip(of.into_vec()) {
        row.points_to = of;
        found |= row.points_to.is_some();
    }
    found
}

/// The pointers among the parameters that are told apart.
fn pointers(row: &Func) -> impl Iterator<Item = u32> {
    (0..MOST_PARAMS).zip(&row.params).filter(|&(_, &ty)| ty == Type::Ptr).map(|(k, _)| k)
}

/// Adds what a call passes to what is known of what it calls, where `own` is known of what it stands in; true if that is new.
fn add(all: &mut PointsTo, callee: &Func, own: Option<&PointsTo>, args: &[(u32, Base)]) -> bool {
    let mut is_new = false;
    // A call by other types than those of the definition.
    if !pointers(callee).eq(args.iter().map(|arg| arg.0)) {
        for k in pointers(callee) {
            is_new |= all.open(k);
            pointers(callee).for_each(|other| is_new |= all.meet(k, other));
        }
        return is_new;
    }
    for &(k, base) in args {
        is_new |= match (base, own) {
            (Base::Own(_), _) => false,
            (Base::Global(global), _) => all.lead_into(k, global),
            (Base::Param(from), Some(own)) if !own.is_open(from) => {
                own.globals_of(from).map(|global| all.lead_into(k, global)).fold(false, |a, b| a | b)
            }
            (Base::Param(_) | Base::Unknown, _) => all.open(k),
        };
    }
    let may_meet = |a: Base, b: Base| match (a, b, own) {
        (Base::Own(a), Base::Own(b), _) => a == b,
        (Base::Own(_), Base::Global(_) | Base::Param(_), _) => false,
        (Base::Global(_) | Base::Param(_), Base::Own(_), _) => false,
        (Base::Global(a), Base::Global(b), _) => a == b,
        (Base::Global(global), Base::Param(k), Some(own)) => own.may_lead_into(k, global),
        (Base::Param(k), Base::Global(global), Some(own)) => own.may_lead_into(k, global),
        (Base::Param(a), Base::Param(b), Some(own)) => own.may_meet(a, b),
        _ => true,
    };
    for (at, &(k, a)) in args.iter().enumerate() {
        for &(other, b) in &args[at + 1..] {
            is_new |= may_meet(a, b) && all.meet(k, other);
        }
    }
    is_new
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Handle;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::{Module, Op, print};
    use crate::opt::calls::arguments::ARGUMENTS;
    use crate::opt::calls::globals::GLOBALS;
    use crate::opt::loops::licm::LICM;
    use crate::opt::run::manager::{Options, Stage, Step, run_on_module};

    const PLAN: &[Step] = &[
        Step::Each(&[Stage::Make]),
        Step::Each(&[Stage::Pack]),
        Step::All(&GLOBALS),
        Step::All(&ARGUMENTS),
        Step::All(&POINTS_TO),
        Step::Each(&[Stage::Passes(&[&LICM])]),
    ];

    /// Three arrays and a number; `g`, which fills and reads what `f` passes on, and `main` with these lines.
    fn after(linkage: &str, lines: &str) -> Module {
        let text = format!(
            "@a = internal global [9 x i32] zeroinitializer
             @b = internal global [9 x i32] zeroinitializer
             @c = internal global [9 x i32] zeroinitializer
             @n = internal global i32 0
             declare void @getarray(ptr) memory(argmem: write, inaccessiblemem: readwrite)
             declare i32 @getint() memory(inaccessiblemem: readwrite)
             define internal i32 @g(ptr %p, ptr %q) {{
             entry:
               br label %round
             round:
               %i = phi i32 [ 0, %entry ], [ %j, %round ]
               %x = load i32, ptr %q
               %k = load i32, ptr @n
               %to = getelementptr i32, ptr %p, i32 %i
               store i32 %x, ptr %to
               %j = add i32 %i, 1
               %again = icmp slt i32 %j, %k
               br i1 %again, label %round, label %exit
             exit:
               ret i32 %x
             }}
             define {linkage} i32 @f(ptr %p, ptr %q) {{
               %x = call i32 @g(ptr %p, ptr %q)
               %row = getelementptr i32, ptr %q, i32 3
               %y = call i32 @g(ptr %row, ptr %p)
               %z = add i32 %x, %y
               ret i32 %z
             }}
             define i32 @main() {{
               %mine = alloca [9 x i32]
               %m = call i32 @getint()
               store i32 %m, ptr @n
               call void @getarray(ptr @a)
               {lines}
               ret i32 0
             }}"
        );
        let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let options = Options { verify: true, ..Options::default() };
        run_on_module(&mut module, PLAN, &options, &Workers::new(2)).unwrap();
        module
    }

    /// The globals of both parameters of `g`, whether they may meet, and how many loads its loop has left.
    fn of(module: &Module) -> (Option<[Vec<usize>; 2]>, bool, usize) {
        let g =
            module.defined().find(|f| module.env.names.text(module.env.funcs[f.func].name) == "g").unwrap();
        let of = module.env.funcs[g.func].points_to.as_ref().unwrap();
        let globals = |k: u32| {
            let mut all: Vec<usize> = of.globals_of(k).map(|global| global.index()).collect();
            all.sort_unstable();
            all
        };
        let round = g.blocks().find(|&b| g.insts(b).any(|i| g.op(i) == Op::Store)).unwrap();
        let loads = g.insts(round).filter(|&i| g.op(i) == Op::Load).count();
        let known = !of.is_open(0) && !of.is_open(1);
        (known.then(|| [globals(0), globals(1)]), of.may_meet(0, 1), loads)
    }

    #[test]
    fn arrays_that_are_never_the_same_one_are_apart() {
        let twice = "%x = call i32 @f(ptr @a, ptr @b)\n%y = call i32 @f(ptr @b, ptr @c)";
        assert_eq!(of(&after("internal", twice)), (Some([vec![0, 1, 2], vec![0, 1, 2]]), false, 0));
        let own = "%x = call i32 @f(ptr @a, ptr %mine)\n%y = call i32 @f(ptr %mine, ptr @c)";
        assert_eq!(of(&after("internal", own)), (Some([vec![0, 2], vec![0, 2]]), false, 0));
    }

    #[test]
    fn arrays_that_may_be_the_same_one_are_not() {
        let same = "%x = call i32 @f(ptr @a, ptr @b)\n%y = call i32 @f(ptr @c, ptr @c)";
        // The number stays apart from both.
        assert_eq!(of(&after("internal", same)), (Some([vec![0, 1, 2], vec![0, 1, 2]]), true, 1));
        let rows = "%row = getelementptr i32, ptr %mine, i32 2\n%x = call i32 @f(ptr %row, ptr %mine)";
        assert_eq!(of(&after("internal", rows)), (Some([vec![], vec![]]), true, 1));
    }

    #[test]
    fn what_is_called_from_elsewhere_may_get_anything_but_what_only_accesses_name() {
        let lines = "%x = call i32 @f(ptr @a, ptr @b)";
        assert_eq!(of(&after("", lines)), (None, true, 1));
        let passed = "%x = call i32 @f(ptr @a, ptr @b)\ncall void @getarray(ptr @n)";
        let module = after("", passed);
        assert_eq!(of(&module), (None, true, 2), "{}", print::module(&module));
        let first = "%p = call ptr @llvm.stacksave()\n%x = call i32 @f(ptr %p, ptr @b)";
        assert_eq!(of(&after("internal", first)), (None, true, 1));
    }
}
