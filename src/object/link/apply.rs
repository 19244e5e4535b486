//! Applies relocations: what each computes, into the bytes that go to the file. One pass; no place depends on
//! another, so any part of a section may be done by itself.

use super::demand::{Demand, Entry, entry_of, owner, split_addend};
use super::layout::Layout;
use super::veneer;
use super::*;
use crate::object::format::word_size;
use crate::object::module::*;
use crate::object::reloc::{How, Row, What};

/// The most errors that are worth a line.
pub(super) const MOST_ERRORS: usize = 50;

/// Everything that values depend on.
pub(super) struct Values<'p, 'a> {
    pub(super) p: &'p Program<'a>,
    pub(super) demand: &'p Demand,
    pub(super) layout: &'p Layout,
}

impl Values<'_, '_> {
    /// Applies some relocations of a piece to its bytes from `first` on.
    pub(super) fn apply(
        &self,
        piece: Piece,
        relocs: &[Reloc],
        first: usize,
        bytes: &mut [u8],
        errors: &mut Vec<LinkError>,
    ) {
        let row = self.p.row(piece);
        let (file, loaded) = (self.p.file_of[piece], row.flags & SHF_ALLOC != 0);
        // What debug information says of code that is not there: nothing, and not the end of a list.
        let gone = i64::from(matches!(&*row.name, ".debug_ranges" | ".debug_loc"));
        for reloc in relocs {
            let Some(kind) = self.demand.rows.get(reloc.kind) else { continue };
            let (offset, sym) = (reloc.offset as usize - first, self.p.sym(file, reloc.symbol));
            let Some(place) = bytes.get_mut(offset..).filter(|place| place.len() >= usize::from(kind.size))
            else {
                continue;
            };
            if kind.what == What::Nothing {
                (kind.put)(place, 0);
                continue;
            }
            let value = if !loaded && self.is_gone(sym) {
                Some(gone)
            } else if let Some(call) = kind.call {
                Some(veneer::value(self.p, self.layout, piece, sym, reloc, call))
            } else {
                self.value(piece, sym, reloc, kind)
            };
            let fits = value.is_some_and(|value| (kind.put)(place, value));
            if !fits && errors.len() < MOST_ERRORS {
                errors.push(self.complaint(piece, sym, reloc, kind, value));
            }
        }
    }

    fn is_gone(&self, sym: Sym) -> bool {
        let piece = self.p.symbols.piece[sym].get();
        self.p.symbols.flags[sym] & flag::DROPPED != 0
            || piece.is_some_and(|piece| !self.p.live.contains(piece))
    }

    /// What a relocation that is no call computes.
    pub(super) fn value(&self, piece: Piece, sym: Sym, reloc: &Reloc, kind: &Row) -> Option<i64> {
        let symbols = &self.p.symbols;
        let (address, addend) = (symbols.address[sym] as i64, reloc.addend);
        let place = (self.layout.address[piece] + u64::from(reloc.offset)) as i64;
        let got = self.layout.got as i64;
        let is_missing = symbols.flags[sym] & flag::UNDEFINED != 0;
        let value = match kind.what {
            What::Nothing => 0,
            What::Symbol => address.wrapping_add(addend),
            What::Got | What::GotTp | What::GotGd | What::GotLd => {
                let (inside, outside) = split_addend(self.p.machine, addend);
                let entry = entry_of(kind.what).unwrap_or(Entry::Address);
                let slot = self.demand.slot(owner(self.p, symbols.definition[sym], entry), inside, entry)?;
                got.wrapping_add(slot as i64).wrapping_add(outside)
            }
            What::Tp if is_missing => 0,
            What::Tp => address.wrapping_add(addend).wrapping_sub(self.layout.tp as i64),
            What::Dtp => address
                .wrapping_add(addend)
                .wrapping_sub(self.layout.tls_start as i64 + self.p.machine.tls_bias),
            What::Low => return self.low(sym),
            What::GotStart => got.wrapping_add(addend),
        };
        let page = |value: i64| value & !0xfff;
        Some(match kind.how {
            How::Plain => value,
            How::FromPlace => value.wrapping_sub(place),
            How::Pages => page(value).wrapping_sub(page(place)),
            How::FromGot => value.wrapping_sub(got),
            How::FromGotPage => value.wrapping_sub(page(got)),
        })
    }

