//! What debuggers are told as sections of DWARF 5, through `gimli`. O(rows).
//!
//! ```text
//!   .debug_info, .debug_abbrev   one unit: functions, scopes, variables, types
//!   .debug_line                  a sequence over each section of code
//!   .debug_rnglists              scopes whose code is in pieces; the unit, where functions have sections of their own
//!   .debug_loclists              variables that are not always in one place
//!   .debug_frame                 how to unwind
//! ```
//!
//! Names stand where they are used, so there are no string sections, and no relocation a name. Unwind tables
//! are in `.debug_frame` and not in `.eh_frame` (`frames`): SysY unwinds nothing, so no program has to load them.
//! Code and data are the same with and without all this. `gimli` recurses on nested scopes, whose depth
//! `debug::DEEPEST` bounds. Without the feature `debuginfo`, `no_dwarf` stands here.

mod locations;

use super::code::{Formula, Rule};
use super::debug::{Call, Debug, Function, Placed, Scope, Type, TypeRow, Variable};
use super::format::{SHT_PROGBITS, word_size};
use super::module::{Object, Place, Reloc, STT_SECTION, Section, SectionKind, SectionRow, SymbolRow};
use crate::base::{Column, Handle};
use gimli::write::{
    Address, AttributeValue, CallFrameInstruction, CommonInformationEntry, DwarfUnit, EndianVec, Expression,
    FileId, FrameDescriptionEntry, FrameTable, LineProgram, LineString, Range, RangeList, RelocateWriter,
    Relocation, RelocationTarget, Sections, Unit, UnitEntryId,
};
use gimli::{DwAte, DwTag, Encoding, Format, LineEncoding, LittleEndian, Register, constants as dw};
use std::collections::BTreeMap;

/// A section on its way, with the places that depend on where other sections will be.
#[derive(Clone, Debug)]
struct Buffer {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<Relocation>,
}

impl RelocateWriter for Buffer {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}

/// Appends the sections, and symbols of all sections, to an object that has no symbols yet.
pub fn append(object: &mut Object, debug: &Debug, placed: &Placed) -> Result<(), String> {
    let mut sections = Sections::new(Buffer { bytes: EndianVec::new(LittleEndian), relocations: Vec::new() });
    write(object, debug, placed, &mut sections).map_err(|error| format!("debug information: {error}"))?;
    // Every section gets a symbol of its number.
    let mut numbers = Vec::new();
    let mut buffers = Vec::new();
    let first = object.sections.len();
    let done: Result<(), ()> = sections.for_each_mut(|id, buffer| {
        if !buffer.bytes.slice().is_empty() {
            numbers.push((id, first + buffers.len()));
            buffers.push((id, std::mem::take(&mut buffer.relocations), buffer.bytes.take()));
        }
        Ok(())
    });
    debug_assert!(done.is_ok() && object.symbols.is_empty());
    let machine = object.machine;
    for (id, relocations, mut bytes) in buffers {
        let mut relocs = Vec::with_capacity(relocations.len());
        for relocation in relocations {
            let symbol = match relocation.target {
                RelocationTarget::Symbol(section) => section,
                RelocationTarget::Section(id) => {
                    numbers.iter().find(|row| row.0 == id).map_or(first, |row| row.1)
                }
            };
            let (at, size) = (relocation.offset, usize::from(relocation.size));
            if !machine.is_64 {
                bytes[at..at + size].copy_from_slice(&relocation.addend.to_le_bytes()[..size]);
            }
            relocs.push(Reloc {
                offset: at as u32,
                kind: machine.absolute[usize::from(size == 8)],
                symbol: super::module::Symbol::new(symbol),
                addend: relocation.addend,
            });
        }
        relocs.sort_unstable_by_key(|reloc| reloc.offset);
        let kind = SectionKind::Other(SHT_PROGBITS);
        object.sections.push(SectionRow { relocs, ..SectionRow::new(id.name(), kind, 0, 1).with(bytes) });
    }
    for section in object.sections.keys() {
        object.symbols.push(SymbolRow { kind: STT_SECTION, ..SymbolRow::new(Place::In(section)) });
    }
    Ok(())
}

