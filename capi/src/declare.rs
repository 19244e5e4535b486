//! What a module has: functions, data and signatures, by numbers.
//!
//! A handle has the number of its owner in its upper half, so that one of another owner is an error, and a row of the
//! owner's table in its lower half.

use super::{
    Failure, Status, SysycBuffer, SysycModule, failure, guard, guard_done, guard_plain, misuse, reference,
    slice, string,
};
use std::collections::HashMap;
use std::ffi::c_char;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use sysyc::backend::{
    Data, Extension, Func, Global, Linkage, Module, Prototype, RelocationModel, Signature, Target,
    ThreadModel, Type, Visibility,
};

/// A module, and what its handles stand for.
#[derive(Debug)]
pub struct Inner {
    pub(crate) module: Module,
    owner: u32,
    pub(crate) funcs: Vec<Func>,
    pub(crate) func_rows: HashMap<Func, usize>,
    pub(crate) globals: Vec<Global>,
    pub(crate) global_rows: HashMap<Global, usize>,
    prototypes: Vec<Prototype>,
}

/// Numbers of owners; 0 is none.
pub(crate) fn owner() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The handle of a row.
pub(crate) fn handle(owner: u32, row: usize) -> u64 {
    u64::from(owner) << 32 | row as u64 & 0xffff_ffff
}

/// What a handle stands for.
pub(crate) fn row<T: Copy>(owner: u32, table: &[T], handle: u64, what: &str) -> Result<T, Failure> {
    let of_owner = handle >> 32 == u64::from(owner);
    let row = table.get((handle & 0xffff_ffff) as usize).filter(|_| of_owner);
    row.copied().ok_or_else(|| misuse(&format!("{what} that is not of this owner, or none")))
}

impl Inner {
    pub(crate) fn func(&self, func: SysycFunction) -> Result<Func, Failure> {
        row(self.owner, &self.funcs, func.id, "a function")
    }

    pub(crate) fn global(&self, global: SysycGlobal) -> Result<Global, Failure> {
        row(self.owner, &self.globals, global.id, "a datum")
    }

    pub(crate) fn prototype(&self, prototype: SysycPrototype) -> Result<Prototype, Failure> {
        row(self.owner, &self.prototypes, prototype.id, "a prototype")
    }

    /// The handle of a function.
    fn note_func(&mut self, func: Func) -> SysycFunction {
        let row = *self.func_rows.entry(func).or_insert(self.funcs.len());
        if row == self.funcs.len() {
            self.funcs.push(func);
        }
        SysycFunction { id: handle(self.owner, row) }
    }

    fn note_global(&mut self, global: Global) -> SysycGlobal {
        let row = *self.global_rows.entry(global).or_insert(self.globals.len());
        if row == self.globals.len() {
            self.globals.push(global);
        }
        SysycGlobal { id: handle(self.owner, row) }
    }

    /// The handle of what is in a row.
    pub(crate) fn handle(&self, row: usize) -> u64 {
        handle(self.owner, row)
    }
}

impl SysycModule {
    pub(crate) fn of(module: Module) -> Box<SysycModule> {
        let (funcs, globals, prototypes) = (Vec::new(), Vec::new(), Vec::new());
        let (func_rows, global_rows) = (HashMap::new(), HashMap::new());
        let inner = Inner { module, owner: owner(), funcs, func_rows, globals, global_rows, prototypes };
        Box::new(SysycModule(Arc::new(inner)))
    }
}

/// A module that is to be changed.
///
/// # Safety
/// `module` is NULL or was given by this library, has not been freed, and nothing else uses it meanwhile.
pub(crate) unsafe fn changed<'a>(module: *mut SysycModule) -> Result<&'a mut Inner, Failure> {
    // SAFETY: the caller promises it.
    let module = unsafe { module.as_mut() }.ok_or_else(|| misuse("the module is NULL"))?;
    Arc::get_mut(&mut module.0)
        .ok_or_else(|| misuse("the module cannot be changed while there are builders of its functions"))
}

/// A function of a module.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct SysycFunction {
    id: u64,
}

/// A datum of a module.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct SysycGlobal {
    id: u64,
}

/// A signature that a module knows.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct SysycPrototype {
    id: u64,
}

/// A parameter or result.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycParam {
    ty: u32,
    extension: u32,
}

