//! The language server (`sysyc lsp`), as editors talk to it: a scripted session over pipes, positions in
//! Chinese text, changes in all forms, requests of every kind, hostile input; and a session with a real client,
//! neovim. `editing` has what is asked as a text is written, `workspace` several documents.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

mod editing;
mod workspace;

const URI: &str = "file:///t.sy";

/// A client.
struct Client {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    id: u64,
    version: u64,
    /// Notifications that came while an answer was waited for.
    told: Vec<Value>,
}

impl Client {
    fn start(flags: &[&str]) -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_sysyc"))
            .arg("lsp")
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let to = server.stdin.take().expect("a pipe");
        let from = BufReader::new(server.stdout.take().expect("a pipe"));
        Client { server, to, from, id: 0, version: 0, told: Vec::new() }
    }

    /// ... with a document.
    fn open(text: &str, flags: &[&str]) -> Client {
        let mut client = Client::start(flags);
        let abilities =
            client.ask("initialize", json!({ "processId": null, "capabilities": {} })).expect("an answer");
        assert_eq!(abilities["capabilities"]["positionEncoding"], "utf-16");
        client.note("initialized", json!({}));
        client.note(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": URI, "languageId": "sysy", "version": 0, "text": text } }),
        );
        client
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
    }

    fn note(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("it writes") > 0, "the server has ended");
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a number");
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).expect("all of it");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// The result of a request, or its error.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == self.id {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.told.push(message);
        }
    }

    /// A request about a position of the document.
    fn at(&mut self, method: &str, (line, character): (usize, usize), more: Value) -> Result<Value, Value> {
        let mut params =
            json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": character } });
        for (key, value) in more.as_object().expect("an object") {
            params[key] = value.clone();
        }
        self.ask(&format!("textDocument/{method}"), params)
    }

    /// A request about the `nth` place where this text stands.
    fn on(&mut self, method: &str, text: &str, what: &str, nth: usize, more: Value) -> Result<Value, Value> {
        self.at(method, position(text, what, nth), more)
    }

    fn change(&mut self, changes: Value) {
        self.version += 1;
        let document = json!({ "uri": URI, "version": self.version });
        self.note("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// What is told of the newest version.
    fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            let message = match self.told.pop() {
                Some(message) => message,
                None => self.receive(),
            };
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics" && params["version"] == self.version {
                self.told.clear();
                return params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    fn end(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Ok(Value::Null));
        self.note("exit", Value::Null);
        assert!(self.server.wait().expect("it ends").success());
    }
}

/// Line and UTF-16 column of the `nth` place, from 0, where `what` stands.
fn position(text: &str, what: &str, nth: usize) -> (usize, usize) {
    let (at, _) = text.match_indices(what).nth(nth).unwrap_or_else(|| panic!("'{what}' {nth}"));
    let before = &text[..at];
    let from = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count(), text[from..at].encode_utf16().count())
}

fn range(text: &str, what: &str, nth: usize) -> Value {
    let (line, character) = position(text, what, nth);
    let end = character + what.encode_utf16().count();
    json!({ "start": { "line": line, "character": character }, "end": { "line": line, "character": end } })
}

/// Makes text edits, last to first.
fn edited(text: &str, edits: &Value) -> String {
    let mut edits = edits.as_array().expect("a list").clone();
    let place = |position: &Value| {
        let (line, character) = (position["line"].as_u64().expect("a line"), position["character"].as_u64());
        let from: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
        let mut units = character.expect("a column") as usize;
        let mut at = from;
        for c in text[from..].chars() {
            if units == 0 {
                break;
            }
            units -= c.len_utf16();
            at += c.len_utf8();
        }
        at
    };
    edits.sort_by_key(|edit| std::cmp::Reverse(place(&edit["range"]["start"])));
    let mut out = text.to_string();
    for edit in edits {
        let (start, end) = (place(&edit["range"]["start"]), place(&edit["range"]["end"]));
        out.replace_range(start..end, edit["newText"].as_str().expect("a text"));
    }
    out
}

