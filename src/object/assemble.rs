//! Code of functions and initialised memory joined into one object: sections, symbols, relocations.
//!
//! Functions stand in their order in `.text` or the section that they name, data by kind in `.rodata`, `.data` and `.bss`. What is named
//! but defined nowhere becomes an undefined symbol; what is not named is left out.
//!
//! The code of a large program is tens of megabytes, and its relocations are more. So functions get their
//! places, O(functions + bytes of data + places that depend on addresses), and their code stays where it is
//! until a file is written (`elf`) or a program linked (`flat`, O(bytes)).

use super::code::{Code, Target};
use super::data::{Address, DataSection, Datum, append_image, is_written, named, section};
use super::debug::{Debug, Placed};
use super::dwarf;
use super::frames;
use super::index;
use super::machine::Machine;
use super::module::{
    Binding, Object, Place, Reloc, SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHF_WRITE, STT_FUNC, STT_OBJECT,
    STT_TLS, Section, SectionKind, SectionRow, Symbol, SymbolRow, array,
};
use crate::base::parallel::Workers;
use crate::base::{Handle, Opt};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A function by number, defined here or not.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    /// Its symbol.
    pub name: &'a str,
    /// Its code, if it is defined here.
    pub code: Option<Code>,
    /// The objects that see it, if it is defined here; else, whether it has to be there.
    pub binding: Binding,
    /// What other programs and libraries may do with it (`STV_*`).
    pub visibility: u8,
    /// The section that it is to lie in, if not `.text`.
    pub section: Option<&'a str>,
}

/// Another name of a function or a datum that is defined here.
#[derive(Copy, Clone, Debug)]
pub struct Alias<'a> {
    /// Its symbol.
    pub name: &'a str,
    /// Which objects see it.
    pub binding: Binding,
    /// As of functions.
    pub visibility: u8,
    /// The number of the datum, or of a function's address.
    pub of: u32,
    /// So many bytes behind its start.
    pub offset: u32,
    /// The function by which code names it, if it does.
    pub func: Option<u32>,
}

/// What is to be joined.
#[derive(Debug)]
pub struct Parts<'a> {
    /// By function number. What is in the object already is let go of, so that nothing is held twice.
    pub functions: Vec<Function<'a>>,
    /// By global number.
    pub data: &'a [Datum<'a>],
    /// Other names.
    pub aliases: &'a [Alias<'a>],
    /// Functions that code may name by `library_base + k`.
    pub library: &'a [&'a str],
    /// See `library`.
    pub library_base: u32,
    /// `e_flags` of the object.
    pub flags: u32,
    /// The bytes of its section of build attributes, if the machine has one.
    pub attributes: &'a [u8],
    /// Unwinders are told of the functions.
    pub unwind: bool,
    /// Data that hold the addresses of what exceptions find, by number.
    pub cells: &'a [(Target, u32)],
}

/// Symbols by what code calls them: functions, then data, then the library.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    rows: Vec<Opt<Symbol>>,
    /// The row of the first datum.
    data: usize,
    /// The row of the first function of the library, and what code calls that.
    library: (usize, u32),
}

impl Symbols {
    pub(super) fn row(&self, target: Target) -> usize {
        match target {
            Target::Func(n) if n >= self.library.1 => self.library.0 + (n - self.library.1) as usize,
            Target::Func(n) => n as usize,
            Target::Global(n) => self.data + n as usize,
        }
    }
}

/// An object whose code is still in pieces.
#[derive(Debug)]
pub struct Assembled {
    /// All but the contents of `.text` and its relocations.
    pub object: Object<'static>,
    /// `.text`; none if all is in the object.
    pub text: Opt<Section>,
    /// The code in `.text`, in order, and where each piece starts; what lies between is padding.
    pub codes: Vec<(u32, Code)>,
    symbols: Symbols,
}

impl From<Object<'static>> for Assembled {
    fn from(object: Object<'static>) -> Assembled {
        Assembled { object, text: Opt::NONE, codes: Vec::new(), symbols: Symbols::default() }
    }
}

