//! A body in few bytes, while it waits for the rest of the program: what can be derived is left out, and so
//! are dead rows. Between the barriers of -O2 all functions of a program are kept like this (`opt/run/manager`).
//!
//! Blocks and instructions get new numbers, in the order in which they stand; parameters come first. So
//! packing twice gives the same as packing once. All is in halves of words; a number that does not fit one is
//! 0xffff and two more.
//!
//! ```text
//!  parameters, instructions, operands, blocks, edges, constants, inlined places, flags
//!  types of parameters | constants: type, bits | inlined places: function, offset, place
//!  numbers of edges into each block
//!  instructions, block by block; a terminator ends one:
//!      15   14   13  12   7 6      0
//!    +----+----+----+------+--------+
//!    |more|args|load| type | opcode |   args: their number follows; load: a payload
//!    +----+----+----+------+--------+   more: what it promises (flags and alignment) and its place
//!    operands:            bits 0 and 1
//!      0  an instruction, so many before
//!      1  an int, the sign last
//!      2  a global
//!      3  the bits of the value, in two halves
//!    edges of branches: target, slot
//! ```
//!
//! Of generated programs an instruction takes 6 to 7 bytes, where it has 80 and more in tables. O(body): 140
//! instructions to pack one and 90 to unpack it. Bytes, a number of them by its size, would be a seventh
//! less, and took a tenth more time. What `pack` has not made is refused: what `unpack` accepts has tables
//! that agree, so that nothing that reads them fails.

// Shifts are parts of the format, and bind more tightly than what joins them.
#![allow(clippy::precedence)]

mod unpack;

use super::Body;
use crate::base::formula;
use crate::base::{Column, Handle, Opt};
use crate::ir::debug_values::{DebugValues, Shown};
use crate::ir::layout::BlockNode;
use crate::ir::module::{FuncId, Request, RequestId};
use crate::ir::names::Names;
use crate::ir::opcode::VARIABLE;
use crate::ir::operands::room;
use crate::ir::place::Place;
use crate::ir::promise::{Access, Flags};
use crate::ir::rows::Head;
use crate::ir::{Block, Edge, Inst, Op, Value, ValueKind};

/// A body in few bytes.
#[derive(Clone, Debug)]
pub struct Packed {
    /// Which function this is.
    pub func: FuncId,
    /// Rows of instructions, parameters included.
    pub insts: u32,
    /// Those of them that stand in blocks.
    pub placed: u32,
    halves: Box<[u16]>,
    rest: Option<Box<Rest>>,
}

/// What few bodies have.
#[derive(Clone, Debug)]
struct Rest {
    requests: Column<RequestId, Request>,
    variables: Vec<(Value, u32)>,
    names: Option<Box<Names>>,
    debug_values: Option<Box<DebugValues>>,
}

/// What a worker keeps for packing.
#[derive(Debug, Default)]
pub struct Packer {
    out: Writer,
    /// The instructions in order.
    order: Vec<Inst>,
    /// New numbers.
    insts: Column<Inst, u32>,
    blocks: Column<Block, u32>,
}

/// What has not been made by `pack`: a bug of ours.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Damaged;

const TYPE: u32 = 7;
const PAYLOAD: u16 = 1 << 13;
const COUNT: u16 = 1 << 14;
const MORE: u16 = 1 << 15;
/// In place of an opcode: the block has no terminator.
const OPEN: u16 = 127;

const HAS_FLAGS: u16 = 1;
const HAS_ACCESS: u16 = 2;
const HAS_PLACE: u16 = 4;

const _: () = assert!(Op::ALL.len() < OPEN as usize && VARIABLE == u8::MAX);

const BACK: u32 = 0;
const INT: u32 = 1;
const GLOBAL: u32 = 2;
const OTHER: u16 = 3;

/// Halves of the largest row, without operands.
const ROW: usize = 32;
const OPERAND: usize = 3;
/// Halves of an edge of a switch.
const EDGE: usize = 6;

/// In front of a number of two halves.
const WIDE: u16 = u16::MAX;

