//! What `-fprint-changed` shows: the differences in text; the page, used in a real browser (Debian's chromium,
//! without a screen), with a session of clicks and words (`page/session.js`); and that neither changes what
//! is compiled, nor depends on the workers.
//!
//! Cost: some seconds, most of which is the browser's start.

// A test that cannot go on has failed.
#![allow(clippy::expect_used, clippy::panic)]

use crate::{generate, support};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use support::process::run;

const MATRIX: &str = include_str!("page/matrix.sy");
const SESSION: &str = include_str!("page/session.js");

/// Runs the compiler on `x.sy`; what it says.
fn sysyc(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
    command.args(words).arg("x.sy").current_dir(folder);
    let done = command.output().expect("sysyc starts");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{words:?}: {said}");
    said
}

pub(crate) fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("x.sy"), text).expect("it can be written");
    folder
}

pub(crate) fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("it has been written")
}

/// The names that Debian and others give the browser.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// What a page has become when its scripts, and one more at its end, have run.
pub(crate) fn browse(folder: &Path, page: &str, script: &str) -> String {
    let path = folder.join("tried.html");
    let tried = page.replace("</body>", &format!("<script>{script}</script></body>"));
    fs::write(&path, tried).expect("it can be written");
    let address = format!("file://{}", path.display());
    let size = "--window-size=1680,1800";
    for browser in BROWSERS {
        let mut command = Command::new(browser);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", size, "--virtual-time-budget=5000"]);
        // Nothing of the user's is looked at, and nothing is left behind.
        command.arg(format!("--user-data-dir={}", folder.join("browser").display()));
        command.args(["--dump-dom", &address]).env("HOME", folder);
        match run(&mut command, None, folder, Duration::from_secs(120)) {
            Ok(done) if !done.stdout.is_empty() => return String::from_utf8_lossy(&done.stdout).into_owned(),
            Ok(done) => panic!("{browser} shows nothing: {}", done.complaint()),
            Err(_) => {}
        }
    }
    panic!("there is no browser ({}); tests/install.sh installs one", BROWSERS.join(", "));
}

/// The text of the element `#session` that a script has made.
pub(crate) fn session(shown: &str) -> &str {
    let text = shown.rsplit_once("<pre id=\"session\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    text.expect("the script has run").0
}

#[test]
fn a_session_of_clicks_shows_a_program() {
    let folder = folder(MATRIX);
    sysyc(folder.path(), &["-O1", "-S", "-o", "x.s", "-fprint-changed=x.html"]);
    let page = read(folder.path(), "x.html");
    for outside in ["http://", "https://", " src=", "<link", "@import"] {
        assert!(!page.contains(outside), "the page asks for something: {outside}");
    }
    let shown = browse(folder.path(), &page, SESSION);
    let said = session(&shown);
    let wrong: Vec<&str> = said.lines().filter(|line| !line.starts_with("ok ")).collect();
    assert_eq!(wrong, ["end"], "{said}");
    assert!(said.lines().count() > 30, "{said}");
}

/// A function of 2,000 lines, with every picture. The figures are shown.
#[test]
fn a_function_of_2000_lines_can_be_looked_at() {
    let folder = folder(&generate::program("giant_function", 11, 2000));
    sysyc(folder.path(), &["-O2", "-S", "-o", "x.s", "-fprint-changed=x.html", "-fprint-only=giant"]);
    let page = read(folder.path(), "x.html");
    let script = "{
        const said = [`loaded ${performance.now().toFixed()}`];
        const click = el => el.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        const time = (what, el) => {
            const start = performance.now(); click(el); document.body.offsetHeight;
            said.push(`${what} ${(performance.now() - start).toFixed()}`);
        };
        const steps = document.querySelectorAll('#steps .row');
        time('pass', steps[6]);
        for (const view of ['cfg', 'dom', 'loops', 'live']) time(view, document.querySelector(`[data-view=${view}]`));
        said.push('ranges ' + document.querySelectorAll('#drawing .range').length);
        said.push('rows ' + document.querySelectorAll('.row').length);
        const out = document.createElement('pre');
        out.id = 'session'; out.textContent = said.join('\\n'); document.body.append(out);
    }";
    let shown = browse(folder.path(), &page, script);
    let said = session(&shown);
    println!("{} bytes of page, in ms:\n{said}", page.len());
    let number = |what: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(what)).expect("it was said");
        line.trim().parse::<usize>().expect("a number")
    };
    for what in ["loaded", "pass", "cfg", "dom", "loops", "live"] {
        assert!(number(what) < 20_000, "{what} takes too long: {said}");
    }
    assert!(number("ranges") > 1000 && number("rows") < 1000, "{said}");
    assert!(page.len() < 8_000_000, "the page has {} bytes", page.len());
}

