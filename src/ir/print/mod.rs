//! A module as text: LLVM IR with opaque pointers (LLVM 15 and later), which `llvm-as` accepts and `parse`
//! reads back.
//!
//! Order: globals, declarations, definitions, and the declarations of the memory intrinsics that were used.
//! Parameters are `%p0`, `%p1`, ...; results `%v0`, ... and blocks `b0`, ... are numbered in layout order as
//! they are printed, and phi operands stand in the order of their predecessors' numbers, so equal code prints
//! as equal text whatever its handles are, and printing what was parsed gives the text that was read. Linear.
//!
//! What does not come out as itself: source locations are printed only as metadata of a caller's (`metadata`); a phi without
//! operands (its block cannot be reached) is not printed, and its uses are `undef`; a global that a body has requested is printed
//! as an internal global `.request.FUNCTION.K`. LLVM's `undef` may differ from use to use where ours may not.

mod builtin;
mod image;
mod intrinsics;
pub mod metadata;
mod parts;
#[cfg(test)]
mod tests;

use super::module::{Func, FuncId, Linkage, Module};
use super::opcode::{Arg, Form};
use super::position::{Position, RelocationModel, Scope, ThreadModel};
use super::types::{Shape, Shapes, Type};
use super::value::{Value, ValueKind};
use super::{Block, Body, Builtin, Env, Flags, FloatPred, Inst, IntPred, Op};
use crate::base::history::{Lines, NO_PLACE};
use crate::base::{Column, Handle, Name};
pub(super) use builtin::PAIR;
use intrinsics::{Used, declaration, every_lane, function_name, function_of, lanes};
use metadata::{BodyMetadata, Metadata};
use std::fmt::Write;

/// The text of a module.
pub fn module(module: &Module) -> String {
    with_metadata(module, None)
}

/// The same with what debuggers are told of it.
pub fn with_metadata(module: &Module, metadata: Option<&Metadata>) -> String {
    let env = &module.env;
    let mut out = String::new();
    for (id, global) in env.globals.iter().filter(|(_, global)| global.func.is_none()) {
        out.push('@');
        name(&mut out, env.names.text(global.name));
        let linked = match global.linkage {
            Linkage::Declared if global.optional => "extern_weak ",
            Linkage::Declared => "external ",
            _ if global.kept => "internal ",
            _ if global.common => "common ",
            other => linkage(other),
        };
        _ = write!(out, " = {linked}");
        scope(&mut out, env, global.scope, global.thread);
        if global.thread {
            let row = ThreadModel::NAMES.iter().find(|row| row.1 == global.model);
            _ = match row {
                Some((model, _)) => write!(out, "thread_local({model}) "),
                None => write!(out, "thread_local "),
            };
        }
        _ = write!(out, "{} ", if global.constant { "constant" } else { "global" });
        match global.linkage {
            Linkage::Declared => shape(&mut out, &env.shapes, global.shape),
            _ => image::typed(&mut out, env, global.shape, &global.image, Some(global.name)),
        }
        if let Some(section) = global.section.get() {
            _ = write!(out, ", section \"{}\"", env.names.text(section));
        }
        align(&mut out, &env.shapes, global.shape);
        if let Some(node) = metadata.and_then(|all| all.globals.get(id)).filter(|&&node| node != 0) {
            _ = write!(out, ", !dbg !{node}");
        }
        out.push('\n');
    }
    for body in module.defined() {
        for (request, row) in body.requests.iter() {
            request_name(&mut out, env, body, request.index());
            let kind = if row.constant { "constant" } else { "global" };
            _ = write!(out, " = internal {kind} ");
            image::typed(&mut out, env, row.shape, &row.image, None);
            out.push('\n');
        }
    }
    kept(&mut out, env);
    for alias in &env.aliases {
        out.push('@');
        name(&mut out, env.names.text(alias.name));
        out.push_str(if alias.weak { " = weak " } else { " = " });
        scope(&mut out, env, alias.scope, false);
        out.push_str("alias i8, ");
        out.push_str(if alias.offset != 0 { "getelementptr (i8, ptr @" } else { "ptr @" });
        name(&mut out, env.names.text(env.globals[alias.of].name));
        if alias.offset != 0 {
            _ = write!(out, ", i32 {})", alias.offset);
        }
        out.push('\n');
    }
    let is_alias = |func: FuncId| env.aliases.iter().any(|alias| alias.func.get() == Some(func));
    let is_declared = |func: &Func| {
        let stands_for = |builtin: Builtin| builtin.function().is_none();
        func.linkage == Linkage::Declared && !func.indirect && !func.builtin.is_some_and(stands_for)
    };
    for (_, func) in env.funcs.iter().filter(|(id, func)| is_declared(func) && !is_alias(*id)) {
        out.push_str(if func.optional { "declare extern_weak " } else { "declare " });
        scope(&mut out, env, func.scope, false);
        let convention = if func.tail { "tailcc " } else { "" };
        _ = write!(out, "{convention}{} @", func.result.name());
        name(&mut out, called(env, func));
        out.push('(');
        for (k, ty) in func.params.iter().enumerate() {
            _ = write!(out, "{}{}", if k == 0 { "" } else { ", " }, ty.name());
            parts::mark(&mut out, func, k);
        }
        if func.variadic {
            out.push_str(if func.params.is_empty() { "..." } else { ", ..." });
        }
        out.push(')');
        func.effect.print(&mut out);
        out.push('\n');
    }
    let mut used = Used::new();
    for body in module.defined() {
        if !out.is_empty() {
            out.push('\n');
        }
        let own = metadata.and_then(|all| all.functions.get(body.func));
        define(&mut out, (env, own), body, &mut used, |_, _, _| {});
    }
    if !used.is_empty() {
        out.push('\n');
    }
    out.extend(used.into_values());
    if let Some(all) = metadata {
        out.push('\n');
        out.push_str(&all.nodes);
    }
    flags(&mut out, env, metadata);
    out
}

