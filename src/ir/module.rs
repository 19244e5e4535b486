//! What the functions of a program share, and the program: `Module { env, bodies }`.
//!
//! While functions are worked on in parallel, every worker reads `&Env` and owns one `&mut Body`; nothing in
//! `Env` changes then. A body that needs a new global files a request (`Body::requests`), and
//! `Env::grant` turns the requests into globals at the barrier, in the order of the functions.

use super::body::Body;
use super::builtin::Builtin;
use super::effect::Effect;
use super::hints::{Calls, Hints};
use super::points_to::PointsTo;
use super::position::{Position, Scope, ThreadModel};
use super::types::{Shape, Shapes, Type};
use super::value::{Value, ValueKind};
use crate::base::{Column, Handle, Interner, Name, Opt};

crate::handle! {
    /// A function, defined here or in the runtime library.
    pub struct FuncId("f");
    /// A global variable or constant.
    pub struct GlobalId("g");
    /// A global that a body has asked for.
    pub struct RequestId("q");
}

/// Where a name is visible.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Defined here, visible outside.
    External,
    /// Defined here, visible outside; another definition may take its place.
    Weak,
    /// Defined here, visible only here.
    Internal,
    /// Defined elsewhere.
    Declared,
}

/// The contents of a global: runs of words, zeros between and around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Sorted by `at`, not touching or overlapping.
    pub runs: Vec<Run>,
    /// The words of all runs, end to end. A word is the bits of one scalar (a byte of a string takes one,
    /// too).
    pub words: Vec<u32>,
    /// Addresses among the contents, sorted by `at`; runs have nothing there.
    pub addresses: Vec<Address>,
}

/// An address in the contents of a global, as wide as a pointer; or how far it is from the global's start, in four bytes or
/// eight.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The position of the first scalar that it takes.
    pub at: u32,
    /// What it leads to.
    pub to: GlobalId,
    /// So many bytes behind the start of that.
    pub offset: i64,
    /// Less the address of the global whose contents these are: known where both are placed, and the same wherever the
    /// program is. In so many bytes.
    pub from_start: Option<u8>,
}

impl Address {
    /// Bytes that it takes, where pointers take so many.
    pub fn bytes(&self, pointer_bytes: u32) -> u32 {
        self.from_start.map_or(pointer_bytes, u32::from)
    }
}

/// Consecutive scalars of an image.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The scalar's position in the global where the run starts.
    pub at: u32,
    /// Where its words start in `Image::words`.
    pub first: u32,
    /// Number of words.
    pub len: u32,
}

impl Image {
    /// Appends a scalar at position `at`, past all earlier ones.
    pub fn push(&mut self, at: u32, word: u32) {
        match self.runs.last_mut() {
            Some(run) if run.at + run.len == at => run.len += 1,
            _ => self.runs.push(Run { at, first: self.words.len() as u32, len: 1 }),
        }
        self.words.push(word);
    }

    /// The scalar at a position. O(log runs).
    pub fn get(&self, at: u32) -> u32 {
        let k = self.runs.partition_point(|run| run.at <= at);
        match k.checked_sub(1).map(|k| self.runs[k]) {
            Some(run) if at - run.at < run.len => self.words[(run.first + at - run.at) as usize],
            _ => 0,
        }
    }

    /// True if every scalar is zero, and no address.
    pub fn is_zero(&self) -> bool {
        self.addresses.is_empty() && self.words.iter().all(|&word| word == 0)
    }

    /// The image of a string with its terminating NUL, a word a byte.
    pub fn string(text: &[u8]) -> Image {
        let words: Vec<u32> = text.iter().map(|&byte| u32::from(byte)).chain([0]).collect();
        Image { runs: vec![Run { at: 0, first: 0, len: words.len() as u32 }], words, addresses: Vec::new() }
    }
}

