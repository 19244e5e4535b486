//! The checking machine: runs the program as it is in the IR, and stops at what is undefined.
//!
//! It stops at a division by zero, a shift by the width or more, an index outside of its dimension, an access
//! outside of the object that the pointer was made from, a load of bytes that were never written, and a use
//! of an uninitialised value in anything but a copy (phi, select, argument, return). A value is a cell: its
//! bits, for a pointer the object it points into, and whether it has a value at all. It costs 1.3 to 1.6
//! times what the fast machine does of the same IR, and 2.3 to 3.8 times of what -O1 makes of it. It shares
//! nothing with the decoder, so each tests the other.
//!
//! | file | does |
//! | --- | --- |
//! | `frame` | what memory and which cells a call has |
//! | `row` | the rows that are run, one an instruction |
//! | `flatten` | bodies to rows |
//! | `builtin` | memory of the stack, atomic accesses, what an address of a function leads to |
//! | `general` | what has no row of its own, read from the IR's tables: vectors, memory as a whole, the library |
//! | `tell` | what is said at the end: names, objects, calls |

mod builtin;
mod flatten;
mod frame;
mod general;
mod row;
mod tell;

use self::flatten::{Objects, flatten};
use self::frame::Layout;
use self::general::computed;
use self::row::{Cell, Code, Entry, ObjectRow, Origin, Row};
use self::tell::{Fault, Stop, unset};
use super::memory::Memory;
use super::runtime::{Io, Runtime};
use super::{Options, Trap};
use crate::base::Column;
use crate::ir::fold::Number;
use crate::ir::{Body, FuncId, IntPred, Module, Type};

/// A stretch of memory that pointers may not leave.
#[derive(Copy, Clone, Debug)]
struct Object {
    start: u32,
    end: u32,
    /// A row of `Code::objects`.
    what: u32,
}

/// A function that is being executed.
#[derive(Copy, Clone, Debug, Default)]
struct Frame {
    /// Which body.
    body: u32,
    /// The row that is executed next; of the function on top it is in a register.
    pc: u32,
    /// The cell of the caller that takes the result.
    d: u32,
    /// Where its cells start.
    base: u32,
    /// Where its memory starts.
    memory: u32,
    /// How many objects there were before it.
    objects: u32,
    /// Bytes of memory that it has taken behind its own.
    taken: u32,
}

struct Machine<'a, 'b> {
    module: &'a Module,
    /// The bodies of functions that have one.
    bodies: Vec<&'a Body>,
    /// Per body.
    layouts: Vec<Layout>,
    code: &'a Code,
    memory: &'a mut Memory,
    io: &'a mut Io<'b>,
    calls: &'a Column<FuncId, Option<Runtime>>,
    /// Per body: where its requested globals' objects start.
    requests: Vec<u32>,
    /// Per function: its body.
    numbers: Column<FuncId, Option<u32>>,
    objects: Vec<Object>,
    /// The function on top, and its callers.
    top: Frame,
    callers: Vec<Frame>,
    /// Scratch for arguments of the library.
    args: Vec<u64>,
    /// `Options::explain`.
    explain: bool,
    /// Of vectors, the lane that is read and computed.
    lane: u32,
}

