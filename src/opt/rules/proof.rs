//! Proves the tables: by evaluation on every input at small widths, and by bit-blasting to a SAT solver at 32
//! bits.
//!
//! A pattern that is undefined for some input (a quotient by zero, a shift by too much) may be replaced by
//! anything there; a replacement must be defined wherever its pattern is.

use super::*;
use crate::ir::fold::{self, Number};
use crate::ir::{FloatPred, Type};
use batsat::{BasicSolver, Lit, SolverInterface, lbool};

/// Operations on integers of `width` bits, and on truth values, by their definition. `None` is undefined.
fn apply(op: Op, width: u32, a: u64, b: u64) -> Option<u64> {
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    let signed = |x: u64| (x << (64 - width)) as i64 >> (64 - width);
    let (sa, sb) = (signed(a), signed(b));
    let x = match op {
        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Mul => a.wrapping_mul(b),
        Op::SDiv if b != 0 => sa.wrapping_div(sb) as u64,
        Op::SRem if b != 0 => sa.wrapping_rem(sb) as u64,
        Op::UDiv if b != 0 => a / b,
        Op::URem if b != 0 => a % b,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl if b < u64::from(width) => a << b,
        Op::LShr if b < u64::from(width) => a >> b,
        Op::AShr if b < u64::from(width) => (sa >> b) as u64,
        _ => return None,
    };
    Some(x & mask)
}

fn compare(pred: IntPred, width: u32, a: u64, b: u64) -> bool {
    let signed = |x: u64| (x << (64 - width)) as i64 >> (64 - width);
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::Slt => signed(a) < signed(b),
        IntPred::Sle => signed(a) <= signed(b),
        IntPred::Sgt => signed(a) > signed(b),
        IntPred::Sge => signed(a) >= signed(b),
        IntPred::Ult => a < b,
        IntPred::Ule => a <= b,
        IntPred::Ugt => a > b,
        IntPred::Uge => a >= b,
    }
}

fn number(expr: &Expr, width: u32) -> u64 {
    let mask = (1u64 << width) - 1;
    match *expr {
        Expr::Number(x) => x as u64 & mask,
        Expr::Special(Special::Width) => u64::from(width),
        Expr::Special(Special::Min) => 1 << (width - 1),
        _ => mask >> 1,
    }
}

fn is_bool(expr: &Expr) -> bool {
    match expr {
        Expr::Bool(_) | Expr::Truth(_) | Expr::Compare(..) => true,
        Expr::Binary(_, a, _) | Expr::Select(_, a, _) => is_bool(a),
        _ => false,
    }
}

struct Input {
    width: u32,
    words: [u64; WORDS],
    bools: [u64; BOOLS],
}

fn evaluate(expr: &Expr, input: &Input) -> Option<u64> {
    let width = |a: &Expr| if is_bool(a) { 1 } else { input.width };
    match *expr {
        Expr::Word(k) | Expr::Const(k) => Some(input.words[k as usize]),
        Expr::Bool(k) => Some(input.bools[k as usize]),
        Expr::Truth(truth) => Some(u64::from(truth)),
        Expr::Number(_) | Expr::Special(_) => Some(number(expr, input.width)),
        Expr::Unary(_, a) => evaluate(a, input),
        Expr::Binary(op, a, b) => apply(op, width(a), evaluate(a, input)?, evaluate(b, input)?),
        Expr::Compare(pred, a, b) => {
            Some(u64::from(compare(pred, width(a), evaluate(a, input)?, evaluate(b, input)?)))
        }
        Expr::Select(c, a, b) => {
            let (c, a, b) = (evaluate(c, input)?, evaluate(a, input)?, evaluate(b, input)?);
            Some(if c != 0 { a } else { b })
        }
    }
}

/// Which letters a tree uses: words, then truth values.
fn letters(expr: &Expr, used: &mut [bool; WORDS + BOOLS]) {
    match *expr {
        Expr::Word(k) | Expr::Const(k) => used[k as usize] = true,
        Expr::Bool(k) => used[WORDS + k as usize] = true,
        Expr::Unary(_, a) => letters(a, used),
        Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => {
            letters(a, used);
            letters(b, used);
        }
        Expr::Select(c, a, b) => [c, a, b].map(|e| letters(e, used)).iter().for_each(drop),
        _ => {}
    }
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    TABLES.into_iter().flat_map(|(_, rules)| rules)
}

