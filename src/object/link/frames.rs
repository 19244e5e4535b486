//! `.eh_frame_hdr`, the binary search table of `.eh_frame` (Linux Standard Base 5.0, 10.6.2): for each function its first address and the
//! place of its FDE, sorted by address. Unwinders find it by the program header `PT_GNU_EH_FRAME`. ARM has `.ARM.exidx` (`index`).
//!
//! Fallback: if a section of FDEs is not understood, the header has no table, and unwinders search linearly, up to the terminator behind the last
//! FDE. That is there in any case: from `crtend.o`, or else the linker's. O(FDEs log FDEs).

use super::demand::own_section;
use super::layout::Layout;
use super::unwind::{FRAMES, record};
use super::*;
use crate::object::format::word_size;
use crate::object::module::*;

/// The section's name.
pub(super) const INDEX: &str = ".eh_frame_hdr";

/// `DW_EH_PE_pcrel | DW_EH_PE_sdata4`: 4 bytes with sign, relative to their own address.
const FROM_PLACE: u8 = 0x1b;
/// `DW_EH_PE_datarel | DW_EH_PE_sdata4`: relative to the start of the section.
const FROM_INDEX: u8 = 0x3b;
/// `DW_EH_PE_udata4`: 4 bytes without sign.
const COUNT: u8 = 0x03;
/// `DW_EH_PE_omit`.
const OMITTED: u8 = 0xff;

/// Bytes of the header in front of a table, and without a table.
const HEADER: usize = 12;
const SHORT: usize = 8;

/// An FDE, and the relocation of its first address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Function {
    piece: Piece,
    /// Where the FDE starts in its section.
    offset: u32,
    /// The number of the relocation of the function's first address.
    reloc: u32,
}

/// What the table is made of.
#[derive(Default)]
pub(super) struct Frames {
    /// The section; none in a program without FDEs.
    piece: Opt<Piece>,
    /// Empty if there is no table.
    functions: Vec<Function>,
}

/// Finds the FDEs of all live sections, and makes a section of the right size.
pub(super) fn collect(p: &mut Program<'_>) -> Frames {
    let mut frames = Frames::default();
    if p.machine.is_indexed {
        return frames;
    }
    let (mut is_known, mut has_end) = (true, false);
    for piece in p.live.iter() {
        let row = p.row(piece);
        if row.name == FRAMES && row.flags & SHF_ALLOC != 0 && !row.data.is_empty() {
            has_end = *row.data == [0; 4];
            is_known &= functions_of(p, piece, &mut frames.functions).is_some();
        }
    }
    let size = match is_known {
        true if frames.functions.is_empty() => return frames,
        true => HEADER + 8 * frames.functions.len(),
        false => SHORT,
    };
    if !is_known {
        frames.functions.clear();
    }
    frames.piece = Opt::some(p.add_section(own_section(INDEX, 0, 4, size as u64)));
    if !has_end {
        p.add_section(own_section(FRAMES, 0, 4, 4));
    }
    frames
}

/// Appends the FDEs of a section whose functions are in the program; none if something in it is not understood.
fn functions_of(p: &Program<'_>, piece: Piece, functions: &mut Vec<Function>) -> Option<()> {
    let (row, file) = (p.row(piece), p.file_of[piece]);
    // CIEs: where they start, and the encoding of addresses in their FDEs.
    let mut common: Vec<(usize, u8)> = Vec::new();
    let mut at = 0;
    while at < row.data.len() {
        if row.data[at..].starts_with(&[0; 4]) {
            at += 4;
            continue;
        }
        let (end, start) = record(&row.data, at)?;
        if let Some(start) = start {
            let found = common.binary_search_by_key(&start, |row| row.0).ok()?;
            let first = row.relocs.partition_point(|reloc| (reloc.offset as usize) < at + 8);
            let mut here = row.relocs[first..].iter().take_while(|reloc| reloc.offset as usize == at + 8);
            let (reloc, None) = (here.next()?, here.next()) else { return None };
            if !is_address(p.machine, common[found].1, reloc.kind) {
                return None;
            }
            // A COMDAT copy that was dropped leaves its FDE behind.
            let code = p.symbols.piece[p.sym(file, reloc.symbol)].get();
            if code.is_some_and(|code| p.live.contains(code)) {
                functions.push(Function { piece, offset: at as u32, reloc: first as u32 });
            }
        } else {
            common.push((at, encoding(&row.data[at + 8..end], word_size(p.machine.is_64) as usize)?));
        }
        at = end;
    }
    Some(())
}

