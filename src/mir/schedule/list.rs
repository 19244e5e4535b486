//! The order of a region: row by row what can issue first, of those what has the longest way to the end, of those what came
//! first. In front of allocation what would need more registers than there are waits, as long as something else is ready.
//!
//! Of a loop's block the order is made twice, the second time with operands that come from the round before as late as they
//! do in the first one. Where results are written in order, a load that is begun early holds up what is done sooner: so there
//! the order is made again by when rows could issue if that were not so, and by the longest way alone (by llvm-mca's cycles of
//! the U74: `softmax` 0.83, `jacobi` 0.81, `saxpy` 0.81; all kernels 0.965 to 0.956). Orders are compared by the cycles of a round, and one that does
//! not save a cycle is dropped.

use super::super::model::Model;
use super::graph::{NO_NODE, Region};
use super::pressure::{Pressure, SPILLS};
use super::timeline::Timeline;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct List {
    /// The order that was found.
    pub(super) best: Vec<u16>,
    order: Vec<u16>,
    waits: Vec<u16>,
    /// Nodes by the longest way to the end, of those of one length what came first; and per node its place there.
    by_height: Vec<u16>,
    rank: Vec<u16>,
    /// Of `rank`: by how much lower than the highest way, the first place that is left.
    starts: Vec<u16>,
    /// The ranks of what is ready, the first one last.
    ready: Vec<u16>,
    at: Vec<u32>,
    issued: Vec<u32>,
    is_done: Vec<bool>,
    /// By what rows are chosen.
    choice: Choice,
    /// Where the order ends.
    cycle: u32,
    /// The best one while those are tried that spill more, and when its rows issue.
    kept: Vec<u16>,
    kept_issued: Vec<u32>,
}

/// Cycles of a region.
#[derive(Copy, Clone, Debug)]
pub(super) struct Goal {
    /// It is looked at as if it were repeated.
    repeats: bool,
    /// As its rows stand.
    before: u32,
    /// No order takes fewer; and those for which the pipe that most rows need is taken.
    least: u32,
    bound: u32,
}

/// By what the next row is chosen.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Choice {
    /// When it issues.
    #[default]
    Issue,
    /// When it could, if results had not to be written in order.
    Operands,
    /// The longest way, of what could issue in the next cycle.
    Height,
}

/// What became of an order.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Made {
    Order,
    /// It needs too many registers.
    Tight,
    /// It takes no fewer cycles than it had to.
    Slow,
}

/// Orders that are tried until one needs no more registers than it may: from how many quarters of what is allowed above the
/// start what is under way is finished first, and how far a row may come before the first one that is left.
const ATTEMPTS: [(i32, usize); 7] =
    [(4, usize::MAX), (3, usize::MAX), (2, usize::MAX), (3, 24), (3, 12), (4, 6), (4, 3)];

/// So many of them are tried where an order may spill: of 1,218 compiles none has other bytes by the others, and 30 by the second one.
const OF_SPILLS: usize = 2;

/// Rows of a region of which what it leaves to the next one, a pipe or a result that is still to be written, is as much as it takes:
/// it is looked at as if it were repeated, too.
const SHORT: usize = 4;

/// Rows of a region from which on other choices are tried.
const LONG: usize = 8;

/// Rounds that are looked at of what is repeated.
const ROUNDS: u32 = 2;

impl List {
    /// What an order of a region has to be better than; none if no order can be.
    pub(super) fn goal(&mut self, region: &mut Region, model: &Model) -> Option<Goal> {
        let count = region.len();
        self.order.clear();
        self.order.extend(0..count as u16);
        let repeats = region.is_loop || count <= SHORT;
        let before = measure(region, model, &self.order, repeats);
        let (least, bound) = least(region, model, repeats);
        (before > least).then_some(Goal { repeats, before, least, bound })
    }

