//! Several documents, open and on disk: definitions of prototypes, references, symbols, who calls whom; and a client that
//! has gone.

use super::{Client, position, range};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MAIN: &str = "int scale(int x);\nextern int calls;\nint local(int x) { return scale(x) + scale(1); }\nint main() {\n    return local(2) + scale(3) + calls;\n}\n";
const PART: &str = "int calls;\n/* 变 */ int twice(int x) { return x + x; }\nint scale(int x) {\n    calls = calls + 1;\n    return twice(x);\n}\n";
/// A program by itself, with names of its own.
const OTHER: &str = "int local(int x) { return x; }\nint main() { return local(1); }\n";

/// A client whose workspace has these sources, and the URI of each.
fn workspace(folder: &Path) -> (Client, [String; 3]) {
    std::fs::create_dir_all(folder.join("parts a")).expect("it can be made");
    let uris = [("main.sy", MAIN), ("parts a/part.sy", PART), ("other.sy", OTHER)].map(|(name, text)| {
        std::fs::write(folder.join(name), text).expect("it can be written");
        format!("file://{}/{}", folder.display(), name.replace(' ', "%20"))
    });
    let mut client = Client::start(&[]);
    let root = json!({ "uri": format!("file://{}", folder.display()), "name": "w" });
    client.ask("initialize", json!({ "capabilities": {}, "workspaceFolders": [root] })).expect("an answer");
    let item = json!({ "uri": uris[0], "languageId": "sysy", "version": 0, "text": MAIN });
    client.note("textDocument/didOpen", json!({ "textDocument": item }));
    (client, uris)
}

fn at(uri: &str, text: &str, what: &str, nth: usize) -> Value {
    let (line, character) = position(text, what, nth);
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

/// The first characters of where something stands.
fn place(uri: &str, text: &str, what: &str, nth: usize, length: u64) -> Value {
    let mut range = range(text, what, nth);
    range["end"]["character"] = json!(range["start"]["character"].as_u64().expect("a column") + length);
    json!({ "uri": uri, "range": range })
}

#[test]
fn what_is_declared_here_is_found_where_it_is_defined() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut client, [main, part, _]) = workspace(folder.path());
    let definition = |client: &mut Client, uri: &str, text: &str, what: &str, nth| {
        client.ask("textDocument/definition", at(uri, text, what, nth)).expect("an answer")
    };
    for nth in [0, 1] {
        assert_eq!(definition(&mut client, &main, MAIN, "scale(", nth), place(&part, PART, "scale", 0, 5));
    }
    assert_eq!(definition(&mut client, &main, MAIN, "calls;\n}", 0), place(&part, PART, "calls", 0, 5));
    assert_eq!(definition(&mut client, &main, MAIN, "local(2", 0), place(&main, MAIN, "local", 0, 5));
    let declared = client.ask("textDocument/declaration", at(&main, MAIN, "scale(3", 0)).expect("an answer");
    assert_eq!(declared, place(&main, MAIN, "scale", 0, 5));

    // What is open counts, and not what is on disk; what has changed on disk is read again.
    let moved = format!("\n\n{PART}");
    std::fs::write(folder.path().join("parts a/part.sy"), &moved).expect("it can be written");
    assert_eq!(definition(&mut client, &main, MAIN, "scale(3", 0), place(&part, &moved, "scale", 0, 5));
    let open = format!("\n{PART}");
    client
        .note("textDocument/didOpen", json!({ "textDocument": { "uri": part, "version": 0, "text": open } }));
    assert_eq!(definition(&mut client, &main, MAIN, "scale(3", 0), place(&part, &open, "scale", 0, 5));
    client.note("textDocument/didClose", json!({ "textDocument": { "uri": part } }));
    // Where nothing defines it, the prototype is all there is.
    std::fs::remove_file(folder.path().join("parts a/part.sy")).expect("it is there");
    assert_eq!(definition(&mut client, &main, MAIN, "scale(3", 0), place(&main, MAIN, "scale", 0, 5));
    client.end();
}

