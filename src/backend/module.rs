//! Modules as clients see them: functions, data, text.
//!
//! A handle knows the module that it is of, so that one of another module is an error. Bodies are built with
//! the module shared (`Module::build`), so several threads may build functions of one module, and put in with
//! `Module::define`, in any order: code comes in the order of the declarations.

use super::data::{Data, To};
use super::error::{Error, ErrorKind};
use super::function::atomics::is_atomic;
use super::function::{Definition, FunctionBuilder};
use super::signature::{Signature, Travelling, Way};
use super::target::Target;
use crate::base::{Column, Handle, Name, Opt};
use crate::ir::builtin::{self, Builtin, Ordering};
use crate::ir::module::Address;
use crate::ir::section::{self, Content};
use crate::ir::verify::verify_module;
use crate::ir::{self, Effect, FuncId, GlobalId, Image, RelocationModel, Shape, Shapes, Type, print};
use std::collections::BTreeMap;
use std::sync::atomic::{self, AtomicU32};

/// What asks a function that cleans up, and catches nothing, and what goes on with an exception behind that: libgcc's.
const PERSONALITY: &str = "__gcc_personality_v0";
const RESUME: &str = "_Unwind_Resume";

/// Where a name is visible.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Linkage {
    /// Defined here, visible to other objects under its very name.
    Export,
    /// The same; another definition may take its place.
    Weak,
    /// Defined here, seen only here.
    Local,
    /// Defined elsewhere.
    Import,
    /// Defined elsewhere, or nowhere: then its address is null, which code asks before it uses it (C's
    /// `__attribute__((weak))` of a declaration, LLVM's `extern_weak`).
    WeakImport,
    /// Zeros that linkers make room for, once for all objects that have it so, unless one defines it (C's tentative
    /// definitions, `-fcommon`). Of data only.
    Common,
}

impl Linkage {
    fn row(self) -> ir::Linkage {
        match self {
            Linkage::Export => ir::Linkage::External,
            Linkage::Weak | Linkage::Common => ir::Linkage::Weak,
            Linkage::Local => ir::Linkage::Internal,
            Linkage::Import | Linkage::WeakImport => ir::Linkage::Declared,
        }
    }

    fn is_import(self) -> bool {
        self.row() == ir::Linkage::Declared
    }
}

/// A function of a module.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Func {
    pub(super) id: FuncId,
    pub(super) of: u32,
}

/// A datum of a module.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Global {
    pub(super) id: GlobalId,
    pub(super) of: u32,
}

/// A signature that a module knows: what can be called by its address.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Prototype {
    pub(super) id: FuncId,
    pub(super) of: u32,
}

/// Functions and data that become one object.
///
/// ```
/// use sysyc::backend::{Linkage, Module, Options, Signature, Target, Type};
///
/// let mut module = Module::new(Target::new("riscv64")?);
/// let signature = Signature::new().params(&[Type::I32, Type::I32]).result(Type::I32);
/// let add = module.function("add", signature, Linkage::Export)?;
/// let mut f = module.build(add)?;
/// let sum = f.add(f.param(0), f.param(1));
/// f.ret(Some(sum));
/// let body = f.finish()?;
/// module.define(body)?;
/// let object = module.compile(&Options::default())?;
/// assert_eq!(&object.to_elf()?[..4], b"\x7fELF");
/// # Ok::<(), sysyc::backend::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Module {
    pub(super) ir: ir::Module,
    pub(super) target: Target,
    pub(super) number: u32,
    /// What has a name.
    pub(super) known: Column<Name, Known>,
    /// By function, how its result and then its parameters travel, if not as what they are. It may end before the functions
    /// do.
    pub(super) ways: Column<FuncId, Vec<Way>>,
    /// The rows that stand for signatures of calls by address.
    pub(super) prototypes: BTreeMap<Signature, FuncId>,
    /// What holds the address of what need not be there.
    pub(super) holders: BTreeMap<GlobalId, GlobalId>,
    /// What the sections that are named have.
    sections: BTreeMap<Name, Content>,
}

