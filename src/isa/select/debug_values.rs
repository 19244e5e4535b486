//! What variables that debuggers are shown have become: constants, and the registers of values that something
//! has demanded. Nothing is demanded for them. O(changes).

use super::{Columns, Home};
use crate::base::formula::{self, MOST_TERMS, Operator, Term, leaves};
use crate::base::{Column, Handle};
use crate::ir::debug_values::{Formula, Shown, Text};
use crate::ir::{self, Body, Env, Inst, Linkage, Op, Shape, Type, Value, ValueKind};
use crate::mir;
use crate::mir::debug_values::{DebugValues, Label, Others, Stood};
use crate::mir::inlined::{Call, Inlined};

#[cold]
pub(super) fn lower(
    from: &ir::DebugValues,
    body: &Body,
    columns: &Columns,
    (inlined, env, word): (&Inlined, &Env, u32),
) -> Box<DebugValues> {
    let mut made = Made::default();
    let cx = Cx { body, columns, env, word };
    let used = used_versions(body, from);
    let mut text_of: Column<Call, u32> = Column::filled(inlined.calls.len(), u32::MAX);
    for text in &from.texts {
        let call = inlined.origin(text.place.bits()).call;
        if let Some(call) = call.get() {
            let other = std::mem::replace(&mut text_of[call], made.debug.texts.len() as u32);
            if let Some(other) = made.debug.texts.get_mut(other as usize) {
                // The call had been copied before: places do not say in which of the copies they are.
                other.points.clear();
                text_of[call] = u32::MAX - 1;
            }
            if text_of[call] == u32::MAX - 1 {
                continue;
            }
        } else if !made.debug.texts.is_empty() {
            continue;
        }
        append(&mut made, from, text, &cx, &used);
        if let Some(last) = made.debug.texts.last_mut() {
            last.call = call;
        }
        let last = made.debug.variables.len();
        let first = made.debug.texts.last().map_or(last, |text| text.variables.start as usize);
        made.debug.variables[first..].iter_mut().for_each(|row| row.0 = call);
    }
    cx.others(&mut made);
    Box::new(made.debug)
}

/// Versions of code that are told of: those that there is code of, unless that is too much.
fn used_versions(body: &Body, from: &ir::DebugValues) -> Vec<u32> {
    if from.versions.is_empty() {
        return Vec::new();
    }
    let places = body.blocks().flat_map(|b| body.insts(b)).filter_map(|i| body.places.number(body.place(i)));
    let mut used: Vec<u32> =
        places.map(|row| from.versions.of(row)).filter(|&version| version != 0).collect();
    used.sort_unstable();
    used.dedup();
    let changes: usize = from.texts.iter().map(|text| text.changes.len()).sum();
    used.truncate(MOST / (changes + 1));
    used
}

/// Versions times changes of variables that are looked at, at most.
const MOST: usize = 1 << 20;

/// Appends a text.
fn append(made: &mut Made, from: &ir::DebugValues, text: &Text, cx: &Cx, used: &[u32]) {
    let variable = made.debug.variables.len() as u32;
    let first = made.debug.changes.len() as u32;
    made.debug.variables.extend(text.variables.iter().map(|&number| (Default::default(), number)));
    for &(v, number) in &text.slots {
        let slot = v.as_inst().and_then(|i| cx.columns.homes[i].as_slot());
        if let Some(slot) = slot {
            // All the time, so before the first change.
            made.debug.changes.push((made.debug.variables.len() as u32, Stood::Slot(slot)));
            made.debug.variables.push((Default::default(), number));
        }
    }
    let shift = made.debug.changes.len() as u32 - first;
    let is_there = |i| cx.body.op(i) != Op::Unreachable;
    let made_of = |i| cx.made_of(i);
    let Some(written) = from.versions.in_version(0) else { return };
    for &(number, v) in &text.changes {
        let formula = from.resolve(v, &written, is_there, made_of).filter(|_| cx.is_word(v));
        let to = stood(made, formula, cx);
        made.debug.changes.push((variable + number, to));
    }
    let mut versions = Vec::new();
    for &number in used {
        let Some(version) = from.versions.in_version(number) else { continue };
        let mut others = Vec::new();
        let may_differ = |shown: Shown| !matches!(shown, Shown::Value(v) if v.as_inst().is_none());
        for (k, &(_, v)) in (first + shift..).zip(&text.changes).filter(|(_, row)| may_differ(row.1)) {
            let formula = from.resolve(v, &version, is_there, made_of).filter(|_| cx.is_word(v));
            let to = stood(made, formula, cx);
            if to != made.debug.changes[k as usize].1 {
                others.push((k, to));
            }
        }
        versions.push((number, others));
    }
    made.debug.texts.push(mir::debug_values::Text {
        variables: variable..made.debug.variables.len() as u32,
        changes: first..made.debug.changes.len() as u32,
        points: text.points.iter().map(|&(offset, time)| (offset, time + shift)).collect(),
        entry: text.entry + shift,
        versions,
        ..Default::default()
    });
}

