//! Inline assembly: a line of a template is what a row of the opcodes prints, read the other way around. So it becomes that row,
//! on virtual registers, and allocation, frames, encoding and text have no case of it: an operand that is written gets a
//! register of its own from there on, which is all that early clobbers and ties ask for. A register that the template names has
//! to be an operand's or one that it says it destroys, and is a value like any other. Only a system call wants the registers
//! that are asked for.
//!
//! What rows do not print is refused, by name, when text is read (`check`): labels, directives, branches, and instructions that
//! no row is. O(rows) a line.

use super::Target;
use super::select::Select;
use crate::ir::assembly::{Assembly, Kind, Operand as Given, Piece, pieces};
use crate::ir::{Inst, Type};
use crate::mir::desc::{CALL, COND_BRANCH, JUMP, LOADS, RETURN, SETS_FLAGS, STORES, TABLE, USES_FLAGS, ties};
use crate::mir::memory::Object;
use crate::mir::model::BRANCH;
use crate::mir::{Class, Machine, MachineOp, OpRow, Operand, PReg, SymKind};

/// What a target says of it.
#[derive(Debug)]
pub struct Assembler {
    /// The immediate of a row that may stand in a template, as the row has it; 0 is also where there is none.
    pub immediate: fn(&OpRow, i64) -> Option<i32>,
    /// The letters of variants under which a register has a name (0 for the plain one), of integers and of floats.
    pub variants: [&'static [u8]; 2],
    /// The variant under which an operand is printed, with a letter behind it or none.
    pub printed: fn(Option<u8>, &Given) -> Option<u8>,
    /// Other names of registers: a letter and the number of the first.
    pub others: &'static [(&'static str, PReg)],
    /// Words behind the first one that mean the same, and what rows print.
    pub synonyms: &'static [(&'static str, &'static str)],
    /// The register that is always zero.
    pub zero: Option<PReg>,
    /// What stands around an address.
    pub brackets: [u8; 2],
    /// What begins comments to the end of the line.
    pub comments: &'static [&'static str],
    /// A system call: its registers are those that operands ask for.
    pub system_call: MachineOp,
}

/// What stands in a line, without blanks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Unit {
    Byte(u8),
    /// A value, and the variant of a register that it is printed as.
    Var(usize, u8),
    /// The register that is zero.
    Zero(&'static str, u8),
}

/// An operand of a row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    Var(usize),
    Zero,
}

/// A row that a line is.
#[derive(Clone, Debug)]
struct Row {
    op: MachineOp,
    operands: Vec<Place>,
    defs: usize,
    imm: i32,
}

/// A value of an assembly.
#[derive(Clone, Debug)]
struct Var {
    kind: Kind,
    ty: Type,
    register: Option<PReg>,
}

/// What a template means.
#[derive(Clone, Debug, Default)]
struct Program {
    rows: Vec<Row>,
    /// Those of the operands, and then of registers that are destroyed.
    vars: Vec<Var>,
    /// Per operand: the value that it is. An input that is in the register of an output is that.
    same: Vec<usize>,
}

/// What is not known of an assembly.
pub fn check(target: &Target, of: &Assembly) -> Result<(), String> {
    read(target.rules.machine, target.rules.builtins.assembler, of).map(|_| ())
}

