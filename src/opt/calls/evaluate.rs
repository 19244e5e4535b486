//! A call with constant arguments of a function that touches nothing outside of itself is made now, if it takes
//! few steps: its result is a constant.
//!
//! Bodies that may be copied (`inline`) are executed as they are, with integers and floats by the folder, which
//! knows what is the same on all targets, and variables in memory as words. What is not known, not folded, never
//! written before it is read, or outside of its object ends the attempt, as do too many steps; so does what has
//! no body here. Calls inside are executed, too, without recursion in the compiler.
//!
//! One look at every opcode; at most `MOST_STEPS` for a call and `MOST_OF_ALL` for a function.

use crate::analysis::memory::filled;
use crate::base::Handle;
use crate::ir::fold::{Number, fold};
use crate::ir::{Block, Body, Edge, Env, FuncId, Inst, Op, Shape, Sort, Type, Value, ValueKind};
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

/// What is known of a value.
#[derive(Copy, Clone, Debug)]
enum Known {
    Nothing,
    Number(Number),
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

#[derive(Debug, Default)]
struct Scratch {
    /// The first `count` are those of the function at hand.
    bodies: Vec<(FuncId, Body)>,
    count: usize,
    frames: Vec<Frame>,
    /// Per instruction of each frame.
    values: Vec<Known>,
    /// Memory, as far as it was written.
    words: Vec<Option<u32>>,
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
            && f.args(i).iter().all(|v| v.is_number())
            && cx.effects.is_pure(f.callee(i))
            && candidates.body(f.callee(i)).is_some()
    };
    let calls: Vec<Inst> = f.ops().filter(is_wanted).map(|(i, _)| i).collect();
    if calls.is_empty() {
        return Outcome::UNCHANGED;
    }
    s.count = 0;
    let (mut left, mut changed) = (MOST_OF_ALL, false);
    for call in calls {
        s.steps = MOST_STEPS.min(left);
        let before = s.steps;
        let result = s.call(cx, call);
        left -= before - s.steps;
        let (place, name) = (cx.f.place(call), cx.env.funcs[cx.f.callee(call)].name);
        let name = || cx.env.names.text(name);
        if let Some(result) = result {
            cx.f.tell((Sort::Done, "evaluate"), place, || {
                format!("the call of '{}' is made now: its result is known", name())
            });
            let v = cx.f.constant(result);
            cx.f.replace(call, v);
            changed = true;
        } else {
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

impl Scratch {
    /// What a call returns, if that is found out.
    fn call(&mut self, cx: &FuncCx, call: Inst) -> Option<Number> {
        self.frames.clear();
        self.values.clear();
        self.words.clear();
        let f = &*cx.f;
        self.enter(cx, f.callee(call))?;
        let args = f.args(call).iter().map(|&v| f.number(v).map(Known::Number));
        let args: Vec<Known> = args.collect::<Option<_>>()?;
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
        self.steps = self.steps.checked_sub(f.inst_count() / 8)?;
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
    fn step(&mut self, cx: &FuncCx) -> Option<Option<Number>> {
        let frame = *self.frames.last()?;
        let f = &self.bodies.get(frame.body)?.1;
        let i = frame.at;
        let known = |v: Value| match v.kind() {
            ValueKind::Inst(i) => {
                self.values.get(frame.values + i.index()).copied().unwrap_or(Known::Nothing)
            }
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
                self.words.resize(first + words, None);
                Known::Address { first: first as u32, words: words as u32, offset: 0 }
            }
            Op::ElemAddr => element(cx.env, f, i, known)?,
            Op::Load => {
                let word = (*self.words.get(word(known(f.arg(i, 0)))?)?)?;
                match ty {
                    Type::I32 => Known::Number(Number::int(ty, i64::from(word as i32))),
                    Type::F32 => Known::Number(Number::f32(f32::from_bits(word))),
                    _ => return None,
                }
            }
            Op::Store => {
                let (x, at) = (number(0)?, word(known(f.arg(i, 1)))?);
                if !matches!(x.ty, Type::I32 | Type::F32) {
                    return None;
                }
                *self.words.get_mut(at)? = Some(x.bits as u32);
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
                self.words.get_mut(at..at + count)?.fill(Some(u32::from_ne_bytes([byte; 4])));
                Known::Nothing
            }
            _ if f.args(i).len() <= 3 => {
                let mut args = [Number::zero(Type::I1); 3];
                let args = args.get_mut(..f.args(i).len())?;
                for (k, arg) in args.iter_mut().enumerate() {
                    *arg = number(k)?;
                }
                Known::Number(fold(op, ty, f.payload(i), args)?)
            }
            _ => return None,
        };
        *self.values.get_mut(frame.values + i.index())? = result;
        let next = f.next(i)?;
        self.frames.last_mut()?.at = next;
        Some(None)
    }

    /// Goes along an edge.
    fn go(&mut self, e: Edge) -> Option<Option<Number>> {
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
    fn leave(&mut self, result: Option<Known>) -> Option<Option<Number>> {
        let done = self.frames.pop()?;
        self.values.truncate(done.values);
        self.words.truncate(done.words);
        let Some(frame) = self.frames.last().copied() else {
            return match result {
                Some(Known::Number(x)) => Some(Some(x)),
                _ => None,
            };
        };
        let f = &self.bodies.get(frame.body)?.1;
        // An address would be of what has gone.
        let result = result.filter(|known| matches!(known, Known::Number(_)));
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
    let Known::Address { first, words, mut offset } = known(f.arg(i, 0)) else { return None };
    let mut shape = Shape::new(f.payload(i) as usize);
    for &subscript in f.args(i).get(1..)? {
        let Known::Number(x) = known(subscript) else { return None };
        let (element, bytes) = env.shapes.element_and_bytes(shape);
        let moves = x.signed().checked_mul(i64::try_from(bytes).ok()?)?;
        offset = offset.checked_add(moves)?;
        shape = element;
    }
    Some(Known::Address { first, words, offset })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::parallel::Workers;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::calls::candidates::CANDIDATES;
    use crate::opt::calls::effects::EFFECTS;
    use crate::opt::run::manager::{Options, Stage, Step, run_on_module};

    const PLAN: &[Step] = &[
        Step::Each(&[Stage::Make]),
        Step::Summary(&EFFECTS),
        Step::All(&CANDIDATES),
        Step::Each(&[Stage::Passes(&[&EVALUATE])]),
    ];

    /// The function that calls, behind the pass.
    fn made(functions: &str, calls: &str) -> String {
        let text = format!("{functions}\ndefine i32 @main(i32 %n) {{\n{calls}\n}}");
        let mut module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let options = Options { verify: true, ..Options::default() };
        run_on_module(&mut module, PLAN, &options, &Workers::new(1)).unwrap();
        let have = print::module(&module);
        have.split("@main").nth(1).unwrap_or_default().to_string()
    }

    const POWER: &str = "define internal i32 @power(i32 %x, i32 %n) {
         entry:
           br label %head
         head:
           %r = phi i32 [ 1, %entry ], [ %s, %head ]
           %i = phi i32 [ 0, %entry ], [ %j, %head ]
           %s = mul i32 %r, %x
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, %n
           br i1 %c, label %head, label %exit
         exit:
           ret i32 %s
         }";
    const FACTORIAL: &str = "define internal i32 @factorial(i32 %n) {
         entry:
           %c = icmp slt i32 %n, 2
           br i1 %c, label %one, label %more
         one:
           ret i32 1
         more:
           %m = add i32 %n, -1
           %x = call i32 @factorial(i32 %m)
           %y = mul i32 %x, %n
           ret i32 %y
         }";
    /// The sum of an array's elements, which hold squares.
    const SQUARES: &str = "define internal i32 @squares(i32 %n, float %x) {
         entry:
           %a = alloca [9 x i32]
           call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 36, i1 false)
           %h = fmul float %x, 2.5
           %k = fptosi float %h to i32
           %p = getelementptr inbounds [9 x i32], ptr %a, i32 0, i32 %n
           store i32 %k, ptr %p
           %s = call i32 @sum(ptr %a)
           ret i32 %s
         }
         define internal i32 @sum(ptr %a) {
         entry:
           br label %head
         head:
           %s = phi i32 [ 0, %entry ], [ %t, %head ]
           %i = phi i32 [ 0, %entry ], [ %j, %head ]
           %p = getelementptr inbounds i32, ptr %a, i32 %i
           %v = load i32, ptr %p
           %w = add i32 %v, 7
           store i32 %w, ptr %p
           %t = add i32 %s, %w
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, 9
           br i1 %c, label %head, label %exit
         exit:
           ret i32 %t
         }";
    /// Two arrays and a call in between, which has one, too.
    const ARRAYS: &str = "define internal i32 @arrays(i32 %n) {
         entry:
           %a = alloca [2 x i32]
           %b = alloca [2 x i32]
           store i32 5, ptr %b
           %p = getelementptr inbounds [2 x i32], ptr %a, i32 0, i32 %n
           store i32 7, ptr %p
           %l = call i32 @leaf(i32 %n)
           %v = load i32, ptr %b
           %w = load i32, ptr %p
           %s = add i32 %v, %w
           %t = add i32 %s, %l
           ret i32 %t
         }
         define internal i32 @leaf(i32 %n) {
         entry:
           %a = alloca i32
           store i32 %n, ptr %a
           %v = load i32, ptr %a
           ret i32 %v
         }";

