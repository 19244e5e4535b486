//! What the command says of programs, in which form, and what it writes into them: warnings, colours, JSON and SARIF, `--fix`, `fmt`
//! and their differences.

// A helper that fails fails its test, with the message that says what was expected.
#![allow(clippy::expect_used)]

use crate::driver::{BAD, GOOD, folder, sysyc};
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn warnings_follow_their_options() {
    let program = "int f() { }\nint main() { return f(); }\n";
    let folder = folder(&[("w.sy", program)]);
    let warned = sysyc(folder.path(), "--check w.sy", "");
    assert!(warned.code == Some(0) && warned.err.contains("warning[return-type]"), "{}", warned.err);
    for (line, code) in [("-w", 0), ("-Wno-return-type", 0), ("-Werror", 1), ("-Werror=return-type", 1)] {
        let run = sysyc(folder.path(), &format!("--check {line} w.sy"), "");
        assert_eq!((run.code, run.err.is_empty()), (Some(code), code == 0), "{line}: {}", run.err);
    }
}

#[test]
fn diagnostics_have_colours_and_json_on_demand() {
    let folder = folder(&[("bad.sy", BAD)]);
    assert!(!sysyc(folder.path(), "--check bad.sy", "").err.contains('\x1b'));
    assert!(sysyc(folder.path(), "--check --color=always bad.sy", "").err.contains('\x1b'));
    let json = sysyc(folder.path(), "--check --error-format=json bad.sy", "").err;
    assert!(
        json.lines().all(|line| line.starts_with('{') && line.ends_with('}')) && json.contains("\"line\":2")
    );
    // What is about no source is an object, too.
    let all = sysyc(folder.path(), "-Og -c -o no/x.o --error-format=json -", GOOD).err;
    let objects: Vec<serde_json::Value> =
        all.lines().map(|line| serde_json::from_str(line).expect(&all)).collect();
    assert!(objects.len() == 2 && objects[0]["severity"] == "warning" && objects[0]["file"] == "", "{all}");
    assert!(objects[1]["message"].to_string().contains("cannot write 'no/x.o'"), "{all}");
    let many = "int main() { return a0 + a1 + a2 + a3; }";
    let few = sysyc(folder.path(), "--check -ferror-limit=2 -", many).err;
    assert_eq!(few.matches("error[").count(), 2, "{few}");
}

