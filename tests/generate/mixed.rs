//! `mixed`, `loose` and `giant_function`: what people write, at random.
//!
//! Functions are made one after the other, each from statements that know which variables are in view, how
//! often they will be executed (`weight`) and what everything executed so far costs; a call or loop that
//! would cost too much is not made. Expressions are built with their precedence and get parentheses where
//! they need them, and sometimes elsewhere.

mod expression;
mod function;

use super::Writer;

#[derive(Copy, Clone, PartialEq, Eq)]
enum Scalar {
    Int,
    Float,
}

impl Scalar {
    fn word(self) -> &'static str {
        if self == Scalar::Int { "int" } else { "float" }
    }
}

/// A variable, or a parameter of a function still to be called.
#[derive(Clone)]
struct Var {
    name: String,
    scalar: Scalar,
    /// Lengths; none for a scalar. Of a parameter the first is the least length that an argument has.
    dims: Vec<usize>,
    writable: bool,
    /// A loop counter is below this and not negative.
    bound: Option<usize>,
    local: bool,
}

#[derive(Clone)]
struct Function {
    name: String,
    returns: Option<Scalar>,
    params: Vec<Var>,
    /// Writes nothing but its own locals.
    quiet: bool,
    /// Statements and calls executed, at most.
    cost: u64,
    /// The first parameter is the depth of its recursion.
    recursive: bool,
}

/// An expression and how tightly its outermost operator binds.
struct Piece {
    text: String,
    level: u8,
}

const OR: u8 = 1;
const AND: u8 = 2;
const EQ: u8 = 3;
const REL: u8 = 4;
const ADD: u8 = 5;
const MUL: u8 = 6;
const UNARY: u8 = 7;
const ATOM: u8 = 8;

fn piece(text: impl Into<String>, level: u8) -> Piece {
    Piece { text: text.into(), level }
}

fn literal(text: String) -> Piece {
    let level = if text.starts_with('-') { UNARY } else { ATOM };
    piece(text, level)
}

impl Piece {
    /// The text where an operand must bind at least as tightly as `level`.
    fn within(self, level: u8) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text }
    }
}

/// What one call of a function may cost, and what the program may.
const FUNCTION_COST: u64 = 3_000;
const PROGRAM_COST: u64 = 200_000;
/// Lines of a function.
const FUNCTION_LINES: usize = 40;
/// Parameter shapes: least length and inner dimensions. The globals hold an argument for each.
const INT_SHAPES: [&[usize]; 4] = [&[6], &[10], &[3, 6], &[2, 4, 5]];
const FLOAT_SHAPES: [&[usize]; 2] = [&[8], &[2, 8]];
/// Local names that are an assembler's words.
const ODD_NAMES: [&str; 14] =
    ["x0", "sp", "ra", "add", "lr", "byte", "main_", "st", "r1", "s0", "a0", "t", "w3", "data"];

struct Mixed<'w> {
    w: &'w mut Writer,
    vars: Vec<Var>,
    /// Where each open block's variables begin in `vars`.
    blocks: Vec<usize>,
    functions: Vec<Function>,
    /// Counters of open loops.
    loops: Vec<String>,
    /// The function that is being made.
    quiet: bool,
    returns: Option<Scalar>,
    weight: u64,
    cost: u64,
    limit: u64,
    fresh: usize,
    loose: bool,
}

pub(super) fn strict(w: &mut Writer, size: usize) {
    build(w, size, false);
}

pub(super) fn loose(w: &mut Writer, size: usize) {
    build(w, size, true);
}

/// One function takes all of the size.
pub(super) fn giant_function(w: &mut Writer, size: usize) {
    let mut m = Mixed::new(w, false);
    m.globals();
    for _ in 0..3 {
        m.function(10);
    }
    // Every statement may cost the same as in a small function, in total more.
    m.limit = (size as u64 * 30).min(PROGRAM_COST * 4);
    m.one_function("giant".to_string(), size.saturating_sub(60), vec![], Some(Scalar::Int), false);
    m.main(true);
}

fn build(w: &mut Writer, size: usize, loose: bool) {
    let mut m = Mixed::new(w, loose);
    m.globals();
    while m.w.lines + FUNCTION_LINES + 30 < size || m.functions.len() < 2 {
        let lines = FUNCTION_LINES / 2 + m.w.random.below(FUNCTION_LINES);
        m.function(lines);
    }
    m.main(false);
}

