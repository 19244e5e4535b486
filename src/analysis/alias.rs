//! Whether two accesses of memory may overlap: the objects that their addresses point into, and how far apart
//! they are.
//!
//! An address is a sum (`sum`): a value that the steps to it begin at, multiples of subscripts, and a number. Of two
//! addresses that begin at the same value the difference says how far apart they are: if it is no number, up to
//! multiples of what all its factors have in common. `a[i][1]` is never `a[j][2]`.
//!
//! If that does not help, subscripts are taken apart down to 32-bit sums and products, which may wrap around.
//! An object is smaller than 2^31 bytes, so a distance inside of it is known by its value modulo 2^32. O(1):
//! a few steps are followed and a few summands are kept.
//!
//! All values are those of one moment: of two accesses in different rounds of a loop, what the loop computes
//! may be different.

use super::effects::{Effects, base_of_region};
use super::memory::{Base, base_of, written};
use super::sum::{Sum, flatten};
use crate::base::Handle;
use crate::ir::{Body, Env, FuncId, Inst, Op, Shape, Type, Value};

/// Steps to an address that are followed.
const MOST_STEPS: usize = 12;

/// An address taken apart.
#[derive(Copy, Clone, Debug)]
struct Address {
    /// Where the steps begin, subscripts with the bytes that each is worth, and bytes.
    sum: Sum<Value>,
    /// Nothing wraps around.
    is_exact: bool,
}

/// How the bytes of two accesses are to each other.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// They have none in common.
    Never,
    /// Nothing is known.
    Maybe,
    /// They are at the same address.
    Same,
}

/// Where the steps to an address begin.
fn root(f: &Body, mut v: Value) -> Value {
    for _ in 0..MOST_STEPS {
        let Some(i) = v.as_inst().filter(|&i| f.op(i) == Op::ElemAddr) else { break };
        v = f.arg(i, 0);
    }
    v
}

/// How many bytes an address is behind where the steps to it begin, if that is a number, and whether nothing wraps around.
/// Fast path: what fills arrays compares little else, and took 9% more of -O2 with sums for it.
fn offset(env: &Env, f: &Body, mut v: Value) -> Option<(i64, bool)> {
    let (mut bytes, mut is_exact) = (0i64, true);
    for _ in 0..MOST_STEPS {
        let Some(i) = v.as_inst().filter(|&i| f.op(i) == Op::ElemAddr) else { break };
        let mut shape = Shape::new(f.payload(i) as usize);
        is_exact &= !env.shapes.may_leave(shape);
        for &subscript in &f.args(i)[1..] {
            let (element, stride) = env.shapes.element_and_bytes(shape);
            let more = f.as_int(subscript)?.checked_mul(i64::try_from(stride).ok()?)?;
            bytes = bytes.checked_add(more)?;
            shape = element;
        }
        v = f.arg(i, 0);
    }
    Some((bytes, is_exact))
}

/// Takes an address apart, its subscripts too if `is_deep`; none if that is too much.
fn address(env: &Env, f: &Body, v: Value, is_deep: bool) -> Option<Address> {
    let (mut sum, mut is_exact) = (Sum::number(0), true);
    let opens = |i: Inst| {
        let is_step = f.op(i) == Op::ElemAddr;
        let opened = is_step || is_deep && is_part(f, i);
        is_exact &= !opened || is_step && !env.shapes.may_leave(Shape::new(f.payload(i) as usize));
        opened
    };
    flatten(env, f, v, opens, |v, factor| match f.as_int(v) {
        Some(x) => sum.add_number(x.checked_mul(factor)?),
        None => sum.add(v, factor),
    })?;
    Some(Address { sum, is_exact })
}

/// True for what a subscript can be taken apart at.
fn is_part(f: &Body, i: Inst) -> bool {
    match f.op(i) {
        Op::Add | Op::Sub => f.ty(i) == Type::I32,
        Op::Mul | Op::Shl => f.ty(i) == Type::I32 && f.as_int(f.arg(i, 1)).is_some(),
        _ => false,
    }
}

