//! Random C++ that throws: objects with destructors, handlers of several types in any order, thrown again, in loops that are left
//! and gone on with from handlers, over several functions with arguments in registers and on the stack. What we compile of
//! clang++'s text prints what clang++ makes of it for this machine.
//!
//! `SYSYC_FUZZ` is how many programs there are (6), `SYSYC_SEED` the number of the first. Cost: a program takes four seconds.

#![allow(clippy::panic, clippy::expect_used)]

use crate::cross::{TARGETS, run};
use crate::exceptions::link;
use crate::random::{Random, seeds};
use std::fmt::Write;
use std::process::Command;

const CLANG: &str = "clang++-19";

const HEAD: &str = r#"
extern "C" int printf(const char *, ...);
static unsigned gone;
struct Base { unsigned x; Base(unsigned x) : x(x) {} virtual ~Base() {} };
struct Left : Base { using Base::Base; };
struct Right : Base { double y; Right(unsigned x) : Base(x), y(x * 0.5) {} };
struct Guard {
    unsigned k;
    Guard(unsigned k) : k(k) {}
    Guard(const Guard &from) : k(from.k + 1) {}
    ~Guard() { gone = gone * 31 + k; }
};
__attribute__((noinline)) static unsigned raise(unsigned kind, unsigned x) {
    switch (kind % 9) {
    case 0: throw (int)x;
    case 1: throw x * 0.25;
    case 2: throw Left(x);
    case 3: throw Right(x);
    case 4: throw (unsigned char)x;
    case 5: throw Guard(x);
    default: return x + kind;
    }
}
"#;

struct Writer {
    random: Random,
    text: String,
    names: usize,
    /// Functions that can be called: how many parameters each has.
    functions: Vec<usize>,
}

impl Writer {
    fn value(&mut self) -> String {
        let (x, y) = (
            self.random.pick(&["a", "b", "a", "gone", "7u", "13u"]),
            self.random.pick(&["b", "a", "3u", "5u"]),
        );
        format!("({x} {} {y})", self.random.pick(&["+", "*", "^", "-", "%"]).replace('%', "& 15u |"))
    }

    fn call(&mut self) -> String {
        if self.functions.is_empty() || self.random.below(3) == 0 {
            return format!("raise({}, {})", self.value(), self.value());
        }
        let k = self.random.below(self.functions.len());
        let mut args = vec![format!("Guard({})", self.value()), format!("{} * 0.5", self.value())];
        args.extend((0..self.functions[k]).map(|_| self.value()));
        format!("f{k}({})", args.join(", "))
    }

    fn statements(&mut self, depth: usize, in_loop: bool) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth, in_loop);
        }
    }

    fn statement(&mut self, depth: usize, in_loop: bool) {
        let kind = if depth == 0 { self.random.below(4) } else { self.random.below(8) };
        match kind {
            0 => {
                self.names += 1;
                let value = self.value();
                _ = writeln!(self.text, "Guard g{}({value});", self.names);
            }
            1 => {
                let value = self.value();
                _ = writeln!(self.text, "{} = {value}; d += a & 7u;", self.random.pick(&["a", "b"]));
            }
            2 | 3 => {
                let call = self.call();
                _ = writeln!(self.text, "a += {call};");
            }
            4 => {
                _ = write!(self.text, "for (int i = 0; i < {}; i++) {{ ", 1 + self.random.below(3));
                self.statements(depth - 1, true);
                self.text.push_str("}\n");
            }
            5 => {
                let value = self.value();
                _ = write!(self.text, "if ({value} & {}u) {{ ", 1 << self.random.below(3));
                self.statements(depth - 1, in_loop);
                self.text.push_str("}\n");
            }
            _ => self.attempt(depth, in_loop),
        }
    }

    fn attempt(&mut self, depth: usize, in_loop: bool) {
        self.text.push_str("try { ");
        self.statements(depth - 1, in_loop);
        let mut left = vec![
            "int &e",
            "double e",
            "Left &e",
            "Base &e",
            "unsigned char e",
            "const Guard &e",
            "Right e",
            "...",
        ];
        let count = 1 + self.random.below(4);
        for _ in 0..count {
            let what = left.swap_remove(self.random.below(left.len()));
            _ = write!(self.text, "}} catch ({what}) {{ ");
            let told = match what.split_whitespace().next() {
                Some("int" | "double" | "unsigned") => "e",
                Some("const") => "e.k",
                Some("...") => "1",
                _ => "e.x",
            };
            _ = write!(self.text, "b += {told}; ");
            if self.random.below(2) == 0 {
                self.statement(depth - 1, in_loop);
            }
            let ends = [
                "throw;",
                "throw a;",
                "return a + b;",
                "",
                "",
                "",
                if in_loop { "continue;" } else { "" },
                if in_loop { "break;" } else { "" },
            ];
            self.text.push_str(self.random.pick(&ends));
            if what == "..." {
                break;
            }
        }
        self.text.push_str("}\n");
    }
}

