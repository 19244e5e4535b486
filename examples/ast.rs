//! From your AST to bytes: `cargo run --example ast -- riscv64 out.o`. What a front end has behind its checks, trees of
//! functions with statements and expressions, becomes an object, one function a kind of node.
//!
//! Everything that bodies name is declared first, functions and texts; then bodies are built, in any order. Variables of the
//! language are variables of the builder, which makes SSA values of them.

use std::collections::HashMap;
use sysyc::backend::{
    Data, Error, Func, FunctionBuilder, Global, IntPred, Level, Linkage, Module, Object, Options, Signature,
    Target, Type, Val, Variable,
};

/// What gives a number, or the address of a text.
pub(crate) enum Expr {
    Number(i32),
    /// A row of `Program::texts`.
    Text(usize),
    Name(&'static str),
    /// `+`, `-`, `*`, `/`, `%`, `<` or `=`.
    Binary(char, Box<Expr>, Box<Expr>),
    Call(&'static str, Vec<Expr>),
}

pub(crate) enum Statement {
    /// Declares the variable, if there is none of this name.
    Set(&'static str, Expr),
    If(Expr, Vec<Statement>, Vec<Statement>),
    While(Expr, Vec<Statement>),
    Do(Expr),
    Return(Expr),
}

/// A function of ints.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) params: Vec<&'static str>,
    pub(crate) body: Vec<Statement>,
}

pub(crate) struct Program {
    pub(crate) texts: Vec<&'static str>,
    pub(crate) functions: Vec<Function>,
}

/// What names stand for in a body.
struct Lower<'a> {
    functions: &'a HashMap<&'static str, Func>,
    texts: &'a [Global],
    variables: HashMap<&'static str, Variable>,
}

impl Lower<'_> {
    fn expr(&mut self, f: &mut FunctionBuilder, expr: &Expr) -> Result<Val, String> {
        Ok(match expr {
            Expr::Number(x) => f.int(Type::I32, i64::from(*x)),
            Expr::Text(k) => f.address(self.texts[*k]),
            Expr::Name(name) => f.get(*self.variables.get(name).ok_or(format!("there is no '{name}'"))?),
            Expr::Binary(op, left, right) => {
                let (a, b) = (self.expr(f, left)?, self.expr(f, right)?);
                match op {
                    '+' => f.add(a, b),
                    '-' => f.sub(a, b),
                    '*' => f.mul(a, b),
                    '/' => f.sdiv(a, b),
                    '%' => f.srem(a, b),
                    _ => {
                        let truth = f.icmp(if *op == '<' { IntPred::Slt } else { IntPred::Eq }, a, b);
                        f.zext(truth, Type::I32)
                    }
                }
            }
            Expr::Call(name, args) => {
                let func = *self.functions.get(name).ok_or(format!("there is no function '{name}'"))?;
                let args: Result<Vec<Val>, String> = args.iter().map(|arg| self.expr(f, arg)).collect();
                f.call(func, &args?).ok_or(format!("'{name}' takes other arguments"))?
            }
        })
    }

    /// A condition, as a branch to one of two new blocks.
    fn branch(&mut self, f: &mut FunctionBuilder, test: &Expr) -> Result<[sysyc::backend::Block; 2], String> {
        let (value, zero) = (self.expr(f, test)?, f.int(Type::I32, 0));
        let (truth, blocks) = (f.icmp(IntPred::Ne, value, zero), [f.create_block(), f.create_block()]);
        f.cond_br(truth, blocks[0], blocks[1]);
        Ok(blocks)
    }

