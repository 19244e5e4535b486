//! Every row at its edges against GNU as and LLVM's assembler.

use super::encode::encode;
use super::imm::is_rotated;
use super::registers::vector;
use super::rows::format as f;
use crate::isa::edges::{Edges, Random, cases, compare, field, llvm_mc};
use crate::isa::features::{NEON, default_of};
use crate::mir::{OpRow, Operand, PReg, SymKind};

/// Core registers up to lr; the manual leaves many uses of sp and all of pc undefined.
fn registers(row: &OpRow, k: usize) -> Vec<PReg> {
    let class = row.operands.bytes().filter(|&c| c != b'=').nth(k);
    match (class, row.format) {
        // An even register and the next one; what is listed is no stack pointer.
        (_, f::MEM_D) if k < 2 => (k..12).step_by(2).map(|n| PReg::int(n as u8)).collect(),
        (_, f::LIST_2) if k < 2 => (0..15).filter(|&n| n != 13).map(PReg::int).collect(),
        (_, f::LIST) => (5..12).map(PReg::int).collect(),
        (_, f::VLIST) => (17..32).map(PReg::float).collect(),
        (Some(b'q'), _) => (0..16).map(vector).collect(),
        // Doubles, and pairs of singles.
        (Some(b'f'), _)
            if [format!("%d{k}"), format!("%n{k}")].iter().any(|name| row.text.contains(name)) =>
        {
            (0..32).step_by(2).map(PReg::float).collect()
        }
        (Some(b'f'), _) => (0..32).map(PReg::float).collect(),
        (
            _,
            f::MULTIPLY
            | f::LONG
            | f::FIELD
            | f::ONTO_FIELD
            | f::D_M_S
            | f::CORE_V
            | f::CORE_PAIR
            | f::CORE_DOUBLE
            | f::D_W
            | f::D_SYM
            | f::MEM_LOAD_BY
            | f::MEM_STORE_BY
            | f::Q_LOAD_BY
            | f::Q_STORE_BY
            | f::Q_CORE..=f::Q_GET_HIGH,
        ) => (0..15).filter(|&n| n != 13).map(PReg::int).collect(),
        (_, f::MEM_R) if k == 2 => (0..15).filter(|&n| n != 13).map(PReg::int).collect(),
        (_, f::D_M) if row.name.starts_with(['c', 'r', 's', 'u']) => {
            (0..15).filter(|&n| n != 13).map(PReg::int).collect()
        }
        _ => (0..15).map(PReg::int).collect(),
    }
}

fn immediates(row: &OpRow, random: &mut Random) -> Vec<i64> {
    match row.format {
        // A right shift by 0 would be one by 32.
        f::D_N_M | f::D_M | f::N_M | f::MEM_R if row.text.contains("%i") => match () {
            () if row.text.contains("lsl") => (0..32).collect(),
            () if row.text.contains("ror") => (1..32).collect(),
            () => (1..33).collect(),
        },
        f::D_N_I | f::TIED_N_I | f::D_I | f::N_I => {
            let bytes = [0u32, 1, 2, 3, 0x40, 0x80, 0x81, 0xaa, 0xc0, 0xff];
            let all = bytes.iter().flat_map(|byte| (0..16).map(|half| byte.rotate_right(2 * half) as i32));
            let mut all: Vec<i64> = all.map(i64::from).collect();
            all.extend((0..20).map(|_| {
                let byte = random.next() as u8;
                i64::from(u32::from(byte).rotate_right(2 * random.within(0, 15) as u32) as i32)
            }));
            assert!(all.iter().all(|&x| is_rotated(x as i32)));
            all.sort_unstable();
            all.dedup();
            all
        }
        f::D_W => field(0, 65535, 1, random),
        f::FIELD | f::ONTO_FIELD => (0..32)
            .flat_map(|at| [1, 2, 16, 31 - at, 32 - at].map(|width| (at, width)))
            .filter(|&(at, width)| width > 0 && at + width <= 32)
            .map(|(at, width)| at | width << 8)
            .collect(),
        f::MEM_I | f::MEM_LOAD | f::MEM_STORE => field(-4095, 4095, 1, random),
        f::MEM_H | f::MEM_D => field(-255, 255, 1, random),
        f::VMEM | f::Q_OFFSET | f::Q_OFFSET_HIGH => field(-1020, 1020, 4, random),
        f::V_I => (0..256).collect(),
        // From where the program counter is, 8 bytes on.
        f::BRANCH if row.sym == SymKind::Block => {
            let all = field(8 - (1 << 25), 4 + (1 << 25), 4, random);
            all.into_iter().map(|x| x & 0xffff_ffff).collect()
        }
        f::Q_LEFT => (0..32).collect(),
        f::Q_RIGHT | f::Q_ONTO_RIGHT => (1..33).collect(),
        f::Q_LANE
        | f::Q_LANE_HIGH
        | f::Q_SET
        | f::Q_SET_HIGH
        | f::Q_GET
        | f::Q_GET_HIGH
        | f::Q_LANE_UP
        | f::Q_LANE_UP_HIGH
        | f::Q_STORE_LANE_UP
        | f::Q_STORE_LANE_UP_HIGH => vec![0, 1],
        f::Q_EXT => (0..4).collect(),
        f::Q_BYTE => (0..256).collect(),
        _ => vec![0],
    }
}

/// Two results in one register are undefined, and so is a base that moves and is stored.
fn allowed(row: &OpRow, operands: &[Operand]) -> bool {
    // Two registers follow one another.
    if row.operands.contains("qq") && matches!(row.format, f::Q_LOAD_UP | f::Q_STORE_UP) {
        let at = if row.format == f::Q_LOAD_UP { 1 } else { 2 };
        let of = |k: usize| operands[k].as_phys().map(|reg| reg.0);
        return of(at).zip(of(at + 1)).is_some_and(|(a, b)| b == a + 1);
    }
    let number = |k: usize| operands[k].as_phys().map_or(0, PReg::number);
    match row.format {
        f::MEM_D => return number(1) == number(0) + 1,
        f::LIST_2 => return number(0) < number(1),
        _ => {}
    }
    // Four registers at most.
    if matches!(row.format, f::Q_TURN | f::Q_TURN_HIGH) {
        return operands[0].as_phys().is_some_and(|reg| reg.number() & 15 <= 12);
    }
    !(matches!(row.format, f::MEM_STORE | f::MEM_STORE_BY) && operands[2] == operands[0]
        || row.format == f::EXCLUSIVE_STORE && operands[1..].contains(&operands[0])
        || row.operands.starts_with("ii=") && operands[0] == operands[1])
}

#[test]
fn every_row_at_its_edges_as_the_assemblers_have_it() {
    let target = &super::TARGET;
    let cases = cases(&Edges { target, registers, immediates, allowed, encode, per_row: 140 });
    assert!(cases.len() >= 20_000, "{}", cases.len());
    let head = format!("{}\t.text\n", (target.header)(default_of(target).with(NEON)));
    let objcopy = "arm-linux-gnueabihf-objcopy";
    compare(&cases, &head, &["arm-linux-gnueabihf-as"], objcopy);
    compare(&cases, &head, &[llvm_mc(), "--triple=armv7a-linux-gnueabihf", "--filetype=obj"], objcopy);
}
