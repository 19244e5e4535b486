//! `.eh_frame_hdr` on AArch64 and RISC-V: its table against the FDEs, lookups against those in programs of ld.bfd and lld from the same
//! objects, every encoding of addresses, damaged sections, and C++ programs that unwind by nothing else.

use super::*;
use crate::programs::START;
use gimli::{BaseAddresses, EhFrame, EhFrameHdr, LittleEndian, UnwindSection};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use support::process::Ending;

const HEADER: u32 = 0x6474_e550;

/// A program's `.eh_frame_hdr` and `.eh_frame`, read by gimli.
struct Index {
    addresses: BaseAddresses,
    header: Vec<u8>,
    records: Vec<u8>,
    start: u64,
}

impl Index {
    fn of(program: &[u8]) -> Option<Index> {
        let file = object::File::parse(program).expect("a program");
        let section = file.section_by_name(".eh_frame_hdr")?;
        let records = file.section_by_name(".eh_frame").expect("what the index is of");
        let start = section.address();
        let addresses = BaseAddresses::default().set_eh_frame_hdr(start).set_eh_frame(records.address());
        let bytes = |section: object::Section<'_, '_>| section.data().expect("its bytes").to_vec();
        let (header, records) = (bytes(section), bytes(records));
        // Unwinders find it by the program header.
        let fields = program[64..].chunks(56).take(usize::from(program[56]));
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let found: Vec<&[u8]> = fields.filter(|row| row[..4] == HEADER.to_le_bytes()).collect();
        assert_eq!(found.len(), 1, "one header");
        let (address, size) = (number(&found[0][16..24]), number(&found[0][32..40]));
        assert_eq!((address, size), (start, header.len() as u64));
        assert!(
            file.segments()
                .any(|part| part.address() <= start && start + size <= part.address() + part.size())
        );
        Some(Index { addresses, header, records, start })
    }

    /// The table: a function's first address and its FDE's; none if there is no table.
    fn table(&self) -> Option<Vec<(u64, u64)>> {
        let word = |at: usize| i32::from_le_bytes(self.header[at..at + 4].try_into().expect("4 bytes"));
        assert_eq!(self.header[..2], [1, 0x1b]);
        let records = self.addresses.eh_frame.section.expect("it is set");
        assert_eq!(self.start.wrapping_add_signed(4 + i64::from(word(4))), records, "where records start");
        if self.header[2..4] == [0xff; 2] {
            return None;
        }
        assert_eq!(self.header[2..4], [0x03, 0x3b]);
        let count = word(8) as usize;
        assert_eq!(self.header.len(), 12 + 8 * count);
        let place = |at: usize| self.start.wrapping_add_signed(i64::from(word(at)));
        Some((0..count).map(|k| (place(12 + 8 * k), place(16 + 8 * k))).collect())
    }

    /// Each FDE: its address, and the address and size of its code. The only terminator is at the end.
    fn records(&self) -> Vec<(u64, u64, u64)> {
        let section = EhFrame::new(&self.records, LittleEndian);
        let start = self.addresses.eh_frame.section.expect("it is set");
        let (mut found, mut at) = (Vec::new(), 0);
        while self.records[at..at + 4] != [0; 4] {
            if self.records[at + 4..at + 8] != [0; 4] {
                let record = section.fde_from_offset(
                    &self.addresses,
                    gimli::EhFrameOffset(at),
                    EhFrame::cie_from_offset,
                );
                let record = record.expect("a record");
                found.push((start + at as u64, record.initial_address(), record.len()));
            }
            at += 4 + u32::from_le_bytes(self.records[at..at + 4].try_into().expect("4 bytes")) as usize;
        }
        assert_eq!(at + 4, self.records.len(), "records end where the section does");
        found
    }

    /// The address and size of the code of the FDE that binary search finds for an address.
    fn find(&self, address: u64) -> Option<(u64, u64)> {
        let header = EhFrameHdr::new(&self.header, LittleEndian).parse(&self.addresses, 8).expect("an index");
        let table = header.table().expect("a table");
        let section = EhFrame::new(&self.records, LittleEndian);
        let found = table.fde_for_address(&section, &self.addresses, address, EhFrame::cie_from_offset);
        found.ok().map(|record| (record.initial_address(), record.len()))
    }

