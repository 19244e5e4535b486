//! The compressed form (RVC, RV64GC) of an encoded instruction, if one fits: what GNU as picks under `-march=rv64gc`.
//!
//! Constant time: the opcode finds the family, and each family asks for its registers and immediate. `x8`-`x15` (and
//! `f8`-`f15`) are the registers of three bits. Forms that the manual reserves or calls hints are never made. Jumps
//! and branches are judged by the distance in the word; `short_reach` says how far their short form would go,
//! which depends on operands alone and so holds while distances are still moving.
//!
//! A word whose immediate a relocation will fill in must not be asked about: its bits are not its meaning yet. Nor
//! should the halves of a row of two words, which GNU as leaves long.

/// `jal zero` reaches this many bits in its short form, `beqz` and `bnez` that many.
const JUMP_REACH: u8 = 12;
const BRANCH_REACH: u8 = 9;

/// The fields of a word that the families below ask for.
struct Fields {
    word: u32,
    rd: u32,
    rs1: u32,
    rs2: u32,
}

impl Fields {
    fn of(word: u32) -> Fields {
        Fields { word, rd: word >> 7 & 31, rs1: word >> 15 & 31, rs2: word >> 20 & 31 }
    }

    /// The immediate of loads and of arithmetic.
    fn imm(&self) -> i32 {
        self.word as i32 >> 20
    }

    /// The offset of a store.
    fn stored(&self) -> i32 {
        (self.word as i32 >> 20) & !31 | self.rd as i32
    }

    /// The distance of a conditional branch.
    fn branch(&self) -> i32 {
        let w = self.word;
        (w as i32 >> 31) << 12 | (w << 4 & 0x800 | w >> 20 & 0x7e0 | w >> 7 & 0x1e) as i32
    }

    /// The distance of a jump.
    fn jump(&self) -> i32 {
        let w = self.word;
        (w as i32 >> 31) << 20 | (w & 0xf_f000 | w >> 9 & 0x800 | w >> 20 & 0x7fe) as i32
    }
}

/// Opcode and function bits: what `word & MAJOR` is.
const MAJOR: u32 = 0x707f;

/// The same in eight bits, so that a table finds the family. (The lowest two of a word are always ones.)
const fn family(word: u32) -> u32 {
    (word >> 2 & 31) << 3 | word >> 12 & 7
}

const ADDI: u32 = family(0x13);
const SLLI: u32 = family(0x1013);
const SRLI: u32 = family(0x5013);
const ANDI: u32 = family(0x7013);
const ADDIW: u32 = family(0x1b);
const ADD: u32 = family(0x33);
const XOR: u32 = family(0x4033);
const OR: u32 = family(0x6033);
const AND: u32 = family(0x7033);
const ADDW: u32 = family(0x3b);
const LW: u32 = family(0x2003);
const LD: u32 = family(0x3003);
const FLD: u32 = family(0x3007);
const SW: u32 = family(0x2023);
const SD: u32 = family(0x3023);
const FSD: u32 = family(0x3027);
const JALR: u32 = family(0x67);
const BEQ: u32 = family(0x63);
const BNE: u32 = family(0x1063);
const EBREAK: u32 = family(0x73);
const UNIMP: u32 = family(0x1073);
// All function bits: of these they are part of the immediate.
const LUI: u32 = family(0x37);
const LUI_LAST: u32 = LUI + 7;
const JAL: u32 = family(0x6f);
const JAL_LAST: u32 = JAL + 7;

/// True for a register that three bits can name.
fn near(reg: u32) -> bool {
    reg & 24 == 8
}

/// True if `imm` is a signed number of six bits.
fn six(imm: i32) -> bool {
    (-32..32).contains(&imm)
}

/// Bits `high..=low` of `imm`, moved down to bit `to` of the result.
fn part(imm: i32, high: u32, low: u32, to: u32) -> u32 {
    (imm as u32 >> low & ((2 << (high - low)) - 1)) << to
}

/// A six-bit immediate in bits 12 and 6 to 2.
fn split(imm: i32) -> u32 {
    part(imm, 5, 5, 12) | part(imm, 4, 0, 2)
}

