//! Random programs for the toy machine, in SSA: any graph of blocks, with loops, phis, calls and all
//! constraints.

use crate::base::{Column, Handle, Opt};
use crate::mir::desc::{ENTRY, PHI};
use crate::mir::func::BlockRow;
use crate::mir::toy::*;
use crate::mir::{Block, Class, Func, Inst, InstRow, Machine, MachineOp, Operand, PReg, SlotKind, VReg};

/// A generator of random numbers: xorshift over a spread seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A program under construction: rows per block, and per block the value of every variable at its end.
pub(super) struct Builder {
    pub(super) func: Func,
    pub(super) rows: Vec<Vec<InstRow>>,
}

impl Builder {
    pub(super) fn new() -> Builder {
        Builder { func: Func::default(), rows: Vec::new() }
    }

    pub(super) fn block(&mut self, depth: u32) -> Block {
        self.rows.push(Vec::new());
        self.func.blocks.push(BlockRow {
            first: Inst::new(0),
            end: Inst::new(0),
            succs: [Opt::NONE; 2],
            first_pred: 0,
            pred_count: 0,
            loop_depth: depth,
            frequency: 1024 << (3 * depth.min(8)),
        })
    }

    pub(super) fn vreg(&mut self, class: Class) -> VReg {
        let narrow = if self.func.vregs.len().is_multiple_of(3) { 8 } else { 4 };
        self.func.new_vreg(class, if class == PAIRS { 16 } else { narrow })
    }

    pub(super) fn push(
        &mut self,
        b: Block,
        op: MachineOp,
        defs: &[Operand],
        uses: &[Operand],
        imm: i32,
        sym: u32,
    ) {
        let row = self.func.make_row(op, defs, uses, imm, sym);
        self.rows[b.index()].push(row);
    }

    /// A row that defines one new value.
    pub(super) fn op(&mut self, b: Block, op: MachineOp, class: Class, uses: &[VReg], imm: i32) -> VReg {
        let d = self.vreg(class);
        let uses: Vec<Operand> = uses.iter().map(|&v| Operand::virt(v)).collect();
        self.push(b, op, &[Operand::virt(d)], &uses, imm, 0);
        d
    }

    pub(super) fn jump(&mut self, b: Block, to: Block) {
        self.push(b, J, &[], &[], 0, to.index() as u32);
        self.func.blocks[b].succs = [Opt::some(to), Opt::NONE];
    }

    pub(super) fn branch(&mut self, b: Block, op: MachineOp, uses: &[VReg], to: Block, fall: Block) {
        let uses: Vec<Operand> = uses.iter().map(|&v| Operand::virt(v)).collect();
        self.push(b, op, &[], &uses, 0, to.index() as u32);
        self.func.blocks[b].succs = [Opt::some(to), Opt::some(fall)];
    }

    /// Predecessor lists, from successors.
    pub(super) fn connect(&mut self) {
        let func = &mut self.func;
        let mut preds: Column<Block, Vec<Block>> = Column::filled(func.blocks.len(), Vec::new());
        for b in func.blocks.keys() {
            for s in func.succs(b) {
                preds[s].push(b);
            }
        }
        for b in func.blocks.keys() {
            func.blocks[b].first_pred = func.preds.len() as u32;
            func.blocks[b].pred_count = preds[b].len() as u32;
            func.preds.extend(&preds[b]);
        }
    }

    pub(super) fn finish(mut self) -> Func {
        for (k, rows) in self.rows.into_iter().enumerate() {
            let row = &mut self.func.blocks[Block::new(k)];
            row.first = self.func.insts.next_handle();
            for r in rows {
                self.func.insts.push(r);
                self.func.loc.push(u32::MAX);
            }
            row.end = self.func.insts.next_handle();
        }
        self.func.note_values();
        self.func
    }
}

const CLASSES: [Class; 3] = [Class::INT, FLOAT, PAIRS];
const ARGS: [&[PReg]; 3] = [&[i(1), i(2)], &[f(0), f(1)], &[d(1)]];

