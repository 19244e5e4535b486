//! A machine for tests, with few registers and every constraint that shared code knows, and an interpreter
//! that runs its functions in any state: selected, allocated, and laid out.
//!
//! Integer registers: 0 is zero, 1-4 are given out (3 and 4 survive calls), 30 is the scratch register, 31
//! the stack pointer. Floating: 0-3 are given out (2 and 3 survive calls), 30 is the scratch register.
//! Arguments and results are in int 1 and 2, float 0 and 1. `roomy` has twelve and eight, and `hard` has no
//! floating register that survives calls.

use super::desc::*;
use super::model::{self, Model, OpClass, Timing};
use super::{Block, Func, Inst, Machine, Operand, VReg};
use crate::base::Handle;
use std::collections::BTreeMap;

/// Loads take three cycles, floats five, all else one; two begin in a cycle, one of them in memory.
pub(crate) static MODEL: Model = Model {
    names: &[("toy", "")],
    width: 2,
    writes_in_order: false,
    moving_waits: false,
    cheap_multiples: true,
    mispredict: 0,
    times_vectors: true,
    timings: model::timings(
        Timing::new(1, 3),
        &[
            (&[model::LOAD], Timing::new(3, 1)),
            (&[model::STORE], Timing::new(1, 1)),
            (&[model::FLOAT_ADD], Timing::new(5, 2)),
        ],
    ),
};

const fn class(operands: &str, flags: u16) -> OpClass {
    match operands.as_bytes()[0] {
        _ if flags & LOADS != 0 => model::LOAD,
        _ if flags & STORES != 0 => model::STORE,
        b'f' | b'd' => model::FLOAT_ADD,
        _ => model::ALU,
    }
}

/// Bytes, which the names of accesses end with.
const fn touches(name: &str, flags: u16) -> u8 {
    match name.as_bytes()[name.len() - 1] {
        digit @ b'0'..=b'9' if flags & (LOADS | STORES) != 0 => digit - b'0',
        _ => 0,
    }
}

const fn row(name: &'static str, operands: &'static str, sym: SymKind, flags: u16) -> OpRow {
    OpRow {
        name,
        text: "",
        operands,
        sym,
        flags,
        class: class(operands, flags),
        bytes: 4,
        touches: touches(name, flags),
        reach: 0,
        inverse: PHI,
        format: 0,
        encoding: 0,
    }
}

const fn branch(name: &'static str, operands: &'static str, flags: u16, reach: u8, inverse: u16) -> OpRow {
    OpRow { reach, inverse: MachineOp(inverse), ..row(name, operands, SymKind::Block, flags) }
}

const NO: SymKind = SymKind::None;

