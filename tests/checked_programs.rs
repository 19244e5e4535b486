//! Checks change nothing where nothing is wrong: generated programs print with `-fsanitize` what they print without, at
//! -O0 and -O2, in the interpreter, with the verifier behind each pass. They have no undefined behaviour (`generate`), but
//! sums that wrap, which are not looked for.

#![allow(clippy::expect_used)]

use crate::generate::program;
use std::process::Command;

#[test]
fn checked_programs_do_what_unchecked_ones_do() {
    const CHECKS: &str = "-fsanitize=bounds,integer-divide-by-zero,float-cast-overflow,stack,memory";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("p.sy");
    for (family, seed) in ["realistic", "mixed", "loose", "loops", "wide_dialect", "many_arguments", "wraps"]
        .into_iter()
        .flat_map(|family| [(family, 11), (family, 12)])
    {
        std::fs::write(&path, program(family, seed, 80)).expect("it can be written");
        let run = |flags: &[&str]| {
            let done = Command::new(env!("CARGO_BIN_EXE_sysyc"))
                .args(["-w", "-fverify", "--run"])
                .args(flags)
                .arg(&path)
                .stdin(std::process::Stdio::null())
                .output()
                .expect("it runs");
            (
                String::from_utf8_lossy(&done.stdout).into_owned(),
                String::from_utf8_lossy(&done.stderr).into_owned(),
                done.status.code(),
            )
        };
        let plain = run(&["-O1"]);
        assert_eq!(run(&["-O0", CHECKS]), plain, "{family} {seed}");
        assert_eq!(run(&["-O2", CHECKS]), plain, "{family} {seed}");
    }
}
