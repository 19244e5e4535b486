//! Instructions in the form in which compilers print them, each on a line of its own with one blank between words: read from
//! bytes, without tokens. A fast path for `instruction`, which reads everything and reports all errors: what is written in
//! any other way is left to it, untouched, and so is all that is wrong. Of the 73,253 instructions of a text of clang all but
//! 458 are read here, at a third of the cost (`profiling/reading-text.md`); `ir/parse/tests/lines` compares both. Linear.

#[cfg(test)]
use super::Forms;
use super::builder::{Builder, Local, Operand, Phi, ReadPhi};
use super::keywords::{Places, kind_of};
use super::lexer::{Text, is_word};
use super::operand::float_literal;
use super::words::meaning;
use super::{Parsed, Parser, Symbol};
use crate::base::Handle;
use crate::ir::opcode::Form;
use crate::ir::types::MOST_ALIGN;
use crate::ir::{Access, At, Flags, FloatPred, Inst, IntPred, Op, Shape, Type, Value};

/// What is read, and how far.
#[derive(Copy, Clone)]
pub(super) struct Line<'t> {
    text: &'t str,
    at: usize,
}

/// Most dimensions and indices that are read here.
const FEW: usize = 8;

/// Most steps behind steps.
const DEEP: usize = 4;

/// Subscripts of other widths are extended.
fn is_subscript(ty: Type) -> bool {
    matches!(ty, Type::I32 | Type::I64)
}

/// A step of a constant address: the shape, and the indices.
pub(super) struct Step {
    shape: Shape,
    args: [Value; FEW],
    count: usize,
}

impl<'t> Line<'t> {
    #[inline(always)]
    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    #[inline(always)]
    pub(super) fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Steps over these bytes.
    #[inline(always)]
    pub(super) fn skip(&mut self, bytes: &[u8]) -> Option<()> {
        self.rest().starts_with(bytes).then(|| self.at += bytes.len())
    }

