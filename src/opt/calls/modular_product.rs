//! A recursion that adds up a product modulo a constant, as programs do whose largest integers have 32 bits,
//! becomes a product of 64 bits and a remainder.
//!
//! Claim: f(a, b) is a b mod m, for 0 <= a <= A and b >= 0. Proof by induction over b: the body is executed
//! on symbols, once each for b = 0, b = 1, b = 2 h and b = 2 h + 1 with any h > 0. Then each count is u h + v,
//! and each other value is congruent to x a + y a h + z and has bounds, within which nothing wraps around. A
//! call of f itself for a count that is below b, and not below 0, is what the claim says. In each case what is
//! returned has to be congruent to a b, and to be in 0 .. m - 1. How the function comes to it does not matter:
//! halves, steps of one, remainders before or after sums.
//!
//! In front of the body there is a test that a and b are in these bounds, and the product where they are.
//! Where a product of 64 bits is not at hand, two steps of Montgomery's reduction make the remainder.
//!
//! Functions that have two int parameters and call themselves are looked at; O(instructions) for those, of
//! which there may be at most `MOST_STEPS`. (Montgomery, "Modular multiplication without trial division",
//! 1985.)

use crate::base::Column;
use crate::ir::{At, Block, Body, Edge, Inst, IntPred, Op, Place, Type, Value, ValueKind};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static MODULAR_PRODUCT: FuncPass = FuncPass {
    name: "modular_product",
    description: "make one product of recursions that add up products modulo a constant",
    grows: true,
    needs: AnalysisSet::NONE,
    run: |cx| with_memory(cx, run),
};

/// The most instructions of a body, and of a way through it.
const MOST_STEPS: usize = 200;
/// The largest h, and the largest modulus.
const MOST_HALF: i64 = (1 << 30) - 1;
const MOST_MODULUS: i64 = 1 << 30;

/// What is known of a value, for any h from 1 to `MOST_HALF` and any a in its bounds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Known {
    /// u h + v.
    Count(i64, i64),
    Rest(Rest),
    Truth(bool),
}

use Known::{Count, Truth};

/// Congruent to x a + y a h + z, and within bounds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Rest {
    x: i64,
    y: i64,
    z: i64,
    least: i64,
    most: i64,
}

/// What is to be proved.
#[derive(Copy, Clone, Debug)]
struct Claim {
    modulus: i64,
    /// Which parameter is a, and its largest value.
    a: Inst,
    most_a: i64,
    /// Which is b; the case: b = u h + v.
    b: Inst,
    u: i64,
    v: i64,
}

type Scratch = Column<Inst, Option<Known>>;

#[inline(never)]
fn run(cx: &mut FuncCx, known: &mut Scratch) -> Outcome {
    let f = &mut *cx.f;
    let row = &cx.env.funcs[f.func];
    if row.result != Type::I32
        || *row.params != [Type::I32; 2]
        || row.variadic
        || f.placed_insts() > MOST_STEPS
    {
        return Outcome::UNCHANGED;
    }
    let this = f.func;
    let word = cx.target.word;
    if word == 0 || !f.ops().any(|(i, op)| op == Op::Call && f.callee(i) == this) {
        return Outcome::UNCHANGED;
    }
    let divisors = f.ops().filter(|&(_, op)| op == Op::SRem).filter_map(|(i, _)| f.as_int(f.arg(i, 1)));
    let Some(modulus) =
        divisors.max().filter(|m| (3..=MOST_MODULUS).contains(m) && (word >= 64 || m % 2 == 1))
    else {
        return Outcome::UNCHANGED;
    };
    let mut params = f.params();
    let (Some(first), Some(second)) = (params.next(), params.next()) else { return Outcome::UNCHANGED };
    for (a, b) in [(first, second), (second, first)] {
        for most_a in [(1 << 31) - modulus, modulus - 1] {
            let claim = Claim { modulus, a, most_a, b, u: 0, v: 0 };
            let cases = [(0, 0), (0, 1), (2, 0), (2, 1)];
            if cases.iter().all(|&(u, v)| (Claim { u, v, ..claim }).holds(f, known)) {
                return Outcome::changed_if(rewrite(f, claim, word), AnalysisSet::NONE);
            }
        }
    }
    Outcome::UNCHANGED
}

