//! The tools around the compiler: one row per target, the runtime library built once per target, and the
//! host's gcc as the reference for programs without an expected output.

use super::process::{Ending, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A target of the suite and the tools that assemble, link and run for it.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Assembler and linker driver; empty for the interpreter.
    pub(crate) gcc: &'static str,
    pub(crate) qemu: &'static str,
}

/// Every target, the interpreter first.
pub(crate) static TARGETS: [Target; 4] = [
    Target { name: "interp", gcc: "", qemu: "" },
    Target { name: "riscv64", gcc: "riscv64-linux-gnu-gcc", qemu: "qemu-riscv64" },
    Target { name: "aarch64", gcc: "aarch64-linux-gnu-gcc", qemu: "qemu-aarch64" },
    Target { name: "armv7", gcc: "arm-linux-gnueabihf-gcc", qemu: "qemu-arm" },
];

/// From a source to a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// `sysyc x.sy -o x`: our linker and our runtime, and no other program.
    Builtin,
    /// `sysyc -c`, linked by the cross gcc with `libsysy.a` of `runtime/sylib.c`.
    Object,
    /// `sysyc -S`, through GNU as, and linked like an object.
    Assembly,
}

/// Every way and its name.
pub(crate) const WAYS: [(&str, Way); 3] =
    [("builtin", Way::Builtin), ("object", Way::Object), ("asm", Way::Assembly)];

impl Way {
    /// The option that makes what this way starts with, and the ending of its name.
    pub(crate) fn product(self) -> (Option<&'static str>, &'static str) {
        match self {
            Way::Builtin => (None, "x"),
            Way::Object => (Some("-c"), "x.o"),
            Way::Assembly => (Some("-S"), "x.s"),
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        WAYS.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }
}

/// How SysY is spelled for a C compiler: wrapping ints, no fused operations, float constants in binary32, and
/// the program's own functions instead of the builtins of the same name.
const AS_C: [&str; 6] =
    ["-std=gnu99", "-fwrapv", "-ffp-contract=off", "-fsingle-precision-constant", "-fno-builtin", "-w"];
/// Sources of so many bytes are compiled without optimisation: such programs take their time in gcc (10 s for 20,000 lines at
/// -O2) and not as they run.
const LARGE: usize = 50_000;

/// C has no constant variables, so a program that uses them as array lengths is read as C++, whose constexpr
/// they are.
const AS_CPP: [&str; 5] =
    ["-std=gnu++17", "-fpermissive", "-Wno-narrowing", "-fno-operator-names", "-Dconst=constexpr"];

/// The emulator of a target, of a machine that has vectors in registers of so many bits where that is a choice.
pub(crate) fn emulator(qemu: &str, bits: u32) -> Command {
    let mut command = Command::new(qemu);
    if qemu == "qemu-riscv64" {
        command.env("QEMU_CPU", format!("rv64,v=true,vext_spec=v1.0,vlen={bits}"));
    }
    command
}

impl Target {
    /// The tools that some of these ways need on this target and that the machine does not have.
    pub(crate) fn missing(&self, ways: &[Way]) -> Vec<&'static str> {
        let gcc = Some(self.gcc).filter(|_| ways.iter().any(|&way| way != Way::Builtin));
        let tools = gcc.into_iter().chain([self.qemu]);
        tools.filter(|tool| !tool.is_empty() && !on_path(tool)).collect()
    }
}

/// Whether `tool` can be started by name.
pub(crate) fn on_path(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).is_file())
}

/// `runtime/` of this project.
pub(crate) fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime")
}

/// Compiles the runtime library with `gcc` to `object`.
pub(crate) fn build_runtime(gcc: &str, object: &Path, scratch: &Path) -> Result<(), String> {
    let mut command = Command::new(gcc);
    command.args(["-std=gnu99", "-O2", "-Wall", "-Wextra", "-Werror", "-c"]).arg(runtime().join("sylib.c"));
    succeed(command.arg("-o").arg(object), scratch, "building the runtime")
}

/// Compiles the runtime library with the cross gcc to the archive `libsysy.a` in `folder`.
pub(crate) fn build_archive(target: &Target, folder: &Path) -> Result<PathBuf, String> {
    let (object, archive) = (folder.join("sylib.o"), folder.join("libsysy.a"));
    build_runtime(target.gcc, &object, folder)?;
    let mut command = Command::new(format!("{}-ar", target.gcc.trim_end_matches("-gcc")));
    succeed(command.arg("rcs").arg(&archive).arg(&object), folder, "making libsysy.a")?;
    Ok(archive)
}

/// Links assembly or an object with the runtime.
pub(crate) fn link(
    gcc: &str,
    code: &Path,
    runtime: &Path,
    program: &Path,
    scratch: &Path,
) -> Result<(), String> {
    succeed(Command::new(gcc).arg("-static").args([code, runtime]).arg("-o").arg(program), scratch, "linking")
}

/// Compiles a SysY source for the host as C, or else as C++; where neither works the complaint is C's.
pub(crate) fn build_reference(
    source: &Path,
    runtime_object: &Path,
    program: &Path,
    scratch: &Path,
) -> Result<(), String> {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/as_c.h");
    // The first line of a program in the dialect says so.
    let text = std::fs::read_to_string(source).unwrap_or_default();
    let dialect = text.lines().next().is_some_and(|line| line.contains("dialect"));
    let dialect: &[&str] = if dialect { &["-DSYSY_DIALECT"] } else { &[] };
    let level = if text.len() < LARGE { "-O2" } else { "-O0" };
    let build = |language: &str, standard: &[&str]| {
        let mut command = Command::new("gcc");
        command
            .args(AS_C)
            .arg(level)
            .args(dialect)
            .args(standard)
            .arg("-include")
            .arg(&header)
            .args(["-x", language]);
        command.arg(source).args(["-x", "none"]).arg(runtime_object).arg("-o").arg(program);
        succeed(&mut command, scratch, "gcc as the reference")
    };
    build("c", &[]).or_else(|complaint| build("c++", &AS_CPP).map_err(|_| complaint))
}

fn succeed(command: &mut Command, scratch: &Path, what: &str) -> Result<(), String> {
    // Fixed: these tools are trusted to end, and a slow machine must not turn into a failure of the compiler.
    const LIMIT: Duration = Duration::from_secs(300);
    match run(command, None, scratch, LIMIT) {
        Ok(done) if done.ending == Ending::Exit(0) => Ok(()),
        Ok(done) => Err(format!("{what}: {}", done.complaint())),
        Err(error) => Err(format!("{what}: {}: {error}", command.get_program().to_string_lossy())),
    }
}

#[test]
fn tools_are_looked_up() {
    assert!(on_path("sh"));
    assert!(!on_path("no-such-tool-anywhere"));
    assert!(TARGETS[0].missing(&[Way::Builtin, Way::Object]).is_empty());
    let none = Target { name: "none", gcc: "no-such-gcc", qemu: "no-such-qemu" };
    assert_eq!(none.missing(&[Way::Builtin]), ["no-such-qemu"]);
    assert_eq!(none.missing(&[Way::Builtin, Way::Assembly]), ["no-such-gcc", "no-such-qemu"]);
}
