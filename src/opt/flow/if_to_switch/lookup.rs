//! What a chain chooses, where that is numbers and nothing else: loaded from a table, or, where it rises by as much from number
//! to number, computed. All but what is asked about goes where it did.

use super::chain::Chain;
use super::{Choice, LEAST, LEAST_LOOKUP, Targets, bring, clean, take_out};
use crate::base::Handle;
use crate::ir::module::{Image, Request, Run};
use crate::ir::{At, Block, Body, Env, Inst, IntPred, Op, Place, Shape, Type, Value};

/// The most entries of a table, and how many of a hundred have a case at least.
const MOST_ENTRIES: u64 = 1024;
const LEAST_FULL: u64 = 40;

/// How the operand of a phi follows from the number.
enum Rule {
    /// It is the same for all.
    Same(Value),
    /// The first one, and what is added from number to number.
    Rises(i64, i64),
    /// A bit of a word each, the highest one for the first number.
    Bits(u32),
    /// The entries of a table.
    Table(Vec<u32>),
}

/// True if the chain from a block on was replaced.
pub(super) fn lookup(env: &Env, f: &mut Body, b: Block, chain: &Chain, choice: &Choice) -> bool {
    let Some(Rules { low, to, rules }) = rules(f, choice) else { return false };
    let least = match rules.iter().any(|(_, rule)| matches!(rule, Rule::Table(_))) {
        true => LEAST_LOOKUP,
        false => LEAST,
    };
    if chain.asked < least {
        return false;
    }
    let (place, compare) = take_out(f, b, chain);
    // What is not asked about may go to the same block; the numbers go there by a block of their own.
    let targets = Targets::of(f, b, choice, &[]);
    let at = f.create_block_after(b);
    let (x, ty) = (choice.x, choice.ty);
    let mut from = x;
    if low != 0 {
        let low = f.int_of(ty, low.wrapping_neg());
        from = Value::inst(f.insert(At::End(b), Op::Add, ty, &[x, low], 0, place));
    }
    let high = choice.ranges.last().map_or(low, |range| range.1);
    let most = f.int_of(ty, high.wrapping_sub(low));
    let is_in = f.insert(At::End(b), Op::ICmp, Type::I1, &[from, most], IntPred::Ule as u32, place);
    let (_, out) = f.set_cond_br(b, Value::inst(is_in), at, targets.blocks[choice.other], place);
    bring(f, out, &targets.operands[choice.other]);
    let arrival = Arrival { b: at, place, from, ty };
    let mut operands = Vec::new();
    for (phi, rule) in rules {
        let ty = f.ty(phi);
        operands.push((phi, arrival.value(env, f, ty, rule)));
    }
    let e = f.set_br(at, to, place);
    bring(f, e, &operands);
    clean(f, compare);
    true
}

/// The first number, where all go, and what they bring to each phi there.
struct Rules {
    low: i64,
    to: Block,
    rules: Vec<(Inst, Rule)>,
}

/// None if the chain chooses something else.
fn rules(f: &Body, choice: &Choice) -> Option<Rules> {
    let (&(low, _), &(_, high)) = (choice.ranges.first()?, choice.ranges.last()?);
    let entries = high.abs_diff(low).checked_add(1).filter(|&entries| entries <= MOST_ENTRIES)?;
    let to = choice.ways[*choice.ways_of.first()?].to;
    let full: u64 = choice.ranges.iter().map(|(low, high)| high.abs_diff(*low) + 1).sum();
    let has_holes = full < entries;
    let fits = |&way: &usize| choice.ways[way].to == to;
    // One way for all of them is a range, or bits.
    let is_one = choice.ways_of.windows(2).all(|two| two[0] == two[1]);
    if is_one || !choice.ways_of.iter().all(fits) || has_holes && !fits(&choice.other) {
        return None;
    }
    if full * 100 < LEAST_FULL * entries {
        return None;
    }
    let mut way_of = vec![choice.other; entries as usize];
    for (&(first, last), &way) in choice.ranges.iter().zip(&choice.ways_of) {
        way_of.get_mut((first - low) as usize..=(last - low) as usize)?.fill(way);
    }
    let phis = &choice.ways[*choice.ways_of.first()?].operands;
    let of =
        |k: usize| way_of.iter().map(move |&way| choice.ways[way].operands.get(k).map(|operand| operand.1));
    let rules = phis.iter().enumerate().map(|(k, &(phi, _))| {
        let values: Option<Vec<Value>> = of(k).collect();
        Some((phi, rule(f, f.ty(phi), &values?)?))
    });
    let rules: Option<Vec<(Inst, Rule)>> = rules.collect();
    Some(Rules { low, to, rules: rules? })
}