/// The stream has the document and nothing else, whatever there is to say; a file has the same, beside the text or in its place.
#[test]
fn a_document_of_sarif_has_everything_that_is_said() {
    let folder = folder(&[("a.sy", BAD), ("good.sy", GOOD)]);
    fs::create_dir(folder.path().join("deep")).expect("it can be made");
    let said = |line: &str| {
        let run = sysyc(folder.path(), line, "");
        let document: serde_json::Value = serde_json::from_str(&run.err).expect(&run.err);
        let levels = &document["runs"][0]["invocations"][0]["toolExecutionNotifications"];
        let levels: Vec<String> =
            levels.as_array().expect("a list").iter().map(|row| row["message"]["text"].to_string()).collect();
        (document["runs"][0].clone(), levels.join("\n"))
    };
    let (run, told) = said("-Og -pthread -c a.sy none.sy --error-format=sarif");
    for text in ["'-Og' is taken as -O0", "'-pthread' has no effect", "none.sy"] {
        assert!(told.contains(text) || run["results"].to_string().contains(text), "{text}: {told}");
    }
    let rule = &run["tool"]["driver"]["rules"][0];
    assert_eq!(
        (&rule["id"], &rule["defaultConfiguration"]["level"]),
        (&"undeclared".into(), &"error".into())
    );
    for text in ["shortDescription", "fullDescription", "help"] {
        assert!(rule[text]["text"].as_str().is_some_and(|text| text.len() > 20), "{rule}");
    }
    assert!(rule["help"]["markdown"].as_str().is_some_and(|text| text.contains("```c\nint")), "{rule}");
    // Errors of no source; notes of passes and of edits; a link.
    let (run, told) = said("-c good.sy -o no/x.o --error-format=sarif");
    assert!(
        told.contains("cannot write 'no/x.o'") && run["invocations"][0]["executionSuccessful"] == false,
        "{told}"
    );
    let (run, told) = said("-v good.sy -o p --target=armv7 -Rpass-analysis --error-format=sarif");
    assert!(
        told.contains("'p' is for armv7") && run["invocations"][0]["executionSuccessful"] == true,
        "{told}"
    );
    let read = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).expect("it was written");
        let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        document["runs"][0].clone()
    };
    let beside = sysyc(folder.path(), "check -pthread -fdiagnostics-add-output=sarif:file=x.json a.sy", "");
    assert!(beside.code == Some(1) && beside.err.contains("error[undeclared]"), "{}", beside.err);
    assert!(beside.err.contains("sysyc: warning: '-pthread'"), "{}", beside.err);
    let run = read("x.json");
    assert!(
        run["results"][0]["ruleId"] == "undeclared" && run["invocations"].to_string().contains("-pthread"),
        "{run}"
    );
    let alone = sysyc(folder.path(), "check -fdiagnostics-set-output=sarif:file=y.json a.sy", "");
    assert_eq!((alone.code, alone.err.as_str(), &read("y.json")["results"]), (Some(1), "", &run["results"]));
    let named = sysyc(folder.path(), "check -fdiagnostics-format=sarif-file deep/../a.sy", "");
    assert_eq!((named.code, named.err.as_str()), (Some(1), ""));
    assert_eq!(read("a.sy.sarif")["results"][0]["ruleId"], "undeclared");
    let wrong = sysyc(folder.path(), "check -fdiagnostics-set-output=sarif:file=no/y.json good.sy", "");
    assert!(wrong.code == Some(1) && wrong.err.contains("cannot write 'no/y.json'"), "{}", wrong.err);
    let wrong = sysyc(folder.path(), "check -fdiagnostics-add-output=html a.sy", "");
    assert!(wrong.code == Some(2) && wrong.err.contains("sarif:file=FILE is wanted"), "{}", wrong.err);
}

#[test]
fn diagnostics_are_shown_for_editors_and_what_they_say_is_written_down() {
    let text = "int count = 1;\nint main() {\n  putint(cuont);\n  return cuont + 2;\n}\n";
    let folder = folder(&[("a.sy", text)]);
    let short = sysyc(folder.path(), "--check --error-format=short a.sy", "");
    assert!(
        short.err.starts_with("a.sy:3:10: error: ") && short.err.contains("[undeclared]"),
        "{}",
        short.err
    );
    let sarif = sysyc(folder.path(), "--check --error-format=sarif a.sy", "").err;
    assert!(sarif.starts_with('{') && sarif.contains("\"insertedContent\":{\"text\":\"count\"}"), "{sarif}");
    let empty = sysyc(folder.path(), "--check --error-format=sarif -", "int main() { return 0; }").err;
    assert!(empty.contains("\"results\":[]"), "{empty}");
    assert!(empty.contains("\"toolExecutionNotifications\":[]"), "{empty}");
    let both = sysyc(folder.path(), "--check --error-format=sarif a.sy a.sy", "").err;
    assert!(
        both.lines().count() == 1 && both.matches("\"level\":\"error\",\"locations\"").count() == 2,
        "{both}"
    );
    // A name that is near may be another.
    let kept = sysyc(folder.path(), "check --fix a.sy", "");
    assert!(kept.code == Some(1) && !kept.err.contains("changed"), "{}", kept.err);
    let fixed = sysyc(folder.path(), "check --fix=all a.sy", "");
    assert!(fixed.code == Some(1) && fixed.err.contains("note: 1 changed in 'a.sy'"), "{}", fixed.err);
    // What is wrong is said once a function: the next run has the rest.
    assert_eq!(sysyc(folder.path(), "check --fix=all a.sy", "").code, Some(1));
    assert_eq!(fs::read_to_string(folder.path().join("a.sy")).ok(), Some(text.replace("cuont", "count")));
    let good = sysyc(folder.path(), "check --fix a.sy", "");
    assert_eq!((good.code, good.err.as_str()), (Some(0), ""));
    assert_eq!(sysyc(folder.path(), "check --fix -", &text.replace("count =", "cuonts =")).code, Some(1));
}

