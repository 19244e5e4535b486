//! Random programs, run before and after passes.

use crate::analysis::TargetFacts;
use crate::analysis::random::Random;
use crate::ir::parse::parse;
use crate::ir::verify::check_values;
use crate::ir::{Module, Size, print};
use crate::opt::loops::unroll::UNROLL;
use crate::opt::loops::unroll_all::UNROLL_ALL;
use crate::opt::run::manager::function_passes;
use crate::opt::run::pass::FuncPass;
use crate::opt::run::pipeline::{FUNC_PASSES, Level, plan};
use crate::opt::run::testing::{apply_for, apply_sized, four_lanes, run, run_checked, sixteen_lanes};
use crate::opt::values::gvn::GVN_MEMORY;
use crate::opt::values::simplify::SIMPLIFY;
use std::fmt::Write;

const VARIABLES: usize = 6;

struct Generator {
    random: Random,
    text: String,
    /// Values made so far, to give new ones names.
    count: usize,
    /// What an operand may be in the block at hand.
    values: Vec<String>,
    truths: Vec<String>,
}

impl Generator {
    fn value(&mut self) -> String {
        const EDGES: [&str; 10] =
            ["0", "1", "-1", "2", "7", "8", "2147483647", "-2147483648", "100", "65536"];
        match self.random.below(4) {
            0 => EDGES[self.random.below(EDGES.len())].to_string(),
            _ if self.values.is_empty() => "3".to_string(),
            _ => self.values[self.random.below(self.values.len())].clone(),
        }
    }

    fn truth(&mut self) -> String {
        if self.truths.is_empty() || self.random.below(10) == 0 {
            return ["true", "false"][self.random.below(2)].to_string();
        }
        self.truths[self.random.below(self.truths.len())].clone()
    }

    fn define(&mut self, right: &str) -> String {
        let name = format!("%n{}", self.count);
        self.count += 1;
        let _ = writeln!(self.text, "  {name} = {right}");
        name
    }

    fn element(&mut self) -> String {
        let index = self.value();
        let index = self.define(&format!("and i32 {index}, 7"));
        let base = ["@g", "%array"][self.random.below(2)];
        self.define(&format!("getelementptr [8 x i32], ptr {base}, i32 0, i32 {index}"))
    }

    /// A question for a remainder, and quotients where it has been answered, of integers of both widths and of numbers at their ends.
    fn quotients(&mut self, a: &str) {
        const MASKS: [&str; 6] = ["1", "7", "6", "2147483647", "4611686018427387903", "9223372036854775807"];
        const BY: [&str; 9] =
            ["2", "22", "50", "8", "-11", "-1", "2147483647", "9223372036854775807", "-9223372036854775808"];
        let (ty, ends) = if self.random.below(2) == 0 { ("i32", 2) } else { ("i64", 0) };
        let mut x = a.to_string();
        if ty == "i64" {
            x = self.define(&format!("sext i32 {a} to i64"));
            let shift = [0, 1, 31, 32][self.random.below(4)];
            x = self.define(&format!("shl i64 {x}, {shift}"));
        } else {
            x = self.define(&format!("add i32 {x}, 0"));
        }
        let by = |g: &mut Generator| BY[g.random.below(BY.len() - ends)];
        let asked = match self.random.below(2) {
            0 => format!("and {ty} {x}, {}", MASKS[self.random.below(MASKS.len() - ends)]),
            // What is multiplied by these takes a product, for a pass of its own as behind a quotient.
            _ => format!("srem {ty} {x}, {}", BY[self.random.below(4)]),
        };
        let rest = self.define(&asked);
        let pred = ["eq", "ne", "sgt"][self.random.below(3)];
        let c = self.define(&format!("icmp {pred} {ty} {rest}, 0"));
        let k = self.count;
        let _ = writeln!(self.text, "  br i1 {c}, label %y{k}, label %z{k}");
        let mut phi = Vec::new();
        for label in ["y", "z"] {
            let _ = writeln!(self.text, "{label}{k}:");
            let divisor = by(self);
            let q = self.define(&format!("sdiv {ty} {x}, {divisor}"));
            phi.push(format!("[ {q}, %{label}{k} ]"));
            let _ = writeln!(self.text, "  br label %j{k}");
        }
        let _ = writeln!(self.text, "j{k}:");
        let mut v = self.define(&format!("phi {ty} {}", phi.join(", ")));
        if ty == "i64" {
            let shift = [0, 17, 32][self.random.below(3)];
            v = self.define(&format!("ashr i64 {v}, {shift}"));
            v = self.define(&format!("trunc i64 {v} to i32"));
        }
        self.values.push(v);
    }

