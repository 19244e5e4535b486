//! What `sysyc` tells about itself: `--help`, `--version`, `--print`, `--explain`, `doctor`.

use super::options::{self, Goal, Options, Show, complete, help};
use super::session::{Failure, Session};
use super::{compile, deliver, libraries, toolchain, whole};
use crate::backend::code;
use crate::isa::{TARGETS, Target};
use crate::mir::pass::MachinePass;
use crate::opt;
use crate::opt::run::manager::{Stage, Step};
use crate::sema::explain::{EXPLANATIONS, explain};
use crate::sema::warning::{GROUPS, Level};
use crate::source::Severity;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// One of `--print=`.
pub struct List {
    /// What stands behind `=`.
    pub name: &'static str,
    /// What is printed.
    pub text: fn(&Options) -> String,
}

/// All of them.
pub static LISTS: [List; 9] = [
    List { name: "targets", text: |_| targets() },
    List { name: "passes", text: |_| help::lines(help::passes()) },
    List { name: "pipeline", text: |_| pipeline() },
    List { name: "warnings", text: |_| help::lines(help::warnings()) },
    List { name: "config", text: configuration },
    List { name: "man", text: |_| help::manual() },
    List { name: "completion-bash", text: |_| complete::bash() },
    List { name: "completion-zsh", text: |_| complete::zsh() },
    List { name: "completion-fish", text: |_| complete::fish() },
];

/// What is asked for, and the exit code.
pub fn show(what: Show, options: &Options) -> Result<(String, u8), String> {
    let text = match what {
        Show::Help => help::text(),
        Show::Version if options.verbose => format!("{}{}", version(), configuration(options)),
        Show::Version => version(),
        Show::Machine => format!("{}\n", libraries::triple(options.target)),
        Show::Number => format!("{}\n", env!("CARGO_PKG_VERSION")),
        Show::List(k) => LISTS.get(k).map_or(String::new(), |list| (list.text)(options)),
        Show::Explanation => explanation(&options.about)?,
        Show::Health => return Ok(health()),
        Show::Server | Show::Profile => String::new(),
    };
    Ok((text, 0))
}

/// What runs at each level, in order.
fn pipeline() -> String {
    let mut text = String::new();
    for (k, level) in [opt::Level::O0, opt::Level::O1, opt::Level::O2].into_iter().enumerate() {
        _ = writeln!(text, "-O{k}{}", if k == 2 { ", -O3, -Os, -Oz" } else { "" });
        for step in opt::run::pipeline::plan(level) {
            let (name, words) = match step {
                Step::Each(stages) => ("each function", stages.iter().flat_map(stage).collect()),
                Step::Summary(summary) => ("callees first", vec![summary.name]),
                Step::All(pass) => ("whole program", vec![pass.name]),
            };
            if words.is_empty() {
                continue;
            }
            list(&mut text, name, &words);
        }
        let is_there = |pass: &&MachinePass| pass.runs_at(k as u8);
        let machine: Vec<&str> = code::passes().filter(is_there).map(|pass| pass.name).collect();
        list(&mut text, "machine code", &machine);
    }
    text
}

/// A name and words, in lines of which all but the first begin behind the name.
fn list(text: &mut String, name: &str, words: &[&str]) {
    let mut line = format!("  {name:15}");
    for (k, word) in words.iter().enumerate() {
        if line.len() + word.len() > 100 {
            _ = writeln!(text, "{}", line.trim_end());
            line = " ".repeat(17);
        }
        line.push_str(if k == 0 { "" } else { " " });
        line.push_str(word);
    }
    _ = writeln!(text, "{}", line.trim_end());
}

/// What a function goes through in a stage.
fn stage(stage: &Stage) -> Vec<&'static str> {
    match stage {
        Stage::Make => vec!["(lower)"],
        Stage::Passes(passes) => passes.iter().map(|pass| pass.name).collect(),
        Stage::Canonical | Stage::Pack => Vec::new(),
        Stage::Code => vec!["(machine code)"],
    }
}

/// The commit and its day, or nothing where the build does not know them (`.cargo/commit.rs`).
const COMMIT: &str = env!("SYSYC_COMMIT");

fn version() -> String {
    let commit = if COMMIT.is_empty() { String::new() } else { format!(" ({COMMIT})") };
    format!("sysyc {}{commit}\n", env!("CARGO_PKG_VERSION"))
}

