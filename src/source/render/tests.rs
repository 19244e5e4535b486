//! What a reader sees: rendered diagnostics, compared as text.

use super::*;

fn show_as(text: &[u8], diagnostics: Vec<Diagnostic>, how: &Rendering) -> String {
    let file = SourceFile::new("a.sy", text.to_vec());
    let mut diags = Diagnostics::default();
    diagnostics.into_iter().for_each(|diagnostic| diags.push(diagnostic));
    render(&diags, &file, how)
}

fn show(text: &str, diagnostic: Diagnostic) -> String {
    show_as(text.as_bytes(), vec![diagnostic], &Rendering::default())
}

fn at(start: usize, end: usize) -> Diagnostic {
    Diagnostic::error("test", Span::new(start, end), "wrong")
}

#[test]
fn a_place_has_its_line_caret_labels_notes_and_help() {
    let diagnostic =
        at(26, 27).label("no such name").secondary(Span::new(4, 5), "or this?").note("a note").help("a hint");
    let expected = "\
error[test]: wrong
 --> a.sy:3:10
  |
1 | int a;
  |     - or this?
2 | int f() {
3 |     int a = b;
  |             ^ no such name
  |
  = note: a note
  = help: a hint

";
    assert_eq!(show("int a;\nint f() {\n\tint a = b;\n}\n", diagnostic), expected);
}

#[test]
fn of_a_long_line_only_the_surroundings_are_shown() {
    let text = format!("int x = {}yy + 1;", "a + ".repeat(1_000_000));
    let place = text.find("yy").unwrap();
    let shown = show(&text, at(place, place + 2).label("here").secondary(Span::new(4, 5), "there"));
    let expected = "\
error[test]: wrong
 --> a.sy:1:4000009
  |
1 | ...a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + yy + 1;
  |                                                                ^^ here
  |
 ::: a.sy:1:5
  |
1 | int x = a + a + a + a + a + a + a + a + a + a + a + a + a + a + a...
  |     - there

";
    assert_eq!(shown, expected);
    assert!(show(&text, at(0, text.len())).len() < 500);
}

#[test]
fn lines_wider_than_the_terminal_are_cut_around_the_place() {
    let text = format!("int x = {}yy + {}1;", "a + ".repeat(30), "b + ".repeat(30));
    let place = text.find("yy").unwrap();
    for width in [1, 40, 50, 60, 80, 100, 132, 500] {
        let how = Rendering { width, ..Rendering::default() };
        let shown = show_as(text.as_bytes(), vec![at(place, place + 2)], &how);
        let widest = shown.lines().map(str::len).max().unwrap();
        assert!(widest <= width.max(40), "{width}\n{shown}");
        let mut lines = shown.lines().skip_while(|line| !line.starts_with("1 |"));
        let (line, mark) = (lines.next().unwrap(), lines.next().unwrap());
        assert_eq!(line.find("yy"), mark.find("^^"), "{width}\n{shown}");
        assert!(line.contains("..."));
    }
}

#[test]
fn edits_are_shown_where_they_are_made_and_once() {
    let diagnostic = at(4, 5).edit(Span::new(4, 5), "b").edit(Span::new(5, 5), "[2]").help("more");
    let expected = "\
error[test]: wrong
 --> a.sy:1:5
  |
1 | int a;
  |     ^- insert '[2]'
  |     |
  |     write 'b'
  |
  = help: more

";
    assert_eq!(show("int a;\n", diagnostic), expected);
    let both = at(4, 5).label("here").guess(Span::new(4, 5), "b");
    assert!(show("int a;\n", both).contains("  |     ^ here; did you mean 'b'?\n"));
    // A mark has its text once, and blanks that go with a word are not marked.
    let same =
        at(4, 5).secondary(Span::new(4, 5), "x").secondary(Span::new(4, 5), "x").edit(Span::new(0, 4), "");
    let shown = show("int a;\n", same);
    assert_eq!((shown.matches('^').count(), shown.matches('x').count()), (1, 1), "{shown}");
    assert!(shown.contains("| --- ^ x"), "{shown}");
}

#[test]
fn lines_far_apart_are_shown_apart() {
    let text = format!("int x;{}x\n", "\n".repeat(100_000));
    let shown = show(&text, at(100_006, 100_007).secondary(Span::new(4, 5), "before"));
    assert!(shown.contains("--> a.sy:100001:1\n") && shown.contains("::: a.sy:1:5\n"), "{shown}");
    assert!(shown.len() < 500, "{shown}");
}

#[test]
fn odd_places_and_odd_bytes_are_shown() {
    assert!(show("int", at(3, 3)).contains("1 | int\n  |    ^\n"));
    assert!(show("", at(0, 0)).contains("--> a.sy:1:1"));
    assert!(show("a\n", at(2, 9)).contains("--> a.sy:2:1"));
    assert!(show("", Diagnostic::error("test", None, "wrong")).contains("--> a.sy\n"));
    let text = b"\x1b[31m \xff\xfe \0 \xc3\xa9 x\r\n";
    let shown = show_as(text, vec![at(14, 15)], &Rendering::default());
    assert!(!shown.contains(['\x1b', '\0', '\r']) && shown.contains("a.sy:1:14"), "{shown:?}");
    for start in 0..text.len() {
        for end in start..=text.len() {
            show_as(text, vec![at(start, end)], &Rendering::default());
        }
    }
}

#[test]
fn errors_stop_at_the_limit_and_say_so() {
    let diagnostics = (0..5).map(|k| at(k, k + 1)).collect();
    let shown = show_as(b"abcdef", diagnostics, &Rendering { error_limit: 2, ..Rendering::default() });
    assert_eq!(shown.matches("error[test]").count(), 2);
    assert!(shown.contains("note[too-many-errors]: too many errors: 2 shown of 5"), "{shown}");
}

#[test]
fn colour_is_only_there_when_asked_for() {
    let coloured = show_as(b"a", vec![at(0, 1)], &Rendering { colour: true, ..Rendering::default() });
    assert!(coloured.contains('\x1b') && !show("a", at(0, 1)).contains('\x1b'));
}

#[test]
fn json_has_one_object_a_line_with_every_field() {
    let diagnostics = vec![at(3, 4).label("l").secondary(Span::new(0, 1), "s").note("n").help("h"), at(0, 1)];
    let shown = show_as(b"a\nbc", diagnostics, &Rendering { form: Form::Json, ..Rendering::default() });
    let lines: Vec<&str> = shown.lines().collect();
    let object: serde_json::Value = serde_json::from_str(lines[1]).unwrap();
    let expected = serde_json::json!({
        "severity": "error", "code": "test", "message": "wrong", "file": "a.sy",
        "line": 2, "column": 2, "end_line": 2, "end_column": 3, "byte_start": 3, "byte_end": 4,
        "label": "l",
        "labels": [{"line": 1, "column": 1, "end_line": 1, "end_column": 2, "byte_start": 0, "byte_end": 1, "text": "s"}],
        "notes": ["n"], "edits": [], "help": ["h"],
    });
    assert_eq!((lines.len(), object), (2, expected));
}

#[test]
fn the_short_form_is_gcc_s() {
    let text = "int a;\nint f() {\n\tint a = b;\n}\n";
    let diagnostics = vec![
        at(26, 27).label("no such name").secondary(Span::new(4, 5), "or this?").help("a hint"),
        Diagnostic::warning("group", None, "of the file"),
    ];
    let how = Rendering { form: Form::Short, ..Rendering::default() };
    let expected = "\
a.sy: warning: of the file [group]
a.sy:3:10: error: wrong: no such name [test]
a.sy:1:5: note: or this?
a.sy:3:10: note: a hint
";
    assert_eq!(show_as(text.as_bytes(), diagnostics, &how), expected);
}

#[test]
fn sarif_has_rules_regions_and_fixes() {
    let diagnostics = vec![
        at(8, 9).label("here").secondary(Span::new(4, 5), "there").edit(Span::new(8, 9), "c"),
        at(12, 13).note("more"),
    ];
    let (mut diags, how) = (Diagnostics::default(), Rendering { form: Form::Sarif, ..Rendering::default() });
    diagnostics.into_iter().for_each(|diagnostic| diags.push(diagnostic));
    let mut all = sarif::Log::default();
    for path in ["a.sy", "/b c.sy"] {
        log(&diags, &SourceFile::new(path, "int ä = b\n; x".into()), &how, &mut all);
    }
    let about = |_| {
        let help = ["d".to_string(), "e".to_string()];
        Some(sarif::Rule { short: "a".to_string(), full: "b".to_string(), help, is_error: true })
    };
    all.notify(Severity::Warning, "an option");
    let shown = all.document(about);
    let document: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let run = &document["runs"][0];
    assert_eq!((&document["version"], &run["tool"]["driver"]["name"]), (&"2.1.0".into(), &"sysyc".into()));
    let rule = serde_json::json!({
        "id": "test", "shortDescription": { "text": "a" }, "fullDescription": { "text": "b" },
        "help": { "text": "d", "markdown": "e" }, "defaultConfiguration": { "level": "error" },
    });
    assert_eq!(run["tool"]["driver"]["rules"], serde_json::json!([rule]));
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    assert_eq!(invocation["toolExecutionNotifications"][0]["message"]["text"], "an option");
    let [first, second, other, _] = run["results"].as_array().unwrap().as_slice() else { panic!("{shown}") };
    let region = serde_json::json!({ "startLine": 1, "startColumn": 8, "endLine": 1, "endColumn": 9 });
    assert_eq!(first["locations"][0]["physicalLocation"]["region"], region);
    let of =
        |result: &serde_json::Value| result["locations"][0]["physicalLocation"]["artifactLocation"].clone();
    assert_eq!(
        [of(first), of(other)],
        ["a.sy", "file:///b%20c.sy"].map(|uri| serde_json::json!({ "uri": uri }))
    );
    assert_eq!(first["relatedLocations"][0]["message"]["text"], "there");
    let change = &first["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["replacements"][0]["deletedRegion"]["byteOffset"], 8);
    assert_eq!(change["replacements"][0]["insertedContent"]["text"], "c");
    assert_eq!((&first["level"], &second["message"]["text"]), (&"error".into(), &"wrong\nmore".into()));
    assert!(second.get("fixes").is_none() && second["ruleIndex"] == 0);
}
