//! Plans of all kinds of steps, and what is asked of passes on the way.

use super::*;
use crate::ir::parse::parse;
use crate::ir::{Inst, Op, Size};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::Outcome;
use crate::opt::run::pipeline::{Level, plan};
use std::fmt::Write;

fn program(functions: usize) -> Module {
    let mut text = String::new();
    for k in 0..functions {
        let _ = write!(
            text,
            "define i32 @f{k}(i32 %x) {{
               %p = alloca i32
               store i32 %x, ptr %p
               %a = load i32, ptr %p
               %b = add i32 %a, {k}
               %c = add i32 {k}, %a
               %d = mul i32 %b, %c
               ret i32 %d
             }}\n"
        );
    }
    parse(&text).unwrap()
}

fn optimise(module: &mut Module, options: &Options, jobs: usize) -> Result<Report, PassError> {
    run_on_module(module, plan(Level::O1), options, &Workers::new(jobs))
}

fn options(change: impl Fn(&mut Options)) -> Options {
    let mut options = Options { verify: true, ..Options::default() };
    change(&mut options);
    options
}

/// The text after the pipeline with these options.
fn result(change: impl Fn(&mut Options)) -> String {
    let mut module = program(3);
    optimise(&mut module, &options(change), 1).unwrap();
    print::module(&module)
}

#[test]
fn disabling_stopping_and_bisecting_leave_out_what_they_say() {
    let original = print::module(&program(3));
    assert_eq!(result(|o| o.disable = vec!["all".into()]), original);
    assert_eq!(result(|o| o.bisect = Some(0)), original);
    assert_eq!(result(|o| o.stop_after = Some("simplify_cfg".into())), original);
    let promoted = result(|o| o.stop_after = Some("mem2reg".into()));
    assert!(!promoted.contains("alloca") && promoted.contains("add i32 2, %p0"), "{promoted}");
    assert_eq!(result(|o| o.bisect = Some(1)), promoted);
    assert!(result(|o| o.disable = vec!["mem2reg".into(), "gvn".into()]).contains("alloca"));
    assert_eq!(result(|o| o.bisect = Some(100)), result(|_| ()));
}

#[test]
fn functions_of_which_the_size_counts_go_without_what_makes_them_larger() {
    static GROWS: FuncPass = FuncPass { grows: true, ..DAMAGED_BY_NONE };
    const DAMAGED_BY_NONE: FuncPass = FuncPass {
        name: "clears",
        description: "removes what has no uses",
        grows: false,
        needs: AnalysisSet::NONE,
        run: |cx| {
            let unused: Vec<Inst> =
                cx.f.ops()
                    .filter(|row| row.1 == Op::Add)
                    .map(|row| row.0)
                    .filter(|&i| !cx.f.has_uses(i))
                    .collect();
            unused.iter().for_each(|&i| cx.f.remove(i));
            Outcome::changed_if(!unused.is_empty(), AnalysisSet::CFG)
        },
    };
    static STAGES: [Stage; 1] = [Stage::Passes(&[&GROWS])];
    let plan = [Step::Each(&[Stage::Make]), Step::Each(&STAGES)];
    let text = |hints: &str| format!("define void @f(i32 %x) {hints} {{ %y = add i32 %x, 1 ret void }}");
    for (size, hints, left) in [
        (Size::Any, "", 0),
        (Size::Any, "optsize", 1),
        (Size::Any, "cold", 1),
        (Size::Small, "", 1),
        (Size::Smallest, "", 1),
    ] {
        let mut module = parse(&text(hints)).unwrap();
        let options = Options { size, ..Options::default() };
        run_on_module(&mut module, &plan, &options, &Workers::new(1)).unwrap();
        assert_eq!(print::module(&module).matches("add i32").count(), left, "{size:?} {hints}");
    }
}

#[test]
fn bisection_names_the_last_change_of_each_function() {
    let report = optimise(&mut program(2), &options(|o| o.bisect = Some(2)), 1).unwrap();
    assert_eq!(
        report.dump,
        "; bisect: change 2 of f0 is by simplify\n; bisect: change 2 of f1 is by simplify\n"
    );
}

