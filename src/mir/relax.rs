//! Branches in their final form: falls through where the layout allows, and reaches its target everywhere.
//!
//! Before: a block ends in one terminator. A `JUMP` goes to `succs[0]`; a `COND_BRANCH` goes to `succs[0]` if
//! it is taken and *falls* to `succs[1]` wherever that is; `sym` repeats `succs[0]`. After: rows are what is
//! emitted, in the order of `func.layout`, and a block may end
//!
//! | in | when |
//! | --- | --- |
//! | nothing | it jumped to the next block, and need not be seen to do so (`Func::keep_jumps`) |
//! | `COND_BRANCH` | one successor is next; the branch may have been inverted for that |
//! | `COND_BRANCH`, `JUMP` | no successor is next, or the branch had to be inverted over a jump to reach its target |
//! | `COND_BRANCH`, `JUMP`, and a new block with a `JUMP` behind it | neither target is in reach of the condition |
//!
//! An entry of a table of jumps is as long as all others. One that does not reach its target goes to a new block with a far
//! jump. Those blocks stand behind the last entry of the table, which then has a jump over them where it went on to the next
//! block.
//!
//! Forms only ever grow, from the shortest on, until every branch reaches; a round is O(blocks), and from the
//! ninth round on the reach is taken to be shorter and shorter, so the rounds are bounded whatever the
//! layout. In a function that is shorter than the shortest reach there is nothing to grow, and its rows are
//! not looked at. `OpRow::bytes` is an upper bound, so distances are too. Predecessor lists are not kept.
//!
//! Ends are changed where they stand, though other passes write all rows again: of most blocks only the
//! last row changes, and what comes in is one row at most, for which `Func::rewrite_rows` has left a spare
//! one. A second copy of all rows would be most of the work here.

use super::desc::{COND_BRANCH, JUMP, MachineOp, PHI, TABLE};
use super::func::{BlockRow, SPARE};
use super::order::jump_to;
use super::{Block, Func, Inst, InstRow, Machine};
use crate::base::{Column, Handle, Opt};
use bumpalo::Bump;

/// Some jump does not reach its target and the target machine has nothing longer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TooFar;

/// How a block ends.
#[derive(Copy, Clone, Debug)]
struct End {
    form: Form,
    /// The conditional branch, if the form has one, and its target.
    cond: MachineOp,
    to: Block,
    /// The target of the jump, if the form has one.
    jump: Block,
    /// The jump, and that of the new block, has to be a long one.
    far: bool,
    /// An entry of a table that goes by a far jump behind the table; the last entry of one.
    aside: bool,
    is_last: bool,
    /// Bytes before the end.
    body: u32,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Nothing,
    Jump,
    Cond,
    CondJump,
    /// The branch goes to a new block behind, which jumps to `to`.
    CondJumpJump,
}

/// Slack for machines that count distances from some bytes behind the branch.
const SLACK: i64 = 16;

/// The most bytes that a row of final code takes, on any machine.
pub const MOST_BYTES: u8 = 8;

/// Rewrites the ends of all blocks for `func.layout` (row order if that is empty). `far_jump` takes the place
/// of `Machine::jump` where that does not reach: a row with the same shape (no operands, `sym` a block). What
/// is left in `room` means nothing.
#[inline(never)]
pub fn relax(
    func: &mut Func,
    machine: &Machine,
    far_jump: Option<MachineOp>,
    room: &Bump,
) -> Result<(), TooFar> {
    if func.layout.is_empty() {
        func.layout = func.blocks.keys().collect();
    }
    let (ends, reach) = shortest_ends(func, machine, room);
    let most = i64::from(MOST_BYTES) * (func.insts.len() + func.layout.len()) as i64;
    if reach != 0 && most >= (1 << (reach - 1)) - SLACK {
        grow_all(func, machine, far_jump, ends)?;
    }
    write_ends(func, machine, far_jump, ends);
    Ok(())
}

