//! Tells the crate which commit a release build is made from, as `SYSYC_COMMIT`: the commit's short name and its day, for
//! `sysyc --version`. It is what the environment says, else what `cargo package` wrote into the package, else what git says
//! of this checkout, else nothing. Other builds leave it empty, so that a new commit does not compile them again.

use std::path::Path;
use std::process::Command;

fn main() {
    let name = "SYSYC_COMMIT";
    println!("cargo::rerun-if-env-changed={name}");
    let commit = std::env::var(name).ok().filter(|commit| !commit.is_empty()).or_else(|| {
        let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
        if is_release { of_package().or_else(of_checkout) } else { None }
    });
    println!("cargo::rustc-env={name}={}", commit.unwrap_or_default());
}

/// From the record that `cargo package` adds: `{ "git": { "sha1": "..." }, ... }`.
fn of_package() -> Option<String> {
    let record = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let name = record.split('"').skip_while(|&word| word != "sha1").nth(2)?;
    name.get(..9).map(str::to_string)
}

fn of_checkout() -> Option<String> {
    let git = |words: &[&str]| {
        let done = Command::new("git").args(words).output().ok().filter(|done| done.status.success())?;
        String::from_utf8(done.stdout).ok().map(|text| text.trim().to_string())
    };
    // Not of a repository around this one.
    if !Path::new(".git").exists() {
        return None;
    }
    let folder = git(&["rev-parse", "--absolute-git-dir"])?;
    // Written with each commit and each checkout.
    println!("cargo::rerun-if-changed={folder}/logs/HEAD");
    git(&["log", "-1", "--abbrev=9", "--format=%h %cs"])
}
