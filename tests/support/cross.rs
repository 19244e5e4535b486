//! C for the three targets: the cross tools, and clang's LLVM text. For tests that compare with gcc.

// A tool that is missing fails the test, with the message that says what to install.
#![allow(clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A target with its cross tools.
pub(crate) struct Cross {
    /// Our name.
    pub(crate) name: &'static str,
    pub(crate) gcc: &'static str,
    pub(crate) qemu: &'static str,
    pub(crate) triple: &'static str,
    /// What clang is told.
    pub(crate) options: &'static [&'static str],
}

pub(crate) static TARGETS: [Cross; 3] = [
    Cross {
        name: "riscv64",
        gcc: "riscv64-linux-gnu-gcc",
        qemu: "qemu-riscv64",
        triple: "riscv64-linux-gnu",
        options: &["-march=rv64gcv", "-mabi=lp64d"],
    },
    Cross {
        name: "aarch64",
        gcc: "aarch64-linux-gnu-gcc",
        qemu: "qemu-aarch64",
        triple: "aarch64-linux-gnu",
        options: &[],
    },
    Cross {
        name: "armv7",
        gcc: "arm-linux-gnueabihf-gcc",
        qemu: "qemu-arm",
        triple: "armv7-linux-gnueabihf",
        options: &["-march=armv7ve", "-mfpu=neon"],
    },
];

/// Runs what has to succeed.
pub(crate) fn run(folder: &Path, command: &mut Command) -> Output {
    let done = command.current_dir(folder).output();
    let done = done.unwrap_or_else(|error| panic!("{command:?}: {error}: tests/install.sh installs it"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {}\n{said}", done.status);
    done
}

/// The clang that is installed.
pub(crate) fn clang() -> &'static str {
    let there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let found = ["clang-19", "clang-16", "clang-15"].into_iter().find(there);
    found.unwrap_or_else(|| panic!("clang is missing: tests/install.sh installs it"))
}

impl Cross {
    /// What clang makes of C by these options, of which one is a level: `x.ll` in the folder.
    pub(crate) fn print(&self, folder: &Path, clang: &str, options: &[&str], source: &Path) {
        let include = format!("/usr/{}/include", self.gcc.trim_end_matches("-gcc"));
        let mut command = Command::new(clang);
        command.args(["-w", "-S", "-emit-llvm", "-fsigned-char", "-isystem", &include]);
        command.args(options).args(["-o", "x.ll"]).arg(source);
        run(folder, command.arg(format!("--target={}", self.triple)).args(self.options));
    }

    /// The folder of the C++ library; it is said if there is none.
    pub(crate) fn cplusplus(&self) -> Option<PathBuf> {
        let done = Command::new(self.gcc).arg("-print-file-name=libstdc++.a").output().ok()?;
        let library = PathBuf::from(String::from_utf8_lossy(&done.stdout).trim());
        // What is not found is named without a folder.
        let folder = library.parent().filter(|folder| *folder != Path::new(""));
        if folder.is_none() {
            let line = "NOT TESTED: C++ on {}: its library is missing, tests/install.sh installs it";
            crate::support::say(&line.replace("{}", self.name));
        }
        folder.map(Path::to_path_buf)
    }
}
