//! Calls in front of a return of their result as jumps: the function that is called returns to the caller's caller, and the
//! frame is gone by then. Marks them (`Flags::JUMP`); where the arguments take more of the stack than those of the function,
//! selection leaves them calls. A block that goes on to one that only returns gets a return of its own, if there is a call in
//! front (as LLVM's CodeGenPrepare does).
//!
//! Not where memory of the frame may be accessed by what is called: an address of a variable that is passed, stored, or
//! computed with in any other way than for an access may be known to any function, unless text says of the call that it is
//! not (`tail`). O(instructions + uses of variables), and a look at the opcodes where nothing is called.

use crate::ir::{Block, Body, Edge, Effect, Env, Flags, Func, Inst, Op, Place, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome};

/// The pass.
pub static SIBLING_CALLS: FuncPass = FuncPass {
    name: "sibling_calls",
    description: "make jumps of calls in front of returns",
    grows: false,
    needs: AnalysisSet::NONE,
    run,
};

#[inline(never)]
fn run(cx: &mut FuncCx) -> Outcome {
    let (env, f) = (cx.env, &mut *cx.f);
    let own = &env.funcs[f.func];
    if own.variadic || has_parts(own) {
        return Outcome::UNCHANGED;
    }
    // What returns twice comes back to the frame.
    let calls = f.ops().filter(|row| row.1 == Op::Call).map(|row| env.funcs[f.callee(row.0)].effect);
    if calls.reduce(Effect::with).is_none_or(|all| all.has(Effect::TWICE)) {
        return Outcome::UNCHANGED;
    }
    let (mut changed, mut escapes) = (false, None);
    let mut next = f.entry();
    while let Some(b) = next {
        next = f.next_block(b);
        let Some((call, v, last)) = found(env, f, b) else { continue };
        if !f.flags(call).has(Flags::TAIL) && *escapes.get_or_insert_with(|| frame_escapes(env, f)) {
            continue;
        }
        if let Some(last) = last {
            let place = f.terminator(last).map_or(Place::NONE, |i| f.place(i));
            f.set_ret(b, v, place);
            if f.preds(last).is_empty() {
                f.remove_blocks(&[last]);
                next = f.next_block(b);
            }
        }
        let flags = f.flags(call).with(Flags::JUMP);
        f.set_flags(call, flags);
        changed = true;
    }
    Outcome::changed_if(changed, AnalysisSet::NONE)
}

/// True if it has parameters of the caller's: where results go, or variadic arguments are.
fn has_parts(func: &Func) -> bool {
    func.parts.as_deref().is_some_and(|parts| parts.varargs || !parts.results.is_empty())
}

/// The call at the end of a block that is returned behind it, what is returned, and the block that does it if it is another
/// one.
fn found(env: &Env, f: &Body, b: Block) -> Option<(Inst, Option<Value>, Option<Block>)> {
    let end = f.terminator(b)?;
    let call = f.prev(end).filter(|&i| f.op(i) == Op::Call)?;
    let (v, last) = match f.op(end) {
        Op::Ret => (f.args(end).first().copied(), None),
        Op::Br => {
            let e = f.succs(b).next()?;
            (returned(f, e)?, Some(f.edge_to(e)))
        }
        _ => return None,
    };
    let callee = &env.funcs[f.callee(call)];
    let is_plain = callee.builtin.is_none() && !callee.variadic && !has_parts(callee);
    let stays = Flags::NO_TAIL.with(Flags::MUST_TAIL).with(Flags::JUMP);
    let may_go = is_plain && f.flags(call).both(stays) == Flags::NONE && f.use_count(call) <= 1;
    let is_result = v.is_none() || v == Some(Value::inst(call));
    (may_go && is_result).then_some((call, v, last))
}