/// No number: of what stands nowhere.
const NOWHERE: u32 = u32::MAX;

#[derive(Debug, Default)]
struct Writer {
    /// Longer than what is written.
    halves: Vec<u16>,
    len: usize,
}

impl Writer {
    /// Room for so many halves: what is written has to go there.
    #[inline(always)]
    fn room(&mut self, halves: usize) -> &mut [u16] {
        if self.halves.len() < self.len + halves {
            self.grow(halves);
        }
        &mut self.halves[self.len..]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, halves: usize) {
        let least = self.len + halves;
        self.halves.resize(least.max(self.halves.len() + self.halves.len() / 2).max(1 << 12), 0);
    }

    fn number(&mut self, number: u32) {
        let mut k = 0;
        put(self.room(OPERAND), &mut k, number);
        self.len += k;
    }

    fn place(&mut self, last: &mut u32, place: Place) {
        self.number(step(last, place));
    }
}

#[inline(always)]
fn put(out: &mut [u16], k: &mut usize, number: u32) {
    if number < u32::from(WIDE) {
        push(out, k, number as u16);
    } else {
        push_wide(out, k, WIDE, number);
    }
}

#[inline(always)]
fn push(out: &mut [u16], k: &mut usize, half: u16) {
    out[*k] = half;
    *k += 1;
}

#[cold]
#[inline(never)]
fn push_wide(out: &mut [u16], k: &mut usize, before: u16, number: u32) {
    for half in [before, number as u16, (number >> 16) as u16] {
        push(out, k, half);
    }
}

/// What is to be added to the last place, the sign last.
fn step(last: &mut u32, place: Place) -> u32 {
    let step = place.bits().wrapping_sub(*last) as i32;
    *last = place.bits();
    (step << 1 ^ step >> 31) as u32
}

/// Packs a body.
#[inline(never)]
pub fn pack(f: &Body, memory: &mut Packer) -> Packed {
    let Packer { out, order, insts, blocks } = memory;
    let params = f.params as usize;
    out.len = 0;
    order.clear();
    insts.reset(f.inst_count(), NOWHERE);
    blocks.reset(f.block_count(), NOWHERE);
    for param in f.params() {
        insts[param] = param.index() as u32;
    }
    let (mut count, mut edges, mut operands) = (0, 0, 0);
    let mut next_block = f.layout.first.get();
    while let Some(b) = next_block {
        let BlockNode { next, first, .. } = f.layout.blocks[b];
        blocks[b] = count;
        (next_block, count) = (next.get(), count + 1);
        let mut next = first.get();
        while let Some(i) = next {
            insts[i] = (params + order.len()) as u32;
            order.push(i);
            operands += room(f.rows.edges[i].count as usize);
            next = f.rows.node[i].next.get();
        }
        edges += f.succs(b).len();
    }
    let constants = f.constants.rows();
    let places = f.places.rows();
    let flags = usize::from(f.has_phis) | usize::from(f.has_vectors) << 1 | usize::from(f.is_unaligned) << 2;
    let sizes = [params, order.len(), operands, count as usize, edges, constants.len(), places.len(), flags];
    sizes.into_iter().for_each(|number| out.number(number as u32));
    for param in f.params() {
        out.number(f.ty(param) as u32);
    }
    for &(ty, bits) in constants {
        out.number(ty as u32);
        out.number(bits as u32);
        out.number((bits >> 32) as u32);
    }
    let mut last = 0;
    for row in places {
        out.number(row.func.index() as u32);
        out.number(row.offset);
        out.place(&mut last, row.call);
    }
    for b in f.blocks() {
        out.number(f.preds(b).len() as u32);
    }
    let mut at = params;
    last = 0;
    let numbers = (insts.as_slice(), blocks.as_slice());
    for b in f.blocks() {
        let (BlockNode { last: end, .. }, first) = (f.layout.blocks[b], at);
        let mut is_open = true;
        for &i in &order[first - params..] {
            is_open = pack_row(f, i, at as u32, numbers, out, &mut last);
            at += 1;
            if Opt::some(i) == end {
                break;
            }
        }
        if is_open || end.is_none() {
            out.number(u32::from(OPEN));
        }
    }
    let is_told = f.names.is_some() || f.debug_values.is_some();
    let rest = !f.requests.is_empty() || !f.variables.is_empty() || is_told;
    let rest = rest.then(|| rest_of(f, order, insts, blocks));
    let halves = out.halves[..out.len].into();
    let placed = order.len() as u32;
    Packed { func: f.func, insts: params as u32 + placed, placed, halves, rest }
}

