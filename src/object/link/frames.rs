//! The index of `.eh_frame` (`.eh_frame_hdr`; Linux Standard Base 5.0, 10.6.2): for each function where it begins and where its record
//! is, sorted, which unwinders find by a header of the program's (`PT_GNU_EH_FRAME`) and search by halves. ARM has another one (`index`).
//!
//! Where a section of records is not understood there is no table, and unwinders go through all records in turn, up to the zeros
//! behind the last one, which stand there in any case: `crtend.o` has them, or else they are the linker's. O(records log records).

use super::demand::own_section;
use super::layout::Layout;
use super::unwind::{FRAMES, record};
use super::*;
use crate::object::format::word_size;
use crate::object::module::*;

/// The section of a program.
pub(super) const INDEX: &str = ".eh_frame_hdr";

/// How an address is written: 4 bytes with sign from the place of them (`DW_EH_PE_pcrel`, `DW_EH_PE_sdata4`).
const FROM_PLACE: u8 = 0x1b;
/// The same from the start of the index (`DW_EH_PE_datarel`).
const FROM_INDEX: u8 = 0x3b;
/// 4 bytes without sign.
const COUNT: u8 = 0x03;
/// Nothing is there.
const OMITTED: u8 = 0xff;

/// The bytes in front of the table, and of what there is without one.
const HEADER: usize = 12;
const SHORT: usize = 8;

/// The record of a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Function {
    piece: Piece,
    /// Where the record starts.
    offset: u32,
    /// Number of the relocation that says where the function begins.
    reloc: u32,
}

/// What the index is made of.
#[derive(Default)]
pub(super) struct Frames {
    /// The index; there is none where nothing could be found by it.
    piece: Opt<Piece>,
    /// Empty if there is no table.
    functions: Vec<Function>,
}

/// Looks at all records of the program, and makes a section of the right size.
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

/// Appends the functions of a section of records that are in the program; nothing if one of them is not understood.
fn functions_of(p: &Program<'_>, piece: Piece, functions: &mut Vec<Function>) -> Option<()> {
    let (row, file) = (p.row(piece), p.file_of[piece]);
    // Records that functions share: where they start, and how they say that functions write addresses.
    let mut shared: Vec<(usize, u8)> = Vec::new();
    let mut at = 0;
    while at < row.data.len() {
        if row.data[at..].starts_with(&[0; 4]) {
            at += 4;
            continue;
        }
        let (end, start) = record(&row.data, at)?;
        if let Some(start) = start {
            let found = shared.binary_search_by_key(&start, |row| row.0).ok()?;
            let first = row.relocs.partition_point(|reloc| (reloc.offset as usize) < at + 8);
            let mut here = row.relocs[first..].iter().take_while(|reloc| reloc.offset as usize == at + 8);
            let (reloc, None) = (here.next()?, here.next()) else { return None };
            if !is_address(p.machine, shared[found].1, reloc.kind) {
                return None;
            }
            // A copy that was dropped leaves its record behind.
            let code = p.symbols.piece[p.sym(file, reloc.symbol)].get();
            if code.is_some_and(|code| p.live.contains(code)) {
                functions.push(Function { piece, offset: at as u32, reloc: first as u32 });
            }
        } else {
            shared.push((at, encoding(&row.data[at + 8..end], word_size(p.machine.is_64) as usize)?));
        }
        at = end;
    }
    Some(())
}

/// True if a relocation puts an address in as the encoding wants it.
fn is_address(machine: &Machine, encoding: u8, kind: u32) -> bool {
    match encoding {
        0x13 | FROM_PLACE => kind == machine.relative,
        0x10 | 0x14 | 0x1c => machine.relative_wide == [kind],
        0x00 | 0x04 | 0x0c => machine.whole.contains(&kind),
        _ => false,
    }
}

/// How addresses are written by the functions of a shared record, whose bytes from the version on these are.
fn encoding(record: &[u8], word: usize) -> Option<u8> {
    let (&version, rest) = record.split_first().filter(|(version, _)| matches!(version, 1 | 3))?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    let (letters, rest) = (rest[..end].strip_prefix(b"z"), rest.get(end + 1..)?);
    // Two factors, the register of the return address, and the size of what follows.
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
            // Of signals, of signed return addresses, of tagged stacks.
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

/// The bytes of so many numbers of variable length.
fn skip(bytes: &[u8], numbers: usize) -> Option<usize> {
    let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte < 0x80);
    ends.nth(numbers - 1).map(|(k, _)| k + 1)
}

/// Writes the index when all addresses are known; false if records are too far away.
pub(super) fn fill(p: &mut Program<'_>, layout: &Layout) -> bool {
    let Some(piece) = layout.frames.piece.get() else { return true };
    let here = layout.address[piece];
    let records = layout.outs.as_slice().iter().find(|out| out.name == FRAMES && out.flags & SHF_ALLOC != 0);
    let mut functions: Vec<[u64; 2]> =
        layout.frames.functions.iter().map(|row| entry(p, layout, row)).collect();
    // Of functions that begin at one place the last is found, and those without code stand in front.
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
    // Code may be too far away for the table that there is room for.
    bytes.resize(p.row(piece).data.len(), 0);
    p.own_row(piece).data = bytes.into();
    true
}

/// Where a function begins, and where its record is.
fn entry(p: &Program<'_>, layout: &Layout, &Function { piece, offset, reloc }: &Function) -> [u64; 2] {
    let reloc = p.row(piece).relocs[reloc as usize];
    let start = p.symbols.address[p.sym(p.file_of[piece], reloc.symbol)];
    [start.wrapping_add_signed(reloc.addend), layout.address[piece] + u64::from(offset)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shared record from its version on, with zeros behind it as they mostly are.
    fn common(version: u8, letters: &[u8], data: &[u8]) -> Vec<u8> {
        let register: &[u8] = if version == 1 { &[30] } else { &[0x9e, 0] };
        let len = data.len() as u8;
        [&[version], letters, &[0, 1, 0x78], register, &[len], data, &[0; 3]].concat()
    }

    #[test]
    fn records_say_how_addresses_are_written() {
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
            // What is not known: aligned addresses, sizes, letters, versions.
            (1, b"zPR", vec![0x50, 0, 0, 0, 0, 0, 0, 0, 0x1b], None),
            (1, b"zPR", vec![0x05, 0x1b], None),
            (1, b"zXR", vec![0x1b], None),
            (1, b"eh", vec![0; 8], None),
            (4, b"zR", vec![0x1b], None),
        ];
        for (version, letters, data, want) in rows {
            let bytes = common(version, letters, &data);
            assert_eq!(encoding(&bytes, 8), want, "{version} {letters:?} {data:x?}");
            // A record that ends too early says the same or nothing, and one that is broken says anything.
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