#[derive(Copy, Clone, Debug, Default)]
pub(super) enum Known {
    #[default]
    Nothing,
    Func(FuncId),
    Global(GlobalId),
    /// What stands for an instruction, which clients do not see.
    Builtin(FuncId),
    /// Data that clients do not see.
    Hidden,
}

/// Gives modules and functions in the making numbers of their own, by which their handles are known. Nothing
/// that is made depends on them.
pub(super) fn number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, atomic::Ordering::Relaxed)
}

impl Module {
    /// A module that has something already.
    pub(super) fn of(ir: ir::Module, target: Target, known: Column<Name, Known>) -> Module {
        let (ways, prototypes, sections) = (Column::new(), BTreeMap::new(), BTreeMap::new());
        let holders = BTreeMap::new();
        let mut module = Module { ir, target, number: number(), known, ways, prototypes, holders, sections };
        if target.position.model != RelocationModel::Static {
            module.set_relocation_model(target.position.model);
        }
        module.settle_special();
        let env = &module.ir.env;
        let functions = env.funcs.iter().filter_map(|(_, row)| Some((row.section.get()?, Content::Code)));
        let data = env.globals.iter().filter_map(|(_, row)| Some((row.section.get()?, Content::Data)));
        module.sections = functions.chain(data).collect();
        module
    }

    /// An empty module for a machine.
    pub fn new(target: Target) -> Module {
        let mut ir = ir::Module::default();
        ir.env.shapes = Shapes::with_pointers(target.pointer_bytes());
        Module::of(ir, target, Column::new())
    }

    /// The module as LLVM text, which `parse` reads and LLVM's tools do.
    pub fn text(&self) -> String {
        print::module(&self.ir)
    }

    /// The machine that it is for.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Declares a function, which a body may be given if it is not imported. `Misuse` if there is something of
    /// this name, the name is empty or has a zero byte, or the signature has types that no argument can have.
    pub fn function(&mut self, name: &str, signature: Signature, linkage: Linkage) -> Result<Func, Error> {
        self.check_name(name)?;
        if linkage == Linkage::Common {
            return Err(Error::misuse("a function is not common").of(name));
        }
        let travelling = signature.travelling(&self.target, !linkage.is_import());
        let travelling = travelling.map_err(|error| error.of(name))?;
        let Travelling { params, result, variadic, returns_by, tail, parts, ways } = travelling;
        let env = &mut self.ir.env;
        let name = env.names.intern(name);
        let func = ir::Func::new(name, result, params, linkage.row());
        let optional = linkage == Linkage::WeakImport;
        let id = env.funcs.push(ir::Func { variadic, returns_by, tail, parts, optional, ..func });
        self.note(name, Known::Func(id));
        self.note_ways(id, ways);
        Ok(Func { id, of: self.number })
    }

    /// What is called by its address with such arguments (`FunctionBuilder::call_indirect`); the same for the same
    /// signature. `Misuse` if it has types that no argument can have.
    pub fn prototype(&mut self, signature: Signature) -> Result<Prototype, Error> {
        if let Some(&id) = self.prototypes.get(&signature) {
            return Ok(Prototype { id, of: self.number });
        }
        let travelling = signature.travelling(&self.target, false)?;
        let Travelling { params, result, variadic, returns_by, tail, parts, ways } = travelling;
        let id = self.ir.env.indirect(result, &params, variadic, returns_by);
        (self.ir.env.funcs[id].parts, self.ir.env.funcs[id].tail) = (parts, tail);
        self.note_ways(id, ways);
        self.prototypes.insert(signature, id);
        Ok(Prototype { id, of: self.number })
    }

    /// Lets bodies use the address of a function (`FunctionBuilder::function_address`). What has the address may call
    /// it, so passes know less of it from here on. (Data that have it need not ask.)
    pub fn take_address(&mut self, func: Func) -> Result<(), Error> {
        let optional = self.func(func)?.optional;
        let global = self.ir.env.address_of(func.id);
        if optional && !self.holders.contains_key(&global) {
            self.hold(global);
        }
        Ok(())
    }

