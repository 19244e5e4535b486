//! Memory while value numbering walks: the last writes to each object, as epochs.

use super::joins::{Class, Joins};
use crate::analysis::Effects;
use crate::analysis::effects::base_of_region;
use crate::analysis::memory::Base;
use crate::base::{Column, Opt};
use crate::ir::{Block, Body, Env, GlobalId, Inst};

/// The last writes, as epochs. Those go on from function to function, so that columns need not be cleared.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The last epoch that was begun.
    epochs: u32,
    last: Last,
    /// Per global and per alloca: the last write that can only be to it.
    globals: Column<GlobalId, u32>,
    allocas: Column<Inst, u32>,
    /// What the two columns had before, since the function began.
    log: Vec<(Base, u32)>,
    /// Per block: what was the last at its end, and how long the log was.
    after: Column<Block, (Last, u32)>,
    /// The block that was left last.
    last_block: Opt<Block>,
    /// By epoch of this function: what has begun it.
    writers: Vec<Writer>,
    first: u32,
}

/// What has begun an epoch.
#[derive(Copy, Clone, Debug)]
pub(super) struct Writer {
    /// The only write, if there is one.
    pub write: Opt<Inst>,
    pub base: Base,
    /// The epoch, before it, of what has this base.
    pub before: u32,
}

/// The last writes of each kind.
#[derive(Copy, Clone, Debug, Default)]
struct Last {
    /// To anything.
    anywhere: u32,
    /// Through a parameter: not to an alloca.
    param: u32,
    /// To some global, and to anything at all.
    global: u32,
    any: u32,
}

impl Memory {
    pub(super) fn begin(&mut self, env: &Env, f: &Body) {
        if self.epochs > u32::MAX / 2 {
            *self = Memory::default();
        }
        self.globals.grow_to(env.globals.len(), 0);
        self.allocas.grow_to(f.inst_count(), 0);
        self.after.reset(f.block_count(), (Last::default(), 0));
        self.log.clear();
        self.writers.clear();
        self.first = self.epochs + 1;
        self.last_block = Opt::NONE;
        self.write(env, Base::Unknown);
    }

    /// Goes back to the end of a block that dominates all blocks since.
    pub(super) fn go_back(&mut self, b: Block) {
        if self.last_block == Opt::some(b) {
            return;
        }
        let (last, length) = self.after[b];
        self.last = last;
        while self.log.len() > length as usize
            && let Some((base, epoch)) = self.log.pop()
        {
            match base {
                Base::Own(i) => self.allocas[i] = epoch,
                Base::Global(global) => self.globals[global] = epoch,
                Base::Param(_) | Base::Unknown => {}
            }
        }
    }

    /// Notes what may have been written between the immediate dominator of a block and the block.
    pub(super) fn join(&mut self, env: &Env, b: Block, joins: &Joins) {
        for class in joins.written(b) {
            let base = match class {
                Class::Anything => Base::Unknown,
                Class::Params => Base::Param(0),
                Class::Object(base) => base,
            };
            self.write(env, base);
        }
    }

    pub(super) fn leave(&mut self, b: Block) {
        self.after[b] = (self.last, self.log.len() as u32);
        self.last_block = Opt::some(b);
    }

    pub(super) fn write(&mut self, env: &Env, base: Base) {
        self.begin_epoch(env, base, Writer { write: Opt::NONE, base, before: 0 });
    }

    /// The same, of an instruction that writes nowhere else.
    pub(super) fn write_by(&mut self, env: &Env, base: Base, i: Inst) {
        let before = self.epoch(env, base);
        self.begin_epoch(env, base, Writer { write: Opt::some(i), base, before });
    }

    fn begin_epoch(&mut self, env: &Env, base: Base, writer: Writer) {
        self.epochs += 1;
        self.writers.push(writer);
        let now = self.epochs;
        self.last.any = now;
        match base {
            Base::Own(i) => self.log.push((base, std::mem::replace(&mut self.allocas[i], now))),
            Base::Global(global) => {
                if !env.globals[global].uncaptured {
                    self.last.global = now;
                }
                self.log.push((base, std::mem::replace(&mut self.globals[global], now)));
            }
            Base::Param(_) => self.last.param = now,
            Base::Unknown => self.last.anywhere = now,
        }
    }

    /// What has begun an epoch of this function.
    pub(super) fn writer(&self, epoch: u32) -> Option<Writer> {
        self.writers.get(epoch.checked_sub(self.first)? as usize).copied()
    }

    pub(super) fn call(&mut self, env: &Env, f: &Body, i: Inst, effects: &Effects) {
        let Some(regions) = effects.writes(f.callee(i)) else { return self.write(env, Base::Unknown) };
        for &region in regions {
            self.write(env, base_of_region(f, i, region));
        }
    }

    /// The last write that may have changed what a call reads.
    pub(super) fn epoch_of_call(&self, env: &Env, f: &Body, i: Inst, effects: &Effects) -> u32 {
        let Some(regions) = effects.reads(f.callee(i)) else { return self.last.any };
        let epochs = regions.iter().map(|&region| self.epoch(env, base_of_region(f, i, region)));
        epochs.max().unwrap_or(0)
    }

    /// The last write that may have changed what is at an address.
    pub(super) fn epoch(&self, env: &Env, base: Base) -> u32 {
        let Last { anywhere, param, global, any } = self.last;
        match base {
            Base::Own(i) => anywhere.max(self.allocas[i]),
            Base::Global(g) if env.globals[g].constant => 0,
            Base::Global(g) if env.globals[g].uncaptured => anywhere.max(self.globals[g]),
            Base::Global(g) => anywhere.max(param).max(self.globals[g]),
            Base::Param(_) => anywhere.max(param).max(global),
            Base::Unknown => any,
        }
    }
}
