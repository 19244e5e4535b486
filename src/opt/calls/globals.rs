//! What the whole program does with its globals: one that nothing writes is a constant, what is written to
//! one that nothing reads goes, and a scalar that only `main` names becomes a variable of it, if `main` runs
//! once. What is loaded from zeros is zero, wherever in them it is. Large zeros are not made a constant then:
//! files hold constants byte by byte, and variables that start as zeros not at all.
//!
//! Each body is looked at by itself: which globals it loads from and stores to, by an address that is seen to
//! lead there, and which it passes to whom. An address that is kept anywhere else counts as both, and one
//! whose origin is not seen may be that of any global. At the barrier that is added up over the functions
//! that stay, and bodies are changed when they are taken up again. Globals that are visible outside are left alone. O(instructions that are no arithmetic).

use crate::analysis::Effects;
use crate::analysis::effects::Region;
use crate::analysis::memory::{Base, base_of, read, written};
use crate::analysis::names::{Names, reached};
use crate::base::{Column, Handle};
use crate::ir::opcode::NUMBERS;
use crate::ir::{At, Body, Effect, Env, FuncId, GlobalId, Inst, Linkage, Op, Place, Shape, Type, Value};
use crate::opt::run::facts::{Fact, Facts, Local, Look, Sight};
use crate::opt::run::pass::{ModuleCx, ModulePass};
use crate::opt::run::renumber::Renumbering;

/// The pass.
pub static GLOBALS: ModulePass = ModulePass {
    name: "globals",
    description: "make constants, variables or nothing of globals, as the whole program uses them",
    looks: &[Look::at::<Uses>(), Look::at::<Names>()],
    run,
    apply: Some(apply),
    renumbers: false,
};

/// What is done with a global: it is loaded from, stored to, or its address goes elsewhere.
const READ: u8 = 1;
const WRITTEN: u8 = 2;
const KEPT: u8 = 4;

/// What a body does with globals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Uses {
    /// Once each, in order.
    touched: Vec<(GlobalId, u8)>,
    /// A function gets its address as one of its arguments.
    passed: Vec<(FuncId, u32, GlobalId)>,
    /// What is done with what may be any global.
    any: u8,
}

impl Sight for Uses {
    /// O(instructions).
    fn of(_: &Env, f: &Body) -> Uses {
        let mut uses = Uses::default();
        for (i, op) in f.ops().filter(|&(_, op)| !op.has(NUMBERS)) {
            match op {
                Op::ElemAddr | Op::Unreachable | Op::Br | Op::CondBr | Op::Param | Op::Alloca => {}
                Op::Load => uses.note(f, f.arg(i, 0), READ),
                Op::Call => {
                    let pointers = (0..).zip(f.args(i)).filter(|&(_, &v)| f.type_of(v) == Type::Ptr);
                    for (k, &v) in pointers {
                        match base_of(f, v) {
                            Base::Global(global) if f.ty(i) != Type::Ptr => {
                                uses.passed.push((f.callee(i), k, global));
                            }
                            _ => uses.note(f, v, READ | WRITTEN | KEPT),
                        }
                    }
                }
                _ => {
                    let (from, to) = (read(f, i), written(f, i));
                    for (address, way) in [(from, READ), (to, WRITTEN)] {
                        address.into_iter().for_each(|address| uses.note(f, address, way));
                    }
                    let others = f.args(i).iter().filter(|&&v| Some(v) != from && Some(v) != to);
                    for &v in others.filter(|&&v| f.type_of(v) == Type::Ptr) {
                        uses.note(f, v, READ | WRITTEN | KEPT);
                    }
                }
            }
        }
        uses.touched.sort_unstable();
        uses.touched.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            first.1 |= if is_same { next.1 } else { 0 };
            is_same
        });
        uses.passed.sort_unstable();
        uses.passed.dedup();
        uses
    }
}

