//! What is asked in front of a loop, where it is not known before: whether accesses of one vector's rounds meet.
//!
//! | accesses | the question |
//! | --- | --- |
//! | that move on by the same | are they at least a vector apart |
//! | one that stays, and one that moves on | does the first lie outside of what the other goes over |
//! | one that goes up, and one that goes down | do they meet behind the last round, or not at all |

use super::Why;
use crate::analysis::dependence::{Access, Direction, Nest};
use crate::analysis::simple_loop::SimpleLoop;
use crate::analysis::trips::TripCount;
use crate::ir::{At, Block, Body, IntPred, Op, Place, Type, Value};
use crate::opt::loops::exit_values::count;
use crate::opt::loops::first_iteration::{Part, make, parts};
use crate::opt::loops::remainder::compare;

/// Questions that are asked, at most.
const MOST_CHECKS: usize = 6;

/// A question about two addresses in the first round.
pub(super) struct Check {
    first: (Vec<Part>, Value),
    second: (Vec<Part>, Value),
    asks: Asks,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Asks {
    /// So many bytes apart, or more.
    Apart(i64),
    /// Outside of so many rounds by 4 bytes.
    Outside(TripCount),
    /// So many rounds by 4 bytes up and down lead over different memory.
    Across(TripCount),
}

impl Check {
    /// True if one of the two is the same in all rounds.
    pub(super) fn is_for_one(&self) -> bool {
        matches!(self.asks, Asks::Outside(_))
    }
}

/// What has to be asked so that no two accesses of the rounds of one vector meet where the later one would come first,
/// and nothing is stored where one value is loaded for all.
pub(super) fn checks(
    simple: &SimpleLoop,
    (nest, accesses): (&Nest, &[Access]),
    (trips, lanes): (Option<TripCount>, u32),
) -> Result<Vec<Check>, Why> {
    let f = simple.f;
    let why = "accesses of its rounds may meet in another order";
    let later = [Direction::Later(i64::from(lanes) - 1)];
    let any = [Direction::Any];
    let address = |access: &Access| match f.op(access.inst) {
        Op::Load => f.arg(access.inst, 0),
        _ => f.arg(access.inst, 1),
    };
    let mut checks: Vec<Check> = Vec::new();
    let mut asked: Vec<(Value, Value)> = Vec::new();
    for (k, a) in accesses.iter().enumerate() {
        for b in &accesses[..=k] {
            if !a.is_write && !b.is_write {
                continue;
            }
            let strides = [nest.stride(a, 0).ok_or(why)?, nest.stride(b, 0).ok_or(why)?];
            let is_one = strides.contains(&0);
            // What stands behind in an earlier round, and what stands before in a later one.
            let meets = if is_one { nest.may_meet(a, b, &any) } else { nest.may_meet(a, b, &later) };
            if !meets {
                continue;
            }
            // What goes up comes first.
            let is_second = strides[0] == 0 || strides == [-4, 4];
            let (moving, fixed) = if is_second { (b, a) } else { (a, b) };
            let asks = match (strides, trips) {
                ([x, y], _) if x == y && x != 0 && nest.lead(a, b, 0).is_none() => {
                    Asks::Apart(x.abs() * i64::from(lanes - 1) + 3)
                }
                ([0, 4] | [4, 0], Some(trips)) => Asks::Outside(trips),
                ([4, -4] | [-4, 4], Some(trips)) => Asks::Across(trips),
                _ => return Err(why),
            };
            let pair = (address(moving), address(fixed));
            if matches!(asks, Asks::Outside(_)) && is_row_of(f, pair.0, pair.1) {
                return Err("what it loads for all rounds lies in the row that it stores to");
            }
            if asked.contains(&pair) {
                continue;
            }
            asked.push(pair);
            let of = |v: Value| parts(*simple, v).map(|parts| (parts, v)).ok_or(why);
            checks.push(Check { first: of(pair.0)?, second: of(pair.1)?, asks });
        }
    }
    if checks.len() > MOST_CHECKS { Err("too many accesses may meet") } else { Ok(checks) }
}

/// True if two addresses have all subscripts in common but the last, or a part of that: `d[i][j]` and `d[i][k]`. Then one is
/// mostly not outside of what the other goes over.
fn is_row_of(f: &Body, a: Value, b: Value) -> bool {
    let parts = |v: Value, op: Op| v.as_inst().filter(|&i| f.op(i) == op).map(|i| f.args(i));
    let (Some(x), Some(y)) = (parts(a, Op::ElemAddr), parts(b, Op::ElemAddr)) else { return false };
    let (Some((p, x)), Some((q, y))) = (x.split_last(), y.split_last()) else { return false };
    if x != y {
        return false;
    }
    let in_common = || {
        let (Some(p), Some(q)) = (parts(*p, Op::Add), parts(*q, Op::Add)) else { return false };
        p.iter().any(|v| !v.is_constant() && q.contains(v))
    };
    x.len() > 1 || parts(x[0], Op::ElemAddr).is_some() || in_common()
}

/// Asks all of them in front of a loop. An address is a number of the first of the types, and its low bits, of the
/// second, are compared.
pub(super) fn ask(
    f: &mut Body,
    in_front: Block,
    (checks, [wide, word]): (&[Check], [Type; 2]),
    place: Place,
) -> Option<Value> {
    let at = At::BeforeTerminator(in_front);
    let mut all: Option<Value> = None;
    for check in checks {
        let number = |f: &mut Body, (parts, v): &(Vec<Part>, Value)| {
            let address = make(f, in_front, &mut parts.clone(), *v);
            let number = Value::inst(f.insert(at, Op::PtrToInt, wide, &[address], 0, place));
            if wide == word {
                return number;
            }
            Value::inst(f.insert(at, Op::Trunc, word, &[number], 0, place))
        };
        let (moving, fixed) = (number(f, &check.first), number(f, &check.second));
        let apart = Value::inst(f.insert(at, Op::Sub, word, &[fixed, moving], 0, place));
        let answer = match check.asks {
            Asks::Apart(bytes) => {
                let (by, most) = (f.int_of(word, bytes), f.int_of(word, 2 * bytes));
                let sum = Value::inst(f.insert(at, Op::Add, word, &[apart, by], 0, place));
                compare(f, (at, place), IntPred::Ugt, sum, most)
            }
            Asks::Outside(trips) | Asks::Across(trips) => {
                let rounds = count(f, (at, place), trips);
                let rounds = match f.number(rounds) {
                    Some(rounds) => f.int_of(word, rounds.unsigned() as i64),
                    None if f.type_of(rounds) == word => rounds,
                    None => Value::inst(f.insert(at, Op::ZExt, word, &[rounds], 0, place)),
                };
                // What four times so many bytes are may be no word.
                let two = f.int_of(word, 2);
                let mut words = Value::inst(f.insert(at, Op::LShr, word, &[apart, two], 0, place));
                if matches!(check.asks, Asks::Across(_)) {
                    // Both go so far that the first word of the last round lies below the other one, so twice as many
                    // rounds are at most one word more. What lies below at once is many words away without a sign.
                    let one = f.int_of(word, 1);
                    let more = Value::inst(f.insert(at, Op::Add, word, &[words, one], 0, place));
                    words = Value::inst(f.insert(at, Op::LShr, word, &[more, one], 0, place));
                }
                compare(f, (at, place), IntPred::Uge, words, rounds)
            }
        };
        all = Some(match all {
            Some(others) => Value::inst(f.insert(at, Op::And, Type::I1, &[others, answer], 0, place)),
            None => answer,
        });
    }
    all
}