const PROGRAM: &str = "\
const int N = 4 * 2;
/* 变量 */ int data[N][3];
// Adds 数字 up:
// all of them.
int sum(int a[][3], int n) {
    int i = 0, s = 0; /* 求和 */ s = s + N;
    while (i < n) {
        int k = a[i][0];
        s = s + k;
        i = i + 1;
    }
    return s;
}
int main() {
    int n = getint();
    putint(sum(data, n));
    return 0;
}
";

#[test]
fn a_session_with_every_kind_of_request() {
    let mut client = Client::open(PROGRAM, &["-Wall"]);
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    let hover = |client: &mut Client, what: &str, nth: usize| {
        let answer = client.on("hover", PROGRAM, what, nth, json!({})).expect("an answer");
        answer["contents"]["value"].as_str().unwrap_or_default().to_string()
    };
    assert!(hover(&mut client, "N]", 0).starts_with("```sysy\nconst int N = 8\n```\n\nconstant"));
    assert!(hover(&mut client, "N;", 0).contains("const int N = 8"));
    assert!(hover(&mut client, "data, n", 0).contains("int data[8][3]\n```\n\nglobal variable"));
    assert!(hover(&mut client, "a[i]", 0).contains("int a[][3]\n```\n\nparameter"));
    let sum = hover(&mut client, "sum(data", 0);
    assert!(
        sum.contains("int sum(int a[][3], int n)\n```") && sum.contains("Adds 数字 up:\nall of them."),
        "{sum}"
    );
    let getint = hover(&mut client, "getint", 0);
    assert!(getint.contains("int getint()") && getint.contains("Reads a decimal int"), "{getint}");
    assert_eq!(client.on("hover", PROGRAM, "变量", 0, json!({})), Ok(Value::Null));

    // Definitions and uses, in UTF-16.
    let definition = client.on("definition", PROGRAM, "s = s + N", 0, json!({})).expect("an answer");
    assert_eq!(definition, json!({ "uri": URI, "range": range(PROGRAM, "s = 0", 0).clone().tap(1) }));
    let references =
        client.on("references", PROGRAM, "n) {", 0, json!({ "context": { "includeDeclaration": true } }));
    let found: Vec<Value> = references
        .expect("an answer")
        .as_array()
        .expect("a list")
        .iter()
        .map(|r| r["range"].clone())
        .collect();
    assert_eq!(found, [range(PROGRAM, "n) {", 0).tap(1), range(PROGRAM, "n) {", 1).tap(1)]);
    let highlights = client.on("documentHighlight", PROGRAM, "s + N", 0, json!({})).expect("an answer");
    let kinds: Vec<u64> =
        highlights.as_array().expect("a list").iter().filter_map(|h| h["kind"].as_u64()).collect();
    assert_eq!(kinds, [3, 3, 2, 3, 2, 2]);
    assert_eq!(client.on("definition", PROGRAM, "getint", 0, json!({})), Ok(Value::Null));

    // Names in scope.
    let labels = |client: &mut Client, at| -> Vec<String> {
        let answer = client.at("completion", at, json!({})).expect("an answer");
        let items = answer["items"].as_array().cloned().unwrap_or_default();
        items.iter().filter_map(|item| item["label"].as_str().map(str::to_string)).collect()
    };
    let inside = labels(&mut client, position(PROGRAM, "s = s + k", 0));
    for name in ["i", "s", "k", "a", "n", "N", "data", "sum", "putint", "while", "return"] {
        assert!(inside.iter().any(|label| label == name), "{name}: {inside:?}");
    }
    assert!(!inside.iter().any(|label| label == "main"), "{inside:?}");
    let (line, character) = position(PROGRAM, "putint", 0);
    assert_eq!(labels(&mut client, (line, character + 4)), ["putint"]);
    let (line, character) = position(PROGRAM, "return 0", 0);
    let outside = labels(&mut client, (line, character));
    assert!(!outside.iter().any(|label| label == "k" || label == "s"), "{outside:?}");
    assert!(labels(&mut client, position(PROGRAM, "数字", 0)).is_empty());

    let (line, character) = position(PROGRAM, "n));", 0);
    let help = client.at("signatureHelp", (line, character), json!({})).expect("an answer");
    assert_eq!(help["signatures"][0]["label"], "int sum(int a[][3], int n)");
    assert_eq!(help["activeParameter"], 1);

    let symbols = client
        .ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }))
        .expect("an answer");
    let names: Vec<&str> =
        symbols.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["N", "data", "sum", "main"]);
    let folds = client
        .ask("textDocument/foldingRange", json!({ "textDocument": { "uri": URI } }))
        .expect("an answer");
    assert_eq!(folds.as_array().map(Vec::len), Some(3));
    let tokens = client
        .ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }))
        .expect("an answer");
    let data: Vec<u64> =
        tokens["data"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    // `const int N = 4 * 2;`, then `int` behind a comment of Chinese.
    assert_eq!(data[..25], [0, 0, 5, 3, 0, 0, 6, 3, 3, 0, 0, 4, 1, 0, 3, 0, 4, 1, 4, 0, 0, 4, 1, 4, 0]);
    assert_eq!(data[25..30], [1, 9, 3, 3, 0]);
    client.end();
}

