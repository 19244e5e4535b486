//! What editors are given (`docs/editors`): the TextMate grammar and the syntax file know the words that the
//! lexer and the runtime library know, each in one place.

// A test that cannot go on has failed.
#![allow(clippy::expect_used)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use sysyc::sema::runtime::FUNCTIONS;
use sysyc::syntax::token::TokenKind;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editors").join(name);
    std::fs::read_to_string(path).expect("it is there")
}

/// All rules of a grammar with a name and a pattern.
fn rules(value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(object) => {
            for pattern in ["match", "begin", "end"].iter().filter_map(|key| object.get(*key)?.as_str()) {
                let name = object.get("name").and_then(Value::as_str).unwrap_or_default();
                found.push((name.to_string(), pattern.to_string()));
            }
            object.values().for_each(|value| rules(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| rules(value, found)),
        _ => {}
    }
}

/// The words of `\b(?:a|b)\b`.
fn words(pattern: &str) -> Vec<&str> {
    let inner = pattern.strip_prefix("\\b(?:").and_then(|rest| rest.split(")\\b").next());
    let words: Vec<&str> = inner.map_or(Vec::new(), |inner| inner.split('|').collect());
    let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if words.iter().all(is_word) { words } else { Vec::new() }
}

/// Kind by kind as `lexer` has them: what each keyword is to a grammar.
fn scope(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Int | TokenKind::Float | TokenKind::Void => "storage.type.sysy",
        TokenKind::Const => "storage.modifier.sysy",
        _ => "keyword.control.sysy",
    }
}

const KEYWORDS: [TokenKind; TokenKind::Return as usize + 1] = [
    TokenKind::Const,
    TokenKind::Int,
    TokenKind::Float,
    TokenKind::Void,
    TokenKind::If,
    TokenKind::Else,
    TokenKind::While,
    TokenKind::Break,
    TokenKind::Continue,
    TokenKind::Return,
];

#[test]
fn the_grammar_has_each_word_once_and_no_other() {
    let grammar: Value = serde_json::from_str(&read("sysy.tmLanguage.json")).expect("JSON");
    assert_eq!((&grammar["scopeName"], &grammar["fileTypes"][0]), (&"source.sysy".into(), &"sy".into()));
    let mut found = Vec::new();
    rules(&grammar, &mut found);
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, pattern) in &found {
        for word in words(pattern) {
            assert_eq!(known.insert(word, name), None, "{word} is in two rules");
        }
    }
    for kind in KEYWORDS {
        assert_eq!(known.remove(kind.spelling()), Some(scope(kind)));
    }
    for function in &FUNCTIONS {
        assert_eq!(known.remove(function.name), Some("support.function.sysy"), "{}", function.name);
    }
    // The dialect's, and what is a word in front of a type.
    for word in ["for", "do", "extern", "tensor"] {
        known.remove(word);
    }
    assert!(known.is_empty(), "{known:?} are no words of SysY");
}

#[test]
fn patterns_are_closed_and_includes_are_there() {
    let grammar: Value = serde_json::from_str(&read("sysy.tmLanguage.json")).expect("JSON");
    let mut found = Vec::new();
    rules(&grammar, &mut found);
    assert!(found.len() > 20);
    for (name, pattern) in found {
        let (mut depth, mut in_class, mut escaped) = (0i32, false, false);
        for byte in pattern.bytes() {
            match byte {
                _ if escaped => {
                    escaped = false;
                    continue;
                }
                b'\\' => escaped = true,
                b'[' if !in_class => in_class = true,
                b']' => in_class = false,
                b'(' if !in_class => depth += 1,
                b')' if !in_class => depth -= 1,
                _ => {}
            }
            assert!(depth >= 0, "{name}: {pattern}");
        }
        assert!(depth == 0 && !in_class && !escaped, "{name}: {pattern}");
        assert!(name.is_empty() || name.ends_with(".sysy"), "{name}");
    }
    for pattern in grammar["patterns"].as_array().expect("a list") {
        let include =
            pattern["include"].as_str().and_then(|text| text.strip_prefix('#')).expect("an include");
        assert!(grammar["repository"].get(include).is_some(), "{include}");
    }
    for name in ["package.json", "language-configuration.json"] {
        assert!(serde_json::from_str::<Value>(&read(name)).expect("JSON").is_object());
    }
}

#[test]
fn the_syntax_file_of_vim_has_each_word() {
    let text = read("sysy.vim");
    let known: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("syn keyword "))
        .flat_map(|line| line.split(' ').skip(1))
        .collect();
    let wanted = KEYWORDS.iter().map(|kind| kind.spelling()).chain(FUNCTIONS.iter().map(|row| row.name));
    for word in wanted {
        assert_eq!(known.iter().filter(|other| **other == word).count(), 1, "{word}");
    }
}
