//! The command line. The spelling is that of gcc and clang: `-O2`, `-ofile`, `-Wno-x`, `-fname=value`, in any
//! order.

use super::backend;
use crate::isa::{self, TARGETS, Target, features};
use crate::mir::Features;
use crate::opt;
use crate::sema::warning::{GROUPS, Level, WarningSet};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A program.
    Link,
    /// Assembly text.
    Assembly,
    /// An object file.
    Object,
    /// Executing the program.
    Run,
    /// Diagnostics only.
    Check,
    /// Dumps of stages, in the order in which they are made.
    Emit(Vec<Emit>),
}

/// A stage that can be dumped.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Emit {
    Tokens,
    Tree,
    Ir,
    Mir,
    Asm,
}

const EMITS: [(&str, Emit); 5] = [
    ("tokens", Emit::Tokens),
    ("tree", Emit::Tree),
    ("ir", Emit::Ir),
    ("mir", Emit::Mir),
    ("asm", Emit::Asm),
];

/// The target that `name`, a short name or a triple, means.
fn target_named(name: &str) -> Option<&'static Target> {
    let cpu = name.split('-').next().unwrap_or(name);
    isa::find(name).or_else(|| isa::find(cpu))
}

/// When messages have colours.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Everything that the command line says.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sources, in SysY or IR; `-` is the standard input.
    pub inputs: Vec<PathBuf>,
    /// Objects and archives (`.o`, `.a`) to link with the program, in order; none unless the goal is a
    /// program.
    pub link_inputs: Vec<PathBuf>,
    /// Folders in which libraries are looked for, in order.
    pub library_paths: Vec<PathBuf>,
    /// Libraries to link: `x` is `libx.a` of the first folder that has one.
    pub libraries: Vec<String>,
    /// The linker instead of the default: `gcc`, a linker that gcc knows, or another compiler's name.
    pub use_ld: Option<String>,
    /// Where the output goes; `-` is the standard output.
    pub output: Option<PathBuf>,
    /// What is asked for.
    pub goal: Goal,
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Number of workers; none: as many as the machine has, for inputs that are worth it.
    pub jobs: Option<usize>,
    /// The machine.
    pub target: &'static Target,
    /// What it has beyond the least of its target.
    pub features: Features,
    /// Link without symbols and debug information.
    pub strip: bool,
    /// Which warnings are on.
    pub warnings: WarningSet,
    /// No warnings at all, those without a group included.
    pub quiet: bool,
    /// Colours.
    pub colour: Colour,
    /// Diagnostics as JSON.
    pub json: bool,
    /// Most errors shown; 0 for all.
    pub error_limit: usize,
    /// Show the commands that are run.
    pub verbose: bool,
    /// With `--run`: execute the program as written, and stop at the first undefined operation.
    pub checked: bool,
    /// Tell debuggers of lines, variables and frames.
    pub debug: bool,
    /// Where a trace of all threads goes, if one is wanted.
    pub time_trace: Option<PathBuf>,
    /// For testing: bytes of source in a window, a worker; none for what serves best. The output does not
    /// depend on it.
    pub window: Option<usize>,
    /// Bytes of source from which IR that waits for the rest of the program is packed. A million lines take
    /// 200 MB packed, and 1.3 GB as they are. To pack and unpack costs 7% of the instructions of -O2, and
    /// time only below 30,000 lines: at 100,000 (3.4 MB) it saves 4 to 9% of the time of -O2.
    pub packs_from: usize,
    /// About passes.
    pub passes: opt::Options,
}

/// One `-f` option.
struct Flag {
    name: &'static str,
    /// What it takes behind `=`, if anything.
    value: Option<&'static str>,
    help: &'static str,
    apply: fn(&mut Options, &str) -> bool,
}

const fn flag(
    name: &'static str,
    value: Option<&'static str>,
    help: &'static str,
    apply: fn(&mut Options, &str) -> bool,
) -> Flag {
    Flag { name, value, help, apply }
}