    fn block(&mut self, f: &mut FunctionBuilder, statements: &[Statement]) -> Result<(), String> {
        for statement in statements {
            match statement {
                Statement::Set(name, expr) => {
                    let value = self.expr(f, expr)?;
                    let variable = *self.variables.entry(name).or_insert_with(|| f.variable(Type::I32));
                    f.set(variable, value);
                }
                Statement::If(test, then, otherwise) => {
                    let ([yes, no], end) = (self.branch(f, test)?, f.create_block());
                    for (block, statements) in [(yes, then), (no, otherwise)] {
                        f.switch_to(block);
                        self.block(f, statements)?;
                        f.br(end);
                    }
                    f.switch_to(end);
                }
                Statement::While(test, body) => {
                    let head = f.create_block();
                    f.br(head);
                    f.switch_to(head);
                    let [inside, end] = self.branch(f, test)?;
                    f.switch_to(inside);
                    self.block(f, body)?;
                    f.br(head);
                    f.switch_to(end);
                }
                Statement::Do(expr) => _ = self.expr(f, expr)?,
                Statement::Return(expr) => {
                    let value = self.expr(f, expr)?;
                    f.ret(Some(value));
                    // What follows is never reached, and needs a place all the same.
                    let rest = f.create_block();
                    f.switch_to(rest);
                }
            }
        }
        Ok(())
    }
}

/// The module of a program, which may call `printf`.
pub(crate) fn module(program: &Program, target: Target) -> Result<Module, Box<dyn std::error::Error>> {
    let (mut module, mut functions, mut texts) = (Module::new(target), HashMap::new(), Vec::new());
    let printf = Signature::new().param(Type::Ptr).result(Type::I32).variadic();
    functions.insert("printf", module.function("printf", printf, Linkage::Import)?);
    for (k, text) in program.texts.iter().enumerate() {
        texts.push(module.data(&format!("text.{k}"), Data::string(text), Linkage::Local)?);
    }
    for function in &program.functions {
        let signature = Signature::new().params(&vec![Type::I32; function.params.len()]).result(Type::I32);
        functions.insert(function.name, module.function(function.name, signature, Linkage::Export)?);
    }
    for function in &program.functions {
        let mut f = module.build(functions[function.name])?;
        let mut lower = Lower { functions: &functions, texts: &texts, variables: HashMap::new() };
        for (k, &name) in function.params.iter().enumerate() {
            let variable = f.variable(Type::I32);
            f.set(variable, f.param(k));
            lower.variables.insert(name, variable);
        }
        lower.block(&mut f, &function.body).map_err(|message| format!("{}: {message}", function.name))?;
        let zero = f.int(Type::I32, 0);
        f.ret(Some(zero));
        let body = f.finish()?;
        module.define(body)?;
    }
    Ok(module)
}

/// int collatz(int n) { int steps = 0; while (1 < n) { if (n % 2 == 0) n = n / 2; else n = n * 3 + 1; steps = steps + 1; }
/// printf("%d steps\n", steps); return steps; }
pub(crate) fn sample() -> Program {
    let (name, number) = (|name| Box::new(Expr::Name(name)), |x| Box::new(Expr::Number(x)));
    let half = Statement::Set("n", Expr::Binary('/', name("n"), number(2)));
    let triple = Box::new(Expr::Binary('*', name("n"), number(3)));
    let triple = Statement::Set("n", Expr::Binary('+', triple, number(1)));
    let rest = Box::new(Expr::Binary('%', name("n"), number(2)));
    let step = Statement::If(Expr::Binary('=', rest, number(0)), vec![half], vec![triple]);
    let count = Statement::Set("steps", Expr::Binary('+', name("steps"), number(1)));
    let body = vec![
        Statement::Set("steps", Expr::Number(0)),
        Statement::While(Expr::Binary('<', number(1), name("n")), vec![step, count]),
        Statement::Do(Expr::Call("printf", vec![Expr::Text(0), Expr::Name("steps")])),
        Statement::Return(Expr::Name("steps")),
    ];
    Program {
        texts: vec!["%d steps\n"],
        functions: vec![Function { name: "collatz", params: vec!["n"], body }],
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = Target::new(&arguments.next().unwrap_or("riscv64".to_string()))?;
    let module = module(&sample(), target)?;
    match arguments.next() {
        Some(path) => {
            let bytes: Result<Vec<u8>, Error> =
                module.compile(&Options::at(Level::O2)).and_then(Object::to_elf);
            std::fs::write(path, bytes?)?;
        }
        None => print!("{}", module.assembly(&Options::at(Level::O2))?),
    }
    Ok(())
}
