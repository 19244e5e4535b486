//! What a compiled program executes (`sysyc profile PROGRAM`): qemu runs it with our plugin (`profiling/blocks.c`, built
//! by cc), which counts how often each translated block is executed; the program's table of lines (-g) and its
//! symbols say of which line and function its instructions are.
//!
//! Instructions are the machine's, and all of them are counted; those without a line are the runtime library's. Which
//! calls led to a function is not known, and so there is no tree. O(instructions of the program + blocks).

use super::{Function, Line, Report, Source, deliver_all, text};
use crate::base::{Column, Handle};
use crate::driver::session::{Failure, Session};
use crate::driver::{inform, output};
use crate::ir::FuncId;
use crate::isa::{TARGETS, Target};
use crate::object::machine::Machine;
use crate::source::file::why;
use crate::source::{Diagnostics, SourceFile, Sources};
use gimli::{Dwarf, EndianSlice, LittleEndian};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{LittleEndian as Le, elf};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The plugin.
const PLUGIN: &str = include_str!("../../../profiling/blocks.c");

/// What a program tells of itself.
#[derive(Default)]
struct Program<'a> {
    /// Sections of code: where they are, and their bytes.
    code: Vec<(u64, &'a [u8])>,
    /// Functions, ascending: from where to where, and what they are called.
    functions: Vec<(u64, u64, String)>,
    /// Rows of the table of lines, ascending: from where to where, and the line of which source; 0 of none.
    rows: Vec<(u64, u64, (usize, u32))>,
    /// Its sources.
    sources: Vec<PathBuf>,
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The target that a program is for.
fn target_of(bytes: &[u8]) -> Result<&'static Target, String> {
    let number = match bytes {
        [0x7f, b'E', b'L', b'F', _, 1, ..] => {
            bytes.get(18..20).map(|two| u16::from(two[0]) | u16::from(two[1]) << 8)
        }
        _ => None,
    };
    let fits = |machine: &Machine| Some(machine.number) == number;
    TARGETS
        .iter()
        .copied()
        .find(|target| fits(target.elf))
        .ok_or("it is no program for one of our targets".to_string())
}

impl<'a> Program<'a> {
    fn read(bytes: &'a [u8]) -> Result<Program<'a>, String> {
        match bytes.get(4) {
            Some(1) => Program::of::<elf::FileHeader32<Le>>(bytes),
            _ => Program::of::<elf::FileHeader64<Le>>(bytes),
        }
    }

    fn of<Elf: FileHeader<Endian = Le>>(bytes: &'a [u8]) -> Result<Program<'a>, String> {
        let header = Elf::parse(bytes).map_err(said)?;
        let table = header.sections(Le, bytes).map_err(said)?;
        let mut program = Program::default();
        let mut debug: BTreeMap<String, &'a [u8]> = BTreeMap::new();
        for section in table.iter() {
            let name = String::from_utf8_lossy(table.section_name(Le, section).map_err(said)?).into_owned();
            let flags = section.sh_flags(Le).0;
            if flags & elf::SHF_EXECINSTR.0 != 0 {
                program.code.push((section.sh_addr(Le).into(), section.data(Le, bytes).map_err(said)?));
            } else if name.starts_with(".debug") {
                debug.insert(name, section.data(Le, bytes).map_err(said)?);
            }
        }
        let symbols = table.symbols(Le, bytes, elf::SHT_SYMTAB).map_err(said)?;
        for symbol in symbols.iter().filter(|symbol| symbol.st_type() == elf::STT_FUNC) {
            let (start, size): (u64, u64) = (symbol.st_value(Le).into(), symbol.st_size(Le).into());
            let name = String::from_utf8_lossy(symbols.symbol_name(Le, symbol).map_err(said)?).into_owned();
            program.functions.push((start & !1, start + size, name));
        }
        program.functions.sort();
        program.functions.dedup_by_key(|row| row.0);
        program.read_lines(&debug).map_err(said)?;
        if program.rows.is_empty() {
            return Err("it has no table of lines: make it with -g".to_string());
        }
        Ok(program)
    }

    fn read_lines(&mut self, debug: &BTreeMap<String, &'a [u8]>) -> Result<(), gimli::Error> {
        let load = |id: gimli::SectionId| -> Result<EndianSlice<'a, LittleEndian>, gimli::Error> {
            Ok(EndianSlice::new(debug.get(id.name()).copied().unwrap_or_default(), LittleEndian))
        };
        let dwarf = Dwarf::load(load)?;
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            let folder = unit.comp_dir.map_or(String::new(), |dir| dir.to_string_lossy().into_owned());
            let Some(lines) = unit.line_program.clone() else { continue };
            let mut rows = lines.rows();
            let mut before: Option<(u64, (usize, u32))> = None;
            while let Some((header, row)) = rows.next_row()? {
                if let Some((start, place)) = before.take().filter(|before| before.0 < row.address()) {
                    self.rows.push((start, row.address(), place));
                }
                if row.end_sequence() {
                    continue;
                }
                let name = match row.file(header) {
                    Some(file) => dwarf.attr_string(&unit, file.path_name())?.to_string_lossy().into_owned(),
                    None => String::new(),
                };
                let line = row.line().map_or(0, |line| u32::try_from(line.get()).unwrap_or(0));
                let path = Path::new(&folder).join(name);
                let known = self.sources.iter().position(|source| *source == path);
                let number = known.unwrap_or(self.sources.len());
                if known.is_none() {
                    self.sources.push(path);
                }
                before = Some((row.address(), (number, line)));
            }
        }
        self.rows.sort_unstable();
        Ok(())
    }

