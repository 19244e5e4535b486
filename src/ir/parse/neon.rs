//! Intrinsics of Arm's Advanced SIMD (`<arm_neon.h>`) that are no instruction of LLVM's, lane by lane: what lanes are computed of, in twice the width
//! where the instruction keeps bits that a lane has no room for, and then cut down. (Arm's "Neon intrinsics reference"; rows are by the
//! names that clang prints.) O(lanes) each; what is not a row is refused by name (`vector_call`).

use super::builder::{Builder, Operand};
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::{Access, IntPred, Op, Shape, Type, Value};

/// Whether numbers have a sign.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Sign {
    Unsigned,
    Signed,
}
use Sign::{Signed, Unsigned};

/// What an intrinsic does.
#[derive(Copy, Clone)]
pub(super) enum Neon {
    /// This of each lane of both.
    Each(Op),
    /// Products in twice the width.
    Product(Sign),
    /// This of pairs of lanes, of one vector and then the other one.
    Pairs(Op),
    /// Sums of pairs in twice the width.
    PairSums(Sign),
    /// All lanes made one by this, in a register.
    Across(Op, Sign),
    /// The sum of all lanes in twice the width.
    Sum(Sign),
    /// How far lanes are apart.
    Distance(Sign),
    /// Half of a sum, or difference, or of one more.
    Halved(Op, Sign, bool),
    /// Sums and differences that stay at the end of what there is.
    Saturated(Op, Sign),
    /// Lanes of half the width: of these numbers, the nearest of those.
    Narrowed(Sign, Sign),
    /// The upper halves of sums or differences, rounded or not.
    High(Op, bool),
    /// A shift by a number that each lane has, to the right if it is negative; rounded where the number is known, or not.
    Shifted(Sign, bool),
    /// A shift to the right by one number, to half the width: cut down, or the nearest of such numbers; rounded or not.
    ShiftedNarrow(Sign, Option<Sign>, bool),
    /// Lanes of tables of so many bytes; of another vector in front of these where there is no such lane, or zeros.
    Table(usize, bool),
    /// Sums of four products each, to a sum.
    Dot(Sign),
    /// Vectors of memory, of which lanes stand in turn, or not.
    Load(usize, bool),
    Store(usize, bool),
}
use Neon::*;

