//! The runtime library's machine code: start, system calls, `putf`, and memory for the code that selection
//! makes.

use super::registers::{LR, SP};
use super::rows::control::*;
use super::rows::int::*;
use super::rows::memory::*;
use super::rows::vector::{LDP_Q, LDR_Q, STP_Q, STR_Q, VDUP_W};
use crate::isa::compare::Cond;
use crate::isa::stub::{Line, Stub, Stubs, branch, call, line};
use crate::mir::PReg;
use Line::Block;

const fn x(number: u8) -> PReg {
    PReg::int(number)
}

const fn d(number: u8) -> PReg {
    PReg::float(number)
}

/// The table. Of variable arguments, doubles go to `v0`-`v7`, ints to `x1`-`x7`, and what is left to the
/// stack.
pub static STUBS: Stubs = Stubs {
    constants: "const int ARGUMENT_WORDS = 2; const int FLOAT_ARGUMENTS = 8; const int NANOSECONDS = 2;\n",
    stubs: &[
        Stub { name: "_start", lines: START },
        Stub { name: "sysy.read", lines: &[COUNT, line(MOVZ_X0, &[x(8)], &[], 63), SYSTEM, RETURN] },
        Stub { name: "sysy.write", lines: &[COUNT, line(MOVZ_X0, &[x(8)], &[], 64), SYSTEM, RETURN] },
        Stub { name: "sysy.open", lines: &[line(MOVZ_X0, &[x(8)], &[], 56), SYSTEM, RETURN] },
        Stub { name: "sysy.ioctl", lines: &[line(MOVZ_X0, &[x(8)], &[], 29), SYSTEM, RETURN] },
        Stub { name: "sysy.clock", lines: &[line(MOVZ_X0, &[x(8)], &[], 113), SYSTEM, RETURN] },
        Stub { name: "sysy.exit", lines: &[line(MOVZ_X0, &[x(8)], &[], 94), SYSTEM, RETURN] },
        Stub { name: "putf", lines: PUTF },
        Stub { name: "putf.ints", lines: PUTF },
        Stub { name: "dprintf", lines: DPRINTF },
        Stub { name: "memset", lines: MEMSET },
        Stub { name: "memcpy", lines: MEMCPY },
    ],
};

const RETURN: Line = line(RET, &[], &[], 0);
const SYSTEM: Line = line(SVC, &[], &[], 0);
/// An int as the kernel's `size_t`.
const COUNT: Line = line(MOV_W, &[x(2)], &[x(2)], 0);

const fn b(cond: Cond, to: u32) -> Line {
    branch(crate::mir::MachineOp(B_COND.0 + cond as u16), &[], 0, to)
}

/// Asks for a stack of 512 MB that takes memory only where it is used, then for half of what was refused,
/// down to 64 MB; the system's own is what remains.
const START: &[Line] = &[
    line(MOVZ_X16, &[x(1)], &[], 0x2000),
    Block, // 1
    line(MOVZ_X0, &[x(0)], &[], 0),
    line(MOVZ_X0, &[x(2)], &[], 3),      // PROT_READ | PROT_WRITE
    line(MOVZ_X0, &[x(3)], &[], 0x4022), // MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    line(MOVN_X0, &[x(4)], &[], 0),
    line(MOVZ_X0, &[x(5)], &[], 0),
    line(MOVZ_X0, &[x(8)], &[], 222), // mmap
    SYSTEM,
    line(CMP_X_IMM, &[], &[x(0)], 0),
    b(Cond::Ge, 4),
    Block, // 2
    line(LSR_X_IMM, &[x(1)], &[x(1)], 1),
    line(CMP_X_IMM12, &[], &[x(1)], 0x400),
    b(Cond::Hs, 5),
    Block, // 3
    branch(B, &[], 0, 6),
    Block, // 4
    line(ADD_X, &[x(9)], &[x(0), x(1)], 0),
    line(ADD_X_IMM, &[SP], &[x(9)], 0),
    branch(B, &[], 0, 6),
    Block, // 5
    branch(B, &[], 0, 1),
    Block, // 6
    line(ADD_X_IMM, &[x(0)], &[x(1)], 0),
    call(BL, "sysy.start"),
    line(BRK, &[], &[], 0),
];

