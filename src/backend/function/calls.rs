//! Calls by name and by address, and returns. What travels wider than it is (`Signature::param_as`) is widened before a
//! call or return, and narrowed behind one.

use super::{FunctionBuilder, Val};
use crate::backend::module::{Func, Module, Prototype};
use crate::base::Handle;
use crate::ir::{self, Body, Builder, FuncId, Inst, Op, Type, Value};

/// The parameters of a body as what they are, at the head of its entry, where they travel as something else.
pub(super) fn narrow_params(module: &Module, body: &mut Body, entry: ir::Block) -> Vec<Option<Value>> {
    let func = body.func;
    if module.narrow.get(func).is_none_or(Vec::is_empty) {
        return Vec::new();
    }
    let count = body.params().len();
    let mut b = Builder::new(&module.ir.env, body, entry);
    let narrowed = (0..count).map(|k| {
        let (_, ty) = module.narrow(func, k + 1)?;
        Some(b.convert(Op::Trunc, Value::inst(Inst::new(k)), ty))
    });
    narrowed.collect()
}

impl FunctionBuilder<'_> {
    /// Calls a function; what it gives, if it gives something. Behind the parameters of a variadic one stand any
    /// arguments, promoted as in C: ints to i32, floats to double.
    pub fn call(&mut self, func: Func, args: &[Val]) -> Option<Val> {
        if let Err(error) = self.module.func(func) {
            self.wrong(|| format!("call: {}", error.message));
            return None;
        }
        self.invoke(func.id, None, args)
    }

    /// Calls what has this address and takes and gives what the prototype says.
    pub fn call_indirect(&mut self, prototype: Prototype, address: Val, args: &[Val]) -> Option<Val> {
        let is_ours =
            prototype.of == self.module.number && prototype.id.index() < self.module.ir.env.funcs.len();
        if !is_ours {
            self.wrong(|| "call_indirect: the prototype is of another module".to_string());
            return None;
        }
        let [address] = self.pointer("call_indirect", address)?;
        self.invoke(prototype.id, Some(address), args)
    }

    fn invoke(&mut self, func: FuncId, address: Option<Value>, args: &[Val]) -> Option<Val> {
        let (module, before) = (self.module, usize::from(address.is_some()));
        let row = &module.ir.env.funcs[func];
        let params = row.params.get(before..).unwrap_or_default();
        let mut values = Vec::with_capacity(args.len() + before);
        values.extend(address);
        for &arg in args {
            values.extend(self.values("call", [arg])?);
        }
        let wanted =
            |k: usize| module.narrow(func, k + 1).map_or_else(|| params.get(k).copied(), |(_, ty)| Some(ty));
        let given: Vec<Type> = values.iter().skip(before).map(|&v| self.body.type_of(v)).collect();
        let is_long = given.len() >= params.len() && (row.variadic || given.len() == params.len());
        if !is_long || !(0..params.len()).all(|k| wanted(k) == given.get(k).copied()) {
            let list = |types: &[Type]| types.iter().map(|ty| ty.name()).collect::<Vec<_>>().join(", ");
            let takes: Vec<Type> = (0..params.len()).filter_map(wanted).collect();
            let name = if row.indirect { "an address" } else { module.ir.env.names.text(row.name) };
            self.wrong(|| format!("call of '{name}({})' with ({})", list(&takes), list(&given)));
            return None;
        }
        let rest = given.iter().skip(params.len());
        if let Some(ty) = rest.copied().find(|ty| matches!(ty, Type::I1 | Type::I8 | Type::I16 | Type::F32)) {
            self.wrong(|| format!("call: {} behind the parameters, where C passes what is wider", ty.name()));
            return None;
        }
        if values.len() >= usize::from(u16::MAX) {
            self.wrong(|| "call: too many arguments".to_string());
            return None;
        }
        if !self.is_open("an instruction") {
            return None;
        }
        let mut b = self.builder();
        for (k, value) in values.iter_mut().skip(before).enumerate() {
            if let Some((op, _)) = module.narrow(func, k + 1) {
                *value = b.convert(op, *value, Type::I32);
            }
        }
        let mut result = b.call(func, &values);
        if let Some((_, ty)) = module.narrow(func, 0) {
            result = b.convert(Op::Trunc, result, ty);
        }
        (row.result != Type::Void).then(|| self.val(result))
    }

    /// Returns.
    pub fn ret(&mut self, v: Option<Val>) {
        let mut value = match v {
            Some(v) => match self.values("ret", [v]) {
                Some([v]) => Some(v),
                None => return,
            },
            None => None,
        };
        let func = self.body.func;
        let narrow = self.module.narrow(func, 0);
        let wanted = narrow.map_or(self.module.ir.env.funcs[func].result, |(_, ty)| ty);
        let given = value.map_or(Type::Void, |v| self.body.type_of(v));
        if given != wanted {
            self.wrong(|| format!("ret: {} from a function that gives {}", given.name(), wanted.name()));
        } else if self.is_open("ret") {
            let mut b = self.builder();
            if let Some((op, _)) = narrow {
                value = value.map(|v| b.convert(op, v, Type::I32));
            }
            b.ret(value);
        }
    }
}