/// Up to two fixed operands of each class.
fn fixed(random: &mut Random, vars: &[VReg], func: &Func) -> Vec<Operand> {
    let mut out = Vec::new();
    for class in CLASSES {
        let of: Vec<VReg> = vars.iter().copied().filter(|&v| func.vregs[v].class == class).collect();
        for reg in ARGS[class.index()].iter().take(random.below(3)) {
            if !of.is_empty() {
                out.push(Operand::fixed(of[random.below(of.len())], *reg));
            }
        }
    }
    out
}

pub(super) fn program(random: &mut Random, machine: &Machine) -> Func {
    let mut p = Builder::new();
    let count = 1 + random.below(9);
    let calls = [0, 5, 15, 40][random.below(4)];
    let plain = 1 + random.below(10);
    if random.chance(50) {
        any_graph(random, &mut p, count)
    } else {
        nested_loops(random, &mut p, 3 * count)
    }
    split_critical_edges(&mut p);
    p.connect();
    // Variables: at least one integer and one float; each has a value at the end of each block.
    let ints = 1 + random.below(14);
    let floats = 1 + random.below(7);
    let pairs = if machine.classes.len() > 2 { 1 + random.below(5) } else { 0 };
    let counts = [(Class::INT, ints), (FLOAT, floats), (PAIRS, pairs)];
    let classes: Vec<Class> =
        counts.into_iter().flat_map(|(class, n)| std::iter::repeat_n(class, n)).collect();
    // Some never change after the entry, so they need no phis and live through loops as they are.
    let frozen: Vec<bool> = classes.iter().map(|_| random.chance(40)).collect();
    let mut ends: Vec<Vec<VReg>> = Vec::new();
    let mut phis: Vec<(Block, usize, VReg)> = Vec::new();
    // In this order a block's only predecessor may come later: then phis of one operand stand in.
    for b in p.func.blocks.keys() {
        let mut vars: Vec<VReg> = Vec::new();
        if b.index() == 0 {
            entry(random, &mut p, &classes, &mut vars);
        } else if let [pred] = *p.func.preds(b)
            && pred < b
        {
            vars = ends[pred.index()].clone();
        } else {
            for (k, &class) in classes.iter().enumerate() {
                if frozen[k] {
                    vars.push(ends[0][k]);
                    continue;
                }
                // A phi joins values of its own size.
                let v = p.func.new_vreg(class, if class == PAIRS { 16 } else { 8 });
                phis.push((b, k, v));
                vars.push(v);
            }
        }
        for _ in 0..random.below(plain + 1) {
            step(random, &mut p, b, &classes, &mut vars, calls);
            if b.index() > 0 {
                // What would have changed a frozen variable is computed for nothing.
                (0..vars.len()).filter(|&k| frozen[k]).for_each(|k| vars[k] = ends[0][k]);
            }
        }
        terminate(random, &mut p, b, &mut vars, ints);
        ends.push(vars);
    }
    let mut heads: Vec<Vec<InstRow>> = vec![Vec::new(); p.rows.len()];
    for (b, k, v) in phis {
        let preds = p.func.preds(b).to_vec();
        let uses: Vec<Operand> = preds.iter().map(|&pred| Operand::virt(ends[pred.index()][k])).collect();
        let row = p.func.make_row(PHI, &[Operand::virt(v)], &uses, uses.len() as i32, 0);
        heads[b.index()].push(InstRow { uses: 0, ..row });
    }
    for (rows, head) in p.rows.iter_mut().zip(heads) {
        rows.splice(0..0, head);
    }
    p.finish()
}

/// Blocks that go anywhere, forward mostly, so that most programs end.
fn any_graph(random: &mut Random, p: &mut Builder, count: usize) {
    for _ in 0..count {
        let depth = random.below(4) as u32;
        p.block(depth);
    }
    for b in (0..count).map(Block::new) {
        let pick = |random: &mut Random| {
            let low = if random.chance(70) { b.index() } else { 0 };
            Block::new(1 + low.min(count - 1) + random.below(count - low.min(count - 1)))
        };
        let (s, t) = (pick(random), pick(random));
        let real = |b: Block| b.index() < count;
        p.func.blocks[b].succs = match (real(s), real(t)) {
            (true, true) if s != t => [Opt::some(s), Opt::some(t)],
            (true, _) => [Opt::some(s), Opt::NONE],
            (_, true) => [Opt::some(t), Opt::NONE],
            _ => [Opt::NONE; 2],
        };
    }
}

