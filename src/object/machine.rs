//! What ELF files say of a machine: numbers, flags, alignments. A row a machine.

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
    /// 64-bit files, addresses and relocations with addends (`RELA`); else 32-bit ones with addends in place (`REL`).
    pub is_64: bool,
    /// The largest page that a kernel for it may use, in bytes.
    pub page: u64,
    /// Where programs start in memory.
    pub base: u64,
    /// Alignment of functions, in bytes.
    pub code_align: u64,
    /// An instruction that does nothing, for between functions.
    pub code_padding: &'static [u8],
    /// The mapping symbol that stands where code starts (ELF for the Arm architecture, 5.5.5); empty for none.
    pub code_mark: &'static str,
    /// The name and type of the section of build attributes.
    pub attributes: Option<(&'static str, u32)>,
    /// How far a call that is a single instruction goes, in bytes either way; 0: anywhere.
    pub call_reach: u64,
    /// Relocations of an absolute address in 4 and in 8 bytes.
    pub absolute: [u32; 2],
    /// DWARF's numbers of the stack pointer and of the register that holds the return address on entry.
    pub stack_register: u16,
    /// See `stack_register`.
    pub return_register: u16,
}

/// A pair of RISC-V instructions, `auipc` and one with a signed 12-bit immediate of layout I behind it, for an address
/// relative to the first: what ELF says with `R_RISCV_PCREL_HI20`, a label, and `R_RISCV_PCREL_LO12_I` of the label.
pub const RISCV_PAIR_I: u32 = 1 << 16;
/// As above, with a store (layout S) for the second instruction.
pub const RISCV_PAIR_S: u32 = (1 << 16) + 1;

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
    call_reach: 0,
    absolute: [1, 2],
    stack_register: 2,
    return_register: 1,
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
    call_reach: 1 << 27,
    absolute: [258, 257],
    stack_register: 31,
    return_register: 30,
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
    call_reach: 1 << 25,
    absolute: [2, 0],
    stack_register: 13,
    return_register: 14,
};

/// Every machine.
pub static MACHINES: [&Machine; 3] = [&RISCV64, &AARCH64, &ARMV7];
