//! What the environment asks the suite runner to do; see `tests/suite.rs` for the variables.

use super::toolchain::{TARGETS, Target, WAYS, Way};
use std::path::PathBuf;
use std::time::Duration;

/// One run of the suite.
#[derive(Clone)]
pub(crate) struct Settings {
    /// The `sysyc` under test.
    pub(crate) compiler: PathBuf,
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) targets: Vec<&'static Target>,
    /// From a source to a program, on targets other than the interpreter.
    pub(crate) ways: Vec<Way>,
    /// Each program takes the ways through GNU's linker at one level a target, the next program at the next: that an
    /// object and text are the same bytes at all levels is what `tests/encode.rs` holds, and linking is most of the time.
    pub(crate) in_turn: bool,
    pub(crate) levels: Vec<u8>,
    pub(crate) filter: String,
    pub(crate) jobs: usize,
    pub(crate) timeout: Duration,
    pub(crate) allow_missing: bool,
    pub(crate) check_jobs: bool,
    /// The compiler checks itself, too: IR after lowering and each pass, machine code, allocations.
    pub(crate) verify: bool,
    pub(crate) max_compile: Option<Duration>,
}

impl Settings {
    /// The settings of this process's environment.
    #[allow(dead_code)] // Not every test that shares this has an environment to read.
    pub(crate) fn from_environment() -> Result<Settings, String> {
        Settings::from(|name| std::env::var(name).ok().filter(|text| !text.is_empty()))
    }

    /// The settings that `variable` gives, defaults where it gives none.
    pub(crate) fn from(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let number = |name: &str| -> Result<Option<f64>, String> {
            let Some(text) = variable(name) else { return Ok(None) };
            match text.parse::<f64>() {
                Ok(value) if value > 0.0 && value < 1e9 => Ok(Some(value)),
                _ => Err(format!("{name}={text} is not a positive number")),
            }
        };
        let switch = |name: &str| variable(name).is_some_and(|text| text != "0");
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let folders = match variable("SYSYC_SUITE") {
            Some(text) => text.split(':').map(PathBuf::from).collect(),
            None => vec![root.join("tests/programs")],
        };
        let targets = match variable("SYSYC_TARGETS") {
            Some(text) => text.split(',').map(target_named).collect::<Result<_, _>>()?,
            None => TARGETS.iter().collect(),
        };
        let ways = match variable("SYSYC_WAYS") {
            Some(text) => text.split(',').map(way_named).collect::<Result<_, _>>()?,
            None => WAYS.iter().map(|row| row.1).collect(),
        };
        let levels = match variable("SYSYC_LEVELS") {
            Some(text) => text.split(',').map(level).collect::<Result<_, _>>()?,
            None => vec![0, 1, 2],
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Settings {
            compiler: variable("SYSYC_BIN").map_or(PathBuf::from(env!("CARGO_BIN_EXE_sysyc")), PathBuf::from),
            folders,
            targets,
            ways,
            in_turn: variable("SYSYC_WAYS").is_none(),
            levels,
            filter: variable("SYSYC_FILTER").unwrap_or_default(),
            jobs: number("SYSYC_JOBS")?.map_or(processors, |n| n as usize).max(1),
            timeout: Duration::from_secs_f64(number("SYSYC_TIMEOUT")?.unwrap_or(120.0)),
            allow_missing: switch("SYSYC_ALLOW_MISSING"),
            check_jobs: switch("SYSYC_CHECK_J"),
            verify: switch("SYSYC_VERIFY"),
            max_compile: number("SYSYC_MAX_COMPILE_SECONDS")?.map(Duration::from_secs_f64),
        })
    }
}

fn target_named(name: &str) -> Result<&'static Target, String> {
    let known = || TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
    TARGETS
        .iter()
        .find(|t| t.name == name)
        .ok_or_else(|| format!("no target {name:?}; there are {}", known()))
}

fn way_named(name: &str) -> Result<Way, String> {
    let known = || WAYS.iter().map(|row| row.0).collect::<Vec<_>>().join(", ");
    let row = WAYS.iter().find(|row| row.0 == name);
    row.map(|row| row.1).ok_or_else(|| format!("no way {name:?}; there are {}", known()))
}

fn level(text: &str) -> Result<u8, String> {
    text.parse()
        .ok()
        .filter(|l| *l <= 3)
        .ok_or_else(|| format!("no optimisation level {text:?}; there are 0 to 3"))
}

#[test]
fn defaults_and_variables() {
    let plain = Settings::from(|_| None).expect("defaults are valid");
    assert_eq!(plain.levels, [0, 1, 2]);
    assert_eq!(plain.ways, [Way::Builtin, Way::Object, Way::Assembly]);
    assert_eq!(
        plain.targets.iter().map(|t| t.name).collect::<Vec<_>>(),
        ["interp", "riscv64", "aarch64", "armv7"]
    );
    let given = |name: &str| match name {
        "SYSYC_SUITE" => Some("a:b".to_string()),
        "SYSYC_TARGETS" => Some("armv7,interp".to_string()),
        "SYSYC_LEVELS" => Some("3".to_string()),
        "SYSYC_WAYS" => Some("asm,builtin".to_string()),
        "SYSYC_CHECK_J" => Some("1".to_string()),
        "SYSYC_ALLOW_MISSING" => Some("0".to_string()),
        "SYSYC_MAX_COMPILE_SECONDS" => Some("0.5".to_string()),
        _ => None,
    };
    let set = Settings::from(given).expect("these are valid");
    assert_eq!(set.folders, [PathBuf::from("a"), PathBuf::from("b")]);
    assert_eq!(set.targets.iter().map(|t| t.name).collect::<Vec<_>>(), ["armv7", "interp"]);
    assert_eq!(set.levels, [3]);
    assert_eq!(set.ways, [Way::Assembly, Way::Builtin]);
    assert!(plain.in_turn && !set.in_turn);
    assert!(set.check_jobs && !set.allow_missing);
    assert_eq!(set.max_compile, Some(Duration::from_millis(500)));
}

#[test]
fn nonsense_is_refused() {
    for (name, text) in [
        ("SYSYC_TARGETS", "x86"),
        ("SYSYC_LEVELS", "4"),
        ("SYSYC_WAYS", "asm,none"),
        ("SYSYC_JOBS", "-1"),
        ("SYSYC_TIMEOUT", "soon"),
    ] {
        assert!(Settings::from(|asked| (asked == name).then(|| text.to_string())).is_err(), "{name}={text}");
    }
}
