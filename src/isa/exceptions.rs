//! What the personality routine of a function reads: from where to where calls may be left by exceptions, where these land
//! then, and what is caught there (`.gcc_except_table`: "Exception Handling Tables" of HP's aC++, which GCC and LLVM write and
//! libstdc++ and libsupc++ read). Bytes and text are made of the same pieces. O(calls + clauses x types).
//!
//! On ARM it stands in `.ARM.extab`, behind what undoes the frame, names types in the way that linkers know to be the platform's
//! (`R_ARM_TARGET2`), and has filters of such names in place of numbers ("Exception Handling ABI", 9.2).
//!
//! Calls that are not left to a landing pad of their own function have rows without one, or the routine would end the program.
//! Where a call begins and ends is four bytes, so that all is as long whatever the code is.

use super::Target;
use super::symbols::Symbols;
use crate::base::Handle;
use crate::ir::GlobalId;
use crate::mir::desc::{CALL, INVOKE, LANDING};
use crate::mir::landing::{Action, Landings};
use crate::mir::print::Naming;
use crate::mir::{Block, Func, Inst, Machine};
use crate::object::code::{self, Exceptions};
use std::fmt::Write;

/// A place of the function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    Start,
    End,
    /// Where a call begins, by its number.
    Call(usize),
    /// What is behind it.
    Behind(usize),
    Pad(Block),
}

/// A piece of the table.
#[derive(Copy, Clone, Debug)]
enum Piece {
    Byte(u8),
    /// So many bytes from one place to another, in four bytes.
    Distance(Place, Place),
    /// No bytes from there: there is no landing pad.
    None,
    /// Where the address of what describes a type is.
    Type(Option<u32>),
}

/// A call that may be left, and its landing pad.
#[derive(Copy, Clone, Debug)]
pub struct Site {
    /// Where it begins, and what is behind it.
    pub extent: (u32, u32),
    /// Where it is left to.
    pub pad: Block,
}

/// The row of a block's call that may be left, and where to.
pub fn invoked(func: &Func, machine: &Machine, b: Block) -> Option<(Inst, Block)> {
    let mut rows = func.rows(b).rev();
    let branch = rows.by_ref().take(2).find(|&i| func.insts[i].op == INVOKE)?;
    let is_call = |i: &Inst| machine.is(func, *i, CALL) && func.insts[*i].op != LANDING;
    let call = func.rows(b).rev().skip_while(|&i| i >= branch).find(is_call)?;
    Some((call, Block::new(func.insts[branch].sym as usize)))
}

/// `DW_EH_PE_omit`, `_udata4`, `_indirect | _pcrel | _sdata4`, and `_absptr`, as ARM's are all called.
const OMITTED: u8 = 0xff;
const FOUR_BYTES: u8 = 0x03;
const BY_CELL: u8 = 0x9b;
const OF_PLATFORM: u8 = 0x00;

/// The pieces of a function's table, whose calls have these landing pads.
fn pieces(func: &Func, target: &Target, pads: &[Block]) -> Vec<Piece> {
    let (landings, is_arm) = (&func.landings, target.elf.is_indexed);
    let filters = filters(landings, is_arm);
    let (actions, firsts) = actions(landings, &filters);
    let mut calls = Vec::new();
    let mut last = Place::Start;
    for (k, &pad) in pads.iter().enumerate() {
        row(&mut calls, (last, Place::Call(k)), None);
        let landing = func.rows(pad).find(|&i| func.insts[i].op == LANDING);
        let first = landing.and_then(|i| firsts.get(func.insts[i].sym as usize)).copied().unwrap_or(0);
        row(&mut calls, (Place::Call(k), Place::Behind(k)), Some((pad, first)));
        last = Place::Behind(k);
    }
    row(&mut calls, (last, Place::End), None);
    let bytes = |pieces: &[Piece]| -> u32 {
        pieces.iter().map(|piece| if matches!(piece, Piece::Byte(_)) { 1 } else { 4 }).sum()
    };
    let length = bytes(&calls);
    let has_types = !landings.types.is_empty() || !filters.is_empty();
    let mut middle = vec![Piece::Byte(FOUR_BYTES)];
    middle.extend(number(length, 0).into_iter().map(Piece::Byte));
    middle.extend(calls);
    middle.extend(actions.into_iter().map(Piece::Byte));
    let mut all = vec![Piece::Byte(OMITTED)];
    if !has_types {
        all.push(Piece::Byte(OMITTED));
        all.extend(middle);
        return padded(all);
    }
    all.push(Piece::Byte(if is_arm { OF_PLATFORM } else { BY_CELL }));
    // How far the end of the types is; what says it pads them.
    let (before, types) = (bytes(&all), 4 * landings.types.len() as u32);
    let behind = bytes(&middle);
    let size = (1..=5).find(|&size| number(behind + 3 + types, 0).len() <= size).unwrap_or(5);
    let pad = (before + size as u32 + behind).next_multiple_of(4) - (before + size as u32 + behind);
    all.extend(number(behind + pad + types, size).into_iter().map(Piece::Byte));
    all.extend(middle);
    all.extend((0..pad).map(|_| Piece::Byte(0)));
    all.extend(landings.types.iter().rev().map(|&of| Piece::Type(of)));
    all.extend(filters.concat());
    padded(all)
}

