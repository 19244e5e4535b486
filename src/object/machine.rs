//! What ELF files say of a machine: numbers, flags, alignments. A row a machine.

use super::reloc::{Row, aarch64, arm, riscv};

/// A machine as ELF sees it.
#[derive(Debug)]
pub struct Machine {
    /// `riscv64`, `aarch64` or `armv7`, for messages.
    pub name: &'static str,
    /// `e_machine`.
    pub number: u16,
    /// `e_flags` of objects.
    pub flags: u32,
    /// `e_flags` of programs.
    pub program_flags: u32,
    /// 64-bit files, addresses and relocations with addends (`RELA`); else 32-bit ones with addends in place
    /// (`REL`).
    pub is_64: bool,
    /// The largest page that a kernel for it may use, in bytes.
    pub page: u64,
    /// Where programs start in memory.
    pub base: u64,
    /// Alignment of functions, in bytes.
    pub code_align: u64,
    /// An instruction that does nothing, for between functions.
    pub code_padding: &'static [u8],
    /// The mapping symbol that stands where code starts (ELF for the Arm architecture, 5.5.5); empty for
    /// none.
    pub code_mark: &'static str,
    /// The name and type of the section of build attributes.
    pub attributes: Option<(&'static str, u32)>,
    /// The kinds of relocations.
    pub relocations: &'static [Row],
    /// Relocations of an absolute address in 4 and in 8 bytes.
    pub absolute: [u32; 2],
    /// The relocation of an address in 4 bytes, from where they stand on.
    pub relative: u32,
    /// The same in 8 bytes; or two, of what is added to 8 bytes and of what is taken from them; none where there is none.
    pub relative_wide: &'static [u32],
    /// The relocation of an entry that the program fills in when it starts, by calling a function.
    pub indirect: u32,
    /// The relocation of a word to which is added where the program is.
    pub rebased: u32,
    /// Those of a whole address, which become that where the program is loaded anywhere.
    pub whole: &'static [u32],
    /// True of those by a symbol's address whose value is the same wherever the program is loaded, by whole pages.
    pub stays: fn(u32) -> bool,
    /// What a program that is loaded anywhere begins with, if it does not change itself.
    pub start: &'static Start,
    /// The relocation that stands for an alignment that is left to the linker, if there is one.
    pub alignment: Option<u32>,
    /// Jumps to what a table's entry holds.
    pub stub: Sequence,
    /// Jumps anywhere, for calls that do not reach: from ARM state, and from Thumb state.
    pub veneers: &'static [Sequence],
    /// The stub and the veneers in programs that are loaded anywhere, if they are others.
    pub anywhere: Option<&'static (Sequence, [Sequence; 2])>,
    /// The most code between two islands of veneers, in bytes: half of what the shortest call reaches would
    /// do, less the island itself. (Thumb's conditional jumps may still be too short.)
    pub stretch: u64,
    /// How far ahead of a call the program counter is, in ARM and in Thumb state. Functions in Thumb state
    /// have odd addresses.
    pub call_bias: Option<[i64; 2]>,
    /// The bits of `e_flags` that say how arguments are passed, and what they have to be.
    pub convention_flags: (u32, u32),
    /// The attributes say how floats are passed, too.
    pub convention_attributes: bool,
    /// Bytes of the thread library's header between the thread pointer and the block of thread-local memory.
    pub tls_header: u64,
    /// What offsets into a block of thread-local memory are less than they are.
    pub tls_bias: i64,
    /// The addend of a relocation by the table of addresses is part of what the entry holds, and not added to
    /// the entry's address.
    pub entry_has_addend: bool,
    /// DWARF's numbers of the stack pointer and of the register that holds the return address on entry.
    pub stack_register: u16,
    /// See `stack_register`.
    pub return_register: u16,
    /// Unwinders read an index and tables of frames (`index`), and not rules of places (`frames`).
    pub is_indexed: bool,
}

/// Code that the linker makes, which goes to an address or to what a table's entry holds.
#[derive(Debug)]
pub struct Sequence {
    /// Its words.
    pub words: &'static [u32],
    /// The relocations that put the address in, and at which byte.
    pub puts: &'static [(u32, usize)],
}

/// RISC-V 64 with compressed instructions and the LP64D ABI.
pub static RISCV64: Machine = Machine {
    name: "riscv64",
    number: 243,
    flags: 0x5,
    program_flags: 0x5,
    is_64: true,
    page: 0x1000,
    base: 0x10000,
    code_align: 4,
    code_padding: &[0x01, 0x00],
    code_mark: "",
    attributes: Some((".riscv.attributes", 0x7000_0003)),
    relocations: riscv::ROWS,
    absolute: [riscv::R_RISCV_32, riscv::R_RISCV_64],
    relative: riscv::R_RISCV_32_PCREL,
    relative_wide: &[riscv::R_RISCV_ADD64, riscv::R_RISCV_SUB64],
    indirect: 58, // R_RISCV_IRELATIVE
    rebased: 3,   // R_RISCV_RELATIVE
    whole: &[riscv::R_RISCV_64],
    // Differences, each half by itself.
    stays: |number| {
        matches!(
            number,
            riscv::R_RISCV_ADD8..=riscv::R_RISCV_SUB64
                | riscv::R_RISCV_SUB6..=riscv::R_RISCV_SET32
                | riscv::R_RISCV_SET_ULEB128
                | riscv::R_RISCV_SUB_ULEB128
        )
    },
    start: &RISCV_START,
    alignment: Some(riscv::R_RISCV_ALIGN),
    // auipc t3, entry; ld t3, entry(t3); jr t3; nop
    stub: Sequence {
        words: &[0x0000_0e17, 0x000e_3e03, 0x000e_0067, 0x13],
        puts: &[(riscv::RISCV_PAIR_I, 0)],
    },
    veneers: &[],
    anywhere: None,
    stretch: 0,
    call_bias: None,
    convention_flags: (0x6, 0x4),
    convention_attributes: false,
    tls_header: 0,
    tls_bias: 0x800,
    entry_has_addend: false,
    stack_register: 2,
    return_register: 1,
    is_indexed: false,
};

/// AArch64.
pub static AARCH64: Machine = Machine {
    name: "aarch64",
    number: 183,
    flags: 0,
    program_flags: 0,
    is_64: true,
    page: 0x10000,
    base: 0x40_0000,
    code_align: 4,
    code_padding: &[0x1f, 0x20, 0x03, 0xd5],
    code_mark: "$x",
    attributes: None,
    relocations: aarch64::ROWS,
    absolute: [aarch64::R_AARCH64_ABS32, aarch64::R_AARCH64_ABS64],
    relative: aarch64::R_AARCH64_PREL32,
    relative_wide: &[aarch64::R_AARCH64_PREL64],
    indirect: 1032, // R_AARCH64_IRELATIVE
    rebased: 1027,  // R_AARCH64_RELATIVE
    whole: &[aarch64::R_AARCH64_ABS64],
    // The lowest 12 bits.
    stays: |number| {
        use aarch64::*;
        matches!(
            number,
            R_AARCH64_ADD_ABS_LO12_NC
                | R_AARCH64_LDST8_ABS_LO12_NC
                | R_AARCH64_LDST16_ABS_LO12_NC
                | R_AARCH64_LDST32_ABS_LO12_NC
                | R_AARCH64_LDST64_ABS_LO12_NC
                | R_AARCH64_LDST128_ABS_LO12_NC
        )
    },
    start: &AARCH64_START,
    alignment: None,
    // adrp x16, entry; ldr x17, [x16, entry]; br x17; nop
    stub: Sequence {
        words: &[0x9000_0010, 0xf940_0211, 0xd61f_0220, 0xd503_201f],
        puts: &[(aarch64::R_AARCH64_ADR_PREL_PG_HI21, 0), (aarch64::R_AARCH64_LDST64_ABS_LO12_NC, 4)],
    },
    // adrp x16, target; add x16, x16, target; br x16
    veneers: &[Sequence {
        words: &[0x9000_0010, 0x9100_0210, 0xd61f_0200],
        puts: &[(aarch64::R_AARCH64_ADR_PREL_PG_HI21, 0), (aarch64::R_AARCH64_ADD_ABS_LO12_NC, 4)],
    }],
    anywhere: None,
    stretch: 1 << 25,
    call_bias: None,
    convention_flags: (0, 0),
    convention_attributes: false,
    tls_header: 16,
    tls_bias: 0,
    entry_has_addend: true,
    stack_register: 31,
    return_register: 30,
    is_indexed: false,
};

/// ARMv7-A, EABI version 5, hard float.
pub static ARMV7: Machine = Machine {
    name: "armv7",
    number: 40,
    flags: 0x0500_0000,
    program_flags: 0x0500_0400,
    is_64: false,
    page: 0x10000,
    base: 0x1_0000,
    code_align: 4,
    code_padding: &[0x00, 0xf0, 0x20, 0xe3],
    code_mark: "$a",
    attributes: Some((".ARM.attributes", 0x7000_0003)),
    relocations: arm::ROWS,
    absolute: [arm::R_ARM_ABS32, arm::R_ARM_NONE],
    relative: arm::R_ARM_REL32,
    relative_wide: &[],
    indirect: 160, // R_ARM_IRELATIVE
    rebased: 23,   // R_ARM_RELATIVE
    whole: &[arm::R_ARM_ABS32, arm::R_ARM_TARGET1],
    stays: |_| false,
    start: &ARM_START,
    alignment: None,
    // movw ip, entry; movt ip, entry; ldr pc, [ip]
    stub: Sequence {
        words: &[0xe300_c000, 0xe340_c000, 0xe59c_f000],
        puts: &[(arm::R_ARM_MOVW_ABS_NC, 0), (arm::R_ARM_MOVT_ABS, 4)],
    },
    // movw ip, target; movt ip, target; bx ip; and in Thumb state the same and nop.
    veneers: &[
        Sequence {
            words: &[0xe300_c000, 0xe340_c000, 0xe12f_ff1c],
            puts: &[(arm::R_ARM_MOVW_ABS_NC, 0), (arm::R_ARM_MOVT_ABS, 4)],
        },
        Sequence {
            words: &[0x0c00_f240, 0x0c00_f2c0, 0xbf00_4760],
            puts: &[(arm::R_ARM_THM_MOVW_ABS_NC, 0), (arm::R_ARM_THM_MOVT_ABS, 4)],
        },
    ],
    anywhere: Some(&ARM_ANYWHERE),
    stretch: 1 << 22,
    call_bias: Some([8, 4]),
    convention_flags: (0xff00_0200, 0x0500_0000),
    convention_attributes: true,
    tls_header: 8,
    tls_bias: 0,
    entry_has_addend: false,
    stack_register: 13,
    return_register: 14,
    is_indexed: true,
};

/// The same by the distance, which counts from 16 and 12 bytes behind its halves, in Thumb state from 12 and 8 behind.
static ARM_ANYWHERE: (Sequence, [Sequence; 2]) = (
    // movw ip, entry - .; movt; add ip, pc, ip; ldr pc, [ip]
    Sequence { words: &[0xe30f_cff0, 0xe34f_cff4, 0xe08f_c00c, 0xe59c_f000], puts: ARM_HALVES },
    [
        Sequence { words: &[0xe30f_cff0, 0xe34f_cff4, 0xe08f_c00c, 0xe12f_ff1c], puts: ARM_HALVES },
        Sequence {
            words: &[0x7cf4_f64f, 0x7cf8_f6cf, 0x4760_44fc],
            puts: &[(arm::R_ARM_THM_MOVW_PREL_NC, 0), (arm::R_ARM_THM_MOVT_PREL, 4)],
        },
    ],
);
const ARM_HALVES: &[(u32, usize)] = &[(arm::R_ARM_MOVW_PREL_NC, 0), (arm::R_ARM_MOVT_PREL, 4)];

/// An address that the code at the start has in it.
#[derive(Copy, Clone, Debug)]
pub enum Goal {
    /// The list of the words, and its end.
    List,
    /// See `List`.
    End,
    /// Where the program is.
    Base,
    /// Where it goes on.
    Entry,
}

/// Code that adds where the program is to what stands in the list. It keeps the stack and the registers of arguments.
#[derive(Debug)]
pub struct Start {
    /// Its words.
    pub words: &'static [u32],
    /// The relocations that put addresses in, and at which byte.
    pub puts: &'static [(u32, usize, Goal)],
}

#[rustfmt::skip]
static RISCV_START: Start = Start {
    words: &[
        0x0000_0297, 0x0002_8293, // lla t0, list
        0x0000_0317, 0x0003_0313, // lla t1, end
        0x0000_0397, 0x0003_8393, // lla t2, base
        0x0262_f063, // 1: bgeu t0, t1, 2f
        0x0002_be03, // ld t3, 0(t0)
        0x0102_be83, // ld t4, 16(t0)
        0x007e_0e33, // add t3, t3, t2
        0x007e_8eb3, // add t4, t4, t2
        0x01de_3023, // sd t4, 0(t3)
        0x0182_8293, // addi t0, t0, 24
        0xfe5f_f06f, // j 1b
        0x0000_0e17, 0x000e_0067, // 2: tail entry (by t3)
    ],
    puts: &[
        (riscv::RISCV_PAIR_I, 0, Goal::List),
        (riscv::RISCV_PAIR_I, 8, Goal::End),
        (riscv::RISCV_PAIR_I, 16, Goal::Base),
        (riscv::RISCV_PAIR_I, 56, Goal::Entry),
    ],
};

#[rustfmt::skip]
static AARCH64_START: Start = Start {
    words: &[
        0x9000_0009, 0x9100_0129, // adrp x9, list; add x9, x9, :lo12:list
        0x9000_000a, 0x9100_014a, // x10: end
        0x9000_000b, 0x9100_016b, // x11: base
        0xeb0a_013f, // 1: cmp x9, x10
        0x5400_00e2, // b.hs 2f
        0xf940_012c, // ldr x12, [x9]
        0xf940_092d, // ldr x13, [x9, #16]
        0x9100_6129, // add x9, x9, #24
        0x8b0b_01ad, // add x13, x13, x11
        0xf82c_696d, // str x13, [x11, x12]
        0x17ff_fff9, // b 1b
        0x9000_0009, 0x9100_0129, // 2: x9: entry
        0xd61f_0120, // br x9
    ],
    puts: &[
        (aarch64::R_AARCH64_ADR_PREL_PG_HI21, 0, Goal::List),
        (aarch64::R_AARCH64_ADD_ABS_LO12_NC, 4, Goal::List),
        (aarch64::R_AARCH64_ADR_PREL_PG_HI21, 8, Goal::End),
        (aarch64::R_AARCH64_ADD_ABS_LO12_NC, 12, Goal::End),
        (aarch64::R_AARCH64_ADR_PREL_PG_HI21, 16, Goal::Base),
        (aarch64::R_AARCH64_ADD_ABS_LO12_NC, 20, Goal::Base),
        (aarch64::R_AARCH64_ADR_PREL_PG_HI21, 56, Goal::Entry),
        (aarch64::R_AARCH64_ADD_ABS_LO12_NC, 60, Goal::Entry),
    ],
};

/// The program counter is 16 and 12 bytes ahead of the halves of an address where it is added.
#[rustfmt::skip]
static ARM_START: Start = Start {
    words: &[
        0xe30f_4ff0, 0xe34f_4ff4, 0xe08f_4004, // movw r4, list - .; movt; add r4, pc, r4
        0xe30f_5ff0, 0xe34f_5ff4, 0xe08f_5005, // r5: end
        0xe30f_6ff0, 0xe34f_6ff4, 0xe08f_6006, // r6: base
        0xe154_0005, // 1: cmp r4, r5
        0x2a00_0004, // bhs 2f
        0xe494_7008, // ldr r7, [r4], #8
        0xe796_8007, // ldr r8, [r6, r7]
        0xe088_8006, // add r8, r8, r6
        0xe786_8007, // str r8, [r6, r7]
        0xeaff_fff8, // b 1b
        0xe30f_cff0, 0xe34f_cff4, 0xe08f_c00c, // 2: ip: entry
        0xe12f_ff1c, // bx ip
    ],
    puts: &[
        (arm::R_ARM_MOVW_PREL_NC, 0, Goal::List),
        (arm::R_ARM_MOVT_PREL, 4, Goal::List),
        (arm::R_ARM_MOVW_PREL_NC, 12, Goal::End),
        (arm::R_ARM_MOVT_PREL, 16, Goal::End),
        (arm::R_ARM_MOVW_PREL_NC, 24, Goal::Base),
        (arm::R_ARM_MOVT_PREL, 28, Goal::Base),
        (arm::R_ARM_MOVW_PREL_NC, 64, Goal::Entry),
        (arm::R_ARM_MOVT_PREL, 68, Goal::Entry),
    ],
};

/// Every machine.
#[cfg(test)]
pub(super) static MACHINES: [&Machine; 3] = [&RISCV64, &AARCH64, &ARMV7];
