//! Machine IR as text. `parse` reads it back; print, parse, print is the identity.
//!
//! ```text
//! func 3 putint                        what number 3 is called, in a module; behind the name `local`, or `weak`
//! global 0 table                       names have bytes other than letters, digits, `_`, `.` and `$` as `%20`
//! function 0 calls frame 32            also `features 5`, `lanes 4`, and the words of `FLAGS`, where they are so
//! saved r3 f2                          callee-saved registers that are written
//! wide 5000000000                      immediates over 32 bits
//! slot0 spill 8 align 8 at 0           or local, outgoing, incoming 16
//! variable 4 slot0                     the slot of the variable that the front end has as number 4
//! value v9:i4                          a value that no row defines and some row uses
//! mb0 depth 0 frequency 1024 preds mb1 mb2 -> mb1 mb3
//!     v1:i4@r1 = entry                 a definition has a class and bytes; @ is a fixed register
//!     v2:i4 = add v1, r0
//!     v3:i8 = ld8 frame, slot0         then the symbol, by its kind: slot0, mb3, @7, wide0, or !7
//!     v4:i4 = addi v2, #-5             then the immediate unless it is 0, then `at` the place in the source
//! layout mb0 mb2 mb1
//! ```
//!
//! What only debuggers are told of variables without slots (`Func::debug_values`) is not in it.
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

/// A word of a function's first line: how the flag that it stands for is read, and how it is set.
type Flag = (&'static str, fn(&Func) -> bool, fn(&mut Func));

/// The words of a function's first line. People are shown the first two.
pub(super) static FLAGS: [Flag; 13] = [
    ("calls", |f| f.has_calls, |f| f.has_calls = true),
    ("twice", |f| f.returns_twice, |f| f.returns_twice = true),
    ("wide-values", |f| f.is_wide, |f| f.is_wide = true),
    ("without-floats", |f| f.without_floats, |f| f.without_floats = true),
    ("framed", |f| f.framed, |f| f.framed = true),
    ("unaligned", |f| f.is_unaligned, |f| f.is_unaligned = true),
    ("tables", |f| f.has_tables, |f| f.has_tables = true),
    ("counted", |f| f.counted, |f| f.counted = true),
    ("keep-jumps", |f| f.keep_jumps, |f| f.keep_jumps = true),
    ("places", |f| f.places, |f| f.places = true),
    ("unwind", |f| f.unwind, |f| f.unwind = true),
    ("indexed", |f| f.indexed, |f| f.indexed = true),
    ("without-cfi", |f| f.without_cfi, |f| f.without_cfi = true),
];

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

/// The text of a function, to be read back, with the names of what it speaks of; `word` is what stands behind the name of
/// a function.
pub fn print_with_names(
    func: &Func,
    machine: &Machine,
    names: &dyn Naming,
    word: &dyn Fn(u32) -> &'static str,
) -> String {
    let (mut funcs, mut globals) = (vec![func.id], Vec::new());
    for row in func.blocks.keys().flat_map(|b| func.rows(b)).map(|i| &func.insts[i]) {
        match machine.row(row.op).sym {
            SymKind::Func => funcs.push(row.sym),
            SymKind::Global => globals.push(row.sym),
            _ => {}
        }
    }
    let mut out = String::new();
    for (list, kind) in [(&mut funcs, "func"), (&mut globals, "global")] {
        list.sort_unstable();
        list.dedup();
        for &number in list.iter() {
            let (name, more) = match kind {
                "func" => (names.func(number), word(number)),
                _ => (names.global(number), ""),
            };
            let _ = write!(out, "{kind} {number} ");
            for byte in name.bytes() {
                let _ = match byte {
                    b'_' | b'.' | b'$' => write!(out, "{}", char::from(byte)),
                    _ if byte.is_ascii_alphanumeric() => write!(out, "{}", char::from(byte)),
                    _ => write!(out, "%{byte:02x}"),
                };
            }
            let _ = writeln!(out, "{}{more}", if more.is_empty() { "" } else { " " });
        }
    }
    out.push_str(&print(func, machine));
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
    let shown = if style.names.is_some() { 2 } else { FLAGS.len() };
    for (word, ..) in FLAGS.iter().take(shown).filter(|flag| (flag.1)(func)) {
        write!(out, " {word}")?;
    }
    if style.names.is_none() {
        for (word, number) in [("features", func.features.0), ("lanes", func.lanes)] {
            if number != 0 {
                write!(out, " {word} {number}")?;
            }
        }
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
    if style.names.is_none() {
        for (number, slot) in &func.variables {
            writeln!(out, "variable {number} {slot:?}")?;
            end(out, None);
        }
        let (mut defined, mut used) =
            (Column::filled(func.vregs.len(), false), Column::filled(func.vregs.len(), false));
        for i in func.blocks.keys().flat_map(|b| func.rows(b)) {
            func.defs(i).iter().filter_map(|d| d.as_virt()).for_each(|v| defined[v] = true);
            func.uses(i).iter().filter_map(|u| u.as_virt()).for_each(|v| used[v] = true);
        }
        for v in func.vregs.keys().filter(|&v| used[v] && !defined[v]) {
            out.push_str("value ");
            write_def(out, func, style, v)?;
            out.push('\n');
            end(out, None);
        }
    }
    for (b, row) in func.blocks.iter() {
        write!(out, "{b:?} depth {} frequency {}", row.loop_depth, row.frequency)?;
        // Behind the choice of an order they are not kept.
        let preds = if func.layout.is_empty() || style.names.is_some() { func.preds(b) } else { &[] };
        for (k, pred) in preds.iter().enumerate() {
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
