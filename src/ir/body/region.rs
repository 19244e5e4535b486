//! Copies of blocks: of a region beside itself, and of another function's into this one. O(instructions + phi
//! operands of what is copied).
//!
//! First blocks, phis and instructions are made, then branches, and last operands, so that it does not matter
//! in which order blocks come, and what is defined below its use (around a loop) is found.

use super::Body;
use crate::base::formula;
use crate::base::{Column, Handle, Opt};
use crate::ir::debug_values::{DebugValues, Text};
use crate::ir::module::RequestId;
use crate::ir::place::{Inlined, Place};
use crate::ir::{Block, Edge, Inst, Op, Value, ValueKind};

/// What stands for each part of the original. The caller fills in what is known before: parameters, and
/// blocks that stand for targets outside of the region.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// Per block of the original.
    pub blocks: Column<Block, Opt<Block>>,
    /// Per instruction of the original: what is used for its result.
    pub values: Column<Inst, Option<Value>>,
    /// Per request of the original.
    requests: Column<RequestId, Opt<RequestId>>,
    /// Per inlined place of the original.
    places: Vec<Place>,
    /// Edges of the region, and theirs.
    edges: Vec<(Edge, Edge)>,
}

impl Copies {
    /// Nothing is known of this original yet.
    pub fn begin(&mut self, from: &Body) {
        self.blocks.reset(from.block_count(), Opt::NONE);
        self.values.reset(from.inst_count(), None);
        self.requests.reset(from.requests.len(), Opt::NONE);
        self.places.clear();
        self.edges.clear();
    }
}

impl Body {
    /// Copies blocks of this body. Edges that leave the region go where the originals go, and bring the same
    /// or copied values.
    pub fn clone_region(&mut self, blocks: &[Block], copies: &mut Copies) {
        self.copy(None, blocks, None, copies);
        if self.debug_values.is_some() {
            self.tell_copied(blocks, copies);
        }
    }

    /// Copies blocks of another function, for a call at this place. An edge to what `copies` has no block for
    /// ends in an unreachable one, and an instruction that it has no value for is undef.
    pub fn import(&mut self, from: &Body, blocks: &[Block], call: Place, copies: &mut Copies) {
        for row in from.places.rows() {
            let call = mapped(row.call, call, from, copies, &mut |row| self.places.inlined(row));
            let place = self.places.inlined(Inlined { call, ..*row });
            copies.places.push(place);
        }
        self.copy(Some(from), blocks, Some(call), copies);
        if let Some(debug) = &from.debug_values {
            self.import_debug_values(debug, from, call, copies);
        }
    }

    /// Debuggers are shown the variables of what has been copied, too.
    #[cold]
    #[inline(never)]
    fn import_debug_values(&mut self, debug: &DebugValues, from: &Body, call: Place, copies: &mut Copies) {
        // What has been copied in itself has places that do not say so here.
        let as_written = |debug: &&DebugValues| debug.versions.is_empty();
        let Some(version) = Some(debug).filter(as_written).and_then(|debug| debug.versions.in_version(0))
        else {
            return;
        };
        let own = || Box::new(DebugValues::of(vec![Text::default()]));
        let mut told = self.debug_values.take().unwrap_or_else(own);
        for (k, text) in debug.texts.iter().enumerate() {
            let place = mapped(text.place, call, from, copies, &mut |row| self.places.inlined(row));
            if place == Place::NONE {
                continue;
            }
            let is_there = |i| from.op(i) != Op::Unreachable;
            let mut text = text.map(place, |shown| {
                let terms = debug.resolve(shown, &version, is_there, |_| None);
                let terms = terms
                    .and_then(|terms| formula::map(&terms, |v| Some(self.copied(Some(from), v, copies))));
                told.shown(terms)
            });
            if k == 0 {
                let slots = from.variables.iter();
                text.slots.extend(slots.map(|&(v, number)| (self.copied(Some(from), v, copies), number)));
            }
            told.texts.push(text);
        }
        self.debug_values = Some(told);
    }

