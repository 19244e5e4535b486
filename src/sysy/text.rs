//! Programs in LLVM text: the bodies of a window are read, and verified, when the plan comes to it, so that no more of them
//! stand in memory as IR. An error in one body keeps code of the others from being anything: then the rest is read for its
//! errors.

use super::artefacts::Artefacts;
use super::start::{Begun, Bodies};
use crate::base::crash::enter;
use crate::base::parallel::Workers;
use crate::base::{Column, trace};
use crate::ir::parse::{ParseError, Platform, Reader};
use crate::ir::{Env, FuncId};
use crate::opt::run::manager::Unit;
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

/// So many bytes of text say what one of SysY does (clang's at -O0 has 42 an instruction): sizes of functions go by that.
const BYTES: usize = 8;

/// So many functions are read at a time when it is only for their errors.
const AT_ONCE: usize = 256;

/// A text of which bodies are still to be read.
struct Text<'a> {
    /// Nothing when all have been.
    reader: Option<Reader<'a>>,
    errors: Vec<ParseError>,
}

/// A program in LLVM text for a platform; with what is said of variables, where debuggers are told.
pub fn begin<'a>(file: &'a SourceFile, platform: &Platform, names: bool, variables: bool) -> Begun<'a> {
    enter("parse", None);
    let mut begun = Begun::default();
    match std::str::from_utf8(&file.text) {
        Ok(text) => match Reader::begin(text, platform, names) {
            Ok((mut reader, env)) => {
                if variables {
                    reader.tell_variables();
                }
                let units = reader.functions().map(|(func, bytes)| Unit::new(func, bytes / BYTES + 1));
                (begun.units, begun.env) = (units.collect(), env);
                begun.text = Some(Box::new(Text { reader: Some(reader), errors: Vec::new() }));
            }
            Err(errors) => tell(errors, &mut begun.diags),
        },
        Err(error) => {
            let at = Span::new(error.valid_up_to(), error.valid_up_to());
            begun.diags.push(Diagnostic::error("ir", at, "this is no UTF-8".to_string()));
        }
    }
    trace::switch("", None);
    begun
}

fn tell(errors: Vec<ParseError>, diags: &mut Diagnostics) {
    for ParseError { offset, message, .. } in errors {
        diags.push(Diagnostic::error("ir", Span::new(offset as usize, offset as usize), message));
    }
}

impl Bodies for Text<'_> {
    fn order(&self, env: &Env, units: &mut [Unit<Artefacts>], workers: &Workers) {
        let Some(reader) = &self.reader else { return };
        enter("parse", None);
        let mut place: Column<FuncId, (u32, u32)> = Column::filled(env.funcs.len(), (0, 0));
        for (k, (func, rank)) in (0..).zip(reader.components(env, workers)) {
            place[func] = (k, rank);
        }
        units.iter_mut().for_each(|unit| unit.f.rank = place[unit.f.func].1);
        units.sort_by_key(|unit| place[unit.f.func].0);
        trace::switch("", None);
    }

    fn fill(&mut self, env: &mut Env, units: &mut [Unit<Artefacts>], workers: &Workers) {
        let Some(reader) = &mut self.reader else { return };
        enter("parse", None);
        let funcs: Vec<FuncId> = units.iter().map(|unit| unit.f.func).collect();
        match reader.read(env, &funcs, workers) {
            Ok(bodies) => {
                for (unit, body) in units.iter_mut().zip(bodies) {
                    unit.f.body = Some(Box::new(body));
                }
            }
            Err(errors) => {
                self.errors = errors;
                for funcs in reader.rest().chunks(AT_ONCE) {
                    self.errors.extend(reader.read(env, funcs, workers).err().into_iter().flatten());
                }
            }
        }
        if reader.is_done() {
            self.reader = None;
        }
        trace::switch("", None);
    }

    fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    fn finish(&mut self, diags: &mut Diagnostics) {
        self.errors.sort_by_key(|error| error.offset);
        tell(std::mem::take(&mut self.errors), diags);
    }
}