impl<'w> Mixed<'w> {
    fn new(w: &'w mut Writer, loose: bool) -> Mixed<'w> {
        Mixed {
            w,
            vars: Vec::new(),
            blocks: Vec::new(),
            functions: Vec::new(),
            loops: Vec::new(),
            quiet: false,
            returns: None,
            weight: 1,
            cost: 0,
            limit: FUNCTION_COST,
            fresh: 0,
            loose,
        }
    }

    fn below(&mut self, n: usize) -> usize {
        self.w.random.below(n)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.w.random.chance(percent)
    }

    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    // ---- Variables ---------------------------------------------------------------------------------------

    fn globals(&mut self) {
        self.w.prologue();
        let shapes = INT_SHAPES
            .iter()
            .map(|s| (Scalar::Int, *s))
            .chain(FLOAT_SHAPES.iter().map(|s| (Scalar::Float, *s)));
        for (scalar, shape) in shapes {
            let name = self.name("g");
            let mut dims = shape.to_vec();
            dims[0] += self.below(4);
            self.array(&name, scalar, &dims, false, self.vars.is_empty());
            self.declare(name, scalar, dims, true, false);
        }
        for k in 0..8 {
            let scalar = if k % 3 == 2 { Scalar::Float } else { Scalar::Int };
            let writable = k < 6;
            let name = self.name(if writable { "v" } else { "c" });
            let value = self.constant(scalar);
            let word = scalar.word();
            match (writable, k) {
                (true, 0) => self.w.line(format!("{word} {name};")),
                (true, _) => self.w.line(format!("{word} {name} = {value};")),
                _ => self.w.line(format!("const {word} {name} = {value};")),
            }
            self.declare(name, scalar, vec![], writable, false);
        }
        for scalar in [Scalar::Int, Scalar::Float] {
            let name = self.name("table");
            let dims = if self.chance(50) { vec![4 + self.below(12)] } else { vec![2 + self.below(3), 4] };
            self.array(&name, scalar, &dims, true, false);
            self.declare(name, scalar, dims, false, false);
        }
    }

    fn declare(&mut self, name: String, scalar: Scalar, dims: Vec<usize>, writable: bool, local: bool) {
        self.vars.push(Var { name, scalar, dims, writable, bound: None, local });
    }

    fn constant(&mut self, scalar: Scalar) -> String {
        match scalar {
            Scalar::Int => self.w.random.int_literal(),
            Scalar::Float => self.w.random.float_literal(),
        }
    }

    /// Declares an array: an initialiser of constants, or of anything where `anything` says so, or none.
    fn array(&mut self, name: &str, scalar: Scalar, dims: &[usize], is_const: bool, none: bool) {
        let lengths: String = dims.iter().map(|n| format!("[{n}]")).collect();
        let word = if is_const { format!("const {}", scalar.word()) } else { scalar.word().to_string() };
        if none {
            self.w.line(format!("{word} {name}{lengths};"));
            return;
        }
        let list = self.initialiser(scalar, dims, false);
        self.w.line(format!("{word} {name}{lengths} = {list};"));
    }

    /// A list for an array: each part that begins at a border is braced or not, and may end early where it
    /// is.
    fn initialiser(&mut self, scalar: Scalar, dims: &[usize], anything: bool) -> String {
        let mut parts: Vec<String> = Vec::new();
        let written = if self.chance(70) { dims[0] } else { self.below(dims[0] + 1) };
        for k in 0..written {
            if dims.len() > 1 && (self.chance(60) || k + 1 == written) {
                parts.push(self.initialiser(scalar, &dims[1..], anything));
                continue;
            }
            for _ in 0..dims[1..].iter().product::<usize>() {
                if anything && self.loose && self.chance(15) {
                    parts.push(self.logic(1).text);
                    continue;
                }
                parts.push(match (anything && self.chance(40), scalar) {
                    (false, _) => self.constant(scalar),
                    (true, Scalar::Int) => self.int(2).text,
                    (true, Scalar::Float) => self.float(2).text,
                });
            }
        }
        format!("{{{}}}", parts.join(", "))
    }

    /// A variable in view that `wanted` takes; the nearer, the likelier.
    fn var(&mut self, wanted: impl Fn(&Var) -> bool) -> Option<Var> {
        let fits: Vec<usize> =
            (0..self.vars.len()).filter(|&k| wanted(&self.vars[k]) && self.in_view(k)).collect();
        if fits.is_empty() {
            return None;
        }
        let k = self.below(fits.len()).max(self.below(fits.len()));
        Some(self.vars[fits[k]].clone())
    }

    fn in_view(&self, k: usize) -> bool {
        !self.vars[k + 1..].iter().any(|later| later.name == self.vars[k].name)
    }

    // ---- Statements --------------------------------------------------------------------------------------

    fn open(&mut self, head: &str) {
        self.w.open(head);
        self.blocks.push(self.vars.len());
    }

    fn leave(&mut self) {
        let start = self.blocks.pop().unwrap_or(0);
        self.vars.truncate(start);
    }

    fn close(&mut self) {
        self.leave();
        self.w.close();
    }

    /// A name for a new local: fresh, an odd one, or one that hides an outer one.
    fn local_name(&mut self) -> String {
        let start = *self.blocks.last().unwrap_or(&0);
        let taken = |m: &Self, name: &str| {
            m.vars[start..].iter().any(|v| v.name == name) || m.loops.iter().any(|c| c == name)
        };
        let nested = self.blocks.len() > 1;
        let candidate = match self.below(12) {
            0 => Some((*self.w.random.pick(&ODD_NAMES)).to_string()),
            1 | 2 if nested => self.var(|v| v.bound.is_none()).map(|v| v.name),
            _ => None,
        };
        // An argument of an array's shape must stay in view, so only scalars and locals are hidden.
        let hides_array = |m: &Self, name: &str| m.vars.iter().any(|v| v.name == name && !v.dims.is_empty());
        match candidate {
            Some(name) if !taken(self, &name) && !hides_array(self, &name) => name,
            _ => self.name("x"),
        }
    }

    /// Statements up to the line `until`, at least one; a nested block may end earlier.
    fn statements(&mut self, until: usize, nesting: usize) {
        let mut made = 0;
        loop {
            self.statement(until, nesting);
            made += 1;
            if self.w.lines >= until || nesting > 0 && made > 5 && self.chance(30) {
                return;
            }
        }
    }

    fn scalar(&mut self) -> Scalar {
        if self.chance(70) { Scalar::Int } else { Scalar::Float }
    }

    fn value(&mut self, scalar: Scalar, depth: usize) -> String {
        if self.loose && self.chance(6) {
            return self.logic(depth).text;
        }
        match scalar {
            Scalar::Int => self.int(depth).text,
            // Ints convert.
            Scalar::Float if self.chance(15) => self.int(depth).text,
            Scalar::Float => self.float(depth).text,
        }
    }

    fn statement(&mut self, until: usize, nesting: usize) {
        self.cost += self.weight;
        let nest = nesting < 4 && self.w.lines + 3 < until;
        let depth = 1 + self.below(3);
        match self.below(24) {
            0..=3 => self.declaration(depth),
            4 => self.local_array(),
            5..=8 => self.assignment(depth),
            9..=11 => self.element_assignment(depth),
            12..=14 if nest => self.branch(until, nesting),
            15..=18 if nest && self.weight < 30 && self.cost < self.limit => {
                self.counted_loop(until, nesting)
            }
            19 if nest => {
                self.open("");
                let end = (self.w.lines + 4).min(until);
                self.statements(end, nesting + 1);
                self.close();
            }
            20 | 21 => self.effect(depth),
            22 => self.leave_early(),
            _ => self.assignment(depth),
        }
    }

    fn declaration(&mut self, depth: usize) {
        let scalar = self.scalar();
        let value = self.value(scalar, depth);
        // In its own initialiser a name means the new variable.
        let name = Some(self.local_name()).filter(|name| !value.contains(name.as_str()));
        let name = name.unwrap_or_else(|| self.name("x"));
        let word = scalar.word();
        let is_const = self.chance(10);
        if is_const {
            let value = self.constant(scalar);
            self.w.line(format!("const {word} {name} = {value};"));
            self.declare(name, scalar, vec![], false, true);
        } else if self.chance(20) {
            let other = self.name("y");
            let second = self.constant(scalar);
            self.w.line(format!("{word} {name} = {value}, {other} = {second};"));
            self.declare(name, scalar, vec![], true, true);
            self.declare(other, scalar, vec![], true, true);
        } else {
            self.w.line(format!("{word} {name} = {value};"));
            self.declare(name, scalar, vec![], true, true);
        }
    }

    fn local_array(&mut self) {
        let scalar = self.scalar();
        let dims: Vec<usize> = match (scalar, self.below(3)) {
            (Scalar::Int, 0) => vec![2 + self.below(20)],
            (Scalar::Int, 1) => vec![3 + self.below(2), 6],
            (Scalar::Int, _) => vec![2, 4, 5],
            (Scalar::Float, 0) => vec![2, 8],
            _ => vec![8 + self.below(4)],
        };
        let name = self.name("arr");
        let is_const = self.chance(15);
        let lengths: String = dims.iter().map(|n| format!("[{n}]")).collect();
        let list = self.initialiser(scalar, &dims, !is_const);
        let word = if is_const { "const " } else { "" };
        self.cost += self.weight * 8;
        self.w.line(format!("{word}{} {name}{lengths} = {list};", scalar.word()));
        self.declare(name, scalar, dims, !is_const, true);
    }

    /// What the function being made may write.
    fn target(&mut self, array: bool) -> Option<Var> {
        let quiet = self.quiet;
        self.var(|v| v.writable && v.bound.is_none() && v.dims.is_empty() != array && (v.local || !quiet))
    }

    fn assignment(&mut self, depth: usize) {
        let Some(var) = self.target(false) else { return self.declaration(depth) };
        let value = self.value(var.scalar, depth);
        let name = &var.name;
        let text = match (self.below(6), var.scalar) {
            (0, _) => format!("{name} = {name} + {};", piece(value, OR).within(MUL)),
            (1, Scalar::Int) => format!("{name} = {name} * 3 - {};", piece(value, OR).within(MUL)),
            (2, Scalar::Int) => {
                let e = self.float(depth).text;
                format!("{name} = to_int({e});")
            }
            (3, Scalar::Float) => format!("{name} = {name} * 0.5 + {};", piece(value, OR).within(MUL)),
            _ => format!("{name} = {value};"),
        };
        self.w.line(text);
    }

    fn element_assignment(&mut self, depth: usize) {
        let Some(var) = self.target(true) else { return self.assignment(depth) };
        let place = self.element(&var, var.dims.len(), depth - 1);
        let value = self.value(var.scalar, depth);
        if self.chance(25) {
            self.w.line(format!("{place} = {place} + {};", piece(value, OR).within(MUL)));
        } else {
            self.w.line(format!("{place} = {value};"));
        }
    }

    fn branch(&mut self, until: usize, nesting: usize) {
        let condition = self.condition(1).text;
        if self.chance(15) {
            // Without braces, and with the else that belongs to the inner one.
            let Some(var) = self.target(false) else { return self.assignment(1) };
            let (inner, a, b) =
                (self.condition(1).text, self.value(var.scalar, 1), self.value(var.scalar, 1));
            self.w
                .line(format!("if ({condition}) if ({inner}) {} = {a}; else {} = {b};", var.name, var.name));
            return;
        }
        self.open(&format!("if ({condition})"));
        let part = |m: &mut Self| (m.w.lines + 2 + m.below(6)).min(until);
        let end = part(self);
        self.statements(end, nesting + 1);
        let mut arms = if self.chance(20) { 2 } else { 0 };
        while arms > 0 && self.w.lines + 3 < until {
            arms -= 1;
            self.leave();
            let condition = self.condition(1).text;
            self.w.reopen(format!("else if ({condition})"));
            self.blocks.push(self.vars.len());
            let end = part(self);
            self.statements(end, nesting + 1);
        }
        if self.chance(50) {
            self.leave();
            self.w.reopen("else");
            self.blocks.push(self.vars.len());
            let end = part(self);
            self.statements(end, nesting + 1);
        }
        self.close();
    }

    fn counted_loop(&mut self, until: usize, nesting: usize) {
        let trips = 1 + self.below(12);
        let counter = self.name("i");
        let (start, step) = (self.below(3), 1 + self.below(2));
        let end = start + trips * step;
        let outer = self.weight;
        self.weight *= trips as u64;
        let test = match (self.below(3), self.chance(20)) {
            (_, true) => {
                let also = self.test_quiet();
                format!("{counter} < {end} && {also}")
            }
            (0, _) => format!("{counter} <= {}", end - 1),
            (1, _) => format!("{end} > {counter}"),
            _ => format!("{counter} < {end}"),
        };
        self.w.line(format!("int {counter} = {start};"));
        self.w.open(format!("while ({test})"));
        self.loops.push(format!("{counter} = {counter} + {step};"));
        self.vars.push(Var {
            name: counter.clone(),
            scalar: Scalar::Int,
            dims: vec![],
            writable: false,
            bound: Some(end),
            local: true,
        });
        self.blocks.push(self.vars.len());
        let end = (self.w.lines + 2 + self.below(10)).min(until);
        self.statements(end, nesting + 1);
        if self.chance(25) {
            let condition = self.condition(1).text;
            let jump = if self.chance(50) {
                "break;".to_string()
            } else {
                format!("{{ {counter} = {counter} + {step}; continue; }}")
            };
            self.w.line(format!("if ({condition}) {jump}"));
            self.assignment(1);
        }
        self.leave();
        self.w.line(format!("{counter} = {counter} + {step};"));
        self.w.close();
        self.loops.pop();
        self.weight = outer;
        // Behind the loop the counter may be its bound.
        if let Some(var) = self.vars.pop() {
            self.vars.push(Var { bound: None, ..var });
        }
    }

    /// A condition of a loop has no effects, so that it may stand anywhere in it.
    fn test_quiet(&mut self) -> String {
        let was = std::mem::replace(&mut self.quiet, true);
        let text = self.comparison(1).within(EQ);
        self.quiet = was;
        text
    }

    fn effect(&mut self, depth: usize) {
        if self.quiet {
            return self.assignment(depth);
        }
        match self.below(6) {
            0 => {
                let e = self.int(depth).text;
                self.w.line(format!("mix({e});"));
            }
            1 => match self.call(None, false, 2) {
                Some(call) => self.w.line(format!("{call};")),
                None => self.w.line(";"),
            },
            2 => {
                let scalar = self.scalar();
                match self.call(Some(scalar), false, 2) {
                    Some(call) => self.w.line(format!("{call};")),
                    None => self.assignment(depth),
                }
            }
            3 if self.weight == 1 => {
                let e = self.int(depth).text;
                self.w.line(format!("putint({e}); putch(32);"));
            }
            _ => {
                let scalar = self.scalar();
                let target =
                    self.var(|v| v.writable && v.bound.is_none() && v.dims.is_empty() && v.scalar == scalar);
                match (self.call(Some(scalar), false, 2), target) {
                    // The local beside the call is none that it could write.
                    (Some(call), Some(target)) => {
                        let beside = self.var(|v| v.local && v.dims.is_empty() && v.scalar == scalar);
                        let rest = beside.map_or(String::new(), |v| format!(" + {}", v.name));
                        self.w.line(format!("{} = {call}{rest};", target.name));
                    }
                    _ => self.assignment(depth),
                }
            }
        }
    }

    fn leave_early(&mut self) {
        let condition = self.condition(1).text;
        if self.chance(40) && !self.loops.is_empty() {
            let step = self.loops.last().cloned().unwrap_or_default();
            let jump = if self.chance(50) { "break;".to_string() } else { format!("{{ {step} continue; }}") };
            self.w.line(format!("if ({condition}) {jump}"));
        } else if self.chance(30) {
            let value = self.returns.map_or(String::new(), |scalar| format!(" {}", self.value(scalar, 1)));
            // A condition that folds would make the rest of a function dead, or this.
            let global = self.var(|v| v.writable && !v.local && v.dims.is_empty() && v.scalar == Scalar::Int);
            let condition = global.map_or(condition, |v| {
                format!("{} % {} == {}", v.name, 50 + self.below(100), self.below(50))
            });
            self.w.line(format!("if ({condition}) return{value};"));
        } else {
            self.assignment(1);
        }
    }
}
