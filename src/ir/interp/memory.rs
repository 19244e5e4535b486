//! The flat memory: globals first, then the stack, growing up. It is within the lowest 4 GB; addresses have 64
//! bits, so that one that has left it stays outside. The first page belongs to no object.

use super::{Options, Trap};
use crate::base::{Column, Handle};
use crate::ir::{GlobalId, Image, Module, Shape, Type};

/// Where the first global stands.
const BOTTOM: u64 = 4096;
/// Bytes of the stack that are there from the start.
const FIRST_STACK: u64 = 1 << 16;
/// How globals, frames and objects are aligned.
pub(super) const ALIGN: u64 = 16;

/// Memory, and where globals stand in it.
pub(super) struct Memory {
    /// What of it is in use: the globals, and the stack as far as calls have reached.
    pub(super) bytes: Vec<u8>,
    /// How many bytes there can be.
    limit: u64,
    /// Per byte, when checking: 1 once it was written. Empty otherwise.
    written: Vec<u8>,
    pub(super) globals: Column<GlobalId, u32>,
    /// Per body, in order: where its requested globals stand.
    pub(super) requests: Vec<Vec<u32>>,
    /// Where the stack begins.
    pub(super) stack: u32,
}

impl Memory {
    /// Lays out and fills the globals. Of the stack there is little at first: a program that prints one line
    /// takes 0.3 MB in place of 271, and 2 ms in place of 190.
    pub(super) fn new(module: &Module, options: &Options) -> Result<Memory, Trap> {
        let shapes = &module.env.shapes;
        let mut end = BOTTOM;
        let mut place = |shape: Shape| {
            let at = end;
            end = end.saturating_add(shapes.bytes(shape)).saturating_add(ALIGN) / ALIGN * ALIGN;
            at as u32
        };
        let globals: Vec<u32> = module.env.globals.iter().map(|(_, row)| place(row.shape)).collect();
        let requests: Vec<Vec<u32>> = module
            .defined()
            .map(|body| body.requests.iter().map(|(_, row)| place(row.shape)).collect())
            .collect();
        let total = end.saturating_add(u64::from(options.stack));
        if total > u64::from(u32::MAX) {
            return Err(Trap::nowhere(
                "the program's memory does not fit: globals and stack take too many bytes",
            ));
        }
        let mut memory = Memory {
            // Pages that nothing touches cost nothing, so this is not asked for first: what was given back
            // would have to be cleared.
            bytes: vec![0; (end + FIRST_STACK).min(total) as usize],
            limit: total,
            written: Vec::new(),
            globals: Column::from(globals),
            requests,
            stack: end as u32,
        };
        if options.check {
            memory.written = vec![0; memory.bytes.len()];
            memory.written[..end as usize].fill(1);
        }
        for (global, row) in module.env.globals.iter() {
            memory.set_image(memory.globals[global], shapes.scalar_type(row.shape), &row.image);
        }
        for (global, row) in module.env.globals.iter() {
            let scalar = shapes.bytes_of(shapes.scalar_type(row.shape));
            for address in &row.image.addresses {
                let mut to = i64::from(memory.globals[address.to]).wrapping_add(address.offset);
                let start = memory.globals[global];
                if address.from_start.is_some() {
                    to = to.wrapping_sub(start.into());
                }
                let at = u64::from(start) + u64::from(address.at) * u64::from(scalar);
                let bytes = address.bytes(shapes.bytes_of(Type::Ptr));
                // Where it is asked what addresses lead to, global k is object k + 1 (`checked`).
                let leads = options.check && bytes == 8 && address.from_start.is_none();
                let object = if leads { address.to.index() as u64 + 1 } else { 0 };
                _ = memory.store(at, bytes, to as u64 | object << 32);
            }
        }
        for (k, body) in module.defined().enumerate() {
            for (request, row) in body.requests.iter() {
                let at = memory.requests[k][request.index()];
                memory.set_image(at, shapes.scalar_type(row.shape), &row.image);
            }
        }
        Ok(memory)
    }

    /// Makes room for a frame that ends there; false if the stack may not reach so far.
    #[inline(always)]
    #[must_use]
    pub(super) fn reaches(&mut self, end: u64) -> bool {
        end <= self.bytes.len() as u64 || self.grow(end)
    }