/// True if a relocation is one for an address in this encoding.
fn is_address(machine: &Machine, encoding: u8, kind: u32) -> bool {
    match encoding {
        0x13 | FROM_PLACE => kind == machine.relative,
        0x10 | 0x14 | 0x1c => machine.relative_wide == [kind],
        0x00 | 0x04 | 0x0c => machine.whole.contains(&kind),
        _ => false,
    }
}

/// The encoding of addresses in the FDEs of a CIE (augmentation `R`), whose bytes from the version on these are.
fn encoding(record: &[u8], word: usize) -> Option<u8> {
    let (&version, rest) = record.split_first().filter(|(version, _)| matches!(version, 1 | 3))?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    let (letters, rest) = (rest[..end].strip_prefix(b"z"), rest.get(end + 1..)?);
    // Alignment factors of code and data, the return address register, and the size of the augmentation data.
    let register = if version == 1 { rest.get(skip(rest, 2)? + 1..)? } else { rest.get(skip(rest, 3)?..)? };
    let Some(letters) = letters else { return (end == 0).then_some(0) };
    let mut data = register.get(skip(register, 1)?..)?;
    let mut found = 0;
    for letter in letters {
        let bytes = match letter {
            b'R' | b'L' => 1,
            b'P' => {
                1 + match data.first()? & 0x7f {
                    // Aligned addresses have bytes in front.
                    0x50 => return None,
                    form => match form & 0x07 {
                        0 => word,
                        2 => 2,
                        3 => 4,
                        4 => 8,
                        _ => return None,
                    },
                }
            }
            // Signal frames, pointer authentication by the B key, memory tagging: without data.
            b'S' | b'B' | b'G' => 0,
            _ => return None,
        };
        if *letter == b'R' {
            found = *data.first()?;
        }
        data = data.get(bytes..)?;
    }
    Some(found)
}

/// The size of so many LEB128 numbers.
fn skip(bytes: &[u8], numbers: usize) -> Option<usize> {
    let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte < 0x80);
    ends.nth(numbers - 1).map(|(k, _)| k + 1)
}

/// Writes the section when all addresses are known; false if `.eh_frame` is out of reach.
pub(super) fn fill(p: &mut Program<'_>, layout: &Layout) -> bool {
    let Some(piece) = layout.frames.piece.get() else { return true };
    let here = layout.address[piece];
    let records = layout.outs.as_slice().iter().find(|out| out.name == FRAMES && out.flags & SHF_ALLOC != 0);
    let mut functions: Vec<[u64; 2]> =
        layout.frames.functions.iter().map(|row| entry(p, layout, row)).collect();
    // Binary search finds the last of those with one address; the sort is stable, and functions without code come first.
    functions.sort_by_key(|row| row[0]);
    let distance = |to: u64, from: u64| i32::try_from(to.wrapping_sub(from) as i64).ok();
    let Some(start) = records.and_then(|out| distance(out.address, here + 4)) else { return false };
    let table: Option<Vec<i32>> = functions.iter().flatten().map(|&to| distance(to, here)).collect();
    let table = table.filter(|table| !table.is_empty());
    let forms = if table.is_some() { [COUNT, FROM_INDEX] } else { [OMITTED; 2] };
    let mut bytes = vec![1, FROM_PLACE, forms[0], forms[1]];
    bytes.extend(start.to_le_bytes());
    if let Some(table) = table {
        bytes.extend((functions.len() as u32).to_le_bytes());
        bytes.extend(table.iter().flat_map(|number| number.to_le_bytes()));
    }
    // Code that is out of reach takes the table away, not the room for it.
    bytes.resize(p.row(piece).data.len(), 0);
    p.own_row(piece).data = bytes.into();
    true
}

