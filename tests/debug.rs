//! `-g`: what is said is accepted by the tools that read it, the code is the same with and without, and gdb
//! does with it what debuggers are for, on every target.
//!
//! Of `tests/programs` each program is looked at by readers at one level a target, the next one at another: a program takes
//! ten processes. `SYSYC_DEBUG=all` has all levels.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::generate;
use object::read::elf::{ElfFile, FileHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, elf};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Name, prefix of its tools, emulator.
const TARGETS: [[&str; 3]; 3] = [
    ["riscv64", "riscv64-linux-gnu", "qemu-riscv64"],
    ["aarch64", "aarch64-linux-gnu", "qemu-aarch64"],
    ["armv7", "arm-linux-gnueabihf", "qemu-arm"],
];
const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

fn manifest(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Every program of the repository's own.
fn programs() -> Vec<PathBuf> {
    let folders = [manifest("tests/debug"), manifest("tests/programs")];
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap().flatten());
    let paths = entries.map(|entry| entry.path());
    let mut programs: Vec<_> = paths.filter(|path| path.extension().is_some_and(|e| e == "sy")).collect();
    programs.sort();
    assert!(programs.len() > 2);
    programs
}

/// The levels at which program number `k` is looked at on target number `t`: all for those that are there for it.
fn levels(k: usize, source: &Path, target: &str) -> &'static [&'static str] {
    let all = std::env::var("SYSYC_DEBUG").is_ok_and(|text| text == "all");
    if all || source.starts_with(manifest("tests/debug")) {
        return &LEVELS;
    }
    let t = TARGETS.iter().position(|row| row[0] == target).unwrap_or(0);
    let turn = (k + t) % LEVELS.len();
    &LEVELS[turn..=turn]
}

/// Runs to a good end.
fn run(command: &mut Command) -> Output {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

fn sysyc(args: &[&str], source: &Path, out: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    run(command.current_dir(manifest("")).arg("-w").args(args).arg("-o").args([out, source]));
}

/// What a reader prints, if it has no complaint.
fn read(command: &mut Command) -> String {
    let output = run(command);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "", "{command:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// `llvm-dwarfdump`, under whatever name it is installed.
fn dwarfdump() -> Command {
    let names = ["llvm-dwarfdump-19", "llvm-dwarfdump-16", "llvm-dwarfdump-15", "llvm-dwarfdump"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        names.iter().find(|name| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()));
    Command::new(found.expect("llvm-dwarfdump"))
}

#[test]
fn objects_and_programs_are_accepted_by_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    for [target, prefix, _] in TARGETS {
        for (k, source) in programs().iter().enumerate() {
            for &level in levels(k, source, target) {
                let (object, program) = (folder.path().join("x.o"), folder.path().join("x"));
                sysyc(&["-g", level, "-c", "--target", target], source, &object);
                let mut made = vec![&object];
                if source.ends_with("tour.sy") {
                    sysyc(&["-g", level, "--target", target], source, &program);
                    made.push(&program);
                }
                for file in made {
                    let verified = read(dwarfdump().arg("--verify").arg(file));
                    assert!(verified.contains("No errors."), "{verified}");
                    let sections = "--debug-dump=info,abbrev,line,decodedline,frames-interp,Ranges,loc";
                    let dump = read(Command::new(format!("{prefix}-readelf")).arg(sections).arg(file));
                    assert!(!dump.to_lowercase().contains("warning"), "{dump}");
                    let code = read(Command::new(format!("{prefix}-objdump")).arg("-dl").arg(file));
                    let name = source.file_name().unwrap().to_str().unwrap();
                    assert!(code.contains(&format!("{name}:")), "{target} {level} {name}");
                }
            }
        }
    }
}

/// What a reader shows of an object, without the object's name.
fn told(object: &Path) -> (String, Vec<String>) {
    let dump = |section: &str| read(dwarfdump().arg(section).arg(object));
    let (facts, lines) = (dump("--debug-info"), dump("--debug-line"));
    let facts = facts.split_once("debug_info contents").expect("it is there").1.to_string();
    // Address, line, column, flags; not how the rows are encoded.
    // Where the last ends, padding may follow.
    let is_row = |line: &&str| line.starts_with("0x") && !line.contains("end_sequence");
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        [&words[..3], &words[7..]].concat().join(" ")
    };
    (facts, lines.lines().filter(is_row).map(row).collect())
}

#[test]
fn assembly_says_what_objects_say() {
    let folder = tempfile::tempdir().unwrap();
    let [text, object, assembled] = ["x.s", "x.o", "y.o"].map(|name| folder.path().join(name));
    for [target, prefix, _] in TARGETS {
        for source in programs().iter().filter(|path| path.starts_with(manifest("tests/debug"))) {
            for level in LEVELS {
                sysyc(&["-g", level, "-c", "--target", target], source, &object);
                sysyc(&["-g", level, "-S", "--target", target], source, &text);
                let mut gnu = Command::new(format!("{prefix}-as"));
                gnu.args(["-mfloat-abi=hard"].iter().filter(|_| target == "armv7"));
                read(gnu.arg("-o").args([&assembled, &text]));
                assert_eq!(told(&object), told(&assembled), "{target} {level} {}", source.display());
                let verified = read(dwarfdump().arg("--verify").arg(&assembled));
                assert!(verified.contains("No errors."), "{verified}");
            }
        }
    }
}

