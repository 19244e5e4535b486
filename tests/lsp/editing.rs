//! What an editor asks for as a text is written: formatting, hints, selections, columns in bytes, links.

use super::{Client, URI, edited, position, range};
use serde_json::{Value, json};

const LOOSE: &str = "const int N=2*3,M=7;\nint a [N][M];\nint sum(int a[][M],int n)\n{\n  int s=0; // 数字\n  while(n>0){\n      n=n-1;s=s+a[n][0];\n  }\n  return s;\n}\nint main(){\n  int n=getint();\n  putarray(N*1,a[0]);\n  return sum(a,n)+sum(a,N-1)*( 2 );\n}\n";

fn document(params: Value) -> Value {
    let mut all =
        json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 8, "insertSpaces": false } });
    for (key, value) in params.as_object().expect("an object") {
        all[key] = value.clone();
    }
    all
}

#[test]
fn documents_ranges_and_what_is_typed_are_formatted() {
    let mut client = Client::open(LOOSE, &[]);
    let edits = client.ask("textDocument/formatting", document(json!({}))).expect("an answer");
    let tidy = edited(LOOSE, &edits);
    let wanted = "const int N = 2 * 3, M = 7;\nint a[N][M];\nint sum(int a[][M], int n) {\n    int s = 0; // 数字\n    while (n > 0) {\n        n = n - 1;\n        s = s + a[n][0];\n    }\n    return s;\n}\nint main() {\n    int n = getint();\n    putarray(N * 1, a[0]);\n    return sum(a, n) + sum(a, N - 1) * (2);\n}\n";
    assert_eq!(tidy, wanted);

    // A range, in lines.
    let lines = |first: u32, last: u32| json!({ "start": { "line": first, "character": 0 }, "end": { "line": last, "character": 99 } });
    let edits = client
        .ask("textDocument/rangeFormatting", document(json!({ "range": lines(4, 4) })))
        .expect("an answer");
    assert_eq!(edited(LOOSE, &edits), LOOSE.replace("  int s=0; // 数字", "    int s = 0; // 数字"));
    let edits = client
        .ask("textDocument/rangeFormatting", document(json!({ "range": lines(11, 12) })))
        .expect("an answer");
    let main = "    int n = getint();\n    putarray(N * 1, a[0]);\n";
    assert_eq!(edited(LOOSE, &edits), LOOSE.replace("  int n=getint();\n  putarray(N*1,a[0]);\n", main));

    // Behind `;` the statement, behind `}` the block.
    let typed = |client: &mut Client, text: &str, what: &str, ch: &str| {
        let behind = text.find(what).expect("it is there") + what.len();
        let (line, character) = position(text, &text[behind..], 0);
        let place = json!({ "line": line, "character": character });
        let edits =
            client.ask("textDocument/onTypeFormatting", document(json!({ "position": place, "ch": ch })));
        edited(text, &edits.expect("an answer"))
    };
    assert_eq!(typed(&mut client, LOOSE, "n=n-1;", ";"), LOOSE.replace("      n=n-1;", "        n = n - 1;"));
    let block = "    while (n > 0) {\n        n = n - 1;\n        s = s + a[n][0];\n    }";
    let inside = typed(&mut client, LOOSE, "s=s+a[n][0];\n  }", "}");
    assert!(
        inside.contains(&block[block.find('{').unwrap_or(0)..]) && inside.contains("int s=0;"),
        "{inside}"
    );
    // A `;` in a comment or in the head of a loop is none of a statement.
    assert_eq!(typed(&mut client, LOOSE, "数", ";"), LOOSE);

    // A new line in a text that is not complete; nothing else of it is touched.
    let torn = "int main() {\n  if (1) {\n\n  int x=(1;\n}\n";
    client.change(json!([{ "text": torn }]));
    let line = |client: &mut Client, line: u32| {
        let place = json!({ "line": line, "character": 0 });
        let edits =
            client.ask("textDocument/onTypeFormatting", document(json!({ "position": place, "ch": "\n" })));
        edited(torn, &edits.expect("an answer"))
    };
    assert_eq!(line(&mut client, 2), torn.replace("{\n\n", "{\n        \n"));
    assert_eq!(line(&mut client, 4), torn.replace("\n}", "\n    }"));
    assert_eq!(client.ask("textDocument/formatting", document(json!({}))), Ok(json!([])));
    client.end();
}

#[test]
fn hints_name_parameters_and_tell_lengths_and_values() {
    let mut client = Client::open(LOOSE, &[]);
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let ask = |client: &mut Client, range: &Value| -> Vec<(u64, u64, String, u64)> {
        let hints =
            client.ask("textDocument/inlayHint", document(json!({ "range": range }))).expect("an answer");
        let number = |value: &Value| value.as_u64().expect("a number");
        let row = |hint: &Value| {
            let place = &hint["position"];
            let label = hint["label"].as_str().expect("a text").to_string();
            (number(&place["line"]), number(&place["character"]), label, number(&hint["kind"]))
        };
        hints.as_array().expect("a list").iter().map(row).collect()
    };
    let row = |what: &str, nth: usize, by: usize, label: &str, kind: u64| {
        let (line, character) = position(LOOSE, what, nth);
        (line as u64, (character + by) as u64, label.to_string(), kind)
    };
    assert_eq!(
        ask(&mut client, &whole),
        [
            // Not of `M=7`, and not where the argument is called as the parameter is.
            row("2*3", 0, 3, "= 6", 1),
            row("N][M];", 0, 1, "= 6", 1),
            row("M];", 0, 1, "= 7", 1),
            row("M],int", 0, 1, "= 7", 1),
            row("N*1", 0, 0, "n:", 2),
            row("a[0]);", 0, 0, "a:", 2),
            row("N-1", 0, 0, "n:", 2),
        ]
    );
    let first = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 99 } });
    assert_eq!(ask(&mut client, &first).len(), 2);
    client.end();
}