impl Uses {
    /// The globals whose addresses it passes or keeps.
    pub(super) fn captured(&self) -> impl Iterator<Item = GlobalId> {
        let kept = self.touched.iter().filter(|row| row.1 & KEPT != 0).map(|row| row.0);
        kept.chain(self.passed.iter().map(|row| row.2))
    }

    fn note(&mut self, f: &Body, address: Value, way: u8) {
        const FEW: usize = 8;
        match base_of(f, address) {
            Base::Global(global) => {
                // Mostly it is one of the last.
                let old = self.touched.len().saturating_sub(FEW);
                match self.touched[old..].iter_mut().find(|(known, _)| *known == global) {
                    Some((_, ways)) => *ways |= way,
                    None => self.touched.push((global, way)),
                }
            }
            // Kept addresses were noted where they came from.
            Base::Unknown if way & KEPT == 0 => self.any |= way,
            _ => {}
        }
    }
}

/// Bytes of a constant that holds zeros only: a page.
const MOST_ZEROS: u64 = 4096;

/// What becomes of globals.
#[derive(Debug, Default)]
pub struct Fates {
    of: Column<GlobalId, Fate>,
}

impl Fates {
    fn of(&self, global: GlobalId) -> Fate {
        self.of.get(global).copied().unwrap_or(Fate::Stays)
    }
}

impl Fact for Fates {
    fn highest(&self) -> (Option<FuncId>, Option<GlobalId>) {
        (None, self.of.keys().last())
    }

    // What was decided has been done by then.
    fn renumber(&mut self, _: &Renumbering) -> bool {
        false
    }
}

/// What becomes of a global.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing.
    Stays,
    /// It is never written.
    Constant,
    /// Nothing writes it, but as a constant its zeros would fill the file.
    Zeros,
    /// What is written to it is not read.
    Unread,
    /// A variable of `main`.
    Variable,
}

fn run(cx: &mut ModuleCx) -> bool {
    if cx.env.globals.is_empty() {
        return false;
    }
    let fates = fates(cx);
    cx.facts.take::<Fates>();
    if fates.as_slice().iter().all(|&fate| fate == Fate::Stays) {
        return false;
    }
    for (global, row) in cx.env.globals.as_mut_slice().iter_mut().enumerate() {
        row.constant |= fates[GlobalId::new(global)] == Fate::Constant;
    }
    cx.facts.set(Fates { of: fates });
    true
}

/// Adds up what is done with each global.
fn fates(cx: &ModuleCx) -> Column<GlobalId, Fate> {
    let env = &*cx.env;
    let effects = cx.facts.get().unwrap_or(&crate::analysis::effects::UNKNOWN);
    let (funcs, _) = reached(env, &cx.names());
    let mut done: Column<GlobalId, u8> = Column::filled(env.globals.len(), 0);
    let mut elsewhere: Column<GlobalId, bool> = Column::filled(env.globals.len(), false);
    let main = run_once(cx, |func| funcs.contains(func));
    let mut any = 0;
    for f in cx.functions.iter().filter(|f| funcs.contains(f.func)) {
        let Some(uses) = f.local.as_ref().and_then(|local| local.get::<Uses>()) else {
            return Column::filled(env.globals.len(), Fate::Stays);
        };
        any |= uses.any;
        for &(global, way) in &uses.touched {
            done[global] |= way;
            elsewhere[global] |= Some(f.func) != main;
        }
        for &(callee, arg, global) in &uses.passed {
            done[global] |= passed_to(effects, callee, arg) | KEPT;
        }
    }
    // What has an address among its contents leads there.
    for (_, row) in env.globals.iter() {
        row.image.addresses.iter().for_each(|address| done[address.to] |= READ | WRITTEN | KEPT);
    }
    let mut fates = Column::filled(env.globals.len(), Fate::Stays);
    for (global, row) in env.globals.iter().filter(|(_, row)| row.linkage == Linkage::Internal) {
        let done = done[global] | any;
        let is_scalar = matches!(env.shapes.scalar_type(row.shape), Type::I32 | Type::F32)
            && env.shapes.depth(row.shape) == 0;
        fates[global] = match () {
            () if done & WRITTEN == 0
                && !row.constant
                && env.shapes.bytes(row.shape) > MOST_ZEROS
                && row.image.is_zero() =>
            {
                Fate::Zeros
            }
            () if done & WRITTEN == 0 && !row.constant => Fate::Constant,
            () if row.constant => Fate::Stays,
            () if done & (READ | KEPT) == 0 => Fate::Unread,
            () if main.is_some() && is_scalar && !elsewhere[global] && done & KEPT == 0 => Fate::Variable,
            () => Fate::Stays,
        };
    }
    fates
}

