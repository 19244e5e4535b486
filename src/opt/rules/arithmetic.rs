//! Rules for sums, differences, products, quotients and remainders. Everything wraps; MIN / -1 is MIN.
//!
//! Absent on purpose, because products wrap: x * A / A, and sums of quotients.

use super::{Rule, expr, rules};

pub(super) const ADD: &[Rule] = rules! {
    (Add x 0) => x;
    (Add (Add x A) B) => (Add x (Add A B));
    (Add (Sub A x) B) => (Sub (Add A B) x);
    (Add (Sub x y) y) => x;
    (Add (Sub 0 x) y) => (Sub y x);
    (Add (Sub x y) (Sub y z)) => (Sub x z);
    (Add (Xor x (ones)) 1) => (Sub 0 x);
    (Add x x) => (Mul x 2);
    (Add (Mul x A) x) => (Mul x (Add A 1));
    (Add (Mul x A) (Mul x B)) => (Mul x (Add A B));
};

pub(super) const SUB: &[Rule] = rules! {
    (Sub x x) => 0;
    (Sub x A) => (Add x (Sub 0 A));
    (Sub (ones) x) => (Xor x (ones));
    (Sub (Add x y) x) => y;
    (Sub x (Add x y)) => (Sub 0 y);
    (Sub x (Sub x y)) => y;
    (Sub (Sub x y) x) => (Sub 0 y);
    (Sub 0 (Sub x y)) => (Sub y x);
    (Sub x (Sub 0 y)) => (Add x y);
    (Sub A (Sub B x)) => (Add x (Sub A B));
    (Sub A (Add x B)) => (Sub (Sub A B) x);
    (Sub (Add x A) (Add y A)) => (Sub x y);
    (Sub 0 (Mul x A)) => (Mul x (Sub 0 A));
    (Sub (Mul x A) x) => (Mul x (Sub A 1));
    (Sub x (Mul x A)) => (Mul x (Sub 1 A));
    (Sub (Mul x A) (Mul x B)) => (Mul x (Sub A B));
};

pub(super) const MUL: &[Rule] = rules! {
    (Mul x 0) => 0;
    (Mul x 1) => x;
    (Mul x (ones)) => (Sub 0 x);
    (Mul (Mul x A) B) => (Mul x (Mul A B));
    (Mul (Sub 0 x) A) => (Mul x (Sub 0 A));
    (Mul (Sub 0 x) (Sub 0 y)) => (Mul x y);
    (Mul (ZExt p) x) => (Select p x 0);
};

pub(super) const SDIV: &[Rule] = rules! {
    (SDiv x 1) => x;
    (SDiv x (ones)) => (Sub 0 x);
    (SDiv 0 x) => 0;
    (SDiv x x) => 1;
    (SDiv (SDiv x A) B) => (SDiv x (Mul A B))
        if (And (And (ICmp Sgt A 0) (ICmp Sgt B 0))
                (And (ICmp Sgt (Mul A B) 0) (ICmp Eq (SDiv (Mul A B) B) A)));
    (SDiv (SRem x A) A) => 0;
};

pub(super) const SREM: &[Rule] = rules! {
    (SRem x 1) => 0;
    (SRem x (ones)) => 0;
    (SRem 0 x) => 0;
    (SRem x x) => 0;
    (SRem x A) => (SRem x (Sub 0 A)) if (And (ICmp Slt A 0) (ICmp Ne A MIN));
    (SRem (SRem x y) y) => (SRem x y);
    (SRem (Mul x A) B) => 0 if (And (ICmp Eq (And B (Sub B 1)) 0) (ICmp Eq (And A (Sub B 1)) 0));
    (SRem (Shl x A) B) => 0
        if (And (ICmp Ult A WIDTH) (And (ICmp Eq (And B (Sub B 1)) 0) (ICmp Eq (LShr (Sub B 1) A) 0)));
    (SRem (ZExt p) A) => (ZExt p) if (ICmp Sgt A 1);
};

pub(super) const UDIV: &[Rule] = rules! {
    (UDiv x 1) => x;
    (UDiv 0 x) => 0;
    (UDiv x x) => 1;
};

pub(super) const UREM: &[Rule] = rules! {
    (URem x 1) => 0;
    (URem 0 x) => 0;
    (URem x x) => 0;
    (URem x A) => (And x (Sub A 1)) if (ICmp Eq (And A (Sub A 1)) 0);
};
