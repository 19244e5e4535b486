//! As many random programs as there is time for, of all kinds that users combine, on all cores. What is wrong is made
//! smaller by itself and printed at once.
//!
//!     cargo test --test generated volume::                                             # 240 programs
//!     SYSYC_VOLUME=3600 cargo test --release --test generated volume:: -- --nocapture  # an hour
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `SYSYC_VOLUME` | seconds; without it `SYSYC_PROGRAMS` says when to end | |
//! | `SYSYC_PROGRAMS` | how many programs | 240 |
//! | `SYSYC_SEED` | number of the first; a program and what is done with it depend on its number alone | 1 |
//! | `SYSYC_FAMILY` | programs of this family alone (`generate::FAMILIES`) | as users write them |
//! | `SYSYC_EMULATED` | one in so many is made by the command and runs under qemu | 24 |
//!
//! A program is run as it was lowered by the interpreter that checks; if that finds nothing undefined, it must do the same
//! on the fast interpreter, as lowered and behind the optimiser: at two levels of -O1 to -O3, -Os and -Oz, for what passes know of two
//! machines, with vectors and without, and with addresses as wide as there, without passes drawn at random in half of the
//! cases, verified in one of eight, and with a profile in one of three: the program's own, or one that is wrong. One of four is
//! compiled with checks (`-fsanitize`).
//!
//! One of `SYSYC_EMULATED` goes through the command: a target, a level, and words as build systems pass them (`-g`, `-fpack`,
//! `-fwindow`, `-j2`, `-fdisable-pass`, `-fverify`), linked at once, from an object or from assembly by the cross gcc; as one
//! source or as two that declare each other's names; with a profile that it made before (`-fprofile-generate`, `-fprofile-use`); or as
//! clang's LLVM text at its default flags. Its program under qemu
//! must print what the checking interpreter did.
//!
//! About 140 programs a second on two busy cores (a release build): the slot of a phi that the fast interpreter overwrote,
//! in 1 of 77,833 programs.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use crate::{generate, support};
use generate::Random;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::machines::{self, MACHINES};
use support::process::{self, Ending};
use support::reduce::reduce;
use support::toolchain::on_path;
use support::{front, say};
use sysyc::base::parallel::Workers;
use sysyc::ir::{Block, Body, Calls, Module, counters, interp};
use sysyc::isa::TARGETS;
use sysyc::lower::Checks;
use sysyc::opt::Level;
use sysyc::opt::run::manager::{Options, run_on_module};
use sysyc::opt::run::pipeline;

/// What a program prints, and its result.
type Outcome = (Vec<u8>, i32);

/// The exit code of a program that a check stops (SIGABRT).
const STOPPED: i32 = 128 + 6;
/// Of a step of a build, and of a program.
const LIMIT: Duration = Duration::from_secs(60);
/// Jumps and calls.
const STEPS: u64 = 1 << 22;
/// What every program reads.
const INPUT: &str =
    "12 -7 x 0x1.8p1 3 1 2 3 2.5 4 9 8 7 6 11 y 2 0.5 -1e2 5 1 2 3 4 5 40 39 38 z 17 3 1.5 2.5 3.5 0 1";

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn run(module: &Module, options: interp::Options) -> Option<Outcome> {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let code = interp::run(module, "main", &mut INPUT.as_bytes(), &mut output, &mut errors, options).ok()?;
    Some((output, code & 0xff))
}

/// What the machine that checks makes of a program as it was lowered; none if that is undefined, or takes too long.
fn meaning(module: &Module) -> Option<Outcome> {
    run(module, interp::Options { check: true, steps: STEPS, ..interp::Options::default() })
}

fn text((output, code): &Outcome) -> String {
    format!("{:?} and {code}", String::from_utf8_lossy(output))
}

/// How a program is compiled in process.
#[derive(Clone, Debug)]
struct Way {
    level: Level,
    /// Of `support::machines`.
    machine: usize,
    disable: Vec<String>,
    verify: bool,
    profile: Profile,
}

/// What is known of how often blocks are executed.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Profile {
    None,
    /// What the program itself executes.
    Own,
    /// What another one may have executed: the counts are random.
    Other(u64),
}

