//! Mutants of small functions in LLVM text, with llc as the reference. What stays right (other operations, predicates,
//! constants, widths, operands of the same type, branches the other way) is compiled by llc for this machine and by us for each
//! target, and both print the same. What is damaged (types, names, labels, lines) is accepted by both, or by neither.
//!
//! Nothing is undefined in a mutant: no operation has flags; behind the mutation, amounts of shifts are masked, divisors made
//! odd and dividends halved, floats brought into the range of the integers they become, subscripts masked, and a NaN is
//! stored as one pattern. Loops count on lines that no mutation touches. Some dozens of functions are one program, and of each
//! the results and the memory that it has written are printed as a hash.
//!
//! `SYSYC_FUZZ=N` tries N programs, and 40 N damaged texts, `SYSYC_SEED` is the number of the first; `SYSYC_SHOW` shows messages.

#![allow(clippy::panic, clippy::expect_used)]

mod invalid;
mod seeds;

use crate::cross;
use cross::{TARGETS, run};
use seeds::{HELPER, KINDS, SEEDS};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use sysyc::ir::parse::keywords::KEYWORDS;
use sysyc::ir::parse::{ANY, Platform, parse_for};

/// How many functions are one program.
const TOGETHER: usize = 40;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n.max(1) as u64) as usize
    }

    fn of<'a>(&mut self, row: &[&'a str]) -> &'a str {
        row[self.below(row.len())]
    }
}

/// Words of a line, with what is between them.
fn words(line: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || "%@._-".contains(c);
        let end = rest.find(|d| is_word(d) != is_word(c)).unwrap_or(rest.len());
        all.push(&rest[..end]);
        rest = &rest[end..];
    }
    all
}

/// The bits of an integer type.
fn bits(ty: &str) -> Option<u32> {
    ty.strip_prefix('i')?.parse().ok()
}

/// The name and type of what a line defines, if that is a scalar.
fn defined(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.trim().split_once(" = ")?;
    let found: Vec<&str> =
        words(rest).into_iter().filter(|w| !w.trim_matches([' ', ',']).is_empty()).collect();
    let ty = match *found.first()? {
        "icmp" | "fcmp" => "i1",
        "getelementptr" | "alloca" => return None,
        _ if found.contains(&"to") => found.last()?,
        "select" => found.get(3)?,
        _ => found.get(1)?,
    };
    (bits(ty).is_some() || ty == "float" || ty == "double").then_some((name, ty))
}

/// A constant that a type of integers can have.
fn constant(random: &mut Random, width: u32) -> String {
    let most = (1i128 << (width.min(120) - 1)) - 1;
    let x = match random.below(9) {
        0 => most,
        1 => -most - 1,
        2 => most / 2 + 1,
        3 => -1,
        4 => random.below(64) as i128,
        5 => -(random.below(200) as i128),
        6 => 1i128 << random.below(width.min(100) as usize),
        7 => (1i128 << random.below(width.min(100) as usize)) - 1,
        _ => 0x5_1234_5678_9abc_def1 >> random.below(60),
    };
    let wrapped = if width >= 120 { x } else { x << (128 - width) >> (128 - width) };
    if width == 1 { ["true", "false"][random.below(2)].to_string() } else { wrapped.to_string() }
}

