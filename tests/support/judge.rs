//! Comparing a program's behaviour with what was expected, as the contest's judge does: stdout, then the exit
//! code on a line of its own, white space at the end of a line or of the text ignored.

use super::process::{Ending, Finished};

/// Stdout followed by the exit code on its own line, whether or not the program ended its last line.
pub(crate) fn transcript(finished: &Finished) -> Result<Vec<u8>, String> {
    let Ending::Exit(code) = finished.ending else { return Err(finished.complaint()) };
    let mut text = finished.stdout.clone();
    if text.last().is_some_and(|&byte| byte != b'\n') {
        text.push(b'\n');
    }
    text.extend_from_slice(format!("{code}\n").as_bytes());
    Ok(text)
}

/// The first line at which two transcripts differ, as a sentence; `None` where they agree.
pub(crate) fn difference(expected: &[u8], actual: &[u8]) -> Option<String> {
    let (expected, actual) = (expected.trim_ascii_end(), actual.trim_ascii_end());
    let mut left = expected.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end);
    let mut right = actual.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end);
    let mut line = 1;
    loop {
        match (left.next(), right.next()) {
            (None, None) => return None,
            (Some(want), Some(got)) if want == got => line += 1,
            (want, got) => {
                return Some(format!("line {line}: expected {}, got {}", quote(want, got), quote(got, want)));
            }
        }
    }
}

/// A line in quotes, cut to a window that starts shortly before the two lines part.
fn quote(line: Option<&[u8]>, other: Option<&[u8]>) -> String {
    const WINDOW: usize = 60;
    let Some(line) = line else { return "the end".to_string() };
    let other = other.unwrap_or_default();
    let parting = line.iter().zip(other).take_while(|(a, b)| a == b).count();
    let from = parting.saturating_sub(WINDOW / 3);
    let to = line.len().min(from + WINDOW);
    let dots = |cut: bool| if cut { "..." } else { "" };
    format!("{}{:?}{}", dots(from > 0), String::from_utf8_lossy(&line[from..to]), dots(to < line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn finished(stdout: &[u8], ending: Ending) -> Finished {
        Finished { ending, stdout: stdout.to_vec(), stderr: Vec::new(), wall: Duration::ZERO }
    }

    #[test]
    fn the_exit_code_has_its_own_line() {
        for (stdout, whole) in
            [(&b"a"[..], &b"a\n3\n"[..]), (b"a\n", b"a\n3\n"), (b"", b"3\n"), (b"a\n\n", b"a\n\n3\n")]
        {
            assert_eq!(transcript(&finished(stdout, Ending::Exit(3))).as_deref(), Ok(whole));
        }
        assert!(transcript(&finished(b"a", Ending::Signal(11))).is_err());
        assert!(transcript(&finished(b"a", Ending::Timeout)).is_err());
    }

    #[test]
    fn both_forms_of_expectation_are_taken() {
        assert_eq!(difference(b"a\n3", b"a\n3\n"), None);
        assert_eq!(difference(b"a \r\n3\r\n", b"a\n3\n"), None);
        assert_eq!(difference(b"3", b"3\n"), None);
    }

    #[test]
    fn differences_are_found() {
        assert_eq!(difference(b"1\n2\n0", b"1\n3\n0").as_deref(), Some("line 2: expected \"2\", got \"3\""));
        assert_eq!(difference(b"1\n0", b"1\n").as_deref(), Some("line 2: expected \"0\", got the end"));
        assert_eq!(difference(b"10\n", b"1\n0\n").as_deref(), Some("line 1: expected \"10\", got \"1\""));
        assert!(difference(b" 1\n0", b"1\n0").is_some(), "white space at the front of a line counts");
        let (mut long, mut other) = (vec![b'x'; 500], vec![b'x'; 500]);
        (long[400], other[400]) = (b'a', b'b');
        let text = difference(&long, &other).expect("they differ");
        assert!(text.contains('a') && text.contains('b') && text.len() < 220, "{text}");
    }
}
