//! The checking machine: walks the IR's own tables, an instruction at a time, and stops at what is undefined.
//!
//! It stops at a division by zero, a shift by the width or more, an index outside of its dimension, an access
//! outside of the object that the pointer was made from, a load of bytes that were never written, and a use
//! of an uninitialised value in anything but a copy (phi, select, argument, return). A value is a cell: its
//! bits, for a pointer the object it points into, and whether it has a value at all. Slower than the fast
//! machine by an order of magnitude; it shares nothing with the decoder, so each tests the other.

use super::execute::of_nan;
use super::frame::Layout;
use super::memory::Memory;
use super::runtime::{Io, Runtime};
use super::{Options, Trap};
use crate::base::{Column, Handle};
use crate::ir::fold::{Number, fold};
use crate::ir::opcode::{MAY_TRAP, PURE, Types};
use crate::ir::{Body, Edge, FloatPred, FuncId, Inst, IntPred, Module, Op, Shape, Type, Value, ValueKind};

/// A value of the program.
#[derive(Copy, Clone, Debug, Default)]
struct Cell {
    /// As `Number::bits`; of a pointer the address, which may have left memory.
    bits: u64,
    /// Of a pointer: a row of `Machine::objects`. 0 is no object.
    object: u32,
    /// It is something: the first instruction that gives it a value sets this.
    defined: bool,
}

/// A stretch of memory that pointers may not leave.
#[derive(Copy, Clone, Debug)]
struct Object {
    start: u32,
    end: u32,
    /// What messages call it.
    name: ObjectName,
    /// The scalars it is made of.
    scalar: Type,
}

#[derive(Copy, Clone, Debug)]
enum ObjectName {
    Global(crate::base::Name),
    Local,
    Literal,
}

/// A function that is being executed.
struct Frame {
    /// Which body.
    body: usize,
    /// What is executed next.
    next: Option<Inst>,
    /// Where its cells start.
    cells: usize,
    /// Where its memory starts.
    memory: u32,
    /// How many objects there were before it.
    objects: usize,
}

struct Machine<'a, 'b> {
    module: &'a Module,
    /// The bodies of functions that have one.
    defined: Vec<&'a Body>,
    memory: &'a mut Memory,
    io: &'a mut Io<'b>,
    calls: &'a Column<FuncId, Option<Runtime>>,
    /// Per function: its body's number.
    bodies: Column<FuncId, usize>,
    /// Per body.
    frames: Vec<Layout>,
    /// Per body: where its requested globals' objects start.
    requests: Vec<u32>,
    objects: Vec<Object>,
    cells: Vec<Cell>,
    stack: Vec<Frame>,
    /// Scratch for the operands of phis and calls.
    values: Vec<Cell>,
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
    let mut objects = vec![Object { start: 0, end: 0, name: ObjectName::Literal, scalar: Type::I8 }];
    for (global, row) in module.env.globals.iter() {
        let start = memory.globals[global];
        let end = start + shapes.bytes(row.shape) as u32;
        let scalar = shapes.scalar_type(row.shape);
        objects.push(Object { start, end, name: ObjectName::Global(row.name), scalar });
    }
    let mut bodies = Column::filled(module.env.funcs.len(), 0);
    let mut requests = Vec::new();
    let mut frames = Vec::new();
    let defined: Vec<&Body> = module.defined().collect();
    for (k, f) in defined.iter().enumerate() {
        bodies[f.func] = k;
        requests.push(objects.len() as u32);
        for (request, row) in f.requests.iter() {
            let start = memory.requests[k][request.index()];
            let end = start + shapes.bytes(row.shape) as u32;
            let scalar = shapes.scalar_type(row.shape);
            objects.push(Object { start, end, name: ObjectName::Literal, scalar });
        }
        frames.push(Layout::new(module, f));
    }
    let (cells, stack, values) = (Vec::new(), Vec::new(), Vec::new());
    let mut machine = Machine {
        module,
        defined,
        memory,
        io,
        calls,
        bodies,
        frames,
        requests,
        objects,
        cells,
        stack,
        values,
        lane: 0,
    };
    let result = machine.enter(main, options).and_then(|()| machine.run(options));
    result.map_err(|message| {
        let top = machine.stack.last();
        let body = top.map(|frame| machine.defined[frame.body]);
        let loc = body.zip(top.and_then(|frame| frame.next)).map_or(u32::MAX, |(f, i)| f.loc(i));
        Trap { message, func: body.map(|f| f.func), loc, is_closed: false }
    })
}

