//! Parameters, calls and returns: the procedure call standard for the ARM architecture (AAPCS32).
//!
//! With floating registers ("VFP"): words in r0-r3, floats in s0-s15, the rest on the stack in 4 bytes each.
//! Of a variadic function ("base", for all of its arguments): floats are promoted to double, and a double
//! takes an even-odd pair of core registers or 8 aligned bytes of the stack; once something went to the
//! stack, so does all that follows.

use super::integer::{own_word, word};
use super::registers::{FLOAT_ARGS, INT_ARGS};
use super::rows::*;
use crate::base::Handle;
use crate::ir::{Inst, Op, Type, Value};
use crate::isa::select::Select;
use crate::mir::{MachineOp, Operand, PReg, SlotKind};

/// Where an argument goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    /// One register.
    Reg(PReg),
    /// Two core registers, the low word in the first.
    Pair(PReg, PReg),
    /// The stack, at this offset.
    Stack(u32),
}

/// Hands out places, argument after argument.
#[derive(Debug, Default)]
struct Places {
    ints: usize,
    floats: u8,
    stack: u32,
}

impl Places {
    fn next(&mut self, ty: Type) -> Place {
        match ty {
            Type::F64 => {
                self.ints += self.ints & 1;
                if let [low, high, ..] = INT_ARGS[self.ints.min(4)..] {
                    self.ints += 2;
                    return Place::Pair(low, high);
                }
                self.stack = self.stack.next_multiple_of(8);
                self.on_stack(8)
            }
            Type::F32 if self.floats < FLOAT_ARGS => {
                self.floats += 1;
                Place::Reg(PReg::float(self.floats - 1))
            }
            Type::F32 => self.on_stack(4),
            _ => match INT_ARGS.get(self.ints) {
                Some(&reg) => {
                    self.ints += 1;
                    Place::Reg(reg)
                }
                None => self.on_stack(4),
            },
        }
    }

    fn on_stack(&mut self, bytes: u32) -> Place {
        self.stack += bytes;
        Place::Stack(self.stack - bytes)
    }
}

/// The register of a result.
fn result_reg(ty: Type) -> PReg {
    if ty == Type::F32 { PReg::float(0) } else { INT_ARGS[0] }
}

/// True if values of the type go through one register; complains if not.
fn is_simple(cx: &mut Select, ty: Type) -> bool {
    let simple = !matches!(ty, Type::I64 | Type::F64);
    if !simple {
        cx.fail("armv7: i64 or double as an argument or result");
    }
    simple
}

fn fixed(operand: Operand, reg: PReg) -> Operand {
    operand.as_virt().map_or(operand, |v| Operand::fixed(v, reg))
}

fn store_argument(cx: &mut Select, row: MachineOp, value: Operand, offset: u32) {
    let slot = cx.outgoing(offset + 4);
    cx.emit(row, &[], &[value, Operand::FRAME], offset as i32, slot.index() as u32);
}

/// The two words of a double: of a constant, or of a float that is promoted.
fn words(cx: &mut Select, v: Value) -> [Operand; 2] {
    if let Some(x) = cx.body.as_f64(v) {
        let bits = x.to_bits();
        return [own_word(cx, bits as i32), own_word(cx, (bits >> 32) as i32)];
    }
    let promoted = v.as_inst().filter(|&i| cx.body.op(i) == Op::FPExt);
    let words = [word(cx), word(cx)];
    match promoted.map(|i| cx.body.arg(i, 0)) {
        Some(float) => {
            let float = cx.reg(float);
            cx.emit(VWORDS, &words, &[float], 0, 0);
        }
        None => cx.fail("armv7: a double that is no promoted float"),
    }
    words
}

/// Selects a call.
pub fn call(cx: &mut Select, i: Inst) {
    let callee = cx.body.callee(i);
    let variadic = cx.env.funcs[callee].variadic;
    let mut places = Places::default();
    let mut operands = std::mem::take(&mut cx.operands);
    let body = cx.body;
    let ty = body.ty(i);
    if ty != Type::Void && cx.is_wanted(i) && is_simple(cx, ty) {
        operands.push(Operand::fixed(cx.result(i), result_reg(ty)));
    }
    let defs = operands.len() as u8;
    for &v in body.args(i) {
        let ty = cx.body.type_of(v);
        let is_promoted = variadic && ty == Type::F64;
        if !is_promoted && !is_simple(cx, ty) {
            return;
        }
        if variadic && ty == Type::F32 {
            return cx.fail("armv7: a float passed to a variadic function without promotion");
        }
        match places.next(ty) {
            Place::Reg(reg) => {
                let value = cx.reg(v);
                operands.push(fixed(value, reg));
            }
            Place::Pair(low, high) => {
                let [low_word, high_word] = words(cx, v);
                operands.extend([fixed(low_word, low), fixed(high_word, high)]);
            }
            Place::Stack(offset) if ty == Type::F64 => {
                for (value, at) in words(cx, v).into_iter().zip([offset, offset + 4]) {
                    store_argument(cx, STR_SLOT, value, at);
                }
            }
            Place::Stack(offset) => {
                let value = cx.reg(v);
                store_argument(cx, if ty == Type::F32 { VSTR_SLOT } else { STR_SLOT }, value, offset);
            }
        }
    }
    cx.emit_call(BL, defs, &operands, callee.index() as u32);
    operands.clear();
    cx.operands = operands;
}

