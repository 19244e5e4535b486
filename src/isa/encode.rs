//! From a final function to bytes: its rows in layout order, through the encoder of the target.
//!
//! Rows that name no block are appended as they come. A row that names a block leaves a gap of its shortest
//! form, and a *site*. When all is appended, forms grow until every site reaches its block (they only ever
//! grow, so the rounds are bounded; all but RISC-V's compressed branches have one form, and then there is
//! nothing to do), the bytes behind grown gaps move up once, and the gaps are filled. O(rows), and O(sites) a
//! round.

use super::origins::Origins;
use super::shape::{Fields, NAMED, OTHER, STRAIGHT, Shape};
use super::{Target, exceptions, unwind};
use crate::base::formula::{self, Term};
use crate::base::{Column, Handle, Opt};
use crate::mir::debug_values::{Event, Where};
use crate::mir::desc::{ENTRY, INVOKE, LANDING, OpRow, PHI};
use crate::mir::{self, Block, Func, Inst, InstRow, Operand, SymKind, tables};
use crate::object::code::{self, Code, Line, Location, Unwind, Writer};

/// How a target makes bytes of its rows, in one of its encodings. Everything here is compiled once for each.
pub trait Rows {
    /// Shapes by opcode, and fields of operands.
    fn tables() -> (&'static [Shape], &'static Fields);

    /// The bits of an immediate, or of the wide one, that the shape has not in parts. Of a row that names a
    /// block, the low half of `imm` is the distance from the row's start, and the high half its own
    /// immediate.
    fn more(row: &OpRow, operands: &[Operand; 4], imm: i64) -> u32;

    /// A row of one word that names nothing: its bits and how many bytes they are. None if `other` has to
    /// say.
    #[inline(always)]
    fn straight(shape: &Shape, operands: &[Operand; 4], imm: u32) -> Option<(u32, usize)> {
        (imm & shape.odd == 0).then(|| (shape.word(Self::tables().1, operands, imm), 4))
    }

    /// A row that names a function or global.
    #[inline(always)]
    fn named(shape: &Shape, operands: &[Operand; 4], imm: u32) -> (u32, Option<u32>) {
        (shape.word(Self::tables().1, operands, imm), None)
    }

    /// A row that names nothing and that `straight` leaves.
    fn other(shape: &Shape, row: &OpRow, operands: &[Operand; 4], imm: i64) -> (u32, usize) {
        let shape = Shape { encoding: row.encoding, ..*shape };
        (shape.word(Self::tables().1, operands, 0) | Self::more(row, operands, imm), 4)
    }

    /// The bits that the short form of a row that names a block reaches, as `OpRow::reach`; none if it has
    /// only one form.
    fn short(_: &OpRow, _: &[Operand; 4]) -> Option<u8> {
        None
    }

    /// Fills a gap with a row that names a block, with its immediate as `more` has it. The gap is as long as
    /// the row's `bytes`, or 2 bytes for the short form.
    fn branch(gap: &mut [u8], shape: &Shape, row: &OpRow, operands: &[Operand; 4], imm: i64) {
        gap.copy_from_slice(&Self::other(shape, row, operands, imm).0.to_le_bytes());
    }
}

/// `encode_as` with some encoding: the code of a function. With `lines`, positions in the source are noted.
pub type Encoder = fn(&Func, &Target, lines: bool, &mut Encoding) -> Result<Code, String>;

/// Bytes of a short form.
const SHORT: u32 = 2;

/// A row that names a block.
#[derive(Copy, Clone, Debug)]
struct Site {
    row: Inst,
    /// Where its gap starts, as first appended.
    at: u32,
    /// Bytes of the gap, as first appended and as it is now.
    first_bytes: u8,
    bytes: u8,
    /// Reach of the short form.
    short: u8,
    to: Block,
}

/// Where things are while the code is being made.
#[derive(Clone, Debug, Default)]
struct Layout {
    sites: Vec<Site>,
    /// Per block: where it starts as first appended, and how many sites stand before it.
    starts: Column<Block, (u32, u32)>,
    /// Per site: bytes by which the gaps before it have grown; one more for the end.
    growth: Vec<u32>,
    /// Calls that may be left by exceptions.
    calls: Vec<exceptions::Site>,
}

