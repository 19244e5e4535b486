//! Code of functions and initialised memory joined into one object: sections, symbols, relocations. O(bytes).
//!
//! Functions stand in their order in `.text`, data by kind in `.rodata`, `.data` and `.bss`. What is named but defined
//! nowhere becomes an undefined symbol; what nobody names is left out.

use super::code::{Code, Target};
use super::data::{DataSection, Datum, align, append_image, section};
use super::debug::{self, Debug, Placed};
use super::machine::Machine;
use super::module::{
    Binding, Object, Place, Reloc, SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, STT_FUNC, STT_OBJECT, Section,
    SectionKind, SectionRow, Symbol, SymbolRow,
};
use crate::base::parallel::Workers;
use crate::base::{Handle, Opt};
use std::borrow::Cow;

/// A function by number, defined here or not.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    /// Its symbol.
    pub name: &'a str,
    /// Its code, if it is defined here.
    pub code: Option<Code>,
    /// Visible to other objects.
    pub global: bool,
}

/// What is to be joined.
#[derive(Debug)]
pub struct Parts<'a> {
    /// By function number. What is in the object already is let go of, so that nothing is held twice.
    pub functions: Vec<Function<'a>>,
    /// By global number.
    pub data: &'a [Datum<'a>],
    /// Functions that code may name by `library_base + k`.
    pub library: &'a [&'a str],
    /// See `library`.
    pub library_base: u32,
    /// `e_flags` of the object.
    pub flags: u32,
    /// The bytes of its section of build attributes, if the machine has one.
    pub attributes: &'a [u8],
}

/// Symbols by what code calls them.
#[derive(Debug, Default)]
struct Symbols {
    functions: Vec<Opt<Symbol>>,
    data: Vec<Opt<Symbol>>,
    library: Vec<Opt<Symbol>>,
}

/// Joins code and data. `Err` if there is more of a section than an object of the machine can hold.
pub fn assemble(machine: &'static Machine, parts: Parts) -> Result<Object<'static>, String> {
    assemble_with(machine, parts, None, &Workers::new(1))
}

/// As above, with what debuggers are to be told.
#[inline(never)]
pub fn assemble_with(
    machine: &'static Machine,
    mut parts: Parts,
    debug: Option<&Debug>,
    workers: &Workers,
) -> Result<Object<'static>, String> {
    let mut object = Object::new(machine);
    object.flags = parts.flags;
    let mut symbols = Symbols {
        functions: vec![Opt::NONE; parts.functions.len()],
        data: vec![Opt::NONE; parts.data.len()],
        library: vec![Opt::NONE; parts.library.len()],
    };
    let (text, extents) = code(&mut object, &mut parts, debug.is_some(), workers)?;
    let places = data(&mut object, &parts)?;
    if let Some(debug) = debug {
        let placed = parts.functions.iter().zip(&extents);
        let code: Vec<_> = placed.map(|(f, extent)| (f.code.as_ref(), extent.0)).collect();
        debug::append(&mut object, debug, &Placed { text, code: &code, data: &places })?;
    }
    for global in [false, true] {
        if !global && !machine.code_mark.is_empty() && object.sections[text].size > 0 {
            symbol(&mut object, machine.code_mark, Place::In(text), 0, 0, Binding::Local, 0);
        }
        let binding = if global { Binding::Global } else { Binding::Local };
        for (k, function) in parts.functions.iter().enumerate().filter(|(_, f)| f.global == global) {
            if function.code.is_some() {
                let (at, bytes) = extents[k];
                let made = symbol(&mut object, function.name, Place::In(text), at, bytes, binding, STT_FUNC);
                symbols.functions[k] = Opt::some(made);
            }
        }
        for (k, datum) in parts.data.iter().enumerate().filter(|(_, datum)| datum.global == global) {
            let (section, at) = places[k];
            let place = Place::In(section);
            let made = symbol(&mut object, datum.name, place, at, datum.bytes, binding, STT_OBJECT);
            symbols.data[k] = Opt::some(made);
        }
    }
    relocations(&mut object, &mut parts, text, &extents, &mut symbols);
    let note = SectionRow { name: Cow::Borrowed(".note.GNU-stack"), ..row(SectionKind::Data, 0, 1) };
    object.sections.push(note);
    if let Some((name, kind)) = machine.attributes {
        let kind = SectionKind::Other(kind);
        let (name, size) = (Cow::Borrowed(name), parts.attributes.len() as u64);
        let data = Cow::Owned(parts.attributes.to_vec());
        object.sections.push(SectionRow { name, size, data, ..row(kind, 0, 1) });
    }
    Ok(object)
}

fn row(kind: SectionKind, flags: u64, align: u64) -> SectionRow<'static> {
    let (data, relocs) = (Cow::Borrowed(&[][..]), Vec::new());
    SectionRow { name: Cow::Borrowed(""), kind, flags, align, size: 0, data, entry_size: 0, relocs }
}

fn symbol(
    object: &mut Object,
    name: &str,
    place: Place,
    value: u64,
    size: u64,
    binding: Binding,
    kind: u8,
) -> Symbol {
    let name = object.add_name(name);
    object.symbols.push(SymbolRow { name, place, value, size, binding, kind, visibility: 0 })
}

/// The most bytes that a section's relocations can name.
const MOST: u64 = u32::MAX as u64;

