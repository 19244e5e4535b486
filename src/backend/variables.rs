//! Mutable variables made into SSA values while a function is built.
//!
//! What a variable is in a block is looked for upwards, through blocks with one predecessor, to where it was set
//! or where ways meet; there a phi is made. Of a block whose predecessors are not all known (it is not sealed)
//! the phi waits for its operands. When the function is finished, phis of one value are that value.
//! (M. Braun et al., "Simple and Efficient Construction of Static Single Assignment Form", CC 2013; without its
//! recursion, and with phis cleaned up once, at the end.) O(blocks looked through): each block that was looked
//! through remembers the answer.

use crate::base::intern::DenseMap;
use crate::base::{Column, Handle};
use crate::ir::{Block, Body, Inst, Op, Place, Type, Value};

/// A variable by number, in a block.
type Key = u64;

/// The variables of a function that is being built.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// By number.
    pub(super) types: Vec<Type>,
    /// By variable: a block that it was asked for or set in last, and what it is there. Most are asked for where they have been
    /// set or asked for before, which takes no look into the table.
    last: Vec<Option<(Block, Value)>>,
    /// What a variable is at the end of any other block, as far as that is known.
    at_end: DenseMap<Key, Value>,
    /// By block: all its predecessors are known.
    sealed: Column<Block, bool>,
    /// By block that is not sealed: its phis, with their variables.
    open: Column<Block, Vec<(u32, Inst)>>,
    /// Phis without operands, of blocks that are.
    pending: Vec<(Block, u32, Inst)>,
    /// All phis, in the order in which they were made, and those that clients have been given, of which variables.
    phis: Vec<Inst>,
    made: Vec<(u32, Inst)>,
}

fn key(block: Block, variable: u32) -> Key {
    (block.index() as u64) << 32 | u64::from(variable)
}

impl Variables {
    /// True if no edge may come to this block any more.
    pub(super) fn is_sealed(&self, block: Block) -> bool {
        self.sealed.get(block).copied().unwrap_or(false)
    }

    /// Says that all predecessors of a block are known.
    pub(super) fn seal(&mut self, f: &mut Body, block: Block) {
        self.sealed.grow_to(block.index() + 1, false);
        self.sealed[block] = true;
        self.close(block);
        self.fill(f);
    }

    /// The phis of a block wait for their operands no longer.
    fn close(&mut self, block: Block) {
        self.open.grow_to(block.index() + 1, Vec::new());
        let phis = std::mem::take(&mut self.open[block]);
        self.pending.extend(phis.into_iter().map(|(variable, phi)| (block, variable, phi)));
    }

    /// Sets a variable from here on.
    pub(super) fn set(&mut self, block: Block, variable: u32, value: Value) {
        let at = variable as usize;
        if at >= self.last.len() {
            if self.at_end.is_empty() {
                self.at_end.reserve(ROOM);
            }
            self.last.resize(self.types.len().max(at + 1), None);
        }
        if let Some((before, value)) = self.last[at].replace((block, value))
            && before != block
        {
            self.at_end.insert(key(before, variable), value);
        }
    }

    /// What a variable is at the end of a block, if that is known.
    #[inline]
    fn known(&self, block: Block, variable: u32) -> Option<Value> {
        match self.last.get(variable as usize) {
            Some(&Some((at, value))) if at == block => Some(value),
            _ => self.at_end.get(&key(block, variable)).copied(),
        }
    }

    /// What a variable is at the end of a block, as it is so far.
    pub(super) fn get(&mut self, f: &mut Body, block: Block, variable: u32) -> Value {
        if let Some(value) = self.known(block, variable) {
            return value;
        }
        let value = self.find(f, block, variable);
        if let Some(phi) = value.as_inst().filter(|&i| f.op(i) == Op::Phi) {
            self.made.push((variable, phi));
        }
        self.fill(f);
        value
    }

    /// True if a block has one way from the entry, and all of it is known.
    pub(super) fn leads_from_entry(&self, f: &Body, mut at: Block) -> bool {
        for _ in 0..f.block_count() {
            if f.entry() == Some(at) {
                return true;
            }
            match *f.preds(at) {
                [only] if self.is_sealed(at) => at = f.edge_from(only),
                _ => return false,
            }
        }
        false
    }

    /// The same; phis that it makes of sealed blocks are left to `fill`.
    fn find(&mut self, f: &mut Body, block: Block, variable: u32) -> Value {
        let ty = self.types[variable as usize];
        let (mut at, mut steps) = (block, 0);
        let value = loop {
            if let Some(value) = self.known(at, variable) {
                break value;
            }
            let is_sealed = self.is_sealed(at);
            let before = match *f.preds(at) {
                [] if is_sealed => break Value::undef(ty),
                [only] if is_sealed => f.edge_from(only),
                _ => {
                    let phi = f.insert_phi(at, ty, Place::NONE);
                    if is_sealed {
                        self.pending.push((at, variable, phi));
                    } else {
                        self.open.grow_to(at.index() + 1, Vec::new());
                        self.open[at].push((variable, phi));
                    }
                    self.phis.push(phi);
                    self.set(at, variable, Value::inst(phi));
                    break Value::inst(phi);
                }
            };
            steps += 1;
            // A ring of blocks that nothing enters.
            if steps > f.block_count() {
                break Value::undef(ty);
            }
            at = before;
        };
        // The blocks between have it, too.
        let before = |block: Block| f.preds(block).first().map(|&edge| f.edge_from(edge));
        let mut between = Some(block).filter(|&block| block != at);
        if let Some(block) = between {
            self.set(block, variable, value);
            between = before(block);
        }
        while let Some(block) = between
            && block != at
            && self.at_end.insert(key(block, variable), value).is_none()
        {
            between = before(block);
        }
        value
    }