/// What encoding works with, kept from function to function.
#[derive(Clone, Debug, Default)]
pub struct Encoding {
    code: Writer,
    layout: Layout,
}

/// The code of a function. With `lines`, positions in the source are noted. `Err` if a branch does not reach,
/// which `mir::relax` has seen to.
pub fn encode(func: &Func, target: &Target, lines: bool) -> Result<Code, String> {
    encode_with(func, target, lines, &mut Encoding::default())
}

/// As above, in memory that is there.
#[inline(never)]
pub fn encode_with(
    func: &Func,
    target: &Target,
    lines: bool,
    encoding: &mut Encoding,
) -> Result<Code, String> {
    (target.encoder)(func.features)(func, target, lines, encoding)
}

/// As above, in this encoding.
pub fn encode_as<R: Rows>(
    func: &Func,
    target: &Target,
    lines: bool,
    encoding: &mut Encoding,
) -> Result<Code, String> {
    if func.has_tables && !tables::check(func, target.rules.machine) {
        return Err("a table of jumps does not stand together".to_string());
    }
    let Encoding { code, layout } = encoding;
    code.clear();
    layout.sites.clear();
    layout.calls.clear();
    layout.starts.reset(func.blocks.len(), (0, 0));
    if lines || !func.landings.rows.is_empty() {
        append::<R, true>(func, target, lines, code, layout)?;
    } else {
        append::<R, false>(func, target, false, code, layout)?;
    }
    layout.growth.clear();
    layout.growth.resize(layout.sites.len() + 1, 0);
    if layout.sites.iter().any(|site| site.short != 0) {
        while grow(func, target, layout) {}
    }
    let mut code = spread(code, layout);
    fill::<R>(func, target, &mut code, layout)?;
    if let (false, Some(personality)) = (layout.calls.is_empty(), func.landings.personality) {
        let mut sites = std::mem::take(&mut layout.calls);
        moved(layout, sites.iter_mut().map(|site| &mut site.extent.0));
        moved(layout, sites.iter_mut().map(|site| &mut site.extent.1));
        let end = code.bytes.len() as u32;
        let start = |b: Block| layout.start(b) as u32;
        let table = exceptions::bytes((func, target), personality, (&sites, end), start);
        code.exceptions = Some(Box::new(table));
        layout.calls = sites;
    }
    Ok(code)
}