    /// True if there is a better order than that of the rows, which is `best` then.
    pub(super) fn improve(
        &mut self,
        region: &mut Region,
        model: &Model,
        goal: Goal,
        pressure: Option<&mut Pressure>,
    ) -> bool {
        let Goal { repeats, before, least, bound } = goal;
        let is_whole_loop = pressure.as_ref().is_some_and(|pressure| pressure.is_whole_loop());
        // Where there are registers for all, nothing has to be counted.
        let mut pressure = pressure.filter(|pressure| !pressure.is_slack());
        let count = region.len();
        self.by_height.clear();
        let mut least_so_far = before;
        for choice in [Choice::Issue, Choice::Operands, Choice::Height] {
            self.issued.clear();
            for second in [false, true] {
                if least_so_far <= least || second && !(repeats && region.carries()) {
                    break;
                }
                let length = if second { least_so_far } else { 0 };
                self.choice = choice;
                // What comes from the round before is not known to be as late as the order has it.
                let below = if repeats && region.carries() { u32::MAX } else { least_so_far };
                if !self.make_within(region, model, (length, below), pressure.as_deref_mut()) {
                    break;
                }
                // Of what is not repeated the order says it.
                let cycles = if repeats { measure(region, model, &self.order, true) } else { self.cycle };
                if cycles < least_so_far {
                    least_so_far = cycles;
                    std::mem::swap(&mut self.best, &mut self.order);
                }
            }
            // (Behind allocation, in short regions and where an eighth is left at most, others took 9% of -O2 on `dense_cfg`, for 0.2% of
            // the U74's cycles.)
            let is_far = is_whole_loop && count >= LONG && least_so_far * 8 > bound * 9;
            if !model.writes_in_order || !is_far {
                break;
            }
        }
        least_so_far < before
    }

    /// Ranks the nodes of a region: counts those of each height, and where the first of them stands.
    fn rank(&mut self, region: &Region) {
        let count = region.len();
        let highest = region.height.iter().copied().max().unwrap_or(0);
        let row_of = |height: u32| (highest - height) as usize;
        self.starts.clear();
        self.starts.resize(highest as usize + 2, 0);
        for &height in &region.height {
            self.starts[row_of(height) + 1] += 1;
        }
        for k in 1..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        self.by_height.resize(count, 0);
        self.rank.resize(count, 0);
        for (node, &height) in region.height.iter().enumerate() {
            let rank = &mut self.starts[row_of(height)];
            self.rank[node] = *rank;
            self.by_height[usize::from(*rank)] = node as u16;
            *rank += 1;
        }
    }

    /// Puts a node among those that are ready.
    #[inline]
    fn add_ready(&mut self, node: u16) {
        let rank = self.rank[usize::from(node)];
        let mut place = self.ready.len();
        self.ready.push(rank);
        // A few places at most: a call that moves memory takes longer.
        while place > 0 && self.ready[place - 1] < rank {
            self.ready[place] = self.ready[place - 1];
            place -= 1;
        }
        self.ready[place] = rank;
    }

    /// Takes the node at a place of those that are ready.
    #[inline]
    fn take_ready(&mut self, place: usize) -> u16 {
        let rank = self.ready[place];
        for k in place + 1..self.ready.len() {
            self.ready[k - 1] = self.ready[k];
        }
        self.ready.pop();
        self.by_height[usize::from(rank)]
    }

    /// Makes an order, if need be with fewer values in registers before what is under way is finished first. Of a loop that would
    /// take far fewer cycles with more registers, it makes others that spill more, and takes the one that is least with what that costs, if
    /// a sixteenth is saved.
    fn make_within(
        &mut self,
        region: &Region,
        model: &Model,
        (length, below): (u32, u32),
        mut pressure: Option<&mut Pressure>,
    ) -> bool {
        let issued = std::mem::take(&mut self.issued);
        let can_spill = pressure.as_ref().is_some_and(|pressure| pressure.can_spill());
        let below = if can_spill { u32::MAX } else { below };
        let is_made = self.attempt(
            region,
            model,
            (length, below, &issued),
            pressure.as_deref_mut().map(|it| (it, None)),
        );
        let Some(pressure) = pressure.filter(|_| can_spill) else { return is_made };
        let cycles = if is_made { self.cycle } else { u32::MAX };
        self.keep();
        // (Tried whatever that may bring, 3% of -O2 on `loop_nests` went to loops that had nothing of it.)
        let far_below = (u64::from(cycles) * 5).div_ceil(6) as u32;
        let is_slow = self.attempt(region, model, (length, far_below, &issued), None);
        let (mut kept, mut least) = (cycles, cycles - if is_made { cycles / 16 } else { 0 });
        for spills in SPILLS.into_iter().filter(|_| is_slow) {
            if self.attempt(region, model, (length, least, &issued), Some((pressure, Some(spills))))
                && self.cycle + pressure.price() < least
            {
                (kept, least) = (self.cycle, self.cycle + pressure.price());
                self.keep();
            }
        }
        self.keep();
        self.cycle = kept;
        kept != u32::MAX
    }

