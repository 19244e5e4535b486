//! The backend of `sysyc` behind a C ABI; `include/sysyc.h` says what each function does.
//!
//! The one place of the repository with `unsafe`: raw pointers become references or boxes here, and everything else is
//! `sysyc::backend`. Panics end in a status (`guard`). The functions rely on what the header asks of callers: that
//! pointers are NULL or lead to what their type says, for the length that is given, and live while the call runs.
//!
//! | file | holds |
//! | --- | --- |
//! | `declare` | functions, data and signatures of a module |
//! | `build` | the builder of bodies |
//! | `memory` | functions to code one by one |

mod build;
mod declare;
mod memory;

use declare::Inner;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use sysyc::backend::{CancelToken, Error, ErrorKind, Level, Linker, Module, Object, Options, Pool, Target};

/// What came of a call; see the header.
#[repr(C)]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// An argument means nothing.
    Misuse = 1,
    /// The text is no module.
    Parse = 2,
    /// The machine cannot do it.
    Unsupported = 3,
    /// Names are missing, or there twice.
    Link = 4,
    /// A bug.
    Internal = 5,
    /// The caller has cancelled it.
    Cancelled = 6,
}

/// A module in memory. Builders share it; what changes it has to be the only one that has it.
#[derive(Debug)]
pub struct SysycModule(Arc<Inner>);

/// Cancels compilations.
#[derive(Debug)]
pub struct SysycCancel(CancelToken);

/// Threads for any number of compilations.
#[derive(Debug)]
pub struct SysycPool(Pool);

/// Bytes, with a zero behind them; of a message also which line and column of the text it is about, from 1, or 0.
#[derive(Debug)]
pub struct SysycBuffer {
    bytes: Vec<u8>,
    position: (u32, u32),
}

/// How to compile. `size` is that of the struct as the caller knows it.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycOptions {
    /// `sizeof(sysyc_options)` of the caller.
    pub size: usize,
    /// 0 to 3.
    pub level: u32,
    /// How many threads.
    pub threads: u32,
    /// Not 0: verify.
    pub verify: u32,
    /// Not 0: tables for unwinders.
    pub unwind_tables: u32,
    /// What may cancel it, or NULL.
    pub cancel: *const SysycCancel,
    /// Threads that are there already, or NULL.
    pub pool: *const SysycPool,
}

/// Bytes of the options of the first version, of which the last four are padding.
const FIRST_OPTIONS: usize = 24;

/// An object or archive in memory.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycInput {
    /// For messages.
    pub name: *const c_char,
    /// The file.
    pub bytes: *const u8,
    /// How long it is.
    pub size: usize,
}

/// What is wrong, for whom, and where in a text.
#[derive(Debug)]
struct Failure {
    status: Status,
    text: String,
    position: (u32, u32),
}

impl Failure {
    fn new(status: Status, text: &str) -> Failure {
        Failure { status, text: text.to_string(), position: (0, 0) }
    }
}

fn failure(error: Error) -> Failure {
    let status = match error.kind {
        ErrorKind::Misuse => Status::Misuse,
        ErrorKind::Parse => Status::Parse,
        ErrorKind::Unsupported => Status::Unsupported,
        ErrorKind::Link => Status::Link,
        ErrorKind::Cancelled => Status::Cancelled,
        _ => Status::Internal,
    };
    Failure { status, text: error.to_string(), position: error.position.unwrap_or_default() }
}

fn misuse(what: &str) -> Failure {
    Failure::new(Status::Misuse, what)
}

fn buffer(mut bytes: Vec<u8>) -> Box<SysycBuffer> {
    bytes.push(0);
    Box::new(SysycBuffer { bytes, position: (0, 0) })
}

/// Runs the body of a function: what comes of it goes to `out`, what is wrong to `message`.
///
/// # Safety
/// `out` and `message` are NULL or may be written to.
unsafe fn guard<T>(
    out: *mut *mut T,
    message: *mut *mut SysycBuffer,
    run: impl FnOnce() -> Result<Box<T>, Failure>,
) -> Status {
    // SAFETY: the caller promises it.
    unsafe { guard_plain(out, message, std::ptr::null_mut(), || run().map(Box::into_raw)) }
}

