//! Bodies to rows, once for all of a program: O(instructions and operands).
//!
//! A scalar that only loads and stores of its own type reach is a cell: what has no value says so itself, and
//! nothing can be outside of it. Constants and addresses of globals are cells, too, so that operands are of
//! one kind. A comparison that the branch behind it is the only one to use becomes one row with it. An index
//! that is a constant within its dimension is not looked at again. Whatever deals with vectors is general.

use super::frame::Layout;
use super::row::{Cell, Code, Entry, ObjectRow, Origin, Row};
use crate::base::{Column, Handle};
use crate::ir::opcode::Types;
use crate::ir::{
    Block, Body, Builtin, Edge, Flags, FloatPred, Inst, IntPred, Module, Op, Shape, Type, Value, ValueKind,
};

/// What globals and requested globals are to bodies.
pub(super) struct Objects {
    /// Per object that is there from the start: where it begins. Global k is object k + 1.
    pub(super) starts: Vec<u32>,
    /// Per body: where its requested globals' objects start.
    pub(super) requests: Vec<u32>,
}

/// The rows of all bodies. `code` has the objects that are there from the start. `is_defined` says what calls
/// of which function are.
pub(super) fn flatten(
    module: &Module,
    bodies: &[&Body],
    layouts: &[Layout],
    objects: &Objects,
    mut code: Code,
    callee: impl Fn(&Body, Inst) -> Option<u32>,
) -> Code {
    for (body, (&f, layout)) in bodies.iter().zip(layouts).enumerate() {
        let mut maker = Maker {
            module,
            f,
            layout,
            body: body as u32,
            code: &mut code,
            scalars: Column::filled(f.inst_count(), Type::Void),
            operands: Vec::new(),
            first_fixed: layout.cells as u32,
            starts: vec![0; f.block_count()],
            jumps: Vec::new(),
        };
        maker.find_scalars();
        maker.fix(objects);
        maker.rows(&callee);
    }
    code
}

/// A jump whose target is not known yet.
struct Jump {
    row: usize,
    is_no: bool,
    edge: Edge,
}

struct Maker<'a> {
    module: &'a Module,
    f: &'a Body,
    layout: &'a Layout,
    body: u32,
    code: &'a mut Code,
    /// Per instruction: what an alloca holds that is a cell, or nothing.
    scalars: Column<Inst, Type>,
    /// The operands that have fixed cells, in order; of a scalar its alloca.
    operands: Vec<Value>,
    /// The number of the first of these cells.
    first_fixed: u32,
    /// Per block: its first row.
    starts: Vec<u32>,
    jumps: Vec<Jump>,
}