/// What making the unit needs.
struct Maker<'a> {
    unit: &'a mut Unit,
    debug: &'a Debug<'a>,
    placed: &'a Placed<'a>,
    /// Nothing has no entry.
    types: Column<Type, Option<UnitEntryId>>,
    /// By function number: what stands for it in calls of it that have been replaced.
    abstracts: BTreeMap<u32, Entries>,
    /// Those of the code that is being told of.
    formulas: &'a [Formula],
}

/// The entries of a function's text: of itself, as the first scope, of scopes, if they have code, and of variables.
#[derive(Clone, Debug, Default)]
struct Entries {
    scopes: Vec<Option<UnitEntryId>>,
    variables: Vec<Option<UnitEntryId>>,
}

fn write(
    object: &Object,
    debug: &Debug,
    placed: &Placed,
    sections: &mut Sections<Buffer>,
) -> gimli::write::Result<()> {
    let machine = object.machine;
    let address_size = word_size(machine.is_64) as u8;
    let encoding = Encoding { format: Format::Dwarf32, version: 5, address_size };
    let mut dwarf = DwarfUnit::new(encoding);
    let step = machine.code_padding.len() as u8;
    let extents = placed.text.iter().map(|&section| (section, object.sections[section].size));
    let extents: Vec<(Section, u64)> = extents.collect();
    dwarf.unit.line_program = lines(encoding, step, debug, placed, &extents);
    let mut maker = Maker {
        unit: &mut dwarf.unit,
        debug,
        placed,
        types: Column::new(),
        abstracts: BTreeMap::new(),
        formulas: &[],
    };
    maker.unit(&extents);
    // Types name each other.
    let root = maker.unit.root();
    for (_, row) in debug.types.iter() {
        let entry = tag(row).map(|tag| maker.unit.add(root, tag));
        maker.types.push(entry);
    }
    for (ty, row) in debug.types.iter() {
        if let Some(entry) = maker.types[ty] {
            maker.ty(entry, row);
        }
    }
    for variable in &debug.globals {
        let entry = maker.variable(root, variable);
        maker.home(entry, None, variable);
    }
    // What an entry names comes before it, so that sizes are known.
    debug.functions.iter().filter(|function| function.is_inlined).for_each(|row| maker.inlined(row));
    for function in &debug.functions {
        maker.function(function);
    }
    dwarf.write(sections)?;
    frames(object, placed, address_size, step).write_debug_frame(&mut sections.debug_frame)
}

/// What a type is in DWARF; nothing is no type.
fn tag(row: &TypeRow) -> Option<DwTag> {
    Some(match row {
        TypeRow::Void => return None,
        TypeRow::Int | TypeRow::Float | TypeRow::Scalar(..) => dw::DW_TAG_base_type,
        TypeRow::Pointer(_) => dw::DW_TAG_pointer_type,
        TypeRow::Const(_) => dw::DW_TAG_const_type,
        TypeRow::Volatile(_) => dw::DW_TAG_volatile_type,
        TypeRow::Array(..) => dw::DW_TAG_array_type,
        TypeRow::Named(..) => dw::DW_TAG_typedef,
        TypeRow::Function(_) => dw::DW_TAG_subroutine_type,
        TypeRow::Fields(all) if all.is_union => dw::DW_TAG_union_type,
        TypeRow::Fields(_) => dw::DW_TAG_structure_type,
        TypeRow::Enumeration(_) => dw::DW_TAG_enumeration_type,
    })
}

/// The address of a place in a section.
fn address(section: Section, offset: u64) -> Address {
    Address::Symbol { symbol: section.index(), addend: offset as i64 }
}

/// A text without what a text in DWARF cannot hold.
fn text(text: &str) -> Vec<u8> {
    text.bytes().filter(|&byte| byte != 0).collect()
}

