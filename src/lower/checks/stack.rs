//! Calls that the stack has no room for (`-fsanitize=stack`): the comparison in front of each call, and the function that
//! asks for the limit. O(1) for each call, and for each large array of a function.

use super::*;

impl Lowering<'_> {
    /// At the start of a function: memory that says where its frame is. How much that takes, callers look up.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn check_frame(&mut self, function: Sym) {
        let Some(faults) = self.links.faults.as_ref() else { return };
        let shape = Shape::scalar(Type::I32).index() as u32;
        self.scratch.texts.mark = Some(self.emit(Op::Alloca, Type::Ptr, [], shape));
        let sema = self.input.sema;
        let mut bytes = 0u64;
        for sym in sema.locals().map(Sym::new) {
            let row = sema.row(sym);
            // Large tensors are not in the frame.
            let is_here = self.scratch.addresses[sym].as_inst().is_some();
            if row.kind == SymbolKind::LocalVar && row.ty.is_array() && is_here {
                let shape = self.shape_of(row.ty);
                bytes = bytes.saturating_add(self.env.shapes.bytes(shape));
            }
        }
        if let Some(frame) = faults.frames.get(self.links.func(function).index()) {
            frame.store(bytes.min(MOST as u64) as u32, Ordering::Relaxed);
        }
    }

    /// A call of a function of the program follows: goes on if the stack has room for it, or its end turns out to be
    /// elsewhere.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn check_call(&mut self, callee: Sym) {
        let (Some(mut at), Some(faults)) = (self.scratch.texts.mark, self.links.faults.as_ref()) else {
            return;
        };
        let func = self.links.func(callee).index();
        if func < faults.frames.len() {
            // Passes do not see who writes it, here and below.
            let (table, index) = (Value::global(faults.table), self.body.int(func as i32));
            let int = Shape::scalar(Type::I32).index() as u32;
            let place = self.emit(Op::ElemAddr, Type::Ptr, [table, index], int);
            let bytes = self.emit(Op::LoadVolatile, Type::I32, [place], 0);
            let zero = self.body.int(0);
            let down = self.emit(Op::Sub, Type::I32, [zero, bytes], 0);
            let byte = self.env.shapes.leaving(Shape::scalar(Type::I8)).index() as u32;
            at = self.emit(Op::ElemAddr, Type::Ptr, [at, down], byte);
        }
        let limit = Value::global(faults.limit);
        let known = self.emit(Op::LoadVolatile, Type::Ptr, [limit], 0);
        let is_unknown = self.emit(Op::ICmp, Type::I1, [known, limit], IntPred::Eq as u32);
        let is_below = self.emit(Op::ICmp, Type::I1, [at, known], IntPred::Ult as u32);
        let fails = self.emit(Op::Or, Type::I1, [is_unknown, is_below], 0);
        let (cold, next, place) = (self.body.create_block(), self.body.create_block_apart(), self.place());
        self.body.set_cond_br(self.current, fails, cold, next, place);
        let format = self.text(Fault::Stack(callee));
        let offset = self.input.offset(self.row);
        let (line, column) = self.scratch.texts.columns.line_column(self.input.file, offset);
        let (line, column) = (self.body.int(line as i32), self.body.int(column as i32));
        let Some(mark) = self.scratch.texts.mark else { return };
        let (function, args) = (faults.stack.index() as u32, [format, line, column, mark]);
        self.body.append(cold, Op::Call, Type::Void, args, function, place);
        self.body.set_br(cold, next, Place::NONE);
        self.start(next);
    }
}

