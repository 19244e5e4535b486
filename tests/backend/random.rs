//! Random calls of the builder, right and wrong ones: an error or a body, and of a body code or a machine that cannot; never a
//! panic, and never a bug found by the verifier or a pass.

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use sysyc::backend::{Block, Extension, Global, Prototype, Variable};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn rarely(&mut self) -> bool {
        self.below(500) == 0
    }
}

const TYPES: [Type; 8] =
    [Type::I1, Type::I8, Type::I16, Type::I32, Type::I64, Type::F32, Type::F64, Type::Ptr];
type Binary = fn(&mut FunctionBuilder, Val, Val) -> Val;

macro_rules! binary {
    ($($name:ident)*) => { [$(|f, a, b| f.$name(a, b)),*] };
}

const BINARY: [Binary; 19] =
    binary![add sub mul sdiv srem udiv urem and or xor shl lshr ashr smin smax umin umax smulhi umulhi];

/// What a module has, and a foreign one's of each kind.
struct Things {
    /// With their parameters and what they give.
    funcs: Vec<(Func, Vec<Type>, Type)>,
    prototypes: Vec<(Prototype, Vec<Type>)>,
    globals: Vec<Global>,
}

/// A function in the making, and what is there to be used in it.
struct Body<'a> {
    f: FunctionBuilder<'a>,
    things: &'a Things,
    /// Of each block, the values that are defined in it or in the entry.
    entry: Vec<Val>,
    here: Vec<Val>,
    variables: Vec<(Variable, Type)>,
    blocks: Vec<Block>,
    /// The function that it is of.
    own: &'a (Func, Vec<Type>, Type),
}

