//! The loop over register code. Calls push a row to an explicit stack; the host's stack does not grow.
//!
//! The steps that are counted are taken jumps and calls, so straight code pays nothing for the count.

use super::code::{Code, FIRST, FRAME, Program};
use super::memory::{ALIGN, Memory};
use super::profile::Recorder;
use super::runtime::Io;
use super::{CALLS, Call, NO_LOC, Options, Trap};
use crate::ir::fold::{Number, fold};
use crate::ir::opcode::{Form, MAY_TRAP};
use crate::ir::{FuncId, Op, Type};

/// Where a call returns to.
struct Caller {
    pc: u32,
    base: u32,
    frame_memory: u32,
    slots: u32,
    bytes: u32,
    /// Slot of the caller that takes the result.
    d: u32,
}

const NOT_CALLED: &str = "a call of what is no function of the program that takes these arguments";

/// Where a program has stopped.
struct End {
    pc: usize,
    callers: Vec<Caller>,
}

#[inline(always)]
fn signed(x: u64) -> i32 {
    x as i32
}

/// What is added to an address.
#[inline(always)]
fn offset(x: u64) -> u64 {
    signed(x) as u64
}

#[inline(always)]
fn float(x: u64) -> f32 {
    f32::from_bits(x as u32)
}

/// A float's bits; every NaN is the positive quiet one.
#[inline(always)]
fn float_bits(x: f32) -> u64 {
    if x.is_nan() { 0x7fc0_0000 } else { u64::from(x.to_bits()) }
}

/// Runs `main`; the result is what it returns. What is profiled is counted.
pub(super) fn execute(
    program: &Program,
    (memory, recorder): (&mut Memory, &mut Recorder),
    io: &mut Io,
    main: FuncId,
    options: &Options,
) -> Result<i32, Trap> {
    let mut end = End { pc: program.entries[main].start as usize, callers: Vec::new() };
    let run = match (options.narrow, recorder.is_on()) {
        (false, false) => run::<false, false>,
        (true, false) => run::<true, false>,
        (false, true) => run::<false, true>,
        (true, true) => run::<true, true>,
    };
    run(program, (memory, recorder), io, main, options, &mut end).map_err(|message| {
        let at = |pc: usize| {
            let at = pc.saturating_sub(1);
            (program.func_at(at), program.locs.get(at).copied().unwrap_or(NO_LOC))
        };
        let (func, loc) = at(end.pc);
        let told = end.callers.iter().rev().take(CALLS).map(|caller| at(caller.pc as usize));
        let calls: Vec<Call> = told.filter_map(|(func, loc)| Some(Call { func: func?, loc })).collect();
        let more = end.callers.len() - calls.len();
        Trap { func, loc, calls, more, ..Trap::nowhere(message) }
    })
}

