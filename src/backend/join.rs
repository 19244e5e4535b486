//! The pieces of a program put together: functions in order, then its data, as text or as an object.
//! O(functions + data); code stays in its pieces to the file (`object/assemble`).

use super::code::Options;
use crate::base::parallel::Workers;
use crate::base::{Column, Handle};
use crate::ir::{self, Env, FuncId, GlobalId, Linkage, Scope, Visibility};
use crate::isa::exceptions::cell_name;
use crate::isa::symbols::Symbols;
use crate::isa::{LIBRARY, LIBRARY_BASE, Target};
use crate::mir::print::Naming;
use crate::object;
use crate::object::assemble::{Alias, Assembled, Function, Parts, assemble};
use crate::object::code::{self, Code};
use crate::object::data::{Address, Datum};
use crate::object::debug::Debug;
use crate::object::debug_text;
use crate::object::module::Binding;
use crate::object::text::{TRAILER, data};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A program put together.
#[derive(Debug, Default)]
pub struct Program {
    /// Assembly, if asked for.
    pub text: String,
    /// The object, if asked for.
    pub object: Option<Assembled>,
}

/// The functions of a program by number, those without code included.
pub fn functions<'a>(
    env: &'a Env,
    symbols: &'a Symbols,
    codes: Column<FuncId, Option<Code>>,
) -> Vec<Function<'a>> {
    let function = |(k, code)| {
        let func = FuncId::new(k);
        let section = section(env, func);
        let visibility = visibility(binding(env, symbols, func), env.funcs[func].scope);
        Function {
            name: &symbols.funcs[func],
            code,
            binding: binding(env, symbols, func),
            visibility,
            section,
        }
    };
    codes.into_vec().into_iter().enumerate().map(function).collect()
}

/// Puts the pieces of a program together: the code of functions and their texts, where that was asked for. With
/// `told`, debuggers are told.
pub fn join(
    (env, symbols, options): (&Env, &Symbols, &Options),
    functions: Vec<Function>,
    texts: &[(FuncId, String)],
    told: Option<&Debug>,
    workers: &Workers,
) -> Result<Program, String> {
    let (target, unwinds) = (options.target, options.unwind || env.unwinds);
    let mut program = Program::default();
    let aliases: Vec<Alias> = env.aliases.iter().zip(&symbols.aliases).map(alias).collect();
    let mut data_rows: Vec<Datum> = env.globals.keys().map(|global| datum(env, symbols, global)).collect();
    let name = |to| match to {
        code::Target::Func(k) => symbols.func(k),
        code::Target::Global(k) => symbols.global(k),
    };
    let cells = if target.elf.is_indexed { vec![] } else { cells(&functions) };
    let names: Vec<String> = cells.iter().map(|&of| cell_name(name(of))).collect();
    let pointer_bytes = target.rules.machine.pointer_bytes;
    let mut numbers = Vec::new();
    for (&of, name) in cells.iter().zip(&names) {
        numbers.push((of, data_rows.len() as u32));
        data_rows.push(cell(of, name, pointer_bytes));
    }
    if options.text {
        program.text.push_str(&(target.header)(options.features));
        put_text(&mut program.text, (env, texts), told.map(|debug| (debug, target)), unwinds);
        for row in optional_functions(env) {
            let _ = writeln!(program.text, "\t.weak {}", symbols.funcs[row]);
        }
        for (func, row) in env.funcs.iter().filter(|(_, row)| row.scope.visibility != Visibility::Default) {
            if visibility(binding(env, symbols, func), row.scope) != 0 {
                let _ = writeln!(program.text, "\t.{} {}", row.scope.visibility.name(), symbols.funcs[func]);
            }
        }
        data(&mut program.text, &data_rows, name, target.rules.machine.pointer_bytes);
    }
    if options.text {
        for (&Alias { name, binding, of, offset, .. }, row) in aliases.iter().zip(&env.aliases) {
            object::text::binding(&mut program.text, name, binding);
            if row.scope.visibility != Visibility::Default {
                let _ = writeln!(program.text, "\t.{} {name}", row.scope.visibility.name());
            }
            let kind = if data_rows[of as usize].func.is_some() { "function" } else { "object" };
            let of = symbols.global(of);
            let _ = write!(program.text, "\t.type {name}, %{kind}\n\t.set {name}, {of}");
            let _ = if offset == 0 { writeln!(program.text) } else { writeln!(program.text, "+{offset}") };
        }
    }
    if options.code {
        let attributes = (target.attributes)(options.features);
        let parts = Parts {
            functions,
            data: &data_rows,
            aliases: &aliases,
            library: &LIBRARY,
            library_base: LIBRARY_BASE,
            flags: (target.elf_flags)(options.features),
            attributes: &attributes,
            unwind: unwinds,
            cells: &numbers,
        };
        let object = assemble(target.elf, parts, told, workers)?;
        if options.text && told.is_some() {
            debug_text::sections(&mut program.text, &object.object);
        }
        program.object = Some(object);
    }
    if options.text {
        program.text.push_str(TRAILER);
    }
    Ok(program)
}