fn known(bits: u64) -> Cell {
    Cell { bits, object: 0, defined: true }
}

/// What an operation that its row says all of yields.
fn computed(op: Op, ty: Type, args: &[Number]) -> Result<Cell, String> {
    match fold(op, ty, 0, args) {
        Some(x) => Ok(known(x.bits)),
        None if matches!(op, Op::Shl | Op::LShr | Op::AShr) => {
            Err(format!("a shift by {}, in {} bits", args[1].signed(), ty.int_bits()))
        }
        None if op.has(MAY_TRAP) => Err("division by zero".to_string()),
        None => Ok(known(of_nan(op, args[0].ty, ty, args[0].bits))),
    }
}

impl Machine<'_, '_> {
    fn enter(&mut self, func: FuncId, options: &Options) -> Result<(), String> {
        let body = self.bodies[func];
        let f = self.defined[body];
        let memory = match self.stack.last() {
            Some(frame) => u64::from(frame.memory) + u64::from(self.frames[frame.body].bytes),
            None => u64::from(self.memory.stack),
        };
        let cells = self.cells.len();
        let end = cells + self.frames[body].cells;
        let taken = (end + 4 * self.stack.len()) * size_of::<Cell>();
        let fits = self.memory.reaches(memory + u64::from(self.frames[body].bytes));
        if !fits || taken > options.stack as usize {
            return Err("stack overflow".to_string());
        }
        self.cells.resize(end, Cell::default());
        let next = f.entry().and_then(|b| f.first(b));
        let objects = self.objects.len();
        self.stack.push(Frame { body, next, cells, memory: memory as u32, objects });
        Ok(())
    }

    fn run(&mut self, options: &Options) -> Result<i32, String> {
        let mut steps = options.steps;
        while let Some(frame) = self.stack.last() {
            let (f, base) = (self.defined[frame.body], frame.cells);
            let Some(i) = frame.next else { return Err("a block has no end".to_string()) };
            steps = steps.wrapping_sub(1);
            if steps == 0 {
                return Err("the program took too many steps".to_string());
            }
            let (b, mut next) = (f.block_of(i), f.next(i));
            match f.op(i) {
                Op::Br => next = self.follow(f, base, b.and_then(|b| f.succs(b).next())),
                Op::CondBr => {
                    let condition = self.used(f, base, f.arg(i, 0))?;
                    let which = usize::from(condition.bits & 1 == 0);
                    let taken = b.and_then(|b| f.succs(b).nth(which));
                    next = self.follow(f, base, taken);
                }
                Op::Ret => {
                    let value = f.args(i).first().map_or(Cell::default(), |&v| self.value(f, base, v));
                    if self.stack.len() == 1 {
                        let value = f.args(i).first().map_or(Ok(value), |&v| self.used(f, base, v))?;
                        return Ok(value.bits as i32);
                    }
                    self.leave(value);
                    continue;
                }
                Op::Unreachable => return Err("control came to a place that is never reached".to_string()),
                Op::Call => match self.calls[f.callee(i)] {
                    Some(runtime) => {
                        let result = self.runtime(f, base, i, runtime)?;
                        self.cells[base + i.index()] = result;
                    }
                    None => {
                        self.values.clear();
                        for &v in f.args(i) {
                            let cell = self.value(f, base, v);
                            self.values.push(cell);
                        }
                        self.enter(f.callee(i), options)?;
                        let start = self.cells.len() - self.top_count();
                        self.cells[start..start + self.values.len()].copy_from_slice(&self.values);
                        continue;
                    }
                },
                _ if f.has_vectors() => self.lanes(f, base, i)?,
                _ => {
                    let cell = self.inst(f, base, i)?;
                    self.cells[base + i.index()] = cell;
                }
            }
            if let Some(frame) = self.stack.last_mut() {
                frame.next = next;
            }
        }
        Err("the stack is empty".to_string())
    }

