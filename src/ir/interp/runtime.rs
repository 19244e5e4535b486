//! SysY's runtime functions, known by name among the declared ones, and the streams they work on.
//!
//! They do what `runtime/sylib.c` does, byte for byte.

use super::memory::Memory;
use super::{Trap, format, scan};
use crate::base::Column;
use crate::base::clock::Stopwatch;
use crate::ir::{Env, Func, FuncId, Group, Linkage, Module, Op, Type};
use std::io::{BufRead, Write};

/// A runtime function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Runtime {
    GetInt,
    GetCh,
    GetFloat,
    GetArray,
    GetFloatArray,
    PutInt,
    PutCh,
    PutFloat,
    PutArray,
    PutFloatArray,
    PutF,
    StartTime,
    StopTime,
    /// What checks of `-fsanitize` call: `fflush`, `dprintf`, `_Exit`.
    Flush,
    /// `getrlimit`, which fails: the machines find the end of the stack.
    Limit,
    PrintTo,
    Exit,
}

struct RuntimeRow {
    name: &'static str,
    runtime: Runtime,
    result: Type,
    params: &'static [Type],
}

const fn row(name: &'static str, runtime: Runtime, result: Type, params: &'static [Type]) -> RuntimeRow {
    RuntimeRow { name, runtime, result, params }
}

const ROWS: [RuntimeRow; 17] = [
    row("getint", Runtime::GetInt, Type::I32, &[]),
    row("getch", Runtime::GetCh, Type::I32, &[]),
    row("getfloat", Runtime::GetFloat, Type::F32, &[]),
    row("getarray", Runtime::GetArray, Type::I32, &[Type::Ptr]),
    row("getfarray", Runtime::GetFloatArray, Type::I32, &[Type::Ptr]),
    row("putint", Runtime::PutInt, Type::Void, &[Type::I32]),
    row("putch", Runtime::PutCh, Type::Void, &[Type::I32]),
    row("putfloat", Runtime::PutFloat, Type::Void, &[Type::F32]),
    row("putarray", Runtime::PutArray, Type::Void, &[Type::I32, Type::Ptr]),
    row("putfarray", Runtime::PutFloatArray, Type::Void, &[Type::I32, Type::Ptr]),
    row("putf", Runtime::PutF, Type::Void, &[Type::Ptr]),
    row("fflush", Runtime::Flush, Type::I32, &[Type::I32]),
    row("getrlimit", Runtime::Limit, Type::I32, &[Type::I32, Type::Ptr]),
    row("dprintf", Runtime::PrintTo, Type::I32, &[Type::I32, Type::Ptr]),
    row("_Exit", Runtime::Exit, Type::Void, &[Type::I32]),
    row("_sysy_starttime", Runtime::StartTime, Type::Void, &[Type::I32]),
    row("_sysy_stoptime", Runtime::StopTime, Type::Void, &[Type::I32]),
];

