//! What `-ftime-report` and `-ftime-trace=` show of a recording (`base/trace`): a table for people, and a
//! trace for Perfetto and Chrome (chrome://tracing) with a lane a worker. O(spans).

use crate::base::trace::{Lane, Span};
use serde_json::json;
use std::fmt::Write;
use std::time::Duration;

/// Functions in the list of the slowest.
const SLOWEST: usize = 10;

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

/// A sum of spans.
#[derive(Copy, Clone, Default)]
struct Sum {
    calls: u64,
    cpu: Duration,
    rows: (u64, u64),
}

impl Sum {
    fn add(&mut self, span: &Span) {
        self.calls += 1;
        self.cpu += span.cpu;
        self.rows.0 += u64::from(span.rows.0);
        self.rows.1 += u64::from(span.rows.1);
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn percent(part: Duration, whole: Duration) -> f64 {
    100.0 * part.as_secs_f64() / whole.as_secs_f64().max(1e-9)
}

/// Time at the beginning, the end and in between during which at most one thread did anything.
fn alone(recording: &Recording) -> Duration {
    let mut ends: Vec<(Duration, i32)> = Vec::new();
    for span in recording.lanes.iter().flat_map(|lane| &lane.spans) {
        ends.extend([(span.start, 1), (span.start + span.wall, -1)]);
    }
    ends.sort_unstable();
    let (mut shared, mut busy, mut since) = (Duration::ZERO, 0, Duration::ZERO);
    for (at, change) in ends {
        if busy > 1 {
            shared += at - since;
        }
        (busy, since) = (busy + change, at);
    }
    recording.wall.saturating_sub(shared)
}

/// The table: phases and passes in the order of their first start, the slowest functions, and the whole.
pub fn table(recording: &Recording) -> String {
    let mut phases: Vec<(&str, Sum)> = Vec::new();
    let mut functions: Vec<(Duration, u32, Duration, &str)> =
        (0..).take(recording.names.len()).map(|k| (Duration::ZERO, k, Duration::ZERO, "")).collect();
    let mut by_start: Vec<&Span> = recording.lanes.iter().flat_map(|lane| &lane.spans).collect();
    by_start.sort_by_key(|span| span.start);
    for span in by_start {
        match phases.iter_mut().find(|(name, _)| *name == span.phase) {
            Some((_, sum)) => sum.add(span),
            None => {
                let mut sum = Sum::default();
                sum.add(span);
                phases.push((span.phase, sum));
            }
        }
        if let Some(row) = span.function.and_then(|k| functions.get_mut(k as usize)) {
            row.0 += span.cpu;
            if span.cpu > row.2 {
                (row.2, row.3) = (span.cpu, span.phase);
            }
        }
    }
    let known: Duration = phases.iter().map(|(_, sum)| sum.cpu).sum();
    phases.push(("(other)", Sum { cpu: recording.cpu.saturating_sub(known), ..Sum::default() }));
    let mut text = format!(
        "{:<14} {:>10} {:>6} {:>8} {:>11} {:>11} {:>8}\n",
        "phase", "cpu ms", "%", "calls", "in", "out", "ns/in"
    );
    for (name, Sum { calls, cpu, rows }) in phases {
        let share = percent(cpu, recording.cpu);
        let _ = write!(text, "{name:<14} {:>10.3} {share:>6.1} {calls:>8}", ms(cpu));
        if rows.0 > 0 {
            let each = cpu.as_secs_f64() * 1e9 / rows.0 as f64;
            let _ = write!(text, " {:>11} {:>11} {each:>8.1}", rows.0, rows.1);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{:<14} {:>10.3} {:>6.1}", "total", ms(recording.cpu), 100.0);

    functions.sort_by_key(|&(cpu, k, ..)| (std::cmp::Reverse(cpu), k));
    functions.retain(|row| !row.0.is_zero());
    if !functions.is_empty() {
        let _ = writeln!(text, "\n{:<30} {:>10} {:>6}  most of it", "slowest functions", "cpu ms", "%");
    }
    for &(cpu, k, most, phase) in functions.iter().take(SLOWEST) {
        let (name, share) = (&recording.names[k as usize], percent(cpu, recording.cpu));
        let name = name.get(..30).unwrap_or(name);
        let part = percent(most, cpu);
        let _ = writeln!(text, "{name:<30} {:>10.3} {share:>6.1}  {phase} {part:.0}%", ms(cpu));
    }
    if !recording.tables.is_empty() {
        let _ = writeln!(text, "\n{:<30} {:>14}", "tables, at their largest", "bytes");
    }
    for (name, bytes) in &recording.tables {
        let _ = writeln!(text, "{name:<30} {bytes:>14}");
    }
    let busy = recording.cpu.as_secs_f64() / recording.wall.as_secs_f64().max(1e-9);
    let _ = writeln!(
        text,
        "\nwall {:.3} ms, processor {:.3} ms ({busy:.2} busy), one thread at most {:.1}% of the wall time, peak memory {:.1} MB",
        ms(recording.wall),
        ms(recording.cpu),
        percent(alone(recording), recording.wall),
        recording.peak as f64 / 1e6,
    );
    text
}

/// The trace, in Chrome's trace event format: complete events in microseconds, one a line.
pub fn chrome(recording: &Recording) -> String {
    let mut text = String::from("[\n");
    let meta = |name: &str, lane: usize, value: &str| json!({"name": name, "ph": "M", "pid": 1, "tid": lane, "args": {"name": value}});
    let mut push = |event: serde_json::Value| {
        if text.len() > 2 {
            text.push_str(",\n");
        }
        text.push_str(&event.to_string());
    };
    push(meta("process_name", 0, "sysyc"));
    for (k, lane) in recording.lanes.iter().enumerate() {
        push(meta("thread_name", k, &lane.thread));
        for span in &lane.spans {
            let function = span.function.and_then(|k| recording.names.get(k as usize));
            push(json!({
                "name": span.phase,
                "ph": "X",
                "pid": 1,
                "tid": k,
                "ts": span.start.as_nanos() as f64 / 1e3,
                "dur": span.wall.as_nanos() as f64 / 1e3,
                "args": {
                    "function": function,
                    "cpu_us": span.cpu.as_nanos() as f64 / 1e3,
                    "in": span.rows.0,
                    "out": span.rows.1,
                },
            }));
        }
    }
    text.push_str("\n]\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording() -> Recording {
        let us = Duration::from_micros;
        let span = |phase, function, start, wall| Span {
            phase,
            function,
            start: us(start),
            wall: us(wall),
            cpu: us(wall),
            rows: (10, 20),
        };
        let lane = |thread: &str, spans: &[Span]| Lane { thread: thread.to_string(), spans: spans.to_vec() };
        Recording {
            wall: us(100),
            cpu: us(130),
            peak: 5_000_000,
            lanes: vec![
                lane("main", &[span("read", None, 0, 20), span("write", None, 80, 20)]),
                lane("w-0", &[span("lex", Some(0), 20, 30), span("parse", Some(0), 50, 10)]),
                lane("w-1", &[span("lex", Some(1), 20, 10)]),
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
            ["lex", "0.040", "30.8", "2", "20", "40", "2000.0"]
        );
        assert!(row("(other)").contains("0.040"), "{text}");
        assert!(row("f\"0").contains("0.040") && row("f\"0").ends_with("lex 75%"), "{text}");
        assert!(row("source").ends_with(" 77"));
        // From 20 to 30 two threads were busy.
        assert!(text.contains("one thread at most 90.0% of the wall time, peak memory 5.0 MB"), "{text}");
    }

    #[test]
    fn the_trace_is_json_with_a_lane_a_thread() {
        let events: serde_json::Value = serde_json::from_str(&chrome(&recording())).unwrap();
        let events = events.as_array().unwrap();
        assert_eq!(events.len(), 1 + 3 + 5);
        let lex = events.iter().find(|event| event["name"] == "lex" && event["tid"] == 1).unwrap();
        assert_eq!(
            (&lex["args"]["function"], &lex["ts"], &lex["dur"]),
            (&json!("f\"0"), &json!(20.0), &json!(30.0))
        );
    }
}
