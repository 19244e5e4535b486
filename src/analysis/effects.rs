//! What calling a function can do: read memory, write memory, talk to the outside.
//!
//! A declared function does what its declaration says. A defined function does what its instructions do, stores to its
//! own allocas aside, and what the functions that it calls do: summaries
//! flow up the call graph, by a worklist over callers, each at most as often as it grows. O(instructions + calls).

use crate::base::{Column, Rows, Worklist};
use crate::ir::opcode::PURE;
use crate::ir::{Body, Effect, Env, FuncId, Linkage, Module, Op, Value};

/// The effects of all functions of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Per function.
    pub of: Column<FuncId, Effect>,
}

impl Effects {
    /// Recomputes for a program, keeping the memory.
    pub fn compute(&mut self, module: &Module) {
        self.begin(&module.env);
        self.add(&module.env, module.bodies.iter().map(own));
    }

    /// Begins with what functions do that are declared only, keeping the memory.
    pub fn begin(&mut self, env: &Env) {
        self.of.clear();
        for func in env.funcs.keys() {
            self.of.push(declared(env, func));
        }
    }

    /// Adds functions. What they call is among them, or has been added before: a SysY function calls what stands above it and
    /// itself. O(functions of the program + calls).
    pub fn add(&mut self, env: &Env, functions: impl Iterator<Item = Own>) {
        let mut calls: Vec<(FuncId, FuncId)> = Vec::new();
        let mut work: Worklist<FuncId> = Worklist::new(env.funcs.len());
        for own in functions {
            let known = own.calls.iter().map(|&callee| self.of[callee]);
            self.of[own.func] = known.fold(self.of[own.func].with(own.effect), Effect::with);
            calls.extend(own.calls.iter().map(|&callee| (callee, own.func)));
            work.push(own.func);
        }
        let mut callers: Rows<FuncId, FuncId> = Rows::default();
        callers.fill(env.funcs.len(), &calls);
        while let Some(func) = work.pop() {
            for &caller in callers.get(func) {
                let effect = self.of[caller].with(self.of[func]);
                if effect != self.of[caller] {
                    self.of[caller] = effect;
                    work.push(caller);
                }
            }
        }
    }

    /// True if a call may change what a load yields.
    #[inline]
    pub fn may_write(&self, func: FuncId) -> bool {
        self.of.get(func).is_none_or(|effect| effect.has(Effect::WRITES))
    }

    /// True if a call whose result nobody needs may go.
    #[inline]
    pub fn is_removable(&self, func: FuncId) -> bool {
        self.of.get(func).is_some_and(|effect| !effect.has(Effect::WRITES) && !effect.has(Effect::OUTSIDE))
    }
}

fn declared(env: &Env, func: FuncId) -> Effect {
    let row = &env.funcs[func];
    match row.linkage {
        Linkage::Declared => row.effect,
        Linkage::Weak => Effect::ALL, // another definition may take its place
        Linkage::External | Linkage::Internal => Effect::NONE,
    }
}

/// What a function does itself, and whom it calls.
#[derive(Clone, Debug)]
pub struct Own {
    func: FuncId,
    effect: Effect,
    /// Each function once.
    calls: Vec<FuncId>,
}

/// Reads a body. Loops and recursion are taken to end, but a body that never returns may not be dropped. O(instructions).
pub fn own(f: &Body) -> Own {
    let (mut effect, mut calls, mut returns) = (Effect::NONE, Vec::new(), false);
    // Most instructions compute something, and most of the others only do again what is known already. Rows of what has been
    // removed stay, without a block.
    for i in f.insts_from(0).filter(|&i| !f.op(i).has(PURE) && f.block_of(i).is_some()) {
        match f.op(i) {
            Op::Load if !effect.has(Effect::READS) && !is_own(f, f.arg(i, 0)) => {
                effect = effect.with(Effect::READS);
            }
            Op::Store if !effect.has(Effect::WRITES) && !is_own(f, f.arg(i, 1)) => {
                effect = effect.with(Effect::WRITES);
            }
            Op::MemInit if !is_own(f, f.arg(i, 0)) => effect = effect.with(Effect::WRITES),
            Op::Call => calls.push(f.callee(i)),
            Op::Ret => returns = true,
            _ => {}
        }
    }
    if !returns {
        effect = effect.with(Effect::OUTSIDE);
    }
    calls.sort_unstable();
    calls.dedup();
    Own { func: f.func, effect, calls }
}

/// True for an address in one of the body's own allocas, as far as a few steps show.
fn is_own(f: &Body, address: Value) -> bool {
    let mut at = address;
    for _ in 0..8 {
        match at.as_inst().map(|i| (i, f.op(i))) {
            Some((_, Op::Alloca)) => return true,
            Some((i, Op::ElemAddr)) => at = f.arg(i, 0),
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    #[test]
    fn effects_flow_up_the_call_graph_and_own_memory_is_nobody_elses() {
        let module = parse(
            "@g = global i32 0
             declare void @putint(i32) memory(inaccessiblemem: readwrite)
             declare void @unknown()
             declare void @putarray(i32, ptr)
             define i32 @pure(i32 %x) {
               %a = alloca [2 x i32]
               %p = getelementptr [2 x i32], ptr %a, i32 0, i32 %x
               store i32 %x, ptr %p
               %v = load i32, ptr %p
               ret i32 %v
             }
             define i32 @reads(i32 %x) {
               %v = load i32, ptr @g
               %w = call i32 @pure(i32 %v)
               ret i32 %w
             }
             define i32 @even(i32 %x) {
               %v = call i32 @odd(i32 %x)
               ret i32 %v
             }
             define i32 @odd(i32 %x) {
               store i32 %x, ptr @g
               %v = call i32 @even(i32 %x)
               %w = call i32 @reads(i32 %x)
               ret i32 %w
             }
             define void @prints(ptr %p) {
               call void @putint(i32 3)
               ret void
             }
             define void @anything() {
               call void @unknown()
               ret void
             }
             define void @forever() {
             entry:
               br label %loop
             loop:
               br label %loop
             }",
        )
        .unwrap();
        let mut effects = Effects::default();
        effects.compute(&module);
        let of = |name: &str| {
            let name = module.env.names.find(name);
            let func = module.env.funcs.iter().find(|(_, func)| Some(func.name) == name).unwrap().0;
            effects.of[func]
        };
        assert_eq!((of("pure"), of("reads")), (Effect::NONE, Effect::READS));
        let both = Effect::READS.with(Effect::WRITES);
        assert_eq!((of("odd"), of("even")), (both, both));
        assert_eq!((of("prints"), of("forever")), (Effect::OUTSIDE, Effect::OUTSIDE));
        // A foreign function may have any name.
        assert_eq!([of("anything"), of("putarray")], [Effect::ALL; 2]);
    }
}
