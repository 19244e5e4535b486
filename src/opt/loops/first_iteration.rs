//! What a value that a loop computes is in the first iteration, made in the preheader: the loop's arithmetic with
//! the initial values of phis. O(what the value is made of), at most `MOST_STEPS` instructions.

use crate::analysis::simple_loop::SimpleLoop;
use crate::ir::opcode::{MAY_TRAP, PURE};
use crate::ir::{At, Block, Body, Inst, Value};

/// Instructions that make a value.
const MOST_STEPS: usize = 8;

/// An instruction that a value is made of, and what it is in the first iteration, once that is known.
pub type Part = (Inst, Option<Value>);

/// What of the loop makes an address, those that are needed last first, and the initial values of phis.
pub fn parts(around: SimpleLoop, at: Value) -> Option<Vec<Part>> {
    let f = around.f;
    let mut parts: Vec<Part> = Vec::new();
    let mut open = vec![at];
    while let Some(v) = open.pop() {
        let Some(i) = v.as_inst().filter(|_| !around.is_outside(v)) else { continue };
        // What is needed once more is needed earlier.
        parts.retain(|&(known, _)| known != i);
        if let Some((first, _)) = around.phi(v) {
            parts.push((i, Some(first)));
            continue;
        }
        if !f.op(i).has(PURE) || f.op(i).has(MAY_TRAP) || parts.len() + open.len() > MOST_STEPS {
            return None;
        }
        parts.push((i, None));
        open.extend_from_slice(f.args(i));
    }
    Some(parts)
}

/// Makes, in front of a loop, what an address is in its first round.
pub fn make(f: &mut Body, in_front: Block, parts: &mut [Part], at: Value) -> Value {
    for k in (0..parts.len()).rev() {
        let (i, first) = parts[k];
        if first.is_some() {
            continue;
        }
        let args: Vec<Value> = f.args(i).iter().map(|&v| made(parts, v)).collect();
        let (op, ty, payload, place) = (f.op(i), f.ty(i), f.payload(i), f.place(i));
        let v = f.fold(op, ty, payload, &args).unwrap_or_else(|| {
            Value::inst(f.insert(At::BeforeTerminator(in_front), op, ty, &args, payload, place))
        });
        parts[k].1 = Some(v);
    }
    made(parts, at)
}

fn made(parts: &[Part], v: Value) -> Value {
    let part = parts.iter().find(|&&(i, _)| v == Value::inst(i));
    part.and_then(|&(_, first)| first).unwrap_or(v)
}
