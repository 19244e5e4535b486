//! `realistic` and `realistic_giant`: what a large machine-written program looks like, about 12 tokens and 33
//! bytes a line at any size.
//!
//! A program is modules of about `MODULE` lines: a few globals, functions of 5 to 40 short statements, and
//! one that calls each of them and mixes what they return into the checksum; `main` calls the modules.
//! Besides, 15% of all statements are in functions of over 2,000 statements (where the program is too small
//! for one, in one function of that share). Calls go to functions made shortly before. What a call executes
//! is counted, and loops and calls that would make it too much are not made, so the time to run a program is
//! linear in its size, too.
//!
//! Every array has `LENGTH` elements, so that a loop counter and what `wrap` returns are subscripts of all. A
//! variable that has not been read yet is the likeliest operand, and is read at the end of its block at the
//! latest: no warnings.

use super::Writer;

/// Lines of a module.
const MODULE: usize = 1000;
const LENGTH: usize = 16;
/// Of a module's array of two dimensions.
const ROWS: usize = 8;
/// Statements of a small function: at least, and how many more.
const SMALL: (usize, usize) = (5, 36);
/// About how long the functions are that hold `GIANT_SHARE` percent of the statements: this to twice this.
const GIANT: usize = 2400;
const GIANT_SHARE: usize = 15;
/// Statements in 100 lines, measured: the rest closes blocks and functions.
const STATEMENTS: usize = 83;
/// What a call of a function may execute, in statements, and what the callee of another may.
const FUNCTION_COST: usize = 600;
const CALLEE_COST: usize = 150;

const WORDS: [&str; 16] =
    ["a", "b", "t", "v", "sum", "x", "tmp", "len", "left", "right", "w", "pos", "low", "size", "val", "last"];

#[derive(Copy, Clone, PartialEq, Eq)]
enum Kind {
    Int,
    Float,
    /// An int that is a subscript of every array, and not assigned to by chance.
    Index,
    Ints,
    Floats,
}

struct Var {
    name: String,
    kind: Kind,
    read: bool,
}

struct Function {
    name: String,
    params: Vec<Kind>,
    returns: Option<Kind>,
    cost: usize,
}

struct Realistic<'w> {
    w: &'w mut Writer,
    /// The globals of the module, and behind them the locals in view.
    vars: Vec<Var>,
    globals: usize,
    /// Of this module and the one before.
    functions: Vec<Function>,
    /// Where the module's functions begin.
    module: usize,
    modules: usize,
    /// Functions and locals so far, to name them.
    named: usize,
    locals: usize,
    /// Statements of the program, and where the function at hand ends.
    made: usize,
    until: usize,
    /// Of the function at hand: how often the next statement is executed, all that is executed, and the
    /// limit.
    weight: usize,
    cost: usize,
    limit: usize,
    loops: usize,
    returns: Option<Kind>,
}

pub(super) fn realistic(w: &mut Writer, size: usize) {
    let mut r = Realistic::new(w);
    let expected = size * STATEMENTS / 100;
    let share = expected * GIANT_SHARE / 100;
    let giants = (share / GIANT).max(1);
    let mut giant = 0;
    while r.modules == 0 || r.w.lines + 20 < size {
        let end = (r.w.lines + MODULE).min(size.saturating_sub(20));
        r.open_module();
        while r.functions.len() - r.module < 2 || r.w.lines + 50 < end {
            // In the middle of each part of the program, the part's long function.
            if giant < giants && r.made * 2 * giants >= expected * (2 * giant + 1) {
                giant += 1;
                r.function(share / giants);
                break;
            }
            let statements = SMALL.0 + r.w.random.below(SMALL.1);
            r.function(statements);
        }
        r.close_module();
    }
    r.main();
}