/// Doubles, then ints, right below the arguments on the stack.
const PUTF: &[Line] = &[
    line(SUB_X_IMM, &[SP], &[SP], 128),
    line(STR_X, &[], &[LR, SP], 0),
    line(STP_D, &[], &[d(0), d(1), SP], 8),
    line(STP_D, &[], &[d(2), d(3), SP], 24),
    line(STP_D, &[], &[d(4), d(5), SP], 40),
    line(STP_D, &[], &[d(6), d(7), SP], 56),
    line(STP_X, &[], &[x(1), x(2), SP], 72),
    line(STP_X, &[], &[x(3), x(4), SP], 88),
    line(STP_X, &[], &[x(5), x(6), SP], 104),
    line(STR_X, &[], &[x(7), SP], 120),
    line(ADD_X_IMM, &[x(1)], &[SP], 72),
    call(BL, "sysy.print_format"),
    line(LDR_X, &[LR], &[SP], 0),
    line(ADD_X_IMM, &[SP], &[SP], 128),
    RETURN,
];

/// The same; the stream comes first, and what is called gets stream, area and format.
const DPRINTF: &[Line] = &[
    line(SUB_X_IMM, &[SP], &[SP], 128),
    line(STR_X, &[], &[LR, SP], 0),
    line(STP_D, &[], &[d(0), d(1), SP], 8),
    line(STP_D, &[], &[d(2), d(3), SP], 24),
    line(STP_D, &[], &[d(4), d(5), SP], 40),
    line(STP_D, &[], &[d(6), d(7), SP], 56),
    line(STP_X, &[], &[x(1), x(2), SP], 72),
    line(STP_X, &[], &[x(3), x(4), SP], 88),
    line(STP_X, &[], &[x(5), x(6), SP], 104),
    line(STR_X, &[], &[x(7), SP], 120),
    line(MOV_X, &[x(2)], &[x(1)], 0),
    line(ADD_X_IMM, &[x(1)], &[SP], 72),
    call(BL, "sysy.print_to"),
    line(LDR_X, &[LR], &[SP], 0),
    line(ADD_X_IMM, &[SP], &[SP], 128),
    RETURN,
];

/// 64 bytes at a time, in 5 instructions, then 32, 16, 8, 4, and the rest: the machine does not ask for alignment.
const MEMSET: &[Line] = &[
    line(MOV_X, &[x(3)], &[x(0)], 0),
    line(MOV_W, &[x(2)], &[x(2)], 0),
    line(AND_W_IMM, &[x(1)], &[x(1)], 255),
    line(ORR_X_LSL, &[x(1)], &[x(1), x(1)], 8),
    line(ORR_X_LSL, &[x(1)], &[x(1), x(1)], 16),
    line(ORR_X_LSL, &[x(1)], &[x(1), x(1)], 32),
    line(VDUP_W, &[d(0)], &[x(1)], 0),
    line(AND_W_IMM, &[x(5)], &[x(2)], 63),
    line(SUB_X, &[x(4)], &[x(2), x(5)], 0),
    line(ADD_X, &[x(4)], &[x(4), x(3)], 0),
    line(CMP_X, &[], &[x(3), x(4)], 0),
    b(Cond::Hs, 2),
    Block, // 1
    line(STP_Q, &[], &[d(0), d(0), x(3)], 0),
    line(STP_Q, &[], &[d(0), d(0), x(3)], 32),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 64),
    line(CMP_X, &[], &[x(3), x(4)], 0),
    b(Cond::Lo, 1),
    Block, // 2
    branch(TBZ, &[x(2)], 5, 4),
    Block, // 3
    line(STP_Q, &[], &[d(0), d(0), x(3)], 0),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 32),
    Block, // 4
    branch(TBZ, &[x(2)], 4, 6),
    Block, // 5
    line(STR_Q, &[], &[d(0), x(3)], 0),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 16),
    Block, // 6
    branch(TBZ, &[x(2)], 3, 8),
    Block, // 7
    line(STR_X, &[], &[x(1), x(3)], 0),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 8),
    Block, // 8
    branch(TBZ, &[x(2)], 2, 10),
    Block, // 9
    line(STR_W, &[], &[x(1), x(3)], 0),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 4),
    Block, // 10
    line(AND_W_IMM, &[x(2)], &[x(2)], 3),
    Block, // 11
    branch(CBZ_X, &[x(2)], 0, 13),
    Block, // 12
    line(STRB, &[], &[x(1), x(3)], 0),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 1),
    line(SUB_X_IMM, &[x(2)], &[x(2)], 1),
    branch(B, &[], 0, 11),
    Block, // 13
    RETURN,
];