/// Opcode rows; the constants below are their numbers.
pub(crate) static OPS: [OpRow; 49] = [
    OpRow { bytes: 0, ..row("phi", "*=*", NO, 0) },
    OpRow { bytes: 0, ..row("entry", "*=", NO, 0) },
    OpRow { bytes: 0, ..branch("invoke", "=", COND_BRANCH | TABLE, 0, 0) },
    OpRow { bytes: 0, ..row("landing", "*=", NO, CALL) },
    row("mov", "i=i", NO, MOVE),
    row("fmov", "f=f", NO, MOVE),
    row("ld4", "i=i", SymKind::Slot, LOADS),
    row("ld8", "i=i", SymKind::Slot, LOADS),
    row("fld4", "f=i", SymKind::Slot, LOADS),
    row("fld8", "f=i", SymKind::Slot, LOADS),
    row("st4", "=ii", SymKind::Slot, STORES),
    row("st8", "=ii", SymKind::Slot, STORES),
    row("fst4", "=fi", SymKind::Slot, STORES),
    row("fst8", "=fi", SymKind::Slot, STORES),
    branch("j", "=", JUMP, 14, 0),
    branch("beq", "=ii", COND_BRANCH, 10, 16),
    branch("bne", "=ii", COND_BRANCH, 10, 15),
    row("ret", "=*", NO, RETURN),
    row("call", "*=*", SymKind::Func, CALL),
    row("add", "i=ii", NO, 0),
    row("sub", "i=ii", NO, 0),
    row("li", "i=", NO, REMAT),
    row("fli", "f=", NO, REMAT),
    row("fadd", "f=ff", NO, 0),
    row("movk", "i=i", NO, TIED),
    row("fma", "f=fff", NO, TIED),
    row("early", "i=ii", NO, EARLY_DEF),
    row("cvt", "f=i", NO, 0),
    row("cvti", "i=f", NO, 0),
    row("addi", "i=i", NO, 0),
    row("cmp", "=ii", NO, SETS_FLAGS),
    row("cset", "i=", NO, USES_FLAGS),
    branch("bflag", "=", COND_BRANCH | USES_FLAGS, 10, 33),
    branch("bnflag", "=", COND_BRANCH | USES_FLAGS, 10, 32),
    row("acc", "i=ii", NO, TIED),
    row("divmod", "ii=ii", NO, 0),
    OpRow { bytes: 8, ..branch("jfar", "=", JUMP, 30, 0) },
    branch("bone", "=i", COND_BRANCH, 10, 0),
    row("dmov", "d=d", NO, MOVE),
    row("dld", "d=i", SymKind::Slot, LOADS),
    row("dst", "=di", SymKind::Slot, STORES),
    row("dli", "d=", NO, REMAT),
    row("dadd", "d=dd", NO, 0),
    row("pair", "d=ff", NO, 0),
    row("low", "f=d", NO, 0),
    row("dacc", "d=dd", NO, TIED),
    row("dearly", "d=dd", NO, EARLY_DEF),
    branch("tent", "=", COND_BRANCH | TABLE, 14, 0),
    row("onto", "ii=iii", NO, TIED | TIED_LAST),
];

static KINDS: [Kind; OPS.len()] = kinds(&OPS);

macro_rules! ops { ($($name:ident = $number:literal,)*) => { $(
    pub(crate) const $name: MachineOp = MachineOp($number);
)* } }
ops! {
    MOV = 4, FMOV = 5, J = 14, BEQ = 15, RET = 17, CALL_OP = 18, ADD = 19, SUB = 20, LI = 21, FLI = 22, FADD = 23,
    MOVK = 24, FMA = 25, EARLY = 26, CVT = 27, CVTI = 28, ADDI = 29, CMP = 30, CSET = 31, BFLAG = 32, ACC = 34,
    DIVMOD = 35, JFAR = 36, BONE = 37, DMOV = 38, DLI = 41, DADD = 42, PAIR = 43, LOW = 44, DACC = 45, DEARLY = 46,
    ONTO = 48,
}

pub(crate) const fn i(n: u8) -> PReg {
    PReg(n)
}
pub(crate) const fn f(n: u8) -> PReg {
    PReg(32 + n)
}

/// The second class.
pub(crate) const FLOAT: Class = Class(1);

const fn width(bytes: u8, copy: MachineOp, reload: u16, spill: u16) -> WidthRow {
    WidthRow { bytes, copy, reload: MachineOp(reload), spill: MachineOp(spill) }
}

static INT_WIDTHS: [WidthRow; 2] = [width(4, MOV, 6, 10), width(8, MOV, 7, 11)];
static FLOAT_WIDTHS: [WidthRow; 2] = [width(4, FMOV, 8, 12), width(8, FMOV, 9, 13)];

const fn classes(int: &'static [PReg], float: &'static [PReg]) -> [ClassDesc; 2] {
    let int = ClassDesc {
        letter: b'i',
        prefix: b'r',
        first: i(0),
        count: 32,
        first_unit: 0,
        units: 1,
        kept_bytes: 8,
        order: int,
        scratch: i(30),
        widths: &INT_WIDTHS,
    };
    let float = ClassDesc {
        letter: b'f',
        prefix: b'f',
        first: f(0),
        count: 32,
        first_unit: 32,
        units: 1,
        kept_bytes: 8,
        order: float,
        scratch: f(30),
        widths: &FLOAT_WIDTHS,
    };
    [int, float]
}