    /// Checks the table against the FDEs; how many there are.
    fn check(&self) -> usize {
        let table = self.table().expect("a table");
        assert!(table.is_sorted(), "{table:x?}");
        let mut want: Vec<(u64, u64)> =
            self.records().into_iter().map(|(record, start, _)| (start, record)).collect();
        want.sort_unstable();
        assert_eq!(table, want);
        for (_, start, len) in self.records() {
            assert_eq!(self.find(start), Some((start, len)));
            assert_eq!(self.find(start + len - 1), Some((start, len)));
        }
        table.len()
    }
}

fn targets() -> impl Iterator<Item = (&'static Target, &'static str)> {
    TARGETS.iter().zip(START).filter(|(target, _)| target.machine.is_64)
}

/// Functions with frames of many sizes; some are called, and every third is not.
fn functions(name: &str, count: usize) -> String {
    let mut text = String::from("void use(void *, int); int use1(int x) { return x + 1; }\n");
    if name != "a" {
        text = text.replace("int use1(int x) { return x + 1; }", "int use1(int);");
    }
    for k in 0..count {
        let (size, next) = (8 + 40 * (k * 7 % 5), k + 1);
        let call = if k % 3 == 2 || next == count {
            String::new()
        } else {
            format!(" + {name}{}(x)", next + usize::from(next % 3 == 2))
        };
        text += &format!("int {name}{}(int x);\n", next + usize::from(next % 3 == 2));
        text += &format!(
            "int {name}{k}(int x) {{ char room[{size}]; use(room, x); return use1(room[{}]){call}; }}\n",
            k % 8
        );
    }
    text + &format!(
        "int {name}{count}(int x) {{ return x; }}\nint {name}{}(int x) {{ return x; }}\n",
        count + 1
    )
}

const FLAGS: [&str; 7] = [
    "-O1",
    "-fexceptions",
    "-fasynchronous-unwind-tables",
    "-ffunction-sections",
    "-fno-inline",
    "-fno-stack-protector",
    "-fno-optimize-sibling-calls",
];

#[test]
fn lookups_are_those_of_other_linkers() {
    for (target, start) in targets() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let entry = "int a0(int), b0(int); void use(void *p, int x) { *(char *)p = x; } int entry(void) { return a0(1) + b0(2); }";
        let files = [
            target.compile(at, "start.s", start, &[]),
            target.compile(at, "entry.c", entry, &FLAGS),
            target.compile(at, "a.c", &functions("a", 40), &FLAGS),
            target.compile(at, "b.c", &functions("b", 50), &FLAGS[..3]),
            target.compile(at, "c.c", &functions("c", 10), &FLAGS),
        ];
        let program = target.program(at, &files);
        let ours = fs::read(program).expect("it is there");
        let index = Index::of(&ours).expect("an index");
        let found = found_of(&ours, &index);
        assert_eq!(index.check(), found.len());
        assert!(found.len() > 60 && !found.iter().any(|row| row.0 == "a2"), "{found:?}");
        let pie = target.link(&files, |options| options.pie = true).expect("it links");
        assert_eq!(found_of(&pie, &Index::of(&pie).expect("an index")), found, "loaded anywhere");
        let all = target.link(&files, |options| options.keep_unused = true).expect("it links");
        assert!(Index::of(&all).expect("an index").check() > found.len() + 20, "nothing is left out");
        let mut linkers = vec![format!("{}-ld", target.tools)];
        linkers.extend(
            ["ld.lld-19", "ld.lld-16", "ld.lld-15"]
                .into_iter()
                .find(|name| Command::new(name).arg("-v").output().is_ok())
                .map(String::from),
        );
        assert_eq!(linkers.len(), 2, "lld is missing: tests/install.sh installs it");
        for linker in linkers {
            let names = files.iter().map(|file| file.to_str().expect("a name"));
            let words = ["--eh-frame-hdr", "--gc-sections", "--no-relax", "-static", "-o", "theirs"];
            tool(at, &linker, &words.into_iter().chain(names).collect::<Vec<_>>());
            let theirs = fs::read(at.join("theirs")).expect("it is there");
            let index = Index::of(&theirs).expect("an index");
            assert_eq!(found_of(&theirs, &index), found, "{} {linker}", target.machine.name);
        }
    }
}

