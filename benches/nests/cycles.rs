//! How many cycles a program may take, by llvm-mca: each block that was executed, as if it were repeated, times how
//! often it was executed (`profiling/blocks.c`). The machine knows its instructions' latencies and units; caches and
//! branches never miss. What takes least of the time is not looked at, and counted as the rest is.

use crate::support::beside_c::Counter;
use crate::support::process::{Ending, Finished, run};
use crate::support::toolchain::Target;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const MCA: &str = "llvm-mca-19";
/// For each target the core of a board that contests use, unless `--core` names another one.
const CORES: [(&str, &str); 3] =
    [("riscv64", "sifive-u74"), ("aarch64", "cortex-a72"), ("armv7", "cortex-a72")];
/// The share of executed instructions that is looked at, and blocks at most.
const SHARE: f64 = 0.98;
const MOST: usize = 100;
/// How often mca repeats a block.
const ROUNDS: u64 = 100;
/// Tools are trusted to end.
const LIMIT: Duration = Duration::from_secs(300);

/// The core of a target.
pub(crate) fn core(target: &str) -> &'static str {
    CORES.iter().find(|row| row.0 == target).map_or("generic", |row| row.1)
}

/// A block: where it begins and ends, its instructions, and how often it was executed.
struct Block {
    start: u64,
    end: u64,
    length: u64,
    executed: u64,
}

impl Block {
    fn from(line: &str) -> Option<Block> {
        let words: Vec<&str> = line.split(' ').collect();
        let [start, end, length, executed] = words[..] else { return None };
        let hex = |word: &str| u64::from_str_radix(word, 16).ok();
        Some(Block {
            start: hex(start)?,
            end: hex(end)?,
            length: length.parse().ok()?,
            executed: executed.parse().ok()?,
        })
    }
}

/// The cycles, and what the program does.
pub(crate) fn estimate(
    counter: &Counter,
    (target, core): (&Target, &str),
    program: &Path,
    input: Option<&Path>,
) -> Result<(u64, Finished), String> {
    let (text, done) = counter.run("blocks", target, program, input)?;
    let mut blocks: Vec<Block> = text.lines().filter_map(Block::from).collect();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.length * block.executed));
    let all: u64 = blocks.iter().map(|block| block.length * block.executed).sum();
    let (mut seen, mut hot) = (0, 0);
    while hot < blocks.len().min(MOST) && (seen as f64) < all as f64 * SHARE {
        seen += blocks[hot].length * blocks[hot].executed;
        hot += 1;
    }
    let folder = counter.folder();
    let lines = instructions(target, program, folder)?;
    let mut source = String::new();
    for (k, block) in blocks[..hot].iter().enumerate() {
        let _ = writeln!(source, "# LLVM-MCA-BEGIN {k}");
        for address in block.start..block.end {
            if let Some(line) = lines.get(&address) {
                let _ = writeln!(source, "{line}");
            }
        }
        let _ = writeln!(source, "# LLVM-MCA-END {k}");
    }
    let file = folder.join("blocks.s");
    fs::write(&file, source).map_err(|error| error.to_string())?;
    let mut mca = Command::new(MCA);
    mca.arg(format!("-mtriple={}", target.name)).arg(format!("-mcpu={core}"));
    mca.arg(format!("-iterations={ROUNDS}"))
        .args(["-skip-unsupported-instructions=any", "-resource-pressure=0"]);
    let text = output(mca.arg("-instruction-info=0").arg(&file), folder)?;
    let cycles = text.lines().filter_map(|line| line.strip_prefix("Total Cycles:")?.trim().parse().ok());
    let cycles: Vec<u64> = cycles.collect();
    if cycles.len() != hot {
        return Err(format!("{MCA}: {} of {hot} blocks", cycles.len()));
    }
    let sum: f64 =
        blocks.iter().zip(&cycles).map(|(block, &n)| (block.executed * n) as f64 / ROUNDS as f64).sum();
    Ok(((sum * all as f64 / seen as f64) as u64, done))
}

/// Each instruction of a program as LLVM reads it, by address. Where a jump goes is left out.
fn instructions(target: &Target, program: &Path, folder: &Path) -> Result<HashMap<u64, String>, String> {
    let mut objdump = Command::new(format!("{}-objdump", target.gcc.trim_end_matches("-gcc")));
    let text = output(objdump.args(["-d", "--no-show-raw-insn"]).arg(program), folder)?;
    let instruction = |line: &str| {
        let (address, text) = line.split_once(":\t")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        let text =
            ["//", "@", ";", " # "].iter().fold(text, |text, mark| text.split(mark).next().unwrap_or(text));
        let text = text.trim_end();
        let text = match text.rsplit_once(" <") {
            // Its address is the last word.
            Some((text, _)) => {
                let (head, place) = text.split_at(text.rfind([' ', ',', '\t'])? + 1);
                if place.is_empty() { text.to_string() } else { format!("{head}0") }
            }
            None => text.to_string(),
        };
        Some((address, text))
    };
    Ok(text.lines().filter_map(instruction).collect())
}

fn output(command: &mut Command, folder: &Path) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    match run(command, None, folder, LIMIT) {
        Ok(done) if done.ending == Ending::Exit(0) => Ok(String::from_utf8_lossy(&done.stdout).into_owned()),
        Ok(done) => Err(format!("{name}: {}", done.complaint())),
        Err(error) => Err(format!("{name}: {error}")),
    }
}
