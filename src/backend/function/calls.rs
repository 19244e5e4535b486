//! Calls by name and by address, and returns. What travels wider than it is (`Signature::param_as`) is widened before a
//! call or return, and narrowed behind one; memory that is passed by value is loaded as words, and stored by the callee.

use super::{Block, FunctionBuilder, Val, Variable};
use crate::backend::module::{Func, Module, Prototype};
use crate::backend::signature::Way;
use crate::base::Handle;
use crate::ir::builtin::Clause;
use crate::ir::{self, Body, Builder, Builtin, Flags, FuncId, Inst, Op, Shape, Type, Value};

/// How control goes on behind a call.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Behind {
    /// Behind it, or not at all.
    Next,
    /// It is the end of the function.
    Return,
    /// The same as `Next`; or in this block, if an exception leaves the call.
    Cleanup(Block),
}

/// The parameters of a body as what they are, at the head of its entry, where they travel as something else.
pub(super) fn params(module: &Module, body: &mut Body, entry: ir::Block) -> Option<Vec<Value>> {
    let func = body.func;
    let ways = module.ways.get(func).filter(|ways| !ways.is_empty())?;
    let mut b = Builder::new(&module.ir.env, body, entry);
    let made = ways.iter().skip(1).map(|way| {
        let first = Value::inst(Inst::new(way.first as usize));
        if way.words != 0 {
            // The callee's own copy.
            let shape = module.bytes(4 * way.words, way.align.max(4));
            let room = b.alloca(shape);
            for k in 0..way.words {
                let place = part(&mut b, room, 4 * k);
                b.store(Value::inst(Inst::new((way.first + k) as usize)), place);
            }
            return room;
        }
        way.narrow.map_or(first, |(_, ty)| b.convert(Op::Trunc, first, ty))
    });
    Some(made.collect())
}

/// So many bytes behind an address.
fn part(b: &mut Builder, address: Value, bytes: u32) -> Value {
    if bytes == 0 {
        return address;
    }
    let index = b.f.int_of(Type::I32, i64::from(bytes));
    b.elem_addr(Shape::scalar(Type::I8), address, &[index])
}

/// The words of memory that is passed by value.
fn words(b: &mut Builder, address: Value, way: Way) -> Vec<Value> {
    let is_aligned = way.align >= 4;
    let mut word = |k: u32| {
        let (from, end) = (4 * k, (4 * k + 4).min(way.bytes));
        // The last one may not be there as a whole.
        if is_aligned && end == from + 4 {
            let place = part(b, address, from);
            return b.load(Type::I32, place);
        }
        let mut made = b.f.int_of(Type::I32, 0);
        for at in from..end {
            let place = part(b, address, at);
            let byte = b.load(Type::I8, place);
            let (byte, by) =
                (b.convert(Op::ZExt, byte, Type::I32), b.f.int_of(Type::I32, i64::from(8 * (at - from))));
            let byte = b.binary(Op::Shl, byte, by);
            made = b.binary(Op::Or, made, byte);
        }
        made
    };
    (0..way.words).map(&mut word).collect()
}