/// Changes one thing of a line; false if there is nothing to be changed that way.
fn changed(random: &mut Random, lines: &mut [String], at: usize) -> bool {
    let line = lines[at].clone();
    if line.ends_with(';') || line.ends_with(':') {
        return false;
    }
    let mut all: Vec<String> = words(&line).into_iter().map(str::to_string).collect();
    let has = |word: &str| words(&line).contains(&word);
    match random.below(5) {
        0 => {
            // Another operation of its kind.
            let fits = |word: &str, kind: &&&[&str]| {
                kind.iter().any(|&k| word == k || k.ends_with('.') && word.starts_with(k))
            };
            let is_float = has("fcmp");
            let found = all.iter().enumerate().find_map(|(k, word)| {
                let kind = KINDS
                    .iter()
                    .filter(|kind| !is_float || !kind.contains(&"eq"))
                    .find(|kind| fits(word, kind))?;
                Some((k, *kind))
            });
            let Some((k, kind)) = found else { return false };
            let new = random.of(kind);
            let old = kind.iter().find(|old| old.ends_with('.') && all[k].starts_with(**old));
            if let Some(end) = old.and_then(|old| all[k].strip_prefix(old)) {
                all[k] = format!("{new}{end}");
            } else {
                // Bits of i1 are not negative, and have one way to be shifted and divided.
                all[k] = new.to_string();
            }
        }
        1 => {
            // A constant.
            if has("getelementptr")
                || has("extractvalue")
                || has("call")
                || has("switch")
                || has("alloca")
                || has("br")
            {
                return false;
            }
            let is_number = |word: &String| word.parse::<i128>().is_ok();
            let Some(k) = all.iter().position(is_number) else { return false };
            let ty = all[..k].iter().rev().find(|word| bits(word).is_some()).cloned();
            let Some(ty) = ty else { return false };
            all[k] = constant(random, bits(&ty).unwrap_or(32));
        }
        2 => {
            // The operands the other way round.
            let Some(comma) = all.iter().position(|word| word == ", ") else { return false };
            let is_binary = KINDS[..2].iter().chain(&KINDS[2..4]).any(|kind| kind.iter().any(|k| has(k)));
            if !is_binary || comma + 2 != all.len() {
                return false;
            }
            all.swap(comma - 1, comma + 1);
        }
        3 => {
            // A branch the other way.
            if !has("br") || !has("i1") {
                return false;
            }
            let labels: Vec<usize> = (2..all.len()).filter(|&k| all[k - 2] == "label").collect();
            let [a, b] = *labels else { return false };
            if all[a] != all[b] {
                all.swap(a, b);
            }
        }
        _ => {
            // Another operand of the same type, which stands above in the block or in the first one.
            if has("phi") || has("alloca") {
                return false;
            }
            let start = line.find(" = ").map_or(0, |_| 2);
            let uses: Vec<usize> = (start..all.len())
                .filter(|&k| all[k].starts_with('%') && (k < 2 || all[k - 2] != "label"))
                .collect();
            if uses.is_empty() {
                return false;
            }
            let k = uses[random.below(uses.len())];
            let block = lines[..at].iter().rposition(|line| line.ends_with(':')).unwrap_or(0);
            let entry =
                lines.iter().skip(1).position(|line| line.ends_with(':')).map_or(lines.len(), |k| k + 1);
            let params = [("%a", "i32"), ("%b", "i64"), ("%x", "double")];
            let known: Vec<(&str, &str)> = params
                .into_iter()
                .chain(
                    lines
                        .iter()
                        .enumerate()
                        .filter(|&(k, _)| k < at && (k < entry || k > block))
                        .filter_map(|(_, line)| defined(line)),
                )
                .collect();
            let Some(&(_, ty)) = known.iter().find(|row| row.0 == all[k]) else { return false };
            let others: Vec<&str> =
                known.iter().filter(|row| row.1 == ty && row.0 != all[k]).map(|row| row.0).collect();
            if others.is_empty() {
                return false;
            }
            let new = others[random.below(others.len())].to_string();
            all[k] = new;
        }
    }
    let new = all.concat();
    let is_other = new != line;
    lines[at] = new;
    is_other
}

