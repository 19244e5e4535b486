//! Several modules as one, as LLVM's `IRMover` does: names that are visible outside mean one thing, definitions take the
//! place of declarations, and what is visible only in its module keeps apart from what has the same name in others.
//!
//! Functions stand in the order of the modules, defined ones first, and of these the functions that debuggers are told of; globals
//! stand where their names are met first, addresses of functions behind all others.
//! Byte offsets in the sources become offsets in all sources one behind another (`Part::first`), so that a place says which
//! source it is in, through any inlining. O(globals and functions + operands).
//!
//! What contradicts (two definitions, types that differ) is returned: the caller, which has the sources, reports it.

use super::module::Alias;
use super::{
    Body, Effect, Env, Func, FuncId, Global, GlobalId, Inst, Linkage, Module, Op, Shape, Shapes, Type, Value,
    ValueKind,
};
use crate::base::{BitSet, Column, Handle, Name, Opt};

/// A module on its way in.
#[derive(Debug)]
pub struct Part {
    /// The module.
    pub module: Module,
    /// What is added to the byte offsets of its source.
    pub first: u32,
    /// Debuggers may be told of its functions.
    pub is_told: bool,
}

/// Modules as one.
#[derive(Debug)]
pub struct Linked {
    /// The module.
    pub module: Module,
    /// What contradicts, in the order of the parts.
    pub conflicts: Vec<Conflict>,
}

/// What two parts say of a name that cannot both be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The name.
    pub name: String,
    /// What they say.
    pub kind: Contradiction,
    /// The numbers of the parts; a definition comes first, as does an earlier part.
    pub parts: [usize; 2],
}

/// See `Conflict`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Contradiction {
    /// Both define it.
    Twice,
    /// It is a function in one, and data in the other.
    Kinds,
    /// They have it with different types.
    Types,
}

/// What a name is.
#[derive(Copy, Clone)]
enum Symbol {
    None,
    Func(FuncId),
    Global(GlobalId),
}

#[derive(Default)]
struct Linker {
    env: Env,
    bodies: Column<FuncId, Option<Body>>,
    symbols: Column<Name, Option<Symbol>>,
    /// The part whose row it is.
    func_part: Column<FuncId, u32>,
    global_part: Column<GlobalId, u32>,
    conflicts: Vec<Conflict>,
}

/// What the handles of a part are now.
struct Moved {
    /// None of what is declared and not used.
    funcs: Column<FuncId, Opt<FuncId>>,
    globals: Column<GlobalId, Opt<GlobalId>>,
    called: BitSet<FuncId>,
    first: u32,
}

impl Moved {
    fn of(part: &Part, kept: &[&str]) -> Moved {
        let env = &part.module.env;
        let mut called = BitSet::new(env.funcs.len());
        for (func, row) in env.funcs.iter().filter(|_| !kept.is_empty()) {
            if kept.contains(&env.names.text(row.name)) {
                called.insert(func);
            }
        }
        let routines = env.funcs.iter().filter_map(|(_, row)| row.personality.get());
        routines.for_each(|routine| _ = called.insert(routine));
        for f in part.module.defined() {
            f.ops().filter(|row| row.1 == Op::Call).for_each(|(i, _)| _ = called.insert(f.callee(i)));
        }
        let funcs = Column::filled(env.funcs.len(), Opt::NONE);
        Moved { funcs, globals: Column::filled(env.globals.len(), Opt::NONE), called, first: part.first }
    }
}

/// Links modules. Of what is only declared, what is called comes along, and what has a name that is kept: what calls it is made
/// later.
pub fn link(parts: Vec<Part>, kept: &[&str]) -> Linked {
    let mut l = Linker::default();
    let pointer = parts.iter().map(|part| part.module.env.shapes.bytes_of(Type::Ptr)).min();
    l.env.shapes = Shapes::with_pointers(pointer.unwrap_or(Type::Ptr.bytes()));
    // What is visible has its name before what is not gets one.
    for part in &parts {
        let env = &part.module.env;
        let funcs = env.funcs.iter().filter(|(_, row)| !is_own(row.linkage, row.kept) && !row.indirect);
        let globals =
            env.globals.iter().filter(|(_, row)| !is_own(row.linkage, row.kept) && row.func.is_none());
        let names = funcs.map(|(_, row)| row.name).chain(globals.map(|(_, row)| row.name));
        for name in names.chain(env.aliases.iter().map(|alias| alias.name)) {
            l.intern(env.names.text(name));
        }
    }
    let mut moved: Vec<Moved> = parts.iter().map(|part| Moved::of(part, kept)).collect();
    for is_told in [true, false] {
        for (number, part) in parts.iter().enumerate().filter(|row| row.1.is_told == is_told) {
            l.functions(number, part, &mut moved[number], true);
        }
    }
    for (number, part) in parts.iter().enumerate() {
        l.functions(number, part, &mut moved[number], false);
        l.data(number, &part.module.env, &mut moved[number]);
    }
    let modules: Vec<Module> = parts.into_iter().map(|part| part.module).collect();
    for (number, (module, moved)) in modules.iter().zip(&mut moved).enumerate() {
        l.addresses(&module.env, moved);
        l.personalities(number, &module.env, moved);
        l.images(number, &module.env, moved);
    }
    for (number, (module, moved)) in modules.into_iter().zip(&moved).enumerate() {
        let Module { env, bodies } = module;
        for body in bodies.into_vec().into_iter().flatten() {
            l.body(number, &env.shapes, body, moved);
        }
    }
    l.bodies.grow_to(l.env.funcs.len(), None);
    l.env.find_hot_of_all();
    Linked { module: Module { env: l.env, bodies: l.bodies }, conflicts: l.conflicts }
}

