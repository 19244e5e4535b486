//! The frame: where each slot is, counted from the stack pointer after the prologue.
//!
//! ```text
//!   sp + frame_bytes + k    stack argument k that the caller passed
//!   registers of variadic arguments, which the save area has room for in front
//!   ----------------------  sp on entry
//!   save area               if the target pushes (`SaveArea::Top`)
//!   locals                  small ones first, so that only large arrays are out of reach of short offsets
//!   save area               if the target stores its saves after moving sp (`SaveArea::Bottom`)
//!   spill slots             wide ones first, so that none needs padding
//!   outgoing arguments      as many bytes as the largest call passes on the stack
//!   ----------------------  sp, a multiple of `Machine::stack_align`
//! ```
//!
//! One sort; O(slots log slots).

use super::func::SlotKind;
use super::{Func, Machine, Slot};
use crate::base::Handle;

/// Where the target keeps the registers that it saves.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum SaveArea {
    /// Above the spill slots: near the stack pointer however large the locals are.
    Bottom,
    /// At the top of the frame, next to the incoming arguments: for prologues that push.
    Top,
}

/// Where the save area came to be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Offset of the save area from the stack pointer after the prologue.
    pub save_offset: i64,
    /// Bytes of the whole frame, save area included.
    pub bytes: i64,
}

/// The frame would take 2 GiB or more.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FrameTooLarge;

/// Gives every slot its offset and fills `func.frame_bytes`. `save_bytes` is the room for saved registers
/// (return address included), aligned to 8 within the frame. A function without slots and saves gets no frame
/// at all.
pub fn layout(
    func: &mut Func,
    machine: &Machine,
    save_bytes: u32,
    area: SaveArea,
) -> Result<Frame, FrameTooLarge> {
    let mut frame = Frame { save_offset: 0, bytes: 0 };
    // Slots from the stack pointer up, in words: what goes first, then the number. The save area lies between
    // the two kinds.
    let [mut spills, mut locals] = [(); 2].map(|()| Vec::with_capacity(func.slots.len()));
    for (slot, row) in func.slots.iter() {
        let word = |first: u32| u64::from(first) << 32 | slot.index() as u64;
        match row.kind {
            SlotKind::Outgoing => frame.bytes = frame.bytes.max(i64::from(row.bytes)),
            SlotKind::Spill => spills.push(word(u32::MAX - row.align)),
            SlotKind::Local => locals.push(word(row.bytes)),
            SlotKind::Incoming(_) | SlotKind::Varargs => {}
        }
    }
    place(func, &mut frame, spills);
    if area == SaveArea::Bottom {
        frame.save_offset = align_up(frame.bytes, 8.min(i64::from(save_bytes.max(1))));
        frame.bytes = frame.save_offset + i64::from(save_bytes);
    }
    place(func, &mut frame, locals);
    if area == SaveArea::Top {
        frame.bytes += i64::from(save_bytes);
    }
    frame.bytes = align_up(frame.bytes, i64::from(machine.stack_align.max(1)));
    if area == SaveArea::Top {
        frame.save_offset = frame.bytes - i64::from(save_bytes);
    }
    if frame.bytes >= 1 << 31 {
        return Err(FrameTooLarge);
    }
    for row in func.slots.as_mut_slice() {
        match row.kind {
            SlotKind::Incoming(offset) => row.offset = frame.bytes + i64::from(offset),
            SlotKind::Varargs => row.offset = frame.bytes - i64::from(row.bytes),
            SlotKind::Outgoing => row.offset = 0,
            SlotKind::Local | SlotKind::Spill => {}
        }
    }
    func.frame_bytes = frame.bytes;
    Ok(frame)
}

/// Room in front of what is saved, for registers of variadic arguments; the stack stays aligned.
pub fn varargs(func: &Func, machine: &Machine) -> u32 {
    let slots = func.slots.as_slice().iter();
    let bytes = slots.filter(|row| row.kind == SlotKind::Varargs).map(|row| row.bytes).max();
    bytes.unwrap_or(0).next_multiple_of(machine.stack_align.max(1))
}

/// Places slots above what is placed already.
fn place(func: &mut Func, frame: &mut Frame, mut order: Vec<u64>) {
    order.sort_unstable();
    for word in order {
        let row = &mut func.slots[Slot::new((word & 0xffff_ffff) as usize)];
        row.offset = align_up(frame.bytes, i64::from(row.align));
        frame.bytes = row.offset + i64::from(row.bytes);
    }
}

fn align_up(offset: i64, align: i64) -> i64 {
    let align = align.max(1) as u64;
    ((offset as u64 + (align - 1)) & !(align - 1)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::toy;

    fn frame(
        area: SaveArea,
        save: u32,
        slots: &[(SlotKind, u32, u32)],
    ) -> (Result<Frame, FrameTooLarge>, Vec<i64>) {
        let mut func = Func::default();
        for &(kind, bytes, align) in slots {
            func.new_slot(kind, bytes, align);
        }
        let frame = layout(&mut func, &toy::machine(), save, area);
        (frame, func.slots.as_slice().iter().map(|row| row.offset).collect())
    }

    const SLOTS: [(SlotKind, u32, u32); 7] = [
        (SlotKind::Local, 400_000, 4),
        (SlotKind::Spill, 4, 4),
        (SlotKind::Outgoing, 24, 8),
        (SlotKind::Spill, 8, 8),
        (SlotKind::Local, 12, 16),
        (SlotKind::Incoming(8), 8, 8),
        (SlotKind::Outgoing, 8, 8),
    ];

    #[test]
    fn slots_lie_in_their_order_aligned_and_apart() {
        let (frame, at) = frame(SaveArea::Bottom, 16, &SLOTS);
        // Outgoing 0..24, spills 24..36, saves 40..56, locals 64..76 and 76..400076, rounded to 16.
        assert_eq!(frame, Ok(Frame { save_offset: 40, bytes: 400_080 }));
        assert_eq!(at, [76, 32, 0, 24, 64, 400_088, 0]);
    }

    #[test]
    fn saves_at_the_top_touch_the_incoming_arguments() {
        let (frame, at) = frame(SaveArea::Top, 16, &SLOTS);
        assert_eq!(frame, Ok(Frame { save_offset: 400_064, bytes: 400_080 }));
        assert_eq!(at, [60, 32, 0, 24, 48, 400_088, 0]);
    }

    #[test]
    fn nothing_needs_no_frame_and_too_much_is_an_error() {
        assert_eq!(frame(SaveArea::Bottom, 0, &[]).0, Ok(Frame { save_offset: 0, bytes: 0 }));
        let large = (SlotKind::Local, 1 << 30, 4);
        assert!(frame(SaveArea::Bottom, 0, &[large]).0.is_ok());
        assert_eq!(frame(SaveArea::Bottom, 0, &[large, large]).0, Err(FrameTooLarge));
    }
}