/// Runs `main`; the result is what it returns.
pub(super) fn execute(
    module: &Module,
    calls: &Column<FuncId, Option<Runtime>>,
    memory: &mut Memory,
    io: &mut Io,
    main: FuncId,
    options: &Options,
) -> Result<i32, Trap> {
    let shapes = &module.env.shapes;
    let mut objects = vec![Object { start: 0, end: 0, what: 0 }];
    let mut code = Code::default();
    code.objects.push(ObjectRow { origin: Origin::Literal, scalar: Type::I8 });
    let mut object = |start: u32, shape, origin| {
        let end = start + shapes.bytes(shape) as u32;
        let what = objects.len() as u32;
        objects.push(Object { start, end, what });
        code.objects.push(ObjectRow { origin, scalar: shapes.scalar_type(shape) });
        what
    };
    for (global, row) in module.env.globals.iter() {
        object(memory.globals[global], row.shape, Origin::Global(global));
    }
    let bodies: Vec<&Body> = module.defined().collect();
    let mut numbers = Column::filled(module.env.funcs.len(), None);
    let mut first = module.env.globals.len() as u32 + 1;
    let mut requests = Vec::new();
    for (k, f) in bodies.iter().enumerate() {
        numbers[f.func] = Some(k as u32);
        requests.push(first);
        for (row, &start) in f.requests.as_slice().iter().zip(&memory.requests[k]) {
            first = object(start, row.shape, Origin::Literal) + 1;
        }
    }
    let layouts: Vec<Layout> = bodies.iter().map(|f| Layout::new(module, f)).collect();
    let known = Objects { starts: objects.iter().map(|object| object.start).collect(), requests };
    let callee = |f: &Body, i| if calls[f.callee(i)].is_some() { None } else { numbers[f.callee(i)] };
    let code = flatten(module, &bodies, &layouts, &known, code, callee);
    let mut machine = Machine {
        module,
        bodies,
        layouts,
        code: &code,
        memory,
        io,
        calls,
        requests: known.requests,
        numbers,
        objects,
        top: Frame::default(),
        callers: Vec::new(),
        args: Vec::new(),
        explain: options.explain,
        lane: 0,
    };
    let main = machine.numbers[main].unwrap_or(0);
    let result = run(&mut machine, main, options);
    result.map_err(|stop| machine.trap(*stop))
}

fn known(bits: u64) -> Cell {
    Cell { bits, object: 0, defined: true }
}

fn word(x: i32) -> Cell {
    known(i64::from(x) as u64)
}

/// A float; every NaN is the positive quiet one.
fn float(x: f32) -> Cell {
    known(if x.is_nan() { 0x7fc0_0000 } else { u64::from(x.to_bits()) })
}

fn of_bits(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// The predicate on two integers, or addresses, of 64 bits.
#[inline(always)]
fn holds(pred: IntPred, a: u64, b: u64) -> bool {
    let (x, y) = (a as i64, b as i64);
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::Slt => x < y,
        IntPred::Sle => x <= y,
        IntPred::Sgt => x > y,
        IntPred::Sge => x >= y,
        IntPred::Ult => a < b,
        IntPred::Ule => a <= b,
        IntPred::Ugt => a > b,
        IntPred::Uge => a >= b,
    }
}