fn lines(
    encoding: Encoding,
    step: u8,
    debug: &Debug,
    placed: &Placed,
    extents: &[(Section, u64)],
) -> LineProgram {
    let path = |path: &str| LineString::String(if path.is_empty() { b"?".to_vec() } else { text(path) });
    let line_encoding = LineEncoding { minimum_instruction_length: step, ..LineEncoding::default() };
    let (folder, file) = (path(&debug.folder), path(&debug.file));
    let mut program = LineProgram::new(encoding, line_encoding, folder, None, file, None);
    let folder = program.default_directory();
    let more: Vec<_> =
        debug.more_files.iter().map(|row| program.add_file(path(&row.1), folder, None)).collect();
    let first = program.files().next().map(|(id, ..)| id);
    let (Some(first), true) = (first, debug.functions.iter().any(|function| !function.lines.is_empty()))
    else {
        return program;
    };
    let files: Vec<_> = std::iter::once(first).chain(more).collect();
    for &(section, size) in extents {
        let members = debug.functions.iter().filter_map(|function| {
            let &(_, home, start) = placed.code.get(function.number as usize)?;
            (home == section && !function.lines.is_empty()).then_some((function, start))
        });
        let mut members = members.peekable();
        if members.peek().is_none() {
            continue;
        }
        program.begin_sequence(Some(address(section, 0)));
        for (function, start) in members {
            for line in &function.lines {
                let row = program.row();
                let (file, number) = debug.line_of(line.line);
                row.file = files.get(file).copied().unwrap_or(first);
                row.address_offset = start + u64::from(line.offset);
                (row.line, row.column) = (number.into(), line.column.into());
                (row.is_statement, row.prologue_end) = (line.is_statement, line.prologue_end);
                program.generate_row();
            }
        }
        program.end_sequence(size);
    }
    program
}

