//! Addresses as sums: what IR says an address is, what register code makes of it, and whether that is the same.
//!
//! A sum is linear over results of instructions, with the frame and a constant. One of code does not know what
//! its parts are called, only all that a slot holds; they get their names from the sum that they have to be.

use super::super::super::code::{FRAME, Slot, ZERO};
use super::Checker;
use super::state::State;
use crate::base::Handle;
use crate::ir::{Inst, Op, Shape, Type, Value};

/// A part of a sum of code: any of these values times a factor.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) holds: Vec<Inst>,
    /// All 64 bits count; else 32, with a sign.
    pub(super) is_wide: bool,
    pub(super) factor: i64,
}

/// What register code computes of slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub(super) parts: Vec<Part>,
    /// How often the frame's address is in it.
    pub(super) frame: i64,
    pub(super) constant: i64,
}

impl Sum {
    pub(super) fn constant(bits: u64) -> Sum {
        Sum { constant: bits as i64, ..Sum::default() }
    }

    /// The constant, if there is nothing else.
    pub(super) fn as_constant(&self) -> Option<u64> {
        (self.parts.is_empty() && self.frame == 0).then_some(self.constant as u64)
    }

    pub(super) fn plus(mut self, other: Sum) -> Sum {
        self.parts.extend(other.parts);
        self.frame += other.frame;
        self.constant = self.constant.wrapping_add(other.constant);
        self
    }

    /// The same plus a slot times a factor. A constant index is 32 bits with a sign.
    pub(super) fn plus_slot(self, state: &State, slot: Slot, is_wide: bool, factor: i64) -> Sum {
        let mut sum = match slot {
            ZERO => Sum::default(),
            FRAME => Sum { frame: factor, ..Sum::default() },
            _ => match &state.sum(slot) {
                Some(sum) if is_wide && factor == 1 => (*sum).clone(),
                Some(sum) if sum.as_constant().is_some() => {
                    let x = if is_wide { sum.constant } else { i64::from(sum.constant as i32) };
                    Sum { constant: x.wrapping_mul(factor), ..Sum::default() }
                }
                _ => {
                    let part = Part { holds: state.values(slot).to_vec(), is_wide, factor };
                    Sum { parts: vec![part], ..Sum::default() }
                }
            },
        };
        sum = sum.plus(self);
        sum
    }
}

/// What an address is by name: factors of values (with whether 64 bits count), of the frame, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) parts: Vec<(Inst, bool, i64)>,
    pub(super) frame: i64,
    pub(super) constant: i64,
}

impl Named {
    fn add(&mut self, (i, is_wide): (Inst, bool), factor: i64) {
        match self.parts.iter_mut().find(|part| (part.0, part.1) == (i, is_wide)) {
            Some(part) => part.2 = part.2.wrapping_add(factor),
            None => self.parts.push((i, is_wide, factor)),
        }
        self.parts.retain(|part| part.2 != 0);
    }

    fn add_all(&mut self, other: &Named, factor: i64) {
        for &(i, is_wide, own) in &other.parts {
            self.add((i, is_wide), own.wrapping_mul(factor));
        }
        self.frame += other.frame * factor;
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
    }

    fn is_zero(&self) -> bool {
        self.parts.is_empty() && self.frame == 0 && self.constant == 0
    }
}

impl Checker<'_> {
    /// What IR says that an address is, down to what no address is computed from. O(its chain).
    pub(super) fn named(&self, address: Value) -> Named {
        let (f, shapes) = (self.d.f, &self.d.env.shapes);
        let mut sum = Named::default();
        let mut v = address;
        loop {
            let Some(i) = v.as_inst() else {
                sum.constant = sum.constant.wrapping_add(self.d.literal(v) as i64);
                return sum;
            };
            match f.op(i) {
                Op::Alloca => {
                    sum.frame += 1;
                    sum.constant = sum.constant.wrapping_add(self.d.forms[i].offset);
                    return sum;
                }
                Op::ElemAddr => {
                    let mut shape = Shape::new(f.payload(i) as usize);
                    for (k, &index) in f.args(i)[1..].iter().enumerate() {
                        if k != 0 {
                            shape = shapes.element(shape);
                        }
                        let stride = shapes.bytes(shape) as u32;
                        if let Some(x) = f.as_int(index) {
                            sum.constant = sum.constant.wrapping_add(x.wrapping_mul(stride.into()));
                        } else if let Some(at) = index.as_inst() {
                            sum.add((self.strip(at), f.ty(at) == Type::I64), stride.into());
                        }
                    }
                    v = f.arg(i, 0);
                }
                _ => {
                    sum.add((self.strip(i), true), 1);
                    return sum;
                }
            }
        }
    }

    /// What is left of a sum that should be, without one of code; the parts of that get names. Anything that the state
    /// says nothing of yet leaves nothing.
    fn rest(&self, state: &State, sum: &Sum, wanted: &Named) -> Named {
        let mut rest = wanted.clone();
        rest.frame -= sum.frame;
        rest.constant = rest.constant.wrapping_sub(sum.constant);
        for Part { holds, is_wide, factor } in &sum.parts {
            let fits = |part: &&(Inst, bool, i64)| part.1 == *is_wide && holds.contains(&part.0);
            let exact = rest.parts.iter().filter(fits).find(|part| part.2 == *factor);
            let part = exact.or_else(|| rest.parts.iter().find(fits)).map(|part| part.0);
            let made = holds.iter().find_map(|i| self.sums.get(i));
            match (part, made) {
                (Some(i), _) => rest.add((i, *is_wide), factor.wrapping_neg()),
                (None, Some(made)) => rest.add_all(made, factor.wrapping_neg()),
                // Nothing that can be here: it stays in the rest as it is.
                (None, None) => match holds.first() {
                    Some(&i) => rest.add((i, *is_wide), factor.wrapping_neg()),
                    None => rest.constant = rest.constant.wrapping_add(i64::MIN),
                },
            }
        }
        if rest.parts.iter().any(|part| state.is_open(part.0)) { Named::default() } else { rest }
    }

    /// An error unless a sum of code is the address.
    pub(super) fn is_address(&self, state: &State, sum: &Sum, address: Value) -> Result<(), String> {
        let rest = self.rest(state, sum, &self.named(address));
        if rest.is_zero() || !self.report {
            return Ok(());
        }
        Err(format!("reaches {sum:?}, not {address:?}: that leaves {rest:?}"))
    }

    /// Notes what the slot of an address holds, which may be a part of it: what follows then adds the rest.
    pub(super) fn note_address(&mut self, state: &State, sum: &Sum, i: Inst) {
        let all = self.named(Value::inst(i));
        let rest = self.rest(state, sum, &all);
        let mut part = all;
        part.add_all(&rest, -1);
        if rest.is_zero() {
            self.partial.remove(&i);
        } else {
            self.partial.insert(i);
        }
        self.sums.insert(i, part);
    }
}
