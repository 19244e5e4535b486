//! Arithmetic in postfix over leaves of any kind, as DWARF has it in location expressions. What a value was computed by
//! is kept as that when the value goes (`ir/debug_values`), and each stage puts its own leaves in the place of those before.

/// What is done with the last one or two results. All is arithmetic of 64 bits, or of addresses' width on 32-bit machines;
/// of an `i32`, upper bits mean nothing until they are extended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// a + b.
    Add,
    /// a - b.
    Sub,
    /// a * b.
    Mul,
    /// a / b, signed.
    Div,
    /// a & b.
    And,
    /// a | b.
    Or,
    /// a ^ b.
    Xor,
    /// a << b.
    Shl,
    /// a >> b, of an `i32` that has been extended.
    Shr,
    /// The same with signs.
    Shra,
    /// a >> b of 64 bits.
    WideShr,
    /// The same with signs.
    WideShra,
    /// 32 bits with their sign in those above.
    SignExtend,
    /// 32 bits with zeros above.
    ZeroExtend,
}

/// A piece of a formula.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term<L> {
    /// What a leaf is.
    Leaf(L),
    /// A number.
    Number(i64),
    /// See `Operator`.
    Apply(Operator),
}

/// The most terms of a formula: longer ones are not told.
pub const MOST_TERMS: usize = 32;

/// The same over what stands for its leaves, if something does for all.
pub fn map<A: Copy, B>(terms: &[Term<A>], mut of: impl FnMut(A) -> Option<B>) -> Option<Vec<Term<B>>> {
    let each = terms.iter().map(|&term| {
        Some(match term {
            Term::Leaf(leaf) => Term::Leaf(of(leaf)?),
            Term::Number(number) => Term::Number(number),
            Term::Apply(operator) => Term::Apply(operator),
        })
    });
    each.collect()
}

/// The leaves of a formula.
pub fn leaves<L: Copy>(terms: &[Term<L>]) -> impl Iterator<Item = L> {
    terms.iter().filter_map(|&term| match term {
        Term::Leaf(leaf) => Some(leaf),
        _ => None,
    })
}
