//! Functions of the runtime library that a target has as machine code: what the library's own source cannot
//! say. A table of lines a function, each a row of the target's opcodes with physical registers, so that text
//! and bytes come from the same rows as those of compiled functions. O(lines).

use crate::base::{Handle, Opt};
use crate::mir::desc::{COND_BRANCH, JUMP, RETURN};
use crate::mir::func::BlockRow;
use crate::mir::{Block, Func, Inst, Machine, MachineOp, Operand, PReg};

/// One line of a stub.
#[derive(Debug)]
pub enum Line {
    /// A row: its definitions, uses, immediate, and what it names.
    Row(MachineOp, &'static [PReg], &'static [PReg], i32, Name),
    /// The next block starts here. The first one needs no such line.
    Block,
}

/// What a row names.
#[derive(Debug)]
pub enum Name {
    /// Nothing.
    None,
    /// A block of the stub.
    Block(u32),
    /// A function of the library.
    Func(&'static str),
}

/// A function in machine code.
#[derive(Debug)]
pub struct Stub {
    /// Its symbol.
    pub name: &'static str,
    /// What it does.
    pub lines: &'static [Line],
}

/// What a target adds to the runtime library.
#[derive(Debug)]
pub struct Stubs {
    /// Functions in machine code.
    pub stubs: &'static [Stub],
    /// Constants in SysY, in front of the library's source.
    pub constants: &'static str,
}

/// A row with definitions, uses and an immediate.
pub const fn line(op: MachineOp, defs: &'static [PReg], uses: &'static [PReg], imm: i32) -> Line {
    Line::Row(op, defs, uses, imm, Name::None)
}

/// A branch or jump to a block.
pub const fn branch(op: MachineOp, uses: &'static [PReg], imm: i32, to: u32) -> Line {
    Line::Row(op, &[], uses, imm, Name::Block(to))
}

/// A call of a function of the library.
pub const fn call(op: MachineOp, name: &'static str) -> Line {
    Line::Row(op, &[], &[], 0, Name::Func(name))
}

impl Stub {
    /// The functions that it calls.
    pub fn calls(&self) -> impl Iterator<Item = &'static str> {
        self.lines.iter().filter_map(|line| match line {
            Line::Row(.., Name::Func(name)) => Some(*name),
            _ => None,
        })
    }

    /// The function, final; `number` gives the numbers of functions.
    pub fn build(&self, id: u32, machine: &Machine, mut number: impl FnMut(&'static str) -> u32) -> Func {
        let mut func = Func { id, ..Func::default() };
        let mut first = Inst::new(0);
        let mut blocks = Vec::new();
        for line in self.lines {
            match line {
                Line::Block => {
                    blocks.push((first, func.insts.next_handle()));
                    first = func.insts.next_handle();
                }
                Line::Row(op, defs, uses, imm, name) => {
                    let sym = match name {
                        Name::None => 0,
                        Name::Block(b) => *b,
                        Name::Func(name) => number(name),
                    };
                    let operands =
                        |regs: &[PReg]| regs.iter().map(|&reg| Operand::phys(reg)).collect::<Vec<_>>();
                    let row = func.make_row(*op, &operands(defs), &operands(uses), *imm, sym);
                    func.insts.push(row);
                    func.loc.push(u32::MAX);
                }
            }
        }
        blocks.push((first, func.insts.next_handle()));
        let count = blocks.len();
        for (k, (first, end)) in blocks.into_iter().enumerate() {
            let mut succs = [Opt::NONE; 2];
            let last = (first < end).then(|| func.insts[Inst::new(end.index() - 1)]);
            let flags = last.map_or(0, |row| machine.row(row.op).flags);
            let next = if k + 1 < count { Opt::some(Block::new(k + 1)) } else { Opt::NONE };
            match last {
                Some(row) if flags & COND_BRANCH != 0 => {
                    succs = [Opt::some(Block::new(row.sym as usize)), next];
                }
                Some(row) if flags & JUMP != 0 => succs[0] = Opt::some(Block::new(row.sym as usize)),
                _ if flags & RETURN != 0 => {}
                _ => succs[0] = next,
            }
            func.blocks.push(BlockRow {
                first,
                end,
                succs,
                first_pred: 0,
                pred_count: 0,
                loop_depth: 0,
                frequency: 1024,
            });
        }
        func
    }
}