    fn copy(&mut self, from: Option<&Body>, blocks: &[Block], call: Option<Place>, copies: &mut Copies) {
        self.make_room(from, blocks, call.is_some());
        self.is_unaligned |= from.is_some_and(|from| from.is_unaligned);
        for &b in blocks {
            copies.blocks[b] = Opt::some(self.create_block());
        }
        let mut args = Vec::new();
        // Copies with operands that had no copy yet.
        let mut open: Vec<(Inst, Inst)> = Vec::new();
        for &b in blocks {
            let Some(to) = copies.blocks[b].get() else { continue };
            let mut next = from.unwrap_or(self).first(b);
            while let Some(i) = next {
                let f = from.unwrap_or(self);
                next = f.next(i);
                if f.op(i).is_terminator() {
                    continue;
                }
                let (head, place, access) = (f.rows.head[i], f.place(i), f.access(i));
                let place = match (call, from) {
                    (Some(call), Some(from)) => {
                        mapped(place, call, from, copies, &mut |row| self.places.inlined(row))
                    }
                    _ => place,
                };
                let copy = if head.op == Op::Phi {
                    // `insert_phi` would put it first.
                    let last = self.last(to);
                    let phi = self.insert_phi(to, head.ty, place);
                    self.set_flags(phi, head.flags);
                    self.layout.unplace_inst(&mut self.rows, phi);
                    self.layout.place_inst(&mut self.rows, phi, to, last);
                    phi
                } else {
                    args.clear();
                    args.extend_from_slice(from.unwrap_or(self).args(i));
                    let mut is_open = false;
                    for v in &mut args {
                        let known = v.as_inst().map(|i| (i, copies.values[i]));
                        *v = match known {
                            Some((_, Some(copy))) => copy,
                            Some((i, None)) if is_copied(from.unwrap_or(self), i, copies) => {
                                is_open = true;
                                Value::bool(false)
                            }
                            _ => self.copied(from, *v, copies),
                        };
                    }
                    self.note_type(head.ty);
                    let copy = self.append_row(to, head, &args, place);
                    if is_open {
                        open.push((i, copy));
                    }
                    copy
                };
                match from {
                    None => self.name_after(Value::inst(copy), i),
                    Some(from) => {
                        let text = from.names.as_ref().and_then(|names| names.text(i));
                        _ = self.names.as_mut().zip(text).map(|(names, text)| names.name(copy, text));
                    }
                }
                self.set_access(copy, access);
                copies.values[i] = Some(Value::inst(copy));
            }
        }
        for &b in blocks {
            self.copy_terminator(from, b, call, copies);
        }
        for (i, copy) in open {
            for k in 0..from.unwrap_or(self).args(i).len() {
                let v = from.unwrap_or(self).arg(i, k);
                let v = self.copied(from, v, copies);
                self.set_arg(copy, k, v);
            }
        }
        for k in 0..copies.edges.len() {
            let (old, new) = copies.edges[k];
            let f = from.unwrap_or(self);
            let (target, slot) = (f.edge_to(old), f.edge_slot(old));
            let outside = from.is_none() && self.edge_to(new) == target;
            let mut next = f.first(target);
            while let Some(phi) = next.filter(|&i| from.unwrap_or(self).op(i) == Op::Phi) {
                let f = from.unwrap_or(self);
                let v = f.arg(phi, slot);
                next = f.next(phi);
                let copy = if outside { Some(Value::inst(phi)) } else { copies.values[phi] };
                let v = self.copied(from, v, copies);
                if let Some(copy) = copy.and_then(Value::as_inst).filter(|&i| self.op(i) == Op::Phi)
                    && self.block_of(copy) == Some(self.edge_to(new))
                {
                    self.set_arg(copy, self.edge_slot(new), v);
                }
            }
        }
        copies.edges.clear();
    }

    /// Room for copies of these blocks, or of all of another body, which has no dead rows.
    fn make_room(&mut self, from: Option<&Body>, blocks: &[Block], all: bool) {
        let f = from.unwrap_or(self);
        let (mut insts, mut operands) = (f.inst_count(), f.operands.len());
        if !all {
            (insts, operands) = (0, 0);
            for i in blocks.iter().flat_map(|&b| f.insts(b)) {
                insts += 1;
                operands += f.args(i).len();
            }
        }
        self.rows.reserve(insts);
        self.operands.reserve(operands);
        self.layout.blocks.reserve(blocks.len());
    }