trait Tap {
    fn tap(self, length: u64) -> Value;
}

impl Tap for Value {
    /// The first characters of a range.
    fn tap(mut self, length: u64) -> Value {
        let start = self["start"]["character"].as_u64().unwrap_or_default();
        self["end"]["character"] = json!(start + length);
        self
    }
}

#[test]
fn names_are_changed_where_that_changes_nothing_else() {
    let mut client = Client::open(PROGRAM, &[]);
    let rename = |client: &mut Client, what: &str, nth: usize, new: &str| {
        client.on("rename", PROGRAM, what, nth, json!({ "newName": new }))
    };
    let edits = rename(&mut client, "s = s + k", 0, "total").expect("an answer");
    let text = edited(PROGRAM, &edits["changes"][URI]);
    assert!(
        text.contains("total = 0; /* 求和 */ total = total + N;") && text.contains("return total;"),
        "{text}"
    );
    assert!(text.contains("int sum(") && text.contains("total = total + k;"));
    let edits = rename(&mut client, "sum(int", 0, "add").expect("an answer");
    assert!(edited(PROGRAM, &edits["changes"][URI]).contains("putint(add(data, n));"));
    let edits = rename(&mut client, "N = 4", 0, "size").expect("an answer");
    assert!(edited(PROGRAM, &edits["changes"][URI]).contains("data[size][3]"));
    for (what, nth, new, why) in [
        ("k = a", 0, "i", "clash"),
        ("i = 0", 0, "k", "clash"),
        ("i = 0", 0, "data", "no clash"),
        ("i = 0", 0, "N", "clash"),
        ("data[", 0, "n", "clash"),
        ("n) {", 0, "1x", "no name"),
        ("n) {", 0, "变量", "no name"),
        ("n) {", 0, "", "no name"),
        ("n) {", 0, "while", "keyword"),
        ("main", 0, "start", "main"),
        ("getint", 0, "read", "runtime library"),
        ("变量", 0, "x", "no name here"),
    ] {
        let answer = rename(&mut client, what, nth, new);
        if why == "no clash" {
            assert!(answer.is_ok(), "{what} {new}: {answer:?}");
            continue;
        }
        let error = answer.expect_err(new);
        let said = error["message"].as_str().unwrap_or_default().to_string();
        assert!(said.contains(why) || said.contains("there is no name"), "{what} to {new}: {said}");
    }
    let prepared = client.on("prepareRename", PROGRAM, "data, n", 0, json!({})).expect("an answer");
    assert_eq!(prepared, json!({ "range": range(PROGRAM, "data", 1), "placeholder": "data" }));
    client.end();
}

