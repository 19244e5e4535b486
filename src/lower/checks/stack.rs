//! Calls that the stack has no room for (`-fsanitize=stack`): the comparison in front of each call, the function that
//! asks for the limit, and the list of open calls that it shows. O(1) for each call, and for each large array of a function.

use super::faults::STOPPED;
use super::*;

/// Bytes that are kept free below the limit of the stack.
const FREE: i32 = 1 << 19;

impl Lowering<'_> {
    /// At the start of a function: memory that says where its frame is. How much that takes, callers look up.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn check_frame(&mut self, function: Sym) {
        let Some(faults) = self.links.faults.as_ref() else { return };
        let shape = Shape::scalar(Type::I32).index() as u32;
        self.scratch.texts.mark = Some(self.emit(Op::Alloca, Type::Ptr, [], shape));
        // The record of calls: what is in it for all of them.
        let shape = self.env.shapes.of(Type::Ptr, &[4]).index() as u32;
        let record = self.emit(Op::Alloca, Type::Ptr, [], shape);
        let around = self.emit(Op::LoadVolatile, Type::Ptr, [Value::global(faults.calls)], 0);
        let sema = self.input.sema;
        let name = sema.shared.names.text(sema.row(function).name);
        let path = self.input.file.path.replace('%', "%%");
        let text = format!("    called by '{name}', at {path}:%d:%d\n");
        let shape = self.env.shapes.array(Shape::scalar(Type::I8), text.len() as u32 + 1);
        let text = self.body.request(Request::new(shape, true, Image::string(text.as_bytes())));
        self.write_record(record, 0, around);
        self.write_record(record, 1, text);
        self.scratch.texts.record = Some(record);
        let sema = self.input.sema;
        let mut bytes = 0u64;
        for sym in sema.locals().map(Sym::new) {
            let row = sema.row(sym);
            // Large tensors are not in the frame.
            let is_here = self.scratch.addresses[sym].as_inst().is_some();
            if row.kind == SymbolKind::LocalVar && row.ty.is_array() && is_here {
                let shape = self.shape_of(row.ty);
                let own = self.env.shapes.bytes(shape);
                // A byte an element.
                let shadow = if self.input.checks.has(Checks::MEMORY) { own / 4 } else { 0 };
                bytes = bytes.saturating_add(own.saturating_add(shadow));
            }
        }
        if let Some(frame) = faults.frames.get(self.links.func(function).index()) {
            frame.store(bytes.min(MOST as u64) as u32, Ordering::Relaxed);
        }
    }

    fn write_record(&mut self, record: Value, k: i32, value: Value) {
        let (shape, k) = (Shape::scalar(Type::Ptr).index() as u32, self.body.int(k));
        let place = self.emit(Op::ElemAddr, Type::Ptr, [record, k], shape);
        self.emit(Op::StoreVolatile, Type::Void, [value, place], 0);
    }

    /// Notes the call that follows, and behind it that it is over.
    #[cold]
    #[inline(never)]
    pub(in crate::lower) fn note_call(&mut self, begins: bool) {
        let (Some(record), Some(faults)) = (self.scratch.texts.record, self.links.faults.as_ref()) else {
            return;
        };
        let calls = Value::global(faults.calls);
        if begins {
            let offset = self.input.offset(self.row);
            let (line, column) = self.scratch.texts.columns.line_column(self.input.file, offset);
            let [line, column] = [line, column].map(|number| self.body.int(number as i32));
            self.write_record(record, 2, line);
            self.write_record(record, 3, column);
            self.emit(Op::StoreVolatile, Type::Void, [record, calls], 0);
        } else {
            let around = self.emit(Op::LoadVolatile, Type::Ptr, [record], 0);
            self.emit(Op::StoreVolatile, Type::Void, [around, calls], 0);
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
    [limit, calls, more]: [GlobalId; 3],
    [flush, print, exit, limits]: [FuncId; 4],
) -> Body {
    const RLIMIT_STACK: i32 = 3;
    /// Calls that are told.
    const TOLD: i32 = 8;
    let shapes = &env.shapes;
    let mut body = Draft::new(func, &env.funcs[func], None, Room::default());
    let args: Vec<Value> = body.params().map(Value::inst).collect();
    let [format, line, column, at] = args[..] else { return body.finish() };
    let [start, ask, none, some, known, head, told, next, rest, end] = [(); 10].map(|()| body.create_block());
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
    // The calls that led here, from the innermost one on.
    let (pointer, int) = (Shape::scalar(Type::Ptr).index(), Shape::scalar(Type::I32).index());
    let count = Value::inst(body.insert_room(int as u32));
    let at = Value::inst(body.insert_room(pointer as u32));
    let (one, two, three, least) = (body.int(1), body.int(2), body.int(3), body.int(TOLD));
    let first = add(&mut body, known, Op::LoadVolatile, Type::Ptr, &[Value::global(calls)], 0);
    add(&mut body, known, Op::StoreVolatile, Type::Void, &[first, at], 0);
    add(&mut body, known, Op::StoreVolatile, Type::Void, &[zero, count], 0);
    body.set_br(known, head, Place::NONE);
    let record = add(&mut body, head, Op::LoadVolatile, Type::Ptr, &[at], 0);
    // The list ends where it begins: with the address of its head.
    let is_last =
        add(&mut body, head, Op::ICmp, Type::I1, &[record, Value::global(calls)], IntPred::Eq as usize);
    body.set_cond_br(head, is_last, end, told, Place::NONE);
    let seen = add(&mut body, told, Op::LoadVolatile, Type::I32, &[count], 0);
    let is_enough = add(&mut body, told, Op::ICmp, Type::I1, &[seen, least], IntPred::Sge as usize);
    body.set_cond_br(told, is_enough, rest, next, Place::NONE);
    let field = |body: &mut Draft, k, ty| {
        let place = add(body, next, Op::ElemAddr, Type::Ptr, &[record, k], pointer);
        add(body, next, Op::LoadVolatile, ty, &[place], 0)
    };
    let [text, line, column] = [
        field(&mut body, one, Type::Ptr),
        field(&mut body, two, Type::I32),
        field(&mut body, three, Type::I32),
    ];
    add(&mut body, next, Op::Call, Type::I32, &[stderr, text, line, column], print.index());
    let around = field(&mut body, zero, Type::Ptr);
    add(&mut body, next, Op::StoreVolatile, Type::Void, &[around, at], 0);
    let more_seen = add(&mut body, next, Op::Add, Type::I32, &[seen, one], 0);
    add(&mut body, next, Op::StoreVolatile, Type::Void, &[more_seen, count], 0);
    body.set_br(next, head, Place::NONE);
    add(&mut body, rest, Op::Call, Type::I32, &[stderr, Value::global(more)], print.index());
    body.set_br(rest, end, Place::NONE);
    add(&mut body, end, Op::Call, Type::Void, &[code], exit.index());
    body.set_unreachable(end, Place::NONE);
    body.finish()
}
