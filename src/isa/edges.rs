//! Generated cases for the encoders: rows of a target's table with operands and immediates at the edges of
//! what they may be, as text for an outside assembler and as our bytes, which have to be the same.
//!
//! A target says, by format, which registers an operand may be and which immediates a row takes, borders
//! first. Each register of each operand and each immediate is met at least once, the rest of its row being
//! drawn from a fixed seed; small rows are met in every combination, and rows are filled up with random ones.

use super::{Target, symbols, text};
use crate::ir::{Env, Func as Signature, Global, Image, Linkage, Shape, Type};
use crate::mir::desc::ties;
use crate::mir::{Func, MachineOp, OpRow, Operand, PReg, SymKind};
use std::process::Command;

/// What a target says of its rows.
pub(crate) struct Edges {
    pub target: &'static Target,
    /// The registers that operand `k` of a row may be.
    pub registers: fn(&OpRow, usize) -> Vec<PReg>,
    /// The immediates it takes; of a branch, distances, with its own immediate in the upper 32 bits.
    pub immediates: fn(&OpRow, &mut Random) -> Vec<i64>,
    /// False for what the architecture leaves undefined.
    pub allowed: fn(&OpRow, &[Operand]) -> bool,
    /// Our bytes.
    pub encode: fn(&OpRow, &[Operand], i64) -> Vec<u8>,
    /// Cases a row, at the least.
    pub per_row: usize,
}

/// A line of text and the bytes it should be.
pub(crate) struct Case {
    pub line: String,
    pub bytes: Vec<u8>,
}

/// Numbers that look random and are always the same (splitmix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }

    /// A number in `[low, high]`.
    pub(crate) fn within(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }
}

/// The edges of a field of multiples of `step` in `[low, high]`, and some numbers between.
pub(crate) fn field(low: i64, high: i64, step: i64, random: &mut Random) -> Vec<i64> {
    let mut values = vec![low, low + step, -2 * step, -step, 0, step, 2 * step, high - step, high];
    let mut power = step;
    while power <= high || -power >= low {
        values.extend([power - step, power, -power, -power - step]);
        power *= 2;
    }
    values.extend((0..12).map(|_| random.within(low / step, high / step) * step));
    values.retain(|x| (low..=high).contains(x));
    values.sort_unstable();
    values.dedup();
    values
}

/// The cases of every row that has text.
pub(crate) fn cases(edges: &Edges) -> Vec<Case> {
    let mut env = Env::default();
    let name = env.names.intern("g");
    let (shape, image) = (Shape::scalar(Type::I32), Image::default());
    env.globals.push(Global::new(name, shape, false, Linkage::Declared, image));
    let name = env.names.intern("f");
    let linkage = Linkage::Declared;
    env.funcs.push(Signature::new(name, Type::Void, vec![], linkage));
    let symbols = symbols::symbols(&env, edges.target, true);
    let mut cases = Vec::new();
    let mut random = Random(1);
    for (number, row) in edges.target.rules.machine.ops.iter().enumerate() {
        if row.text.is_empty() || row.sym == SymKind::Unwind {
            continue;
        }
        for (operands, imm) in choices(edges, row, &mut random) {
            let mut func = Func::default();
            let (mut printed, mut distance) = (imm as i32, 0);
            match row.sym {
                SymKind::Wide => func.wide.push(imm),
                SymKind::Block => (printed, distance) = ((imm >> 32) as i32, imm as i32),
                _ => {}
            }
            let made = func.make_row(MachineOp(number as u16), &operands, &[], printed, 0);
            let i = func.insts.push(made);
            let mut line = String::new();
            text::instruction(&mut line, &func, i, edges.target.rules.machine, &symbols);
            // Branches are the only rows that name a block.
            if row.sym == SymKind::Block {
                line = line.replace(".Lf0_0", &format!(".{distance:+}"));
            }
            cases.push(Case { line, bytes: (edges.encode)(row, &operands, imm) });
        }
    }
    cases
}

