//! i64 as two words, for machines whose registers have 32 bits.
//!
//! Blocks are walked in depth-first preorder, so that definitions come before uses. Of each i64 there are two
//! values, the low word and the high one; what takes or yields i64 is made of operations on these, and goes.
//! Words that are known fold, and what is extended has a high word that is known or a sign. No block is made
//! or changed.
//!
//! What IR has no operation for is spelt with opcodes that mean nothing on scalars, and is for the target's
//! handlers alone:
//!
//! | instruction | means |
//! | --- | --- |
//! | `Splat` of four words, payload `Pair` | sums, differences, quotients and remainders of a, b: the low word of the result |
//! | `ICmp` of four words | a comparison of a, b: `Eq`, `Ne`, or less or not |
//! | `ExtractLane` of one of these or a call, 1 | the high word of its result |
//! | `ExtractLane` of a parameter | its word of this number |
//! | `InsertLane` of two words | an argument or result of i64 |
//! | `SIToFP`, `FPToSI` with payload 1 | of or to an unsigned word |
//!
//! A conversion rounds once: both words are exact as doubles, and so is the product with 2^32, which leaves the
//! sum. For a float, what a double does not hold is rounded to odd first (Boldo and Melquiond, "When double
//! rounding is odd", 2005).
//!
//! O(instructions + phi operands).

use crate::base::{BitSet, Column, Handle};
use crate::ir::{At, Block, Body, FloatPred, Inst, IntPred, Op, Shape, Type, Value};

/// The opcode of what takes four words.
pub const OF_PAIRS: Op = Op::Splat;

/// The payload of such an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum Pair {
    Add,
    Sub,
    SDiv,
    SRem,
    UDiv,
    URem,
}

impl Pair {
    /// All, in number order.
    pub const ALL: [Pair; 6] = [Pair::Add, Pair::Sub, Pair::SDiv, Pair::SRem, Pair::UDiv, Pair::URem];
}

/// The walk.
struct Words<'a> {
    f: &'a mut Body,
    /// Per instruction: where in `values` the words of its result are, from 1 on; 0 for none.
    first: Column<Inst, u32>,
    values: Vec<[Value; 2]>,
    /// Phis of i64.
    phis: Vec<Inst>,
    /// Calls that yield i64, and what stands for their low words, which are to be the calls themselves.
    calls: Vec<(Inst, Inst)>,
    /// What is to be removed.
    gone: Vec<Inst>,
}

/// Rewrites what a body does with i64. What cannot be reached stays.
pub fn split(f: &mut Body) {
    let first = Column::filled(f.inst_count(), 0);
    let mut words = Words {
        f,
        first,
        values: vec![[Value::bool(false); 2]],
        phis: Vec::new(),
        calls: Vec::new(),
        gone: Vec::new(),
    };
    words.run();
}

