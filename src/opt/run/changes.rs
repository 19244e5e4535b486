//! What passes have changed of a body: the instructions that a rule might see with other eyes since the body
//! was last brought into canonical form.
//!
//! A rule sees an instruction, its operands, which values their operands are, and whether its operands have
//! other uses. A pass that replaces values by others lists what it changes here and says so
//! (`Outcome::listed`); after a pass that says nothing, everything counts as changed. On 10,000 generated
//! lines, the second run of `simplify` looks at 1 instruction in 14. To list too much costs time only.

use crate::base::{Column, Handle};
use crate::ir::{Body, Inst, Value};

/// The list, as a column.
#[derive(Debug, Default)]
pub struct Changes {
    /// Per instruction: it has changed. Those that are newer than the column count as changed.
    touched: Column<Inst, bool>,
    /// Since `restart`, all changes have been listed.
    complete: bool,
}

impl Changes {
    /// The body has changed in ways that were not listed, or is another one.
    pub fn forget(&mut self) {
        self.complete = false;
    }

    /// The body is in canonical form, but for what is listed from now on.
    pub fn restart(&mut self, f: &Body) {
        self.touched.reset(f.inst_count(), false);
        self.complete = true;
    }

    /// True if the body is in canonical form, but for what is listed.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Per instruction, those without a row aside: it is listed. None if anything may have changed.
    pub fn listed(&self) -> Option<&[bool]> {
        self.complete.then_some(self.touched.as_slice())
    }

    /// Lists all that has been made since the list was last as long as the body.
    pub fn list_new(&mut self, f: &Body) {
        self.touched.grow_to(f.inst_count(), true);
    }

    /// What has been made since the list was last as long as the body is in canonical form.
    pub fn settle(&mut self, f: &Body) {
        self.touched.grow_to(f.inst_count(), false);
    }

    fn touch(&mut self, i: Inst) {
        if let Some(touched) = self.touched.as_mut_slice().get_mut(i.index()) {
            *touched = true;
        }
    }

    /// Lists that `v` will lose a use, after which another instruction may be its only user.
    pub fn loses_use(&mut self, f: &Body, v: Value) {
        let Some(operand) = v.as_inst() else { return };
        self.touch(operand);
        // The user that it loses, perhaps twice, and the other one.
        for u in f.uses(operand).take(3) {
            self.touch(u.user);
        }
    }

    /// Lists that another value will take the place of `i` in its users: they change, and their users see it.
    pub fn replaced_in_users(&mut self, f: &Body, i: Inst) {
        for u in f.uses(i) {
            self.touch(u.user);
            for user in f.uses(u.user) {
                self.touch(user.user);
            }
        }
    }

    /// Replaces an instruction by a value, and lists what that changes.
    pub fn replace(&mut self, f: &mut Body, i: Inst, v: Value) {
        if self.complete {
            self.replaced_in_users(f, i);
            for &operand in f.args(i) {
                self.loses_use(f, operand);
            }
        }
        f.replace(i, v);
    }
}