    /// Addresses of all instructions. Those of RISC-V have two bytes unless their lowest two bits are set.
    fn instructions(&self, target: &Target) -> impl Iterator<Item = u64> + '_ {
        let varies = target.name == "riscv64";
        self.code.iter().flat_map(move |&(start, bytes)| {
            let mut at = 0;
            std::iter::from_fn(move || {
                let first = *bytes.get(at)?;
                let here = start + at as u64;
                at += if varies && first & 3 != 3 { 2 } else { 4 };
                Some(here)
            })
        })
    }
}

/// What holds an address, of rows that are in order and apart.
fn at<T>(rows: &[(u64, u64, T)], address: u64) -> Option<&(u64, u64, T)> {
    let k = rows.partition_point(|row| row.0 <= address);
    rows.get(k.checked_sub(1)?).filter(|row| address < row.1)
}

/// Runs a program, and tells what it has executed. Its exit code is ours.
pub fn run(s: &Session) -> Result<u8, Failure> {
    let Some(input) = s.options.inputs.first() else {
        return Err(Failure::System("no program: sysyc profile PROGRAM".to_string()));
    };
    let path = input.path.as_path();
    let failed = |what: String| Failure::System(format!("cannot profile '{}': {what}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| failed(why(&error)))?;
    let target = target_of(&bytes).map_err(failed)?;
    let program = Program::read(&bytes).map_err(failed)?;
    let mut diags = Diagnostics::default();
    let mut files = Vec::new();
    for source in &program.sources {
        files.push(SourceFile::load(source, &s.workers, &mut diags));
        if diags.has_errors() {
            return Err(failed(format!("its source '{}' cannot be read", source.display())));
        }
    }
    let sources = Source::all(files.iter());
    let (file, _) = Sources::new(&files).joined();

    let folder = tempfile::tempdir().map_err(|error| failed(said(error)))?;
    let [source, plugin, out] = ["blocks.c", "blocks.so", "blocks"].map(|name| folder.path().join(name));
    std::fs::write(&source, PLUGIN).map_err(|error| failed(said(error)))?;
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&plugin).arg(&source);
    match cc.output() {
        Ok(done) if done.status.success() => {}
        Ok(done) => return Err(failed(format!("cc: {}", String::from_utf8_lossy(&done.stderr)))),
        Err(error) => return Err(failed(format!("cc makes the plugin of qemu, and cannot be run: {error}"))),
    }
    let emulator = inform::emulator(target).flatten().unwrap_or_else(|| PathBuf::from(target.qemu));
    let mut command = Command::new(&emulator);
    command.arg("-plugin").arg(format!("{},out={}", plugin.display(), out.display())).arg(path);
    let status = command.status().map_err(|error| failed(format!("{}: {error}", emulator.display())))?;
    let counted = std::fs::read_to_string(&out)
        .map_err(|_| failed(format!("{} has no plugins", emulator.display())))?;

    let report = report((&file, sources), target, &program, &changes(&counted));
    if s.options.profiles.is_empty() {
        output::to_stderr(&text::text(&report));
    }
    deliver_all(s, &report, path)?;
    Ok(status.code().map_or(TRAPPED, |code| code as u8))
}

/// The exit code where the program was ended by a signal.
const TRAPPED: u8 = 134;

/// How much more often is executed from an address on than in front of it.
fn changes(text: &str) -> BTreeMap<u64, i64> {
    let mut changes = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let mut address = || u64::from_str_radix(words.next()?, 16).ok();
        let (Some(start), Some(end)) = (address(), address()) else { continue };
        let count = words.nth(1).and_then(|word| word.parse::<i64>().ok()).unwrap_or(0);
        *changes.entry(start).or_default() += count;
        *changes.entry(end).or_default() -= count;
    }
    changes
}

