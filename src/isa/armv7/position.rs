//! Rows of code that is loaded anywhere: addresses by how far they are, by the table of addresses, and of thread-local data. They
//! stand behind all others, so that the numbers of those, which hashes go by, are what they were.

use super::rows::format as f;
use super::{rows, vector};
use crate::isa::rows::row;
use crate::mir::SymKind;
use crate::mir::desc::{REMAT, TIED};
use crate::mir::model as m;

crate::opcodes! { from rows::COUNT + vector::COUNT;
    // The address of a global, plus an offset in [-32752, 32768), that is as far away as it was when linked, wherever the code is.
    LA_PC = row("la.pc", "", "i=").symbol(SymKind::Global).with(REMAT).class(m::ADDRESS).size(12);
    // How far something is from here, and so many bytes more.
    MOVW_PC = row("movw.pc", "movw %0, #:lower16:(%s%o-.)", "i=").symbol(SymKind::Global).bits(f::D_SYM_PC, 0xe300_0000);
    MOVT_PC = row("movt.pc", "movt %0, #:upper16:(%s%o-.)", "i=i").symbol(SymKind::Global).with(TIED)
        .bits(f::D_SYM_PC, 0xe340_0000);
    ADD_FROM_HERE = row("add.from.here", "add %0, pc, %1", "i=i").bits(f::D_ONLY_M, 0xe08f_0000);
    // The address of a global by its entry in the table of addresses: how far that is stands in the code, as of THREAD.
    LA_GOT = row("la.got", "", "i=").symbol(SymKind::Global).with(REMAT).class(m::LOAD).size(16);
    GOT_WORD = row("got.word", ".word %s(GOT_PREL)-12", "=").symbol(SymKind::Global).bits(f::GOT_WORD, 0xffff_fff4);
    // The address of a thread-local global, by its offset from the thread pointer, which linkers know.
    THREAD_FIXED = row("thread.fixed", "", "i=").symbol(SymKind::Global).class(m::ADDRESS).size(20);
    TPREL_WORD = row("tprel.word", ".word %s(TPOFF)", "=").symbol(SymKind::Global).bits(f::TPREL_WORD, 0);
    // Where its module and offset stand in the table of addresses, for `__tls_get_addr`.
    LA_TLS_GD = row("la.tls.gd", "", "i=").symbol(SymKind::Global).with(REMAT).class(m::ADDRESS).size(16);
    TLS_GD_WORD = row("tls.gd.word", ".word %s(TLSGD)-12", "=").symbol(SymKind::Global).bits(f::TLS_GD_WORD, 0xffff_fff4);
}
