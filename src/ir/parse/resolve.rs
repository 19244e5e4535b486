//! What waits for the end of a body: operands that come later, and phis, whose operands are matched with the edges that lead
//! to their block when all are known. A name is of a value or of a block. Linear in operands, but for what switches name: O(log
//! cases) a phi's operand.

use super::body::other_type;
use super::builder::{Builder, Local, Operand, Pending, Phi, UNPLACED};
use super::{Parsed, Parser, error_at};
use crate::base::Column;
use crate::ir::{Block, Type};

impl Parser<'_> {
    /// Sets what had to wait for the end of the body.
    pub(super) fn resolve(&self, b: &mut Builder) -> Parsed<()> {
        let text = self.lexer.text;
        for (name, block) in b.blocks.iter() {
            let Some(block) = block.get() else { continue };
            if b.labels[block] == UNPLACED {
                return self.error(format!("there is no block `%{}`", b.name_of(name)));
            }
            if b.is_taken(name) {
                let message = format!("`%{}` is a value and a block", b.name_of(name));
                return Err(error_at(text, b.labels[block] as usize, message));
            }
        }
        for (name, mem, at) in std::mem::take(&mut b.awaited) {
            if b.aggregates.get(&name).is_none_or(|&of| !self.is_same(of, mem)) {
                return Err(other_type(text, at as usize, b, name));
            }
        }
        let find = |b: &mut Builder, name: Local, ty: Type, at: u32| match b.local_value(name) {
            Some(v) if b.f.type_of(v) == ty => Ok(v),
            Some(v) => {
                let message = format!("this is {}, not {}", b.f.type_of(v).name(), ty.name());
                Err(error_at(text, at as usize, message))
            }
            None => Err(error_at(text, at as usize, format!("`%{}` is not defined", b.name_of(name)))),
        };
        for k in 0..b.pending.len() {
            let Pending { user, operand, name, ty, at } = b.pending[k];
            let v = find(b, name, ty, at)?;
            b.f.set_arg(user, operand as usize, v);
        }
        // Per block of the text: the phi's row for it, and the last phi whose block it enters.
        let [mut entries, mut entered]: [Column<Block, u32>; 2] =
            [0; 2].map(|_| Column::filled(b.f.block_count(), u32::MAX));
        for k in 0..b.phis.len() {
            let Phi { inst, first, count, at, .. } = b.phis[k];
            let Some(block) = b.f.block_of(inst) else { continue };
            for row in first..first + count {
                let (operand, from) = b.incoming[row];
                let other = std::mem::replace(&mut entries[from], row as u32);
                if b.incoming.get(other as usize).is_some_and(|&(other, _)| !other.same(operand)) {
                    return Err(error_at(text, at as usize, "two values for one predecessor"));
                }
            }
            // Edges of the text: a switch may enter by fewer or more.
            let mut edges = 0;
            let fan = |b: &Builder, from: Block| match b.fans.is_empty() {
                true => None,
                false => b.fans.get(&(from, block)).copied(),
            };
            for slot in 0..b.f.preds(block).len() {
                let from = b.origin[b.f.edge_from(b.f.preds(block)[slot])];
                let Some(&(operand, _)) = b.incoming.get(entries[from] as usize) else {
                    return Err(error_at(text, at as usize, "a predecessor has no operand"));
                };
                let v = match operand {
                    Operand::Value(v) => v,
                    Operand::Later { name, ty, at } => find(b, name, ty, at)?,
                };
                b.f.set_arg(inst, slot, v);
                edges += match fan(b, from) {
                    None => 1,
                    Some(fan) if entered[from] != k as u32 => fan,
                    Some(_) => 0,
                };
                entered[from] = k as u32;
            }
            for row in first..first + count {
                let from = b.incoming[row].1;
                if entered[from] != k as u32 {
                    if !b.never.contains(&(from, block)) {
                        let message = "an operand for a block that is no predecessor";
                        return Err(error_at(text, at as usize, message));
                    }
                    edges += fan(b, from).unwrap_or(0);
                    entered[from] = k as u32;
                }
                entries[from] = u32::MAX;
            }
            if edges as usize != count {
                let message = format!("{count} operands for {edges} edges that lead here");
                return Err(error_at(text, at as usize, message));
            }
        }
        Ok(())
    }
}