    /// Number of cells of the frame on top.
    fn top_count(&self) -> usize {
        self.stack.last().map_or(0, |frame| self.frames[frame.body].cells)
    }

    /// Returns to the caller, whose `next` still is the call.
    fn leave(&mut self, value: Cell) {
        let Some(frame) = self.stack.pop() else { return };
        self.cells.truncate(frame.cells);
        self.objects.truncate(frame.objects);
        if let Some(caller) = self.stack.last_mut()
            && let Some(call) = caller.next
        {
            self.cells[caller.cells + call.index()] = value;
            caller.next = self.defined[caller.body].next(call);
        }
    }

    /// Goes along an edge: sets the target's phis, all at once; returns what comes behind them.
    fn follow(&mut self, f: &Body, base: usize, e: Option<Edge>) -> Option<Inst> {
        let e = e?;
        let (to, slot) = (f.edge_to(e), f.edge_slot(e));
        self.values.clear();
        for phi in f.phis(to) {
            for lane in 0..f.ty(phi).lanes() {
                self.lane = lane;
                let cell = self.value(f, base, f.arg(phi, slot));
                self.values.push(cell);
            }
        }
        let (mut next, mut k) = (f.first(to), 0);
        while let Some(phi) = next.filter(|&i| f.op(i) == Op::Phi) {
            for lane in 0..f.ty(phi).lanes() {
                self.lane = lane;
                let home = self.home(f, base, phi);
                self.cells[home] = self.values[k];
                k += 1;
            }
            next = f.next(phi);
        }
        self.lane = 0;
        next
    }

    /// The cell of a result; of a vector that of the lane at hand.
    fn home(&self, f: &Body, base: usize, i: Inst) -> usize {
        if !f.ty(i).is_vector() {
            return base + i.index();
        }
        let body = self.stack.last().map_or(0, |frame| frame.body);
        base + (self.frames[body].lanes[i] + self.lane) as usize
    }

    /// An instruction of a body with vectors, lane by lane. What is computed of an undefined lane is
    /// undefined.
    fn lanes(&mut self, f: &Body, base: usize, i: Inst) -> Result<(), String> {
        let (op, ty) = (f.op(i), f.ty(i));
        let of_operand = f.args(i).first().map_or(1, |&v| f.type_of(v).lanes());
        let copies = matches!(op, Op::Splat | Op::InsertLane | Op::Select);
        for lane in 0..if ty == Type::Void { of_operand } else { ty.lanes() } {
            self.lane = lane;
            let computes = ty.is_vector() && op.has(PURE) && !copies;
            let known = !computes || f.args(i).iter().all(|&v| self.value(f, base, v).defined);
            let cell = if known { self.inst(f, base, i)? } else { Cell::default() };
            let home = self.home(f, base, i);
            self.cells[home] = cell;
        }
        self.lane = 0;
        Ok(())
    }

    fn value(&self, f: &Body, base: usize, v: Value) -> Cell {
        match v.kind() {
            ValueKind::Inst(i) => self.cells[self.home(f, base, i)],
            ValueKind::Global(global) => self.pointer(global.index() as u32 + 1),
            ValueKind::Request(request) => {
                let body = self.stack.last().map_or(0, |frame| frame.body);
                self.pointer(self.requests[body] + request.index() as u32)
            }
            ValueKind::Undef(_) => Cell::default(),
            _ => Cell { bits: f.number(v).map_or(0, |x| x.bits), object: 0, defined: true },
        }
    }

