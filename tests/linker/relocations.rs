//! Every row of every machine's relocations against GNU ld: the same object is linked by both, with the
//! sections at the same addresses, and the bytes of every place are compared.
//!
//! Left out are entries of the GOT, whose order differs (programs with position-independent code test them),
//! and what GNU ld relaxes although it is told not to.

use super::*;
use object::{Object, ObjectSection};
use std::fmt::Write;
use sysyc::object::reloc::{Row, What, aarch64, arm, riscv};

/// Instructions that a kind needs to find in its place; else zeros and ones are tried.
const TEMPLATES: [(&str, &[u32]); 14] = [
    ("R_ARM_PC24", &[0xeafffffe, 0x1bfffffe]),
    ("R_ARM_PLT32", &[0xebfffffe]),
    ("R_ARM_CALL", &[0xebfffffe, 0xfafffffe]),
    ("R_ARM_JUMP24", &[0xeafffffe, 0x0afffffe]),
    ("R_ARM_THM_CALL", &[0xf800_f000 | 0xfffe_0000 & 0x07fe_0000]),
    ("R_ARM_THM_JUMP24", &[0xb800_f000]),
    ("R_ARM_THM_JUMP19", &[0x8000_f000]),
    ("R_ARM_THM_MOVW_ABS_NC", &[0x0000_f240]),
    ("R_ARM_THM_MOVT_ABS", &[0x0000_f2c0]),
    ("R_ARM_THM_MOVW_PREL_NC", &[0x0000_f240]),
    ("R_ARM_THM_MOVT_PREL", &[0x0000_f2c0]),
    ("R_RISCV_RVC_BRANCH", &[0xc001]),
    ("R_RISCV_RVC_JUMP", &[0xa001]),
    ("R_RISCV_RVC_LUI", &[0x6501]),
];

/// Kinds that stand for nothing alone, that GNU as has no name for, or that GNU ld replaces by something else
/// that does the same.
const LEFT_OUT: [&str; 21] = [
    "R_RISCV_ALIGN",
    "R_RISCV_RELAX",
    "R_RISCV_TLS_DTPREL32",
    "R_RISCV_TLS_DTPREL64",
    "R_RISCV_TLS_TPREL64",
    "R_RISCV_PLT32",
    "R_RISCV_SET_ULEB128",
    "R_RISCV_SUB_ULEB128",
    "R_AARCH64_PLT32",
    "R_AARCH64_TLSDESC_ADR_PAGE21",
    "R_AARCH64_TLSDESC_LD64_LO12",
    "R_AARCH64_TLSDESC_ADD_LO12",
    "R_AARCH64_TLSDESC_CALL",
    "R_AARCH64_TLS_DTPREL64",
    "R_AARCH64_TLS_TPREL64",
    "R_ARM_V4BX",
    "R_ARM_TLS_LDO32",
    "R_ARM_BASE_PREL",
    "R_ARM_GOTOFF32",
    "R_AARCH64_TLSLE_LDST128_TPREL_LO12",
    "R_AARCH64_TLSLE_LDST128_TPREL_LO12_NC",
];

/// What a place refers to: within its reach, and aligned as it must be.
fn target(row: &Row) -> &'static str {
    let name = row.name;
    match row.what {
        What::Tp => "thread",
        _ if name.contains("_THM_") && (name.contains("CALL") || name.contains("JUMP")) => "thumb",
        _ if row.call.is_some() => "near",
        _ if name.contains("PREL") && (name.ends_with("16") || name.ends_with("_G0")) => "near",
        _ if ["JAL", "BRANCH", "JUMP", "BR14", "BR19", "LO19", "LO21"]
            .iter()
            .any(|part| name.contains(part)) =>
        {
            "near"
        }
        _ if name.starts_with("R_RISCV_SUB") => "data",
        _ if name.ends_with("_G0") || name.ends_with("16") => "small",
        _ if name.ends_with("8") => "tiny",
        _ if name.ends_with("RVC_LUI") => "lui",
        _ => "data",
    }
}

