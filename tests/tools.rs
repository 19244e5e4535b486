//! What other people's tools say of our objects and programs: GNU and LLVM readers show all of them without a
//! complaint, disassemblers know every instruction, and the linkers of both link them with warnings as
//! errors. The results run.
//!
//! Cost: a dozen processes for each of the programs below and target, with one set of options; the next program takes the next
//! one. `SYSYC_TOOLS=all` has all sets for each, which takes three times as long.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use crate::support;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::judge::{difference, transcript};
use support::process::{Ending, Finished, run};
use support::settings::Settings;
use support::toolchain::{TARGETS, Target, build_archive, on_path};

/// All of them small but the first: far branches, literals, floats, large frames, tables and zeros, timers
/// and formats.
const PROGRAMS: [&str; 8] = [
    "branch_far",
    "const_tables",
    "float_math",
    "frame_large",
    "globals_large",
    "hello",
    "io_putf",
    "many_mixed_args",
];

const OPTIONS: [&[&str]; 3] = [&["-O0", "-g"], &["-O1"], &["-O1", "-g"]];

/// Runs a command to success; it may say nothing on stderr.
fn quiet(command: &mut Command, input: Option<&Path>, scratch: &Path) -> Result<Finished, String> {
    let what = format!("{command:?}");
    let done =
        run(command, input, scratch, Duration::from_secs(120)).map_err(|error| format!("{what}: {error}"))?;
    if done.ending != Ending::Exit(0) || !done.stderr.is_empty() {
        return Err(format!("{what}: {} {}", done.complaint(), String::from_utf8_lossy(&done.stderr)));
    }
    Ok(done)
}

/// What the cross tools' names start with.
fn triple(target: &Target) -> &str {
    target.gcc.trim_end_matches("-gcc")
}

/// An LLVM tool by the newest version's name that is there.
fn llvm(tool: &str) -> String {
    let names = ["-19", "-16", "-15", ""].map(|version| format!("{tool}{version}"));
    names.iter().find(|name| on_path(name)).cloned().unwrap_or(tool.to_string())
}

/// A test's folders: one with lld under the name by which gcc looks for it, and one with the library for a
/// target.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let lld = std::env::split_paths(&path)
            .map(|folder| folder.join(llvm("ld.lld")))
            .find(|file| file.is_file())
            .expect("lld is installed: tests/install.sh does it");
        fs::create_dir(folder.path().join("bin")).expect("it can be made");
        std::os::unix::fs::symlink(lld, folder.path().join("bin/ld.lld")).expect("a link");
        for target in &TARGETS[1..] {
            let place = folder.path().join(target.name);
            fs::create_dir(&place).expect("it can be made");
            build_archive(target, &place).expect("the library can be built");
        }
        Place { folder }
    }

    fn sysyc(&self, target: &Target) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        let bin = self.folder.path().join("bin");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&path)));
        command.args(["--target", target.name]).env("PATH", path.expect("it was one"));
        command
    }
}

/// The program, in the suite's folder.
fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name).with_extension("sy")
}

/// Runs a linked program under qemu and compares with what is expected.
fn behaves(name: &str, target: &Target, program: &Path, scratch: &Path) -> Result<(), String> {
    let input = Some(source(name).with_extension("in")).filter(|path| path.is_file());
    let mut command = Command::new(target.qemu);
    command.arg(program);
    let done = run(&mut command, input.as_deref(), scratch, Duration::from_secs(120));
    let actual = transcript(&done.map_err(|error| error.to_string())?)?;
    let expected = fs::read(source(name).with_extension("out")).map_err(|error| error.to_string())?;
    difference(&expected, &actual).map_or(Ok(()), |text| Err(format!("{}: {text}", program.display())))
}

/// Shows a file with everything that reads such files. Code must be instructions, and not such that only
/// trap, but where the runtime library means it.
fn readable(target: &Target, file: &Path, traps: bool, scratch: &Path) -> Result<(), String> {
    let gnu = |tool: &str| format!("{}-{tool}", triple(target));
    for (tool, options) in [
        (gnu("readelf"), &["-a", "-W"][..]),
        (gnu("objdump"), &["-x", "-s"]),
        (gnu("nm"), &[]),
        (llvm("llvm-readelf"), &["-a"]),
        (llvm("llvm-objdump"), &["-x"]),
        (llvm("llvm-dwarfdump"), &["--verify"]),
    ] {
        let shown = quiet(Command::new(&tool).args(options).arg(file), None, scratch)?;
        let text = String::from_utf8_lossy(&shown.stdout);
        for bad in ["<corrupt", "arning:", "<unknown", "nrecognized", "error:"] {
            if text.contains(bad) {
                let line = text.lines().find(|line| line.contains(bad)).unwrap_or_default();
                return Err(format!("{tool} {}: {line}", file.display()));
            }
        }
    }
    // Both disassemblers learn from the file itself what the machine can do.
    for (tool, options) in [(gnu("objdump"), &["-d"][..]), (llvm("llvm-objdump"), &["-d"])] {
        let shown = quiet(Command::new(&tool).args(options).arg(file), None, scratch)?;
        let text = String::from_utf8_lossy(&shown.stdout);
        let lines = text.lines().filter(|line| line.contains('\t'));
        let unknown = ["<unknown>", "undefined", ".inst", ".insn", "UNDEFINED", "(bad)"];
        let bad = |line: &&str| {
            unknown.iter().any(|word| line.contains(word))
                || !traps && ["unimp", "udf"].iter().any(|word| line.contains(word))
        };
        if let Some(line) = lines.clone().find(bad) {
            return Err(format!("{tool} {}: {line}", file.display()));
        }
        if lines.count() < 5 {
            return Err(format!("{tool} {}: hardly anything is shown", file.display()));
        }
    }
    Ok(())
}