/// Appends all rows, with gaps for those that name blocks; where `TOLD`, what debuggers, if `lines` are wanted, and unwinders are
/// told of single rows. (Looked at in each row of all functions, calls that exceptions may leave cost encoding 3 to 5%.)
fn append<R: Rows, const TOLD: bool>(
    func: &Func,
    target: &Target,
    lines: bool,
    code: &mut Writer,
    layout: &mut Layout,
) -> Result<(), String> {
    let shapes = R::tables().0;
    let in_row_order: Vec<Block> = if func.layout.is_empty() { func.blocks.keys().collect() } else { vec![] };
    let order = if func.layout.is_empty() { &in_row_order } else { &func.layout };
    let mut origins = Origins::default();
    let lines = TOLD && lines;
    if lines {
        code.debug.calls.extend(func.inlined.calls.iter().map(|(_, row)| code::CallRow {
            func: row.func,
            at: row.at,
            parent: call(row.parent),
        }));
    }
    if let Some(shown) = &func.debug_values {
        formulas(func, target, code, &shown.located);
    }
    let mut shown = func.debug_values.as_ref().map_or(&[][..], |shown| &shown.events[..]);
    let mut previous: Option<Inst> = None;
    for &b in order {
        layout.starts[b] = (code.at as u32, layout.sites.len() as u32);
        if lines {
            origins.enter(func, target.rules.machine, b);
            code.debug.blocks.push(code.at as u32);
        }
        let (first, end) = (func.blocks[b].first.index(), func.blocks[b].end.index());
        let mut invoked = match TOLD && !func.landings.rows.is_empty() {
            true => exceptions::invoked(func, target.rules.machine, b),
            false => None,
        };
        let mut start = 0;
        for (k, row) in (first..end).zip(&func.insts.as_slice()[first..end]) {
            if lines && !target.rules.machine.row(row.op).text.is_empty() {
                let told = origins.row(func, Inst::new(k));
                code.debug.lines.extend(told.map(|origin| Line {
                    offset: code.at as u32,
                    loc: origin.offset,
                    call: call(origin.call),
                    version: origin.version,
                }));
                if shown.first().is_some_and(|event| is_now(event, previous, Inst::new(k))) {
                    show(func, target, code, &mut shown, (previous, Inst::new(k)));
                }
                previous = Some(Inst::new(k));
            }
            if TOLD && let Some((call, pad)) = invoked {
                if k == call.index() {
                    start = code.at as u32;
                } else if k == call.index() + 1 {
                    layout.calls.push(exceptions::Site { extent: (start, code.at as u32), pad });
                    invoked = None;
                }
            }
            // (A row at the end of the pool may have fewer than four operands behind it. It is among the
            // others.)
            let operands = func.operands.get(row.first as usize..).and_then(|rest| rest.first_chunk::<4>());
            if let (Some(shape), Some(operands)) = (shapes.get(usize::from(row.op.0)), operands) {
                if shape.kind == STRAIGHT {
                    if let Some((word, bytes)) = R::straight(shape, operands, row.imm as u32) {
                        code.put(word, bytes);
                        continue;
                    }
                } else if shape.kind == NAMED {
                    append_named::<R>(code, shape, operands, row);
                    continue;
                }
            }
            append_other::<R>(func, target, code, layout, Inst::new(k))?;
        }
    }
    if !shown.is_empty() {
        show(func, target, code, &mut shown, (previous, Inst::new(func.insts.len())));
    }
    Ok(())
}

/// The number of an inlined call in the code.
fn call(call: Opt<mir::inlined::Call>) -> Opt<code::Call> {
    call.get().map(|call| code::Call::new(call.index())).into()
}

/// Notes where variables are from a row on that comes now, and from the call on that was the last row.
#[cold]
fn show(
    func: &Func,
    target: &Target,
    code: &mut Writer,
    events: &mut &[Event],
    (previous, i): (Option<Inst>, Inst),
) {
    let Some(shown) = &func.debug_values else { return };
    while let Some((event, rest)) = events.split_first().filter(|row| is_now(row.0, previous, i)) {
        let &Event { in_call, variable, at, .. } = event;
        *events = rest;
        let at = at.map(|at| spot(func, target, at));
        let offset = code.at as u32 - u32::from(in_call);
        let (of, variable) = shown.variables[variable as usize];
        code.debug.locations.push(Location { offset, variable, call: call(of), at });
    }
}

/// True of what begins to hold with a row, or in the call that was the row before.
fn is_now(event: &Event, previous: Option<Inst>, i: Inst) -> bool {
    if event.in_call { Some(event.row) == previous } else { event.row == i }
}

/// Where a variable is, in the code.
fn spot(func: &Func, target: &Target, at: Where) -> code::Spot {
    let offset_of = |slot| (func.slots[slot].offset - func.frame_bytes) as i32;
    match at {
        Where::Reg(reg) => code::Spot::Register((target.dwarf_value)(reg)),
        Where::Slot(slot) => code::Spot::Frame(offset_of(slot)),
        Where::Address(slot) => code::Spot::Address(offset_of(slot)),
        Where::Bits(bits) => code::Spot::Value(bits as u32),
        Where::Global(global) => code::Spot::Global(global),
        Where::Formula(row) => code::Spot::Formula(row),
    }
}

/// Notes what variables are computed by.
#[cold]
fn formulas(func: &Func, target: &Target, code: &mut Writer, located: &[Vec<Term<Where>>]) {
    let of = |terms: &Vec<Term<Where>>| formula::map(terms, |at| Some(spot(func, target, at)));
    code.debug.formulas.extend(located.iter().filter_map(of));
}

