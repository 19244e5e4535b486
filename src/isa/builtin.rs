//! Selection of what calls of some declared functions stand for (`ir::Builtin`).

use super::TLS_GET_ADDR;
use super::assembly::{self, Assembler};
use super::convention::call_library;
use super::invoke;
use super::memory::Accesses;
use super::select::Select;
use crate::base::Handle;
use crate::ir::{Builtin, Inst, ThreadModel, Type};
use crate::mir::memory::Object;
use crate::mir::{MachineOp, Operand};

/// What a target has for them.
#[derive(Debug)]
pub struct Builtins {
    /// Takes so many bytes of the stack: `i=i`; the immediate is what they are aligned to, as a power of two.
    pub take: MachineOp,
    /// The stack pointer: `i=`, and `=i`.
    pub stack: [MachineOp; 2],
    /// Orders everything before it and behind it.
    pub fence: MachineOp,
    /// The address of a thread-local global, by an offset in the table of addresses, and by one that is known when the
    /// program is linked: `i=`, with the global.
    pub thread: [MachineOp; 2],
    /// The same where only a call knows it.
    pub thread_call: fn(&mut Select, Operand, u32),
    /// Selects an atomic access to a value of so many bytes, as a power of two.
    pub atomic: fn(&mut Select, Inst, Builtin, u32),
    /// How inline assembly is read.
    pub assembler: &'static Assembler,
}

/// The address of thread-local data from `__tls_get_addr`, which takes that of a module and an offset in the table of addresses:
/// what `argument` makes.
pub fn ask_library(cx: &mut Select, argument: MachineOp, def: Operand, global: u32) {
    let at = cx.emit_fresh(argument, Type::Ptr, &[], 0, global);
    let first = cx.rules.convention.ints[0];
    call_library(cx, TLS_GET_ADDR, &[at], Some((def, first)));
}

/// Selects such a call.
#[inline(never)]
pub fn call(cx: &mut Select, i: Inst, builtin: Builtin) {
    let rows = cx.rules.builtins;
    match (builtin, cx.body.args(i)) {
        (Builtin::StackAlloc(align), &[bytes]) => {
            let (bytes, def) = (cx.reg(bytes), Operand::virt(cx.result(i)));
            cx.emit(rows.take, &[def], &[bytes], align.trailing_zeros() as i32, 0);
        }
        (Builtin::StackRestore, &[to]) => {
            let to = cx.reg(to);
            cx.emit(rows.stack[1], &[], &[to], 0, 0);
        }
        (Builtin::StackSave, _) => {
            let def = Operand::virt(cx.result(i));
            cx.emit(rows.stack[0], &[def], &[], 0, 0);
        }
        (Builtin::ThreadAddress, &[data]) => {
            let Some(global) = data.as_global() else {
                return cx.fail("no thread-local data have this address");
            };
            let (def, number) = (Operand::virt(cx.result(i)), global.index() as u32);
            return match cx.env.thread_model(global) {
                ThreadModel::InitialExec => cx.emit(rows.thread[0], &[def], &[], 0, number),
                ThreadModel::LocalExec => cx.emit(rows.thread[1], &[def], &[], 0, number),
                ThreadModel::GeneralDynamic | ThreadModel::LocalDynamic => {
                    (rows.thread_call)(cx, def, number);
                }
            };
        }
        (Builtin::LandingPad, _) => return invoke::landing(cx, i),
        (Builtin::TypeId, &[of]) if cx.is_wanted(i) => return invoke::type_id(cx, i, of),
        (Builtin::Unwinds, _) if cx.is_wanted(i) => return cx.fail("what asks for exceptions stands alone"),
        (Builtin::Selector | Builtin::TypeId | Builtin::Unwinds | Builtin::Barrier, _) => return,
        (Builtin::Assembly, _) => return assembly::select(cx, i),
        (Builtin::Fence(_), _) => return cx.emit(rows.fence, &[], &[], 0, 0),
        _ => return (rows.atomic)(cx, i, builtin, type_of(cx, i).1),
    }
    // What is below the slots is no longer as far from the stack pointer as it was.
    cx.out.framed = true;
}

/// The type of the value that an atomic access is about, and its bytes as a power of two.
pub fn type_of(cx: &Select, i: Inst) -> (Type, u32) {
    let func = &cx.env.funcs[cx.body.callee(i)];
    let first = func.params.first().copied().unwrap_or(Type::Void);
    let ty = if func.result == Type::Void { first } else { func.result };
    let bytes = if ty == Type::Ptr { cx.rules.machine.pointer_bytes } else { ty.bytes() };
    (ty, bytes.trailing_zeros())
}

/// Selects a load or a store as a plain one between fences, which is enough where the machine reads and writes it as one.
/// False, and nothing done, for other accesses.
pub fn fenced(cx: &mut Select, i: Inst, builtin: Builtin) -> bool {
    let (ty, _) = type_of(cx, i);
    let row = |accesses: &Accesses| accesses[ty.scalar_number()].as_ref().map(|access| access.offset);
    let memory = cx.rules.memory;
    let [before, behind] = builtin.fences();
    let note = Object::Volatile.note();
    let fence = |cx: &mut Select, is_needed: bool| {
        if is_needed {
            cx.emit(cx.rules.builtins.fence, &[], &[], 0, 0);
        }
    };
    match (builtin, cx.body.args(i)) {
        (Builtin::AtomicLoad(_), &[address]) if let Some(op) = row(&memory.loads) => {
            let (address, def) = (cx.reg(address), Operand::virt(cx.result(i)));
            fence(cx, before);
            cx.emit(op, &[def], &[address], 0, note);
        }
        (Builtin::AtomicStore(_), &[value, address]) if let Some(op) = row(&memory.stores) => {
            let (value, address) = (cx.reg(value), cx.reg(address));
            fence(cx, before);
            cx.emit(op, &[], &[value, address], 0, note);
        }
        _ => return false,
    }
    fence(cx, behind);
    true
}