fn targets() -> String {
    let mut text = String::new();
    for target in TARGETS {
        let cores: Vec<&str> = target.models.iter().flat_map(|model| model.names).map(|row| row.0).collect();
        let list =
            |rows: &[crate::isa::features::Name]| rows.iter().map(|row| row.0).collect::<Vec<_>>().join(" ");
        _ = write!(
            text,
            "{}\n  also called  {}\n  -march       {}\n  extensions   {}\n  -mtune       {}\n  -mabi        {}\n",
            target.name,
            target.triples.join(" "),
            list(target.bases),
            list(target.extensions),
            cores.join(" "),
            target.abis.join(" "),
        );
    }
    text
}

/// How this compiler was built, and what it does unless it is told otherwise.
fn configuration(options: &Options) -> String {
    let allocator = if cfg!(feature = "mimalloc") { "mimalloc" } else { "the system's" };
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    help::lines(
        [
            ("version", env!("CARGO_PKG_VERSION").to_string()),
            ("commit", if COMMIT.is_empty() { "not told" } else { COMMIT }.to_string()),
            ("build", if cfg!(debug_assertions) { "with assertions" } else { "optimised" }.to_string()),
            ("host", format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)),
            ("targets", names.join(" ")),
            ("target", options.target.name.to_string()),
            ("level", options::DEFAULT_LEVEL.to_string()),
            ("allocator of the command", allocator.to_string()),
            ("workers", std::thread::available_parallelism().map_or(1, usize::from).to_string()),
        ]
        .iter()
        .map(|(name, value)| ((*name).to_string(), value.as_str())),
    )
}

/// What would be run (`-###`): each source through `sysyc` itself, and what another linker takes.
pub fn commands(session: &Session) -> Result<u8, Failure> {
    let options = &session.options;
    let own = std::env::current_exe().map_or("sysyc".to_string(), |path| path.display().to_string());
    // A program is one output of all its sources.
    let all = match options.goal {
        Goal::Link | Goal::Run => options.inputs.len().max(1),
        _ => 1,
    };
    for inputs in options.inputs.chunks(all) {
        let (goal, extension) = match options.goal {
            Goal::Source => (Some("-E"), ""),
            Goal::Assembly => (Some("-S"), "s"),
            Goal::Object => (Some("-c"), "o"),
            Goal::Run => (Some("--run"), ""),
            Goal::Check => (Some("--check"), ""),
            Goal::Format => (Some("--format"), ""),
            Goal::Emit(_) => match options.ir_file {
                Some("o") => (Some("-c"), "o"),
                Some(_) => (Some("-emit-llvm"), "ll"),
                None => (None, ""),
            },
            Goal::Link => (None, ""),
        };
        let mut words = vec![
            own.clone(),
            format!("--target={}", options.target.name),
            format!("-O{}", crate::sysy::through::level(options.level).name()),
        ];
        words.extend(options.machine.iter().map(|name| format!("-march={name}")));
        words.extend(options.debug.then(|| if options.only_lines { "-g1" } else { "-g" }.to_string()));
        words.extend(options::code_words(options));
        words.extend(goal.map(String::from));
        words.extend((goal == Some("-emit-llvm")).then(|| "-S".to_string()));
        if matches!(options.goal, Goal::Assembly | Goal::Object | Goal::Link) || options.ir_file.is_some() {
            let output = deliver::default_output(options, &inputs[0].path, extension);
            words.extend(["-o".to_string(), output.display().to_string()]);
        }
        words.extend(inputs.iter().map(|input| input.path.display().to_string()));
        words.extend(options.link_inputs.iter().map(|path| path.display().to_string()));
        if options.goal == Goal::Link {
            words.extend(options.library_paths.iter().map(|path| format!("-L{}", path.display())));
            words.extend(options.libraries.iter().map(|name| format!("-l{name}")));
            words.extend(options.linker_words.iter().cloned());
        }
        let line = toolchain::shown(words.iter());
        session.say(Severity::Note, line.trim(), &line);
    }
    if options.goal == Goal::Link && options.use_ld.is_some() {
        // What is compiled as one program is one object.
        let objects = if whole::is_whole(options) { 1 } else { options.inputs.len() };
        toolchain::link(session, &vec![Vec::new(); objects])?;
    }
    Ok(0)
}