    fn copy_terminator(&mut self, from: Option<&Body>, b: Block, call: Option<Place>, copies: &mut Copies) {
        let f = from.unwrap_or(self);
        let (Some(to), Some(end)) = (copies.blocks[b].get(), f.terminator(b)) else { return };
        let (op, value, flags) = (f.op(end), f.args(end).first().copied(), f.flags(end));
        let (place, edges) = (f.place(end), f.succs(b));
        let mut targets = [None; 2];
        for (target, e) in targets.iter_mut().zip(edges) {
            *target = Some((e, f.edge_to(e)));
        }
        let place = match (call, from) {
            (Some(call), Some(from)) => {
                mapped(place, call, from, copies, &mut |row| self.places.inlined(row))
            }
            _ => place,
        };
        let value = value.map(|v| self.copied(from, v, copies));
        if let (Op::Switch, Some(x)) = (op, value) {
            return self.copy_switch(from, b, (to, x, place), copies);
        }
        let new = targets.map(|target| {
            let (old, target) = target?;
            Some((old, self.copied_target(from.is_some(), target, copies)))
        });
        match (op, value, new) {
            (Op::Br, _, [Some((old, next)), _]) => {
                let e = self.set_br(to, next, place);
                copies.edges.push((old, e));
            }
            (Op::CondBr, Some(condition), [Some((old_yes, yes)), Some((old_no, no))]) => {
                let (e, f) = self.set_cond_br(to, condition, yes, no, place);
                _ = self.terminator(to).map(|i| self.set_flags(i, flags));
                copies.edges.extend([(old_yes, e), (old_no, f)]);
            }
            (Op::Ret, value, _) => self.set_ret(to, value, place),
            _ => self.set_unreachable(to, place),
        }
    }

    /// What stands for a block that is gone to; one that is not copied is the copy's, too, if both are in one body.
    #[inline]
    fn copied_target(&mut self, is_other: bool, target: Block, copies: &Copies) -> Block {
        let known = copies.blocks[target].get().or((!is_other).then_some(target));
        known.unwrap_or_else(|| {
            let nowhere = self.create_block();
            self.set_unreachable(nowhere, Place::NONE);
            nowhere
        })
    }

    #[cold]
    #[inline(never)]
    fn copy_switch(
        &mut self,
        from: Option<&Body>,
        b: Block,
        (to, x, place): (Block, Value, Place),
        copies: &mut Copies,
    ) {
        let f = from.unwrap_or(self);
        let edges: Vec<(Edge, Block)> = f.succs(b).map(|e| (e, f.edge_to(e))).collect();
        let target = |&(_, target): &(Edge, Block)| self.copied_target(from.is_some(), target, copies);
        let targets: Vec<Block> = edges.iter().map(target).collect();
        let first = self.set_switch(to, x, &targets, place).index();
        copies.edges.extend(edges.iter().enumerate().map(|(k, &(old, _))| (old, Edge::new(first + k))));
    }

    /// What stands for a value of the original.
    fn copied(&mut self, from: Option<&Body>, v: Value, copies: &mut Copies) -> Value {
        match (v.kind(), from) {
            (ValueKind::Inst(i), from) => copies.values[i].unwrap_or_else(|| match from {
                Some(from) => Value::undef(from.ty(i)),
                None => v,
            }),
            (ValueKind::Const(row), Some(from)) => {
                let (ty, bits) = from.constants.get(row);
                Value::constant(self.constants.intern(ty, bits))
            }
            (ValueKind::Request(request), Some(from)) => match copies.requests[request].get() {
                Some(request) => Value::request(request),
                None => {
                    let copy = self.requests.push(from.requests[request].clone());
                    copies.requests[request] = Opt::some(copy);
                    Value::request(copy)
                }
            },
            _ => v,
        }
    }
}

/// True if a copy of an instruction is made along with those of its region.
fn is_copied(f: &Body, i: Inst, copies: &Copies) -> bool {
    f.block_of(i).is_some_and(|b| copies.blocks[b].get().is_some())
}