/// Selects one.
pub fn select(cx: &mut Select, i: Inst) {
    let (env, body) = (cx.env, cx.body);
    let assembler = cx.rules.builtins.assembler;
    let Some(of) = Assembly::of(env.names.text(env.funcs[body.callee(i)].name)) else {
        return cx.fail("inline assembly is not supported");
    };
    let program = match read(cx.rules.machine, assembler, &of) {
        Ok(program) => program,
        Err(what) => return cx.fail(&format!("inline assembly is not supported: {what}")),
    };
    let mut now: Vec<Option<Operand>> = vec![None; program.vars.len()];
    let mut stores = Vec::new();
    for (k, operand) in of.operands.iter().enumerate() {
        let Some(argument) = operand.argument.filter(|_| operand.kind != Kind::Immediate) else { continue };
        let Some(&v) = body.args(i).get(argument) else { continue };
        let register = cx.reg(v);
        if operand.is_output && operand.kind != Kind::Memory {
            stores.push((k, register));
        } else {
            now[program.same[k]] = Some(register);
        }
    }
    for row in &program.rows {
        if row.op == assembler.system_call {
            system_call(cx, &of, &program, &mut now);
            continue;
        }
        let mut operands: Vec<Operand> = Vec::new();
        for (k, &place) in row.operands.iter().enumerate() {
            let operand = match place {
                Place::Zero => assembler.zero.map(Operand::phys),
                Place::Var(var) if k < row.defs => {
                    Some(Operand::virt(cx.new_reg(kept_as(cx, &program.vars[var]))))
                }
                Place::Var(var) => now[var],
            };
            operands.push(operand.unwrap_or(Operand::FRAME));
        }
        for (&place, &operand) in row.operands.iter().zip(&operands).take(row.defs) {
            if let Place::Var(var) = place {
                now[var] = Some(operand);
            }
        }
        let desc = cx.rules.machine.row(row.op);
        let note = if desc.flags & (LOADS | STORES) != 0 { Object::Volatile.note() } else { 0 };
        cx.emit_row(row.op, row.defs as u8, &operands, row.imm, note);
    }
    for (k, operand) in of.operands.iter().enumerate() {
        let Some(value) = now[program.same[k]].filter(|_| operand.is_output && operand.kind != Kind::Memory)
        else {
            continue;
        };
        if operand.argument.is_none() {
            if cx.is_wanted(i) {
                let def = Operand::virt(cx.result(i));
                copy(cx, operand.ty, def, value);
            }
        } else if let Some(&(_, address)) = stores.iter().find(|row| row.0 == k) {
            match cx.rules.memory.stores[operand.ty.scalar_number()].as_ref().map(|access| access.offset) {
                Some(op) => cx.emit(op, &[], &[value, address], 0, Object::Volatile.note()),
                None => return cx.fail("inline assembly is not supported: a result of this type"),
            }
        }
    }
}

/// A register for what a row in the middle writes: all of it is kept.
fn kept_as(cx: &Select, var: &Var) -> Type {
    match (var.kind, cx.rules.machine.pointer_bytes) {
        (Kind::Float, _) => var.ty,
        (_, 8) => Type::I64,
        _ => Type::I32,
    }
}

fn copy(cx: &mut Select, ty: Type, to: Operand, from: Operand) {
    let class = if ty.is_float() { Class::FLOAT } else { Class::INT };
    let bytes = if ty == Type::Ptr { cx.rules.machine.pointer_bytes } else { ty.bytes().max(4) };
    cx.emit(cx.rules.machine.width(class, bytes).copy, &[to], &[from], 0, 0);
}

/// A call of the system, by the registers that operands ask for.
fn system_call(cx: &mut Select, of: &Assembly, program: &Program, now: &mut [Option<Operand>]) {
    let (mut defs, mut uses) = (Vec::new(), Vec::new());
    for (var, row) in program.vars.iter().enumerate() {
        let Some(register) = row.register else { continue };
        if let Some(value) = now[var] {
            let v = match value.as_virt() {
                Some(v) => v,
                None => {
                    let fresh = cx.new_reg(kept_as(cx, row));
                    copy(cx, row.ty, Operand::virt(fresh), value);
                    fresh
                }
            };
            uses.push(Operand::fixed(v, register));
        }
        if of.operands.get(var).is_some_and(|operand| operand.is_output) {
            let v = cx.new_reg(kept_as(cx, row));
            defs.push(Operand::fixed(v, register));
            now[var] = Some(Operand::virt(v));
        }
    }
    let count = defs.len() as u8;
    defs.extend(uses);
    cx.emit_call(cx.rules.builtins.assembler.system_call, count, &defs, 0);
}