#[test]
fn errors_are_told_with_edits_as_one_types() {
    let text = "int main() {\n    int 甲 = 1;\n    /* 乙 */ int count = 2; whlie (cuont) { count = 0 }\n    return count;\n}\n";
    let mut client = Client::open(text, &[]);
    let told = client.diagnostics();
    let codes: Vec<&str> = told.iter().filter_map(|d| d["code"].as_str()).collect();
    assert_eq!(codes, ["stray-byte", "syntax", "undeclared", "syntax"]);
    assert_eq!(told[1]["range"], range(text, "whlie", 0));
    assert_eq!(told[1]["message"], "unknown word 'whlie'\ndid you mean 'while'?");
    assert_eq!(told[2]["relatedInformation"][0]["location"]["range"], range(text, "count", 0));
    let context = json!({ "diagnostics": [], "only": ["quickfix"] });
    let params =
        json!({ "textDocument": { "uri": URI }, "range": range(text, "whlie", 0), "context": context });
    let actions = client.ask("textDocument/codeAction", params.clone()).expect("an answer");
    assert_eq!(actions.as_array().map(Vec::len), Some(1));
    assert_eq!(actions[0]["title"], "did you mean 'while'?");
    assert_eq!(actions[0]["isPreferred"], false);
    assert!(edited(text, &actions[0]["edit"]["changes"][URI]).contains("while (cuont)"));
    let all = json!({ "textDocument": { "uri": URI }, "range": range(text, "main", 0), "context": { "diagnostics": [], "only": ["source.fixAll"] } });
    let actions = client.ask("textDocument/codeAction", all).expect("an answer");
    let fixed = edited(text, &actions[0]["edit"]["changes"][URI]);
    assert_eq!(
        (&actions[0]["kind"], fixed.contains("whlie (cuont) { count = 0; }")),
        (&"source.fixAll".into(), true)
    );

    // The edits of an editor, one by one: as text, and as ranges in UTF-16.
    client.change(json!([{ "range": range(text, "甲", 0), "text": "a" }, { "range": range(text, "whlie", 0), "text": "while" }]));
    assert_eq!(client.diagnostics().len(), 2);
    let now = text.replace('甲', "a").replace("whlie", "while");
    let (line, character) = position(&now, " }\n", 0);
    let at = json!({ "line": line, "character": character });
    client.change(json!([{ "range": { "start": at, "end": at }, "text": ";" }]));
    let told = client.diagnostics();
    assert_eq!((told.len(), &told[0]["range"]), (1, &range(&now, "cuont", 0)));
    client.change(json!([{ "text": "int main() { return 0; }" }]));
    assert!(client.diagnostics().is_empty());
    client.note("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    assert!(client.at("hover", (0, 5), json!({})).is_err());
    client.end();
}

#[test]
fn tensors_are_known() {
    let text = "tensor int a[2][3], b[3][2], c[2][2];
tensor int twice(tensor int t[2][2]) { return t * 2; }
int main() {
    int tensor = 1;
    c = twice(a @ b) + tensor;
    return c[0][1];
}
";
    let mut client = Client::open(text, &[]);
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    let hover = |client: &mut Client, what: &str, nth: usize| {
        let answer = client.on("hover", text, what, nth, json!({})).expect("an answer");
        answer["contents"]["value"].as_str().unwrap_or_default().to_string()
    };
    assert!(hover(&mut client, "a @", 0).contains("tensor int a[2][3]\n```\n\nglobal variable"));
    let twice = hover(&mut client, "twice(a", 0);
    assert!(twice.contains("tensor int") && twice.contains("twice(tensor int t[2][2])"), "{twice}");
    assert!(hover(&mut client, "tensor;", 0).contains("int tensor\n"), "a word of its own elsewhere");
    let (line, character) = position(text, "a @", 0);
    let help = client.at("signatureHelp", (line, character), json!({})).expect("an answer");
    let label = help["signatures"][0]["label"].as_str().unwrap_or_default().to_string();
    assert!(label.contains("twice(tensor int t[2][2])"), "{label}");

    // `*` for `@`, with the edit.
    client.change(json!([{ "range": range(text, "@", 0), "text": "*" }]));
    let told = client.diagnostics();
    assert_eq!((told.len(), &told[0]["code"]), (1, &json!("tensor-shape")), "{told:?}");
    assert_eq!(told[0]["range"], range(text, "@", 0));
    let now = text.replace('@', "*");
    let params = json!({ "textDocument": { "uri": URI }, "range": range(&now, "* b", 0), "context": { "diagnostics": [], "only": ["quickfix"] } });
    let actions = client.ask("textDocument/codeAction", params).expect("an answer");
    assert_eq!(edited(&now, &actions[0]["edit"]["changes"][URI]), text, "{actions}");
    client.end();
}

#[test]
fn changes_in_pieces_are_the_same_as_the_whole_text() {
    let mut client = Client::open("", &["-Wall", "-Wextra"]);
    let mut text = String::new();
    let mut seed = 7u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below.max(1)
    };
    let pieces = [
        "int a;\n",
        "int main() {",
        "}\n",
        "变",
        "𝒳",
        "a",
        "; // é\r\n",
        "(",
        ")",
        " = 1;",
        "/*",
        "*/",
        "\"",
        "\n",
    ];
    for _ in 0..60 {
        let bounds: Vec<usize> = (0..=text.len()).filter(|&k| text.is_char_boundary(k)).collect();
        let (a, b) = (bounds[next(bounds.len())], bounds[next(bounds.len())]);
        let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 8));
        let b = (b..=text.len()).find(|&k| text.is_char_boundary(k)).unwrap_or(text.len());
        // A position inside of the end of a line is none of the protocol's.
        if [a, b].iter().any(|&k| text[..k].ends_with('\r')) {
            continue;
        }
        let place = |k: usize| {
            let from = text[..k].rfind('\n').map_or(0, |newline| newline + 1);
            json!({ "line": text[..k].matches('\n').count(), "character": text[from..k].encode_utf16().count() })
        };
        let piece = pieces[next(pieces.len())];
        let change = json!([{ "range": { "start": place(a), "end": place(b) }, "text": piece }]);
        text.replace_range(a..b, piece);
        client.change(change);
        let in_pieces = client.diagnostics();
        client.change(json!([{ "text": text }]));
        assert_eq!(in_pieces, client.diagnostics(), "{text:?}");
    }
    client.end();
}

