//! Programs with tensors, and the same programs with arrays and loops: the second is what the first has to do.
//!
//! The text with loops is as plain as can be. Every operand is copied when its turn comes, every operator has a loop and an
//! array of its own, and what is assigned is copied last: so what the right side names is not overwritten, and a call
//! changes nothing that was read before it. It is C, too.
//!
//! Shapes have up to four dimensions, of which each has up to four elements; tensors are global, local, constant and
//! parameters, some of them the same; the first length of a parameter may be left out. Numbers stand on either side:
//! literals, elements, variables and calls with effects. Functions return tensors, and call themselves.

use super::Random;
use std::fmt::Write;

/// True for floats.
type Element = bool;
type Shape = Vec<usize>;

#[derive(Clone)]
struct Var {
    name: String,
    element: Element,
    shape: Shape,
    /// A parameter whose first length is not written.
    open: bool,
    constant: bool,
}

#[derive(Clone)]
struct Func {
    name: String,
    params: Vec<Var>,
    result: Option<(Element, Shape)>,
}

enum What {
    Leaf(Var),
    /// A number, as both texts write it, and whether it is a float.
    Number(String, bool),
    Negated(Box<Expr>),
    Binary(char, Box<Expr>, Box<Expr>),
    /// A function, its tensors and its number.
    Call(Func, Vec<Expr>, String),
}

struct Expr {
    what: What,
    element: Element,
    shape: Shape,
    open: bool,
}

struct Maker {
    random: Random,
    tensors: String,
    loops: String,
    depth: usize,
    /// The lengths of matrices.
    sides: [usize; 2],
    shapes: Vec<Shape>,
    /// Tensors in view, globals first.
    vars: Vec<Var>,
    /// Ints in view.
    ints: Vec<String>,
    funcs: Vec<Func>,
    /// The function at hand may call itself, as long as `n` is above 0.
    itself: Option<Func>,
    next: usize,
}

fn type_name(element: Element) -> &'static str {
    if element { "float" } else { "int" }
}

fn dims(shape: &[usize]) -> String {
    shape.iter().fold(String::new(), |mut text, length| {
        _ = write!(text, "[{length}]");
        text
    })
}

/// Loops over a shape around a statement, in which `@` stands for the subscripts.
fn each(shape: &[usize], statement: &str) -> String {
    let mut text = String::new();
    let mut subscripts = String::new();
    for (k, length) in shape.iter().enumerate() {
        _ = write!(text, "for (int i{k} = 0; i{k} < {length}; i{k}++) ");
        _ = write!(subscripts, "[i{k}]");
    }
    text + &statement.replace('@', &subscripts)
}

/// A program with tensors, and with loops.
pub(crate) fn pair(seed: u64, size: usize) -> [String; 2] {
    let mut random = Random::new(seed);
    let (m, n) = (1 + random.below(4), 1 + random.below(4));
    let mut shapes =
        vec![vec![m, m], vec![m, n], vec![n, m], vec![n, n], vec![m], vec![n, m, 2], vec![2, m, 1, n]];
    shapes.dedup();
    let (tensors, loops) = (String::new(), String::new());
    let (vars, ints, funcs) = (Vec::new(), Vec::new(), Vec::new());
    let mut maker = Maker {
        random,
        tensors,
        loops,
        depth: 0,
        sides: [m, n],
        shapes,
        vars,
        ints,
        funcs,
        itself: None,
        next: 0,
    };
    maker.program(size);
    [maker.tensors, maker.loops]
}

