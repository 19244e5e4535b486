//! What a document of SARIF says of the rules in it: of a diagnostic what `sysyc explain` says, of a remark what its pass is for.

use super::options::help;
use crate::sema::explain::{Explanation, explain};
use crate::sema::warning::GROUPS;
use crate::source::sarif::Rule;

/// What is known of a code.
pub fn rule(code: &'static str) -> Option<Rule> {
    if let Some(Explanation { title, text, wrong, right, .. }) = explain(code) {
        let plain = format!("{text}\n\nReported:\n\n{wrong}\n\nRight:\n\n{right}\n");
        let marked = format!("{text}\n\nReported:\n\n```c\n{wrong}\n```\n\nRight:\n\n```c\n{right}\n```\n");
        let is_error = !GROUPS.iter().any(|group| group.name == code);
        return Some(Rule {
            short: (*title).to_string(),
            full: (*text).to_string(),
            help: [plain, marked],
            is_error,
        });
    }
    let (_, help) = help::passes().find(|row| row.0 == code)?;
    let text = format!("The pass '{code}': {help}.");
    Some(Rule { short: help.to_string(), full: text.clone(), help: [text.clone(), text], is_error: false })
}
