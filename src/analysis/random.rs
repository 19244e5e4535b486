//! Random bodies for the tests of analyses and passes.

pub(crate) use crate::base::graph::random::{Random, seeds};
use crate::base::{Handle, Interner};
use crate::ir::{Block, Body, Func, FuncId, Inst, Linkage, Place, Type, Value};

/// A body without blocks, of a function of an i32 and an i1.
pub(crate) fn empty_body() -> Body {
    let name = Interner::default().intern("f");
    let params = vec![Type::I32, Type::I1];
    let func = Func::new(name, Type::Void, params, Linkage::External);
    Body::new(FuncId::new(0), &func)
}

/// A body of 1 to `most` blocks that hold nothing but random terminators: cycles of every kind, unreachable
/// blocks, and branches and switches with equal targets.
pub(crate) fn random_body(seed: u32, most: usize) -> Body {
    let mut random = Random::new(seed);
    let mut f = empty_body();
    let n = 1 + random.below(most);
    let blocks: Vec<Block> = (0..n).map(|_| f.create_block()).collect();
    let (number, condition) = (Value::inst(Inst::new(0)), Value::inst(Inst::new(1)));
    for &b in &blocks {
        // Never back to the entry, which has no predecessors.
        let mut target = || blocks[if n == 1 { 0 } else { 1 + random.below(n - 1) }];
        let (yes, no) = (target(), target());
        let more = [target(), yes, target(), no, target()];
        match random.below(9) {
            _ if n == 1 => f.set_ret(b, None, Place::NONE),
            0 => f.set_ret(b, None, Place::NONE),
            1..4 => {
                f.set_br(b, yes, Place::NONE);
            }
            4 => {
                f.set_switch(b, number, &more, Place::NONE);
            }
            _ => {
                f.set_cond_br(b, condition, yes, no, Place::NONE);
            }
        }
    }
    f
}
