//! Expressions of tensors as nests of loops, and the memory for what is in between.

use super::*;

/// Free memory that is looked through for some that fits.
const MOST_FREE: usize = 16;

/// A loop that is open.
struct Counted {
    body: Block,
    phi: Value,
    count: u32,
}

impl Lowering<'_> {
    // ---- What is computed ---------------------------------------------------------------------------------

    /// Computes the tensor that a node stands for, of so many rows, and puts it into a target, if there is one. Returns
    /// where it is.
    pub(super) fn finish(&mut self, root: u32, target: Option<Memory>, rows: u32) -> Value {
        let row = self.row;
        self.scratch.tensors.live = self.resolve(root, rows);
        for k in self.scratch.tensors.parts[root as usize].first..=root {
            let What::Product(a, b) = self.scratch.tensors.parts[k as usize].what else { continue };
            let factors = [self.in_memory(a), self.in_memory(b)];
            let free = target.filter(|to| k == root && factors.iter().all(|factor| !to.may_be(*factor)));
            self.row = self.scratch.tensors.parts[k as usize].row;
            let to = self.product([k, a, b], factors, free.map(|memory| memory.address));
            for factor in factors {
                self.release(factor.address);
            }
            self.scratch.tensors.parts[k as usize].what =
                What::Leaf(Memory { address: to, owner: Owner::Own });
        }
        self.row = row;
        let part = self.scratch.tensors.parts[root as usize];
        let elements = rows * self.input.sema.dim(part.dim).stride;
        match (part.what, target) {
            // `+a`: the value of a variable, not the variable.
            (What::Leaf(memory), None) if self.is_variable(part) => {
                let copy = self.room_for(part.element, elements);
                self.copy(memory.address, copy, part.element, elements);
                copy
            }
            (What::Leaf(memory), None) => memory.address,
            (What::Leaf(memory), Some(target)) => {
                self.copy(memory.address, target.address, part.element, elements);
                target.address
            }
            (_, target) => {
                let to = match target {
                    Some(target) => target.address,
                    None => self.room_for(part.element, elements),
                };
                self.by_element(root, to, rows, elements);
                to
            }
        }
    }

    /// Gives each node below a root its number of rows. Returns these nodes, operands first; products that are in memory
    /// have none. O(nodes), and their logarithm.
    fn resolve(&mut self, root: u32, rows: u32) -> Vec<u32> {
        let (sema, parts) = (self.input.sema, &mut self.scratch.tensors.parts);
        let mut live = std::mem::take(&mut self.scratch.tensors.live);
        live.clear();
        parts[root as usize].rows = rows;
        live.push(root);
        let mut next = 0;
        while let Some(&k) = live.get(next) {
            next += 1;
            let Part { what, rows, .. } = parts[k as usize];
            let (a, b, inner) = match what {
                What::Leaf(_) | What::Number(_) => continue,
                What::Negated(a) => (a, None, rows),
                What::Binary(_, a, b) => (a, Some(b), rows),
                What::Product(a, b) => (a, Some(b), sema.dim(parts[a as usize].dim).stride),
            };
            parts[a as usize].rows = rows;
            live.push(a);
            if let Some(b) = b {
                parts[b as usize].rows = inner;
                live.push(b);
            }
        }
        live.sort_unstable();
        live
    }

    /// A factor, in memory.
    fn in_memory(&mut self, k: u32) -> Memory {
        let part = self.scratch.tensors.parts[k as usize];
        if let What::Leaf(memory) = part.what {
            return memory;
        }
        let elements = part.rows * self.input.sema.dim(part.dim).stride;
        let address = self.room_for(part.element, elements);
        self.by_element(k, address, part.rows, elements);
        Memory { address, owner: Owner::Own }
    }

    /// Computes each element by itself. Products are in memory.
    fn by_element(&mut self, root: u32, to: Value, rows: u32, elements: u32) {
        let live = self.resolve(root, rows);
        let row = self.row;
        let element = self.scratch.tensors.parts[root as usize].element;
        let (ty, shape) = (scalar_type(element), Shape::scalar(scalar_type(element)).index() as u32);
        let (open, index) = self.open_loop(elements);
        for &k in &live {
            let part = self.scratch.tensors.parts[k as usize];
            self.row = part.row;
            let value = |k: u32| self.scratch.tensors.parts[k as usize].value;
            let value = match part.what {
                What::Leaf(memory) => {
                    let address = self.emit(Op::ElemAddr, Type::Ptr, [memory.address, index], shape);
                    self.emit(Op::Load, ty, [address], 0)
                }
                What::Number(value) => value,
                What::Negated(a) => self.negated(value(a), ty),
                What::Binary(op, a, b) => self.arithmetic(op, value(a), value(b), ty),
                What::Product(..) => continue,
            };
            self.scratch.tensors.parts[k as usize].value = value;
        }
        self.row = row;
        let address = self.emit(Op::ElemAddr, Type::Ptr, [to, index], shape);
        self.store(self.scratch.tensors.parts[root as usize].value, address);
        self.close_loop(open);
        for &k in &live {
            if let What::Leaf(memory) = self.scratch.tensors.parts[k as usize].what
                && memory.address != to
            {
                self.release(memory.address);
            }
        }
        self.scratch.tensors.live = live;
    }

    /// A product of matrices, at a place or in memory of its own. Returns where.
    fn product(&mut self, [k, a, b]: [u32; 3], factors: [Memory; 2], to: Option<Value>) -> Value {
        let parts = &self.scratch.tensors.parts;
        let (part, left, right) = (parts[k as usize], parts[a as usize].dim, parts[b as usize].dim);
        let (rows, inner) = (part.rows, self.input.sema.dim(left).stride);
        let columns = self.input.sema.dim(right).stride;
        let to = to.unwrap_or_else(|| self.room_for(part.element, rows * columns));
        let ty = scalar_type(part.element);
        let row_of = |length: u32| self.env.shapes.array(Shape::scalar(ty), length).index() as u32;
        let (of_left, of_right) = (row_of(inner), row_of(columns));
        self.emit(Op::MemInit, Type::Void, [to], rows * columns * 4);
        let (outer, i) = self.open_loop(rows);
        let (middle, k) = self.open_loop(inner);
        let address = self.emit(Op::ElemAddr, Type::Ptr, [factors[0].address, i, k], of_left);
        let factor = self.emit(Op::Load, ty, [address], 0);
        let (innermost, j) = self.open_loop(columns);
        let address = self.emit(Op::ElemAddr, Type::Ptr, [to, i, j], of_right);
        let sum = self.emit(Op::Load, ty, [address], 0);
        let other = self.emit(Op::ElemAddr, Type::Ptr, [factors[1].address, k, j], of_right);
        let other = self.emit(Op::Load, ty, [other], 0);
        let product = self.arithmetic(TokenKind::Star, factor, other, ty);
        let sum = self.arithmetic(TokenKind::Plus, sum, product, ty);
        self.store(sum, address);
        self.close_loop(innermost);
        self.close_loop(middle);
        self.close_loop(outer);
        to
    }

    /// Copies all elements.
    pub(super) fn copy(&mut self, from: Value, to: Value, element: Scalar, elements: u32) {
        if from == to {
            return;
        }
        if elements > COPIED {
            let bytes = self.body.int((elements * 4) as i32);
            self.emit(Op::MemCopy, Type::Void, [to, from, bytes], 0);
            return;
        }
        let (ty, shape) = (scalar_type(element), Shape::scalar(scalar_type(element)).index() as u32);
        for k in 0..elements {
            let index = self.body.int(k as i32);
            let address = self.emit(Op::ElemAddr, Type::Ptr, [from, index], shape);
            let value = self.emit(Op::Load, ty, [address], 0);
            let address = self.emit(Op::ElemAddr, Type::Ptr, [to, index], shape);
            self.store(value, address);
        }
    }

    // ---- Loops --------------------------------------------------------------------------------------------

    /// What follows is done so many times, at least once; the number of the round. Nothing is a loop that has one.
    fn open_loop(&mut self, count: u32) -> (Option<Counted>, Value) {
        let zero = self.body.int(0);
        if count <= 1 {
            return (None, zero);
        }
        let body = self.body.create_block_apart();
        self.go_on_to(body);
        self.start_head(body);
        let phi = self.body.insert_phi(body, Type::I32, Place::NONE);
        self.body.set_arg(phi, 0, zero);
        let phi = Value::inst(phi);
        (Some(Counted { body, phi, count }), phi)
    }

    fn close_loop(&mut self, open: Option<Counted>) {
        let Some(Counted { body, phi, count }) = open else { return };
        let (one, count) = (self.body.int(1), self.body.int(count as i32));
        let next = self.emit(Op::Add, Type::I32, [phi, one], 0);
        let again = self.emit(Op::ICmp, Type::I1, [next, count], IntPred::Slt as u32);
        let exit = self.body.create_block_apart();
        self.body.set_cond_br(self.current, again, body, exit, Place::NONE);
        if let Some(phi) = phi.as_inst() {
            self.body.set_arg(phi, 1, next);
        }
        self.start(exit);
    }

    // ---- Memory -------------------------------------------------------------------------------------------

    /// Memory for a result in between, until the statement ends.
    pub(super) fn room_for(&mut self, element: Scalar, elements: u32) -> Value {
        self.take_back();
        let Tensors { spares, free, taken, .. } = &mut self.scratch.tensors;
        let fits = |&(is_outside, k): &(bool, u32)| {
            let spare = spares[usize::from(is_outside)][k as usize];
            let near = elements <= spare.elements && spare.elements / 2 <= elements;
            spare.element == element && near
        };
        let last = free.len().saturating_sub(MOST_FREE);
        if let Some(at) = free[last..].iter().rposition(fits) {
            let (is_outside, k) = free.remove(last + at);
            taken.push((is_outside, k));
            let spare = &mut spares[usize::from(is_outside)][k as usize];
            spare.is_used = true;
            return spare.address;
        }
        let shape = self.env.shapes.array(Shape::scalar(scalar_type(element)), elements);
        let (address, is_outside) = match self.large_room(shape) {
            Some(address) => (address, true),
            None => (Value::inst(self.body.insert_room(shape.index() as u32)), false),
        };
        let Tensors { spares, taken, .. } = &mut self.scratch.tensors;
        let spares = &mut spares[usize::from(is_outside)];
        taken.push((is_outside, spares.len() as u32));
        spares.push(Spare { address, element, elements, is_used: true });
        address
    }

    /// What is at an address has been used. Only results in between have memory that is used again; each is used once.
    pub(super) fn release(&mut self, address: Value) {
        let Tensors { spares, free, .. } = &mut self.scratch.tensors;
        for (is_outside, spares) in [false, true].into_iter().zip(spares) {
            let Ok(k) = spares.binary_search_by_key(&address, |spare| spare.address) else { continue };
            if std::mem::take(&mut spares[k].is_used) {
                free.push((is_outside, k as u32));
            }
        }
    }

    /// Memory that was asked for in a statement that has ended is free. Each row is looked at once.
    fn take_back(&mut self) {
        let (from, to) = (self.scratch.tensors.seen, self.row.index());
        let kinds = self.input.tree.kind.as_slice().get(from..to).unwrap_or_default();
        self.scratch.tensors.seen = to.max(from);
        let ends = |kind: &NodeKind| {
            use NodeKind::*;
            matches!(
                kind,
                Assign
                    | ExprStmt
                    | VarDef
                    | Return
                    | IfCond
                    | WhileCond
                    | DoCond
                    | BlockStart
                    | Block
                    | StepStart
            )
        };
        if kinds.iter().any(ends) {
            let Tensors { spares, free, taken, .. } = &mut self.scratch.tensors;
            for at in taken.drain(..) {
                if std::mem::take(&mut spares[usize::from(at.0)][at.1 as usize].is_used) {
                    free.push(at);
                }
            }
        }
    }

    /// Memory outside of the frame, for what is large and needs to be there once.
    pub(in crate::lower) fn large_room(&mut self, shape: Shape) -> Option<Value> {
        if self.env.shapes.bytes(shape) < LARGE || self.is_entered_again() {
            return None;
        }
        Some(self.body.request(Request::new(shape, false, Image::default())))
    }

    /// True if a call of this function can begin while another one runs.
    fn is_entered_again(&mut self) -> bool {
        if let Some(known) = self.scratch.tensors.is_entered_again {
            return known;
        }
        let (tree, sema) = (self.input.tree, self.input.sema);
        let calls_itself = || {
            let calls = (1..tree.len()).map(Node::new).filter(|&n| tree.kind[n] == NodeKind::CallStart);
            calls.into_iter().any(|n| sema.symbol(n) == Some(self.function))
        };
        let answer = !sema.shared.declared.is_empty() || calls_itself();
        self.scratch.tensors.is_entered_again = Some(answer);
        answer
    }
}
