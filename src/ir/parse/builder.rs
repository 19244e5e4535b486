//! What is made of a function's text as it is read: its instructions, the names of values and blocks, and what is still to come.
//! A name that is a number has its handle from that, so that most need no table of texts. O(1) a name.

use super::aggregate::Made;
use super::layout::Mem;
use super::lexer::Text;
use super::line::Step;
use super::unwind::{Invoke, Pad};
use super::wide::Wide;
use crate::base::{Column, Handle, Interner, Name, Opt};
use crate::ir::rows::Head;
use crate::ir::{At, Block, Body, GlobalId, Inst, Op, Place, Type, Value};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A value that may still have to be defined.
#[derive(Copy, Clone, Debug)]
pub(super) enum Operand {
    Value(Value),
    Later { name: Local, ty: Type, at: u32 },
}

crate::handle! {
    /// A name in a body: of a number, which most are, twice that; of a text, one more than twice its place in
    /// `Builder::names`. So numbers need no table of texts.
    pub(super) struct Local("l");
}

/// An operand that was not defined when it was read.
pub(super) struct Pending {
    pub(super) user: Inst,
    pub(super) operand: u32,
    pub(super) name: Local,
    pub(super) ty: Type,
    pub(super) at: u32,
}

/// A phi's operands: `count` rows of `Builder::incoming` from `first`.
pub(super) struct Phi {
    pub(super) inst: Inst,
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) at: u32,
    /// It is a part of what is called so.
    pub(super) part: Option<Local>,
}

/// What a phi that is not made yet is called, and its type.
pub(super) type ReadPhi<'a> = (Option<Text<'a>>, Type, Phi);

/// What reading a body needs.
pub(super) struct Builder {
    pub(super) f: Body,
    names: Interner,
    locals: Column<Local, Option<Value>>,
    pub(super) blocks: Column<Local, Opt<Block>>,
    /// Per block: where its label stands; `UNPLACED` until it comes.
    pub(super) labels: Column<Block, u32>,
    /// Per block: the block of the text that it stands for; differs in the trees that switches become.
    pub(super) origin: Column<Block, Block>,
    pub(super) pending: Vec<Pending>,
    pub(super) phis: Vec<Phi>,
    /// Value and block of phi operands.
    pub(super) incoming: Vec<(Operand, Block)>,
    /// The block that is being read.
    pub(super) block: Block,
    /// Where the instruction that is being read stands.
    pub(super) at: u32,
    /// The last vector that was a constant of the text.
    pub(super) last_vector: Option<Inst>,
    /// From where to where a switch would go if its cases were not all numbers of the type.
    pub(super) never: BTreeSet<(Block, Block)>,
    /// From switches of the text to where they go: how often each names that.
    pub(super) fans: BTreeMap<(Block, Block), u32>,
    /// Values of types that the tables lack.
    pub(super) wides: BTreeMap<Local, Wide>,
    /// What the instruction that is being read has made, if that has parts.
    pub(super) made: Option<Made>,
    /// There are values of several parts.
    pub(super) has_several: bool,
    /// The types of structs and arrays that are values.
    pub(super) aggregates: BTreeMap<Local, Mem>,
    /// Such values that were not defined when they were read: what they have to be, and where.
    pub(super) awaited: Vec<(Local, Mem, u32)>,
    /// Instructions that stand for a value of before (`copies`), in order.
    pub(super) copies: Vec<Inst>,
    /// Comparisons that say whether an exchange was one: those that nothing asks for go.
    pub(super) flags: Vec<Inst>,
    /// The steps of a constant address, outermost first.
    pub(super) steps: Vec<Step>,
    /// Addresses that the function's beginning has made, of what need not be there.
    pub(super) special: BTreeMap<GlobalId, Inst>,
    /// The last of them.
    pub(super) last_special: Option<Inst>,
    /// Memory that nothing else reads, once something has needed it (`vector_call`).
    pub(super) aside: Option<Value>,
    /// Where debug records stand, and in which block, if they are to be kept.
    pub(super) records: Vec<(Block, u32)>,
    /// The null pointer, once something has needed it.
    pub(super) null: Option<Value>,
    /// Calls that may be left by exceptions, and where these land.
    pub(super) invokes: Vec<Invoke>,
    /// See `invokes`.
    pub(super) pads: Vec<Pad>,
    /// The number that the next thing without a name gets.
    pub(super) number: u64,
    /// Numbers that stand in the text rise: those of phis, which get their names together, are this one or above.
    pub(super) least: u64,
    /// Names of numbers from here on are texts: each below has a row, and no text has so many things without names.
    most_numbers: u64,
}

pub(super) const UNPLACED: u32 = u32::MAX;

/// Operands that are put together without an allocation; nearly all instructions have no more.
const FEW: usize = 4;

