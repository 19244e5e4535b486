//! Every row at its edges against GNU as, long and compressed, and against LLVM's assembler.

use super::compress::reach;
use super::encode::encode;
use super::registers::vector;
use super::rows::format as f;
use crate::isa::edges::{Case, Edges, Random, assemble, cases, compare, field, link, llvm_mc};
use crate::mir::desc::USES_FLAGS;
use crate::mir::{OpRow, Operand, PReg, SymKind};
use crate::object::machine::RISCV64;
use crate::object::reloc::Rows;

/// All registers: zero, the stack pointer, and those around x8 and x15 are where the forms differ.
fn registers(row: &OpRow, k: usize) -> Vec<PReg> {
    let class = row.operands.bytes().filter(|&c| c != b'=').nth(k);
    let make = match class {
        Some(b'f') => PReg::float,
        Some(b'v') if row.name == "vmv2r.v" => return (0..32).step_by(2).map(vector).collect(),
        Some(b'v') if row.name == "vmv4r.v" => return (0..32).step_by(4).map(vector).collect(),
        Some(b'v') => vector,
        _ => PReg::int,
    };
    // Rows of two words keep the address between them in the result, which zero would lose, and GNU as
    // refuses t5 for both.
    let keeps = matches!(row.format, f::LOAD_SYMBOL | f::ADDRESS) && k == 0;
    let skip = |n: &u8| keeps && *n == 0 || row.format == f::STORE_FAR && class == Some(b'i') && *n == 30;
    // Those that three bits name come up more often.
    (0..32).chain(8..16).chain(8..16).filter(|n| !skip(n)).map(make).collect()
}

fn immediates(row: &OpRow, random: &mut Random) -> Vec<i64> {
    match row.format {
        f::I | f::I_SHORT | f::S => {
            let mut all = field(-2048, 2047, 1, random);
            // What compressed forms hold: multiples of 4 and 8, up to 2^10.
            all.extend(field(-512, 1024, 4, random));
            all.extend([-33, -32, -31, 31, 32, 33]);
            all
        }
        f::SHIFT if matches!(row.name, "slliw" | "srliw" | "sraiw" | "roriw") => (0..32).collect(),
        f::SHIFT => (0..64).collect(),
        f::V_SHIFT | f::V_ONTO_SHIFT => (0..32).collect(),
        f::V_COUNT => (0..32).collect(),
        f::V_VI | f::V_MASKED_I | f::V_I | f::V_DEF_I | f::V_V0_I => (-16..16).collect(),
        f::B => branch(4094, random),
        f::J | f::J_ENTRY => branch((1 << 20) - 2, random),
        f::U => {
            let mut all = field(0, 0xf_ffff, 1, random);
            all.extend([0x1f, 0x20, 0xf_ffe0, 0xf_ffdf]);
            all
        }
        _ => vec![0],
    }
}

/// Distances of a branch to both sides, those of compressed branches among them.
fn branch(high: i64, random: &mut Random) -> Vec<i64> {
    let mut all = field(-high - 2, high, 2, random);
    all.extend([-258, -256, -254, 254, 256, -2050, -2048, 2046, 2048].map(|x: i64| x.clamp(-high, high)));
    all.into_iter().map(|x| x & 0xffff_ffff).collect()
}

/// A choice by v0 does not go there, and lanes that move up go to another register.
fn allowed(row: &OpRow, operands: &[Operand]) -> bool {
    if row.format == f::V_ONTO_SHIFT && operands.first() == operands.get(2) {
        return false;
    }
    row.flags & USES_FLAGS == 0 || operands.first() != Some(&Operand::phys(vector(0)))
}

fn long(row: &OpRow, operands: &[Operand], imm: i64) -> Vec<u8> {
    let [long, _] = encode(row, operands, imm);
    long
}

fn short(row: &OpRow, operands: &[Operand], imm: i64) -> Vec<u8> {
    let [_, short] = encode(row, operands, imm);
    short
}

const EDGES: Edges =
    Edges { target: &super::TARGET, registers, immediates, allowed, encode: long, per_row: 250 };
const AS: [&str; 3] = ["riscv64-linux-gnu-as", "-mno-relax", "-march=rv64gcv_zba_zbb"];
const OBJCOPY: &str = "riscv64-linux-gnu-objcopy";

