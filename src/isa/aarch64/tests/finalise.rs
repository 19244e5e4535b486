//! Prologues, epilogues and frame references, as text, for functions whose registers are given by hand.

use crate::base::Handle;
use crate::isa::aarch64::rows::control::{GET_SP, RETURN_VALUE, SET_SP, TAKE};
use crate::isa::aarch64::rows::float::{LI_D, LI_S};
use crate::isa::aarch64::rows::int::{LI_W, LI_X};
use crate::isa::aarch64::rows::memory::{LDR_X_SLOT, SLOT_ADDRESS, STP_X_SLOT, STR_W_SLOT};
use crate::isa::aarch64::{TARGET, registers::MACHINE};
use crate::isa::frame::lay_out_and_finalise;
use crate::isa::{symbols::Symbols, text};
use crate::mir::func::BlockRow;
use crate::mir::{Block, Func, Inst, MachineOp, Operand, PReg, PRegSet, SlotKind};

/// Opcode, definitions, uses, immediate, symbol.
type Row<'a> = (MachineOp, &'a [Operand], &'a [Operand], i32, u32);

/// The text of a function of these rows.
fn finalised(func: &mut Func, rows: &[Row]) -> String {
    let entry = (crate::mir::desc::ENTRY, &[][..], &[][..], 0, 0);
    let ret = (RETURN_VALUE, &[][..], &[][..], 0, 0);
    for &(op, defs, uses, imm, sym) in [entry].iter().chain(rows).chain([&ret]) {
        let row = func.make_row(op, defs, uses, imm, sym);
        func.insts.push(row);
    }
    let (first, end) = (Inst::new(0), Inst::new(func.insts.len()));
    let none = crate::base::Opt::NONE;
    func.blocks.push(BlockRow {
        first,
        end,
        succs: [none; 2],
        first_pred: 0,
        pred_count: 0,
        loop_depth: 0,
        frequency: 1024,
    });
    lay_out_and_finalise(func, TARGET.frames);
    let lines = func.rows(Block::new(0)).map(|i| {
        let mut line = String::new();
        text::instruction(&mut line, func, i, &MACHINE, &Symbols::default());
        line
    });
    lines.collect::<Vec<_>>().join("; ")
}

fn x(n: u8) -> Operand {
    Operand::phys(PReg::int(n))
}

fn v(n: u8) -> Operand {
    Operand::phys(PReg::float(n))
}

#[test]
fn a_leaf_without_locals_has_no_frame() {
    assert_eq!(finalised(&mut Func::default(), &[]), "ret");
}

#[test]
fn saves_are_pushed_in_pairs_below_the_caller_and_locals_below_them() {
    let saved = PRegSet::of(&[PReg::int(19), PReg::int(20), PReg::float(8)]);
    let mut func = Func { saved, has_calls: true, ..Func::default() };
    func.new_slot(SlotKind::Local, 40, 8);
    func.new_slot(SlotKind::Incoming(8), 8, 8);
    func.new_slot(SlotKind::Outgoing, 8, 16);
    let text = finalised(&mut func, &[(LDR_X_SLOT, &[x(0)], &[Operand::FRAME], 0, 1)]);
    assert_eq!(
        text,
        "stp x19, x20, [sp, #-48]!; str x30, [sp, #16]; str d8, [sp, #32]; sub sp, sp, #48; \
         ldr x0, [sp, #104]; \
         add sp, sp, #48; ldr d8, [sp, #32]; ldr x30, [sp, #16]; ldp x19, x20, [sp], #48; ret"
    );
}