impl Maker {
    fn name(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    fn both(&mut self, line: &str) {
        self.tensor(line);
        self.plain(line);
    }

    fn tensor(&mut self, line: &str) {
        _ = writeln!(self.tensors, "{}{line}", "    ".repeat(self.depth));
    }

    fn plain(&mut self, line: &str) {
        _ = writeln!(self.loops, "{}{line}", "    ".repeat(self.depth));
    }

    fn shape(&mut self) -> Shape {
        self.random.pick(&self.shapes.clone()).clone()
    }

    // ---- Definitions --------------------------------------------------------------------------------------

    fn program(&mut self, size: usize) {
        self.both("void show(float x) { if (x == x) putfloat(x); else putch(110); putch(10); }");
        for shape in self.shapes.clone() {
            for element in [false, true] {
                let constant = self.random.chance(15);
                self.declare("g", element, &shape, constant);
                if constant {
                    self.declare("g", element, &shape, false);
                }
            }
        }
        for _ in 0..2 {
            self.counter();
        }
        for _ in 0..1 + self.random.below(3) {
            self.function();
        }
        self.both("int main() {");
        self.depth = 1;
        self.both("int k = 3;");
        self.ints.push("k".to_string());
        self.statements(3 + size / 4);
        for var in self.vars.clone() {
            self.print(&var);
        }
        self.both("return 0;");
        self.depth = 0;
        self.both("}");
    }

    fn number(&mut self, element: Element) -> String {
        if element {
            let sign = if self.random.chance(30) { "-" } else { "" };
            return format!("{sign}{}.{}", self.random.below(9), self.random.pick(&["0", "5", "25", "1"]));
        }
        match self.random.below(12) {
            0 => "2147483647".to_string(),
            1 => "-2147483647".to_string(),
            2 => "0".to_string(),
            _ => (self.random.below(40) as i64 - 15).to_string(),
        }
    }

    /// A tensor with a list of numbers, in view from here on.
    fn declare(&mut self, prefix: &str, element: Element, shape: &[usize], constant: bool) {
        let name = self.name(prefix);
        let total: usize = shape.iter().product();
        let given = if self.random.chance(80) { total } else { self.random.below(total + 1) };
        let list: Vec<String> = (0..given).map(|_| self.number(element)).collect();
        let modifier = if constant { "const " } else { "" };
        let tail = format!("{} {name}{} = {{{}}};", type_name(element), dims(shape), list.join(", "));
        self.tensor(&format!("{modifier}tensor {tail}"));
        self.plain(&format!("{modifier}{tail}"));
        self.vars.push(Var { name, element, shape: shape.to_vec(), open: false, constant });
    }

    /// A function that returns a number and changes a global tensor.
    fn counter(&mut self) {
        let name = self.name("count");
        let globals: Vec<Var> = self.vars.iter().filter(|var| !var.constant).cloned().collect();
        let var = self.random.pick(&globals).clone();
        self.both(&format!("int {name}(int x) {{"));
        self.depth = 1;
        self.tensor(&format!("{0} = {0} + x;", var.name));
        self.plain(&each(&var.shape, &format!("{0}@ = {0}@ + x;", var.name)));
        self.both("return x * 3 - 1;");
        self.depth = 0;
        self.both("}");
        self.funcs.push(Func { name, params: Vec::new(), result: None });
    }

    fn function(&mut self) {
        let name = self.name("f");
        let (seen, ints) = (self.vars.clone(), self.ints.clone());
        let mut params = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let (element, shape) = (self.random.chance(40), self.shape());
            // Parameters that can be the same tensor.
            let (element, shape) = match params.last() {
                Some(Var { element, shape, .. }) if self.random.chance(50) => (*element, shape.clone()),
                _ => (element, shape),
            };
            let open = self.random.chance(50);
            params.push(Var { name: self.name("p"), element, shape, open, constant: false });
        }
        let result = self.random.chance(70).then(|| (self.random.chance(40), self.shape()));
        let func = Func { name: name.clone(), params: params.clone(), result: result.clone() };
        let mut list: Vec<String> = Vec::new();
        for var in &params {
            let first = if var.open { "[]".to_string() } else { dims(&var.shape[..1]) };
            list.push(format!("{} {}{first}{}", type_name(var.element), var.name, dims(&var.shape[1..])));
        }
        let plain = list.join(", ");
        let tensor: Vec<String> = list.iter().map(|param| format!("tensor {param}")).collect();
        let tensor = tensor.join(", ");
        match &result {
            Some((element, shape)) => {
                let ty = type_name(*element);
                self.tensor(&format!("tensor {ty} {name}({tensor}, int n) {{"));
                self.plain(&format!("void {name}({plain}, int n, {ty} result{}) {{", dims(shape)));
            }
            None => {
                self.tensor(&format!("void {name}({tensor}, int n) {{"));
                self.plain(&format!("void {name}({plain}, int n) {{"));
            }
        }
        self.depth = 1;
        self.vars.extend(params);
        self.ints = vec!["n".to_string()];
        let count = 1 + self.random.below(3);
        self.statements(count);
        if let Some((element, shape)) = &result {
            let local = self.name("r");
            let expr = self.known(*element, shape, 2);
            self.define(&local, &expr);
            let var = Var {
                name: local.clone(),
                element: *element,
                shape: shape.clone(),
                open: false,
                constant: false,
            };
            self.vars.push(var.clone());
            if self.random.chance(40) {
                self.itself = Some(func.clone());
                self.both("if (n > 0) {");
                self.depth += 1;
                let call = self.call(&func, "n - 1".to_string());
                let call = match self.random.chance(50) {
                    true => self.binary('-', call, leaf(&var)),
                    false => call,
                };
                self.assign(&var, &call);
                self.depth -= 1;
                self.both("}");
                self.itself = None;
            }
            let expr = if self.random.chance(50) { leaf(&var) } else { self.known(*element, shape, 2) };
            self.tensor(&format!("return {};", text(&expr)));
            let from = self.compute(&expr);
            self.plain(&each(shape, &format!("result@ = {from}@;")));
        }
        self.depth = 0;
        self.both("}");
        (self.vars, self.ints) = (seen, ints);
        self.funcs.push(func);
    }