    #[test]
    fn calls_with_constants_are_their_results() {
        for (functions, call, want) in [
            (ARRAYS, "@arrays(i32 1)", "ret i32 13"),
            (POWER, "@power(i32 3, i32 5)", "ret i32 243"),
            (POWER, "@power(i32 3, i32 40)", "ret i32 689956897"),
            (FACTORIAL, "@factorial(i32 10)", "ret i32 3628800"),
            (SQUARES, "@squares(i32 8, float 2.0)", "ret i32 68"),
        ] {
            let have = made(functions, &format!("%r = call i32 {call}\nret i32 %r"));
            assert!(have.contains(want), "{call}: {have}");
        }
        let both = "%r = call i32 @power(i32 3, i32 4)\n%s = call i32 @factorial(i32 4)
                    %t = sub i32 %r, %s\nret i32 %t";
        assert!(made(&format!("{POWER}\n{FACTORIAL}"), both).contains("sub i32 81, 24"));
    }

    #[test]
    fn what_is_not_known_takes_long_or_does_more_stays_a_call() {
        let undefined = POWER.replace("mul i32 %r, %x", "sdiv i32 %r, %x");
        let outside = format!("declare void @putint(i32) memory(inaccessiblemem: readwrite)\n{POWER}")
            .replace("%j = add i32 %i, 1", "call void @putint(i32 %i)\n%j = add i32 %i, 1");
        let global = format!("@g = internal global i32 3\n{POWER}")
            .replace("%j = add i32 %i, 1", "%g = load i32, ptr @g\n%j = add i32 %i, %g");
        let unwritten = SQUARES.replace("call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 36, i1 false)", "");
        for (functions, call) in [
            (POWER, "@power(i32 %n, i32 5)"),
            (POWER, "@power(i32 3, i32 5000)"),
            (FACTORIAL, "@factorial(i32 100)"),
            (&undefined, "@power(i32 0, i32 5)"),
            (&outside, "@power(i32 3, i32 5)"),
            (&global, "@power(i32 3, i32 5)"),
            (&unwritten, "@squares(i32 8, float 2.0)"),
            (ARRAYS, "@arrays(i32 2)"),
            (SQUARES, "@squares(i32 9, float 2.0)"),
            (SQUARES, "@squares(i32 -1, float 2.0)"),
        ] {
            let have = made(functions, &format!("%r = call i32 {call}\nret i32 %r"));
            assert!(have.contains("call i32"), "{call}: {have}");
        }
    }
}
