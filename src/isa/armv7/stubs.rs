//! The runtime library's machine code: start, system calls, `putf`, memory for the code that selection makes,
//! and the quotients of processors without instructions for them, under the names of the run-time ABI.

use super::registers::{IP, LR, SP};
use super::rows::*;
use crate::isa::stub::{Line, Stub, Stubs, branch, call, line};
use crate::mir::PReg;
use Line::Block;

const fn r(number: u8) -> PReg {
    PReg::int(number)
}

const fn s(number: u8) -> PReg {
    PReg::float(number)
}

/// The table. Arguments take `r0`-`r3` and then the stack, a double two words from an even one on.
pub static STUBS: Stubs = Stubs {
    constants: "const int ARGUMENT_WORDS = 1; const int FLOAT_ARGUMENTS = 0; const int NANOSECONDS = 1;\n",
    stubs: &[
        Stub { name: "_start", lines: START },
        Stub { name: "sysy.read", lines: &[SAVE, line(MOVW, &[r(7)], &[], 3), SYSTEM, RESTORE] },
        Stub { name: "sysy.write", lines: &[SAVE, line(MOVW, &[r(7)], &[], 4), SYSTEM, RESTORE] },
        Stub { name: "sysy.open", lines: &[SAVE, line(MOVW, &[r(7)], &[], 322), SYSTEM, RESTORE] },
        Stub { name: "sysy.ioctl", lines: &[SAVE, line(MOVW, &[r(7)], &[], 54), SYSTEM, RESTORE] },
        Stub { name: "sysy.clock", lines: &[SAVE, line(MOVW, &[r(7)], &[], 263), SYSTEM, RESTORE] },
        Stub { name: "sysy.exit", lines: &[SAVE, line(MOVW, &[r(7)], &[], 248), SYSTEM, RESTORE] },
        Stub { name: "putf", lines: PUTF },
        Stub { name: "putf.ints", lines: PUTF },
        Stub { name: "dprintf", lines: DPRINTF },
        Stub { name: "memset", lines: MEMSET },
        Stub { name: "memcpy", lines: MEMCPY },
        Stub { name: "__aeabi_uidiv", lines: UNSIGNED },
        Stub { name: "__aeabi_uidivmod", lines: UNSIGNED },
        Stub { name: "__aeabi_idiv", lines: SIGNED },
        Stub { name: "__aeabi_idivmod", lines: SIGNED },
        Stub { name: "__aeabi_uldivmod", lines: LONG_UNSIGNED },
        Stub { name: "__aeabi_ldivmod", lines: LONG_SIGNED },
    ],
};

const RETURN: Line = line(BX_LR, &[], &[], 0);
const SYSTEM: Line = line(SVC, &[], &[], 0);
/// r4 to r7 and the return address: the number of a system call is in r7.
const SAVE: Line = line(PUSH_TO, &[], &[r(7)], 0);
const RESTORE: Line = line(POP_TO, &[], &[r(7)], 0);

/// Asks for a stack of 256 MB that takes memory only where it is used, then for half of what was refused,
/// down to 64 MB; the system's own is what remains. Errors are the numbers from -4095 on.
const START: &[Line] = &[
    line(MOV_I, &[r(1)], &[], 0x1000_0000),
    Block, // 1
    line(MOV_I, &[r(0)], &[], 0),
    line(MOV_I, &[r(2)], &[], 3),     // PROT_READ | PROT_WRITE
    line(MOVW, &[r(3)], &[], 0x4022), // MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    line(MVN_I, &[r(4)], &[], 0),
    line(MOV_I, &[r(5)], &[], 0),
    line(MOV_I, &[r(7)], &[], 192), // mmap2
    SYSTEM,
    line(CMN_I, &[], &[r(0)], 4096),
    branch(B_CC, &[], 0, 4),
    Block, // 2
    line(LSR_I, &[r(1)], &[r(1)], 1),
    line(CMP_I, &[], &[r(1)], 0x400_0000),
    branch(B_CS, &[], 0, 1),
    Block, // 3
    branch(B, &[], 0, 5),
    Block, // 4
    line(ADD, &[SP], &[r(0), r(1)], 0),
    Block, // 5
    line(MOV, &[r(0)], &[r(1)], 0),
    call(BL, "sysy.start"),
    line(UDF, &[], &[], 0),
];

