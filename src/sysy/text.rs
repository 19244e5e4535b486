//! Programs in LLVM text: the functions are there as soon as the text is read, and the reader has verified them.

use super::start::Begun;
use crate::base::crash::enter;
use crate::base::parallel::Workers;
use crate::ir::Module;
use crate::ir::parse::{ParseError, Platform, parse_with};
use crate::opt::manager::Unit;
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

/// A program in LLVM text for a platform.
pub fn begin(file: &SourceFile, platform: &Platform, names: bool, workers: &Workers) -> Begun<'static> {
    enter("parse", None);
    let parsed = match std::str::from_utf8(&file.text) {
        Ok(text) => {
            let read = parse_with(text, platform, names, workers);
            let error = |error: ParseError| (error.offset as usize, error.message);
            read.map_err(|errors| errors.into_iter().map(error).collect())
        }
        Err(error) => Err(vec![(error.valid_up_to(), "this is no UTF-8".to_string())]),
    };
    let mut diags = Diagnostics::default();
    let module = parsed.unwrap_or_else(|errors: Vec<(usize, String)>| {
        for (offset, message) in errors {
            diags.push(Diagnostic::error("ir", Span::new(offset, offset), message));
        }
        Module::default()
    });
    let units = module.bodies.into_vec().into_iter().flatten().map(Unit::of).collect();
    Begun { start: None, env: module.env, units, diags }
}