/// What valid programs are warned of is theirs; what can have been written in one way only is made so.
#[test]
fn fixes_are_certain_and_shown_as_a_diff() {
    let valid = "int main() {\n  int a = getint();\n  if (0 < a < 10) a == 3;\n  if (a == 1 || 2) { putint(a); }\n  \
                 while (a > 9); { a = 1; }\n  return 0;\n}\n";
    let folder = folder(&[("a.sy", valid)]);
    let read = || fs::read_to_string(folder.path().join("a.sy")).unwrap_or_default();
    let diff = |flags: &str, text: &str| {
        fs::write(folder.path().join("a.sy"), text).expect("it can be written");
        let done = sysyc(folder.path(), &format!("check {flags} --diff a.sy"), "");
        assert_eq!(read(), text, "a dry run writes nothing");
        let changed = done.out.lines().skip(2).filter(|line| line.starts_with(['+', '-']));
        (done.code, changed.map(str::to_string).collect::<Vec<_>>().join("|"))
    };
    assert_eq!(diff("--fix", valid), (Some(0), String::new()));
    let all = "-  if (0 < a < 10) a == 3;|-  if (a == 1 || 2) { putint(a); }|-  while (a > 9); { a = 1; }|\
               +  if (0 < a && a < 10) a = 3;|+  if (a == 1 || a == 2) { putint(a); }|+  while (a > 9) { a = 1; }";
    assert_eq!(diff("--fix=all", valid), (Some(1), all.to_string()));

    // The `}` of the loop is missing in front of the `return`, if the indentation is right: that is a guess.
    let open = "int a[3];\nint main() {\n  int i = 0;\n  while (i < 3) {\n    a[i) = 1\n    i = i + 1;\n  return i;\n}\n";
    assert_eq!(diff("--fix", open), (Some(1), "-    a[i) = 1|+    a[i] = 1;".to_string()));
    assert_eq!(diff("--fix=all", open), (Some(1), "-    a[i) = 1|+    a[i] = 1;|+  }".to_string()));
    // `a[b + c;` may be `a[b] + c;`, and `(a || b && c` has two places for its `)`.
    for unclear in
        ["a = b[a + 1;", "if ((a || b[0] && a) a = 1;", "if (a = 1) a = 2;", "a = a + 1);", "a = b[0, 1];"]
    {
        let text = format!("int b[3];\nint main() {{\n  int a = 1;\n  {unclear}\n  return a;\n}}\n");
        assert_eq!(diff("--fix", &text), (Some(1), String::new()), "{unclear}");
    }
    assert_eq!(sysyc(folder.path(), "check --diff a.sy", "").code, Some(2));
}

