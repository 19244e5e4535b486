//! What gcc and clang call passes, as rows: switches that turn them off (`-fno-unroll-loops`), and names under which their
//! remarks are asked for (`-Rpass=loop-unroll`). The frame reads neither; the command line does.
//!
//! A pass over loops has a switch, and one that says something has a row among those that do: tests read the sources for
//! both. Where neither compiler has a name, the switch is called as the pass is.

/// A switch: `-fNAME` and `-fno-NAME`.
#[derive(Debug)]
pub struct Switch {
    /// What stands behind `-f` and `-fno-`.
    pub name: &'static str,
    /// The passes, by name.
    pub passes: &'static [&'static str],
    /// What they do, for the help.
    pub help: &'static str,
}

/// All switches, in alphabetic order. `ivopts`, `tree-...` and their like are gcc's, `unroll-loops` is also clang's.
pub const SWITCHES: &[Switch] = &[
    Switch { name: "auto-inc-dec", passes: &["post_increment"], help: "post-increment addressing" },
    Switch {
        name: "idempotent-loops",
        passes: &["idempotent_loops"],
        help: "loops of which each iteration does the same",
    },
    Switch {
        name: "if-conversion",
        passes: &["if_convert"],
        help: "selects for branches around what is cheap",
    },
    Switch {
        name: "if-to-switch-conversion",
        passes: &["if_to_switch"],
        help: "tables, trees and bits for chains of comparisons of one integer",
    },
    Switch { name: "inline", passes: &["inline"], help: "bodies in the place of calls" },
    Switch { name: "ivopts", passes: &["strength"], help: "strength reduction of induction variables" },
    Switch { name: "loop-fusion", passes: &["loop_fusion"], help: "loops that follow each other as one" },
    Switch {
        name: "loop-interchange",
        passes: &["loop_interchange"],
        help: "loops of a nest that change places, for short strides",
    },
    Switch {
        name: "loop-unroll-and-jam",
        passes: &["unroll_and_jam"],
        help: "outer loops unrolled, inner ones fused",
    },
    Switch {
        name: "move-loop-invariants",
        passes: &["licm"],
        help: "what a loop does not change, in front of it",
    },
    Switch { name: "move-loop-stores", passes: &["promote"], help: "memory in a register over a loop" },
    Switch {
        name: "optimize-sibling-calls",
        passes: &["tail_calls", "sibling_calls"],
        help: "calls in front of returns as jumps, of the function itself as loops",
    },
    Switch { name: "peel-loops", passes: &["loop_peel"], help: "the first iteration in front of a loop" },
    Switch {
        name: "predictive-commoning",
        passes: &["loop_load_elim", "loop_load_pre"],
        help: "stored and loaded values kept for the next iteration",
    },
    Switch { name: "schedule-insns", passes: &["neighbours"], help: "accesses to neighbours side by side" },
    Switch { name: "slp-vectorize", passes: &["slp_vectorize"], help: "sums side by side in vectors" },
    Switch { name: "split-loops", passes: &["split_loops"], help: "a loop for each side of a condition" },
    Switch { name: "tree-ch", passes: &["rotate"], help: "loop headers copied: the test at the end" },
    Switch {
        name: "tree-loop-distribute-patterns",
        passes: &["memory_loops"],
        help: "loops as memset and memcpy",
    },
    Switch {
        name: "tree-loop-im",
        passes: &["licm", "promote"],
        help: "invariants, loads and stores out of loops",
    },
    Switch {
        name: "tree-reassoc",
        passes: &["reassociate", "common_sums", "balance_sums"],
        help: "sums and products in another order",
    },
    Switch { name: "tree-scev-cprop", passes: &["finish_loops"], help: "final values without the loop" },
    Switch {
        name: "tree-slp-vectorize",
        passes: &["slp_vectorize"],
        help: "sums side by side in vectors, gcc's name",
    },
    Switch {
        name: "tree-vectorize",
        passes: &["loop_vectorize", "slp_vectorize"],
        help: "loops in vectors, gcc's name",
    },
    Switch {
        name: "unroll-loops",
        passes: &["unroll", "unroll_all"],
        help: "several iterations for one test, or all",
    },
    Switch {
        name: "unswitch-loops",
        passes: &["split_loops"],
        help: "invariant conditions in front of a loop; the pass of split-loops",
    },
    Switch { name: "vectorize", passes: &["loop_vectorize"], help: "loops in vectors, clang's name" },
];

