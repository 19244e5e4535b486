//! Functions and calls whose arguments or results have several parts, or of which the text has one and the tables have several:
//! results in parts, structs by value, variadic arguments (`ir::Parts`). O(parts).

use super::aggregate::Compound;
use super::attribute::Attributes;
use super::builder::{Builder, Operand};
use super::keywords::Places;
use super::layout::Mem;
use super::lexer::{Text, Token};
use super::quad::QUAD_RESULT;
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::{At, FuncId, Group, Inst, Op, Shape, Type, Value};

/// A struct that is passed by value has at most so many bytes.
const MOST_BYTES: u64 = 1 << 15;

/// How many parts a result may have in registers, by machine: at all, integers, floats, and how many floats a double is.
const RESULTS: [(&str, [usize; 4]); 3] =
    [("riscv64", [2, 2, 2, 1]), ("aarch64", [16, 8, 8, 1]), ("armv7", [20, 4, 16, 2])];

/// Conventions have registers for vectors that ours have not.
pub(super) const NO_VECTORS: &str = "vectors as arguments, parameters or results, where they are in no register of vectors, are supported of functions that nothing else calls only";

/// An argument that is several, and which stand together.
pub(super) type Several = (Vec<(Type, Operand)>, Vec<Group>);

/// Parameters that are one of the text.
#[derive(Clone, Debug)]
pub(super) struct Parameter<'a> {
    /// The first, and how many.
    first: usize,
    count: usize,
    name: Option<Text<'a>>,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// Where the parts of the result go, or variadic arguments are.
    Hidden,
    /// A value of this type.
    Value(Compound),
    /// The words of a struct.
    Memory(Shape),
}

impl<'a> Parser<'a> {
    /// A result's type: `Void` if it is in the parts, as vectors are but those of opcodes.
    pub(super) fn result_type(&mut self, is_opcode: bool) -> Parsed<(Type, Option<Compound>)> {
        if !self.at_compound() && (is_opcode || self.vector_ahead().is_none()) {
            return Ok((self.ty()?, None));
        }
        let at = self.start;
        let mut compound = self.compound_type()?;
        self.may_pass_quads(&compound, at)?;
        if !is_opcode {
            self.set_carriers(&mut compound);
        }
        if self.is_beyond_registers(&compound) {
            compound.carriers.clear();
        }
        let ty = match *compound.parts {
            _ if !compound.carriers.is_empty() => Self::carried_result(&compound).unwrap_or(Type::Void),
            [(ty, _)] => ty,
            _ => Type::Void,
        };
        Ok((ty, Some(compound)))
    }

    /// The parts of a result that has several: words on machines whose registers are words. One with vectors, of which
    /// there may be more than registers, goes to memory of the caller's, whose address is the first argument.
    pub(super) fn results_of(&self, compound: Option<&Compound>) -> Vec<(Type, u32)> {
        match compound {
            Some(compound) if !compound.carriers.is_empty() => match Self::carried_result(compound) {
                Some(_) => Vec::new(),
                None => self.carried_results(compound),
            },
            Some(compound) if compound.parts.len() > 1 && !self.goes_by_memory(compound) => {
                self.words_of_result(compound)
            }
            _ => Vec::new(),
        }
    }

    /// True for a result that goes to memory of the caller's, because it has vectors or more parts than there are registers.
    pub(super) fn goes_by_memory(&self, compound: &Compound) -> bool {
        compound.carriers.is_empty()
            && compound.parts.len() > 1
            && (self.has_vector(compound) || self.is_demoted(compound))
    }

    /// True for a result that has too many parts for registers: the machine's C convention has its address, as where the
    /// text had said `sret` (LLVM's `CanLowerReturn`).
    pub(super) fn is_demoted(&self, compound: &Compound) -> bool {
        let of_machine = RESULTS.iter().find(|row| row.0 == self.platform.name);
        let Some(&(_, [all, ints, floats, of_double])) = of_machine.filter(|_| !self.has_vector(compound))
        else {
            return false;
        };
        let parts = self.words_of_result(compound);
        let of_ints = parts.iter().filter(|part| !part.0.is_float()).count();
        let of_floats = parts
            .iter()
            .map(|part| match part.0 {
                Type::F64 => of_double,
                ty => usize::from(ty.is_float()),
            })
            .sum::<usize>();
        parts.len() > 1 && (parts.len() > all || of_ints > ints || of_floats > floats)
    }