    fn instruction(&mut self) {
        let (a, b) = (self.value(), self.value());
        let variable = self.random.below(VARIABLES);
        match self.random.below(17) {
            16 => self.quotients(&a),
            0..3 => {
                let v = self.define(&format!("load i32, ptr %v{variable}"));
                self.values.push(v);
            }
            3..5 => drop(writeln!(self.text, "  store i32 {a}, ptr %v{variable}")),
            5..9 => {
                let op = ["add", "sub", "mul", "and", "or", "xor", "add", "sub"][self.random.below(8)];
                let v = self.define(&format!("{op} i32 {a}, {b}"));
                self.values.push(v);
            }
            9 => {
                let op = ["shl", "lshr", "ashr"][self.random.below(3)];
                let v = self.define(&format!("{op} i32 {a}, {}", self.count % 32));
                self.values.push(v);
            }
            10 => {
                let op = ["sdiv", "srem"][self.random.below(2)];
                let by = if self.random.below(2) == 0 {
                    ["2", "3", "-4", "1", "-1", "16", "-2147483648"][self.random.below(7)].to_string()
                } else {
                    self.define(&format!("or i32 {b}, 1"))
                };
                let v = self.define(&format!("{op} i32 {a}, {by}"));
                self.values.push(v);
            }
            11 => {
                let pred = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "uge"][self.random.below(8)];
                let c = self.define(&format!("icmp {pred} i32 {a}, {b}"));
                let v = self.define(&format!("zext i1 {c} to i32"));
                self.truths.push(c);
                self.values.push(v);
            }
            12 => {
                let (c, d) = (self.truth(), self.truth());
                let op = ["and", "or", "xor"][self.random.below(3)];
                let c = self.define(&format!("{op} i1 {c}, {d}"));
                self.truths.push(c.clone());
                let v = self.define(&format!("select i1 {c}, i32 {a}, i32 {b}"));
                self.values.push(v);
            }
            13 => {
                let address = self.element();
                let v = self.define(&format!("load i32, ptr {address}"));
                self.values.push(v);
            }
            14 => {
                let address = self.element();
                let _ = writeln!(self.text, "  store i32 {a}, ptr {address}");
            }
            _ => match self.random.below(4) {
                0 => drop(writeln!(self.text, "  call void @putint(i32 {a})")),
                1 => drop(writeln!(self.text, "  call void @writes(i32 {a})")),
                2 => {
                    let v = self.define("call i32 @getint()");
                    self.values.push(v);
                }
                _ => {
                    let v = self.define(&format!("call i32 @reads(i32 {a})"));
                    self.values.push(v);
                }
            },
        }
    }
}

/// A program that ends: edges that go back count down.
fn program(seed: u32) -> Module {
    let mut g = Generator {
        random: Random::new(seed),
        text: String::new(),
        count: 0,
        values: Vec::new(),
        truths: Vec::new(),
    };
    g.text.push_str(
        "@g = global [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6]\n\
         declare void @putint(i32) memory(inaccessiblemem: readwrite)\ndeclare void @putch(i32) memory(inaccessiblemem: readwrite)\ndeclare i32 @getint() memory(inaccessiblemem: readwrite)\n\
         define void @writes(i32 %x) {\n  %p = getelementptr [8 x i32], ptr @g, i32 0, i32 2\n  \
         store i32 %x, ptr %p\n  ret void\n}\n\
         define i32 @reads(i32 %x) {\n  %p = getelementptr [8 x i32], ptr @g, i32 0, i32 2\n  \
         %y = load i32, ptr %p\n  %z = add i32 %x, %y\n  ret i32 %z\n}\n\
         define i32 @main() {\nentry:\n  %fuel = alloca i32\n  store i32 60, ptr %fuel\n  \
         %array = alloca [8 x i32]\n",
    );
    for k in 0..8 {
        let _ = writeln!(g.text, "  %e{k} = getelementptr [8 x i32], ptr %array, i32 0, i32 {k}");
        let _ = writeln!(g.text, "  store i32 {}, ptr %e{k}", k * k);
    }
    for k in 0..VARIABLES {
        let start = if k % 2 == 0 { g.define("call i32 @getint()") } else { k.to_string() };
        let _ = writeln!(g.text, "  %v{k} = alloca i32\n  store i32 {start}, ptr %v{k}");
    }
    let blocks = 2 + g.random.below(9);
    g.text.push_str("  br label %b0\n");
    let mut counters = String::new();
    for k in 0..blocks {
        let _ = writeln!(g.text, "b{k}:");
        g.values.clear();
        g.truths.clear();
        for _ in 0..g.random.below(9) {
            g.instruction();
        }
        let mut targets = [0; 2].map(|_| g.random.below(blocks));
        if g.random.below(3) != 0 {
            targets[0] = k + 1;
        }
        let labels: Vec<String> = (0..2)
            .map(|side| match targets[side] {
                to if to > k && to < blocks => format!("%b{to}"),
                to if to >= blocks => "%exit".to_string(),
                to => {
                    let (c, s) = (format!("c{k}_{side}"), side);
                    let _ = writeln!(
                        counters,
                        "{c}:\n  %f{k}_{s} = load i32, ptr %fuel\n  %g{k}_{s} = sub i32 %f{k}_{s}, 1\n  \
                         store i32 %g{k}_{s}, ptr %fuel\n  %h{k}_{s} = icmp sgt i32 %g{k}_{s}, 0\n  \
                         br i1 %h{k}_{s}, label %b{to}, label %exit"
                    );
                    format!("%{c}")
                }
            })
            .collect();
        let c = g.truth();
        let _ = match g.random.below(3) {
            0 => writeln!(g.text, "  br label {}", labels[0]),
            _ => writeln!(g.text, "  br i1 {c}, label {}, label {}", labels[0], labels[1]),
        };
    }
    g.text.push_str(&counters);
    g.text.push_str("exit:\n");
    g.values.clear();
    for k in 0..VARIABLES {
        let v = g.define(&format!("load i32, ptr %v{k}"));
        let _ = writeln!(g.text, "  call void @putint(i32 {v})\n  call void @putch(i32 32)");
    }
    let address = g.element();
    let v = g.define(&format!("load i32, ptr {address}"));
    let _ = writeln!(g.text, "  ret i32 {v}\n}}");
    parse(&g.text).unwrap_or_else(|error| panic!("{error}\n{}", g.text))
}