impl Address {
    /// True if a subscript could be taken apart.
    fn has_parts(&self, f: &Body) -> bool {
        self.sum.terms().iter().any(|(v, _)| v.as_inst().is_some_and(|i| is_part(f, i)))
    }
}

/// True if addresses with these bases in a function may lead to the same memory.
pub fn may_share(env: &Env, func: FuncId, a: Base, b: Base) -> bool {
    match (a, b) {
        (Base::Own(a), Base::Own(b)) => a == b,
        (Base::Global(a), Base::Global(b)) => a == b,
        (Base::Own(_), Base::Global(_) | Base::Param(_)) => false,
        (Base::Global(_) | Base::Param(_), Base::Own(_)) => false,
        (Base::Global(global), Base::Param(k)) | (Base::Param(k), Base::Global(global)) => {
            let points_to = &env.funcs[func].points_to;
            !env.globals[global].uncaptured && points_to.as_ref().is_none_or(|of| of.may_lead_into(k, global))
        }
        (Base::Param(a), Base::Param(b)) => {
            env.funcs[func].points_to.as_ref().is_none_or(|of| of.may_meet(a, b))
        }
        (Base::Unknown, _) | (_, Base::Unknown) => true,
    }
}

/// True if an instruction that writes may write to the object that an address leads to.
pub fn may_write(env: &Env, effects: &Effects, f: &Body, i: Inst, at: Value) -> bool {
    let base = base_of(f, at);
    let shares = |other| may_share(env, f.func, base, other);
    match f.op(i) {
        Op::Call => effects
            .writes(f.callee(i))
            .is_none_or(|regions| regions.iter().any(|&region| shares(base_of_region(f, i, region)))),
        _ => written(f, i).is_none_or(|to| shares(base_of(f, to))),
    }
}

/// An access that is compared with several others: so many bytes at an address. What is found of it is kept,
/// as long as the body is what it was.
#[derive(Clone, Debug)]
pub struct Compared {
    at: Value,
    bytes: u64,
    base: Base,
    root: Value,
    /// How far it is from there, once that has been asked.
    offset: Option<Option<(i64, bool)>>,
    /// Its address with whole subscripts, and with their parts.
    addresses: [Option<Address>; 2],
}

impl Compared {
    /// An access, not compared with any yet.
    pub fn new(f: &Body, (at, bytes): (Value, u64)) -> Compared {
        Compared { at, bytes, base: base_of(f, at), root: root(f, at), offset: None, addresses: [None, None] }
    }

    /// How it is to another one.
    pub fn overlap(&mut self, env: &Env, f: &Body, (at, bytes): (Value, u64)) -> Overlap {
        if self.at == at {
            return Overlap::Same;
        }
        if !may_share(env, f.func, self.base, base_of(f, at)) {
            return Overlap::Never;
        }
        if self.root != root(f, at) {
            return Overlap::Maybe;
        }
        let own = *self.offset.get_or_insert_with(|| offset(env, f, self.at));
        if let Some(own) = own
            && let Some(other) = offset(env, f, at)
            && let Some(distance) = other.0.checked_sub(own.0)
        {
            return at_distance(distance, own.1 && other.1, [self.bytes, bytes]);
        }
        for is_deep in [false, true] {
            let own = &mut self.addresses[usize::from(is_deep)];
            *own = own.or_else(|| address(env, f, self.at, is_deep));
            let (Some(x), Some(y)) = (own, address(env, f, at, is_deep)) else { continue };
            let known = compare(x, self.bytes, &y, bytes);
            if known != Overlap::Maybe || !x.has_parts(f) && !y.has_parts(f) {
                return known;
            }
        }
        Overlap::Maybe
    }
}

/// How an access to an address, of so many bytes, is to another one.
pub fn overlap(env: &Env, f: &Body, a: (Value, u64), b: (Value, u64)) -> Overlap {
    if a.0 == b.0 { Overlap::Same } else { Compared::new(f, a).overlap(env, f, b) }
}