/// What a function takes and gives. `size` is that of the struct as the caller knows it.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycSignature {
    size: usize,
    params: *const SysycParam,
    count: usize,
    result: SysycParam,
    variadic: u32,
    result_in_memory: u32,
    by_value: *const SysycByValue,
    by_value_count: usize,
}

/// A parameter whose contents are passed.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycByValue {
    param: u32,
    bytes: u32,
    align: u32,
}

/// Bytes of a signature of the first version, which ends behind `result_in_memory`.
const FIRST_SIGNATURE: usize = 3 * size_of::<usize>() + 16;

/// An address in data.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycAddress {
    at: u32,
    function: SysycFunction,
    global: SysycGlobal,
    offset: i64,
}

/// What a datum holds. `size` is that of the struct as the caller knows it.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycData {
    size: usize,
    bytes: *const u8,
    length: usize,
    align: u32,
    constant: u32,
    section: *const c_char,
    addresses: *const SysycAddress,
    count: usize,
    is_thread_local: u32,
}

/// Bytes of data of the first version, which end behind `count`.
const FIRST_DATA: usize = 6 * size_of::<usize>() + 8;

const TYPES: [Type; 9] =
    [Type::Void, Type::I1, Type::I8, Type::I16, Type::I32, Type::I64, Type::F32, Type::F64, Type::Ptr];

/// The type of a number of the header.
pub(crate) fn ty(number: u32) -> Result<Type, Failure> {
    TYPES.get(number as usize).copied().ok_or_else(|| misuse(&format!("there is no type {number}")))
}

fn linkage(number: u32) -> Result<Linkage, Failure> {
    let all = [
        Linkage::Export,
        Linkage::Weak,
        Linkage::Local,
        Linkage::Import,
        Linkage::WeakImport,
        Linkage::Common,
    ];
    all.get(number as usize).copied().ok_or_else(|| misuse(&format!("there is no linkage {number}")))
}

fn extension(number: u32) -> Result<Option<Extension>, Failure> {
    match number {
        0 => Ok(None),
        1 => Ok(Some(Extension::Zero)),
        2 => Ok(Some(Extension::Sign)),
        _ => Err(misuse(&format!("there is no extension {number}"))),
    }
}

/// A signature, of NULL one that takes and gives nothing.
///
/// # Safety
/// `signature` is NULL or leads to a struct that is as large as its first member says, with as many parameters as it says.
unsafe fn signature(signature: *const SysycSignature) -> Result<Signature, Failure> {
    if signature.is_null() {
        return Ok(Signature::new());
    }
    let nothing = SysycParam { ty: 0, extension: 0 };
    let (params, by_value) = (std::ptr::null(), std::ptr::null());
    let mut given = SysycSignature {
        size: 0,
        params,
        count: 0,
        result: nothing,
        variadic: 0,
        result_in_memory: 0,
        by_value,
        by_value_count: 0,
    };
    // SAFETY: the caller promises that there is a size, and so many bytes; all bit patterns of integers and raw pointers are
    // values. Of a struct that is shorter than the first version nothing is read but its size.
    unsafe {
        let size = *signature.cast::<usize>();
        if size < FIRST_SIGNATURE {
            return Err(misuse("the size of the signature is none"));
        }
        let known =
            if size < size_of::<SysycSignature>() { FIRST_SIGNATURE } else { size_of::<SysycSignature>() };
        std::ptr::copy_nonoverlapping(signature.cast::<u8>(), (&raw mut given).cast::<u8>(), known);
    }
    let mut made = Signature::new();
    // SAFETY: the caller promises as many of both.
    let (params, by_value) = unsafe {
        let by_value = slice(given.by_value, given.by_value_count, "the list of parameters by value")?;
        (slice(given.params, given.count, "the list of parameters")?, by_value)
    };
    for (k, param) in params.iter().enumerate() {
        let by_value = by_value.iter().find(|row| row.param as usize == k);
        made = match (by_value, extension(param.extension)?) {
            (Some(row), None) if ty(param.ty)? == Type::Ptr => made.param_by_value(row.bytes, row.align),
            (Some(_), _) => return Err(misuse("what is passed by value is a ptr that is not extended")),
            (None, None) => made.param(ty(param.ty)?),
            (None, Some(extension)) => made.param_as(ty(param.ty)?, extension),
        };
    }
    if by_value.iter().any(|row| row.param as usize >= params.len()) {
        return Err(misuse("there is no such parameter to be passed by value"));
    }
    made = match (ty(given.result.ty)?, extension(given.result.extension)?) {
        (Type::Void, _) => made,
        (ty, None) => made.result(ty),
        (ty, Some(extension)) => made.result_as(ty, extension),
    };
    made = if given.variadic == 0 { made } else { made.variadic() };
    Ok(if given.result_in_memory == 0 { made } else { made.result_in_memory() })
}