/// By function, for its first, middle and last byte: the start, relative to the function, and the size of the code of the FDE that is
/// found. Without functions that have no FDE.
fn found_of(program: &[u8], index: &Index) -> Vec<(String, [(i64, u64); 3])> {
    let file = object::File::parse(program).expect("a program");
    let mut found = Vec::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0) {
        let (start, size) = (symbol.address(), symbol.size());
        let places = [start, start + size / 2, start + size - 1].map(|place| index.find(place));
        let places = places.map(|row| row.map(|(at, len)| (at.wrapping_sub(start) as i64, len)));
        if let [Some(first), Some(middle), Some(last)] = places {
            found.push((symbol.name().expect("a name").to_string(), [first, middle, last]));
        } else {
            assert_eq!(places, [None; 3], "{:?}", symbol.name());
        }
    }
    found.sort();
    found
}

/// A CIE of 24 bytes, with this augmentation and this encoding of addresses.
fn shared(letters: &str, encoding: u8) -> String {
    format!(" .4byte 20, 0\n .byte 1\n .asciz \"z{letters}\"\n .byte 1, 0x78, 30, 1, {encoding}\n .zero 7\n")
}

/// A function of 8 bytes and its FDE of 20 bytes, or 28 with addresses of 8 bytes, at a distance from its CIE.
fn function(name: &str, kind: &str, wide: bool, back: usize) -> String {
    let nop = ".4byte 0x13, 0x13";
    let (len, word, rest) = if wide { (24, "8byte", 4) } else { (16, "4byte", 4) };
    format!(
        " .section .text.{name},\"ax\"\n .globl {name}\n{name}: {nop}\n .section .eh_frame,\"a\"\n .4byte {len}, {back}\n \
         .reloc ., {kind}, {name}\n .{word} 0\n .{word} 8\n .zero {rest}\n"
    )
}

#[test]
fn encodings_that_are_not_known_leave_the_table_out() {
    // By machine the relocations of a relative address in 4 bytes, an absolute one in 8, and in 4.
    let kinds = [
        ["R_RISCV_32_PCREL", "R_RISCV_64", "R_RISCV_32"],
        ["R_AARCH64_PREL32", "R_AARCH64_ABS64", "R_AARCH64_ABS32"],
    ];
    for ((target, _), [relative, whole, half]) in targets().zip(kinds) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let mut rows = vec![
            ("R", 0x1b, relative, false, true),
            ("R", 0x13, relative, false, true),
            ("SR", 0x1b, relative, false, true),
            ("R", 0x00, whole, true, true),
            ("R", 0x0c, whole, true, true),
            // DW_EH_PE_indirect; DW_EH_PE_datarel; relocations that do not fit the encoding, twice; an unknown augmentation.
            ("R", 0x9b, relative, false, false),
            ("R", 0x3b, relative, false, false),
            ("R", 0x1b, half, false, false),
            ("R", 0x00, relative, true, false),
            ("XR", 0x1b, relative, false, false),
        ];
        if target.machine.name == "aarch64" {
            rows.push(("R", 0x1c, "R_AARCH64_PREL64", true, true));
        }
        for (letters, encoding, kind, wide, is_known) in rows {
            let head = ".globl _start\n .section .eh_frame,\"a\"\n .balign 8\n";
            // A second letter of the augmentation takes one byte of the padding.
            let common = match letters {
                "SR" => shared("SR", encoding).replace(".zero 7", ".zero 6"),
                "XR" => shared("XR", encoding).replace(".zero 7", ".zero 6"),
                letters => shared(letters, encoding),
            };
            let text = format!("{head}{common}{}", function("f", kind, wide, 28));
            let odd = target.compile(at, "odd.s", &text, &[]);
            let text = format!(
                "{head}{}{} .text\n_start: .4byte 0\n .8byte f, g\n",
                shared("R", 0x1b),
                function("g", relative, false, 28)
            );
            let plain = target.compile(at, "plain.s", &text, &[]);
            let what = format!("{} z{letters} {encoding:#x} {kind}", target.machine.name);
            let program = target.link(&[odd, plain], |_| ()).expect("it links");
            let index = Index::of(&program).expect("an index");
            if is_known {
                assert_eq!(index.check(), 2, "{what}");
            } else {
                assert_eq!(index.table(), None, "{what}");
                assert!(index.records.ends_with(&[0; 4]), "{what}: it ends");
            }
        }
        // Without FDEs there is no section.
        let text =
            format!(" .globl _start\n_start: .4byte 0\n .section .eh_frame,\"a\"\n{}", shared("R", 0x1b));
        let none = target.compile(at, "none.s", &text, &[]);
        assert!(Index::of(&target.link(&[none], |_| ()).expect("it links")).is_none());
    }
}

