//! Where a program spends its time (`run --profile`, `--coverage`): what the interpreter has counted, by line,
//! function, loop and way of calls, in the form that the name of the file asks for.
//!
//! | file | makes |
//! | --- | --- |
//! | `text` | tables, and counts beside the source |
//! | `data` | JSON, lcov's tracefile for coverage tools, collapsed stacks for flame-graph tools |
//! | `page` | one HTML page: a flame graph, and the source with its counts |
//!
//! `program` counts what a compiled program executes, under qemu.
//!
//! Counts are exact. A line was executed as often as the block of its code that was entered most often (of a
//! `while`, how often the condition was asked), as llvm-cov says; instructions are those of the IR at the level of
//! the run. At -O0, where every statement has its own, these are the program's; behind passes, what is left of it.
//! O(instructions of the program + lines).

mod data;
mod page;
pub mod program;
mod text;

use super::compile::checks;
use super::deliver::{beside, put};
use super::output;
use super::session::{Failure, Session};
use crate::base::parts::Part;
use crate::base::{Column, Name, Opt};
use crate::ir::counters;
use crate::ir::interp::{Node, Profile, Spot};
use crate::ir::profile::{self, Record};
use crate::ir::{Body, FuncId, Module, NO_LOC};
use crate::lower::counted::plain;
use crate::lower::{Checks, USER};
use crate::sema::Sema;
use crate::source::{SourceFile, Sources};
use crate::sysy::through;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Where a profile goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// As text, to the standard error.
    Shown,
    /// Into a file, as the end of its name says.
    File(PathBuf),
    /// Counts for `-fprofile-use`, into a file.
    Counts(PathBuf),
    /// Coverage, into a file, or one called after the source.
    Coverage(Option<PathBuf>),
}

/// What makes a form of a profile.
type Form = fn(&Report) -> String;

/// Ends of names, and what such a file holds.
const FORMS: [(&str, Form); 6] = [
    ("txt", text::text),
    ("json", data::json),
    ("info", data::lcov),
    ("lcov", data::lcov),
    ("folded", data::folded),
    ("html", page::page),
];

/// What the name of a file of counts ends in.
pub const COUNTS: &str = "sysyprof";

/// The ends of names that files of profiles can have.
pub fn endings() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|row| row.0)
}

fn form(path: &Path) -> Option<Form> {
    let ending = path.extension()?.to_str()?;
    FORMS.iter().find(|row| row.0 == ending).map(|row| row.1)
}

/// True if the end of a file's name says what it is to hold.
pub fn has_form(path: &Path) -> bool {
    form(path).is_some()
}

/// What there is to tell.
struct Report<'a> {
    /// The source; of several, all of them as one, whose lines go on from one to the next.
    file: &'a SourceFile,
    sources: Vec<Source>,
    /// For people: at which level, or on which machine.
    how: Cow<'a, str>,
    level: &'static str,
    executed: u64,
    /// Rows of the interpreter's code, if that was it.
    steps: Option<u64>,
    /// Those that were called, and then the others, by instructions of their own.
    functions: Vec<Function>,
    /// Lines with code, ascending.
    lines: Vec<Line>,
    loops: Vec<Loop>,
    /// By line: how often each way of a branch was taken.
    branches: Vec<(u32, Vec<u64>)>,
    nodes: &'a [Node],
    /// Per node: instructions with what it called.
    totals: Vec<u64>,
    names: Column<FuncId, String>,
}

/// A source, and its lines among those of all.
struct Source {
    path: String,
    first: u32,
    count: u32,
}

#[derive(Copy, Clone)]
struct Function {
    func: FuncId,
    /// Where it is defined, or 0.
    line: u32,
    calls: u64,
    own: u64,
    /// With what it called.
    total: u64,
}

struct Line {
    line: u32,
    times: u64,
    executed: u64,
}

struct Loop {
    func: FuncId,
    line: u32,
    depth: u32,
    entered: u64,
    rounds: u64,
}