#[test]
fn texts_and_code_are_the_same_for_any_number_of_workers() {
    let change = |o: &mut Options| {
        (o.print_before, o.print_after) = (vec!["gvn".into()], vec!["all".into()]);
    };
    let runs = [1, 2, 5].map(|jobs| {
        let mut module = program(40);
        let report = optimise(&mut module, &options(change), jobs).unwrap();
        (report.dump, print::module(&module))
    });
    assert!(
        runs[0].0.starts_with("; after simplify_cfg on f0\n") && runs[0].0.contains("; before gvn on f39")
    );
    assert!(runs[0] == runs[1] && runs[0] == runs[2]);
}

#[test]
fn the_report_has_a_row_for_each_pass() {
    let report = optimise(&mut program(4), &options(|o| o.time_report = true), 2).unwrap();
    let row = report.rows.iter().find(|row| row.name == "mem2reg").unwrap();
    assert_eq!((row.runs, row.changed, row.insts_in, row.insts_out), (4, 4, 28, 16));
}

static BREAKS_DOMINANCE: FuncPass = FuncPass {
    name: "breaks_dominance",
    description: "moves the first instruction to the end",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| {
        let b = cx.f.entry().unwrap();
        let first = cx.f.first(b).unwrap();
        cx.f.move_inst(first, crate::ir::At::BeforeTerminator(b));
        Outcome::changed(AnalysisSet::NONE)
    },
};

static BREAKS_ORDER: FuncPass = FuncPass {
    name: "breaks_order",
    description: "adds a block and says that it did not",
    grows: false,
    needs: AnalysisSet::DOMINATORS,
    run: |cx| {
        let b = cx.f.entry().unwrap();
        let first = cx.f.first(b).unwrap();
        cx.f.split_block(first);
        Outcome::changed(AnalysisSet::CFG)
    },
};

#[test]
fn a_pass_that_breaks_something_is_named_with_the_first_function() {
    let error = |pass: &'static FuncPass| {
        let passes: &'static [&'static FuncPass] = Box::leak(Box::new([pass]));
        let plan = [Step::Each(Box::leak(Box::new([Stage::Passes(passes)])))];
        run_on_module(&mut program(3), &plan, &options(|_| ()), &Workers::new(2)).unwrap_err()
    };
    let broken = error(&BREAKS_DOMINANCE);
    assert_eq!((broken.pass, broken.func.as_str()), ("breaks_dominance", "f0"));
    assert!(broken.message.contains("dominance"), "{broken}");
    assert!(error(&BREAKS_ORDER).message.contains("analysis `order`"));
}

#[test]
fn what_is_not_in_canonical_form_is_an_error_where_the_plan_says_it_is_and_no_pass_was_left_out() {
    let text = "define i32 @f() {\na:\n  br i1 true, label %b, label %c\nb:\n  ret i32 1\nc:\n  ret i32 2\n}";
    static PASSES: &[&FuncPass] = &[&crate::opt::flow::simplify_cfg::SIMPLIFY_CFG];
    static STAGES: &[Stage] = &[Stage::Passes(PASSES), Stage::Canonical];
    let plan = [Step::Each(STAGES)];
    let run = |plan: &[Step], change: &dyn Fn(&mut Options)| {
        let mut module = parse(text).unwrap();
        run_on_module(&mut module, plan, &options(change), &Workers::new(1)).map(|_| ())
    };
    assert_eq!(run(&plan, &|_| ()), Ok(()));
    let plan = [Step::Each(&[Stage::Passes(&[]), Stage::Canonical])];
    let error = run(&plan, &|_| ()).unwrap_err();
    assert_eq!((error.pass, error.func.as_str()), ("all passes", "f"));
    assert_eq!(run(&plan, &|o| o.verify = false), Ok(()));
    assert_eq!(run(&plan, &|o| o.disable = vec!["simplify_cfg".into()]), Ok(()));
}

static DAMAGES: ModulePass = ModulePass {
    name: "damages",
    description: "cuts the packed body of the second function",
    looks: &[],
    run: |cx| {
        let f = &mut *cx.functions[1];
        assert!(f.body.is_none() && f.has_body() && f.insts() == 7);
        if let Some(packed) = &mut f.packed {
            Arc::make_mut(packed).damage();
        }
        false
    },
    apply: None,
    renumbers: false,
};