#[rustfmt::skip]
static FLAGS: [Flag; 15] = [
    flag("syntax-only", None, "check the program and stop", |o, _| { o.goal = Goal::Check; true }),
    flag("error-limit", Some("N"), "show at most N errors; 0 shows all", |o, v| v.parse().map(|n| o.error_limit = n).is_ok()),
    flag("use-ld", Some("NAME"), "the linker: gcc; bfd, gold, lld, mold (through gcc); or another compiler", |o, v| { o.use_ld = Some(v.to_string()); !v.is_empty() }),
    flag("verify", None, "verify the program's representation after each pass", |o, _| { o.passes.verify = true; true }),
    flag("no-verify", None, "do not", |o, _| { o.passes.verify = false; true }),
    flag("print-before", Some("PASS"), "print the IR before a pass (all: before each)", |o, v| { o.passes.print_before.push(v.to_string()); true }),
    flag("print-after", Some("PASS"), "print the IR after a pass (all: after each)", |o, v| { o.passes.print_after.push(v.to_string()); true }),
    flag("disable-pass", Some("PASS"), "do not run a pass", |o, v| { o.passes.disable.push(v.to_string()); true }),
    flag("stop-after", Some("PASS"), "end optimisation after a pass", |o, v| { o.passes.stop_after = Some(v.to_string()); true }),
    flag("bisect", Some("N"), "stop after N changes by passes in each function", |o, v| v.parse().map(|n| o.passes.bisect = Some(n)).is_ok()),
    flag("time-report", None, "show time and work of each phase and pass, the slowest functions, and memory", |o, _| { o.passes.time_report = true; true }),
    flag("time-trace", Some("FILE"), "write what each thread did when, for Perfetto or chrome://tracing", |o, v| { o.time_trace = Some(PathBuf::from(v)); !v.is_empty() }),
    flag("window", Some("BYTES"), "keep about as much source in memory as IR, a worker; the output does not depend on it", |o, v| v.parse().map(|n| o.window = Some(n)).is_ok()),
    flag("pack", Some("BYTES"), "pack IR that waits for the rest of the program, from so much source on", |o, v| v.parse().map(|n| o.packs_from = n).is_ok()),
    flag("no-time-report", None, "do not", |o, _| { o.passes.time_report = false; true }),
];

/// What is understood. The tables behind the help take as long to build as all the rest, and are rarely read.
fn command(with_help: bool) -> Command {
    type Text = &'static str;
    let switch = |id: Text, help: Text| Arg::new(id).help(help).action(ArgAction::SetTrue);
    let value = |id: Text, name: Text, help: Text| Arg::new(id).value_name(name).help(help);
    let list = |id: Text, name: Text, help: Text| value(id, name, help).action(ArgAction::Append);
    let path = value_parser!(PathBuf);
    let inputs = "A SysY source, or IR in text (.ll); - is the standard input; .o and .a are linked";
    let check = "With --run: stop at the first undefined operation; alone: check the program and stop";
    let machine = "What the machine has, as in rv64gc_zba_zbb, rv64g, armv8-a, armv7-a, armv7-a+idiv";
    let debug = "Tell debuggers of lines, variables and frames; -g0: do not";
    let args = [
        list("inputs", "file", inputs).value_parser(path.clone()),
        value("output", "file", "Where the output goes; - is the standard output")
            .short('o')
            .value_parser(path.clone()),
        switch("assembly", "Make assembly").short('S'),
        switch("object", "Make an object file").short('c'),
        switch("run", "Execute the program, here and now").long("run"),
        switch("check", check).long("check").conflicts_with_all(["assembly", "object", "emit"]),
        list("emit", "stage,...", "Print stages")
            .long("emit")
            .value_delimiter(',')
            .value_parser(EMITS.map(|row| row.0)),
        value("level", "level", "Optimise: 0 to 3")
            .short('O')
            .default_value("1")
            .value_parser(value_parser!(u8).range(0..=3)),
        value("debug", "level", debug)
            .short('g')
            .num_args(0..=1)
            .require_equals(true)
            .default_value("0")
            .default_missing_value("2")
            .value_parser(["0", "1", "2", "3"]),
        value("jobs", "N", "Number of workers; the output does not depend on it")
            .short('j')
            .long("jobs")
            .value_parser(value_parser!(u16).range(1..)),
        value("target", "name", "riscv64, aarch64 or armv7, or a triple")
            .long("target")
            .default_value("riscv64"),
        list("machine", "arch=name", machine).short('m'),
        list("library-paths", "folder", "Where libraries are looked for").short('L').value_parser(path),
        list("libraries", "name", "Link the library libNAME.a").short('l'),
        list("warnings", "group", "Warnings: all, extra, error, error=group, group, no-group").short('W'),
        switch("strip", "Leave symbols and debug information out of the program").short('s'),
        switch("quiet", "No warnings").short('w'),
        list("flags", "name[=value]", "See below").short('f'),
        switch("verbose", "Show the commands that are run").short('v').long("verbose"),
        value("format", "form", "How diagnostics are shown")
            .long("error-format")
            .default_value("human")
            .value_parser(["human", "json"]),
        value("colour", "when", "Colours in diagnostics")
            .long("color")
            .alias("colour")
            .default_value("auto")
            .value_parser(["auto", "always", "never"]),
    ];
    Command::new("sysyc")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Compiles SysY for RISC-V 64, AArch64 and ARMv7")
        .override_usage("sysyc [options] file...")
        .after_help(if with_help { after_help() } else { String::new() })
        .args_override_self(true)
        .args(args)
        .group(ArgGroup::new("goal").args(["assembly", "object", "run", "emit"]).multiple(false))
}