/// Packs an instruction; true if its block goes on.
#[inline(always)]
fn pack_row(
    f: &Body,
    i: Inst,
    at: u32,
    (insts, blocks): (&[u32], &[u32]),
    out: &mut Writer,
    last: &mut u32,
) -> bool {
    let Head { op, ty, flags, payload } = f.rows.head[i];
    let (access, place, args) = (f.access(i), f.place(i), f.args(i));
    let is_branch = matches!(op, Op::Br | Op::CondBr | Op::Switch);
    let promises = flags != Flags::NONE || access != Access::PLAIN || place != Place::NONE;
    let counts = args.len() != usize::from(op.row().operands);
    let loads = payload != 0 && !is_branch;
    let head = op as u16
        | ty.packed() << TYPE
        | u16::from(loads) * PAYLOAD
        | u16::from(counts) * COUNT
        | u16::from(promises) * MORE;
    let to = out.room(ROW + args.len() * OPERAND);
    let mut k = 0;
    push(to, &mut k, head);
    if counts {
        put(to, &mut k, args.len() as u32);
    }
    if loads {
        put(to, &mut k, payload);
    }
    if promises {
        let has_access = access != Access::PLAIN;
        let more = u16::from(flags != Flags::NONE) * HAS_FLAGS
            | u16::from(has_access) * HAS_ACCESS
            | u16::from(place != Place::NONE) * HAS_PLACE;
        push(to, &mut k, more | u16::from(flags.bits()) << 8);
        if has_access {
            put(to, &mut k, access.align);
        }
        if place != Place::NONE {
            put(to, &mut k, step(last, place));
        }
    }
    for &v in args {
        let (code, v) = match v.as_inst() {
            Some(def) => match insts[def.index()] {
                number if number < at => ((at - number) << 2 | BACK, v),
                NOWHERE => (NOWHERE, Value::undef(f.ty(def))),
                number => (NOWHERE, Value::inst(Inst::new(number as usize))),
            },
            None => match v.kind() {
                ValueKind::Int(x) => (((x << 1 ^ x >> 31) as u32) << 2 | INT, v),
                ValueKind::Global(global) => ((global.index() as u32) << 2 | GLOBAL, v),
                _ => (NOWHERE, v),
            },
        };
        if code < 1 << 16 {
            push(to, &mut k, code as u16);
        } else {
            let v = if code & 3 == BACK { Value::inst(Inst::new((at - (code >> 2)) as usize)) } else { v };
            push_wide(to, &mut k, OTHER, v.bits());
        }
    }
    if is_branch {
        if op == Op::Switch {
            out.len += k;
            pack_table(f, i, blocks, out);
            return false;
        }
        let count = if op == Op::Br { 1 } else { 2 };
        for e in (payload as usize..).map(Edge::new).take(count) {
            put(to, &mut k, blocks[f.edge_to(e).index()]);
            put(to, &mut k, f.edge_slot(e) as u32);
        }
    }
    out.len += k;
    !op.is_terminator()
}

/// Packs the edges of a switch.
#[cold]
#[inline(never)]
fn pack_table(f: &Body, i: Inst, blocks: &[u32], out: &mut Writer) {
    let Some(b) = f.block_of(i) else { return };
    let to = out.room(f.succs(b).len() * EDGE);
    let mut k = 0;
    for e in f.succs(b) {
        put(to, &mut k, blocks[f.edge_to(e).index()]);
        put(to, &mut k, f.edge_slot(e) as u32);
    }
    out.len += k;
}

