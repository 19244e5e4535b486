//! Tensors as loops over plain memory: all that other rooms know of them is arrays.
//!
//! A row that computes with tensors makes a node; what is computed is made where the tree of nodes is used
//! (`finish`): assigned, returned, passed. Then, in one walk from the root, each node gets the number of its rows,
//! which a parameter does not know by itself, and then, from the leaves to the root:
//!
//! - a product of matrices becomes a nest: rows of the result outside, the inner dimension next, and inside a run
//!   over a row of the right factor and a row of the result, which starts as zeros. What a factor is that is not in
//!   memory is computed into memory first. The result is the target itself if nothing that is read can be the same
//!   memory, or memory of its own;
//! - all else becomes one loop over all elements, whatever the dimensions: an element of the target depends on the
//!   elements in the same place alone, and two tensors are the same memory or share nothing, so that none is
//!   overwritten before it is read. There is no other memory in a chain of such operators;
//! - a tensor that is only copied is a `memcpy`.
//!
//! A call may change a tensor that an operand before it names: its elements are copied before the call.
//!
//! A function that returns a tensor returns nothing, and has one parameter more behind all others, the address where
//! the tensor goes. It is the caller's memory for this one call, or the variable that the call is assigned to if the
//! function cannot name it: nothing else leads there while the function runs.
//!
//! Memory for results in between belongs to a function's frame, and is used again by the next statement. Local
//! tensors and such memory of `LARGE` bytes and more are no part of the frame: they are internal globals, if no other
//! call of the function can begin while one runs. It can if the function calls itself, or if the source has prototypes; then the
//! frame has them, as it has arrays.
//!
//! O(nodes); the code of an expression has as many instructions as operators and operands.

mod nests;

use super::expression::Slot;
use super::function::Lowering;
use super::globals::scalar_type;
use crate::base::Handle;
use crate::ir::module::Request;
use crate::ir::{Block, Image, IntPred, Op, Place, Shape, Type, Value};
use crate::sema::{Class, Dim, Scalar, Sym, SymbolKind, TyView};
use crate::syntax::token::TokenKind;
use crate::syntax::tree::{Node, NodeKind};

/// A tensor of this many bytes has no place in a frame: the eight megabytes that a stack has at most systems are
/// little beside a few matrices of 256 by 256.
const LARGE: u64 = 1 << 16;

/// A copy of up to so many elements is made of loads and stores.
const COPIED: u32 = 4;

/// Whose memory it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Nothing else leads there.
    Own,
    /// Never written.
    Constant,
    Global,
    /// The caller's, or a global.
    Param,
}

/// Where a tensor is.
#[derive(Copy, Clone, Debug)]
pub(super) struct Memory {
    address: Value,
    owner: Owner,
}

impl Memory {
    /// True if both can be the same tensor.
    fn may_be(self, other: Memory) -> bool {
        use Owner::*;
        self.address == other.address
            || matches!(
                (self.owner, other.owner),
                (Param, Param | Global | Constant) | (Global | Constant, Param)
            )
    }
}

/// What a node computes. Operands are nodes before it.
#[derive(Copy, Clone, Debug)]
enum What {
    /// Elements in memory.
    Leaf(Memory),
    /// A number for each element.
    Number(Value),
    Negated(u32),
    Binary(TokenKind, u32, u32),
    Product(u32, u32),
}

/// A node of an expression.
#[derive(Copy, Clone, Debug)]
pub(super) struct Part {
    what: What,
    element: Scalar,
    /// The outermost dimension; of a number nothing.
    dim: Dim,
    /// The length of that, when it is known.
    rows: u32,
    /// The first node of those that it is made of, which stand before it.
    first: u32,
    /// Where it stands in the tree.
    row: Node,
    /// Of an expression that is computed by element, an element.
    value: Value,
}

/// Memory for results in between.
#[derive(Copy, Clone, Debug)]
struct Spare {
    address: Value,
    element: Scalar,
    elements: u32,
    is_used: bool,
}

/// What of tensors a worker keeps.
#[derive(Debug, Default)]
pub(super) struct Tensors {
    /// The nodes of the expressions that are open.
    parts: Vec<Part>,
    /// In the frame, and outside of it: each in the order of addresses.
    spares: [Vec<Spare>; 2],
    /// Those that nothing uses, and those that have been taken since the last statement.
    free: Vec<(bool, u32)>,
    taken: Vec<(bool, u32)>,
    /// Nodes that name variables which a call may change: those that anything may name, and those of this function alone.
    shared: Vec<u32>,
    own: Vec<u32>,
    /// Rows on the way to where the length of an operand was known last, and that length.
    climbed: Vec<Node>,
    climbed_rows: u32,
    /// The row that memory was last asked for at.
    seen: usize,
    /// Whether a call of the function can begin while another runs, once that is asked.
    is_entered_again: Option<bool>,
    /// Nodes of an expression that is computed by element.
    live: Vec<u32>,
}

