//! What a text says of variables (`#dbg_declare`, `#dbg_value`, and the intrinsics before them), once a body is there. A variable
//! is called by where it is first named in the body: that says which it is, and of which inlined call (`debug_info::record`).
//! What is not understood is not known from there on. O(records x log nodes).

use super::builder::Builder;
use super::debug_info::{Record, node, operand, record, stores};
use super::lexer::{Text, Token};
use super::{Lexer, Parser, Symbol};
use crate::base::Handle;
use crate::base::formula::{Operator, Term};
use crate::ir::debug_values::{Formula, Records};
use crate::ir::{Block, Op, Type, Value};
use std::collections::{BTreeMap, BTreeSet};

impl Parser<'_> {
    /// Takes the records of a body.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_records(&self, b: &mut Builder) {
        let mut numbers: BTreeMap<(u32, Option<u32>), u32> = BTreeMap::new();
        let mut records = Records::default();
        let rows = std::mem::take(&mut b.records);
        let rows: Vec<(Block, u32, Record)> = rows
            .into_iter()
            .filter_map(|(block, at)| Some((block, at, record(self.lexer.text, at)?)))
            .collect();
        let stores = match rows.iter().any(|row| row.2.assigned.is_some()) {
            true => stores(self.lexer.text.get(b.labels[Block::new(0)] as usize..).unwrap_or_default()),
            false => BTreeSet::new(),
        };
        // Where variables are in memory, and those that are not there, or not all the time.
        let mut homes: BTreeMap<u32, Value> = BTreeMap::new();
        let mut elsewhere: BTreeSet<u32> = BTreeSet::new();
        for (block, at, row) in rows {
            let Record { is_value, value, variable, expression, location, assigned } = row;
            let inlined = self.node_text(location).and_then(|text| node(text)?.node("inlinedAt"));
            let number = *numbers.entry((variable, inlined)).or_insert(at);
            let at = at.max(b.labels[block]);
            let formula = self.said_value(b, value).unwrap_or_default();
            if is_value {
                elsewhere.insert(number);
                records.rows.push((at, number, applied(formula, expression)));
                continue;
            }
            if let Some((value, store)) = assigned {
                // Without a store, memory still has what was there before.
                let is_stored = stores.contains(&store);
                let value = self.said_value(b, value).filter(|_| !is_stored).unwrap_or_default();
                elsewhere.extend(Some(number).filter(|_| !is_stored));
                records.rows.push((at, number, applied(value, expression)));
            }
            let &[Term::Leaf(v)] = &*formula else { continue };
            if v.as_inst().is_none_or(|i| b.f.op(i) != Op::Alloca) {
                continue;
            }
            match homes.get(&number) {
                Some(&home) if home == v => {}
                // In pieces.
                Some(_) => _ = elsewhere.insert(number),
                None if expression == "!DIExpression()" => _ = homes.insert(number, v),
                None => _ = elsewhere.insert(number),
            }
        }
        homes.retain(|number, _| !elsewhere.contains(number));
        b.f.variables.extend(homes.iter().map(|(&number, &v)| (v, number)));
        records.rows.retain(|row| elsewhere.contains(&row.1));
        if records.rows.is_empty() {
            return;
        }
        records.rows.sort_by_key(|row| row.0);
        records.starts = b.f.blocks().map(|block| b.labels[block]).filter(|&at| at != 0).collect();
        records.starts.sort_unstable();
        b.f.records = Some(Box::new(records));
    }

    /// The text of a node from its start on.
    fn node_text(&self, number: u32) -> Option<&str> {
        self.lexer.text.get(self.nodes.place(number.into())? as usize..)
    }

    /// A value as it is written, with its type.
    fn said_value(&self, b: &Builder, text: &str) -> Option<Formula> {
        let (ty, value) = text.split_once(' ')?;
        // What is in two words is in no place that could be told, and numbers are computed in one.
        let bits = ty.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok());
        if bits.is_some_and(|bits| bits > 8 * self.platform.pointer_bytes) {
            return None;
        }
        let mut lexer = Lexer { text: value, at: 0 };
        match lexer.next().ok()?.0 {
            Token::Local(Text { raw, quoted: false }) => Some(vec![Term::Leaf(b.known(raw)?)]),
            Token::Global(name) => {
                let name = self.module.env.names.find(&self.name_text(name).ok()?)?;
                match self.symbols.get(name)? {
                    Symbol::Global(global) => Some(vec![Term::Leaf(Value::global(*global))]),
                    _ => None,
                }
            }
            Token::Int(text) => Some(vec![Term::Number(signed(text, bits?)?)]),
            Token::Word("true") => Some(vec![Term::Number(1)]),
            Token::Word("false" | "null") => Some(vec![Term::Number(0)]),
            Token::Float(text) if ty == "float" => {
                let number = match text.strip_prefix("0x") {
                    Some(bits) => f64::from_bits(u64::from_str_radix(bits, 16).ok()?),
                    None => text.parse().ok()?,
                };
                // As of an integer, with the sign in the bits above.
                Some(vec![Term::Number(i64::from((number as f32).to_bits() as i32))])
            }
            _ => None,
        }
    }
}

