//! The runtime library's machine code: start, system calls, `putf`, and memory for the code that selection
//! makes.

use super::registers::*;
use super::rows::*;
use crate::isa::stub::{Line, Stub, Stubs, branch, call, line};
use Line::Block;

/// The table. A variable argument takes a register from `a1` on or 8 bytes of the stack, whatever it is.
pub static STUBS: Stubs = Stubs {
    constants: "const int ARGUMENT_WORDS = 2; const int FLOAT_ARGUMENTS = 0; const int NANOSECONDS = 2;\n",
    stubs: &[
        Stub { name: "_start", lines: START },
        Stub {
            name: "sysy.read",
            lines: &[line(ADDI, &[A7], &[ZERO], 63), line(ECALL, &[], &[], 0), RETURN],
        },
        Stub {
            name: "sysy.write",
            lines: &[line(ADDI, &[A7], &[ZERO], 64), line(ECALL, &[], &[], 0), RETURN],
        },
        Stub {
            name: "sysy.open",
            lines: &[line(ADDI, &[A7], &[ZERO], 56), line(ECALL, &[], &[], 0), RETURN],
        },
        Stub {
            name: "sysy.ioctl",
            lines: &[line(ADDI, &[A7], &[ZERO], 29), line(ECALL, &[], &[], 0), RETURN],
        },
        Stub {
            name: "sysy.clock",
            lines: &[line(ADDI, &[A7], &[ZERO], 113), line(ECALL, &[], &[], 0), RETURN],
        },
        Stub {
            name: "sysy.exit",
            lines: &[line(ADDI, &[A7], &[ZERO], 94), line(ECALL, &[], &[], 0), RETURN],
        },
        Stub { name: "putf", lines: PUTF },
        Stub { name: "putf.ints", lines: PUTF },
        Stub { name: "dprintf", lines: DPRINTF },
        Stub { name: "memset", lines: MEMSET },
        Stub { name: "memcpy", lines: MEMCPY },
    ],
};

const RETURN: Line = line(RET, &[], &[], 0);

/// Asks for a stack of 512 MB that takes memory only where it is used, then for half of what was refused,
/// down to 64 MB; the system's own is what remains.
const START: &[Line] = &[
    line(LUI, &[A1], &[], 0x20000),
    Block, // 1
    line(ADDI, &[A0], &[ZERO], 0),
    line(ADDI, &[A2], &[ZERO], 3),  // PROT_READ | PROT_WRITE
    line(LUI, &[A3], &[], 4),       // MAP_NORESERVE
    line(ADDI, &[A3], &[A3], 0x22), // MAP_PRIVATE | MAP_ANONYMOUS
    line(ADDI, &[A4], &[ZERO], -1),
    line(ADDI, &[A5], &[ZERO], 0),
    line(ADDI, &[A7], &[ZERO], 222), // mmap
    line(ECALL, &[], &[], 0),
    branch(BGE, &[A0, ZERO], 0, 4),
    Block, // 2
    line(SRLI, &[A1], &[A1], 1),
    line(LUI, &[A2], &[], 0x4000),
    branch(BGEU, &[A1, A2], 0, 1),
    Block, // 3
    branch(J, &[], 0, 5),
    Block, // 4
    line(ADD, &[SP], &[A0, A1], 0),
    Block, // 5
    line(ADDI, &[A0], &[A1], 0),
    call(CALL_FUNC, "sysy.start"),
    line(UNIMP, &[], &[], 0),
];

/// The argument registers go right below the arguments on the stack.
const PUTF: &[Line] = &[
    line(ADDI, &[SP], &[SP], -64),
    line(SD, &[], &[RA, SP], 0),
    line(SD, &[], &[A1, SP], 8),
    line(SD, &[], &[A2, SP], 16),
    line(SD, &[], &[A3, SP], 24),
    line(SD, &[], &[A4, SP], 32),
    line(SD, &[], &[A5, SP], 40),
    line(SD, &[], &[A6, SP], 48),
    line(SD, &[], &[A7, SP], 56),
    line(ADDI, &[A1], &[SP], 8),
    call(CALL_FUNC, "sysy.print_format"),
    line(LD, &[RA], &[SP], 0),
    line(ADDI, &[SP], &[SP], 64),
    RETURN,
];