#[test]
fn a_small_frame_is_made_by_the_push() {
    for (bytes, expected) in [
        (24, "str x30, [sp, #-48]!; add x0, sp, #16; ldr x30, [sp], #48; ret"),
        (
            256,
            "str x30, [sp, #-16]!; sub sp, sp, #256; add x0, sp, #0; add sp, sp, #256; ldr x30, [sp], #16; ret",
        ),
    ] {
        let mut func = Func { has_calls: true, ..Func::default() };
        func.new_slot(SlotKind::Local, bytes, 8);
        let text = finalised(&mut func, &[(SLOT_ADDRESS, &[x(0)], &[Operand::FRAME], 0, 0)]);
        assert_eq!(text, expected);
    }
}

#[test]
fn places_out_of_reach_go_through_x17() {
    let mut func = Func::default();
    let near = func.new_slot(SlotKind::Local, 16, 8).index() as u32;
    let far = func.new_slot(SlotKind::Local, 20_000_000, 16).index() as u32;
    let frame = [Operand::FRAME];
    let text = finalised(
        &mut func,
        &[
            (STP_X_SLOT, &[], &[x(31), x(31), Operand::FRAME], 0, near),
            (STR_W_SLOT, &[], &[x(1), Operand::FRAME], 16384, far),
            (STR_W_SLOT, &[], &[x(1), Operand::FRAME], 19_000_000, far),
            (SLOT_ADDRESS, &[x(2)], &frame, 4096, far),
            (STP_X_SLOT, &[], &[x(31), x(31), Operand::FRAME], 1024, far),
        ],
    );
    assert_eq!(
        text,
        "mov x17, #11536; movk x17, #305, lsl #16; sub sp, sp, x17, uxtx #0; \
         stp xzr, xzr, [sp, #0]; add x17, sp, #4, lsl #12; str w1, [x17, #16]; mov x17, #60112; \
         movk x17, #289, lsl #16; add x17, sp, x17, uxtx #0; str w1, [x17, #0]; add x2, sp, #1, lsl #12; \
         add x2, x2, #16; add x17, sp, #1040; stp xzr, xzr, [x17, #0]; mov x17, #11536; \
         movk x17, #305, lsl #16; add sp, sp, x17, uxtx #0; ret"
    );
}

#[test]
fn constants() {
    let mut func = Func::default();
    func.wide.push(0.1f64.to_bits() as i64);
    let text = finalised(
        &mut func,
        &[
            (LI_W, &[x(0)], &[], -65537, 0),
            (LI_X, &[x(1)], &[], 0x12345, 0),
            (LI_S, &[v(0)], &[], 0, 0),
            (LI_S, &[v(1)], &[], 1.0f32.to_bits() as i32, 0),
            (LI_S, &[v(2)], &[], 0.1f32.to_bits() as i32, 0),
            (LI_D, &[v(3)], &[], 0, 0),
        ],
    );
    assert_eq!(
        text,
        "movn w0, #1, lsl #16; mov x1, #9029; movk x1, #1, lsl #16; fmov s0, wzr; \
         fmov s1, #10000000e-7; mov w17, #52429; movk w17, #15820, lsl #16; fmov s2, w17; \
         mov x17, #39322; movk x17, #39321, lsl #16; movk x17, #39321, lsl #32; \
         movk x17, #16313, lsl #48; fmov d3, x17; ret"
    );
}

#[test]
fn places_below_the_frame_are_out_of_bounds_and_still_legal() {
    let mut func = Func::default();
    func.new_slot(SlotKind::Local, 16, 16);
    let near = finalised(&mut func, &[(STR_W_SLOT, &[], &[x(0), Operand::FRAME], -4, 0)]);
    assert_eq!(near, "sub sp, sp, #16; stur w0, [sp, #-4]; add sp, sp, #16; ret");
    let mut func = Func::default();
    func.new_slot(SlotKind::Local, 16, 16);
    let far = finalised(&mut func, &[(STR_W_SLOT, &[], &[x(0), Operand::FRAME], -300, 0)]);
    assert_eq!(far, "sub sp, sp, #16; sub x17, sp, #300; str w0, [x17, #0]; add sp, sp, #16; ret");
}