/// Whole words.
fn padded(mut pieces: Vec<Piece>) -> Vec<Piece> {
    let bytes = pieces.iter().filter(|piece| matches!(piece, Piece::Byte(_))).count();
    pieces.extend((bytes..bytes.next_multiple_of(4)).map(|_| Piece::Byte(0)));
    pieces
}

/// A row of the table of calls.
fn row(out: &mut Vec<Piece>, (from, to): (Place, Place), pad: Option<(Block, u32)>) {
    out.extend([Piece::Distance(Place::Start, from), Piece::Distance(from, to)]);
    out.push(pad.map_or(Piece::None, |(pad, _)| Piece::Distance(Place::Start, Place::Pad(pad))));
    out.extend(number(pad.map_or(0, |pad| pad.1), 0).into_iter().map(Piece::Byte));
}

/// What is tried at landing pads, and of each where that begins, from 1; 0 where nothing is.
fn actions(landings: &Landings, filters: &[Vec<Piece>]) -> (Vec<u8>, Vec<u32>) {
    let (mut out, mut firsts) = (Vec::new(), Vec::new());
    // Where each filter begins, in pieces, from 1.
    let ends = filters.iter().scan(1, |at, filter| {
        *at += filter.len() as i64;
        Some(*at)
    });
    let starts: Vec<i64> = std::iter::once(1).chain(ends).collect();
    for row in &landings.rows {
        if matches!(**row, [] | [Action::Cleanup]) {
            firsts.push(0);
            continue;
        }
        firsts.push(out.len() as u32 + 1);
        for (k, action) in row.iter().enumerate() {
            let of = match *action {
                Action::Cleanup => 0,
                Action::Catch(ty) => i64::from(ty),
                Action::Filter(k) => -starts[k as usize],
            };
            signed(&mut out, of);
            out.push(u8::from(k + 1 < row.len()));
        }
    }
    (out, firsts)
}

/// The types of filters, by number or as such, each filter with a zero at its end.
fn filters(landings: &Landings, is_arm: bool) -> Vec<Vec<Piece>> {
    let filter = |types: &Vec<u32>| match is_arm {
        true => {
            let described = types.iter().map(|&ty| Piece::Type(landings.types[ty as usize - 1]));
            described.chain([Piece::Type(None)]).collect()
        }
        false => types.iter().flat_map(|&ty| number(ty, 0)).chain([0]).map(Piece::Byte).collect(),
    };
    landings.filters.iter().map(filter).collect()
}

/// LEB128, in so many bytes at the least.
fn number(mut x: u32, least: usize) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        out.push(x as u8 & 0x7f);
        x >>= 7;
        if x == 0 && out.len() >= least {
            break;
        }
    }
    let last = out.len() - 1;
    out[..last].iter_mut().for_each(|byte| *byte |= 0x80);
    out
}

