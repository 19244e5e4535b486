//! A loop that goes on until two variables meet, one that goes up by one and one that goes down by one, goes on until the
//! first of them is where they meet. So it is known how often it goes round.
//!
//! ```text
//! if (i < j)                               if (i < j) {
//!   do {                                     middle = i + (j - i) - (j - i) / 2;
//!     ...                                    do {
//!     i++; j--;                                ...
//!   } while (i < j);                           i++; j--;
//!                                            } while (i < middle);
//!                                          }
//! ```
//!
//! A round begins with i < j, so neither wraps around in it. The distance d that they begin with is from 1 to 2^32 - 1, and
//! there is another round behind k of them if 2 k < d: if k is less than d / 2 rounded up. The middle is not above j, so it
//! does not wrap around either. O(phis of loop headers).

use crate::analysis::conditions::compares_either_way;
use crate::analysis::simple_loop::SimpleLoop;
use crate::ir::{At, Body, Inst, IntPred, Op, Type, Value};
use crate::opt::run::pass::FuncCx;

/// A test of two variables.
struct Meeting {
    compare: Inst,
    /// How the one that goes up compares with the other one, in the next round.
    pred: IntPred,
    /// What the first one is next.
    next: Value,
    /// What they are in the first round.
    begin: [Value; 2],
    at: At,
}

/// Lets tests of two variables ask for the middle of them; true if there was one.
pub(super) fn meet_in_the_middle(cx: &mut FuncCx) -> bool {
    let f = &*cx.f;
    let loops = cx.analyses.loops.header.keys();
    let found: Vec<Meeting> = loops.filter_map(|l| meeting(&cx.analyses.simple_loop(f, l)?)).collect();
    for meeting in &found {
        replace(cx.f, meeting);
    }
    !found.is_empty()
}

fn meeting(around: &SimpleLoop) -> Option<Meeting> {
    let f = around.f;
    let (compare, goes_on) = around.comparison(around.latch)?;
    let &[x, y] = f.args(compare) else { return None };
    if f.type_of(x) != Type::I32 || around.is_outside(x) || around.is_outside(y) {
        return None;
    }
    let steps = |next: Value| {
        f.phis(around.header).find_map(|phi| {
            let (first, to) = around.phi(Value::inst(phi)).filter(|phi| phi.1 == next)?;
            Some((first, f.as_int(around.added(to, Value::inst(phi))?)?))
        })
    };
    let pred = IntPred::from_payload(f.payload(compare));
    let (next, pred, goes_on, begin) = match (steps(x)?, steps(y)?) {
        ((up, 1), (down, -1)) => (x, pred, goes_on, [up, down]),
        ((down, -1), (up, 1)) => (y, pred.swapped(), goes_on.swapped(), [up, down]),
        _ => return None,
    };
    let is_ahead = match begin.map(|v| f.as_int(v)) {
        [Some(up), Some(down)] => up < down,
        _ => {
            let asked = (IntPred::Slt, begin[0], begin[1]);
            compares_either_way(f, around.dominators, around.preheader, asked) == Some(true)
        }
    };
    // What goes on behind the middle may go on until a variable wraps around.
    let fits = is_ahead && goes_on == IntPred::Slt;
    let at = At::BeforeTerminator(around.preheader);
    fits.then_some(Meeting { compare, pred, next, begin, at })
}

fn replace(f: &mut Body, meeting: &Meeting) {
    let &Meeting { compare, pred, next, begin: [up, down], at } = meeting;
    let place = f.place(compare);
    let one = f.int(1);
    let mut make = |op: Op, a: Value, b: Value| match f.fold(op, Type::I32, 0, &[a, b]) {
        Some(v) => v,
        None => Value::inst(f.insert(at, op, Type::I32, &[a, b], 0, place)),
    };
    let apart = make(Op::Sub, down, up);
    let half = make(Op::LShr, apart, one);
    let rounds = make(Op::Sub, apart, half);
    let middle = make(Op::Add, up, rounds);
    let test = f.insert(At::Before(compare), Op::ICmp, Type::I1, &[next, middle], pred as u32, place);
    f.replace(compare, Value::inst(test));
}

#[cfg(test)]
mod tests {
    use crate::ir::parse::parse;
    use crate::ir::print;
    use crate::opt::loops::split_loops::SPLIT_LOOPS;
    use crate::opt::run::testing::{apply, leaves_alone, run};

