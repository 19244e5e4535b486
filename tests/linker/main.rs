//! The built-in linker against GNU's tools: every kind of relocation byte for byte, programs with and without
//! a C library under qemu, files that are broken in every way, and code and data that are far apart.
//!
//! Needs the cross tools of all three targets; what is missing fails the tests and says so.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod distances;
mod frames;
mod hostile;
mod programs;
mod relocations;
#[allow(dead_code)]
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use support::process::{Finished, run};
use sysyc::object::link::{Content, Input, LinkError, Options, link};
use sysyc::object::machine::{AARCH64, ARMV7, Machine, RISCV64};

/// A machine and the tools for it.
struct Target {
    machine: &'static Machine,
    tools: &'static str,
    qemu: &'static str,
}

static TARGETS: [Target; 3] = [
    Target { machine: &RISCV64, tools: "riscv64-linux-gnu", qemu: "qemu-riscv64" },
    Target { machine: &AARCH64, tools: "aarch64-linux-gnu", qemu: "qemu-aarch64" },
    Target { machine: &ARMV7, tools: "arm-linux-gnueabihf", qemu: "qemu-arm" },
];

const LIMIT: Duration = Duration::from_secs(120);

/// Runs a tool in the folder; anything but success fails the test.
fn tool(folder: &Path, name: &str, arguments: &[&str]) -> Finished {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let done = run(Command::new(name).args(arguments).current_dir(folder), None, scratch.path(), LIMIT)
        .unwrap_or_else(|error| panic!("'{name}' is needed and cannot be run: {error}"));
    let complaint = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.ending == support::process::Ending::Exit(0), "{name} {arguments:?}: {complaint}");
    done
}

impl Target {
    /// Compiles or assembles a text to an object.
    fn compile(&self, folder: &Path, name: &str, text: &str, flags: &[&str]) -> PathBuf {
        fs::write(folder.join(name), text).expect("the folder is writable");
        let object = format!("{name}.o");
        let arguments = [flags, &["-c", name, "-o", &object]].concat();
        tool(folder, &format!("{}-gcc", self.tools), &arguments);
        folder.join(object)
    }

    /// Links files to a program.
    fn link(&self, files: &[PathBuf], change: impl Fn(&mut Options<'_>)) -> Result<Vec<u8>, Vec<LinkError>> {
        let bytes: Vec<Vec<u8>> = files
            .iter()
            .map(|file| fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display())))
            .collect();
        let name = |file: &PathBuf| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let inputs = files.iter().zip(&bytes);
        let inputs = inputs.map(|(file, bytes)| Input { name: name(file), content: Content::Bytes(bytes) });
        let mut options = Options::new(self.machine);
        change(&mut options);
        link(inputs.collect(), &options)
    }

    /// Links files to a program in the folder, and lets GNU's tools look at it.
    fn program(&self, folder: &Path, files: &[PathBuf]) -> PathBuf {
        let bytes =
            self.link(files, |_| ()).unwrap_or_else(|errors| panic!("{}: {errors:?}", self.machine.name));
        assert_eq!(self.link(files, |_| ()).as_ref(), Ok(&bytes), "the same bytes every time");
        let program = folder.join("program");
        write_program(&program, &bytes);
        for (name, flags) in [("readelf", "-aW"), ("objdump", "-dr"), ("objdump", "--dwarf=info,decodedline")]
        {
            let done = tool(folder, &format!("{}-{name}", self.tools), &[flags, "program"]);
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(said.trim().is_empty(), "{} {name} {flags}: {said}", self.machine.name);
        }
        program
    }

    /// Runs a program with a text as its input.
    fn run(&self, folder: &Path, program: &Path, input: &str) -> Finished {
        fs::write(folder.join("input"), input).expect("the folder is writable");
        let mut command = Command::new(self.qemu);
        run(command.arg(program), Some(&folder.join("input")), folder, LIMIT)
            .unwrap_or_else(|error| panic!("'{}' is needed and cannot be run: {error}", self.qemu))
    }
}

fn write_program(path: &Path, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, bytes).expect("the folder is writable");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
}