    // ---- Expressions --------------------------------------------------------------------------------------

    fn leaf_of(&mut self, element: Element, shape: &[usize], known: bool) -> Var {
        let fits = |var: &&Var| var.element == element && var.shape == shape && !(known && var.open);
        let found: Vec<Var> = self.vars.iter().filter(fits).cloned().collect();
        // Those that were declared last are parameters and locals.
        let from = if self.random.chance(60) { found.len().saturating_sub(3) } else { 0 };
        self.random.pick(&found[from..]).clone()
    }

    /// A number: as it is written, and whether it is a float.
    fn scalar(&mut self, element: Element) -> (String, bool) {
        let elements: Vec<Var> = self.vars.iter().filter(|var| !var.element).cloned().collect();
        match self.random.below(8) {
            0 => {
                let var = self.random.pick(&elements).clone();
                (self.element_of(&var), false)
            }
            1 if !self.ints.is_empty() => (self.random.pick(&self.ints.clone()).clone(), false),
            2 if self.random.chance(60) => {
                let name = self.funcs[self.random.below(2)].name.clone();
                (format!("{name}({})", self.random.below(5)), false)
            }
            3 if !self.ints.is_empty() => {
                let name = self.random.pick(&self.ints.clone()).clone();
                (format!("({name} * 2 + 1)"), false)
            }
            4 | 5 if element => (self.number(true).replace('-', ""), true),
            // A float beside ints loses its fraction.
            4 if self.random.chance(30) => ("2.0".to_string(), true),
            _ => ((self.random.below(30)).to_string(), false),
        }
    }

    fn element_of(&mut self, var: &Var) -> String {
        let subscripts: Vec<usize> = var.shape.iter().map(|&length| self.random.below(length)).collect();
        format!("{}{}", var.name, dims(&subscripts))
    }

    fn binary(&self, op: char, a: Expr, b: Expr) -> Expr {
        let is_number = |e: &Expr| matches!(e.what, What::Number(..));
        let (element, shape, open) = match (is_number(&a), is_number(&b)) {
            _ if op == '@' => (a.element, vec![a.shape[0], b.shape[1]], a.open),
            (true, _) => (b.element, b.shape.clone(), b.open),
            (_, true) => (a.element, a.shape.clone(), a.open),
            _ => (a.element, a.shape.clone(), a.open && b.open),
        };
        Expr { what: What::Binary(op, Box::new(a), Box::new(b)), element, shape, open }
    }