/// By name behind `llvm.aarch64.neon.`, up to the types.
#[rustfmt::skip]
const AARCH64: [(&str, Neon); 77] = [
    ("umull", Product(Unsigned)), ("smull", Product(Signed)),
    ("umin", Each(Op::UMin)), ("umax", Each(Op::UMax)), ("smin", Each(Op::SMin)), ("smax", Each(Op::SMax)), ("abs", Each(Op::Abs)),
    ("addp", Pairs(Op::Add)), ("faddp", Pairs(Op::FAdd)), ("uminp", Pairs(Op::UMin)), ("umaxp", Pairs(Op::UMax)),
    ("sminp", Pairs(Op::SMin)), ("smaxp", Pairs(Op::SMax)),
    ("uaddlp", PairSums(Unsigned)), ("saddlp", PairSums(Signed)),
    ("uaddlv", Sum(Unsigned)), ("saddlv", Sum(Signed)),
    ("uaddv", Across(Op::Add, Unsigned)), ("saddv", Across(Op::Add, Signed)),
    ("faddv", Across(Op::FAdd, Signed)), ("uminv", Across(Op::UMin, Unsigned)), ("umaxv", Across(Op::UMax, Unsigned)),
    ("sminv", Across(Op::SMin, Signed)), ("smaxv", Across(Op::SMax, Signed)),
    ("uabd", Distance(Unsigned)), ("sabd", Distance(Signed)),
    ("uhadd", Halved(Op::Add, Unsigned, false)), ("shadd", Halved(Op::Add, Signed, false)),
    ("urhadd", Halved(Op::Add, Unsigned, true)), ("srhadd", Halved(Op::Add, Signed, true)),
    ("uhsub", Halved(Op::Sub, Unsigned, false)), ("shsub", Halved(Op::Sub, Signed, false)),
    ("uqadd", Saturated(Op::Add, Unsigned)), ("sqadd", Saturated(Op::Add, Signed)),
    ("uqsub", Saturated(Op::Sub, Unsigned)), ("sqsub", Saturated(Op::Sub, Signed)),
    ("sqxtn", Narrowed(Signed, Signed)), ("uqxtn", Narrowed(Unsigned, Unsigned)), ("sqxtun", Narrowed(Signed, Unsigned)),
    ("addhn", High(Op::Add, false)), ("raddhn", High(Op::Add, true)), ("subhn", High(Op::Sub, false)), ("rsubhn", High(Op::Sub, true)),
    ("ushl", Shifted(Unsigned, false)), ("sshl", Shifted(Signed, false)), ("urshl", Shifted(Unsigned, true)), ("srshl", Shifted(Signed, true)),
    ("rshrn", ShiftedNarrow(Unsigned, None, true)),
    ("sqshrn", ShiftedNarrow(Signed, Some(Signed), false)), ("sqrshrn", ShiftedNarrow(Signed, Some(Signed), true)),
    ("sqshrun", ShiftedNarrow(Signed, Some(Unsigned), false)), ("sqrshrun", ShiftedNarrow(Signed, Some(Unsigned), true)),
    ("uqshrn", ShiftedNarrow(Unsigned, Some(Unsigned), false)), ("uqrshrn", ShiftedNarrow(Unsigned, Some(Unsigned), true)),
    ("tbl1", Table(1, false)), ("tbl2", Table(2, false)), ("tbl3", Table(3, false)), ("tbl4", Table(4, false)),
    ("tbx1", Table(1, true)), ("tbx2", Table(2, true)), ("tbx3", Table(3, true)), ("tbx4", Table(4, true)),
    ("udot", Dot(Unsigned)), ("sdot", Dot(Signed)),
    ("ld1x2", Load(2, false)), ("ld1x3", Load(3, false)), ("ld1x4", Load(4, false)),
    ("ld2", Load(2, true)), ("ld3", Load(3, true)), ("ld4", Load(4, true)),
    ("st1x2", Store(2, false)), ("st1x3", Store(3, false)), ("st1x4", Store(4, false)),
    ("st2", Store(2, true)), ("st3", Store(3, true)), ("st4", Store(4, true)),
    ("fabd", Distance(Signed)),
];

/// The row of a function's name.
pub(super) fn row(name: &str) -> Option<Neon> {
    let name = name.strip_prefix("llvm.aarch64.neon.")?;
    let first = name.split('.').next()?;
    AARCH64.iter().find(|row| row.0 == first).map(|row| row.1)
}

/// What is passed, and wanted.
pub(super) struct Given<'v> {
    /// Lanes of each argument; a scalar is one.
    pub(super) args: &'v [&'v [Value]],
    /// The type of the lanes of the result, and how many there are: of all vectors, if it has several.
    pub(super) lane: Type,
    pub(super) count: usize,
}

/// The integer of twice the width.
fn twice(ty: Type) -> Option<Type> {
    match ty {
        Type::I8 => Some(Type::I16),
        Type::I16 => Some(Type::I32),
        Type::I32 => Some(Type::I64),
        _ => None,
    }
}

/// The least and the greatest number of a type.
fn ends(ty: Type, sign: Sign) -> (i64, i64) {
    let bits = ty.int_bits();
    match sign {
        Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        Unsigned => (0, (1 << bits) - 1),
    }
}

impl Builder {
    fn widened(&mut self, v: Value, to: Type, sign: Sign) -> Value {
        let from = self.f.type_of(v);
        let op = if sign == Signed { Op::SExt } else { Op::ZExt };
        self.resized(Operand::Value(v), from, to, op).now()
    }

    fn cut(&mut self, v: Value, to: Type) -> Value {
        let from = self.f.type_of(v);
        self.resized(Operand::Value(v), from, to, Op::ZExt).now()
    }

    /// The nearest number of another type, in this one.
    fn nearest(&mut self, v: Value, of: Sign, to: Type, sign: Sign) -> Value {
        let ty = self.f.type_of(v);
        let (least, most) = ends(to, sign);
        let [least, most] = [least, most].map(|end| self.f.int_of(ty, end));
        if of == Unsigned {
            return self.folded(Op::UMin, ty, &[v, most], 0);
        }
        let v = self.folded(Op::SMax, ty, &[v, least], 0);
        self.folded(Op::SMin, ty, &[v, most], 0)
    }