/// The least and the largest value of u h + v.
fn bounds(u: i64, v: i64) -> (i64, i64) {
    let (one, other) = (if u == 0 { v } else { u + v }, u.saturating_mul(MOST_HALF).saturating_add(v));
    (one.min(other), one.max(other))
}

fn is_int(least: i64, most: i64) -> bool {
    least >= i64::from(i32::MIN) && most <= i64::from(i32::MAX)
}

impl Known {
    fn bounds(self) -> Option<(i64, i64)> {
        match self {
            Count(u, v) => Some(bounds(u, v)),
            Known::Rest(rest) => Some((rest.least, rest.most)),
            Truth(_) => None,
        }
    }

    fn constant(self) -> Option<i64> {
        if let Count(0, v) = self { Some(v) } else { None }
    }

    /// The same, if the instruction that computes it does not wrap around.
    fn checked(self) -> Option<Known> {
        self.bounds().filter(|&(least, most)| is_int(least, most)).map(|_| self)
    }
}

impl Claim {
    /// True if the claim holds in this case, if it does for smaller b.
    fn holds(&self, f: &Body, known: &mut Scratch) -> bool {
        let m = self.modulus;
        match self.result(f, known) {
            Some(Count(0, 0)) => (self.u, self.v) == (0, 0),
            Some(Known::Rest(Rest { x, y, z: 0, least, most })) => {
                (x, y) == (self.v % m, self.u % m) && least >= 0 && most < m
            }
            _ => false,
        }
    }

    /// What the function returns.
    fn result(&self, f: &Body, known: &mut Scratch) -> Option<Known> {
        known.reset(f.inst_count(), None);
        let (mut b, mut entered) = (f.entry()?, None::<Edge>);
        let mut brought: Vec<Option<Known>> = Vec::new();
        let mut steps = 0;
        loop {
            brought.clear();
            let slot = entered.map_or(0, |e| f.edge_slot(e));
            brought.extend(f.phis(b).map(|phi| self.value(f, known, f.arg(phi, slot))));
            for (phi, &v) in f.phis(b).zip(&brought) {
                known[phi] = v;
            }
            let mut to = None;
            for i in f.insts(b).filter(|&i| f.op(i) != Op::Phi) {
                steps += 1;
                if steps > MOST_STEPS {
                    return None;
                }
                let mut succs = f.succs(b);
                match f.op(i) {
                    Op::Ret => return self.value(f, known, *f.args(i).first()?),
                    Op::Br => to = succs.next(),
                    Op::CondBr => match self.value(f, known, f.arg(i, 0))? {
                        Truth(true) => to = succs.next(),
                        Truth(false) => to = succs.nth(1),
                        _ => return None,
                    },
                    _ => known[i] = Some(self.step(f, known, i)?),
                }
            }
            (b, entered) = (f.edge_to(to?), to);
        }
    }

    fn value(&self, f: &Body, known: &Scratch, v: Value) -> Option<Known> {
        match v.kind() {
            ValueKind::Inst(i) if i == self.a => {
                Some(Known::Rest(Rest { x: 1, y: 0, z: 0, least: 0, most: self.most_a }))
            }
            ValueKind::Inst(i) if i == self.b => Some(Count(self.u, self.v)),
            ValueKind::Inst(i) => known[i],
            _ => match f.type_of(v) {
                Type::I32 => f.as_int(v).map(|x| Count(0, x)),
                Type::I1 => f.as_int(v).map(|x| Truth(x & 1 != 0)),
                _ => None,
            },
        }
    }

