//! LLVM's instructions that are calls of what stands for them. An exchange yields a pair there, whose first part is taken
//! out of it at once: what it is compared with stands where it is asked for.

use super::Printer;
use crate::ir::{Builtin, Inst, Type};
use std::fmt::Write;

/// What stands behind the name of what an exchange yields as a pair.
pub(in crate::ir) const PAIR: &str = ".pair";

impl Printer<'_> {
    /// What stands behind the result's name.
    pub(super) fn builtin(&self, out: &mut String, i: Inst, builtin: Builtin) {
        let (f, args) = (self.f, self.f.args(i));
        let ty = f.ty(i).name();
        // Atomic accesses say how they are aligned.
        let align = |ty: Type| self.env.shapes.bytes_of(ty);
        match builtin {
            Builtin::StackAlloc(align) => {
                out.push_str("alloca i8, ");
                self.typed_list(out, args);
                _ = write!(out, ", align {align}");
            }
            Builtin::StackSave | Builtin::StackRestore | Builtin::ThreadAddress => {}
            Builtin::Barrier => {
                let constraints = if args.is_empty() { "~{memory}" } else { "r,~{memory}" };
                _ = write!(out, "call void asm sideeffect \"\", \"{constraints}\"(");
                self.typed_list(out, args);
                out.push(')');
            }
            Builtin::Fence(order) => _ = write!(out, "fence {}", order.name()),
            Builtin::AtomicLoad(order) => {
                _ = write!(out, "load atomic {ty}, ");
                self.typed_list(out, args);
                _ = write!(out, " {}, align {}", order.name(), align(f.ty(i)));
            }
            Builtin::AtomicStore(order) => {
                out.push_str("store atomic ");
                self.typed_list(out, args);
                let ty = args.first().map_or(Type::Void, |&v| f.type_of(v));
                _ = write!(out, " {}, align {}", order.name(), align(ty));
            }
            Builtin::AtomicUpdate(update, order) => {
                _ = write!(out, "atomicrmw {} ", update.name());
                self.typed_list(out, args);
                _ = write!(out, " {}", order.name());
            }
            Builtin::CompareExchange(order) => {
                out.push_str("cmpxchg ");
                self.typed_list(out, args);
                _ = write!(out, " {} {}\n  ", order.name(), order.of_failure().name());
                self.local(out, i);
                _ = write!(out, " = extractvalue {{ {ty}, i1 }} ");
                self.local_and(out, i, PAIR);
                out.push_str(", 0");
            }
        }
    }
}
