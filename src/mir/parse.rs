//! Machine IR from text: the inverse of `print`, whose head describes the language.
//!
//! A line is a row; words are separated by blanks and commas, and `;` starts a comment. Predecessor lists,
//! where a block has none written, follow from the successors, in block order, so tests need not write them.
//!
//! A module is a line that says for which machine it is and behind which pass, then functions, with names of what
//! they speak of:
//!
//! ```text
//! mir aarch64 after select
//! func 3 putint
//! function 0 calls
//! ...
//! ```
//!
//! What is read is whole: numbers are in range and name what there is. Whether it obeys the rules of its state,
//! `verify` says. O(text).

use super::desc::{Features, MachineOp, PHI, PReg, SymKind};
use super::func::{BlockRow, InstRow, MAX_VREGS, SlotRow, VRegRow};
use super::print::FLAGS;
use super::{Block, Func, Machine, Operand, Slot, SlotKind, VReg};
use crate::base::{Column, Handle, Opt};

/// Why some text is no function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// Functions that are to go on through the machine passes.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The name of the target.
    pub target: String,
    /// The last pass that they have gone through.
    pub after: String,
    /// What functions are called, and the word behind that.
    pub funcs: Vec<Name>,
    /// What globals are called.
    pub globals: Vec<Name>,
    /// The functions, each with the line that it begins in.
    pub bodies: Vec<(usize, Func)>,
}

/// What a function or a global is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub text: String,
    /// `local`, `weak`, or nothing.
    pub word: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// The target and the pass that the first line of a module names, for those who have to know them before they read it.
pub fn head(text: &str) -> Result<(&str, &str), ParseError> {
    let mut lines = lines(text).filter(|(_, line)| words(line).next().is_some());
    let Some((k, line)) = lines.next() else {
        return Err(ParseError { line: 1, what: "there is nothing".to_string() });
    };
    match words(line).collect::<Vec<_>>()[..] {
        ["mir", target, "after", pass] => Ok((target, pass)),
        _ => Err(ParseError { line: k, what: "a module begins with `mir TARGET after PASS`".to_string() }),
    }
}

/// Reads a module. Every function begins with its `function` line.
pub fn parse_module(text: &str, machine: &Machine) -> Result<Module, ParseError> {
    let (target, after) = head(text)?;
    let mut module = Module { target: target.to_string(), after: after.to_string(), ..Module::default() };
    let mut open: Option<(usize, Parser)> = None;
    let close = |(line, parser): (usize, Parser)| Ok((line, parser.finish()?));
    let mut is_first = true;
    for (k, line) in lines(text) {
        let at = |what| ParseError { line: k, what };
        let words: Vec<&str> = words(line).collect();
        let Some((&first, more)) = words.split_first() else { continue };
        if std::mem::take(&mut is_first) {
            continue;
        }
        if matches!(first, "func" | "global" | "function") {
            module.bodies.extend(open.take().map(close).transpose()?);
        }
        match (first, &mut open) {
            ("func", _) => module.funcs.push(name(more).map_err(at)?),
            ("global", _) => module.globals.push(name(more).map_err(at)?),
            ("function", _) => {
                let func = first_line(more).map_err(at)?;
                open = Some((k, Parser::new(machine, func, text.len())));
            }
            (_, Some((_, parser))) => parser.line(k, line, &words).map_err(at)?,
            _ => return Err(at("this is in no function".to_string())),
        }
    }
    module.bodies.extend(open.take().map(close).transpose()?);
    Ok(module)
}

/// Reads one function for a machine.
pub fn parse(text: &str, machine: &Machine) -> Result<Func, ParseError> {
    let mut parser = Parser::new(machine, Func::default(), text.len());
    for (k, line) in lines(text) {
        let words: Vec<&str> = words(line).collect();
        let Some((&first, more)) = words.split_first() else { continue };
        let done = if first == "function" {
            first_line(more).map(|func| parser.func = func)
        } else {
            parser.line(k, line, &words)
        };
        done.map_err(|what| ParseError { line: k, what })?;
    }
    parser.finish()
}

/// The lines of a text with their numbers, without comments.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(k, line)| (k + 1, line.split(';').next().unwrap_or("")))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',']).filter(|word| !word.is_empty())
}