#[test]
fn sources_are_formatted_in_place_or_what_would_change_is_told() {
    let (loose, tidy) = ("int main(){\n  // c\n  return 3;}\n", "int main() {\n    // c\n    return 3;\n}\n");
    let folder = folder(&[("a.sy", loose), ("b.sy", tidy), ("bad.sy", "int main( {\n"), ("x.ll", "")]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it is there");
    let run = |line: &str, input: &str| sysyc(folder.path(), line, input);

    let checked = run("fmt --check a.sy b.sy", "");
    assert_eq!((checked.code, checked.out.as_str()), (Some(1), ""));
    assert!(checked.err.contains("'a.sy'") && !checked.err.contains("b.sy"), "{}", checked.err);
    assert_eq!(run("fmt --check b.sy", "").code, Some(0));
    let diff = run("fmt --diff a.sy b.sy", "");
    assert_eq!(diff.code, Some(1));
    assert_eq!(run("fmt --diff b.sy", "").code, Some(0));
    assert_eq!(
        diff.out,
        "--- a.sy\n+++ a.sy\n@@ -1,3 +1,4 @@\n-int main(){\n-  // c\n-  return 3;}\n+int main() {\n+    // c\n\
         +    return 3;\n+}\n"
    );
    assert_eq!(read("a.sy"), loose);

    // Errors leave all as it is, and hold up no other file.
    let some = run("fmt bad.sy a.sy", "");
    assert!(some.code == Some(1) && some.err.contains("error"), "{}", some.err);
    assert_eq!((read("a.sy").as_str(), read("bad.sy").as_str()), (tidy, "int main( {\n"));
    let refused = run("fmt x.ll", "");
    assert!(refused.code == Some(1) && refused.err.contains("is no SysY"), "{}", refused.err);
    let (before, path) =
        (|| fs::metadata(folder.path().join("a.sy")).and_then(|meta| meta.modified()).ok(), "a.sy");
    let old = before();
    assert_eq!((run(&format!("fmt {path}"), "").code, before()), (Some(0), old), "nothing is written again");

    assert_eq!(run("fmt -", loose).out, tidy);
    assert_eq!((run("fmt -", tidy).out.as_str(), run("--format -", "").out.as_str()), (tidy, ""));
    assert_eq!(run("fmt b.sy -o c.sy", "").code, Some(0));
    assert_eq!(read("c.sy"), tidy);
    // A warning is not the formatter's, nor is a name that nothing declares.
    assert_eq!(run("fmt -", "int main() {\n    return x;\n}").out, "int main() {\n    return x;\n}\n");
    // What tensors and `for` are, the language says.
    assert_eq!(run("fmt -std=sysy2022 -", "tensor int a[2];").code, Some(1));
    // Folders, and those below, but for what is hidden and what tools put there; in order.
    for (name, text) in [
        ("d/z.sy", loose),
        ("d/e/y.sysy", loose),
        ("d/.git/x.sy", loose),
        ("d/target/x.sy", loose),
        ("d/x.c", loose),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    fs::create_dir(folder.path().join("none")).expect("it can be made");
    let checked = run("fmt --check d none", "");
    assert_eq!(checked.code, Some(1));
    let said = "'d/e/y.sysy' would change|'d/z.sy' would change|there are no sources in 'none'";
    assert!(said.split('|').all(|said| checked.err.contains(said)), "{}", checked.err);
    assert!(
        checked.err.find("y.sysy") < checked.err.find("z.sy") && !checked.err.contains("x.sy"),
        "{}",
        checked.err
    );
    assert_eq!(run("fmt d b.sy", "").code, Some(0));
    assert_eq!(["d/z.sy", "d/e/y.sysy", "d/.git/x.sy", "d/x.c"].map(read), [tidy, tidy, loose, loose]);
    assert_eq!((run("fmt --check d", "").code, run("fmt none", "").code), (Some(0), Some(0)));
    assert_eq!(run("fmt d -o x.sy", "").code, Some(2));
    for line in ["fmt", "--diff a.sy", "--format -S a.sy"] {
        assert_eq!(run(line, "").code, Some(2), "{line}");
    }
}

#[test]
fn what_a_diff_shows_is_what_changes() {
    let text = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
        fs::read_to_string(path).expect("it is there")
    };
    let squeezed = |text: String| text.replace("\n    ", "\n").replace(" = ", "=").replace("{\n", "{");
    for (name, text) in [
        ("comments", text("comments.sy")),
        ("graph", squeezed(text("graph.sy")).trim_end().to_string()),
        ("life", squeezed(text("life.sy"))),
        ("blank", "\n\n\nint a;\n\n\n\nint b;\nint c;\n\n\n".to_string()),
        ("long", format!("{}int  b;\n{}", "int a;\n".repeat(9), "int c;\n".repeat(9))),
    ] {
        let folder = folder(&[("a.sy", &text)]);
        let diff = sysyc(folder.path(), "fmt --diff a.sy", "").out;
        fs::write(folder.path().join("a.diff"), &diff).expect("it can be written");
        let done = Command::new("patch")
            .args(["-s", "-o", "b.sy", "a.sy", "a.diff"])
            .current_dir(folder.path())
            .output()
            .expect("patch is installed: tests/install.sh");
        assert!(done.status.success(), "{name}: {diff}\n{}", String::from_utf8_lossy(&done.stdout));
        assert_eq!(sysyc(folder.path(), "fmt a.sy", "").code, Some(0));
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it is there");
        assert_eq!(read("b.sy"), read("a.sy"), "{name}: {diff}");
    }
}
