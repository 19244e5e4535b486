//! How arguments and results of several parts travel, as attributes of parameters and arguments that LLVM takes and passes over:
//! `"results"="i64 0 double 8"` of what leads to the parts of the result, `"varargs"` of what leads to variadic arguments, and
//! `"parts"="2 16"` of the first of so many that are one, aligned so, and behind it `vector` where that is in a register
//! of vectors. The reader takes them back.

use crate::ir::Func;
use std::fmt::Write;

/// Appends what is said of parameter or argument `k`, the address of a call by address not counted.
pub(super) fn mark(out: &mut String, func: &Func, k: usize) {
    let Some(parts) = func.parts.as_deref() else {
        if k == 0 && func.returns_by {
            out.push_str(" sret(i8)");
        }
        return;
    };
    let has_results = !parts.results.is_empty();
    if has_results && k == 0 {
        let all: Vec<String> = parts
            .results
            .iter()
            .map(|(ty, at)| format!("{} {at}", if ty.is_vector() { ty.code() } else { ty.name() }))
            .collect();
        _ = write!(out, " \"results\"=\"{}\"", all.join(" "));
    }
    if parts.varargs && k == usize::from(has_results) {
        out.push_str(" \"varargs\"");
    }
    if func.returns_by && k == parts.hidden() {
        out.push_str(" sret(i8)");
    }
    if let Some(group) = parts.groups.iter().find(|group| group.first as usize == k) {
        let register = if group.is_vector { " vector" } else { "" };
        _ = write!(out, " \"parts\"=\"{} {}{register}\"", group.count, group.align);
    }
}
