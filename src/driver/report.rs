//! What `-ftime-report` and `-ftime-trace=` show of a recording (`base/trace`): a table or a page (`times.html`) for people, JSON for
//! programs, and a trace for Perfetto and Chrome (chrome://tracing) with a lane a worker. O(functions + events).

use crate::base::trace::{Event, Kind, Lane, Phase};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// Functions in the list of the slowest.
const SLOWEST: usize = 10;

/// Events in a trace whose granularity is ours to choose: below 10 MB.
pub const MOST_EVENTS: usize = 1 << 16;

/// What is not in any phase; the table says below what that is.
const OTHER: &str = "(other)";

/// Everything that is known of a run.
#[derive(Debug, Default)]
pub struct Recording {
    /// From start to end.
    pub wall: Duration,
    /// What all threads ran in that time.
    pub cpu: Duration,
    /// The most memory that was resident, in bytes.
    pub peak: u64,
    /// What each thread did.
    pub lanes: Vec<Lane>,
    /// Names of functions by their number.
    pub names: Vec<String>,
    /// Bytes that tables had when they were largest, as far as they were told.
    pub tables: Vec<(&'static str, usize)>,
}

/// A function that took long.
struct Slow<'a> {
    name: &'a str,
    cpu: u64,
    most: (&'static str, u64),
}

/// What a report says, in whatever form.
struct Summary<'a> {
    phases: Vec<Phase>,
    slowest: Vec<Slow<'a>>,
    /// Time at the beginning, the end and in between during which at most one thread did anything, in ns.
    alone: u64,
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

fn ns(time: Duration) -> u64 {
    time.as_nanos() as u64
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn alone(recording: &Recording) -> u64 {
    let spans = recording.lanes.iter().flat_map(|lane| &lane.busy);
    let mut ends: Vec<(u64, i32)> = spans.flat_map(|&(start, end)| [(start, 1), (end, -1)]).collect();
    ends.sort_unstable();
    let (mut shared, mut busy, mut since) = (0, 0, 0);
    for (at, change) in ends {
        if busy > 1 {
            shared += at - since;
        }
        (busy, since) = (busy + change, at);
    }
    ns(recording.wall).saturating_sub(shared)
}

fn summary(recording: &Recording) -> Summary<'_> {
    let mut phases: Vec<Phase> = Vec::new();
    // A phase that is new stands behind the one that it followed: of workers, what gave the work out.
    for lane in &recording.lanes {
        let mut behind = phases.len();
        for phase in &lane.phases {
            let known = phases.iter().position(|row| row.name == phase.name);
            match known {
                Some(k) => phases[k].add(phase),
                None => phases.insert(behind, *phase),
            }
            behind = known.unwrap_or(behind) + 1;
        }
    }
    let known = phases.iter().map(|phase| phase.cpu).sum();
    phases.push(Phase { name: OTHER, cpu: ns(recording.cpu).saturating_sub(known), ..Phase::default() });
    let slow = |name: &'static str| Slow { name, cpu: 0, most: ("", 0) };
    let mut functions: Vec<Slow> = Vec::new();
    functions.resize_with(recording.names.len(), || slow(""));
    for row in recording.lanes.iter().flat_map(|lane| &lane.functions) {
        if let Some((slow, name)) =
            functions.get_mut(row.number as usize).zip(recording.names.get(row.number as usize))
        {
            slow.name = name;
            slow.cpu += row.cpu;
            if row.most.1 > slow.most.1 {
                slow.most = row.most;
            }
        }
    }
    functions.retain(|row| row.cpu > 0);
    // Stable: equal ones stay in the order of the source.
    functions.sort_by_key(|row| std::cmp::Reverse(row.cpu));
    functions.truncate(SLOWEST);
    Summary { phases, slowest: functions, alone: alone(recording) }
}

/// The table: phases and passes in their order, the slowest functions, and the whole.
pub fn table(recording: &Recording) -> String {
    let Summary { phases, slowest, alone } = summary(recording);
    let (wall, cpu) = (ns(recording.wall), ns(recording.cpu));
    let mut text = format!(
        "{:<18} {:>10} {:>6} {:>8} {:>11} {:<12} {:>11} {:<12} {:>8}\n",
        "phase", "cpu ms", "%", "calls", "in", "", "out", "", "ns/in"
    );
    for Phase { name, calls, cpu: own, rows, units } in &phases {
        let share = percent(*own, cpu);
        let _ = write!(text, "{name:<18} {:>10.3} {share:>6.1}", ms(*own));
        if *name != OTHER {
            let _ = write!(text, " {calls:>8}");
        }
        if rows.0 > 0 {
            let each = *own as f64 / rows.0 as f64;
            let ((rows_in, rows_out), (unit_in, unit_out)) = (rows, units);
            let _ = write!(text, " {rows_in:>11} {unit_in:<12} {rows_out:>11} {unit_out:<12} {each:>8.1}");
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{:<18} {:>10.3} {:>6.1}", "total", ms(cpu), 100.0);
    if !slowest.is_empty() {
        let _ = writeln!(text, "\n{:<30} {:>10} {:>6}  most of it", "slowest functions", "cpu ms", "%");
    }
    for Slow { name, cpu: own, most } in slowest {
        let (name, share, part) = (name.get(..30).unwrap_or(name), percent(own, cpu), percent(most.1, own));
        let _ = writeln!(text, "{name:<30} {:>10.3} {share:>6.1}  {} {part:.0}%", ms(own), most.0);
    }
    if !recording.tables.is_empty() {
        let _ = writeln!(text, "\n{:<30} {:>14}", "tables, at their largest", "bytes");
    }
    for (name, bytes) in &recording.tables {
        let _ = writeln!(text, "{name:<30} {bytes:>14}");
    }
    let busy = cpu as f64 / wall.max(1) as f64;
    let _ = writeln!(
        text,
        "\nwall {:.3} ms, processor {:.3} ms ({busy:.2} busy), one thread at most {:.1}% of the wall time, peak memory {:.1} MB",
        ms(wall),
        ms(cpu),
        percent(alone, wall),
        recording.peak as f64 / 1e6,
    );
    let _ = writeln!(
        text,
        "{OTHER}: the start of the process and of threads, what stands between phases, and this recording"
    );
    text
}

/// The same, for programs: one document; times are in nanoseconds, memory in bytes.
pub fn json(recording: &Recording) -> String {
    format!("{:#}\n", document(recording))
}

const FRAME: &str = include_str!("times.html");

/// The same as a page for a browser, with tables that can be sorted and when each thread was busy. Gaps of less
/// than a 2,000th of the whole are closed.
pub fn page(recording: &Recording) -> String {
    let mut all = document(recording);
    let least = ns(recording.wall) / 2000;
    let lane = |lane: &Lane| {
        let mut busy: Vec<(u64, u64)> = Vec::new();
        for &(start, end) in &lane.busy {
            match busy.last_mut() {
                Some(last) if start <= last.1 + least => last.1 = last.1.max(end),
                _ => busy.push((start, end)),
            }
        }
        json!({"name": lane.thread, "busy_ns": busy})
    };
    all["threads"] = recording.lanes.iter().map(lane).collect();
    // Nothing in it may look like the end of its element.
    let data = format!(
        "<script type=\"application/json\" id=\"data\">{}</script>",
        all.to_string().replace('<', "\\u003c")
    );
    FRAME.replace("<!--DATA-->", &data)
}

fn document(recording: &Recording) -> Value {
    let Summary { phases, slowest, alone } = summary(recording);
    let phase = |row: &Phase| {
        json!({"name": row.name, "cpu_ns": row.cpu, "calls": row.calls,
            "in": {"count": row.rows.0, "unit": row.units.0}, "out": {"count": row.rows.1, "unit": row.units.1}})
    };
    let slow = |row: &Slow| json!({"name": row.name, "cpu_ns": row.cpu, "longest_phase": {"name": row.most.0, "cpu_ns": row.most.1}});
    let table = |&(name, bytes): &(&str, usize)| json!({"name": name, "bytes": bytes});
    json!({
        "wall_ns": ns(recording.wall),
        "cpu_ns": ns(recording.cpu),
        "one_thread_at_most_ns": alone,
        "peak_bytes": recording.peak,
        "phases": phases.iter().map(phase).collect::<Value>(),
        "slowest_functions": slowest.iter().map(slow).collect::<Value>(),
        "largest_tables": recording.tables.iter().map(table).collect::<Value>(),
    })
}

/// The length from which on events are shown, so that there are at most so many.
fn shortest(recording: &Recording, most: usize) -> u64 {
    let mut walls: Vec<u64> =
        recording.lanes.iter().flat_map(|lane| &lane.events).map(|event| event.wall).collect();
    if walls.len() <= most {
        return 0;
    }
    walls.sort_unstable_by_key(|&wall| std::cmp::Reverse(wall));
    walls[most - 1] + 1
}

/// The trace, in Chrome's trace event format: complete events in microseconds, one a line; of those that were
/// recorded the longest, at most `most`.
pub fn chrome(recording: &Recording, most: usize) -> String {
    let from = shortest(recording, most);
    let mut text = String::from("[\n");
    let meta = |name: &str, lane: usize, value: &str| json!({"name": name, "ph": "M", "pid": 1, "tid": lane, "args": {"name": value}});
    let _ = write!(text, "{}", meta("process_name", 0, "sysyc"));
    let (mut last, mut quoted) = (None, String::new());
    for (k, lane) in recording.lanes.iter().enumerate() {
        let _ = write!(text, ",\n{}", meta("thread_name", k, &lane.thread));
        for event in lane.events.iter().filter(|event| event.wall >= from) {
            if event.function != last {
                last = event.function;
                let name = last.and_then(|number| recording.names.get(number as usize));
                quoted = name.map_or(String::new(), |name| json!(name).to_string());
            }
            push_event(&mut text, k, event, &quoted);
        }
    }
    text.push_str("\n]\n");
    text
}

/// Written by hand: a value an event took as long as a tenth of the compilation.
fn push_event(text: &mut String, lane: usize, event: &Event, function: &str) {
    let Event { kind, name, start, wall, .. } = *event;
    text.push_str(",\n{\"name\":");
    let _ = match kind {
        Kind::Function if !function.is_empty() => write!(text, "{function}"),
        Kind::Function => write!(text, "\"function\""),
        Kind::Waiting => write!(text, "\"waiting\""),
        Kind::Batch if name.is_empty() => write!(text, "\"batch\""),
        Kind::Batch => write!(text, "\"batch: {name}\""),
        Kind::Phase => write!(text, "\"{name}\""),
    };
    let micros = |text: &mut String, ns: u64| _ = write!(text, "{}.{:03}", ns / 1000, ns % 1000);
    let _ = write!(text, ",\"ph\":\"X\",\"pid\":1,\"tid\":{lane},\"ts\":");
    micros(text, start);
    text.push_str(",\"dur\":");
    micros(text, wall);
    if kind == Kind::Phase && !function.is_empty() {
        let _ = write!(text, ",\"args\":{{\"function\":{function}}}");
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::trace::Function;

    fn recording() -> Recording {
        let phase = |name, calls, cpu| Phase {
            name,
            calls,
            cpu,
            rows: (calls * 10, calls * 20),
            units: ("bytes", "tokens"),
        };
        let event = |kind, name, function, start, wall| Event { kind, name, function, start, wall };
        let lane = |thread: &str, phases: &[Phase], busy: &[(u64, u64)]| Lane {
            thread: thread.to_string(),
            phases: phases.to_vec(),
            busy: busy.to_vec(),
            ..Lane::default()
        };
        let function = |number, cpu, most| Function { number, cpu, most };
        Recording {
            wall: Duration::from_micros(100),
            cpu: Duration::from_micros(130),
            peak: 5_000_000,
            lanes: vec![
                lane(
                    "main",
                    &[phase("read", 1, 20_000), phase("write", 1, 20_000)],
                    &[(0, 20_000), (80_000, 100_000)],
                ),
                Lane {
                    functions: vec![
                        function(0, 30_000, ("lex", 30_000)),
                        function(0, 10_000, ("parse", 10_000)),
                    ],
                    events: vec![
                        event(Kind::Phase, "lex", Some(0), 20_000, 30_000),
                        event(Kind::Phase, "parse", Some(0), 50_000, 10_500),
                        event(Kind::Function, "", Some(0), 20_000, 40_500),
                        event(Kind::Batch, "functions", None, 20_000, 41_000),
                        event(Kind::Waiting, "", None, 61_000, 20_000),
                    ],
                    ..lane("w-0", &[phase("lex", 1, 30_000), phase("parse", 1, 10_000)], &[(20_000, 60_000)])
                },
                Lane {
                    functions: vec![function(1, 10_000, ("lex", 10_000))],
                    ..lane("w-1", &[phase("lex", 1, 10_000)], &[(20_000, 30_000)])
                },
            ],
            names: vec!["f\"0".to_string(), "f1".to_string()],
            tables: vec![("source", 77)],
        }
    }

    #[test]
    fn the_table_adds_up_phases_and_functions() {
        let text = table(&recording());
        let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_string();
        assert_eq!(
            row("lex").split_whitespace().collect::<Vec<_>>(),
            ["lex", "0.040", "30.8", "2", "20", "bytes", "40", "tokens", "2000.0"]
        );
        assert!(row("(other) ").contains("0.040"), "{text}");
        assert!(row("f\"0").contains("0.040") && row("f\"0").ends_with("lex 75%"), "{text}");
        assert!(row("source").ends_with(" 77"));
        // From 20 to 30 two threads were busy.
        assert!(text.contains("one thread at most 90.0% of the wall time, peak memory 5.0 MB"), "{text}");
        assert!(text.contains("\n(other): "), "{text}");
    }

    #[test]
    fn the_document_says_what_the_table_says() {
        let all: Value = serde_json::from_str(&json(&recording())).unwrap();
        assert_eq!((&all["cpu_ns"], &all["peak_bytes"]), (&json!(130_000), &json!(5_000_000)));
        assert_eq!(all["phases"].as_array().unwrap().len(), 5);
        assert_eq!(all["phases"][0]["in"], json!({"count": 10, "unit": "bytes"}));
        assert_eq!(all["slowest_functions"][0]["longest_phase"]["name"], "lex");
        assert_eq!(all["largest_tables"][0], json!({"name": "source", "bytes": 77}));
    }

    #[test]
    fn the_trace_is_json_with_a_lane_a_thread() {
        let recording = recording();
        let read = |most| serde_json::from_str::<Value>(&chrome(&recording, most)).unwrap();
        let events = read(100);
        let events = events.as_array().unwrap();
        assert_eq!(events.len(), 1 + 3 + 5);
        let find = |name: &str| events.iter().find(|event| event["name"] == name).unwrap();
        assert_eq!(find("parse")["args"]["function"], "f\"0");
        assert_eq!((&find("parse")["ts"], &find("parse")["dur"]), (&json!(50.0), &json!(10.5)));
        let named = ["f\"0", "batch: functions", "waiting"].map(|name| find(name)["tid"].clone());
        assert_eq!(named, [1, 1, 1].map(Value::from));
        assert_eq!(read(2).as_array().unwrap().len(), 1 + 3 + 1);
    }
}
