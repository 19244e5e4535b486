//! What editors are given (`docs/editors`): the TextMate grammar and the syntax file know the words that the
//! lexer and the runtime library know, each in one place; the grammar of tree-sitter, in a real Neovim, reads every program; blocks
//! of the README do in Emacs and Vim what they say. And what continuous integration is given (`docs/ci`).

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use sysyc::sema::runtime::FUNCTIONS;
use sysyc::syntax::token::TokenKind;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editors").join(name);
    fs::read_to_string(path).expect("it is there")
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

/// What a program says on both streams; it has to succeed.
fn said(program: &str, words: &[&str], folder: &Path, variables: &[(&str, &Path)]) -> String {
    let mut command = Command::new(program);
    command.args(words).current_dir(folder).env("HOME", folder).envs(variables.iter().copied());
    let done =
        command.output().unwrap_or_else(|error| panic!("{program}: {error}: tests/install.sh installs it"));
    let text = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program} {words:?}: {text}");
    text.replace('\r', "")
}

/// The blocks of a kind in the README.
fn blocks(kind: &str) -> Vec<String> {
    let text = read("README.md");
    let fence = format!("```{kind}\n");
    let begun = text.split(fence.as_str()).skip(1);
    begun.map(|rest| rest.split_once("```").expect("it ends").0.to_string()).collect()
}

/// The first of them.
fn block(kind: &str) -> String {
    blocks(kind).into_iter().next().expect("there is a block")
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("it can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sy") {
            found.push(path);
        }
    }
}

const DIALECT: &str = "extern int outside; extern float elsewhere(int, float a[][3]);
tensor int three[3] = {1, 2, 3};
int forth(int a[], float);
int main() {
    for (int i = 0, j = 9; i < j && !(i == 7); i++, --j) { three[i % 3] += .5e1 * 0x1p3; continue; }
    do { putf(\"%5.2f%%\\n\", 1.0); } while (0);
    three = three @ {1}; ;
    if (1) if (0) return 1; else return -2;
    return 0xff;
}
";

/// The parser was made of this grammar: both have the same names, or, where tree-sitter's command is installed, are the same bytes.
/// The grammar has the lexer's words.
#[test]
fn the_parser_of_tree_sitter_is_of_its_grammar() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = root.join("docs/editors/tree-sitter-sysy");
    let script = root.join("tests/editors/names.js");
    let told = said("node", &[&script.to_string_lossy(), &place.to_string_lossy()], folder.path(), &[]);
    // Neither has a name that the other has not.
    let (names, words) = told.split_once("\n\n").expect("two lists");
    assert_eq!(names, "", "regenerate src/parser.c");
    let mut known: Vec<&str> = KEYWORDS.iter().map(|kind| kind.spelling()).collect();
    known.extend(["tensor", "for", "do", "extern"]);
    known.sort_unstable();
    assert_eq!(words.trim().split(' ').collect::<Vec<_>>(), known);
    if Command::new("tree-sitter").arg("--version").output().is_ok() {
        fs::copy(place.join("grammar.js"), folder.path().join("grammar.js")).expect("it can be copied");
        fs::copy(place.join("tree-sitter.json"), folder.path().join("tree-sitter.json"))
            .expect("it can be copied");
        said("tree-sitter", &["generate", "--abi", "14"], folder.path(), &[]);
        let [ours, again] = [&place, folder.path()]
            .map(|at| fs::read_to_string(at.join("src/parser.c")).expect("it is there"));
        let rest = |text: &str| text.split_once('\n').map(|pair| pair.1.to_string());
        assert!(rest(&ours) == rest(&again), "regenerate src/parser.c");
    }
}

/// The parser is compiled, and Neovim reads programs by it: those that are right without an error, and a wrong one with one. What
/// is coloured as what is asked of the query.
#[test]
fn the_grammar_of_tree_sitter_reads_all_programs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/editors/tree-sitter-sysy");
    let (source, parser) = (place.join("src"), folder.path().join("sysy.so"));
    let (source, parser) = (source.to_string_lossy(), parser.to_string_lossy());
    let include = format!("-I{source}");
    said(
        "gcc",
        &["-shared", "-fPIC", "-Wall", "-Werror", &include, &format!("{source}/parser.c"), "-o", &parser],
        folder.path(),
        &[],
    );
    let mut paths = Vec::new();
    for name in ["tests/programs", "examples", "benches/kernels"] {
        programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name), &mut paths);
    }
    assert!(paths.len() > 100, "{} programs", paths.len());
    let own = DIALECT.replace(" @ {1}", " @ three");
    for (name, text) in [("dialect.sy", own.as_str()), ("wrong.sy", "int main() { int x = ; }\n")] {
        fs::write(folder.path().join(name), text).expect("it can be written");
        paths.push(folder.path().join(name));
    }
    let list: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    fs::write(folder.path().join("list"), list.join("\n") + "\n").expect("it can be written");
    let script = "local add = vim.treesitter.require_language or function(name, path) vim.treesitter.language.add(name, { path = path }) end
