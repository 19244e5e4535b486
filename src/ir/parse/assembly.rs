//! Inline assembly: constraints of the text become those that `ir/assembly` has, and instructions are left to the machine, which
//! says here already what it does not know. One without code, which programs put around what they measure and as barriers, is
//! none: what it is given comes out of it through volatile memory. O(operands) each.

use super::aggregate::Compound;
use super::builder::{Builder, Operand};
use super::keywords::Places;
use super::layout::Mem;
use super::lexer::{Token, unescape};
use super::{Parsed, Parser};
use crate::base::Handle;
use crate::ir::assembly::{self, Assembly};
use crate::ir::builtin::Builtin;
use crate::ir::{Op, Type, Value};

/// What it is given.
enum Given {
    /// A value, and of an address the type of what it leads to, if that is said.
    One(Type, Value, Option<Mem>),
    /// What has parts, or lanes.
    Parts(Vec<Value>),
}

/// A constraint of the text.
struct Word<'a> {
    is_output: bool,
    is_indirect: bool,
    is_early: bool,
    /// Without signs.
    of: &'a str,
}

impl<'a> Word<'a> {
    fn of(text: &'a str) -> Word<'a> {
        let signs = text.len() - text.trim_start_matches(['=', '&', '*', '%']).len();
        let (signs, of) = text.split_at(signs);
        let has = |sign| signs.contains(sign);
        Word { is_output: has('='), is_indirect: has('*'), is_early: has('&'), of }
    }

    /// It has an argument.
    fn is_given(&self) -> bool {
        !self.is_output || self.is_indirect
    }
}

/// Where values are that constraints ask for, by machine: letters for integers, floats, memory and numbers. (One of no machine
/// is for tests.)
const LETTERS: [(&str, [&str; 4]); 4] = [
    ("aarch64", ["r", "w", "mQ", "inIJKLMNZ"]),
    ("armv7", ["rl", "wt", "mQ", "inIJKLM"]),
    ("riscv64", ["r", "f", "mA", "inIJK"]),
    ("", ["r", "f", "m", "in"]),
];

/// Letters that begin longer constraints, or ask for some of the registers only.
const OTHERS: [char; 7] = ['^', 'U', 'v', 'c', 'x', 'y', 'h'];

impl Parser<'_> {
    /// `call asm`, of which the token is `asm`.
    pub(super) fn assembly(
        &mut self,
        b: &mut Builder,
        result: Type,
        compound: Option<&Compound>,
    ) -> Parsed<Option<Value>> {
        let at = self.start;
        self.advance()?;
        let is_volatile = self.eat_word("sideeffect")?;
        self.skip_words(&["alignstack"])?;
        for word in ["inteldialect", "unwind"] {
            if self.token == Token::Word(word) {
                return self.error(format!("inline assembly is not supported: `{word}`"));
            }
        }
        let Token::String(template) = self.token else { return self.expected("a string") };
        self.advance()?;
        self.expect(b',')?;
        let Token::String(constraints) = self.token else { return self.expected("a string") };
        self.advance()?;
        let given = self.given_to_assembly(b)?;
        let words: Vec<&str> = constraints.split(',').filter(|word| !word.is_empty()).collect();
        let (clobbers, words): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with('~'));
        let words: Vec<Word> = words.into_iter().map(Word::of).collect();
        if words.iter().filter(|word| word.is_given()).count() != given.len() {
            return self
                .error_at(at, "inline assembly is not supported: it has other arguments than constraints");
        }
        let Ok(template) = String::from_utf8(unescape(template)) else {
            return self.error_at(at, "inline assembly is not supported: it must be UTF-8");
        };
        // What the result is of, as far as the tables have it.
        let outputs: Vec<Type> = match compound {
            Some(compound) => compound.parts.iter().map(|part| part.0).collect(),
            None => Some(result).filter(|&ty| ty != Type::Void).into_iter().collect(),
        };
        let direct = words.iter().filter(|word| !word.is_given()).count();
        let parts = if template.bytes().all(|c| c.is_ascii_whitespace()) {
            self.without_code(b, (&words, &clobbers), &given, &outputs, at)?
        } else if direct != outputs.len() || compound.is_some_and(|compound| compound.is_integer()) {
            return self.error_at(at, "inline assembly is not supported: a result of this type");
        } else {
            self.with_code(b, (&template, is_volatile, at), (&words, &clobbers), &given, &outputs)?
        };
        match (compound, &*parts) {
            (Some(compound), _) => Ok(Some(self.made(b, parts, compound))),
            (None, parts) => Ok(parts.first().copied()),
        }
    }

    /// The arguments, and what stands behind them.
    fn given_to_assembly(&mut self, b: &mut Builder) -> Parsed<Vec<Given>> {
        self.expect(b'(')?;
        let mut given = Vec::new();
        while self.token != Token::Mark(b')') {
            given.push(if self.at_compound() || self.vector_ahead().is_some() {
                let compound = self.compound_type()?;
                let said = self.attributes(Places::PARAMETER)?;
                self.suits_compound(&said, &compound)?;
                let operands = self.compound_operand(b, &compound)?;
                Given::Parts(operands.into_iter().map(|operand| b.settled(operand)).collect())
            } else {
                let (ty, operand) = self.argument(b)?;
                let element = self.said.element;
                Given::One(ty, b.settled(operand), element)
            });
            if !self.another()? {
                break;
            }
        }
        self.expect(b')')?;
        self.call_attributes()?;
        if self.token == Token::Mark(b'[') {
            return self.error("operand bundles are not supported");
        }
        Ok(given)
    }

    /// An assembly that says nothing, with which C (`asm volatile("" ::: "memory")`) and Rust (`black_box`) keep compilers from
    /// knowing something. What it is given may be read and changed. A result is the operand that it shares a register with.
    fn without_code(
        &mut self,
        b: &mut Builder,
        (words, clobbers): (&[Word], &[&str]),
        given: &[Given],
        outputs: &[Type],
        at: usize,
    ) -> Parsed<Vec<Value>> {
        let address = |given: &Given| match *given {
            Given::One(Type::Ptr, v, _) => Some(v),
            _ => None,
        };
        given.iter().filter_map(address).try_for_each(|v| self.barrier(b, Some(v)))?;
        if clobbers.contains(&"~{memory}") && !given.iter().any(|given| address(given).is_some()) {
            self.barrier(b, None)?;
        }
        let inputs = || words.iter().filter(|word| word.is_given()).zip(given);
        let tied = |k: usize| inputs().find(|(word, _)| word.of.parse() == Ok(k)).map(|(_, given)| given);
        let places = words.iter().enumerate().filter(|(_, word)| !word.is_given());
        let mut values: Vec<Value> = Vec::new();
        for (k, _) in places {
            match (tied(k), outputs.get(values.len())) {
                (Some(Given::Parts(parts)), _) => values.extend(parts),
                (Some(&Given::One(_, v, _)), _) => values.push(v),
                (None, Some(&ty)) if ty.is_int() => values.push(b.f.int_of(ty, 0)),
                _ => {
                    return self.error_at(at, "inline assembly is not supported: a result that nothing sets");
                }
            }
        }
        let is_so =
            values.len() == outputs.len() && values.iter().zip(outputs).all(|(&v, &ty)| b.f.type_of(v) == ty);
        if !is_so {
            return self.error_at(at, "inline assembly is not supported: a result of this type");
        }
        // Through memory that is volatile, so that passes do not know the value.
        let mut parts = Vec::new();
        for (v, &ty) in values.into_iter().zip(outputs) {
            let shape = self.module.env.shapes.of(ty, &[]);
            let room = self.local_room(b, shape)?;
            b.insert(Op::StoreVolatile, Type::Void, &[Operand::Value(v), room], 0);
            parts.push(Value::inst(b.insert(Op::LoadVolatile, ty, &[room], 0)));
        }
        Ok(parts)
    }

    /// One with code: a call of the function that stands for it.
    fn with_code(
        &mut self,
        b: &mut Builder,
        (template, is_volatile, at): (&str, bool, usize),
        (words, clobbers): (&[Word], &[&str]),
        given: &[Given],
        outputs: &[Type],
    ) -> Parsed<Vec<Value>> {
        let (mut types, mut canonical) = (vec![(Type::Void, false)], Vec::<String>::new());
        let (mut operands, mut rooms, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        let mut given = given.iter();
        for word in words {
            let early = if word.is_early { "&" } else { "" };
            numbers.push(None);
            if !word.is_given() {
                let ty = outputs.get(rooms.len()).copied().unwrap_or(Type::Void);
                let of = self.constraint(word, ty, None, at)?;
                let carried = self.carried(ty);
                if outputs.len() == 1 {
                    types[0].0 = carried;
                    canonical.push(format!("={early}{of}"));
                    rooms.push((carried, None));
                    continue;
                }
                let shape = self.module.env.shapes.of(carried, &[]);
                let room = self.local_room(b, shape)?;
                types.push((carried, true));
                canonical.push(format!("=*{early}{of}"));
                operands.push(room);
                rooms.push((carried, Some(room)));
                continue;
            }
            let Some(&Given::One(ty, v, element)) = given.next() else {
                return self.error_at(at, "inline assembly is not supported: an operand of this type");
            };
            let number = b.f.as_int(v).filter(|_| !word.is_output);
            if word.is_indirect {
                let element = element.and_then(|mem| self.parts_of(mem, 1));
                let element = element.and_then(|parts| parts.first().map(|part| part.0));
                let of = self.constraint(word, element.unwrap_or(Type::Void), None, at)?;
                let is_memory = matches!(&*of, "m" | "Q" | "A");
                let element = match element {
                    Some(ty) if is_memory || self.carried(ty) == ty => ty,
                    _ if is_memory => Type::I8,
                    _ => {
                        return self
                            .error_at(at, "inline assembly is not supported: an operand of this type");
                    }
                };
                types.push((element, true));
                canonical.push(format!("{}*{early}{of}", if word.is_output { "=" } else { "" }));
                operands.push(Operand::Value(v));
                continue;
            }
            let of = self.constraint(word, ty, number, at)?;
            let mut carried = if of == "i" { ty } else { self.carried(ty) };
            if let Ok(k) = of.parse::<usize>() {
                let output = words.iter().take(k + 1).filter(|word| !word.is_given()).count();
                carried = match words.get(k) {
                    Some(word) if !word.is_given() => {
                        rooms.get(output.wrapping_sub(1)).map_or(carried, |room| room.0)
                    }
                    _ => carried,
                };
            } else if ty == Type::I32 && carried == Type::I64 {
                // It is as wide as the register already.
                carried = Type::I32;
            }
            if of == "i" {
                numbers.pop();
                numbers.push(number);
            }
            let operand = match (ty == carried, ty.is_int() && carried.is_int()) {
                (true, _) => Operand::Value(v),
                (_, true) => {
                    let extend = if ty == Type::I32 { Op::SExt } else { Op::ZExt };
                    b.resized(Operand::Value(v), ty, carried, extend)
                }
                _ => return self.error_at(at, "inline assembly is not supported: an operand of this type"),
            };
            types.push((carried, false));
            canonical.push(of);
            operands.push(operand);
        }
        canonical.extend(clobbers.iter().map(|clobber| (*clobber).to_string()));
        let number = |k: usize| numbers.get(k).copied().flatten();
        let template = match numbers.iter().any(Option::is_some) {
            true => assembly::with_numbers(template, number),
            false => template.to_string(),
        };
        let code = assembly::code(is_volatile, &types, &canonical.join(","), &template);
        let name = Builtin::Assembly.name(&code);
        let known = Assembly::of(&name).ok_or_else(|| "these constraints".to_string());
        let can = self.platform.assembly;
        let known = known.and_then(|known| can.map_or(Ok(()), |can| can(&known)).map(|()| known));
        let effect = match known {
            Ok(known) => known.effect(),
            Err(what) => return self.error_at(at, format!("inline assembly is not supported: {what}")),
        };
        let ty = types[0].0;
        let params: Vec<Type> =
            types[1..].iter().map(|&(ty, is_element)| if is_element { Type::Ptr } else { ty }).collect();
        let func = self.builtin(Builtin::Assembly, ty, &params, &code)?;
        self.module.env.funcs[func].effect = effect;
        let v = Value::inst(b.insert(Op::Call, ty, &operands, func.index() as u32));
        let mut parts = Vec::new();
        for ((carried, room), &ty) in rooms.into_iter().zip(outputs) {
            let v = match room {
                Some(room) => Value::inst(b.insert(Op::Load, carried, &[room], 0)),
                None => v,
            };
            parts.push(match carried == ty {
                true => v,
                false => b.resized(Operand::Value(v), carried, ty, Op::ZExt).now(),
            });
        }
        Ok(parts)
    }

    /// The type that a value has in a register: machines know what is above a narrow integer, and assembly does not keep to it.
    fn carried(&self, ty: Type) -> Type {
        match ty {
            Type::I1 | Type::I8 | Type::I16 | Type::I32 if self.platform.name == "riscv64" => Type::I64,
            Type::I1 | Type::I8 | Type::I16 => Type::I32,
            ty => ty,
        }
    }

    /// A constraint as `ir/assembly` has it, of a value of this type, which may be known.
    fn constraint(&self, word: &Word, ty: Type, number: Option<i64>, at: usize) -> Parsed<String> {
        let of = word.of;
        let row = LETTERS.iter().find(|row| row.0 == self.platform.name);
        let Some((_, [ints, floats, memory, numbers])) = row else {
            return self.error_at(at, "inline assembly is not supported: this machine");
        };
        let word_bits = self.pointer_int().int_bits();
        let is_int = ty == Type::Ptr || ty.is_int() && ty.int_bits() <= word_bits;
        let is_float = matches!(ty, Type::F32 | Type::F64);
        let is_fixed = of.starts_with('{') && of.ends_with('}');
        let is_tied = !word.is_output && !of.is_empty() && of.bytes().all(|c| c.is_ascii_digit());
        if is_fixed || is_tied {
            return if is_int || is_float {
                Ok(of.to_string())
            } else {
                self.error_at(at, "inline assembly is not supported: an operand of this type")
            };
        }
        let find = |letters: &str| of.chars().find(|&letter| letters.contains(letter));
        let is_other = of.contains(OTHERS);
        let found = match word.is_indirect {
            true => find(memory)
                .or_else(|| find(ints).filter(|_| is_int))
                .or_else(|| find(floats).filter(|_| is_float)),
            false => find(ints).filter(|_| is_int).or_else(|| find(floats).filter(|_| is_float)),
        };
        if let Some(letter) = found.filter(|_| !is_other) {
            return Ok(if ints.contains(letter) { "r".to_string() } else { letter.to_string() });
        }
        if !is_other && !word.is_output && number.is_some() && find(numbers).is_some() {
            return Ok("i".to_string());
        }
        let ty = if ty == Type::Void { String::new() } else { format!(" of {}", ty.name()) };
        self.error_at(at, format!("inline assembly is not supported: the constraint `{of}`{ty}"))
    }

    /// What passes and machines take for something that reads and writes all memory, and what this address leads to.
    pub(super) fn barrier(&mut self, b: &mut Builder, address: Option<Value>) -> Parsed<()> {
        let (params, code): (&[Type], &str) = match address {
            Some(_) => (&[Type::Ptr], "p0"),
            None => (&[], ""),
        };
        let func = self.builtin(Builtin::Barrier, Type::Void, params, code)?;
        let operands: Vec<Operand> = address.into_iter().map(Operand::Value).collect();
        b.insert(Op::Call, Type::Void, &operands, func.index() as u32);
        Ok(())
    }
}
