//! Random programs of SysY in one process: what the checking machine of the interpreter makes of a program before
//! the optimiser, the fast one must make of it, too, and of what each level makes of it for what is known of each
//! target and with addresses as wide as there. So an error of the fast machine's decoder cannot be on both sides,
//! and its code is proven besides. No file, no process: thousands a minute.
//!
//!     cargo test --test generated passes::                                              # 600 programs
//!     SYSYC_PASSES=100000 SYSYC_SEED=1000 cargo test --release --test generated passes::
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SYSYC_PASSES` | how many programs | 600 |
//! | `SYSYC_SEED` | number of the first; a program depends on its number alone | 1 |
//! | `SYSYC_FUZZ_FAMILY` | only this family of `generate::FAMILIES` | four in turn |
//! | `SYSYC_VERIFY` | 0: without the verifier behind each pass, which takes most of the time, and that of the decoder | 1 |
//!
//! What is claimed of the ranges of arguments and results (`analysis/call_ranges`) is tested in the programs as they
//! run, in front of the optimiser and where it asks.
//!
//! A program that fails is made smaller (`support/reduce`) and printed, with the first application of a pass
//! without which it does not fail.

use crate::{generate, support};
use std::collections::HashMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use support::front;
use support::machines;
use support::reduce::reduce;
use sysyc::analysis::call_ranges;
use sysyc::analysis::range::Range;
use sysyc::base::parallel::Workers;
use sysyc::ir::parse::parse;
use sysyc::ir::{FuncId, Module, interp, print};
use sysyc::lower::Checks;
use sysyc::opt::Level;
use sysyc::opt::run::manager::{Options, run_on_module};
use sysyc::opt::run::pipeline;

/// What a program prints, on either stream, and its result.
type Outcome = (Vec<u8>, i32);

/// Jumps and calls, and instructions of the interpreter that checks.
const STEPS: u64 = 1 << 24;

fn run(module: &Module, options: interp::Options) -> Option<Outcome> {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let done = interp::run(module, "main", &mut &b""[..], &mut output, &mut errors, options);
    if let Some(bug) = done.as_ref().err().filter(|trap| trap.is_bug) {
        return Some((bug.message.clone().into_bytes(), -1));
    }
    let code = done.ok()?;
    output.extend(errors);
    Some((output, code))
}

/// What a program is checked for: of four programs one for what none of them does, one for all there is, which mostly
/// ends it soon.
fn checks(number: u64) -> Checks {
    let never = Checks::BOUNDS.with(Checks::DIVISION).with(Checks::CONVERSION);
    match number % 4 {
        0 => never,
        1 => never.with(Checks::OVERFLOW),
        _ => Checks::NONE,
    }
}

/// False if nothing but what programs do is asked for.
fn verifies() -> bool {
    !std::env::var("SYSYC_VERIFY").is_ok_and(|text| text == "0")
}

/// How it runs on the fast machine, with addresses of 64 bits.
fn plain() -> interp::Options {
    interp::Options { steps: STEPS, verify: verifies(), ..interp::Options::default() }
}

/// What it does, says the checking machine.
fn wanted(module: &Module) -> Option<Outcome> {
    run(module, interp::Options { check: true, steps: 8 * STEPS, ..interp::Options::default() })
}

/// Levels, and machines (`support::machines`) whose facts the passes get; O0 is the program as it is. O2 and O3 take
/// turns.
fn ways(number: u64) -> impl Iterator<Item = (Level, usize)> {
    let last = move |machine| match (number / 2 + machine as u64).is_multiple_of(2) {
        true => Level::O2,
        false => Level::O3,
    };
    let levels = move |machine| [Level::O1, last(machine)].map(|level| (level, machine));
    std::iter::once((Level::O0, 0)).chain(machines::of_program(number).into_iter().flat_map(levels))
}

/// How the optimiser changes what a program does, if it does: a message, and what the passes report.
fn differs(
    module: &Module,
    want: &Outcome,
    (level, machine): (Level, usize),
    bisect: Option<u32>,
) -> Option<(String, String)> {
    let mut optimised = module.clone();
    let narrow = machines::machine(machine).0.rules.machine.pointer_bytes == 4;
    let options = Options { verify: verifies(), bisect, ..machines::options(machine) };
    let workers = Workers::new(1);
    let plan = pipeline::plan(level);
    let work = AssertUnwindSafe(|| run_on_module(&mut optimised, plan, &options, &workers));
    match catch_unwind(work) {
        Err(_) => Some(("a pass panics".to_string(), String::new())),
        Ok(Err(error)) => Some((format!("{error:?}"), String::new())),
        Ok(Ok(report)) => match run(&optimised, interp::Options { narrow, ..plain() }) {
            Some(have) if have == *want => None,
            have => Some((format!("{:?}, not {:?}", text(have), text(Some(want.clone()))), report.dump)),
        },
    }
}

fn text(outcome: Option<Outcome>) -> Option<(String, i32)> {
    outcome.map(|(output, code)| (String::from_utf8_lossy(&output).into_owned(), code))
}

/// The family and size of a program.
fn shape(number: u64) -> (String, usize) {
    let mut random = generate::Random::new(number ^ 0x9a55);
    let family = ["loops", "loops", "mixed", "loose", "wraps"][random.below(5)].to_string();
    (std::env::var("SYSYC_FUZZ_FAMILY").unwrap_or(family), 90 + random.below(3) * 60)
}

/// Says what is wrong with a program, with the smallest one that shows it.
fn tell(number: u64, program: &str, way: (Level, usize), message: &str) -> String {
    let fails = |text: &str| {
        let Some(module) = front::checked(text, checks(number)) else { return false };
        let Some(want) = wanted(&module) else { return false };
        differs(&module, &want, way, None).is_some()
    };
    let small = if fails(program) { reduce(program, &fails) } else { program.to_string() };
    let mut said = format!("program {number}, {way:?}: {message}\n{small}");
    if let Some(module) = front::checked(&small, checks(number))
        && let Some(want) = wanted(&module)
        && let Some(count) = (0..4000).find(|&count| differs(&module, &want, way, Some(count)).is_some())
        && let Some((message, dump)) = differs(&module, &want, way, Some(count))
    {
        let last = dump.lines().filter(|line| line.starts_with(';')).collect::<Vec<_>>();
        said += &format!("wrong with --bisect={count}: {message}\n{}\n", last.join("\n"));
    }
    said
}

#[test]
fn the_optimiser_does_not_change_what_programs_do() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, count) = (number("SYSYC_SEED").unwrap_or(1), number("SYSYC_PASSES").unwrap_or(600));
    let (next, ended) = (AtomicU64::new(first), AtomicU64::new(0));
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let mut failures = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= first + count || failures.len() > 3 {
                    return failures;
                }
                let (family, size) = shape(number);
                let program = generate::program(&family, number, size);
                let Some(module) = front::checked(&program, checks(number)) else {
                    failures.push(format!("{number}: {family} is no program\n{program}"));
                    continue;
                };
                let Some(want) = wanted(&module) else { continue };
                ended.fetch_add(1, Ordering::Relaxed);
                let wrong = ways(number).find_map(|way| Some((way, differs(&module, &want, way, None)?.0)));
                if let Some((way, message)) = wrong {
                    failures.push(tell(number, &program, way, &message));
                }
            }
        };
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("it does not panic")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let ended = ended.into_inner();
    assert!(ended * 100 >= count * 97, "{ended} of {count} ended");
}

/// The text of a program that counts, in a global, how often an argument or a result is outside of what is
/// claimed of it, and prints that at its end; and how much is claimed.
fn that_counts(module: &Module) -> (String, usize) {
    let ranges = call_ranges::of(module);
    let functions: HashMap<&str, FuncId> =
        module.defined().map(|f| (module.env.names.text(module.env.funcs[f.func].name), f.func)).collect();
    let mut text = String::from("@outside = internal global i32 0\n");
    let (mut checks, mut count) = (0, 0);
    let mut check = |text: &mut String, value: &str, range: Range| {
        if range == Range::ALL {
            return;
        }
        let Range { low, high } = range;
        checks += 1;
        let _ = writeln!(
            text,
            "  %low{count} = icmp slt i32 {value}, {low}\n  %high{count} = icmp sgt i32 {value}, {high}\n  \
             %either{count} = or i1 %low{count}, %high{count}\n  %bad{count} = zext i1 %either{count} to i32\n  \
             %old{count} = load i32, ptr @outside\n  %new{count} = add i32 %old{count}, %bad{count}\n  \
             store i32 %new{count}, ptr @outside"
        );
        count += 1;
    };
    let (mut at, mut waits, mut ends) = (None, Vec::new(), 0);
    for line in print::module(module).lines() {
        if let Some(rest) = line.strip_prefix("define ") {
            let name = rest.split_once('@').and_then(|(_, rest)| rest.split_once('('));
            let Some((name, rest)) = name else { continue };
            let params = rest.split_once(')').map_or("", |(params, _)| params);
            let params: Vec<&str> = params.split(", ").filter(|param| !param.is_empty()).collect();
            at = Some((functions[name], params.len(), name == "main"));
            waits =
                (0..).zip(params).filter_map(|(k, param)| Some((k, param.strip_prefix("i32 ")?))).collect();
        }
        if let (Some((func, count, is_main)), Some(value)) = (at, line.trim().strip_prefix("ret i32 ")) {
            check(&mut text, value, ranges.result(func, count));
            if is_main {
                ends += 1;
                let _ = writeln!(
                    text,
                    "  %all{ends} = load i32, ptr @outside\n  call void @putint(i32 %all{ends})"
                );
            }
        }
        text += line;
        text += "\n";
        if line.ends_with(':')
            && let Some((func, ..)) = at
        {
            for (k, value) in waits.drain(..) {
                check(&mut text, value, ranges.argument(func, k));
            }
        }
    }
    if !text.contains("declare void @putint") {
        text += "declare void @putint(i32) memory(inaccessiblemem: readwrite)\n";
    }
    (text, checks)
}

#[test]
fn arguments_and_results_are_what_is_claimed_of_them() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, count) = (number("SYSYC_SEED").unwrap_or(1), number("SYSYC_PASSES").unwrap_or(600) / 3);
    let (mut ended, mut checks) = (0, 0);
    for number in first..first + count {
        let (family, size) = shape(number);
        let program = generate::program(&family, number, size);
        let Some(module) = front::module(&program) else { continue };
        let Some((mut want, code)) = run(&module, plain()) else { continue };
        ended += 1;
        let mut behind = module.clone();
        let stop_after = Some("drop_uncalled".to_string());
        let options = Options { stop_after, ..Options::default() };
        run_on_module(&mut behind, pipeline::plan(Level::O2), &options, &Workers::new(1)).expect("no error");
        want.push(b'0');
        for module in [module, behind] {
            let (text, some) = that_counts(&module);
            checks += some;
            let counts = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let have = run(&counts, interp::Options { steps: 8 * STEPS, ..plain() });
            assert!(have.as_ref() == Some(&(want.clone(), code)), "program {number}:\n{text}");
        }
    }
    eprintln!("{ended} programs, {checks} claims");
    assert!(ended == 0 || checks > 0);
}
