//! A call with constant arguments of a function that touches nothing outside of itself is made now, if it takes
//! few steps: its result is a constant.
//!
//! Bodies that may be copied (`inline`) are executed as they are, with integers and floats by the folder, which
//! knows what is the same on all targets, and variables in memory as words. What is not known, not folded, never
//! written before it is read, or outside of its object ends the attempt, as do too many steps; so does what has
//! no body here. Calls inside are executed, too, without recursion in the compiler. Tables in which functions keep results
//! (`result_tables`) begin with zeros, and are here what has been written to them: fib(40) takes few steps, too.
//!
//! Of a function that calls itself, some arguments may be unknown. What it does is then written down where it is not known,
//! and stands in the place of the call, if what is known decides all branches and no more than `MOST_LATER` instructions are
//! left: of x to the power of 13 by halves, five products. (Partial evaluation: Futamura 1971; Jones, Gomard and
//! Sestoft 1993, online and polyvariant without tables, since control never depends on what is unknown.)
//!
//! One look at every opcode; at most `MOST_STEPS` for a call and `MOST_OF_ALL` for a function.

use crate::analysis::memory::filled;
use crate::base::Handle;
use crate::ir::fold::{Number, fold};
use crate::ir::opcode::PURE;
use crate::ir::{
    At, Block, Body, Edge, Env, FuncId, GlobalId, Inst, Op, Shape, Sort, Type, Value, ValueKind,
};
use crate::opt::calls::candidates::Candidates;
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static EVALUATE: FuncPass = FuncPass {
    name: "evaluate",
    description: "make calls with constant arguments that take few steps",
    grows: false,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// Instructions that are executed for a call, and for all of a function.
const MOST_STEPS: usize = 1 << 12;
const MOST_OF_ALL: usize = 1 << 14;
/// Calls inside of each other.
const MOST_DEPTH: usize = 64;
/// Bodies that a function's calls need, and instructions of each.
const MOST_BODIES: usize = 6;
const MOST_INSTS: usize = 300;
/// Words of variables in memory, of all calls.
const MOST_WORDS: usize = 1 << 10;
/// Words of tables that are written, a power of two.
const MOST_KEPT: usize = 1 << 11;
/// Instructions that stand in the place of a call, and in a function in those of all.
const MOST_LATER: usize = 24;
const MOST_LATER_OF_ALL: usize = 128;

/// What is known of a value.
#[derive(Copy, Clone, Debug)]
enum Known {
    Nothing,
    Number(Number),
    /// A value of the caller's, and what an instruction computes that is to be put in the place of the call.
    Value(Value),
    Later(u32),
    /// Bytes from the start of a global, which is a table.
    Table(GlobalId, i64),
    /// A word of `Scratch::words`, bytes from the start of its variable, and how many words that has.
    Address {
        first: u32,
        words: u32,
        offset: i64,
    },
}

/// A call that is being made.
#[derive(Copy, Clone, Debug)]
struct Frame {
    /// In `Scratch::bodies`.
    body: usize,
    /// Where its values begin, and its variables.
    values: usize,
    words: usize,
    /// What comes next.
    at: Inst,
}

/// An instruction that is to stand in the place of a call.
#[derive(Copy, Clone, Debug)]
struct Later {
    op: Op,
    ty: Type,
    payload: u32,
    args: [Known; 3],
    count: usize,
}

#[derive(Debug, Default)]
struct Scratch {
    /// The first `count` are those of the function at hand.
    bodies: Vec<(FuncId, Body)>,
    count: usize,
    frames: Vec<Frame>,
    /// Per instruction of each frame.
    values: Vec<Known>,
    /// Memory, as far as it was written.
    words: Vec<Known>,
    /// What is in tables: open addressing by a number for the place, which is above 0.
    kept: Vec<(u64, u32)>,
    kept_count: usize,
    /// What is to stand in the place of the call.
    later: Vec<Later>,
    /// What phis of a block become.
    phis: Vec<(Inst, Known)>,
    steps: usize,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let Some(candidates) = cx.facts.get::<Candidates>() else { return Outcome::UNCHANGED };
    let f = &*cx.f;
    let is_wanted = |&(i, op): &(Inst, Op)| {
        op == Op::Call
            && f.has_uses(i)
            && (f.args(i).iter().all(|v| v.is_number()) || is_split(cx, i))
            && (cx.effects.is_pure(f.callee(i)) || cx.effects.is_function(f.callee(i)))
            && candidates.body(f.callee(i)).is_some()
    };
    let calls: Vec<Inst> = f.ops().filter(is_wanted).map(|(i, _)| i).collect();
    if calls.is_empty() {
        return Outcome::UNCHANGED;
    }
    s.count = 0;
    let (mut left, mut changed, mut room) = (MOST_OF_ALL, false, MOST_LATER_OF_ALL);
    for call in calls {
        s.steps = MOST_STEPS.min(left);
        let before = s.steps;
        let result = s.call(cx, call);
        left -= before - s.steps;
        let (place, name) = (cx.f.place(call), cx.env.funcs[cx.f.callee(call)].name);
        let name = || cx.env.names.text(name);
        let result = result.filter(|_| s.later.len() <= room);
        if let Some(result) = result {
            cx.f.tell((Sort::Done, "evaluate"), place, || match result {
                Known::Number(_) => format!("the call of '{}' is made now: its result is known", name()),
                _ => format!(
                    "of the call of '{}', {} instructions are left: its arguments decide the rest",
                    name(),
                    s.later.len()
                ),
            });
            room -= s.later.len();
            if let Some(v) = s.put(cx.f, call, result) {
                cx.f.replace(call, v);
                changed = true;
            }
        } else if cx.f.args(call).iter().all(|v| v.is_number()) {
            let why = if s.steps == 0 { "it takes too many steps" } else { "it does what is not known yet" };
            cx.f.tell((Sort::Missed, "evaluate"), place, || {
                format!("the call of '{}' has constant arguments, but is not made now: {why}", name())
            });
        }
        if left == 0 {
            break;
        }
    }
    Outcome::changed_if(changed, AnalysisSet::CFG)
}

/// True if a function that calls itself gets arguments of which some are known.
fn is_split(cx: &FuncCx, call: Inst) -> bool {
    let f = &*cx.f;
    let recurs = cx.effects.of.get(f.callee(call)).is_some_and(|of| of.recursive);
    recurs
        && f.args(call).iter().any(|v| v.is_number())
        && f.args(call).iter().all(|&v| f.type_of(v) != Type::Ptr)
}

impl Scratch {
    /// What a call returns, if that is found out.
    fn call(&mut self, cx: &FuncCx, call: Inst) -> Option<Known> {
        self.frames.clear();
        self.values.clear();
        self.words.clear();
        self.later.clear();
        if self.kept_count > 0 {
            self.kept.fill((0, 0));
            self.kept_count = 0;
        }
        let f = &*cx.f;
        self.enter(cx, f.callee(call))?;
        let args = f.args(call).iter().map(|&v| f.number(v).map_or(Known::Value(v), Known::Number));
        let args: Vec<Known> = args.collect();
        self.give(&args)?;
        loop {
            if self.steps == 0 {
                return None;
            }
            self.steps -= 1;
            if let Some(result) = self.step(cx)? {
                return Some(result);
            }
        }
    }

    /// Puts what is left of a call in front of it; returns what stands for its result.
    fn put(&self, f: &mut Body, call: Inst, result: Known) -> Option<Value> {
        let place = f.place(call);
        let mut made: Vec<Value> = Vec::with_capacity(self.later.len());
        let value = |f: &mut Body, made: &[Value], known: Known| match known {
            Known::Number(x) => Some(f.constant(x)),
            Known::Value(v) => Some(v),
            Known::Later(k) => made.get(k as usize).copied(),
            _ => None,
        };
        for later in &self.later {
            let mut args = [f.int(0); 3];
            for (arg, &known) in args.iter_mut().zip(&later.args) {
                *arg = value(f, &made, known).unwrap_or(*arg);
            }
            let args = args.get(..later.count)?;
            let i = f.insert(At::Before(call), later.op, later.ty, args, later.payload, place);
            made.push(Value::inst(i));
        }
        value(f, &made, result)
    }

    /// The type of what is known, if it is a number or will be one.
    fn type_of(&self, f: &Body, known: Known) -> Option<Type> {
        match known {
            Known::Number(x) => Some(x.ty),
            Known::Value(v) => Some(f.type_of(v)),
            Known::Later(k) => self.later.get(k as usize).map(|later| later.ty),
            Known::Nothing | Known::Table(..) | Known::Address { .. } => None,
        }
    }

    /// The slot of a word of a table.
    fn kept(&self, (global, offset): (GlobalId, i64)) -> Option<(usize, u64)> {
        let number = (global.index() as u64) << 32 | (u64::try_from(offset).ok()? + 1) & 0xffff_ffff;
        let mask = self.kept.len().checked_sub(1)?;
        let mut at = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        // At most half of the slots are taken.
        while self.kept.get(at).is_some_and(|&(taken, _)| taken != 0 && taken != number) {
            at = (at + 1) & mask;
        }
        Some((at, number))
    }

    /// Begins a call.
    fn enter(&mut self, cx: &FuncCx, func: FuncId) -> Option<()> {
        let body = match self.bodies[..self.count].iter().position(|(known, _)| *known == func) {
            Some(body) => body,
            None => {
                let candidates = cx.facts.get::<Candidates>()?;
                let packed = candidates.body(func).filter(|packed| packed.insts as usize <= MOST_INSTS)?;
                if self.count == MOST_BODIES {
                    return None;
                }
                // In the memory of one of another function.
                let spare = if self.count < self.bodies.len() { self.bodies.pop() } else { None };
                let body = packed.unpack(spare.map(|(_, body)| body)).ok()?;
                self.bodies.insert(self.count, (func, body));
                self.count += 1;
                self.count - 1
            }
        };
        let f = &self.bodies.get(body)?.1;
        // Its values are made, too.
        self.steps = self.steps.checked_sub(f.placed_insts() / 8)?;
        if self.frames.len() == MOST_DEPTH {
            return None;
        }
        let (values, words) = (self.values.len(), self.words.len());
        self.values.resize(values + f.inst_count(), Known::Nothing);
        self.frames.push(Frame { body, values, words, at: f.first(f.entry()?)? });
        Some(())
    }

    /// Gives the last call its arguments.
    fn give(&mut self, args: &[Known]) -> Option<()> {
        let frame = self.frames.last()?;
        let f = &self.bodies.get(frame.body)?.1;
        if f.params().len() != args.len() {
            return None;
        }
        for (param, &arg) in f.params().zip(args) {
            *self.values.get_mut(frame.values + param.index())? = arg;
        }
        Some(())
    }

    /// Executes an instruction; the outermost call's result, when it returns.
    fn step(&mut self, cx: &FuncCx) -> Option<Option<Known>> {
        let frame = *self.frames.last()?;
        let f = &self.bodies.get(frame.body)?.1;
        let i = frame.at;
        let known = |v: Value| match v.kind() {
            ValueKind::Inst(i) => {
                self.values.get(frame.values + i.index()).copied().unwrap_or(Known::Nothing)
            }
            ValueKind::Global(global) if cx.env.globals[global].results => Known::Table(global, 0),
            _ => f.number(v).map_or(Known::Nothing, Known::Number),
        };
        let number = |k: usize| match f.args(i).get(k).map(|&v| known(v)) {
            Some(Known::Number(x)) => Some(x),
            _ => None,
        };
        let (op, ty) = (f.op(i), f.ty(i));
        let result = match op {
            Op::Br => return self.go(f.succs(f.block_of(i)?).next()?),
            Op::CondBr => {
                let k = usize::from(number(0)?.bits & 1 == 0);
                return self.go(f.succs(f.block_of(i)?).nth(k)?);
            }
            Op::Switch => {
                let mut edges = f.succs(f.block_of(i)?);
                let k = usize::try_from(number(0)?.unsigned()).unwrap_or(usize::MAX).min(edges.len() - 1);
                return self.go(edges.nth(k)?);
            }
            Op::Ret => {
                let result = f.args(i).first().map(|&v| known(v));
                return self.leave(result);
            }
            Op::Call => {
                let args: Vec<Known> = f.args(i).iter().map(|&v| known(v)).collect();
                self.enter(cx, f.callee(i))?;
                self.give(&args)?;
                return Some(None);
            }
            Op::Alloca => {
                let bytes = cx.env.shapes.bytes(Shape::new(f.payload(i) as usize));
                let words = usize::try_from(bytes.div_ceil(4)).ok()?;
                let first = self.words.len();
                if words > MOST_WORDS - first.min(MOST_WORDS) {
                    return None;
                }
                self.words.resize(first + words, Known::Nothing);
                Known::Address { first: first as u32, words: words as u32, offset: 0 }
            }
            Op::ElemAddr => element(cx.env, f, i, known)?,
            Op::Load => {
                let found = match known(f.arg(i, 0)) {
                    Known::Table(global, offset) => {
                        let slot = self.kept((global, offset)).and_then(|(at, _)| self.kept.get(at));
                        Known::Number(Number::int(Type::I32, i64::from(slot.map_or(0, |slot| slot.1) as i32)))
                    }
                    at => *self.words.get(word(at)?)?,
                };
                match (found, ty) {
                    (Known::Number(x), Type::I32) => Known::Number(Number::int(ty, i64::from(x.bits as i32))),
                    (Known::Number(x), Type::F32) => {
                        Known::Number(Number::f32(f32::from_bits(x.bits as u32)))
                    }
                    _ if self.type_of(cx.f, found) == Some(ty) => found,
                    _ => return None,
                }
            }
            Op::Store => {
                let x = known(f.arg(i, 0));
                if !matches!(self.type_of(cx.f, x)?, Type::I32 | Type::F32) {
                    return None;
                }
                if let Known::Table(global, offset) = known(f.arg(i, 1)) {
                    let Known::Number(x) = x else { return None };
                    self.kept.resize(MOST_KEPT, (0, 0));
                    let (at, number) = self.kept((global, offset))?;
                    let slot = self.kept.get_mut(at)?;
                    self.kept_count += usize::from(slot.0 == 0);
                    *slot = (number, x.bits as u32);
                    if self.kept_count > MOST_KEPT / 2 {
                        return None;
                    }
                } else {
                    let at = word(known(f.arg(i, 1)))?;
                    *self.words.get_mut(at)? = x;
                }
                Known::Nothing
            }
            Op::MemInit | Op::MemSet => {
                let (byte, bytes) = match op {
                    Op::MemSet => (number(1)?.bits as u8, filled(f, i)?),
                    _ if f.args(i).len() == 1 => (0, u64::from(f.payload(i))),
                    _ => return None,
                };
                let Known::Address { first, words, .. } = known(f.arg(i, 0)) else { return None };
                let (at, count) = (word(known(f.arg(i, 0)))?, usize::try_from(bytes / 4).ok()?);
                if bytes % 4 != 0 || count > (first + words) as usize - at {
                    return None;
                }
                self.words
                    .get_mut(at..at + count)?
                    .fill(Known::Number(Number::int(Type::I32, i64::from(i32::from_ne_bytes([byte; 4])))));
                Known::Nothing
            }
            Op::Select if number(0).is_some() => {
                known(f.arg(i, if number(0)?.bits & 1 == 1 { 1 } else { 2 }))
            }
            _ if f.args(i).len() <= 3 => {
                let mut args = [Known::Nothing; 3];
                let mut numbers = [Number::zero(Type::I1); 3];
                let count = f.args(i).len();
                let mut is_number = true;
                for (k, (arg, x)) in args.iter_mut().zip(&mut numbers).take(count).enumerate() {
                    *arg = known(f.arg(i, k));
                    match *arg {
                        Known::Number(number) => *x = number,
                        Known::Value(_) | Known::Later(_) => is_number = false,
                        _ => return None,
                    }
                }
                if is_number {
                    Known::Number(fold(op, ty, f.payload(i), numbers.get(..count)?)?)
                } else if op.has(PURE) && self.later.len() < MOST_LATER {
                    self.later.push(Later { op, ty, payload: f.payload(i), args, count });
                    Known::Later(self.later.len() as u32 - 1)
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        *self.values.get_mut(frame.values + i.index())? = result;
        let next = f.next(i)?;
        self.frames.last_mut()?.at = next;
        Some(None)
    }

    /// Goes along an edge.
    fn go(&mut self, e: Edge) -> Option<Option<Known>> {
        let frame = *self.frames.last()?;
        let f = &self.bodies.get(frame.body)?.1;
        let (b, slot): (Block, usize) = (f.edge_to(e), f.edge_slot(e));
        self.phis.clear();
        for phi in f.phis(b) {
            let v = f.arg(phi, slot);
            let known = match v.kind() {
                ValueKind::Inst(i) => *self.values.get(frame.values + i.index())?,
                _ => f.number(v).map_or(Known::Nothing, Known::Number),
            };
            self.phis.push((phi, known));
        }
        for &(phi, known) in &self.phis {
            *self.values.get_mut(frame.values + phi.index())? = known;
        }
        let at = f.insts(b).find(|&i| f.op(i) != Op::Phi)?;
        self.steps = self.steps.checked_sub(self.phis.len())?;
        self.frames.last_mut()?.at = at;
        Some(None)
    }

    /// Ends a call.
    fn leave(&mut self, result: Option<Known>) -> Option<Option<Known>> {
        let done = self.frames.pop()?;
        self.values.truncate(done.values);
        self.words.truncate(done.words);
        let Some(frame) = self.frames.last().copied() else {
            let is_word =
                |known: &Known| matches!(known, Known::Number(_) | Known::Value(_) | Known::Later(_));
            return result.filter(is_word).map(Some);
        };
        let f = &self.bodies.get(frame.body)?.1;
        // An address would be of what has gone.
        let result = result.filter(|known| !matches!(known, Known::Address { .. } | Known::Table(..)));
        *self.values.get_mut(frame.values + frame.at.index())? = result.unwrap_or(Known::Nothing);
        let next = f.next(frame.at)?;
        self.frames.last_mut()?.at = next;
        Some(None)
    }
}

/// The word that an address leads to.
fn word(at: Known) -> Option<usize> {
    let Known::Address { first, words, offset } = at else { return None };
    let is_inside = (0..4 * i64::from(words)).contains(&offset) && offset % 4 == 0;
    is_inside.then(|| first as usize + (offset / 4) as usize)
}

/// The address of an element.
fn element(env: &Env, f: &Body, i: Inst, known: impl Fn(Value) -> Known) -> Option<Known> {
    let base = known(f.arg(i, 0));
    let (Known::Address { mut offset, .. } | Known::Table(_, mut offset)) = base else { return None };
    let mut shape = Shape::new(f.payload(i) as usize);
    for &subscript in f.args(i).get(1..)? {
        let Known::Number(x) = known(subscript) else { return None };
        let (element, bytes) = env.shapes.element_and_bytes(shape);
        let moves = x.signed().checked_mul(i64::try_from(bytes).ok()?)?;
        offset = offset.checked_add(moves)?;
        shape = element;
    }
    match base {
        Known::Address { first, words, .. } => Some(Known::Address { first, words, offset }),
        Known::Table(global, _) => Some(Known::Table(global, offset)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
