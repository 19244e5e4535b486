//! That the assembler takes every row, and makes the same code of it.

use super::*;

/// A function that holds every row that has text once, with operands and immediates that are legal for it.
fn every_row() -> Func {
    let mut func = Func::default();
    for (number, desc) in rows::ROWS.iter().enumerate() {
        if desc.text.is_empty() || desc.sym == SymKind::Unwind {
            continue;
        }
        let (defs, uses) = desc.operands.split_once('=').unwrap();
        // The first one of two that follow one another is even.
        let mut next = if desc.format == rows::format::MEM_D { 3 } else { 4 };
        let has_doubles = desc.text.contains("%d") || desc.text.contains("%n");
        let mut operand = |class: char| {
            next += 1;
            match class {
                'i' => Operand::phys(PReg::int(next)),
                _ if has_doubles => Operand::phys(PReg::float(2 * next)),
                _ => Operand::phys(PReg::float(12 + next)),
            }
        };
        let list = |text: &str| text.chars().filter(|&c| c != '*').collect::<Vec<char>>();
        let defs: Vec<Operand> = list(defs).into_iter().map(&mut operand).collect();
        let uses: Vec<Operand> = list(uses).into_iter().map(&mut operand).collect();
        let imm = match desc.text {
            text if text.contains("%h") => 5 | 16 << 8,
            text if text.contains("%i") || text.contains("%o") => 16,
            _ => 0,
        };
        let row = func.make_row(crate::mir::MachineOp(number as u16), &defs, &uses, imm, 0);
        func.insts.push(row);
    }
    let end = func.insts.next_handle();
    func.blocks.push(BlockRow {
        first: Inst::new(0),
        end,
        succs: Default::default(),
        first_pred: 0,
        pred_count: 0,
        loop_depth: 0,
        frequency: 1,
    });
    func
}

pub(super) fn env_for_rows() -> Env {
    let mut env = Env::default();
    let name = env.names.intern("thing");
    let (shape, image) = (Shape::scalar(Type::I32), ir::Image::default());
    env.globals.push(ir::Global::new(name, shape, false, Linkage::Declared, image));
    let name = env.names.intern("test");
    env.funcs.push(ir::Func::new(name, Type::Void, vec![], Linkage::External));
    env
}

/// Assembles text: the code, or what the assembler said. None if there is no assembler and that is allowed.
pub(super) fn assemble(text: &str, name: &str) -> Option<Result<Vec<u32>, String>> {
    let file =
        |end: &str| std::env::temp_dir().join(format!("sysyc-armv7-{name}-{}.{end}", std::process::id()));
    let (source, object, binary) = (file("s"), file("o"), file("bin"));
    std::fs::write(&source, text).unwrap();
    let mut said = String::new();
    for (tool, args) in [
        ("arm-linux-gnueabihf-as", vec!["-o".as_ref(), object.as_os_str(), source.as_os_str()]),
        (
            "arm-linux-gnueabihf-objcopy",
            vec!["-Obinary".as_ref(), "-j.text".as_ref(), object.as_os_str(), binary.as_os_str()],
        ),
    ] {
        let output = match Command::new(tool).args(args).output() {
            Ok(output) => output,
            Err(_) if std::env::var("SYSYC_ALLOW_MISSING").as_deref() == Ok("1") => return None,
            Err(error) => panic!("{tool}: {error} (SYSYC_ALLOW_MISSING=1 goes on without it)"),
        };
        said.push_str(&String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            break;
        }
    }
    let code = std::fs::read(&binary).unwrap_or_default();
    for file in [source, object, binary] {
        let _ = std::fs::remove_file(file);
    }
    let words = code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    Some(if said.is_empty() { Ok(words) } else { Err(said) })
}

#[test]
fn the_assembler_takes_every_row_and_makes_the_same_code_of_it() {
    let (func, env) = (every_row(), env_for_rows());
    let symbols = symbols(&env, &TARGET, true);
    let mut out = (TARGET.header)(default_of(&TARGET));
    out.push_str("\t.text\n");
    text::print(&mut out, &func, &TARGET, &symbols, Binding::Global);
    assert!(func.insts.len() > 120);
    let Some(code) = assemble(&out, "rows") else { return };
    let code = code.unwrap();
    assert_eq!(code.len(), func.insts.len());
    for (i, row) in func.insts.iter() {
        let desc = registers::MACHINE.row(row.op);
        // Blocks and functions are all at the start; what the linker adds for a function outside is an addend
        // of -8.
        let imm = match desc.sym {
            SymKind::Block => -4 * i.index() as i32,
            SymKind::Func => 0,
            _ => row.imm,
        };
        let word = word_of(desc, func.operands(i), imm);
        assert_eq!(
            word,
            code[i.index()],
            "{:08x} {:08x} {}",
            word,
            code[i.index()],
            line(&func, i, &symbols)
        );
    }
}

fn word_of(row: &crate::mir::OpRow, operands: &[Operand], imm: i32) -> u32 {
    let bytes = encode::encode(row, operands, imm.into());
    u32::from_le_bytes(bytes.try_into().unwrap())
}

/// Immediates at the ends of their fields.
#[test]
fn immediates_are_encoded_as_the_assembler_does() {
    let (r4, r5, s19) = (PReg::int(4), PReg::int(5), PReg::float(19));
    let cases = [
        (rows::ADD_I, vec![r4, r5], 0xff00_0000u32 as i32),
        (rows::MOV_I, vec![r4], 1020),
        (rows::CMP_I, vec![r4], 0xf000_000fu32 as i32),
        (rows::MOVW, vec![r4], 0xfedc),
        (rows::LDR, vec![r4, r5], -4095),
        (rows::STRB, vec![r4, r5], 4095),
        (rows::VLDR, vec![s19, r5], -1020),
        (rows::VSTR, vec![s19, r5], 1020),
        (rows::VMOV_I, vec![s19], 0xf5),
        (rows::UBFX, vec![r4, r5], 1 | 31 << 8),
        (rows::ADD_ASR, vec![r4, r5, r4], 31),
    ];
    let env = env_for_rows();
    let symbols = symbols(&env, &TARGET, true);
    let mut func = Func::default();
    let mut out = format!("{}\t.text\n", (TARGET.header)(default_of(&TARGET)));
    for (op, regs, imm) in &cases {
        let operands: Vec<Operand> = regs.iter().map(|&reg| Operand::phys(reg)).collect();
        let row = func.make_row(*op, &operands, &[], *imm, 0);
        let i = func.insts.push(row);
        out.push_str(&line(&func, i, &symbols));
        out.push('\n');
    }
    let Some(code) = assemble(&out, "immediates") else { return };
    let words: Vec<u32> = func
        .insts
        .iter()
        .map(|(i, row)| word_of(registers::MACHINE.row(row.op), func.operands(i), row.imm))
        .collect();
    assert_eq!(code, Ok(words), "{out}");
}

#[test]
fn names_that_the_assembler_takes_for_itself_are_reserved() {
    let words =
        ["r0", "r15", "a1", "v8", "s31", "d15", "q7", "ip", "sp", "apsr", "fpscr", "lsl", "rrx", "c15", "f7"];
    for word in words {
        assert!(registers::is_reserved(word), "{word}");
    }
    for word in ["main", "r", "x1", "add", "a", "s", "sum", "eq", "movw", "a100", "data"] {
        assert!(!registers::is_reserved(word), "{word}");
    }
}
