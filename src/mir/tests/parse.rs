//! Machine IR from text: the inverse of `print`, whose head describes the language.
//!
//! A line is a row; words are separated by blanks and commas, and `;` starts a comment. Predecessor lists,
//! where a block has none written, follow from the successors, in block order, so tests need not write them.
//! O(text).

use super::super::desc::{MachineOp, PHI, PReg, SymKind};
use super::super::func::{BlockRow, InstRow, MAX_VREGS, SlotRow, VRegRow};
use super::super::{Block, Func, Machine, Operand, Slot, SlotKind, VReg};
use crate::base::{Column, Handle, Opt};

/// Why some text is no function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParseError {
    /// Line, from 1.
    pub(crate) line: usize,
    /// What is wrong there.
    pub(crate) what: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// Reads one function.
pub(crate) fn parse(text: &str, machine: &Machine) -> Result<Func, ParseError> {
    let mut ops: Vec<(&str, u16)> =
        machine.ops.iter().enumerate().map(|(k, row)| (row.name, k as u16)).collect();
    ops.sort_unstable();
    let mut parser = Parser { func: Func::default(), machine, ops, preds: Vec::new() };
    for (k, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or("");
        parser.line(line).map_err(|what| ParseError { line: k + 1, what })?;
    }
    parser.finish().map_err(|what| ParseError { line: text.lines().count(), what })
}

impl Func {
    /// Notes the registers that the results of a row come in.
    fn note_results(&mut self, row: &InstRow) {
        for def in &self.operands[row.first as usize..][..usize::from(row.defs)] {
            if let (Some(v), Some(reg)) = (def.as_virt(), def.constraint()) {
                self.vregs[v].comes_in = reg.0;
            }
        }
    }

    /// Notes all that rows say of their values' places: for rows that were made in any order. O(rows).
    pub(crate) fn note_values(&mut self) {
        let mut home: Column<VReg, Opt<Block>> = Column::filled(self.vregs.len(), Opt::NONE);
        for b in self.blocks.keys() {
            for i in self.rows(b) {
                self.defs(i).iter().filter_map(|d| d.as_virt()).for_each(|v| home[v] = Opt::some(b));
                let row = self.insts[i];
                self.note_results(&row);
            }
        }
        for b in self.blocks.keys() {
            for i in self.rows(b) {
                let is_phi = self.insts[i].op == PHI;
                for k in 0..self.operands(i).len() {
                    if let Some(v) = self.operands(i)[k].as_virt() {
                        self.vregs[v].crosses |= is_phi || home[v] != Opt::some(b);
                    }
                }
            }
        }
    }
}

struct Parser<'a> {
    func: Func,
    machine: &'a Machine,
    /// Opcodes by name, sorted.
    ops: Vec<(&'a str, u16)>,
    /// Per block: its predecessors as written.
    preds: Vec<Vec<Block>>,
}

type Parsed<T> = Result<T, String>;

fn number<T: std::str::FromStr>(word: Option<&str>) -> Parsed<T> {
    let word = word.ok_or("a number is missing")?;
    word.parse().map_err(|_| format!("`{word}` is not a number in range"))
}

/// The number behind a prefix, if the word has it.
fn numbered(word: &str, prefix: &str) -> Option<u32> {
    word.strip_prefix(prefix).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?.parse().ok()
}

fn register(machine: &Machine, word: &str) -> Option<PReg> {
    let (&prefix, _) = word.as_bytes().split_first()?;
    let class = machine.classes.iter().find(|class| class.prefix == prefix)?;
    let number = word[1..].parse::<u8>().ok().filter(|&n| n < class.count)?;
    Some(PReg(class.first.0 + number))
}