/// Joins code, which stays in pieces, and data, with what debuggers are to be told. `Err` if there is more of
/// a section than an object of the machine can hold.
#[inline(never)]
pub fn assemble(
    machine: &'static Machine,
    mut parts: Parts,
    debug: Option<&Debug>,
    workers: &Workers,
) -> Result<Assembled, String> {
    let mut object = Object::new(machine);
    object.flags = parts.flags;
    let (functions, data) = (parts.functions.len(), parts.functions.len() + parts.data.len());
    let rows = vec![Opt::NONE; data + parts.library.len()];
    let mut symbols = Symbols { rows, data: functions, library: (data, parts.library_base) };
    let (text, homes, extents) = code(&mut object, &parts)?;
    let with_code: Vec<Section> = object.sections.keys().skip(text.index()).collect();
    let places = initialised(&mut object, &parts)?;
    if let Some(debug) = debug {
        let placed = parts.functions.iter().zip(&homes).zip(&extents);
        let code: Vec<_> = placed.map(|((f, &home), extent)| (f.code.as_ref(), home, extent.0)).collect();
        dwarf::append(&mut object, debug, &Placed { text: &with_code, code: &code, data: &places })?;
    }
    if parts.unwind && !machine.is_indexed {
        let defined = parts.functions.iter().zip(&extents).zip(&homes);
        let defined = defined.filter_map(|((f, extent), home)| Some((f.code.as_ref()?, *home, extent.0)));
        let cells = parts.cells.iter().map(|&(of, datum)| (of, places[datum as usize])).collect();
        frames::append(&mut object, text, defined, &cells)?;
    }
    for global in [false, true] {
        for &section in &with_code {
            if !global && !machine.code_mark.is_empty() && object.sections[section].size > 0 {
                object.add_symbol(machine.code_mark, SymbolRow::new(Place::In(section)));
            }
        }
        let is_turn = |binding: Binding| (binding != Binding::Local) == global;
        for (k, function) in parts.functions.iter().enumerate().filter(|(_, f)| is_turn(f.binding)) {
            if function.code.is_some() {
                let ((value, size), binding) = (extents[k], function.binding);
                let place = Place::In(homes[k]);
                let (kind, visibility) = (STT_FUNC, function.visibility);
                let row = SymbolRow { value, size, binding, kind, visibility, ..SymbolRow::new(place) };
                symbols.rows[k] = Opt::some(object.add_symbol(function.name, row));
            }
        }
        let defined = parts.data.iter().enumerate().filter(|(_, datum)| datum.is_defined);
        for (k, datum) in defined.filter(|(_, datum)| is_turn(datum.binding)) {
            let ((section, value), size, binding) = (places[k], datum.bytes, datum.binding);
            let kind = if datum.thread { STT_TLS } else { STT_OBJECT };
            let (place, value) =
                if datum.common { (Place::Common, datum.align.into()) } else { (Place::In(section), value) };
            let visibility = datum.visibility;
            let row = SymbolRow { value, size, binding, kind, visibility, ..SymbolRow::new(place) };
            symbols.rows[functions + k] = Opt::some(object.add_symbol(datum.name, row));
        }
    }
    for alias in parts.aliases {
        let datum = &parts.data[alias.of as usize];
        let named = datum.func.map_or(functions + alias.of as usize, |func| func as usize);
        let Some(symbol) = symbols.rows[named].get() else { continue };
        let row = object.symbols[symbol];
        let row = SymbolRow {
            binding: alias.binding,
            visibility: alias.visibility,
            value: row.value + u64::from(alias.offset),
            ..row
        };
        let symbol = Opt::some(object.add_symbol(alias.name, row));
        alias.func.into_iter().for_each(|func| symbols.rows[func as usize] = symbol);
    }
    apart(&mut object, &mut symbols, &parts, (&homes, &extents));
    if parts.unwind && machine.is_indexed {
        index::append(&mut object, &mut symbols, &parts, (&homes, &extents));
    }
    let codes = parts.functions.iter_mut().zip(&extents).filter(|(f, _)| f.section.is_none());
    let codes: Vec<(u32, Code)> =
        codes.filter_map(|(f, extent)| Some((extent.0 as u32, f.code.take()?))).collect();
    for row in undefined(&codes, &symbols, workers) {
        symbol(&mut object, &mut symbols, &parts, row);
    }
    addresses(&mut object, &mut symbols, &parts, &places);
    object.sections.push(SectionRow::new(".note.GNU-stack", SectionKind::Data, 0, 1));
    if let Some((name, kind)) = machine.attributes {
        let attributes = SectionRow::new(name, SectionKind::Other(kind), 0, 1);
        object.sections.push(attributes.with(parts.attributes.to_vec()));
    }
    Ok(Assembled { object, text: Opt::some(text), codes, symbols })
}