/// What a template means, or what of it is not known.
fn read(machine: &Machine, assembler: &Assembler, of: &Assembly) -> Result<Program, String> {
    let mut program = Program::default();
    for (k, operand) in of.operands.iter().enumerate() {
        let register = match operand.register {
            Some(name) => {
                Some(register(machine, assembler, name).ok_or_else(|| format!("the register `{name}`"))?.0)
            }
            None => None,
        };
        if let Some(register) = register
            && (register.class() == Class::FLOAT) != (operand.kind == Kind::Float)
        {
            return Err(format!("an operand of this type in `{}`", operand.register.unwrap_or("")));
        }
        let output =
            program.vars.iter().take(k).position(|var| register.is_some() && var.register == register);
        program.same.push(operand.tied.or(output).unwrap_or(k));
        let ty = if operand.kind == Kind::Memory { Type::Ptr } else { operand.ty };
        program.vars.push(Var { kind: operand.kind, ty, register });
    }
    for name in &of.clobbers {
        // What is none of these is `cc`, `memory`, or is not for values.
        if let Some((register, _)) = register(machine, assembler, name) {
            let is_float = register.class() == Class::FLOAT;
            let (kind, ty) = match (is_float, machine.pointer_bytes) {
                (true, _) => (Kind::Float, Type::F64),
                (_, 8) => (Kind::Int, Type::I64),
                _ => (Kind::Int, Type::I32),
            };
            program.vars.push(Var { kind, ty, register: Some(register) });
        }
    }
    let mut is_set: Vec<bool> = vec![false; program.vars.len()];
    for (k, operand) in of.operands.iter().enumerate() {
        is_set[program.same[k]] |=
            operand.argument.is_some() && (!operand.is_output || operand.kind == Kind::Memory);
    }
    let mut has_flags = false;
    for line in lines(machine, assembler, of, &program)? {
        let (text, units) = line;
        let row = row_of(machine, assembler, &program.vars, &units).ok_or_else(|| format!("`{text}`"))?;
        let desc = machine.row(row.op);
        if row.op == assembler.system_call {
            let taken = program.vars.iter().filter_map(|var| var.register);
            let is_kept = |register: &PReg| !machine.caller_saved.contains(*register);
            if taken.clone().take(of.operands.len()).any(|register| is_kept(&register)) {
                return Err(format!("`{text}` with a register that calls preserve"));
            }
            for (k, operand) in of.operands.iter().enumerate().filter(|row| row.1.is_output) {
                is_set[k] |= operand.register.is_some();
            }
        }
        for &place in &row.operands[row.defs..] {
            if matches!(place, Place::Var(var) if !is_set[var]) {
                return Err(format!("`{text}`, which reads what nothing has set,"));
            }
        }
        if desc.flags & USES_FLAGS != 0 && !has_flags {
            return Err(format!("`{text}`, which asks for flags that nothing has set,"));
        }
        has_flags |= desc.flags & SETS_FLAGS != 0;
        for &place in &row.operands[..row.defs] {
            if let Place::Var(var) = place {
                is_set[var] = true;
            }
        }
        program.rows.push(row);
    }
    for (k, operand) in of.operands.iter().enumerate() {
        if operand.is_output && operand.kind != Kind::Memory && !is_set[program.same[k]] {
            return Err(format!("operand {k}, which nothing sets,"));
        }
    }
    Ok(program)
}

/// A register by one of its names, and the variant that it is.
fn register(machine: &Machine, assembler: &Assembler, name: &str) -> Option<(PReg, u8)> {
    let name = name.to_ascii_lowercase();
    let classes = [PReg::int as fn(u8) -> PReg, PReg::float];
    for (make, variants) in classes.into_iter().zip(assembler.variants) {
        for number in 0..32 {
            for &variant in variants {
                if (machine.reg_name)(make(number), variant) == name {
                    return Some((make(number), variant));
                }
            }
        }
    }
    assembler.others.iter().find_map(|&(prefix, first)| {
        let number: u8 = name.strip_prefix(prefix)?.parse().ok().filter(|&number| number < 32)?;
        let is_float = first.class() == Class::FLOAT;
        let make = classes[usize::from(is_float)];
        Some((make(number), *assembler.variants[usize::from(is_float)].first()?))
    })
}