/// Operands and immediates of one row.
fn choices(edges: &Edges, row: &OpRow, random: &mut Random) -> Vec<(Vec<Operand>, i64)> {
    let classes = row.operands.bytes().filter(|class| class.is_ascii_alphabetic()).count();
    let defs = row.operands.find('=').unwrap_or(0);
    let domains: Vec<Vec<PReg>> = (0..classes).map(|k| (edges.registers)(row, k)).collect();
    let immediates = (edges.immediates)(row, random);
    let all = domains.iter().map(Vec::len).product::<usize>() * immediates.len();
    let mut chosen = Vec::new();
    let mut push = |regs: &[PReg], imm| {
        let mut operands: Vec<Operand> = regs.iter().map(|&reg| Operand::phys(reg)).collect();
        for (def, use_) in ties(row.flags, operands.len().saturating_sub(defs)).enumerate() {
            operands[defs + use_] = operands[def];
        }
        if (edges.allowed)(row, &operands) {
            chosen.push((operands, imm));
        }
        chosen.len()
    };
    if all <= edges.per_row {
        for mut rest in 0..all {
            let imm = immediates[rest % immediates.len()];
            rest /= immediates.len();
            let mut regs = Vec::new();
            for domain in &domains {
                regs.push(domain[rest % domain.len()]);
                rest /= domain.len();
            }
            push(&regs, imm);
        }
        return chosen;
    }
    let draw = |random: &mut Random| {
        let regs: Vec<PReg> = domains.iter().map(|domain| random.pick(domain)).collect();
        (regs, random.pick(&immediates))
    };
    for (k, domain) in domains.iter().enumerate() {
        for &reg in domain {
            let (mut regs, imm) = draw(random);
            regs[k] = reg;
            push(&regs, imm);
        }
    }
    for &imm in &immediates {
        let (regs, _) = draw(random);
        push(&regs, imm);
    }
    // Half of the rest have few registers, so that operands are the same now and then.
    let mut tries = 0;
    loop {
        let (mut regs, imm) = draw(random);
        if tries % 2 == 0 && regs.len() > 1 {
            let (from, to) = (tries / 2 % regs.len(), (tries / 2 + 1) % regs.len());
            if domains[to].contains(&regs[from]) {
                regs[to] = regs[from];
            }
        }
        tries += 1;
        if push(&regs, imm) >= edges.per_row || tries > 4 * edges.per_row {
            return chosen;
        }
    }
}

/// Asserts that an assembler makes our bytes of every line. `tool` is its command line up to the files;
/// `head` stands before the lines.
pub(crate) fn compare(cases: &[Case], head: &str, tool: &[&str], objcopy: &str) {
    let mut source = head.to_string();
    for case in cases {
        source.push_str(&case.line);
        source.push('\n');
    }
    let Some(code) = assemble(&source, tool, objcopy) else { return };
    let (mut at, mut wrong) = (0, Vec::new());
    for case in cases {
        let theirs = code.get(at..at + case.bytes.len()).unwrap_or(&[]);
        if theirs != case.bytes {
            wrong.push(format!("{}: {:02x?}, assembled {theirs:02x?}", case.line, case.bytes));
        }
        at += case.bytes.len();
    }
    let (count, length) = (wrong.len(), code.len());
    wrong.truncate(20);
    assert!(count == 0 && at == length, "{tool:?}: {count} wrong, {at} {length}:\n{}", wrong.join("\n"));
}

/// LLVM's assembler, by the name it is installed under.
pub(crate) fn llvm_mc() -> &'static str {
    const NAMES: [&str; 4] = ["llvm-mc-19", "llvm-mc-16", "llvm-mc-15", "llvm-mc"];
    let is_there = |name: &&&str| Command::new(name).arg("--version").output().is_ok();
    NAMES.iter().find(is_there).unwrap_or(&NAMES[0])
}

/// The bytes of the text section. None if a tool is missing and `SYSYC_ALLOW_MISSING` lets that pass.
pub(crate) fn assemble(source: &str, tool: &[&str], objcopy: &str) -> Option<Vec<u8>> {
    link(source, tool, &[], objcopy)
}

/// The same, linked by this command line, if there is one: with what relocations do to the bytes.
pub(crate) fn link(source: &str, tool: &[&str], linker: &[&str], objcopy: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let [s, mut o, linked, b] = ["x.s", "x.o", "x", "x.bin"].map(|name| folder.path().join(name));
    std::fs::write(&s, source).unwrap();
    run(Command::new(tool[0]).args(&tool[1..]).arg("-o").args([&o, &s]))?;
    if let [name, args @ ..] = linker {
        run(Command::new(name).args(args).arg("-o").args([&linked, &o]))?;
        o = linked;
    }
    run(Command::new(objcopy).args(["-O", "binary", "-j", ".text"]).args([&o, &b]))?;
    Some(std::fs::read(&b).unwrap())
}

fn run(command: &mut Command) -> Option<()> {
    match command.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}", said.lines().take(20).collect::<Vec<_>>().join("\n"));
            Some(())
        }
        Err(_) if std::env::var("SYSYC_ALLOW_MISSING").as_deref() == Ok("1") => None,
        Err(error) => panic!("{:?}: {error} (SYSYC_ALLOW_MISSING=1 goes on)", command.get_program()),
    }
}