impl Profile {
    /// Tells branches and functions what it says.
    fn tell(self, module: &mut Module) {
        let options = interp::Options { steps: STEPS, ..interp::Options::default() };
        let counted = match self {
            Profile::None => return,
            _ => {
                interp::profile(
                    module,
                    "main",
                    &mut INPUT.as_bytes(),
                    &mut Vec::new(),
                    &mut Vec::new(),
                    options,
                )
                .1
            }
        };
        let mut calls = Vec::new();
        for (f, (func, counts)) in module.defined_mut().zip(counted.counts) {
            let mut counts = counters::counts(f, &counters::frequencies(f, &counts));
            if let Profile::Other(seed) = self {
                let mut random = Random::new(seed);
                counts.iter_mut().for_each(|count| *count = 1 << random.below(20));
            }
            assert!(counters::weigh(f, &counts));
            calls.push((func, counts[0]));
        }
        for (func, count) in calls {
            let hints = &mut module.env.funcs[func].hints;
            (hints.calls, hints.cold) = (Some(Calls { count, hot: false }), count == 0);
        }
        module.env.find_hot_of_all();
    }
}

impl Way {
    fn choose(random: &mut Random) -> Way {
        let passes: Vec<&str> = pipeline::passes().map(|(name, _)| name).collect();
        let without = if random.chance(50) { 1 + random.below(3) } else { 0 };
        // Without what makes variables of memory, the others have nothing to do.
        let disable = (0..without).map(|_| random.pick(&passes).to_string());
        let disable = disable.filter(|name| name != "mem2reg").collect();
        let level = *random.pick(&[Level::O1, Level::O2, Level::O2, Level::O3, Level::Os, Level::Oz]);
        let (machine, verify) = (random.below(MACHINES.len()), random.chance(12));
        let profile = match random.below(6) {
            0 => Profile::Own,
            1 => Profile::Other(random.below(1 << 20) as u64),
            _ => Profile::None,
        };
        Way { level, machine, disable, verify, profile }
    }

    /// What is wrong with it, if something is. Counts the loops that are in vectors.
    fn wrong(&self, module: &Module, want: &Outcome, vectors: &AtomicU64) -> Option<String> {
        let mut optimised = module.clone();
        self.profile.tell(&mut optimised);
        let narrow = machines::machine(self.machine).0.rules.machine.pointer_bytes == 4;
        let disable = self.disable.clone();
        let options = Options {
            verify: self.verify,
            disable,
            size: self.level.size(),
            ..machines::options(self.machine)
        };
        let workers = Workers::new(1);
        let work = || run_on_module(&mut optimised, pipeline::plan(self.level), &options, &workers);
        match catch_unwind(AssertUnwindSafe(work)) {
            Err(_) => return Some("a pass panics".to_string()),
            Ok(Err(error)) => return Some(format!("{error}")),
            Ok(Ok(_)) => {}
        }
        vectors.fetch_add(loops_in_vectors(&optimised), Ordering::Relaxed);
        // What passes have made of it may take more jumps, but not many more.
        fast(&optimised, narrow, want, 4 * STEPS)
    }
}

/// Blocks of vectors that go back to themselves.
fn loops_in_vectors(module: &Module) -> u64 {
    let of_body = |f: &Body| {
        let is_loop =
            |&b: &Block| f.succs(b).any(|e| f.edge_to(e) == b) && f.insts(b).any(|i| f.ty(i).is_vector());
        if f.has_vectors() { f.blocks().filter(is_loop).count() } else { 0 }
    };
    module.defined().map(|f| of_body(f) as u64).sum()
}

/// What the fast machine does otherwise, if it does.
fn fast(module: &Module, narrow: bool, want: &Outcome, steps: u64) -> Option<String> {
    match run(module, interp::Options { narrow, steps, ..interp::Options::default() }) {
        Some(have) if have == *want => None,
        Some(have) => Some(format!("{}, not {}", text(&have), text(want))),
        None => Some(format!("it does not end, or stops, and should be {}", text(want))),
    }
}