impl Maker<'_> {
    /// Finds the scalars that are cells.
    fn find_scalars(&mut self) {
        let Maker { f, module, .. } = *self;
        let entry = f.entry();
        for i in entry.into_iter().flat_map(|b| f.insts(b)).filter(|&i| f.op(i) == Op::Alloca) {
            let shape = Shape::new(f.payload(i) as usize);
            let scalar = module.env.shapes.scalar_type(shape);
            if shape == Shape::scalar(scalar) {
                self.scalars[i] = scalar;
            }
        }
        for i in f.blocks().flat_map(|b| f.insts(b)) {
            let (op, args) = (f.op(i), f.args(i));
            for (k, scalar) in args.iter().enumerate().filter_map(|(k, v)| Some((k, v.as_inst()?))) {
                let accessed = match op {
                    Op::Load => f.ty(i),
                    Op::Store if k == 1 => f.type_of(args[0]),
                    _ => Type::Void,
                };
                if self.scalars[scalar] != accessed {
                    self.scalars[scalar] = Type::Void;
                }
            }
        }
    }

    /// Gives constants, addresses of globals, and scalars their cells.
    fn fix(&mut self, objects: &Objects) {
        let f = self.f;
        for i in f.blocks().flat_map(|b| f.insts(b)) {
            if self.scalars[i] != Type::Void {
                self.operands.push(Value::inst(i));
            }
            self.operands.extend(f.args(i).iter().filter(|v| v.is_constant()));
        }
        self.operands.sort_unstable();
        self.operands.dedup();
        let pointer = |object: u32| {
            let start = objects.starts.get(object as usize).copied().unwrap_or(0);
            Cell { bits: start.into(), object, defined: true }
        };
        let first = self.code.fixed.len() as u32;
        self.code.fixed.extend(self.operands.iter().map(|&v| match v.kind() {
            ValueKind::Global(global) => pointer(global.index() as u32 + 1),
            ValueKind::Request(request) => {
                pointer(objects.requests[self.body as usize] + request.index() as u32)
            }
            ValueKind::Undef(_) | ValueKind::Inst(_) => Cell::default(),
            _ => Cell { bits: f.number(v).map_or(0, |x| x.bits), object: 0, defined: true },
        }));
        let count = self.operands.len() as u32;
        self.code.entries.push(Entry {
            start: self.code.rows.len() as u32,
            cells: self.first_fixed + count,
            fixed: (first, first + count),
            unset: (0, 0),
            bytes: self.layout.bytes,
            params: f.params().len() as u32,
        });
        self.code.allocas.push(Vec::new());
    }

    /// The fixed cell of an operand; of a value that has none, some cell.
    fn fixed(&self, v: Value) -> u32 {
        self.first_fixed + self.operands.binary_search(&v).unwrap_or(0) as u32
    }

    /// The cell of an operand; of a vector that of a lane.
    fn lane(&self, v: Value, lane: u32) -> u32 {
        match v.as_inst() {
            Some(i) if self.f.ty(i).is_vector() => self.layout.lanes[i] + lane,
            Some(i) => i.index() as u32,
            None => self.fixed(v),
        }
    }

    fn cell(&self, i: Inst, k: usize) -> u32 {
        self.lane(self.f.arg(i, k), 0)
    }

    fn push(&mut self, i: Inst, row: Row) {
        self.code.rows.push(row);
        self.code.insts.push(i);
    }

    fn rows(&mut self, callee: &impl Fn(&Body, Inst) -> Option<u32>) {
        let (f, module) = (self.f, self.module);
        let mut unset = Vec::new();
        for b in f.blocks() {
            self.starts[b.index()] = self.code.rows.len() as u32;
            let mut next = f.first(b);
            while let Some(i) = next {
                next = f.next(i);
                match f.op(i) {
                    Op::Phi => {}
                    Op::Alloca => self.alloca(i, f.entry() == Some(b), &mut unset),
                    Op::Br => self.br(b, i),
                    Op::CondBr => {
                        let row = Row::Branch { c: self.cell(i, 0), yes: 0, no: 0 };
                        self.branch(b, i, i, row);
                    }
                    Op::ICmp if let Some(branch) = self.fuses(i) => {
                        let pred = IntPred::from_payload(f.payload(i));
                        let (a, c) = (self.cell(i, 0), self.cell(i, 1));
                        self.branch(b, i, branch, Row::CompareBranch { pred, a, b: c, yes: 0, no: 0 });
                        next = None;
                    }
                    Op::Ret => {
                        let row = match f.args(i).first() {
                            Some(&v) => Row::Return { a: self.lane(v, 0) },
                            None => Row::ReturnNothing,
                        };
                        self.push(i, row);
                    }
                    Op::Switch => {
                        let bits = f.type_of(f.arg(i, 0)).int_bits();
                        self.push(i, Row::Table { a: self.cell(i, 0), bits, n: f.succs(b).len() as u32 });
                        for edge in f.succs(b) {
                            self.jumps.push(Jump { row: self.code.rows.len(), is_no: false, edge });
                            self.push(i, Row::Entry { to: 0 });
                        }
                    }
                    Op::Unreachable => self.push(i, Row::Unreachable),
                    Op::Call => match callee(f, i) {
                        Some(body) => {
                            let args = self.code.lists.len() as u32;
                            for k in 0..f.args(i).len() {
                                let cell = self.cell(i, k);
                                self.code.lists.push(cell);
                            }
                            let row = match f.flags(i).has(Flags::MUST_TAIL) {
                                true => Row::TailCall { body, args },
                                false => Row::Call { body, d: i.index() as u32, args },
                            };
                            self.push(i, row);
                        }
                        None if module.env.funcs[f.callee(i)].indirect => {
                            let args = self.code.lists.len() as u32;
                            for k in 1..f.args(i).len() {
                                let cell = self.cell(i, k);
                                self.code.lists.push(cell);
                            }
                            let (a, d) = (self.cell(i, 0), i.index() as u32);
                            let row = match f.flags(i).has(Flags::MUST_TAIL) {
                                true => Row::TailCallAt { a, args },
                                false => Row::CallAt { a, d, args },
                            };
                            self.push(i, row);
                        }
                        None => {
                            let builtin = module.env.funcs[f.callee(i)].builtin;
                            if builtin.is_some_and(Builtin::takes_stack) {
                                let what = self.code.objects.len() as u32;
                                let origin = Origin::Local(self.body, i);
                                self.code.objects.push(ObjectRow { origin, scalar: Type::I8 });
                                self.code
                                    .allocas
                                    .last_mut()
                                    .into_iter()
                                    .for_each(|rows| rows.push((i, what)));
                            }
                            self.push(i, Row::General);
                        }
                    },
                    _ => {
                        let row = self.plain(i).unwrap_or(Row::General);
                        self.push(i, row);
                    }
                }
            }
            if f.terminator(b).is_none() {
                self.push(f.last(b).unwrap_or_default(), Row::Missing);
            }
        }
        for Jump { row, is_no, edge } in std::mem::take(&mut self.jumps) {
            let mut target = self.starts[f.edge_to(edge).index()];
            let copies = !matches!(self.code.rows[row], Row::Jump { .. });
            if copies && f.phis(f.edge_to(edge)).next().is_some() {
                // They stand on the way; in front of an unconditional jump they stand already.
                let (i, to) = (self.code.insts[row], target);
                target = self.code.rows.len() as u32;
                self.copies(i, edge);
                self.push(i, Row::Jump { to });
            }
            self.code.rows[row].set_target(is_no, target);
        }
        let first = self.code.lists.len() as u32;
        self.code.lists.extend(&unset);
        if let Some(entry) = self.code.entries.last_mut() {
            entry.unset = (first, first + unset.len() as u32);
        }
        if let Some(rows) = self.code.allocas.last_mut() {
            rows.sort_unstable();
        }
    }

    fn alloca(&mut self, i: Inst, is_once: bool, unset: &mut Vec<u32>) {
        let what = self.code.objects.len() as u32;
        let shape = Shape::new(self.f.payload(i) as usize);
        let shapes = &self.module.env.shapes;
        let scalar = shapes.scalar_type(shape);
        self.code.objects.push(ObjectRow { origin: Origin::Local(self.body, i), scalar });
        if let Some(rows) = self.code.allocas.last_mut() {
            rows.push((i, what));
        }
        if self.scalars[i] != Type::Void {
            return;
        }
        if !is_once {
            unset.push(i.index() as u32);
            self.push(i, Row::General);
            return;
        }
        let (d, place, bytes) = (i.index() as u32, self.layout.places[i], shapes.bytes(shape) as u32);
        self.push(i, Row::Alloca { d, place, bytes, what });
    }

    fn br(&mut self, b: Block, i: Inst) {
        let f = self.f;
        let Some(edge) = f.succs(b).next() else { return };
        self.copies(i, edge);
        if f.next_block(b) != Some(f.edge_to(edge)) {
            self.jumps.push(Jump { row: self.code.rows.len(), is_no: false, edge });
            self.push(i, Row::Jump { to: 0 });
        }
    }

    /// The branch at the end of a block, as part of the row of instruction `i`.
    fn branch(&mut self, b: Block, i: Inst, end: Inst, row: Row) {
        debug_assert_eq!(self.f.last(b), Some(end));
        for (edge, is_no) in self.f.succs(b).zip([false, true]) {
            self.jumps.push(Jump { row: self.code.rows.len(), is_no, edge });
        }
        self.push(i, row);
    }

    /// The copies that an edge makes.
    fn copies(&mut self, i: Inst, edge: Edge) {
        let f = self.f;
        let (to, slot) = (f.edge_to(edge), f.edge_slot(edge));
        let first = self.code.lists.len();
        for phi in f.phis(to) {
            for lane in 0..f.ty(phi).lanes() {
                let pair = [self.lane(Value::inst(phi), lane), self.lane(f.arg(phi, slot), lane)];
                self.code.lists.extend(pair);
            }
        }
        match self.code.lists[first..] {
            [] => {}
            [d, a] => {
                self.code.lists.truncate(first);
                self.push(i, Row::Copy { d, a });
            }
            _ => {
                let count = (self.code.lists.len() - first) as u32 / 2;
                self.push(i, Row::Copies { first: first as u32, count });
            }
        }
    }

    /// The branch that a comparison becomes one row with.
    fn fuses(&self, i: Inst) -> Option<Inst> {
        let f = self.f;
        let next = f.next(i).filter(|&next| f.op(next) == Op::CondBr && f.arg(next, 0) == Value::inst(i))?;
        (f.has_single_use(i) && self.compares(i)).then_some(next)
    }

    /// True if a comparison is of whole words with a sign, or addresses.
    fn compares(&self, i: Inst) -> bool {
        matches!(self.f.type_of(self.f.arg(i, 0)), Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::Ptr)
    }

    /// The row of an instruction of its own kind, if there is one.
    fn plain(&mut self, i: Inst) -> Option<Row> {
        let f = self.f;
        let (op, ty, d) = (f.op(i), f.ty(i), i.index() as u32);
        let (args, payload) = (f.args(i), f.payload(i));
        if ty.is_vector() || f.has_vectors() && args.iter().any(|&v| f.type_of(v).is_vector()) {
            return None;
        }
        let a = args.first().map_or(0, |&v| self.lane(v, 0));
        let b = args.get(1).map_or(0, |&v| self.lane(v, 0));
        let scalar =
            |k: usize| args.get(k).and_then(|v| v.as_inst()).filter(|&i| self.scalars[i] != Type::Void);
        Some(match op {
            Op::Load if let Some(scalar) = scalar(0) => Row::Read { d, a: self.fixed(Value::inst(scalar)) },
            Op::Load if ty == Type::I32 => Row::LoadInt { d, a },
            Op::Load if ty == Type::F32 => Row::LoadFloat { d, a },
            Op::Store if let Some(scalar) = scalar(1) => Row::Copy { d: self.fixed(Value::inst(scalar)), a },
            Op::Store if matches!(f.type_of(args[0]), Type::I32 | Type::F32) => Row::Store { v: a, a: b },
            Op::Add if ty == Type::I32 => Row::Add { d, a, b },
            Op::Sub if ty == Type::I32 => Row::Sub { d, a, b },
            Op::Mul if ty == Type::I32 => Row::Mul { d, a, b },
            Op::SDiv if ty == Type::I32 => Row::SDiv { d, a, b },
            Op::SRem if ty == Type::I32 => Row::SRem { d, a, b },
            Op::FAdd if ty == Type::F32 => Row::FAdd { d, a, b },
            Op::FSub if ty == Type::F32 => Row::FSub { d, a, b },
            Op::FMul if ty == Type::F32 => Row::FMul { d, a, b },
            Op::FDiv if ty == Type::F32 => Row::FDiv { d, a, b },
            Op::ICmp if self.compares(i) => Row::Compare { pred: IntPred::from_payload(payload), d, a, b },
            Op::FCmp if f.type_of(args[0]) == Type::F32 => {
                Row::CompareFloat { pred: FloatPred::from_payload(payload), d, a, b }
            }
            Op::Select => Row::Select { d, c: a, a: b, b: self.cell(i, 2) },
            Op::ElemAddr => return self.element(i, d, a),
            _ if op.row().types != Types::Own => match (op, args) {
                // Integers have the sign of their type above their bits, and an i1 is 0 or 1.
                (Op::ZExt, &[v]) if f.type_of(v) == Type::I1 => Row::Same { d, a },
                (Op::SExt, &[v]) if f.type_of(v) != Type::I1 => Row::Same { d, a },
                (Op::SIToFP, &[v]) if f.type_of(v) == Type::I32 && ty == Type::F32 => {
                    Row::IntToFloat { d, a }
                }
                (_, &[v]) => Row::One { op, from: f.type_of(v), ty, d, a },
                (_, &[_, _]) => Row::Two { op, ty, d, a, b },
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The address of an element.
    fn element(&mut self, i: Inst, d: u32, a: u32) -> Option<Row> {
        let (f, shapes) = (self.f, &self.module.env.shapes);
        let mut shape = Shape::new(f.payload(i) as usize);
        let (mut known, first) = (0i64, self.code.lists.len());
        for (k, &v) in f.args(i)[1..].iter().enumerate() {
            let length = if k == 0 { 0 } else { shapes.length(shape) };
            if k != 0 {
                shape = shapes.element(shape);
            }
            let Ok(stride) = u32::try_from(shapes.bytes(shape)) else {
                self.code.lists.truncate(first);
                return None;
            };
            match f.as_int(v) {
                Some(x) if k == 0 || x >= 0 && x < i64::from(length) => {
                    known = known.wrapping_add(x.wrapping_mul(i64::from(stride)));
                }
                _ if k != 0 && length == 0 => {
                    self.code.lists.truncate(first);
                    return None;
                }
                _ => {
                    let index = self.lane(v, 0);
                    self.code.lists.extend([index, length, stride]);
                }
            }
        }
        let row = match self.code.lists[first..] {
            [] => Row::Offset { d, a, x: known },
            [i, 0, stride] if known == 0 => Row::Step { d, a, i, stride },
            [i, length, stride] if known == 0 => Row::Element { d, a, i, stride, length },
            _ => {
                let count = (self.code.lists.len() - first) as u32 / 3;
                let row = Row::Elements { d, a, first: first as u32, count };
                if known == 0 {
                    return Some(row);
                }
                self.push(i, row);
                return Some(Row::Offset { d, a: d, x: known });
            }
        };
        self.code.lists.truncate(first);
        Some(row)
    }
}