static FEW: [ClassDesc; 2] = classes(&[i(1), i(2), i(3), i(4)], &[f(0), f(1), f(2), f(3)]);
static MANY: [ClassDesc; 2] = classes(
    &[i(1), i(2), i(5), i(6), i(7), i(8), i(9), i(3), i(4), i(10), i(11), i(12)],
    &[f(0), f(1), f(4), f(5), f(6), f(2), f(3), f(7)],
);

fn with(classes: &'static [ClassDesc], callee_saved: PRegSet) -> Machine {
    let scratch = |class: &ClassDesc| class.given_units().or(class.units_of(class.scratch));
    let all = classes.iter().fold(PRegSet::EMPTY, |set, class| set.or(scratch(class)));
    let registers = Registers::of(classes, all.minus(callee_saved), callee_saved);
    Machine {
        name: "toy",
        ops: &OPS,
        kinds: &KINDS,
        classes,
        registers,
        has_vector_class: false,
        reserved: &[],
        caller_saved: all.minus(callee_saved),
        callee_saved,
        reg_name: |_, _| "",
        pointer_bytes: 8,
        stack_align: 16,
        jump: J,
    }
}

/// Four registers of each class, two of them callee-saved.
pub(crate) fn machine() -> Machine {
    with(&FEW, PRegSet::of(&[i(3), i(4), f(2), f(3)]))
}

/// Twelve and eight registers.
pub(crate) fn roomy() -> Machine {
    with(&MANY, PRegSet::of(&[i(3), i(4), i(10), i(11), i(12), f(2), f(3), f(7)]))
}

/// Four of each, one callee-saved, and none for floating.
pub(crate) fn hard() -> Machine {
    with(&FEW, PRegSet::of(&[i(4)]))
}

/// The third class of `wide`: pairs of floating registers, for values of 16 bytes.
pub(crate) const PAIRS: Class = Class(2);

/// Pair `n`.
pub(crate) const fn d(n: u8) -> PReg {
    PReg(64 + n)
}

static PAIR_WIDTHS: [WidthRow; 1] = [width(16, DMOV, 39, 40)];

static WIDE: [ClassDesc; 3] = {
    let [int, float] =
        classes(&[i(1), i(2), i(3), i(4)], &[f(0), f(1), f(2), f(3), f(8), f(9), f(4), f(5), f(6), f(7)]);
    let pairs = ClassDesc {
        letter: b'd',
        prefix: b'd',
        first: d(0),
        count: 16,
        first_unit: 32,
        units: 2,
        kept_bytes: 8,
        order: &[d(0), d(1), d(4), d(2), d(3)],
        scratch: d(15),
        widths: &PAIR_WIDTHS,
    };
    [int, float, pairs]
};

/// Three classes and 80 registers, of which pairs overlap floating ones; calls preserve two pairs, but half
/// of each.
pub(crate) fn wide() -> Machine {
    with(&WIDE, PRegSet::of(&[i(3), i(4), f(4), f(5), f(6), f(7)]))
}

/// What a run did that can be seen from outside: every call with its arguments, and what was returned at the
/// end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) calls: Vec<(u32, Vec<u64>)>,
    pub(crate) returned: Option<Vec<u64>>,
}

/// A run: registers by operand, slots, flags.
struct Run<'a> {
    func: &'a Func,
    machine: &'a Machine,
    virt: BTreeMap<VReg, u64>,
    phys: [u64; 128],
    slots: Vec<u64>,
    flags: u64,
    trace: Trace,
}

