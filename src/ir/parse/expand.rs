//! Intrinsics that stand for no opcode, as instructions that do the same, or as calls of the C library's functions of floats.
//! O(1) each.
//!
//! Bits are counted in parallel, by pairs, fours and bytes (Warren, "Hacker's Delight", 5-1); trailing and leading zeros are counts
//! of the bits below or above the outermost one.

use super::builder::{Builder, Operand};
use super::vector::VSCALE;
use super::{Parsed, Parser, Symbol};
use crate::base::Handle;
use crate::ir::{Effect, Func, IntPred, Linkage, Op, Shape, Type, Value};

/// Functions of the C library that compute what an intrinsic of the same name does, in double; that in float ends in `f`.
/// `minnum` and `maxnum` have other names there. All take so many of the type that they yield, but `ldexp` an i32 behind.
#[rustfmt::skip]
const FUNCTIONS: [(&str, &str, usize); 22] = [
    ("sqrt", "sqrt", 1), ("floor", "floor", 1), ("ceil", "ceil", 1), ("trunc", "trunc", 1), ("round", "round", 1),
    ("rint", "rint", 1), ("nearbyint", "nearbyint", 1), ("roundeven", "roundeven", 1), ("copysign", "copysign", 2),
    ("minnum", "fmin", 2), ("maxnum", "fmax", 2), ("pow", "pow", 2), ("exp", "exp", 1), ("exp2", "exp2", 1),
    ("log", "log", 1), ("log2", "log2", 1), ("log10", "log10", 1), ("sin", "sin", 1), ("cos", "cos", 1), ("tan", "tan", 1),
    ("ldexp", "ldexp", 2), ("fma", "fma", 3),
];

/// The function of the C library that computes what an intrinsic does in double, and how many arguments it takes.
pub(super) fn function_of(name: &str) -> Option<(&'static str, usize)> {
    FUNCTIONS.iter().find(|row| row.0 == name).map(|row| (row.1, row.2))
}

/// The bits of floats of so many, with a mantissa of so many, that are of some of the classes that LLVM numbers: both kinds of
/// NaN, then from negative infinity to the positive one. Each class is a range, and classes side by side are one: where it begins,
/// and how many there are.
pub(super) fn class_ranges((width, mantissa): (u32, u32), classes: u32) -> Vec<(u128, u128)> {
    let sign = 1u128 << (width - 1);
    let infinity = (sign - 1) >> mantissa << mantissa;
    // Where classes begin: zero, subnormal, normal, infinite, signalling, quiet; with the bits of either sign.
    let starts = [0, 1, 1 << mantissa, infinity, infinity + 1, infinity | 1 << (mantissa - 1), sign];
    let mut ranges = Vec::new();
    for (numbers, base) in [([6, 7, 8, 9, 0, 1], 0), ([5, 4, 3, 2, 0, 1], sign)] {
        let mut k = 0;
        while let Some(first) = (k..6).find(|&k| classes >> numbers[k] & 1 != 0) {
            k = (first..6).find(|&k| classes >> numbers[k] & 1 == 0).unwrap_or(6);
            ranges.push((starts[first] + base, starts[k] - starts[first]));
        }
    }
    ranges
}

impl Builder {
    pub(super) fn choice(
        &mut self,
        ty: Type,
        (pred, a, b): (IntPred, Value, Value),
        yes: Value,
        no: Value,
    ) -> Value {
        let args = [Operand::Value(a), Operand::Value(b)];
        let is = Operand::Value(Value::inst(self.insert(Op::ICmp, Type::I1, &args, pred as u32)));
        Value::inst(self.insert(Op::Select, ty, &[is, Operand::Value(yes), Operand::Value(no)], 0))
    }

    /// How many bits are set.
    pub(super) fn count_bits(&mut self, ty: Type, x: Value) -> Value {
        let byte = |byte: i64| byte.wrapping_mul(0x0101_0101_0101_0101);
        let odd = self.by(Op::LShr, ty, x, 1);
        let odd = self.by(Op::And, ty, odd, byte(0x55));
        let pairs = self.make(Op::Sub, ty, &[x, odd], 0);
        let low = self.by(Op::And, ty, pairs, byte(0x33));
        let high = self.by(Op::LShr, ty, pairs, 2);
        let high = self.by(Op::And, ty, high, byte(0x33));
        let fours = self.make(Op::Add, ty, &[low, high], 0);
        let high = self.by(Op::LShr, ty, fours, 4);
        let sum = self.make(Op::Add, ty, &[fours, high], 0);
        let bytes = self.by(Op::And, ty, sum, byte(0x0f));
        if ty == Type::I8 {
            return bytes;
        }
        let sum = self.by(Op::Mul, ty, bytes, byte(1));
        self.by(Op::LShr, ty, sum, i64::from(ty.int_bits()) - 8)
    }