    fn step(&self, f: &Body, known: &Scratch, i: Inst) -> Option<Known> {
        let arg = |k: usize| f.args(i).get(k).and_then(|&v| self.value(f, known, v));
        let op = f.op(i);
        match op {
            Op::Call if f.callee(i) == f.func => {
                let arg_of = |param: Inst| arg(f.payload(param) as usize);
                let is_a = arg_of(self.a)? == self.value(f, known, Value::inst(self.a))?;
                let Count(u, v) = arg_of(self.b)? else { return None };
                let is_less = bounds(self.u - u, self.v - v).0 > 0 && bounds(u, v).0 >= 0;
                let m = self.modulus;
                let rest = Rest { x: v.rem_euclid(m), y: u.rem_euclid(m), z: 0, least: 0, most: m - 1 };
                (is_a && is_less).then_some(if (u, v) == (0, 0) { Count(0, 0) } else { Known::Rest(rest) })
            }
            Op::Select => match arg(0)? {
                Truth(true) => arg(1),
                Truth(false) => arg(2),
                _ => None,
            },
            Op::ZExt if f.ty(i) == Type::I32 => match arg(0)? {
                Truth(truth) => Some(Count(0, truth.into())),
                _ => None,
            },
            Op::ICmp => compare(IntPred::from_payload(f.payload(i)), arg(0)?, arg(1)?).map(Truth),
            _ if f.ty(i) != Type::I32 => None,
            Op::Add | Op::Sub => {
                let sign = if op == Op::Add { 1 } else { -1 };
                match (arg(0)?, arg(1)?) {
                    (Count(u, v), Count(p, q)) => Count(u + sign * p, v + sign * q).checked(),
                    (x, y) => self.sum(self.rest(x)?, self.scaled(self.rest(y)?, sign)?),
                }
            }
            Op::Mul | Op::Shl => {
                let (x, y) = (arg(0)?, arg(1)?);
                let (x, by) = match (x.constant(), y.constant()) {
                    (_, Some(by)) if op == Op::Mul => (x, by),
                    (Some(by), _) if op == Op::Mul => (y, by),
                    (_, Some(by @ 0..=30)) => (x, 1 << by),
                    _ => return None,
                };
                match x {
                    Count(u, v) => Count(u * by, v * by).checked(),
                    x => self.scaled(self.rest(x)?, by).and_then(|rest| Known::Rest(rest).checked()),
                }
            }
            _ => self.quotient(op, arg(0)?, arg(1)?.constant()?),
        }
    }

    /// What is not negative, divided by a constant.
    fn quotient(&self, op: Op, x: Known, by: i64) -> Option<Known> {
        let m = self.modulus;
        let divisor = match op {
            Op::SDiv | Op::UDiv | Op::SRem | Op::URem => by,
            Op::AShr | Op::LShr if (0..32).contains(&by) => 1 << by,
            Op::And => (by & i64::from(i32::MAX)) + 1,
            _ => return None,
        };
        if x.bounds()?.0 < 0 || divisor <= 0 || op == Op::And && divisor & (divisor - 1) != 0 {
            return None;
        }
        let is_rest = matches!(op, Op::SRem | Op::URem | Op::And);
        match x {
            _ if x.bounds()?.1 < divisor => Some(if is_rest { x } else { Count(0, 0) }),
            Count(u, v) if u % divisor == 0 && is_rest => Some(Count(0, v.rem_euclid(divisor))),
            Count(u, v) if u % divisor == 0 => Some(Count(u / divisor, v.div_euclid(divisor))),
            Known::Rest(rest) if is_rest && divisor == m => {
                Some(Known::Rest(Rest { most: m - 1, least: 0, ..rest }))
            }
            _ => None,
        }
    }