/// What a diagnostic means.
pub(super) fn explanation(code: &str) -> Result<String, String> {
    let Some(row) = explain(code) else {
        let near = help::near(code, EXPLANATIONS.iter().map(|row| row.code));
        return Err(format!(
            "no diagnostic '{code}'{near}; the code stands in brackets behind 'error' or 'warning'"
        ));
    };
    let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
    let group = GROUPS.iter().find(|group| group.name == code);
    let group = group.map_or(String::new(), |group| {
        let on = match group.level {
            Level::Default => "On by itself",
            Level::All => "On with -Wall",
            Level::Extra => "On with -Wextra",
            Level::Pedantic => "On with -Wpedantic",
            Level::Named => "On by name only",
        };
        format!("\n{on}; -Wno-{code} turns it off, -Werror={code} makes it an error.\n")
    });
    let (wrong, right) = (indented(row.wrong), indented(row.right));
    Ok(format!("{code}: {}\n\n{}\n{group}\nReported:\n\n{wrong}\nRight:\n\n{right}", row.title, row.text))
}

/// The command that runs a program for a target on this machine, if there is one: none if it is the machine's
/// own.
pub fn emulator(target: &Target) -> Option<Option<std::path::PathBuf>> {
    let own = match std::env::consts::ARCH {
        "arm" => "armv7",
        name => name,
    };
    if own == target.name {
        return Some(None);
    }
    toolchain::find(target.qemu, &std::env::var_os("PATH").unwrap_or_default()).map(Some)
}

/// Tries everything that may be missing or broken. The exit code is 1 if something that is here does not work.
fn health() -> (String, u8) {
    let mut text = version();
    let mut broken = 0;
    let mut say = |what: &str, found: Result<String, String>| match found {
        Ok(found) => _ = writeln!(text, "  ok       {what:<32} {found}"),
        Err(missing) => _ = writeln!(text, "  -        {what:<32} {missing}"),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    for target in TARGETS {
        let made = tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"));
        match made.and_then(|folder| tried(target, folder.path())) {
            Ok(how) => say(&format!("a program for {}", target.name), Ok(how)),
            Err(why) => {
                broken = 1;
                say(&format!("a program for {}", target.name), Err(format!("FAILED: {why}")));
            }
        }
        let found = |name: &str, what: &str| {
            let file = toolchain::find(name, &path).map(|file| file.display().to_string());
            file.ok_or_else(|| {
                format!("'{name}' is not here: {what} (apt install {})", target.packages.join(" "))
            })
        };
        if emulator(target) != Some(None) {
            say(
                &format!("  an emulator for {}", target.name),
                found(target.qemu, "programs run with --run only"),
            );
        }
        say(
            &format!("  a cross gcc for {}", target.name),
            found(target.gcc, "-fuse-ld=gcc needs it, nothing else"),
        );
        let library = libraries::c_library(target, &libraries::folders(target, &[]), false);
        let first =
            library.map(|files| files.first.first().map_or(String::new(), |file| file.display().to_string()));
        let missing = "not here: only objects that call C's functions need it".to_string();
        say(&format!("  a C library for {}", target.name), first.map_err(|_| missing));
    }
    (text, broken)
}

/// Compiles, links and runs a program.
fn tried(target: &Target, folder: &Path) -> Result<String, String> {
    let (source, program) = (folder.join("t.sy"), folder.join("t"));
    let text = "int main() { int k = getint(); putint(k * k); return k; }\n";
    std::fs::write(&source, text).map_err(|error| format!("cannot write: {error}"))?;
    let words: [OsString; 6] = [
        "sysyc".into(),
        "-O2".into(),
        format!("--target={}", target.name).into(),
        source.clone().into(),
        "-o".into(),
        program.clone().into(),
    ];
    let session = Session::new(options::parse(words)?);
    let done = session.guard(&source, || compile::compile(&session, &session.options.inputs[0]));
    if done.is_err() {
        return Err("it cannot be made".to_string());
    }
    let Some(emulator) = emulator(target) else { return Ok("is made; nothing runs it here".to_string()) };
    let mut command = emulator.map_or_else(
        || Command::new(&program),
        |emulator| {
            let mut command = Command::new(emulator);
            command.arg(&program);
            command
        },
    );
    std::fs::write(folder.join("in"), "12\n").map_err(|error| format!("cannot write: {error}"))?;
    let input = std::fs::File::open(folder.join("in")).map_err(|error| format!("cannot read: {error}"))?;
    let done = command.stdin(input).output().map_err(|error| format!("it cannot be run: {error}"))?;
    if done.stdout == b"144" && done.status.code() == Some(12) {
        Ok("is made, and runs".to_string())
    } else {
        Err(format!("it prints {:?} and ends with {}", String::from_utf8_lossy(&done.stdout), done.status))
    }
}