/// The same; the stream comes first, and what is called gets stream, area and format.
const DPRINTF: &[Line] = &[
    line(ADDI, &[SP], &[SP], -64),
    line(SD, &[], &[RA, SP], 0),
    line(SD, &[], &[A1, SP], 8),
    line(SD, &[], &[A2, SP], 16),
    line(SD, &[], &[A3, SP], 24),
    line(SD, &[], &[A4, SP], 32),
    line(SD, &[], &[A5, SP], 40),
    line(SD, &[], &[A6, SP], 48),
    line(SD, &[], &[A7, SP], 56),
    line(ADDI, &[A2], &[A1], 0),
    line(ADDI, &[A1], &[SP], 8),
    call(CALL_FUNC, "sysy.print_to"),
    line(LD, &[RA], &[SP], 0),
    line(ADDI, &[SP], &[SP], 64),
    RETURN,
];

/// Up to a multiple of 8, 64 bytes at a time, 8 at a time, and the rest: 10 instructions for 64 bytes.
const MEMSET: &[Line] = &[
    line(ADDI, &[T0], &[A0], 0),
    line(ADD, &[T1], &[A0, A2], 0),
    line(ANDI, &[A1], &[A1], 255),
    line(SLLI, &[T2], &[A1], 8),
    line(OR, &[A1], &[A1, T2], 0),
    line(SLLI, &[T2], &[A1], 16),
    line(OR, &[A1], &[A1, T2], 0),
    line(SLLI, &[T2], &[A1], 32),
    line(OR, &[A1], &[A1, T2], 0),
    Block, // 1
    line(ANDI, &[T2], &[T0], 7),
    branch(BEQ, &[T2, ZERO], 0, 7),
    Block, // 2
    branch(BGEU, &[T0, T1], 0, 15),
    Block, // 3
    line(ADDI, &[T2], &[T2], -4),
    branch(BNE, &[T2, ZERO], 0, 6),
    Block, // 4
    line(SUB, &[T2], &[T1, T0], 0),
    line(SLTIU, &[T2], &[T2], 4),
    branch(BNE, &[T2, ZERO], 0, 6),
    Block, // 5
    line(SW, &[], &[A1, T0], 0),
    line(ADDI, &[T0], &[T0], 4),
    branch(J, &[], 0, 7),
    Block, // 6
    line(SB, &[], &[A1, T0], 0),
    line(ADDI, &[T0], &[T0], 1),
    branch(J, &[], 0, 1),
    Block, // 7
    line(SUB, &[T2], &[T1, T0], 0),
    line(ANDI, &[T3], &[T2], -64),
    line(ADD, &[T3], &[T3, T0], 0),
    line(ANDI, &[T4], &[T2], -8),
    line(ADD, &[T4], &[T4, T0], 0),
    branch(BGEU, &[T0, T3], 0, 9),
    Block, // 8
    line(SD, &[], &[A1, T0], 0),
    line(SD, &[], &[A1, T0], 8),
    line(SD, &[], &[A1, T0], 16),
    line(SD, &[], &[A1, T0], 24),
    line(SD, &[], &[A1, T0], 32),
    line(SD, &[], &[A1, T0], 40),
    line(SD, &[], &[A1, T0], 48),
    line(SD, &[], &[A1, T0], 56),
    line(ADDI, &[T0], &[T0], 64),
    branch(BLTU, &[T0, T3], 0, 8),
    Block, // 9
    branch(BGEU, &[T0, T4], 0, 11),
    Block, // 10
    line(SD, &[], &[A1, T0], 0),
    line(ADDI, &[T0], &[T0], 8),
    branch(BLTU, &[T0, T4], 0, 10),
    Block, // 11
    line(ANDI, &[T2], &[T2], 4),
    branch(BEQ, &[T2, ZERO], 0, 13),
    Block, // 12
    line(SW, &[], &[A1, T0], 0),
    line(ADDI, &[T0], &[T0], 4),
    Block, // 13
    branch(BGEU, &[T0, T1], 0, 15),
    Block, // 14
    line(SB, &[], &[A1, T0], 0),
    line(ADDI, &[T0], &[T0], 1),
    branch(J, &[], 0, 13),
    Block, // 15
    RETURN,
];

