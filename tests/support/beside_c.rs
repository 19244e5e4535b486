//! What programs execute, counted exactly under qemu (`profiling/count.c`): sysyc's, and what C compilers make
//! of the same source for the same machine. Their objects are linked by sysyc, with its runtime library.

use super::count::{number, plugin, run_with};
use super::process::{Ending, Finished, run};
use super::toolchain::Target;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// RISC-V with vectors, for which gcc 12 has no code.
pub(crate) static WITH_VECTORS: Target = Target { name: "riscv64v", gcc: "", qemu: "qemu-riscv64" };
/// What C compilers are told about each target's machine.
const MACHINES: [(&str, &[&str]); 4] = [
    ("riscv64", &["-march=rv64gc"]),
    (WITH_VECTORS.name, &["-march=rv64gcv"]),
    ("aarch64", &["-march=armv8-a"]),
    ("armv7", &["-march=armv7ve", "-mfpu=neon-vfpv4", "-mfloat-abi=hard", "-marm"]),
];
/// What they are told about the language; clang has another word for constants in binary32.
const AS_C: [&str; 4] = ["-std=gnu99", "-ffp-contract=off", "-w", "-c"];
pub(crate) const GCC_CONSTANTS: &[&str] = &["-fsingle-precision-constant"];
pub(crate) const CLANG_CONSTANTS: &[&str] = &["-Xclang", "-cl-single-precision-constant"];

/// Compilers and linkers are trusted to end.
const COMPILES: Duration = Duration::from_secs(300);

/// The plugins, and a folder in which they are built, and programs are made and run.
pub(crate) struct Counter {
    compiler: PathBuf,
    folder: tempfile::TempDir,
    /// How long a program may run.
    limit: Duration,
}

impl Counter {
    /// `compiler` is the sysyc that compiles and links.
    pub(crate) fn new(compiler: PathBuf, limit: Duration) -> Result<Counter, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Counter { compiler, folder, limit })
    }

    /// Where files may be put that go with it.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn succeed(&self, command: &mut Command) -> Result<(), String> {
        match run(command, None, self.folder.path(), COMPILES) {
            Ok(done) if done.ending == Ending::Exit(0) => Ok(()),
            Ok(done) => Err(format!("{}: {}", command.get_program().display(), done.complaint())),
            Err(error) => Err(format!("{}: {error}", command.get_program().display())),
        }
    }

    /// Links a source or an object to a program.
    pub(crate) fn link(&self, target: &Target, options: &[&str], input: &Path) -> Result<PathBuf, String> {
        let program = self.folder.path().join("program");
        let mut command = Command::new(&self.compiler);
        let name = if target.name == WITH_VECTORS.name { "riscv64" } else { target.name };
        command.args(options).args(["-w", "--target", name]).arg(input).arg("-o").arg(&program);
        self.succeed(&mut command).map(|()| program)
    }

    /// Compiles a source as C with gcc or clang, told `options` besides the machine and the language, and links it.
    pub(crate) fn link_c(
        &self,
        target: &Target,
        cc: &str,
        options: &[&str],
        source: &Path,
    ) -> Result<PathBuf, String> {
        let text = fs::read(source).map_err(|error| format!("{}: {error}", source.display()))?;
        let (file, object) = (self.folder.path().join("t.c"), self.folder.path().join("t.o"));
        fs::write(&file, as_c(&String::from_utf8_lossy(&text))).map_err(|error| error.to_string())?;
        let machine = MACHINES.iter().find(|row| row.0 == target.name).map_or(&[][..], |row| row.1);
        let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/as_c.h");
        let mut command = Command::new(cc);
        command.args(AS_C).args(machine).args(options).arg("-include").arg(header);
        self.succeed(command.arg(&file).arg("-o").arg(&object))?;
        self.link(target, &["-O2"], &object)
    }

    /// Compiles a source to our IR, that with `llc -O3` of LLVM 19 for a core, and links it.
    pub(crate) fn link_ir(
        &self,
        target: &Target,
        (options, core): (&[&str], &str),
        source: &Path,
    ) -> Result<PathBuf, String> {
        let [ir, object] = ["t.ll", "t.o"].map(|name| self.folder.path().join(name));
        let mut command = Command::new(&self.compiler);
        command.args(options).args(["-w", "--target", target.name]).arg(source);
        self.succeed(command.arg(format!("--emit=ir={}", ir.display())))?;
        // What may unwind asks for the C++ library on ARM. Our opcodes that LLVM has none of are functions in text, and no calls in code.
        let text = fs::read_to_string(&ir).map_err(|error| error.to_string())?;
        let line = |line: &str| match line.strip_suffix(" {").filter(|line| line.starts_with("define ")) {
            Some(head) if head.contains("@sysyc.") => format!("{head} nounwind alwaysinline {{\n"),
            Some(head) => format!("{head} nounwind {{\n"),
            None => format!("{line}\n"),
        };
        fs::write(&ir, text.lines().map(line).collect::<String>()).map_err(|error| error.to_string())?;
        self.succeed(
            Command::new("opt-19").args(["-S", "-passes=always-inline"]).arg(&ir).arg("-o").arg(&ir),
        )?;
        let machine: &[&str] = match target.name {
            "riscv64" => &["-target-abi=lp64d", "-mattr=+m,+a,+f,+d,+c"],
            "armv7" => &["-float-abi=hard", "-mattr=+neon"],
            _ => &[],
        };
        let triple = format!("-mtriple={}", target.gcc.trim_end_matches("-gcc"));
        let mut llc = Command::new("llc-19");
        llc.args(["-O3", "-filetype=obj", "-relocation-model=static", core, &triple]).args(machine);
        self.succeed(llc.arg(&ir).arg("-o").arg(&object))?;
        self.link(target, &["-O2"], &object)
    }

    /// The instructions that a program executes, and what it does; an error where it has no end in time.
    pub(crate) fn count(
        &self,
        target: &Target,
        program: &Path,
        input: Option<&Path>,
    ) -> Result<(u64, Finished), String> {
        let (text, done) = self.run("count", target, program, input)?;
        Ok((number(&text)?, done))
    }

    /// What a plugin writes of a program, and what that does.
    pub(crate) fn run(
        &self,
        name: &str,
        target: &Target,
        program: &Path,
        input: Option<&Path>,
    ) -> Result<(String, Finished), String> {
        let folder = self.folder.path();
        run_with(&plugin(folder, name)?, target.qemu, &[program], (input, folder, self.limit))
    }
}

/// A source for a C compiler, behind `as_c.h`, which takes `enum` for a name: constants that may be lengths of
/// arrays are C's enumerators.
fn as_c(source: &str) -> String {
    let line = |line: &str| {
        let constant = line.trim().strip_prefix("const int ").and_then(|rest| rest.strip_suffix(';'));
        match constant.filter(|rest| !rest.contains('[')) {
            Some(rest) => format!("enum {{ {rest} }};\n"),
            None => format!("{line}\n"),
        }
    };
    std::iter::once("#undef enum\n".to_string()).chain(source.lines().map(line)).collect()
}

#[test]
fn constants_become_enumerators() {
    let whole = |text: &str| format!("#undef enum\n{text}\n");
    assert_eq!(as_c("const int N = 4;\nint a[N];"), whole("enum { N = 4 };\nint a[N];"));
    assert_eq!(as_c("  const int N = 4, M = N * 2;\r"), whole("enum { N = 4, M = N * 2 };"));
    for same in ["const int a[2] = {1, 2};", "const float F = 1;", "int x;"] {
        assert_eq!(as_c(same), whole(same));
    }
}
