//! Passes of the optimiser by themselves: that there is a program in which each of them fires n times, counted in what it
//! changes, and that what any function of it costs for four times as many sites hardly grows faster than they do. A pass that
//! is quadratic is a few percent of a small program's work: 0.6 of 300 million instructions, which the whole does not show.

use crate::generate::sites::{SHAPES, Shape, sites};
use crate::support::front;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use sysyc::base::parallel::Workers;
use sysyc::isa::TARGETS;
use sysyc::isa::features::default_of;
use sysyc::opt::Level;
use sysyc::opt::run::manager::{Options, run_on_module};
use sysyc::opt::run::pipeline;

use Shape::{Block, Blocks, Functions, Loops};

/// Where each pass fires for each site that is added, or more often. What is missing is of another form: loops are not in one
/// block, and what calls itself is a function.
const FIRES: [(&str, &[Shape]); 56] = [
    ("addresses", &[Block, Blocks, Loops, Functions]),
    ("balance_sums", &[Loops]),
    ("base_cases", &[Functions]),
    ("branch_selects", &[Block, Blocks, Loops, Functions]),
    ("common_sums", &[Block, Blocks, Loops, Functions]),
    ("constant_arrays", &[Loops]),
    ("dce", &[Block, Loops, Functions]),
    ("dead_stores", &[Block, Blocks, Loops, Functions]),
    ("equal_calls", &[Block, Blocks, Loops]),
    ("evaluate", &[Block, Blocks, Loops, Functions]),
    ("expand", &[Block, Blocks, Loops, Functions]),
    ("finish_loops", &[Loops, Functions]),
    ("gvn_memory", &[Block, Blocks, Loops, Functions]),
    ("gvn_unrolled", &[Blocks, Loops]),
    ("idempotent_loops", &[Loops]),
    ("if_convert", &[Loops]),
    ("if_to_switch", &[Blocks]),
    ("implied", &[Functions]),
    ("inline", &[Block, Blocks, Loops, Functions]),
    ("licm", &[Blocks, Loops, Functions]),
    ("loop_fusion", &[Functions]),
    ("loop_interchange", &[Loops, Functions]),
    ("loop_load_elim", &[Blocks, Loops, Functions]),
    ("loop_load_pre", &[Blocks, Loops, Functions]),
    ("loop_peel", &[Blocks, Loops, Functions]),
    ("loop_vectorize", &[Loops]),
    ("mem2reg", &[Block, Blocks, Loops, Functions]),
    ("memory_loops", &[Functions]),
    ("modular_product", &[Functions]),
    ("neighbours", &[Loops]),
    ("promote", &[Loops, Functions]),
    ("range_checks", &[Blocks, Loops, Functions]),
    ("ranges", &[Block, Blocks, Loops, Functions]),
    ("reassociate", &[Block, Blocks, Loops, Functions]),
    ("result_tables", &[Functions]),
    ("rotate", &[Blocks, Loops, Functions]),
    ("sccp", &[Blocks, Loops, Functions]),
    ("sibling_calls", &[Functions]),
    ("simplify", &[Block, Blocks, Loops, Functions]),
    ("simplify_cfg", &[Block, Blocks, Loops, Functions]),
    ("sink", &[Blocks, Loops, Functions]),
    ("sink_compares", &[Blocks, Loops, Functions]),
    ("sink_equal", &[Loops, Functions]),
    ("slp_vectorize", &[Loops]),
    ("split_arrays", &[Blocks, Loops]),
    ("split_loops", &[Blocks, Loops, Functions]),
    ("post_increment", &[Loops]),
    ("strength", &[Blocks, Loops, Functions]),
    ("tail_calls", &[Functions]),
    ("unroll", &[Blocks, Loops, Functions]),
    ("unroll_all", &[Loops, Functions]),
    ("unroll_and_jam", &[Loops, Functions]),
    ("arguments", &[Functions]),
    ("drop_uncalled", &[Functions]),
    ("drop_unused", &[Block, Blocks, Loops]),
    ("globals", &[Block, Blocks, Loops, Functions]),
];