    fn rest(&self, x: Known) -> Option<Rest> {
        match x {
            Known::Rest(rest) => Some(rest),
            Count(0, v) => Some(Rest { x: 0, y: 0, z: v.rem_euclid(self.modulus), least: v, most: v }),
            _ => None,
        }
    }

    fn scaled(&self, Rest { x, y, z, least, most }: Rest, by: i64) -> Option<Rest> {
        let [x, y, z] = [x, y, z].map(|k| (k * (by % self.modulus)).rem_euclid(self.modulus));
        let (one, other) = (least.checked_mul(by)?, most.checked_mul(by)?);
        Some(Rest { x, y, z, least: one.min(other), most: one.max(other) })
    }

    fn sum(&self, a: Rest, b: Rest) -> Option<Known> {
        let m = self.modulus;
        let (x, y, z) = ((a.x + b.x) % m, (a.y + b.y) % m, (a.z + b.z) % m);
        Known::Rest(Rest { x, y, z, least: a.least + b.least, most: a.most + b.most }).checked()
    }
}

/// How two values compare in any case.
fn compare(pred: IntPred, x: Known, y: Known) -> Option<bool> {
    let (least, most) = match (x, y) {
        (Count(u, v), Count(p, q)) => bounds(u - p, v - q),
        _ => (x.bounds()?.0 - y.bounds()?.1, x.bounds()?.1 - y.bounds()?.0),
    };
    let is_unsigned = matches!(pred, IntPred::Ult | IntPred::Ule | IntPred::Ugt | IntPred::Uge);
    if is_unsigned && (x.bounds()?.0 < 0 || y.bounds()?.0 < 0) {
        return None;
    }
    let (truth, is_true, is_false) = match pred {
        IntPred::Eq | IntPred::Ne => (pred == IntPred::Eq, (least, most) == (0, 0), least > 0 || most < 0),
        IntPred::Slt | IntPred::Ult | IntPred::Sge | IntPred::Uge => {
            (matches!(pred, IntPred::Slt | IntPred::Ult), most < 0, least >= 0)
        }
        _ => (matches!(pred, IntPred::Sgt | IntPred::Ugt), least > 0, most <= 0),
    };
    (is_true || is_false).then_some(is_true == truth)
}

/// Puts the tests and the product in front of the body.
fn rewrite(f: &mut Body, claim: Claim, word: u32) -> bool {
    let Some(entry) = f.entry() else { return false };
    let first = f.insts(entry).find(|&i| f.op(i) != Op::Alloca);
    let Some(body) = first.and_then(|i| f.split_block(i)) else { return false };
    let place = first.map_or(Place::NONE, |i| f.place(i));
    f.debug_values = None;
    let (tested, product) = (f.create_block_after(entry), f.create_block_after(entry));
    let (a, b) = (Value::inst(claim.a), Value::inst(claim.b));
    let most = f.int_of(Type::I32, claim.most_a);
    let zero = f.int(0);
    let pairs = [(entry, IntPred::Ule, a, most, tested), (tested, IntPred::Sge, b, zero, product)];
    for (at, pred, x, y, yes) in pairs {
        let is_in = f.insert(At::BeforeTerminator(at), Op::ICmp, Type::I1, &[x, y], pred as u32, place);
        f.set_cond_br(at, Value::inst(is_in), yes, body, place);
    }
    f.move_block_after(product, tested);
    let mut made = Made { f, b: product, place };
    let result = if word >= 64 { made.wide(claim) } else { made.reduced(claim) };
    f.set_ret(product, Some(result), place);
    true
}

/// Instructions at the end of a block.
struct Made<'a> {
    f: &'a mut Body,
    b: Block,
    place: Place,
}

