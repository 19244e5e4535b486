//! Alignments in RISC-V code, which assemblers leave to the linker: a row of nops that is as long as may be
//! needed (`R_RISCV_ALIGN`), from which the linker takes what is too much.
//!
//! Sections stand at multiples of their own alignment, which is no smaller than any inside of them, so what
//! is too much does not depend on where a section ends up, and is cut when its file is read. Nothing else
//! moves: an assembler that leaves alignments to the linker also leaves every distance across one to it. One
//! pass over the section's bytes, relocations and symbols each: O(bytes + relocations + symbols log cuts).

use super::module::*;
use crate::base::Handle;
use std::borrow::Cow;

/// Bytes that are taken away.
struct Cut {
    /// Where they start.
    offset: u64,
    /// How many went before them.
    before: u64,
    /// How many they are.
    len: u64,
}

/// Where what was at `offset` is now; the end of a cut is where it starts.
fn moved(cuts: &[Cut], offset: u64) -> u64 {
    let passed = cuts.partition_point(|cut| cut.offset < offset);
    match passed.checked_sub(1).map(|last| &cuts[last]) {
        Some(cut) => offset - cut.before - cut.len.min(offset - cut.offset),
        None => offset,
    }
}

/// Cuts the nops that are too much out of every section of the object.
pub fn settle(object: &mut Object<'_>) -> Result<(), String> {
    let Some(alignment) = object.machine.alignment else { return Ok(()) };
    let mut all: Vec<Vec<Cut>> = Vec::new();
    for section in object.sections.keys() {
        let row = &mut object.sections[section];
        if !row.relocs.iter().any(|reloc| reloc.kind == alignment) {
            continue;
        }
        let cuts = settle_section(row, alignment)?;
        all.resize_with(section.index() + 1, Vec::new);
        all[section.index()] = cuts;
    }
    for symbol in object.symbols.as_mut_slice() {
        if let Place::In(section) = symbol.place
            && let Some(cuts) = all.get(section.index()).filter(|cuts| !cuts.is_empty())
        {
            let end = moved(cuts, symbol.value.saturating_add(symbol.size));
            symbol.value = moved(cuts, symbol.value);
            symbol.size = end - symbol.value;
        }
    }
    Ok(())
}

fn settle_section(row: &mut SectionRow<'_>, alignment: u32) -> Result<Vec<Cut>, String> {
    let (mut cuts, mut bytes) = (Vec::new(), Vec::with_capacity(row.data.len()));
    let (mut from, mut before) = (0, 0);
    for reloc in row.relocs.iter().filter(|reloc| reloc.kind == alignment) {
        let (offset, room) = (reloc.offset as usize, reloc.addend);
        let fits = room >= 0
            && offset >= from
            && row.data.len().checked_sub(offset).is_some_and(|n| room as usize <= n);
        if !fits || room >= 1 << 20 {
            return Err(format!("section {}: an alignment at {offset:#x} has no room", row.name));
        }
        // Room for all but the smallest step to the next multiple: the alignment is the next power of two.
        let align = (room as usize + 1).next_power_of_two();
        if align as u64 > row.align {
            return Err(format!("section {} is aligned less than its code at {offset:#x}", row.name));
        }
        bytes.extend_from_slice(&row.data[from..offset]);
        let needed = bytes.len().next_multiple_of(align) - bytes.len();
        if needed > room as usize || needed % 2 != 0 {
            return Err(format!("section {}: an alignment at {offset:#x} has too little room", row.name));
        }
        if needed % 4 != 0 {
            bytes.extend_from_slice(&[0x01, 0]);
        }
        for _ in 0..needed / 4 {
            bytes.extend_from_slice(&[0x13, 0, 0, 0]);
        }
        let len = room as usize - needed;
        if len > 0 {
            cuts.push(Cut { offset: (offset + needed) as u64, before, len: len as u64 });
        }
        before += len as u64;
        from = offset + room as usize;
    }
    bytes.extend_from_slice(&row.data[from..]);
    row.relocs.retain(|reloc| reloc.kind != alignment);
    for reloc in &mut row.relocs {
        reloc.offset = moved(&cuts, u64::from(reloc.offset)) as u32;
    }
    (row.size, row.data) = (bytes.len() as u64, Cow::Owned(bytes));
    Ok(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Opt;
    use crate::object::machine::RISCV64;

    fn reloc(offset: u32, kind: u32, addend: i64) -> Reloc {
        Reloc { offset, kind, symbol: Symbol::new(0), addend }
    }

    fn section(bytes: &[u8], align: u64, relocs: Vec<Reloc>) -> Object<'static> {
        let mut object = Object::new(&RISCV64);
        let text = SectionRow::new(".text", SectionKind::Data, SHF_ALLOC | SHF_EXECINSTR, align);
        object.sections.push(SectionRow { relocs, ..text.with(bytes.to_vec()) });
        object
    }

    #[test]
    fn what_is_too_much_goes_and_what_stands_behind_moves() {
        // Two bytes of code, room for 6, a word; then room for 14, and a word with a relocation.
        let mut bytes = vec![1, 2];
        bytes.extend([0; 6]);
        bytes.extend([3, 4, 5, 6]);
        bytes.extend([0; 14]);
        bytes.extend([7, 8, 9, 10]);
        let relocs = vec![reloc(2, 43, 6), reloc(8, 1, 0), reloc(12, 43, 14), reloc(26, 1, 0)];
        let mut object = section(&bytes, 16, relocs);
        let place = Place::In(Section::new(0));
        let symbol = |value, size| SymbolRow { value, size, ..SymbolRow::new(place) };
        for (value, size) in [(0, 30), (8, 4), (26, 4), (30, 0), (12, 0)] {
            object.symbols.push(symbol(value, size));
        }
        settle(&mut object).unwrap();
        let row = &object.sections[Section::new(0)];
        // 2 + 6 needed = 8 (all), word at 8, 12 + 4 needed = 16, word at 16.
        assert_eq!(row.data[..8], [1, 2, 1, 0, 0x13, 0, 0, 0]);
        assert_eq!(row.data[8..], [3, 4, 5, 6, 0x13, 0, 0, 0, 7, 8, 9, 10]);
        assert_eq!(row.relocs.iter().map(|reloc| reloc.offset).collect::<Vec<_>>(), [8, 16]);
        let places: Vec<_> = object.symbols.as_slice().iter().map(|row| (row.value, row.size)).collect();
        assert_eq!(places, [(0, 20), (8, 4), (16, 4), (20, 0), (12, 0)]);
        assert!(object.section_of(Symbol::new(0)) == Opt::some(Section::new(0)));
    }

    #[test]
    fn absurd_alignments_are_refused() {
        for (room, align) in [(-1, 8), (7, 8), (100, 1 << 16), (1 << 40, 1 << 16), (2, 2)] {
            let mut object = section(&[0; 6], align, vec![reloc(2, 43, room)]);
            assert!(settle(&mut object).is_err(), "{room} {align}");
        }
        let twice = vec![reloc(0, 43, 6), reloc(2, 43, 2)];
        assert!(settle(&mut section(&[0; 8], 8, twice)).is_err());
    }
}