/// The lines with what keeps them from being undefined.
fn guarded(lines: &[String]) -> String {
    let mut out = String::new();
    let mut fresh = 0;
    let mut name = || {
        fresh += 1;
        format!("%guard{fresh}")
    };
    for line in lines {
        let line = line.trim_end_matches(';').trim_end();
        let mut all: Vec<String> = words(line).into_iter().map(str::to_string).collect();
        let op = all.iter().position(|word| word == "= " || word.trim() == "=").map_or(1, |k| k + 1);
        let word = all.get(op).cloned().unwrap_or_default();
        let last = all.len() - 1;
        match word.as_str() {
            "shl" | "lshr" | "ashr" => {
                let width = bits(&all[op + 2]).unwrap_or(32);
                let amount = name();
                if width.is_power_of_two() {
                    _ = writeln!(
                        out,
                        " {amount} = and {} {}, {}",
                        all[op + 2],
                        all[last],
                        if width == 1 { "false".into() } else { (width - 1).to_string() }
                    );
                } else {
                    _ = writeln!(
                        out,
                        " {amount} = urem {} {}, {}",
                        all[op + 2],
                        all[last],
                        width.min(if width < 8 { 3 } else { width })
                    );
                }
                all[last] = amount;
            }
            "udiv" | "urem" | "sdiv" | "srem" => {
                let ty = all[op + 2].clone();
                let (one, half) = (name(), name());
                _ = writeln!(
                    out,
                    " {one} = or {ty} {}, {}",
                    all[last],
                    if ty == "i1" { "true" } else { "1" }
                );
                all[last] = one;
                if word.starts_with('s') && ty != "i1" {
                    _ = writeln!(out, " {half} = ashr {ty} {}, 1", all[last - 2]);
                    all[last - 2] = half;
                } else if word.starts_with('s') {
                    // -1 divided by -1 does not fit.
                    all[last - 2] = "false".to_string();
                }
            }
            "fptosi" | "fptoui" => {
                let (ty, from) = (all[op + 2].clone(), all[op + 4].clone());
                let (low, high) = (if word == "fptosi" { "-100.0" } else { "0.0" }, "100.0");
                let [c, d, e, f] = [name(), name(), name(), name()];
                _ = writeln!(
                    out,
                    " {c} = fcmp ogt {ty} {from}, {low}\n {d} = select i1 {c}, {ty} {from}, {ty} {low}"
                );
                _ = writeln!(
                    out,
                    " {e} = fcmp olt {ty} {d}, {high}\n {f} = select i1 {e}, {ty} {d}, {ty} {high}"
                );
                all[op + 4] = f;
            }
            "getelementptr" if last > op + 6 && all[last].starts_with('%') => {
                let count: u32 = all.iter().find_map(|word| word.parse().ok()).unwrap_or(1);
                let index = name();
                _ = writeln!(out, " {index} = and i32 {}, {}", all[last], count - 1);
                all[last] = index;
            }
            "store" if all[op + 2] == "double" => {
                let [c, d] = [name(), name()];
                let from = all[op + 4].clone();
                _ = writeln!(
                    out,
                    " {c} = fcmp ord double {from}, 0.0\n {d} = select i1 {c}, double {from}, double 1.5"
                );
                all[op + 4] = d;
            }
            _ => {}
        }
        _ = writeln!(out, "{}", all.concat());
    }
    out
}

/// A cast between integers of these types, as an instruction.
fn cast(name: &str, from: &str, value: &str, to: &str) -> String {
    let op = match bits(from).cmp(&bits(to)) {
        std::cmp::Ordering::Less => "sext",
        std::cmp::Ordering::Greater => "trunc",
        std::cmp::Ordering::Equal => return format!(" {name} = add {from} {value}, 0"),
    };
    format!(" {name} = {op} {from} {value} to {to}")
}

