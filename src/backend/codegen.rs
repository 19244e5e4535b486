//! Functions to code one by one, as they come: for programs that make code in memory and call it.
//!
//! What comes is position-independent up to its relocations, which `Code::place` applies for any address, given where
//! names are. Where a call does not reach, it goes to a jump that the client has put nearby (`write_jump`).

use super::code::{self, BackendError, Kept, WorkerMemory, compile_function};
use super::error::{Error, ErrorKind};
use super::function::Definition;
use super::module::{Func, Global, Module};
use super::pool::CancelToken;
use super::target::Target;
use crate::base::Handle;
use crate::base::stop::Stop;
use crate::ir::{Env, Flags, FuncId, GlobalId, Op, RelocationModel};
use crate::isa::symbols::Symbols;
use crate::isa::{LIBRARY, LIBRARY_BASE};
use crate::object::code::{self as object, Fixup, Rule};
use crate::object::frames;
use crate::object::machine::Sequence;
use crate::object::reloc::{How, What, row_of};
use crate::opt::Level;
use crate::opt::run::alone::{Alone, optimise};

/// What code wants the address of.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Name {
    /// A function of the module.
    Func(Func),
    /// A datum of the module.
    Global(Global),
    /// A function that the machine's code calls by itself: `memset`, `memcpy`, on ARMv7 also of the run-time ABI
    /// (`__aeabi_idiv`).
    Library(&'static str),
}

/// A place in code that depends on an address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relocation {
    /// Bytes from the start of the function.
    pub offset: u32,
    /// What it wants the address of.
    pub name: Name,
    /// What is added to that.
    pub addend: i32,
    /// ELF's name of what is computed and how it is put in.
    pub kind: &'static str,
    /// How far it reaches, in bytes, if it is a call that may go through a jump nearby.
    pub reach: Option<i64>,
}

/// The code of one function.
#[derive(Clone, Debug)]
pub struct Code {
    code: object::Code,
    module: u32,
    target: Target,
    /// It has rules for unwinding.
    unwinds: bool,
}

/// How a function lies on the stack, between its prologue and its epilogues.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame {
    /// Bytes that the stack pointer is below the caller's.
    pub size: u32,
    /// The registers of the caller's that are saved, in the order in which that is done.
    pub saved: Vec<SavedRegister>,
}

/// Where a register of the caller's is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SavedRegister {
    /// DWARF's number of it, as the machine's ABI has it.
    pub register: u16,
    /// Bytes from the caller's stack pointer to it; negative.
    pub offset: i32,
}

/// Makes code of functions, one by one. It keeps memory from one to the next; each thread has its own.
///
/// ```
/// use sysyc::backend::{Codegen, Level, Linkage, Module, Signature, Target, Type};
///
/// let mut module = Module::new(Target::new("aarch64")?);
/// let answer = module.function("answer", Signature::new().result(Type::I32), Linkage::Local)?;
/// let mut f = module.build(answer)?;
/// let x = f.int(Type::I32, 42);
/// f.ret(Some(x));
/// let definition = f.finish()?;
/// let mut codegen = Codegen::new(module.target(), Level::O1);
/// let code = codegen.compile(&module, definition)?;
/// let mut memory = vec![0; code.size()];
/// code.place(&mut memory, 0x10000, |_| None)?;
/// assert_eq!(memory[..4], [0x40, 0x05, 0x80, 0x52]); // mov w0, #42
/// # Ok::<(), sysyc::backend::Error>(())
/// ```
#[derive(Debug)]
pub struct Codegen {
    target: Target,
    options: code::Options,
    memory: WorkerMemory,
    passes: Alone,
    /// Code has no names yet.
    symbols: Symbols,
    /// The module that `passes` knows.
    module: Option<u32>,
    stop: Stop,
}

impl Codegen {
    /// A code generator for a machine. From -O1 on, functions go through the passes of -O1, each by itself.
    pub fn new(target: &Target, level: Level) -> Codegen {
        let options = code::Options::of(target.row, target.features, level);
        let (memory, passes) = (WorkerMemory::default(), Alone::default());
        let (symbols, stop) = (Symbols::default(), Stop::default());
        Codegen { target: *target, options, memory, passes, symbols, module: None, stop }
    }

    /// From here on, code says how its frame lies and how to unwind it (`Code::frame`, `Code::eh_frame`).
    pub fn unwind_tables(&mut self) {
        self.options.unwind = true;
    }

    /// From here on, the token cancels what is being compiled.
    pub fn cancel(&mut self, token: &CancelToken) {
        self.stop = token.stop.clone();
    }