impl Body<'_> {
    /// A value of a type, most often.
    fn value(&mut self, r: &mut Random, ty: Type) -> Val {
        let all: Vec<Val> = self.entry.iter().chain(&self.here).copied().collect();
        if r.rarely() && !all.is_empty() {
            return r.of(&all);
        }
        let fit: Vec<Val> = all.into_iter().filter(|&v| self.f.type_of(v) == Some(ty)).collect();
        if !fit.is_empty() && r.below(4) != 0 {
            return r.of(&fit);
        }
        match ty {
            Type::F32 => self.f.float(r.below(100) as f32 - 7.5),
            Type::F64 => self.f.double(r.below(100) as f64 - 7.5),
            Type::Ptr => match r.below(4) {
                0 => self.f.null(),
                1 => self.f.stack([1, 4, 40, 4000][r.below(4)], [1, 4, 8][r.below(3)]),
                2 if !r.rarely() => self.f.function_address(self.things.funcs[0].0),
                _ => self.f.address(r.of(&self.things.globals)),
            },
            _ => {
                let above = 63.min(64 - if ty == Type::I1 { 1 } else { 8 * ty.bytes() });
                let x =
                    [0, 1, -1, 7, 255, i64::MAX, i64::MIN, i64::MAX >> above, i64::MIN >> above][r.below(9)];
                self.f.int(ty, x << above >> above)
            }
        }
    }

    fn values(&mut self, r: &mut Random, types: &[Type]) -> Vec<Val> {
        let types = if r.rarely() { &types[..types.len() / 2] } else { types };
        types.iter().map(|&ty| self.value(r, ty)).collect()
    }

    fn step(&mut self, r: &mut Random) {
        let ty = r.of(&TYPES);
        let int = r.of(&TYPES[..5]);
        let first = usize::from(!r.rarely());
        let (float, stored) = (r.of(&TYPES[5..7]), r.of(&TYPES[first..]));
        let made = match r.below(18) {
            0..4 => {
                let (a, b) = (self.value(r, int), self.value(r, int));
                Some(r.of(&BINARY)(&mut self.f, a, b))
            }
            4 => {
                let (a, b, c) = (self.value(r, float), self.value(r, float), self.value(r, float));
                Some(match r.below(6) {
                    0 => self.f.fadd(a, b),
                    1 => self.f.fsub(a, b),
                    2 => self.f.fmul(a, b),
                    3 => self.f.fdiv(a, b),
                    4 => self.f.fneg(a),
                    _ if float == Type::F64 => self.f.fabs(a),
                    _ => self.f.fma(a, b, c),
                })
            }
            5 => {
                let operands = if r.below(4) == 0 { Type::Ptr } else { int };
                let (a, b) = (self.value(r, operands), self.value(r, operands));
                Some(self.f.icmp(r.of(&IntPred::ALL), a, b))
            }
            6 => {
                let (a, b) = (self.value(r, float), self.value(r, float));
                Some(self.f.fcmp(r.of(&FloatPred::ALL), a, b))
            }
            7 => {
                let (test, a, b) = (self.value(r, Type::I1), self.value(r, ty), self.value(r, ty));
                Some(self.f.select(test, a, b))
            }
            8 => {
                let (x, wide) = (self.value(r, int), r.of(&TYPES[..5]));
                let bits = |ty: Type| ty.int_bits();
                Some(match bits(int).cmp(&bits(wide)) {
                    std::cmp::Ordering::Less if r.below(2) == 0 => self.f.zext(x, wide),
                    std::cmp::Ordering::Less => self.f.sext(x, wide),
                    std::cmp::Ordering::Equal => self.f.not(x),
                    std::cmp::Ordering::Greater => self.f.trunc(x, wide),
                })
            }
            9 => {
                let (x, y, address) = (self.value(r, int), self.value(r, float), self.value(r, Type::Ptr));
                Some(match r.below(9) {
                    7 => self.f.uitofp(x, float),
                    8 => self.f.fptoui(y, int),
                    0 => self.f.sitofp(x, float),
                    1 => self.f.fptosi(y, int),
                    2 | 3 if float == Type::F32 => self.f.fpext(y, Type::F64),
                    2 | 3 => self.f.fptrunc(y, Type::F32),
                    4 => self.f.ptrtoint(address, int),
                    5 => self.f.inttoptr(x),
                    _ => self.f.is_null(address),
                })
            }
            10 => {
                let address = self.value(r, Type::Ptr);
                Some(self.f.load(stored, address))
            }
            11 => {
                let (x, address) = (self.value(r, stored), self.value(r, Type::Ptr));
                self.f.store(x, address);
                None
            }
            12 => {
                let (address, index) = (self.value(r, Type::Ptr), self.value(r, Type::I32));
                Some(self.f.index(address, index, [0, 1, 3, 8, 1 << 20][r.below(5)]))
            }
            13 => {
                let (to, from) = (self.value(r, Type::Ptr), self.value(r, Type::Ptr));
                let (byte, bytes) = (self.value(r, Type::I8), self.value(r, Type::I32));
                if r.below(2) == 0 {
                    self.f.memset(to, byte, bytes)
                } else {
                    self.f.memcpy(to, from, bytes)
                }
                None
            }
            14 => {
                let things = self.things;
                let known = things.funcs.len() - usize::from(!r.rarely());
                let (func, types, _) = &things.funcs[r.below(known)];
                let args = self.values(r, types);
                self.f.call(*func, &args)
            }
            15 => {
                let things = self.things;
                let (prototype, types) = &things.prototypes[r.below(things.prototypes.len())];
                let (address, args) = (self.value(r, Type::Ptr), self.values(r, types));
                self.f.call_indirect(*prototype, address, &args)
            }
            16 => {
                let (variable, ty) = r.of(&self.variables);
                let x = self.value(r, ty);
                self.f.set(variable, x);
                None
            }
            _ => Some(self.f.get(r.of(&self.variables).0)),
        };
        self.here.extend(made);
    }

    /// Ends the block, and goes to one that has no end.
    fn end(&mut self, r: &mut Random, open: &mut Vec<Block>) {
        let to = |r: &mut Random, blocks: &[Block]| {
            let first = usize::from(!r.rarely());
            r.of(&blocks[first..])
        };
        match r.below(8) {
            0 => {
                let x = self.value(r, self.own.2);
                self.f.ret(Some(x));
            }
            7 => {
                let things = self.things;
                let (func, types, _) = if r.rarely() { &things.funcs[r.below(2)] } else { self.own };
                let args = self.values(r, types);
                self.f.return_call(*func, &args);
            }
            1 => self.f.unreachable(),
            2 => self.f.br(to(r, &self.blocks)),
            3 => {
                let (x, default) = (self.value(r, Type::I16), to(r, &self.blocks));
                // Far apart, or so close that they are a table.
                let (count, apart) =
                    if r.below(3) == 0 { (r.below(40), 1 + r.below(3)) } else { (r.below(9), 1000) };
                let cases: Vec<(i64, Block)> =
                    (0..count).map(|k| ((k * apart) as i64 - 3, to(r, &self.blocks))).collect();
                self.f.switch(x, &cases, default);
            }
            _ => {
                let (test, yes, no) = (self.value(r, Type::I1), to(r, &self.blocks), to(r, &self.blocks));
                self.f.cond_br(test, yes, no);
            }
        }
        if let Some(block) = open.pop() {
            self.f.switch_to(block);
        }
        self.here.clear();
    }
}

