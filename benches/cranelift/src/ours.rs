//! `sysyc::backend` as the builder.

use crate::Side;
use crate::body::{Bin, Build, FUNCTIONS, VARIABLES, body};
use sysyc::backend::{
    Block, Codegen, Func, FunctionBuilder, IntPred, Level, Linkage, Module, Signature, Target, Type, Val,
    Variable,
};

pub struct Ours {
    module: Module,
    funcs: Vec<Func>,
    callee: Func,
    codegen: Codegen,
}

impl Ours {
    pub fn new(target: &str, level: Level) -> Ours {
        let mut module = Module::new(Target::new(target).expect("a target"));
        let two = Signature::new().params(&[Type::I32; 2]).result(Type::I32);
        let callee = module.function("g", two, Linkage::Import).expect("a function");
        let signature = Signature::new().params(&[Type::I32; 3]).param(Type::Ptr).result(Type::I32);
        let funcs =
            (0..FUNCTIONS).map(|k| module.function(&format!("f{k}"), signature.clone(), Linkage::Local));
        let funcs = funcs.map(|func| func.expect("a function")).collect();
        let codegen = Codegen::new(module.target(), level);
        Ours { module, funcs, callee, codegen }
    }
}

impl Side for Ours {
    fn function(&mut self, k: usize, to_code: bool) -> (u64, usize) {
        let f = self.module.build(self.funcs[k]).expect("it has no body");
        let mut b = Builder { f, variables: [None; VARIABLES], callee: self.callee };
        let count = body(k, &mut b);
        let definition = b.f.finish().expect("it is right");
        if !to_code {
            return (count, 0);
        }
        let code = self.codegen.compile(&self.module, definition).expect("it has code");
        (count, code.size())
    }
}

struct Builder<'m> {
    f: FunctionBuilder<'m>,
    variables: [Option<Variable>; VARIABLES],
    callee: Func,
}

impl Builder<'_> {
    fn variable(&mut self, k: usize) -> Variable {
        *self.variables[k].get_or_insert_with(|| self.f.variable(Type::I32))
    }
}

impl Build for Builder<'_> {
    type Val = Val;
    type Block = Block;

    fn param(&mut self, k: usize) -> Val {
        self.f.param(k)
    }

    fn int(&mut self, x: i32) -> Val {
        self.f.int(Type::I32, x.into())
    }

    fn get(&mut self, variable: usize) -> Val {
        let variable = self.variable(variable);
        self.f.get(variable)
    }

    fn set(&mut self, variable: usize, v: Val) {
        let variable = self.variable(variable);
        self.f.set(variable, v);
    }

    fn bin(&mut self, op: Bin, a: Val, b: Val) -> Val {
        match op {
            Bin::Add => self.f.add(a, b),
            Bin::Sub => self.f.sub(a, b),
            Bin::Mul => self.f.mul(a, b),
            Bin::And => self.f.and(a, b),
            Bin::Or => self.f.or(a, b),
            Bin::Xor => self.f.xor(a, b),
        }
    }

    fn shl(&mut self, a: Val, bits: i32) -> Val {
        let bits = self.int(bits);
        self.f.shl(a, bits)
    }

    fn lshr(&mut self, a: Val, bits: i32) -> Val {
        let bits = self.int(bits);
        self.f.lshr(a, bits)
    }

    fn less(&mut self, a: Val, b: Val) -> Val {
        self.f.icmp(IntPred::Slt, a, b)
    }

    fn select(&mut self, condition: Val, a: Val, b: Val) -> Val {
        self.f.select(condition, a, b)
    }

    fn element(&mut self, base: Val, index: Val) -> Val {
        self.f.index(base, index, 4)
    }

    fn load(&mut self, address: Val) -> Val {
        self.f.load(Type::I32, address)
    }

    fn store(&mut self, v: Val, address: Val) {
        self.f.store(v, address);
    }

    fn call(&mut self, a: Val, b: Val) -> Val {
        self.f.call(self.callee, &[a, b]).expect("it gives something")
    }

    fn block(&mut self) -> Block {
        self.f.create_block()
    }

    fn switch_to(&mut self, block: Block) {
        self.f.switch_to(block);
    }

    fn seal(&mut self, block: Block) {
        self.f.seal(block);
    }

    fn br(&mut self, to: Block) {
        self.f.br(to);
    }

    fn cond_br(&mut self, condition: Val, yes: Block, no: Block) {
        self.f.cond_br(condition, yes, no);
    }

    fn ret(&mut self, v: Val) {
        self.f.ret(Some(v));
    }
}