/// The first input for which the rule is wrong.
fn counterexample(rule: &Rule, width: u32) -> Option<Vec<u64>> {
    let mut used = [false; WORDS + BOOLS];
    letters(&rule.pattern, &mut used);
    let bits: Vec<(usize, u32)> =
        (0..WORDS + BOOLS).filter(|&k| used[k]).map(|k| (k, if k < WORDS { width } else { 1 })).collect();
    let total: u32 = bits.iter().map(|&(_, bits)| bits).sum();
    let mut input = Input { width, words: [0; WORDS], bools: [0; BOOLS] };
    for case in 0..1u64 << total {
        let mut rest = case;
        for &(k, bits) in &bits {
            let x = rest & ((1 << bits) - 1);
            rest >>= bits;
            if k < WORDS { input.words[k] = x } else { input.bools[k - WORDS] = x }
        }
        if evaluate(&rule.condition, &input) != Some(1) {
            continue;
        }
        let Some(want) = evaluate(&rule.pattern, &input) else { continue };
        if evaluate(&rule.result, &input) != Some(want) {
            return Some(input.words.iter().chain(&input.bools).copied().collect());
        }
    }
    None
}

fn word_count(rule: &Rule) -> usize {
    let mut used = [false; WORDS + BOOLS];
    letters(&rule.pattern, &mut used);
    letters(&rule.condition, &mut used);
    used[..WORDS].iter().filter(|&&used| used).count()
}

#[test]
fn every_rule_holds_for_all_inputs_at_small_widths() {
    for rule in rules() {
        let widths: &[u32] = match word_count(rule) {
            0..=1 => &[3, 4, 8, 12],
            2 => &[3, 4, 8, 9],
            3 => &[3, 4, 6],
            _ => &[3, 4],
        };
        for &width in widths {
            assert_eq!(counterexample(rule, width), None, "{} at {width} bits", rule.text);
        }
    }
}

#[test]
fn a_wrong_rule_is_found_out() {
    let wrong: &[Rule] = rules! {
        (SDiv (Mul x A) A) => x;
        (Add (SDiv x A) (SDiv y A)) => (SDiv (Add x y) A);
        (ICmp Sle x A) => (ICmp Slt x (Add A 1));
        (SDiv x A) => (AShr x 1) if (ICmp Eq A 2);
        (Sub 0 (SDiv x A)) => (SDiv x (Sub 0 A));
    };
    for rule in wrong {
        assert!(counterexample(rule, 4).is_some(), "{}", rule.text);
    }
    assert_eq!([0, 1, 2].map(|k| refuted(&wrong[k], 6)), [true; 3]);
}

/// The definitions above agree with the folder.
#[test]
fn the_definitions_are_those_of_the_folder() {
    let edges = [0u64, 1, 2, 3, 7, 8, 31, 32, 100, 127, 128, 200, 255];
    for a in edges {
        for b in edges {
            let [x, y] = [a, b].map(|x| Number::int(Type::I8, x as i64));
            let (a, b) = (a & 255, b & 255);
            for (op, _) in TABLES.into_iter().filter(|&(op, _)| op < Op::FAdd) {
                let have = fold::fold(op, Type::I8, 0, &[x, y]).map(|x| x.bits & 255);
                assert_eq!(have, apply(op, 8, a, b), "{op:?} {a} {b}");
            }
            for pred in IntPred::ALL {
                let have = fold::fold(Op::ICmp, Type::I1, pred as u32, &[x, y]).map(|x| x.bits);
                assert_eq!(have, Some(u64::from(compare(pred, 8, a, b))), "{pred:?} {a} {b}");
            }
        }
    }
    assert!(FloatPred::ALL.len() == 14);
}

/// Circuits over a solver: a word is its bits, lowest first.
struct Circuit {
    solver: BasicSolver,
    truth: Lit,
    words: Vec<Vec<Lit>>,
    bools: Vec<Lit>,
    width: usize,
    /// What must hold for the tree built so far to be defined.
    defined: Lit,
}