/// Makes what is defined visible in the module only, but for `entry`, where nothing else is to be linked with it. What lies in
/// a section of its own stays, since linkers find it there.
pub fn internalise(env: &mut Env, entry: &str) {
    let entry = env.names.find(entry);
    let is_defined = |linkage: Linkage| matches!(linkage, Linkage::External | Linkage::Weak);
    for row in env.funcs.as_mut_slice() {
        if is_defined(row.linkage) && !row.kept && Some(row.name) != entry && row.section.is_none() {
            row.linkage = Linkage::Internal;
        }
    }
    for row in env.globals.as_mut_slice() {
        if is_defined(row.linkage) && !row.kept && row.section.is_none() {
            (row.linkage, row.common) = (Linkage::Internal, false);
        }
    }
}

/// True of what no other module sees.
fn is_own(linkage: Linkage, kept: bool) -> bool {
    linkage == Linkage::Internal || kept
}

/// Which of two definitions counts; the larger one.
fn rank(linkage: Linkage, common: bool) -> u32 {
    match linkage {
        Linkage::Declared | Linkage::Internal => 0,
        Linkage::Weak if !common => 1,
        Linkage::Weak => 2,
        Linkage::External => 3,
    }
}

/// True if calls of one are calls of the other.
fn is_same_type(a: &Func, b: &Func) -> bool {
    let parts = |func: &Func| func.parts.clone().unwrap_or_default();
    (a.result, &a.params, a.variadic, a.returns_by, a.tail, a.builtin)
        == (b.result, &b.params, b.variadic, b.returns_by, b.tail, b.builtin)
        && parts(a) == parts(b)
}

impl Linker {
    fn intern(&mut self, text: &str) -> Name {
        let name = self.env.names.intern(text);
        self.symbols.grow_to(self.env.names.len(), None);
        self.symbols[name].get_or_insert(Symbol::None);
        name
    }

    /// A name that nothing has yet: this one, or with a number behind it.
    fn unique(&mut self, text: &str) -> Name {
        let is_free =
            |l: &Linker, text: &str| l.env.names.find(text).and_then(|name| *l.symbols.get(name)?).is_none();
        if is_free(self, text) {
            return self.intern(text);
        }
        let mut number = 1;
        while !is_free(self, &format!("{text}.{number}")) {
            number += 1;
        }
        self.intern(&format!("{text}.{number}"))
    }

    fn conflict(&mut self, name: Name, kind: Contradiction, parts: [usize; 2]) {
        let name = self.env.names.text(name).to_string();
        self.conflicts.push(Conflict { name, kind, parts });
    }

    /// Enters the functions of a part that are defined there, or the others.
    fn functions(&mut self, part: usize, Part { module, .. }: &Part, moved: &mut Moved, defined: bool) {
        let env = &module.env;
        for (func, row) in env.funcs.iter().filter(|(_, row)| (row.linkage != Linkage::Declared) == defined) {
            // An outline declares all of the library.
            if defined || row.indirect || row.address.is_some() || moved.called.contains(func) {
                moved.funcs[func] = self.func(part, env, row).into();
            }
        }
    }

    /// Enters the globals of a part, but for addresses of functions and what globals hold.
    fn data(&mut self, part: usize, env: &Env, moved: &mut Moved) {
        for (global, row) in env.globals.iter().filter(|(_, row)| row.func.is_none()) {
            moved.globals[global] = self.global(part, env, row).into();
        }
        for alias in &env.aliases {
            let name = self.intern(env.names.text(alias.name));
            if alias.func.is_none() && !matches!(self.symbols[name], Some(Symbol::None)) {
                self.conflict(name, Contradiction::Twice, [part, part]);
            }
        }
    }