impl Words<'_> {
    fn run(&mut self) {
        let Some(entry) = self.f.entry() else { return };
        for param in self.f.params() {
            if self.f.ty(param) == Type::I64 {
                let place = self.f.place(param);
                let word = |f: &mut Body, k: u32| {
                    let args = [Value::inst(param)];
                    Value::inst(f.insert(At::Start(entry), Op::ExtractLane, Type::I32, &args, k, place))
                };
                let both = [word(self.f, 0), word(self.f, 1)];
                self.set(param, both);
            }
        }
        let mut seen: BitSet<Block> = BitSet::new(self.f.block_count());
        let mut stack = vec![entry];
        while let Some(b) = stack.pop() {
            if seen.insert(b) {
                self.block(b);
                stack.extend(self.f.succs(b).map(|e| self.f.edge_to(e)));
            }
        }
        for phi in std::mem::take(&mut self.phis) {
            let of_phi = self.both(Value::inst(phi));
            for slot in 0..self.f.args(phi).len() {
                let words = self.both(self.f.arg(phi, slot));
                for (of_word, word) in of_phi.into_iter().zip(words) {
                    if let Some(of_word) = of_word.as_inst() {
                        self.f.set_arg(of_word, slot, word);
                    }
                }
            }
        }
        for &i in self.gone.iter().rev() {
            self.f.remove(i);
        }
        for (call, low) in std::mem::take(&mut self.calls) {
            let (args, callee) = (self.f.args(call).to_vec(), self.f.payload(call));
            let flags = self.f.flags(call);
            self.f.rewrite(call, Op::Call, Type::I32, &args, callee);
            self.f.set_flags(call, flags);
            self.f.replace(low, Value::inst(call));
        }
    }

    fn block(&mut self, b: Block) {
        let mut next = self.f.first(b);
        while let Some(i) = next {
            next = self.f.next(i);
            let (op, ty) = (self.f.op(i), self.f.ty(i));
            if ty == Type::I64 || self.f.args(i).iter().any(|&v| self.is_wide(v)) {
                if op == Op::Phi {
                    let place = self.f.place(i);
                    let both = [0; 2].map(|_| Value::inst(self.f.insert_phi(b, Type::I32, place)));
                    self.set(i, both);
                    self.phis.push(i);
                    self.gone.push(i);
                } else {
                    self.instruction(i, op, ty);
                }
            }
        }
    }

    fn is_wide(&self, v: Value) -> bool {
        self.f.type_of(v) == Type::I64 || self.index(v) != 0
    }

    fn index(&self, v: Value) -> u32 {
        v.as_inst().and_then(|i| self.first.get(i)).copied().unwrap_or(0)
    }

    /// The words of an i64, the low one first; of what has none (yet) they are undefined.
    fn both(&mut self, v: Value) -> [Value; 2] {
        match (self.index(v), self.f.as_int(v)) {
            (0, Some(x)) => [self.word(x as i32), self.word((x >> 32) as i32)],
            (0, None) => [Value::undef(Type::I32); 2],
            (at, _) => self.values[at as usize],
        }
    }

    fn set(&mut self, i: Inst, words: [Value; 2]) {
        self.first.grow_to(i.index() + 1, 0);
        self.first[i] = self.values.len() as u32;
        self.values.push(words);
    }

    fn word(&mut self, x: i32) -> Value {
        self.f.int(x)
    }

    fn as_word(&self, v: Value) -> Option<i32> {
        self.f.as_int(v).map(|x| x as i32)
    }

    /// An instruction in front of `i`, as it is.
    fn row(&mut self, i: Inst, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        let place = self.f.place(i);
        Value::inst(self.f.insert(At::Before(i), op, ty, args, payload, place))
    }

    /// What computes this in front of `i`, unless it folds.
    fn make(&mut self, i: Inst, op: Op, ty: Type, args: &[Value], payload: u32) -> Value {
        match self.f.fold(op, ty, payload, args) {
            Some(v) => v,
            None => self.row(i, op, ty, args, payload),
        }
    }

    /// An operation on words, unless it is one of its operands or known.
    fn op(&mut self, i: Inst, op: Op, a: Value, b: Value) -> Value {
        let swaps = matches!(op, Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::UMulHi | Op::SMulHi);
        let (a, b) = if swaps && self.as_word(a).is_some() { (b, a) } else { (a, b) };
        match (op, self.as_word(b)) {
            (Op::Add | Op::Sub | Op::Or | Op::Xor | Op::Shl | Op::LShr | Op::AShr, Some(0)) => a,
            (Op::And, Some(-1)) | (Op::Mul, Some(1)) => a,
            (Op::And | Op::Mul | Op::UMulHi | Op::SMulHi, Some(0)) | (Op::UMulHi, Some(1)) => self.word(0),
            _ => self.make(i, op, Type::I32, &[a, b], 0),
        }
    }

    fn op_by(&mut self, i: Inst, op: Op, a: Value, b: i32) -> Value {
        let b = self.word(b);
        self.op(i, op, a, b)
    }

    fn choice(&mut self, i: Inst, c: Value, a: Value, b: Value) -> Value {
        match self.f.as_int(c) {
            _ if a == b => a,
            Some(truth) => {
                if truth != 0 {
                    a
                } else {
                    b
                }
            }
            None => self.make(i, Op::Select, Type::I32, &[c, a, b], 0),
        }
    }

    /// A word that is -1 for negative numbers, else 0.
    fn sign(&mut self, i: Inst, word: Value) -> Value {
        self.op_by(i, Op::AShr, word, 31)
    }

    /// True if the number is what its low word is with the sign extended.
    fn is_extended(&self, [low, high]: [Value; 2]) -> bool {
        match (self.as_word(low), self.as_word(high)) {
            (Some(low), Some(high)) => high == low >> 31,
            _ => high.as_inst().is_some_and(|i| {
                self.f.op(i) == Op::AShr
                    && self.f.arg(i, 0) == low
                    && self.as_word(self.f.arg(i, 1)) == Some(31)
            }),
        }
    }

    /// What the target does with four words.
    fn of_pairs(&mut self, i: Inst, what: Pair, a: [Value; 2], b: [Value; 2]) -> [Value; 2] {
        let low = self.row(i, OF_PAIRS, Type::I32, &[a[0], a[1], b[0], b[1]], what as u32);
        [low, self.row(i, Op::ExtractLane, Type::I32, &[low], 1)]
    }

    fn sum(&mut self, i: Inst, a: [Value; 2], b: [Value; 2]) -> [Value; 2] {
        let (a, b) = if a.iter().all(|&v| self.as_word(v).is_some()) { (b, a) } else { (a, b) };
        if self.as_word(b[0]) == Some(0) {
            return [a[0], self.op(i, Op::Add, a[1], b[1])];
        }
        if self.as_word(a[0]) == Some(0) {
            return [b[0], self.op(i, Op::Add, a[1], b[1])];
        }
        self.of_pairs(i, Pair::Add, a, b)
    }

    fn difference(&mut self, i: Inst, a: [Value; 2], b: [Value; 2]) -> [Value; 2] {
        if self.as_word(b[0]) == Some(0) {
            return [a[0], self.op(i, Op::Sub, a[1], b[1])];
        }
        self.of_pairs(i, Pair::Sub, a, b)
    }

    fn product(&mut self, i: Inst, a: [Value; 2], b: [Value; 2]) -> [Value; 2] {
        let low = self.op(i, Op::Mul, a[0], b[0]);
        if self.is_extended(a) && self.is_extended(b) {
            return [low, self.op(i, Op::SMulHi, a[0], b[0])];
        }
        let mut high = self.op(i, Op::UMulHi, a[0], b[0]);
        for (x, y) in [(a[0], b[1]), (a[1], b[0])] {
            let product = self.op(i, Op::Mul, x, y);
            high = self.op(i, Op::Add, high, product);
        }
        [low, high]
    }

    /// The upper half of a product of 128 bits, unsigned; of signed ones, each number is taken off it where
    /// the other is negative.
    fn upper_product(&mut self, i: Inst, a: [Value; 2], b: [Value; 2], signed: bool) -> [Value; 2] {
        let zero = self.word(0);
        let long = |w: &mut Self, x: Value, y: Value| [w.op(i, Op::Mul, x, y), w.op(i, Op::UMulHi, x, y)];
        // a0 b0 >> 32, with one middle product: at most 2^64 - 2^32. The other one's low word fits above it.
        let lowest = self.op(i, Op::UMulHi, a[0], b[0]);
        let middle = long(self, a[1], b[0]);
        let middle = self.sum(i, middle, [lowest, zero]);
        let other = long(self, a[0], b[1]);
        let carried = self.sum(i, other, [middle[0], zero]);
        let high = long(self, a[1], b[1]);
        let high = self.sum(i, high, [middle[1], zero]);
        let mut high = self.sum(i, high, [carried[1], zero]);
        if signed {
            for (x, y) in [(a, b), (b, a)] {
                let mask = self.sign(i, x[1]);
                let taken = y.map(|word| self.op(i, Op::And, word, mask));
                high = self.difference(i, high, taken);
            }
        }
        high
    }

    fn shift(&mut self, i: Inst, op: Op, [low, high]: [Value; 2], by: Value) -> [Value; 2] {
        let zero = self.word(0);
        // What comes in from above; and the words in the order in which bits move.
        let filled = if op == Op::AShr { self.sign(i, high) } else { zero };
        let (near, far) = if op == Op::Shl { (high, low) } else { (low, high) };
        let back = if op == Op::Shl { Op::LShr } else { Op::Shl };
        // `far` loses bits to `near`, which are shifted logically there.
        let logical = if op == Op::Shl { Op::Shl } else { Op::LShr };
        let words = match self.as_word(by) {
            Some(by) if by & 63 >= 32 => [self.op_by(i, op, far, by & 31), filled],
            Some(by) if by & 63 == 0 => [near, far],
            Some(by) => {
                let kept = self.op_by(i, logical, near, by & 31);
                let moved = self.op_by(i, back, far, 32 - (by & 31));
                [self.op(i, Op::Or, kept, moved), self.op_by(i, op, far, by & 31)]
            }
            None => {
                let within = self.op_by(i, Op::And, by, 31);
                let rest = self.op_by(i, Op::Xor, within, 31);
                let kept = self.op(i, logical, near, within);
                let moved = self.op_by(i, back, far, 1);
                let moved = self.op(i, back, moved, rest);
                let both = self.op(i, Op::Or, kept, moved);
                let shifted = self.op(i, op, far, within);
                let is_large = self.op_by(i, Op::And, by, 32);
                let is_large = self.make(i, Op::ICmp, Type::I1, &[is_large, zero], IntPred::Ne as u32);
                [self.choice(i, is_large, shifted, both), self.choice(i, is_large, filled, shifted)]
            }
        };
        if op == Op::Shl { [words[1], words[0]] } else { words }
    }

    /// How many zeros stand at an end: in the word that is there, or if it is 0 in the other one, too.
    fn zeros(&mut self, i: Inst, op: Op, near: Value, far: Value) -> [Value; 2] {
        let zero = self.word(0);
        let [within, beyond] = [near, far].map(|word| self.make(i, op, Type::I32, &[word], 0));
        let all = self.op_by(i, Op::Add, beyond, 32);
        let is_zero = self.make(i, Op::ICmp, Type::I1, &[near, zero], IntPred::Eq as u32);
        [self.choice(i, is_zero, all, within), zero]
    }

    /// The operands of a comparison, and what to ask of them: a word, or pairs for less or not.
    fn compared(&mut self, i: Inst, pred: IntPred, a: [Value; 2], b: [Value; 2]) -> (IntPred, Vec<Value>) {
        use IntPred::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        let known = (self.as_word(b[0]), self.as_word(b[1]));
        match (pred, known) {
            (Eq | Ne, (Some(0), Some(0))) => {
                let any = self.op(i, Op::Or, a[0], a[1]);
                (pred, vec![any, b[0]])
            }
            (Slt | Sge, (Some(0), Some(0))) => (pred, vec![a[1], b[1]]),
            (Sgt, (Some(-1), Some(-1))) => (Sge, vec![a[1], self.word(0)]),
            (Sle, (Some(-1), Some(-1))) => (Slt, vec![a[1], self.word(0)]),
            (Eq | Ne | Slt | Sge | Ult | Uge, _) => (pred, vec![a[0], a[1], b[0], b[1]]),
            (Sgt | Sle | Ugt | Ule, _) => (pred.swapped(), vec![b[0], b[1], a[0], a[1]]),
        }
    }

    fn is(&mut self, i: Inst, pred: IntPred, a: [Value; 2], b: [Value; 2]) -> Value {
        let (pred, args) = self.compared(i, pred, a, b);
        match args.len() {
            2 => self.make(i, Op::ICmp, Type::I1, &args, pred as u32),
            _ => self.row(i, Op::ICmp, Type::I1, &args, pred as u32),
        }
    }

    /// i64 to a float or double.
    fn float_of(&mut self, i: Inst, [low, high]: [Value; 2], ty: Type) -> Value {
        if self.as_word(high) == Some(0) {
            return self.row(i, Op::SIToFP, ty, &[low], 1);
        }
        if self.is_extended([low, high]) {
            return self.make(i, Op::SIToFP, ty, &[low], 0);
        }
        let mut low = low;
        if ty == Type::F32 {
            // From 2^53 on, what is below 2^11 counts for whether it is nothing.
            let rest = self.op_by(i, Op::And, low, 0x7ff);
            let rest = self.op_by(i, Op::Add, rest, 0x7ff);
            let odd = self.op(i, Op::Or, low, rest);
            let odd = self.op_by(i, Op::And, odd, !0x7ff);
            let near = self.op_by(i, Op::Add, high, 1 << 21);
            let bound = self.word(1 << 22);
            let is_exact = self.make(i, Op::ICmp, Type::I1, &[near, bound], IntPred::Ult as u32);
            low = self.choice(i, is_exact, low, odd);
        }
        let factor = self.f.f64(4_294_967_296.0);
        let high = self.make(i, Op::SIToFP, Type::F64, &[high], 0);
        let high = self.make(i, Op::FMul, Type::F64, &[high, factor], 0);
        let low = self.row(i, Op::SIToFP, Type::F64, &[low], 1);
        let sum = self.row(i, Op::FAdd, Type::F64, &[high, low], 0);
        if ty == Type::F64 { sum } else { self.row(i, Op::FPTrunc, ty, &[sum], 0) }
    }

    /// A float or double to i64, by its magnitude.
    fn words_of(&mut self, i: Inst, x: Value) -> [Value; 2] {
        let x = if self.f.type_of(x) == Type::F64 { x } else { self.make(i, Op::FPExt, Type::F64, &[x], 0) };
        let [zero, down, up] = [0.0, 1.0 / 4_294_967_296.0, 4_294_967_296.0].map(|x| self.f.f64(x));
        let magnitude = self.make(i, Op::FAbs, Type::F64, &[x], 0);
        let quotient = self.make(i, Op::FMul, Type::F64, &[magnitude, down], 0);
        let high = self.row(i, Op::FPToSI, Type::I32, &[quotient], 1);
        let taken = self.row(i, Op::SIToFP, Type::F64, &[high], 1);
        let taken = self.row(i, Op::FMul, Type::F64, &[taken, up], 0);
        let rest = self.row(i, Op::FSub, Type::F64, &[magnitude, taken], 0);
        let low = self.row(i, Op::FPToSI, Type::I32, &[rest], 1);
        let is_negative = self.make(i, Op::FCmp, Type::I1, &[x, zero], FloatPred::Olt as u32);
        let mask = self.make(i, Op::SExt, Type::I32, &[is_negative], 0);
        let flipped = [low, high].map(|word| self.op(i, Op::Xor, word, mask));
        self.difference(i, flipped, [mask; 2])
    }

    /// The address of the second word at an address.
    fn second(&mut self, i: Inst, address: Value) -> Value {
        let one = self.word(1);
        self.make(i, Op::ElemAddr, Type::Ptr, &[address, one], Shape::scalar(Type::I32).index() as u32)
    }

    fn load(&mut self, i: Inst, address: Value) -> [Value; 2] {
        let second = self.second(i, address);
        let op = self.f.op(i);
        [address, second].map(|address| self.row(i, op, Type::I32, &[address], 0))
    }

    fn store(&mut self, i: Inst, words: [Value; 2], address: Value) {
        let (second, op) = (self.second(i, address), self.f.op(i));
        for (word, address) in words.into_iter().zip([address, second]) {
            self.row(i, op, Type::Void, &[word, address], 0);
        }
    }

    fn instruction(&mut self, i: Inst, op: Op, ty: Type) {
        let args = self.f.args(i).to_vec();
        let payload = self.f.payload(i);
        // Operands that are no i64 have no words.
        let words: Vec<[Value; 2]> = args.iter().take(3).map(|&v| self.both(v)).collect();
        let result = match (op, &*args, &*words) {
            (Op::Call, ..) => return self.call(i, ty, &args, payload),
            (Op::Ret, &[v], &[words]) => {
                let pair = self.pair(i, v, words);
                return self.f.set_arg(i, 0, pair);
            }
            // What it is of is in reach of a table (`isa/tables`).
            (Op::Switch, _, &[[low, _], ..]) => return self.f.set_arg(i, 0, low),
            (Op::ElemAddr, ..) => {
                for (k, &v) in args.iter().enumerate() {
                    if self.index(v) != 0 {
                        let [low, _] = self.both(v);
                        self.f.set_arg(i, k, low);
                    }
                }
                return;
            }
            (Op::MemSet | Op::MemCopy, &[to, second, _], &[.., [length, _]]) => {
                return self.f.rewrite(i, op, Type::Void, &[to, second, length], payload);
            }
            (Op::Store | Op::StoreVolatile, &[_, address], &[words, _]) => {
                self.store(i, words, address);
                return self.gone.push(i);
            }
            (Op::ICmp, _, &[a, b]) => {
                let (pred, args) = self.compared(i, IntPred::from_payload(payload), a, b);
                return self.f.rewrite(i, Op::ICmp, Type::I1, &args, pred as u32);
            }
            (Op::Trunc, _, &[[low, _]]) if ty == Type::I32 => {
                self.f.replace_uses(i, low);
                return self.gone.push(i);
            }
            (Op::Trunc, _, &[[low, _]]) => return self.f.rewrite(i, Op::Trunc, ty, &[low], 0),
            (Op::SIToFP, _, &[words]) => {
                let v = self.float_of(i, words, ty);
                self.f.replace_uses(i, v);
                return self.gone.push(i);
            }
            (Op::Load | Op::LoadVolatile, &[address], _) => self.load(i, address),
            (Op::Add, _, &[a, b]) => self.sum(i, a, b),
            (Op::Sub, _, &[a, b]) => self.difference(i, a, b),
            (Op::Mul, _, &[a, b]) => self.product(i, a, b),
            (Op::SMulHi | Op::UMulHi, _, &[a, b]) => self.upper_product(i, a, b, op == Op::SMulHi),
            (Op::SDiv, _, &[a, b]) => self.of_pairs(i, Pair::SDiv, a, b),
            (Op::SRem, _, &[a, b]) => self.of_pairs(i, Pair::SRem, a, b),
            (Op::UDiv, _, &[a, b]) => self.of_pairs(i, Pair::UDiv, a, b),
            (Op::URem, _, &[a, b]) => self.of_pairs(i, Pair::URem, a, b),
            (Op::And | Op::Or | Op::Xor, _, &[a, b]) => {
                [self.op(i, op, a[0], b[0]), self.op(i, op, a[1], b[1])]
            }
            (Op::Shl | Op::LShr | Op::AShr, _, &[a, [by, _]]) => self.shift(i, op, a, by),
            (Op::SMin | Op::SMax | Op::UMin | Op::UMax, _, &[a, b]) => {
                let pred = match op {
                    Op::SMin => IntPred::Slt,
                    Op::SMax => IntPred::Sge,
                    Op::UMin => IntPred::Ult,
                    _ => IntPred::Uge,
                };
                let first = self.is(i, pred, a, b);
                [self.choice(i, first, a[0], b[0]), self.choice(i, first, a[1], b[1])]
            }
            (Op::LeadingZeros, _, &[[low, high]]) => self.zeros(i, op, high, low),
            (Op::TrailingZeros, _, &[[low, high]]) => self.zeros(i, op, low, high),
            (Op::SwapBytes, _, &[a]) => {
                let swapped = a.map(|word| self.make(i, op, Type::I32, &[word], 0));
                [swapped[1], swapped[0]]
            }
            (Op::Abs, _, &[a]) => {
                let mask = self.sign(i, a[1]);
                let flipped = a.map(|word| self.op(i, Op::Xor, word, mask));
                self.difference(i, flipped, [mask; 2])
            }
            (Op::Select, &[c, ..], &[_, a, b]) => {
                [self.choice(i, c, a[0], b[0]), self.choice(i, c, a[1], b[1])]
            }
            (Op::ZExt | Op::SExt, &[v], _) => {
                let is_word = self.f.type_of(v) == Type::I32;
                let low = if is_word { v } else { self.make(i, op, Type::I32, &[v], 0) };
                [low, if op == Op::SExt { self.sign(i, low) } else { self.word(0) }]
            }
            (Op::FPToSI, &[x], _) => self.words_of(i, x),
            (Op::PtrToInt, &[address], _) => {
                [self.row(i, Op::PtrToInt, Type::I32, &[address], 0), self.word(0)]
            }
            // Nothing else has to do with i64: selection refuses it.
            _ => return,
        };
        self.set(i, result);
        self.gone.push(i);
    }

    /// An i64 as an argument or result.
    fn pair(&mut self, i: Inst, v: Value, words: [Value; 2]) -> Value {
        if self.index(v) == 0 { v } else { self.row(i, Op::InsertLane, Type::I64, &words, 0) }
    }

    fn call(&mut self, i: Inst, ty: Type, args: &[Value], callee: u32) {
        let args: Vec<Value> = args
            .iter()
            .map(|&v| match self.is_wide(v) {
                true => {
                    let words = self.both(v);
                    self.pair(i, v, words)
                }
                false => v,
            })
            .collect();
        let flags = self.f.flags(i);
        self.f.rewrite(i, Op::Call, ty, &args, callee);
        self.f.set_flags(i, flags);
        if ty == Type::I64 {
            let place = self.f.place(i);
            let [high, low] = [1, 0].map(|k| {
                self.f.insert(At::After(i), Op::ExtractLane, Type::I32, &[Value::inst(i)], k, place)
            });
            self.set(i, [low, high].map(Value::inst));
            self.calls.push((i, low));
        }
    }
}