/// What a variable stands for now.
fn stood(made: &mut Made, formula: Option<Formula>, cx: &Cx) -> Stood {
    let Some(terms) = formula else { return Stood::Nothing };
    // What has more than 32 bits is a number of a formula.
    let wide = |v: Value| {
        let number = cx.body.number(v)?;
        let bits = number.bits as i64;
        match number.ty {
            Type::I64 => Some(bits).filter(|&x| i64::from(x as i32) != x),
            // In one place, so not where addresses have 32 bits.
            Type::F64 => Some(bits).filter(|_| cx.word == 8),
            _ => None,
        }
    };
    let term = |term: Term<Value>| match term {
        Term::Leaf(v) => wide(v).map_or(term, Term::Number),
        term => term,
    };
    let terms: Formula = terms.into_iter().map(term).collect();
    if let &[Term::Number(number)] = &*terms
        && let Ok(bits) = i32::try_from(number)
    {
        // Readers of bits take the sign into those above.
        return Stood::Bits((bits as u32).into());
    }
    if let &[Term::Leaf(v)] = &*terms {
        return cx.leaf(made, v).unwrap_or(Stood::Nothing);
    }
    let Some(terms) = cx.all_known(made, &terms) else { return Stood::Nothing };
    let known = made.debug.formulas.iter().rev().take(LATELY).position(|row| *row == terms);
    let row = known.map_or(made.debug.formulas.len(), |back| made.debug.formulas.len() - 1 - back);
    if known.is_none() {
        made.debug.formulas.push(terms);
    }
    Stood::Formula(row as u32)
}

/// What is made, and per label the instruction that it is the result of.
#[derive(Default)]
struct Made {
    debug: DebugValues,
    of: Column<Label, Inst>,
}

/// Values that a value is told by at most when it is not in a register any more, and uses that are looked at for it.
const MOST_OTHERS: usize = 4;
const MOST_USES: usize = 8;

/// Formulas that a new one is compared with.
const LATELY: usize = 16;

/// That a label, or nothing, is what another one was computed from.
fn derived(of: Stood, user: Stood) -> Option<(Label, Label)> {
    match (of, user) {
        (Stood::Label(of), Stood::Label(user)) => Some((of, user)),
        _ => None,
    }
}

/// What values are told by.
struct Cx<'a> {
    body: &'a Body,
    columns: &'a Columns,
    env: &'a Env,
    /// Bytes of an address.
    word: u32,
}