/// The family of a program, its size in lines, and what it is checked for.
fn shape(number: u64) -> (&'static str, usize, Checks) {
    static WANTED: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("SYSYC_FAMILY").ok());
    let mut random = Random::new(number ^ 0x701e);
    let drawn = random.below(21);
    let family = match drawn {
        _ if WANTED.is_some() => WANTED.as_deref().unwrap_or_default(),
        0..=10 => "wide_dialect",
        11..=13 => "loops",
        14 => "mixed",
        15 | 16 => "loose",
        17 => "wraps",
        18 => "tensor",
        _ => "dialect",
    };
    let never = Checks::OF_ARRAYS.with(Checks::DIVISION).with(Checks::CONVERSION);
    let checks = match random.below(8) {
        0 => never,
        1 => never.with(Checks::OVERFLOW),
        _ => Checks::NONE,
    };
    (family, 40 + random.below(80), checks)
}

/// A program of a family; tensors have a generator of their own.
fn program(family: &str, number: u64, size: usize) -> String {
    match family {
        "tensor" => generate::tensor::pair(number, size / 3).into_iter().next().unwrap_or_default(),
        _ => generate::program(family, number, size),
    }
}

/// Tries a program in process; none if it has no meaning.
fn in_process(number: u64, counts: &Counts) -> Option<()> {
    let (family, size, checks) = shape(number);
    let source = program(family, number, size);
    let Some(module) = front::checked(&source, checks) else {
        counts.fail(&format!("program {number}: {family} is no program\n{source}"));
        return None;
    };
    let want = meaning(&module)?;
    let mut random = Random::new(number ^ 0x3a75);
    let ways = [Way::choose(&mut random), Way::choose(&mut random)];
    let lowered = [false, true].into_iter().find_map(|narrow| fast(&module, narrow, &want, STEPS));
    counts.runs.fetch_add(5, Ordering::Relaxed);
    if let Some(message) = lowered {
        let wrong = |text: &str| {
            let module = front::checked(text, checks)?;
            let want = meaning(&module)?;
            fast(&module, false, &want, STEPS).or_else(|| fast(&module, true, &want, STEPS))
        };
        let small = reduce(&source, &|text| wrong(text).is_some());
        counts.fail(&format!("program {number} on the fast machine: {message}\n{small}"));
    }
    for way in ways {
        let Some(message) = way.wrong(&module, &want, &counts.vectors) else { continue };
        let wrong = |text: &str| {
            let module = front::checked(text, checks)?;
            way.wrong(&module, &meaning(&module)?, &AtomicU64::new(0))
        };
        let small = reduce(&source, &|text| wrong(text).is_some());
        let now = wrong(&small).unwrap_or_default();
        counts.fail(&format!("program {number}, {way:?}: {message}\n{small}\nof which: {now}"));
    }
    Some(())
}

/// How a program goes through the command.
#[derive(Clone, Debug)]
struct Build {
    target: usize,
    words: Vec<String>,
    route: Route,
    checks: Checks,
    /// Of a register of vectors, where that is the emulator's choice.
    bits: u32,
    /// A program that counts is made and executed first, and what it counted is used.
    profile: bool,
}

/// How it comes to a program.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Route {
    /// At once.
    Source,
    /// An object, and another call that links it.
    Object,
    /// Assembly, which the cross gcc takes with the C library's form of the runtime library.
    Assembly,
    /// Two sources.
    Two,
    /// LLVM text of clang.
    Clang,
}

