//! Every row against a standard assembler: its text assembles, and to the bits that the row says.

use crate::base::Handle;
use crate::ir::{Env, Func as Signature, Global, Image, Linkage, Shape, Type};
use crate::mir::{Func, Inst, MachineOp, OpRow, Operand, PReg, SymKind};
use crate::target::aarch64::rows::{OPS, format};
use crate::target::aarch64::{TARGET, registers::MACHINE};
use crate::target::{symbols, text};
use std::process::Command;

/// Registers of a row's operands: number k + 1 for operand k.
fn operands(row: &OpRow) -> (Vec<Operand>, Vec<Operand>) {
    let (defs, uses) = row.operands.split_once('=').unwrap_or(("", ""));
    let mut number = 0;
    let mut regs = |classes: &str| {
        let regs = classes.bytes().map(|class| {
            number += 1;
            Operand::phys(if class == b'f' { PReg::float(number) } else { PReg::int(number) })
        });
        regs.collect::<Vec<_>>()
    };
    (regs(defs), regs(uses))
}

/// An immediate that the row takes.
fn immediate(row: &OpRow) -> i32 {
    match row.format {
        format::RR_MASK | format::R_MASK | format::CMP_MASK | format::RR_LSL => 1,
        format::R_FLOAT8 => 20_000_000,
        _ => 0,
    }
}

/// The bits that `operands` and `immediate` add to a row's encoding.
fn variable_bits(row: &OpRow) -> u32 {
    let wide = row.encoding >> 31;
    let (d, n, m, a) = (0, 5, 16, 10);
    let fields: &[u32] = match row.format {
        format::RRR | format::RRR_SHIFT | format::RRR_EXTEND | format::LOAD_INDEXED => &[d, n, m],
        format::RRRR => &[d, n, m, a],
        format::RR_IMM12 | format::RR_MASK | format::RR_LSL | format::RR_LSR | format::RR => &[d, n],
        format::LO12 | format::LOAD_SCALED | format::LOAD_UNSCALED | format::LOAD_LO12 => &[d, n],
        format::R_M => &[d, m],
        format::CMP_RR | format::CMP_SHIFT | format::CMP_EXTEND => &[n, m],
        format::CMP_IMM12 | format::CMP_MASK | format::CMP_R => &[n],
        format::R_MASK | format::R_IMM16 | format::R | format::R_FLOAT8 | format::ADRP => &[d],
        format::R_B19 | format::R_BIT_B14 => &[d],
        format::PAIR => &[d, a, n],
        _ => &[],
    };
    let registers = fields.iter().zip(1..).fold(0, |bits, (field, number)| bits | number << field);
    let mask = wide << 22;
    registers
        | match row.format {
            format::RR_MASK | format::R_MASK | format::CMP_MASK => mask,
            format::RR_LSL => (31 + 32 * wide) << 16 | (30 + 32 * wide) << 10,
            format::RR_LSR => (31 + 32 * wide) << 10,
            _ => 0,
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
    let mut source = TARGET.header.to_string();
    let mut rows = Vec::new();
    for (number, row) in OPS.iter().enumerate().filter(|(_, row)| !row.text.is_empty()) {
        let mut func = Func::default();
        let (defs, uses) = operands(row);
        if row.sym == SymKind::Wide {
            func.wide.push(1);
        }
        let made = func.make_row(MachineOp(number as u16), &defs, &uses, immediate(row), 0);
        func.insts.push(made);
        let mut line = String::new();
        text::instruction(&mut line, &func, Inst::new(0), &MACHINE, &symbols);
        // Branches go to themselves.
        source.push_str(&line.replace(".Lf0_0", "."));
        source.push('\n');
        rows.push((row, line));
    }
    let folder = tempfile::tempdir().unwrap();
    let [s, o, b] = ["x.s", "x.o", "x.bin"].map(|name| folder.path().join(name));
    std::fs::write(&s, source).unwrap();
    let Some(()) = tool(Command::new("aarch64-linux-gnu-as").arg("-o").args([&o, &s])) else { return };
    let mut objcopy = Command::new("aarch64-linux-gnu-objcopy");
    let Some(()) = tool(objcopy.args(["-O", "binary", "-j", ".text"]).args([&o, &b])) else { return };
    let bytes = std::fs::read(&b).unwrap();
    assert_eq!(bytes.len(), 4 * rows.len());
    let mut wrong = Vec::new();
    for ((row, line), word) in rows.iter().zip(bytes.chunks(4)) {
        let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let expected = row.encoding | variable_bits(row);
        if word != expected {
            wrong.push(format!("{}: {line}: {expected:08x}, assembled {word:08x}", row.name));
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