    /// The bytes the other way round.
    pub(super) fn swapped(&mut self, ty: Type, x: Value) -> Value {
        if ty.bytes() > 1 { self.make(Op::SwapBytes, ty, &[x], 0) } else { x }
    }

    /// The bits the other way round.
    pub(super) fn reversed(&mut self, ty: Type, mut x: Value) -> Value {
        for (by, mask) in [(1, 0x5555_5555_5555_5555), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)]
        {
            let high = self.by(Op::LShr, ty, x, by);
            let high = self.by(Op::And, ty, high, mask);
            let low = self.by(Op::And, ty, x, mask);
            let low = self.by(Op::Shl, ty, low, by);
            x = self.make(Op::Or, ty, &[high, low], 0);
        }
        self.swapped(ty, x)
    }

    /// True if the float of these bits is of one of the classes.
    fn is_of_class(&mut self, ty: Type, bits: Value, classes: u32) -> Value {
        let mut found = Value::bool(false);
        for (low, count) in class_ranges(if ty == Type::I64 { (64, 52) } else { (32, 23) }, classes) {
            let distance = self.by(Op::Sub, ty, bits, low as i64);
            let most = self.f.int_of(ty, count as i64);
            let is = self.make(Op::ICmp, Type::I1, &[distance, most], IntPred::Ult as u32);
            found = self.make(Op::Or, Type::I1, &[found, is], 0);
        }
        found
    }

    /// The upper (or lower) half of a and b side by side, shifted left (or right) by what is modulo the width.
    fn funnel(&mut self, ty: Type, [a, b, by]: [Value; 3], left: bool) -> Value {
        let bits = i64::from(ty.int_bits());
        let by = self.by(Op::And, ty, by, bits - 1);
        let rest = self.by(Op::Xor, ty, by, bits - 1);
        if left {
            let high = self.make(Op::Shl, ty, &[a, by], 0);
            let low = self.by(Op::LShr, ty, b, 1);
            let low = self.make(Op::LShr, ty, &[low, rest], 0);
            return self.make(Op::Or, ty, &[high, low], 0);
        }
        let low = self.make(Op::LShr, ty, &[b, by], 0);
        let high = self.by(Op::Shl, ty, a, 1);
        let high = self.make(Op::Shl, ty, &[high, rest], 0);
        self.make(Op::Or, ty, &[high, low], 0)
    }
}