/// The lines of a seed for types.
fn lines_of(seed: &str, whole: &str, float: &str, number: usize) -> Vec<String> {
    let mut lines = vec!["entry:".to_string(), " %m0 = load i64, ptr %m ;".to_string()];
    for line in seed.lines().skip(1) {
        let all: Vec<String> = words(line)
            .into_iter()
            .map(|word| match word {
                "W" => whole.to_string(),
                "F" => float.to_string(),
                "@h" => format!("@h{number}"),
                _ if word.starts_with("@llvm.") => {
                    let float = if float == "float" { ".f32" } else { ".f64" };
                    word.replace(".W", &format!(".{whole}")).replace(".F", float)
                }
                _ => word.to_string(),
            })
            .collect();
        let line = all.concat();
        let parts: Vec<&str> = line.split_whitespace().collect();
        lines.push(match *parts {
            [name, "=", "up" | "down", from, value, "to", to] => cast(name, from, value, to),
            [name, "=", "floatcast", "double", value, "to", "float"] => {
                format!(" {name} = fptrunc double {value} to float")
            }
            [name, "=", "floatcast", "double", value, "to", "double"] => {
                format!(" {name} = fadd double {value}, 0.0")
            }
            [name, "=", "floatcast2", "float", value, "to", "double"] => {
                format!(" {name} = fpext float {value} to double")
            }
            [name, "=", "floatcast2", "double", value, "to", "double"] => {
                format!(" {name} = fadd double {value}, 0.0")
            }
            _ => line,
        });
    }
    lines
}

/// A function that is a mutant of a seed, and what it calls.
fn mutant(random: &mut Random, number: usize) -> String {
    let seed = random.below(SEEDS.len());
    let whole = random.of(&[
        "i8", "i16", "i32", "i64", "i64", "i32", "i7", "i13", "i24", "i33", "i48", "i57", "i65", "i96",
        "i128",
    ]);
    let float = random.of(&["float", "double"]);
    let mut text = String::new();
    if seed == 5 {
        let lines: Vec<String> = HELPER
            .lines()
            .map(|line| {
                words(line)
                    .into_iter()
                    .map(|word| match word {
                        "W" => whole.to_string(),
                        "@h" => format!("@h{number}"),
                        _ => word.to_string(),
                    })
                    .collect::<String>()
            })
            .collect();
        text += &(lines.join("\n") + "\n");
    }
    let mut lines = lines_of(SEEDS[seed], whole, float, number);
    let count = lines.len();
    for _ in 0..random.below(9) {
        for _ in 0..20 {
            let at = 2 + random.below(count - 2);
            if changed(random, &mut lines, at) {
                break;
            }
        }
    }
    format!("{text}define i64 @f{number}(i32 %a, i64 %b, double %x, ptr %m) {{\n{}}}\n", guarded(&lines))
}

/// What declarations the text needs, and the image.
fn whole(functions: &[String]) -> String {
    let mut text = String::from(
        "@image = constant [16 x i16] [i16 1, i16 -2, i16 300, i16 -400, i16 5, i16 6, i16 7, i16 8, i16 99, i16 -1, i16 0, i16 12, i16 13, i16 14, i16 15, i16 32767]\n",
    );
    let all = functions.concat();
    let mut named: Vec<&str> = words(&all).into_iter().filter(|word| word.starts_with("@llvm.")).collect();
    named.sort_unstable();
    named.dedup();
    for name in named {
        let ty = match name.rsplit('.').next().unwrap_or_default() {
            "f32" => "float",
            "f64" => "double",
            ty => ty,
        };
        let pair = format!("{{ {ty}, i1 }}");
        let (result, args) = match name.split('.').nth(1).unwrap_or_default() {
            "memcpy" => ("void", "ptr, ptr, i32, i1".to_string()),
            _ if name.contains("overflow") => (pair.as_str(), format!("{ty}, {ty}")),
            "ctlz" | "cttz" | "abs" => (ty, format!("{ty}, i1")),
            "scmp" | "ucmp" => ("i8", format!("{ty}, {ty}")),
            "fptosi" | "fptoui" => (name.split('.').nth(3).unwrap_or_default(), ty.to_string()),
            "ctpop" | "bitreverse" | "fabs" | "sqrt" | "floor" | "ceil" | "trunc" | "rint" => {
                (ty, ty.to_string())
            }
            "fshl" | "fshr" => (ty, format!("{ty}, {ty}, {ty}")),
            _ => (ty, format!("{ty}, {ty}")),
        };
        _ = writeln!(text, "declare {result} {name}({args})");
    }
    text + &all
}