fn after_help() -> String {
    let mut text = String::from("Options -f<name>:\n");
    for flag in &FLAGS {
        let name = flag.value.map_or(flag.name.to_string(), |value| format!("{}={value}", flag.name));
        text.push_str(&format!("  -f{name:<22} {}\n", flag.help));
    }
    text.push_str("\nWarnings -W<group>, -Wno-<group>:\n");
    for group in &GROUPS {
        let on = match group.level {
            Level::Default => "",
            Level::All => " (-Wall)",
            Level::Extra => " (-Wextra)",
        };
        text.push_str(&format!("  {:<24} {}{on}\n", group.name, group.description));
    }
    text.push_str("\nPasses:\n");
    let machine = backend::passes().map(|pass| (pass.name, pass.description));
    for (name, description) in opt::passes().chain(machine) {
        text.push_str(&format!("  {name:<24} {description}\n"));
    }
    text.push_str("\nExit codes: 1 for errors in the program, 2 for wrong use, 70 for a bug of sysyc,");
    text.push_str(" 71 if there is not enough memory; --run gives the program's own.");
    text
}

/// Reads the command line, the program's name included. The error is what clap has to say: help, version or
/// wrong use.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Options, clap::Error> {
    // Without a number or a name behind them, two have a meaning of their own; the number of another is
    // optional.
    let args = args.into_iter().map(|arg| match arg.to_str() {
        Some("-O") => "-O1".into(),
        Some("-W") => "-Wextra".into(),
        Some(text) if text.starts_with("-g") && text.len() == 3 => format!("-g={}", &text[2..]).into(),
        _ => arg,
    });
    let args: Vec<OsString> = args.collect();
    let mut command = command(args.iter().any(|arg| arg == "--help" || arg == "-h"));
    let matches = command.try_get_matches_from_mut(args)?;
    options(&matches).map_err(|message| command.error(clap::error::ErrorKind::ValueValidation, message))
}