/// Loops in loops, and alternatives in between.
fn nested_loops(random: &mut Random, p: &mut Builder, count: usize) {
    let mut open: Vec<Block> = Vec::new();
    let mut b = p.block(0);
    for _ in 0..count {
        let depth = open.len() as u32;
        b = match random.below(4) {
            0 | 1 if depth < 4 => {
                let header = p.block(depth + 1);
                p.func.blocks[b].succs[0] = Opt::some(header);
                open.push(header);
                header
            }
            2 => {
                let (side, join) = (p.block(depth), p.block(depth));
                p.func.blocks[b].succs = [Opt::some(side), Opt::some(join)];
                p.func.blocks[side].succs = [Opt::some(join), Opt::NONE];
                join
            }
            _ => {
                let Some(header) = open.pop() else { continue };
                let next = p.block(depth - 1);
                p.func.blocks[b].succs = [Opt::some(header), Opt::some(next)];
                next
            }
        };
    }
}

fn split_critical_edges(p: &mut Builder) {
    for b in p.func.blocks.keys() {
        if p.func.blocks[b].succs[1].is_none() {
            continue;
        }
        for k in 0..2 {
            let Some(s) = p.func.blocks[b].succs[k].get() else { continue };
            let depth = p.func.blocks[s].loop_depth;
            let middle = p.block(depth);
            p.func.blocks[middle].succs[0] = Opt::some(s);
            p.func.blocks[b].succs[k] = Opt::some(middle);
        }
    }
}

fn entry(random: &mut Random, p: &mut Builder, classes: &[Class], vars: &mut Vec<VReg>) {
    let b = Block::new(0);
    let mut params = Vec::new();
    for class in CLASSES.into_iter().filter(|class| classes.contains(class)) {
        for &reg in ARGS[class.index()].iter().take(random.below(3)) {
            let v = p.vreg(class);
            params.push(Operand::fixed(v, reg));
        }
    }
    p.push(b, ENTRY, &params, &[], 0, 0);
    for (k, &class) in classes.iter().enumerate() {
        let arrived = params
            .iter()
            .filter_map(|o| o.as_virt())
            .find(|&v| p.func.vregs[v].class == class && !vars.contains(&v));
        vars.push(match arrived {
            Some(v) => v,
            None => p.op(b, [LI, FLI, DLI][class.index()], class, &[], k as i32 + 1),
        });
    }
}