/// What something is called: a number, a name, and a word more.
fn name(words: &[&str]) -> Parsed<Name> {
    let (digits, text) = (words.first().copied(), words.get(1).ok_or("a name is missing")?);
    let word = words.get(2..).unwrap_or_default().join(" ");
    Ok(Name { number: number(digits)?, text: decoded(text)?, word })
}

/// A name with its bytes as they are.
fn decoded(text: &str) -> Parsed<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, more)) = rest.split_first() {
        rest = more;
        bytes.push(byte);
        if byte == b'%' {
            let digits =
                rest.split_at_checked(2).and_then(|(two, more)| Some((std::str::from_utf8(two).ok()?, more)));
            let (digits, more) = digits.ok_or(format!("`{text}` ends in a byte"))?;
            let byte = u8::from_str_radix(digits, 16).map_err(|_| format!("`%{digits}` is no byte"))?;
            rest = more;
            bytes.pop();
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map_err(|_| format!("`{text}` is no name"))
}

/// What the first line of a function says.
fn first_line(words: &[&str]) -> Parsed<Func> {
    let (mut func, mut words) = (Func::default(), words.iter().copied());
    func.id = number(words.next())?;
    while let Some(word) = words.next() {
        match word {
            "frame" => func.frame_bytes = near(words.next())?,
            "features" => func.features = Features(number(words.next())?),
            "lanes" => func.lanes = number(words.next())?,
            _ => {
                let (_, _, set) = FLAGS
                    .iter()
                    .find(|flag| flag.0 == word)
                    .ok_or_else(|| format!("`{word}` says nothing about a function"))?;
                set(&mut func);
            }
        }
    }
    Ok(func)
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
    /// Per block: the line that it begins in, and its predecessors as written.
    preds: Vec<(usize, Vec<Block>)>,
    /// Per row: its line.
    lines: Vec<usize>,
    /// The lines with an order of blocks, and with slots of variables.
    layout: usize,
    variables: usize,
    /// Values may have numbers up to here: one takes some bytes of text.
    most: usize,
}

type Parsed<T> = Result<T, String>;

fn number<T: std::str::FromStr>(word: Option<&str>) -> Parsed<T> {
    let word = word.ok_or("a number is missing")?;
    word.parse().map_err(|_| format!("`{word}` is not a number in range"))
}

/// Bytes in a frame, or from its start.
fn near(word: Option<&str>) -> Parsed<i64> {
    let bytes: i64 = number(word)?;
    let is_near = bytes.unsigned_abs() < 1 << 40;
    if is_near { Ok(bytes) } else { Err(format!("{bytes} bytes are too many")) }
}

/// The number behind a prefix, if the word has it.
fn numbered(word: &str, prefix: &str) -> Option<u32> {
    word.strip_prefix(prefix).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?.parse().ok()
}

/// The same, as the number of a row of a table, of which the last one stands for none.
fn row_number(word: &str, prefix: &str) -> Option<usize> {
    numbered(word, prefix).filter(|&n| n < u32::MAX).map(|n| n as usize)
}

fn register(machine: &Machine, word: &str) -> Option<PReg> {
    let (&prefix, _) = word.as_bytes().split_first()?;
    let class = machine.classes.iter().find(|class| class.prefix == prefix)?;
    let number = word.get(1..)?.parse::<u8>().ok().filter(|&n| n < class.count)?;
    Some(PReg(class.first.0 + number))
}

fn named_register(machine: &Machine, word: &str) -> Parsed<PReg> {
    register(machine, word).ok_or_else(|| format!("`{word}` is not a register"))
}

/// The most operands of a kind that a row has, and the most executions of a block that are counted.
const MOST_OPERANDS: usize = u8::MAX as usize;
const MOST_OFTEN: u64 = 1 << 48;
/// The most bytes of a slot: the front end keeps objects below 2 GiB.
const MOST_BYTES: u32 = 1 << 31;
/// The deepest loop.
const DEEPEST: u32 = 1 << 20;

impl<'a> Parser<'a> {
    fn new(machine: &'a Machine, func: Func, bytes: usize) -> Parser<'a> {
        let mut ops: Vec<(&str, u16)> =
            machine.ops.iter().enumerate().map(|(k, row)| (row.name, k as u16)).collect();
        ops.sort_unstable();
        let (preds, lines) = (Vec::new(), Vec::new());
        let most = MAX_VREGS.min(bytes + 1000);
        Parser { func, machine, ops, preds, lines, layout: 0, variables: 0, most }
    }

    fn line(&mut self, at: usize, line: &str, words: &[&str]) -> Parsed<()> {
        let Some((&first, more)) = words.split_first() else { return Ok(()) };
        if line.starts_with([' ', '\t']) {
            self.lines.push(at);
            return self.row(words);
        }
        let func = &mut self.func;
        match first {
            "saved" => {
                for word in more {
                    func.saved.insert(named_register(self.machine, word)?);
                }
            }
            "wide" => {
                for word in more {
                    func.wide.push(number(Some(word))?);
                }
            }
            "variable" => {
                self.variables = at;
                let slot =
                    more.get(1).and_then(|word| row_number(word, "slot")).ok_or("a slot is missing")?;
                func.variables.push((number(more.first().copied())?, Slot::new(slot)));
            }
            "value" => {
                for word in more {
                    self.def(word)?;
                }
            }
            "layout" => {
                self.layout = at;
                for word in more {
                    func.layout.push(block(word)?);
                }
            }
            _ if numbered(first, "slot").is_some() => self.slot(first, more)?,
            _ if numbered(first, "mb").is_some() => self.block(at, first, more)?,
            _ => return Err(format!("`{first}` starts no line")),
        }
        Ok(())
    }

    fn slot(&mut self, name: &str, words: &[&str]) -> Parsed<()> {
        let mut words = words.iter().copied();
        if numbered(name, "slot") != Some(self.func.slots.len() as u32) {
            return Err(format!("`{name}` is out of order"));
        }
        let kind = match words.next() {
            Some("local") => SlotKind::Local,
            Some("spill") => SlotKind::Spill,
            Some("outgoing") => SlotKind::Outgoing,
            Some("varargs") => SlotKind::Varargs,
            Some("incoming") => SlotKind::Incoming(number(words.next())?),
            _ => return Err("a slot is local, spill, outgoing, varargs or incoming".into()),
        };
        let mut row = SlotRow { kind, bytes: number(words.next())?, align: 8, offset: 0 };
        while let Some(word) = words.next() {
            match word {
                "align" => row.align = number(words.next())?,
                "at" => row.offset = near(words.next())?,
                _ => return Err(format!("`{word}` says nothing about a slot")),
            }
        }
        if row.bytes >= MOST_BYTES || !row.align.is_power_of_two() || row.align >= MOST_BYTES {
            return Err(format!("{} bytes aligned to {} are no slot", row.bytes, row.align));
        }
        let _: Slot = self.func.slots.push(row);
        Ok(())
    }

    fn block(&mut self, at: usize, name: &str, words: &[&str]) -> Parsed<()> {
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
        let (mut preds, mut succs, mut section) = (Vec::new(), row.succs.iter_mut(), "");
        for &word in words {
            match (section, word) {
                (_, "depth" | "frequency" | "preds" | "->") => section = word,
                ("depth", _) => row.loop_depth = number(Some(word))?,
                ("frequency", _) => row.frequency = number(Some(word))?,
                ("preds", _) => preds.push(block(word)?),
                ("->", _) => {
                    let succ = succs.next().ok_or_else(|| format!("`{word}` is one successor too many"))?;
                    *succ = Opt::some(block(word)?);
                }
                _ => return Err(format!("`{word}` says nothing about a block")),
            }
        }
        if row.frequency > MOST_OFTEN || row.loop_depth > DEEPEST {
            return Err(format!("`{name}` is executed more often than is counted"));
        }
        self.func.blocks.push(row);
        self.preds.push((at, preds));
        Ok(())
    }

    /// The value that a definition names, with its class and bytes noted.
    fn def(&mut self, word: &str) -> Parsed<Operand> {
        let no_class = || format!("`{word}` has no class");
        let (name, rest) = word.split_once(':').ok_or_else(no_class)?;
        let v = value(name)?;
        let (kind, reg) = rest.split_once('@').map_or((rest, None), |(kind, reg)| (kind, Some(reg)));
        let class = kind.as_bytes().first().and_then(|&letter| self.machine.class_of_letter(letter));
        let class = class.ok_or_else(no_class)?;
        let bytes = number(kind.get(1..))?;
        if !(1..=64).contains(&bytes) {
            return Err(format!("`{word}` has {bytes} bytes"));
        }
        let row = VRegRow::new(class, bytes);
        if v.index() >= self.most {
            return Err(format!("`{name}` is too far from the other values"));
        }
        self.func.vregs.grow_to(v.index() + 1, row);
        self.func.vregs[v] = row;
        fixed(self.machine, v, reg)
    }

    fn row(&mut self, words: &[&str]) -> Parsed<()> {
        let Some(b) = self.func.blocks.keys().next_back() else {
            return Err("a row before any block".into());
        };
        let (mut defs, mut rest) = (Vec::new(), words);
        if let Some(equals) = words.iter().position(|&word| word == "=") {
            for word in &words[..equals] {
                defs.push(match register(self.machine, word) {
                    Some(reg) => Operand::phys(reg),
                    None => self.def(word)?,
                });
            }
            rest = &words[equals + 1..];
        }
        let (name, rest) = rest.split_first().ok_or("an opcode is missing")?;
        let found = self.ops.partition_point(|op| op.0 < *name);
        let op = self.ops.get(found).filter(|op| op.0 == *name);
        let op = MachineOp(op.ok_or_else(|| format!("`{name}` is no opcode"))?.1);
        let prefix = match self.machine.row(op).sym {
            SymKind::None => "!",
            SymKind::Global | SymKind::Func => "@",
            SymKind::Block => "mb",
            SymKind::Slot => "slot",
            SymKind::Wide => "wide",
            SymKind::Unwind => "rule",
        };
        let (mut uses, mut imm, mut sym, mut loc) = (Vec::new(), 0, 0, u32::MAX);
        let mut rest = rest.iter().copied();
        while let Some(word) = rest.next() {
            if let Some(immediate) = word.strip_prefix('#') {
                imm = number(Some(immediate))?;
            } else if word == "at" {
                loc = number(rest.next())?;
            } else if let Some(number) = numbered(word, prefix) {
                sym = number;
            } else {
                uses.push(operand(self.machine, word)?);
            }
        }
        if defs.len() > MOST_OPERANDS || uses.len() > MOST_OPERANDS && op != PHI {
            return Err(format!("`{name}` has more operands than a row can have"));
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
    fn finish(mut self) -> Result<Func, ParseError> {
        let func = &mut self.func;
        let count = func.blocks.len();
        let wrong = |line: usize, what: String| Err(ParseError { line, what });
        let mut derived: Column<Block, Vec<Block>> = Column::filled(count, Vec::new());
        for (b, (line, _)) in func.blocks.keys().zip(&self.preds) {
            for succ in func.succs(b) {
                if succ.index() >= count {
                    return wrong(*line, format!("{b:?} goes to {succ:?}, which does not exist"));
                }
                derived[succ].push(b);
            }
        }
        for (b, (line, written)) in func.blocks.keys().zip(self.preds) {
            let preds = if written.is_empty() { std::mem::take(&mut derived[b]) } else { written };
            if let Some(pred) = preds.iter().find(|p| p.index() >= count) {
                return wrong(line, format!("{b:?} is entered from {pred:?}, which does not exist"));
            }
            func.blocks[b].first_pred = func.preds.len() as u32;
            func.blocks[b].pred_count = preds.len() as u32;
            func.preds.extend(preds);
        }
        if let Some(b) = func.layout.iter().find(|b| b.index() >= count) {
            return wrong(self.layout, format!("{b:?} does not exist"));
        }
        if let Some((_, slot)) = func.variables.iter().find(|row| row.1.index() >= func.slots.len()) {
            return wrong(self.variables, format!("{slot:?} does not exist"));
        }
        for (i, &line) in func.insts.keys().zip(&self.lines) {
            let operands = func.operands(i).iter().filter_map(|o| o.as_virt());
            if let Some(v) = operands.into_iter().find(|v| v.index() >= func.vregs.len()) {
                return wrong(line, format!("{v:?} is used and has no definition"));
            }
        }
        // No row says where it comes from: nothing asks.
        if func.loc.as_slice().iter().all(|&loc| loc == u32::MAX) {
            func.loc.clear();
        }
        func.note_values();
        Ok(self.func)
    }
}

fn block(word: &str) -> Parsed<Block> {
    row_number(word, "mb").map(Block::new).ok_or_else(|| format!("`{word}` is not a block"))
}

fn value(word: &str) -> Parsed<VReg> {
    let n = numbered(word, "v").filter(|&n| (n as usize) < MAX_VREGS);
    Ok(VReg::new(n.ok_or_else(|| format!("`{word}` is not a value"))? as usize))
}

fn fixed(machine: &Machine, v: VReg, reg: Option<&str>) -> Parsed<Operand> {
    match reg {
        None => Ok(Operand::virt(v)),
        Some(reg) => Ok(Operand::fixed(v, named_register(machine, reg)?)),
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
function 7 calls twice wide-values without-floats framed unaligned tables keep-jumps places unwind indexed without-cfi features 5 lanes 4 frame 32
saved r3 f2
wide 5000000000 -1
slot0 local 40 align 8 at 16
slot1 incoming 8 4 align 4 at 40
variable 12 slot0
value v7:f8
mb0 depth 0 frequency 1024 -> mb1
    v0:i4@r1, v1:f4@f0 = entry
    v2:i8 = ld8 frame, slot0, #4
    v3:i4 = li #-5 at 17
    j mb1
mb1 depth 1 frequency 8192 preds mb0 mb1 -> mb1 mb2
    v4:i4 = phi v0, v5
    v5:i4 = add v4, r0
    v6:i4@r1 = call v5@r1, v1@f0, v7@f2, @3
    v8:i4 = add v6, v5, !7
    beq v5, v6, mb1
mb2 depth 0 frequency 1024 preds mb1
    ret v2@r1
";

    const LAID_OUT: &str = "\
function 0
mb0 depth 0 frequency 1024 -> mb2 mb1
    r1, f0 = entry
    bone r1, mb2
mb1 depth 0 frequency 512
    ret r1
mb2 depth 0 frequency 512
    r1 = li
    ret r1
layout mb0 mb1 mb2
";

    #[test]
    fn text_comes_back_as_it_was() {
        let func = parse(TEXT, &toy::machine()).unwrap();
        assert_eq!(print(&func, &toy::machine()), TEXT);
        assert_eq!(func.insts.len(), 10);
        // Behind the choice of an order, predecessors are not kept.
        assert_eq!(print(&parse(LAID_OUT, &toy::machine()).unwrap(), &toy::machine()), LAID_OUT);
        assert_eq!(func.preds(Block::new(1)), [Block::new(0), Block::new(1)]);
        assert_eq!(func.loc[Inst::new(2)], 17);
    }

    #[test]
    fn wrong_text_is_reported_with_its_line() {
        for (text, line) in [
            ("function 0\nmb1", 2),
            ("mb0\n    frobnicate", 2),
            ("mb0\n    v0 = li", 2),
            ("mb0\n    v0:i4 = add v1, v2\n    ret\n", 2),
            ("    ret", 1),
            ("mb0 -> mb3\nmb1\n", 1),
            ("mb0 -> mb4294967295\n", 1),
            ("mb4294967295\n", 1),
            ("slot0 local 4\nvariable 1 slot4294967295\nmb0\n", 2),
            ("mb0\n    v4000000:i4 = li\n", 2),
            ("slot1 local 4", 1),
            ("mb0\n    v0:i4 = li #99999999999", 2),
            ("mb0\n    v0:i99 = li", 2),
            ("mb0\n    ret\nlayout mb1\n", 3),
            ("variable 1 slot4\nmb0\n", 1),
            ("slot0 local 4 align 3", 1),
            ("slot0 local 4000000000", 1),
            ("function 1 frame 99999999999999", 1),
        ] {
            let error = parse(text, &toy::machine()).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error}");
        }
    }
}