/// Flags of the module: those of debug metadata, and where the program is loaded, as clang says it.
fn flags(out: &mut String, env: &Env, metadata: Option<&Metadata>) {
    let Position { model, small } = env.position;
    let level = if small { 1 } else { 2 };
    let levels: &[(u32, &str)] = match model {
        RelocationModel::Static => &[],
        RelocationModel::Pic => &[(8, "PIC Level")],
        RelocationModel::Pie => &[(8, "PIC Level"), (7, "PIE Level")],
    };
    let first = metadata.map_or(0, |all| all.count);
    let of_levels = (first..).take(levels.len());
    let all: Vec<String> = metadata
        .into_iter()
        .flat_map(|all| all.flags)
        .chain(of_levels)
        .map(|node| format!("!{node}"))
        .collect();
    if all.is_empty() {
        return;
    }
    _ = writeln!(out, "\n!llvm.module.flags = !{{{}}}", all.join(", "));
    for (node, (behaviour, name)) in (first..).zip(levels) {
        _ = writeln!(out, "!{node} = !{{i32 {behaviour}, !\"{name}\", i32 {level}}}");
    }
}

/// Who sees a name; what is `dso_local` in a program at a fixed address makes a difference to thread-local data alone.
fn scope(out: &mut String, env: &Env, scope: Scope, thread: bool) {
    if scope.local && (thread || env.position.model != RelocationModel::Static) {
        out.push_str("dso_local ");
    }
    let word = scope.visibility.name();
    if !word.is_empty() {
        out.push_str(word);
        out.push(' ');
    }
}

/// What has to stay, though it is seen only here.
fn kept(out: &mut String, env: &Env) {
    let globals = env.globals.as_slice().iter().filter(|row| row.kept).map(|row| row.name);
    let funcs = env.funcs.as_slice().iter().filter(|row| row.kept).map(|row| row.name);
    let names: Vec<Name> = globals.chain(funcs).collect();
    if names.is_empty() {
        return;
    }
    _ = write!(out, "@llvm.compiler.used = appending global [{} x ptr] [", names.len());
    for (k, kept) in names.into_iter().enumerate() {
        out.push_str(if k == 0 { "ptr @" } else { ", ptr @" });
        name(out, env.names.text(kept));
    }
    out.push_str("], section \"llvm.metadata\"\n");
}