/// The object of one program: shown, linked by each linker, and linked after other tools have rewritten it.
fn check_object(
    place: &Place,
    name: &str,
    target: &Target,
    options: &[&str],
    scratch: &Path,
) -> Result<(), String> {
    let object = scratch.join("x.o");
    let library = place.folder.path().join(target.name).join("libsysy.a");
    quiet(
        place.sysyc(target).args(options).args(["-c", "-o"]).arg(&object).arg(source(name)),
        None,
        scratch,
    )?;
    readable(target, &object, false, scratch)?;

    let tool = |name: &str| Command::new(format!("{}-{name}", triple(target)));
    let (whole, copied, stripped) = (scratch.join("r.o"), scratch.join("c.o"), scratch.join("s.o"));
    quiet(tool("ld").args(["-r", "-o"]).arg(&whole).arg(&object), None, scratch)?;
    quiet(tool("objcopy").arg(&object).arg(&copied), None, scratch)?;
    quiet(tool("strip").args(["--strip-unneeded", "-o"]).arg(&stripped).arg(&object), None, scratch)?;
    let program = scratch.join("x");
    for (linker, object) in
        [("bfd", &object), ("lld", &object), ("bfd", &whole), ("bfd", &copied), ("lld", &stripped)]
    {
        let mut gcc = tool("gcc");
        gcc.args(["-static", "-Wl,--fatal-warnings", "-B"]).arg(place.folder.path().join("bin"));
        gcc.arg(format!("-fuse-ld={linker}")).args([object, &library]).arg("-o").arg(&program);
        quiet(&mut gcc, None, scratch)?;
        behaves(name, target, &program, scratch)
            .map_err(|why| format!("{linker} {}: {why}", object.display()))?;
    }
    Ok(())
}

/// The program of one source, from each linker that can be asked for.
fn check_program(
    place: &Place,
    name: &str,
    target: &Target,
    options: &[&str],
    scratch: &Path,
) -> Result<(), String> {
    let program = scratch.join("x");
    // The others take long, and take the same object whatever the options.
    let linkers = ["", "-fuse-ld=gcc", "-fuse-ld=bfd", "-fuse-ld=lld"];
    for linker in &linkers[..if options == ["-O1", "-g"] { 4 } else { 1 }] {
        let mut command = place.sysyc(target);
        command.args(options).args(Some(linker).filter(|linker| !linker.is_empty()));
        quiet(command.arg("-o").arg(&program).arg(source(name)), None, scratch)?;
        behaves(name, target, &program, scratch).map_err(|why| format!("{linker}: {why}"))?;
        if linker.is_empty() {
            readable(target, &program, true, scratch)?;
        }
    }
    Ok(())
}

type Check = fn(&Place, &str, &Target, &[&str], &Path) -> Result<(), String>;

/// All programs, targets and levels on all processors; panics with the list of what failed.
fn check_all(check: Check) {
    let settings = Settings::from_environment().expect("valid settings");
    let place = Place::new();
    let all = std::env::var("SYSYC_TOOLS").is_ok_and(|text| text == "all");
    let mut jobs = Vec::new();
    for (k, name) in PROGRAMS.iter().copied().enumerate() {
        for (t, target) in settings.targets.iter().filter(|target| !target.gcc.is_empty()).enumerate() {
            let turn = (k + t) % OPTIONS.len();
            let wanted = if all { &OPTIONS[..] } else { &OPTIONS[turn..=turn] };
            jobs.extend(wanted.iter().map(|options| (name, *target, *options)));
        }
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let mut wrong = Vec::new();
        while let Some((name, target, options)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(why) = check(&place, name, target, options, scratch.path()) {
                wrong.push(format!("{name} {} {}: {why}", target.name, options.join(" ")));
            }
        }
        wrong
    };
    let mut wrong: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..settings.jobs).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {} fail\n{}", wrong.len(), jobs.len(), wrong.join("\n"));
}

#[test]
fn objects() {
    check_all(check_object);
}

#[test]
fn programs() {
    check_all(check_program);
}

/// Only `main` can be seen from outside, whatever the program calls its functions.
#[test]
fn symbols() {
    let place = Place::new();
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let text = "int memcpy; int a[9]; const int t[3] = {1, 2, 3};\n\
                int exit(int n) { memcpy = n; return a[n] + t[n]; }\nint main() { putint(exit(getint())); return 0; }\n";
    let (source, object) = (scratch.path().join("x.sy"), scratch.path().join("x.o"));
    fs::write(&source, text).expect("it can be written");
    for target in &TARGETS[1..] {
        quiet(place.sysyc(target).args(["-O0", "-c", "-o"]).args([&object, &source]), None, scratch.path())
            .expect("it compiles");
        let mut nm = Command::new(format!("{}-nm", triple(target)));
        let shown = quiet(nm.arg("-g").arg(&object), None, scratch.path()).expect("nm takes it");
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        let mut symbols: Vec<_> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
        symbols.iter_mut().for_each(|words| words.retain(|word| word.len() != 8 && word.len() != 16));
        assert_eq!(symbols, [["U", "getint"], ["T", "main"], ["U", "putint"]], "{}", target.name);
    }
}