/// One random row, or a pair that belongs together.
fn step(random: &mut Random, p: &mut Builder, b: Block, classes: &[Class], vars: &mut [VReg], calls: usize) {
    let k = random.below(classes.len());
    let class = classes[k];
    let ints = classes.iter().filter(|&&c| c == Class::INT).count();
    let int = |random: &mut Random, vars: &[VReg]| vars[random.below(ints)];
    let floats = classes.iter().filter(|&&c| c == FLOAT).count();
    let float = |random: &mut Random, vars: &[VReg]| vars[ints + random.below(floats)];
    let pair =
        |random: &mut Random, vars: &[VReg]| vars[ints + floats + random.below(vars.len() - ints - floats)];
    let imm = random.below(1000) as i32;
    if random.chance(calls) {
        let uses = fixed(random, vars, &p.func);
        let mut defs = Vec::new();
        for (class, regs) in CLASSES.into_iter().zip(ARGS).filter(|(class, _)| classes.contains(class)) {
            for &reg in regs.iter().take(random.below(3)) {
                let v = p.vreg(class);
                defs.push(Operand::fixed(v, reg));
                if random.chance(80) {
                    let at =
                        (0..classes.len()).filter(|&k| classes[k] == class).nth(random.below(2)).unwrap_or(k);
                    if classes[at] == class {
                        vars[at] = v;
                    }
                }
            }
        }
        p.push(b, CALL_OP, &defs, &uses, 0, imm as u32);
        return;
    }
    if class == Class::INT {
        let (x, y) = (int(random, vars), int(random, vars));
        vars[k] = match random.below(12) {
            0 => p.op(b, LI, class, &[], imm),
            1 => p.op(b, MOV, class, &[x], 0),
            2 => p.op(b, MOVK, class, &[x], imm),
            3 => p.op(b, EARLY, class, &[x, y], 0),
            4 => p.op(b, ACC, class, &[x, y], 0),
            5 => {
                let z = float(random, vars);
                p.op(b, CVTI, class, &[z], 0)
            }
            6 => {
                p.push(b, CMP, &[], &[Operand::virt(x), Operand::virt(y)], 0, 0);
                p.op(b, CSET, class, &[], 0)
            }
            7 => {
                let (q, r) = (p.vreg(class), p.vreg(class));
                p.push(b, DIVMOD, &[q, r].map(Operand::virt), &[x, y].map(Operand::virt), 0, 0);
                if random.chance(50) { q } else { r }
            }
            8 => p.op(b, ADDI, class, &[x], imm),
            10 => {
                // Of three values and two results, machines would need five registers.
                let (low, high) = (p.vreg(class), p.vreg(class));
                let uses = [if random.chance(50) { x } else { y }, x, y].map(Operand::virt);
                p.push(b, ONTO, &[low, high].map(Operand::virt), &uses, 0, 0);
                if random.chance(50) { low } else { high }
            }
            9 => {
                let slot = p.func.new_slot(SlotKind::Local, 8, 8);
                p.push(b, MachineOp(11), &[], &[Operand::virt(x), Operand::FRAME], 0, slot.index() as u32);
                let d = p.vreg(class);
                p.push(b, MachineOp(7), &[Operand::virt(d)], &[Operand::FRAME], 0, slot.index() as u32);
                d
            }
            _ => p.op(b, if random.chance(50) { ADD } else { SUB }, class, &[x, y], 0),
        };
    } else if class == PAIRS {
        let (x, y) = (pair(random, vars), pair(random, vars));
        vars[k] = match random.below(6) {
            0 => p.op(b, DLI, class, &[], imm),
            1 => p.op(b, DMOV, class, &[x], 0),
            2 => p.op(b, DACC, class, &[x, y], 0),
            3 => p.op(b, DEARLY, class, &[x, y], 0),
            4 => {
                let (low, high) = (float(random, vars), float(random, vars));
                p.op(b, PAIR, class, &[low, high], 0)
            }
            _ => p.op(b, DADD, class, &[x, y], 0),
        };
    } else {
        let (x, y, z) = (float(random, vars), float(random, vars), float(random, vars));
        vars[k] = match random.below(5) {
            0 => p.op(b, FLI, class, &[], imm),
            1 => p.op(b, FMOV, class, &[x], 0),
            2 => p.op(b, FMA, class, &[x, y, z], 0),
            3 => {
                let z = int(random, vars);
                p.op(b, CVT, class, &[z], 0)
            }
            4 if classes.contains(&PAIRS) => {
                let z = pair(random, vars);
                p.op(b, LOW, class, &[z], 0)
            }
            _ => p.op(b, FADD, class, &[x, y], 0),
        };
    }
}

fn terminate(random: &mut Random, p: &mut Builder, b: Block, vars: &mut [VReg], ints: usize) {
    let succs = p.func.blocks[b].succs;
    match (succs[0].get(), succs[1].get()) {
        (Some(s), Some(t)) => {
            let (x, y) = (vars[random.below(ints)], vars[random.below(ints)]);
            match random.below(3) {
                0 => p.branch(b, BEQ, &[x, y], s, t),
                1 => p.branch(b, BONE, &[x], s, t),
                _ => {
                    p.push(b, CMP, &[], &[x, y].map(Operand::virt), 0, 0);
                    p.branch(b, BFLAG, &[], s, t);
                }
            }
        }
        (Some(s), None) => p.jump(b, s),
        _ => {
            let uses = fixed(random, vars, &p.func);
            p.push(b, RET, &[], &uses, 0, 0);
        }
    }
}