#[test]
fn what_waits_is_packed_and_named_if_it_cannot_be_unpacked() {
    let run = |plan: &[Step]| {
        let mut module = program(3);
        let error = run_on_module(&mut module, plan, &Options::default(), &Workers::new(2)).err();
        (error.map(|error| (error.pass, error.func)), print::module(&module))
    };
    let packs = [Step::Each(&[Stage::Make, Stage::Pack]), Step::Each(&[Stage::Passes(&[]), Stage::Pack])];
    assert_eq!(run(&packs), (None, print::module(&program(3))));
    let damaged =
        [Step::Each(&[Stage::Make, Stage::Pack]), Step::All(&DAMAGES), Step::Each(&[Stage::Passes(&[])])];
    let (error, left) = run(&damaged);
    assert_eq!(error, Some(("unpack", "f1".to_string())));
    assert!(left.contains("define i32 @f0") && !left.contains("define i32 @f1"));
}

#[test]
fn windows_are_filled_once_in_order_and_hold_all_of_a_component() {
    let ends: Ends<Vec<Vec<usize>>, (), ()> = Ends {
        fill: |filled, _, units| filled.push(units.iter().map(|unit| unit.f.func.index()).collect()),
        make: |_, _, _, ()| {},
        code: |_, _, _, ()| {},
        named: |_| None,
        spare: |()| None,
        recycle: |(), _| {},
        grown: |_, _| {},
        renumber: |_, _, _| {},
        stopped: |_| false,
        failed: |_| false,
    };
    let options = Options::default();
    let fill = |ranks: [u32; 5], window: usize| {
        let order = [3, 4, 0, 2, 1];
        let mut env = program(5).env;
        let mut units: Vec<Unit<()>> = order.iter().map(|&k| Unit::new(FuncId::new(k), 10)).collect();
        units.iter_mut().zip(ranks).for_each(|(unit, rank)| unit.f.rank = rank);
        let mut filled = Vec::new();
        let how = How {
            options: &options,
            workers: &Workers::new(1),
            window: Some(window),
            packs_from: 0,
            keeps_bodies: false,
        };
        run(plan(Level::O2), &mut env, &mut units, (&mut filled, &ends), how).unwrap();
        assert!(units.is_sorted_by_key(|unit| unit.f.func));
        filled
    };
    assert_eq!(fill([0, 1, 2, 3, 4], 20), [vec![3, 4], vec![0, 2], vec![1]]);
    assert_eq!(fill([0, 1, 1, 1, 2], 20), [vec![3, 4, 0, 2], vec![1]]);
    assert_eq!(fill([0, 1, 1, 1, 1], 1), [vec![3], vec![4, 0, 2, 1]]);
    assert_eq!(fill([UNRANKED; 5], 30), [vec![3, 4, 0], vec![2, 1]]);
}

static DROPS_STORES: ModulePass = ModulePass {
    name: "drops_stores",
    description: "takes the last store out of each function, which summaries have seen",
    looks: &[],
    run: |cx| {
        for f in cx.functions.iter_mut().filter_map(|f| f.body.as_deref_mut()) {
            let store = f.ops().filter(|&(_, op)| op == Op::Store).map(|(i, _)| i).last();
            if let Some(store) = store {
                f.remove(store);
            }
        }
        true
    },
    apply: None,
    renumbers: false,
};

#[test]
fn a_summary_of_what_a_function_no_longer_is_is_named() {
    let text = "@a = global i32 0\ndefine void @f(i32 %x) {\n  store i32 %x, ptr @a\n  ret void\n}\n";
    let run = |pass: &'static ModulePass, verify: bool| {
        let plan = [
            Step::Each(&[Stage::Make]),
            Step::All(pass),
            Step::Summary(&crate::opt::calls::effects::EFFECTS),
        ];
        let mut module = parse(text).unwrap();
        let error =
            run_on_module(&mut module, &plan, &options(|o| o.verify = verify), &Workers::new(1)).err();
        error.map(|error| (error.pass, error.func))
    };
    assert_eq!(run(&DROPS_STORES, true), Some(("effects", "f".to_string())));
    assert_eq!(run(&DROPS_STORES, false), None);
    assert_eq!(run(&crate::opt::calls::drop_unused::DROP_UNCALLED, true), None);
}