/// What an edge to a block that does nothing else makes that return.
fn returned(f: &Body, e: Edge) -> Option<Option<Value>> {
    let last = f.edge_to(e);
    let end = f.terminator(last).filter(|&end| f.op(end) == Op::Ret)?;
    let at = f.phis(last).last().map_or(f.first(last), |phi| f.next(phi));
    let v = f.args(end).first().copied();
    let phi = v.and_then(|v| v.as_inst()).filter(|&i| f.op(i) == Op::Phi && f.block_of(i) == Some(last));
    (at == Some(end)).then_some(phi.map_or(v, |phi| Some(f.arg(phi, f.edge_slot(e)))))
}

/// True if an address of memory of the frame may be known elsewhere, or the frame has to stay.
fn frame_escapes(env: &Env, f: &Body) -> bool {
    let mut addresses: Vec<Inst> = Vec::new();
    for b in f.blocks() {
        if f.insts(b).any(|i| f.op(i) == Op::Call && env.funcs[f.callee(i)].keeps_frame()) {
            return true;
        }
        addresses.extend(f.insts(b).filter(|&i| f.op(i) == Op::Alloca));
    }
    while let Some(address) = addresses.pop() {
        let is_stored = |user: Inst| f.arg(user, 0) == Value::inst(address);
        for user in f.uses(address).map(|u| u.user) {
            match f.op(user) {
                Op::Load | Op::LoadVolatile | Op::MemInit | Op::MemSet | Op::MemCopy | Op::ICmp => {}
                Op::MaskedLoad | Op::StridedLoad => {}
                Op::Store | Op::StoreVolatile | Op::MaskedStore | Op::StridedStore if !is_stored(user) => {}
                Op::ElemAddr => addresses.push(user),
                _ => return true,
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    /// A function that ends with this.
    fn text(before: &str, end: &str) -> String {
        format!(
            "@kept = global ptr null
             declare i32 @g(i32)
             declare i32 @at(ptr)
             declare i32 @more(i32, ...)
             declare void @nothing()
             define i32 @f(i32 %x, i1 %c) {{
             entry:
               {before}
               {end}
             }}"
        )
    }

    #[test]
    fn a_call_in_front_of_a_return_is_a_jump() {
        let end = |mark: &str| format!("%r = {mark}call i32 @g(i32 %x)\nret i32 %r");
        rewrites(&SIBLING_CALLS, &text("", &end("")), &text("", &end("tail ")));
        leaves_alone(&SIBLING_CALLS, &text("", &end("notail ")));
        let local =
            "%v = alloca [4 x i32]\n%w = getelementptr [4 x i32], ptr %v, i32 0, i32 %x\nstore i32 1, ptr %w";
        rewrites(&SIBLING_CALLS, &text(local, &end("")), &text(local, &end("tail ")));
        // What the callee may know of the frame.
        for known in ["store ptr %w, ptr @kept", "%k = call i32 @at(ptr %w)", "%k = ptrtoint ptr %w to i64"] {
            leaves_alone(&SIBLING_CALLS, &text(&format!("{local}\n{known}"), &end("")));
        }
        for end in [
            "%r = call i32 @g(i32 %x)\n%s = add i32 %r, 1\nret i32 %s",
            "%r = call i32 @g(i32 %x)\nret i32 %x",
            "call void @nothing()\nret i32 1",
            "%r = call i32 (i32, ...) @more(i32 %x)\nret i32 %r",
        ] {
            leaves_alone(&SIBLING_CALLS, &text("", end));
        }
    }

    #[test]
    fn a_return_that_blocks_share_is_copied_to_calls() {
        let before = text(
            "br i1 %c, label %yes, label %no",
            "yes:
               %r = call i32 @g(i32 %x)
               br label %last
             no:
               %s = call i32 @g(i32 1)
               br label %last
             last:
               %t = phi i32 [ %r, %yes ], [ %s, %no ]
               ret i32 %t",
        );
        let after = text(
            "br i1 %c, label %yes, label %no",
            "yes:
               %r = tail call i32 @g(i32 %x)
               ret i32 %r
             no:
               %s = tail call i32 @g(i32 1)
               ret i32 %s",
        );
        rewrites(&SIBLING_CALLS, &before, &after);
    }
}