const REMARKED: &str = "int a[64], b[64];
int square(int x) { return x * x; }
int noise(int n) {
    putint(n);
    return n;
}
int main() {
    int n = getint(), i = 0;
    while (i < 64) {
        a[i] = b[i] + square(n);
        i = i + 1;
    }
    i = 0;
    while (i < n) {
        b[i] = noise(a[i]);
        i = i + 1;
    }
    return a[n];
}
";

/// What passes had to say stands under the lines of the source, as in clang's opt-viewer, and leads to the pass; drawings
/// open whole.
#[test]
fn remarks_stand_over_the_source_and_graphs_open_whole() {
    let folder = folder(REMARKED);
    sysyc(folder.path(), &["-O2", "--target=aarch64", "-S", "-o", "x.s", "-fprint-changed=x.html"]);
    sysyc(folder.path(), &["-O2", "--target=aarch64", "-S", "-o", "y.s"]);
    assert!(read(folder.path(), "x.s") == read(folder.path(), "y.s"));
    let page = read(folder.path(), "x.html");
    let script = "{
        const said = [], rows = () => [...document.querySelectorAll('#source .row')];
        const click = el => el.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        const sorts = () => [0, 1, 2].map(sort => document.querySelectorAll(`#source .row.remark.s${sort}`).length);
        const under = (text, pass) => {
            const k = rows().findIndex(row => row.textContent.includes(text));
            for (let j = k + 1; rows()[j] && rows()[j].classList.contains('remark'); j++) if (rows()[j].textContent.includes(`\u{21b3} ${pass}: `)) return rows()[j];
        };
        const row = under('square(n)', 'inline');
        said.push(row ? row.textContent.trim() : 'nothing of inline');
        said.push(under('while (i < 64)', 'loop_vectorize') || under('square(n)', 'loop_vectorize') ? 'vector' : 'nothing of vectors');
        const before = sorts();
        said.push(before[0] > 0 && before[1] > 0 ? 'done and missed' : before.join());
        row.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
        said.push(document.getElementById('say').textContent === row.textContent.trim() ? 'all of it below' : 'cut off');
        click(row);
        said.push(document.querySelector('#steps .row.on .name').textContent + ' of ' + document.querySelector('#picked').textContent);
        click(document.querySelector('#remarks [data-sort=\"0\"]'));
        said.push(sorts()[0] === 0 && sorts()[1] === before[1] ? 'those that were done go' : sorts().join());
        for (const view of ['cfg', 'dom']) {
            click(document.querySelector(`[data-view=${view}]`));
            const box = document.getElementById('drawing').getBoundingClientRect();
            const out = [...document.querySelectorAll('#drawing .node')].filter(node => {
                const at = node.getBoundingClientRect();
                return at.left < box.left || at.right > box.right || at.top < box.top || at.bottom > box.bottom;
            });
            said.push(`${view}: ${out.length} outside`);
        }
        const end = document.createElement('pre');
        end.id = 'session'; end.textContent = said.join('\\n'); document.body.append(end);
    }";
    let shown = browse(folder.path(), &page, script);
    let said: Vec<&str> = session(&shown).lines().collect();
    assert!(said[0].starts_with("\u{21b3} inline: 'square' is inlined: "), "{said:?}");
    assert_eq!(
        said[1..],
        [
            "vector",
            "done and missed",
            "all of it below",
            "inline of main",
            "those that were done go",
            "cfg: 0 outside",
            "dom: 0 outside"
        ]
    );
}

