//! What an address leads to, as far as a few steps show.

use crate::ir::{Body, Env, GlobalId, Inst, Op, Type, Value, ValueKind};

/// The object that an address points into.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Base {
    /// An alloca of the body.
    Own(Inst),
    /// A global.
    Global(GlobalId),
    /// What a parameter points into: memory that was there before the call.
    Param(u32),
    /// Anything.
    Unknown,
}

/// The address that an instruction other than a call writes to.
#[inline]
pub fn written(f: &Body, i: Inst) -> Option<Value> {
    match f.op(i) {
        Op::Store | Op::StoreVolatile | Op::MaskedStore | Op::StridedStore => Some(f.arg(i, 1)),
        Op::MemInit | Op::MemSet | Op::MemCopy => Some(f.arg(i, 0)),
        _ => None,
    }
}

/// The address that an instruction other than a call reads from, where that may have been written to.
#[inline]
pub fn read(f: &Body, i: Inst) -> Option<Value> {
    match f.op(i) {
        Op::Load | Op::LoadVolatile | Op::MaskedLoad | Op::StridedLoad => Some(f.arg(i, 0)),
        Op::MemCopy => Some(f.arg(i, 1)),
        _ => None,
    }
}

/// Steps of an address that are followed.
const MOST_STEPS: usize = 16;

/// Where an address points. One that is moved on in a loop points where it began.
#[inline]
pub fn base_of(f: &Body, address: Value) -> Base {
    let mut at = address;
    for _ in 0..MOST_STEPS {
        let i = match at.kind() {
            ValueKind::Inst(i) => i,
            ValueKind::Global(global) => return Base::Global(global),
            _ => return Base::Unknown,
        };
        match f.op(i) {
            Op::ElemAddr => at = f.arg(i, 0),
            Op::Alloca => return Base::Own(i),
            Op::Param => return Base::Param(f.payload(i)),
            Op::Phi => return base_of_phi(f, i),
            _ => return Base::Unknown,
        }
    }
    Base::Unknown
}

/// Where a store or an initialiser writes, and how many bytes.
pub fn extent(env: &Env, f: &Body, i: Inst) -> Option<(Value, u64)> {
    match f.op(i) {
        Op::Store => Some((f.arg(i, 1), u64::from(env.shapes.bytes_of(f.type_of(f.arg(i, 0)))))),
        Op::MemInit => Some((f.arg(i, 0), u64::from(f.payload(i)))),
        Op::MemSet => Some((f.arg(i, 0), filled(f, i)?)),
        _ => None,
    }
}

/// How many bytes are filled, where that is known.
pub fn filled(f: &Body, i: Inst) -> Option<u64> {
    let v = f.arg(i, 2);
    let bytes = f.as_int(v)?;
    Some(if f.type_of(v) == Type::I32 { u64::from(bytes as u32) } else { bytes as u64 })
}

/// Phis that are followed, and operands of each.
const MOST_PHIS: usize = 4;
const MOST_OPERANDS: usize = 8;

/// Where all operands of a phi point, and of phis that they come from.
#[inline(never)]
fn base_of_phi(f: &Body, phi: Inst) -> Base {
    let mut phis = [phi; MOST_PHIS];
    let (mut count, mut next) = (1, 0);
    let mut base = None;
    while next < count {
        let phi = phis[next];
        next += 1;
        if f.args(phi).len() > MOST_OPERANDS {
            return Base::Unknown;
        }
        for &operand in f.args(phi) {
            let mut at = operand;
            let mut steps = 0;
            let found = loop {
                match at.as_inst().map(|i| (i, f.op(i))) {
                    Some((i, Op::ElemAddr)) if steps < MOST_STEPS => at = f.arg(i, 0),
                    Some((i, Op::Phi)) if phis[..count].contains(&i) => break None,
                    Some((i, Op::Phi)) if count < MOST_PHIS => {
                        phis[count] = i;
                        count += 1;
                        break None;
                    }
                    Some((_, Op::Phi | Op::ElemAddr)) => return Base::Unknown,
                    _ => break Some(base_of(f, at)),
                }
                steps += 1;
            };
            if found == Some(Base::Unknown) || found.is_some() && base.is_some() && base != found {
                return Base::Unknown;
            }
            base = base.or(found);
        }
    }
    base.unwrap_or(Base::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;

    #[test]
    fn a_pointer_that_is_moved_on_points_where_it_began() {
        let text = |other: &str| {
            format!(
                "@g = global [9 x i32] zeroinitializer
                 define void @f(i1 %c, ptr %x) {{
                 entry:
                   %a = alloca [9 x i32]
                   br label %outer
                 outer:
                   %p = phi ptr [ %a, %entry ], [ %q, %inner ]
                   br label %inner
                 inner:
                   %q = phi ptr [ %p, %outer ], [ {other}, %inner ]
                   %r = getelementptr i32, ptr %q, i32 1
                   store i32 1, ptr %r
                   br i1 %c, label %inner, label %outer
                 }}"
            )
        };
        let base = |other: &str| {
            let module = parse(&text(other)).unwrap();
            let f = module.nth(0);
            let store = f.ops().find(|&(_, op)| op == Op::Store).unwrap().0;
            base_of(f, f.arg(store, 1))
        };
        assert!(matches!(base("%r"), Base::Own(_)) && matches!(base("%p"), Base::Own(_)));
        assert!(["@g", "%x"].iter().all(|other| base(other) == Base::Unknown));
    }
}
