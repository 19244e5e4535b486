//! Calls by name in the form in which compilers print them, read from bytes (`line`): of functions of the text whose
//! arguments are values of the tables, and of those functions of LLVM's that compilers use most, whose names are looked up
//! once. A call of one of these takes 1,900 instructions in place of 7,300. Linear.

use super::builder::{Builder, Operand};
use super::call::intrinsic;
use super::line::Line;
use super::tail::mark_call;
use super::words::{Called, meaning};
use super::{Parser, Symbol};
use crate::ir::opcode::{Arg, Form};
use crate::ir::types::MOST_ALIGN;
use crate::ir::{Access, Flags, FuncId, Op, Type, Value};

/// Most arguments that are read here.
const MOST: usize = 16;

/// What attributes want a value to be: anything, an address, an integer.
const VALUE: u32 = 1;
const POINTER: u32 = 2;
const SIGNED: u32 = 4;
const UNSIGNED: u32 = 8;

/// True if a value of this type can have all that was said of it.
#[inline(always)]
fn suits(wants: u32, ty: Type) -> bool {
    let is_int = wants & (SIGNED | UNSIGNED) == 0
        || ty.is_int() && !ty.is_vector() && wants & (SIGNED | UNSIGNED) != SIGNED | UNSIGNED;
    (wants & VALUE == 0 || ty != Type::Void) && (wants & POINTER == 0 || ty == Type::Ptr) && is_int
}

/// Arguments, each with its type.
struct Arguments {
    operands: [Operand; MOST],
    types: [Type; MOST],
    count: usize,
    /// One that is a constant address, whose steps are in `Builder::steps`.
    stepped: Option<usize>,
    /// How the first one is said to be aligned; 0 for nothing.
    align: u32,
}

/// A value, if the call has one, and where the next thing begins.
type Made = (Option<Value>, usize);

impl Line<'_> {
    /// What clang says of nearly every argument and result, which calls by name learn from the function: what of it matters
    /// of memory is the alignment, 0 for nothing. And what the value has to be for that.
    #[inline(always)]
    fn attributes(&mut self) -> Option<(u32, u32)> {
        let (mut align, mut wants) = (0, 0);
        loop {
            let (is_known, of) = match self.byte() {
                b'n' if self.skip(b"noundef ").is_some() => (true, VALUE),
                b'n' => (self.skip(b"nonnull ").is_some(), POINTER),
                b's' => (self.skip(b"signext ").is_some(), SIGNED),
                b'z' => (self.skip(b"zeroext ").is_some(), UNSIGNED),
                b'a' if self.skip(b"align ").is_some() => {
                    let is_so = |align: &u32| align.is_power_of_two() && *align <= MOST_ALIGN;
                    align = u32::try_from(self.number()?).ok().filter(is_so)?;
                    (self.skip(b" ").is_some(), POINTER)
                }
                b'd' if self.skip(b"dereferenceable(").is_some() => {
                    self.number().filter(|&bytes| bytes != 0)?;
                    (self.skip(b") ").is_some(), POINTER)
                }
                _ => (false, 0),
            };
            if !is_known {
                return Some((align, wants));
            }
            wants |= of;
        }
    }

    /// Arguments, and what stands behind them.
    #[inline(always)]
    fn arguments(&mut self, p: &Parser, b: &mut Builder) -> Option<Arguments> {
        let nothing = Operand::Value(Value::undef(Type::Void));
        let (operands, types) = ([nothing; MOST], [Type::Void; MOST]);
        let mut all = Arguments { operands, types, count: 0, stepped: None, align: 0 };
        b.steps.clear();
        self.skip(b"(")?;
        while self.byte() != b')' {
            let k = all.count;
            if k > 0 {
                self.skip(b", ")?;
            }
            let ty = self.ty_before()?;
            let (align, wants) = self.attributes()?;
            if wants > VALUE && !suits(wants, ty) {
                return None;
            }
            if k == 0 {
                all.align = align;
            }
            *all.operands.get_mut(k)? = if ty == Type::Ptr && self.byte() == b'g' {
                if all.stepped.replace(k).is_some() {
                    return None;
                }
                self.steps(p, b)?
            } else {
                self.operand(p, b, ty)?
            };
            *all.types.get_mut(k)? = ty;
            all.count += 1;
        }
        self.skip(b")")?;
        if self.skip(b" #").is_some() {
            self.number()?;
        }
        Some(all)
    }
}