impl Build {
    fn choose(random: &mut Random, checks: Checks) -> Build {
        let route = match random.below(16) {
            0 => Route::Object,
            1 => Route::Assembly,
            2 | 3 => Route::Two,
            4 => Route::Clang,
            _ => Route::Source,
        };
        let mut words = vec![format!("-O{}", random.pick(&Level::ALL).name())];
        let passes: Vec<&str> = pipeline::passes().map(|(name, _)| name).collect();
        for (share, word) in [
            (25, "-g".to_string()),
            (40, "-fverify".to_string()),
            (25, "-fpack=1".to_string()),
            (25, format!("-fwindow={}", 1 << random.below(12))),
            (20, "-j2".to_string()),
            (20, format!("-fdisable-pass={}", random.pick(&passes))),
        ] {
            if random.chance(share) {
                words.push(word);
            }
        }
        let checks = if matches!(route, Route::Two | Route::Clang) { Checks::NONE } else { checks };
        if checks != Checks::NONE {
            let all = checks == checks.with(Checks::OVERFLOW);
            let never = "bounds,integer-divide-by-zero,float-cast-overflow,memory";
            words.push(format!("-fsanitize={}", if all { "undefined,memory" } else { never }));
        }
        let target = random.below(TARGETS.len());
        let machines: &[&str] = match TARGETS[target].name {
            "armv7" => &["", "armv7ve+neon", "armv7-a", "armv7-a+neon"],
            "riscv64" => &["", "rv64gcv", "rv64gcv", "rv64gc_zba_zbb", "rv64gcv_zba_zbb", "rv64g"],
            _ => &[""],
        };
        let machine = random.pick(machines);
        if !machine.is_empty() {
            words.push(format!("-march={machine}"));
        }
        let models = sysyc::isa::find(TARGETS[target].name).map_or(&[][..], |target| target.models);
        if random.chance(50) && !models.is_empty() {
            words.push(format!("-mtune={}", models[random.below(models.len())].names[0].0));
        }
        // Where it is loaded.
        let place = random.pick(&["", "", "", "-fPIC", "-fPIE", "-pie", "-static-pie"]);
        if !place.is_empty() {
            words.push(place.to_string());
        }
        let bits = 128u32 << random.below(3);
        let profile = route != Route::Clang && random.chance(25);
        Build { target, words, route, checks, bits, profile }
    }

    /// The sources of a program.
    fn sources(&self, number: u64) -> Vec<String> {
        let (family, size, _) = shape(number);
        match self.route {
            Route::Two => generate::two_files(number, size).to_vec(),
            // C has no tensors.
            Route::Clang if family == "tensor" => vec![program("dialect", number, size)],
            _ => vec![program(family, number, size)],
        }
    }

    /// What the checking interpreter makes of the sources as one.
    fn meaning(&self, sources: &[String]) -> Option<Outcome> {
        meaning(&front::checked(&sources.concat(), self.checks)?)
    }

    /// What is wrong, if something is.
    fn wrong(&self, sources: &[String], want: &Outcome, tools: &Tools) -> Option<String> {
        let folder = tools.folder.path();
        let row = &TARGETS[self.target];
        let place = |name: &str| folder.join(name);
        let names: Vec<PathBuf> = (0..sources.len()).map(|k| place(&format!("p{k}.sy"))).collect();
        names.iter().zip(sources).for_each(|(name, text)| fs::write(name, text).unwrap());
        let counts = place("counts.sysyprof");
        let sysyc = || {
            let mut command = Command::new(compiler());
            command.args(&self.words).arg(format!("--target={}", row.name)).arg("-w");
            if self.profile {
                command.arg(format!("-fprofile-use={}", counts.display()));
            }
            command.arg("-o");
            command
        };
        let mut steps = Vec::new();
        let program = place("program");
        if self.profile {
            let mut command = Command::new(compiler());
            command.args(&self.words).arg(format!("--target={}", row.name)).arg("-w");
            command.arg(format!("-fprofile-generate={}", counts.display()));
            command.arg("-o").arg(&program).args(&names);
            _ = fs::remove_file(&counts);
            if let Some(wrong) =
                self.made(vec![command], tools).or_else(|| self.emulated(&program, want, tools))
            {
                return Some(format!("counting: {wrong}"));
            }
            // What a check stops has no counts to write.
            if want.1 == STOPPED && !counts.exists() {
                return None;
            }
        }
        match self.route {
            Route::Source | Route::Two => steps.push({
                let mut command = sysyc();
                command.arg(&program).args(&names);
                command
            }),
            Route::Object => {
                let mut command = sysyc();
                command.arg(place("p.o")).arg("-c").args(&names);
                steps.push(command);
                let mut command = Command::new(compiler());
                command.arg(format!("--target={}", row.name)).arg(place("p.o")).arg("-o").arg(&program);
                command.args(self.words.last().filter(|word| word.ends_with("pie")));
                steps.push(command);
            }
            Route::Assembly => {
                let mut command = sysyc();
                command.arg(place("p.s")).arg("-S").args(&names);
                let gcc = support::toolchain::TARGETS[1..].iter().find(|target| target.name == row.name);
                let mut link = Command::new(gcc.map_or("gcc", |target| target.gcc));
                link.arg("-static")
                    .arg(place("p.s"))
                    .arg(&tools.libraries[self.target])
                    .arg("-o")
                    .arg(&program);
                steps.extend([command, link]);
            }
            Route::Clang => {
                fs::write(place("p.c"), as_c(&sources[0])).unwrap();
                let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/as_c.h");
                let mut clang = Command::new("clang-19");
                clang.args(["-S", "-emit-llvm", "-w", "-fwrapv", "-ffp-contract=off", "-fno-builtin"]);
                clang
                    .args(["-DSYSY_DIALECT", "-include"])
                    .arg(header)
                    .arg(format!("--target={}", TRIPLES[self.target]));
                clang.arg(place("p.c")).arg("-o").arg(place("p.ll"));
                let mut command = sysyc();
                command.arg(&program).arg(place("p.ll"));
                steps.extend([clang, command]);
            }
        }
        self.made(steps, tools).or_else(|| self.emulated(&program, want, tools))
    }