/// Runs until return, `steps` rows, or `calls` calls. A function with a layout runs in layout order, falling
/// through where a block does not jump; one without takes its successors from its blocks.
pub(crate) fn run(func: &Func, machine: &Machine, steps: usize, calls: usize) -> Trace {
    let mut run = Run {
        func,
        machine,
        virt: BTreeMap::new(),
        phys: std::array::from_fn(|k| 0x5eed_0000 + k as u64),
        slots: vec![0xdead; func.slots.len()],
        flags: 0,
        trace: Trace::default(),
    };
    run.phys[0] = 0;
    let (mut b, mut left) = (Block::new(0), steps);
    let mut from = None;
    loop {
        if let Some(from) = from {
            run.phis(b, from);
        }
        let mut next = None;
        for m in func.rows(b) {
            if func.insts[m].op == PHI {
                continue;
            }
            if left == 0 || run.trace.calls.len() >= calls {
                return run.trace;
            }
            left -= 1;
            let flags = machine.row(func.insts[m].op).flags;
            if flags & RETURN != 0 {
                let values = func.uses(m).iter().map(|&u| run.read(u)).collect();
                run.trace.returned = Some(values);
                run.check_saved();
                return run.trace;
            }
            if flags & (JUMP | COND_BRANCH) != 0 {
                if flags & JUMP != 0 || run.taken(m) {
                    next = Some(Block::new(func.insts[m].sym as usize));
                    break;
                }
                continue;
            }
            run.step(m);
        }
        let fall = || {
            let at = func.layout.iter().position(|&l| l == b);
            at.map_or_else(|| func.blocks[b].succs[1].get().unwrap(), |at| func.layout[at + 1])
        };
        from = Some(b);
        b = next.unwrap_or_else(fall);
    }
}

