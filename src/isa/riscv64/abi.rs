//! LP64D: parameters, calls and returns.
//!
//! Integers and pointers go to `a0`-`a7`, floats to `fa0`-`fa7`; a float for which there is none left goes to an
//! integer register; what is left goes to the stack, 8 bytes each. A further argument of a variadic function is
//! treated as an integer whatever it is.

use super::registers::{A0, FA0, FLOAT_ARGS, INT_ARGS};
use super::rows::*;
use super::select::{op1, temp, virtual_reg};
use crate::base::Handle;
use crate::ir::{Inst, Type};
use crate::isa::select::Select;
use crate::mir::desc::ENTRY;
use crate::mir::{Operand, PReg, SlotKind};

/// Where an argument travels.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    /// In a register of its own kind.
    Reg(PReg),
    /// A float in an integer register.
    Bits(PReg),
    /// On the stack, so many bytes above the stack pointer.
    Stack(u32),
}

/// Hands out places, argument after argument.
#[derive(Default)]
struct Places {
    ints: usize,
    floats: usize,
    stack: u32,
}

impl Places {
    /// The place of an argument of this type, which is that of a named parameter or not.
    fn next(&mut self, ty: Type, named: bool) -> Place {
        if ty.is_float()
            && named
            && let Some(&reg) = FLOAT_ARGS.get(self.floats)
        {
            self.floats += 1;
            return Place::Reg(reg);
        }
        match INT_ARGS.get(self.ints) {
            Some(&reg) => {
                self.ints += 1;
                if ty.is_float() { Place::Bits(reg) } else { Place::Reg(reg) }
            }
            None => {
                self.stack += 8;
                Place::Stack(self.stack - 8)
            }
        }
    }
}

/// The entry: parameters that something needs, in registers.
pub fn entry(cx: &mut Select) {
    let mut places = Places::default();
    let mut defs = std::mem::take(&mut cx.operands);
    let mut later = Vec::new();
    for i in cx.body.params() {
        let place = places.next(cx.body.ty(i), true);
        if !cx.is_wanted(i) {
            continue;
        }
        let result = cx.result(i);
        match place {
            Place::Reg(reg) => defs.push(Operand::fixed(result, reg)),
            Place::Bits(reg) => {
                let bits = cx.new_reg(Type::I64);
                defs.push(Operand::fixed(bits, reg));
                later.push((i, Some(bits), 0));
            }
            Place::Stack(offset) => later.push((i, None, offset)),
        }
    }
    cx.emit_fixed(ENTRY, defs.len() as u8, &defs, 0);
    defs.clear();
    cx.operands = defs;
    for (i, bits, offset) in later {
        let d = Operand::virt(cx.result(i));
        let ty = cx.body.ty(i);
        if let Some(bits) = bits {
            op1(cx, if ty == Type::F64 { FMV_D_X } else { FMV_W_X }, d, Operand::virt(bits));
            continue;
        }
        let slot = cx.out.new_slot(SlotKind::Incoming(offset), 8, 8);
        let op = match ty {
            Type::F64 => FLD_SLOT,
            Type::F32 => FLW_SLOT,
            Type::Ptr | Type::I64 => LD_SLOT,
            _ => LW_SLOT,
        };
        cx.emit(op, &[d], &[Operand::FRAME], 0, slot.index() as u32);
    }
}

/// A call.
pub fn call(cx: &mut Select, i: Inst) {
    let callee = cx.body.callee(i);
    let func = &cx.env.funcs[callee];
    let (body, named) = (cx.body, func.params.len());
    let args = body.args(i);
    // What goes to the stack first: it needs registers only for a moment.
    let mut places = Places::default();
    let on_stack = if args.len() > INT_ARGS.len() { args } else { &[] };
    for (k, &v) in on_stack.iter().enumerate() {
        let ty = body.type_of(v);
        if let Place::Stack(offset) = places.next(ty, k < named) {
            let r = cx.reg(v);
            let slot = cx.outgoing(offset + 8);
            let op = match ty {
                Type::F32 => FSW_SLOT,
                Type::F64 => FSD_SLOT,
                _ => SD_SLOT,
            };
            cx.emit(op, &[], &[r, Operand::FRAME], offset as i32, slot.index() as u32);
        }
    }
    let mut operands = std::mem::take(&mut cx.operands);
    if cx.is_wanted(i) {
        let reg = if func.result.is_float() { FA0 } else { A0 };
        operands.push(Operand::fixed(cx.result(i), reg));
    }
    let defs = operands.len() as u8;
    let mut places = Places::default();
    for (k, &v) in args.iter().enumerate() {
        let (r, reg) = match places.next(body.type_of(v), k < named) {
            Place::Reg(reg) => (virtual_reg(cx, v), reg),
            Place::Bits(reg) => {
                let (r, t) = (cx.reg(v), temp(cx, Type::I64));
                op1(cx, if cx.body.type_of(v) == Type::F64 { FMV_X_D } else { FMV_X_W }, t, r);
                (t, reg)
            }
            Place::Stack(_) => continue,
        };
        if let Some(v) = r.as_virt() {
            operands.push(Operand::fixed(v, reg));
        }
    }
    cx.emit_call(CALL_FUNC, defs, &operands, callee.index() as u32);
    operands.clear();
    cx.operands = operands;
}

/// A call of a function of the C library with integer arguments, whose result nobody wants.
pub fn call_library(cx: &mut Select, function: u32, args: &[Operand]) {
    let uses: Vec<Operand> =
        args.iter().zip(INT_ARGS).filter_map(|(r, reg)| Some(Operand::fixed(r.as_virt()?, reg))).collect();
    cx.emit_call(CALL_FUNC, 0, &uses, function);
}

/// A return.
pub fn ret(cx: &mut Select, i: Inst) {
    let mut value = None;
    if let Some(&v) = cx.body.args(i).first() {
        let reg = if cx.body.type_of(v).is_float() { FA0 } else { A0 };
        value = virtual_reg(cx, v).as_virt().map(|v| Operand::fixed(v, reg));
    }
    cx.emit_row(RET, 0, value.as_slice(), 0, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::riscv64::registers::{A7, FA7};

    #[test]
    fn floats_overflow_to_integer_registers_and_then_to_the_stack() {
        let types = [Type::F32; 9].into_iter().chain([Type::I32; 8]).chain([Type::F32]);
        let mut places = Places::default();
        let found: Vec<Place> = types.map(|ty| places.next(ty, true)).collect();
        assert_eq!(
            (found[7], found[8], found[9]),
            (Place::Reg(FA7), Place::Bits(A0), Place::Reg(INT_ARGS[1]))
        );
        assert_eq!(
            (found[15], found[16], found[17], places.stack),
            (Place::Reg(A7), Place::Stack(0), Place::Stack(8), 16)
        );
    }

    #[test]
    fn further_arguments_travel_as_integers() {
        let mut places = Places::default();
        let found = [places.next(Type::Ptr, true), places.next(Type::F64, false)];
        assert_eq!(found, [Place::Reg(A0), Place::Bits(INT_ARGS[1])]);
    }
}
