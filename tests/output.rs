//! Output when something goes wrong: full disks, limits, signals, closed streams, and files that stand in the
//! way. Whatever happens, the output is the old file or the complete new one, and nothing else is left in its
//! folder.
//!
//! Each fault is tried on all four kinds of output: a dump, assembly, an object, a program. Cost: some
//! hundreds of runs of a few milliseconds, and for the signals some tens of a large program.

#![cfg(target_os = "linux")]
// A helper that fails fails its test, with the message that says what was expected.
#![allow(clippy::expect_used, clippy::panic)]

use crate::support;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::say;

/// The kinds of output.
const KINDS: [&str; 4] = ["--emit=ir", "-S", "-c", "-O1"];

const SYSYC: &str = env!("CARGO_BIN_EXE_sysyc");

/// A program whose outputs are all larger than 20,000 bytes, and as many times that as asked for.
fn program(times: usize) -> String {
    let row = |k: usize| format!("{}, ", k * 7919 + 1_000_000_000);
    let numbers: String = (0..6000 * times).map(row).collect();
    format!(
        "int numbers[{}] = {{{numbers}}};\nint main() {{ return numbers[getint()]; }}\n",
        6000 * times + 1
    )
}

/// A folder with `x.sy` in it, beside an empty folder `out`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("x.sy"), program(1)).expect("it can be written");
    fs::create_dir(folder.path().join("out")).expect("it can be made");
    folder
}

/// Runs a shell script in which `$sysyc` is the compiler.
fn shell(folder: &Path, script: &str) -> (Option<i32>, String, Vec<u8>) {
    let Output { status, stdout, stderr } = Command::new("sh")
        .args(["-c", script])
        .current_dir(folder)
        .env("sysyc", SYSYC)
        .stdin(Stdio::null())
        .output()
        .expect("sh starts");
    (status.code(), String::from_utf8_lossy(&stderr).into_owned(), stdout)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("it can be read")
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// What each kind of output should be, made where nothing goes wrong.
fn complete(folder: &Path, kind: &str) -> Vec<u8> {
    let (code, said, _) = shell(folder, &format!("\"$sysyc\" {kind} -o good x.sy"));
    assert_eq!((code, said.as_str()), (Some(0), ""), "{kind}");
    let bytes = fs::read(folder.join("good")).expect("it was made");
    assert!(bytes.len() > 20_000, "{kind}: {} bytes", bytes.len());
    bytes
}

/// Runs `script` for each kind of output (`$kind`), with and without an old file at `out/o`: it must fail
/// with exit code 1 and a message that has all of `texts` in it, and leave what was there.
fn must_fail(script: &str, texts: &[&str]) {
    for kind in KINDS {
        for old in [None, Some("old")] {
            let folder = folder();
            let out = folder.path().join("out");
            old.map_or(Ok(()), |old| fs::write(out.join("o"), old)).expect("it can be written");
            let (code, said, _) = shell(folder.path(), &format!("kind={kind}\n{script}"));
            assert_eq!(code, Some(1), "{kind} {old:?}: {said}");
            for text in texts {
                assert!(said.contains(text), "{kind} {old:?}: no '{text}' in: {said}");
            }
            assert!(!said.contains("panic") && !said.contains("internal error"), "{kind} {old:?}: {said}");
            match old {
                Some(old) => {
                    assert_eq!(fs::read_to_string(out.join("o")).expect("it is there"), old, "{kind}");
                    assert_eq!(names(&out), ["o"], "{kind}");
                }
                None => assert_eq!(names(&out), [""; 0], "{kind}"),
            }
        }
    }
}

#[test]
fn a_full_device_is_an_error() {
    must_fail("\"$sysyc\" $kind -o /dev/full x.sy", &["cannot write '/dev/full'", "no space"]);
    must_fail("\"$sysyc\" $kind -o - x.sy >/dev/full", &["cannot write '-'", "no space"]);
    must_fail("\"$sysyc\" $kind -o /dev/stdout x.sy >/dev/full", &["cannot write '/dev/stdout'", "no space"]);
}

#[test]
fn a_limit_on_file_sizes_is_an_error_and_no_signal() {
    // Of 512 bytes each: the first limit lets something be written, the second nothing at all.
    for blocks in [8, 0] {
        let limited = format!("ulimit -f {blocks}; exec \"$sysyc\" $kind -o out/o x.sy");
        must_fail(&limited, &["sysyc: error: "]);
    }
    let folder = folder();
    let (code, said, _) = shell(folder.path(), "ulimit -f 8; exec \"$sysyc\" -S -o out/o x.sy");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("cannot write 'out/o'") && said.contains("ulimit -f"), "{said}");
    // The standard output may be a file, too, and may have something in it already.
    for open in [">out/o", ">>out/o"] {
        let script = format!(
            "rm -f out/o; {{ head -c 3000 /dev/zero; ulimit -f 8; \"$sysyc\" -S -o - y.sy; }} {open}"
        );
        fs::write(
            folder.path().join("y.sy"),
            "int a[40] = {1,2,3,4,5,6,7,8,9};\nint main() { return a[1]; }",
        )
        .expect("it can be written");
        let (code, said, _) = shell(folder.path(), &script);
        assert_eq!((code, said.as_str()), (Some(0), ""), "{open}");
        let (code, said, _) =
            shell(folder.path(), &script.replace("y.sy", "x.sy").replace("rm -f out/o; ", ""));
        assert_eq!(code, Some(1), "{open} {said}");
        assert!(said.contains("ulimit -f"), "{open}: {said}");
    }
}

