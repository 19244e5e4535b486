//! Quotients behind a branch that has asked whether they leave a remainder are exact:
//!
//! ```text
//! if (x % 6 == 0) y = x / 3;        if (x % 6 == 0) y = x / 3 exactly
//! ```
//!
//! `expand` needs no rounding for those: a shift for a power of two, a product for other numbers. Found from the branch: the
//! uses of what it asks of, up to `MOST_USES`. O(branches). (LLVM's `LazyValueInfo` knows ranges alone, and `computeKnownBits` with the
//! branches above does the same for powers of two.)

use crate::analysis::Dominators;
use crate::analysis::conditions::comparison;
use crate::ir::{Block, Body, Flags, Inst, IntPred, Op, Value};

/// Uses of a dividend that are looked at.
const MOST_USES: usize = 16;

/// Marks what is exact where the branch at the end of a block says so; true if something is.
pub(super) fn mark(f: &mut Body, dominators: &Dominators, b: Block) -> bool {
    let Some((x, divisor, to)) = f.terminator(b).and_then(|branch| known(f, branch)) else { return false };
    let is_exact = |&i: &Inst| {
        f.op(i) == Op::SDiv
            && f.arg(i, 0) == Value::inst(x)
            && !f.flags(i).has(Flags::EXACT)
            && f.as_int(f.arg(i, 1)).and_then(|by| divisor.checked_rem(by)) == Some(0)
            && f.block_of(i).is_some_and(|at| dominators.dominates(to, at))
    };
    let mut found = [None; MOST_USES];
    let uses = f.uses(x).take(MOST_USES).map(|u| u.user).filter(is_exact);
    found.iter_mut().zip(uses).for_each(|(to, i)| *to = Some(i));
    for i in found.into_iter().flatten() {
        f.set_flags(i, Flags::EXACT);
    }
    found[0].is_some()
}

/// A value, what divides it without a remainder, and the block from which on that is so.
fn known(f: &Body, branch: Inst) -> Option<(Inst, i64, Block)> {
    if f.op(branch) != Op::CondBr {
        return None;
    }
    let (pred, rest, zero) = comparison(f, f.arg(branch, 0).as_inst()?)?;
    let (rest, (yes, no)) = (rest.as_inst()?, f.ways(branch));
    let e = match pred {
        IntPred::Eq => yes,
        IntPred::Ne => no,
        _ => return None,
    };
    let to = f.edge_to(e);
    if f.as_int(zero) != Some(0) || f.preds(to) != [e] {
        return None;
    }
    let &[x, by] = f.args(rest) else { return None };
    let by = f.as_int(by)?;
    let divisor = match f.op(rest) {
        Op::SRem if by > 0 => by,
        Op::And if by > 0 && by.count_ones() == by.trailing_ones() => by.checked_add(1)?,
        _ => return None,
    };
    Some((x.as_inst()?, divisor, to))
}

#[cfg(test)]
mod tests {
    use crate::opt::flow::implied::IMPLIED;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    /// A quotient where a question has been answered so, and one where it has not.
    fn text(asked: &str, pred: &str, (yes, no): (&str, &str)) -> String {
        format!(
            "define i32 @f(i32 %p) {{
             entry:
               %x = mul i32 %p, 7
               %r = {asked}
               %c = icmp {pred} i32 %r, 0
               br i1 %c, label %yes, label %no
             yes:
               %q = {yes}
               br label %end
             no:
               %s = {no}
               br label %end
             end:
               %t = phi i32 [ %q, %yes ], [ %s, %no ]
               %u = sdiv i32 %x, 2
               %v = add i32 %t, %u
               ret i32 %v
             }}"
        )
    }

    #[test]
    fn a_quotient_behind_a_test_of_its_remainder_is_exact() {
        for (asked, by) in
            [("srem i32 %x, 6", 3), ("srem i32 %x, 6", -6), ("and i32 %x, 7", 8), ("and i32 %x, 7", 2)]
        {
            let [plain, exact] = ["", "exact "].map(|word| format!("sdiv {word}i32 %x, {by}"));
            let other = "sdiv i32 %x, 1000";
            rewrites(&IMPLIED, &text(asked, "eq", (&plain, other)), &text(asked, "eq", (&exact, other)));
            rewrites(&IMPLIED, &text(asked, "ne", (other, &plain)), &text(asked, "ne", (other, &exact)));
        }
    }

    #[test]
    fn what_leaves_a_remainder_stays() {
        for (asked, pred, yes) in [
            ("srem i32 %x, 6", "eq", "sdiv i32 %x, 4"),
            ("srem i32 %x, 6", "eq", "sdiv i32 %p, 3"),
            ("srem i32 %x, 6", "ne", "sdiv i32 %x, 3"),
            ("srem i32 %x, 6", "slt", "sdiv i32 %x, 3"),
            ("and i32 %x, 6", "eq", "sdiv i32 %x, 2"),
            ("and i32 %x, 7", "eq", "sdiv i32 %x, 16"),
            ("and i32 %x, 7", "eq", "udiv i32 %x, 8"),
        ] {
            leaves_alone(&IMPLIED, &text(asked, pred, (yes, "sdiv i32 %x, 1000")));
        }
    }

    #[test]
    fn what_divides_may_be_as_large_as_there_are_numbers() {
        // A power of two that no signed number of 64 bits is, and a quotient that may not be one.
        let wide = |yes: &str, mask: &str| {
            text(&format!("and i32 %x, {mask}"), "eq", (yes, "sdiv i32 %x, 3")).replace("i32", "i64")
        };
        leaves_alone(&IMPLIED, &wide("sdiv i32 %x, -1", "9223372036854775807"));
        leaves_alone(&IMPLIED, &wide("sdiv i32 %x, -9223372036854775808", "9223372036854775807"));
        let exact = |word: &str| wide(&format!("sdiv {word}i32 %x, -4"), "4611686018427387903");
        rewrites(&IMPLIED, &exact(""), &exact("exact "));
    }
}
