//! What people have of the command in their shells: the manual as `man` shows it, and completion in bash, zsh and fish, with the
//! keys that are typed in a terminal.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic)]

use crate::support::terminal::Terminal;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn sysyc(words: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_sysyc")).args(words).output().expect("sysyc starts");
    String::from_utf8(done.stdout).expect("it is UTF-8")
}

/// What a command says to an input, on both streams.
fn said(program: &str, words: &[&str], input: &str) -> (String, String) {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().unwrap_or_else(|error| panic!("{program}: {error}: tests/install.sh installs it"));
    let mut stdin = child.stdin.take().expect("it is piped");
    let text = input.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let done = child.wait_with_output().expect("it ends");
    writer.join().expect("it ends").expect("it reads");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(done.stdout), text(done.stderr))
}

/// Every line of the help, in the words of the manual: troff takes a line that begins with `.` or `'` for a request, and
/// leaves it out.
#[test]
fn the_manual_shows_every_description_and_troff_has_nothing_to_say() {
    let (page, warnings) = said(
        "groff",
        &["-ww", "-man", "-Tascii", "-P-cbou", "-rLL=4000n", "-rHY=0"],
        &sysyc(&["--print=man"]),
    );
    assert_eq!(warnings, "");
    let lines: Vec<&str> = page.lines().map(str::trim).collect();
    let rows_of_page = lines.join("\n");
    let help = sysyc(&["--help"]);
    let (_, rows) = help.split_once("Examples:\n").expect("there are examples");
    let mut name = "";
    let mut count = 0;
    for line in rows.lines().filter(|line| line.starts_with("  ")) {
        // Two columns; a long name has a line of its own.
        let (left, text) = match line.trim_start().split_once("  ") {
            Some((left, text)) => (left, text.trim_start()),
            None if line.starts_with("     ") => (name, line.trim_start()),
            None => {
                name = line.trim();
                continue;
            }
        };
        // A short name has its description beside it.
        let below = format!("{left}\n{text}\n");
        let is_beside = |line: &str| line.strip_prefix(left).is_some_and(|rest| rest.trim_start() == text);
        assert!(
            rows_of_page.contains(&below) || lines.iter().copied().any(is_beside),
            "'{left}' has no '{text}'\n{page}"
        );
        count += 1;
    }
    assert!(count > 150 && help.contains("  ... "), "{count} rows:\n{help}");
}

/// Keys up to the cursor, and what the tab makes of them. What is left open has no blank behind it.
const KEYS: [(&str, &str); 19] = [
    ("ru", "run"),
    ("--tar", "--target="),
    ("--target=aa", "--target=aarch64"),
    ("--target ri", "--target riscv64"),
    ("-x mi", "-x mir"),
    ("-march=rv64gc_zbb", "-march=rv64gc_zbb"),
    ("-march=armv7-a+neo", "-march=armv7-a+neon"),
    ("-mtune=spacemit", "-mtune=spacemit-x60"),
    ("--emit=ir,cf", "--emit=ir,cfg"),
    ("-fsanitize=bounds,floa", "-fsanitize=bounds,float-cast-overflow"),
    ("-fdisable-pass=mem2", "-fdisable-pass=mem2reg"),
    ("-Werror=unused-vari", "-Werror=unused-variable"),
    ("-Wno-unused-vari", "-Wno-unused-variable"),
    ("-fno-inl", "-fno-inline"),
    ("-std=sysy2026", "-std=sysy2026"),
    ("explain argument-c", "explain argument-count"),
    ("-S one", "-S one.sy"),
    ("-o other", "-o other.s"),
    ("-fprint-changed=pag", "-fprint-changed=page.html"),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["one.sy", "other.s", "page.html"] {
        fs::write(folder.path().join(name), "").expect("it can be written");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = sysyc(&[&format!("--print=completion-{shell}")]);
        fs::write(folder.path().join(format!("words.{shell}")), script).expect("it can be written");
    }
    folder
}

/// In a terminal: what is typed, a tab, and the words that the command gets.
fn completes(shell: &str, start: &str, folder: &Path) {
    let mut terminal = Terminal::start(start, folder, &[("ZDOTDIR", folder)]);
    terminal.wait("a prompt", |shown| shown.contains("ready"));
    for (keys, words) in KEYS {
        terminal.type_keys(&format!("sysyc {keys}\t\n"));
        let shown = terminal
            .wait(keys, |shown| shown.rsplit_once("GOT<").is_some_and(|(_, rest)| rest.contains("ready")));
        assert!(shown.contains(&format!("GOT<{words}>")), "{shell}: {keys}\n{shown}");
    }
}

#[test]
fn bash_completes_options_values_and_files() {
    let folder = folder();
    let setup = "PS1=ready; bind 'set enable-bracketed-paste off'; source words.bash; sysyc() { echo \"GOT<$*>\"; }\n";
    fs::write(folder.path().join("setup"), setup).expect("it can be written");
    completes("bash", "bash --noprofile --rcfile setup -i", folder.path());
}

/// As the script says where it belongs: a file `_sysyc` in a folder of `fpath`.
#[test]
fn zsh_completes_options_values_and_files() {
    let folder = folder();
    let place = folder.path().join("functions");
    fs::create_dir(&place).expect("it can be made");
    let script = fs::read_to_string(folder.path().join("words.zsh")).expect("it is there");
    for said in ["#compdef sysyc\n", "_sysyc in a folder of $fpath", "autoload -Uz compinit; compinit"] {
        assert!(script.contains(said), "{said}: {script}");
    }
    fs::write(place.join("_sysyc"), script).expect("it can be written");
    let setup = "PS1=ready; unset zle_bracketed_paste; fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D\n\
                 sysyc() { print -r -- \"GOT<$*>\"; }\n";
    fs::write(folder.path().join(".zshrc"), setup).expect("it can be written");
    completes("zsh", "zsh -d -i", folder.path());
    // And for one shell alone.
    let setup = "PS1=ready; unset zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source words.zsh\n\
                 sysyc() { print -r -- \"GOT<$*>\"; }\n";
    fs::write(folder.path().join(".zshrc"), setup).expect("it can be written");
    completes("zsh", "zsh -d -i", folder.path());
}

#[test]
fn fish_completes_options_values_and_files() {
    let folder = folder();
    for (keys, words) in KEYS {
        let run = format!("cd {}; source words.fish; complete -C'sysyc {keys}'", folder.path().display());
        let (offered, wrong) = said("fish", &["-N", "-c", &run], "");
        let word = words.rsplit(' ').next().expect("a word");
        // With what it is for behind a tab.
        let mut names = offered.lines().filter_map(|line| line.split('\t').next());
        assert!(wrong.is_empty() && names.any(|name| name == word), "{keys}\n{offered}{wrong}");
    }
}