fn signed(out: &mut Vec<u8>, mut x: i64) {
    loop {
        let (byte, rest) = (x as u8 & 0x7f, x >> 7);
        let is_last = rest == -i64::from(byte >> 6 & 1);
        out.push(if is_last { byte } else { byte | 0x80 });
        if is_last {
            return;
        }
        x = rest;
    }
}

/// What the table of a function names, in its order, without its bytes: for text, which has those.
pub fn named(func: &Func, machine: &Machine) -> Option<Box<Exceptions>> {
    let personality = func.landings.personality?;
    func.blocks.keys().find_map(|b| invoked(func, machine, b))?;
    let types = func.landings.types.iter().rev().flatten().map(|&of| (0, code::Target::Global(of)));
    let personality = code::Target::Func(personality);
    Some(Box::new(Exceptions { personality, bytes: Vec::new(), types: types.collect() }))
}

/// What the data are called that hold the address of something: as GCC and LLVM call them.
pub fn cell_name(of: &str) -> String {
    match of.strip_prefix('"') {
        Some(rest) => format!("\"DW.ref.{rest}"),
        None => format!("DW.ref.{of}"),
    }
}

/// Appends the table of a function whose calls have these landing pads as text, which labels of `isa/text` are in.
pub fn print(out: &mut String, func: &Func, (target, symbols): (&Target, &Symbols), pads: &[Block]) {
    let (id, is_arm) = (func.id, target.elf.is_indexed);
    let name = |place: Place| match place {
        Place::Start => format!(".Lb{id}"),
        Place::End => format!(".Le{id}"),
        Place::Call(k) => format!(".Ls{id}_{k}"),
        Place::Behind(k) => format!(".Lt{id}_{k}"),
        Place::Pad(b) => format!(".Lf{id}_{}", b.index()),
    };
    _ = match (is_arm, func.landings.personality) {
        (true, Some(routine)) => {
            writeln!(out, "\t.personality {}\n\t.handlerdata", symbols.func(routine))
        }
        _ => writeln!(out, "\t.section .gcc_except_table,\"a\",%progbits\n\t.p2align 2\n.Lx{id}:"),
    };
    for piece in pieces(func, target, pads) {
        _ = match piece {
            Piece::Byte(byte) => writeln!(out, "\t.byte {byte}"),
            Piece::Distance(from, to) if from == to => writeln!(out, "\t.4byte 0"),
            Piece::Distance(from, to) => writeln!(out, "\t.4byte {}-{}", name(to), name(from)),
            Piece::None | Piece::Type(None) => writeln!(out, "\t.4byte 0"),
            Piece::Type(Some(of)) => {
                let name = &symbols.globals[GlobalId::new(of as usize)];
                match is_arm {
                    true => writeln!(out, "\t.long {name}(target2)"),
                    false => writeln!(out, "\t.4byte {}-.", cell_name(name)),
                }
            }
        };
    }
    if !is_arm {
        out.push_str("\t.text\n");
    }
}

/// The table of a function of so many bytes, with these calls; `start` says where a block is.
pub fn bytes(
    (func, target): (&Func, &Target),
    personality: u32,
    (sites, end): (&[Site], u32),
    start: impl Fn(Block) -> u32,
) -> Exceptions {
    let pads: Vec<Block> = sites.iter().map(|site| site.pad).collect();
    let at = |place: Place| match place {
        Place::Start => 0,
        Place::End => end,
        Place::Call(k) => sites[k].extent.0,
        Place::Behind(k) => sites[k].extent.1,
        Place::Pad(b) => start(b),
    };
    let mut all = Exceptions { personality: code::Target::Func(personality), ..Exceptions::default() };
    for piece in pieces(func, target, &pads) {
        match piece {
            Piece::Byte(byte) => all.bytes.push(byte),
            Piece::Distance(from, to) => all.bytes.extend((at(to) - at(from)).to_le_bytes()),
            Piece::None | Piece::Type(None) => all.bytes.extend([0; 4]),
            Piece::Type(Some(of)) => {
                all.types.push((all.bytes.len() as u32, code::Target::Global(of)));
                all.bytes.extend([0; 4]);
            }
        }
    }
    all
}