/// Lengthens ends until all reach.
fn grow_all(
    func: &Func,
    machine: &Machine,
    far_jump: Option<MachineOp>,
    ends: &mut [End],
) -> Result<(), TooFar> {
    for (end, &b) in ends.iter_mut().zip(&func.layout) {
        let block = &func.blocks[b];
        for row in &func.insts.as_slice()[block.first.index()..block.end.index()] {
            let op = machine.row(row.op);
            if op.flags & (COND_BRANCH | JUMP) == 0 {
                end.body += u32::from(op.bytes);
            }
        }
    }
    let has_tables = func.has_tables;
    let far_bytes = far_jump.map_or(0, |op| i64::from(machine.row(op).bytes));
    let mut starts: Column<Block, i64> = Column::filled(func.blocks.len(), 0);
    let mut round = 0;
    loop {
        // `aside` is what stands behind the table at hand.
        let (mut total, mut aside) = (0i64, 0i64);
        for (end, &b) in ends.iter().zip(&func.layout) {
            starts[b] = total;
            total += i64::from(end.body) + end_bytes(machine, far_jump, end);
            if has_tables {
                aside += if end.aside { far_bytes } else { 0 };
                total += if end.is_last { std::mem::take(&mut aside) } else { 0 };
            }
        }
        let shrink = if round < 8 { 0 } else { (round - 7).min(30) };
        let (mut grown, mut any_aside) = (false, false);
        for (k, end) in ends.iter_mut().enumerate() {
            let next = func.layout.get(k + 1).copied();
            if has_tables && machine.row(end.cond).flags & TABLE != 0 {
                grown |= grow_entry(machine, far_jump, &starts, end, func.layout[k], shrink)?;
                any_aside |= end.aside;
            }
            grown |= grow(machine, far_jump, &starts, end, func.layout[k], next, shrink)?;
            if end.is_last && std::mem::take(&mut any_aside) && end.form == Form::Cond {
                end.form = Form::CondJump;
                grown = true;
            }
        }
        if !grown {
            return Ok(());
        }
        round += 1;
    }
}

/// The shortest form of every block's end, in layout order, and the shortest reach that one of them has; 0 if
/// all reach everything.
fn shortest_ends<'a>(func: &Func, machine: &Machine, room: &'a Bump) -> (&'a mut [End], u8) {
    let nothing = End {
        form: Form::Nothing,
        cond: PHI,
        to: Block::new(0),
        jump: Block::new(0),
        far: false,
        aside: false,
        is_last: false,
        body: 0,
    };
    let ends = room.alloc_slice_fill_copy(func.layout.len(), nothing);
    // Less one, so that 0 is the longest.
    let mut shortest = u8::MAX;
    for (k, &b) in func.layout.iter().enumerate() {
        let next = func.layout.get(k + 1).copied();
        let end = &mut ends[k];
        (end.to, end.jump) = (b, b);
        let block = &func.blocks[b];
        let last = (block.end > block.first).then(|| Inst::new(block.end.index() - 1));
        match (block.succs[0].get(), block.succs[1].get(), last) {
            (Some(to), Some(fall), Some(last)) => {
                cond_end(func, machine, end, to, fall, next, last);
                shortest = shortest.min(machine.row(end.cond).reach.wrapping_sub(1));
            }
            (Some(to), None, last) if next != Some(to) || last.is_some_and(|last| func.is_kept(last)) => {
                (end.form, end.jump) = (Form::Jump, to);
            }
            _ => {}
        }
        if matches!(end.form, Form::Jump | Form::CondJump) {
            shortest = shortest.min(machine.row(machine.jump).reach.wrapping_sub(1));
        }
    }
    (ends, shortest.wrapping_add(1))
}

/// The shortest form of a conditional branch to `to` that otherwise goes to `fall`.
fn cond_end(
    func: &Func,
    machine: &Machine,
    end: &mut End,
    to: Block,
    fall: Block,
    next: Option<Block>,
    last: Inst,
) {
    let op = func.insts[last].op;
    let inverse = machine.row(op).inverse;
    debug_assert!(machine.row(op).flags & TABLE == 0 || inverse == PHI);
    // With neither successor next, the branch should go to the likelier one: the other pays for the jump.
    let colder = func.blocks[fall].frequency > func.blocks[to].frequency;
    let invert = inverse != PHI && next != Some(fall) && (next == Some(to) || colder);
    let (cond, to, fall) = if invert { (inverse, fall, to) } else { (op, to, fall) };
    (end.cond, end.to, end.jump) = (cond, to, fall);
    end.is_last = func.has_tables && machine.row(op).flags & TABLE != 0 && func.insts[last].imm == 2;
    end.form = if next == Some(fall) { Form::Cond } else { Form::CondJump };
}

fn jump_op(machine: &Machine, far_jump: Option<MachineOp>, end: &End) -> MachineOp {
    if end.far { far_jump.unwrap_or(machine.jump) } else { machine.jump }
}

