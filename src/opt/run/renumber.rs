//! Globals with other numbers, where a barrier has taken some out.

use crate::analysis::names::may_name;
use crate::base::{Column, Handle, Opt};
use crate::ir::{Body, GlobalId, Inst, Type, Value, ValueKind};

/// Per global of before: its number of now, if it is still there.
pub type Renumbering = Column<GlobalId, Opt<GlobalId>>;

/// Gives the globals in a body their new numbers. O(operands).
pub fn renumber(f: &mut Body, new: &Renumbering) {
    for (value, _) in &mut f.variables {
        if let ValueKind::Global(global) = value.kind() {
            *value = new[global].get().map_or(Value::undef(Type::Ptr), Value::global);
        }
    }
    if let Some(debug) = &mut f.debug_values {
        debug.replace(|v| match v.kind() {
            ValueKind::Global(global) => new[global].get().map_or(Value::undef(Type::Ptr), Value::global),
            _ => v,
        });
    }
    for k in 0..f.inst_count() {
        let i = Inst::new(k);
        if !may_name(f.op(i)) {
            continue;
        }
        for k in 0..f.args(i).len() {
            if let Some(global) = f.args(i)[k].as_global()
                && let Some(now) = new[global].get()
                && now != global
            {
                f.set_arg(i, k, Value::global(now));
            }
        }
    }
}