/// The same for what is not a handle; `none` stands for nothing.
///
/// # Safety
/// `out` and `message` are NULL or may be written to.
unsafe fn guard_plain<T: Copy>(
    out: *mut T,
    message: *mut *mut SysycBuffer,
    none: T,
    run: impl FnOnce() -> Result<T, Failure>,
) -> Status {
    let done = if out.is_null() {
        Err(misuse("there is no place for the result"))
    } else {
        catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err(Failure::new(Status::Internal, "the library has panicked")))
    };
    let (status, said, result) = match done {
        Ok(result) => (Status::Ok, None, result),
        Err(Failure { status, text, position }) => (status, Some((text, position)), none),
    };
    let text = said.map_or(std::ptr::null_mut(), |(text, position)| {
        let mut text = buffer(text.into_bytes());
        text.position = position;
        Box::into_raw(text)
    });
    // SAFETY: neither is NULL where it is written, and the caller promises that it may be written to. `text` came from
    // `Box::into_raw` just before.
    unsafe {
        if !out.is_null() {
            *out = result;
        }
        if message.is_null() {
            drop((!text.is_null()).then(|| Box::from_raw(text)));
        } else {
            *message = text;
        }
    }
    status
}

/// The same for what gives nothing.
///
/// # Safety
/// `message` is NULL or may be written to.
unsafe fn guard_done(message: *mut *mut SysycBuffer, run: impl FnOnce() -> Result<(), Failure>) -> Status {
    // SAFETY: what has no size may be written to any address that is not NULL, and the caller promises the rest.
    unsafe { guard_plain(std::ptr::dangling_mut(), message, (), run) }
}

/// A C string.
///
/// # Safety
/// `text` is NULL or leads to a string that ends with a zero and lives for `'a`.
unsafe fn string<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(misuse(&format!("{what} is NULL")));
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| misuse(&format!("{what} is no UTF-8")))
}

/// Bytes of a length.
///
/// # Safety
/// `bytes` is NULL or leads to `size` bytes that live for `'a`.
unsafe fn slice<'a, T>(bytes: *const T, size: usize, what: &str) -> Result<&'a [T], Failure> {
    if size == 0 {
        return Ok(&[]);
    }
    if bytes.is_null() || size.checked_mul(size_of::<T>()).is_none_or(|all| all > isize::MAX as usize) {
        return Err(misuse(&format!("{what} is NULL, or too long")));
    }
    // SAFETY: it is not NULL and no longer than memory is, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(bytes, size) })
}

/// What a handle leads to.
///
/// # Safety
/// `handle` is NULL or was given by this library and has not been freed.
unsafe fn reference<'a, T>(handle: *const T, what: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller promises it.
    unsafe { handle.as_ref() }.ok_or_else(|| misuse(&format!("{what} is NULL")))
}

