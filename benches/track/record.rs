//! What was measured before: the baseline (everything, of the last record), and the history (sums, a row a
//! record).
//!
//! A row of the history is commit, date and toolchain, then cells `name=value` in any order and number, so
//! that families and phases may come and go: `realistic/O0` (instructions), `realistic/O0 memory`
//! (kilobytes), `phase lex/O0` (instructions, all families), `realistic/O0 serial` (instructions of the main
//! thread beside eight workers).

use crate::measure::Run;
use crate::phases::Counts;
use crate::serial::Serial;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

/// Runs, and where they come from.
pub(crate) struct Measurement {
    /// Commit and date.
    pub(crate) origin: [String; 2],
    /// What counts depend on: what it is, and its version.
    pub(crate) machine: Vec<(String, String)>,
    pub(crate) runs: Vec<Run>,
    pub(crate) serial: Vec<Serial>,
}

/// The first line that a command prints.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").trim().to_string()
}

/// The commit, with a plus if something that is compiled has been changed since, and the date.
pub(crate) fn origin(project: &Path) -> [String; 2] {
    let place = project.to_string_lossy();
    let git = |arguments: &[&str]| said("git", &[&["-C", &place], arguments].concat());
    let changed = git(&["status", "--porcelain", "--", "src", "runtime", "Cargo.toml", "Cargo.lock"]);
    let plus = if changed == "unknown" { "" } else { "+" };
    [git(&["rev-parse", "--short=10", "HEAD"]) + plus, said("date", &["-u", "+%Y-%m-%dT%H:%MZ"])]
}

/// What counts depend on besides the program. glibc chooses its routines by the processor's extensions.
pub(crate) fn machine() -> Vec<(String, String)> {
    let flags = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
    let extensions: Vec<&str> = ["sse4_2", "avx2", "erms"].into_iter().filter(|flag| has(flag)).collect();
    [
        ("rustc", said("rustc", &["--version"])),
        ("cc", said("cc", &["--version"])),
        ("valgrind", said("valgrind", &["--version"])),
        ("libc", said("getconf", &["GNU_LIBC_VERSION"])),
        ("processor", format!("{} {}", std::env::consts::ARCH, extensions.join(" "))),
    ]
    .map(|(what, version)| (what.to_string(), version))
    .into()
}

fn value_of(run: &Run) -> Value {
    let phases: Map<String, Value> =
        run.counts.phases.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
    json!({
        "target": run.target,
        "source": format!("{:016x}", run.source),
        "instructions": run.counts.total,
        "memory": run.memory,
        "phases": phases,
    })
}

fn run_of(key: &str, value: &Value) -> Option<Run> {
    let (family, level) = key.split_once("/O")?;
    let phases = value["phases"].as_object()?.iter();
    let counts = Counts {
        total: value["instructions"].as_u64()?,
        phases: phases.map(|(name, count)| Some((name.clone(), count.as_u64()?))).collect::<Option<_>>()?,
        missing: Vec::new(),
    };
    Some(Run {
        family: family.to_string(),
        level: level.parse().ok()?,
        target: value["target"].as_str()?.to_string(),
        source: u64::from_str_radix(value["source"].as_str()?, 16).ok()?,
        counts,
        memory: value["memory"].as_u64()?,
    })
}

fn value_of_serial(row: &Serial) -> Value {
    json!({
        "source": format!("{:016x}", row.source),
        "main": row.main,
        "longest": row.longest,
        "all": row.all,
    })
}

fn serial_of(key: &str, value: &Value) -> Option<Serial> {
    let (_, level) = key.strip_suffix(" serial")?.split_once("/O")?;
    Some(Serial {
        level: level.parse().ok()?,
        source: u64::from_str_radix(value["source"].as_str()?, 16).ok()?,
        main: value["main"].as_u64()?,
        longest: value["longest"].as_u64()?,
        all: value["all"].as_u64()?,
    })
}

