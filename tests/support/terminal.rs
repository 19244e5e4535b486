//! A command in a pseudo terminal (`script` of util-linux): what is typed, and what is shown. For what
//! behaves in another way in an interactive terminal: shells, debuggers, jobs in the background.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Nobody waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Terminal {
    child: Child,
    keys: ChildStdin,
    shown: Arc<Mutex<Vec<u8>>>,
    /// How much of it has been looked at.
    read: usize,
}

impl Terminal {
    /// Runs a line of a shell in a folder, in a terminal without colours.
    pub(crate) fn start(line: &str, folder: &Path, variables: &[(&str, &Path)]) -> Terminal {
        let mut script = Command::new("script");
        script.args(["-qec", line, "/dev/null"]).current_dir(folder);
        script.env("TERM", "dumb").env("COLUMNS", "120").envs(variables.iter().copied());
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = script.spawn().expect("'script' of util-linux starts");
        let keys = child.stdin.take().expect("it is piped");
        let mut out = child.stdout.take().expect("it is piped");
        let shown = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut piece) {
                all.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&piece[..count]);
            }
        });
        Terminal { child, keys, shown, read: 0 }
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("it reads");
    }

    /// Waits until what is shown satisfies a condition; what was shown since the last time, with the ends of lines that
    /// files have.
    pub(crate) fn wait(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let (text, all) = {
                let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
                (String::from_utf8_lossy(&shown[self.read..]).replace('\r', ""), shown.len())
            };
            if is_there(&text) {
                self.read = all;
                return text;
            }
            assert!(Instant::now() < end, "{what} is waited for, and there is:\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The terminal goes with it, and what reads that ends.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