    fn expr(&mut self, element: Element, shape: &[usize], depth: usize) -> Expr {
        if depth == 0 || self.random.chance(12) {
            return leaf(&self.leaf_of(element, shape, false));
        }
        let number = |(text, is_float)| Expr {
            what: What::Number(text, is_float),
            element,
            shape: Vec::new(),
            open: false,
        };
        match self.random.below(20) {
            0 | 1 => {
                let a = self.expr(element, shape, depth - 1);
                let (shape, open) = (a.shape.clone(), a.open);
                Expr { what: What::Negated(Box::new(a)), element, shape, open }
            }
            2..=5 if shape.len() == 2 => {
                let inner = *self.random.pick(&self.sides.clone());
                let a = self.expr(element, &[shape[0], inner], depth - 1);
                let b = self.expr(element, &[inner, shape[1]], depth - 1);
                self.binary('@', a, b)
            }
            6..=8 => {
                let op = *self.random.pick(&['+', '-', '*']);
                let number = number(self.scalar(element));
                let a = self.expr(element, shape, depth - 1);
                match self.random.chance(50) {
                    true => self.binary(op, a, number),
                    false => self.binary(op, number, a),
                }
            }
            9 | 10 if !element => {
                // By what is never zero.
                let op = *self.random.pick(&['/', '%']);
                let five = Expr { what: What::Number("5".to_string(), false), ..leaf_like(element) };
                let seven = Expr { what: What::Number("7".to_string(), false), ..leaf_like(element) };
                let b = self.expr(element, shape, depth - 1);
                let b = self.binary('%', b, five);
                let b = self.binary('+', b, seven);
                if self.random.chance(30) {
                    let number = number((self.random.below(2000).to_string(), false));
                    return self.binary(op, number, b);
                }
                let a = self.expr(element, shape, depth - 1);
                self.binary(op, a, b)
            }
            9 | 10 => {
                let (a, b) = (self.expr(element, shape, depth - 1), self.expr(element, shape, depth - 1));
                self.binary('/', a, b)
            }
            11 | 12 => {
                let fits =
                    |func: &&Func| func.result.as_ref().is_some_and(|(e, s)| *e == element && s == shape);
                let found: Vec<Func> = self.funcs.iter().filter(fits).cloned().collect();
                if found.is_empty() {
                    return leaf(&self.leaf_of(element, shape, false));
                }
                let func = self.random.pick(&found).clone();
                let depth = self.random.below(3).to_string();
                self.call(&func, depth)
            }
            _ => {
                let op = *self.random.pick(&['+', '-', '*', '+', '-']);
                let a = self.expr(element, shape, depth - 1);
                let b = self.expr(element, shape, depth - 1);
                self.binary(op, a, b)
            }
        }
    }

    /// An expression whose first length is known.
    fn known(&mut self, element: Element, shape: &[usize], depth: usize) -> Expr {
        let expr = self.expr(element, shape, depth);
        match expr.open {
            true => {
                let var = self.leaf_of(element, shape, true);
                self.binary('+', expr, leaf(&var))
            }
            false => expr,
        }
    }

    /// An argument that a function may write to: no constant.
    fn written(&mut self, element: Element, shape: &[usize]) -> Expr {
        let expr = self.known(element, shape, 1);
        match &expr.what {
            What::Leaf(var) if var.constant => {
                let zero = Expr { what: What::Number("0".to_string(), false), ..leaf_like(element) };
                self.binary('+', expr, zero)
            }
            _ => expr,
        }
    }

    fn call(&mut self, func: &Func, number: String) -> Expr {
        let mut args = Vec::new();
        for param in func.params.clone() {
            let is_name = self.random.chance(60);
            let var = self.leaf_of(param.element, &param.shape, false);
            args.push(match is_name && !var.constant {
                true => leaf(&var),
                false => self.written(param.element, &param.shape),
            });
        }
        let (element, shape) = func.result.clone().unwrap_or_default();
        Expr { what: What::Call(func.clone(), args, number), element, shape, open: false }
    }

