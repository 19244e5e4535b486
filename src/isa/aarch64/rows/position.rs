//! Code that is loaded anywhere: addresses by the table of addresses, and of thread-local data. The rows stand behind all others, so
//! that the numbers of those, which hashes go by, are what they were.

use super::{POSITION_BASE, format, pseudo, row};
use crate::mir::desc::{CALL, LOADS, REMAT, SymKind};
use crate::mir::model as m;

crate::opcodes! { from POSITION_BASE;
    /// Pseudo: the address of a thread-local global, by its offset from the thread pointer, which linkers know.
    THREAD_FIXED = pseudo("thread_fixed", "i=", m::ADDRESS, 12).with(REMAT).symbol(SymKind::Global);
    ADD_TPREL_HI12 = row("add_tprel_hi12", "add %p0, %p1, :tprel_hi12:%s", "i=i", m::ALU, format::TPREL_HI12, 0x9140_0000)
        .symbol(SymKind::Global);
    ADD_TPREL_LO12 = row("add_tprel_lo12", "add %p0, %p1, :tprel_lo12_nc:%s", "i=i", m::ALU, format::TPREL_LO12, 0x9100_0000)
        .symbol(SymKind::Global);
    /// Pseudo: the offset of a thread-local global from the thread pointer, from what its descriptor (TLSDESC) calls. That keeps
    /// more registers than other functions do.
    DESCRIPTOR = pseudo("descriptor", "*=*", m::BRANCH, 16).with(CALL).symbol(SymKind::Global);
    ADRP_DESC = row("adrp_desc", "adrp %x0, :tlsdesc:%s", "i=", m::ALU, format::ADRP_DESC, 0x9000_0000)
        .symbol(SymKind::Global);
    LDR_DESC = row("ldr_desc", "ldr %x0, [%p1, :tlsdesc_lo12:%s]", "i=i", m::LOAD, format::LDR_DESC, 0xf940_0000)
        .with(LOADS)
        .touching(8)
        .symbol(SymKind::Global);
    ADD_DESC = row("add_desc", "add %p0, %p1, :tlsdesc_lo12:%s", "i=i", m::ALU, format::ADD_DESC, 0x9100_0000)
        .symbol(SymKind::Global);
    BLR_DESC = row("blr_desc", ".tlsdesccall %s\n\tblr %x0", "=i", m::BRANCH, format::BLR_DESC, 0xd63f_0000)
        .symbol(SymKind::Global);
    /// Pseudo: the address of a global by its entry in the table of addresses.
    LA_GOT = pseudo("la_got", "i=", m::LOAD, 8).with(REMAT).symbol(SymKind::Global);
    ADRP_GOT = row("adrp_got", "adrp %x0, :got:%s", "i=", m::ALU, format::ADRP_GOT, 0x9000_0000).symbol(SymKind::Global);
    LDR_GOT = row("ldr_got", "ldr %x0, [%p1, :got_lo12:%s]", "i=i", m::LOAD, format::LDR_GOT, 0xf940_0000)
        .with(LOADS)
        .touching(8)
        .symbol(SymKind::Global);
}