impl Made<'_> {
    fn op(&mut self, op: Op, ty: Type, args: &[Value]) -> Value {
        Value::inst(self.f.insert(At::End(self.b), op, ty, args, 0, self.place))
    }

    fn wide(&mut self, claim: Claim) -> Value {
        let a = self.op(Op::SExt, Type::I64, &[Value::inst(claim.a)]);
        let b = self.op(Op::SExt, Type::I64, &[Value::inst(claim.b)]);
        let product = self.op(Op::Mul, Type::I64, &[a, b]);
        let modulus = self.f.int_of(Type::I64, claim.modulus);
        let rest = self.op(Op::SRem, Type::I64, &[product, modulus]);
        self.op(Op::Trunc, Type::I32, &[rest])
    }

    /// By way of a b / 2^32 and that times 2^64, over 2^32. Half of the modulus is more than what each step
    /// brings too much, and what is negative at the end lacks one modulus.
    fn reduced(&mut self, claim: Claim) -> Value {
        let m = claim.modulus as u32;
        let inverse = (0..5).fold(m, |x, _| x.wrapping_mul(2u32.wrapping_sub(m.wrapping_mul(x))));
        let square = ((1u128 << 64) % u128::from(m)) as u32;
        let (a, b) = (Value::inst(claim.a), Value::inst(claim.b));
        let low = self.int_op(Op::Mul, a, b);
        let high = self.int_op(Op::SMulHi, a, b);
        let once = self.reduce(m, high, low, inverse);
        let factor = self.f.int(square as i32);
        let high = self.int_op(Op::SMulHi, once, factor);
        let twice = self.reduce(m, high, once, square.wrapping_mul(inverse));
        let (bits, modulus) = (self.f.int(31), self.f.int(m as i32));
        let sign = self.int_op(Op::AShr, twice, bits);
        let lacks = self.int_op(Op::And, sign, modulus);
        self.int_op(Op::Add, twice, lacks)
    }

    /// The upper half of what is left when the lower half is made 0 by a multiple of the modulus: as often as
    /// `factor` times `low` says.
    fn reduce(&mut self, m: u32, high: Value, low: Value, factor: u32) -> Value {
        let (modulus, factor) = (self.f.int(m as i32), self.f.int(factor as i32));
        let times = self.int_op(Op::Mul, low, factor);
        let taken = self.int_op(Op::SMulHi, times, modulus);
        self.int_op(Op::Sub, high, taken)
    }

    fn int_op(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.op(op, Type::I32, &[a, b])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::TargetFacts;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::run::testing::{apply_for, run};

    const HALVES: &str = "entry:
           %z = icmp eq i32 %b, 0
           br i1 %z, label %none, label %some
         none:
           ret i32 0
         some:
           %o = icmp eq i32 %b, 1
           br i1 %o, label %one, label %more
         one:
           %r = srem i32 %a, MODULUS
           ret i32 %r
         more:
           %h = sdiv i32 %b, 2
           %c = call i32 @f(i32 %a, i32 %h)
           %t = shl i32 %c, 1
           %d = srem i32 %t, MODULUS
           %p = and i32 %b, -2147483647
           %q = icmp eq i32 %p, 1
           br i1 %q, label %odd, label %even
         odd:
           %s = add i32 %d, %a
           %e = srem i32 %s, MODULUS
           ret i32 %e
         even:
           ret i32 %d";

    const STEPS: &str = "entry:
           %z = icmp sgt i32 %b, 0
           br i1 %z, label %more, label %none
         none:
           ret i32 0
         more:
           %h = sub i32 %b, 1
           %c = call i32 @f(i32 %a, i32 %h)
           %s = add i32 %a, %c
           %e = srem i32 %s, MODULUS
           ret i32 %e";

    const SELECTS: &str = "entry:
           %z = icmp eq i32 %a, 0
           br i1 %z, label %none, label %more
         none:
           ret i32 0
         more:
           %h = ashr i32 %a, 1
           %c = call i32 @f(i32 %h, i32 %b)
           %d = add i32 %c, %c
           %p = srem i32 %a, 2
           %q = icmp ne i32 %p, 0
           %x = select i1 %q, i32 %b, i32 0
           %m = srem i32 %d, MODULUS
           %s = add i32 %m, %x
           %e = srem i32 %s, MODULUS
           ret i32 %e";

    fn text(body: &str, modulus: i64) -> String {
        let numbers = [0, 1, 2, 3, 17, 46341, 998244352, 998244353, 1 << 30, i64::from(i32::MAX), -1, -5];
        let mut calls = String::new();
        for (k, (a, b)) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))).enumerate() {
            // Steps of one would take forever.
            let b = if body == STEPS { b.min(20) } else { b };
            calls += &format!("  %x{k} = call i32 @f(i32 {a}, i32 {b})\n  call void @putint(i32 %x{k})\n");
            calls += "  call void @putch(i32 32)\n";
        }
        format!(
            "declare void @putint(i32)\ndeclare void @putch(i32)\n
             define i32 @f(i32 %a, i32 %b) {{\n{}\n}}\ndefine i32 @main() {{\n{calls}  ret i32 0\n}}",
            body.replace("MODULUS", &modulus.to_string())
        )
    }

    fn machines() -> [TargetFacts; 2] {
        [32, 64].map(|word| TargetFacts { word, ..TargetFacts::default() })
    }

    #[test]
    fn products_are_what_recursion_made_of_any_arguments() {
        for body in [HALVES, STEPS, SELECTS] {
            for (target, modulus) in
                machines().iter().flat_map(|&t| [3, 7, 998_244_353, 1_000_003].map(|m| (t, m)))
            {
                let before = parse(&text(body, modulus)).unwrap();
                let mut after = before.clone();
                assert!(apply_for(target, &[&MODULAR_PRODUCT], &mut after), "{body} {modulus}");
                assert_eq!(run(&before, ""), run(&after, ""), "{modulus} {}", print::module(&after));
                let text = print::module(&after);
                assert!(!apply_for(target, &[&MODULAR_PRODUCT], &mut after), "{text}");
            }
        }
    }

    #[test]
    fn what_may_wrap_around_or_is_another_sum_stays() {
        let others = [
            (HALVES, "%t = shl i32 %c, 1", "%t = shl i32 %c, 2"),
            (HALVES, "%h = sdiv i32 %b, 2", "%h = sdiv i32 %b, 3"),
            (HALVES, "%s = add i32 %d, %a", "%s = add i32 %d, 1"),
            (HALVES, "%s = add i32 %d, %a", "%s = sub i32 %d, %a"),
            (HALVES, "%e = srem i32 %s, MODULUS", "%e = add i32 %s, 0"),
            (HALVES, "%z = icmp eq i32 %b, 0", "%z = icmp eq i32 %b, 2"),
            (HALVES, "%q = icmp eq i32 %p, 1", "%q = icmp eq i32 %p, 0"),
            (HALVES, "ret i32 0", "ret i32 1"),
            (HALVES, "call i32 @f(i32 %a, i32 %h)", "call i32 @f(i32 %h, i32 %a)"),
            (STEPS, "%h = sub i32 %b, 1", "%h = sub i32 %b, 0"),
            (STEPS, "%h = sub i32 %b, 1", "%h = sub i32 %b, 2"),
            (STEPS, "%s = add i32 %a, %c", "%s = mul i32 %a, %c"),
        ];
        for target in machines() {
            for (body, from, to) in others {
                let changed = body.replace(from, to);
                assert_ne!(changed, body);
                let mut module = parse(&text(&changed, 998_244_353)).unwrap();
                assert!(!apply_for(target, &[&MODULAR_PRODUCT], &mut module), "{to}");
            }
            for (body, modulus) in [(HALVES, 2), (HALVES, i64::from(i32::MAX)), (HALVES, (1 << 30) + 1)] {
                let mut module = parse(&text(body, modulus)).unwrap();
                assert!(!apply_for(target, &[&MODULAR_PRODUCT], &mut module), "{modulus}");
            }
        }
    }
}