/// Calls the functions, with some arguments.
fn driver(numbers: &[usize]) -> String {
    let mut text = String::from(
        "#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\ntypedef int64_t fn(int32_t, int64_t, double, void *);\n",
    );
    for k in numbers {
        _ = writeln!(text, "extern fn f{k};");
    }
    text += "static const struct { int k; fn *f; } all[] = {";
    for k in numbers {
        _ = write!(text, "{{{k}, f{k}}}, ");
    }
    text + "};
static const struct { int32_t a; int64_t b; double x; } in[] = {{0, 0, 0}, {1, -1, 2.5}, {-7, 0x123456789abcdef, -1e10}, {2147483647, INT64_MIN, 0.1},
    {-2147483647 - 1, INT64_MAX, 1e300}, {12345, -987654321, -0.0}, {40, 255, 3}};
int main(void) {
    setvbuf(stdout, 0, _IOLBF, 0);
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
        uint64_t h = 14695981039346656037ull;
        for (int i = 0; i < 7; i++) {
            union { uint64_t w[8]; uint8_t c[64]; } m;
            for (int j = 0; j < 8; j++) m.w[j] = j * 0x0123456789abcdefull + i;
            uint64_t r = all[k].f(in[i].a, in[i].b, in[i].x, &m);
            h = (h ^ r) * 1099511628211ull;
            h ^= h >> 29;
            for (int j = 0; j < 8; j++) h = (h ^ m.w[j]) * 1099511628211ull, h ^= h >> 31;
        }
        printf(\"%d %016llx\\n\", all[k].k, (unsigned long long)h);
    }
    return 0;
}
"
}

/// What a program prints of each function.
fn printed(folder: &Path, command: &mut Command) -> Vec<String> {
    let done = command.current_dir(folder).output().expect("it runs");
    String::from_utf8_lossy(&done.stdout).lines().map(str::to_string).collect()
}

/// Which functions a message names lines of.
fn refused(said: &str, text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let of = |line: &str| {
        let at: usize = line.split_once("--> x.ll:")?.1.split(':').next()?.parse().ok()?;
        let mut heads = lines[..at].iter().rev().filter(|line| line.starts_with("define "));
        heads.next()?.split_once(['f', 'h'])?;
        let head = lines[..at].iter().rev().find(|line| line.starts_with("define "))?;
        head.split_once("@f").or(head.split_once("@h"))?.1.split('(').next()?.parse().ok()
    };
    let mut found: Vec<usize> = said.lines().filter_map(of).collect();
    found.dedup();
    found
}

