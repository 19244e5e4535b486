//! How a target writes its table of opcodes: `opcodes!` numbers the rows and names the numbers, and the
//! functions here fill in what a row leaves out.
//!
//! ```ignore
//! opcodes! {
//!     PHI_ROW = phi();
//!     ENTRY_ROW = entry();
//!     INVOKE_ROW = invoke();
//!     LANDING_ROW = landing();
//!     ADD = row("add", "add %0, %1, %2", "i=ii").bits(R, 0x33);
//!     BEQ = row("beq", "beq %0, %1, %b", "=ii").branch(13, BNE);
//! }
//! ```

use crate::mir::desc::{CALL, COND_BRANCH, JUMP, TABLE};
use crate::mir::model::{self, OpClass};
use crate::mir::{MachineOp, OpRow, SymKind};

/// Makes a constant `MachineOp` per name and the table `ROWS`, in the same order; with `from`, numbers start
/// there. Several names share an array of as many rows.
macro_rules! opcodes {
    (from $base:expr; $($(#[$meta:meta])* $($name:ident)+ = $row:expr;)*) => {
        $crate::opcodes!(@names $base; $($($name)+)*);
        /// The rows, from the base on.
        pub static ROWS: [$crate::mir::OpRow; Number::Count as usize] =
            $crate::isa::rows::joined(&[$($crate::opcodes!(@rows $($name)+; $row)),*]);
    };
    (@names $base:expr; $($name:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u16)]
        enum Number { $($name,)* Count }
        $(
            #[allow(missing_docs)]
            pub const $name: $crate::mir::MachineOp = $crate::mir::MachineOp($base + Number::$name as u16);
        )*
        /// How many there are.
        pub const COUNT: u16 = Number::Count as u16;
    };
    (@rows $name:ident; $row:expr) => { &[$row] };
    (@rows $($name:ident)+; $rows:expr) => { &$rows };
    ($($rest:tt)*) => { $crate::opcodes! { from 0; $($rest)* } };
}
pub(crate) use opcodes;

/// The rows of all parts, one behind the other.
pub const fn joined<const N: usize>(parts: &[&[OpRow]]) -> [OpRow; N] {
    let mut rows = [phi(); N];
    let (mut part, mut k, mut n) = (0, 0, 0);
    while part < parts.len() {
        while k < parts[part].len() {
            rows[n] = parts[part][k];
            (k, n) = (k + 1, n + 1);
        }
        (part, k) = (part + 1, 0);
    }
    rows
}

/// A row for each condition of ARM, by number: `$make` of a name, a text with the condition in it, and its
/// number.
macro_rules! per_condition {
    ($make:expr, $name:literal, $before:literal, $after:literal; $second:literal $third:literal) => {
        $crate::per_condition!(@each $make, $name, $before, $after;
            "eq" 0, "ne" 1, $second 2, $third 3, "mi" 4, "pl" 5, "vs" 6, "vc" 7, "hi" 8, "ls" 9, "ge" 10, "lt" 11,
            "gt" 12, "le" 13)
    };
    (@each $make:expr, $name:literal, $before:literal, $after:literal; $($cond:literal $number:literal),*) => {
        [$($make(concat!($name, $cond), concat!($before, $cond, $after), $number)),*]
    };
}
pub(crate) use per_condition;

/// Numbers the names of the formats that a target's rows have (`OpRow::format`). What they mean, its encoder
/// says.
macro_rules! formats {
    ($($name:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Format { $($name,)* }
        $(
            #[allow(missing_docs)]
            pub const $name: u8 = Format::$name as u8;
        )*
    };
}
pub(crate) use formats;

/// A row of 4 bytes that is timed as a sum is.
pub const fn row(name: &'static str, text: &'static str, operands: &'static str) -> OpRow {
    OpRow {
        name,
        text,
        operands,
        sym: SymKind::None,
        flags: 0,
        class: model::ALU,
        bytes: 4,
        touches: 0,
        reach: 0,
        inverse: MachineOp(0),
        format: 0,
        encoding: 0,
    }
}

/// Row 0 of every target.
pub const fn phi() -> OpRow {
    row("phi", "", "*=*").class(model::NOTHING).size(0)
}

/// Row 1 of every target.
pub const fn entry() -> OpRow {
    row("entry", "", "*=").class(model::NOTHING).size(0)
}

/// Row 2 of every target. It has no opposite and stays, as an entry of a table of jumps does.
pub const fn invoke() -> OpRow {
    row("invoke", "", "=").class(model::NOTHING).size(0).symbol(SymKind::Block).with(COND_BRANCH | TABLE)
}

/// Row 3 of every target.
pub const fn landing() -> OpRow {
    row("landing", "", "*=").class(model::NOTHING).size(0).with(CALL)
}

impl OpRow {
    /// With these flags, besides those it has.
    pub const fn with(mut self, flags: u16) -> OpRow {
        self.flags |= flags;
        self
    }

    /// With `sym` naming this.
    pub const fn symbol(mut self, sym: SymKind) -> OpRow {
        self.sym = sym;
        self
    }

    /// Timed as this class is.
    pub const fn class(mut self, class: OpClass) -> OpRow {
        self.class = class;
        self
    }

    /// With at most this many bytes of code.
    pub const fn size(mut self, bytes: u8) -> OpRow {
        self.bytes = bytes;
        self
    }

    /// Touches so many bytes of memory (`OpRow::touches`).
    pub const fn touching(mut self, bytes: u8) -> OpRow {
        self.touches = bytes;
        self
    }

    /// With this layout of bits and these fixed ones.
    pub const fn bits(mut self, format: u8, encoding: u32) -> OpRow {
        self.format = format;
        self.encoding = encoding;
        self
    }

    /// A conditional branch to a block that reaches this many bits and has this opposite.
    pub const fn branch(mut self, reach: u8, inverse: MachineOp) -> OpRow {
        self.flags |= COND_BRANCH;
        self.sym = SymKind::Block;
        self.reach = reach;
        self.inverse = inverse;
        self
    }

    /// An entry of a table of jumps that reaches this many bits, or a jump into one of which it is the end.
    pub const fn entry(mut self, reach: u8) -> OpRow {
        self.flags |= COND_BRANCH | TABLE;
        self.sym = SymKind::Block;
        self.reach = reach;
        self
    }

    /// An unconditional jump to a block that reaches this many bits.
    pub const fn jump(mut self, reach: u8) -> OpRow {
        self.flags |= JUMP;
        self.sym = SymKind::Block;
        self.reach = reach;
        self
    }
}