#[allow(clippy::too_many_lines)] // one row an opcode
fn run<const NARROW: bool, const COUNTS: bool>(
    program: &Program,
    (memory, recorder): (&mut Memory, &mut Recorder),
    io: &mut Io,
    main: FuncId,
    options: &Options,
    end: &mut End,
) -> Result<i32, String> {
    let code = program.code.as_slice();
    let slot_limit = options.stack as usize / 8;
    let mut callers: Vec<Caller> = Vec::new();
    let mut entry = program.entries[main];
    let (mut pc, mut base, mut frame_memory) = (entry.start as usize, 0usize, memory.stack);
    let mut steps = options.steps;
    let mut slots = vec![0u64; (entry.slots as usize).max(1024)];
    slots[FRAME as usize] = u64::from(frame_memory);
    let mut values: Vec<u64> = Vec::new();
    if !memory.reaches(u64::from(frame_memory) + u64::from(entry.bytes)) {
        return Err("stack overflow".to_string());
    }
    'frame: loop {
        let frame = &mut slots[base..base + entry.slots as usize];
        macro_rules! fail {
            ($message:expr) => {{
                *end = End { pc, callers };
                return Err($message.into());
            }};
        }
        macro_rules! get {
            ($slot:expr) => {
                frame[$slot as usize]
            };
        }
        macro_rules! set {
            ($slot:expr, $value:expr) => {{
                let value: u64 = $value;
                frame[$slot as usize] = value;
            }};
        }
        macro_rules! int {
            ($d:expr, $value:expr) => {
                set!($d, u64::from($value as u32))
            };
        }
        macro_rules! address {
            ($at:expr) => {{
                let at: u64 = $at;
                if NARROW { u64::from(at as u32) } else { at }
            }};
            ($a:expr, $x:expr) => {
                address!(get!($a).wrapping_add($x as u64))
            };
            ($a:expr, $i:expr, $x:expr) => {
                address!($a, ($x as u64).wrapping_add(offset(get!($i)) << 2))
            };
        }
        macro_rules! jump {
            ($to:expr) => {{
                pc = $to as usize;
                steps = steps.wrapping_sub(1);
                if steps == 0 {
                    fail!("the program took too many steps");
                }
            }};
        }
        macro_rules! access {
            ($result:expr) => {
                match $result {
                    Some(x) => x,
                    None => fail!("access outside of the program's memory"),
                }
            };
        }
        macro_rules! call {
            ($func:expr, $d:expr, $args:expr) => {{
                let (func, d, args): (FuncId, u32, u32) = ($func, $d, $args);
                let callee = program.entries[func];
                steps = steps.wrapping_sub(1);
                if steps == 0 {
                    fail!("the program took too many steps");
                }
                let new_base = base + entry.slots as usize;
                let new_memory = u64::from(frame_memory) + u64::from(entry.bytes);
                let end = new_base + callee.slots as usize;
                // A row of `callers` is three slots' worth of memory.
                if end + 3 * callers.len() > slot_limit
                    || !memory.reaches(new_memory + u64::from(callee.bytes))
                {
                    fail!("stack overflow");
                }
                if end > slots.len() {
                    slots.resize((2 * slots.len()).max(end), 0);
                }
                callers.push(Caller {
                    pc: pc as u32,
                    base: base as u32,
                    frame_memory,
                    slots: entry.slots,
                    bytes: entry.bytes,
                    d,
                });
                let from = &program.args[args as usize..args as usize + callee.params as usize];
                let (old, new) = slots.split_at_mut(new_base);
                for (k, &slot) in from.iter().enumerate() {
                    new[FIRST as usize + k] = old[base + slot as usize];
                }
                frame_memory = new_memory as u32;
                new[0] = new_memory;
                new[1] = 0;
                (pc, base, entry) = (callee.start as usize, new_base, callee);
                continue 'frame;
            }};
        }
        macro_rules! tail_call {
            ($func:expr, $args:expr) => {{
                let (func, args): (FuncId, u32) = ($func, $args);
                let callee = program.entries[func];
                steps = steps.wrapping_sub(1);
                if steps == 0 {
                    fail!("the program took too many steps");
                }
                let end = base + callee.slots as usize;
                let reaches = memory.reaches(u64::from(frame_memory) + u64::from(callee.bytes));
                if end + 3 * callers.len() > slot_limit || !reaches {
                    fail!("stack overflow");
                }
                let from = &program.args[args as usize..args as usize + callee.params as usize];
                values.clear();
                values.extend(from.iter().map(|&slot| frame[slot as usize]));
                if end > slots.len() {
                    slots.resize((2 * slots.len()).max(end), 0);
                }
                let first = base + FIRST as usize;
                slots[first..first + values.len()].copy_from_slice(&values);
                (pc, entry) = (callee.start as usize, callee);
                continue 'frame;
            }};
        }
        loop {
            let row = &code[pc];
            pc += 1;
            if COUNTS {
                recorder.executes(row);
            }
            match *row {
                Code::Move { d, a } => set!(d, get!(a)),
                Code::Imm { d, x } => set!(d, u64::from(x)),
                Code::Wide { d, low, high } => set!(d, u64::from(high) << 32 | u64::from(low)),

                Code::Add { d, a, b } => int!(d, (get!(a) as u32).wrapping_add(get!(b) as u32)),
                Code::Sub { d, a, b } => int!(d, (get!(a) as u32).wrapping_sub(get!(b) as u32)),
                Code::Mul { d, a, b } => int!(d, (get!(a) as u32).wrapping_mul(get!(b) as u32)),
                Code::SDiv { d, a, b } => {
                    let b = signed(get!(b));
                    int!(d, if b == 0 { 0 } else { signed(get!(a)).wrapping_div(b) });
                }
                Code::SRem { d, a, b } => {
                    let (a, b) = (signed(get!(a)), signed(get!(b)));
                    int!(d, if b == 0 { a } else { a.wrapping_rem(b) });
                }
                Code::And { d, a, b } => set!(d, get!(a) & get!(b)),
                Code::Or { d, a, b } => set!(d, get!(a) | get!(b)),
                Code::Xor { d, a, b } => set!(d, get!(a) ^ get!(b)),
                Code::Shl { d, a, b } => int!(d, (get!(a) as u32).wrapping_shl(get!(b) as u32)),
                Code::LShr { d, a, b } => int!(d, (get!(a) as u32).wrapping_shr(get!(b) as u32)),
                Code::AShr { d, a, b } => int!(d, signed(get!(a)).wrapping_shr(get!(b) as u32)),
                Code::AddImm { d, a, x } => int!(d, (get!(a) as u32).wrapping_add(x)),
                Code::FromImm { d, a, x } => int!(d, x.wrapping_sub(get!(a) as u32)),
                Code::MulImm { d, a, x } => int!(d, (get!(a) as u32).wrapping_mul(x)),
                Code::SDivImm { d, a, x } => int!(d, signed(get!(a)).wrapping_div(x as i32)),
                Code::SRemImm { d, a, x } => int!(d, signed(get!(a)).wrapping_rem(x as i32)),
                Code::AndImm { d, a, x } => set!(d, get!(a) & u64::from(x)),
                Code::ShlImm { d, a, x } => int!(d, (get!(a) as u32).wrapping_shl(x)),
                Code::LShrImm { d, a, x } => int!(d, (get!(a) as u32).wrapping_shr(x)),
                Code::AShrImm { d, a, x } => int!(d, signed(get!(a)).wrapping_shr(x)),

                Code::Add64 { d, a, b } => set!(d, get!(a).wrapping_add(get!(b))),
                Code::Mul64 { d, a, b } => set!(d, get!(a).wrapping_mul(get!(b))),

                Code::FAdd { d, a, b } => set!(d, float_bits(float(get!(a)) + float(get!(b)))),
                Code::FSub { d, a, b } => set!(d, float_bits(float(get!(a)) - float(get!(b)))),
                Code::FMul { d, a, b } => set!(d, float_bits(float(get!(a)) * float(get!(b)))),
                Code::FDiv { d, a, b } => set!(d, float_bits(float(get!(a)) / float(get!(b)))),
                Code::FNeg { d, a } => set!(d, get!(a) ^ 1 << 31),
                Code::Any { op, ty, d, a, b } => set!(d, any(op, [ty; 2], &[get!(a), get!(b)])),
                Code::Three { op, ty, d, a, b, c } => {
                    set!(d, any(op, [ty; 2], &[get!(a), get!(b), get!(c)]));
                }

                Code::Set { pred, ty, d, a, b } => {
                    let (a, b) = (number(ty, get!(a)), number(ty, get!(b)));
                    set!(d, u64::from(pred.holds(a, b)));
                }
                Code::SetFloat { pred, ty, d, a, b } => {
                    let (a, b) = (number(ty, get!(a)).float(), number(ty, get!(b)).float());
                    set!(d, u64::from(pred.holds(a, b)));
                }
                Code::Select { d, c, a, b } => set!(d, if get!(c) != 0 { get!(a) } else { get!(b) }),

                Code::Extend { from, to, d, a } => {
                    set!(d, Number::int(to, number(from, get!(a)).signed()).unsigned());
                }
                Code::Mask { to, d, a } => set!(d, Number::int(to, get!(a) as i64).unsigned()),
                Code::IntToFloat { d, a } => set!(d, u64::from((signed(get!(a)) as f32).to_bits())),
                Code::FloatToInt { d, a } => int!(d, float(get!(a)) as i32),
                Code::Convert { op, from, to, d, a } => set!(d, any(op, [from, to], &[get!(a)])),

                Code::Address { d, a, x } => set!(d, address!(a, x)),
                Code::AddressShift { d, a, i, shift } => set!(d, address!(a, offset(get!(i)) << shift)),
                Code::AddressMul { d, a, i, stride } => {
                    set!(d, address!(a, offset(get!(i)).wrapping_mul(u64::from(stride))));
                }
                Code::AddressWide { d, a, i, stride } => {
                    set!(d, address!(a, get!(i).wrapping_mul(u64::from(stride))));
                }

                Code::Load { d, a, x } => int!(d, access!(memory.load32(address!(a, x)))),
                Code::LoadElem { d, a, i, x } => int!(d, access!(memory.load32(address!(a, i, x)))),
                Code::LoadAny { size, d, a, x } => {
                    set!(d, access!(memory.load(address!(a, x), u32::from(size))));
                }
                Code::Store { v, a, x } => access!(memory.store32(address!(a, x), get!(v) as u32)),
                Code::StoreElem { v, a, i, x } => {
                    access!(memory.store32(address!(a, i, x), get!(v) as u32));
                }
                Code::StoreAny { size, v, a, x } => {
                    access!(memory.store(address!(a, x), u32::from(size), get!(v)));
                }
                Code::Fill { a, bytes } => access!(memory.fill(get!(a), 0, bytes)),
                Code::Copy { a, b, bytes } => access!(memory.copy(get!(a), get!(b), bytes)),

                Code::SetAny { a, b, n } => {
                    let (at, byte) = (get!(a), get!(b) as u8);
                    access!(u32::try_from(get!(n)).ok().and_then(|n| memory.fill(at, byte, n)));
                }
                Code::CopyAny { a, b, n } => {
                    let (to, from) = (get!(a), get!(b));
                    access!(u32::try_from(get!(n)).ok().and_then(|n| memory.copy(to, from, n)));
                }

                Code::Take { d, n, align } => {
                    let end = u64::from(frame_memory) + u64::from(entry.bytes);
                    let start = end.next_multiple_of(u64::from(align));
                    let end = start.saturating_add(get!(n)).saturating_add(ALIGN - 1) / ALIGN * ALIGN;
                    if !memory.reaches(end) {
                        fail!("stack overflow");
                    }
                    entry.bytes = end as u32 - frame_memory;
                    set!(d, start);
                }
                Code::End { d } => set!(d, u64::from(frame_memory) + u64::from(entry.bytes)),
                Code::GiveBack { a } => {
                    let end = u64::from(frame_memory) + u64::from(entry.bytes);
                    let to = get!(a);
                    if to > end || to < u64::from(frame_memory) {
                        fail!("more of the stack is given back than was taken");
                    }
                    entry.bytes = to as u32 - frame_memory;
                }

                Code::Jump { to } => jump!(to),
                Code::Table { a, n } => pc += get!(a).min(u64::from(n - 1)) as usize,
                Code::JumpTrue { a, to } => {
                    if get!(a) != 0 {
                        jump!(to);
                    }
                }
                Code::JumpFalse { a, to } => {
                    if get!(a) == 0 {
                        jump!(to);
                    }
                }
                Code::JumpEq { a, b, to } => {
                    if get!(a) == get!(b) {
                        jump!(to);
                    }
                }
                Code::JumpNe { a, b, to } => {
                    if get!(a) != get!(b) {
                        jump!(to);
                    }
                }
                Code::JumpSlt { a, b, to } => {
                    if signed(get!(a)) < signed(get!(b)) {
                        jump!(to);
                    }
                }
                Code::JumpSle { a, b, to } => {
                    if signed(get!(a)) <= signed(get!(b)) {
                        jump!(to);
                    }
                }
                Code::JumpEqImm { a, x, to } => {
                    if get!(a) == u64::from(x) {
                        jump!(to);
                    }
                }
                Code::JumpNeImm { a, x, to } => {
                    if get!(a) != u64::from(x) {
                        jump!(to);
                    }
                }
                Code::JumpSltImm { a, x, to } => {
                    if signed(get!(a)) < x as i32 {
                        jump!(to);
                    }
                }
                Code::JumpSleImm { a, x, to } => {
                    if signed(get!(a)) <= x as i32 {
                        jump!(to);
                    }
                }
                Code::JumpSgtImm { a, x, to } => {
                    if signed(get!(a)) > x as i32 {
                        jump!(to);
                    }
                }
                Code::JumpSgeImm { a, x, to } => {
                    if signed(get!(a)) >= x as i32 {
                        jump!(to);
                    }
                }
                Code::JumpUlt { a, b, to } => {
                    if (get!(a) as u32) < get!(b) as u32 {
                        jump!(to);
                    }
                }
                Code::JumpUle { a, b, to } => {
                    if (get!(a) as u32) <= get!(b) as u32 {
                        jump!(to);
                    }
                }
                Code::JumpUltImm { a, x, to } => {
                    if (get!(a) as u32) < x {
                        jump!(to);
                    }
                }
                Code::JumpUleImm { a, x, to } => {
                    if (get!(a) as u32) <= x {
                        jump!(to);
                    }
                }
                Code::JumpUgtImm { a, x, to } => {
                    if (get!(a) as u32) > x {
                        jump!(to);
                    }
                }
                Code::JumpUgeImm { a, x, to } => {
                    if (get!(a) as u32) >= x {
                        jump!(to);
                    }
                }
                Code::JumpFloat { pred, a, b, to } => {
                    if pred.holds(f64::from(float(get!(a))), f64::from(float(get!(b)))) {
                        jump!(to);
                    }
                }

                Code::StepJump { d, x, b, to } => {
                    let stepped = (get!(d) as u32).wrapping_add(x);
                    int!(d, stepped);
                    if (stepped as i32) < signed(get!(b)) {
                        jump!(to);
                    }
                }
                Code::StepJumpImm { d, x, y, to } => {
                    let stepped = (get!(d) as u32).wrapping_add(x);
                    int!(d, stepped);
                    if (stepped as i32) < y as i32 {
                        jump!(to);
                    }
                }

                Code::Call { func, d, args } => call!(func, d, args),
                Code::TailCall { func, args, .. } => tail_call!(func, args),
                Code::TailCallAt { count, args, .. } => {
                    let address = get!(program.args[args as usize]);
                    match program.called(address, count) {
                        Some(func) => tail_call!(func, args + 1),
                        None => fail!(NOT_CALLED),
                    }
                }
                Code::CallAt { count, d, args } => {
                    let address = get!(program.args[args as usize]);
                    match program.called(address, count) {
                        Some(func) => call!(func, d, args + 1),
                        None => fail!(NOT_CALLED),
                    }
                }
                Code::Runtime { runtime, count, d, args } => {
                    let from = &program.args[args as usize..args as usize + usize::from(count)];
                    values.clear();
                    values.extend(from.iter().map(|&slot| frame[slot as usize]));
                    let limit = memory.bytes.len() as u32;
                    match io.call(runtime, &values, memory, limit) {
                        Ok(x) => set!(d, x),
                        Err(refusal) => fail!(refusal.to_string()),
                    }
                }
                Code::Return { a } => {
                    let x = get!(a);
                    let Some(caller) = callers.pop() else { return Ok(x as i32) };
                    pc = caller.pc as usize;
                    base = caller.base as usize;
                    frame_memory = caller.frame_memory;
                    (entry.slots, entry.bytes) = (caller.slots, caller.bytes);
                    slots[base + caller.d as usize] = x;
                    continue 'frame;
                }
                Code::Unreachable => fail!("control came to a place that is never reached"),
                Code::Probe(probe) => recorder.step(probe),
            }
        }
    }
}

