//! Sums of values in loops, compared with what the interpreter finds them to be.

use super::*;
use crate::analysis::Dominators;
use crate::ir::parse::parse;
use crate::ir::{Module, print};

struct Known {
    module: Module,
    loops: Loops,
    evolution: Evolution,
}

fn known(text: &str) -> Known {
    let module = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let f = module.nth(0);
    let (mut order, mut dominators, mut loops) = (Order::default(), Dominators::default(), Loops::default());
    order.compute(f);
    dominators.compute(f, &order);
    loops.compute(f, &order, &dominators);
    let mut evolution = Evolution::default();
    evolution.compute(&module.env, f, &order, &loops);
    Known { module, loops, evolution }
}

impl Known {
    /// The sum of the operand of the n-th call, as text.
    fn passed(&self, n: usize) -> String {
        let f = self.module.nth(0);
        let call = f.ops().filter(|&(_, op)| op == Op::Call).nth(n).map(|(i, _)| i);
        let passed = call.and_then(|i| f.args(i).first()?.as_inst());
        let Some(sum) = passed.and_then(|i| self.evolution.of(i)) else { return "?".to_string() };
        let atom = |atom: Atom| match atom {
            Atom::Value(v) => match v.as_inst() {
                Some(i) => f.params().position(|p| p == i).map_or("v".to_string(), |k| format!("p{k}")),
                None => "g".to_string(),
            },
            Atom::Trip(l) => format!("trip{}", l.index()),
            Atom::Pairs(l) => format!("pairs{}", l.index()),
        };
        let mut terms: Vec<String> = sum
            .terms()
            .iter()
            .map(|&(product, factor)| {
                let mut atoms: Vec<String> = self.evolution.atoms(product).map(atom).collect();
                atoms.sort();
                format!("{factor} {}", atoms.join(" "))
            })
            .collect();
        terms.sort();
        std::iter::once(sum.constant().to_string()).chain(terms).collect::<Vec<_>>().join(" + ")
    }
}

/// A loop of these lines, within another one that counts %o.
fn nest(phis: &str, lines: &str) -> Known {
    known(&format!(
        "@g = internal global [9 x [10 x i32]] zeroinitializer
         declare void @see(i32)
         declare void @point(ptr)
         define void @f(i32 %a, i32 %n, ptr %p, i32 %b) {{
         entry:
           br label %outer
         outer:
           %o = phi i32 [ 7, %entry ], [ %oo, %behind ]
           br label %head
         head:
           %i = phi i32 [ %a, %outer ], [ %j, %head ]
           {phis}
           {lines}
           %j = add i32 %i, 2
           %c = icmp slt i32 %j, %n
           br i1 %c, label %head, label %behind
         behind:
           %oo = add i32 %o, 1
           %d = icmp slt i32 %oo, %n
           br i1 %d, label %outer, label %out
         out:
           ret void
         }}"
    ))
}

#[test]
fn values_are_sums_over_the_number_of_the_round() {
    for (phis, lines, want) in [
        ("", "call void @see(i32 %i)", "0 + 1 p0 + 2 trip1"),
        ("", "%x = mul i32 %i, %n\n%y = add i32 %x, 3\ncall void @see(i32 %y)", "3 + 1 p0 p1 + 2 p1 trip1"),
        ("", "%x = shl i32 %i, 3\n%y = sub i32 5, %x\ncall void @see(i32 %y)", "5 + -16 trip1 + -8 p0"),
        ("", "%x = sub i32 %i, %i\ncall void @see(i32 %x)", "0"),
        // A value from outside is taken as it is, but for numbers.
        ("", "%x = add i32 %o, %i\ncall void @see(i32 %x)", "0 + 1 p0 + 1 v + 2 trip1"),
        ("", "%x = mul i32 %i, %i\ncall void @see(i32 %x)", "0 + 1 p0 p0 + 4 p0 trip1 + 4 trip1 trip1"),
        (
            "%s = phi i32 [ 0, %outer ], [ %t, %head ]",
            "%t = add i32 %s, %i\ncall void @see(i32 %s)",
            "0 + 1 p0 trip1 + 2 pairs1",
        ),
        (
            "%s = phi i32 [ %b, %outer ], [ %t, %head ]",
            "%u = sub i32 %s, %n\n%t = add i32 %u, 1\ncall void @see(i32 %t)",
            "1 + -1 p1 + -1 p1 trip1 + 1 p3 + 1 trip1",
        ),
        (
            "%s = phi ptr [ %p, %outer ], [ %t, %head ]",
            "%t = getelementptr inbounds i32, ptr %s, i32 3\ncall void @point(ptr %t)",
            "12 + 1 p2 + 12 trip1",
        ),
        (
            "",
            "%x = getelementptr inbounds [9 x [10 x i32]], ptr @g, i32 0, i32 %i, i32 1\ncall void @point(ptr %x)",
            "4 + 1 g + 40 p0 + 80 trip1",
        ),
        // What is doubled in each round, changes its sign, or goes up by what is loaded, is no recurrence.
        ("%s = phi i32 [ 1, %outer ], [ %t, %head ]", "%t = sub i32 %n, %s\ncall void @see(i32 %s)", "?"),
        ("%s = phi i32 [ 1, %outer ], [ %t, %head ]", "%t = add i32 %s, %s\ncall void @see(i32 %s)", "?"),
        (
            "%s = phi i32 [ 1, %outer ], [ %t, %head ]",
            "%l = load i32, ptr %p\n%t = add i32 %s, %l\ncall void @see(i32 %t)",
            "0 + 1 v + 1 v",
        ),
    ] {
        let known = nest(phis, lines);
        assert_eq!(known.passed(0), want, "{}", print::module(&known.module));
    }
}

#[test]
fn what_a_sum_goes_up_by_is_a_number_or_it_is_not_known() {
    let step = |lines: &str| {
        let known = nest("", lines);
        let f = known.module.nth(0);
        let call = f.ops().find(|&(_, op)| op == Op::Call).unwrap().0;
        let sum = f.arg(call, 0).as_inst().and_then(|i| known.evolution.of(i)).copied();
        let inner = known.loops.header.keys().nth(1).unwrap();
        known.evolution.step((f, &known.loops), inner, &sum.unwrap())
    };
    assert_eq!(step("%x = mul i32 %i, -3\ncall void @see(i32 %x)"), Some(-6));
    assert_eq!(step("%x = add i32 %o, %n\ncall void @see(i32 %x)"), Some(0));
    assert_eq!(step("%x = mul i32 %i, %n\ncall void @see(i32 %x)"), None);
    assert_eq!(step("%l = load i32, ptr %p\n%x = add i32 %i, %l\ncall void @see(i32 %x)"), None);
}

#[test]
fn sums_that_do_not_fit_are_values() {
    let mut lines = String::from("%x0 = add i32 %i, 1\n");
    for k in 1..9 {
        lines += &format!("%l{k} = load i32, ptr %p\n%x{k} = add i32 %x{}, %l{k}\n", k - 1);
    }
    lines += "call void @see(i32 %x8)";
    assert!(nest("", &lines).passed(0).contains('v'));
    let mut lines = String::from("%x0 = add i32 %i, 1\n");
    for k in 1..9 {
        lines += &format!("%x{k} = mul i32 %x{}, 1000000007\n", k - 1);
    }
    assert_eq!(nest("", &(lines + "call void @see(i32 %x8)")).passed(0).matches("+").count(), 1);
}
