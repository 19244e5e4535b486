//! Modules as clients see them: functions, data, text.
//!
//! A handle knows the module that it is of, so that one of another module is an error. Bodies are built with
//! the module shared (`Module::build`), so several threads may build functions of one module, and put in with
//! `Module::define`, in any order: code comes in the order of the declarations.

use super::error::Error;
use super::function::{Definition, FunctionBuilder};
use super::target::Target;
use crate::base::{Column, Name};
use crate::ir::types::MOST_ALIGN;
use crate::ir::verify::verify_module;
use crate::ir::{self, Effect, FuncId, GlobalId, Image, Shape, Shapes, Type, print};
use std::sync::atomic::{AtomicU32, Ordering};

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
}

impl Linkage {
    fn row(self) -> ir::Linkage {
        match self {
            Linkage::Export => ir::Linkage::External,
            Linkage::Weak => ir::Linkage::Weak,
            Linkage::Local => ir::Linkage::Internal,
            Linkage::Import => ir::Linkage::Declared,
        }
    }
}

/// What a function takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    params: Vec<Type>,
    result: Option<Type>,
    variadic: bool,
}

impl Signature {
    /// Takes nothing and gives nothing.
    pub fn new() -> Signature {
        Signature::default()
    }

    /// Takes one more, behind the others.
    #[must_use]
    pub fn param(mut self, ty: Type) -> Signature {
        self.params.push(ty);
        self
    }

    /// Takes these, behind the others.
    #[must_use]
    pub fn params(mut self, types: &[Type]) -> Signature {
        self.params.extend(types);
        self
    }

    /// Gives one.
    #[must_use]
    pub fn result(mut self, ty: Type) -> Signature {
        self.result = Some(ty);
        self
    }

    /// Takes any number of further arguments, as C's `printf`; only of imported functions.
    #[must_use]
    pub fn variadic(mut self) -> Signature {
        self.variadic = true;
        self
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

/// What a datum holds, and how it lies in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    image: Image,
    size: u32,
    align: u32,
    constant: bool,
}

impl Data {
    /// These bytes.
    pub fn bytes(bytes: &[u8]) -> Data {
        let mut image = Image::default();
        for (at, &byte) in bytes.iter().enumerate().filter(|(_, byte)| **byte != 0) {
            image.push(at as u32, u32::from(byte));
        }
        Data { image, size: u32::try_from(bytes.len()).unwrap_or(u32::MAX), align: 1, constant: false }
    }

    /// So many zeros, which take no room in the object.
    pub fn zeros(size: u32) -> Data {
        Data { image: Image::default(), size, align: 1, constant: false }
    }

    /// Lies at a multiple of so many bytes, a power of two.
    #[must_use]
    pub fn align(mut self, bytes: u32) -> Data {
        self.align = bytes;
        self
    }

    /// Is never written: it goes to memory that is read-only, and loads of it may be done at compile time.
    #[must_use]
    pub fn constant(mut self) -> Data {
        self.constant = true;
        self
    }
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
}

#[derive(Copy, Clone, Debug, Default)]
pub(super) enum Known {
    #[default]
    Nothing,
    Func(FuncId),
    Global(GlobalId),
}

/// Gives modules and functions in the making numbers of their own, by which their handles are known. Nothing
/// that is made depends on them.
pub(super) fn number() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Module {
    /// An empty module for a machine.
    pub fn new(target: Target) -> Module {
        let mut ir = ir::Module::default();
        ir.env.shapes = Shapes::with_pointers(target.pointer_bytes());
        Module { ir, target, number: number(), known: Column::new() }
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
        let Signature { params, result, variadic } = signature;
        self.check_name(name)?;
        let is_known = |ty: &Type| !ty.is_vector() && *ty != Type::Void;
        if let Some(ty) = params.iter().chain(&result).find(|ty| !is_known(ty)) {
            return Err(Error::misuse(format!("{} cannot be passed", ty.name())).of(name));
        }
        if variadic && linkage != Linkage::Import {
            return Err(Error::misuse("only imported functions can be variadic").of(name));
        }
        let env = &mut self.ir.env;
        let name = env.names.intern(name);
        let func = ir::Func::new(name, result.unwrap_or(Type::Void), params, linkage.row());
        let id = env.funcs.push(ir::Func { variadic, ..func });
        self.note(name, Known::Func(id));
        Ok(Func { id, of: self.number })
    }

    /// Says that calls of an imported function do nothing: the result depends on the arguments alone, and it
    /// always returns. What is not said is taken to do everything.
    pub fn set_pure(&mut self, func: Func) -> Result<(), Error> {
        let row = self.func(func)?;
        if row.linkage != ir::Linkage::Declared {
            return Err(Error::misuse("of a function that is defined here, its body says what it does"));
        }
        self.ir.env.funcs[func.id].effect = Effect::NONE;
        Ok(())
    }

    /// Defines data. `Misuse` if there is something of this name, or the alignment is none.
    pub fn data(&mut self, name: &str, data: Data, linkage: Linkage) -> Result<Global, Error> {
        self.check_name(name)?;
        let Data { image, size, align, constant } = data;
        if !align.is_power_of_two() || align > MOST_ALIGN {
            return Err(Error::misuse(format!("'{name}' is to be aligned to {align} bytes")));
        }
        if size > i32::MAX as u32 {
            return Err(Error::misuse(format!("'{name}' is larger than 2 GiB")));
        }
        let env = &mut self.ir.env;
        let shape = env.shapes.of(Type::I8, &[size]);
        let shape = if align > 1 { env.shapes.aligned(shape, align) } else { shape };
        let name = env.names.intern(name);
        let id = env.globals.push(ir::Global::new(name, shape, constant, linkage.row(), image));
        self.note(name, Known::Global(id));
        Ok(Global { id, of: self.number })
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

    /// Gives a function the body that was built for it; what it had before goes.
    pub fn define(&mut self, definition: Definition) -> Result<(), Error> {
        if definition.of != self.number {
            return Err(Error::misuse("the body was built for another module"));
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
