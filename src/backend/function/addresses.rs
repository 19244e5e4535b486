//! Addresses: of data and functions, null, and as numbers.

use super::{FunctionBuilder, Val};
use crate::backend::module::{Func, Global};
use crate::base::Handle;
use crate::ir::{At, Builtin, GlobalId, IntPred, Op, Type, Value};

impl FunctionBuilder<'_> {
    /// The address of a datum: of a thread-local one, that of the thread that runs this; null of a weak import that is not
    /// there.
    pub fn address(&mut self, global: Global) -> Val {
        if global.of != self.module.number || global.id.index() >= self.module.ir.env.globals.len() {
            return self.wrong(|| "address: the datum is of another module".to_string());
        }
        self.address_of("address", global.id)
    }

    /// The address of a function, for `call_indirect` and for memory; null of a weak import that is not there. The module has
    /// to know that it is taken (`Module::take_address`).
    pub fn function_address(&mut self, func: Func) -> Val {
        match self.module.func(func).map(|row| row.address.get()) {
            Ok(Some(global)) => self.address_of("function_address", global),
            Ok(None) => self.wrong(|| "function_address: without Module::take_address before".to_string()),
            Err(error) => self.wrong(|| format!("function_address: {}", error.message)),
        }
    }

    /// An address that is a constant, or is asked for once, where the function begins (`ir/parse/special`).
    fn address_of(&mut self, what: &str, global: GlobalId) -> Val {
        let row = &self.module.ir.env.globals[global];
        if !row.thread && !row.optional {
            return self.val(Value::global(global));
        }
        if let Some(&known) = self.special.get(&global) {
            return self.val(Value::inst(known));
        }
        let (op, of, payload) = if row.thread {
            let Some(func) = self.module.builtin(Builtin::ThreadAddress, Type::Ptr) else {
                return self.wrong(|| format!("{what}: '.thread' is a name of the client's"));
            };
            (Op::Call, global, func.index() as u32)
        } else {
            let Some(&holder) = self.module.holders.get(&global) else {
                return self.wrong(|| format!("{what}: without Module::take_address before"));
            };
            (Op::LoadVolatile, holder, 0)
        };
        let Some(entry) = self.body.entry().filter(|_| self.error.is_none()) else { return self.poison() };
        let at = At::Start(entry);
        let address = self.body.insert(at, op, Type::Ptr, &[Value::global(of)], payload, self.place);
        self.special.insert(global, address);
        self.val(Value::inst(address))
    }

    /// The null pointer.
    pub fn null(&mut self) -> Val {
        if self.null.is_none()
            && let Some(entry) = self.body.entry()
        {
            let zero = self.body.int_of(self.pointer_int(), 0);
            let at = At::Start(entry);
            let address = self.body.insert(at, Op::IntToPtr, Type::Ptr, &[zero], 0, self.place);
            self.null = Some(Value::inst(address));
        }
        match self.null {
            Some(null) => self.val(null),
            None => self.poison(),
        }
    }

    /// True (i1) if a pointer is null.
    pub fn is_null(&mut self, address: Val) -> Val {
        let ty = self.pointer_int();
        let (number, zero) = (self.ptrtoint(address, ty), self.number_of(ty, 0));
        self.icmp(IntPred::Eq, number, zero)
    }

    /// An address as an integer: what is narrower than an address has its low bits, and in what is wider stand zeros
    /// above.
    pub fn ptrtoint(&mut self, address: Val, ty: Type) -> Val {
        let Some([address]) = self.pointer("ptrtoint", address) else { return self.poison() };
        if !ty.is_int() {
            return self.wrong(|| format!("ptrtoint: of ptr to {}", ty.name()));
        }
        let wide = self.pointer_int();
        self.build(|b| {
            let number = b.convert(Op::PtrToInt, address, wide);
            let resize = if ty.int_bits() < wide.int_bits() { Op::Trunc } else { Op::ZExt };
            b.convert(resize, number, ty)
        })
    }

    /// An integer as an address; zeros stand above what is narrower than one, and of what is wider the low bits count.
    pub fn inttoptr(&mut self, number: Val) -> Val {
        let Some([number]) = self.values("inttoptr", [number]) else { return self.poison() };
        let (ty, wide) = (self.body.type_of(number), self.pointer_int());
        if !ty.is_int() {
            return self.wrong(|| format!("inttoptr: of {}", ty.name()));
        }
        self.build(|b| {
            let resize = if ty.int_bits() > wide.int_bits() { Op::Trunc } else { Op::ZExt };
            let number = b.convert(resize, number, wide);
            b.insert(Op::IntToPtr, Type::Ptr, &[number], 0)
        })
    }

    /// The integer that is as wide as an address.
    pub(super) fn pointer_int(&self) -> Type {
        if self.module.target.pointer_bytes() == 8 { Type::I64 } else { Type::I32 }
    }
}