/// Which declared function is which. A function that is called and neither defined nor known is an error
/// here.
pub(super) fn resolve(module: &Module, check: bool) -> Result<Column<FuncId, Option<Runtime>>, Trap> {
    let env = &module.env;
    let mut calls = Column::filled(env.funcs.len(), None);
    for (func, signature) in env.funcs.iter().filter(|(_, row)| row.linkage == Linkage::Declared) {
        let name = env.names.text(signature.name);
        let known = |row: &&RuntimeRow| {
            let variadic = matches!(row.runtime, Runtime::PutF | Runtime::PrintTo);
            row.name == name
                && row.result == signature.result
                && row.params == signature.params
                && variadic == signature.variadic
        };
        calls[func] = ROWS.iter().find(known).map(|row| row.runtime);
    }
    for f in module.defined() {
        if env.funcs[f.func].variadic && check {
            let name = env.names.text(env.funcs[f.func].name);
            let message =
                format!("`{name}` takes variadic arguments, which have no place here; it cannot be checked");
            return Err(Trap { func: Some(f.func), ..Trap::nowhere(message) });
        }
        for i in f.blocks().flat_map(|b| f.insts(b)).filter(|&i| f.op(i) == Op::Call) {
            let callee = f.callee(i);
            if !check && let Some(group) = wide_group(env, callee, f.args(i).len()) {
                let message =
                    format!("a variadic argument that is aligned to {group} bytes cannot be passed here");
                return Err(Trap { func: Some(f.func), loc: f.loc(i), ..Trap::nowhere(message) });
            }
            if env.funcs[callee].indirect || env.funcs[callee].builtin.is_some() {
                continue;
            }
            if calls[callee].is_none() && env.funcs[callee].linkage == Linkage::Declared {
                let name = env.names.text(env.funcs[callee].name);
                let message = format!(
                    "`{name}` is only declared, and is no runtime function of this type; it cannot be run"
                );
                return Err(Trap { func: Some(f.func), loc: f.loc(i), ..Trap::nowhere(message) });
            }
        }
    }
    Ok(calls)
}

/// The arguments of a call behind those that the function names, if it takes variadic ones: from which on. (Of a call by
/// address, the address is the first.)
pub(super) fn varargs(row: &Func) -> Option<usize> {
    let is_passed = row.variadic && (row.indirect || row.linkage != Linkage::Declared);
    is_passed.then_some(row.params.len())
}

/// How an argument is aligned that is behind those and has several parts, if it is more than words are.
fn wide_group(env: &Env, callee: FuncId, count: usize) -> Option<u32> {
    let row = &env.funcs[callee];
    let from = varargs(row)? - usize::from(row.indirect);
    let groups = row.parts.as_deref().map_or(&[][..], |parts| &parts.groups);
    let is_behind = |group: &&Group| group.first as usize >= from && group.align > 8;
    groups.iter().find(is_behind).filter(|_| count > from).map(|group| group.align)
}

/// The streams and timers of a run.
pub(super) struct Io<'a> {
    input: &'a mut dyn BufRead,
    output: &'a mut dyn Write,
    /// What was taken from `input` and not yet read.
    chunk: Vec<u8>,
    at: usize,
    /// What was not yet written to `output`.
    pending: Vec<u8>,
    /// The first error of `output`, and whether it is that what read it has gone.
    failure: Option<(String, bool)>,
    running: Option<(i32, Stopwatch)>,
    /// First line, last line, microseconds.
    timers: Vec<(i32, i32, u128)>,
    /// What goes to the stream of errors at the end.
    pub(super) told: Vec<u8>,
    /// The program has ended itself with this.
    pub(super) exit: Option<i32>,
}

/// Why a call is not finished.
pub(super) enum Refusal {
    /// Of so many elements of an array, element `k` is outside of it.
    Beyond {
        count: u32,
        k: u32,
    },
    /// An element that is printed has no value.
    Unset(u32),
    Other(String),
    /// The program ends itself.
    Exit,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Beyond { k, .. } => write!(f, "element {k} is outside of the array"),
            Refusal::Unset(k) => {
                write!(f, "element {k} of the array is printed, but was never initialised")
            }
            Refusal::Other(message) => f.write_str(message),
            Refusal::Exit => Ok(()),
        }
    }
}

/// When pending output is written.
const PENDING: usize = 1 << 16;

/// An argument's bits; floats and ints in the low half, doubles and pointers whole.
pub(super) type Bits = u64;