    /// A shift by a number that is not known: to the left, or to the right if that is negative.
    fn shifted_by(&mut self, ty: Type, x: Value, by: Value, sign: Sign) -> Value {
        let by = self.cut(by, Type::I8);
        let by = self.widened(by, ty, Signed);
        let [zero, bits, last] =
            [0, ty.int_bits(), ty.int_bits() - 1].map(|n| self.f.int_of(ty, i64::from(n)));
        let negative = self.make(Op::Sub, ty, &[zero, by], 0);
        let distance = self.choice(ty, (IntPred::Slt, by, zero), negative, by);
        // Nothing is shifted by more than there is.
        let most = self.choice(ty, (IntPred::Ult, distance, bits), distance, last);
        let left = self.make(Op::Shl, ty, &[x, most], 0);
        let left = self.choice(ty, (IntPred::Ult, distance, bits), left, zero);
        let right = self.make(if sign == Signed { Op::AShr } else { Op::LShr }, ty, &[x, most], 0);
        let right = match sign {
            Signed => right,
            Unsigned => self.choice(ty, (IntPred::Ult, distance, bits), right, zero),
        };
        self.choice(ty, (IntPred::Slt, by, zero), right, left)
    }

    /// A shift of a number to the right, rounded or not: the bit below decides, and is added behind, where nothing is lost.
    fn shifted_right(&mut self, v: Value, by: i64, sign: Sign, rounds: bool) -> Value {
        let ty = self.f.type_of(v);
        let op = if sign == Signed { Op::AShr } else { Op::LShr };
        let below = self.by(op, ty, v, by - 1);
        let whole = self.by(op, ty, below, 1);
        if !rounds {
            return whole;
        }
        let bit = self.by(Op::And, ty, below, 1);
        self.make(Op::Add, ty, &[whole, bit], 0)
    }
}