    /// A word, which may be empty.
    #[inline(always)]
    pub(super) fn word(&mut self) -> &'t str {
        let start = self.at;
        while is_word(self.byte()) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// A word with a blank behind it.
    #[inline(always)]
    fn word_before(&mut self) -> Option<&'t str> {
        let word = self.word();
        self.skip(b" ").map(|()| word)
    }

    /// The number that digits are, and how many they are, at most 18; behind them no word goes on.
    #[inline(always)]
    fn digits(&mut self) -> Option<(i64, usize)> {
        let rest = self.rest();
        let (mut number, mut length, mut byte) = (0i64, 0, 0);
        for &next in rest {
            byte = next;
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
            length += 1;
        }
        self.at += length;
        // A text ends with the bracket of its last body.
        ((1..=18).contains(&length) && !is_word(byte)).then_some((number, length))
    }

    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<i64> {
        self.digits().map(|(number, _)| number)
    }

    /// A scalar type.
    #[inline(always)]
    pub(super) fn ty(&mut self) -> Option<Type> {
        let (ty, length) = match self.rest() {
            [b'i', b'3', b'2', ..] => (Type::I32, 3),
            [b'p', b't', b'r', ..] => (Type::Ptr, 3),
            [b'i', b'6', b'4', ..] => (Type::I64, 3),
            [b'f', b'l', b'o', b'a', b't', ..] => (Type::F32, 5),
            [b'd', b'o', b'u', b'b', b'l', b'e', ..] => (Type::F64, 6),
            [b'i', b'8', ..] => (Type::I8, 2),
            [b'i', b'1', b'6', ..] => (Type::I16, 3),
            [b'i', b'1', ..] => (Type::I1, 2),
            _ => return None,
        };
        self.at += length;
        (!is_word(self.byte())).then_some(ty)
    }

    /// A scalar type with a blank behind it.
    #[inline(always)]
    pub(super) fn ty_before(&mut self) -> Option<Type> {
        let ty = self.ty()?;
        self.skip(b" ").map(|()| ty)
    }

    /// A scalar, or arrays of arrays of one, with something in them.
    fn shape(&mut self, p: &Parser) -> Option<Shape> {
        let (mut lengths, mut depth) = ([0u32; FEW], 0);
        let mut elements = 1i64;
        while self.byte() == b'[' {
            self.at += 1;
            let length = self.number()?;
            self.skip(b" x ")?;
            *lengths.get_mut(depth)? = u32::try_from(length).ok()?;
            elements = elements.checked_mul(length)?;
            depth += 1;
        }
        let scalar = self.ty()?;
        for _ in 0..depth {
            self.skip(b"]")?;
        }
        let is_usual = (1..=i64::from(i32::MAX) / 8).contains(&elements) && scalar != Type::I1;
        is_usual.then(|| p.module.env.shapes.of(scalar, &lengths[..depth]))
    }

    /// The shape that an address steps over, behind flags.
    #[inline(always)]
    fn stepped(&mut self, p: &Parser, opening: &[u8]) -> Option<Shape> {
        let mut may_leave = true;
        while let Some(b'n' | b'i') = self.rest().first() {
            if self.skip(b"inbounds ").is_some() {
                may_leave = false;
            } else if self.skip(b"nuw ").is_none() && self.skip(b"nusw ").is_none() {
                break;
            }
        }
        self.skip(opening)?;
        let shape = self.shape(p)?;
        self.skip(b", ptr ")?;
        Some(p.leaving(shape, may_leave))
    }

    /// A local name, its sigil too.
    #[inline(always)]
    fn local(&mut self, b: &mut Builder) -> Option<Local> {
        self.skip(b"%")?;
        let start = self.at;
        let first = self.byte();
        if let Some((number, length)) = self.digits()
            && (first != b'0' || length == 1)
        {
            return b.numbered(number as u64);
        }
        self.at = start;
        let word = self.word();
        (!word.is_empty()).then(|| b.local_of(word))
    }

    /// A value of this type, which may come later.
    #[inline(always)]
    pub(super) fn operand(&mut self, p: &Parser, b: &mut Builder, ty: Type) -> Option<Operand> {
        let start = self.at;
        let value = match self.byte() {
            b'%' => {
                let name = self.local(b)?;
                return match b.local_value(name) {
                    Some(v) => (b.f.type_of(v) == ty).then_some(Operand::Value(v)),
                    None => Some(Operand::Later { name, ty, at: start as u32 }),
                };
            }
            b'@' if ty == Type::Ptr => self.global(p)?,
            b't' | b'f' if ty == Type::I1 => match self.word() {
                "true" => Value::bool(true),
                "false" => Value::bool(false),
                _ => return None,
            },
            b'0'..=b'9' | b'-' if ty.is_int() => self.int(b, ty)?,
            b'0'..=b'9' | b'-' if ty.is_float() => {
                self.word();
                if self.skip(b"+").is_some() {
                    self.word();
                }
                let text = self.text.get(start..self.at)?;
                // Digits alone are an integer.
                let is_float = text.starts_with("0x") || text.contains('.');
                b.f.constant(float_literal(text, ty).filter(|_| is_float)?)
            }
            b'p' | b'u' => match self.word() {
                "poison" | "undef" => Value::undef(ty),
                _ => return None,
            },
            _ => return None,
        };
        Some(Operand::Value(value))
    }

    /// `@name`, of data.
    fn global(&mut self, p: &Parser) -> Option<Value> {
        self.skip(b"@")?;
        let name = p.module.env.names.find(self.word())?;
        match p.symbols.get(name) {
            Some(&Symbol::Global(global)) => Some(Value::global(global)),
            _ => None,
        }
    }

    /// An integer that fits its type.
    #[inline(always)]
    fn int(&mut self, b: &mut Builder, ty: Type) -> Option<Value> {
        let is_negative = self.skip(b"-").is_some();
        let number = self.number()?;
        let x = if is_negative { -number } else { number };
        let bits = ty.int_bits();
        let fits = bits == 64 || (-1i64 << (bits - 1)..1i64 << bits).contains(&x);
        fits.then(|| b.f.int_of(ty, x))
    }

    /// The address of an access; steps of a constant one are in `Builder::steps`.
    #[inline(always)]
    fn address(&mut self, p: &Parser, b: &mut Builder) -> Option<Operand> {
        b.steps.clear();
        if self.byte() == b'g' { self.steps(p, b) } else { self.operand(p, b, Type::Ptr) }
    }

    /// `getelementptr inbounds ([16 x i32], ptr @a, i64 0, i64 1)`, and such behind such.
    pub(super) fn steps(&mut self, p: &Parser, b: &mut Builder) -> Option<Operand> {
        while self.skip(b"getelementptr ").is_some() {
            if b.steps.len() == DEEP {
                return None;
            }
            let shape = self.stepped(p, b"(")?;
            b.steps.push(Step { shape, args: [Value::undef(Type::Void); FEW], count: 1 });
        }
        let base = self.global(p)?;
        for k in (0..b.steps.len()).rev() {
            while self.skip(b", ").is_some() {
                let ty = self.ty_before().filter(|&ty| is_subscript(ty))?;
                let index = self.int(b, ty)?;
                let step = b.steps.get_mut(k)?;
                *step.args.get_mut(step.count)? = index;
                step.count += 1;
            }
            self.skip(b")")?;
        }
        Some(Operand::Value(base))
    }

    /// `, align 4`, if it is there: a power of two.
    #[inline(always)]
    fn align(&mut self) -> Option<u32> {
        if self.skip(b", align ").is_none() {
            return Some(0);
        }
        let align = u32::try_from(self.number()?).ok()?;
        (align.is_power_of_two() && align <= MOST_ALIGN).then_some(align)
    }

    /// The same of an access of this type, if it is aligned at least as its type is; 0 for just that.
    #[inline(always)]
    fn align_of(&mut self, p: &Parser, ty: Type) -> Option<u32> {
        let (align, usual) = (self.align()?, p.module.env.shapes.bytes_of(ty));
        (align == 0 || align >= usual).then_some(if align == usual { 0 } else { align })
    }

    /// Behind metadata of which nothing is known. Apart, so that lines without it stay short.
    #[inline(never)]
    fn behind_metadata(mut self, p: &Parser) -> Option<Line<'t>> {
        while self.skip(b", !").is_some() {
            match self.word_before()? {
                "tbaa" | "dbg" | "llvm.loop" => {}
                kind if kind_of(kind).is_none() => {}
                _ => return None,
            }
            self.skip(b"!")?;
            let number = self.number()?;
            if !p.nodes.has(number as u64) {
                return None;
            }
        }
        Some(self)
    }

    /// Metadata of which nothing is known, the end of the line, and how far the next one is indented. That begins with nothing that this one could go
    /// on with: it is the name of a value, a label, a word (that no attribute of a call is), or the end of the body.
    #[inline(always)]
    pub(super) fn end(mut self, p: &Parser, is_call: bool) -> Option<usize> {
        if self.byte() == b',' {
            self = self.behind_metadata(p)?;
        }
        if self.skip(b"\n  ").is_none() {
            self.skip(b"\n")?;
        }
        while let b' ' | b'\n' = self.byte() {
            self.at += 1;
        }
        let goes_on = match self.byte() {
            b'%' | b'}' | b'0'..=b'9' => false,
            b'a'..=b'z' if is_call => {
                let word = Line { ..self }.word();
                !matches!(
                    word,
                    "store" | "br" | "ret" | "call" | "tail" | "musttail" | "switch" | "unreachable"
                )
            }
            byte => !byte.is_ascii_alphabetic(),
        };
        (!goes_on).then_some(self.at)
    }
}