/// The report of times as a page: the whole, and tables that a click sorts.
#[test]
fn a_page_of_times_is_sorted_by_clicks() {
    let folder = folder(&generate::program("mixed", 5, 300));
    let said = sysyc(folder.path(), &["-O1", "-c", "-j2", "-ftime-report=t.html"]);
    assert_eq!(said, "");
    let page = read(folder.path(), "t.html");
    assert!(!page.contains(" src=") && !page.contains("<link"), "the page asks for something");
    let script = "{
        const said = [document.getElementById('whole').textContent];
        const cells = (id, k) => [...document.querySelectorAll(`#${id} tr`)].slice(1).map(row => row.cells[k].textContent);
        const click = (id, k) => document.querySelectorAll(`#${id} th`)[k].dispatchEvent(new MouseEvent('click', { bubbles: true }));
        const falls = list => list.every((x, k) => !k || +list[k - 1] >= +x);
        said.push(cells('phases', 0).join(' '));
        said.push(`falls ${falls(cells('phases', 1))}`);
        click('phases', 1); said.push(`falls ${falls(cells('phases', 1))}`);
        click('phases', 1); said.push(`falls ${falls(cells('phases', 1).reverse())}`);
        click('phases', 0); said.push(`first ${[...cells('phases', 0)].sort()[0] === cells('phases', 0)[0]}`);
        said.push(`functions ${cells('functions', 0).length}, lanes ${document.querySelectorAll('.lane').length > 0}`);
        const end = document.createElement('pre');
        end.id = 'session'; end.textContent = said.join('\\n'); document.body.append(end);
    }";
    let shown = browse(folder.path(), &page, script);
    let said: Vec<&str> = session(&shown).lines().collect();
    assert!(said[0].contains(" ms on the wall, ") && said[0].contains("of memory at the peak"), "{said:?}");
    assert!(
        said[1].contains("lex") && said[1].contains("allocate") && said[1].ends_with("(other)"),
        "{said:?}"
    );
    assert_eq!(
        said[2..],
        ["falls false", "falls true", "falls true", "first true", "functions 10, lanes true"]
    );
    let wrong = Command::new(env!("CARGO_BIN_EXE_sysyc"))
        .args(["-ftime-report=jsn", "x.sy"])
        .current_dir(folder.path())
        .output();
    let wrong = wrong.expect("sysyc starts");
    assert!(
        wrong.status.code() == Some(2)
            && String::from_utf8_lossy(&wrong.stderr).contains("-ftime-report=FILE.html")
    );
}

/// A flame graph of folded stacks, one of them deeper than awk recurses: what a click on a box and words in the search make of it.
#[test]
fn a_flame_graph_zooms_and_searches() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let deep = vec!["sysyc::deep::down"; 3000].join(";");
    let folded = format!("sysyc::a;sysyc::b 60\nsysyc::a;sysyc::c<&str>;sysyc::b 30\n{deep} 10\n");
    fs::write(folder.path().join("folded"), folded).expect("it can be written");
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiling");
    let script = format!("script={}", place.join("flame.js").display());
    let mut awk = Command::new("awk");
    awk.args(["-v", "title=T", "-v", &script, "-f"])
        .arg(place.join("flame.awk"))
        .arg(folder.path().join("folded"));
    let drawn = awk.output().expect("awk starts");
    assert!(drawn.status.success() && drawn.stderr.is_empty(), "{}", String::from_utf8_lossy(&drawn.stderr));
    let page = format!("<body>{}</body>", String::from_utf8_lossy(&drawn.stdout));
    let session_of_clicks = "{
        const said = [], box = k => document.querySelectorAll('g.f')[k];
        const named = text => [...document.querySelectorAll('g.f')].filter(g => g.querySelector('title').textContent.startsWith(text));
        const wide = g => g.style.display === 'none' ? 'gone' : Math.round(g.querySelector('rect').getAttribute('width'));
        const click = g => g.dispatchEvent(new MouseEvent('click', { bubbles: true }));
        const seek = text => { const field = document.getElementById('search'); field.value = text; field.dispatchEvent(new Event('input')); };
        const share = () => document.getElementById('share').textContent + ', ' + document.querySelectorAll('.found').length;
        const sizes = () => ['all', 'sysyc::a', 'sysyc::b', 'sysyc::c', 'sysyc::deep'].map(name => wide(named(name)[0])).join(' ');
        said.push(sizes());
        seek('b$'); said.push(share());
        seek('deep'); said.push(share());
        seek('('); said.push(share());
        seek('::B');
        click(named('sysyc::c')[0]); said.push(sizes()); said.push(share());
        said.push(named('sysyc::c')[0].querySelector('text').textContent);
        click(document.getElementById('all-of-it')); said.push(sizes());
        click(box(1)); dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' })); said.push(sizes()); said.push(share());
        const out = document.createElement('pre');
        out.id = 'session'; out.textContent = said.join('\\n'); document.body.append(out);
    }";
    let shown = browse(folder.path(), &page, session_of_clicks);
    let said: Vec<&str> = session(&shown).lines().collect();
    let whole = "1400 1260 840 420 140";
    assert_eq!(
        said,
        [
            whole,
            "90.00% of what is shown, 2",
            "10.00% of what is shown, 3000",
            "no such pattern, 3000",
            "1400 1400 gone 1400 gone",
            "100.00% of what is shown, 2",
            "c&lt;&amp;str&gt;",
            whole,
            whole,
            ", 0",
        ]
    );
}

