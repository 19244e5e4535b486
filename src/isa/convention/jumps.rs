//! Calls that are the last thing a function does, as jumps: which may be, and which have to. O(arguments).

use super::{Convention, Places, Variadic};
use crate::ir::{Flags, Func, Inst, Op, Parts, Type, Value};
use crate::isa::select::Select;

/// The call in front of a return that is a jump in the place of both.
pub(super) fn jump_of(cx: &mut Select, ret: Inst) -> Option<Inst> {
    let body = cx.body;
    let mut last = body.prev(ret);
    // Words of the result, of which a jump makes nothing.
    while let Some(i) = last.filter(|&i| matches!(body.op(i), Op::InsertLane | Op::ExtractLane)) {
        last = body.prev(i);
    }
    let call = last.filter(|&i| body.op(i) == Op::Call)?;
    let flags = body.flags(call);
    if flags.has(Flags::MUST_TAIL) {
        // Of `tailcc`, none may take any.
        if !cx.env.funcs[body.callee(call)].tail && takes_more(cx, call) {
            let message =
                "a `musttail` call whose arguments take more of the stack than those of its function";
            cx.fail(&format!("{}: {message}", cx.rules.machine.name));
        }
        return Some(call);
    }
    // Of a result of two words there is a pair.
    let is_own = |v: Value| v.as_inst().is_some_and(|i| i == call || body.op(i) == Op::InsertLane);
    let is_returned = body.args(ret).first().is_none_or(|&v| is_own(v));
    let may_jump = flags.has(Flags::JUMP) && is_returned && cx.hoists() && !takes_more(cx, call);
    may_jump.then_some(call)
}

/// True if the arguments of a call take more of the stack than those of the function that it is in.
fn takes_more(cx: &Select, call: Inst) -> bool {
    let (env, body) = (cx.env, cx.body);
    let (callee, own) = (&env.funcs[body.callee(call)], &env.funcs[body.func]);
    let skipped = usize::from(callee.indirect);
    let args = body.args(call).iter().skip(skipped).map(|&v| body.type_of(v));
    let params = body.params().map(|i| body.ty(i));
    stack_bytes(cx.rules.convention, callee, args) > stack_bytes(cx.rules.convention, own, params)
}

/// Bytes of the stack that arguments of these types take.
fn stack_bytes(c: &Convention, func: &Func, types: impl Iterator<Item = Type>) -> u32 {
    let mut places = Places::of(c, func);
    let hidden = func.parts.as_deref().map_or(0, Parts::hidden);
    let first_as_int = match c.variadic {
        Variadic::Rest => func.params.len() - usize::from(func.indirect),
        Variadic::All if func.variadic => 0,
        _ => usize::MAX,
    };
    for (k, ty) in types.enumerate().skip(hidden) {
        let as_int = k >= first_as_int;
        if let Some(parts) = &func.parts {
            places.begin(c, parts, k, ty, as_int);
        }
        places.next(c, ty, as_int);
    }
    places.stack
}