impl Parser<'_> {
    /// The result of an intrinsic that is made of others. `None` for one that is not known here.
    pub(super) fn expanded(
        &mut self,
        b: &mut Builder,
        name: &str,
        result: Type,
        args: &[(Type, Operand)],
    ) -> Parsed<Option<Option<Value>>> {
        if let Some(value) = self.overflowing(b, name, args)? {
            let is_so = b.made.is_none() && b.f.type_of(value) == result;
            return Ok(is_so.then_some(Some(value)));
        }
        let mut words = name.split('.').skip(1);
        let Some(first) = words.next() else { return Ok(None) };
        if first == "trap" && args.is_empty() && result == Type::Void {
            let func = self.declared("abort", Type::Void, &[], Effect::ALL)?;
            b.insert(Op::Call, Type::Void, &[], func.index() as u32);
            return Ok(Some(None));
        }
        if first == "vscale" && args.is_empty() && result.is_int() {
            return Ok(Some(Some(b.f.int_of(result, i64::from(VSCALE)))));
        }
        let known = args.iter().all(|(_, v)| matches!(v, Operand::Value(_)));
        let v: Vec<Value> = args.iter().map(|&(_, v)| v.now()).collect();
        let ty = args.first().map_or(Type::Void, |row| row.0);
        let same =
            |count: usize| args.len() >= count && args[..count].iter().all(|row| row.0 == ty) && ty == result;
        let is_whole = ty.is_int() && ty != Type::I1;
        // What has to be a number.
        let is_known = |b: &Builder, k: usize| v.get(k).is_some_and(|&v| b.f.as_int(v).is_some());
        let is_flag = |b: &Builder, k: usize| args[k].0 == Type::I1 && is_known(b, k);
        let value = match (first, &*v) {
            // Its operand is the address already.
            ("threadlocal", &[v]) if same(1) && known && ty == Type::Ptr => v,
            ("expect", &[v, _] | &[v, _, _]) if same(2) && known => v,
            ("is", &[_]) if result == Type::I1 => match words.next() {
                Some("constant") => Value::bool(false),
                _ => return Ok(None),
            },
            ("is", &[x, classes])
                if words.next() == Some("fpclass") && ty.is_float() && result == Type::I1 =>
            {
                let Some(classes) = b.f.as_int(classes) else { return Ok(None) };
                let to = if ty == Type::F64 { Type::I64 } else { Type::I32 };
                let bits = self.bits(b, Operand::Value(x), to)?;
                b.is_of_class(to, bits, classes as u32)
            }
            // How large an object is, if that is not known: all it can be, or nothing.
            ("objectsize", &[_, least, ..])
                if result.is_int() && ty == Type::Ptr && (1..v.len()).all(|k| is_flag(b, k)) =>
            {
                let Some(least) = b.f.as_int(least) else { return Ok(None) };
                b.f.int_of(result, if least == 0 { -1 } else { 0 })
            }
            ("fmuladd", &[x, y, z]) if same(3) && ty.is_float() && known => {
                let product = b.make(Op::FMul, ty, &[x, y], 0);
                b.make(Op::FAdd, ty, &[product, z], 0)
            }
            ("ctpop", &[x]) if same(1) && is_whole && known => b.count_bits(ty, x),
            ("bitreverse", &[x]) if same(1) && is_whole && known => b.reversed(ty, x),
            ("fshl", &[x, y, by]) if same(3) && is_whole && known => b.funnel(ty, [x, y, by], true),
            ("fshr", &[x, y, by]) if same(3) && is_whole && known => b.funnel(ty, [x, y, by], false),
            ("ptrmask", &[x, mask]) if same(1) && ty == Type::Ptr && known => {
                let word = self.pointer_int();
                let number = b.make(Op::PtrToInt, word, &[x], 0);
                let mask = b.resized(Operand::Value(mask), b.f.type_of(mask), word, Op::SExt).now();
                let number = b.make(Op::And, word, &[number, mask], 0);
                b.make(Op::IntToPtr, ty, &[number], 0)
            }
            ("load", &[base, by])
                if ty == Type::Ptr && result == ty && known && words.next() == Some("relative") =>
            {
                let byte = self.leaving(Shape::scalar(Type::I8), true).index() as u32;
                let place = b.make(Op::ElemAddr, ty, &[base, by], byte);
                let distance = b.make(Op::Load, Type::I32, &[place], 0);
                b.make(Op::ElemAddr, ty, &[base, distance], byte)
            }
            ("usub", &[x, y]) if same(2) && is_whole && known && words.next() == Some("sat") => {
                let difference = b.make(Op::Sub, ty, &[x, y], 0);
                let zero = b.f.int_of(ty, 0);
                b.choice(ty, (IntPred::Ult, x, y), zero, difference)
            }
            ("uadd", &[x, y]) if same(2) && is_whole && known && words.next() == Some("sat") => {
                let sum = b.make(Op::Add, ty, &[x, y], 0);
                let most = b.f.int_of(ty, -1);
                b.choice(ty, (IntPred::Ult, sum, x), most, sum)
            }
            _ if result.is_float() && ty == result && !v.is_empty() => {
                let Some((function, count)) = function_of(first) else { return Ok(None) };
                if v.len() != count || first != "ldexp" && !same(count) {
                    return Ok(None);
                }
                let suffix = if ty == Type::F32 { "f" } else { "" };
                let types: Vec<Type> = args.iter().map(|row| row.0).collect();
                let func = self.declared(&format!("{function}{suffix}"), ty, &types, Effect::NONE)?;
                let operands: Vec<Operand> = args.iter().map(|row| row.1).collect();
                Value::inst(b.insert(Op::Call, ty, &operands, func.index() as u32))
            }
            _ => return Ok(None),
        };
        Ok(Some(Some(value)))
    }

    /// A function of the C library, which is declared here if the text has not done so.
    pub(super) fn declared(
        &mut self,
        name: &str,
        result: Type,
        params: &[Type],
        effect: Effect,
    ) -> Parsed<crate::ir::FuncId> {
        let name = self.module.env.names.intern(name);
        self.symbols.grow_to(self.module.env.names.len(), Symbol::None);
        match self.symbols[name] {
            Symbol::None => {}
            Symbol::Func(func) => {
                let row = &self.module.env.funcs[func];
                if row.params == params && row.result == result && !row.variadic {
                    return Ok(func);
                }
                return self.error("a function of the C library has another type here");
            }
            Symbol::Global(_) | Symbol::Special(_) | Symbol::Alias(_) | Symbol::Place(_) => {
                return self.error("a function of the C library is a global here");
            }
        }
        let func = Func { effect, ..Func::new(name, result, params.to_vec(), Linkage::Declared) };
        let func = self.module.env.funcs.push(func);
        self.extended.push(Vec::new());
        self.symbols[name] = Symbol::Func(func);
        Ok(func)
    }
}
