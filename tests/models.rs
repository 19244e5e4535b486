//! Models of cores beside llvm-mca's: blocks of the kernels' machine code, each as if it were repeated, and the cycles
//! that both say. What llvm-mca does otherwise on purpose (results of a store or load that arrive out of order, the pipe that
//! it gives to what may take one of two) is a few cycles in a hundred rounds; tables that are wrong are many.

use crate::support;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, ExitCode};
use support::say;
use sysyc::isa::symbols::Symbols;
use sysyc::mir::desc::CALL;
use sysyc::mir::{Func, Inst, Machine, SymKind};
use sysyc::{base::Handle, isa, mir};

const MCA: &str = "llvm-mca-19";
/// Times that a block is repeated.
const ROUNDS: u32 = 100;
/// Of each core: its target, what it has, and how many blocks in a hundred may differ by more than `NEAR`.
const CORES: [(&str, &str, &str, usize); 3] = [
    ("sifive-u74", "riscv64", "", 15),
    ("cortex-a53", "aarch64", "", 25),
    ("cortex-r52", "armv7", "-march=armv7ve+neon", 32),
];
/// Twentieths of llvm-mca's cycles, or a cycle a round.
const NEAR: u32 = 20;
/// Fewer blocks say too little.
const LEAST: usize = 500;
/// Functions and globals that a kernel may have.
const MOST_NAMES: usize = 1000;
/// Shorter blocks are jumps.
const LEAST_ROWS: usize = 4;

#[test]
fn blocks_take_the_cycles_that_llvm_mca_says() -> ExitCode {
    if Command::new(MCA).arg("--version").output().is_err() {
        say(&format!("models: {MCA} is missing; SYSYC_ALLOW_MISSING=1 goes on"));
        return if std::env::var_os("SYSYC_ALLOW_MISSING").is_some() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    let mut failed = 0;
    for (core, target, machine, most) in CORES {
        match compare(core, target, machine) {
            Ok((blocks, far, ratio)) => {
                say(&format!(
                    "models: {core}: {blocks} blocks, {far} farther than a twentieth, ratio {ratio:.3}"
                ));
                if blocks < LEAST || far * 100 > blocks * most || !(0.9..1.1).contains(&ratio) {
                    say(&format!("FAIL models: {core}"));
                    failed += 1;
                }
            }
            Err(error) => {
                say(&format!("FAIL models: {core}: {error}"));
                failed += 1;
            }
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Blocks, those that differ, and all our cycles in relation to llvm-mca's.
fn compare(core: &str, target: &str, machine: &str) -> Result<(usize, usize, f64), String> {
    let target = isa::find(target).ok_or("no target")?;
    let named = |model: &&&mir::model::Model| model.names.iter().any(|row| row.0 == core);
    let model = target.models.iter().find(named).ok_or("no model")?;
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/kernels");
    let mut files: Vec<_> = std::fs::read_dir(kernels)
        .map_err(|error| error.to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "sy"))
        .collect();
    files.sort();
    // What names stand for does not matter.
    let name = |k: usize| format!("s{k}");
    let mut symbols = Symbols::default();
    symbols.funcs.extend((0..MOST_NAMES).map(name));
    symbols.globals.extend((0..MOST_NAMES).map(name));
    let (mut text, mut ours) = (String::new(), Vec::new());
    for file in files {
        let mut sysyc = Command::new(env!("CARGO_BIN_EXE_sysyc"));
        sysyc.args(["-O2", "--emit=mir", "-fstop-after=relax", "-o", "-"]);
        sysyc.arg(format!("--target={}", target.name)).arg(format!("-mtune={core}"));
        if !machine.is_empty() {
            sysyc.arg(machine);
        }
        let done = sysyc.arg(&file).output().map_err(|error| error.to_string())?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned());
        }
        let printed = String::from_utf8_lossy(&done.stdout).into_owned();
        let options = sysyc::backend::code::Options::of(
            target,
            isa::features::default_of(target),
            sysyc::opt::Level::O2,
        );
        let machine = options.machine();
        let module = mir::parse::parse_module(&printed, machine).map_err(|error| error.to_string())?;
        for (_, func) in &module.bodies {
            for b in func.blocks.keys() {
                let block = &func.blocks[b];
                let rows = block.first.index()..block.end.index();
                let Some(lines) = block_text(func, machine, &symbols, rows.clone()) else { continue };
                let _ =
                    writeln!(text, "# LLVM-MCA-BEGIN {}\n{lines}# LLVM-MCA-END {}", ours.len(), ours.len());
                ours.push(mir::schedule::block_cycles(func, machine, model, rows, ROUNDS));
            }
        }
    }
    let theirs = mca(core, target.name, &text)?;
    let is_far = |(&a, &b): (&u32, &u32)| a.abs_diff(b) > (b / NEAR).max(ROUNDS);
    // Of a block that has only instructions that it does not know, it says nothing.
    let pairs: Vec<(&u32, &u32)> = theirs.iter().filter_map(|(k, n)| Some((ours.get(*k)?, n))).collect();
    let far = pairs.iter().filter(|&&pair| is_far(pair)).count();
    let sum = |all: &mut dyn Iterator<Item = u32>| all.map(f64::from).sum::<f64>();
    let ratio = sum(&mut pairs.iter().map(|row| *row.0)) / sum(&mut pairs.iter().map(|row| *row.1));
    Ok((pairs.len(), far, ratio))
}

/// The instructions of a block without calls, if it has enough of them.
fn block_text(
    func: &Func,
    machine: &Machine,
    symbols: &Symbols,
    rows: std::ops::Range<usize>,
) -> Option<String> {
    let mut text = String::new();
    let mut count = 0;
    for i in rows.map(Inst::new) {
        let desc = machine.row(func.insts[i].op);
        if desc.flags & CALL != 0 || desc.text.is_empty() && desc.sym != SymKind::Unwind {
            return None;
        }
        if desc.sym != SymKind::Unwind {
            isa::text::instruction(&mut text, func, i, machine, symbols);
            text.push('\n');
            count += 1;
        }
    }
    // `lla` is two instructions, which llvm-mca does not know as one.
    (count >= LEAST_ROWS && !text.contains("lla ")).then_some(text)
}

/// The cycles of blocks, by number.
fn mca(core: &str, target: &str, text: &str) -> Result<Vec<(usize, u32)>, String> {
    let file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    std::fs::write(file.path(), text).map_err(|error| error.to_string())?;
    let mut mca = Command::new(MCA);
    mca.args(["-instruction-info=0", "-resource-pressure=0", "-skip-unsupported-instructions=any"]);
    mca.args([format!("-iterations={ROUNDS}"), format!("-mtriple={target}"), format!("-mcpu={core}")]);
    if target == "riscv64" {
        mca.arg("-mattr=+m,+a,+f,+d,+c");
    }
    let done = mca.arg(file.path()).output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&done.stdout);
    let (mut cycles, mut block) = (Vec::new(), 0);
    for line in said.lines() {
        if let Some((_, number)) = line.split_once("Code Region - ") {
            block = number.trim().parse().unwrap_or(usize::MAX);
        } else if let Some(count) = line.strip_prefix("Total Cycles:") {
            cycles.extend(count.trim().parse().ok().map(|count| (block, count)));
        }
    }
    if cycles.is_empty() {
        return Err(String::from_utf8_lossy(&done.stderr).lines().take(3).collect::<Vec<_>>().join("\n"));
    }
    Ok(cycles)
}
