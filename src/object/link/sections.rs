//! Output sections: which pieces stand together, under which name, and in which order.
//!
//! A piece goes to the section that its name says, less what compilers append to tell functions apart
//! (`.text.f`). Sections are sorted by a rank, so that what has the same rights in memory stands together.
//! O(pieces log pieces).

use super::*;
use crate::base::intern::DenseMap;
use crate::object::format::word_size;
use crate::object::module::*;

/// A section of the program.
pub(super) struct OutRow {
    pub(super) name: String,
    pub(super) kind: SectionKind,
    pub(super) flags: u64,
    pub(super) align: u64,
    pub(super) entry_size: u64,
    /// In the order in which they stand.
    pub(super) pieces: Vec<Piece>,
    pub(super) rank: u32,
    pub(super) address: u64,
    pub(super) offset: u64,
    /// Bytes in memory; in the file too, unless it is zeros only.
    pub(super) size: u64,
}

/// Names under which those with a suffix are put.
const FAMILIES: [&str; 18] = [
    ".text",
    ".rodata",
    ".data.rel.ro",
    ".data",
    ".bss",
    ".sdata",
    ".sbss",
    ".srodata",
    ".tdata",
    ".tbss",
    ".init_array",
    ".fini_array",
    ".preinit_array",
    ".ctors",
    ".dtors",
    ".gcc_except_table",
    ".ARM.exidx",
    ".ARM.extab",
];

/// The first rank that is not for reading only, that is not for running, and that is not loaded.
pub(super) const RUN: u32 = 100;
pub(super) const CHANGE: u32 = 200;
pub(super) const UNLOADED: u32 = 300;
/// Within those that change: the first that is not thread-local, and the first that is zeros.
pub(super) const SHARED: u32 = 210;
pub(super) const ZEROS: u32 = 280;

/// Names with a place of their own, within their segment.
const RANKS: [(&str, u32); 29] = [
    (".rela.iplt", 1),
    (".rel.iplt", 1),
    (".dynsym", 2),
    (".dynstr", 3),
    (".rela.dyn", 4),
    (".rel.dyn", 4),
    (".srodata", 11),
    (".rodata", 12),
    (".eh_frame_hdr", 89),
    (".eh_frame", 90),
    (".gcc_except_table", 91),
    (".ARM.extab", 92),
    (".ARM.exidx", 93),
    (".init", RUN),
    (".iplt", RUN + 1),
    (".text", RUN + 2),
    (".fini", RUN + 90),
    (".preinit_array", SHARED),
    (".init_array", SHARED + 1),
    (".fini_array", SHARED + 2),
    (".ctors", SHARED + 3),
    (".dtors", SHARED + 4),
    (".data.rel.ro", SHARED + 5),
    (".dynamic", SHARED + 6),
    (".got", SHARED + 6),
    (".data", SHARED + 7),
    (".sdata", SHARED + 60),
    (".sbss", ZEROS),
    (".bss", ZEROS + 1),
];

/// The output section of an input section's name.
fn family(name: &str) -> &str {
    // Of ARM's, the name of any section of code follows.
    let in_family = |family: &&str| {
        name.strip_prefix(*family).is_some_and(|rest| rest.starts_with('.') || family.starts_with(".ARM"))
    };
    FAMILIES.into_iter().find(in_family).unwrap_or(name)
}

fn rank(out: &OutRow) -> u32 {
    if out.flags & SHF_ALLOC == 0 {
        return UNLOADED;
    }
    let (first, last) = match out.flags & (SHF_WRITE | SHF_EXECINSTR | SHF_TLS) {
        0 => (0, RUN),
        // Bytes of the file first.
        flags if flags & SHF_TLS != 0 => return CHANGE + u32::from(out.kind == SectionKind::Zeros),
        flags if flags & SHF_WRITE != 0 && out.kind == SectionKind::Zeros => (ZEROS, UNLOADED),
        flags if flags & SHF_WRITE != 0 => (SHARED, ZEROS),
        _ => (RUN, CHANGE),
    };
    let named = RANKS.iter().find(|(name, _)| *name == out.name).map(|&(_, rank)| rank);
    let other = match out.kind {
        SectionKind::Note => first,
        _ if first == SHARED => SHARED + 40,
        _ => first + 50,
    };
    // A name alone does not move a section into another segment.
    named.filter(|rank| (first..last).contains(rank)).unwrap_or(other.min(last - 1))
}

/// Groups all live pieces.
pub(super) fn collect(p: &Program<'_>) -> Column<Out, OutRow> {
    let mut outs: Vec<OutRow> = Vec::new();
    let (mut names, mut numbers) = (Interner::default(), DenseMap::default());
    for piece in p.live.iter() {
        let row = p.row(piece);
        let name = names.intern(family(&row.name)).index() as u32;
        let fresh = outs.len() as u32;
        let loaded = row.flags & SHF_ALLOC;
        let number = *numbers.entry((name, loaded)).or_insert(fresh);
        if number == fresh {
            outs.push(OutRow {
                name: family(&row.name).to_string(),
                kind: row.kind,
                flags: row.flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR | SHF_TLS),
                align: 1,
                entry_size: row.entry_size,
                pieces: Vec::new(),
                rank: 0,
                address: 0,
                offset: 0,
                size: 0,
            });
        }
        let out = &mut outs[number as usize];
        if out.kind == SectionKind::Zeros && row.size > 0 {
            out.kind = row.kind;
        }
        out.flags |= row.flags & (SHF_WRITE | SHF_EXECINSTR);
        out.align = out.align.max(row.align);
        out.entry_size = if out.entry_size == row.entry_size { out.entry_size } else { 0 };
        out.pieces.push(piece);
    }
    for out in &mut outs {
        if out.kind == SectionKind::Zeros && out.flags & (SHF_WRITE | SHF_TLS) == 0 {
            // Read-only zeros stand between bytes of the file.
            out.kind = SectionKind::Data;
        }
        if matches!(out.kind, SectionKind::Array(_)) {
            out.align = out.align.max(word_size(p.machine.is_64));
        }
        out.rank = rank(out);
        if out.name.ends_with("_array") {
            // By priority, those without one last; equal ones in the order of the files.
            out.pieces.sort_by_key(|&piece| priority(&p.row(piece).name));
        }
    }
    outs.sort_by_key(|out| out.rank);
    // A thread's copy is aligned as a whole, and so has to be what is copied.
    let is_tls = |out: &&mut OutRow| (CHANGE..SHARED).contains(&out.rank);
    let align = outs.iter_mut().filter(is_tls).map(|out| out.align).max();
    if let (Some(align), Some(first)) = (align, outs.iter_mut().find(|out| is_tls(out))) {
        first.align = align;
    }
    Column::from(outs)
}

fn priority(name: &str) -> u32 {
    name.rsplit_once('.').and_then(|(_, number)| number.parse().ok()).unwrap_or(u32::MAX)
}