/// A function's first address, and that of its FDE.
fn entry(p: &Program<'_>, layout: &Layout, &Function { piece, offset, reloc }: &Function) -> [u64; 2] {
    let reloc = p.row(piece).relocs[reloc as usize];
    let start = p.symbols.address[p.sym(p.file_of[piece], reloc.symbol)];
    [start.wrapping_add_signed(reloc.addend), layout.address[piece] + u64::from(offset)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A CIE from its version on, with `DW_CFA_nop` behind it.
    fn common(version: u8, letters: &[u8], data: &[u8]) -> Vec<u8> {
        let register: &[u8] = if version == 1 { &[30] } else { &[0x9e, 0] };
        let len = data.len() as u8;
        [&[version], letters, &[0, 1, 0x78], register, &[len], data, &[0; 3]].concat()
    }

    #[test]
    fn cies_have_the_encoding_of_addresses() {
        let personality = [&[0x9b, 1, 2, 3, 4][..], &[0x1b, 0x1b], &[0, 1, 2, 3, 4, 5, 6, 7, 8]];
        let [short, last, wide] = personality;
        type Case<'c> = (u8, &'c [u8], Vec<u8>, Option<u8>);
        let rows: [Case<'_>; 14] = [
            (1, b"zR", vec![0x1b], Some(0x1b)),
            (3, b"zR", vec![0x1c], Some(0x1c)),
            (1, b"zRS", vec![0x1b], Some(0x1b)),
            (1, b"zRB", vec![0], Some(0)),
            (1, b"zPLR", [short, last].concat(), Some(0x1b)),
            (1, b"zPLR", [wide, &[0, 3]].concat(), Some(3)),
            (1, b"zLPR", [&[0x1b], wide, &[0x0c]].concat(), Some(0x0c)),
            (1, b"z", vec![], Some(0)),
            (1, b"", vec![], Some(0)),
            // Not known: `DW_EH_PE_aligned`, a size, an augmentation, a version.
            (1, b"zPR", vec![0x50, 0, 0, 0, 0, 0, 0, 0, 0x1b], None),
            (1, b"zPR", vec![0x05, 0x1b], None),
            (1, b"zXR", vec![0x1b], None),
            (1, b"eh", vec![0; 8], None),
            (4, b"zR", vec![0x1b], None),
        ];
        for (version, letters, data, want) in rows {
            let bytes = common(version, letters, &data);
            assert_eq!(encoding(&bytes, 8), want, "{version} {letters:?} {data:x?}");
            // A CIE that ends too early has the same encoding or none; one that is damaged any, without a panic.
            for len in 0..bytes.len() {
                assert!(
                    encoding(&bytes[..len], 8).is_none_or(|found| Some(found) == want),
                    "{bytes:x?} {len}"
                );
                for value in 0..=255 {
                    let mut broken = bytes.clone();
                    broken[len] = value;
                    encoding(&broken, 8);
                }
            }
        }
    }

    #[test]
    fn records_are_inside_of_their_section() {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let data = words(&[8, 0, 1, 8, 16, 2, 4, 100, u32::MAX, 0, 0, 8, 0]);
        assert_eq!(record(&data, 0), Some((12, None)));
        assert_eq!(record(&data, 12), Some((24, Some(0))));
        // It shares what would be in front of the section; it has 64 bits; it is the end; it is too short, or too long.
        let odd = [24, 32, 36, 20, 44, 48, 52, usize::MAX];
        assert_eq!(odd.map(|at| record(&data, at)), [None; 8]);
    }
}