impl<'a> Io<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead, output: &'a mut dyn Write) -> Io<'a> {
        let (chunk, pending) = (Vec::new(), Vec::with_capacity(PENDING));
        let (timers, told) = (Vec::new(), Vec::new());
        Io { input, output, chunk, at: 0, pending, failure: None, running: None, timers, told, exit: None }
    }

    /// The next byte of input, left in place. An error of the stream counts as its end.
    pub(super) fn peek(&mut self) -> Option<u8> {
        if self.at == self.chunk.len() {
            self.chunk.clear();
            self.at = 0;
            let bytes = loop {
                match self.input.fill_buf() {
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    result => break result.unwrap_or_default(),
                }
            };
            self.chunk.extend_from_slice(bytes);
            let taken = bytes.len();
            self.input.consume(taken);
        }
        self.chunk.get(self.at).copied()
    }

    /// Moves past the byte that `peek` showed.
    pub(super) fn bump(&mut self) {
        self.at += 1;
    }

    fn write_out(&mut self) {
        if self.failure.is_none()
            && let Err(error) = self.output.write_all(&self.pending).and_then(|()| self.output.flush())
        {
            let is_closed = error.kind() == std::io::ErrorKind::BrokenPipe;
            self.failure = Some((format!("cannot write the program's output: {error}"), is_closed));
        }
        self.pending.clear();
    }

    /// Writes what is left, and reports the timers as the C library does. An error of the output, and whether
    /// it is that what read it has gone.
    pub(super) fn finish(mut self, errors: &mut dyn Write) -> (Result<(), String>, bool) {
        self.write_out();
        _ = errors.write_all(&self.told);
        let time = |us: u128| {
            let s = us / 1_000_000;
            format!("{}H-{}M-{}S-{}us", s / 3600, s / 60 % 60, s % 60, us % 1_000_000)
        };
        if !self.timers.is_empty() {
            for &(from, to, us) in &self.timers {
                _ = writeln!(errors, "Timer@{from:04}-{to:04}: {}", time(us));
            }
            _ = writeln!(errors, "TOTAL: {}", time(self.timers.iter().map(|timer| timer.2).sum()));
        }
        self.failure.map_or((Ok(()), false), |(message, is_closed)| (Err(message), is_closed))
    }

    fn put_int(&mut self, x: i32) {
        let mut text = [0; 11];
        let mut at = text.len();
        let mut rest = x.unsigned_abs();
        loop {
            at -= 1;
            text[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if x < 0 {
            at -= 1;
            text[at] = b'-';
        }
        self.pending.extend_from_slice(&text[at..]);
    }

    /// Calls a runtime function. `limit` is where the object ends that a pointer argument points into:
    /// elements are not touched beyond it. The result's bits, or why it cannot be.
    pub(super) fn call(
        &mut self,
        runtime: Runtime,
        args: &[Bits],
        memory: &mut Memory,
        limit: u32,
    ) -> Result<Bits, Refusal> {
        let address = |k: usize| args.get(k).map_or(0, |&bits| bits);
        let arg = |k: usize| address(k) as u32;
        let result = match runtime {
            Runtime::GetInt => scan::int(self) as u32,
            Runtime::GetCh => match self.peek() {
                Some(byte) => {
                    self.bump();
                    u32::from(byte)
                }
                None => u32::MAX,
            },
            Runtime::GetFloat => scan::float(self).to_bits(),
            Runtime::GetArray | Runtime::GetFloatArray => {
                let count = scan::int(self);
                for k in 0..count.max(0) as u32 {
                    let x = match runtime {
                        Runtime::GetArray => scan::int(self) as u32,
                        _ => scan::float(self).to_bits(),
                    };
                    let beyond = Refusal::Beyond { count: count as u32, k };
                    let Some(at) = element(address(0), k, limit) else { return Err(beyond) };
                    memory.store32(at, x).ok_or(beyond)?;
                    memory.mark(at as u32, 4, true);
                }
                count as u32
            }
            Runtime::PutInt => {
                self.put_int(arg(0) as i32);
                0
            }
            Runtime::PutCh => {
                self.pending.push(arg(0) as u8);
                0
            }
            Runtime::PutFloat => {
                format::plain_hexadecimal(&mut self.pending, widen(arg(0)));
                0
            }
            Runtime::PutArray | Runtime::PutFloatArray => {
                let count = arg(0) as i32;
                self.put_int(count);
                self.pending.push(b':');
                for k in 0..count.max(0) as u32 {
                    let beyond = Refusal::Beyond { count: count as u32, k };
                    let Some(at) = element(address(1), k, limit) else { return Err(beyond) };
                    let x = memory.load32(at).ok_or(beyond)?;
                    if !memory.is_written(at as u32, 4) {
                        return Err(Refusal::Unset(k));
                    }
                    self.pending.push(b' ');
                    match runtime {
                        Runtime::PutArray => self.put_int(x as i32),
                        _ => format::plain_hexadecimal(&mut self.pending, widen(x)),
                    }
                    if self.pending.len() >= PENDING {
                        self.write_out();
                    }
                }
                self.pending.push(b'\n');
                0
            }
            Runtime::PutF => {
                self.put_format(args, memory).map_err(Refusal::Other)?;
                0
            }
            Runtime::Limit => u32::MAX,
            Runtime::Flush => {
                self.write_out();
                0
            }
            Runtime::PrintTo => {
                let printed = self.pending.len();
                self.put_format(args.get(1..).unwrap_or_default(), memory).map_err(Refusal::Other)?;
                if arg(0) == 2 {
                    self.told.extend(self.pending.drain(printed..));
                }
                0
            }
            Runtime::Exit => {
                self.exit = Some(arg(0) as i32);
                return Err(Refusal::Exit);
            }
            Runtime::StartTime => {
                self.running = Some((arg(0) as i32, Stopwatch::start()));
                0
            }
            Runtime::StopTime => {
                if let Some((line, watch)) = self.running.take() {
                    self.timers.push((line, arg(0) as i32, watch.elapsed().as_micros()));
                }
                0
            }
        };
        if self.pending.len() >= PENDING {
            self.write_out();
        }
        match &self.failure {
            Some((failure, _)) => Err(Refusal::Other(failure.clone())),
            None => Ok(Bits::from(result)),
        }
    }

    fn put_format(&mut self, args: &[Bits], memory: &Memory) -> Result<(), String> {
        let string = |at: Bits| -> Result<&[u8], String> {
            let bytes = memory.bytes.get(at as usize..).unwrap_or_default();
            let end = memchr::memchr(0, bytes).ok_or("a string has no end")?;
            Ok(&bytes[..end])
        };
        let mut rest = string(args.first().map_or(0, |&bits| bits))?;
        let mut args = args.get(1..).unwrap_or_default().iter().copied();
        let mut next = || args.next().ok_or("putf has fewer arguments than its format names");
        while let Some(percent) = memchr::memchr(b'%', rest) {
            self.pending.extend_from_slice(&rest[..percent]);
            rest = &rest[percent..];
            let mut missing = None;
            let star = || match next() {
                Ok(bits) => bits as i32,
                Err(error) => {
                    missing = Some(error);
                    0
                }
            };
            let Some((spec, used)) = format::parse(&rest[1..], star) else { break };
            if let Some(error) = missing {
                return Err(error.to_string());
            }
            match spec.conversion {
                b'%' => self.pending.push(b'%'),
                b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => {
                    _ = spec.int(&mut self.pending, next()? as i32)
                }
                b's' => spec.string(&mut self.pending, string(next()?)?),
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                    _ = spec.float(&mut self.pending, f64::from_bits(next()?));
                }
                _ => self.pending.extend_from_slice(&rest[..used + 1]),
            }
            rest = &rest[used + 1..];
        }
        self.pending.extend_from_slice(rest);
        Ok(())
    }
}

fn widen(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// The address of element `k`, if it ends before `limit`.
fn element(base: Bits, k: u32, limit: u32) -> Option<Bits> {
    let at = base.saturating_add(4 * u64::from(k));
    (at.saturating_add(4) <= u64::from(limit)).then_some(at)
}
