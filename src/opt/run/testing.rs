//! What the tests of passes share.

use crate::analysis::TargetFacts;
use crate::base::parallel::Workers;
use crate::ir::interp;
use crate::ir::legal::{Rows, Vectors, rows};
use crate::ir::parse::parse;
use crate::ir::{Body, Func, Linkage, Module, Op, Size, Type, print};
use crate::opt::calls::effects::EFFECTS;
use crate::opt::run::manager::{self, Options, Stage, Step};
use crate::opt::run::pass::FuncPass;

/// A module of one function `i32 f(i32, i1)` without blocks.
pub(in crate::opt) fn module() -> Module {
    let mut module = Module::default();
    let name = module.env.names.intern("f");
    let params = vec![Type::I32, Type::I1];
    let func = Func::new(name, Type::I32, params, Linkage::External);
    let id = module.env.funcs.push(func);
    module.define(Body::new(id, &module.env.funcs[id]));
    module
}

/// A machine with registers, for passes that count them.
pub(in crate::opt) fn machine() -> TargetFacts {
    TargetFacts { word: 64, registers: [26, 30], offset: 2044, ..TargetFacts::default() }
}

/// All operations of four lanes, but for those that one kind of machines has.
static FOUR_LANES: Rows = {
    let mut table = rows(&[(Op::ALL, &[Type::I32x4, Type::F32x4, Type::I1x4])]);
    let few = [Op::MaskedStore, Op::ReduceFAdd, Op::SDiv, Op::UDiv, Op::SRem, Op::URem];
    let mut k = 0;
    while k < few.len() {
        table[few[k] as usize] = 0;
        k += 1;
    }
    table
};

/// Those, too, of up to sixteen lanes.
static SIXTEEN_LANES: Rows = {
    use Type::{F32x4, F32x8, F32x16, I1x4, I1x8, I1x16, I32x4, I32x8, I32x16};
    rows(&[(Op::ALL, &[I32x4, F32x4, I1x4, I32x8, F32x8, I1x8, I32x16, F32x16, I1x16, Type::I64])])
};

/// A machine with four lanes.
pub(in crate::opt) fn four_lanes() -> TargetFacts {
    TargetFacts { word: 64, vectors: Vectors::of(&FOUR_LANES), ..TargetFacts::default() }
}

/// A machine with up to sixteen lanes, masks, and lanes that lie as far apart as they like.
pub(in crate::opt) fn sixteen_lanes() -> TargetFacts {
    TargetFacts {
        word: 64,
        vectors: Vectors::of(&SIXTEEN_LANES),
        any_stride: true,
        masks: true,
        ..TargetFacts::default()
    }
}

/// Runs passes under verification; true if one changed something.
pub(in crate::opt) fn apply_all(passes: &[&'static FuncPass], module: &mut Module) -> bool {
    apply_for(TargetFacts::default(), passes, module)
}

/// The same, for a machine. What comes out has been packed and unpacked.
pub(in crate::opt) fn apply_for(
    target: TargetFacts,
    passes: &[&'static FuncPass],
    module: &mut Module,
) -> bool {
    apply_sized(Size::Any, target, passes, module)
}

/// The same, where the size of code may count.
pub(in crate::opt) fn apply_sized(
    size: Size,
    target: TargetFacts,
    passes: &[&'static FuncPass],
    module: &mut Module,
) -> bool {
    let passes: &'static [&'static FuncPass] = Box::leak(passes.to_vec().into_boxed_slice());
    let stages = Box::leak(Box::new([Stage::Passes(passes), Stage::Pack]));
    let plan = [Step::Each(&[Stage::Make]), Step::Summary(&EFFECTS), Step::Each(stages)];
    let options = Options { verify: true, size, target, ..Options::default() };
    let report = manager::run_on_module(module, &plan, &options, &Workers::new(1)).unwrap();
    report.rows.iter().any(|row| row.changed != 0)
}

/// Runs a pass under verification; true if it changed something.
pub(in crate::opt) fn apply(pass: &'static FuncPass, module: &mut Module) -> bool {
    apply_all(&[pass], module)
}

/// True if a pass says that it changes nothing, and changes nothing.
pub(in crate::opt) fn changes_nothing(pass: &'static FuncPass, module: &mut Module) -> bool {
    let before = print::module(module);
    !apply(pass, module) && print::module(module) == before
}

/// The text of a module with these functions, as it is printed.
fn printed(text: &str) -> String {
    print::module(&parse(text).unwrap_or_else(|error| panic!("{error}\n{text}")))
}

/// The pass turns `before` into `after`, and leaves that alone.
#[track_caller]
pub(in crate::opt) fn rewrites(pass: &'static FuncPass, before: &str, after: &str) {
    let mut module = parse(before).unwrap_or_else(|error| panic!("{error}\n{before}"));
    assert!(apply(pass, &mut module), "nothing changed");
    let have = print::module(&module);
    let want = printed(after);
    assert!(have == want, "have:\n{have}\nwant:\n{want}");
    assert!(changes_nothing(pass, &mut module), "not idempotent");
}

/// The pass does nothing to `text`.
#[track_caller]
pub(in crate::opt) fn leaves_alone(pass: &'static FuncPass, text: &str) {
    let mut module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let changed = !changes_nothing(pass, &mut module);
    assert!(!changed, "{}", print::module(&module));
}

/// A `main` that calls `@f` with each of these lists of integers.
pub(in crate::opt) fn main_calls<const N: usize>(lists: &[[i64; N]]) -> String {
    let call = |list: &[i64; N]| format!("call void @f({})\n", list.map(|x| format!("i32 {x}")).join(", "));
    let calls: String = lists.iter().map(call).collect();
    format!("define i32 @main() {{\n{calls}ret i32 0\n}}")
}

/// What a program prints, and its result, as the fast machine has it, whose code is proven; none if it does not
/// end.
pub(in crate::opt) fn run(module: &Module, input: &str) -> Option<(String, i32)> {
    run_with(module, input, interp::Options { steps: 1 << 20, verify: true, ..interp::Options::default() })
}

/// The same, as the checking machine has it.
pub(in crate::opt) fn run_checked(module: &Module, input: &str) -> Option<(String, i32)> {
    run_with(module, input, interp::Options { steps: 1 << 22, check: true, ..interp::Options::default() })
}

fn run_with(module: &Module, input: &str, options: interp::Options) -> Option<(String, i32)> {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let done = interp::run(module, "main", &mut input.as_bytes(), &mut output, &mut errors, options);
    if let Some(bug) = done.as_ref().err().filter(|trap| trap.is_bug) {
        panic!("{bug}\n{}", print::module(module));
    }
    Some((String::from_utf8(output).unwrap(), done.ok()?))
}
