//! What a machine does to vectors itself: a table of operation x type, a row of types an opcode.
//!
//! An instruction is legal if all vectors among its result and operands are in its opcode's row, and so are i64 that
//! are not known, of which a machine of 32 bits makes two words. Passes ask
//! before they make vectors (`TargetFacts::vectors`), and `scalarise` acts on it: what is not legal becomes
//! scalars. A type is in registers if it is legal for `Phi`. O(operands) an instruction.

use super::opcode::OPS;
use super::{Body, Inst, Op, Type, Value};

/// A table of one machine.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Vectors(Option<&'static Rows>);

/// By opcode, the types that it is legal for: a bit each, by `Type::packed`.
pub type Rows = [u64; OPS.len()];

impl Vectors {
    /// No vectors at all.
    pub const NONE: Vectors = Vectors(None);

    /// Those of a table.
    pub const fn of(rows: &'static Rows) -> Vectors {
        Vectors(Some(rows))
    }

    /// True if the machine has any.
    pub fn are_there(self) -> bool {
        self.0.is_some()
    }

    /// True if an operation takes vectors of this type, or yields them.
    pub fn has(self, op: Op, ty: Type) -> bool {
        self.0.is_some_and(|rows| rows[op as usize] >> ty.packed() & 1 != 0)
    }

    /// True if an instruction that deals with vectors is legal.
    pub fn takes(self, f: &Body, i: Inst) -> bool {
        let Some(rows) = self.0 else { return false };
        let row = rows[f.op(i) as usize];
        let is_legal = |ty: Type| row >> ty.packed() & 1 != 0;
        let fits = |&v: &Value| match f.type_of(v) {
            Type::I64 => v.is_constant() || is_legal(Type::I64),
            ty => !ty.is_vector() || is_legal(ty),
        };
        row != 0 && (!f.ty(i).is_vector() || is_legal(f.ty(i))) && f.args(i).iter().all(fits)
    }
}

/// The table with these rows.
pub const fn rows(from: &[(&[Op], &[Type])]) -> Rows {
    with_rows([0; OPS.len()], from)
}

/// A table, and these rows.
pub const fn with_rows(mut table: Rows, from: &[(&[Op], &[Type])]) -> Rows {
    let mut k = 0;
    while k < from.len() {
        let (ops, types) = from[k];
        let (mut bits, mut n) = (0, 0);
        while n < types.len() {
            bits |= 1 << types[n].packed();
            n += 1;
        }
        n = 0;
        while n < ops.len() {
            table[ops[n] as usize] |= bits;
            n += 1;
        }
        k += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::ir::scalarise::scalarise;
    use crate::ir::verify::verify;

    static SOME: Rows = rows(&[
        (&[Op::Phi, Op::Splat, Op::ExtractLane, Op::InsertLane], &[Type::I32x4]),
        (&[Op::Load, Op::Store, Op::Add], &[Type::I32x4]),
    ]);

    #[test]
    fn what_is_legal_stays_and_lanes_go_between_it_and_the_rest() {
        let text = "define void @f(ptr %p, i1 %c) {
             entry:
               %v = load <4 x i32>, ptr %p, align 4
               br label %l
             l:
               %s = phi <4 x i32> [ %v, %entry ], [ %t, %l ]
               %d = sdiv <4 x i32> %s, %v
               %u = add <4 x i32> %d, %v
               %g = icmp slt <4 x i32> %u, %d
               %t = select <4 x i1> %g, <4 x i32> %u, <4 x i32> %s
               %w = load <4 x float>, ptr %p, align 4
               %x = fadd <4 x float> %w, %w
               store <4 x float> %x, ptr %p, align 4
               br i1 %c, label %l, label %out
             out:
               store <4 x i32> %t, ptr %p, align 4
               ret void
             }";
        let mut module = parse(text).unwrap();
        let env = module.env.clone();
        let body = module.bodies.as_mut_slice()[0].as_mut().unwrap();
        scalarise(&env.shapes, body, Vectors::of(&SOME));
        assert_eq!((verify(&env, body), body.has_vectors()), (Ok(()), true));
        let have = print::module(&module);
        // In the body, in front of the declarations of what it calls.
        let have = have.split("\n}").next().unwrap();
        for (what, count) in [
            ("phi <4 x i32>", 1),
            ("add <4 x i32>", 1),
            ("= load <4 x i32>", 1),
            ("store <4 x i32>", 1),
            (" = sdiv i32", 4),
            (" = fadd float", 4),
            (" = icmp slt i32", 4),
            ("<4 x float>", 0),
            ("<4 x i1>", 0),
        ] {
            assert_eq!(have.matches(what).count(), count, "{what}\n{have}");
        }
    }
}