/// The name that calls of a function have.
fn called<'a>(env: &'a Env, func: &Func) -> &'a str {
    func.builtin.and_then(Builtin::function).unwrap_or_else(|| env.names.text(func.name))
}

/// What a definition's linkage is called.
fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::Internal => "internal ",
        Linkage::Weak => "weak ",
        Linkage::External | Linkage::Declared => "",
    }
}

/// The text of one function's definition.
pub fn body(env: &Env, body: &Body) -> String {
    let mut out = String::new();
    define(&mut out, (env, None), body, &mut Used::new(), |_, _, _| {});
    out
}

/// The same line by line, each with where it comes from, known again by what keeps its number: the
/// instruction, or the block.
pub fn lines(env: &Env, f: &Body) -> Lines {
    let mut lines = Lines::default();
    let mut text = String::new();
    let number = |i: Inst| f.names.as_ref().map_or(i.index() as u32, |names| names.number(i));
    define(&mut text, (env, None), f, &mut Used::new(), |text, row, block| {
        lines.text.push_str(text.trim_end_matches('\n'));
        let (key, place) = match (row, block) {
            (Some(i), _) => (u64::from(number(i)), f.loc(i)),
            (None, Some(block)) => (1 << 32 | u64::from(block), NO_PLACE),
            (None, None) => (2 << 32 | u64::from(text.len() > 2), NO_PLACE),
        };
        lines.end(key, place);
        text.clear();
    });
    lines
}

/// A name after `@` or `%`, in quotes if LLVM wants them.
fn name(out: &mut String, text: &str) {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"-$._".contains(&c);
    if text.bytes().all(plain) && !text.starts_with(|c: char| c.is_ascii_digit()) && !text.is_empty() {
        out.push_str(text);
        return;
    }
    out.push('"');
    bytes(out, text.bytes());
    out.push('"');
}

/// The inside of LLVM's quotes.
fn bytes(out: &mut String, text: impl Iterator<Item = u8>) {
    for byte in text {
        if (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\' {
            out.push(char::from(byte));
        } else {
            _ = write!(out, "\\{byte:02X}");
        }
    }
}

/// `, align 64`, if that was asked for.
fn align(out: &mut String, shapes: &Shapes, shape: Shape) {
    let align = shapes.asked_align(shape);
    if align != 0 {
        _ = write!(out, ", align {align}");
    }
}

/// `, align 4`, of a vector in memory: its address is a multiple of what one lane asks for.
fn lane_align(out: &mut String, ty: Type) {
    if ty.is_vector() {
        _ = write!(out, ", align {}", ty.element().bytes());
    }
}

/// `[4 x [3 x i32]]`.
fn shape(out: &mut String, shapes: &Shapes, shape: Shape) {
    let depth = shapes.depth(shape);
    let mut inner = shape;
    for _ in 0..depth {
        _ = write!(out, "[{} x ", shapes.length(inner));
        inner = shapes.element(inner);
    }
    out.push_str(shapes.scalar_type(inner).name());
    out.extend((0..depth).map(|_| ']'));
}

/// A float as LLVM writes it: the bits of the equal double. Done by hand so that every NaN keeps its bits.
fn float_bits(bits: u32) -> u64 {
    let (sign, fraction) = (u64::from(bits >> 31), u64::from(bits & 0x7f_ffff));
    if bits >> 23 & 0xff == 0xff {
        sign << 63 | 0x7ff << 52 | fraction << 29
    } else {
        f64::from(f32::from_bits(bits)).to_bits()
    }
}

fn request_name(out: &mut String, env: &Env, body: &Body, request: usize) {
    out.push('@');
    let func = env.funcs.get(body.func).map_or("", |func| env.names.text(func.name));
    name(out, &format!(".request.{func}.{request}"));
}

/// What printing one body needs.
struct Printer<'a> {
    env: &'a Env,
    f: &'a Body,
    /// Per instruction: its number among results, in layout order.
    values: Column<Inst, u32>,
    /// Per block: its number in layout order.
    blocks: Column<Block, u32>,
    /// Slots of the block's predecessors in the order of their numbers.
    slots: Vec<(u32, u32)>,
}