#[test]
fn hostile_input_is_answered_or_ends_the_server() {
    // What is wrong inside of a message.
    let mut client = Client::open(PROGRAM, &[]);
    for method in [
        "hover",
        "definition",
        "references",
        "documentHighlight",
        "prepareRename",
        "completion",
        "signatureHelp",
    ] {
        for position in [
            json!({}),
            json!(null),
            json!([1]),
            json!({ "line": -1, "character": 0 }),
            json!({ "line": "x", "character": 0 }),
        ] {
            let params = json!({ "textDocument": { "uri": URI }, "position": position });
            let error = client.ask(&format!("textDocument/{method}"), params).expect_err(method);
            assert_eq!(error["code"], -32602, "{method}");
        }
        for far in [(0, usize::MAX), (usize::MAX, 0), (1 << 40, 1 << 40), (5, 1 << 31)] {
            _ = client.at(method, far, json!({ "newName": "x" }));
        }
        assert!(client.ask(&format!("textDocument/{method}"), json!([])).is_err());
        assert!(
            client
                .ask(&format!("textDocument/{method}"), json!({ "textDocument": { "uri": "file:///none" } }))
                .is_err()
        );
    }
    assert_eq!(client.ask("nonsense", json!({})).expect_err("unknown")["code"], -32601);
    client.send(&json!([{ "jsonrpc": "2.0" }]));
    client.send(&json!(null));
    client.send(&json!("text"));
    client.send(&json!({ "jsonrpc": "2.0", "id": {}, "method": 3 }));
    for changes in [
        json!(null),
        json!([null, 1, {}]),
        json!([{ "range": { "start": 1 }, "text": 5 }]),
        json!([{ "range": { "start": { "line": 99999, "character": 99999 }, "end": { "line": 0, "character": 0 } }, "text": "\u{0}" }]),
    ] {
        client.change(changes);
    }
    write!(client.to, "Content-Length: 9\r\n\r\n{{\"a\": [[[").expect("it reads");
    write!(client.to, "Content-Length: 4\r\n\r\n\u{7f}\u{1}\u{2}\u{3}").expect("it reads");
    let deep = "[".repeat(100_000);
    write!(client.to, "Content-Length: {}\r\n\r\n{deep}", deep.len()).expect("it reads");
    assert!(client.at("hover", (0, 0), json!({})).is_ok());
    // Huge texts: one line of a megabyte with an error a name, many brackets, many lines of Chinese.
    for text in [
        format!("int main() {{ {} }}", "变 𝒳 x ".repeat(100_000)),
        "(".repeat(200_000),
        "{".repeat(200_000),
        "int f() { return 变; }\n".repeat(30_000),
        format!("int main() {{ return {}1; }}", "f(".repeat(100_000)),
        format!("int g(int a, int b) {{ return {}1{}; }}", "g(".repeat(20_000), ", 1)".repeat(20_000)),
    ] {
        client.change(json!([{ "text": text }]));
        assert!(client.diagnostics().len() <= 1000);
        for method in ["hover", "completion", "signatureHelp", "documentHighlight"] {
            _ = client.at(method, (0, 100_000), json!({}));
        }
        let whole =
            json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 9999 } });
        let more = json!({ "range": whole, "positions": [whole["end"]], "ch": "}" });
        for method in ["inlayHint", "selectionRange", "rangeFormatting", "onTypeFormatting"] {
            client.at(method, (0, 100_000), more.clone()).expect("an answer");
        }
        for method in ["semanticTokens/full", "foldingRange", "documentSymbol", "formatting", "diagnostic"] {
            client
                .ask(&format!("textDocument/{method}"), json!({ "textDocument": { "uri": URI } }))
                .expect("an answer");
        }
    }
    client.end();

    // Streams that are none, and ends at any place.
    let valid =
        "Content-Length: 58\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}";
    for text in [
        "hello\n",
        "Content-Length: x\r\n\r\n",
        "Content-Length: 10\r\n\r\n{}",
        "\r\n\r\n\r\n",
        "",
        &valid[..40],
        valid,
    ] {
        let mut client = Client::start(&[]);
        client.to.write_all(text.as_bytes()).expect("it reads");
        let Client { mut server, to, .. } = client;
        drop(to);
        assert_eq!(server.wait().expect("it ends").code(), Some(1), "{text}");
    }
    // Before `initialize`, and behind `shutdown`.
    let mut client = Client::start(&[]);
    assert_eq!(client.at("hover", (0, 0), json!({})).expect_err("too early")["code"], -32002);
    client.ask("initialize", json!({})).expect("an answer");
    // What was agreed on stays.
    assert_eq!(client.ask("initialize", json!({})).expect_err("it has begun")["code"], -32600);
    client.ask("shutdown", Value::Null).expect("an answer");
    assert_eq!(client.at("hover", (0, 0), json!({})).expect_err("too late")["code"], -32600);
    client.note("exit", Value::Null);
    assert_eq!(client.server.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_real_client_neovim_works_with_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("t.sy");
    std::fs::write(&file, "// 求和\nint sum(int a, int b) {\n    return a + b;\n}\nint main() {\n    int n = 1\n    return sum(n, 变);\n}\n")
        .expect("it can be written");
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lsp/client.lua");
    let done = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-n", "-i", "NONE"])
        .arg("-c")
        .arg(format!("luafile {}", script.display()))
        .env("SYSYC", env!("CARGO_BIN_EXE_sysyc"))
        .env("SYSY_FILE", &file)
        .env("HOME", folder.path())
        .env("XDG_STATE_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .current_dir(folder.path())
        .output()
        .expect("neovim is installed: tests/install.sh");
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("all well"), "{said}");
}