impl Parser<'_> {
    fn line(&mut self, line: &str) -> Parsed<()> {
        let mut words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty()).peekable();
        let Some(&first) = words.peek() else { return Ok(()) };
        if line.starts_with([' ', '\t']) {
            return self.row(words);
        }
        words.next();
        match first {
            "function" => {
                self.func.id = number(words.next())?;
                while let Some(word) = words.next() {
                    match word {
                        "calls" => self.func.has_calls = true,
                        "twice" => self.func.returns_twice = true,
                        "frame" => self.func.frame_bytes = number(words.next())?,
                        _ => return Err(format!("`{word}` says nothing about a function")),
                    }
                }
            }
            "saved" => {
                for word in words {
                    self.func
                        .saved
                        .insert(register(self.machine, word).ok_or(format!("`{word}` is not a register"))?);
                }
            }
            "wide" => {
                for word in words {
                    self.func.wide.push(number(Some(word))?);
                }
            }
            "value" => {
                for word in words {
                    self.def(word)?;
                }
            }
            "layout" => {
                for word in words {
                    self.func.layout.push(block(word)?);
                }
            }
            _ if numbered(first, "slot").is_some() => self.slot(first, words)?,
            _ if numbered(first, "mb").is_some() => self.block(first, words)?,
            _ => return Err(format!("`{first}` starts no line")),
        }
        Ok(())
    }

    fn slot<'w>(&mut self, name: &str, mut words: impl Iterator<Item = &'w str>) -> Parsed<()> {
        if numbered(name, "slot") != Some(self.func.slots.len() as u32) {
            return Err(format!("`{name}` is out of order"));
        }
        let kind = match words.next() {
            Some("local") => SlotKind::Local,
            Some("spill") => SlotKind::Spill,
            Some("outgoing") => SlotKind::Outgoing,
            Some("varargs") => SlotKind::Varargs,
            Some("incoming") => SlotKind::Incoming(number(words.next())?),
            _ => return Err("a slot is local, spill, outgoing or incoming".into()),
        };
        let mut row = SlotRow { kind, bytes: number(words.next())?, align: 8, offset: 0 };
        while let Some(word) = words.next() {
            match word {
                "align" => row.align = number(words.next())?,
                "at" => row.offset = number(words.next())?,
                _ => return Err(format!("`{word}` says nothing about a slot")),
            }
        }
        let _: Slot = self.func.slots.push(row);
        Ok(())
    }

    fn block<'w>(&mut self, name: &str, words: impl Iterator<Item = &'w str>) -> Parsed<()> {
        if block(name)? != self.func.blocks.next_handle() {
            return Err(format!("`{name}` is out of order"));
        }
        let here = self.func.insts.next_handle();
        let mut row = BlockRow {
            first: here,
            end: here,
            succs: [Opt::NONE; 2],
            first_pred: 0,
            pred_count: 0,
            loop_depth: 0,
            frequency: 1024,
        };
        let (mut preds, mut succs, mut section) = (Vec::new(), 0, "");
        for word in words {
            match (section, word) {
                (_, "depth" | "frequency" | "preds" | "->") => section = word,
                ("depth", _) => row.loop_depth = number(Some(word))?,
                ("frequency", _) => row.frequency = number(Some(word))?,
                ("preds", _) => preds.push(block(word)?),
                ("->", _) if succs < 2 => {
                    row.succs[succs] = Opt::some(block(word)?);
                    succs += 1;
                }
                _ => return Err(format!("`{word}` says nothing about a block")),
            }
        }
        self.func.blocks.push(row);
        self.preds.push(preds);
        Ok(())
    }

    /// The value that a definition names, with its class and bytes noted.
    fn def(&mut self, word: &str) -> Parsed<Operand> {
        let (name, rest) = word.split_once(':').ok_or(format!("`{word}` has no class"))?;
        let v = value(name)?;
        let (kind, reg) = rest.split_once('@').map_or((rest, None), |(kind, reg)| (kind, Some(reg)));
        let class = kind.as_bytes().first().and_then(|&letter| self.machine.class_of_letter(letter));
        let class = class.ok_or(format!("`{word}` has no class"))?;
        let bytes = number(kind.get(1..))?;
        let row = VRegRow::new(class, bytes);
        if v.index() >= self.func.vregs.len() + 100_000 {
            return Err(format!("`{name}` is too far from the other values"));
        }
        self.func.vregs.grow_to(v.index() + 1, row);
        self.func.vregs[v] = row;
        fixed(self.machine, v, reg)
    }

    fn row<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> Parsed<()> {
        let words: Vec<&str> = words.collect();
        let Some(b) = self.func.blocks.keys().next_back() else {
            return Err("a row before any block".into());
        };
        let mut defs = Vec::new();
        let mut at = 0;
        if let Some(equals) = words.iter().position(|&word| word == "=") {
            for word in &words[..equals] {
                defs.push(match register(self.machine, word) {
                    Some(reg) => Operand::phys(reg),
                    None => self.def(word)?,
                });
            }
            at = equals + 1;
        }
        let name = words.get(at).ok_or("an opcode is missing")?;
        let found = self.ops.partition_point(|op| op.0 < *name);
        let op = self.ops.get(found).filter(|op| op.0 == *name).ok_or(format!("`{name}` is no opcode"))?;
        let op = MachineOp(op.1);
        let kind = self.machine.row(op).sym;
        let (mut uses, mut imm, mut sym, mut loc) = (Vec::new(), 0, 0, u32::MAX);
        let mut rest = words[at + 1..].iter();
        while let Some(&word) = rest.next() {
            let prefix = match kind {
                SymKind::None => "!",
                SymKind::Global | SymKind::Func => "@",
                SymKind::Block => "mb",
                SymKind::Slot => "slot",
                SymKind::Wide => "wide",
                SymKind::Unwind => "rule",
            };
            if let Some(immediate) = word.strip_prefix('#') {
                imm = number(Some(immediate))?;
            } else if word == "at" {
                loc = number(rest.next().copied())?;
            } else if let Some(number) = numbered(word, prefix) {
                sym = number;
            } else {
                uses.push(operand(self.machine, word)?);
            }
        }
        let mut row = self.func.make_row(op, &defs, &uses, imm, sym);
        if op == PHI {
            (row.imm, row.uses) = (uses.len() as i32, 0);
        }
        self.func.insts.push(row);
        self.func.loc.push(loc);
        self.func.blocks[b].end = self.func.insts.next_handle();
        Ok(())
    }

    /// Links the blocks, once all are known.
    fn finish(mut self) -> Parsed<Func> {
        let func = &mut self.func;
        let count = func.blocks.len();
        let mut derived: Column<Block, Vec<Block>> = Column::filled(count, Vec::new());
        for b in func.blocks.keys() {
            for succ in func.succs(b) {
                if succ.index() >= count {
                    return Err(format!("{b:?} goes to {succ:?}, which does not exist"));
                }
                derived[succ].push(b);
            }
        }
        for (b, written) in func.blocks.keys().zip(self.preds) {
            let preds = if written.is_empty() { std::mem::take(&mut derived[b]) } else { written };
            if let Some(pred) = preds.iter().find(|p| p.index() >= count) {
                return Err(format!("{b:?} is entered from {pred:?}, which does not exist"));
            }
            func.blocks[b].first_pred = func.preds.len() as u32;
            func.blocks[b].pred_count = preds.len() as u32;
            func.preds.extend(preds);
        }
        let all = func.operands.iter().filter_map(|o| o.as_virt());
        if let Some(v) = all.into_iter().find(|v| v.index() >= func.vregs.len()) {
            return Err(format!("{v:?} is used and has no definition"));
        }
        func.note_values();
        Ok(self.func)
    }
}