#[test]
fn paths_can_be_told_in_another_way_so_that_folders_make_no_difference() {
    let source = "int main() { int a = 3; return a; }\n";
    let made = ["one", "two"].map(|name| {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join(name);
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("x.sy"), source).unwrap();
        let map = format!("-fdebug-prefix-map={}=/built", inner.display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        let path = inner.join("x.sy");
        run(command.current_dir(&inner).args(["-g", "-c", "-o", "x.o", &map]).arg(path));
        std::fs::read(inner.join("x.o")).unwrap()
    });
    assert!(made[0] == made[1]);
    let has = |text: &str| made[0].windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(has("/built/x.sy") && !has("/one"));
}

/// What a program has in memory, and what of it depends on addresses.
fn loaded<H: FileHeader<Endian = Endianness>>(bytes: &[u8]) -> Vec<(String, u64, Vec<u8>, Vec<String>)> {
    let file = ElfFile::<H>::parse(bytes).unwrap();
    let sections = file.sections().filter(|section| {
        let name = section.name().unwrap();
        [".text", ".rodata", ".data", ".bss"].contains(&name)
    });
    sections
        .map(|section| {
            let relocations = section.relocations().map(|(offset, reloc)| {
                let object::RelocationTarget::Symbol(symbol) = reloc.target() else { panic!("no symbol") };
                let symbol = file.symbol_by_index(symbol).unwrap();
                let name = symbol.name().unwrap().to_string();
                format!("{offset} {:?} {name} {}", reloc.flags(), reloc.addend())
            });
            let data = section.data().unwrap().to_vec();
            (section.name().unwrap().to_string(), section.size(), data, relocations.collect())
        })
        .collect()
}

#[test]
fn the_code_is_the_same_with_and_without_and_the_rest_for_any_number_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    for [target, ..] in TARGETS {
        for (k, source) in programs().iter().enumerate() {
            for &level in levels(k, source, target) {
                let common = ["-c", level, "--target", target];
                for (name, more) in [("none", "-g0"), ("one", "-j1"), ("many", "-j7")] {
                    let debug = if name == "none" { "-g0" } else { "-g" };
                    sysyc(&[&common[..], &[debug, more]].concat(), source, &place(name));
                }
                let [none, one, many] =
                    ["none", "one", "many"].map(|name| std::fs::read(place(name)).unwrap());
                assert!(one == many, "{} differs with the number of workers", source.display());
                let of = if target == "armv7" {
                    loaded::<elf::FileHeader32<Endianness>>
                } else {
                    loaded::<elf::FileHeader64<Endianness>>
                };
                assert!(of(&none) == of(&one), "{} differs with -g", source.display());
                assert!(!none.windows(6).any(|bytes| bytes == b".debug") && one.len() > none.len());
            }
        }
    }
}

/// `-gline-tables-only` (`-g1`) tells of lines, functions and inlined calls, and of no variable or type; -O stays what it is.
#[test]
fn lines_can_be_told_without_variables() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let source = Path::new("tests/debug/inlined.sy");
    for target in TARGETS {
        let of = |args: &[&str], name: &str| {
            sysyc(&[args, &["-c", "--target", target[0]]].concat(), source, &place(name));
            std::fs::read(place(name)).unwrap()
        };
        let lines = of(&["-gline-tables-only", "-O2"], "lines.o");
        assert!(lines == of(&["-g1", "-O2"], "one.o") && lines != of(&["-g", "-O2"], "all.o"), "{target:?}");
        assert!(of(&["-g1"], "x.o") == of(&["-g1", "-O1"], "y.o"), "{target:?}");
        let facts = read(dwarfdump().arg("--debug-info").arg(place("lines.o")));
        for (tag, count) in [("subprogram", 4), ("inlined_subroutine", 3), ("variable", 0), ("base_type", 0)]
        {
            let found = facts.matches(&format!("DW_TAG_{tag}\n")).count();
            assert_eq!(found, count, "{target:?} {tag} {facts}");
        }
        assert!(!facts.contains("DW_TAG_formal_parameter") && !facts.contains("DW_AT_location"), "{facts}");
        let [all, some] = ["all.o", "lines.o"].map(|name| told(&place(name)).1);
        assert!(all.len() > 8 && all == some, "{target:?}");
        sysyc(&["-gline-tables-only", "-O2", "--target", target[0]], source, &place("p"));
        let said = session(&place("p"), target, "break square\ncontinue\nbacktrace\n");
        let frames = ["#0  square ", "#1  both ", "#2  main "];
        assert!(frames.iter().all(|frame| said.contains(frame)), "{target:?} {said}");
    }
}

