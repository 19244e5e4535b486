//! The phases of a compile, as the functions by whose names callgrind's counts are read, and those counts.
//!
//! A phase costs what the calls into its functions cost, everything beneath them included; a call from inside
//! of a phase belongs to that phase alone, so phases do not overlap, and what none of them has is `rest`. A
//! row's functions have to survive inlining: those that are called once a function have `#[inline(never)]`.
//! Cost: one pass over callgrind's file.

use std::collections::HashMap;

/// A phase.
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    /// Names without hashes and parameters; `*` stands for any text, once a name.
    symbols: &'static [&'static str],
    /// The lowest level that has it.
    level: usize,
}

const fn phase(name: &'static str, level: usize, symbols: &'static [&'static str]) -> Phase {
    Phase { name, symbols, level }
}

/// All phases, in the order of a compile.
#[rustfmt::skip]
pub(crate) static PHASES: [Phase; 32] = [
    phase("read", 0, &["sysyc::source::file::SourceFile::load"]),
    phase("scan", 0, &["sysyc::syntax::scan::bodies"]),
    phase("lex", 0, &["sysyc::syntax::lexer::lex_ranges", "sysyc::syntax::lexer::lex"]),
    phase("parse", 0, &["sysyc::syntax::parser::parse_as", "sysyc::syntax::parser::parse_body"]),
    phase("outline", 0, &["sysyc::sema::program::outline_as"]),
    phase("check", 0, &["sysyc::sema::program::check_body"]),
    phase("lower", 0, &["sysyc::lower::Program::body", "sysyc::lower::Program::new", "sysyc::lower::function::lower_function"]),
    phase("analyses", 1, &["sysyc::opt::run::analyses::Analyses::require"]),
    phase("simplify_cfg", 1, &["sysyc::opt::flow::simplify_cfg::run"]),
    phase("mem2reg", 1, &["sysyc::opt::memory::mem2reg::run"]),
    phase("simplify", 1, &["sysyc::opt::values::simplify::run"]),
    phase("sccp", 1, &["sysyc::opt::values::sccp::run"]),
    phase("expand", 1, &["sysyc::opt::values::expand::run"]),
    phase("gvn", 1, &["sysyc::opt::values::gvn::run"]),
    phase("dce", 1, &["sysyc::opt::values::dce::run"]),
    phase("calls", 2, &["sysyc::opt::calls::candidates::choose", "sysyc::opt::calls::inline::run", "sysyc::opt::calls::equal_calls::run", "sysyc::opt::calls::tail_calls::run", "sysyc::opt::calls::modular_product::run", "sysyc::opt::calls::arguments::run", "sysyc::opt::calls::arguments::apply", "sysyc::opt::calls::globals::run", "sysyc::opt::calls::globals::apply"]),
    phase("pack", 2, &["sysyc::ir::body::packed::pack", "sysyc::ir::body::packed::Packed::unpack_into"]),
    phase("loops", 2, &["sysyc::opt::loops::rotate::run", "sysyc::opt::loops::licm::run", "sysyc::opt::loops::promote::run", "sysyc::opt::loops::loop_load_elim::run", "sysyc::opt::loops::idempotent_loops::run", "sysyc::opt::loops::finish_loops::run", "sysyc::opt::loops::strength::run", "sysyc::opt::loops::unroll::run", "sysyc::opt::loops::unroll_all::run", "sysyc::opt::loops::unroll_and_jam::run", "sysyc::opt::loops::loop_interchange::run", "sysyc::opt::loops::post_increment::run"]),
    phase("memory", 2, &["sysyc::opt::memory::dead_stores::run", "sysyc::opt::memory::split_arrays::run", "sysyc::opt::memory::constant_arrays::run"]),
    phase("branches", 2, &["sysyc::opt::flow::implied::run", "sysyc::opt::flow::sink_equal::run", "sysyc::opt::flow::sink_compares::run", "sysyc::opt::values::addresses::run"]),
    phase("drop_unused", 1, &["sysyc::opt::calls::drop_unused::run", "sysyc::opt::calls::drop_unused::drop_functions", "sysyc::analysis::names::reached"]),
    phase("prepare", 0, &["sysyc::isa::prepare::prepare"]),
    phase("select", 0, &["sysyc::isa::select::walk::select", "sysyc::isa::select::walk::attempt"]),
    phase("number", 2, &["sysyc::mir::number::number"]),
    phase("schedule", 2, &["sysyc::mir::schedule::before", "sysyc::mir::schedule::after"]),
    phase("allocate", 0, &["sysyc::regalloc::allocate"]),
    phase("order", 0, &["sysyc::mir::order::order"]),
    phase("finalise", 0, &["sysyc::isa::frame::finalise", "sysyc::isa::*::finalise::lay_out", "sysyc::mir::pair::pair"]),
    phase("relax", 0, &["sysyc::mir::relax::relax"]),
    phase("encode", 0, &["sysyc::isa::encode::encode", "sysyc::isa::encode::encode_as"]),
    phase("assemble", 0, &["sysyc::object::assemble::assemble"]),
    phase("write", 0, &["sysyc::object::elf::number", "sysyc::object::elf::parts", "sysyc::driver::output::write_parts"]),
];

/// What no phase has: start-up, jobs, joining, freeing.
pub(crate) const REST: &str = "rest";

/// Counts of one compile.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) total: u64,
    /// Name and instructions: the phases that were found, then the rest.
    pub(crate) phases: Vec<(String, u64)>,
    /// Phases that this level should have and that were not found, or that overlap.
    pub(crate) missing: Vec<String>,
}