    /// Gives phis their operands, and those that this makes.
    fn fill(&mut self, f: &mut Body) {
        while let Some((block, variable, phi)) = self.pending.pop() {
            for k in 0..f.preds(block).len() {
                let from = f.edge_from(f.preds(block)[k]);
                let value = self.find(f, from, variable);
                f.set_arg(phi, k, value);
            }
        }
    }

    /// Seals what is not sealed, and removes phis of one value. A variable that is read where nothing has set it, on no way.
    pub(super) fn finish(&mut self, f: &mut Body) -> Option<u32> {
        self.sealed.grow_to(f.block_count(), true);
        self.sealed.as_mut_slice().fill(true);
        self.open.keys().for_each(|block| self.close(block));
        self.fill(f);
        let mut left = std::mem::take(&mut self.phis);
        if left.is_empty() {
            return None;
        }
        // Without lists of uses, which cost more than all the rest here: what each phi is, in a few rounds.
        let mut is: Column<Inst, Value> = f.insts_from(0).map(Value::inst).collect::<Vec<Value>>().into();
        let mut is_done = false;
        for _ in 0..ROUNDS {
            let before = left.len();
            left.retain(|&phi| !is_one_value(f, phi, &mut is));
            is_done = left.len() == before;
            if is_done {
                break;
            }
        }
        for i in f.insts_from(0) {
            for k in 0..f.args(i).len() {
                let (old, new) = (f.arg(i, k), root(&mut is, f.arg(i, k)));
                if old != new {
                    f.set_arg(i, k, new);
                }
            }
        }
        // A phi is made where something reads it, directly or by others: all of them are nothing where nothing has been set.
        let unset = left_unset(f, &mut is, &self.made);
        for phi in f.insts_from(0).filter(|&i| is[i] != Value::inst(i)) {
            f.remove(phi);
        }
        if is_done || unset.is_some() {
            return unset;
        }
        while let Some(phi) = left.pop() {
            if f.op(phi) != Op::Phi {
                continue;
            }
            let own = Value::inst(phi);
            let mut others = f.args(phi).iter().copied().filter(|&v| v != own);
            let value = others.next().unwrap_or(Value::undef(f.ty(phi)));
            if others.all(|v| v == value) {
                left.extend(f.uses(phi).map(|edge| edge.user).filter(|&user| f.op(user) == Op::Phi));
                f.replace(phi, value);
            }
        }
        None
    }
}

/// The variable of the first of these phis that can be reached and is nothing on all ways. Few are, so what can be reached is found
/// for them only.
fn left_unset(f: &Body, is: &mut Column<Inst, Value>, made: &[(u32, Inst)]) -> Option<u32> {
    let mut unset = made.iter().filter(|&&(_, phi)| root(is, Value::inst(phi)).is_undef()).peekable();
    unset.peek()?;
    let mut is_reached: Column<Block, bool> = vec![false; f.block_count()].into();
    let mut left: Vec<Block> = f.entry().into_iter().collect();
    while let Some(block) = left.pop() {
        if !std::mem::replace(&mut is_reached[block], true) {
            left.extend(f.succs(block).map(|edge| f.edge_to(edge)));
        }
    }
    unset.find(|&&(_, phi)| f.block_of(phi).is_some_and(|block| is_reached[block])).map(|row| row.0)
}

/// Variables in blocks that the table has room for when the first is noted: growing it by and by from nothing took a third
/// of its cost.
const ROOM: usize = 56;

/// Rounds in which phis of one value are looked for, before lists of uses say where to look.
const ROUNDS: usize = 4;

/// What a value is, as far as that is known.
fn root(is: &mut Column<Inst, Value>, mut v: Value) -> Value {
    while let Some(i) = v.as_inst()
        && is[i] != v
    {
        // The way is half as long for the next.
        if let Some(next) = is[i].as_inst() {
            is[i] = is[next];
        }
        v = is[i];
    }
    v
}

/// Notes what a phi is, if it is one value.
fn is_one_value(f: &Body, phi: Inst, is: &mut Column<Inst, Value>) -> bool {
    let (own, mut value) = (Value::inst(phi), None);
    for &v in f.args(phi) {
        let v = root(is, v);
        if v != own && *value.get_or_insert(v) != v {
            return false;
        }
    }
    is[phi] = value.unwrap_or(Value::undef(f.ty(phi)));
    true
}