impl Circuit {
    fn new(width: usize) -> Circuit {
        let mut solver = BasicSolver::default();
        let truth = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![truth]);
        let mut circuit =
            Circuit { solver, truth, words: Vec::new(), bools: Vec::new(), width, defined: truth };
        circuit.words = (0..WORDS).map(|_| (0..width).map(|_| circuit.fresh()).collect()).collect();
        circuit.bools = (0..BOOLS).map(|_| circuit.fresh()).collect();
        circuit
    }

    fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn constant(&self, x: bool) -> Lit {
        if x { self.truth } else { !self.truth }
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == !self.truth || b == !self.truth || a == !b {
            return !self.truth;
        }
        if a == self.truth || a == b {
            return b;
        }
        if b == self.truth {
            return a;
        }
        let c = self.fresh();
        for mut clause in [vec![!c, a], vec![!c, b], vec![c, !a, !b]] {
            self.solver.add_clause_reuse(&mut clause);
        }
        c
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        if a == self.truth || a == !self.truth {
            return if a == self.truth { !b } else { b };
        }
        if b == self.truth || b == !self.truth {
            return self.xor(b, a);
        }
        if a == b || a == !b {
            return self.constant(a != b);
        }
        let c = self.fresh();
        for mut clause in [vec![!c, a, b], vec![!c, !a, !b], vec![c, !a, b], vec![c, a, !b]] {
            self.solver.add_clause_reuse(&mut clause);
        }
        c
    }

    fn choose(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        let (x, y) = (self.and(c, a), self.and(!c, b));
        self.or(x, y)
    }

    fn choose_all(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(&a, &b)| self.choose(c, a, b)).collect()
    }

    /// Sum and carry out.
    fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
        let mut sum = Vec::new();
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            let (x, y) = (self.and(a, b), self.and(half, carry));
            carry = self.or(x, y);
        }
        (sum, carry)
    }

    fn number(&self, x: u64, width: usize) -> Vec<Lit> {
        (0..width).map(|k| self.constant(x >> k & 1 != 0)).collect()
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut equal = self.truth;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            equal = self.and(equal, !differ);
        }
        equal
    }

    fn below(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if let (true, Some(x), Some(y)) = (signed, a.last_mut(), b.last_mut()) {
            (*x, *y) = (!*x, !*y);
        }
        let b: Vec<Lit> = b.iter().map(|&b| !b).collect();
        !self.add(&a, &b, self.truth).1
    }

    fn shift(&mut self, op: Op, a: &[Lit], amount: &[Lit]) -> Vec<Lit> {
        let width = a.len();
        let limit = self.number(width as u64, width);
        let in_range = self.below(amount, &limit, false);
        self.defined = self.and(self.defined, in_range);
        let mut bits = a.to_vec();
        for (k, &bit) in amount.iter().enumerate().take_while(|&(k, _)| 1 << k < width) {
            let filler = if op == Op::AShr { bits[width - 1] } else { !self.truth };
            let by = 1 << k;
            let shifted: Vec<Lit> = (0..width)
                .map(|at| match op {
                    Op::Shl => at.checked_sub(by).map_or(filler, |from| bits[from]),
                    _ => bits.get(at + by).copied().unwrap_or(filler),
                })
                .collect();
            bits = self.choose_all(bit, &shifted, &bits);
        }
        bits
    }

    fn binary(&mut self, op: Op, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let pairs = || a.iter().copied().zip(b.iter().copied());
        match op {
            Op::Add => self.add(a, b, !self.truth).0,
            Op::Sub => {
                let b: Vec<Lit> = b.iter().map(|&b| !b).collect();
                self.add(a, &b, self.truth).0
            }
            Op::Mul => {
                let mut sum = self.number(0, a.len());
                for (k, &bit) in b.iter().enumerate() {
                    let row: Vec<Lit> = (0..a.len())
                        .map(|at| at.checked_sub(k).map_or(!self.truth, |from| self.and(bit, a[from])))
                        .collect();
                    sum = self.add(&sum, &row, !self.truth).0;
                }
                sum
            }
            Op::And => pairs().map(|(a, b)| self.and(a, b)).collect(),
            Op::Or => pairs().map(|(a, b)| self.or(a, b)).collect(),
            Op::Xor => pairs().map(|(a, b)| self.xor(a, b)).collect(),
            Op::Shl | Op::LShr | Op::AShr => self.shift(op, a, b),
            _ => panic!("{op:?} has no circuit"),
        }
    }

    fn build(&mut self, expr: &Expr) -> Vec<Lit> {
        match *expr {
            Expr::Word(k) | Expr::Const(k) => self.words[k as usize].clone(),
            Expr::Bool(k) => vec![self.bools[k as usize]],
            Expr::Truth(truth) => vec![self.constant(truth)],
            Expr::Number(_) | Expr::Special(_) => self.number(number(expr, self.width as u32), self.width),
            Expr::Unary(_, a) => {
                let mut bits = self.build(a);
                bits.resize(self.width, !self.truth);
                bits
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.build(a), self.build(b));
                self.binary(op, &a, &b)
            }
            Expr::Compare(pred, a, b) => {
                let (a, b) = (self.build(a), self.build(b));
                let result = match pred {
                    IntPred::Eq => self.equal(&a, &b),
                    IntPred::Ne => !self.equal(&a, &b),
                    IntPred::Slt | IntPred::Ult => self.below(&a, &b, pred == IntPred::Slt),
                    IntPred::Sge | IntPred::Uge => !self.below(&a, &b, pred == IntPred::Sge),
                    IntPred::Sgt | IntPred::Ugt => self.below(&b, &a, pred == IntPred::Sgt),
                    IntPred::Sle | IntPred::Ule => !self.below(&b, &a, pred == IntPred::Sle),
                };
                vec![result]
            }
            Expr::Select(c, a, b) => {
                let (c, a, b) = (self.build(c)[0], self.build(a), self.build(b));
                self.choose_all(c, &a, &b)
            }
        }
    }
}