/// Tries a program; what was wrong, and how many functions we refused.
fn program(clang: &str, seed: u64) -> (Vec<String>, usize) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.below(2);
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let mut functions: Vec<(usize, String)> = (0..TOGETHER).map(|k| (k, mutant(&mut random, k))).collect();
    let store = |functions: &[(usize, String)]| {
        let texts: Vec<String> = functions.iter().map(|row| row.1.clone()).collect();
        let numbers: Vec<usize> = functions.iter().map(|row| row.0).collect();
        std::fs::write(folder.join("x.ll"), whole(&texts)).expect("a file can be written");
        std::fs::write(folder.join("d.c"), driver(&numbers)).expect("a file can be written");
    };
    store(&functions);
    let mut want: Vec<Vec<String>> = Vec::new();
    for level in ["-O0", "-O2"] {
        run(folder, Command::new(clang).args(["-w", level, "-fPIE", "-x", "ir", "-c", "x.ll", "-o", "r.o"]));
        run(folder, Command::new("gcc").args(["-w", "d.c", "r.o", "-o", "r", "-lm"]));
        want.push(printed(folder, &mut Command::new(folder.join("r"))));
    }
    let (mut wrong, mut unread) = (Vec::new(), 0);
    // What LLVM itself does not agree about is undefined.
    for (k, line) in want[0].iter().enumerate() {
        if want[1].get(k) != Some(line) {
            wrong.push(format!("seed {seed}: LLVM's levels differ:\n{}", functions[k].1));
        }
    }
    for (k, cross) in TARGETS.iter().enumerate() {
        let level = ["-O0", "-O1", "-O2"][(seed as usize + k) % 3];
        loop {
            let mut ours = Command::new(env!("CARGO_BIN_EXE_sysyc"));
            ours.args([level, "-c", "-fverify", "-o", "x.o", "x.ll"]).arg(format!("--target={}", cross.name));
            let done = ours.current_dir(folder).output().expect("our command runs");
            if done.status.success() {
                break;
            }
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            let text = std::fs::read_to_string(folder.join("x.ll")).expect("a file can be read");
            let which = refused(&said, &text);
            if std::env::var_os("SYSYC_SHOW").is_some() {
                println!("{}: {said}", cross.name);
            }
            if which.is_empty() || done.status.code() != Some(1) {
                wrong.push(format!("seed {seed}, {} {level}: {said}", cross.name));
                return (wrong, unread);
            }
            unread += which.len();
            functions.retain(|row| !which.contains(&row.0));
            store(&functions);
        }
        run(folder, Command::new(cross.gcc).args(["-static", "-w", "d.c", "x.o", "-o", "x", "-lm"]));
        let have = printed(folder, Command::new("timeout").args(["20", cross.qemu, "x"]));
        for (number, text) in &functions {
            let begin = format!("{number} ");
            let of = |lines: &[String]| lines.iter().find(|line| line.starts_with(&begin)).cloned();
            let [have, first, second] = [&have, &want[0], &want[1]].map(|lines| of(lines));
            if have != first && first == second {
                let name = cross.name;
                wrong.push(format!("seed {seed}, {name} {level}: {have:?}, not {first:?}:\n{text}"));
            }
        }
    }
    (wrong, unread)
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn mutants_do_what_llvm_makes_of_them() {
    let clang = cross::clang();
    let (first, count) = (number("SYSYC_SEED", 1), number("SYSYC_FUZZ", 6));
    let (mut wrong, mut unread) = (Vec::new(), 0);
    for seed in first..first + count {
        let (more, refused) = program(clang, seed);
        wrong.extend(more);
        unread += refused;
    }
    println!("{} functions, of which {unread} were refused", count as usize * TOGETHER);
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(number("SYSYC_SHOWN", 3) as usize)].join("\n")
    );
}

/// Keywords that LLVM 15 does not know.
const NEWER: [&str; 18] = [
    "noext",
    "captures",
    "initializes",
    "dead_on_unwind",
    "dead_on_return",
    "writable",
    "nofpclass",
    "range",
    "nocreateundeforpoison",
    "nodivergencesource",
    "optdebug",
    "skipprofile",
    "samesign",
    "nneg",
    "disjoint",
    "nusw",
    "fn_ret_thunk_extern",
    "allockind",
];

/// What may stand behind an instruction, or not.
const BEHIND: [&str; 16] = [
    ", align 4",
    ", align 3",
    ", !range !{i32 0, i32 5}",
    ", !range !{i64 0, i64 5}",
    ", !range !{}",
    ", !range !900",
    ", !nonnull !{}",
    ", !nonnull !900",
    ", !tbaa !901",
    ", !prof !{}",
    ", !align !{i64 8}",
    ", !dereferenceable !{i64 8}",
    ", !dereferenceable !{i32 8}",
    ", !other !900",
    ", !other !{!901}",
    ", !other",
];

