//! What unwinders of 32-bit ARM read at run time ("Exception Handling ABI for the Arm Architecture", 6, 7 and 10.3): an index of
//! functions (`.ARM.exidx`), and tables of what does not fit into it (`.ARM.extab`). O(functions log sections + rules).
//!
//! It says how the frame lies behind the prologue, not in it: exceptions come from calls. That is what the rules of a prologue
//! come to (`frame`), and all that there is here is made of these, to the byte what GNU as makes of the directives that `isa/text`
//! prints. A function without a frame has nothing to undo, and is no exception: a stack trace goes on through it. So nothing of
//! ours is `EXIDX_CANTUNWIND`; linkers say that of code that has no entry.

use super::assemble::{Parts, Symbols, symbol};
use super::code::{Code, Rule};
use super::frames::unsigned;
use super::module::{
    Binding, Object, Place, Reloc, SHF_ALLOC, STT_SECTION, Section, SectionKind, SectionRow, Symbol,
    SymbolRow,
};
use super::reloc::arm::{R_ARM_NONE, R_ARM_PREL31, R_ARM_TARGET2};
use crate::base::Handle;
use std::collections::BTreeMap;

/// What a prologue does, in its order. Registers have DWARF's numbers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Moves the stack pointer down by so many bytes.
    Pad(u32),
    /// Pushes these registers, a bit each.
    Save(u16),
    /// Pushes so many doubles, from this one on.
    SaveDoubles(u16, u16),
    /// Notes the stack pointer in this register.
    Note(u16),
}

/// The number of the first double.
const DOUBLE: u16 = 256;

/// What the rules of a prologue come to. Those of a push come behind that of its move, in ascending order of registers.
pub fn frame(rules: impl Iterator<Item = Rule>) -> Vec<Step> {
    let (mut steps, mut bytes) = (Vec::new(), 0);
    for rule in rules.take_while(|rule| *rule != Rule::Remember) {
        match (rule, steps.last_mut()) {
            (Rule::Frame(all), _) => {
                steps.push(Step::Pad((all - bytes).unsigned_abs()));
                bytes = all;
            }
            (Rule::CountsFrom(reg), _) => steps.push(Step::Note(reg)),
            (Rule::Saved(reg @ 0..16, _), Some(Step::Save(regs))) => *regs |= 1 << reg,
            (Rule::Saved(reg @ 0..16, _), Some(step)) => *step = Step::Save(1 << reg),
            (Rule::Saved(..), Some(Step::SaveDoubles(_, count))) => *count += 1,
            (Rule::Saved(reg, _), Some(step)) => *step = Step::SaveDoubles(reg - DOUBLE, 1),
            _ => {}
        }
    }
    // A move that no immediate holds is two.
    steps.dedup_by(|next, last| match (last, next) {
        (Step::Pad(room), Step::Pad(more)) => {
            *room += *more;
            true
        }
        _ => false,
    });
    steps
}

/// What undoes the steps, last to first (10.3).
fn undone(steps: &[Step]) -> Vec<u8> {
    let mut out = Vec::new();
    for &step in steps.iter().rev() {
        match step {
            Step::Pad(0) => {}
            Step::Pad(bytes @ ..=0x100) => out.push((bytes / 4 - 1) as u8),
            Step::Pad(bytes @ ..=0x200) => out.extend([(bytes / 4 - 0x41) as u8, 0x3f]),
            Step::Pad(bytes) => {
                out.push(0xb2);
                unsigned(&mut out, u64::from(bytes / 4 - 0x81));
            }
            Step::Save(regs) => {
                // r4 to one of those up to r11, with lr or without.
                let count = (regs >> 4).trailing_ones().min(8) as u16;
                let run = ((1 << count) - 1) << 4;
                match regs & !0x4000 == run && count > 0 {
                    true => out.push((0xa0 | regs >> 11 & 8 | (count - 1)) as u8),
                    false => out.extend([0x80 | (regs >> 12) as u8, (regs >> 4) as u8]),
                }
            }
            Step::SaveDoubles(first, count) => out.extend([0xc9, (first << 4 | (count - 1)) as u8]),
            Step::Note(reg) => out.push(0x90 | reg as u8),
        }
    }
    out
}

/// Words with the first byte at the top, filled up with `Finish`.
fn words(mut bytes: Vec<u8>) -> impl Iterator<Item = u8> {
    bytes.resize(bytes.len().next_multiple_of(4), 0xb0);
    (0..bytes.len()).map(move |k| bytes[k ^ 3])
}

/// The routines that read tables with no more than 3 bytes, and longer ones.
const ROUTINES: [&str; 2] = ["__aeabi_unwind_cpp_pr0", "__aeabi_unwind_cpp_pr1"];

/// A section and its relocations.
#[derive(Default)]
struct Contents {
    bytes: Vec<u8>,
    relocs: Vec<Reloc>,
}

impl Contents {
    /// Appends a word with a relocation; what is added to the address stands in place.
    fn word(&mut self, kind: u32, symbol: Symbol, addend: u32) {
        let (offset, addend) = (self.bytes.len() as u32, addend & 0x7fff_ffff);
        self.relocs.push(Reloc { offset, kind, symbol, addend: addend.into() });
        self.bytes.extend(addend.to_le_bytes());
    }
}