    /// At least by half of what there is, so that a deep recursion copies each byte three times at most.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: u64) -> bool {
        if end > self.limit {
            return false;
        }
        let wanted = (self.bytes.len() + self.bytes.len() / 2).max(end as usize).min(self.limit as usize);
        let more = wanted - self.bytes.len();
        let checks = !self.written.is_empty();
        if self.bytes.try_reserve_exact(more).is_err()
            || checks && self.written.try_reserve_exact(more).is_err()
        {
            return false;
        }
        self.bytes.resize(wanted, 0);
        if checks {
            self.written.resize(wanted, 0);
        }
        true
    }

    fn set_image(&mut self, at: u32, scalar: Type, image: &Image) {
        let size = scalar.bytes() as usize;
        for run in &image.runs {
            let start = at as usize + run.at as usize * size;
            let words = &image.words[run.first as usize..(run.first + run.len) as usize];
            for (k, word) in words.iter().enumerate() {
                let width = size.min(4);
                let to = start + k * size;
                self.bytes[to..to + width].copy_from_slice(&word.to_le_bytes()[..width]);
            }
        }
    }

    /// Four bytes; none outside of memory.
    #[inline(always)]
    pub(super) fn load32(&self, at: u64) -> Option<u32> {
        let bytes = self.bytes.get(at as usize..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    #[inline(always)]
    pub(super) fn store32(&mut self, at: u64, x: u32) -> Option<()> {
        *self.bytes.get_mut(at as usize..)?.first_chunk_mut()? = x.to_le_bytes();
        Some(())
    }

    /// A scalar of up to eight bytes, zero-extended.
    #[inline]
    pub(super) fn load(&self, at: u64, size: u32) -> Option<u64> {
        let mut word = [0; 8];
        word[..size as usize].copy_from_slice(self.bytes.get(at as usize..)?.get(..size as usize)?);
        Some(u64::from_le_bytes(word))
    }

    #[inline]
    pub(super) fn store(&mut self, at: u64, size: u32, x: u64) -> Option<()> {
        let to = self.bytes.get_mut(at as usize..)?.get_mut(..size as usize)?;
        to.copy_from_slice(&x.to_le_bytes()[..size as usize]);
        Some(())
    }

    /// Sets bytes; to set none, any address will do.
    pub(super) fn fill(&mut self, at: u64, byte: u8, size: u32) -> Option<()> {
        if size != 0 {
            self.bytes.get_mut(at as usize..)?.get_mut(..size as usize)?.fill(byte);
        }
        Some(())
    }

    pub(super) fn copy(&mut self, to: u64, from: u64, size: u32) -> Option<()> {
        let (to, from, size) = (to as usize, from as usize, size as usize);
        if size == 0 {
            return Some(());
        }
        let last = self.bytes.len().checked_sub(size)?;
        if to > last || from > last {
            return None;
        }
        self.bytes.copy_within(from..from + size, to);
        Some(())
    }

    /// Notes, when checking, that these bytes have a value now (or have none).
    pub(super) fn mark(&mut self, at: u32, size: u32, written: bool) {
        if let Some(bytes) = self.written.get_mut(at as usize..at as usize + size as usize) {
            bytes.fill(u8::from(written));
        }
    }

    /// Notes, when checking, that bytes have a value where others have.
    pub(super) fn copy_marks(&mut self, to: u32, from: u32, size: u32) {
        let (to, from, size) = (to as usize, from as usize, size as usize);
        if to + size <= self.written.len() && from + size <= self.written.len() {
            self.written.copy_within(from..from + size, to);
        }
    }

    /// Four bytes that have a value, when checking; none outside of memory.
    #[inline(always)]
    pub(super) fn read32(&self, at: u32) -> Option<u32> {
        let marks: &[u8; 4] = self.written.get(at as usize..)?.first_chunk()?;
        if u32::from_ne_bytes(*marks) == 0x0101_0101 { self.load32(at.into()) } else { None }
    }

    /// Sets four bytes, when checking, to what has a value or has none. Nothing happens outside of memory.
    #[inline(always)]
    pub(super) fn write32(&mut self, at: u32, x: u32, written: bool) {
        let marks = self.written.get_mut(at as usize..).and_then(|bytes| bytes.first_chunk_mut::<4>());
        if let Some(marks) = marks {
            *marks = [u8::from(written); 4];
        }
        _ = self.store32(at.into(), x);
    }

    /// True if all these bytes have a value; always, unless checking.
    pub(super) fn is_written(&self, at: u32, size: u32) -> bool {
        match self.written.get(at as usize..at as usize + size as usize) {
            Some(bytes) => bytes.iter().all(|&byte| byte != 0),
            None => true,
        }
    }
}