/// They change no IR, but find what others ask for; `gvn` is in the plan of -O1 alone, and
/// what it does is a part of `gvn_memory`.
const FACTS: [&str; 4] = ["call_ranges", "candidates", "gvn", "points_to"];

/// So many sites of each kind, few and many.
const COUNTS: [usize; 2] = [3, 7];
/// The same in functions of their own: seven of each are a large unit, in which less is copied (`opt/calls/candidates`).
const IN_FUNCTIONS: [usize; 2] = [1, 5];

/// Lines of IR without the numbers of values and blocks, each behind the one before it, so that a move shows, too.
type Pairs<'a> = HashMap<(String, String), i64>;

fn without_numbers(line: &str) -> String {
    let mut text = String::new();
    let mut in_name = false;
    for c in line.trim().chars() {
        in_name = in_name && (c.is_alphanumeric() || c == '.');
        if !in_name {
            in_name = c == '%' || c == 'b' && text.is_empty();
            text.push(c);
        }
    }
    text
}

/// How many lines each pass changes or moves, as it is printed before and behind it.
fn changes(text: &str, target: usize) -> HashMap<String, i64> {
    let mut module = front::module(text).expect("the program is right");
    let target = (TARGETS[target].facts)(default_of(TARGETS[target]));
    let (print_before, print_after) = (vec!["all".to_string()], vec!["all".to_string()]);
    let options = Options { target, print_before, print_after, ..Options::default() };
    let report = run_on_module(&mut module, pipeline::plan(Level::O2), &options, &Workers::new(1));
    let mut changes = HashMap::new();
    let (mut pass, mut sign, mut last, mut pairs) = ("", -1, String::new(), Pairs::new());
    for line in report.expect("the passes are right").dump.lines().chain(["; before "]) {
        if let Some(next) = line.strip_prefix("; before ") {
            let more: i64 = pairs.values().filter(|&&count| count > 0).sum();
            let less: i64 = pairs.values().filter(|&&count| count < 0).sum();
            *changes.entry(pass.to_string()).or_insert(0) += more.max(-less);
            (pass, sign, last) = (next.split(' ').next().unwrap_or_default(), -1, String::new());
            pairs.clear();
        } else if line.starts_with("; after ") {
            (sign, last) = (1, String::new());
        } else {
            let line = without_numbers(line);
            *pairs.entry((std::mem::replace(&mut last, line.clone()), line)).or_insert(0) += sign;
        }
    }
    changes
}

#[test]
fn every_pass_fires_in_a_family() {
    let mut faults = String::new();
    let mut found: Vec<(&str, Vec<Shape>)> = pipeline::passes().map(|(name, _)| (name, vec![])).collect();
    for shape in SHAPES {
        // Only on some machines comparisons are branches, and only on others accesses move their base.
        for target in if shape == Loops { 0..2 } else { 0..1 } {
            let counts = if shape == Functions { IN_FUNCTIONS } else { COUNTS };
            let [few, many] = counts.map(|n| changes(&sites(shape, n), target));
            for (name, shapes) in &mut found {
                let count = |of: &HashMap<String, i64>| of.get(*name).copied().unwrap_or(0);
                if count(&many) - count(&few) >= (counts[1] - counts[0]) as i64 && !shapes.contains(&shape) {
                    shapes.push(shape);
                }
            }
        }
    }
    for (name, shapes) in &found {
        let claimed = FIRES.iter().find(|row| row.0 == *name).map_or(&[][..], |row| row.1);
        let is_missing = claimed.is_empty() && !FACTS.contains(name);
        if is_missing || claimed.iter().any(|shape| !shapes.contains(shape)) {
            faults += &format!("(\"{name}\", &{shapes:?}),\n");
        }
    }
    assert!(faults.is_empty(), "where they fire is not where tests/growth/passes.rs says:\n{faults}");
}

/// Sites of a shape, from and to; about as much work for each.
pub(crate) const SIZES: [(Shape, [usize; 2]); 4] =
    [(Functions, [6, 18]), (Loops, [4, 16]), (Blocks, [8, 32]), (Block, [32, 128])];