#[test]
fn a_prototype_and_its_definition_in_one_text_are_one_name() {
    let text = "int f(int a);\nint main() { return f(1); }\nint f(int a) { return a; }\n";
    let mut client = Client::open(text, &[]);
    let definition = client.on("definition", text, "f(1", 0, json!({})).expect("an answer");
    assert_eq!(definition, place(super::URI, text, "f(int a) {", 0, 1));
    let renamed = client.on("rename", text, "f(1", 0, json!({ "newName": "g" })).expect("an answer");
    let wanted = text.replace("f(", "g(");
    assert_eq!(super::edited(text, &renamed["changes"][super::URI]), wanted);
    client.end();
}

/// A name is changed wherever it is declared or defined, also in what is not open; what is only called so elsewhere stays.
#[test]
fn names_are_changed_in_all_sources() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut client, [main, part, other]) = workspace(folder.path());
    let rename = |client: &mut Client, uri: &str, text: &str, what: &str, new: &str| {
        let mut params = at(uri, text, what, 0);
        params["newName"] = json!(new);
        client.ask("textDocument/rename", params)
    };
    let check = |edits: &Value, old: &str, new: &str| {
        assert_eq!(super::edited(MAIN, &edits["changes"][&main]), MAIN.replace(old, new));
        assert_eq!(super::edited(PART, &edits["changes"][&part]), PART.replace(old, new));
        assert_eq!(edits["changes"].as_object().map(serde_json::Map::len), Some(2));
    };
    check(&rename(&mut client, &main, MAIN, "scale(3", "widen").expect("an answer"), "scale", "widen");
    // From where it is defined, in a text that has changed since it was written.
    let item = json!({ "uri": part, "languageId": "sysy", "version": 0, "text": PART });
    client.note("textDocument/didOpen", json!({ "textDocument": item }));
    check(&rename(&mut client, &part, PART, "scale(int", "widen").expect("an answer"), "scale", "widen");
    // What clashes in another source is told with its place.
    let clash = rename(&mut client, &main, MAIN, "scale(3", "twice").expect_err("a clash");
    let said = clash["message"].as_str().unwrap_or_default().to_string();
    assert!(
        said.contains("'twice' would clash with what line 2 declares, in ") && said.ends_with("part.sy"),
        "{said}"
    );
    // Names of other programs are others.
    let edits = rename(&mut client, &main, MAIN, "local(2", "near").expect("an answer");
    assert_eq!(super::edited(MAIN, &edits["changes"][&main]), MAIN.replace("local", "near"));
    assert_eq!(edits["changes"].as_object().map(serde_json::Map::len), Some(1));
    // Of which of two definitions the others are is not known.
    let item = json!({ "uri": other, "languageId": "sysy", "version": 0, "text": "int scale(int y) { return y; }\n" });
    client.note("textDocument/didOpen", json!({ "textDocument": item }));
    let refused = rename(&mut client, &main, MAIN, "scale(3", "widen").expect_err("two definitions");
    assert!(
        refused["message"]
            .as_str()
            .is_some_and(|said| said.contains("'other.sy' and 'part.sy' both define it")),
        "{refused}"
    );
    client.end();
}

#[test]
fn names_are_found_in_all_sources() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut client, [main, part, other]) = workspace(folder.path());
    let mut params = at(&main, MAIN, "scale(x)", 0);
    params["context"] = json!({ "includeDeclaration": false });
    let found = client.ask("textDocument/references", params).expect("an answer");
    let uses = [
        place(&main, MAIN, "scale", 1, 5),
        place(&main, MAIN, "scale", 2, 5),
        place(&main, MAIN, "scale", 3, 5),
    ];
    assert_eq!(found, json!(uses));
    // Names of another program are others.
    let mut params = at(&main, MAIN, "local", 0);
    params["context"] = json!({ "includeDeclaration": true });
    let found = client.ask("textDocument/references", params).expect("an answer");
    assert_eq!(found, json!([place(&main, MAIN, "local", 0, 5), place(&main, MAIN, "local", 1, 5)]));

    let symbols = client.ask("workspace/symbol", json!({ "query": "CLS" })).expect("an answer");
    assert_eq!(
        symbols,
        json!([{ "name": "calls", "kind": 13, "location": place(&part, PART, "calls", 0, 5), "containerName": "part.sy" }])
    );
    let root = json!({ "uri": format!("file://{}", folder.path().display()), "name": "w" });
    for (removed, added, count) in [(json!([root]), json!([]), 2), (json!([]), json!([root]), 7)] {
        let event = json!({ "event": { "removed": removed, "added": added } });
        client.note("workspace/didChangeWorkspaceFolders", event);
        let all = client.ask("workspace/symbol", json!({ "query": "" })).expect("an answer");
        assert_eq!(all.as_array().map(Vec::len), Some(count), "{all}");
    }
    let all = client.ask("workspace/symbol", json!({ "query": "" })).expect("an answer");
    let names: Vec<&str> =
        all.as_array().expect("a list").iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["local", "main", "local", "main", "calls", "twice", "scale"], "{other}");
    client.end();
}