#[test]
fn where_the_stack_pointer_moves_slots_count_from_a_register_and_arguments_from_it() {
    let mut func = Func { framed: true, has_calls: true, ..Func::default() };
    let local = func.new_slot(SlotKind::Local, 8, 8).index() as u32;
    let outgoing = func.new_slot(SlotKind::Outgoing, 24, 8).index() as u32;
    let rows: &[Row] = &[
        (TAKE, &[x(0)], &[x(1)], 5, 0),
        (STR_W_SLOT, &[], &[x(0), Operand::FRAME], 0, local),
        (STR_W_SLOT, &[], &[x(2), Operand::FRAME], 16, outgoing),
        (GET_SP, &[x(3)], &[], 0, 0),
        (SET_SP, &[], &[x(3)], 0, 0),
    ];
    assert_eq!(
        finalised(&mut func, rows),
        "stp x29, x30, [sp, #-16]!; sub sp, sp, #32; add x29, sp, #0; \
         add x17, sp, #24; sub x17, x17, x1; and x0, x17, #-32; sub sp, x0, #32; \
         str w0, [x29, #24]; str w2, [sp, #16]; add x3, sp, #0; add sp, x3, #0; \
         add sp, x29, #0; add sp, sp, #32; ldp x29, x30, [sp], #16; ret"
    );
}

#[test]
fn registers_that_follow_one_another_are_accessed_at_once_and_others_lane_by_lane() {
    use crate::isa::aarch64::rows::vector::{COPY_2, COPY_3, IN_TURN_2, IN_TURN_4, OUT_IN_TURN_3};
    let of = |op: MachineOp, defs: &[u8], uses: &[u8], base: bool| {
        let [defs, mut uses] = [defs, uses].map(|all| all.iter().map(|&n| v(n)).collect::<Vec<_>>());
        uses.extend(base.then_some(x(3)));
        finalised(&mut Func::default(), &[(op, &defs, &uses, 0, 0)]).replace("; ret", "")
    };
    assert_eq!(of(IN_TURN_2, &[4, 5], &[], true), "ld2 {v4.4s, v5.4s}, [x3]");
    assert_eq!(of(IN_TURN_4, &[30, 31, 0, 1], &[], true), "ld4 {v30.4s, v31.4s, v0.4s, v1.4s}, [x3]");
    assert_eq!(of(OUT_IN_TURN_3, &[], &[0, 1, 2], true), "st3 {v0.4s, v1.4s, v2.4s}, [x3]");
    let apart = of(IN_TURN_2, &[5, 4], &[], true);
    assert!(
        apart.starts_with(
            "add x17, x3, #0; ld1 {v5.s}[0], [x17], #4; ld1 {v4.s}[0], [x17], #4; ld1 {v5.s}[1]"
        ),
        "{apart}"
    );
    assert_eq!(apart.matches("ld1").count(), 8);
    assert_eq!(of(OUT_IN_TURN_3, &[], &[0, 2, 1], true).matches("st1").count(), 12);
    // Copies at once: one by one, and around.
    assert_eq!(of(COPY_2, &[1, 2], &[2, 3], false), "mov v1.16b, v2.16b; mov v2.16b, v3.16b");
    assert_eq!(of(COPY_2, &[1, 2], &[1, 1], false), "mov v2.16b, v1.16b");
    assert_eq!(
        of(COPY_3, &[1, 2, 3], &[0, 1, 2], false),
        "mov v3.16b, v2.16b; mov v2.16b, v1.16b; mov v1.16b, v0.16b"
    );
    let swap = "eor v1.16b, v1.16b, v2.16b; eor v2.16b, v1.16b, v2.16b; eor v1.16b, v1.16b, v2.16b";
    assert_eq!(of(COPY_2, &[1, 2], &[2, 1], false), swap);
    assert_eq!(of(COPY_3, &[1, 2, 3], &[2, 3, 1], false).matches("eor").count(), 6);
}