fn options(matches: &ArgMatches) -> Result<Options, String> {
    let text = |id: &str| matches.get_one::<String>(id).map_or("", String::as_str);
    let texts = |id: &str| matches.get_many::<String>(id).into_iter().flatten().map(String::as_str);
    let paths = |id: &str| matches.get_many::<PathBuf>(id).into_iter().flatten().cloned();
    let target = target_named(text("target")).ok_or_else(|| {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        format!("no target '{}'; there are {}", text("target"), names.join(", "))
    })?;
    let (link_inputs, inputs) = paths("inputs").partition(|path| is_linked(path));
    let mut options = Options {
        inputs,
        link_inputs,
        library_paths: paths("library-paths").collect(),
        libraries: texts("libraries").map(String::from).collect(),
        use_ld: None,
        output: matches.get_one::<PathBuf>("output").cloned(),
        goal: goal(matches),
        level: matches.get_one::<u8>("level").copied().unwrap_or(1),
        jobs: matches.get_one::<u16>("jobs").map(|&jobs| usize::from(jobs)),
        target,
        features: features::default_of(target),
        warnings: WarningSet::default(),
        strip: matches.get_flag("strip"),
        quiet: matches.get_flag("quiet"),
        colour: match text("colour") {
            "always" => Colour::Always,
            "never" => Colour::Never,
            _ => Colour::Auto,
        },
        json: text("format") == "json",
        error_limit: 20,
        verbose: matches.get_flag("verbose"),
        checked: matches.get_flag("check") && matches.get_flag("run"),
        debug: text("debug") != "0",
        time_trace: None,
        window: None,
        packs_from: 2 << 20,
        passes: opt::Options::default(),
    };
    if let Some(text) = texts("machine").next_back() {
        let Some(name) = text.strip_prefix("arch=") else {
            return Err(format!("no option '-m{text}'; there is -march=name"));
        };
        options.features = features::parse(options.target, name)?;
    }
    for name in texts("warnings") {
        if !options.warnings.apply(name) {
            return Err(format!("no group of warnings '-W{name}'; 'sysyc --help' lists them"));
        }
    }
    if matches.get_flag("quiet") {
        options.warnings = WarningSet::NONE;
    }
    for text in texts("flags") {
        apply_flag(&mut options, text)?;
    }
    if options.goal != Goal::Run {
        options.passes.target = (options.target.facts)(options.features);
    }
    check(&options)?;
    Ok(options)
}

/// True of what the linker reads and the compiler does not.
fn is_linked(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "o" || extension == "a")
}

fn goal(matches: &ArgMatches) -> Goal {
    let named =
        [("assembly", Goal::Assembly), ("object", Goal::Object), ("run", Goal::Run), ("check", Goal::Check)];
    if let Some((_, goal)) = named.into_iter().find(|(id, _)| matches.get_flag(id)) {
        return goal;
    }
    let mut stages: Vec<Emit> = matches
        .get_many::<String>("emit")
        .into_iter()
        .flatten()
        .filter_map(|name| EMITS.iter().find(|row| row.0 == name).map(|row| row.1))
        .collect();
    stages.sort();
    stages.dedup();
    if stages.is_empty() { Goal::Link } else { Goal::Emit(stages) }
}

fn apply_flag(options: &mut Options, text: &str) -> Result<(), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let Some(flag) = FLAGS.iter().find(|flag| flag.name == name) else {
        return Err(format!("no option '-f{name}'; 'sysyc --help' lists them"));
    };
    match (flag.value, value) {
        (None, Some(_)) => Err(format!("'-f{name}' takes no value")),
        (Some(what), None) => Err(format!("'-f{name}' needs a value: -f{name}={what}")),
        _ if (flag.apply)(options, value.unwrap_or("")) => Ok(()),
        (what, _) => Err(format!("'-f{text}' has no fitting value: -f{name}={}", what.unwrap_or_default())),
    }
}

