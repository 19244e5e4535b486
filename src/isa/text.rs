//! Assembly text of a final function: its rows in layout order, each through the template of its opcode.
//!
//! Templates: `%0` is operand 0, `%w0` operand 0 under the register names of variant `w`, `%i` the immediate,
//! `%l` the immediate's low byte and `%h` what is above that, `%s` the symbol, `%o` the immediate as an offset behind a symbol (`+4`, `-4`, nothing), `%b` the block,
//! `%%` a percent sign. Block `b` of function `f` is labelled `.Lf<f>_<b>` if a row jumps to it. O(text).

use super::exceptions::{self, cell_name};
use super::origins::Origins;
use super::symbols::Symbols;
use super::unwind::rule_of;
use super::{LIBRARY, LIBRARY_BASE, Target};
use crate::base::history::{Lines, NO_KEY, NO_PLACE};
use crate::base::{BitSet, Handle};
use crate::ir::{FuncId, GlobalId};
use crate::mir::desc::{ENTRY, INVOKE, LANDING, PHI};
use crate::mir::print::Naming;
use crate::mir::{Block, Func, Inst, Machine, Operand, SymKind};
use crate::object;
use crate::object::debug_text::MARK;
use crate::object::index::{self, Step};
use crate::object::module::Binding;
use std::fmt::Write;

/// Appends the text of a function.
pub fn print(out: &mut String, func: &Func, target: &Target, symbols: &Symbols, binding: Binding) {
    print_with(out, func, (target, symbols, binding), |_, _| {});
}

/// The same line by line, each with where in the source it comes from.
pub fn lines(func: &Func, target: &Target, symbols: &Symbols, binding: Binding) -> Lines {
    let (mut text, mut starts) = (String::new(), Vec::new());
    print_with(&mut text, func, (target, symbols, binding), |out, i| starts.push((out.len(), i)));
    let (mut lines, mut at, mut starts) = (Lines::default(), 0, starts.into_iter().peekable());
    for line in text.split_inclusive('\n') {
        if line == MARK {
            at += line.len();
            continue;
        }
        lines.text.push_str(line.trim_end());
        let row = starts.next_if(|&(start, _)| start == at);
        lines.end(NO_KEY, row.map_or(NO_PLACE, |(_, i)| func.place(i)));
        at += line.len();
    }
    lines
}

/// The same as text, with a comment wherever another line of the source begins: `line` says the number and
/// the text of the line that a place is in.
pub fn print_verbose<'a>(
    out: &mut String,
    func: &Func,
    (target, symbols, binding): (&Target, &Symbols, Binding),
    line: &dyn Fn(u32) -> Option<(u32, &'a str)>,
) {
    let mut last = 0;
    print_with(out, func, (target, symbols, binding), |out, i| {
        let place = Some(func.place(i)).filter(|&place| place != NO_PLACE);
        if let Some((number, text)) = place.and_then(line).filter(|row| row.0 != last) {
            let _ = writeln!(out, "\t{} {number}: {}", target.comment, text.trim());
            last = number;
        }
    });
}