/// The number that a name is; a thing without a name has such a one.
pub(super) fn number_of(raw: &str) -> Option<u64> {
    let is_number = raw.len() < 10 && (raw == "0" || !raw.starts_with('0'));
    is_number.then_some(raw.as_bytes())?.iter().try_fold(0, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit < 10).then_some(10 * number + u64::from(digit))
    })
}

/// The number that a handle stands for, if it is no text's.
pub(super) fn number_in(local: Local) -> Option<u64> {
    local.index().is_multiple_of(2).then_some(local.index() as u64 / 2)
}

impl Builder {
    /// With room for so many instructions, at a place of the text.
    pub(super) fn new(f: Body, rows: usize, at: u32, most_numbers: u64) -> Builder {
        Builder {
            f,
            names: Interner::default(),
            locals: Column::with_capacity(2 * rows),
            blocks: Column::with_capacity(2 * rows),
            labels: Column::new(),
            origin: Column::new(),
            pending: Vec::new(),
            phis: Vec::new(),
            incoming: Vec::new(),
            block: Block::new(0),
            at,
            last_vector: None,
            never: BTreeSet::new(),
            fans: BTreeMap::new(),
            wides: BTreeMap::new(),
            made: None,
            has_several: false,
            aggregates: BTreeMap::new(),
            awaited: Vec::new(),
            copies: Vec::new(),
            flags: Vec::new(),
            steps: Vec::new(),
            special: BTreeMap::new(),
            last_special: None,
            aside: None,
            records: Vec::new(),
            null: None,
            invokes: Vec::new(),
            pads: Vec::new(),
            number: 0,
            least: 0,
            most_numbers,
        }
    }

    /// Appends an instruction.
    pub(super) fn insert(&mut self, op: Op, ty: Type, args: &[Operand], payload: u32) -> Inst {
        let (at, place) = (At::End(self.block), self.place());
        let mut few = [Value::undef(Type::Void); FEW];
        let i = if args.len() <= FEW {
            few.iter_mut().zip(args).for_each(|(value, arg)| *value = arg.now());
            self.f.insert(at, op, ty, &few[..args.len()], payload, place)
        } else {
            let values: Vec<Value> = args.iter().map(|arg| arg.now()).collect();
            self.f.insert(at, op, ty, &values, payload, place)
        };
        self.wait(i, args);
        i
    }

    /// The same of an instruction without vectors, with so many operands.
    #[inline(always)]
    pub(super) fn append<const N: usize>(
        &mut self,
        op: Op,
        ty: Type,
        args: [Operand; N],
        payload: u32,
    ) -> Inst {
        let i =
            self.f.append_row(self.block, Head::new(op, ty, payload), &args.map(Operand::now), self.place());
        self.wait(i, &args);
        i
    }

    /// The handle of a number, if it is not too large.
    #[inline(always)]
    pub(super) fn numbered(&self, number: u64) -> Option<Local> {
        (number < self.most_numbers).then(|| Local::new(2 * number as usize))
    }

    /// The handle of a name that is not quoted.
    #[inline(always)]
    pub(super) fn local_of(&mut self, raw: &str) -> Local {
        match number_of(raw).and_then(|number| self.numbered(number)) {
            Some(local) => local,
            None => self.named(raw),
        }
    }

    /// The handle of a text.
    pub(super) fn named(&mut self, text: &str) -> Local {
        Local::new(2 * self.names.intern(text).index() + 1)
    }

    /// The handle of a name that is not quoted, if it has been named.
    pub(super) fn find_local(&self, raw: &str) -> Option<Local> {
        match number_of(raw).and_then(|number| self.numbered(number)) {
            Some(local) => Some(local),
            None => Some(Local::new(2 * self.names.find(raw)?.index() + 1)),
        }
    }

    /// What a local is called, for messages and dumps; a part is called what the whole is.
    pub(super) fn name_of(&self, local: Local) -> String {
        let mut text = self.text_of(local);
        text.truncate(text.find('\0').unwrap_or(text.len()));
        text
    }

    /// The text that a local's handle is of.
    pub(super) fn text_of(&self, local: Local) -> String {
        match number_in(local) {
            Some(number) => number.to_string(),
            None => self.names.text(Name::new(local.index() / 2)).to_string(),
        }
    }

    /// What a value is called in the text.
    pub(super) fn name_of_value(&self, v: Value) -> Option<String> {
        let (local, _) = self.locals.iter().find(|row| *row.1 == Some(v))?;
        Some(self.name_of(local))
    }

    /// The value of a local, once it has one.
    #[inline(always)]
    pub(super) fn local_value(&self, local: Local) -> Option<Value> {
        self.locals.get(local).copied().flatten()
    }

    /// Notes that the switch that is being read names a block.
    pub(super) fn fan(&mut self, to: Block) {
        *self.fans.entry((self.origin[self.block], to)).or_insert(0) += 1;
    }

    /// True if a name has no value, and may come now: a number is above all that have one.
    #[inline(always)]
    pub(super) fn is_next(&self, local: Local) -> bool {
        match number_in(local) {
            Some(number) => number >= self.number,
            None => !self.is_taken(local),
        }
    }