/// 64 bytes at a time, in 8 instructions, then 32, 16, 8, 4, and the rest.
const MEMCPY: &[Line] = &[
    line(MOV_X, &[x(3)], &[x(0)], 0),
    line(MOV_W, &[x(2)], &[x(2)], 0),
    line(AND_W_IMM, &[x(5)], &[x(2)], 63),
    line(SUB_X, &[x(4)], &[x(2), x(5)], 0),
    line(ADD_X, &[x(4)], &[x(4), x(3)], 0),
    line(CMP_X, &[], &[x(3), x(4)], 0),
    b(Cond::Hs, 2),
    Block, // 1
    line(LDP_Q, &[d(0), d(1)], &[x(1)], 0),
    line(LDP_Q, &[d(2), d(3)], &[x(1)], 32),
    line(STP_Q, &[], &[d(0), d(1), x(3)], 0),
    line(STP_Q, &[], &[d(2), d(3), x(3)], 32),
    line(ADD_X_IMM, &[x(1)], &[x(1)], 64),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 64),
    line(CMP_X, &[], &[x(3), x(4)], 0),
    b(Cond::Lo, 1),
    Block, // 2
    branch(TBZ, &[x(2)], 5, 4),
    Block, // 3
    line(LDP_Q, &[d(0), d(1)], &[x(1)], 0),
    line(STP_Q, &[], &[d(0), d(1), x(3)], 0),
    line(ADD_X_IMM, &[x(1)], &[x(1)], 32),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 32),
    Block, // 4
    branch(TBZ, &[x(2)], 4, 6),
    Block, // 5
    line(LDR_Q, &[d(0)], &[x(1)], 0),
    line(STR_Q, &[], &[d(0), x(3)], 0),
    line(ADD_X_IMM, &[x(1)], &[x(1)], 16),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 16),
    Block, // 6
    branch(TBZ, &[x(2)], 3, 8),
    Block, // 7
    line(LDR_X, &[x(4)], &[x(1)], 0),
    line(STR_X, &[], &[x(4), x(3)], 0),
    line(ADD_X_IMM, &[x(1)], &[x(1)], 8),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 8),
    Block, // 8
    branch(TBZ, &[x(2)], 2, 10),
    Block, // 9
    line(LDR_W, &[x(4)], &[x(1)], 0),
    line(STR_W, &[], &[x(4), x(3)], 0),
    line(ADD_X_IMM, &[x(1)], &[x(1)], 4),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 4),
    Block, // 10
    line(AND_W_IMM, &[x(2)], &[x(2)], 3),
    Block, // 11
    branch(CBZ_X, &[x(2)], 0, 13),
    Block, // 12
    line(LDRB, &[x(4)], &[x(1)], 0),
    line(STRB, &[], &[x(4), x(3)], 0),
    line(ADD_X_IMM, &[x(1)], &[x(1)], 1),
    line(ADD_X_IMM, &[x(3)], &[x(3)], 1),
    line(SUB_X_IMM, &[x(2)], &[x(2)], 1),
    branch(B, &[], 0, 11),
    Block, // 13
    RETURN,
];