fn end_bytes(machine: &Machine, far_jump: Option<MachineOp>, end: &End) -> i64 {
    let jump = i64::from(machine.row(jump_op(machine, far_jump, end)).bytes);
    let cond = i64::from(machine.row(end.cond).bytes);
    match end.form {
        Form::Nothing => 0,
        Form::Jump => jump,
        Form::Cond => cond,
        Form::CondJump => cond + jump,
        Form::CondJumpJump => cond + jump + jump,
    }
}

/// True if a branch at `from` reaches `to`.
fn reaches(machine: &Machine, op: MachineOp, from: i64, to: i64, shrink: u32) -> bool {
    let reach = u32::from(machine.row(op).reach);
    if reach == 0 {
        return true;
    }
    let limit = ((1i64 << (reach - 1)) - SLACK) >> shrink;
    (-limit..limit).contains(&(to - from))
}

/// The same of an entry of a table, which goes by a far jump behind the table if it has to.
fn grow_entry(
    machine: &Machine,
    far_jump: Option<MachineOp>,
    starts: &Column<Block, i64>,
    end: &mut End,
    b: Block,
    shrink: u32,
) -> Result<bool, TooFar> {
    // Where nothing is longer, the whole reach is there.
    let shrink = if far_jump.is_some() { shrink } else { 0 };
    if end.aside || reaches(machine, end.cond, starts[b] + i64::from(end.body), starts[end.to], shrink) {
        return Ok(false);
    }
    end.aside = far_jump.is_some();
    if end.aside { Ok(true) } else { Err(TooFar) }
}

/// Lengthens one end if it does not reach; true if it did so.
fn grow(
    machine: &Machine,
    far_jump: Option<MachineOp>,
    starts: &Column<Block, i64>,
    end: &mut End,
    b: Block,
    next: Option<Block>,
    shrink: u32,
) -> Result<bool, TooFar> {
    let at = starts[b] + i64::from(end.body);
    let cond_bytes = if end.form == Form::Jump { 0 } else { i64::from(machine.row(end.cond).bytes) };
    let mut grown = false;
    if matches!(end.form, Form::Cond | Form::CondJump)
        && Some(end.to) != next
        && !reaches(machine, end.cond, at, starts[end.to], shrink)
        && machine.row(end.cond).flags & TABLE == 0
    {
        let inverse = machine.row(end.cond).inverse;
        if end.form == Form::Cond && inverse != PHI {
            *end = End { form: Form::CondJump, cond: inverse, to: end.jump, jump: end.to, ..*end };
        } else {
            end.form = Form::CondJumpJump;
        }
        grown = true;
    }
    let jump_bytes = i64::from(machine.row(jump_op(machine, far_jump, end)).bytes);
    let first = (at + cond_bytes, starts[end.jump]);
    let second = (first.0 + jump_bytes, starts[end.to]);
    let jumps = match end.form {
        Form::Nothing | Form::Cond => [None, None],
        Form::Jump | Form::CondJump => [Some(first), None],
        Form::CondJumpJump => [Some(first), Some(second)],
    };
    for (from, to) in jumps.into_iter().flatten() {
        if !end.far && far_jump.is_some() && !reaches(machine, machine.jump, from, to, shrink) {
            end.far = true;
            grown = true;
        }
        if !reaches(machine, jump_op(machine, far_jump, end), from, to, 0) {
            return Err(TooFar);
        }
    }
    Ok(grown)
}

