//! The builder of bodies. What it is asked for gives handles, and the first thing that is wrong is kept for
//! `sysyc_builder_finish`.

use super::declare::{Inner, SysycFunction, SysycGlobal, SysycPrototype, changed, handle, owner, row, ty};
use super::{
    Failure, Status, SysycBuffer, SysycModule, failure, guard, guard_done, misuse, reference, slice,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use sysyc::backend::{
    Block, Definition, FloatPred, FunctionBuilder, IntPred, Ordering, Type, Update, Val, Variable,
};

/// The body of a function in the making.
#[derive(Debug)]
pub struct SysycBuilder {
    /// Leads into `module`, which is dropped behind it.
    f: FunctionBuilder<'static>,
    module: Arc<Inner>,
    owner: u32,
    values: Vec<Val>,
    blocks: Vec<Block>,
    variables: Vec<Variable>,
    error: Option<Failure>,
}

/// The body of a function, verified.
#[derive(Debug)]
pub struct SysycDefinition(pub(crate) Definition);

/// A value.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct SysycValue {
    id: u64,
}

/// A block.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct SysycBlock {
    id: u64,
}

/// A variable.
#[repr(C)]
#[derive(Copy, Clone, Debug, Default)]
pub struct SysycVariable {
    id: u64,
}

/// A case of a switch.
#[repr(C)]
#[derive(Copy, Clone, Debug)]
pub struct SysycCase {
    value: i64,
    to: SysycBlock,
}