/// Appends the text of functions, with lines where debuggers are told.
fn put_text(
    out: &mut String,
    (env, texts): (&Env, &[(FuncId, String)]),
    told: Option<(&Debug, &Target)>,
    unwind: bool,
) {
    let Some((debug, target)) = told else {
        for (func, text) in texts {
            let section = section(env, *func);
            if let Some(name) = section {
                let _ = writeln!(out, "\t.section {name},\"ax\",%progbits");
            }
            match unwind {
                // Where it has rules for unwinding, places in the source are marked, of which nothing is said here.
                true => out.extend(text.split(debug_text::MARK)),
                false => out.push_str(text),
            }
            if section.is_some() {
                out.push_str("\t.text\n");
            }
        }
        return;
    };
    out.push_str(match unwind && !target.elf.is_indexed {
        true => "\t.cfi_sections .eh_frame, .debug_frame\n",
        false => "\t.cfi_sections .debug_frame\n",
    });
    out.push_str(target.fixed_code);
    debug_text::files(out, debug);
    let mut is_statement = true;
    for (func, text) in texts {
        let known = debug.functions.binary_search_by_key(&(func.index() as u32), |row| row.number);
        let function = known.ok().map(|k| &debug.functions[k]);
        let section = section(env, *func);
        if let Some(name) = section {
            let _ = writeln!(out, "\t.section {name},\"ax\",%progbits");
        }
        debug_text::locate(out, text, (debug, function), &mut is_statement);
        if section.is_some() {
            out.push_str("\t.text\n");
        }
    }
}

/// What exceptions find by its address, which stands in data: each once, in the order in which functions need it.
fn cells(functions: &[Function]) -> Vec<code::Target> {
    let (mut all, mut known) = (Vec::new(), BTreeSet::new());
    let tables = functions.iter().filter_map(|function| function.code.as_ref()?.exceptions.as_deref());
    for table in tables {
        for of in std::iter::once(table.personality).chain(table.types.iter().map(|row| row.1)) {
            if known.insert(of) {
                all.push(of);
            }
        }
    }
    all
}

/// The address of something, as data.
fn cell(of: code::Target, name: &str, pointer_bytes: u32) -> Datum<'_> {
    Datum {
        name,
        binding: Binding::Local,
        visibility: 0,
        is_defined: true,
        constant: true,
        bytes: pointer_bytes.into(),
        align: pointer_bytes,
        scalar: 4,
        runs: Vec::new(),
        addresses: vec![Address { at: 0, to: of, offset: 0, from_start: None }],
        func: None,
        section: None,
        thread: false,
        common: false,
    }
}

/// The section of a function, if it is not `.text`.
fn section(env: &Env, func: FuncId) -> Option<&str> {
    let name = env.names.text(env.funcs[func].section.get()?);
    Some(name).filter(|&name| name != ".text")
}

/// Functions that need not be there.
fn optional_functions(env: &Env) -> impl Iterator<Item = FuncId> + '_ {
    env.funcs.iter().filter(|(_, row)| row.optional && row.linkage == Linkage::Declared).map(|row| row.0)
}

fn alias<'a>((row, name): (&ir::module::Alias, &'a String)) -> Alias<'a> {
    let binding = if row.weak { Binding::Weak } else { Binding::Global };
    let func = row.func.get().map(|func| func.index() as u32);
    let visibility = row.scope.visibility.number();
    Alias { name, binding, visibility, of: row.of.index() as u32, offset: row.offset, func }
}

/// Which objects see what has this linkage.
fn visible(linkage: Linkage, kept: bool, optional: bool) -> Binding {
    match linkage {
        _ if kept => Binding::Local,
        Linkage::Declared if optional => Binding::Weak,
        Linkage::Internal => Binding::Local,
        Linkage::External | Linkage::Declared => Binding::Global,
        Linkage::Weak => Binding::Weak,
    }
}

/// Which objects see a function.
pub fn binding(env: &Env, symbols: &Symbols, func: FuncId) -> Binding {
    let prefix = symbols.local_prefix;
    let is_own = !prefix.is_empty() && symbols.funcs[func].starts_with(prefix);
    let row = &env.funcs[func];
    if is_own { Binding::Local } else { visible(row.linkage, row.kept, row.optional) }
}

/// ELF's number for what others may do with a name: of what they do not see, nothing.
fn visibility(binding: Binding, scope: Scope) -> u8 {
    if binding == Binding::Local { 0 } else { scope.visibility.number() }
}

fn datum<'a>(env: &'a Env, symbols: &'a Symbols, global: GlobalId) -> Datum<'a> {
    let row = &env.globals[global];
    let image = &row.image;
    let words =
        |run: &ir::module::Run| (run.at, &image.words[run.first as usize..(run.first + run.len) as usize]);
    let scalar = env.shapes.bytes_of(env.shapes.scalar_type(row.shape));
    let address = |row: &ir::module::Address| {
        let to = code::Target::Global(row.to.index() as u32);
        let at = u64::from(row.at) * u64::from(scalar);
        Address { at, to, offset: row.offset, from_start: row.from_start }
    };
    let binding = if row.common { Binding::Global } else { visible(row.linkage, row.kept, row.optional) };
    Datum {
        name: &symbols.globals[global],
        binding,
        visibility: visibility(binding, row.scope),
        is_defined: row.linkage != Linkage::Declared,
        constant: row.constant,
        bytes: env.shapes.bytes(row.shape),
        align: env.shapes.align(row.shape),
        scalar,
        runs: image.runs.iter().map(words).collect(),
        addresses: image.addresses.iter().map(address).collect(),
        func: row.func.get().map(|func| func.index() as u32),
        section: row.section.get().map(|section| env.names.text(section)),
        thread: row.thread,
        common: row.common,
    }
}
