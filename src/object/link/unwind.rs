//! Unwind information follows the code that it is for: entries of `.eh_frame`, and ARM's sections of index
//! entries.
//!
//! `.eh_frame` is one section an object, with a record for each function (FDE), and records that several
//! share (CIE); see the Linux Standard Base, "Exception Frames". Records of code that is not in the program
//! are cut out. A section that is not understood is kept whole. O(records log records).

use super::*;
use crate::object::module::*;
use std::borrow::Cow;

/// The section.
pub(super) const FRAMES: &str = ".eh_frame";

/// What goes along with a section of code.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tie {
    /// A section.
    Section(Piece),
    /// Row of `Entries::rows`.
    Entry(u32),
}

/// A record.
struct EntryRow {
    piece: Piece,
    offset: u32,
    len: u32,
    /// The CIE of an FDE; a CIE's own number.
    shared: u32,
    /// Its relocations in the section.
    relocs: (u32, u32),
    live: bool,
}

/// All records of all objects.
#[derive(Default)]
pub(super) struct Entries {
    rows: Vec<EntryRow>,
    /// Code, and what goes along with it; sorted.
    ties: Vec<(Piece, Tie)>,
    /// Sections that are reached through their records only.
    covered: Vec<Piece>,
}

impl Entries {
    pub(super) fn collect(p: &Program<'_>) -> Entries {
        let mut all = Entries::default();
        for file in p.files.keys() {
            let row = &p.files[file];
            for &(section, code) in &row.object.links {
                if row.object.sections[section].flags & SHF_ALLOC != 0 {
                    all.ties.push((p.piece(file, code), Tie::Section(p.piece(file, section))));
                }
            }
            for (section, data) in row.object.sections.iter() {
                if data.name == FRAMES && !p.keep_unused && !row.dropped.contains(section) {
                    all.split(p, file, p.piece(file, section));
                }
            }
        }
        all.ties.sort_unstable();
        all.covered.sort_unstable();
        all
    }

    /// Splits a section into its records; all of them or none.
    fn split(&mut self, p: &Program<'_>, file: File, piece: Piece) {
        let row = p.row(piece);
        let (first_row, first_tie) = (self.rows.len(), self.ties.len());
        if self.try_split(p, file, piece, row).is_none() {
            self.rows.truncate(first_row);
            self.ties.truncate(first_tie);
        } else if self.rows.len() > first_row {
            self.covered.push(piece);
        }
    }

    fn try_split(&mut self, p: &Program<'_>, file: File, piece: Piece, row: &SectionRow<'_>) -> Option<()> {
        let first = self.rows.len();
        let (mut at, mut reloc) = (0, 0);
        while at < row.data.len() {
            let (end, start) = record(&row.data, at)?;
            let from = reloc;
            while row.relocs.get(reloc).is_some_and(|row| (row.offset as usize) < end) {
                reloc += 1;
            }
            let number = self.rows.len() as u32;
            let shared = if let Some(start) = start {
                let found =
                    self.rows[first..].binary_search_by_key(&(start as u32), |row| row.offset).ok()?;
                let code = row.relocs[from..reloc].iter().find(|row| row.offset as usize == at + 8)?;
                if let Some(code) = p.symbols.piece[p.sym(file, code.symbol)].get() {
                    self.ties.push((code, Tie::Entry(number)));
                }
                (first + found) as u32
            } else {
                number
            };
            let (offset, len, relocs) = (at as u32, (end - at) as u32, (from as u32, reloc as u32));
            self.rows.push(EntryRow { piece, offset, len, shared, relocs, live: false });
            at = end;
        }
        Some(())
    }

    /// True if the section is reached through its records.
    pub(super) fn covers(&self, piece: Piece) -> bool {
        self.covered.binary_search(&piece).is_ok()
    }

    /// What goes along with a section.
    pub(super) fn ties(&self, piece: Piece) -> Vec<Tie> {
        let first = self.ties.partition_point(|&(code, _)| code < piece);
        self.ties[first..].iter().take_while(|&&(code, _)| code == piece).map(|&(_, tie)| tie).collect()
    }

    /// Keeps a record and the one that it shares; returns what they refer to.
    pub(super) fn keep(&mut self, p: &Program<'_>, entry: u32) -> Vec<Sym> {
        let mut found = Vec::new();
        for number in [entry, self.rows[entry as usize].shared] {
            let row = &mut self.rows[number as usize];
            if std::mem::replace(&mut row.live, true) {
                continue;
            }
            let relocs = &p.row(row.piece).relocs[row.relocs.0 as usize..row.relocs.1 as usize];
            found.extend(relocs.iter().map(|reloc| p.sym(p.file_of[row.piece], reloc.symbol)));
        }
        found
    }

    /// Cuts the records that were not kept out of their sections.
    pub(super) fn settle(&self, p: &mut Program<'_>, live: &mut BitSet<Piece>) {
        let mut next = 0;
        while let Some(first) = self.rows.get(next) {
            let from = next;
            next += self.rows[from..].iter().take_while(|row| row.piece == first.piece).count();
            let rows = &self.rows[from..next];
            if !rows.iter().any(|row| row.live) {
                continue;
            }
            live.insert(first.piece);
            let row = p.row(first.piece);
            if rows.iter().any(|row| !row.live) || !row.size.is_multiple_of(row.align) {
                let (file, section) = (p.file_of[first.piece], p.section_of(first.piece));
                cut(&mut p.files[file].object.sections[section], rows, from);
            }
        }
    }
}

/// The end of the CIE or FDE at an offset, and of an FDE the offset of its CIE. None of what is neither (the terminator, a length
/// beyond the section), and of the 64-bit form.
pub(super) fn record(data: &[u8], at: usize) -> Option<(usize, Option<usize>)> {
    let word = |at: usize| Some(u32::from_le_bytes(data.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let len = word(at).filter(|&len| (4..u32::MAX).contains(&len))?;
    let end = at.checked_add(4)?.checked_add(len as usize).filter(|&end| end <= data.len())?;
    match word(at + 4)? as usize {
        0 => Some((end, None)),
        back => Some((end, Some((at + 4).checked_sub(back)?))),
    }
}

/// Keeps the live records of a section only. The last one is padded (`DW_CFA_nop`) to the section's alignment: padding between sections
/// would be zeros, which is the terminator.
fn cut(section: &mut SectionRow<'_>, rows: &[EntryRow], first: usize) {
    let (mut bytes, mut relocs) = (Vec::new(), Vec::new());
    let (mut places, mut last) = (vec![0_u32; rows.len()], 0);
    for (k, row) in rows.iter().enumerate().filter(|(_, row)| row.live) {
        let at = bytes.len() as u32;
        (places[k], last) = (at, at as usize);
        bytes.extend_from_slice(&section.data[row.offset as usize..(row.offset + row.len) as usize]);
        let shared = row.shared as usize - first;
        if shared != k {
            let back = at + 4 - places[shared];
            bytes[at as usize + 4..at as usize + 8].copy_from_slice(&back.to_le_bytes());
        }
        let moved = section.relocs[row.relocs.0 as usize..row.relocs.1 as usize].iter();
        relocs.extend(moved.map(|reloc| Reloc { offset: reloc.offset - row.offset + at, ..*reloc }));
    }
    // No record asks for more.
    section.align = section.align.min(8);
    let len = bytes.len().next_multiple_of(section.align as usize);
    bytes.resize(len, 0);
    bytes[last..last + 4].copy_from_slice(&((len - last - 4) as u32).to_le_bytes());
    (section.size, section.data, section.relocs) = (bytes.len() as u64, Cow::Owned(bytes), relocs);
}