/// What no single option can be blamed for.
fn check(options: &Options) -> Result<(), String> {
    if let Some(name) =
        options.passes.unknown_pass(|name| name == "mir" || backend::passes().any(|pass| pass.name == name))
    {
        return Err(format!("no pass '{name}'; 'sysyc --help' lists them"));
    }
    if options.inputs.is_empty() && options.link_inputs.is_empty() {
        return Err("no input file".to_string());
    }
    if let Some(path) = options.link_inputs.first()
        && options.goal != Goal::Link
    {
        return Err(format!("'{}' can only be linked, and no program is asked for", path.display()));
    }
    if options.inputs.len() > 1 {
        match options.goal {
            Goal::Link => {
                return Err(
                    "several sources cannot be linked: a SysY program is one file, with .o and .a files \
                            at will (with -S or -c, each file is compiled on its own)"
                        .to_string(),
                );
            }
            Goal::Run => return Err("one program can be run at a time".to_string()),
            _ if options.output.is_some() => {
                return Err("-o names one output, but there are several inputs".to_string());
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, clap::Error> {
        parse(line.split(' ').map(OsString::from))
    }

    #[test]
    fn the_contest_and_gcc_spellings_mean_the_same_in_any_order() {
        for line in [
            "compiler -S -o t.s t.sy -O2",
            "sysyc -O2 t.sy -ot.s -S",
            "sysyc -O0 -O2 -S t.sy -o t.s",
            "sysyc -S -O2 -o t.s -- t.sy",
        ] {
            let o = parsed(line).unwrap();
            assert_eq!((o.goal, o.level), (Goal::Assembly, 2), "{line}");
            assert_eq!((o.output, o.inputs), (Some("t.s".into()), vec!["t.sy".into()]), "{line}");
        }
        assert_eq!(parsed("sysyc -O t.sy").unwrap().level, 1);
        assert_eq!(parsed("sysyc - -j8").unwrap().inputs, [PathBuf::from("-")]);
    }

    #[test]
    fn targets_have_names_and_triples() {
        for (name, target) in [
            ("riscv64", "riscv64"),
            ("riscv64-linux-gnu", "riscv64"),
            ("aarch64-unknown-linux-gnu", "aarch64"),
            ("arm64", "aarch64"),
            ("armv7", "armv7"),
            ("arm-linux-gnueabihf", "armv7"),
        ] {
            assert_eq!(parsed(&format!("sysyc t.sy --target={name}")).unwrap().target.name, target, "{name}");
        }
        assert!(parsed("sysyc t.sy --target x86_64").is_err());
    }

    #[test]
    fn machines_are_those_of_the_target() {
        let of = |line: &str| parsed(&format!("sysyc t.sy {line}")).map(|o| o.features);
        assert_eq!(of("-O1").unwrap(), features::COMPRESSED);
        assert_eq!(of("-march=rv64gc -march=rv64g_zbb").unwrap(), features::ZBB);
        assert_eq!(of("-march=armv7-a --target=armv7").unwrap(), Features(0));
        for line in ["-march=armv7-a", "-march=rv64gc_nonsense", "-march", "-mtune=x"] {
            assert!(of(line).is_err(), "{line}");
        }
    }

    #[test]
    fn flags_take_values_where_they_should() {
        let o = parsed("sysyc t.sy -fverify -fprint-after=mem2reg -fbisect=7 -ferror-limit=0 -Wall").unwrap();
        assert_eq!((o.passes.verify, o.passes.bisect, o.error_limit), (true, Some(7), 0));
        assert_eq!(o.passes.print_after, ["mem2reg"]);
        for (line, debug) in [("", false), (" -g", true), (" -g3 -g0", false), (" -g0 -g", true)] {
            assert_eq!(parsed(&format!("sysyc t.sy{line}")).unwrap().debug, debug, "{line}");
        }
        assert_eq!(parsed("sysyc t.sy -fsyntax-only").unwrap().goal, Goal::Check);
        for line in ["-fverify=1", "-fbisect", "-fbisect=x", "-fnonsense", "-Wnonsense", "-O4", "-j0"] {
            assert!(parsed(&format!("sysyc t.sy {line}")).is_err(), "{line}");
        }
    }

    #[test]
    fn objects_and_archives_are_for_the_linker() {
        let o = parsed("sysyc a.o t.sy -Llib b.a -lsysy -L . -l m -o t -fuse-ld=lld").unwrap();
        assert_eq!((o.goal, o.inputs), (Goal::Link, vec!["t.sy".into()]));
        assert_eq!(o.link_inputs, [PathBuf::from("a.o"), PathBuf::from("b.a")]);
        assert_eq!(o.library_paths, [PathBuf::from("lib"), PathBuf::from(".")]);
        assert_eq!((o.libraries, o.use_ld), (vec!["sysy".into(), "m".into()], Some("lld".into())));
        assert!(parsed("sysyc a.o b.o").unwrap().inputs.is_empty());
        for line in ["-c a.o", "-S t.sy a.o", "--run t.sy b.a", "a.o t.sy u.sy", "t.sy -fuse-ld="] {
            assert!(parsed(&format!("sysyc {line}")).is_err(), "{line}");
        }
    }

    #[test]
    fn emits_are_sorted_and_goals_exclude_each_other() {
        let o = parsed("sysyc --emit=ir,tokens t.sy").unwrap();
        assert_eq!(o.goal, Goal::Emit(vec![Emit::Tokens, Emit::Ir]));
        for line in
            ["sysyc -S -c t.sy", "sysyc --run -S t.sy", "sysyc", "sysyc a.sy b.sy", "sysyc -S -o x a.sy b.sy"]
        {
            assert!(parsed(line).is_err(), "{line}");
        }
        assert!(parsed("sysyc -S a.sy b.sy").is_ok());
    }
}
