//! Machine IR as text. `parse` reads it back; print, parse, print is the identity.
//!
//! ```text
//! function 0 calls frame 32            `calls` and `frame` only if so
//! saved r3 f2                          callee-saved registers that are written
//! wide 5000000000                      immediates over 32 bits
//! slot0 spill 8 align 8 at 0           or local, outgoing, incoming 16
//! value v9:i4                          a value that no row defines
//! mb0 depth 0 frequency 1024 preds mb1 mb2 -> mb1 mb3
//!     v1:i4@r1 = entry                 a definition has a class and bytes; @ is a fixed register
//!     v2:i4 = add v1, r0
//!     v3:i8 = ld8 frame, slot0         then the symbol, by its kind: slot0, mb3, @7, wide0, or !7
//!     v4:i4 = addi v2, #-5             then the immediate unless it is 0, then `at` the place in the source
//! layout mb0 mb2 mb1
//! ```
//!
//! For people (`lines`), registers have the names of the machine, functions and globals theirs, and there are no
//! places in the source: `a0 = addi sp, #-5`, `call a0, @putint`. O(text).

use super::desc::{PHI, PReg, SymKind};
use super::{Func, Inst, Machine, Operand, SlotKind, VReg};
use crate::base::Column;
use crate::base::history::{Lines, NO_KEY, NO_PLACE};
use std::fmt::{self, Write};

/// What functions and globals are called, by their number.
pub trait Naming {
    /// A function.
    fn func(&self, number: u32) -> &str;
    /// A global.
    fn global(&self, number: u32) -> &str;
}

/// What is printed how.
#[derive(Copy, Clone)]
struct Style<'a> {
    machine: &'a Machine,
    /// For people; or else to be read back.
    names: Option<&'a dyn Naming>,
}

/// The text of a function.
pub fn print(func: &Func, machine: &Machine) -> String {
    let mut out = String::new();
    // A `String` takes everything that is written to it.
    let _ = write_func(&mut out, func, Style { machine, names: None }, |_, _| {});
    out
}

/// The text of a function for people, line by line, each with where in the source it comes from.
pub fn lines(func: &Func, machine: &Machine, names: &dyn Naming) -> Lines {
    let (mut lines, mut text) = (Lines::default(), String::new());
    let end = |text: &mut String, row: Option<Inst>| {
        lines.text.push_str(text.trim_end_matches('\n'));
        lines.end(NO_KEY, row.map_or(NO_PLACE, |i| func.place(i)));
        text.clear();
    };
    let _ = write_func(&mut text, func, Style { machine, names: Some(names) }, end);
    lines
}

/// The same as text, each row with the line of the source that `line` says it is from.
pub fn print_named(
    func: &Func,
    machine: &Machine,
    names: &dyn Naming,
    line: &dyn Fn(u32) -> Option<u32>,
) -> String {
    let (mut out, mut last) = (String::new(), 0);
    for (text, place) in lines(func, machine, names).iter() {
        out.push_str(text);
        let number = if place == NO_PLACE { None } else { line(place) };
        if let Some(number) = number.filter(|&number| number != last) {
            let gap = COLUMN.saturating_sub(text.len()).max(1);
            let _ = write!(out, "{:gap$}; line {number}", "");
            last = number;
        }
        out.push('\n');
    }
    out
}

/// Where comments begin, if what stands before them is no longer.
const COLUMN: usize = 36;

