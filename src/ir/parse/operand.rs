//! Literals and operands.

use super::body::{Builder, Operand};
use super::lexer::Token;
use super::{Parsed, Parser, Symbol};
use crate::base::Handle;
use crate::ir::fold::Number;
use crate::ir::{At, Inst, Op, Type, Value};

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
            Token::Float(text) if ty.is_float() => {
                let x = match text.strip_prefix("0x") {
                    Some(digits) if digits.len() <= 16 => u64::from_str_radix(digits, 16).ok(),
                    Some(_) => None,
                    None => text.parse::<f64>().ok().map(f64::to_bits),
                };
                return match x {
                    Some(bits) if ty == Type::F64 => Ok(Number { ty, bits }),
                    Some(bits) => match float_of(bits) {
                        Some(bits) => Ok(Number { ty, bits: u64::from(bits) }),
                        None => self.error(format!("{text} is not exactly a float")),
                    },
                    None => self.error(format!("{text} is not a number of type {}", ty.name())),
                };
            }
            _ => {}
        }
        self.expected(&format!("a value of type {}", ty.name()))
    }

    /// A value of type `ty`.
    pub(super) fn operand(&mut self, b: &mut Builder, ty: Type) -> Parsed<Operand> {
        let value = match self.token {
            Token::Local(text) => {
                let name = b.names.intern(&self.name_text(text)?);
                b.locals.grow_to(b.names.len(), None);
                let operand = match b.locals[name] {
                    Some(v) if b.f.type_of(v) == ty => Operand::Value(v),
                    Some(v) => {
                        let have = b.f.type_of(v).name();
                        return self.error(format!("{} is {have}, not {}", self.found(), ty.name()));
                    }
                    None => Operand::Later { name, ty, at: self.start as u32 },
                };
                self.advance()?;
                return Ok(operand);
            }
            Token::Global(text) if ty == Type::Ptr => match self.symbol(text)? {
                Symbol::Global(global) => Value::global(global),
                Symbol::Func(_) => return self.error("the address of a function is not supported"),
                Symbol::None => return self.error(format!("{} is not defined", self.found())),
            },
            Token::Word("undef" | "poison") if ty != Type::Void => {
                b.f.note_type(ty);
                Value::undef(ty)
            }
            _ if ty.is_vector() => return self.vector_constant(b, ty),
            Token::Word("null") => return self.error("null is not supported"),
            Token::Word("getelementptr") if ty == Type::Ptr => return self.constant_address(b),
            Token::Word(
                "ptrtoint" | "inttoptr" | "bitcast" | "add" | "sub" | "trunc" | "asm" | "blockaddress",
            ) => {
                return self.error(format!("{} as a constant expression is not supported", self.found()));
            }
            _ => {
                let number = self.literal(ty)?;
                b.f.constant(number)
            }
        };
        self.advance()?;
        Ok(Operand::Value(value))
    }

    /// `<i32 1, i32 2>`, `splat (i32 1)` or `zeroinitializer`, as instructions at the head of the entry
    /// block.
    fn vector_constant(&mut self, b: &mut Builder, ty: Type) -> Parsed<Operand> {
        let mut lanes = Vec::new();
        if self.eat_word("zeroinitializer")? {
            lanes.push(b.f.constant(Number::zero(ty.element())));
        } else {
            let is_splat = self.eat_word("splat")?;
            self.expect(if is_splat { b'(' } else { b'<' })?;
            loop {
                if self.ty()? != ty.element() {
                    return self.expected(&format!("a lane of {}", ty.name()));
                }
                let Operand::Value(lane) = self.operand(b, ty.element())? else {
                    return self.error("a lane of a constant must be a constant");
                };
                lanes.push(lane);
                if is_splat || !self.eat(b',')? {
                    break;
                }
            }
            self.expect(if is_splat { b')' } else { b'>' })?;
            if !is_splat && lanes.len() != ty.lanes() as usize {
                return self.error(format!("{} lanes for {}", lanes.len(), ty.name()));
            }
        }
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
        self.align = self.attributes()?.align;
        Ok((ty, self.operand(b, ty)?))
    }

    /// `getelementptr inbounds ([4 x i32], ptr @a, i64 0, i64 1)`, and such addresses of such addresses, as
    /// instructions at the head of the entry block.
    fn constant_address(&mut self, b: &mut Builder) -> Parsed<Operand> {
        let mut shapes = Vec::new();
        while self.eat_word("getelementptr")? {
            shapes.push(self.stepped(b"(")?);
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
        let mut last: Option<Inst> = None;
        while let Some(shape) = shapes.pop() {
            let mut args = vec![address];
            while self.eat(b',')? {
                self.eat_word("inrange")?;
                let ty = self.ty()?;
                let number = self.literal(ty)?;
                args.push(b.f.constant(number));
                self.advance()?;
            }
            self.expect(b')')?;
            let Some(entry) = b.f.entry() else { return self.expected("a block") };
            let at = last.map_or(At::Start(entry), At::After);
            let i = b.f.insert(at, Op::ElemAddr, Type::Ptr, &args, shape.index() as u32, b.place());
            address = Value::inst(i);
            last = Some(i);
        }
        Ok(Operand::Value(address))
    }
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