/// Data, with handles of what they lead to.
///
/// # Safety
/// `data` leads to a struct that is as large as its first member says, or is NULL; its pointers lead to as much as it says.
unsafe fn data(inner: &Inner, data: *const SysycData) -> Result<Data, Failure> {
    if data.is_null() {
        return Err(misuse("the data are NULL"));
    }
    let mut given = SysycData {
        size: 0,
        bytes: std::ptr::null(),
        length: 0,
        align: 0,
        constant: 0,
        section: std::ptr::null(),
        addresses: std::ptr::null(),
        count: 0,
        is_thread_local: 0,
    };
    // SAFETY: the caller promises that there is a size, and so many bytes; all bit patterns of integers and raw pointers are
    // values. Of a struct that is shorter than the first version nothing is read but its size.
    unsafe {
        let size = *data.cast::<usize>();
        if size < FIRST_DATA {
            return Err(misuse("the size of the data is none"));
        }
        let known = if size < size_of::<SysycData>() { FIRST_DATA } else { size_of::<SysycData>() };
        std::ptr::copy_nonoverlapping(data.cast::<u8>(), (&raw mut given).cast::<u8>(), known);
    }
    let mut made = if given.bytes.is_null() {
        Data::zeros(u32::try_from(given.length).unwrap_or(u32::MAX))
    } else {
        // SAFETY: the caller promises as many bytes.
        Data::bytes(unsafe { slice(given.bytes, given.length, "the bytes of the data") }?)
    };
    made = made.align(given.align.max(1));
    if given.constant != 0 {
        made = made.constant();
    }
    if given.is_thread_local != 0 {
        made = made.thread_local();
    }
    if !given.section.is_null() {
        // SAFETY: the caller promises a string.
        made = made.section(unsafe { string(given.section, "the section") }?);
    }
    // SAFETY: the caller promises as many.
    for address in unsafe { slice(given.addresses, given.count, "the list of addresses") }? {
        made = match address.function.id {
            0 => made.address(address.at, inner.global(address.global)?, address.offset),
            _ => made.function_address(address.at, inner.func(address.function)?),
        };
    }
    Ok(made)
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_new(
    target: *const c_char,
    module: *mut *mut SysycModule,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(module, message, || {
            let target = Target::new(string(target, "the target")?).map_err(failure)?;
            Ok(SysycModule::of(Module::new(target)))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_function(
    module: *mut SysycModule,
    name: *const c_char,
    of: *const SysycSignature,
    linked: u32,
    function: *mut SysycFunction,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_plain(function, message, SysycFunction::default(), || {
            let (inner, name) = (changed(module)?, string(name, "the name")?);
            let func = inner.module.function(name, signature(of)?, linkage(linked)?).map_err(failure)?;
            Ok(inner.note_func(func))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_prototype(
    module: *mut SysycModule,
    of: *const SysycSignature,
    prototype: *mut SysycPrototype,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_plain(prototype, message, SysycPrototype::default(), || {
            let inner = changed(module)?;
            let made = inner.module.prototype(signature(of)?).map_err(failure)?;
            inner.prototypes.push(made);
            Ok(SysycPrototype { id: handle(inner.owner, inner.prototypes.len() - 1) })
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_take_address(
    module: *mut SysycModule,
    function: SysycFunction,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let inner = changed(module)?;
            let func = inner.func(function)?;
            inner.module.take_address(func).map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_use_cleanups(
    module: *mut SysycModule,
    function: SysycFunction,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let inner = changed(module)?;
            let func = inner.func(function)?;
            inner.module.use_cleanups(func).map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_set_section(
    module: *mut SysycModule,
    function: SysycFunction,
    section: *const c_char,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let (inner, section) = (changed(module)?, string(section, "the section")?);
            let func = inner.func(function)?;
            inner.module.set_section(func, section).map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_set_relocation_model(
    module: *mut SysycModule,
    model: u32,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let inner = changed(module)?;
            inner.module.set_relocation_model(choice(&MODELS, model, "relocation model")?);
            Ok(())
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_set_visibility(
    module: *mut SysycModule,
    function: SysycFunction,
    visibility: u32,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let inner = changed(module)?;
            let func = inner.func(function)?;
            let visibility = choice(&VISIBILITIES, visibility, "visibility")?;
            inner.module.set_visibility(func, visibility).map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_set_data_visibility(
    module: *mut SysycModule,
    global: SysycGlobal,
    visibility: u32,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let inner = changed(module)?;
            let global = inner.global(global)?;
            let visibility = choice(&VISIBILITIES, visibility, "visibility")?;
            inner.module.set_data_visibility(global, visibility).map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_set_thread_model(
    module: *mut SysycModule,
    global: SysycGlobal,
    model: u32,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let inner = changed(module)?;
            let global = inner.global(global)?;
            let model = choice(&THREAD_MODELS, model, "model of thread-local data")?;
            inner.module.set_thread_model(global, model).map_err(failure)
        })
    }
}

const MODELS: [RelocationModel; 3] = [RelocationModel::Static, RelocationModel::Pie, RelocationModel::Pic];
const VISIBILITIES: [Visibility; 3] = [Visibility::Default, Visibility::Protected, Visibility::Hidden];
const THREAD_MODELS: [ThreadModel; 4] = [
    ThreadModel::GeneralDynamic,
    ThreadModel::LocalDynamic,
    ThreadModel::InitialExec,
    ThreadModel::LocalExec,
];

/// What a number of the header stands for.
fn choice<T: Copy>(rows: &[T], number: u32, what: &str) -> Result<T, Failure> {
    rows.get(number as usize).copied().ok_or_else(|| misuse(&format!("there is no {what} {number}")))
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_data(
    module: *mut SysycModule,
    name: *const c_char,
    contents: *const SysycData,
    linked: u32,
    global: *mut SysycGlobal,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_plain(global, message, SysycGlobal::default(), || {
            let (inner, name) = (changed(module)?, string(name, "the name")?);
            let contents = data(inner, contents)?;
            let global = inner.module.data(name, contents, linkage(linked)?).map_err(failure)?;
            Ok(inner.note_global(global))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_define_data(
    module: *mut SysycModule,
    global: SysycGlobal,
    contents: *const SysycData,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let inner = changed(module)?;
            let (global, contents) = (inner.global(global)?, data(inner, contents)?);
            inner.module.define_data(global, contents).map_err(failure)
        })
    }
}

/// Functions that let bodies use something.
macro_rules! uses {
    ($(fn $name:ident($module:ident $(, $arg:ident: $of:ty)*) $body:block)*) => {$(
        /// See the header.
        ///
        /// # Safety
        /// As the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            module: *mut SysycModule,
            $($arg: $of,)*
            message: *mut *mut SysycBuffer,
        ) -> Status {
            // SAFETY: the caller promises what is asked for here.
            unsafe {
                guard_done(message, || {
                    let $module = &mut changed(module)?.module;
                    $body
                })
            }
        }
    )*};
}

uses! {
    fn sysyc_module_use_atomics(module, of: u32) {
        module.use_atomics(ty(of)?).map_err(failure)
    }

    fn sysyc_module_use_stack(module) {
        module.use_stack().map_err(failure)
    }

    fn sysyc_module_use_library(module) {
        module.use_library().map_err(failure)
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_find_function(
    module: *mut SysycModule,
    name: *const c_char,
    function: *mut SysycFunction,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_plain(function, message, SysycFunction::default(), || {
            let (inner, name) = (changed(module)?, string(name, "the name")?);
            let none = || misuse(&format!("there is no function '{name}'"));
            let func = inner.module.find_function(name).ok_or_else(none)?;
            Ok(inner.note_func(func))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_find_data(
    module: *mut SysycModule,
    name: *const c_char,
    global: *mut SysycGlobal,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_plain(global, message, SysycGlobal::default(), || {
            let (inner, name) = (changed(module)?, string(name, "the name")?);
            let none = || misuse(&format!("there is no datum '{name}'"));
            let found = inner.module.find_data(name).ok_or_else(none)?;
            Ok(inner.note_global(found))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_verify(
    module: *const SysycModule,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_done(message, || {
            let module = reference(module, "the module")?;
            module.0.module.verify().map_err(failure)
        })
    }
}