impl Cx<'_> {
    /// False of two words: only one of them would be told.
    fn is_word(&self, shown: Shown) -> bool {
        let is_pair = |v: Value| self.word < 8 && self.body.type_of(v) == Type::I64;
        !matches!(shown, Shown::Value(v) if is_pair(v))
    }

    /// What a value is that is nowhere by itself, since it is a part of what uses it.
    fn made_of(&self, i: Inst) -> Option<Formula> {
        let home = self.columns.homes.get(i).copied().unwrap_or(Home::NONE);
        if home != Home::NONE {
            return None;
        }
        self.operation(i)
    }

    /// By what else the values can be told that variables stand for: what they were computed from, and what was computed
    /// from them, where that can be inverted.
    fn others(&self, made: &mut Made) {
        let first = made.debug.label_count;
        for k in 0.. {
            let label = Label::new(k);
            let Some(&i) = made.of.get(label) else { break };
            let made_of = self.made_of_others(made, label, i);
            let mut inverses: Vec<Vec<Term<Stood>>> = Vec::new();
            // What others are told by is told by no more.
            let uses = self.body.uses(i).take(if k < first { MOST_USES } else { 0 });
            for terms in uses.filter_map(|u| self.inverse(i, u.user)) {
                let Some(terms) = self.all_known(made, &terms).filter(|_| inverses.len() < MOST_OTHERS)
                else {
                    continue;
                };
                let user = leaves(&terms).next();
                for of in leaves(&terms).skip(1).chain([Stood::Label(label)]) {
                    made.debug.derived.extend(user.and_then(|user| derived(of, user)));
                }
                inverses.push(terms);
            }
            made.debug.others.push(Others { made_of, inverses });
        }
        made.debug.derived.sort_unstable();
        made.debug.derived.dedup();
    }

    /// What the value of a label was computed from, over conversions that do nothing.
    fn made_of_others(&self, made: &mut Made, label: Label, mut i: Inst) -> Option<Vec<Term<Stood>>> {
        for _ in 0..MOST_USES {
            let terms = self.operation(i)?;
            match *terms {
                [Term::Leaf(v)] if self.leaf(made, v) == Some(Stood::Label(label)) => i = v.as_inst()?,
                _ => return self.all_known(made, &terms),
            }
        }
        None
    }

    /// An instruction's result in terms of what it was computed from.
    fn operation(&self, i: Inst) -> Option<Formula> {
        match (self.body.op(i), self.body.args(i)) {
            (Op::ElemAddr, &[base, index]) => {
                let shape = Shape::new(self.body.payload(i) as usize);
                let by = self.body.as_int(index)?.checked_mul(self.env.shapes.bytes(shape) as i64)?;
                Some(vec![Term::Leaf(base), Term::Number(by), Term::Apply(Operator::Add)])
            }
            _ => self.body.formula_of(i),
        }
    }

    /// An operand in terms of a result, which comes first.
    fn inverse(&self, i: Inst, user: Inst) -> Option<Formula> {
        let terms = self.operation(user)?;
        let (own, user) = (Term::Leaf(Value::inst(i)), Term::Leaf(Value::inst(user)));
        let &[a, b, Term::Apply(operator)] = &*terms else { return None };
        let other = if a == own { b } else { a };
        let [add, sub, mul, xor] =
            [Operator::Add, Operator::Sub, Operator::Mul, Operator::Xor].map(Term::Apply);
        match operator {
            _ if a == b => None,
            Operator::Add => Some(vec![user, other, sub]),
            Operator::Xor => Some(vec![user, other, xor]),
            Operator::Sub if a == own => Some(vec![user, other, add]),
            Operator::Sub => Some(vec![user, Term::Number(-1), mul, other, add]),
            _ => None,
        }
    }

    fn all_known(&self, made: &mut Made, terms: &[Term<Value>]) -> Option<Vec<Term<Stood>>> {
        // What is a part of its users is what it is made of.
        let mut open: Vec<Term<Value>> = terms.iter().rev().copied().collect();
        let (mut whole, mut steps) = (Formula::new(), 0);
        while let Some(term) = open.pop() {
            steps += 1;
            let part = match term {
                Term::Leaf(v) => v.as_inst().and_then(|i| self.made_of(i)),
                _ => None,
            };
            match part {
                Some(part) => open.extend(part.iter().rev()),
                None => whole.push(term),
            }
            if open.len() + whole.len() > MOST_TERMS || steps > 4 * MOST_TERMS {
                return None;
            }
        }
        // Of a pair of words no formula is made.
        let is_wide =
            |term: &Term<Value>| matches!(term, Term::Apply(Operator::WideShr | Operator::WideShra));
        if self.word < 8 && whole.iter().any(is_wide) {
            return None;
        }
        formula::map(&whole, |v| self.leaf(made, v))
    }

    /// What a value has become, if it is somewhere.
    fn leaf(&self, made: &mut Made, v: Value) -> Option<Stood> {
        match v.kind() {
            ValueKind::Inst(i) => {
                let home = self.columns.homes.get(i).copied().unwrap_or(Home::NONE);
                match (home.as_slot().filter(|_| self.body.op(i) == Op::Alloca), home.as_reg()) {
                    (Some(slot), _) => Some(Stood::Address(slot)),
                    (None, Some(v)) => {
                        let label = made.debug.labelled(v);
                        if made.of.len() < made.debug.label_count {
                            made.of.push(i);
                        }
                        Some(Stood::Label(label))
                    }
                    (None, None) => None,
                }
            }
            ValueKind::Global(global) => {
                let row = &self.env.globals[global];
                let is_here = matches!(row.linkage, Linkage::External | Linkage::Internal);
                let is_plain = is_here && !row.thread && !row.common && row.func.get().is_none();
                is_plain.then_some(Stood::Global(global.index() as u32))
            }
            _ => self
                .body
                .number(v)
                .filter(|number| number.ty != Type::F64)
                .map(|number| Stood::Bits(number.bits)),
        }
    }
}
