//! The suite runner: compiles every `.sy` of a folder for every target and level, runs it, and compares what
//! it printed and its exit code with what was expected.
//!
//!     cargo test --test targets suite::                                             # tests/programs, all targets, -O0 to -O2
//!     SYSYC_SUITE=some/folder SYSYC_TARGETS=riscv64 SYSYC_LEVELS=2 cargo test --test targets suite::
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SYSYC_SUITE` | folders, colon separated, searched for `.sy` at any depth | `tests/programs` |
//! | `SYSYC_TARGETS` | of `interp`, `riscv64`, `aarch64`, `armv7`, comma separated | all |
//! | `SYSYC_WAYS` | of `builtin`, `object`, `asm`, comma separated: how programs come about | all, but see below |
//! | `SYSYC_LEVELS` | optimisation levels, comma separated | `0,1,2` |
//! | `SYSYC_FILTER` | only programs whose path holds this text | all |
//! | `SYSYC_JOBS` | programs in flight at once | the machine's processors |
//! | `SYSYC_TIMEOUT` | seconds for one process | 120 |
//! | `SYSYC_ALLOW_MISSING` | `1`: a missing cross gcc or qemu is reported, not failed | failed |
//! | `SYSYC_CHECK_J` | `1`: output for -j1, -j2 and -j8 must be the same bytes | off |
//! | `SYSYC_VERIFY` | `1`: the compiler checks itself (`-fverify`) | off, in `tests/fuzz.rs` on |
//! | `SYSYC_MAX_COMPILE_SECONDS` | a compile that takes longer (wall time; use `SYSYC_JOBS=1`) fails | off |
//! | `SYSYC_BIN` | another `sysyc` than the one cargo built | the built one |
//!
//! Beside `x.sy` may lie `x.in`, its input (none: empty), and `x.out`, the expected output with the exit code
//! as its last line. Without `x.out` the host's gcc compiles the same source as C and its behaviour is the
//! reference. `interp` runs `sysyc --run`. The other targets run under `qemu-<target>` what came about in
//! three ways: `builtin` is `sysyc x.sy -o x`, `object` is `sysyc -c` and the cross gcc as a linker, with
//! `libsysy.a` made of `runtime/sylib.c`, and `asm` is `sysyc -S` and the cross gcc as an assembler, too.
//! Unless `SYSYC_WAYS` asks for them, a program takes each of the latter two at one level a target, the next program
//! at the next level: `tests/encode.rs` compares objects and text byte by byte, and 1,206 links were half of the time.
//!
//! Each failure prints what failed, the first difference and a command that reproduces it; the last line is
//! `N passed, M failed`, a line of its own. Nothing is skipped in silence: running no program at all fails
//! too. Cost: one compile, one link (0.07 s) and one run per program, target, way and level; every process's
//! output goes through files, so no size of output can deadlock it.

use crate::support;
use std::process::ExitCode;
use support::settings::Settings;
use support::suite::run_suite;

/// Runs the suite that the environment describes.
#[test]
fn suite() -> ExitCode {
    let tally = match Settings::from_environment() {
        Ok(settings) => run_suite(&settings, &support::say),
        Err(message) => {
            support::say(&format!("FAIL settings: {message}"));
            return ExitCode::FAILURE;
        }
    };
    support::say(&format!("\n{} passed, {} failed", tally.passed, tally.failed));
    if tally.failed == 0 && tally.passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