/// Four operands, of which those that are not there are not looked at.
fn pad(operands: &[Operand]) -> [Operand; 4] {
    let mut padded = [Operand::FRAME; 4];
    padded.iter_mut().zip(operands).for_each(|(to, &operand)| *to = operand);
    padded
}

/// Appends a row that names a function or global.
#[inline(always)]
fn append_named<R: Rows>(code: &mut Writer, shape: &Shape, operands: &[Operand; 4], row: &InstRow) {
    let target = if shape.is_call { code::Target::Func(row.sym) } else { code::Target::Global(row.sym) };
    code.fixup(shape.relocation, target, row.imm.wrapping_add(shape.addend.into()));
    let (first, second) = R::named(shape, operands, row.imm as u32);
    code.word(first);
    if let Some(second) = second {
        code.word(second);
    }
}

/// Appends any other row, or a gap for it.
fn append_other<R: Rows>(
    func: &Func,
    target: &Target,
    code: &mut Writer,
    layout: &mut Layout,
    i: Inst,
) -> Result<(), String> {
    let row = &func.insts[i];
    let desc = target.rules.machine.row(row.op);
    let (shape, operands) = (&R::tables().0[usize::from(row.op.0)], &pad(func.operands(i)));
    let at = code.at as u32;
    if desc.text.is_empty() {
        return match row.op {
            PHI | ENTRY | INVOKE | LANDING => Ok(()),
            _ => Err(format!("{} was never expanded", desc.name)),
        };
    }
    match desc.sym {
        SymKind::Unwind => {
            let rule = unwind::rule_of(row, func.operands(i), target.dwarf_register);
            code.unwind.push(Unwind { offset: at, rule });
        }
        SymKind::Block => {
            let short = R::short(desc, operands).unwrap_or(0);
            let bytes = if short == 0 { desc.bytes } else { SHORT as u8 };
            let mut left = usize::from(bytes);
            while left > 0 {
                code.put(0, left.min(4));
                left = left.saturating_sub(4);
            }
            let to = Block::new(row.sym as usize);
            layout.sites.push(Site { row: i, at, first_bytes: bytes, bytes, short, to });
        }
        SymKind::Global if shape.kind == OTHER => {
            code.fixup(shape.relocation, code::Target::Global(row.sym), row.imm);
            let (word, bytes) = R::other(shape, desc, operands, 0);
            code.put(word, bytes);
        }
        SymKind::Func | SymKind::Global => append_named::<R>(code, shape, operands, row),
        kind => {
            let imm = if kind == SymKind::Wide { func.wide[row.sym as usize] } else { row.imm.into() };
            let straight =
                if shape.kind == STRAIGHT { R::straight(shape, operands, imm as u32) } else { None };
            let (word, bytes) = straight.unwrap_or_else(|| R::other(shape, desc, operands, imm));
            code.put(word, bytes);
        }
    }
    Ok(())
}

impl Layout {
    /// Where a block starts now.
    fn start(&self, b: Block) -> i64 {
        let (at, sites) = self.starts[b];
        i64::from(at) + i64::from(self.growth[sites as usize])
    }

    /// Bytes from a site to its block now.
    fn distance(&self, k: usize) -> i64 {
        let site = &self.sites[k];
        self.start(site.to) - i64::from(site.at) - i64::from(self.growth[k])
    }
}

/// Lengthens the sites that do not reach; true if there were any.
fn grow(func: &Func, target: &Target, layout: &mut Layout) -> bool {
    let mut any = false;
    for k in 0..layout.sites.len() {
        let site = layout.sites[k];
        if u32::from(site.bytes) == SHORT && site.short != 0 {
            let half = 1i64 << (site.short - 1);
            if !(-half..half).contains(&layout.distance(k)) {
                let desc = target.rules.machine.row(func.insts[site.row].op);
                layout.sites[k].bytes = desc.bytes;
                any = true;
            }
        }
    }
    let mut grown = 0;
    for (k, site) in layout.sites.iter().enumerate() {
        layout.growth[k] = grown;
        grown += u32::from(site.bytes - site.first_bytes);
    }
    layout.growth[layout.sites.len()] = grown;
    any
}