/// The lines of a template that say something, as texts and as units.
fn lines(
    machine: &Machine,
    assembler: &Assembler,
    of: &Assembly,
    program: &Program,
) -> Result<Vec<(String, Vec<Unit>)>, String> {
    // Operands stand in the text as a byte that no text has, and their number.
    let (mut text, mut named) = (String::new(), Vec::new());
    for piece in pieces(of.template) {
        match piece {
            Piece::Text(of) if of.contains('\0') => return Err("a byte of zeros".to_string()),
            Piece::Text(of) => text.push_str(of),
            Piece::Unknown(what) => return Err(format!("`${what}`")),
            Piece::Operand(k, letter) => {
                let shown =
                    || format!("`${k}{}`", letter.map_or(String::new(), |c| format!(":{}", char::from(c))));
                let Some(operand) = of.operands.get(k) else { return Err(shown()) };
                let Some(variant) = (assembler.printed)(letter, operand) else { return Err(shown()) };
                text.push('\0');
                named.push((program.same[k], variant, operand.kind, shown()));
            }
        }
    }
    let mut named = named.into_iter();
    let mut found = Vec::new();
    for line in text.split(['\n', ';']) {
        let end = assembler.comments.iter().filter_map(|comment| line.find(comment)).min();
        let (line, comment) = line.split_at(end.unwrap_or(line.len()));
        let (mut units, mut shown, mut rest) = (Vec::new(), String::new(), line.trim());
        while let Some(c) = rest.chars().next() {
            let count =
                rest.bytes().take_while(|&c| c.is_ascii_alphanumeric() || c == b'_' || c == b'.').count();
            let Some((word, behind)) = rest.split_at_checked(count.max(c.len_utf8())) else { break };
            rest = behind;
            if c == '\0' {
                let Some((var, variant, kind, text)) = named.next() else { break };
                shown.push_str(text.trim_matches('`'));
                if kind == Kind::Memory {
                    units.extend([Unit::Byte(assembler.brackets[0]), Unit::Var(var, variant)]);
                    units.push(Unit::Byte(assembler.brackets[1]));
                } else {
                    units.push(Unit::Var(var, variant));
                }
                continue;
            }
            shown.push_str(word);
            let same = assembler.synonyms.iter().find(|row| !units.is_empty() && row.0 == word);
            let word = same.map_or(word, |row| row.1);
            match register(machine, assembler, word) {
                // A mnemonic is none, whatever it is called.
                Some((register, variant)) if !units.is_empty() => {
                    let var = program.vars.iter().position(|var| var.register == Some(register));
                    match (var, assembler.zero) {
                        (Some(var), _) => {
                            units.push(Unit::Var(program.same.get(var).copied().unwrap_or(var), variant))
                        }
                        (None, Some(zero)) if zero == register && word != "sp" => {
                            units.push(Unit::Zero((machine.reg_name)(register, variant), variant));
                        }
                        _ => {
                            return Err(format!(
                                "`{word}`, which is no operand and not among what is destroyed,"
                            ));
                        }
                    }
                }
                _ => units.extend(
                    word.bytes()
                        .filter(|c| !c.is_ascii_whitespace() && *c != b'#')
                        .map(|c| Unit::Byte(c.to_ascii_lowercase())),
                ),
            }
        }
        // Operands in a comment.
        comment.matches('\0').for_each(|_| _ = named.next());
        if !units.is_empty() {
            found.push((shown, units));
        }
    }
    Ok(found)
}