add('sysy', vim.env.PARSER)
local function read(path) local f = io.open(path); local text = f:read('*a'); f:close(); return text end
local function root(text) return vim.treesitter.get_string_parser(text, 'sysy'):parse()[1]:root() end
for path in io.lines('list') do
  if root(read(path)):has_error() then io.stdout:write('error ' .. path:match('[^/]*$') .. '\\n') end
end
local text = read('dialect.sy')
local query = (vim.treesitter.query.parse or vim.treesitter.parse_query)('sysy', read(vim.env.QUERY))
local seen = {}
for id, node in query:iter_captures(root(text), text, 0, -1) do
  local words = query.captures[id] .. ' ' .. (vim.treesitter.get_node_text or vim.treesitter.query.get_node_text)(node, text)
  if not seen[words] then seen[words] = true; io.stdout:write(words .. '\\n') end
end
";
    fs::write(folder.path().join("check.lua"), script).expect("it can be written");
    let query = place.join("queries/highlights.scm");
    let variables = [("PARSER", Path::new(&*parser)), ("QUERY", query.as_path())];
    let told = said(
        "nvim",
        &["--headless", "-u", "NONE", "-c", "luafile check.lua", "-c", "q"],
        folder.path(),
        &variables,
    );
    let errors: Vec<&str> = told.lines().filter(|line| line.starts_with("error ")).collect();
    assert_eq!(errors, ["error wrong.sy"], "{told}");
    for words in [
        "type.builtin tensor",
        "keyword extern",
        "keyword.repeat for",
        "keyword.repeat do",
        "function main",
        "function forth",
        "function.builtin putf",
        "string.special %5.2f",
        "string.special %%",
        "string.escape \\n",
        "operator +=",
        "operator @",
        "number .5e1",
        "number 0x1p3",
        "variable.parameter a",
        "keyword.return return",
    ] {
        assert!(told.lines().any(|line| line == words), "{words} is not among\n{told}");
    }
    for function in &FUNCTIONS {
        let text = fs::read_to_string(&query).expect("it is there");
        assert!(
            text.contains(&format!("{}|", function.name)) || text.contains(&format!("|{})", function.name)),
            "{}",
            function.name
        );
    }
}

/// `eglot` is a part of Emacs 29: here it is a list of servers, which is what the block adds to.
#[test]
fn emacs_gives_sysy_files_our_server_and_c_files_theirs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let eglot = "(defvar eglot-server-programs '((c-mode . (\"clangd\"))))\n(provide 'eglot)\n";
    fs::write(folder.path().join("eglot.el"), eglot).expect("it can be written");
    let setup = format!(
        "{}\n(require 'eglot)\n(dolist (file '(\"a.sy\" \"b.c\"))\n  (find-file file)\n  \
         (princ (format \"%s %s %s\\n\" file major-mode\n    \
         (seq-some (lambda (row) (and (provided-mode-derived-p major-mode (car row)) (cdr row))) eglot-server-programs))))\n",
        block("elisp")
    );
    fs::write(folder.path().join("setup.el"), setup).expect("it can be written");
    let told = said("emacs", &["-Q", "--batch", "-L", ".", "-l", "setup.el"], folder.path(), &[]);
    let lines: Vec<&str> =
        told.lines().filter(|line| line.starts_with("a.sy ") || line.starts_with("b.c ")).collect();
    assert_eq!(lines, ["a.sy sysy-mode (sysyc lsp -Wall)", "b.c c-mode (clangd)"], "{told}");
}