impl FunctionBuilder<'_> {
    /// Calls a function; what it gives, if it gives something. Behind the parameters of a variadic one stand any
    /// arguments, promoted as in C: ints to i32, floats to double.
    pub fn call(&mut self, func: Func, args: &[Val]) -> Option<Val> {
        if let Err(error) = self.module.func(func) {
            self.wrong(|| format!("call: {}", error.message));
            return None;
        }
        self.invoke((func.id, None), args, Behind::Next)
    }

    /// Returns what a call gives, by a jump: the frame of this function is gone by the time that the other one runs, so that
    /// functions that end so may go on forever. At every level, with its arguments on the stack, too, in the places of this
    /// function's own: both have to take and give the same, or only give it, if both are called by `Signature::tail`. Nothing
    /// may lead to memory of this function's frame any more.
    pub fn return_call(&mut self, func: Func, args: &[Val]) {
        if let Err(error) = self.module.func(func) {
            self.wrong(|| format!("return_call: {}", error.message));
            return;
        }
        self.invoke((func.id, None), args, Behind::Return);
    }

    /// The same of what has this address.
    pub fn return_call_indirect(&mut self, prototype: Prototype, address: Val, args: &[Val]) {
        let address = self.address_for("return_call_indirect", prototype, address);
        if let Some(address) = address {
            self.invoke((prototype.id, Some(address)), args, Behind::Return);
        }
    }

    /// Calls what has this address and takes and gives what the prototype says.
    pub fn call_indirect(&mut self, prototype: Prototype, address: Val, args: &[Val]) -> Option<Val> {
        let address = self.address_for("call_indirect", prototype, address)?;
        self.invoke((prototype.id, Some(address)), args, Behind::Next)
    }

    /// The same as `call`; and if an exception leaves it, control goes on in a block, which is one end of the current one: the
    /// builder stands in a new block behind the call, which the call's result is for. Any number of calls may go to one block,
    /// and branches too. It cleans up, and goes on with the exception by `resume` (`Module::use_cleanups`).
    pub fn call_with_cleanup(&mut self, func: Func, args: &[Val], cleanup: Block) -> Option<Val> {
        if let Err(error) = self.module.func(func) {
            self.wrong(|| format!("call_with_cleanup: {}", error.message));
            return None;
        }
        self.invoke((func.id, None), args, Behind::Cleanup(cleanup))
    }

    /// The same of what has this address.
    pub fn call_indirect_with_cleanup(
        &mut self,
        prototype: Prototype,
        address: Val,
        args: &[Val],
        cleanup: Block,
    ) -> Option<Val> {
        let address = self.address_for("call_indirect_with_cleanup", prototype, address)?;
        self.invoke((prototype.id, Some(address)), args, Behind::Cleanup(cleanup))
    }

    /// Goes on with the exception that has left a call: the caller is left by it, too.
    pub fn resume(&mut self) {
        let Some(func) = self.module.resumes() else {
            self.wrong(|| "resume: without Module::use_cleanups".to_string());
            return;
        };
        if !self.is_open("resume") {
            return;
        }
        if self.exception.is_none() {
            self.wrong(|| super::LOST.to_string());
            return;
        }
        let exception = self.exception();
        let exception = self.get(exception);
        if let Some([exception]) = self.values("resume", [exception]) {
            let mut b = self.builder();
            b.call(func, &[exception]);
            b.unreachable();
        }
    }

    /// What holds the exception that is on its way.
    fn exception(&mut self) -> Variable {
        *self.exception.get_or_insert_with(|| {
            self.variables.types.push(Type::Ptr);
            Variable { variable: self.variables.types.len() as u32 - 1, of: self.number }
        })
    }

    /// Ends the block behind a call, by where it goes if an exception leaves it, and where it goes otherwise.
    fn land(&mut self, call: Value, cleanup: ir::Block) {
        let builtin = |builtin, ty| self.module.builtin(builtin, ty);
        let (Some(question), Some(landing), Some(call)) =
            (builtin(Builtin::Unwinds, Type::I1), builtin(Builtin::LandingPad, Type::Ptr), call.as_inst())
        else {
            return;
        };
        self.body.set_flags(call, Flags::INVOKED);
        let is_left = self.builder().call(question, &[]);
        let (own, behind) = (self.body.create_block(), self.body.create_block());
        self.body.set_cond_br(self.at, is_left, own, behind, self.place);
        if let Some(end) = self.body.terminator(self.at) {
            self.body.set_flags(end, Flags::UNLIKELY);
        }
        let nothing = Clause::Cleanup.value(&mut self.body);
        let exception = self.exception();
        self.at = own;
        self.variables.seal(&mut self.body, own);
        let pad = self.builder().call(landing, &[nothing]);
        self.variables.set(own, exception.variable, pad);
        self.builder().br(cleanup);
        self.at = behind;
        self.variables.seal(&mut self.body, behind);
    }

    fn address_for(&mut self, what: &'static str, prototype: Prototype, address: Val) -> Option<Value> {
        let is_ours =
            prototype.of == self.module.number && prototype.id.index() < self.module.ir.env.funcs.len();
        if !is_ours {
            self.wrong(|| format!("{what}: the prototype is of another module"));
            return None;
        }
        self.pointer(what, address).map(|[address]| address)
    }

    /// True if this function may end by a jump to another one.
    fn may_jump(&self, func: FuncId) -> bool {
        let (module, this) = (self.module, self.body.func);
        let (own, callee) = (&module.ir.env.funcs[this], &module.ir.env.funcs[func]);
        let before = usize::from(callee.indirect);
        let narrow = |func| module.way(func, 0).narrow;
        let is_same = callee.params.get(before..) == Some(&own.params[..])
            && (own.returns_by, &own.parts) == (callee.returns_by, &callee.parts);
        (is_same || own.tail)
            && (own.result, own.tail, narrow(this)) == (callee.result, callee.tail, narrow(func))
            && !own.variadic
            && !callee.variadic
    }

    fn invoke(
        &mut self,
        (func, address): (FuncId, Option<Value>),
        args: &[Val],
        goes: Behind,
    ) -> Option<Val> {
        let (module, before) = (self.module, usize::from(address.is_some()));
        let row = &module.ir.env.funcs[func];
        let takes = module.takes(func);
        let jumps = goes == Behind::Return;
        let what = match goes {
            Behind::Next => "call",
            Behind::Return => "return_call",
            Behind::Cleanup(_) => "call_with_cleanup",
        };
        let cleanup = match goes {
            Behind::Cleanup(_) if module.ir.env.funcs[self.body.func].personality.is_none() => {
                self.wrong(|| format!("{what}: without Module::use_cleanups of the function"));
                return None;
            }
            Behind::Cleanup(block) => Some(self.target(what, block)?),
            _ => None,
        };
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            values.extend(self.values(what, [arg])?);
        }
        let given: Vec<Type> = values.iter().map(|&v| self.body.type_of(v)).collect();
        let is_long = given.len() >= takes.len() && (row.variadic || given.len() == takes.len());
        if !is_long || !takes.iter().zip(&given).all(|(wanted, given)| wanted == given) {
            let list = |types: &[Type]| types.iter().map(|ty| ty.name()).collect::<Vec<_>>().join(", ");
            let name = if row.indirect { "an address" } else { module.ir.env.names.text(row.name) };
            self.wrong(|| format!("{what} of '{name}({})' with ({})", list(&takes), list(&given)));
            return None;
        }
        let rest = given.iter().skip(takes.len());
        if let Some(ty) = rest.copied().find(|ty| matches!(ty, Type::I1 | Type::I8 | Type::I16 | Type::F32)) {
            self.wrong(|| {
                format!("{what}: {} behind the parameters, where C passes what is wider", ty.name())
            });
            return None;
        }
        if row.params.len() + values.len() + before >= usize::from(u16::MAX) {
            self.wrong(|| format!("{what}: too many arguments"));
            return None;
        }
        if jumps && !self.may_jump(func) {
            self.wrong(|| {
                "return_call: what is called takes or gives something else than the function".to_string()
            });
            return None;
        }
        if !self.is_open(if jumps { "return_call" } else { "an instruction" }) {
            return None;
        }
        let mut travelling = Vec::with_capacity(values.len() + 1);
        travelling.extend(address);
        if module.takes_varargs(func) {
            // Where variadic arguments are is nothing that a caller says.
            self.body.note_type(Type::Ptr);
            travelling.push(Value::undef(Type::Ptr));
        }
        let mut b = self.builder();
        for (k, &value) in values.iter().enumerate() {
            let way = module.way(func, k + 1);
            match way.narrow {
                _ if way.words != 0 => travelling.extend(words(&mut b, value, way)),
                Some((op, _)) => travelling.push(b.convert(op, value, Type::I32)),
                None => travelling.push(value),
            }
        }
        let mut result = b.call(func, &travelling);
        if jumps {
            _ = result.as_inst().map(|i| b.f.set_flags(i, Flags::MUST_TAIL));
            b.ret(Some(result).filter(|_| row.result != Type::Void));
            return None;
        }
        if let Some(cleanup) = cleanup {
            self.land(result, cleanup);
            b = self.builder();
        }
        if let Some((_, ty)) = module.way(func, 0).narrow {
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
        let narrow = self.module.way(func, 0).narrow;
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