/// One function takes all of the size.
pub(super) fn giant(w: &mut Writer, size: usize) {
    let mut r = Realistic::new(w);
    r.open_module();
    for _ in 0..3 {
        r.function(SMALL.0);
    }
    r.function((size.saturating_sub(60) * STATEMENTS / 100).max(SMALL.0));
    r.close_module();
    r.main();
}

impl<'w> Realistic<'w> {
    fn new(w: &'w mut Writer) -> Realistic<'w> {
        w.indent = "  ";
        w.prologue();
        w.line(format!("int wrap(int n) {{ n = n % {LENGTH}; if (n < 0) return n + {LENGTH}; return n; }}"));
        Realistic {
            w,
            vars: Vec::new(),
            globals: 0,
            functions: Vec::new(),
            module: 0,
            modules: 0,
            named: 0,
            locals: 0,
            made: 0,
            until: 0,
            weight: 1,
            cost: 0,
            limit: FUNCTION_COST,
            loops: 0,
            returns: None,
        }
    }

    fn below(&mut self, n: usize) -> usize {
        self.w.random.below(n)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.w.random.chance(percent)
    }

    fn statement_line(&mut self, text: String) {
        self.made += 1;
        self.cost += self.weight;
        self.w.line(text);
    }

    // ---- Modules -----------------------------------------------------------------------------------------

    fn open_module(&mut self) {
        let m = self.modules;
        self.vars.clear();
        for (name, kind) in [("g", Kind::Int), ("h", Kind::Int), ("z", Kind::Float)] {
            let value = self.constant(kind);
            let word = if kind == Kind::Int { "int" } else { "float" };
            self.w.line(format!("{word} {name}{m} = {value};"));
            self.declare(format!("{name}{m}"), kind, true);
        }
        for (name, kind) in [("data", Kind::Ints), ("tab", Kind::Ints), ("buf", Kind::Ints)] {
            let list = [(); 6].map(|()| self.constant(Kind::Int)).join(", ");
            self.w.line(format!("int {name}{m}[{LENGTH}] = {{{list}}};"));
            self.declare(format!("{name}{m}"), kind, true);
        }
        self.w.line(format!("float re{m}[{LENGTH}];"));
        self.w.line(format!("int grid{m}[{ROWS}][{LENGTH}];"));
        self.declare(format!("re{m}"), Kind::Floats, true);
        self.globals = self.vars.len();
    }

    fn close_module(&mut self) {
        let m = self.modules;
        self.w.open(format!("void module{m}(int n)"));
        for k in self.module..self.functions.len() {
            let mut arguments = Vec::new();
            for p in 0..self.functions[k].params.len() {
                arguments.push(match self.functions[k].params[p] {
                    Kind::Int | Kind::Index if p == 0 => "n".to_string(),
                    Kind::Int | Kind::Index => self.constant(Kind::Int),
                    Kind::Float => self.constant(Kind::Float),
                    Kind::Ints => format!("{}{m}", ["data", "tab", "buf"][self.w.random.below(3)]),
                    Kind::Floats => format!("re{m}"),
                });
            }
            let call = format!("{}({})", self.functions[k].name, arguments.join(", "));
            self.made += 1;
            self.w.line(match self.functions[k].returns {
                None => format!("{call};"),
                Some(Kind::Float) => format!("mix(to_int({call}));"),
                Some(_) => format!("mix({call});"),
            });
        }
        for name in ["g", "h"] {
            self.w.line(format!("mix({name}{m});"));
        }
        for name in ["data", "tab", "buf"] {
            let place = self.below(LENGTH);
            self.w.line(format!("mix({name}{m}[{place}]);"));
        }
        let place = self.below(LENGTH);
        self.w.line(format!("show(z{m} + re{m}[{place}]);"));
        self.w.line("tell();");
        self.w.close();
        self.made += 8;
        self.modules += 1;
        // Older functions are out of reach, so that the table stays small.
        self.functions.drain(..self.module);
        self.module = self.functions.len();
    }

    fn main(&mut self) {
        self.w.open("int main()");
        for m in 0..self.modules {
            self.w.line(format!("module{m}(checksum % 1000 + {});", m % 100));
        }
        self.w.line("return checksum % 100;");
        self.w.close();
    }

    // ---- Functions ---------------------------------------------------------------------------------------

    fn function(&mut self, statements: usize) {
        let name = format!("f{}", self.named);
        self.named += 1;
        let mut params = vec![Kind::Int];
        let mut heads = vec!["int n".to_string()];
        for (head, kind, percent) in [
            ("int m", Kind::Int, 50),
            ("float f", Kind::Float, 15),
            ("int p[]", Kind::Ints, 25),
            ("int k", Kind::Int, 15),
        ] {
            if self.chance(percent) {
                params.push(kind);
                heads.push(head.to_string());
            }
        }
        self.returns = match self.below(10) {
            0 | 1 => None,
            2 => Some(Kind::Float),
            _ => Some(Kind::Int),
        };
        let word = match self.returns {
            None => "void",
            Some(Kind::Float) => "float",
            Some(_) => "int",
        };
        self.w.open(format!("{word} {name}({})", heads.join(", ")));
        for (head, &kind) in heads.iter().zip(&params) {
            let name = head.split(' ').nth(1).unwrap_or_default().trim_end_matches("[]");
            self.declare(name.to_string(), kind, false);
        }
        (self.locals, self.weight, self.cost, self.loops) = (0, 1, 1, 0);
        self.limit = FUNCTION_COST.max(statements * 8);
        self.until = self.made + statements - 1;
        for _ in 0..2 + self.below(4) {
            self.declaration();
        }
        while self.made < self.until {
            self.statement(0);
        }
        self.read_all(self.globals);
        let value = match self.returns {
            None => None,
            Some(Kind::Float) => Some(self.float_expression(1)),
            Some(_) => Some(self.int_expression(1)),
        };
        if let Some(value) = value {
            self.statement_line(format!("return {value};"));
        }
        self.w.close();
        self.vars.truncate(self.globals);
        self.functions.push(Function { name, params, returns: self.returns, cost: self.cost });
    }

    fn declare(&mut self, name: String, kind: Kind, read: bool) {
        self.vars.push(Var { name, kind, read });
    }

    fn local(&mut self) -> String {
        self.locals += 1;
        let word = WORDS[self.below(WORDS.len())];
        format!("{word}{}", self.locals)
    }

    /// A block of a few statements behind `head`, which leaves it open.
    fn block(&mut self, nesting: usize, most: usize) {
        let start = self.vars.len();
        for _ in 0..1 + self.below(most) {
            self.statement(nesting + 1);
        }
        self.read_all(start);
        self.vars.truncate(start);
    }

    /// Reads what has not been read since `start`.
    fn read_all(&mut self, start: usize) {
        for k in start..self.vars.len() {
            if self.vars[k].read {
                continue;
            }
            self.vars[k].read = true;
            let (name, place) = (self.vars[k].name.clone(), self.below(LENGTH));
            let target = self.pick(Kind::Int, true);
            let line = match self.vars[k].kind {
                Kind::Int | Kind::Index => format!("{target} = {target} + {name};"),
                Kind::Float => format!("{target} = {target} - to_int({name});"),
                Kind::Ints => format!("{target} = {target} + {name}[{place}];"),
                Kind::Floats => format!("{target} = {target} + to_int({name}[{place}]);"),
            };
            self.statement_line(line);
        }
    }

    // ---- Operands ----------------------------------------------------------------------------------------

    fn constant(&mut self, kind: Kind) -> String {
        if kind == Kind::Float {
            let quarters = ["0", "25", "5", "75"];
            return format!("{}.{}", self.below(20), quarters[self.w.random.below(4)]);
        }
        match self.below(10) {
            0 => (1000 + self.below(100_000)).to_string(),
            1 => (100 + self.below(900)).to_string(),
            2..=4 => (10 + self.below(90)).to_string(),
            _ => (1 + self.below(9)).to_string(),
        }
    }

    /// A variable of this kind, to read or to write: mostly one of the latest. There always is one.
    fn pick(&mut self, kind: Kind, write: bool) -> String {
        let fits = |var: &Var| var.kind == kind || kind == Kind::Int && var.kind == Kind::Index && !write;
        let latest = self.vars.len().saturating_sub(12).max(self.globals);
        if !write {
            let unread = (latest..self.vars.len()).rev().find(|&k| !self.vars[k].read && fits(&self.vars[k]));
            if let Some(k) = unread {
                self.vars[k].read = true;
                return self.vars[k].name.clone();
            }
        }
        let global = self.chance(12);
        for _ in 0..6 {
            let k =
                if global { self.below(self.globals) } else { latest + self.below(self.vars.len() - latest) };
            if fits(&self.vars[k]) {
                self.vars[k].read |= !write;
                return self.vars[k].name.clone();
            }
        }
        // The parameter `n`, or the module's.
        let k = match kind {
            Kind::Int | Kind::Index if !global => self.globals,
            Kind::Int | Kind::Index => self.below(2),
            Kind::Float => 2,
            Kind::Ints => 3 + self.below(3),
            Kind::Floats => 6,
        };
        self.vars[k].read |= !write;
        self.vars[k].name.clone()
    }

    fn subscript(&mut self, write: bool) -> String {
        let latest = self.vars.len().saturating_sub(12).max(self.globals);
        let near = (latest..self.vars.len()).rev().find(|&k| self.vars[k].kind == Kind::Index);
        match near {
            Some(k) if self.chance(75) => {
                self.vars[k].read = true;
                self.vars[k].name.clone()
            }
            Some(_) if !write => {
                let value = self.pick(Kind::Int, false);
                format!("wrap({value} + {})", 1 + self.below(9))
            }
            _ => self.below(LENGTH).to_string(),
        }
    }

    fn element(&mut self, kind: Kind, write: bool) -> String {
        if kind == Kind::Ints && self.chance(20) {
            let (row, column) = (self.below(ROWS), self.subscript(write));
            return format!("grid{}[{row}][{column}]", self.modules);
        }
        let array = self.pick(kind, write);
        let subscript = self.subscript(write);
        format!("{array}[{subscript}]")
    }

    fn int_operand(&mut self) -> String {
        match self.below(20) {
            0..=4 => self.element(Kind::Ints, false),
            5..=7 => self.constant(Kind::Int),
            _ => self.pick(Kind::Int, false),
        }
    }

    /// `operators` operators and an operand more.
    fn int_expression(&mut self, operators: usize) -> String {
        if operators == 0 {
            return self.int_operand();
        }
        let mut text =
            if self.chance(20) { self.element(Kind::Ints, false) } else { self.pick(Kind::Int, false) };
        for k in 0..operators {
            let operator = self.below(12);
            if operator < 2 {
                text = format!("{text} {} {}", ["/", "%"][operator], 2 + self.below(60));
                continue;
            }
            let mut other = self.int_operand();
            if other == text {
                other = self.constant(Kind::Int);
            }
            text = match operator {
                2 | 3 => format!("{text} * {other}"),
                4 if k > 0 => format!("({text}) * {other}"),
                5 if k > 0 => format!("{other} - ({text})"),
                4..=7 => format!("{text} - {other}"),
                _ => format!("{text} + {other}"),
            };
        }
        text
    }

    fn float_operand(&mut self) -> String {
        match self.below(10) {
            0..=2 => self.element(Kind::Floats, false),
            3 => self.pick(Kind::Int, false),
            4 | 5 => self.constant(Kind::Float),
            _ => self.pick(Kind::Float, false),
        }
    }

    fn float_expression(&mut self, operators: usize) -> String {
        let mut text = self.pick(Kind::Float, false);
        for _ in 0..operators {
            let operator = self.below(6);
            if operator < 2 {
                text = format!("{text} {} {}.5", ["*", "/"][operator], 1 + self.below(8));
                continue;
            }
            let mut other = self.float_operand();
            if other == text {
                other = self.constant(Kind::Float);
            }
            text = format!("{text} {} {other}", ["-", "+"][operator % 2]);
        }
        text
    }

    fn comparison(&mut self) -> String {
        let operator = ["<", ">", "<=", ">=", "==", "!="][self.w.random.below(6)];
        match self.below(10) {
            0 => {
                let (left, right) = (self.pick(Kind::Float, false), self.constant(Kind::Float));
                format!("{left} {} {right}", if operator.len() == 1 { operator } else { "<" })
            }
            1 | 2 => {
                let (left, divisor) = (self.pick(Kind::Int, false), 2 + self.below(9));
                let rest = self.below(divisor);
                format!("{left} % {divisor} == {rest}")
            }
            3 => {
                let (left, right) = (self.element(Kind::Ints, false), self.int_operand());
                format!("{left} {operator} {right}")
            }
            _ => {
                let (left, mut right) = (self.pick(Kind::Int, false), self.int_operand());
                if left == right {
                    right = self.constant(Kind::Int);
                }
                format!("{left} {operator} {right}")
            }
        }
    }

    fn condition(&mut self) -> String {
        let left = self.comparison();
        match self.below(10) {
            0 => {
                let right = self.comparison();
                format!("{left} && {right}")
            }
            1 => {
                let right = self.comparison();
                format!("{left} || {right}")
            }
            2 => {
                let value = self.pick(Kind::Int, false);
                format!("!{value} && {left}")
            }
            _ => left,
        }
    }

    /// A call that is not too much work, of a function that returns this.
    fn call(&mut self, returns: Option<Kind>) -> Option<String> {
        let count = self.functions.len();
        for _ in 0..6.min(count) {
            let k = count - 1 - self.below(count.min(40));
            let callee = &self.functions[k];
            let cost = self.weight * callee.cost;
            if callee.returns != returns || callee.cost > CALLEE_COST || self.cost + cost > self.limit {
                continue;
            }
            self.cost += cost;
            let mut arguments = Vec::new();
            for p in 0..self.functions[k].params.len() {
                arguments.push(match self.functions[k].params[p] {
                    Kind::Int | Kind::Index => self.int_operand(),
                    Kind::Float => self.pick(Kind::Float, false),
                    kind => self.pick(kind, false),
                });
            }
            return Some(format!("{}({})", self.functions[k].name, arguments.join(", ")));
        }
        None
    }

    // ---- Statements --------------------------------------------------------------------------------------

    fn statement(&mut self, nesting: usize) {
        let nest = nesting < 3 && self.made + 2 < self.until;
        match self.below(100) {
            0..=9 => self.declaration(),
            10..=22 => self.store(),
            23..=30 => self.call_statement(),
            31..=43 if nest => self.branch(nesting),
            44..=50 if nest && self.weight < 20 && self.cost < self.limit / 2 => self.counted_loop(nesting),
            51 | 52 => self.leave_early(),
            53..=59 => self.float_statement(),
            _ => self.assignment(),
        }
    }

    fn declaration(&mut self) {
        let name = self.local();
        match self.below(20) {
            0 => {
                let (a, b) = (self.constant(Kind::Int), self.int_operand());
                self.statement_line(format!("int {name}[{LENGTH}] = {{{a}, {b}}};"));
                self.cost += self.weight * LENGTH;
                self.declare(name, Kind::Ints, false);
            }
            1..=4 => {
                let value = self.int_expression(2);
                self.statement_line(format!("int {name} = wrap({value});"));
                self.declare(name, Kind::Index, false);
            }
            5 | 6 => {
                let value = self.float_expression(1);
                self.statement_line(format!("float {name} = {value};"));
                self.declare(name, Kind::Float, false);
            }
            _ => {
                let operators = 1 + self.below(3);
                let value = self.int_expression(operators);
                self.statement_line(format!("int {name} = {value};"));
                self.declare(name, Kind::Int, false);
            }
        }
    }

    fn assignment(&mut self) {
        let target = self.pick(Kind::Int, true);
        let operators = 2 + self.below(4);
        let value = self.int_expression(operators);
        if self.chance(35) {
            self.statement_line(format!("{target} = {target} + {value};"));
        } else {
            self.statement_line(format!("{target} = {value};"));
        }
    }

    fn store(&mut self) {
        let place = self.element(Kind::Ints, true);
        let operators = 2 + self.below(3);
        let value = self.int_expression(operators);
        if self.chance(30) {
            self.statement_line(format!("{place} = {place} + {value};"));
        } else {
            self.statement_line(format!("{place} = {value};"));
        }
    }

    fn float_statement(&mut self) {
        if self.chance(30) {
            let (place, value) = (self.element(Kind::Floats, true), self.float_expression(1));
            self.statement_line(format!("{place} = {value};"));
        } else {
            let (target, value) = (self.pick(Kind::Float, true), self.float_expression(1));
            self.statement_line(format!("{target} = {target} * 0.5 + {value};"));
        }
    }

    fn call_statement(&mut self) {
        let returns = match self.below(10) {
            0..=2 => None,
            3 => Some(Kind::Float),
            _ => Some(Kind::Int),
        };
        let Some(call) = self.call(returns) else { return self.assignment() };
        match returns {
            None => self.statement_line(format!("{call};")),
            Some(Kind::Float) => {
                let target = self.pick(Kind::Float, true);
                self.statement_line(format!("{target} = {call};"));
            }
            // Beside the call nothing that it could write.
            Some(_) => {
                let (target, constant) = (self.pick(Kind::Int, true), self.constant(Kind::Int));
                let rest = if self.chance(50) { format!(" + {constant}") } else { String::new() };
                self.statement_line(format!("{target} = {call}{rest};"));
            }
        }
    }

    fn branch(&mut self, nesting: usize) {
        let condition = self.condition();
        self.made += 1;
        self.cost += self.weight;
        self.w.open(format!("if ({condition})"));
        self.block(nesting, 5);
        if self.chance(15) {
            let condition = self.condition();
            self.made += 1;
            self.w.reopen(format!("else if ({condition})"));
            self.block(nesting, 4);
        }
        if self.chance(40) {
            self.w.reopen("else");
            self.block(nesting, 4);
        }
        self.w.close();
    }

    fn counted_loop(&mut self, nesting: usize) {
        let (name, trips) = (self.local(), 2 + self.below(9));
        self.statement_line(format!("int {name} = 0;"));
        self.declare(name.clone(), Kind::Index, true);
        let outer = self.weight;
        self.weight *= trips;
        self.made += 1;
        self.w.open(format!("while ({name} < {trips})"));
        self.loops += 1;
        self.block(nesting, 7);
        self.loops -= 1;
        self.statement_line(format!("{name} = {name} + 1;"));
        self.w.close();
        self.weight = outer;
    }

    fn leave_early(&mut self) {
        if self.loops > 0 {
            let condition = self.comparison();
            return self.statement_line(format!("if ({condition}) break;"));
        }
        // Seldom true, so that what follows runs.
        let (value, rest) = (self.pick(Kind::Int, false), self.below(50));
        let divisor = 60 + self.below(100);
        let result = match self.returns {
            None => String::new(),
            Some(Kind::Float) => format!(" {}", self.constant(Kind::Float)),
            Some(_) => format!(" {}", self.int_operand()),
        };
        self.statement_line(format!("if ({value} % {divisor} == {rest}) return{result};"));
    }
}