/// The place in a body of what stands at `place` of `from`, which is called at `call`.
fn mapped(
    place: Place,
    call: Place,
    from: &Body,
    copies: &Copies,
    inlined: &mut dyn FnMut(Inlined) -> Place,
) -> Place {
    if place == Place::NONE && call == Place::NONE {
        return Place::NONE;
    }
    match place.row() {
        Some(row) => copies.places.get(row).copied().unwrap_or(Place::NONE),
        None => inlined(Inlined { func: from.func, offset: from.places.offset(place), call }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Handle;
    use crate::ir::body::packed::{Packer, pack};
    use crate::ir::{parse::parse, verify};

    const LOOP: &str = "define internal i32 @g(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  %s = phi i32 [ 1234567890, %entry ], [ %t, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  %t = add i32 %s, %i
  %j = add i32 %i, 1
  br label %head
exit:
  %r = phi i32 [ %s, %head ]
  ret i32 %r
}
define i32 @main() {
entry:
  %x = call i32 @g(i32 5)
  %y = call i32 @g(i32 6)
  %z = add i32 %x, %y
  ret i32 %z
}
";

    #[test]
    fn a_region_is_copied_beside_itself() {
        let mut m = parse(LOOP).unwrap();
        let f = m.nth_mut(0);
        let [entry, head, body, exit] = [0, 1, 2, 3].map(Block::new);
        let mut copies = Copies::default();
        copies.begin(f);
        f.clone_region(&[body, head], &mut copies);
        let copy = copies.blocks[head].get().unwrap();
        let (e, r) = (f.succs(entry).next().unwrap(), f.first(exit).unwrap());
        assert_eq!((f.preds(exit).len(), f.args(r).len(), f.preds(copy).len()), (2, 2, 1));
        let phi = f.first(copy).unwrap();
        assert_eq!(f.args(r)[1], Value::inst(f.next(phi).unwrap()));
        f.redirect(e, copy);
        let (slot, zero) = (f.edge_slot(e), f.int(0));
        f.set_arg(phi, slot, zero);
        assert_eq!((f.check_tables(), verify::verify(&m.env, m.nth(0))), (Ok(()), Ok(())));
    }

    #[test]
    fn a_callee_is_imported_with_its_places_and_a_body_packed() {
        let mut m = parse(LOOP).unwrap();
        let callee = m.nth(0).clone();
        let f = m.nth_mut(1);
        let calls: Vec<Inst> = f.insts_from(0).filter(|&i| f.op(i) == Op::Call).collect();
        for &call in &calls {
            let (place, n) = (f.place(call), f.arg(call, 0));
            let before = f.block_of(call).unwrap();
            let after = f.split_block(call).unwrap();
            let mut copies = Copies::default();
            copies.begin(&callee);
            copies.values[Inst::new(0)] = Some(n);
            f.import(&callee, &callee.blocks().collect::<Vec<_>>(), place, &mut copies);
            f.set_br(before, copies.blocks[Block::new(0)].get().unwrap(), place);
            let exit = copies.blocks[Block::new(3)].get().unwrap();
            let result = f.arg(f.last(exit).unwrap(), 0);
            f.set_br(exit, after, place);
            f.replace(call, result);
            let i = result.as_inst().unwrap();
            let row = f.places.get(f.place(i)).unwrap();
            assert_eq!(
                (row.func, row.call, f.loc(i) as usize),
                (callee.func, place, LOOP.find("%r =").unwrap())
            );
        }
        assert_eq!(verify::verify(&m.env, m.nth(1)), Ok(()));
        let small = pack(m.nth(1), &mut Packer::default()).unpack(None).unwrap();
        assert_eq!(
            (small.inst_count(), small.block_count()),
            (m.nth(1).blocks().map(|b| m.nth(1).insts(b).count()).sum(), 11)
        );
        assert_eq!((small.check_tables(), verify::verify(&m.env, &small)), (Ok(()), Ok(())));
        let i = small.insts_from(0).find(|&i| small.op(i) == Op::Phi).unwrap();
        assert_eq!(small.loc(i) as usize, LOOP.find("%i =").unwrap());
    }
}
