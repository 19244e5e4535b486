//! Cranelift as the builder: its own frontend makes SSA, contexts are used again from function to function, the
//! verifier is off.

use crate::Side;
use crate::body::{Bin, Build, VARIABLES, body};
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, ExtFuncData, ExternalName, FuncRef, InstBuilder, MemFlagsData, Signature,
    UserExternalName, UserFuncName, Value,
};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa, lookup_by_name};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};

pub struct Theirs {
    isa: OwnedTargetIsa,
    ctx: Context,
    builder: FunctionBuilderContext,
    plane: ControlPlane,
}

impl Theirs {
    pub fn new(target: &str, opt_level: &str, allocator: &str) -> Theirs {
        let mut flags = settings::builder();
        for (name, value) in [
            ("opt_level", opt_level),
            ("regalloc_algorithm", allocator),
            ("enable_verifier", "false"),
            ("unwind_info", "false"),
        ] {
            flags.set(name, value).expect("it is known");
        }
        let isa = lookup_by_name(&format!("{target}-unknown-linux-gnu")).expect("a target");
        let isa = isa.finish(settings::Flags::new(flags)).expect("settings that fit");
        let (ctx, builder) = (Context::new(), FunctionBuilderContext::new());
        Theirs { isa, ctx, builder, plane: ControlPlane::default() }
    }
}

fn signature(params: &[cranelift_codegen::ir::Type]) -> Signature {
    let mut signature = Signature::new(CallConv::SystemV);
    signature.params.extend(params.iter().map(|&ty| AbiParam::new(ty)));
    signature.returns.push(AbiParam::new(I32));
    signature
}

impl Side for Theirs {
    fn function(&mut self, k: usize, to_code: bool) -> (u64, usize) {
        self.ctx.clear();
        self.ctx.func.name = UserFuncName::user(0, k as u32);
        self.ctx.func.signature = signature(&[I32, I32, I32, I64]);
        let mut f = FunctionBuilder::new(&mut self.ctx.func, &mut self.builder);
        let entry = f.create_block();
        f.append_block_params_for_function_params(entry);
        f.switch_to_block(entry);
        f.seal_block(entry);
        let mut params = [Value::from_u32(0); 4];
        params.copy_from_slice(f.block_params(entry));
        let variables = [(); VARIABLES].map(|()| f.declare_var(I32));
        let name = f.func.declare_imported_user_function(UserExternalName { namespace: 1, index: 0 });
        let signature = f.import_signature(signature(&[I32, I32]));
        let callee =
            ExtFuncData { name: ExternalName::user(name), signature, colocated: true, patchable: false };
        let callee = f.import_function(callee);
        let mut b = Builder { f, params, variables, callee };
        let count = body(k, &mut b);
        b.f.finalize(self.isa.frontend_config());
        if !to_code {
            return (count, 0);
        }
        let code = self.ctx.compile(&*self.isa, &mut self.plane).expect("it has code");
        (count, code.code_buffer().len())
    }
}

struct Builder<'a> {
    f: FunctionBuilder<'a>,
    params: [Value; 4],
    variables: [Variable; VARIABLES],
    callee: FuncRef,
}

impl Build for Builder<'_> {
    type Val = Value;
    type Block = Block;

    fn param(&mut self, k: usize) -> Value {
        self.params[k]
    }

    fn int(&mut self, x: i32) -> Value {
        self.f.ins().iconst(I32, i64::from(x))
    }

    fn get(&mut self, variable: usize) -> Value {
        self.f.use_var(self.variables[variable])
    }

    fn set(&mut self, variable: usize, v: Value) {
        self.f.def_var(self.variables[variable], v);
    }

    fn bin(&mut self, op: Bin, a: Value, b: Value) -> Value {
        let ins = self.f.ins();
        match op {
            Bin::Add => ins.iadd(a, b),
            Bin::Sub => ins.isub(a, b),
            Bin::Mul => ins.imul(a, b),
            Bin::And => ins.band(a, b),
            Bin::Or => ins.bor(a, b),
            Bin::Xor => ins.bxor(a, b),
        }
    }

    fn shl(&mut self, a: Value, bits: i32) -> Value {
        self.f.ins().ishl_imm_u(a, i64::from(bits))
    }

    fn lshr(&mut self, a: Value, bits: i32) -> Value {
        self.f.ins().ushr_imm_u(a, i64::from(bits))
    }

    fn less(&mut self, a: Value, b: Value) -> Value {
        self.f.ins().icmp(IntCC::SignedLessThan, a, b)
    }

    fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        self.f.ins().select(condition, a, b)
    }

    fn element(&mut self, base: Value, index: Value) -> Value {
        let index = self.f.ins().sextend(I64, index);
        let offset = self.f.ins().ishl_imm_u(index, 2);
        self.f.ins().iadd(base, offset)
    }

    fn load(&mut self, address: Value) -> Value {
        self.f.ins().load(I32, MemFlagsData::trusted(), address, 0)
    }

    fn store(&mut self, v: Value, address: Value) {
        self.f.ins().store(MemFlagsData::trusted(), v, address, 0);
    }

    fn call(&mut self, a: Value, b: Value) -> Value {
        let call = self.f.ins().call(self.callee, &[a, b]);
        self.f.inst_results(call)[0]
    }

    fn block(&mut self) -> Block {
        self.f.create_block()
    }

    fn switch_to(&mut self, block: Block) {
        self.f.switch_to_block(block);
    }

    fn seal(&mut self, block: Block) {
        self.f.seal_block(block);
    }

    fn br(&mut self, to: Block) {
        self.f.ins().jump(to, &[]);
    }

    fn cond_br(&mut self, condition: Value, yes: Block, no: Block) {
        self.f.ins().brif(condition, yes, &[], no, &[]);
    }

    fn ret(&mut self, v: Value) {
        self.f.ins().return_(&[v]);
    }
}