fn program(seed: u64) -> String {
    let mut w = Writer { random: Random::new(seed), text: HEAD.to_string(), names: 0, functions: Vec::new() };
    for k in 0..4 {
        let more = w.random.below(9);
        let params: String = (0..more).map(|k| format!(", unsigned p{k}")).collect();
        let word = w.random.pick(&["__attribute__((noinline)) ", ""]);
        _ = writeln!(
            w.text,
            "{word}static unsigned f{k}(Guard g, double d{params}) {{\nunsigned a = g.k, b = (unsigned)(long)d;"
        );
        for k in 0..more {
            _ = writeln!(w.text, "b = b * 3 + p{k};");
        }
        w.statements(3, false);
        w.statements(3, false);
        w.text.push_str("return a + b + (unsigned)(long)d;\n}\n");
        w.functions.push(more);
    }
    w.text.push_str("int main() {\nfor (unsigned a = 0, b = 1; a < 12; a++, b = b * 5 + 1) {\ntry { ");
    let call = w.call();
    _ = write!(
        w.text,
        "unsigned x = {call}; printf(\"%u \", x);
         }} catch (int e) {{ printf(\"int %d \", e); }} catch (double e) {{ printf(\"double %g \", e); }}
         catch (Right &e) {{ printf(\"Right %u %g \", e.x, e.y); }} catch (Base &e) {{ printf(\"Base %u \", e.x); }}
         catch (...) {{ printf(\"other \"); }}\nprintf(\"%u\\n\", gone);\n}}\nreturn 0;\n}}\n"
    );
    w.text
}

#[test]
fn random_programs_that_throw_do_what_clang_makes_of_them() {
    if Command::new(CLANG).arg("--version").output().is_err() {
        crate::support::say("NOT TESTED: exceptions: clang++-19 is missing, tests/install.sh installs it");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let folder = folder.path();
    let targets: Vec<_> = TARGETS.iter().filter_map(|cross| Some((cross, cross.cplusplus()?))).collect();
    let (mut lines, mut caught) = (0, 0);
    for seed in seeds(6) {
        std::fs::write(folder.join("x.cpp"), program(seed)).expect("a file can be written");
        let print = |target: &str, level: &str, more: &[&str], to: &str| {
            let mut clang = Command::new(CLANG);
            clang.args(["-w", "-std=c++20", "-fsigned-char", level, "-o", to, "x.cpp"]).args(more);
            if !target.is_empty() {
                clang.arg(format!("--target={target}"));
            }
            run(folder, &mut clang);
        };
        print("", "-O1", &[], "native");
        let output =
            |command: &mut Command| String::from_utf8_lossy(&run(folder, command).stdout).into_owned();
        let want = output(&mut Command::new(folder.join("native")));
        lines += want.lines().count();
        caught += want.lines().filter(|line| line.contains(char::is_alphabetic)).count();
        for (cross, library) in &targets {
            for (theirs, levels) in [("-O0", ["-O0", "-O2"]), ("-O2", ["-O1", "-O2"])] {
                print(cross.triple, theirs, &["-S", "-emit-llvm"], "x.ll");
                for ours in levels {
                    let mut command = Command::new(env!("CARGO_BIN_EXE_sysyc"));
                    command
                        .args([ours, "-fverify", "-c", "-o", "x.o", "x.ll"])
                        .arg(format!("--target={}", cross.name));
                    run(folder, &mut command);
                    link(folder, cross, library, ours == "-O2");
                    let have = output(Command::new(cross.qemu).arg("x"));
                    assert_eq!(
                        have,
                        want,
                        "SYSYC_SEED={seed} SYSYC_FUZZ=1: {}, clang {theirs}, {ours}\n{}",
                        cross.name,
                        program(seed)
                    );
                }
            }
        }
    }
    assert!(caught > lines / 8, "{caught} of {lines} lines are of what was caught");
}
