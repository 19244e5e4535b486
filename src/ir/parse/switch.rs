//! `switch`: a tree of comparisons (`ir/switch`), a block each. O(cases log cases).
//!
//! Of an integer of a width that the tables lack, the tree is about the word that it is in, with its sign; about 64 bits where
//! it takes two words of 32. Of more than 64 bits it is about the lowest 64, behind the question whether they are all there is;
//! cases that need more are asked for one by one before that.

use super::builder::{Builder, Operand};
use super::lexer::Token;
use super::{Parsed, Parser};
use crate::ir::switch::{self, Question, Table, Test, To};
use crate::ir::{Block, IntPred, Op, Type, Value};
use std::collections::BTreeSet;

/// Numbers, and where each goes.
pub(super) type Cases = Vec<(i64, Block)>;

impl Parser<'_> {
    /// `switch i32 %x, label %other [ i32 1, label %one ... ]`.
    pub(super) fn switch(&mut self, b: &mut Builder) -> Parsed<()> {
        self.advance()?;
        if let Some(bits) = self.wide_type() {
            return self.switch_wide(b, bits);
        }
        let at = self.start;
        let (ty, value) = self.typed_operand(b)?;
        if !ty.is_int() {
            return self.error("a switch must be on an integer");
        }
        let (mut cases, _, other) = self.cases(b, at, |p, b| {
            let (of, case) = p.typed_operand(b)?;
            let Some(x) = b.f.as_int(case.now()).filter(|_| of == ty) else {
                return p.error("a case must be a number of the switch's type");
            };
            let unused = 64 - ty.int_bits();
            Ok(Some(x << unused >> unused))
        })?;
        if !matches!(ty, Type::I8 | Type::I16) {
            self.choose(b, (ty, ty.int_bits()), value, &cases, other);
            return Ok(());
        }
        // As a word without its sign: loads make it so, and a table of opcodes begins at 0, not at -128.
        let value = Operand::Value(Value::inst(b.insert(Op::ZExt, Type::I32, &[value], 0)));
        for (x, _) in &mut cases {
            *x &= (1 << ty.int_bits()) - 1;
        }
        cases.sort_by_key(|case| case.0);
        self.choose(b, (Type::I32, ty.int_bits() + 1), value, &cases, other);
        Ok(())
    }

    /// The same of a width that the tables lack.
    fn switch_wide(&mut self, b: &mut Builder, bits: u32) -> Parsed<()> {
        let at = self.start;
        self.advance()?;
        let x = self.wide_operand(b, bits)?;
        let (mut large, mut texts) = (Vec::new(), BTreeSet::new());
        let (cases, of_large, other) = self.cases(b, at, |p, b| {
            if p.wide_type() != Some(bits) {
                return p.error("a case must be a number of the switch's type");
            }
            p.advance()?;
            let Token::Int(text) = p.token else { return p.expected("a number") };
            let unused = 128u32.saturating_sub(bits);
            let fits =
                |x: &i128| unused == 0 || (-1i128 << (bits - 1)..=i128::MAX >> (unused - 1)).contains(x);
            let mut x = text.parse::<i128>().ok();
            if bits == 128 && x.is_none() {
                x = text.parse::<u128>().ok().map(|x| x as i128);
            }
            if bits < 128 && x.is_some_and(|x| !fits(&x)) {
                return p.error(format!("{text} does not fit i{bits}"));
            }
            let x = x.and_then(|x| i64::try_from(x << unused >> unused).ok());
            if x.is_some() {
                p.advance()?;
                return Ok(x);
            }
            if !texts.insert(text) {
                return p.error(format!("{text} is a case twice"));
            }
            large.push(p.wide_operand(b, bits)?);
            Ok(None)
        })?;
        for (case, to) in large.into_iter().zip(of_large).filter(|&(_, to)| to != other) {
            let is = self.compared(b, IntPred::Eq, x.clone(), case);
            let (asks, next) = (b.block, b.extra_block());
            b.f.set_cond_br(asks, is, to, next, b.place());
            b.block = next;
        }
        let x = self.normal(b, x, Op::SExt);
        let (word, size) = self.word();
        let ty = if bits <= size { word } else { Type::I64 };
        let low = self.narrowed(b, &x, ty);
        if bits > 64 {
            let whole = self.widened(b, low, bits, Op::SExt);
            let fits = self.compared(b, IntPred::Eq, x, whole);
            let (asks, next) = (b.block, b.extra_block());
            b.f.set_cond_br(asks, fits, next, other, b.place());
            b.block = next;
        }
        self.choose(b, (ty, bits.min(64)), Operand::Value(low), &cases, other);
        Ok(())
    }

    /// `, label %other [ i32 1, label %one ... ]`: in rising order those that do not go where all others go, where those go that
    /// are no number here, and the place of all others.
    fn cases(
        &mut self,
        b: &mut Builder,
        at: usize,
        mut number: impl FnMut(&mut Self, &mut Builder) -> Parsed<Option<i64>>,
    ) -> Parsed<(Cases, Vec<Block>, Block)> {
        self.expect(b',')?;
        let other = self.label(b)?;
        b.fan(other);
        self.expect(b'[')?;
        let (mut cases, mut no_number) = (Vec::new(), Vec::new());
        while !self.eat(b']')? {
            let x = number(self, b)?;
            self.expect(b',')?;
            let to = self.label(b)?;
            b.fan(to);
            match x {
                Some(x) => cases.push((x, to)),
                None => no_number.push(to),
            }
        }
        cases.sort_by_key(|case| case.0);
        if let Some(twice) = cases.windows(2).find(|two| two[0].0 == two[1].0) {
            return self.error_at(at, format!("{} is a case twice", twice[0].0));
        }
        cases.retain(|case| case.1 != other);
        Ok((cases, no_number, other))
    }

    /// Ends the block by going where an integer of so many bits says.
    pub(super) fn choose(
        &self,
        b: &mut Builder,
        (ty, bits): (Type, u32),
        value: Operand,
        cases: &[(i64, Block)],
        other: Block,
    ) {
        let numbers: Vec<i64> = cases.iter().map(|case| case.0).collect();
        let (tests, tables) =
            switch::with_tables(&numbers, bits, |a, c| cases[a].1 == cases[c].1, self.platform.least_table);
        let mut blocks = vec![b.block];
        for _ in 1..tests.len() {
            // In their order, each behind the one before.
            b.block = b.extra_block();
            blocks.push(b.block);
        }
        let target = |to: To| match to {
            To::Case(case) => cases[case].1,
            To::Default => other,
            To::Test(test) => blocks[test],
        };
        if tests.is_empty() {
            b.f.set_br(b.block, other, b.place());
        } else if tests.iter().all(|test| ![test.yes, test.no].contains(&To::Default)) {
            b.never.insert((b.origin[b.block], other));
        }
        for (&block, Test { asks, yes, no }) in blocks.iter().zip(&tests) {
            b.block = block;
            let asked = |b: &mut Builder, x: Operand, pred: IntPred, y: i64| {
                let y = Operand::Value(b.f.int_of(ty, y));
                b.insert(Op::ICmp, Type::I1, &[x, y], pred as u32)
            };
            let is_so = match *asks {
                Question::Equal(x) => asked(b, value, IntPred::Eq, x),
                Question::Less(x) => asked(b, value, IntPred::Slt, x),
                Question::Table(number) => {
                    let Table { low, cases: entries } = &tables[number];
                    let mut x = value;
                    if *low != 0 {
                        let low = Operand::Value(b.f.int_of(ty, *low));
                        x = Operand::Value(Value::inst(b.insert(Op::Sub, ty, &[value, low], 0)));
                    }
                    if ty.is_narrow() {
                        x = Operand::Value(Value::inst(b.insert(Op::ZExt, Type::I32, &[x], 0)));
                    }
                    let entries = entries.iter().map(|case| case.map_or(other, |case| cases[case].1));
                    let targets: Vec<Block> = entries.chain([other]).collect();
                    b.f.set_switch(b.block, x.now(), &targets, b.place());
                    self.wait_terminator(b, x);
                    continue;
                }
                Question::Bit(low, word) => {
                    let mut from = value;
                    if low != 0 {
                        let low = Operand::Value(b.f.int_of(ty, low));
                        from = Operand::Value(Value::inst(b.insert(Op::Sub, ty, &[value, low], 0)));
                    }
                    let op = if ty.is_narrow() { Op::ZExt } else { Op::Trunc };
                    if ty != Type::I32 {
                        from = Operand::Value(Value::inst(b.insert(op, Type::I32, &[from], 0)));
                    }
                    let word = Operand::Value(b.f.int(word as i32));
                    let shifted = b.insert(Op::Shl, Type::I32, &[word, from], 0);
                    let zero = Operand::Value(b.f.int(0));
                    let shifted = Operand::Value(Value::inst(shifted));
                    b.insert(Op::ICmp, Type::I1, &[shifted, zero], IntPred::Slt as u32)
                }
                Question::Within(low, high) => {
                    let low_value = Operand::Value(b.f.int_of(ty, low));
                    let from = b.insert(Op::Sub, ty, &[value, low_value], 0);
                    asked(b, Operand::Value(Value::inst(from)), IntPred::Ule, high.wrapping_sub(low))
                }
            };
            b.f.set_cond_br(b.block, Value::inst(is_so), target(*yes), target(*no), b.place());
        }
    }
}