#[test]
fn every_row_at_its_edges_as_gnu_as_has_it() {
    let cases = cases(&EDGES);
    assert!(cases.len() >= 20_000, "{}", cases.len());
    compare(&cases, "\t.option norvc\n\t.text\n", &AS, OBJCOPY);
    // LLVM takes no distance where `jump` wants a symbol.
    let cases: Vec<Case> = cases.into_iter().filter(|case| !case.line.starts_with("jump")).collect();
    compare(
        &cases,
        "\t.option norvc\n\t.text\n",
        &[llvm_mc(), "--triple=riscv64", "--mattr=+m,+a,+f,+d,+v,+zba,+zbb", "--filetype=obj"],
        OBJCOPY,
    );
}

#[test]
fn every_row_at_its_edges_as_gnu_as_compresses_it() {
    let mut cases = cases(&Edges { encode: short, ..EDGES });
    // The word is that of `li rd, 0`, which is short; GNU as leaves it long under this name alone.
    cases.retain(|case| !(case.line.starts_with("mv ") && case.line.ends_with(", zero")));
    cases.retain(|case| !is_never_selected(&case.line));
    let halves = cases.iter().filter(|case| case.bytes.len() == 2).count();
    assert!(cases.len() >= 20_000 && halves >= 600, "{} {halves}", cases.len());
    compare(&cases, "\t.text\n", &AS, OBJCOPY);
}

/// Each form that can be short, with every register that it asks about and immediates around what it holds.
#[test]
fn compressed_forms_are_picked_exactly_as_gnu_as_does() {
    let regs = [0u8, 1, 2, 7, 8, 9, 15, 16, 31];
    let name = |n: u8| super::registers::name(PReg::int(n), 0);
    let mut cases = Vec::new();
    let mut push = |line: String, bytes: Vec<u8>| cases.push(Case { line, bytes });
    let row = |name: &str| super::rows::ROWS.iter().find(|row| row.name == name).unwrap();
    let word = |row: &OpRow, numbers: &[u8], imm: i32| {
        let shape = row.operands.replace('=', "");
        let make =
            |(&n, class): (&u8, u8)| Operand::phys(if class == b'f' { PReg::float(n) } else { PReg::int(n) });
        let operands: Vec<Operand> = numbers.iter().zip(shape.bytes()).map(make).collect();
        short(row, &operands, imm.into())
    };
    for &d in &regs {
        for &s in &regs {
            let (rd, rs) = (name(d), name(s));
            for imm in [-513, -512, -33, -32, -16, -1, 0, 1, 4, 8, 16, 31, 32, 48, 496, 512, 1016, 1020, 1024]
            {
                for op in ["addi", "addiw", "andi", "ori", "xori"] {
                    push(format!("{op} {rd}, {rs}, {imm}"), word(row(op), &[d, s], imm));
                }
            }
            for imm in [0, 1, 31, 32, 63] {
                for op in ["slli", "srli", "srai"] {
                    push(format!("{op} {rd}, {rs}, {imm}"), word(row(op), &[d, s], imm));
                }
            }
            for op in ["add", "addw", "sub", "subw", "and", "or", "xor", "sll", "mul"] {
                for &t in &regs {
                    push(format!("{op} {rd}, {rs}, {}", name(t)), word(row(op), &[d, s, t], 0));
                }
            }
            for imm in [-8, -4, 0, 2, 4, 8, 12, 120, 124, 128, 132, 248, 252, 256, 260, 504, 508, 512] {
                for op in ["lw", "ld", "sw", "sd", "lbu", "flw", "fld", "fsw", "fsd"] {
                    let data =
                        if op.starts_with('f') { super::registers::name(PReg::float(d), 0) } else { rd };
                    push(format!("{op} {data}, {imm}({rs})"), word(row(op), &[d, s], imm));
                }
            }
            for imm in [-256, 254, 256] {
                for op in ["beq", "bne", "blt"] {
                    push(format!("{op} {rd}, {rs}, .{imm:+}"), word(row(op), &[d, s], imm));
                }
            }
        }
        for imm in [0, 1, 31, 32, 0xf_ffdf, 0xf_ffe0, 0xf_ffff] {
            push(format!("lui {}, {imm}", name(d)), word(row("lui"), &[d], imm));
        }
    }
    push("nop".to_string(), word(row("addi"), &[0, 0], 0));
    cases.retain(|case| !is_never_selected(&case.line));
    assert!(cases.len() > 20_000, "{}", cases.len());
    compare(&cases, "\t.text\n", &AS, OBJCOPY);
}

