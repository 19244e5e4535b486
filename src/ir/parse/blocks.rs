//! Addresses of blocks (`blockaddress`) and jumps to them (`indirectbr`), which C's compilers make of `&&label` and `goto *`.
//!
//! The address of a block is a number, from 1, and a jump is a choice among the numbers of the blocks that it names
//! (`switch`). So no pass, machine or linker knows of either: blocks can be copied, merged and moved. What programs do with such
//! addresses (keep them in tables, subtract and add them, compare and jump to them) numbers do, too. The addresses of blocks
//! of two functions may be equal.
//!
//! A block gets its number where its address first stands in the text, and those of a jump at the latest there. Data come before
//! bodies: a body goes on where data have ended. So a body can name the blocks of another function only if data do.

use super::builder::{Builder, Operand};
use super::lexer::{Text, Token};
use super::switch::Cases;
use super::{Parsed, Parser, Symbol, error_at};
use crate::base::Name;
use crate::ir::{FuncId, Op, Type, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The numbers of a function's blocks, by what they are called.
pub(super) type Numbers = BTreeMap<String, i64>;

/// The blocks that data name, by function, and where each was first named.
pub(super) type Named = Arc<BTreeMap<Name, (usize, Numbers)>>;

/// The number of a block, which it may get now.
fn number(numbers: &mut Numbers, block: &str) -> i64 {
    let next = numbers.len() as i64 + 1;
    *numbers.entry(block.to_string()).or_insert(next)
}

impl Parser<'_> {
    /// `blockaddress(@f, %b)` as its number; the word is the token.
    pub(super) fn block_address(&mut self) -> Parsed<i64> {
        let at = self.start;
        self.advance()?;
        self.expect(b'(')?;
        let Token::Global(func) = self.token else { return self.expected("a function") };
        let func = self.name_text(func)?.into_owned();
        self.advance()?;
        self.expect(b',')?;
        let Token::Local(block) = self.token else { return self.expected("the name of a block") };
        let block = self.block_text(block)?;
        self.advance()?;
        self.expect(b')')?;
        let name = self.module.env.names.intern(&func);
        self.symbols.grow_to(self.module.env.names.len(), Symbol::None);
        let number = match &mut self.here {
            Some((of, numbers)) if *of == name => number(numbers, &block),
            Some(_) => match self.blocks.get(&name).and_then(|row| row.1.get(&block)) {
                Some(&number) => number,
                None => {
                    let message =
                        "the address of a block of another function that no data have is not supported";
                    return self.error_at(at, message);
                }
            },
            None => {
                let row = Arc::make_mut(&mut self.blocks).entry(name);
                number(&mut row.or_insert_with(|| (at, Numbers::new())).1, &block)
            }
        };
        Ok(number)
    }

    /// What a block is called, in a form that differs for all.
    fn block_text(&self, text: Text) -> Parsed<String> {
        let name = self.name_text(text)?.into_owned();
        if text.quoted && name.bytes().all(|c| c.is_ascii_digit()) {
            return self.error("the address of a block whose name is a number in quotes is not supported");
        }
        Ok(name)
    }

    /// All functions whose blocks data name have to be there.
    pub(super) fn settle_blocks(&self) -> Parsed<()> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        let defined: BTreeSet<FuncId> = self.definitions.iter().map(|row| row.func).collect();
        for (&name, &(at, _)) in self.blocks.iter() {
            let symbol = self.symbols.get(name).copied();
            if !matches!(symbol, Some(Symbol::Func(func)) if defined.contains(&func)) {
                let name = self.module.env.names.text(name);
                return Err(error_at(self.lexer.text, at, format!("`@{name}` is no function with blocks")));
            }
        }
        Ok(())
    }

    /// Before a body is read: the numbers that its blocks have.
    pub(super) fn begin_blocks(&mut self, name: Name) {
        let known = self.blocks.get(&name).map(|row| row.1.clone());
        self.here = Some((name, known.unwrap_or_default()));
    }

    /// Behind it: the blocks that have one have to be there.
    pub(super) fn end_blocks(&mut self, b: &mut Builder) -> Parsed<()> {
        let Some((_, numbers)) = self.here.take() else { return Ok(()) };
        for block in numbers.keys() {
            let local = b.local_of(block);
            if !b.is_placed(local) {
                return self.error(format!("there is no block `%{block}`"));
            }
        }
        Ok(())
    }

    /// `indirectbr ptr %x, [label %a, label %b]`.
    pub(super) fn indirect_branch(&mut self, b: &mut Builder) -> Parsed<()> {
        self.advance()?;
        let at = self.start;
        let (ty, address) = self.typed_operand(b)?;
        if ty != Type::Ptr {
            return self.error_at(at, "a jump must be to a ptr");
        }
        self.expect(b',')?;
        self.expect(b'[')?;
        let mut cases = Cases::new();
        while !self.eat(b']')? {
            if !cases.is_empty() {
                self.expect(b',')?;
            }
            self.expect_word("label")?;
            let Token::Local(text) = self.token else { return self.expected("the name of a block") };
            let name = self.block_text(text)?;
            let to = self.block_operand(b)?;
            b.fan(to);
            if let Some((_, numbers)) = &mut self.here {
                cases.push((number(numbers, &name), to));
            }
        }
        cases.sort_unstable();
        cases.dedup();
        let Some(&(_, other)) = cases.last() else {
            b.f.set_unreachable(b.block, b.place());
            return Ok(());
        };
        // To any other address is undefined.
        cases.retain(|case| case.1 != other);
        let word = self.pointer_int();
        let number = Operand::Value(Value::inst(b.insert(Op::PtrToInt, word, &[address], 0)));
        self.choose(b, (word, word.int_bits()), number, &cases, other);
        Ok(())
    }
}
