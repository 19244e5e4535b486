//! Signatures of functions; bodies are stepped over, and read when all names are known.

use super::attribute::{Extended, carrier};
use super::half::TRAVELS;
use super::head::TAIL;
use super::head::{Head, Of};
use super::keywords::{Handling, Places};
use super::lexer::Token;
use super::words::meaning;
use super::{Definition, Parsed, Parser, Symbol, call, parts};
use crate::ir::section::Content;
use crate::ir::{Func, Linkage, Parts, Type};

impl Parser<'_> {
    pub(super) fn function(&mut self, defines: bool) -> Parsed<()> {
        self.advance()?;
        while let Token::Meta(_) = self.token
            && !defines
        {
            self.attachment()?;
        }
        let Head { linkage, word, scope } =
            self.head(if defines { Of::Definition } else { Of::Declaration })?;
        let optional = !defines && word == "extern_weak";
        let linkage = if defines { linkage } else { Linkage::Declared };
        let convention = self.convention()?;
        let tail = convention.is_some_and(|said| said.0 == TAIL);
        if let Some((word, at)) = convention.filter(|_| !tail && linkage != Linkage::Internal) {
            return self.refused_here(at, word);
        }
        let mut of_result = self.attributes(Places::RESULT)?;
        let of_type = self.start;
        self.takes_small = true;
        self.small = false;
        let (result, compound) = self.result_type(false)?;
        let is_small = self.small && compound.is_none();
        match &compound {
            Some(compound) => self.suits_compound(&of_result, compound)?,
            None => self.suits(&of_result, result)?,
        }
        if is_small {
            of_result.extension = Some(TRAVELS);
        }
        let at = self.start;
        let Token::Global(text) = self.token else { return self.expected("a function's name") };
        self.advance()?;
        self.expect(b'(')?;
        let (mut params, mut names, mut variadic) = (Vec::new(), Vec::new(), false);
        let mut extended: Vec<Extended> = vec![self.travels(of_result, result, false)];
        let (mut compounds, mut groups, mut said) = (Vec::new(), Vec::new(), Vec::new());
        let result_type = Some(result).filter(|_| compound.is_none());
        let mut results = self.results_of(compound.as_ref());
        let mut has_varargs = false;
        if !results.is_empty() {
            params.push(Type::Ptr);
            compounds.push(Self::hidden_parameter(0));
        }
        let mut result_at = None;
        let result = carrier(extended[0], result);
        let name = self.name_text(text)?;
        // Calls of those that are known are recognised by name, and what they do is known.
        let defined_here = defines && call::opcode_of(&name).is_some();
        let intrinsic = !defines && name.starts_with("llvm.") || defined_here;
        let is_internal = linkage == Linkage::Internal;
        let mut by_address = None;
        if let Some(compound) = compound.as_ref().filter(|_| !intrinsic) {
            self.may_travel(compound, is_internal, of_type)?;
            if self.is_kept(compound) {
                by_address = Some((compound.bits, compound.mem));
            }
            if self.goes_by_memory(compound) {
                params.push(Type::Ptr);
                compounds.push(Self::hidden_parameter(0));
            }
        }
        if intrinsic {
            while !matches!(self.token, Token::Mark(b')') | Token::End) {
                if self.token == Token::Mark(b'(') { self.skip_balanced()? } else { self.advance()? }
            }
        } else {
            while self.token != Token::Mark(b')') {
                if self.eat(b'.')? {
                    variadic = true;
                    break;
                }
                if let Some(several) = self.several_parameters(&mut params, &mut groups, is_internal)? {
                    compounds.push(several);
                    if !self.another()? {
                        break;
                    }
                    continue;
                }
                names.resize(params.len(), None);
                extended.resize(params.len() + 1, None);
                let ty = self.ty()?;
                let is_small = self.small;
                let mut attributes = self.attributes(Places::PARAMETER)?;
                self.suits(&attributes, ty)?;
                self.no_immediate(&attributes)?;
                if is_small {
                    attributes.extension = Some(TRAVELS);
                }
                said.push((attributes, ty));
                has_varargs |= self.marked(params.len(), &mut results, &mut groups)?;
                let extension = self.travels(attributes, ty, true);
                if attributes.is_result {
                    result_at = Some(params.len());
                }
                params.push(carrier(extension, ty));
                extended.push(extension);
                names.push(if let Token::Local(name) = self.token { Some(name) } else { None });
                if names.last().is_some_and(Option::is_some) {
                    self.advance()?;
                }
                if !self.another()? {
                    break;
                }
            }
        }
        names.resize(params.len(), None);
        extended.resize(params.len() + 1, None);
        if let Some(result) = result_type {
            self.returns_one(result, said.into_iter())?;
        }
        self.takes_small = false;
        self.expect(b')')?;
        self.eat_unnamed()?;
        let of_space = self.start;
        if self.eat_word("addrspace")? {
            self.address_space(of_space)?;
        }
        let (mut behind, mut section) = (self.attributes(Places::FUNCTION)?, None);
        if self.token == Token::Word("section") {
            section = Some(self.section_of(Content::Code)?);
        }
        self.eat_comdat(text.raw, !defines)?;
        if self.eat_word("align")? {
            behind.align = self.alignment()?;
        }
        let mut personality = None;
        if self.token == Token::Word("personality") {
            personality = Some(self.personality(defines)?);
        }
        if let Token::Word(word) = self.token
            && meaning(word)
                .row
                .is_some_and(|row| row.at == Places::TAIL && row.handling == Handling::Refused)
        {
            return self.refuse_word(word);
        }
        if intrinsic {
            return if defined_here { self.skip_balanced() } else { Ok(()) };
        }
        if defines && behind.align > 4 {
            return self.error_at(at, "a function that is aligned to more than 4 bytes is not supported");
        }
        if tail && variadic {
            return self.error_at(at, "`tailcc` with variadic arguments is not supported");
        }
        let varargs = defines && variadic;
        let is_demoted = compound.as_ref().is_some_and(|compound| !intrinsic && self.is_demoted(compound));
        if varargs && compound.as_ref().is_some_and(|compound| !intrinsic && self.goes_by_memory(compound)) {
            let note = if is_demoted {
                "a variadic function with a result of so many parts is not supported"
            } else {
                parts::NO_VECTORS
            };
            return self.error_at(at, note);
        }
        if varargs && !has_varargs {
            // Where variadic arguments are is a parameter, in front of those of the text.
            let k = usize::from(!results.is_empty());
            params.insert(k, Type::Ptr);
            names.insert(k, None);
            extended.insert(k + 1, None);
            compounds.iter_mut().skip(k).for_each(parts::Parameter::shift);
            groups.iter_mut().for_each(|group| group.first += 1);
            compounds.insert(k, Self::hidden_parameter(k));
            result_at = result_at.map(|at| at + 1);
        }
        let func = self.module.env.funcs.next_handle();
        let name = self.define(text, at, Symbol::Func(func))?;
        self.by_address.extend(by_address.map(|ty| (func, ty)));
        if result_at.is_some_and(|k| k != usize::from(varargs) || params[k] != Type::Ptr) {
            return self.error_at(at, "the place of the result must be the first parameter, a ptr");
        }
        let returns_by = result_at.is_some() || is_demoted;
        let is_plain = results.is_empty() && groups.is_empty() && !varargs;
        let parts = (!is_plain).then(|| Box::new(Parts { results, groups, varargs }));
        let row = Func::new(name, result, params, linkage);
        let section = section.into();
        self.module.env.funcs.push(Func {
            variadic,
            returns_by,
            tail,
            parts,
            optional,
            scope,
            section,
            hints: behind.hints(),
            ..row
        });
        if optional {
            self.module.env.address_of(func);
        }
        if behind.builtin != 0 {
            return self
                .error_at(behind.builtin as usize, "`builtin` cannot stand at a function, but at calls");
        }
        if let Some(sizes) = behind.sizes {
            self.sizes_fit(sizes, func)?;
        }
        if extended.iter().all(Option::is_none) {
            extended.clear();
        }
        self.extended.push(extended);
        if linkage == Linkage::Declared {
            self.declared.push((func, behind));
        }
        self.personalities.extend(personality.map(|(name, at)| (name, at, func)));
        if let Some(group) = behind.group {
            self.in_groups.push((group, func));
        }
        if defines {
            while let Token::Meta(_) = self.token {
                self.note_entry_count(func);
                self.attachment()?;
            }
            if self.token != Token::Mark(b'{') {
                return self.expected("`{`");
            }
            let (opening, start) = (self.start, self.lexer.at);
            if !self.lexer.close_brace() {
                return self.error_at(opening, "this bracket is never closed");
            }
            let end = self.lexer.at;
            self.definitions.push(Definition { func, header: at, params: names, compounds, start, end });
            self.advance()?;
        }
        Ok(())
    }
}
