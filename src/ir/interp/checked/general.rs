//! What has no row of its own: reads the instruction in the IR's tables. Vectors go lane by lane.

use super::super::execute::of_nan;
use super::super::runtime::Runtime;
use super::row::Cell;
use super::tell::{Fault, Stop, unset};
use super::{Machine, known};
use crate::base::Handle;
use crate::ir::fold::{Number, fold};
use crate::ir::opcode::{MAY_TRAP, PURE, Types};
use crate::ir::{Body, FloatPred, Inst, IntPred, Op, Shape, Type, Value, ValueKind};

/// What an operation that its row says all of yields.
pub(super) fn computed(op: Op, ty: Type, args: &[Number]) -> Result<Cell, Stop> {
    match fold(op, ty, 0, args) {
        Some(x) => Ok(known(x.bits)),
        None if matches!(op, Op::Shl | Op::LShr | Op::AShr) => {
            Err(Fault::new(format!("a shift by {}, in {} bits", args[1].signed(), ty.int_bits())))
        }
        None if op.has(MAY_TRAP) => Err(Fault::new("division by zero")),
        None => Ok(known(of_nan(op, args[0].ty, ty, args[0].bits))),
    }
}

impl Machine<'_, '_> {
    /// Executes an instruction of the function on top.
    #[inline(never)]
    pub(super) fn general(&mut self, frame: &mut [Cell], i: Inst) -> Result<(), Stop> {
        let f = self.bodies[self.top.body as usize];
        if f.op(i) == Op::Call {
            if let Some(builtin) = self.module.env.funcs[f.callee(i)].builtin {
                frame[i.index()] = self.builtin(f, frame, i, builtin)?;
                return Ok(());
            }
            let runtime = self.calls[f.callee(i)].ok_or_else(|| Fault::new("a call of no function"))?;
            frame[i.index()] = self.runtime(f, frame, i, runtime)?;
            return Ok(());
        }
        if f.has_vectors() {
            return self.lanes(f, frame, i);
        }
        frame[i.index()] = self.inst(f, frame, i)?;
        Ok(())
    }

    /// The cell of a result; of a vector that of the lane at hand.
    fn home(&self, f: &Body, i: Inst) -> usize {
        if !f.ty(i).is_vector() {
            return i.index();
        }
        (self.layouts[self.top.body as usize].lanes[i] + self.lane) as usize
    }

    /// An instruction of a body with vectors, lane by lane. What is computed of an undefined lane is
    /// undefined.
    fn lanes(&mut self, f: &Body, frame: &mut [Cell], i: Inst) -> Result<(), Stop> {
        let (op, ty) = (f.op(i), f.ty(i));
        let of_operand = f.args(i).first().map_or(1, |&v| f.type_of(v).lanes());
        let copies =
            matches!(op, Op::Splat | Op::InsertLane | Op::Splice | Op::ZipLow | Op::ZipHigh | Op::Select);
        for lane in 0..if ty == Type::Void { of_operand } else { ty.lanes() } {
            self.lane = lane;
            let computes = ty.is_vector() && op.has(PURE) && !copies;
            let known = !computes || f.args(i).iter().all(|&v| self.value(f, frame, v).defined);
            let cell = if known { self.inst(f, frame, i)? } else { Cell::default() };
            let home = self.home(f, i);
            frame[home] = cell;
        }
        self.lane = 0;
        Ok(())
    }

    pub(super) fn value(&self, f: &Body, frame: &[Cell], v: Value) -> Cell {
        match v.kind() {
            ValueKind::Inst(i) => frame[self.home(f, i)],
            ValueKind::Global(global) => self.pointer(global.index() as u32 + 1),
            ValueKind::Request(request) => {
                self.pointer(self.requests[self.top.body as usize] + request.index() as u32)
            }
            ValueKind::Undef(_) => Cell::default(),
            _ => Cell { bits: f.number(v).map_or(0, |x| x.bits), object: 0, defined: true },
        }
    }

    fn pointer(&self, object: u32) -> Cell {
        Cell { bits: u64::from(self.objects[object as usize].start), object, defined: true }
    }

    /// A value that something depends on.
    pub(super) fn used(&self, f: &Body, frame: &[Cell], v: Value) -> Result<Cell, Stop> {
        let cell = self.value(f, frame, v);
        if cell.defined { Ok(cell) } else { Err(unset()) }
    }

    fn number(&self, f: &Body, frame: &[Cell], v: Value) -> Result<Number, Stop> {
        Ok(Number { ty: f.type_of(v).element(), bits: self.used(f, frame, v)?.bits })
    }

