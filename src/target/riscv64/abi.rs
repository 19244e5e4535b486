//! LP64D: parameters, calls and returns.
//!
//! Integers and pointers go to `a0`-`a7`, floats to `fa0`-`fa7`; a float for which there is none left goes to an
//! integer register; what is left goes to the stack, 8 bytes each. A further argument of a variadic function is
//! treated as an integer whatever it is.

use super::registers::{A0, FA0, FLOAT_ARGS, INT_ARGS};
use super::rows::*;
use super::select::{op1, temp, virtual_reg};
use crate::base::Handle;
use crate::ir::{Inst, Type, Value};
use crate::mir::desc::ENTRY;
use crate::mir::{Operand, PReg, SlotKind};
use crate::target::select::Select;

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

/// Places for arguments of these types, of which the first `fixed` are named parameters, and the bytes of stack.
fn places(types: impl Iterator<Item = Type>, fixed: usize) -> (Vec<Place>, u32) {
    let (mut ints, mut floats, mut bytes) = (INT_ARGS.iter(), FLOAT_ARGS.iter(), 0);
    let places = types.enumerate().map(|(k, ty)| {
        if ty.is_float()
            && k < fixed
            && let Some(&reg) = floats.next()
        {
            return Place::Reg(reg);
        }
        match ints.next() {
            Some(&reg) if ty.is_float() => Place::Bits(reg),
            Some(&reg) => Place::Reg(reg),
            None => {
                bytes += 8;
                Place::Stack(bytes - 8)
            }
        }
    });
    let places = places.collect();
    (places, bytes)
}

/// The entry: parameters that something needs, in registers.
pub fn entry(cx: &mut Select) {
    let params = &cx.env.funcs[cx.body.func].params;
    let (places, _) = places(params.iter().copied(), params.len());
    let mut defs = Vec::new();
    let mut later = Vec::new();
    for (i, place) in cx.body.params().zip(places) {
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
    cx.emit(ENTRY, &defs, &[], 0, 0);
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
    let args: Vec<Value> = cx.body.args(i).to_vec();
    let (places, bytes) = places(args.iter().map(|&v| cx.body.type_of(v)), func.params.len());
    // What goes to the stack first: it needs registers only for a moment.
    for (&v, &place) in args.iter().zip(&places) {
        if let Place::Stack(offset) = place {
            let r = cx.reg(v);
            let slot = cx.outgoing(bytes);
            let op = match cx.body.type_of(v) {
                Type::F32 => FSW_SLOT,
                Type::F64 => FSD_SLOT,
                _ => SD_SLOT,
            };
            cx.emit(op, &[], &[r, Operand::FRAME], offset as i32, slot.index() as u32);
        }
    }
    let mut uses = Vec::with_capacity(args.len().min(16));
    for (&v, &place) in args.iter().zip(&places) {
        let (r, reg) = match place {
            Place::Reg(reg) => (virtual_reg(cx, v), reg),
            Place::Bits(reg) => {
                let (r, t) = (cx.reg(v), temp(cx, Type::I64));
                op1(cx, if cx.body.type_of(v) == Type::F64 { FMV_X_D } else { FMV_X_W }, t, r);
                (t, reg)
            }
            Place::Stack(_) => continue,
        };
        uses.extend(r.as_virt().map(|v| Operand::fixed(v, reg)));
    }
    let mut defs = Vec::new();
    if cx.is_wanted(i) {
        let reg = if func.result.is_float() { FA0 } else { A0 };
        defs.push(Operand::fixed(cx.result(i), reg));
    }
    cx.emit(CALL_FUNC, &defs, &uses, 0, callee.index() as u32);
}

/// A call of a function of the C library with integer arguments, whose result nobody wants.
pub fn call_library(cx: &mut Select, function: u32, args: &[Operand]) {
    let uses: Vec<Operand> =
        args.iter().zip(INT_ARGS).filter_map(|(r, reg)| Some(Operand::fixed(r.as_virt()?, reg))).collect();
    cx.emit(CALL_FUNC, &[], &uses, 0, function);
}

/// A return.
pub fn ret(cx: &mut Select, i: Inst) {
    let mut uses = Vec::new();
    if let Some(&v) = cx.body.args(i).first() {
        let reg = if cx.body.type_of(v).is_float() { FA0 } else { A0 };
        uses.extend(virtual_reg(cx, v).as_virt().map(|v| Operand::fixed(v, reg)));
    }
    cx.emit(RET, &[], &uses, 0, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::riscv64::registers::{A7, FA7};

    #[test]
    fn floats_overflow_to_integer_registers_and_then_to_the_stack() {
        let types = [Type::F32; 9].into_iter().chain([Type::I32; 8]).chain([Type::F32]);
        let (found, bytes) = places(types, 18);
        assert_eq!(
            (found[7], found[8], found[9]),
            (Place::Reg(FA7), Place::Bits(A0), Place::Reg(INT_ARGS[1]))
        );
        assert_eq!(
            (found[15], found[16], found[17], bytes),
            (Place::Reg(A7), Place::Stack(0), Place::Stack(8), 16)
        );
    }

    #[test]
    fn further_arguments_travel_as_integers() {
        let (found, _) = places([Type::Ptr, Type::F64].into_iter(), 1);
        assert_eq!(found, [Place::Reg(A0), Place::Bits(INT_ARGS[1])]);
    }
}
