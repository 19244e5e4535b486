//! The suite itself: find the programs, build the runtime for each target, then a queue of program x target x
//! way x level that the workers empty. Failures are printed as they come, with the command that shows them
//! again.

use super::judge::{difference, transcript};
use super::process::{Ending, run};
use super::settings::Settings;
use super::toolchain::{Target, Way, build_archive, build_reference, build_runtime, emulator, link, on_path};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many checks passed and failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

/// A program, and its expected transcript once it has been needed.
struct Case {
    source: PathBuf,
    input: Option<PathBuf>,
    expected: OnceLock<Result<Vec<u8>, String>>,
}

/// What every worker reads.
struct Bench<'a> {
    settings: &'a Settings,
    cases: Vec<Case>,
    /// The targets, each as often as there are ways to get there.
    routes: Vec<(&'static Target, Way)>,
    /// Holds the runtime libraries, `<target>/libsysy.a`, and a folder for each worker.
    folder: PathBuf,
}

/// Runs what `settings` ask for; `say` takes each line of the report, from any worker.
pub(crate) fn run_suite(settings: &Settings, say: &(dyn Fn(&str) + Sync)) -> Tally {
    let mut tally = Tally { passed: 0, failed: 0 };
    let mut fail = |message: String| {
        say(&format!("FAIL {message}"));
        tally.failed += 1;
    };
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            fail(format!("no temporary folder: {error}"));
            return tally;
        }
    };
    let mut cases = Vec::new();
    for suite in &settings.folders {
        match find_cases(suite) {
            Ok(found) if found.is_empty() => fail(format!("{}: no .sy file", suite.display())),
            Ok(found) => cases.extend(found),
            Err(error) => fail(format!("{}: {error}", suite.display())),
        }
    }
    cases.retain(|case| case.source.to_string_lossy().contains(&settings.filter));
    let needs_reference = cases.iter().any(|case| !case.source.with_extension("out").is_file());
    if needs_reference
        && on_path("gcc")
        && let Err(message) = build_runtime("gcc", &folder.path().join("host.o"), folder.path())
    {
        fail(message);
    }
    let mut routes = Vec::new();
    for &target in &settings.targets {
        let missing = target.missing(&settings.ways);
        if !missing.is_empty() {
            let message = format!("{}: not installed: {}", target.name, missing.join(", "));
            if settings.allow_missing {
                say(&format!("MISSING, AND ALLOWED TO BE: {message}"));
            } else {
                fail(format!(
                    "{message} (tests/install.sh installs it; SYSYC_ALLOW_MISSING=1 goes on without)"
                ));
            }
            continue;
        }
        if target.gcc.is_empty() {
            routes.push((target, Way::Builtin));
            continue;
        }
        if settings.ways.iter().any(|&way| way != Way::Builtin) {
            let place = folder.path().join(target.name);
            let made = fs::create_dir(&place).map_err(|error| error.to_string());
            if let Err(message) = made.and_then(|()| build_archive(target, &place)) {
                fail(format!("{}: {message}", target.name));
                continue;
            }
        }
        routes.extend(settings.ways.iter().map(|&way| (target, way)));
    }
    let bench = Bench { settings, cases, routes, folder: folder.path().to_path_buf() };
    let queued = bench.run_queue(say);
    Tally { passed: queued.passed, failed: tally.failed + queued.failed }
}

/// The programs under `root`, in the order of their paths.
fn find_cases(root: &Path) -> std::io::Result<Vec<Case>> {
    let mut sources = Vec::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|ending| ending == "sy") {
                sources.push(path);
            }
        }
    }
    sources.sort();
    let case = |source: PathBuf| {
        let input = Some(source.with_extension("in")).filter(|path| path.is_file());
        Case { source, input, expected: OnceLock::new() }
    };
    Ok(sources.into_iter().map(case).collect())
}

