//! Tables that unwinders read at run time (`.eh_frame`; Linux Standard Base 5.0, 10.6): a record that all functions share
//! (CIE), and one a function (FDE) with the rules of its code. O(functions + rules).
//!
//! Addresses are relative to where they stand, so that a program is not written to when it starts. Tables of code in
//! memory have absolute ones, and may be anywhere. (gimli, which writes `.debug_frame`, would be a seventh crate behind the
//! backend, for these few bytes; unwinders and GNU as are the judges.) What debuggers are told goes to `.debug_frame`, in `dwarf`.

use super::code::{Code, Rule, Target};
use super::format::word_size;
use super::machine::Machine;
use super::module::{
    Object, Place, Reloc, SHF_ALLOC, STT_SECTION, Section, SectionKind, SectionRow, Symbol, SymbolRow,
};
use crate::base::Handle;
use std::collections::BTreeMap;

/// How addresses are written (`DW_EH_PE_absptr`; `DW_EH_PE_pcrel` with `DW_EH_PE_sdata4`).
#[derive(Copy, Clone, PartialEq, Eq)]
enum Form {
    Absolute = 0x00,
    FromPlace = 0x1b,
}

/// `DW_EH_PE_indirect` besides the latter: where an address is that is the program's to put in.
const BY_CELL: u8 = 0x9b;

/// Appends the table of functions to an object: their code, in which section it is, which `text` is for most, and where it starts;
/// and what exceptions find that unwind to them. `cells` are where the addresses of that are.
pub fn append<'c>(
    object: &mut Object,
    text: Section,
    functions: impl Iterator<Item = (&'c Code, Section, u64)>,
    cells: &BTreeMap<Target, (Section, u64)>,
) -> Result<(), String> {
    let machine = object.machine;
    // With debug information, every section has a symbol already.
    let symbol = match object.symbols.is_empty() {
        true => object.symbols.push(SymbolRow { kind: STT_SECTION, ..SymbolRow::new(Place::In(text)) }),
        false => Symbol::new(text.index()),
    };
    let (mut out, mut relocs) = (Vec::new(), Vec::new());
    let mut others: BTreeMap<Section, Symbol> = BTreeMap::from([(text, symbol)]);
    let mut symbol_of = |object: &mut Object, home: Section| {
        let row = SymbolRow { kind: STT_SECTION, ..SymbolRow::new(Place::In(home)) };
        *others.entry(home).or_insert_with(|| object.symbols.push(row))
    };
    // What routines read, which stands in front; and records that functions share, by the routine.
    let (mut tables, mut of_tables) = (Vec::new(), Vec::new());
    let home_of_tables = Section::new(object.sections.len());
    let mut shared: BTreeMap<Option<Target>, u32> = BTreeMap::new();
    for (code, home, start) in functions {
        // Where addends stand in place, this is one.
        let start = start as u32;
        let exceptions = code.exceptions.as_deref();
        let record = match shared.get(&exceptions.map(|table| table.personality)) {
            Some(&record) => record,
            None => {
                let record = out.len();
                let at = common(&mut out, machine, Form::FromPlace, exceptions.is_some());
                if let Some(table) = exceptions {
                    let Some(&(cell, addend)) = cells.get(&table.personality) else { continue };
                    let (kind, symbol) = (machine.relative, symbol_of(object, cell));
                    relocs.push(Reloc { offset: at as u32, kind, symbol, addend: addend as i64 });
                }
                shared.insert(exceptions.map(|table| table.personality), record as u32);
                record as u32
            }
        };
        let offset = entry(&mut out, machine, code, (Form::FromPlace, u64::from(start)), record)?;
        if machine.is_64 {
            out[offset..offset + 4].fill(0);
        }
        let (kind, symbol) = (machine.relative, symbol_of(object, home));
        relocs.push(Reloc { offset: offset as u32, kind, symbol, addend: i64::from(start) });
        if let Some(table) = exceptions {
            let symbol = symbol_of(object, home_of_tables);
            let at = tables.len();
            relocs.push(Reloc { offset: offset as u32 + 9, kind, symbol, addend: at as i64 });
            for (place, of) in &table.types {
                let Some(&(cell, addend)) = cells.get(of) else { continue };
                let (offset, symbol) = (at as u32 + place, symbol_of(object, cell));
                of_tables.push(Reloc { offset, kind, symbol, addend: addend as i64 });
            }
            tables.extend_from_slice(&table.bytes);
        }
    }
    if !tables.is_empty() {
        let row = SectionRow::new(".gcc_except_table", SectionKind::Data, SHF_ALLOC, 4).with(tables);
        object.sections.push(SectionRow { relocs: of_tables, ..row });
    }
    if u32::try_from(out.len()).is_err() {
        return Err(format!("{} bytes of .eh_frame are more than an object can hold", out.len()));
    }
    let align = word_size(machine.is_64);
    let row = SectionRow::new(".eh_frame", SectionKind::Data, SHF_ALLOC, align).with(out);
    object.sections.push(SectionRow { relocs, ..row });
    Ok(())
}

