//! The suite's programs for machines that have more or less than the default of their target: the compiler
//! under test is a script that adds `-march=`.

use crate::support;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use support::settings::Settings;
use support::suite::run_suite;
use support::toolchain::{TARGETS, Way, emulator};

/// A target, a machine, and at which level: vectors come at 2.
const MACHINES: [(&str, &str, &str); 5] = [
    ("riscv64", "rv64gc_zba_zbb", "1"),
    ("riscv64", "rv64g", "1"),
    ("armv7", "armv7-a", "1"),
    ("armv7", "armv7ve+neon", "2"),
    ("riscv64", "rv64gcv", "2"),
];

#[test]
fn programs_run_on_machines_with_more_and_less() -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    for (target, machine, level) in MACHINES {
        match run(target, machine, level) {
            Ok((ran, wrong)) => (passed, failed) = (passed + ran, failed + wrong),
            Err(error) => {
                support::say(&format!("FAIL {machine}: {error}"));
                failed += 1;
            }
        }
    }
    support::say(&format!("machines: {passed} passed, {failed} failed"));
    if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Programs that passed and failed.
fn run(target: &str, machine: &str, level: &str) -> Result<(usize, usize), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let script = folder.path().join("compiler");
    let text = format!("#!/bin/sh\nexec '{}' -march={machine} \"$@\"\n", env!("CARGO_BIN_EXE_sysyc"));
    std::fs::write(&script, text).map_err(|error| error.to_string())?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| error.to_string())?;
    let settings = Settings::from(|name| match name {
        "SYSYC_BIN" => Some(script.display().to_string()),
        "SYSYC_TARGETS" => Some(target.to_string()),
        "SYSYC_LEVELS" => Some(level.to_string()),
        // The encoder's own test compares the bytes with those of the text.
        "SYSYC_WAYS" => Some("builtin".to_string()),
        "SYSYC_ALLOW_MISSING" | "SYSYC_FILTER" | "SYSYC_JOBS" => std::env::var(name).ok(),
        _ => None,
    })?;
    let tally = run_suite(&settings, &|line| support::say(&format!("{line} ({machine})")));
    Ok((tally.passed, tally.failed))
}

/// Rotations, extremes, extensions and the like, which no SysY program has: the emulator says what the
/// interpreter says.
#[test]
fn bit_operations_do_what_the_interpreter_does() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines/bits.ll");
    let target = &TARGETS[1];
    if !target.missing(&[Way::Builtin]).is_empty() && std::env::var_os("SYSYC_ALLOW_MISSING").is_some() {
        return Ok(());
    }
    let output = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(output.stdout),
        other => Err(format!("{command:?}: {other:?}")),
    };
    let sysyc = || Command::new(env!("CARGO_BIN_EXE_sysyc"));
    let expected = output(sysyc().arg("--run").arg(&source))?;
    let [text, program] = ["x.s", "x"].map(|name| folder.path().join(name));
    for level in ["-O0", "-O1"] {
        let options = [level, "--target", target.name, "-march=rv64gc_zba_zbb", "-o"];
        output(sysyc().arg("-S").args(options).args([&text, &source]))?;
        output(sysyc().args(options).args([&program, &source]))?;
        let made = std::fs::read_to_string(&text).map_err(|error| error.to_string())?;
        for name in ["sh1add", "sh2add.uw", "xnor", "maxu", "roriw", "sext.h", "zext.h"] {
            if !made.contains(&format!("\t{name} ")) {
                return Err(format!("{level}: no {name}"));
            }
        }
        let got = output(Command::new(target.qemu).arg(&program))?;
        if got != expected {
            return Err(format!(
                "{level}: {}",
                support::judge::difference(&expected, &got).unwrap_or_default()
            ));
        }
    }
    Ok(())
}