    /// What the upper half computes that the symbol is the label of.
    fn low(&self, label: Sym) -> Option<i64> {
        let piece = self.p.symbols.piece[label].get()?;
        let offset = self.p.symbols.address[label].checked_sub(self.layout.address[piece])?;
        let relocs = &self.p.row(piece).relocs;
        let first = relocs.partition_point(|reloc| u64::from(reloc.offset) < offset);
        let here = relocs[first..].iter().take_while(|reloc| u64::from(reloc.offset) == offset);
        let mut pairs = here.filter_map(|reloc| {
            let kind = self.demand.rows.get(reloc.kind)?;
            // The upper halves: GOT_HI20, TLS_GOT_HI20, TLS_GD_HI20, PCREL_HI20.
            (20..=23).contains(&kind.number).then_some((reloc, kind))
        });
        let (reloc, kind) = pairs.next()?;
        self.value(piece, self.p.sym(self.p.file_of[piece], reloc.symbol), reloc, kind)
    }

    fn complaint(&self, piece: Piece, sym: Sym, reloc: &Reloc, kind: &Row, value: Option<i64>) -> LinkError {
        let (row, name) = (self.p.row(piece), self.p.name_of(sym));
        let place = format!("section {}: {} at {:#x}", row.name, kind.name, reloc.offset);
        let message = match value {
            Some(value) => format!("{place} cannot reach '{name}' ({value:#x})"),
            None => format!("{place} has no upper half at '{name}'"),
        };
        self.p.error(self.p.file_of[piece], message)
    }

    /// The contents of the GOT.
    pub(super) fn table(&self) -> Vec<u8> {
        let word = word_size(self.p.machine.is_64) as usize;
        let mut bytes = Vec::new();
        let start = self.layout.tls_start as i64 + self.p.machine.tls_bias;
        let mut indirect = self.layout.resolvers.iter();
        for &(sym, addend, entry, _) in &self.demand.got {
            let address = (self.p.symbols.address[sym] as i64).wrapping_add(addend);
            let is_missing = self.p.symbols.flags[sym] & flag::UNDEFINED != 0;
            let mut push = |value: i64| bytes.extend_from_slice(&value.to_le_bytes()[..word]);
            match entry {
                _ if is_missing && entry != Entry::Gd => push(0),
                Entry::Address => push(address),
                Entry::Tp => push(address.wrapping_sub(self.layout.tp as i64)),
                Entry::Ld => {
                    push(1);
                    push(0);
                }
                Entry::Gd => {
                    push(1);
                    push(address.wrapping_sub(start));
                }
                Entry::Indirect => push(indirect.next().map_or(0, |&address| address as i64)),
            }
        }
        bytes
    }

    /// The stubs of indirect functions, and the relocations that the program applies to their entries when it
    /// starts.
    pub(super) fn stubs(&self) -> (Vec<u8>, Vec<u8>) {
        let machine = self.p.machine;
        let size = demand::stub_size(self.p) as usize;
        let mut stubs = vec![0; size * self.demand.indirect.len()];
        let mut relocs = Vec::new();
        let start = self.demand.stub_piece.get().map_or(0, |piece| self.layout.address[piece]);
        for (k, (&sym, &resolver)) in self.demand.indirect.iter().zip(&self.layout.resolvers).enumerate() {
            let entry = self.layout.got + self.demand.slot(sym, 0, Entry::Indirect).unwrap_or(0);
            let place = (start + (k * size) as u64) as i64;
            let bytes = &mut stubs[k * size..(k + 1) * size];
            veneer::write(self.demand, self.p.stub(), bytes, entry as i64, place);
            if machine.is_64 {
                let row = [entry, machine.indirect.into(), resolver];
                relocs.extend(row.iter().flat_map(|word| word.to_le_bytes()));
            } else {
                // The entry itself holds what finds the address.
                relocs.extend([entry as u32, machine.indirect].iter().flat_map(|word| word.to_le_bytes()));
            }
        }
        (stubs, relocs)
    }
}