type Unary = fn(&mut FunctionBuilder<'static>, Val) -> Val;
type Binary = fn(&mut FunctionBuilder<'static>, Val, Val) -> Val;
type Conversion = fn(&mut FunctionBuilder<'static>, Val, Type) -> Val;

/// By the numbers of the header, as those below.
const UNARY: [Unary; 13] = [
    FunctionBuilder::neg,
    FunctionBuilder::not,
    FunctionBuilder::abs,
    FunctionBuilder::fneg,
    FunctionBuilder::fabs,
    FunctionBuilder::count_ones,
    FunctionBuilder::leading_zeros,
    FunctionBuilder::trailing_zeros,
    FunctionBuilder::swap_bytes,
    FunctionBuilder::ftrunc,
    FunctionBuilder::floor,
    FunctionBuilder::ceil,
    FunctionBuilder::sqrt,
];

const BINARY: [Binary; 28] = [
    FunctionBuilder::add,
    FunctionBuilder::sub,
    FunctionBuilder::mul,
    FunctionBuilder::sdiv,
    FunctionBuilder::srem,
    FunctionBuilder::udiv,
    FunctionBuilder::urem,
    FunctionBuilder::and,
    FunctionBuilder::or,
    FunctionBuilder::xor,
    FunctionBuilder::shl,
    FunctionBuilder::lshr,
    FunctionBuilder::ashr,
    FunctionBuilder::smin,
    FunctionBuilder::smax,
    FunctionBuilder::umin,
    FunctionBuilder::umax,
    FunctionBuilder::smulhi,
    FunctionBuilder::umulhi,
    FunctionBuilder::fadd,
    FunctionBuilder::fsub,
    FunctionBuilder::fmul,
    FunctionBuilder::fdiv,
    FunctionBuilder::rotate_left,
    FunctionBuilder::rotate_right,
    FunctionBuilder::copysign,
    FunctionBuilder::fmin,
    FunctionBuilder::fmax,
];

const CONVERSIONS: [Conversion; 11] = [
    FunctionBuilder::zext,
    FunctionBuilder::sext,
    FunctionBuilder::trunc,
    FunctionBuilder::sitofp,
    FunctionBuilder::fptosi,
    FunctionBuilder::fpext,
    FunctionBuilder::fptrunc,
    FunctionBuilder::ptrtoint,
    FunctionBuilder::uitofp,
    FunctionBuilder::fptoui,
    FunctionBuilder::bitcast,
];

const UPDATES: [Update; 11] = [
    Update::Exchange,
    Update::Add,
    Update::Sub,
    Update::And,
    Update::Or,
    Update::Xor,
    Update::Nand,
    Update::SMin,
    Update::SMax,
    Update::UMin,
    Update::UMax,
];

fn ordering(number: u32) -> Result<Ordering, Failure> {
    numbered(&Ordering::ALL, number, "ordering")
}

fn numbered<T: Copy>(table: &[T], number: u32, what: &str) -> Result<T, Failure> {
    table.get(number as usize).copied().ok_or_else(|| misuse(&format!("there is no {what} {number}")))
}

impl SysycBuilder {
    fn val(&self, value: SysycValue) -> Result<Val, Failure> {
        row(self.owner, &self.values, value.id, "a value")
    }

    fn block(&self, block: SysycBlock) -> Result<Block, Failure> {
        row(self.owner, &self.blocks, block.id, "a block")
    }

    fn variable(&self, variable: SysycVariable) -> Result<Variable, Failure> {
        row(self.owner, &self.variables, variable.id, "a variable")
    }

    fn value(&mut self, val: Val) -> SysycValue {
        self.values.push(val);
        SysycValue { id: handle(self.owner, self.values.len() - 1) }
    }

    fn vals(&self, values: &[SysycValue]) -> Result<Vec<Val>, Failure> {
        values.iter().map(|&value| self.val(value)).collect()
    }

    /// What a call gives: the handle that is none, if that is nothing.
    fn given(&mut self, val: Option<Val>) -> SysycValue {
        val.map(|val| self.value(val)).unwrap_or_default()
    }
}

/// Does something with a builder, unless something was wrong before. What is wrong is kept.
///
/// # Safety
/// `builder` is NULL or was given by this library, has not been freed, and nothing else uses it meanwhile.
unsafe fn with<T: Default>(
    builder: *mut SysycBuilder,
    run: impl FnOnce(&mut SysycBuilder) -> Result<T, Failure>,
) -> T {
    // SAFETY: the caller promises it.
    let Some(builder) = (unsafe { builder.as_mut() }) else { return T::default() };
    if builder.error.is_some() {
        return T::default();
    }
    let panicked = |_| Err(Failure::new(Status::Internal, "the library has panicked"));
    match catch_unwind(AssertUnwindSafe(|| run(builder))).unwrap_or_else(panicked) {
        Ok(done) => done,
        Err(failure) => {
            builder.error = Some(failure);
            T::default()
        }
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_builder_new(
    module: *const SysycModule,
    function: SysycFunction,
    builder: *mut *mut SysycBuilder,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here.
    unsafe {
        guard(builder, message, || {
            let module = reference(module, "the module")?.0.clone();
            let func = module.func(function)?;
            let inner: *const Inner = Arc::as_ptr(&module);
            // SAFETY: what an `Arc` has stays where it is for as long as there is a copy of the `Arc`; the builder has
            // one, which is dropped behind what leads into it. Meanwhile it is not changed: that takes `Arc::get_mut`
            // (`changed`), which gives nothing while there are two copies.
            let f = (*inner).module.build(func).map_err(failure)?;
            let (values, blocks, variables) = (Vec::new(), Vec::new(), Vec::new());
            Ok(Box::new(SysycBuilder { f, module, owner: owner(), values, blocks, variables, error: None }))
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_builder_free(builder: *mut SysycBuilder) {
    if !builder.is_null() {
        // SAFETY: it came from `Box::into_raw` in `guard`, and the caller promises that it is freed once.
        drop(unsafe { Box::from_raw(builder) });
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_builder_finish(
    builder: *mut SysycBuilder,
    definition: *mut *mut SysycDefinition,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here. The builder came from `Box::into_raw` in `guard`, and is not
    // used any more, whatever comes of this.
    unsafe {
        let builder = if builder.is_null() { None } else { Some(Box::from_raw(builder)) };
        guard(definition, message, || {
            let SysycBuilder { f, module, error, .. } =
                *builder.ok_or_else(|| misuse("the builder is NULL"))?;
            let done = match error {
                // Of a builder in which something has panicked, nothing is used.
                Some(failure) => {
                    drop(f);
                    Err(failure)
                }
                None => f.finish().map(|body| Box::new(SysycDefinition(body))).map_err(failure),
            };
            // Behind what leads into it.
            drop(module);
            done
        })
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_definition_free(definition: *mut SysycDefinition) {
    if !definition.is_null() {
        // SAFETY: it came from `Box::into_raw` in `guard`, and the caller promises that it is freed once.
        drop(unsafe { Box::from_raw(definition) });
    }
}

/// See the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sysyc_module_define(
    module: *mut SysycModule,
    definition: *mut SysycDefinition,
    message: *mut *mut SysycBuffer,
) -> Status {
    // SAFETY: the caller promises what is asked for here. The definition came from `Box::into_raw` in `guard`, and is not
    // used any more, whatever comes of this.
    unsafe {
        let definition = if definition.is_null() { None } else { Some(Box::from_raw(definition)) };
        guard_done(message, || {
            let definition = definition.ok_or_else(|| misuse("the definition is NULL"))?;
            changed(module)?.module.define(definition.0).map_err(failure)
        })
    }
}

/// Functions that ask a builder for something.
macro_rules! builds {
    ($(fn $name:ident($b:ident $(, $arg:ident: $of:ty)*) -> $result:ty $body:block)*) => {$(
        /// See the header.
        ///
        /// # Safety
        /// As the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(builder: *mut SysycBuilder $(, $arg: $of)*) -> $result {
            let run = |$b: &mut SysycBuilder| -> Result<$result, Failure> { $body };
            // SAFETY: the caller promises that the builder is NULL or a handle that nothing else uses meanwhile.
            unsafe { with(builder, run) }
        }
    )*};
}

builds! {
    fn sysyc_build_block(b) -> SysycBlock {
        let block = b.f.create_block();
        b.blocks.push(block);
        Ok(SysycBlock { id: handle(b.owner, b.blocks.len() - 1) })
    }

    fn sysyc_build_switch_to(b, block: SysycBlock) -> () {
        let block = b.block(block)?;
        b.f.switch_to(block);
        Ok(())
    }

    fn sysyc_build_seal(b, block: SysycBlock) -> () {
        let block = b.block(block)?;
        b.f.seal(block);
        Ok(())
    }

    fn sysyc_build_is_ended(b) -> u32 {
        Ok(u32::from(b.f.is_ended()))
    }

    fn sysyc_build_param(b, k: u32) -> SysycValue {
        let val = b.f.param(k as usize);
        match b.f.type_of(val) {
            Some(_) => Ok(b.value(val)),
            None => Err(misuse(&format!("there is no parameter {k}"))),
        }
    }

    fn sysyc_build_int(b, of: u32, x: i64) -> SysycValue {
        let val = b.f.int(ty(of)?, x);
        Ok(b.value(val))
    }

    fn sysyc_build_float(b, x: f32) -> SysycValue {
        let val = b.f.float(x);
        Ok(b.value(val))
    }

    fn sysyc_build_double(b, x: f64) -> SysycValue {
        let val = b.f.double(x);
        Ok(b.value(val))
    }

    fn sysyc_build_null(b) -> SysycValue {
        let val = b.f.null();
        Ok(b.value(val))
    }

    fn sysyc_build_address(b, global: SysycGlobal) -> SysycValue {
        let global = b.module.global(global)?;
        let val = b.f.address(global);
        Ok(b.value(val))
    }

    fn sysyc_build_function_address(b, function: SysycFunction) -> SysycValue {
        let func = b.module.func(function)?;
        let val = b.f.function_address(func);
        Ok(b.value(val))
    }

    fn sysyc_build_variable(b, of: u32) -> SysycVariable {
        let variable = b.f.variable(ty(of)?);
        b.variables.push(variable);
        Ok(SysycVariable { id: handle(b.owner, b.variables.len() - 1) })
    }

    fn sysyc_build_set(b, variable: SysycVariable, value: SysycValue) -> () {
        let (variable, val) = (b.variable(variable)?, b.val(value)?);
        b.f.set(variable, val);
        Ok(())
    }

    fn sysyc_build_get(b, variable: SysycVariable) -> SysycValue {
        let variable = b.variable(variable)?;
        let val = b.f.get(variable);
        Ok(b.value(val))
    }

    fn sysyc_build_unary(b, op: u32, x: SysycValue) -> SysycValue {
        let (op, x) = (numbered(&UNARY, op, "operation")?, b.val(x)?);
        let val = op(&mut b.f, x);
        Ok(b.value(val))
    }

    fn sysyc_build_binary(b, op: u32, x: SysycValue, y: SysycValue) -> SysycValue {
        let (op, x, y) = (numbered(&BINARY, op, "operation")?, b.val(x)?, b.val(y)?);
        let val = op(&mut b.f, x, y);
        Ok(b.value(val))
    }

    fn sysyc_build_fma(b, x: SysycValue, y: SysycValue, z: SysycValue) -> SysycValue {
        let (x, y, z) = (b.val(x)?, b.val(y)?, b.val(z)?);
        let val = b.f.fma(x, y, z);
        Ok(b.value(val))
    }

    fn sysyc_build_icmp(b, pred: u32, x: SysycValue, y: SysycValue) -> SysycValue {
        let (pred, x, y) = (numbered(&IntPred::ALL, pred, "predicate")?, b.val(x)?, b.val(y)?);
        let val = b.f.icmp(pred, x, y);
        Ok(b.value(val))
    }

    fn sysyc_build_fcmp(b, pred: u32, x: SysycValue, y: SysycValue) -> SysycValue {
        let (pred, x, y) = (numbered(&FloatPred::ALL, pred, "predicate")?, b.val(x)?, b.val(y)?);
        let val = b.f.fcmp(pred, x, y);
        Ok(b.value(val))
    }

    fn sysyc_build_is_null(b, address: SysycValue) -> SysycValue {
        let address = b.val(address)?;
        let val = b.f.is_null(address);
        Ok(b.value(val))
    }

    fn sysyc_build_select(b, condition: SysycValue, x: SysycValue, y: SysycValue) -> SysycValue {
        let (condition, x, y) = (b.val(condition)?, b.val(x)?, b.val(y)?);
        let val = b.f.select(condition, x, y);
        Ok(b.value(val))
    }

    fn sysyc_build_convert(b, op: u32, x: SysycValue, to: u32) -> SysycValue {
        let (op, x, to) = (numbered(&CONVERSIONS, op, "conversion")?, b.val(x)?, ty(to)?);
        let val = op(&mut b.f, x, to);
        Ok(b.value(val))
    }

    fn sysyc_build_inttoptr(b, number: SysycValue) -> SysycValue {
        let number = b.val(number)?;
        let val = b.f.inttoptr(number);
        Ok(b.value(val))
    }

    fn sysyc_build_stack(b, bytes: u32, align: u32) -> SysycValue {
        let val = b.f.stack(bytes, align);
        Ok(b.value(val))
    }

    fn sysyc_build_load(b, of: u32, address: SysycValue) -> SysycValue {
        let (ty, address) = (ty(of)?, b.val(address)?);
        let val = b.f.load(ty, address);
        Ok(b.value(val))
    }

    fn sysyc_build_store(b, value: SysycValue, address: SysycValue) -> () {
        let (value, address) = (b.val(value)?, b.val(address)?);
        b.f.store(value, address);
        Ok(())
    }

    fn sysyc_build_load_volatile(b, of: u32, address: SysycValue) -> SysycValue {
        let (ty, address) = (ty(of)?, b.val(address)?);
        let val = b.f.load_volatile(ty, address);
        Ok(b.value(val))
    }

    fn sysyc_build_store_volatile(b, value: SysycValue, address: SysycValue) -> () {
        let (value, address) = (b.val(value)?, b.val(address)?);
        b.f.store_volatile(value, address);
        Ok(())
    }

    fn sysyc_build_index(b, address: SysycValue, index: SysycValue, scale: u32) -> SysycValue {
        let (address, index) = (b.val(address)?, b.val(index)?);
        let val = b.f.index(address, index, scale);
        Ok(b.value(val))
    }

    fn sysyc_build_memset(b, address: SysycValue, byte: SysycValue, bytes: SysycValue) -> () {
        let (address, byte, bytes) = (b.val(address)?, b.val(byte)?, b.val(bytes)?);
        b.f.memset(address, byte, bytes);
        Ok(())
    }

    fn sysyc_build_memcpy(b, to: SysycValue, from: SysycValue, bytes: SysycValue) -> () {
        let (to, from, bytes) = (b.val(to)?, b.val(from)?, b.val(bytes)?);
        b.f.memcpy(to, from, bytes);
        Ok(())
    }

    fn sysyc_build_memmove(b, to: SysycValue, from: SysycValue, bytes: SysycValue) -> () {
        let (to, from, bytes) = (b.val(to)?, b.val(from)?, b.val(bytes)?);
        b.f.memmove(to, from, bytes);
        Ok(())
    }

    fn sysyc_build_stack_alloc(b, bytes: SysycValue, align: u32) -> SysycValue {
        let bytes = b.val(bytes)?;
        let val = b.f.stack_alloc(bytes, align);
        Ok(b.value(val))
    }

    fn sysyc_build_stack_save(b) -> SysycValue {
        let val = b.f.stack_save();
        Ok(b.value(val))
    }

    fn sysyc_build_stack_restore(b, saved: SysycValue) -> () {
        let saved = b.val(saved)?;
        b.f.stack_restore(saved);
        Ok(())
    }

    fn sysyc_build_atomic_load(b, of: u32, address: SysycValue, order: u32) -> SysycValue {
        let (ty, address, order) = (ty(of)?, b.val(address)?, ordering(order)?);
        let val = b.f.atomic_load(ty, address, order);
        Ok(b.value(val))
    }

    fn sysyc_build_atomic_store(b, value: SysycValue, address: SysycValue, order: u32) -> () {
        let (value, address, order) = (b.val(value)?, b.val(address)?, ordering(order)?);
        b.f.atomic_store(value, address, order);
        Ok(())
    }

    fn sysyc_build_atomic_update(b, update: u32, address: SysycValue, value: SysycValue, order: u32) -> SysycValue {
        let (address, value, order) = (b.val(address)?, b.val(value)?, ordering(order)?);
        let val = b.f.atomic_update(numbered(&UPDATES, update, "update")?, address, value, order);
        Ok(b.value(val))
    }

    fn sysyc_build_compare_exchange(
        b,
        address: SysycValue,
        expected: SysycValue,
        new: SysycValue,
        order: u32,
        of_failure: u32
    ) -> SysycValue {
        let (address, expected, new) = (b.val(address)?, b.val(expected)?, b.val(new)?);
        let val = b.f.compare_exchange(address, expected, new, ordering(order)?, ordering(of_failure)?);
        Ok(b.value(val))
    }

    fn sysyc_build_fence(b, order: u32) -> () {
        b.f.fence(ordering(order)?);
        Ok(())
    }

    fn sysyc_build_va_list(b) -> SysycValue {
        let val = b.f.va_list();
        Ok(b.value(val))
    }

    fn sysyc_build_va_start(b, list: SysycValue) -> () {
        let list = b.val(list)?;
        b.f.va_start(list);
        Ok(())
    }

    fn sysyc_build_va_copy(b, to: SysycValue, from: SysycValue) -> () {
        let (to, from) = (b.val(to)?, b.val(from)?);
        b.f.va_copy(to, from);
        Ok(())
    }

    fn sysyc_build_va_end(b, list: SysycValue) -> () {
        let list = b.val(list)?;
        b.f.va_end(list);
        Ok(())
    }

    fn sysyc_build_va_arg(b, list: SysycValue, of: u32) -> SysycValue {
        let (list, ty) = (b.val(list)?, ty(of)?);
        let val = b.f.va_arg(list, ty);
        Ok(b.value(val))
    }

    fn sysyc_build_call(b, function: SysycFunction, args: *const SysycValue, count: usize) -> SysycValue {
        // SAFETY: the caller promises as many.
        let args = b.vals(unsafe { slice(args, count, "the list of arguments") }?)?;
        let func = b.module.func(function)?;
        let given = b.f.call(func, &args);
        Ok(b.given(given))
    }

    fn sysyc_build_call_indirect(
        b,
        prototype: SysycPrototype,
        address: SysycValue,
        args: *const SysycValue,
        count: usize
    ) -> SysycValue {
        // SAFETY: the caller promises as many.
        let args = b.vals(unsafe { slice(args, count, "the list of arguments") }?)?;
        let (prototype, address) = (b.module.prototype(prototype)?, b.val(address)?);
        let given = b.f.call_indirect(prototype, address, &args);
        Ok(b.given(given))
    }

    fn sysyc_build_call_with_cleanup(
        b,
        function: SysycFunction,
        args: *const SysycValue,
        count: usize,
        cleanup: SysycBlock
    ) -> SysycValue {
        // SAFETY: the caller promises as many.
        let args = b.vals(unsafe { slice(args, count, "the list of arguments") }?)?;
        let (func, cleanup) = (b.module.func(function)?, b.block(cleanup)?);
        let given = b.f.call_with_cleanup(func, &args, cleanup);
        Ok(b.given(given))
    }

    fn sysyc_build_call_indirect_with_cleanup(
        b,
        prototype: SysycPrototype,
        address: SysycValue,
        args: *const SysycValue,
        count: usize,
        cleanup: SysycBlock
    ) -> SysycValue {
        // SAFETY: the caller promises as many.
        let args = b.vals(unsafe { slice(args, count, "the list of arguments") }?)?;
        let (prototype, address) = (b.module.prototype(prototype)?, b.val(address)?);
        let cleanup = b.block(cleanup)?;
        let given = b.f.call_indirect_with_cleanup(prototype, address, &args, cleanup);
        Ok(b.given(given))
    }

    fn sysyc_build_resume(b) -> () {
        b.f.resume();
        Ok(())
    }

    fn sysyc_build_return_call(b, function: SysycFunction, args: *const SysycValue, count: usize) -> () {
        // SAFETY: the caller promises as many.
        let args = b.vals(unsafe { slice(args, count, "the list of arguments") }?)?;
        let func = b.module.func(function)?;
        b.f.return_call(func, &args);
        Ok(())
    }

    fn sysyc_build_return_call_indirect(
        b,
        prototype: SysycPrototype,
        address: SysycValue,
        args: *const SysycValue,
        count: usize
    ) -> () {
        // SAFETY: the caller promises as many.
        let args = b.vals(unsafe { slice(args, count, "the list of arguments") }?)?;
        let (prototype, address) = (b.module.prototype(prototype)?, b.val(address)?);
        b.f.return_call_indirect(prototype, address, &args);
        Ok(())
    }

    fn sysyc_build_br(b, to: SysycBlock) -> () {
        let to = b.block(to)?;
        b.f.br(to);
        Ok(())
    }

    fn sysyc_build_cond_br(b, condition: SysycValue, yes: SysycBlock, no: SysycBlock) -> () {
        let (condition, yes, no) = (b.val(condition)?, b.block(yes)?, b.block(no)?);
        b.f.cond_br(condition, yes, no);
        Ok(())
    }

    fn sysyc_build_switch(
        b,
        value: SysycValue,
        cases: *const SysycCase,
        count: usize,
        otherwise: SysycBlock
    ) -> () {
        // SAFETY: the caller promises as many.
        let cases = unsafe { slice(cases, count, "the list of cases") }?;
        let cases: Result<Vec<(i64, Block)>, Failure> =
            cases.iter().map(|case| Ok((case.value, b.block(case.to)?))).collect();
        let (value, otherwise) = (b.val(value)?, b.block(otherwise)?);
        b.f.switch(value, &cases?, otherwise);
        Ok(())
    }

    fn sysyc_build_ret(b, value: SysycValue) -> () {
        let value = b.val(value)?;
        b.f.ret(Some(value));
        Ok(())
    }

    fn sysyc_build_ret_void(b) -> () {
        b.f.ret(None);
        Ok(())
    }

    fn sysyc_build_unreachable(b) -> () {
        b.f.unreachable();
        Ok(())
    }
}