#[test]
fn a_full_file_system_is_an_error() {
    // A namespace of its own needs no rights on most systems, and root anywhere else.
    for enter in ["unshare -rm", "unshare -m"] {
        let probe = format!("{enter} sh -c 'mount -t tmpfs -o size=16k none out'");
        if shell(folder().path(), &probe).0 != Some(0) {
            continue;
        }
        let inside = "mount -t tmpfs -o size=16k none out && echo old >out/o && \"$sysyc\" $kind -o out/o x.sy; \
                      code=$?; [ \"$(cat out/o) $(ls -A out)\" = \"old o\" ] || code=77; exit $code";
        must_fail(
            &format!("export kind; exec {enter} sh -c '{inside}'"),
            &["cannot write 'out/o'", "no space", "the old file is as it was"],
        );
        return;
    }
    say(
        "NOT TESTED: no small file system can be mounted here, so none was full; limits and /dev/full were tested",
    );
}

#[test]
fn places_where_no_file_can_be_are_named_with_a_way_out() {
    must_fail("\"$sysyc\" $kind -o none/o x.sy", &["cannot write 'none/o'", "no folder 'none'", "mkdir -p"]);
    must_fail("\"$sysyc\" $kind -o x.sy/o x.sy", &["cannot write 'x.sy/o'", "'x.sy' is no folder"]);
    must_fail("\"$sysyc\" $kind -o out x.sy", &["cannot write 'out'", "is a folder", "out/a.out"]);
    must_fail("\"$sysyc\" $kind -o out/ x.sy", &["cannot write 'out/'", "is a folder"]);
    must_fail("\"$sysyc\" $kind -o out/new/ x.sy", &["cannot write 'out/new/'", "'/'"]);
    must_fail("ln -s circle circle; \"$sysyc\" $kind -o circle x.sy", &["in a circle"]);
    must_fail("\"$sysyc\" $kind -o out/$(printf '%0300d' 1) x.sy", &["cannot write", "too long"]);
    // No user, not even root, makes files here.
    must_fail("\"$sysyc\" $kind -o /sys/o x.sy", &["cannot write '/sys/o'", "'/sys'"]);
}

