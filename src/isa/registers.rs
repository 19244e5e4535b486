//! How the targets number registers: those of integers from 0 on, those of floating values (and vectors,
//! which share their file) from 32 on; an encoding takes the low five bits.

use crate::mir::desc::{ClassDesc, WidthRow};
use crate::mir::{Class, Operand, PReg};

impl Class {
    /// Floating point, and vectors.
    pub const FLOAT: Class = Class(1);
}

impl PReg {
    /// Integer register `n`.
    pub const fn int(n: u8) -> PReg {
        PReg(n)
    }

    /// Floating register `n`.
    pub const fn float(n: u8) -> PReg {
        PReg(32 + n)
    }

    /// Its class.
    pub const fn class(self) -> Class {
        if self.0 < 32 { Class::INT } else { Class::FLOAT }
    }

    /// Its number in its class: what goes into an encoding.
    pub const fn number(self) -> u8 {
        self.0 & 31
    }
}

impl Operand {
    /// The number of a physical register in its class; of other operands it means nothing.
    #[inline(always)]
    pub const fn low(self) -> u8 {
        self.bits() & 31
    }
}

/// A class of 32 registers that overlap nothing.
pub const fn class(
    class: Class,
    order: &'static [PReg],
    scratch: PReg,
    kept_bytes: u8,
    widths: &'static [WidthRow],
) -> ClassDesc {
    let (letter, prefix) = if class.0 == 0 { (b'i', b'r') } else { (b'f', b'f') };
    let first = 32 * class.0;
    ClassDesc {
        letter,
        prefix,
        first: PReg(first),
        count: 32,
        first_unit: first,
        units: 1,
        kept_bytes,
        order,
        scratch,
        widths,
    }
}