/// How an access of so many bytes is to another one.
fn compare(a: &Address, a_bytes: u64, b: &Address, b_bytes: u64) -> Overlap {
    let is_exact = a.is_exact && b.is_exact;
    let Some(apart) = b.sum.plus(&a.sum, -1) else { return Overlap::Maybe };
    // The distance is `constant` and a multiple of `common`.
    let common = apart.terms().iter().fold(0, |common, &(_, factor)| gcd(common, factor, is_exact));
    let constant = apart.constant();
    if common == 0 {
        return at_distance(constant, is_exact, [a_bytes, b_bytes]);
    }
    let ahead = constant.rem_euclid(common as i64) as u64;
    if ahead >= a_bytes && common - ahead >= b_bytes { Overlap::Never } else { Overlap::Maybe }
}

/// How two accesses are to each other, the second of which is so many bytes behind the first.
fn at_distance(distance: i64, is_exact: bool, [a_bytes, b_bytes]: [u64; 2]) -> Overlap {
    let distance = if is_exact { distance } else { i64::from(distance as i32) };
    match distance {
        0 => Overlap::Same,
        1.. if distance as u64 >= a_bytes => Overlap::Never,
        ..0 if distance.unsigned_abs() >= b_bytes => Overlap::Never,
        _ => Overlap::Maybe,
    }
}