#[test]
fn no_padding_stands_between_sections() {
    for ((target, _), kind) in targets().zip(["R_RISCV_32_PCREL", "R_AARCH64_PREL32"]) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let head = " .section .eh_frame,\"a\"\n .balign 8\n";
        // What is kept of the first section is no multiple of 8 bytes: padding in front of the next one would be a terminator.
        let [dead, f] = [("dead", 28), ("f", 48)].map(|(name, back)| function(name, kind, false, back));
        let first = target.compile(at, "first.s", &format!("{head}{}{dead}{f}", shared("R", 0x1b)), &[]);
        let g = function("g", kind, false, 28);
        let text =
            format!("{head}{}{g} .text\n .globl _start\n_start: .4byte 0\n .8byte f, g\n", shared("R", 0x1b));
        let second = target.compile(at, "second.s", &text, &[]);
        let program = target.link(&[first.clone(), second.clone()], |_| ()).expect("it links");
        assert_eq!(Index::of(&program).expect("an index").records().len(), 2, "{}", target.machine.name);
        // The terminator of another object is the only one.
        let end = target.compile(at, "end.s", " .section .eh_frame,\"a\"\n .4byte 0\n", &[]);
        let program = target.link(&[first, second, end], |_| ()).expect("it links");
        assert_eq!(Index::of(&program).expect("an index").check(), 2);
    }
}

#[test]
fn dropped_copies_are_not_in_the_table() {
    for (target, start) in targets() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let copy = "inline int copy(int x) { return x + 3; } extern \"C\" int";
        let one = format!("{copy} one(int x); extern \"C\" int entry() {{ return copy(one(4)); }}");
        let files = [
            target.compile(at, "start.s", start, &[]),
            target.compile(at, "one.cpp", &one, &FLAGS),
            target.compile(at, "two.cpp", &format!("{copy} one(int x) {{ return copy(x); }}"), &FLAGS),
        ];
        let program = target.link(&files, |_| ()).expect("it links");
        assert_eq!(Index::of(&program).expect("an index").check(), 3, "{}", target.machine.name);
        // With unused sections kept, the FDE of the dropped copy stays, without code.
        let program = target.link(&files, |options| options.keep_unused = true).expect("it links");
        let index = Index::of(&program).expect("an index");
        let table = index.table().expect("a table");
        assert_eq!((table.len(), index.records().len()), (3, 4), "{}", target.machine.name);
        assert!(table.iter().all(|row| row.0 > target.machine.base), "{table:x?}");
        write_program(&at.join("program"), &program);
        assert_eq!(target.run(at, &at.join("program"), "").ending, Ending::Exit(10));
    }
}