/// Calls `note` in front of the text of each row.
fn print_with(
    out: &mut String,
    func: &Func,
    (target, symbols, binding): (&Target, &Symbols, Binding),
    mut note: impl FnMut(&mut String, Inst),
) {
    let machine = target.rules.machine;
    let name = &symbols.funcs[FuncId::new(func.id as usize)];
    let align = target.function_align.trailing_zeros();
    let _ = writeln!(out, "\t.p2align {align}");
    object::text::binding(out, name, binding);
    let _ = writeln!(out, "\t.type {name}, %function\n{name}:");
    let has_rules = func.unwind && !func.without_cfi;
    if func.indexed {
        out.push_str("\t.fnstart\n");
        frame(out, func, target);
    }
    if has_rules {
        out.push_str("\t.cfi_startproc\n");
    }
    let mut calls = Calls::of(func, machine);
    if let (Some(personality), true) = (func.landings.personality, calls.any) {
        if !func.indexed {
            let routine = cell_name(symbols.func(personality));
            let _ = writeln!(out, "\t.cfi_personality 0x9b,{routine}\n\t.cfi_lsda 0x1b,.Lx{}", func.id);
        }
        let _ = writeln!(out, ".Lb{}:", func.id);
    }
    let jumped_to = jumped_to(func, machine);
    let mut origins = Origins::default();
    let mut block = |b: Block| {
        if jumped_to.contains(b) {
            let _ = writeln!(out, ".Lf{}_{}:", func.id, b.index());
        }
        if func.unwind {
            origins.enter(func, machine, b);
        }
        calls.enter(func, machine, b);
        for i in func.rows(b) {
            calls.mark(out, func.id, i);
            let row = machine.row(func.insts[i].op);
            if func.without_cfi && row.sym == SymKind::Unwind {
                continue;
            }
            if !row.text.is_empty() {
                if func.unwind && origins.row(func, i).is_some() {
                    out.push_str(MARK);
                }
                note(out, i);
                out.push('\t');
                instruction(out, func, i, machine, symbols);
                out.push('\n');
            } else if !matches!(func.insts[i].op, PHI | ENTRY | INVOKE | LANDING) {
                let _ = writeln!(out, "\t.error \"{} was never expanded\"", row.name);
            }
        }
    };
    if func.layout.is_empty() {
        func.blocks.keys().for_each(&mut block);
    } else {
        func.layout.iter().copied().for_each(&mut block);
    }
    let is_left = !calls.pads.is_empty();
    if is_left {
        let _ = writeln!(out, ".Le{}:", func.id);
    }
    if has_rules {
        out.push_str("\t.cfi_endproc\n");
    }
    let _ = writeln!(out, "\t.size {name}, .-{name}\n");
    if is_left {
        exceptions::print(out, func, (target, symbols), &calls.pads);
    }
    if func.indexed {
        out.push_str("\t.fnend\n");
    }
}

/// Appends how the frame lies, in the directives of ARM's unwinders.
fn frame(out: &mut String, func: &Func, target: &Target) {
    let Some(first) = func.blocks.keys().next() else { return };
    let is_rule = |i: &Inst| target.rules.machine.row(func.insts[*i].op).sym == SymKind::Unwind;
    let rules = func.rows(first).filter(is_rule);
    let rules = rules.map(|i| rule_of(&func.insts[i], func.operands(i), target.dwarf_register));
    for step in index::frame(rules) {
        let _ = match step {
            Step::Pad(bytes) => writeln!(out, "\t.pad #{bytes}"),
            Step::Save(regs) => {
                let regs = (0..16).filter(|k| regs >> k & 1 != 0).map(|k| format!("r{k}"));
                writeln!(out, "\t.save {{{}}}", regs.collect::<Vec<_>>().join(", "))
            }
            Step::SaveDoubles(first, 1) => writeln!(out, "\t.vsave {{d{first}}}"),
            Step::SaveDoubles(first, count) => writeln!(out, "\t.vsave {{d{first}-d{}}}", first + count - 1),
            Step::Note(reg) => writeln!(out, "\t.setfp r{reg}, sp"),
        };
    }
}

/// Labels around calls that may be left by exceptions.
struct Calls {
    any: bool,
    /// That of the block at hand.
    call: Option<Inst>,
    /// Where those so far are left to.
    pads: Vec<Block>,
    next: Option<Block>,
}

impl Calls {
    fn of(func: &Func, machine: &Machine) -> Calls {
        let has_landings = !func.landings.rows.is_empty();
        let any = has_landings && func.blocks.keys().any(|b| exceptions::invoked(func, machine, b).is_some());
        Calls { any, call: None, pads: Vec::new(), next: None }
    }