    fn inst(&mut self, f: &Body, frame: &[Cell], i: Inst) -> Result<Cell, Stop> {
        let (op, ty, payload) = (f.op(i), f.ty(i).element(), f.payload(i));
        Ok(match op {
            Op::ICmp => {
                let (mut a, mut b) =
                    (self.number(f, frame, f.arg(i, 0))?, self.number(f, frame, f.arg(i, 1))?);
                if a.ty == Type::Ptr {
                    (a.ty, b.ty) = (Type::I64, Type::I64);
                }
                known(u64::from(IntPred::from_payload(payload).holds(a, b)))
            }
            Op::FCmp => {
                let (a, b) = (self.number(f, frame, f.arg(i, 0))?, self.number(f, frame, f.arg(i, 1))?);
                known(u64::from(FloatPred::from_payload(payload).holds(a.float(), b.float())))
            }
            _ if let Some(by) = op.reduces_by() => {
                let mut all = None;
                if op == Op::ReduceFAdd {
                    all = Some(self.number(f, frame, f.arg(i, 0))?);
                }
                let v = f.arg(i, f.args(i).len() - 1);
                for lane in 0..f.type_of(v).lanes() {
                    self.lane = lane;
                    let x = self.number(f, frame, v)?;
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
                    *number = self.number(f, frame, v)?;
                }
                computed(op, ty, args)?
            }
            Op::PtrToInt | Op::IntToPtr => self.used(f, frame, f.arg(i, 0))?,
            Op::Splat => self.value(f, frame, f.arg(i, 0)),
            Op::ExtractLane => {
                self.lane = payload;
                let cell = self.value(f, frame, f.arg(i, 0));
                self.lane = 0;
                cell
            }
            Op::InsertLane => self.value(f, frame, f.arg(i, usize::from(self.lane == payload))),
            Op::Splice => {
                let own = self.lane;
                let last = f.ty(i).lanes() - 1;
                self.lane = own.checked_sub(1).unwrap_or(last);
                let cell = self.value(f, frame, f.arg(i, usize::from(own != 0)));
                self.lane = own;
                cell
            }
            Op::ZipLow | Op::ZipHigh => {
                let own = self.lane;
                let first = if op == Op::ZipLow { 0 } else { f.ty(i).lanes() / 2 };
                self.lane = first + own / 2;
                let cell = self.value(f, frame, f.arg(i, own as usize % 2));
                self.lane = own;
                cell
            }
            Op::Select => {
                let condition = self.used(f, frame, f.arg(i, 0))?;
                self.value(f, frame, f.arg(i, if condition.bits & 1 != 0 { 1 } else { 2 }))
            }
            Op::Alloca => self.again(frame[i.index()], i),
            Op::ElemAddr => self.elem_addr(f, frame, i)?,
            Op::Load | Op::LoadVolatile | Op::StridedLoad => self.load(f, frame, i, ty)?,
            Op::MaskedLoad if self.used(f, frame, f.arg(i, 1))?.bits & 1 != 0 => {
                self.load(f, frame, i, ty)?
            }
            Op::MaskedLoad => self.value(f, frame, f.arg(i, 2)),
            Op::MaskedStore if self.used(f, frame, f.arg(i, 2))?.bits & 1 == 0 => Cell::default(),
            Op::Store | Op::StoreVolatile | Op::StridedStore | Op::MaskedStore => {
                let value = self.value(f, frame, f.arg(i, 0));
                let ty = f.type_of(f.arg(i, 0)).element();
                let (_, at) = self.lane_access(f, frame, i, ty.bytes())?;
                self.write(ty, at, value);
                Cell::default()
            }
            Op::MemInit => {
                let (_, at) = self.access(f, frame, f.arg(i, 0), payload)?;
                match f.args(i).get(1) {
                    Some(&from) => {
                        let (_, from) = self.access(f, frame, from, payload)?;
                        self.memory.copy(at.into(), from.into(), payload);
                    }
                    None => _ = self.memory.fill(at.into(), 0, payload),
                }
                self.memory.mark(at, payload, true);
                Cell::default()
            }
            Op::MemSet | Op::MemCopy => {
                let length = self.number(f, frame, f.arg(i, 2))?.unsigned();
                let Ok(length) = u32::try_from(length) else {
                    return Err(Fault::new("access out of bounds: more than 4 GiB"));
                };
                if length != 0 {
                    let (_, at) = self.access(f, frame, f.arg(i, 0), length)?;
                    self.fill_or_copy(f, frame, i, at, length)?;
                }
                Cell::default()
            }
            _ => Cell::default(),
        })
    }

    /// The address of what a load or a store reads or writes; of a vector, for the lane at hand.
    fn lane_access(&self, f: &Body, frame: &[Cell], i: Inst, size: u32) -> Result<(Cell, u32), Stop> {
        let (address, stride) = match f.op(i) {
            Op::Store | Op::StoreVolatile | Op::MaskedStore => (1, None),
            Op::StridedStore => (1, Some(2)),
            Op::StridedLoad => (0, Some(1)),
            _ => (0, None),
        };
        let mut pointer = self.used(f, frame, f.arg(i, address))?;
        let step = match stride {
            Some(k) => self.number(f, frame, f.arg(i, k))?.signed(),
            None => i64::from(size),
        };
        let offset = step.wrapping_mul(i64::from(self.lane));
        pointer.bits = pointer.bits.wrapping_add(offset as u64);
        self.reached(pointer, size)
    }

