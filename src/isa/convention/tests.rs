//! Places of arguments.

use super::*;
use crate::ir::Group;
use crate::isa::find;
use Type::{F32, F64, I32, I64, Ptr};

fn places(target: &str, types: &[(Type, bool)]) -> Vec<Place> {
    let (c, mut places) = (find(target).unwrap().rules.convention, Places::default());
    types.iter().map(|&(ty, as_int)| places.next(c, ty, as_int)).collect()
}

fn named(target: &str, types: &[Type]) -> Vec<Place> {
    places(target, &types.iter().map(|&ty| (ty, false)).collect::<Vec<_>>())
}

const fn int(n: u8) -> Place {
    Place::Reg(PReg::int(n))
}

const fn float(n: u8) -> Place {
    Place::Reg(PReg::float(n))
}

#[test]
fn floats_of_riscv_overflow_to_integer_registers_and_then_to_the_stack() {
    let types = [[F32; 9].as_slice(), &[I32; 8], &[F32]].concat();
    let found = named("riscv64", &types);
    assert_eq!(found[7..10], [float(17), Place::Bits(PReg::int(10)), int(11)]);
    assert_eq!(found[15..], [int(17), Place::Stack(0), Place::Stack(8)]);
    // Variadic arguments travel as integers.
    let found = places("riscv64", &[(Ptr, false), (F64, true)]);
    assert_eq!(found, [int(10), Place::Bits(PReg::int(11))]);
}

#[test]
fn classes_of_aarch64_are_counted_apart_and_overflow_in_order() {
    let found = named("aarch64", &[[I32, F32].repeat(8), vec![F64, Ptr, F32]].concat());
    for k in 0..8 {
        assert_eq!(found[2 * k..2 * k + 2], [int(k as u8), float(k as u8)]);
    }
    assert_eq!(found[16..], [Place::Stack(0), Place::Stack(8), Place::Stack(16)]);
}

#[test]
fn words_and_floats_of_armv7_have_registers_of_their_own_and_share_the_stack() {
    let mut types = vec![I32, F32, Ptr, I32, I32, I32, F32, Ptr];
    let first = [int(0), float(0), int(1), int(2), int(3), Place::Stack(0), float(1), Place::Stack(4)];
    assert_eq!(named("armv7", &types), first);
    types.extend([F32; 15]);
    assert_eq!(named("armv7", &types)[21..], [float(15), Place::Stack(8)]);
    // A single fills the gap in front of a double; once one went to the stack, so do all that follow.
    assert_eq!(named("armv7", &[F32, F64, F32]), [float(0), float(2), float(1)]);
    let types = [[F64; 7].as_slice(), &[F32, F64, F32]].concat();
    assert_eq!(named("armv7", &types)[7..], [float(14), Place::Stack(0), Place::Stack(8)]);
}

#[test]
fn doubles_of_a_variadic_call_of_armv7_take_even_pairs_and_aligned_stack() {
    let all = |types: &[Type]| places("armv7", &types.iter().map(|&ty| (ty, true)).collect::<Vec<_>>());
    let pair = Place::Pair([PReg::int(2), PReg::int(3)]);
    assert_eq!(all(&[Ptr, F64])[1], pair);
    let rest = [pair, Place::Stack(0), Place::Stack(8), Place::Stack(16)];
    assert_eq!(all(&[Ptr, I32, F64, I32, F64, F64])[2..], rest);
    // r3 stays unused once a double did not fit.
    assert_eq!(all(&[Ptr, I32, I32, F64, I32])[3..], [Place::Stack(0), Place::Stack(8)]);
}

/// Places of arguments, of which those from so many on, so many, aligned so, are one.
fn together(target: &str, types: &[Type], first: u32, count: u32, align: u32) -> Vec<Place> {
    let (c, mut places) = (find(target).unwrap().rules.convention, Places::default());
    let parts = Parts { groups: vec![Group { first, count, align, is_vector: false }], ..Parts::default() };
    let mut found = Vec::new();
    for (k, &ty) in types.iter().enumerate() {
        places.begin(c, &parts, k, ty, false);
        found.push(places.next(c, ty, false));
    }
    found
}

