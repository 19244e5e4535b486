//! Rules for comparisons and choices. Comparisons with a constant end up strict, with the constant on the
//! right.

use super::{Rule, expr, rules};

pub(super) const ICMP: &[Rule] = rules! {
    (ICmp Eq x x) => T;
    (ICmp Ne x x) => F;
    (ICmp Slt x x) => F;
    (ICmp Sle x x) => T;
    (ICmp Sgt x x) => F;
    (ICmp Sge x x) => T;
    (ICmp Ult x x) => F;
    (ICmp Ule x x) => T;
    (ICmp Ugt x x) => F;
    (ICmp Uge x x) => T;
    // The extremes, and strictness.
    (ICmp Slt x MIN) => F;
    (ICmp Sge x MIN) => T;
    (ICmp Sgt x MAX) => F;
    (ICmp Sle x MAX) => T;
    (ICmp Ult x 0) => F;
    (ICmp Uge x 0) => T;
    (ICmp Ugt x (ones)) => F;
    (ICmp Ule x (ones)) => T;
    (ICmp Sle x A) => (ICmp Slt x (Add A 1)) if (ICmp Ne A MAX);
    (ICmp Sge x A) => (ICmp Sgt x (Sub A 1)) if (ICmp Ne A MIN);
    (ICmp Ule x A) => (ICmp Ult x (Add A 1)) if (ICmp Ne A (ones));
    (ICmp Uge x A) => (ICmp Ugt x (Sub A 1)) if (ICmp Ne A 0);
    (ICmp Ult x 1) => (ICmp Eq x 0);
    (ICmp Ugt x 0) => (ICmp Ne x 0);
    // A truth value that went through an integer.
    (ICmp Ne (ZExt p) 0) => p;
    (ICmp Eq (ZExt p) 1) => p;
    (ICmp Sgt (ZExt p) 0) => p;
    (ICmp Eq (ZExt p) 0) => (Xor p T);
    (ICmp Ne (ZExt p) 1) => (Xor p T);
    (ICmp Slt (ZExt p) 1) => (Xor p T);
    (ICmp Eq (ZExt p) A) => F if (ICmp Ugt A 1);
    (ICmp Ne (ZExt p) A) => T if (ICmp Ugt A 1);
    (ICmp Slt (ZExt p) A) => F if (ICmp Slt A 1);
    (ICmp Slt (ZExt p) A) => T if (ICmp Sgt A 1);
    (ICmp Sgt (ZExt p) A) => T if (ICmp Slt A 0);
    (ICmp Sgt (ZExt p) A) => F if (ICmp Sgt A 0);
    (ICmp Eq (ZExt p) (ZExt q)) => (ICmp Eq p q);
    (ICmp Ne (ZExt p) (ZExt q)) => (Xor p q);
    // Equalities solved for the unknown.
    (ICmp Eq (Add x A) B) => (ICmp Eq x (Sub B A));
    (ICmp Ne (Add x A) B) => (ICmp Ne x (Sub B A));
    (ICmp Eq (Sub A x) B) => (ICmp Eq x (Sub A B));
    (ICmp Ne (Sub A x) B) => (ICmp Ne x (Sub A B));
    (ICmp Eq (Xor x A) B) => (ICmp Eq x (Xor A B));
    (ICmp Ne (Xor x A) B) => (ICmp Ne x (Xor A B));
    (ICmp Eq (Sub x y) 0) => (ICmp Eq x y);
    (ICmp Ne (Sub x y) 0) => (ICmp Ne x y);
    (ICmp Eq (Xor x y) 0) => (ICmp Eq x y);
    (ICmp Ne (Xor x y) 0) => (ICmp Ne x y);
    (ICmp Eq (Add x y) x) => (ICmp Eq y 0);
    (ICmp Ne (Add x y) x) => (ICmp Ne y 0);
    (ICmp Eq (Add x z) (Add y z)) => (ICmp Eq x y);
    (ICmp Ne (Add x z) (Add y z)) => (ICmp Ne x y);
    (ICmp Eq (Mul x A) 0) => (ICmp Eq x 0) if (ICmp Eq (And A 1) 1);
    (ICmp Ne (Mul x A) 0) => (ICmp Ne x 0) if (ICmp Eq (And A 1) 1);
    // Remainders of powers of two: no quotient is needed to compare one.
    (ICmp Eq (SRem x A) 0) => (ICmp Eq (And x (Sub A 1)) 0) if (ICmp Eq (And A (Sub A 1)) 0);
    (ICmp Ne (SRem x A) 0) => (ICmp Ne (And x (Sub A 1)) 0) if (ICmp Eq (And A (Sub A 1)) 0);
    (ICmp Eq (SRem x A) B) => (ICmp Eq (And x (Or MIN (Sub A 1))) B)
        if (And (ICmp Eq (And A (Sub A 1)) 0) (And (ICmp Sgt A 0) (ICmp Sgt B 0)));
    (ICmp Ne (SRem x A) B) => (ICmp Ne (And x (Or MIN (Sub A 1))) B)
        if (And (ICmp Eq (And A (Sub A 1)) 0) (And (ICmp Sgt A 0) (ICmp Sgt B 0)));
    // A choice between constants tells which it was.
    (ICmp Eq (Select p A B) A) => p if (ICmp Ne A B);
    (ICmp Ne (Select p A B) A) => (Xor p T) if (ICmp Ne A B);
    (ICmp Eq (Select p A B) B) => (Xor p T) if (ICmp Ne A B);
    (ICmp Ne (Select p A B) B) => p if (ICmp Ne A B);
    (ICmp Eq (Select p A B) C) => F if (And (ICmp Ne A C) (ICmp Ne B C));
    (ICmp Ne (Select p A B) C) => T if (And (ICmp Ne A C) (ICmp Ne B C));
    // Truth values compared.
    (ICmp Eq p T) => p;
    (ICmp Ne p F) => p;
    (ICmp Eq p F) => (Xor p T);
    (ICmp Ne p T) => (Xor p T);
    (ICmp Eq p p) => T;
    (ICmp Ne p p) => F;
    (ICmp Ne p q) => (Xor p q);
};

pub(super) const SELECT: &[Rule] = rules! {
    (Select (Xor p T) x y) => (Select p y x);
    (Select p 1 0) => (ZExt p);
    (Select p (ZExt p) 0) => (ZExt p);
    (Select p 1 (ZExt p)) => (ZExt p);
    (Select (ICmp Eq x y) x y) => y;
    (Select (ICmp Eq x y) y x) => x;
    (Select (ICmp Ne x y) x y) => x;
    (Select (ICmp Ne x y) y x) => y;
    (Select p T F) => p;
    (Select p F T) => (Xor p T);
    (Select p q F) => (And p q);
    (Select p T q) => (Or p q);
};
