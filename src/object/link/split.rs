//! Cuts the code of our own objects into sections that any call in them can leave.
//!
//! Where calls have a reach, islands of veneers have to stand between sections, and the compiler makes one
//! section of all functions. Only for objects in tables: in those, everything that crosses a function's
//! border is a relocation, where an assembler settles distances inside of a section by itself. Nothing is
//! done to code that is within reach. O(bytes).

use super::*;
use crate::object::module::*;

/// A section that was cut.
struct Cut {
    section: Section,
    /// Where its parts start; the first is 0.
    starts: Vec<u64>,
    /// The parts.
    parts: Vec<Section>,
    /// Section symbols of the parts, made on demand.
    symbols: Vec<Opt<Symbol>>,
}

impl Cut {
    /// The part that an offset is in.
    fn part(&self, offset: u64) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }
}

/// Cuts every section of code of over `whole` bytes at functions, into parts of about `most`.
pub(super) fn split(object: &mut Object<'_>, whole: u64, most: u64) {
    let mut cuts = Vec::new();
    for section in object.sections.keys() {
        let row = &object.sections[section];
        if row.flags & SHF_ALLOC != 0 && row.flags & SHF_EXECINSTR != 0 && row.size > whole {
            cuts.extend(split_section(object, section, most));
        }
    }
    if cuts.is_empty() {
        return;
    }
    for symbol in object.symbols.as_mut_slice() {
        if let Place::In(section) = symbol.place
            && symbol.kind != STT_SECTION
            && let Some(cut) = cuts.iter().find(|cut| cut.section == section)
        {
            let part = cut.part(symbol.value);
            (symbol.place, symbol.value) = (Place::In(cut.parts[part]), symbol.value - cut.starts[part]);
        }
    }
    redirect(object, &mut cuts);
}

fn split_section(object: &mut Object<'_>, section: Section, most: u64) -> Option<Cut> {
    let functions = object.symbols.as_slice().iter().filter(|row| row.place == Place::In(section));
    let mut functions: Vec<u64> = functions.filter(|row| row.kind == STT_FUNC).map(|row| row.value).collect();
    functions.sort_unstable();
    let row = &mut object.sections[section];
    let mut starts = vec![0];
    let mut last = 0;
    for (k, &at) in functions.iter().enumerate() {
        let end = functions.get(k + 1).copied().unwrap_or(row.size);
        if at > last && end - last > most && at.is_multiple_of(row.align) && at < row.data.len() as u64 {
            starts.push(at);
            last = at;
        }
    }
    if starts.len() == 1 {
        return None;
    }
    let mut bytes = std::mem::take(&mut row.data).into_owned();
    let mut relocs = std::mem::take(&mut row.relocs);
    let (name, kind, flags, align) = (row.name.clone(), row.kind, row.flags, row.align);
    // From the back, so that each byte is moved once.
    let mut rows = Vec::new();
    for &start in starts.iter().rev() {
        let data = bytes.split_off(start as usize);
        let first = relocs.partition_point(|reloc| u64::from(reloc.offset) < start);
        let mut own = relocs.split_off(first);
        own.iter_mut().for_each(|reloc| reloc.offset -= start as u32);
        rows.push(SectionRow { relocs: own, ..SectionRow::new(name.clone(), kind, flags, align).with(data) });
    }
    let mut parts = vec![section];
    object.sections[section] = rows.pop()?;
    parts.extend(rows.into_iter().rev().map(|row| object.sections.push(row)));
    let symbols = vec![Opt::NONE; parts.len()];
    Some(Cut { section, starts, parts, symbols })
}

