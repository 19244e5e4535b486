//! From bytes to a body again. Nothing that is read is believed: what does not fit is `Damaged`. O(body): 90
//! instructions to unpack one.

use super::{BACK, COUNT, GLOBAL, HAS_ACCESS, HAS_PLACE, INT, MORE, OPEN, PAYLOAD, TYPE, WIDE};
use crate::base::{Handle, Opt};
use crate::ir::cfg::EdgeRow;
use crate::ir::constant::Const;
use crate::ir::layout::{BlockNode, InstNode};
use crate::ir::module::{FuncId, GlobalId};
use crate::ir::operands::room;
use crate::ir::place::{Inlined, Place};
use crate::ir::promise::{Access, Flags};
use crate::ir::rows::{Edges, Head, set_access, set_place};
use crate::ir::{Block, Body, Inst, Op, Type, Value, ValueKind};

/// What is left to be read.
pub(super) struct Reader<'a> {
    pub(super) halves: std::slice::Iter<'a, u16>,
}

impl Reader<'_> {
    #[inline(always)]
    fn half(&mut self) -> Option<u16> {
        self.halves.next().copied()
    }

    #[inline(always)]
    fn number(&mut self) -> Option<u32> {
        let half = self.half()?;
        if half == WIDE { self.wide() } else { Some(u32::from(half)) }
    }

    #[cold]
    #[inline(never)]
    fn wide(&mut self) -> Option<u32> {
        let (low, high) = (self.half()?, self.half()?);
        Some(u32::from(low) | u32::from(high) << 16)
    }

    /// How many there are of something that takes so many halves each, at least.
    fn count(&mut self, each: usize) -> Option<usize> {
        let count = self.number()? as usize;
        (count.saturating_mul(each) <= self.halves.len()).then_some(count)
    }

    fn ty(&mut self) -> Option<Type> {
        Type::known(self.number()?)
    }

    fn place(&mut self, last: &mut u32) -> Option<Place> {
        let step = self.number()?;
        *last = last.wrapping_add(step >> 1 ^ (step & 1).wrapping_neg());
        Some(Place::from_bits(*last))
    }
}

/// Fills a body that has been reset; none if the bytes are damaged.
pub(super) fn unpack(f: &mut Body, from: &mut Reader) -> Option<()> {
    // An operand list of more than a few has up to as much room again.
    let (params, insts, operands) = (from.count(1)?, from.count(1)?, from.number()? as usize);
    let (blocks, edges, constants, places) = (from.count(2)?, from.count(2)?, from.count(3)?, from.count(3)?);
    let flags = from.half()?;
    if operands > 2 * from.halves.len() {
        return None;
    }
    f.params = params as u32;
    (f.has_phis, f.has_vectors) = (flags & 1 != 0, flags & 2 != 0);
    f.is_unaligned = flags & 4 != 0;
    f.rows.begin(params + insts);
    for k in 0..params {
        let ty = from.ty()?;
        let (i, node) = (Inst::new(k), InstNode::default());
        (f.rows.head[i], f.rows.edges[i]) = (Head::new(Op::Param, ty, k as u32), Edges::default());
        f.rows.node[i] = node;
    }
    for k in 0..constants {
        let (ty, low, high) = (from.ty()?, from.number()?, from.number()?);
        if f.constants.intern(ty, u64::from(low) | u64::from(high) << 32) != Const::new(k) {
            return None;
        }
    }
    let mut last = 0;
    for _ in 0..places {
        let (func, offset, call) = (from.number()?, from.number()?, from.place(&mut last)?);
        f.places.push(Inlined { func: FuncId::new(func as usize), offset, call });
    }
    f.places.check().ok()?;
    let mut entering = 0;
    for k in 0..blocks {
        let count = from.number()? as usize;
        entering += count;
        if entering > edges {
            return None;
        }
        f.cfg.push_entered_block(count);
        f.layout.blocks.push(BlockNode {
            placed: true,
            prev: k.checked_sub(1).map(Block::new).into(),
            next: if k + 1 < blocks { Opt::some(Block::new(k + 1)) } else { Opt::NONE },
            first: Opt::NONE,
            last: Opt::NONE,
        });
    }
    f.layout.placed = blocks;
    f.layout.set_insts(insts);
    if blocks > 0 {
        (f.layout.first, f.layout.last) = (Opt::some(Block::new(0)), Opt::some(Block::new(blocks - 1)));
    }
    if entering != edges {
        return None;
    }
    let is_whole = unpack_rows(f, (params, params + insts, operands), blocks, from)?
        && f.cfg.edges.len() == edges
        && from.halves.len() == 0;
    let is_inst = |v: Value| v.as_inst().is_none_or(|i| i.index() < params + insts);
    (is_whole && f.variables.iter().all(|&(v, _)| is_inst(v))).then_some(())
}

