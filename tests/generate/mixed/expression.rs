//! Expressions, conditions and calls of the random programs: built with their precedence, so that parentheses
//! stand where they must, and sometimes elsewhere.

use super::*;

impl Mixed<'_> {
    // ---- Expressions -------------------------------------------------------------------------------------

    /// `&&` or `||` as a value: of ints, floats and comparisons.
    pub(super) fn logic(&mut self, depth: usize) -> Piece {
        let was = std::mem::replace(&mut self.quiet, true);
        let (left, right) = (self.test(depth), self.condition(depth));
        self.quiet = was;
        let (op, level) = if self.chance(50) { ("&&", AND) } else { ("||", OR) };
        self.binary(left, op, level, right)
    }

    /// A subscript below `n`.
    pub(super) fn subscript(&mut self, n: usize, depth: usize) -> String {
        if self.loose && depth > 0 && n > 1 && self.chance(10) {
            return self.logic(depth - 1).text;
        }
        let counter = self.var(|v| v.bound.is_some_and(|bound| bound <= n));
        match (self.below(10), counter) {
            (0..=6, Some(counter)) => {
                let room = n - counter.bound.unwrap_or(n);
                match (self.below(4), room) {
                    (0, 1..) => format!("{} + {}", counter.name, 1 + self.below(room)),
                    (1, _) => format!("{} - {}", n - 1, counter.name),
                    _ => counter.name,
                }
            }
            (7, _) if depth > 0 => {
                let e = self.int(depth - 1).within(MUL);
                format!("({e} % {n} + {n}) % {n}")
            }
            _ => self.below(n).to_string(),
        }
    }

    pub(super) fn element(&mut self, var: &Var, count: usize, depth: usize) -> String {
        let mut text = var.name.clone();
        for &n in &var.dims[..count] {
            text = format!("{text}[{}]", self.subscript(n, depth));
        }
        text
    }

    pub(super) fn leaf(&mut self, scalar: Scalar) -> Piece {
        match self.below(10) {
            0..=4 => match self.var(|v| v.scalar == scalar && v.dims.is_empty()) {
                Some(var) => piece(var.name, ATOM),
                None => literal(self.constant(scalar)),
            },
            5..=7 => match self.var(|v| v.scalar == scalar && !v.dims.is_empty()) {
                Some(var) => piece(self.element(&var, var.dims.len(), 1), ATOM),
                None => literal(self.constant(scalar)),
            },
            _ => literal(self.constant(scalar)),
        }
    }

    pub(super) fn binary(&mut self, left: Piece, op: &str, level: u8, right: Piece) -> Piece {
        let text = format!("{} {op} {}", left.within(level), right.within(level + 1));
        if self.chance(8) { piece(format!("({text})"), ATOM) } else { piece(text, level) }
    }

    pub(super) fn int(&mut self, depth: usize) -> Piece {
        if depth == 0 {
            return self.leaf(Scalar::Int);
        }
        match self.below(16) {
            0..=3 => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                let op = if self.chance(50) { "+" } else { "-" };
                self.binary(a, op, ADD, b)
            }
            4..=6 => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                self.binary(a, "*", MUL, b)
            }
            7 | 8 => {
                let op = if self.chance(50) { "/" } else { "%" };
                let a = self.int(depth - 1);
                let divisor = if self.chance(60) {
                    let magnitude = *self
                        .w
                        .random
                        .pick(&[2, 3, 4, 5, 7, 8, 10, 16, 60, 100, 256, 1000, 65536, 998244353]);
                    literal(if self.chance(20) { format!("-{magnitude}") } else { magnitude.to_string() })
                } else {
                    let (e, n) = (self.int(depth - 1).within(MUL), 2 + self.below(20));
                    piece(format!("({e} % {n} + {})", n + self.below(9)), ATOM)
                };
                self.binary(a, op, MUL, divisor)
            }
            9 => {
                let sign = if self.chance(80) { "-" } else { "+" };
                let e = self.int(depth - 1).within(ATOM);
                piece(format!("{sign}{e}"), UNARY)
            }
            10 => {
                let e = self.float(depth - 1).text;
                piece(format!("to_int({e})"), ATOM)
            }
            11 | 12 => match self.call(Some(Scalar::Int), true, depth - 1) {
                Some(call) => piece(call, ATOM),
                None => self.leaf(Scalar::Int),
            },
            13 if self.loose => {
                let was = std::mem::replace(&mut self.quiet, true);
                let condition = self.condition(depth - 1);
                // A condition of one operand may be a float, which is no int.
                let condition = if condition.level > REL { self.comparison(depth - 1) } else { condition };
                self.quiet = was;
                condition
            }
            14 if self.loose => {
                let e = self.int(depth - 1).within(ATOM);
                piece(format!("!{e}"), UNARY)
            }
            _ => self.leaf(Scalar::Int),
        }
    }

    pub(super) fn float(&mut self, depth: usize) -> Piece {
        if depth == 0 {
            return self.leaf(Scalar::Float);
        }
        match self.below(12) {
            0..=6 => {
                let (op, level) = *self.w.random.pick(&[("+", ADD), ("-", ADD), ("*", MUL), ("/", MUL)]);
                let a = self.float(depth - 1);
                // Only one side may be an int, or the operation would be one of ints.
                let b = if self.chance(25) { self.int(depth - 1) } else { self.float(depth - 1) };
                let swap = op != "/" && self.chance(30);
                if swap { self.binary(b, op, level, a) } else { self.binary(a, op, level, b) }
            }
            7 => {
                let e = self.float(depth - 1).within(ATOM);
                piece(format!("-{e}"), UNARY)
            }
            8 | 9 => match self.call(Some(Scalar::Float), true, depth - 1) {
                Some(call) => piece(call, ATOM),
                None => self.leaf(Scalar::Float),
            },
            _ => self.leaf(Scalar::Float),
        }
    }

    pub(super) fn comparison(&mut self, depth: usize) -> Piece {
        let (a, b) = match self.below(4) {
            0 => (self.float(depth), self.float(depth)),
            1 => (self.float(depth), self.int(depth)),
            _ => (self.int(depth), self.int(depth)),
        };
        let (op, level) =
            *self.w.random.pick(&[("<", REL), (">", REL), ("<=", REL), (">=", REL), ("==", EQ), ("!=", EQ)]);
        // Strict SysY has no parentheses around a comparison.
        let text = format!("{} {op} {}", a.within(ADD), b.within(ADD));
        piece(text, level)
    }

    /// One operand of `&&` and `||`.
    pub(super) fn test(&mut self, depth: usize) -> Piece {
        match self.below(14) {
            0 => self.int(depth),
            1 => self.float(depth),
            2 => {
                let e = if self.chance(70) { self.int(depth) } else { self.float(depth) };
                piece(format!("!{}", e.within(ATOM)), UNARY)
            }
            3 if !self.quiet => match self.call(Some(Scalar::Int), false, 1) {
                // The rest of this operand reads nothing that the call may write.
                Some(call) => {
                    let limit = self.w.random.int_literal();
                    piece(format!("{call} > {limit}"), REL)
                }
                None => self.comparison(depth),
            },
            4 => {
                // A comparison's value, compared.
                let c = self.comparison(depth).within(REL);
                if c.contains("==") || c.contains("!=") {
                    piece(c, EQ)
                } else {
                    piece(format!("{c} == 1"), EQ)
                }
            }
            _ => self.comparison(depth),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> Piece {
        let (ors, ands) = (*self.w.random.pick(&[1, 1, 1, 2, 3]), *self.w.random.pick(&[1, 1, 2, 3]));
        let mut level = OR;
        let any: Vec<String> = (0..ors)
            .map(|_| {
                let all: Vec<String> = (0..ands)
                    .map(|_| {
                        let test = self.test(depth);
                        level = test.level;
                        test.within(EQ)
                    })
                    .collect();
                all.join(" && ")
            })
            .collect();
        let level = match (ors, ands) {
            (1, 1) => level,
            (1, _) => AND,
            _ => OR,
        };
        piece(any.join(" || "), level)
    }

    // ---- Calls -------------------------------------------------------------------------------------------

    /// A call of some function that returns `returns`, is quiet if it must be, and is not too dear here.
    pub(super) fn call(&mut self, returns: Option<Scalar>, quiet: bool, depth: usize) -> Option<String> {
        let room = self.limit.saturating_sub(self.cost) / self.weight;
        let fits = |f: &Function| f.returns == returns && (f.quiet || !quiet) && f.cost < room;
        let candidates: Vec<usize> =
            (0..self.functions.len()).filter(|&k| fits(&self.functions[k])).collect();
        if candidates.is_empty() {
            return None;
        }
        // Mostly a recent one, so that chains of calls are long.
        let k = candidates[self.below(candidates.len()).max(self.below(candidates.len()))];
        Some(self.call_of(k, depth))
    }

    pub(super) fn call_of(&mut self, k: usize, depth: usize) -> String {
        let function = self.functions[k].clone();
        self.cost += self.weight * function.cost;
        let depth = depth.min(2);
        let mut arguments = Vec::new();
        for (position, param) in function.params.iter().enumerate() {
            arguments.push(if function.recursive && position == 0 {
                (1 + self.below(3)).to_string()
            } else if !param.dims.is_empty() {
                self.array_argument(param, function.quiet)
            } else if self.loose && self.chance(15) {
                self.logic(depth).text
            } else if self.chance(if self.loose { 35 } else { 15 }) {
                // The other type, which converts.
                if param.scalar == Scalar::Float {
                    self.int(depth).text
                } else {
                    format!("to_int({})", self.float(depth).text)
                }
            } else if param.scalar == Scalar::Int {
                self.int(depth).text
            } else {
                self.float(depth).text
            });
        }
        format!("{}({})", function.name, arguments.join(", "))
    }

    /// An array, or a part of one, with the parameter's inner dimensions and enough of the first.
    pub(super) fn array_argument(&mut self, param: &Var, quiet: bool) -> String {
        let fits = |v: &Var| {
            v.scalar == param.scalar && (v.writable || quiet) && v.dims.len() >= param.dims.len() && {
                let tail = &v.dims[v.dims.len() - param.dims.len()..];
                tail[0] >= param.dims[0] && tail[1..] == param.dims[1..]
            }
        };
        let local_or_global = self.var(fits);
        let var = local_or_global.expect("a global of this shape");
        self.element(&var, var.dims.len() - param.dims.len(), 0)
    }
}