#[test]
fn what_is_one_argument_is_in_registers_or_on_the_stack_as_each_machine_has_it() {
    let seven = [[I32; 7].as_slice(), &[I64, I64, I32]].concat();
    // RISC-V divides it; AArch64 leaves the register unused.
    assert_eq!(together("riscv64", &seven, 7, 2, 8)[7..], [int(17), Place::Stack(0), Place::Stack(8)]);
    let on_stack = [Place::Stack(0), Place::Stack(8), Place::Stack(16)];
    assert_eq!(together("aarch64", &seven, 7, 2, 8)[7..], on_stack);
    // i128 takes an even pair there, and aligned memory.
    assert_eq!(together("aarch64", &[I32, I64, I64], 1, 2, 16)[1..], [int(2), int(3)]);
    assert_eq!(together("riscv64", &[I32, I64, I64], 1, 2, 16)[1..], [int(11), int(12)]);
    let nine = [[I32; 9].as_slice(), &[I64, I64]].concat();
    for target in ["aarch64", "riscv64"] {
        assert_eq!(
            together(target, &nine, 9, 2, 16)[8..],
            [Place::Stack(0), Place::Stack(16), Place::Stack(24)]
        );
    }
    // ARMv7 divides words if nothing is on the stack yet.
    let words = [I32, I32, I32, I32, I32, I32];
    assert_eq!(together("armv7", &words, 2, 3, 4)[2..], [int(2), int(3), Place::Stack(0), Place::Stack(4)]);
    assert_eq!(together("armv7", &words, 1, 4, 8)[1..4], [int(2), int(3), Place::Stack(0)]);
}

#[test]
fn floats_of_one_argument_have_registers_side_by_side_or_none() {
    let six = [[F32; 6].as_slice(), &[F32, F32, F32, F32]].concat();
    let packed = [Place::Stack(0), Place::Stack(4), Place::Stack(8), Place::Stack(16)];
    assert_eq!(together("aarch64", &six, 6, 3, 4)[6..], packed);
    assert_eq!(together("riscv64", &six, 6, 3, 4)[6..8], [float(16), float(17)]);
    // Three singles do not fill the gap in front of a double; one behind them does.
    let types = [F32, F64, F32, F32, F32, F32];
    let found = together("armv7", &types, 2, 3, 4);
    assert_eq!(found, [float(0), float(2), float(4), float(5), float(6), float(1)]);
    let types = [[F64; 7].as_slice(), &[F64, F64, F32]].concat();
    assert_eq!(together("armv7", &types, 7, 2, 8)[7..], [Place::Stack(0), Place::Stack(8), Place::Stack(16)]);
}

#[test]
fn words_of_a_vector_register_are_in_the_next_one_of_floats() {
    let c = find("aarch64").unwrap().rules.convention;
    let vector = |first: u32| Group { first, count: 2, align: 16, is_vector: true };
    let parts = Parts { groups: vec![vector(1), vector(4), vector(13)], ..Parts::default() };
    let types = [[F64, I64, I64, I32, I64, I64].as_slice(), &[F64; 5], &[F32, I32, I64, I64, F64]].concat();
    let mut places = Places::default();
    let mut found = Vec::new();
    for (k, &ty) in types.iter().enumerate() {
        places.begin(c, &parts, k, ty, false);
        found.push(places.next(c, ty, false));
    }
    let word = |n: u8, is_high: bool| Place::Word(PReg::float(n), is_high);
    assert_eq!(found[..6], [float(0), word(1, false), word(1, true), int(0), word(2, false), word(2, true)]);
    // One double is left over, and a single behind it; then the stack, where a vector is aligned.
    assert_eq!(
        found[10..],
        [float(7), Place::Stack(0), int(1), Place::Stack(16), Place::Stack(24), Place::Stack(32)]
    );
}