/// The compressed form.
#[inline(always)]
pub fn compress(word: u32) -> Option<u16> {
    let x = Fields::of(word);
    let short = match family(word) {
        ADDI => add_immediate(&x)?,
        SLLI if x.rd == x.rs1 && x.rd != 0 && word >> 26 == 0 && word >> 20 != 0 => {
            0x0002 | x.rd << 7 | split(x.imm())
        }
        SRLI if x.rd == x.rs1 && near(x.rd) && word >> 26 & !16 == 0 && word >> 20 & 63 != 0 => {
            0x8001 | (word >> 30 & 1) << 10 | (x.rd & 7) << 7 | split(x.imm())
        }
        ANDI if x.rd == x.rs1 && near(x.rd) && six(x.imm()) => 0x8801 | (x.rd & 7) << 7 | split(x.imm()),
        ADDIW if x.rd == x.rs1 && x.rd != 0 && six(x.imm()) => 0x2001 | x.rd << 7 | split(x.imm()),
        ADD | XOR | OR | AND | ADDW => of_registers(&x)?,
        LW | LD | FLD => load(&x)?,
        SW | SD | FSD => store(&x)?,
        JALR if x.imm() == 0 && x.rs1 != 0 && x.rd < 2 => 0x8002 | x.rd << 12 | x.rs1 << 7,
        BEQ | BNE if short_reach(word).is_some() => {
            let to = x.branch();
            if !(-256..256).contains(&to) {
                return None;
            }
            let high = part(to, 8, 8, 12) | part(to, 4, 3, 10);
            let low = part(to, 7, 6, 5) | part(to, 2, 1, 3) | part(to, 5, 5, 2);
            0xc001 | (word >> 12 & 1) << 13 | (x.rs1 & 7) << 7 | high | low
        }
        // ebreak; unimp, whose short form is all zeros.
        EBREAK if word == 0x0010_0073 => 0x9002,
        UNIMP if word == 0xc000_1073 => 0,
        LUI..=LUI_LAST => {
            // The stack pointer's place is that of addi16sp.
            let imm = word as i32 >> 12;
            if x.rd == 0 || x.rd == 2 || imm == 0 || !six(imm) {
                return None;
            }
            0x6001 | x.rd << 7 | split(imm)
        }
        JAL..=JAL_LAST if x.rd == 0 => {
            let to = x.jump();
            if !(-2048..2048).contains(&to) {
                return None;
            }
            let high = part(to, 11, 11, 12) | part(to, 4, 4, 11) | part(to, 9, 8, 9) | part(to, 10, 10, 8);
            let low = part(to, 6, 6, 7) | part(to, 7, 7, 6) | part(to, 3, 1, 3) | part(to, 5, 5, 2);
            0xa001 | high | low
        }
        _ => return None,
    };
    Some(short as u16)
}

/// Of a jump or branch whose operands a compressed form can name: how many bits of distance that form has, so that
/// it reaches `[-2^(bits - 1), 2^(bits - 1))` bytes. None for everything else.
pub fn short_reach(word: u32) -> Option<u8> {
    let x = Fields::of(word);
    match word & MAJOR {
        0x0063 | 0x1063 if x.rs2 == 0 && near(x.rs1) => Some(BRANCH_REACH),
        _ if word & 0xfff == 0x6f => Some(JUMP_REACH),
        _ => None,
    }
}

/// `addi`: also how copies, small constants, steps of the stack pointer and addresses of slots are written.
#[inline]
fn add_immediate(x: &Fields) -> Option<u32> {
    let imm = x.imm();
    let own = x.rd == x.rs1;
    Some(match () {
        () if own && x.rd == 0 && imm == 0 => 0x0001,
        () if x.rd == 0 => return None,
        () if own && six(imm) && imm != 0 => 0x0001 | x.rd << 7 | split(imm),
        () if x.rs1 == 0 && six(imm) => 0x4001 | x.rd << 7 | split(imm),
        () if x.rs1 != 0 && imm == 0 => 0x8002 | x.rd << 7 | x.rs1 << 2,
        () if own && x.rd == 2 && imm & 15 == 0 && (-512..512).contains(&imm) => {
            let low = part(imm, 4, 4, 6) | part(imm, 6, 6, 5) | part(imm, 8, 7, 3) | part(imm, 5, 5, 2);
            0x6101 | part(imm, 9, 9, 12) | low
        }
        () if x.rs1 == 2 && near(x.rd) && imm & 3 == 0 && (4..1024).contains(&imm) => {
            let high = part(imm, 5, 4, 11) | part(imm, 9, 6, 7);
            high | part(imm, 2, 2, 6) | part(imm, 3, 3, 5) | (x.rd & 7) << 2
        }
        () => return None,
    })
}

