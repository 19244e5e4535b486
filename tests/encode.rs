//! What we encode is what a standard assembler makes of our text: every function of every program, on every
//! target, with and without extensions, and level.
//!
//! A program is compiled twice, with `-c` and with `-S` through GNU as, and both objects are linked alone by
//! GNU ld at the same address. Code and data must be the same, byte for byte. Names that neither defines are
//! left at zero. `SYSYC_SUITE` takes other folders, as for the suite.

use crate::support;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use support::say;

/// Target, machine, triple, and what the assembler is told.
const TARGETS: [(&str, &str, &str, &[&str]); 6] = [
    ("riscv64", "rv64gc", "riscv64-linux-gnu", &["-mno-relax"]),
    ("riscv64", "rv64gc_zba_zbb", "riscv64-linux-gnu", &["-mno-relax"]),
    ("riscv64", "rv64g", "riscv64-linux-gnu", &["-mno-relax"]),
    ("aarch64", "armv8-a", "aarch64-linux-gnu", &[]),
    ("armv7", "armv7ve", "arm-linux-gnueabihf", &[]),
    ("armv7", "armv7-a", "arm-linux-gnueabihf", &[]),
];

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// The bytes of a program linked from one object.
fn image(triple: &str, object: &Path) -> Result<Vec<u8>, String> {
    let (linked, bytes) = (object.with_extension("linked"), object.with_extension("bin"));
    let ld = ["--no-relax", "--unresolved-symbols=ignore-all", "-e", "0", "-Ttext", "0x10000", "-o"];
    succeed(Command::new(format!("{triple}-ld")).args(ld).arg(&linked).arg(object))?;
    let mut copy = Command::new(format!("{triple}-objcopy"));
    copy.args(["-O", "binary", "-j", ".text", "-j", ".rodata", "-j", ".data"]).args([&linked, &bytes]);
    succeed(&mut copy)?;
    std::fs::read(&bytes).map_err(|error| error.to_string())
}

/// Compares one program on one target at one level; the number of bytes.
fn compare(program: &Path, target: usize, level: &str, folder: &Path) -> Result<usize, String> {
    let (name, machine, triple, flags) = TARGETS[target];
    let [text, theirs, ours] = ["x.s", "theirs.o", "ours.o"].map(|file| folder.join(file));
    for (mode, out) in [("-S", &text), ("-c", &ours)] {
        let mut sysyc = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        succeed(
            sysyc
                .args([mode, "-w", level, "--target", name, &format!("-march={machine}"), "-o"])
                .args([out, program]),
        )?;
    }
    succeed(Command::new(format!("{triple}-as")).args(flags).arg("-o").args([&theirs, &text]))?;
    let (theirs, ours) = (image(triple, &theirs)?, image(triple, &ours)?);
    if theirs == ours {
        return Ok(ours.len());
    }
    let at = theirs.iter().zip(&ours).position(|(a, b)| a != b);
    let at = at.unwrap_or(theirs.len().min(ours.len()));
    Err(format!("the first of {} and {} bytes that differs is {:#x}", ours.len(), theirs.len(), at + 0x10000))
}

fn programs() -> Result<Vec<PathBuf>, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let folders = std::env::var("SYSYC_SUITE").unwrap_or_else(|_| own.display().to_string());
    let mut programs = Vec::new();
    for folder in std::env::split_paths(&folders) {
        let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let paths = entries.flatten().map(|entry| entry.path());
        programs.extend(paths.filter(|path| path.extension().is_some_and(|extension| extension == "sy")));
    }
    programs.sort();
    Ok(programs)
}

#[test]
fn our_bytes_are_the_assemblers() -> ExitCode {
    let programs = match programs() {
        Ok(programs) => programs,
        Err(error) => {
            say(&format!("FAIL {error}"));
            return ExitCode::FAILURE;
        }
    };
    let next = std::sync::atomic::AtomicUsize::new(0);
    let jobs = programs.len() * TARGETS.len() * 2;
    let work = || {
        let (mut bytes, mut failed) = (0, 0);
        let Ok(folder) = tempfile::tempdir() else { return (0, 1) };
        loop {
            let k = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if k >= jobs {
                return (bytes, failed);
            }
            let (program, target, level) =
                (&programs[k / (2 * TARGETS.len())], k / 2 % TARGETS.len(), ["-O0", "-O1"][k % 2]);
            match compare(program, target, level, folder.path()) {
                Ok(count) => bytes += count,
                Err(error) => {
                    failed += 1;
                    let name = TARGETS[target].1;
                    say(&format!("FAIL {} {name} {level}: {error}", program.display()));
                }
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let (bytes, failed) = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().fold((0, 0), |(bytes, failed), thread| {
            let (b, f) = thread.join().unwrap_or((0, 1));
            (bytes + b, failed + f)
        })
    });
    say(&format!("encode: {jobs} objects, {bytes} bytes equal to GNU as's, {failed} failed"));
    if failed == 0 && bytes > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