fn rule(f: &Body, ty: Type, values: &[Value]) -> Option<Rule> {
    let &[first, second, ..] = values else { return None };
    if values.iter().all(|&v| v == first) {
        return Some(Rule::Same(first));
    }
    if matches!(ty, Type::I32 | Type::I64) {
        let numbers: Option<Vec<i64>> = values.iter().map(|&v| f.as_int(v)).collect();
        let (numbers, unused) = (numbers?, 64 - ty.int_bits());
        let rise = |a: i64, b: i64| b.wrapping_sub(a) << unused >> unused;
        let (first, by) = (f.as_int(first)?, rise(f.as_int(first)?, f.as_int(second)?));
        if numbers.windows(2).all(|two| rise(two[0], two[1]) == by) {
            return Some(Rule::Rises(first, by));
        }
    }
    let numbers: Option<Vec<u64>> = values.iter().map(|&v| f.number(v).map(|x| x.bits)).collect();
    let numbers = numbers?;
    match ty {
        Type::I1 if numbers.len() <= 32 => {
            let bits = numbers.iter().enumerate().map(|(k, &x)| ((x & 1) as u32) << 31 >> k);
            Some(Rule::Bits(bits.fold(0, |word, bit| word | bit)))
        }
        Type::I32 | Type::F32 => Some(Rule::Table(numbers.iter().map(|&x| x as u32).collect())),
        _ => None,
    }
}

/// Where the numbers arrive that are asked about.
struct Arrival {
    b: Block,
    place: Place,
    /// How far a number is behind the first, which is not negative.
    from: Value,
    ty: Type,
}

impl Arrival {
    fn make(&self, f: &mut Body, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        Value::inst(f.insert(At::End(self.b), op, ty, args, payload, self.place))
    }

    fn in_type(&self, f: &mut Body, ty: Type) -> Value {
        match (self.ty, ty) {
            (Type::I32, Type::I64) => self.make(f, Op::SExt, ty, &[self.from], 0),
            (Type::I64, Type::I32) => self.make(f, Op::Trunc, ty, &[self.from], 0),
            _ => self.from,
        }
    }

    /// What a rule says of the number, of this type.
    fn value(&self, env: &Env, f: &mut Body, ty: Type, rule: Rule) -> Value {
        match rule {
            Rule::Same(v) => v,
            Rule::Rises(first, by) => {
                let (op, by) = match by > 0 && by.count_ones() == 1 {
                    true => (Op::Shl, by.trailing_zeros().into()),
                    false => (Op::Mul, by),
                };
                let (v, by) = (self.in_type(f, ty), f.int_of(ty, by));
                let (v, first) = (self.make(f, op, ty, &[v, by], 0), f.int_of(ty, first));
                self.make(f, Op::Add, ty, &[v, first], 0)
            }
            Rule::Bits(word) => {
                let (by, word, zero) = (self.in_type(f, Type::I32), f.int(word as i32), f.int(0));
                let shifted = self.make(f, Op::Shl, Type::I32, &[word, by], 0);
                self.make(f, Op::ICmp, Type::I1, &[shifted, zero], IntPred::Slt as u32)
            }
            Rule::Table(words) => {
                let len = words.len() as u32;
                let image = Image { runs: vec![Run { at: 0, first: 0, len }], words, addresses: Vec::new() };
                let (shape, element) = (env.shapes.of(ty, &[len]), Shape::scalar(ty));
                let table = f.request(Request::new(shape, true, image));
                // Of 32 bits, which all machines have for it.
                let index = self.in_type(f, Type::I32);
                let address = self.make(f, Op::ElemAddr, Type::Ptr, &[table, index], element.index() as u32);
                self.make(f, Op::Load, ty, &[address], 0)
            }
        }
    }
}