/// Sums, differences and logic of registers, of which one is also the result.
#[inline]
fn of_registers(x: &Fields) -> Option<u32> {
    let (major, seven) = (x.word & MAJOR, x.word >> 25);
    if major == 0x33 && seven == 0 {
        // A sum with zero in front is a copy; behind, GNU as leaves it long.
        let (other, bits) = match () {
            () if x.rs1 == 0 => (x.rs2, 0x8002),
            () if x.rd == x.rs1 => (x.rs2, 0x9002),
            () => (x.rs1, 0x9002),
        };
        let fits = x.rs2 != 0 && (x.rs1 == 0 || x.rd == x.rs1 || x.rd == x.rs2);
        return (x.rd != 0 && fits).then_some(bits | x.rd << 7 | other << 2);
    }
    let (bits, commutes) = match (major, seven) {
        (0x33, 0x20) => (0x8c01, false),
        (0x4033, 0) => (0x8c21, true),
        (0x6033, 0) => (0x8c41, true),
        (0x7033, 0) => (0x8c61, true),
        (0x3b, 0x20) => (0x9c01, false),
        (0x3b, 0) => (0x9c21, true),
        _ => return None,
    };
    let other = match () {
        () if x.rd == x.rs1 => x.rs2,
        () if commutes && x.rd == x.rs2 => x.rs1,
        () => return None,
    };
    (near(x.rd) && near(other)).then_some(bits | (x.rd & 7) << 7 | (other & 7) << 2)
}

/// Loads of 4 and 8 bytes, from the stack or near registers.
#[inline]
fn load(x: &Fields) -> Option<u32> {
    let (imm, eight, float) = (x.imm(), x.word >> 12 & 1, x.word & 4 != 0);
    // Bits 15 to 13: 001 fld, 010 lw, 011 ld.
    let bits = if float { 1 << 13 } else { (2 + eight) << 13 };
    let bytes = 4 << eight;
    if imm < 0 || imm & (bytes - 1) != 0 {
        return None;
    }
    if x.rs1 == 2 && imm < 64 * bytes && (float || x.rd != 0) {
        let offset = if eight == 1 {
            part(imm, 5, 5, 12) | part(imm, 4, 3, 5) | part(imm, 8, 6, 2)
        } else {
            part(imm, 5, 5, 12) | part(imm, 4, 2, 4) | part(imm, 7, 6, 2)
        };
        return Some(2 | bits | x.rd << 7 | offset);
    }
    near_access(bits, x.rs1, x.rd, imm, bytes)
}

/// Stores of 4 and 8 bytes, to the stack or by near registers.
#[inline]
fn store(x: &Fields) -> Option<u32> {
    let (imm, eight, float) = (x.stored(), x.word >> 12 & 1, x.word & 4 != 0);
    // Bits 15 to 13: 101 fsd, 110 sw, 111 sd.
    let bits = if float { 5 << 13 } else { (6 + eight) << 13 };
    let bytes = 4 << eight;
    if imm < 0 || imm & (bytes - 1) != 0 {
        return None;
    }
    if x.rs1 == 2 && imm < 64 * bytes {
        let offset = if eight == 1 {
            part(imm, 5, 3, 10) | part(imm, 8, 6, 7)
        } else {
            part(imm, 5, 2, 9) | part(imm, 7, 6, 7)
        };
        return Some(2 | bits | offset | x.rs2 << 2);
    }
    near_access(bits, x.rs1, x.rs2, imm, bytes)
}

/// An access by a near register, of a near register.
#[inline]
fn near_access(bits: u32, base: u32, data: u32, imm: i32, bytes: i32) -> Option<u32> {
    let low = if bytes == 8 { part(imm, 7, 6, 5) } else { part(imm, 2, 2, 6) | part(imm, 6, 6, 5) };
    let fits = near(base) && near(data) && imm < 32 * bytes;
    fits.then_some(bits | part(imm, 5, 3, 10) | (base & 7) << 7 | low | (data & 7) << 2)
}