    /// Puts the code of a function in a section of this name, in objects and assembly, and not where code goes. `Misuse` if it
    /// is imported, or the section has data.
    pub fn set_section(&mut self, func: Func, section: &str) -> Result<(), Error> {
        let row = self.func(func)?;
        let name = self.ir.env.names.text(row.name).to_string();
        if row.linkage == ir::Linkage::Declared {
            return Err(Error::misuse("an imported function lies where it is defined").of(&name));
        }
        if !section::is_plain(section) {
            return Err(
                Error::misuse(format!("it is to be in a section that is called '{section}'")).of(&name)
            );
        }
        if let Some(why) = section::refusal(section, Content::Code) {
            return Err(Error::misuse(format!("it is to be in '{section}': {why}")).of(&name));
        }
        let section = self.named_section(section, Content::Code).map_err(|error| error.of(&name))?;
        self.ir.env.funcs[func.id].section = Some(section).into();
        Ok(())
    }

    /// The name of a section, which has this and nothing else.
    fn named_section(&mut self, section: &str, content: Content) -> Result<Name, Error> {
        let name = self.ir.env.names.intern(section);
        self.known.grow_to(self.ir.env.names.len(), Known::Nothing);
        match *self.sections.entry(name).or_insert(content) == content {
            true => Ok(name),
            false => Err(Error::misuse(format!("'{section}': {}", section::BOTH))),
        }
    }

    /// What the addresses of what need not be there and of thread-local data take.
    fn settle_special(&mut self) {
        self.holders = self.ir.env.holders();
        let env = &self.ir.env;
        self.known.grow_to(env.names.len(), Known::Nothing);
        self.holders.values().for_each(|&holder| self.known[env.globals[holder].name] = Known::Hidden);
        if env.globals.iter().any(|(_, row)| row.thread) {
            // Where a client has given something that name, the builder says so.
            _ = self.use_threads();
        }
    }

    /// Makes data that hold the address of what need not be there.
    fn hold(&mut self, global: GlobalId) {
        let holder = self.ir.env.hidden("address", global, true);
        self.note(self.ir.env.globals[holder].name, Known::Hidden);
        self.holders.insert(global, holder);
    }

    /// True for the names of data that clients do not see.
    pub(super) fn is_hidden(&self, name: Name) -> bool {
        matches!(self.known.get(name), Some(Known::Hidden))
    }

    /// Lets bodies ask for addresses of thread-local data.
    fn use_threads(&mut self) -> Result<(), Error> {
        self.stand_for(Builtin::ThreadAddress, Type::Ptr, Type::Ptr, vec![Type::Ptr])
    }

    /// Lets bodies access values of a type, an integer of 8 to 64 bits or a ptr, so that other threads see each access as one
    /// (`FunctionBuilder::atomic_load` and its like), and use fences. `Misuse` of other types.
    pub fn use_atomics(&mut self, ty: Type) -> Result<(), Error> {
        if !is_atomic(ty) {
            return Err(Error::misuse(format!("values of {} are not accessed as one", ty.name())));
        }
        for order in Ordering::ALL {
            let is_load = !matches!(order, Ordering::Release | Ordering::AcqRel);
            let is_store = !matches!(order, Ordering::Acquire | Ordering::AcqRel);
            let rows = [
                (is_load, Builtin::AtomicLoad(order), ty, vec![Type::Ptr]),
                (is_store, Builtin::AtomicStore(order), Type::Void, vec![ty, Type::Ptr]),
                (true, Builtin::CompareExchange(order), ty, vec![Type::Ptr, ty, ty]),
                (order != Ordering::Monotonic, Builtin::Fence(order), Type::Void, Vec::new()),
            ];
            for (_, builtin, result, params) in rows.into_iter().filter(|row| row.0) {
                self.stand_for(builtin, ty, result, params)?;
            }
            for update in builtin::Update::ALL {
                self.stand_for(Builtin::AtomicUpdate(update, order), ty, ty, vec![Type::Ptr, ty])?;
            }
        }
        Ok(())
    }