impl Arguments {
    /// Makes the steps of the one that is a constant address.
    #[inline(always)]
    fn step(&mut self, p: &Parser, b: &mut Builder) {
        if let Some(arg) = self.stepped.and_then(|k| self.operands.get_mut(k)) {
            *arg = p.step_on(b, *arg);
        }
    }
}

impl Parser<'_> {
    /// A call; what it yields, which has a name if it is something.
    pub(super) fn line_of_call(
        &mut self,
        b: &mut Builder,
        mut line: Line,
        (is_named, is_tail): (bool, bool),
    ) -> Option<Made> {
        let (_, wants) = line.attributes()?;
        let ty = if line.skip(b"void").is_some() { Type::Void } else { line.ty()? };
        line.skip(b" @").filter(|()| is_named == (ty != Type::Void) && suits(wants, ty))?;
        let word = line.word();
        // Names with a point may stand for opcodes.
        if word.contains('.') {
            return self.line_of_intrinsic(b, line, (word, ty));
        }
        let name = self.module.env.names.find(word)?;
        let Some(&Symbol::Func(func)) = self.symbols.get(name) else { return None };
        let row = &self.module.env.funcs[func];
        if row.variadic || row.parts.is_some() || row.returns_by || row.tail {
            return None;
        }
        let mut all = line.arguments(self, b)?;
        // What is extended has the type that the function says.
        let types = &all.types[..all.count];
        let agrees = self.agrees(func, 0, ty) && (1..).zip(types).all(|(k, &of)| self.agrees(func, k, of));
        let next = line.end(self, true).filter(|_| agrees)?;
        all.step(self, b);
        let before = b.f.inst_count();
        let value = self.call_of(b, func, ty, &mut all.operands[..all.count]).ok()?;
        if is_tail {
            mark_call(b, before, Flags::TAIL);
        }
        Some((value, next))
    }

    fn agrees(&self, func: FuncId, k: usize, ty: Type) -> bool {
        self.extended(func, k).is_none_or(|(_, of)| of == ty)
    }

    /// The same of a function of LLVM's, of which its name says what it takes and yields.
    fn line_of_intrinsic(
        &mut self,
        b: &mut Builder,
        mut line: Line,
        (name, ty): (&str, Type),
    ) -> Option<Made> {
        let called = meaning(name).called?;
        let mut all = line.arguments(self, b)?;
        let next = line.end(self, true)?;
        let (operands, types) = (&all.operands[..all.count], &all.types[..all.count]);
        let value = match called {
            Called::Hint => None,
            Called::Op(op, of) => {
                let Form::Intrinsic(form) = op.row().form else { return None };
                // Behind operands there may be numbers.
                let count = form.iter().take_while(|&&arg| arg == Arg::Operand).count();
                let is_number =
                    |arg: &Operand| b.f.as_int(arg.now()).is_some_and(|x| op != Op::Splice || x == -1);
                let fits = ty == of
                    && all.count == form.len()
                    && types.iter().take(count).all(|&of| of == ty)
                    && operands.iter().skip(count).all(is_number)
                    && all.stepped.is_none();
                Some(Value::inst(b.insert(op, ty, operands.get(..count).filter(|_| fits)?, 0)))
            }
            Called::MulAdd(of) => {
                let &[Operand::Value(x), Operand::Value(y), Operand::Value(z)] = operands else {
                    return None;
                };
                let fits = ty == of && types.iter().all(|&of| of == ty);
                let product = fits.then(|| b.make(Op::FMul, ty, &[x, y], 0))?;
                Some(b.make(Op::FAdd, ty, &[product, z], 0))
            }
            Called::Memory(kind) => {
                let &[_, _, length, volatile] = operands else { return None };
                let &[Type::Ptr, second, Type::I32 | Type::I64, Type::I1] = types else { return None };
                if b.f.as_int(volatile.now()) != Some(0) || second != kind || ty != Type::Void {
                    return None;
                }
                // A copy of a known number of bytes may be of loads and stores.
                if kind == Type::Ptr && b.f.as_int(length.now()).is_some() && !self.platform.name.is_empty() {
                    return None;
                }
                all.step(self, b);
                let mut args = [(Type::Void, volatile); 4];
                args.iter_mut()
                    .zip(all.types.into_iter().zip(all.operands))
                    .for_each(|(arg, row)| *arg = row);
                let before = b.f.inst_count();
                intrinsic(&self.module.env, b, name, ty, &args)?;
                for i in b.f.insts_from(before) {
                    if Access::is_of(b.f.op(i)) {
                        b.f.set_access(i, Access { align: all.align });
                    }
                }
                None
            }
        };
        Some((value, next))
    }
}