    /// True for a result of which parts do not say the type.
    pub(super) fn is_kept(&self, compound: &Compound) -> bool {
        self.goes_by_memory(compound) || !compound.carriers.is_empty()
    }

    /// That a function's result, which goes by memory or does not, is of this type.
    pub(super) fn is_result_of(&self, func: FuncId, compound: Option<&Compound>) -> bool {
        let own = compound.filter(|compound| self.is_kept(compound));
        match (self.by_address.get(&func), own) {
            (Some(&(bits, mem)), Some(own)) => {
                bits == own.bits && mem.zip(own.mem).is_none_or(|(said, own)| self.is_same(said, own))
            }
            (said, own) => said.is_none() && own.is_none(),
        }
    }

    /// Parts as they travel.
    fn words_of_result(&self, compound: &Compound) -> Vec<(Type, u32)> {
        if compound.is_quad && self.has_quad_registers() {
            return vec![(QUAD_RESULT, 0)];
        }
        let mut results = Vec::new();
        for &(ty, at) in &compound.parts {
            if ty == Type::I64 && self.platform.pointer_bytes == 4 {
                results.extend([(Type::I32, at), (Type::I32, at + 4)]);
            } else {
                results.push((ty, at));
            }
        }
        results
    }

    /// The parts of an argument as what conventions want to know of them, if they do.
    pub(super) fn groups_of(
        &self,
        compound: &Compound,
        first: usize,
        said: Attributes,
        groups: &mut Vec<Group>,
    ) {
        match compound.carriers.is_empty() {
            true => groups.extend(self.group_of(compound, first, said)),
            false => self.carried_groups(compound, first, said, groups),
        }
    }

    fn group_of(&self, compound: &Compound, first: usize, said: Attributes) -> Option<Group> {
        let count = compound.parts.len();
        let ty = compound.parts.first()?.0;
        let is_even = compound.parts.iter().all(|part| part.0 == ty);
        let is_word = self.platform.pointer_bytes == 4;
        let stands = match compound.bits {
            Some(_) => true,
            None => is_even && (compound.is_array || is_word && ty.is_float() && count <= 4),
        };
        let bytes = self.module.env.shapes.bytes_of(ty);
        let own = if compound.bits.is_some() && count > 1 { 2 * bytes } else { bytes };
        let align = own.max(said.stack_align);
        let is_one = count == 1 && align <= bytes.max(self.platform.pointer_bytes);
        let is_vector = compound.is_quad && self.has_quad_registers();
        (stands && !is_one).then_some(Group { first: first as u32, count: count as u32, align, is_vector })
    }

    /// Room for a result of several parts, in the entry block.
    pub(super) fn room_for(&mut self, b: &mut Builder, compound: &Compound) -> Parsed<Operand> {
        if !compound.carriers.is_empty() {
            let shape = self.module.env.shapes.of(Type::I64, &[Self::carried_bytes(compound) / 8]);
            let shape = self.aligned(shape, 2 * self.platform.pointer_bytes);
            return self.local_room(b, shape);
        }
        let shape = self.module.env.shapes.of(Type::I64, &[compound.bytes.div_ceil(8).max(1)]);
        self.local_room(b, shape)
    }

    pub(super) fn local_room(&mut self, b: &mut Builder, shape: Shape) -> Parsed<Operand> {
        let Some(entry) = b.f.entry() else { return self.expected("a block") };
        let room = b.f.insert(At::Start(entry), Op::Alloca, Type::Ptr, &[], shape.index() as u32, b.place());
        Ok(Operand::Value(Value::inst(room)))
    }