/// A global variable or constant.
#[derive(Clone, Debug)]
pub struct Global {
    /// As in the source, or made up for requested ones.
    pub name: Name,
    /// What memory it is.
    pub shape: Shape,
    /// Never written: belongs in read-only memory, and loads from it may be folded.
    pub constant: bool,
    /// Where it is visible.
    pub linkage: Linkage,
    /// What it holds at the start.
    pub image: Image,
    /// The function whose address this is: no memory, but code that has an address. Such a row is declared, and has
    /// the function's name.
    pub func: Opt<FuncId>,
    /// The section that it is to lie in, if not where its kind of data does.
    pub section: Opt<Name>,
    /// Seen only here, but used by what the tables do not show: its linkage is external, its symbol is local.
    pub kept: bool,
    /// Declared, and need not be there: then its address is null. Code asks data for it (`parse/special`).
    pub optional: bool,
    /// Each thread has its own. Code gets its address from a builtin, which alone names it.
    pub thread: bool,
    /// The least that is done for its address then.
    pub model: ThreadModel,
    /// Who sees it.
    pub scope: Scope,
    /// Zeros that linkers make room for, once for all objects that have it so, unless one defines it (C's tentative
    /// definitions, `-fcommon`). To passes it is weak.
    pub common: bool,
    /// Keeps results of the one function that asked for it: whatever it holds, that function and its copies, which alone
    /// name it, compute the same. Text does not have it, so behind that a table is memory like any other.
    pub results: bool,
    /// Only what accesses it has its address: no parameter and no memory. `opt/calls/points_to` finds it, and text does not
    /// have it.
    pub uncaptured: bool,
}

impl Global {
    /// A variable, or a constant.
    pub fn new(name: Name, shape: Shape, constant: bool, linkage: Linkage, image: Image) -> Global {
        let [kept, optional, thread, common, results, uncaptured] = [false; 6];
        Global {
            name,
            shape,
            constant,
            linkage,
            image,
            func: Opt::NONE,
            section: Opt::NONE,
            kept,
            optional,
            thread,
            model: ThreadModel::default(),
            scope: Scope::default(),
            common,
            results,
            uncaptured,
        }
    }
}

/// A global that a body needs: named and placed at the next barrier.
#[derive(Clone, Debug)]
pub struct Request {
    /// What memory it is.
    pub shape: Shape,
    /// Never written.
    pub constant: bool,
    /// What it holds.
    pub image: Image,
    /// As of globals.
    pub results: bool,
}

impl Request {
    /// Memory that holds this.
    pub fn new(shape: Shape, constant: bool, image: Image) -> Request {
        Request { shape, constant, image, results: false }
    }
}

/// A function as its callers see it.
#[derive(Clone, Debug)]
pub struct Func {
    /// As in the source.
    pub name: Name,
    /// `Void` for none.
    pub result: Type,
    /// Types of the (fixed) parameters.
    pub params: Vec<Type>,
    /// Takes variadic arguments, like `putf`.
    pub variadic: bool,
    /// The first parameter is where the result goes, which is in memory (C's structs; LLVM's `sret`).
    pub returns_by: bool,
    /// It is called by LLVM's `tailcc`: as C's functions are that take all arguments in registers, of which alone there are some
    /// here; so that any of them may jump to any other one.
    pub tail: bool,
    /// Where it is visible; `Declared` has no body.
    pub linkage: Linkage,
    /// What a call of a declared function can do. Of a defined one the body says it.
    pub effect: Effect,
    /// The global that stands for its address, if that is taken: what has the address may call it.
    pub address: Opt<GlobalId>,
    /// No function of its own: what is called by its address, which is the first argument of such a call, with
    /// arguments and a result of these types. To all that ask what a call does it is a declared function that may do
    /// everything.
    pub indirect: bool,
    /// No function of its own: what calls of it stand for. It is declared, and may do everything.
    pub builtin: Option<Builtin>,
    /// How values travel that are more than one register; of most functions there are none.
    pub parts: Option<Box<Parts>>,
    /// The section that its code is to lie in, if not `.text`.
    pub section: Opt<Name>,
    /// As of globals.
    pub kept: bool,
    /// As of globals.
    pub optional: bool,
    /// As of globals.
    pub scope: Scope,
    /// What is asked of its code.
    pub hints: Hints,
    /// What asks its landing pads, if it has some, whether they catch an exception (`__gxx_personality_v0`).
    pub personality: Opt<FuncId>,
    /// What its parameters lead to, where all of its calls are known.
    pub points_to: Option<Box<PointsTo>>,
}