    /// What goes wrong when a program is made.
    fn made(&self, steps: Vec<Command>, tools: &Tools) -> Option<String> {
        for mut step in steps {
            match process::run(&mut step, None, tools.folder.path(), LIMIT) {
                Ok(done) if done.ending == Ending::Exit(0) => {}
                Ok(done) => return Some(format!("{step:?}: {}", done.complaint())),
                Err(error) => return Some(format!("{step:?}: {error}")),
            }
        }
        None
    }

    /// What it does otherwise.
    fn emulated(&self, program: &Path, want: &Outcome, tools: &Tools) -> Option<String> {
        let mut command = support::toolchain::emulator(TARGETS[self.target].qemu, self.bits);
        command.arg(program);
        let done = process::run(&mut command, Some(&tools.input), tools.folder.path(), LIMIT);
        let done = done.map_err(|e| e.to_string());
        let have = match done {
            Err(error) => return Some(error),
            Ok(done) => match done.ending {
                Ending::Exit(code) => (done.stdout, code),
                _ => return Some(format!("{}, not {}", done.complaint(), text(want))),
            },
        };
        (have != *want).then(|| format!("{}, not {}", text(&have), text(want)))
    }
}

const TRIPLES: [&str; 3] = ["riscv64-linux-gnu", "aarch64-linux-gnu", "armv7-linux-gnueabihf"];

fn compiler() -> PathBuf {
    std::env::var_os("SYSYC_BIN").map_or(PathBuf::from(env!("CARGO_BIN_EXE_sysyc")), PathBuf::from)
}

/// The same text for a C compiler that has no single-precision constants: they get their suffix.
fn as_c(source: &str) -> String {
    let bytes = source.as_bytes();
    let (mut text, mut k) = (String::new(), 0);
    while k < bytes.len() {
        let begins =
            bytes[k].is_ascii_digit() || bytes[k] == b'.' && bytes.get(k + 1).is_some_and(u8::is_ascii_digit);
        let first = k;
        if begins {
            let is_hex = source[k..].starts_with("0x");
            let exponent = if is_hex { b'p' } else { b'e' };
            while k < bytes.len()
                && (bytes[k].is_ascii_alphanumeric()
                    || bytes[k] == b'.'
                    || matches!(bytes[k], b'+' | b'-') && bytes[k - 1].to_ascii_lowercase() == exponent)
            {
                k += 1;
            }
            let literal = &source[first..k];
            let is_float =
                literal.contains('.') || literal.to_ascii_lowercase().contains(char::from(exponent));
            text.push_str(literal);
            text.push_str(if is_float { "f" } else { "" });
            continue;
        }
        while k < bytes.len() && (bytes[k].is_ascii_alphanumeric() || bytes[k] == b'_') {
            k += 1;
        }
        if k == first {
            if bytes[k] == b'"' {
                k += 1 + source[k + 1..].find('"').unwrap_or(0);
            }
            k += 1;
        }
        text.push_str(&source[first..k]);
    }
    text
}

/// What a worker that runs programs needs.
struct Tools {
    folder: tempfile::TempDir,
    input: PathBuf,
    /// Per target: the runtime library over the C library's.
    libraries: Vec<PathBuf>,
}

impl Tools {
    fn new(libraries: &[PathBuf]) -> Tools {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let input = folder.path().join("input");
        fs::write(&input, INPUT).unwrap();
        Tools { folder, input, libraries: libraries.to_vec() }
    }
}