const INPUT: &str = "3 -5 2147483647 0 12 7 7 8 -2147483648 1 1 2 5 6 9 11 40 2 0 0 0 1";

/// Machines of all kinds, by seed, of which two in five have vectors.
fn machine(seed: u32) -> TargetFacts {
    let plain = match seed % 5 {
        0 => four_lanes(),
        1 => sixteen_lanes(),
        _ => TargetFacts::default(),
    };
    match seed % 4 {
        0 => plain,
        1 => TargetFacts {
            word: 64,
            mask: 11,
            wide_products: true,
            upper_products: true,
            compare_and_branch: true,
            branch_on_zero: true,
            registers: [26, 30],
            ..plain
        },
        k => TargetFacts {
            word: if k == 2 { 64 } else { 32 },
            shifted_sum: 31,
            shifted_difference: true,
            mask: 8,
            multiply_subtract: k == 2,
            branch_on_zero: k == 2,
            chooses: true,
            chooses_next: k == 2,
            chooses_sum: k != 2,
            scaled_int: true,
            scaled_float: k == 2,
            registers: if k == 2 { [28, 30] } else { [13, 30] },
            moving_int: 255,
            moving_waits: seed % 8 >= 4,
            mispredict: if seed % 16 >= 8 { 9 } else { 0 },
            moving_float: if k == 2 { 255 } else { 4 },
            offsets_int: if k == 2 { [-256, 16380] } else { [-4095, 4095] },
            offsets_float: if k == 2 { [-256, 16380] } else { [-1020, 1020] },
            ..plain
        },
    }
}

fn check(seed: u32, passes: &[&'static FuncPass], original: &Module, want: &(String, i32)) {
    let mut module = original.clone();
    let size = [Size::Any, Size::Any, Size::Small][seed as usize % 3];
    apply_sized(size, machine(seed), passes, &mut module);
    let have = run(&module, INPUT);
    if have.as_ref() != Some(want) {
        let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
        let (before, after) = (print::module(original), print::module(&module));
        panic!("seed {seed}, {names:?}: {have:?}, not {want:?}\n{before}\nbecame\n{after}");
    }
}

#[test]
fn passes_do_not_change_what_random_programs_do() {
    let pipelines = [Level::O1, Level::O2, Level::O3]
        .map(|level| -> Vec<&'static FuncPass> { function_passes(plan(level)).collect() });
    let mut ended = 0;
    for seed in 0..400 {
        let original = program(seed);
        // The other machine has to agree, so that no error of one of them is on both sides.
        let Some(want) = run_checked(&original, INPUT) else { continue };
        ended += 1;
        check(seed, &[], &original, &want);
        for pass in FUNC_PASSES {
            check(seed, &[pass], &original, &want);
        }
        pipelines.iter().for_each(|pipeline| check(seed, pipeline, &original, &want));
        // Any order must be right, if not as good.
        let mut random = Random::new(seed);
        let shuffled: Vec<&'static FuncPass> =
            (0..12).map(|_| FUNC_PASSES[random.below(FUNC_PASSES.len())]).collect();
        check(seed, &shuffled, &original, &want);
    }
    assert!(ended > 380, "{ended}");
}

#[test]
fn the_pipeline_comes_to_rest() {
    let copies = [UNROLL.name, UNROLL_ALL.name];
    for seed in 0..200 {
        let mut module = program(seed);
        for pass in FUNC_PASSES {
            apply_for(machine(seed), &[pass], &mut module);
            for f in module.bodies.as_slice().iter().flatten().filter(|_| pass.name == SIMPLIFY.name) {
                assert_eq!(check_values(f), Ok(()), "seed {seed}");
            }
            // A store that goes may have been all that a loop wrote.
            let rounds = if pass.name == GVN_MEMORY.name { 4 } else { 0 };
            for _ in 0..rounds {
                apply_for(machine(seed), &[pass], &mut module);
            }
            let before = print::module(&module);
            // What is left of the rounds of an unrolled loop is a loop, and there is room for copies again.
            if apply_for(machine(seed), &[pass], &mut module) && !copies.contains(&pass.name) {
                panic!("seed {seed}, {}:\n{before}\nbecame\n{}", pass.name, print::module(&module));
            }
        }
    }
}
