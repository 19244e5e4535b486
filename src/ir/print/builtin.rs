//! LLVM's instructions that are calls of what stands for them. An exchange yields a pair there, whose first part is taken
//! out of it at once: what it is compared with stands where it is asked for.

use super::Printer;
use crate::ir::assembly::Assembly;
use crate::ir::builtin::Clause;
use crate::ir::{Builtin, Env, Func, Inst, Op, Type, Value};
use std::fmt::Write;

/// What stands behind the name of what an exchange yields as a pair.
pub(in crate::ir) const PAIR: &str = ".pair";

/// What a definition says of exceptions.
pub(super) fn unwinding(out: &mut String, env: &Env, func: Option<&Func>) {
    if env.unwinds {
        out.push_str(" uwtable");
    }
    if let Some(routine) = func.and_then(|func| env.funcs.get(func.personality.get()?)) {
        out.push_str(" personality ptr @");
        super::name(out, super::called(env, routine));
    }
}

impl Printer<'_> {
    /// The call that a branch, or what it asks, is a part of; none of other instructions.
    fn invoked(&self, i: Inst) -> Option<Inst> {
        let (f, env) = (self.f, self.env);
        let builtin = |i: Inst| env.funcs.get(f.callee(i)).and_then(|func| func.builtin);
        let is_question = |i: Inst| f.op(i) == Op::Call && builtin(i) == Some(Builtin::Unwinds);
        let question = if f.op(i) == Op::CondBr { f.arg(i, 0).as_inst()? } else { i };
        let branch = f.next(question).filter(|&next| f.op(next) == Op::CondBr && is_question(question))?;
        let call = f.prev(question).filter(|&call| f.op(call) == Op::Call && builtin(call).is_none());
        call.filter(|_| f.arg(branch, 0) == Value::inst(question))
    }

    /// True for what the text of a call says, too.
    pub(super) fn is_in_invoke(&self, i: Inst) -> bool {
        self.env.unwinds && matches!(self.f.op(i), Op::Call | Op::CondBr) && self.invoked(i).is_some()
    }

    /// The branch behind a call that may be left by an exception.
    pub(super) fn branch_of(&self, call: Inst) -> Option<Inst> {
        let question = self.f.next(call)?;
        let is_own = self.is_in_invoke(question) && self.invoked(question) == Some(call);
        self.f.next(question).filter(|_| is_own)
    }

    /// Where a call goes that may be left by an exception.
    pub(super) fn ways(&self, out: &mut String, branch: Inst) {
        let (pad, on) = self.f.ways(branch);
        for (word, e) in [(" to ", on), (" unwind ", pad)] {
            out.push_str(word);
            self.label(out, self.f.edge_to(e));
        }
    }

    /// What a landing pad catches.
    fn clauses(&self, out: &mut String, args: &[Value]) {
        let mut clauses = args.iter().filter_map(|&v| Some((v, Clause::of(self.f, v)?)));
        while let Some((v, clause)) = clauses.next() {
            match clause {
                Clause::Cleanup => out.push_str(" cleanup"),
                Clause::All => out.push_str(" catch ptr null"),
                Clause::Type(_) => {
                    out.push_str(" catch ");
                    self.typed(out, v);
                }
                Clause::Filter(count) => {
                    _ = write!(out, " filter [{count} x ptr] [");
                    for (k, (v, clause)) in clauses.by_ref().take(count as usize).enumerate() {
                        out.push_str(if k == 0 { "" } else { ", " });
                        match clause {
                            Clause::Type(_) => self.typed(out, v),
                            _ => out.push_str("ptr null"),
                        }
                    }
                    out.push(']');
                }
            }
        }
    }

    /// Inline assembly.
    fn assembly(&self, out: &mut String, i: Inst) {
        let (f, env) = (self.f, self.env);
        let Some(of) = Assembly::of(env.names.text(env.funcs[f.callee(i)].name)) else { return };
        _ = write!(out, "call {} asm {}\"", f.ty(i).name(), if of.is_volatile { "sideeffect " } else { "" });
        super::bytes(out, of.template.bytes());
        out.push_str("\", \"");
        super::bytes(out, of.constraints.bytes());
        out.push_str("\"(");
        for (k, &v) in f.args(i).iter().enumerate() {
            out.push_str(if k == 0 { "" } else { ", " });
            match of.elements.get(k).copied().flatten() {
                Some(element) => {
                    _ = write!(out, "ptr elementtype({}) ", element.name());
                    self.value(out, v);
                }
                None => self.typed(out, v),
            }
        }
        out.push(')');
    }

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
            Builtin::StackSave | Builtin::StackRestore | Builtin::ThreadAddress | Builtin::TypeId => {}
            Builtin::Barrier => {
                let constraints = if args.is_empty() { "~{memory}" } else { "r,~{memory}" };
                _ = write!(out, "call void asm sideeffect \"\", \"{constraints}\"(");
                self.typed_list(out, args);
                out.push(')');
            }
            Builtin::Assembly => self.assembly(out, i),
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
            // The branch is part of the call (`invoke`); one behind no call does not branch.
            Builtin::Unwinds => out.push_str("freeze i1 false"),
            Builtin::LandingPad => {
                out.push_str("landingpad { ptr, i32 }");
                self.clauses(out, args);
                out.push_str("\n  ");
                self.local(out, i);
                out.push_str(" = extractvalue { ptr, i32 } ");
                self.local_and(out, i, PAIR);
                out.push_str(", 0");
            }
            Builtin::Selector => {
                out.push_str("extractvalue { ptr, i32 } ");
                f.prev(i).into_iter().for_each(|pad| self.local_and(out, pad, PAIR));
                out.push_str(", 1");
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
