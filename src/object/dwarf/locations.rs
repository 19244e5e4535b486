//! Where variables are: attributes and location expressions of DWARF 5 (section 2.6). O(spans and terms of formulas).

use super::{Maker, address};
use crate::base::formula::{Operator, Term};
use crate::object::code::Spot;
use crate::object::debug::{Home, Span, Type, TypeRow, Variable};
use crate::object::module::Section;
use gimli::write::{AttributeValue, Expression, Location, LocationList, UnitEntryId};
use gimli::{DwAte, Register, constants as dw};

/// Names and qualifiers of a scalar that are looked through.
const MOST_NAMES: usize = 64;

impl Maker<'_> {
    /// Where a variable is, of a function that starts there, or of all.
    pub(super) fn home(&mut self, entry: UnitEntryId, start: Option<(Section, u64)>, variable: &Variable) {
        let mut place = Expression::new();
        match variable.home {
            Home::Lost => {
                if let Some(start) = start {
                    self.spans(entry, start, variable);
                }
                return;
            }
            Home::Value(bits) => {
                // As memory would have it: a number would be the value of a float, and of what has no sign another one.
                let all = bits.to_le_bytes();
                let value = match self.scalar(variable.ty).and_then(|(_, bytes)| all.get(..bytes as usize)) {
                    Some(bytes) => AttributeValue::Block(bytes.to_vec()),
                    None => AttributeValue::Sdata(bits),
                };
                return self.set(entry, dw::DW_AT_const_value, value);
            }
            Home::Frame(offset) => place.op_fbreg(offset),
            Home::Datum(number) => {
                let (section, offset) = self.placed.data[number as usize];
                place.op_addr(address(section, offset));
            }
        }
        self.set(entry, dw::DW_AT_location, AttributeValue::Exprloc(place));
    }

    /// Says where a variable is that is not always in one place.
    fn spans(&mut self, entry: UnitEntryId, (section, start): (Section, u64), variable: &Variable) {
        if variable.spans.is_empty() {
            return;
        }
        let is_float = self.scalar(variable.ty).is_some_and(|row| row == (dw::DW_ATE_float, 4));
        let (is_one, formulas) = (self.is_one(), self.formulas);
        let of = |&Span { start: first, end, at }: &Span| {
            let mut data = Expression::new();
            match at {
                Spot::Register(register) => data.op_reg(Register(register)),
                Spot::Frame(offset) => data.op_fbreg(offset.into()),
                Spot::Value(bits) if is_float => {
                    data.op_implicit_value(bits.to_le_bytes().to_vec().into_boxed_slice());
                }
                Spot::Formula(row) => {
                    let terms = formulas.get(row as usize)?;
                    terms.iter().try_for_each(|&term| self.term(&mut data, term))?;
                    data.op(dw::DW_OP_stack_value);
                }
                Spot::Address(_) | Spot::Value(_) | Spot::Global(_) => {
                    self.term(&mut data, Term::Leaf(at))?;
                    data.op(dw::DW_OP_stack_value);
                }
            }
            let (begin, end) = (start + u64::from(first), start + u64::from(end));
            Some(match is_one {
                true => Location::OffsetPair { begin, end, data },
                false => Location::StartLength { begin: address(section, begin), length: end - begin, data },
            })
        };
        let list = variable.spans.iter().filter_map(of).collect();
        let list = self.unit.locations.add(LocationList(list));
        self.set(entry, dw::DW_AT_location, AttributeValue::LocationListRef(list));
    }

    /// Appends what computes a term; none if it is not known.
    fn term(&self, data: &mut Expression, term: Term<Spot>) -> Option<()> {
        let bits = 8 * u64::from(self.unit.address_size());
        let extend = |data: &mut Expression, back: dw::DwOp| {
            if bits > 32 {
                data.op_constu(bits - 32);
                data.op(dw::DW_OP_shl);
                data.op_constu(bits - 32);
                data.op(back);
            }
        };
        match term {
            Term::Leaf(Spot::Register(register)) => data.op_breg(Register(register), 0),
            Term::Leaf(Spot::Frame(offset)) => {
                data.op_fbreg(offset.into());
                data.op_deref();
            }
            Term::Leaf(Spot::Address(offset)) => data.op_fbreg(offset.into()),
            Term::Leaf(Spot::Value(bits)) => data.op_consts(i64::from(bits as i32)),
            Term::Leaf(Spot::Global(number)) => {
                let &(section, offset) = self.placed.data.get(number as usize)?;
                // What is not there has no place.
                Some(section).filter(|section| !self.placed.text.contains(section))?;
                data.op_addr(address(section, offset));
            }
            Term::Leaf(Spot::Formula(_)) => return None,
            Term::Number(number) if bits > 32 => data.op_consts(number),
            Term::Number(number) => data.op_consts(i64::from(number as i32)),
            Term::Apply(Operator::SignExtend) => extend(data, dw::DW_OP_shra),
            Term::Apply(Operator::ZeroExtend) => extend(data, dw::DW_OP_shr),
            Term::Apply(operator) => data.op(match operator {
                Operator::Add => dw::DW_OP_plus,
                Operator::Sub => dw::DW_OP_minus,
                Operator::Mul => dw::DW_OP_mul,
                Operator::Div => dw::DW_OP_div,
                Operator::And => dw::DW_OP_and,
                Operator::Or => dw::DW_OP_or,
                Operator::Xor => dw::DW_OP_xor,
                Operator::Shl => dw::DW_OP_shl,
                Operator::Shr | Operator::WideShr => dw::DW_OP_shr,
                Operator::Shra | Operator::WideShra => dw::DW_OP_shra,
                Operator::SignExtend | Operator::ZeroExtend => return None,
            }),
        }
        Some(())
    }

    /// How a scalar is encoded and its bytes, by whatever name or qualifier it is called; none of what is no scalar.
    fn scalar(&self, mut ty: Type) -> Option<(DwAte, u32)> {
        // Types of a text may name each other in a ring.
        for _ in 0..MOST_NAMES {
            ty = match self.debug.types.get(ty)? {
                TypeRow::Const(of) | TypeRow::Volatile(of) | TypeRow::Named(_, of) => *of,
                TypeRow::Int => return Some((dw::DW_ATE_signed, 4)),
                TypeRow::Float => return Some((dw::DW_ATE_float, 4)),
                TypeRow::Scalar(_, encoding, bytes) => return Some((DwAte(*encoding), *bytes)),
                TypeRow::Pointer(_) => return Some((dw::DW_ATE_address, self.unit.address_size().into())),
                TypeRow::Enumeration(all) => return Some((dw::DW_ATE_signed, all.bytes)),
                _ => return None,
            };
        }
        None
    }
}