/// Puts the ends in place.
fn write_ends(func: &mut Func, machine: &Machine, far_jump: Option<MachineOp>, ends: &[End]) {
    let has_room = |func: &Func, b: Block| func.insts.get(func.blocks[b].end) == Some(&SPARE);
    let pairs = ends.iter().zip(&func.layout).filter(|(end, _)| end.form >= Form::CondJump);
    if !pairs.map(|(_, &b)| b).all(|b| has_room(func, b)) {
        func.make_room();
    }
    let (mut islands, mut aside) = (Vec::new(), Vec::new());
    for (k, end) in ends.iter().enumerate() {
        let b = func.layout[k];
        let (first, behind) = (func.blocks[b].first, func.blocks[b].end);
        if behind == first {
            continue;
        }
        let last = Inst::new(behind.index() - 1);
        let jump = jump_to(jump_op(machine, far_jump, end), end.jump);
        let row = func.insts[last];
        let mut to = end.to;
        if end.aside {
            to = island(func, b, jump_to(far_jump.unwrap_or(machine.jump), to));
            aside.push(to);
        }
        if end.is_last {
            islands.extend(aside.drain(..).map(|island| (k, island)));
        }
        let cond = InstRow { op: end.cond, sym: to.index() as u32, ..row };
        match end.form {
            Form::Nothing => {
                if machine.is(func, last, COND_BRANCH | JUMP) {
                    func.insts[last] = SPARE;
                    func.blocks[b].end = last;
                }
                continue;
            }
            Form::Jump => {
                func.insts[last] = jump;
                continue;
            }
            Form::Cond => {
                func.insts[last] = cond;
                func.blocks[b].succs = [Opt::some(to), Opt::some(end.jump)];
                continue;
            }
            Form::CondJump => {
                func.insts[last] = cond;
                func.blocks[b].succs = [Opt::some(to), Opt::some(end.jump)];
            }
            Form::CondJumpJump => {
                let island = island(func, b, jump_to(jump.op, end.to));
                func.insts[last] = InstRow { sym: island.index() as u32, ..cond };
                func.blocks[b].succs = [Opt::some(island), Opt::some(end.jump)];
                islands.push((k, island));
            }
        }
        func.insts[behind] = jump;
        if let Some(&loc) = func.loc.get(last) {
            func.loc[behind] = loc;
        }
        func.blocks[b].end = Inst::new(behind.index() + 1);
    }
    if islands.is_empty() {
        return;
    }
    let mut layout = Vec::with_capacity(func.layout.len() + islands.len());
    let mut from = 0;
    for (k, island) in islands {
        layout.extend_from_slice(&func.layout[from..=k]);
        layout.push(island);
        from = k + 1;
    }
    layout.extend_from_slice(&func.layout[from..]);
    func.layout = layout;
}