/// The first row that prints this.
fn row_of(machine: &Machine, assembler: &Assembler, vars: &[Var], units: &[Unit]) -> Option<Row> {
    const OTHERS: u16 = CALL | RETURN | COND_BRANCH | JUMP | TABLE;
    let is_first = |row: &OpRow| match (row.text.as_bytes().first(), units.first()) {
        (Some(c), Some(&Unit::Byte(first))) => c.to_ascii_lowercase() == first,
        _ => false,
    };
    machine.ops.iter().enumerate().find_map(|(number, row)| {
        let op = MachineOp(number as u16);
        if op == assembler.system_call {
            let (_, _) = fit(machine, row, vars, units)?;
            return Some(Row { op, operands: Vec::new(), defs: 0, imm: 0 });
        }
        let may_stand = row.sym == SymKind::None && row.flags & OTHERS == 0 && row.class != BRANCH;
        if !may_stand || !is_first(row) || row.operands.contains('*') {
            return None;
        }
        let (bound, number) = fit(machine, row, vars, units)?;
        let imm = (assembler.immediate)(row, number)?;
        let defs = row.operands.find('=')?;
        let count = row.operands.len() - 1;
        let tied = ties(row.flags, count - defs);
        let mut operands = Vec::new();
        for (k, &place) in bound.iter().enumerate().take(count) {
            let place = match place {
                Some(place) => place,
                None if k >= defs && tied.contains(&(k - defs)) => *operands.get(k - defs - tied.start)?,
                None => return None,
            };
            operands.push(place);
        }
        // What is written is a value, and each another one.
        let is_right = (0..defs.min(operands.len()))
            .all(|k| operands[k] != Place::Zero && !operands[..k].contains(&operands[k]));
        (is_right && operands.len() == count).then_some(Row { op, operands, defs, imm })
    })
}

/// What operands and immediate of a row a line has, if the row prints it.
fn fit(machine: &Machine, row: &OpRow, vars: &[Var], units: &[Unit]) -> Option<([Option<Place>; 8], i64)> {
    let letters: Vec<u8> = row.operands.bytes().filter(u8::is_ascii_alphabetic).collect();
    let (mut bound, mut immediate, mut high) = ([None; 8], 0, false);
    let mut rest = units;
    let text: Vec<u8> = row.text.bytes().filter(|c| !c.is_ascii_whitespace() && *c != b'#').collect();
    let mut k = 0;
    while k < text.len() {
        let c = text[k].to_ascii_lowercase();
        let (code, next) = (text.get(k + 1).copied(), text.get(k + 2).copied());
        if c != b'%' || code == Some(b'%') {
            if let Some(&Unit::Zero(name, _)) = rest.first()
                && text[k..].starts_with(name.as_bytes())
            {
                (k, rest) = (k + name.len(), &rest[1..]);
                continue;
            }
            // An offset of zero need not be said.
            if c == b',' && text[k..].starts_with(b",%i]") && rest.first() == Some(&Unit::Byte(b']')) {
                k += 3;
                continue;
            }
            if rest.first() != Some(&Unit::Byte(c)) {
                return None;
            }
            (k, rest) = (k + 1 + usize::from(c == b'%'), &rest[1..]);
            continue;
        }
        let of_digit = |c: Option<u8>| c.filter(u8::is_ascii_digit).map(|c| usize::from(c - b'0'));
        let (number, variant, taken) = match (of_digit(code), of_digit(next)) {
            (Some(number), _) => (number, 0, 2),
            (None, Some(number)) if code.is_some_and(|c| c.is_ascii_alphabetic()) => (number, code?, 3),
            _ => {
                let is_field = matches!(code?, b'l' | b'h');
                if !is_field && code != Some(b'i') {
                    return None;
                }
                let (value, behind) = match number(rest) {
                    Some(found) => found,
                    None if text.get(k + 2) == Some(&b'(') => (0, rest),
                    None => return None,
                };
                match (is_field, high) {
                    (false, _) => immediate = value,
                    (true, false) => (immediate, high) = (value & 0xff, true),
                    (true, true) => immediate |= value.checked_mul(256).filter(|value| *value < 0x1_0000)?,
                }
                if is_field && !(0..256).contains(&value) {
                    return None;
                }
                (k, rest) = (k + 2, behind);
                continue;
            }
        };
        let letter = letters.get(number).copied()?;
        let place = match *rest.first()? {
            Unit::Var(var, as_) if same_view(machine, letter, variant, as_) => {
                let is_float = vars[var].kind == Kind::Float;
                (letter == if is_float { b'f' } else { b'i' }).then_some(Place::Var(var))?
            }
            // Where number 31 is the stack pointer, it is not zero.
            Unit::Zero(_, as_) if variant != b'p' && same_view(machine, letter, variant, as_) => Place::Zero,
            _ => return None,
        };
        let bound = bound.get_mut(number)?;
        if bound.is_some_and(|before| before != place) {
            return None;
        }
        *bound = Some(place);
        (k, rest) = (k + taken, &rest[1..]);
    }
    rest.is_empty().then_some((bound, immediate))
}