    /// Lets bodies take memory of the stack whose size they know when they run (`FunctionBuilder::stack_alloc`).
    pub fn use_stack(&mut self) -> Result<(), Error> {
        let wide = if self.target.pointer_bytes() == 8 { Type::I64 } else { Type::I32 };
        self.stand_for(Builtin::StackAlloc(self.stack_align()), Type::Ptr, Type::Ptr, vec![wide])?;
        self.stand_for(Builtin::StackSave, Type::Ptr, Type::Ptr, Vec::new())?;
        self.stand_for(Builtin::StackRestore, Type::Void, Type::Void, vec![Type::Ptr])
    }

    /// Lets the body of a function clean up where an exception leaves a call of it (`FunctionBuilder::call_with_cleanup`), and tells
    /// unwinders of all functions of the module. What asks such functions is C's personality routine, of libgcc. `Misuse` if the
    /// function is imported, or one of libgcc's names is something else here.
    pub fn use_cleanups(&mut self, func: Func) -> Result<(), Error> {
        if self.func(func)?.linkage == ir::Linkage::Declared {
            return Err(Error::misuse("an imported function has no body that cleans up"));
        }
        self.stand_for(Builtin::Unwinds, Type::I1, Type::I1, Vec::new())?;
        self.stand_for(Builtin::LandingPad, Type::Ptr, Type::Ptr, Vec::new())?;
        let mut ids = [FuncId::new(0); 2];
        for (id, name, params) in [(0, PERSONALITY, vec![]), (1, RESUME, vec![Type::Ptr])] {
            let result = if id == 0 { Type::I32 } else { Type::Void };
            ids[id] = self.named(name, result, params, Effect::ALL)?;
        }
        self.ir.env.funcs[func.id].personality = Opt::some(ids[0]);
        self.ir.env.unwinds = true;
        Ok(())
    }

    /// What goes on with an exception, once bodies may clean up.
    pub(super) fn resumes(&self) -> Option<FuncId> {
        match self.known(RESUME) {
            Known::Func(id) if self.is_plain(id, Type::Void, &[Type::Ptr]) => Some(id),
            _ => None,
        }
    }

    /// Lets bodies call functions of the C library by what they do: `FunctionBuilder::memmove`, `sqrt`. `Misuse` if one of
    /// their names is something else.
    pub fn use_library(&mut self) -> Result<(), Error> {
        let wide = if self.target.pointer_bytes() == 8 { Type::I64 } else { Type::I32 };
        let rows = [
            ("memmove", Type::Ptr, vec![Type::Ptr, Type::Ptr, wide], Effect::ALL),
            ("sqrt", Type::F64, vec![Type::F64], Effect::NONE),
            ("sqrtf", Type::F32, vec![Type::F32], Effect::NONE),
        ];
        for (name, result, params, effect) in rows {
            self.named(name, result, params, effect)?;
        }
        Ok(())
    }

    /// A function of a library, which is declared if it is not yet.
    fn named(
        &mut self,
        name: &str,
        result: Type,
        params: Vec<Type>,
        effect: Effect,
    ) -> Result<FuncId, Error> {
        match self.known(name) {
            Known::Nothing => {
                let name = self.ir.env.names.intern(name);
                let row = ir::Func::new(name, result, params, ir::Linkage::Declared);
                let id = self.ir.env.funcs.push(ir::Func { effect, ..row });
                self.note(name, Known::Func(id));
                Ok(id)
            }
            Known::Func(id) if self.is_plain(id, result, &params) => Ok(id),
            _ => Err(Error::misuse(format!("'{name}' is not the library's function here"))),
        }
    }

    /// A function of the C library that bodies may call.
    pub(super) fn library(&self, name: &str) -> Option<FuncId> {
        let wide = if self.target.pointer_bytes() == 8 { Type::I64 } else { Type::I32 };
        let (result, params) = match name {
            "memmove" => (Type::Ptr, &[Type::Ptr, Type::Ptr, wide][..]),
            "sqrt" => (Type::F64, &[Type::F64][..]),
            _ => (Type::F32, &[Type::F32][..]),
        };
        match self.known(name) {
            Known::Func(id) if self.is_plain(id, result, params) => Some(id),
            _ => None,
        }
    }