impl<'a> Parser<'a> {
    /// Reads instructions from the token on as long as they are in their usual form, and the token behind them. True if
    /// the last ends the block.
    pub(super) fn lines(&mut self, b: &mut Builder) -> Parsed<bool> {
        #[cfg(test)]
        if self.forms == Forms::Tokens {
            return Ok(false);
        }
        let (mut at, mut ends) = (self.start, false);
        while !ends && let Some(next) = self.line(b, at) {
            (at, ends) = next;
        }
        if at != self.start {
            self.lexer.at = at;
            self.advance()?;
        }
        #[cfg(test)]
        if self.forms == Forms::Lines && !ends {
            return self.error("not in its usual form");
        }
        Ok(ends)
    }

    /// Reads phis from the token on, as long as they are in their usual form, into `phis` and `Builder::incoming`.
    pub(super) fn phi_lines(&mut self, b: &mut Builder, phis: &mut Vec<ReadPhi<'a>>) -> Parsed<()> {
        #[cfg(test)]
        if self.forms == Forms::Tokens {
            return Ok(());
        }
        let mut at = self.start;
        while b.f.last(b.block).is_none()
            && let Some((phi, next)) = self.phi_line(b, at)
        {
            phis.push(phi);
            at = next;
        }
        if at != self.start {
            self.lexer.at = at;
            self.advance()?;
        }
        Ok(())
    }

