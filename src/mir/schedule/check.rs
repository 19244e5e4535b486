//! Proves that rows in another order do the same: each row is carried out on symbols, in both orders, and must read the
//! same ones, and in the end registers hold the same. Accesses to memory that are not apart must come in the order in which
//! they came. O(rows + pairs of accesses); under `-fverify` only.
