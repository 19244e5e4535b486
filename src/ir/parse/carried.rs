//! Vectors as arguments and results, in the registers that the C conventions of AArch64 (AAPCS64, 6.8.2 and 6.9) and ARMv7 (AAPCS32, 7.1.2)
//! have for them. A type is broken down into registers of 8 and 16 bytes as LLVM's back ends do it (`getVectorTypeBreakdown`): lanes
//! that fill one are its lanes; integers that fill less than 8 bytes are widened until they do; what is not a power of two has
//! lanes behind it that are anything; more than 16 bytes are several registers. (C has 8 and 16 bytes, structs of these, and as
//! results less: clang passes others by address or as integers.)
//!
//! A register of 8 bytes is a double, one of 16 is two words that stand together (`ir::Group`): i64, or doubles where the machine makes one
//! register of two of them. A result of more than one double is in memory on its way, as all results of several parts are (`ir::Parts`).
//! On ARMv7 that is so with NEON and without, as the standard and gcc have it; LLVM has it so with NEON only.
//! What this has no row for, and RISC-V, of which clang passes vectors as integers, stays lanes: of functions that nothing else
//! calls (`parts`). O(lanes) a value.

use super::aggregate::Compound;
use super::attribute::Attributes;
use super::builder::{Builder, Operand};
use super::lanes::{bits_of, int_like};
use super::quad::QUAD_RESULT;
use super::vector::Lanes;
use super::{Parsed, Parser};
use crate::ir::{Group, Op, Type, Value};

/// Registers that a result may take, of 8 bytes each on machines whose registers of 16 are two of them.
const MOST_RESULTS: usize = 8;

/// Vectors in a value that travels.
const MOST_VECTORS: usize = 64;

/// A register in which lanes travel.
#[derive(Copy, Clone, Debug)]
pub(super) struct Carrier {
    /// The first lane among the parts of the value, and how many there are.
    first: usize,
    count: usize,
    lanes: Lanes,
    /// Bits of a lane there.
    width: u32,
    /// Its own bytes: 8 or 16.
    bytes: u32,
}

impl Carrier {
    /// True if memory has the lanes as the register has them.
    fn is_natural(self, pointer: u32) -> bool {
        self.width == bits_of(self.lanes.element, pointer)
    }

    /// The same, and that the lanes are all of the register.
    fn is_full(self, pointer: u32) -> bool {
        self.is_natural(pointer) && self.count as u32 * self.width == 8 * self.bytes
    }

    /// The type that the tables have for all of its lanes.
    fn held(self) -> Option<Type> {
        self.lanes.held().filter(|_| self.count == self.lanes.count as usize)
    }
}

/// Bits of a lane in a register, lanes in one, and its bytes.
fn breakdown(lanes: Lanes, bits: u32) -> Option<[u32; 3]> {
    let Lanes { element, count, .. } = lanes;
    let filled = count.next_power_of_two();
    match bits * filled {
        64 if bits > 1 => Some([bits, count, 8]),
        128 if bits > 1 => Some([bits, count, 16]),
        _ if bits == 64 && filled != count => Some([64, 1, 8]),
        _ if filled != count => None,
        16 if bits == 1 => Some([8, 16, 16]),
        of if of < 64 && element.is_int() && (2..=8).contains(&count) => Some([64 / count, count, 8]),
        of if of > 128 && bits > 1 => Some([bits, 128 / bits, 16]),
        _ => None,
    }
}

/// The integer of so many bits.
fn int_of(bits: u32) -> Type {
    match bits {
        8 => Type::I8,
        16 => Type::I16,
        32 => Type::I32,
        _ => Type::I64,
    }
}