    /// Blocks that are named for the first time are made, as by the general reader.
    fn phi_line(&mut self, b: &mut Builder, at: usize) -> Option<(ReadPhi<'a>, usize)> {
        let mut line = Line { text: self.lexer.text, at };
        line.skip(b"%")?;
        let raw = line.word();
        line.skip(b" = phi ").filter(|()| !raw.is_empty())?;
        let name = b.local_of(raw);
        if !b.is_next(name) || !b.rises(name) {
            return None;
        }
        let (ty, first) = (line.ty_before()?, b.incoming.len());
        let mut operands = || {
            loop {
                line.skip(b"[ ")?;
                let value = line.operand(self, b, ty)?;
                line.skip(b", ")?;
                let from = line.local(b)?;
                line.skip(b" ]")?;
                let from = self.block_named(b, from);
                b.incoming.push((value, from));
                if line.skip(b", [").is_none() {
                    return line.end(self, false);
                }
                line.at -= 1;
            }
        };
        let Some(next) = operands() else {
            b.incoming.truncate(first);
            return None;
        };
        b.note(name);
        let count = b.incoming.len() - first;
        let phi = Phi { inst: Inst::new(0), first, count, at: at as u32, part: None };
        Some(((Some(Text { raw, quoted: false }), ty, phi), next))
    }

