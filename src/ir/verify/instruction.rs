//! Operands, types and payload of one instruction.

use super::{Checked, Rule, VerifyError, inst_error, storable};
use crate::base::Handle;
use crate::ir::builtin::Clause;
use crate::ir::module::GlobalId;
use crate::ir::opcode::{Types, VARIABLE};
use crate::ir::types::MOST_ALIGN;
use crate::ir::{
    Access, Block, Body, Builtin, Edge, Env, Flags, FloatPred, Inst, IntPred, Op, Shape, Type, Value,
    ValueKind,
};

struct Checker<'a> {
    env: &'a Env,
    f: &'a Body,
    i: Inst,
    // What the tables say of it.
    op: Op,
    ty: Type,
    args: &'a [Value],
    /// The types of the first operands, which the rules ask for again and again.
    first: [Type; FEW],
}

/// Operands whose types are kept: few instructions have more.
const FEW: usize = 3;

/// Checks everything about an instruction that needs no other one, but for the definitions of its operands.
pub(super) fn check(env: &Env, f: &Body, i: Inst) -> Checked {
    let mut c = Checker { env, f, i, op: f.op(i), ty: f.ty(i), args: f.args(i), first: [Type::Void; FEW] };
    c.demand(f.has_vectors() || !c.ty.is_vector(), Rule::Vectors, "the result is one")?;
    for (k, &v) in c.args.iter().enumerate() {
        let ty = c.operand(k, v)?;
        if let Some(first) = c.first.get_mut(k) {
            *first = ty;
        }
    }
    c.arity()?;
    c.types()?;
    c.promises()
}