/// The number in a slot.
#[inline(always)]
fn number(ty: Type, bits: u64) -> Number {
    match ty {
        Type::I8 | Type::I16 | Type::I32 => Number::int(ty, bits as i64),
        _ => Number { ty, bits },
    }
}

/// An operation of any kind: what `fold` does not say is undefined, or a matter of NaN.
#[inline(never)]
fn any(op: Op, [from, to]: [Type; 2], args: &[u64]) -> u64 {
    let mut numbers = [Number::zero(from); 3];
    let count = args.len().min(3);
    for (number, &bits) in numbers.iter_mut().zip(args) {
        *number = self::number(from, bits);
    }
    if matches!(op, Op::Shl | Op::LShr | Op::AShr) {
        numbers[1] = Number::int(to, numbers[1].bits as i64 & i64::from(to.int_bits() - 1));
    }
    match fold(op, to, 0, &numbers[..count]) {
        Some(x) if to.is_int() => x.unsigned(),
        Some(x) => x.bits,
        // Division by zero: the quotient is 0, the remainder the dividend.
        None if matches!(op, Op::SRem | Op::URem) => args[0],
        None if op.has(MAY_TRAP) => 0,
        None => of_nan(op, from, to, args[0]),
    }
}

/// What an operation yields of floats that include a NaN: the positive quiet one, but a conversion keeps the
/// sign.
pub(super) fn of_nan(op: Op, from: Type, to: Type, a: u64) -> u64 {
    let sign = match from {
        _ if op.row().form != Form::Cast => 0,
        Type::F32 => a >> 31 & 1,
        _ => a >> 63,
    };
    match to {
        Type::F32 => sign << 31 | Number::nan(to).bits,
        Type::F64 => sign << 63 | Number::nan(to).bits,
        _ => 0,
    }
}