/// What refers to a place by its section now refers to the part.
fn redirect(object: &mut Object<'_>, cuts: &mut [Cut]) {
    let sections = object.symbols.iter().filter(|(_, row)| row.kind == STT_SECTION);
    let by_section: Vec<(Symbol, usize)> = sections
        .filter_map(|(symbol, row)| {
            let cut = cuts.iter().position(|cut| row.place == Place::In(cut.section))?;
            Some((symbol, cut))
        })
        .collect();
    if by_section.is_empty() {
        return;
    }
    for section in object.sections.keys() {
        for k in 0..object.sections[section].relocs.len() {
            let Reloc { symbol, addend, .. } = object.sections[section].relocs[k];
            let Some(&(_, cut)) = by_section.iter().find(|&&(other, _)| other == symbol) else { continue };
            let cut = &mut cuts[cut];
            // The end of the section is the end of the last part.
            let part = cut.part(u64::try_from(addend).unwrap_or(0));
            let old = object.symbols[symbol];
            let symbol = cut.symbols[part].get().unwrap_or_else(|| {
                object.symbols.push(SymbolRow { place: Place::In(cut.parts[part]), ..old })
            });
            cut.symbols[part] = Opt::some(symbol);
            let reloc = &mut object.sections[section].relocs[k];
            (reloc.symbol, reloc.addend) = (symbol, addend - cut.starts[part] as i64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::machine::AARCH64;

    #[test]
    fn parts_start_at_functions_and_everything_finds_its_place() {
        let mut object = Object::new(&AARCH64);
        let row = |name: &'static str, size: u64, flags| {
            SectionRow::new(name, SectionKind::Data, flags, 4).with((0..size).map(|k| k as u8).collect())
        };
        let text = object.sections.push(row(".text", 100, SHF_ALLOC | SHF_EXECINSTR));
        let other = object.sections.push(row(".debug_x", 16, 0));
        let mut symbol = |value, kind| {
            object.symbols.push(SymbolRow { value, size: 4, kind, ..SymbolRow::new(Place::In(text)) })
        };
        let whole = symbol(0, STT_SECTION);
        // The second function alone is longer than a part should be; a mark stands inside of the third.
        let places = [(0, STT_FUNC), (20, STT_FUNC), (72, STT_FUNC), (80, STT_FUNC), (76, 0)];
        let symbols: Vec<Symbol> = places.iter().map(|&(value, kind)| symbol(value, kind)).collect();
        let reloc = |offset, symbol, addend| Reloc { offset, kind: 283, symbol, addend };
        object.sections[text].relocs =
            vec![reloc(4, symbols[3], 0), reloc(76, whole, 20), reloc(84, whole, 0)];
        object.sections[other].relocs = vec![reloc(0, whole, 100), reloc(8, symbols[1], 3)];
        split(&mut object, 40, 40);
        let parts = [text, Section::new(2), Section::new(3)];
        let shape = parts.iter().map(|&part| (object.sections[part].data[0], object.sections[part].size));
        assert_eq!(shape.collect::<Vec<_>>(), [(0, 20), (20, 52), (72, 28)]);
        let at = |symbol: Symbol| (object.symbols[symbol].place, object.symbols[symbol].value);
        let expected = [(parts[0], 0), (parts[1], 0), (parts[2], 0), (parts[2], 8), (parts[2], 4)];
        let found: Vec<_> = symbols.iter().map(|&symbol| at(symbol)).collect();
        assert_eq!(found, expected.map(|(part, value)| (Place::In(part), value)));
        let relocs = |part: Section| {
            let rows = object.sections[part].relocs.iter();
            rows.map(|row| (row.offset, at(row.symbol).0, row.addend)).collect::<Vec<_>>()
        };
        assert_eq!(relocs(parts[0]), [(4, Place::In(parts[2]), 0)]);
        assert_eq!(relocs(parts[2]), [(4, Place::In(parts[1]), 0), (12, Place::In(parts[0]), 0)]);
        assert_eq!(relocs(other), [(0, Place::In(parts[2]), 28), (8, Place::In(parts[1]), 3)]);
        let before = format!("{object:?}");
        split(&mut object, 1000, 40);
        assert_eq!(format!("{object:?}"), before, "what is within reach stays as it is");
    }
}