/// The table of one function at an address, with the zeros that end it.
pub fn table(machine: &Machine, code: &Code, address: u64) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    common(&mut out, machine, Form::Absolute, false);
    entry(&mut out, machine, code, (Form::Absolute, address), 0)?;
    out.extend([0; 4]);
    Ok(out)
}

/// A record that functions share: all that no exception unwinds to, or those of one personality routine, where the place of its
/// address is what this yields. On entry the caller's stack pointer is ours, and the return address in its register.
fn common(out: &mut Vec<u8>, machine: &Machine, form: Form, catches: bool) -> usize {
    let start = out.len();
    out.extend([0; 8]);
    out.push(1);
    out.extend_from_slice(if catches { b"zPLR\0" } else { b"zR\0" });
    unsigned(out, machine.code_padding.len() as u64);
    // The factor of offsets of registers, which all are below the caller's stack pointer: -8 or -4.
    out.push(0x80 - word_size(machine.is_64) as u8);
    out.push(machine.return_register as u8);
    let at = out.len() + 2;
    match catches {
        true => out.extend([7, BY_CELL, 0, 0, 0, 0, Form::FromPlace as u8, form as u8]),
        false => out.extend([1, form as u8]),
    }
    out.push(0x0c); // DW_CFA_def_cfa
    unsigned(out, u64::from(machine.stack_register));
    out.push(0);
    finish(out, start, machine);
    at
}

/// The record of a function; where its address stands in it.
fn entry(
    out: &mut Vec<u8>,
    machine: &Machine,
    code: &Code,
    (form, address): (Form, u64),
    record: u32,
) -> Result<usize, String> {
    let start = out.len();
    let width = if form == Form::FromPlace { 4 } else { word_size(machine.is_64) as usize };
    out.extend([0; 4]);
    out.extend((start as u32 + 4 - record).to_le_bytes());
    out.extend(&address.to_le_bytes()[..width]);
    out.extend(&(code.bytes.len() as u64).to_le_bytes()[..width]);
    match code.exceptions {
        // Where its own table is.
        Some(_) => out.extend([4, 0, 0, 0, 0]),
        None => out.push(0),
    }
    let step = machine.code_padding.len() as u32;
    let mut at = 0;
    for unwind in code.unwind.iter().filter(|unwind| (unwind.offset as usize) < code.bytes.len()) {
        advance(out, (unwind.offset - at) / step);
        at = unwind.offset;
        rule(out, unwind.rule, word_size(machine.is_64) as i32)?;
    }
    finish(out, start, machine);
    Ok(start + 8)
}

/// What follows holds from so many steps further on.
fn advance(out: &mut Vec<u8>, steps: u32) {
    match steps {
        0 => {}
        1..0x40 => out.push(0x40 | steps as u8), // DW_CFA_advance_loc
        0x40..0x100 => out.extend([0x02, steps as u8]),
        0x100..0x1_0000 => {
            out.push(0x03);
            out.extend((steps as u16).to_le_bytes());
        }
        _ => {
            out.push(0x04);
            out.extend(steps.to_le_bytes());
        }
    }
}

fn rule(out: &mut Vec<u8>, rule: Rule, word: i32) -> Result<(), String> {
    match rule {
        Rule::Frame(bytes) => {
            out.push(0x0e); // DW_CFA_def_cfa_offset
            unsigned(out, u64::from(bytes.unsigned_abs()));
        }
        Rule::Saved(register, offset) => {
            if offset > 0 || offset % word != 0 {
                return Err(format!("unwind tables: a register is saved at {offset}"));
            }
            match register {
                0..0x40 => out.push(0x80 | register as u8), // DW_CFA_offset
                _ => {
                    out.push(0x05); // DW_CFA_offset_extended
                    unsigned(out, u64::from(register));
                }
            }
            unsigned(out, u64::from((offset / word).unsigned_abs()));
        }
        Rule::Restored(register @ 0..0x40) => out.push(0xc0 | register as u8), // DW_CFA_restore
        Rule::Restored(register) => {
            out.push(0x06); // DW_CFA_restore_extended
            unsigned(out, u64::from(register));
        }
        Rule::CountsFrom(register) => {
            out.push(0x0d); // DW_CFA_def_cfa_register
            unsigned(out, u64::from(register));
        }
        Rule::Remember => out.push(0x0a),
        Rule::Recall => out.push(0x0b),
    }
    Ok(())
}

/// LEB128.
pub(super) fn unsigned(out: &mut Vec<u8>, mut x: u64) {
    while x >= 0x80 {
        out.push(x as u8 | 0x80);
        x >>= 7;
    }
    out.push(x as u8);
}

/// Pads a record to whole words (with `DW_CFA_nop`), and puts its length in.
fn finish(out: &mut Vec<u8>, start: usize, machine: &Machine) {
    let size = (out.len() - start).next_multiple_of(word_size(machine.is_64) as usize);
    out.resize(start + size, 0);
    out[start..start + 4].copy_from_slice(&(size as u32 - 4).to_le_bytes());
}