impl Parser<'_> {
    /// The lanes of the result, those of several vectors one behind the other; none if the arguments are not what they have to be.
    pub(super) fn neon(&mut self, b: &mut Builder, what: Neon, given: &Given) -> Parsed<Option<Vec<Value>>> {
        let &Given { args, lane, count } = given;
        let of = |b: &Builder, k: usize| {
            args.get(k).and_then(|v| v.first()).map_or(Type::Void, |&v| b.f.type_of(v))
        };
        let (first, second) = (of(b, 0), of(b, 1));
        let is_alike = args.len() == 2 && first == second && args[0].len() == args[1].len();
        let is_same = is_alike && first == lane && args[0].len() == count;
        let is_int = first.is_int() && first != Type::I1;
        let pairs = || args[0].iter().copied().zip(args[1].iter().copied());
        let mut found = Vec::new();
        match what {
            Each(Op::Abs) if args.len() == 1 && first == lane && is_int => {
                found.extend(args[0].iter().map(|&x| b.folded(Op::Abs, lane, &[x], 0)));
            }
            Each(op) if is_same && is_int => {
                found.extend(pairs().map(|(x, y)| b.folded(op, lane, &[x, y], 0)))
            }
            Product(sign) if is_alike && is_int && twice(first) == Some(lane) => {
                for (x, y) in pairs() {
                    let both = [x, y].map(|v| b.widened(v, lane, sign));
                    found.push(b.folded(Op::Mul, lane, &both, 0));
                }
            }
            Pairs(op) if is_same && first.is_float() == (op == Op::FAdd) && first != Type::I1 => {
                let all: Vec<Value> = args.concat();
                found.extend(all.chunks_exact(2).map(|two| b.folded(op, lane, two, 0)));
            }
            PairSums(sign) if args.len() == 1 && is_int && twice(first) == Some(lane) => {
                for two in args[0].chunks_exact(2) {
                    let both = [two[0], two[1]].map(|v| b.widened(v, lane, sign));
                    found.push(b.folded(Op::Add, lane, &both, 0));
                }
            }
            Across(op, sign)
                if args.len() == 1
                    && count == 1
                    && (first == lane || is_int && lane.is_int())
                    && first.is_float() == (op == Op::FAdd) =>
            {
                let mut all = args[0].to_vec();
                while all.len() > 1 {
                    all = all
                        .chunks(2)
                        .map(|two| if two.len() < 2 { two[0] } else { b.folded(op, first, two, 0) })
                        .collect();
                }
                let whole = all.first().copied();
                found.extend(whole.map(|v| if first == lane { v } else { b.widened(v, lane, sign) }));
            }
            Sum(sign) if args.len() == 1 && count == 1 && is_int && first.int_bits() < lane.int_bits() => {
                let mut sum = b.f.int_of(lane, 0);
                for &v in args[0] {
                    let v = b.widened(v, lane, sign);
                    sum = b.folded(Op::Add, lane, &[sum, v], 0);
                }
                found.push(sum);
            }
            Distance(_) if is_same && first.is_float() => {
                for (x, y) in pairs() {
                    let difference = b.make(Op::FSub, lane, &[x, y], 0);
                    found.push(b.make(Op::FAbs, lane, &[difference], 0));
                }
            }
            Distance(sign) if is_same && is_int => {
                let [most, least] = if sign == Signed { [Op::SMax, Op::SMin] } else { [Op::UMax, Op::UMin] };
                for (x, y) in pairs() {
                    let ends = [most, least].map(|op| b.folded(op, lane, &[x, y], 0));
                    found.push(b.folded(Op::Sub, lane, &ends, 0));
                }
            }
            Halved(op, sign, rounds)
                if is_same
                    && is_int
                    && let Some(wide) = twice(lane) =>
            {
                for (x, y) in pairs() {
                    let both = [x, y].map(|v| b.widened(v, wide, sign));
                    let mut whole = b.folded(op, wide, &both, 0);
                    if rounds {
                        whole = b.by(Op::Add, wide, whole, 1);
                    }
                    let half = b.by(Op::LShr, wide, whole, 1);
                    found.push(b.cut(half, lane));
                }
            }
            Saturated(op, sign)
                if is_same
                    && is_int
                    && let Some(wide) = twice(lane) =>
            {
                for (x, y) in pairs() {
                    let both = [x, y].map(|v| b.widened(v, wide, sign));
                    let whole = b.folded(op, wide, &both, 0);
                    // A difference of numbers without a sign may have one.
                    let of = if op == Op::Sub { Signed } else { sign };
                    let whole = b.nearest(whole, of, lane, sign);
                    found.push(b.cut(whole, lane));
                }
            }
            Narrowed(of, sign) if args.len() == 1 && is_int && twice(lane) == Some(first) => {
                for &v in args[0] {
                    let v = b.nearest(v, of, lane, sign);
                    found.push(b.cut(v, lane));
                }
            }
            High(op, rounds) if is_alike && is_int && twice(lane) == Some(first) => {
                let bits = i64::from(lane.int_bits());
                for (x, y) in pairs() {
                    let mut whole = b.folded(op, first, &[x, y], 0);
                    if rounds {
                        whole = b.by(Op::Add, first, whole, 1 << (bits - 1));
                    }
                    let half = b.by(Op::LShr, first, whole, bits);
                    found.push(b.cut(half, lane));
                }
            }
            Shifted(sign, rounds) if is_same && is_int => {
                for (x, y) in pairs() {
                    // The lowest byte says how far.
                    let Some(by) = b.f.as_int(y).map(|by| i64::from(by as i8)) else {
                        if rounds {
                            return Ok(None);
                        }
                        found.push(b.shifted_by(lane, x, y, sign));
                        continue;
                    };
                    let bits = i64::from(lane.int_bits());
                    found.push(match by {
                        0 => x,
                        1.. if by < bits => b.by(Op::Shl, lane, x, by),
                        _ if by < 0 && -by < bits => b.shifted_right(x, -by, sign, rounds),
                        _ if by == -bits && rounds && sign == Unsigned => b.by(Op::LShr, lane, x, bits - 1),
                        _ if by < 0 && sign == Signed && !rounds => b.by(Op::AShr, lane, x, bits - 1),
                        _ => b.f.int_of(lane, 0),
                    });
                }
            }
            ShiftedNarrow(of, to, rounds) if args.len() == 2 && is_int && twice(lane) == Some(first) => {
                let by = args[1].first().and_then(|&by| b.f.as_int(by));
                let Some(by) = by.filter(|by| (1..=i64::from(lane.int_bits())).contains(by)) else {
                    return Ok(None);
                };
                for &v in args[0] {
                    let mut v = b.shifted_right(v, by, of, rounds);
                    if let Some(sign) = to {
                        v = b.nearest(v, of, lane, sign);
                    }
                    found.push(b.cut(v, lane));
                }
            }
            Table(tables, keeps) if lane == Type::I8 && args.len() == tables + 1 + usize::from(keeps) => {
                let (others, rest) = args.split_at(usize::from(keeps));
                let (from, at) = rest.split_at(tables);
                if rest.iter().chain(others).any(|v| v.iter().any(|&v| b.f.type_of(v) != lane)) {
                    return Ok(None);
                }
                let zero = b.f.int_of(lane, 0);
                let other = |k: usize| others.first().and_then(|v| v.get(k)).copied().unwrap_or(zero);
                found = self.looked_up(b, &from.concat(), at[0], other)?;
            }
            Dot(sign)
                if args.len() == 3
                    && first == Type::I32
                    && lane == first
                    && second == Type::I8
                    && of(b, 2) == second =>
            {
                let products = args[1].chunks(4).zip(args[2].chunks(4));
                for (&sum, (x, y)) in args[0].iter().zip(products) {
                    let mut sum = sum;
                    for (&x, &y) in x.iter().zip(y) {
                        let both = [x, y].map(|v| b.widened(v, lane, sign));
                        let product = b.folded(Op::Mul, lane, &both, 0);
                        sum = b.folded(Op::Add, lane, &[sum, product], 0);
                    }
                    found.push(sum);
                }
            }
            Load(vectors, in_turn) if args.len() == 1 && first == Type::Ptr && count % vectors == 0 => {
                let (address, each) = (Operand::Value(args[0][0]), count / vectors);
                for k in 0..count {
                    let place = if in_turn { k % each * vectors + k / each } else { k };
                    found.push(self.load_lane(
                        b,
                        lane,
                        (address, place as u32),
                        Access { align: 1 },
                        false,
                    )?);
                }
            }
            Store(vectors, in_turn)
                if args.len() == vectors + 1 && of(b, vectors) == Type::Ptr && count == 0 =>
            {
                let address = Operand::Value(args[vectors][0]);
                let each = args[0].len();
                if args[..vectors].iter().any(|v| v.len() != each || b.f.type_of(v[0]) != first) {
                    return Ok(None);
                }
                for (k, v) in args[..vectors].concat().into_iter().enumerate() {
                    let place = if in_turn { k % each * vectors + k / each } else { k };
                    let access = Access { align: 1 };
                    self.store_lane(b, v, (address, place as u32), access, false)?;
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(found))
    }

    /// Bytes of a table, by memory of the function's but for those whose number is known.
    fn looked_up(
        &mut self,
        b: &mut Builder,
        table: &[Value],
        at: &[Value],
        other: impl Fn(usize) -> Value,
    ) -> Parsed<Vec<Value>> {
        let mut room = None;
        let mut found = Vec::new();
        for (k, &at) in at.iter().enumerate() {
            if let Some(at) = b.f.as_int(at) {
                found.push(table.get(usize::from(at as u8)).copied().unwrap_or(other(k)));
                continue;
            }
            let address = match room {
                Some(address) => address,
                None => {
                    let shape = self.module.env.shapes.of(Type::I64, &[table.len().div_ceil(8) as u32]);
                    let address = self.local_room(b, shape)?;
                    for (k, &v) in table.iter().enumerate() {
                        let place = self.place_behind(b, address, k as u32);
                        b.insert(Op::Store, Type::Void, &[Operand::Value(v), place], 0);
                    }
                    *room.insert(address)
                }
            };
            let number = b.widened(at, Type::I32, Unsigned);
            let [end, zero] = [table.len() as i64, 0].map(|x| b.f.int_of(Type::I32, x));
            let is_in = b.make(Op::ICmp, Type::I1, &[number, end], IntPred::Ult as u32);
            let number = b.make(Op::Select, Type::I32, &[is_in, number, zero], 0);
            let byte = Shape::scalar(Type::I8).index() as u32;
            let place = b.make(Op::ElemAddr, Type::Ptr, &[address.now(), number], byte);
            let v = b.make(Op::Load, Type::I8, &[place], 0);
            let other = other(k);
            found.push(b.make(Op::Select, Type::I8, &[is_in, v, other], 0));
        }
        Ok(found)
    }
}