    /// Reads one: where the next thing begins, and whether it ends the block. What is not in its usual form has no effect
    /// but names and numbers in the body's tables, where it will look for them, too.
    #[inline(always)]
    fn line(&mut self, b: &mut Builder, at: usize) -> Option<(usize, bool)> {
        let mut line = Line { text: self.lexer.text, at };
        b.at = at as u32;
        if line.byte() != b'%' {
            return self.line_without_result(b, line);
        }
        let result = line.local(b)?;
        line.skip(b" = ")?;
        if !b.is_next(result) {
            return None;
        }
        let is_tail = line.byte() == b't';
        let (v, next) = match line.byte() {
            b'l' if line.skip(b"load ").is_some() => {
                let ty = line.ty()?;
                line.skip(b", ptr ")?;
                let address = line.address(self, b)?;
                let align = line.align_of(self, ty)?;
                let next = line.end(self, false)?;
                let address = self.step_on(b, address);
                let i = b.append(Op::Load, ty, [address], 0);
                if align != 0 {
                    b.f.set_access(i, Access { align });
                }
                (Value::inst(i), next)
            }
            b'g' if line.skip(b"getelementptr ").is_some() => self.line_of_steps(b, line)?,
            b'i' if line.skip(b"icmp ").is_some() => {
                let name = line.word_before()?;
                let pred = IntPred::ALL.iter().position(|pred| pred.name() == name)?;
                self.line_of_comparison(b, line, Op::ICmp, pred)?
            }
            b'f' if line.skip(b"fcmp ").is_some() => {
                let name = line.word_before()?;
                let pred = FloatPred::ALL.iter().position(|pred| pred.name() == name)?;
                self.line_of_comparison(b, line, Op::FCmp, pred)?
            }
            b'c' | b't' if line.skip(b"call ").is_some() || line.skip(b"tail call ").is_some() => {
                let (v, next) = self.line_of_call(b, line, (true, is_tail))?;
                (v?, next)
            }
            b'a' if line.skip(b"alloca ").is_some() => {
                let shape = line.shape(self)?;
                let align = line.align()?;
                // Others are taken each time (`stack`).
                let is_variable = b.f.entry() == Some(b.block) && align <= 2 * self.platform.pointer_bytes;
                let next = line.end(self, false).filter(|_| is_variable)?;
                let shape = self.aligned(shape, align);
                (Value::inst(b.append(Op::Alloca, Type::Ptr, [], shape.index() as u32)), next)
            }
            b's' if line.skip(b"select i1 ").is_some() => {
                let condition = line.operand(self, b, Type::I1)?;
                line.skip(b", ")?;
                let ty = line.ty_before()?;
                let yes = line.operand(self, b, ty)?;
                line.skip(b", ")?;
                line.ty_before().filter(|&of| of == ty)?;
                let no = line.operand(self, b, ty)?;
                let next = line.end(self, false)?;
                (Value::inst(b.append(Op::Select, ty, [condition, yes, no], 0)), next)
            }
            b'f' if line.skip(b"freeze ").is_some() => {
                let ty = line.ty_before()?;
                let Operand::Value(v) = line.operand(self, b, ty)? else { return None };
                let next = line.end(self, false).filter(|_| !b.original(v).is_undef())?;
                (b.own(v, b.f.inst_count()), next)
            }
            _ => self.line_of_family(b, line)?,
        };
        b.define(result, v);
        Some((next, false))
    }

    #[inline(always)]
    fn line_without_result(&mut self, b: &mut Builder, mut line: Line) -> Option<(usize, bool)> {
        if line.skip(b"store ").is_some() {
            let ty = line.ty_before()?;
            let value = line.operand(self, b, ty)?;
            line.skip(b", ptr ")?;
            let address = line.address(self, b)?;
            let align = line.align_of(self, ty)?;
            let next = line.end(self, false)?;
            let address = self.step_on(b, address);
            let i = b.append(Op::Store, Type::Void, [value, address], 0);
            if align != 0 {
                b.f.set_access(i, Access { align });
            }
            return Some((next, false));
        }
        if line.skip(b"br label ").is_some() {
            let to = line.local(b)?;
            let next = line.end(self, false)?;
            let to = self.block_named(b, to);
            b.f.set_br(b.block, to, b.place());
            return Some((next, true));
        }
        if line.skip(b"br i1 ").is_some() {
            let condition = line.operand(self, b, Type::I1)?;
            line.skip(b", label ")?;
            let yes = line.local(b)?;
            line.skip(b", label ")?;
            let no = line.local(b)?;
            let next = line.end(self, false)?;
            let [yes, no] = [yes, no].map(|name| self.block_named(b, name));
            self.branch(b, condition, yes, no);
            return Some((next, true));
        }
        let is_tail = line.byte() == b't';
        if line.skip(b"call ").is_some() || line.skip(b"tail call ").is_some() {
            return self.line_of_call(b, line, (false, is_tail)).map(|(_, next)| (next, false));
        }
        line.skip(b"ret ").filter(|()| !self.module.env.funcs[b.f.func].tail)?;
        if line.skip(b"void").is_some() {
            let next = line.end(self, false)?;
            b.f.set_ret(b.block, None, b.place());
            return Some((next, true));
        }
        let ty = line.ty_before()?;
        let value = line.operand(self, b, ty)?;
        let next = line.end(self, false).filter(|_| self.extended(b.f.func, 0).is_none())?;
        b.f.set_ret(b.block, Some(value.now()), b.place());
        self.wait_terminator(b, value);
        Some((next, true))
    }

