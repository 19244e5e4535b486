//! Veneers: jumps in between for calls that do not reach, or that cannot switch between ARM and Thumb state.
//!
//! Code is divided into stretches that any call in them can leave, with an island behind each where its
//! veneers stand. What needs one depends on addresses, which depend on the islands; so placing is repeated
//! until no call needs a new one. Veneers never go away again: that ends. A program within reach of its
//! calls, all in one state, has no islands and is not looked at.

use super::demand::Demand;
use super::layout::Layout;
use super::sections::OutRow;
use super::*;
use crate::base::intern::DenseMap;
use crate::object::machine::Sequence;
use crate::object::module::*;
use crate::object::reloc::{Call, How};

/// Bytes of a veneer, at most.
fn size(p: &Program<'_>) -> u64 {
    4 * p.veneers().iter().map(|sequence| sequence.words.len()).max().unwrap_or(0) as u64
}

/// A veneer: in which island, for which symbol, how much behind it, for Thumb callers.
type Key = (u32, u32, i64, bool);

/// All islands and what is on them.
#[derive(Default)]
pub(super) struct Veneers {
    islands: Vec<Piece>,
    /// Per piece: its island, or `u32::MAX`.
    island_of: Column<Piece, u32>,
    /// In the order of making, with the offset in the island.
    rows: Vec<(Key, u64)>,
    offsets: DenseMap<Key, u64>,
}

impl Veneers {
    /// Puts islands into the code, if any may be needed.
    pub(super) fn prepare(p: &mut Program<'_>, outs: &mut Column<Out, OutRow>) -> Veneers {
        let mut veneers = Veneers::default();
        let code: u64 = outs.as_slice().iter().filter(|out| is_code(out)).map(|out| size_of(p, out)).sum();
        let has_thumb = p.symbols.flags.as_slice().iter().any(|flags| flags & flag::THUMB != 0);
        let Some(stretch) = stretch(p.machine).filter(|&stretch| code >= stretch || has_thumb) else {
            return veneers;
        };
        veneers.island_of.reset(p.pieces(), u32::MAX);
        for out in outs.as_mut_slice().iter_mut().filter(|out| is_code(out)) {
            let (mut pieces, mut size) = (Vec::with_capacity(out.pieces.len() + 1), 0);
            for piece in std::mem::take(&mut out.pieces) {
                let more = p.row(piece).size;
                if size > 0 && size + more > stretch {
                    pieces.push(veneers.add_island(p));
                    size = 0;
                }
                veneers.island_of[piece] = veneers.islands.len() as u32;
                pieces.push(piece);
                size += more;
            }
            pieces.push(veneers.add_island(p));
            (out.pieces, out.align) = (pieces, out.align.max(4));
        }
        veneers
    }

    fn add_island(&mut self, p: &mut Program<'_>) -> Piece {
        let piece = p.add_section(demand::own_section(".text", SHF_EXECINSTR, 4, 0));
        self.islands.push(piece);
        piece
    }

    fn island(&self, piece: Piece) -> Option<u32> {
        self.island_of.get(piece).copied().filter(|&island| island != u32::MAX)
    }
}

/// The most code between two islands, in bytes; none where calls reach everything.
pub(super) fn stretch(machine: &Machine) -> Option<u64> {
    (machine.stretch != 0).then_some(machine.stretch)
}

fn is_code(out: &OutRow) -> bool {
    out.flags & (SHF_ALLOC | SHF_EXECINSTR) == SHF_ALLOC | SHF_EXECINSTR
}

fn size_of(p: &Program<'_>, out: &OutRow) -> u64 {
    out.pieces.iter().map(|&piece| p.row(piece).size).sum()
}

/// A call on its way.
struct Way {
    /// S + A - P with the target's state in the lowest bit, for a call that goes all the way itself.
    value: i64,
    /// It cannot.
    needs: bool,
    key: Key,
    /// What the instruction adds by itself.
    bias: i64,
}

fn way(p: &Program<'_>, island: u32, sym: Sym, reloc: &Reloc, call: Call, place: u64) -> Way {
    let bias = p.machine.call_bias.map_or(0, |bias| bias[usize::from(call.is_thumb)]);
    let flags = p.symbols.flags[sym];
    let state = i64::from(call.is_thumb);
    let key =
        (island, p.symbols.definition[sym].index() as u32, reloc.addend.wrapping_add(bias), call.is_thumb);
    if flags & flag::UNDEFINED != 0 {
        // Nothing to call: on to the next instruction.
        return Way { value: (4 - bias) | state, needs: false, key, bias };
    }
    // Stubs are in ARM state; a label that is no function is in the state of the jump.
    let target = match flags & (flag::FUNC | flag::THUMB | flag::IFUNC) {
        flags if flags & flag::IFUNC != 0 => 0,
        flags if flags & flag::FUNC != 0 => i64::from(flags & flag::THUMB != 0),
        _ => state,
    };
    let value =
        (p.symbols.address[sym] as i64 & !target).wrapping_add(reloc.addend).wrapping_sub(place as i64);
    let is_far = value < -call.reach || value >= call.reach - 4;
    Way { value: value | target, needs: is_far || target != state && !call.switches, key, bias }
}