/// What has been done so far.
#[derive(Default)]
struct Counts {
    /// Programs that have a meaning, runs of them in process, and what ran under qemu.
    programs: AtomicU64,
    runs: AtomicU64,
    /// Loops that passes have put into vectors.
    vectors: AtomicU64,
    emulated: AtomicU64,
    undefined: AtomicU64,
    failed: AtomicU64,
}

impl Counts {
    fn fail(&self, message: &str) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        say(&format!("FAIL {message}"));
    }
}

fn emulated(number: u64, tools: &Tools, counts: &Counts) -> Option<()> {
    let mut random = Random::new(number ^ 0xe41);
    let build = Build::choose(&mut random, shape(number).2);
    let sources = build.sources(number);
    let want = build.meaning(&sources)?;
    counts.emulated.fetch_add(1, Ordering::Relaxed);
    let message = build.wrong(&sources, &want, tools)?;
    let small = if sources.len() == 1 {
        reduce(&sources[0], &|text| {
            let sources = [text.to_string()];
            build.meaning(&sources).is_some_and(|want| build.wrong(&sources, &want, tools).is_some())
        })
    } else {
        sources.join("// ---- the second file\n")
    };
    counts.fail(&format!("program {number}, {build:?}: {message}\n{small}"));
    Some(())
}

#[test]
fn volume() {
    let until = number("SYSYC_VOLUME").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let first = number("SYSYC_SEED").unwrap_or(1);
    let end = if until.is_some() { u64::MAX } else { first + number("SYSYC_PROGRAMS").unwrap_or(240) };
    let share = number("SYSYC_EMULATED").unwrap_or(24).max(1);
    for tool in TARGETS.iter().map(|target| target.qemu).chain(["clang-19"]) {
        assert!(on_path(tool), "{tool} is missing: tests/install.sh installs it");
    }
    let made = tempfile::tempdir().unwrap();
    let libraries: Vec<PathBuf> = TARGETS
        .iter()
        .map(|row| {
            let folder = made.path().join(row.name);
            fs::create_dir(&folder).unwrap();
            let target = support::toolchain::TARGETS.iter().find(|target| target.name == row.name).unwrap();
            support::toolchain::build_archive(target, &folder).unwrap()
        })
        .collect();
    let (next, counts) = (AtomicU64::new(first), Counts::default());
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                let tools = Tools::new(&libraries);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let is_over = until.is_some_and(|until| Instant::now() > until);
                    if number >= end || is_over || counts.failed.load(Ordering::Relaxed) > 20 {
                        return;
                    }
                    let had = in_process(number, &counts).is_some();
                    let count = if had { &counts.programs } else { &counts.undefined };
                    count.fetch_add(1, Ordering::Relaxed);
                    if number % share == 0 {
                        emulated(number, &tools, &counts);
                    }
                    if (number - first) % 50_000 == 49_999 {
                        say(&format!(
                            "{} programs after {} s",
                            number + 1 - first,
                            start.elapsed().as_secs()
                        ));
                    }
                }
            });
        }
    });
    let Counts { programs, runs, vectors, emulated, undefined, failed } = counts;
    let [programs, runs, vectors, emulated, undefined, failed] =
        [programs, runs, vectors, emulated, undefined, failed].map(AtomicU64::into_inner);
    say(&format!(
        "volume: {programs} programs, {runs} runs in process, {vectors} loops in vectors, {emulated} under qemu, {undefined} without a meaning, {failed} wrong, {} s",
        start.elapsed().as_secs()
    ));
    assert_eq!(failed, 0);
    assert!(programs > 0 && undefined * 20 < programs.max(20), "{undefined} of {programs} have no meaning");
}

#[test]
fn float_constants_get_their_suffix() {
    let text = "float x = 1.5 + .25 + 1e-3 + 0x1.8p+1 + 3.; int a1 = 0x1e + 10 - 07; putf(\"%f 1.5\", x2);";
    let want =
        "float x = 1.5f + .25f + 1e-3f + 0x1.8p+1f + 3.f; int a1 = 0x1e + 10 - 07; putf(\"%f 1.5\", x2);";
    assert_eq!(as_c(text), want);
}
