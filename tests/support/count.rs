//! Instructions that a program executes, counted exactly under qemu's user-mode emulators (`profiling/count.c`): for a program
//! of this machine's a quarter to a tenth of the CPU time that callgrind takes, and the same number but for what starts it.

use super::process::{Finished, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The emulator of this machine.
pub(crate) fn host() -> String {
    format!("qemu-{}", std::env::consts::ARCH)
}

/// The emulators' plugin, in a folder.
pub(crate) struct Counter {
    plugin: PathBuf,
}

impl Counter {
    pub(crate) fn new(folder: &Path) -> Result<Counter, String> {
        let plugin = folder.join("count.so");
        let mut cc = Command::new("cc");
        cc.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&plugin);
        cc.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("profiling/count.c"));
        let done = cc.output().map_err(|error| format!("cc: {error}"))?;
        match done.status.success() {
            true => Ok(Counter { plugin }),
            false => Err(format!("cc: {}", String::from_utf8_lossy(&done.stderr))),
        }
    }

    /// Runs a program and its arguments; `scratch` is a folder in which nothing else happens.
    pub(crate) fn count(
        &self,
        emulator: &str,
        line: &[&Path],
        scratch: &Path,
    ) -> Result<(u64, Finished), String> {
        let out = scratch.join("count");
        _ = std::fs::remove_file(&out);
        let mut command = Command::new(emulator);
        command.arg("-plugin").arg(format!("{},out={}", self.plugin.display(), out.display())).args(line);
        let done = run(&mut command, None, scratch, Duration::from_secs(600));
        let done = done.map_err(|error| format!("{emulator}: {error}"))?;
        let count = std::fs::read_to_string(&out).ok().and_then(|text| text.trim().parse().ok());
        let count = count.ok_or_else(|| format!("{command:?} does not count: {}", done.complaint()))?;
        Ok((count, done))
    }
}