/// `Printer::values` of a phi without operands.
const UNDEF: u32 = u32::MAX;

/// Calls `end` behind each line, with the instruction, or the number of the block, that it is about.
fn define(
    out: &mut String,
    (env, metadata): (&Env, Option<&BodyMetadata>),
    f: &Body,
    used: &mut Used,
    mut end: impl FnMut(&mut String, Option<Inst>, Option<u32>),
) {
    let mut p = Printer {
        env,
        f,
        values: Column::filled(f.inst_count(), UNDEF),
        blocks: Column::filled(f.block_count(), UNDEF),
        slots: Vec::new(),
    };
    let mut values = 0;
    for (k, b) in f.blocks().enumerate() {
        p.blocks[b] = f.names.as_ref().map_or(k as u32, |names| names.block(b));
        for i in f.insts(b) {
            if f.ty(i) != Type::Void && !(f.op(i) == Op::Phi && f.args(i).is_empty()) {
                p.values[i] = values;
                values += 1;
            }
        }
    }
    let (func, result) = match env.funcs.get(f.func) {
        Some(func) => (Some(func), func.result.name()),
        None => (None, "void"),
    };
    let linked = func.map_or("", |func| if func.kept { "internal " } else { linkage(func.linkage) });
    _ = write!(out, "define {linked}");
    func.into_iter().for_each(|func| scope(out, env, func.scope, false));
    let convention = if func.is_some_and(|func| func.tail) { "tailcc " } else { "" };
    _ = write!(out, "{convention}{result} @");
    name(out, func.map_or("?", |func| env.names.text(func.name)));
    out.push('(');
    for (k, i) in f.params().enumerate() {
        _ = write!(out, "{}{}", if k == 0 { "" } else { ", " }, f.ty(i).name());
        func.into_iter().for_each(|func| parts::mark(out, func, k));
        out.push(' ');
        p.local(out, i);
    }
    if func.is_some_and(|func| func.variadic) {
        out.push_str(if f.params().len() == 0 { "..." } else { ", ..." });
    }
    out.push(')');
    func.into_iter().flat_map(|func| func.hints.words()).for_each(|word| _ = write!(out, " {word}"));
    if let Some(section) = func.and_then(|func| func.section.get()) {
        _ = write!(out, " section \"{}\"", env.names.text(section));
    }
    builtin::unwinding(out, env, func);
    if let Some(calls) = func.and_then(|func| func.hints.calls) {
        _ = write!(out, " !prof !{{!\"function_entry_count\", i64 {}}}", calls.count);
    }
    if let Some(node) = metadata.and_then(|own| own.node) {
        _ = write!(out, " !dbg !{node}");
    }
    out.push_str(" {\n");
    end(out, None, None);
    for b in f.blocks() {
        _ = writeln!(out, "b{}:", p.blocks[b]);
        end(out, None, Some(p.blocks[b]));
        p.sort_preds(b);
        for i in f.insts(b).filter(|&i| f.op(i) != Op::Phi || !f.args(i).is_empty()) {
            if p.is_in_invoke(i) {
                continue;
            }
            out.push_str("  ");
            p.inst(out, i);
            if let Some(place) = metadata.and_then(|own| own.places.get(i)).filter(|&&place| place != 0) {
                _ = write!(out, ", !dbg !{place}");
            }
            out.push('\n');
            if let Some(&[variable, place]) = metadata.and_then(|own| own.declared.get(i))
                && variable != 0
            {
                out.push_str("    #dbg_declare(ptr ");
                p.local(out, i);
                _ = writeln!(out, ", !{variable}, !DIExpression(), !{place})");
            }
            end(out, Some(i), None);
            if let Some(function) = function_of(f, i) {
                used.entry(function).or_insert_with(|| declaration(f, i, function));
            }
        }
    }
    out.push_str("}\n");
    end(out, None, None);
}

