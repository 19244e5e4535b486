//! What passes have to say of one body: what they did, what they did not do and why. Kept only where an
//! option asks for them (`-Rpass`): a body that has no `Remarks` costs a test where something fires.

use super::place::NO_LOC;
use super::{Body, Place};

/// How many remarks before are compared with a new one.
const LOOK_BACK: usize = 32;

/// What a remark is about.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// Something was done.
    Done,
    /// Something was not done, and why.
    Missed,
    /// What was found out.
    Analysis,
}

/// Something that a pass has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is about.
    pub sort: Sort,
    /// The pass.
    pub pass: &'static str,
    /// Where in the source, or `NO_LOC`.
    pub offset: u32,
    /// One sentence without a full stop.
    pub text: String,
}

/// All that there is to say of a body.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// In the order in which it happened.
    pub rows: Vec<Remark>,
}

impl Body {
    /// True if remarks are asked for.
    #[inline]
    pub fn is_told(&self) -> bool {
        self.remarks.is_some()
    }

    /// Says something about a place; the text is only made if it is asked for.
    #[inline]
    pub fn tell(&mut self, (sort, pass): (Sort, &'static str), at: Place, text: impl FnOnce() -> String) {
        if self.remarks.is_some() {
            self.note(Remark { sort, pass, offset: self.places.offset(at), text: text() });
        }
    }

    #[cold]
    fn note(&mut self, remark: Remark) {
        let Some(remarks) = &mut self.remarks else { return };
        // Passes that run again say the same again; what comes from nowhere tells people nothing.
        let is_new = !remarks.rows.iter().rev().take(LOOK_BACK).any(|row| *row == remark);
        if remark.offset != NO_LOC && is_new {
            remarks.rows.push(remark);
        }
    }
}