    /// True for a function of these types whose values travel as they are.
    fn is_plain(&self, id: FuncId, result: Type, params: &[Type]) -> bool {
        let row = &self.ir.env.funcs[id];
        let is_so = row.result == result && row.params == params && row.parts.is_none();
        is_so && !row.variadic && !row.returns_by && self.ways.get(id).is_none_or(Vec::is_empty)
    }

    /// What memory of the stack is aligned to.
    pub(super) fn stack_align(&self) -> u32 {
        2 * self.target.pointer_bytes()
    }

    /// Declares what stands for something with values of a type.
    fn stand_for(
        &mut self,
        builtin: Builtin,
        ty: Type,
        result: Type,
        params: Vec<Type>,
    ) -> Result<(), Error> {
        if self.builtin(builtin, ty).is_some() {
            return Ok(());
        }
        let text = builtin.name(ty.code());
        if !matches!(self.known(&text), Known::Nothing) {
            return Err(Error::misuse(format!("'{text}' cannot be a name: it stands for an instruction")));
        }
        let name = self.ir.env.names.intern(&text);
        let row = ir::Func::new(name, result, params, ir::Linkage::Declared);
        let variadic = builtin == Builtin::LandingPad;
        let id = self.ir.env.funcs.push(ir::Func { builtin: Some(builtin), variadic, ..row });
        self.note(name, Known::Builtin(id));
        Ok(())
    }

    /// The function that stands for something with values of a type, once the module has it.
    pub(super) fn builtin(&self, builtin: Builtin, ty: Type) -> Option<FuncId> {
        match self.known(&builtin.name(ty.code())) {
            Known::Builtin(id) => Some(id),
            _ => None,
        }
    }

    /// Says that calls of an imported function do nothing: the result depends on the arguments alone, and it
    /// always returns. What is not said is taken to do everything.
    pub fn set_pure(&mut self, func: Func) -> Result<(), Error> {
        let row = self.func(func)?;
        if row.linkage != ir::Linkage::Declared {
            return Err(Error::misuse("of a function that is defined here, its body says what it does"));
        }
        if row.optional {
            return Err(Error::misuse("a function that need not be there cannot be called at any time"));
        }
        self.ir.env.funcs[func.id].effect = Effect::NONE;
        Ok(())
    }