impl Run<'_> {
    fn read(&self, o: Operand) -> u64 {
        match (o.as_virt(), o.as_phys()) {
            (Some(v), _) => self.virt[&v],
            (_, Some(reg)) => self.phys[reg.0 as usize],
            _ => 0,
        }
    }

    fn write(&mut self, o: Operand, value: u64) {
        match (o.as_virt(), o.as_phys()) {
            (Some(v), _) => drop(self.virt.insert(v, value)),
            (_, Some(reg)) => {
                self.destroy(self.machine.registers.units(reg), !value);
                self.phys[reg.0 as usize] = value;
            }
            _ => {}
        }
    }

    /// Whatever has a part in these units is gone.
    fn destroy(&mut self, units: PRegSet, value: u64) {
        let registers = &self.machine.registers;
        if registers.is_flat {
            return units.iter().for_each(|unit| self.phys[usize::from(unit.0)] = value);
        }
        for &reg in &registers.by_rank[..registers.ranks] {
            if registers.units(reg).meets(units) {
                self.phys[reg.0 as usize] = value;
            }
        }
    }

    fn phis(&mut self, b: Block, from: Block) {
        let func = self.func;
        let rows: Vec<Inst> = func.rows(b).take_while(|&m| func.insts[m].op == PHI).collect();
        let Some(k) = func.preds(b).iter().position(|&p| p == from) else { return };
        let values: Vec<u64> = rows.iter().map(|&m| self.read(func.uses(m)[k])).collect();
        for (m, value) in rows.into_iter().zip(values) {
            self.write(func.defs(m)[0], value);
        }
    }

    fn taken(&self, m: Inst) -> bool {
        let uses = self.func.uses(m);
        match self.func.insts[m].op.0 {
            15 => self.read(uses[0]) % 4 == self.read(uses[1]) % 4,
            16 => self.read(uses[0]) % 4 != self.read(uses[1]) % 4,
            32 => self.flags != 0,
            33 => self.flags == 0,
            _ => self.read(uses[0]) % 3 == 1,
        }
    }

    fn step(&mut self, m: Inst) {
        let func = self.func;
        let row = func.insts[m];
        let args: Vec<u64> = func.uses(m).iter().map(|&u| self.read(u)).collect();
        let imm = row.imm as u64;
        let arg = |k: usize| args[k];
        let mut second = 0;
        let value = match row.op.0 {
            1 => {
                for (k, &def) in func.defs(m).iter().enumerate() {
                    self.write(def, 0xabc + 77 * k as u64);
                }
                return;
            }
            4 | 5 | 38 => arg(0),
            6..=9 | 39 => self.slots[row.sym as usize],
            10..=13 | 40 => {
                self.slots[row.sym as usize] = arg(0);
                return;
            }
            18 => return self.call(m, args),
            19 | 23 | 42 => arg(0).wrapping_mul(3).wrapping_add(arg(1)),
            20 => arg(0).wrapping_sub(arg(1).rotate_left(7)),
            21 | 22 | 41 => imm.wrapping_mul(0x9e37_79b9),
            24 => arg(0).wrapping_mul(31).wrapping_add(imm),
            25 => arg(0).wrapping_mul(5) ^ arg(1).wrapping_mul(arg(2)),
            26 | 46 => arg(0).rotate_left(9) ^ arg(1),
            27 | 28 | 44 => arg(0) ^ 0xf10a,
            43 => arg(0).wrapping_mul(9) ^ arg(1),
            29 => arg(0).wrapping_add(imm),
            30 => {
                self.flags = u64::from(arg(0) % 5 < arg(1) % 5);
                return;
            }
            31 => self.flags,
            34 | 45 => arg(0).wrapping_add(arg(1).wrapping_mul(7)),
            35 => {
                second = arg(0) % (arg(1) | 1);
                arg(0) / (arg(1) | 1)
            }
            48 => {
                second = arg(2).wrapping_mul(11).wrapping_add(arg(0));
                arg(1).wrapping_add(arg(0).wrapping_mul(7))
            }
            op => panic!("opcode {op}"),
        };
        // An early definition is there before the uses are read.
        let early = self.machine.is(func, m, EARLY_DEF);
        self.write(func.defs(m)[0], if early { 0xbad } else { value });
        if early {
            let args: Vec<u64> = func.uses(m).iter().map(|&u| self.read(u)).collect();
            self.write(func.defs(m)[0], args[0].rotate_left(9) ^ args[1]);
        }
        for (def, use_) in ties(self.machine.row(row.op).flags, func.uses(m).len()).enumerate() {
            let (d, s) = (func.defs(m)[def].as_phys(), func.uses(m)[use_].as_phys());
            assert!(d.is_none() || d == s, "tied operands apart at {m:?}");
        }
        if let Some(&def) = func.defs(m).get(1) {
            self.write(def, second);
        }
    }

    fn call(&mut self, m: Inst, args: Vec<u64>) {
        let func = self.func;
        let sym = func.insts[m].sym;
        let mut hash = u64::from(sym) + self.trace.calls.len() as u64;
        for &arg in &args {
            hash = hash.wrapping_mul(0x0100_0000_01b3) ^ arg;
        }
        self.trace.calls.push((sym, args));
        self.destroy(self.machine.caller_saved, 0xc10b_be7e ^ hash);
        for class in self.machine.classes {
            // Where no width survives, no value does.
            if class.widths.iter().all(|width| width.bytes > class.kept_bytes) {
                (0..class.count).for_each(|k| self.phys[usize::from(class.first.0 + k)] ^= 0xdead << 40);
            }
        }
        for (k, &def) in func.defs(m).iter().enumerate() {
            self.write(def, hash.rotate_left(11 * k as u32 + 1));
        }
    }

    fn check_saved(&self) {
        let registers = &self.machine.registers;
        let owed = |reg: &&PReg| {
            let units = registers.units(**reg);
            units.minus(self.machine.callee_saved).is_empty() && !units.meets(self.func.saved)
        };
        for reg in registers.by_rank[..registers.ranks].iter().filter(owed) {
            let class = self.machine.class(registers.class(*reg));
            if class.widths.iter().all(|width| width.bytes > class.kept_bytes) {
                continue;
            }
            assert_eq!(
                self.phys[reg.0 as usize],
                0x5eed_0000 + u64::from(reg.0),
                "{reg:?} was not preserved"
            );
        }
    }
}
