//! What relocations ask the linker to make: entries in the table of addresses (GOT), and stubs for functions
//! whose address is found when the program starts (`STT_GNU_IFUNC`). Also where undefined names are found.
//!
//! One pass over the relocations of loaded sections; sections that are not loaded make no demands. All
//! entries are filled in by `apply`: a static program knows every address but those of indirect functions.

use super::apply::MOST_ERRORS;
use super::pie::{Late, Pie};
use super::*;
use crate::base::intern::DenseMap;
use crate::object::format::{relocation_size, word_size};
use crate::object::module::*;
use crate::object::reloc::{Rows, What};

/// What an entry of the table holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Entry {
    /// An address.
    Address,
    /// An offset from the thread pointer.
    Tp,
    /// Two words: the module, and the offset in its block.
    Gd,
    /// Two words: the module, and 0.
    Ld,
    /// The address that an indirect function has when the program runs.
    Indirect,
}

/// What there is to make.
pub(super) struct Demand {
    /// What relocations mean on the machine.
    pub(super) rows: Rows,
    /// The entries of the GOT in order: symbol, addend, kind, and offset.
    pub(super) got: Vec<(Sym, i64, Entry, u64)>,
    /// Where an entry is.
    slots: DenseMap<(u32, i64, u8), u64>,
    /// Indirect functions, in the order of their stubs.
    pub(super) indirect: Vec<Sym>,
    /// The number of a function's stub.
    stubs: DenseMap<u32, u32>,
    /// The sections of the linker's own; there are none where nothing is demanded.
    pub(super) got_piece: Opt<Piece>,
    pub(super) stub_piece: Opt<Piece>,
    pub(super) reloc_piece: Opt<Piece>,
    /// What there is besides if the program is loaded anywhere.
    pub(super) pie: Pie,
}

impl Demand {
    /// The offset of an entry in the GOT.
    pub(super) fn slot(&self, sym: Sym, addend: i64, entry: Entry) -> Option<u64> {
        self.slots.get(&(sym.index() as u32, addend, entry as u8)).copied()
    }

    /// The offset of an indirect function's stub.
    pub(super) fn stub(&self, p: &Program<'_>, sym: Sym) -> Option<u64> {
        self.stubs.get(&(sym.index() as u32)).map(|&number| u64::from(number) * stub_size(p))
    }

    fn add(&mut self, word: u64, sym: Sym, addend: i64, entry: Entry) {
        let offset = self.got.last().map_or(0, |&(_, _, last, at)| at + words(last) * word);
        let slot = self.slots.entry((sym.index() as u32, addend, entry as u8)).or_insert(offset);
        if *slot == offset {
            self.got.push((sym, addend, entry, offset));
        }
    }
}

fn words(entry: Entry) -> u64 {
    if matches!(entry, Entry::Gd | Entry::Ld) { 2 } else { 1 }
}

/// Bytes of a stub.
pub(super) fn stub_size(p: &Program<'_>) -> u64 {
    4 * p.stub().words.len() as u64
}

/// The entry that a kind of relocation needs.
pub(super) fn entry_of(what: What) -> Option<Entry> {
    match what {
        What::Got => Some(Entry::Address),
        What::GotTp => Some(Entry::Tp),
        What::GotGd => Some(Entry::Gd),
        What::GotLd => Some(Entry::Ld),
        _ => None,
    }
}

/// The symbol under which an entry is kept.
pub(super) fn owner(p: &Program<'_>, definition: Sym, entry: Entry) -> Sym {
    if entry == Entry::Ld { p.entry } else { definition }
}

/// How much of an addend is part of what an entry holds, and how much is added to the entry's address.
pub(super) fn split_addend(machine: &Machine, addend: i64) -> (i64, i64) {
    if machine.entry_has_addend { (addend, 0) } else { (0, addend) }
}

/// True if nothing is to be made for a relocation, and nothing to be said of it: the most common case.
#[inline(always)]
fn is_plain(p: &Program<'_>, rows: &Rows, piece: Piece, reloc: &Reloc) -> bool {
    let sym = p.sym(p.file_of[piece], reloc.symbol);
    let Some(kind) = rows.get(reloc.kind) else { return false };
    let is_inside = u64::from(reloc.offset) + u64::from(kind.size) <= p.row(piece).data.len() as u64;
    let is_late = p.pie && !matches!(pie::late(p, kind, sym), Late::No);
    let is_special = p.symbols.flags[sym] & (flag::UNDEFINED | flag::IFUNC) != 0;
    is_inside && !is_late && !is_special && entry_of(kind.what).is_none()
}

/// The parts of a section's relocations that are to be looked at one by one: all of them, or those in which workers found one
/// that is not plain.
fn special(p: &Program<'_>, rows: &Rows, piece: Piece, workers: Option<&Workers>) -> Vec<Range<usize>> {
    let relocs = &p.row(piece).relocs;
    let Some((mut parts, workers)) = parts_of(relocs.len(), workers) else {
        return std::iter::once(0..relocs.len()).collect();
    };
    let are_plain = workers.map(
        &mut parts,
        || (),
        |_, _, part| relocs[part.clone()].iter().all(|reloc| is_plain(p, rows, piece, reloc)),
    );
    parts.into_iter().zip(are_plain).filter(|(_, is_plain)| !is_plain).map(|(part, _)| part).collect()
}