/// The registers go right below the arguments on the stack; the area starts with the format's, at a multiple
/// of 8.
const PUTF: &[Line] = &[
    line(SUB_I, &[SP], &[SP], 24),
    line(STR, &[], &[LR, SP], 0),
    line(STR, &[], &[r(1), SP], 12),
    line(STR, &[], &[r(2), SP], 16),
    line(STR, &[], &[r(3), SP], 20),
    line(ADD_I, &[r(1)], &[SP], 8),
    call(BL, "sysy.print_format"),
    line(LDR, &[LR], &[SP], 0),
    line(ADD_I, &[SP], &[SP], 24),
    RETURN,
];

/// The same; the stream comes first, and what is called gets stream, area and format.
const DPRINTF: &[Line] = &[
    line(SUB_I, &[SP], &[SP], 24),
    line(STR, &[], &[LR, SP], 0),
    line(STR, &[], &[r(1), SP], 12),
    line(STR, &[], &[r(2), SP], 16),
    line(STR, &[], &[r(3), SP], 20),
    line(MOV, &[r(2)], &[r(1)], 0),
    line(ADD_I, &[r(1)], &[SP], 8),
    call(BL, "sysy.print_to"),
    line(LDR, &[LR], &[SP], 0),
    line(ADD_I, &[SP], &[SP], 24),
    RETURN,
];

/// Bytes up to a multiple of 4, then 32 at a time in 4 instructions, 16, 8, 4, and the rest.
const MEMSET: &[Line] = &[
    line(MOV, &[r(3)], &[r(0)], 0),
    line(AND_I, &[r(1)], &[r(1)], 255),
    line(ORR_LSL, &[r(1)], &[r(1), r(1)], 8),
    line(ORR_LSL, &[r(1)], &[r(1), r(1)], 16),
    Block, // 1
    line(CMP_I, &[], &[r(2)], 0),
    branch(B_EQ, &[], 0, 17),
    Block, // 2
    line(TST_I, &[], &[r(3)], 3),
    branch(B_EQ, &[], 0, 4),
    Block, // 3
    line(STRB, &[], &[r(1), r(3)], 0),
    line(ADD_I, &[r(3)], &[r(3)], 1),
    line(SUB_I, &[r(2)], &[r(2)], 1),
    branch(B, &[], 0, 1),
    Block, // 4
    line(CMP_I, &[], &[r(2)], 32),
    branch(B_CC, &[], 0, 8),
    Block, // 5
    line(PUSH_TO, &[], &[r(7)], 0),
    line(MOV, &[r(4)], &[r(1)], 0),
    line(MOV, &[r(5)], &[r(1)], 0),
    line(MOV, &[r(6)], &[r(1)], 0),
    line(MOV, &[r(7)], &[r(1)], 0),
    line(BIC_I, &[IP], &[r(2)], 31),
    line(ADD, &[IP], &[IP, r(3)], 0),
    Block, // 6
    line(STM_R3_R7, &[], &[], 0),
    line(STM_R3_R7, &[], &[], 0),
    line(CMP, &[], &[r(3), IP], 0),
    branch(B_CC, &[], 0, 6),
    Block, // 7
    line(POP_R7_LR, &[], &[], 0),
    Block, // 8
    line(TST_I, &[], &[r(2)], 16),
    branch(B_EQ, &[], 0, 10),
    Block, // 9
    line(STR, &[], &[r(1), r(3)], 0),
    line(STR, &[], &[r(1), r(3)], 4),
    line(STR, &[], &[r(1), r(3)], 8),
    line(STR, &[], &[r(1), r(3)], 12),
    line(ADD_I, &[r(3)], &[r(3)], 16),
    Block, // 10
    line(TST_I, &[], &[r(2)], 8),
    branch(B_EQ, &[], 0, 12),
    Block, // 11
    line(STR, &[], &[r(1), r(3)], 0),
    line(STR, &[], &[r(1), r(3)], 4),
    line(ADD_I, &[r(3)], &[r(3)], 8),
    Block, // 12
    line(TST_I, &[], &[r(2)], 4),
    branch(B_EQ, &[], 0, 14),
    Block, // 13
    line(STR, &[], &[r(1), r(3)], 0),
    line(ADD_I, &[r(3)], &[r(3)], 4),
    Block, // 14
    line(AND_I, &[r(2)], &[r(2)], 3),
    Block, // 15
    line(CMP_I, &[], &[r(2)], 0),
    branch(B_EQ, &[], 0, 17),
    Block, // 16
    line(STRB, &[], &[r(1), r(3)], 0),
    line(ADD_I, &[r(3)], &[r(3)], 1),
    line(SUB_I, &[r(2)], &[r(2)], 1),
    branch(B, &[], 0, 15),
    Block, // 17
    RETURN,
];