fn block(word: &str) -> Parsed<Block> {
    let n = numbered(word, "mb").ok_or(format!("`{word}` is not a block"))?;
    Ok(Block::new(n as usize))
}

fn value(word: &str) -> Parsed<VReg> {
    let n = numbered(word, "v").filter(|&n| (n as usize) < MAX_VREGS);
    Ok(VReg::new(n.ok_or(format!("`{word}` is not a value"))? as usize))
}

fn fixed(machine: &Machine, v: VReg, reg: Option<&str>) -> Parsed<Operand> {
    match reg {
        None => Ok(Operand::virt(v)),
        Some(reg) => {
            Ok(Operand::fixed(v, register(machine, reg).ok_or(format!("`{reg}` is not a register"))?))
        }
    }
}

fn operand(machine: &Machine, word: &str) -> Parsed<Operand> {
    if word == "frame" {
        return Ok(Operand::FRAME);
    }
    if let Some(reg) = register(machine, word) {
        return Ok(Operand::phys(reg));
    }
    let (name, reg) = word.split_once('@').map_or((word, None), |(name, reg)| (name, Some(reg)));
    fixed(machine, value(name)?, reg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mir::print::print;
    use crate::mir::{Inst, toy};

    const TEXT: &str = "\
function 7 calls frame 32
saved r3 f2
wide 5000000000 -1
slot0 local 40 align 8 at 16
slot1 incoming 8 4 align 4 at 40
value v7:f8
mb0 depth 0 frequency 1024 -> mb1
    v0:i4@r1, v1:f4@f0 = entry
    v2:i8 = ld8 frame, slot0, #4
    v3:i4 = li #-5 at 17
    j mb1
mb1 depth 1 frequency 8192 preds mb0 mb1 -> mb1 mb2
    v4:i4 = phi v0, v5
    v5:i4 = add v4, r0
    v6:i4@r1 = call v5@r1, v1@f0, @3
    beq v5, v6, mb1
mb2 depth 0 frequency 1024 preds mb1
    ret v2@r1
layout mb0 mb1 mb2
";

    #[test]
    fn text_comes_back_as_it_was() {
        let func = parse(TEXT, &toy::machine()).unwrap();
        assert_eq!(print(&func, &toy::machine()), TEXT);
        assert_eq!(func.insts.len(), 9);
        assert_eq!(func.preds(Block::new(1)), [Block::new(0), Block::new(1)]);
        assert_eq!(func.loc[Inst::new(2)], 17);
    }

    #[test]
    fn wrong_text_is_reported_with_its_line() {
        for (text, line) in [
            ("function 0\nmb1", 2),
            ("mb0\n    frobnicate", 2),
            ("mb0\n    v0 = li", 2),
            ("mb0\n    v0:i4 = add v1, v2\n", 2),
            ("    ret", 1),
            ("mb0 -> mb3\n", 1),
            ("mb0\n    v4000000:i4 = li\n", 2),
            ("slot1 local 4", 1),
            ("mb0\n    v0:i4 = li #99999999999", 2),
        ] {
            let error = parse(text, &toy::machine()).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error}");
        }
    }
}