/// Arguments and results that calling conventions know, and tables do not: what has several parts.
///
/// A result of several parts is, to all that reads the IR, memory that the caller gives room for: the first parameter is its
/// address. Only calling conventions know better: to them that parameter is none, the address is of memory of the
/// callee's own, what is there at the end is returned in registers, and the caller stores these.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parts {
    /// The parts of the result, each with its place in that memory.
    pub results: Vec<(Type, u32)>,
    /// Arguments of several parts.
    pub groups: Vec<Group>,
    /// It is defined, and takes variadic arguments: the parameter behind that of the result is where they are to be found, in
    /// the form of the target. Calls by name pass anything there.
    pub varargs: bool,
}

/// Arguments one behind another that are the parts of one: some conventions want all of them in registers, or none.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The first (of a call by address, the address not counted).
    pub first: u32,
    /// How many.
    pub count: u32,
    /// What the whole is aligned to, in bytes.
    pub align: u32,
    /// They are words of registers of vectors, in each as many as make 16 bytes.
    pub is_vector: bool,
}

impl Parts {
    /// How many arguments stand in front that are none to the convention.
    pub fn hidden(&self) -> usize {
        usize::from(!self.results.is_empty()) + usize::from(self.varargs)
    }
}

impl Func {
    /// True if what calls it has a frame for each of its calls: memory that is taken of the stack would pile up where code is
    /// executed again without being entered again, what returns twice comes back to a frame that has to be as it was, and
    /// landing pads are those of one function, whose personality routine they ask.
    pub fn keeps_frame(&self) -> bool {
        let lands = self.builtin == Some(Builtin::LandingPad);
        lands || self.builtin.is_some_and(Builtin::takes_stack) || self.effect.has(Effect::TWICE)
    }

    /// A function that is not variadic and may do everything.
    pub fn new(name: Name, result: Type, params: Vec<Type>, linkage: Linkage) -> Func {
        let (effect, address) = (Effect::ALL, Opt::NONE);
        let [variadic, returns_by, tail, indirect, kept, optional] = [false; 6];
        let (builtin, parts) = (None, None);
        Func {
            name,
            result,
            params,
            variadic,
            returns_by,
            tail,
            linkage,
            effect,
            address,
            indirect,
            builtin,
            parts,
            section: Opt::NONE,
            kept,
            optional,
            scope: Scope::default(),
            hints: Hints::default(),
            personality: Opt::NONE,
            points_to: None,
        }
    }

    /// True if all calls of it are in the module's code, by its name.
    pub fn is_closed(&self) -> bool {
        self.linkage == Linkage::Internal && self.address.is_none()
    }
}

/// Another name of something that is defined here. Code does not go by it: it names what the other does, or, where another
/// definition may take its place, a declared function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// As in the source.
    pub name: Name,
    /// Another definition may take its place.
    pub weak: bool,
    /// Who sees it.
    pub scope: Scope,
    /// What it is another name of; a function by its address.
    pub of: GlobalId,
    /// So many bytes behind the start of that.
    pub offset: u32,
    /// The declared function that stands for it, if it is weak.
    pub func: Opt<FuncId>,
}

/// What all functions share.
#[derive(Clone, Debug, Default)]
pub struct Env {
    /// The texts of names.
    pub names: Interner,
    /// Interned memory shapes.
    pub shapes: Shapes,
    /// Globals in order of declaration; requested ones follow.
    pub globals: Column<GlobalId, Global>,
    /// Functions, declared ones included.
    pub funcs: Column<FuncId, Func>,
    /// Other names of what is defined.
    pub aliases: Vec<Alias>,
    /// How many of the globals have been made for addresses of functions.
    pub addresses: usize,
    /// What its code is compiled for.
    pub position: Position,
    /// Unwinders are told of all of its functions: something in it asks for that, or catches what they unwind for.
    pub unwinds: bool,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// What the bodies share.
    pub env: Env,
    /// Per function: its code, if it is defined here. The column may end before the functions do. So some can
    /// be taken out and changed while others are read.
    pub bodies: Column<FuncId, Option<Body>>,
}

impl Module {
    /// A program of these functions.
    pub fn new(env: Env, bodies: impl IntoIterator<Item = Body>) -> Module {
        let mut module = Module { env, bodies: Column::new() };
        module.bodies.grow_to(module.env.funcs.len(), None);
        bodies.into_iter().for_each(|body| module.define(body));
        module
    }

    /// Gives a function its code; what it had before goes.
    pub fn define(&mut self, body: Body) {
        let func = body.func;
        self.bodies.grow_to(func.index() + 1, None);
        self.bodies[func] = Some(body);
    }