impl Tensors {
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.spares.iter_mut().for_each(Vec::clear);
        [&mut self.shared, &mut self.own].into_iter().for_each(Vec::clear);
        [&mut self.free, &mut self.taken].into_iter().for_each(Vec::clear);
        self.climbed.clear();
        self.seen = 0;
        self.is_entered_again = None;
    }

    /// True if there are operands of which the elements have not been read.
    #[inline(always)]
    pub(super) fn is_open(&self) -> bool {
        !self.parts.is_empty()
    }
}

impl Lowering<'_> {
    // ---- Rows ---------------------------------------------------------------------------------------------

    /// A row that has a tensor for its value, or stores one.
    #[cold]
    #[inline(never)]
    pub(super) fn tensor(&mut self, kind: NodeKind, next: NodeKind) {
        match kind {
            NodeKind::Name => self.tensor_name(next),
            NodeKind::Unary => self.tensor_unary(),
            NodeKind::Binary => self.tensor_binary(),
            NodeKind::Call => self.tensor_call(next),
            NodeKind::Assign => {
                let value = self.pop();
                if let Slot::Target(address, _) = self.pop() {
                    let first = self.input.tree.first(self.row);
                    let owner = self.owner(self.input.sema.symbol(first));
                    self.store_tensor(value, Memory { address, owner });
                }
            }
            _ => {}
        }
    }

    /// The tensor that a row's class names.
    fn type_of_row(&self, n: Node) -> Option<(Scalar, Dim)> {
        let sema = self.input.sema;
        let dim = || Dim::new(sema.data[n] as usize);
        match sema.class[n] {
            Class::IntArray => Some((Scalar::Int, dim())),
            Class::FloatArray => Some((Scalar::Float, dim())),
            Class::Tensor | Class::Symbol => match sema.row(sema.symbol(n)?).ty.view() {
                TyView::Array(element, dim) => Some((element, dim)),
                _ => None,
            },
            _ => None,
        }
    }

    fn owner(&self, sym: Option<Sym>) -> Owner {
        match sym.map(|sym| self.input.sema.row(sym).kind) {
            Some(SymbolKind::LocalVar) => Owner::Own,
            Some(SymbolKind::GlobalConst | SymbolKind::LocalConst) => Owner::Constant,
            Some(SymbolKind::GlobalVar) => Owner::Global,
            _ => Owner::Param,
        }
    }

    fn tensor_name(&mut self, next: NodeKind) {
        self.begin();
        let Some(sym) = self.input.sema.symbol(self.row) else { return };
        let address = self.address(sym);
        if next == NodeKind::AssignStart {
            return self.push(Slot::Target(address, Type::Ptr));
        }
        let Some(ty) = self.type_of_row(self.row) else { return };
        let owner = self.owner(Some(sym));
        self.push_leaf(ty, Memory { address, owner });
    }

    /// The value of the tensor that `+=` changes, whose address is on top of the stack.
    pub(super) fn old_tensor(&mut self, address: Value) {
        let Some(ty) = self.type_of_row(self.row) else { return };
        // The leaf is two rows before: its name.
        let target = Node::new(self.row.index() - 2);
        let owner = self.owner(self.input.sema.symbol(target));
        self.push_leaf(ty, Memory { address, owner });
    }

    fn push_part(&mut self, what: What, (element, dim): (Scalar, Dim), first: Option<u32>) -> u32 {
        let k = self.scratch.tensors.parts.len() as u32;
        let (first, row, value) = (first.unwrap_or(k), self.row, Value::undef(Type::I32));
        let part = Part { what, element, dim, rows: 0, first, row, value };
        self.scratch.tensors.parts.push(part);
        k
    }

    fn push_leaf(&mut self, ty: (Scalar, Dim), memory: Memory) {
        let k = self.push_part(What::Leaf(memory), ty, None);
        match memory.owner {
            Owner::Constant => {}
            Owner::Global | Owner::Param => self.scratch.tensors.shared.push(k),
            Owner::Own => self.scratch.tensors.own.push(k),
        }
        self.push(Slot::Tensor(k));
    }

    /// The node of an operand; a number becomes an element.
    fn part_of(&mut self, slot: Slot, (element, dim): (Scalar, Dim)) -> u32 {
        match slot {
            Slot::Tensor(k) => k,
            // What a call returned.
            Slot::Value(address, Type::Ptr) => {
                let memory = Memory { address, owner: Owner::Own };
                self.push_part(What::Leaf(memory), (element, dim), None)
            }
            slot => {
                let (value, from) = self.value_of(slot);
                let value = self.convert(value, from, scalar_type(element));
                self.push_part(What::Number(value), (element, dim), None)
            }
        }
    }

    fn tensor_unary(&mut self) {
        let Some(ty) = self.type_of_row(self.row) else { return };
        let slot = self.pop();
        let k = self.part_of(slot, ty);
        if self.token_kind() == TokenKind::Minus {
            let first = self.scratch.tensors.parts[k as usize].first;
            let k = self.push_part(What::Negated(k), ty, Some(first));
            return self.push(Slot::Tensor(k));
        }
        self.push(Slot::Tensor(k));
    }

    fn tensor_binary(&mut self) {
        let Some(ty) = self.type_of_row(self.row) else { return };
        let (right, left) = (self.pop(), self.pop());
        let op = self.token_kind();
        let nodes = {
            let right = Node::new(self.row.index() - 1);
            let left = Node::new(right.index() - self.input.tree.size[right] as usize);
            [left, right]
        };
        // A factor has a shape of its own, and so has what a call returns.
        let [of_left, of_right] = nodes.map(|n| self.type_of_row(n).unwrap_or(ty));
        let a = self.part_of(left, of_left);
        let b = self.part_of(right, of_right);
        let parts = &self.scratch.tensors.parts;
        let first = parts[a as usize].first.min(parts[b as usize].first);
        let what = if op == TokenKind::At { What::Product(a, b) } else { What::Binary(op, a, b) };
        let k = self.push_part(what, ty, Some(first));
        self.push(Slot::Tensor(k));
    }

    // ---- Where tensors go ---------------------------------------------------------------------------------

    /// Puts the topmost value into a variable or wherever a result goes.
    fn store_tensor(&mut self, slot: Slot, target: Memory) {
        let Some((element, dim)) = self.type_of_row(self.row) else { return };
        match slot {
            Slot::Tensor(k) => {
                self.finish(k, Some(target), self.input.sema.dim(dim).extent);
                self.forget_tensor(k);
            }
            Slot::Value(address, _) => {
                self.copy(address, target.address, element, self.input.sema.dim(dim).elements());
            }
            _ => {}
        }
    }

    /// The end of a declaration of a tensor whose initialiser is an expression.
    #[cold]
    #[inline(never)]
    pub(super) fn tensor_start(&mut self, sym: Sym) {
        let slot = self.pop();
        let target = Memory { address: self.address(sym), owner: Owner::Own };
        self.store_tensor(slot, target);
    }

    /// `return` in a function that returns a tensor.
    #[cold]
    #[inline(never)]
    pub(super) fn return_tensor(&mut self, slot: Slot, address: Value) {
        self.store_tensor(slot, Memory { address, owner: Owner::Own });
    }

    /// The address of the elements of a tensor that is computed, for a call to take.
    #[cold]
    #[inline(never)]
    pub(super) fn tensor_address(&mut self, k: u32) -> Value {
        let part = self.scratch.tensors.parts[k as usize];
        let rows = self.input.sema.dim(part.dim).extent;
        self.finish(k, None, rows)
    }

    /// A call that returns a tensor.
    fn tensor_call(&mut self, next: NodeKind) {
        let Some((element, dim)) = self.type_of_row(self.row) else { return };
        let elements = self.input.sema.dim(dim).elements();
        let target = self.target_of_call(next);
        let target = target.unwrap_or_else(|| self.room_for(element, elements));
        self.call(Some(target));
        // What was computed for it is free.
        for k in 0..self.scratch.args.len() {
            let address = self.scratch.args[k];
            if address != target {
                self.release(address);
            }
        }
        self.scratch.stack.pop();
        self.push(Slot::Value(target, Type::Ptr));
    }

    /// The variable that what a call returns is assigned to and nothing else, if the function cannot know of it.
    fn target_of_call(&self, next: NodeKind) -> Option<Value> {
        let first = *self.scratch.calls.last()?;
        let is_free = |address: Value| {
            self.scratch.stack[first..].iter().all(|slot| !matches!(slot, Slot::Value(v, _) if *v == address))
        };
        match next {
            NodeKind::Return => self.result_address,
            NodeKind::Assign => {
                let Some(&Slot::Target(address, _)) = self.scratch.stack.get(first.checked_sub(1)?) else {
                    return None;
                };
                let target = self.input.tree.first(Node::new(self.row.index() + 1));
                let is_own = self.owner(self.input.sema.symbol(target)) == Owner::Own;
                (is_own && is_free(address)).then_some(address)
            }
            _ => None,
        }
    }

    /// A call follows, whose arguments stand on the stack from `first` on and in `Scratch::args`: what was computed for them is done.
    #[cold]
    #[inline(never)]
    pub(super) fn end_arguments(&mut self, first: usize, is_library: bool) {
        let computed = self.scratch.stack[first..].iter().find_map(|slot| match slot {
            Slot::Tensor(k) => Some(*k),
            _ => None,
        });
        if let Some(k) = computed {
            self.forget_tensor(k);
        }
        self.read_before_call(is_library);
    }

    /// A call follows that may change what operands before it name: their elements are read before. The arguments are
    /// in `Scratch::args`.
    fn read_before_call(&mut self, is_library: bool) {
        let passes = self.scratch.args.iter().any(|&v| self.body.type_of(v) == Type::Ptr);
        if !is_library || passes {
            let mut shared = std::mem::take(&mut self.scratch.tensors.shared);
            shared.drain(..).for_each(|k| self.read_now(k));
            self.scratch.tensors.shared = shared;
        }
        if passes {
            let mut own = std::mem::take(&mut self.scratch.tensors.own);
            own.retain(|&k| {
                let What::Leaf(memory) = self.scratch.tensors.parts[k as usize].what else { return false };
                let is_passed = self.scratch.args.contains(&memory.address);
                if is_passed {
                    self.read_now(k);
                }
                !is_passed
            });
            self.scratch.tensors.own = own;
        }
    }

    /// Copies the elements that an operand names.
    fn read_now(&mut self, k: u32) {
        let part = self.scratch.tensors.parts[k as usize];
        let What::Leaf(memory) = part.what else { return };
        let Some(rows) = self.rows_of(part.row, part.dim).filter(|_| self.is_variable(part)) else { return };
        let elements = rows * self.input.sema.dim(part.dim).stride;
        let copy = self.room_for(part.element, elements);
        self.copy(memory.address, copy, part.element, elements);
        let memory = Memory { address: copy, owner: Owner::Own };
        self.scratch.tensors.parts[k as usize].what = What::Leaf(memory);
    }

    /// True of elements in memory that has a name.
    fn is_variable(&self, part: Part) -> bool {
        let is_name = self.input.sema.class[part.row] == Class::Tensor;
        is_name || self.input.tree.kind[part.row] == NodeKind::Old
    }

    /// How many rows the operand at a row has, if its type does not tell, by what it stands beside. O(rows of the
    /// expression) for all of its operands.
    fn rows_of(&mut self, n: Node, dim: Dim) -> Option<u32> {
        let extent = self.input.sema.dim(dim).extent;
        if extent != 0 {
            return Some(extent);
        }
        let mut way = Vec::new();
        match self.climb(n, &mut way) {
            Some(rows) => {
                (self.scratch.tensors.climbed, self.scratch.tensors.climbed_rows) = (way, rows);
                Some(rows)
            }
            None => way.is_empty().then_some(self.scratch.tensors.climbed_rows),
        }
    }

    /// How many rows all those on the way up to the first row have whose length is known. None, and no way, if it leads to
    /// where one has led before.
    fn climb(&self, n: Node, way: &mut Vec<Node>) -> Option<u32> {
        let (tree, sema) = (self.input.tree, self.input.sema);
        let known = |extent: u32| (extent != 0).then_some(extent);
        let mut at = n;
        loop {
            if self.scratch.tensors.climbed.binary_search(&at).is_ok() {
                way.clear();
                return None;
            }
            way.push(at);
            let first = tree.first(at);
            let parent = (at.index() + 1..tree.len()).map(Node::new).find(|&m| tree.first(m) <= at)?;
            let (_, dim) = self.type_of_row(parent)?;
            if tree.kind[parent] == NodeKind::Binary
                && self.input.tokens.kind[tree.token[parent]] == TokenKind::At
                && first != tree.first(parent)
            {
                // The right factor has a row for each column of the left one.
                let left = Node::new(first.index() - 1);
                return Some(sema.dim(self.type_of_row(left)?.1).stride);
            }
            if let Some(extent) = known(sema.dim(dim).extent) {
                return Some(extent);
            }
            at = parent;
        }
    }

    /// An expression has been used: its nodes go, and all that were made since.
    pub(super) fn forget_tensor(&mut self, k: u32) {
        let first = self.scratch.tensors.parts[k as usize].first as usize;
        let Tensors { parts, shared, own, .. } = &mut self.scratch.tensors;
        parts.truncate(first);
        for open in [shared, own] {
            open.truncate(open.partition_point(|&k| (k as usize) < first));
        }
    }
}
