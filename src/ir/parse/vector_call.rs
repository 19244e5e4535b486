//! Intrinsics that are about several lanes of a vector: reductions, masked, gathered and scattered memory, parts of vectors and
//! what puts them together, numbers of lanes. What is done to each lane by itself is a call a lane (`lanes`).
//!
//! No block is made: a lane that is masked out is read from or written to memory aside, as in `scalarise`. O(lanes) each,
//! O(lanes^2) with a mask that is a constant.

use super::aggregate::{Compound, Made};
use super::attribute::Attributes;
use super::builder::{Builder, Operand};
use super::keywords::Places;
use super::lexer::{Text, Token};
use super::neon::{self, Given, Neon};
use super::vector::{Lanes, VSCALE};
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::fold::Number;
use crate::ir::{Access, At, FloatPred, IntPred, Op, Shape, Type, Value};

/// What an intrinsic does.
#[derive(Copy, Clone)]
enum What {
    /// All lanes made one by this operation; by that of truth values where they are such.
    Reduce(Op, Op),
    /// The same of floats, behind a number that they begin with.
    ReduceFrom(Op),
    /// The least or greatest lane of floats.
    Extreme(FloatPred),
    MaskedLoad,
    MaskedStore,
    Gather,
    Scatter,
    StridedLoad,
    StridedStore,
    Insert,
    Extract,
    Splice,
    Reverse,
    Interleave,
    Deinterleave,
    Steps,
    ActiveLanes,
}

/// By name, without `llvm.` and `experimental.`, up to the types.
#[rustfmt::skip]
const KNOWN: [(&str, What); 27] = [
    ("vector.reduce.add", What::Reduce(Op::Add, Op::Xor)), ("vector.reduce.mul", What::Reduce(Op::Mul, Op::And)),
    ("vector.reduce.and", What::Reduce(Op::And, Op::And)), ("vector.reduce.or", What::Reduce(Op::Or, Op::Or)),
    ("vector.reduce.xor", What::Reduce(Op::Xor, Op::Xor)), ("vector.reduce.smin", What::Reduce(Op::SMin, Op::Or)),
    ("vector.reduce.smax", What::Reduce(Op::SMax, Op::And)), ("vector.reduce.umin", What::Reduce(Op::UMin, Op::And)),
    ("vector.reduce.umax", What::Reduce(Op::UMax, Op::Or)), ("vector.reduce.fadd", What::ReduceFrom(Op::FAdd)),
    ("vector.reduce.fmul", What::ReduceFrom(Op::FMul)), ("vector.reduce.fmin", What::Extreme(FloatPred::Olt)),
    ("vector.reduce.fmax", What::Extreme(FloatPred::Ogt)), ("masked.load", What::MaskedLoad),
    ("masked.store", What::MaskedStore), ("masked.gather", What::Gather), ("masked.scatter", What::Scatter),
    ("vp.strided.load", What::StridedLoad), ("vp.strided.store", What::StridedStore),
    ("vector.insert", What::Insert), ("vector.extract", What::Extract), ("vector.splice", What::Splice),
    ("vector.reverse", What::Reverse), ("vector.interleave2", What::Interleave),
    ("vector.deinterleave2", What::Deinterleave), ("stepvector", What::Steps), ("get.active.lane.mask", What::ActiveLanes),
];

/// The row of a function's name.
fn row(name: &str) -> Option<What> {
    let name = name.strip_prefix("llvm.")?;
    let name = name.strip_prefix("experimental.").unwrap_or(name);
    KNOWN
        .iter()
        .find(|row| name.strip_prefix(row.0).is_some_and(|rest| rest.starts_with('.')))
        .map(|row| row.1)
}

/// The operation that all lanes of integers are made one by, if that is what a function does.
pub(super) fn reduces_by(name: &str) -> Option<Op> {
    match row(name)? {
        What::Reduce(op, _) => Some(op),
        _ => None,
    }
}