fn uses(expr: &Expr, wanted: &[Op]) -> bool {
    match *expr {
        Expr::Binary(op, a, b) => wanted.contains(&op) || uses(a, wanted) || uses(b, wanted),
        Expr::Unary(_, a) => uses(a, wanted),
        Expr::Compare(_, a, b) => uses(a, wanted) || uses(b, wanted),
        Expr::Select(c, a, b) => uses(c, wanted) || uses(a, wanted) || uses(b, wanted),
        _ => false,
    }
}

/// True if some input makes the rule wrong.
fn refuted(rule: &Rule, width: usize) -> bool {
    const QUOTIENTS: [Op; 4] = [Op::SDiv, Op::SRem, Op::UDiv, Op::URem];
    if [&rule.pattern, &rule.condition, &rule.result].iter().any(|e| uses(e, &QUOTIENTS)) {
        return counterexample(rule, width as u32).is_some();
    }
    let mut circuit = Circuit::new(width);
    let condition = circuit.build(&rule.condition)[0];
    let want = circuit.build(&rule.pattern);
    let assumed = circuit.and(condition, circuit.defined);
    circuit.defined = circuit.truth;
    let have = circuit.build(&rule.result);
    let same = circuit.equal(&want, &have);
    let right = circuit.and(same, circuit.defined);
    circuit.solver.add_clause_reuse(&mut vec![assumed]);
    circuit.solver.add_clause_reuse(&mut vec![!right]);
    circuit.solver.solve_limited(&[]) != lbool::FALSE
}

#[test]
fn every_rule_without_products_and_quotients_is_proven_at_32_bits() {
    const HARD: [Op; 5] = [Op::Mul, Op::SDiv, Op::SRem, Op::UDiv, Op::URem];
    let mut proven = 0;
    for rule in rules() {
        if [&rule.pattern, &rule.condition, &rule.result].iter().any(|e| uses(e, &HARD)) {
            continue;
        }
        assert!(!refuted(rule, 32), "{}", rule.text);
        proven += 1;
    }
    assert!(proven > 150, "{proven}");
}

#[test]
fn rules_with_sparse_products_are_proven_at_32_bits() {
    // Where few bits of one factor are set, 32 bits are no problem.
    let feasible = ["(Mulx0)", "(Mulx1)", "(Addxx)", "(Mul(ZExtp)x)"];
    let mut proven = 0;
    for rule in rules() {
        if !feasible.iter().any(|start| rule.text.replace(' ', "").starts_with(start)) {
            continue;
        }
        assert!(!refuted(rule, 32), "{}", rule.text);
        proven += 1;
    }
    assert_eq!(proven, feasible.len());
}

/// Quotients are out of reach of the solver; their constants and edges are not.
#[test]
fn rules_with_quotients_hold_at_32_bits_for_edges_and_random_numbers() {
    let mut random = crate::analysis::random::Random::new(7);
    let mut numbers: Vec<u64> = (0..32).flat_map(|k| [(1u64 << k) - 1, 1 << k, (1 << k) + 1]).collect();
    numbers.extend(numbers.clone().iter().map(|x| x.wrapping_neg()));
    for _ in 0..40 {
        numbers.push(random.below(usize::MAX) as u64);
    }
    for x in &mut numbers {
        *x &= u64::from(u32::MAX);
    }
    let rules = rules().filter(|rule| uses(&rule.pattern, &[Op::SDiv, Op::SRem, Op::UDiv, Op::URem]));
    for rule in rules {
        for _ in 0..200_000 {
            let mut input = Input { width: 32, words: [0; WORDS], bools: [0; BOOLS] };
            input.words = input.words.map(|_| numbers[random.below(numbers.len())]);
            input.bools = input.bools.map(|_| random.below(2) as u64);
            if evaluate(&rule.condition, &input) == Some(1)
                && let Some(want) = evaluate(&rule.pattern, &input)
            {
                assert_eq!(evaluate(&rule.result, &input), Some(want), "{}: {:?}", rule.text, input.words);
            }
        }
    }
}