#[test]
fn damaged_sections_link_or_are_refused() {
    for (target, start) in targets() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let start = fs::read(target.compile(at, "start.s", start, &[])).expect("it is there");
        let text = "void use(int *x) { *x += 1; } int entry(void) { int x = 1; use(&x); return x; } int dead(int x) { use(&x); return x; }";
        let whole = fs::read(target.compile(at, "whole.c", text, &FLAGS)).expect("it is there");
        let file = object::File::parse(&*whole).expect("an object");
        let (offset, size) = file.section_by_name(".eh_frame").expect("records").file_range().expect("bytes");
        let (mut tables, mut others) = (0, 0);
        for place in offset as usize..(offset + size) as usize {
            for value in [0, 1, 3, 4, 0x7f, 0x80, 0xfe, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] = value;
                let inputs = [("start", &start), ("broken", &bytes)];
                let inputs = inputs
                    .map(|(name, bytes)| Input { name: name.to_string(), content: Content::Bytes(bytes) });
                let Ok(program) = link(inputs.into(), &Options::new(target.machine)) else { continue };
                match Index::of(&program).map(|index| index.table()) {
                    Some(Some(table)) => {
                        tables += 1;
                        assert!(table.is_sorted() && table.len() <= 3, "{place}, {value}: {table:x?}");
                    }
                    _ => others += 1,
                }
            }
        }
        assert!(tables > 100 && others > 20, "{tables} {others}");
    }
}

/// Exceptions through frames with destructors, by a base class, and out of the library.
const THROWS: &str = r#"
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
static int alive;
struct Guard { Guard() { alive++; } ~Guard() { alive--; } };
__attribute__((noinline)) static int deep(int n, const std::vector<int> &v) {
    Guard guard;
    if (n == 0) return v.at(7);
    if (n == 50) throw std::string("fifty");
    return deep(n - 1, v) + 1;
}
int main() {
    int caught = 0;
    for (int k = 0; k < 60; k++) {
        try { deep(k, {1, 2, 3}); }
        catch (const std::out_of_range &) { caught++; }
        catch (const std::string &text) { caught += 100 * (text == "fifty"); }
    }
    std::printf("%d %d\n", caught, alive);
    try { try { throw 5; } catch (int x) { throw x + 1.5; } } catch (double x) { return int(2 * x); }
}
"#;

#[test]
fn programs_unwind_by_the_table_alone() {
    for (target, _) in targets() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = folder.path();
        let done = tool(at, &format!("{}-gcc", target.tools), &["-print-file-name=libstdc++.a"]);
        let library = PathBuf::from(String::from_utf8_lossy(&done.stdout).trim());
        let row = sysyc::isa::find(target.machine.name).expect("a target");
        for (flags, pie) in
            [(["-O0", "-fno-pie"], false), (["-O2", "-fno-pie"], false), (["-O1", "-fPIE"], true)]
        {
            let object = target.compile(at, "throws.cpp", THROWS, &flags);
            let folders = sysyc::driver::libraries::folders(row, &[]);
            // Not every C library can be loaded anywhere.
            let Ok(files) = sysyc::driver::libraries::c_library(row, &folders, pie) else { continue };
            for has_both in [true, false] {
                // Without these two nothing is registered when the program starts.
                let is_taken = |file: &&PathBuf| {
                    has_both || !file.ends_with("crtbeginT.o") && !file.ends_with("crtend.o")
                };
                let files = files.first.iter().chain([&object, &library]).chain(&files.last);
                let mut files: Vec<PathBuf> = files.filter(is_taken).cloned().collect();
                if !has_both {
                    files.push(target.compile(at, "handle.c", "void *__dso_handle;", &["-fPIE"]));
                }
                let bytes = target
                    .link(&files, |options| options.pie = pie)
                    .unwrap_or_else(|errors| panic!("{errors:?}"));
                Index::of(&bytes).expect("an index").check();
                write_program(&at.join("program"), &bytes);
                let done = target.run(at, &at.join("program"), "");
                let said = String::from_utf8_lossy(&done.stdout).into_owned();
                assert_eq!(
                    (done.ending, &*said),
                    (Ending::Exit(13), "1050 0\n"),
                    "{} {flags:?} {has_both}",
                    target.machine.name
                );
            }
        }
    }
}