/// Emits a call of a library function (a number from `LIBRARY_BASE` on) that takes words.
pub fn call_library(cx: &mut Select, callee: u32, args: &[Operand], result: Option<(Operand, PReg)>) {
    let def = result.map(|(def, reg)| fixed(def, reg));
    let uses = args.iter().zip(INT_ARGS).map(|(&arg, reg)| fixed(arg, reg));
    let operands: Vec<Operand> = def.into_iter().chain(uses).collect();
    cx.emit_call(BL, u8::from(def.is_some()), &operands, callee);
}

/// Emits the entry row, and the loads of parameters that arrive on the stack.
pub fn entry(cx: &mut Select) {
    let mut places = Places::default();
    let mut defs = std::mem::take(&mut cx.operands);
    let mut on_stack = Vec::new();
    for param in cx.body.params() {
        let ty = cx.body.ty(param);
        is_simple(cx, ty);
        let place = places.next(ty);
        if !cx.is_wanted(param) {
            continue;
        }
        let def = cx.result(param);
        match place {
            Place::Reg(reg) => defs.push(Operand::fixed(def, reg)),
            Place::Stack(offset) => on_stack.push((def, ty, offset)),
            Place::Pair(..) => {}
        }
    }
    cx.emit_fixed(ENTRY_ROW, defs.len() as u8, &defs, 0);
    defs.clear();
    cx.operands = defs;
    for (def, ty, offset) in on_stack {
        let slot = cx.out.new_slot(SlotKind::Incoming(offset), 4, 4);
        let row = if ty == Type::F32 { VLDR_ARG } else { LDR_ARG };
        cx.emit(row, &[Operand::virt(def)], &[Operand::FRAME], 0, slot.index() as u32);
    }
}

/// Selects a return.
pub fn ret(cx: &mut Select, i: Inst) {
    let mut uses = None;
    if let Some(&v) = cx.body.args(i).first() {
        let ty = cx.body.type_of(v);
        if !is_simple(cx, ty) {
            return;
        }
        let value = cx.reg(v);
        uses = Some(fixed(value, result_reg(ty)));
    }
    cx.emit_row(BX_LR, 0, uses.as_slice(), 0, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(types: &[Type]) -> Vec<Place> {
        let mut places = Places::default();
        types.iter().map(|&ty| places.next(ty)).collect()
    }

    #[test]
    fn words_and_floats_have_registers_of_their_own_and_share_the_stack() {
        use Type::{F32, I32, Ptr};
        let int = |n| Place::Reg(PReg::int(n));
        let mut types = vec![I32, F32, Ptr, I32, I32, I32, F32, Ptr];
        let first = [int(0), Place::Reg(PReg::float(0)), int(1), int(2), int(3), Place::Stack(0)];
        assert_eq!(places(&types)[..6], first);
        assert_eq!(places(&types)[6..], [Place::Reg(PReg::float(1)), Place::Stack(4)]);
        types.extend([F32; 15]);
        assert_eq!(places(&types)[21..], [Place::Reg(PReg::float(15)), Place::Stack(8)]);
    }

    #[test]
    fn doubles_of_a_variadic_call_take_even_pairs_and_aligned_stack() {
        use Type::{F64, I32, Ptr};
        let pair = Place::Pair(PReg::int(2), PReg::int(3));
        assert_eq!(places(&[Ptr, F64])[1], pair);
        assert_eq!(
            places(&[Ptr, I32, F64, I32, F64, F64])[2..],
            [pair, Place::Stack(0), Place::Stack(8), Place::Stack(16)]
        );
        // r3 stays unused once a double did not fit.
        assert_eq!(places(&[Ptr, I32, I32, F64, I32])[3..], [Place::Stack(0), Place::Stack(8)]);
    }
}