/// None if there is no baseline yet.
pub(crate) fn read_baseline(path: &Path) -> Result<Option<Measurement>, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let text_of = |value: &Value| value.as_str().unwrap_or("unknown").to_string();
    let machine = value["machine"].as_object().ok_or("the baseline names no machine")?;
    let runs = value["runs"].as_object().ok_or("the baseline has no runs")?;
    let broken = |key: &str| format!("the row {key} is broken");
    let runs = runs.iter().map(|(key, value)| run_of(key, value).ok_or_else(|| broken(key)));
    let serial = value["serial"].as_object().into_iter().flatten();
    let serial = serial.map(|(key, value)| serial_of(key, value).ok_or_else(|| broken(key)));
    Ok(Some(Measurement {
        origin: [text_of(&value["commit"]), text_of(&value["date"])],
        machine: machine.iter().map(|(what, version)| (what.clone(), text_of(version))).collect(),
        runs: runs.collect::<Result<_, _>>()?,
        serial: serial.collect::<Result<_, _>>()?,
    }))
}

/// Families that were not measured keep their rows.
pub(crate) fn write_baseline(path: &Path, before: Option<Measurement>, now: &Measurement) -> io::Result<()> {
    let old = before.iter().flat_map(|before| &before.runs);
    let runs: Map<String, Value> = old.chain(&now.runs).map(|run| (run.key(), value_of(run))).collect();
    let old = before.iter().flat_map(|before| &before.serial);
    let serial: Map<String, Value> =
        old.chain(&now.serial).map(|row| (row.key(), value_of_serial(row))).collect();
    let machine: Map<String, Value> =
        now.machine.iter().map(|(what, version)| (what.clone(), json!(version))).collect();
    let [commit, date] = &now.origin;
    let value = json!({ "commit": commit, "date": date, "machine": machine, "runs": runs, "serial": serial });
    fs::write(path, format!("{value:#}\n"))
}

/// A record of the past.
pub(crate) struct Row {
    pub(crate) commit: String,
    pub(crate) date: String,
    pub(crate) toolchain: String,
    pub(crate) cells: BTreeMap<String, u64>,
}

impl Row {
    pub(crate) fn of(now: &Measurement) -> Row {
        let mut cells = BTreeMap::new();
        for run in &now.runs {
            cells.insert(run.key(), run.counts.total);
            cells.insert(format!("{} memory", run.key()), run.memory);
            for (phase, count) in &run.counts.phases {
                *cells.entry(format!("phase {phase}/O{}", run.level)).or_insert(0) += count;
            }
        }
        cells.extend(now.serial.iter().map(|row| (row.key(), row.main)));
        let versions: Vec<&str> = now.machine.iter().map(|row| row.1.as_str()).collect();
        let [commit, date] = now.origin.clone();
        Row { commit, date, toolchain: versions.join(", "), cells }
    }
}

const HEAD: &str = "# commit\tdate\ttoolchain\tcells: name=value (benches/track/record.rs)\n";

pub(crate) fn append_history(path: &Path, now: &Measurement) -> io::Result<()> {
    let mut text = fs::read_to_string(path).unwrap_or(HEAD.to_string());
    let row = Row::of(now);
    text.push_str(&[row.commit, row.date, row.toolchain].join("\t"));
    for (name, value) in &row.cells {
        text.push_str(&format!("\t{name}={value}"));
    }
    text.push('\n');
    fs::write(path, text)
}

pub(crate) fn read_history(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let row = |line: &str| {
        let mut columns = line.split('\t');
        let [commit, date, toolchain] = std::array::from_fn(|_| columns.next().unwrap_or("").to_string());
        let cell = |cell: &str| {
            let (name, value) = cell.split_once('=')?;
            Some((name.to_string(), value.parse().ok()?))
        };
        Row { commit, date, toolchain, cells: columns.filter_map(cell).collect() }
    };
    text.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}
