//! How handles print: as messages name what they are of.

use super::{Block, Val, Variable};
use crate::base::Handle;
use crate::ir::ValueKind;
use crate::ir::verify::VerifyError;
use std::fmt::{self, Write};

/// What the verifier says of a body, with the client's names.
pub(super) fn told(error: &VerifyError) -> String {
    let mut text = format!("rule `{}` is broken", error.rule.row().name);
    if let Some(block) = error.block {
        _ = write!(text, ", block b{}", block.index());
    }
    for (what, i) in [(", at", error.inst), (", of", error.operand)] {
        if let Some(i) = i {
            _ = write!(text, "{what} v{}", i.index());
        }
    }
    // The tables call it after its row.
    let said = match error.operand {
        Some(i) => error.message.replace(&format!(" {i:?} "), &format!(" v{} ", i.index())),
        None => error.message.clone(),
    };
    text + ": " + &said
}

impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value.kind() {
            ValueKind::Inst(i) => write!(f, "v{}", i.index()),
            ValueKind::Global(global) => write!(f, "datum {}", global.index()),
            _ => f.write_str("a constant"),
        }
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b{}", self.block.index())
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "variable {}", self.variable)
    }
}

impl fmt::Debug for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