/// The symbol of a row, which is made if nothing has named it yet: it is defined elsewhere. The address of a function has
/// the function's.
pub(super) fn symbol(object: &mut Object, symbols: &mut Symbols, parts: &Parts, row: usize) -> Symbol {
    let datum = row.checked_sub(symbols.data).and_then(|k| parts.data.get(k));
    let named = datum.and_then(|datum| datum.func).map_or(row, |func| func as usize);
    let known = symbols.rows[named].get();
    let symbol = known.unwrap_or_else(|| {
        let name = match (named.checked_sub(symbols.library.0), datum) {
            (Some(k), _) => parts.library[k],
            (_, Some(datum)) => datum.name,
            _ => parts.functions[named].name,
        };
        let said = datum.filter(|datum| datum.func.is_none()).map(|datum| datum.binding);
        let said = said.or(parts.functions.get(named).map(|function| function.binding));
        let binding = if said == Some(Binding::Weak) { Binding::Weak } else { Binding::Global };
        let kind = if datum.is_some_and(|datum| datum.thread) { STT_TLS } else { 0 };
        let seen = datum.filter(|datum| datum.func.is_none()).map(|datum| datum.visibility);
        let visibility = seen.or(parts.functions.get(named).map(|function| function.visibility)).unwrap_or(0);
        object.add_symbol(name, SymbolRow { binding, kind, visibility, ..SymbolRow::new(Place::Undefined) })
    });
    (symbols.rows[named], symbols.rows[row]) = (Opt::some(symbol), Opt::some(symbol));
    symbol
}

/// Makes the addresses in data relocations, in the order of places. O(addresses).
fn addresses(object: &mut Object, symbols: &mut Symbols, parts: &Parts, places: &[(Section, u64)]) {
    let machine = object.machine;
    let absolute = machine.absolute[usize::from(machine.is_64)];
    let defined = parts.data.iter().zip(places).enumerate().filter(|(_, (datum, _))| datum.is_defined);
    for (k, (datum, &(section, start))) in defined {
        for &Address { at, to, offset: behind, from_start } in &datum.addresses {
            let row = symbols.row(to);
            let symbol_of = symbol(object, symbols, parts, row);
            let offset = start + at;
            // What is counted from the start is that much more from the place in it.
            let from_place = behind.wrapping_add(at as i64);
            let (kind, addend) = match (from_start, machine.relative_wide) {
                (None, _) => (absolute, behind),
                (Some(8), &[kind]) => (kind, from_place),
                (Some(8), &[added, _]) => (added, behind),
                _ => (machine.relative, from_place),
            };
            let bytes = 4;
            let offset = offset as u32;
            object.sections[section].relocs.push(Reloc { offset, kind, symbol: symbol_of, addend });
            if from_start == Some(8)
                && let &[_, kind] = machine.relative_wide
            {
                let row = symbols.row(Target::Global(k as u32));
                let symbol = symbol(object, symbols, parts, row);
                object.sections[section].relocs.push(Reloc { offset, kind, symbol, addend: 0 });
            }
            if !machine.is_64 {
                // The addend stands in place.
                let offset = offset as usize;
                let place = object.sections[section].data.to_mut().get_mut(offset..offset + bytes);
                place.into_iter().for_each(|place| place.copy_from_slice(&addend.to_le_bytes()[..bytes]));
            }
        }
    }
}

/// Bytes of code, or places that depend on addresses, that make one job.
const TOGETHER: usize = 1 << 16;

/// Code cut into jobs, where about `TOGETHER` of what `size` counts is full.
pub fn jobs(codes: &[(u32, Code)], size: impl Fn(&Code) -> usize) -> Vec<Range<usize>> {
    let (mut cuts, mut start, mut all) = (Vec::new(), 0, 0);
    for (k, (_, code)) in codes.iter().enumerate() {
        all += size(code);
        if all >= TOGETHER {
            cuts.push(start..k + 1);
            (start, all) = (k + 1, 0);
        }
    }
    if start < codes.len() {
        cuts.push(start..codes.len());
    }
    cuts
}

