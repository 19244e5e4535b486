//! Rows of code that is loaded anywhere: addresses by the table of addresses, and of thread-local data. They stand behind all
//! others, so that the numbers of those, which hashes go by, are what they were.

use super::rows::format as f;
use super::{rows, vector};
use crate::isa::rows::row;
use crate::mir::SymKind;
use crate::mir::desc::REMAT;
use crate::mir::model as m;

crate::opcodes! { from rows::COUNT + vector::COUNT;
    // By its entry in the table of addresses.
    LA_GOT = row("la.got", "1: auipc %0, %%got_pcrel_hi(%s)\n\tld %0, %%pcrel_lo(1b)(%0)", "i=").with(REMAT).symbol(SymKind::Global)
        .bits(f::GOT, 0x3003).class(m::LOAD).size(8);
    // By its offset from tp, which linkers know.
    THREAD_FIXED = row("thread.fixed", "", "i=").with(REMAT).symbol(SymKind::Global).class(m::ADDRESS).size(12);
    LUI_TPREL = row("lui.tprel", "lui %0, %%tprel_hi(%s)", "i=").symbol(SymKind::Global).bits(f::TPREL_HI, 0x37);
    ADD_TPREL = row("add.tprel", "add %0, %1, tp, %%tprel_add(%s)", "i=i").symbol(SymKind::Global).bits(f::TPREL_ADD, 0x40_0033);
    ADDI_TPREL = row("addi.tprel", "addi %0, %1, %%tprel_lo(%s)", "i=i").symbol(SymKind::Global).bits(f::TPREL_LO, 0x13);
    // Where its module and offset stand in the table of addresses, for `__tls_get_addr`.
    LA_TLS_GD = row("la.tls.gd", "la.tls.gd %0, %s", "i=").symbol(SymKind::Global).bits(f::TLS_GD, 0x13).class(m::ADDRESS).size(8);
}