/// `main` in front of that of the source: asks for the limit, then looks whether the variables of the other have room.
pub(super) fn main(
    env: &Env,
    func: FuncId,
    (source, stack): (FuncId, FuncId),
    [text, limit, table]: [GlobalId; 3],
) -> Body {
    let shapes = &env.shapes;
    let mut body = Draft::new(func, &env.funcs[func], None, Room::default());
    let [start, over, go] = [(); 3].map(|()| body.create_block());
    let [text, limit, table] = [text, limit, table].map(Value::global);
    let add = |body: &mut Draft, b, op, ty, args: &[Value], payload: usize| {
        Value::inst(body.append_all(b, op, ty, args, payload as u32, Place::NONE))
    };
    let (zero, number) = (body.int(0), body.int(source.index() as i32));
    let int = Shape::scalar(Type::I32).index();
    let mark = add(&mut body, start, Op::Alloca, Type::Ptr, &[], int);
    let args = [text, zero, zero, mark];
    add(&mut body, start, Op::Call, Type::Void, &args, stack.index());
    let row = add(&mut body, start, Op::ElemAddr, Type::Ptr, &[table, number], int);
    let bytes = add(&mut body, start, Op::LoadVolatile, Type::I32, &[row], 0);
    let down = add(&mut body, start, Op::Sub, Type::I32, &[zero, bytes], 0);
    let byte = shapes.leaving(Shape::scalar(Type::I8)).index();
    let low = add(&mut body, start, Op::ElemAddr, Type::Ptr, &[mark, down], byte);
    let known = add(&mut body, start, Op::LoadVolatile, Type::Ptr, &[limit], 0);
    let is_below = add(&mut body, start, Op::ICmp, Type::I1, &[low, known], IntPred::Ult as usize);
    body.set_cond_br(start, is_below, over, go, Place::NONE);
    add(&mut body, over, Op::Call, Type::Void, &args, stack.index());
    body.set_br(over, go, Place::NONE);
    let result = add(&mut body, go, Op::Call, Type::I32, &[], source.index());
    body.set_ret(go, Some(result), Place::NONE);
    body.finish()
}

/// The function that is called where the limit of the stack is not known, or is passed: it returns if it was not
/// known.
pub(super) fn stack(
    env: &Env,
    func: FuncId,
    limit: GlobalId,
    [flush, print, exit, limits]: [FuncId; 4],
) -> Body {
    const RLIMIT_STACK: i32 = 3;
    let shapes = &env.shapes;
    let mut body = Draft::new(func, &env.funcs[func], None, Room::default());
    let args: Vec<Value> = body.params().map(Value::inst).collect();
    let [format, line, column, at] = args[..] else { return body.finish() };
    let [start, ask, none, some, known] = [(); 5].map(|()| body.create_block());
    let limit = Value::global(limit);
    let add = |body: &mut Draft, b, op, ty, args: &[Value], payload: usize| {
        Value::inst(body.append_all(b, op, ty, args, payload as u32, Place::NONE))
    };
    let room = add(&mut body, start, Op::Alloca, Type::Ptr, &[], shapes.of(Type::I32, &[4]).index());
    let now = add(&mut body, start, Op::LoadVolatile, Type::Ptr, &[limit], 0);
    let is_unknown = add(&mut body, start, Op::ICmp, Type::I1, &[now, limit], IntPred::Eq as usize);
    body.set_cond_br(start, is_unknown, ask, known, Place::NONE);
    let (what, zero, least, most) =
        (body.int(RLIMIT_STACK), body.int(0), body.int(2 * FREE), body.int(1 << 30));
    let refused = add(&mut body, ask, Op::Call, Type::I32, &[what, room], limits.index());
    let bytes = add(&mut body, ask, Op::Load, Type::I32, &[room], 0);
    let tests = [
        add(&mut body, ask, Op::ICmp, Type::I1, &[refused, zero], IntPred::Ne as usize),
        add(&mut body, ask, Op::ICmp, Type::I1, &[bytes, least], IntPred::Ult as usize),
        add(&mut body, ask, Op::ICmp, Type::I1, &[bytes, most], IntPred::Ugt as usize),
    ];
    let either = add(&mut body, ask, Op::Or, Type::I1, &tests[..2], 0);
    let is_none = add(&mut body, ask, Op::Or, Type::I1, &[either, tests[2]], 0);
    body.set_cond_br(ask, is_none, none, some, Place::NONE);
    // What is constant is below every stack.
    add(&mut body, none, Op::StoreVolatile, Type::Void, &[format, limit], 0);
    body.set_ret(none, None, Place::NONE);
    let free = body.int(FREE);
    let back = add(&mut body, some, Op::Sub, Type::I32, &[free, bytes], 0);
    let byte = shapes.leaving(Shape::scalar(Type::I8)).index();
    let low = add(&mut body, some, Op::ElemAddr, Type::Ptr, &[at, back], byte);
    add(&mut body, some, Op::StoreVolatile, Type::Void, &[low, limit], 0);
    body.set_ret(some, None, Place::NONE);
    let (stderr, code) = (body.int(2), body.int(STOPPED));
    add(&mut body, known, Op::Call, Type::I32, &[zero], flush.index());
    add(&mut body, known, Op::Call, Type::I32, &[stderr, format, line, column], print.index());
    add(&mut body, known, Op::Call, Type::Void, &[code], exit.index());
    body.set_unreachable(known, Place::NONE);
    body.finish()
}