/// The rows from `at` to `end`, block by block; true if that is what there was.
#[inline(always)]
fn unpack_rows(
    f: &mut Body,
    (mut at, end, operands): (usize, usize, usize),
    blocks: usize,
    from: &mut Reader,
) -> Option<bool> {
    let [constants, requests] = [f.constants.rows().len(), f.requests.len()];
    let values = f.operands.begin(operands);
    let columns = f.rows.columns();
    let (heads, lists, nodes, uses) = (
        columns.head.get_mut(..end)?,
        columns.edges.get_mut(..end)?,
        columns.node.get_mut(..end)?,
        columns.uses.get_mut(..end)?,
    );
    let (mut last, mut operand) = (0, 0);
    for k in 0..blocks {
        let (b, first) = (Block::new(k), at);
        let (mut prev, mut all_phis) = (Opt::NONE, true);
        loop {
            let word = from.half()?;
            let number = word & 127;
            if number == OPEN {
                break;
            }
            let op = *Op::ALL.get(usize::from(number))?;
            let ty = Type::of_packed(u32::from(word >> TYPE) & 63)?;
            let mut count = usize::from(op.row().operands);
            if word & COUNT != 0 {
                count = from.count(1)?;
            }
            let mut payload = 0;
            if word & PAYLOAD != 0 {
                payload = from.number()?;
            }
            let i = Inst::new(at);
            let mut flags = Flags::NONE;
            if word & MORE != 0 {
                let more = from.half()?;
                flags = Flags::from_bits((more >> 8) as u8);
                if more & HAS_ACCESS != 0 {
                    set_access(columns.access, i, Access { align: from.number()? });
                }
                if more & HAS_PLACE != 0 {
                    let place = from.place(&mut last)?;
                    if !f.places.has(place) {
                        return None;
                    }
                    set_place(columns.place, i, place);
                }
            }
            let is_branch = matches!(op, Op::Br | Op::CondBr | Op::Switch);
            if op == Op::Phi {
                if !all_phis || count != f.cfg.preds(b).len() {
                    return None;
                }
            } else {
                all_phis = false;
            }
            if op == Op::Param || is_branch && count != usize::from(op.row().operands) {
                return None;
            }
            let room = room(count);
            let list = values.get_mut(operand..operand + room)?;
            *lists.get_mut(at)? = Edges { first: operand as u32, count: count as u32 };
            operand += room;
            for v in list.iter_mut().take(count) {
                let code = u32::from(from.half()?);
                let number = code >> 2;
                *v = match code & 3 {
                    BACK => {
                        let def = at.checked_sub(number as usize)?;
                        *uses.get_mut(def)? += 1;
                        Value::inst(Inst::new(def))
                    }
                    INT => Value::small_int((number >> 1 ^ (number & 1).wrapping_neg()) as i32)?,
                    GLOBAL => Value::global(GlobalId::new(number as usize)),
                    _ => {
                        let v = Value::from_bits(from.wide()?);
                        match v.kind() {
                            ValueKind::Inst(def) => *uses.get_mut(def.index())? += 1,
                            ValueKind::Const(row) if row.index() >= constants => return None,
                            ValueKind::Request(request) if request.index() >= requests => return None,
                            _ => {}
                        }
                        v
                    }
                };
            }
            if is_branch {
                payload = f.cfg.edges.len() as u32;
                let edges = match (op, list.get(1).map(|v| v.kind())) {
                    (Op::Switch, Some(ValueKind::Int(n))) => n,
                    (Op::Switch, _) => return None,
                    _ => 1 + count as i32,
                };
                for _ in 0..edges {
                    let (to, slot) = (Block::new(from.number()? as usize), from.number()?);
                    let e = f.cfg.edges.push(EdgeRow { from: b, to, slot });
                    f.cfg.enter(e)?;
                }
            }
            *heads.get_mut(at)? = Head { op, ty, flags, payload };
            at += 1;
            *nodes.get_mut(at - 1)? = InstNode { block: Opt::some(b), prev, next: Opt::some(Inst::new(at)) };
            prev = Opt::some(i);
            if op.is_terminator() {
                break;
            }
        }
        if at > first {
            nodes.get_mut(at - 1)?.next = Opt::NONE;
            let node = &mut f.layout.blocks[b];
            (node.first, node.last) = (Opt::some(Inst::new(first)), prev);
        }
    }
    Some(at == end && operand == operands)
}