#[allow(clippy::too_many_lines)] // one row an opcode
fn run(machine: &mut Machine, main: u32, options: &Options) -> Result<i32, Stop> {
    let code = machine.code;
    let rows = code.rows.as_slice();
    let mut steps = options.steps;
    let mut cells: Vec<Cell> = Vec::new();
    let mut values: Vec<Cell> = Vec::new();
    let mut entry = code.entries[main as usize];
    let (mut pc, mut base) = (entry.start as usize, 0);
    machine.top = Frame { body: main, memory: machine.memory.stack, ..Frame::default() };
    machine.top.objects = machine.objects.len() as u32;
    machine.enter(&entry, &mut cells, 0, options)?;
    'frame: loop {
        let frame = &mut cells[base..base + entry.cells as usize];
        macro_rules! fail {
            ($stop:expr) => {{
                machine.top.pc = pc as u32;
                return Err($stop);
            }};
        }
        macro_rules! ok {
            ($result:expr) => {
                match $result {
                    Ok(x) => x,
                    Err(stop) => fail!(stop),
                }
            };
        }
        // The bits of a value that something depends on.
        macro_rules! used {
            ($a:expr) => {{
                let cell = frame[$a as usize];
                if !cell.defined {
                    fail!(unset());
                }
                cell.bits
            }};
        }
        macro_rules! ints {
            ($d:expr, $a:expr, $b:expr, $apply:expr) => {{
                let (a, b) = (used!($a) as i32, used!($b) as i32);
                frame[$d as usize] = word($apply(a, b));
            }};
        }
        macro_rules! floats {
            ($d:expr, $a:expr, $op:tt, $b:expr) => {{
                let (a, b) = (of_bits(used!($a)), of_bits(used!($b)));
                frame[$d as usize] = float(a $op b);
            }};
        }
        // The pointer, and the address of four bytes that it may reach.
        macro_rules! access {
            ($a:expr) => {{
                let pointer = frame[$a as usize];
                let within = machine.objects.get(pointer.object as usize).is_some_and(|object| {
                    let length = u64::from(object.end - object.start);
                    let at = pointer.bits.wrapping_sub(u64::from(object.start));
                    at < length && length - at >= 4
                });
                if !(pointer.defined && within) {
                    fail!(machine.outside(pointer));
                }
                (pointer, pointer.bits as u32)
            }};
        }
        macro_rules! jump {
            ($to:expr) => {{
                pc = $to as usize;
                steps = steps.wrapping_sub(1);
                if steps == 0 {
                    fail!(Fault::new("the program took too many steps"));
                }
            }};
        }
        macro_rules! call {
            ($body:expr, $d:expr, $args:expr) => {{
                let (body, d, args): (u32, u32, u32) = ($body, $d, $args);
                jump!(pc);
                let callee = code.entries[body as usize];
                let next = base + entry.cells as usize;
                let memory = machine.top.memory + entry.bytes + machine.top.taken;
                machine.callers.push(Frame { pc: pc as u32, base: base as u32, ..machine.top });
                machine.top.body = body;
                machine.top.memory = memory;
                machine.top.d = d;
                machine.top.objects = machine.objects.len() as u32;
                machine.top.taken = 0;
                if let Err(stop) = machine.enter(&callee, &mut cells, next, options) {
                    machine.top.pc = callee.start + 1;
                    return Err(stop);
                }
                let (caller, frame) = cells.split_at_mut(next);
                let args = &code.lists[args as usize..(args + callee.params) as usize];
                for (cell, &arg) in frame.iter_mut().zip(args) {
                    *cell = caller[base + arg as usize];
                }
                (pc, base, entry) = (callee.start as usize, next, callee);
                continue 'frame;
            }};
        }
        macro_rules! tail_call {
            ($body:expr, $args:expr) => {{
                let (body, args): (u32, u32) = ($body, $args);
                jump!(pc);
                let callee = code.entries[body as usize];
                let args = &code.lists[args as usize..(args + callee.params) as usize];
                values.clear();
                values.extend(args.iter().map(|&arg| frame[arg as usize]));
                machine.objects.truncate(machine.top.objects as usize);
                (machine.top.body, machine.top.taken) = (body, 0);
                if let Err(stop) = machine.enter(&callee, &mut cells, base, options) {
                    machine.top.pc = callee.start + 1;
                    return Err(stop);
                }
                cells[base..base + values.len()].copy_from_slice(&values);
                (pc, entry) = (callee.start as usize, callee);
                continue 'frame;
            }};
        }
        loop {
            let row = &rows[pc];
            pc += 1;
            match *row {
                Row::General => ok!(machine.general(frame, code.insts[pc - 1])),
                Row::Read { d, a } => {
                    let cell = frame[a as usize];
                    if !cell.defined {
                        fail!(machine.unread(pc - 1));
                    }
                    frame[d as usize] = cell;
                }
                Row::Copy { d, a } => frame[d as usize] = frame[a as usize],
                Row::Same { d, a } => frame[d as usize] = known(used!(a)),
                Row::Copies { first, count } => {
                    let pairs = &code.lists[first as usize..(first + 2 * count) as usize];
                    values.clear();
                    values.extend(pairs.chunks_exact(2).map(|pair| frame[pair[1] as usize]));
                    for (pair, &value) in pairs.chunks_exact(2).zip(&values) {
                        frame[pair[0] as usize] = value;
                    }
                }
                Row::Alloca { d, place, bytes, what } => {
                    frame[d as usize] = machine.alloca(place, bytes, what);
                }

                Row::Add { d, a, b } => ints!(d, a, b, i32::wrapping_add),
                Row::Sub { d, a, b } => ints!(d, a, b, i32::wrapping_sub),
                Row::Mul { d, a, b } => ints!(d, a, b, i32::wrapping_mul),
                Row::SDiv { d, a, b } => {
                    let (a, b) = (used!(a) as i32, used!(b) as i32);
                    if b == 0 {
                        fail!(Fault::new("division by zero"));
                    }
                    frame[d as usize] = word(a.wrapping_div(b));
                }
                Row::SRem { d, a, b } => {
                    let (a, b) = (used!(a) as i32, used!(b) as i32);
                    if b == 0 {
                        fail!(Fault::new("division by zero"));
                    }
                    frame[d as usize] = word(a.wrapping_rem(b));
                }
                Row::FAdd { d, a, b } => floats!(d, a, +, b),
                Row::FSub { d, a, b } => floats!(d, a, -, b),
                Row::FMul { d, a, b } => floats!(d, a, *, b),
                Row::FDiv { d, a, b } => floats!(d, a, /, b),
                Row::IntToFloat { d, a } => frame[d as usize] = float(used!(a) as i32 as f32),
                Row::One { op, from, ty, d, a } => {
                    let a = Number { ty: from, bits: used!(a) };
                    frame[d as usize] = ok!(computed(op, ty, &[a]));
                }
                Row::Two { op, ty, d, a, b } => {
                    let args = [Number { ty, bits: used!(a) }, Number { ty, bits: used!(b) }];
                    frame[d as usize] = ok!(computed(op, ty, &args));
                }
                Row::Compare { pred, d, a, b } => {
                    let (a, b) = (used!(a), used!(b));
                    frame[d as usize] = known(u64::from(holds(pred, a, b)));
                }
                Row::CompareFloat { pred, d, a, b } => {
                    let (a, b) = (of_bits(used!(a)), of_bits(used!(b)));
                    frame[d as usize] = known(u64::from(pred.holds(f64::from(a), f64::from(b))));
                }
                Row::Select { d, c, a, b } => {
                    let from = if used!(c) & 1 != 0 { a } else { b };
                    frame[d as usize] = frame[from as usize];
                }

                Row::Offset { d, a, x } => {
                    used!(a);
                    let pointer = frame[a as usize];
                    frame[d as usize] = Cell { bits: pointer.bits.wrapping_add(x as u64), ..pointer };
                }
                Row::Step { d, a, i, stride } => {
                    used!(a);
                    let step = used!(i).wrapping_mul(stride.into());
                    let pointer = frame[a as usize];
                    frame[d as usize] = Cell { bits: pointer.bits.wrapping_add(step), ..pointer };
                }
                Row::Element { d, a, i, stride, length } => {
                    used!(a);
                    let (pointer, index) = (frame[a as usize], used!(i));
                    if index >= length.into() {
                        fail!(machine.beyond(pointer, index as i64, length));
                    }
                    let step = index.wrapping_mul(stride.into());
                    frame[d as usize] = Cell { bits: pointer.bits.wrapping_add(step), ..pointer };
                }
                Row::Elements { d, a, first, count } => {
                    used!(a);
                    let mut pointer = frame[a as usize];
                    let steps = &code.lists[first as usize..(first + 3 * count) as usize];
                    for step in steps.chunks_exact(3) {
                        let (index, length) = (used!(step[0]), step[1]);
                        if index >= length.into() && length != 0 {
                            fail!(machine.beyond(pointer, index as i64, length));
                        }
                        pointer.bits = pointer.bits.wrapping_add(index.wrapping_mul(step[2].into()));
                    }
                    frame[d as usize] = pointer;
                }
                Row::LoadInt { d, a } => {
                    let (pointer, at) = access!(a);
                    match machine.memory.read32(at) {
                        Some(x) => frame[d as usize] = word(x as i32),
                        None => fail!(machine.unwritten(pointer)),
                    }
                }
                Row::LoadFloat { d, a } => {
                    let (pointer, at) = access!(a);
                    match machine.memory.read32(at) {
                        Some(x) => frame[d as usize] = known(x.into()),
                        None => fail!(machine.unwritten(pointer)),
                    }
                }
                Row::Store { v, a } => {
                    let value = frame[v as usize];
                    let (_, at) = access!(a);
                    machine.memory.write32(at, value.bits as u32, value.defined);
                }

                Row::Jump { to } | Row::Entry { to } => jump!(to),
                Row::Table { a, bits, n } => {
                    let x = used!(a) << (64 - bits) >> (64 - bits);
                    pc += x.min(u64::from(n - 1)) as usize;
                }
                Row::Branch { c, yes, no } => {
                    let to = if used!(c) & 1 != 0 { yes } else { no };
                    jump!(to);
                }
                Row::CompareBranch { pred, a, b, yes, no } => {
                    let to = if holds(pred, used!(a), used!(b)) { yes } else { no };
                    jump!(to);
                }
                Row::Call { body, d, args } => call!(body, d, args),
                Row::CallAt { a, d, args } => {
                    let body = ok!(machine.called(frame[a as usize], code.insts[pc - 1]));
                    call!(body, d, args)
                }
                Row::TailCall { body, args } => tail_call!(body, args),
                Row::TailCallAt { a, args } => {
                    let body = ok!(machine.called(frame[a as usize], code.insts[pc - 1]));
                    tail_call!(body, args)
                }
                Row::Return { .. } | Row::ReturnNothing => {
                    let value = match *row {
                        Row::Return { a } => frame[a as usize],
                        _ => Cell::default(),
                    };
                    let Some(caller) = machine.callers.pop() else {
                        if let Row::Return { a } = *row {
                            used!(a);
                        }
                        return Ok(value.bits as i32);
                    };
                    machine.objects.truncate(machine.top.objects as usize);
                    let d = machine.top.d;
                    machine.top = caller;
                    (pc, base) = (caller.pc as usize, caller.base as usize);
                    entry = code.entries[caller.body as usize];
                    cells[base + d as usize] = value;
                    continue 'frame;
                }
                Row::Unreachable => fail!(Fault::new("control came to a place that is never reached")),
                Row::Missing => fail!(Fault::new("a block has no end")),
            }
        }
    }
}