/// The rows of what code names and has no symbol yet, in the order in which it is named; some are there once
/// a job.
fn undefined(codes: &[(u32, Code)], symbols: &Symbols, workers: &Workers) -> Vec<usize> {
    let named = workers.map(
        &mut jobs(codes, |code| code.fixups.len()),
        || vec![false; symbols.rows.len()],
        |known, _, job| {
            let mut new = Vec::new();
            for fixup in codes[job.clone()].iter().flat_map(|(_, code)| &code.fixups) {
                let row = symbols.row(fixup.target);
                if symbols.rows[row].is_none() && !std::mem::replace(&mut known[row], true) {
                    new.push(row);
                }
            }
            new.iter().for_each(|&row| known[row] = false);
            new
        },
    );
    named.concat()
}

/// Relocations of one function's code, by ascending offset.
pub fn relocations<'a>(
    assembled: &'a Assembled,
    (start, code): &'a (u32, Code),
) -> impl Iterator<Item = Reloc> + 'a {
    code.fixups.iter().map(move |fixup| Reloc {
        offset: start + fixup.offset,
        kind: fixup.kind,
        symbol: assembled.symbols.rows[assembled.symbols.row(fixup.target)].get().unwrap_or(Symbol::new(0)),
        addend: i64::from(fixup.addend),
    })
}

/// The bytes from one function to the next: its code, and what fills the gap to `end`.
pub fn filled(machine: &Machine, (start, code): &(u32, Code), end: u64, out: &mut Vec<u8>) {
    fill(machine, code, end - u64::from(*start), out);
}

/// The code of a function in so many bytes.
fn fill(machine: &Machine, code: &Code, bytes: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&code.bytes);
    let gap = bytes - code.bytes.len() as u64;
    let (first, padding) = (out.len(), machine.code_padding);
    out.resize(first + gap as usize, 0);
    // With instructions that do nothing, where a whole number of them fits.
    if !padding.is_empty() && gap.is_multiple_of(padding.len() as u64) {
        out[first..].chunks_mut(padding.len()).for_each(|place| place.copy_from_slice(padding));
    }
}

/// Puts the code and its relocations into the object.
pub fn flat(assembled: Assembled, workers: &Workers) -> Object<'static> {
    let Some(text) = assembled.text.get() else { return assembled.object };
    let machine = assembled.object.machine;
    let size = assembled.object.sections[text].size;
    let codes = &assembled.codes;
    let fixups = |codes: &[(u32, Code)]| codes.iter().map(|(_, code)| code.fixups.len()).sum();
    let mut bytes = vec![0; size as usize];
    let mut relocs = vec![Reloc { offset: 0, kind: 0, symbol: Symbol::new(0), addend: 0 }; fixups(codes)];
    let mut rest = (&mut bytes[..], &mut relocs[..]);
    let mut places = Vec::new();
    for job in jobs(codes, |code| code.bytes.len()) {
        let end = codes.get(job.end).map_or(size, |code| u64::from(code.0));
        let (place, behind) = rest.0.split_at_mut((end - u64::from(codes[job.start].0)) as usize);
        let (own, others) = rest.1.split_at_mut(fixups(&codes[job.clone()]));
        rest = (behind, others);
        places.push((job, place, own));
    }
    workers.map(&mut places, Vec::new, |room, _, (job, place, relocs)| {
        room.clear();
        for k in job.clone() {
            let end = codes.get(k + 1).map_or(size, |code| u64::from(code.0));
            filled(machine, &codes[k], end, room);
        }
        place.copy_from_slice(room);
        let made = codes[job.clone()].iter().flat_map(|code| relocations(&assembled, code));
        relocs.iter_mut().zip(made).for_each(|(place, reloc)| *place = reloc);
    });
    let mut object = assembled.object;
    object.sections[text].data = Cow::Owned(bytes);
    object.sections[text].relocs = relocs;
    object
}

/// The most bytes that a section's relocations can name.
const MOST: u64 = u32::MAX as u64;

/// The section of most functions; of each function its section, and there its start and length.
type Laid = (Section, Vec<Section>, Vec<(u64, u64)>);

/// Where functions go in `.text` and in sections of their own: which section it is, where each starts there, and how long
/// it is, in bytes.
fn code(object: &mut Object, parts: &Parts) -> Result<Laid, String> {
    let align = object.machine.code_align;
    let mut extents = vec![(0, 0); parts.functions.len()];
    let mut sections = vec![(".text", 0u64)];
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let first = Section::new(object.sections.len());
    let mut homes = vec![first; parts.functions.len()];
    for (k, function) in parts.functions.iter().enumerate() {
        let Some(code) = &function.code else { continue };
        let at = match function.section {
            None => 0,
            Some(name) => *known.entry(name).or_insert_with(|| {
                sections.push((name, 0));
                sections.len() - 1
            }),
        };
        homes[k] = Section::new(first.index() + at);
        let total = &mut sections[at].1;
        extents[k] = (*total, code.bytes.len() as u64);
        *total += extents[k].1.next_multiple_of(align);
    }
    for (name, size) in sections {
        if size > MOST {
            return Err(format!("{size} bytes of code are more than an object can hold"));
        }
        let row = SectionRow::new(name.to_string(), SectionKind::Data, SHF_ALLOC | SHF_EXECINSTR, align);
        object.sections.push(SectionRow { size, ..row });
    }
    Ok((first, homes, extents))
}

