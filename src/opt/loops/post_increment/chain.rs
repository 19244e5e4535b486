//! Several steps of a pointer in one round, one a vector, on machines whose accesses of vectors have no offsets but move
//! their base: what an unrolled loop takes by `p`, `p + 16` and `p + 32` goes by one pointer that moves on behind each.
//!
//! | a round | becomes |
//! | --- | --- |
//! | `x = *p; y = *(p + 16); p = p + 32` | `x = *p; p = p + 16; y = *p; p = p + 16` |
//!
//! O(uses of the pointer).

use super::{Scratch, Variable};
use crate::analysis::TargetFacts;
use crate::ir::{At, Body, Inst, Op, Type, Value};
use crate::opt::loops::strength::offset;
use crate::opt::run::pass::FuncCx;

/// True if steps by so many bytes are for nothing, and offsets are not.
fn is_asked_for(target: &TargetFacts, ty: Type, by: i64) -> bool {
    ty.is_vector() && target.offsets(ty) == [0, 0] && target.moves_base(ty, by, false)
}

fn accessed(f: &Body, i: Inst) -> Type {
    if f.op(i) == Op::Load { f.ty(i) } else { f.type_of(f.arg(i, 0)) }
}

impl Scratch {
    /// Takes the step of a pointer apart; true if it did.
    pub(super) fn chain(&mut self, cx: &mut FuncCx, v: Variable) -> bool {
        let f = &*cx.f;
        if f.ty(v.phi) != Type::Ptr || v.by == 0 || cx.target.offsets_vector != [0, 0] {
            return false;
        }
        if self.find_uses(cx, v) != Some(None) {
            return false;
        }
        self.accesses.sort_by_key(|&(i, _)| self.position[i]);
        let by = self.accesses.iter().map(|row| row.1).find(|&bytes| bytes != 0).unwrap_or(0);
        let is_next = |pair: &[(Inst, i64)]| [0, by].contains(&pair[1].1.wrapping_sub(pair[0].1));
        let is_vector = |&(i, _): &(Inst, i64)| {
            f.block_of(i) == Some(v.latch) && is_asked_for(cx.target, accessed(f, i), by)
        };
        let (Some(&(_, first)), Some(&(last, end))) = (self.accesses.first(), self.accesses.last()) else {
            return false;
        };
        let goes_on =
            by != 0 && first == 0 && end.wrapping_add(by) == v.by && self.accesses.windows(2).all(is_next);
        if !goes_on || !self.accesses.iter().all(is_vector) || !self.all_behind(cx, v, self.position[last]) {
            return false;
        }
        let place = cx.f.place(v.next);
        let (mut at, mut old) = (Value::inst(v.phi), Vec::new());
        for k in 0..self.accesses.len() {
            let (i, bytes) = self.accesses[k];
            let operand = usize::from(cx.f.op(i) == Op::Store);
            old.extend(cx.f.arg(i, operand).as_inst());
            cx.f.set_arg(i, operand, at);
            if self.accesses.get(k + 1).is_none_or(|next| next.1 != bytes) {
                at = offset(cx.f, &cx.env.shapes, At::After(i), at, by, place);
            }
        }
        if let Some(step) = at.as_inst() {
            self.goes_by(cx, v, step, self.position[last]);
            self.position.grow_to(cx.f.inst_count(), 0);
            self.position[step] = self.position[last];
        }
        cx.f.remove_unused(v.next);
        for i in old.into_iter().filter(|&i| i != v.phi) {
            cx.f.remove_unused(i);
        }
        true
    }
}
