//! Models of cores, as tables: how long what takes, where it issues, and how many begin in a cycle. The schedulers
//! (`schedule/`) read them, and `-mtune=` chooses one.
//!
//! Opcodes that cores time alike are a class, which stands in an opcode's row (`OpRow::class`); a core is a row for
//! each class. Numbers are facts of the cores' optimisation guides as the scheduling models of LLVM 19 and GCC 12 have
//! them (`AArch64SchedA53.td`, `RISCVSchedSiFive7.td`, `ARMScheduleR52.td`, `cortex-a7.md`, ...); `tests/models` compares
//! blocks with what llvm-mca says of them.

/// What opcodes have in common that cores time alike.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct OpClass(pub u8);

/// Numbers the classes.
macro_rules! classes {
    ($($(#[$meta:meta])* $name:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($name,)* Count }
        $($(#[$meta])* pub const $name: OpClass = OpClass(Number::$name as u8);)*
        /// How many there are.
        pub const CLASSES: usize = Number::Count as usize;
    };
}

classes! {
    /// No code: phis, rows for unwinding.
    NOTHING
    /// Sums, logic, shifts, constants.
    ALU
    /// The same of a shifted or extended operand.
    SHIFTED
    /// An address or a constant in two instructions.
    ADDRESS
    /// Integers compared, for flags.
    COMPARE
    /// One of two integers, by flags.
    SELECT
    /// Products of 32 bits.
    MULTIPLY
    /// Products of 64 bits, and upper halves.
    MULTIPLY_LONG
    /// A product and a sum; the summand is the last operand.
    MULTIPLY_ADD
    /// Quotients of 32 bits.
    DIVIDE
    /// Quotients of 64 bits.
    DIVIDE_LONG
    /// A load to an integer register.
    LOAD
    /// A load to a floating register.
    LOAD_FLOAT
    /// Two registers.
    LOAD_PAIR
    /// A load that moves its base.
    LOAD_MOVING
    /// A load of a vector.
    LOAD_VECTOR
    /// Loads of several vectors, lanes in turn, and of one lane.
    LOAD_TURN
    /// A store of an integer register; what is stored is the first operand.
    STORE
    /// A store of a floating register.
    STORE_FLOAT
    /// Two registers.
    STORE_PAIR
    /// A store that moves its base.
    STORE_MOVING
    /// A store of a vector.
    STORE_VECTOR
    /// Stores of several vectors, lanes in turn, and of one lane.
    STORE_TURN
    /// Jumps, calls, returns.
    BRANCH
    /// A branch that compares.
    COMPARE_BRANCH
    /// Sums of floats.
    FLOAT_ADD
    /// Products of floats.
    FLOAT_MULTIPLY
    /// A product and a sum of floats.
    FLOAT_FUSED
    /// Quotients of floats.
    FLOAT_DIVIDE
    /// Sums of doubles.
    DOUBLE_ADD
    /// Products of doubles.
    DOUBLE_MULTIPLY
    /// A product and a sum of doubles.
    DOUBLE_FUSED
    /// Quotients of doubles.
    DOUBLE_DIVIDE
    /// Floats compared.
    FLOAT_COMPARE
    /// Copies, signs and constants in floating registers.
    FLOAT_MOVE
    /// Conversions.
    CONVERT
    /// From an integer to a floating register, bit by bit.
    TO_FLOAT
    /// From a floating to an integer register, bit by bit.
    FROM_FLOAT
    /// Sums, logic, shifts, comparisons of integers in lanes.
    VECTOR_ALU
    /// Products of integers in lanes.
    VECTOR_MULTIPLY
    /// The same, and a sum.
    VECTOR_FUSED
    /// Floats in lanes.
    VECTOR_FLOAT
    /// A product and a sum of floats in lanes.
    VECTOR_FLOAT_FUSED
    /// Quotients of floats in lanes.
    VECTOR_DIVIDE
    /// Between lanes and integer registers.
    VECTOR_LANE
    /// Over all lanes of a vector.
    VECTOR_ACROSS
}

/// How a core times a class.
#[derive(Copy, Clone, Debug)]
pub struct Timing {
    /// Cycles from issue to the result.
    pub latency: u8,
    /// Cycles to what is written first, where cores write in order: of what moves its base, the base.
    pub first: u8,
    /// The pipes of which it takes one, a bit each; none for what needs no pipe.
    pub pipes: u8,
    /// What it takes besides.
    pub also: u8,
    /// For so many cycles a pipe is taken, or what it takes besides, if there is that.
    pub busy: u8,
    /// Issue slots.
    pub slots: u8,
    /// So much later than issue it reads its first operand, those between, and its last one, of what forwards.
    pub late: [u8; 3],
    /// What it results in can be read before the end of its latency by what reads late.
    pub forwards: bool,
}

impl Timing {
    /// One slot, a pipe of these for a cycle.
    pub const fn new(latency: u8, pipes: u8) -> Timing {
        Timing { latency, first: latency, pipes, also: 0, busy: 1, slots: 1, late: [0; 3], forwards: false }
    }

    /// Takes its pipe for so many cycles.
    pub const fn busy(self, cycles: u8) -> Timing {
        Timing { busy: cycles, ..self }
    }

    /// Takes these, too, for so many cycles, and its pipe for one.
    pub const fn also(self, others: u8, cycles: u8) -> Timing {
        Timing { also: others, busy: cycles, ..self }
    }

    /// Takes so many issue slots.
    pub const fn slots(self, slots: u8) -> Timing {
        Timing { slots, ..self }
    }

    /// Writes something in so many cycles.
    pub const fn first(self, cycles: u8) -> Timing {
        Timing { first: cycles, ..self }
    }

    /// Reads its operands so late.
    pub const fn late(self, first: u8, others: u8, last: u8) -> Timing {
        Timing { late: [first, others, last], ..self }
    }

    /// Forwards its result.
    pub const fn forwards(self) -> Timing {
        Timing { forwards: true, ..self }
    }

    /// Cycles from issue to when what reads this result as its operand `k` of `n` can issue; or the base that it moves.
    #[inline]
    pub fn until(&self, is_base: bool, reader: &Timing, (k, n): (usize, usize)) -> u8 {
        let late = match k {
            0 => reader.late[0],
            k if k + 1 == n => reader.late[2],
            _ => reader.late[1],
        };
        let latency = if is_base { self.first } else { self.latency };
        if self.forwards { latency.saturating_sub(late) } else { latency }
    }
}

/// A core.
#[derive(Debug)]
pub struct Model {
    /// What `-mtune=` and `-mcpu=` call it and cores like it, each with what `-march=` says of that core.
    pub names: &'static [(&'static str, &'static str)],
    /// Instructions that begin in a cycle.
    pub width: u8,
    /// True if they write their results in the order in which they begin: what is done soon then waits for what is not.
    pub writes_in_order: bool,
    /// An access by a base that another access has updated (post-increment) waits for that one.
    pub moving_waits: bool,
    /// A load or store multiple of two registers (`ldm`, `stm`) takes no longer than two accesses.
    pub cheap_multiples: bool,
    /// Cycles that a mispredicted branch costs; 0 if nothing is known of the core.
    pub mispredict: u8,
    /// True if it times vectors: functions that have some are left as they are otherwise.
    pub times_vectors: bool,
    /// By class.
    pub timings: [Timing; ROWS],
}

/// Rows of a table by class: a power of two, so that a class that is none is found by its low bits, which costs less than a test.
const ROWS: usize = CLASSES.next_power_of_two();

impl Model {
    /// How it times a class.
    #[inline(always)]
    pub fn timing(&self, class: OpClass) -> &Timing {
        &self.timings[usize::from(class.0) % ROWS]
    }
}

/// A table by class: `usual` for all that are not named.
pub const fn timings(usual: Timing, rows: &[(&[OpClass], Timing)]) -> [Timing; ROWS] {
    let mut all = [usual; ROWS];
    all[NOTHING.0 as usize] = Timing { slots: 0, ..Timing::new(0, 0) };
    let mut k = 0;
    while k < rows.len() {
        let mut j = 0;
        while j < rows[k].0.len() {
            all[rows[k].0[j].0 as usize] = rows[k].1;
            j += 1;
        }
        k += 1;
    }
    all
}
