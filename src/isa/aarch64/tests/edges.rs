//! Every row at its edges against GNU as and LLVM's assembler.

use crate::isa::aarch64::encode::encode;
use crate::isa::aarch64::immediate::logical;
use crate::isa::aarch64::rows::format as f;
use crate::isa::edges::{Edges, Random, cases, compare, field, llvm_mc};
use crate::isa::features::default_of;
use crate::mir::{OpRow, Operand, PReg, SymKind};

/// Where number 31 is the stack pointer in an encoding, rows must print it as that (variant `p`) or not have
/// it.
fn registers(row: &OpRow, k: usize) -> Vec<PReg> {
    let class = row.operands.bytes().filter(|&c| c != b'=').nth(k);
    if class == Some(b'f') {
        return (0..32).map(PReg::float).collect();
    }
    let as_pointer = match row.format {
        f::RR_IMM12 | f::RR_MASK | f::R_MASK | f::LO12 | f::CMP_IMM12 | f::CMP_EXTEND => k == 0,
        f::LOAD_LO12 => k == 1,
        _ => false,
    } || k == 1 && matches!(row.format, f::RR_IMM12 | f::LO12);
    let printed = row.text.contains(&format!("%p{k}"));
    (0..32).filter(|&n| n < 31 || printed || !as_pointer).map(PReg::int).collect()
}

fn immediates(row: &OpRow, random: &mut Random) -> Vec<i64> {
    let bits = 32i64 << (row.encoding >> 31);
    let is_vector = row.text.contains("%q");
    let bytes = if is_vector { 16 } else { 1i64 << (row.encoding >> 30) };
    match row.format {
        f::RR_MASK | f::R_MASK | f::CMP_MASK => masks(bits as u32, row.sym == SymKind::Wide, random),
        f::RRR_SHIFT | f::CMP_SHIFT | f::RR_LSL | f::RR_LSR => (0..bits).collect(),
        f::RR_EXTRACT | f::RR_PLACE | f::ONTO_EXTRACT | f::ONTO_PLACE => (0..bits)
            .flat_map(|at| [1, 2, bits / 2, bits - at - 1, bits - at].map(|width| (at, width)))
            .filter(|&(at, width)| width > 0 && at + width <= bits)
            .map(|(at, width)| at | width << 8)
            .collect(),
        f::CCMP_RR => (0..16).collect(),
        f::CCMP_R => (0..16).flat_map(|flags| [0, 1, 16, 31].map(|x| flags | x << 8)).collect(),
        f::RRR_EXTEND | f::CMP_EXTEND => (0..5).collect(),
        f::RR_IMM12 | f::CMP_IMM12 => field(0, 4095, 1, random),
        f::R_IMM16 => field(0, 65535, 1, random),
        f::R_FLOAT8 => (0..256).map(float8).collect(),
        f::LOAD_SCALED => field(0, 4095 * bytes, bytes, random),
        f::LOAD_UNSCALED | f::LOAD_MOVING | f::STORE_MOVING => field(-256, 255, 1, random),
        f::LOAD_INDEXED => vec![0, bytes.trailing_zeros().into()],
        f::PAIR | f::LOAD_PAIR_MOVING | f::STORE_PAIR_MOVING => {
            let bytes = if is_vector { 16 } else { [4, 8][usize::from(row.encoding >> 30 != 0)] };
            field(-64 * bytes, 63 * bytes, bytes, random)
        }
        f::B26 => distances(28, random),
        f::B19 | f::R_B19 => distances(21, random),
        f::R_BIT_B14 => {
            let all = distances(16, random);
            let bits = (0..64).map(|bit| bit << 32 | random.pick(&all)).collect::<Vec<_>>();
            all.into_iter().map(|distance| distance | random.within(0, 63) << 32).chain(bits).collect()
        }
        f::LANES_LEFT => (0..32).collect(),
        f::LANES_RIGHT | f::ONTO_RIGHT => (1..33).collect(),
        f::BY_LANE
        | f::ONTO_BY_LANE
        | f::LANE
        | f::ONTO_LANE
        | f::MEMORY_LANE
        | f::ONTO_MEMORY
        | f::UP_LANE
        | f::STORE_UP_LANE => (0..4).collect(),
        f::BYTES => (0..16).collect(),
        f::R_BYTE => (0..256).collect(),
        f::R_BYTE_FLOAT => (0..256).map(float8).collect(),
        _ => vec![0],
    }
}