/// What a function does with what its argument points to.
fn passed_to(effects: &Effects, callee: FuncId, arg: u32) -> u8 {
    let has = |list: Option<&[Region]>| list.is_none_or(|list| list.contains(&Region::Arg(arg)));
    let way = |is_there, way| if is_there { way } else { 0 };
    way(has(effects.reads(callee)), READ) | way(has(effects.writes(callee)), WRITTEN)
}

/// `main`, if nothing calls it, neither here nor from outside.
fn run_once(cx: &ModuleCx, stays: impl Fn(FuncId) -> bool) -> Option<FuncId> {
    let name = cx.env.names.find("main")?;
    let main = cx.functions.iter().map(|f| f.func).find(|&func| cx.env.funcs[func].name == name)?;
    let calls_back = |func: FuncId| {
        let row = &cx.env.funcs[func];
        let is_open = matches!(row.linkage, Linkage::Declared | Linkage::Weak);
        func == main || is_open && row.effect.has(Effect::ANYWHERE)
    };
    let named = cx.names();
    let mut staying = cx.functions.iter().filter(|f| stays(f.func));
    let is_called =
        staying.any(|f| named[f.func].is_none_or(|names| names.funcs.iter().any(|&func| calls_back(func))));
    (!is_called && cx.env.funcs[main].linkage == Linkage::External).then_some(main)
}

/// Changes a body accordingly.
#[inline(never)]
fn apply(env: &Env, facts: &Facts, local: &Local, f: &mut Body) {
    let (Some(Uses { touched, .. }), Some(fates)) = (local.get::<Uses>(), facts.get::<Fates>()) else {
        return;
    };
    let fate = |global: GlobalId| fates.of(global);
    if touched.iter().all(|&(global, _)| fate(global) == Fate::Stays) {
        return;
    }
    let is_main = env.names.text(env.funcs[f.func].name) == "main";
    if is_main {
        make_variables(
            env,
            f,
            touched.iter().map(|row| row.0).filter(|&global| fate(global) == Fate::Variable),
        );
    }
    let rows: Vec<Inst> = f.ops().filter(|&(_, op)| !op.has(NUMBERS)).map(|(i, _)| i).collect();
    for i in rows {
        if f.op(i) == Op::Load
            && let Some(v) =
                zero_loaded(f, i, |global| fate(global) == Fate::Zeros).or_else(|| loaded(env, f, i))
        {
            f.replace(i, v);
        } else if let Some(address) = written(f, i)
            && let Base::Global(global) = base_of(f, address)
            && fate(global) == Fate::Unread
        {
            f.remove(i);
        }
    }
}