/// An integer of so many bits, whose sign is the highest of them, also where it is written without one; of a single bit, 0 or 1.
fn signed(text: &str, bits: u32) -> Option<i64> {
    let number: i128 = text.parse().ok()?;
    let above = 64u32.checked_sub(bits).filter(|&above| above < 64)?;
    let extended = (number as i64) << above >> above;
    let is_there = (-(1 << (bits - 1))..1 << bits).contains(&number);
    is_there.then_some(if bits == 1 { extended & 1 } else { extended })
}

impl Builder {
    /// The value of a name, if that is no text with escapes.
    fn known(&self, raw: &str) -> Option<Value> {
        let v = self.local_value(self.find_local(raw)?)?;
        let ty = self.f.type_of(v);
        (!ty.is_vector() && ty != Type::Void).then_some(v)
    }
}

/// A value to which the operators of an expression have been applied; nothing if that is not known.
fn applied(mut formula: Formula, expression: &str) -> Formula {
    let Some(inside) = expression.strip_prefix("!DIExpression(").and_then(|text| text.strip_suffix(')'))
    else {
        return Formula::new();
    };
    if formula.is_empty() {
        return formula;
    }
    let mut words = inside.split(", ").filter(|word| !word.is_empty());
    let number = |word: Option<&str>| word.and_then(operand).map(Term::Number);
    while let Some(word) = words.next() {
        let operator = match word {
            "DW_OP_stack_value" => continue,
            "DW_OP_plus_uconst" => {
                let Some(number) = number(words.next()) else { return Formula::new() };
                formula.push(number);
                Operator::Add
            }
            "DW_OP_constu" | "DW_OP_consts" => {
                let Some(number) = number(words.next()) else { return Formula::new() };
                formula.push(number);
                continue;
            }
            "DW_OP_plus" => Operator::Add,
            "DW_OP_minus" => Operator::Sub,
            "DW_OP_mul" => Operator::Mul,
            "DW_OP_and" => Operator::And,
            "DW_OP_or" => Operator::Or,
            "DW_OP_xor" => Operator::Xor,
            "DW_OP_shl" => Operator::Shl,
            _ => return Formula::new(),
        };
        formula.push(Term::Apply(operator));
    }
    formula
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_sign_of_their_highest_bit() {
        let of = |text: &str, bits: u32| signed(text, bits);
        assert_eq!([of("-1", 64), of("18446744073709551615", 64)], [Some(-1); 2]);
        assert_eq!([of("4294967295", 64), of("4294967295", 32)], [Some(4294967295), Some(-1)]);
        assert_eq!([of("-128", 8), of("128", 8), of("1", 1)], [Some(-128), Some(-128), Some(1)]);
        assert_eq!([of("-129", 8), of("256", 8), of("1", 0), of("1", 65)], [None; 4]);
    }

    #[test]
    fn operators_are_applied_and_what_is_not_understood_is_not_known() {
        let [a, add, mul] =
            [Term::Leaf(Value::bool(true)), Term::Apply(Operator::Add), Term::Apply(Operator::Mul)];
        let of = |text: &str| applied(vec![a], &format!("!DIExpression({text})"));
        assert_eq!(of(""), [a]);
        let both = "DW_OP_plus_uconst, 3, DW_OP_consts, -2, DW_OP_mul, DW_OP_stack_value";
        assert_eq!(of(both), [a, Term::Number(3), add, Term::Number(-2), mul]);
        assert_eq!(of("DW_OP_consts, 18446744073709551615, DW_OP_mul"), [a, Term::Number(-1), mul]);
        assert_eq!(of("DW_OP_deref"), []);
        assert_eq!(of("DW_OP_LLVM_fragment, 0, 32"), []);
    }
}