/// Programs whose loops become vectors of ints on ARMv7, one with floats between: the emulator says what the interpreter
/// says.
#[test]
fn vectors_of_ints_do_what_the_interpreter_does() -> Result<(), String> {
    let programs = [
        ("benches/kernels/clamp.sy", "vmin.s32"),
        ("benches/kernels/conv3x3.sy", "vmla.i32"),
        ("benches/kernels/count_if.sy", "vcgt.s32"),
        ("benches/kernels/matmul_flat_ikj.sy", "vld1.32"),
        ("benches/kernels/max_min.sy", "vpmax.s32"),
        ("benches/kernels/reduce_memory.sy", "vpadd.i32"),
        ("benches/kernels/reverse.sy", "vrev64.32"),
        ("tests/machines/vectors.sy", "vshrn.i64"),
    ];
    compare("armv7", "armv7ve+neon", &programs, &[128])
}

/// The same on RISC-V, whatever the size of its registers: four lanes, eight and sixteen, scalars and immediates as
/// operands, stores and sums by masks, any stride, and sums of floats in order.
#[test]
fn vectors_on_risc_v_do_what_the_interpreter_does_at_any_length() -> Result<(), String> {
    let programs = [
        ("benches/kernels/clamp.sy", "vmin.vx"),
        ("benches/kernels/closure.sy", "vse32.v v"),
        ("benches/kernels/conv3x3.sy", "vmacc.v"),
        ("benches/kernels/count_if.sy", ", v0.t"),
        ("benches/kernels/reverse.sy", "vlse32.v"),
        ("benches/kernels/dot_float.sy", "vfredosum.vs"),
        ("benches/kernels/matmul_float.sy", "vsetivli zero, 4, e32, m4, ta, mu"),
        ("benches/kernels/matvec.sy", "e32, m"),
        ("benches/kernels/max_min.sy", "vredmax.vs"),
        ("benches/kernels/saxpy.sy", "vsetivli zero, 16, e32, m4, ta, mu"),
        ("benches/kernels/softmax.sy", "vf"),
        ("benches/kernels/stencil5.sy", "vmulh.vx"),
        ("tests/machines/vectors.sy", "vmulh.vx"),
    ];
    compare("riscv64", "rv64gcv", &programs, &[128, 256, 512])
}

/// Compares programs for a machine, which must have a text in their assembly, with the interpreter.
fn compare(target: &str, machine: &str, programs: &[(&str, &str)], lengths: &[u32]) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let Some(target) = TARGETS.iter().find(|row| row.name == target) else { return Ok(()) };
    if !target.missing(&[Way::Builtin]).is_empty() && std::env::var_os("SYSYC_ALLOW_MISSING").is_some() {
        return Ok(());
    }
    let input = folder.path().join("input");
    std::fs::write(&input, "497\n").map_err(|error| error.to_string())?;
    let read = || std::fs::File::open(&input).map_or(Stdio::null(), Stdio::from);
    let output = |command: &mut Command| match command.stdin(read()).output() {
        Ok(output) if output.status.success() => Ok(output.stdout),
        other => Err(format!("{command:?}: {other:?}")),
    };
    let sysyc = || Command::new(env!("CARGO_BIN_EXE_sysyc"));
    let [text, program] = ["x.s", "x"].map(|name| folder.path().join(name));
    let machine = format!("-march={machine}");
    for (name, wanted) in programs {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let expected = output(sysyc().arg("--run").arg(&source))?;
        let options = ["-O2", "-fverify", "--target", target.name, &machine, "-o"];
        output(sysyc().arg("-S").args(options).args([&text, &source]))?;
        output(sysyc().args(options).args([&program, &source]))?;
        let made = std::fs::read_to_string(&text).map_err(|error| error.to_string())?;
        if !made.contains(*wanted) {
            return Err(format!("{name}: no {wanted}"));
        }
        for &bits in lengths {
            let got = output(emulator(target.qemu, bits).arg(&program))?;
            if got != expected {
                let difference = support::judge::difference(&expected, &got).unwrap_or_default();
                return Err(format!("{name} at {bits} bits: {difference}"));
            }
        }
    }
    Ok(())
}