    /// The order that was made for the one that is kept.
    fn keep(&mut self) {
        std::mem::swap(&mut self.order, &mut self.kept);
        std::mem::swap(&mut self.issued, &mut self.kept_issued);
    }

    /// The first order of `ATTEMPTS` that has registers, if it ends in front of a cycle; with a number, it may spill so many values.
    fn attempt(
        &mut self,
        region: &Region,
        model: &Model,
        (length, below, issued): (u32, u32, &[u32]),
        mut pressure: Option<(&mut Pressure, Option<i32>)>,
    ) -> bool {
        let spills = pressure.as_ref().is_some_and(|it| it.1.is_some());
        let attempts = &ATTEMPTS[..if spills { OF_SPILLS } else { ATTEMPTS.len() }];
        for &(quarters, window) in attempts {
            self.issued.clear();
            self.issued.extend_from_slice(issued);
            if let Some((pressure, spills)) = &mut pressure {
                pressure.start(quarters, *spills);
            }
            let pressure = pressure.as_mut().map(|it| &mut *it.0);
            match self.make(region, model, (length, below, window), pressure) {
                Made::Tight => {}
                made => return made == Made::Order,
            }
        }
        false
    }

    /// Makes an order.
    fn make(
        &mut self,
        region: &Region,
        model: &Model,
        (length, below, window): (u32, u32, usize),
        mut pressure: Option<&mut Pressure>,
    ) -> Made {
        let count = region.len();
        let mut timeline = Timeline::new(model);
        self.waits.clone_from(&region.waits);
        self.at.clear();
        self.at.resize(count, 0);
        if self.issued.len() == count {
            region.arrive(&self.issued, length, &mut self.at);
        }
        self.issued.clear();
        self.issued.resize(count, 0);
        self.order.clear();
        let last = if region.ends { count - 1 } else { count };
        if self.by_height.is_empty() {
            self.rank(region);
        }
        self.ready.clear();
        let is_ready = |&node: &u16| usize::from(node) < last && self.waits[usize::from(node)] == 0;
        let by_rank = self.by_height.iter().enumerate().rev();
        self.ready.extend(by_rank.filter(|(_, node)| is_ready(node)).map(|(rank, _)| rank as u16));
        let has_window = window != usize::MAX;
        self.is_done.clear();
        self.is_done.resize(if has_window { count } else { 0 }, false);
        let mut first_left = 0;
        while self.order.len() < count {
            if self.ready.is_empty() {
                // What is left is the terminator.
                if self.order.len() + 1 != count {
                    return Made::Tight;
                }
                self.ready.push(self.rank[last]);
            }
            // Of the only one nothing is asked.
            let asked = if self.ready.len() > 1 { &self.ready[..] } else { &[] };
            let counted = pressure.as_ref().filter(|pressure| !asked.is_empty() && !pressure.has_room());
            // No row issues earlier than that.
            let floor = timeline.cycle + u32::from(self.choice == Choice::Height || timeline.is_full());
            // The first place of what issues earliest: by rank, so that of several it is the one with the longest way.
            let (mut best, mut issues) = (None, u32::MAX);
            // What is under way is finished as it stood.
            let (mut tight, mut tight_node) = (self.ready.len() - 1, u16::MAX);
            for (k, &rank) in asked.iter().enumerate().rev() {
                let node = self.by_height[usize::from(rank)];
                let n = usize::from(node);
                // The timeline is asked only where operands leave a chance: 0.9% of -O2 on `realistic`.
                if n - first_left > window || self.at[n].max(floor) >= issues {
                    continue;
                }
                if counted.is_some_and(|pressure| pressure.exceeds(n)) {
                    if node < tight_node {
                        (tight, tight_node) = (k, node);
                    }
                    continue;
                }
                let timing = region.timing(model, n);
                let at = match self.choice {
                    Choice::Issue => timeline.earliest(timing, self.at[n]),
                    Choice::Operands => timeline.ready(timing, self.at[n]),
                    Choice::Height => timeline.ready(timing, self.at[n]).max(floor),
                };
                if at < issues {
                    (best, issues) = (Some(k), at);
                    if at <= floor {
                        break;
                    }
                }
            }
            let mut known = best.filter(|_| self.choice == Choice::Issue).map(|_| issues);
            let mut best = best.unwrap_or(tight);
            let glued = self.order.last().map_or(NO_NODE, |&last| region.follower[usize::from(last)]);
            if glued != NO_NODE
                && let Some(k) = self.ready.iter().position(|&rank| rank == self.rank[usize::from(glued)])
            {
                (best, known) = (k, None);
            }
            let node = self.take_ready(best);
            let n = usize::from(node);
            if let Some(pressure) = &mut pressure
                && !pressure.take(n)
            {
                return Made::Tight;
            }
            let at = known.unwrap_or_else(|| timeline.earliest(region.timing(model, n), self.at[n]));
            // The last row comes no earlier than the longest way from here allows.
            if at + region.height[n] >= below {
                return Made::Slow;
            }
            timeline.issue(region.timing(model, n), at);
            self.issued[n] = at;
            self.order.push(node);
            if has_window {
                self.is_done[n] = true;
                while self.is_done.get(first_left) == Some(&true) {
                    first_left += 1;
                }
            }
            for (to, cycles) in region.successors(node) {
                let t = usize::from(to);
                self.at[t] = self.at[t].max(at + u32::from(cycles));
                self.waits[t] -= 1;
                if self.waits[t] == 0 && t != last {
                    self.add_ready(to);
                }
            }
        }
        self.cycle = timeline.cycle;
        Made::Order
    }
}