#[test]
fn calls_are_followed_both_ways_from_source_to_source() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut client, [main, part, _]) = workspace(folder.path());
    let items =
        client.ask("textDocument/prepareCallHierarchy", at(&main, MAIN, "scale(3", 0)).expect("an answer");
    let scale = &items[0];
    assert_eq!((&scale["name"], &scale["uri"]), (&json!("scale"), &json!(part)));
    assert_eq!(scale["selectionRange"], place(&part, PART, "scale", 0, 5)["range"]);
    let calls =
        |client: &mut Client, method: &str, end: &str, item: &Value| -> Vec<(String, String, usize)> {
            let found =
                client.ask(&format!("callHierarchy/{method}"), json!({ "item": item })).expect("an answer");
            let text = |value: &Value| value.as_str().expect("a text").to_string();
            let row = |call: &Value| {
                (
                    text(&call[end]["name"]),
                    text(&call[end]["uri"]),
                    call["fromRanges"].as_array().map_or(0, Vec::len),
                )
            };
            found.as_array().expect("a list").iter().map(row).collect()
        };
    let incoming = calls(&mut client, "incomingCalls", "from", scale);
    assert_eq!(incoming, [("local".to_string(), main.clone(), 2), ("main".to_string(), main.clone(), 1)]);
    assert_eq!(calls(&mut client, "outgoingCalls", "to", scale), [("twice".to_string(), part.clone(), 1)]);
    let items =
        client.ask("textDocument/prepareCallHierarchy", at(&main, MAIN, "main", 0)).expect("an answer");
    let outgoing = calls(&mut client, "outgoingCalls", "to", &items[0]);
    assert_eq!(outgoing, [("local".to_string(), main.clone(), 1), ("scale".to_string(), part, 1)]);
    assert_eq!(client.ask("textDocument/prepareCallHierarchy", at(&main, MAIN, "calls", 0)), Ok(Value::Null));
    let gone = json!({ "item": { "uri": "file:///none.sy", "selectionRange": scale["selectionRange"] } });
    for method in ["callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "workspace/symbol"] {
        assert!(
            client.ask(method, gone.clone()).is_err() && client.ask(method, json!([])).is_err(),
            "{method}"
        );
    }
    client.end();
}

#[test]
fn a_server_ends_with_its_client() {
    let mut client = Command::new("sleep").arg("600").stdout(Stdio::null()).spawn().expect("it starts");
    let mut server = Client::start(&["--stdio"]);
    server.ask("initialize", json!({ "processId": client.id(), "capabilities": {} })).expect("an answer");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(
        server.ask("workspace/symbol", json!({ "query": "" })).is_ok(),
        "it is there as long as its client is"
    );
    client.kill().expect("it can be ended");
    client.wait().expect("it ends");
    // Its standard streams stay open.
    let begun = Instant::now();
    let code = loop {
        if let Some(status) = server.server.try_wait().expect("it can be asked") {
            break status.code();
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "it is still there");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(code, Some(1));
    // A process that is not there to begin with is in another container.
    let mut server = Client::start(&[]);
    server.ask("initialize", json!({ "processId": client.id(), "capabilities": {} })).expect("an answer");
    std::thread::sleep(Duration::from_millis(1500));
    server.end();
}