/// The page without its times, which are those of this run.
fn timeless(page: &str) -> String {
    let (before, rest) = page.split_once("id=\"data-times\">").expect("there is a block of times");
    before.to_string() + rest.split_once("</script>").expect("it ends").1
}

#[test]
fn the_page_is_the_same_for_all_workers_and_changes_nothing() {
    let folder = folder(&generate::program("mixed", 5, 700));
    for level in ["-O0", "-O1", "-O2"] {
        let mut pages = Vec::new();
        for jobs in ["-j1", "-j2", "-j8"] {
            let words = [level, jobs, "-fwindow=5000", "-fpack=0", "-S", "-o"];
            sysyc(folder.path(), &[&words[..], &["x.s", "-fprint-changed=x.html"]].concat());
            pages.push(timeless(&read(folder.path(), "x.html")));
            sysyc(folder.path(), &[&words[..], &["y.s"]].concat());
            assert!(read(folder.path(), "x.s") == read(folder.path(), "y.s"), "{level} {jobs}");
        }
        assert!(pages.iter().all(|page| *page == pages[0]), "{level}");
    }
}

#[test]
fn differences_in_text_are_short_and_of_the_functions_that_are_asked_for() {
    let folder = folder(MATRIX);
    let said = sysyc(folder.path(), &["-O1", "-c", "-fprint-changed", "-fprint-only=random,main"]);
    let heads: Vec<&str> = said.lines().filter(|line| line.starts_with("; ")).collect();
    assert!(
        heads.iter().all(|head| head.contains(" on random: ") || head.contains(" on main: ")),
        "{heads:?}"
    );
    assert_eq!(heads[0], "; lower on random: 0 -> 7 instructions");
    let part = said.split("; gvn on random").nth(1).and_then(|rest| rest.split("\n\n").next());
    let part = part.expect("there is a part of it");
    let changed: Vec<&str> =
        part.lines().filter(|line| line.starts_with(['-', '+', '@'])).map(str::trim_end).collect();
    assert_eq!(
        changed,
        ["@ b0", "-  %seed.5 = load i32, ptr @seed", "-  ret i32 %seed.5", "+  ret i32 %seed.3"]
    );
    assert_eq!(part.lines().filter(|line| line.starts_with("   ")).count(), 3, "{part}");
    // Other dumps of passes, likewise.
    let words = ["-O1", "-c", "-fprint-after=gvn", "-fprint-after=select", "-fprint-only=main"];
    let said = sysyc(folder.path(), &words);
    assert!(said.contains("; after gvn on main\n") && !said.contains(" on random\n"), "{said}");
    assert_eq!(said.matches("; after select\n").count(), 1, "{said}");
}
