//! One child process: input and output through files, a deadline, and a limit on what it may print.

use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that prints more than this is taken for an endless loop, and stopped before it fills the disk.
const OUTPUT_LIMIT: u64 = 256 << 20;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Exit(i32),
    Signal(i32),
    Timeout,
    TooMuchOutput,
}

impl std::fmt::Display for Ending {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Exit(code) => write!(out, "exit code {code}"),
            Ending::Signal(number) => write!(out, "killed by signal {number}"),
            Ending::Timeout => write!(out, "timeout"),
            Ending::TooMuchOutput => write!(out, "more than {} MB of output", OUTPUT_LIMIT >> 20),
        }
    }
}

/// A process that has ended.
pub(crate) struct Finished {
    pub(crate) ending: Ending,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) wall: Duration,
}

impl Finished {
    /// The ending and the line of stderr that tells most, for a report: the first that names an error, or
    /// else the first.
    pub(crate) fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.clone().next();
        match lines.find(|line| line.to_lowercase().contains("error")).or(first) {
            Some(line) => format!("{}: {line}", self.ending),
            None => self.ending.to_string(),
        }
    }
}

/// Runs `command` to its end or the deadline, with the file `stdin` or nothing as input. `scratch` is a
/// folder of this process's own; its output passes through two files there.
pub(crate) fn run(
    command: &mut Command,
    stdin: Option<&Path>,
    scratch: &Path,
    limit: Duration,
) -> io::Result<Finished> {
    let (out, err) = (scratch.join("stdout"), scratch.join("stderr"));
    command.stdin(match stdin {
        Some(path) => Stdio::from(File::open(path)?),
        None => Stdio::null(),
    });
    command.stdout(File::create(&out)?).stderr(File::create(&err)?);
    let start = Instant::now();
    let mut child = spawn(command)?;
    let ending = wait(&mut child, start + limit, &out)?;
    let wall = start.elapsed();
    Ok(Finished { ending, stdout: std::fs::read(&out)?, stderr: std::fs::read(&err)?, wall })
}

/// Starts a process, again if its file is still held open for writing by a child that another thread forked
/// just now.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..100 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
    command.spawn()
}

/// Polls, because the standard library has no wait with a deadline; the pause grows with the time already
/// waited, up to what costs a hundredth of a processor. (With half as much more each time, up to 20 ms, the end of a process was
/// seen as late as a third of what it took.)
fn wait(child: &mut Child, deadline: Instant, out: &Path) -> io::Result<Ending> {
    let mut pause = Duration::from_micros(300);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.code() {
                Some(code) => Ending::Exit(code),
                None => Ending::Signal(status.signal().unwrap_or(0)),
            });
        }
        let late = Instant::now() >= deadline;
        if late || std::fs::metadata(out)?.len() > OUTPUT_LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(if late { Ending::Timeout } else { Ending::TooMuchOutput });
        }
        std::thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Finished {
        let folder = tempfile::tempdir().expect("a temporary folder");
        run(Command::new("sh").arg("-c").arg(script), None, folder.path(), limit).expect("sh starts")
    }

    #[test]
    fn endings_and_streams_are_told_apart() {
        let done = shell("echo out; echo err >&2; exit 7", Duration::from_secs(20));
        assert_eq!(
            (done.ending, &done.stdout[..], &done.stderr[..]),
            (Ending::Exit(7), &b"out\n"[..], &b"err\n"[..])
        );
        assert_eq!(done.complaint(), "exit code 7: err");
        let done = shell("printf 'note\\nx.s:1: Error: no\\n' >&2; exit 1", Duration::from_secs(20));
        assert_eq!(done.complaint(), "exit code 1: x.s:1: Error: no");
        assert_eq!(shell("kill -9 $$", Duration::from_secs(20)).ending, Ending::Signal(9));
    }

    #[test]
    fn the_deadline_ends_a_process_and_input_is_empty_by_default() {
        let done = shell("cat; echo started; exec sleep 60", Duration::from_millis(300));
        assert_eq!((done.ending, &done.stdout[..]), (Ending::Timeout, &b"started\n"[..]));
        assert!(done.wall < Duration::from_secs(30));
    }
}