    /// Defines data. `Misuse` if there is something of this name, or something of the data cannot be: an alignment, a place
    /// for an address; or an import has contents: of it, size and alignment count (`Data::zeros`).
    pub fn data(&mut self, name: &str, data: Data, linkage: Linkage) -> Result<Global, Error> {
        self.check_name(name)?;
        let (optional, common, thread) =
            (linkage == Linkage::WeakImport, linkage == Linkage::Common, data.thread);
        if linkage.is_import() && data.has_contents() {
            return Err(Error::misuse(format!("'{name}' is imported, and has no contents")));
        }
        if common && !data.is_plain_zeros() {
            let message = "is common, which are zeros that all threads may write to, in no section";
            return Err(Error::misuse(format!("'{name}' {message}")));
        }
        if optional && thread {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("'{name}' is thread-local data that need not be there"),
            ));
        }
        if thread {
            self.use_threads()?;
        }
        let (shape, image, section) = self.lie(name, &data)?;
        let image = if linkage.is_import() { Image::default() } else { image };
        let env = &mut self.ir.env;
        let name = env.names.intern(name);
        // Passes go by names of data that are addresses, and thread-local data have none.
        let kept = thread && linkage == Linkage::Local;
        let linked = if kept { ir::Linkage::External } else { linkage.row() };
        let row = ir::Global::new(name, shape, data.constant, linked, image);
        let id = env.globals.push(ir::Global { section, optional, thread, kept, common, ..row });
        self.note(name, Known::Global(id));
        if optional {
            self.hold(id);
        }
        Ok(Global { id, of: self.number })
    }

    /// Gives a datum other contents, of the same size, and constant if it was: so data can have each other's addresses.
    /// `Misuse` if it is imported or another module's.
    pub fn define_data(&mut self, global: Global, data: Data) -> Result<(), Error> {
        let row = self.ir.env.globals.get(global.id).filter(|_| global.of == self.number);
        let row = row.ok_or_else(|| Error::misuse("the datum is of another module"))?;
        let name = self.ir.env.names.text(row.name).to_string();
        if row.linkage == ir::Linkage::Declared {
            return Err(Error::misuse(format!("'{name}' is imported, and has no contents")));
        }
        let size = self.ir.env.shapes.bytes(row.shape);
        if u64::from(data.size.max(1)) != size || data.constant != row.constant || data.thread != row.thread {
            let kind = if row.constant { "constant" } else { "variable" };
            let kind = if row.thread { "thread-local" } else { kind };
            return Err(Error::misuse(format!("'{name}' was declared with {size} bytes, {kind}")));
        }
        if row.common && !data.is_plain_zeros() {
            return Err(Error::misuse(format!("'{name}' is common, which are zeros")));
        }
        let (shape, image, section) = self.lie(&name, &data)?;
        let row = &mut self.ir.env.globals[global.id];
        (row.shape, row.image, row.section) = (shape, image, section);
        Ok(())
    }

    /// What the tables say of data.
    fn lie(&mut self, name: &str, data: &Data) -> Result<(Shape, Image, Opt<Name>), Error> {
        let pointer_bytes = self.target.pointer_bytes();
        data.check(name, pointer_bytes)?;
        let mut addresses = Vec::with_capacity(data.addresses.len());
        for (at, to, offset) in data.sorted() {
            let to = match to {
                To::Func(func) => {
                    self.func(func)?;
                    self.ir.env.address_of(func.id)
                }
                To::Global(global) => {
                    let is_ours = global.of == self.number && global.id.index() < self.ir.env.globals.len();
                    if !is_ours {
                        return Err(Error::misuse("the datum is of another module"));
                    }
                    if self.ir.env.globals[global.id].thread {
                        let message = "has the address of thread-local data, which is no constant";
                        return Err(Error::misuse(format!("'{name}' {message}")));
                    }
                    global.id
                }
            };
            addresses.push(Address { at, to, offset, from_start: None });
        }
        let shape = self.bytes(data.size.max(1), data.align);
        let section = data.section.as_deref().map(|section| self.named_section(section, Content::Data));
        let section = section.transpose()?;
        Ok((shape, Image { addresses, ..data.image(pointer_bytes) }, section.into()))
    }

    /// The function of this name.
    pub fn find_function(&self, name: &str) -> Option<Func> {
        match self.known(name) {
            Known::Func(id) => Some(Func { id, of: self.number }),
            _ => None,
        }
    }

    /// The datum of this name.
    pub fn find_data(&self, name: &str) -> Option<Global> {
        match self.known(name) {
            Known::Global(id) => Some(Global { id, of: self.number }),
            _ => None,
        }
    }

    /// Begins the body of a function. `Misuse` if the function is imported or another module's.
    pub fn build(&self, func: Func) -> Result<FunctionBuilder<'_>, Error> {
        let row = self.func(func)?;
        if row.linkage == ir::Linkage::Declared {
            let name = self.ir.env.names.text(row.name);
            return Err(Error::misuse("an imported function has no body").of(name));
        }
        Ok(FunctionBuilder::new(self, func.id))
    }

    /// Gives a function the body that was built for it. `Misuse` if it has one.
    pub fn define(&mut self, definition: Definition) -> Result<(), Error> {
        if definition.of != self.number {
            return Err(Error::misuse("the body was built for another module"));
        }
        let func = definition.body.func;
        if self.ir.bodies.get(func).is_some_and(Option::is_some) {
            let name = self.ir.env.names.text(self.ir.env.funcs[func].name);
            return Err(Error::misuse("it has a body already").of(name));
        }
        self.ir.define(definition.body);
        Ok(())
    }

    /// Verifies all of it, O(instructions): what was built or read has been, this is for those who want to be
    /// sure. A function that is neither imported nor has a body is an error, too.
    pub fn verify(&self) -> Result<(), Error> {
        self.check_defined()?;
        verify_module(&self.ir).map_err(|error| {
            let func = error.func.and_then(|func| self.ir.env.funcs.get(func));
            let name = func.map(|row| self.ir.env.names.text(row.name).to_string());
            Error { function: name, ..Error::misuse(error.to_string()) }
        })
    }

    pub(super) fn check_defined(&self) -> Result<(), Error> {
        let has_body = |func: FuncId| self.ir.bodies.get(func).is_some_and(Option::is_some);
        let rows = &mut self.ir.env.funcs.iter();
        match rows.find(|(func, row)| row.linkage != ir::Linkage::Declared && !has_body(*func)) {
            Some((_, row)) => {
                Err(Error::misuse("it was declared, and has no body").of(self.ir.env.names.text(row.name)))
            }
            None => Ok(()),
        }
    }

    pub(super) fn func(&self, func: Func) -> Result<&ir::Func, Error> {
        let row = self.ir.env.funcs.get(func.id).filter(|_| func.of == self.number);
        row.ok_or_else(|| Error::misuse("the function is of another module"))
    }

    fn check_name(&self, name: &str) -> Result<(), Error> {
        if name.is_empty() || name.contains('\0') {
            return Err(Error::misuse("a name is empty or has a zero byte"));
        }
        match self.known(name) {
            Known::Nothing => Ok(()),
            _ => Err(Error::misuse(format!("there is a '{name}' already"))),
        }
    }

    fn known(&self, name: &str) -> Known {
        let name = self.ir.env.names.find(name);
        name.and_then(|name| self.known.get(name).copied()).unwrap_or_default()
    }

    fn note_ways(&mut self, func: FuncId, ways: Vec<Way>) {
        if !ways.is_empty() {
            self.ways.grow_to(func.index() + 1, Vec::new());
            self.ways[func] = ways;
        }
    }

    /// How a function's result (0) or parameter (from 1 on) travels.
    pub(super) fn way(&self, func: FuncId, k: usize) -> Way {
        self.ways.get(func).and_then(|row| row.get(k).copied()).unwrap_or_default()
    }

    /// The types of the parameters of a function, or of what is called by its address, as the client has them.
    pub(super) fn takes(&self, func: FuncId) -> Vec<Type> {
        let row = &self.ir.env.funcs[func];
        let params = row.params.get(usize::from(row.indirect)..).unwrap_or_default();
        let Some(ways) = self.ways.get(func).filter(|ways| !ways.is_empty()) else { return params.to_vec() };
        let of = |way: &Way| match way.narrow {
            _ if way.words != 0 => Some(Type::Ptr),
            Some((_, ty)) => Some(ty),
            None => params.get(way.first as usize).copied(),
        };
        ways.iter().skip(1).filter_map(of).collect()
    }

    /// True for a function that is declared as one that is defined here and takes variadic arguments.
    pub(super) fn takes_varargs(&self, func: FuncId) -> bool {
        let is_ours = self.ways.get(func).is_some_and(|ways| !ways.is_empty());
        is_ours && self.ir.env.funcs[func].parts.as_deref().is_some_and(|parts| parts.varargs)
    }

    fn note(&mut self, name: Name, known: Known) {
        self.known.grow_to(self.ir.env.names.len(), Known::Nothing);
        self.known[name] = known;
    }

    /// Memory of so many bytes.
    pub(super) fn bytes(&self, size: u32, align: u32) -> Shape {
        let shapes = &self.ir.env.shapes;
        let shape = shapes.of(Type::I8, &[size]);
        if align > 1 { shapes.aligned(shape, align) } else { shape }
    }
}

/// Bodies by function, taken out.
pub(super) fn bodies(module: &mut ir::Module) -> impl Iterator<Item = ir::Body> {
    std::mem::take(&mut module.bodies).into_vec().into_iter().flatten()
}
