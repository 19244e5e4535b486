//! Frames of the checking machine: memory for allocas, a cell an instruction, and cells for the lanes of
//! vectors.

use super::super::memory::ALIGN;
use crate::base::{Column, Handle};
use crate::ir::{Body, Inst, Module, Op, Shape};

/// What a frame of a body is made of.
pub(super) struct Layout {
    /// Where allocas stand in its memory, and how many bytes that has.
    pub(super) places: Column<Inst, u32>,
    pub(super) bytes: u32,
    /// Where its cells have the lanes of vectors, behind those of all instructions, and how many cells
    /// there are.
    pub(super) lanes: Column<Inst, u32>,
    pub(super) cells: usize,
}

impl Layout {
    /// The frame of a body.
    pub(super) fn new(module: &Module, f: &Body) -> Layout {
        let mut places = Column::filled(f.inst_count(), 0);
        let mut end = 0u64;
        for i in f.blocks().flat_map(|b| f.insts(b)).filter(|&i| f.op(i) == Op::Alloca) {
            places[i] = end as u32;
            let bytes = module.env.shapes.bytes(Shape::new(f.payload(i) as usize));
            end =
                end.saturating_add(bytes).saturating_add(ALIGN).min(u64::from(u32::MAX) - 64) / ALIGN * ALIGN;
        }
        let (mut lanes, mut cells) = (Column::new(), f.inst_count());
        if f.has_vectors() {
            lanes.grow_to(cells, 0);
            for i in f.insts_from(0).filter(|&i| f.ty(i).is_vector()) {
                lanes[i] = cells as u32;
                cells += f.ty(i).lanes() as usize;
            }
        }
        Layout { places, bytes: end as u32, lanes, cells }
    }
}