    /// The code of all functions that have some, in their order.
    pub fn defined(&self) -> impl Iterator<Item = &Body> {
        self.bodies.as_slice().iter().flatten()
    }

    /// The same, to be changed.
    pub fn defined_mut(&mut self) -> impl Iterator<Item = &mut Body> {
        self.bodies.as_mut_slice().iter_mut().flatten()
    }

    /// The code of the function that is defined `k`-th, for tests.
    #[cfg(test)]
    pub fn nth(&self, k: usize) -> &Body {
        self.defined().nth(k).unwrap()
    }

    /// The same, to be changed.
    #[cfg(test)]
    pub fn nth_mut(&mut self, k: usize) -> &mut Body {
        self.defined_mut().nth(k).unwrap()
    }
}

impl Env {
    /// Says which functions are among those that were called most, where a profile counts calls: `most` of one.
    pub fn find_hot(&mut self, most: u64) {
        let counted = self.funcs.as_mut_slice().iter_mut().filter_map(|row| row.hints.calls.as_mut());
        counted
            .for_each(|calls| calls.hot = calls.count > 0 && calls.count.saturating_mul(Calls::HOT) >= most);
    }

    /// The same, by the counts of all functions.
    pub fn find_hot_of_all(&mut self) {
        if let Some(most) =
            self.funcs.iter().filter_map(|(_, row)| row.hints.calls).map(|calls| calls.count).max()
        {
            self.find_hot(most);
        }
    }

    /// The global that stands for a function's address.
    pub fn address_of(&mut self, func: FuncId) -> GlobalId {
        let row = &self.funcs[func];
        if let Some(global) = row.address.get() {
            return global;
        }
        let (name, shape) = (row.name, Shape::scalar(Type::I8));
        let global = Global::new(name, shape, true, Linkage::Declared, Image::default());
        let optional = row.optional;
        let global = self.globals.push(Global { func: Opt::some(func), optional, ..global });
        self.funcs[func].address = Opt::some(global);
        self.addresses += 1;
        global
    }

    /// What calls by address name that pass and return these types: one row for each signature that a caller asks
    /// for once.
    pub fn indirect(&mut self, result: Type, params: &[Type], variadic: bool, returns_by: bool) -> FuncId {
        let params: Vec<Type> = std::iter::once(Type::Ptr).chain(params.iter().copied()).collect();
        let name = self.names.intern(&format!(".indirect.{}", self.funcs.len()));
        let row = Func::new(name, result, params, Linkage::Declared);
        self.funcs.push(Func { variadic, returns_by, indirect: true, ..row })
    }

    /// Turns what a body asks for into internal globals named `.lit.0`, `.lit.1`, ... (names no SysY program
    /// can have), and rewrites the operands that name them. O(requests + instructions, if there are
    /// requests).
    pub fn grant(&mut self, body: &mut Body) {
        if body.requests.is_empty() {
            return;
        }
        let base = self.globals.len();
        for request in std::mem::take(&mut body.requests).into_vec() {
            // Bodies that come later may have added addresses, or not yet: such do not count.
            let number = self.globals.len() - self.addresses.min(self.globals.len());
            let name = self.names.intern(&format!(".lit.{number}"));
            let Request { shape, constant, image, results } = request;
            let row = Global::new(name, shape, constant, Linkage::Internal, image);
            self.globals.push(Global { results, ..row });
        }
        for (value, _) in &mut body.variables {
            if let ValueKind::Request(request) = value.kind() {
                *value = Value::global(GlobalId::new(base + request.index()));
            }
        }
        for k in 0..body.inst_count() {
            let i = super::Inst::new(k);
            for operand in 0..body.args(i).len() {
                if let ValueKind::Request(request) = body.args(i)[operand].kind() {
                    body.set_arg(i, operand, Value::global(GlobalId::new(base + request.index())));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_keeps_runs_and_reads_zeros_between() {
        let mut image = Image::default();
        for (at, word) in [(2, 7), (3, 8), (10, 9)] {
            image.push(at, word);
        }
        assert_eq!(image.runs.len(), 2);
        assert_eq!([0, 2, 3, 4, 10, 11].map(|at| image.get(at)), [0, 7, 8, 0, 9, 0]);
        assert!(!image.is_zero() && Image::default().is_zero());
    }
}
