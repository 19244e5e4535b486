//! Sums of sums, taken together: each 32-bit sum, difference and product by a constant is a constant and a
//! few terms with factors. Where terms meet that are equal, or opposite, the sum is computed from what
//! remains, if that takes fewer instructions than die with it: a - (a + b) + b - (a + b) is 0 - a - b.
//!
//! One walk in reverse postorder, again while something has changed; O(sums), of a few terms
//! each (`analysis/sum`); one of more is a term of others. Terms are in the order in which their values were made, so that equal sums are made alike and value
//! numbering sees them. Everything wraps, so any order will do; floats are left alone.
//! (Linear forms are common; this one counts what dies in a graph, where trees of single uses would not do.)
//!
//! Absent: products of variables, factoring, operands that do not vary in a loop brought together.

use crate::analysis::sum::{Sum, summands};
use crate::base::Column;
use crate::ir::{At, Body, Env, Inst, Op, Type, Value};
use crate::opt::run::analyses::AnalysisSet;
use crate::opt::run::pass::{FuncCx, FuncPass, Outcome, with_memory};

/// The pass.
pub static REASSOCIATE: FuncPass = FuncPass {
    name: "reassociate",
    description: "compute sums without the terms that are equal or opposite in them",
    needs: AnalysisSet::ORDER,
    run: |cx| with_memory(cx, run),
};

/// Instructions that are looked at to see what dies with a sum.
const MOST_DEAD: usize = 24;
/// Walks.
const MOST_ROUNDS: u32 = 4;

/// What a value is the sum of, modulo 2^32.
#[derive(Copy, Clone, Debug)]
struct Form {
    sum: Sum<Value>,
    /// Terms have met in it, or in what it is made of.
    met: bool,
}

#[derive(Debug, Default)]
struct Scratch {
    /// Per instruction: its form in `forms`, plus one; 0 if it is a leaf.
    of: Column<Inst, u32>,
    forms: Vec<Form>,
    /// What would die, and what has been counted of the uses of others.
    dead: Vec<Inst>,
    counted: Vec<(Inst, usize)>,
}

#[inline(never)]
fn run(cx: &mut FuncCx, s: &mut Scratch) -> Outcome {
    let mut changed = false;
    for _ in 0..MOST_ROUNDS {
        if !walk(cx, s) {
            break;
        }
        changed = true;
    }
    Outcome::changed_if(changed, AnalysisSet::CFG).listed()
}

fn walk(cx: &mut FuncCx, s: &mut Scratch) -> bool {
    s.of.reset(cx.f.inst_count(), 0);
    s.forms.clear();
    let mut changed = false;
    for k in 0..cx.analyses.order.blocks.len() {
        let mut next = cx.f.first(cx.analyses.order.blocks[k]);
        while let Some(i) = next {
            next = cx.f.next(i);
            let Some(form) = s.form(cx.env, cx.f, i) else { continue };
            if form.met && s.dies(cx.f, i, &form) > form.cost() {
                replace(cx, s, i, &form);
                changed = true;
            } else {
                s.note(i, form);
            }
        }
    }
    changed
}

/// Puts a new sum in the place of an instruction, and removes what dies with it.
fn replace(cx: &mut FuncCx, s: &mut Scratch, i: Inst, form: &Form) {
    let v = build(cx.f, i, form);
    if let Some(root) = v.as_inst().filter(|&root| !form.leaves().any(|leaf| leaf == Value::inst(root))) {
        s.of.grow_to(cx.f.inst_count(), 0);
        s.note(root, Form { met: false, ..*form });
    }
    cx.scratch.changes.replace(cx.f, i, v);
    for &dead in s.dead.iter().skip(1) {
        if !cx.f.has_uses(dead) {
            for &operand in cx.f.args(dead) {
                cx.scratch.changes.loses_use(cx.f, operand);
            }
            cx.f.remove(dead);
        }
    }
}

/// Makes a sum in front of an instruction.
fn build(f: &mut Body, i: Inst, form: &Form) -> Value {
    let place = f.place(i);
    let make =
        |f: &mut Body, op, a, b| Value::inst(f.insert(At::Before(i), op, Type::I32, &[a, b], 0, place));
    let mut sum: Option<Value> = None;
    let mut constant = form.sum.constant() as i32;
    // Those that are added come first, so that there is something to subtract from.
    for &(leaf, by) in form.sum.terms().iter().filter(|term| term.1 != -1) {
        let term = match by {
            1 => leaf,
            _ => {
                let by = f.int(by as i32);
                make(f, Op::Mul, leaf, by)
            }
        };
        sum = Some(sum.map_or(term, |sum| make(f, Op::Add, sum, term)));
    }
    for &(leaf, _) in form.sum.terms().iter().filter(|term| term.1 == -1) {
        let from = sum.unwrap_or_else(|| f.int(std::mem::take(&mut constant)));
        sum = Some(make(f, Op::Sub, from, leaf));
    }
    let rest = f.int(constant);
    match sum {
        Some(sum) if constant != 0 => make(f, Op::Add, sum, rest),
        sum => sum.unwrap_or(rest),
    }
}

impl Form {
    fn leaves(&self) -> impl Iterator<Item = Value> + '_ {
        self.sum.terms().iter().map(|term| term.0)
    }

    /// Instructions that it takes.
    fn cost(&self) -> usize {
        let terms = self.sum.terms();
        let products = terms.iter().filter(|term| !matches!(term.1, 1 | -1)).count();
        let has_first = self.sum.constant() != 0 || terms.iter().any(|term| term.1 != -1);
        let summands = terms.len() + usize::from(self.sum.constant() != 0);
        products + summands - usize::from(has_first && summands > 0)
    }
}