fn rest_of(f: &Body, order: &[Inst], insts: &Column<Inst, u32>, blocks: &Column<Block, u32>) -> Box<Rest> {
    let number = |i: Inst| insts.get(i).copied().filter(|&number| number != NOWHERE);
    let address = |&(v, variable): &(Value, u32)| {
        let v = v.as_inst().map_or(Some(v), |i| Some(Value::inst(Inst::new(number(i)? as usize))));
        Some((v?, variable))
    };
    let renumbered = |names: &Names| {
        let mut new = Names::default();
        for i in f.params().chain(order.iter().copied()) {
            let copy = Inst::new(insts[i] as usize);
            _ = names.text(i).map(|text| new.name(copy, text));
            new.keep_number(copy, names.number(i));
        }
        for b in f.blocks() {
            new.keep_block(Block::new(blocks[b] as usize), names.block(b));
        }
        Box::new(new)
    };
    let resolved = |debug: &DebugValues| {
        // Places do not say here which version they are of.
        let version = debug.versions.in_version(0).filter(|_| debug.versions.is_empty());
        let renumbered =
            |v: Value| Some(v.as_inst().map_or(v, |i| Value::inst(Inst::new(insts[i] as usize))));
        let shown = |shown: Shown| {
            let terms = debug.resolve(shown, version.as_ref()?, |i| number(i).is_some(), |_| None)?;
            formula::map(&terms, renumbered)
        };
        let mut new = DebugValues::default();
        new.texts =
            debug.texts.iter().map(|text| text.map(text.place, |row| new.shown(shown(row)))).collect();
        Box::new(new)
    };
    Box::new(Rest {
        requests: f.requests.clone(),
        variables: f.variables.iter().filter_map(address).collect(),
        names: f.names.as_deref().map(renumbered),
        debug_values: f.debug_values.as_deref().map(resolved),
    })
}

impl Packed {
    /// Makes a body of it, in the memory of one that is not needed any more.
    pub fn unpack(&self, spare: Option<Body>) -> Result<Body, Damaged> {
        let mut f = spare.unwrap_or_else(|| Body::empty(self.func));
        self.unpack_into(&mut f)?;
        Ok(f)
    }

    /// The same; a body that is not good for anything stays behind where it is damaged.
    #[inline(never)]
    pub fn unpack_into(&self, f: &mut Body) -> Result<(), Damaged> {
        f.reset(self.func);
        if let Some(rest) = &self.rest {
            f.requests.clone_from(&rest.requests);
            f.variables.clone_from(&rest.variables);
            f.names.clone_from(&rest.names);
            f.debug_values.clone_from(&rest.debug_values);
        }
        let done = unpack::unpack(f, &mut unpack::Reader { halves: self.halves.iter() });
        done.filter(|()| f.inst_count() == self.insts as usize).ok_or(Damaged)
    }

