//! Diagnostics, word by word: each `.sy` below `tests/errors` is compiled, and what appears on stderr must be
//! what stands in `x.expected` beside it, the exit code on a last line of its own.
//!
//! The first line of a program is `// flags:` and the options. A program in error (exit code 1) must leave no
//! output file, any other must. `SYSYC_BLESS=1 cargo test --test command errors::` writes the expectations again; read
//! the difference.
//!
//! Every warning group has a file of its name in `warnings`, and every code that the front end reports occurs
//! in some expectation, which two of the tests check.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use sysyc::sema::explain::explain;
use sysyc::sema::warning::GROUPS;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors")
}

/// The files below `folder` that end in `.ending`, sorted.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Compiles one program; what it said and how it ended, or what is wrong whatever was expected.
fn compile(source: &Path, output: &Path) -> Result<String, String> {
    let bytes = fs::read(source).map_err(|error| error.to_string())?;
    let first = String::from_utf8_lossy(bytes.split(|&b| b == b'\n').next().unwrap_or_default()).into_owned();
    let flags = first.trim_end().strip_prefix("// flags:").ok_or("the first line is not '// flags: ...'")?;
    let done = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(flags.split_whitespace())
        .args(["--emit=ir", "-o"])
        .arg(output)
        .arg(source.file_name().unwrap_or_default())
        .current_dir(source.parent().unwrap_or(Path::new(".")))
        .env_remove("COLUMNS")
        .output()
        .map_err(|error| error.to_string())?;
    let code = done.status.code().ok_or("a signal")?;
    if output.exists() == (code != 0) {
        return Err(format!("exit code {code}, and the output file exists: {}", output.exists()));
    }
    let _ = fs::remove_file(output);
    let said = String::from_utf8(done.stderr).map_err(|_| "stderr is not UTF-8")?;
    Ok(format!("{said}exit code {code}\n"))
}

#[test]
fn diagnostics_are_as_expected() {
    let bless = std::env::var_os("SYSYC_BLESS").is_some();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sources = files(&root(), "sy");
    assert!(sources.len() > 100, "only {} programs", sources.len());
    let mut wrong = Vec::new();
    for source in &sources {
        let expected_path = source.with_extension("expected");
        match compile(source, &folder.path().join("out")) {
            Err(why) => wrong.push(format!("{}: {why}", source.display())),
            Ok(actual) if bless => fs::write(&expected_path, actual).expect("it can be written"),
            Ok(actual) => {
                let expected = fs::read_to_string(&expected_path).unwrap_or_default();
                if actual != expected {
                    wrong
                        .push(format!("{}:\n--- expected\n{expected}--- actual\n{actual}", source.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong\n{}", wrong.len(), sources.len(), wrong.join("\n"));
}

/// The errors and the warnings of a program, and how many of them have edits; with `--fix`, the edits are made.
fn count(source: &Path, flags: &[&str], output: &Path) -> [[usize; 2]; 2] {
    let done = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(flags)
        .args(["--error-format=json", "-ferror-limit=0", "--emit=ir", "-o"])
        .arg(output)
        .arg(source)
        .output()
        .expect("it runs");
    let mut counted = [[0; 2]; 2];
    for line in String::from_utf8_lossy(&done.stderr).lines() {
        let Ok(object) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let kind = usize::from(object["severity"] == "warning");
        counted[kind][0] += 1;
        counted[kind][1] += usize::from(object["edits"].as_array().is_some_and(|edits| !edits.is_empty()));
    }
    counted
}

/// What an edit is for is not said of the program with the edit, and nothing else is.
#[test]
fn edits_mend_what_they_are_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (copy, output) = (folder.path().join("x.sy"), folder.path().join("out"));
    let (mut wrong, mut made) = (Vec::new(), 0);
    for source in files(&root(), "sy") {
        let text = fs::read(&source).expect("a program");
        let first =
            String::from_utf8_lossy(text.split(|&b| b == b'\n').next().unwrap_or_default()).into_owned();
        let flags: Vec<&str> = first
            .trim_start_matches("// flags:")
            .split_whitespace()
            .filter(|flag| flag.starts_with("-W") && !flag.starts_with("-Werror") || flag.starts_with("-std"))
            .collect();
        fs::write(&copy, &text).expect("it can be written");
        let [errors, warnings] = count(&copy, &flags, &output);
        if errors[1] + warnings[1] == 0 {
            continue;
        }
        made += errors[1] + warnings[1];
        count(&copy, &[flags.as_slice(), &["--fix=all"]].concat(), &output);
        let after = count(&copy, &flags, &output);
        let ends = after[0][0] <= errors[0] - errors[1]
            && (errors[0] > 0 || after[1][0] <= warnings[0] - warnings[1]);
        if !ends {
            wrong.push(format!("{}: {errors:?} {warnings:?} became {after:?}", source.display()));
            wrong.push(String::from_utf8_lossy(&fs::read(&copy).unwrap_or_default()).into_owned());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(made > 100, "only {made} edits");
}

#[test]
fn every_expectation_belongs_to_a_program() {
    for path in files(&root(), "expected") {
        assert!(path.with_extension("sy").is_file(), "{} has no program", path.display());
    }
}

#[test]
fn every_warning_group_has_a_program() {
    for group in &GROUPS {
        let path = root().join("warnings").join(format!("{}.expected", group.name));
        let text = fs::read_to_string(&path).unwrap_or_default();
        assert!(text.contains(&format!("warning[{}]", group.name)), "{} does not show it", path.display());
    }
}

/// Codes stand in the sources of the front end as the first argument of the functions that make diagnostics,
/// or are names of groups.
#[test]
fn every_code_is_expected_somewhere() {
    let mut codes: BTreeSet<String> = GROUPS.iter().map(|group| group.name.to_string()).collect();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for folder in ["syntax", "sema"] {
        for path in files(&sources.join(folder), "rs") {
            let inner = path.strip_prefix(&sources).unwrap_or(&path);
            if inner.ends_with("tests.rs") || inner.iter().any(|part| part == "tests") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for call in ["::error(", "::warning(", "self.error(", "report_nonconstant("] {
                for piece in text.split(call).skip(1) {
                    let first = piece.trim_start();
                    if let Some(code) = first.strip_prefix('"').and_then(|rest| rest.split('"').next()) {
                        codes.insert(code.to_string());
                    }
                }
            }
        }
    }
    assert!(codes.len() > 50, "only {} codes were found", codes.len());
    let all: String =
        files(&root(), "expected").iter().map(|path| fs::read_to_string(path).expect("text")).collect();
    // These two take a program of half a megabyte, which `tests/hostile.rs` makes.
    let large = ["too-many-arguments", "too-many-parameters"];
    let shown = |code: &str| large.contains(&code) || all.contains(&format!("[{code}]"));
    let missing: Vec<_> = codes.iter().filter(|code| !shown(code)).collect();
    assert!(missing.is_empty(), "no program shows {missing:?}");
    let read = ["cannot-read"];
    let unexplained: Vec<_> =
        codes.iter().filter(|code| explain(code).is_none() && !read.contains(&code.as_str())).collect();
    assert!(unexplained.is_empty(), "{unexplained:?} have no row in sema/explain");
}