impl Scratch {
    fn note(&mut self, i: Inst, form: Form) {
        self.forms.push(form);
        self.of[i] = self.forms.len() as u32;
    }

    /// What is known of a value that is no leaf.
    fn known(&self, v: Value) -> Option<&Form> {
        let at = self.of.get(v.as_inst()?).filter(|&&at| at != 0)?;
        self.forms.get(*at as usize - 1)
    }

    /// The form of a sum, a difference or a product by a constant.
    fn form(&self, env: &Env, f: &Body, i: Inst) -> Option<Form> {
        match f.op(i) {
            Op::Add | Op::Sub => self.added(env, f, i, false).or_else(|| self.added(env, f, i, true)),
            Op::Mul | Op::Shl => self.added(env, f, i, false),
            _ => None,
        }
    }

    /// That, of operands that are taken apart, unless they are many times a sum; or of operands as they are.
    fn added(&self, env: &Env, f: &Body, i: Inst, whole: bool) -> Option<Form> {
        let mut sum = Sum::number(0);
        let (mut met, mut terms, mut numbers) = (false, 0, 0);
        summands(env, f, i, |v, by| {
            let fits = |form: &&Form| !whole && (matches!(by, 1 | -1) || form.sum.terms().len() < 2);
            let number = match (self.known(v).filter(fits), f.as_int(v)) {
                (Some(form), _) => {
                    met |= form.met;
                    terms += form.sum.terms().len();
                    sum.add_all(&form.sum, by)?;
                    form.sum.constant()
                }
                (None, Some(x)) => {
                    sum.add_number(x.checked_mul(by)?)?;
                    x
                }
                (None, None) => {
                    terms += 1;
                    sum.add(v, by)?;
                    0
                }
            };
            numbers += usize::from(number != 0);
            Some(())
        })?;
        sum.wrap();
        met |= numbers > 1 || sum.terms().len() < terms;
        Some(Form { sum, met })
    }

    /// How many instructions die if `i` is computed from `form`; they are in `dead`.
    fn dies(&mut self, f: &Body, i: Inst, form: &Form) -> usize {
        self.dead.clear();
        self.counted.clear();
        self.dead.push(i);
        let mut at = 0;
        while at < self.dead.len() && self.dead.len() < MOST_DEAD {
            for &v in f.args(self.dead[at]) {
                let Some(operand) = v.as_inst().filter(|&o| self.of.get(o).is_some_and(|&form| form != 0))
                else {
                    continue;
                };
                if form.leaves().any(|leaf| leaf == v) {
                    continue;
                }
                let place = self.counted.iter().position(|&(known, _)| known == operand);
                let place = place.unwrap_or_else(|| {
                    self.counted.push((operand, f.use_count(operand)));
                    self.counted.len() - 1
                });
                self.counted[place].1 -= 1;
                if self.counted[place].1 == 0 {
                    self.dead.push(operand);
                }
            }
            at += 1;
        }
        self.dead.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opt::run::testing::{leaves_alone, rewrites};

    #[test]
    fn opposite_terms_cancel_although_what_has_them_is_used_twice() {
        rewrites(
            &REASSOCIATE,
            "define i32 @f(i32 %x, i32 %y) {
               %s = add i32 %x, %y
               %a = sub i32 %x, %s
               %b = add i32 %a, %y
               %t = add i32 %y, %x
               %c = sub i32 %b, %t
               %d = sub i32 5, %c
               ret i32 %d
             }",
            "define i32 @f(i32 %x, i32 %y) {
               %t = add i32 %y, %x
               %c = sub i32 0, %t
               %d = sub i32 5, %c
               ret i32 %d
             }",
        );
    }

    #[test]
    fn constants_meet_over_other_terms() {
        rewrites(
            &REASSOCIATE,
            "define i32 @f(i32 %x, i32 %y) {
               %a = add i32 %x, 3
               %b = mul i32 %y, 4
               %c = add i32 %b, 7
               %d = sub i32 %a, %c
               %e = sub i32 %d, %y
               ret i32 %e
             }",
            "define i32 @f(i32 %x, i32 %y) {
               %a = mul i32 %y, -5
               %b = add i32 %x, %a
               %c = add i32 %b, -4
               ret i32 %c
             }",
        );
    }

    #[test]
    fn what_is_used_elsewhere_stays_and_floats_do() {
        leaves_alone(
            &REASSOCIATE,
            "define i32 @f(i32 %x, i32 %y) {
               %a = add i32 %x, 3
               %b = add i32 %y, 4
               %c = add i32 %a, %b
               %d = mul i32 %a, %b
               %e = mul i32 %d, %c
               ret i32 %e
             }
             define float @g(float %x, float %y) {
               %a = fadd float %x, %y
               %b = fsub float %a, %x
               ret float %b
             }",
        );
    }

    #[test]
    fn what_is_left_is_subtracted_from_the_constant() {
        let text = |lines: &str| format!("define i32 @f(i32 %a, i32 %b) {{\n{lines}\nret i32 %r\n}}");
        rewrites(
            &REASSOCIATE,
            &text("%s = add i32 %a, 5\n%t = add i32 %a, %b\n%r = sub i32 %s, %t"),
            &text("%r = sub i32 5, %b"),
        );
    }
}
