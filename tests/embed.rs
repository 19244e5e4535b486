//! SysY as a library (`sysyc::compile`): what comes is what the command makes, and diagnostics are data.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::process::Command;
use sysyc::backend::{CancelToken, ErrorKind, Level, Pool, Target};
use sysyc::{Settings, Severity, Wanted, compile};

const SOURCE: &str = "int a[4] = {3, 1, 4, 1};
int sum(int x[], int n) { int s = 0, k = 0; while (k < n) { s = s + x[k]; k = k + 1; } return s; }
int main() { putf(\"%d\\n\", sum(a, 4)); return 0; }\n";

/// The bytes are those of the command, for every output, level and number of threads.
#[test]
fn outputs_are_those_of_the_command() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("a.sy"), SOURCE).unwrap();
    for name in Target::names() {
        for (wanted, flag) in [(Wanted::Assembly, "-S"), (Wanted::Object, "-c"), (Wanted::Program, "-O0")] {
            for (level, spelt) in [(Level::O0, "-O0"), (Level::O1, "-O1"), (Level::O2, "-O2")] {
                let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                command.args([flag, spelt, "-o", "out", "a.sy"]).arg(format!("--target={name}"));
                assert!(command.current_dir(folder.path()).status().unwrap().success());
                let mut settings = Settings::new(wanted, Target::new(name).unwrap());
                settings.name = "a.sy".to_string();
                (settings.level, settings.threads) = (level, 1 + level as usize);
                let done = compile(SOURCE, &settings).unwrap();
                assert!(done.messages.is_empty(), "{:?}", done.messages);
                let same = done.output.unwrap() == std::fs::read(folder.path().join("out")).unwrap();
                assert!(same, "{name} {flag} {spelt}");
            }
        }
    }
}

/// The same bytes on the threads of a pool, and an error if it is cancelled; from another thread at any time, one of both.
#[test]
fn pools_and_tokens_are_those_of_the_backend() {
    let functions =
        (0..200).map(|k| format!("int f{k}(int x) {{ if (x < {k}) return f{k}(x + 1); return x * {k}; }}\n"));
    let source: String = functions.chain(["int main() { return f7(3); }".to_string()]).collect();
    let pool = Pool::of(|job| std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(job))));
    for level in [Level::O0, Level::O1, Level::O2] {
        let mut settings = Settings::new(Wanted::Object, Target::new("riscv64").unwrap());
        settings.level = level;
        let expected = compile(&source, &settings).unwrap();
        settings.pool = Some(pool.clone());
        assert_eq!(compile(&source, &settings).unwrap().output, expected.output);
        for micros in (0..20_000).step_by(1111) {
            let token = CancelToken::new();
            settings.cancel = Some(token.clone());
            let done = std::thread::scope(|scope| {
                scope.spawn(move || {
                    std::thread::sleep(std::time::Duration::from_micros(micros));
                    token.cancel();
                });
                compile(&source, &settings)
            });
            match done {
                Ok(done) => assert_eq!(done.output, expected.output),
                Err(error) => assert_eq!(error.kind, ErrorKind::Cancelled, "{error}"),
            }
        }
        // It stays used.
        assert_eq!(compile(&source, &settings).unwrap_err().kind, ErrorKind::Cancelled);
    }
}

#[test]
fn what_is_wrong_is_data() {
    let target = Target::new("aarch64").unwrap();
    let settings = Settings::new(Wanted::Object, target);
    // Behind a syntax error, others are found; nothing is printed, and nothing comes out.
    let done = compile("int main() {\n  int count = 1\n  return cuont;\n}\n", &settings).unwrap();
    assert!(done.output.is_none());
    let codes: Vec<_> = done.messages.iter().map(|message| message.code).collect();
    assert!(codes.contains(&"undeclared") && codes.len() == 2, "{codes:?}");
    let message = done.messages.iter().find(|message| message.code == "undeclared").unwrap();
    let place = message.place.unwrap();
    assert_eq!(
        (message.severity, place.line, place.column, place.end - place.start),
        (Severity::Error, 3, 10, 5)
    );
    assert!(message.edits.iter().any(|(at, text)| text == "count" && at.start == place.start), "{message:?}");
    // A warning keeps nothing back.
    let done = compile("int main() { int a[2]; a[5] = 1; return 0; }", &settings).unwrap();
    assert!(done.output.is_some() && done.messages.len() == 1, "{:?}", done.messages);
    assert_eq!(done.messages[0].severity, Severity::Warning);
    // The language alone.
    let mut strict = settings.clone();
    strict.strict = true;
    let text = "int main() { int x = 1; x += 1; return x; }";
    assert!(compile(text, &settings).unwrap().messages.is_empty());
    assert_eq!(compile(text, &strict).unwrap().messages[0].severity, Severity::Error);
    // Nothing but messages.
    let mut check = settings.clone();
    check.wanted = Wanted::Check;
    assert!(compile(SOURCE, &check).unwrap().output.is_none());
    assert!(compile("\u{0}\u{1}((((((", &check).is_ok());
    // For debuggers: nothing of this machine is in it.
    let mut debug = settings.clone();
    debug.debug = true;
    let (plain, told) = (compile(SOURCE, &settings).unwrap(), compile(SOURCE, &debug).unwrap());
    let (plain, told) = (plain.output.unwrap(), told.output.unwrap());
    let here = std::env::current_dir().unwrap().display().to_string();
    assert!(told.len() > plain.len() && !told.windows(here.len()).any(|bytes| bytes == here.as_bytes()));
}
