//! A JIT: functions are compiled as their lines come, placed in memory that is to be at an address, and call what is there
//! already: `cargo run --example jit -- aarch64 20000000 image < lines`.
//!
//! A line is a function of ints in postfix notation; `?` takes a number, and two to choose from:
//!
//! ```text
//! square x = x x *
//! norm x y = x square y square +
//! ```
//!
//! The library makes bytes; where memory comes from, and that it may be executed, is the client's. This one writes an image,
//! which a program of the machine maps and calls (`tests/backend/jit.rs`).

use std::collections::HashMap;
use sysyc::backend::{
    Codegen, Func, FunctionBuilder, IntPred, Level, Linkage, Module, Name, Signature, Target, Type, Val,
};

/// Code and where it is.
pub(crate) struct Jit {
    module: Module,
    codegen: Codegen,
    /// By name: the function, how many arguments it takes, and where it is.
    pub(crate) functions: HashMap<String, (Func, usize, u64)>,
    /// What is to be at `base`.
    pub(crate) memory: Vec<u8>,
    base: u64,
}

impl Jit {
    pub(crate) fn new(target: Target, base: u64) -> Jit {
        // -O1 is each function by itself; -O0 compiles several times faster.
        let codegen = Codegen::new(&target, Level::O1);
        Jit { module: Module::new(target), codegen, functions: HashMap::new(), memory: Vec::new(), base }
    }

    /// Compiles a function and gives its address.
    pub(crate) fn define(&mut self, line: &str) -> Result<u64, Box<dyn std::error::Error>> {
        let (head, body) = line.split_once('=').ok_or("'=' is missing")?;
        let mut params = head.split_whitespace();
        let name = params.next().ok_or("a name is missing")?;
        let params: Vec<&str> = params.collect();
        let signature = Signature::new().params(&vec![Type::I32; params.len()]).result(Type::I32);
        let func = self.module.function(name, signature, Linkage::Local)?;
        let mut f = self.module.build(func)?;
        let mut stack: Vec<Val> = Vec::new();
        for word in body.split_whitespace() {
            let value = self.word(&mut f, &mut stack, &params, word)?;
            stack.push(value);
        }
        f.ret(stack.pop());
        let definition = f.finish()?;
        let code = self.codegen.compile(&self.module, definition)?;

        // Behind what is there, aligned; a function may call itself.
        let start = self.memory.len().next_multiple_of(code.align() as usize);
        let address = self.base + start as u64;
        self.functions.insert(name.to_string(), (func, params.len(), address));
        self.memory.resize(start + code.size(), 0);
        let place = |wanted| match wanted {
            Name::Func(func) => self.functions.values().find(|row| row.0 == func).map(|row| row.2),
            _ => None,
        };
        code.place(&mut self.memory[start..], address, place)?;
        Ok(address)
    }

    fn word(
        &self,
        f: &mut FunctionBuilder,
        stack: &mut Vec<Val>,
        params: &[&str],
        word: &str,
    ) -> Result<Val, String> {
        if let Ok(x) = word.parse() {
            return Ok(f.int(Type::I32, x));
        }
        if let Some(k) = params.iter().position(|name| *name == word) {
            return Ok(f.param(k));
        }
        let known = self.functions.get(word);
        let count = match word {
            "+" | "-" | "*" | "<" => 2,
            "?" => 3,
            _ => known.ok_or(format!("there is no '{word}'"))?.1,
        };
        let first = stack.len().checked_sub(count).ok_or(format!("'{word}' takes {count}"))?;
        let args = stack.split_off(first);
        Ok(match (word, known) {
            ("+", _) => f.add(args[0], args[1]),
            ("-", _) => f.sub(args[0], args[1]),
            ("*", _) => f.mul(args[0], args[1]),
            ("<", _) => {
                let truth = f.icmp(IntPred::Slt, args[0], args[1]);
                f.zext(truth, Type::I32)
            }
            (_, Some((func, ..))) => f.call(*func, &args).ok_or(format!("'{word}' gives nothing"))?,
            _ => {
                let zero = f.int(Type::I32, 0);
                let truth = f.icmp(IntPred::Ne, args[0], zero);
                f.select(truth, args[1], args[2])
            }
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let target = Target::new(&arguments.next().unwrap_or("aarch64".to_string()))?;
    let base = u64::from_str_radix(&arguments.next().unwrap_or("20000000".to_string()), 16)?;
    let mut jit = Jit::new(target, base);
    for line in std::io::stdin().lines() {
        let line = line?;
        println!("{:#x} {line}", jit.define(&line)?);
    }
    if let Some(path) = arguments.next() {
        std::fs::write(path, &jit.memory)?;
    }
    Ok(())
}