impl Maker<'_> {
    fn set(&mut self, entry: UnitEntryId, name: gimli::DwAt, value: AttributeValue) {
        self.unit.get_mut(entry).set(name, value);
    }

    /// The source that a line is in, and which of its lines it is.
    fn line_of(&self, line: u32) -> (Option<FileId>, u32) {
        let (file, line) = self.debug.line_of(line);
        (self.unit.line_program.files().nth(file).map(|(id, ..)| id), line)
    }

    fn name(&mut self, entry: UnitEntryId, name: &str) {
        self.set(entry, dw::DW_AT_name, AttributeValue::String(text(name)));
    }

    fn typed(&mut self, entry: UnitEntryId, ty: Type) {
        if let Some(&Some(ty)) = self.types.get(ty) {
            self.set(entry, dw::DW_AT_type, AttributeValue::UnitRef(ty));
        }
    }

    /// Where the code of an entry starts, and how long it is.
    fn code(&mut self, entry: UnitEntryId, (section, start): (Section, u64), bytes: u64) {
        self.set(entry, dw::DW_AT_low_pc, AttributeValue::Address(address(section, start)));
        self.set(entry, dw::DW_AT_high_pc, AttributeValue::Udata(bytes));
    }

    fn declared(&mut self, entry: UnitEntryId, line: u32) {
        if line != 0 {
            let (file, line) = self.line_of(line);
            self.set(entry, dw::DW_AT_decl_file, AttributeValue::FileIndex(file));
            self.set(entry, dw::DW_AT_decl_line, AttributeValue::Udata(line.into()));
        }
    }

    /// Of lists, ends are counted from where the unit starts, if its code is in one section, else from nothing.
    fn is_one(&self) -> bool {
        self.placed.text.len() == 1
    }

    fn unit(&mut self, extents: &[(Section, u64)]) {
        let root = self.unit.root();
        self.set(root, dw::DW_AT_producer, AttributeValue::String(text(self.debug.producer)));
        // What SysY means by its operators and types is what C means.
        self.set(root, dw::DW_AT_language, AttributeValue::Language(dw::DW_LANG_C99));
        self.name(root, &self.debug.file);
        self.set(root, dw::DW_AT_comp_dir, AttributeValue::String(text(&self.debug.folder)));
        if let &[(section, size)] = extents {
            self.code(root, (section, 0), size);
        } else {
            let of = |&(section, length): &(Section, u64)| Range::StartLength {
                begin: address(section, 0),
                length,
            };
            let ranges = extents.iter().filter(|row| row.1 != 0).map(of).collect();
            let list = self.unit.ranges.add(RangeList(ranges));
            self.set(root, dw::DW_AT_low_pc, AttributeValue::Address(Address::Constant(0)));
            self.set(root, dw::DW_AT_ranges, AttributeValue::RangeListRef(list));
        }
        self.set(root, dw::DW_AT_stmt_list, AttributeValue::LineProgramRef);
    }

    /// Says what a type is.
    fn ty(&mut self, entry: UnitEntryId, row: &TypeRow) {
        let scalar = |maker: &mut Self, name: &str, encoding: DwAte, bytes: u32| {
            maker.name(entry, name);
            maker.set(entry, dw::DW_AT_encoding, AttributeValue::Encoding(encoding));
            maker.set(entry, dw::DW_AT_byte_size, AttributeValue::Udata(bytes.into()));
        };
        match row {
            TypeRow::Void => {}
            TypeRow::Int => scalar(self, "int", dw::DW_ATE_signed, 4),
            TypeRow::Float => scalar(self, "float", dw::DW_ATE_float, 4),
            TypeRow::Scalar(name, encoding, bytes) => scalar(self, name, DwAte(*encoding), *bytes),
            TypeRow::Pointer(to) => {
                self.typed(entry, *to);
                let size = self.unit.address_size();
                self.set(entry, dw::DW_AT_byte_size, AttributeValue::Data1(size));
            }
            TypeRow::Const(of) | TypeRow::Volatile(of) => self.typed(entry, *of),
            TypeRow::Function(result) => {
                self.typed(entry, *result);
                self.set(entry, dw::DW_AT_prototyped, AttributeValue::FlagPresent);
            }
            TypeRow::Named(name, of) => {
                self.name(entry, name);
                self.typed(entry, *of);
            }
            TypeRow::Array(element, lengths) => {
                self.typed(entry, *element);
                for &length in lengths {
                    let range = self.unit.add(entry, dw::DW_TAG_subrange_type);
                    self.set(range, dw::DW_AT_count, AttributeValue::Udata(length.into()));
                }
            }
            TypeRow::Fields(all) => {
                self.name_if_any(entry, &all.name);
                self.size(entry, all.bytes, all.is_declaration);
                for field in &all.fields {
                    let member = self.unit.add(entry, dw::DW_TAG_member);
                    self.name_if_any(member, &field.name);
                    self.typed(member, field.ty);
                    if let Some(bits) = field.bits {
                        self.set(member, dw::DW_AT_bit_size, AttributeValue::Udata(bits.into()));
                        self.set(member, dw::DW_AT_data_bit_offset, AttributeValue::Udata(field.at.into()));
                    } else {
                        let at = AttributeValue::Udata((field.at / 8).into());
                        self.set(member, dw::DW_AT_data_member_location, at);
                    }
                }
            }
            TypeRow::Enumeration(all) => {
                self.name_if_any(entry, &all.name);
                self.typed(entry, all.of);
                self.size(entry, all.bytes, all.is_declaration);
                for (name, value) in &all.values {
                    let constant = self.unit.add(entry, dw::DW_TAG_enumerator);
                    self.name(constant, name);
                    self.set(constant, dw::DW_AT_const_value, AttributeValue::Sdata(*value));
                }
            }
        }
    }

    /// How large a type is, if that is known.
    fn size(&mut self, entry: UnitEntryId, bytes: u32, is_declaration: bool) {
        if is_declaration {
            self.set(entry, dw::DW_AT_declaration, AttributeValue::FlagPresent);
        } else {
            self.set(entry, dw::DW_AT_byte_size, AttributeValue::Udata(bytes.into()));
        }
    }

    fn name_if_any(&mut self, entry: UnitEntryId, name: &str) {
        if !name.is_empty() {
            self.name(entry, name);
        }
    }

    /// What the source says of a variable.
    fn variable(&mut self, parent: UnitEntryId, variable: &Variable) -> UnitEntryId {
        let tag = if variable.is_parameter { dw::DW_TAG_formal_parameter } else { dw::DW_TAG_variable };
        let entry = self.unit.add(parent, tag);
        self.name(entry, &variable.name);
        self.declared(entry, variable.line);
        self.typed(entry, variable.ty);
        entry
    }

    /// The same as another entry says.
    fn originates(&mut self, entry: UnitEntryId, origin: UnitEntryId) {
        self.set(entry, dw::DW_AT_abstract_origin, AttributeValue::UnitRef(origin));
    }

    /// What the source says of a function.
    fn subprogram(&mut self, function: &Function) -> UnitEntryId {
        let entry = self.unit.add(self.unit.root(), dw::DW_TAG_subprogram);
        self.name(entry, &function.name);
        self.declared(entry, function.line);
        if let Some(result) = function.result {
            self.typed(entry, result);
        }
        if function.global {
            self.set(entry, dw::DW_AT_external, AttributeValue::FlagPresent);
        }
        self.set(entry, dw::DW_AT_prototyped, AttributeValue::FlagPresent);
        entry
    }

    /// A function that stands in the code of others: all that is the same there.
    fn inlined(&mut self, function: &Function) {
        let entry = self.subprogram(function);
        self.set(entry, dw::DW_AT_inline, AttributeValue::Inline(dw::DW_INL_inlined));
        let mut entries = Entries { scopes: vec![Some(entry)], ..Entries::default() };
        for scope in function.scopes.iter().skip(1) {
            let parent = entries.scopes.get(scope.parent as usize).copied().flatten();
            entries.scopes.push(parent.map(|parent| self.unit.add(parent, dw::DW_TAG_lexical_block)));
        }
        for row in &function.variables {
            let scope = entries.scopes.get(row.scope as usize).copied().flatten();
            entries.variables.push(scope.map(|scope| self.variable(scope, row)));
        }
        self.abstracts.insert(function.number, entries);
    }

    fn function(&mut self, function: &Function) {
        let Some(&(Some(code), section, start)) = self.placed.code.get(function.number as usize) else {
            return;
        };
        let start = (section, start);
        self.formulas = &code.debug().formulas;
        let origin = self.abstracts.get(&function.number).cloned();
        let entry = match origin.as_ref().and_then(|origin| *origin.scopes.first()?) {
            Some(origin) => {
                let entry = self.unit.add(self.unit.root(), dw::DW_TAG_subprogram);
                self.originates(entry, origin);
                entry
            }
            None => self.subprogram(function),
        };
        self.code(entry, start, code.bytes.len() as u64);
        let mut base = Expression::new();
        base.op(dw::DW_OP_call_frame_cfa);
        self.set(entry, dw::DW_AT_frame_base, AttributeValue::Exprloc(base));
        let mut texts = vec![self.text(entry, start, (&function.scopes, &function.variables), origin)];
        for call in &function.calls {
            let around = texts.get(call.parent.map_or(0, |parent| 1 + parent as usize));
            let scope = around.and_then(|around| around.get(call.scope as usize).copied().flatten());
            let origin = self.abstracts.get(&call.number).cloned();
            texts.push(match (scope.filter(|_| !call.pieces.is_empty()), origin) {
                (Some(scope), Some(origin)) => self.call(scope, start, call, origin),
                _ => Vec::new(),
            });
        }
    }

    /// A call that has been replaced by what it calls. Returns the entries of its scopes.
    fn call(
        &mut self,
        scope: UnitEntryId,
        start: (Section, u64),
        call: &Call,
        origin: Entries,
    ) -> Vec<Option<UnitEntryId>> {
        let entry = self.unit.add(scope, dw::DW_TAG_inlined_subroutine);
        if let Some(&Some(origin)) = origin.scopes.first() {
            self.originates(entry, origin);
        }
        self.pieces(entry, start, &call.pieces);
        let pc = address(start.0, start.1 + u64::from(call.entry));
        self.set(entry, dw::DW_AT_entry_pc, AttributeValue::Address(pc));
        if call.line != 0 {
            let (file, line) = self.line_of(call.line);
            self.set(entry, dw::DW_AT_call_file, AttributeValue::FileIndex(file));
            self.set(entry, dw::DW_AT_call_line, AttributeValue::Udata(line.into()));
            self.set(entry, dw::DW_AT_call_column, AttributeValue::Udata(call.column.into()));
        }
        self.text(entry, start, (&call.scopes, &call.variables), Some(origin))
    }

    /// The scopes and variables of a function's text, which starts there, as far as they have code: what the source says
    /// of them, or entries say that stand for it. Returns the entries of the scopes.
    fn text(
        &mut self,
        entry: UnitEntryId,
        start: (Section, u64),
        (scopes, variables): (&[Scope], &[Variable]),
        origin: Option<Entries>,
    ) -> Vec<Option<UnitEntryId>> {
        // A scope without code is nowhere in the program, and what it declares, too.
        let mut entries = vec![Some(entry)];
        // Parameters come first.
        for (k, row) in variables.iter().enumerate().filter(|(_, row)| row.scope == 0) {
            self.concrete(entry, start, row, (&origin, k));
        }
        for (k, scope) in scopes.iter().enumerate().skip(1) {
            let parent = entries.get(scope.parent as usize).copied().flatten();
            let parent = parent.filter(|_| !scope.pieces.is_empty());
            let block = parent.map(|parent| self.unit.add(parent, dw::DW_TAG_lexical_block));
            if let Some(block) = block {
                if let Some(origin) = origin.as_ref().and_then(|origin| *origin.scopes.get(k)?) {
                    self.originates(block, origin);
                }
                self.pieces(block, start, &scope.pieces);
            }
            entries.push(block);
        }
        for (k, row) in variables.iter().enumerate().filter(|(_, row)| row.scope != 0) {
            if let Some(scope) = entries.get(row.scope as usize).copied().flatten() {
                self.concrete(scope, start, row, (&origin, k));
            }
        }
        entries
    }

    /// A variable that is somewhere: number `k` of those that stand for them, if there are any.
    fn concrete(
        &mut self,
        scope: UnitEntryId,
        start: (Section, u64),
        variable: &Variable,
        (origin, k): (&Option<Entries>, usize),
    ) {
        let entry = match origin.as_ref().and_then(|origin| *origin.variables.get(k)?) {
            Some(origin) => {
                let tag =
                    if variable.is_parameter { dw::DW_TAG_formal_parameter } else { dw::DW_TAG_variable };
                let entry = self.unit.add(scope, tag);
                self.originates(entry, origin);
                entry
            }
            None => self.variable(scope, variable),
        };
        self.home(entry, Some(start), variable);
    }

    /// Says where the code of a scope is.
    fn pieces(&mut self, block: UnitEntryId, (section, start): (Section, u64), pieces: &[(u32, u32)]) {
        if let &[(first, end)] = pieces {
            self.code(block, (section, start + u64::from(first)), (end - first).into());
        } else {
            let is_one = self.is_one();
            let of = |&(first, end): &(u32, u32)| {
                let (begin, end) = (start + u64::from(first), start + u64::from(end));
                match is_one {
                    true => Range::OffsetPair { begin, end },
                    false => Range::StartLength { begin: address(section, begin), length: end - begin },
                }
            };
            let list = self.unit.ranges.add(RangeList(pieces.iter().map(of).collect()));
            self.set(block, dw::DW_AT_ranges, AttributeValue::RangeListRef(list));
        }
    }
}

