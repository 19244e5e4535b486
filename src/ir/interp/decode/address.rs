//! Addresses as forms: what loads and stores can reach without an instruction of its own.

use super::super::code::{Code, FRAME, Slot, ZERO};
use super::Decoder;
use crate::base::Handle;
use crate::ir::{Inst, Op, Shape, Type, Value};

/// `base + 4 * index + offset`; the index is an i32.
#[derive(Copy, Clone, Debug)]
pub(super) struct Form {
    pub(super) base: Slot,
    /// `ZERO` for none.
    pub(super) index: Slot,
    pub(super) offset: i64,
}

impl Default for Form {
    fn default() -> Self {
        Form { base: ZERO, index: ZERO, offset: 0 }
    }
}

/// An element address taken apart: the form of its base, constant steps added, and its other indices with
/// strides.
struct Steps {
    start: Form,
    dynamic: Vec<Step>,
}

#[derive(Copy, Clone)]
struct Step {
    index: Slot,
    stride: u32,
    /// The index has 64 bits.
    is_wide: bool,
}

impl Step {
    /// What an access takes as it is.
    fn is_element(self) -> bool {
        self.stride == 4 && !self.is_wide
    }
}

impl Decoder<'_> {
    /// How an address is reached.
    pub(super) fn form(&self, v: Value) -> Form {
        match v.as_inst() {
            Some(i) if matches!(self.f.op(i), Op::Alloca | Op::ElemAddr) => self.forms[i],
            Some(i) => Form { base: self.slots[i], ..Form::default() },
            None => Form { offset: self.literal(v) as i64, ..Form::default() },
        }
    }

    /// True if something needs the address itself, as a number.
    fn is_needed(&self, i: Inst) -> bool {
        let f = self.f;
        f.uses(i).any(|u| !matches!((f.op(u.user), u.operand), (Op::Load | Op::ElemAddr, 0) | (Op::Store, 1)))
    }

    fn steps(&self, i: Inst) -> Steps {
        let (f, shapes) = (self.f, &self.env.shapes);
        let mut start = self.form(f.arg(i, 0));
        let mut dynamic = Vec::new();
        if start.index != ZERO {
            dynamic.push(Step { index: start.index, stride: 4, is_wide: false });
            start.index = ZERO;
        }
        let mut shape = Shape::new(f.payload(i) as usize);
        for (k, &v) in f.args(i)[1..].iter().enumerate() {
            if k != 0 {
                shape = shapes.element(shape);
            }
            let stride = shapes.bytes(shape) as u32;
            match (f.as_int(v), v.as_inst()) {
                (Some(x), _) => start.offset = start.offset.wrapping_add(x.wrapping_mul(stride.into())),
                (None, Some(i)) => {
                    dynamic.push(Step { index: self.slots[i], stride, is_wide: f.ty(i) == Type::I64 });
                }
                (None, None) => {}
            }
        }
        Steps { start, dynamic }
    }

    /// Gives an alloca its place, or an element address its form.
    pub(super) fn assign_form(&mut self, i: Inst) {
        if self.f.op(i) == Op::Alloca {
            let bytes = self.env.shapes.bytes(Shape::new(self.f.payload(i) as usize));
            let align = if bytes <= 4 { 4 } else { 8 };
            let offset = self.frame_bytes.next_multiple_of(align);
            self.frame_bytes = offset.saturating_add(bytes).min(u64::from(u32::MAX) - 64);
            self.forms[i] = Form { base: FRAME, index: ZERO, offset: offset as i64 };
            return;
        }
        let own = Form { base: self.slots[i], ..Form::default() };
        let Steps { start, dynamic } = self.steps(i);
        self.forms[i] = match *dynamic.as_slice() {
            [] => start,
            _ if self.is_needed(i) => own,
            [step] if step.is_element() => Form { index: step.index, ..start },
            [.., step] if step.is_element() => Form { index: step.index, offset: start.offset, ..own },
            _ => Form { offset: start.offset, ..own },
        };
    }

    /// Computes what the form of an alloca or element address takes from the instruction's own slot.
    pub(super) fn address(&mut self, i: Inst) {
        let d = self.slots[i];
        let needed = self.is_needed(i);
        if self.f.op(i) == Op::Alloca {
            if needed {
                let (a, x) = self.in_reach(FRAME, self.forms[i].offset);
                self.emit(Code::Address { d, a, x });
            }
            return;
        }
        let Steps { start, mut dynamic } = self.steps(i);
        let form = self.forms[i];
        if form.base != d && !needed {
            return;
        }
        if form.base == d && form.index != ZERO {
            dynamic.pop();
        }
        let mut a = start.base;
        for Step { index, stride, is_wide } in dynamic {
            self.emit(if is_wide {
                Code::AddressWide { d, a, i: index, stride }
            } else if stride.is_power_of_two() {
                Code::AddressShift { d, a, i: index, shift: stride.trailing_zeros() as u8 }
            } else {
                Code::AddressMul { d, a, i: index, stride }
            });
            a = d;
        }
        if needed && (start.offset != 0 || a != d) {
            let (a, x) = self.in_reach(a, start.offset);
            self.emit(Code::Address { d, a, x });
        }
    }

    /// A base and an offset, of which as much is in the base as the code of an access has no room for.
    pub(super) fn in_reach(&mut self, base: Slot, offset: i64) -> (Slot, i32) {
        if let Ok(x) = i32::try_from(offset) {
            return (base, x);
        }
        let d = self.temp();
        self.set_literal(d, offset as u64);
        if base != ZERO {
            self.emit(Code::Add64 { d, a: base, b: d });
        }
        (d, 0)
    }
}
