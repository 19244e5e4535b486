//! What is said when a program stops: what is wrong, with which object, and in which calls.

use super::super::runtime::{Refusal, Runtime};
use super::super::{CALLS, Call, Declared, Trap};
use super::row::{Cell, Origin};
use super::{Frame, Machine};
use crate::ir::{Inst, NO_LOC};

/// What is wrong, and with an object of which row of `Code::objects`; 0 is none.
pub(super) struct Fault {
    message: String,
    what: u32,
}

/// In a box, since it is rare.
pub(super) type Stop = Box<Fault>;

impl Fault {
    /// What is wrong with nothing that has a name.
    #[cold]
    pub(super) fn new(message: impl Into<String>) -> Stop {
        Box::new(Fault { message: message.into(), what: 0 })
    }
}

/// A value that depends on one that was never there.
#[cold]
pub(super) fn unset() -> Stop {
    Fault::new("a value is used that was never initialised")
}

impl Machine<'_, '_> {
    fn fault(&self, pointer: Cell, message: String) -> Stop {
        Box::new(Fault { message, what: self.object(pointer).what })
    }

    /// A load of what has no value.
    #[cold]
    pub(super) fn unwritten(&self, pointer: Cell) -> Stop {
        self.fault(pointer, format!("{} is read, but was never initialised", self.place(pointer)))
    }

    /// The same of a scalar that is a cell, by the row of the load.
    #[cold]
    pub(super) fn unread(&self, row: usize) -> Stop {
        let (body, load) = (self.top.body as usize, self.code.insts[row]);
        let scalar = self.bodies[body].args(load).first().and_then(|v| v.as_inst());
        let what = scalar.map_or(0, |scalar| self.code.alloca(body, scalar));
        let message = format!("{} is read, but was never initialised", self.name(what, true));
        Box::new(Fault { message, what })
    }

    /// An access outside of the object.
    #[cold]
    pub(super) fn outside(&self, pointer: Cell) -> Stop {
        if !pointer.defined {
            return unset();
        }
        if pointer.object == 0 || pointer.object as usize >= self.objects.len() {
            return Fault::new("an access through a pointer that points to nothing");
        }
        self.fault(pointer, format!("access out of bounds: {}", self.place(pointer)))
    }

    /// An index outside of its dimension.
    #[cold]
    pub(super) fn beyond(&self, pointer: Cell, index: i64, length: u32) -> Stop {
        let mut message = format!("index {index} is outside of a dimension of {length}");
        let what = self.object(pointer).what;
        if what != 0 {
            message += &format!(" of {}", self.name(what, false));
        }
        self.fault(pointer, message)
    }

    /// What the library will not do.
    #[cold]
    pub(super) fn refused(&self, i: Inst, at: (Runtime, Cell), refusal: Refusal) -> Stop {
        let (runtime, pointer) = at;
        let object = self.object(pointer);
        let f = self.bodies[self.top.body as usize];
        let func = self.module.env.names.text(self.module.env.funcs[f.callee(i)].name);
        let message = match refusal {
            Refusal::Beyond { count, .. } => {
                let behind = (u64::from(object.end).saturating_sub(pointer.bits)) / 4;
                let asks = match runtime {
                    Runtime::GetArray | Runtime::GetFloatArray => format!("reads {count} elements into"),
                    _ => format!("is asked for {count} elements of"),
                };
                let name = self.name(object.what, object.end - object.start == 4);
                let first = pointer.bits.saturating_sub(object.start.into()) / 4;
                let from = if first == 0 { String::new() } else { format!(" from element {first} on") };
                format!("{func} {asks} {name}, which has {behind}{from}")
            }
            Refusal::Unset(k) => {
                let element = Cell { bits: pointer.bits + 4 * u64::from(k), ..pointer };
                format!("{} is printed, but was never initialised", self.place(element))
            }
            Refusal::Other(message) => return Fault::new(message),
            // What is said then, nothing hears.
            Refusal::Exit => return Fault::new(""),
        };
        self.fault(pointer, message)
    }

    /// True of what a check of `-fsanitize` calls.
    fn tells(&self, frame: &Frame) -> bool {
        let env = &self.module.env;
        env.names.text(env.funcs[self.bodies[frame.body as usize].func].name).starts_with("sysy.fault")
    }

    /// The program ends itself. Where a check does, what it has told is why it stops: it is said as of all other faults.
    #[cold]
    pub(super) fn told_by_check(&mut self) -> Option<Stop> {
        if !self.explain || !self.tells(&self.top) {
            return None;
        }
        let told = String::from_utf8_lossy(&std::mem::take(&mut self.io.told)).into_owned();
        self.io.exit = None;
        let message = told.lines().next()?.split_once(": runtime error: ")?.1;
        Some(Fault::new(message))
    }

    /// What an object is called.
    fn name(&self, what: u32, is_one: bool) -> String {
        match self.code.objects.get(what as usize).map(|row| row.origin) {
            Some(Origin::Global(global)) => {
                let env = &self.module.env;
                format!("'{}'", env.names.text(env.globals[global].name))
            }
            Some(Origin::Local(body, i)) => match self.local(body, i) {
                Some(name) => format!("'{name}'"),
                None if is_one => "a local variable".to_string(),
                None => "a local array".to_string(),
            },
            _ => "a constant".to_string(),
        }
    }

    /// The name of a local variable, if it is known.
    fn local(&self, body: u32, i: Inst) -> Option<&str> {
        self.bodies[body as usize].names.as_ref()?.text(i).filter(|name| !name.is_empty())
    }

    /// What a pointer points at, in words.
    fn place(&self, pointer: Cell) -> String {
        let object = self.object(pointer);
        let size = self.code.objects.get(object.what as usize).map_or(1, |row| i64::from(row.scalar.bytes()));
        let element = (pointer.bits as i64 - i64::from(object.start)).div_euclid(size);
        let count = i64::from(object.end - object.start) / size;
        let name = self.name(object.what, count == 1);
        if count == 1 && element == 0 {
            name
        } else {
            format!("element {element} of {name} ({count} elements)")
        }
    }

    /// Where a function that is on its way is.
    fn call(&self, frame: &Frame) -> Call {
        let f = self.bodies[frame.body as usize];
        let i = self.code.insts.get((frame.pc as usize).wrapping_sub(1));
        Call { func: f.func, loc: i.map_or(NO_LOC, |&i| f.loc(i)) }
    }

    /// All that is to be said.
    pub(super) fn trap(&self, fault: Fault) -> Trap {
        let mut frames = [&self.top].into_iter().chain(self.callers.iter().rev());
        // What tells is none of the program's functions.
        let top = frames.find(|frame| !self.tells(frame)).unwrap_or(&self.top);
        let calls: Vec<Call> = frames.by_ref().take(CALLS).map(|frame| self.call(frame)).collect();
        let more = frames.count();
        let declared = match self.code.objects.get(fault.what as usize).map(|row| row.origin) {
            Some(Origin::Global(global)) => Some(Declared::Global(global)),
            Some(Origin::Local(body, i)) => self.local(body, i).map(|name| {
                let loc = self.bodies[body as usize].loc(i);
                Declared::Local(name.to_string(), loc)
            }),
            _ => None,
        };
        let top = self.call(top);
        Trap {
            message: fault.message,
            func: Some(top.func),
            loc: top.loc,
            more,
            calls,
            declared,
            is_closed: false,
            is_bug: false,
        }
    }
}