/// Makes globals, in rising order, variables of the only function that names them, which runs once. O(instructions): a look at
/// all of them for each global was 2,800 of 2,876 million instructions for a program of 2,000.
fn make_variables(env: &Env, f: &mut Body, globals: impl Iterator<Item = GlobalId>) {
    let Some(entry) = f.entry() else { return };
    let mut variables: Vec<(GlobalId, Value)> = Vec::new();
    for global in globals {
        let row = &env.globals[global];
        let alloca =
            f.insert(At::Start(entry), Op::Alloca, Type::Ptr, &[], row.shape.index() as u32, Place::NONE);
        let variable = Value::inst(alloca);
        let start = word(f, env.shapes.scalar_type(row.shape), row.image.get(0));
        let stored = [start.unwrap_or(Value::undef(Type::I32)), variable];
        f.insert(At::After(alloca), Op::Store, Type::Void, &stored, 0, Place::NONE);
        variables.push((global, variable));
    }
    if variables.is_empty() {
        return;
    }
    let variable = |v: Value| {
        let row = variables.binary_search_by_key(&v.as_global()?, |row| row.0).ok()?;
        Some(variables[row].1)
    };
    let uses: Vec<(Inst, usize, Value)> = f
        .ops()
        .flat_map(|(i, _)| (0..).zip(f.args(i)).map(move |(k, &v)| (i, k, v)))
        .filter_map(|(i, k, v)| Some((i, k, variable(v)?)))
        .collect();
    uses.into_iter().for_each(|(i, k, variable)| f.set_arg(i, k, variable));
}

fn word(f: &mut Body, ty: Type, word: u32) -> Option<Value> {
    match ty {
        Type::I32 => Some(f.int(word as i32)),
        Type::F32 => Some(f.f32(f32::from_bits(word))),
        _ => None,
    }
}

/// Steps of an address that are followed.
const MOST_STEPS: usize = 8;

/// What a load yields of memory that holds zeros only.
fn zero_loaded(f: &mut Body, load: Inst, has_zeros_only: impl Fn(GlobalId) -> bool) -> Option<Value> {
    let ty = f.ty(load);
    match base_of(f, f.arg(load, 0)) {
        Base::Global(global) if (ty.is_int() || ty.is_float()) && has_zeros_only(global) => Some(f.zero(ty)),
        _ => None,
    }
}

/// True if of a constant is known what it holds: what is declared has its image elsewhere, and of what is
/// weak there may be another.
fn is_known(env: &Env, global: GlobalId) -> bool {
    let row = &env.globals[global];
    row.constant && matches!(row.linkage, Linkage::Internal | Linkage::External)
}

