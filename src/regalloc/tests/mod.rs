//! Whole allocations: random programs, checked symbolically and run before and after; hostile shapes, with
//! the work counted.

mod hostile;
mod random;
mod shapes;

use super::*;
use crate::base::Handle;
use crate::mir::{Class, Inst, Operand, SymKind, order, parse, print, relax, schedule, toy, verify};
use bumpalo::Bump;
use random::Random;

fn machines() -> [Machine; 4] {
    [toy::machine(), toy::roomy(), toy::hard(), toy::wide()]
}

#[test]
fn random_programs_do_the_same_after_allocation() {
    let machines = machines();
    let (mut ended, mut all, mut most_rounds) = (0, Stats::default(), 0);
    for (seed, fast) in (0..6000).flat_map(|seed| [(seed, false), (seed, true)]) {
        let machine = &machines[seed as usize % machines.len()];
        let given = random::program(&mut Random(seed), machine);
        assert_eq!(verify::verify_selected(&given, machine), Ok(()), "seed {seed}");
        let mut func = given.clone();
        let stats = allocate(&mut func, machine, &mut Analyses::default(), &Options { fast, verify: true });
        let stats = stats.unwrap_or_else(|e| {
            let (before, after) = (print::print(&given, machine), print::print(&func, machine));
            panic!("seed {seed}, fast {fast}: {e}\n{before}\n{after}")
        });
        most_rounds = most_rounds.max(stats.rounds);
        all.spilled += stats.spilled;
        all.regions += stats.regions;
        all.restores += stats.restores;
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
        order::order(&mut func, machine, &Bump::new());
        relax::relax(&mut func, machine, Some(toy::JFAR), &Bump::new()).unwrap();
        if before.returned.is_some() {
            ended += 1;
            assert_eq!(before, toy::run(&func, machine, 100_000, 99), "seed {seed}, laid out");
        }
    }
    // The programs are worth running: most end, and everything that can happen to a value happens to
    // thousands.
    assert!(ended > 6000 && most_rounds > 1, "{ended} {most_rounds}");
    assert!(
        all.regions > 500
            && all.restores > 200
            && all.moves.min(all.reloads).min(all.spills).min(all.remats) > 5000,
        "{all:?}"
    );
}

#[test]
fn random_programs_do_the_same_in_other_orders() {
    let machines = machines();
    let (mut ended, mut before, mut after) = (0, 0, 0);
    let mut memory = schedule::WorkerMemory::default();
    let how = schedule::Options { model: &toy::MODEL, pairs: None, verify: true };
    for seed in 0..4000 {
        let machine = &machines[seed as usize % machines.len()];
        let given = random::program(&mut Random(seed), machine);
        let mut func = given.clone();
        let text = || print::print(&given, machine);
        let changed = schedule::before(&mut func, machine, &how, &mut memory);
        before += changed.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", text()));
        // What the worker has scheduled before changes nothing.
        let mut alone = given.clone();
        schedule::before(&mut alone, machine, &how, &mut schedule::WorkerMemory::default()).unwrap();
        assert_eq!(print::print(&func, machine), print::print(&alone, machine), "seed {seed}");
        assert_eq!(verify::verify_selected(&func, machine), Ok(()), "seed {seed}");
        let options = Options { fast: false, verify: true };
        allocate(&mut func, machine, &mut Analyses::default(), &options).unwrap();
        let changed = schedule::after(&mut func, machine, &how, &mut memory);
        after += changed.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", text()));
        assert_eq!(verify::verify_allocated(&func, machine), Ok(()), "seed {seed}");
        let expected = toy::run(&given, machine, 3000, 60);
        if expected.returned.is_some() {
            ended += 1;
            assert_eq!(expected, toy::run(&func, machine, 100_000, 99), "seed {seed}\n{}", text());
        }
    }
    assert!(ended > 2000 && before.min(after) > 1000, "{ended} {before} {after}");
}

#[test]
fn random_functions_survive_their_text_in_every_state() {
    let machines = machines();
    for seed in 0..400 {
        let machine = &machines[seed as usize % machines.len()];
        let mut func = random::program(&mut Random(seed), machine);
        let survives = |func: &Func| {
            let text = print::print(func, machine);
            let read = parse::parse(&text, machine).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(print::print(&read, machine), text, "seed {seed}");
            read
        };
        // What is read goes on as what was printed would have.
        let mut read = survives(&func);
        let how = Options { fast: seed % 3 == 0, verify: false };
        for func in [&mut func, &mut read] {
            allocate(func, machine, &mut Analyses::default(), &how).unwrap();
        }
        assert_eq!(print::print(&read, machine), print::print(&func, machine), "seed {seed}");
        let mut read = survives(&func);
        for func in [&mut func, &mut read] {
            order::order(func, machine, &Bump::new());
        }
        assert_eq!(print::print(&read, machine), print::print(&func, machine), "seed {seed}");
        survives(&func);
        relax::relax(&mut func, machine, Some(toy::JFAR), &Bump::new()).unwrap();
        survives(&func);
    }
}

#[test]
fn the_checker_finds_every_change_that_matters() {
    let machines = machines();
    let (mut found, mut harmless) = (0, 0);
    for seed in 0..1500 {
        let machine = &machines[seed as usize % machines.len()];
        let random = &mut Random(seed);
        let mut given = random::program(random, machine);
        let mut analyses = Analyses::default();
        let order = analyses.take_order(&given);
        let flow = Flow::new(&mut given, order);
        let mut func = given.clone();
        let (_, origins) = assign(&mut func, machine, (&flow, &mut analyses), true).unwrap();
        assert_eq!(check::check(&given, &func, &flow, &origins, machine), Ok(()), "seed {seed}");
        // One operand in another register of its class, or one slot taken for another.
        let i = Inst::new(random.below(func.insts.len()));
        let row = func.insts[i];
        let spills = given.slots.len()..func.slots.len();
        if machine.row(row.op).sym == SymKind::Slot
            && spills.contains(&(row.sym as usize))
            && spills.len() > 1
        {
            func.insts[i].sym = (spills.start + random.below(spills.len())) as u32;
        } else if row.defs + row.uses > 0 {
            let k = row.first as usize + random.below(usize::from(row.defs + row.uses));
            let Some(reg) = func.operands[k].as_phys().filter(|reg| reg.0 != 0) else {
                continue;
            };
            let order = machine.class(machine.registers.class(reg)).order;
            func.operands[k] = Operand::phys(order[random.below(order.len())]);
        }
        if check::check(&given, &func, &flow, &origins, machine).is_err() {
            found += 1;
            continue;
        }
        harmless += 1;
        let before = toy::run(&given, machine, 3000, 60);
        if before.returned.is_some() {
            assert_eq!(before, toy::run(&func, machine, 100_000, 99), "seed {seed}");
        }
    }
    assert!(found > 300 && harmless > 300, "{found} found, {harmless} harmless");
}