    fn func(&mut self, part: usize, env: &Env, row: &Func) -> Option<FuncId> {
        let section = row.section.get().map(|name| self.env.names.intern(env.names.text(name)));
        self.symbols.grow_to(self.env.names.len(), None);
        let mut new = Func { address: Opt::NONE, section: section.into(), ..row.clone() };
        if row.indirect {
            let func = self.env.indirect(row.result, row.params.get(1..)?, row.variadic, row.returns_by);
            self.symbols.grow_to(self.env.names.len(), None);
            self.env.funcs[func].parts.clone_from(&row.parts);
            self.env.funcs[func].tail = row.tail;
            self.func_part.push(part as u32);
            return Some(func);
        }
        let text = env.names.text(row.name);
        if is_own(row.linkage, row.kept) {
            new.name = self.unique(text);
            return Some(self.push_func(part, new));
        }
        new.name = self.intern(text);
        match self.symbols[new.name] {
            Some(Symbol::Func(func)) => {
                let old = &mut self.env.funcs[func];
                let before = self.func_part[func] as usize;
                if !is_same_type(old, &new) {
                    self.conflict(new.name, Contradiction::Types, [before, part]);
                    return Some(func);
                }
                let scope = old.scope.with(new.scope);
                let (of_old, of_new) = (rank(old.linkage, false), rank(new.linkage, false));
                if of_old == 3 && of_new == 3 {
                    self.conflict(new.name, Contradiction::Twice, [before, part]);
                } else if of_new > of_old {
                    *old = new;
                    self.func_part[func] = part as u32;
                } else if of_new == 0 && of_old == 0 {
                    old.optional &= new.optional;
                    if old.effect != new.effect {
                        old.effect = old.effect.with(new.effect).with(Effect::ALL);
                    }
                }
                self.env.funcs[func].scope = scope;
                Some(func)
            }
            Some(Symbol::Global(global)) => {
                self.conflict(new.name, Contradiction::Kinds, [self.global_part[global] as usize, part]);
                None
            }
            _ => Some(self.push_func(part, new)),
        }
    }

    fn push_func(&mut self, part: usize, row: Func) -> FuncId {
        let name = row.name;
        let func = self.env.funcs.push(row);
        self.func_part.push(part as u32);
        self.symbols[name] = Some(Symbol::Func(func));
        func
    }

    fn global(&mut self, part: usize, env: &Env, row: &Global) -> Option<GlobalId> {
        let section = row.section.get().map(|name| self.env.names.intern(env.names.text(name)));
        self.symbols.grow_to(self.env.names.len(), None);
        let shape = self.env.shapes.like(&env.shapes, row.shape);
        let mut new = Global { shape, section: section.into(), ..row.clone() };
        let text = env.names.text(row.name);
        if is_own(row.linkage, row.kept) {
            new.name = self.unique(text);
            return Some(self.push_global(part, new));
        }
        new.name = self.intern(text);
        match self.symbols[new.name] {
            Some(Symbol::Global(global)) => {
                let (shapes, before) = (&self.env.shapes, self.global_part[global] as usize);
                let old = &mut self.env.globals[global];
                // An array of no length is one of which the length is not known.
                let is_same = [old.shape, shape].iter().any(|&shape| shapes.bytes(shape) == 0)
                    || shapes.is_same_type(old.shape, shape);
                if !is_same || old.thread != new.thread {
                    self.conflict(new.name, Contradiction::Types, [before, part]);
                    return Some(global);
                }
                let (of_old, of_new) = (rank(old.linkage, old.common), rank(new.linkage, new.common));
                let is_larger = of_old == 2 && of_new == 2 && shapes.bytes(shape) > shapes.bytes(old.shape);
                let constant = old.constant && new.constant;
                let (scope, model) = (old.scope.with(new.scope), old.model.max(new.model));
                if of_old == 3 && of_new == 3 {
                    self.conflict(new.name, Contradiction::Twice, [before, part]);
                } else if of_new > of_old || is_larger {
                    *old = new;
                    self.global_part[global] = part as u32;
                } else if of_new == 0 && of_old == 0 {
                    old.optional &= new.optional;
                }
                let row = &mut self.env.globals[global];
                (row.constant, row.scope, row.model) = (constant, scope, model);
                Some(global)
            }
            Some(Symbol::Func(func)) => {
                self.conflict(new.name, Contradiction::Kinds, [self.func_part[func] as usize, part]);
                None
            }
            _ => Some(self.push_global(part, new)),
        }
    }