/// Puts the code of functions that name a section there, with its relocations. O(bytes of these).
fn apart(
    object: &mut Object,
    symbols: &mut Symbols,
    parts: &Parts,
    (homes, extents): (&[Section], &[(u64, u64)]),
) {
    for (k, function) in parts.functions.iter().enumerate().filter(|(_, row)| row.section.is_some()) {
        let Some(code) = &function.code else { continue };
        let (home, start) = (homes[k], extents[k].0);
        let end = start + extents[k].1.next_multiple_of(object.machine.code_align);
        let mut relocs = Vec::new();
        for fixup in &code.fixups {
            let row = symbols.row(fixup.target);
            let symbol = symbol(object, symbols, parts, row);
            let (offset, kind, addend) = (start as u32 + fixup.offset, fixup.kind, i64::from(fixup.addend));
            relocs.push(Reloc { offset, kind, symbol, addend });
        }
        let machine = object.machine;
        let section = &mut object.sections[home];
        fill(machine, code, end - start, section.data.to_mut());
        section.relocs.extend(relocs);
    }
}

/// Makes the sections of data that are not empty; returns where each datum is.
fn initialised(object: &mut Object, parts: &Parts) -> Result<Vec<(Section, u64)>, String> {
    const NAMES: [&str; 6] = [".rodata", ".data.rel.ro", ".data", ".bss", ".tdata", ".tbss"];
    let mut places = vec![(Section::new(0), 0); parts.data.len()];
    for which in DataSection::ALL {
        let is_member =
            |datum: &Datum| datum.is_placed() && datum.section.is_none() && section(datum) == which;
        let members = parts.data.iter().enumerate().filter(|(_, datum)| is_member(datum)).map(|(k, _)| k);
        let kind = if which.is_zeros() { SectionKind::Zeros } else { SectionKind::Data };
        let flags = if which == DataSection::Rodata { SHF_ALLOC } else { SHF_ALLOC | SHF_WRITE };
        let flags = if which.is_thread() { flags | SHF_TLS } else { flags };
        let row = SectionRow::new(NAMES[which as usize], kind, flags, 1);
        lie(object, parts, row, members, &mut places)?;
    }
    for (name, members) in named(parts.data) {
        let kind = array(name).map_or(SectionKind::Data, |(_, number)| SectionKind::Array(number));
        let flags = if is_written(parts.data, &members) { SHF_ALLOC | SHF_WRITE } else { SHF_ALLOC };
        let row = SectionRow::new(name.to_string(), kind, flags, 1);
        lie(object, parts, row, members.into_iter(), &mut places)?;
    }
    Ok(places)
}

/// Lays data into a section, which is made if they take room.
fn lie(
    object: &mut Object,
    parts: &Parts,
    row: SectionRow<'static>,
    members: impl Iterator<Item = usize>,
    places: &mut [(Section, u64)],
) -> Result<(), String> {
    let (mut bytes, mut size, mut most_align) = (Vec::new(), 0u64, 1);
    let (place, has_bytes) = (Section::new(object.sections.len()), row.kind != SectionKind::Zeros);
    for k in members {
        let datum = &parts.data[k];
        let align = u64::from(datum.align);
        most_align = most_align.max(align);
        size = size.next_multiple_of(align);
        places[k] = (place, size);
        if has_bytes {
            bytes.resize(size as usize, 0);
            append_image(&mut bytes, datum);
        }
        size = size.saturating_add(datum.bytes);
        if has_bytes {
            if size > MOST {
                return Err(format!("{size} bytes of {} are more than an object can hold", row.name));
            }
            bytes.resize(size as usize, 0);
        }
    }
    if size > 0 {
        object.sections.push(SectionRow { size, data: Cow::Owned(bytes), align: most_align, ..row });
    }
    Ok(())
}