    fn pointer(&self, object: u32) -> Cell {
        Cell { bits: u64::from(self.objects[object as usize].start), object, defined: true }
    }

    /// A value that something depends on.
    fn used(&self, f: &Body, base: usize, v: Value) -> Result<Cell, String> {
        let cell = self.value(f, base, v);
        if cell.defined { Ok(cell) } else { Err("a value is used that was never initialised".to_string()) }
    }

    fn number(&self, f: &Body, base: usize, v: Value) -> Result<Number, String> {
        Ok(Number { ty: f.type_of(v).element(), bits: self.used(f, base, v)?.bits })
    }

    fn inst(&mut self, f: &Body, base: usize, i: Inst) -> Result<Cell, String> {
        let (op, ty, payload) = (f.op(i), f.ty(i).element(), f.payload(i));
        Ok(match op {
            Op::ICmp => {
                let (mut a, mut b) = (self.number(f, base, f.arg(i, 0))?, self.number(f, base, f.arg(i, 1))?);
                if a.ty == Type::Ptr {
                    (a.ty, b.ty) = (Type::I64, Type::I64);
                }
                known(u64::from(IntPred::from_payload(payload).holds(a, b)))
            }
            Op::FCmp => {
                let (a, b) = (self.number(f, base, f.arg(i, 0))?, self.number(f, base, f.arg(i, 1))?);
                known(u64::from(FloatPred::from_payload(payload).holds(a.float(), b.float())))
            }
            _ if let Some(by) = op.reduces_by() => {
                let mut all = None;
                if op == Op::ReduceFAdd {
                    all = Some(self.number(f, base, f.arg(i, 0))?);
                }
                let v = f.arg(i, f.args(i).len() - 1);
                for lane in 0..f.type_of(v).lanes() {
                    self.lane = lane;
                    let x = self.number(f, base, v)?;
                    all = Some(match all {
                        Some(all) => Number { ty, bits: computed(by, ty, &[all, x])?.bits },
                        None => x,
                    });
                }
                self.lane = 0;
                all.map_or(Cell::default(), |all| known(all.bits))
            }
            _ if op.row().types != Types::Own => {
                let mut args = [Number::zero(ty); 3];
                let args = &mut args[..f.args(i).len().min(3)];
                for (number, &v) in args.iter_mut().zip(f.args(i)) {
                    *number = self.number(f, base, v)?;
                }
                computed(op, ty, args)?
            }
            Op::Splat => self.value(f, base, f.arg(i, 0)),
            Op::ExtractLane => {
                self.lane = payload;
                let cell = self.value(f, base, f.arg(i, 0));
                self.lane = 0;
                cell
            }
            Op::InsertLane => self.value(f, base, f.arg(i, usize::from(self.lane == payload))),
            Op::Select => {
                let condition = self.used(f, base, f.arg(i, 0))?;
                self.value(f, base, f.arg(i, if condition.bits & 1 != 0 { 1 } else { 2 }))
            }
            Op::Alloca => self.alloca(base, i, payload),
            Op::ElemAddr => self.elem_addr(f, base, i)?,
            Op::Load | Op::StridedLoad => self.load(f, base, i, ty)?,
            Op::MaskedLoad if self.used(f, base, f.arg(i, 1))?.bits & 1 != 0 => self.load(f, base, i, ty)?,
            Op::MaskedLoad => self.value(f, base, f.arg(i, 2)),
            Op::MaskedStore if self.used(f, base, f.arg(i, 2))?.bits & 1 == 0 => Cell::default(),
            Op::Store | Op::StridedStore | Op::MaskedStore => {
                let value = self.value(f, base, f.arg(i, 0));
                let ty = f.type_of(f.arg(i, 0)).element();
                let (_, at) = self.lane_access(f, base, i, ty.bytes())?;
                let bits = match ty {
                    Type::Ptr => value.bits & 0xffff_ffff | u64::from(value.object) << 32,
                    _ => value.bits,
                };
                self.memory.store(at.into(), ty.bytes(), bits);
                self.memory.mark(at, ty.bytes(), value.defined);
                Cell::default()
            }
            Op::MemInit => {
                let (_, at) = self.access(f, base, f.arg(i, 0), payload)?;
                match f.args(i).get(1) {
                    Some(&from) => {
                        let (_, from) = self.access(f, base, from, payload)?;
                        self.memory.copy(at.into(), from.into(), payload);
                    }
                    None => _ = self.memory.fill(at.into(), 0, payload),
                }
                self.memory.mark(at, payload, true);
                Cell::default()
            }
            Op::MemSet | Op::MemCopy => {
                let length = self.number(f, base, f.arg(i, 2))?.unsigned();
                let Ok(length) = u32::try_from(length) else {
                    return Err("access out of bounds: more than 4 GiB".to_string());
                };
                if length != 0 {
                    let (_, at) = self.access(f, base, f.arg(i, 0), length)?;
                    self.fill_or_copy(f, base, i, at, length)?;
                }
                Cell::default()
            }
            _ => Cell::default(),
        })
    }