    fn push_global(&mut self, part: usize, row: Global) -> GlobalId {
        let name = row.name;
        let global = self.env.globals.push(row);
        self.global_part.push(part as u32);
        self.symbols[name] = Some(Symbol::Global(global));
        global
    }

    /// Enters the addresses of functions of a part.
    fn addresses(&mut self, env: &Env, moved: &mut Moved) {
        for (global, row) in env.globals.iter() {
            if let Some(func) = row.func.get().and_then(|func| moved.funcs[func].get()) {
                moved.globals[global] = Opt::some(self.env.address_of(func));
            }
        }
    }

    /// Gives the personality routines of a part's functions the new handles.
    fn personalities(&mut self, part: usize, env: &Env, moved: &Moved) {
        self.env.unwinds |= env.unwinds;
        for (func, row) in env.funcs.iter() {
            if let (Some(routine), Some(func)) = (row.personality.get(), moved.funcs[func].get())
                && self.func_part[func] as usize == part
            {
                self.env.funcs[func].personality = moved.funcs[routine];
            }
        }
    }

    /// Gives addresses among what globals of a part hold, and its other names, the new handles.
    fn images(&mut self, part: usize, env: &Env, moved: &Moved) {
        for (_, &global) in moved.globals.iter() {
            let Some(global) = global.get() else { continue };
            let is_of_part = self.global_part.get(global).is_some_and(|&of| of as usize == part);
            if is_of_part {
                for address in &mut self.env.globals[global].image.addresses {
                    address.to = moved.globals[address.to].get().unwrap_or(address.to);
                }
            }
        }
        for alias in &env.aliases {
            let name = self.intern(env.names.text(alias.name));
            let of = moved.globals[alias.of].get();
            let func = alias.func.get().and_then(|func| moved.funcs[func].get()).into();
            self.env.aliases.extend(of.map(|of| Alias { name, of, func, ..*alias }));
        }
    }