impl Checker<'_> {
    #[cold]
    fn error(&self, rule: Rule, message: impl Into<String>) -> VerifyError {
        inst_error(self.f, self.i, rule, message)
    }

    #[inline(always)]
    fn demand(&self, holds: bool, rule: Rule, message: &str) -> Checked {
        if holds { Ok(()) } else { Err(self.error(rule, message)) }
    }

    fn arg(&self, k: usize) -> Value {
        self.args.get(k).copied().unwrap_or(Value::undef(Type::Void))
    }

    #[inline(always)]
    fn arg_ty(&self, k: usize) -> Type {
        match self.first.get(k) {
            Some(&ty) => ty,
            None => self.f.type_of(self.arg(k)),
        }
    }

    /// The operand is something, and not void; its type.
    #[inline(always)]
    fn operand(&self, k: usize, v: Value) -> Result<Type, VerifyError> {
        let (f, env) = (self.f, self.env);
        let exists = match v.kind() {
            ValueKind::Inst(def) => {
                def.index() < f.inst_count() && (f.block_of(def).is_some() || f.op(def) == Op::Param)
            }
            ValueKind::Global(global) => global.index() < env.globals.len(),
            ValueKind::Request(request) => request.index() < f.requests.len(),
            ValueKind::Undef(ty) => ty != Type::Void,
            ValueKind::Int(_) | ValueKind::Small(..) | ValueKind::Const(_) => true,
        };
        if exists {
            let ty = f.type_of(v);
            if ty != Type::Void && (f.has_vectors() || !ty.is_vector()) {
                return Ok(ty);
            }
        }
        Err(self.no_operand(k, exists))
    }

    #[cold]
    fn no_operand(&self, k: usize, exists: bool) -> VerifyError {
        let v = self.arg(k);
        if !exists {
            return self.error(Rule::Operand, format!("operand {k}, {v:?}, stands nowhere"));
        }
        if self.f.type_of(v) == Type::Void {
            return self.error(Rule::NoVoid, format!("operand {k}, {v:?}, is void"));
        }
        self.error(Rule::Vectors, format!("operand {k}, {v:?}, is one"))
    }

    fn arity(&self) -> Checked {
        let (have, op) = (self.args.len(), self.op);
        let good = match op {
            Op::ElemAddr => have >= 2,
            Op::MemInit => have == 1 || have == 2,
            Op::Ret => have <= 1,
            Op::Call | Op::Phi => true,
            _ => op.row().operands != VARIABLE && have == op.row().operands as usize,
        };
        if good {
            Ok(())
        } else {
            Err(self.error(Rule::Arity, format!("{} with {have} operands", op.row().name)))
        }
    }

    fn promises(&self) -> Checked {
        let (f, i) = (self.f, self.i);
        self.demand(Flags::of(self.op).has(f.flags(i)), Rule::Flags, "the opcode has not these flags")?;
        let Access { align } = f.access(i);
        if align == 0 {
            return Ok(());
        }
        self.demand(Access::is_of(self.op), Rule::Access, "does not access memory")?;
        let good = align.is_power_of_two() && align <= MOST_ALIGN;
        self.demand(good, Rule::Access, &format!("an alignment of {align}"))
    }

    /// The result has this type.
    fn result(&self, ty: Type) -> Checked {
        if self.ty == ty {
            return Ok(());
        }
        let op = self.op.row().name;
        let message = format!("{op} yields {}, not {}", ty.name(), self.ty.name());
        Err(self.error(Rule::ResultType, message))
    }

    fn operand_is(&self, k: usize, ty: Type) -> Checked {
        if self.arg_ty(k) == ty {
            return Ok(());
        }
        let message = format!("operand {k} is {}, not {}", self.arg_ty(k).name(), ty.name());
        Err(self.error(Rule::OperandType, message))
    }

    fn address(&self, k: usize) -> Checked {
        if self.arg_ty(k) == Type::Ptr {
            return Ok(());
        }
        Err(self.error(Rule::Address, format!("the address is {}", self.arg_ty(k).name())))
    }

    fn types(&self) -> Checked {
        let (f, i) = (self.f, self.i);
        let (op, ty, payload) = (self.op, self.ty, f.payload(i) as usize);
        match op {
            Op::Param => Ok(()),
            _ if op.row().types != Types::Own => self.by_row(op.row().types, ty),
            Op::ICmp => {
                self.demand(payload < IntPred::ALL.len(), Rule::Payload, "no such predicate")?;
                self.truth_of_lanes()?;
                let good = self.arg_ty(0).element().is_int() || self.arg_ty(0) == Type::Ptr;
                self.demand(good, Rule::OperandType, "compares neither integers nor pointers")?;
                self.operand_is(1, self.arg_ty(0))
            }
            Op::FCmp => {
                self.demand(payload < FloatPred::ALL.len(), Rule::Payload, "no such predicate")?;
                self.truth_of_lanes()?;
                self.demand(
                    self.arg_ty(0).element().is_float(),
                    Rule::OperandType,
                    "does not compare floats",
                )?;
                self.operand_is(1, self.arg_ty(0))
            }
            Op::Select => {
                self.demand(ty != Type::Void, Rule::ResultType, "selects nothing")?;
                if self.arg_ty(0) != Type::I1 {
                    self.is_mask(0, ty)?;
                }
                self.operand_is(1, ty)?;
                self.operand_is(2, ty)
            }
            Op::Splat => {
                self.demand(ty.is_vector(), Rule::ResultType, "not a vector")?;
                self.operand_is(0, ty.element())
            }
            Op::ExtractLane => {
                self.is_vector(0)?;
                self.demand(payload < self.arg_ty(0).lanes() as usize, Rule::Payload, "no such lane")?;
                self.result(self.arg_ty(0).element())
            }
            Op::InsertLane => {
                self.is_vector(0)?;
                self.demand(payload < ty.lanes() as usize, Rule::Payload, "no such lane")?;
                self.operand_is(0, ty)?;
                self.operand_is(1, ty.element())
            }
            Op::Splice | Op::ZipLow | Op::ZipHigh => {
                self.demand(ty.is_vector(), Rule::ResultType, "not a vector")?;
                self.operand_is(0, ty)?;
                self.operand_is(1, ty)
            }
            Op::ReduceFAdd => {
                self.is_vector(1)?;
                self.demand(ty.is_float(), Rule::ResultType, "not a floating type")?;
                self.operand_is(0, ty)?;
                self.demand(self.arg_ty(1).element() == ty, Rule::OperandType, "lanes of another type")
            }
            Op::MaskedLoad | Op::StridedLoad => {
                let good = ty.is_vector() && storable(ty);
                self.demand(good, Rule::ResultType, "memory holds no such vector")?;
                self.address(0)?;
                if op == Op::StridedLoad {
                    return self.operand_is(1, Type::I64);
                }
                self.is_mask(1, ty)?;
                self.operand_is(2, ty)
            }
            Op::MaskedStore | Op::StridedStore => {
                self.result(Type::Void)?;
                self.is_vector(0)?;
                self.demand(storable(self.arg_ty(0)), Rule::OperandType, "memory holds no such type")?;
                self.address(1)?;
                match op {
                    Op::MaskedStore => self.is_mask(2, self.arg_ty(0)),
                    _ => self.operand_is(2, Type::I64),
                }
            }
            Op::Alloca => {
                self.demand(payload < self.env.shapes.len(), Rule::Payload, "no such shape")?;
                self.result(Type::Ptr)?;
                let shape = Shape::new(payload);
                let good = storable(self.env.shapes.scalar_type(shape)) && self.env.shapes.bytes(shape) > 0;
                self.demand(good, Rule::AllocaShape, "memory cannot hold this shape")
            }
            Op::Load | Op::LoadVolatile => {
                self.demand(storable(ty), Rule::ResultType, "memory holds no such type")?;
                self.address(0)
            }
            Op::Store | Op::StoreVolatile => {
                self.result(Type::Void)?;
                self.demand(storable(self.arg_ty(0)), Rule::OperandType, "memory holds no such type")?;
                self.address(1)
            }
            Op::ElemAddr => self.elem_addr(payload),
            Op::MemInit => self.mem_init(),
            Op::MemSet | Op::MemCopy => {
                self.result(Type::Void)?;
                self.address(0)?;
                self.operand_is(1, if op == Op::MemSet { Type::I8 } else { Type::Ptr })?;
                let good = matches!(self.arg_ty(2), Type::I32 | Type::I64);
                self.demand(good, Rule::OperandType, "a length is neither i32 nor i64")
            }
            Op::PtrToInt | Op::IntToPtr => {
                let (of, wide) = (self.arg_ty(0), self.env.shapes.bytes_of(Type::Ptr));
                let (pointer, number) = if op == Op::PtrToInt { (of, ty) } else { (ty, of) };
                let good = |x: Type| x.is_int() && x.bytes() == wide;
                self.demand(
                    op == Op::PtrToInt || ty == Type::Ptr,
                    Rule::ResultType,
                    "the result is no address",
                )?;
                self.demand(pointer == Type::Ptr, Rule::OperandType, "the operand is no address")?;
                self.demand(good(number), Rule::OperandType, "the number is not as wide as an address")
            }
            Op::Call => self.call(),
            Op::Phi => {
                self.demand(ty != Type::Void, Rule::ResultType, "a phi of nothing")?;
                (0..self.args.len()).try_for_each(|k| self.operand_is(k, ty))
            }
            Op::CondBr => {
                self.result(Type::Void)?;
                self.operand_is(0, Type::I1)
            }
            Op::Switch => {
                self.result(Type::Void)?;
                let of = self.arg_ty(0);
                self.demand(
                    matches!(of, Type::I32 | Type::I64),
                    Rule::OperandType,
                    "the number is neither an i32 nor an i64",
                )?;
                let count = self.f.as_int(self.args[1]);
                let good = self.arg_ty(1) == Type::I32 && count.is_some_and(|n| n > 0);
                self.demand(good, Rule::OperandType, "the number of edges is not a number of type i32 from 1")
            }
            Op::Ret => self.ret(),
            _ => self.result(Type::Void),
        }
    }

    /// The result is i1, or as many lanes of it as the operands have.
    fn truth_of_lanes(&self) -> Checked {
        self.result(self.arg_ty(0).of_element(Type::I1).unwrap_or(Type::Void))
    }

    /// An operand is a vector.
    fn is_vector(&self, k: usize) -> Checked {
        self.demand(self.arg_ty(k).is_vector(), Rule::OperandType, "the operand is not a vector")
    }

    /// An operand says of each lane of `ty`, a vector, yes or no.
    fn is_mask(&self, k: usize, ty: Type) -> Checked {
        self.operand_is(k, ty.of_element(Type::I1).unwrap_or(Type::Void))
    }

    fn by_row(&self, types: Types, to: Type) -> Checked {
        let of = self.arg_ty(0);
        let (from, ty) = (of.element(), to.element());
        let (takes, yields) = match types {
            Types::Int => (from == ty, ty.is_int()),
            Types::Bytes => (from == ty, ty.is_int() && ty.bytes() > 1),
            Types::Float => (from == ty, ty.is_float()),
            Types::Widen => (from.is_int() && from.int_bits() < ty.int_bits(), ty.is_int()),
            Types::Narrow => (from.is_int() && from.int_bits() > ty.int_bits(), ty.is_int()),
            Types::IntToFloat => (from.is_int(), ty.is_float()),
            Types::FloatToInt => (from.is_float(), ty.is_int()),
            Types::FloatWiden => (from == Type::F32, ty == Type::F64),
            Types::FloatNarrow => (from == Type::F64, ty == Type::F32),
            Types::Reduce => (of.is_vector() && from == ty, ty.is_int()),
            Types::Own => (true, true),
        };
        let lanes = if types == Types::Reduce { 1 } else { of.lanes() };
        self.demand(yields && to.lanes() == lanes, Rule::ResultType, "the opcode does not yield this type")?;
        self.demand(takes, Rule::OperandType, "the opcode does not take this type")?;
        (1..self.args.len()).try_for_each(|k| self.operand_is(k, of))
    }

    fn elem_addr(&self, payload: usize) -> Checked {
        self.demand(payload < self.env.shapes.len(), Rule::Payload, "no such shape")?;
        self.result(Type::Ptr)?;
        self.address(0)?;
        let shape = Shape::new(payload);
        let indices = self.args.len() - 1;
        if indices > self.env.shapes.depth(shape) as usize + 1 {
            let message = format!("{indices} indices into {} dimensions", self.env.shapes.depth(shape));
            return Err(self.error(Rule::ElemAddr, message));
        }
        self.demand(
            storable(self.env.shapes.scalar_type(shape)),
            Rule::ElemAddr,
            "memory cannot hold this shape",
        )?;
        let good = (1..=indices).all(|k| matches!(self.arg_ty(k), Type::I32 | Type::I64));
        self.demand(good, Rule::ElemAddr, "an index is neither i32 nor i64")
    }

    fn mem_init(&self) -> Checked {
        self.result(Type::Void)?;
        self.address(0)?;
        if self.args.len() == 1 {
            return Ok(());
        }
        self.address(1)?;
        let from = match self.arg(1).kind() {
            ValueKind::Global(global) => self.global(global),
            ValueKind::Request(request) => {
                let request = &self.f.requests[request];
                (request.constant, request.shape)
            }
            _ => return Err(self.error(Rule::MemInit, "the source is not a global")),
        };
        let good = from.0 && self.env.shapes.bytes(from.1) >= u64::from(self.f.payload(self.i));
        self.demand(good, Rule::MemInit, "the source is not a constant, or too short")
    }

    fn global(&self, global: GlobalId) -> (bool, Shape) {
        let row = &self.env.globals[global];
        (row.constant, row.shape)
    }

    fn call(&self) -> Checked {
        let (f, i) = (self.f, self.i);
        let Some(func) = self.env.funcs.get(f.callee(i)) else {
            return Err(self.error(Rule::Payload, "no such function"));
        };
        if self.ty != func.result {
            let message = format!("yields {}, not {}", func.result.name(), self.ty.name());
            return Err(self.error(Rule::Call, message));
        }
        let (have, want) = (self.args.len(), func.params.len());
        if have < want || have > want && !func.variadic {
            return Err(self.error(Rule::Call, format!("{have} arguments for {want} parameters")));
        }
        for (k, &ty) in func.params.iter().enumerate() {
            if self.arg_ty(k) != ty {
                let message = format!("argument {k} is {}, not {}", self.arg_ty(k).name(), ty.name());
                return Err(self.error(Rule::Call, message));
            }
        }
        func.builtin.map_or(Ok(()), |builtin| self.unwinding(builtin))?;
        if f.flags(i).has(Flags::MUST_TAIL) {
            let is_return = |next: Inst| f.op(next) == Op::Ret;
            let is_own = self.ty == self.env.funcs[f.func].result && func.builtin.is_none();
            self.demand(is_own, Rule::MustTail, "the function has another result")?;
            // Any value may be returned: what the result is known to be may be a constant, an argument, or what took the place of
            // that, and to know it is not for a verifier.
            let is_last = f.next(i).is_some_and(is_return);
            self.demand(is_last, Rule::MustTail, "something stands between it and the return")?;
        }
        let good =
            (want..have).all(|k| matches!(self.arg_ty(k), Type::I32 | Type::I64 | Type::F64 | Type::Ptr));
        self.demand(good, Rule::Call, "a variadic argument is not promoted to i32, i64, double or ptr")
    }

    /// The instruction that asks whether an exception has left a call, if a block's branch depends on one.
    fn question(&self, b: Block) -> Option<Inst> {
        let (f, env) = (self.f, self.env);
        let branch = f.terminator(b).filter(|&end| f.op(end) == Op::CondBr)?;
        let asked = f.arg(branch, 0).as_inst().filter(|&asked| f.op(asked) == Op::Call)?;
        let builtin = env.funcs.get(f.callee(asked)).and_then(|func| func.builtin);
        (builtin == Some(Builtin::Unwinds)).then_some(asked)
    }

    /// What stands for exceptions.
    fn unwinding(&self, builtin: Builtin) -> Checked {
        let (f, i) = (self.f, self.i);
        let Some(b) = f.block_of(i) else { return Ok(()) };
        let (good, message) = match builtin {
            Builtin::Unwinds => {
                let good = f.use_count(i) == usize::from(self.question(b) == Some(i));
                (good, "something else than the branch of its block depends on it")
            }
            Builtin::LandingPad => {
                let is_way = |e: Edge| {
                    let from = f.edge_from(e);
                    self.question(from).is_some() && f.terminator(from).is_some_and(|end| f.ways(end).0 == e)
                };
                let is_told = self.env.funcs[f.func].personality.is_some();
                // What nothing leads to any more will go.
                let good = is_told && f.preds(b).len() < 2 && f.preds(b).iter().all(|&e| is_way(e));
                (good && self.clauses(), "it stands where no exception lands, or catches nothing")
            }
            Builtin::Selector => {
                let callee = f.prev(i).filter(|&pad| f.op(pad) == Op::Call).map(|pad| f.callee(pad));
                let builtin = callee.and_then(|func| self.env.funcs.get(func)?.builtin);
                (builtin == Some(Builtin::LandingPad), "it stands behind no landing pad")
            }
            Builtin::TypeId => (self.arg(0).as_global().is_some(), "it is asked of no global"),
            _ => return Ok(()),
        };
        self.demand(good, Rule::Unwinding, message)
    }

    /// True if arguments are what a landing pad catches.
    fn clauses(&self) -> bool {
        let mut clauses = self.args.iter().map(|&v| Clause::of(self.f, v));
        while let Some(clause) = clauses.next() {
            let more = match clause {
                None => return false,
                Some(Clause::Filter(count)) => count as usize,
                Some(_) => 0,
            };
            let types = clauses.by_ref().take(more);
            if types.filter(|of| matches!(of, Some(Clause::Type(_) | Clause::All))).count() != more {
                return false;
            }
        }
        !self.args.is_empty()
    }

    fn ret(&self) -> Checked {
        self.result(Type::Void)?;
        let want = self.env.funcs[self.f.func].result;
        let have = self.args.first().map_or(Type::Void, |&v| self.f.type_of(v));
        if have == want {
            return Ok(());
        }
        Err(self.error(Rule::Return, format!("returns {}, not {}", have.name(), want.name())))
    }
}