    /// What a call has yielded, of several parts or of one.
    pub(super) fn called_compound(
        &mut self,
        b: &mut Builder,
        compound: &Compound,
        (room, value): (Option<Operand>, Value),
    ) -> Parsed<Value> {
        let mut parts = Vec::new();
        match room {
            Some(room) if !compound.carriers.is_empty() => parts = self.load_carried(b, compound, room)?,
            None if !compound.carriers.is_empty() => parts = self.out_of_registers(b, compound, &[value])?,
            Some(room) => {
                for &(ty, at) in &compound.parts {
                    let place = self.place_behind(b, room, at);
                    parts.push(Value::inst(b.insert(Op::Load, ty, &[place], 0)));
                }
            }
            None if compound.parts.len() == 1 => parts.push(value),
            None => {}
        }
        Ok(self.made(b, parts, compound))
    }

    /// `llvm.va_start`, `va_copy` and `va_end`. What a `va_list` holds is the parameter that stands for variadic arguments, or where
    /// they take more to find what that leads to.
    pub(super) fn varargs(&mut self, b: &mut Builder, name: &str, args: &[(Type, Operand)]) -> Parsed<bool> {
        let kind = name.split('.').nth(1);
        let Some(kind @ ("va_start" | "va_copy" | "va_end")) = kind else { return Ok(false) };
        let &[(Type::Ptr, to), ref others @ ..] = args else { return self.expected("a list of arguments") };
        let is_list = self.platform.name == "aarch64";
        if let Some(machine) = self.listed {
            let message = format!("`{name}` is not supported where text for {machine} is run");
            return self.error_at(b.at as usize, message);
        }
        let parts = self.module.env.funcs[b.f.func].parts.as_deref();
        let own = parts.filter(|parts| parts.varargs).and_then(|parts| {
            let param = b.f.params().nth(usize::from(!parts.results.is_empty()))?;
            Some(Operand::Value(Value::inst(param)))
        });
        let from = match (kind, others) {
            ("va_end", []) => return Ok(true),
            ("va_copy", &[(Type::Ptr, from)]) => from,
            ("va_start", []) => match own {
                Some(own) => own,
                None => {
                    return self
                        .error_at(b.at as usize, "va_start in a function that takes no variadic arguments");
                }
            },
            _ => return self.expected("a list of arguments"),
        };
        if kind == "va_start" && !is_list {
            b.insert(Op::Store, Type::Void, &[from, to], 0);
            return Ok(true);
        }
        let (ty, count) = if is_list { (Type::I64, 4) } else { (Type::Ptr, 1) };
        for at in (0..count).map(|k| 8 * k) {
            let [from, to] = [from, to].map(|address| self.place_behind(b, address, at));
            let x = Value::inst(b.insert(Op::Load, ty, &[from], 0));
            b.insert(Op::Store, Type::Void, &[Operand::Value(x), to], 0);
        }
        Ok(true)
    }

    /// An argument that is several: its parts, and how they stand together.
    pub(super) fn compound_argument(
        &mut self,
        b: &mut Builder,
        first: usize,
        is_internal: bool,
    ) -> Parsed<Several> {
        let at = self.start;
        let mut compound = self.compound_type()?;
        self.set_carriers(&mut compound);
        self.may_travel(&compound, is_internal, at)?;
        let said = self.attributes(Places::PARAMETER)?;
        self.suits_compound(&said, &compound)?;
        let operands = self.compound_operand(b, &compound)?;
        let mut groups = Vec::new();
        self.groups_of(&compound, first, said, &mut groups);
        if !compound.carriers.is_empty() {
            let parts: Vec<Value> = operands.into_iter().map(|operand| b.settled(operand)).collect();
            let words = self.in_registers(b, &compound, &parts)?;
            let args = words.into_iter().map(|word| (b.f.type_of(word), Operand::Value(word)));
            return Ok((args.collect(), groups));
        }
        let types = compound.parts.iter().map(|part| part.0);
        Ok((types.zip(operands).collect(), groups))
    }

