//! A toy language from text to a program, in a hundred lines: `cargo run --example calculator -- riscv64 calc.o`.
//!
//! A program is definitions of functions on 32-bit integers:
//!
//! ```text
//! fact(n) = if n < 2 then 1 else n * fact(n - 1)
//! main(x) = fact(x) + 1
//! ```
//!
//! What is defined calls what stands above it, itself, and what is below. The object's functions can be called from
//! C: `int fact(int)`.

use std::collections::HashMap;
use sysyc::backend::{
    Error, Func, FunctionBuilder, IntPred, Level, Linkage, Module, Object, Options, Signature, Target, Type,
    Val,
};

/// What is left of the text, and what names stand for.
struct Parser<'a> {
    words: std::iter::Peekable<std::vec::IntoIter<&'a str>>,
    functions: &'a HashMap<&'a str, Func>,
    parameters: HashMap<&'a str, Val>,
}

/// Numbers and names, and signs of one character.
fn words(line: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric();
        let end =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

impl<'a> Parser<'a> {
    fn take(&mut self, word: &str) -> bool {
        self.words.next_if(|next| *next == word).is_some()
    }

    fn choice(&mut self, f: &mut FunctionBuilder) -> Result<Val, String> {
        if !self.take("if") {
            return self.comparison(f);
        }
        let result = f.variable(Type::I32);
        let (yes, no, end) = (f.create_block(), f.create_block(), f.create_block());
        let (test, zero) = (self.comparison(f)?, f.int(Type::I32, 0));
        let test = f.icmp(IntPred::Ne, test, zero);
        f.cond_br(test, yes, no);
        for (word, block) in [("then", yes), ("else", no)] {
            if !self.take(word) {
                return Err(format!("'{word}' is missing"));
            }
            f.switch_to(block);
            let value = self.choice(f)?;
            f.set(result, value);
            f.br(end);
        }
        f.switch_to(end);
        Ok(f.get(result))
    }

    fn comparison(&mut self, f: &mut FunctionBuilder) -> Result<Val, String> {
        let left = self.sum(f)?;
        let Some(pred) = self.words.next_if(|word| matches!(*word, "<" | ">")) else { return Ok(left) };
        let right = self.sum(f)?;
        let truth = f.icmp(if pred == "<" { IntPred::Slt } else { IntPred::Sgt }, left, right);
        Ok(f.zext(truth, Type::I32))
    }

    fn sum(&mut self, f: &mut FunctionBuilder) -> Result<Val, String> {
        let mut left = self.product(f)?;
        while let Some(sign) = self.words.next_if(|word| matches!(*word, "+" | "-")) {
            let right = self.product(f)?;
            left = if sign == "+" { f.add(left, right) } else { f.sub(left, right) };
        }
        Ok(left)
    }

    fn product(&mut self, f: &mut FunctionBuilder) -> Result<Val, String> {
        let mut left = self.atom(f)?;
        while self.take("*") {
            let right = self.atom(f)?;
            left = f.mul(left, right);
        }
        Ok(left)
    }

    fn atom(&mut self, f: &mut FunctionBuilder) -> Result<Val, String> {
        let word = self.words.next().ok_or("something is missing at the end")?;
        if word == "(" {
            let value = self.choice(f)?;
            return if self.take(")") { Ok(value) } else { Err("')' is missing".to_string()) };
        }
        if let Ok(number) = word.parse() {
            return Ok(f.int(Type::I32, number));
        }
        if !self.take("(") {
            return self.parameters.get(word).copied().ok_or(format!("there is no '{word}'"));
        }
        let func = *self.functions.get(word).ok_or(format!("there is no function '{word}'"))?;
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.push(self.choice(f)?);
            self.take(",");
        }
        f.call(func, &arguments).ok_or(format!("'{word}' takes other arguments"))
    }
}

/// The module of a program.
pub(crate) fn compile(text: &str, target: Target) -> Result<Module, Box<dyn std::error::Error>> {
    let (mut module, mut functions) = (Module::new(target), HashMap::new());
    let heads = text.lines().filter_map(|line| line.split_once('='));
    let heads: Vec<(Vec<&str>, &str)> = heads.map(|(head, body)| (words(head), body)).collect();
    for (head, _) in &heads {
        let count = head.iter().skip(1).filter(|word| !matches!(**word, "(" | ")" | ",")).count();
        let signature = Signature::new().params(&vec![Type::I32; count]).result(Type::I32);
        functions.insert(head[0], module.function(head[0], signature, Linkage::Export)?);
    }
    for (head, body) in &heads {
        let mut f = module.build(functions[head[0]])?;
        let names = head.iter().skip(1).filter(|word| !matches!(**word, "(" | ")" | ","));
        let parameters = names.enumerate().map(|(k, &name)| (name, f.param(k))).collect();
        let mut parser =
            Parser { words: words(body).into_iter().peekable(), functions: &functions, parameters };
        let result = parser.choice(&mut f).map_err(|message| format!("{}: {message}", head[0]))?;
        f.ret(Some(result));
        let body = f.finish()?;
        module.define(body)?;
    }
    Ok(module)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = Target::new(&arguments.next().unwrap_or("riscv64".to_string()))?;
    let text = std::io::read_to_string(std::io::stdin())?;
    let module = compile(&text, target)?;
    match arguments.next() {
        Some(path) => {
            let bytes: Result<Vec<u8>, Error> =
                module.compile(&Options::at(Level::O2)).and_then(Object::to_elf);
            std::fs::write(path, bytes?)?;
        }
        None => print!("{}", module.text()),
    }
    Ok(())
}
