//! Messages: headers that end in an empty line, then as many bytes of JSON as `Content-Length` says. What is no
//! header, or says no length, ends the stream, because nothing tells where the next message begins.

use serde_json::Value;
use std::io::{BufRead, Read as _, Write};

/// Longest message that is read: a text of the largest size as a string of JSON.
const LONGEST: u64 = 1 << 32;
/// Longest line of a header, and most lines.
const LINE: u64 = 1 << 12;
const LINES: usize = 64;

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// The bytes of a message.
    Message(Vec<u8>),
    /// The stream has ended.
    End,
    /// ... in the middle of something, or it is none of messages.
    Broken(String),
}

/// The next message.
pub(super) fn read(input: &mut impl BufRead) -> Read {
    let mut length: Option<u64> = None;
    let mut count = 0;
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LINE).read_until(b'\n', &mut line) {
            Ok(0) if count == 0 => return Read::End,
            Ok(_) if line.last() == Some(&b'\n') && count < LINES => {}
            _ => return Read::Broken("a header does not end".to_string()),
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            // Blank lines between messages do no harm.
            match length {
                Some(_) => break,
                None if count == 0 => continue,
                None => return Read::Broken("a header has no Content-Length".to_string()),
            }
        }
        count += 1;
        let text = String::from_utf8_lossy(line);
        let Some((name, value)) = text.split_once(':') else {
            return Read::Broken("this is no header of the Language Server Protocol".to_string());
        };
        if name.trim().eq_ignore_ascii_case("content-length") {
            match value.trim().parse() {
                Ok(told) if told <= LONGEST => length = Some(told),
                _ => return Read::Broken("a Content-Length is no number of bytes".to_string()),
            }
        }
    }
    let length = length.unwrap_or(0);
    let mut bytes = Vec::new();
    match input.take(length).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 == length => Read::Message(bytes),
        _ => Read::Broken("a message ends early".to_string()),
    }
}

/// Writes a message.
pub(super) fn write(out: &mut impl Write, message: &Value) -> std::io::Result<()> {
    let text = message.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_and_what_is_none_ends_the_stream() {
        let all = |text: &str| {
            let mut input = text.as_bytes();
            let mut read_all = Vec::new();
            loop {
                match read(&mut input) {
                    Read::Message(bytes) => read_all.push(String::from_utf8(bytes).unwrap()),
                    Read::End => return (read_all, None),
                    Read::Broken(why) => return (read_all, Some(why)),
                }
            }
        };
        let two = "Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x; y\r\n\r\n[1]\r\n";
        assert_eq!(all(two), (vec!["{}".to_string(), "[1]".to_string()], None));
        for (text, why) in [
            ("Content-Length: 5\r\n\r\n{}", "ends early"),
            ("Content-Length: -1\r\n\r\n{}", "no number"),
            ("Content-Length: 99999999999999999999\r\n\r\n{}", "no number"),
            ("Content-Length: 9999999999\r\n\r\n{}", "no number"),
            ("Content-Type: x\r\n\r\n{}", "no Content-Length"),
            ("{\"jsonrpc\": \"2.0\"}\n", "does not end"),
            ("hello\n", "no header"),
            ("Content-Length: 2", "does not end"),
            (&"x".repeat(100_000), "does not end"),
            (&"x: y\n".repeat(1000), "does not end"),
        ] {
            let (read, told) = all(text);
            assert!(
                read.is_empty() && told.as_ref().is_some_and(|told| told.contains(why)),
                "{text}: {told:?}"
            );
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, &serde_json::json!({ "text": "变量" })).unwrap();
        assert_eq!(read(&mut bytes.as_slice()), Read::Message("{\"text\":\"变量\"}".as_bytes().to_vec()));
    }
}