/// Looks at every relocation; makes the sections that are needed, of the right size and empty.
pub(super) fn scan(p: &mut Program<'_>, workers: Option<&Workers>) -> Result<Demand, Vec<LinkError>> {
    let mut demand = Demand {
        rows: Rows::new(p.machine),
        got: Vec::new(),
        slots: DenseMap::default(),
        indirect: Vec::new(),
        stubs: DenseMap::default(),
        got_piece: Opt::NONE,
        stub_piece: Opt::NONE,
        reloc_piece: Opt::NONE,
        pie: Pie::default(),
    };
    let word = word_size(p.machine.is_64);
    let (mut errors, mut missing) = (Vec::new(), Missing::default());
    for piece in p.live.iter() {
        let (row, file) = (p.row(piece), p.file_of[piece]);
        if row.flags & SHF_ALLOC == 0 {
            continue;
        }
        for reloc in special(p, &demand.rows, piece, workers).into_iter().flat_map(|part| &row.relocs[part]) {
            let Some(kind) = demand.rows.get(reloc.kind) else {
                let message = format!(
                    "section {}: relocation of unknown kind {} at {:#x}, for '{}'",
                    row.name,
                    reloc.kind,
                    reloc.offset,
                    p.name_of(p.sym(file, reloc.symbol))
                );
                errors.push(p.error(file, message));
                continue;
            };
            if u64::from(reloc.offset) + u64::from(kind.size) > row.data.len() as u64 {
                let message =
                    format!("section {}: {} at {:#x} is outside of it", row.name, kind.name, reloc.offset);
                errors.push(p.error(file, message));
                continue;
            }
            if kind.what == What::Nothing {
                continue;
            }
            let sym = p.sym(file, reloc.symbol);
            let flags = p.symbols.flags[sym];
            if flags & (flag::UNDEFINED | flag::WEAK) == flag::UNDEFINED {
                missing.add(p.name_of(sym), file);
                continue;
            }
            if p.pie {
                match pie::late(p, kind, sym) {
                    Late::No => {}
                    Late::Word if row.flags & SHF_WRITE != 0 => demand.pie.places += 1,
                    late if errors.len() < MOST_ERRORS => {
                        errors.push(pie::complaint(p, piece, reloc, (kind, late), sym))
                    }
                    _ => {}
                }
            }
            let definition = p.symbols.definition[sym];
            if flags & flag::IFUNC != 0 && flags & flag::UNDEFINED == 0 {
                let number = demand.indirect.len() as u32;
                if *demand.stubs.entry(definition.index() as u32).or_insert(number) == number {
                    demand.indirect.push(definition);
                }
            }
            if let Some(entry) = entry_of(kind.what) {
                demand.add(word, owner(p, definition, entry), split_addend(p.machine, reloc.addend).0, entry);
            }
        }
    }
    errors.extend(missing.errors(p));
    if !errors.is_empty() {
        return Err(errors);
    }
    for k in 0..demand.indirect.len() {
        let sym = demand.indirect[k];
        demand.add(word, sym, 0, Entry::Indirect);
    }
    make_sections(p, &mut demand, word);
    if p.pie {
        pie::make_sections(p, &mut demand)?;
    }
    Ok(demand)
}

fn make_sections(p: &mut Program<'_>, demand: &mut Demand, word: u64) {
    let count = demand.indirect.len() as u64;
    let got = demand.got.last().map_or(0, |&(_, _, entry, at)| at + words(entry) * word);
    let has_base =
        p.edges.iter().any(|(_, edge)| matches!(edge, resolve::Edge::Start(name) if name == ".got"));
    if got > 0 || has_base {
        demand.got_piece = Opt::some(p.add_section(own_section(".got", SHF_WRITE, word, got)));
    }
    if count > 0 {
        let stubs = own_section(".iplt", SHF_EXECINSTR, 16, count * stub_size(p));
        demand.stub_piece = Opt::some(p.add_section(stubs));
        if p.pie {
            return;
        }
        let entry = relocation_size(p.machine.is_64);
        let name = if p.machine.is_64 { ".rela.iplt" } else { ".rel.iplt" };
        let mut relocs = own_section(name, 0, word, count * entry);
        relocs.entry_size = entry;
        demand.reloc_piece = Opt::some(p.add_section(relocs));
    }
}

/// A section of the linker's own, filled with zeros for now.
pub(super) fn own_section(name: &'static str, flags: u64, align: u64, size: u64) -> SectionRow<'static> {
    SectionRow::new(name, SectionKind::Data, SHF_ALLOC | flags, align).with(vec![0; size as usize])
}

/// Names that are wanted and not there, and the objects that want them.
#[derive(Default)]
struct Missing {
    names: Interner,
    /// By name, in order of first sight: objects, each once.
    files: Vec<Vec<File>>,
}

impl Missing {
    fn add(&mut self, name: &str, file: File) {
        let name = self.names.intern(name).index();
        if name == self.files.len() {
            self.files.push(Vec::new());
        }
        if self.files[name].last() != Some(&file) {
            self.files[name].push(file);
        }
    }

    fn errors(&self, p: &Program<'_>) -> Vec<LinkError> {
        let mut errors = Vec::new();
        for (number, files) in self.files.iter().enumerate() {
            let name = self.names.text(crate::base::Name::new(number));
            if name == "main" {
                let message = "nothing defines 'main', where the program starts".to_string();
                errors.push(LinkError { file: String::new(), message });
                continue;
            }
            let more = match files.len() - 1 {
                0 => String::new(),
                1 => format!(" (and by {})", p.files[files[1]].name),
                more => format!(" (and by {more} others)"),
            };
            let message = format!("'{name}' is used here and defined nowhere{more}");
            errors.push(p.error(files[0], message));
        }
        errors
    }
}
