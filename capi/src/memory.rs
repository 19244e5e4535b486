//! Functions to code one by one, placed where the caller has memory.

use super::build::SysycDefinition;
use super::declare::Inner;
use super::{Status, SysycBuffer, SysycCancel, SysycModule, buffer, failure, guard, guard_done, guard_plain};
use super::{misuse, reference, string};
use std::collections::HashMap;
use std::ffi::{CString, c_char, c_void};
use sysyc::backend::{Code, Codegen, JUMP_BYTES, Level, Name, Target};

/// Makes code of functions.
#[derive(Debug)]
pub struct SysycCodegen(Codegen);

/// The code of a function.
#[derive(Debug)]
pub struct SysycCode {
    code: Code,
    names: HashMap<Name, SysycName>,
    relocations: Vec<SysycRelocation>,
    /// What names lead to.
    _library: Vec<CString>,
}

/// What code wants the address of.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycName {
    function: u64,
    global: u64,
    library: *const c_char,
}

/// A place in code that depends on an address.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycRelocation {
    name: SysycName,
    offset: u32,
    addend: i32,
    reach: i64,
}

/// Says where a name is; 0 if that is not known.
pub type AddressOf = Option<unsafe extern "C" fn(context: *mut c_void, name: *const SysycName) -> u64>;

const NONE: SysycRelocation = SysycRelocation {
    name: SysycName { function: 0, global: 0, library: std::ptr::null() },
    offset: 0,
    addend: 0,
    reach: 0,
};

impl SysycCode {
    fn of(code: Code, inner: &Inner) -> Box<SysycCode> {
        let (mut names, mut relocations, mut library) = (HashMap::new(), Vec::new(), Vec::new());
        for relocation in code.relocations() {
            let name = *names.entry(relocation.name).or_insert_with(|| {
                let mut name = NONE.name;
                match relocation.name {
                    Name::Func(func) => {
                        name.function = inner.func_rows.get(&func).map_or(0, |&k| inner.handle(k))
                    }
                    Name::Global(global) => {
                        name.global = inner.global_rows.get(&global).map_or(0, |&k| inner.handle(k));
                    }
                    Name::Library(text) => {
                        let text = CString::new(text).unwrap_or_default();
                        // What it leads to stays where it is when it is moved.
                        name.library = text.as_ptr();
                        library.push(text);
                    }
                    _ => {}
                }
                name
            });
            let reach = relocation.reach.unwrap_or(0);
            let (offset, addend) = (relocation.offset, relocation.addend);
            relocations.push(SysycRelocation { name, offset, addend, reach });
        }
        Box::new(SysycCode { code, names, relocations, _library: library })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_codegen_new(
    target: *const c_char,
    level: u32,
    codegen: *mut *mut SysycCodegen,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(codegen, message, || {
            let target = Target::new(string(target, "the target")?).map_err(failure)?;
            let level = *Level::ALL.get(level as usize).ok_or_else(|| misuse("there is no such level"))?;
            Ok(Box::new(SysycCodegen(Codegen::new(&target, level))))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_codegen_unwind_tables(codegen: *mut SysycCodegen) {
    // SAFETY: the caller promises that it is NULL or a handle that nothing else uses meanwhile.
    if let Some(codegen) = unsafe { codegen.as_mut() } {
        codegen.0.unwind_tables();
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_codegen_cancel(codegen: *mut SysycCodegen, cancel: *const SysycCancel) {
    // SAFETY: the caller promises that they are NULL or handles, and that nothing else uses the first meanwhile.
    if let (Some(codegen), Some(cancel)) = unsafe { (codegen.as_mut(), cancel.as_ref()) } {
        codegen.0.cancel(&cancel.0);
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_codegen_free(codegen: *mut SysycCodegen) {
    if !codegen.is_null() {
        // SAFETY: it came from `Box::into_raw` in `guard`, and the caller promises that it is freed once.
        drop(unsafe { Box::from_raw(codegen) });
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_codegen_compile(
    codegen: *mut SysycCodegen,
    module: *const SysycModule,
    definition: *mut SysycDefinition,
    code: *mut *mut SysycCode,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here. The definition came from `Box::into_raw` in `guard`, and is not
    // used any more, whatever comes of this.
    unsafe {
        let definition = if definition.is_null() { None } else { Some(Box::from_raw(definition)) };
        guard(code, message, || {
            let definition = definition.ok_or_else(|| misuse("the definition is NULL"))?;
            let codegen = codegen.as_mut().ok_or_else(|| misuse("the code generator is NULL"))?;
            let inner = &reference(module, "the module")?.0;
            let code = codegen.0.compile(&inner.module, definition.0).map_err(failure)?;
            Ok(SysycCode::of(code, inner))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_code_size(code: *const SysycCode) -> usize {
    // SAFETY: the caller promises that it is NULL or a handle.
    unsafe { code.as_ref() }.map_or(0, |code| code.code.size())
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_code_align(code: *const SysycCode) -> u32 {
    // SAFETY: the caller promises that it is NULL or a handle.
    unsafe { code.as_ref() }.map_or(1, |code| code.code.align())
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_code_relocation(
    code: *const SysycCode,
    k: usize,
    relocation: *mut SysycRelocation,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard_plain(relocation, message, NONE, || {
            let row = reference(code, "the code")?.relocations.get(k).copied();
            row.ok_or_else(|| misuse("there are not so many relocations"))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_code_place(
    code: *const SysycCode,
    at: *mut u8,
    size: usize,
    address: u64,
    address_of: AddressOf,
    context: *mut c_void,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here: `size` bytes that nothing else uses meanwhile, and a function
    // that may be called with the context and a name.
    unsafe {
        guard_done(message, || {
            let code = reference(code, "the code")?;
            if at.is_null() || size > isize::MAX as usize {
                return Err(misuse("the memory is NULL, or too long"));
            }
            let memory = std::slice::from_raw_parts_mut(at, size);
            let done = code.code.place(memory, address, |name| {
                let (ask, name) = (address_of?, code.names.get(&name)?);
                Some(ask(context, name)).filter(|&address| address != 0)
            });
            done.map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_code_eh_frame(
    code: *const SysycCode,
    address: u64,
    table: *mut *mut SysycBuffer,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(table, message, || {
            let code = reference(code, "the code")?;
            code.code.eh_frame(address).map(buffer).map_err(failure)
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_code_free(code: *mut SysycCode) {
    if !code.is_null() {
        // SAFETY: it came from `Box::into_raw` in `guard`, and the caller promises that it is freed once.
        drop(unsafe { Box::from_raw(code) });
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_write_jump(
    target: *const c_char,
    at: *mut u8,
    address: u64,
    to: u64,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here: as many bytes as a jump has, that nothing else uses meanwhile.
    unsafe {
        guard_done(message, || {
            let target = Target::new(string(target, "the target")?).map_err(failure)?;
            if at.is_null() {
                return Err(misuse("the memory is NULL"));
            }
            let memory = std::slice::from_raw_parts_mut(at, JUMP_BYTES);
            target.write_jump(memory, address, to).map_err(failure)
        })
    }
}