/// `vim.lsp.start` came with Neovim 0.8: here it tells what it is asked for.
#[test]
fn neovim_starts_our_server_for_sysy_files() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stub = "vim.lsp.start = function(o) io.stdout:write('START ' .. o.name .. ' ' .. table.concat(o.cmd, ' ') .. '\\n') end\n";
    fs::write(folder.path().join("setup.lua"), stub.to_string() + &block("lua")).expect("it can be written");
    for (file, starts) in [("a.sy", 1), ("b.c", 0)] {
        let words = [
            "--headless",
            "-u",
            "NONE",
            "-c",
            "let g:do_filetype_lua = 1",
            "-c",
            "filetype on",
            "-c",
            "luafile setup.lua",
        ];
        let open = format!("edit {file}");
        let words = [&words[..], &["-c", &open, "-c", "qa!"]].concat();
        let told = said("nvim", &words, folder.path(), &[]);
        assert_eq!(told.matches("START sysyc sysyc lsp -Wall").count(), starts, "{file}: {told}");
    }
}

/// `:make` with what the block sets: the list of errors has the place and the text.
#[test]
fn vim_lists_errors_by_make() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bin = Path::new(env!("CARGO_BIN_EXE_sysyc")).parent().expect("it is in a folder");
    let path = std::env::join_paths(
        [bin.to_path_buf()]
            .into_iter()
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    fs::write(folder.path().join("setup.vim"), "filetype on\n".to_string() + &block("vim"))
        .expect("it can be written");
    fs::write(folder.path().join("a.sy"), "int main() {\n    return x;\n}\n").expect("it can be written");
    let words = [
        "--headless",
        "-u",
        "setup.vim",
        "a.sy",
        "-c",
        "silent make",
        "-c",
        "for e in getqflist() | echo e.valid e.lnum e.col e.type e.text | endfor",
        "-c",
        "qa!",
    ];
    let path = path.expect("a path");
    let told = said("nvim", &words, folder.path(), &[("PATH", Path::new(&path))]);
    assert!(told.contains("1 2 12 e name 'x' is not declared"), "{told}");
}

#[test]
fn blocks_for_helix_are_toml_and_the_extension_names_files_that_are_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let blocks = blocks("toml");
    for (k, text) in blocks.iter().enumerate() {
        fs::write(folder.path().join(format!("{k}.toml")), text).expect("it can be written");
    }
    let check = "import tomllib, os
t = [tomllib.load(open(f'{k}.toml', 'rb')) for k in range(4)]
print(t[0]['language'][0]['language-servers'][0] in t[0]['language-server'], t[1]['grammar'][0]['name'], *t[2]['grammars'], t[3]['grammar'])";
    assert_eq!(said("python3", &["-c", check], folder.path(), &[]), "True sysy sysy sysy\n");
    let package: Value = serde_json::from_str(&read("package.json")).expect("JSON");
    let parts = &package["contributes"];
    for file in [&package["main"], &parts["languages"][0]["configuration"], &parts["grammars"][0]["path"]] {
        read(file.as_str().expect("a name").trim_start_matches("./"));
    }
    // What `vsce package` asks for.
    for field in ["name", "publisher", "version", "license", "engines", "description"] {
        assert!(package.get(field).is_some(), "{field}");
    }
}

/// What `sysyc` prints is what the matcher reads; workflows are YAML, and their commands are taken.
#[test]
fn continuous_integration_has_what_it_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ci");
    let text = |name: &str| fs::read_to_string(place.join(name)).expect("it is there");
    fs::write(folder.path().join("a.sy"), "int main() {\n    int unused;\n    return x;\n}\n")
        .expect("it can be written");
    let workflow = text("check.yml");
    let line = workflow.lines().find(|line| line.contains("sysyc check")).expect("it checks");
    let (_, words) = line.split_once("xargs -0r sysyc ").expect("it has words");
    let run = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(words.split(' '))
        .arg("a.sy")
        .current_dir(folder.path())
        .output();
    let run = run.expect("sysyc starts");
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(folder.path().join("sysyc.sarif").exists());
    fs::write(folder.path().join("said"), &run.stderr).expect("it can be written");
    let script = "const fs = require('fs'), [matcher] = JSON.parse(fs.readFileSync(process.argv[1])).problemMatcher, [p] = matcher.pattern;
