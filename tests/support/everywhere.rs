//! One program of LLVM text in the interpreter, and on every target at every level.

use crate::support::toolchain::{TARGETS, Way, emulator};
use std::process::Command;
use sysyc::ir::opcode::{Arg, Form};
use sysyc::ir::{Op, Type};

/// How an instruction of this opcode and type is written.
pub(crate) fn applied(op: Op, ty: Type, args: &[String]) -> String {
    let (row, name) = (op.row(), ty.name());
    if !row.form.is_function() {
        return format!("{} {name} {}", row.name, args.join(", "));
    }
    let mut args: Vec<String> = args.iter().map(|arg| format!("{name} {arg}")).collect();
    if let Form::Intrinsic(form) = row.form {
        args.extend(form.iter().filter_map(|arg| match arg {
            Arg::Always(ty, value) => Some(format!("{ty} {value}")),
            _ => None,
        }));
    }
    format!("call {name} @{}.{}({})", row.name, ty.code(), args.join(", "))
}

/// What is run on a machine of 32 bits, or of 64: the program, and what it prints.
pub(crate) type Source = fn(bool) -> (String, String);

/// Says where two outputs begin to differ.
pub(crate) fn same(what: &str, have: &str, expected: &str) -> Result<(), String> {
    let line = have.lines().zip(expected.lines()).position(|(a, b)| a != b);
    if have == expected { Ok(()) } else { Err(format!("{what}: line {line:?} differs")) }
}

/// Runs a program everywhere, at these levels.
pub(crate) fn runs_everywhere(program: Source, levels: &[&str]) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let sysyc = || Command::new(env!("CARGO_BIN_EXE_sysyc"));
    let output = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        other => Err(format!("{command:?}: {other:?}")),
    };
    let may_miss = std::env::var_os("SYSYC_ALLOW_MISSING").is_some();
    let mut runs = 0;
    for is_32_bit in [false, true] {
        let (text, expected) = program(is_32_bit);
        let [source, binary] = ["x.ll", "x"].map(|name| folder.path().join(name));
        std::fs::write(&source, text).map_err(|error| error.to_string())?;
        for option in levels.iter().chain(&["--check"]) {
            let have = output(sysyc().args(["--run", option]).arg(&source))?;
            same(&format!("--run {option}"), &have, &expected)?;
        }
        for target in TARGETS[1..].iter().filter(|target| (target.name == "armv7") == is_32_bit) {
            if !target.missing(&[Way::Builtin]).is_empty() && may_miss {
                continue;
            }
            // With vectors of the machine's own, and without.
            let machines: &[&[&str]] = match target.name {
                "armv7" => &[&[], &["-march=armv7ve+neon"]],
                "riscv64" => &[&[], &["-march=rv64gcv"]],
                _ => &[&[]],
            };
            for (level, machine) in levels.iter().flat_map(|level| machines.iter().map(move |m| (level, m))) {
                let options = [level, "-fverify", "--target", target.name, "-o"];
                output(sysyc().args(*machine).args(options).args([&binary, &source]))?;
                // Registers of vectors have any size from 128 bits on.
                for bits in [128, 256, 512] {
                    let have = output(emulator(target.qemu, bits).arg(&binary))?;
                    same(&format!("{} {level} {machine:?} {bits}", target.name), &have, &expected)?;
                    if !machine.contains(&"-march=rv64gcv") {
                        break;
                    }
                }
                runs += 1;
            }
        }
    }
    assert!(runs > 0 || may_miss);
    Ok(())
}
