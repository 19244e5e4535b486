//! The verifier: what must hold of a module and of each body, rule by rule.
//!
//! Rules of *validity* hold between any two passes (`verify`, `verify_module`). Rules of *canonical form*
//! (`check_canonical`) hold after the passes that establish them: code that breaks one is correct, only not
//! finished. Order: structure of blocks, tables, operands and types of each instruction, then dominance. The
//! first broken rule is reported. Cost: O(n) but for dominators, which take O(edges * log blocks).
//!
//! Blocks that cannot be reached are tolerated: everything but dominance is checked in them.

mod canonical;
mod dominance;
mod instruction;
mod program;
#[cfg(test)]
mod tests;

pub use canonical::{check_canonical, check_flow, check_values};
pub use program::{verify_module, verify_program};

use super::module::FuncId;
use super::{Block, Body, Edge, Env, Inst, Op, Type};
use crate::base::Handle;

macro_rules! rules {
    ($($variant:ident $name:literal $canonical:literal $says:literal)*) => {
        /// A rule; `RULES` says what each demands.
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub enum Rule {
            $(#[doc = $says] $variant,)*
        }

        /// What each rule is called and demands, by number.
        pub const RULES: &[RuleRow] =
            &[$(RuleRow { rule: Rule::$variant, name: $name, canonical: $canonical, says: $says }),*];
    };
}

/// A row of the table of rules.
#[derive(Copy, Clone, Debug)]
pub struct RuleRow {
    /// The rule.
    pub rule: Rule,
    /// How messages call it.
    pub name: &'static str,
    /// True for a rule of canonical form, false for one of validity.
    pub canonical: bool,
    /// What it demands.
    pub says: &'static str,
}

rules! {
    Names "names" false
        "globals and functions have names, all different, and none starts with `llvm.`"
    GlobalShape "global-shape" false
        "a global's shape is an array or scalar of i8, i32, i64, float, double or ptr, of at least one byte"
    Image "image" false
        "an image's runs are ordered, lie inside the shape, and have their words; only i8, i32 and float hold any"
    Signature "signature" false
        "a parameter is not void, and neither parameters nor the result are vectors"
    Bodies "bodies" false
        "every function that is not only declared has exactly one body, and no other has one"
    Params "params" false
        "the parameters of a body agree with its signature in number and type, and stand in no block"
    Entry "entry" false
        "a body has an entry block, which nothing branches to"
    Terminated "terminated" false
        "a block has exactly one terminator, at its end, which leads to blocks of the body"
    PhisFirst "phis-first" false
        "phis stand at the head of their block"
    Tables "tables" false
        "lists, operands, uses, edges, predecessors and phi operands agree"
    ParallelEdges "parallel-edges" false
        "two edges between the same blocks carry the same operands to the target's phis"
    Operand "operand" false
        "an operand is the result of an instruction that stands in a block, or a constant of the tables"
    NoVoid "no-void" false
        "nothing uses a result that is void"
    Arity "arity" false
        "an instruction has as many operands as its opcode takes"
    ResultType "result-type" false
        "the type of an instruction is one that its opcode yields"
    OperandType "operand-type" false
        "operands have the types that the opcode takes"
    Address "address" false
        "an address is a ptr"
    Payload "payload" false
        "a payload is a row of the table that the opcode says"
    AllocaShape "alloca-shape" false
        "an alloca's shape is an array or scalar that memory can hold, of at least one byte"
    ElemAddr "elem-addr" false
        "an element address has one to depth + 1 indices, each i32 or i64"
    MemInit "mem-init" false
        "a copy comes from a constant global at least as long as the copy"
    Flags "flags" false
        "the flags of an instruction are ones that its opcode may have"
    Access "access" false
        "what accesses memory alone has an alignment, a power of two and at least that of its type"
    Call "call" false
        "arguments and result of a call agree with the signature"
    MustTail "must-tail" false
        "a call that has to be a jump has the type of the function's result, and a return is next, of its result or of what that is known to be"
    Unwinding "unwinding" false
        "what asks whether an exception has left a call is what the branch of its block depends on alone; a landing pad stands where one such branch goes then, in a function with a personality routine, and its number right behind it"
    Return "return" false
        "a return gives what the signature says"
    Vectors "vectors" false
        "a body that has vectors says so"
    Dominance "dominance" false
        "a definition dominates its uses; of a phi, the end of the operand's predecessor"
    Folded "folded" true
        "not every operand is a constant, where the result can be computed"
    ConditionConstant "condition-constant" true
        "the condition of a branch is not constant"
    TargetsDiffer "targets-differ" true
        "the two targets of a branch differ"
    DivisionByZero "division-by-zero" true
        "nothing is divided by the literal 0"
    ShiftAmount "shift-amount" true
        "a constant shift amount is below the width"
    ConstantRight "constant-right" true
        "the constant operand of a commutative operation stands on the right"
    AllocaInEntry "alloca-in-entry" true
        "allocas stand in the entry block"
}

/// Which rule is broken, where, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The rule.
    pub rule: Rule,
    /// In which function; none for a rule about the module.
    pub func: Option<FuncId>,
    /// In which block, where it is about one.
    pub block: Option<Block>,
    /// At which instruction, where it is about one.
    pub inst: Option<Inst>,
    /// The operand, where it is about one.
    pub operand: Option<Inst>,
    /// How.
    pub message: String,
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rule `{}` is broken", self.rule.row().name)?;
        if let Some(func) = self.func {
            write!(f, " in {func:?}")?;
        }
        if let Some(block) = self.block {
            write!(f, ", block {block:?}")?;
        }
        if let Some(inst) = self.inst {
            write!(f, ", instruction {inst:?}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for VerifyError {}

impl Rule {
    /// The rule's row.
    pub fn row(self) -> &'static RuleRow {
        &RULES[self as usize]
    }
}

/// What every check returns.
type Checked = Result<(), VerifyError>;

fn body_error(f: &Body, rule: Rule, message: impl Into<String>) -> VerifyError {
    VerifyError { rule, func: Some(f.func), block: None, inst: None, operand: None, message: message.into() }
}

fn block_error(f: &Body, b: Block, rule: Rule, message: impl Into<String>) -> VerifyError {
    VerifyError { block: Some(b), ..body_error(f, rule, message) }
}

fn inst_error(f: &Body, i: Inst, rule: Rule, message: impl Into<String>) -> VerifyError {
    VerifyError { block: f.block_of(i), inst: Some(i), ..body_error(f, rule, message) }
}

/// What memory can hold.
fn storable(ty: Type) -> bool {
    ty != Type::Void && (ty == Type::I1 || ty.element() != Type::I1)
}

/// Checks every rule of validity on one body.
pub fn verify(env: &Env, f: &Body) -> Checked {
    check_params(env, f)?;
    check_blocks(f)?;
    f.check_tables().map_err(|message| body_error(f, Rule::Tables, message))?;
    check_rest(env, f)
}

/// The same but for `tables`, which clients of a builder cannot break.
pub fn verify_asked(env: &Env, f: &Body) -> Checked {
    check_params(env, f)?;
    check_blocks(f)?;
    check_rest(env, f)
}

fn check_rest(env: &Env, f: &Body) -> Checked {
    for b in f.blocks() {
        check_parallel_edges(f, b)?;
        for i in f.insts(b) {
            instruction::check(env, f, i)?;
        }
    }
    dominance::check(f)
}

fn check_params(env: &Env, f: &Body) -> Checked {
    let Some(func) = env.funcs.get(f.func) else {
        return Err(body_error(f, Rule::Params, "the function is not in the table"));
    };
    if f.params().len() != func.params.len() {
        let message = format!("{} parameters, but the signature has {}", f.params().len(), func.params.len());
        return Err(body_error(f, Rule::Params, message));
    }
    for (i, &ty) in f.params().zip(&func.params) {
        if f.op(i) != Op::Param || f.ty(i) != ty || f.block_of(i).is_some() {
            return Err(inst_error(f, i, Rule::Params, format!("is not a parameter of type {}", ty.name())));
        }
    }
    Ok(())
}

fn check_blocks(f: &Body) -> Checked {
    let Some(entry) = f.entry() else {
        return Err(body_error(f, Rule::Entry, "there are no blocks"));
    };
    if !f.preds(entry).is_empty() {
        return Err(block_error(f, entry, Rule::Entry, "the entry has predecessors"));
    }
    for b in f.blocks() {
        if f.terminator(b).is_none() {
            return Err(block_error(f, b, Rule::Terminated, "does not end with a terminator"));
        }
        let is_there = |e: Edge| f.edge_to(e).index() < f.block_count() && f.is_placed(f.edge_to(e));
        if !f.succs(b).all(is_there) {
            return Err(block_error(
                f,
                b,
                Rule::Terminated,
                "goes on to a block that does not stand in the body",
            ));
        }
        let mut phis = true;
        for i in f.insts(b) {
            let op = f.op(i);
            if op.is_terminator() && f.next(i).is_some() {
                return Err(inst_error(f, i, Rule::Terminated, "a terminator stands before the end"));
            }
            if op == Op::Param {
                return Err(inst_error(f, i, Rule::Params, "a parameter stands in a block"));
            }
            if op == Op::Phi && !phis {
                return Err(inst_error(
                    f,
                    i,
                    Rule::PhisFirst,
                    "a phi stands behind an instruction that is none",
                ));
            }
            phis &= op == Op::Phi;
        }
    }
    Ok(())
}

fn check_parallel_edges(f: &Body, b: Block) -> Checked {
    let mut succs = f.succs(b);
    if succs.len() > 2 {
        return check_table(f, b);
    }
    let (Some(yes), Some(no)) = (succs.next(), succs.next()) else { return Ok(()) };
    if f.edge_to(yes) != f.edge_to(no) {
        return Ok(());
    }
    agree(f, b, yes, no)
}

/// The same of many edges: each with the next one to the same block.
fn check_table(f: &Body, b: Block) -> Checked {
    let mut edges: Vec<Edge> = f.succs(b).collect();
    edges.sort_by_key(|&e| f.edge_to(e));
    edges
        .windows(2)
        .filter(|two| f.edge_to(two[0]) == f.edge_to(two[1]))
        .try_for_each(|two| agree(f, b, two[0], two[1]))
}

/// Two edges to one block bring the same.
fn agree(f: &Body, b: Block, yes: Edge, no: Edge) -> Checked {
    for phi in f.phis(f.edge_to(yes)) {
        if f.arg(phi, f.edge_slot(yes)) != f.arg(phi, f.edge_slot(no)) {
            let message = format!("two edges from {b:?} bring different values");
            return Err(inst_error(f, phi, Rule::ParallelEdges, message));
        }
    }
    Ok(())
}