    /// Enters a body, unless another definition of its function counts.
    fn body(&mut self, part: usize, shapes: &Shapes, mut f: Body, moved: &Moved) {
        let Some(func) = moved.funcs[f.func].get() else { return };
        if self.func_part[func] as usize != part || self.env.funcs[func].linkage == Linkage::Declared {
            return;
        }
        f.func = func;
        let global = |value: Value| match value.kind() {
            ValueKind::Global(global) => {
                moved.globals.get(global).and_then(|global| global.get()).map(Value::global)
            }
            _ => None,
        };
        for (value, _) in &mut f.variables {
            *value = global(*value).unwrap_or(*value);
        }
        for i in (0..f.inst_count()).map(Inst::new) {
            let payload = f.payload(i) as usize;
            match f.op(i) {
                Op::Alloca | Op::ElemAddr => {
                    f.set_payload(i, self.env.shapes.like(shapes, Shape::new(payload)).index() as u32);
                }
                Op::Call => {
                    let callee = moved.funcs.get(FuncId::new(payload)).and_then(|func| func.get());
                    f.set_payload(i, callee.map_or(payload, |func| func.index()) as u32);
                }
                _ => {}
            }
            for k in 0..f.args(i).len() {
                if let Some(now) = global(f.arg(i, k)) {
                    f.set_arg(i, k, now);
                }
            }
        }
        f.move_places(moved.first, |func| moved.funcs.get(func).and_then(|func| func.get()).unwrap_or(func));
        self.bodies.grow_to(func.index() + 1, None);
        self.bodies[func] = Some(f);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::{print, verify};

    /// Modules in text, linked; the text of what came of it, and what contradicts.
    fn linked(texts: &[&str]) -> (String, Vec<(String, Contradiction)>) {
        let mut first = 0;
        let part = |text: &&str| {
            let part = Part { module: parse(text).unwrap(), first, is_told: false };
            first += text.len() as u32;
            part
        };
        let Linked { module, conflicts } = link(texts.iter().map(part).collect(), &[]);
        verify::verify_module(&module).unwrap();
        let conflicts = conflicts.into_iter().map(|row| (row.name, row.kind)).collect();
        (print::module(&module), conflicts)
    }

    #[test]
    fn definitions_take_the_place_of_declarations_and_own_names_keep_apart() {
        let one = "@n = external global i32\n@own = internal global i32 1\n@keep = global ptr @f\n\
                   declare i32 @f(i32)\n\
                   define internal i32 @own2() {\n  %a = load i32, ptr @own\n  %b = call i32 @f(i32 %a)\n  ret i32 %b\n}\n\
                   define i32 @g() {\n  %a = load i32, ptr @n\n  %b = call i32 @own2()\n  %c = add i32 %a, %b\n  ret i32 %c\n}\n";
        let two = "@n = global i32 5\n@own = internal global [2 x i32] [i32 2, i32 3]\n@own2 = global i32 9\n\
                   declare void @unused()\n\
                   define i32 @f(i32 %x) {\n  %p = getelementptr [2 x i32], ptr @own, i32 0, i32 1\n  %a = load i32, ptr %p\n  \
                   %b = add i32 %a, %x\n  ret i32 %b\n}\n";
        let (text, conflicts) = linked(&[one, two]);
        assert_eq!(conflicts, []);
        for part in [
            "@n = global i32 5\n",
            "@own = internal global i32 1\n",
            "@own.1 = internal global [2 x i32] [i32 2, i32 3]\n",
            "@own2 = global i32 9\n",
            "@keep = global ptr @f\n",
            "define internal i32 @own2.1() {",
            "call i32 @own2.1()",
            "load i32, ptr @own\n",
            "ptr @own.1,",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("unused") && !text.contains("declare"), "{text}");
        // Read again, it is the same.
        assert_eq!(linked(&[&text]).0, text);
    }

    #[test]
    fn the_stronger_definition_counts_and_the_larger_one_of_common_ones() {
        let weak = "@c = common global [2 x i32] zeroinitializer\n@w = weak global i32 1\n\
                    define weak i32 @f() {\n  ret i32 1\n}\ndefine i32 @main() {\n  %a = call i32 @f()\n  ret i32 %a\n}\n";
        let strong = "@c = common global [2 x i32] zeroinitializer, align 64\n@w = global i32 2\ndefine i32 @f() {\n  ret i32 2\n}\n";
        for texts in [[weak, strong], [strong, weak]] {
            let (text, conflicts) = linked(&texts);
            assert_eq!(conflicts, []);
            assert!(
                text.contains("ret i32 2")
                    && !text.contains("ret i32 1")
                    && text.contains("@w = global i32 2"),
                "{text}"
            );
        }
        let (text, _) = linked(&[weak, weak]);
        assert_eq!(text.matches("define weak i32 @f").count(), 1, "{text}");
    }

    #[test]
    fn what_contradicts_is_told_once() {
        use Contradiction::{Kinds, Twice, Types};
        let one = "@a = global i32 1\n@t = global i32 1\ndefine i32 @f() {\n  ret i32 1\n}\ndefine i32 @g(i32 %x) {\n  ret i32 %x\n}\n";
        let two = "@a = global i32 2\n@f = global i32 1\n@t = external global float\ndeclare float @g(i32)\n\
                   define float @h() {\n  %a = load float, ptr @t\n  %b = call float @g(i32 1)\n  %c = fadd float %a, %b\n  ret float %c\n}\n";
        let parts = [one, two].map(|text| Part { module: parse(text).unwrap(), first: 0, is_told: false });
        let mut rows: Vec<(String, Contradiction)> =
            link(parts.into(), &[]).conflicts.into_iter().map(|row| (row.name, row.kind)).collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let want = [("a", Twice), ("f", Kinds), ("g", Types), ("t", Types)];
        assert_eq!(rows, want.map(|(name, kind)| (name.to_string(), kind)));
    }

    #[test]
    fn places_go_on_from_one_source_to_the_next() {
        let text = "define i32 @f(i32 %x) {\n  %a = add i32 %x, 1\n  ret i32 %a\n}\n";
        let other = text.replace("@f", "@g");
        let modules = [text, &other].map(|text| parse(text).unwrap());
        let places = |f: &Body| f.blocks().flat_map(|b| f.insts(b)).map(|i| f.loc(i)).collect::<Vec<u32>>();
        let before = places(modules[1].nth(0));
        let part = |module| Part { module, first: 1000, is_told: true };
        let linked = link(modules.into_iter().map(part).collect(), &[]);
        let moved: Vec<u32> = before.iter().map(|at| at + 1000).collect();
        assert!(!before.is_empty() && places(linked.module.nth(1)) == moved, "{before:?}");
    }

    #[test]
    fn what_nothing_else_is_linked_with_shows_its_entry_only() {
        let mut module = parse(
            "@n = global i32 1\n@s = global i32 1, section \"mine\"\n@c = common global i32 0\n\
             define i32 @f() {\n  ret i32 1\n}\ndefine i32 @main() {\n  ret i32 0\n}\ndeclare void @putint(i32)\n",
        )
        .unwrap();
        internalise(&mut module.env, "main");
        let text = print::module(&module);
        for part in
            ["@n = internal", "@s = global", "@c = internal", "define internal i32 @f", "define i32 @main"]
        {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