fn report<'a>(
    (file, sources): (&'a SourceFile, Vec<Source>),
    target: &Target,
    program: &Program,
    changes: &BTreeMap<u64, i64>,
) -> Report<'a> {
    let mut rest = changes.iter().peekable();
    let (mut now, mut executed) = (0i64, 0);
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    let mut functions: Column<FuncId, Function> = Column::new();
    functions.extend((0..program.functions.len()).map(|k| Function {
        func: FuncId::new(k),
        line: 0,
        calls: 0,
        own: 0,
        total: 0,
    }));
    let mut addresses: Vec<u64> = program.instructions(target).collect();
    addresses.sort_unstable();
    for address in addresses {
        while let Some((_, change)) = rest.next_if(|row| *row.0 <= address) {
            now += change;
        }
        let times = u64::try_from(now).unwrap_or(0);
        executed += times;
        let line = at(&program.rows, address).map_or(0, |&(_, _, (number, line))| {
            sources.get(number).filter(|_| line != 0).map_or(0, |source| source.first + line - 1)
        });
        if line != 0 {
            let row = lines.entry(line).or_insert(Line { line, times: 0, executed: 0 });
            (row.times, row.executed) = (row.times.max(times), row.executed + times);
        }
        let k = program.functions.partition_point(|row| row.0 <= address);
        if let Some(row) = k.checked_sub(1).and_then(|k| functions.as_mut_slice().get_mut(k)) {
            row.own += times;
            if program.functions[k - 1].0 == address {
                (row.calls, row.line) = (times, line);
            }
        }
    }
    let mut functions = functions
        .as_slice()
        .iter()
        .filter(|row| row.own > 0 || row.line > 0)
        .copied()
        .collect::<Vec<Function>>();
    functions.sort_by_key(|row| (std::cmp::Reverse((row.own, row.calls)), row.line, row.func));
    let mut names: Column<FuncId, String> = Column::new();
    names.extend(program.functions.iter().map(|row| row.2.clone()));
    Report {
        file,
        sources,
        how: Cow::Owned(format!("on {}", target.name)),
        level: "",
        executed,
        steps: None,
        functions,
        lines: lines.into_values().collect(),
        loops: Vec::new(),
        branches: Vec::new(),
        nodes: &[],
        totals: Vec::new(),
        names,
    }
}