    /// Writes loops that compute an expression; the array that it is in.
    fn compute(&mut self, expr: &Expr) -> String {
        let (ty, shape) = (type_name(expr.element), expr.shape.clone());
        match &expr.what {
            What::Leaf(var) => {
                let to = self.array(ty, &shape);
                self.plain(&each(&shape, &format!("{to}@ = {}@;", var.name)));
                to
            }
            What::Number(number, is_float) => {
                let (first, name) = (self.name("s"), self.name("s"));
                self.plain(&format!("{} {first} = {number};", type_name(*is_float)));
                self.plain(&format!("{ty} {name} = {first};"));
                name
            }
            What::Negated(a) => {
                let a = self.compute(a);
                let to = self.array(ty, &shape);
                self.plain(&each(&shape, &format!("{to}@ = -{a}@;")));
                to
            }
            What::Binary('@', a, b) => {
                let inner = a.shape[1];
                let (a, b) = (self.compute(a), self.compute(b));
                let to = self.array(ty, &shape);
                let zero = if expr.element { "0.0" } else { "0" };
                self.plain(&each(&shape, &format!("{to}@ = {zero};")));
                let sum = format!("{to}[i0][i1] = {to}[i0][i1] + {a}[i0][i2] * {b}[i2][i1];");
                self.plain(&each(&[shape[0], shape[1], inner], &sum));
                to
            }
            What::Binary(op, a, b) => {
                let at = |e: &Expr| if matches!(e.what, What::Number(..)) { "" } else { "@" };
                let (of_a, of_b) = (at(a), at(b));
                let (a, b) = (self.compute(a), self.compute(b));
                let to = self.array(ty, &shape);
                self.plain(&each(&shape, &format!("{to}@ = {a}{of_a} {op} {b}{of_b};")));
                to
            }
            What::Call(func, args, number) => {
                let mut names: Vec<String> = Vec::new();
                for arg in args {
                    names.push(match &arg.what {
                        What::Leaf(var) if !var.constant => var.name.clone(),
                        _ => self.compute(arg),
                    });
                }
                names.push(number.clone());
                let mut to = String::new();
                if func.result.is_some() {
                    to = self.array(ty, &shape);
                    names.push(to.clone());
                }
                self.plain(&format!("{}({});", func.name, names.join(", ")));
                to
            }
        }
    }

    fn array(&mut self, ty: &str, shape: &[usize]) -> String {
        let name = self.name("t");
        self.plain(&format!("{ty} {name}{};", dims(shape)));
        name
    }

    // ---- Statements ---------------------------------------------------------------------------------------

    fn assign(&mut self, var: &Var, expr: &Expr) {
        self.tensor(&format!("{} = {};", var.name, text(expr)));
        self.plain("{");
        let from = self.compute(expr);
        self.plain(&each(&var.shape, &format!("{}@ = {from}@;", var.name)));
        self.plain("}");
    }

    fn define(&mut self, name: &str, expr: &Expr) {
        let (ty, place) = (type_name(expr.element), dims(&expr.shape));
        self.tensor(&format!("tensor {ty} {name}{place} = {};", text(expr)));
        self.plain(&format!("{ty} {name}{place};"));
        self.plain("{");
        let from = self.compute(expr);
        self.plain(&each(&expr.shape, &format!("{name}@ = {from}@;")));
        self.plain("}");
    }

    /// One that can be assigned to.
    fn target(&mut self) -> Var {
        let found: Vec<Var> = self.vars.iter().filter(|var| !var.constant).cloned().collect();
        let from = if self.random.chance(60) { found.len().saturating_sub(4) } else { 0 };
        self.random.pick(&found[from..]).clone()
    }

    fn value_for(&mut self, var: &Var) -> Expr {
        let depth = 1 + self.random.below(3);
        match var.open {
            true => self.known(var.element, &var.shape, depth),
            false => self.expr(var.element, &var.shape, depth),
        }
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..count {
            self.statement();
        }
    }

