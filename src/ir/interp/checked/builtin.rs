//! What calls stand for, checked: memory of the stack that is taken as the function runs is an object each time, atomic
//! accesses are accesses (there is one thread), aligned to their size, and a call by address is of a function of the program that
//! takes what is passed. O(1) each, but for what is given back: O(objects that go).

use super::super::memory::ALIGN;
use super::general::computed;
use super::row::{Cell, Origin};
use super::tell::{Fault, Stop, unset};
use super::{Machine, Object, known};
use crate::ir::fold::Number;
use crate::ir::{Body, Builtin, Inst, Type};

impl Machine<'_, '_> {
    /// The body of what has this address, for a call with these arguments.
    pub(super) fn called(&self, address: Cell, i: Inst) -> Result<u32, Stop> {
        if !address.defined {
            return Err(unset());
        }
        let f = self.bodies[self.top.body as usize];
        let object = self.object(address);
        let origin = self.code.objects.get(object.what as usize).map(|row| row.origin);
        let of = match origin {
            Some(Origin::Global(global)) if address.bits == u64::from(object.start) => {
                self.module.env.globals[global].func.get()
            }
            _ => None,
        };
        let Some((func, body)) = of.and_then(|func| Some((func, self.numbers[func]?))) else {
            return Err(Fault::new("a call of what is no function of the program"));
        };
        let row = &self.module.env.funcs[func];
        let given = f.args(i).iter().skip(1).map(|&v| f.type_of(v));
        if !given.eq(row.params.iter().copied()) || f.ty(i) != Type::Void && f.ty(i) != row.result {
            let name = self.module.env.names.text(row.name);
            return Err(Fault::new(format!("a call of '{name}' as if it took or gave something else")));
        }
        Ok(body)
    }

    /// What a call of a function that stands for something yields.
    pub(super) fn builtin(
        &mut self,
        f: &Body,
        frame: &[Cell],
        i: Inst,
        builtin: Builtin,
    ) -> Result<Cell, Stop> {
        let place = |machine: &Self, k: usize, ty: Type| -> Result<(Cell, u32), Stop> {
            let (pointer, at) = machine.reached(machine.used(f, frame, f.arg(i, k))?, ty.bytes())?;
            let size = machine.module.env.shapes.bytes_of(ty);
            if at.is_multiple_of(size) {
                return Ok((pointer, at));
            }
            Err(Fault::new(format!("an atomic access of {size} bytes that is aligned to less")))
        };
        Ok(match builtin {
            Builtin::StackAlloc(align) => {
                let bytes = self.used(f, frame, f.arg(i, 0))?.bits;
                return self.take(i, bytes, align);
            }
            Builtin::StackSave => known(self.end()),
            // There is one thread.
            Builtin::ThreadAddress => self.value(f, frame, f.arg(i, 0)),
            Builtin::StackRestore => {
                let to = self.used(f, frame, f.arg(i, 0))?.bits;
                self.give_back(to)?;
                Cell::default()
            }
            Builtin::Fence(_) | Builtin::Barrier => Cell::default(),
            // Nothing that is called here throws anything.
            Builtin::Unwinds => known(0),
            Builtin::LandingPad | Builtin::Selector | Builtin::TypeId | Builtin::Assembly => Cell::default(),
            Builtin::AtomicLoad(_) => {
                let place = place(self, 0, f.ty(i))?;
                self.read(f.ty(i), place)?
            }
            Builtin::AtomicStore(_) => {
                let (value, ty) = (self.value(f, frame, f.arg(i, 0)), f.type_of(f.arg(i, 0)));
                let (_, at) = place(self, 1, ty)?;
                self.write(ty, at, value);
                Cell::default()
            }
            Builtin::AtomicUpdate(update, _) => {
                let (ty, value) = (f.ty(i), self.used(f, frame, f.arg(i, 1))?);
                let place = place(self, 0, ty)?;
                let old = self.read(ty, place)?;
                let new = match update.op() {
                    Some(op) => computed(op, ty, &[old, value].map(|cell| Number { ty, bits: cell.bits }))?,
                    None => value,
                };
                self.write(ty, place.1, new);
                old
            }
            Builtin::CompareExchange(_) => {
                let ty = f.ty(i);
                let (expected, new) = (self.used(f, frame, f.arg(i, 1))?, self.value(f, frame, f.arg(i, 2)));
                let place = place(self, 0, ty)?;
                let old = self.read(ty, place)?;
                if old.bits == expected.bits {
                    self.write(ty, place.1, new);
                }
                old
            }
        })
    }

    /// Where the memory of the function on top ends that it has by itself.
    fn own_end(&self) -> u64 {
        let bytes = self.code.entries[self.top.body as usize].bytes;
        u64::from(self.top.memory) + u64::from(bytes)
    }

    fn end(&self) -> u64 {
        self.own_end() + u64::from(self.top.taken)
    }

    /// So many bytes, which have no value.
    fn take(&mut self, i: Inst, bytes: u64, align: u32) -> Result<Cell, Stop> {
        let start = self.end().next_multiple_of(u64::from(align));
        let end = start.saturating_add(bytes);
        let next = end.saturating_add(ALIGN) / ALIGN * ALIGN;
        if !self.memory.reaches(next) {
            return Err(Fault::new("stack overflow"));
        }
        self.top.taken = (next - self.own_end()) as u32;
        self.memory.mark(start as u32, bytes as u32, false);
        let object = self.objects.len() as u32;
        let what = self.code.alloca(self.top.body as usize, i);
        self.objects.push(Object { start: start as u32, end: end as u32, what });
        Ok(Cell { bits: start, object, defined: true })
    }

    /// Gives back what has been taken since the stack ended there.
    fn give_back(&mut self, to: u64) -> Result<(), Stop> {
        if to < self.own_end() || to > self.end() {
            return Err(Fault::new("more of the stack is given back than was taken"));
        }
        self.top.taken = (to - self.own_end()) as u32;
        while self.objects.len() > self.top.objects as usize
            && self.objects.last().is_some_and(|object| u64::from(object.start) >= to)
        {
            self.objects.pop();
        }
        Ok(())
    }
}
