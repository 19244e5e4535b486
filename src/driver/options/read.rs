//! From words to rows: names, values behind them or in the next word, files of words, and the words that stand
//! for flags. O(words × rows).

use super::inputs::input;
use super::table::{Draft, Given, Row, SWITCHED_OFF, SWITCHED_ON, Takes, rows};
use super::{Options, Show, help};
use crate::isa::TARGETS;
use crate::opt;
use crate::source::file::why;
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};

/// What the first word that is no option does: the same as these.
pub(super) const WORDS: [(&str, &[&str], &str); 8] = [
    ("run", &["--run"], "execute a program: --run"),
    ("check", &["--check"], "check a program: --check"),
    ("build", &[], "make a program"),
    (
        "fmt",
        &["--format"],
        "format sources in place; with --check or --diff: say what would change; -: to the standard output",
    ),
    ("profile", &[], "what a compiled program executes, by line and function, under qemu: --profile"),
    ("explain", &["--explain"], "what a diagnostic means: --explain"),
    ("lsp", &[], "a language server, for editors; -W... say what it warns of"),
    ("doctor", &[], "whether everything that sysyc can make use of is here"),
];

/// Files of words in files of words end here.
const MOST_FILES: usize = 100;

/// Reads all words, the program's name included.
pub(super) fn read(args: impl IntoIterator<Item = OsString>) -> Result<Draft, String> {
    let Some(&target) = TARGETS.first() else { return Err("no target".to_string()) };
    let mut d = Draft {
        options: Options::new(target),
        level: None,
        goals: Vec::new(),
        abi: None,
        tune: None,
        cpu: None,
        switched_on: Vec::new(),
        emit_llvm: false,
        is_static: false,
        fat: false,
        language: None,
    };
    let mut words: VecDeque<OsString> = args.into_iter().skip(1).collect();
    let mut is_first = true;
    let (mut files, mut only_inputs, mut bare_level) = (0, false, None);
    while let Some(word) = words.pop_front() {
        let text = word.to_string_lossy().into_owned();
        if let Some(path) = text.strip_prefix('@').filter(|path| !path.is_empty() && !only_inputs) {
            files += 1;
            if files > MOST_FILES {
                return Err(format!("'{text}': more than {MOST_FILES} files of options"));
            }
            let more = std::fs::read_to_string(path)
                .map_err(|error| format!("cannot read '{text}': {}", why(&error)))?;
            split(&more).into_iter().rev().for_each(|word| words.push_front(word.into()));
        } else if only_inputs || !text.starts_with('-') || text == "-" {
            let is_word = std::mem::take(&mut is_first) && !only_inputs;
            if let Some(row) = WORDS.iter().find(|row| is_word && row.0 == text) {
                row.1.iter().rev().for_each(|word| words.push_front(word.into()));
                d.options.show = match row.0 {
                    "doctor" => Some(Show::Health),
                    "profile" => Some(Show::Profile),
                    "lsp" => Some(Show::Server),
                    _ => d.options.show,
                };
                continue;
            }
            if let Some(level) = bare_level.take()
                && text.len() == 1
                && !std::path::Path::new(&word).exists()
            {
                return Err(format!("no file '{text}'; the level follows at once: '{level}{text}'"));
            }
            input(&mut d, word)?;
        } else if text == "--" && d.runs() {
            // Behind the program's name, as of `cargo run`.
            d.options.program_words.extend(words.drain(..));
        } else if text == "--" {
            only_inputs = true;
        } else {
            bare_level = (text == "-O").then(|| text.clone());
            option(&mut d, &word, &text, &mut words)?;
        }
    }
    Ok(d)
}

/// One option; its value may be the next word.
fn option(d: &mut Draft, word: &OsStr, text: &str, words: &mut VecDeque<OsString>) -> Result<(), String> {
    let fitting = rows().filter_map(|row| Some((row, fits(row, text)?)));
    // The longest name; of rows with the same name the one whose form fits.
    let fit =
        |(row, value): &(&Row, Option<&str>)| (row.name.len(), value.is_some() || row.takes != Takes::Equals);
    let Some((row, value)) = fitting.max_by_key(fit) else {
        return Err(unknown(text));
    };
    let next = |words: &mut VecDeque<OsString>| {
        words.pop_front().ok_or_else(|| format!("'{text}' needs a value: {text} {}", row.value))
    };
    match (row.takes, value) {
        (_, Some(value)) => {
            if word.to_str().is_none() {
                return Err(format!("'{text}' is not UTF-8: as a word of its own, a name may be anything"));
            }
            (row.apply)(d, &Given { row, word: text, text: value, raw: OsStr::new(value) })
        }
        (Takes::BehindOrNext | Takes::EqualsOrNext | Takes::Next, None) => {
            let value = next(words)?;
            let shown = value.to_string_lossy();
            (row.apply)(d, &Given { row, word: &format!("{text} {shown}"), text: &shown, raw: &value })
        }
        (Takes::Equals, None) => Err(format!("'{text}' needs a value: {text}={}", row.value)),
        (Takes::Nothing | Takes::Behind, None) => {
            (row.apply)(d, &Given { row, word: text, text: "", raw: OsStr::new("") })
        }
    }
}

/// The value that a word has if it is this row's; `Some(None)` if it is the row's without a value.
fn fits<'a>(row: &Row, text: &'a str) -> Option<Option<&'a str>> {
    let rest = text.strip_prefix(row.name)?;
    match row.takes {
        _ if rest.is_empty() => Some(None),
        Takes::Behind | Takes::BehindOrNext => Some(Some(rest)),
        Takes::Equals | Takes::EqualsOrNext => rest.strip_prefix('=').map(Some),
        Takes::Nothing | Takes::Next => None,
    }
}

/// What to say of a word that nothing knows.
pub(super) fn unknown(text: &str) -> String {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    if let Some(row) = rows().find(|row| row.name == name && row.takes == Takes::Nothing && value.is_some()) {
        return format!("'{}' takes no value", row.name);
    }
    let forms = [SWITCHED_ON, SWITCHED_OFF];
    let switches: Vec<String> = forms
        .iter()
        .flat_map(|form| opt::SWITCHES.iter().map(move |row| format!("{form}{}", row.name)))
        .collect();
    let names = rows().map(|row| row.name).filter(|name| !forms.contains(name));
    let near = help::near(name, names.chain(switches.iter().map(String::as_str)));
    format!("no option '{text}'{near}; 'sysyc --help' lists them")
}

/// The words of a file: between white space, with quotes and backslashes as in gcc's.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut chars) = (Vec::new(), None::<String>, None, text.chars());
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) => word.get_or_insert_default().extend(chars.next()),
            (_, Some(q)) if c == q => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, None) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_words_are_split_like_gcc_splits_them() {
        assert_eq!(split(" -O2\n\t'a b'  c\\ d \"e'f\" ''"), ["-O2", "a b", "c d", "e'f", ""]);
        assert_eq!(split("-o\"x y\".s \\\\ \"\\\"\""), ["-ox y.s", "\\", "\""]);
        assert!(split(" \n").is_empty());
    }

    #[test]
    fn rows_can_be_told_apart() {
        for (k, row) in rows().enumerate() {
            assert!(row.name.starts_with('-'), "{}", row.name);
            let same = rows().take(k).filter(|other| other.name == row.name);
            for other in same {
                let forms = [other.takes, row.takes];
                let joined = |takes: &Takes| matches!(takes, Takes::Behind | Takes::Equals);
                assert!(forms.contains(&Takes::Nothing) && forms.iter().any(joined), "{}", row.name);
            }
        }
    }
}