/// A keyword, with what stands behind it.
fn keyword(random: &mut Random) -> String {
    loop {
        let word = KEYWORDS[random.below(KEYWORDS.len())].word;
        if NEWER.contains(&word) {
            continue;
        }
        let behind = match word {
            "align" | "cc" => [" 4", " 8", " 3"][random.below(3)],
            "alignstack" => "(8)",
            "byval" | "sret" | "elementtype" | "byref" | "inalloca" | "preallocated" => "(i32)",
            "dereferenceable" | "dereferenceable_or_null" => ["(8)", "(0)"][random.below(2)],
            "memory" => "(none)",
            "allocsize" => ["(0)", "(3)", "(9)"][random.below(3)],
            "addrspace" => "(0)",
            "vscale_range" => "(1, 2)",
            _ => "",
        };
        return format!("{word}{behind}");
    }
}

/// A function with something in it that is probably wrong: a type, an operand, a label, an operation of another kind, a line
/// that is gone, or is there twice, or stands elsewhere; a keyword that may stand somewhere, or metadata.
fn damaged(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let begin = lines.iter().position(|line| line == "entry:").unwrap_or(0) + 1;
    let mut at = begin + random.below(lines.len() - begin - 1);
    let kind = random.below(12);
    match kind {
        8 => {
            let behind = BEHIND[random.below(BEHIND.len())];
            if !lines[at].ends_with(':') {
                lines[at] += behind;
            }
            if random.below(2) == 0 {
                lines.push("!900 = !{}".to_string());
            }
        }
        9.. => {
            // Of the function itself as often as of an instruction.
            if kind == 9 {
                at = begin - 2;
            }
            let all = words(&lines[at]);
            let is_type = |word: &str| bits(word).is_some() || matches!(word, "double" | "float" | "ptr");
            let is_op = |k: usize| k >= 1 && all[k - 1].ends_with("= ");
            let place = random.below(4);
            let fits = |&k: &usize| match place {
                0 | 1 => is_type(all[k]),
                2 => is_op(k) || all[k] == "define",
                _ => all[k].starts_with(')'),
            };
            let found: Vec<usize> = (0..all.len()).filter(fits).collect();
            if found.is_empty() {
                return text.to_string();
            }
            let k = found[random.below(found.len())];
            let (head, tail) = (all[..k].concat(), all[k + 1..].concat());
            let (word, of) = (keyword(random), all[k]);
            // Behind it, or at a type sometimes before it.
            let line = match (place, of.strip_prefix(')')) {
                (1, _) => format!("{head}{word} {of}{tail}"),
                (_, Some(rest)) => format!("{head}) {word}{rest}{tail}"),
                _ => format!("{head}{of} {word}{tail}"),
            };
            lines[at] = line;
        }
        0 => _ = lines.remove(at),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = (at + 1).min(lines.len() - 2);
            lines.swap(at, other);
        }
        _ => {
            let names: Vec<String> =
                words(text).into_iter().filter(|w| w.starts_with('%')).map(str::to_string).collect();
            let mut all: Vec<String> = words(&lines[at]).into_iter().map(str::to_string).collect();
            let is = |word: &str| match kind {
                3 | 4 => word.starts_with('%'),
                5 => bits(word).is_some() || matches!(word, "double" | "float" | "ptr"),
                6 => word.parse::<i128>().is_ok() || matches!(word, "true" | "false"),
                _ => KINDS.iter().any(|kind| kind.contains(&word)),
            };
            let found: Vec<usize> = (0..all.len()).filter(|&k| is(&all[k])).collect();
            if found.is_empty() {
                return text.to_string();
            }
            let k = found[random.below(found.len())];
            all[k] = match kind {
                3 | 4 => names[random.below(names.len())].clone(),
                5 => random
                    .of(&["i1", "i8", "i16", "i32", "i64", "double", "float", "ptr", "void", "label"])
                    .to_string(),
                6 => random
                    .of(&[
                        "0",
                        "1",
                        "-1",
                        "255",
                        "-129",
                        "70000",
                        "4294967296",
                        "true",
                        "null",
                        "1.5",
                        "undef",
                    ])
                    .to_string(),
                _ => {
                    let kind = KINDS[random.below(8)];
                    random.of(kind).to_string()
                }
            };
            lines[at] = all.concat();
        }
    }
    lines.join("\n") + "\n"
}