/// What the work may grow by: of the program, and of one function of the optimiser and all that it calls, which memory of its
/// own makes less even.
const LIMIT: f64 = 1.15;
const LIMIT_OF_ONE: f64 = 1.5;
/// What takes less of a program than this is not looked at: columns of instructions that are full are copied once, by whichever
/// pass adds the next one (2 of 330 million). `branch_selects` took 29% of a block of 128 choices when it was quadratic.
const LEAST_PART: f64 = 0.012;

/// Executed instructions by function, with all that it calls, and of the program.
fn costs(compiler: &Path, text: &str, folder: &Path) -> Result<(HashMap<String, f64>, f64), String> {
    let [source, counts] = ["t.sy", "counts"].map(|name| folder.join(name));
    fs::write(&source, text).map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command
        .args(["--tool=callgrind", "--dump-line=no"])
        .arg(format!("--callgrind-out-file={}", counts.display()));
    command.arg(compiler).args(["-c", "-O2", "--target=riscv64", "-j1", "-w", "-o"]).arg(folder.join("out"));
    let done = super::run(command.arg(&source), None, folder, Duration::from_secs(600));
    let done = done.map_err(|error| error.to_string())?;
    if done.ending != super::Ending::Exit(0) {
        return Err(done.complaint());
    }
    // A line `fn=(number) name`, the name only the first time, and behind it costs of the function itself, and of calls: `cfn=`,
    // `calls=`, and what they took.
    let text = fs::read_to_string(&counts).map_err(|error| error.to_string())?;
    let mut names: HashMap<&str, &str> = HashMap::new();
    let (mut by_function, mut total) = (HashMap::new(), 0.0);
    let (mut function, mut callee, mut is_call) = ("", "", false);
    for line in text.lines() {
        let row = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn="));
        if let Some((number, name)) = row.map(|row| row.split_once(' ').unwrap_or((row, ""))) {
            let name = if name.is_empty() { names.get(number).copied().unwrap_or_default() } else { name };
            names.insert(number, name);
            if line.starts_with('c') { callee = name } else { function = name }
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let cost: f64 = line.rsplit(' ').next().and_then(|cost| cost.parse().ok()).unwrap_or(0.0);
            if !is_call {
                total += cost;
            } else if function != callee && callee.starts_with("sysyc::opt::") {
                *by_function.entry(callee.to_string()).or_insert(0.0) += cost;
            }
            is_call = false;
        }
    }
    Ok((by_function, total))
}

/// What sites of a shape cost: a line for the report, and whether all is within the limits. `base` is what an empty program
/// costs.
pub(crate) fn measure(
    compiler: &Path,
    (shape, sizes): (Shape, [usize; 2]),
    base: f64,
    folder: &Path,
) -> Result<(String, bool), String> {
    let texts = sizes.map(|n| sites(shape, n));
    let (few, total_of_few) = costs(compiler, &texts[0], folder)?;
    let (many, total) = costs(compiler, &texts[1], folder)?;
    let more = (super::tokens(&texts[1]) / super::tokens(&texts[0])).ln();
    let whole = ((total - base) / (total_of_few - base)).ln() / more;
    // What begins between the two sizes is left out: it has no exponent.
    let large = many.iter().filter(|row| *row.1 > LEAST_PART * total && few.contains_key(row.0));
    let mut rows: Vec<(f64, &str)> = large
        .map(|(name, cost)| ((cost / few.get(name).unwrap_or(cost)).ln() / more, name.as_str()))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let worst: Vec<String> =
        rows.iter().take(3).map(|(exponent, name)| format!("{exponent:.2} {name}")).collect();
    let line = format!("sites in {shape:?} {sizes:?} -O2: {whole:5.2}; of one function {}", worst.join(", "));
    let is_good = whole < LIMIT && rows.len() > 5 && rows.iter().all(|row| row.0 < LIMIT_OF_ONE);
    Ok((line, is_good))
}