/// What a load yields in any case: that of a known place in a constant, or of any place among zeros.
pub fn loaded(env: &Env, f: &mut Body, load: Inst) -> Option<Value> {
    let has_zeros_only = |global| is_known(env, global) && env.globals[global].image.is_zero();
    if let Some(v) = zero_loaded(f, load, has_zeros_only) {
        return Some(v);
    }
    let (ty, mut base, mut offset) = (f.ty(load), f.arg(load, 0), 0i64);
    for _ in 0..MOST_STEPS {
        let Some(i) = base.as_inst() else { break };
        if f.op(i) != Op::ElemAddr {
            return None;
        }
        let mut shape = Shape::new(f.payload(i) as usize);
        for &index in &f.args(i)[1..] {
            let (element, stride) = env.shapes.element_and_bytes(shape);
            let step = f.as_int(index)?.checked_mul(stride as i64)?;
            (shape, offset) = (element, offset.checked_add(step)?);
        }
        base = f.arg(i, 0);
    }
    let global = base.as_global()?;
    let row = &env.globals[global];
    let bytes = i64::from(env.shapes.bytes_of(ty)).max(1);
    let is_inside = offset >= 0 && offset % bytes == 0 && offset < env.shapes.bytes(row.shape) as i64;
    let is_plain = is_known(env, global) && row.image.addresses.is_empty();
    if !is_plain || env.shapes.scalar_type(row.shape) != ty || !is_inside {
        return None;
    }
    word(f, ty, row.image.get((offset / bytes) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::calls::drop_unused::DROP_UNUSED;
    use crate::opt::calls::effects::EFFECTS;
    use crate::opt::run::manager::{Options, Stage, Step, run_on_module};

    const PLAN: &[Step] = &[
        Step::Each(&[Stage::Make]),
        Step::Summary(&EFFECTS),
        Step::Each(&[]),
        Step::All(&GLOBALS),
        Step::All(&DROP_UNUSED),
    ];

    fn after(text: &str) -> String {
        let mut module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let options = Options { verify: true, ..Options::default() };
        run_on_module(&mut module, PLAN, &options, &Workers::new(2)).unwrap();
        print::module(&module)
    }

    const DECLARED: &str = "declare void @putint(i32) memory(inaccessiblemem: readwrite)
        declare void @putarray(i32, ptr) memory(argmem: read, inaccessiblemem: readwrite)
        declare void @getarray(ptr) memory(argmem: write, inaccessiblemem: readwrite)
        declare void @anything()\n";

    #[test]
    fn distances_of_addresses_are_no_numbers_yet() {
        let text = |first: &str| {
            format!(
                "@a = internal global i32 1
                 @t = internal constant [2 x i32] [i32 {first}, i32 5]
                 define i32 @main() {{
                   %x = load i32, ptr @t
                   %y = load i32, ptr getelementptr ([2 x i32], ptr @t, i64 0, i64 1)
                   %z = load i32, ptr @a
                   %s = add i32 %x, %y
                   %r = add i32 %s, %z
                   ret i32 %r
                 }}"
            )
        };
        let distance = "trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @t to i64)) to i32)";
        assert_eq!(after(&text("3")).matches("load").count(), 0);
        let have = after(&text(distance));
        assert_eq!(have.matches("load i32, ptr @t").count(), 1, "{have}");
        assert!(have.contains("@a = "), "{have}");
    }

    #[test]
    fn what_nothing_writes_is_what_it_was_at_the_start() {
        let have = after(&format!(
            "{DECLARED}@a = internal global [3 x i32] [i32 5, i32 6, i32 7]
             @f = internal global float 1.5
             @seen = global i32 3
             define float @g(i32 %x) {{
               %p = getelementptr [3 x i32], ptr @a, i32 0, i32 2
               %v = load i32, ptr %p
               %q = getelementptr [3 x i32], ptr @a, i32 0, i32 %x
               %w = load i32, ptr %q
               %s = load i32, ptr @seen
               call void @putarray(i32 %v, ptr @a)
               call void @putint(i32 %w)
               call void @putint(i32 %s)
               %r = load float, ptr @f
               ret float %r
             }}"
        ));
        assert!(have.contains("@a = internal constant") && have.contains("@putarray(i32 7"), "{have}");
        assert!(have.contains("@seen = global") && have.contains("ret float 0x3FF8"), "{have}");
        assert_eq!(have.matches("load").count(), 2, "{have}");
    }

    /// A page of zeros is a constant, and one element more stays a variable, which takes no room in a file.
    #[test]
    fn what_is_loaded_from_zeros_is_zero_and_large_ones_are_no_constant() {
        for (elements, kind) in [(1024, "constant"), (1025, "global"), (20_000_000, "global")] {
            let have = after(&format!(
                "{DECLARED}@a = internal global [{elements} x i32] zeroinitializer
                 define i32 @f(i32 %x) {{
                   %p = getelementptr [{elements} x i32], ptr @a, i32 0, i32 %x
                   %v = load i32, ptr %p
                   call void @putarray(i32 %x, ptr @a)
                   ret i32 %v
                 }}"
            ));
            assert!(have.contains("ret i32 0") && have.contains(&format!("@a = internal {kind}")), "{have}");
            let written = after(&format!(
                "{DECLARED}@a = internal global [{elements} x i32] zeroinitializer
                 define i32 @f(i32 %x) {{
                   %p = getelementptr [{elements} x i32], ptr @a, i32 0, i32 %x
                   store i32 %x, ptr %p
                   %v = load i32, ptr @a
                   ret i32 %v
                 }}"
            ));
            assert!(written.contains("ret i32 %"), "{written}");
        }
        // Of zeros that are declared elsewhere nothing is known.
        let have = after(
            "@a = external constant [9 x i32]
            define i32 @f(i32 %x) {
              %p = getelementptr [9 x i32], ptr @a, i32 0, i32 %x
              %v = load i32, ptr %p
              ret i32 %v
            }",
        );
        assert!(have.contains("ret i32 %"), "{have}");
    }

    #[test]
    fn what_may_be_written_is_no_constant() {
        for write in [
            "store i32 1, ptr @a",
            "call void @getarray(ptr @a)",
            "%p = getelementptr i32, ptr @a, i32 %x\n store i32 1, ptr %p",
            "%p = select i1 true, ptr @a, ptr %q\n store i32 1, ptr %p",
            "store ptr @a, ptr %q",
            "call void @writes(ptr @a)",
        ] {
            let have = after(&format!(
                "{DECLARED}@a = internal global [3 x i32] [i32 5, i32 6, i32 7]
                 define internal void @writes(ptr %p) {{
                   store i32 4, ptr %p
                   ret void
                 }}
                 define i32 @f(i32 %x, ptr %q) {{
                   {write}
                   %v = load i32, ptr @a
                   ret i32 %v
                 }}"
            ));
            assert!(have.contains("@a = internal global") && have.contains("ret i32 %"), "{have}");
        }
    }

    #[test]
    fn what_nothing_reads_is_not_written() {
        let text = |last: &str| {
            after(&format!(
                "{DECLARED}@a = internal global [3 x i32] [i32 5, i32 6, i32 7]
                 define void @f(i32 %x) {{
                   %p = getelementptr [3 x i32], ptr @a, i32 0, i32 %x
                   store i32 1, ptr %p
                   {last}
                   ret void
                 }}"
            ))
        };
        assert!(!text("").contains("store"));
        for last in ["%v = load i32, ptr @a", "call void @putarray(i32 3, ptr @a)"] {
            assert!(text(last).contains("store"), "{last}");
        }
    }

    #[test]
    fn what_only_main_names_is_a_variable_of_it_unless_it_may_be_called_again() {
        let text = |here: &str, there: &str| {
            after(&format!(
                "{DECLARED}@n = internal global i32 4
                 define i32 @main() {{
                   %v = load i32, ptr @n
                   %w = add i32 %v, 1
                   store i32 %w, ptr @n
                   {here}
                   ret i32 %w
                 }}
                 define i32 @other() {{
                   {there}
                   ret i32 0
                 }}"
            ))
        };
        let have = text("", "");
        assert!(have.contains("alloca i32") && have.contains("store i32 4"), "{have}");
        for here in ["call void @anything()", "call void @getarray(ptr @n)"] {
            assert!(!text(here, "").contains("alloca"), "{here}");
        }
        for there in ["%x = call i32 @main()", "%x = load i32, ptr @n"] {
            assert!(!text("", there).contains("alloca"), "{there}");
        }
    }

    #[test]
    fn what_is_declared_or_weak_has_no_known_image() {
        let text = "@there = external constant [2 x i32]
@weak = weak constant [2 x i32] [i32 1, i32 2]
@here = internal constant [2 x i32] [i32 3, i32 4]
define i32 @main() {
  %p = getelementptr [2 x i32], ptr @there, i64 0, i32 1
  %x = load i32, ptr %p
  %q = getelementptr [2 x i32], ptr @weak, i64 0, i32 1
  %y = load i32, ptr %q
  %r = getelementptr [2 x i32], ptr @here, i64 0, i32 1
  %z = load i32, ptr %r
  %s = add i32 %x, %y
  %t = add i32 %s, %z
  ret i32 %t
}
";
        let mut module = parse(text).unwrap();
        let f = module.nth_mut(0);
        let loads: Vec<Inst> = f.insts_from(0).filter(|&i| f.op(i) == Op::Load).collect();
        let env = module.env.clone();
        let f = module.nth_mut(0);
        let known: Vec<Option<i64>> =
            loads.iter().map(|&load| loaded(&env, f, load).and_then(|v| f.as_int(v))).collect();
        assert_eq!(known, [None, None, Some(4)]);
    }
}
