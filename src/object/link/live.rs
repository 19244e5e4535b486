//! Which sections go into the program: those that can be reached from the entry and from what runs by itself.
//!
//! A worklist over sections. A section of exception tables or unwind entries is reached from the code that it
//! is for (`unwind`). O(sections + relocations of live sections).

use super::unwind::{Entries, Tie};
use super::*;
use crate::object::module::*;

/// Debug sections that are compressed: their relocations are for what they were before.
const SHF_COMPRESSED: u64 = 0x800;
/// Sections of which one copy says it all.
const ATTRIBUTES: [&str; 2] = [".riscv.attributes", ".ARM.attributes"];

/// Fills `Program::live`.
pub(super) fn mark(p: &mut Program<'_>, workers: Option<&Workers>) {
    let mut entries = Entries::collect(p);
    let mut pending: Vec<Piece> = Vec::new();
    let mut live = BitSet::new(p.pieces());
    let mut attributes = false;
    for piece in p.file_of.keys() {
        let row = p.row(piece);
        let dropped = p.files[p.file_of[piece]].dropped.contains(p.section_of(piece));
        if dropped || row.flags & SHF_EXCLUDE != 0 || row.name.starts_with(".note.gnu.property") {
            continue;
        }
        if row.flags & SHF_ALLOC == 0 {
            let says = row.name == ".note.GNU-stack" || row.name.starts_with(".gnu.warning.");
            let unwanted = p.strip || says || row.flags & SHF_COMPRESSED != 0;
            let again = ATTRIBUTES.contains(&&*row.name) && std::mem::replace(&mut attributes, true);
            if !unwanted && !again {
                live.insert(piece);
            }
        } else if !entries.covers(piece) && (p.keep_unused || is_root(p, row)) && live.insert(piece) {
            pending.push(piece);
        }
    }
    let start = p.symbols.piece[p.entry].get().filter(|&piece| live.insert(piece));
    pending.extend(start);
    while let Some(piece) = pending.pop() {
        let relocs = &p.row(piece).relocs;
        match parts_of(relocs.len(), workers) {
            None => named(p, piece, relocs).for_each(|named| push(&mut live, &mut pending, named)),
            Some((mut parts, workers)) => {
                let all = workers.map(
                    &mut parts,
                    || BitSet::new(p.pieces()),
                    |seen, _, part| {
                        let new: Vec<Piece> = named(p, piece, &relocs[part.clone()])
                            .filter(|&named| seen.insert(named))
                            .collect();
                        new.iter().for_each(|&named| _ = seen.remove(named));
                        new
                    },
                );
                all.into_iter().flatten().for_each(|named| push(&mut live, &mut pending, named));
            }
        }
        for tie in entries.ties(piece) {
            match tie {
                Tie::Section(other) => {
                    push(&mut live, &mut pending, other);
                }
                Tie::Entry(entry) => {
                    for sym in entries.keep(p, entry) {
                        p.symbols.piece[sym]
                            .get()
                            .into_iter()
                            .for_each(|piece| push(&mut live, &mut pending, piece));
                    }
                }
            }
        }
    }
    entries.settle(p, &mut live);
    p.live = live;
}

/// The sections that relocations of one name.
fn named<'a>(p: &'a Program<'_>, piece: Piece, relocs: &'a [Reloc]) -> impl Iterator<Item = Piece> + 'a {
    let file = p.file_of[piece];
    relocs.iter().filter_map(move |reloc| p.symbols.piece[p.sym(file, reloc.symbol)].get())
}

fn push(live: &mut BitSet<Piece>, pending: &mut Vec<Piece>, piece: Piece) {
    if live.insert(piece) {
        pending.push(piece);
    }
}

/// Sections that are used without a reference.
fn is_root(p: &Program<'_>, row: &SectionRow<'_>) -> bool {
    let name = &*row.name;
    let named =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let by_ends = |prefix: &str| p.names.find(&format!("{prefix}{name}")).is_some();
    matches!(row.kind, SectionKind::Array(_) | SectionKind::Note)
        || row.flags & SHF_GNU_RETAIN != 0
        || [".init", ".fini", ".ctors", ".dtors", ".init_array", ".fini_array", ".preinit_array", ".eh_frame"]
            .iter()
            .any(|prefix| named(prefix))
        || resolve::is_identifier(name) && (by_ends("__start_") || by_ends("__stop_"))
}