    /// The code of a body that was built for a function of this module, which may grow meanwhile. O(instructions).
    pub fn compile(&mut self, module: &Module, definition: Definition) -> Result<Code, Error> {
        let env = &module.ir.env;
        let mut body = definition.body;
        if definition.of != module.number {
            return Err(Error::misuse("the body was built for another module"));
        }
        let is_ours = module.target.row.name == self.target.row.name;
        if !is_ours {
            return Err(Error::misuse("the module is for another machine"));
        }
        let name = env.names.text(env.funcs[body.func].name);
        if env.position.model != RelocationModel::Static {
            let message = "code in memory has no global offset table: set the relocation model to Static (Module::set_relocation_model)";
            return Err(Error::new(ErrorKind::Unsupported, message).of(name));
        }
        let lands = |i| body.op(i) == Op::Call && body.flags(i).has(Flags::INVOKED);
        if env.unwinds && body.blocks().any(|b| body.insts(b).any(lands)) {
            let message =
                "code in memory has no tables of what exceptions find: compile the module to an object";
            return Err(Error::new(ErrorKind::Unsupported, message).of(name));
        }
        if self.module != Some(module.number) {
            (self.module, self.passes) = (Some(module.number), Alone::default());
        }
        if !self.options.fast {
            let facts = (self.target.row.facts)(self.target.features);
            optimise(env, &mut body, &facts, &mut self.passes, &self.stop);
        }
        let kept = Kept { stop: Some(&self.stop), ..Kept::default() };
        match compile_function(env, &mut body, &self.symbols, &self.options, &mut self.memory, kept) {
            Ok(mut output) => {
                name_functions(env, &mut output.code);
                if let Some(what) = unplaced(module, &output.code) {
                    return Err(Error::new(ErrorKind::Unsupported, what).of(name));
                }
                let unwinds = self.options.unwind;
                Ok(Code { code: output.code, module: module.number, target: self.target, unwinds })
            }
            Err(BackendError::Stopped) => Err(Error::cancelled()),
            Err(BackendError::Unable(why)) => Err(Error::new(ErrorKind::Unsupported, why).of(name)),
            Err(BackendError::Bug(stage, why)) => {
                Err(Error::new(ErrorKind::Internal, format!("{stage}: {why}")).of(name))
            }
        }
    }
}

/// The address of a function is a global of the module, which clients know as the function.
fn name_functions(env: &Env, code: &mut object::Code) {
    for fixup in &mut code.fixups {
        let object::Target::Global(global) = fixup.target else { continue };
        if let Some(func) = env.globals.get(GlobalId::new(global as usize)).and_then(|row| row.func.get()) {
            fixup.target = object::Target::Func(func.index() as u32);
        }
    }
}

/// What code asks for that no client can say, if it does.
fn unplaced(module: &Module, code: &object::Code) -> Option<String> {
    let globals = &module.ir.env.globals;
    let text = |global: GlobalId| module.ir.env.names.text(globals[global].name);
    code.fixups.iter().find_map(|fixup| {
        let object::Target::Global(global) = fixup.target else { return None };
        let global = GlobalId::new(global as usize);
        let row = globals.get(global)?;
        if row.thread {
            return Some(format!(
                "code in memory has no thread-local data, and this asks for '{}'",
                text(global)
            ));
        }
        let of = row.image.addresses.first().filter(|_| module.is_hidden(row.name))?.to;
        Some(format!("code in memory cannot ask whether '{}' is there", text(of)))
    })
}

impl Code {
    /// Bytes.
    pub fn size(&self) -> usize {
        self.code.bytes.len()
    }

    /// Bytes of which its address has to be a multiple.
    pub fn align(&self) -> u32 {
        self.target.row.function_align
    }

    /// The bytes, with relocations not applied.
    pub fn bytes(&self) -> &[u8] {
        &self.code.bytes
    }