/// True if a register that a row prints as one variant is printed so as another.
fn same_view(machine: &Machine, letter: u8, variant: u8, as_: u8) -> bool {
    let make = if letter == b'f' { PReg::float } else { PReg::int };
    (machine.reg_name)(make(1), variant) == (machine.reg_name)(make(1), as_)
}

/// The number that units begin with.
fn number(units: &[Unit]) -> Option<(i64, &[Unit])> {
    let text: String = units
        .iter()
        .map_while(|unit| match unit {
            Unit::Byte(c) if c.is_ascii_alphanumeric() || *c == b'-' || *c == b'+' => Some(char::from(*c)),
            _ => None,
        })
        .collect();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()? as i64,
        // A zero in front is octal to assemblers.
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => digits.parse::<i64>().ok()?,
    };
    Some((if is_negative { value.checked_neg()? } else { value }, &units[text.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::assembly::{PREFIX, code};
    use crate::isa::{aarch64, armv7, riscv64};

    /// What is said of a template whose operands are integers of words: a result, and two that are given.
    fn said(target: &Target, constraints: &str, template: &str) -> String {
        let word = if target.rules.machine.pointer_bytes == 8 { Type::I64 } else { Type::I32 };
        let name = format!("{PREFIX}{}", code(true, &[(word, false); 3], constraints, template));
        check(target, &Assembly::of(&name).unwrap()).err().unwrap_or_default()
    }

    #[test]
    fn lines_are_what_rows_print() {
        let cases: &[(&Target, &str, &str)] = &[
            (&aarch64::TARGET, "add ${0:w}, ${1:w}, ${2:w}", ""),
            (&aarch64::TARGET, " ADD\t$0 , $1,$2, lsl 3 // a comment with $1", ""),
            (&aarch64::TARGET, "and $0, $1, 0xff\n\n eor ${0:w}, ${2:w}, #0x80000000", ""),
            (&aarch64::TARGET, "sub $0, xzr, $1; ldr ${0:w}, [$1]; ldur $0, [$2, #-8]", ""),
            (&aarch64::TARGET, "movk $1, #7, lsl #16; mov $0, $1", ""),
            (&aarch64::TARGET, "cmp $1, $2; csel $0, $1, $2, lt; csel $0, $0, $1, cs", ""),
            (&aarch64::TARGET, "mov x9, $1; add $0, x9, $2", ""),
            (&aarch64::TARGET, "ubfx $0, $1, #60, #4", ""),
            (&aarch64::TARGET, "ubfx $0, $1, #60, #5", "`ubfx $0, $1, #60, #5`"),
            (&aarch64::TARGET, "add $0, $1, #4096", "`add $0, $1, #4096`"),
            (&aarch64::TARGET, "add ${0:w}, $1, $2", "`add $0:w, $1, $2`"),
            (&aarch64::TARGET, "mov x10, $1", "`x10`, which is no operand and not among what is destroyed,"),
            (
                &aarch64::TARGET,
                "add $0, sp, $1",
                "`sp`, which is no operand and not among what is destroyed,",
            ),
            (&aarch64::TARGET, "add xzr, $1, $2", "`add xzr, $1, $2`"),
            (
                &aarch64::TARGET,
                "adc $0, $1, $2",
                "`adc $0, $1, $2`, which asks for flags that nothing has set,",
            ),
            (&aarch64::TARGET, "add $0, $0, $1", "`add $0, $0, $1`, which reads what nothing has set,"),
            (&aarch64::TARGET, "nop", "operand 0, which nothing sets,"),
            (&aarch64::TARGET, "1: mov $0, $1", "`1: mov $0, $1`"),
            (&aarch64::TARGET, "bl f; mov $0, $1", "`bl f`"),
            (&aarch64::TARGET, "b.ne .+12; mov $0, $1", "`b.ne .+12`"),
            (&aarch64::TARGET, "mov $0, ${1:b}", "`$1:b`"),
            (&aarch64::TARGET, "mov $0, $1, ${:uid}", "`$:uid`"),
            (
                &armv7::TARGET,
                "ldr $0, [$1, $2, lsl #2]; rsb $0, $0, #0xff000000; mov r12, $2; bic $0, $0, ip",
                "",
            ),
            (
                &armv7::TARGET,
                "push {r4, lr}; mov $0, $1",
                "`r4`, which is no operand and not among what is destroyed,",
            ),
            (&armv7::TARGET, "mov $0, $1, lsr #0", "`mov $0, $1, lsr #0`"),
            (&armv7::TARGET, "ands $0, $1, $2; movne $0, $1", ""),
            (&armv7::TARGET, "lsr $0, $1, #32", "`lsr $0, $1, #32`"),
            (&armv7::TARGET, "mov $0, $1; cmp $1, $2; addne $0, $1, $2", "`addne $0, $1, $2`"),
            (&armv7::TARGET, "ldrd $0, r12, [$1]", "`ldrd $0, r12, [$1]`"),
            (&armv7::TARGET, "strex $0, $1, [$2]", "`strex $0, $1, [$2]`"),
            (&aarch64::TARGET, "stlxr ${0:w}, $1, [$2]", "`stlxr $0:w, $1, [$2]`"),
            (&aarch64::TARGET, "str $1, [$2], #8; mov $0, $1", "`str $1, [$2], #8`"),
            (&riscv64::TARGET, "addi $0, $1, -2048 # least\nsub t0, zero, $0; mv $0, t0", ""),
            (&riscv64::TARGET, "sd $1, 8($2)\nld $0, ($2)\nslliw $0, $0, 31\nrdtime $0", ""),
            (&riscv64::TARGET, "addi $0, $1, 2048", "`addi $0, $1, 2048`"),
            (&riscv64::TARGET, "slliw $0, $1, 32", "`slliw $0, $1, 32`"),
            (&riscv64::TARGET, "lla $0, g", "`lla $0, g`"),
        ];
        for &(target, template, want) in cases {
            let destroyed = match target.name {
                "aarch64" => "=r,r,r,~{x9}",
                "armv7" => "=r,r,r,~{r12}",
                _ => "=r,r,r,~{t0}",
            };
            assert_eq!(said(target, destroyed, template), want, "{}: {template}", target.name);
        }
    }

    #[test]
    fn calls_of_the_system_want_registers_that_calls_destroy() {
        assert_eq!(said(&aarch64::TARGET, "={x0},{x8},{x0}", "svc #0"), "");
        assert_eq!(said(&riscv64::TARGET, "={x10},{x17},{x10}", "ecall"), "");
        assert_eq!(
            said(&armv7::TARGET, "={r0},{r7},{r0}", "svc #0"),
            "`svc #0` with a register that calls preserve"
        );
        assert_eq!(said(&aarch64::TARGET, "={x77},r,r", "svc #0"), "the register `x77`");
    }
}