/// True for an intrinsic that is read here.
pub(super) fn is_known(name: &str) -> bool {
    row(name).is_some() || neon::row(name).is_some()
}

/// An argument.
struct Arg {
    /// Its type, if it is a vector; a scalar is one lane.
    lanes: Option<Lanes>,
    values: Vec<Value>,
    said: Attributes,
}

impl Arg {
    fn scalar(&self) -> Option<Value> {
        self.values.first().copied().filter(|_| self.lanes.is_none())
    }

    /// The lanes, if they are of this type.
    fn of(&self, element: Type, count: u32) -> Option<&[Value]> {
        self.lanes.filter(|lanes| lanes.fits(Lanes::new(element, count))).map(|_| &*self.values)
    }
}

/// The type of a result.
enum Wanted {
    Vector(Lanes),
    Scalar(Type),
    Parts(Compound),
}

/// What a call yields.
enum Yields {
    Nothing,
    Scalar(Value),
    Vector(Vec<Value>),
    Parts(Vec<Value>),
}

impl<'a> Parser<'a> {
    /// Reads a call of such an intrinsic; the token is its first word.
    pub(super) fn vector_call(&mut self, b: &mut Builder, result: Option<Text<'a>>) -> Parsed<()> {
        if !self.eat_word("tail")? {
            self.eat_word("notail")?;
        }
        self.expect_word("call")?;
        self.float_flags()?;
        self.convention()?;
        self.attributes(Places::RESULT)?;
        let wanted = match self.token {
            Token::Mark(b'<') if self.vector_ahead().is_some() => Wanted::Vector(self.vector_type()?),
            Token::Mark(b'{') => Wanted::Parts(self.compound_type()?),
            _ => Wanted::Scalar(self.ty()?),
        };
        let at = self.start;
        let Token::Global(text) = self.token else { return self.expected("a function") };
        self.advance()?;
        let name = text.raw;
        let args = self.vector_arguments(b)?;
        let what = row(name);
        let yields = match (what, neon::row(name)) {
            (Some(what), _) => self.yields(b, what, &wanted, &args)?,
            (None, Some(what)) => self.neon_yields(b, what, &wanted, &args)?,
            (None, None) => None,
        };
        self.metadata_behind()?;
        match (yields, wanted) {
            (Some(Yields::Nothing), Wanted::Scalar(Type::Void)) if result.is_none() => Ok(()),
            (Some(Yields::Scalar(v)), Wanted::Scalar(ty)) if b.f.type_of(v) == ty => self.bind(b, result, v),
            (Some(Yields::Vector(values)), Wanted::Vector(lanes))
                if values.len() == lanes.count as usize
                    && values.iter().all(|&v| b.f.type_of(v) == lanes.element) =>
            {
                self.bind_lanes(b, result, lanes, values)
            }
            (Some(Yields::Parts(parts)), Wanted::Parts(compound))
                if parts.len() == compound.parts.len()
                    && parts.iter().zip(&compound.parts).all(|(&v, part)| b.f.type_of(v) == part.0) =>
            {
                b.made = Some(Made { parts, bits: None, mem: compound.mem });
                self.bind(b, result, Value::undef(Type::Void))
            }
            _ => self.error_at(at, format!("`{name}` is not supported, or not with these arguments")),
        }
    }

    /// The result of an intrinsic of Arm's.
    fn neon_yields(
        &mut self,
        b: &mut Builder,
        what: Neon,
        wanted: &Wanted,
        args: &[Arg],
    ) -> Parsed<Option<Yields>> {
        let (lane, count) = match wanted {
            Wanted::Vector(lanes) => (lanes.element, lanes.count as usize),
            Wanted::Scalar(Type::Void) => (Type::Void, 0),
            Wanted::Scalar(ty) => (*ty, 1),
            Wanted::Parts(compound) => {
                (compound.parts.first().map_or(Type::Void, |part| part.0), compound.parts.len())
            }
        };
        let args: Vec<&[Value]> = args.iter().map(|arg| &*arg.values).collect();
        let found = self.neon(b, what, &Given { args: &args, lane, count })?;
        Ok(found.and_then(|values| match wanted {
            Wanted::Vector(_) => Some(Yields::Vector(values)),
            Wanted::Parts(_) => Some(Yields::Parts(values)),
            Wanted::Scalar(Type::Void) => Some(Yields::Nothing),
            Wanted::Scalar(_) => values.first().copied().map(Yields::Scalar),
        }))
    }