/// The code, with what stands behind gaps that have grown moved up.
fn spread(written: &Writer, layout: &Layout) -> Code {
    let grown = layout.growth[layout.sites.len()] as usize;
    if grown == 0 {
        return written.finish();
    }
    let from = written.bytes();
    let (fixups, unwind) = (written.fixups.clone(), written.unwind.clone());
    let bytes = Vec::with_capacity(from.len() + grown);
    let mut code = Code { bytes, fixups, unwind, exceptions: None, debug: written.debug.kept() };
    let mut done = 0;
    for site in layout.sites.iter().filter(|site| site.bytes != site.first_bytes) {
        let end = site.at as usize + usize::from(site.first_bytes);
        code.bytes.extend_from_slice(&from[done..end]);
        code.bytes.extend_from_slice(&[0; 8][..usize::from(site.bytes - site.first_bytes)]);
        done = end;
    }
    code.bytes.extend_from_slice(&from[done..]);
    moved(layout, code.fixups.iter_mut().map(|fixup| &mut fixup.offset));
    moved(layout, code.unwind.iter_mut().map(|unwind| &mut unwind.offset));
    if let Some(debug) = &mut code.debug {
        moved(layout, debug.lines.iter_mut().map(|line| &mut line.offset));
        moved(layout, debug.blocks.iter_mut());
        moved(layout, debug.locations.iter_mut().map(|row| &mut row.offset));
    }
    code
}

/// Adds to ascending offsets what the gaps before them have grown by.
fn moved<'a>(layout: &Layout, offsets: impl Iterator<Item = &'a mut u32>) {
    let mut before = 0;
    for offset in offsets {
        while layout.sites.get(before).is_some_and(|site| site.at < *offset) {
            before += 1;
        }
        *offset += layout.growth[before];
    }
}

/// Fills the gaps.
fn fill<R: Rows>(func: &Func, target: &Target, code: &mut Code, layout: &Layout) -> Result<(), String> {
    for (k, site) in layout.sites.iter().enumerate() {
        let row = &func.insts[site.row];
        let desc = target.rules.machine.row(row.op);
        let distance = layout.distance(k);
        let reach = if u32::from(site.bytes) == SHORT && site.short != 0 { site.short } else { desc.reach };
        if reach != 0 && !(-(1i64 << (reach - 1))..1i64 << (reach - 1)).contains(&distance) {
            return Err(format!("{} does not reach its block, {distance} bytes away", desc.name));
        }
        let at = (site.at + layout.growth[k]) as usize;
        let gap = &mut code.bytes[at..at + usize::from(site.bytes)];
        let imm = i64::from(row.imm) << 32 | distance & 0xffff_ffff;
        R::branch(gap, &R::tables().0[usize::from(row.op.0)], desc, &pad(func.operands(site.row)), imm);
    }
    Ok(())
}