/// The number of the phase that a function belongs to.
fn phase_of(function: &str) -> Option<usize> {
    // A number behind an apostrophe is the depth of a recursion; what follows `.llvm.` is the linker's.
    let name = function.split('\'').next().unwrap_or(function);
    let name = name.split(".llvm.").next().unwrap_or(name);
    let is = |symbol: &&str| match symbol.split_once('*') {
        None => name == *symbol,
        Some((head, tail)) => {
            name.len() > head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
        }
    };
    PHASES.iter().position(|phase| phase.symbols.iter().any(is))
}

/// Reads callgrind's file. The counts of all lines have to add up to the total that the file names.
pub(crate) fn read(text: &str, level: usize) -> Result<Counts, String> {
    /// The phase of each function by its number in the file, as far as names were seen.
    type Phases = HashMap<u32, Option<usize>>;
    fn function(text: &str, phases: &mut Phases) -> Option<usize> {
        let (number, name) = text.strip_prefix('(')?.split_once(')')?;
        let number: u32 = number.parse().ok()?;
        if !name.trim().is_empty() {
            phases.insert(number, phase_of(name.trim()));
        }
        phases.get(&number).copied().flatten()
    }
    let mut phases = Phases::new();
    let mut costs = [0u64; PHASES.len()];
    let (mut current, mut callee, mut is_call) = (None, None, false);
    let (mut itself, mut total) = (0, None);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            current = function(name, &mut phases);
        } else if let Some(name) = line.strip_prefix("cfn=") {
            callee = function(name, &mut phases);
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if let Some(count) = line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")) {
            total = count.trim().parse().ok();
        } else if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            let count: u64 = line.split(' ').nth(1).and_then(|count| count.parse().ok()).unwrap_or(0);
            match std::mem::take(&mut is_call) {
                false => itself += count,
                true => {
                    if let (Some(phase), None) = (callee, current) {
                        costs[phase] += count;
                    }
                }
            }
        }
    }
    let total: u64 = total.ok_or("callgrind's file has no total")?;
    if itself != total {
        return Err(format!("callgrind's file adds up to {itself} and says {total}"));
    }
    let mut counts = Counts { total, ..Counts::default() };
    let mut rest = total;
    for (phase, &cost) in PHASES.iter().zip(&costs) {
        if cost > 0 {
            counts.phases.push((phase.name.to_string(), cost));
        } else if phase.level <= level {
            counts.missing.push(phase.name.to_string());
        }
        match rest.checked_sub(cost) {
            Some(left) => rest = left,
            None => counts.missing.push(format!("{} (phases overlap)", phase.name)),
        }
    }
    counts.phases.push((REST.to_string(), rest));
    Ok(counts)
}