#[test]
fn a_folder_without_write_permission_is_an_error() {
    let texts = ["cannot write 'out/o'", "no permission to make files in 'out'"];
    if !rustix::process::geteuid().is_root() {
        must_fail(
            "chmod 555 out; \"$sysyc\" $kind -o out/o x.sy; code=$?; chmod 755 out; exit $code",
            &texts,
        );
        return;
    }
    // Root may do anything, until it gives that up.
    let lower = "setpriv --bounding-set=-dac_override,-dac_read_search,-fowner";
    if shell(folder().path(), &format!("chmod 555 out; ! {lower} touch out/o && {lower} true")).0 == Some(0) {
        must_fail(
            &format!(
                "chmod 555 out; {lower} \"$sysyc\" $kind -o out/o x.sy; code=$?; chmod 755 out; exit $code"
            ),
            &texts,
        );
        return;
    }
    say("NOT TESTED: root cannot give up its rights here, so no folder was closed to it; /sys was tested");
}

#[test]
fn an_output_that_is_the_input_is_refused() {
    for kind in KINDS {
        for name in ["x.sy", "./x.sy", "link", "hard"] {
            let folder = folder();
            symlink("x.sy", folder.path().join("link")).expect("a link");
            fs::hard_link(folder.path().join("x.sy"), folder.path().join("hard")).expect("a link");
            let (code, said, _) = shell(folder.path(), &format!("\"$sysyc\" {kind} -o {name} x.sy"));
            assert_eq!(code, Some(1), "{kind} {name}: {said}");
            assert!(said.contains("input 'x.sy'"), "{kind} {name}: {said}");
            assert_eq!(
                fs::read_to_string(folder.path().join("x.sy")).ok(),
                Some(program(1)),
                "{kind} {name}"
            );
        }
    }
    let folder = folder();
    let (code, said, _) = shell(folder.path(), "cp x.sy x.s; \"$sysyc\" -S -x sysy x.s");
    assert!(code == Some(1) && said.contains("input 'x.s'"), "{said}");
}

#[test]
fn links_are_followed_and_permissions_are_kept_or_new() {
    for kind in KINDS {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let good = complete(folder.path(), kind);
        symlink("out/real", at("link")).expect("a link");
        // The link dangles at first.
        for _ in 0..2 {
            let (code, said, _) = shell(folder.path(), &format!("\"$sysyc\" {kind} -o link x.sy"));
            assert_eq!((code, said.as_str()), (Some(0), ""), "{kind}");
            assert!(fs::symlink_metadata(at("link")).expect("it is there").is_symlink(), "{kind}");
            assert!(fs::read(at("out/real")).expect("it is there") == good, "{kind}");
            assert_eq!(names(&at("out")), ["real"], "{kind}");
            fs::write(at("out/real"), "old").expect("it can be written");
        }
        let mode = |name: &str| fs::metadata(at(name)).expect("it is there").mode() & 0o777;
        let is_program = kind == "-O1";
        let masked = shell(folder.path(), &format!("umask 027; \"$sysyc\" {kind} -o out/new x.sy"));
        assert_eq!((masked.0, mode("out/new")), (Some(0), if is_program { 0o750 } else { 0o640 }), "{kind}");
        fs::set_permissions(at("out/new"), fs::Permissions::from_mode(0o604)).expect("it is ours");
        let kept = shell(folder.path(), &format!("umask 022; \"$sysyc\" {kind} -o out/new x.sy"));
        assert_eq!((kept.0, mode("out/new")), (Some(0), if is_program { 0o755 } else { 0o604 }), "{kind}");
    }
}