    fn load(&mut self, f: &Body, frame: &[Cell], i: Inst, ty: Type) -> Result<Cell, Stop> {
        let place = self.lane_access(f, frame, i, ty.bytes())?;
        self.read(ty, place)
    }

    /// A value of a type at an address; it is stored with what it is.
    pub(super) fn write(&mut self, ty: Type, at: u32, value: Cell) {
        let bits = match ty {
            Type::Ptr => value.bits & 0xffff_ffff | u64::from(value.object) << 32,
            _ => value.bits,
        };
        self.memory.store(at.into(), ty.bytes(), bits);
        self.memory.mark(at, ty.bytes(), value.defined);
    }

    /// The value of a type that a pointer leads to.
    pub(super) fn read(&mut self, ty: Type, (pointer, at): (Cell, u32)) -> Result<Cell, Stop> {
        if !self.memory.is_written(at, ty.bytes()) {
            return Err(self.unwritten(pointer));
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
    fn fill_or_copy(&mut self, f: &Body, frame: &[Cell], i: Inst, at: u32, length: u32) -> Result<(), Stop> {
        if f.op(i) == Op::MemSet {
            let byte = self.value(f, frame, f.arg(i, 1));
            self.memory.fill(at.into(), byte.bits as u8, length);
            self.memory.mark(at, length, byte.defined);
            return Ok(());
        }
        let (_, from) = self.access(f, frame, f.arg(i, 1), length)?;
        if at != from && at.abs_diff(from) < length {
            return Err(Fault::new("a copy between stretches of memory that overlap"));
        }
        self.memory.copy(at.into(), from.into(), length);
        self.memory.copy_marks(at, from, length);
        Ok(())
    }

    /// The memory of an alloca that may have been executed before.
    fn again(&mut self, old: Cell, i: Inst) -> Cell {
        let body = self.top.body as usize;
        let (what, place) = (self.code.alloca(body, i), self.layouts[body].places[i]);
        let shape = Shape::new(self.bodies[body].payload(i) as usize);
        let bytes = self.module.env.shapes.bytes(shape) as u32;
        if old.defined {
            self.memory.mark(self.top.memory + place, bytes, false);
            return old;
        }
        self.alloca(place, bytes, what)
    }

    fn elem_addr(&self, f: &Body, frame: &[Cell], i: Inst) -> Result<Cell, Stop> {
        let shapes = &self.module.env.shapes;
        let mut pointer = self.used(f, frame, f.arg(i, 0))?;
        let mut shape = Shape::new(f.payload(i) as usize);
        for (k, &v) in f.args(i)[1..].iter().enumerate() {
            let index = self.used(f, frame, v)?.bits as i64;
            if k != 0 {
                let length = shapes.length(shape);
                shape = shapes.element(shape);
                if index < 0 || index >= i64::from(length) {
                    return Err(self.beyond(pointer, index, length));
                }
            }
            let step = index.wrapping_mul(shapes.bytes(shape) as i64);
            pointer.bits = pointer.bits.wrapping_add(step as u64);
        }
        Ok(pointer)
    }

    /// The address of `size` bytes that a pointer may reach.
    fn access(&self, f: &Body, frame: &[Cell], address: Value, size: u32) -> Result<(Cell, u32), Stop> {
        self.reached(self.used(f, frame, address)?, size)
    }

    fn runtime(&mut self, f: &Body, frame: &[Cell], i: Inst, runtime: Runtime) -> Result<Cell, Stop> {
        let mut pointer = Cell::default();
        let mut limit = 0;
        let mut args = std::mem::take(&mut self.args);
        args.clear();
        for &v in f.args(i) {
            let cell = self.used(f, frame, v)?;
            if f.type_of(v) == Type::Ptr {
                let object = self.object(cell);
                if (cell.bits as i64) < i64::from(object.start) || cell.bits as i64 > i64::from(object.end) {
                    return Err(self.outside(cell));
                }
                (pointer, limit) = (cell, object.end);
            }
            args.push(cell.bits);
        }
        let result = self.io.call(runtime, &args, self.memory, limit);
        self.args = args;
        if runtime == Runtime::Exit
            && let Some(stop) = self.told_by_check()
        {
            return Err(stop);
        }
        let bits = result.map_err(|refusal| self.refused(i, (runtime, pointer), refusal))?;
        let bits = if f.ty(i) == Type::I32 { i64::from(bits as i32) as u64 } else { bits };
        Ok(known(bits))
    }
}
