//! What the builder's methods are made of: operands are looked at, the first thing that is wrong is kept.

use super::{Block, FunctionBuilder, Takes, Val, Variable};
use crate::backend::error::Error;
use crate::ir::{self, Builder, Op, Type, Value};

impl FunctionBuilder<'_> {
    pub(super) fn val(&self, value: Value) -> Val {
        Val { value, of: self.number }
    }

    pub(super) fn poison(&self) -> Val {
        self.val(Value::undef(Type::I32))
    }

    /// Notes that a variable has not been set where it is read.
    pub(super) fn unset(&mut self, variable: u32) -> Val {
        let is_own = self.exception.is_some_and(|own| own.variable == variable);
        self.wrong(|| if is_own { super::LOST.to_string() } else { super::unset(variable) })
    }

    /// Notes what is wrong, if nothing was.
    pub(super) fn wrong(&mut self, what: impl FnOnce() -> String) -> Val {
        if self.error.is_none() {
            self.error = Some(Error::misuse(what()));
        }
        self.poison()
    }

    /// The values, if nothing is wrong so far.
    pub(super) fn values<const N: usize>(&mut self, what: &str, vals: [Val; N]) -> Option<[Value; N]> {
        if vals.iter().any(|v| v.of != self.number) {
            self.wrong(|| format!("{what}: a value of another function, or a parameter that is not there"));
        }
        let void = |v: &Val| self.body.type_of(v.value) == Type::Void;
        if self.error.is_none() && vals.iter().any(void) {
            self.wrong(|| format!("{what}: a call that gives nothing is no operand"));
        }
        self.error.is_none().then(|| vals.map(|v| v.value))
    }

    pub(super) fn alike(&mut self, what: &str, vals: [Val; 2]) -> Option<[Value; 2]> {
        let [a, b] = self.values(what, vals)?;
        let [left, right] = [a, b].map(|v| self.body.type_of(v));
        if left != right {
            self.wrong(|| format!("{what}: {} and {}", left.name(), right.name()));
            return None;
        }
        Some([a, b])
    }

    pub(super) fn of_type(&mut self, what: &str, v: Val, ty: Type) -> Option<[Value; 1]> {
        let [value] = self.values(what, [v])?;
        let given = self.body.type_of(value);
        if given != ty {
            self.wrong(|| format!("{what}: {} where {} is wanted", given.name(), ty.name()));
            return None;
        }
        Some([value])
    }

    pub(super) fn pointer(&mut self, what: &str, v: Val) -> Option<[Value; 1]> {
        self.of_type(what, v, Type::Ptr)
    }

    pub(super) fn condition(&mut self, what: &str, v: Val) -> Option<[Value; 1]> {
        self.of_type(what, v, Type::I1)
    }

    pub(super) fn block(&mut self, block: Block) -> Option<ir::Block> {
        if block.of != self.number {
            self.wrong(|| "a block of another function".to_string());
        }
        self.error.is_none().then_some(block.block)
    }

    /// A block that the current one may go to.
    pub(super) fn target(&mut self, what: &str, to: Block) -> Option<ir::Block> {
        let to = self.block(to)?;
        if self.body.entry() == Some(to) {
            self.wrong(|| format!("{what}: nothing can go back to the entry"));
        } else if self.variables.is_sealed(to) {
            self.wrong(|| format!("{what}: to a block that is sealed"));
        }
        (self.error.is_none() && self.is_open(what)).then_some(to)
    }

    pub(super) fn is_open(&mut self, what: &str) -> bool {
        if self.is_ended() {
            self.wrong(|| format!("{what}: the block has ended; switch to another one"));
        }
        self.error.is_none()
    }

    pub(super) fn variable_type(&mut self, variable: Variable) -> Option<Type> {
        if variable.of != self.number {
            self.wrong(|| "a variable of another function".to_string());
            return None;
        }
        self.variables.types.get(variable.variable as usize).copied()
    }

    pub(super) fn builder(&mut self) -> Builder<'_> {
        Builder { env: &self.module.ir.env, f: &mut self.body, block: self.at, place: self.place }
    }

    /// An instruction at the end of the current block.
    pub(super) fn build(&mut self, make: impl FnOnce(&mut Builder) -> Value) -> Val {
        if !self.is_open("an instruction") {
            return self.poison();
        }
        let value = make(&mut self.builder());
        self.val(value)
    }

    pub(super) fn operation(&mut self, op: Op, takes: Takes, vals: &[Val]) -> Val {
        let name = op.row().name;
        let mut values = [Value::undef(Type::I32); 3];
        for (value, &v) in values.iter_mut().zip(vals) {
            let Some([v]) = self.values(name, [v]) else { return self.poison() };
            *value = v;
        }
        let values = &values[..vals.len().min(3)];
        let ty = self.body.type_of(values[0]);
        let fits = match takes {
            Takes::Ints => ty.is_int(),
            Takes::Floats => ty.is_float(),
        };
        if let Some(&other) = values.iter().find(|&&v| self.body.type_of(v) != ty).filter(|_| fits) {
            let other = self.body.type_of(other);
            return self.wrong(|| format!("{name}: {} and {}", ty.name(), other.name()));
        }
        if !fits {
            return self.wrong(|| format!("{name}: of {}", ty.name()));
        }
        match *values {
            [a, b] => self.build(|build| build.binary(op, a, b)),
            _ => self.build(|build| build.insert(op, ty, values, 0)),
        }
    }

    pub(super) fn conversion(
        &mut self,
        op: Op,
        a: Val,
        ty: Type,
        fits: impl FnOnce(Type, Type) -> bool,
    ) -> Val {
        let name = op.row().name;
        let Some([a]) = self.values(name, [a]) else { return self.poison() };
        let from = self.body.type_of(a);
        if !fits(from, ty) {
            return self.wrong(|| format!("{name}: of {} to {}", from.name(), ty.name()));
        }
        self.build(|b| b.convert(op, a, ty))
    }
}
