//! Rules for and, or, exclusive or, on integers and truth values, and for shifts.

use super::{Rule, expr, rules};

pub(super) const AND: &[Rule] = rules! {
    (And x 0) => 0;
    (And x (ones)) => x;
    (And x x) => x;
    (And (And x A) B) => (And x (And A B));
    (And x (Or x y)) => x;
    (And (And x y) y) => (And x y);
    (And x (Xor x (ones))) => 0;
    (And (Or x A) B) => (And x B) if (ICmp Eq (And A B) 0);
    (And (Shl x A) B) => 0 if (And (ICmp Ult A WIDTH) (ICmp Eq (LShr B A) 0));
    (And (Mul x A) B) => 0 if (ICmp Eq (And (Or A (Sub 0 A)) B) 0);
    (And (Add (Shl x A) C) B) => (And B C) if (And (ICmp Ult A WIDTH) (ICmp Eq (LShr B A) 0));
    (And (Add (Mul x A) C) B) => (And B C) if (ICmp Eq (And (Or A (Sub 0 A)) B) 0);
    (And (ZExt p) 1) => (ZExt p);
    (And (ZExt p) (ZExt q)) => (ZExt (And p q));
    (And p T) => p;
    (And p F) => F;
    (And p p) => p;
    (And p (Or p q)) => p;
    (And (And p q) q) => (And p q);
    (And p (Xor p T)) => F;
};

pub(super) const OR: &[Rule] = rules! {
    (Or x 0) => x;
    (Or x (ones)) => (ones);
    (Or x x) => x;
    (Or (Or x A) B) => (Or x (Or A B));
    (Or x (And x y)) => x;
    (Or (Or x y) y) => (Or x y);
    (Or x (Xor x (ones))) => (ones);
    (Or (ZExt p) (ZExt q)) => (ZExt (Or p q));
    (Or p F) => p;
    (Or p T) => T;
    (Or p p) => p;
    (Or p (And p q)) => p;
    (Or (Or p q) q) => (Or p q);
    (Or p (Xor p T)) => T;
};

pub(super) const XOR: &[Rule] = rules! {
    (Xor x 0) => x;
    (Xor x x) => 0;
    (Xor (Xor x A) B) => (Xor x (Xor A B));
    (Xor (Xor x y) y) => x;
    (Xor (Sub 0 x) (ones)) => (Add x (ones));
    (Xor (ZExt p) 1) => (ZExt (Xor p T));
    (Xor p F) => p;
    (Xor p p) => F;
    (Xor (Xor p T) T) => p;
    (Xor (Xor p q) q) => p;
    (Xor (ICmp Eq x y) T) => (ICmp Ne x y);
    (Xor (ICmp Ne x y) T) => (ICmp Eq x y);
    (Xor (ICmp Slt x y) T) => (ICmp Sge x y);
    (Xor (ICmp Sle x y) T) => (ICmp Sgt x y);
    (Xor (ICmp Sgt x y) T) => (ICmp Sle x y);
    (Xor (ICmp Sge x y) T) => (ICmp Slt x y);
    (Xor (ICmp Ult x y) T) => (ICmp Uge x y);
    (Xor (ICmp Ule x y) T) => (ICmp Ugt x y);
    (Xor (ICmp Ugt x y) T) => (ICmp Ule x y);
    (Xor (ICmp Uge x y) T) => (ICmp Ult x y);
};

pub(super) const SHL: &[Rule] = rules! {
    (Shl x 0) => x;
    (Shl 0 x) => 0;
    (Shl (Shl x A) B) => (Shl x (Add A B))
        if (And (And (ICmp Ult A WIDTH) (ICmp Ult B WIDTH)) (ICmp Ult (Add A B) WIDTH));
};

pub(super) const LSHR: &[Rule] = rules! {
    (LShr x 0) => x;
    (LShr 0 x) => 0;
    (LShr (LShr x A) B) => (LShr x (Add A B))
        if (And (And (ICmp Ult A WIDTH) (ICmp Ult B WIDTH)) (ICmp Ult (Add A B) WIDTH));
};

pub(super) const ASHR: &[Rule] = rules! {
    (AShr x 0) => x;
    (AShr 0 x) => 0;
    (AShr (ones) x) => (ones);
    (AShr (AShr x A) B) => (AShr x (Add A B))
        if (And (And (ICmp Ult A WIDTH) (ICmp Ult B WIDTH)) (ICmp Ult (Add A B) WIDTH));
};