/// See `compress::class_of`: what would be a copy if anything made it.
fn is_never_selected(line: &str) -> bool {
    line.starts_with("add ") && line.contains(", zero, ")
}

/// Rows of two words, whose distance GNU ld splits over them: around each place where the lower part changes
/// its sign, and as far as they go.
#[test]
fn pairs_of_words_are_split_as_gnu_ld_does() {
    let regs = |numbers: &[u8]| numbers.iter().map(|&n| Operand::phys(PReg::int(n))).collect::<Vec<_>>();
    let mut random = Random(3);
    let mut distances = vec![-0x8000_0000, -0x7fff_f801, 0x7fff_f7fe, 0x7fff_f7ff];
    for base in [-0x1000_0000i64, -0x2000, -0x1000, 0, 0x1000, 0x2000, 0x1234_5000, 0x7fff_e000] {
        distances.extend([-0x802, -0x801, -0x800, -2, 0, 2, 0x7fe, 0x7ff, 0x800].map(|near| base + near));
    }
    distances.extend((0..400).map(|_| random.within(-0x7fff_0000, 0x7fff_0000)));
    let relocations = Rows::new(&RISCV64);
    let mut source = String::from("\t.option norvc\n\t.text\n");
    let mut expected = Vec::new();
    for &distance in &distances {
        let even = distance & !1;
        for (text, name, numbers, imm) in [
            (format!("jump .{even:+}, t5"), "j.far", vec![], even),
            (format!("call .{even:+}"), "call", vec![], even),
            (format!("lla a0, .{distance:+}"), "la", vec![10], distance),
            (format!("lw t6, .{distance:+}"), "lw.symbol", vec![31], distance),
            (format!("sd s1, .{distance:+}, t5"), "sd.symbol", vec![9], distance),
        ] {
            let row = super::rows::ROWS.iter().find(|row| row.name == name).unwrap();
            source.push_str(&format!("\t{text}\n"));
            let mut bytes = long(row, &regs(&numbers), imm);
            // Distances to symbols are put in by their relocation.
            if row.sym != SymKind::Block {
                let at = super::rows::ROWS.iter().position(|other| other.name == name).unwrap();
                let relocation = relocations.get(super::encode::SHAPES[at].relocation).unwrap();
                assert!((relocation.put)(&mut bytes, imm));
            }
            expected.extend(bytes);
        }
    }
    let linker = ["riscv64-linux-gnu-ld", "--no-relax", "-e", "0", "-Ttext", "0x4000000000"];
    let Some(code) = link(&source, &AS, &linker, OBJCOPY) else { return };
    let wrong = code.chunks(8).zip(expected.chunks(8)).position(|(theirs, ours)| theirs != ours);
    let line = wrong.and_then(|k| source.lines().nth(k + 2));
    assert!(wrong.is_none() && code.len() == expected.len(), "{line:?}");
}

/// What `reach` says is where the long form begins, as GNU as has it.
#[test]
fn short_branches_reach_as_far_as_is_said() {
    for row in super::rows::ROWS
        .iter()
        .filter(|row| row.sym == SymKind::Block && !row.text.is_empty() && row.format != f::FAR_JUMP)
    {
        for regs in [[8u8, 0], [15, 0], [7, 0], [16, 0], [0, 8], [8, 8], [0, 0]] {
            let operands = regs.map(|n| Operand::phys(PReg::int(n)));
            let padded = [operands[0], operands[1], operands[0], operands[0]];
            let is_short = |imm: i64| short(row, &operands, imm & 0xffff_ffff).len() == 2;
            let Some(bits) = reach(row, &padded) else {
                assert!(!is_short(0), "{}", row.name);
                continue;
            };
            assert!(row.format == f::J || regs[1] == 0 && (8..16).contains(&regs[0]), "{}", row.name);
            let limit = 1 << (bits - 1);
            for (imm, fits) in [(-limit - 2, false), (-limit, true), (limit - 2, true), (limit, false)] {
                assert_eq!(is_short(imm), fits, "{} {imm}", row.name);
            }
        }
    }
    let far = "\t.text\na: beqz a0, b\n .fill 126, 2, 1\nb: beqz a0, c\n .fill 127, 2, 1\nc: nop\n";
    let Some(code) = assemble(far, &AS, OBJCOPY) else { return };
    assert_eq!((code[0] & 3, code[254] & 3), (1, 3));
}