impl<'a> Report<'a> {
    fn new(
        (file, sources): (&'a SourceFile, &Sources),
        module: &Module,
        semas: &[Option<&Sema>],
        profile: &'a Profile,
        level: u8,
    ) -> Report<'a> {
        let env = &module.env;
        let line = |offset: u32| if offset == NO_LOC { 0 } else { file.line(offset) };
        let mut totals: Vec<u64> = profile.nodes.iter().map(|node| node.own).collect();
        for (k, node) in profile.nodes.iter().enumerate().rev() {
            if let Some(caller) = node.caller {
                totals[caller as usize] += totals[k];
            }
        }
        let mut of: Column<FuncId, Function> = Column::new();
        of.extend(env.funcs.keys().map(|func| Function { func, line: 0, calls: 0, own: 0, total: 0 }));
        for (func, counts) in &profile.counts {
            // Nothing goes to the first block but calls.
            of[*func].calls = counts.first().copied().unwrap_or(0);
        }
        profile.places.iter().for_each(|spot| of[spot.func].own += spot.executed);
        profile.nodes.iter().zip(&totals).for_each(|(node, total)| of[node.func].total += total);
        let mut named: Column<Name, Opt<FuncId>> = Column::filled(env.names.len(), Opt::NONE);
        env.funcs.iter().for_each(|(func, row)| named[row.name] = func.into());
        let known = |text: &str| env.names.find(text).and_then(|name| named[name].get());
        for (number, sema) in semas.iter().enumerate().filter_map(|(number, sema)| Some((number, (*sema)?))) {
            for row in &sema.functions {
                let symbol = &sema.symbols[row.sym];
                let name = sema.names.text(symbol.name);
                if let Some(func) = known(&format!("{name}{USER}")).or_else(|| known(name)) {
                    of[func].line = line(sources.first(number) + symbol.place);
                }
            }
        }
        let mut functions: Vec<Function> =
            profile.counts.iter().map(|&(func, _)| Function { func, ..of[func] }).collect();
        functions.sort_by_key(|row| (std::cmp::Reverse((row.own, row.calls)), row.line, row.func));

        // What has no place, as the stores of parameters, is at the head of its function, which is entered by calls.
        let of_spot = |spot: &Spot| {
            let (head, Spot { offset, times, executed, .. }) = (of[spot.func].line, *spot);
            let line = if offset == NO_LOC { head } else { line(offset) };
            Line { line, times: if offset == NO_LOC { 0 } else { times }, executed }
        };
        let mut lines: Vec<Line> = profile.places.iter().map(of_spot).collect();
        lines.extend(functions.iter().map(|row| Line { line: row.line, times: row.calls, executed: 0 }));
        lines.retain(|row| row.line != 0);
        lines.sort_by_key(|row| row.line);
        lines.dedup_by(|next, first| {
            let is_same = next.line == first.line;
            if is_same {
                first.times = first.times.max(next.times);
                first.executed += next.executed;
            }
            is_same
        });
        let loops = profile.loops.iter().map(|row| Loop {
            func: row.func,
            line: line(row.offset),
            depth: row.depth,
            entered: row.entered,
            rounds: row.rounds,
        });
        let mut branches: Vec<(u32, Vec<u64>)> =
            profile.branches.iter().map(|row| (line(row.offset), row.taken.clone())).collect();
        branches.sort_by_key(|row| row.0);
        let mut names: Column<FuncId, String> = Column::new();
        names.extend(env.funcs.iter().map(|(_, row)| {
            let name = env.names.text(row.name);
            name.strip_suffix(USER).unwrap_or(name).to_string()
        }));
        let loops = loops.collect();
        let level = through::level(level).name();
        let how = Cow::Owned(format!("at -O{level}"));
        let (executed, nodes) = (profile.executed, profile.nodes.as_slice());
        let sources = Source::all(sources.files().iter().copied());
        Report {
            file,
            sources,
            how,
            level,
            executed,
            steps: Some(profile.steps),
            functions,
            lines,
            loops,
            branches,
            nodes,
            totals,
            names,
        }
    }

    /// Which source a line is in, and which of its lines it is; 0 of none.
    fn place(&self, line: u32) -> (&Source, u32) {
        let after = self.sources.partition_point(|source| source.first <= line);
        let source = &self.sources[after.saturating_sub(1)];
        (source, line.saturating_sub(source.first - 1))
    }

    /// A line as people call it: its number, behind the name of its source if there are several.
    fn line_name(&self, line: u32) -> String {
        match (self.place(line), self.sources.len()) {
            ((_, line), 1) => format!("line {line}"),
            ((source, line), _) => format!("{}:{line}", source.path),
        }
    }

    /// The names of all sources.
    fn paths(&self) -> String {
        self.sources.iter().map(|source| format!("'{}'", source.path)).collect::<Vec<_>>().join(", ")
    }

    fn text_of(&self, line: u32) -> String {
        let text = self.file.text.get(self.file.line_range(line)).unwrap_or_default();
        String::from_utf8_lossy(text).trim_end().to_string()
    }
}

impl Source {
    /// All sources, in order.
    fn all<'f>(files: impl Iterator<Item = &'f SourceFile>) -> Vec<Source> {
        let mut next = 1;
        let source = |file: &SourceFile| {
            let (first, count) = (next, file.lines());
            next += count;
            Source { path: file.path.clone(), first, count }
        };
        files.map(source).collect()
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// The file of counts.
fn counts(module: &Module, profile: &Profile, checks: Checks) -> Vec<u8> {
    let record = |(body, (_, counts)): (&Body, &(FuncId, Vec<u64>))| {
        let name = plain(module.env.names.text(module.env.funcs[body.func].name)).to_string();
        let counts = counters::counts(body, &counters::frequencies(body, counts));
        Record { name, shape: counters::shape(body), checks: checks.bits(), counts }
    };
    // Both are in the order of the bodies.
    profile::write(&module.defined().zip(&profile.counts).map(record).collect::<Vec<Record>>())
}

/// Puts a profile wherever it is wanted.
pub fn deliver(
    s: &Session,
    sources: &Sources,
    module: &Module,
    semas: &[Option<&Sema>],
    profile: &Profile,
) -> Result<(), Failure> {
    for wanted in &s.options.profiles {
        if let Wanted::Counts(path) = wanted {
            put(s, path, &[Part::Own(counts(module, profile, checks(&s.options)))], false)?;
        }
    }
    let Some(&first) = sources.files().first() else { return Ok(()) };
    let joined = (sources.files().len() > 1).then(|| sources.joined().0);
    let file = joined.as_ref().unwrap_or(first);
    let report = Report::new((file, sources), module, semas, profile, s.options.level);
    deliver_all(s, &report, Path::new(&first.path))
}

/// The same of what is not a file of counts.
fn deliver_all(s: &Session, report: &Report, source: &Path) -> Result<(), Failure> {
    for wanted in &s.options.profiles {
        let (path, form) = match wanted {
            Wanted::Shown => {
                output::to_stderr(&text::text(report));
                continue;
            }
            Wanted::Counts(_) => continue,
            Wanted::File(path) => (path.clone(), form(path).unwrap_or(text::text)),
            Wanted::Coverage(Some(path)) => (path.clone(), data::lcov as Form),
            Wanted::Coverage(None) => (beside(Path::new(""), source, "info"), data::lcov as _),
        };
        put(s, &path, &[Part::Own(form(report).into_bytes())], false)?;
    }
    Ok(())
}