/// Words, 32 bytes at a time in 4 instructions, if both addresses are multiples of 4, then 16, 8, 4; bytes for
/// the rest and otherwise.
const MEMCPY: &[Line] = &[
    line(MOV, &[r(3)], &[r(0)], 0),
    line(ORR, &[IP], &[r(0), r(1)], 0),
    line(TST_I, &[], &[IP], 3),
    branch(B_NE, &[], 0, 12),
    Block, // 1
    line(CMP_I, &[], &[r(2)], 32),
    branch(B_CC, &[], 0, 5),
    Block, // 2
    line(PUSH_TO, &[], &[r(11)], 0),
    line(BIC_I, &[IP], &[r(2)], 31),
    line(ADD, &[IP], &[IP, r(3)], 0),
    Block, // 3
    line(LDM_R1_R11, &[], &[], 0),
    line(STM_R3_R11, &[], &[], 0),
    line(CMP, &[], &[r(3), IP], 0),
    branch(B_CC, &[], 0, 3),
    Block, // 4
    line(POP_R11_LR, &[], &[], 0),
    Block, // 5
    line(TST_I, &[], &[r(2)], 16),
    branch(B_EQ, &[], 0, 7),
    Block, // 6
    line(LDR, &[IP], &[r(1)], 0),
    line(STR, &[], &[IP, r(3)], 0),
    line(LDR, &[IP], &[r(1)], 4),
    line(STR, &[], &[IP, r(3)], 4),
    line(LDR, &[IP], &[r(1)], 8),
    line(STR, &[], &[IP, r(3)], 8),
    line(LDR, &[IP], &[r(1)], 12),
    line(STR, &[], &[IP, r(3)], 12),
    line(ADD_I, &[r(1)], &[r(1)], 16),
    line(ADD_I, &[r(3)], &[r(3)], 16),
    Block, // 7
    line(TST_I, &[], &[r(2)], 8),
    branch(B_EQ, &[], 0, 9),
    Block, // 8
    line(LDR, &[IP], &[r(1)], 0),
    line(STR, &[], &[IP, r(3)], 0),
    line(LDR, &[IP], &[r(1)], 4),
    line(STR, &[], &[IP, r(3)], 4),
    line(ADD_I, &[r(1)], &[r(1)], 8),
    line(ADD_I, &[r(3)], &[r(3)], 8),
    Block, // 9
    line(TST_I, &[], &[r(2)], 4),
    branch(B_EQ, &[], 0, 11),
    Block, // 10
    line(LDR, &[IP], &[r(1)], 0),
    line(STR, &[], &[IP, r(3)], 0),
    line(ADD_I, &[r(1)], &[r(1)], 4),
    line(ADD_I, &[r(3)], &[r(3)], 4),
    Block, // 11
    line(AND_I, &[r(2)], &[r(2)], 3),
    Block, // 12
    line(CMP_I, &[], &[r(2)], 0),
    branch(B_EQ, &[], 0, 14),
    Block, // 13
    line(LDRB, &[IP], &[r(1)], 0),
    line(STRB, &[], &[IP, r(3)], 0),
    line(ADD_I, &[r(1)], &[r(1)], 1),
    line(ADD_I, &[r(3)], &[r(3)], 1),
    line(SUB_I, &[r(2)], &[r(2)], 1),
    branch(B, &[], 0, 12),
    Block, // 14
    RETURN,
];

