//! Every row against a standard assembler: its text assembles, and to the bits that the row says.

use crate::ir::{Env, Func as Signature, Global, Image, Linkage, Shape, Type};
use crate::mir::desc::TIED;
use crate::mir::{Func, MachineOp, OpRow, Operand, PReg, SymKind};
use crate::target::aarch64::encode::encode;
use crate::target::aarch64::rows::{OPS, format};
use crate::target::aarch64::{TARGET, registers::MACHINE};
use crate::target::{features, symbols, text};
use std::process::Command;

/// Registers of a row's operands, from number `first` on; the register of a tied use is the definition's.
fn operands(row: &OpRow, first: u8) -> (Vec<Operand>, Vec<Operand>) {
    let (defs, uses) = row.operands.split_once('=').unwrap_or(("", ""));
    let mut number = first;
    let mut regs = |classes: &str| {
        let regs = classes.bytes().map(|class| {
            let n = number % 29;
            number += 1;
            Operand::phys(if class == b'f' { PReg::float(n) } else { PReg::int(n) })
        });
        regs.collect::<Vec<_>>()
    };
    let (defs, mut uses) = (regs(defs), regs(uses));
    if row.flags & TIED != 0 {
        uses[0] = defs[0];
    }
    (defs, uses)
}

/// Immediates that the row takes, its extremes among them.
fn immediates(row: &OpRow) -> Vec<i64> {
    let bits = 32i64 << (row.encoding >> 31);
    let bytes = 1i64 << (row.encoding >> 30);
    match row.format {
        format::RR_MASK | format::CMP_MASK | format::R_MASK if row.sym == SymKind::Wide => {
            vec![1, -1 << 32, 0x5555_5555_5555_5555]
        }
        format::RR_MASK | format::R_MASK | format::CMP_MASK => vec![1, -2, 0xff0, 0x7fff_ffff, -0x8000_0000],
        format::RRR_SHIFT | format::CMP_SHIFT | format::RR_LSL | format::RR_LSR => vec![1, 5, bits - 1],
        format::RRR_EXTEND | format::CMP_EXTEND => vec![0, 1, 4],
        format::RR_IMM12 | format::CMP_IMM12 => vec![0, 1, 4095],
        format::R_IMM16 => vec![0, 1, 65535],
        format::R_FLOAT8 => vec![10_000_000, 1_250_000, -310_000_000, 19_375_000, 20_000_000],
        format::LOAD_SCALED => vec![0, bytes, 4095 * bytes],
        format::LOAD_UNSCALED => vec![-256, -1, 255],
        format::LOAD_INDEXED => vec![0, bytes.trailing_zeros().into()],
        format::PAIR => {
            let bytes = if row.encoding >> 30 == 0 { 4 } else { 8 };
            vec![0, -64 * bytes, 63 * bytes]
        }
        format::B26 => vec![0, -8, (1 << 27) - 4],
        format::B19 | format::R_B19 => vec![0, -8, (1 << 20) - 4],
        format::R_BIT_B14 => vec![0, (31 << 32) | 8, (32 << 32) | 4, (63 << 32) | ((1 << 15) - 4)],
        _ => vec![0],
    }
}

#[test]
fn every_row_assembles_to_its_encoding() {
    let mut env = Env::default();
    let name = env.names.intern("g");
    let (shape, image) = (Shape::scalar(Type::I32), Image::default());
    env.globals.push(Global { name, shape, constant: false, linkage: Linkage::Declared, image });
    let name = env.names.intern("f");
    let linkage = Linkage::Declared;
    env.funcs.push(Signature { name, result: Type::Void, params: vec![], variadic: false, linkage });
    let symbols = symbols::symbols(&env, &TARGET);
    let mut source = (TARGET.header)(features::default_of(&TARGET));
    let mut words = Vec::new();
    for (number, row) in OPS.iter().enumerate().filter(|(_, row)| !row.text.is_empty()) {
        for (imm, first) in immediates(row).into_iter().zip([0, 13, 25, 4, 9]) {
            let mut func = Func::default();
            let (defs, uses) = operands(row, first);
            let (mut printed, mut target) = (imm as i32, imm);
            match row.sym {
                SymKind::Wide => func.wide.push(imm),
                SymKind::Block => (printed, target) = ((imm >> 32) as i32, i64::from(imm as i32)),
                _ => {}
            }
            let made = func.make_row(MachineOp(number as u16), &defs, &uses, printed, 0);
            let i = func.insts.push(made);
            let mut line = String::new();
            text::instruction(&mut line, &func, i, &MACHINE, &symbols);
            // Branches are the only rows that name a block; `target` is how far away theirs is.
            line = line.replace(".Lf0_0", &format!(".{target:+}"));
            source.push_str(&line);
            source.push('\n');
            words.push((line, encode(row, func.operands(i), imm)));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let [s, o, b] = ["x.s", "x.o", "x.bin"].map(|name| folder.path().join(name));
    std::fs::write(&s, source).unwrap();
    let Some(()) = tool(Command::new("aarch64-linux-gnu-as").arg("-o").args([&o, &s])) else { return };
    let mut objcopy = Command::new("aarch64-linux-gnu-objcopy");
    let Some(()) = tool(objcopy.args(["-O", "binary", "-j", ".text"]).args([&o, &b])) else { return };
    let bytes = std::fs::read(&b).unwrap();
    assert_eq!(bytes.len(), 4 * words.len());
    let mut wrong = Vec::new();
    for ((line, encoded), word) in words.iter().zip(bytes.chunks(4)) {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        if word != *encoded {
            wrong.push(format!("{line}: {encoded:08x}, assembled {word:08x}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a tool that must succeed. None if it is missing and `SYSYC_ALLOW_MISSING` lets that pass.
fn tool(command: &mut Command) -> Option<()> {
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(())
        }
        Err(_) if std::env::var_os("SYSYC_ALLOW_MISSING").is_some_and(|value| value == "1") => None,
        Err(error) => panic!("{:?}: {error}; set SYSYC_ALLOW_MISSING=1 to do without", command.get_program()),
    }
}

#[test]
fn names_are_unique_and_inverses_mutual() {
    let mut names: Vec<&str> = OPS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
    for (number, row) in OPS.iter().enumerate().filter(|(_, row)| row.inverse.0 != 0) {
        assert_eq!(MACHINE.row(row.inverse).inverse.0 as usize, number, "{}", row.name);
    }
}