/// The value that a call gets, through a veneer if there has to be one.
pub(super) fn value(
    p: &Program<'_>,
    layout: &Layout,
    piece: Piece,
    sym: Sym,
    reloc: &Reloc,
    call: Call,
) -> i64 {
    let place = layout.address[piece] + u64::from(reloc.offset);
    let island = layout.veneers.island(piece).unwrap_or(u32::MAX);
    let way = way(p, island, sym, reloc, call, place);
    match layout.veneers.offsets.get(&way.key).filter(|_| way.needs) {
        Some(offset) => {
            let at = layout.address[layout.veneers.islands[island as usize]] + offset;
            (at as i64 - way.bias - place as i64) | i64::from(call.is_thumb)
        }
        // Out of reach without an island, which the row complains of.
        None => way.value,
    }
}

/// Adds the veneers that calls need where things stand now; true if there are any new ones.
pub(super) fn extend(p: &mut Program<'_>, demand: &Demand, layout: &mut Layout) -> bool {
    if layout.veneers.islands.is_empty() {
        return false;
    }
    let mut added = false;
    for out in layout.outs.as_slice().iter().filter(|out| is_code(out)) {
        for &piece in &out.pieces {
            let Some(island) = layout.veneers.island(piece) else { continue };
            let file = p.file_of[piece];
            for reloc in &p.row(piece).relocs {
                let Some(call) = demand.rows.get(reloc.kind).and_then(|row| row.call) else { continue };
                let place = layout.address[piece] + u64::from(reloc.offset);
                let way = way(p, island, p.sym(file, reloc.symbol), reloc, call, place);
                if way.needs && !layout.veneers.offsets.contains_key(&way.key) {
                    layout.veneers.offsets.insert(way.key, u64::MAX);
                    layout.veneers.rows.push((way.key, 0));
                    added = true;
                }
            }
        }
    }
    let size = size(p);
    // New ones go behind the old ones of their island.
    for k in 0..layout.veneers.rows.len() {
        let key = layout.veneers.rows[k].0;
        if layout.veneers.offsets.get(&key) == Some(&u64::MAX) {
            let piece = layout.veneers.islands[key.0 as usize];
            let row = p.own_row(piece);
            let offset = row.size;
            row.size += size;
            layout.veneers.rows[k].1 = offset;
            layout.veneers.offsets.insert(key, offset);
        }
    }
    added
}

/// Writes the instructions of all veneers.
pub(super) fn fill(p: &mut Program<'_>, demand: &Demand, layout: &Layout) {
    let size = size(p);
    for &island in &layout.veneers.islands {
        let row = p.own_row(island);
        row.data = vec![0; row.size as usize].into();
    }
    for &((island, sym, addend, is_thumb), offset) in &layout.veneers.rows {
        let sym = Sym::new(sym as usize);
        let mut target = (p.symbols.address[sym] as i64).wrapping_add(addend);
        if is_thumb && p.symbols.flags[sym] & (flag::FUNC | flag::IFUNC) == 0 {
            target |= 1;
        }
        let piece = layout.veneers.islands[island as usize];
        let place = (layout.address[piece] + offset) as i64;
        let mark = if is_thumb { "$t" } else { p.machine.code_mark };
        p.add_symbol(piece, mark, place as u64, 0, 0);
        let name = format!("__{}_veneer", p.name_of(sym));
        p.add_symbol(piece, &name, place as u64 | u64::from(is_thumb), size, STT_FUNC);
        let veneers = p.veneers();
        let bytes = &mut p.own_row(piece).data.to_mut()[offset as usize..];
        if let Some(sequence) = veneers.get(usize::from(is_thumb)) {
            write(demand, sequence, bytes, target, place);
        }
    }
}

/// Writes a sequence for a place, with an address in it.
pub(super) fn write(demand: &Demand, sequence: &Sequence, bytes: &mut [u8], address: i64, place: i64) {
    for (bytes, word) in bytes.chunks_exact_mut(4).zip(sequence.words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    for &(number, at) in sequence.puts {
        let Some(row) = demand.rows.get(number) else { continue };
        let address = address.wrapping_add((row.get)(&bytes[at..]));
        let value = match row.how {
            How::FromPlace => address - (place + at as i64),
            How::Pages => (address & !0xfff).wrapping_sub((place + at as i64) & !0xfff),
            _ => address,
        };
        (row.put)(&mut bytes[at..], value);
    }
}