/// Distances of a branch that reaches so many bits.
fn distances(bits: u32, random: &mut Random) -> Vec<i64> {
    let limit = 1 << (bits - 1);
    field(-limit, limit - 4, 4, random).into_iter().map(|x| x & 0xffff_ffff).collect()
}

/// Ten million times the float of 8 bits.
fn float8(bits: i64) -> i64 {
    let sixteenths = 10_000_000 * (16 + (bits & 15));
    let exponent = (bits >> 4 & 7) - 3;
    let x = if exponent < 0 { sixteenths >> -exponent } else { sixteenths << exponent } / 16;
    if bits & 128 != 0 { -x } else { x }
}

/// Bit masks of every element size, with few and many ones and rotations to both ends, and some others; of 64
/// bits, those that an i32 is sign-extended to, or the others.
fn masks(bits: u32, wide: bool, random: &mut Random) -> Vec<i64> {
    let mut all = Vec::new();
    for size in [2u32, 4, 8, 16, 32, 64].into_iter().filter(|&size| size <= bits) {
        let mut push = |ones: u32, rotation: u32| {
            let element = u64::MAX >> (64 - ones);
            let mask = u64::MAX >> (64 - size);
            let low = element.wrapping_shl(size - rotation) * u64::from(rotation != 0);
            let element = (element >> rotation | low) & mask;
            let x = (0..64 / size).fold(0, |x, k| x | element << (k * size));
            let x = if bits == 32 { i64::from(x as i32) } else { x as i64 };
            let is_wide = i32::try_from(x).is_err();
            assert!(logical(x as u64, bits).is_some(), "{x:#x}");
            if bits == 32 || is_wide == wide {
                all.push(x);
            }
        };
        for ones in [1, 2, size / 2, size - 2, size - 1] {
            for rotation in [0, 1, size / 2, size - 1] {
                if (1..size).contains(&ones) {
                    push(ones, rotation);
                }
            }
        }
        for _ in 0..8 {
            let ones = random.within(1, i64::from(size) - 1) as u32;
            push(ones, random.within(0, i64::from(size) - 1) as u32);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Loads of a pair into one register twice, and accesses that move a base that they also carry, are
/// undefined.
fn allowed(row: &OpRow, operands: &[Operand]) -> bool {
    let values = match row.format {
        f::LOAD_MOVING => &operands[1..2],
        f::STORE_MOVING => &operands[2..3],
        f::LOAD_PAIR_MOVING => &operands[1..3],
        f::STORE_PAIR_MOVING => &operands[2..4],
        _ => &[],
    };
    if !values.is_empty() {
        let is_apart = |&value: &Operand| value != operands[0] || value == Operand::phys(PReg::int(31));
        let is_twice = row.format == f::LOAD_PAIR_MOVING && values[0] == values[1];
        return values.iter().all(is_apart) && !is_twice;
    }
    if row.format == f::EXCLUSIVE {
        // What says whether it failed is no source.
        let is_source = |k: usize| operands[k] == operands[0];
        return !is_source(1) && !is_source(2);
    }
    let pair = row.format == f::PAIR && row.operands.starts_with(['i', 'f']);
    let moves_base = row.text.ends_with('!') || row.text.contains("],");
    let base = operands.last();
    let is_sp = base.and_then(|base| base.as_phys()) == Some(PReg::int(31));
    !(pair && operands[0] == operands[1]
        || moves_base && !is_sp && operands[..operands.len() - 1].iter().any(|operand| Some(operand) == base))
}

#[test]
fn every_row_at_its_edges_as_the_assemblers_have_it() {
    let target = &crate::isa::aarch64::TARGET;
    let cases = cases(&Edges { target, registers, immediates, allowed, encode, per_row: 100 });
    assert!(cases.len() >= 20_000, "{}", cases.len());
    let head = (target.header)(default_of(target));
    let objcopy = "aarch64-linux-gnu-objcopy";
    compare(&cases, &head, &["aarch64-linux-gnu-as"], objcopy);
    compare(&cases, &head, &[llvm_mc(), "--triple=aarch64", "--filetype=obj"], objcopy);
}
