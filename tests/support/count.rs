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

/// Builds a plugin of `profiling/` in a folder, if it is not there.
pub(crate) fn plugin(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let plugin = folder.join(format!("{name}.so"));
    if plugin.is_file() {
        return Ok(plugin);
    }
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&plugin);
    cc.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("profiling/{name}.c")));
    let done = cc.output().map_err(|error| format!("cc: {error}"))?;
    match done.status.success() {
        true => Ok(plugin),
        false => Err(format!("cc: {}", String::from_utf8_lossy(&done.stderr))),
    }
}

/// What a plugin writes of a program and its arguments, and what that does; `scratch` is a folder in which nothing else
/// happens.
pub(crate) fn run_with(
    plugin: &Path,
    emulator: &str,
    line: &[&Path],
    (input, scratch, limit): (Option<&Path>, &Path, Duration),
) -> Result<(String, Finished), String> {
    let out = scratch.join("count");
    // Nothing is left there of a program before.
    _ = std::fs::remove_file(&out);
    let mut command = super::toolchain::emulator(emulator, 128);
    command.arg("-plugin").arg(format!("{},out={}", plugin.display(), out.display())).args(line);
    let done = run(&mut command, input, scratch, limit);
    let done = done.map_err(|error| format!("{emulator}: {error}"))?;
    match std::fs::read_to_string(&out) {
        Ok(text) => Ok((text, done)),
        Err(_) => Err(format!("{command:?}: {}", done.complaint())),
    }
}

/// The instructions that a program executes, of what `count` writes.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("no count: {text}"))
}

/// The plugin that counts, in a folder.
pub(crate) struct Counter {
    plugin: PathBuf,
}

impl Counter {
    pub(crate) fn new(folder: &Path) -> Result<Counter, String> {
        Ok(Counter { plugin: plugin(folder, "count")? })
    }

    /// Runs a program and its arguments; `scratch` is a folder in which nothing else happens.
    pub(crate) fn count(
        &self,
        emulator: &str,
        line: &[&Path],
        scratch: &Path,
    ) -> Result<(u64, Finished), String> {
        let limit = Duration::from_secs(600);
        let (text, done) = run_with(&self.plugin, emulator, line, (None, scratch, limit))?;
        Ok((number(&text)?, done))
    }
}
