//! ARM's index of functions (`.ARM.exidx`; "Exception Handling ABI for the Arm Architecture", 6): sorted by the code that entries
//! are for, which unwinders search by halves. An entry holds up to the next one. So where code follows that has none (the C
//! library's in assembly, our runtime library), and behind all code, one says that nothing is unwound there: it would be taken for
//! the function in front. O(pieces log pieces).

use super::layout::Layout;
use super::sections::OutRow;
use super::*;
use crate::object::module::*;

/// The section of a program; those of objects may say what code they are for behind it.
pub(super) const INDEX: &str = ".ARM.exidx";

/// What stands in place of a table (`EXIDX_CANTUNWIND`).
const ENDS: u32 = 1;

/// An entry of the linker's own: its piece, and the code that begins there, or ends there.
pub(super) struct Entry {
    piece: Piece,
    code: Piece,
    is_behind: bool,
}

/// Sorts the index, and adds what is missing.
pub(super) fn order(p: &mut Program<'_>, outs: &mut Column<Out, OutRow>) -> Vec<Entry> {
    let Some(index) = outs.keys().find(|&out| outs[out].name == INDEX) else { return Vec::new() };
    let mut code_of: Column<Piece, Opt<Piece>> = Column::filled(p.pieces(), Opt::NONE);
    let mut has_entry = BitSet::new(p.pieces());
    for (file, row) in p.files.iter() {
        for &(section, code) in &row.object.links {
            let (piece, code) = (p.piece(file, section), p.piece(file, code));
            if p.live.contains(piece) && row.object.sections[section].name.starts_with(INDEX) {
                code_of[piece] = Opt::some(code);
                has_entry.insert(code);
            }
        }
    }
    let mut place: Column<Piece, u32> = Column::filled(p.pieces(), u32::MAX);
    let code = outs.as_slice().iter().filter(|out| out.flags & SHF_EXECINSTR != 0);
    let code =
        code.flat_map(|out| &out.pieces).filter(|&&piece| p.row(piece).size > 0 || has_entry.contains(piece));
    // Behind which piece, and in front of which, code is without entries.
    let (mut gaps, mut last) = (Vec::new(), None);
    for (k, &piece) in code.enumerate() {
        place[piece] = k as u32;
        match (has_entry.contains(piece), last) {
            (true, _) => last = Some(piece),
            (false, Some(_)) => {
                gaps.push((piece, false));
                last = None;
            }
            (false, None) => {}
        }
    }
    gaps.extend(last.map(|piece| (piece, true)));
    let key = |code: Piece, is_behind: bool| (place[code], is_behind);
    let pieces = &mut outs[index].pieces;
    let mut sorted: Vec<_> = pieces
        .iter()
        .map(|&piece| (code_of[piece].get().map_or((u32::MAX, true), |code| key(code, false)), piece))
        .collect();
    let mut entries = Vec::new();
    for (code, is_behind) in gaps {
        let piece = p.add_section(demand::own_section(INDEX, 0, 4, 8));
        sorted.push((key(code, is_behind), piece));
        entries.push(Entry { piece, code, is_behind });
    }
    sorted.sort_by_key(|row| row.0);
    *pieces = sorted.into_iter().map(|row| row.1).collect();
    entries
}

/// Writes the linker's own entries.
pub(super) fn fill(p: &mut Program<'_>, layout: &Layout) {
    for &Entry { piece, code, is_behind } in &layout.index {
        let behind = if is_behind { p.row(code).size } else { 0 };
        let distance = (layout.address[code] + behind).wrapping_sub(layout.address[piece]) as u32;
        let words = [distance & 0x7fff_ffff, ENDS].map(u32::to_le_bytes);
        p.own_row(piece).data = words.concat().into();
    }
}
