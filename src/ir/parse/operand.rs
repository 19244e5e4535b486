//! Literals and operands.

use super::attribute::Attributes;
use super::builder::{Builder, Operand};
use super::constant::begins;
use super::half::{TRAVELS, small_bits};
use super::keywords::Places;
use super::layout::offset;
use super::lexer::Token;
use super::vector::Lanes;
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::fold::Number;
use crate::ir::{At, Inst, Op, Shape, Type, Value};

impl Parser<'_> {
    /// The number that the token is, as a `ty`; does not advance.
    pub(super) fn literal(&self, ty: Type) -> Parsed<Number> {
        match self.token {
            Token::Word("true") if ty == Type::I1 => return Ok(Number::bool(true)),
            Token::Word("false") if ty == Type::I1 => return Ok(Number::bool(false)),
            Token::Word("zeroinitializer") if ty.is_int() || ty.is_float() => return Ok(Number::zero(ty)),
            Token::Int(text) if ty.is_int() => {
                let (low, high) = (-1i128 << (ty.int_bits() - 1), 1i128 << ty.int_bits());
                if let Ok(x) = text.parse::<i128>()
                    && (low..high).contains(&x)
                {
                    return Ok(Number::int(ty, x as i64));
                }
                return self.error(format!("{text} does not fit {}", ty.name()));
            }
            Token::Float(text) if ty == Type::I16 && small_bits(text).is_some() => {
                return Ok(Number::int(ty, small_bits(text).unwrap_or_default()));
            }
            Token::Float(text) if ty.is_float() => {
                return match (double_bits(text), float_literal(text, ty)) {
                    (_, Some(number)) => Ok(number),
                    (Some(_), None) => self.error(format!("{text} is not exactly a float")),
                    (None, None) => self.error(format!("{text} is not a number of type {}", ty.name())),
                };
            }
            _ => {}
        }
        self.expected(&format!("a value of type {}", ty.name()))
    }

    /// A value of type `ty`.
    pub(super) fn operand(&mut self, b: &mut Builder, ty: Type) -> Parsed<Operand> {
        if let Some((k, count)) = self.lane.filter(|_| self.is_lane) {
            return self.lane_operand(b, Lanes::new(ty, count), k);
        }
        let value = match self.token {
            Token::Local(text) => {
                let at = self.start;
                let name = self.local_operand(b, text)?;
                return match b.local_value(name) {
                    Some(v) if b.f.type_of(v) == ty => Ok(Operand::Value(v)),
                    Some(v) => {
                        let have = b.f.type_of(v).name();
                        self.error_at(at, format!("`%{}` is {have}, not {}", b.name_of(name), ty.name()))
                    }
                    None => Ok(Operand::Later { name, ty, at: at as u32 }),
                };
            }
            Token::Global(text) if ty == Type::Ptr => self.address_value(b, text, self.start)?,
            Token::Word("undef" | "poison") if ty != Type::Void => {
                b.f.note_type(ty);
                Value::undef(ty)
            }
            _ if ty.is_vector() => return self.vector_constant(b, ty),
            Token::Word("null" | "zeroinitializer") if ty == Type::Ptr => self.number_address(b, 0)?,
            Token::Word("getelementptr") if ty == Type::Ptr && self.steps_from_a_global() => {
                return self.constant_address(b);
            }
            Token::Word("xor") if ty.is_int() => return self.constant_xor(b, ty),
            Token::Word(word) if begins(word) || matches!(word, "dso_local_equivalent" | "no_cfi") => {
                return self.constant_operand(b, ty);
            }
            _ => {
                let number = self.literal(ty)?;
                b.f.constant(number)
            }
        };
        self.advance()?;
        Ok(Operand::Value(value))
    }

    /// `<i32 1, i32 2>`, `splat (i32 1)` and the like, as instructions at the head of the entry block.
    fn vector_constant(&mut self, b: &mut Builder, ty: Type) -> Parsed<Operand> {
        let lanes = self.lanes_constant(b, Lanes::new(ty.element(), ty.lanes()), 0)?;
        let lanes: Vec<Value> = lanes.into_iter().map(Operand::now).collect();
        let Some(entry) = b.f.entry() else { return self.expected("a block") };
        let place = b.place();
        let first = lanes.iter().copied().find(|v| !v.is_undef()).unwrap_or(Value::undef(ty.element()));
        let mut last = b.f.insert(At::Start(entry), Op::Splat, ty, &[first], 0, place);
        for (k, &lane) in lanes.iter().enumerate().filter(|&(_, &v)| v != first && !v.is_undef()) {
            let args = [Value::inst(last), lane];
            last = b.f.insert(At::After(last), Op::InsertLane, ty, &args, k as u32, place);
        }
        b.last_vector = Some(last);
        Ok(Operand::Value(Value::inst(last)))
    }

    /// A type and a value of it.
    pub(super) fn typed_operand(&mut self, b: &mut Builder) -> Parsed<(Type, Operand)> {
        let ty = self.ty()?;
        Ok((ty, self.operand(b, ty)?))
    }

    /// The same of a call, with attributes between, which are in `said`.
    pub(super) fn argument(&mut self, b: &mut Builder) -> Parsed<(Type, Operand)> {
        let ty = self.ty()?;
        let is_small = self.small;
        self.said = match self.token {
            Token::Local(_) | Token::Int(_) => Attributes::default(),
            _ => self.attributes(Places::PARAMETER)?,
        };
        self.suits(&self.said, ty)?;
        if is_small {
            self.said.extension = Some(TRAVELS);
        }
        Ok((ty, self.operand(b, ty)?))
    }

    /// True for steps, and steps behind steps, that begin at a global and are numbers.
    fn steps_from_a_global(&self) -> bool {
        let (mut ahead, mut token, mut is_address) = (self.lexer.clone(), self.token, false);
        // What other expressions are made of comes before the first step's brackets end, or not at all.
        loop {
            match token {
                Token::Word(word) if word != "getelementptr" && begins(word) => return false,
                Token::Word("null") => return false,
                Token::Global(_) => is_address = true,
                Token::Mark(b')') => return is_address,
                Token::End => return false,
                _ => {}
            }
            match ahead.next() {
                Ok(next) => token = next.0,
                Err(_) => return false,
            }
        }
    }

    /// `xor (i64 ptrtoint (ptr @a to i64), i64 -1)`, as an instruction behind those of its first operand.
    fn constant_xor(&mut self, b: &mut Builder, ty: Type) -> Parsed<Operand> {
        self.advance()?;
        self.expect(b'(')?;
        let is_so = self.ty()? == ty && !matches!(self.token, Token::Word("xor") | Token::Local(_));
        let x = if is_so { self.operand(b, ty)?.now() } else { return self.expected("an operand") };
        self.expect(b',')?;
        if self.ty()? != ty {
            return self.expected("an operand of the same type");
        }
        let number = self.literal(ty)?;
        self.advance()?;
        self.expect(b')')?;
        let y = b.f.constant(number);
        let Some(behind) = x.as_inst() else {
            let known = b.f.fold(Op::Xor, ty, 0, &[x, y]);
            return Ok(Operand::Value(known.unwrap_or(Value::undef(ty))));
        };
        Ok(Operand::Value(Value::inst(b.f.insert(At::After(behind), Op::Xor, ty, &[x, y], 0, b.place()))))
    }

    /// `getelementptr inbounds ([4 x i32], ptr @a, i64 0, i64 1)`, and such addresses of such addresses, as
    /// instructions at the head of the entry block.
    fn constant_address(&mut self, b: &mut Builder) -> Parsed<Operand> {
        let mut steps = Vec::new();
        while self.eat_word("getelementptr")? {
            steps.push(self.stepped(b"(")?);
            self.expect(b',')?;
            if self.ty()? != Type::Ptr {
                return self.error("an address must be a ptr");
            }
        }
        let base = match self.token {
            Token::Global(_) => self.operand(b, Type::Ptr)?,
            _ => return self.expected("a global"),
        };
        let mut address = base.now();
        // New instructions go behind the ones made before.
        let mut last: Option<Inst> = address.as_inst();
        while let Some((mut mem, may_leave)) = steps.pop() {
            let (plain, mut bytes, mut steps_taken) = (self.plain_shape(mem), 0i64, 0);
            let mut args = vec![address];
            while self.eat(b',')? {
                self.eat_word("inrange")?;
                let ty = self.ty()?;
                let number = self.literal(ty)?;
                if plain.is_some() {
                    args.push(b.f.constant(number));
                } else {
                    let (part, step) =
                        self.known_step(mem, steps_taken, (ty, number.signed()), self.start)?;
                    (mem, bytes, steps_taken) = (part, bytes.wrapping_add(step), steps_taken + 1);
                }
                self.advance()?;
            }
            self.expect(b')')?;
            let shape = plain.unwrap_or(Shape::scalar(Type::I8));
            if plain.is_none() {
                args.push(offset(b, bytes));
            }
            let shape = self.leaving(shape, may_leave);
            let Some(entry) = b.f.entry() else { return self.expected("a block") };
            let at = last.map_or(At::Start(entry), At::After);
            let i = b.f.insert(at, Op::ElemAddr, Type::Ptr, &args, shape.index() as u32, b.place());
            address = Value::inst(i);
            last = Some(i);
        }
        Ok(Operand::Value(address))
    }
}

/// The bits of a floating literal, which is a double's whatever its type is.
fn double_bits(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) if digits.len() <= 16 => u64::from_str_radix(digits, 16).ok(),
        Some(_) => None,
        None => text.parse::<f64>().ok().map(f64::to_bits),
    }
}

/// A floating literal as a float or double, if it is one exactly.
pub(super) fn float_literal(text: &str, ty: Type) -> Option<Number> {
    let bits = double_bits(text)?;
    let bits = if ty == Type::F64 { bits } else { u64::from(float_of(bits)?) };
    Some(Number { ty, bits })
}

/// The float whose bits a double's are, if there is one; NaNs keep theirs.
fn float_of(bits: u64) -> Option<u32> {
    let (sign, exponent, fraction) = ((bits >> 63) as u32, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    if exponent == 0x7ff {
        let exact = fraction & ((1 << 29) - 1) == 0;
        return exact.then_some(sign << 31 | 0xff << 23 | (fraction >> 29) as u32);
    }
    let x = f64::from_bits(bits);
    let narrow = x as f32;
    (f64::from(narrow).to_bits() == bits).then_some(narrow.to_bits())
}
