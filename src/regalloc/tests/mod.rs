//! Whole allocations: random programs, checked symbolically and run before and after; hostile shapes, with the
//! work counted.

mod random;

use super::*;
use crate::mir::{order, relax, toy, verify};
use random::Random;

fn machines() -> [Machine; 3] {
    [toy::machine(), toy::roomy(), toy::hard()]
}

#[test]
fn random_programs_do_the_same_after_allocation() {
    let machines = machines();
    let (mut ended, mut all, mut most_rounds) = (0, Stats::default(), 0);
    for seed in 0..6000 {
        let machine = &machines[seed as usize % 3];
        let given = random::program(&mut Random(seed), machine);
        assert_eq!(verify::verify_selected(&given, machine), Ok(()), "seed {seed}");
        let mut func = given.clone();
        let stats = allocate(&mut func, machine, &Options { fast: false, verify: true });
        let stats =
            stats.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", random::listing(&given, machine)));
        most_rounds = most_rounds.max(stats.rounds);
        all.spilled += stats.spilled;
        all.moves += stats.moves;
        all.reloads += stats.reloads;
        all.spills += stats.spills;
        all.remats += stats.remats;
        assert_eq!(verify::verify_allocated(&func, machine), Ok(()), "seed {seed}");
        let before = toy::run(&given, machine, 3000, 60);
        let after = toy::run(&func, machine, 100_000, before.calls.len());
        if before.returned.is_some() || before.calls.len() == 60 {
            let after = if before.returned.is_some() { toy::run(&func, machine, 100_000, 99) } else { after };
            assert_eq!(before, after, "seed {seed}");
        }
        order::order(&mut func, machine);
        relax::relax(&mut func, machine, Some(toy::JFAR)).unwrap();
        if before.returned.is_some() {
            ended += 1;
            assert_eq!(before, toy::run(&func, machine, 100_000, 99), "seed {seed}, laid out");
        }
    }
    println!("{ended} ended, most rounds {most_rounds}, {all:?}");
}