/// Options as this version knows them: what the caller's has not is 0.
///
/// # Safety
/// `options` is NULL or leads to a struct of which the first member says how large it is, with handles that have not
/// been freed.
unsafe fn options(options: *const SysycOptions) -> Result<Options, Failure> {
    if options.is_null() {
        return Ok(Options::default());
    }
    // SAFETY: the caller promises that there is a size, and so many bytes.
    let size = unsafe { *options.cast::<usize>() };
    if size < size_of::<usize>() {
        return Err(misuse("the size of the options is none"));
    }
    let (cancel, pool) = (std::ptr::null(), std::ptr::null());
    let mut own = SysycOptions { size, level: 0, threads: 0, verify: 0, unwind_tables: 0, cancel, pool };
    let known =
        if size <= FIRST_OPTIONS { size.min(FIRST_OPTIONS - 4) } else { size.min(size_of::<SysycOptions>()) };
    // SAFETY: as many bytes as both have; all bit patterns of integers and raw pointers are values.
    unsafe { std::ptr::copy_nonoverlapping(options.cast::<u8>(), (&raw mut own).cast::<u8>(), known) };
    let level = *Level::ALL.get(own.level as usize).ok_or_else(|| misuse("there is no such level"))?;
    let threads = own.threads.clamp(1, 1024) as usize;
    let mut options = Options::at(level).threads(threads);
    options.verify = own.verify != 0;
    options.unwind_tables = own.unwind_tables != 0;
    // SAFETY: the caller promises that it is NULL or was given by this library and has not been freed.
    if let Some(cancel) = unsafe { own.cancel.as_ref() } {
        options = options.cancel(&cancel.0);
    }
    // SAFETY: the same.
    if let Some(pool) = unsafe { own.pool.as_ref() } {
        options = options.pool(&pool.0);
    }
    Ok(options)
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn sysyc_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_parse(
    text: *const c_char,
    size: usize,
    target: *const c_char,
    module: *mut *mut SysycModule,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(module, message, || {
            let text = slice(text.cast::<u8>(), size, "the text")?;
            let text =
                std::str::from_utf8(text).map_err(|_| Failure::new(Status::Parse, "this is no UTF-8"))?;
            let target = Target::new(string(target, "the target")?).map_err(failure)?;
            Module::parse(text, target).map(SysycModule::of).map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_free(module: *mut SysycModule) {
    if !module.is_null() {
        // SAFETY: it came from `Box::into_raw` in `guard`, and the caller promises that it is freed once.
        drop(unsafe { Box::from_raw(module) });
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_text(
    module: *const SysycModule,
    text: *mut *mut SysycBuffer,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(text, message, || {
            let module = reference(module, "the module")?;
            Ok(buffer(module.0.module.text().into_bytes()))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_assembly(
    module: *const SysycModule,
    how: *const SysycOptions,
    text: *mut *mut SysycBuffer,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(text, message, || {
            let (module, how) = (reference(module, "the module")?, options(how)?);
            let text = module.0.module.clone().assembly(&how).map_err(failure)?;
            Ok(buffer(text.into_bytes()))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_compile(
    module: *const SysycModule,
    how: *const SysycOptions,
    object: *mut *mut SysycBuffer,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(object, message, || {
            let (module, how) = (reference(module, "the module")?, options(how)?);
            let object = module.0.module.clone().compile(&how).and_then(Object::to_elf).map_err(failure)?;
            Ok(buffer(object))
        })
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn sysyc_pool_new(threads: u32) -> *mut SysycPool {
    let pool = catch_unwind(|| Box::new(SysycPool(Pool::new(threads.clamp(1, 1024) as usize))));
    pool.map_or(std::ptr::null_mut(), Box::into_raw)
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_pool_free(pool: *mut SysycPool) {
    if !pool.is_null() {
        // SAFETY: it came from `Box::into_raw` in `sysyc_pool_new`, and the caller promises that it is freed once.
        drop(unsafe { Box::from_raw(pool) });
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_link(
    target: *const c_char,
    inputs: *const SysycInput,
    count: usize,
    entry: *const c_char,
    program: *mut *mut SysycBuffer,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(program, message, || {
            let target = Target::new(string(target, "the target")?).map_err(failure)?;
            let mut linker = Linker::new(target);
            for input in slice(inputs, count, "the list of inputs")? {
                let name = string(input.name, "the name of an input")?;
                linker = linker.file(name, slice(input.bytes, input.size, name)?);
            }
            if !entry.is_null() {
                linker = linker.entry(string(entry, "the entry")?);
            }
            linker.link().map(buffer).map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_buffer_bytes(buffer: *const SysycBuffer) -> *const u8 {
    // SAFETY: the caller promises that it is NULL or a buffer.
    unsafe { buffer.as_ref() }.map_or(std::ptr::null(), |buffer| buffer.bytes.as_ptr())
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_buffer_size(buffer: *const SysycBuffer) -> usize {
    // SAFETY: the caller promises that it is NULL or a buffer.
    unsafe { buffer.as_ref() }.map_or(0, |buffer| buffer.bytes.len() - 1)
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_buffer_line(message: *const SysycBuffer) -> u32 {
    // SAFETY: the caller promises that it is NULL or a buffer.
    unsafe { message.as_ref() }.map_or(0, |message| message.position.0)
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_buffer_column(message: *const SysycBuffer) -> u32 {
    // SAFETY: the caller promises that it is NULL or a buffer.
    unsafe { message.as_ref() }.map_or(0, |message| message.position.1)
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_buffer_free(buffer: *mut SysycBuffer) {
    if !buffer.is_null() {
        // SAFETY: it came from `Box::into_raw` in `guard`, and the caller promises that it is freed once.
        drop(unsafe { Box::from_raw(buffer) });
    }
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn sysyc_cancel_new() -> *mut SysycCancel {
    Box::into_raw(Box::new(SysycCancel(CancelToken::new())))
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_cancel(cancel: *const SysycCancel) {
    // SAFETY: the caller promises that it is NULL or a handle that is not freed meanwhile.
    if let Some(cancel) = unsafe { cancel.as_ref() } {
        cancel.0.cancel();
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_cancel_free(cancel: *mut SysycCancel) {
    if !cancel.is_null() {
        // SAFETY: it came from `Box::into_raw` in `sysyc_cancel_new`, and the caller promises that it is freed once.
        drop(unsafe { Box::from_raw(cancel) });
    }
}