/// If both addresses have the same rest modulo 8, which is 0 or 4: 64 bytes at a time, 19 instructions, then
/// 8 at a time. Words, 16 bytes at a time, if both are multiples of 4; bytes for the rest and otherwise.
const MEMCPY: &[Line] = &[
    line(ADDI, &[T0], &[A0], 0),
    line(ADD, &[T1], &[A0, A2], 0),
    line(OR, &[T2], &[A0, A1], 0),
    line(ANDI, &[T2], &[T2], 3),
    branch(BNE, &[T2, ZERO], 0, 13),
    Block, // 1
    line(XOR, &[T2], &[A0, A1], 0),
    line(ANDI, &[T2], &[T2], 4),
    branch(BNE, &[T2, ZERO], 0, 8),
    Block, // 2
    line(SLTIU, &[T2], &[A2], 16),
    branch(BNE, &[T2, ZERO], 0, 8),
    Block, // 3
    line(ANDI, &[T2], &[T0], 4),
    branch(BEQ, &[T2, ZERO], 0, 5),
    Block, // 4
    line(LW, &[A3], &[A1], 0),
    line(SW, &[], &[A3, T0], 0),
    line(ADDI, &[A1], &[A1], 4),
    line(ADDI, &[T0], &[T0], 4),
    Block, // 5
    line(SUB, &[T2], &[T1, T0], 0),
    line(ANDI, &[T3], &[T2], -64),
    line(ADD, &[T3], &[T3, T0], 0),
    line(ANDI, &[T4], &[T2], -8),
    line(ADD, &[T4], &[T4, T0], 0),
    branch(BGEU, &[T0, T3], 0, 7),
    Block, // 6
    line(LD, &[A2], &[A1], 0),
    line(LD, &[A3], &[A1], 8),
    line(LD, &[A4], &[A1], 16),
    line(LD, &[A5], &[A1], 24),
    line(LD, &[A6], &[A1], 32),
    line(LD, &[A7], &[A1], 40),
    line(LD, &[T5], &[A1], 48),
    line(LD, &[T6], &[A1], 56),
    line(SD, &[], &[A2, T0], 0),
    line(SD, &[], &[A3, T0], 8),
    line(SD, &[], &[A4, T0], 16),
    line(SD, &[], &[A5, T0], 24),
    line(SD, &[], &[A6, T0], 32),
    line(SD, &[], &[A7, T0], 40),
    line(SD, &[], &[T5, T0], 48),
    line(SD, &[], &[T6, T0], 56),
    line(ADDI, &[A1], &[A1], 64),
    line(ADDI, &[T0], &[T0], 64),
    branch(BLTU, &[T0, T3], 0, 6),
    Block, // 7
    branch(BLTU, &[T0, T4], 0, 16),
    Block, // 8
    line(SUB, &[T2], &[T1, T0], 0),
    line(ANDI, &[T3], &[T2], -16),
    line(ADD, &[T3], &[T3, T0], 0),
    line(ANDI, &[T4], &[T2], -4),
    line(ADD, &[T4], &[T4, T0], 0),
    Block, // 9
    branch(BGEU, &[T0, T3], 0, 11),
    Block, // 10
    line(LW, &[A3], &[A1], 0),
    line(LW, &[A4], &[A1], 4),
    line(LW, &[A5], &[A1], 8),
    line(LW, &[A6], &[A1], 12),
    line(SW, &[], &[A3, T0], 0),
    line(SW, &[], &[A4, T0], 4),
    line(SW, &[], &[A5, T0], 8),
    line(SW, &[], &[A6, T0], 12),
    line(ADDI, &[A1], &[A1], 16),
    line(ADDI, &[T0], &[T0], 16),
    branch(BLTU, &[T0, T3], 0, 10),
    Block, // 11
    branch(BGEU, &[T0, T4], 0, 13),
    Block, // 12
    line(LW, &[A3], &[A1], 0),
    line(SW, &[], &[A3, T0], 0),
    line(ADDI, &[A1], &[A1], 4),
    line(ADDI, &[T0], &[T0], 4),
    branch(BLTU, &[T0, T4], 0, 12),
    Block, // 13
    branch(BLTU, &[T0, T1], 0, 15),
    Block, // 14
    RETURN,
    Block, // 15
    line(LBU, &[A3], &[A1], 0),
    line(SB, &[], &[A3, T0], 0),
    line(ADDI, &[A1], &[A1], 1),
    line(ADDI, &[T0], &[T0], 1),
    branch(J, &[], 0, 13),
    Block, // 16
    line(LD, &[A3], &[A1], 0),
    line(SD, &[], &[A3, T0], 0),
    line(ADDI, &[A1], &[A1], 8),
    line(ADDI, &[T0], &[T0], 8),
    branch(J, &[], 0, 7),
];