/// Makes `.text`; returns where each function starts, and its bytes. Code that is in there goes, unless it is to be kept.
fn code(
    object: &mut Object,
    parts: &mut Parts,
    keep: bool,
    workers: &Workers,
) -> Result<(Section, Vec<(u64, u64)>), String> {
    let align = object.machine.code_align;
    let mut extents = vec![(0, 0); parts.functions.len()];
    let codes = parts.functions.iter().filter_map(|function| function.code.as_ref());
    let total: u64 = codes.map(|code| (code.bytes.len() as u64).next_multiple_of(align)).sum();
    if total > MOST {
        return Err(format!("{total} bytes of code are more than an object can hold"));
    }
    let mut bytes = vec![0; total as usize];
    let (mut rest, mut start) = (&mut bytes[..], 0);
    let mut jobs = Vec::with_capacity(parts.functions.len());
    for (function, extent) in parts.functions.iter_mut().zip(&mut extents) {
        let Some(code) = &mut function.code else { continue };
        let room = code.bytes.len().next_multiple_of(align as usize);
        let (place, behind) = rest.split_at_mut(room);
        *extent = (start, code.bytes.len() as u64);
        (rest, start) = (behind, start + room as u64);
        jobs.push((place, code));
    }
    let padding = object.machine.code_padding;
    let mut jobs: Vec<_> = jobs.chunks_mut(TOGETHER).collect();
    workers.map(
        &mut jobs,
        || (),
        |(), _, jobs| {
            for (place, code) in jobs.iter_mut() {
                let (own, gap) = place.split_at_mut(code.bytes.len());
                own.copy_from_slice(&code.bytes);
                pad(gap, padding);
                if !keep {
                    code.bytes = Vec::new();
                }
            }
        },
    );
    let text = object.sections.push(SectionRow {
        name: Cow::Borrowed(".text"),
        size: bytes.len() as u64,
        data: Cow::Owned(bytes),
        ..row(SectionKind::Data, SHF_ALLOC | SHF_EXECINSTR, align)
    });
    Ok((text, extents))
}

/// Functions that are copied in one go.
const TOGETHER: usize = 64;

/// Fills a gap behind code with instructions that do nothing, where a whole number of them fits.
fn pad(gap: &mut [u8], padding: &[u8]) {
    if !padding.is_empty() && gap.len().is_multiple_of(padding.len()) {
        gap.chunks_mut(padding.len()).for_each(|place| place.copy_from_slice(padding));
    }
}

/// Makes the sections of data that are not empty; returns where each datum is.
fn data(object: &mut Object, parts: &Parts) -> Result<Vec<(Section, u64)>, String> {
    const NAMES: [&str; 3] = [".rodata", ".data", ".bss"];
    let mut places = vec![(Section::new(0), 0); parts.data.len()];
    for which in DataSection::ALL {
        let (mut bytes, mut size, mut most_align) = (Vec::new(), 0u64, 1);
        let place = Section::new(object.sections.len());
        for (k, datum) in parts.data.iter().enumerate().filter(|(_, datum)| section(datum) == which) {
            let align = 1 << align(datum);
            most_align = most_align.max(align);
            size = size.next_multiple_of(align);
            places[k] = (place, size);
            if which != DataSection::Bss {
                bytes.resize(size as usize, 0);
                append_image(&mut bytes, datum);
            }
            size = size.saturating_add(datum.bytes);
            if which != DataSection::Bss {
                if size > MOST {
                    return Err(format!(
                        "{size} bytes of {} are more than an object can hold",
                        NAMES[which as usize]
                    ));
                }
                bytes.resize(size as usize, 0);
            }
        }
        if size > 0 {
            let kind = if which == DataSection::Bss { SectionKind::Zeros } else { SectionKind::Data };
            let flags = if which == DataSection::Rodata { SHF_ALLOC } else { SHF_ALLOC | SHF_WRITE };
            let (name, data) = (Cow::Borrowed(NAMES[which as usize]), Cow::Owned(bytes));
            object.sections.push(SectionRow { name, size, data, ..row(kind, flags, most_align) });
        }
    }
    Ok(places)
}

/// Turns the fixups of all code into relocations, and makes symbols for what is not defined here.
fn relocations(
    object: &mut Object,
    parts: &mut Parts,
    text: Section,
    extents: &[(u64, u64)],
    symbols: &mut Symbols,
) {
    let count = parts.functions.iter().filter_map(|f| Some(f.code.as_ref()?.fixups.len())).sum();
    let mut relocs = Vec::with_capacity(count);
    for (k, &(start, _)) in extents.iter().enumerate() {
        let Some(code) = &mut parts.functions[k].code else { continue };
        for fixup in std::mem::take(&mut code.fixups) {
            let (known, name) = match fixup.target {
                Target::Func(n) if n >= parts.library_base => {
                    let n = (n - parts.library_base) as usize;
                    (&mut symbols.library[n], parts.library[n])
                }
                Target::Func(n) => (&mut symbols.functions[n as usize], parts.functions[n as usize].name),
                Target::Global(n) => (&mut symbols.data[n as usize], parts.data[n as usize].name),
            };
            let symbol = known
                .get()
                .unwrap_or_else(|| symbol(object, name, Place::Undefined, 0, 0, Binding::Global, 0));
            *known = Opt::some(symbol);
            let (offset, addend) = (start as u32 + fixup.offset, i64::from(fixup.addend));
            relocs.push(Reloc { offset, kind: fixup.kind, symbol, addend });
        }
    }
    object.sections[text].relocs = relocs;
}
