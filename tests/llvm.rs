//! The IR's text against a real LLVM, and the interpreter against expected output.
//!
//! For every program of `tests/programs`: `llvm-as` takes what `--emit=ir` prints, reading and printing it
//! again gives the same text, both machines of the interpreter give the expected output, and so does the text
//! after `opt -O1 -S` where it stays inside the subset that is read. LLVM 15 to 20 will do; where there is
//! none, this fails unless `SYSYC_ALLOW_MISSING=1`.

#![allow(clippy::expect_used)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use sysyc::base::parallel::Workers;
use sysyc::ir::interp::{self, Options};
use sysyc::ir::{Module, parse, print};
use sysyc::opt;

/// The newest LLVM tool of this name.
fn tool(name: &str) -> Option<String> {
    let names = (15..=20).rev().map(|version| format!("{name}-{version}")).chain([name.to_string()]);
    let works = |name: &String| {
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    names.into_iter().find(works)
}

/// Feeds text to a command; its output, or its complaints.
fn pipe(command: &str, args: &[&str], text: &str) -> Result<String, String> {
    let mut child = Command::new(command)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was found before");
    let mut stdin = child.stdin.take().expect("it is piped");
    let bytes = text.as_bytes().to_vec();
    let writer = std::thread::spawn(move || {
        // It may stop reading at the first error.
        let _ = stdin.write_all(&bytes);
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("writing does not panic");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// Output and exit code in the form of the `.out` files, and how the run ended otherwise.
fn execute(module: &Module, input: &[u8], check: bool) -> String {
    let (mut input, mut output, mut errors) = (input, Vec::new(), Vec::new());
    let options = Options { check, ..Options::default() };
    let result = interp::run(module, "main", &mut input, &mut output, &mut errors, options);
    let mut text = String::from_utf8_lossy(&output).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match result {
        Ok(code) => text.push_str(&format!("{}\n", code & 255)),
        Err(trap) => text.push_str(&format!("{trap}\n")),
    }
    text
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the programs are there")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "sy"))
        .collect();
    paths.sort();
    assert!(paths.len() > 20, "most programs are missing");
    paths
}

/// Whether LLVM's optimised text could be run, too, and a text of it with vectors.
fn check(path: &Path, level: &str, tools: Option<&(String, String)>) -> Result<[bool; 2], String> {
    let emitted = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(["--emit=ir", "-w", level])
        .arg(path)
        .output()
        .expect("sysyc starts");
    let text = String::from_utf8(emitted.stdout).map_err(|_| "the text is not UTF-8".to_string())?;
    if !emitted.status.success() {
        return Err(String::from_utf8_lossy(&emitted.stderr).into_owned());
    }
    let module = parse::parse_named(&text).map_err(|error| format!("our own text: {error}"))?;
    if print::module(&module) != text {
        return Err("printing what was read gives another text".to_string());
    }
    let input = fs::read(path.with_extension("in")).unwrap_or_default();
    let expected = fs::read(path.with_extension("out")).expect("every program has its output");
    let expected = String::from_utf8_lossy(&expected);
    let same = |what: &str, have: String| {
        let (have_lines, lines) = (have.trim_end(), expected.trim_end());
        if have_lines == lines { Ok(()) } else { Err(format!("{what} gives\n{have}\nnot\n{expected}")) }
    };
    same("the fast machine", execute(&module, &input, false))?;
    same("the checking machine", execute(&module, &input, true))?;
    let Some((assembler, optimiser)) = tools else { return Ok([false; 2]) };
    pipe(assembler, &["-o", "/dev/null", "-"], &text).map_err(|error| format!("llvm-as: {error}"))?;
    let text = pipe(optimiser, &["-O1", "-S", "-vectorize-loops=false", "-vectorize-slp=false"], &text)
        .map_err(|error| format!("opt: {error}"))?;
    let read = |text: &str, what: &str| match parse::parse(text) {
        Ok(module) => Ok(Some(module)),
        Err(error) if error.message.contains("not supported") => Ok(None),
        Err(error) => Err(format!("{what}: {error}")),
    };
    let Some(module) = read(&text, "opt's text")? else { return Ok([false; 2]) };
    let once = print::module(&module);
    let twice = parse::parse(&once).map_err(|error| format!("opt's text, printed: {error}"))?;
    if print::module(&twice) != once {
        return Err("printing opt's text twice gives two texts".to_string());
    }
    pipe(assembler, &["-o", "/dev/null", "-"], &once).map_err(|error| format!("llvm-as: {error}"))?;
    same("opt's text", execute(&module, &input, false))?;
    let text = pipe(optimiser, &VECTORS, &text).map_err(|error| format!("opt: {error}"))?;
    match read(&text, "opt's vectors")? {
        Some(module) if module.defined().any(|f| f.has_vectors()) => {
            pipe(assembler, &["-o", "/dev/null", "-"], &print::module(&module))
                .map_err(|error| format!("llvm-as, of vectors: {error}"))?;
            same("opt's vectors", execute(&module, &input, false))?;
            same("opt's vectors, checked", execute(&module, &input, true))?;
            let verify = opt::Options { verify: true, ..opt::Options::default() };
            for level in [opt::Level::O1, opt::Level::O2] {
                let mut module = module.clone();
                let plan = opt::run::pipeline::plan(level);
                opt::run::manager::run_on_module(&mut module, plan, &verify, &Workers::new(1))
                    .map_err(|error| format!("{}: {}", error.pass, error.message))?;
                same("opt's vectors behind our passes", execute(&module, &input, false))?;
                same("opt's vectors behind our passes, checked", execute(&module, &input, true))?;
            }
            Ok([true; 2])
        }
        _ => Ok([true, false]),
    }
}

/// Vectors of 4 lanes wherever they are possible, without another order of floating sums.
const VECTORS: [&str; 5] =
    ["-O2", "-S", "-force-vector-width=4", "-hints-allow-reordering=false", "-vectorize-slp=false"];

#[test]
fn llvm_takes_our_text_and_the_interpreter_runs_it() {
    let tools = tool("llvm-as").zip(tool("opt"));
    let allowed = std::env::var("SYSYC_ALLOW_MISSING").is_ok_and(|text| !text.is_empty() && text != "0");
    assert!(
        tools.is_some() || allowed,
        "llvm-as and opt, version 15 to 20, are missing; SYSYC_ALLOW_MISSING=1 goes on"
    );
    let mut failures = Vec::new();
    let (mut counts, mut vectors) = ([0; 2], 0);
    for path in programs() {
        for level in ["-O0", "-O2"] {
            match check(&path, level, tools.as_ref()) {
                Ok([optimised, with_vectors]) => {
                    counts[usize::from(optimised)] += 1;
                    vectors += usize::from(with_vectors);
                }
                Err(message) => failures.push(format!("{} {level}: {message}", path.display())),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(
        tools.is_none() || counts[1] > counts[0],
        "of opt's texts {} ran and {} are not read",
        counts[1],
        counts[0]
    );
    assert!(tools.is_none() || vectors > 5, "of opt's texts with vectors {vectors} ran");
}