#[test]
fn what_stands_open_is_written_in_place() {
    for kind in KINDS {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let good = complete(folder.path(), kind);
        let run = |script: &str| {
            let (code, said, out) = shell(folder.path(), &format!("kind={kind}\n{script}"));
            assert_eq!((code, said.as_str()), (Some(0), ""), "{kind} {script}");
            out
        };
        assert!(run("\"$sysyc\" $kind -o - x.sy") == good, "{kind}");
        assert!(run("\"$sysyc\" $kind -o /dev/stdout x.sy") == good, "{kind}");
        assert!(run("\"$sysyc\" $kind -o /dev/fd/3 x.sy 3>&1 >/dev/null") == good, "{kind}");
        assert!(run("\"$sysyc\" $kind -o /dev/null x.sy && ls -l /dev/null").starts_with(b"c"), "{kind}");
        // Behind what is there already, whichever way the shell opened it.
        run("{ echo first; \"$sysyc\" $kind -o /dev/stdout x.sy; echo last; } >out/a");
        run("echo first >out/b; \"$sysyc\" $kind -o /dev/stdout x.sy >>out/b; echo last >>out/b");
        let whole = [&b"first\n"[..], &good, b"last\n"].concat();
        assert!(fs::read(at("out/a")).ok().as_ref() == Some(&whole), "{kind}");
        assert!(fs::read(at("out/b")).ok().as_ref() == Some(&whole), "{kind}");
        run("exec 3>out/c; \"$sysyc\" $kind -o /dev/fd/3 x.sy");
        assert!(fs::read(at("out/c")).ok().as_ref() == Some(&good), "{kind}");
        assert!(run("mkfifo out/d; cat out/d & \"$sysyc\" $kind -o out/d x.sy; wait") == good, "{kind}");
        assert!(fs::metadata(at("out/d")).expect("it is there").file_type().is_fifo(), "{kind}");
        assert_eq!(names(&at("out")), ["a", "b", "c", "d"], "{kind}");
        // A folder of files like any other.
        if at("/dev/shm").is_dir() {
            let file = format!("/dev/shm/sysyc-test-{}", std::process::id());
            run(&format!("\"$sysyc\" $kind -o {file} x.sy"));
            let bytes = fs::read(&file);
            fs::remove_file(&file).expect("it is ours");
            assert!(bytes.ok().as_ref() == Some(&good), "{kind}");
        }
    }
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    for kind in KINDS {
        let folder = folder();
        let mut child = Command::new(SYSYC)
            .args([kind, "-o", "-", "x.sy"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("sysyc starts");
        drop(child.stdout.take());
        let done = child.wait_with_output().expect("sysyc ends");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!((done.status.code(), said.as_ref()), (Some(0), ""), "{kind}");
        // With no standard output at all, files are made as ever.
        let good = complete(folder.path(), kind);
        let (code, said, _) = shell(folder.path(), &format!("exec \"$sysyc\" {kind} -o out/o x.sy >&- 2>&-"));
        assert_eq!((code, said.as_str()), (Some(0), ""), "{kind}");
        assert!(fs::read(folder.path().join("out/o")).ok() == Some(good), "{kind}");
    }
}

/// Where there is no standard input, programs find it at its end: nothing waits, and sources from there are empty.
#[test]
fn a_closed_input_is_at_its_end() {
    let folder = folder();
    let program =
        "int a[9]; int main() { putint(getint()); putint(getch()); putint(getarray(a)); return 3; }";
    fs::write(folder.path().join("reads.sy"), program).expect("it can be written");
    for check in ["", "--check"] {
        let (code, said, out) =
            shell(folder.path(), &format!("exec timeout 60 \"$sysyc\" --run {check} reads.sy <&-"));
        assert_eq!((code, said.as_str(), out.as_slice()), (Some(3), "", b"0-10".as_slice()), "{check}");
    }
    let read = |input: &str| shell(folder.path(), &format!("exec timeout 60 \"$sysyc\" -S -o - - {input}"));
    assert_eq!(read("<&-"), read("</dev/null"));
    assert_eq!(read("<&-").0, Some(0));
}

/// A number in 0..1 that depends on `k` alone, and evenly.
fn scattered(k: usize) -> f64 {
    (k as f64 * 0.618_033_988_75).fract()
}

/// Compiles `x.sy` again and again and sends a signal in the middle, at moments spread over all of the time
/// it takes, most of them near its end, where the output is written.
fn interrupt(kind: &str, times: usize, runs: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("x.sy"), program(times)).expect("it can be written");
    fs::create_dir(at("out")).expect("it can be made");
    fs::create_dir(at("scratch")).expect("it can be made");
    let good = complete(folder.path(), kind);
    let start = || {
        let mut command = Command::new(SYSYC);
        command.args([kind, "-o", "out/o", "x.sy"]).current_dir(folder.path());
        command.env("TMPDIR", at("scratch")).stderr(Stdio::null()).spawn().expect("sysyc starts")
    };
    let whole = (0..3).map(|_| {
        let watch = Instant::now();
        assert_eq!(start().wait().expect("it ends").code(), Some(0));
        watch.elapsed()
    });
    let whole = whole.min().unwrap_or_default();
    let (mut killed, mut ended, mut between) = (0, 0, 0);
    for k in 0..runs {
        let old = if k % 3 == 0 { None } else { Some("old") };
        match old {
            Some(text) => fs::write(at("out/o"), text).expect("it can be written"),
            None => _ = fs::remove_file(at("out/o")),
        }
        let share = if k % 4 == 0 { scattered(k) } else { 0.7 + 0.5 * scattered(k) };
        let mut child = start();
        std::thread::sleep(whole.mul_f64(share));
        let signal = [Signal::TERM, Signal::KILL, Signal::INT][k % 3];
        // It is our child and not waited for: its number is its own still.
        _ = kill_process(Pid::from_child(&child), signal);
        let status = child.wait().expect("it ends");
        match (status.code(), status.signal()) {
            (Some(0), None) => ended += 1,
            (None, Some(number)) if number == signal.as_raw() => killed += 1,
            _ => panic!("{kind}, run {k}: {status}"),
        }
        let left = fs::read(at("out/o")).ok();
        let is_old = left.as_deref() == old.map(str::as_bytes);
        assert!(is_old || left.as_ref() == Some(&good), "{kind}, run {k}: neither the old file nor the new");
        assert!(!is_old || status.code().is_none(), "{kind}, run {k}: success, and the old file");
        let mut there = names(&at("out"));
        // Between the only two calls that could not be one: complete, and gone after the next run.
        if there.first().is_some_and(|name| name == ".o.sysyc") {
            assert!(fs::read(at("out/.o.sysyc")).ok().as_ref() == Some(&good), "{kind}, run {k}");
            assert_eq!(start().wait().expect("it ends").code(), Some(0));
            between += 1;
            there = names(&at("out"));
        }
        there.retain(|name| name != "o");
        there.extend(names(&at("scratch")));
        assert_eq!(there, [""; 0], "{kind}, run {k}");
    }
    say(&format!(
        "{kind}: {whole:.0?} a run, {killed} killed, {ended} ended before, {between} between link and rename"
    ));
    assert!(killed > runs / 10, "{kind}: only {killed} of {runs} were hit");
    assert!(between <= 1 + runs / 20, "{kind}: {between} of {runs} left a file");
    // Signals are taken while nothing can be written either: here it waits for a reader that never comes.
    assert_eq!(shell(folder.path(), "mkfifo out/f").0, Some(0));
    let mut child = Command::new(SYSYC)
        .args([kind, "-o", "out/f", "x.sy"])
        .current_dir(folder.path())
        .env("TMPDIR", at("scratch"))
        .spawn()
        .expect("sysyc starts");
    std::thread::sleep(whole.mul_f64(1.5) + Duration::from_millis(20));
    _ = kill_process(Pid::from_child(&child), Signal::TERM);
    assert_eq!(child.wait().expect("it ends").signal(), Some(Signal::TERM.as_raw()), "{kind}");
}

#[test]
fn signals_leave_the_old_file_or_the_new_one() {
    interrupt("--emit=ir", 15, 60);
    interrupt("-S", 15, 60);
    interrupt("-c", 15, 60);
    interrupt("-O1", 15, 60);
}
