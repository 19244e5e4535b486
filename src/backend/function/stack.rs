//! Memory of the stack whose size is known when the function runs only (`Module::use_stack`).

use super::{FunctionBuilder, Val};
use crate::ir::types::MOST_ALIGN;
use crate::ir::{Builtin, Type, Value};

impl FunctionBuilder<'_> {
    /// The address of so many bytes (i32, unsigned, or i64) of the stack, at a multiple of `align`: others each time, up to where
    /// `stack_restore` or the end of the function gives them back.
    pub fn stack_alloc(&mut self, bytes: Val, align: u32) -> Val {
        let Some([value]) = self.values("stack_alloc", [bytes]) else { return self.poison() };
        let (ty, wide) = (self.body.type_of(value), self.pointer_int());
        if !matches!(ty, Type::I32 | Type::I64) || !align.is_power_of_two() || align > MOST_ALIGN {
            return self.wrong(|| format!("stack_alloc: bytes of {}, aligned to {align}", ty.name()));
        }
        let mut bytes = match (ty, wide) {
            (Type::I32, Type::I64) => self.zext(bytes, wide),
            (Type::I64, Type::I32) => self.trunc(bytes, wide),
            _ => bytes,
        };
        let own = self.module.stack_align();
        if align > own {
            let more = self.number_of(wide, i64::from(align));
            bytes = self.add(bytes, more);
        }
        let address = self.on_stack("stack_alloc", Builtin::StackAlloc(own), Type::Ptr, &[bytes]);
        if align <= own {
            return address;
        }
        // What is missing to the next multiple.
        let number = self.ptrtoint(address, wide);
        let (missing, mask) = (self.neg(number), self.number_of(wide, i64::from(align) - 1));
        let missing = self.and(missing, mask);
        self.offset(address, missing)
    }

    /// Where the stack ends, for `stack_restore`.
    pub fn stack_save(&mut self) -> Val {
        self.on_stack("stack_save", Builtin::StackSave, Type::Ptr, &[])
    }

    /// Gives back what has been taken of the stack since `stack_save` gave this.
    pub fn stack_restore(&mut self, saved: Val) {
        if self.pointer("stack_restore", saved).is_some() {
            self.on_stack("stack_restore", Builtin::StackRestore, Type::Void, &[saved]);
        }
    }

    fn on_stack(&mut self, what: &str, builtin: Builtin, ty: Type, args: &[Val]) -> Val {
        let mut values: Vec<Value> = Vec::with_capacity(args.len());
        for &arg in args {
            match self.values(what, [arg]) {
                Some([value]) => values.push(value),
                None => return self.poison(),
            }
        }
        self.builtin(what, "use_stack", builtin, ty, &values)
    }
}