/// Appends an index, and a table if there has to be one, for each section with code.
pub(super) fn append(
    object: &mut Object,
    symbols: &mut Symbols,
    parts: &Parts,
    (homes, extents): (&[Section], &[(u64, u64)]),
) {
    let is_section = |row: &SymbolRow| row.kind == STT_SECTION;
    let named = object.symbols.iter().filter(|row| is_section(row.1));
    let mut known: BTreeMap<Section, Symbol> =
        named.filter_map(|(symbol, _)| Some((object.section_of(symbol).get()?, symbol))).collect();
    let mut start_of = |object: &mut Object, home: Section| {
        let row = SymbolRow { kind: STT_SECTION, ..SymbolRow::new(Place::In(home)) };
        *known.entry(home).or_insert_with(|| object.symbols.push(row))
    };
    let mut by_home: BTreeMap<Section, Vec<(usize, &Code)>> = BTreeMap::new();
    for (k, function) in parts.functions.iter().enumerate() {
        if let Some(code) = &function.code {
            by_home.entry(homes[k]).or_default().push((k, code));
        }
    }
    let mut routines = [None; 2];
    for (home, functions) in by_home {
        let (mut index, mut tables) = (Contents::default(), Contents::default());
        let (code, home_of_tables) = (start_of(object, home), Section::new(object.sections.len()));
        let mut asks = [false; 2];
        for (k, function) in functions {
            let mut bytes = undone(&frame(function.unwind.iter().map(|unwind| unwind.rule)));
            let is_short = bytes.len() <= 3;
            if function.exceptions.is_none() {
                // Linkers bring the routine along; once a section is enough.
                let which = usize::from(!is_short);
                if !std::mem::replace(&mut asks[which], true) {
                    let symbol =
                        *routines[which].get_or_insert_with(|| routine(object, symbols, parts, which));
                    let offset = index.bytes.len() as u32;
                    index.relocs.push(Reloc { offset, kind: R_ARM_NONE, symbol, addend: 0 });
                }
            }
            index.word(R_ARM_PREL31, code, extents[k].0 as u32);
            if is_short && function.exceptions.is_none() {
                bytes.insert(0, 0x80);
                index.bytes.extend(words(bytes));
                continue;
            }
            index.word(R_ARM_PREL31, start_of(object, home_of_tables), tables.bytes.len() as u32);
            match function.exceptions.as_deref() {
                None => {
                    let more = (bytes.len() - 2).div_ceil(4) as u8;
                    bytes.splice(0..0, [0x81, more]);
                    tables.bytes.extend(words(bytes));
                    // It catches nothing.
                    tables.bytes.extend([0; 4]);
                }
                Some(table) => {
                    let row = symbols.row(table.personality);
                    tables.word(R_ARM_PREL31, symbol(object, symbols, parts, row), 0);
                    bytes.insert(0, (bytes.len() / 4) as u8);
                    tables.bytes.extend(words(bytes));
                    let start = tables.bytes.len() as u32;
                    for &(at, of) in &table.types {
                        let row = symbols.row(of);
                        let symbol = symbol(object, symbols, parts, row);
                        tables.relocs.push(Reloc {
                            offset: start + at,
                            kind: R_ARM_TARGET2,
                            symbol,
                            addend: 0,
                        });
                    }
                    tables.bytes.extend_from_slice(&table.bytes);
                }
            }
        }
        let name = object.sections[home].name.to_string();
        let behind = if name == ".text" { "" } else { &name };
        for (kind, Contents { bytes, relocs }) in [(".ARM.extab", tables), (".ARM.exidx", index)] {
            if !bytes.is_empty() {
                let row =
                    SectionRow::new(format!("{kind}{behind}"), SectionKind::Data, SHF_ALLOC, 4).with(bytes);
                object.sections.push(SectionRow { relocs, ..row });
            }
        }
        object.links.push((Section::new(object.sections.len() - 1), home));
    }
}

/// The symbol of a routine, which the program may name itself.
fn routine(object: &mut Object, symbols: &mut Symbols, parts: &Parts, which: usize) -> Symbol {
    let name = ROUTINES[which];
    match parts.functions.iter().position(|function| function.name == name) {
        Some(row) => symbol(object, symbols, parts, row),
        None => {
            let row = SymbolRow { binding: Binding::Global, ..SymbolRow::new(Place::Undefined) };
            object.add_symbol(name, row)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_what_the_prologue_has_made() {
        use Rule::*;
        // sub sp, #16; push {r4, r5, r11, lr}; vpush {d8, d9}; sub sp by two rows; mov r11, sp
        let rules = [
            Frame(16),
            Frame(32),
            Saved(4, -32),
            Saved(5, -28),
            Saved(11, -24),
            Saved(14, -20),
            Frame(48),
            Saved(264, -48),
            Saved(265, -40),
            Frame(48 + 0x400),
            Frame(48 + 0x410),
            CountsFrom(11),
            Remember,
            CountsFrom(13),
            Frame(0),
        ];
        let steps = frame(rules.into_iter());
        let saved = 1 << 4 | 1 << 5 | 1 << 11 | 1 << 14;
        let all =
            [Step::Pad(16), Step::Save(saved), Step::SaveDoubles(8, 2), Step::Pad(0x410), Step::Note(11)];
        assert_eq!(steps, all);
        // By the table of 10.3.
        assert_eq!(undone(&steps), [0x9b, 0xb2, 0x83, 0x01, 0xc9, 0x81, 0x84, 0x83, 0x03]);
        assert_eq!(undone(&[Step::Save(0x4010), Step::Pad(0x104)]), [0x00, 0x3f, 0xa8]);
        assert_eq!(undone(&[Step::Save(0x0ff0), Step::Pad(0x200)]), [0x3f, 0x3f, 0xa7]);
        assert_eq!(undone(&[Step::Save(0x4800), Step::Pad(0x100)]), [0x3f, 0x84, 0x80]);
        assert_eq!(words(vec![0x80, 0xa8]).collect::<Vec<u8>>(), [0xb0, 0xb0, 0xa8, 0x80]);
    }
}