/// r0 / r1 in r0, r0 % r1 in r1, by way of doubles. A quotient that is no integer is at least 1 / divisor
/// below the next one, far more than a double's rounding, so what truncation leaves is exact. A quotient by 0
/// is 0.
const UNSIGNED: &[Line] = &[
    line(CMP_I, &[], &[r(1)], 0),
    branch(B_EQ, &[], 0, 2),
    Block, // 1
    line(VMOV_TO, &[s(0)], &[r(0)], 0),
    line(VMOV_TO, &[s(2)], &[r(1)], 0),
    line(VCVT_D2_U32, &[], &[], 0),
    line(VCVT_D3_U32, &[], &[], 0),
    line(VDIV_D2_D3, &[], &[], 0),
    line(VCVT_U32_D2, &[], &[], 0),
    line(VMOV_FROM, &[r(2)], &[s(0)], 0),
    line(MLS, &[r(1)], &[r(2), r(1), r(0)], 0),
    line(MOV, &[r(0)], &[r(2)], 0),
    RETURN,
    Block, // 2
    line(MOV, &[r(1)], &[r(0)], 0),
    line(MOV_I, &[r(0)], &[], 0),
    RETURN,
];

/// The same of signed numbers. Only a quotient by -1 can be too large: it wraps.
const SIGNED: &[Line] = &[
    line(ADD_I, &[r(2)], &[r(1)], 1),
    line(CMP_I, &[], &[r(2)], 1),
    branch(B_LS, &[], 0, 2),
    Block, // 1
    line(VMOV_TO, &[s(0)], &[r(0)], 0),
    line(VMOV_TO, &[s(2)], &[r(1)], 0),
    line(VCVT_D2_S32, &[], &[], 0),
    line(VCVT_D3_S32, &[], &[], 0),
    line(VDIV_D2_D3, &[], &[], 0),
    line(VCVT_S32_D2, &[], &[], 0),
    line(VMOV_FROM, &[r(2)], &[s(0)], 0),
    line(MLS, &[r(1)], &[r(2), r(1), r(0)], 0),
    line(MOV, &[r(0)], &[r(2)], 0),
    RETURN,
    Block, // 2
    line(CMP_I, &[], &[r(1)], 0),
    branch(B_EQ, &[], 0, 4),
    Block, // 3
    line(RSB_I, &[r(0)], &[r(0)], 0),
    line(MOV_I, &[r(1)], &[], 0),
    RETURN,
    Block, // 4
    line(MOV, &[r(1)], &[r(0)], 0),
    line(MOV_I, &[r(0)], &[], 0),
    RETURN,
];