fn things(m: &mut Module, r: &mut Random) -> Things {
    let mut things = Things { funcs: Vec::new(), prototypes: Vec::new(), globals: Vec::new() };
    let signature = |r: &mut Random| {
        let types: Vec<Type> = (0..r.below(12)).map(|_| r.of(&TYPES)).collect();
        let mut signature = Signature::new();
        for &ty in &types {
            let narrow = matches!(ty, Type::I1 | Type::I8 | Type::I16) && r.below(2) == 0;
            signature = if narrow {
                signature.param_as(ty, [Extension::Zero, Extension::Sign][r.below(2)])
            } else {
                signature.param(ty)
            };
        }
        (signature, types)
    };
    for (name, linkage) in [("a", Linkage::Export), ("b", Linkage::Local), ("c", Linkage::Import)] {
        let (of, types) = signature(r);
        let result = r.of(&TYPES);
        let func = m.function(name, of.result(result), linkage).unwrap();
        things.funcs.push((func, types, result));
        let (of, types) = signature(r);
        let of = if r.below(2) == 0 { of } else { of.result(r.of(&TYPES)) };
        things.prototypes.push((m.prototype(of).unwrap(), types));
    }
    m.take_address(things.funcs[0].0).unwrap();
    let bytes = Data::bytes(&[1, 2, 3, 4, 5, 6, 7, 8]).align(8);
    things.globals.push(m.data("bytes", bytes, Linkage::Local).unwrap());
    let to = Data::zeros(16).align(8).constant().address(8, things.globals[0], 4);
    things.globals.push(m.data("to", to.function_address(0, things.funcs[1].0), Linkage::Export).unwrap());
    let mut other = Module::new(*m.target());
    let foreign = other.function("f", Signature::new().result(Type::I32), Linkage::Import).unwrap();
    things.funcs.push((foreign, Vec::new(), Type::I32));
    things
}

/// How many bodies were right.
fn attempt(seed: u64) -> usize {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let target = Target::new(TARGETS[seed as usize % 3].0).unwrap();
    let mut m = Module::new(target);
    let things = things(&mut m, &mut r);
    let mut right = 0;
    for k in 0..2 {
        let own = &things.funcs[k];
        let &(func, ref params, _) = own;
        let mut f = m.build(func).unwrap();
        let more: Vec<Block> = (0..1 + r.below(6)).map(|_| f.create_block()).collect();
        let blocks = [vec![f.current_block()], more.clone()].concat();
        let variables = TYPES.map(|ty| (f.variable(ty), ty)).to_vec();
        let (entry, here, mut open) = ((0..params.len()).map(|k| f.param(k)).collect(), Vec::new(), more);
        let count = blocks.len();
        let mut body = Body { f, things: &things, entry, here, variables, blocks, own };
        // To read one that has not been set is wrong.
        for (variable, ty) in body.variables.clone() {
            if r.below(40) != 0 {
                let x = body.value(&mut r, ty);
                body.f.set(variable, x);
            }
        }
        for _ in 0..count {
            for _ in 0..r.below(14) {
                body.step(&mut r);
            }
            body.end(&mut r, &mut open);
        }
        let definition = body.f.finish();
        match definition {
            Ok(definition) => {
                m.define(definition).unwrap();
                right += 1;
            }
            Err(error) => {
                assert_eq!(error.kind, ErrorKind::Misuse, "seed {seed}: {error}");
                let mut f = m.build(func).unwrap();
                f.unreachable();
                let body = f.finish().unwrap();
                m.define(body).unwrap();
            }
        }
    }
    m.verify().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", m.text()));
    for level in LEVELS {
        if let Err(error) = m.clone().compile(&Options::at(level).verify()) {
            assert_eq!(error.kind, ErrorKind::Unsupported, "seed {seed} {level:?}: {error}\n{}", m.text());
        }
    }
    right
}

#[test]
fn random_calls_are_errors_or_code() {
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(usual);
    let (first, count) = (number("SYSYC_SEED", 1), number("SYSYC_FUZZ", 400));
    let mut right = 0;
    for seed in first..first + count {
        let done = catch_unwind(AssertUnwindSafe(|| attempt(seed)));
        right += done.unwrap_or_else(|_| panic!("seed {seed}"));
    }
    assert!(right as u64 > count, "{right} of {} are right", 2 * count);
}