impl Bench<'_> {
    /// Empties the queue: program by program, so that a program's reference is built once and near its use.
    fn run_queue(&self, say: &(dyn Fn(&str) + Sync)) -> Tally {
        let (next, passed, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let per_case = self.routes.len() * self.settings.levels.len();
        let total = self.cases.len() * per_case;
        let worker = |number: usize| {
            let scratch = self.folder.join(format!("worker{number}"));
            loop {
                let job = next.fetch_add(1, Ordering::Relaxed);
                if job >= total {
                    return;
                }
                let case = &self.cases[job / per_case];
                let (target, way) = self.routes[job % per_case / self.settings.levels.len()];
                if self.settings.in_turn && !self.is_its_turn(job / per_case, job % per_case, way) {
                    continue;
                }
                let level = self.settings.levels[job % self.settings.levels.len()];
                match self.check(case, target, way, level, &scratch) {
                    Ok(()) => passed.fetch_add(1, Ordering::Relaxed),
                    Err(why) => {
                        let again = self.reproduce(case, target, way, level);
                        let route = if target.gcc.is_empty() { "" } else { way.name() };
                        say(&format!(
                            "FAIL {} {} {route} -O{level}: {why}\n     {again}",
                            case.source.display(),
                            target.name
                        ));
                        failed.fetch_add(1, Ordering::Relaxed)
                    }
                };
            }
        };
        std::thread::scope(|scope| {
            for number in 0..self.settings.jobs.min(total) {
                let worker = &worker;
                scope.spawn(move || worker(number));
            }
        });
        Tally { passed: passed.into_inner(), failed: failed.into_inner() }
    }

    /// Whether a program takes a way at a level where programs take turns (`Settings::in_turn`), by the numbers of the
    /// program and of its route and level.
    fn is_its_turn(&self, case: usize, job: usize, way: Way) -> bool {
        let levels = self.settings.levels.len();
        way == Way::Builtin || (case + job / levels) % levels == job % levels
    }

    /// One program on one target, got there one way, at one level.
    fn check(&self, case: &Case, target: &Target, way: Way, level: u8, scratch: &Path) -> Result<(), String> {
        // The folder of the worker's last check; before the first there is none, and that is no error.
        let _ = fs::remove_dir_all(scratch);
        fs::create_dir_all(scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
        let mut command = if target.gcc.is_empty() {
            let mut command = Command::new(&self.settings.compiler);
            command.arg("--run").arg(format!("-O{level}")).arg(&case.source);
            command.args(self.settings.verify.then_some("-fverify"));
            command
        } else {
            let product = scratch.join(way.product().1);
            self.compile(case, target, way, level, ("-j1", self.settings.verify), &product, scratch)?;
            if self.settings.check_jobs {
                self.check_jobs(case, target, way, level, &product, scratch)?;
            }
            let program = scratch.join("x");
            if way != Way::Builtin {
                let runtime = self.folder.join(target.name).join("libsysy.a");
                link(target.gcc, &product, &runtime, &program, scratch)?;
            }
            let mut command = emulator(target.qemu, 128);
            command.arg(program);
            command
        };
        // The reference comes after the compile: a compiler that fails early is reported without waiting for
        // gcc.
        let expected =
            case.expected.get_or_init(|| self.expect(case, scratch)).as_ref().map_err(Clone::clone)?;
        let done = run(&mut command, case.input.as_deref(), scratch, self.settings.timeout);
        let actual = transcript(&done.map_err(|error| error.to_string())?)?;
        match difference(expected, &actual) {
            Some(text) => Err(text),
            None => Ok(()),
        }
    }

    /// `sysyc` as far as it goes on this way, its exit code and its time.
    #[allow(clippy::too_many_arguments)]
    fn compile(
        &self,
        case: &Case,
        target: &Target,
        way: Way,
        level: u8,
        (jobs, verify): (&str, bool),
        out: &Path,
        scratch: &Path,
    ) -> Result<(), String> {
        let mut command = Command::new(&self.settings.compiler);
        command.args(way.product().0);
        if way == Way::Builtin {
            // No other program can be found, so none is called.
            command.env("PATH", "");
        }
        command.args([&format!("-O{level}"), "--target", target.name, jobs, "-o"]).arg(out).arg(&case.source);
        command.args(verify.then_some("-fverify"));
        let done =
            run(&mut command, None, scratch, self.settings.timeout).map_err(|error| error.to_string())?;
        if done.ending != Ending::Exit(0) {
            return Err(format!("compiling with {jobs}: {}", done.complaint()));
        }
        match self.settings.max_compile {
            Some(most) if done.wall > most => Err(format!("compiling took {:.2} s", done.wall.as_secs_f64())),
            _ => Ok(()),
        }
    }

    /// The same bytes for every number of workers, and whether the compiler checks itself or not. (`tests/determinism.rs` has
    /// each number twice.)
    fn check_jobs(
        &self,
        case: &Case,
        target: &Target,
        way: Way,
        level: u8,
        first: &Path,
        scratch: &Path,
    ) -> Result<(), String> {
        let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        let expected = read(first)?;
        let other = scratch.join("other");
        for jobs in ["-j2", "-j8"] {
            self.compile(case, target, way, level, (jobs, false), &other, scratch)?;
            let other = read(&other)?;
            if other != expected {
                let text = difference(&expected, &other).unwrap_or("in white space".to_string());
                return Err(format!("{jobs} gives another {} than the first -j1, {text}", way.product().1));
            }
        }
        Ok(())
    }

    /// What the program should print: its `.out`, or what gcc makes of it.
    fn expect(&self, case: &Case, scratch: &Path) -> Result<Vec<u8>, String> {
        let stored = case.source.with_extension("out");
        if stored.is_file() {
            return fs::read(&stored).map_err(|error| format!("{}: {error}", stored.display()));
        }
        if !on_path("gcc") {
            return Err(format!("{}: there is none, and no gcc on this machine to ask", stored.display()));
        }
        let program = scratch.join("reference");
        build_reference(&case.source, &self.folder.join("host.o"), &program, scratch)?;
        let done = run(&mut Command::new(&program), case.input.as_deref(), scratch, self.settings.timeout);
        transcript(&done.map_err(|error| error.to_string())?).map_err(|why| format!("gcc's program: {why}"))
    }

    /// A line for a shell in the project's folder that does what the check did.
    fn reproduce(&self, case: &Case, target: &Target, way: Way, level: u8) -> String {
        let (compiler, source) = (self.settings.compiler.display(), case.source.display());
        let input = case.input.as_ref().map_or("/dev/null".to_string(), |path| path.display().to_string());
        if target.gcc.is_empty() {
            return format!("{compiler} --run -O{level} {source} <{input}");
        }
        let Target { name, gcc, qemu } = target;
        let (option, product) = way.product();
        let option = option.map_or(String::new(), |option| format!("{option} "));
        let link = match way {
            Way::Builtin => String::new(),
            _ => format!("{gcc} -static /tmp/{product} runtime/sylib.c -o /tmp/x && "),
        };
        format!(
            "{compiler} {option}-O{level} --target {name} -o /tmp/{product} {source} && \
             {link}{qemu} /tmp/x <{input}; echo $?"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Mutex;

    /// A suite of the given files, run in the interpreter by a shell script that stands for the compiler.
    fn suite_with(files: &[(&str, &str)], compiler: &str) -> (Tally, Vec<String>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let script = folder.path().join("compiler");
        fs::write(&script, format!("#!/bin/sh\n{compiler}\n")).expect("a script");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("an executable script");
        let variable = |name: &str| match name {
            "SYSYC_SUITE" => Some(folder.path().display().to_string()),
            "SYSYC_TARGETS" => Some("interp".to_string()),
            "SYSYC_LEVELS" => Some("1".to_string()),
            "SYSYC_BIN" => Some(script.display().to_string()),
            "SYSYC_TIMEOUT" => Some("20".to_string()),
            _ => None,
        };
        let settings = Settings::from(variable).expect("valid settings");
        let lines = Mutex::new(Vec::new());
        let tally = run_suite(&settings, &|line| lines.lock().expect("a lock").push(line.to_string()));
        (tally, lines.into_inner().expect("a lock"))
    }

    #[test]
    fn right_and_wrong_programs_are_counted() {
        let files =
            [("a.sy", ""), ("a.in", "12"), ("a.out", "12\n3\n"), ("deep/b.sy", ""), ("deep/b.out", "13\n3")];
        let (tally, lines) = suite_with(&files, "cat; case $3 in *b.sy) printf '13';; esac; exit 3");
        assert_eq!((tally, &lines[..]), (Tally { passed: 2, failed: 0 }, &[][..]));
        let (tally, lines) = suite_with(&files, "cat; exit 4");
        assert_eq!(tally, Tally { passed: 0, failed: 2 });
        assert!(
            lines.iter().any(|l| l.contains("expected \"3\", got \"4\"") && l.contains("--run -O1")),
            "{lines:?}"
        );
    }

    #[test]
    fn nothing_to_run_is_a_failure() {
        let (tally, lines) = suite_with(&[("a.txt", "")], "exit 0");
        assert_eq!(tally, Tally { passed: 0, failed: 1 });
        assert!(lines[0].contains("no .sy file"), "{lines:?}");
    }

    #[test]
    fn gcc_is_the_reference_where_no_output_is_stored() {
        let files = [("a.sy", "int main() { putint(6 * 7); return 300; }")];
        let (tally, lines) = suite_with(&files, "printf 42; exit 44");
        assert_eq!((tally, &lines[..]), (Tally { passed: 1, failed: 0 }, &[][..]));
        assert_eq!(suite_with(&files, "printf 43; exit 44").0, Tally { passed: 0, failed: 1 });
    }
}