/// The bytes of one row, with an immediate as `Rows::more` has it, as `append` and `fill` make them.
#[cfg(test)]
pub(crate) fn bytes_of<R: Rows>(target: &Target, row: &OpRow, operands: &[Operand], imm: i64) -> Vec<u8> {
    let number = target.rules.machine.ops.iter().position(|other| other.name == row.name).unwrap();
    let (shape, operands) = (&R::tables().0[number], &pad(operands));
    if row.sym == SymKind::Block {
        let (short, distance) = (R::short(row, operands), i64::from(imm as i32));
        let is_short = short.is_some_and(|bits| (-(1 << (bits - 1))..1 << (bits - 1)).contains(&distance));
        let mut gap = vec![0; if is_short { SHORT as usize } else { row.bytes.into() }];
        R::branch(&mut gap, shape, row, operands, imm);
        return gap;
    }
    if shape.kind == NAMED {
        let (first, second) = R::named(shape, operands, imm as u32);
        return [Some(first), second].into_iter().flatten().flat_map(u32::to_le_bytes).collect();
    }
    let straight = if shape.kind == STRAIGHT { R::straight(shape, operands, imm as u32) } else { None };
    let (word, bytes) = straight.unwrap_or_else(|| R::other(shape, row, operands, imm));
    word.to_le_bytes()[..bytes].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Opt;
    use crate::isa::features::COMPRESSED;
    use crate::isa::riscv64::{self, rows::*};
    use crate::mir::func::BlockRow;
    use crate::mir::{InstRow, MachineOp, PReg};

    const A5: Operand = Operand::phys(PReg::int(15));
    const ZERO: Operand = Operand::phys(PReg::int(0));

    fn push_block(func: &mut Func, rows: Vec<InstRow>) {
        let first = Inst::new(func.insts.len());
        for row in rows {
            func.loc.push(row.op.0.into());
            func.insts.push(row);
        }
        let (end, succs) = (Inst::new(func.insts.len()), [Opt::NONE; 2]);
        let (first_pred, pred_count, loop_depth, frequency) = (0, 0, 0, 0);
        func.blocks.push(BlockRow { first, end, succs, first_pred, pred_count, loop_depth, frequency });
    }

    /// `beqz a5` (or a jump) over so many compressed rows, then a call, then a return; with `back`, from
    /// behind them.
    fn branch_over(op: MachineOp, count: usize, back: bool) -> Code {
        let mut func = Func { features: COMPRESSED, ..Func::default() };
        let branch = |func: &mut Func, to: u32| {
            let uses: &[Operand] = if op == J { &[] } else { &[A5, ZERO] };
            func.make_row(op, &[], uses, 0, to)
        };
        let nop = func.make_row(ADDI, &[A5], &[A5], 1, 0);
        let call = func.make_row(CALL_FUNC, &[], &[], 0, 7);
        let ret = func.make_row(RET, &[], &[], 0, 0);
        let filler = vec![nop; count];
        let blocks: Vec<Vec<InstRow>> = if back {
            vec![filler, vec![branch(&mut func, 0)], vec![call, ret]]
        } else {
            vec![vec![branch(&mut func, 2)], filler, vec![call, ret]]
        };
        blocks.into_iter().for_each(|rows| push_block(&mut func, rows));
        encode(&func, &riscv64::TARGET, true).unwrap()
    }

    #[test]
    fn a_branch_is_short_as_far_as_that_reaches_and_no_farther() {
        // Forwards, the branch's own bytes count; backwards, they do not.
        for (op, short_most, back_most) in [(BEQ, 126, 128), (J, 1022, 1024)] {
            for (back, most) in [(false, short_most), (true, back_most)] {
                for (count, bytes) in [(most, 2), (most + 1, 4)] {
                    let code = branch_over(op, count, back);
                    assert_eq!(code.bytes.len(), 2 * count + bytes + 8 + 2, "{op:?} {count} {back}");
                    // What stands behind the branch has moved with it.
                    assert_eq!(code.fixups[0].offset as usize, 2 * count + bytes);
                    assert_eq!(code.debug().lines.last().unwrap().offset as usize, 2 * count + bytes + 8);
                }
            }
        }
    }

    #[test]
    fn a_branch_out_of_reach_is_an_error() {
        let mut func = Func { features: COMPRESSED, ..Func::default() };
        let filler = func.make_row(LUI, &[A5], &[], 0x12345, 0);
        let branch = func.make_row(BNE, &[], &[A5, ZERO], 0, 1);
        let ret = func.make_row(RET, &[], &[], 0, 0);
        push_block(&mut func, [vec![branch], vec![filler; 1023]].concat());
        push_block(&mut func, vec![ret]);
        assert!(encode(&func, &riscv64::TARGET, false).unwrap_err().contains("bne does not reach"));
        // A row of two bytes less.
        func.insts[Inst::new(1)] = ret;
        assert!(encode(&func, &riscv64::TARGET, false).is_ok());
    }
}