/// A new block that is a jump, for what a block cannot reach; it stands nowhere yet.
fn island(func: &mut Func, of: Block, jump: InstRow) -> Block {
    let first = func.insts.push(jump);
    if !func.loc.is_empty() {
        func.loc.push(u32::MAX);
    }
    let succs = [Opt::some(Block::new(jump.sym as usize)), Opt::NONE];
    let end = Inst::new(first.index() + 1);
    func.blocks.push(BlockRow { first, end, succs, ..func.blocks[of] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::{parse, tables, toy};

    /// `mb0` branches to `mb2` or falls to `mb1`, `gap` rows of 4 bytes in `mb1`; what is left of `mb0`.
    fn branch_over(branch: &str, gap: usize, layout: &str) -> (Func, Vec<String>) {
        let machine = toy::machine();
        let filler = "    r1 = addi r1\n".repeat(gap);
        let text = format!(
            "mb0 -> mb2 mb1\n    {branch}\nmb1 -> mb3\n{filler}    j mb3\nmb2\n    ret\nmb3\n    ret\nlayout {layout}\n"
        );
        let mut func = parse::parse(&text, &machine).unwrap();
        relax(&mut func, &machine, Some(toy::JFAR), &Bump::new()).unwrap();
        let rows = func.rows(Block::new(0)).map(|i| {
            let row = func.insts[i];
            format!("{} mb{}", machine.row(row.op).name, row.sym)
        });
        let rows = rows.collect();
        (func, rows)
    }

    #[test]
    fn a_branch_falls_through_where_it_can() {
        assert_eq!(branch_over("beq r1, r2, mb2", 3, "mb0 mb1 mb2 mb3").1, ["beq mb2"]);
        assert_eq!(branch_over("beq r1, r2, mb2", 3, "mb0 mb2 mb1 mb3").1, ["bne mb1"]);
        assert_eq!(branch_over("beq r1, r2, mb2", 3, "mb0 mb3 mb1 mb2").1, ["beq mb2", "j mb1"]);
        assert_eq!(branch_over("bone r1, mb2", 3, "mb0 mb2 mb1 mb3").1, ["bone mb2", "j mb1"]);
    }

    #[test]
    fn a_jump_to_the_next_block_goes() {
        let (func, _) = branch_over("beq r1, r2, mb2", 3, "mb0 mb2 mb1 mb3");
        assert_eq!(func.rows(Block::new(1)).len(), 3);
        let (func, _) = branch_over("beq r1, r2, mb2", 3, "mb0 mb1 mb2 mb3");
        assert_eq!(func.rows(Block::new(1)).len(), 4);
    }

    #[test]
    fn a_jump_that_has_to_stay_stays() {
        let machine = toy::machine();
        for (keep, at, left) in [(true, " at 7", 1), (true, "", 0), (false, " at 7", 0)] {
            let mut func =
                parse::parse(&format!("mb0 -> mb1\n    j mb1{at}\nmb1\n    ret\n"), &machine).unwrap();
            func.keep_jumps = keep;
            relax(&mut func, &machine, None, &Bump::new()).unwrap();
            assert_eq!(func.rows(Block::new(0)).len(), left, "{keep}{at}");
        }
        // Without places, the jump says it.
        for imm in [0, 1] {
            let mut func = parse::parse("mb0 -> mb1\n    j mb1\nmb1\n    ret\n", &machine).unwrap();
            func.loc.clear();
            func.keep_jumps = true;
            func.insts[Inst::new(0)].imm = imm;
            relax(&mut func, &machine, None, &Bump::new()).unwrap();
            assert_eq!(func.rows(Block::new(0)).len(), imm as usize);
        }
    }

    #[test]
    fn a_branch_out_of_reach_is_inverted_over_a_jump() {
        // 512 bytes of reach less the slack.
        assert_eq!(branch_over("beq r1, r2, mb2", 120, "mb0 mb1 mb2 mb3").1, ["beq mb2"]);
        assert_eq!(branch_over("beq r1, r2, mb2", 130, "mb0 mb1 mb2 mb3").1, ["bne mb1", "j mb2"]);
    }

    #[test]
    fn without_an_inverse_the_branch_goes_to_a_jump_of_its_own() {
        let (func, rows) = branch_over("bone r1, mb2", 130, "mb0 mb1 mb2 mb3");
        assert_eq!(rows, ["bone mb4", "j mb1"]);
        assert_eq!(func.layout.iter().map(|b| b.index()).collect::<Vec<_>>(), [0, 4, 1, 2, 3]);
        let island = func.blocks[Block::new(4)];
        assert_eq!((func.insts[island.first].op, func.insts[island.first].sym), (toy::J, 2));
    }

    #[test]
    fn an_entry_of_a_table_that_does_not_reach_goes_by_a_jump_behind_the_table() {
        let machine = toy::machine();
        // 3,000 rows of 4 bytes; an entry reaches 8 KB.
        let filler = "    r1 = addi r1\n".repeat(3000);
        let table = |layout: &str, far| {
            let text = format!(
                "mb0 -> mb4 mb1\n    tent mb4, #4\nmb1 -> mb5 mb2\n    tent mb5, #3\nmb2 -> mb6 mb3\n    tent mb6, #2\nmb3\n    ret\nmb4\n    ret\nmb5\n{filler}    ret\nmb6\n    ret\nlayout {layout}\n"
            );
            let mut func = parse::parse(&text, &machine).unwrap();
            func.has_tables = true;
            relax(&mut func, &machine, far, &Bump::new()).map(|_| {
                assert!(tables::check(&func, &machine));
                let row = |i| format!("{} mb{}", machine.row(func.insts[i].op).name, func.insts[i].sym);
                func.layout
                    .iter()
                    .take(5)
                    .map(|&b| func.rows(b).map(row).collect::<Vec<_>>().join(", "))
                    .collect::<Vec<_>>()
                    .join("; ")
            })
        };
        let far = Some(toy::JFAR);
        // The last entry has gone on to the next block; then a jump that is there stays.
        let goes_on = "tent mb7; tent mb5; tent mb8, j mb3; jfar mb4; jfar mb6";
        assert_eq!(table("mb0 mb1 mb2 mb3 mb5 mb4 mb6", far).unwrap(), goes_on);
        let (text, rest) =
            ("tent mb4; tent mb5; tent mb7, j mb3; jfar mb6; ret mb0", "mb0 mb1 mb2 mb4 mb5 mb3 mb6");
        assert_eq!(table(rest, far).unwrap(), text.replace("j mb3", "jfar mb3"));
        assert_eq!(table("mb0 mb1 mb2 mb3 mb5 mb4 mb6", None), Err(TooFar));
        assert_eq!(
            table("mb0 mb1 mb2 mb3 mb4 mb6 mb5", None).unwrap(),
            "tent mb4; tent mb5; tent mb6; ret mb0; ret mb0"
        );
    }

    #[test]
    fn a_jump_out_of_reach_becomes_a_far_one_or_an_error() {
        let far = |jump| {
            let machine = toy::machine();
            let filler = "    r1 = addi r1\n".repeat(3000);
            let text = format!("mb0 -> mb2\n    j mb2\nmb1\n{filler}    ret\nmb2\n    ret\n");
            let mut func = parse::parse(&text, &machine).unwrap();
            relax(&mut func, &machine, jump, &Bump::new()).map(|_| func.insts[Inst::new(0)].op)
        };
        assert_eq!(far(Some(toy::JFAR)), Ok(toy::JFAR));
        assert_eq!(far(None), Err(TooFar));
    }
}