/// r1:r0 / r3:r2 in r1:r0, the remainder in r3:r2, bit by bit, as many as the quotient may have: the divisor is
/// shifted up to the dividend, and down again. A shift by a register takes its low byte, and from 32 on leaves
/// nothing; one by a negative number is such. A quotient by 0 is 0.
const LONG_UNSIGNED: &[Line] = &[
    line(PUSH_TO, &[], &[r(7)], 0),
    line(MOV_I, &[r(4)], &[], 0),
    line(MOV_I, &[r(5)], &[], 0),
    // Zeros in front of both: those of the low word count if the high one is 0.
    line(CLZ, &[r(6)], &[r(3)], 0),
    line(CMP_I, &[], &[r(3)], 0),
    branch(B_NE, &[], 0, 2),
    Block, // 1
    line(CLZ, &[r(6)], &[r(2)], 0),
    line(ADD_I, &[r(6)], &[r(6)], 32),
    Block, // 2
    line(CLZ, &[IP], &[r(1)], 0),
    line(CMP_I, &[], &[r(1)], 0),
    branch(B_NE, &[], 0, 4),
    Block, // 3
    line(CLZ, &[IP], &[r(0)], 0),
    line(ADD_I, &[IP], &[IP], 32),
    Block, // 4
    line(CMP_I, &[], &[r(6)], 64),
    branch(B_EQ, &[], 0, 7),
    Block, // 5
    // Nothing is shifted if the divisor has more bits.
    line(SUB_FLAGS, &[IP], &[r(6), IP], 0),
    branch(B_MI, &[], 0, 7),
    Block, // 6
    line(SUB_I, &[r(6)], &[IP], 32),
    line(RSB_I, &[r(7)], &[IP], 32),
    line(LSL, &[r(3)], &[r(3), IP], 0),
    line(LSL, &[r(6)], &[r(2), r(6)], 0),
    line(ORR, &[r(3)], &[r(3), r(6)], 0),
    line(LSR, &[r(7)], &[r(2), r(7)], 0),
    line(ORR, &[r(3)], &[r(3), r(7)], 0),
    line(LSL, &[r(2)], &[r(2), IP], 0),
    branch(B, &[], 0, 8),
    Block, // 7
    line(MOV_I, &[IP], &[], 0),
    branch(B, &[], 0, 9),
    Block, // 8
    // The carry is the next bit.
    line(SUB_FLAGS, &[r(6)], &[r(0), r(2)], 0),
    line(SBCS, &[r(7)], &[r(1), r(3)], 0),
    line(MOV_CS, &[r(0)], &[r(0), r(6)], 0),
    line(MOV_CS, &[r(1)], &[r(1), r(7)], 0),
    line(ADCS, &[r(4)], &[r(4), r(4)], 0),
    line(ADC, &[r(5)], &[r(5), r(5)], 0),
    line(LSR_I, &[r(2)], &[r(2)], 1),
    line(ORR_LSL, &[r(2)], &[r(2), r(3)], 31),
    line(LSR_I, &[r(3)], &[r(3)], 1),
    line(SUB_FLAGS_I, &[IP], &[IP], 1),
    branch(B_PL, &[], 0, 8),
    Block, // 9
    line(MOV, &[r(2)], &[r(0)], 0),
    line(MOV, &[r(3)], &[r(1)], 0),
    line(MOV, &[r(0)], &[r(4)], 0),
    line(MOV, &[r(1)], &[r(5)], 0),
    RESTORE,
];

/// The same of signed numbers, by their magnitudes. The signs of remainder and quotient are in r6 and r7.
const LONG_SIGNED: &[Line] = &[
    line(PUSH_TO, &[], &[r(7)], 0),
    line(ASR_I, &[r(6)], &[r(1)], 31),
    line(ASR_I, &[r(5)], &[r(3)], 31),
    line(EOR, &[r(7)], &[r(6), r(5)], 0),
    line(EOR, &[r(0)], &[r(0), r(6)], 0),
    line(EOR, &[r(1)], &[r(1), r(6)], 0),
    line(SUB_FLAGS, &[r(0)], &[r(0), r(6)], 0),
    line(SBC, &[r(1)], &[r(1), r(6)], 0),
    line(EOR, &[r(2)], &[r(2), r(5)], 0),
    line(EOR, &[r(3)], &[r(3), r(5)], 0),
    line(SUB_FLAGS, &[r(2)], &[r(2), r(5)], 0),
    line(SBC, &[r(3)], &[r(3), r(5)], 0),
    call(BL, "__aeabi_uldivmod"),
    line(EOR, &[r(0)], &[r(0), r(7)], 0),
    line(EOR, &[r(1)], &[r(1), r(7)], 0),
    line(SUB_FLAGS, &[r(0)], &[r(0), r(7)], 0),
    line(SBC, &[r(1)], &[r(1), r(7)], 0),
    line(EOR, &[r(2)], &[r(2), r(6)], 0),
    line(EOR, &[r(3)], &[r(3), r(6)], 0),
    line(SUB_FLAGS, &[r(2)], &[r(2), r(6)], 0),
    line(SBC, &[r(3)], &[r(3), r(6)], 0),
    RESTORE,
];