/// Calls `end` behind each line, with the row if it is one.
fn write_func(
    out: &mut String,
    func: &Func,
    style: Style,
    mut end: impl FnMut(&mut String, Option<Inst>),
) -> fmt::Result {
    match style.names {
        Some(names) => write!(out, "function {}", names.func(func.id))?,
        None => write!(out, "function {}", func.id)?,
    }
    if func.has_calls {
        out.push_str(" calls");
    }
    if func.returns_twice {
        out.push_str(" twice");
    }
    if func.frame_bytes != 0 {
        write!(out, " frame {}", func.frame_bytes)?;
    }
    out.push('\n');
    end(out, None);
    if func.saved.count() > 0 {
        out.push_str("saved");
        for reg in func.saved.iter() {
            out.push(' ');
            write_reg(out, style, reg)?;
        }
        out.push('\n');
        end(out, None);
    }
    if !func.wide.is_empty() {
        out.push_str("wide");
        for value in &func.wide {
            write!(out, " {value}")?;
        }
        out.push('\n');
        end(out, None);
    }
    for (slot, row) in func.slots.iter() {
        write!(out, "{slot:?} ")?;
        match row.kind {
            SlotKind::Local => out.push_str("local"),
            SlotKind::Spill => out.push_str("spill"),
            SlotKind::Outgoing => out.push_str("outgoing"),
            SlotKind::Varargs => out.push_str("varargs"),
            SlotKind::Incoming(offset) => write!(out, "incoming {offset}")?,
        }
        writeln!(out, " {} align {} at {}", row.bytes, row.align, row.offset)?;
        end(out, None);
    }
    let mut defined = Column::filled(func.vregs.len(), false);
    for i in func.blocks.keys().flat_map(|b| func.rows(b)) {
        func.defs(i).iter().filter_map(|d| d.as_virt()).for_each(|v| defined[v] = true);
    }
    for v in func.vregs.keys().filter(|&v| !defined[v] && style.names.is_none()) {
        out.push_str("value ");
        write_def(out, func, style, v)?;
        out.push('\n');
        end(out, None);
    }
    for (b, row) in func.blocks.iter() {
        write!(out, "{b:?} depth {} frequency {}", row.loop_depth, row.frequency)?;
        for (k, pred) in func.preds(b).iter().enumerate() {
            write!(out, "{}{pred:?}", if k == 0 { " preds " } else { " " })?;
        }
        for (k, succ) in func.succs(b).enumerate() {
            write!(out, "{}{succ:?}", if k == 0 { " -> " } else { " " })?;
        }
        out.push('\n');
        end(out, None);
        for i in func.rows(b) {
            write_row(out, func, style, i)?;
            end(out, Some(i));
        }
    }
    for (k, b) in func.layout.iter().enumerate() {
        write!(out, "{}{b:?}", if k == 0 { "layout " } else { " " })?;
    }
    if !func.layout.is_empty() {
        out.push('\n');
        end(out, None);
    }
    Ok(())
}

fn write_reg(out: &mut String, Style { machine, names }: Style, reg: PReg) -> fmt::Result {
    if names.is_some() {
        out.push_str((machine.reg_name)(reg, 0));
        return Ok(());
    }
    let class = machine.class(machine.registers.class(reg));
    write!(out, "{}{}", char::from(class.prefix), reg.0.wrapping_sub(class.first.0))
}

fn write_def(out: &mut String, func: &Func, Style { machine, .. }: Style, v: VReg) -> fmt::Result {
    let row = func.vregs[v];
    write!(out, "{v:?}:{}{}", char::from(machine.class(row.class).letter), row.bytes)
}

/// An operand; with `typed`, a value's class and bytes, too.
fn write_operand(out: &mut String, func: &Func, style: Style, operand: Operand, typed: bool) -> fmt::Result {
    match operand.as_virt() {
        Some(v) if typed => write_def(out, func, style, v)?,
        Some(v) => write!(out, "{v:?}")?,
        None if operand == Operand::FRAME => out.push_str("frame"),
        None => {}
    }
    if operand.constraint().is_some() {
        out.push('@');
    }
    operand.constraint().or(operand.as_phys()).map_or(Ok(()), |reg| write_reg(out, style, reg))
}

fn write_row(out: &mut String, func: &Func, style: Style, i: Inst) -> fmt::Result {
    let row = &func.insts[i];
    let op = style.machine.row(row.op);
    out.push_str("    ");
    for (k, &def) in func.defs(i).iter().enumerate() {
        out.push_str(if k == 0 { "" } else { ", " });
        write_operand(out, func, style, def, true)?;
    }
    out.push_str(if row.defs == 0 { "" } else { " = " });
    out.push_str(op.name);
    let mut gap = " ";
    for &use_ in func.uses(i) {
        out.push_str(gap);
        write_operand(out, func, style, use_, false)?;
        gap = ", ";
    }
    let sigil = match op.sym {
        SymKind::None if row.sym == 0 => "",
        SymKind::None => "!",
        SymKind::Global | SymKind::Func => "@",
        SymKind::Block => "mb",
        SymKind::Slot => "slot",
        SymKind::Wide => "wide",
        SymKind::Unwind => "rule",
    };
    if !sigil.is_empty() {
        match (op.sym, style.names) {
            (SymKind::Global, Some(names)) => write!(out, "{gap}@{}", names.global(row.sym))?,
            (SymKind::Func, Some(names)) => write!(out, "{gap}@{}", names.func(row.sym))?,
            (SymKind::Wide, Some(_)) => {
                write!(out, "{gap}#{}", func.wide.get(row.sym as usize).copied().unwrap_or(0))?;
            }
            _ => write!(out, "{gap}{sigil}{}", row.sym)?,
        }
        gap = ", ";
    }
    if row.imm != 0 && row.op != PHI {
        write!(out, "{gap}#{}", row.imm)?;
    }
    if let (None, Some(loc)) = (style.names, Some(func.place(i)).filter(|&loc| loc != u32::MAX)) {
        write!(out, " at {loc}")?;
    }
    out.push('\n');
    Ok(())
}