impl Machine<'_, '_> {
    /// Makes the cells and the memory of the function on top.
    #[inline(always)]
    fn enter(
        &mut self,
        entry: &Entry,
        cells: &mut Vec<Cell>,
        base: usize,
        options: &Options,
    ) -> Result<(), Stop> {
        let end = base + entry.cells as usize;
        let taken = (end + 4 * self.callers.len()) * size_of::<Cell>();
        let fits = self.memory.reaches(u64::from(self.top.memory) + u64::from(entry.bytes));
        if !fits || taken > options.stack as usize {
            return Err(Fault::new("stack overflow"));
        }
        if end > cells.len() {
            let wanted = end.max(2 * cells.len().min(options.stack as usize / (2 * size_of::<Cell>())));
            cells.resize(wanted, Cell::default());
        }
        let code = self.code;
        let fixed = &code.fixed[entry.fixed.0 as usize..entry.fixed.1 as usize];
        cells[end - fixed.len()..end].copy_from_slice(fixed);
        for &cell in &code.lists[entry.unset.0 as usize..entry.unset.1 as usize] {
            cells[base + cell as usize] = Cell::default();
        }
        Ok(())
    }

    /// A new object, whose bytes have no value.
    fn alloca(&mut self, place: u32, bytes: u32, what: u32) -> Cell {
        let start = self.top.memory + place;
        self.memory.mark(start, bytes, false);
        let object = self.objects.len() as u32;
        self.objects.push(Object { start, end: start + bytes, what });
        Cell { bits: start.into(), object, defined: true }
    }

    /// The object that a pointer points into. One that is gone (only LLVM text can keep a pointer so long) is
    /// no object.
    fn object(&self, pointer: Cell) -> Object {
        self.objects.get(pointer.object as usize).copied().unwrap_or(self.objects[0])
    }

    /// The pointer, and the address of `size` bytes that it may reach.
    fn reached(&self, pointer: Cell, size: u32) -> Result<(Cell, u32), Stop> {
        let object = self.object(pointer);
        let at = pointer.bits as i64;
        let within = at >= i64::from(object.start) && at.saturating_add(size.into()) <= i64::from(object.end);
        if pointer.object == 0 || !within {
            return Err(self.outside(pointer));
        }
        Ok((pointer, at as u32))
    }
}