    /// The address of what a load or a store reads or writes; of a vector, for the lane at hand.
    fn lane_access(&self, f: &Body, base: usize, i: Inst, size: u32) -> Result<(Cell, u32), String> {
        let (address, stride) = match f.op(i) {
            Op::Store | Op::MaskedStore => (1, None),
            Op::StridedStore => (1, Some(2)),
            Op::StridedLoad => (0, Some(1)),
            _ => (0, None),
        };
        let mut pointer = self.used(f, base, f.arg(i, address))?;
        let step = match stride {
            Some(k) => self.number(f, base, f.arg(i, k))?.signed(),
            None => i64::from(size),
        };
        let offset = step.wrapping_mul(i64::from(self.lane));
        pointer.bits = pointer.bits.wrapping_add(offset as u64);
        self.reached(pointer, size)
    }

    fn load(&mut self, f: &Body, base: usize, i: Inst, ty: Type) -> Result<Cell, String> {
        let (pointer, at) = self.lane_access(f, base, i, ty.bytes())?;
        if !self.memory.is_written(at, ty.bytes()) {
            return Err(format!("{} is read, but was never initialised", self.place(pointer)));
        }
        let bits = self.memory.load(at.into(), ty.bytes()).unwrap_or(0);
        Ok(match ty {
            // The object stands in the upper half, see `Op::Store`.
            Type::Ptr => Cell { bits: bits & 0xffff_ffff, object: (bits >> 32) as u32, defined: true },
            Type::F32 | Type::F64 => known(bits),
            _ => known(Number::int(ty, bits as i64).bits),
        })
    }

    /// `memset` or `memcpy`, of some bytes to `at`.
    fn fill_or_copy(&mut self, f: &Body, base: usize, i: Inst, at: u32, length: u32) -> Result<(), String> {
        if f.op(i) == Op::MemSet {
            let byte = self.value(f, base, f.arg(i, 1));
            self.memory.fill(at.into(), byte.bits as u8, length);
            self.memory.mark(at, length, byte.defined);
            return Ok(());
        }
        let (_, from) = self.access(f, base, f.arg(i, 1), length)?;
        if at != from && at.abs_diff(from) < length {
            return Err("a copy between stretches of memory that overlap".to_string());
        }
        self.memory.copy(at.into(), from.into(), length);
        self.memory.copy_marks(at, from, length);
        Ok(())
    }