    fn line_of_comparison(
        &mut self,
        b: &mut Builder,
        mut line: Line,
        op: Op,
        pred: usize,
    ) -> Option<(Value, usize)> {
        let ty = line.ty_before()?;
        let x = line.operand(self, b, ty)?;
        line.skip(b", ")?;
        let y = line.operand(self, b, ty)?;
        let next = line.end(self, false)?;
        Some((Value::inst(b.append(op, Type::I1, [x, y], pred as u32)), next))
    }

    /// Operations on one type, and conversions.
    #[inline(always)]
    fn line_of_family(&mut self, b: &mut Builder, mut line: Line) -> Option<(Value, usize)> {
        let op = meaning(line.word_before()?).op?;
        let (mut flags, mut has_one) = (Flags::NONE, false);
        if line.skip(b"nsw ").is_some() {
            if !matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Shl) {
                return None;
            }
            flags = Flags::NSW;
        }
        let ty = loop {
            let mut ahead = line;
            if let Some(ty) = ahead.ty_before() {
                line = ahead;
                break ty;
            }
            let (flag, at) = meaning(line.word_before()?).flag?;
            // Those of floats may stand there twice, others not; of `trunc` none is kept.
            let is_kept = flag != Flags::NONE;
            let is_new = at == Places::FLOATS || if is_kept { !flags.has(flag) } else { !has_one };
            has_one = true;
            flags = Some(flags.with(flag)).filter(|_| is_new && at.meet(Places::of_op(op)))?;
        };
        let x = line.operand(self, b, ty)?;
        let row = op.row();
        let i = if row.form == Form::Cast {
            line.skip(b" to ")?;
            let to = line.ty()?;
            // Addresses are numbers of one width only.
            let next = line.end(self, false).filter(|_| !matches!(op, Op::PtrToInt | Op::IntToPtr))?;
            return Some((Value::inst(b.append(op, to, [x], 0)), next));
        } else if row.operands == 2 {
            line.skip(b", ")?;
            let y = line.operand(self, b, ty)?;
            line.at = line.end(self, false)?;
            b.append(op, ty, [x, y], 0)
        } else {
            line.at = line.end(self, false).filter(|_| row.operands == 1)?;
            b.append(op, ty, [x], 0)
        };
        if flags != Flags::NONE {
            b.f.set_flags(i, flags.both(Flags::of(op)));
        }
        Some((Value::inst(i), line.at))
    }

    /// Steps over scalars and arrays.
    fn line_of_steps(&mut self, b: &mut Builder, mut line: Line) -> Option<(Value, usize)> {
        let shape = line.stepped(self, b"")?;
        let base = line.address(self, b)?;
        let (mut args, mut count) = ([base; FEW], 1);
        while line.rest().starts_with(b", i") {
            line.skip(b", ")?;
            let ty = line.ty_before().filter(|&ty| is_subscript(ty))?;
            *args.get_mut(count)? = line.operand(self, b, ty)?;
            count += 1;
        }
        let next = line.end(self, false)?;
        args[0] = self.step_on(b, base);
        Some((Value::inst(b.insert(Op::ElemAddr, Type::Ptr, &args[..count], shape.index() as u32)), next))
    }

    /// The address that an access's steps lead to.
    #[inline(always)]
    pub(super) fn step_on(&self, b: &mut Builder, base: Operand) -> Operand {
        if b.steps.is_empty() { base } else { self.constant_steps(b, base) }
    }

    fn constant_steps(&self, b: &mut Builder, base: Operand) -> Operand {
        let Some(entry) = b.f.entry() else { return base };
        let (mut address, mut at) = (base.now(), At::Start(entry));
        while let Some(Step { shape, mut args, count }) = b.steps.pop() {
            args[0] = address;
            let i = b.f.insert(at, Op::ElemAddr, Type::Ptr, &args[..count], shape.index() as u32, b.place());
            (address, at) = (Value::inst(i), At::After(i));
        }
        Operand::Value(address)
    }
}