impl Printer<'_> {
    fn sort_preds(&mut self, b: Block) {
        self.slots.clear();
        if self.f.phis(b).next().is_some() {
            let preds = self.f.preds(b).iter().enumerate();
            self.slots.extend(preds.map(|(slot, &e)| (self.blocks[self.f.edge_from(e)], slot as u32)));
            self.slots.sort_unstable();
        }
    }

    /// `%sum.7`, `%v7` or `%p0`.
    fn local(&self, out: &mut String, i: Inst) {
        self.local_and(out, i, "");
    }

    /// A value's name with this behind it, inside of its quotes.
    fn local_and(&self, out: &mut String, i: Inst, end: &str) {
        let names = self.f.names.as_ref();
        out.push('%');
        match (names, names.and_then(|names| names.text(i))) {
            (Some(names), Some(text)) => name(out, &format!("{text}.{}{end}", names.number(i))),
            _ if self.f.op(i) == Op::Param => _ = write!(out, "p{}{end}", self.f.payload(i)),
            (names, _) => {
                _ = write!(out, "v{}{end}", names.map_or(self.values[i], |names| names.number(i)));
            }
        }
    }

    fn value(&self, out: &mut String, v: Value) {
        let f = self.f;
        match v.kind() {
            ValueKind::Inst(i) if f.op(i) != Op::Param && self.values[i] == UNDEF => out.push_str("undef"),
            ValueKind::Inst(i) => self.local(out, i),
            ValueKind::Small(Type::I1, x) => out.push_str(if x == 0 { "false" } else { "true" }),
            ValueKind::Int(x) | ValueKind::Small(_, x) => _ = write!(out, "{x}"),
            ValueKind::Const(_) => {
                if let Some(x) = f.as_int(v) {
                    _ = write!(out, "{x}");
                } else if let Some(x) = f.as_f32(v) {
                    _ = write!(out, "0x{:016X}", float_bits(x.to_bits()));
                } else if let Some(x) = f.as_f64(v) {
                    _ = write!(out, "0x{:016X}", x.to_bits());
                }
            }
            ValueKind::Global(global) => {
                out.push('@');
                let row = self.env.globals.get(global);
                name(out, row.map_or("?", |row| self.env.names.text(row.name)));
            }
            ValueKind::Request(request) => request_name(out, self.env, f, request.index()),
            ValueKind::Undef(_) => out.push_str("undef"),
        }
    }

    fn typed(&self, out: &mut String, v: Value) {
        out.push_str(self.f.type_of(v).name());
        out.push(' ');
        self.value(out, v);
    }

    /// `%a, %b`.
    fn list(&self, out: &mut String, values: &[Value]) {
        for (k, &v) in values.iter().enumerate() {
            out.push_str(if k == 0 { "" } else { ", " });
            self.value(out, v);
        }
    }

    /// `i32 %a, i32 %b`.
    fn typed_list(&self, out: &mut String, values: &[Value]) {
        for (k, &v) in values.iter().enumerate() {
            out.push_str(if k == 0 { "" } else { ", " });
            self.typed(out, v);
        }
    }

    fn label(&self, out: &mut String, b: Block) {
        _ = write!(out, "label %b{}", self.blocks[b]);
    }

    fn inst(&self, out: &mut String, i: Inst) {
        let f = self.f;
        let (op, ty, args) = (f.op(i), f.ty(i).name(), f.args(i));
        let callee = if op == Op::Call { self.env.funcs.get(f.callee(i)) } else { None };
        let builtin = callee.and_then(|func| func.builtin).filter(|builtin| builtin.function().is_none());
        if self.values[i] != UNDEF {
            // What an exchange yields has two parts.
            let is_pair = matches!(builtin, Some(Builtin::CompareExchange(_) | Builtin::LandingPad));
            self.local_and(out, i, if is_pair { PAIR } else { "" });
            out.push_str(" = ");
        }
        if let Some(builtin) = builtin {
            return self.builtin(out, i, builtin);
        }
        match op.row().form {
            Form::Plain => {
                out.push_str(op.row().name);
                for (name, _) in Flags::NAMES.iter().filter(|&&(_, flag)| f.flags(i).has(flag)) {
                    _ = write!(out, " {name}");
                }
                _ = write!(out, " {ty} ");
                return self.list(out, args);
            }
            Form::Cast => {
                _ = write!(out, "{} ", op.row().name);
                self.typed_list(out, args);
                _ = write!(out, " to {ty}");
                return;
            }
            Form::Intrinsic(_) | Form::High(_) | Form::Splat | Form::Zip(_) => {
                return self.function_call(out, i);
            }
            Form::Own => {}
        }
        match op {
            Op::ICmp | Op::FCmp => {
                let pred = match op {
                    Op::ICmp => IntPred::from_payload(f.payload(i)).name(),
                    _ => FloatPred::from_payload(f.payload(i)).name(),
                };
                let ty = args.first().map_or(Type::Void, |&v| f.type_of(v));
                _ = write!(out, "{} {pred} {} ", op.row().name, ty.name());
                self.list(out, args);
            }
            Op::Alloca => {
                out.push_str("alloca ");
                self.payload_shape(out, i);
                align(out, &self.env.shapes, Shape::new(f.payload(i) as usize));
            }
            Op::Load | Op::Store | Op::LoadVolatile | Op::StoreVolatile => {
                let loads = matches!(op, Op::Load | Op::LoadVolatile);
                _ = write!(out, "{} ", op.row().name);
                _ = if loads { write!(out, "{ty}, ") } else { Ok(()) };
                self.typed_list(out, args);
                let ty = if loads { f.ty(i) } else { args.first().map_or(Type::Void, |&v| f.type_of(v)) };
                match f.access(i).align {
                    0 => lane_align(out, ty),
                    align => _ = write!(out, ", align {align}"),
                }
            }
            Op::ExtractLane | Op::InsertLane => {
                _ = write!(out, "{} ", op.row().name);
                self.typed_list(out, args);
                _ = write!(out, ", i64 {}", f.payload(i));
            }
            Op::ElemAddr => {
                let may_leave = self.env.shapes.may_leave(Shape::new(f.payload(i) as usize));
                out.push_str(if may_leave { "getelementptr " } else { "getelementptr inbounds " });
                self.payload_shape(out, i);
                out.push_str(", ");
                self.typed_list(out, args);
            }
            Op::MemInit => self.function_call(out, i),
            Op::Call => {
                let func = self.env.funcs.get(f.callee(i));
                let mark = [
                    (Flags::MUST_TAIL, "must"),
                    (Flags::NO_TAIL, "no"),
                    (Flags::TAIL, ""),
                    (Flags::JUMP, ""),
                ];
                if let Some((_, mark)) = mark.iter().find(|row| f.flags(i).has(row.0)) {
                    _ = write!(out, "{mark}tail ");
                }
                let branch = self.branch_of(i);
                out.push_str(if branch.is_some() { "invoke " } else { "call " });
                out.push_str(if func.is_some_and(|func| func.tail) { "tailcc " } else { "" });
                _ = write!(out, "{ty} ");
                let skipped = usize::from(func.is_some_and(|func| func.indirect));
                if let Some(func) = func.filter(|func| func.variadic) {
                    out.push('(');
                    for param in &func.params[skipped..] {
                        _ = write!(out, "{}, ", param.name());
                    }
                    out.push_str("...) ");
                }
                match args.first().filter(|_| skipped != 0) {
                    Some(&address) => self.value(out, address),
                    None => self.func_name(out, f.callee(i)),
                }
                out.push('(');
                for (k, &v) in args.get(skipped..).unwrap_or_default().iter().enumerate() {
                    _ = write!(out, "{}{}", if k == 0 { "" } else { ", " }, f.type_of(v).name());
                    func.into_iter().for_each(|func| parts::mark(out, func, k));
                    out.push(' ');
                    self.value(out, v);
                }
                out.push(')');
                branch.into_iter().for_each(|branch| self.ways(out, branch));
            }
            Op::Phi => {
                _ = write!(out, "phi {ty} ");
                for (k, &(from, slot)) in self.slots.iter().enumerate() {
                    out.push_str(if k == 0 { "[ " } else { ", [ " });
                    self.value(out, args[slot as usize]);
                    _ = write!(out, ", %b{from} ]");
                }
            }
            Op::Br | Op::CondBr => {
                out.push_str("br ");
                self.typed_list(out, args);
                for (k, e) in f.block_of(i).into_iter().flat_map(|b| f.succs(b)).enumerate() {
                    out.push_str(if k == 0 && args.is_empty() { "" } else { ", " });
                    self.label(out, f.edge_to(e));
                }
                let flags = f.flags(i);
                let weights = flags.weights().or(match flags.hint() {
                    Flags::LIKELY => Some([2000, 1]),
                    Flags::UNLIKELY => Some([1, 2000]),
                    _ => None,
                });
                if let Some([yes, no]) = weights {
                    _ = write!(out, ", !prof !{{!\"branch_weights\", i32 {yes}, i32 {no}}}");
                }
            }
            Op::Switch => {
                let mut edges = f.block_of(i).into_iter().flat_map(|b| f.succs(b));
                let ty = f.type_of(args[0]).name();
                out.push_str("switch ");
                self.typed_list(out, &args[..1]);
                out.push_str(", ");
                edges.next_back().into_iter().for_each(|e| self.label(out, f.edge_to(e)));
                out.push_str(" [");
                for (k, e) in edges.enumerate() {
                    _ = write!(out, " {ty} {k}, ");
                    self.label(out, f.edge_to(e));
                }
                out.push_str(" ]");
            }
            Op::Ret if args.is_empty() => out.push_str("ret void"),
            _ => {
                _ = write!(out, "{} ", op.row().name);
                // LLVM wants the result itself behind `musttail`, also where it is known what that is.
                let must = |&call: &Inst| f.op(call) == Op::Call && f.flags(call).has(Flags::MUST_TAIL);
                match f.prev(i).filter(must).filter(|_| op == Op::Ret) {
                    Some(call) => self.typed_list(out, &[Value::inst(call)]),
                    None => self.typed_list(out, args),
                }
                out.truncate(out.trim_end().len());
            }
        }
    }

    /// `call i32 @llvm.smin.i32(i32 %a, i32 %b)`.
    fn function_call(&self, out: &mut String, i: Inst) {
        let f = self.f;
        let Some((op, ty)) = function_of(f, i) else { return };
        _ = write!(out, "call {} ", f.ty(i).name());
        function_name(out, (op, ty));
        out.push('(');
        let Form::Intrinsic(args) = op.row().form else {
            self.typed_list(out, f.args(i));
            return out.push(')');
        };
        let mut operands = f.args(i).iter();
        let mut align = f.access(i).align;
        for (k, arg) in args.iter().enumerate() {
            out.push_str(if k == 0 { "" } else { ", " });
            match arg {
                Arg::Operand => match operands.next() {
                    Some(&v) if align != 0 && f.type_of(v) == Type::Ptr => {
                        _ = write!(out, "ptr align {align} ");
                        self.value(out, v);
                        align = 0;
                    }
                    Some(&v) => self.typed(out, v),
                    None if k == 1 => out.push_str("i8 0"),
                    None => _ = write!(out, "i64 {}", f.payload(i)),
                },
                Arg::Always(ty, value) => _ = write!(out, "{ty} {value}"),
                Arg::Align => _ = write!(out, "i32 {}", ty.element().bytes()),
                Arg::AllTrue => _ = write!(out, "{} {}", lanes(ty, "i1"), every_lane(ty, "i1", "true")),
                Arg::Lanes => _ = write!(out, "i32 {}", ty.lanes()),
            }
        }
        out.push(')');
    }

    fn payload_shape(&self, out: &mut String, i: Inst) {
        if (self.f.payload(i) as usize) < self.env.shapes.len() {
            shape(out, &self.env.shapes, Shape::new(self.f.payload(i) as usize));
        } else {
            out.push('?');
        }
    }

    fn func_name(&self, out: &mut String, func: FuncId) {
        out.push('@');
        name(out, self.env.funcs.get(func).map_or("?", |row| called(self.env, row)));
    }
}