/// Whether LLVM takes a text.
fn is_llvm(tool: &str, text: &str) -> bool {
    let mut child = Command::new(tool)
        .args(["-o", "/dev/null", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{tool}: {error}: tests/install.sh installs it"));
    let sent = child.stdin.take().is_some_and(|mut to| to.write_all(text.as_bytes()).is_ok());
    sent && child.wait().is_ok_and(|status| status.success())
}

/// The newest assembler of LLVM's.
fn assembler() -> String {
    let there = |name: &String| Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok();
    let mut tools = (15..=20).rev().map(|version| format!("llvm-as-{version}"));
    tools.find(there).unwrap_or_else(|| "llvm-as".to_string())
}

#[test]
fn what_llvm_refuses_is_refused_at_its_place() {
    let tool = assembler();
    let platform = Platform { pointer_bytes: 8, name: "aarch64", ..ANY };
    let bodies = invalid::BODIES
        .iter()
        .map(|&(body, line, message)| (format!("{}\n {body}\n ret void\n}}", invalid::HEAD), line, message));
    let texts = invalid::TEXTS.iter().map(|&(text, line, message)| (text.to_string(), line, message));
    let mut faults = String::new();
    for (text, line, message) in bodies.chain(texts) {
        if is_llvm(&tool, &text) {
            _ = writeln!(faults, "LLVM takes this:\n{text}");
        }
        match parse_for(&text, &platform) {
            Ok(_) => _ = writeln!(faults, "we take this:\n{text}"),
            Err(error) if error.line != line || !error.message.contains(message) => {
                _ = writeln!(faults, "{error}, not in line {line}: {message}\n{text}");
            }
            Err(_) => {}
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

#[test]
fn damaged_text_is_refused_where_llvm_refuses_it() {
    let tool = assembler();
    let (first, count) = (number("SYSYC_SEED", 1), number("SYSYC_FUZZ", 6) * TOGETHER as u64);
    let platform = Platform { pointer_bytes: 8, name: "aarch64", ..ANY };
    // Both take it, neither does, only LLVM does (and says what we do not), only we do.
    let mut counts = [0u64; 4];
    let mut wrong = Vec::new();
    for seed in first..first + count {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1);
        for _ in 0..8 {
            random.below(2);
        }
        let function = mutant(&mut random, 0);
        let text = whole(&[damaged(&mut random, &function)]);
        match (is_llvm(&tool, &text), parse_for(&text, &platform)) {
            (true, Ok(_)) => counts[0] += 1,
            (false, Err(_)) => counts[1] += 1,
            (true, Err(error)) => {
                counts[2] += 1;
                let said = error.to_string();
                if std::env::var_os("SYSYC_SHOW").is_some() {
                    println!("only LLVM: {said}");
                }
                if !["supported", "does not fit", "too large"].iter().any(|word| said.contains(word)) {
                    wrong.push(format!("seed {seed}: LLVM takes this, and we say {said}\n{text}"));
                }
            }
            (false, Ok(_)) => {
                counts[3] += 1;
                if std::env::var_os("SYSYC_SHOW").is_some() {
                    println!("only we, seed {seed}:\n{text}");
                }
            }
        }
    }
    println!("both {}, neither {}, only LLVM {}, only we {}", counts[0], counts[1], counts[2], counts[3]);
    assert_eq!(counts[3], 0, "texts are taken that LLVM does not take (SYSYC_SHOW=1 shows them)");
    let shown = wrong.len().min(number("SYSYC_SHOWN", 3) as usize);
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong[..shown].join("\n"));
}