/// A pass that says what it does (`ir/remarks`).
#[derive(Debug)]
pub struct Teller {
    /// The pass.
    pub pass: &'static str,
    /// What clang calls passes that do this.
    pub clang: &'static [&'static str],
}

/// The passes that say what they do, and the allocator.
pub const TELLERS: &[Teller] = &[
    Teller { pass: "inline", clang: &[] },
    Teller { pass: "evaluate", clang: &[] },
    Teller { pass: "tail_calls", clang: &["tailcallelim"] },
    Teller { pass: "licm", clang: &[] },
    Teller { pass: "promote", clang: &["licm"] },
    Teller { pass: "loop_interchange", clang: &["loop-interchange"] },
    Teller { pass: "memory_loops", clang: &["loop-idiom"] },
    Teller { pass: "idempotent_loops", clang: &["loop-delete"] },
    Teller { pass: "finish_loops", clang: &["indvars", "loop-delete"] },
    Teller { pass: "split_loops", clang: &["loop-unswitch", "simple-loop-unswitch"] },
    Teller { pass: "loop_peel", clang: &["loop-unroll", "loop-peel"] },
    Teller { pass: "unroll_all", clang: &["loop-unroll", "loop-unroll-full"] },
    Teller { pass: "unroll", clang: &["loop-unroll"] },
    Teller { pass: "loop_fusion", clang: &[] },
    Teller { pass: "slp_vectorize", clang: &["slp-vectorizer"] },
    Teller { pass: "loop_vectorize", clang: &["loop-vectorize"] },
    Teller { pass: "unroll_and_jam", clang: &["loop-unroll-and-jam"] },
    Teller { pass: "allocate", clang: &["regalloc"] },
];

impl Teller {
    /// True if a part of one of its names is this.
    pub fn has(&self, part: &str) -> bool {
        self.names().any(|name| name.contains(part))
    }

    /// Its name, and clang's.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.pass].into_iter().chain(self.clang.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::pipeline::passes;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// The sources below a folder of the crate.
    fn sources(folder: &str) -> Vec<String> {
        let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
        let mut texts = Vec::new();
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if path.extension().is_some_and(|end| end == "rs") {
                texts.push(std::fs::read_to_string(PathBuf::from(&path)).unwrap());
            }
        }
        texts
    }

    /// What stands between quotation marks behind each of these words.
    fn quoted<'a>(texts: &'a [String], word: &'a str) -> BTreeSet<&'a str> {
        let all = texts.iter().flat_map(|text| text.split(word).skip(1));
        all.filter_map(|rest| rest.split('"').nth(1)).collect()
    }

    #[test]
    fn rows_name_passes_and_are_in_order() {
        let known: BTreeSet<&str> = passes().map(|row| row.0).collect();
        for row in SWITCHES {
            assert!(!row.passes.is_empty() && row.passes.iter().all(|name| known.contains(name)), "{row:?}");
        }
        assert!(SWITCHES.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn each_pass_over_loops_has_a_switch() {
        let texts = sources("src/opt/loops");
        let of_loops = quoted(&texts, ": FuncPass = FuncPass {");
        assert!(of_loops.contains("unroll") && of_loops.len() > 10, "{of_loops:?}");
        for name in of_loops.into_iter().filter(|name| passes().any(|row| row.0 == *name)) {
            let has = SWITCHES.iter().any(|row| row.passes.contains(&name));
            assert!(has, "'{name}' has no row in SWITCHES");
        }
    }

    #[test]
    fn each_pass_that_says_something_has_a_row() {
        let texts = [sources("src/opt"), sources("src/regalloc"), sources("src/backend")].concat();
        for sort in ["(Sort::Done,", "(Sort::Missed,", "(Sort::Analysis,", ".tell((sort,"] {
            for name in quoted(&texts, sort) {
                let has = TELLERS.iter().any(|row| row.pass == name) || !passes().any(|row| row.0 == name);
                assert!(has, "'{name}' has no row in TELLERS");
            }
        }
    }
}