/// Assembles a text with every kind of a machine, links it both ways, and compares the bytes.
fn compare(target_row: &Target, rows: &[Row], code: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let machine = target_row.machine.name;
    let mut text = String::from(code);
    let mut places = Vec::new();
    for row in rows.iter().filter(|row| row.size > 0 && row.number < 1 << 16) {
        let is_table = matches!(
            row.what,
            What::Got | What::GotTp | What::GotGd | What::GotLd | What::Low | What::GotStart
        );
        if is_table || LEFT_OUT.contains(&row.name) {
            continue;
        }
        let given = TEMPLATES.iter().find(|(name, _)| *name == row.name).map(|(_, words)| *words);
        for &word in given.unwrap_or(&[0, 0xffff_ffff]) {
            // In-place addends of all ones are -1, which is no good for jumps.
            if machine == "armv7" && word == u32::MAX && row.size != 4 {
                continue;
            }
            let k = places.len();
            let symbol = target(row);
            let near = if symbol == "near" { format!("near{k}") } else { symbol.to_string() };
            let near = if symbol == "thumb" { format!("thumb{k}") } else { near };
            // GNU ld adds the addend of what it subtracts, where the psABI subtracts it; assemblers make
            // none.
            let is_plain = machine == "armv7" || symbol != "data" || row.name.starts_with("R_RISCV_SUB");
            let addend = if is_plain { "" } else { "+16" };
            writeln!(text, " .balign 16\nplace{k}:\n .reloc place{k}, {}, {near}{addend}", row.name).unwrap();
            writeln!(text, " .4byte {word}, {word}, 0").unwrap();
            match symbol {
                "near" => writeln!(text, " .type near{k}, %function\nnear{k}:\n .4byte 0").unwrap(),
                "thumb" => writeln!(text, " .thumb\n .thumb_func\nthumb{k}:\n nop\n nop\n .arm").unwrap(),
                _ => {}
            }
            places.push((row, k));
        }
    }
    assert!(places.len() > 30, "{machine}: only {} places", places.len());
    let flags: &[&str] = if machine == "riscv64" { &["-Wa,-mno-relax"] } else { &[] };
    let object = target_row.compile(folder.path(), "rows.s", &text, flags);
    // In an object of their own: the assembler would take the numbers for addends.
    let numbers = ".globl tiny, small, lui\n .set tiny, 0x57\n .set small, 0x1230\n .set lui, 0x5000\n";
    let numbers = target_row.compile(folder.path(), "numbers.s", numbers, flags);
    let ours = target_row.link(&[object, numbers], |options| options.keep_unused = true);
    let ours = ours.unwrap_or_else(|errors| panic!("{machine}: {errors:#?}"));
    let script = script_of(&ours);
    fs::write(folder.path().join("script"), script).unwrap();
    let arguments = ["--no-relax", "-static", "-T", "script", "rows.s.o", "numbers.s.o", "-o", "theirs"];
    tool(folder.path(), &format!("{}-ld", target_row.tools), &arguments);
    let theirs = fs::read(folder.path().join("theirs")).unwrap();
    let (ours, theirs) = (contents(&ours, ".text"), contents(&theirs, ".text"));
    assert_eq!(ours.0, theirs.0, "the addresses are the same");
    let map = tool(folder.path(), &format!("{}-nm", target_row.tools), &["rows.s.o"]);
    let map = String::from_utf8_lossy(&map.stdout).into_owned();
    let mut wrong = Vec::new();
    for (row, k) in &places {
        let line = map.lines().find(|line| line.ends_with(&format!(" place{k}"))).expect("it is there");
        let at = usize::from_str_radix(line.split(' ').next().unwrap_or(""), 16).expect("an address");
        let (mine, gnu) = (&ours.1[at..at + 8], &theirs.1[at..at + 8]);
        if mine != gnu {
            wrong.push(format!("{} ({}): {mine:02x?}, GNU ld {gnu:02x?}", row.name, row.number));
        }
    }
    assert!(wrong.is_empty(), "{machine}: {} differ\n{}", wrong.len(), wrong.join("\n"));
}

/// A linker script that puts sections where they are in the program.
fn script_of(program: &[u8]) -> String {
    let file = object::File::parse(program).expect("a program");
    let mut script = String::from("ENTRY(_start)\nSECTIONS {\n");
    for section in file.sections().filter(|section| section.address() != 0) {
        let name = section.name().expect("a name");
        writeln!(script, "  {name} {:#x} : {{ *({name}) }}", section.address()).unwrap();
    }
    script.push_str("}\n");
    script
}

fn contents(program: &[u8], name: &str) -> (u64, Vec<u8>) {
    let file = object::File::parse(program).expect("a program");
    let section = file.section_by_name(name).expect("the section is there");
    (section.address(), section.data().expect("its bytes").to_vec())
}

const DATA: &str = "
 .globl _start
 .type _start, %function
 .data
 .balign 16
data: .4byte 1,2,3,4,5,6,7,8
 .section .tdata,\"awT\",%progbits
 .balign 16
 .4byte 7,7,7,7
 .type thread, %object
thread: .4byte 8
 .text
_start: .4byte 0
";

#[test]
fn riscv_rows_agree_with_gnu_ld() {
    let pairs = "
upper0: auipc a0, %pcrel_hi(data+20)
 addi a0, a0, %pcrel_lo(upper0)
 lw a1, %pcrel_lo(upper0)(a0)
 sw a1, %pcrel_lo(upper0)(a0)
";
    compare(&TARGETS[0], riscv::ROWS, &format!("{DATA}{pairs}"));
}

#[test]
fn aarch64_rows_agree_with_gnu_ld() {
    compare(&TARGETS[1], aarch64::ROWS, DATA);
}

#[test]
fn arm_rows_agree_with_gnu_ld() {
    compare(&TARGETS[2], arm::ROWS, &format!(" .syntax unified\n .arch armv7-a\n .arm\n{DATA}"));
}