/// The unwind rules of an object as readelf tells them: a line a place, without what only tells how they are
/// stored.
fn rules(prefix: &str, object: &Path) -> Vec<String> {
    let dump = read(Command::new(format!("{prefix}-readelf")).arg("--debug-dump=frames-interp").arg(object));
    let mut rules = Vec::new();
    let mut end = "";
    for line in dump.lines() {
        let place = line.split(' ').next().unwrap_or("");
        if let Some((_, range)) = line.split_once("pc=") {
            end = range.split("..").nth(1).unwrap();
            rules.push(range.to_string());
        } else if place.len() >= 8
            && place.bytes().all(|byte| byte.is_ascii_hexdigit())
            && place != end
            && !line.contains("CIE")
        {
            // What holds behind the end of a function holds nowhere.
            rules.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    rules
}

#[test]
fn unwind_tables_are_what_an_assembler_makes_of_our_directives() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    for [target, prefix, _] in TARGETS {
        for (k, source) in programs().iter().enumerate() {
            for &level in levels(k, source, target) {
                sysyc(&["-S", level, "--target", target], source, &place("x.s"));
                assert!(!std::fs::read_to_string(place("x.s")).unwrap().contains(".cfi"));
                sysyc(&["-g", "-S", level, "--target", target], source, &place("x.s"));
                sysyc(&["-g", "-c", level, "--target", target], source, &place("ours.o"));
                let flags: &[&str] = if target == "riscv64" { &["-mno-relax"] } else { &[] };
                let mut assembler = Command::new(format!("{prefix}-as"));
                run(assembler.args(flags).arg("-o").args([place("theirs.o"), place("x.s")]));
                let (ours, theirs) = (rules(prefix, &place("ours.o")), rules(prefix, &place("theirs.o")));
                assert!(ours.len() > 1, "{ours:?}");
                assert_eq!(ours, theirs, "{target} {level} {}", source.display());
            }
        }
    }
}

/// A session of gdb with a program under an emulator: what gdb prints on commands, addresses left out.
fn session(program: &Path, [_, _, emulator]: [&str; 3], commands: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (socket, script) = (folder.path().join("gdb"), folder.path().join("script"));
    std::fs::write(&script, commands).unwrap();
    let mut emulated = Command::new(emulator);
    // With SVE, gdb 13 takes the vector registers of callers from the innermost frame.
    emulated.args(if emulator == "qemu-aarch64" { &["-cpu", "cortex-a53"][..] } else { &[] });
    emulated.arg("-g").args([&socket, program]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut emulated = emulated.spawn().unwrap();
    let start = Instant::now();
    while !socket.exists() && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut gdb = Command::new("gdb-multiarch");
    gdb.args(["-q", "-nx", "-batch", "-ex", "set sysroot /", "-ex", "set width 0", "-ex"]);
    gdb.arg(format!("target remote {}", socket.display())).arg("-x").args([&script, program]);
    let output = gdb.stdin(Stdio::null()).current_dir(manifest("")).output().unwrap();
    _ = emulated.kill();
    _ = emulated.wait();
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    // The first lines say where the program starts.
    let lines = said.lines().skip_while(|line| !line.starts_with("Breakpoint")).map(|line| {
        let mut pieces = line.split("0x");
        let first = pieces.next().unwrap_or("").to_string();
        let digits = |piece: &str| format!("0x{}", piece.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
        pieces.fold(first, |line, piece| line + &digits(piece))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What gdb is to do with a program at a level, and what it says on every target.
const SESSIONS: [[&str; 4]; 7] = [
    ["tour.sy", "-O0", include_str!("debug/tour.gdb"), include_str!("debug/tour.expected")],
    ["lines.sy", "-O0", include_str!("debug/lines.gdb"), include_str!("debug/lines.expected")],
    ["tour.sy", "-O1", include_str!("debug/fast.gdb"), include_str!("debug/fast.expected")],
    ["entry.sy", "-O1", include_str!("debug/entry.gdb"), include_str!("debug/entry.expected")],
    ["address.sy", "-O2", include_str!("debug/address.gdb"), include_str!("debug/address.expected")],
    ["inlined.sy", "-O2", include_str!("debug/inlined.gdb"), include_str!("debug/inlined.expected")],
    ["values.sy", "-O1", include_str!("debug/values.gdb"), include_str!("debug/values.expected")],
];

#[test]
fn gdb_breaks_steps_prints_and_unwinds() {
    let folder = tempfile::tempdir().unwrap();
    for [source, level, commands, expected] in SESSIONS {
        for target in TARGETS {
            let program = folder.path().join(target[0]);
            sysyc(&["-g", level, "--target", target[0]], &Path::new("tests/debug").join(source), &program);
            let said = session(&program, target, commands);
            assert_eq!(said.trim(), expected.trim(), "{} {level} {source}\n{said}", target[0]);
        }
    }
}

/// Where a debugger that steps stops: function, line, and the numbers that it shows of variables. Of those of
/// one name, the innermost.
type Stop = (String, u32, Vec<(String, Option<String>)>);

fn stops(program: &Path, target: [&str; 3], steps: usize) -> Vec<Stop> {
    let each = "echo --\\n\nframe\ninfo args\ninfo locals\nstep\nset $k = $k + 1\nend\n";
    let said = session(
        program,
        target,
        &format!("set confirm off\nbreak main\ncontinue\nset $k = 0\nwhile $k < {steps}\n{each}"),
    );
    let mut stops = Vec::new();
    for piece in said.split("--\n").skip(1) {
        let mut lines = piece.lines();
        let Some(frame) = lines.next().filter(|line| line.starts_with("#0")) else { continue };
        let name = frame.trim_start_matches("#0").trim().split(" (").next().unwrap_or_default();
        let name = name.split(" in ").last().unwrap_or_default().to_string();
        let Some(line) = frame.rsplit(':').next().and_then(|line| line.parse().ok()) else { continue };
        let mut values: Vec<(String, Option<String>)> = Vec::new();
        for (name, value) in lines.filter_map(|line| line.split_once(" = ")) {
            let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let value = if value == "<optimized out>" { None } else { Some(value) };
            let is_number =
                value.is_none_or(|value| !value.starts_with("0x") && value.parse::<f64>().is_ok());
            if is_name && is_number && values.iter().all(|row| row.0 != name) {
                values.push((name.to_string(), value.map(str::to_string)));
            }
        }
        stops.push((name, line, values));
    }
    stops
}

/// Programs that stop often, and a generated one of each of some kinds.
fn programs_to_step(folder: &Path) -> Vec<PathBuf> {
    let mut paths = vec![manifest("tests/debug/tour.sy"), manifest("tests/debug/values.sy")];
    for (name, seed) in [("mixed", 7), ("loop_nests", 2), ("realistic", 3)] {
        let path = folder.join(format!("{name}.sy"));
        std::fs::write(&path, generate::program(name, seed, 60)).unwrap();
        paths.push(path);
    }
    paths
}

/// What is shown of an optimised program is what was shown of the same program without optimisation at the
/// same line, stop after stop. Of generated programs many variables are dead, and at the entries of functions none has a
/// value yet: gcc shows a quarter.
#[test]
fn what_gdb_shows_of_optimised_programs_is_true() {
    const STEPS: usize = 120;
    let folder = tempfile::tempdir().unwrap();
    for path in programs_to_step(folder.path()) {
        for target in TARGETS {
            let [plain, good, better] =
                [("-O0", 8 * STEPS), ("-O1", STEPS), ("-O2", STEPS / 2)].map(|(level, steps)| {
                    let program = folder.path().join(target[0]);
                    sysyc(&["-g", level, "--target", target[0]], &path, &program);
                    stops(&program, target, steps)
                });
            let what = format!("{} {}", target[0], path.display());
            let (shown, all) = compare(&what, &plain, &good, true);
            assert!(6 * shown > all, "{what}: {shown} of {all}");
            compare(&what, &plain, &better, false);
        }
    }
}

/// Compares the stops of an optimised program with those of a plain one, which are in the same order unless
/// code was moved; how many values are shown, of how many.
fn compare(what: &str, plain: &[Stop], optimised: &[Stop], in_order: bool) -> (usize, usize) {
    assert!(optimised.len() > 5 && plain.len() > 20, "{what}: {} {}", optimised.len(), plain.len());
    let mut rest = plain;
    let (mut shown, mut all) = (0, 0);
    for stop in optimised {
        let (name, line, values) = stop;
        // Where a function begins, its arguments are not where they will stay.
        let first = plain.iter().filter(|stop| stop.0 == *name).map(|stop| stop.1).min();
        if first == Some(*line) {
            continue;
        }
        all += values.len();
        shown += values.iter().filter(|value| value.1.is_some()).count();
        let holds = |(variable, value): &(String, Option<String>), other: &Stop| {
            value.is_none() || other.2.iter().any(|row| row.0 == *variable && row.1 == *value)
        };
        let is_it =
            |other: &Stop| other.0 == *name && other.1 == *line && values.iter().all(|row| holds(row, other));
        match rest.iter().position(is_it) {
            Some(at) if in_order => rest = &rest[at..],
            Some(_) => {}
            None => {
                let at = rest.iter().find(|other| other.0 == *name && other.1 == *line);
                assert!(at.is_none(), "{what}: shown {stop:?}, but next there comes {at:?}");
            }
        }
    }
    (shown, all)
}

/// The registers that calls preserve: the command that prints one, for all of them.
fn preserved(target: &str) -> Vec<String> {
    match target {
        "riscv64" => (0..12).flat_map(|n| [format!("$s{n}"), format!("$fs{n}.float")]).collect(),
        "aarch64" => {
            (19..30).map(|n| format!("$x{n}")).chain((8..16).map(|n| format!("$v{n}.d.u[0]"))).collect()
        }
        _ => (4..12).map(|n| format!("$r{n}")).chain((8..16).map(|n| format!("$d{n}.f64"))).collect(),
    }
}

/// What the tables say the registers of a caller are is what they are once it is back.
#[test]
fn gdb_finds_the_registers_of_callers() {
    let folder = tempfile::tempdir().unwrap();
    for target in TARGETS {
        let mut commands = String::from("break leaf\ncontinue\nbacktrace\nframe 2\n");
        let registers = preserved(target[0]);
        registers.iter().enumerate().for_each(|(k, reg)| commands += &format!("set $saved{k} = {reg}\n"));
        commands += "frame 1\n";
        registers.iter().enumerate().for_each(|(k, reg)| commands += &format!("set $before{k} = {reg}\n"));
        commands += "delete\nfinish\n";
        for (k, reg) in registers.iter().enumerate() {
            commands +=
                &format!("printf \"%d %d {}\\n\", $saved{k} == {reg}, $saved{k} != $before{k}\n", &reg[1..]);
        }
        let program = folder.path().join(target[0]);
        sysyc(&["-g", "-O1", "--target", target[0]], Path::new("tests/debug/registers.sy"), &program);
        let said = session(&program, target, &commands);
        let told: Vec<&str> =
            said.lines().filter(|line| line.starts_with("0 ") || line.starts_with("1 ")).collect();
        assert_eq!(told.len(), registers.len(), "{target:?} {said}");
        assert!(told.iter().all(|line| line.starts_with('1')), "{target:?} {said}");
        // Most of them hold something else in the callee.
        let changed = told.iter().filter(|line| line.starts_with("1 1")).count();
        assert!(2 * changed > told.len(), "{target:?} {said}");
    }
}

/// Every instruction of a recursive function, prologues and epilogues included, has the right callers.
#[test]
fn gdb_unwinds_from_every_instruction() {
    let commands =
        "break *fact\ncontinue\nset $k = 0\nwhile $k < 150\nstepi\nbt\necho --\\n\nset $k = $k + 1\nend\n";
    let folder = tempfile::tempdir().unwrap();
    for target in TARGETS {
        // At -O2 there is no recursion left.
        for level in &LEVELS[..2] {
            let program = folder.path().join(target[0]);
            sysyc(&["-g", level, "--target", target[0]], Path::new("tests/debug/tour.sy"), &program);
            let said = session(&program, target, &commands.replace("stepi", "stepi\ndelete"));
            let mut depths = Vec::new();
            for trace in said.split("--\n") {
                let frames: Vec<&str> = trace.lines().filter(|line| line.starts_with('#')).collect();
                if frames.is_empty() || !frames[0].contains("fact (") {
                    continue;
                }
                let last = frames.len() - 1;
                assert!(frames[last].contains(" main ("), "{target:?} {level}: {frames:#?}");
                assert!(
                    frames[..last].iter().all(|frame| frame.contains("fact (")),
                    "{target:?} {frames:#?}"
                );
                depths.push(last);
            }
            assert!(depths.len() > 30, "{target:?} {level} {depths:?}");
            assert!(depths.windows(2).all(|pair| pair[0].abs_diff(pair[1]) <= 1), "{depths:?}");
            assert_eq!(depths.iter().max(), Some(&5), "{target:?} {level} {depths:?}");
        }
    }
}

/// Functions of text in sections of their own: the unit has ranges, each function its own place, and gdb gets through them.
#[test]
fn functions_in_sections_are_where_they_are() {
    let text = "@x = global i32 0
        define i32 @inner(i32 %a) section \".text.cold\" {\n  store volatile i32 %a, ptr @x\n  %b = add i32 %a, 1\n  ret i32 %b\n}
        define i32 @middle(i32 %a) section \"hot_code\" {\n  %b = call i32 @inner(i32 %a)\n  %c = mul i32 %b, 3\n  ret i32 %c\n}
        define i32 @beside(i32 %a) section \"hot_code\" {\n  %b = call i32 @middle(i32 %a)\n  %c = mul i32 %b, 5\n  ret i32 %c\n}
        define i32 @plain(i32 %a) {\n  %b = call i32 @beside(i32 %a)\n  %c = sub i32 %b, 7\n  ret i32 %c\n}
        define i32 @main() section \".text.startup\" {\n  %b = call i32 @plain(i32 4)\n  ret i32 %b\n}\n";
    let names = ["inner", "middle", "beside", "plain", "main"];
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    // With `.text` and without.
    let without = text.replace("@plain(i32 %a) {", "@plain(i32 %a) section \"hot_code\" {");
    for (source, sections) in [(text, 4), (&without, 3)] {
        std::fs::write(place("x.ll"), source).unwrap();
        for [target, prefix, emulator] in TARGETS {
            sysyc(&["-g", "-O0", "-c", "--target", target], &place("x.ll"), &place("x.o"));
            sysyc(&["-g", "-O0", "-S", "--target", target], &place("x.ll"), &place("x.s"));
            let mut gnu = Command::new(format!("{prefix}-as"));
            gnu.args(["-mfloat-abi=hard"].iter().filter(|_| target == "armv7"));
            read(gnu.arg("-o").args([place("y.o"), place("x.s")]));
            assert_eq!(rules(prefix, &place("x.o")), rules(prefix, &place("y.o")), "{target}");
            for part in ["x.o", "y.o"] {
                let verified = read(dwarfdump().arg("--verify").arg(place(part)));
                assert!(verified.contains("No errors."), "{target} {part}: {verified}");
                let ranges = read(dwarfdump().arg("--debug-rnglists").arg(place(part)));
                let count = ranges.matches("DW_RLE_start_length").count().max(ranges.matches("[0x").count());
                assert_eq!(count, sections, "{target} {part}: {ranges}");
                let mut link = Command::new(format!("{prefix}-gcc"));
                run(link.args(["-static", "-o"]).args([place("p"), place(part)]));
                let bytes = std::fs::read(place("p")).unwrap();
                let symbols = object::File::parse(&*bytes).unwrap();
                let facts = read(dwarfdump().arg("--debug-info").arg(place("p")));
                for name in names {
                    let symbol = symbols.symbol_by_name(name).unwrap();
                    let (_, behind) = facts.split_once(&format!("(\"{name}\")")).expect(name);
                    let low = behind.split_once("DW_AT_low_pc\t(0x").unwrap().1.split_once(')').unwrap().0;
                    assert_eq!(
                        u64::from_str_radix(low, 16).unwrap() & !1,
                        symbol.address() & !1,
                        "{target} {name}"
                    );
                }
                let said = session(&place("p"), [target, prefix, emulator], "break inner\ncontinue\nbt\n");
                let frames: Vec<&str> = said.lines().filter(|line| line.starts_with('#')).collect();
                assert_eq!(frames.len(), names.len(), "{said}");
                let is_there =
                    frames.iter().zip(names).all(|(frame, name)| frame.contains(&format!("{name} (")));
                assert!(is_there, "{target} {part}: {said}");
            }
        }
    }
}

/// `llvm-as`, likewise.
fn llvm_as() -> Command {
    let names = ["llvm-as-19", "llvm-as-16", "llvm-as-15", "llvm-as"];
    let there = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    Command::new(names.iter().find(there).expect("llvm-as"))
}

/// clang, under whatever name it is installed.
fn clang() -> Command {
    let names = ["clang-19", "clang-16", "clang-15"];
    let there = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    Command::new(names.iter().find(there).expect("clang"))
}

/// LLVM text of C says what it was made from: debuggers are told that, and not of the text.
#[test]
fn c_is_debugged_by_its_own_source() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let triples = ["riscv64-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"];
    let abis: [&[&str]; 3] = [&["-march=rv64gc", "-mabi=lp64d"], &[], &["-march=armv7ve"]];
    for ((target, triple), abi) in TARGETS.into_iter().zip(triples).zip(abis) {
        let text = |level: &str| {
            let mut theirs = clang();
            theirs.args(["-w", "-g", "-S", "-emit-llvm", level, "-o"]).arg(place("x.ll")).args(abi);
            run(theirs
                .arg(format!("--target={triple}"))
                .arg("tests/debug/source.c")
                .current_dir(manifest("")));
        };
        text("-O0");
        sysyc(&["-g", "-O0", "--target", target[0]], &place("x.ll"), &place("p"));
        let said = session(&place("p"), target, include_str!("debug/source.gdb"));
        assert_eq!(said.trim(), include_str!("debug/source.expected").trim(), "{target:?}\n{said}");
        // What clang has inlined, and what we have, stands around what is in it.
        for (theirs, ours) in [("-O0", "-O2"), ("-O2", "-O2"), ("-O2", "-O1")] {
            text(theirs);
            sysyc(&["-g", ours, "-c", "--target", target[0]], &place("x.ll"), &place("x.o"));
            sysyc(&["-g", ours, "-S", "--target", target[0]], &place("x.ll"), &place("x.s"));
            let mut gnu = Command::new(format!("{}-as", target[1]));
            gnu.args(["-mfloat-abi=hard"].iter().filter(|_| target[0] == "armv7"));
            read(gnu.arg("-o").args([place("y.o"), place("x.s")]));
            assert_eq!(told(&place("x.o")), told(&place("y.o")), "{target:?} {theirs} {ours}");
            let verified = read(dwarfdump().arg("--verify").arg(place("x.o")));
            assert!(verified.contains("No errors."), "{target:?} {theirs} {ours}: {verified}");
            sysyc(&["-g", ours, "--target", target[0]], &place("x.ll"), &place("p"));
            let said = session(&place("p"), target, "break putint\ncontinue\nbacktrace\nup\ninfo args\nup\n");
            let frames: Vec<&str> = said.lines().filter(|line| line.starts_with('#')).take(4).collect();
            let wanted = ["putint", "twice (", "sum (", "main () at tests/debug/source.c:26"];
            assert!(frames.len() == 4, "{target:?} {theirs} {ours}: {said}");
            for (frame, wanted) in frames.iter().zip(wanted) {
                assert!(frame.contains(wanted), "{target:?} {theirs} {ours}: {frame}\n{said}");
            }
        }
    }
}

/// What clang has left out a store of, or what is in two registers, is shown as it is or not at all.
#[test]
fn variables_of_other_compilers_are_shown_as_they_are_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let triples = ["riscv64-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"];
    let abis: [&[&str]; 3] = [&["-march=rv64gc", "-mabi=lp64d"], &[], &["-march=armv7ve"]];
    for ((target, triple), abi) in TARGETS.into_iter().zip(triples).zip(abis) {
        for (theirs, ours) in [("-O0", "-O2"), ("-O1", "-O1"), ("-O2", "-O0"), ("-O2", "-O2")] {
            let mut made = clang();
            made.args(["-w", "-g", "-S", "-emit-llvm", theirs, "-o"]).arg(place("x.ll")).args(abi);
            made.arg(format!("--target={triple}")).arg("tests/debug/gone.c");
            run(made.current_dir(manifest("")));
            sysyc(&["-g", ours, "--target", target[0]], &place("x.ll"), &place("p"));
            let script = "break putint\ncontinue\nup\nprint x\ncontinue\nup\nprint a\nprint b\n";
            let said = session(&place("p"), target, script);
            let shown: Vec<&str> =
                said.lines().filter_map(|line| Some(line.strip_prefix('$')?.split_once(" = ")?.1)).collect();
            let right = ["5", "4886718345", "-7"];
            assert_eq!(shown.len(), right.len(), "{target:?} {theirs} {ours} {said}");
            for (shown, right) in shown.into_iter().zip(right) {
                assert!(shown == right || shown == "<optimized out>", "{target:?} {theirs} {ours} {said}");
            }
        }
    }
}

/// A text whose metadata has what compilers seldom write: constants of 64 bits, with a sign and without, escapes in names, lists of
/// flags, types that are only declared, blocks that are deeper than they are told.
fn odd_metadata() -> String {
    let mut text = String::from(
        "@\"a\\22b\" = global i32 5, !dbg !30\n\
         define i64 @\"f\\5Cg\"(i64 %x) !dbg !10 {\n\
         \x20   #dbg_value(i64 4294967295, !20, !DIExpression(), !12)\n\
         \x20   #dbg_value(i64 18446744073709551615, !21, !DIExpression(), !12)\n\
         \x20   #dbg_value(float -1.0, !22, !DIExpression(), !12)\n\
         \x20   #dbg_value(i64 7, !23, !DIExpression(DW_OP_consts, 18446744073709551615, DW_OP_plus, DW_OP_stack_value), !12)\n\
         \x20 %y = mul i64 %x, %x, !dbg !13\n\
         \x20 ret i64 %y, !dbg !12\n}\n\
         !llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug, globals: !3)\n\
         !1 = !DIFile(filename: \"odd.c\", directory: \"/x\")\n\
         !2 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
         !3 = !{!30, !32, !34, !48}\n\
         !4 = !DIBasicType(name: \"long\", size: 64, encoding: DW_ATE_signed)\n\
         !5 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n\
         !6 = !DIBasicType(name: \"float\", size: 32, encoding: DW_ATE_float)\n\
         !7 = !DIDerivedType(tag: DW_TAG_const_type, baseType: !6)\n\
         !8 = !{}\n\
         !9 = !DISubroutineType(types: !8)\n\
         !10 = distinct !DISubprogram(name: \"f\\5Cg\", file: !1, line: 3, type: !9, scopeLine: 3, unit: !0, retainedNodes: !8)\n\
         !11 = distinct !DILexicalBlock(scope: !10, file: !1, line: 4)\n\
         !12 = !DILocation(line: 5, scope: !11)\n\
         !13 = !DILocation(line: 6, scope: !219)\n\
         !20 = !DILocalVariable(name: \"wide\", scope: !11, file: !1, line: 4, type: !4)\n\
         !21 = !DILocalVariable(name: \"minus\", scope: !11, file: !1, line: 4, type: !4)\n\
         !22 = !DILocalVariable(name: \"real\\22\", scope: !11, file: !1, line: 4, type: !7)\n\
         !23 = !DILocalVariable(name: \"six\", scope: !11, file: !1, line: 4, type: !4)\n\
         !30 = !DIGlobalVariableExpression(var: !31, expr: !DIExpression())\n\
         !31 = distinct !DIGlobalVariable(name: \"a\\22b\", scope: !0, file: !1, line: 1, type: !5, isDefinition: true)\n\
         !32 = !DIGlobalVariableExpression(var: !33, expr: !DIExpression(DW_OP_constu, 18446744073709551614, DW_OP_stack_value))\n\
         !33 = distinct !DIGlobalVariable(name: \"low\", scope: !0, file: !1, line: 1, type: !4, isDefinition: true)\n\
         !34 = !DIGlobalVariableExpression(var: !35, expr: !DIExpression(DW_OP_consts, 4886718345, DW_OP_stack_value))\n\
         !35 = distinct !DIGlobalVariable(name: \"high\", scope: !0, file: !1, line: 1, type: !4, isDefinition: true)\n\
         !36 = !DILocalVariable(name: \"e\", scope: !11, file: !1, line: 4, type: !40)\n\
         !37 = !DILocalVariable(name: \"s\", scope: !11, file: !1, line: 4, type: !44)\n\
         !40 = !DICompositeType(tag: DW_TAG_enumeration_type, name: \"E\", file: !1, line: 1, size: 64, elements: !41)\n\
         !41 = !{!42}\n\
         !42 = !DIEnumerator(name: \"one\\5C\", value: 1)\n\
         !43 = !DICompositeType(tag: DW_TAG_structure_type, name: \"Away\", file: !1, flags: DIFlagPublic | DIFlagFwdDecl)\n\
         !44 = !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", file: !1, size: 64, elements: !45)\n\
         !45 = !{!46, !47}\n\
         !46 = !DIDerivedType(tag: DW_TAG_member, name: \"bits\", baseType: !5, size: 3, offset: 2, flags: DIFlagPublic | DIFlagBitField)\n\
         !47 = !DIDerivedType(tag: DW_TAG_member, name: \"away\", baseType: !43, size: 32, offset: 32)\n\
         !48 = !DIGlobalVariableExpression(var: !49, expr: !DIExpression(DW_OP_constu, 3212836864, DW_OP_stack_value))\n\
         !49 = distinct !DIGlobalVariable(name: \"negative\", scope: !0, file: !1, line: 1, type: !7, isDefinition: true)\n",
    );
    // A chain of blocks that is told in parts, each from where the one before ends: the last begins deeper than blocks are told.
    for k in 0..120 {
        let around = if k == 0 { 11 } else { 99 + k };
        let block = 100 + k;
        writeln!(text, "!{block} = distinct !DILexicalBlock(scope: !{around}, file: !1, line: 6)").unwrap();
        if k % 40 == 39 {
            let scope = format!("scope: !{block}, file: !1, line: 6, type: !4");
            writeln!(text, "!{} = !DILocalVariable(name: \"deep{k}\", {scope})", 300 + k).unwrap();
        }
    }
    text
}

/// See `odd_metadata`: what is told of it, and that readers take it.
#[test]
fn metadata_is_read_as_llvm_means_it() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    std::fs::write(place("x.ll"), odd_metadata()).unwrap();
    sysyc(&["-g", "-O1", "-c"], &place("x.ll"), &place("x.o"));
    let verified = read(dwarfdump().arg("--verify").arg(place("x.o")));
    assert!(verified.contains("No errors."), "{verified}");
    let facts = read(dwarfdump().arg("--debug-info").arg(place("x.o")));
    // The lines of the entry of a name, up to the next one.
    let of = |name: &str| {
        let (_, behind) = facts.split_once(&format!("DW_AT_name\t(\"{name}\")")).expect(name);
        behind.split("DW_TAG_").next().unwrap()
    };
    let has = |name: &str, what: &str| assert!(of(name).contains(what), "{name} {what}\n{facts}");
    has("low", "DW_AT_const_value\t(<0x8> fe ff ff ff ff ff ff ff )");
    has("high", "DW_AT_const_value\t(<0x8> 89 67 45 23 01 00 00 00 )");
    has("negative", "DW_AT_const_value\t(<0x4> 00 00 80 bf )");
    has("wide", "DW_OP_consts +4294967295, DW_OP_stack_value");
    has("minus", "DW_OP_consts -1, DW_OP_stack_value");
    has("six", "DW_OP_consts +7, DW_OP_consts -1, DW_OP_plus, DW_OP_stack_value");
    has("E", "DW_AT_byte_size\t(8)");
    has("bits", "DW_AT_bit_size\t(3)");
    has("Away", "DW_AT_declaration\t(true)");
    assert!(!of("Away").contains("DW_AT_byte_size") && !of("S").contains("DW_AT_declaration"), "{facts}");
    // `llvm-dwarfdump` writes escapes.
    let names: Vec<&str> = facts.lines().filter(|line| line.contains("DW_AT_name")).collect();
    let named = |what: &str| assert!(names.iter().any(|line| line.contains(what)), "{what} {names:#?}");
    [r#""f\\g""#, r#""a\"b""#, r#""real\"""#, r#""one\\""#].into_iter().for_each(named);
    let depth = facts.lines().filter(|line| line.contains("DW_TAG_lexical_block")).map(|line| {
        let (_, behind) = line.split_once(':').unwrap();
        // Two spaces a level: the unit, the function, and blocks.
        (behind.len() - behind.trim_start().len()) / 2 - 1
    });
    assert_eq!(depth.max(), Some(48), "{facts}");
}

/// IR in text carries what debuggers are told: LLVM takes it, and what we make of it is debugged by the source as before.
#[test]
fn ir_in_text_carries_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let target = TARGETS[0];
    for level in LEVELS {
        let path = Path::new("tests/debug/tour.sy");
        sysyc(&["-g", level, "-c", "-flto", "--target", target[0]], path, &place("x.ll"));
        read(llvm_as().arg(place("x.ll")).arg("-o").arg(place("x.bc")));
        sysyc(&["-g", "-O0", "--target", target[0]], &place("x.ll"), &place("p"));
        let said = session(&place("p"), target, "break fact\ncontinue\nbacktrace\n");
        assert!(said.contains("main () at tests/debug/tour.sy:"), "{level} {said}");
        if level == "-O0" {
            let said = session(&place("p"), target, include_str!("debug/tour.gdb"));
            assert_eq!(said.trim(), include_str!("debug/tour.expected").trim(), "{said}");
        }
    }
}

/// Variables that gdb shows at -O2 on the programs of `tests/debug/shown`: pairs of line and variable, no fewer than of gcc
/// -O2 on the same text, program by program. What is shown is what is shown at -O0.
#[test]
fn as_much_is_shown_at_o2_as_of_gcc() {
    const STEPS: usize = 90;
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let entries =
        std::fs::read_dir(manifest("tests/debug/shown")).unwrap().flatten().map(|entry| entry.path());
    let mut sources: Vec<PathBuf> = entries.collect();
    sources.sort();
    assert_eq!(sources.len(), 10);
    let target = TARGETS[0];
    let gcc = || Command::new(format!("{}-gcc", target[1]));
    let header = manifest("tests/support/as_c.h");
    let words = ["-std=gnu99", "-fwrapv", "-fsingle-precision-constant", "-fno-builtin", "-w", "-O2"];
    run(gcc().args(words).arg("-c").arg(manifest("runtime/sylib.c")).arg("-o").arg(place("sylib.o")));
    let mut sums = [0, 0];
    for source in &sources {
        let [plain, ours] = [("-O0", 10 * STEPS), ("-O2", STEPS)].map(|(level, steps)| {
            sysyc(&["-g", level, "--target", target[0]], source, &place("p"));
            stops(&place("p"), target, steps)
        });
        let mut theirs = gcc();
        theirs.args(words).args(["-g", "-static", "-include"]).arg(&header).args(["-x", "c"]).arg(source);
        run(theirs.args(["-x", "none"]).arg(place("sylib.o")).arg("-o").arg(place("q")));
        let theirs = stops(&place("q"), target, STEPS);
        compare(&source.display().to_string(), &plain, &ours, false);
        let pairs = [&ours, &theirs].map(|stops| {
            let shown = stops.iter().flat_map(|(name, line, values)| {
                let values = values.iter().filter(|value| value.1.is_some());
                values.map(move |value| (name, line, &value.0))
            });
            shown.collect::<std::collections::BTreeSet<_>>().len()
        });
        println!("{}: {pairs:?}", source.display());
        assert!(pairs[0] >= pairs[1], "{}: {pairs:?}", source.display());
        sums = [sums[0] + pairs[0], sums[1] + pairs[1]];
    }
    println!("pairs of line and variable: {} of ours, {} of gcc's", sums[0], sums[1]);
    assert!(sums[1] > 200, "{sums:?}");
}