/// What two numbers have in common. If sums wrap around, of the second only the power of two counts.
fn gcd(a: u64, b: i64, is_exact: bool) -> u64 {
    let (mut a, mut b) = (a, b.unsigned_abs());
    if !is_exact {
        let low = b as u32;
        b = if low == 0 { 0 } else { 1 << low.trailing_zeros() };
    }
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // What does not fit is as good as nothing in common.
    if a > i64::MAX as u64 { 1 } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    /// How the first two loads of a function with these lines are to each other.
    fn between(lines: &str) -> Overlap {
        let text = format!(
            "@g = global [9 x [100 x i32]] zeroinitializer
             @h = global [9 x i32] zeroinitializer
             define void @f(i32 %i, i32 %j, i64 %w, ptr %x, ptr %y) {{
               %a = alloca [9 x i32]
               {lines}
               ret void
             }}"
        );
        let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let f = module.nth(0);
        let loads: Vec<Inst> = f.ops().filter(|&(_, op)| op == Op::Load).map(|(i, _)| i).collect();
        let access = |i: Inst| (f.arg(i, 0), u64::from(module.env.shapes.bytes_of(f.ty(i))));
        overlap(&module.env, f, access(loads[0]), access(loads[1]))
    }

    /// The same of two elements of @g.
    fn elements(before: &str, one: [&str; 2], other: [&str; 2]) -> Overlap {
        let address = |[row, column]: [&str; 2]| {
            format!("getelementptr inbounds [9 x [100 x i32]], ptr @g, i32 0, i32 {row}, i32 {column}")
        };
        let (one, other) = (address(one), address(other));
        between(&format!(
            "{before}
             %p = {one}
             %q = {other}
             %l = load i32, ptr %p
             %m = load i32, ptr %q"
        ))
    }

    #[test]
    fn elements_are_apart_by_a_constant_or_by_what_factors_have_in_common() {
        use Overlap::{Maybe, Never, Same};
        let mut next = "%k = add i32 %i, 1\n%n = shl i32 %i, 1\n%o = add i32 %n, 1\n%s = sub i32 %k, 1
             %t = mul i32 %i, 3\n%j3 = mul i32 %j, 3\n%u = add i32 %j3, 1\n"
            .to_string();
        // Sums of more terms than are kept.
        for k in 1..7 {
            next += &format!("%x{k} = xor i32 %i, {k}\n");
        }
        for (name, first, more) in [("sum", 1, 0), ("other", 6, 1)] {
            next += &format!("%{name}2 = add i32 %x{first}, %x2\n");
            for k in 3..6 {
                next += &format!("%{name}{k} = add i32 %{name}{}, %x{k}\n", k - 1);
            }
            next += &format!("%{name} = add i32 %{name}5, {more}\n");
        }
        let next = next.as_str();
        for (one, other, want) in [
            (["%i", "%j"], ["%i", "%j"], Same),
            (["%i", "%j"], ["%k", "%j"], Never),
            (["%i", "%j"], ["%s", "%j"], Same),
            (["%i", "%j"], ["%j", "%i"], Maybe),
            (["%i", "3"], ["%j", "4"], Never),
            (["%i", "3"], ["%j", "103"], Maybe),
            (["%i", "3"], ["%j", "-97"], Maybe),
            (["%i", "99"], ["%k", "-1"], Same),
            (["1", "%n"], ["2", "%o"], Never),
            (["1", "%n"], ["2", "%j"], Maybe),
            (["0", "%t"], ["0", "%u"], Maybe),
            (["0", "%sum"], ["0", "%other"], Maybe),
        ] {
            assert_eq!(elements(next, one, other), want, "{one:?} {other:?}");
            assert_eq!(elements(next, other, one), want, "{other:?} {one:?}");
        }
    }

    #[test]
    fn addresses_with_constant_subscripts_are_what_their_sums_say() {
        let at = |row: i32, column: i32, more: &str| {
            format!("getelementptr inbounds [9 x [100 x i32]], ptr @g, i32 0, i32 {row}, i32 {column}{more}")
        };
        for (k, other) in [(0, 0), (1, 0), (99, -1), (-1, 99), (100, 0), (7, 5)] {
            let text = format!(
                "@g = global [9 x [100 x i32]] zeroinitializer
                 define void @f() {{
                   %p = {}
                   %q0 = {}
                   %q = getelementptr i32, ptr %q0, i32 {other}
                   %l = load i32, ptr %p
                   %m = load i64, ptr %q
                   ret void
                 }}",
                at(2, k, ""),
                at(3, -100, ""),
            );
            let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let (f, env) = (module.nth(0), &module.env);
            let loads: Vec<Inst> = f.ops().filter(|&(_, op)| op == Op::Load).map(|(i, _)| i).collect();
            let [p, q] = [0, 1].map(|k| f.arg(loads[k], 0));
            let [x, y] = [p, q].map(|v| address(env, f, v, false).unwrap());
            assert!(offset(env, f, p).is_some() && offset(env, f, q).is_some());
            assert_eq!(overlap(env, f, (p, 4), (q, 8)), compare(&x, 4, &y, 8), "{text}");
            assert_eq!(overlap(env, f, (q, 8), (p, 4)), compare(&y, 8, &x, 4), "{text}");
        }
    }

    #[test]
    fn objects_and_widths_count() {
        let loads = |ty: &str, p: &str, q: &str| {
            between(&format!("%p = {p}\n%q = {q}\n%l = load {ty}, ptr %p\n%m = load i32, ptr %q"))
        };
        let at = |base: &str, k: i32| format!("getelementptr inbounds i32, ptr {base}, i32 {k}");
        assert_eq!(loads("i32", &at("@h", 0), &at("%a", 0)), Overlap::Never);
        assert_eq!(loads("i32", &at("%x", 0), &at("%a", 0)), Overlap::Never);
        assert_eq!(loads("i32", &at("%x", 0), &at("@h", 1)), Overlap::Maybe);
        assert_eq!(loads("i32", &at("%x", 0), &at("%y", 1)), Overlap::Maybe);
        assert_eq!(loads("i32", &at("%x", 0), &at("%x", 1)), Overlap::Never);
        assert_eq!(loads("i64", &at("%x", 0), &at("%x", 1)), Overlap::Maybe);
        assert_eq!(loads("i64", &at("%x", 2), &at("%x", 1)), Overlap::Never);
        assert_eq!(loads("<4 x i32>", &at("%x", 0), &at("%x", 3)), Overlap::Maybe);
        let wide = "getelementptr i32, ptr %x, i64 %w";
        assert_eq!(loads("i32", wide, &at("%x", 1)), Overlap::Maybe);
    }
}