/// Cycles of an order: of its last round, if it is looked at as if it were repeated.
fn measure(region: &mut Region, model: &Model, order: &[u16], repeats: bool) -> u32 {
    match repeats {
        true => region.cycles(model, order, ROUNDS).1,
        false => region.cycles(model, order, 1).0,
    }
}

/// Cycles that no order goes below: there are so many slots, the way to the end is so long, and the pipe that most rows
/// need alone is taken for so many; and those of that pipe until its last row is done.
fn least(region: &Region, model: &Model, repeats: bool) -> (u32, u32) {
    let (mut slots, mut taken, mut last) = (0, [0; u8::BITS as usize], [0; u8::BITS as usize]);
    for timing in (0..region.len()).map(|node| region.timing(model, node)) {
        slots += u32::from(timing.slots);
        if timing.pipes.is_power_of_two() && timing.also == 0 {
            let (pipe, busy) = (timing.pipes.trailing_zeros() as usize, u32::from(timing.busy));
            taken[pipe] += busy;
            last[pipe] = busy.max(last[pipe]);
        }
    }
    let busiest = taken.into_iter().max().unwrap_or(0);
    let width = u32::from(model.width);
    if repeats {
        let least = slots / width;
        return (least, least.max(busiest));
    }
    // The last row of a pipe issues when the others are done.
    let pipes = taken.iter().zip(&last).map(|(taken, last)| taken - last).max().unwrap_or(0);
    let height = region.height.iter().copied().max().unwrap_or(0);
    let least = height.max(slots.div_ceil(width).saturating_sub(1));
    (least.max(pipes), least.max(busiest))
}