    fn statement(&mut self) {
        match self.random.below(20) {
            0 | 1 => {
                let name = self.name("v");
                let (element, shape) = (self.random.chance(40), self.shape());
                let expr = self.known(element, &shape, 2);
                self.define(&name, &expr);
                self.vars.push(Var { name, element, shape, open: false, constant: false });
            }
            2 => {
                let (element, shape) = (self.random.chance(40), self.shape());
                self.declare("v", element, &shape, false);
            }
            3 | 4 => {
                let var = self.target();
                let place = self.element_of(&var);
                let (number, _) = self.scalar(var.element);
                self.both(&format!("{place} = {number};"));
            }
            5..=7 => {
                let var = self.target();
                let (value, op) = match var.shape.len() == 2 && var.shape[0] == var.shape[1] && !var.open {
                    true if self.random.chance(50) => (self.expr(var.element, &var.shape, 1), '@'),
                    _ => (self.value_for(&var), *self.random.pick(&['+', '-', '*'])),
                };
                self.tensor(&format!("{} {op}= {};", var.name, text(&value)));
                let whole = self.binary(op, leaf(&var), value);
                self.plain("{");
                let from = self.compute(&whole);
                self.plain(&each(&var.shape, &format!("{}@ = {from}@;", var.name)));
                self.plain("}");
            }
            8 | 9 if self.funcs.len() > 2 => {
                let func = self.funcs[2 + self.random.below(self.funcs.len() - 2)].clone();
                let number = self.random.below(3).to_string();
                let call = self.call(&func, number);
                self.tensor(&format!("{};", text(&call)));
                self.plain("{");
                self.compute(&call);
                self.plain("}");
            }
            10 => {
                let shape = self.shape();
                let total: usize = shape.iter().product();
                let expr = self.known(false, &shape, 2);
                self.tensor(&format!("putarray({total}, {});", text(&expr)));
                self.plain("{");
                let from = self.compute(&expr);
                self.plain_list(&from, &shape);
                self.plain("}");
            }
            11 if self.depth < 3 => {
                let (number, _) = self.scalar(false);
                let seen = self.vars.len();
                self.both(&format!("if ({number} > 3) {{"));
                self.depth += 1;
                self.statements(2);
                self.vars.truncate(seen);
                self.depth -= 1;
                self.both("}");
            }
            12 if self.depth < 3 => {
                let (name, seen) = (self.name("k"), self.vars.len());
                self.both(&format!("for (int {name} = 0; {name} < 2; {name}++) {{"));
                self.depth += 1;
                self.ints.push(name);
                self.statements(2);
                self.ints.pop();
                self.vars.truncate(seen);
                self.depth -= 1;
                self.both("}");
            }
            13 => {
                let var = self.target();
                if !var.open {
                    self.print(&var);
                }
            }
            _ => {
                let var = self.target();
                let value = self.value_for(&var);
                self.assign(&var, &value);
            }
        }
    }

    /// What `putarray` prints.
    fn plain_list(&mut self, name: &str, shape: &[usize]) {
        let total: usize = shape.iter().product();
        self.plain(&format!("putint({total}); putch(58);"));
        self.plain(&each(shape, &format!("{{ putch(32); putint({name}@); }}")));
        self.plain("putch(10);");
    }

    fn print(&mut self, var: &Var) {
        if var.element {
            return self.both(&each(&var.shape, &format!("show({}@);", var.name)));
        }
        let total: usize = var.shape.iter().product();
        self.tensor(&format!("putarray({total}, {});", var.name));
        self.plain_list(&var.name.clone(), &var.shape.clone());
    }
}

fn leaf(var: &Var) -> Expr {
    Expr { what: What::Leaf(var.clone()), element: var.element, shape: var.shape.clone(), open: var.open }
}

fn leaf_like(element: Element) -> Expr {
    Expr { what: What::Number(String::new(), false), element, shape: Vec::new(), open: false }
}

/// How tightly an operator binds.
fn binds(expr: &Expr) -> usize {
    match expr.what {
        What::Binary('+' | '-', ..) => 1,
        What::Binary(..) => 2,
        What::Negated(_) => 3,
        _ => 4,
    }
}

/// An expression as it is written, without parentheses where none are needed.
fn text(expr: &Expr) -> String {
    let inside = |e: &Expr, least: usize| if binds(e) < least { format!("({})", text(e)) } else { text(e) };
    match &expr.what {
        What::Leaf(var) => var.name.clone(),
        What::Number(number, _) => number.clone(),
        What::Negated(a) => format!("-{}", inside(a, 4)),
        What::Binary(op, a, b) => {
            let own = binds(expr);
            format!("{} {op} {}", inside(a, own), inside(b, own + 1))
        }
        What::Call(func, args, number) => {
            let args: Vec<String> = args.iter().map(text).chain([number.clone()]).collect();
            format!("{}({})", func.name, args.join(", "))
        }
    }
}