impl Parser<'_> {
    /// Says of a value that travels in which registers it does.
    pub(super) fn set_carriers(&mut self, compound: &mut Compound) {
        let is_known = ["aarch64", "armv7", ""].contains(&self.platform.name) && !compound.is_scalable;
        let Some(mem) = compound.mem.filter(|_| is_known && self.has_vector(compound)) else { return };
        let Some(leaves) = self.vectors_of(mem, MOST_VECTORS) else { return };
        let (mut found, mut first) = (Vec::new(), 0);
        for lanes in leaves {
            let bits = bits_of(lanes.element, self.platform.pointer_bytes);
            // Of one lane AArch64 has vectors, too.
            let is_one = lanes.count == 1 && bits < 64 && bits > 1 && self.platform.name != "armv7";
            let row = if is_one { Some([bits, 1, 8]) } else { breakdown(lanes, bits) };
            let Some([width, count, bytes]) = row else { return };
            for at in (0..lanes.count).step_by(count as usize) {
                let count = count.min(lanes.count - at) as usize;
                found.push(Carrier { first: first + at as usize, count, lanes, width, bytes });
            }
            first += lanes.count as usize;
        }
        compound.carriers = found;
    }

    /// The types that a register is in the tables.
    fn carrier_types(&self, carrier: Carrier) -> &'static [Type] {
        match (carrier.bytes, self.platform.pointer_bytes) {
            (8, _) => &[Type::F64],
            (_, 4) => &[Type::F64; 2],
            _ => &[Type::I64; 2],
        }
    }

    /// The types of all of them, for parameters.
    pub(super) fn carried_types(&self, compound: &Compound) -> Vec<Type> {
        compound.carriers.iter().flat_map(|&carrier| self.carrier_types(carrier)).copied().collect()
    }

    /// The type of a result that is one double.
    pub(super) fn carried_result(compound: &Compound) -> Option<Type> {
        matches!(compound.carriers[..], [Carrier { bytes: 8, .. }]).then_some(Type::F64)
    }

    /// True if a result has more parts than there are registers, or leaves some out.
    pub(super) fn is_beyond_registers(&self, compound: &Compound) -> bool {
        let halves = compound.carriers.iter().map(|carrier| carrier.bytes as usize / 8);
        let is_uneven = compound.carriers.windows(2).any(|of| of[0].bytes != of[1].bytes);
        match self.platform.pointer_bytes {
            4 => is_uneven || halves.sum::<usize>() > MOST_RESULTS,
            _ => compound.carriers.len() > MOST_RESULTS,
        }
    }

    /// Where the parts of a result of several are, in memory that is laid out for them.
    pub(super) fn carried_results(&self, compound: &Compound) -> Vec<(Type, u32)> {
        let (mut results, mut at) = (Vec::new(), 0);
        for &carrier in &compound.carriers {
            match (carrier.bytes, self.platform.pointer_bytes) {
                (16, 8) => results.push((QUAD_RESULT, at)),
                _ => results.extend((0..carrier.bytes / 8).map(|k| (Type::F64, at + 8 * k))),
            }
            at += carrier.bytes;
        }
        results
    }

    /// Bytes of that memory.
    pub(super) fn carried_bytes(compound: &Compound) -> u32 {
        compound.carriers.iter().map(|carrier| carrier.bytes).sum()
    }

    /// Which of the parts of an argument stand together: words of a register, and registers of an array, and where registers are two of others,
    /// of a struct.
    pub(super) fn carried_groups(
        &self,
        compound: &Compound,
        first: usize,
        said: Attributes,
        groups: &mut Vec<Group>,
    ) {
        let carriers = &compound.carriers;
        let Some(&Carrier { bytes, .. }) = carriers.first() else { return };
        let is_word = self.platform.pointer_bytes == 4;
        let is_even = carriers.iter().all(|carrier| carrier.bytes == bytes);
        let is_vector = self.vector_of(compound).is_some();
        let is_one = is_even && !is_vector && (compound.is_array || is_word && carriers.len() <= 4);
        let aligned = |bytes: u32| if is_word { 8 } else { bytes };
        let mut at = first as u32;
        if is_one {
            let count = self.carried_types(compound).len() as u32;
            let align = aligned(bytes).max(said.stack_align);
            groups.push(Group { first: at, count, align, is_vector: bytes == 16 });
            return;
        }
        for &carrier in carriers {
            if carrier.bytes == 16 {
                groups.push(Group { first: at, count: 2, align: aligned(16), is_vector: true });
            }
            at += self.carrier_types(carrier).len() as u32;
        }
    }

    /// The parts of a value as what its registers are in the tables.
    pub(super) fn in_registers(
        &mut self,
        b: &mut Builder,
        compound: &Compound,
        parts: &[Value],
    ) -> Parsed<Vec<Value>> {
        let mut found = Vec::new();
        for &carrier in &compound.carriers {
            let lanes = parts.get(carrier.first..).and_then(|parts| parts.get(..carrier.count));
            self.put_in(b, carrier, lanes.unwrap_or_default(), &mut found)?;
        }
        Ok(found)
    }

    /// The other way around.
    pub(super) fn out_of_registers(
        &mut self,
        b: &mut Builder,
        compound: &Compound,
        words: &[Value],
    ) -> Parsed<Vec<Value>> {
        let (mut found, mut words) = (Vec::new(), words);
        for &carrier in &compound.carriers {
            let (own, rest) = words.split_at(self.carrier_types(carrier).len().min(words.len()));
            words = rest;
            self.take_from(b, carrier, own, &mut found)?;
        }
        Ok(found)
    }

    /// Lanes as what their register is in the tables: by memory of the function's, or if that has them otherwise, as parts of its words.
    fn put_in(
        &mut self,
        b: &mut Builder,
        carrier: Carrier,
        lanes: &[Value],
        found: &mut Vec<Value>,
    ) -> Parsed<()> {
        let (types, of) = (self.carrier_types(carrier), carrier.lanes.element);
        if types[0] == of {
            found.extend_from_slice(lanes);
            return Ok(());
        }
        let pointer = self.platform.pointer_bytes;
        if carrier.is_full(pointer) {
            let room = self.carrier_room(b, carrier)?;
            self.store_lanes(b, carrier, room, lanes);
            found.extend(self.load_parts(b, room, types.iter().copied()));
            return Ok(());
        }
        let mut ints = Vec::new();
        for &lane in lanes {
            let int = match of {
                Type::Ptr => {
                    Value::inst(b.insert(Op::PtrToInt, self.pointer_int(), &[Operand::Value(lane)], 0))
                }
                _ if of.is_float() => self.bits(b, Operand::Value(lane), int_like(of))?,
                _ => lane,
            };
            let from = b.f.type_of(int);
            ints.push(b.resized(Operand::Value(int), from, int_of(carrier.width), Op::ZExt).now());
        }
        let words = self.viewed(b, &ints, carrier.width, Type::I64, types.len() as u32);
        for (&ty, word) in types.iter().zip(words) {
            found.push(if ty == Type::I64 { word } else { self.bits(b, Operand::Value(word), ty)? });
        }
        Ok(())
    }

    /// The other way around.
    fn take_from(
        &mut self,
        b: &mut Builder,
        carrier: Carrier,
        words: &[Value],
        found: &mut Vec<Value>,
    ) -> Parsed<()> {
        let of = carrier.lanes.element;
        if words.first().is_none_or(|&word| b.f.type_of(word) == of) {
            found.extend(words.iter().take(carrier.count));
            return Ok(());
        }
        if carrier.is_natural(self.platform.pointer_bytes) {
            let room = self.carrier_room(b, carrier)?;
            self.store_parts(b, room, words);
            found.extend(self.load_lanes(b, carrier, room));
            return Ok(());
        }
        let mut ints = Vec::new();
        for &word in words {
            ints.push(match b.f.type_of(word) {
                Type::I64 => word,
                _ => self.bits(b, Operand::Value(word), Type::I64)?,
            });
        }
        let wide = int_of(carrier.width);
        for lane in self.viewed(b, &ints, 64, wide, carrier.count as u32) {
            found.push(b.resized(Operand::Value(lane), wide, of, Op::ZExt).now());
        }
        Ok(())
    }

    // ---- Memory -----------------------------------------------------------------------------------------

    fn carrier_room(&mut self, b: &mut Builder, carrier: Carrier) -> Parsed<Operand> {
        let shape = self.module.env.shapes.of(Type::I64, &[carrier.bytes / 8]);
        let shape = self.aligned(shape, carrier.bytes.min(2 * self.platform.pointer_bytes));
        self.local_room(b, shape)
    }

    fn store_parts(&mut self, b: &mut Builder, room: Operand, parts: &[Value]) {
        let mut at = 0;
        for &v in parts {
            let place = self.place_behind(b, room, at);
            b.insert(Op::Store, Type::Void, &[Operand::Value(v), place], 0);
            at += self.module.env.shapes.bytes_of(b.f.type_of(v));
        }
    }

    fn load_parts(
        &mut self,
        b: &mut Builder,
        room: Operand,
        types: impl Iterator<Item = Type>,
    ) -> Vec<Value> {
        let (mut found, mut at) = (Vec::new(), 0);
        for ty in types {
            let place = self.place_behind(b, room, at);
            found.push(Value::inst(b.insert(Op::Load, ty, &[place], 0)));
            at += self.module.env.shapes.bytes_of(ty);
        }
        found
    }

    /// Lanes as memory has them.
    fn store_lanes(&mut self, b: &mut Builder, carrier: Carrier, room: Operand, lanes: &[Value]) {
        match carrier.held() {
            Some(ty) => {
                let whole = b.gathered(ty, lanes);
                self.store_parts(b, room, &[whole]);
            }
            None => self.store_parts(b, room, lanes),
        }
    }

    fn load_lanes(&mut self, b: &mut Builder, carrier: Carrier, room: Operand) -> Vec<Value> {
        let (of, count) = (carrier.lanes.element, carrier.count);
        let Some(ty) = carrier.held() else {
            return self.load_parts(b, room, std::iter::repeat_n(of, count));
        };
        let whole = Operand::Value(Value::inst(b.insert(Op::Load, ty, &[room], 0)));
        (0..count as u32).map(|k| b.lane(whole, of, k).now()).collect()
    }

    /// Stores a result where its parts are to be.
    pub(super) fn store_carried(
        &mut self,
        b: &mut Builder,
        compound: &Compound,
        room: Operand,
        parts: &[Value],
    ) -> Parsed<()> {
        let mut at = 0;
        for &carrier in &compound.carriers {
            let lanes = parts.get(carrier.first..).and_then(|parts| parts.get(..carrier.count));
            let (lanes, place) = (lanes.unwrap_or_default(), self.place_behind(b, room, at));
            if carrier.is_natural(self.platform.pointer_bytes) {
                self.store_lanes(b, carrier, place, lanes);
            } else {
                let mut words = Vec::new();
                self.put_in(b, carrier, lanes, &mut words)?;
                self.store_parts(b, place, &words);
            }
            at += carrier.bytes;
        }
        Ok(())
    }

    /// Loads it from there.
    pub(super) fn load_carried(
        &mut self,
        b: &mut Builder,
        compound: &Compound,
        room: Operand,
    ) -> Parsed<Vec<Value>> {
        let (mut found, mut at) = (Vec::new(), 0);
        for &carrier in &compound.carriers {
            let place = self.place_behind(b, room, at);
            if carrier.is_natural(self.platform.pointer_bytes) {
                found.extend(self.load_lanes(b, carrier, place));
            } else {
                let types = self.carrier_types(carrier).iter().copied();
                let words = self.load_parts(b, place, types);
                self.take_from(b, carrier, &words, &mut found)?;
            }
            at += carrier.bytes;
        }
        Ok(found)
    }
}