    /// A loop of two variables that count how often it goes round, by what they step, and how they compare; `main` runs it for
    /// numbers that are far apart, near, and in the wrong order.
    fn text(guard: &str, [up, down]: [i32; 2], test: &str) -> String {
        let mut text = format!(
            "declare void @putint(i32) memory(inaccessiblemem: readwrite)
             define internal void @f(i32 %p, i32 %q) {{
             entry:
               %guard = icmp {guard}
               br i1 %guard, label %front, label %out
             front:
               br label %loop
             loop:
               %i = phi i32 [ %p, %front ], [ %k, %next ]
               %j = phi i32 [ %q, %front ], [ %l, %next ]
               %s = phi i32 [ 0, %front ], [ %t, %next ]
               %t = add i32 %s, 1
               %far = icmp sgt i32 %t, 90
               br i1 %far, label %behind, label %next
             next:
               %k = add i32 %i, {up}
               %l = add i32 %j, {down}
               %c = icmp {test}
               br i1 %c, label %loop, label %behind
             behind:
               %u = phi i32 [ %t, %next ], [ -1, %loop ]
               %x = phi i32 [ %k, %next ], [ 5, %loop ]
               %y = phi i32 [ %l, %next ], [ 7, %loop ]
               call void @putint(i32 %u)
               call void @putint(i32 %x)
               call void @putint(i32 %y)
               br label %out
             out:
               ret void
             }}
             define i32 @main() {{\n"
        );
        let (min, max) = (i32::MIN, i32::MAX);
        for (p, q) in
            [(0, 7), (0, 8), (3, 4), (3, 3), (4, 3), (min, max), (max - 5, max), (min, min + 6), (-9, 60)]
        {
            text += &format!("call void @f(i32 {p}, i32 {q})\n");
        }
        text + "ret i32 0\n}"
    }

    #[test]
    fn a_loop_goes_on_to_the_middle() {
        for (guard, steps, test) in [
            ("slt i32 %p, %q", [1, -1], "slt i32 %k, %l"),
            ("slt i32 %p, %q", [1, -1], "sgt i32 %l, %k"),
            ("sgt i32 %q, %p", [1, -1], "slt i32 %k, %l"),
        ] {
            let before = parse(&text(guard, steps, test)).unwrap();
            let mut module = before.clone();
            assert!(apply(&SPLIT_LOOPS, &mut module), "{test}");
            let have = print::module(&module);
            assert!(have.contains("lshr i32"), "{have}");
            assert_eq!(run(&module, ""), run(&before, ""), "{have}");
        }
    }

    #[test]
    fn variables_that_may_pass_each_other_or_wrap_around_keep_their_test() {
        for (guard, steps, test) in [
            // What they begin with is not known, or may be equal.
            ("slt i32 %p, 5", [1, -1], "slt i32 %k, %l"),
            ("sle i32 %p, %q", [1, -1], "slt i32 %k, %l"),
            // Steps that go over the other one, and tests that it would take to be different.
            ("slt i32 %p, %q", [2, -1], "slt i32 %k, %l"),
            ("slt i32 %p, %q", [1, 1], "slt i32 %k, %l"),
            ("slt i32 %p, %q", [1, -1], "sle i32 %k, %l"),
            ("slt i32 %p, %q", [1, -1], "ne i32 %k, %l"),
            ("slt i32 %p, %q", [1, -1], "ult i32 %k, %l"),
            ("slt i32 %p, %q", [1, -1], "slt i32 %i, %l"),
        ] {
            leaves_alone(&SPLIT_LOOPS, &text(guard, steps, test));
        }
    }

    #[test]
    fn the_way_on_is_while_they_have_not_met() {
        let before = text("slt i32 %p, %q", [1, -1], "sge i32 %k, %l");
        // Left where the first one is below: the second one may wrap around before.
        leaves_alone(&SPLIT_LOOPS, &before);
        leaves_alone(&SPLIT_LOOPS, &text("slt i32 %p, %q", [1, -1], "sle i32 %l, %k"));
        let mut module = parse(&before.replace(
            "label %loop, label %behind\n             behind",
            "label %behind, label %loop\n             behind",
        ))
        .unwrap();
        let before = module.clone();
        assert!(apply(&SPLIT_LOOPS, &mut module));
        assert_eq!(run(&module, ""), run(&before, ""));
    }
}