    /// That a type has no vectors, but in functions that nothing else calls, and no `fp128` among other parts.
    pub(super) fn may_travel(&self, compound: &Compound, is_internal: bool, at: usize) -> Parsed<()> {
        self.may_pass_quads(compound, at)?;
        if self.has_vector(compound) && compound.carriers.is_empty() && !is_internal {
            self.error_at(at, NO_VECTORS)
        } else {
            Ok(())
        }
    }

    /// True for a result with vectors that has no registers.
    pub(super) fn is_unheld_result(&self, compound: Option<&Compound>) -> bool {
        compound.is_some_and(|compound| self.has_vector(compound) && compound.carriers.is_empty())
    }

    /// The words of a struct that is passed by value.
    fn words_of(&mut self, mem: Mem, at: usize, first: usize) -> Parsed<(Shape, u32, Group)> {
        let (bytes, align) = self.bytes_and_align(mem);
        if self.platform.pointer_bytes != 4 || bytes > MOST_BYTES {
            return self.error_at(at, format!("`byval` of {bytes} bytes is not supported on this machine"));
        }
        // A packed struct of aligned ones has less than its LLVM type.
        let align = if self.said.align == 0 { align } else { self.said.align }.clamp(4, 8);
        let words = (bytes as u32).div_ceil(4);
        let shape = self.module.env.shapes.of(Type::I32, &[words.max(1)]);
        let shape = self.aligned(shape, align);
        Ok((shape, words, Group { first: first as u32, count: words, align, is_vector: false }))
    }

    /// The words of a struct at an address, as arguments.
    pub(super) fn words_at(
        &mut self,
        b: &mut Builder,
        (mem, address, at): (Mem, Operand, usize),
        first: usize,
    ) -> Parsed<Several> {
        let (bytes, natural) = self.bytes_and_align(mem);
        let (bytes, aligned) = (bytes as u32, if self.said.align == 0 { natural } else { self.said.align });
        let (_, words, group) = self.words_of(mem, at, first)?;
        if self.platform.name.is_empty() {
            self.fill(b, address);
        }
        let mut args = Vec::new();
        for k in 0..words {
            let mut word = None;
            // The last word may not be there as a whole; and no word may be aligned.
            let step = if aligned < 4 { 1 } else { 4 };
            let mut offset = 4 * k;
            while offset < bytes.min(4 * k + 4) {
                let whole = step == 4 && offset + 4 <= bytes;
                let place = self.place_behind(b, address, offset);
                let ty = if whole { Type::I32 } else { Type::I8 };
                let mut x = Value::inst(b.insert(Op::Load, ty, &[place], 0));
                if !whole {
                    x = b.make(Op::ZExt, Type::I32, &[x], 0);
                    x = b.by(Op::Shl, Type::I32, x, i64::from(8 * (offset % 4)));
                }
                word = Some(match word {
                    Some(low) => b.make(Op::Or, Type::I32, &[low, x], 0),
                    None => x,
                });
                offset += ty.bytes();
            }
            args.push((Type::I32, Operand::Value(word.unwrap_or(Value::undef(Type::I32)))));
        }
        Ok((args, vec![group]))
    }

