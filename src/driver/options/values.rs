//! The names that values of options can have, from the tables that have them: targets, cores, passes, groups of warnings, codes. O(names).

use super::table::CHECKS;
use crate::backend::code;
use crate::isa::TARGETS;
use crate::opt;
use crate::sema::explain::EXPLANATIONS;
use crate::sema::warning::GROUPS;

pub(super) fn check_names() -> Vec<&'static str> {
    CHECKS.iter().map(|row| row.0).filter(|&name| name != "all").collect()
}

pub(super) fn switch_names() -> Vec<&'static str> {
    opt::SWITCHES.iter().map(|switch| switch.name).collect()
}

/// What may stand behind `-Rpass=`: each name once.
pub(super) fn teller_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Vec::new();
    for name in opt::TELLERS.iter().flat_map(|teller| teller.names()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn target_names() -> Vec<&'static str> {
    TARGETS.iter().map(|target| target.name).collect()
}

pub(super) fn machine_names() -> Vec<&'static str> {
    TARGETS.iter().flat_map(|target| target.bases).map(|row| row.0).collect()
}

pub(super) fn abi_names() -> Vec<&'static str> {
    TARGETS.iter().flat_map(|target| target.abis.iter().copied()).collect()
}

/// The codes of diagnostics.
pub(super) fn codes() -> Vec<&'static str> {
    EXPLANATIONS.iter().map(|row| row.code).collect()
}

pub(super) fn core_names() -> Vec<&'static str> {
    let models = TARGETS.iter().flat_map(|target| target.models);
    let mut names: Vec<&str> = models.flat_map(|model| model.names.iter().map(|row| row.0)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The names of all passes, of machine code's too.
pub(super) fn pass_names() -> impl Iterator<Item = &'static str> {
    opt::passes().map(|row| row.0).chain(code::passes().map(|pass| pass.name))
}

pub(super) fn passes_and_all() -> Vec<&'static str> {
    pass_names().chain(["all"]).collect()
}

/// What may stand behind `-W`, but for `no-` and `error=`.
pub(super) fn warning_words() -> Vec<&'static str> {
    GROUPS.iter().map(|group| group.name).chain(["all", "extra", "pedantic", "everything", "error"]).collect()
}