    /// True if a phi's name is no number, or one above those of the phis before.
    pub(super) fn rises(&self, local: Local) -> bool {
        number_in(local).is_none_or(|number| number >= self.least)
    }

    /// Notes that a phi has a name.
    pub(super) fn note(&mut self, local: Local) {
        if let Some(number) = number_in(local) {
            self.least = number + 1;
        }
    }

    /// True if a name has a value, of one part or several.
    #[inline(always)]
    pub(super) fn is_taken(&self, local: Local) -> bool {
        let has = |local: Local| self.wides.contains_key(&local) || self.aggregates.contains_key(&local);
        self.local_value(local).is_some() || self.has_several && has(local)
    }

    /// Gives a local its value; false if it has one.
    pub(super) fn set_local(&mut self, local: Local, v: Value) -> bool {
        let is_new = self.local_value(local).is_none();
        self.locals.grow_to(local.index() + 1, None);
        self.locals[local] = Some(v);
        is_new
    }

    /// The same of a name that has none; of a number the next one is to follow.
    #[inline(always)]
    pub(super) fn define(&mut self, local: Local, v: Value) {
        self.locals.grow_to(local.index() + 1, None);
        self.locals[local] = Some(v);
        if let Some(number) = number_in(local) {
            self.number = number + 1;
        }
        if self.f.names.is_some()
            && let Some(i) = v.as_inst()
        {
            let name = self.name_of(local);
            _ = self.f.names.as_mut().map(|names| names.read(i, &name));
        }
    }

    /// Says which block a local is.
    pub(super) fn set_block(&mut self, local: Local, block: Block) {
        self.blocks.grow_to(local.index() + 1, Opt::NONE);
        self.blocks[local] = Opt::some(block);
        if self.f.names.is_some() {
            let name = self.name_of(local);
            _ = self.f.names.as_mut().map(|names| names.read_block(block, &name));
        }
    }

    /// Appends an instruction on values; its result.
    pub(super) fn make(&mut self, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        Value::inst(self.f.insert(At::End(self.block), op, ty, args, payload, self.place()))
    }

    /// Appends an operation with a number.
    pub(super) fn by(&mut self, op: Op, ty: Type, a: Value, x: i64) -> Value {
        let x = self.f.int_of(ty, x);
        self.make(op, ty, &[a, x], 0)
    }

    /// An integer as another type of integers: cut down, or extended by this opcode.
    pub(super) fn resized(&mut self, v: Operand, from: Type, to: Type, extend: Op) -> Operand {
        let op = match from.int_bits().cmp(&to.int_bits()) {
            Ordering::Equal => return v,
            Ordering::Less => extend,
            Ordering::Greater => Op::Trunc,
        };
        Operand::Value(Value::inst(self.insert(op, to, &[v], 0)))
    }

    /// Of what is made now.
    pub(super) fn place(&self) -> Place {
        Place::at(self.at)
    }

    /// Notes the operands of `i` that are still to come.
    #[inline(always)]
    pub(super) fn wait(&mut self, i: Inst, args: &[Operand]) {
        for (k, &arg) in args.iter().enumerate() {
            if let Operand::Later { name, ty, at } = arg {
                self.pending.push(Pending { user: i, operand: k as u32, name, ty, at });
            }
        }
    }

    /// True for a mask that is true in every lane. If it is a constant of the text, nothing else has it,
    /// and it goes.
    pub(super) fn is_all_true(&mut self, mask: Operand) -> bool {
        let Some(i) = mask.now().as_inst().filter(|&i| self.f.op(i) == Op::Splat) else { return false };
        let all = self.f.arg(i, 0) == Value::bool(true);
        if all && self.last_vector == Some(i) {
            self.f.remove(i);
        }
        all
    }

    /// True if there is a block of this name.
    pub(super) fn is_placed(&self, name: Local) -> bool {
        let block = self.blocks.get(name).and_then(|block| block.get());
        block.is_some_and(|block| self.labels[block] != UNPLACED)
    }

    /// A block that is not in the text.
    pub(super) fn extra_block(&mut self) -> Block {
        let b = self.f.create_block_after(self.block);
        self.labels.push(0);
        self.origin.push(self.origin[self.block]);
        b
    }
}

impl Operand {
    /// True if both are written alike: the operands of a phi for parallel edges have to be.
    pub(super) fn same(self, other: Operand) -> bool {
        match (self, other) {
            (Operand::Value(a), Operand::Value(b)) => a == b,
            (Operand::Later { name: a, .. }, Operand::Later { name: b, .. }) => a == b,
            _ => false,
        }
    }

    /// What stands for it until the end.
    #[inline(always)]
    pub(super) fn now(self) -> Value {
        match self {
            Operand::Value(v) => v,
            Operand::Later { ty, .. } => Value::undef(ty),
        }
    }
}