/// The unwind tables of all functions. On entry the caller's stack pointer is ours, and the return address in
/// its register.
fn frames(object: &Object, placed: &Placed, address_size: u8, step: u8) -> FrameTable {
    let machine = object.machine;
    let mut table = FrameTable::default();
    let encoding = Encoding { format: Format::Dwarf32, version: 4, address_size };
    let data_factor = -(address_size as i8);
    let mut common =
        CommonInformationEntry::new(encoding, step, data_factor, Register(machine.return_register));
    common.add_instruction(CallFrameInstruction::Cfa(Register(machine.stack_register), 0));
    let common = table.add_cie(common);
    for &(code, section, start) in placed.code {
        let Some(code) = code else { continue };
        let length = code.bytes.len() as u32;
        let mut entry = FrameDescriptionEntry::new(address(section, start), length);
        for unwind in code.unwind.iter().filter(|unwind| unwind.offset < length) {
            entry.add_instruction(
                unwind.offset,
                match unwind.rule {
                    Rule::Frame(bytes) => CallFrameInstruction::CfaOffset(bytes),
                    Rule::Saved(register, offset) => CallFrameInstruction::Offset(Register(register), offset),
                    Rule::Restored(register) => CallFrameInstruction::Restore(Register(register)),
                    Rule::CountsFrom(register) => CallFrameInstruction::CfaRegister(Register(register)),
                    Rule::Remember => CallFrameInstruction::RememberState,
                    Rule::Recall => CallFrameInstruction::RestoreState,
                },
            );
        }
        table.add_fde(common, entry);
    }
    table
}