    fn enter(&mut self, func: &Func, machine: &Machine, b: Block) {
        let invoked = if self.any { exceptions::invoked(func, machine, b) } else { None };
        (self.call, self.next) = (invoked.map(|row| row.0), invoked.map(|row| row.1));
    }

    /// In front of a row.
    fn mark(&mut self, out: &mut String, id: u32, i: Inst) {
        let Some(call) = self.call else { return };
        let number = self.pads.len();
        if i == call {
            let _ = writeln!(out, ".Ls{id}_{number}:");
        } else if i.index() == call.index() + 1 {
            let _ = writeln!(out, ".Lt{id}_{number}:");
            self.pads.extend(self.next.take());
            self.call = None;
        }
    }
}

/// The blocks that some row names.
fn jumped_to(func: &Func, machine: &Machine) -> BitSet<Block> {
    let mut set = BitSet::new(func.blocks.len());
    for (_, row) in func.insts.iter() {
        if machine.row(row.op).sym == SymKind::Block {
            set.insert(Block::new(row.sym as usize));
        }
    }
    set
}

/// Appends one instruction, without indentation and line end.
pub fn instruction(out: &mut String, func: &Func, i: Inst, machine: &Machine, symbols: &Symbols) {
    let row = &func.insts[i];
    let desc = machine.row(row.op);
    let mut rest = desc.text;
    // (With `find`, which asks memchr for these few bytes, 3% of -O2 -S.)
    while let Some(at) = rest.bytes().position(|byte| byte == b'%') {
        out.push_str(&rest[..at]);
        let bytes = &rest.as_bytes()[at + 1..];
        let (code, next) = (bytes.first().copied().unwrap_or(b'%'), bytes.get(1).copied());
        let mut taken = 2;
        match code {
            b'i' => {
                let _ = write!(out, "{}", row.imm);
            }
            // In front of a digit they are variants of a register.
            b'l' | b'h' if !next.is_some_and(|c| c.is_ascii_digit()) => {
                let _ = write!(out, "{}", if code == b'l' { row.imm & 0xff } else { row.imm >> 8 });
            }
            b's' => symbol(out, func, desc.sym, row.sym, symbols),
            b'o' if row.imm != 0 => {
                let _ = write!(out, "{:+}", row.imm);
            }
            b'o' => {}
            b'b' => {
                let _ = write!(out, ".Lf{}_{}", func.id, row.sym);
            }
            b'0'..=b'9' => register(out, func.operands(i)[(code - b'0') as usize], machine, 0),
            _ => match next.filter(u8::is_ascii_digit) {
                Some(digit) if code.is_ascii_alphabetic() => {
                    register(out, func.operands(i)[(digit - b'0') as usize], machine, code);
                    taken = 3;
                }
                _ => out.push('%'),
            },
        }
        rest = rest.get(at + taken..).unwrap_or("");
    }
    out.push_str(rest);
}

fn register(out: &mut String, operand: Operand, machine: &Machine, variant: u8) {
    match operand.as_phys() {
        Some(reg) => out.push_str((machine.reg_name)(reg, variant)),
        None => {
            let _ = write!(out, "<{operand:?}>");
        }
    }
}

fn symbol(out: &mut String, func: &Func, kind: SymKind, sym: u32, symbols: &Symbols) {
    match kind {
        SymKind::Global => out.push_str(&symbols.globals[GlobalId::new(sym as usize)]),
        SymKind::Func if sym >= LIBRARY_BASE => out.push_str(LIBRARY[(sym - LIBRARY_BASE) as usize]),
        SymKind::Func => out.push_str(&symbols.funcs[FuncId::new(sym as usize)]),
        SymKind::Block => {
            let _ = write!(out, ".Lf{}_{sym}", func.id);
        }
        SymKind::Wide => {
            let _ = write!(out, "{}", func.wide[sym as usize]);
        }
        SymKind::Slot | SymKind::None | SymKind::Unwind => {
            let _ = write!(out, "{sym}");
        }
    }
}