    fn alloca(&mut self, base: usize, i: Inst, payload: u32) -> Cell {
        let shapes = &self.module.env.shapes;
        let shape = Shape::new(payload as usize);
        let bytes = shapes.bytes(shape) as u32;
        let old = self.cells[base + i.index()];
        let (body, memory) = self.stack.last().map_or((0, 0), |frame| (frame.body, frame.memory));
        let start = memory + self.frames[body].places[i];
        self.memory.mark(start, bytes, false);
        if old.defined {
            return old;
        }
        let scalar = shapes.scalar_type(shape);
        self.objects.push(Object { start, end: start + bytes, name: ObjectName::Local, scalar });
        self.pointer(self.objects.len() as u32 - 1)
    }

    fn elem_addr(&self, f: &Body, base: usize, i: Inst) -> Result<Cell, String> {
        let shapes = &self.module.env.shapes;
        let mut pointer = self.used(f, base, f.arg(i, 0))?;
        let mut shape = Shape::new(f.payload(i) as usize);
        for (k, &v) in f.args(i)[1..].iter().enumerate() {
            let index = self.used(f, base, v)?.bits as i64;
            if k != 0 {
                let length = shapes.length(shape);
                shape = shapes.element(shape);
                if index < 0 || index >= i64::from(length) {
                    return Err(format!("index {index} is outside of a dimension of {length}"));
                }
            }
            let step = index.wrapping_mul(shapes.bytes(shape) as i64);
            pointer.bits = pointer.bits.wrapping_add(step as u64);
        }
        Ok(pointer)
    }

    /// The object that a pointer points into. One that is gone (only LLVM text can keep a pointer so long) is
    /// no object.
    fn object(&self, pointer: Cell) -> Object {
        self.objects.get(pointer.object as usize).copied().unwrap_or(self.objects[0])
    }

    /// What a pointer points at, in words.
    fn place(&self, pointer: Cell) -> String {
        let object = self.object(pointer);
        let size = i64::from(object.scalar.bytes());
        let element = (pointer.bits as i64 - i64::from(object.start)).div_euclid(size);
        let count = i64::from(object.end - object.start) / size;
        let name = match object.name {
            ObjectName::Global(name) => format!("`{}`", self.module.env.names.text(name)),
            ObjectName::Local if count == 1 => "a local variable".to_string(),
            ObjectName::Local => "a local array".to_string(),
            ObjectName::Literal => "a constant".to_string(),
        };
        if count == 1 && element == 0 {
            name
        } else {
            format!("element {element} of {name} ({count} elements)")
        }
    }

    /// The address of `size` bytes that a pointer may reach.
    fn access(&self, f: &Body, base: usize, address: Value, size: u32) -> Result<(Cell, u32), String> {
        self.reached(self.used(f, base, address)?, size)
    }

    /// The same of a pointer.
    fn reached(&self, pointer: Cell, size: u32) -> Result<(Cell, u32), String> {
        let object = self.objects.get(pointer.object as usize).filter(|_| pointer.object != 0);
        let Some(object) = object else {
            return Err("an access through a pointer that points to nothing".to_string());
        };
        let at = pointer.bits as i64;
        if at < i64::from(object.start) || at.saturating_add(i64::from(size)) > i64::from(object.end) {
            return Err(format!("access out of bounds: {}", self.place(pointer)));
        }
        Ok((pointer, at as u32))
    }

    fn runtime(&mut self, f: &Body, base: usize, i: Inst, runtime: Runtime) -> Result<Cell, String> {
        let mut limit = 0;
        let mut args = Vec::with_capacity(f.args(i).len());
        for &v in f.args(i) {
            let cell = self.used(f, base, v)?;
            if f.type_of(v) == Type::Ptr {
                let object = self.object(cell);
                if (cell.bits as i64) < i64::from(object.start) || cell.bits as i64 > i64::from(object.end) {
                    return Err(format!("access out of bounds: {}", self.place(cell)));
                }
                limit = object.end;
            }
            args.push(cell.bits);
        }
        let bits = self.io.call(runtime, &args, self.memory, limit)?;
        let bits = if f.ty(i) == Type::I32 { i64::from(bits as i32) as u64 } else { bits };
        Ok(Cell { bits, object: 0, defined: true })
    }
}