    /// A parameter of several parts, or a struct by value, if one of these stands here.
    pub(super) fn several_parameters(
        &mut self,
        params: &mut Vec<Type>,
        groups: &mut Vec<Group>,
        is_internal: bool,
    ) -> Parsed<Option<Parameter<'a>>> {
        let (first, at) = (params.len(), self.start);
        let (count, what);
        if self.at_compound() || self.vector_ahead().is_some() {
            let mut compound = self.compound_type()?;
            self.set_carriers(&mut compound);
            self.may_travel(&compound, is_internal, at)?;
            if compound.parts.is_empty() {
                return self.error_at(at, "a parameter that holds nothing is not supported");
            }
            let said = self.attributes(Places::PARAMETER)?;
            self.suits_compound(&said, &compound)?;
            self.groups_of(&compound, first, said, groups);
            match compound.carriers.is_empty() {
                true => params.extend(compound.parts.iter().map(|part| part.0)),
                false => params.extend(self.carried_types(&compound)),
            }
            (count, what) = (params.len() - first, What::Value(compound));
        } else {
            let before = (self.lexer.clone(), self.token, self.start);
            let is_ptr = self.eat_word("ptr")?;
            self.said = if is_ptr { self.attributes(Places::PARAMETER)? } else { Attributes::default() };
            let Some(mem) = self.said.by_value else {
                (self.lexer, self.token, self.start) = before;
                self.marks.clear();
                return Ok(None);
            };
            let (shape, words, group) = self.words_of(mem, at, first)?;
            groups.push(group);
            params.extend((0..words).map(|_| Type::I32));
            (count, what) = (words as usize, What::Memory(shape));
        }
        let mut name = None;
        if let Token::Local(text) = self.token {
            name = Some(text);
            self.advance()?;
        }
        Ok(Some(Parameter { first, count, name, what }))
    }

    /// Takes what is said of the parts of a parameter or argument; true if it leads to variadic arguments.
    pub(super) fn marked(
        &mut self,
        k: usize,
        results: &mut Vec<(Type, u32)>,
        groups: &mut Vec<Group>,
    ) -> Parsed<bool> {
        let mut leads = false;
        while let Some((key, text)) = self.marks.pop() {
            let words: Vec<&str> = text.split(' ').collect();
            let number =
                |k: usize| words.get(k).and_then(|word: &&str| word.parse::<u16>().ok()).map(u32::from);
            match (key, number(0), number(1)) {
                ("varargs", ..) if k <= 1 => leads = true,
                ("parts", Some(count), Some(align)) if align.is_power_of_two() => {
                    let is_vector = words.get(2) == Some(&"vector");
                    groups.push(Group { first: k as u32, count, align, is_vector });
                }
                ("results", ..) if k == 0 && results.is_empty() => {
                    for (k, word) in words.iter().enumerate().step_by(2) {
                        let whole = (*word == QUAD_RESULT.code()).then_some(QUAD_RESULT);
                        let ty = whole.or(Self::type_of_word(word)).filter(|&ty| ty != Type::Void);
                        let Some(part) = ty.zip(number(k + 1)) else { return self.error("no such parts") };
                        results.push(part);
                    }
                }
                _ => return self.error("this cannot be said of the parts of an argument"),
            }
        }
        Ok(leads)
    }

    /// A parameter that is none of the text.
    pub(super) fn hidden_parameter(first: usize) -> Parameter<'a> {
        Parameter { first, count: 1, name: None, what: What::Hidden }
    }

    /// Gives parameters that are one of the text its name.
    pub(super) fn bind_parameter(&mut self, b: &mut Builder, parameter: &Parameter<'a>) -> Parsed<()> {
        let Parameter { first, count, name, ref what } = *parameter;
        let of: Vec<Inst> = (first..first + count).map(Inst::new).collect();
        match *what {
            What::Hidden => Ok(()),
            What::Value(ref compound) => {
                let mut parts: Vec<Value> = of.into_iter().map(Value::inst).collect();
                if !compound.carriers.is_empty() {
                    parts = self.out_of_registers(b, compound, &parts)?;
                }
                let whole = self.made(b, parts, compound);
                self.bind(b, name, whole)
            }
            What::Memory(shape) => {
                let room = self.local_room(b, shape)?;
                for (k, i) in of.into_iter().enumerate() {
                    let place = self.place_behind(b, room, 4 * k as u32);
                    b.insert(Op::Store, Type::Void, &[Operand::Value(Value::inst(i)), place], 0);
                }
                self.bind(b, name, room.now())
            }
        }
    }
}

impl Parameter<'_> {
    /// Another one comes before it.
    pub(super) fn shift(&mut self) {
        self.first += 1;
    }

    /// The parameter of the tables that it begins with, and that behind it.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}