    fn vector_arguments(&mut self, b: &mut Builder) -> Parsed<Vec<Arg>> {
        self.expect(b'(')?;
        let mut args = Vec::new();
        while self.token != Token::Mark(b')') {
            let lanes = if self.vector_ahead().is_some() { Some(self.vector_type()?) } else { None };
            let ty = match lanes {
                Some(lanes) => lanes.element,
                None => self.ty()?,
            };
            let said = self.attributes(Places::PARAMETER)?;
            self.suits(&said, ty)?;
            let values = match lanes {
                Some(lanes) => self.lanes_settled(b, lanes)?,
                None => {
                    let v = self.operand(b, ty)?;
                    vec![b.settled(v)]
                }
            };
            args.push(Arg { lanes, values, said });
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        self.call_attributes()?;
        Ok(args)
    }

    /// The result; none if the arguments are not what they have to be.
    fn yields(
        &mut self,
        b: &mut Builder,
        what: What,
        wanted: &Wanted,
        args: &[Arg],
    ) -> Parsed<Option<Yields>> {
        let of_first = args.first().and_then(|arg| arg.lanes);
        let vector = if let Wanted::Vector(lanes) = wanted { Some(*lanes) } else { None };
        Ok(match (what, args, vector) {
            (What::Reduce(op, of_bits), [v], None)
                if of_first.is_some_and(|lanes| lanes.element.is_int()) =>
            {
                let element = of_first.map_or(Type::Void, |lanes| lanes.element);
                let op = if element == Type::I1 { of_bits } else { op };
                b.reduced(&v.values, |b, x, y| b.folded(op, element, &[x, y], 0)).map(Yields::Scalar)
            }
            (What::ReduceFrom(op), [first, v], None) => {
                let ty = v.lanes.map_or(Type::Void, |lanes| lanes.element);
                first.scalar().filter(|&first| ty.is_float() && b.f.type_of(first) == ty).map(|first| {
                    let all = v.values.iter();
                    Yields::Scalar(all.fold(first, |sum, &lane| b.make(op, ty, &[sum, lane], 0)))
                })
            }
            (What::Extreme(pred), [v], None) => {
                let ty = v.lanes.map_or(Type::Void, |lanes| lanes.element);
                let all = Some(&*v.values).filter(|_| ty.is_float());
                let most = all.and_then(|all| b.reduced(all, |b, x, y| b.further(ty, pred, x, y)));
                most.map(Yields::Scalar)
            }
            (What::MaskedLoad, [address, align, mask, other], Some(to)) => {
                let masked = Self::mask_of(mask, to.count).zip(other.of(to.element, to.count));
                match (masked, address.scalar(), self.alignment_of(b, address, align)) {
                    (Some((mask, other)), Some(address), Some(access)) => {
                        let mut lanes = Vec::new();
                        for (k, (&bit, &other)) in (0..).zip(mask.iter().zip(other)) {
                            let place = (address, k, access);
                            lanes.push(self.masked_load(b, to.element, place, bit, other)?);
                        }
                        Some(Yields::Vector(lanes))
                    }
                    _ => None,
                }
            }
            (What::Gather, [from, align, mask, other], Some(to)) => {
                let masked = Self::mask_of(mask, to.count).zip(other.of(to.element, to.count));
                match (masked, from.of(Type::Ptr, to.count), self.alignment_of(b, from, align)) {
                    (Some((mask, other)), Some(from), Some(access)) => {
                        let mut lanes = Vec::new();
                        for ((&address, &bit), &other) in from.iter().zip(mask).zip(other) {
                            let place = (address, 0, access);
                            lanes.push(self.masked_load(b, to.element, place, bit, other)?);
                        }
                        Some(Yields::Vector(lanes))
                    }
                    _ => None,
                }
            }
            (What::MaskedStore, [v, address, align, mask], None) => {
                let mask = v.lanes.and_then(|lanes| Self::mask_of(mask, lanes.count));
                match (mask, address.scalar(), self.alignment_of(b, address, align)) {
                    (Some(mask), Some(address), Some(access)) => {
                        for (k, (&lane, &bit)) in (0..).zip(v.values.iter().zip(mask)) {
                            self.masked_store(b, lane, (address, k, access), bit)?;
                        }
                        Some(Yields::Nothing)
                    }
                    _ => None,
                }
            }
            (What::Scatter, [v, to, align, mask], None) => {
                let count = v.values.len() as u32;
                let masked = Self::mask_of(mask, count).zip(to.of(Type::Ptr, count));
                match (masked, self.alignment_of(b, to, align)) {
                    (Some((mask, to)), Some(access)) if v.lanes.is_some() => {
                        for ((&lane, &address), &bit) in v.values.iter().zip(to).zip(mask) {
                            self.masked_store(b, lane, (address, 0, access), bit)?;
                        }
                        Some(Yields::Nothing)
                    }
                    _ => None,
                }
            }
            (What::StridedLoad, [address, stride, mask, count], Some(to)) => {
                match (Self::mask_of(mask, to.count), address.scalar(), stride.scalar(), count.scalar()) {
                    (Some(mask), Some(address), Some(stride), Some(count)) => {
                        let access = Access { align: address_align(&args[0]) };
                        let mut lanes = Vec::new();
                        for (k, &bit) in mask.iter().enumerate() {
                            let (place, bit) = self.strided(b, (address, stride), k, (bit, count));
                            let other = Value::undef(to.element);
                            b.f.note_type(to.element);
                            lanes.push(self.masked_load(b, to.element, (place, 0, access), bit, other)?);
                        }
                        Some(Yields::Vector(lanes))
                    }
                    _ => None,
                }
            }
            (What::StridedStore, [v, address, stride, mask, count], None) => {
                let mask = v.lanes.and_then(|lanes| Self::mask_of(mask, lanes.count));
                match (mask, address.scalar(), stride.scalar(), count.scalar()) {
                    (Some(mask), Some(to), Some(stride), Some(count)) => {
                        let access = Access { align: address_align(address) };
                        for (k, (&lane, &bit)) in v.values.iter().zip(mask).enumerate() {
                            let (place, bit) = self.strided(b, (to, stride), k, (bit, count));
                            self.masked_store(b, lane, (place, 0, access), bit)?;
                        }
                        Some(Yields::Nothing)
                    }
                    _ => None,
                }
            }
            (What::Insert, [v, part, first], Some(_)) => {
                let range = first_of(b, first, part.lanes).filter(|&first| first < v.values.len());
                range.filter(|first| first + part.values.len() <= v.values.len()).map(|first| {
                    let mut lanes = v.values.clone();
                    lanes[first..first + part.values.len()].copy_from_slice(&part.values);
                    Yields::Vector(lanes)
                })
            }
            (What::Extract, [v, first], Some(to)) => {
                let first = first_of(b, first, Some(to));
                let lanes = first.and_then(|first| v.values.get(first..first + to.count as usize));
                lanes.map(|lanes| Yields::Vector(lanes.to_vec()))
            }
            (What::Splice, [v, other, by], Some(to)) => {
                let count = to.count as usize;
                let by = by.scalar().and_then(|by| b.f.as_int(by));
                let first = by.and_then(|by| {
                    let first = if by < 0 { count as i64 + by } else { by };
                    usize::try_from(first).ok().filter(|&first| first <= count)
                });
                let both: Vec<Value> = v.values.iter().chain(&other.values).copied().collect();
                let lanes = first.and_then(|first| both.get(first..first + count));
                lanes.map(|lanes| Yields::Vector(lanes.to_vec()))
            }
            (What::Reverse, [v], Some(_)) => Some(Yields::Vector(v.values.iter().rev().copied().collect())),
            (What::Interleave, [v, other], Some(_)) => {
                let pairs = v.values.iter().zip(&other.values);
                Some(Yields::Vector(pairs.flat_map(|(&x, &y)| [x, y]).collect()))
            }
            (What::Deinterleave, [v], None) => {
                let of = |k: usize| v.values.iter().skip(k).step_by(2).copied();
                Some(Yields::Parts(of(0).chain(of(1)).collect()))
            }
            (What::Steps, [], Some(to)) if to.element.is_int() => {
                let lanes = (0..i64::from(to.count)).map(|k| b.f.constant(Number::int(to.element, k)));
                Some(Yields::Vector(lanes.collect()))
            }
            (What::ActiveLanes, [from, most], Some(to)) => from
                .scalar()
                .zip(most.scalar())
                .filter(|&(from, most)| {
                    let ty = b.f.type_of(from);
                    ty.is_int() && ty == b.f.type_of(most)
                })
                .map(|(from, most)| {
                    Yields::Vector((0..to.count).map(|k| b.is_active(from, most, k)).collect())
                }),
            _ => None,
        })
    }

    fn mask_of(mask: &Arg, count: u32) -> Option<&[Value]> {
        mask.of(Type::I1, count)
    }

    /// What is known of the access to a lane: the alignment is an argument, or said of the address.
    fn alignment_of(&self, b: &Builder, address: &Arg, align: &Arg) -> Option<Access> {
        let number = b.f.as_int(align.scalar()?)?;
        let align = u32::try_from(number).ok()?.max(address.said.align).max(1);
        align.is_power_of_two().then_some(Access { align })
    }

    /// The address of lane `k` of those that are so many bytes apart, and whether it is among the first `count` of the mask.
    fn strided(
        &self,
        b: &mut Builder,
        (address, stride): (Value, Value),
        k: usize,
        (bit, count): (Value, Value),
    ) -> (Value, Value) {
        let (of_stride, of_count) = (b.f.type_of(stride), b.f.type_of(count));
        let times = b.f.int_of(of_stride, k as i64);
        let distance = b.folded(Op::Mul, of_stride, &[stride, times], 0);
        let shape = self.leaving(Shape::scalar(Type::I8), true).index() as u32;
        let place = b.make(Op::ElemAddr, Type::Ptr, &[address, distance], shape);
        let number = b.f.int_of(of_count, k as i64);
        let is_among = b.folded(Op::ICmp, Type::I1, &[number, count], IntPred::Ult as u32);
        (place, b.folded(Op::And, Type::I1, &[bit, is_among], 0))
    }

    /// A lane of memory, where its bit says so.
    fn masked_load(
        &mut self,
        b: &mut Builder,
        element: Type,
        (address, k, access): (Value, u32, Access),
        bit: Value,
        other: Value,
    ) -> Parsed<Value> {
        let known = b.f.as_int(bit);
        if known == Some(0) {
            return Ok(other);
        }
        let (address, access) = self.aside_unless(b, element, (address, k, access), bit)?;
        let lane = self.load_of(b, element, Operand::Value(address), access, false)?;
        match known {
            None if !other.is_undef() => Ok(b.make(Op::Select, element, &[bit, lane, other], 0)),
            _ => Ok(lane),
        }
    }

    fn masked_store(
        &mut self,
        b: &mut Builder,
        lane: Value,
        place: (Value, u32, Access),
        bit: Value,
    ) -> Parsed<()> {
        if b.f.as_int(bit) == Some(0) {
            return Ok(());
        }
        let element = b.f.type_of(lane);
        let (address, access) = self.aside_unless(b, element, place, bit)?;
        self.store_of(b, element, Operand::Value(lane), Operand::Value(address), access, false)
    }

    /// The address of lane `k`, or of memory aside where its bit is not set.
    fn aside_unless(
        &mut self,
        b: &mut Builder,
        element: Type,
        (address, k, access): (Value, u32, Access),
        bit: Value,
    ) -> Parsed<(Value, Access)> {
        let at = k * self.module.env.shapes.bytes_of(element);
        let place = self.place_behind(b, Operand::Value(address), at).now();
        let access = self.access_at(element, access, at);
        if b.f.as_int(bit).is_some() {
            return Ok((place, access));
        }
        let aside = match b.aside {
            Some(aside) => aside,
            None => {
                let Some(entry) = b.f.entry() else { return self.expected("a block") };
                let shape = self.module.env.shapes.of(Type::I64, &[1]).index() as u32;
                let room = b.f.insert(At::Start(entry), Op::Alloca, Type::Ptr, &[], shape, b.place());
                // Zeros, so that nothing is read that has not been written.
                b.f.insert(At::After(room), Op::MemInit, Type::Void, &[Value::inst(room)], 8, b.place());
                *b.aside.insert(Value::inst(room))
            }
        };
        Ok((b.make(Op::Select, Type::Ptr, &[bit, place, aside], 0), access))
    }
}

/// What is said of the alignment of an address; 1 for nothing.
fn address_align(address: &Arg) -> u32 {
    address.said.align.max(1)
}

/// The number of the first lane of a part: of a part that is scalable it counts vectors of the least length.
fn first_of(b: &Builder, first: &Arg, part: Option<Lanes>) -> Option<usize> {
    let first = usize::try_from(b.f.as_int(first.scalar()?)?).ok().filter(|&first| first < 1 << 16)?;
    Some(if part?.is_scalable { first * VSCALE as usize } else { first })
}

impl Builder {
    /// All lanes made one, each half with the other, so that few wait for each other.
    fn reduced(
        &mut self,
        lanes: &[Value],
        mut both: impl FnMut(&mut Builder, Value, Value) -> Value,
    ) -> Option<Value> {
        let mut lanes = lanes.to_vec();
        while lanes.len() > 1 {
            let half = lanes.len().div_ceil(2);
            for k in half..lanes.len() {
                lanes[k - half] = both(self, lanes[k - half], lanes[k]);
            }
            lanes.truncate(half);
        }
        lanes.first().copied()
    }

    /// The lesser or greater of two floats, or the one that is a number (`llvm.minnum`, `llvm.maxnum`).
    fn further(&mut self, ty: Type, pred: FloatPred, x: Value, y: Value) -> Value {
        let is_further = self.make(Op::FCmp, Type::I1, &[x, y], pred as u32);
        let is_none = self.make(Op::FCmp, Type::I1, &[y, y], FloatPred::Uno as u32);
        let is_x = self.make(Op::Or, Type::I1, &[is_further, is_none], 0);
        self.make(Op::Select, ty, &[is_x, x, y], 0)
    }

    /// True if lane `k` counted from a number is below another one; sums do not wrap.
    fn is_active(&mut self, from: Value, most: Value, k: u32) -> Value {
        let ty = self.f.type_of(from);
        let k = self.f.int_of(ty, i64::from(k));
        let sum = self.folded(Op::Add, ty, &[from, k], 0);
        let is_below = self.folded(Op::ICmp, Type::I1, &[sum, most], IntPred::Ult as u32);
        let fits = self.folded(Op::ICmp, Type::I1, &[sum, from], IntPred::Uge as u32);
        self.folded(Op::And, Type::I1, &[is_below, fits], 0)
    }
}