for (const line of fs.readFileSync('said', 'utf8').split('\\n')) {
  const m = new RegExp(p.regexp).exec(line);
  if (m) console.log([m[p.file], m[p.line], m[p.column], m[p.severity], m[p.message], m[p.code]].join('|'));
}";
    let matcher = place.join("problem-matcher.json");
    let told = said("node", &["-e", script, &matcher.to_string_lossy()], folder.path(), &[]);
    assert!(
        told.contains("a.sy|3|12|error|name 'x' is not declared") && told.contains("|undeclared"),
        "{told}"
    );
    assert!(told.contains("a.sy|2|9|error|") && told.contains("|unused-variable"), "{told}");
    for name in ["check.yml", "history.yml"] {
        let path = place.join(name);
        let jobs = "import sys, yaml; print(*[s for j in yaml.safe_load(open(sys.argv[1]))['jobs'].values() for s in ('runs-on', 'steps') if s in j])";
        assert_eq!(
            said("python3", &["-c", jobs, &path.to_string_lossy()], folder.path(), &[]),
            "runs-on steps\n",
            "{name}"
        );
    }
    // Their lines do what they say, in a repository of one's own: but for those that install or measure.
    let repository = folder.path().join("repository");
    for name in ["bin", "target/track"] {
        fs::create_dir_all(repository.join(name)).expect("it can be made");
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sysyc"), repository.join("bin/sysyc")).expect("a link");
    fs::write(repository.join("target/track/index.html"), "").expect("it can be written");
    fs::copy(folder.path().join("a.sy"), repository.join("a b.sy")).expect("it can be copied");
    fs::write(repository.join("good.sy"), "int main() { return 0; }\n").expect("it can be written");
    said("git", &["init", "-q"], &repository, &[]);
    said("git", &["add", "good.sy", "a b.sy"], &repository, &[]);
    let lines = "import sys, yaml
for name in sys.argv[1:]:
    for job in yaml.safe_load(open(name))['jobs'].values():
        print(*[step['run'].strip() for step in job['steps'] if 'run' in step], sep='\\0', end='\\0')";
    let paths = ["check.yml", "history.yml"].map(|name| place.join(name).display().to_string());
    let lines = said("python3", &["-c", lines, &paths[0], &paths[1]], folder.path(), &[]);
    let mut codes = Vec::new();
    for line in lines.split('\0').filter(|line| !line.is_empty()) {
        if ["cargo install --locked --path ", "cargo bench --bench ", "sudo apt-get "]
            .iter()
            .any(|begin| line.starts_with(begin))
        {
            continue;
        }
        let path =
            format!("{}:{}", repository.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        // As the host of the workflows executes it.
        let mut shell = Command::new("bash");
        shell.args(["-e", "-c", line]).current_dir(&repository).env("PATH", path);
        let done = shell.output().expect("it starts");
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(
            done.status.success() || text.contains("a b.sy:3:12: error: name 'x' is not declared"),
            "{line}: {text}"
        );
        codes.push(done.status.success());
    }
    assert_eq!(codes, [false, true]);
    assert!(repository.join("sysyc.sarif").exists() && repository.join("page/index.html").exists());
    // What the container's file copies is there: from the repository, or from a stage in front of it.
    let (mut stages, mut copied) = (Vec::new(), 0);
    let container = text("Containerfile");
    for line in container.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["FROM", _, "AS", stage] => stages.push(stage),
            ["COPY", from, _, _] if from.starts_with("--from=") => {
                assert!(stages.contains(&&from[7..]), "{line}");
                copied += 1;
            }
            ["COPY", from, _] => {
                assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(from).exists(), "{line}");
                copied += 1;
            }
            _ => {}
        }
    }
    assert_eq!((stages.len(), copied), (1, 2));
    // What the second one measures and publishes is what the benchmark writes.
    let track = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/track.rs"))
        .expect("it is there");
    assert!(
        text("history.yml").contains("cargo bench --bench track\n")
            && text("history.yml").contains("cp target/track/index.html page/\n")
    );
    assert!(track.contains("target/track/index.html"));
    for word in ["cargo install --locked --path /source", "ENTRYPOINT [\"sysyc\"]"] {
        assert!(text("Containerfile").contains(word), "{word}");
    }
}