    /// The places that depend on addresses, by ascending offset.
    pub fn relocations(&self) -> impl Iterator<Item = Relocation> + '_ {
        let machine = self.target.row.elf;
        self.code.fixups.iter().filter_map(move |fixup| {
            let row = row_of(machine, fixup.kind)?;
            let (offset, name, addend) = (fixup.offset, self.name(fixup), fixup.addend);
            Some(Relocation { offset, name, addend, kind: row.name, reach: row.call.map(|call| call.reach) })
        })
    }

    /// How the function lies on the stack, if the code generator was asked for that (`Codegen::unwind_tables`). It has no
    /// frame pointer: the stack pointer stays where it is.
    pub fn frame(&self) -> Option<Frame> {
        let mut frame = Frame { size: 0, saved: Vec::new() };
        for unwind in &self.code.unwind {
            match unwind.rule {
                Rule::Frame(bytes) => frame.size = frame.size.max(bytes.unsigned_abs()),
                Rule::Saved(register, offset) => frame.saved.push(SavedRegister { register, offset }),
                _ => {}
            }
        }
        self.unwinds.then_some(frame)
    }

    /// What unwinders read of the function, if its code is at an address: the contents of `.eh_frame`, which may be
    /// anywhere in memory, for `__register_frame` of libgcc or a client's own unwinder. `Misuse` if the code generator was
    /// not asked for it.
    pub fn eh_frame(&self, address: u64) -> Result<Vec<u8>, Error> {
        if !self.unwinds {
            return Err(Error::misuse("the code has no rules for unwinding: Codegen::unwind_tables"));
        }
        let table = frames::table(self.target.row.elf, &self.code, address);
        table.map_err(|message| Error::new(ErrorKind::Unsupported, message))
    }

    fn name(&self, fixup: &Fixup) -> Name {
        match fixup.target {
            object::Target::Func(n) if n >= LIBRARY_BASE => {
                Name::Library(LIBRARY.get((n - LIBRARY_BASE) as usize).copied().unwrap_or_default())
            }
            object::Target::Func(n) => Name::Func(Func { id: FuncId::new(n as usize), of: self.module }),
            object::Target::Global(n) => {
                Name::Global(Global { id: GlobalId::new(n as usize), of: self.module })
            }
        }
    }

    /// Writes the code as it is at an address; `at` is where the client has mapped that (or will), of at least
    /// `size` bytes. `address_of` says where names are. `Link` if it does not know one, or one is too far.
    pub fn place(
        &self,
        at: &mut [u8],
        address: u64,
        mut address_of: impl FnMut(Name) -> Option<u64>,
    ) -> Result<(), Error> {
        let Some(at) = at.get_mut(..self.code.bytes.len()) else {
            return Err(Error::misuse(format!("{} bytes of code do not fit", self.code.bytes.len())));
        };
        if !address.is_multiple_of(u64::from(self.align())) {
            return Err(Error::misuse(format!("code at {address:#x}, which is not aligned")));
        }
        at.copy_from_slice(&self.code.bytes);
        let machine = self.target.row.elf;
        for fixup in &self.code.fixups {
            let name = self.name(fixup);
            let unknown = || Error::new(ErrorKind::Link, format!("there is no address of {name:?}"));
            let to = address_of(name).ok_or_else(unknown)? as i64;
            let place = address.wrapping_add(u64::from(fixup.offset)) as i64;
            let row = row_of(machine, fixup.kind).filter(|row| row.what == What::Symbol);
            let value = to.wrapping_add(i64::from(fixup.addend));
            let value = match row.map(|row| row.how) {
                Some(How::Plain) => value,
                Some(How::FromPlace) => value.wrapping_sub(place),
                Some(How::Pages) => (value & !0xfff).wrapping_sub(place & !0xfff),
                _ => return Err(Error::new(ErrorKind::Internal, format!("relocation {}", fixup.kind))),
            };
            let bytes = at.get_mut(fixup.offset as usize..);
            let fits = row.zip(bytes).is_some_and(|(row, bytes)| (row.put)(bytes, value));
            if !fits {
                return Err(Error::new(ErrorKind::Link, format!("{name:?} is too far from {place:#x}")));
            }
        }
        Ok(())
    }
}

/// Bytes of what `write_jump` writes at most.
pub const JUMP_BYTES: usize = 16;

impl Target {
    /// Writes a jump to any address within 2 GiB (of AArch64, 4 GiB; on ARMv7 any), for calls that do not reach what
    /// they call; `at` is `JUMP_BYTES` long and will be at `address`. It keeps all registers but the one that the
    /// calling convention has for this.
    pub fn write_jump(&self, at: &mut [u8], address: u64, to: u64) -> Result<(), Error> {
        // auipc t3, to; jalr zero, to(t3)
        static RISCV: Sequence = Sequence {
            words: &[0x0000_0e17, 0x000e_0067],
            puts: &[(crate::object::reloc::riscv::RISCV_PAIR_I, 0)],
        };
        let machine = self.row.elf;
        let sequence = machine.veneers.first().unwrap_or(&RISCV);
        let size = 4 * sequence.words.len();
        let Some(at) = at.get_mut(..size) else {
            return Err(Error::misuse(format!("a jump takes {size} bytes")));
        };
        for (word, place) in sequence.words.iter().zip(at.chunks_exact_mut(4)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        for &(kind, offset) in sequence.puts {
            let place = address.wrapping_add(offset as u64) as i64;
            let row = row_of(machine, kind);
            let value = match row.map(|row| row.how) {
                Some(How::FromPlace) => (to as i64).wrapping_sub(place),
                Some(How::Pages) => (to as i64 & !0xfff).wrapping_sub(place & !0xfff),
                _ => to as i64,
            };
            let fits = row.zip(at.get_mut(offset..)).is_some_and(|(row, bytes)| (row.put)(bytes, value));
            if !fits {
                return Err(Error::new(ErrorKind::Link, format!("{to:#x} is too far from {address:#x}")));
            }
        }
        Ok(())
    }
}