#[test]
fn selections_grow_by_what_is_around_them() {
    let mut client = Client::open(LOOSE, &[]);
    let (line, character) = position(LOOSE, "N-1", 0);
    let params = document(
        json!({ "positions": [{ "line": line, "character": character }, { "line": 99, "character": 0 }] }),
    );
    let answer = client.ask("textDocument/selectionRange", params).expect("an answer");
    let lines: Vec<&str> = LOOSE.split_inclusive('\n').collect();
    let text = |range: &Value| {
        let at = |place: &Value| {
            let line = place["line"].as_u64().expect("a line") as usize;
            let from: usize = lines[..line].iter().map(|line| line.len()).sum();
            from + place["character"].as_u64().expect("a column") as usize
        };
        LOOSE[at(&range["start"])..at(&range["end"])].to_string()
    };
    let (mut found, mut range) = (Vec::new(), &answer[0]);
    while !range.is_null() {
        found.push(text(&range["range"]));
        range = &range["parent"];
    }
    let main = &LOOSE[LOOSE.find("int main").unwrap_or(0)..].trim_end();
    let body = &main[main.find('{').unwrap_or(0)..];
    assert_eq!(
        found,
        [
            "N",
            "N-1",
            "sum(a,N-1)",
            "sum(a,N-1)*( 2 )",
            "sum(a,n)+sum(a,N-1)*( 2 )",
            "return sum(a,n)+sum(a,N-1)*( 2 );",
            body[1..body.len() - 1].trim(),
            body,
            main,
            LOOSE,
        ]
    );
    assert!(answer[1]["range"].is_object());
    client.end();
}

#[test]
fn columns_are_bytes_for_a_client_that_takes_them() {
    let text = "/* 数字 */ int 变; int n = 1 /* 𝒳 */ + m;\n";
    let mut client = Client::start(&["--stdio"]);
    let able = json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } });
    let answer =
        client.ask("initialize", json!({ "processId": null, "capabilities": able })).expect("an answer");
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    client
        .note("textDocument/didOpen", json!({ "textDocument": { "uri": URI, "version": 0, "text": text } }));
    let told = client.diagnostics();
    let place = |what: &str| json!({ "line": 0, "character": text.find(what) });
    assert_eq!(told[0]["range"]["start"], place("变"));
    assert_eq!(told[1]["range"]["start"], place("m;"));
    let (start, end) = (place("m;"), place(";\n"));
    client.change(json!([{ "range": { "start": start, "end": end }, "text": "n2" }]));
    assert!(client.diagnostics()[1]["message"].as_str().is_some_and(|text| text.contains("'n2'")));
    client.end();
}

#[test]
fn diagnostics_are_given_to_who_asks_and_link_to_what_explains_them() {
    let text = "int main() { return x; }\n";
    let mut client = Client::start(&[]);
    let able = json!({ "textDocument": { "diagnostic": { "codeDescriptionSupport": true } } });
    client.ask("initialize", json!({ "capabilities": able })).expect("an answer");
    client
        .note("textDocument/didOpen", json!({ "textDocument": { "uri": URI, "version": 0, "text": text } }));
    let first = client.ask("textDocument/diagnostic", document(json!({}))).expect("an answer");
    assert_eq!(
        (first["kind"].as_str(), first["items"][0]["code"].as_str()),
        (Some("full"), Some("undeclared"))
    );
    assert_eq!(first["items"][0]["range"], range(text, "x", 0));
    let link = first["items"][0]["codeDescription"]["href"].as_str().expect("a link").to_string();
    let explained =
        std::fs::read_to_string(link.strip_prefix("file://").expect("a file")).expect("it is there");
    assert!(explained.starts_with("undeclared: ") && explained.contains("Right:"), "{explained}");

    let again = json!({ "previousResultId": first["resultId"] });
    let same = client.ask("textDocument/diagnostic", document(again.clone())).expect("an answer");
    assert_eq!((&same["kind"], &same["items"]), (&json!("unchanged"), &Value::Null));
    client.change(json!([{ "text": "int main() { return 0; }\n" }]));
    let other = client.ask("textDocument/diagnostic", document(again.clone())).expect("an answer");
    assert_eq!((&other["kind"], &other["items"]), (&json!("full"), &json!([])));
    // A text that is opened again is another one.
    client.note("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    client
        .note("textDocument/didOpen", json!({ "textDocument": { "uri": URI, "version": 0, "text": text } }));
    assert_eq!(client.ask("textDocument/diagnostic", document(again)).expect("an answer")["kind"], "full");
    // Nothing of that was told by itself.
    let told = client.told.iter().filter(|message| message["params"]["diagnostics"] != json!([])).count();
    assert_eq!(told, 0, "{:?}", client.told);
    client.end();
    assert!(
        std::fs::metadata(link.strip_prefix("file://").expect("a file")).is_err(),
        "it goes with the server"
    );
}