    /// Forgets how it ends.
    #[cfg(test)]
    pub(crate) fn damage(&mut self) {
        self.halves = self.halves[..self.halves.len() / 2].into();
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.halves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::parse::{parse, parse_named};
    use crate::ir::verify::verify;
    use crate::ir::{At, Module, Type, print};

    /// Packs and unpacks every body, in the memory of the one before.
    fn round(module: &Module) -> Module {
        let (mut memory, mut spare) = (Packer::default(), None);
        let mut copy = Module { env: module.env.clone(), ..Module::default() };
        for f in module.defined() {
            let packed = pack(f, &mut memory);
            let g = packed.unpack(spare.take()).unwrap();
            assert_eq!((g.check_tables(), verify(&module.env, &g)), (Ok(()), Ok(())));
            assert_eq!((g.inst_count(), g.has_phis()), (packed.insts as usize, f.has_phis()));
            assert_eq!(pack(&g, &mut memory).halves, packed.halves);
            copy.define(g.clone());
            spare = Some(g);
        }
        copy
    }

    const TEXT: &str = "\
@g = global [4 x i32] zeroinitializer
define i32 @empty() {
b0:
  ret i32 -7
}
define float @constants(float %x.0, double %y.1, ptr %p.2) {
b0:
  %a.3 = fadd float %x.0, 0x3FF8000000000000
  %b.4 = fmul double %y.1, 0x7FF8000000000000
  %c.5 = add i64 -9223372036854775808, 5
  %d.6 = add i32 2147483647, -2147483648
  %e.7 = and i1 true, false
  %f.8 = mul nuw nsw i32 %d.6, 268435456
  %h.9 = getelementptr [4 x i32], ptr @g, i32 0, i32 %f.8
  store i32 %f.8, ptr %h.9, align 8
  %l.11 = load i32, ptr %p.2, align 16
  %m.12 = add <4 x i32> undef, zeroinitializer
  %n.13 = fptrunc double %b.4 to float
  ret float %n.13
}
define i32 @loop(i32 %n.0) {
b0:
  br label %b1
b1:
  %i.2 = phi i32 [ 0, %b0 ], [ %j.6, %b2 ]
  %s.3 = phi i32 [ 1234567890, %b0 ], [ %t.7, %b2 ]
  %c.4 = icmp slt i32 %i.2, %n.0
  br i1 %c.4, label %b2, label %b3
b2:
  %j.6 = add nsw i32 %i.2, 1
  %t.7 = call i32 @loop(i32 %s.3)
  br label %b1
b3:
  ret i32 %s.3
}
define void @ends(i1 %c.0) {
b0:
  br i1 %c.0, label %b1, label %b2
b1:
  unreachable
b2:
  ret void
}
";

    #[test]
    fn all_shapes_of_rows_come_back_as_they_were() {
        let module = parse_named(TEXT).unwrap();
        let text = print::module(&module);
        assert_eq!(print::module(&round(&module)), text);
        for f in module.defined() {
            let g = pack(f, &mut Packer::default()).unpack(None).unwrap();
            let insts = |f: &Body| f.blocks().flat_map(|b| f.insts(b)).collect::<Vec<Inst>>();
            let places = |f: &Body| insts(f).iter().map(|&i| f.place(i)).collect::<Vec<Place>>();
            assert_eq!(places(f), places(&g));
        }
    }

    #[test]
    fn dead_rows_and_places_go_and_slots_and_names_stay() {
        let mut module = parse_named(TEXT).unwrap();
        let f = module.nth_mut(2);
        let [entry, head, body] = [0, 1, 2].map(Block::new);
        // Another order of the edges, and of the blocks.
        let e = f.succs(entry).next().unwrap();
        let other = f.split_edge(e);
        f.move_block_after(other, body);
        let phi = f.first(head).unwrap();
        let dead = f.insert(At::Start(head), Op::Add, Type::I32, &[Value::inst(phi); 2], 0, Place::NONE);
        let zero = f.int(0);
        f.replace(dead, zero);
        f.remove_blocks(&[]);
        let text = print::module(&module);
        let copy = round(&module);
        assert_eq!(print::module(&copy), text);
        assert!(copy.nth(2).inst_count() < module.nth(2).inst_count());
    }

    #[test]
    fn bytes_that_are_no_body_are_refused_or_agree() {
        let module = parse(TEXT).unwrap();
        let mut refused = 0;
        for f in module.defined() {
            let packed = pack(f, &mut Packer::default());
            for at in 0..packed.halves.len() {
                for flip in [1, 2, 3, 4, 16, 64, 128, 255, 1 << 13, 1 << 14, 1 << 15, 65535] {
                    let mut wrong = packed.clone();
                    wrong.halves[at] ^= flip;
                    match wrong.unpack(None) {
                        Ok(g) => assert_eq!(g.check_tables(), Ok(())),
                        Err(Damaged) => refused += 1,
                    }
                }
                let cut = Packed { halves: packed.halves[..at].into(), ..packed.clone() };
                assert_eq!(cut.unpack(None).err(), Some(Damaged));
            }
        }
        assert!(refused > 500, "{refused}");
    }
}
